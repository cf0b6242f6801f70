//! Names of the analysis bound to signals: affine expressions become circuits of exactly the width they need.

use std::collections::BTreeMap;

use crate::affine::Affine;
use crate::offload::Bound;
use crate::rtl::{Expr, Module, Type};

/// What each name in scope stands for, with the closed interval its value lies in.
#[derive(Clone, Default)]
pub struct Scope {
    names: BTreeMap<String, (Expr, (i64, i64))>,
}

impl Scope {
    pub fn bind(&mut self, name: &str, value: impl Into<Expr>, range: (i64, i64)) {
        self.names.insert(name.to_string(), (value.into(), range));
    }

    fn lookup(&self, name: &str) -> &(Expr, (i64, i64)) {
        self.names.get(name).unwrap_or_else(|| panic!("'{name}' is not in the scope of this circuit"))
    }

    /// The interval in which `affine` lies, from those of its names.
    pub fn range(&self, affine: &Affine) -> (i64, i64) {
        affine.range(|name| self.lookup(name).1)
    }

    /// `affine` in the smallest type that holds its range. Terms are summed modulo 2^width, which is exact.
    pub fn affine(&self, affine: &Affine) -> Expr {
        let (low, high) = self.range(affine);
        self.affine_as(affine, Type::for_range(low, high))
    }

    /// `affine` modulo 2^width of `ty`.
    pub fn affine_as(&self, affine: &Affine, ty: Type) -> Expr {
        let mut sum: Option<Expr> = None;
        let (positive, negative): (Vec<_>, Vec<_>) = affine.terms.iter().partition(|(_, c)| **c > 0);
        for (name, &c) in positive.into_iter().chain(negative) {
            let term = times(&self.lookup(name).0, c.unsigned_abs(), ty);
            sum = Some(match (sum, c > 0) {
                (None, true) => term,
                (None, false) => term.neg(ty),
                (Some(sum), true) => sum.add(&term, ty),
                (Some(sum), false) => sum.sub(&term, ty),
            });
        }
        match sum {
            None => wrapped(affine.constant, ty),
            Some(sum) if affine.constant == 0 => sum,
            Some(sum) if affine.constant > 0 => sum.add(&wrapped(affine.constant, ty), ty),
            Some(sum) => sum.sub(&wrapped(-affine.constant, ty), ty),
        }
    }

    /// `affine >= 0`; `None` where it always holds.
    pub fn nonnegative(&self, affine: &Affine) -> Option<Expr> {
        let (low, high) = self.range(affine);
        if low >= 0 {
            return None;
        }
        if high < 0 {
            return Some(Expr::bit(false));
        }
        let value = self.affine(affine);
        Some(value.index(value.width() - 1).not())
    }

    /// The largest of `bounds`, each rounded up, in type `ty`.
    pub fn lower(&self, module: &mut Module, label: &str, bounds: &[Bound], ty: Type) -> Expr {
        let round =
            |b: &Bound| Bound { numerator: b.numerator.clone() + Affine::constant(b.divisor - 1), divisor: b.divisor };
        self.extreme(module, label, bounds.iter().map(round), ty, |a, b| a.ge(b))
    }

    /// The smallest of `bounds`, each rounded down, in type `ty`.
    pub fn upper(&self, module: &mut Module, label: &str, bounds: &[Bound], ty: Type) -> Expr {
        self.extreme(module, label, bounds.iter().cloned(), ty, |a, b| a.le(b))
    }

    fn extreme(
        &self,
        module: &mut Module,
        label: &str,
        bounds: impl Iterator<Item = Bound>,
        ty: Type,
        prefer: impl Fn(&Expr, &Expr) -> Expr,
    ) -> Expr {
        let values: Vec<Expr> = bounds.map(|b| self.floor_divide(&b)).collect();
        let count = values.len();
        let mut best: Option<Expr> = None;
        for (index, value) in values.into_iter().enumerate() {
            // Named wires where a value is used twice: once in the comparison, once in the choice.
            let value = if count > 1 { module.define(&format!("{label}_{index}"), &value).into() } else { value };
            best = Some(match best {
                None => value,
                Some(other) => {
                    let choice = prefer(&other, &value).select(&other, &value);
                    if index + 1 < count {
                        module.define(&format!("{label}_to_{index}"), &choice).into()
                    } else {
                        choice
                    }
                }
            });
        }
        best.expect("a level has bounds on both sides").resize(ty)
    }

    /// The interval of `floor(numerator / divisor)`.
    pub fn quotient_range(&self, bound: &Bound) -> (i64, i64) {
        let (low, high) = self.range(&bound.numerator);
        (low.div_euclid(bound.divisor), high.div_euclid(bound.divisor))
    }

    /// `floor(numerator / divisor)` without a divider: a shift, or a multiplication by the reciprocal that is exact
    /// on the numerator's range.
    pub fn floor_divide(&self, bound: &Bound) -> Expr {
        let divisor = bound.divisor;
        if divisor == 1 {
            return self.affine(&bound.numerator);
        }
        let (_, high) = self.range(&bound.numerator);
        let (quotient_low, quotient_high) = self.quotient_range(bound);
        let ty = Type::for_range(quotient_low, quotient_high);
        if divisor.count_ones() == 1 {
            return self.affine(&bound.numerator).shr_const(divisor.trailing_zeros()).resize(ty);
        }
        // Shift the numerator to be non-negative by a multiple of the divisor, so that truncation is rounding down.
        let offset = -quotient_low.min(0);
        let shifted = bound.numerator.clone() + Affine::constant(offset * divisor);
        let largest = high + offset * divisor;
        // With 2^shift > largest * divisor, ceil(2^shift / divisor) is exact on 0..=largest (Granlund-Montgomery).
        let shift = 128 - ((largest.max(1) as i128) * divisor as i128).leading_zeros();
        let reciprocal = ((1i128 << shift) + divisor as i128 - 1) / divisor as i128;
        let width = 128 - ((largest.max(1) as i128) * reciprocal).leading_zeros();
        let product = times(&self.affine(&shifted), reciprocal as u64, Type::unsigned(width));
        let quotient = product.shr_const(shift);
        quotient.sub(&wrapped(offset, ty), ty)
    }
}

/// A constant modulo 2^width.
pub fn wrapped(value: i64, ty: Type) -> Expr {
    let modulus = 1i128 << ty.width;
    let mut residue = (value as i128).rem_euclid(modulus);
    if ty.signed && residue >= modulus / 2 {
        residue -= modulus;
    }
    Expr::constant(residue, ty)
}

/// `value * factor` modulo 2^width as shifts and additions (canonical signed digits): never a multiplier.
pub fn times(value: &Expr, factor: u64, ty: Type) -> Expr {
    let value = value.resize(ty);
    let mut sum: Option<Expr> = None;
    let mut rest = factor as i128;
    let mut position = 0;
    while rest != 0 && position < ty.width {
        if rest & 1 == 1 {
            let digit = if rest & 3 == 3 { -1 } else { 1 };
            rest -= digit;
            let term = value.shl_const(position, ty);
            sum = Some(match (sum, digit > 0) {
                (None, true) => term,
                (None, false) => term.neg(ty),
                (Some(sum), true) => sum.add(&term, ty),
                (Some(sum), false) => sum.sub(&term, ty),
            });
        }
        rest >>= 1;
        position += 1;
    }
    sum.unwrap_or_else(|| wrapped(0, ty))
}
