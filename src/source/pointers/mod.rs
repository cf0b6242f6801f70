//! Local pointers, on C's own tree: a pointer is the array that it points into, and integers that say where.
//!
//! - `const int *row = a + i * m; row[j]` is `long row = i * m; a[row + j]`, and `*p++ = x` is `a[p++] = x`;
//! - `int *row = a[i]; row[j]` of an array of rows is `long row_0 = i, row = 0; a[row_0][row + j]`;
//! - a pointer that moves on in an array of rows, or begins with `&a[0][0]`, has a place in all of the array, `a[`[`super::flat::FLAT`]`(p)]`, of
//!   which [`super::flat`] makes a row and a place in it;
//! - an argument that moves on, `*in++`, is an array and such an integer.
//!
//! - pointers that are swapped between arrays `a` and `b` have a number that says which, `p_0`: `x = p[i]` is
//!   `x = p_0 == 0 ? a[p + i] : b[p + i]`, and an assignment to `p[i]` is one to either array under an `if`.
//!
//! What follows integers ([`super::known`], [`super::track`]) then follows pointers. What is not understood stays what it is, and is
//! refused where it stands.

mod place;
mod targets;
mod uses;

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    BinaryOperator, BlockItem, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator,
    Expression, ExternalDeclaration, ForInitializer, FunctionDefinition, Identifier, InitDeclarator, Initializer,
    Statement, StorageClassSpecifier, TranslationUnit, TypeSpecifier,
};
use lang_c::span::{Node, Span as ByteSpan};

use super::flat::extent;
use super::function::{derived, identifier, names_of};
use super::map::SourceMap;
use super::plain::{binary, number};
use super::scope::Checked;
use super::types::{CType, Types, is_const};
use crate::diagnostic::Diagnostic;

type Expr = Node<Expression>;

/// Rewrites the pointers of one function. Errors: a pointer into several arrays, or into one of another type; one that does
/// something else than point.
pub fn pointers(unit: &mut TranslationUnit, kernel: &str, types: &Types, map: &SourceMap) -> Checked<()> {
    let mut walk = Walk {
        types,
        map,
        taken: HashSet::new(),
        scopes: vec![HashMap::new()],
        arrays: vec![],
        pointers: vec![],
        next: (0, 0),
        collects: true,
        unmoved: HashSet::new(),
    };
    for external in &unit.0 {
        if let ExternalDeclaration::Declaration(declaration) = &external.node
            && is_const(&declaration.node)
        {
            let ty = types.of_declaration(&declaration.node.specifiers);
            declaration.node.declarators.iter().for_each(|d| walk.enter_array(&d.node.declarator, &ty));
        }
    }
    let globals = (walk.scopes.clone(), walk.arrays.len());
    for external in &mut unit.0 {
        let ExternalDeclaration::FunctionDefinition(function) = &mut external.node else { continue };
        if identifier(&function.node.declarator.node).is_none_or(|name| name.node.name != kernel) {
            continue;
        }
        walk.taken = names_of(&function.node);
        let mut copy = function.node.clone();
        walk.function(&mut copy)?;
        walk.settle()?;
        (walk.scopes, walk.next, walk.collects) = (globals.0, (globals.1, 0), false);
        return walk.function(&mut function.node);
    }
    Ok(())
}

struct Array {
    name: String,
    ty: CType,
    /// Outermost first; `None` where the declaration does not say.
    extents: Vec<Option<Expr>>,
}

impl Array {
    fn dimensions(&self) -> usize {
        self.extents.len()
    }
}

struct Pointer {
    name: String,
    ty: CType,
    /// The dimensions of what it points to: 0 for `int *p`, 1 for `int (*p)[8]`.
    rank: usize,
    /// Where it is swapped between several arrays: those, and the integer that says which, as [`Walk::arrays`] counts them.
    turns: Vec<usize>,
    which: Option<String>,
    /// The integer that says where in its last dimension, or in all of the array, it points.
    variable: String,
    /// Those of the dimensions before.
    leading: Vec<String>,
    /// The arrays and pointers that it is assigned, and where.
    arrays: Vec<(usize, ByteSpan)>,
    others: Vec<usize>,
    /// Some value is none of those.
    is_unknown: bool,
    /// It moves on from where it is.
    moves: bool,
    /// All that it is assigned are in one row, whose number is a constant.
    begins: Vec<Option<String>>,
    /// Its place is one in all of the array.
    is_flat: bool,
    root: Option<usize>,
}

impl Pointer {
    /// The integers that say where it points, in the order of a place's.
    fn variables(&self) -> Vec<String> {
        self.which.iter().chain(&self.leading).chain([&self.variable]).cloned().collect()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Entity {
    Array(usize),
    Pointer(usize),
    /// An argument that moves on: the array, and the pointer into it.
    Moving(usize, usize),
    Other,
}

struct Walk<'w> {
    types: &'w Types,
    map: &'w SourceMap<'w>,
    taken: HashSet<String>,
    scopes: Vec<HashMap<String, Entity>>,
    arrays: Vec<Array>,
    pointers: Vec<Pointer>,
    /// The arrays and pointers that were declared before this place.
    next: (usize, usize),
    /// The first of two ways through the text: it looks what pointers are.
    collects: bool,
    /// Arguments that move, but have not before this place.
    unmoved: HashSet<usize>,
}

fn name_of(name: &str, span: ByteSpan) -> Expr {
    let own = Node::new(Identifier { name: name.to_string() }, span);
    Node::new(Expression::Identifier(Box::new(own)), span)
}

fn assign(name: &str, value: Expr) -> Expr {
    let span = value.span;
    binary(BinaryOperator::Assign, name_of(name, span), value, span)
}

fn is_zero(node: &Expr) -> bool {
    super::flat::constant(node) == Some(0)
}

fn sum(left: Expr, operator: BinaryOperator, right: Expr, span: ByteSpan) -> Expr {
    match (&operator, is_zero(&left), is_zero(&right)) {
        (_, _, true) => left,
        (BinaryOperator::Plus, true, _) => right,
        _ => binary(operator, left, right, span),
    }
}

impl Walk<'_> {
    fn lookup(&self, name: &str) -> Option<Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    fn enter(&mut self, name: &str, entity: Entity) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), entity);
        }
    }

    fn fresh(&mut self, stem: &str) -> String {
        let own = (0..).map(|k| format!("{stem}_{k}")).find(|own| !self.taken.contains(own)).unwrap_or_default();
        self.taken.insert(own.clone());
        own
    }

    fn refuse<T>(&self, span: ByteSpan, message: String, label: &str, help: &str) -> Checked<T> {
        Err(Diagnostic::new(message).at(self.map.span(span), label).help(help))
    }

    fn enter_array(&mut self, declarator: &Node<Declarator>, ty: &CType) {
        let Some(name) = identifier(&declarator.node).map(|name| name.node.name.clone()) else { return };
        let parts = derived(declarator);
        let is_array = !parts.is_empty()
            && ty.arithmetic().is_some()
            && parts.iter().enumerate().all(|(k, part)| match &part.node {
                DerivedDeclarator::Array(_) => true,
                DerivedDeclarator::Pointer(_) => k == 0,
                _ => false,
            });
        if !is_array {
            self.enter(&name, Entity::Other);
            return;
        }
        if self.collects {
            let extents = parts.iter().map(|part| extent(part).cloned()).collect();
            self.arrays.push(Array { name: name.clone(), ty: ty.clone(), extents });
        }
        self.enter(&name, Entity::Array(self.next.0));
        self.next.0 += 1;
    }

    fn enter_pointer(&mut self, name: &str, ty: &CType, rank: usize, variable: &str) -> usize {
        if self.collects {
            self.pointers.push(Pointer {
                name: name.to_string(),
                ty: ty.clone(),
                rank,
                turns: vec![],
                which: None,
                variable: variable.to_string(),
                leading: vec![],
                arrays: vec![],
                others: vec![],
                is_unknown: false,
                moves: false,
                begins: vec![],
                is_flat: false,
                root: None,
            });
        }
        self.next.1 += 1;
        self.next.1 - 1
    }

    fn function(&mut self, function: &mut FunctionDefinition) -> Checked<()> {
        self.scopes.push(HashMap::new());
        let mut moving = vec![];
        let changed = super::known::changed(&function.statement);
        let declared = super::known::Declared::of(function, self.types);
        for part in &function.declarator.node.derived {
            let DerivedDeclarator::Function(prototype) = &part.node else { continue };
            for parameter in &prototype.node.parameters {
                let Some(declarator) = &parameter.node.declarator else { continue };
                let ty = self.types.of_declaration(&parameter.node.specifiers);
                let Some(name) = identifier(&declarator.node).map(|name| name.node.name.clone()) else { continue };
                self.enter_array(declarator, &ty);
                if let Some(Entity::Array(array)) = self.lookup(&name)
                    && changed.contains(&name)
                    && declared.times(&name) == 1
                {
                    let at = if self.collects { self.fresh(&name) } else { String::new() };
                    let rank = self.arrays[array].dimensions() - 1;
                    let pointer = self.enter_pointer(&name, &ty, rank, &at);
                    self.enter(&name, Entity::Moving(array, pointer));
                    self.unmoved.insert(pointer);
                    self.pointers[pointer].arrays.push((array, declarator.span));
                    let own = &self.pointers[pointer];
                    moving.extend(own.which.iter().map(|which| (which.clone(), array, declarator.span)));
                    moving.push((own.variable.clone(), 0, declarator.span));
                }
            }
        }
        self.statement(&mut function.statement)?;
        self.scopes.pop();
        if let (false, Statement::Compound(items)) = (self.collects, &mut function.statement.node) {
            let first = moving.into_iter().map(|(name, value, span)| {
                let value = number(&value.to_string(), span);
                let declaration = self.integers(vec![(name, Some(value))], span);
                Node::new(BlockItem::Declaration(declaration), span)
            });
            let first: Vec<_> = first.collect();
            items.splice(0..0, first);
        }
        Ok(())
    }

    /// `long p = 0, q;`
    fn integers(&self, all: Vec<(String, Option<Expr>)>, span: ByteSpan) -> Node<Declaration> {
        let specifier = || Node::new(DeclarationSpecifier::TypeSpecifier(Node::new(TypeSpecifier::Long, span)), span);
        let declarators = all.into_iter().map(|(name, value)| {
            let kind = Node::new(DeclaratorKind::Identifier(Node::new(Identifier { name }, span)), span);
            let declarator = Node::new(Declarator { kind, derived: vec![], extensions: vec![] }, span);
            let initializer = value.map(|value| Node::new(Initializer::Expression(Box::new(value)), span));
            Node::new(InitDeclarator { declarator, initializer }, span)
        });
        // Of 64 bits everywhere.
        let specifiers = vec![specifier(), specifier()];
        Node::new(Declaration { specifiers, declarators: declarators.collect() }, span)
    }

    /// Makes statements of what commas join, where one of them is an assignment to several arrays.
    fn apart(&mut self, node: &mut Node<Statement>) -> Checked<()> {
        if let Statement::Expression(Some(own)) = &node.node
            && let Expression::Comma(parts) = &own.node
        {
            let parts = (**parts).clone();
            let mut is_in_turns = false;
            for part in &parts {
                is_in_turns |= self.in_turns(part)?.is_some();
            }
            if is_in_turns {
                let items = parts.into_iter().map(|part| {
                    let span = part.span;
                    let own = Node::new(Statement::Expression(Some(Box::new(part))), span);
                    Node::new(BlockItem::Statement(own), span)
                });
                node.node = Statement::Compound(items.collect());
            }
        }
        Ok(())
    }

    fn statement(&mut self, node: &mut Node<Statement>) -> Checked<()> {
        // What comes round again sees what has moved behind it.
        if matches!(node.node, Statement::For(_) | Statement::While(_) | Statement::DoWhile(_)) {
            let changed = super::known::changed(node);
            self.unmoved.retain(|pointer| !changed.contains(&self.pointers[*pointer].name));
        }
        self.apart(node)?;
        match &mut node.node {
            Statement::Expression(Some(own)) => {
                if let Some(sides) = self.in_turns(own)? {
                    node.node = sides;
                } else {
                    self.rewrite(own)?;
                }
            }
            Statement::Return(Some(value)) => self.rewrite(value)?,
            Statement::Compound(items) => {
                self.scopes.push(HashMap::new());
                let mut done = vec![];
                for mut item in std::mem::take(items) {
                    match &mut item.node {
                        BlockItem::Declaration(declaration) => {
                            let span = declaration.span;
                            let parts = self.declaration(&mut declaration.node, span)?;
                            done.extend(parts.into_iter().map(|own| Node::new(BlockItem::Declaration(own), item.span)));
                            continue;
                        }
                        BlockItem::Statement(inner) => self.statement(inner)?,
                        BlockItem::StaticAssert(_) => {}
                    }
                    done.push(item);
                }
                *items = done;
                self.scopes.pop();
            }
            Statement::If(branch) => {
                self.rewrite(&mut branch.node.condition)?;
                self.statement(&mut branch.node.then_statement)?;
                if let Some(otherwise) = &mut branch.node.else_statement {
                    self.statement(otherwise)?;
                }
            }
            Statement::For(f) => {
                self.scopes.push(HashMap::new());
                match &mut f.node.initializer.node {
                    ForInitializer::Expression(first) => self.rewrite(first)?,
                    ForInitializer::Declaration(declaration) => {
                        let span = declaration.span;
                        let mut parts = self.declaration(&mut declaration.node, span)?;
                        match (parts.pop(), parts.is_empty()) {
                            (Some(only), true) => *declaration = only,
                            _ => {
                                return self.refuse(
                                    span,
                                    "the head of a loop declares pointers and numbers".into(),
                                    "here",
                                    "declare one of them before the loop",
                                );
                            }
                        }
                    }
                    _ => {}
                }
                if let Some(condition) = &mut f.node.condition {
                    self.rewrite(condition)?;
                }
                if let Some(step) = &mut f.node.step {
                    self.rewrite(step)?;
                }
                self.statement(&mut f.node.statement)?;
                self.scopes.pop();
            }
            Statement::While(w) => {
                self.rewrite(&mut w.node.expression)?;
                self.statement(&mut w.node.statement)?;
            }
            Statement::DoWhile(w) => {
                self.statement(&mut w.node.statement)?;
                self.rewrite(&mut w.node.expression)?;
            }
            Statement::Switch(s) => {
                self.rewrite(&mut s.node.expression)?;
                self.statement(&mut s.node.statement)?;
            }
            Statement::Labeled(labeled) => self.statement(&mut labeled.node.statement)?,
            _ => {}
        }
        Ok(())
    }

    /// The declarations that one becomes, in order.
    fn declaration(&mut self, declaration: &mut Declaration, span: ByteSpan) -> Checked<Vec<Node<Declaration>>> {
        let ty = self.types.of_declaration(&declaration.specifiers);
        let is_static = declaration.specifiers.iter().any(|specifier| {
            matches!(&specifier.node, DeclarationSpecifier::StorageClass(class)
                if class.node != StorageClassSpecifier::Register && class.node != StorageClassSpecifier::Auto)
        });
        let mut parts: Vec<Node<Declaration>> = vec![];
        let mut was_pointer = None;
        if declaration.declarators.is_empty() {
            return Ok(vec![Node::new(declaration.clone(), span)]);
        }
        for mut declarator in std::mem::take(&mut declaration.declarators) {
            let name = identifier(&declarator.node.declarator.node).map(|name| name.node.name.clone());
            let rank = rank(&declarator.node.declarator).filter(|_| ty.arithmetic().is_some() && !is_static);
            let own = match (rank, name) {
                (Some(rank), Some(name)) => {
                    let pointer = self.enter_pointer(&name, &ty, rank, &name);
                    let mut all = vec![];
                    let value = match &declarator.node.initializer {
                        Some(Node { node: Initializer::Expression(first), .. }) => Some((**first).clone()),
                        Some(_) => {
                            self.pointers[pointer].is_unknown = true;
                            None
                        }
                        None => None,
                    };
                    if let Some(value) = &value {
                        all = self.gives(pointer, value)?;
                    }
                    self.enter(&name, Entity::Pointer(pointer));
                    let own = &self.pointers[pointer];
                    match own.root.is_some() && !self.collects {
                        false => None,
                        true if all.is_empty() => {
                            Some(own.variables().into_iter().map(|name| (name, None)).collect::<Vec<_>>())
                        }
                        true => Some(all.into_iter().map(|(name, value)| (name, Some(value))).collect()),
                    }
                }
                (_, name) => {
                    match &mut declarator.node.initializer {
                        Some(Node { node: Initializer::Expression(first), .. }) => self.rewrite(first)?,
                        Some(Node { node: Initializer::List(items), .. }) => self.list(items)?,
                        None => {}
                    }
                    match derived(&declarator.node.declarator)[..] {
                        [] => self.enter(&name.unwrap_or_default(), Entity::Other),
                        _ => self.enter_array(&declarator.node.declarator, &ty),
                    }
                    None
                }
            };
            let is_pointer = own.is_some();
            let mut part = match own {
                Some(all) => self.integers(all, declarator.span),
                None => {
                    let own = Declaration { specifiers: declaration.specifiers.clone(), declarators: vec![declarator] };
                    Node::new(own, span)
                }
            };
            match (was_pointer == Some(is_pointer), parts.last_mut()) {
                (true, Some(last)) => last.node.declarators.append(&mut part.node.declarators),
                _ => parts.push(part),
            }
            was_pointer = Some(is_pointer);
        }
        Ok(parts)
    }

    fn list(&mut self, items: &mut [Node<lang_c::ast::InitializerListItem>]) -> Checked<()> {
        for item in items {
            match &mut item.node.initializer.node {
                Initializer::Expression(value) => self.rewrite(value)?,
                Initializer::List(items) => self.list(items)?,
            }
        }
        Ok(())
    }
}

/// The dimensions of what a declarator's pointer points to; `None` where it declares none, or one to pointers.
fn rank(declarator: &Node<Declarator>) -> Option<usize> {
    match &derived(declarator)[..] {
        [first, others @ ..] if matches!(first.node, DerivedDeclarator::Pointer(_)) => {
            others.iter().all(|part| matches!(part.node, DerivedDeclarator::Array(_))).then_some(others.len())
        }
        _ => None,
    }
}
