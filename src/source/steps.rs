//! What a statement adds to a variable, and how often a loop with constants in its head runs: read off C's own tree, for
//! [`super::track`].

use std::collections::HashSet;

use lang_c::ast::{
    BinaryOperator, BlockItem, Declarator, Expression, ForInitializer, ForStatement, Initializer,
    Statement as CStatement, UnaryOperator,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::canonical::{begun, names_in};
use super::function::identifier;
use super::kernel::BinaryOp;
use super::locals::Usage;
use super::nest::{Nest, assignment, is_name, operation};

/// A loop's body that changes a variable.
pub struct Body<'n> {
    pub name: &'n str,
    /// The names that it declares: outside of it they are others.
    own: HashSet<String>,
}

impl<'n> Body<'n> {
    pub fn of(name: &'n str, node: &Node<CStatement>) -> Body<'n> {
        struct Declared(HashSet<String>);
        impl<'ast> Visit<'ast> for Declared {
            fn visit_declarator(&mut self, declarator: &'ast Declarator, span: &'ast ByteSpan) {
                self.0.extend(identifier(declarator).map(|name| name.node.name.clone()));
                visit::visit_declarator(self, declarator, span);
            }
        }
        let mut declared = Declared(HashSet::new());
        declared.visit_statement(&node.node, &node.span);
        Body { name, own: declared.0 }
    }

    /// Whether an expression means outside of the body what it means inside.
    pub fn is_open(&self, node: &Node<Expression>) -> bool {
        !names_in(node).iter().any(|name| self.own.contains(name))
    }

    /// The same, where what `known` names has a value inside.
    pub fn is_open_but(&self, node: &Node<Expression>, known: &dyn Fn(&String) -> bool) -> bool {
        !names_in(node).iter().any(|name| self.own.contains(name) && !known(name))
    }

    /// Whether the variable's name is that of another inside.
    pub fn hides(&self) -> bool {
        self.own.contains(self.name)
    }
}

impl Nest<'_, '_> {
    /// The value of an expression of the body that has one for all iterations.
    pub fn constant_in(&mut self, body: &Body, node: &Node<Expression>) -> Option<i64> {
        if !body.is_open(node) {
            return None;
        }
        let known = self.scope.quotients.len();
        let value = self.scope.trial(|scope| scope.constant(node)).0.ok();
        self.scope.quotients.truncate(known);
        value
    }

    /// The constant that a statement adds to a variable.
    pub fn step_of(&mut self, body: &Body, node: &Node<CStatement>) -> Option<i64> {
        let name = body.name;
        if Usage::of_statement(name, node).is_constant() {
            return Some(0);
        }
        match &node.node {
            CStatement::Expression(Some(expression)) => self.step_of_expression(body, name, expression),
            CStatement::Compound(items) => items.iter().try_fold(0i64, |sum, item| match &item.node {
                BlockItem::Statement(statement) => sum.checked_add(self.step_of(body, statement)?),
                BlockItem::Declaration(declaration) => {
                    let names = declaration.node.declarators.iter().filter_map(|d| identifier(&d.node.declarator.node));
                    (!names.into_iter().any(|declared| declared.node.name == name)).then_some(sum)
                }
                BlockItem::StaticAssert(_) => Some(sum),
            }),
            CStatement::If(branch) => {
                let then = self.step_of(body, &branch.node.then_statement)?;
                let otherwise = match &branch.node.else_statement {
                    Some(statement) => self.step_of(body, statement)?,
                    None => 0,
                };
                (then == otherwise).then_some(then)
            }
            // It does not add to what it begins.
            CStatement::For(f) if begun(&f.node.initializer.node).iter().any(|own| own == name) => None,
            CStatement::For(f) => {
                let each = self.step_of(body, &f.node.statement)?;
                each.checked_mul(if each == 0 { 0 } else { self.constant_trips(body, &f.node)? })
            }
            _ => None,
        }
    }

    fn step_of_expression(&mut self, body: &Body, name: &str, node: &Node<Expression>) -> Option<i64> {
        match &node.node {
            Expression::UnaryOperator(unary) if is_name(&unary.node.operand, name) => match unary.node.operator.node {
                UnaryOperator::PreIncrement | UnaryOperator::PostIncrement => Some(1),
                UnaryOperator::PreDecrement | UnaryOperator::PostDecrement => Some(-1),
                _ => None,
            },
            _ => {
                let (operator, o) = operation(node)?;
                let own = is_name(&o.lhs, name);
                match (assignment(&operator)?, operation(&o.rhs)) {
                    (Some(BinaryOp::Add), _) if own => self.constant_in(body, &o.rhs),
                    (Some(BinaryOp::Subtract), _) if own => self.constant_in(body, &o.rhs)?.checked_neg(),
                    (None, Some((BinaryOperator::Plus, sum))) if own && is_name(&sum.lhs, name) => {
                        self.constant_in(body, &sum.rhs)
                    }
                    (None, Some((BinaryOperator::Minus, sum))) if own && is_name(&sum.lhs, name) => {
                        self.constant_in(body, &sum.rhs)?.checked_neg()
                    }
                    _ => None,
                }
            }
        }
    }

    /// The iterations of `for (int j = 0; j < 4; j += 2)`.
    pub fn constant_trips(&mut self, body: &Body, f: &ForStatement) -> Option<i64> {
        let (name, first) = match &f.initializer.node {
            ForInitializer::Declaration(declaration) => {
                let [declarator] = &declaration.node.declarators[..] else { return None };
                let Initializer::Expression(first) = &declarator.node.initializer.as_ref()?.node else { return None };
                (identifier(&declarator.node.declarator.node)?.node.name.clone(), self.constant_in(body, first)?)
            }
            ForInitializer::Expression(first) => {
                let (BinaryOperator::Assign, o) = operation(first)? else { return None };
                let Expression::Identifier(name) = &o.lhs.node else { return None };
                (name.node.name.clone(), self.constant_in(body, &o.rhs)?)
            }
            _ => return None,
        };
        let step = self.step_of_expression(body, &name, f.step.as_ref()?).filter(|step| *step > 0)?;
        let (operator, o) = operation(f.condition.as_ref()?)?;
        let end = self.constant_in(body, &o.rhs).filter(|_| is_name(&o.lhs, &name))?;
        let last = match operator {
            BinaryOperator::Less => end.checked_sub(1)?,
            BinaryOperator::LessOrEqual => end,
            _ => return None,
        };
        Some((last.checked_sub(first)?.div_euclid(step) + 1).max(0))
    }
}
