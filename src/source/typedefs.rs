//! Typedefs of arrays and pointers: what they stand for is written out, in the preprocessed text.
//!
//! Of `typedef short plane[H][W];` every `plane a` becomes `short a[H][W]`, `plane a[3]` becomes `short a[3][H][W]` and
//! `plane *a` becomes `short (*a)[H][W]`. So nobody behind this file meets them.

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    Declaration, DeclarationSpecifier, Declarator, DerivedDeclarator, Enumerator, FunctionDefinition,
    ParameterDeclaration, SpecifierQualifier, Statement, StructField, TypeName, TypeSpecifier,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::function::{derived, identifier};
use super::preprocess::{Preprocessed, Splice};
use super::program::{self, Changed};
use super::token::{Kind, Token};
use super::types::is_typedef;

/// The text without uses of such typedefs; `None` where it has none.
/// Those inside of functions are gone, unless `keeps_inner`.
pub fn expanded<'a>(preprocessed: &Preprocessed<'a>, keeps_inner: bool) -> Option<Preprocessed<'a>> {
    if !may_have_uses(preprocessed) {
        return None;
    }
    let unit = program::unit(preprocessed, preprocessed.text.clone(), &|_| false).ok()?;
    let mut inside = Inner::default();
    inside.visit_translation_unit(&unit);
    let mut expander = Expander {
        preprocessed,
        aliases: HashMap::new(),
        inside: inside.declared,
        changed: Changed::default(),
        function: None,
        keeps_inner,
        edits: vec![],
    };
    expander.changed.visit_translation_unit(&unit);
    expander.visit_translation_unit(&unit);
    let mut edits = expander.edits;
    edits.sort_by_key(|(bytes, _)| (bytes.start, bytes.end));
    (!edits.is_empty()).then(|| preprocessed.spliced(&edits))
}

/// Whether a name that such a typedef declares stands in the user's file.
fn may_have_uses(preprocessed: &Preprocessed) -> bool {
    let (tokens, text) = (&preprocessed.tokens, |token: &Token| token.text(&preprocessed.text));
    let mut names: HashSet<&str> = HashSet::new();
    let (mut k, mut depth) = (0, 0usize);
    while k < tokens.len() {
        let (begin, around) = (k, depth);
        // All of a `typedef`, or one token.
        loop {
            match text(&tokens[k]) {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            let ends = text(&tokens[begin]) != "typedef" || (depth == around && text(&tokens[k]) == ";");
            k += 1;
            if ends || k == tokens.len() {
                break;
            }
        }
        let all = &tokens[begin..k];
        if all.len() > 1 && (around > 0 || all.iter().any(|t| matches!(text(t), "[" | "*") || names.contains(text(t))))
        {
            let declared = all.windows(2).filter(|pair| matches!(text(&pair[1]), "[" | ")" | ";" | ","));
            names.extend(declared.filter(|pair| pair[0].kind == Kind::Word).map(|pair| text(&pair[0])));
        }
    }
    let is_main = |token: &Token| preprocessed.map.is_main(ByteSpan::span(token.start, token.end));
    tokens.iter().any(|token| token.kind == Kind::Word && names.contains(text(token)) && is_main(token))
}

/// What a typedef stands for: `base prefix NAME suffix`.
#[derive(Clone, Default)]
struct Alias {
    base: Vec<String>,
    prefix: Vec<String>,
    suffix: Vec<String>,
}

struct Expander<'p, 'a> {
    preprocessed: &'p Preprocessed<'a>,
    /// Those in scope.
    aliases: HashMap<String, Alias>,
    /// The names that functions declare.
    inside: HashSet<String>,
    /// What the file's functions change.
    changed: Changed,
    /// How often the function around declares each of its names.
    function: Option<HashMap<String, usize>>,
    keeps_inner: bool,
    edits: Vec<Splice>,
}

impl Expander<'_, '_> {
    fn tokens(&self, bytes: ByteSpan) -> &[Token] {
        let all = &self.preprocessed.tokens;
        let first = all.partition_point(|token| token.start < bytes.start);
        let end = all.partition_point(|token| token.end <= bytes.end);
        &all[first.min(end)..end]
    }

    fn text(&self, token: &Token) -> &str {
        token.text(&self.preprocessed.text)
    }

    /// The tokens of a declarator, which may be none, without attributes.
    fn declarator(&self, start: usize) -> &[Token] {
        let all = &self.preprocessed.tokens;
        let first = all.partition_point(|token| token.start < start);
        let mut depth = 0usize;
        let mut end = first;
        while let Some(token) = all.get(end) {
            match self.text(token) {
                "(" | "[" => depth += 1,
                ")" | "]" if depth > 0 => depth -= 1,
                ")" | "]" | "," | ";" | "=" | ":" | "{" | "__attribute__" | "__asm__" | "asm" if depth == 0 => break,
                _ => {}
            }
            end += 1;
        }
        &all[first..end]
    }

    /// The typedef of this file that the specifiers name, and the place of its name.
    fn alias<'s>(&self, mut types: impl Iterator<Item = &'s Node<TypeSpecifier>>) -> Option<(Alias, ByteSpan)> {
        let (only, more) = (types.next()?, types.next());
        let TypeSpecifier::TypedefName(name) = &only.node else { return None };
        let alias = self.aliases.get(&name.node.name).filter(|_| more.is_none())?;
        Some((alias.clone(), name.span))
    }

    /// Writes out the typedef that is named at `name`, for the declarators that begin at `starts`; `specifiers` are the
    /// bytes of what stands before them.
    fn write_out(&mut self, alias: &Alias, name: ByteSpan, specifiers: ByteSpan, starts: &[usize]) {
        let pieces = |words: &[String], at: ByteSpan| words.iter().map(|word| (word.clone(), at)).collect::<Vec<_>>();
        let name = ByteSpan::span(name.start, self.preprocessed.end(name));
        let mut alias = alias.clone();
        // `const` beside the name of a pointer is the pointer's.
        if let Some(star) = alias.prefix.iter().rposition(|word| word == "*") {
            let own: Vec<Token> =
                self.tokens(specifiers).iter().filter(|t| is_qualifier(self.text(t))).copied().collect();
            for token in own {
                alias.prefix.insert(star + 1, self.text(&token).to_string());
                self.edits.push((token.start..token.end, vec![]));
            }
        }
        self.edits.push((name.start..name.end, pieces(&alias.base, name)));
        for &start in starts {
            let declarator = self.declarator(start);
            let Some((first, last)) = declarator.first().zip(declarator.last()) else {
                let words = [alias.prefix.as_slice(), &alias.suffix].concat();
                self.edits.push((start..start, pieces(&words, name)));
                continue;
            };
            let (begin, end, is_name) = (first.start, last.end, declarator.len() == 1);
            let at = ByteSpan::span(begin, first.end);
            let bracket = |text: &str| if is_name { vec![] } else { vec![(text.to_string(), at)] };
            self.edits.push((begin..begin, [pieces(&alias.prefix, at), bracket("(")].concat()));
            self.edits.push((end..end, [bracket(")"), pieces(&alias.suffix, at)].concat()));
        }
    }

    /// Takes the typedefs of a declaration; tells whether nobody needs it any more.
    fn declare(&mut self, declaration: &Declaration) -> bool {
        let types = declaration.specifiers.iter().filter_map(type_specifier);
        let base = self.alias(types).map(|(alias, _)| alias);
        let words: Vec<String> = declaration.specifiers.iter().flat_map(|s| self.words(s.span)).collect();
        let mut is_spare = self.function.is_some() && !self.keeps_inner;
        for declarator in &declaration.declarators {
            let declarator = &declarator.node.declarator;
            let Some(name) = identifier(&declarator.node) else { continue };
            let all = self.declarator(declarator.span.start);
            let at = all.partition_point(|token| token.start < name.span.start);
            let text = |tokens: &[Token]| tokens.iter().map(|token| self.text(token).to_string()).collect::<Vec<_>>();
            let (prefix, suffix) = (text(&all[..at]), text(&all[(at + 1).min(all.len())..]));
            let name = name.node.name.clone();
            let is_function = derived(declarator).iter().any(|d| !is_array_or_pointer(&d.node));
            // What a function declares anew would be another variable where the typedef is used.
            let is_steady = suffix.iter().all(|word| match &self.function {
                None => !self.inside.contains(word),
                Some(own) => own.get(word).is_none_or(|count| *count == 1) && !self.changed.0.contains(word),
            });
            let is_plain = prefix.is_empty() && suffix.is_empty();
            let alias = match &base {
                _ if is_function || !is_steady || words.iter().any(|word| word == "{") => None,
                Some(base) => Some(base.around(prefix, suffix)),
                // Inside of a function, where a declaration may be no type's, all.
                None if is_plain && self.function.is_none() => None,
                None => {
                    let base = words.iter().filter(|word| *word != "typedef").cloned().collect();
                    Some(Alias { base, prefix, suffix })
                }
            };
            match alias {
                Some(alias) => self.aliases.insert(name, alias),
                None => {
                    is_spare = false;
                    self.aliases.remove(&name)
                }
            };
        }
        is_spare
    }

    fn words(&self, bytes: ByteSpan) -> Vec<String> {
        self.tokens(bytes).iter().map(|token| self.text(token).to_string()).collect()
    }

    /// Where the last token of these specifiers ends.
    fn end_of<T>(&self, specifiers: &[Node<T>]) -> usize {
        specifiers.last().map_or(0, |last| self.preprocessed.end(last.span))
    }
}

impl Alias {
    /// A typedef of this one, with what its own declarator adds.
    fn around(&self, prefix: Vec<String>, suffix: Vec<String>) -> Alias {
        let brackets =
            [vec!["(".to_string()], vec![")".to_string()]].map(|b| if prefix.is_empty() { vec![] } else { b });
        let [open, close] = brackets;
        Alias {
            base: self.base.clone(),
            prefix: [self.prefix.clone(), open, prefix].concat(),
            suffix: [suffix, close, self.suffix.clone()].concat(),
        }
    }
}

fn is_qualifier(word: &str) -> bool {
    matches!(word, "const" | "volatile" | "restrict" | "__restrict" | "__restrict__")
}

fn is_array_or_pointer(part: &DerivedDeclarator) -> bool {
    matches!(part, DerivedDeclarator::Array(_) | DerivedDeclarator::Pointer(_))
}

fn type_specifier(specifier: &Node<DeclarationSpecifier>) -> Option<&Node<TypeSpecifier>> {
    match &specifier.node {
        DeclarationSpecifier::TypeSpecifier(ty) => Some(ty),
        _ => None,
    }
}

fn whole<T>(specifiers: &[Node<T>], end: usize) -> ByteSpan {
    ByteSpan::span(specifiers.first().map_or(end, |first| first.span.start), end)
}

impl<'ast> Visit<'ast> for Expander<'_, '_> {
    fn visit_declaration(&mut self, declaration: &'ast Declaration, span: &'ast ByteSpan) {
        let alias = self.alias(declaration.specifiers.iter().filter_map(type_specifier));
        if is_typedef(declaration) {
            if self.declare(declaration) {
                self.edits.push((span.start..self.preprocessed.end(*span), vec![]));
                return;
            }
        } else if let Some((alias, name)) = alias {
            let starts: Vec<usize> = declaration.declarators.iter().map(|d| d.node.declarator.span.start).collect();
            let end = self.end_of(&declaration.specifiers);
            self.write_out(&alias, name, whole(&declaration.specifiers, end), &starts);
        }
        visit::visit_declaration(self, declaration, span);
    }

    fn visit_parameter_declaration(&mut self, parameter: &'ast ParameterDeclaration, span: &'ast ByteSpan) {
        if let Some((alias, name)) = self.alias(parameter.specifiers.iter().filter_map(type_specifier)) {
            let end = self.end_of(&parameter.specifiers);
            let start = parameter.declarator.as_ref().map_or(end, |declarator| declarator.span.start);
            self.write_out(&alias, name, whole(&parameter.specifiers, end), &[start]);
        }
        visit::visit_parameter_declaration(self, parameter, span);
    }

    fn visit_type_name(&mut self, name: &'ast TypeName, span: &'ast ByteSpan) {
        let types = name.specifiers.iter().filter_map(|specifier| match &specifier.node {
            SpecifierQualifier::TypeSpecifier(ty) => Some(ty),
            _ => None,
        });
        if let Some((alias, own)) = self.alias(types) {
            let end = self.end_of(&name.specifiers);
            let start = name.declarator.as_ref().map_or(end, |declarator| declarator.span.start);
            self.write_out(&alias, own, whole(&name.specifiers, end), &[start]);
        }
        visit::visit_type_name(self, name, span);
    }

    fn visit_struct_field(&mut self, field: &'ast StructField, span: &'ast ByteSpan) {
        let types = field.specifiers.iter().filter_map(|specifier| match &specifier.node {
            SpecifierQualifier::TypeSpecifier(ty) => Some(ty),
            _ => None,
        });
        if let Some((alias, name)) = self.alias(types) {
            let declarators = field.declarators.iter().filter_map(|d| d.node.declarator.as_ref());
            let starts: Vec<usize> = declarators.map(|declarator| declarator.span.start).collect();
            let end = self.end_of(&field.specifiers);
            self.write_out(&alias, name, whole(&field.specifiers, end), &starts);
        }
        visit::visit_struct_field(self, field, span);
    }

    fn visit_function_definition(&mut self, function: &'ast FunctionDefinition, span: &'ast ByteSpan) {
        let mut inner = Inner::default();
        inner.visit_function_definition(function, span);
        let outer = self.aliases.clone();
        self.function = Some(inner.counts);
        visit::visit_function_definition(self, function, span);
        self.function = None;
        self.aliases = outer;
    }

    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast ByteSpan) {
        let outer = matches!(statement, Statement::Compound(_)).then(|| self.aliases.clone());
        visit::visit_statement(self, statement, span);
        if let Some(outer) = outer {
            self.aliases = outer;
        }
    }
}

/// What functions declare.
#[derive(Default)]
struct Inner {
    declared: HashSet<String>,
    counts: HashMap<String, usize>,
    is_inside: bool,
}

impl Inner {
    fn note(&mut self, name: &str) {
        if self.is_inside {
            self.declared.insert(name.to_string());
            *self.counts.entry(name.to_string()).or_default() += 1;
        }
    }
}

impl<'ast> Visit<'ast> for Inner {
    fn visit_function_definition(&mut self, function: &'ast FunctionDefinition, span: &'ast ByteSpan) {
        self.is_inside = true;
        visit::visit_function_definition(self, function, span);
        self.is_inside = false;
    }

    fn visit_declarator(&mut self, declarator: &'ast Declarator, span: &'ast ByteSpan) {
        if let Some(name) = identifier(declarator) {
            self.note(&name.node.name);
        }
        visit::visit_declarator(self, declarator, span);
    }

    fn visit_enumerator(&mut self, enumerator: &'ast Enumerator, span: &'ast ByteSpan) {
        self.note(&enumerator.identifier.node.name);
        visit::visit_enumerator(self, enumerator, span);
    }
}
