//! Latencies of the operators: those of the floating-point cells in `rtl-templates/`, which the order inside a tile counts
//! with and the datapath builds by, and those of integers.

use crate::source::kernel::{Access, BinaryOp, Expr, Gather, ScalarType, UnaryOp};

/// Bits of the exponent and, with the hidden one, of the significand.
pub fn format(ty: ScalarType) -> (u32, u32) {
    match ty.bits {
        32 => (8, 24),
        _ => (11, 53),
    }
}

/// Cycles of a sum.
pub fn add_latency(ty: ScalarType) -> u32 {
    // The longer shifter of a `double` takes one more.
    if ty.bits == 32 { 8 } else { 9 }
}

/// Cycles of a product.
pub fn multiply_latency(ty: ScalarType) -> u32 {
    // A `double` with a subnormal factor may have 32 zeros in front and more, which one more looks at.
    if ty.bits == 32 { 9 } else { 10 }
}

/// Cycles of a product by a power of two, and of such a quotient.
pub const SCALE: u32 = 2;
/// Cycles of a comparison.
pub const COMPARE: u32 = 1;
/// Cycles of the conversion of an integer.
pub const FROM_INT: u32 = 4;
/// Cycles of the conversion to an integer.
pub const TO_INT: u32 = 3;
/// Cycles from `float` to `double`.
pub const WIDEN: u32 = 2;
/// Cycles from `double` to `float`.
pub const NARROW: u32 = 5;

/// Cycles of a quotient: a bit each, and what is around them.
pub fn divide_latency(ty: ScalarType) -> u32 {
    format(ty).1 + 2 + 6
}

/// Cycles of a square root.
pub fn root_latency(ty: ScalarType) -> u32 {
    format(ty).1 + 1 + 3
}

/// `operand * 2^power`, or its negative, of floating-point numbers: no multiplier makes it.
pub struct Scaling<'a> {
    pub operand: &'a Expr,
    pub power: i32,
    pub negative: bool,
}

/// Powers of two that `fp_scale` takes, but for 0; by others it is larger than a product.
const POWERS: std::ops::RangeInclusive<i32> = -16..=3;

/// The product by a constant that is a power of two, or the quotient by one, at the top of `expr`: rounded once either way (IEEE
/// 754-2019 4.3), so both are the same number as the operand with another exponent.
pub fn scaling(expr: &Expr) -> Option<Scaling<'_>> {
    let Expr::Binary { op, left, right, ty } = expr else { return None };
    if !ty.floating {
        return None;
    }
    let (operand, (power, negative)) = match op {
        BinaryOp::Multiply => match power_of_two(right) {
            Some(power) => (left, power),
            None => (right, power_of_two(left)?),
        },
        BinaryOp::Divide => {
            let (power, negative) = power_of_two(right)?;
            (left, (-power, negative))
        }
        _ => return None,
    };
    (power != 0 && POWERS.contains(&power)).then_some(Scaling { operand, power, negative })
}

/// The exponent of a normal constant that is a power of two or the negative of one, and whether it is that.
fn power_of_two(expr: &Expr) -> Option<(i32, bool)> {
    let Expr::Constant { value, ty } = expr else { return None };
    let (exponent_bits, significand) = format(*ty);
    let bits = if ty.bits == 32 { u64::from(*value as u32) } else { *value as u64 };
    let fraction = bits & ((1 << (significand - 1)) - 1);
    let exponent = (bits >> (significand - 1)) as i32 & ((1 << exponent_bits) - 1);
    let is_normal = exponent > 0 && exponent < (1 << exponent_bits) - 1;
    let bias = (1 << (exponent_bits - 1)) - 1;
    (fraction == 0 && is_normal).then_some((exponent - bias, bits >> (ty.bits - 1) & 1 == 1))
}

/// Cycles of the operator at the top of `expr`, where it takes or gives floating-point numbers; 0 for others, and for
/// those that only change a sign.
pub fn latency(expr: &Expr) -> u32 {
    match expr {
        _ if scaling(expr).is_some() => SCALE,
        Expr::Unary { op: UnaryOp::SquareRoot, ty, .. } => root_latency(*ty),
        Expr::Binary { op, left, .. } if left.ty().floating => match op {
            BinaryOp::Add | BinaryOp::Subtract => add_latency(left.ty()),
            BinaryOp::Multiply => multiply_latency(left.ty()),
            BinaryOp::Divide => divide_latency(left.ty()),
            _ => COMPARE,
        },
        Expr::Cast { operand, ty } => match (operand.ty().floating, ty.floating) {
            (false, false) => 0,
            (false, true) => FROM_INT,
            (true, false) => TO_INT,
            (true, true) if operand.ty().bits < ty.bits => WIDEN,
            (true, true) => NARROW,
        },
        _ => 0,
    }
}

/// Cycles of the operators between the reads that `is_meant` tells and the value of `expr`, the most of all such reads; `None`
/// where it has none. `cycles` is what one operator takes: [`latency`] or [`cycles`].
pub fn behind(expr: &Expr, is_meant: &impl Fn(&Access) -> bool, cycles: fn(&Expr) -> u32) -> Option<u32> {
    match expr {
        Expr::Read { access, .. } => is_meant(access).then_some(0),
        _ => {
            let operands = expr.operands().into_iter().filter_map(|operand| behind(operand, is_meant, cycles));
            Some(operands.max()? + cycles(expr))
        }
    }
}

/// Whether it has an operator that takes one instance at a time.
pub fn is_serial(expr: &Expr) -> bool {
    let own = matches!(expr, Expr::Binary { op: BinaryOp::Divide | BinaryOp::Remainder, ty, .. } if !ty.floating);
    own || expr.operands().into_iter().any(is_serial)
}

/// Cycles of a product of integers, of which one or three multiplier blocks make the low `bits`: operands, product and
/// result have registers.
pub fn product_latency(bits: u32) -> u32 {
    // A register on each side of the blocks.
    if in_halves(bits) { MULTIPLY + 2 } else { MULTIPLY }
}

/// Cycles of a product of one multiplier block.
pub const MULTIPLY: u32 = 3;

/// Widest product of one multiplier block.
const BLOCK: u32 = 18;

/// Bits of the halves of a product that takes several blocks.
pub const HALF: u32 = 16;

/// Whether a product of so many bits takes several blocks, which multiply halves.
pub fn in_halves(bits: u32) -> bool {
    bits > BLOCK && bits <= 2 * HALF
}

/// Cycles of a table: its memory, and a register behind it.
pub const LOOKUP: u32 = 2;

/// Cycles from subscripts that depend on data to the word: the address, the memory and the word have registers.
pub const GATHER: u32 = 3;

/// Cycles of a serial division beyond one per bit.
pub const SERIAL_OVERHEAD: u32 = 2;

/// Operators in a row between the word that an update at subscripts that depend on data reads and its new value that make one
/// cycle, at most: a comparison and a choice.
const MOST_IN_A_ROW: u32 = 2;

/// Whether the word at `place` is in `expr`.
pub fn reads_at(expr: &Expr, place: &Gather) -> bool {
    expr.gathers().iter().any(|gather| gather.is_same(place))
}

/// Whether nothing but the word at `place` is read at subscripts that depend on data.
pub fn is_unconditional(expr: &Expr, place: &Gather) -> bool {
    expr.gathers().iter().all(|gather| gather.is_same(place))
}

/// Whether a value follows from the word at `place` within a cycle, so that updates take turns at one per cycle.
pub fn is_quick(expr: &Expr, place: &Gather) -> bool {
    in_a_row(expr, place).is_some_and(|count| count <= MOST_IN_A_ROW)
}

/// The operators in a row behind the word at `place`; `None` where one takes more than a cycle.
fn in_a_row(expr: &Expr, place: &Gather) -> Option<u32> {
    if !reads_at(expr, place) {
        return Some(0);
    }
    let operands = expr.operands();
    if expr.ty().floating || operands.iter().any(|operand| operand.ty().floating) {
        return None;
    }
    let own = match expr {
        Expr::Gather { gather, .. } if gather.is_same(place) => return Some(0),
        Expr::Cast { .. } | Expr::Unary { op: UnaryOp::Complement, .. } => 0,
        Expr::Select { .. } if is_unconditional(expr, place) => 1,
        Expr::Binary {
            op:
                BinaryOp::Add
                | BinaryOp::Subtract
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Equal
                | BinaryOp::NotEqual,
            ..
        } => 1,
        _ => return None,
    };
    let before = operands.into_iter().map(|operand| in_a_row(operand, place)).collect::<Option<Vec<u32>>>()?;
    Some(own + before.into_iter().max().unwrap_or(0))
}

/// Whether a division by a variable is in `expr`.
pub fn divides(expr: &Expr) -> bool {
    let own = match expr {
        Expr::Binary { op: BinaryOp::Divide | BinaryOp::Remainder, right, ty, .. } if !ty.floating => {
            !matches!(**right, Expr::Constant { .. })
        }
        _ => false,
    };
    own || expr.operands().into_iter().any(divides)
}

/// The cycles from an update at subscripts that depend on data to the next one; `None` where the statement is none.
pub fn update_cycles(value: &Expr) -> Option<u32> {
    fn behind(expr: &Expr, place: &Gather) -> Option<u32> {
        if let Expr::Gather { gather, .. } = expr
            && gather.is_same(place)
        {
            return Some(GATHER);
        }
        let operands = expr.operands().into_iter().filter_map(|operand| behind(operand, place));
        Some(operands.max()? + cycles(expr))
    }
    let Expr::Scatter { place, only_if, value: new } = value else { return None };
    let is_free = only_if.as_ref().is_none_or(|only_if| !reads_at(only_if, place));
    let all = behind(value, place)?;
    Some(if is_free && !divides(new) && is_quick(new, place) { 1 } else { all })
}

/// Cycles of the operators of `expr` one behind the other, from its operands to its value.
pub fn depth(expr: &Expr) -> u32 {
    cycles(expr) + expr.operands().into_iter().map(depth).max().unwrap_or(0)
}

/// Cycles of the operator at the top of `expr` in the datapath, of any type; operands of integers have all bits of theirs.
pub fn cycles(expr: &Expr) -> u32 {
    fn bits(expr: &Expr) -> u32 {
        match expr {
            Expr::Cast { operand, ty } if !operand.ty().floating => bits(operand).min(ty.bits),
            _ => expr.ty().bits,
        }
    }
    let floating = latency(expr);
    match expr {
        _ if floating > 0 => floating,
        // Signs are wires.
        Expr::Unary { ty, .. } if ty.floating => 0,
        Expr::Unary { op: UnaryOp::Complement, .. } | Expr::Cast { .. } => 0,
        Expr::Unary { .. } | Expr::Select { .. } => 1,
        Expr::Binary { op: BinaryOp::Multiply, ty, .. } => product_latency(ty.bits),
        Expr::Binary { op: BinaryOp::Divide | BinaryOp::Remainder, left, right, .. } => match &**right {
            Expr::Constant { value, .. } if value.count_ones() == 1 => 0,
            Expr::Constant { .. } => MULTIPLY,
            right => bits(left).max(bits(right)) + SERIAL_OVERHEAD,
        },
        Expr::Binary { .. } => 1,
        Expr::Lookup { .. } => LOOKUP,
        Expr::Gather { .. } => GATHER,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(value: f64, ty: ScalarType) -> Expr {
        let bits = if ty.bits == 32 { i64::from((value as f32).to_bits() as i32) } else { value.to_bits() as i64 };
        Expr::Constant { value: bits, ty }
    }

    fn binary(op: BinaryOp, left: Expr, right: Expr, ty: ScalarType) -> Expr {
        Expr::Binary { op, left: Box::new(left), right: Box::new(right), ty }
    }

    /// Against the processor: what is scaled by is what the factor, or the divisor, does to 3.
    #[test]
    fn products_and_quotients_of_powers_of_two_are_scaled() {
        for ty in [ScalarType::FLOAT, ScalarType::DOUBLE] {
            let x = || Expr::Scalar { scalar: 0, ty };
            let mut scaled = 0;
            for power in -200..200 {
                for value in [1.0, -1.0, 1.5, 3.0].map(|factor: f64| factor * 2f64.powi(power)) {
                    let by = || constant(value, ty);
                    let all = [
                        (binary(BinaryOp::Multiply, x(), by(), ty), 3.0 * value),
                        (binary(BinaryOp::Multiply, by(), x(), ty), 3.0 * value),
                        (binary(BinaryOp::Divide, x(), by(), ty), 3.0 / value),
                    ];
                    for (expr, expected) in all {
                        let Some(Scaling { operand, power, negative }) = scaling(&expr) else { continue };
                        let sign = if negative { -1.0 } else { 1.0 };
                        assert_eq!(sign * 3.0 * 2f64.powi(power), expected, "{value}");
                        assert!(matches!(operand, Expr::Scalar { .. }) && latency(&expr) == SCALE);
                        scaled += 1;
                    }
                }
            }
            // 19 powers, of either sign, in three places.
            assert_eq!(scaled, 19 * 2 * 3);
            // What the variable divides is no power of it, and neither is infinity, zero or a number of another sum.
            let quotient = binary(BinaryOp::Divide, constant(2.0, ty), x(), ty);
            let sum = binary(BinaryOp::Add, x(), constant(2.0, ty), ty);
            let product = |value| binary(BinaryOp::Multiply, x(), constant(value, ty), ty);
            for other in [quotient, sum, product(f64::INFINITY), product(0.0), product(-0.0), product(f64::NAN)] {
                assert!(scaling(&other).is_none() && latency(&other) != SCALE, "{other:?}");
            }
        }
    }
}
