//! Rows and columns by division, and comparisons of places in many rows.

use lang_c::ast::{
    BinaryOperator, CastExpression, Constant, Expression, IntegerSize, SpecifierQualifier, TypeName, TypeSpecifier,
};
use lang_c::span::Node;

use super::super::canonical::names_in;
use super::super::expression::{common, promoted};
use super::super::kernel::ScalarType;
use super::super::nest::operation;
use super::super::plain::{binary, number};
use super::super::polynomial::Polynomial;
use super::Known;

impl Known<'_> {
    /// Writes what a variable gets as a sum of variables, where it is one of products.
    pub fn linear(&mut self, node: &mut Node<Expression>, value: Option<&Polynomial>) {
        let Some(value) = value.filter(|value| value.is_plain() && !value.has_products()) else { return };
        let is_product = Polynomial::of(node, self, false).is_some_and(|own| own.has_products());
        if is_product
            && self.is_exact(node)
            && let Some(ty) = self.type_of(node)
        {
            self.replaced.extend(names_in(node));
            *node = cast(value.expression(node.span), ty);
        }
    }

    /// A comparison of a place in many rows with the beginning of one, as one of rows; with 0, as one of the row and the place in it.
    pub fn compared(&self, node: &Node<Expression>) -> Option<Node<Expression>> {
        let (operator, o) = operation(node)?;
        let is_of_rows = match operator {
            BinaryOperator::Less | BinaryOperator::GreaterOrEqual => true,
            BinaryOperator::Greater
            | BinaryOperator::LessOrEqual
            | BinaryOperator::Equals
            | BinaryOperator::NotEquals => false,
            _ => return None,
        };
        if !self.is_exact(&o.lhs) || !self.is_exact(&o.rhs) {
            return None;
        }
        let (left, right) = (self.value_of(&o.lhs)?, self.value_of(&o.rhs)?);
        let is_signed = common(self.type_of(&o.lhs)?, self.type_of(&o.rhs)?).signed;
        if !(is_signed || self.is_not_negative(&left) && self.is_not_negative(&right)) {
            return None;
        }
        let difference = left.plus(&right, -1)?;
        if !difference.has_products() || !difference.is_plain() {
            return None;
        }
        let mut sizes = self.wanted.products.iter().flatten();
        let (row, [rows, rest]) = sizes.find_map(|size| {
            let row = Polynomial::variable(size);
            let parts = difference.divided(&row)?;
            let is_flat = parts.iter().all(|part| !part.has_products() && !part.mentions(size));
            (is_flat && self.is_below(&parts[1], &row)).then_some((row, parts))
        })?;
        // Rows without elements all begin in one place.
        let has_elements = !rest.is_zero() || self.ends.values().any(|end| *end == row);
        let value = match is_of_rows {
            true => rows,
            false => rows.plus(&rest, 1).filter(|_| self.is_not_negative(&rows))?,
        };
        // Each side is above 0 in whatever type it is computed.
        let [left, right] = value.sides()?;
        let are_not_negative = self.is_not_negative(&left) && self.is_not_negative(&right);
        let span = node.span;
        let is_same =
            matches!(operator, BinaryOperator::GreaterOrEqual | BinaryOperator::LessOrEqual | BinaryOperator::Equals);
        let of_rows = binary(operator, left.expression(span), right.expression(span), span);
        let of_none = |operator| binary(operator, row.expression(span), number("0", span), span);
        let compared = match (has_elements, is_same) {
            (true, _) => of_rows,
            (false, true) => binary(BinaryOperator::LogicalOr, of_rows, of_none(BinaryOperator::Equals), span),
            (false, false) => binary(BinaryOperator::LogicalAnd, of_rows, of_none(BinaryOperator::Greater), span),
        };
        are_not_negative.then_some(compared)
    }

    /// Whether a value is certainly from 0 to below the length of a row.
    pub fn is_below(&self, value: &Polynomial, row: &Polynomial) -> bool {
        let is_below = || {
            let one = Polynomial::constant(1);
            let largest = value.with(&|name| self.ends.get(name)?.plus(&one, -1))?;
            Some(self.is_not_negative(&row.plus(&largest, -1)?.plus(&one, -1)?))
        };
        value.is_zero() || self.is_not_negative(value) && is_below() == Some(true)
    }

    /// The type of an expression of integers, as far as C's conversions tell.
    pub fn type_of(&self, node: &Node<Expression>) -> Option<ScalarType> {
        match &node.node {
            Expression::Identifier(name) => {
                let all = self.declared.names.get(&name.node.name)?;
                let ty = all.first()?.ty?;
                all.iter().all(|own| own.is_number && own.ty == Some(ty)).then(|| promoted(ty))
            }
            Expression::Constant(_) => match Polynomial::of(node, self, false)?.as_constant()? {
                value if value <= i64::from(i32::MAX) && !is_suffixed(node) => Some(ScalarType::I32),
                _ => None,
            },
            Expression::Cast(cast) => self.types.of_name(&cast.node.type_name.node).integer().map(promoted),
            _ => match operation(node)? {
                (
                    BinaryOperator::Plus
                    | BinaryOperator::Minus
                    | BinaryOperator::Multiply
                    | BinaryOperator::Divide
                    | BinaryOperator::Modulo,
                    o,
                ) => Some(common(self.type_of(&o.lhs)?, self.type_of(&o.rhs)?)),
                _ => None,
            },
        }
    }

    /// Whether the value of an expression is that of the integers themselves: nothing in it wraps around.
    pub fn is_exact(&self, node: &Node<Expression>) -> bool {
        match &node.node {
            Expression::Identifier(name) => {
                self.values.get(&name.node.name).is_none_or(|value| self.made.contains(value))
            }
            Expression::Constant(_) => true,
            _ => match operation(node) {
                Some((BinaryOperator::Divide | BinaryOperator::Modulo, o)) => {
                    self.is_exact(&o.lhs) && self.is_exact(&o.rhs)
                }
                Some((BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply, o)) => {
                    let is_signed = self.type_of(node).is_some_and(|ty| ty.signed);
                    is_signed && self.is_exact(&o.lhs) && self.is_exact(&o.rhs)
                }
                _ => false,
            },
        }
    }
}

/// Whether a constant is of another type than its digits say.
fn is_suffixed(node: &Node<Expression>) -> bool {
    match &node.node {
        Expression::Constant(constant) => match &constant.node {
            Constant::Integer(integer) => integer.suffix.unsigned || integer.suffix.size != IntegerSize::Int,
            _ => true,
        },
        _ => true,
    }
}

/// An integer of one of C's arithmetic types.
pub fn cast(value: Node<Expression>, ty: ScalarType) -> Node<Expression> {
    let span = value.span;
    let mut words = vec![if ty.signed { TypeSpecifier::Signed } else { TypeSpecifier::Unsigned }];
    words.extend(match ty.bits {
        8 => vec![TypeSpecifier::Char],
        16 => vec![TypeSpecifier::Short],
        64 => vec![TypeSpecifier::Long, TypeSpecifier::Long],
        _ => vec![TypeSpecifier::Int],
    });
    let specifier = |word| Node::new(SpecifierQualifier::TypeSpecifier(Node::new(word, span)), span);
    let type_name = TypeName { specifiers: words.into_iter().map(specifier).collect(), declarator: None };
    let own = CastExpression { type_name: Node::new(type_name, span), expression: Box::new(value) };
    Node::new(Expression::Cast(Box::new(Node::new(own, span))), span)
}
