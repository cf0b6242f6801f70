//! Helpers that use variables of the file: what is the kernel's argument, or its local variable, becomes an argument of
//! the helper, too. `put(i)` with an array `b` and a sum `s` of the file becomes `put(i, b, &s)`, in definition and calls.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use lang_c::ast::{
    BlockItem, CallExpression, DerivedDeclarator, Expression, ExternalDeclaration, FunctionDefinition, InitDeclarator,
    Statement,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::super::function::{derived, identifier};
use super::super::structs::{self, type_specifiers};
use super::flow::{Changed, Path};
use super::names::{Declared, Free, global};
use super::outline::{Edit, Outliner, parameters};
use super::{Reader, name_of};

/// What becomes of the helpers.
#[derive(Default)]
pub struct Lifted {
    /// The variables of the file that calls of the region use.
    pub used: Vec<String>,
    /// Those among them that the calls change.
    pub changed: HashSet<String>,
    pub edits: Vec<Edit>,
}

/// A helper, with what it needs.
struct Helper<'u> {
    function: &'u Node<FunctionDefinition>,
    items: &'u [Node<BlockItem>],
    calls: HashSet<String>,
    /// Names that it declares.
    own: HashSet<String>,
    needs: Vec<String>,
}

/// The helpers of the user's file that are called from `called` on, and the variables of the file that each uses itself.
fn helpers<'u>(
    reader: &Reader<'u>,
    called: &HashSet<String>,
    is_used: &dyn Fn(&str) -> bool,
) -> HashMap<String, Helper<'u>> {
    let mut found: HashMap<String, Helper<'u>> = HashMap::new();
    let mut pending: Vec<String> = called.iter().cloned().collect();
    while let Some(name) = pending.pop() {
        let function = reader.own.iter().find(|function| name_of(&function.node) == name);
        let Some(function) = function.filter(|_| !found.contains_key(&name)) else { continue };
        let Statement::Compound(items) = &function.node.statement.node else { continue };
        let free = Free::of_items(items);
        let mut own = Own::default();
        own.visit_statement(&function.node.statement.node, &function.node.statement.span);
        let arguments = parameters(function).into_iter().filter_map(|p| identifier(&p.node.declarator.as_ref()?.node));
        own.0.extend(arguments.map(|name| name.node.name.clone()));
        let needs = free.names.iter().filter(|name| !own.0.contains(*name) && is_used(name)).cloned().collect();
        pending.extend(free.called.iter().cloned());
        found.insert(name, Helper { function, items, calls: free.called, own: own.0, needs });
    }
    // What a helper calls needs its variables, too.
    loop {
        let mut more: Vec<(String, String)> = vec![];
        for (name, helper) in &found {
            let inner = helper.calls.iter().filter_map(|called| found.get(called)).flat_map(|callee| &callee.needs);
            more.extend(inner.filter(|need| !helper.needs.contains(need)).map(|need| (name.clone(), need.clone())));
        }
        if more.is_empty() {
            return found;
        }
        for (name, need) in more {
            if let Some(helper) = found.get_mut(&name).filter(|helper| !helper.needs.contains(&need)) {
                helper.needs.push(need);
            }
        }
    }
}

/// Whether calls from `called` on use variables of the file that are no constants.
pub fn use_globals(reader: &Reader, called: &HashSet<String>) -> bool {
    let is_used = |name: &str| {
        global(reader, name).is_some_and(|declared| !(declared.is_const() && declared.initializer().is_some()))
    };
    helpers(reader, called, &is_used).values().any(|helper| !helper.needs.is_empty())
}

impl<'u> Outliner<'_, 'u> {
    /// What to do with the helpers that the region calls; nothing where it cannot be done, and whoever reads the kernel
    /// refuses them.
    pub fn lifted(&self, path: &Path<'u>, items: &[&'u Node<BlockItem>], called: &HashSet<String>) -> Lifted {
        self.try_lift(path, items, called).unwrap_or_default()
    }

    fn try_lift(&self, path: &Path<'u>, items: &[&'u Node<BlockItem>], called: &HashSet<String>) -> Option<Lifted> {
        let is_used = |name: &str| global(self.reader, name).is_some_and(|declared| !self.is_fixed(&declared, name));
        let helpers = helpers(self.reader, called, &is_used);
        let mut used: Vec<String> = helpers.values().flat_map(|helper| helper.needs.clone()).collect();
        used.sort();
        used.dedup();
        if used.is_empty() {
            return None;
        }
        let mut all = Changed::default();
        helpers
            .values()
            .for_each(|h| all.visit_statement(&h.function.node.statement.node, &h.function.node.statement.span));
        let is_changed = |name: &String| all.0.contains(name) || self.is_structure(name);
        let changed: HashSet<String> = used.iter().filter(|name| is_changed(name)).cloned().collect();
        // The region and the helpers have to mean the file's variable by its name.
        let is_the_file_s = |name: &String| self.declared(path, name).is_some_and(|declared| declared.is_global());
        let is_hidden = |helper: &Helper| helper.needs.iter().any(|need| helper.own.contains(need));
        let mut locals = Own::default();
        items.iter().for_each(|item| locals.visit_block_item(&item.node, &item.span));
        if !used.iter().all(is_the_file_s)
            || helpers.values().any(is_hidden)
            || used.iter().any(|n| locals.0.contains(n))
        {
            return None;
        }
        // No other declaration of a helper, whose arguments would differ, but prototypes.
        let lifted = |name: &str| helpers.get(name).filter(|helper| !helper.needs.is_empty());
        let prototypes: Vec<(&str, ByteSpan)> = self.prototypes().filter(|(name, _)| lifted(name).is_some()).collect();
        let is_named_elsewhere = self.externals.iter().any(|external| {
            let own = external.function.as_ref().map(|(name, _)| name.as_str());
            let is_prototype = |word: &str| {
                prototypes.iter().any(|(name, bytes)| *name == word && external.bytes.contains(&bytes.start))
            };
            external.words.iter().any(|word| own != Some(word) && lifted(word).is_some() && !is_prototype(word))
        });
        if is_named_elsewhere {
            return None;
        }

        let mut edits = vec![];
        for (name, head) in prototypes {
            let Some(helper) = lifted(name) else { continue };
            let text = &self.reader.preprocessed.text;
            // `()` says nothing of arguments.
            if !matches!(self.tokens(head), [open, close, ..] if open.text(text) == "(" && close.text(text) == ")") {
                edits.push(self.longer_head(head, helper, &changed)?);
            }
        }
        for helper in helpers.values().filter(|helper| !helper.needs.is_empty()) {
            let name = identifier(&helper.function.node.declarator.node)?;
            let head = ByteSpan::span(name.span.end, helper.function.node.statement.span.start);
            edits.push(self.longer_head(head, helper, &changed)?);
            let tokens = self.tokens(helper.function.node.statement.span);
            for (k, token) in tokens.iter().enumerate() {
                let text = token.text(&self.reader.preprocessed.text);
                let before = k.checked_sub(1).map_or("", |k| tokens[k].text(&self.reader.preprocessed.text));
                if !matches!(before, "." | "->")
                    && changed.contains(text)
                    && helper.needs.iter().any(|need| need == text)
                    && self.is_scalar(text)
                {
                    let bytes = self.exact(token.start..token.end, text)?;
                    edits.push(Edit { bytes, text: Some(format!("(*{text})")), keeps_directives: false });
                }
            }
        }
        // Calls pass the variable on, a helper its own argument.
        let mut calls = Calls(vec![]);
        items.iter().for_each(|item| calls.visit_block_item(&item.node, &item.span));
        let outer = calls.0.len();
        helpers
            .values()
            .flat_map(|helper| helper.items)
            .for_each(|item| calls.visit_block_item(&item.node, &item.span));
        for (k, (name, end, is_empty)) in calls.0.into_iter().enumerate() {
            let Some(helper) = lifted(&name) else { continue };
            let end = self.reader.end(end);
            let close = self.exact(end - 1..end, ")")?;
            let passed =
                helper.needs.iter().map(|need| match k < outer && changed.contains(need) && self.is_scalar(need) {
                    true => format!("&{need}"),
                    false => need.clone(),
                });
            let text = passed.collect::<Vec<_>>().join(", ");
            let text = if is_empty { text } else { format!(", {text}") };
            edits.push(Edit { bytes: close.start..close.start, text: Some(text), keeps_directives: false });
        }
        let mut from_region: Vec<String> = vec![];
        for helper in called.iter().filter_map(|name| lifted(name)) {
            from_region
                .extend(helper.needs.iter().filter(|need| !from_region.contains(need)).cloned().collect::<Vec<_>>());
        }
        from_region.sort();
        Some(Lifted { used: from_region, changed, edits })
    }

    /// Whether a variable of the file is a structure, of which a helper may change a member.
    fn is_structure(&self, name: &str) -> bool {
        let records = structs::records(self.reader.preprocessed, self.reader.unit, self.reader.types);
        self.is_scalar(name)
            && global(self.reader, name)
                .is_some_and(|declared| records.of_known(&type_specifiers(declared.specifiers())).is_some())
    }

    /// The prototypes of functions: each name, and the bytes behind it.
    fn prototypes(&self) -> impl Iterator<Item = (&'u str, ByteSpan)> {
        let declarations = self.reader.unit.0.iter().filter_map(|external| match &external.node {
            ExternalDeclaration::Declaration(declaration) => Some(declaration),
            _ => None,
        });
        declarations.flat_map(|declaration| {
            declaration.node.declarators.iter().filter_map(|own| {
                let name = identifier(&own.node.declarator.node)?;
                let [part] = &derived(&own.node.declarator)[..] else { return None };
                let is_function =
                    matches!(part.node, DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_));
                is_function.then(|| (name.node.name.as_str(), ByteSpan::span(name.span.end, declaration.span.end)))
            })
        })
    }

    /// The list of arguments behind a helper's name, with those that it needs.
    fn longer_head(&self, head: ByteSpan, helper: &Helper, changed: &HashSet<String>) -> Option<Edit> {
        let text = &self.reader.preprocessed.text;
        let head = self.tokens(head);
        let open = head.iter().position(|token| token.text(text) == "(")?;
        let mut depth = 0usize;
        let close = head[open..].iter().position(|token| {
            match token.text(text) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        let inner = &head[open + 1..open + close];
        let arguments = helper.needs.iter().map(|need| {
            let declared = global(self.reader, need)?;
            Some(match changed.contains(need) && self.is_scalar(need) {
                true => format!("{} *{need}", self.base(&declared)),
                false => self.declaration(&declared, None),
            })
        });
        let arguments = arguments.collect::<Option<Vec<_>>>()?.join(", ");
        let (bytes, text) = match inner {
            [] => (self.exact(head[open + close].start..head[open + close].end, ")")?, arguments),
            [only] if only.text(text) == "void" => {
                let bytes = self.exact(only.start..only.end, "void")?;
                return Some(Edit { bytes, text: Some(arguments), keeps_directives: false });
            }
            _ => (self.exact(head[open + close].start..head[open + close].end, ")")?, format!(", {arguments}")),
        };
        Some(Edit { bytes: bytes.start..bytes.start, text: Some(text), keeps_directives: false })
    }

    fn is_scalar(&self, name: &str) -> bool {
        global(self.reader, name).is_some_and(|declared| declared.is_scalar())
    }

    /// Whether a variable is no argument of the kernel, but a constant.
    fn is_fixed(&self, declared: &Declared, name: &str) -> bool {
        let is_table = || declared.initializer().is_some() && self.stays(declared, name);
        declared.is_const() && (is_table() || (declared.is_scalar() && self.is_constant(declared, name)))
    }

    /// The user's bytes of a token that stands there as it is, and is made by no macro.
    pub fn exact(&self, bytes: Range<usize>, text: &str) -> Option<Range<usize>> {
        let own = self.reader.preprocessed.map.bytes(ByteSpan::span(bytes.start, bytes.end))?;
        (self.reader.source.text[own.clone()] == *text).then_some(own)
    }
}

/// The names that are declared.
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

/// Calls of functions: the name, the bytes, and whether there are no arguments.
struct Calls(Vec<(String, ByteSpan, bool)>);

impl<'ast> Visit<'ast> for Calls {
    fn visit_call_expression(&mut self, call: &'ast CallExpression, span: &'ast ByteSpan) {
        if let Expression::Identifier(name) = &call.callee.node {
            self.0.push((name.node.name.clone(), *span, call.arguments.is_empty()));
        }
        visit::visit_call_expression(self, call, span);
    }
}
