//! Heads of `for` loops. A loop that counts up by 1 stays what it is; any other becomes a loop over a new iterator
//! that counts its iterations from 0, and the user's iterator an affine expression of that. Down from the smallest of
//! several values, the new iterator is the negative of the user's.

use lang_c::ast::{BinaryOperator, Expression, ForInitializer, ForStatement, Initializer, UnaryOperator};
use lang_c::span::{Node, Span as ByteSpan};

use super::affine_expression::{Role, plus, times};
use super::expression::promoted;
use super::extremum::{Extremum, Kind, all, any};
use super::function::identifier;
use super::kernel::{Broken, Condition, If, Loop, Node as NestNode, ScalarType};
use super::nest::{Nest, is_name, operation};
use super::scope::{Checked, Enclosing, Name, check_name};
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};

/// A loop's head as written.
struct Head<'f> {
    /// The user's iterator, and the kernel's.
    name: String,
    iterator: String,
    ty: ScalarType,
    step: i64,
    condition: &'f Node<Expression>,
    /// The kernel's iterator where the loop begins: the largest of these.
    lower: Vec<Affine>,
}

/// What the loop's condition comes to.
#[derive(Default)]
struct Bounds {
    upper: Vec<Affine>,
    /// Hold for all iterations or for none.
    outside: Vec<Condition>,
    /// Hold for the first iterations, and then no more.
    inside: Vec<Condition>,
    /// All of them: at least 0 in an iteration.
    rooms: Vec<Affine>,
}

impl Nest<'_, '_> {
    /// Lowers a loop; one that does nothing is left out.
    pub fn for_loop(&mut self, node: &Node<ForStatement>, bytes: ByteSpan, nodes: &mut Vec<NestNode>) -> Checked<()> {
        let f = &node.node;
        let (name, ty, first, place) = self.initializer(f, bytes)?;
        let span = self.span(ByteSpan::span(bytes.start, f.statement.span.start));
        self.shadow_iterator(&name, place)?;
        let step = self.step(f, &name, span)?;
        let Some(condition) = &f.condition else {
            return Err(Diagnostic::new(format!("the loop over `{name}` has no end"))
                .at(span, "no condition")
                .help(format!("give an affine bound, as in `{name} < N`")));
        };
        let start = self.scope.bounds_as(first, Role::Bound, ty)?;

        // A loop with a wider step from the largest of several values takes every value, under a guard.
        let stride = if start.parts.len() > 1 { step.abs() } else { 1 };
        let (iterator, value, lower) = if step == 1 || step > 1 && stride > 1 {
            check_name(&name, place)?;
            let lower = start.of_kind(Kind::Largest).cloned();
            (name.clone(), Affine::variable(&name), lower.ok_or_else(|| self.wrong_kind(first, "begins", "largest"))?)
        } else {
            let iterator = self.scope.fresh(&format!("{name}_step"));
            // Down from the smallest of several values: up from the largest of their opposites.
            let several = start.of_kind(Kind::Smallest).filter(|parts| parts.len() > 1).cloned();
            let (first_value, lower, step) = match (several, start.affine()) {
                (Some(parts), _) => {
                    let opposites = parts.into_iter().map(|part| times(part, -1)).collect();
                    (Some(Affine::default()), opposites, -1)
                }
                (None, Some(start)) => (Some(start), Some(vec![Affine::default()]), step),
                (None, None) => return Err(self.wrong_kind(first, "begins", "smallest")),
            };
            let steps = times(Affine::variable(&iterator), step);
            let value = first_value.zip(steps).and_then(|(first, steps)| plus(first, steps, 1));
            let (Some(value), Some(lower)) = (value, lower) else {
                return Err(Diagnostic::new(format!("the step of the loop over `{name}` is too large"))
                    .at(span, "too large")
                    .help("use smaller constants"));
            };
            self.sources.insert(iterator.clone(), (name.clone(), value.clone()));
            (iterator, value, lower)
        };

        let mark = self.scope.enter();
        self.scope.declare(&name, Name::Iterator(value.clone(), ty));
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
        let head = Head { name, iterator, ty, step, condition, lower };
        let mut bounds = Bounds::default();
        self.conditions(head.condition, &head, &mut bounds)?;
        if bounds.upper.is_empty() {
            return Err(self.endless(head.condition, &head));
        }
        if let Some(enclosing) = self.scope.loops.last_mut() {
            enclosing.upper = bounds.upper.clone();
        }
        let guard = (stride > 1).then(|| self.on_stride(&head, stride, span));
        // The condition is evaluated where the loop begins, and behind each iteration.
        let this = Affine::variable(&head.iterator);
        let before = this.clone() - Affine::constant(stride);
        let begun: Vec<_> = (head.lower.iter())
            .map(|lower| Condition::NonNegative(this.clone() - lower.clone()))
            .chain(guard.clone())
            .collect();
        let first = head.lower.iter().map(|lower| Condition::Zero(this.clone() - lower.clone()));
        let holds = |at: &Affine| {
            let of = |name: &str| if name == head.iterator { at.clone() } else { Affine::variable(name) };
            bounds.rooms.iter().map(|room| Condition::NonNegative(room.substitute(of))).collect::<Vec<_>>()
        };
        let again = Condition::All(holds(&before));
        let evaluated =
            Condition::All(begun.iter().cloned().chain([Condition::Any(first.chain([again]).collect())]).collect());
        self.scope.put_into_loop(known, &head.iterator, &evaluated);

        let iterations = begun.into_iter().chain(holds(&this)).collect();
        let place = self.scope.go_into_loop(Some(head.iterator.clone()), iterations);
        let next = value + Affine::constant(step);
        let shown = format!("{} {} {}", head.name, if step > 0 { '+' } else { '-' }, step.unsigned_abs());
        self.scope.require_next(&next, ty, shown, span);
        let mut body = Vec::new();
        self.statement(&f.statement, &mut body)?;
        self.scope.come_out(place);
        self.scope.exact.pop();
        self.scope.loops.pop();
        self.scope.leave(mark);

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

    fn shadow_iterator(&self, name: &str, span: Span) -> Checked<()> {
        match self.scope.lookup(name) {
            Some(Name::Iterator(..)) => Err(Diagnostic::new(format!("two nested loops count with `{name}`"))
                .at(span, "already counts an enclosing loop")
                .help("give each loop an iterator of its own")),
            _ => self.shadow(name, span),
        }
    }

    /// `int i = L` or `i = L`: name, type, L, and the place of the name.
    fn initializer<'f>(
        &self,
        f: &'f ForStatement,
        bytes: ByteSpan,
    ) -> Checked<(String, ScalarType, &'f Node<Expression>, Span)> {
        let refuse = |span: Span, message: &str, label: &str| {
            Err(Diagnostic::new(message).at(span, label).help("begin the loop as in `for (int i = 0; i < N; i++)`"))
        };
        let span = self.span(f.initializer.span);
        match &f.initializer.node {
            ForInitializer::Declaration(declaration) => {
                let [declarator] = &declaration.node.declarators[..] else {
                    return refuse(span, "the loop declares more than its iterator", "one iterator only");
                };
                let name = identifier(&declarator.node.declarator.node);
                let value = match &declarator.node.initializer {
                    Some(initializer) => match &initializer.node {
                        Initializer::Expression(value) => Some(&**value),
                        Initializer::List(_) => None,
                    },
                    None => None,
                };
                let (Some(name), Some(value), true) = (name, value, declarator.node.declarator.node.derived.is_empty())
                else {
                    return refuse(span, "the loop's iterator has no integer start", "start expected");
                };
                let ty = self.scope.types.of_declaration(&declaration.node.specifiers);
                match ty.integer() {
                    Some(integer) => Ok((name.node.name.clone(), integer, value, self.span(name.span))),
                    None => refuse(span, &format!("the iterator has {ty}: integers only for now"), "not an integer"),
                }
            }
            ForInitializer::Expression(expression) => {
                let Some((BinaryOperator::Assign, operation)) = operation(expression) else {
                    return refuse(span, "the loop does not begin by setting its iterator", "`i = …` expected");
                };
                let Expression::Identifier(name) = &operation.lhs.node else {
                    return refuse(self.span(operation.lhs.span), "the iterator is no variable", "not a variable");
                };
                let place = self.span(operation.lhs.span);
                let name = &name.node.name;
                match self.scope.lookup(name) {
                    Some(Name::Counter(ty) | Name::Iterator(_, ty)) => Ok((name.clone(), ty, &operation.rhs, place)),
                    _ => Err(self.assigned(name, place)),
                }
            }
            ForInitializer::Empty | ForInitializer::StaticAssert(_) => {
                let head = self.span(ByteSpan::span(bytes.start, f.statement.span.start));
                refuse(head, "the loop does not set its iterator", "no start")
            }
        }
    }

    /// The constant that `i++`, `i -= 2` and the like add, which is not 0.
    fn step(&mut self, f: &ForStatement, iterator: &str, head: Span) -> Checked<i64> {
        let Some(step) = &f.step else {
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
            Diagnostic::new(format!("this is no step of the loop over `{iterator}`"))
                .at(self.span(step.span), "constant step expected")
                .help(format!("end the loop's head with `{iterator}++`, or add another constant to `{iterator}`"))
        })
    }

    /// Comparisons of the iterator with affine bounds, joined by `&&`.
    fn conditions(&mut self, node: &Node<Expression>, head: &Head, bounds: &mut Bounds) -> Checked<()> {
        let name = &head.name;
        let Some((operator, o)) = operation(node) else {
            return Err(self.unusable(node, head, "ends on a condition that is no comparison"));
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
            BinaryOperator::NotEquals if head.step.abs() != 1 => {
                let mut refused = self.unusable(node, head, "ends on `!=`, which its step may pass over");
                refused.help = format!("compare with `<` or `>`, as in `{name} < N`");
                return Err(refused);
            }
            BinaryOperator::Less
            | BinaryOperator::LessOrEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterOrEqual
            | BinaryOperator::NotEquals => {}
            _ => return Err(self.unusable(node, head, "ends on a condition that is no comparison")),
        }
        let span = self.span(node.span);
        let (left, right) = self.scope.compared_bounds([&o.lhs, &o.rhs], Role::Bound, span)?;
        let (smaller, larger, strict) = match operator {
            BinaryOperator::Less => (left, right, 1),
            BinaryOperator::LessOrEqual => (left, right, 0),
            BinaryOperator::Greater => (right, left, 1),
            BinaryOperator::GreaterOrEqual => (right, left, 0),
            // A step of 1 meets the bound from its own side.
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
            if operator == BinaryOperator::NotEquals {
                // From beyond the bound, the iterator never meets it.
                for at in &head.lower {
                    let of = |name: &str| if *name == *head.iterator { at.clone() } else { Affine::variable(name) };
                    let distance = room.substitute(of) + Affine::constant(1);
                    if !self.scope.non_negative(&distance) {
                        self.scope.oblige(distance, (0, i64::MAX), Broken::Passes, span);
                    }
                }
            }
            bounds.rooms.push(room.clone());
            self.bound(room, node, head, bounds)?;
        }
        Ok(())
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
            if !lower.iter().any(|bound| self.scope.non_negative(bound)) {
                let mut refused = self.unusable(node, head, "multiplies the iterator in its condition");
                refused.help = format!("compare `{}` alone with an affine bound", head.name);
                return Err(refused);
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
    fn wrong_kind(&self, node: &Node<Expression>, does: &str, wanted: &str) -> Diagnostic {
        let given = if wanted == "smallest" { "largest" } else { "smallest" };
        Diagnostic::new(format!("this loop {does} at the {given} of several values"))
            .at(self.span(node.span), format!("the {given}"))
            .help(format!(
                "a loop that counts up begins at the largest and ends at the smallest of several values; \
                 for the {given}, split the loop in two"
            ))
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
