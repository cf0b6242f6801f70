//! Types: a width and a sign.

use std::fmt;

/// Width in bits, at least 1, and whether the top bit counts negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Type {
    pub width: u32,
    pub signed: bool,
}

impl Type {
    /// One unsigned bit.
    pub const BIT: Type = Type { width: 1, signed: false };

    pub fn unsigned(width: u32) -> Type {
        assert!(width >= 1, "a type has at least one bit");
        Type { width, signed: false }
    }

    pub fn signed(width: u32) -> Type {
        assert!(width >= 1, "a type has at least one bit");
        Type { width, signed: true }
    }

    /// The smallest type that holds every integer of `[low, high]`; signed exactly if `low < 0`.
    pub fn for_range(low: i64, high: i64) -> Type {
        assert!(low <= high, "empty range [{low}, {high}]");
        if low < 0 {
            let magnitude = |v: i64| if v < 0 { 64 - (!v).leading_zeros() } else { 64 - v.leading_zeros() };
            Type::signed(magnitude(low).max(magnitude(high)) + 1)
        } else {
            Type::unsigned((64 - high.leading_zeros()).max(1))
        }
    }

    /// The smallest type that holds every value of both: signed if either is.
    pub fn common(self, other: Type) -> Type {
        let signed = self.signed || other.signed;
        let width = |t: Type| t.width + u32::from(signed && !t.signed);
        Type { width: width(self).max(width(other)), signed }
    }

    /// Whether `value` is one of the type's.
    pub fn holds(self, value: i128) -> bool {
        let (low, high) = self.range();
        low <= value && value <= high
    }

    /// The smallest and the largest value, clamped to those of `i128`.
    pub fn range(self) -> (i128, i128) {
        let power = |n: u32| 1i128.checked_shl(n).filter(|p| *p > 0);
        if self.signed {
            power(self.width - 1).map_or((i128::MIN, i128::MAX), |p| (-p, p - 1))
        } else {
            (0, power(self.width).map_or(i128::MAX, |p| p - 1))
        }
    }

    /// `value` modulo 2^width, as a value of the type; `None` where `i128` cannot tell.
    pub(super) fn wrap(self, value: i128) -> Option<i128> {
        if self.holds(value) {
            return Some(value);
        }
        let modulus = 1i128.checked_shl(self.width).filter(|p| *p > 0)?;
        let rest = value.rem_euclid(modulus);
        Some(if self.signed && rest >= modulus / 2 { rest - modulus } else { rest })
    }

    pub(super) fn unsigned_of(self) -> Type {
        Type::unsigned(self.width)
    }
}

/// As Verilog declares it, without trailing blank: `signed [7:0]`, or nothing for a bit.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.signed, self.width) {
            (false, 1) => Ok(()),
            (true, 1) => write!(f, "signed"),
            (false, w) => write!(f, "[{}:0]", w - 1),
            (true, w) => write!(f, "signed [{}:0]", w - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtl::Expr;

    /// Every interval between -9 and 9: the type holds it, a type of one bit less does not, and counting in it comes
    /// round.
    #[test]
    fn types_of_small_ranges() {
        for (low, high) in (-9..=9i64).flat_map(|low| (low..=9).map(move |high| (low, high))) {
            let ty = Type::for_range(low, high);
            let holds = |ty: Type| ty.holds(low.into()) && ty.holds(high.into());
            assert!(holds(ty), "[{low}, {high}] in {ty:?}");
            assert!(ty.width == 1 || !holds(Type { width: ty.width - 1, ..ty }), "[{low}, {high}] in {ty:?}");
            for value in low..=high {
                let counted = Expr::constant(value.into(), ty);
                for (next, wanted) in [(counted.incremented(), value + 1), (counted.decremented(), value - 1)] {
                    let found = next.as_constant().expect("a constant");
                    assert_eq!(next.ty(), ty);
                    let modulus = 1i128 << ty.width;
                    assert_eq!((found - i128::from(wanted)).rem_euclid(modulus), 0, "{value} in {ty:?}");
                    assert!((low..=high).contains(&wanted) <= (found == i128::from(wanted)), "{value} in {ty:?}");
                }
            }
        }
    }
}
