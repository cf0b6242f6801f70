//! Sizes and tile indices, and what of the loops' bounds they give.

pub mod bounds;
pub mod relative;

use crate::affine;
use crate::hardware::circuit::ranged::Ranged;
use crate::hardware::circuit::variable::{Affine, Bound, Level, Piece, Var};
use crate::offload::{self, Scan};

/// What stands still while a tile is walked: the sizes, and the indices of the tile.
#[derive(Clone, Debug)]
pub struct Names {
    pub parameters: Vec<Ranged>,
    /// The indices of a tile, `T0`, `T1`, …, as many as the widest band has; those of a narrower band are 0 from its
    /// last on.
    pub tile: Vec<Ranged>,
}

impl Names {
    pub fn iter(&self) -> impl Iterator<Item = &Ranged> {
        self.tile.iter().chain(&self.parameters)
    }

    /// The interval of a variable, if it is one of them.
    pub fn range(&self, variable: &Var) -> Option<(i64, i64)> {
        self.iter().find(|r| r.variable == *variable).map(|r| r.range)
    }

    /// The pieces of a scan, which names sizes, tile indices and its own levels.
    pub fn pieces(&self, scan: &Scan) -> Vec<Piece> {
        scan.pieces.iter().map(|piece| self.piece(piece)).collect()
    }

    /// [`Names::pieces`] of one piece.
    pub fn piece(&self, piece: &offload::Piece) -> Piece {
        let variable = |name: &str| match piece.levels.iter().any(|level| level.name == name) {
            true => Var::Level(name.to_string()),
            false => {
                let known = self.iter().map(|r| &r.variable).find(|v| v.to_string() == name);
                known.unwrap_or_else(|| panic!("{name} is none of size, tile index and level")).clone()
            }
        };
        let affine = |affine: &affine::Affine| affine.substitute(|name| Affine::variable(variable(name)));
        let affines = |all: &[affine::Affine]| all.iter().map(affine).collect();
        let bounds = |bounds: &[offload::Bound]| {
            bounds.iter().map(|b| Bound { numerator: affine(&b.numerator), divisor: b.divisor }).collect()
        };
        let level = |level: &offload::Level| Level {
            name: Var::Level(level.name.clone()),
            lower: bounds(&level.lower),
            upper: bounds(&level.upper),
            range: level.range,
        };
        Piece {
            shared: piece.shared,
            leaf: piece.leaf,
            guards: affines(&piece.guards),
            levels: piece.levels.iter().map(level).collect(),
            point: affines(&piece.point),
            slacks: affines(&piece.slacks),
            parts: affines(&piece.parts),
        }
    }
}

/// The terms of `affine` in tile indices, without a constant.
pub fn tile_part(affine: &Affine) -> Affine {
    let terms = affine.terms.iter().filter(|(variable, _)| matches!(variable, Var::Tile(_)));
    Affine { terms: terms.map(|(variable, &c)| (variable.clone(), c)).collect(), constant: 0 }
}
