//! What depends on data: array elements, and variables that get their values from such, or under conditions on such.

use std::collections::HashSet;

use lang_c::ast::{
    BinaryOperator, BlockItem, Declaration, Expression, FunctionDefinition, IfStatement, Initializer, Statement,
    UnaryOperator,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::super::canonical::names_in;
use super::super::function::{derived, identifier};
use super::super::known::{Declared, changed, changed_in};
use super::super::nest::assignment;
use super::super::plain::{inner, variable};
use super::leave::trailing;

/// What ends loops otherwise than by counting.
#[derive(Clone, Copy, PartialEq)]
pub enum Decided {
    ByData,
    /// Also all that statements give a value: then only those loops count that are made to.
    ByAny,
}

/// The variables of a function whose values may be data.
pub struct Data<'d> {
    declared: &'d Declared,
    names: HashSet<String>,
}

impl<'d> Data<'d> {
    pub fn of(function: &FunctionDefinition, declared: &'d Declared, decided: Decided) -> Data<'d> {
        let mut data = Data { declared, names: HashSet::new() };
        if decided == Decided::ByAny {
            data.names.extend(given_by_statements(&function.statement));
        }
        loop {
            let known = data.names.len();
            let mut more = Assigned { data: &data, found: HashSet::new() };
            more.visit_statement(&function.statement.node, &function.statement.span);
            let found = more.found;
            data.names.extend(found);
            if data.names.len() == known {
                return data;
            }
        }
    }

    /// Whether data may decide what an expression is. Numbers that are no integers count as such.
    pub fn is_in(&self, node: &Node<Expression>) -> bool {
        self.is_in_but(node, &[])
    }

    /// The same where these variables are no data: what a loop counts with is not, also under a condition on data.
    pub fn is_in_but(&self, node: &Node<Expression>, counters: &[String]) -> bool {
        let is_data = |name: &String| self.names.contains(name) && !counters.contains(name);
        reads_memory(node) || names_in(node).iter().any(|name| is_data(name) || !self.is_integer(name))
    }

    /// Of those that the file declares, nothing is known.
    fn is_integer(&self, name: &str) -> bool {
        self.declared.times(name) == 0 || self.declared.has_bits(name, 1)
    }
}

/// Looks for variables that get data.
struct Assigned<'d> {
    data: &'d Data<'d>,
    found: HashSet<String>,
}

impl<'ast> Visit<'ast> for Assigned<'_> {
    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
        if let Expression::BinaryOperator(o) = expression
            && assignment(&o.node.operator.node).is_some()
            && let Some(name) = variable(&o.node.lhs)
            && self.data.is_in(&o.node.rhs)
        {
            self.found.insert(name.to_string());
        }
        visit::visit_expression(self, expression, span);
    }

    fn visit_declaration(&mut self, declaration: &'ast Declaration, span: &'ast Span) {
        for declarator in &declaration.declarators {
            let first = declarator.node.initializer.as_ref().map(|first| &first.node);
            if let (Some(name), Some(Initializer::Expression(value))) =
                (identifier(&declarator.node.declarator.node), first)
                && derived(&declarator.node.declarator).is_empty()
                && self.data.is_in(value)
            {
                self.found.insert(name.node.name.clone());
            }
        }
        visit::visit_declaration(self, declaration, span);
    }

    fn visit_if_statement(&mut self, branch: &'ast IfStatement, span: &'ast Span) {
        if self.data.is_in(&branch.condition) {
            let mut own: Node<Statement> = Node::new(Statement::If(Node::new(branch.clone(), *span)), *span);
            without_last_steps(&mut own);
            self.found.extend(changed(&own));
        }
        visit::visit_if_statement(self, branch, span);
    }
}

/// Takes away the steps before each `break`: in the loop they are seen no more.
fn without_last_steps(node: &mut Node<Statement>) {
    if let Statement::Compound(items) = &mut node.node {
        for item in items.iter_mut() {
            if let BlockItem::Statement(own) = &mut item.node {
                without_last_steps(own);
            }
        }
        let is_break = |item: &Node<BlockItem>| matches!(&item.node, BlockItem::Statement(own) if matches!(own.node, Statement::Break));
        if items.last().is_some_and(is_break) {
            items.pop();
            let (front, _) = trailing(std::mem::take(items));
            *items = front;
        }
        return;
    }
    inner(&mut node.node).into_iter().for_each(without_last_steps);
}

/// Whether an expression looks at memory, or calls what may.
pub fn reads_memory(node: &Node<Expression>) -> bool {
    struct Reads(bool);
    impl<'ast> Visit<'ast> for Reads {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            self.0 |= match expression {
                Expression::Call(_) | Expression::Member(_) => true,
                Expression::UnaryOperator(unary) => unary.node.operator.node == UnaryOperator::Indirection,
                Expression::BinaryOperator(o) => o.node.operator.node == BinaryOperator::Index,
                _ => false,
            };
            visit::visit_expression(self, expression, span);
        }
    }
    let mut reads = Reads(false);
    reads.visit_expression(&node.node, &node.span);
    reads.0
}

/// The names that statements give values to, other than in the heads of loops.
pub fn given_by_statements(whole: &Node<Statement>) -> HashSet<String> {
    struct Search(HashSet<String>);
    impl<'ast> Visit<'ast> for Search {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            if let Statement::Expression(Some(own)) = statement {
                let mut names = vec![];
                changed_in(own, &mut names);
                self.0.extend(names);
            }
            visit::visit_statement(self, statement, span);
        }
    }
    let mut search = Search(HashSet::new());
    search.visit_statement(&whole.node, &whole.span);
    search.0
}
