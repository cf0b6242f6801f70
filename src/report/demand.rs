//! What a kernel asks of memory and multipliers: which of the two its speed hangs on.

use std::collections::BTreeMap;

use super::count::{self, Work};
use super::ports;
use crate::hardware::Link;
use crate::offload::{Offload, ReductionOp};
use crate::operators;
use crate::source::kernel::{BinaryOp, Expr};
use crate::word::Word;

/// Loops that are counted; a run of more takes hours.
const STEPS: u64 = 20_000_000;

/// At the sizes that the kernel is usually run with; `u64::MAX` where nobody can count so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Bytes of all Load and Store sets; behind a bus, which moves both at once, of the direction that moves more; of several
    /// ports, of the one where that moves most.
    pub bytes: u64,
    pub iterations: u64,
    /// Multipliers of 18 x 18 bits per lane. Of several statements, which share them where their stages allow, at least
    /// so many.
    pub multipliers: u64,
}

impl Demand {
    /// Whether there is more to do than can be counted.
    pub fn is_endless(&self) -> bool {
        self.bytes == u64::MAX
    }

    /// Of memory behind `link`.
    pub fn of(offload: &Offload, link: Link) -> Demand {
        let sizes = offload.kernel.usual_sizes();
        let work = Work::within(offload, &sizes, STEPS);
        Demand {
            bytes: work.map_or(u64::MAX, |work| match link.bus() {
                Some(bus) if bus.ports > 1 => busiest(offload, &sizes).unwrap_or(u64::MAX),
                Some(_) => work.bytes_read.max(work.bytes_written),
                None => work.bytes_read + work.bytes_written,
            }),
            iterations: work.map_or(u64::MAX, |work| work.starts),
            multipliers: of_trees(offload) + together(offload.kernel.statements().iter().map(|s| s.values())),
        }
    }

    /// Cycles that the memory takes at least, through a port that moves a `word` per cycle.
    pub fn words(&self, word: Word) -> u64 {
        word.holding(self.bytes)
    }

    /// Cycles that the iterations take at least.
    pub fn compute_cycles(&self, lanes: i64) -> u64 {
        self.iterations.div_ceil(lanes as u64)
    }
}

/// Bytes of the busiest direction of any port.
pub fn busiest(offload: &Offload, sizes: &BTreeMap<String, i64>) -> Option<u64> {
    let moved = ports::moved(offload, &count::moved(offload, sizes, STEPS)?);
    moved.into_iter().flatten().max()
}

/// Products by the bits of their factors and of the result.
pub type Products = BTreeMap<[u32; 3], u64>;

/// Of every kind, as many products as there are in `values`.
pub fn products_of<'a>(values: impl Iterator<Item = &'a Expr>) -> Products {
    let mut own = Products::new();
    values.for_each(|value| products(value, &mut own));
    own
}

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

/// Multipliers of statements that take turns: of every kind of product as many as the statement with the most has.
fn together<'a>(statements: impl Iterator<Item = impl Iterator<Item = &'a Expr>>) -> u64 {
    let mut most = Products::new();
    for values in statements {
        products_of(values).into_iter().for_each(|(kind, count)| {
            let most = most.entry(kind).or_default();
            *most = count.max(*most);
        });
    }
    multipliers(&most)
}

/// Counts the products of an expression by the bits of their factors and of the result. A factor counts with the bits that
/// it has before it is widened, constants not at all.
fn products(expr: &Expr, found: &mut Products) {
    fn width(expr: &Expr) -> u32 {
        match expr {
            Expr::Constant { .. } => 0,
            Expr::Cast { operand, ty } => width(operand).min(ty.bits),
            _ => expr.ty().bits,
        }
    }
    if let Expr::Binary { op: BinaryOp::Multiply, left, right, ty } = expr {
        let kind = if ty.floating {
            // A significand's bits, all of the product.
            let significand = operators::format(*ty).1;
            [significand, significand, 2 * significand]
        } else {
            [width(left), width(right), ty.bits]
        };
        *found.entry(kind).or_default() += 1;
    }
    expr.operands().into_iter().for_each(|operand| products(operand, found));
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
    use crate::source::kernel::ScalarType;

    #[test]
    fn multipliers_are_counted_by_digits() {
        assert_eq!(product(32, 32, 32), 3);
        assert_eq!(product(16, 16, 32), 1);
        assert_eq!(product(64, 64, 64), 10);
        assert_eq!(product(0, 32, 32), 0);
    }

    #[test]
    fn statements_share_multipliers() {
        let number = || Box::new(Expr::Scalar { scalar: 0, ty: ScalarType::FLOAT });
        let times = |left, right| Expr::Binary { op: BinaryOp::Multiply, left, right, ty: ScalarType::FLOAT };
        let (two, one) = (times(Box::new(times(number(), number())), number()), times(number(), number()));
        let of = |statements: &[&[&Expr]]| together(statements.iter().map(|values| values.iter().copied()));
        assert_eq!(of(&[&[&one]]), product(24, 24, 48));
        assert_eq!(of(&[&[&two], &[&one], &[&two]]), 2 * product(24, 24, 48));
        assert_eq!(of(&[&[&two], &[&one, &two]]), 3 * product(24, 24, 48));
    }
}
