//! Declarations that hide another one of their function get names of their own, in the preprocessed text: C's scopes tell them
//! apart, what reads the text behind this file does by name. In `void f(float b[4]) { { float b[9]; b[k] = …; } }` the inner `b` and
//! what names it become `b_2`. So does the second of two variables of one name and different types (an array and a number, too), each in
//! a block of its own, and one that the head of some loop declares: what data do to `i` in `int i = 0; while (i < n && x[i]) i++;` is
//! nothing to `for (int i = …)`.

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    Declaration, DeclarationSpecifier, Declarator, DerivedDeclarator, Enumerator, Expression, ForInitializer,
    ForStatement, FunctionDeclarator, FunctionDefinition, Identifier, ParameterDeclaration, Statement,
    StorageClassSpecifier,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::function::identifier;
use super::known::changed;
use super::preprocess::{Preprocessed, Splice};
use super::program;
use super::token::Kind;
use super::types::is_typedef;

/// The text in which no local variable hides another; `None` where none does.
pub fn apart<'a>(preprocessed: &Preprocessed<'a>) -> Option<Preprocessed<'a>> {
    let unit = program::unit(preprocessed, preprocessed.text.clone(), &|_| false).ok()?;
    let words = preprocessed.tokens.iter().filter(|token| token.kind == Kind::Word);
    let taken = words.map(|token| token.text(&preprocessed.text).to_string()).collect();
    let mut renamer = Renamer {
        preprocessed,
        taken,
        types: HashMap::new(),
        heads: HashSet::new(),
        is_head: false,
        scopes: vec![],
        edits: vec![],
    };
    renamer.visit_translation_unit(&unit);
    let mut edits = renamer.edits;
    edits.sort_by_key(|(bytes, _)| bytes.start);
    edits.dedup_by_key(|(bytes, _)| bytes.start);
    (!edits.is_empty()).then(|| preprocessed.spliced(&edits))
}

struct Renamer<'p, 'a> {
    preprocessed: &'p Preprocessed<'a>,
    taken: HashSet<String>,
    /// What the function has declared, and as what.
    types: HashMap<String, String>,
    /// What counts in the heads of its loops, and whether this is one.
    heads: HashSet<String>,
    is_head: bool,
    /// The names of the blocks around, each with what it has become; empty outside of functions.
    scopes: Vec<HashMap<String, String>>,
    edits: Vec<Splice>,
}

impl Renamer<'_, '_> {
    fn within(&mut self, inside: impl FnOnce(&mut Self)) {
        self.scopes.push(HashMap::new());
        inside(self);
        self.scopes.pop();
    }

    /// A name as it is from here to the end of the block; where it is a variable's, of the inner type, another one if it would
    /// hide one, was a variable of another type, or counts in the head of a loop elsewhere.
    fn declare(&mut self, name: &Node<Identifier>, variable: Option<Option<String>>) {
        let word = &name.node.name;
        let hides = self.scopes.iter().any(|scope| scope.get(word) == Some(word));
        let mut own = word.clone();
        if let Some(ty) = variable {
            let is_other = ty.as_ref().is_some_and(|ty| self.types.get(word).is_some_and(|known| known != ty));
            let counts_elsewhere = ty.is_some() && !self.is_head && self.heads.contains(word);
            if hides || is_other || counts_elsewhere {
                let fresh = (2..).map(|number| format!("{word}_{number}")).find(|own| !self.taken.contains(own));
                own = fresh.unwrap_or_default();
                self.taken.insert(own.clone());
                self.rename(name.span, &own);
            } else if let Some(ty) = ty {
                self.types.insert(word.clone(), ty);
            }
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(word.clone(), own);
        }
    }

    /// The words of a number's type, and whether it is an array or a pointer in place of a number; nothing of an array that a
    /// directive may mean.
    fn type_of(&self, declaration: &Declaration, declarator: &Declarator) -> Option<String> {
        if let Some(outer) = declarator.derived.first() {
            let name = identifier(declarator).map(|name| name.node.name.as_str());
            let mut words = self.preprocessed.pragmas.iter().flat_map(|pragma| &pragma.words);
            let is_named = words.any(|word| Some(word.text.as_str()) == name);
            let kind = if matches!(outer.node, DerivedDeclarator::Pointer(_)) { "*" } else { "[]" };
            return (!is_named).then(|| kind.to_string());
        }
        let text =
            |specifier: &Node<DeclarationSpecifier>| &self.preprocessed.text[specifier.span.start..specifier.span.end];
        let words: Vec<&str> = declaration.specifiers.iter().map(text).collect();
        Some(words.join(" "))
    }

    fn rename(&mut self, span: ByteSpan, own: &str) {
        let bytes = span.start..self.preprocessed.end(span);
        self.edits.push((bytes, vec![(own.to_string(), span)]));
    }
}

/// What the heads of loops declare that count by themselves.
struct Heads(HashSet<String>);

impl<'ast> Visit<'ast> for Heads {
    fn visit_for_statement(&mut self, statement: &'ast ForStatement, span: &'ast ByteSpan) {
        self.0.extend(counter(statement).map(|name| name.node.name.clone()));
        visit::visit_for_statement(self, statement, span);
    }
}

/// The variable of a loop whose head declares it alone, and whose body leaves it as it is.
fn counter(statement: &ForStatement) -> Option<&Node<Identifier>> {
    let ForInitializer::Declaration(declaration) = &statement.initializer.node else { return None };
    let [only] = &declaration.node.declarators[..] else { return None };
    let name = identifier(&only.node.declarator.node)?;
    (!changed(&statement.statement).contains(&name.node.name)).then_some(name)
}

impl<'ast> Visit<'ast> for Renamer<'_, '_> {
    fn visit_function_definition(&mut self, function: &'ast FunctionDefinition, span: &'ast ByteSpan) {
        self.types.clear();
        let mut heads = Heads(HashSet::new());
        heads.visit_statement(&function.statement.node, span);
        self.heads = heads.0;
        self.within(|this| {
            let parts = function.declarator.node.derived.iter();
            let prototype = parts.rev().find_map(|part| match &part.node {
                DerivedDeclarator::Function(prototype) => Some(prototype),
                _ => None,
            });
            for parameter in prototype.iter().flat_map(|prototype| &prototype.node.parameters) {
                this.visit_parameter_declaration(&parameter.node, &parameter.span);
            }
            visit::visit_statement(this, &function.statement.node, span);
        });
    }

    /// Those of a prototype are known in it alone.
    fn visit_function_declarator(&mut self, prototype: &'ast FunctionDeclarator, span: &'ast ByteSpan) {
        self.within(|this| visit::visit_function_declarator(this, prototype, span));
    }

    fn visit_parameter_declaration(&mut self, parameter: &'ast ParameterDeclaration, span: &'ast ByteSpan) {
        visit::visit_parameter_declaration(self, parameter, span);
        if let Some(name) = parameter.declarator.as_ref().and_then(|declarator| identifier(&declarator.node)) {
            self.declare(name, None);
        }
    }

    fn visit_declaration(&mut self, declaration: &'ast Declaration, _: &'ast ByteSpan) {
        for specifier in &declaration.specifiers {
            self.visit_declaration_specifier(&specifier.node, &specifier.span);
        }
        let is_extern = declaration.specifiers.iter().any(|specifier| {
            matches!(&specifier.node, DeclarationSpecifier::StorageClass(class) if class.node == StorageClassSpecifier::Extern)
        });
        for declarator in &declaration.declarators {
            let own = &declarator.node.declarator;
            self.visit_declarator(&own.node, &own.span);
            if let Some(name) = identifier(&own.node).filter(|_| !self.scopes.is_empty()) {
                let is_function = own.node.derived.iter().any(|d| matches!(d.node, DerivedDeclarator::Function(_)));
                let is_variable = !is_extern && !is_typedef(declaration) && !is_function;
                self.declare(name, is_variable.then(|| self.type_of(declaration, &own.node)));
            }
            if let Some(initializer) = &declarator.node.initializer {
                self.visit_initializer(&initializer.node, &initializer.span);
            }
        }
    }

    fn visit_enumerator(&mut self, enumerator: &'ast Enumerator, span: &'ast ByteSpan) {
        visit::visit_enumerator(self, enumerator, span);
        if !self.scopes.is_empty() {
            self.declare(&enumerator.identifier, Some(None));
        }
    }

    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast ByteSpan) {
        match statement {
            Statement::Compound(_) => self.within(|this| visit::visit_statement(this, statement, span)),
            _ => visit::visit_statement(self, statement, span),
        }
    }

    fn visit_for_statement(&mut self, statement: &'ast ForStatement, span: &'ast ByteSpan) {
        self.within(|this| {
            this.is_head = counter(statement).is_some();
            this.visit_for_initializer(&statement.initializer.node, &statement.initializer.span);
            this.is_head = false;
            let parts = statement.condition.iter().chain(&statement.step);
            parts.for_each(|part| this.visit_expression(&part.node, &part.span));
            this.visit_statement(&statement.statement.node, span);
        });
    }

    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast ByteSpan) {
        if let Expression::Identifier(name) = expression {
            let word = &name.node.name;
            let own = self.scopes.iter().rev().find_map(|scope| scope.get(word)).filter(|own| *own != word).cloned();
            if let Some(own) = own {
                self.rename(*span, &own);
            }
        }
        visit::visit_expression(self, expression, span);
    }
}
