//! Intervals of the values of expressions: what a division needs to know of its operands to be no larger than they are.

use crate::source::kernel::{BinaryOp, Expr, ScalarType, UnaryOp};

/// The smallest and the largest value.
pub type Interval = (i128, i128);

/// All values of a type.
pub fn of_type(ty: ScalarType) -> Interval {
    match ty.signed {
        true => (-(1 << (ty.bits - 1)), (1 << (ty.bits - 1)) - 1),
        false => (0, (1 << ty.bits) - 1),
    }
}

/// An interval that holds every value of `expr`.
pub fn of(expr: &Expr) -> Interval {
    let whole = of_type(expr.ty());
    if expr.ty().floating {
        return whole;
    }
    let (low, high) = match expr {
        Expr::Constant { value, ty } => {
            // All 64 bits of a `uint64_t` are kept in an `i64`.
            let value = if ty.signed { i128::from(*value) } else { i128::from(*value as u64) & whole.1 };
            (value, value)
        }
        Expr::Read { .. } | Expr::Scalar { .. } | Expr::Index { .. } | Expr::Gather { .. } => whole,
        Expr::Scatter { value, .. } | Expr::Masked { value, .. } => of(value),
        Expr::Lookup { table, .. } => {
            let values = table.values.iter().map(|value| match table.element.signed {
                true => i128::from(*value),
                false => i128::from(*value as u64) & whole.1,
            });
            // Beside its places a table is 0.
            values.fold((0, 0), |(low, high), value| (low.min(value), high.max(value)))
        }
        Expr::Unary { op, operand, .. } => match op {
            UnaryOp::Negate => {
                let (low, high) = of(operand);
                (-high, -low)
            }
            UnaryOp::Complement => whole,
            UnaryOp::Not | UnaryOp::OutOfRange => (0, 1),
            UnaryOp::Absolute | UnaryOp::SquareRoot => whole,
        },
        Expr::Cast { operand, .. } if operand.ty().floating => whole,
        Expr::Cast { operand, .. } => of(operand),
        Expr::Select { then, otherwise, .. } => {
            let (a, b) = (of(then), of(otherwise));
            (a.0.min(b.0), a.1.max(b.1))
        }
        Expr::Binary { op, left, right, .. } => binary(*op, of(left), of(right), whole),
    };
    // What leaves the type wraps, to anywhere.
    if whole.0 <= low && high <= whole.1 { (low, high) } else { whole }
}

fn binary(op: BinaryOp, a: Interval, b: Interval, whole: Interval) -> Interval {
    match op {
        BinaryOp::Add => (a.0 + b.0, a.1 + b.1),
        BinaryOp::Subtract => (a.0 - b.1, a.1 - b.0),
        BinaryOp::Multiply => {
            let corners = [a.0, a.1].into_iter().flat_map(|x| [b.0, b.1].map(|y| x.saturating_mul(y)));
            corners.fold((i128::MAX, i128::MIN), |(low, high), c| (low.min(c), high.max(c)))
        }
        // A conjunction is no larger than an operand that is not negative.
        BinaryOp::And if b.0 >= 0 && a.0 >= 0 => (0, a.1.min(b.1)),
        BinaryOp::And if b.0 >= 0 => (0, b.1),
        BinaryOp::And if a.0 >= 0 => (0, a.1),
        // The quotient is no further from 0 than the dividend; a divisor of 0 gives -1.
        BinaryOp::Divide if a.0 >= 0 && b.0 > 0 => (a.0 / b.1, a.1 / b.0),
        BinaryOp::Remainder if a.0 >= 0 => (0, a.1),
        BinaryOp::ShiftRight if a.0 >= 0 => (0, a.1),
        BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::LogicalAnd
        | BinaryOp::LogicalOr => (0, 1),
        _ => whole,
    }
}

/// Bits of a number that is not negative, at least 1.
pub fn bits(value: i128) -> u32 {
    (128 - value.leading_zeros()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ArrayId;
    use crate::source::evaluate::evaluate;
    use crate::source::kernel::Access;

    fn read(array: usize, ty: ScalarType) -> Expr {
        let array = ArrayId(array);
        Expr::Read { access: Access { array, subscripts: vec![], guard: None, span: Default::default() }, ty }
    }

    fn cast(operand: Expr, ty: ScalarType) -> Expr {
        Expr::Cast { operand: Box::new(operand), ty }
    }

    /// Every operator on all pairs of small operands, in every combination of types: the value lies in the interval.
    #[test]
    fn every_value_lies_in_its_interval() {
        let types = [(8, true), (8, false), (16, true), (32, true), (32, false), (64, true), (64, false)]
            .map(|(bits, signed)| ScalarType::integer(bits, signed));
        let samples = [-128i64, -127, -3, -1, 0, 1, 2, 77, 127, 128, 255, 40_000, i64::MIN, i64::MAX];
        let operators = [
            BinaryOp::Add,
            BinaryOp::Subtract,
            BinaryOp::Multiply,
            BinaryOp::Divide,
            BinaryOp::Remainder,
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Xor,
            BinaryOp::ShiftLeft,
            BinaryOp::ShiftRight,
            BinaryOp::Less,
        ];
        for (narrow, wide) in types.iter().flat_map(|n| types.map(|w| (*n, w))) {
            for op in operators {
                let operand = |array| Box::new(cast(read(array, narrow), wide));
                let ty = if op == BinaryOp::Less { ScalarType::I32 } else { wide };
                let expr = Expr::Binary { op, left: operand(0), right: operand(1), ty };
                let (low, high) = of(&expr);
                for (x, y) in samples.iter().flat_map(|x| samples.map(|y| (*x, y))) {
                    let value = evaluate(&expr, &mut |a| if a.array.0 == 0 { x } else { y }, &|_| 0, &|_| 0);
                    let value = if ty.signed { i128::from(value) } else { i128::from(value as u64) };
                    assert!(
                        (low..=high).contains(&value),
                        "{op:?} of {narrow} as {wide}: {value} not in {low}..{high}"
                    );
                }
            }
        }
    }
}
