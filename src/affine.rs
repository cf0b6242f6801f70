//! Affine expressions over named integers: the common currency between rooms.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use serde::{Deserialize, Serialize};

/// `Σ coefficient · name + constant`. Names are loop iterators, size parameters or tile indices. Terms with
/// coefficient 0 are never stored, so that equal expressions compare equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Affine {
    pub terms: BTreeMap<String, i64>,
    pub constant: i64,
}

impl Affine {
    pub fn constant(constant: i64) -> Self {
        Affine { terms: BTreeMap::new(), constant }
    }

    pub fn variable(name: impl Into<String>) -> Self {
        Affine { terms: BTreeMap::from([(name.into(), 1)]), constant: 0 }
    }

    /// Coefficient of `name`, 0 where it does not occur.
    pub fn coefficient(&self, name: &str) -> i64 {
        self.terms.get(name).copied().unwrap_or(0)
    }

    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn add_term(&mut self, name: &str, coefficient: i64) {
        let sum = self.coefficient(name) + coefficient;
        if sum == 0 {
            self.terms.remove(name);
        } else {
            self.terms.insert(name.to_string(), sum);
        }
    }

    /// What it gains where each of `names` gains its step.
    pub fn gain(&self, names: &[String], steps: &[i64]) -> i64 {
        names.iter().zip(steps).map(|(name, step)| self.coefficient(name) * step).sum()
    }

    /// The expression with every name replaced by what `value` gives for it.
    pub fn substitute(&self, value: impl Fn(&str) -> Affine) -> Affine {
        self.terms.iter().fold(Affine::constant(self.constant), |sum, (name, &c)| sum + value(name) * c)
    }

    /// `self >= 0` as C and people read it, with everything on the side where it is positive: `M + 8 >= N`.
    pub fn at_least_zero(&self) -> String {
        let (mut left, mut right) = (Affine::default(), Affine::default());
        for (name, &factor) in &self.terms {
            if factor > 0 { &mut left } else { &mut right }.add_term(name, factor.abs());
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
    pub fn evaluate(&self, value: impl Fn(&str) -> i64) -> i64 {
        self.terms.iter().fold(self.constant, |sum, (name, c)| sum + c * value(name))
    }

    /// The smallest and the largest value when every name ranges over the closed interval `range` gives for it.
    pub fn range(&self, range: impl Fn(&str) -> (i64, i64)) -> (i64, i64) {
        self.terms.iter().fold((self.constant, self.constant), |(low, high), (name, &c)| {
            let (a, b) = range(name);
            let (x, y) = (a.saturating_mul(c), b.saturating_mul(c));
            (low.saturating_add(x.min(y)), high.saturating_add(x.max(y)))
        })
    }
}

impl Add for Affine {
    type Output = Affine;
    fn add(mut self, other: Affine) -> Affine {
        self.constant += other.constant;
        for (name, c) in &other.terms {
            self.add_term(name, *c);
        }
        self
    }
}

impl Neg for Affine {
    type Output = Affine;
    fn neg(self) -> Affine {
        self * -1
    }
}

impl Sub for Affine {
    type Output = Affine;
    fn sub(self, other: Affine) -> Affine {
        self + -other
    }
}

impl Mul<i64> for Affine {
    type Output = Affine;
    fn mul(mut self, factor: i64) -> Affine {
        if factor == 0 {
            return Affine::default();
        }
        self.constant *= factor;
        self.terms.values_mut().for_each(|c| *c *= factor);
        self
    }
}

/// Prints as C and isl both read it: `N - 10*I - 9`.
impl fmt::Display for Affine {
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
