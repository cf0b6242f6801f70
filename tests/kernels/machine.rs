//! A naive machine with the accelerator's three processes, each of which does a whole piece of work at once: the loads
//! of one array of a tile, the computation of a tile, the stores of a tile. What may happen next follows from the tokens
//! alone; a policy chooses among it.

use std::collections::BTreeMap;

use burstc::ids::{ArrayId, BandId};
use burstc::offload::{Band, Offload, Wait};

use super::pipeline::{Cell, Environment, Instance, Memory, Text, in_memory, initial, walk};

/// Which of the steps that the tokens allow is made.
#[derive(Clone, Copy, Debug)]
pub enum Policy {
    /// Loads as early, stores as late as possible: whatever may live at the same time does.
    Tightest,
    /// Any, by chance.
    Random(u64),
}

#[derive(Clone, Copy)]
enum Step {
    Load,
    Compute,
    Store,
}

pub struct Machine<'a> {
    offload: &'a Offload,
    text: &'a Text<'a>,
    sizes: &'a Environment,
    /// Band and indices, in the order in which they run.
    tiles: &'a [(usize, Cell)],
    /// The number of the first tile of every tile's strip.
    strip_starts: Vec<usize>,
    /// Tiles that have been loaded as a whole, and the arrays loaded of the next.
    loaded: usize,
    arrays_loaded: usize,
    computed: usize,
    stored: usize,
    /// `(band, array, place)` to the cell that is there, and its value.
    buffers: BTreeMap<(BandId, ArrayId, Cell), (Cell, u64)>,
    ddr: Memory,
    ran: Vec<Instance>,
}

impl<'a> Machine<'a> {
    pub fn new(offload: &'a Offload, text: &'a Text, sizes: &'a Environment, tiles: &'a [(usize, Cell)]) -> Self {
        let indices = |n: usize| offload.bands[BandId(tiles[n].0)].tiling.strip_indices();
        let strip = |n: usize| (tiles[n].0, &tiles[n].1[..indices(n)]);
        let mut strip_starts: Vec<usize> = vec![];
        for n in 0..tiles.len() {
            let goes_on = n > 0 && strip(n - 1) == strip(n);
            strip_starts.push(if goes_on { strip_starts[n - 1] } else { n });
            if goes_on && tiles[n].1.len() == indices(n) + 1 {
                assert_eq!(tiles[n - 1].1.last().unwrap() + 1, *tiles[n].1.last().unwrap(), "a hole in a strip");
            }
        }
        Machine {
            offload,
            text,
            sizes,
            tiles,
            strip_starts,
            loaded: 0,
            arrays_loaded: 0,
            computed: 0,
            stored: 0,
            buffers: BTreeMap::new(),
            ddr: Memory::new(),
            ran: vec![],
        }
    }

    /// Runs to the end: the instances in the order in which they ran, and the memory.
    pub fn run(mut self, policy: Policy) -> (Vec<Instance>, Memory) {
        let mut random = match policy {
            Policy::Tightest => 0,
            Policy::Random(seed) => seed,
        };
        while self.stored < self.tiles.len() {
            let all =
                [(Step::Load, self.may_load()), (Step::Compute, self.may_compute()), (Step::Store, self.may_store())];
            let allowed: Vec<Step> = all.into_iter().filter(|(_, may)| *may).map(|(step, _)| step).collect();
            assert!(!allowed.is_empty(), "the processes wait for each other");
            let choice = match policy {
                Policy::Tightest => 0,
                Policy::Random(_) => {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (random >> 33) as usize % allowed.len()
                }
            };
            match allowed[choice] {
                Step::Load => self.load(),
                Step::Compute => self.compute(),
                Step::Store => self.store(),
            }
        }
        (self.ran, self.ddr)
    }

    fn band(&self, tile: usize) -> &'a Band {
        &self.offload.bands[BandId(self.tiles[tile].0)]
    }

    /// The next array of the tile under way, or its end mark behind the last one.
    fn may_load(&self) -> bool {
        let n = self.loaded;
        if n == self.tiles.len() {
            return false;
        }
        let start = self.strip_starts[n];
        let other_band = n > 0 && self.tiles[n - 1].0 != self.tiles[n].0;
        let has_begun = self.arrays_loaded > 0;
        let near = n < self.computed + 2 && n < self.stored + 3 && (!other_band || self.stored == n);
        let band = self.band(n);
        let waits_for = match band.transfers.get(self.arrays_loaded) {
            Some(transfer) if transfer.load.pieces.is_empty() => Wait::Nothing,
            Some(transfer) => transfer.wait,
            None if band.compute_waits => Wait::Stored,
            None => Wait::Nothing,
        };
        let waits = match waits_for {
            Wait::Nothing => false,
            // The number of the first tile of the strip before.
            Wait::StoredBefore => start > 0 && self.stored < self.strip_starts[start - 1],
            Wait::Computed => self.computed < start,
            Wait::Stored => self.stored < start,
        };
        (has_begun || near) && !waits
    }

    fn may_compute(&self) -> bool {
        self.computed < self.loaded && self.computed < self.stored + 2
    }

    fn may_store(&self) -> bool {
        self.stored < self.computed
    }

    fn context(&self, tile: usize) -> Environment {
        let indices = &self.tiles[tile].1;
        let indices = self.offload.kernel.tile_names(indices.len()).into_iter().zip(indices.iter().copied());
        self.sizes.clone().into_iter().chain(indices).collect()
    }

    fn place(&self, tile: usize, (array, cell): &(ArrayId, Cell)) -> (BandId, ArrayId, Cell) {
        let band = BandId(self.tiles[tile].0);
        let buffer = self.offload.buffers.iter().find(|b| b.array == *array).expect("a buffer");
        let mapping = buffer.mappings[band].as_ref().expect("a mapping");
        let skewed = mapping.skewed(cell);
        let residues = skewed.iter().zip(&mapping.exact_moduli).map(|(x, m)| x.rem_euclid(*m));
        let strip = self.strip_starts[..=tile].iter().zip(0..).filter(|(start, n)| *start == n).count();
        let number = if mapping.by_strips { strip } else { tile };
        (band, *array, [number as i64 % mapping.slots].into_iter().chain(residues).collect())
    }

    fn load(&mut self) {
        let n = self.loaded;
        let Some(transfer) = self.band(n).transfers.get(self.arrays_loaded) else {
            (self.loaded, self.arrays_loaded) = (n + 1, 0);
            return;
        };
        for (_, cell) in walk(&transfer.load, &self.context(n)) {
            let cell = (transfer.array, cell);
            let memory = in_memory(&self.offload.kernel, &cell);
            let value = self.ddr.get(&memory).copied().unwrap_or_else(|| initial(&memory));
            self.buffers.insert(self.place(n, &cell), (cell.1, value));
        }
        self.arrays_loaded += 1;
    }

    fn compute(&mut self) {
        let n = self.computed;
        let name = &self.offload.kernel.name;
        for instance in walk(&self.band(n).compute.scan, &self.context(n)) {
            let read = |cell: &(ArrayId, Cell)| {
                let Some((found, value)) = self.buffers.get(&self.place(n, cell)) else {
                    panic!("{name}: {instance:?} reads {cell:?}, which is not on chip")
                };
                assert_eq!(*found, cell.1, "{name}: {instance:?} finds another cell");
                *value
            };
            for (target, result) in self.text.writes(&instance, read) {
                self.buffers.insert(self.place(n, &target), (target.1, result));
            }
            self.ran.push(instance);
        }
        self.computed += 1;
    }

    fn store(&mut self) {
        let n = self.stored;
        for transfer in &self.band(n).transfers {
            for (_, cell) in walk(&transfer.store, &self.context(n)) {
                let cell = (transfer.array, cell);
                let (found, value) = &self.buffers[&self.place(n, &cell)];
                let name = &self.offload.kernel.name;
                assert_eq!(*found, cell.1, "{name}: the buffer holds another cell at its store");
                self.ddr.insert(cell, *value);
            }
        }
        self.stored += 1;
    }
}
