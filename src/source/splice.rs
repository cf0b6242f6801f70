//! Calls of helper functions that take arrays or pointers, or have loops: the body stands in place of the call.
//!
//! `row(a[i], &y[i], n);` becomes `{ int n_1 = (n); … }`, where the helper's pointers are what the call gives it and its
//! other variables have names of their own. The tree is read again from that text, until no such call is left. A call that
//! could mean something else that way stays, and is refused where it stands.
//!
//! `return` inside of a loop gives a variable the value and goes to a label behind the body, of which [`super::exits`] makes what it makes of others.

mod conditions;
mod linear;
mod sites;

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    ArraySize, BinaryOperator, BlockItem, CallExpression, Declaration, DeclarationSpecifier, DerivedDeclarator,
    Ellipsis, Expression, ExternalDeclaration, FunctionDefinition, InitDeclarator, Label, MemberExpression,
    MemberOperator, ParameterDeclaration, Statement, TranslationUnit, UnaryOperator,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::function::{derived, has_loop, identifier};
use super::preprocess::{Preprocessed, Splice};
use super::program::{Changed, Free};
use super::structs::{self, Base, Records, type_specifiers};
use super::token::{Kind, Token};
use super::types::{CType, Types, functions, is_const, is_typedef};
use sites::Sites;
pub use sites::Written;

/// How often calls in the bodies of calls are looked for.
pub const ROUNDS: usize = 16;
/// The longest text that calls may make of a file, in bytes.
const LARGEST: usize = 4 << 20;

/// An array, a pointer or a scalar by its declaration.
#[derive(Clone, PartialEq)]
struct Shape {
    ty: Option<Base>,
    /// The text of each extent, outermost first; empty for what a pointer does not say.
    extents: Vec<String>,
}

/// A token of the new text, and where it comes from in the old one.
type Piece = (String, ByteSpan);

/// The text with the bodies of helpers in place of their calls in the function at `kernel`; `None` where it has none.
pub fn splice<'a>(
    preprocessed: &Preprocessed<'a>,
    unit: &TranslationUnit,
    kernel: ByteSpan,
    types: &Types,
    round: usize,
) -> Option<Preprocessed<'a>> {
    let all = functions(unit);
    let caller = all.iter().find(|function| function.span == kernel)?;
    let mut sites = Sites::default();
    sites.visit_statement(&caller.node.statement.node, &caller.node.statement.span);
    if sites.all.is_empty() {
        return None;
    }
    let bodies: HashMap<&str, &Node<FunctionDefinition>> =
        all.iter().filter_map(|f| Some((identifier(&f.node.declarator.node)?.node.name.as_str(), *f))).collect();
    let records = structs::records(preprocessed, unit, types);
    let splicer = Splicer { preprocessed, unit, types, records, caller: &caller.node, bodies };
    let mut edits: Vec<Splice> = vec![];
    let mut number = 0;
    for site in &sites.all {
        edits.extend(splicer.site(site, round, &mut number));
    }
    edits.sort_by_key(|(bytes, _)| (bytes.start, bytes.end));
    let added: usize = edits.iter().flat_map(|(_, pieces)| pieces).map(|(text, _)| text.len() + 1).sum();
    (!edits.is_empty() && preprocessed.text.len() + added <= LARGEST).then(|| preprocessed.spliced(&edits))
}

/// A call that is a statement, or whose value goes somewhere.
struct Call<'u> {
    /// For names of its own.
    span: ByteSpan,
    call: &'u CallExpression,
    /// What gets the value, with the operator.
    target: Option<(Vec<Piece>, Vec<Piece>)>,
}

struct Splicer<'s, 'a, 'u> {
    preprocessed: &'s Preprocessed<'a>,
    unit: &'u TranslationUnit,
    types: &'s Types,
    records: Records,
    caller: &'u FunctionDefinition,
    bodies: HashMap<&'u str, &'u Node<FunctionDefinition>>,
}

impl<'u> Splicer<'_, '_, 'u> {
    fn tokens(&self, bytes: ByteSpan) -> &[Token] {
        let all = &self.preprocessed.tokens;
        let first = all.partition_point(|token| token.start < bytes.start);
        let end = all.partition_point(|token| token.end <= bytes.end);
        &all[first.min(end)..end]
    }

    fn text(&self, token: &Token) -> &str {
        token.text(&self.preprocessed.text)
    }

    /// The type that specifiers name, where it is a number's or a structure's.
    fn base(&self, specifiers: &[Node<DeclarationSpecifier>]) -> Option<Base> {
        if let Some(record) = self.records.of_known(&type_specifiers(specifiers)) {
            return Some(Base::Record(record));
        }
        Some(self.types.of_declaration(specifiers)).filter(|ty| ty.arithmetic().is_some()).map(Base::Number)
    }

    fn is_record(&self, specifiers: &[Node<DeclarationSpecifier>]) -> bool {
        matches!(self.base(specifiers), Some(Base::Record(_)))
    }

    fn gives_number(&self, callee: &FunctionDefinition) -> bool {
        !self.is_record(&callee.specifiers) && self.types.of_declaration(&callee.specifiers) != CType::Void
    }

    /// The words of some bytes, as one text.
    fn joined(&self, bytes: ByteSpan) -> String {
        self.tokens(bytes).iter().map(|token| self.text(token)).collect::<Vec<_>>().join(" ")
    }

    fn pieces(&self, bytes: ByteSpan) -> Vec<Piece> {
        let piece = |token: &Token| (self.text(token).to_string(), ByteSpan::span(token.start, token.end));
        self.tokens(bytes).iter().map(piece).collect()
    }

    /// The body for a call, or nothing where it cannot stand in its place.
    fn body(&self, call: &Call, callee: &'u FunctionDefinition, ending: &str) -> Option<Vec<Piece>> {
        let [Node { node: DerivedDeclarator::Function(prototype), .. }] = &derived(&callee.declarator)[..] else {
            return None;
        };
        let parameters: Vec<&Node<ParameterDeclaration>> =
            prototype.node.parameters.iter().filter(|p| p.node.declarator.is_some()).collect();
        let is_pointer =
            |p: &&Node<ParameterDeclaration>| p.node.declarator.as_ref().is_some_and(|d| !derived(d).is_empty());
        let is_whole = |p: &&Node<ParameterDeclaration>| is_pointer(p) || self.is_record(&p.node.specifiers);
        // Calls by numbers alone are expressions, of those that return one and have no loop.
        if prototype.node.ellipsis == Ellipsis::Some
            || parameters.len() != call.call.arguments.len()
            || !parameters.iter().any(is_whole) && self.gives_number(callee) && !has_loop(&callee.statement)
        {
            return None;
        }
        let Statement::Compound(items) = &callee.statement.node else { return None };
        let body = self.ending_once(callee, items, call.target.is_some());
        let body = body.or_else(|| self.leaving(callee, call.target.is_some(), ending));
        let Body { inner, closing, result, left } = body?;

        // The helper's own variables get other names; its pointers are the call's arguments.
        let mut own = Own::default();
        own.visit_statement(&callee.statement.node, &callee.statement.span);
        let mut changed = Changed::default();
        changed.visit_statement(&callee.statement.node, &callee.statement.span);
        let mut pointers: HashMap<String, Pointer> = HashMap::new();
        let mut names: HashSet<String> = own.0.clone();
        names.extend(labels(&callee.statement));
        let mut values: Vec<(&Node<ParameterDeclaration>, &str, ByteSpan)> = vec![];
        let scalars: HashMap<String, String> = parameters
            .iter()
            .zip(&call.call.arguments)
            .filter(|(p, _)| !is_pointer(p))
            .filter_map(|(p, argument)| {
                let bytes = self.preprocessed.balanced(argument.span);
                Some((identifier(&p.node.declarator.as_ref()?.node)?.node.name.clone(), self.joined(bytes)))
            })
            .collect();
        for (parameter, argument) in parameters.iter().zip(&call.call.arguments) {
            let declarator = parameter.node.declarator.as_ref()?;
            let name = identifier(&declarator.node)?.node.name.as_str();
            let bytes = self.preprocessed.balanced(argument.span);
            if !is_pointer(parameter) {
                names.insert(name.to_string());
                values.push((parameter, name, bytes));
                continue;
            }
            if own.0.contains(name) || !self.is_steady(bytes) {
                return None;
            }
            // One that moves on is a pointer of the body's own.
            if changed.0.contains(name) {
                (derived(declarator).len() == 1).then_some(())?;
                self.pointer(parameter, argument, bytes, &scalars)?;
                names.insert(name.to_string());
                values.push((parameter, name, bytes));
                continue;
            }
            pointers.insert(name.to_string(), self.pointer(parameter, argument, bytes, &scalars)?);
        }
        // A scalar that the helper changes is in no other place that it gets; values were there before.
        let places = parameters.iter().zip(&call.call.arguments).filter(|(p, _)| is_pointer(p));
        let places: Vec<&Node<Expression>> = places.map(|(_, argument)| argument).collect();
        let is_once = |scalar: &String| {
            let own = places.iter().flat_map(|argument| self.tokens(argument.span));
            own.filter(|token| self.text(token) == scalar).count() == 1
        };
        let scalars = pointers.values().filter_map(Pointer::scalar);
        if !scalars.into_iter().all(is_once)
            || !self.is_closed(items, &names, &pointers)
            || self.moves_places(callee, &parameters, call)
        {
            return None;
        }

        let here = ByteSpan::span(call.span.start, call.span.start + 1);
        let word = |text: &str| (text.to_string(), here);
        let mut pieces = vec![word("{")];
        for (parameter, name, bytes) in values {
            pieces.extend(parameter.node.specifiers.iter().flat_map(|specifier| self.pieces(specifier.span)));
            pieces.extend(is_pointer(&parameter).then(|| word("*")));
            pieces.extend([word(&format!("{name}{ending}")), word("="), word("(")]);
            pieces.extend(self.pieces(bytes));
            pieces.extend([word(")"), word(";")]);
        }
        let first: Vec<Piece> = left.iter().flat_map(|left| left.first.iter().map(|text| word(text))).collect();
        pieces.extend(first);
        pieces.extend(self.renamed(&inner, &names, &pointers, ending)?);
        pieces.extend((0..closing).map(|_| word("}")));
        if let Some(Left { label, .. }) = &left {
            pieces.extend(["}", label, ":", ";"].map(word));
        }
        if let (Some((target, operator)), Some(result)) = (&call.target, result) {
            pieces.extend(target.iter().chain(operator).cloned());
            if !self.is_record(&callee.specifiers) {
                pieces.push(word("("));
                pieces.extend(type_specifiers(&callee.specifiers).iter().flat_map(|s| self.pieces(s.span)));
                pieces.push(word(")"));
            }
            pieces.push(word("("));
            pieces.extend(self.renamed(&result, &names, &pointers, ending)?);
            pieces.extend([word(")"), word(";")]);
        }
        pieces.push(word("}"));
        Some(pieces)
    }

    fn own(&self, tokens: &[Token]) -> Vec<Piece> {
        tokens.iter().map(|token| (self.text(token).to_string(), ByteSpan::span(token.start, token.end))).collect()
    }

    /// A body's tokens with `if (c) { … } else { …` in place of `if (c) { … return; } …`, and how many braces are still to be
    /// closed.
    fn without_early_returns(&self, items: &[Node<BlockItem>], inner: &[Token]) -> (Vec<Piece>, usize) {
        let bytes = |node: &Node<Statement>| node.span.start..self.preprocessed.end(node.span);
        // Each `return`, and the statement under `if` that it ends.
        let returns = items.iter().filter_map(|item| match &item.node {
            BlockItem::Statement(Node { node: Statement::If(branch), .. }) if branch.node.else_statement.is_none() => {
                let then = &branch.node.then_statement;
                let last = match &then.node {
                    Statement::Compound(inner) => match inner.last() {
                        Some(Node { node: BlockItem::Statement(last), .. }) => last,
                        _ => return None,
                    },
                    _ => then,
                };
                matches!(last.node, Statement::Return(None)).then(|| (bytes(last), bytes(then)))
            }
            _ => None,
        });
        let returns: Vec<_> = returns.collect();
        let mut pieces = vec![];
        for token in inner {
            let mut push = |text: &str| pieces.push((text.to_string(), ByteSpan::span(token.start, token.end)));
            if !returns.iter().any(|(own, _)| own.contains(&token.start)) {
                push(self.text(token));
            } else if returns.iter().any(|(own, then)| own == then && token.start == own.start) {
                ["{", "}"].into_iter().for_each(&mut push);
            }
            if returns.iter().any(|(_, then)| token.end == then.end) {
                ["else", "{"].into_iter().for_each(&mut push);
            }
        }
        (pieces, returns.len())
    }

    /// A body that ends with its last `return`, or in the sides of conditions.
    fn ending_once(&self, callee: &FunctionDefinition, items: &[Node<BlockItem>], wants_value: bool) -> Option<Body> {
        let (inner, result) = self.without_return(items, self.tokens(callee.statement.span), wants_value)?;
        let (inner, closing) = self.without_early_returns(items, inner);
        let is_done = !forbids(&inner) && (closing == 0 || !wants_value);
        is_done.then(|| Body { inner, closing, result: result.map(|own| self.own(own)), left: None })
    }

    /// A body that other `return`s leave: each gives a variable the value, and goes to a label behind the body.
    fn leaving(&self, callee: &FunctionDefinition, wants_value: bool, ending: &str) -> Option<Body> {
        struct Returns(Vec<(ByteSpan, bool)>);
        impl<'ast> Visit<'ast> for Returns {
            fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast ByteSpan) {
                if let Statement::Return(value) = statement {
                    self.0.push((*span, value.is_some()));
                }
                visit::visit_statement(self, statement, span);
            }
        }
        let name = &identifier(&callee.declarator.node)?.node.name;
        let (value, label) = (format!("{name}_value{ending}"), format!("{name}_end{ending}"));
        let mut returns = Returns(vec![]);
        returns.visit_statement(&callee.statement.node, &callee.statement.span);
        let has_value = returns.0.iter().any(|(_, has_value)| *has_value);
        let all = self.tokens(callee.statement.span);
        let tokens = all.get(1..all.len().checked_sub(1)?)?;
        let others: Vec<Piece> = self.own(tokens).into_iter().filter(|(text, _)| text != "return").collect();
        if self.is_record(&callee.specifiers)
            || wants_value && !has_value
            || !returns.0.iter().all(|(_, own)| *own == has_value)
            || forbids(&others)
        {
            return None;
        }
        let mut inner: Vec<Piece> = vec![];
        for token in tokens {
            let own = ByteSpan::span(token.start, token.end);
            let (begins, ends): (Vec<&str>, Vec<&str>) = match has_value {
                true => (vec!["{", &value, "=", "("], vec![")", ";", "goto", &label, ";", "}"]),
                false => (vec!["{"], vec!["goto", &label, ";", "}"]),
            };
            let words = match returns
                .0
                .iter()
                .find(|(span, _)| (span.start..self.preprocessed.end(*span)).contains(&token.start))
            {
                Some((span, _)) if token.start == span.start => begins,
                Some((span, _)) if token.end == self.preprocessed.end(*span) => ends,
                _ => vec![self.text(token)],
            };
            inner.extend(words.into_iter().map(|text| (text.to_string(), own)));
        }
        let here = callee.declarator.span;
        let mut first: Vec<String> = vec![];
        if has_value {
            let ty = type_specifiers(&callee.specifiers);
            first.extend(ty.iter().flat_map(|s| self.pieces(s.span)).map(|(text, _)| text));
            first.extend([value.clone(), ";".into()]);
        }
        first.push("{".into());
        let result = has_value.then(|| vec![(value, here)]);
        Some(Body { inner, closing: 0, result, left: Some(Left { first, label }) })
    }

    /// The tokens inside of a body's braces up to its last `return`, and those of the value that it returns.
    fn without_return<'t>(
        &self,
        items: &[Node<BlockItem>],
        all: &'t [Token],
        wants_value: bool,
    ) -> Option<(&'t [Token], Option<&'t [Token]>)> {
        let inner = all.get(1..all.len().checked_sub(1)?)?;
        let last = items.last().map(|item| (&item.node, item.span));
        let Some((BlockItem::Statement(Node { node: Statement::Return(value), .. }), span)) = last else {
            return (!wants_value).then_some((inner, None));
        };
        let end = inner.partition_point(|token| token.start < span.start);
        let result = value.as_ref().map(|_| &inner[end + 1..inner.len() - 1]);
        (!wants_value || result.is_some()).then(|| (&inner[..end], result.filter(|_| wants_value)))
    }

    /// Whether an argument means the same wherever it stands: no calls, no steps, no assignments.
    fn is_steady(&self, bytes: ByteSpan) -> bool {
        let tokens = self.tokens(bytes);
        let text = |k: usize| self.text(&tokens[k]);
        (0..tokens.len()).all(|k| {
            let calls = text(k) == "(" && k > 0 && tokens[k - 1].kind == Kind::Word;
            let changes = matches!(text(k), "++" | "--" | "," | "?") || (text(k).ends_with('=') && text(k) != "==");
            !calls && !changes
        })
    }

    /// What a pointer of the helper stands for, where its type is that of what the call gives.
    fn pointer(
        &self,
        parameter: &Node<ParameterDeclaration>,
        argument: &Node<Expression>,
        bytes: ByteSpan,
        scalars: &HashMap<String, String>,
    ) -> Option<Pointer> {
        let declarator = parameter.node.declarator.as_ref()?;
        let mut wanted = self.shape(self.base(&parameter.node.specifiers), declarator)?;
        // The extents of the helper's rows in the caller's words.
        for extent in &mut wanted.extents {
            let words: Vec<&str> =
                extent.split(' ').map(|word| scalars.get(word).map_or(word, String::as_str)).collect();
            *extent = words.join(" ");
        }
        if let Expression::UnaryOperator(unary) = &argument.node
            && unary.node.operator.node == UnaryOperator::Address
            && let Expression::Identifier(name) = &unary.node.operand.node
        {
            let scalar = self.declared(&name.node.name)?;
            if matches!(scalar.ty, Some(Base::Record(_))) && scalar.extents.is_empty() {
                let is_same = scalar.ty == wanted.ty && wanted.extents.len() == 1;
                return is_same.then(|| Pointer::Array(self.pieces(bytes)));
            }
            let fits = scalar.extents.is_empty() && scalar.ty == wanted.ty && wanted.extents.len() == 1;
            return (fits && scalar.ty.is_some()).then(|| Pointer::Scalar(name.node.name.clone()));
        }
        let given = self.given(argument)?;
        let is_same = given.ty.is_some()
            && given.ty == wanted.ty
            && given.extents.len() == wanted.extents.len()
            && given.extents.iter().zip(&wanted.extents).skip(1).all(|(a, b)| a == b && !a.is_empty());
        is_same.then(|| Pointer::Array(self.pieces(bytes)))
    }

    /// The shape of what a pointer argument points into.
    fn given(&self, node: &Node<Expression>) -> Option<Shape> {
        match &node.node {
            Expression::Identifier(name) => self.anywhere(&name.node.name).filter(|shape| !shape.extents.is_empty()),
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address => {
                let mut shape = self.element(&unary.node.operand)?;
                shape.extents.insert(0, String::new());
                Some(shape)
            }
            Expression::BinaryOperator(o) => match o.node.operator.node {
                BinaryOperator::Index => self.element(node).filter(|shape| !shape.extents.is_empty()),
                BinaryOperator::Plus | BinaryOperator::Minus => self.given(&o.node.lhs),
                _ => None,
            },
            Expression::Member(_) => self.element(node).filter(|shape| !shape.extents.is_empty()),
            _ => None,
        }
    }

    /// The shape of `a[i][j]`, also of fewer subscripts than there are dimensions.
    fn element(&self, node: &Node<Expression>) -> Option<Shape> {
        let o = match &node.node {
            Expression::BinaryOperator(o) => o,
            Expression::Member(member) => return self.member(&member.node),
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                let mut shape = self.given(&unary.node.operand)?;
                (!shape.extents.is_empty()).then(|| shape.extents.remove(0))?;
                return Some(shape);
            }
            _ => return None,
        };
        if o.node.operator.node != BinaryOperator::Index {
            return None;
        }
        let mut shape = match &o.node.lhs.node {
            Expression::Identifier(name) => self.anywhere(&name.node.name)?,
            _ => self.element(&o.node.lhs)?,
        };
        (!shape.extents.is_empty()).then(|| shape.extents.remove(0))?;
        Some(shape)
    }

    /// The shape of a member of a structure.
    fn member(&self, member: &MemberExpression) -> Option<Shape> {
        let mut outer = match (&member.operator.node, &member.expression.node) {
            (MemberOperator::Direct, Expression::Identifier(name)) => self.anywhere(&name.node.name)?,
            (MemberOperator::Direct, _) => self.element(&member.expression)?,
            (MemberOperator::Indirect, _) => self.given(&member.expression)?,
        };
        if member.operator.node == MemberOperator::Indirect {
            (!outer.extents.is_empty()).then(|| outer.extents.remove(0))?;
        }
        let Some(Base::Record(record)) = outer.ty.filter(|_| outer.extents.is_empty()) else { return None };
        let inner = &self.records.all[record].members[self.records.member(record, &member.identifier.node.name)?];
        Some(Shape { ty: Some(inner.base.clone()), extents: inner.extents.iter().map(u64::to_string).collect() })
    }

    /// The one declaration of a name in the caller, or else that of a table of the file.
    fn anywhere(&self, name: &str) -> Option<Shape> {
        let mut found = Declarations { splicer: self, name, shapes: vec![] };
        for external in &self.unit.0 {
            if let ExternalDeclaration::Declaration(declaration) = &external.node
                && is_const(&declaration.node)
            {
                found.visit_declaration(&declaration.node, &declaration.span);
            }
        }
        self.declared(name).or_else(|| found.shapes.pop().filter(|_| !self.declares(name))?)
    }

    /// Whether the caller declares a name.
    fn declares(&self, name: &str) -> bool {
        let mut own = Own::default();
        own.visit_statement(&self.caller.statement.node, &self.caller.statement.span);
        own.0.contains(name)
    }

    /// The one declaration of a name in the caller.
    fn declared(&self, name: &str) -> Option<Shape> {
        let mut found = Declarations { splicer: self, name, shapes: vec![] };
        for parameter in derived(&self.caller.declarator) {
            let DerivedDeclarator::Function(prototype) = &parameter.node else { continue };
            for parameter in &prototype.node.parameters {
                if let Some(declarator) = &parameter.node.declarator
                    && identifier(&declarator.node).is_some_and(|own| own.node.name == name)
                {
                    let ty = self.base(&parameter.node.specifiers);
                    found.shapes.push(self.shape(ty, declarator));
                }
            }
        }
        found.visit_statement(&self.caller.statement.node, &self.caller.statement.span);
        match found.shapes.pop() {
            Some(shape) if found.shapes.is_empty() => shape,
            _ => None,
        }
    }

    /// The shape of a declaration; `None` for what is more than an array or a pointer to rows.
    fn shape(&self, ty: Option<Base>, declarator: &Node<lang_c::ast::Declarator>) -> Option<Shape> {
        let mut extents = vec![];
        for (k, part) in derived(declarator).into_iter().enumerate() {
            extents.push(match &part.node {
                DerivedDeclarator::Array(array) => match &array.node.size {
                    ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => {
                        self.joined(ByteSpan::span(size.span.start, self.preprocessed.end(size.span)))
                    }
                    _ => String::new(),
                },
                DerivedDeclarator::Pointer(_) if k == 0 => String::new(),
                _ => return None,
            });
        }
        Some(Shape { ty, extents })
    }

    /// Whether a body names nothing but what it declares, functions, and constants of the file.
    fn is_closed(
        &self,
        items: &[Node<BlockItem>],
        names: &HashSet<String>,
        pointers: &HashMap<String, Pointer>,
    ) -> bool {
        let free = Free::of_items(items);
        let is_variable = |name: &str| {
            self.declared(name).is_some()
                || self.unit.0.iter().any(|external| match &external.node {
                    ExternalDeclaration::Declaration(declaration) => {
                        !is_typedef(&declaration.node)
                            && !is_const(&declaration.node)
                            && super::program::declares(&declaration.node, name)
                    }
                    _ => false,
                })
        };
        let unknown = free.names.iter().filter(|name| !names.contains(*name) && !pointers.contains_key(*name));
        unknown.into_iter().all(|name| !is_variable(name))
    }

    /// A body's tokens in the caller's words.
    fn renamed(
        &self,
        tokens: &[Piece],
        names: &HashSet<String>,
        pointers: &HashMap<String, Pointer>,
        ending: &str,
    ) -> Option<Vec<Piece>> {
        let text = |k: usize| tokens.get(k).map_or("", |(text, _)| text.as_str());
        let mut pieces: Vec<Piece> = vec![];
        let mut k = 0;
        while k < tokens.len() {
            let own = tokens[k].1;
            let is_member = k > 0 && matches!(text(k - 1), "." | "->");
            match pointers.get(text(k)).filter(|_| !is_member) {
                Some(Pointer::Array(argument)) => {
                    let is_name = argument.len() == 1;
                    let brackets = [("(".to_string(), own), (")".to_string(), own)];
                    pieces.extend(brackets[..1].iter().filter(|_| !is_name).cloned());
                    pieces.extend(argument.iter().map(|(text, _)| (text.clone(), own)));
                    pieces.extend(brackets[1..].iter().filter(|_| !is_name).cloned());
                }
                Some(Pointer::Scalar(scalar)) => {
                    if text(k + 1) == "[" && text(k + 2) == "0" && text(k + 3) == "]" {
                        k += 3;
                    } else if text(k + 1) != "[" && pieces.last().is_some_and(|(last, _)| last == "*") {
                        pieces.pop();
                    } else if matches!(text(k + 1), "," | ")")
                        && pieces.last().is_some_and(|(last, _)| matches!(last.as_str(), "," | "("))
                    {
                        // On to another helper.
                        pieces.push(("&".to_string(), own));
                    } else {
                        return None;
                    }
                    pieces.push((scalar.clone(), own));
                }
                None if names.contains(text(k)) && !is_member => pieces.push((format!("{}{ending}", text(k)), own)),
                None => pieces.push((text(k).to_string(), own)),
            }
            k += 1;
        }
        Some(pieces)
    }
}

/// Whether a body has words that mean something else in another place.
fn forbids(body: &[Piece]) -> bool {
    let forbidden = ["static", "return", "sizeof", "asm", "__asm__", "__typeof__", "typeof"];
    let is_forbidden = |k: usize| {
        let is_table = body[k].0 == "static" && body.get(k + 1).is_some_and(|(next, _)| next == "const");
        forbidden.contains(&body[k].0.as_str()) && !is_table
    };
    (0..body.len()).any(is_forbidden)
}

/// A helper's body in place of a call.
struct Body {
    inner: Vec<Piece>,
    /// Braces that are still to be closed.
    closing: usize,
    /// The value that it returns.
    result: Option<Vec<Piece>>,
    left: Option<Left>,
}

/// What stands around a body that jumps leave: the variable that gets the value, an open brace, and the label behind it all.
struct Left {
    first: Vec<String>,
    label: String,
}

/// What a pointer of a helper stands for.
enum Pointer {
    /// The argument.
    Array(Vec<Piece>),
    /// The address of this scalar.
    Scalar(String),
}

impl Pointer {
    fn scalar(&self) -> Option<&String> {
        match self {
            Pointer::Scalar(scalar) => Some(scalar),
            Pointer::Array(_) => None,
        }
    }
}

/// The labels in a body.
fn labels(body: &Node<Statement>) -> Vec<String> {
    struct Labels(Vec<String>);
    impl<'ast> Visit<'ast> for Labels {
        fn visit_label(&mut self, label: &'ast Label, span: &'ast ByteSpan) {
            if let Label::Identifier(name) = label {
                self.0.push(name.node.name.clone());
            }
            visit::visit_label(self, label, span);
        }
    }
    let mut labels = Labels(vec![]);
    labels.visit_statement(&body.node, &body.span);
    labels.0
}

/// The names that a body declares.
#[derive(Default)]
struct Own(HashSet<String>);

impl<'ast> Visit<'ast> for Own {
    fn visit_init_declarator(&mut self, declarator: &'ast InitDeclarator, span: &'ast ByteSpan) {
        if let Some(name) = identifier(&declarator.declarator.node) {
            self.0.insert(name.node.name.clone());
        }
        visit::visit_init_declarator(self, declarator, span);
    }
}

struct Declarations<'s, 'n, 'p, 'a, 'u> {
    splicer: &'s Splicer<'p, 'a, 'u>,
    name: &'n str,
    shapes: Vec<Option<Shape>>,
}

impl<'ast> Visit<'ast> for Declarations<'_, '_, '_, '_, '_> {
    fn visit_declaration(&mut self, declaration: &'ast Declaration, span: &'ast ByteSpan) {
        for declarator in &declaration.declarators {
            let declarator = &declarator.node.declarator;
            if identifier(&declarator.node).is_some_and(|own| own.node.name == self.name) {
                let ty = self.splicer.base(&declaration.specifiers);
                self.shapes.push(self.splicer.shape(ty, declarator));
            }
        }
        visit::visit_declaration(self, declaration, span);
    }
}
