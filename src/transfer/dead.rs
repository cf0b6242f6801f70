//! Stores that nobody loads: of what a tile would store, the cells that a later strip, of any band, stores again before any
//! strip loads them. Theorem 1 of RR-7697 is exact inside a strip, and ends there; a strip that overwrites what
//! the strip before has stored makes its stores dead. Cells of local arrays that no later tile loads are dead as well, as
//! are those of scratch arrays, of which nobody reads what is left.
//!
//! A store is dropped where the next that happens to its cell, in the order of all strips, is a store: a parametric
//! lexicographic minimum. [`require_replay`] looks at the result from the other side: what a load finds in memory is the
//! last that was written.

use anyhow::{Result, bail};

use super::ArrayFlow;
use crate::affine::Affine;
use crate::ids::{ArrayId, ByBand};
use crate::polyhedral::isl::{Bounded, Map, Set, Tuple};
use crate::source::kernel::{Array, Kernel, Storage};
use crate::tiling::Band;

/// isl's operations for the dead stores of one array; where they do not suffice, it keeps its stores.
const OPERATIONS: u64 = 200_000;

/// The same for the distances of its tiles; where the tiles are the user's, who has asked for them, and where burstc chooses.
const DISTANCES_OPERATIONS: (u64, u64) = (2_000_000, 200_000);

/// Most distances that are looked at one by one.
const MOST_DISTANCES: i64 = 256;

/// Most distances of strips among which those are found.
const MOST_STRIPS: i64 = 10_000;

/// What happens to a cell in memory in a tile: it is loaded before it is stored.
#[derive(Clone, Copy)]
enum Event {
    Load,
    Store,
}

/// Who sees what is left of an array behind the kernel.
#[derive(Clone, Copy, PartialEq)]
enum After {
    /// The caller: the last store stays.
    Seen,
    /// Nobody.
    Unseen,
    /// Nobody, but its words are either as before the kernel or as it leaves them: where a store of a cell stays, so does
    /// the last one.
    WholeOrNot,
}

impl After {
    fn of(array: &Array) -> After {
        match array.storage {
            Storage::Argument if array.scratch => After::WholeOrNot,
            Storage::Argument => After::Seen,
            Storage::Local { .. } => After::Unseen,
        }
    }
}

/// isl's operations for the question whether the tiles share cells of an array.
const PRIVATE_OPERATIONS: u64 = 50_000;

/// Takes out the loads of local arrays whose cells are those of one tile each: what is perhaps not written there before it
/// is read has no value yet, and C does not read it.
fn without_loads_of_nothing(kernel: &Kernel, bands: &ByBand<Band>, flows: &mut ByBand<Vec<ArrayFlow>>) -> Result<()> {
    for (array, declaration) in kernel.arrays.iter_enumerated() {
        let of_bands = bands.iter().zip(flows.iter_mut());
        let of_bands = of_bands.flat_map(|(band, flows)| flows.iter_mut().map(move |flow| (band, flow)));
        let mut own = of_bands.filter(|(_, flow)| flow.array == array);
        let (Some((band, flow)), None) = (own.next(), own.next()) else { continue };
        if After::of(declaration) == After::Unseen && !flow.load.is_empty()? && is_private(band, flow)? {
            flow.load = flow.load.subtract(&flow.load)?;
        }
    }
    Ok(())
}

/// Whether no tile reads what another one may write.
fn is_private(band: &Band, flow: &ArrayFlow) -> Result<bool> {
    let private = || {
        let [read, written] = [&flow.live_in, &flow.out].map(|cells| cells.intersect_params(&band.bounded_sizes));
        let pairs = read?.apply_range(&written?.reverse()?)?;
        pairs.is_subset(&pairs.domain()?.identity()?)
    };
    Ok(band.isl.within(PRIVATE_OPERATIONS, private)?.unwrap_or(false))
}

/// Takes out the stores of arrays that nobody sees and no tile loads: whatever is written stays on chip.
pub fn keep_on_chip(kernel: &Kernel, bands: &ByBand<Band>, flows: &mut ByBand<Vec<ArrayFlow>>) -> Result<()> {
    without_loads_of_nothing(kernel, bands, flows)?;
    for (array, declaration) in kernel.arrays.iter_enumerated() {
        let after = After::of(declaration);
        let mut is_loaded = after == After::Seen || kernel.keeps_stores && after == After::WholeOrNot;
        for flow in flows.iter().flatten().filter(|flow| flow.array == array) {
            is_loaded |= !flow.load.is_empty()?;
        }
        for flow in flows.iter_mut().flatten().filter(|flow| flow.array == array && !is_loaded) {
            flow.dead = Some(flow.store.clone());
            flow.store = flow.store.subtract(&flow.store)?;
        }
    }
    Ok(())
}

/// Takes the other dead stores out of the flows of all bands, and keeps them in [`ArrayFlow::dead`]; tells whether there are
/// any.
///
/// # Errors
/// An internal error where a load would find another value than was written last.
pub fn drop_dead_stores(kernel: &Kernel, bands: &ByBand<Band>, flows: &mut ByBand<Vec<ArrayFlow>>) -> Result<bool> {
    let (Some(dates), Some(isl)) = (dates(bands), bands.first().map(|band| &band.isl)) else { return Ok(false) };
    let mut any = false;
    for (array, declaration) in kernel.arrays.iter_enumerated() {
        let after = After::of(declaration);
        let own = touching(array, bands, &dates, flows);
        if own.is_empty() || kernel.keeps_stores && after != After::Unseen {
            continue;
        }
        let mut found = isl.within(OPERATIONS, || History::new(&own)?.dead(after))?;
        if let (None, After::Seen, [(band, _, flow)]) = (&found, after, &own[..]) {
            let (given, chosen) = DISTANCES_OPERATIONS;
            let is_given = kernel.tilings.iter().any(|tiling| tiling.span.line > 0);
            let operations = if is_given { given } else { chosen };
            let dead = isl.within(operations, || dead_by_distances(band, flow))?.flatten();
            found = dead.map(|dead| vec![dead]);
        }
        let mut dead = found.into_iter().flatten();
        let mut changed = false;
        let of_bands = bands.iter().zip(flows.iter_mut());
        let of_bands = of_bands.flat_map(|(band, flows)| flows.iter_mut().map(move |flow| (band, flow)));
        for (band, flow) in of_bands.filter(|(_, flow)| flow.array == array) {
            let Some(dead) = dead.next() else { break };
            let dead = flow.store.intersect(&dead)?;
            if !dead.is_empty()? {
                changed = true;
                // The dead ones are known within the bounds of sizes only.
                let store = flow.store.intersect_params(&band.bounded_sizes)?.subtract(&dead)?;
                flow.store = store.coalesce()?.gist_params(&band.bounded_sizes)?;
                flow.dead = Some(dead.coalesce()?);
            }
        }
        if changed {
            any = true;
            isl.within(OPERATIONS, || require_replay(declaration, &touching(array, bands, &dates, flows)))?;
        }
    }
    Ok(any)
}

/// A band, when its strips run, and what they do to an array.
type Touching<'a> = (&'a Band, &'a [Affine], &'a ArrayFlow);

/// The bands that touch an array.
fn touching<'a>(
    array: ArrayId,
    bands: &'a ByBand<Band>,
    dates: &'a ByBand<Vec<Affine>>,
    flows: &'a ByBand<Vec<ArrayFlow>>,
) -> Vec<Touching<'a>> {
    let of_band = |((band, date), flows): ((&'a Band, &'a Vec<Affine>), &'a Vec<ArrayFlow>)| {
        flows.iter().filter(move |flow| flow.array == array).map(move |flow| (band, &date[..], flow))
    };
    bands.iter().zip(dates).zip(flows).flat_map(of_band).collect()
}

/// When the strips of every band run, over the indices of their tiles: [`Band::run_dates`] without the indices that change
/// along a strip, and the band. `None` where strips of two bands may alternate tile by tile.
fn dates(bands: &ByBand<Band>) -> Option<ByBand<Vec<Affine>>> {
    if Band::alternate(bands) {
        return None;
    }
    let mut dates = Band::run_dates(bands);
    for ((number, date), band) in dates.iter_mut_enumerated().zip(bands) {
        let along = band.directive.strip_indices()..band.tile_names.len();
        date[along].iter_mut().filter(|index| !index.is_constant()).for_each(|index| *index = Affine::default());
        date.push(Affine::constant(number.0 as i64));
    }
    Some(dates)
}

/// Everything that happens to one array's cells in memory.
struct History<'a> {
    /// The bands that touch it, with the dates of their tiles.
    own: &'a [Touching<'a>],
    /// `{ c[x] -> [date, event] }`
    events: Map,
}

impl<'a> History<'a> {
    fn new(own: &'a [Touching<'a>]) -> Result<Self> {
        let mut all: Option<Map> = None;
        for (band, date, flow) in own {
            // What is perhaps stored as it was in memory reads it.
            let sure = flow.store.intersect(flow.sure_out())?;
            let loads = flow.load.union(&flow.store.subtract(&sure)?)?;
            for (cells, event) in [(loads, Event::Load), (sure, Event::Store)] {
                let events = by_strip(band, &cells)?.reverse()?.apply_range(&at(band, date, event)?)?;
                all = Some(match all {
                    Some(others) => others.union(&events)?,
                    None => events,
                });
            }
        }
        match all {
            Some(events) => Ok(History { own, events: events.coalesce()? }),
            None => bail!("internal error: an array that no band touches"),
        }
    }

    /// What is dead of the stores of every band, `T -> c[x]`.
    fn dead(&self, after: After) -> Result<Vec<Map>> {
        let mut followed: Vec<(Map, Map, Map)> = vec![];
        let when = self.events.range()?.identity()?;
        for (band, date, flow) in self.own {
            let store = by_strip(band, &flow.store)?;
            let own = store.domain_map()?.apply_range(&at(band, date, Event::Store)?)?;
            let later = own.lex_lt_map(&when)?;
            let next = store.range_map()?.apply_range(&self.events)?.intersect(&later)?.lexmin()?;
            let by = |event: Event| -> Result<Map> {
                next.fix_output(date.len(), event as i64)?.domain()?.unwrap()?.coalesce()
            };
            followed.push((store, by(Event::Load)?, by(Event::Store)?));
        }
        let mut kept: Option<Map> = None;
        for (_, loaded, _) in &followed {
            let cells = loaded.range()?.identity()?;
            kept = Some(match kept {
                Some(others) => others.union(&cells)?,
                None => cells,
            });
        }
        let mut dead = vec![];
        for ((band, ..), (store, loaded, stored)) in self.own.iter().zip(followed) {
            let last = || store.subtract(&loaded)?.subtract(&stored);
            let of_strips = match (after, &kept) {
                (After::Seen, _) => stored,
                (After::Unseen, _) => store.subtract(&loaded)?,
                (After::WholeOrNot, Some(kept)) => stored.union(&last()?.subtract(&last()?.apply_range(kept)?)?)?,
                (After::WholeOrNot, None) => stored,
            };
            dead.push(band.strip.apply_range(&of_strips)?);
        }
        Ok(dead)
    }
}

/// `{ Strip -> [date, event] }`
fn at(band: &Band, date: &[Affine], event: Event) -> Result<Map> {
    let outer = &band.tile_names[..band.directive.strip_indices()];
    let values: Vec<Affine> = date.iter().cloned().chain([Affine::constant(event as i64)]).collect();
    let strip = Tuple { name: "Strip", dimensions: outer };
    band.isl.function(&band.parameters, strip, Tuple::anonymous(), &values)
}

/// `{ Strip -> c[x] }` for what the tiles of a strip load, store or write.
fn by_strip(band: &Band, cells: &Map) -> Result<Map> {
    band.strip.reverse()?.apply_range(&cells.intersect_params(&band.bounded_sizes)?)?.coalesce()
}

/// Every load finds in memory what the last tile that writes its cell has written, and so does the caller behind the
/// kernel: [`drop_dead_stores`] from the other side, over all that is written and not over what would be stored.
fn require_replay(array: &Array, own: &[Touching]) -> Result<()> {
    let union = |maps: Vec<Map>| -> Result<Option<Map>> {
        let mut maps = maps.into_iter();
        let Some(first) = maps.next() else { return Ok(None) };
        maps.try_fold(first, |all, other| all.union(&other)).map(Some)
    };
    let dated = |cells: &Map, band: &Band, date: &[Affine]| {
        by_strip(band, cells)?.reverse()?.apply_range(&at(band, date, Event::Store)?)
    };
    let of = |cells: fn(&ArrayFlow) -> &Map| -> Result<Option<Map>> {
        union(own.iter().map(|(band, date, flow)| dated(cells(flow), band, date)).collect::<Result<_>>()?)
    };
    let (Some(written), Some(kept)) = (of(|flow| &flow.out)?, of(|flow| &flow.store)?) else { return Ok(()) };
    let when = written.range()?.identity()?;
    for (band, date, flow) in own {
        let load = by_strip(band, &flow.load)?;
        let own = load.domain_map()?.apply_range(&at(band, date, Event::Load)?)?;
        let before = load.range_map()?.apply_range(&written)?.intersect(&own.lex_gt_map(&when)?)?.lexmax()?;
        if !before.is_subset(&load.range_map()?.apply_range(&kept)?)? {
            bail!("internal error: a load of {} finds what is not there, for its store was dropped", array.name);
        }
    }
    if After::of(array) == After::Seen && !written.lexmax()?.is_subset(&kept)? {
        bail!("internal error: the last store of {} was dropped", array.name);
    }
    Ok(())
}

/// `T -> c[x]`, the dead stores of an array that one band alone touches, where tiles share cells at few distances only: for
/// the strips at each distance, the nearest first, what they write and none so far loads. Between tiles there are no
/// quantified variables, which strips of skewed tiles are full of. `None` where distances grow with the sizes.
fn dead_by_distances(band: &Band, flow: &ArrayFlow) -> Result<Option<Map>> {
    let touched = flow.accessed.intersect_params(&band.bounded_sizes)?;
    let later = band.strip.lex_lt_map(&band.strip)?;
    let distances = touched.apply_range(&touched.reverse()?)?.intersect(&later)?.deltas()?;
    let outer = band.directive.strip_indices();
    // The indices of strips; of the next tiles along the first dimension, and of those of the same.
    let Some(mut low) = bounds(&distances, 0..outer)? else { return Ok(None) };
    low.iter_mut().take(1).for_each(|(_, most)| *most = 1.min(*most));
    if count(&low) > MOST_STRIPS {
        return Ok(None);
    }
    let nothing = flow.store.subtract(&flow.store)?;
    let mut dead = nothing.clone();
    let mut loads = vec![];
    let shifted = |cells: &Map, distance: &[i64]| -> Result<Map> {
        let tile = Tuple { name: "T", dimensions: &band.tile_names };
        let index = |(name, d): (&String, &i64)| Affine::variable(name) + Affine::constant(*d);
        let values: Vec<Affine> = band.tile_names.iter().zip(distance).map(index).collect();
        let to = Tuple { name: "T", dimensions: &[] };
        band.isl.function(&band.parameters, tile, to, &values)?.apply_range(cells)
    };
    let at = |cells: &Map, distance: &[i64]| shifted(cells, distance)?.intersect(&flow.store);
    let mut looked_at = 0;
    for strip in points(&low) {
        let mut those = distances.clone();
        for (k, value) in strip.iter().enumerate() {
            those = those.fix(k, *value)?;
        }
        if !those.is_empty()? {
            let Some(along) = bounds(&those, outer..band.tile_names.len())? else { return Ok(None) };
            looked_at += count(&along);
            if looked_at > MOST_DISTANCES {
                return Ok(None);
            }
            let mut written = nothing.clone();
            for step in points(&along) {
                let distance: Vec<i64> = strip.iter().copied().chain(step).collect();
                written = written.union(&at(flow.sure_out(), &distance)?)?;
                loads.push(shifted(&flow.load, &distance)?);
            }
            let mut written = written.subtract(&dead)?.coalesce()?;
            for loaded in &loads {
                if !written.is_disjoint(loaded)? {
                    written = written.subtract(loaded)?.coalesce()?;
                }
            }
            dead = dead.union(&written)?.coalesce()?;
        }
    }
    Ok(Some(dead))
}

/// The least and the largest value in each of these dimensions; `None` where one has no end, or where there is no point.
fn bounds(set: &Set, dimensions: std::ops::Range<usize>) -> Result<Option<Vec<(i64, i64)>>> {
    let mut all = vec![];
    for k in dimensions {
        let (Bounded::Finite(least), Bounded::Finite(most)) = (set.minimum(k)?, set.maximum(k)?) else {
            return Ok(None);
        };
        all.push((least, most));
    }
    Ok(Some(all))
}

/// The points of a box.
fn count(bounds: &[(i64, i64)]) -> i64 {
    bounds.iter().fold(1, |all, (least, most)| all.saturating_mul(most - least + 1))
}

/// The same in lexicographic order.
fn points(bounds: &[(i64, i64)]) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for &(least, most) in bounds {
        let longer = |point: Vec<i64>| {
            (least..=most).map(move |value| point.iter().copied().chain([value]).collect::<Vec<i64>>())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}
