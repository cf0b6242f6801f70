//! How many words of each buffer hold a value that somebody still wants, from the first iteration of a run to the last one.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::footprint::{Follower, Sees};
use crate::ids::{ArrayId, BandId};
use crate::offload::Offload;
use crate::walk::{self, Values};

/// Iterations and cells of a run that are followed.
const STEPS: u64 = 3_000_000;
/// Tiles of it.
const TILES: usize = 100_000;
/// Cells of all arrays together, each with eight bytes of bookkeeping.
const CELLS: usize = 1 << 22;
/// Points of a curve at most.
const COLUMNS: u64 = 480;

/// Words over the dates of the run: a date is the number of iterations that started before, as in [`Order`](super::order::Order).
#[derive(Clone, Debug, PartialEq)]
pub struct Lives {
    /// Tiles from the first on, all of them or whole strips, and their dates.
    pub tiles: u64,
    pub dates: u64,
    /// Dates that a point of the curves stands for; the last one may stand for fewer.
    pub together: u64,
    pub arrays: Vec<Live>,
}

/// Of an array that has a buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Live {
    pub array: String,
    /// Of the buffer.
    pub words: i64,
    /// The most words that are alive at one date.
    pub peak: u64,
    /// The same for the dates of each point.
    pub most: Vec<u64>,
}

/// No date.
const NEVER: u32 = u32::MAX;

/// The cells of one array.
struct Cells {
    array: ArrayId,
    /// Per cell, when its value came, and when it was wanted last.
    came: Vec<u32>,
    wanted: Vec<u32>,
    /// By how many words more or fewer are alive at a date than at the one before.
    change: Vec<i32>,
}

impl Cells {
    /// A value comes into the place of another one. Where that was wanted at this date, it counts from the next one on, so that the
    /// word counts once.
    fn come(&mut self, place: usize, date: u32) {
        let from = match self.wanted[place] {
            last if last != NEVER && last >= date => last + 1,
            _ => date,
        };
        self.end(place);
        self.came[place] = from;
        self.wanted[place] = NEVER;
    }

    /// Its value is wanted. One that never came is nobody's.
    fn want(&mut self, place: usize, date: u32) {
        if self.came[place] == NEVER {
            self.came[place] = date;
        }
        if self.wanted[place] == NEVER || self.wanted[place] < date {
            self.wanted[place] = date;
        }
    }

    /// Counts the word from the date of its value to the last at which that was wanted.
    fn end(&mut self, place: usize) {
        let (from, last) = (self.came[place], self.wanted[place]);
        if from == NEVER || last == NEVER || last < from {
            return;
        }
        let end = last as usize + 1;
        if self.change.len() <= end {
            self.change.resize(end + 1, 0);
        }
        self.change[from as usize] += 1;
        self.change[end] -= 1;
    }
}

/// All arrays that have a buffer, at a tile whose first date is `base`.
struct Run {
    arrays: Vec<Cells>,
    base: u64,
}

impl Run {
    fn of(&mut self, array: ArrayId) -> Option<&mut Cells> {
        self.arrays.iter_mut().find(|cells| cells.array == array)
    }
}

impl Sees for Run {
    fn access(&mut self, array: ArrayId, place: usize, writes: bool, date: u64) {
        let date = (self.base + date) as u32;
        match (self.of(array), writes) {
            (Some(cells), true) => cells.come(place, date),
            (Some(cells), false) => cells.want(place, date),
            _ => {}
        }
    }
}

impl Lives {
    /// Of a run whose accesses do not depend on data, and the first dates of its tiles. A value comes with the load of its tile, before the
    /// first iteration, or is written, and is wanted where it is read, and by the store of its tile, behind the last iteration.
    pub fn of(offload: &Offload, sizes: &BTreeMap<String, i64>) -> Option<(Lives, Vec<u64>)> {
        let mut follower = Follower::new(offload, sizes, STEPS);
        let cells: usize = offload.buffers.iter().map(|buffer| follower.shapes[buffer.array].cells()).sum();
        let fits = offload.buffers.iter().all(|buffer| follower.shapes[buffer.array].fits()) && cells <= CELLS;
        if !fits || !Follower::follows(&offload.kernel) {
            return None;
        }
        let (tiles, is_all) = tiles(offload, &mut Values::new(sizes));
        let arrays = offload.buffers.iter().map(|buffer| {
            let cells = follower.shapes[buffer.array].cells();
            Cells { array: buffer.array, came: vec![NEVER; cells], wanted: vec![NEVER; cells], change: vec![] }
        });
        let mut run = Run { arrays: arrays.collect(), base: 0 };
        let mut firsts = vec![];
        // The tiles and the dates of whole strips.
        let (mut whole, mut strip) = ((0, 0), None);
        let mut ended = is_all;
        for (band, index) in &tiles {
            let own = Some((*band, &index[..index.len().saturating_sub(offload.bands[*band].tiling.strip)]));
            if strip != own {
                (whole, strip) = ((firsts.len(), run.base), own);
            }
            let Some(dates) = run.tile(&mut follower, *band, index) else {
                ended = false;
                break;
            };
            firsts.push(run.base);
            run.base += dates;
        }
        if ended {
            whole = (firsts.len(), run.base);
        }
        let (tiles, dates) = whole;
        if dates == 0 {
            return None;
        }
        firsts.truncate(tiles);
        let together = dates.div_ceil(COLUMNS);
        let arrays = run.arrays.into_iter().zip(&offload.buffers).map(|(mut cells, buffer)| {
            (0..cells.came.len()).for_each(|place| cells.end(place));
            let mut alive = 0i64;
            let change = cells.change.iter().copied().map(i64::from).chain(std::iter::repeat(0));
            let counts: Vec<u64> = change
                .take(dates as usize)
                .map(|change| {
                    alive += change;
                    alive.max(0) as u64
                })
                .collect();
            let most = counts.chunks(together as usize).map(|own| own.iter().copied().max().unwrap_or(0)).collect();
            let array = offload.kernel.arrays[buffer.array].name.clone();
            Live { array, words: buffer.words(), peak: counts.into_iter().max().unwrap_or(0), most }
        });
        Some((Lives { tiles: tiles as u64, dates, together, arrays: arrays.collect() }, firsts))
    }
}

impl Run {
    /// Follows a tile; gives its dates, `None` where the follower is at its end.
    fn tile(&mut self, follower: &mut Follower, band: BandId, index: &[i64]) -> Option<u64> {
        let transfers = follower.transfers(band, index)?;
        for (array, loaded, _) in &transfers {
            let base = self.base as u32;
            let Some(cells) = self.of(*array) else { continue };
            loaded.iter().for_each(|place| cells.come(*place, base));
        }
        let dates = follower.walk(band, index, self)?.dates;
        let last = (self.base + dates).saturating_sub(1) as u32;
        for (array, _, stored) in &transfers {
            let Some(cells) = self.of(*array) else { continue };
            stored.iter().for_each(|place| cells.want(*place, last));
        }
        Some(dates)
    }
}

/// The first tiles of a run, and whether they are all.
fn tiles(offload: &Offload, values: &mut Values) -> (Vec<(BandId, Vec<i64>)>, bool) {
    let mut found = vec![];
    let outcome = walk::in_order(&offload.tiles.pieces, values, |piece, values| {
        if found.len() == TILES {
            return ControlFlow::Break(());
        }
        let index = piece.point.iter().map(|index| values.evaluate(index)).collect();
        found.push((piece.leaf.band(), index));
        ControlFlow::Continue(())
    });
    (found, outcome.is_continue())
}
