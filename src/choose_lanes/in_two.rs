//! Lanes along two loops: which bands have them, in which tiles.

use std::collections::BTreeMap;

use anyhow::Result;

use super::tiles::begin_with;
use super::{Choice, Forbids, Found, Refusal, hold_lanes, is_over, most, pairs};
use crate::affine::Affine;
use crate::analysis::Cut;
use crate::diagnostic::Span;
use crate::ids::{BandId, StatementId};
use crate::offload::Band;
use crate::source::kernel::{LanesAlong, LanesDirective, Schedule, TilingDirective};

/// Analyses with lanes along two loops, and twice as many where there are several bands.
const PROBES_IN_TWO: usize = 6;
/// isl's operations for bands apart.
const OPERATIONS_APART: u64 = 4_000_000;
/// Lanes along one loop in bands beside one that has them along two: those need little beside it, and its lanes the logic.
const BESIDE: i64 = 64;
/// The longest side of a tile that holds all values of a dimension.
const MOST_SIDE: u64 = 4096;

/// Which bands have lanes along which two loops.
#[derive(Clone, Copy, PartialEq)]
struct Laid {
    /// Place among a band's pairs of loops; bands that have fewer take their last one.
    pair: usize,
    /// The one band that has them; all, where none is told.
    only: Option<usize>,
}

/// What is possible, and where its lanes lie.
type Candidate = (Found, Laid);

/// What is looked at.
struct Search {
    tilings: Vec<TilingDirective>,
    /// The same with lanes along one loop.
    along_one: Vec<TilingDirective>,
    /// Of each band.
    pairs: Vec<Vec<[usize; 2]>>,
    /// In this order.
    choices: Vec<Laid>,
    /// Sides of tiles that hold all values of a dimension.
    whole: i64,
    /// The most lanes that the board has room for, in all bands, and in those that one choice has them in.
    most_of_all: i64,
    most: i64,
    /// What forbids more.
    limit: String,
    /// There are several bands.
    is_of_several: bool,
}

impl<F: Fn(&TilingDirective) -> bool> Choice<'_, F> {
    /// Lanes along two loops where the run is expected to be shorter with them than with `best`, which is bound by its iterations:
    /// they read few words for many products, and neither loop need be long. Tiles that nobody gave grow to hold them. Bands that have
    /// no two such loops keep the lanes of `best`, and so do, for a start, all but the one that takes longest. `reasons` are what
    /// forbids more.
    pub(super) fn in_two(&self, best: Found, one: &Found, reasons: &mut BTreeMap<i64, String>) -> Result<Found> {
        let search = self.search_in_two(&best, one)?;
        let mut candidates = vec![];
        for (found, laid) in self.just_holding(&search, one)? {
            // The same in tiles that hold all of both loops.
            let whole = match search.tilings(self.kernel.tilings.is_empty(), laid, found.count, true) {
                Some(laned) if self.has_operations_left() => self.judged(found.count, self.in_tiles(laned))?.ok(),
                _ => None,
            };
            candidates.extend([Some(found), whole].into_iter().flatten());
        }
        let mut best = best;
        for found in candidates {
            // Tiles that just hold the lanes have few groups for a value to be there again.
            let found = self.in_better_tiles(found, false)?;
            if found.is_preferred_to(&best) {
                *reasons = BTreeMap::from([(2 * search.most, search.limit.clone())]);
                best = found;
            }
        }
        Ok(best)
    }

    /// The same in more bands than `one` has, in which statements lie along the loops of the source: side by side in one band some lie
    /// aslant, and have no two loops to themselves.
    pub(super) fn in_two_apart(&self, best: Found, one: &Found, reasons: &mut BTreeMap<i64, String>) -> Result<Found> {
        let tilings = one.offload.tilings_as_written();
        if !self.kernel.tilings.is_empty() || tilings.iter().all(|tiling| are_upright(&tiling.schedules)) {
            return Ok(best);
        }
        let mut left = OPERATIONS_APART;
        let cuts = self.cuts(&mut left)?;
        let is_apart =
            |cut: &&Vec<Cut>| cut.len() > tilings.len() && cut.iter().all(|band| are_upright(&band.schedules));
        let Some(cut) = cuts.iter().find(is_apart) else { return Ok(best) };
        let tilings: Vec<TilingDirective> = cut.iter().map(begin_with).collect();
        let Ok(apart) = self.in_others(&tilings, 1, &mut left)? else { return Ok(best) };
        self.left.set(self.left.get().map(|known| known + left));
        self.in_two(best, &apart, reasons)
    }

    fn search_in_two(&self, best: &Found, one: &Found) -> Result<Search> {
        let Found { offload, .. } = one;
        let tilings = offload.tilings_as_written();
        let along_one = lanes_along_one(best, &tilings, BESIDE);
        let pairs_of = |tiling: &TilingDirective| -> Result<Vec<[usize; 2]>> {
            Ok(pairs(self.analysis.kernel(), tiling, &self.analysis.open_loops(tiling)?))
        };
        let pairs = tilings.iter().map(pairs_of).collect::<Result<Vec<_>>>()?;
        let by_band = &one.expected.by_band;
        let heaviest = (0..tilings.len()).max_by(|a, b| by_band[BandId(*a)].total_cmp(&by_band[BandId(*b)]));
        let only = heaviest.filter(|_| tilings.len() > 1);
        let mut choices = vec![];
        for pair in 0..pairs.iter().map(Vec::len).max().unwrap_or(0) {
            choices.extend(only.filter(|band| pair < pairs[*band].len()).map(|band| Laid { pair, only: Some(band) }));
            choices.push(Laid { pair, only: None });
        }
        let sizes = self.kernel.usual_sizes();
        let longest_size = sizes.values().copied().max().and_then(|size| u64::try_from(size).ok()).unwrap_or(1);
        let whole = longest_size.min(MOST_SIDE).next_power_of_two() as i64;
        // Statements in fewer loops than others of their band may have lanes along one of the two only.
        let iterators = offload.kernel.iterators();
        let loops = |band: &Band| band.statements.iter().map(|s| iterators[*s].len()).max();
        let deepest = |s: StatementId| {
            let band = offload.bands.iter().find(|band| band.statements.contains(&s));
            band.and_then(loops) == Some(iterators[s].len())
        };
        let lanes = |s: StatementId, count: i64| if deepest(s) { count } else { 1 << count.ilog2().div_ceil(2) };
        let (most_of_all, limit) = most(offload, self.means.board, LanesDirective::MOST, lanes);
        let of_one = |band: usize| {
            let is_such = |s: StatementId| offload.bands[BandId(band)].statements.contains(&s);
            let along_one = best.count.min(BESIDE);
            let lanes = |s: StatementId, count: i64| if is_such(s) { lanes(s, count) } else { count.min(along_one) };
            most(offload, self.means.board, LanesDirective::MOST, lanes)
        };
        let (most, limit) = only.map_or((most_of_all, limit), of_one);
        let is_of_several = only.is_some();
        Ok(Search { tilings, along_one, pairs, choices, whole, most_of_all, most, limit, is_of_several })
    }

    /// What is possible in tiles that just hold the lanes: the fewest of those that are about as good as any, and the most, which
    /// larger tiles may keep busy.
    fn just_holding(&self, search: &Search, one: &Found) -> Result<Vec<Candidate>> {
        let probes = self.probes.get() + PROBES_IN_TWO * if search.is_of_several { 2 } else { 1 };
        let may_go_on = || self.probes.get() < probes && self.has_operations_left();
        let mut choices = search.choices.clone();
        let (mut of_most, mut fewest): (Option<Candidate>, Option<Candidate>) = (None, None);
        let counts = std::iter::successors(Some(search.most), |count| Some(count / 2)).take_while(|count| *count >= 4);
        for count in counts {
            let (mut is_enough, mut is_taken) = (false, fewest.is_none());
            for laid in choices.clone() {
                if !may_go_on() {
                    is_enough = true;
                    break;
                }
                if laid.only.is_none() && count > search.most_of_all {
                    continue;
                }
                let Some(laned) = search.tilings(self.kernel.tilings.is_empty(), laid, count, false) else { continue };
                let offload = self.in_tiles(laned);
                let found = match self.judged(count, offload)? {
                    Ok(found) => found,
                    Err(Refusal { kind, .. }) => {
                        // What is not for lack of room is so with fewer lanes, too. Of several bands there are more to look at, so
                        // that only operators count as room.
                        if kind == Forbids::Other || search.is_of_several && kind != Forbids::Operators {
                            choices.retain(|own| *own != laid);
                        }
                        continue;
                    }
                };
                is_enough |= found.needs_its_lanes(one);
                let of_so_many = of_most.as_ref().filter(|(known, _)| known.count == count);
                if of_most.is_none() || of_so_many.is_some_and(|(known, _)| found.is_preferred_to(known)) {
                    of_most = Some((found.clone(), laid));
                }
                if fewest.as_ref().is_none_or(|(known, _)| found.is_preferred_to(known)) {
                    fewest = Some((found, laid));
                    is_taken = true;
                }
            }
            // Of several bands there are more to look at.
            if is_enough || search.is_of_several && !is_taken {
                break;
            }
        }
        let is_other = |(found, laid): &Candidate| {
            fewest.as_ref().is_none_or(|(known, of)| (known.count, of) != (found.count, laid))
        };
        Ok(of_most.filter(is_other).into_iter().chain(fewest.clone()).collect())
    }
}

impl Search {
    /// Tilings with `count` lanes, in tiles that hold them, or with `is_whole` all values of both loops; `None` where these are not
    /// the given ones, unless tiles `may_grow`.
    fn tilings(&self, may_grow: bool, laid: Laid, count: i64, is_whole: bool) -> Option<Vec<TilingDirective>> {
        let mut laned = self.tilings.clone();
        for (band, tiling) in laned.iter_mut().enumerate().filter(|(_, tiling)| tiling.lanes.is_none()) {
            let pairs = &self.pairs[band];
            match pairs.get(laid.pair).or(pairs.last()) {
                Some(pair) if laid.only.is_none_or(|only| only == band) => {
                    lay_in_two(tiling, *pair, count);
                    if is_whole {
                        hold_all(tiling, *pair, self.whole);
                    }
                }
                _ => *tiling = self.along_one[band].clone(),
            }
        }
        let is_grown = laned.iter().zip(&self.tilings).any(|(laned, own)| laned.sizes != own.sizes);
        (!is_grown || may_grow).then_some(laned)
    }
}

/// Whether every dimension is a loop of the statement's, or the same for all of its instances.
fn are_upright(schedules: &[Schedule]) -> bool {
    let is_loop = |value: &Affine| value.terms.keys().all(|name| is_over(value, name)) && value.terms.len() < 2;
    schedules.iter().flat_map(|schedule| &schedule.theta).all(is_loop)
}

/// The bands of `tilings` as they are with the lanes of `best`, at most so many, which lie along one loop: in its tiles, where it has the
/// same bands.
fn lanes_along_one(best: &Found, tilings: &[TilingDirective], most: i64) -> Vec<TilingDirective> {
    let own = best.offload.tilings_as_written();
    let schedules = |all: &[TilingDirective]| all.iter().map(|tiling| tiling.schedules.clone()).collect::<Vec<_>>();
    let count = best.count.min(most);
    let lanes = (count > 1).then(|| LanesDirective::new(count, Span::default()));
    let base = if schedules(&own) == schedules(tilings) { &own } else { tilings };
    let fewer = |tiling: &TilingDirective| match tiling.lanes {
        Some(own) if own.count <= count => tiling.clone(),
        _ => {
            let mut fewer = TilingDirective { lanes, ..tiling.clone() };
            super::grow(&mut fewer, count);
            fewer
        }
    };
    base.iter().map(fewer).collect()
}

/// `count` lanes along both, about as many along each, in tiles that have as many values.
fn lay_in_two(tiling: &mut TilingDirective, pair: [usize; 2], count: i64) {
    let first = 1 << (count.ilog2() / 2);
    let counts = [first, count / first];
    let along = [0, 1].map(|k| LanesAlong { dimension: pair[k], count: counts[k] });
    tiling.lanes = Some(LanesDirective::in_two(along, Span::default()));
    hold_lanes(tiling);
}

/// Tiles that hold all values of both dimensions: groups of lanes in boxes then have the most others beside them.
fn hold_all(tiling: &mut TilingDirective, pair: [usize; 2], longest: i64) {
    for dimension in pair {
        if let Some(size) = tiling.sizes.get_mut(dimension) {
            *size = (*size).max(longest);
        }
    }
}
