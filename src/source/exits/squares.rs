//! Loops that a square ends, at its root: `for (d = 2; d * d <= x; d++)` goes on while `d` is at most the root of the largest that `x`
//! can be, as its type says, or what it has been given.
//!
//! `i * i < n` ends at `i < n` at the latest, as no square of an integer is less than it.

use lang_c::ast::{BinaryOperator, Expression, FunctionDefinition, Statement};
use lang_c::span::Node;

use super::data::Data;
use super::ranges::{Ranges, changes_in};
use crate::source::canonical::names_in;
use crate::source::flat::constant;
use crate::source::kernel::ScalarType;
use crate::source::known::Declared;
use crate::source::left::offset_of;
use crate::source::nest::operation;
use crate::source::plain::{binary, number, variable};
use crate::source::types::Types;

/// The largest root that is looked for.
const MOST: i64 = 1 << 20;

pub struct Squares<'d> {
    declared: &'d Declared,
    types: &'d Types,
    ranges: Ranges<'d>,
}

/// A comparison of a square, `root * root < end`, or `<=`.
struct Square<'n> {
    /// `d`, or `d + 1`.
    root: &'n Node<Expression>,
    name: &'n str,
    factors: [&'n Node<Expression>; 2],
    end: &'n Node<Expression>,
    is_closed: bool,
}

impl<'d> Squares<'d> {
    pub fn of(function: &FunctionDefinition, declared: &'d Declared, types: &'d Types) -> Squares<'d> {
        Squares { declared, types, ranges: Ranges::of(function, declared) }
    }

    /// What holds wherever a condition of the loop `within` holds that compares a square, and counts: `i < n` of `i * i < n`, of what is no
    /// data, else a comparison with the root of the largest number. `None` where a product may come round.
    pub fn root(&self, part: &Node<Expression>, within: &Node<Statement>, data: &Data) -> Option<Node<Expression>> {
        let Square { root, name, factors, end, is_closed } = Square::of(part)?;
        let ty = self.declared.integer(name, 0).filter(|ty| ty.bits >= 32)?;
        let product = self.product(factors, ty)?;
        if names_in(end).iter().any(|own| own == name) || self.declared.has_address(name) {
            return None;
        }
        let is_signed = product.signed && names_in(part).iter().all(|name| self.declared.is_signed(name));
        let at_most = |operator, end| Some(binary(operator, root.clone(), end, part.span));
        if is_signed && constant(end).is_none() && !data.is_in(end) {
            let operator = if is_closed { BinaryOperator::LessOrEqual } else { BinaryOperator::Less };
            return at_most(operator, end.clone());
        }
        let (low, high) = self.ranges.value(end)?;
        let largest = high.checked_sub(i64::from(!is_closed))?.max(0).isqrt();
        let (_, most) = product.limits();
        let largest = match product.signed {
            // C knows no larger square.
            true if is_signed || low >= 0 => largest.min(most.isqrt()),
            // What goes beyond the root stops there, and does not come round.
            false if low >= 0 && self.stays(name, within, largest, most)? => largest,
            _ => return None,
        };
        let end = number(&largest.to_string(), part.span);
        (largest <= MOST).then(|| at_most(BinaryOperator::LessOrEqual, end)).flatten()
    }

    /// The type of a product of two factors of a type, of which some are converted.
    fn product(&self, factors: [&Node<Expression>; 2], own: ScalarType) -> Option<ScalarType> {
        let of = |factor: &Node<Expression>| match &factor.node {
            Expression::Cast(cast) => self.types.of_name(&cast.node.type_name.node).integer(),
            _ => Some(own),
        };
        let [one, other] = [of(factors[0])?, of(factors[1])?];
        let bits = one.bits.max(other.bits).max(32);
        let signed = [one, other].iter().all(|ty| ty.signed || ty.bits < bits);
        // What is cut off before is another number.
        let is_whole = [one, other].iter().all(|ty| ty.bits >= own.bits);
        is_whole.then_some(ScalarType { bits, signed, floating: false })
    }

    /// Whether the first value of a number without sign that is beyond `largest` has a square of at most `most`, if this loop alone moves it.
    fn stays(&self, name: &str, within: &Node<Statement>, largest: i64, most: i64) -> Option<bool> {
        let all = self.ranges.changes(name).filter(|all| all.less.is_empty())?;
        let moves_here = changes_in(within).get(name).map_or(0, |own| own.steps.len()) == all.steps.len();
        let begins = |value| self.ranges.value(value).is_some_and(|(low, high)| low >= 0 && high <= largest + 1);
        let furthest = largest.checked_add(all.steps.iter().copied().max()?.max(1))?.checked_pow(2)?;
        let is_up = all.steps.iter().all(|step| *step > 0);
        Some(is_up && moves_here && all.given.iter().all(begins) && furthest <= most)
    }
}

impl<'n> Square<'n> {
    fn of(part: &'n Node<Expression>) -> Option<Square<'n>> {
        let (operator, o) = operation(part)?;
        let (square, end) = match operator {
            BinaryOperator::Less | BinaryOperator::LessOrEqual => (&*o.lhs, &*o.rhs),
            BinaryOperator::Greater | BinaryOperator::GreaterOrEqual => (&*o.rhs, &*o.lhs),
            _ => return None,
        };
        let is_closed = matches!(operator, BinaryOperator::LessOrEqual | BinaryOperator::GreaterOrEqual);
        let (BinaryOperator::Multiply, product) = operation(square)? else { return None };
        let factors = [&*product.lhs, &*product.rhs];
        let [root, other] = factors.map(converted);
        let name = match operation(root) {
            Some((_, sum)) => variable(&sum.lhs).or(variable(&sum.rhs)),
            None => variable(root),
        }?;
        let by = offset_of(root, name).filter(|by| *by >= 0)?;
        (offset_of(other, name) == Some(by)).then_some(Square { root, name, factors, end, is_closed })
    }
}

/// What a conversion is made of.
fn converted(node: &Node<Expression>) -> &Node<Expression> {
    match &node.node {
        Expression::Cast(cast) => &cast.node.expression,
        _ => node,
    }
}
