//! Affine expressions over integers: the common currency between rooms.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use serde::{Deserialize, Serialize};

/// What expressions are over. Terms are printed, and added up in circuits, in its order.
pub trait Variable: Ord + Clone + fmt::Display + Borrow<Self::Key> {
    /// What it is asked for by.
    type Key: ToOwned<Owned = Self> + Ord + ?Sized;
}

/// The analysis has names: of iterators, sizes, tile indices, quotients. Whoever makes one sees to it that nothing else in
/// scope has it ([`fresh`]); the hardware, which makes many, has variables of kinds (`hardware/circuit/variable.rs`).
impl Variable for String {
    type Key = str;
}

/// `name`, with marks behind it while it is taken.
pub fn fresh(mut name: String, is_taken: impl Fn(&String) -> bool) -> String {
    while is_taken(&name) {
        name.push('_');
    }
    name
}

/// The greatest common divisor, not negative; that of 0 and 0 is 0.
pub fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// An expression over names.
pub type Affine = AffineOver<String>;

/// `Σ coefficient · variable + constant`. Terms with coefficient 0 are never stored, so that equal expressions compare
/// equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(bound(deserialize = "V: Ord + Deserialize<'de>"))]
pub struct AffineOver<V> {
    pub terms: BTreeMap<V, i64>,
    pub constant: i64,
}

/// 0
impl<V> Default for AffineOver<V> {
    fn default() -> Self {
        AffineOver { terms: BTreeMap::new(), constant: 0 }
    }
}

impl<V: Variable> From<u32> for AffineOver<V> {
    fn from(constant: u32) -> Self {
        AffineOver::constant(constant.into())
    }
}

impl<V: Variable> AffineOver<V> {
    pub fn constant(constant: i64) -> Self {
        AffineOver { terms: BTreeMap::new(), constant }
    }

    pub fn variable(name: impl Into<V>) -> Self {
        AffineOver { terms: BTreeMap::from([(name.into(), 1)]), constant: 0 }
    }

    /// Coefficient of `name`, 0 where it does not occur.
    pub fn coefficient(&self, name: &V::Key) -> i64 {
        self.terms.get(name).copied().unwrap_or(0)
    }

    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn add_term(&mut self, name: &V::Key, coefficient: i64) {
        let sum = self.coefficient(name) + coefficient;
        if sum == 0 {
            self.terms.remove(name);
        } else {
            self.terms.insert(name.to_owned(), sum);
        }
    }

    /// What it gains where each of `names` gains its step.
    pub fn gain(&self, names: &[V], steps: &[i64]) -> i64 {
        names.iter().zip(steps).map(|(name, step)| self.coefficient(name.borrow()) * step).sum()
    }

    /// The expression with every name replaced by what `value` gives for it.
    pub fn substitute<W: Variable>(&self, value: impl Fn(&V::Key) -> AffineOver<W>) -> AffineOver<W> {
        let constant = AffineOver::constant(self.constant);
        self.terms.iter().fold(constant, |sum, (name, &c)| sum + value(name.borrow()) * c)
    }

    /// `self >= 0` as C and people read it, with everything on the side where it is positive: `M + 8 >= N`.
    pub fn at_least_zero(&self) -> String {
        let (mut left, mut right) = (Self::default(), Self::default());
        for (name, &factor) in &self.terms {
            if factor > 0 { &mut left } else { &mut right }.add_term(name.borrow(), factor.abs());
        }
        match self.constant {
            // `N >= 9` rather than `N - 9 >= 0`.
            c if c < 0 => right.constant = -c,
            c => left.constant = c,
        }
        match left.terms.is_empty() {
            true => format!("{right} <= {left}"),
            false => format!("{left} >= {right}"),
        }
    }

    /// The value under `value`, which gives every name's.
    pub fn evaluate(&self, value: impl Fn(&V::Key) -> i64) -> i64 {
        self.terms.iter().fold(self.constant, |sum, (name, c)| sum + c * value(name.borrow()))
    }

    /// The smallest and the largest value when every name ranges over the closed interval `range` gives for it.
    pub fn range(&self, range: impl Fn(&V::Key) -> (i64, i64)) -> (i64, i64) {
        self.terms.iter().fold((self.constant, self.constant), |(low, high), (name, &c)| {
            let (a, b) = range(name.borrow());
            let (x, y) = (a.saturating_mul(c), b.saturating_mul(c));
            (low.saturating_add(x.min(y)), high.saturating_add(x.max(y)))
        })
    }
}

impl<V: Variable> Add for AffineOver<V> {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        self.constant += other.constant;
        for (name, c) in &other.terms {
            self.add_term(name.borrow(), *c);
        }
        self
    }
}

impl<V: Variable> Neg for AffineOver<V> {
    type Output = Self;
    fn neg(self) -> Self {
        self * -1
    }
}

impl<V: Variable> Sub for AffineOver<V> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<V: Variable> Mul<i64> for AffineOver<V> {
    type Output = Self;
    fn mul(mut self, factor: i64) -> Self {
        if factor == 0 {
            return Self::default();
        }
        self.constant *= factor;
        self.terms.values_mut().for_each(|c| *c *= factor);
        self
    }
}

/// Prints as C and isl both read it: `N - 10*I - 9`.
impl<V: Variable> fmt::Display for AffineOver<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        // Positive terms first, so that an expression rarely opens with a minus.
        let (positive, negative): (Vec<_>, Vec<_>) = self.terms.iter().partition(|(_, c)| **c > 0);
        for (name, &c) in positive.into_iter().chain(negative) {
            match (first, c < 0) {
                (true, true) => write!(f, "-")?,
                (true, false) => {}
                (false, true) => write!(f, " - ")?,
                (false, false) => write!(f, " + ")?,
            }
            if c.abs() != 1 {
                write!(f, "{}*", c.abs())?;
            }
            write!(f, "{name}")?;
            first = false;
        }
        match (first, self.constant) {
            (true, c) => write!(f, "{c}"),
            (false, 0) => Ok(()),
            (false, c) if c < 0 => write!(f, " - {}", -c),
            (false, c) => write!(f, " + {c}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_isl_reads_it() {
        let e = Affine::variable("N") - Affine::variable("I") * 10 - Affine::constant(9);
        assert_eq!(e.to_string(), "N - 10*I - 9");
        assert_eq!((e.clone() - e).to_string(), "0");
    }

    #[test]
    fn range_follows_signs() {
        let e = Affine::variable("N") - Affine::variable("I") * 10;
        assert_eq!(e.range(|n| if n == "N" { (0, 100) } else { (0, 3) }), (-30, 100));
    }
}
