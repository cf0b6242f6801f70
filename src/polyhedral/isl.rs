//! A thin façade over isl: the only user of `isl_rs` in the crate.
//!
//! Operations take references and give `anyhow` results that carry isl's own message; every object keeps its context
//! alive, clones by reference count and prints as isl prints it. isl contexts are not thread-safe, and neither are
//! these types: one context per analysis, on one thread.

mod basic_set;
mod build;
mod context;
mod defining_equality;
mod map;
mod no_piece;
mod object;
pub mod schedule;
mod set;
#[cfg(test)]
mod tests;

use crate::affine::Affine;
pub use basic_set::{BasicSet, Division};
pub use context::{Context, Exhausted, Failure};
pub use map::Map;
pub use set::Set;

/// One constraint over named integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// The expression is 0.
    Zero(Affine),
    /// The expression is at least 0.
    NonNegative(Affine),
}

impl Constraint {
    pub fn affine(&self) -> &Affine {
        match self {
            Constraint::Zero(affine) | Constraint::NonNegative(affine) => affine,
        }
    }

    /// `left <= right`
    pub fn at_most(left: Affine, right: Affine) -> Self {
        Constraint::NonNegative(right - left)
    }
}

/// The name and the dimensions of a tuple: `S0[i, j, k]`.
#[derive(Clone, Copy)]
pub struct Tuple<'a> {
    pub name: &'a str,
    pub dimensions: &'a [String],
}

impl<'a> Tuple<'a> {
    /// A tuple without a name: `[t0, t1]`.
    pub fn unnamed(dimensions: &'a [String]) -> Self {
        Tuple { name: "", dimensions }
    }

    /// The range of a function whose dimensions need no names.
    pub fn anonymous() -> Self {
        Tuple { name: "", dimensions: &[] }
    }
}

/// What an optimisation gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounded {
    Finite(i64),
    Infinite,
    /// There is no point.
    Empty,
}

impl Bounded {
    pub fn finite(self) -> Option<i64> {
        match self {
            Bounded::Finite(value) => Some(value),
            _ => None,
        }
    }
}
