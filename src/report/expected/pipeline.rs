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
    /// From the start of the last iteration to its last write.
    pub depth: f64,
    pub store: f64,
    /// To load, and to store.
    pub words: [f64; 2],
}

/// The memory.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Cycles from a command to the first word, and from the last word to its response.
    pub latency: f64,
    /// Loads and stores take turns.
    pub is_shared: bool,
}

/// What a tile waits for beside what every tile does.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Waits {
    /// Its loads, for all tiles before.
    load: Wait,
    /// Its iterations, for the stores of all tiles before.
    compute: bool,
}

/// The cycles of a run, and of each band from the end of what ran before it.
pub fn cycles(offload: &Offload, mut tiles: Vec<Tile>, memory: Memory) -> (f64, ByBand<f64>) {
    let latency = memory.latency;
    tiles.sort_by(|one, other| one.tile.cmp(&other.tile));
    let before = |place: usize| place.checked_sub(1).map(|place| &tiles[place]);
    let waits: Vec<Waits> =
        tiles.iter().enumerate().map(|(place, tile)| Waits::of(offload, tile, before(place))).collect();
    let stored = stored(&tiles, &waits, memory);
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
fn stored(tiles: &[Tile], waits: &[Waits], memory: Memory) -> Vec<f64> {
    let mut run = Run::default();
    while let Some(turn) = run.turn(tiles, waits, memory) {
        run.take(tiles, waits, turn, memory);
    }
    run.stored
}

/// A load or a store that may begin.
#[derive(Clone, Copy)]
struct Turn {
    is_load: bool,
    /// When it may ask for words, when its process may, and when the memory is free for them.
    ready: f64,
    begin: f64,
    moves: f64,
}

/// When each process is through with each tile.
#[derive(Default)]
struct Run {
    loaded: Vec<f64>,
    /// The last iteration has begun.
    begun: Vec<f64>,
    /// The last iteration has written.
    computed: Vec<f64>,
    stored: Vec<f64>,
    /// When the memory has moved the last word so far, and whether that was a load's.
    moved: f64,
    was_load: bool,
}

/// Nothing before the first tile is waited for; `None` of what is not known yet.
fn back(times: &[f64], tile: usize, by: usize) -> Option<f64> {
    tile.checked_sub(by).map_or(Some(0.0), |tile| times.get(tile).copied())
}

impl Run {
    /// What the memory does next: loads and stores that share it go on in a direction as long as something is there.
    fn turn(&self, tiles: &[Tile], waits: &[Waits], memory: Memory) -> Option<Turn> {
        let turn = |is_load: bool, ready: f64, before: &[f64]| {
            let begin = ready.max(before.last().copied().unwrap_or(0.0));
            let has_words = tiles.get(before.len()).is_some_and(|tile| tile.words[usize::from(!is_load)] > 0.0);
            let moves = if memory.is_shared && has_words { begin.max(self.moved) } else { begin };
            Turn { is_load, ready, begin, moves }
        };
        let load = self.may_load(waits).filter(|_| self.loaded.len() < tiles.len());
        let store = back(&self.computed, self.stored.len(), 0).filter(|_| self.stored.len() < tiles.len());
        let load = load.map(|ready| turn(true, ready, &self.loaded));
        let store = store.map(|ready| turn(false, ready, &self.stored));
        let (Some(load), Some(store)) = (load, store) else { return load.or(store) };
        let is_load = load.moves < store.moves || load.moves == store.moves && self.was_load;
        Some(if is_load { load } else { store })
    }

    /// When the next load has places for its words, and what it waits for is there.
    fn may_load(&self, waits: &[Waits]) -> Option<f64> {
        let tile = self.loaded.len();
        let free = back(&self.computed, tile, 2)?.max(back(&self.stored, tile, 3)?);
        Some(match waits.get(tile)?.load {
            Wait::Nothing | Wait::StoredBefore => free,
            Wait::Computed => free.max(back(&self.computed, tile, 1)?),
            Wait::Stored => free.max(back(&self.stored, tile, 1)?),
        })
    }

    fn take(&mut self, tiles: &[Tile], waits: &[Waits], turn: Turn, memory: Memory) {
        if turn.is_load {
            let Tile { load: own, words: [words, _], .. } = tiles[self.loaded.len()];
            // Bursts are asked for while the words before them come, but not before what they wait for.
            let is_asked_for = turn.ready < self.loaded.last().copied().unwrap_or(0.0) && self.was_load;
            let asks = if words > 0.0 && !is_asked_for { memory.latency } else { 0.0 };
            let end = asks + (turn.begin + own).max(turn.moves + words);
            self.loaded.push(end);
            if words > 0.0 {
                (self.moved, self.was_load) = (turn.moves + asks + words, true);
            }
        } else {
            let Tile { store: own, words: [_, words], .. } = tiles[self.stored.len()];
            self.stored.push((turn.begin + own).max(turn.moves + words));
            if words > 0.0 {
                self.moved = turn.moves + words;
                self.was_load &= !memory.is_shared;
            }
        }
        while let Some((begun, computed)) = self.computes(tiles, waits) {
            self.begun.push(begun);
            self.computed.push(computed);
        }
    }

    /// When the last iteration of the next tile begins and has written, if what it waits for is known.
    fn computes(&self, tiles: &[Tile], waits: &[Waits]) -> Option<(f64, f64)> {
        let tile = self.begun.len();
        let own = tiles.get(tile)?;
        let ready = self.loaded.get(tile)?.max(back(&self.begun, tile, 1)?).max(back(&self.stored, tile, 2)?);
        let ready = if waits[tile].compute { ready.max(back(&self.stored, tile, 1)?) } else { ready };
        let begun = ready + own.compute;
        Some((begun, (begun + own.depth).max(back(&self.computed, tile, 1)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Waits = Waits { load: Wait::Nothing, compute: false };
    const FIRST: Waits = Waits { load: Wait::Stored, compute: true };

    fn tile([load, compute, store]: [f64; 3]) -> Tile {
        Tile { tile: vec![], band: BandId(0), load, compute, depth: 0.0, store, words: [load, store] }
    }

    fn last(tiles: &[[f64; 3]], waits: &[Waits]) -> f64 {
        let tiles: Vec<Tile> = tiles.iter().copied().map(tile).collect();
        *stored(&tiles, waits, Memory { latency: 7.0, is_shared: false }).last().expect("a tile")
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
