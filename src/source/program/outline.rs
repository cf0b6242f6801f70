//! The part of a program that becomes the kernel, as a function of its own in a text with the same lines.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use lang_c::ast::{
    ArraySize, BlockItem, DeclarationSpecifier, Declarator, DerivedDeclarator, ExternalDeclaration, ForInitializer,
    ForStatement, FunctionDefinition, InitDeclarator, Initializer, ParameterDeclaration, Statement, TranslationUnit,
    TypeQualifier, TypeSpecifier,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::super::canonical::{begun, names_in};
use super::super::exits::jumps;
use super::super::function::{Region, derived, identifier};
use super::super::scope::{Checked, check_name};
use super::super::structs::{self, Records, type_specifiers};
use super::super::table::LARGEST;
use super::super::token::{Kind, Token};
use super::super::types::{functions, is_typedef};
use super::flow::{Changed, First, Flow, Level, Path, declares};
use super::names::{Declared, Free, global, in_extents, targets, variable};
use super::places::Places;
use super::returned::{self, is_number, returned};
use super::top::External;
use super::{Place, Program, Reader, name_of};
use crate::diagnostic::{Diagnostic, Span};
use crate::source::Source;
use crate::source::{braces, strings};

/// What becomes the kernel: a region of a function, or its whole body.
pub struct Part<'u> {
    pub function: &'u Node<FunctionDefinition>,
    pub region: Option<Region>,
    /// By `#pragma scop`.
    pub marked: bool,
}

/// The arguments of a function, without the `void` of `f(void)`.
pub fn parameters(function: &Node<FunctionDefinition>) -> Vec<&Node<ParameterDeclaration>> {
    let prototype = derived(&function.node.declarator).into_iter().find_map(|d| match &d.node {
        DerivedDeclarator::Function(prototype) => Some(&prototype.node.parameters),
        _ => None,
    });
    prototype.into_iter().flatten().filter(|parameter| parameter.node.declarator.is_some()).collect()
}

/// How the kernel gets a variable.
pub enum Use {
    /// An argument of the same name.
    Argument,
    /// A scalar that begins inside.
    Local(Begin),
    /// A scalar that the kernel changes and that comes in: by an argument of this name.
    First(String),
    /// A scalar that the kernel leaves in an array of this name.
    Result(String, Begin),
    /// A structure: the only element of an array of this name, which the region's text names in its place.
    Whole(String),
}

/// The value that a scalar begins with.
#[derive(Clone)]
pub enum Begin {
    /// None that matters.
    Any,
    /// What it is in the program.
    Outside,
    /// This number.
    Known(String),
}

pub struct Used<'u> {
    pub name: String,
    pub declared: Declared<'u>,
    pub how: Use,
}

/// Where nothing lives on behind the region, all that it changes of what is declared around it is what it was written for.
fn show_something(
    used: &mut [Used],
    items: &[&Node<BlockItem>],
    changed: &Changed,
    fresh: impl Fn(&str, &str) -> String,
) {
    let written = targets(items);
    let shows = |used: &Used| match used.how {
        Use::Argument => !used.declared.is_scalar() && written.contains(&used.name),
        Use::Result(..) | Use::Whole(_) => true,
        Use::Local(_) | Use::First(_) => false,
    };
    if used.iter().any(shows) {
        return;
    }
    for used in used {
        let first = match &used.how {
            Use::Local(first) if changed.0.contains(&used.name) => first.clone(),
            Use::First(_) => Begin::Outside,
            _ => continue,
        };
        used.how = Use::Result(fresh(&used.name, "_out"), first);
    }
}

pub fn outline(reader: &Reader, part: &Part, externals: &[External]) -> Checked<Program> {
    let declarator = &part.function.node.declarator;
    if derived(declarator).iter().any(|d| matches!(&d.node, DerivedDeclarator::KRFunction(names) if !names.is_empty()))
    {
        return Err(Diagnostic::new("the function's arguments have no types")
            .at(reader.span(declarator.span), "K&R style")
            .help("declare them as in `void f(int N, int32_t a[N])`"));
    }
    let outliner = Outliner { reader, part, externals };
    let path = outliner.path()?;
    outliner.program(&path)
}

/// Where a part that is taken as it is stands in the user's text.
pub fn place(reader: &Reader, part: &Part) -> Option<Place> {
    Outliner { reader, part, externals: &[] }.place()
}

pub struct Outliner<'r, 'u> {
    pub reader: &'r Reader<'u>,
    pub part: &'r Part<'u>,
    pub externals: &'r [External],
}

impl<'u> Outliner<'_, 'u> {
    pub fn text(&self, bytes: ByteSpan) -> &str {
        self.reader.preprocessed.text[bytes.start..self.reader.end(bytes)].trim()
    }

    /// The bytes of the preprocessed text that the region holds.
    pub fn bytes(&self) -> Range<usize> {
        match &self.part.region {
            Some(region) => region.bytes.clone(),
            None => {
                let body = self.part.function.node.statement.span;
                body.start + 1..self.reader.end(body) - 1
            }
        }
    }

    /// From the function's body to the region.
    fn path(&self) -> Checked<Path<'u>> {
        let bytes = self.bytes();
        let mut around = vec![];
        let mut list: Option<Items<'u>> = match &self.part.function.node.statement.node {
            Statement::Compound(items) => Some((items, None)),
            _ => None,
        };
        while let Some((items, of_loop)) = list.take() {
            let items: Vec<_> = items.iter().collect();
            let begin = items.partition_point(|item| item.span.start < bytes.start);
            let end = items.partition_point(|item| item.span.start < bytes.end);
            let before = begin.checked_sub(1).map(|k| items[k]);
            let holds = before.filter(|item| self.reader.end(item.span) > bytes.start);
            let Some(holder) = holds else {
                if begin == end {
                    break;
                }
                around.push(Level { items, inside: begin..end, of_loop });
                return Ok(Path { around });
            };
            around.push(Level { items, inside: begin - 1..begin, of_loop });
            if let BlockItem::Statement(statement) = &holder.node {
                list = block_around(statement, &bytes, self.reader);
            }
        }
        let span = self.part.region.as_ref().map_or_else(|| self.reader.span(self.part.function.span), |r| r.span);
        Err(Diagnostic::new("`#pragma scop` begins inside a statement, or there is nothing behind it")
            .at(span, "here")
            .help("put it before the outermost loop, and `#pragma endscop` behind it"))
    }

    /// The declaration of a name at the region.
    pub fn declared(&self, path: &Path<'u>, name: &str) -> Option<Declared<'u>> {
        for level in path.around.iter().rev() {
            for item in level.items[..level.inside.start].iter().rev() {
                if let BlockItem::Declaration(declaration) = &item.node
                    && let Some(found) = variable(&declaration.node, name, false)
                {
                    return Some(found);
                }
            }
            if let Some(Node { node: Statement::For(f), .. }) = level.of_loop
                && let ForInitializer::Declaration(declaration) = &f.node.initializer.node
                && let Some(found) = variable(&declaration.node, name, false)
            {
                return Some(found);
            }
        }
        let is_it = |parameter: &&Node<ParameterDeclaration>| {
            let declarator = parameter.node.declarator.as_ref();
            declarator.and_then(|d| identifier(&d.node)).is_some_and(|found| found.node.name == name)
        };
        match parameters(self.part.function).into_iter().find(is_it) {
            // The tree outlives the borrow of the part.
            Some(parameter) => Some(Declared::Argument(parameter)),
            None => global(self.reader, name),
        }
    }

    fn program(&self, path: &Path<'u>) -> Checked<Program> {
        let preprocessed = self.reader.preprocessed;
        let Some(inner) = path.around.last() else {
            return Err(Diagnostic::new("the region holds nothing").help("put it around the kernel's loops"));
        };
        let items: Vec<&Node<BlockItem>> = inner.items[inner.inside.clone()].to_vec();
        let free = Free::of_items(items.iter().copied());
        let mut changed = Changed::default();
        items.iter().for_each(|item| changed.visit_block_item(&item.node, &item.span));
        let lifted = self.lifted(path, &items, &free.called);
        changed.0.extend(lifted.changed.iter().filter(|name| lifted.used.contains(name)).cloned());
        let taken: HashSet<&str> = preprocessed
            .tokens
            .iter()
            .filter(|token| token.kind == Kind::Word)
            .map(|token| token.text(&preprocessed.text))
            .collect();

        // Arguments of the function first, then others as they are used; what extents need before the arrays.
        let own: Vec<String> = parameters(self.part.function)
            .into_iter()
            .filter_map(|p| Some(identifier(&p.node.declarator.as_ref()?.node)?.node.name.clone()))
            .collect();
        let mut wanted: Vec<String> = own.into_iter().filter(|name| free.names.contains(name)).collect();
        wanted.extend(free.names.iter().filter(|name| !wanted.contains(name)).cloned().collect::<Vec<_>>());
        wanted.extend(lifted.used.iter().filter(|name| !wanted.contains(name)).cloned().collect::<Vec<_>>());
        let mut names: Vec<String> = vec![];
        wanted.iter().for_each(|name| self.add_with_extents(path, name, &mut names));

        let kept: HashMap<String, &Node<FunctionDefinition>> =
            functions(self.reader.unit).into_iter().map(|f| (name_of(&f.node).to_string(), f)).collect();
        let mut constants = self.types_around(path);
        // Constants under names that the file gives to others.
        let mut inner_constants = String::new();
        let extents: HashSet<String> = names
            .iter()
            .filter_map(|name| self.declared(path, name))
            .flat_map(|declared| {
                let room = self.room(&declared).into_iter().flatten().flat_map(names_in).collect();
                [declared.declarator().map(in_extents).unwrap_or_default(), room].concat()
            })
            .collect();
        // Declarations of the file that become constants, by the start of their text.
        let mut made_const: Vec<usize> = vec![];
        let (mut used, records): (Vec<Used>, Records) = (vec![], self.records(path));
        let fresh = |name: &str, ending: &str| fresh(&format!("{name}{ending}"), &taken);
        let mut renamed: Vec<Edit> = vec![];
        for name in names {
            let Some(declared) = self.declared(path, &name) else { continue };
            if declared.is_const() && declared.initializer().is_some() && self.stays(&declared, &name) {
                if !declared.is_global() {
                    constants.push_str(&self.constant(&declared));
                }
                continue;
            }
            if declared.is_scalar() && !changed.0.contains(&name) && self.is_constant(&declared, &name) {
                match declared {
                    Declared::Variable { declaration, is_global: true, .. } if declaration.declarators.len() == 1 => {
                        // `extern` declarations, too.
                        for start in self.global_declarations(&name) {
                            if !made_const.contains(&start) {
                                made_const.push(start);
                            }
                        }
                        continue;
                    }
                    Declared::Variable { is_global: false, .. } if global(self.reader, &name).is_none() => {
                        constants.push_str(&self.constant(&declared));
                        continue;
                    }
                    Declared::Variable { is_global: false, .. } if !extents.contains(&name) => {
                        inner_constants.push_str(&self.constant(&declared));
                        continue;
                    }
                    _ => {}
                }
            }
            let how = match declared.is_scalar() && changed.0.contains(&name) {
                _ if declared.is_scalar() && records.of_known(&type_specifiers(declared.specifiers())).is_some() => {
                    let array = fresh(&name, "_out");
                    let edits = self.renamed(&name, &array, &items);
                    match edits.filter(|_| !lifted.used.contains(&name)) {
                        Some(edits) => {
                            renamed.extend(edits);
                            Use::Whole(array)
                        }
                        None => Use::Result(array, Begin::Outside),
                    }
                }
                false => Use::Argument,
                true => {
                    let flow = Flow { name: &name, functions: &kept, is_global: declared.is_global() };
                    let is_in_extents = extents.contains(&name);
                    self.changed_scalar(path, &flow, &declared, &items, (is_in_extents, &|ending| fresh(&name, ending)))
                }
            };
            used.push(Used { name, declared, how });
        }
        if !is_number(self.reader, self.part) {
            show_something(&mut used, &items, &changed, fresh);
        }
        renamed.extend(lifted.edits.into_iter().chain(self.sizes(&used, &free)));
        renamed.extend(self.sizes_in_macros(&used, |name| fresh(name, "_whole"), &mut constants));
        self.rewrite(&used, [&constants, &inner_constants], &made_const, &free, renamed)
    }

    /// The structures of the file, and those that the function defines before the region.
    fn records(&self, path: &Path<'u>) -> Records {
        let (preprocessed, types) = (self.reader.preprocessed, self.reader.types);
        let mut records = structs::records(preprocessed, self.reader.unit, types);
        for item in path.around.iter().flat_map(|level| &level.items[..level.inside.start]) {
            if let BlockItem::Declaration(declaration) = &item.node {
                structs::define(&mut records, &declaration.node, preprocessed, types);
            }
        }
        records
    }

    /// The region's text with `array[0]` in place of a structure's name; `None` where that is not to be had.
    fn renamed(&self, name: &str, array: &str, items: &[&Node<BlockItem>]) -> Option<Vec<Edit>> {
        struct Declares<'n>(&'n str, bool);
        impl<'ast> Visit<'ast> for Declares<'_> {
            fn visit_declarator(&mut self, declarator: &'ast Declarator, span: &'ast ByteSpan) {
                self.1 |= identifier(declarator).is_some_and(|found| found.node.name == self.0);
                visit::visit_declarator(self, declarator, span);
            }
        }
        let mut inner = Declares(name, false);
        items.iter().for_each(|item| inner.visit_block_item(&item.node, &item.span));
        (!inner.1).then_some(())?;
        let (bytes, text) = (self.bytes(), &self.reader.preprocessed.text);
        let tokens = self.tokens(ByteSpan::span(bytes.start, bytes.end));
        let is_member = |k: usize| k > 0 && matches!(tokens[k - 1].text(text), "." | "->");
        let places = (0..tokens.len()).filter(|&k| tokens[k].text(text) == name && !is_member(k)).map(|k| {
            let own = self.reader.preprocessed.map.bytes(ByteSpan::span(tokens[k].start, tokens[k].end))?;
            // Not a macro that has the name in it.
            let is_it = self.reader.source.text.get(own.clone()) == Some(name);
            is_it.then(|| Edit { bytes: own, text: Some(format!("{array}[0]")), keeps_directives: false })
        });
        places.collect()
    }

    /// Where the declarations of a variable of the file begin.
    fn global_declarations(&self, name: &str) -> Vec<usize> {
        let declarations = self.reader.unit.0.iter().filter_map(|external| match &external.node {
            ExternalDeclaration::Declaration(declaration) => Some(declaration),
            _ => None,
        });
        declarations.filter(|d| declares(&d.node, name)).map(|d| d.span.start).collect()
    }

    /// The types and enumerators of the function that the region names, as declarations of the file.
    fn types_around(&self, path: &Path<'u>) -> String {
        let bytes = self.bytes();
        let mut region: HashSet<&str> = self
            .tokens(ByteSpan::span(bytes.start, bytes.end))
            .iter()
            .map(|token| token.text(&self.reader.preprocessed.text))
            .collect();
        // Names of types that were written out.
        if let Some((begin, end)) = self.region_in_file() {
            let inside = self.reader.original.tokens.iter().filter(|t| begin.end <= t.start && t.end <= end.start);
            region.extend(inside.map(|token| token.text(&self.reader.source.text)));
        }
        let mut text = String::new();
        for item in path.around.iter().flat_map(|level| &level.items[..level.inside.start]) {
            let BlockItem::Declaration(declaration) = &item.node else { continue };
            let is_type = is_typedef(&declaration.node) || declaration.node.declarators.is_empty();
            // What stands between the braces of an enumeration, and the names.
            let mut words =
                self.tokens(declaration.span).iter().map(|token| token.text(&self.reader.preprocessed.text));
            let body = type_specifiers(&declaration.node.specifiers).into_iter().find(|ty| {
                matches!(&ty.node, TypeSpecifier::Struct(s) if s.node.declarations.is_some() && s.node.identifier.is_some())
            });
            let ty = match (is_type, body) {
                (true, _) => on_one_line(self.text(declaration.span)),
                // Variables of a structure that is defined beside them.
                (false, Some(body)) => format!("{};", on_one_line(self.text(body.span))),
                (false, None) => continue,
            };
            if words.any(|word| region.contains(word) && !is_keyword(word)) {
                text.push_str(&ty);
                text.push(' ');
            }
        }
        text
    }

    fn add_with_extents(&self, path: &Path<'u>, name: &str, names: &mut Vec<String>) {
        if names.iter().any(|known| known == name) {
            return;
        }
        let Some(declared) = self.declared(path, name) else { return };
        if let Some(declarator) = declared.declarator() {
            let room = self.room(&declared).into_iter().flatten().flat_map(names_in);
            in_extents(declarator).into_iter().chain(room).filter(|inner| inner != name).for_each(|inner| {
                self.add_with_extents(path, &inner, names);
            });
        }
        names.push(name.to_string());
    }

    /// How the kernel gets a scalar that it changes.
    fn changed_scalar(
        &self,
        path: &Path<'u>,
        flow: &Flow<'u, '_>,
        declared: &Declared<'u>,
        items: &[&'u Node<BlockItem>],
        (is_in_extents, fresh): (bool, &dyn Fn(&str) -> String),
    ) -> Use {
        let access = flow.items(items);
        let known = self.begins_with(path, declared).filter(|_| access != First::Written);
        let first = match access {
            First::Written => Begin::Any,
            _ => known.clone().map_or(Begin::Outside, Begin::Known),
        };
        match (self.is_live(path, flow, declared, items), access) {
            // On some way through the region it may stay what it was.
            (true, _) => Use::Result(fresh("_out"), first),
            (false, First::Read) if known.is_some() => Use::Local(first),
            // What extents name keeps its name, and what is the function's own.
            (false, First::Read) if is_in_extents || self.ends_with_function(declared) => Use::Argument,
            (false, First::Read) => Use::First(fresh("_in")),
            (false, _) => Use::Local(Begin::Any),
        }
    }

    /// Whether a variable is an argument of the function that is taken as a whole.
    fn ends_with_function(&self, declared: &Declared) -> bool {
        self.part.region.is_none() && matches!(declared, Declared::Argument(_))
    }

    /// Whether something behind the region may read the variable.
    fn is_live(
        &self,
        path: &Path<'u>,
        flow: &Flow<'u, '_>,
        declared: &Declared<'u>,
        region: &[&'u Node<BlockItem>],
    ) -> bool {
        let function = &self.part.function.node;
        if self.ends_with_function(declared) {
            return false;
        }
        if jumps(&function.statement, None) > 0 || self.has_address(flow.name) {
            return true;
        }
        match path.is_live(flow) {
            Some(live) => live,
            None if declared.is_static() && !declared.is_global() => true,
            None if !declared.is_global() || name_of(function) == "main" => false,
            // Whoever calls the function may look at it afterwards, in another file if this is no whole program; what only counts a loop
            // nobody looks at.
            None if !declared.is_static() && !has_main(self.reader.unit) && !begins_loops(region, flow.name) => true,
            None => {
                let others = self.externals.iter().filter(|other| {
                    other.function.as_ref().is_some_and(|(_, body)| !body.contains(&self.bytes().start))
                });
                let mut tokens = others.flat_map(|other| {
                    let all = &self.reader.preprocessed.tokens;
                    let first = all.partition_point(|token| token.start < other.bytes.start);
                    let end = all.partition_point(|token| token.start < other.bytes.end);
                    &all[first..end]
                });
                // The next call of a function that is taken as a whole goes on from there.
                let is_kept = self.part.region.is_none() && flow.items(region) == First::Read;
                is_kept || tokens.any(|token| token.text(&self.reader.preprocessed.text) == flow.name)
            }
        }
    }

    /// Whether the address of a variable is taken somewhere, as `&` before its name tells: then it has other names.
    fn has_address(&self, name: &str) -> bool {
        let text = |token: &Token| token.text(&self.reader.preprocessed.text);
        self.reader.preprocessed.tokens.windows(2).any(|pair| text(&pair[0]) == "&" && text(&pair[1]) == name)
    }

    /// Whether a constant of the file or the function stays one: a number, or a table that is small enough.
    pub fn stays(&self, declared: &Declared, _: &str) -> bool {
        let Some(first) = declared.initializer() else { return false };
        match &first.node {
            Initializer::Expression(text) if !declared.is_scalar() => {
                let is_small = strings::length(text).is_some_and(|length| length as i64 <= LARGEST);
                is_small && (declared.is_global() || self.is_plain(first.span))
            }
            Initializer::Expression(_) => declared.is_global() || self.is_plain(first.span),
            Initializer::List(_) => {
                let tokens = self.tokens(first.span);
                let count = tokens.iter().filter(|token| token.kind == Kind::Number).count();
                count as i64 <= LARGEST && (declared.is_global() || self.is_plain(first.span))
            }
        }
    }

    pub fn tokens(&self, bytes: ByteSpan) -> &[Token] {
        let all = &self.reader.preprocessed.tokens;
        let first = all.partition_point(|token| token.start < bytes.start);
        let end = all.partition_point(|token| token.end <= bytes.end);
        &all[first.min(end)..end]
    }

    /// Whether a text has numbers alone.
    pub fn is_plain(&self, bytes: ByteSpan) -> bool {
        self.tokens(bytes).iter().all(|token| matches!(token.kind, Kind::Number | Kind::Punctuation))
    }

    /// Whether an integer has one value throughout the program: a number that nothing changes.
    pub fn is_constant(&self, declared: &Declared, name: &str) -> bool {
        let Some(first) = declared.initializer() else { return false };
        let is_integer = self.reader.types.of_declaration(declared.specifiers()).integer().is_some();
        if !is_integer || !matches!(first.node, Initializer::Expression(_)) || !self.is_plain(first.span) {
            return false;
        }
        let (text, tokens) = (&self.reader.preprocessed.text, &self.reader.preprocessed.tokens);
        let around = |k: usize| tokens.get(k).map_or("", |token| token.text(text));
        let declaration = declared.declarator().map_or(0, |declarator| declarator.span.start);
        // Another variable of the name that a declaration gives a value to.
        let is_declared =
            |k: usize| k > 0 && tokens[k - 1].kind == Kind::Word && !matches!(around(k - 1), "else" | "do" | "return");
        let is_changed = |k: usize| {
            tokens[k].text(text) == name
                && tokens[k].start != declaration
                && !is_declared(k)
                && (matches!(
                    around(k + 1),
                    "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=" | "++" | "--"
                ) || k > 0 && matches!(around(k - 1), "++" | "--" | "&"))
        };
        !(0..tokens.len()).any(is_changed)
    }

    /// A variable of a function as a constant of the file.
    fn constant(&self, declared: &Declared) -> String {
        let value = declared.initializer().map_or("", |first| self.text(first.span));
        // The parser counts the sign to the value.
        let value = value.trim_start_matches('=');
        format!("static const {} = {}; ", self.declaration(declared, None), on_one_line(value))
    }

    /// The type of a declaration, without what says where it is stored.
    pub fn base(&self, declared: &Declared) -> String {
        let words = declared.specifiers().iter().filter_map(|specifier| match &specifier.node {
            DeclarationSpecifier::TypeSpecifier(ty) => match &ty.node {
                TypeSpecifier::Struct(s) if s.node.declarations.is_some() => match &s.node.identifier {
                    Some(name) => Some(format!("struct {}", name.node.name)),
                    // It has no name but its variable's.
                    None => declared.declarator().and_then(|declarator| {
                        let name = identifier(&declarator.node)?;
                        let element = "[0]".repeat(derived(declarator).len());
                        Some(format!("__typeof__({}{element})", name.node.name))
                    }),
                },
                _ => Some(on_one_line(self.text(specifier.span))),
            },
            _ => None,
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// A declaration for a list of arguments, `double a[10][20]`, under another name where there is one.
    pub fn declaration(&self, declared: &Declared, name: Option<&str>) -> String {
        let base = self.base(declared);
        let Some(declarator) = declared.declarator() else { return base };
        let own = identifier(&declarator.node).map_or("", |name| name.node.name.as_str());
        let name = name.unwrap_or(own);
        let parts = derived(declarator);
        let is_array = |d: &Node<DerivedDeclarator>| matches!(d.node, DerivedDeclarator::Array(_));
        let is_parameter = matches!(declared, Declared::Argument(_));
        let constant = match declared
            .specifiers()
            .iter()
            .any(|s| matches!(&s.node, DeclarationSpecifier::TypeQualifier(q) if q.node == TypeQualifier::Const))
            && !parts.is_empty()
            && is_parameter
        {
            true => "const ",
            false => "",
        };
        if let Some(room) = self.room(declared) {
            let factors: Vec<String> = room.iter().map(|factor| on_one_line(self.text(factor.span))).collect();
            let extent = match &factors[..] {
                [] => "1".to_string(),
                [only] => only.clone(),
                several => several.iter().map(|factor| format!("({factor})")).collect::<Vec<_>>().join(" * "),
            };
            return format!("{constant}{base} {name}[{extent}]");
        }
        if !parts.iter().all(|d| is_array(d)) {
            return format!("{constant}{base} {}", on_one_line(self.text(declarator.span)));
        }
        let mut text = format!("{constant}{base} {name}");
        let is_number = self.reader.types.of_declaration(declared.specifiers()).arithmetic().is_some();
        let numbers = (is_number && parts.len() == 1).then_some(1);
        let listed = match declared.initializer().map(|first| &first.node) {
            Some(Initializer::List(items)) => braces::rows(items, numbers),
            Some(Initializer::Expression(own)) => strings::length(own).map(|length| length as u64),
            None => None,
        };
        for part in parts {
            let DerivedDeclarator::Array(array) = &part.node else { continue };
            match &array.node.size {
                ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => {
                    text.push_str(&format!("[{}]", on_one_line(self.text(size.span))));
                }
                _ => text.push_str(&listed.map_or("[]".to_string(), |extent| format!("[{extent}]"))),
            }
        }
        text
    }

    /// The kernel's name: its function's, or the file's.
    fn name(&self, taken: &HashSet<&str>) -> String {
        let function = name_of(&self.part.function.node);
        let elsewhere = self.externals.iter().filter(|external| {
            external.words.contains(function) && external.function.as_ref().is_none_or(|(name, _)| name != function)
        });
        if function != "main" {
            let mut name = function.to_string();
            if elsewhere.count() > 0 {
                name.push_str("_kernel");
                while taken.contains(name.as_str()) {
                    name.push('_');
                }
            }
            return name;
        }
        let file = crate::file_name(&self.reader.source.path);
        let stem = file.split('.').next().unwrap_or("");
        let mut name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(40).collect();
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
        if !starts || taken.contains(name.as_str()) || check_name(&name, Span::default()).is_err() {
            name.insert_str(0, "kernel_");
        }
        while taken.contains(name.as_str()) {
            name.push('_');
        }
        name
    }

    /// Where the region stands in the user's text: what gives way to the function's head, and to its end.
    fn region_in_file(&self) -> Option<(Range<usize>, Range<usize>)> {
        let (map, text, original) = (&self.reader.preprocessed.map, &self.reader.source.text, self.reader.original);
        let one = |at: usize| map.bytes(ByteSpan::span(at, at + 1));
        match &self.part.region {
            Some(region) if self.part.marked => {
                let is = |directive: &&Vec<Token>, word: &str| matches!(directive[..], [_, pragma, name, ..] if pragma.text(text) == "pragma" && name.text(text) == word);
                let whole = |directive: &Vec<Token>| directive[0].start..directive.last().map_or(0, |last| last.end);
                let begin = original.directives.iter().find(|d| is(d, "scop") && d[0].line == region.span.line)?;
                let end = original.directives.iter().find(|d| is(d, "endscop") && d[0].line > region.span.line)?;
                Some((whole(begin), whole(end)))
            }
            Some(region) => {
                let bytes = map.bytes(ByteSpan::span(region.bytes.start, region.bytes.end))?;
                Some((bytes.start..bytes.start, bytes.end..bytes.end))
            }
            None => {
                let body = self.part.function.node.statement.span;
                Some((one(body.start)?, one(self.reader.end(body) - 1)?))
            }
        }
    }

    fn place(&self) -> Option<Place> {
        let (begin, end) = self.region_in_file()?;
        let begin = if self.part.region.is_none() { begin.end } else { begin.start };
        let text = self.reader.source.text.clone();
        Some(Place { text, begin, end: end.start, results: vec![], firsts: vec![], returned: None })
    }

    fn rewrite(
        &self,
        used: &[Used],
        constants: [&str; 2],
        made_const: &[usize],
        free: &Free,
        lifted: Vec<Edit>,
    ) -> Checked<Program> {
        let tokens = self.reader.preprocessed.tokens.iter().filter(|token| token.kind == Kind::Word);
        let taken: HashSet<&str> = tokens.map(|token| token.text(&self.reader.preprocessed.text)).collect();
        let map = &self.reader.preprocessed.map;
        let place = self.part.region.as_ref().map_or_else(|| self.reader.span(self.part.function.span), |r| r.span);
        let unmapped = || {
            Diagnostic::new("the region's pragmas or braces come from a macro or a header")
                .at(place, "here")
                .help("write `#pragma scop` and `#pragma endscop` on lines of their own in the file itself")
        };
        let (begin, end) = self.region_in_file().ok_or_else(unmapped)?;
        let name = self.name(&taken);

        let returned = returned(self.reader, self.part, |name| fresh(name, &taken))?;
        let added = returned.as_ref().map(|returned| (returned.argument.as_str(), returned.span));
        let Frame { head, foot, epilogue, results, firsts } = self.frame(used, constants, &name, place, added);

        // Everything else that gives way.
        let reachable = self.reachable(free);
        let mut edits: Vec<Edit> = vec![];
        for external in self.externals.iter().filter(|external| external.is_main) {
            let Some((own, body)) = &external.function else { continue };
            let bytes = map.bytes(ByteSpan::span(external.bytes.start, external.bytes.end)).ok_or_else(unmapped)?;
            if body.contains(&self.bytes().start) {
                let outside = [bytes.start..begin.start, end.end..bytes.end];
                if begin.start < bytes.start || bytes.end < end.end {
                    return Err(unmapped());
                }
                edits.push(Edit { bytes: outside[0].clone(), text: None, keeps_directives: true });
                edits.push(Edit { bytes: begin.clone(), text: Some(head.text.clone()), keeps_directives: false });
                edits.push(Edit { bytes: end.clone(), text: Some(foot.text.clone()), keeps_directives: false });
                edits.push(Edit { bytes: outside[1].clone(), text: None, keeps_directives: false });
            } else if !reachable.contains(own) {
                let is_named = self.externals.iter().any(|other| {
                    other.words.contains(own) && other.function.as_ref().is_none_or(|(name, _)| name != own)
                });
                let inner = map.bytes(ByteSpan::span(body.start, body.end)).ok_or_else(unmapped)?;
                match is_named && inner.start > bytes.start {
                    true => {
                        edits.push(Edit {
                            bytes: inner.start..inner.start + 1,
                            text: Some(";".into()),
                            keeps_directives: false,
                        });
                        edits.push(Edit { bytes: inner.start + 1..inner.end, text: None, keeps_directives: false });
                    }
                    false => edits.push(Edit { bytes, text: None, keeps_directives: false }),
                }
            }
        }
        for start in made_const {
            let at = map.bytes(ByteSpan::span(*start, start + 1)).ok_or_else(unmapped)?.start;
            edits.push(Edit { bytes: at..at, text: Some("const ".into()), keeps_directives: false });
        }
        edits.extend(lifted);
        let (mut region, own) = (self.place(), returned.as_ref().map(|returned| returned.own.clone()));
        match own {
            None => {}
            Some(Some((value, end))) => region = region.map(|place| Place { end, returned: Some(value), ..place }),
            // No one place knows what it leaves.
            Some(None) => region = None,
        }
        let mut leaving: Vec<Edit> = returned.into_iter().flat_map(|returned| returned.edits).collect();
        if !epilogue.is_empty() {
            for edit in leaving.iter_mut().filter(|edit| edit.text.as_deref() == Some(returned::LEAVES)) {
                edit.text = Some(format!(" {epilogue}return; }}"));
            }
            leaving.extend(returned::leaving(self.reader, self.part, &self.bytes(), &epilogue)?);
            self.check_hidden(used, &leaving)?;
        }
        edits.extend(leaving);
        edits.sort_by_key(|edit| (edit.bytes.start, edit.bytes.end));

        let frame = [(&head, begin), (&foot, end)];
        let (text, places) = self.edited(&edits, frame, place).ok_or_else(unmapped)?;
        let source = Source { text, ..self.reader.source.clone() };
        let region = region.map(|place| Place { results, firsts, ..place });
        Ok(Program { user: self.reader.source.clone(), source, places, notes: vec![], region })
    }

    /// Refuses a kernel that leaves early where a block may have a variable by the name of a result.
    fn check_hidden(&self, used: &[Used], leaving: &[Edit]) -> Checked<()> {
        struct Own<'n>(&'n Range<usize>, HashSet<&'n str>);
        impl<'ast> Visit<'ast> for Own<'ast> {
            fn visit_init_declarator(&mut self, own: &'ast InitDeclarator, span: &'ast ByteSpan) {
                if let Some(name) = identifier(&own.declarator.node).filter(|name| self.0.contains(&name.span.start)) {
                    self.1.insert(name.node.name.as_str());
                }
                visit::visit_init_declarator(self, own, span);
            }
        }
        let bytes = self.bytes();
        let body = &self.part.function.node.statement;
        let mut own = Own(&bytes, HashSet::new());
        own.visit_statement(&body.node, &body.span);
        let is_declared = |used: &&Used| matches!(used.how, Use::Result(..)) && own.1.contains(used.name.as_str());
        match used.iter().find(is_declared).filter(|_| !leaving.is_empty()) {
            None => Ok(()),
            Some(Used { name, .. }) => {
                Err(Diagnostic::new(format!("the kernel returns early, and a block of it hides `{name}`"))
                    .at(self.reader.span(self.part.function.span), "in this function")
                    .help(format!("give the local variable `{name}` another name")))
            }
        }
    }

    /// What stands before and behind the region: the kernel's head, with the user's place of each of its parts, and its end.
    /// `added` is one more argument.
    fn frame(
        &self,
        used: &[Used],
        [constants, inner]: [&str; 2],
        name: &str,
        place: Span,
        added: Option<(&str, Span)>,
    ) -> Frame {
        let mut head = Added::default();
        head.push(constants, None);
        head.push(&format!("void {name}("), None);
        let (mut prologue, mut epilogue) = (inner.replace("static const", "const"), String::new());
        let mut count = 0;
        let leaves = returned::leaves(self.part, &self.bytes());
        let (mut results, mut firsts) = (vec![], vec![]);
        for Used { name, declared, how } in used {
            let span = declared.declarator().and_then(|d| identifier(&d.node)).map(|name| self.reader.span(name.span));
            let base = self.base(declared);
            let argument = match how {
                Use::Argument => self.declaration(declared, None),
                Use::Local(first) => {
                    let value = if let Begin::Known(value) = first { format!(" = {value}") } else { String::new() };
                    prologue.push_str(&format!("{base} {name}{value}; "));
                    continue;
                }
                Use::First(first) => {
                    prologue.push_str(&format!("{base} {name} = {first}; "));
                    firsts.push((name.clone(), first.clone()));
                    format!("{base} {first}")
                }
                Use::Whole(array) => {
                    results.push((name.clone(), array.clone()));
                    format!("{base} {array}[1]")
                }
                Use::Result(array, first) => {
                    let value = match first {
                        // It may be left before it has a value.
                        Begin::Any if !leaves => String::new(),
                        Begin::Any | Begin::Outside => format!(" = {array}[0]"),
                        Begin::Known(value) => format!(" = {value}"),
                    };
                    prologue.push_str(&format!("{base} {name}{value}; "));
                    epilogue.push_str(&format!("{array}[0] = {name}; "));
                    results.push((name.clone(), array.clone()));
                    format!("{base} {array}[1]")
                }
            };
            head.push(if count == 0 { "" } else { ", " }, None);
            head.push(&argument, span);
            count += 1;
        }
        if let Some((argument, span)) = added {
            head.push(if count == 0 { "" } else { ", " }, None);
            head.push(argument, Some(span));
            count += 1;
        }
        head.push(if count == 0 { "void) { " } else { ") { " }, None);
        head.push("_Pragma(\"scop\") ", None);
        head.push(&prologue, Some(place));
        let mut foot = Added::default();
        foot.push(&format!(" {epilogue}"), Some(place));
        foot.push("_Pragma(\"endscop\") }", None);
        Frame { head, foot, epilogue, results, firsts }
    }

    /// The user's text after `edits` in their order, with where it comes from; `frame` are those of the region, and their
    /// bytes. `None` where two of them meet.
    fn edited(&self, edits: &[Edit], frame: [(&Added, Range<usize>); 2], place: Span) -> Option<(String, Places)> {
        let user = &self.reader.source.text;
        let mut places = Places::default();
        let (mut text, mut at) = (String::new(), 0);
        for edit in edits {
            if edit.bytes.start < at {
                return None;
            }
            text.push_str(&user[at..edit.bytes.start]);
            match &edit.text {
                Some(new) => {
                    let mut is_frame = false;
                    for (is_head, (added, bytes)) in [true, false].into_iter().zip(&frame) {
                        if edit.bytes.start == bytes.start && *new == added.text {
                            is_frame = true;
                            added.note(&text, &mut places, place);
                            if is_head && bytes.is_empty() {
                                let column = column(&text);
                                let by = new.chars().count();
                                places.shift(line(&text), column + by, by);
                            }
                        }
                    }
                    if !is_frame {
                        let (line, column) = (line(&text), column(&text));
                        let (by, old) = (new.chars().count(), user[edit.bytes.clone()].chars().count());
                        if old > 0 {
                            let here = places.user(Span { line, column, length: old });
                            places.add(line, column..column + by, here);
                        }
                        places.shift(line, column + by, by.saturating_sub(old));
                    }
                    text.push_str(new);
                }
                None => self.blanked(edit, &mut text),
            }
            at = edit.bytes.end;
        }
        text.push_str(&user[at..]);
        Some((text, places))
    }

    /// The functions of the file that the region calls, and those that these call.
    pub fn reachable(&self, free: &Free) -> HashSet<String> {
        let mut reachable: HashSet<String> = HashSet::new();
        let mut pending: Vec<String> = free.called.iter().cloned().collect();
        while let Some(name) = pending.pop() {
            let Some(external) =
                self.externals.iter().find(|e| e.function.as_ref().is_some_and(|(own, _)| *own == name))
            else {
                continue;
            };
            if !reachable.insert(name) {
                continue;
            }
            let Some((_, body)) = &external.function else { continue };
            let words = self.tokens(ByteSpan::span(body.start, body.end)).iter().filter(|t| t.kind == Kind::Word);
            pending.extend(words.map(|token| token.text(&self.reader.preprocessed.text).to_string()));
        }
        reachable
    }

    /// Blanks in place of the user's text, with the lines and what the preprocessor needs.
    fn blanked(&self, edit: &Edit, text: &mut String) {
        let user = &self.reader.source.text;
        let mut at = edit.bytes.start;
        let blanks = |from: usize, to: usize, text: &mut String| {
            text.extend(user[from..to].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        };
        for directive in &self.reader.original.directives {
            let (begin, end) = (directive[0].start, directive.last().map_or(0, |last| last.end));
            if begin < at || end > edit.bytes.end {
                continue;
            }
            let word = directive.get(1).map_or("", |token| token.text(user));
            let about = directive.get(2).map_or("", |token| token.text(user));
            let stays = match word {
                "define" | "undef" | "if" | "ifdef" | "ifndef" | "elif" | "else" | "endif" => true,
                "pragma" => edit.keeps_directives && about == "burstc",
                _ => false,
            };
            if stays {
                blanks(at, begin, text);
                text.push_str(&user[begin..end]);
                at = end;
            }
        }
        blanks(at, edit.bytes.end, text);
    }
}

/// A name like this one that the file does not have.
fn fresh(name: &str, taken: &HashSet<&str>) -> String {
    let mut new = name.to_string();
    while taken.contains(new.as_str()) {
        new.push('_');
    }
    new
}

/// What the region becomes a kernel by.
struct Frame {
    head: Added,
    foot: Added,
    /// What leaves results in their arrays.
    epilogue: String,
    /// See [`Place`].
    results: Vec<(String, String)>,
    firsts: Vec<(String, String)>,
}

/// A range of the user's text that becomes blanks, or another text.
pub struct Edit {
    pub bytes: Range<usize>,
    pub text: Option<String>,
    /// Those of burstc stay, too.
    pub keeps_directives: bool,
}

/// Text on one line, parts of which stand for something of the user's.
#[derive(Default)]
struct Added {
    text: String,
    parts: Vec<(Range<usize>, Span)>,
}

impl Added {
    fn push(&mut self, text: &str, span: Option<Span>) {
        let begin = self.text.chars().count();
        self.text.push_str(text);
        self.parts.extend(span.map(|span| (begin..begin + text.chars().count(), span)));
    }

    /// Notes its places, where it is going to stand behind `text`.
    fn note(&self, text: &str, places: &mut Places, rest: Span) {
        let (line, column) = (line(text), column(text));
        for (columns, span) in &self.parts {
            places.add(line, column + columns.start..column + columns.end, *span);
        }
        // What stands for nothing of its own stands for the region.
        places.add(line, column..column + self.text.chars().count(), rest);
    }
}

/// The line and the column of what comes behind a text, from 1 on.
fn line(text: &str) -> usize {
    text.bytes().filter(|b| *b == b'\n').count() + 1
}

fn column(text: &str) -> usize {
    text.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1
}

/// Words that punctuation and types share with everything.
fn is_keyword(word: &str) -> bool {
    !word.starts_with(|c: char| c.is_alphabetic() || c == '_')
        || matches!(
            word,
            "int"
                | "char"
                | "short"
                | "long"
                | "unsigned"
                | "signed"
                | "float"
                | "double"
                | "const"
                | "struct"
                | "enum"
                | "union"
        )
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The items of a block, and the loop that it is the body of.
type Items<'u> = (&'u Vec<Node<BlockItem>>, Option<&'u Node<Statement>>);

/// The list of items in a statement that these bytes lie in, and the loop that it is the body of.
fn block_around<'u>(node: &'u Node<Statement>, bytes: &Range<usize>, reader: &Reader) -> Option<Items<'u>> {
    let holds = |inner: &Node<Statement>| inner.span.start <= bytes.start && bytes.start < reader.end(inner.span);
    let into = |inner: &'u Node<Statement>| if holds(inner) { block_around(inner, bytes, reader) } else { None };
    let body = |inner: &'u Node<Statement>| match &inner.node {
        Statement::Compound(items) => Some((items, Some(node))),
        _ => into(inner),
    };
    match &node.node {
        Statement::Compound(items) => Some((items, None)),
        Statement::If(branch) => into(&branch.node.then_statement)
            .or_else(|| branch.node.else_statement.as_ref().and_then(|otherwise| into(otherwise))),
        Statement::Labeled(labeled) => into(&labeled.node.statement),
        Statement::For(f) => body(&f.node.statement),
        Statement::While(w) => body(&w.node.statement),
        Statement::DoWhile(w) => body(&w.node.statement),
        Statement::Switch(s) => into(&s.node.statement),
        _ => None,
    }
}

/// Whether a file has a program's beginning.
fn has_main(unit: &TranslationUnit) -> bool {
    functions(unit).into_iter().any(|function| name_of(&function.node) == "main")
}

/// Whether a `for` loop in a region begins with a value of the variable.
fn begins_loops(region: &[&Node<BlockItem>], name: &str) -> bool {
    struct Loops<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Loops<'_> {
        fn visit_for_statement(&mut self, own: &'ast ForStatement, span: &'ast ByteSpan) {
            self.1 |= begun(&own.initializer.node).iter().any(|begun| begun == self.0);
            visit::visit_for_statement(self, own, span);
        }
    }
    let mut loops = Loops(name, false);
    region.iter().for_each(|item| loops.visit_block_item(&item.node, &item.span));
    loops.1
}
