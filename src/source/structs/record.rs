//! The file's structures: their members, and the array that a structure of one type is.

use std::collections::HashMap;

use lang_c::ast::{
    ArraySize, BinaryOperator, Constant, DeclarationSpecifier, Declarator, DerivedDeclarator, Expression,
    SpecifierQualifier, StructDeclaration, StructKind, StructType, TypeOf, TypeSpecifier, UnaryOperator,
};
use lang_c::span::{Node, Span as ByteSpan};

use super::super::function::{derived, identifier};
use super::super::plain::subscripted;
use super::super::preprocess::Preprocessed;
use super::super::types::{CType, Types};

/// The most elements of a structure.
const LARGEST: u64 = 1 << 24;

/// The least numbers of a member that is a row of its own.
const LONG: u64 = 64;

/// What a declaration is made of before arrays and pointers.
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    Record(usize),
    Number(CType),
}

/// One step from a name to what it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dim {
    Pointer,
    /// The extent, where it is a constant.
    Array(Option<u64>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Ty {
    pub base: Base,
    /// Outermost first.
    pub dims: Vec<Dim>,
}

#[derive(Clone, Debug)]
pub struct Member {
    pub name: String,
    pub base: Base,
    pub extents: Vec<u64>,
}

#[derive(Clone, Debug)]
pub struct Record {
    /// `struct point`, or the name of a typedef.
    pub name: String,
    pub members: Vec<Member>,
    /// Why it cannot be taken.
    pub problem: Option<String>,
}

/// A structure as an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    pub extents: Vec<u64>,
    pub element: CType,
    /// Every member is a row.
    pub is_uniform: bool,
}

/// All structures, by tags and typedefs.
#[derive(Clone, Default)]
pub struct Records {
    pub all: Vec<Record>,
    tags: HashMap<String, usize>,
    /// By the place of the definition.
    bodies: HashMap<usize, usize>,
    /// Those of the file's variables.
    pub variables: HashMap<String, usize>,
    typedefs: HashMap<String, Alias>,
}

/// What a typedef stands for.
#[derive(Clone)]
enum Alias {
    Record(usize),
    /// A structure that may be defined later.
    Tag(String),
}

pub fn type_specifiers(specifiers: &[Node<DeclarationSpecifier>]) -> Vec<&Node<TypeSpecifier>> {
    let types = specifiers.iter().filter_map(|specifier| match &specifier.node {
        DeclarationSpecifier::TypeSpecifier(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}

pub fn qualified(specifiers: &[Node<SpecifierQualifier>]) -> Vec<&Node<TypeSpecifier>> {
    let types = specifiers.iter().filter_map(|specifier| match &specifier.node {
        SpecifierQualifier::TypeSpecifier(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}

impl Records {
    /// The structure that specifiers name; those that they define are read first.
    pub fn of(&mut self, specifiers: &[&Node<TypeSpecifier>], types: &Types, text: &Preprocessed) -> Option<usize> {
        let [only] = specifiers else { return None };
        match &only.node {
            TypeSpecifier::Struct(s) if s.node.declarations.is_some() && !self.bodies.contains_key(&s.span.start) => {
                let record = self.define(&s.node, only.span, types, text);
                self.bodies.insert(s.span.start, record);
                Some(record)
            }
            _ => self.named(&only.node),
        }
    }

    /// The structure that specifiers name, if it has been read.
    pub fn of_known(&self, specifiers: &[&Node<TypeSpecifier>]) -> Option<usize> {
        let [only] = specifiers else { return None };
        self.named(&only.node)
    }

    /// The structure of that name.
    pub fn named(&self, specifier: &TypeSpecifier) -> Option<usize> {
        match specifier {
            TypeSpecifier::Struct(s) if s.node.declarations.is_some() => self.bodies.get(&s.span.start).copied(),
            TypeSpecifier::Struct(s) => self.tags.get(&s.node.identifier.as_ref()?.node.name).copied(),
            TypeSpecifier::TypedefName(name) => match self.typedefs.get(&name.node.name)? {
                Alias::Record(record) => Some(*record),
                Alias::Tag(tag) => self.tags.get(tag).copied(),
            },
            TypeSpecifier::TypeOf(of) => {
                let TypeOf::Expression(node) = &of.node else { return None };
                let Expression::Identifier(name) = &subscripted(node).0.node else { return None };
                self.variables.get(&name.node.name).copied()
            }
            _ => None,
        }
    }

    /// Takes a typedef, `typedef struct p { … } P;`.
    pub fn alias(&mut self, specifiers: &[&Node<TypeSpecifier>], name: &str, record: Option<usize>) {
        let [only] = specifiers else { return };
        let alias = match (record, &only.node) {
            (Some(record), _) => Some(Alias::Record(record)),
            (None, TypeSpecifier::Struct(s)) => s.node.identifier.as_ref().map(|tag| Alias::Tag(tag.node.name.clone())),
            _ => None,
        };
        match alias {
            Some(Alias::Record(record)) => {
                if self.all[record].name == "the structure" {
                    self.all[record].name = format!("`{name}`");
                }
                self.typedefs.insert(name.into(), Alias::Record(record));
            }
            Some(alias) => drop(self.typedefs.insert(name.into(), alias)),
            None => drop(self.typedefs.remove(name)),
        }
    }

    fn define(&mut self, s: &StructType, span: ByteSpan, types: &Types, text: &Preprocessed) -> usize {
        let tag = s.identifier.as_ref().map(|tag| tag.node.name.clone());
        let is_union = s.kind.node == StructKind::Union;
        let mut record = Record {
            name: tag.as_ref().map_or("the structure".into(), |tag| format!("`struct {tag}`")),
            members: vec![],
            problem: is_union.then(|| "is a union: its members share memory".into()),
        };
        let end = text.end(span);
        let words = text.tokens.iter().filter(|token| span.start <= token.start && token.start < end + 2);
        if words.map(|token| token.text(&text.text)).any(|w| matches!(w, "__attribute__" | "_Alignas" | "_Atomic")) {
            record.problem = Some("has attributes, which may move its members".into());
        }
        for field in s.declarations.iter().flatten() {
            let StructDeclaration::Field(field) = &field.node else { continue };
            let specifiers = qualified(&field.node.specifiers);
            let inner = self.of(&specifiers, types, text);
            let base = match inner {
                Some(inner) => Base::Record(inner),
                None => Base::Number(types.of_specifiers(&specifiers)),
            };
            match &base {
                Base::Record(inner) => {
                    if let Some(problem) = &self.all[*inner].problem {
                        record.problem.get_or_insert(format!("holds {}, which {problem}", self.all[*inner].name));
                    }
                }
                Base::Number(ty) if ty.arithmetic().is_none() => {
                    record.problem.get_or_insert(format!("has a member of {ty}"));
                }
                Base::Number(_) => {}
            }
            let is_anonymous =
                matches!(specifiers[..], [Node { node: TypeSpecifier::Struct(s), .. }] if s.node.identifier.is_none());
            if let (Some(inner), true, true) = (inner, field.node.declarators.is_empty(), is_anonymous) {
                // An anonymous one: its members are this one's.
                let members = self.all[inner].members.clone();
                record.members.extend(members);
            }
            for declarator in &field.node.declarators {
                if declarator.node.bit_width.is_some() {
                    record.problem = Some("has bit-fields".into());
                }
                let Some(declarator) = &declarator.node.declarator else { continue };
                let Some(name) = identifier(&declarator.node) else { continue };
                let name = name.node.name.clone();
                match extents(declarator) {
                    Some(extents) => record.members.push(Member { name, base: base.clone(), extents }),
                    None => {
                        record.problem = Some(format!("has the member `{name}`, which is a pointer or has no extent"));
                    }
                }
            }
        }
        if record.members.is_empty() {
            record.problem.get_or_insert("has no members".into());
        }
        self.all.push(record);
        let number = self.all.len() - 1;
        if self.all[number].problem.is_none() && self.leaves(&Base::Record(number)).is_none() {
            self.all[number].problem = Some("is very large".into());
        }
        if let Some(tag) = tag {
            self.tags.insert(tag, number);
        }
        number
    }

    /// How many numbers there are in a value.
    pub fn leaves(&self, base: &Base) -> Option<u64> {
        let Base::Record(record) = base else { return Some(1) };
        let mut all = 0u64;
        for member in &self.all[*record].members {
            let each = self.leaves(&member.base)?;
            all = member.extents.iter().try_fold(each, |n, extent| n.checked_mul(*extent))?.checked_add(all)?;
        }
        Some(all).filter(|all| (1..=LARGEST).contains(all))
    }

    /// The array that a structure whose numbers are all of one type is.
    pub fn shape(&self, base: &Base) -> Result<Shape, String> {
        let record = match base {
            Base::Number(ty) => return Ok(Shape { extents: vec![], element: ty.clone(), is_uniform: true }),
            Base::Record(record) => &self.all[*record],
        };
        if let Some(problem) = &record.problem {
            return Err(format!("{} {problem}", record.name));
        }
        let mut rows: Vec<Vec<u64>> = vec![];
        let mut element: Option<CType> = None;
        for member in &record.members {
            let inner = self.shape(&member.base)?;
            match &element {
                Some(known) if !is_alike(known, &inner.element) => {
                    return Err(format!("{} has members of several types: {known} and {}", record.name, inner.element));
                }
                Some(_) => {}
                None => element = Some(inner.element),
            }
            rows.push([member.extents.clone(), inner.extents].concat());
        }
        let element = element.ok_or("it has no members")?;
        // Short rows are one: a structure is loaded at once. Of long ones, cells that belong together are not far apart.
        let is_uniform = rows.iter().all(|row| *row == rows[0])
            && (rows[0].is_empty() || rows.len() == 1 || rows[0].iter().product::<u64>() >= LONG);
        let extents = match (is_uniform, rows.len()) {
            (true, 1) => rows.remove(0),
            (true, count) => [vec![count as u64], rows.remove(0)].concat(),
            (false, _) => vec![rows.iter().map(|row| row.iter().product::<u64>()).sum()],
        };
        Ok(Shape { extents, element, is_uniform })
    }

    pub fn member(&self, record: usize, name: &str) -> Option<usize> {
        self.all[record].members.iter().position(|member| member.name == name)
    }
}

/// Whether numbers of both types have the same cells: integers of one width do.
fn is_alike(a: &CType, b: &CType) -> bool {
    match (a, b) {
        (CType::Int(a), CType::Int(b)) => a.bits == b.bits,
        _ => a == b,
    }
}

/// The extents of a member; `None` for pointers and extents that are no constants.
fn extents(declarator: &Node<Declarator>) -> Option<Vec<u64>> {
    let parts = derived(declarator).into_iter().map(|part| match &part.node {
        DerivedDeclarator::Array(array) => match &array.node.size {
            ArraySize::VariableExpression(size) => constant(size).filter(|size| *size > 0).map(|size| size as u64),
            _ => None,
        },
        _ => None,
    });
    parts.collect()
}

/// A constant expression of numbers.
pub fn constant(node: &Node<Expression>) -> Option<i64> {
    match &node.node {
        Expression::Constant(constant) => match &constant.node {
            Constant::Integer(integer) => match integer.base {
                lang_c::ast::IntegerBase::Decimal => integer.number.parse().ok(),
                lang_c::ast::IntegerBase::Hexadecimal => i64::from_str_radix(&integer.number, 16).ok(),
                _ => None,
            },
            _ => None,
        },
        Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Minus => {
            constant(&unary.node.operand)?.checked_neg()
        }
        Expression::BinaryOperator(o) => {
            let (left, right) = (constant(&o.node.lhs)?, constant(&o.node.rhs)?);
            match o.node.operator.node {
                BinaryOperator::Plus => left.checked_add(right),
                BinaryOperator::Minus => left.checked_sub(right),
                BinaryOperator::Multiply => left.checked_mul(right),
                BinaryOperator::Divide => left.checked_div(right),
                BinaryOperator::ShiftLeft => left.checked_mul(1i64.checked_shl(u32::try_from(right).ok()?)?),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The C name of a number's type.
pub fn type_words(ty: &CType) -> &'static str {
    match ty {
        CType::Bool => "_Bool",
        _ => match ty.arithmetic() {
            Some(ty) if ty.floating => {
                if ty.bits == 32 {
                    "float"
                } else {
                    "double"
                }
            }
            Some(ty) => match (ty.bits, ty.signed) {
                (8, true) => "signed char",
                (8, false) => "unsigned char",
                (16, true) => "short",
                (16, false) => "unsigned short",
                (32, true) => "int",
                (32, false) => "unsigned int",
                (_, true) => "long long",
                (_, false) => "unsigned long long",
            },
            None => "int",
        },
    }
}
