//! The variables that a part of the program uses without declaring them.

use std::collections::HashSet;

use lang_c::ast::{
    BlockItem, CallExpression, Declaration, DeclarationSpecifier, Declarator, DerivedDeclarator, Expression,
    ExternalDeclaration, ForStatement, InitDeclarator, Initializer, MemberExpression, ParameterDeclaration, Statement,
    StorageClassSpecifier,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::super::canonical::names_in;
use super::super::function::{derived, identifier};
use super::super::nest::{assignment, counts};
use super::super::types::{is_const, is_typedef};
use super::Reader;
use super::outline::Part;

/// A variable's declaration.
#[derive(Clone, Copy)]
pub enum Declared<'u> {
    Variable { declaration: &'u Declaration, declarator: &'u Node<InitDeclarator>, is_global: bool },
    Argument(&'u Node<ParameterDeclaration>),
}

impl<'u> Declared<'u> {
    pub fn declarator(&self) -> Option<&'u Node<Declarator>> {
        match self {
            Declared::Variable { declarator, .. } => Some(&declarator.node.declarator),
            Declared::Argument(parameter) => parameter.node.declarator.as_ref(),
        }
    }

    pub fn specifiers(&self) -> &'u [Node<DeclarationSpecifier>] {
        match self {
            Declared::Variable { declaration, .. } => &declaration.specifiers,
            Declared::Argument(parameter) => &parameter.node.specifiers,
        }
    }

    pub fn is_scalar(&self) -> bool {
        self.declarator().is_some_and(|declarator| derived(declarator).is_empty())
    }

    pub fn initializer(&self) -> Option<&'u Node<Initializer>> {
        match self {
            Declared::Variable { declarator, .. } => declarator.node.initializer.as_ref(),
            Declared::Argument(_) => None,
        }
    }

    pub fn is_const(&self) -> bool {
        matches!(self, Declared::Variable { declaration, .. } if is_const(declaration))
    }

    pub fn is_global(&self) -> bool {
        matches!(self, Declared::Variable { is_global: true, .. })
    }

    pub fn is_static(&self) -> bool {
        self.specifiers().iter().any(
            |s| matches!(&s.node, DeclarationSpecifier::StorageClass(c) if c.node == StorageClassSpecifier::Static),
        )
    }
}

/// The names in the order of their first use that are declared outside of what is visited.
#[derive(Default)]
pub struct Free {
    pub names: Vec<String>,
    /// Functions that are called.
    pub called: HashSet<String>,
    seen: HashSet<String>,
    scopes: Vec<HashSet<String>>,
}

impl Free {
    fn mention(&mut self, name: &str) {
        if !self.scopes.iter().any(|scope| scope.contains(name)) && self.seen.insert(name.to_string()) {
            self.names.push(name.to_string());
        }
    }

    fn declare(&mut self, name: &str) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string());
        }
    }

    pub fn of_items<'u>(items: impl IntoIterator<Item = &'u Node<BlockItem>>) -> Free {
        let mut free = Free { scopes: vec![HashSet::new()], ..Free::default() };
        items.into_iter().for_each(|item| free.visit_block_item(&item.node, &item.span));
        free
    }
}

impl<'ast> Visit<'ast> for Free {
    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast ByteSpan) {
        let is_block = matches!(statement, Statement::Compound(_));
        if is_block {
            self.scopes.push(HashSet::new());
        }
        visit::visit_statement(self, statement, span);
        if is_block {
            self.scopes.pop();
        }
    }

    fn visit_for_statement(&mut self, f: &'ast ForStatement, span: &'ast ByteSpan) {
        self.scopes.push(HashSet::new());
        visit::visit_for_statement(self, f, span);
        self.scopes.pop();
    }

    fn visit_init_declarator(&mut self, declarator: &'ast InitDeclarator, span: &'ast ByteSpan) {
        if let Some(name) = identifier(&declarator.declarator.node) {
            self.declare(&name.node.name);
        }
        visit::visit_init_declarator(self, declarator, span);
    }

    // The names of a prototype's arguments are its own.
    fn visit_parameter_declaration(&mut self, _: &'ast ParameterDeclaration, _: &'ast ByteSpan) {}

    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast ByteSpan) {
        if let Expression::Identifier(name) = expression {
            self.mention(&name.node.name);
        }
        visit::visit_expression(self, expression, span);
    }

    fn visit_member_expression(&mut self, member: &'ast MemberExpression, _: &'ast ByteSpan) {
        self.visit_expression(&member.expression.node, &member.expression.span);
    }

    fn visit_call_expression(&mut self, call: &'ast CallExpression, _: &'ast ByteSpan) {
        match &call.callee.node {
            Expression::Identifier(name) => {
                self.called.insert(name.node.name.clone());
            }
            callee => self.visit_expression(callee, &call.callee.span),
        }
        call.arguments.iter().for_each(|argument| self.visit_expression(&argument.node, &argument.span));
    }
}

/// The names in a declarator's extents.
pub fn in_extents(declarator: &Node<Declarator>) -> Vec<String> {
    let mut free = Free::default();
    for part in derived(declarator) {
        if let DerivedDeclarator::Array(array) = &part.node {
            free.visit_array_size(&array.node.size, &array.span);
        }
    }
    free.names
}

/// The variable of the file that a name stands for.
pub fn global<'u>(reader: &Reader<'u>, name: &str) -> Option<Declared<'u>> {
    let mut found: Option<Declared<'u>> = None;
    for external in &reader.unit.0 {
        let ExternalDeclaration::Declaration(declaration) = &external.node else { continue };
        if let Some(declared) = variable(&declaration.node, name, true) {
            // `extern double a[];` says less than the definition.
            let says_more = |old: &Declared| old.initializer().is_none() && !is_extern(&declaration.node);
            if found.as_ref().is_none_or(says_more) {
                found = Some(declared);
            }
        }
    }
    found
}

fn is_extern(declaration: &Declaration) -> bool {
    declaration
        .specifiers
        .iter()
        .any(|s| matches!(&s.node, DeclarationSpecifier::StorageClass(c) if c.node == StorageClassSpecifier::Extern))
}

/// The variable `name` of a declaration.
pub fn variable<'u>(declaration: &'u Declaration, name: &str, is_global: bool) -> Option<Declared<'u>> {
    if is_typedef(declaration) {
        return None;
    }
    let is_it =
        |d: &&'u Node<InitDeclarator>| identifier(&d.node.declarator.node).is_some_and(|found| found.node.name == name);
    let declarator = declaration.declarators.iter().find(is_it)?;
    let is_function = derived(&declarator.node.declarator)
        .first()
        .is_some_and(|first| matches!(first.node, DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_)));
    (!is_function).then_some(Declared::Variable { declaration, declarator, is_global })
}

/// Whether a region may write to what its function's arguments point to, or to what calls get.
pub fn writes_to_arguments(part: &Part) -> bool {
    let Some(region) = &part.region else { return true };
    let pointers: HashSet<String> = super::outline::parameters(part.function)
        .iter()
        .filter_map(|parameter| parameter.node.declarator.as_ref())
        .filter(|declarator| !derived(declarator).is_empty())
        .filter_map(|declarator| Some(identifier(&declarator.node)?.node.name.clone()))
        .collect();
    let mut targets = Targets { bytes: region.bytes.clone(), names: HashSet::new() };
    targets.visit_function_definition(&part.function.node, &part.function.span);
    !targets.names.is_disjoint(&pointers)
}

/// The names in what a region assigns, and in what its calls get.
pub fn targets(items: &[&Node<BlockItem>]) -> HashSet<String> {
    let mut targets = Targets { bytes: 0..usize::MAX, names: HashSet::new() };
    items.iter().for_each(|item| targets.visit_block_item(&item.node, &item.span));
    targets.names
}

/// The names in what is assigned, and in what calls get.
struct Targets {
    bytes: std::ops::Range<usize>,
    names: HashSet<String>,
}

impl<'ast> Visit<'ast> for Targets {
    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast ByteSpan) {
        if self.bytes.contains(&span.start) {
            match expression {
                Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => {
                    self.names.extend(names_in(&o.node.lhs));
                }
                Expression::UnaryOperator(unary) if counts(&unary.node.operator.node) => {
                    self.names.extend(names_in(&unary.node.operand));
                }
                Expression::Call(call) => self.names.extend(call.node.arguments.iter().flat_map(names_in)),
                _ => {}
            }
        }
        visit::visit_expression(self, expression, span);
    }
}

/// Whether a function uses variables of the file that are no constants.
pub fn uses_globals(reader: &Reader, part: &Part) -> bool {
    let Statement::Compound(items) = &part.function.node.statement.node else { return false };
    let own: HashSet<String> = super::outline::parameters(part.function)
        .iter()
        .filter_map(|parameter| Some(identifier(&parameter.node.declarator.as_ref()?.node)?.node.name.clone()))
        .collect();
    let free = Free::of_items(items);
    let calls_do = super::lift::use_globals(reader, &free.called);
    calls_do
        || free.names.iter().filter(|name| !own.contains(*name)).any(|name| {
            global(reader, name).is_some_and(|declared| !(declared.is_const() && declared.initializer().is_some()))
        })
}
