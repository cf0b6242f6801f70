//! What must hold of an integer that C computes, so that the analysis may take it for the mathematical one.

use std::sync::Arc;

use super::{Condition, ScalarType};
use crate::affine::Affine;
use crate::diagnostic::Span;

/// `least <= value <= most`, wherever the program evaluates an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Obligation {
    pub value: Affine,
    pub least: i64,
    pub most: i64,
    /// What C does otherwise.
    pub broken: Broken,
    /// The value as C has it, where that is not what [`Kernel::as_written`](super::Kernel::as_written) makes of it.
    pub shown: Option<String>,
    pub surroundings: Arc<Surroundings>,
    pub span: Span,
}

impl Obligation {
    /// Whether both demand the same at one place.
    pub fn is_same(&self, other: &Obligation) -> bool {
        let own = (&self.value, self.least, self.most, self.broken);
        own == (&other.value, other.least, other.most, other.broken)
            && (Arc::ptr_eq(&self.surroundings, &other.surroundings) || self.surroundings == other.surroundings)
    }

    /// Whether C gives the value another meaning where it leaves the interval, and not none at all.
    pub fn has_meaning(&self) -> bool {
        !matches!(self.broken, Broken::Overflows(_) | Broken::Leaves)
    }
}

/// What an obligation guards against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The value wraps around in the type.
    Wraps(ScalarType),
    /// A sum, difference or product of a type with sign: undefined in C.
    Overflows(ScalarType),
    /// A loop that ends on `!=` begins beyond its bound.
    Passes,
    /// A loop that ends on `!=` steps over its bound.
    Misses,
    /// A subscript is outside of a table of constants: undefined in C.
    Leaves,
}

/// Where an expression is evaluated: in all iterations of the loops around it for which all of the conditions hold.
/// The loops' bounds are among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    pub iterators: Vec<String>,
    pub conditions: Vec<Condition>,
}

/// An access that would leave its array in some iteration, and that data decide about: the program is taken to be right, so that they
/// never let it happen there.
#[derive(Clone, Debug, PartialEq)]
pub struct Beyond {
    /// `out[n]`
    pub text: String,
    /// Such an iteration, in words.
    pub at: String,
    pub span: Span,
}
