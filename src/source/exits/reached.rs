//! What variables come to that only count:
//!
//! ```c
//! n = 0; for (i = 0; i < 16; i++) if (s[i] > 9) n++; for (k = 0; k < n; k++) …
//! ```
//!
//! leaves 16 in `n` at most, so that the second loop is one up to `k < n && k < 16`.

use lang_c::ast::{
    BinaryOperator, BlockItem, Expression, ForInitializer, ForStatement, FunctionDefinition, LabeledStatement,
    Statement,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::gotos::moves;
use super::heads::conjuncts;
use super::nearing::{changes_of, given};
use super::taking::{within, within_known};
use crate::source::canonical::names_in;
use crate::source::data_bounds::begins;
use crate::source::flat::constant;
use crate::source::kernel::ScalarType;
use crate::source::known::{Declared, changed, changed_in};
use crate::source::left::{comparison_of, offset_of, step_of};
use crate::source::loops::steps;
use crate::source::plain::{binary, block, inside_out, subscripted, variable, whole};
use crate::source::polynomial::changes;

/// The most that is told.
const MOST: i64 = 1 << 12;

/// An interval that holds a variable behind the items before a loop: of what it is given last, also where that is of variables that were
/// given theirs before.
pub fn behind(declared: &Declared, before: &[Node<BlockItem>], name: &str) -> Option<(i64, i64)> {
    let (least, most) = declared.integer(name, 0)?.limits();
    let last = before.iter().rposition(|item| changes_of(item, name));
    let given = last.and_then(|k| {
        let is_own = |other: &str| declared.times(other) == 1 && !declared.has_address(other);
        let known = |other: &str| is_own(other).then(|| behind(declared, &before[..k], other)).flatten();
        within_known(declared, given(&before[k], name)?, &known)
    });
    // What the type does not hold becomes something else in it.
    let fits = |(low, high): &(i64, i64)| least <= *low && *high <= most;
    given.filter(fits).or_else(|| reached(declared, before, name).filter(fits))
}

/// The least and the most that a variable may be behind the items of its block, where its value is given there and constants are added after
/// that, so often as loops with constant bounds run.
pub fn reached(declared: &Declared, before: &[Node<BlockItem>], name: &str) -> Option<(i64, i64)> {
    let ty = declared.integer(name, 0).filter(|_| declared.times(name) == 1 && !declared.has_address(name))?;
    let first = before.iter().rposition(|item| changes_of(item, name) && given(item, name).is_some())?;
    let given =
        given(&before[first], name).filter(|_| moves(&block(vec![before[first].clone()], Span::none()), name) == 1);
    let (mut low, mut high) = within(declared, given?)?;
    let after = &before[first + 1..];
    for item in after {
        let (less, more) = Counting { declared, name }.item(item, &[])?;
        (low, high) = (low.checked_add(less)?, high.checked_add(more)?);
    }
    let (least, most) = ty.limits();
    (least <= low && high <= most && high <= MOST && !has_label(after)).then_some((low, high))
}

/// The names of loops around, and the least and the most that they may be.
type Around<'n> = [(&'n str, (i64, i64))];

/// Whether a jump may lead into these items.
fn has_label(items: &[Node<BlockItem>]) -> bool {
    struct Labels(bool);
    impl<'ast> Visit<'ast> for Labels {
        fn visit_labeled_statement(&mut self, _: &'ast LabeledStatement, _: &'ast Span) {
            self.0 = true;
        }
    }
    let mut labels = Labels(false);
    items.iter().for_each(|item| labels.visit_block_item(&item.node, &item.span));
    labels.0
}

/// Follows what is added to a variable.
struct Counting<'c> {
    declared: &'c Declared,
    name: &'c str,
}

/// A sum of two intervals.
fn sum(a: (i64, i64), b: (i64, i64)) -> Option<(i64, i64)> {
    Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?))
}

impl Counting<'_> {
    /// What an item adds on any way through it, at least (no more than 0) and at most (no less), inside of these loops.
    fn item(&self, item: &Node<BlockItem>, around: &Around) -> Option<(i64, i64)> {
        match &item.node {
            BlockItem::Statement(own) => self.statement(own, around),
            _ => (!changes_of(item, self.name)).then_some((0, 0)),
        }
    }

    fn statement(&self, node: &Node<Statement>, around: &Around) -> Option<(i64, i64)> {
        if !self.is_in(&changed(node)) {
            return Some((0, 0));
        }
        match &node.node {
            Statement::Expression(Some(own)) => steps(own).into_iter().try_fold((0, 0), |so_far, part| {
                let by = if self.is_kept(part) { 0 } else { step_of(part, self.name)? };
                sum(so_far, (by.min(0), by.max(0)))
            }),
            Statement::Compound(items) => {
                items.iter().try_fold((0, 0), |so_far, item| sum(so_far, self.item(item, around)?))
            }
            Statement::If(branch) => {
                self.is_kept(&branch.node.condition).then_some(())?;
                let then = self.statement(&branch.node.then_statement, around)?;
                let other = branch.node.else_statement.as_ref();
                let other = other.map_or(Some((0, 0)), |other| self.statement(other, around))?;
                Some((then.0.min(other.0), then.1.max(other.1)))
            }
            Statement::For(f) => {
                let (counter, values, times) = self.trips(&f.node, around)?;
                let own = self.statement(&f.node.statement, &[around, &[(counter, values)]].concat())?;
                Some((own.0.checked_mul(times)?, own.1.checked_mul(times)?))
            }
            _ => None,
        }
    }

    fn is_in(&self, names: &[String]) -> bool {
        names.iter().any(|own| own == self.name)
    }

    fn is_kept(&self, expression: &Node<Expression>) -> bool {
        let mut names = vec![];
        changed_in(expression, &mut names);
        !self.is_in(&names)
    }

    /// The counter of a loop that counts between constants and the counters around it, the least and the most that it is in an iteration, and
    /// how many of these there are at most.
    fn trips<'f>(&self, f: &'f ForStatement, around: &Around) -> Option<(&'f str, (i64, i64), i64)> {
        let (name, first) = begins(f)?;
        let (first, by) = (bounds(first, around)?, step_of(f.step.as_deref()?, name)?);
        let condition = f.condition.as_deref()?;
        let ty = match self.declared.times(name) {
            // A round that a loop has got already.
            0 if matches!(f.initializer.node, ForInitializer::Declaration(_)) => ScalarType::I32,
            _ => self.declared.integer(name, 0).filter(|_| !self.declared.has_address(name))?,
        };
        if name == self.name || changed(&f.statement).iter().any(|own| own == name) || changes(condition) {
            return None;
        }
        let (least, most) = ty.limits();
        conjuncts(condition).into_iter().find_map(|part| {
            let (operator, _, end) = comparison_of(part, name)?;
            let end = bounds(end, around)?;
            // The value of the last iteration that there may be.
            let last = match operator {
                BinaryOperator::Less if by > 0 => end.1.checked_sub(1)?,
                BinaryOperator::LessOrEqual if by > 0 => end.1,
                BinaryOperator::Greater if by < 0 => end.0.checked_add(1)?,
                BinaryOperator::GreaterOrEqual if by < 0 => end.0,
                _ => return None,
            };
            let begin = if by > 0 { first.0 } else { first.1 };
            let times = last.checked_sub(begin)?.div_euclid(by).checked_add(1)?.max(0);
            // A value beyond what the type holds would come round, and comparisons without sign are others.
            let values = (first.0.min(last), first.1.max(last));
            let ends = (values.0.checked_add(by.min(0))?, values.1.checked_add(by.max(0))?);
            let is_plain = end.0.min(ends.0) >= 0 || names_in(part).iter().all(|name| self.declared.is_signed(name));
            (is_plain && least <= ends.0 && ends.1 <= most).then_some((name, values, times))
        })
    }
}

/// The least and the most that a constant, or the counter of a loop around and a constant, may be.
fn bounds(node: &Node<Expression>, around: &Around) -> Option<(i64, i64)> {
    if let Some(value) = constant(node) {
        return Some((value, value));
    }
    around.iter().rev().find_map(|(name, (low, high))| {
        let by = offset_of(node, name)?;
        Some((low.checked_add(by)?, high.checked_add(by)?))
    })
}

/// Says in the heads of loops up to such a variable how far they run at most, where no subscript does.
pub fn ended(function: &mut FunctionDefinition, declared: &Declared) {
    inside_out(&mut function.statement, &[], &|node, before| {
        let Statement::For(f) = &mut node.node else { return };
        if let Some(more) = end_of(&f.node, declared, before)
            && let Some(condition) = f.node.condition.take()
        {
            let span = condition.span;
            f.node.condition = Some(Box::new(binary(BinaryOperator::LogicalAnd, *condition, more, span)));
        }
    });
}

fn end_of(f: &ForStatement, declared: &Declared, before: &[Node<BlockItem>]) -> Option<Node<Expression>> {
    let (counter, first) = begins(f)?;
    let condition = f.condition.as_deref()?;
    let by = step_of(f.step.as_deref()?, counter)?;
    let (operator, own, end) = comparison_of(condition, counter)?;
    let name = variable(end)?;
    let is_up = by > 0 && matches!(operator, BinaryOperator::Less | BinaryOperator::LessOrEqual);
    let mut moved = changed(&f.statement);
    changed_in(first, &mut moved);
    let is_kept = !moved.iter().any(|own| own == name || own == counter);
    if !is_up || !is_kept || is_subscript(&f.statement, counter) {
        return None;
    }
    let (low, high) = reached(declared, before, name)?;
    let end = whole(high, condition.span);
    let is_plain = low >= 0 || [counter, name].iter().all(|name| declared.is_signed(name));
    is_plain.then(|| binary(operator, own.clone(), end, condition.span))
}

/// Whether a variable stands in a subscript.
fn is_subscript(body: &Node<Statement>, name: &str) -> bool {
    struct Search<'n> {
        name: &'n str,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            let node = Node::new(expression.clone(), *span);
            let named = |own: &Node<Expression>| names_in(own).iter().any(|name| name == self.name);
            self.found |= subscripted(&node).1.into_iter().any(named);
            visit::visit_expression(self, expression, span);
        }
    }
    let mut search = Search { name, found: false };
    search.visit_statement(&body.node, &body.span);
    search.found
}
