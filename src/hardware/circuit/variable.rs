//! What expressions of the hardware are over. The analysis has names; here a variable says of which kind it is, so that those
//! the hardware makes can never be one of the program's, nor of another maker.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use crate::affine::{self, AffineOver, Variable};
use crate::offload;

pub type Affine = AffineOver<Var>;
pub type Bound = offload::Bound<Var>;
pub type Level = offload::Level<Var>;
pub type Piece = offload::Piece<Var>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Var {
    /// A size of the kernel.
    Size(String),
    /// The number of the tile's band.
    Band,
    /// The low bit of the number of the tile's strip.
    Strip,
    /// An index of the tile.
    Tile(String),
    /// A loop of a scan, one of its piece.
    Level(String),
    /// The level of a subscript, counted from memory's innermost one, 0.
    Subscript(usize),
    /// A level of one value, 0, for rows that have no other; by the marks behind its name.
    Element(usize),
    /// What a register of a walk holds, one of its module: the index of a level, or an origin.
    Register(String),
    /// A quotient of the kernel.
    Quotient(String),
    /// What is added to its numerator, so that it rounds towards 0.
    Rounding(String),
    /// What bounds take from sizes and tile, by its place among what travels with a tile.
    TileBound(usize),
    /// Some of the bounds of one of those, by the name of its register.
    PartOfBound(String),
    /// What bounds take from the sizes, or from sizes and tile, by its place among the registers of its module.
    Constant(usize),
}

impl Var {
    /// What people read, which two kinds may have in common.
    fn text(&self) -> Cow<'_, str> {
        match self {
            Var::Size(name) | Var::Tile(name) | Var::Level(name) | Var::Register(name) | Var::Quotient(name) => {
                Cow::Borrowed(name)
            }
            Var::Subscript(from_last) => format!("subscript {from_last}").into(),
            Var::Element(marks) => format!("element{}", "_".repeat(*marks)).into(),
            Var::Rounding(quotient) => format!("{quotient} rounding").into(),
            Var::TileBound(place) => format!("bound {place}").into(),
            Var::PartOfBound(register) => format!("register {register}").into(),
            Var::Constant(place) => format!("size bound {place}").into(),
            Var::Band => "band".into(),
            Var::Strip => "strip".into(),
        }
    }

    /// A name for a signal that holds its value.
    pub fn signal(&self) -> String {
        self.text().replace(' ', "_")
    }

    fn kind(&self) -> usize {
        match self {
            Var::Size(_) => 0,
            Var::Tile(_) => 1,
            Var::Level(_) => 2,
            Var::Subscript(_) => 3,
            Var::Element(_) => 4,
            Var::Register(_) => 5,
            Var::Quotient(_) => 6,
            Var::Rounding(_) => 7,
            Var::TileBound(_) => 8,
            Var::PartOfBound(_) => 9,
            Var::Constant(_) => 10,
            Var::Band => 11,
            Var::Strip => 12,
        }
    }
}

/// By what people read, then by kind: no kind has a text twice.
impl Ord for Var {
    fn cmp(&self, other: &Var) -> Ordering {
        self.text().cmp(&other.text()).then_with(|| self.kind().cmp(&other.kind()))
    }
}

impl PartialOrd for Var {
    fn partial_cmp(&self, other: &Var) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Variable for Var {
    type Key = Var;
}

impl From<&Var> for Var {
    fn from(variable: &Var) -> Var {
        variable.clone()
    }
}

/// An expression over sizes alone, such as an extent.
pub fn over_sizes(affine: &affine::Affine) -> Affine {
    affine.substitute(|size| Affine::variable(Var::Size(size.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinds with one text are neighbours in the order, and not equal: a map keeps them apart.
    #[test]
    fn kinds_keep_variables_apart() {
        let same = |name: &str| {
            let name = name.to_string();
            [Var::Size(name.clone()), Var::Level(name.clone()), Var::Quotient(name.clone()), Var::Register(name)]
        };
        let mut all = vec![Var::TileBound(1), Var::Level("bound 1".into()), Var::Element(0), Var::Constant(10)];
        all.extend(same("element"));
        all.extend(same("size bound 10"));
        let sum = all.iter().fold(Affine::default(), |sum, variable| sum + Affine::variable(variable));
        assert_eq!(sum.terms.len(), all.len());
        for (place, one) in all.iter().enumerate() {
            assert_eq!(sum.coefficient(one), 1);
            for other in &all[place + 1..] {
                assert!(
                    one != other && one.cmp(other) != Ordering::Equal && one.cmp(other) == other.cmp(one).reverse()
                );
            }
        }
    }
}
