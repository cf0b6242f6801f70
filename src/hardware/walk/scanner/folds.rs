//! Levels of many bounds, or of quotients: over several cycles, in registers that all pieces share.

use crate::hardware::circuit::scope::{BOUNDS_AT_ONCE, Scope, rounded_up};
use crate::hardware::circuit::variable::{Affine, Bound, Level, Var};
use crate::hardware::walk::scanner::registers::Loop;
use crate::hardware::walk::tree::Tree;
use crate::rtl::{Expr, Module, Signal, Statement, Type, assign, when_else};

/// Whether the bounds of a level go into registers, where quotients are made and the bounds halved in number from
/// cycle to cycle.
pub(super) fn is_wide(level: &Level) -> bool {
    level.lower.len().max(level.upper.len()) > BOUNDS_AT_ONCE || level.lower.iter().chain(&level.upper).any(is_quotient)
}

/// Whether a bound needs a multiplication by a reciprocal.
fn is_quotient(bound: &Bound) -> bool {
    bound.divisor.count_ones() > 1 && !bound.numerator.is_constant()
}

/// The registers for the bounds of wide levels, a power of two for either side. Which loop they are for, the state
/// says.
pub(super) struct Folds {
    lower: Side,
    upper: Side,
    /// The divisors of quotients, each once.
    divisors: Vec<i64>,
    /// Some of the registers hold numerators.
    divides: Option<Signal>,
    /// Cycles until one bound is left.
    left: Signal,
}

/// The bounds of one side: the largest lower or the smallest upper one counts.
struct Side {
    registers: Vec<Signal>,
    range: (i64, i64),
    /// Per register, the place of the divisor from 1 on; 0 where it holds a bound.
    divisors: Vec<Signal>,
    is_lower: bool,
}

impl Side {
    fn declare(m: &mut Module, scope: &Scope, levels: &[&Level], divisors: usize, is_lower: bool) -> Option<Side> {
        let name = if is_lower { "lower" } else { "upper" };
        let most = levels.iter().map(|level| Side::bounds(level, is_lower).len()).max()?.next_power_of_two().max(2);
        let ranges = levels.iter().flat_map(|level| Side::bounds(level, is_lower)).map(|bound| {
            let (low, high) = scope.quotient_range(&bound);
            let held = if is_quotient(&bound) { scope.range(&bound.numerator) } else { (low, high) };
            (low.min(held.0), high.max(held.1))
        });
        let range = ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        let registers =
            (0..most).map(|k| m.reg(&format!("{name}_bound_{k}"), Type::for_range(range.0, range.1))).collect();
        let ty = Type::for_range(0, divisors as i64);
        let divisors = if divisors == 0 { 0 } else { most };
        let divisors = (0..divisors).map(|k| m.reg(&format!("{name}_divisor_{k}"), ty)).collect();
        Some(Side { registers, range, divisors, is_lower })
    }

    /// The bounds of a level on this side, to be rounded down.
    fn bounds(level: &Level, is_lower: bool) -> Vec<Bound> {
        if is_lower { level.lower.iter().map(rounded_up).collect() } else { level.upper.clone() }
    }

    /// Takes the bounds of a level; the first once more where there is room.
    fn take(&self, scope: &Scope, level: &Level, divisors: &[i64]) -> Vec<Statement> {
        let bounds = Side::bounds(level, self.is_lower);
        let mut body = vec![];
        for (k, register) in self.registers.iter().enumerate() {
            let bound = bounds.get(k).unwrap_or(&bounds[0]);
            let value = if is_quotient(bound) { scope.affine(&bound.numerator) } else { scope.floor_divide(bound) };
            body.push(assign(register, &value.resize(register.ty())));
            if let Some(divisor) = self.divisors.get(k) {
                let place = divisors.iter().position(|d| is_quotient(bound) && *d == bound.divisor);
                body.push(assign(divisor, &Expr::constant(place.map_or(0, |place| place as i128 + 1), divisor.ty())));
            }
        }
        body
    }

    /// Numerators become quotients.
    fn divide(&self, scope: &Scope, divisors: &[i64]) -> Vec<Statement> {
        let mut body = vec![];
        for (register, own) in self.registers.iter().zip(&self.divisors) {
            let mut scope = scope.clone();
            scope.bind(&Var::Numerator, register, self.range);
            let quotient = |divisor: i64| {
                let bound = Bound { numerator: Affine::variable(Var::Numerator), divisor };
                scope.floor_divide(&bound).resize(register.ty())
            };
            let value = divisors.iter().enumerate().fold(register.e(), |value, (place, &divisor)| {
                own.e().eq(&Expr::constant(place as i128 + 1, own.ty())).select(&quotient(divisor), &value)
            });
            body.push(assign(register, &value));
        }
        body
    }

    /// The better one of two neighbours.
    fn pair(&self, k: usize) -> Expr {
        let (a, b) = (self.registers[2 * k].e(), self.registers[2 * k + 1].e());
        if self.is_lower { a.ge(&b).select(&a, &b) } else { a.le(&b).select(&a, &b) }
    }

    /// Half as many.
    fn halve(&self) -> Vec<Statement> {
        (0..self.registers.len() / 2).map(|k| assign(&self.registers[k], &self.pair(k))).collect()
    }
}

impl Folds {
    pub(super) fn declare(m: &mut Module, tree: &Tree, scope: &Scope) -> Option<Folds> {
        let levels: Vec<&Level> = tree.pieces.iter().flat_map(|p| &p.piece.levels).filter(|l| is_wide(l)).collect();
        let bounds = levels.iter().flat_map(|level| level.lower.iter().chain(&level.upper));
        let mut divisors: Vec<i64> = bounds.filter(|bound| is_quotient(bound)).map(|bound| bound.divisor).collect();
        divisors.sort_unstable();
        divisors.dedup();
        let lower = Side::declare(m, scope, &levels, divisors.len(), true)?;
        let upper = Side::declare(m, scope, &levels, divisors.len(), false)?;
        let most = i64::from(lower.registers.len().max(upper.registers.len()).ilog2());
        let divides = (!divisors.is_empty()).then(|| m.reg("bounds_divide", Type::BIT));
        Some(Folds { lower, upper, divisors, divides, left: m.reg("folds_left", Type::for_range(0, most.max(1))) })
    }

    /// Takes the bounds of a level.
    pub(super) fn take(&self, scope: &Scope, level: &Level) -> Vec<Statement> {
        let mut body = self.lower.take(scope, level, &self.divisors);
        body.extend(self.upper.take(scope, level, &self.divisors));
        let has_quotients = level.lower.iter().chain(&level.upper).any(is_quotient);
        body.extend(self.divides.iter().map(|divides| assign(divides, &Expr::bit(has_quotients))));
        let cycles = level.lower.len().max(level.upper.len()).next_power_of_two().ilog2();
        body.push(assign(&self.left, &Expr::constant(i128::from(cycles), self.left.ty())));
        body
    }

    /// Quotients, then half as many bounds in every cycle; at last the loop is opened with the one left of either
    /// side.
    pub(super) fn fold(&self, scope: &Scope, registers: &Loop, opened: Statement) -> Vec<Statement> {
        let mut halve = self.lower.halve();
        halve.extend(self.upper.halve());
        halve.push(assign(&self.left, &self.left.e().decremented()));
        let mut open = registers.open_with_registers(
            &self.lower.registers[0].e(),
            &self.upper.registers[0].e(),
            self.upper.range.0,
        );
        open.push(opened);
        let fold = vec![when_else(self.left.e().is_zero(), open, halve)];
        let Some(divides) = &self.divides else { return fold };
        let mut divide = self.lower.divide(scope, &self.divisors);
        divide.extend(self.upper.divide(scope, &self.divisors));
        divide.push(assign(divides, &Expr::bit(false)));
        vec![when_else(divides.e(), divide, fold)]
    }
}
