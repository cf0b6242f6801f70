//! Tiles for lanes: those of one lane move the fewest bytes, one element per cycle, and have the iterations that one lane needs.
//! Lanes want more of them side by side, and rows of memory that are whole beats.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use anyhow::Result;

use super::{Choice, Found, Refusal, SHORT};
use crate::analysis::Cut;
use crate::buffer::blocks;
use crate::diagnostic::Span;
use crate::ids::BandId;
use crate::offload::{Band, Buffer, Offload, power_of_two};
use crate::polyhedral::isl::Exhausted;
use crate::report::demand::Demand;
use crate::source::kernel::{LanesDirective, TilingDirective};
use crate::walk::{self, Values};

/// Tilings that are looked at, and isl's operations for all of them.
const LOOKED_AT: usize = 24;
const OPERATIONS: u64 = 2_500_000;
/// Those where without them there is nothing.
const OPERATIONS_ALONE: u64 = 6_000_000;
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
/// Tiles with at most so many times the cycles of the best of their cut are gone on from.
const FROM: f64 = 1.1;
/// A cut is gone on with as long as its best tiles take at most so many times the cycles of the best of all.
const RIVAL: f64 = 1.25;
/// Bands that take less of the cycles are left as they are.
const WORTH_STEPS: f64 = 0.05;
/// Tiles whose indices are looked at.
const TILES: usize = 10_000;
/// Smaller ones that are looked at where those are not possible, and where without them there is nothing.
const SMALLER: usize = 1;
const SMALLER_ALONE: usize = 6;
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
        let mut all = vec![vec![Node::new(found.clone())]];
        let cuts = if other_cuts && !only_larger { self.cuts(&mut search.left)? } else { vec![] };
        for cut in cuts.iter().take(CUTS) {
            let begun = self.begin(&mut search, cut, lanes, SMALLER)?;
            all.extend(begun.map(|begun| vec![Node::new(begun)]));
        }
        let best = self.on_from(all, &mut search, only_larger, near)?;
        Ok(if best.cycles() < worth_it * before { best } else { found })
    }

    /// What is found in tiles of other cuts than those of one lane, whose analysis with lanes takes too long: so many lanes, or as many
    /// fewer as there is room for.
    pub(super) fn in_other_cuts(&self, most: i64) -> Result<Option<Found>> {
        if !self.kernel.tilings.is_empty() {
            return Ok(None);
        }
        let mut search = Search { tried: vec![], left: OPERATIONS_ALONE };
        let cuts = self.cuts(&mut search.left)?;
        for count in std::iter::successors(Some(most), |count| Some(count / 2)).take_while(|count| *count > 1) {
            let lanes = LanesDirective::new(count, Span::default());
            let mut best: Option<Found> = None;
            for cut in cuts.iter().take(CUTS) {
                let found = self.begin(&mut search, cut, lanes, SMALLER_ALONE)?;
                let is_better = |found: &Found| best.as_ref().is_none_or(|best| found.cycles() < best.cycles());
                best = found.filter(is_better).or(best);
            }
            if let Some(best) = best {
                return self.in_better_tiles(best, false).map(Some);
            }
        }
        Ok(None)
    }

    /// What is found in tiles of a cut: the first that there is room for, after so many smaller ones at most.
    fn begin(&self, search: &mut Search, cut: &[Cut], lanes: LanesDirective, smaller: usize) -> Result<Option<Found>> {
        let mut tilings: Vec<TilingDirective> = cut.iter().map(|band| tiling(band, lanes)).collect();
        let mut reasons: Vec<String> = vec![];
        for _ in 0..=smaller {
            let refusal = match self.look(search, &tilings, lanes.count)? {
                Some(Err(refusal)) => refusal,
                found => return Ok(found.and_then(Result::ok)),
            };
            // Where the sizes are not what takes the room, smaller ones do not help; where it is a power of two, half of one may not.
            reasons.push(refusal.reason);
            if reasons.windows(3).any(|three| three[0] == three[1] && three[1] == three[2]) {
                break;
            }
            tilings.iter_mut().for_each(halve_longest);
        }
        Ok(None)
    }

    /// What is found in other tiles: on from the best of each cut that still has ways on, one cut after the other, until one is near
    /// enough to what any tiles take.
    fn on_from(&self, mut all: Vec<Vec<Node>>, search: &mut Search, only_larger: bool, near: f64) -> Result<Found> {
        let order = |one: &Node, two: &Node| one.found.cycles().total_cmp(&two.found.cycles());
        let best = |all: &[Vec<Node>]| all.iter().map(|nodes| nodes[0].found.cycles()).fold(f64::INFINITY, f64::min);
        let mut goes_on = true;
        while std::mem::take(&mut goes_on) {
            for cut in 0..all.len() {
                let least = best(&all);
                let nodes = &mut all[cut];
                if search.tried.len() > LOOKED_AT
                    || !self.means.suffice(search.left)
                    || self.is_near(&nodes[0].found, near)
                {
                    goes_on = false;
                    break;
                }
                let own = nodes[0].found.cycles();
                if own > RIVAL * least {
                    continue;
                }
                let mut open = nodes.iter_mut().take_while(|node| node.found.cycles() <= FROM * own);
                let Some(node) = open.find(|node| !node.is_done) else { continue };
                goes_on = true;
                let Some(next) = self.step(node, search, only_larger)? else { continue };
                nodes.push(next);
                nodes.sort_by(order);
            }
        }
        let all = all.into_iter().flatten().min_by(order);
        Ok(all.expect("what the search began with").found)
    }

    /// Takes the next way on from tiles; `None` where there is nothing.
    fn step(&self, node: &mut Node, search: &mut Search, only_larger: bool) -> Result<Option<Node>> {
        let Node { found, steps, is_done } = node;
        let now = found.offload.tilings_as_written();
        let steps = steps.get_or_insert_with(|| self.steps(found, &now, only_larger));
        let Some(step) = steps.pop_front() else {
            *is_done = true;
            return Ok(None);
        };
        let Some(tilings) = stepped(&now, step) else { return Ok(None) };
        let cycles = found.cycles();
        let Some(Ok(found)) = self.look(search, &tilings, found.count)? else { return Ok(None) };
        let mut steps = None;
        if step.by == 2 && found.cycles() < cycles {
            // What helped once may help again.
            let mut own = self.steps(&found, &tilings, only_larger);
            own.push_front(step);
            steps = Some(own);
        }
        Ok(Some(Node { found, steps, is_done: false }))
    }

    /// Whether it has no more than `by` times the cycles that any tiles have.
    pub(super) fn is_near(&self, found: &Found, by: f64) -> bool {
        let link = self.means.board.memory.link();
        let demand = Demand::of(&found.offload, link);
        let least = demand.compute_cycles(found.count).max(demand.words(link.widest_word()));
        demand.is_endless() || found.cycles() <= by * least as f64
    }

    /// What is found with these tiles, or what forbids them; `None` where they were tried.
    fn look(
        &self,
        search: &mut Search,
        tilings: &[TilingDirective],
        count: i64,
    ) -> Result<Option<Result<Found, Refusal>>> {
        if !self.means.suffice(search.left) || search.tried.iter().any(|tried| tried == tilings) {
            return Ok(None);
        }
        search.tried.push(tilings.to_vec());
        self.in_others(tilings, count, &mut search.left).map(Some)
    }

    /// The ways on from tiles: where iterations take longest first to more of them, else first to others of as many; of the bands
    /// that take longest first.
    fn steps(&self, found: &Found, tilings: &[TilingDirective], only_larger: bool) -> VecDeque<Step> {
        // Places of strips are given up where there is no room for them.
        let buffers: Vec<Buffer> = found.offload.buffers.iter().map(Buffer::without_places_of_strips).collect();
        let bits = blocks::bits(&found.offload.kernel, &buffers);
        let is_computing = found.expected.computing() > found.expected.moving();
        // The larger tiles are, the longer take the first load and the last store, beside which nothing runs.
        let least = Demand::of(&found.offload, self.means.board.memory.link()).compute_cycles(found.count);
        let is_alone = 2.0 * found.expected.alone > found.expected.computing() - least as f64;
        let has_room = 2 * bits <= u128::from(blocks::room(&found.offload.kernel, &self.means.board.fabric()));
        let may_grow = has_room && !(is_computing && is_alone);
        let by_band = if is_computing { &found.expected.by_band } else { &found.expected.moving_by_band };
        let cycles = |band: usize| by_band[BandId(band)];
        let all: f64 = (0..tilings.len()).map(cycles).sum();
        let mut bands: Vec<usize> =
            (0..tilings.len()).filter(|&band| !is_computing || cycles(band) >= WORTH_STEPS * all).collect();
        bands.sort_by(|a, b| cycles(*b).total_cmp(&cycles(*a)));
        let (mut steps, mut widened, mut together) = (vec![], vec![], vec![]);
        let free = |band: usize| -> Vec<usize> {
            let sizes = &tilings[band].sizes;
            (0..sizes.len()).filter(|k| sizes[*k] > 1).collect()
        };
        let first = bands.first().copied();
        for band in bands {
            let sizes = &tilings[band].sizes;
            let several = several_tiles(&found.offload, BandId(band));
            let free_here = free(band);
            let shorter = || free_here.iter().copied().map(Some);
            // One tile is no longer for a larger size.
            let longer = || shorter().filter(|k| k.is_some_and(|k| several.get(k) != Some(&false)));
            let same = longer().flat_map(|longer| shorter().map(move |shorter| (longer, shorter)));
            let same = same.filter(|(longer, shorter)| longer != shorter);
            let own = |longer, by, shorter| Step { band, alike: false, longer, by, shorter };
            let same: Vec<Step> = same.map(|(longer, shorter)| own(longer, 2, shorter)).collect();
            let more: Vec<Step> = longer().map(|longer| own(longer, 2, None)).collect();
            let fewer: Vec<Step> = shorter().map(|shorter| own(None, 1, shorter)).collect();
            // As long as there are lanes at once, where some statement has none: up to there nothing is gained.
            let lanes = found.offload.bands[BandId(band)].compute.lanes.as_ref();
            let lacks_lanes = lanes.is_none_or(|lanes| lanes.per_statement.iter().any(Option::is_none));
            let holds = |k: &Option<usize>| k.is_some_and(|k| 2 * sizes[k] < found.count);
            let wide = |longer: Option<usize>| own(longer, longer.map_or(1, |k| (found.count / sizes[k]).max(1)), None);
            widened.extend(longer().filter(|k| lacks_lanes && holds(k)).map(wide));
            // Where it looks as if there were no room for more, or that would not help, that comes last.
            let all = match is_computing {
                _ if only_larger && !has_room => vec![],
                _ if only_larger => more,
                true if may_grow => [more, same, fewer].concat(),
                false if may_grow => [same, more, fewer].concat(),
                _ => [same, fewer, more].concat(),
            };
            let is_alike = |other: usize| other != band && free(other) == free_here;
            if first == Some(band) && (0..tilings.len()).any(is_alike) {
                together.extend(all.iter().map(|step| Step { alike: true, ..*step }));
            }
            steps.extend(all);
        }
        match is_computing {
            true => [widened, together, steps],
            false => [together, steps, widened],
        }
        .into_iter()
        .flatten()
        .collect()
    }

    /// The cuts of the kernel, if the operations that are `left` suffice.
    pub(super) fn cuts(&self, left: &mut u64) -> Result<Vec<Vec<Cut>>> {
        let granted = self.means.granted(*left);
        let (cuts, taken) = self.counted(|analysis| analysis.cuts(Some(granted)));
        *left = left.saturating_sub(taken);
        match cuts {
            Err(error) if error.is::<Exhausted>() => Ok(vec![]),
            cuts => cuts,
        }
    }
}

/// Whether the tiles of a band have several indices along each dimension, at the usual sizes, as far as they are looked at.
pub(super) fn several_tiles(offload: &Offload, band: BandId) -> Vec<bool> {
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

/// Tiles that were looked at.
struct Node {
    found: Found,
    /// The ways on that were not taken, once they are asked for.
    steps: Option<VecDeque<Step>>,
    is_done: bool,
}

impl Node {
    /// With all ways on.
    fn new(found: Found) -> Node {
        Node { found, steps: None, is_done: false }
    }
}

/// The tiles that a cut begins with, with lanes.
fn tiling(band: &Cut, lanes: LanesDirective) -> TilingDirective {
    TilingDirective { lanes: Some(lanes), ..begin_with(band) }
}

/// The tiles that a cut begins with.
pub(super) fn begin_with(band: &Cut) -> TilingDirective {
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
        lanes: None,
        units: None,
        order: None,
        span: Span::default(),
    }
}

/// A band's tiles with another size along one dimension, or two: which is longer, and which is halved.
#[derive(Clone, Copy, PartialEq)]
struct Step {
    band: usize,
    /// And those of all bands whose tiles are longer than 1 along the same dimensions.
    alike: bool,
    longer: Option<usize>,
    /// So many times as long.
    by: i64,
    shorter: Option<usize>,
}

/// Halves the longest sides of a tile.
fn halve_longest(tiling: &mut TilingDirective) {
    let longest = tiling.sizes.iter().copied().max().unwrap_or(1);
    tiling.sizes.iter_mut().filter(|size| **size == longest).for_each(|size| *size = (*size / 2).max(1));
}

/// The tiles behind a step; `None` where one gets no side.
fn stepped(tilings: &[TilingDirective], step: Step) -> Option<Vec<TilingDirective>> {
    let long = |tiling: &TilingDirective| tiling.sizes.iter().map(|size| *size > 1).collect::<Vec<_>>();
    let own = long(tilings.get(step.band)?);
    let mut tilings = tilings.to_vec();
    for (band, tiling) in tilings.iter_mut().enumerate() {
        if band != step.band && (!step.alike || long(tiling) != own) {
            continue;
        }
        if let Some(longer) = step.longer {
            tiling.sizes[longer] *= step.by;
        }
        if let Some(shorter) = step.shorter {
            tiling.sizes[shorter] /= 2;
        }
    }
    tilings.iter().flat_map(|tiling| &tiling.sizes).all(|size| *size > 0).then_some(tilings)
}
