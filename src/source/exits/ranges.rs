//! Intervals that hold variables wherever they stand: of those that are only given values, or lose some of them by divisions, shifts and masks,
//! as `x` in `x = a[i] & 255; while (x % d == 0) x /= d;`.

use std::collections::HashMap;

use lang_c::ast::{BinaryOperator, Expression, FunctionDefinition, InitDeclarator, Initializer, Statement};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::taking::within_known;
use crate::source::canonical::names_in;
use crate::source::function::identifier;
use crate::source::known::Declared;
use crate::source::left::step_of;
use crate::source::nest::{assignment, counts, is_name, operation};
use crate::source::plain::variable;

/// How deep variables are looked up in the values of others.
const DEPTH: usize = 4;

/// What a function does to its variables.
pub struct Ranges<'d> {
    declared: &'d Declared,
    changes: HashMap<String, Changes>,
}

/// What statements do to a variable.
#[derive(Default)]
pub struct Changes {
    /// What it is given.
    pub given: Vec<Node<Expression>>,
    /// What takes something away from it, or some of its bits: `x /= d`, with `d`.
    pub less: Vec<(BinaryOperator, Node<Expression>)>,
    /// The constants that are added to it.
    pub steps: Vec<i64>,
    pub is_other: bool,
    pub is_declared: bool,
}

impl<'d> Ranges<'d> {
    pub fn of(function: &FunctionDefinition, declared: &'d Declared) -> Ranges<'d> {
        Ranges { declared, changes: changes_in(&function.statement) }
    }

    /// What the function does to a variable of its own, of which there is one by that name.
    pub fn changes(&self, name: &str) -> Option<&Changes> {
        let is_own = self.declared.times(name) == 1 && !self.declared.has_address(name);
        self.changes.get(name).filter(|all| is_own && all.is_declared && !all.is_other)
    }

    /// An interval that holds a value.
    pub fn value(&self, value: &Node<Expression>) -> Option<(i64, i64)> {
        self.within(value, DEPTH)
    }

    fn within(&self, value: &Node<Expression>, depth: usize) -> Option<(i64, i64)> {
        within_known(self.declared, value, &|name| self.variable(name, depth.checked_sub(1)?))
    }

    fn variable(&self, name: &str, depth: usize) -> Option<(i64, i64)> {
        let ty = self.declared.integer(name, 0)?;
        let changes = self.changes(name).filter(|all| all.steps.is_empty())?;
        let (least, most) = ty.limits();
        let all = changes.given.iter().map(|value| self.within(value, depth));
        let all = all.collect::<Option<Vec<_>>>()?;
        let (low, high) = (all.iter().map(|own| own.0).min()?, all.iter().map(|own| own.1).max()?);
        // What is converted is another number.
        if low < least || high > most {
            return None;
        }
        let is_positive = |by: &Node<Expression>| !ty.signed || self.within(by, depth).is_some_and(|(low, _)| low >= 0);
        let stays_positive = |(operator, by): &(BinaryOperator, Node<Expression>)| {
            low >= 0 && (*operator != BinaryOperator::Divide || is_positive(by))
        };
        if changes.less.iter().all(stays_positive) {
            return Some((if changes.less.is_empty() { low } else { 0 }, high));
        }
        // A mask leaves of a negative number what is larger.
        let furthest = high.max(low.checked_neg()?);
        let is_mask = |(operator, _): &(BinaryOperator, Node<Expression>)| *operator == BinaryOperator::BitwiseAnd;
        (!changes.less.iter().any(is_mask)).then_some((-furthest, furthest))
    }
}

impl Changes {
    /// That it becomes what an operator makes of it and another value.
    fn by(&mut self, operator: BinaryOperator, value: &Node<Expression>) {
        match operator {
            BinaryOperator::Divide
            | BinaryOperator::Modulo
            | BinaryOperator::ShiftRight
            | BinaryOperator::BitwiseAnd => self.less.push((operator, value.clone())),
            _ => self.is_other = true,
        }
    }

    fn add(&mut self, node: &Node<Expression>, name: &str) {
        if let Some(by) = step_of(node, name) {
            return self.steps.push(by);
        }
        match operation(node) {
            Some((BinaryOperator::Assign, o)) => match operation(&o.rhs) {
                Some((operator, inner)) if is_name(&inner.lhs, name) && !is_in(&inner.rhs, name) => {
                    self.by(operator, &inner.rhs);
                }
                _ => self.given.push((*o.rhs).clone()),
            },
            Some((BinaryOperator::AssignDivide, o)) => self.by(BinaryOperator::Divide, &o.rhs),
            Some((BinaryOperator::AssignModulo, o)) => self.by(BinaryOperator::Modulo, &o.rhs),
            Some((BinaryOperator::AssignShiftRight, o)) => self.by(BinaryOperator::ShiftRight, &o.rhs),
            Some((BinaryOperator::AssignBitwiseAnd, o)) => self.by(BinaryOperator::BitwiseAnd, &o.rhs),
            _ => self.is_other = true,
        }
    }
}

fn is_in(node: &Node<Expression>, name: &str) -> bool {
    names_in(node).iter().any(|own| own == name)
}

/// What a statement does to variables.
pub fn changes_in(node: &Node<Statement>) -> HashMap<String, Changes> {
    struct Search(HashMap<String, Changes>);
    impl<'ast> Visit<'ast> for Search {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            let target = match expression {
                Expression::UnaryOperator(unary) if counts(&unary.node.operator.node) => Some(&unary.node.operand),
                Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => Some(&o.node.lhs),
                _ => None,
            };
            if let Some(name) = target.and_then(|target| variable(target)) {
                let node = Node::new(expression.clone(), *span);
                self.0.entry(name.to_string()).or_default().add(&node, name);
            }
            visit::visit_expression(self, expression, span);
        }

        fn visit_init_declarator(&mut self, declarator: &'ast InitDeclarator, span: &'ast Span) {
            if let Some(name) = identifier(&declarator.declarator.node) {
                let changes = self.0.entry(name.node.name.clone()).or_default();
                changes.is_declared = true;
                if let Some(Node { node: Initializer::Expression(value), .. }) = &declarator.initializer {
                    changes.given.push((**value).clone());
                }
            }
            visit::visit_init_declarator(self, declarator, span);
        }
    }
    let mut search = Search(HashMap::new());
    search.visit_statement(&node.node, &node.span);
    search.0
}
