//! Heads of `for` loops. A loop that counts up by 1 stays what it is; any other becomes a loop over a new iterator
//! that counts its iterations from 0, and the user's iterator an affine expression of that. Down from the smallest of
//! several values, the new iterator is the negative of the user's.

use lang_c::ast::{BinaryOperator, Expression, ForInitializer, ForStatement, Initializer, UnaryOperator};
use lang_c::span::{Node, Span as ByteSpan};

use super::affine_expression::{Role, plus, times};
use super::canonical::names_in;
use super::expression::promoted;
use super::extremum::{Extremum, Kind, all, any, at_least_0, is_truth, negated};
use super::function::identifier;
use super::kernel::{Broken, Condition, If, Loop, Node as NestNode, ScalarType};
use super::nest::{Nest, is_name, operation};
use super::scope::{Checked, Enclosing, Name, check_name};
use super::steps::Body;
use super::track::{Change, ITERATOR, Tracked};
use super::types::CType;
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};

/// When a loop looks at its condition. A `do` loop is two under opposite conditions, which tell whether it holds behind
/// the first iteration.
#[derive(Clone, Copy, PartialEq)]
pub enum Runs {
    /// Before every iteration.
    While,
    /// Behind every iteration, and it holds behind the first.
    Again,
    /// Behind the only iteration.
    Once,
}

/// A loop's head as written.
pub struct Head<'f> {
    /// The user's iterator, and the kernel's.
    pub name: String,
    pub iterator: String,
    pub ty: ScalarType,
    pub step: i64,
    pub first: &'f Node<Expression>,
    pub condition: &'f Node<Expression>,
    /// The kernel's iterator where the loop begins: the largest of these.
    pub lower: Vec<Affine>,
    /// How many iterations are over when the condition is evaluated first.
    pub over: i64,
    /// The head counts, and not a [`super::rounds`] that the text has no counter for.
    pub counts: bool,
    /// The last iteration is asked for.
    pub is_exact: bool,
}

/// What the loop's condition comes to.
#[derive(Default)]
pub struct Bounds {
    pub upper: Vec<Affine>,
    /// Hold for all iterations or for none.
    pub outside: Vec<Condition>,
    /// Hold for the first iterations, and then no more.
    pub inside: Vec<Condition>,
    /// All of them: at least 0 in an iteration.
    rooms: Vec<Affine>,
}

/// When a loop's body runs.
pub struct Limits {
    pub bounds: Bounds,
    /// That the iteration is on the loop's stride.
    pub guard: Option<Condition>,
    /// All that holds in an iteration.
    pub iterations: Vec<Condition>,
    /// Of a loop that looks at its condition behind every iteration: it would hold before the first, too, and so the loop is one that looks
    /// at it before.
    pub is_sure: bool,
}

/// `i = L` in a loop's head.
pub struct Start<'f> {
    pub name: String,
    pub ty: ScalarType,
    pub first: &'f Node<Expression>,
    pub place: Span,
}

/// How the kernel counts a loop's iterations.
struct Counted {
    iterator: String,
    /// The user's iterator.
    value: Affine,
    /// The kernel's where the loop begins: the largest of these.
    lower: Vec<Affine>,
}

/// A condition that changes the iterator: `i-- > 0`.
struct Changing {
    /// `i > 0`
    condition: Node<Expression>,
    step: i64,
    /// What the comparison sees of the step: nothing of it in `i--`, all in `--i`.
    tested: i64,
}

impl Changing {
    /// Reads the condition of a loop without another step.
    fn of(condition: &Node<Expression>, iterator: &str, alone: bool) -> Option<Self> {
        let change = |node: &Node<Expression>| match &node.node {
            Expression::UnaryOperator(unary) if is_name(&unary.node.operand, iterator) => {
                let (step, tested) = match unary.node.operator.node {
                    UnaryOperator::PostIncrement => (1, 0),
                    UnaryOperator::PostDecrement => (-1, 0),
                    UnaryOperator::PreIncrement => (1, 1),
                    UnaryOperator::PreDecrement => (-1, -1),
                    _ => return None,
                };
                Some(((*unary.node.operand).clone(), step, tested))
            }
            _ => None,
        };
        if !alone {
            return None;
        }
        if let Some((condition, step, tested)) = change(condition) {
            return Some(Changing { condition, step, tested });
        }
        let Expression::BinaryOperator(comparison) = &condition.node else { return None };
        let (value, step, tested) = change(&comparison.node.lhs)?;
        let mut comparison = comparison.clone();
        *comparison.node.lhs = value;
        let condition = Node::new(Expression::BinaryOperator(comparison), condition.span);
        Some(Changing { condition, step, tested })
    }
}

/// The expressions that commas join.
pub fn steps(node: &Node<Expression>) -> Vec<&Node<Expression>> {
    match &node.node {
        Expression::Comma(parts) => parts.iter().collect(),
        _ => vec![node],
    }
}

/// Whether it changes the variable.
pub fn is_step(node: &Node<Expression>, name: &str) -> bool {
    match &node.node {
        Expression::UnaryOperator(unary) => is_name(&unary.node.operand, name),
        _ => operation(node).is_some_and(|(_, o)| is_name(&o.lhs, name)),
    }
}

/// Which of several variables counts the iterations: the first that the condition compares and the head changes.
fn primary(starts: &[Start], f: &ForStatement) -> usize {
    let compared = |start: &Start| f.condition.as_ref().is_some_and(|c| names_in(c).contains(&start.name));
    let steps = f.step.as_deref().map(steps).unwrap_or_default();
    let changed = |start: &Start| steps.iter().any(|step| is_step(step, &start.name));
    let found = starts.iter().position(|start| compared(start) && changed(start));
    found.or(starts.iter().position(compared)).unwrap_or(0)
}

/// A `for` of the source.
#[derive(Clone, Copy)]
pub struct For<'a> {
    pub node: &'a Node<ForStatement>,
    pub bytes: ByteSpan,
    pub runs: Runs,
}

impl For<'_> {
    /// Up to its body.
    pub fn head(self) -> ByteSpan {
        ByteSpan::span(self.bytes.start, self.node.node.statement.span.start)
    }
}

impl Nest<'_, '_> {
    /// Lowers a loop; one that does nothing is left out. Where it begins or ends at one of two values, and a condition
    /// outside of it tells which, it becomes two.
    pub fn for_loop(&mut self, written: For, nodes: &mut Vec<NestNode>) -> Checked<()> {
        if let Some(data) = self.data_loop(written)? {
            return self.loop_over_all(written, data, nodes);
        }
        if let Some(done) = self.unrolled(written, nodes) {
            return done;
        }
        self.scope.choice = None;
        let (known, mark) = (self.scope.obligations.len(), self.scope.enter());
        let (loops, exact, place) = (self.scope.loops.len(), self.scope.exact.len(), self.scope.go_into(None));
        let values = self.known();
        let before = (!self.is_plain_head(written)).then(|| (self.saved(), nodes.len()));
        let refused = match (self.whole_loop(written, nodes), before) {
            (Err(refused), _) if self.scope.choice.is_some() => refused,
            (Err(refused), Some(before)) if self.is_of_condition(&refused, written) => {
                return self.by_its_values(written, before, nodes).map_err(|_| refused);
            }
            (result, _) => return result,
        };
        self.scope.obligations.truncate(known);
        self.leave(mark);
        self.set_known(&values);
        self.scope.loops.truncate(loops);
        self.scope.exact.truncate(exact);
        self.scope.come_out(place);
        let span = self.span(written.head());
        let decided = self.scope.choice.clone().and_then(|choice| self.scope.condition_of(&choice, span));
        self.scope.obligations.truncate(known);
        if !decided.is_some_and(|condition| condition.affines().iter().all(|affine| self.is_outside(affine))) {
            return Err(refused);
        }
        self.chosen_statement(refused, span, nodes, |nest, nodes| nest.for_loop(written, nodes))
    }

    /// Whether a loop's condition is refused, and not what is in the loop.
    fn is_of_condition(&self, refused: &Diagnostic, written: For) -> bool {
        let f = &written.node.node;
        let (Some(condition), Some(at)) = (&f.condition, refused.span) else { return false };
        let (first, behind) = (self.span(condition.span), self.span(f.statement.span));
        let place = |span: Span| (span.line, span.column);
        place(first) <= place(at) && place(at) < place(behind)
    }

    /// Whether a loop's condition is made of comparisons with its counters alone on one side.
    fn is_plain_head(&self, written: For) -> bool {
        fn is_plain(node: &Node<Expression>, starts: &[Start]) -> bool {
            let is_counter = |node: &Node<Expression>| starts.iter().any(|start| is_name(node, &start.name));
            operation(node).is_some_and(|(operator, o)| match operator {
                BinaryOperator::LogicalAnd => is_plain(&o.lhs, starts) && is_plain(&o.rhs, starts),
                _ => is_counter(&o.lhs) || is_counter(&o.rhs),
            })
        }
        let f = &written.node.node;
        let starts = self.initializer(f, written.bytes).unwrap_or_default();
        starts.is_empty() || f.condition.as_deref().is_none_or(|condition| is_plain(condition, &starts))
    }

    /// Whether everything in it is known outside of the loop.
    fn is_outside(&self, affine: &Affine) -> bool {
        affine.terms.keys().all(|name| match self.scope.quotients.iter().find(|quotient| quotient.name == *name) {
            Some(quotient) => self.is_outside(&quotient.numerator),
            None => self.scope.is_size(name) || self.scope.loops.iter().any(|l| l.iterator == *name),
        })
    }

    /// The user's iterator is the kernel's.
    fn counted_as_written(
        &mut self,
        name: &str,
        place: Span,
        first: &Node<Expression>,
        start: &Extremum,
    ) -> Checked<Counted> {
        check_name(name, place)?;
        let lower = start.of_kind(Kind::Largest).cloned();
        let lower = lower.ok_or_else(|| self.wrong_kind(first, "begins", "largest"))?;
        Ok(Counted { iterator: name.to_string(), value: Affine::variable(name), lower })
    }

    /// A new iterator counts the iterations.
    fn counted_anew(
        &mut self,
        name: &str,
        step: i64,
        first: &Node<Expression>,
        start: &Extremum,
        span: Span,
    ) -> Checked<Counted> {
        let iterator = self.scope.fresh(&format!("{name}_step"));
        // Down from the smallest of several values: up from the largest of their opposites.
        let several = start.of_kind(Kind::Smallest).filter(|parts| parts.len() > 1).cloned();
        let (first_value, lower, step) = match (several, start.clone().affine()) {
            (Some(parts), _) => {
                let opposites = parts.into_iter().map(|part| times(part, -1)).collect();
                (Some(Affine::default()), opposites, -1)
            }
            (None, Some(start)) => (Some(start), Some(vec![Affine::default()]), step),
            (None, None) => return Err(self.wrong_kind(first, "begins", "smallest")),
        };
        let steps = times(Affine::variable(&iterator), step);
        let value = first_value.zip(steps).and_then(|(first, steps)| plus(first, steps, 1));
        match (value, lower) {
            (Some(value), Some(lower)) => Ok(Counted { iterator, value, lower }),
            _ => Err(Diagnostic::new(format!("the step of the loop over `{name}` is too large"))
                .at(span, "too large")
                .help("use smaller constants")),
        }
    }

    /// Reads the loop's condition, which is evaluated for the obligations from number `known` on; bounds of the loop that
    /// the scope is in.
    pub fn limits(&mut self, head: &Head, runs: Runs, stride: i64, known: usize, span: Span) -> Checked<Limits> {
        let mut bounds = Bounds::default();
        self.conditions(head.condition, head, &mut bounds)?;
        if bounds.upper.is_empty() {
            return Err(self.endless(head.condition, head));
        }
        let rooms = std::mem::take(&mut bounds.rooms);
        let holds = |at: &Affine| {
            let of = |name: &str| if name == head.iterator { at.clone() } else { Affine::variable(name) };
            rooms.iter().filter_map(|room| at_least_0(room.substitute(of))).collect::<Vec<_>>()
        };
        // What no iteration changes may end the loop behind its first.
        let is_sure = runs != Runs::While
            && !head.counts
            && bounds.outside.is_empty()
            && rooms.iter().all(|room| {
                let at = |name: &str| if name == head.iterator { Affine::default() } else { Affine::variable(name) };
                self.scope.non_negative(&room.substitute(at))
            });
        if runs != Runs::While && !is_sure {
            let [first] = &head.lower[..] else { return Err(self.wrong_kind(head.first, "begins", "smallest")) };
            let second = holds(&(first.clone() + Affine::constant(1)));
            let again = all(second.into_iter().chain(bounds.outside.iter().cloned()).collect());
            if runs == Runs::Once {
                let fails = negated(again);
                bounds = Bounds { upper: head.lower.clone(), outside: vec![fails], ..Bounds::default() };
            } else {
                bounds.outside.push(again);
            }
        }
        if let Some(enclosing) = self.scope.loops.last_mut() {
            enclosing.upper = bounds.upper.clone();
        }
        let guard = (stride > 1).then(|| self.on_stride(head, stride, span));
        // The condition is evaluated where the loop begins, unless that is behind its first iteration, and behind each.
        let this = Affine::variable(&head.iterator);
        let before = this.clone() - Affine::constant(stride);
        let since = |lower: &Affine, over: i64| this.clone() - lower.clone() - Affine::constant(over);
        let begun = |over: i64| -> Vec<_> {
            let lower = head.lower.iter().map(|lower| Condition::NonNegative(since(lower, over)));
            lower.chain(guard.clone()).collect()
        };
        let first = head.lower.iter().map(|lower| Condition::Zero(since(lower, head.over)));
        let again = Condition::All(holds(&before));
        let evaluated = Condition::All(
            begun(head.over).into_iter().chain([Condition::Any(first.chain([again]).collect())]).collect(),
        );
        self.scope.put_into_loop(known, &head.iterator, &evaluated);

        let own = match runs {
            Runs::Once if !is_sure => head.lower.iter().map(|lower| Condition::Zero(since(lower, 0))).collect(),
            _ => holds(&this),
        };
        let iterations = begun(0).into_iter().chain(bounds.outside.iter().cloned()).chain(own).collect();
        Ok(Limits { bounds, guard, iterations, is_sure })
    }

    /// Requires of the loop's iterators, of which `value` is the first, that they stay within their types.
    fn steps_stay<'s>(
        &mut self,
        head: &Head,
        value: &Affine,
        others: impl Iterator<Item = (&'s Start<'s>, &'s (Affine, i64))>,
        span: Span,
    ) {
        let shown =
            |name: &str, step: i64| format!("{name} {} {}", if step > 0 { '+' } else { '-' }, step.unsigned_abs());
        let next = value.clone() + Affine::constant(head.step);
        self.scope.require_next(&next, head.ty, shown(&head.name, head.step), span);
        for (start, (value, step)) in others {
            self.scope.require(value, start.ty, Broken::Wraps(start.ty), span);
            let next = value.clone() + Affine::constant(*step);
            self.scope.require_next(&next, start.ty, shown(&start.name, *step), span);
        }
    }

    fn whole_loop(&mut self, written: For, nodes: &mut Vec<NestNode>) -> Checked<()> {
        let For { node, bytes, runs } = written;
        let f = &node.node;
        if self.scope.behind && matches!(f.initializer.node, ForInitializer::Empty) {
            return self.uncounted_loop(written, nodes);
        }
        let mut starts = self.initializer(f, bytes)?;
        let span = self.span(written.head());
        for start in &starts {
            self.shadow_iterator(&start.name, start.place)?;
        }
        let Some(condition) = &f.condition else { return Err(endless(&starts[0].name, span)) };
        let counting = primary(&starts, f);
        let changing = Changing::of(condition, &starts[counting].name, f.step.is_none());
        self.require_own_steps(f, &starts, changing.is_some())?;
        let Start { name, ty, first, place } = starts.remove(counting);
        let step = match &changing {
            Some(changing) => changing.step,
            None => self.whole_step(f, &name, ty, span)?,
        };
        let (condition, tested, shift) = match &changing {
            Some(changing) => (&changing.condition, changing.tested, changing.step),
            None => (&**condition, 0, 0),
        };
        let start = self.scope.bounds_as(first, Role::Bound, ty)?;
        // A loop with a wider step from the largest of several values takes every value, under a guard.
        let stride = if start.parts.len() > 1 { step.abs() } else { 1 };
        let own = step == 1 && shift == 0 || step > 1 && stride > 1;
        let Counted { iterator, value, lower } = match own {
            true => self.counted_as_written(&name, place, first, &start)?,
            false => self.counted_anew(&name, step, first, &start, span)?,
        };
        if !own {
            self.sources.insert(iterator.clone(), (name.clone(), value.clone() + Affine::constant(shift)));
        }

        let behind = match f.initializer.node {
            ForInitializer::Expression(_) => self.left_in(&name, step, &start, shift),
            _ => None,
        };
        let changes = self.changes(f, true, span)?;
        let mark = self.scope.enter();
        // How many iterations are over, where one value tells it.
        let count = match (iterator == name, &lower[..]) {
            (true, [lower]) if step == 1 => Some(value.clone() - lower.clone()),
            (false, [lower]) if *lower == Affine::default() => Some(Affine::variable(&iterator)),
            _ => None,
        };
        let mut others = vec![];
        let also_behind = self.companions_left(f, &starts, count.as_ref(), &mut others, span)?;
        self.scope.declare(&name, Name::Iterator(value.clone() + Affine::constant(tested), ty));
        let own_ty = (iterator == name).then_some(ty);
        let is_unsigned = own_ty.is_some_and(|ty| !ty.signed);
        let (upper, known) = (vec![], self.scope.obligations.len());
        self.scope.loops.push(Enclosing {
            iterator: iterator.clone(),
            ty: own_ty,
            is_unsigned,
            lower: lower.clone(),
            upper,
        });
        self.scope.exact.push((value.clone(), ty));
        for (start, (value, _)) in starts.iter().zip(&others) {
            self.scope.declare(&start.name, Name::Iterator(value.clone(), start.ty));
        }
        let over = i64::from(runs != Runs::While);
        let head =
            Head { name, iterator, ty, step, first, condition, lower, over, counts: true, is_exact: behind.is_some() };
        let Limits { bounds, guard, iterations, .. } = self.limits(&head, runs, stride, known, span)?;
        let place = self.scope.go_into_loop(Some(head.iterator.clone()), iterations);
        // What is refused in the body is no matter of the head.
        self.scope.choice = None;
        self.steps_stay(&head, &value, starts.iter().zip(&others), span);
        if let Some(place) = self.scope.local_index(&head.name) {
            self.scope.assign_local(place, Name::Iterator(value + Affine::constant(shift), ty));
        }
        if changing.is_none() && self.step(f, &head.name, span)? != step {
            self.track_iterator(f, &head.name, ty);
        }
        starts.iter().for_each(|start| self.track_iterator(f, &start.name, start.ty));
        self.begin_changes(&changes, count.as_ref(), span);
        let mut body = Vec::new();
        self.statement(&f.statement, &mut body)?;
        self.scope.come_out(place);
        self.scope.exact.pop();
        self.scope.loops.pop();
        self.leave(mark);
        let counts = if guard.is_none() { counts(&head, &bounds, runs) } else { vec![] };
        let is_plain = counts.len() == 1 && runs == Runs::While;
        self.end_changes(&changes, if is_plain { &counts } else { &[] }, span);
        self.end_changes(behind.as_slice(), &counts, span);
        self.end_changes(&also_behind, if is_plain { &counts } else { &[] }, span);

        let body = guarded(bounds.inside.into_iter().chain(guard).collect(), body, span);
        if body.is_empty() {
            return Ok(());
        }
        let Head { lower, .. } = head;
        // There are as many iterations as the user's type has values.
        let ty = own_ty.unwrap_or(ScalarType { signed: true, ..promoted(ty) });
        let lowered = Loop { iterator: head.iterator, ty, lower, upper: bounds.upper, body, span };
        nodes.extend(guarded(bounds.outside, vec![NestNode::Loop(lowered)], span));
        Ok(())
    }

    /// Whether the kernel's iterator is a multiple of `stride` away from where the loop begins.
    fn on_stride(&mut self, head: &Head, stride: i64, span: Span) -> Condition {
        let begins = |at: &Affine| {
            let others = head.lower.iter().filter(|other| *other != at);
            others.map(|other| Condition::NonNegative(at.clone() - other.clone())).collect::<Vec<_>>()
        };
        let mut cases = vec![];
        for at in &head.lower {
            let distance = Affine::variable(&head.iterator) - at.clone();
            let steps = self.scope.quotient(distance.clone(), stride, false, span);
            cases.push(all(begins(at).into_iter().chain([Condition::Zero(distance - steps * stride)]).collect()));
        }
        any(cases)
    }

    pub fn shadow_iterator(&self, name: &str, span: Span) -> Checked<()> {
        match self.scope.lookup(name) {
            Some(Name::Iterator(..)) => Err(Diagnostic::new(format!("two nested loops count with `{name}`"))
                .at(span, "already counts an enclosing loop")
                .help("give each loop an iterator of its own")),
            _ => self.shadow(name, span),
        }
    }

    /// The head changes nothing but the variables that it begins, each once: nobody looks for more. One that steps none of them is
    /// refused for that, unless its condition does.
    fn require_own_steps(&self, f: &ForStatement, starts: &[Start], counts: bool) -> Checked<()> {
        let mut known: Vec<&str> = vec![];
        let is_own = |step: &Node<Expression>| starts.iter().any(|start| is_step(step, &start.name));
        let all = f.step.as_deref().map(steps).unwrap_or_default();
        if !counts && !all.iter().any(|step| is_own(step)) {
            return Ok(());
        }
        for step in all {
            let own = starts.iter().map(|start| start.name.as_str()).find(|name| is_step(step, name));
            match own.filter(|name| !known.contains(name)) {
                Some(name) => known.push(name),
                None => {
                    let message = match own {
                        Some(name) => format!("the loop's head changes `{name}` twice"),
                        None => "the loop's head changes what it does not begin".to_string(),
                    };
                    return Err(Diagnostic::new(message)
                        .at(self.span(step.span), "not the step of a variable that the head begins")
                        .help("write it as a statement at the end of the loop's body"));
                }
            }
        }
        Ok(())
    }

    /// What `start`, which does not count the iterations, is in iteration `count`, and its step.
    fn companion(
        &mut self,
        f: &ForStatement,
        start: &Start,
        count: Option<&Affine>,
        span: Span,
    ) -> Checked<(Affine, i64)> {
        let name = &start.name;
        let step = match f.step.as_deref().is_some_and(|step| steps(step).iter().any(|step| is_step(step, name))) {
            true => self.step(f, name, span)?,
            false => 0,
        };
        let step = step + self.step_in_body(f, name, start.ty).unwrap_or_default();
        let first = self.scope.bounds_as(start.first, Role::Bound, start.ty)?.affine();
        let value = match (first, step, count) {
            (Some(first), 0, _) => Some(first),
            (Some(first), _, Some(count)) => times(count.clone(), step).and_then(|steps| plus(first, steps, 1)),
            _ => None,
        };
        let value = value.ok_or_else(|| {
            Diagnostic::new(format!("the value of `{name}` in an iteration is not affine"))
                .at(start.place, "a second iterator")
                .help("write it as a sum of the loop's iterator and sizes with constant factors where it is used")
        })?;
        Ok((value, step))
    }

    /// The companions of a loop's counter, and what it leaves in those that the block around it declares.
    fn companions_left(
        &mut self,
        f: &ForStatement,
        starts: &[Start],
        count: Option<&Affine>,
        companions: &mut Vec<(Affine, i64)>,
        span: Span,
    ) -> Checked<Vec<Change>> {
        let mut left = vec![];
        for start in starts {
            let companion = self.companion(f, start, count, span)?;
            let first = self.scope.trial(|scope| scope.bounds_as(start.first, Role::Bound, start.ty)).0.ok();
            if let (ForInitializer::Expression(_), Some(first)) = (&f.initializer.node, first) {
                left.extend(self.left_in(&start.name, companion.1, &first, 0));
            }
            companions.push(companion);
        }
        Ok(left)
    }

    /// `int i = L` or `i = L`, and `i = 0, j = n`.
    pub fn initializer<'f>(&self, f: &'f ForStatement, bytes: ByteSpan) -> Checked<Vec<Start<'f>>> {
        let refuse = |span: Span, message: &str, label: &str| {
            Err(Diagnostic::new(message).at(span, label).help("begin the loop as in `for (int i = 0; i < N; i++)`"))
        };
        let span = self.span(f.initializer.span);
        match &f.initializer.node {
            ForInitializer::Declaration(declaration) => {
                let mut starts = vec![];
                for declarator in &declaration.node.declarators {
                    let name = identifier(&declarator.node.declarator.node);
                    let value = match &declarator.node.initializer {
                        Some(initializer) => match &initializer.node {
                            Initializer::Expression(value) => Some(&**value),
                            Initializer::List(_) => None,
                        },
                        None => None,
                    };
                    let (Some(name), Some(value), true) =
                        (name, value, declarator.node.declarator.node.derived.is_empty())
                    else {
                        return refuse(span, "the loop's iterator has no integer start", "start expected");
                    };
                    let ty = self.scope.types.of_declaration(&declaration.node.specifiers);
                    let Some(integer) = ty.integer() else {
                        return refuse(
                            span,
                            &format!("the iterator has {ty}: integers only for now"),
                            "not an integer",
                        );
                    };
                    let place = self.span(name.span);
                    starts.push(Start { name: name.node.name.clone(), ty: integer, first: value, place });
                }
                Ok(starts)
            }
            ForInitializer::Expression(expression) => {
                let mut starts = vec![];
                for expression in steps(expression) {
                    let Some((BinaryOperator::Assign, operation)) = operation(expression) else {
                        return refuse(span, "the loop does not begin by setting its iterator", "`i = …` expected");
                    };
                    let Expression::Identifier(name) = &operation.lhs.node else {
                        return refuse(self.span(operation.lhs.span), "the iterator is no variable", "not a variable");
                    };
                    let place = self.span(operation.lhs.span);
                    let name = &name.node.name;
                    let ty = match self.scope.lookup(name) {
                        Some(Name::Counter(ty) | Name::Iterator(_, ty)) => Some(ty),
                        _ => self.tracked_integer(name),
                    };
                    let Some(ty) = ty else { return Err(self.assigned(name, place)) };
                    starts.push(Start { name: name.clone(), ty, first: &operation.rhs, place });
                }
                Ok(starts)
            }
            ForInitializer::Empty | ForInitializer::StaticAssert(_) => {
                let head = self.span(ByteSpan::span(bytes.start, f.statement.span.start));
                refuse(head, "the loop does not set its iterator", "no start")
            }
        }
    }

    /// What an iteration adds to the iterator, in the head and in the body. What goes back in the body is not followed, and refused.
    fn whole_step(&mut self, f: &ForStatement, iterator: &str, ty: ScalarType, head: Span) -> Checked<i64> {
        let step = self.step(f, iterator, head)?;
        let more = self.step_in_body(f, iterator, ty).filter(|more| more.signum() == step.signum());
        let whole = more.map_or(Some(step), |more| step.checked_add(more));
        whole.ok_or_else(|| {
            Diagnostic::new(format!("the step of the loop over `{iterator}` is too large"))
                .at(head, "too large")
                .help("use smaller constants")
        })
    }

    /// The constant that the loop's body adds to a variable of its head; `None` where it changes nothing, or by no constant.
    fn step_in_body(&mut self, f: &ForStatement, name: &str, ty: ScalarType) -> Option<i64> {
        // The value that it has outside is another variable's.
        let mark = self.scope.enter();
        self.scope.declare(name, Name::Counter(ty));
        let body = Body::of(name, &f.statement);
        let step = self.step_of(&body, &f.statement).filter(|step| *step != 0 && !body.hides());
        self.scope.leave(mark);
        step
    }

    /// Follows a variable of the head through the loop's body, where that adds a constant to it.
    fn track_iterator(&mut self, f: &ForStatement, name: &str, ty: ScalarType) {
        if self.step_in_body(f, name, ty).is_some()
            && let Some(place) = self.scope.local_index(name)
        {
            self.tracked.push(Tracked { name: name.to_string(), ty: CType::Int(ty), place, declared: ITERATOR });
        }
    }

    /// The constant that `i++`, `i -= 2` and the like add, which is not 0.
    pub fn step(&mut self, f: &ForStatement, iterator: &str, head: Span) -> Checked<i64> {
        let steps = f.step.as_deref().map(steps).unwrap_or_default();
        let Some(step) = steps.iter().copied().find(|step| is_step(step, iterator)).or(steps.first().copied()) else {
            return Err(Diagnostic::new(format!("the loop over `{iterator}` has no step"))
                .at(head, "no step")
                .help(format!("end the loop's head with `{iterator}++`")));
        };
        let mut constant = |node: &Node<Expression>, sign: i64| {
            self.scope.constant(node).ok().and_then(|value| value.checked_mul(sign))
        };
        let amount = match &step.node {
            Expression::UnaryOperator(unary) if is_name(&unary.node.operand, iterator) => {
                match unary.node.operator.node {
                    UnaryOperator::PostIncrement | UnaryOperator::PreIncrement => Some(1),
                    UnaryOperator::PostDecrement | UnaryOperator::PreDecrement => Some(-1),
                    _ => None,
                }
            }
            _ => match operation(step) {
                Some((BinaryOperator::AssignPlus, o)) if is_name(&o.lhs, iterator) => constant(&o.rhs, 1),
                Some((BinaryOperator::AssignMinus, o)) if is_name(&o.lhs, iterator) => constant(&o.rhs, -1),
                Some((BinaryOperator::Assign, o)) if is_name(&o.lhs, iterator) => match operation(&o.rhs) {
                    Some((BinaryOperator::Plus, sum)) if is_name(&sum.lhs, iterator) => constant(&sum.rhs, 1),
                    Some((BinaryOperator::Plus, sum)) if is_name(&sum.rhs, iterator) => constant(&sum.lhs, 1),
                    Some((BinaryOperator::Minus, sum)) if is_name(&sum.lhs, iterator) => constant(&sum.rhs, -1),
                    _ => None,
                },
                _ => None,
            },
        };
        amount.filter(|amount| *amount != 0).ok_or_else(|| {
            let (message, label) = match is_step(step, iterator) {
                true => (format!("the step of the loop over `{iterator}` adds no constant"), "not a constant, or 0"),
                false => (format!("this is no step of the loop over `{iterator}`"), "constant step expected"),
            };
            Diagnostic::new(message).at(self.span(step.span), label).help(format!(
                "add a constant, as in `{iterator} += 4`, and use products where values lie further apart, as in `a[4 * {iterator}]`; \
                 `{iterator} *= 2` and the like are taken where `{iterator}` begins with a constant"
            ))
        })
    }

    /// Comparisons of the iterator with affine bounds, joined by `&&`.
    fn conditions(&mut self, node: &Node<Expression>, head: &Head, bounds: &mut Bounds) -> Checked<()> {
        let Some((operator, o)) = operation(node) else {
            return self.until_zero(node, head, bounds);
        };
        match operator {
            BinaryOperator::LogicalAnd => {
                self.conditions(&o.lhs, head, bounds)?;
                let holds = bounds.rooms.iter().cloned().map(Condition::NonNegative).collect();
                let mark = self.scope.go_into_loop(None, holds);
                let rest = self.conditions(&o.rhs, head, bounds);
                self.scope.come_out(mark);
                return rest;
            }
            // Of every value, the guard says whether the step meets it.
            BinaryOperator::NotEquals if head.step.abs() != 1 && head.iterator == head.name => {
                return Err(self.passes(node, head));
            }
            BinaryOperator::Less
            | BinaryOperator::LessOrEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterOrEqual
            | BinaryOperator::NotEquals => {}
            BinaryOperator::Plus | BinaryOperator::Minus => return self.until_zero(node, head, bounds),
            _ => return self.truth(node, head, bounds),
        }
        let span = self.span(node.span);
        let sides = self.scope.compared_bounds([&o.lhs, &o.rhs], Role::Bound, span)?;
        if operator == BinaryOperator::NotEquals
            && ![&sides.0, &sides.1].into_iter().any(|side| self.counts_in(side, head))
        {
            return self.truth(node, head, bounds);
        }
        self.compare(node, operator, sides, head, bounds)
    }

    /// A condition that is no comparison: its value is not 0.
    fn until_zero(&mut self, node: &Node<Expression>, head: &Head, bounds: &mut Bounds) -> Checked<()> {
        let is_guarded = head.step.abs() != 1 && head.iterator == head.name;
        let expr = self.scope.expression(node)?;
        let value = match is_guarded || is_truth(&expr) {
            true => None,
            false => self.scope.bounds(node, Role::Bound)?.affine(),
        };
        match value {
            Some(value) if value.coefficient(&head.iterator) != 0 => {
                let sides = (Extremum::single(value), Extremum::single(Affine::default()));
                self.compare(node, BinaryOperator::NotEquals, sides, head, bounds)
            }
            _ => self.truth(node, head, bounds),
        }
    }

    /// Any other condition that iterators and sizes decide: where it does not name the iterator, it holds for all iterations or none.
    fn truth(&mut self, node: &Node<Expression>, head: &Head, bounds: &mut Bounds) -> Checked<()> {
        let expr = self.scope.expression(node)?;
        let expr = self.scope.settled(expr);
        let Some(condition) = self.scope.condition_of(&expr, self.span(node.span)) else {
            return Err(self.unusable(node, head, "ends on a condition that is no comparison"));
        };
        let parts = match condition {
            Condition::All(parts) => parts,
            other => vec![other],
        };
        for part in parts {
            let names = |affine: &&Affine| {
                affine.terms.keys().any(|name| *name == head.iterator || self.depends(name, &head.iterator))
            };
            let is_counted = part.affines().iter().any(names);
            let single = |value: Affine| Extremum::single(value);
            match part {
                _ if !is_counted => bounds.outside.push(part),
                Condition::NonNegative(room) => {
                    let sides = (single(Affine::constant(-1)), single(room));
                    self.compare(node, BinaryOperator::Less, sides, head, bounds)?;
                }
                Condition::Not(inner) if head.step.abs() == 1 || head.iterator != head.name => match *inner {
                    Condition::Zero(value) if value.coefficient(&head.iterator) != 0 => {
                        let sides = (single(value), single(Affine::default()));
                        self.compare(node, BinaryOperator::NotEquals, sides, head, bounds)?;
                    }
                    _ => return Err(self.unusable(node, head, "ends on a condition that is no comparison")),
                },
                _ => return Err(self.unusable(node, head, "ends on a condition that is no comparison")),
            }
        }
        Ok(())
    }

    /// The iterations in which `left operator right` holds.
    fn compare(
        &mut self,
        node: &Node<Expression>,
        operator: BinaryOperator,
        (left, right): (Extremum, Extremum),
        head: &Head,
        bounds: &mut Bounds,
    ) -> Checked<()> {
        let (name, span) = (&head.name, self.span(node.span));
        let (smaller, larger, strict) = match operator {
            BinaryOperator::Less => (left, right, 1),
            BinaryOperator::LessOrEqual => (left, right, 0),
            BinaryOperator::Greater => (right, left, 1),
            BinaryOperator::GreaterOrEqual => (right, left, 0),
            // A step meets the bound from its own side.
            _ => {
                let moves = |side: &Extremum, sign| side.parts.iter().any(|p| p.coefficient(&head.iterator) * sign > 0);
                if moves(&left, 1) || moves(&right, -1) { (left, right, 1) } else { (right, left, 1) }
            }
        };
        let (Some(smaller), Some(larger)) = (smaller.of_kind(Kind::Largest), larger.of_kind(Kind::Smallest)) else {
            return Err(self.wrong_kind(node, "ends", "smallest"));
        };
        if !head.ty.signed && strict == 0 && smaller.iter().all(|part| part.is_constant() && part.constant <= 0) {
            let mut refused = self.unusable(node, head, "never ends, for its iterator is never negative");
            refused.help = format!("give `{name}` a type with a sign");
            return Err(refused);
        }
        for (x, y) in smaller.iter().flat_map(|x| larger.iter().map(move |y| (x, y))) {
            let room = plus(y.clone(), x.clone() + Affine::constant(strict), -1);
            let Some(room) = room else {
                return Err(self.unusable(node, head, "has a number in its bound that is too large"));
            };
            let room = match operator {
                BinaryOperator::NotEquals => self.meets(room, head, span),
                _ => room,
            };
            bounds.rooms.push(room.clone());
            self.bound(room, node, head, bounds)?;
        }
        Ok(())
    }

    /// Demands that the values of the iterator meet a bound that it is compared with by `!=`; `room` is one less than how far it is away.
    /// What there is room for in steps.
    fn meets(&mut self, room: Affine, head: &Head, span: Span) -> Affine {
        let away = room.clone() + Affine::constant(1);
        // From beyond the bound, the iterator never meets it.
        for lower in &head.lower {
            let at = lower.clone() + Affine::constant(head.over);
            let of = |name: &str| if *name == *head.iterator { at.clone() } else { Affine::variable(name) };
            let distance = away.substitute(of);
            if !self.scope.non_negative(&distance) {
                self.scope.oblige(distance, (0, i64::MAX), Broken::Passes, span);
            }
        }
        let by = room.coefficient(&head.iterator).abs();
        if by <= 1 {
            return room;
        }
        if let Some(steps) = divided(&away, by) {
            return steps - Affine::constant(1);
        }
        let rest = away.clone() - Affine::variable(&head.iterator) * away.coefficient(&head.iterator);
        let steps = self.scope.quotient(rest.clone(), by, false, span);
        self.scope.oblige(rest - steps * by, (0, 0), Broken::Misses, span);
        room
    }

    /// Adds the condition that `room` is not negative.
    fn bound(&mut self, room: Affine, node: &Node<Expression>, head: &Head, bounds: &mut Bounds) -> Checked<()> {
        let iterator = &head.iterator;
        let c = room.coefficient(iterator);
        if c == 0 {
            if room.is_constant() && room.constant >= 0 {
                return Err(self.endless(node, head));
            }
            bounds.outside.push(Condition::NonNegative(room));
            return Ok(());
        }
        if c > 0 || room.terms.keys().any(|name| self.depends(name, iterator)) {
            return Err(self.endless(node, head));
        }
        let rest = room.clone() + Affine::variable(iterator) * -c;
        if c == -1 {
            bounds.upper.push(rest);
        } else if rest.is_constant() {
            bounds.upper.push(Affine::constant(rest.constant.div_euclid(-c)));
        } else {
            // i <= rest / |c| implies i <= rest where i cannot be negative.
            let lower = self.scope.loops.last().map(|l| l.lower.clone()).unwrap_or_default();
            if head.is_exact || !lower.iter().any(|bound| self.scope.non_negative(bound)) {
                let last = self.scope.quotient(rest, -c, false, self.span(node.span));
                bounds.upper.push(last);
                return Ok(());
            }
            bounds.upper.push(rest);
            bounds.inside.push(Condition::NonNegative(room));
        }
        Ok(())
    }

    /// Whether `name` is a quotient of something that depends on `iterator`.
    fn depends(&self, name: &str, iterator: &str) -> bool {
        let quotient = self.scope.quotients.iter().find(|quotient| quotient.name == name);
        quotient.is_some_and(|q| q.numerator.terms.keys().any(|n| n == iterator || self.depends(n, iterator)))
    }

    /// Whether a side of a comparison depends on the loop's iterator.
    fn counts_in(&self, side: &Extremum, head: &Head) -> bool {
        let mut names = side.parts.iter().flat_map(|part| part.terms.keys());
        names.any(|name| *name == head.iterator || self.depends(name, &head.iterator))
    }

    /// A condition that nothing may ever meet.
    fn passes(&self, node: &Node<Expression>, head: &Head) -> Diagnostic {
        let mut refused = self.unusable(node, head, "ends on `!=`, which its step may pass over");
        refused.help = format!("compare with `<` or `>`, as in `{} < N`", head.name);
        refused
    }

    fn unusable(&self, node: &Node<Expression>, head: &Head, what: &str) -> Diagnostic {
        let name = &head.name;
        Diagnostic::new(format!("the loop over `{name}` {what}"))
            .at(self.span(node.span), "this condition")
            .help(format!("compare the iterator with an affine bound: `{name} < N` or `{name} <= N`"))
    }

    fn endless(&self, node: &Node<Expression>, head: &Head) -> Diagnostic {
        let Head { name, step, .. } = head;
        let (bound, example) = if *step > 0 { ("upper", "<") } else { ("lower", ">") };
        let mut refused = self.unusable(node, head, &format!("has no {bound} bound"));
        refused.help = format!("it changes by {step} in every iteration: compare as in `{name} {example} N`");
        refused
    }

    /// A minimum where the loop needs a maximum, or the other way round.
    fn wrong_kind(&mut self, node: &Node<Expression>, does: &str, wanted: &str) -> Diagnostic {
        match does {
            "ends" => self.scope.offer_of_sides(node),
            _ => self.scope.offer(node),
        }
        let given = if wanted == "smallest" { "largest" } else { "smallest" };
        Diagnostic::new(format!("this loop {does} at the {given} of several values"))
            .at(self.span(node.span), format!("the {given}"))
            .help(format!(
                "a loop that counts up begins at the largest and ends at the smallest of several values; \
                 for the {given}, split the loop in two"
            ))
    }
}

/// The quotient, where all parts of the value are multiples.
fn divided(value: &Affine, by: i64) -> Option<Affine> {
    let is_multiple = value.terms.values().chain([&value.constant]).all(|part| part % by == 0);
    let terms = value.terms.iter().map(|(name, part)| (name.clone(), part / by)).collect();
    is_multiple.then(|| Affine { terms, constant: value.constant / by })
}

fn endless(name: &str, span: Span) -> Diagnostic {
    Diagnostic::new(format!("the loop over `{name}` has no end"))
        .at(span, "no condition")
        .help(format!("give an affine bound, as in `{name} < N`"))
}

/// The numbers of iterations of which a loop has the smallest, none where they are not known.
fn counts(head: &Head, bounds: &Bounds, runs: Runs) -> Vec<Affine> {
    match (&head.lower[..], runs) {
        (_, Runs::Once) => vec![Affine::constant(1)],
        // Of a loop that looks behind its iterations, this is where it has several.
        ([first], _) if bounds.inside.is_empty() && (runs == Runs::Again || bounds.outside.is_empty()) => {
            bounds.upper.iter().map(|last| last.clone() - first.clone() + Affine::constant(1)).collect()
        }
        _ => vec![],
    }
}

/// `nodes` under `conditions`.
pub fn guarded(conditions: Vec<Condition>, nodes: Vec<NestNode>, span: Span) -> Vec<NestNode> {
    match all(conditions) {
        _ if nodes.is_empty() => nodes,
        Condition::All(none) if none.is_empty() => nodes,
        Condition::Any(none) if none.is_empty() => vec![],
        condition => vec![NestNode::If(If { condition, body: nodes, span })],
    }
}
