//! What a kernel asks of memory and multipliers: which of the two its speed hangs on.

use std::collections::BTreeMap;

use super::count::Work;
use crate::offload::{Offload, ReductionOp};
use crate::operators;
use crate::source::kernel::{BinaryOp, Expr};

/// At the sizes that the kernel is usually run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// 32-bit words of all Load and Store sets; the memory moves one per cycle.
    pub words: u64,
    pub iterations: u64,
    /// Multipliers of 18 x 18 bits per lane.
    pub multipliers: u64,
}

impl Demand {
    pub fn of(offload: &Offload) -> Demand {
        let sizes: BTreeMap<String, i64> =
            (offload.kernel.parameters.iter()).map(|p| (p.name.clone(), p.default.or(p.max).unwrap_or(1))).collect();
        let work = Work::of(offload, &sizes);
        let lanes = offload.bands.iter().filter_map(|band| band.compute.lanes.as_ref());
        let tree = lanes.filter_map(|lanes| lanes.reduction.as_ref());
        let tree: u64 = tree
            .filter(|reduction| reduction.operator == ReductionOp::Multiply)
            .map(|reduction| product(reduction.term.ty().bits, reduction.term.ty().bits, reduction.term.ty().bits))
            .sum();
        Demand {
            words: (work.bytes_read + work.bytes_written).div_ceil(4),
            iterations: work.iterations,
            multipliers: tree + offload.kernel.statements().iter().map(|s| multipliers(&s.value)).sum::<u64>(),
        }
    }

    /// Cycles that the iterations take at least.
    pub fn compute_cycles(&self, lanes: i64) -> u64 {
        self.iterations.div_ceil(lanes as u64)
    }
}

/// Multipliers of an expression. A factor counts with the bits that it has before it is widened, constants not at all.
fn multipliers(expr: &Expr) -> u64 {
    fn width(expr: &Expr) -> u32 {
        match expr {
            Expr::Constant { .. } => 0,
            Expr::Cast { operand, ty } => width(operand).min(ty.bits),
            _ => expr.ty().bits,
        }
    }
    let own = match expr {
        // A significand's bits, all of the product.
        Expr::Binary { op: BinaryOp::Multiply, ty, .. } if ty.floating => {
            let significand = operators::format(*ty).1;
            product(significand, significand, 2 * significand)
        }
        Expr::Binary { op: BinaryOp::Multiply, left, right, ty } => product(width(left), width(right), ty.bits),
        _ => 0,
    };
    own + expr.operands().into_iter().map(multipliers).sum::<u64>()
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
