//! Products, and the multipliers of 18 x 18 bits that they take.

use std::collections::BTreeMap;

use crate::offload::{Offload, ReductionOp};
use crate::operators;
use crate::source::kernel::{BinaryOp, Expr};

/// Products by the bits of their factors and of the result.
pub type Products = BTreeMap<[u32; 3], u64>;

/// Multipliers of 18 x 18 bits.
pub fn multipliers(all: &Products) -> u64 {
    all.iter().map(|([left, right, bits], count)| count * product(*left, *right, *bits)).sum()
}

/// Multipliers of a lane that joins products of lanes.
pub fn of_trees(offload: &Offload) -> u64 {
    let products = offload.reductions().filter(|reduction| reduction.operator == ReductionOp::Multiply);
    products
        .map(|reduction| product(reduction.term.ty().bits, reduction.term.ty().bits, reduction.term.ty().bits))
        .sum()
}

/// The bits of a product's factors and of its result, if an expression is one. A factor counts with the bits that it has before it is
/// widened, constants not at all.
pub fn kind_of_product(expr: &Expr) -> Option<[u32; 3]> {
    fn width(expr: &Expr) -> u32 {
        match expr {
            Expr::Constant { .. } => 0,
            Expr::Cast { operand, ty } => width(operand).min(ty.bits),
            _ => expr.ty().bits,
        }
    }
    if operators::scaling(expr).is_some() {
        return None;
    }
    match expr {
        // A significand's bits, all of the product.
        Expr::Binary { op: BinaryOp::Multiply, ty, .. } if ty.floating => {
            let significand = operators::format(*ty).1;
            Some([significand, significand, 2 * significand])
        }
        Expr::Binary { op: BinaryOp::Multiply, left, right, ty } => Some([width(left), width(right), ty.bits]),
        _ => None,
    }
}

/// Products of 18-bit digits that reach the lowest `bits` of a product.
fn product(left: u32, right: u32, bits: u32) -> u64 {
    let digits = |width: u32| width.div_ceil(18);
    let pairs = (0..digits(left)).flat_map(|a| (0..digits(right)).map(move |b| a + b));
    pairs.filter(|place| 18 * place < bits).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multipliers_are_counted_by_digits() {
        assert_eq!(product(32, 32, 32), 3);
        assert_eq!(product(16, 16, 32), 1);
        assert_eq!(product(64, 64, 64), 10);
        assert_eq!(product(0, 32, 32), 0);
    }
}
