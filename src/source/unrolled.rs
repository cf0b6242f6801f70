//! Loops whose heads multiply or divide: `for (len = 32; len > 0; len /= 2)`, `for (step = 1; step < n; step <<= 1)`. No
//! affine expression has such values, but they are few. So the head is run here, as C runs it, and the body is read once
//! for each iteration, with a constant in place of what the head changes. Conditions that are not constant, as with a size
//! `n`, stay around the iteration that they allow and all that follow it.
//!
//! So it is with conditions that no affine expression decides, as in `for (i = 2; i * i < n; i++)`. Where only the counter's values decide
//! one, they are counted here: `for (i = 0; i * i < 1000; i++)` is `for (i = 0; i < 32; i++)`.

use lang_c::ast::{BinaryOperator, Expression, ForInitializer};
use lang_c::span::Node;

use super::canonical::names_in;
use super::counters::named;
use super::expression::{convert_to, truth};
use super::kernel::{Access, BinaryOp, Condition, Expr, Node as NestNode, ScalarType};
use super::known::changed;
use super::loops::{For, Runs, Start, guarded, is_step, steps};
use super::nest::{Nest, Saved, assignment, is_name, operation};
use super::plain::{binary, whole};
use super::scope::{Checked, Name, Scope};
use super::types::CType;
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};

/// The most iterations of such a loop.
const MOST: usize = 32;
/// The most iterations of a loop that are counted by its condition.
const COUNTED: i64 = 1 << 16;
/// The most statements that a kernel has with all of them.
const STATEMENTS: usize = 256;

/// Such a loop while its iterations are read.
struct Unrolled<'f> {
    written: For<'f>,
    condition: &'f Node<Expression>,
    /// What the head changes, in order: variables with the places where they are known, and the steps.
    variables: Vec<(String, CType, usize)>,
    steps: Vec<&'f Node<Expression>>,
    span: Span,
}

impl Unrolled<'_> {
    /// What its variables stand for, by their places.
    fn known(&self, scope: &Scope) -> Vec<(usize, Name)> {
        self.variables.iter().map(|(_, _, place)| (*place, scope.local_at(*place))).collect()
    }

    /// The same by their names.
    fn left(&self, scope: &Scope) -> Vec<(String, Name)> {
        self.variables.iter().map(|(name, _, place)| (name.clone(), scope.local_at(*place))).collect()
    }
}

impl<'a> Nest<'_, 'a> {
    /// Lowers a loop with a step that adds no constant, where constants tell all values of what its head changes; `None`
    /// for others.
    pub fn unrolled(&mut self, written: For, nodes: &mut Vec<NestNode>) -> Option<Checked<()>> {
        self.unrolled_if(written, nodes, |steps| steps.iter().any(|step| is_geometric(step)))
    }

    /// Lowers a loop whose condition is not affine, where its counter begins with a constant. `before` is how all was before the loop.
    pub fn by_its_values(
        &mut self,
        written: For,
        (before, length): (Saved<'a>, usize),
        nodes: &mut Vec<NestNode>,
    ) -> Checked<()> {
        self.restore(before.clone());
        nodes.truncate(length);
        if let Some(bound) = self.end_by_values(written) {
            let mut node = written.node.clone();
            node.node.condition = Some(Box::new(bound));
            let counted = self.for_loop(For { node: &node, ..written }, nodes);
            if counted.is_ok() {
                return Ok(());
            }
            self.restore(before);
            nodes.truncate(length);
        }
        let nothing = Err(Diagnostic::new("a loop whose values are not known"));
        self.unrolled_if(written, nodes, |_| true).unwrap_or(nothing)
    }

    /// What the counter of a loop stays below, or above, where no more than its values decide that.
    fn end_by_values(&mut self, written: For) -> Option<Node<Expression>> {
        let f = &written.node.node;
        let condition = f.condition.as_deref().filter(|_| written.runs == Runs::While)?;
        let starts = self.initializer(f, written.bytes).ok()?;
        let [start] = &starts[..] else { return None };
        let moved = changed(&f.statement);
        if names_in(condition).iter().any(|name| moved.contains(name)) {
            return None;
        }
        let ty = CType::Int(start.ty);
        let step = self.step(f, &start.name, self.span(written.head())).ok()?;
        let Ok(Expr::Constant { value: first, .. }) = self.scope.trial(|scope| scope.converted(start.first, &ty)).0
        else {
            return None;
        };
        let mark = self.scope.enter();
        self.scope.declare(&start.name, Name::Value(Expr::Constant { value: first, ty: start.ty }));
        let place = self.scope.enter() - 1;
        let mut end = None;
        for round in 0..COUNTED {
            let value = first + round * step;
            let (least, most) = start.ty.limits();
            if value < least || value > most {
                break;
            }
            self.scope.assign_local(place, Name::Value(Expr::Constant { value, ty: start.ty }));
            match self.scope.trial(|scope| scope.expression(condition)).0.map(truth) {
                Ok(Expr::Constant { value: 0, .. }) => {
                    end = Some(value);
                    break;
                }
                Ok(Expr::Constant { .. }) => {}
                _ => break,
            }
        }
        self.leave(mark);
        let span = condition.span;
        let counter = named(&start.name, span);
        let operator = if step > 0 { BinaryOperator::Less } else { BinaryOperator::Greater };
        Some(binary(operator, counter, whole(end?, span), span))
    }

    fn unrolled_if(
        &mut self,
        written: For,
        nodes: &mut Vec<NestNode>,
        counts: impl Fn(&[&Node<Expression>]) -> bool,
    ) -> Option<Checked<()>> {
        let f = &written.node.node;
        let (Runs::While, Some(condition), Some(step)) = (written.runs, f.condition.as_deref(), f.step.as_deref())
        else {
            return None;
        };
        let starts = self.initializer(f, written.bytes).ok()?;
        let steps = steps(step);
        let own = |step: &Node<Expression>| starts.iter().find(|start| is_step(step, &start.name));
        if !steps.iter().all(|step| own(step).is_some()) || !counts(&steps) {
            return None;
        }
        let span = self.span(written.head());
        self.scope.choice = None;
        Some(self.all_rounds(written, condition, &starts, steps, span, nodes))
    }

    fn all_rounds(
        &mut self,
        written: For,
        condition: &Node<Expression>,
        starts: &[Start],
        steps: Vec<&Node<Expression>>,
        span: Span,
        nodes: &mut Vec<NestNode>,
    ) -> Checked<()> {
        for start in starts {
            self.shadow_iterator(&start.name, start.place)?;
        }
        let mark = self.scope.enter();
        let mut variables = vec![];
        for start in starts {
            let ty = CType::Int(start.ty);
            let value = self.scope.trial(|scope| scope.converted(start.first, &ty)).0;
            let Ok(value @ Expr::Constant { .. }) = value else {
                return Err(Diagnostic::new(format!(
                    "the loop's head multiplies or divides, and `{}` does not begin with a constant",
                    start.name
                ))
                .at(self.span(start.first.span), "not a constant")
                .help("begin it with a constant, and leave the loop by a condition on a size: `for (s = 1; s < n; s *= 2)`; or count the iterations"));
            };
            self.scope.declare(&start.name, Name::Value(value));
            variables.push((start.name.clone(), ty, self.scope.enter() - 1));
        }
        let unrolled = Unrolled { written, condition, variables, steps, span };
        let f = &written.node.node;
        let result = self.rounds(&unrolled, 0, nodes);
        let left = unrolled.left(self.scope);
        self.leave(mark);
        result?;
        if matches!(f.initializer.node, ForInitializer::Expression(_)) {
            left.into_iter().try_for_each(|(name, value)| self.left_behind(&name, value, &unrolled, nodes))?;
        }
        Ok(())
    }

    /// What the head began is a variable of the block around the loop, and has its last value there.
    fn left_behind(&mut self, name: &str, left: Name, unrolled: &Unrolled, nodes: &mut Vec<NestNode>) -> Checked<()> {
        let Some(place) = self.scope.local_index(name) else { return Ok(()) };
        match (self.scope.local_scalar(name), left) {
            (None, left) if self.tracked_integer(name).is_some() => self.scope.assign_local(place, left),
            // It has a value in its loops only.
            (None, _) => {}
            (Some(array), Name::Value(value)) => {
                let target = Access { array, subscripts: vec![], guard: None, span: unrolled.span };
                let value = convert_to(value, &CType::of(self.scope.arrays[array].element));
                let text = format!("{name} = …;");
                nodes.push(NestNode::Statement(self.finish(target, value, text, unrolled.written.head())?));
            }
            (Some(_), _) => {
                return Err(Diagnostic::new(format!(
                    "the loop's head multiplies or divides, and what it leaves in `{name}` is not known"
                ))
                .at(unrolled.span, "not known behind the loop")
                .help(format!("give the loop a variable of its own, as in `for (int {name} = 1; …`")));
            }
        }
        Ok(())
    }

    /// The iterations from number `round` on.
    fn rounds(&mut self, unrolled: &Unrolled, round: usize, nodes: &mut Vec<NestNode>) -> Checked<()> {
        let Unrolled { condition, span, .. } = unrolled;
        let value = truth(self.scope.expression(condition)?);
        let holds = match &value {
            Expr::Constant { value: 0, .. } => return Ok(()),
            Expr::Constant { .. } => None,
            _ => {
                let place = self.span(condition.span);
                let Some(holds) = self.scope.condition_of(&value, place) else {
                    return Err(Diagnostic::new(
                        "the loop's head multiplies or divides, and data decide where it ends",
                    )
                    .at(place, "known only when the data are")
                    .help("compare with constants and sizes, and put what data decide under an `if` in the body"));
                };
                if self.scope.never(&holds) {
                    return Ok(());
                }
                Some(holds)
            }
        };
        if round == MOST {
            return Err(Diagnostic::new(format!("the loop's head multiplies or divides, and it has more than {MOST} iterations"))
                .at(*span, "too many iterations")
                .help("each is read by itself: say how large a size is, `#pragma burstc size(n: max 1024)`, or write the loop with a step that adds"));
        }
        let before = [self.known(), unrolled.known(self.scope)].concat();
        let (place, mut body) = (self.scope.go_into(holds.clone()), vec![]);
        self.round(unrolled, &mut body)?;
        if self.statements() > STATEMENTS {
            return Err(Diagnostic::new(format!(
                "the loop's head multiplies or divides, and all of its iterations are more than {STATEMENTS} statements"
            ))
            .at(*span, "each iteration is read by itself")
            .help(
                "say how large a size is, `#pragma burstc size(n: max 64)`, or write the loop with a step that adds",
            ));
        }
        self.rounds(unrolled, round + 1, &mut body)?;
        self.scope.come_out(place);
        if holds.is_some() {
            let then = [self.known(), unrolled.known(self.scope)].concat();
            if then != before {
                self.join(Some(&value), &then, &before);
            }
        }
        nodes.extend(guarded(holds.into_iter().collect(), body, *span));
        Ok(())
    }

    /// One iteration, and the head's steps behind it.
    fn round(&mut self, unrolled: &Unrolled, nodes: &mut Vec<NestNode>) -> Checked<()> {
        let mark = self.scope.enter();
        self.statement(&unrolled.written.node.node.statement, nodes)?;
        self.leave(mark);
        for step in &unrolled.steps {
            let Some((name, ty, place)) = unrolled.variables.iter().find(|(name, ..)| is_step(step, name)) else {
                continue;
            };
            let Some(value) = self.scope.stepped(step, name, ty) else {
                return Err(Diagnostic::new(format!(
                    "the loop's head multiplies or divides, and `{name}` becomes no constant"
                ))
                .at(self.span(step.span), "not a constant")
                .help("change it by constants, as in `s *= 2`"));
            };
            self.scope.assign_local(*place, Name::Value(value));
        }
        Ok(())
    }
}

impl Scope<'_> {
    /// What `name`, of type `ty`, is behind `name++`, `name *= 2` or `name = name / 2`: a constant where it was one.
    pub fn stepped(&mut self, step: &Node<Expression>, name: &str, ty: &CType) -> Option<Expr> {
        use lang_c::ast::UnaryOperator::{PostDecrement, PostIncrement, PreDecrement, PreIncrement};
        let Some(Name::Value(before @ Expr::Constant { .. })) = self.lookup(name) else { return None };
        let one = Expr::Constant { value: 1, ty: ScalarType::I32 };
        let after = match &step.node {
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                PostIncrement | PreIncrement => binary_of(BinaryOp::Add, before, one)?,
                PostDecrement | PreDecrement => binary_of(BinaryOp::Subtract, before, one)?,
                _ => return None,
            },
            _ => {
                let (operator, o) = operation(step)?;
                let right = self.trial(|scope| scope.expression(&o.rhs)).0.ok()?;
                match assignment(&operator)? {
                    None => right,
                    Some(op) => binary_of(op, before, right)?,
                }
            }
        };
        Some(convert_to(after, ty)).filter(|after| matches!(after, Expr::Constant { ty, .. } if !ty.floating))
    }

    /// Whether the condition holds for no sizes, as far as intervals of them show it.
    fn never(&self, condition: &Condition) -> bool {
        let beyond = |value: &Affine, sign: i64| {
            let size = |name: &str| self.sizes.get(name).filter(|_| self.is_size(name)).copied();
            let (low, high) = value.range(|name| size(name).unwrap_or_else(|| self.known_range(name)));
            if sign > 0 { high < 0 } else { low > 0 || high < 0 }
        };
        match condition {
            Condition::NonNegative(value) => beyond(value, 1),
            Condition::Zero(value) => beyond(value, 0),
            Condition::All(parts) => parts.iter().any(|part| self.never(part)),
            Condition::Any(parts) => parts.iter().all(|part| self.never(part)),
            Condition::Not(_) => false,
        }
    }
}

/// `left op right` of constants, where C defines it.
fn binary_of(op: BinaryOp, left: Expr, right: Expr) -> Option<Expr> {
    let is_zero = matches!(right, Expr::Constant { value: 0, .. });
    let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
    (!(divides && is_zero)).then(|| super::expression::binary(op, left, right))
}

/// Whether a step is an assignment that adds no constant.
fn is_geometric(step: &Node<Expression>) -> bool {
    let Some((operator, o)) = operation(step) else { return false };
    match assignment(&operator) {
        // `s += s` doubles.
        Some(Some(BinaryOp::Add | BinaryOp::Subtract)) => {
            matches!(&o.rhs.node, Expression::Identifier(own) if is_name(&o.lhs, &own.node.name))
        }
        None => false,
        Some(Some(_)) => true,
        // Neither `s = s + 1` nor what says nothing of `s`.
        Some(None) => {
            let names = |node: &Node<Expression>| names_in(node).iter().any(|name| is_name(&o.lhs, name));
            let own = |node: &Node<Expression>| matches!(&node.node, Expression::Identifier(_)) && names(node);
            names(&o.rhs)
                && !operation(&o.rhs).is_some_and(|(operator, sum)| match operator {
                    BinaryOperator::Plus => own(&sum.lhs) && !names(&sum.rhs) || own(&sum.rhs) && !names(&sum.lhs),
                    BinaryOperator::Minus => own(&sum.lhs) && !names(&sum.rhs),
                    _ => false,
                })
        }
    }
}
