//! Floating-point values that are whole numbers on their way to an integer.
//!
//! Sums, differences and products of whole numbers below 2^53 are exact in `double`, so 64-bit integers compute the
//! same, in a smaller circuit; what is not provably whole and below that stays floating point. This serves integer
//! kernels that were written for floating point too: `mean[j] = 0.0;`, `cov[i][j] /= (float_n - 1.0);`.

use lang_c::ast::{BinaryOperator, Constant, Expression, Float, FloatBase, FloatFormat, UnaryOperator};
use lang_c::span::Node;

use super::expression::{binary, convert, convert_to};
use super::kernel::{BinaryOp, Expr, ScalarType};
use super::scope::{Checked, Scope};
use super::types::CType;
use crate::diagnostic::Diagnostic;

const WIDE: ScalarType = ScalarType::integer(64, true);
/// Whole numbers of at most this many bits are exact in `double`.
const EXACT: u32 = 53;
/// Let |a|, |b| < 2^33 and a/b not be whole. Then the next whole number is at least 1/|b| away from a/b, and `double`
/// rounds a/b by at most |a/b| 2^-53 < 2^-20/|b|; so truncation gives the same as C's integer division.
const DIVISIBLE: u32 = 33;

/// A `double` that is a whole number: its value as a 64-bit integer, below `2^bits` in absolute value.
pub struct Whole {
    expr: Expr,
    bits: u32,
}

impl Scope<'_> {
    /// Whether the expression's type is a floating-point type by its constants.
    pub fn is_double(&self, node: &Node<Expression>) -> bool {
        match &node.node {
            Expression::Constant(constant) => matches!(constant.node, Constant::Float(_)),
            Expression::UnaryOperator(unary) => {
                matches!(unary.node.operator.node, UnaryOperator::Plus | UnaryOperator::Minus)
                    && self.is_double(&unary.node.operand)
            }
            Expression::BinaryOperator(o) => {
                arithmetic(&o.node.operator.node).is_some()
                    && (self.is_double(&o.node.lhs) || self.is_double(&o.node.rhs))
            }
            Expression::Conditional(conditional) => {
                self.is_double(&conditional.node.then_expression) || self.is_double(&conditional.node.else_expression)
            }
            _ => false,
        }
    }

    /// A floating-point expression converted to the integer type `ty`.
    pub fn truncated(&mut self, node: &Node<Expression>, ty: &CType) -> Checked<Expr> {
        match &node.node {
            Expression::Constant(constant) => {
                let whole = match &constant.node {
                    Constant::Float(float) => whole_number(float),
                    _ => None,
                };
                let value = whole.ok_or_else(|| self.not_whole(node))?;
                Ok(convert_to(Expr::Constant { value, ty: WIDE }, ty))
            }
            Expression::BinaryOperator(o) if o.node.operator.node == BinaryOperator::Divide => {
                let (left, right) = (self.whole(&o.node.lhs)?, self.whole(&o.node.rhs)?);
                self.quotient_to(left, right, ty, &o.node.rhs)
            }
            _ => Ok(convert_to(self.whole(node)?.expr, ty)),
        }
    }

    /// `left op right`, one of them floating, converted to the integer type `ty`: a compound assignment.
    pub fn truncated_binary(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: &Node<Expression>,
        ty: &CType,
    ) -> Checked<Expr> {
        let left = self.whole_integer(left, right)?;
        let value = self.whole(right)?;
        match op {
            BinaryOp::Divide => self.quotient_to(left, value, ty, right),
            _ => Ok(convert_to(self.combined(op, left, value, right)?.expr, ty)),
        }
    }

    /// A comparison of two values, one of them floating.
    pub fn compared_doubles(
        &mut self,
        op: BinaryOp,
        left: &Node<Expression>,
        right: &Node<Expression>,
    ) -> Checked<Expr> {
        Ok(binary(op, self.whole(left)?.expr, self.whole(right)?.expr))
    }

    fn quotient_to(&mut self, left: Whole, right: Whole, ty: &CType, place: &Node<Expression>) -> Checked<Expr> {
        // 0.5 is true.
        if left.bits > DIVISIBLE || right.bits > DIVISIBLE || *ty == CType::Bool {
            return Err(self.not_whole(place));
        }
        Ok(convert_to(self.checked_binary(BinaryOp::Divide, left.expr, right.expr, place)?, ty))
    }

    fn whole(&mut self, node: &Node<Expression>) -> Checked<Whole> {
        if !self.is_double(node) {
            let value = self.expression(node)?;
            return self.whole_integer(value, node);
        }
        match &node.node {
            Expression::Constant(constant) => match &constant.node {
                // Arithmetic in `float` is exact to 24 bits only.
                Constant::Float(float) if float.suffix.format == FloatFormat::Double => match whole_number(float) {
                    Some(value) => {
                        let bits = 64 - value.unsigned_abs().leading_zeros();
                        Ok(Whole { expr: Expr::Constant { value, ty: WIDE }, bits })
                    }
                    None => Err(self.not_whole(node)),
                },
                _ => Err(self.not_whole(node)),
            },
            Expression::UnaryOperator(unary) => {
                let value = self.whole(&unary.node.operand)?;
                match unary.node.operator.node {
                    UnaryOperator::Minus => {
                        let zero = Expr::Constant { value: 0, ty: WIDE };
                        Ok(Whole { expr: binary(BinaryOp::Subtract, zero, value.expr), bits: value.bits })
                    }
                    _ => Ok(value),
                }
            }
            Expression::BinaryOperator(o) => {
                let (left, right) = (self.whole(&o.node.lhs)?, self.whole(&o.node.rhs)?);
                match arithmetic(&o.node.operator.node) {
                    Some(op) => self.combined(op, left, right, node),
                    None => Err(self.not_whole(node)),
                }
            }
            _ => Err(self.not_whole(node)),
        }
    }

    fn combined(&self, op: BinaryOp, left: Whole, right: Whole, node: &Node<Expression>) -> Checked<Whole> {
        let bits = match op {
            BinaryOp::Add | BinaryOp::Subtract => left.bits.max(right.bits) + 1,
            BinaryOp::Multiply => left.bits + right.bits,
            // A quotient is whole only where it becomes an integer at once.
            _ => return Err(self.not_whole(node)),
        };
        if bits > EXACT {
            return Err(self.not_whole(node));
        }
        Ok(Whole { expr: binary(op, left.expr, right.expr), bits })
    }

    fn whole_integer(&self, value: Expr, node: &Node<Expression>) -> Checked<Whole> {
        let ScalarType { bits, floating, .. } = value.ty();
        if bits > 32 || floating {
            return Err(self.not_whole(node));
        }
        Ok(Whole { expr: convert(value, WIDE), bits })
    }

    fn not_whole(&self, node: &Node<Expression>) -> Diagnostic {
        Diagnostic::new("a floating-point value that may not be a whole number: integers only for now")
            .at(self.span(node.span), "floating point")
            .help(
                "whole numbers such as `2.0` are understood in sums, differences and products with 32-bit integers, \
                 and in a division whose result becomes an integer at once; scale others to fixed point",
            )
    }
}

fn arithmetic(operator: &BinaryOperator) -> Option<BinaryOp> {
    match operator {
        BinaryOperator::Plus => Some(BinaryOp::Add),
        BinaryOperator::Minus => Some(BinaryOp::Subtract),
        BinaryOperator::Multiply => Some(BinaryOp::Multiply),
        BinaryOperator::Divide => Some(BinaryOp::Divide),
        _ => None,
    }
}

/// The constant's value, where it is a whole number of at most [`EXACT`] bits.
fn whole_number(float: &Float) -> Option<i64> {
    let value: f64 = float.number.parse().ok()?;
    let is_plain = float.base == FloatBase::Decimal && !float.suffix.imaginary;
    (is_plain && value.fract() == 0.0 && value.abs() < (1i64 << EXACT) as f64).then_some(value as i64)
}
