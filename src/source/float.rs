//! Arithmetic of `float` and `double` on the bits of their encodings, rounded to nearest even as C's `FLT_EVAL_METHOD` 0
//! has it.

use super::evaluate::wrap;
use super::kernel::{BinaryOp, ScalarType, UnaryOp};

/// The bits of a number: 32 bits of an `f32`, zero-extended, or those of an `f64`.
fn bits_of(value: f64, ty: ScalarType) -> i64 {
    match ty.bits {
        32 => i64::from((value as f32).to_bits()),
        _ => value.to_bits() as i64,
    }
}

/// The value of a number's bits; every `f32` is an `f64`.
fn value_of(bits: i64, ty: ScalarType) -> f64 {
    match ty.bits {
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits as u64),
    }
}

/// The encoding of 0.
pub const ZERO: i64 = 0;

/// `op` of a number of type `ty`.
pub fn unary(op: UnaryOp, x: i64, ty: ScalarType) -> i64 {
    let sign = 1i64 << (ty.bits - 1);
    match op {
        UnaryOp::Negate => x ^ sign,
        UnaryOp::Absolute => x & !sign,
        // The root of an `f32`, computed in `f64` and rounded, is the correctly rounded one (Figueroa 1995).
        UnaryOp::SquareRoot => bits_of(value_of(x, ty).sqrt(), ty),
        UnaryOp::Complement | UnaryOp::Not | UnaryOp::OutOfRange => unreachable!("operators of integers"),
    }
}

/// `x op y` of two numbers of type `ty`; a comparison gives 0 or 1.
pub fn binary(op: BinaryOp, x: i64, y: i64, ty: ScalarType) -> i64 {
    let (x, y) = (value_of(x, ty), value_of(y, ty));
    // One operation of `f32`s in `f64`, rounded, is the correctly rounded one, too.
    match op {
        BinaryOp::Add => bits_of(x + y, ty),
        BinaryOp::Subtract => bits_of(x - y, ty),
        BinaryOp::Multiply => bits_of(x * y, ty),
        BinaryOp::Divide => bits_of(x / y, ty),
        BinaryOp::Less => (x < y) as i64,
        BinaryOp::LessEqual => (x <= y) as i64,
        BinaryOp::Equal => (x == y) as i64,
        BinaryOp::NotEqual => (x != y) as i64,
        _ => unreachable!("operators of integers"),
    }
}

/// `x` of type `from` as one of type `to`, one of which is a floating-point type. What C leaves undefined is some value.
pub fn convert(x: i64, from: ScalarType, to: ScalarType) -> i64 {
    match (from.floating, to.floating) {
        (true, true) => bits_of(value_of(x, from), to),
        // An integer is rounded once.
        (false, _) => match (from.signed, to.bits) {
            (true, 32) => i64::from((x as f32).to_bits()),
            (false, 32) => i64::from((x as u64 as f32).to_bits()),
            (true, _) => (x as f64).to_bits() as i64,
            (false, _) => (x as u64 as f64).to_bits() as i64,
        },
        (true, false) if to.signed => wrap(value_of(x, from) as i64, to),
        (true, false) => wrap(value_of(x, from) as u64 as i64, to),
    }
}
