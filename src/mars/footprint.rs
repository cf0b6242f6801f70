//! What one tile moves, and how that moves from tile to tile: Propositions 4.1 and 4.2 as computations on sets.

use anyhow::{Result, anyhow};

use super::{Reason, cells};
use crate::polyhedral::isl::{Bounded, Map, Set};

/// The cells of a relation at a tile in the middle, and the steps to its neighbours.
pub struct Footprint {
    /// The tile.
    pub tile: Vec<i64>,
    /// `{ [x0, x1] }`: its cells.
    pub cells: Set,
    /// Per dimension of the tiles by how many cells the footprint moves with the index; `None` where the tile has no neighbour
    /// along it, as only some index moves cells at all.
    pub steps: Vec<Option<Vec<i64>>>,
    /// The same for two indices at once, where neither has a step.
    pub diagonals: Vec<Vec<i64>>,
}

impl Footprint {
    /// Of `map`, `{ T[t0, t1] -> c[x0, x1] }` without parameters.
    ///
    /// # Errors
    /// isl's, and an internal error where no tile moves anything.
    pub fn new(map: &Map) -> Result<Result<Footprint, Reason>> {
        let domain = map.domain()?;
        let tile = middle(&domain)?.ok_or_else(|| anyhow!("internal error: a relation without tiles"))?;
        let cells = image(map, &domain, &tile)?;
        let Some((low, _)) = cells::bounds(&cells)? else { return Ok(Err(Reason::Unbounded)) };
        let own = Own { map, domain: &domain, tile: &tile, cells: &cells, low: &low };
        let n = tile.len();
        let unit = |k: usize, by: i64| -> Vec<i64> { (0..n).map(|l| if l == k { by } else { 0 }).collect() };
        let mut steps = vec![];
        for k in 0..n {
            // A neighbour on either side; the one at a border has other cells.
            let sides = [own.neighbour(&unit(k, 1))?, own.neighbour(&unit(k, -1))?];
            steps.push(match &sides {
                [Neighbour::Moved(step), _] => Some(step.clone()),
                [_, Neighbour::Moved(back)] => Some(back.iter().map(|entry| -entry).collect()),
                [Neighbour::None, Neighbour::None] => None,
                _ => return Ok(Err(own.why_not(k)?)),
            });
        }
        let without: Vec<usize> = (0..n).filter(|k| steps[*k].is_none()).collect();
        let mut diagonals = vec![];
        for (place, &k) in without.iter().enumerate() {
            for (&l, by) in without[place + 1..].iter().flat_map(|l| [(l, 1), (l, -1)]) {
                let mut delta = unit(k, 1);
                delta[l] = by;
                match own.neighbour(&delta)? {
                    Neighbour::Moved(step) => diagonals.push(step),
                    Neighbour::None => {}
                    Neighbour::Other => return Ok(Err(Reason::NotShiftInvariant { dimension: k })),
                }
            }
        }
        Ok(Ok(Footprint { tile, cells, steps, diagonals }))
    }

    /// All steps.
    pub fn generators(&self) -> Vec<Vec<i64>> {
        self.steps.iter().flatten().chain(&self.diagonals).cloned().collect()
    }
}

/// What a tile so many indices away moves, compared with the one in the middle.
enum Neighbour {
    /// Nothing.
    None,
    /// The same cells, so many further on.
    Moved(Vec<i64>),
    /// Cells in another shape.
    Other,
}

/// The tile in the middle, while it is compared.
struct Own<'a> {
    map: &'a Map,
    domain: &'a Set,
    tile: &'a [i64],
    cells: &'a Set,
    /// The least subscripts of `cells`.
    low: &'a [i64],
}

impl Own<'_> {
    fn neighbour(&self, delta: &[i64]) -> Result<Neighbour> {
        let tile: Vec<i64> = self.tile.iter().zip(delta).map(|(own, delta)| own + delta).collect();
        let other = image(self.map, self.domain, &tile)?;
        let Some((low, _)) = cells::bounds(&other)? else { return Ok(Neighbour::None) };
        let step: Vec<i64> = low.iter().zip(self.low).map(|(other, own)| other - own).collect();
        Ok(match cells::moved(self.cells, &step)?.is_equal(&other)? {
            true => Neighbour::Moved(step),
            false => Neighbour::Other,
        })
    }

    /// Why the tiles beside this one along `dimension` move cells in another shape.
    fn why_not(&self, dimension: usize) -> Result<Reason> {
        let mut line = self.domain.clone();
        for (k, index) in self.tile.iter().enumerate().filter(|(k, _)| *k != dimension) {
            line = line.fix(k, *index)?;
        }
        let tiles = match (line.minimum(dimension)?, line.maximum(dimension)?) {
            (Bounded::Finite(first), Bounded::Finite(last)) => last - first + 1,
            _ => i64::MAX,
        };
        if tiles <= FEW_TILES {
            return Ok(Reason::FewTiles { dimension, tiles });
        }
        for period in 2..=LONGEST_PERIOD {
            let delta: Vec<i64> = (0..self.tile.len()).map(|k| if k == dimension { period } else { 0 }).collect();
            if let Neighbour::Moved(step) = self.neighbour(&delta)? {
                return Ok(Reason::NotIntegral { dimension, tiles: period, step });
            }
        }
        Ok(Reason::NotShiftInvariant { dimension })
    }
}

/// Of so few tiles in a row all may be at a border.
const FEW_TILES: i64 = 3;

/// How many tiles on a footprint that moves by a part of a cell per tile is looked for.
const LONGEST_PERIOD: i64 = 4;

/// A tile as far from the borders as halving the extents gives it; `None` where there is none.
fn middle(domain: &Set) -> Result<Option<Vec<i64>>> {
    if domain.is_empty()? {
        return Ok(None);
    }
    let mut left = domain.clone();
    for k in 0..domain.dimensions()? {
        let index = match (left.minimum(k)?, left.maximum(k)?) {
            (Bounded::Finite(first), Bounded::Finite(last)) => first + (last - first) / 2,
            (Bounded::Finite(first), _) => first.max(0),
            (_, Bounded::Finite(last)) => last.min(0),
            _ => 0,
        };
        let next = left.fix(k, index)?;
        // Domains may have holes.
        left = if next.is_empty()? { left } else { next };
    }
    left.sample()
}

/// The cells of the tile in the middle, whether they move by steps or not.
///
/// # Errors
/// As [`Footprint::new`].
pub fn middle_cells(map: &Map) -> Result<Set> {
    let domain = map.domain()?;
    let tile = middle(&domain)?.ok_or_else(|| anyhow!("internal error: a relation without tiles"))?;
    image(map, &domain, &tile)
}

/// The cells of one tile, `{ [x0, x1] }`.
pub fn image(map: &Map, domain: &Set, tile: &[i64]) -> Result<Set> {
    let mut at = domain.clone();
    for (k, index) in tile.iter().enumerate() {
        at = at.fix(k, *index)?;
    }
    map.intersect_domain(&at)?.range()?.without_tuple_name()?.compute_divs()?.coalesce()
}
