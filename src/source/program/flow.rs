//! Who reads a variable next: whether a value that comes into a region, or out of it, is ever looked at. Where that is
//! not certain, it is.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use lang_c::ast::{
    BinaryOperator, BlockItem, CallExpression, Declaration, Expression, ForInitializer, FunctionDefinition, Statement,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::super::function::identifier;
use super::super::nest::target_of;

/// What a piece of the program does with a variable first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// Gives it a new value, whatever happens.
    Written,
    /// May look at its value.
    Read,
    /// Neither, on some path.
    Untouched,
}

use First::{Read, Untouched, Written};

/// A variable that is followed through the functions of the file.
pub struct Flow<'u, 'n> {
    pub name: &'n str,
    /// Functions that may touch it; none for a local variable.
    pub functions: &'n HashMap<String, &'u Node<FunctionDefinition>>,
    pub is_global: bool,
}

impl<'u> Flow<'u, '_> {
    /// What these items do first.
    pub fn items(&self, items: &[&'u Node<BlockItem>]) -> First {
        let mut may_have_left = false;
        for item in items {
            match &item.node {
                BlockItem::Declaration(declaration) => {
                    if self.reads_declaration(&declaration.node) {
                        return Read;
                    }
                    if declares(&declaration.node, self.name) {
                        return Untouched;
                    }
                }
                BlockItem::StaticAssert(_) => {}
                BlockItem::Statement(statement) => match self.statement(statement) {
                    Untouched => may_have_left |= jumps(statement),
                    // A jump may have come before the assignment.
                    Written if may_have_left => return Untouched,
                    first => return first,
                },
            }
        }
        Untouched
    }

    fn statement(&self, node: &'u Node<Statement>) -> First {
        match &node.node {
            Statement::Labeled(labeled) => match self.statement(&labeled.node.statement) {
                Read => Read,
                _ => Untouched,
            },
            Statement::Compound(items) => self.items(&items.iter().collect::<Vec<_>>()),
            Statement::Expression(None) | Statement::Continue | Statement::Break | Statement::Goto(_) => Untouched,
            Statement::Expression(Some(expression)) => self.expression(expression),
            Statement::If(branch) => {
                if let first @ (Read | Written) = self.expression(&branch.node.condition) {
                    return first;
                }
                let then = self.statement(&branch.node.then_statement);
                let otherwise = branch.node.else_statement.as_ref().map_or(Untouched, |s| self.statement(s));
                match (then, otherwise) {
                    (Read, _) | (_, Read) => Read,
                    (Written, Written) => Written,
                    _ => Untouched,
                }
            }
            Statement::While(w) => match self.expression(&w.node.expression) {
                Untouched => match self.statement(&w.node.statement) {
                    Read => Read,
                    _ => Untouched,
                },
                first => first,
            },
            Statement::DoWhile(w) => match self.statement(&w.node.statement) {
                // A `break` may come before the assignment.
                Written if !jumps(&w.node.statement) => Written,
                Read => Read,
                _ if self.expression(&w.node.expression) == Read => Read,
                _ => Untouched,
            },
            Statement::For(f) => {
                let first = match &f.node.initializer.node {
                    ForInitializer::Expression(first) => self.expression(first),
                    ForInitializer::Declaration(declaration) => {
                        if self.reads_declaration(&declaration.node) {
                            return Read;
                        }
                        if declares(&declaration.node, self.name) {
                            return Untouched;
                        }
                        Untouched
                    }
                    _ => Untouched,
                };
                if first != Untouched {
                    return first;
                }
                let condition = f.node.condition.as_ref().map_or(Untouched, |c| self.expression(c));
                if condition != Untouched {
                    return condition;
                }
                let body = self.statement(&f.node.statement);
                let step = f.node.step.as_ref().map_or(Untouched, |step| self.expression(step));
                match (body, step) {
                    (Read, _) | (Untouched, Read) => Read,
                    // `continue` may come before the assignment.
                    (Written, Read) if jumps(&f.node.statement) => Read,
                    _ => Untouched,
                }
            }
            Statement::Return(value) => match value.as_ref().is_some_and(|value| self.mentions(value)) {
                true => Read,
                false => Untouched,
            },
            _ => {
                let mut words = Words { name: self.name, found: false };
                words.visit_statement(&node.node, &node.span);
                if words.found || self.is_global { Read } else { Untouched }
            }
        }
    }

    fn reads_declaration(&self, declaration: &'u Declaration) -> bool {
        let mut reads = Reads { flow: self, found: false };
        declaration.declarators.iter().for_each(|d| {
            reads.visit_declarator(&d.node.declarator.node, &d.span);
            d.node.initializer.iter().for_each(|first| reads.visit_initializer(&first.node, &first.span));
        });
        reads.found
    }

    fn expression(&self, node: &'u Node<Expression>) -> First {
        match &node.node {
            Expression::Comma(parts) => {
                parts.iter().map(|part| self.expression(part)).find(|first| *first != Untouched).unwrap_or(Untouched)
            }
            Expression::BinaryOperator(o)
                if o.node.operator.node == BinaryOperator::Assign && is_name(&o.node.lhs, self.name) =>
            {
                match self.expression(&o.node.rhs) {
                    Read => Read,
                    _ => Written,
                }
            }
            // `i = j = 0`
            Expression::BinaryOperator(o) if o.node.operator.node == BinaryOperator::Assign => {
                match (self.mentions(&o.node.lhs), self.expression(&o.node.rhs)) {
                    (true, _) | (_, Read) => Read,
                    (false, first) => first,
                }
            }
            _ if self.mentions(node) => Read,
            _ => Untouched,
        }
    }

    /// Whether an expression names the variable, or calls who may.
    fn mentions(&self, node: &'u Node<Expression>) -> bool {
        let mut reads = Reads { flow: self, found: false };
        reads.visit_expression(&node.node, &node.span);
        reads.found
    }

    /// Whether a call of this function may touch the variable.
    fn callee_touches(&self, name: &str) -> bool {
        self.is_global && touches(self.name, name, self.functions, &mut HashSet::new())
    }
}

/// Whether a function of the file, or one that it calls, names the variable.
fn touches(
    variable: &str,
    function: &str,
    functions: &HashMap<String, &Node<FunctionDefinition>>,
    seen: &mut HashSet<String>,
) -> bool {
    let Some(definition) = functions.get(function) else { return false };
    if !seen.insert(function.to_string()) {
        return false;
    }
    let mut words = AllWords::default();
    words.visit_statement(&definition.node.statement.node, &definition.node.statement.span);
    words.0.contains(variable) || words.0.iter().any(|word| touches(variable, word, functions, seen))
}

/// Looks for the variable, and for calls of functions that touch it.
struct Reads<'f, 'u, 'n> {
    flow: &'f Flow<'u, 'n>,
    found: bool,
}

impl<'ast> Visit<'ast> for Reads<'_, '_, '_> {
    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast ByteSpan) {
        if let Expression::Identifier(name) = expression {
            self.found |= name.node.name == self.flow.name;
        }
        visit::visit_expression(self, expression, span);
    }

    fn visit_call_expression(&mut self, call: &'ast CallExpression, span: &'ast ByteSpan) {
        if let Expression::Identifier(name) = &call.callee.node {
            self.found |= self.flow.callee_touches(&name.node.name);
        }
        visit::visit_call_expression(self, call, span);
    }
}

struct Words<'n> {
    name: &'n str,
    found: bool,
}

impl<'ast> Visit<'ast> for Words<'_> {
    fn visit_identifier(&mut self, identifier: &'ast lang_c::ast::Identifier, _: &'ast ByteSpan) {
        self.found |= identifier.name == self.name;
    }
}

/// Every name.
#[derive(Default)]
pub struct AllWords(pub HashSet<String>);

impl<'ast> Visit<'ast> for AllWords {
    fn visit_identifier(&mut self, identifier: &'ast lang_c::ast::Identifier, _: &'ast ByteSpan) {
        self.0.insert(identifier.name.clone());
    }
}

/// The scalars that an expression or statement changes, or whose address it takes.
#[derive(Default)]
pub struct Changed(pub HashSet<String>);

impl<'ast> Visit<'ast> for Changed {
    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast ByteSpan) {
        if let Some(Node { node: Expression::Identifier(name), .. }) = target_of(expression) {
            self.0.insert(name.node.name.clone());
        }
        visit::visit_expression(self, expression, span);
    }
}

fn is_name(node: &Node<Expression>, name: &str) -> bool {
    matches!(&node.node, Expression::Identifier(identifier) if identifier.node.name == name)
}

pub fn declares(declaration: &Declaration, name: &str) -> bool {
    declaration
        .declarators
        .iter()
        .any(|d| identifier(&d.node.declarator.node).is_some_and(|found| found.node.name == name))
}

/// Whether it has a jump of any kind.
fn jumps(node: &Node<Statement>) -> bool {
    struct Jumps(bool);
    impl<'ast> Visit<'ast> for Jumps {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast ByteSpan) {
            self.0 |=
                matches!(statement, Statement::Continue | Statement::Break | Statement::Goto(_) | Statement::Return(_));
            visit::visit_statement(self, statement, span);
        }
    }
    let mut jumps = Jumps(false);
    jumps.visit_statement(&node.node, &node.span);
    jumps.0
}

/// The way from a function's body down to the list of items that a region lies in: the statements around it, outermost
/// first, and the list with the region's part of it.
pub struct Path<'u> {
    pub around: Vec<Level<'u>>,
}

/// A list of items, and which of them are the region or the statement that it lies in.
pub struct Level<'u> {
    pub items: Vec<&'u Node<BlockItem>>,
    pub inside: Range<usize>,
    /// The loop whose body this is.
    pub of_loop: Option<&'u Node<Statement>>,
}

impl<'u> Path<'u> {
    /// Whether the variable's value is read behind the region, before the function ends.
    pub fn is_live(&self, flow: &Flow<'u, '_>) -> Option<bool> {
        for level in self.around.iter().rev() {
            match flow.items(&level.items[level.inside.end..]) {
                Read => return Some(true),
                Written => return Some(false),
                Untouched => {}
            }
            if let Some(around) = level.of_loop {
                let before = flow.items(&level.items[..level.inside.start]);
                let first_inside = flow.items(&level.items[level.inside.clone()]);
                // Round again: head, what stands before the region, the region.
                let head = match &around.node {
                    Statement::For(f) => {
                        let step = f.node.step.as_ref().map_or(Untouched, |step| flow.expression(step));
                        let condition = f.node.condition.as_ref().map_or(Untouched, |c| flow.expression(c));
                        [step, condition]
                    }
                    Statement::While(w) => [flow.expression(&w.node.expression), Untouched],
                    Statement::DoWhile(w) => [flow.expression(&w.node.expression), Untouched],
                    _ => [Untouched; 2],
                };
                let round = [head[0], head[1], before, first_inside];
                if round.into_iter().find(|first| *first != Untouched) == Some(Read) {
                    return Some(true);
                }
            }
        }
        None
    }
}
