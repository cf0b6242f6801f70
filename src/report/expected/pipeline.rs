//! A run of few tiles, tile by tile: what each loads, computes and stores, and who waits for whom. A first load behind which the
//! iterations of a small tile run, or a last tile that has nothing to store, are seen here and in no sum over all tiles.

use crate::ids::{BandId, ByBand};
use crate::offload::{Offload, Transfer, Wait};

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

/// The cycles of a run, and of each band, from the end of what ran before it. `latency` is that of the memory, from a command to the first
/// word, and from the last word to its response. By the credits that the processes give each other: Load(T) begins behind Compute(T-2) and
/// Store(T-3), Compute(T) behind Store(T-2).
pub fn cycles(offload: &Offload, mut tiles: Vec<Tile>, latency: f64) -> (f64, ByBand<f64>) {
    tiles.sort_by(|one, other| one.tile.cmp(&other.tile));
    let mut by_band: ByBand<f64> = offload.bands.iter().map(|_| 0.0).collect();
    // When each process is through with each tile.
    let [mut loaded, mut computed, mut stored]: [Vec<f64>; 3] = Default::default();
    let at = |times: &[f64], back: usize| times.len().checked_sub(back).map_or(0.0, |place| times[place]);
    let mut begun = 0.0;
    for (place, own) in tiles.iter().enumerate() {
        let band = &offload.bands[own.band];
        let before = place.checked_sub(1).map(|place| &tiles[place]);
        let strip = band.tiling.strip_indices();
        let changes = before.is_none_or(|other| other.band != own.band);
        let begins_strip = changes || before.is_some_and(|other| other.tile[..strip] != own.tile[..strip]);
        // What the first loads of a strip, and its first iterations, wait for.
        let waits = |least: Wait| {
            let has = |transfer: &Transfer| transfer.wait >= least && !transfer.load.pieces.is_empty();
            begins_strip && (changes || band.transfers.iter().any(has))
        };
        let mut load_from = at(&loaded, 1).max(at(&computed, 2)).max(at(&stored, 3));
        if waits(Wait::Stored) {
            load_from = load_from.max(at(&stored, 1));
        } else if waits(Wait::Computed) {
            load_from = load_from.max(at(&computed, 1));
        }
        // Bursts are asked for ahead of the loads before, but not of what is waited for.
        let waited = load_from > at(&loaded, 1) || place == 0;
        let is_loaded = load_from + own.load + if own.load > 0.0 && waited { latency } else { 0.0 };
        let mut compute_from = is_loaded.max(at(&computed, 1)).max(at(&stored, 2));
        if begins_strip && (changes || band.compute_waits) {
            compute_from = compute_from.max(at(&stored, 1));
        }
        let is_computed = compute_from + own.compute;
        let is_stored = is_computed.max(at(&stored, 1)) + own.store;
        if changes {
            begun = at(&stored, 1);
        }
        by_band[own.band] += is_stored - begun;
        begun = is_stored;
        loaded.push(is_loaded);
        computed.push(is_computed);
        stored.push(is_stored);
    }
    (at(&stored, 1) + latency, by_band)
}
