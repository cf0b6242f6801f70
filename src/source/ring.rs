//! Local integers that go round: `head = (head + 1) & 7;`, `if (++head == n) head = 0;`, `k = k == 0 ? 9 : k - 1;`,
//! and variables that take turns, `next = 1 - now; …; now = next;`.
//!
//! Where what an iteration makes of such a variable is told by its value alone, the values from the first one on are
//! computed, here, until the first one comes back. From then on they repeat, so that nothing is left to prove: those that
//! lie at equal distances and are passed in equal steps are affine in the number of iterations modulo their number.

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    BlockItem, Declaration, Expression, InitDeclarator, Initializer, Statement as CStatement, UnaryOperator,
};
use lang_c::span::Node;

use super::affine_expression::{plus, times};
use super::canonical::begun;
use super::expression::{binary, convert_to};
use super::function::{derived, identifier};
use super::kernel::{BinaryOp, Expr, ScalarType};
use super::locals::Usage;
use super::nest::{Nest, assignment, operation};
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
        if self.length == 1 {
            return Some(Affine::constant(self.least));
        }
        let steps = plus(Affine::constant(self.begins), times(count.clone(), self.step)?, 1)?;
        let rounds = scope.quotient(steps.clone(), self.length, false, span);
        let place = plus(steps, rounds, -self.length)?;
        plus(Affine::constant(self.least), place, self.distance)
    }
}

/// A variable of a loop that its body changes.
#[derive(Clone)]
pub struct Turning {
    pub name: String,
    /// Its place among the local names.
    pub place: usize,
    pub ty: CType,
    /// Its value before the loop, if it is known.
    pub first: Option<i64>,
}

/// Variables whose values are computed, of one iteration after the other.
struct Run<'b> {
    body: &'b Body<'b>,
    outer: &'b [Turning],
    /// The values that are known now, by names: also those of the body's own variables, with their types.
    values: HashMap<String, (i64, CType)>,
    /// How many statements may still be run.
    left: usize,
}

impl Run<'_> {
    fn names(&self, name: &String) -> bool {
        self.values.contains_key(name) || self.outer.iter().any(|own| own.name == *name)
    }
}

impl Nest<'_, '_> {
    /// What the body of a loop makes of variables whose next values are told by the values of all of them, if that goes round:
    /// `next = 1 - now; …; now = next;`.
    /// Nothing for those that have no value before the loop.
    pub fn rings(&mut self, body: &Body, node: &Node<CStatement>, outer: &[Turning]) -> Option<Vec<Option<Ring>>> {
        let firsts = outer.iter().filter_map(|own| Some((own.name.clone(), (own.first?, own.ty.clone())))).collect();
        let mut run = Run { body, outer, values: firsts, left: LONGEST };
        let first: Vec<Option<i64>> = outer.iter().map(|own| own.first).collect();
        let mut rounds = vec![first.clone()];
        let is_round = loop {
            // What has no value before the loop gets one before it is read, or is not known.
            run.values.retain(|name, _| !outer.iter().any(|own| own.first.is_none() && own.name == *name));
            if self.run(&mut run, node).is_none() {
                break false;
            }
            let value = |own: &Turning| own.first.and(run.values.get(&own.name)).map(|(value, _)| *value);
            let next: Vec<Option<i64>> = outer.iter().map(value).collect();
            if next.iter().zip(&first).any(|(next, first)| next.is_none() && first.is_some()) {
                break false;
            }
            if next == first {
                break true;
            }
            rounds.push(next);
        };
        outer.iter().for_each(|own| self.scope.assign_local(own.place, Name::Unknown));
        let of = |k: usize| {
            let values: Vec<i64> = rounds.iter().map(|round| round[k]).collect::<Option<_>>()?;
            // One may have come round several times.
            let repeats = |length: &usize| values.iter().enumerate().all(|(at, value)| *value == values[at % length]);
            let length = (1..=values.len()).filter(|length| values.len().is_multiple_of(*length)).find(repeats)?;
            match &values[..length] {
                // One that stays as it is, as others take turns.
                [only] => Some(Ring { least: *only, distance: 0, begins: 0, step: 0, length: 1 }),
                values => Ring::of(values),
            }
        };
        is_round.then(|| (0..outer.len()).map(of).collect())
    }

    /// Runs a statement; `None` where the values before do not tell those behind.
    fn run(&mut self, run: &mut Run, node: &Node<CStatement>) -> Option<()> {
        let names = run.outer.iter().map(|own| &own.name).chain(run.values.keys());
        let changes = names.filter(|name| !Usage::of_statement(name, node).is_constant()).count() > 0;
        let is_block = matches!(&node.node, CStatement::Compound(_));
        if !changes && !is_block {
            return Some(());
        }
        run.left = run.left.checked_sub(1)?;
        match &node.node {
            CStatement::Expression(Some(expression)) => self.run_expression(run, expression),
            CStatement::Compound(items) => {
                let before: HashSet<String> = run.values.keys().cloned().collect();
                for item in items {
                    match &item.node {
                        BlockItem::Statement(statement) => self.run(run, statement)?,
                        BlockItem::Declaration(declaration) => self.run_declaration(run, &declaration.node)?,
                        BlockItem::StaticAssert(_) => {}
                    }
                }
                run.values.retain(|name, _| before.contains(name) || run.outer.iter().any(|own| own.name == *name));
                Some(())
            }
            CStatement::If(branch) => {
                let otherwise = branch.node.else_statement.as_deref();
                match self.constant_at(run, &branch.node.condition) {
                    Some(0) => otherwise.map_or(Some(()), |side| self.run(run, side)),
                    Some(_) => self.run(run, &branch.node.then_statement),
                    None => {
                        let before = run.values.clone();
                        self.run(run, &branch.node.then_statement)?;
                        let then = std::mem::replace(&mut run.values, before);
                        otherwise.map_or(Some(()), |side| self.run(run, side))?;
                        run.values.retain(|name, value| then.get(name) == Some(value));
                        Some(())
                    }
                }
            }
            CStatement::For(f) if begun(&f.node.initializer.node).iter().any(|own| run.names(own)) => None,
            CStatement::For(f) => {
                let trips = self.constant_trips(run.body, &f.node)?;
                (0..trips).try_for_each(|_| self.run(run, &f.node.statement))
            }
            _ => None,
        }
    }

    /// The body's own numbers, as far as they are known.
    fn run_declaration(&mut self, run: &mut Run, declaration: &Declaration) -> Option<()> {
        let ty = self.scope.types.of_declaration(&declaration.specifiers);
        for declarator in &declaration.declarators {
            let InitDeclarator { declarator, initializer } = &declarator.node;
            let Some(name) = identifier(&declarator.node).map(|name| name.node.name.clone()) else { continue };
            if run.outer.iter().any(|own| own.name == name) {
                return None;
            }
            let value = match initializer.as_ref().map(|first| &first.node) {
                Some(Initializer::Expression(first)) if ty.integer().is_some() && derived(declarator).is_empty() => {
                    self.expression_at(run, first).map(|value| convert_to(value, &ty))
                }
                _ => None,
            };
            match value {
                Some(Expr::Constant { value, .. }) => run.values.insert(name, (value, ty.clone())),
                _ => run.values.remove(&name),
            };
        }
        Some(())
    }

    fn run_expression(&mut self, run: &mut Run, node: &Node<Expression>) -> Option<()> {
        let one = Expr::Constant { value: 1, ty: ScalarType::I32 };
        let target = match &node.node {
            Expression::UnaryOperator(unary) => &*unary.node.operand,
            _ => &*operation(node)?.1.lhs,
        };
        let Expression::Identifier(name) = &target.node else { return None };
        let name = name.node.name.clone();
        let known = run.values.get(&name).cloned();
        let own = run.outer.iter().find(|own| own.name == name).map(|own| own.ty.clone());
        let ty = known.as_ref().map(|(_, ty)| ty.clone()).or(own)?;
        let kept = ty.integer()?;
        let left = known.map(|(value, _)| Expr::Constant { value, ty: kept });
        let next = match &node.node {
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                UnaryOperator::PreIncrement | UnaryOperator::PostIncrement => {
                    left.map(|l| binary(BinaryOp::Add, l, one))
                }
                UnaryOperator::PreDecrement | UnaryOperator::PostDecrement => {
                    left.map(|l| binary(BinaryOp::Subtract, l, one))
                }
                _ => return None,
            },
            _ => {
                let (operator, o) = operation(node)?;
                let right = self.expression_at(run, &o.rhs);
                match assignment(&operator)? {
                    None => right,
                    Some(BinaryOp::Divide | BinaryOp::Remainder) if right.as_ref().is_none_or(is_zero) => None,
                    Some(op) => left.zip(right).map(|(left, right)| binary(op, left, right)),
                }
            }
        };
        match next.map(|next| convert_to(next, &ty)) {
            Some(Expr::Constant { value, .. }) => run.values.insert(name, (value, ty)),
            _ => run.values.remove(&name),
        };
        Some(())
    }

    fn constant_at(&mut self, run: &Run, node: &Node<Expression>) -> Option<i64> {
        match self.expression_at(run, node)? {
            Expr::Constant { value, ty } if !ty.floating => Some(value),
            _ => None,
        }
    }

    /// The constant that an expression of the body is where the variables have these values.
    fn expression_at(&mut self, run: &Run, node: &Node<Expression>) -> Option<Expr> {
        let is_known = |name: &String| run.values.contains_key(name);
        if !run.body.is_open_but(node, &is_known) {
            return None;
        }
        for own in run.outer {
            let known = run.values.get(&own.name).zip(own.ty.integer());
            let value = known.map(|((value, _), ty)| Name::Value(Expr::Constant { value: *value, ty }));
            self.scope.assign_local(own.place, value.unwrap_or(Name::Unknown));
        }
        let mark = self.scope.enter();
        for (name, (value, ty)) in &run.values {
            if let (Some(ty), false) = (ty.integer(), run.outer.iter().any(|own| own.name == *name)) {
                self.scope.declare(name, Name::Value(Expr::Constant { value: *value, ty }));
            }
        }
        let known = self.scope.quotients.len();
        let expr = self.scope.trial(|scope| scope.expression(node)).0.ok();
        self.scope.quotients.truncate(known);
        self.scope.leave(mark);
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
