//! When cells are on chip where a strip runs along several dimensions: the step before and the one behind a tile are those of
//! the tiles that the hardware walks before and after it in the strip, which may lie in another row of tiles.

use anyhow::Result;

use crate::affine::Affine;
use crate::polyhedral::isl::{Bounded, Map, Tuple};
use crate::tiling::Band;
use crate::transfer::ArrayFlow;

/// The order of a strip's tiles, all of them `{ T -> T }`.
struct Order {
    /// The tile walked next.
    next: Map,
    /// The tile itself and those that follow.
    onwards: Map,
}

impl Order {
    fn new(band: &Band) -> Result<Order> {
        let tile = Tuple { name: "T", dimensions: &band.tile_names };
        let indices: Vec<Affine> = band.tile_names.iter().map(Affine::variable).collect();
        let named = band.isl.function(&band.parameters, Tuple::unnamed(&band.tile_names), tile, &indices)?;
        let tiles = band.walked()?.to_set()?.apply(&named)?;
        let later = band.later.intersect_domain(&tiles)?.intersect_range(&tiles)?;
        Ok(Order { next: later.lexmin()?, onwards: later.union(&tiles.identity()?)? })
    }

    /// `{ c[m] -> T }`: the tiles from the first of `begin` to the last of `end`, both `{ c[m] -> T }`.
    fn between(&self, begin: &Map, end: &Map) -> Result<Map> {
        begin.apply_range(&self.onwards)?.intersect(&end.apply_range(&self.onwards.reverse()?)?)
    }
}

/// `{ c[m] -> T }`: the tiles in whose steps a cell is on chip. From its load, which comes a step before the tile that loads
/// it, or else the first tile that accesses it, to its last access or, where that is later, its store, a step behind the tile
/// that stores it.
///
/// The steps before the first tile of a strip and behind the last one are left out: cells that share those share the tile
/// as well.
pub fn live(band: &Band, flow: &ArrayFlow) -> Result<Map> {
    let order = Order::new(band)?;
    let accessed = flow.accessed.reverse()?;
    let begin = flow.load.reverse()?.apply_range(&order.next.reverse()?)?.union(&accessed)?;
    let end = flow.store.reverse()?.apply_range(&order.next)?.union(&accessed)?;
    order.between(&begin.coalesce()?, &end.coalesce()?)?.coalesce()
}

/// How many rows of tiles lie between a tile and the next of its strip, the row of the latter included, at most: 1 unless
/// there are rows without a tile. `None` where there is no end to it.
pub fn rows_ahead(band: &Band) -> Result<Option<i64>> {
    let rows = Order::new(band)?.next.deltas()?.maximum(band.directive.strip_indices())?;
    Ok(match rows {
        Bounded::Finite(rows) => Some(rows.max(1)),
        Bounded::Empty => Some(1),
        Bounded::Infinite => None,
    })
}
