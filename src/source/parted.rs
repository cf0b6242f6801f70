//! A `break` on several conditions, on C's own tree, as one on each: `if (a[i] == 0 || i >= n) break;` is
//! `if (i >= n) break; if (a[i] == 0) break;`. What looks at no memory comes first, where nothing changes on the way. A loop that runs while
//! `!(a || b)` runs while `!a && !b`.

use lang_c::ast::{BinaryOperator, BlockItem, Expression, Statement, TranslationUnit, UnaryOperator};
use lang_c::span::Node;

use super::breaks::all;
use super::exits::{conjuncts, reads_memory};
use super::nest::operation;
use super::plain::{block, bodies, choice, inner, listed, untrue};
use super::polynomial::changes;

/// Rewrites the bodies of all functions.
pub fn parted(unit: &mut TranslationUnit) {
    bodies(unit).for_each(statement);
}

fn statement(node: &mut Node<Statement>) {
    let span = node.span;
    if let Statement::Compound(items) = &mut node.node {
        for mut item in std::mem::take(items) {
            match &mut item.node {
                BlockItem::Statement(own) => {
                    statement(own);
                    match (&own.node, one_by_one(own)) {
                        (Statement::If(_), Some(parts)) => items.extend(parts),
                        _ => items.push(item),
                    }
                }
                _ => items.push(item),
            }
        }
        return;
    }
    let condition = match &mut node.node {
        Statement::While(w) => Some(&mut w.node.expression),
        Statement::DoWhile(w) => Some(&mut w.node.expression),
        Statement::For(f) => f.node.condition.as_mut(),
        _ => None,
    };
    if let Some(condition) = condition
        && let Some(parts) = none_of(condition)
        && let Some(own) = all(parts, condition.span)
    {
        **condition = own;
    }
    inner(&mut node.node).into_iter().for_each(|inner| {
        statement(inner);
        if let Some(parts) = one_by_one(inner) {
            *inner = block(parts, span);
        }
    });
}

/// The `break`s of an `if` that does nothing else.
fn one_by_one(node: &Node<Statement>) -> Option<Vec<Node<BlockItem>>> {
    let Statement::If(branch) = &node.node else { return None };
    let only = match &listed(&branch.node.then_statement)[..] {
        [Node { node: BlockItem::Statement(only), .. }] if matches!(only.node, Statement::Break) => only.clone(),
        _ => return None,
    };
    let mut parts = disjuncts(&branch.node.condition);
    if parts.len() < 2 || branch.node.else_statement.is_some() {
        return None;
    }
    if !parts.iter().any(changes) {
        parts.sort_by_key(reads_memory);
    }
    let leave = |condition: Node<Expression>| {
        let span = condition.span;
        Node::new(BlockItem::Statement(choice(condition, only.clone(), None, span)), span)
    };
    Some(parts.into_iter().map(leave).collect())
}

/// The opposites of `a` and `b` of `!(a || b)`.
fn none_of(condition: &Node<Expression>) -> Option<Vec<Node<Expression>>> {
    let Expression::UnaryOperator(unary) = &condition.node else { return None };
    let is_not = unary.node.operator.node == UnaryOperator::Negate;
    let is_any = matches!(operation(&unary.node.operand), Some((BinaryOperator::LogicalOr, _)));
    (is_not && is_any).then(|| disjuncts(&unary.node.operand).into_iter().map(untrue).collect())
}

/// The conditions of which one holds where this one does, each to be looked at where those before it fail.
fn disjuncts(node: &Node<Expression>) -> Vec<Node<Expression>> {
    match (&node.node, operation(node)) {
        (_, Some((BinaryOperator::LogicalOr, o))) => [disjuncts(&o.lhs), disjuncts(&o.rhs)].concat(),
        (Expression::UnaryOperator(unary), _) if unary.node.operator.node == UnaryOperator::Negate => {
            conjuncts(&unary.node.operand).into_iter().cloned().map(untrue).collect()
        }
        _ => vec![node.clone()],
    }
}
