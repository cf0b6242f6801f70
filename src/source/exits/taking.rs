//! How often loops run at most that take a constant from data until little is left: `while (y >= 360) y -= 360;`. The type tells how
//! much there can be, or what the variable is given before.

use lang_c::ast::{BinaryOperator, BlockItem, Expression, UnaryOperator};
use lang_c::span::Node;

use super::heads::conjuncts;
use super::nearing::{Nearing, changes_of, given, moves_by, step_in};
use super::reached::{behind, reached};
use crate::source::effects::is_truth;
use crate::source::flat::constant;
use crate::source::kernel::ScalarType;
use crate::source::known::Declared;
use crate::source::left::step_of;
use crate::source::nest::{is_name, operation};
use crate::source::plain::{subscripted, variable};

/// The most rounds of such a loop.
pub const MOST: i64 = 1 << 12;

/// The most that a variable may be of which nothing says it.
pub const ANY: i64 = i64::MAX;

impl Nearing<'_> {
    /// The most rounds of a loop that goes on while a variable that data gave a value is beyond a constant, and each of whose rounds brings
    /// it nearer by a constant.
    pub fn taking(&self) -> Option<i64> {
        conjuncts(self.condition).into_iter().find_map(|part| self.taking_by(part))
    }

    fn taking_by(&self, part: &Node<Expression>) -> Option<i64> {
        let (operator, o) = operation(part)?;
        let (name, end) = (variable(&o.lhs)?, constant(&o.rhs)?);
        // The last value with which the loop goes on.
        let (last, by) = match operator {
            BinaryOperator::Greater => (end.checked_add(1)?, -1),
            BinaryOperator::GreaterOrEqual => (end, -1),
            BinaryOperator::Less => (end.checked_sub(1)?, 1),
            BinaryOperator::LessOrEqual => (end, 1),
            _ => return None,
        };
        let ty = self.declared.integer(name, 0)?;
        let mut moving = self.body.iter().filter(|item| changes_of(item, name));
        let step = step_in(moving.next()?, name).filter(|step| step * by > 0)?;
        // A value beyond what the type holds would come round.
        let (least, most) = ty.limits();
        let stays = (least..=most).contains(&last.checked_add(step)?) && (least..=most).contains(&last);
        // Comparisons without sign are others.
        let is_plain = ty.signed || ty.bits < 32 || end >= 0;
        if moving.next().is_some() || !stays || !is_plain || self.declared.has_address(name) || self.continues() {
            return None;
        }
        let within = self.begins_within(name, by).unwrap_or((least, most));
        let begins = if by < 0 { within.1 } else { within.0 };
        let rounds = begins.checked_sub(last)?.checked_div(step.checked_neg()?)?.checked_add(1)?.max(0);
        (rounds <= MOST).then_some(rounds)
    }

    /// An interval that held a variable when it got its value, if it has only come nearer by constants since.
    fn begins_within(&self, name: &str, by: i64) -> Option<(i64, i64)> {
        let changes =
            |item: &Node<BlockItem>| changes_of(item, name) && !(self.goes_on(name) && moves_by(item, name, by));
        let last = self.before.iter().rposition(changes)?;
        let given = given(&self.before[last], name).and_then(|_| behind(self.declared, &self.before[..=last], name));
        given.or_else(|| reached(self.declared, self.before, name))
    }
}

/// An interval that holds a variable.
type Known<'k> = dyn Fn(&str) -> Option<(i64, i64)> + 'k;

/// What a statement adds to a variable, at least and at most, also where data tell: `i += size[i] + 1`. Of `i += i & -i`, which for 0 adds
/// nothing, ever, it is what it adds to others.
pub fn advance(declared: &Declared, node: &Node<Expression>, name: &str, known: &Known) -> Option<(i64, i64)> {
    if let Some(by) = step_of(node, name) {
        return Some((by, by));
    }
    let added = |value: &Node<Expression>| match is_last_bit(value, name) {
        true => Some((1, 1 << 30)),
        false => within_known(declared, value, known),
    };
    let taken = |value: &Node<Expression>| added(value).map(|(low, high)| (-high, -low));
    let (operator, o) = operation(node).filter(|(_, o)| is_name(&o.lhs, name))?;
    match operator {
        BinaryOperator::AssignPlus => added(&o.rhs),
        BinaryOperator::AssignMinus => taken(&o.rhs),
        BinaryOperator::Assign => rest(&o.rhs, name, &added),
        _ => None,
    }
}

/// An interval that holds a value.
type Within<'w> = dyn Fn(&Node<Expression>) -> Option<(i64, i64)> + 'w;

/// An interval that holds what a sum adds to a variable in it.
fn rest(sum: &Node<Expression>, name: &str, within: &Within) -> Option<(i64, i64)> {
    if is_name(sum, name) {
        return Some((0, 0));
    }
    let both = |a: (i64, i64), b: (i64, i64)| {
        let high = if a.1 == ANY || b.1 == ANY { ANY } else { a.1.checked_add(b.1)? };
        Some((a.0.checked_add(b.0)?, high))
    };
    match operation(sum)? {
        (BinaryOperator::Plus, o) => match rest(&o.lhs, name, within) {
            Some(first) => both(first, within(&o.rhs)?),
            None => both(within(&o.lhs)?, rest(&o.rhs, name, within)?),
        },
        (BinaryOperator::Minus, o) => {
            let (low, high) = within(&o.rhs)?;
            both(rest(&o.lhs, name, within).filter(|first| first.1 != ANY)?, (-high, -low))
        }
        _ => None,
    }
}

/// `v & -v`
pub fn is_last_bit(node: &Node<Expression>, name: &str) -> bool {
    let is_negative = |node: &Node<Expression>| {
        matches!(&node.node, Expression::UnaryOperator(unary)
            if unary.node.operator.node == UnaryOperator::Minus && is_name(&unary.node.operand, name))
    };
    matches!(operation(node), Some((BinaryOperator::BitwiseAnd, o))
        if is_name(&o.lhs, name) && is_negative(&o.rhs) || is_negative(&o.lhs) && is_name(&o.rhs, name))
}

/// An interval that holds a value, as far as masks, remainders and the types of elements tell.
pub fn within(declared: &Declared, value: &Node<Expression>) -> Option<(i64, i64)> {
    within_known(declared, value, &|_| None)
}

/// The same where more is known of variables, up to [`ANY`] only where no value without sign is in the expression.
pub fn within_known(declared: &Declared, value: &Node<Expression>, known: &Known) -> Option<(i64, i64)> {
    if let Some(value) = constant(value) {
        return Some((value, value));
    }
    let within = |value: &Node<Expression>| within_known(declared, value, known);
    let (base, subscripts) = subscripted(value);
    if let Some(name) = variable(base) {
        if let Some(found) = known(name).filter(|_| subscripts.is_empty()) {
            return Some(found);
        }
        let ty: ScalarType = declared.integer(name, subscripts.len())?;
        // The limits of the widest type leave out the upper half of its values.
        return (ty.signed || ty.bits < 64).then(|| ty.limits());
    }
    let (operator, o) = operation(value)?;
    let positive = |node: &Node<Expression>| within(node).filter(|(low, _)| *low >= 0);
    match operator {
        _ if is_truth(value) => Some((0, 1)),
        BinaryOperator::BitwiseAnd => {
            let masks = [positive(&o.lhs), positive(&o.rhs)];
            masks.into_iter().flatten().map(|(_, high)| (0, high)).min()
        }
        BinaryOperator::Modulo => {
            let by = constant(&o.rhs).filter(|by| *by > 0)?;
            Some((if positive(&o.lhs).is_some() { 0 } else { 1 - by }, by - 1))
        }
        BinaryOperator::ShiftRight => {
            let (low, high) = positive(&o.lhs)?;
            let by = constant(&o.rhs).filter(|by| (0..63).contains(by))?;
            Some((low >> by, high >> by))
        }
        BinaryOperator::BitwiseOr | BinaryOperator::BitwiseXor => {
            let all = (positive(&o.lhs)?.1 | positive(&o.rhs)?.1).unsigned_abs();
            // All bits up to the highest.
            Some((0, all.checked_add(1)?.next_power_of_two().checked_sub(1)?.try_into().ok()?))
        }
        BinaryOperator::Divide => {
            let (low, high) = positive(&o.lhs)?;
            let by = constant(&o.rhs).filter(|by| *by > 0)?;
            Some((low / by, high / by))
        }
        BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply => {
            let (a, b) = (within(&o.lhs)?, within(&o.rhs)?);
            let (low, high) = match operator {
                // No sum without sign comes here: what comes round is no value in C.
                BinaryOperator::Plus | BinaryOperator::Multiply if a.1 == ANY || b.1 == ANY => {
                    let is_sum = operator == BinaryOperator::Plus;
                    let low = if is_sum { a.0.checked_add(b.0)? } else { a.0.checked_mul(b.0)? };
                    return (a.0 >= 0 && b.0 >= 0).then_some((low, ANY));
                }
                BinaryOperator::Plus => (a.0.checked_add(b.0)?, a.1.checked_add(b.1)?),
                BinaryOperator::Multiply if a.0 >= 0 && b.0 >= 0 => (a.0.checked_mul(b.0)?, a.1.checked_mul(b.1)?),
                BinaryOperator::Multiply => return None,
                _ => (a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?),
            };
            // What an `int` holds; whether the type has a sign is not looked at.
            (low >= 0 && high <= i64::from(i32::MAX)).then_some((low, high))
        }
        _ => None,
    }
}
