//! Tables of constants: `static const int8_t w[3] = {1, 2, 1};`. They take no memory of the board's: an element is read of
//! a memory with contents beside the datapath, at any subscript.

use std::sync::Arc;

use lang_c::ast::{
    ArraySize, Declaration, DerivedDeclarator, Designator, Expression, ExternalDeclaration, InitDeclarator,
    Initializer, InitializerListItem, TranslationUnit,
};
use lang_c::span::Node;

use super::expression::{binary, convert};
use super::extremum::Extremum;
use super::function::{derived, identifier};
use super::kernel::{self, BinaryOp, Broken, Expr, ScalarType};
use super::plain::subscripted;
use super::scope::{Checked, Name, Scope};
use super::types::{CType, is_const};
use crate::affine::Affine;
use crate::diagnostic::Diagnostic;

/// An array that never changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// As the user calls it.
    pub name: String,
    extents: Vec<i64>,
    contents: Arc<kernel::Table>,
}

/// The most elements: a million bits of an element of 64.
pub const LARGEST: i64 = 16_384;

/// What an item of an initializer gives values to: the place of the first one, and the extents of the array that it is; none
/// for an element.
struct Place<'e> {
    first: usize,
    extents: &'e [i64],
}

impl Scope<'_> {
    /// Makes the file's tables known.
    pub fn declare_tables(&mut self, unit: &TranslationUnit) {
        for external in &unit.0 {
            let ExternalDeclaration::Declaration(declaration) = &external.node else { continue };
            for declarator in &declaration.node.declarators {
                if let Some(table) = self.table(&declaration.node, declarator) {
                    self.declare_global(Name::Table(table));
                }
            }
        }
    }

    /// The table of a declaration; `None` where it is none, or too large.
    pub fn table(&mut self, declaration: &Declaration, declarator: &Node<InitDeclarator>) -> Option<Table> {
        let name = identifier(&declarator.node.declarator.node)?.node.name.clone();
        let Initializer::List(items) = &declarator.node.initializer.as_ref()?.node else { return None };
        let ty = self.types.of_declaration(&declaration.specifiers);
        let element = ty.arithmetic().filter(|_| is_const(declaration))?;
        let mut extents = vec![];
        for part in derived(&declarator.node.declarator) {
            let DerivedDeclarator::Array(array) = &part.node else { return None };
            extents.push(match &array.node.size {
                ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => self.constant(size).ok()?,
                // As long as the list says.
                _ if extents.is_empty() => 0,
                _ => return None,
            });
        }
        let width = extents.get(1..)?.iter().try_fold(1i64, |count, extent| count.checked_mul(*extent))?;
        if width < 1 {
            return None;
        }
        if extents[0] == 0 {
            let ends = self.places(items, &extents)?;
            let end = ends.iter().flatten().map(|place| place.first as i64 + volume(place.extents)).max()?;
            extents[0] = end.checked_add(width - 1)?.checked_div(width)?;
        }
        let count = width.checked_mul(extents[0]).filter(|count| (1..=LARGEST).contains(count))?;
        let mut values = vec![0; count as usize];
        self.fill(items, &extents, &ty, &mut values)?;
        let contents = self.contents(&name, element, values);
        Some(Table { name, extents, contents })
    }

    /// The contents under a name that no others have.
    fn contents(&mut self, name: &str, element: ScalarType, values: Vec<i64>) -> Arc<kernel::Table> {
        let own = |number: usize| if number == 0 { name.to_string() } else { format!("{name}_{number}") };
        for number in 0.. {
            let name = own(number);
            match self.tables.iter().find(|known| known.name.eq_ignore_ascii_case(&name)) {
                Some(known) if (known.element, &known.values) == (element, &values) => return known.clone(),
                Some(_) => {}
                None => {
                    self.tables.push(Arc::new(kernel::Table { name, element, values }));
                    break;
                }
            }
        }
        self.tables[self.tables.len() - 1].clone()
    }

    /// Where the items of an initializer belong, several places for a range. An extent of 0 is as long as it has to be.
    fn places<'e>(&mut self, items: &[Node<InitializerListItem>], extents: &'e [i64]) -> Option<Vec<Vec<Place<'e>>>> {
        let (is_open, all) = (extents.first() == Some(&0), volume(extents));
        let mut at = 0i64;
        let mut places = vec![];
        for item in items {
            let mut inner = extents;
            let mut firsts = vec![at];
            for designator in &item.node.designation {
                let (first, last) = match &designator.node {
                    Designator::Index(index) => [index, index].map(|index| self.constant(index).ok()).into(),
                    Designator::Range(range) => {
                        [&range.node.from, &range.node.to].map(|index| self.constant(index).ok()).into()
                    }
                    Designator::Member(_) => return None,
                };
                let (first, last) = (first?, last?);
                let (extent, rest) = inner.split_first()?;
                let is_inside =
                    0 <= first && first <= last && (last < *extent || inner.len() == extents.len() && is_open);
                if !is_inside || last - first > LARGEST {
                    return None;
                }
                let outer = if inner.len() == extents.len() { vec![0] } else { firsts };
                firsts = outer
                    .into_iter()
                    .flat_map(|begin| (first..=last).map(move |index| begin + index * volume(rest)))
                    .collect();
                inner = rest;
            }
            let is_list = matches!(item.node.initializer.node, Initializer::List(_));
            let shape = match (item.node.designation.is_empty(), is_list) {
                (true, true) => extents.get(1..)?,
                (false, true) => inner,
                (_, false) => &[],
            };
            // A list for an element beyond the begin of a row that has no braces is rare, and not read.
            let begin = *firsts.last()?;
            if begin % volume(shape) != 0 || (!is_open && begin + volume(shape) > all) || begin > LARGEST {
                return None;
            }
            places.push(firsts.iter().map(|first| Place { first: *first as usize, extents: shape }).collect());
            at = begin + volume(shape);
        }
        Some(places)
    }

    /// Puts an initializer's numbers in their places.
    fn fill(
        &mut self,
        items: &[Node<InitializerListItem>],
        extents: &[i64],
        ty: &CType,
        values: &mut [i64],
    ) -> Option<()> {
        // A number may have braces of its own.
        if let ([], [only]) = (extents, items) {
            let Initializer::Expression(value) = &only.node.initializer.node else { return None };
            values[0] = self.table_value(value, ty)?;
            return only.node.designation.is_empty().then_some(());
        }
        for (item, places) in items.iter().zip(self.places(items, extents)?) {
            for Place { first, extents } in places {
                match &item.node.initializer.node {
                    Initializer::Expression(value) => values[first] = self.table_value(value, ty)?,
                    Initializer::List(inner) => {
                        let own = &mut values[first..first + volume(extents) as usize];
                        own.fill(0);
                        self.fill(inner, extents, ty, own)?;
                    }
                }
            }
        }
        Some(())
    }

    fn table_value(&mut self, value: &Node<Expression>, ty: &CType) -> Option<i64> {
        match self.converted(value, ty).ok()? {
            Expr::Constant { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The table that an element is read of, if any.
    pub fn table_of(&self, node: &Node<Expression>) -> Option<Table> {
        let (base, _) = subscripted(node);
        match &base.node {
            Expression::Identifier(name) => match self.lookup(&name.node.name) {
                Some(Name::Table(table)) => Some(table),
                _ => None,
            },
            _ => None,
        }
    }

    /// An element of a table.
    pub fn table_read(&mut self, table: &Table, node: &Node<Expression>) -> Checked<Expr> {
        let (_, nodes) = subscripted(node);
        if nodes.len() != table.extents.len() {
            return Err(Diagnostic::new(format!("the array `{}` is read with {} subscripts", table.name, nodes.len()))
                .at(self.span(node.span), format!("it has {} dimensions", table.extents.len()))
                .help("give one subscript for each dimension"));
        }
        // The place among all elements, affine as long as its parts are.
        let (mut known, mut place): (Option<Affine>, Option<Expr>) = (Some(Affine::default()), None);
        for (node, &extent) in nodes.into_iter().zip(&table.extents) {
            let (subscript, span) = (self.expression(node)?, self.span(node.span));
            let (value, obligations) = self.trial(|scope| scope.exactly(&subscript, span).and_then(Extremum::affine));
            if let Some(value) = &value {
                self.obligations.extend(obligations);
                let (low, high) = value.range(|name| self.known_range(name));
                if low < 0 || high >= extent {
                    self.oblige(value.clone(), (0, extent - 1), Broken::Leaves, span);
                }
            }
            known = known.zip(value).map(|(outer, own)| outer * extent + own);
            let subscript = convert(subscript, ScalarType::I32);
            place = Some(match place {
                None => subscript,
                Some(outer) => {
                    let extent = Expr::Constant { value: extent, ty: ScalarType::I32 };
                    binary(BinaryOp::Add, binary(BinaryOp::Multiply, outer, extent), subscript)
                }
            });
        }
        let place = match (known, place) {
            (Some(value), _) if value.is_constant() => Expr::Constant { value: value.constant, ty: ScalarType::I32 },
            (Some(value), _) => Expr::Index { value, ty: ScalarType::I32 },
            (None, place) => place.unwrap_or(Expr::Constant { value: 0, ty: ScalarType::I32 }),
        };
        Ok(table.element(place))
    }
}

impl Table {
    /// The element at a place among all, of the type `int`.
    fn element(&self, index: Expr) -> Expr {
        let (values, ty) = (&self.contents.values, self.contents.element);
        let constant = |value: i64| Expr::Constant { value, ty };
        match &index {
            Expr::Constant { value, .. } => constant(self.contents.at(*value)),
            _ if values.iter().all(|value| *value == values[0]) => constant(values[0]),
            _ => Expr::Lookup { table: self.contents.clone(), index: Box::new(index) },
        }
    }
}

/// The most elements of a table whose values are looked at one by one where an affine value is wanted.
const SPREAD: usize = 256;

/// An element as choices between constants, by halves; `None` where there are too many.
pub fn spread(table: &kernel::Table, index: &Expr) -> Option<Expr> {
    fn chosen(ty: ScalarType, index: &Expr, first: usize, values: &[i64]) -> Expr {
        if values.iter().all(|value| *value == values[0]) {
            return Expr::Constant { value: values[0], ty };
        }
        let (low, high) = values.split_at(values.len() / 2);
        let middle = first + low.len();
        let at = Expr::Constant { value: middle as i64, ty: ScalarType::I32 };
        Expr::Select {
            condition: Box::new(binary(BinaryOp::Less, index.clone(), at)),
            then: Box::new(chosen(ty, index, first, low)),
            otherwise: Box::new(chosen(ty, index, middle, high)),
            ty,
        }
    }
    let is_small = table.values.len() <= SPREAD && !table.element.floating;
    is_small.then(|| chosen(table.element, index, 0, &table.values))
}

/// The elements of an array.
fn volume(extents: &[i64]) -> i64 {
    extents.iter().product()
}
