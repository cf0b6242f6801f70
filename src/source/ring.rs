//! Local integers that go round: `head = (head + 1) & 7;`, `if (++head == n) head = 0;`, `k = k == 0 ? 9 : k - 1;`.
//!
//! Where what an iteration makes of such a variable is told by its value alone, the values from the first one on are
//! computed, here, until the first one comes back. From then on they repeat, so that nothing is left to prove: those that
//! lie at equal distances and are passed in equal steps are affine in the number of iterations modulo their number.

use lang_c::ast::{BlockItem, Expression, Statement as CStatement, UnaryOperator};
use lang_c::span::Node;

use super::affine_expression::{plus, times};
use super::expression::{binary, convert_to};
use super::function::identifier;
use super::kernel::{BinaryOp, Expr, ScalarType};
use super::locals::Usage;
use super::nest::{Nest, assignment, is_name, operation};
use super::scope::{Name, Scope};
use super::steps::Body;
use super::types::CType;
use crate::affine::Affine;
use crate::diagnostic::Span;

/// The most values that a ring has, and the most statements that are run to find them.
const LONGEST: usize = 1 << 16;

/// Values that come round: `least + distance * ((begins + step * k) mod length)` after k iterations.
#[derive(Clone, Debug, PartialEq)]
pub struct Ring {
    least: i64,
    distance: i64,
    begins: i64,
    step: i64,
    length: i64,
}

impl Ring {
    /// The ring of these values, all of which come before the first one comes again.
    fn of(values: &[i64]) -> Option<Ring> {
        let length = i64::try_from(values.len()).ok()?;
        let (least, first, second) = (*values.iter().min()?, *values.first()?, *values.get(1)?);
        let most = *values.iter().max()?;
        let distance = most.checked_sub(least)? / (length - 1);
        let place = |value: i64| (distance != 0).then(|| (value - least) / distance);
        let (begins, next) = (place(first)?, place(second)?);
        let step = (next - begins).rem_euclid(length);
        let at = |k: i64| least + distance * ((begins + step * k) % length);
        let fits = (0..length).zip(values).all(|(k, value)| at(k) == *value);
        fits.then_some(Ring { least, distance, begins, step, length })
    }

    /// The value after `count` iterations.
    pub fn after(&self, scope: &mut Scope, count: &Affine, span: Span) -> Option<Affine> {
        let steps = plus(Affine::constant(self.begins), times(count.clone(), self.step)?, 1)?;
        let rounds = scope.quotient(steps.clone(), self.length, false, span);
        let place = plus(steps, rounds, -self.length)?;
        plus(Affine::constant(self.least), place, self.distance)
    }
}

/// A variable whose values are computed.
struct Run<'b> {
    body: &'b Body<'b>,
    /// Its place among the local names.
    place: usize,
    ty: &'b CType,
    kept: ScalarType,
    /// How many statements may still be run.
    left: usize,
}

impl Nest<'_, '_> {
    /// What the body of a loop makes of the variable at `place`, which begins with `first`, if that goes round.
    pub fn ring(&mut self, body: &Body, node: &Node<CStatement>, place: usize, first: i64, ty: &CType) -> Option<Ring> {
        let mut run = Run { body, place, ty, kept: ty.integer()?, left: LONGEST };
        let mut values = vec![first];
        let ring = loop {
            match self.run(&mut run, node, values[values.len() - 1]) {
                Some(next) if next == first => break Ring::of(&values),
                Some(next) => values.push(next),
                None => break None,
            }
        };
        self.scope.assign_local(place, Name::Unset);
        ring
    }

    /// The variable's value behind a statement, where only its value before tells it.
    fn run(&mut self, run: &mut Run, node: &Node<CStatement>, value: i64) -> Option<i64> {
        let name = run.body.name;
        if Usage::of_statement(name, node).is_constant() {
            return Some(value);
        }
        run.left = run.left.checked_sub(1)?;
        match &node.node {
            CStatement::Expression(Some(expression)) => self.run_expression(run, expression, value),
            CStatement::Compound(items) => items.iter().try_fold(value, |value, item| match &item.node {
                BlockItem::Statement(statement) => self.run(run, statement, value),
                BlockItem::Declaration(declaration) => {
                    let mut names =
                        declaration.node.declarators.iter().filter_map(|d| identifier(&d.node.declarator.node));
                    names.all(|declared| declared.node.name != name).then_some(value)
                }
                BlockItem::StaticAssert(_) => Some(value),
            }),
            CStatement::If(branch) => {
                let otherwise = branch.node.else_statement.as_deref();
                match self.constant_at(run, &branch.node.condition, value) {
                    Some(0) => otherwise.map_or(Some(value), |side| self.run(run, side, value)),
                    Some(_) => self.run(run, &branch.node.then_statement, value),
                    None => {
                        let then = self.run(run, &branch.node.then_statement, value)?;
                        let otherwise = otherwise.map_or(Some(value), |side| self.run(run, side, value))?;
                        (then == otherwise).then_some(then)
                    }
                }
            }
            CStatement::For(f) => {
                let trips = self.constant_trips(run.body, &f.node)?;
                (0..trips).try_fold(value, |value, _| self.run(run, &f.node.statement, value))
            }
            _ => None,
        }
    }

    fn run_expression(&mut self, run: &mut Run, node: &Node<Expression>, value: i64) -> Option<i64> {
        let left = Expr::Constant { value, ty: run.kept };
        let one = Expr::Constant { value: 1, ty: ScalarType::I32 };
        let next = match &node.node {
            Expression::UnaryOperator(unary) if is_name(&unary.node.operand, run.body.name) => {
                match unary.node.operator.node {
                    UnaryOperator::PreIncrement | UnaryOperator::PostIncrement => binary(BinaryOp::Add, left, one),
                    UnaryOperator::PreDecrement | UnaryOperator::PostDecrement => binary(BinaryOp::Subtract, left, one),
                    _ => return None,
                }
            }
            _ => {
                let (operator, o) = operation(node)?;
                if !is_name(&o.lhs, run.body.name) {
                    return None;
                }
                let right = self.expression_at(run, &o.rhs, value)?;
                match assignment(&operator)? {
                    None => right,
                    Some(BinaryOp::Divide | BinaryOp::Remainder) if is_zero(&right) => return None,
                    Some(op) => binary(op, left, right),
                }
            }
        };
        match convert_to(next, run.ty) {
            Expr::Constant { value, .. } => Some(value),
            _ => None,
        }
    }

    fn constant_at(&mut self, run: &Run, node: &Node<Expression>, value: i64) -> Option<i64> {
        match self.expression_at(run, node, value)? {
            Expr::Constant { value, ty } if !ty.floating => Some(value),
            _ => None,
        }
    }

    /// The constant that an expression of the body is where the variable is `value`.
    fn expression_at(&mut self, run: &Run, node: &Node<Expression>, value: i64) -> Option<Expr> {
        if !run.body.is_open(node) {
            return None;
        }
        self.scope.assign_local(run.place, Name::Value(Expr::Constant { value, ty: run.kept }));
        let known = self.scope.quotients.len();
        let expr = self.scope.trial(|scope| scope.expression(node)).0.ok();
        self.scope.quotients.truncate(known);
        let expr = expr?;
        matches!(&expr, Expr::Constant { ty, .. } if !ty.floating).then_some(expr)
    }
}

fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Constant { value: 0, .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_at_equal_distances_passed_in_equal_steps_are_a_ring() {
        for (values, expected) in [
            (&[0, 1, 2, 3][..], Some((0, 1, 0, 1, 4))),
            (&[3, 4, 0, 1, 2], Some((0, 1, 3, 1, 5))),
            (&[5, 4, 3], Some((3, 1, 2, 2, 3))),
            (&[0, 24, 16, 8], Some((0, 8, 0, 3, 4))),
            (&[-1, 1], Some((-1, 2, 0, 1, 2))),
            (&[0, 1, 3, 2], None),
            (&[0, 1, 2, 4], None),
            (&[1, 3, 2, 6, 4, 5], None),
            (&[7], None),
        ] {
            let ring =
                expected.map(|(least, distance, begins, step, length)| Ring { least, distance, begins, step, length });
            assert_eq!(Ring::of(values), ring, "{values:?}");
        }
    }
}
