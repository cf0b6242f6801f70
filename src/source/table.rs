//! Tables of constants: `static const int8_t w[3] = {1, 2, 1};`. They take no memory: an element is a choice between
//! constants by its subscripts.

use lang_c::ast::{
    ArraySize, BinaryOperator, Declaration, DerivedDeclarator, Expression, ExternalDeclaration, InitDeclarator,
    Initializer, InitializerListItem, TranslationUnit,
};
use lang_c::span::Node;

use super::expression::{binary, convert};
use super::extremum::Extremum;
use super::function::{derived, identifier};
use super::kernel::{BinaryOp, Broken, Expr, ScalarType};
use super::scope::{Checked, Name, Scope};
use super::types::{CType, is_const};
use crate::diagnostic::Diagnostic;

/// An array that never changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub name: String,
    ty: ScalarType,
    extents: Vec<i64>,
    /// Row-major, as [`Expr::Constant`] has them.
    values: Vec<i64>,
}

/// The most elements: every read chooses between all of them.
const LARGEST: i64 = 256;

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
        if !is_const(declaration) {
            return None;
        }
        let mut extents = vec![];
        for part in derived(&declarator.node.declarator) {
            let DerivedDeclarator::Array(array) = &part.node else { return None };
            extents.push(match &array.node.size {
                ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => self.constant(size).ok()?,
                _ if extents.is_empty() => items.len() as i64,
                _ => return None,
            });
        }
        let count = extents.iter().try_fold(1i64, |count, extent| count.checked_mul(*extent))?;
        if extents.is_empty() || !(1..=LARGEST).contains(&count) {
            return None;
        }
        let mut values = vec![0; count as usize];
        self.fill(items, &extents, &ty, &mut values)?;
        Some(Table { name, ty: ty.arithmetic()?, extents, values })
    }

    /// Puts an initializer's numbers in their places.
    fn fill(
        &mut self,
        items: &[Node<InitializerListItem>],
        extents: &[i64],
        ty: &CType,
        values: &mut [i64],
    ) -> Option<()> {
        let rest = extents.get(1..)?;
        let is_flat = items.iter().all(|item| matches!(item.node.initializer.node, Initializer::Expression(_)));
        let width = if is_flat { 1 } else { rest.iter().product::<i64>() as usize };
        let mut places = values.chunks_mut(width);
        for item in items {
            let place = places.next()?;
            if !item.node.designation.is_empty() {
                return None;
            }
            match &item.node.initializer.node {
                Initializer::Expression(value) if is_flat => match self.converted(value, ty).ok()? {
                    Expr::Constant { value, .. } => place[0] = value,
                    _ => return None,
                },
                Initializer::List(inner) => self.fill(inner, rest, ty, place)?,
                Initializer::Expression(_) => return None,
            }
        }
        Some(())
    }

    /// The table that an element is read of, if any.
    pub fn table_of(&self, node: &Node<Expression>) -> Option<Table> {
        let mut base = node;
        while let Expression::BinaryOperator(operation) = &base.node
            && operation.node.operator.node == BinaryOperator::Index
        {
            base = &operation.node.lhs;
        }
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
        let mut nodes = vec![];
        let mut base = node;
        while let Expression::BinaryOperator(operation) = &base.node
            && operation.node.operator.node == BinaryOperator::Index
        {
            nodes.push(&*operation.node.rhs);
            base = &operation.node.lhs;
        }
        nodes.reverse();
        if nodes.len() != table.extents.len() {
            return Err(Diagnostic::new(format!("the array `{}` is read with {} subscripts", table.name, nodes.len()))
                .at(self.span(node.span), format!("it has {} dimensions", table.extents.len()))
                .help("give one subscript for each dimension"));
        }
        let mut subscripts = vec![];
        for (node, &extent) in nodes.into_iter().zip(&table.extents) {
            let (subscript, span) = (self.expression(node)?, self.span(node.span));
            let (value, obligations) = self.trial(|scope| scope.exactly(&subscript, span).and_then(Extremum::affine));
            if let Some(value) = value {
                self.obligations.extend(obligations);
                let (low, high) = value.range(|name| self.known_range(name));
                if low < 0 || high >= extent {
                    self.oblige(value, (0, extent - 1), Broken::Leaves, span);
                }
            }
            subscripts.push(subscript);
        }
        Ok(table.element(&subscripts, &table.extents, &table.values))
    }
}

impl Table {
    fn element(&self, subscripts: &[Expr], extents: &[i64], values: &[i64]) -> Expr {
        let (Some((subscript, inner)), Some((_, rest))) = (subscripts.split_first(), extents.split_first()) else {
            return Expr::Constant { value: values[0], ty: self.ty };
        };
        let width = rest.iter().product::<i64>() as usize;
        let parts: Vec<Expr> = values.chunks(width).map(|part| self.element(inner, rest, part)).collect();
        match subscript {
            Expr::Constant { value, .. } if (0..parts.len() as i64).contains(value) => parts[*value as usize].clone(),
            _ => self.chosen(subscript, 0, &parts),
        }
    }

    /// The one of `parts`, of which the first has the number `first`, by halves.
    fn chosen(&self, subscript: &Expr, first: usize, parts: &[Expr]) -> Expr {
        if parts.iter().all(|part| *part == parts[0]) {
            return parts[0].clone();
        }
        let middle = parts.len() / 2;
        let at = Expr::Constant { value: (first + middle) as i64, ty: ScalarType::I32 };
        let condition = binary(BinaryOp::Less, subscript.clone(), convert(at, subscript.ty()));
        Expr::Select {
            condition: Box::new(condition),
            then: Box::new(self.chosen(subscript, first, &parts[..middle])),
            otherwise: Box::new(self.chosen(subscript, first + middle, &parts[middle..])),
            ty: self.ty,
        }
    }
}
