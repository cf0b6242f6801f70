//! Levels of many bounds, or of quotients: over several cycles, in registers that all pieces share.

use crate::hardware::circuit::scope::{BOUNDS_AT_ONCE, Scope, rounded_up};
use crate::hardware::circuit::variable::{Affine, Bound, Level, Var};
use crate::hardware::walk::scanner::registers::Loop;
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

/// The registers for the bounds of wide levels that a state machine opens one after the other, a power of two for either side. Which
/// loop they are for, the state says.
pub(super) struct Folds {
    bounds: Folded,
    /// Some of the registers hold numerators.
    divides: Option<Signal>,
    /// Cycles until one bound is left.
    left: Signal,
}

/// The bounds of a level, or what is left of them, in registers.
pub(super) struct Folded {
    lower: Side,
    upper: Side,
    /// The divisors of quotients, each once.
    divisors: Vec<i64>,
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
    fn declare(
        m: &mut Module,
        (scope, levels): (&Scope, &[&Level]),
        divisors: usize,
        is_lower: bool,
        prefix: &str,
    ) -> Option<Side> {
        let most = levels.iter().map(|level| Side::bounds(level, is_lower).len()).max()?.next_power_of_two().max(2);
        let ranges = levels.iter().flat_map(|level| Side::bounds(level, is_lower)).map(|bound| {
            let (low, high) = scope.quotient_range(&bound);
            let held = if is_quotient(&bound) { scope.range(&bound.numerator) } else { (low, high) };
            (low.min(held.0), high.max(held.1))
        });
        let range = ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        let mut side = Side { registers: vec![], range, divisors: vec![], is_lower };
        side.registers = side.declare_registers(m, most, prefix);
        let ty = Type::for_range(0, divisors as i64);
        let divisors = if divisors == 0 { 0 } else { most };
        side.divisors = (0..divisors).map(|k| m.reg(&format!("{prefix}{}_divisor_{k}", side.name()), ty)).collect();
        Some(side)
    }

    fn declare_registers(&self, m: &mut Module, count: usize, prefix: &str) -> Vec<Signal> {
        let ty = Type::for_range(self.range.0, self.range.1);
        (0..count).map(|k| m.reg(&format!("{prefix}{}_bound_{k}", self.name()), ty)).collect()
    }

    fn name(&self) -> &'static str {
        if self.is_lower { "lower" } else { "upper" }
    }

    /// Registers for what is left of these, so many, all of them bounds.
    fn next(&self, m: &mut Module, count: usize, prefix: &str) -> Side {
        let registers = self.declare_registers(m, count, prefix);
        Side { registers, range: self.range, divisors: vec![], is_lower: self.is_lower }
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

    /// Bounds, of numerators their quotients.
    fn quotients(&self, scope: &Scope, divisors: &[i64]) -> Vec<Expr> {
        let quotient = |(register, own): (&Signal, &Signal)| {
            let mut scope = scope.clone();
            scope.bind(&Var::Numerator, register, self.range);
            let quotient = |divisor: i64| {
                let bound = Bound { numerator: Affine::variable(Var::Numerator), divisor };
                scope.floor_divide(&bound).resize(register.ty())
            };
            divisors.iter().enumerate().fold(register.e(), |value, (place, &divisor)| {
                own.e().eq(&Expr::constant(place as i128 + 1, own.ty())).select(&quotient(divisor), &value)
            })
        };
        self.registers.iter().zip(&self.divisors).map(quotient).collect()
    }

    /// The better one of two neighbours.
    fn pair(&self, k: usize) -> Expr {
        let (a, b) = (self.registers[2 * k].e(), self.registers[2 * k + 1].e());
        if self.is_lower { a.ge(&b).select(&a, &b) } else { a.le(&b).select(&a, &b) }
    }

    /// Half as many; one stays as it is.
    fn halves(&self) -> Vec<Expr> {
        match &self.registers[..] {
            [one] => vec![one.e()],
            all => (0..all.len() / 2).map(|k| self.pair(k)).collect(),
        }
    }

    /// Puts values into the first registers.
    fn assign(&self, values: Vec<Expr>) -> impl Iterator<Item = Statement> {
        self.registers.iter().zip(values).map(|(register, value)| assign(register, &value))
    }
}

impl Folded {
    /// Registers for the bounds of any of `levels`; `None` where there are none.
    fn declare(m: &mut Module, levels: &[&Level], scope: &Scope, prefix: &str) -> Option<Folded> {
        let bounds = levels.iter().flat_map(|level| level.lower.iter().chain(&level.upper));
        let mut divisors: Vec<i64> = bounds.filter(|bound| is_quotient(bound)).map(|bound| bound.divisor).collect();
        divisors.sort_unstable();
        divisors.dedup();
        let lower = Side::declare(m, (scope, levels), divisors.len(), true, prefix)?;
        let upper = Side::declare(m, (scope, levels), divisors.len(), false, prefix)?;
        Some(Folded { lower, upper, divisors })
    }

    /// Registers for the bounds of any of `levels`, then for what is left of them cycle after cycle, down to one on either side.
    pub(super) fn stages(m: &mut Module, levels: &[&Level], scope: &Scope) -> Vec<Folded> {
        let mut stages: Vec<Folded> = vec![];
        let mut next = Folded::declare(m, levels, scope, "");
        while let Some(last) = next.take() {
            let count = last.count();
            let prefix = format!("left_{}_", stages.len() + 1);
            next = (last.divides() || count > 1).then(|| {
                let of = |side: &Side, m: &mut Module| {
                    let count = if last.divides() { side.registers.len() } else { (side.registers.len() / 2).max(1) };
                    side.next(m, count, &prefix)
                };
                Folded { lower: of(&last.lower, m), upper: of(&last.upper, m), divisors: vec![] }
            });
            stages.push(last);
        }
        stages
    }

    /// Some of the registers may hold numerators.
    fn divides(&self) -> bool {
        !self.divisors.is_empty()
    }

    /// Bounds on the side that has more.
    fn count(&self) -> usize {
        self.lower.registers.len().max(self.upper.registers.len())
    }

    /// Takes the bounds of a level.
    pub(super) fn take(&self, scope: &Scope, level: &Level) -> Vec<Statement> {
        let mut body = self.lower.take(scope, level, &self.divisors);
        body.extend(self.upper.take(scope, level, &self.divisors));
        body
    }

    /// Numerators become quotients.
    fn divide(&self, scope: &Scope) -> Vec<Statement> {
        let sides = [&self.lower, &self.upper];
        sides.into_iter().flat_map(|side| side.assign(side.quotients(scope, &self.divisors))).collect()
    }

    /// Half as many.
    fn halve(&self) -> Vec<Statement> {
        [&self.lower, &self.upper].into_iter().flat_map(|side| side.assign(side.halves())).collect()
    }

    /// Into the next one of [`Folded::stages`].
    pub(super) fn pass_to(&self, next: &Folded, scope: &Scope) -> Vec<Statement> {
        let sides = [(&self.lower, &next.lower), (&self.upper, &next.upper)];
        let pass = |(side, next): (&Side, &Side)| {
            let values = if self.divides() { side.quotients(scope, &self.divisors) } else { side.halves() };
            next.assign(values).collect::<Vec<_>>()
        };
        sides.into_iter().flat_map(pass).collect()
    }

    /// Opens a loop with the one bound that is left on either side.
    pub(super) fn open(&self, registers: &Loop) -> Vec<Statement> {
        registers.open_with_registers(&self.lower.registers[0].e(), &self.upper.registers[0].e(), self.upper.range.0)
    }
}

impl Folds {
    /// The registers for wide ones among `levels`; `None` where there are none.
    pub(super) fn declare<'t>(m: &mut Module, levels: impl Iterator<Item = &'t Level>, scope: &Scope) -> Option<Folds> {
        let levels: Vec<&Level> = levels.filter(|level| is_wide(level)).collect();
        let bounds = Folded::declare(m, &levels, scope, "")?;
        let most = i64::from(bounds.count().ilog2());
        let divides = bounds.divides().then(|| m.reg("bounds_divide", Type::BIT));
        Some(Folds { bounds, divides, left: m.reg("folds_left", Type::for_range(0, most.max(1))) })
    }

    /// Takes the bounds of a level.
    pub(super) fn take(&self, scope: &Scope, level: &Level) -> Vec<Statement> {
        let mut body = self.bounds.take(scope, level);
        let has_quotients = level.lower.iter().chain(&level.upper).any(is_quotient);
        body.extend(self.divides.iter().map(|divides| assign(divides, &Expr::bit(has_quotients))));
        let cycles = level.lower.len().max(level.upper.len()).next_power_of_two().ilog2();
        body.push(assign(&self.left, &Expr::constant(i128::from(cycles), self.left.ty())));
        body
    }

    /// Quotients, then half as many bounds in every cycle; at last the loop is opened with the one left of either
    /// side.
    pub(super) fn fold(&self, scope: &Scope, registers: &Loop, opened: Statement) -> Vec<Statement> {
        let mut halve = self.bounds.halve();
        halve.push(assign(&self.left, &self.left.e().decremented()));
        let mut open = self.bounds.open(registers);
        open.push(opened);
        let fold = vec![when_else(self.left.e().is_zero(), open, halve)];
        let Some(divides) = &self.divides else { return fold };
        let mut divide = self.bounds.divide(scope);
        divide.push(assign(divides, &Expr::bit(false)));
        vec![when_else(divides.e(), divide, fold)]
    }
}
