//! What variables come to that only count:
//!
//! ```c
//! n = 0; for (i = 0; i < 16; i++) if (s[i] > 9) n++; for (k = 0; k < n; k++) …
//! ```
//!
//! leaves 16 in `n` at most, so that the second loop is one up to `k < n && k < 16`.

use lang_c::ast::{
    BinaryOperator, BlockItem, Expression, ForStatement, FunctionDefinition, LabeledStatement, Statement,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::heads::conjuncts;
use super::nearing::{changes_of, given};
use super::taking::within;
use crate::source::canonical::names_in;
use crate::source::data_bounds::begins;
use crate::source::flat::constant;
use crate::source::known::{Declared, changed, changed_in};
use crate::source::left::{step_of, turned};
use crate::source::loops::steps;
use crate::source::nest::{assignment, counts, is_name, operation};
use crate::source::plain::{binary, inside_out, subscripted, variable, whole};
use crate::source::polynomial::changes;

/// The most that is told.
const MOST: i64 = 1 << 12;

/// The least and the most that a variable may be behind the items of its block, where its value is given there and constants are added after
/// that, so often as loops with constant bounds run.
pub fn reached(declared: &Declared, before: &[Node<BlockItem>], name: &str) -> Option<(i64, i64)> {
    let ty = declared.integer(name, 0).filter(|_| declared.times(name) == 1 && !declared.has_address(name))?;
    let first = before.iter().rposition(|item| changes_of(item, name) && given(item, name).is_some())?;
    let (mut low, mut high) = within(declared, given_alone(&before[first], name)?)?;
    let after = &before[first + 1..];
    for item in after {
        let (less, more) = added(item, name, declared)?;
        (low, high) = (low.checked_add(less)?, high.checked_add(more)?);
    }
    let (least, most) = ty.limits();
    (least <= low && high <= most && high <= MOST && !has_label(after)).then_some((low, high))
}

/// What an item gives a variable, if nothing else in it changes that.
fn given_alone<'i>(item: &'i Node<BlockItem>, name: &str) -> Option<&'i Node<Expression>> {
    let mut changes = Changes { name, count: 0 };
    changes.visit_block_item(&item.node, &item.span);
    let alone = usize::from(matches!(item.node, BlockItem::Statement(_)));
    given(item, name).filter(|_| changes.count == alone)
}

/// Counts the expressions that change a variable.
struct Changes<'n> {
    name: &'n str,
    count: usize,
}

impl<'ast> Visit<'ast> for Changes<'_> {
    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
        let target = match expression {
            Expression::UnaryOperator(unary) if counts(&unary.node.operator.node) => Some(&unary.node.operand),
            Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => Some(&o.node.lhs),
            _ => None,
        };
        self.count += usize::from(target.is_some_and(|target| is_name(target, self.name)));
        visit::visit_expression(self, expression, span);
    }
}

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

/// What an item adds to a variable on any way through it, at least (no more than 0) and at most (no less).
fn added(item: &Node<BlockItem>, name: &str, declared: &Declared) -> Option<(i64, i64)> {
    match &item.node {
        _ if !changes_of(item, name) => Some((0, 0)),
        BlockItem::Statement(own) => added_by(own, name, declared),
        _ => None,
    }
}

fn added_by(node: &Node<Statement>, name: &str, declared: &Declared) -> Option<(i64, i64)> {
    let is_kept = |expression: &Node<Expression>| {
        let mut names = vec![];
        changed_in(expression, &mut names);
        !names.iter().any(|own| own == name)
    };
    match &node.node {
        _ if !changed(node).iter().any(|own| own == name) => Some((0, 0)),
        Statement::Expression(Some(own)) => {
            let mut sum = (0i64, 0i64);
            for part in steps(own).into_iter().filter(|part| !is_kept(part)) {
                let by = step_of(part, name)?;
                sum = (sum.0.checked_add(by.min(0))?, sum.1.checked_add(by.max(0))?);
            }
            Some(sum)
        }
        Statement::Compound(items) => items.iter().try_fold((0i64, 0i64), |sum, item| {
            let own = added(item, name, declared)?;
            Some((sum.0.checked_add(own.0)?, sum.1.checked_add(own.1)?))
        }),
        Statement::If(branch) => {
            is_kept(&branch.node.condition).then_some(())?;
            let then = added_by(&branch.node.then_statement, name, declared)?;
            let other = branch.node.else_statement.as_ref();
            let other = other.map_or(Some((0, 0)), |other| added_by(other, name, declared))?;
            Some((then.0.min(other.0), then.1.max(other.1)))
        }
        Statement::For(f) => {
            let times = trips(&f.node, declared)?;
            let own = added_by(&f.node.statement, name, declared)?;
            Some((own.0.checked_mul(times)?, own.1.checked_mul(times)?))
        }
        _ => None,
    }
}

/// The most iterations of a loop that counts between constants.
fn trips(f: &ForStatement, declared: &Declared) -> Option<i64> {
    let (name, first) = begins(f)?;
    let (first, by) = (constant(first)?, step_of(f.step.as_deref()?, name)?);
    let condition = f.condition.as_deref()?;
    let (least, most) = declared.integer(name, 0).filter(|_| !declared.has_address(name))?.limits();
    if changed(&f.statement).iter().any(|own| own == name) || changes(condition) {
        return None;
    }
    conjuncts(condition).into_iter().find_map(|part| {
        let (operator, o) = operation(part)?;
        let (operator, end) = match is_name(&o.lhs, name) {
            true => (operator, constant(&o.rhs)?),
            false => (turned(operator).filter(|_| is_name(&o.rhs, name))?, constant(&o.lhs)?),
        };
        let last = match operator {
            BinaryOperator::Less if by > 0 => end.checked_sub(1)?,
            BinaryOperator::LessOrEqual if by > 0 => end,
            BinaryOperator::Greater if by < 0 => end.checked_add(1)?,
            BinaryOperator::GreaterOrEqual if by < 0 => end,
            _ => return None,
        };
        // A value beyond what the type holds would come round.
        let stays = least <= first && first <= most && least <= last.min(last + by) && last.max(last + by) <= most;
        stays.then(|| Some(last.checked_sub(first)?.div_euclid(by).checked_add(1)?.max(0)))?
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
    let (operator, o) = operation(condition)?;
    let (operator, own, name) = match is_name(&o.lhs, counter) {
        true => (operator, &o.lhs, variable(&o.rhs)?),
        false => (turned(operator).filter(|_| is_name(&o.rhs, counter))?, &o.rhs, variable(&o.lhs)?),
    };
    let is_up = by > 0 && matches!(operator, BinaryOperator::Less | BinaryOperator::LessOrEqual);
    let mut moved = changed(&f.statement);
    changed_in(first, &mut moved);
    let is_kept = !moved.iter().any(|own| own == name || own == counter);
    if !is_up || !is_kept || is_subscript(&f.statement, counter) {
        return None;
    }
    let (low, high) = reached(declared, before, name)?;
    let end = whole(high, condition.span);
    (low >= 0).then(|| binary(operator, (**own).clone(), end, condition.span))
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
