//! What statements change, and changes that nobody reads.

use std::collections::HashSet;

use lang_c::ast::{BlockItem, Declarator, DerivedDeclarator, Expression, InitDeclarator, Initializer, Statement};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::super::function::identifier;
use super::super::nest::{assignment, counts, operation};
use super::super::plain::variable;
use super::super::polynomial::changes;

/// The names that a statement changes or declares.
pub fn changed(node: &Node<Statement>) -> Vec<String> {
    struct Changes(Vec<String>);
    impl<'ast> Visit<'ast> for Changes {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            match expression {
                Expression::UnaryOperator(unary) if counts(&unary.node.operator.node) => {
                    self.0.extend(variable(&unary.node.operand).map(str::to_string));
                }
                Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => {
                    self.0.extend(variable(&o.node.lhs).map(str::to_string));
                }
                _ => {}
            }
            visit::visit_expression(self, expression, span);
        }
        fn visit_init_declarator(&mut self, declarator: &'ast InitDeclarator, span: &'ast Span) {
            self.0.extend(identifier(&declarator.declarator.node).map(|name| name.node.name.clone()));
            visit::visit_init_declarator(self, declarator, span);
        }
    }
    let mut found = Changes(vec![]);
    found.visit_statement(&node.node, &node.span);
    found.0.sort();
    found.0.dedup();
    found.0
}

pub fn changed_in(node: &Node<Expression>, names: &mut Vec<String>) {
    let own = Statement::Expression(Some(Box::new(node.clone())));
    names.extend(changed(&Node::new(own, node.span)));
}

/// Takes away what gives values to variables that nobody reads any more.
pub fn remove_unread(body: &mut Node<Statement>, names: HashSet<String>) {
    let mut left = names;
    loop {
        let unread: HashSet<String> = left.iter().filter(|name| !is_read(body, name)).cloned().collect();
        if unread.is_empty() {
            return;
        }
        left.retain(|name| !unread.contains(name));
        without(body, &unread);
    }
}

/// The variable that an expression does nothing but change.
fn only_changes(node: &Node<Expression>) -> Option<&str> {
    match &node.node {
        Expression::UnaryOperator(unary) => changes(node).then(|| variable(&unary.node.operand))?,
        _ => {
            let (operator, o) = operation(node)?;
            assignment(&operator)?;
            variable(&o.lhs).filter(|_| !changes(&o.rhs))
        }
    }
}

fn is_read(body: &Node<Statement>, name: &str) -> bool {
    struct Reads<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Reads<'_> {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            if let Statement::Expression(Some(own)) = statement
                && only_changes(own) == Some(self.0)
            {
                if let Some((_, o)) = operation(own) {
                    self.visit_expression(&o.rhs.node, &o.rhs.span);
                }
                return;
            }
            visit::visit_statement(self, statement, span);
        }
        fn visit_declarator(&mut self, declarator: &'ast Declarator, span: &'ast Span) {
            for part in &declarator.derived {
                if let DerivedDeclarator::Array(_) = &part.node {
                    self.visit_derived_declarator(&part.node, &part.span);
                }
            }
            let _ = span;
        }
        fn visit_identifier(&mut self, identifier: &'ast lang_c::ast::Identifier, _: &'ast Span) {
            self.1 |= identifier.name == self.0;
        }
    }
    let mut reads = Reads(name, false);
    reads.visit_statement(&body.node, &body.span);
    reads.1
}

fn without(node: &mut Node<Statement>, names: &HashSet<String>) {
    match &mut node.node {
        Statement::Expression(Some(own)) if only_changes(own).is_some_and(|name| names.contains(name)) => {
            node.node = Statement::Expression(None);
        }
        Statement::Compound(items) => {
            for item in items {
                match &mut item.node {
                    BlockItem::Declaration(declaration) => {
                        for declarator in &mut declaration.node.declarators {
                            let InitDeclarator { declarator, initializer } = &mut declarator.node;
                            if identifier(&declarator.node).is_some_and(|name| names.contains(&name.node.name)) {
                                let is_pure = matches!(initializer, Some(Node { node: Initializer::Expression(first), .. })
                                    if !changes(first));
                                if is_pure {
                                    *initializer = None;
                                }
                            }
                        }
                    }
                    BlockItem::Statement(inner) => without(inner, names),
                    BlockItem::StaticAssert(_) => {}
                }
            }
        }
        other => super::super::plain::inner(other).into_iter().for_each(|inner| without(inner, names)),
    }
}
