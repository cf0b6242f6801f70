//! Structures, written out before anything else reads the text: an argument that is an array of structures becomes an
//! array with the structure's numbers as further dimensions, at the same places in memory; a local structure becomes a
//! variable for every member; copies of whole structures become one assignment for every number.
//!
//! ```c
//! struct point { float x, y; };
//! void f(int n, struct point p[n]) { … t = p[i]; p[i].x = t.y; … }
//! void f(int n, float p[n][2]) { … { t_x = p[i][0]; t_y = p[i][1]; } p[i][0] = t_y; … }
//! ```

mod copy;
mod place;
mod record;

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, CallExpression, Declaration, DeclarationSpecifier, DerivedDeclarator,
    Expression, ExternalDeclaration, FunctionDefinition, InitDeclarator, MemberOperator, ParameterDeclaration,
    Statement, StorageClassSpecifier, TranslationUnit, UnaryOperator,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::canonical::has_call;
use super::function::{derived, identifier};
use super::nest::assignment;
use super::preprocess::{Preprocessed, Splice};
use super::program::Changed;
use super::scope::Checked;
use super::splice::Written;
use super::token::{Kind, Token};
use super::types::{Types, functions, is_const, is_typedef};
use crate::diagnostic::Diagnostic;
use place::{How, Place, Variable};
pub use record::{Base, Records, constant, qualified, type_specifiers, type_words};
use record::{Dim, Ty};

/// A token of the new text, and where it comes from in the old one.
type Piece = (String, ByteSpan);
type Pieces = Vec<Piece>;

fn joined(pieces: &[Piece]) -> String {
    pieces.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The text without structures in the function at `kernel`; `None` where it has none.
pub fn flattened<'a>(
    preprocessed: &Preprocessed<'a>,
    unit: &TranslationUnit,
    types: &Types,
    kernel: ByteSpan,
) -> Checked<Option<Preprocessed<'a>>> {
    let records = records(preprocessed, unit, types);
    let words = || preprocessed.tokens.iter().filter(|token| token.kind == Kind::Word);
    // Those that variables are declared with have not been met yet.
    if records.all.is_empty() && !words().any(|token| matches!(token.text(&preprocessed.text), "struct" | "union")) {
        return Ok(None);
    }
    let words = words();
    let mut walker = Walker {
        preprocessed,
        types,
        records,
        scopes: vec![HashMap::new()],
        blocks: vec![],
        assigned: vec![],
        edits: vec![],
        taken: words.map(|token| token.text(&preprocessed.text).to_string()).collect(),
        names: HashMap::new(),
        moved: HashSet::new(),
        reads: false,
        is_inside: false,
        is_statement: false,
        problem: None,
        made: 0,
    };
    for external in &unit.0 {
        if let ExternalDeclaration::Declaration(declaration) = &external.node {
            walker.visit_declaration(&declaration.node, &declaration.span);
        }
    }
    walker.problem = None;
    for function in functions(unit).into_iter().filter(|f| preprocessed.map.is_main(f.span)) {
        let before = std::mem::take(&mut walker.edits);
        walker.function(&function.node);
        let problem = walker.problem.take();
        match problem {
            Some(problem) if function.span == kernel => return Err(problem),
            Some(_) => walker.edits = before,
            None => walker.edits.splice(0..0, before).for_each(drop),
        }
    }
    let mut edits = walker.edits;
    edits.sort_by_key(|(bytes, _)| (bytes.start, bytes.end));
    Ok((!edits.is_empty()).then(|| preprocessed.spliced(&edits)))
}

/// The structures that the file and its headers define at the outermost level.
pub fn records(preprocessed: &Preprocessed, unit: &TranslationUnit, types: &Types) -> Records {
    let mut records = Records::default();
    for external in &unit.0 {
        if let ExternalDeclaration::Declaration(declaration) = &external.node {
            define(&mut records, &declaration.node, preprocessed, types);
        }
    }
    records
}

/// Takes what a declaration defines.
pub fn define(
    records: &mut Records,
    declaration: &Declaration,
    preprocessed: &Preprocessed,
    types: &Types,
) -> Option<usize> {
    let specifiers = type_specifiers(&declaration.specifiers);
    let record = records.of(&specifiers, types, preprocessed);
    if is_typedef(declaration) {
        for declarator in &declaration.declarators {
            let declarator = &declarator.node.declarator;
            if let (Some(name), true) = (identifier(&declarator.node), derived(declarator).is_empty()) {
                records.alias(&specifiers, &name.node.name, record);
            }
        }
    }
    if let Some(record) = record.filter(|_| !is_typedef(declaration)) {
        let names = declaration.declarators.iter().filter_map(|d| identifier(&d.node.declarator.node));
        records.variables.extend(names.map(|name| (name.node.name.clone(), record)));
    }
    record
}

struct Walker<'p, 'a> {
    preprocessed: &'p Preprocessed<'a>,
    types: &'p Types,
    records: Records,
    /// Structures by their names; `None` for what is none.
    scopes: Vec<HashMap<String, Option<Variable>>>,
    /// What each of the blocks around writes, and what it assigns or takes the address of as a whole.
    blocks: Vec<Written>,
    assigned: Vec<HashSet<String>>,
    edits: Vec<Splice>,
    taken: HashSet<String>,
    /// The variables of members, by structure and path.
    names: HashMap<(String, String), String>,
    /// Pointers that are not only used as `p->`.
    moved: HashSet<String>,
    /// A structure has been read since.
    reads: bool,
    /// In a function.
    is_inside: bool,
    /// The next expression is a statement.
    is_statement: bool,
    /// The first refusal in this function.
    problem: Option<Diagnostic>,
    made: usize,
}

impl Walker<'_, '_> {
    fn tokens(&self, bytes: ByteSpan) -> &[Token] {
        let all = &self.preprocessed.tokens;
        let first = all.partition_point(|token| token.start < bytes.start);
        let end = all.partition_point(|token| token.end <= bytes.end);
        &all[first.min(end)..end]
    }

    fn text(&self, token: &Token) -> &str {
        token.text(&self.preprocessed.text)
    }

    fn pieces(&self, bytes: ByteSpan) -> Pieces {
        let piece = |token: &Token| (self.text(token).to_string(), ByteSpan::span(token.start, token.end));
        self.tokens(bytes).iter().map(piece).collect()
    }

    fn refuse(&mut self, message: String, at: ByteSpan, label: &str, help: &str) {
        let span = self.preprocessed.map.span(at);
        self.problem.get_or_insert_with(|| Diagnostic::new(message).at(span, label).help(help));
    }

    fn lookup(&self, name: &str) -> Option<&Variable> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))?.as_ref()
    }

    fn declare(&mut self, name: &str, variable: Option<Variable>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), variable);
        }
    }

    /// A name that nobody has.
    fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_string();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// The variable of a local structure's member.
    fn member_name(&mut self, variable: &str, path: &str) -> String {
        let key = (variable.to_string(), path.to_string());
        if let Some(name) = self.names.get(&key) {
            return name.clone();
        }
        let name = self.fresh(&format!("{variable}{path}"));
        self.names.insert(key, name.clone());
        name
    }

    fn ty(&self, record: usize, declarator: &Node<lang_c::ast::Declarator>) -> Option<Ty> {
        let dims = derived(declarator).into_iter().map(|part| match &part.node {
            DerivedDeclarator::Pointer(_) => Some(Dim::Pointer),
            DerivedDeclarator::Array(array) => Some(Dim::Array(match &array.node.size {
                lang_c::ast::ArraySize::VariableExpression(size) | lang_c::ast::ArraySize::StaticExpression(size) => {
                    constant(size).and_then(|size| u64::try_from(size).ok())
                }
                _ => None,
            })),
            _ => None,
        });
        Some(Ty { base: Base::Record(record), dims: dims.collect::<Option<_>>()? })
    }

    fn function(&mut self, function: &FunctionDefinition) {
        self.scopes.push(HashMap::new());
        (self.is_inside, self.moved) = (true, HashSet::new());
        let prototype = derived(&function.declarator).into_iter().find_map(|part| match &part.node {
            DerivedDeclarator::Function(prototype) => Some(prototype),
            _ => None,
        });
        let mut arguments: Vec<(&Node<ParameterDeclaration>, Variable)> = vec![];
        for parameter in prototype.iter().flat_map(|prototype| &prototype.node.parameters) {
            let Some(declarator) = &parameter.node.declarator else { continue };
            let Some(name) = identifier(&declarator.node).map(|name| name.node.name.clone()) else { continue };
            let record = self.records.of(&type_specifiers(&parameter.node.specifiers), self.types, self.preprocessed);
            let ty = record.and_then(|record| self.ty(record, declarator));
            let variable = ty.map(|ty| Variable { name: name.clone(), ty, how: How::Memory });
            arguments.extend(variable.clone().map(|variable| (parameter, variable)));
            self.declare(&name, variable);
        }
        arguments.iter().for_each(|(parameter, variable)| self.check_argument(parameter, variable));
        self.visit_statement(&function.statement.node, &function.statement.span);
        for (parameter, variable) in arguments {
            self.argument(parameter, &variable);
        }
        self.scopes.pop();
        self.is_inside = false;
    }

    /// Refuses an argument that is no array of numbers.
    fn check_argument(&mut self, parameter: &Node<ParameterDeclaration>, variable: &Variable) {
        let name = &variable.name;
        let whole = self.balanced(parameter.span);
        if variable.ty.dims.is_empty() {
            self.refuse(
                format!("the argument `{name}` is a structure"),
                whole,
                "a structure",
                "pass its members as arguments of their own, or a pointer to it",
            );
        }
        if let Err(reason) = self.records.shape(&variable.ty.base) {
            self.refuse(
                format!("the argument `{name}` points to structures, and {reason}"),
                whole,
                "structures",
                "memory has structures whose members are all of one type; give each member an array of its own, as in \
                 `float x[n], int32_t id[n]`",
            );
        }
    }

    /// Writes an argument that is a structure as an array.
    fn argument(&mut self, parameter: &Node<ParameterDeclaration>, variable: &Variable) {
        let name = &variable.name;
        let Some(declarator) = &parameter.node.declarator else { return };
        let Ok(shape) = self.records.shape(&variable.ty.base) else { return };
        if variable.ty.dims.is_empty() {
            return;
        }
        let Some(ty) = type_specifiers(&parameter.node.specifiers).first().map(|ty| ty.span) else { return };
        let at = ByteSpan::span(ty.start, self.preprocessed.end(ty));
        self.edits.push((at.start..at.end, vec![(type_words(&shape.element).to_string(), at)]));
        let bytes = self.balanced(declarator.span);
        let here = ByteSpan::span(bytes.start, bytes.start + 1);
        let word = |text: &str| (text.to_string(), here);
        let is_pointer = variable.ty.dims[0] == Dim::Pointer;
        let is_named =
            self.preprocessed.pragmas.iter().any(|pragma| pragma.words.iter().any(|word| word.text == *name));
        let mut pieces = match is_pointer {
            // One structure.
            true if variable.ty.dims.len() == 1 && !self.moved.contains(name) && !is_named => {
                vec![word(name), word("["), word("1"), word("]")]
            }
            true => [vec![word("(")], self.pieces(bytes), vec![word(")")]].concat(),
            false => self.pieces(bytes),
        };
        for extent in &shape.extents {
            pieces.extend([word("["), word(&extent.to_string()), word("]")]);
        }
        self.edits.push((bytes.start..bytes.end, pieces));
    }

    /// The bytes of an expression with the brackets that belong to it, which the parser leaves away at its ends.
    fn balanced(&self, span: ByteSpan) -> ByteSpan {
        self.preprocessed.balanced(span)
    }

    /// The tokens of an expression without structures, and whether there were any.
    fn rewritten(&mut self, node: &Node<Expression>) -> (Pieces, bool) {
        let outer = std::mem::take(&mut self.edits);
        let reads = std::mem::replace(&mut self.reads, false);
        self.visit_expression(&node.node, &node.span);
        let mut own = std::mem::replace(&mut self.edits, outer);
        let found = std::mem::replace(&mut self.reads, reads);
        own.sort_by_key(|(bytes, _)| bytes.start);
        let bytes = self.balanced(node.span);
        let mut pieces = vec![];
        let mut at = bytes.start;
        for (range, inner) in own {
            pieces.extend(self.pieces(ByteSpan::span(at, range.start)));
            pieces.extend(inner);
            at = range.end;
        }
        pieces.extend(self.pieces(ByteSpan::span(at, bytes.end)));
        self.reads |= found;
        (pieces, found)
    }

    /// What an expression names, where that is a structure or a part of one.
    fn place(&mut self, node: &Node<Expression>) -> Option<Place> {
        match &node.node {
            Expression::Identifier(name) => {
                let variable = self.lookup(&name.node.name)?.clone();
                Some(Place::of(variable, name.span))
            }
            Expression::Member(member) => {
                let inner = self.place(&member.node.expression)?;
                let is_indirect = member.node.operator.node == MemberOperator::Indirect;
                inner.member(&self.records, &member.node.identifier.node.name, is_indirect)
            }
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                UnaryOperator::Address => self.place(&unary.node.operand)?.address(),
                UnaryOperator::Indirection => self.place(&unary.node.operand)?.target(),
                _ => None,
            },
            Expression::BinaryOperator(o) => {
                // `i[p]`
                let (left, right) = (&*o.node.lhs, &*o.node.rhs);
                let (base, by) = match self.place(left) {
                    Some(base) => (base, right),
                    None if o.node.operator.node == BinaryOperator::Index => (self.place(right)?, left),
                    None => return None,
                };
                let is_pointer = base.is_address || !base.ty.dims.is_empty();
                let operator = &o.node.operator.node;
                if !is_pointer
                    || !matches!(operator, BinaryOperator::Index | BinaryOperator::Plus | BinaryOperator::Minus)
                {
                    return None;
                }
                let (mut by, reads) = self.rewritten(by);
                if *operator == BinaryOperator::Minus {
                    let word = |text: &str| (text.to_string(), base.at);
                    by = [vec![word("-"), word("(")], by, vec![word(")")]].concat();
                }
                let place = if *operator == BinaryOperator::Index { base.index(by) } else { base.plus(by) };
                place.map(|place| Place { reads: place.reads || reads, ..place })
            }
            _ => None,
        }
    }

    /// A place as an expression of C without structures.
    fn written(&mut self, place: &Place) -> Result<Pieces, String> {
        self.reads = true;
        let name = place.variable.name.clone();
        if matches!(place.ty.base, Base::Record(_)) && matches!(place.variable.how, How::Split) {
            return Err(format!("the structure `{name}` is used as a whole"));
        }
        match place.variable.how {
            How::Split => {
                let member = self.member_name(&name, &place.path(&self.records));
                let mut pieces = vec![];
                if place.is_address {
                    pieces.push(place.word("&"));
                }
                pieces.push(place.word(&member));
                for by in place.subscripts() {
                    pieces.push(place.word("["));
                    pieces.extend(by.clone());
                    pieces.push(place.word("]"));
                }
                Ok(pieces)
            }
            _ => {
                let is_direct = matches!(place.steps.first(), Some(place::Step::Index(by)) if joined(by) == "0")
                    && place.steps.len() > 1;
                if !is_direct {
                    self.moved.insert(name.clone());
                }
                if place.record().is_some() {
                    return Err(format!("a structure of `{name}` is used as a whole"));
                }
                place.in_memory(&self.records)
            }
        }
    }

    /// The type of a number whose cell is declared with another.
    fn other_type(&self, place: &Place) -> Option<&'static str> {
        let Base::Number(ty) = &place.ty.base else { return None };
        let shape = self.records.shape(&place.variable.ty.base).ok()?;
        let is_other = matches!(place.variable.how, How::Memory) && shape.element != *ty;
        is_other.then(|| type_words(ty))
    }

    /// A place's value.
    fn read(&mut self, place: &Place) -> Result<Pieces, String> {
        let pieces = self.written(place)?;
        match self.other_type(place) {
            None => Ok(pieces),
            Some(_) if place.is_address || !place.ty.dims.is_empty() => {
                Err("the address of a member is used whose cells are declared with another type".to_string())
            }
            Some(ty) => {
                let word = |text: &str| vec![place.word(text)];
                Ok([word("("), word("("), word(ty), word(")"), pieces, word(")")].concat())
            }
        }
    }

    /// `a op= b` and `a++` of numbers whose cells are declared with another type; tells whether it is one.
    fn update(
        &mut self,
        target: &Node<Expression>,
        by: Result<(&str, &Node<Expression>), &str>,
        span: ByteSpan,
    ) -> bool {
        let Some(place) = self.place(target) else { return false };
        let Some(ty) = self.other_type(&place) else { return false };
        let (left, value) = match (self.written(&place), self.read(&place)) {
            (Ok(left), Ok(value)) => (left, value),
            _ => return false,
        };
        let bytes = self.balanced(span);
        if left.iter().any(|(text, _)| matches!(text.as_str(), "++" | "--" | "=")) {
            let help = "write the step of a variable as a statement of its own";
            self.refuse("a subscript of a structure changes a variable".into(), bytes, "here", help);
        }
        let word = |text: &str| vec![place.word(text)];
        let value = match by {
            Ok((operator, right)) => {
                let right = self.rewritten(right).0;
                match operator.strip_suffix('=').unwrap_or("") {
                    "" => right,
                    operator => [value, word(operator), word("("), right, word(")")].concat(),
                }
            }
            Err(step) => [value, word(step), word("1")].concat(),
        };
        let pieces = [left, word("="), word("("), word(ty), word(")"), word("("), value, word(")")].concat();
        self.edits.push((bytes.start..bytes.end, pieces));
        true
    }

    fn replace(&mut self, span: ByteSpan, place: &Place) {
        let bytes = self.balanced(span);
        match self.read(place) {
            Ok(pieces) => self.edits.push((bytes.start..bytes.end, pieces)),
            Err(reason) => self.refuse(
                reason,
                bytes,
                "a whole structure",
                "assign it to a structure of its type, or use its members, as in `p[i].x`",
            ),
        }
    }

    /// A declaration of structures in a function, or of constant ones of the file.
    fn declaration(&mut self, declaration: &Declaration, span: ByteSpan, record: usize) {
        let has = |class: StorageClassSpecifier| {
            declaration
                .specifiers
                .iter()
                .any(|s| matches!(&s.node, DeclarationSpecifier::StorageClass(own) if own.node == class))
        };
        let bytes = span.start..self.preprocessed.end(span);
        let is_table = is_const(declaration);
        if !self.is_inside && !is_table {
            return;
        }
        if has(StorageClassSpecifier::Extern) || has(StorageClassSpecifier::Static) && !is_table {
            let at = ByteSpan::span(bytes.start, bytes.end);
            self.refuse("a structure that outlives the kernel".into(), at, "`static`", "make it an argument");
            return;
        }
        let mut pieces = vec![];
        for declarator in &declaration.declarators {
            match self.local(declarator, record, is_table) {
                Ok(own) => pieces.extend(own),
                Err(reason) => {
                    let at = ByteSpan::span(bytes.start, bytes.end);
                    let help = "declare a structure, and assign its members";
                    if self.is_inside {
                        self.refuse(reason, at, "declared here", help);
                    }
                    return;
                }
            }
        }
        self.edits.push((bytes, pieces));
    }

    /// The variables that take the place of a structure that is no argument.
    fn local(&mut self, declarator: &Node<InitDeclarator>, record: usize, is_table: bool) -> Result<Pieces, String> {
        let declared = &declarator.node.declarator;
        let name = identifier(&declared.node).ok_or("a declaration without a name")?;
        let (at, name) = (name.span, name.node.name.clone());
        let ty = self.ty(record, declared).ok_or_else(|| format!("`{name}` is neither a structure nor an array"))?;
        if ty.dims.contains(&Dim::Pointer) {
            return self.pointer(declarator, &name, ty);
        }
        if let Some(problem) = self.records.all[record].problem.clone() {
            return Err(format!("{} {problem}", self.records.all[record].name));
        }
        let variable = Variable { name: name.clone(), ty: ty.clone(), how: How::Split };
        self.declare(&name, Some(variable.clone()));
        let value = match &declarator.node.initializer {
            Some(first) => Some(
                self.initial(&first.node, &ty)
                    .ok_or_else(|| format!("burstc cannot read what `{name}` begins with"))?,
            ),
            None => None,
        };
        let place = Place::of(variable, at);
        if is_table && (!self.is_inside || !ty.dims.is_empty()) {
            return self.table(&place, value);
        }
        let mut pieces = vec![];
        let outer: Vec<Pieces> = derived(declared)
            .into_iter()
            .map(|part| match &part.node {
                DerivedDeclarator::Array(_) => {
                    let bytes = ByteSpan::span(part.span.start, self.preprocessed.end(part.span));
                    self.pieces(bytes)
                }
                _ => vec![],
            })
            .collect();
        for group in self.records.groups(&ty.base) {
            let own = self.member_name(&name, &group.path);
            pieces.extend([place.word(type_words(&group.ty)), place.word(&own)]);
            pieces.extend(outer.iter().flatten().cloned());
            for extent in &group.extents {
                pieces.extend([place.word("["), place.word(&extent.to_string()), place.word("]")]);
            }
            pieces.push(place.word(";"));
        }
        if let Some(value) = value {
            pieces.extend(self.copied(&place, &value)?);
        }
        Ok(pieces)
    }

    /// A pointer that stands for one place, or a declaration of one that moves.
    fn pointer(&mut self, declarator: &Node<InitDeclarator>, name: &str, ty: Ty) -> Result<Pieces, String> {
        let changes = || format!("the pointer `{name}` to structures changes; write `p[i].x`");
        let first = match declarator.node.initializer.as_ref().map(|first| &first.node) {
            Some(lang_c::ast::Initializer::Expression(first)) => first,
            Some(lang_c::ast::Initializer::List(_)) => return Err(changes()),
            None => return self.moving(declarator, name, ty, None),
        };
        let place = self.place(first).ok_or_else(changes)?;
        let mut target = place.ty.dims.clone();
        if !place.is_address && !target.is_empty() {
            target.remove(0);
        } else if !place.is_address {
            return Err(changes());
        }
        if place.ty.base != ty.base || ty.dims.len() != target.len() + 1 || ty.dims[0] != Dim::Pointer {
            return Err(format!("the pointer `{name}` has another type than what it points to"));
        }
        let place =
            if place.is_address { place } else { place.plus(vec![("0".into(), first.span)]).ok_or_else(changes)? };
        // What tells the place must not change while the pointer is there; the array is the same whatever is written to it.
        let bytes = self.balanced(first.span);
        let root = place.variable.name.clone();
        // Each with whether a subscript stands behind it.
        let tokens = self.tokens(bytes);
        let is_array = |k: usize| tokens.get(k + 1).is_some_and(|next| self.text(next) == "[");
        let pairs = tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Word);
        let mut words: Vec<(String, bool)> =
            pairs.map(|(k, token)| (self.text(token).to_string(), is_array(k))).collect();
        if let Some(own) = words.iter().position(|(word, _)| *word == root) {
            words.remove(own);
        }
        let written = self.blocks.last().cloned().unwrap_or_default();
        let meant = |written: &String| match self.lookup(written).map(|variable| &variable.how) {
            Some(How::Alias(place)) => place.variable.name.clone(),
            _ => written.clone(),
        };
        let names: HashSet<String> = written.names.iter().map(meant).chain(written.names.iter().cloned()).collect();
        let is_written =
            |(word, is_array): &(String, bool)| names.contains(word) || *is_array && written.subscripts.contains(word);
        // Members of what the pointer points to are not the pointer.
        let is_moved = words.iter().any(is_written) || self.is_assigned(name) || self.is_assigned(&root);
        if has_call(first) || is_moved {
            return self.moving(declarator, name, ty, Some(first));
        }
        let variable = Variable { name: name.to_string(), ty, how: How::Alias(Box::new(place)) };
        self.declare(name, Some(variable));
        Ok(vec![])
    }

    /// The declaration of a pointer that moves through an array of structures, as one to the rows of numbers that they are:
    /// `short (*s)[2] = &r[i];` of `S *s = &r[i];`.
    fn moving(
        &mut self,
        declarator: &Node<InitDeclarator>,
        name: &str,
        ty: Ty,
        first: Option<&Node<Expression>>,
    ) -> Result<Pieces, String> {
        let changes = || format!("the pointer `{name}` to structures changes; write `p[i].x`");
        if ty.dims != [Dim::Pointer] {
            return Err(changes());
        }
        let shape = self
            .records
            .shape(&ty.base)
            .map_err(|reason| format!("the pointer `{name}` moves through structures, and {reason}"))?;
        let begin = match first {
            Some(first) => {
                let place = self.place(first).ok_or_else(changes)?;
                // A local structure is a variable for every member, and no array.
                if !matches!(place.variable.how, How::Memory) {
                    return Err(format!("the pointer `{name}` moves through local structures; write `p[i].x`"));
                }
                Some(self.written(&place)?)
            }
            None => None,
        };
        let declared = &declarator.node.declarator;
        let at = identifier(&declared.node).map_or(declared.span, |name| name.span);
        let variable = Variable { name: name.to_string(), ty, how: How::Memory };
        self.declare(name, Some(variable));
        let word = |text: &str| (text.to_string(), at);
        let mut pieces = [type_words(&shape.element), "(", "*", name, ")"].map(word).to_vec();
        for extent in &shape.extents {
            pieces.extend([word("["), word(&extent.to_string()), word("]")]);
        }
        if let Some(begin) = begin {
            pieces.push(word("="));
            pieces.extend(begin);
        }
        pieces.push(word(";"));
        Ok(pieces)
    }

    /// Whether the block around gives a name another value.
    fn is_assigned(&self, name: &str) -> bool {
        self.assigned.last().is_some_and(|assigned| assigned.contains(name))
    }

    /// Whether a place's subscripts read what it is a part of.
    fn reads_itself(&self, place: &Place) -> bool {
        let name = &place.variable.name;
        let own: Vec<&String> = self.names.iter().filter(|((of, _), _)| of == name).map(|(_, own)| own).collect();
        let mut words = place.subscripts().into_iter().flatten().map(|(word, _)| word);
        place.reads && words.any(|word| word == name || own.contains(&word))
    }

    /// `a = b;` of whole structures; tells whether it is one.
    fn assignment(&mut self, o: &BinaryOperatorExpression, span: ByteSpan) -> bool {
        if o.operator.node != BinaryOperator::Assign {
            return false;
        }
        let Some(target) = self.place(&o.lhs).filter(|place| place.record().is_some()) else { return false };
        // `a = b = c;`
        if let Expression::BinaryOperator(inner) = &o.rhs.node
            && inner.node.operator.node == BinaryOperator::Assign
        {
            let outer = std::mem::take(&mut self.edits);
            let is_whole = self.assignment(&inner.node, inner.span);
            let first: Pieces =
                std::mem::replace(&mut self.edits, outer).into_iter().flat_map(|(_, own)| own).collect();
            let second = self.value(&inner.node.lhs, &target.ty).map(|value| self.copied(&target, &value));
            if let (true, Some(Ok(second)), false) = (is_whole, second, self.reads_itself(&target)) {
                self.edits.push((span.start..self.preprocessed.end(span), [first, second].concat()));
                return true;
            }
        }
        let bytes = span.start..self.preprocessed.end(span);
        let at = ByteSpan::span(bytes.start, bytes.end);
        let value = self.value(&o.rhs, &target.ty);
        let copied = match value {
            Some(value) if !self.reads_itself(&target) => self.copied(&target, &value),
            _ => Err("burstc cannot copy this structure".into()),
        };
        match copied {
            Ok(pieces) => {
                let here = |text: &str| (text.to_string(), ByteSpan::span(at.start, at.start + 1));
                self.edits.push((bytes, [vec![here("{")], pieces, vec![here("}")]].concat()));
            }
            Err(reason) => self.refuse(reason, at, "here", "assign its members one by one"),
        }
        true
    }
}

impl<'ast> Visit<'ast> for Walker<'_, '_> {
    fn visit_declaration(&mut self, declaration: &'ast Declaration, span: &'ast ByteSpan) {
        let specifiers = type_specifiers(&declaration.specifiers);
        let record = match self.is_inside {
            true => define(&mut self.records, declaration, self.preprocessed, self.types),
            false => self.records.of_known(&specifiers),
        };
        if is_typedef(declaration) || declaration.declarators.is_empty() {
            if self.is_inside && record.is_some() {
                self.edits.push((span.start..self.preprocessed.end(*span), vec![]));
            }
            return;
        }
        match record {
            Some(record) => self.declaration(declaration, *span, record),
            None => {
                visit::visit_declaration(self, declaration, span);
                for declarator in &declaration.declarators {
                    if let Some(name) = identifier(&declarator.node.declarator.node) {
                        self.declare(&name.node.name.clone(), None);
                    }
                }
            }
        }
    }

    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast ByteSpan) {
        match statement {
            Statement::Compound(_) | Statement::For(_) => {
                let names = self.scopes.iter().flat_map(|scope| scope.keys());
                let arrays = names.filter(|name| self.lookup(name).is_some()).cloned().collect();
                let (mut written, mut assigned) = (Written { arrays, ..Written::default() }, Changed::default());
                written.visit_statement(statement, span);
                assigned.visit_statement(statement, span);
                self.scopes.push(HashMap::new());
                self.blocks.push(written);
                self.assigned.push(assigned.0);
                visit::visit_statement(self, statement, span);
                self.assigned.pop();
                self.blocks.pop();
                self.scopes.pop();
            }
            Statement::Expression(Some(expression)) => {
                if let Expression::BinaryOperator(o) = &expression.node
                    && self.assignment(&o.node, *span)
                {
                    return;
                }
                self.is_statement = true;
                visit::visit_statement(self, statement, span);
                self.is_statement = false;
            }
            _ => visit::visit_statement(self, statement, span),
        }
    }

    fn visit_call_expression(&mut self, call: &'ast CallExpression, span: &'ast ByteSpan) {
        for argument in &call.arguments {
            if self.place(argument).is_some_and(|place| matches!(place.ty.base, Base::Record(_))) {
                let name = joined(&self.pieces(call.callee.span));
                self.refuse(
                    format!("a structure goes to `{name}`, whose body cannot stand in place of its call"),
                    *span,
                    "this call",
                    "call it in a statement of its own, as in `x = f(&t);`; what a call changes must not depend on the order \
                     of an expression's parts",
                );
            }
        }
        visit::visit_call_expression(self, call, span);
    }

    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast ByteSpan) {
        let is_update = match expression {
            Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => {
                let operator = joined(&self.pieces(o.node.operator.span));
                self.update(&o.node.lhs, Ok((&operator, &o.node.rhs)), *span)
            }
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                UnaryOperator::PreIncrement => self.update(&unary.node.operand, Err("+"), *span),
                UnaryOperator::PreDecrement => self.update(&unary.node.operand, Err("-"), *span),
                UnaryOperator::PostIncrement if self.is_statement => self.update(&unary.node.operand, Err("+"), *span),
                UnaryOperator::PostDecrement if self.is_statement => self.update(&unary.node.operand, Err("-"), *span),
                _ => false,
            },
            _ => false,
        };
        self.is_statement = false;
        if is_update {
            return;
        }
        if matches!(
            expression,
            Expression::Identifier(_)
                | Expression::Member(_)
                | Expression::UnaryOperator(_)
                | Expression::BinaryOperator(_)
        ) {
            let node = Node::new(expression.clone(), *span);
            if let Some(place) = self.place(&node) {
                self.replace(*span, &place);
                return;
            }
        }
        visit::visit_expression(self, expression, span);
    }
}
