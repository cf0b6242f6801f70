//! Pointers to arrays that helpers take: of `void f(short (*s)[4][4])`, which is called as `f(&t)` and says `(*s)[i][j]` alone, becomes
//! `void f(short s[4][4])`, called as `f(t)`.

use std::collections::{BTreeMap, BTreeSet};

use lang_c::ast::{CallExpression, Expression, TranslationUnit, UnaryOperator};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::function::identifier;
use super::preprocess::{Preprocessed, Splice};
use super::program::{self, name_of, parameters};
use super::token::Token;
use super::types::functions;

/// A function, and which of its parameters.
type Parameter = (String, usize);

/// The text with such parameters as arrays; `None` where it has none.
pub fn as_arrays<'a>(preprocessed: &Preprocessed<'a>) -> Option<Preprocessed<'a>> {
    let tokens = &preprocessed.tokens;
    let text = |place: usize| tokens.get(place).map_or("", |token| token.text(&preprocessed.text));
    if !(0..tokens.len()).any(|place| text(place) == "(" && text(place + 1) == "*" && text(place + 3) == ")") {
        return None;
    }
    let unit = program::unit(preprocessed, preprocessed.text.clone(), &|_| false).ok()?;
    let mut found = Found::of(preprocessed, &unit);
    while let Some(other) = found.refused() {
        found.edits.remove(&other);
    }
    // What nobody calls is the kernel.
    let called: BTreeSet<Parameter> = found.calls.iter().map(|call| call.to.clone()).collect();
    found.edits.retain(|parameter, _| called.contains(parameter));
    let chosen: BTreeSet<&Parameter> = found.edits.keys().collect();
    let mut places: Vec<usize> = found.edits.values().flatten().copied().collect();
    let addresses = found.calls.iter().filter(|call| chosen.contains(&call.to));
    places.extend(addresses.filter_map(|call| match call.given {
        Given::Address(place) => Some(place),
        _ => None,
    }));
    places.sort_unstable();
    places.dedup();
    let edits: Vec<Splice> = places.iter().map(|place| (tokens[*place].start..tokens[*place].end, vec![])).collect();
    (!edits.is_empty()).then(|| preprocessed.spliced(&edits))
}

/// What a call gives for a parameter.
enum Given {
    /// `&a`, with the place of the `&`.
    Address(usize),
    /// A parameter of the function around.
    Own(Parameter),
    Other,
}

struct Call {
    to: Parameter,
    given: Given,
}

/// What the functions of a file do with parameters that are pointers to arrays.
struct Found {
    /// The brackets and stars that are left out of each.
    edits: BTreeMap<Parameter, Vec<usize>>,
    calls: Vec<Call>,
}

impl Found {
    fn of(preprocessed: &Preprocessed, unit: &TranslationUnit) -> Found {
        let (tokens, mut found) = (&preprocessed.tokens, Found { edits: BTreeMap::new(), calls: vec![] });
        let text = |place: usize| tokens.get(place).map_or("", |token| token.text(&preprocessed.text));
        let within = |bytes: ByteSpan| {
            tokens.partition_point(|token| token.start < bytes.start)
                ..tokens.partition_point(|token| token.end <= bytes.end)
        };
        // `(*name)[`, with `name` at a place.
        let is_pointee = |place: usize| {
            place >= 2 && [text(place - 2), text(place - 1), text(place + 1), text(place + 2)] == ["(", "*", ")", "["]
        };
        let around = |place: usize| [place - 2, place - 1, place + 1];
        for function in functions(unit).into_iter().filter(|f| preprocessed.map.is_main(f.span)) {
            let name = name_of(&function.node).to_string();
            let mut own: Vec<String> = vec![];
            for parameter in parameters(function) {
                let declared = parameter.node.declarator.as_ref().and_then(|declarator| identifier(&declarator.node));
                own.push(declared.map_or(String::new(), |name| name.node.name.clone()));
                let place =
                    within(parameter.span).find(|place| text(*place) == own[own.len() - 1] && is_pointee(*place));
                if let Some(place) = place {
                    found.edits.insert((name.clone(), own.len() - 1), around(place).to_vec());
                }
            }
            let mut calls = Calls { tokens, name: &name, own: &own, calls: vec![] };
            calls.visit_statement(&function.node.statement.node, &function.node.statement.span);
            for (number, parameter) in own.iter().enumerate() {
                let key = (name.clone(), number);
                let Some(mut edits) = found.edits.remove(&key) else { continue };
                let passed_on =
                    calls.calls.iter().filter(|call| matches!(&call.given, Given::Own(own) if *own == key)).count();
                let uses: Vec<usize> = within(function.node.statement.span)
                    .filter(|place| text(*place) == parameter && !matches!(text(place - 1), "." | "->"))
                    .collect();
                let pointees: Vec<usize> = uses.iter().copied().filter(|place| is_pointee(*place)).collect();
                if pointees.len() + passed_on == uses.len() {
                    edits.extend(pointees.into_iter().flat_map(around));
                    found.edits.insert(key, edits);
                }
            }
            found.calls.extend(calls.calls);
        }
        found
    }

    /// A parameter that some call gives something else for, or that goes on to one that stays a pointer.
    fn refused(&self) -> Option<Parameter> {
        self.calls.iter().find_map(|call| {
            let is_array = self.edits.contains_key(&call.to);
            match &call.given {
                Given::Other if is_array => Some(call.to.clone()),
                Given::Own(own) if is_array && !self.edits.contains_key(own) => Some(call.to.clone()),
                Given::Own(own) if !is_array && self.edits.contains_key(own) => Some(own.clone()),
                _ => None,
            }
        })
    }
}

/// The calls of a function's body.
struct Calls<'t> {
    tokens: &'t [Token],
    name: &'t str,
    own: &'t [String],
    calls: Vec<Call>,
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_call_expression(&mut self, call: &'ast CallExpression, span: &'ast ByteSpan) {
        if let Expression::Identifier(callee) = &call.callee.node {
            for (number, argument) in call.arguments.iter().enumerate() {
                let given = self.given(argument);
                self.calls.push(Call { to: (callee.node.name.clone(), number), given });
            }
        }
        visit::visit_call_expression(self, call, span);
    }
}

impl Calls<'_> {
    fn given(&self, argument: &Node<Expression>) -> Given {
        match &argument.node {
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address => {
                Given::Address(self.tokens.partition_point(|token| token.start < argument.span.start))
            }
            Expression::Identifier(name) => match self.own.iter().position(|own| *own == name.node.name) {
                Some(number) => Given::Own((self.name.to_string(), number)),
                None => Given::Other,
            },
            _ => Given::Other,
        }
    }
}
