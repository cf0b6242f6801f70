//! `memset`, `memcpy` and `memmove`, written out in the preprocessed text as the loops over elements that they are, and
//! `sizeof` as the number of bytes that it is.
//!
//! ```c
//! memset(a, 0, sizeof a);                              // int a[n][w]
//! { for (int a_i = 0; …) for (int a_i_ = 0; …) a[a_i][a_i_] = 0; }
//! memcpy(&b[i * w], &a[i * w], w * sizeof *a);         // int *a
//! { for (int b_i = 0; b_i < w; b_i++) b[i * w + b_i] = a[i * w + b_i]; }
//! ```
//!
//! A number of bytes becomes loops over rows where the extents of the rows are factors of it. What has no meaning for the
//! elements, as a byte of a `float`, is refused.

mod block;
mod size;
mod variables;

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    CallExpression, Declaration, Declarator, Expression, ExternalDeclaration, ForInitializer, Statement,
    TranslationUnit,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::function::{self, identifier};
use super::preprocess::{Preprocessed, Splice};
use super::program::{self, Changed};
use super::scope::Checked;
use super::structs::{self, Records};
use super::token::{Kind, Token};
use super::types::{Types, functions};
use super::{regions, types_of};
use crate::diagnostic::Diagnostic;
use variables::Variables;

/// A token of the new text, and where it comes from in the old one.
type Piece = (String, ByteSpan);
type Pieces = Vec<Piece>;

fn joined(pieces: &[Piece]) -> String {
    pieces.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(" ")
}

/// What is written out.
#[derive(Clone, Copy, PartialEq)]
enum What {
    Calls,
    Sizes,
}

/// The functions of `<string.h>` that are loops.
const CALLS: [&str; 3] = ["memset", "memcpy", "memmove"];

/// The text without such calls and without `sizeof`; `None` where it has none. Errors: what cannot be written out, in the
/// kernel and in what it calls.
pub fn expanded<'a>(preprocessed: &Preprocessed<'a>) -> Checked<Option<Preprocessed<'a>>> {
    let mut made: Option<Preprocessed<'a>> = None;
    for what in [What::Calls, What::Sizes] {
        let current = made.as_ref().unwrap_or(preprocessed);
        if has_any(current, if what == What::Calls { &CALLS } else { &["sizeof"] })
            && let Some(next) = written_out(current, what)?
        {
            made = Some(next);
        }
    }
    Ok(made)
}

/// Whether one of the words stands in the user's file.
fn has_any(preprocessed: &Preprocessed, words: &[&str]) -> bool {
    let is_main = |token: &Token| preprocessed.map.is_main(ByteSpan::span(token.start, token.end));
    let mut tokens = preprocessed.tokens.iter().filter(|token| token.kind == Kind::Word);
    tokens.any(|token| words.contains(&token.text(&preprocessed.text)) && is_main(token))
}

fn written_out<'a>(preprocessed: &Preprocessed<'a>, what: What) -> Checked<Option<Preprocessed<'a>>> {
    // What the parser cannot read is refused by whoever reads it next.
    let Ok(unit) = program::unit(preprocessed, preprocessed.text.clone(), &|_| false) else { return Ok(None) };
    let types = types_of(preprocessed, &unit);
    let kernel = function::find(&unit, preprocessed, &types, &regions(preprocessed)?, None);
    let kernel = kernel.ok().map(|kernel| kernel.name);
    let words = preprocessed.tokens.iter().filter(|token| token.kind == Kind::Word);
    let mut writer = Writer {
        preprocessed,
        types: &types,
        records: structs::records(preprocessed, &unit, &types),
        variables: Variables::default(),
        own: functions(&unit)
            .iter()
            .filter_map(|f| Some(identifier(&f.node.declarator.node)?.node.name.clone()))
            .collect(),
        taken: words.map(|token| token.text(&preprocessed.text).to_string()).collect(),
        what,
        is_kernel: false,
        unsteady: HashSet::new(),
        edits: vec![],
        problem: None,
    };
    for external in &unit.0 {
        if let ExternalDeclaration::Declaration(declaration) = &external.node {
            writer.visit_declaration(&declaration.node, &declaration.span);
        }
    }
    // Headers stay as they are.
    writer.edits.retain(|(bytes, _)| preprocessed.map.is_main(ByteSpan::span(bytes.start, bytes.end)));
    let reached = reached(preprocessed, &unit, kernel.as_deref());
    for function in functions(&unit).into_iter().filter(|f| preprocessed.map.is_main(f.span)) {
        let name = identifier(&function.node.declarator.node).map_or("", |name| name.node.name.as_str());
        writer.is_kernel = kernel.as_deref() == Some(name);
        writer.problem = None;
        writer.function(&function.node);
        match writer.problem.take() {
            Some(problem) if reached.contains(name) => return Err(problem),
            _ => {}
        }
    }
    let mut edits = writer.edits;
    edits.sort_by_key(|(bytes, _)| (bytes.start, bytes.end));
    Ok((!edits.is_empty()).then(|| preprocessed.spliced(&edits)))
}

/// The kernel and the functions that it names, and those that they name.
fn reached(preprocessed: &Preprocessed, unit: &TranslationUnit, kernel: Option<&str>) -> HashSet<String> {
    let all = functions(unit);
    let named =
        |name: &str| all.iter().find(|f| identifier(&f.node.declarator.node).is_some_and(|n| n.node.name == name));
    let mut pending: Vec<String> = kernel.map(str::to_string).into_iter().collect();
    let mut reached = HashSet::new();
    while let Some(name) = pending.pop() {
        let Some(function) = named(&name) else { continue };
        if !reached.insert(name) {
            continue;
        }
        let body = function.node.statement.span;
        let inside = |token: &&Token| body.start <= token.start && token.end <= body.end && token.kind == Kind::Word;
        let words = preprocessed.tokens.iter().filter(inside).map(|token| token.text(&preprocessed.text));
        pending.extend(words.filter(|word| named(word).is_some()).map(str::to_string));
    }
    reached
}

struct Writer<'p, 'a> {
    preprocessed: &'p Preprocessed<'a>,
    types: &'p Types,
    records: Records,
    variables: Variables,
    /// The functions that the file defines.
    own: HashSet<String>,
    taken: HashSet<String>,
    what: What,
    /// In the kernel, whose arrays are apart from one another.
    is_kernel: bool,
    /// What the function changes, or declares more than once: in an extent it may mean something else later.
    unsteady: HashSet<String>,
    edits: Vec<Splice>,
    /// The first refusal in this function.
    problem: Option<Diagnostic>,
}

/// Why something cannot be written out: message, label and help.
struct Refused {
    at: ByteSpan,
    message: String,
    label: String,
    help: String,
}

impl Refused {
    fn new(at: ByteSpan, message: impl Into<String>, label: impl Into<String>, help: impl Into<String>) -> Refused {
        Refused { at, message: message.into(), label: label.into(), help: help.into() }
    }
}

impl Writer<'_, '_> {
    fn pieces(&self, bytes: ByteSpan) -> Pieces {
        let (all, text) = (&self.preprocessed.tokens, &self.preprocessed.text);
        let first = all.partition_point(|token| token.start < bytes.start);
        let end = all.partition_point(|token| token.end <= bytes.end).max(first);
        let piece = |token: &Token| (token.text(text).to_string(), ByteSpan::span(token.start, token.end));
        all[first..end].iter().map(piece).collect()
    }

    /// The tokens of an expression.
    fn expression(&self, node: &Node<Expression>) -> Pieces {
        self.pieces(self.preprocessed.balanced(node.span))
    }

    /// A name that nobody has.
    fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_string();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    fn refuse(&mut self, refused: Refused) {
        let span = self.preprocessed.map.span(self.preprocessed.balanced(refused.at));
        self.problem.get_or_insert_with(|| Diagnostic::new(refused.message).at(span, refused.label).help(refused.help));
    }

    fn function(&mut self, function: &lang_c::ast::FunctionDefinition) {
        let (mut changed, mut declared) = (Changed::default(), Declared::default());
        changed.visit_function_definition(function, &function.statement.span);
        declared.visit_function_definition(function, &function.statement.span);
        self.unsteady = changed.0;
        self.unsteady.extend(declared.0.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name));
        self.variables.enter();
        self.declare_parameters(function);
        self.visit_declarator(&function.declarator.node, &function.declarator.span);
        self.visit_statement(&function.statement.node, &function.statement.span);
        self.variables.leave();
    }

    /// The call of such a function that a statement is.
    fn call<'e>(&self, node: &'e Node<Expression>) -> Option<(&'static str, &'e CallExpression)> {
        match &node.node {
            Expression::Cast(cast) => self.call(&cast.node.expression),
            Expression::Call(call) => {
                let Expression::Identifier(callee) = &call.node.callee.node else { return None };
                let name = callee.node.name.as_str();
                let own = name.strip_prefix("__builtin_").unwrap_or(name);
                let known = CALLS.into_iter().find(|call| *call == own && !self.own.contains(name))?;
                (call.node.arguments.len() == 3).then_some((known, &call.node))
            }
            _ => None,
        }
    }
}

/// How often each name is declared.
#[derive(Default)]
struct Declared(HashMap<String, usize>);

impl<'ast> Visit<'ast> for Declared {
    fn visit_declarator(&mut self, declarator: &'ast Declarator, span: &'ast ByteSpan) {
        if let Some(name) = identifier(declarator) {
            *self.0.entry(name.node.name.clone()).or_default() += 1;
        }
        visit::visit_declarator(self, declarator, span);
    }
}

impl<'ast> Visit<'ast> for Writer<'_, '_> {
    fn visit_declaration(&mut self, declaration: &'ast Declaration, span: &'ast ByteSpan) {
        structs::define(&mut self.records, declaration, self.preprocessed, self.types);
        self.declare(declaration);
        visit::visit_declaration(self, declaration, span);
    }

    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast ByteSpan) {
        let opens = match statement {
            Statement::Compound(_) => true,
            Statement::For(f) => matches!(f.node.initializer.node, ForInitializer::Declaration(_)),
            _ => false,
        };
        if let (What::Calls, Statement::Expression(Some(expression))) = (self.what, statement)
            && let Some((name, call)) = self.call(expression)
        {
            match self.block(name, call, *span) {
                Ok(pieces) => self.edits.push((span.start..self.preprocessed.end(*span), pieces)),
                Err(refused) => self.refuse(refused),
            }
            return;
        }
        if opens {
            self.variables.enter();
        }
        visit::visit_statement(self, statement, span);
        if opens {
            self.variables.leave();
        }
    }

    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast ByteSpan) {
        match expression {
            Expression::SizeOfTy(_) | Expression::SizeOfVal(_) if self.what == What::Sizes => {
                match self.size_of(expression, *span) {
                    Ok(size) => {
                        let whole = self.preprocessed.balanced(*span);
                        self.edits.push((whole.start..whole.end, size.text("ul", whole)));
                    }
                    Err(refused) => self.refuse(refused),
                }
            }
            // What `malloc` gets is read by [`super::allocated`].
            Expression::Call(call)
                if matches!(&call.node.callee.node, Expression::Identifier(name)
                    if matches!(name.node.name.as_str(), "malloc" | "calloc")) => {}
            Expression::Call(_) if self.what == What::Calls => {
                let node = Node::new(expression.clone(), *span);
                match self.call(&node) {
                    Some((name, _)) => self.refuse(Refused::new(
                        *span,
                        format!("`{name}` in the middle of an expression"),
                        "its value is used",
                        format!("let the call of `{name}` be a statement of its own"),
                    )),
                    None => visit::visit_expression(self, expression, span),
                }
            }
            _ => visit::visit_expression(self, expression, span),
        }
    }
}
