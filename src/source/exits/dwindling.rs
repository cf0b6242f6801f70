//! Loops that end because a number has so many bits:
//!
//! ```c
//! while (t) { bits += t & 1; t >>= 1; }
//! ```
//!
//! becomes `for (int round = 0; round < 32; round++) { if (!t) break; bits += t & 1; t >>= 1; }`. Shifts, divisions by a constant and
//! `t &= t - 1` leave nothing of a number after as many rounds as its type allows: a loop whose condition depends on it alone
//! has ended by then, or never does. How often others run at most, [`super::nearing`] tells.

use lang_c::ast::{BinaryOperator, BlockItem, Expression, ForInitializer, ForStatement, FunctionDefinition, Statement};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::data::Data;
use super::leave::statement;
use super::nearing::Nearing;
use crate::source::breaks::is_always;
use crate::source::canonical::{has_continue, names_in};
use crate::source::counters::{declaration, named};
use crate::source::flat::constant;
use crate::source::kernel::ScalarType;
use crate::source::known::{Declared, changed};
use crate::source::loops::steps;
use crate::source::nest::{assignment, is_name, operation};
use crate::source::plain::{binary, block, choice, inner, item, listed, number, untrue, variable};
use crate::source::polynomial::changes;

/// Rewrites the loops of a function.
pub fn dwindling(function: &mut FunctionDefinition, declared: &Declared) {
    let data = Data::of(function, declared);
    let mut body = function.statement.clone();
    let loops = Loops { data, declared, whole: &function.statement };
    let mut count = 0;
    loops.statement(&mut body, &[], &mut count);
    function.statement = body;
}

struct Loops<'d> {
    data: Data<'d>,
    declared: &'d Declared,
    /// The function's body as it was.
    whole: &'d Node<Statement>,
}

impl Loops<'_> {
    /// Rewrites a statement, which stands behind others in its block.
    fn statement(&self, node: &mut Node<Statement>, before: &[Node<BlockItem>], count: &mut usize) {
        if let Statement::Compound(items) = &mut node.node {
            for k in 0..items.len() {
                let (before, rest) = items.split_at_mut(k);
                if let BlockItem::Statement(own) = &mut rest[0].node {
                    self.statement(own, before, count);
                }
            }
            return;
        }
        inner(&mut node.node).into_iter().for_each(|inner| self.statement(inner, &[], count));
        if let Some(made) = self.counted(node, before, *count) {
            *count += 1;
            *node = made;
        }
    }

    /// The loop with a number of rounds that is surely enough.
    fn counted(&self, node: &Node<Statement>, before: &[Node<BlockItem>], count: usize) -> Option<Node<Statement>> {
        let span = node.span;
        let always = Box::new(number("1", span));
        let (first, condition, body, steps) = match &node.node {
            Statement::While(w) => (None, &w.node.expression, &w.node.statement, vec![]),
            Statement::DoWhile(w) => (None, &w.node.expression, &w.node.statement, vec![]),
            Statement::For(f) => {
                let ForStatement { initializer, condition, step, statement } = &f.node;
                let steps = step.as_deref().map(steps).unwrap_or_default();
                (
                    Some(initializer),
                    condition.as_ref().unwrap_or(&always),
                    statement,
                    steps.into_iter().cloned().map(item).collect(),
                )
            }
            _ => return None,
        };
        let is_do = matches!(node.node, Statement::DoWhile(_));
        if has_continue(body) && (is_do || !steps.is_empty()) || changes(condition) {
            return None;
        }
        let own = [listed(body), steps].concat();
        let mut begun: Vec<Node<BlockItem>> = match first.map(|first| &first.node) {
            Some(ForInitializer::Expression(first)) => {
                crate::source::loops::steps(first).into_iter().cloned().map(item).collect()
            }
            Some(ForInitializer::Declaration(own)) => vec![Node::new(BlockItem::Declaration(own.clone()), own.span)],
            Some(ForInitializer::StaticAssert(_)) => return None,
            Some(ForInitializer::Empty) | None => vec![],
        };
        let end = match self.dwindling(condition, &own) {
            Some(rounds) => number(&(rounds + i64::from(is_do)).to_string(), span),
            None if is_do => return None,
            None => {
                let before = [before, &begun].concat();
                let (data, declared, whole) = (&self.data, self.declared, self.whole);
                Nearing { data, declared, condition, body: &own, before: &before, whole }.rounds()?
            }
        };
        let mut items = own;
        let leave = choice(untrue((**condition).clone()), Node::new(Statement::Break, span), None, span);
        let leave = statement(leave.node, condition.span);
        if !is_always(condition) {
            items.insert(if is_do { items.len() } else { 0 }, leave);
        }
        let round = self.declared.unused(&format!("round_{count}"));
        let specifiers = super::leave::integer(span);
        let begin = declaration(specifiers, &round, number("0", span), span);
        let counted = ForStatement {
            initializer: Node::new(ForInitializer::Declaration(begin), span),
            condition: Some(Box::new(binary(BinaryOperator::Less, named(&round, span), end, span))),
            step: Some(Box::new(binary(BinaryOperator::AssignPlus, named(&round, span), number("1", span), span))),
            statement: Box::new(block(items, body.span)),
        };
        let counted = Node::new(Statement::For(Node::new(counted, span)), span);
        if begun.is_empty() {
            return Some(counted);
        }
        begun.push(Node::new(BlockItem::Statement(counted), span));
        Some(block(begun, span))
    }

    /// After how many rounds nothing is left of the number that a condition depends on.
    fn dwindling(&self, condition: &Node<Expression>, own: &[Node<BlockItem>]) -> Option<i64> {
        let all = changed(&block(own.to_vec(), condition.span));
        let moved: Vec<String> = names_in(condition).into_iter().filter(|name| all.contains(name)).collect();
        let name = moved.first()?;
        let ty = self.declared.integer(name, 0).filter(|_| !self.declared.has_address(name))?;
        let mut ways = own.iter().filter_map(|item| dwindles(item, name));
        let (rounds, once) = (ways.next()?.rounds(ty), ways.next().is_none());
        // Of what is known before the run each round is read by itself.
        let is_data = self.data.is_in(&named(name, condition.span));
        let alone = moved.iter().all(|own| own == name) && !reads(condition);
        let is_own = |item: &&Node<BlockItem>| changed(&block(vec![(*item).clone()], item.span)).contains(name);
        let is_moved_once = own.iter().filter(is_own).count() == 1;
        let ends = !leaves(own) || self.ends_at_zero(condition, name, ty);
        (once && is_moved_once && is_data && alone && ends).then_some(rounds)
    }

    /// Whether a condition surely fails when nothing is left of the number, whatever it was.
    fn ends_at_zero(&self, condition: &Node<Expression>, name: &str, ty: ScalarType) -> bool {
        match operation(condition) {
            None => !ty.signed && variable(condition) == Some(name),
            Some((BinaryOperator::NotEquals, o)) => !ty.signed && is_name(&o.lhs, name) && constant(&o.rhs) == Some(0),
            Some((BinaryOperator::Greater, o)) => {
                is_name(&o.lhs, name) && constant(&o.rhs).is_some_and(|least| least >= 0)
            }
            Some((BinaryOperator::GreaterOrEqual, o)) => {
                is_name(&o.lhs, name) && constant(&o.rhs).is_some_and(|least| least > 0)
            }
            _ => false,
        }
    }
}

/// What makes a number smaller.
enum Way {
    Shift(i64),
    Divide(i64),
    LastBit,
}

impl Way {
    /// How many rounds leave nothing of any number of a type.
    fn rounds(&self, ty: ScalarType) -> i64 {
        let bits = i64::from(ty.bits);
        match self {
            Way::Shift(by) => (bits + by - 1) / by,
            Way::Divide(by) => {
                let (mut left, mut rounds) = (u64::MAX >> (64 - ty.bits), 0);
                while left > 0 {
                    left /= by.unsigned_abs();
                    rounds += 1;
                }
                rounds
            }
            Way::LastBit => bits,
        }
    }
}

/// How an item of a body changes a variable, if it does only that.
fn dwindles(item: &Node<BlockItem>, name: &str) -> Option<Way> {
    let BlockItem::Statement(Node { node: Statement::Expression(Some(own)), .. }) = &item.node else { return None };
    let (operator, o) = operation(own).filter(|(_, o)| is_name(&o.lhs, name))?;
    let way = |operator: &BinaryOperator, by: &Node<Expression>| match operator {
        BinaryOperator::ShiftRight | BinaryOperator::ShiftLeft => {
            constant(by).filter(|by| (1..32).contains(by)).map(Way::Shift)
        }
        BinaryOperator::Divide => constant(by).filter(|by| (2..1 << 30).contains(by)).map(Way::Divide),
        BinaryOperator::BitwiseAnd => match operation(by) {
            Some((BinaryOperator::Minus, less)) => {
                (is_name(&less.lhs, name) && constant(&less.rhs) == Some(1)).then_some(Way::LastBit)
            }
            _ => None,
        },
        _ => None,
    };
    match operator {
        BinaryOperator::AssignShiftRight => way(&BinaryOperator::ShiftRight, &o.rhs),
        BinaryOperator::AssignShiftLeft => way(&BinaryOperator::ShiftLeft, &o.rhs),
        BinaryOperator::AssignDivide => way(&BinaryOperator::Divide, &o.rhs),
        BinaryOperator::AssignBitwiseAnd => way(&BinaryOperator::BitwiseAnd, &o.rhs),
        BinaryOperator::Assign => {
            let (operator, right) = operation(&o.rhs).filter(|(_, right)| is_name(&right.lhs, name))?;
            way(&operator, &right.rhs)
        }
        _ => None,
    }
}

/// Whether an expression reads memory, which a body may change.
fn reads(condition: &Node<Expression>) -> bool {
    struct Reads(bool);
    impl<'ast> Visit<'ast> for Reads {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            self.0 |= match expression {
                Expression::Call(_) | Expression::Member(_) => true,
                Expression::UnaryOperator(unary) => unary.node.operator.node == lang_c::ast::UnaryOperator::Indirection,
                Expression::BinaryOperator(o) => {
                    o.node.operator.node == BinaryOperator::Index || assignment(&o.node.operator.node).is_some()
                }
                _ => false,
            };
            visit::visit_expression(self, expression, span);
        }
    }
    let mut reads = Reads(false);
    reads.visit_expression(&condition.node, &condition.span);
    reads.0
}

/// Whether a body may leave its loop otherwise than by the condition.
fn leaves(items: &[Node<BlockItem>]) -> bool {
    struct Leaves(bool);
    impl<'ast> Visit<'ast> for Leaves {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            self.0 |= matches!(statement, Statement::Break | Statement::Return(_) | Statement::Goto(_));
            visit::visit_statement(self, statement, span);
        }
    }
    let mut found = Leaves(false);
    items.iter().for_each(|item| found.visit_block_item(&item.node, &item.span));
    found.0
}
