//! Sizes and tile indices, and what of the loops' bounds they give.

pub mod bounds;
pub mod relative;

use crate::affine::Affine;
use crate::hardware::circuit::ranged::Ranged;

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

    /// The interval of `name`, if it is one of them.
    pub fn range(&self, name: &str) -> Option<(i64, i64)> {
        self.iter().find(|r| r.name == name).map(|r| r.range)
    }

    /// The terms of `affine` in tile indices, without a constant.
    pub fn tile_part(&self, affine: &Affine) -> Affine {
        let is_tile = |name: &str| self.tile.iter().any(|t| t.name == name);
        let terms = affine.terms.iter().filter(|(name, _)| is_tile(name));
        Affine { terms: terms.map(|(name, &c)| (name.clone(), c)).collect(), constant: 0 }
    }
}
