//! Tiles for lanes: those of one lane move the fewest bytes, one element per cycle, and have the iterations that one lane needs.
//! Lanes want more of them side by side, and rows of memory that are whole beats.

use std::ops::ControlFlow;

use anyhow::Result;

use super::{Choice, Found, LEAST};
use crate::analysis::Cut;
use crate::buffer;
use crate::diagnostic::Span;
use crate::ids::BandId;
use crate::offload::{Band, Buffer, Offload, power_of_two};
use crate::polyhedral::isl::Exhausted;
use crate::report::demand::Demand;
use crate::source::kernel::{LanesDirective, TilingDirective};
use crate::walk::{self, Values};

/// Tilings that are looked at, and isl's operations for all of them.
const LOOKED_AT: usize = 16;
const OPERATIONS: u64 = 2_500_000;
/// Those for arrays aslant: a wave must be long for its values not to be waited for, in large tiles of many pieces.
const OPERATIONS_ASLANT: u64 = 6_000_000;
/// Cuts into other bands that are begun with.
const CUTS: usize = 3;
/// With so many times the cycles that iterations and words take at least, larger tiles alone are looked at, whose begins are fewer,
/// and with so many none.
const NEAR: f64 = 1.1;
const AT_IT: f64 = 1.01;
/// Other tiles are taken with at most this part of the cycles, and larger ones with this.
const WORTH_IT: f64 = 0.9;
const LARGER_WORTH_IT: f64 = 0.99;
/// Cycles of a run that is too short to look for others: of those that stand alone before and behind it the estimate knows little.
const SHORT: f64 = 5_000.0;
/// Bands that take less of the cycles are left as they are.
const WORTH_STEPS: f64 = 0.05;
/// Tiles whose indices are looked at.
const TILES: usize = 10_000;
/// The sides of the tiles that a cut begins with, by the dimensions that may have any size.
const SIDES: [i64; 4] = [256, 128, 32, 16];

/// What the search has seen.
struct Search {
    tried: Vec<Vec<TilingDirective>>,
    left: u64,
}

impl<F: Fn(&TilingDirective) -> bool> Choice<'_, F> {
    /// What is found with as many lanes in the best tiles that are looked at: of other cuts, and then with sizes twice and half as
    /// large, as long as that helps.
    pub(super) fn in_better_tiles(&self, found: Found, other_cuts: bool) -> Result<Found> {
        let other_cuts = other_cuts && !found.offload.bands.iter().any(Band::is_in_two);
        if !self.kernel.tilings.is_empty() || found.count == 1 || found.cycles() <= SHORT || self.is_near(&found, AT_IT)
        {
            return Ok(found);
        }
        let only_larger = self.is_near(&found, NEAR);
        let (near, worth_it) = if only_larger { (AT_IT, LARGER_WORTH_IT) } else { (NEAR, WORTH_IT) };
        let lanes = LanesDirective::new(found.count, Span::default());
        let left = if self.first.is_empty() { OPERATIONS } else { OPERATIONS_ASLANT };
        let mut search = Search { tried: vec![found.offload.tilings_as_written()], left };
        let before = found.cycles();
        let mut best = found.clone();
        let cuts = if other_cuts && !only_larger { self.cuts(&mut search)? } else { vec![] };
        for cut in cuts.iter().take(CUTS) {
            let mut tilings: Vec<TilingDirective> = cut.iter().map(|band| tiling(band, lanes)).collect();
            let mut found = self.look(&mut search, &tilings, best.count)?;
            if found.is_none() {
                tilings.iter_mut().flat_map(|tiling| &mut tiling.sizes).for_each(|size| *size = (*size / 2).max(1));
                found = self.look(&mut search, &tilings, best.count)?;
            }
            best = better(best, found);
        }
        let mut again = None;
        while !self.is_near(&best, near) {
            let now = best.offload.tilings_as_written();
            // What helped once may help again.
            let steps = again.take().into_iter().chain(self.steps(&best, &now, only_larger));
            let mut found = None;
            for step in steps {
                if search.tried.len() > LOOKED_AT || search.left < LEAST {
                    break;
                }
                let Some(tilings) = stepped(&now, step) else { continue };
                let looked_at = self.look(&mut search, &tilings, best.count)?;
                if looked_at.as_ref().is_some_and(|other| other.cycles() < best.cycles()) {
                    found = looked_at;
                    again = (step.by == 2).then_some(step);
                    break;
                }
            }
            let Some(found) = found else { break };
            best = found;
        }
        Ok(if best.cycles() < worth_it * before { best } else { found })
    }

    /// Whether it has no more than `by` times the cycles that any tiles have.
    fn is_near(&self, found: &Found, by: f64) -> bool {
        let link = self.board.memory.link();
        let demand = Demand::of(&found.offload, link);
        let least = demand.compute_cycles(found.count).max(demand.words(link.widest_word()));
        demand.is_endless() || found.cycles() <= by * least as f64
    }

    /// What is found with these tiles, if they were not tried and fit.
    fn look(&self, search: &mut Search, tilings: &[TilingDirective], count: i64) -> Result<Option<Found>> {
        if search.left < LEAST || search.tried.iter().any(|tried| tried == tilings) {
            return Ok(None);
        }
        search.tried.push(tilings.to_vec());
        Ok(self.in_others(tilings, count, &mut search.left)?.ok())
    }

    /// The ways on from tiles: where iterations take longest first to more of them, else first to others of as many; of the bands
    /// that take longest first.
    fn steps(&self, found: &Found, tilings: &[TilingDirective], only_larger: bool) -> Vec<Step> {
        // Places of strips are given up where there is no room for them.
        let buffers: Vec<Buffer> = found.offload.buffers.iter().map(Buffer::without_places_of_strips).collect();
        let bits = buffer::bits(&found.offload.kernel, &buffers);
        let may_grow = 2 * bits <= u128::from(self.board.fabric().block_ram_bits());
        let is_computing = found.expected.computing() > found.expected.moving();
        let by_band = if is_computing { &found.expected.by_band } else { &found.expected.moving_by_band };
        let cycles = |band: usize| by_band[BandId(band)];
        let all: f64 = (0..tilings.len()).map(cycles).sum();
        let mut bands: Vec<usize> =
            (0..tilings.len()).filter(|&band| !is_computing || cycles(band) >= WORTH_STEPS * all).collect();
        bands.sort_by(|a, b| cycles(*b).total_cmp(&cycles(*a)));
        let (mut steps, mut widened) = (vec![], vec![]);
        for band in bands {
            let sizes = &tilings[band].sizes;
            let several = several_tiles(&found.offload, BandId(band));
            let free: Vec<usize> = (0..sizes.len()).filter(|k| sizes[*k] > 1).collect();
            let shorter = || free.iter().copied().map(Some);
            // One tile is no longer for a larger size.
            let longer = || shorter().filter(|k| k.is_some_and(|k| several.get(k) != Some(&false)));
            let same = longer().flat_map(|longer| shorter().map(move |shorter| (longer, shorter)));
            let same = same.filter(|(longer, shorter)| longer != shorter);
            let same: Vec<Step> = same.map(|(longer, shorter)| Step { band, longer, by: 2, shorter }).collect();
            let more: Vec<Step> =
                longer().filter(|_| may_grow).map(|longer| Step { band, longer, by: 2, shorter: None }).collect();
            let fewer: Vec<Step> = shorter().map(|shorter| Step { band, longer: None, by: 1, shorter }).collect();
            // As long as there are lanes at once, where some statement has none: up to there nothing is gained.
            let lanes = found.offload.bands[BandId(band)].compute.lanes.as_ref();
            let lacks_lanes = lanes.is_none_or(|lanes| lanes.per_statement.iter().any(Option::is_none));
            let holds = |k: &Option<usize>| k.is_some_and(|k| 2 * sizes[k] < found.count);
            let wide = |longer: Option<usize>| {
                let by = longer.map_or(1, |k| (found.count / sizes[k]).max(1));
                Step { band, longer, by, shorter: None }
            };
            widened.extend(longer().filter(|k| lacks_lanes && holds(k)).map(wide));
            steps.extend(match is_computing {
                _ if only_larger => more,
                true => [more, same, fewer].concat(),
                false => [same, more, fewer].concat(),
            });
        }
        if is_computing {
            widened.extend(steps);
            return widened;
        }
        steps.extend(widened);
        steps
    }

    /// The cuts of the kernel, if the operations that are left suffice.
    fn cuts(&self, search: &mut Search) -> Result<Vec<Vec<Cut>>> {
        let (cuts, taken) = self.counted(|analysis| analysis.cuts(Some(search.left)));
        search.left = search.left.saturating_sub(taken);
        match cuts {
            Err(error) if error.is::<Exhausted>() => Ok(vec![]),
            cuts => cuts,
        }
    }
}

/// Whether the tiles of a band have several indices along each dimension, at the usual sizes, as far as they are looked at.
fn several_tiles(offload: &Offload, band: BandId) -> Vec<bool> {
    let mut ranges: Vec<(i64, i64)> = vec![];
    let mut looked_at = 0;
    let pieces = || offload.tiles.pieces.iter().filter(|piece| piece.leaf.band() == band);
    let sizes = offload.kernel.usual_sizes();
    let mut values = Values::new(&sizes);
    for piece in pieces() {
        let _ = walk::in_order(std::slice::from_ref(piece), &mut values, |piece, values| {
            let tile = piece.point.iter().map(|index| values.evaluate(index));
            ranges = match ranges.is_empty() {
                true => tile.map(|index| (index, index)).collect(),
                false => ranges.iter().zip(tile).map(|(own, index)| (own.0.min(index), own.1.max(index))).collect(),
            };
            looked_at += 1;
            if looked_at < TILES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
    // What is not looked at may be others.
    ranges.into_iter().map(|(first, last)| first < last || looked_at >= TILES).collect()
}

fn better(best: Found, other: Option<Found>) -> Found {
    match other {
        Some(other) if other.cycles() < best.cycles() => other,
        _ => best,
    }
}

/// The tiles that a cut begins with.
fn tiling(band: &Cut, lanes: LanesDirective) -> TilingDirective {
    let is_free = |k: &usize| band.tileable[*k] && band.extents[*k] != Some(1);
    let free = (0..band.tileable.len()).filter(is_free).count();
    let side = SIDES[free.clamp(1, SIDES.len()) - 1];
    let size = |k: usize| match is_free(&k) {
        true => band.extents[k].map_or(side, |extent| side.min(power_of_two(extent))),
        false => 1,
    };
    TilingDirective {
        schedules: band.schedules.clone(),
        sizes: (0..band.tileable.len()).map(size).collect(),
        strip: 1,
        lanes: Some(lanes),
        order: None,
        span: Span::default(),
    }
}

/// A band's tiles with another size along one dimension, or two: which is longer, and which is halved.
#[derive(Clone, Copy, PartialEq)]
struct Step {
    band: usize,
    longer: Option<usize>,
    /// So many times as long.
    by: i64,
    shorter: Option<usize>,
}

/// The tiles behind a step; `None` where one gets no side.
fn stepped(tilings: &[TilingDirective], step: Step) -> Option<Vec<TilingDirective>> {
    let mut tilings = tilings.to_vec();
    let sizes = &mut tilings.get_mut(step.band)?.sizes;
    if let Some(longer) = step.longer {
        sizes[longer] *= step.by;
    }
    if let Some(shorter) = step.shorter {
        sizes[shorter] /= 2;
    }
    sizes.iter().all(|size| *size > 0).then_some(tilings)
}
