//! What an [`Expr`] is worth: C's arithmetic on integers that wrap, and IEEE 754's. The golden model of the datapath.

use super::float;
use crate::affine::Affine;

use super::kernel::{Access, BinaryOp, Expr, ScalarType, UnaryOp};

/// The value of `expr`. `read` gives an array element, `scalar` a scalar argument by its index in `Kernel::scalars`,
/// `index` an iterator or size parameter by name; values that do not fit their type wrap.
///
/// The result is normalised to `expr.ty()` as [`wrap`] does it: `uint64_t` is its bit pattern. `&&`, `||` and `?:`
/// evaluate no operand that C would not. Where C leaves the result undefined: `x / 0` is -1 (all ones), `x % 0` is
/// `x`, the smallest integer divided by -1 is itself with remainder 0, and only the low bits of a shift's right side
/// count.
pub fn evaluate(
    expr: &Expr,
    read: &mut dyn FnMut(&Access) -> i64,
    scalar: &dyn Fn(usize) -> i64,
    index: &dyn Fn(&str) -> i64,
) -> i64 {
    match expr {
        Expr::Constant { value, ty } => wrap(*value, *ty),
        Expr::Read { access, ty } => wrap(read(access), *ty),
        Expr::Scalar { scalar: number, ty } => wrap(scalar(*number), *ty),
        Expr::Index { value, ty } => {
            let sum = value.terms.iter().fold(value.constant, |sum, (name, &coefficient)| {
                sum.wrapping_add(coefficient.wrapping_mul(index(name)))
            });
            wrap(sum, *ty)
        }
        Expr::Unary { op, operand, ty } => {
            let x = evaluate(operand, read, scalar, index);
            if ty.floating { float::unary(*op, x, *ty) } else { wrap(unary(*op, x), *ty) }
        }
        Expr::Binary { op: BinaryOp::LogicalAnd, left, right, .. } => {
            (evaluate(left, read, scalar, index) != 0 && evaluate(right, read, scalar, index) != 0) as i64
        }
        Expr::Binary { op: BinaryOp::LogicalOr, left, right, .. } => {
            (evaluate(left, read, scalar, index) != 0 || evaluate(right, read, scalar, index) != 0) as i64
        }
        Expr::Binary { op, left, right, ty } => {
            let (x, y) = (evaluate(left, read, scalar, index), evaluate(right, read, scalar, index));
            if left.ty().floating {
                return float::binary(*op, x, y, left.ty());
            }
            wrap(binary(*op, x, y, left.ty()), *ty)
        }
        Expr::Select { condition, then, otherwise, ty } => {
            let branch = if evaluate(condition, read, scalar, index) != 0 { then } else { otherwise };
            wrap(evaluate(branch, read, scalar, index), *ty)
        }
        Expr::Cast { operand, ty } => {
            let x = evaluate(operand, read, scalar, index);
            let floats = ty.floating || operand.ty().floating;
            if floats { float::convert(x, operand.ty(), *ty) } else { wrap(x, *ty) }
        }
        Expr::Gather { gather, ty } => {
            let values = gather.subscripts.iter().map(|subscript| evaluate(subscript, read, scalar, index));
            let subscripts = values.map(Affine::constant).collect();
            let access = Access { array: gather.array, subscripts, guard: None, span: gather.span };
            wrap(read(&access), *ty)
        }
        Expr::Scatter { value, .. } | Expr::Masked { value, .. } => evaluate(value, read, scalar, index),
        Expr::Lookup { table, index: place } => wrap(table.at(evaluate(place, read, scalar, index)), table.element),
    }
}

/// The low `ty.bits` bits of `value`, sign- or zero-extended by `ty`'s signedness. All 64 bits of a `uint64_t` are
/// kept, so a value of 2⁶³ or more is a negative `i64`.
pub fn wrap(value: i64, ty: ScalarType) -> i64 {
    let unused = 64 - ty.bits.clamp(1, 64);
    if ty.signed { (value << unused) >> unused } else { (((value as u64) << unused) >> unused) as i64 }
}

fn unary(op: UnaryOp, x: i64) -> i64 {
    match op {
        UnaryOp::Negate => x.wrapping_neg(),
        UnaryOp::Complement => !x,
        UnaryOp::Not => (x == 0) as i64,
        UnaryOp::OutOfRange => x,
        UnaryOp::Absolute | UnaryOp::SquareRoot => unreachable!("operators of floating-point numbers"),
    }
}

/// `operand` is the left side's type, which is also the right side's except in shifts.
fn binary(op: BinaryOp, x: i64, y: i64, operand: ScalarType) -> i64 {
    let signed = operand.signed;
    let amount = (y as u32) & (operand.bits - 1);
    match op {
        BinaryOp::Add => x.wrapping_add(y),
        BinaryOp::Subtract => x.wrapping_sub(y),
        BinaryOp::Multiply => x.wrapping_mul(y),
        BinaryOp::Divide if y == 0 => -1,
        BinaryOp::Divide if signed => x.wrapping_div(y),
        BinaryOp::Divide => (x as u64 / y as u64) as i64,
        BinaryOp::Remainder if y == 0 => x,
        BinaryOp::Remainder if signed => x.wrapping_rem(y),
        BinaryOp::Remainder => (x as u64 % y as u64) as i64,
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::ShiftLeft => x << amount,
        BinaryOp::ShiftRight if signed => x >> amount,
        BinaryOp::ShiftRight => (x as u64 >> amount) as i64,
        BinaryOp::Less if signed => (x < y) as i64,
        BinaryOp::Less => ((x as u64) < y as u64) as i64,
        BinaryOp::LessEqual if signed => (x <= y) as i64,
        BinaryOp::LessEqual => (x as u64 <= y as u64) as i64,
        BinaryOp::Equal => (x == y) as i64,
        BinaryOp::NotEqual => (x != y) as i64,
        BinaryOp::LogicalAnd => (x != 0 && y != 0) as i64,
        BinaryOp::LogicalOr => (x != 0 || y != 0) as i64,
    }
}
