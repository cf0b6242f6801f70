//! Levels of many bounds, or of quotients: over several cycles, in registers that all pieces share. A quotient is a product with a
//! reciprocal, a sum of shifted numerators: half of them in one cycle, the other half beside it, and both together in the next.

use crate::hardware::circuit::scope::{BOUNDS_AT_ONCE, Reciprocal, Scope, digits_times, rounded_up, signed_digits};
use crate::hardware::circuit::variable::{Bound, Level};
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
    /// Cycles until registers that hold numerators hold their quotients.
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
    /// Per register, the two halves of its product with the reciprocal.
    products: Vec<[Signal; 2]>,
    is_lower: bool,
}

/// Cycles from numerators to quotients.
const DIVIDING: i64 = 2;

/// The reciprocals of `divisors` for numerators of an interval, all of one shift.
fn reciprocals(divisors: &[i64], range: (i64, i64)) -> Vec<Reciprocal> {
    let of = |least: u32| divisors.iter().map(move |divisor| Reciprocal::new(*divisor, range, least));
    let shift = of(0).map(|reciprocal| reciprocal.shift).max().unwrap_or(0);
    of(shift).collect()
}

impl Side {
    fn declare(
        m: &mut Module,
        (scope, levels): (&Scope, &[&Level]),
        divisors: &[i64],
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
        let mut side = Side { registers: vec![], range, divisors: vec![], products: vec![], is_lower };
        side.registers = side.declare_registers(m, most, prefix);
        if !divisors.is_empty() {
            side.declare_divisors(m, divisors, prefix);
        }
        Some(side)
    }

    /// Which divisor every register has.
    fn declare_divisors(&mut self, m: &mut Module, divisors: &[i64], prefix: &str) {
        let (name, ty) = (self.name(), Type::for_range(0, divisors.len() as i64));
        let declare = |k| m.reg(&format!("{prefix}{name}_divisor_{k}"), ty);
        self.divisors = (0..self.registers.len()).map(declare).collect();
    }

    /// Registers for products with reciprocals.
    fn declare_products(&mut self, m: &mut Module, divisors: &[i64], prefix: &str) {
        let types = reciprocals(divisors, self.range).into_iter().map(|reciprocal| reciprocal.ty);
        let Some(ty) = types.reduce(Type::common) else { return };
        let name = self.name();
        let declare = |k| ["low", "high"].map(|half| m.reg(&format!("{prefix}{name}_product_{k}_{half}"), ty));
        self.products = (0..self.registers.len()).map(declare).collect();
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
        Side { registers, range: self.range, divisors: vec![], products: vec![], is_lower: self.is_lower }
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

    /// The halves of the products of numerators with the reciprocals of their divisors, into the registers of a side that has some.
    fn multiply(&self, divisors: &[i64], into: &Side) -> Vec<Statement> {
        let reciprocals = reciprocals(divisors, self.range);
        let halves = |reciprocal: &Reciprocal, numerator: &Signal, ty: Type| {
            let digits = signed_digits(reciprocal.factor);
            let (low, high) = digits.split_at(digits.len() / 2);
            let low = digits_times(&numerator.e(), low, ty);
            [low.add(&Expr::wrapping(reciprocal.addend, ty), ty), digits_times(&numerator.e(), high, ty)]
        };
        let mut body = vec![];
        for ((numerator, own), products) in self.registers.iter().zip(&self.divisors).zip(&into.products) {
            let ty = products[0].ty();
            let chosen = reciprocals.iter().enumerate().map(|(place, r)| (place, halves(r, numerator, ty)));
            let chosen = chosen.reduce(|(_, other), (place, own_halves)| {
                let is_own = own.e().eq(&Expr::constant(place as i128 + 1, own.ty()));
                let of = |k: usize| is_own.select(&own_halves[k], &other[k]);
                (place, [of(0), of(1)])
            });
            let (_, halves) = chosen.expect("divisors of the numerators");
            body.extend(products.iter().zip(halves).map(|(product, half)| assign(product, &half)));
        }
        body
    }

    /// Bounds, of numerators their quotients, by the products of the cycle before.
    fn quotients(&self, divisors: &[i64]) -> Vec<Expr> {
        let shift = reciprocals(divisors, self.range)[0].shift;
        let quotient = |((register, own), [low, high]): ((&Signal, &Signal), &[Signal; 2])| {
            let quotient = low.e().add(&high.e(), low.ty()).shr_const(shift).resize(register.ty());
            own.e().is_zero().select(&register.e(), &quotient)
        };
        self.registers.iter().zip(&self.divisors).zip(&self.products).map(quotient).collect()
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
        let lower = Side::declare(m, (scope, levels), &divisors, true, prefix)?;
        let upper = Side::declare(m, (scope, levels), &divisors, false, prefix)?;
        Some(Folded { lower, upper, divisors })
    }

    /// Registers for the bounds of any of `levels`, then for what is left of them cycle after cycle, down to one on either side.
    pub(super) fn stages(m: &mut Module, levels: &[&Level], scope: &Scope) -> Vec<Folded> {
        let mut stages: Vec<Folded> = vec![];
        let mut next = Folded::declare(m, levels, scope, "");
        while let Some(last) = next.take() {
            let count = last.count();
            let prefix = format!("left_{}_", stages.len() + 1);
            let multiplies = last.divides() && !last.has_products();
            next = (last.divides() || count > 1).then(|| {
                let of = |side: &Side, m: &mut Module| {
                    let count = if last.divides() { side.registers.len() } else { (side.registers.len() / 2).max(1) };
                    let mut next = side.next(m, count, &prefix);
                    if multiplies {
                        next.declare_divisors(m, &last.divisors, &prefix);
                        next.declare_products(m, &last.divisors, &prefix);
                    }
                    next
                };
                let divisors = if multiplies { last.divisors.clone() } else { vec![] };
                Folded { lower: of(&last.lower, m), upper: of(&last.upper, m), divisors }
            });
            stages.push(last);
        }
        stages
    }

    /// Some of the registers may hold numerators.
    fn divides(&self) -> bool {
        !self.divisors.is_empty()
    }

    /// Products with reciprocals have registers.
    fn has_products(&self) -> bool {
        !self.lower.products.is_empty()
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

    /// Numerators are multiplied.
    fn multiply(&self) -> Vec<Statement> {
        let sides = [&self.lower, &self.upper];
        sides.into_iter().flat_map(|side| side.multiply(&self.divisors, side)).collect()
    }

    /// Numerators become quotients.
    fn divide(&self) -> Vec<Statement> {
        let sides = [&self.lower, &self.upper];
        sides.into_iter().flat_map(|side| side.assign(side.quotients(&self.divisors))).collect()
    }

    /// Half as many.
    fn halve(&self) -> Vec<Statement> {
        [&self.lower, &self.upper].into_iter().flat_map(|side| side.assign(side.halves())).collect()
    }

    /// Into the next one of [`Folded::stages`].
    pub(super) fn pass_to(&self, next: &Folded) -> Vec<Statement> {
        let sides = [(&self.lower, &next.lower), (&self.upper, &next.upper)];
        let pass = |(side, next): (&Side, &Side)| {
            if next.divisors.is_empty() {
                let values = if self.divides() { side.quotients(&self.divisors) } else { side.halves() };
                return next.assign(values).collect::<Vec<_>>();
            }
            let same = |(to, from): (&Signal, &Signal)| assign(to, &from.e());
            let kept = next.registers.iter().zip(&side.registers).chain(next.divisors.iter().zip(&side.divisors));
            kept.map(same).chain(side.multiply(&self.divisors, next)).collect()
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
        let mut bounds = Folded::declare(m, &levels, scope, "")?;
        for side in [&mut bounds.lower, &mut bounds.upper] {
            side.declare_products(m, &bounds.divisors, "");
        }
        let most = i64::from(bounds.count().ilog2());
        let divides = bounds.divides().then(|| m.reg("bounds_divide", Type::for_range(0, DIVIDING)));
        Some(Folds { bounds, divides, left: m.reg("folds_left", Type::for_range(0, most.max(1))) })
    }

    /// Takes the bounds of a level.
    pub(super) fn take(&self, scope: &Scope, level: &Level) -> Vec<Statement> {
        let mut body = self.bounds.take(scope, level);
        let has_quotients = level.lower.iter().chain(&level.upper).any(is_quotient);
        let cycles = if has_quotients { DIVIDING } else { 0 };
        body.extend(self.divides.iter().map(|left| assign(left, &Expr::constant(cycles.into(), left.ty()))));
        let cycles = level.lower.len().max(level.upper.len()).next_power_of_two().ilog2();
        body.push(assign(&self.left, &Expr::constant(i128::from(cycles), self.left.ty())));
        body
    }

    /// Products, quotients, then half as many bounds in every cycle; at last the loop is opened with the one left of
    /// either side.
    pub(super) fn fold(&self, registers: &Loop, opened: Statement) -> Vec<Statement> {
        let mut halve = self.bounds.halve();
        halve.push(assign(&self.left, &self.left.e().decremented()));
        let mut open = self.bounds.open(registers);
        open.push(opened);
        let fold = vec![when_else(self.left.e().is_zero(), open, halve)];
        let Some(divides) = &self.divides else { return fold };
        let is_last = divides.e().eq(&Expr::constant(1, divides.ty()));
        let body = vec![
            when_else(is_last, self.bounds.divide(), self.bounds.multiply()),
            assign(divides, &divides.e().decremented()),
        ];
        vec![when_else(divides.e().is_zero(), fold, body)]
    }
}
