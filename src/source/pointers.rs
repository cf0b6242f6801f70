//! Local pointers, on C's own tree: a pointer is the array that it points into, and integers that say where.
//!
//! - `const int *row = a + i * m; row[j]` is `long row = i * m; a[row + j]`, and `*p++ = x` is `a[p++] = x`;
//! - `int *row = a[i]; row[j]` of an array of rows is `long row_0 = i, row = 0; a[row_0][row + j]`;
//! - a pointer that moves on in an array of rows, or begins with `&a[0][0]`, has a place in all of the array, `a[`[`FLAT`]`(p)]`, of
//!   which [`super::flat`] makes a row and a place in it;
//! - an argument that moves on, `*in++`, is an array and such an integer.
//!
//! What follows integers ([`super::known`], [`super::track`]) then follows pointers. A pointer points into one array wherever it
//! points; what is not understood stays what it is, and is refused where it stands.

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    BinaryOperator, BlockItem, CallExpression, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind,
    DerivedDeclarator, Expression, ExternalDeclaration, ForInitializer, FunctionDefinition, Identifier, InitDeclarator,
    Initializer, Statement, StorageClassSpecifier, TranslationUnit, TypeName, TypeSpecifier, UnaryOperator,
    UnaryOperatorExpression,
};
use lang_c::span::{Node, Span as ByteSpan};

use super::canonical::names_in;
use super::flat::{FLAT, extent};
use super::function::{derived, identifier};
use super::kernel::BinaryOp;
use super::map::SourceMap;
use super::nest::{assignment, counts, operation};
use super::plain::{binary, number, variable};
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

/// All names in a function.
fn names_of(function: &FunctionDefinition) -> HashSet<String> {
    struct Names(HashSet<String>);
    impl<'ast> lang_c::visit::Visit<'ast> for Names {
        fn visit_identifier(&mut self, identifier: &'ast Identifier, _: &'ast ByteSpan) {
            self.0.insert(identifier.name.clone());
        }
    }
    let mut names = Names(HashSet::new());
    lang_c::visit::Visit::visit_function_definition(&mut names, function, &ByteSpan::none());
    names.0
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

#[derive(Clone, Copy, PartialEq)]
enum Entity {
    Array(usize),
    Pointer(usize),
    /// An argument that moves on: the array, and the pointer into it.
    Moving(usize, usize),
    Other,
}

/// What an expression points to: a part of an array by its first subscripts, or one place in all of it.
struct Place {
    array: usize,
    subscripts: Vec<Expr>,
    is_flat: bool,
    /// A pointer's variable says where.
    uses: bool,
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
                    && self.arrays[array].dimensions() == 1
                    && changed.contains(&name)
                    && declared.times(&name) == 1
                {
                    let at = if self.collects { self.fresh(&name) } else { String::new() };
                    let pointer = self.enter_pointer(&name, &ty, 0, &at);
                    self.enter(&name, Entity::Moving(array, pointer));
                    self.pointers[pointer].arrays.push((array, declarator.span));
                    moving.push((self.pointers[pointer].variable.clone(), declarator.span));
                }
            }
        }
        self.statement(&mut function.statement)?;
        self.scopes.pop();
        if let (false, Statement::Compound(items)) = (self.collects, &mut function.statement.node) {
            let first = moving.into_iter().map(|(name, span)| {
                let declaration = self.integers(vec![(name, Some(number("0", span)))], span);
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

    fn statement(&mut self, node: &mut Node<Statement>) -> Checked<()> {
        match &mut node.node {
            Statement::Expression(Some(own)) => self.rewrite(own)?,
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
                            let names = own.leading.iter().chain([&own.variable]);
                            Some(names.map(|name| (name.clone(), None)).collect::<Vec<_>>())
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

    /// What a pointer's variables get where it gets `value`.
    fn gives(&mut self, pointer: usize, value: &Expr) -> Checked<Vec<(String, Expr)>> {
        if self.collects {
            let mut found = (vec![], vec![]);
            let is_known = self.roots(value, &mut found);
            let begins = match is_known {
                true => self.begin(value),
                false => None,
            };
            let own = &mut self.pointers[pointer];
            own.is_unknown |= !is_known;
            own.moves |= found.1.contains(&pointer);
            own.begins.push(begins);
            own.arrays.extend(found.0.into_iter().map(|array| (array, value.span)));
            own.others.extend(found.1);
            return Ok(vec![]);
        }
        let Pointer { root: Some(root), is_flat, .. } = self.pointers[pointer] else { return Ok(vec![]) };
        let Some(place) = self.place(value)? else { return Ok(vec![]) };
        let own = &self.pointers[pointer];
        let names: Vec<String> = own.leading.iter().chain([&own.variable]).cloned().collect();
        let array = place.array;
        let values = match is_flat {
            true => vec![self.flat_index(place, value.span)?],
            false => place.subscripts,
        };
        if values.len() != names.len() || array != root {
            let name = own.name.clone();
            return self.refuse(
                value.span,
                format!("the pointer `{name}` gets a place of other dimensions than those that it points to"),
                "another type",
                "begin with the address of an element, as in `&a[0][0]`",
            );
        }
        // They are assigned one after the other.
        for (k, name) in names.iter().enumerate() {
            let is_same = variable(&values[k]) == Some(name);
            if !is_same && values[k + 1..].iter().any(|value| names_in(value).contains(name)) {
                let own = own.name.clone();
                return self.refuse(
                    value.span,
                    format!("the pointer `{own}` gets a place that its own place tells"),
                    "here",
                    "use subscripts of the array",
                );
            }
        }
        let is_one = names.len() == 1;
        let all = names.into_iter().zip(values);
        Ok(all.filter(|(name, value)| is_one || variable(value) != Some(name)).collect())
    }

    /// The arrays and pointers that a value may point into. Whether all is understood.
    fn roots(&self, node: &Expr, found: &mut (Vec<usize>, Vec<usize>)) -> bool {
        match &node.node {
            Expression::Identifier(name) => match self.lookup(&name.node.name) {
                Some(Entity::Array(array)) => {
                    found.0.push(array);
                    true
                }
                Some(Entity::Pointer(pointer) | Entity::Moving(_, pointer)) => {
                    found.1.push(pointer);
                    true
                }
                _ => false,
            },
            Expression::Cast(cast) => {
                cast.node.type_name.node.declarator.is_some() && self.roots(&cast.node.expression, found)
            }
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Negate | UnaryOperator::Complement => false,
                _ => self.roots(&unary.node.operand, found),
            },
            Expression::Conditional(c) => {
                self.roots(&c.node.then_expression, found) && self.roots(&c.node.else_expression, found)
            }
            _ => match operation(node) {
                Some((BinaryOperator::Index | BinaryOperator::Plus, o)) => {
                    let before = (found.0.len(), found.1.len());
                    self.roots(&o.lhs, found) || {
                        found.0.truncate(before.0);
                        found.1.truncate(before.1);
                        self.roots(&o.rhs, found)
                    }
                }
                Some((BinaryOperator::Minus, o)) => self.roots(&o.lhs, found),
                _ => false,
            },
        }
    }

    /// The constants that say in which row a value begins: `0` of `a[0]` and of `&a[0][k]`.
    fn begin(&self, node: &Expr) -> Option<String> {
        let mut node = node;
        loop {
            node = match &node.node {
                Expression::Cast(cast) => &cast.node.expression,
                Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address => {
                    // What it is the address of has one subscript more.
                    let (BinaryOperator::Index, o) = operation(&unary.node.operand)? else { return None };
                    return self.constants(&o.lhs);
                }
                _ => match operation(node) {
                    Some((BinaryOperator::Plus | BinaryOperator::Minus, o)) => &o.lhs,
                    _ => return self.constants(node),
                },
            };
        }
    }

    fn constants(&self, node: &Expr) -> Option<String> {
        let (base, subscripts) = super::plain::subscripted(node);
        matches!(self.lookup(variable(base)?)?, Entity::Array(_)).then_some(())?;
        let all: Option<Vec<String>> =
            subscripts.iter().map(|s| super::flat::constant(s).map(|value| value.to_string())).collect();
        all.map(|all| all.join(" "))
    }

    /// Which array each pointer points into, and how.
    fn settle(&mut self) -> Checked<()> {
        let count = self.pointers.len();
        let mut targets: Vec<Vec<(usize, ByteSpan)>> = self.pointers.iter().map(|p| p.arrays.clone()).collect();
        let mut unknown: Vec<bool> = self.pointers.iter().map(|p| p.is_unknown).collect();
        // Pointers that are assigned to each other are alike.
        let mut groups: Vec<usize> = (0..count).collect();
        for _ in 0..count {
            for pointer in 0..count {
                for other in self.pointers[pointer].others.clone() {
                    let more: Vec<_> = targets[other].clone();
                    targets[pointer].extend(more);
                    targets[pointer].sort_by_key(|(array, span)| (*array, span.start));
                    targets[pointer].dedup_by_key(|(array, _)| *array);
                    unknown[pointer] |= unknown[other];
                    let (a, b) = (groups[pointer], groups[other]);
                    groups.iter_mut().filter(|group| **group == a).for_each(|group| *group = b);
                }
            }
        }
        for pointer in 0..count {
            let own = &self.pointers[pointer];
            if unknown[pointer] || targets[pointer].is_empty() {
                continue;
            }
            let [(root, given), others @ ..] = &targets[pointer][..] else { continue };
            let array = &self.arrays[*root];
            if let Some((other, span)) = others.iter().find(|(other, _)| other != root) {
                let (name, first, second) = (&own.name, &array.name, &self.arrays[*other].name);
                return self.refuse(
                    *span,
                    format!("the pointer `{name}` points into the array `{first}` and into `{second}`"),
                    "another array",
                    "use a pointer for each array; arrays that take turns are rows of one, as in `buf[2][n]`, whose numbers \
                     take turns",
                );
            }
            if array.ty != own.ty {
                let (name, ty, array_name, other) = (&own.name, &own.ty, &array.name, &array.ty);
                return self.refuse(
                    *given,
                    format!(
                        "the pointer `{name}` to what has {ty} points into the array `{array_name}`, which has {other}"
                    ),
                    "another type",
                    "use the elements as they are declared",
                );
            }
            let (dimensions, root) = (array.dimensions(), *root);
            if own.rank >= dimensions {
                continue;
            }
            let members = || (0..count).filter(|other| groups[*other] == groups[pointer]);
            let moves = members().any(|other| self.pointers[other].moves);
            let begins: Vec<&Option<String>> = members().flat_map(|other| &self.pointers[other].begins).collect();
            let from_links = members().any(|other| self.pointers[other].others.iter().any(|link| *link != other));
            let is_fixed = begins.iter().all(|begin| begin.is_some() && *begin == begins[0]);
            let is_flat = dimensions > 1 && own.rank == 0 && (moves || is_fixed && !from_links);
            let rank = own.rank;
            let stem = own.name.clone();
            let leading = match is_flat {
                true => vec![],
                false => (0..dimensions - rank - 1).map(|_| self.fresh(&stem)).collect(),
            };
            let own = &mut self.pointers[pointer];
            (own.root, own.is_flat, own.leading) = (Some(root), is_flat, leading);
        }
        Ok(())
    }

    /// The place that an expression of a pointer's type, or a part of an array, points to.
    fn place(&mut self, node: &Expr) -> Checked<Option<Place>> {
        let span = node.span;
        match &node.node {
            Expression::Identifier(name) => Ok(match self.lookup(&name.node.name) {
                Some(Entity::Array(array)) => {
                    let subscripts = vec![number("0", span)];
                    Some(Place { array, subscripts, is_flat: false, uses: false })
                }
                Some(Entity::Pointer(pointer) | Entity::Moving(_, pointer)) => self.at(pointer, span),
                _ => None,
            }),
            Expression::Cast(cast) if cast.node.type_name.node.declarator.is_some() => {
                let Some(mut place) = self.place(&cast.node.expression)? else { return Ok(None) };
                let TypeName { specifiers, declarator } = &cast.node.type_name.node;
                let own = TypeName { specifiers: specifiers.clone(), declarator: None };
                let is_plain = declarator
                    .as_ref()
                    .is_some_and(|d| matches!(derived(d)[..], [Node { node: DerivedDeclarator::Pointer(_), .. }]));
                if self.types.of_name(&own) != self.arrays[place.array].ty || !is_plain {
                    let name = self.arrays[place.array].name.clone();
                    return self.refuse(
                        span,
                        format!("a place in the array `{name}` is cast to another type"),
                        "cast",
                        "use the elements as they are declared",
                    );
                }
                while !place.is_flat && place.subscripts.len() < self.arrays[place.array].dimensions() {
                    place.subscripts.push(number("0", span));
                }
                Ok(Some(place))
            }
            Expression::UnaryOperator(unary) => {
                let operand = &*unary.node.operand;
                match &unary.node.operator.node {
                    UnaryOperator::Address => self.object(operand),
                    UnaryOperator::Indirection => self.decayed(node),
                    operator @ (UnaryOperator::PostIncrement
                    | UnaryOperator::PostDecrement
                    | UnaryOperator::PreIncrement
                    | UnaryOperator::PreDecrement)
                        if variable(operand).is_some() =>
                    {
                        let Some(mut place) = self.place(operand)?.filter(|place| place.uses) else { return Ok(None) };
                        if let Some(last) = place.subscripts.last_mut() {
                            let own = UnaryOperatorExpression {
                                operator: Node::new(operator.clone(), unary.node.operator.span),
                                operand: Box::new(last.clone()),
                            };
                            *last = Node::new(Expression::UnaryOperator(Box::new(Node::new(own, span))), span);
                        }
                        Ok(Some(place))
                    }
                    _ => Ok(None),
                }
            }
            Expression::Conditional(c) => {
                let (then, otherwise) = (self.place(&c.node.then_expression)?, self.place(&c.node.else_expression)?);
                let (Some(then), Some(otherwise)) = (then, otherwise) else { return Ok(None) };
                if then.array != otherwise.array
                    || then.is_flat != otherwise.is_flat
                    || then.subscripts.len() != otherwise.subscripts.len()
                {
                    return Ok(None);
                }
                let mut condition = (*c.node.condition).clone();
                self.rewrite(&mut condition)?;
                let pairs = then.subscripts.into_iter().zip(otherwise.subscripts);
                let subscripts = pairs.map(|(then, otherwise)| {
                    let mut own = c.clone();
                    own.node.condition = Box::new(condition.clone());
                    (*own.node.then_expression, *own.node.else_expression) = (then, otherwise);
                    Node::new(Expression::Conditional(own), span)
                });
                Ok(Some(Place { subscripts: subscripts.collect(), uses: then.uses || otherwise.uses, ..then }))
            }
            _ => match operation(node) {
                Some((BinaryOperator::Index, _)) => self.decayed(node),
                Some((operator @ (BinaryOperator::Plus | BinaryOperator::Minus), o)) => {
                    let (place, by) = match self.place(&o.lhs)? {
                        Some(place) => (Some(place), &*o.rhs),
                        None if operator == BinaryOperator::Plus => (self.place(&o.rhs)?, &*o.lhs),
                        None => (None, &*o.rhs),
                    };
                    let Some(place) = place else { return Ok(None) };
                    // The difference of two pointers is none.
                    if self.place(by)?.is_some() {
                        return Ok(None);
                    }
                    let mut by = by.clone();
                    self.rewrite(&mut by)?;
                    Ok(Some(moved(place, operator, by, span)))
                }
                _ => Ok(None),
            },
        }
    }

    /// The place that a pointer's variables say.
    fn at(&self, pointer: usize, span: ByteSpan) -> Option<Place> {
        let own = &self.pointers[pointer];
        let subscripts = own.leading.iter().chain([&own.variable]).map(|name| name_of(name, span)).collect();
        Some(Place { array: own.root?, subscripts, is_flat: own.is_flat, uses: true })
    }

    /// What an object that is an array points to: its first element.
    fn decayed(&mut self, node: &Expr) -> Checked<Option<Place>> {
        let Some(mut place) = self.object(node)? else { return Ok(None) };
        if place.is_flat || place.subscripts.len() >= self.arrays[place.array].dimensions() {
            return Ok(None);
        }
        place.subscripts.push(number("0", node.span));
        Ok(Some(place))
    }

    /// The element or the part of an array that `*p` or `p[e]` is, by its subscripts.
    fn object(&mut self, node: &Expr) -> Checked<Option<Place>> {
        match &node.node {
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                self.place(&unary.node.operand)
            }
            _ => {
                let Some((BinaryOperator::Index, o)) = operation(node) else { return Ok(None) };
                let (place, by) = match self.place(&o.lhs)? {
                    Some(place) => (place, &*o.rhs),
                    None => match self.place(&o.rhs)? {
                        Some(place) => (place, &*o.lhs),
                        None => return Ok(None),
                    },
                };
                let mut by = by.clone();
                self.rewrite(&mut by)?;
                let mut place = place;
                // From the first element on, a place is one in all of the array: no row ends before.
                let is_first = matches!(&o.lhs.node, Expression::UnaryOperator(unary)
                    if unary.node.operator.node == UnaryOperator::Address)
                    && place.subscripts.len() > 1
                    && place.subscripts.len() == self.arrays[place.array].dimensions()
                    && place.subscripts.iter().all(|subscript| super::flat::constant(subscript).is_some());
                if is_first && !place.is_flat {
                    let array = place.array;
                    let index = self.flat_index(place, node.span)?;
                    place = Place { array, subscripts: vec![index], is_flat: true, uses: true };
                }
                Ok(Some(moved(place, BinaryOperator::Plus, by, node.span)))
            }
        }
    }

    /// A place in all of the array.
    fn flat_index(&self, place: Place, span: ByteSpan) -> Checked<Expr> {
        let array = &self.arrays[place.array];
        if place.is_flat {
            return Ok(place.subscripts.into_iter().next().unwrap_or_else(|| number("0", span)));
        }
        let mut index: Option<Expr> = None;
        for (k, extent) in array.extents.iter().enumerate() {
            let own = place.subscripts.get(k).cloned().unwrap_or_else(|| number("0", span));
            index = Some(match (index, extent) {
                (None, _) => own,
                (Some(index), _) if is_zero(&index) => own,
                (Some(index), Some(extent)) => {
                    let rows = binary(BinaryOperator::Multiply, index, extent.clone(), span);
                    sum(rows, BinaryOperator::Plus, own, span)
                }
                (Some(_), None) => {
                    return self.refuse(
                        span,
                        format!("a pointer moves in the array `{}`, whose rows have no length", array.name),
                        "here",
                        "declare the array with all of its extents",
                    );
                }
            });
        }
        Ok(index.unwrap_or_else(|| number("0", span)))
    }

    /// The element that a place is, as C has it.
    fn element(&self, place: Place, node: &Expr) -> Checked<Option<Expr>> {
        let (array, span) = (&self.arrays[place.array], node.span);
        let is_seen = match self.lookup(&array.name) {
            Some(Entity::Array(own) | Entity::Moving(own, _)) => own == place.array,
            _ => false,
        };
        if !is_seen {
            return self.refuse(
                span,
                format!("a pointer points into an array `{}` that is not known here", array.name),
                "here",
                "use the pointer where the array is declared, and give the array a name of its own",
            );
        }
        let index = |array, subscript| binary(BinaryOperator::Index, array, subscript, span);
        let name = name_of(&array.name, span);
        if place.is_flat {
            let flat = place.subscripts.into_iter().next().unwrap_or_else(|| number("0", span));
            let callee = Box::new(name_of(FLAT, span));
            let call = CallExpression { callee, arguments: vec![flat, name_of(FLAT, span)] };
            return Ok(Some(index(name, Node::new(Expression::Call(Box::new(Node::new(call, span))), span))));
        }
        if place.subscripts.len() < array.dimensions() {
            return Ok(None);
        }
        Ok(Some(place.subscripts.into_iter().fold(name, index)))
    }

    fn rewrite(&mut self, node: &mut Expr) -> Checked<()> {
        if self.steps(node)? {
            return Ok(());
        }
        if !self.collects {
            if let Some(place) = self.object(node)?.filter(|place| place.uses)
                && let Some(element) = self.element(place, node)?
            {
                *node = element;
                return Ok(());
            }
            if self.compares(node)? {
                return Ok(());
            }
        }
        match &mut node.node {
            Expression::Identifier(name) if !self.collects => {
                let pointer = match self.lookup(&name.node.name) {
                    Some(Entity::Pointer(pointer) | Entity::Moving(_, pointer)) => pointer,
                    _ => return Ok(()),
                };
                if self.pointers[pointer].root.is_some() {
                    let own = name.node.name.clone();
                    return self.refuse(
                        node.span,
                        format!("the pointer `{own}` is more than a place whose elements are used"),
                        "used like this",
                        "use `p[i]`, `*p`, `p++` and `p < end`; a helper takes the array itself or `&a[i]`",
                    );
                }
                Ok(())
            }
            Expression::UnaryOperator(unary) => self.rewrite(&mut unary.node.operand),
            Expression::Cast(cast) => self.rewrite(&mut cast.node.expression),
            Expression::BinaryOperator(o) => {
                self.rewrite(&mut o.node.lhs)?;
                self.rewrite(&mut o.node.rhs)
            }
            Expression::Conditional(c) => {
                self.rewrite(&mut c.node.condition)?;
                self.rewrite(&mut c.node.then_expression)?;
                self.rewrite(&mut c.node.else_expression)
            }
            Expression::Call(call) => call.node.arguments.iter_mut().try_for_each(|argument| self.rewrite(argument)),
            Expression::Comma(parts) => parts.iter_mut().try_for_each(|part| self.rewrite(part)),
            Expression::SizeOfVal(size) if !self.collects => {
                let mut inner = (*size.node.0).clone();
                self.rewrite(&mut inner)?;
                match names_in(&inner) == names_in(&size.node.0) {
                    true => Ok(()),
                    false => self.refuse(
                        node.span,
                        "the size of what a pointer points to is asked for".into(),
                        "`sizeof`",
                        "name the type, as in `sizeof(int)`",
                    ),
                }
            }
            _ => Ok(()),
        }
    }

    fn pointer_of(&self, node: &Expr) -> Option<usize> {
        match self.lookup(variable(node)?)? {
            Entity::Pointer(pointer) | Entity::Moving(_, pointer) => Some(pointer),
            _ => None,
        }
    }

    /// Whether an expression gives a pointer another place, which is done.
    fn steps(&mut self, node: &mut Expr) -> Checked<bool> {
        let span = node.span;
        if let Expression::UnaryOperator(unary) = &mut node.node {
            let is_step = counts(&unary.node.operator.node);
            if let (true, Some(pointer)) = (is_step, self.pointer_of(&unary.node.operand)) {
                self.pointers[pointer].moves = true;
                if !self.collects && self.pointers[pointer].root.is_some() {
                    *unary.node.operand = name_of(&self.pointers[pointer].variable, span);
                }
                return Ok(true);
            }
            if let (UnaryOperator::Address, Some(pointer)) =
                (&unary.node.operator.node, self.pointer_of(&unary.node.operand))
            {
                self.pointers[pointer].is_unknown = true;
            }
            return Ok(false);
        }
        let Some((operator, o)) = operation(node) else { return Ok(false) };
        let (Some(kind), Some(pointer)) = (assignment(&operator), self.pointer_of(&o.lhs)) else { return Ok(false) };
        let value = (*o.rhs).clone();
        match kind {
            None => {
                let values = self.gives(pointer, &value)?;
                if !self.collects && self.pointers[pointer].root.is_some() {
                    let mut all: Vec<Expr> = values.into_iter().map(|(name, value)| assign(&name, value)).collect();
                    *node = match all.pop() {
                        Some(only) if all.is_empty() => only,
                        Some(last) => {
                            all.push(last);
                            Node::new(Expression::Comma(Box::new(all)), span)
                        }
                        None => number("0", span),
                    };
                }
            }
            Some(BinaryOp::Add | BinaryOp::Subtract) => {
                self.pointers[pointer].moves = true;
                let mut value = value;
                self.rewrite(&mut value)?;
                if !self.collects && self.pointers[pointer].root.is_some() {
                    *node = binary(operator, name_of(&self.pointers[pointer].variable, span), value, span);
                }
            }
            Some(_) => self.pointers[pointer].is_unknown = true,
        }
        Ok(true)
    }

    /// Whether an expression compares or subtracts two places, which is done.
    fn compares(&mut self, node: &mut Expr) -> Checked<bool> {
        let span = node.span;
        let Some((operator, o)) = operation(node) else { return Ok(false) };
        let is_pair = matches!(
            operator,
            BinaryOperator::Minus
                | BinaryOperator::Less
                | BinaryOperator::LessOrEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterOrEqual
                | BinaryOperator::Equals
                | BinaryOperator::NotEquals
        );
        if !is_pair {
            return Ok(false);
        }
        let (Some(left), Some(right)) = (self.place(&o.lhs)?, self.place(&o.rhs)?) else { return Ok(false) };
        if !left.uses && !right.uses {
            return Ok(false);
        }
        if left.array != right.array {
            let [first, second] = [&left, &right].map(|place| self.arrays[place.array].name.clone());
            return self.refuse(
                span,
                format!("a place in the array `{first}` is compared with one in `{second}`"),
                "here",
                "compare places of one array",
            );
        }
        let leading = |place: &Place| {
            place.subscripts.split_last().map(|(_, leading)| leading.iter().map(names_in).collect::<Vec<_>>())
        };
        let is_row = !left.is_flat
            && !right.is_flat
            && left.subscripts.len() == right.subscripts.len()
            && left.subscripts.len() == 1
            || leading(&left) == leading(&right) && !left.is_flat && !right.is_flat && {
                let all = left.subscripts.len() - 1;
                left.subscripts[..all].iter().zip(&right.subscripts).all(|(a, b)| match (variable(a), variable(b)) {
                    (Some(a), Some(b)) => a == b,
                    _ => super::flat::constant(a).is_some() && super::flat::constant(a) == super::flat::constant(b),
                })
            };
        let [left, right] = match is_row {
            true => [left, right].map(|mut place| place.subscripts.pop().unwrap_or_else(|| number("0", span))),
            false => [self.flat_index(left, span)?, self.flat_index(right, span)?],
        };
        *node = binary(operator, left, right, span);
        Ok(true)
    }
}

fn moved(mut place: Place, operator: BinaryOperator, by: Expr, span: ByteSpan) -> Place {
    if let Some(last) = place.subscripts.pop() {
        place.subscripts.push(sum(last, operator, by, span));
    }
    place
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
