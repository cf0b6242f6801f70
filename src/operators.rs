//! Latencies of the floating-point cells in `rtl-templates/`, which the order inside a tile counts with and the datapath
//! builds by.

use crate::source::kernel::{BinaryOp, Expr, ScalarType, UnaryOp};

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

/// Cycles of the operator at the top of `expr`, where it takes or gives floating-point numbers; 0 for others, and for
/// those that only change a sign.
pub fn latency(expr: &Expr) -> u32 {
    match expr {
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
