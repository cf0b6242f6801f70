//! What is done on every way through a loop's body.
//!
//! ```c
//! while (i < n) if (s[i] != ' ') { while (i < n && s[i] != ' ') i++; words++; } else i++;
//! ```
//!
//! moves `i` on both ways: what the loop inside goes on for holds where it begins.

use lang_c::ast::{BlockItem, Expression, ForInitializer, Statement};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::heads::conjuncts;
use super::nearing::has_goto;
use crate::source::breaks::opposite;
use crate::source::canonical::{has_jump, names_in};
use crate::source::known::{changed, changed_in};
use crate::source::loops::steps;
use crate::source::nest::{assignment, counts};
use crate::source::plain::{block, item, listed, variable};
use crate::source::polynomial::changes;

type Items = [Node<BlockItem>];

/// Tells what an expression statement does to what has to go on; `None` where it must not stand there. It gets whether something has
/// gone on already.
pub type Step<'s> = dyn Fn(&Node<Expression>, bool) -> Option<bool> + 's;

/// Whether on every way through a loop's body something goes on, or the loop is left;
/// where a condition of `if` does not hold that `is_open` knows, it will not hold again, and the round is the last. The body begins
/// where the conditions `held` hold.
pub fn all_go_on(
    items: &Items,
    held: &[&Node<Expression>],
    names: &[&str],
    step: &Step,
    is_open: &dyn Fn(&Node<Expression>) -> bool,
) -> bool {
    let ways = Ways { names, step, is_open };
    !has_goto(items) && ways.through(items, [true, false], held).is_some_and(|[none, _]| !none)
}

pub struct Ways<'s> {
    /// What only expression statements may change.
    pub names: &'s [&'s str],
    pub step: &'s Step<'s>,
    pub is_open: &'s dyn Fn(&Node<Expression>) -> bool,
}

impl Ways<'_> {
    /// Whether there are ways to the end on which nothing has gone on, and on which something has, from where the conditions `held` hold.
    pub fn through(&self, items: &Items, mut open: [bool; 2], held: &[&Node<Expression>]) -> Option<[bool; 2]> {
        let mut held: Vec<Node<Expression>> = held.iter().copied().cloned().collect();
        for item in items {
            if open == [false, false] {
                break;
            }
            let BlockItem::Statement(own) = &item.node else {
                let moved = changed(&block(vec![item.clone()], item.span));
                if self.is_in(&moved) {
                    return None;
                }
                forget(&mut held, item, &moved);
                continue;
            };
            let known: Vec<&Node<Expression>> = held.iter().collect();
            let mut more = None;
            open = match &own.node {
                Statement::Break | Statement::Return(_) => [false, false],
                // The next iteration begins.
                Statement::Continue if !open[0] => [false, false],
                Statement::Continue => return None,
                Statement::Compound(inner) => self.through(inner, open, &known)?,
                Statement::If(branch) => {
                    let condition = &*branch.node.condition;
                    let mut moved = vec![];
                    changed_in(condition, &mut moved);
                    if self.is_in(&moved) {
                        return None;
                    }
                    let is_kept = !changes(condition);
                    let fails = opposite(condition);
                    let with = |condition| match is_kept {
                        true => [&known[..], &conjuncts(condition)].concat(),
                        false => vec![],
                    };
                    let then = self.through(&listed(&branch.node.then_statement), open, &with(condition))?;
                    let other = match &branch.node.else_statement {
                        Some(other) => self.through(&listed(other), open, &with(&fails))?,
                        None if (self.is_open)(condition) => [false, false],
                        None => open,
                    };
                    if is_kept && then == [false, false] && branch.node.else_statement.is_none() {
                        more = Some(conjuncts(&fails).into_iter().cloned().collect::<Vec<_>>());
                    }
                    [then[0] || other[0], then[1] || other[1]]
                }
                Statement::Expression(Some(expression)) => match (self.step)(expression, open[1])? {
                    true => [false, true],
                    false => open,
                },
                _ if self.is_in(&changed(own)) => return None,
                // Its own jumps leave it alone.
                Statement::DoWhile(w) if !has_jump(&w.node.statement) => {
                    self.through(&listed(&w.node.statement), open, &[])?
                }
                // A round that surely comes; others may follow.
                _ => match first_round(own, &known) {
                    Some(round) => self.through(&round, open, &[])?,
                    None => open,
                },
            };
            match more {
                // What comes here has not been on the way that changes something.
                Some(more) => held.extend(more),
                None => forget(&mut held, item, &changed(own)),
            }
        }
        Some(open)
    }

    fn is_in(&self, moved: &[String]) -> bool {
        moved.iter().any(|name| self.names.contains(&name.as_str()))
    }
}

/// What a loop does in its first round, where all that it goes on for holds already.
fn first_round(node: &Node<Statement>, held: &[&Node<Expression>]) -> Option<Vec<Node<BlockItem>>> {
    let (condition, body, last) = match &node.node {
        Statement::While(w) => (&*w.node.expression, &*w.node.statement, vec![]),
        Statement::For(f) if matches!(f.node.initializer.node, ForInitializer::Empty) => {
            let last = f.node.step.as_deref().map(steps).unwrap_or_default();
            (f.node.condition.as_deref()?, &*f.node.statement, last)
        }
        _ => return None,
    };
    let holds = |part: &&Node<Expression>| held.iter().any(|own| is_alike(own, part));
    let is_whole = !has_jump(body) && !changes(condition) && conjuncts(condition).iter().all(holds);
    is_whole.then(|| [listed(body), last.into_iter().cloned().map(item).collect()].concat())
}

/// Takes away the conditions of which an item may change something. Where it writes to memory, that is any.
fn forget(held: &mut Vec<Node<Expression>>, item: &Node<BlockItem>, moved: &[String]) {
    struct Writes(bool);
    impl<'ast> Visit<'ast> for Writes {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            self.0 |= match expression {
                Expression::Call(_) | Expression::Statement(_) => true,
                Expression::UnaryOperator(unary) => {
                    counts(&unary.node.operator.node) && variable(&unary.node.operand).is_none()
                }
                Expression::BinaryOperator(o) => {
                    assignment(&o.node.operator.node).is_some() && variable(&o.node.lhs).is_none()
                }
                _ => false,
            };
            visit::visit_expression(self, expression, span);
        }
    }
    let mut writes = Writes(false);
    writes.visit_block_item(&item.node, &item.span);
    held.retain(|own| !writes.0 && !names_in(own).iter().any(|name| moved.contains(name)));
}

/// Whether two expressions are the same text of names, numbers and operators.
fn is_alike(one: &Node<Expression>, other: &Node<Expression>) -> bool {
    match (&one.node, &other.node) {
        (Expression::Identifier(one), Expression::Identifier(other)) => one.node.name == other.node.name,
        (Expression::Constant(one), Expression::Constant(other)) => one.node == other.node,
        (Expression::UnaryOperator(one), Expression::UnaryOperator(other)) => {
            one.node.operator.node == other.node.operator.node && is_alike(&one.node.operand, &other.node.operand)
        }
        (Expression::BinaryOperator(one), Expression::BinaryOperator(other)) => {
            let (one, other) = (&one.node, &other.node);
            one.operator.node == other.operator.node && is_alike(&one.lhs, &other.lhs) && is_alike(&one.rhs, &other.rhs)
        }
        _ => false,
    }
}
