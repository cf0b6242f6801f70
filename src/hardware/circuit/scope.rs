//! Variables bound to signals: affine expressions become circuits of exactly the width they need.

use std::collections::BTreeMap;

use crate::hardware::circuit::variable::{Affine, Bound, Var};
use crate::rtl::{Expr, Module, Type};

/// Bounds whose extreme is found in one cycle.
pub const BOUNDS_AT_ONCE: usize = 2;

/// What each variable in scope stands for, with the closed interval its value lies in.
#[derive(Clone, Default)]
pub struct Scope {
    variables: BTreeMap<Var, (Expr, (i64, i64))>,
}

impl Scope {
    pub fn bind(&mut self, variable: &Var, value: impl Into<Expr>, range: (i64, i64)) {
        self.variables.insert(variable.clone(), (value.into(), range));
    }

    fn lookup(&self, variable: &Var) -> &(Expr, (i64, i64)) {
        self.variables.get(variable).unwrap_or_else(|| panic!("{variable:?} is not in the scope of this circuit"))
    }

    /// The interval in which `affine` lies, from those of its variables.
    pub fn range(&self, affine: &Affine) -> (i64, i64) {
        affine.range(|variable| self.lookup(variable).1)
    }

    /// `affine` in the smallest type that holds its range. Terms are summed modulo 2^width, which is exact.
    pub fn affine(&self, affine: &Affine) -> Expr {
        let (low, high) = self.range(affine);
        self.affine_as(affine, Type::for_range(low, high))
    }

    /// `affine` modulo 2^width of `ty`.
    pub fn affine_as(&self, affine: &Affine, ty: Type) -> Expr {
        if let Some(joined) = self.joined(affine, ty) {
            return joined;
        }
        let mut sum: Option<Expr> = None;
        let (positive, negative): (Vec<_>, Vec<_>) = affine.terms.iter().partition(|(_, c)| **c > 0);
        for (variable, &c) in positive.into_iter().chain(negative) {
            let term = times(&self.lookup(variable).0, c.unsigned_abs(), ty);
            sum = Some(match (sum, c > 0) {
                (None, true) => term,
                (None, false) => term.neg(ty),
                (Some(sum), true) => sum.add(&term, ty),
                (Some(sum), false) => sum.sub(&term, ty),
            });
        }
        match sum {
            None => Expr::wrapping(affine.constant.into(), ty),
            Some(sum) if affine.constant == 0 => sum,
            Some(sum) if affine.constant > 0 => sum.add(&Expr::wrapping(affine.constant.into(), ty), ty),
            Some(sum) => sum.sub(&Expr::wrapping((-affine.constant).into(), ty), ty),
        }
    }

    /// `affine` modulo 2^width of `ty` where its terms lie side by side, none reaching into another: bits of one word
    /// then, without an addition. `1024*T0 + i` with `i` below 1024 is `{T0, i}`.
    fn joined(&self, affine: &Affine, ty: Type) -> Option<Expr> {
        if affine.constant != 0 || affine.terms.len() < 2 {
            return None;
        }
        let mut fields = vec![];
        for (variable, &c) in &affine.terms {
            let (value, (low, high)) = self.lookup(variable);
            if c <= 0 || c.count_ones() != 1 || *low < 0 {
                return None;
            }
            fields.push((c.trailing_zeros(), value.resize(Type::for_range(0, *high))));
        }
        fields.sort_by_key(|(shift, _)| *shift);
        let (mut parts, mut end) = (vec![], 0);
        for (shift, value) in fields {
            if shift < end {
                return None;
            }
            if shift > end {
                parts.insert(0, Expr::constant(0, Type::unsigned(shift - end)));
            }
            end = shift + value.width();
            parts.insert(0, value);
        }
        Some(Expr::concat(&parts).resize(ty))
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
        // Of several variables, the sign of a sum says it: tools make less of that than of a sum and a comparison.
        if affine.terms.len() > 1 {
            let value = self.affine(affine);
            return Some(value.index(value.width() - 1).not());
        }
        // What is added stands on one side, what is subtracted on the other; of whole numbers, `a - 1 >= b` is `a > b`.
        let side = |sign: i64, constant: i64| {
            let terms = affine.terms.iter().filter(|(_, c)| c.signum() == sign);
            let terms = terms.map(|(variable, c)| (variable.clone(), c.abs())).collect();
            self.affine(&Affine { terms, constant })
        };
        let constant = affine.constant;
        Some(match constant {
            -1 => side(1, 0).gt(&side(-1, 0)),
            _ => side(1, constant.max(0)).ge(&side(-1, (-constant).max(0))),
        })
    }

    /// The largest of `bounds`, each rounded up, in the type of its interval.
    pub fn lower(&self, module: &mut Module, label: &str, bounds: &[Bound]) -> Expr {
        let bounds: Vec<Bound> = bounds.iter().map(rounded_up).collect();
        self.extreme(module, label, &bounds, i64::max, |a, b| a.ge(b))
    }

    /// The smallest of `bounds`, each rounded down, in the type of its interval.
    pub fn upper(&self, module: &mut Module, label: &str, bounds: &[Bound]) -> Expr {
        self.extreme(module, label, bounds, i64::min, |a, b| a.le(b))
    }

    /// The interval of [`Scope::lower`].
    pub fn lower_range(&self, bounds: &[Bound]) -> (i64, i64) {
        let ranges = bounds.iter().map(|b| self.quotient_range(&rounded_up(b)));
        ranges.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1))).expect("a level has bounds on both sides")
    }

    /// The interval of [`Scope::upper`].
    pub fn upper_range(&self, bounds: &[Bound]) -> (i64, i64) {
        let ranges = bounds.iter().map(|b| self.quotient_range(b));
        ranges.reduce(|a, b| (a.0.min(b.0), a.1.min(b.1))).expect("a level has bounds on both sides")
    }

    fn extreme(
        &self,
        module: &mut Module,
        label: &str,
        bounds: &[Bound],
        extreme: impl Fn(i64, i64) -> i64,
        prefer: impl Fn(&Expr, &Expr) -> Expr,
    ) -> Expr {
        let mut best: Option<(Expr, (i64, i64))> = None;
        for (index, bound) in bounds.iter().enumerate() {
            let (value, range) = (self.floor_divide(bound), self.quotient_range(bound));
            // Named wires where a value is used twice: once in the comparison, once in the choice.
            let named = |m: &mut Module, value: Expr| -> Expr {
                match value.as_constant() {
                    None if bounds.len() > 1 => m.define(&format!("{label}_{index}"), &value).into(),
                    _ => value,
                }
            };
            let value = named(module, value);
            best = Some(match best {
                None => (value, range),
                Some((other, other_range)) => {
                    let range = (extreme(other_range.0, range.0), extreme(other_range.1, range.1));
                    let ty = Type::for_range(range.0, range.1);
                    let choice = choose(&other, &value, &prefer).resize(ty);
                    let last = index + 1 == bounds.len();
                    let choice =
                        if last { choice } else { module.define(&format!("{label}_to_{index}"), &choice).into() };
                    (choice, range)
                }
            });
        }
        let (value, (low, high)) = best.expect("a level has bounds on both sides");
        value.resize(Type::for_range(low, high))
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
        let (quotient_low, quotient_high) = self.quotient_range(bound);
        let ty = Type::for_range(quotient_low, quotient_high);
        if divisor.count_ones() == 1 {
            return self.affine(&bound.numerator).shr_const(divisor.trailing_zeros()).resize(ty);
        }
        let reciprocal = Reciprocal::new(divisor, self.range(&bound.numerator), 0);
        // Constants join the addend, so that the product is of what varies.
        let constant = bound.numerator.constant;
        let varying = self.affine(&(bound.numerator.clone() - Affine::constant(constant)));
        let wide = reciprocal.ty;
        let product = digits_times(&varying, &signed_digits(reciprocal.factor), wide);
        let addend = reciprocal.addend + reciprocal.factor * i128::from(constant);
        product.add(&Expr::wrapping(addend, wide), wide).shr_const(reciprocal.shift).resize(ty)
    }
}

/// A division by a constant as a product: `floor(n / divisor) = floor((factor * n + addend) / 2^shift)` for every n of an
/// interval (Granlund and Montgomery 1994).
pub struct Reciprocal {
    pub factor: i128,
    pub addend: i128,
    pub shift: u32,
    /// Of `factor * n + addend`.
    pub ty: Type,
}

impl Reciprocal {
    /// Exact for n from `low` to `high`; its shift is `least` or more.
    pub fn new(divisor: i64, (low, high): (i64, i64), least: u32) -> Reciprocal {
        let divisor = i128::from(divisor);
        // On 0..=largest ceil(2^shift / divisor) is exact where 2^shift > largest * divisor. A numerator that may be negative is one
        // of those less a multiple of the divisor, whose product less that of the quotients is the addend.
        let multiple = -i128::from(low).div_euclid(divisor).min(0);
        let largest = (i128::from(high) + multiple * divisor).max(1);
        let shift = (128 - (largest * divisor).leading_zeros()).max(least);
        let factor = ((1i128 << shift) + divisor - 1) / divisor;
        let addend = multiple * (factor * divisor - (1i128 << shift));
        let of = |n: i64| factor * i128::from(n) + addend;
        let bits = |value: i128| 128 - (value ^ (value >> 127)).leading_zeros();
        let width = bits(of(low)).max(bits(of(high))).max(1);
        let ty = if of(low) < 0 { Type::signed(width + 1) } else { Type::unsigned(width) };
        Reciprocal { factor, addend, shift, ty }
    }
}

/// The bound whose quotient rounded down is that of `bound` rounded up.
pub fn rounded_up(bound: &Bound) -> Bound {
    Bound { numerator: bound.numerator.clone() + Affine::constant(bound.divisor - 1), divisor: bound.divisor }
}

/// The one of `a` and `b` that `prefer` prefers. A comparison with 2^n - 1 looks at the bits from n on only.
fn choose(a: &Expr, b: &Expr, prefer: &impl Fn(&Expr, &Expr) -> Expr) -> Expr {
    for (limit, value) in [(a, b), (b, a)] {
        let Some(constant) = limit.as_constant().filter(|c| *c >= 0 && (c + 1).count_ones() == 1) else { continue };
        let ones = (constant + 1).trailing_zeros();
        let bits = value.width() - u32::from(value.ty().signed);
        if bits <= ones {
            continue;
        }
        let high = value.slice(bits - 1, ones).reduce_or();
        let negative = value.ty().signed.then(|| value.index(value.width() - 1));
        let above = negative.map_or(high.clone(), |negative| negative.not().and(&high));
        // Where the value is above the limit, the choice is the one that `prefer` makes between 1 and 0.
        let (zero, one) = (Expr::constant(0, Type::BIT), Expr::constant(1, Type::BIT));
        let larger_wins = prefer(&one, &zero).known_value() == Some(1);
        return if larger_wins { above.select(value, limit) } else { above.select(limit, value) };
    }
    prefer(a, b).select(a, b)
}

/// `value * factor` modulo 2^width as shifts and additions (canonical signed digits): never a multiplier.
pub fn times(value: &Expr, factor: u64, ty: Type) -> Expr {
    digits_times(value, &signed_digits(factor.into()), ty)
}

/// The product with the number that has these of [`signed_digits`], modulo 2^width.
pub fn digits_times(value: &Expr, digits: &[(u32, bool)], ty: Type) -> Expr {
    let value = value.resize(ty);
    let mut sum: Option<Expr> = None;
    for &(position, minus) in digits.iter().take_while(|(position, _)| *position < ty.width) {
        let term = value.shl_const(position, ty);
        sum = Some(match (sum, minus) {
            (None, false) => term,
            (None, true) => term.neg(ty),
            (Some(sum), false) => sum.add(&term, ty),
            (Some(sum), true) => sum.sub(&term, ty),
        });
    }
    sum.unwrap_or_else(|| Expr::wrapping(0, ty))
}

/// The canonical signed digits of a number that are not 0, the least significant one first: the power of two, and
/// whether it is subtracted.
pub fn signed_digits(number: i128) -> Vec<(u32, bool)> {
    let (mut rest, mut position, mut digits) = (number, 0, vec![]);
    while rest != 0 {
        if rest & 1 == 1 {
            let minus = rest & 3 == 3;
            rest -= if minus { -1 } else { 1 };
            digits.push((position, minus));
        }
        rest >>= 1;
        position += 1;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every numerator of intervals below, around and above 0, whose shift is the least and a larger one.
    #[test]
    fn products_with_reciprocals_are_quotients() {
        for divisor in 1..=33 {
            for (low, high) in [(0, 0), (0, 255), (-1, 0), (-130, 255), (-64, -3), (17, 90), (-1000, 1)] {
                for least in [0, 19] {
                    let reciprocal = Reciprocal::new(divisor, (low, high), least);
                    assert!(reciprocal.shift >= least);
                    for n in low..=high {
                        let product = reciprocal.factor * i128::from(n) + reciprocal.addend;
                        assert!(reciprocal.ty.holds(product), "{n} / {divisor}: {product} in {:?}", reciprocal.ty);
                        let quotient = product >> reciprocal.shift;
                        assert_eq!(quotient, n.div_euclid(divisor).into(), "{n} / {divisor} of {low}..={high}");
                    }
                }
            }
        }
    }

    #[test]
    fn signed_digits_add_up() {
        for number in (0..2000).chain([12_345_678_901, (1 << 62) - 1]) {
            let digits = signed_digits(number);
            let sum: i128 = digits.iter().map(|&(bit, minus)| if minus { -(1 << bit) } else { 1 << bit }).sum();
            assert_eq!(sum, number);
            assert!(digits.windows(2).all(|pair| pair[0].0 + 1 < pair[1].0), "{number}: {digits:?}");
        }
    }
}
