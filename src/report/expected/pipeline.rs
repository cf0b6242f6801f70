//! A run of few tiles, tile by tile: what each loads, computes and stores, and who waits for whom. A first load behind which the
//! iterations of a small tile run, or a last tile that has nothing to store, are seen here and in no sum over all tiles.

use crate::ids::{BandId, ByBand};
use crate::offload::{Offload, Wait};

/// What a tile takes, in cycles of each process by itself.
#[derive(Clone, Debug)]
pub struct Tile {
    /// Its indices: tiles run in their lexicographic order.
    pub tile: Vec<i64>,
    pub band: BandId,
    pub load: f64,
    pub compute: f64,
    pub store: f64,
}

/// What a tile waits for beside what every tile does.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Waits {
    /// Its loads, for all tiles before.
    load: Wait,
    /// Its iterations, for the stores of all tiles before.
    compute: bool,
}

/// The cycles of a run, and of each band from the end of what ran before it. `latency` is that of the memory, from a command to the first
/// word, and from the last word to its response.
pub fn cycles(offload: &Offload, mut tiles: Vec<Tile>, latency: f64) -> (f64, ByBand<f64>) {
    tiles.sort_by(|one, other| one.tile.cmp(&other.tile));
    let before = |place: usize| place.checked_sub(1).map(|place| &tiles[place]);
    let waits: Vec<Waits> =
        tiles.iter().enumerate().map(|(place, tile)| Waits::of(offload, tile, before(place))).collect();
    let stored = stored(&tiles, &waits, latency);
    let mut by_band: ByBand<f64> = offload.bands.iter().map(|_| 0.0).collect();
    let mut begun = 0.0;
    for (tile, end) in tiles.iter().zip(&stored) {
        by_band[tile.band] += end - begun;
        begun = *end;
    }
    if let Some(last) = tiles.last() {
        by_band[last.band] += latency;
    }
    (begun + latency, by_band)
}

impl Waits {
    /// Those of a tile behind another, or of the first one.
    fn of(offload: &Offload, own: &Tile, before: Option<&Tile>) -> Waits {
        let band = &offload.bands[own.band];
        let Some(before) = before.filter(|before| before.band == own.band) else {
            return Waits { load: Wait::Stored, compute: true };
        };
        let strip = band.tiling.strip_indices();
        if before.tile[..strip] == own.tile[..strip] {
            return Waits { load: Wait::Nothing, compute: false };
        }
        let loads = band.transfers.iter().filter(|transfer| !transfer.load.pieces.is_empty());
        let load = loads.map(|transfer| transfer.wait).max().unwrap_or(Wait::Nothing);
        Waits { load, compute: band.compute_waits }
    }
}

/// When the words of each tile are out of the buffers, by the credits that processes give each other: Load(T) begins behind Compute(T-2)
/// and Store(T-3), Compute(T) behind Store(T-2).
fn stored(tiles: &[Tile], waits: &[Waits], latency: f64) -> Vec<f64> {
    // When each process is through with each tile.
    let [mut loaded, mut computed, mut stored]: [Vec<f64>; 3] = Default::default();
    let back = |times: &[f64], by: usize| times.len().checked_sub(by).map_or(0.0, |place| times[place]);
    for (own, waits) in tiles.iter().zip(waits) {
        let free = back(&computed, 2).max(back(&stored, 3));
        let free = match waits.load {
            Wait::Nothing | Wait::StoredBefore => free,
            Wait::Computed => free.max(back(&computed, 1)),
            Wait::Stored => free.max(back(&stored, 1)),
        };
        // Bursts are asked for while the words before them come, but not before what they wait for.
        let is_asked_for = free < back(&loaded, 1);
        let asks = if own.load > 0.0 && !is_asked_for { latency } else { 0.0 };
        loaded.push(free.max(back(&loaded, 1)) + asks + own.load);
        let ready = back(&loaded, 1).max(back(&computed, 1)).max(back(&stored, 2));
        let ready = if waits.compute { ready.max(back(&stored, 1)) } else { ready };
        computed.push(ready + own.compute);
        stored.push(back(&computed, 1).max(back(&stored, 1)) + own.store);
    }
    stored
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Waits = Waits { load: Wait::Nothing, compute: false };
    const FIRST: Waits = Waits { load: Wait::Stored, compute: true };

    fn tile([load, compute, store]: [f64; 3]) -> Tile {
        Tile { tile: vec![], band: BandId(0), load, compute, store }
    }

    fn last(tiles: &[[f64; 3]], waits: &[Waits]) -> f64 {
        let tiles: Vec<Tile> = tiles.iter().copied().map(tile).collect();
        *stored(&tiles, waits, 7.0).last().expect("a tile")
    }

    #[test]
    fn what_takes_longest_hides_the_others() {
        let waits = [FIRST, NONE, NONE, NONE];
        // The first load, all iterations, the last store.
        assert_eq!(last(&[[10.0, 50.0, 5.0]; 4], &waits), 7.0 + 10.0 + 4.0 * 50.0 + 5.0);
        // Loads wait for one another only, once they are asked for.
        assert_eq!(last(&[[90.0, 50.0, 5.0]; 4], &waits), 7.0 + 4.0 * 90.0 + 50.0 + 5.0);
    }

    #[test]
    fn a_small_tile_hides_no_load() {
        let tiles = [[10.0, 1.0, 0.0], [100.0, 60.0, 0.0], [0.0, 1.0, 80.0]];
        assert_eq!(last(&tiles, &[FIRST, NONE, NONE]), 7.0 + 10.0 + 100.0 + 60.0 + 1.0 + 80.0);
    }

    #[test]
    fn iterations_wait_for_the_places_of_the_tile_before_the_last() {
        let tiles = [[0.0, 10.0, 100.0], [0.0, 10.0, 0.0], [0.0, 10.0, 0.0]];
        assert_eq!(last(&tiles, &[FIRST, NONE, NONE]), 10.0 + 100.0 + 10.0);
    }

    /// Its words have places once the tile before the last is computed, and the one before that is stored.
    #[test]
    fn loads_wait_for_the_places_of_the_tiles_before() {
        let computed = [[0.0, 100.0, 0.0], [0.0, 1.0, 0.0], [50.0, 1.0, 0.0]];
        assert_eq!(last(&computed, &[FIRST, NONE, NONE]), 100.0 + 7.0 + 50.0 + 1.0);
        let stored = [[0.0, 1.0, 100.0], [0.0, 1.0, 10.0], [0.0, 1.0, 0.0], [50.0, 1.0, 0.0]];
        assert_eq!(last(&stored, &[FIRST, NONE, NONE, NONE]), 1.0 + 100.0 + 7.0 + 50.0 + 1.0);
    }

    #[test]
    fn iterations_wait_for_what_the_strip_before_stores() {
        let waits = Waits { load: Wait::Nothing, compute: true };
        assert_eq!(last(&[[10.0, 20.0, 10.0]; 2], &[FIRST, waits]), 17.0 + 20.0 + 10.0 + 20.0 + 10.0);
    }

    #[test]
    fn strips_wait_as_their_loads_must() {
        let tiles = [[10.0, 20.0, 10.0]; 2];
        let with = |load: Wait| last(&tiles, &[FIRST, Waits { load, compute: false }]);
        assert_eq!(with(Wait::Nothing), 17.0 + 20.0 + 20.0 + 10.0);
        assert_eq!(with(Wait::Computed), 17.0 + 20.0 + 7.0 + 10.0 + 20.0 + 10.0);
        assert_eq!(with(Wait::Stored), 17.0 + 20.0 + 10.0 + 7.0 + 10.0 + 20.0 + 10.0);
    }
}
