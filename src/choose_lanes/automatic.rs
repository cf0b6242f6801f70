//! The number of lanes where nobody gives one, along one loop each: down from what the memory could feed, and up again.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::Result;

use super::{AS_GOOD, Choice, Forbids, Found, Refusal, Request, SHORT, UNUSED, WORTH_IT, grow, long, most};
use crate::diagnostic::Span;
use crate::hardware::Link;
use crate::offload::Offload;
use crate::polyhedral::isl::Exhausted;
use crate::report::demand::Demand;
use crate::source::kernel::{LanesDirective, TilingDirective};

/// So many smaller parts of the block RAM are looked at.
const SMALLER_UNASKED: usize = 2;
/// Twice as many lanes are worth it where fewer take so many times the cycles: estimates are no better than that, and lanes cost area.
const TWICE_WORTH_IT: f64 = 1.05;
/// More bands, with lanes along two loops, are looked at where iterations take so many times what words take.
const APART: f64 = 2.0;
/// isl's operations for all searches where runs are too short for much to be gained.
const SHORT_SEARCH_OPERATIONS: u64 = 10_000_000;

impl<F: Fn(&TilingDirective) -> bool> Choice<'_, F> {
    /// The lanes with which the run is expected to be shortest, of those that take about as long the fewest; one where more
    /// are not worth it, or looking for them takes too long.
    pub(super) fn automatic(&self) -> Result<Offload> {
        let best = self.beside(self.one()?)?;
        let Some(whole) = self.aside.take() else { return Ok(best) };
        // Lanes lie along other loops there.
        self.begin_whole();
        let whole = self.beside(whole.offload)?;
        Ok(if self.is_worth_it(&whole, &best) { whole } else { best })
    }

    /// The same beside what there is with one lane.
    fn beside(&self, one: Offload) -> Result<Offload> {
        match self.automatic_beside(one.clone()) {
            Err(error) if error.is::<Exhausted>() => {
                Ok(Offload { lanes_note: Some("looking for more takes too long".to_string()), ..one })
            }
            found => found,
        }
    }

    fn automatic_beside(&self, offload: Offload) -> Result<Offload> {
        let link = self.means.board.memory.link();
        if Demand::of(&offload, link).is_endless() {
            let note = "at its usual sizes the kernel does more than can be estimated".to_string();
            return Ok(Offload { lanes_note: Some(note), ..offload });
        }
        let mut one = Found { count: 1, expected: self.expected(&offload), offload };
        if one.cycles() <= SHORT {
            self.grant(SHORT_SEARCH_OPERATIONS);
        }
        // Where the memory holds the iterations up, strips are worth more than lanes.
        if one.expected.moving() > one.expected.computing() {
            one = self.within(|_, left| self.with_long_strips(one, left.unwrap_or(long::OPERATIONS)))?;
        }
        let (most, limit) = most(&one.offload, self.means.board, longest(&one.offload), |_, count| count);
        let wanted = wanted(&one, link);
        // What forbids a number of lanes.
        let mut reasons = BTreeMap::from([(2 * most, limit)]);
        let mut best: Option<Found> = None;
        // Down to what is possible, and to what neither waits for the memory nor leaves lanes without work.
        let mut count = wanted.min(most);
        // In the tiles of the first that is possible more may be, too.
        let mut fewest = wanted;
        let mut base = one.offload.clone();
        let mut is_any_looked_at = false;
        while count > 1 && self.may_probe() {
            match self.possible(&base, count)? {
                Ok(found) => {
                    let found = match &best {
                        Some(_) => found,
                        None => {
                            fewest = fewest.min(count);
                            self.in_better_tiles(found, true)?
                        }
                    };
                    base = found.offload.clone();
                    let (is_needed, cycles) = (found.needs_its_lanes(&one), found.cycles());
                    if best.as_ref().is_none_or(|best| found.cycles() <= AS_GOOD * best.cycles()) {
                        best = Some(found);
                    }
                    let is_worse = best.as_ref().is_some_and(|best| cycles > UNUSED * best.cycles());
                    if is_needed || is_worse {
                        break;
                    }
                }
                Err(refusal) => {
                    reasons.insert(count, refusal.reason);
                    // What is not for lack of room may be so with any number.
                    if refusal.kind == Forbids::Other
                        && !std::mem::replace(&mut is_any_looked_at, true)
                        && count > 4
                        && let Err(refusal) = self.possible(&base, 2)?
                    {
                        reasons.insert(2, refusal.reason);
                        break;
                    }
                }
            }
            count /= 2;
        }
        if !self.may_probe() {
            let too_long = || "looking for more takes too long: ask for them by a number".to_string();
            for count in std::iter::successors(Some(most), |count| Some(count / 2)).take_while(|count| *count > 1) {
                reasons.entry(count).or_insert_with(too_long);
            }
        }
        let is_worth_it = |best: &Found| best.cycles() < WORTH_IT * one.cycles();
        if !self.has_operations_left() && !best.as_ref().is_some_and(is_worth_it) {
            // In the tiles of one lane nothing is found in time.
            best = self.in_other_cuts(wanted.min(most))?.or(best);
        }
        best = best.map(|best| self.upwards(best, fewest..most, &one, &mut reasons)).transpose()?;
        let mut best = best.filter(is_worth_it).unwrap_or_else(|| one.clone());
        if best.expected.compute > AS_GOOD * least_memory(&one, link) {
            best = self.in_two(best, &one, &mut reasons)?;
        }
        // Where an operation of isl's takes some ten times as long, there is no time for more.
        if !self.analysis.kernel().is_deep() {
            if best.expected.compute > APART * least_memory(&one, link) {
                best = self.in_two_apart(best, &one, &mut reasons)?;
            }
            best = self.in_one_strip(best)?;
        }
        best = self.in_other_sides(best)?;
        let reason = reasons.remove(&(2 * best.count));
        best.offload.strips_note = one.offload.strips_note;
        best.offload.lanes_note = Some(match reason {
            _ if best.expected.compute < AS_GOOD * best.expected.memory() => "the memory is the bottleneck".to_string(),
            Some(reason) => reason,
            None => "more would not make the run shorter, by the estimate".to_string(),
        });
        Ok(self.with_long_strips(best, long::OPERATIONS)?.offload)
    }

    /// More lanes, where values that are waited for, short rows, or what runs beside nothing take longer than the memory: in the tiles of
    /// fewer, in others, and in tiles that are better for fewer.
    fn upwards(
        &self,
        mut best: Found,
        counts: Range<i64>,
        one: &Found,
        reasons: &mut BTreeMap<i64, String>,
    ) -> Result<Found> {
        let least = least_memory(one, self.means.board.memory.link());
        let mut is_in_its_tiles = false;
        while counts.contains(&best.count) && best.expected.computing() > AS_GOOD * least && self.may_probe() {
            if let Some(found) = self.twice_the_lanes(&best, reasons)? {
                (best, is_in_its_tiles) = (found, false);
                continue;
            }
            let before = best.cycles();
            if is_in_its_tiles {
                break;
            }
            best = self.in_better_tiles(best, false)?;
            is_in_its_tiles = true;
            if best.cycles() >= before {
                break;
            }
        }
        if is_in_its_tiles { Ok(best) } else { self.in_better_tiles(best, false) }
    }

    /// Twice as many lanes, where those are better, or why there are none.
    fn twice_the_lanes(&self, now: &Found, reasons: &mut BTreeMap<i64, String>) -> Result<Option<Found>> {
        let next = 2 * now.count;
        let is_better = |found: &Found| found.cycles() * TWICE_WORTH_IT < now.cycles();
        match self.possible(&now.offload, next)? {
            Ok(found) if is_better(&found) => Ok(Some(found)),
            // Tiles with as many bursts as fewer lanes have time for.
            Ok(found) if found.expected.compute < found.expected.memory() => {
                Ok(Some(self.in_better_tiles(found, true)?).filter(is_better))
            }
            Ok(_) => Ok(None),
            Err(refusal) => {
                reasons.insert(next, refusal.reason);
                Ok(None)
            }
        }
    }

    /// `count` lanes, or what forbids them. Tiles that nobody gave grow to hold them.
    fn possible(&self, one: &Offload, count: i64) -> Result<Result<Found, Refusal>> {
        let found = self.judged(count, self.with(one, &Request::Count(count), SMALLER_UNASKED))?;
        let is_final = found.as_ref().map_or_else(|refusal| refusal.kind == Forbids::Operators, |_| true);
        if is_final || !self.kernel.tilings.is_empty() || !self.may_probe() {
            return Ok(found);
        }
        let mut tilings = one.tilings_as_written();
        if tilings.iter_mut().filter_map(|tiling| grow(tiling, count).then_some(())).count() == 0 {
            return Ok(found);
        }
        tilings.iter_mut().for_each(|tiling| tiling.lanes = Some(LanesDirective::new(count, Span::default())));
        let grown = self.judged(count, self.in_tiles(tilings))?;
        Ok(if grown.is_ok() { grown } else { found })
    }
}

/// Cycles of the memory for the words that `one` moves, whatever their rows.
fn least_memory(one: &Found, link: Link) -> f64 {
    Demand::of(&one.offload, link).bytes as f64 * 8.0 / f64::from(link.widest_word().bits())
}

/// The fewest lanes at which the words to move take as long as the iterations, through beats as wide as the lanes make them, and
/// more would not let memory move more per cycle.
fn wanted(one: &Found, link: Link) -> i64 {
    let Found { offload, expected, .. } = one;
    let demand = Demand::of(offload, link);
    let moved = offload.bands.iter().flat_map(|band| &band.transfers).map(|transfer| transfer.array);
    let element = moved.map(|array| u64::from(offload.kernel.arrays[array].element.bytes())).min().unwrap_or(4);
    let word = u64::from(link.widest_word().bits()) / 8;
    let cycles = |lanes: i64| {
        let beat = (lanes as u64 * element).min(word.max(element));
        let memory = demand.bytes as f64 / beat as f64;
        (expected.compute.max(demand.iterations as f64) / lanes as f64).max(memory)
    };
    let least = cycles(LanesDirective::MOST);
    let counts = std::iter::successors(Some(1), |lanes| Some(2 * lanes)).take_while(|l| *l <= LanesDirective::MOST);
    counts.into_iter().find(|lanes| cycles(*lanes) <= AS_GOOD * least).unwrap_or(LanesDirective::MOST)
}

/// The longest side of a tile, or what it might grow to, or the longest loop inside of tiles.
fn longest(one: &Offload) -> i64 {
    let levels = one.bands.iter().flat_map(|band| &band.compute.scan.pieces).flat_map(|piece| &piece.levels);
    let inside = levels.map(|level| level.range.1.saturating_sub(level.range.0).saturating_add(1)).max().unwrap_or(1);
    let side = one.bands.iter().flat_map(|band| &band.tiling.sizes).copied().max().unwrap_or(1);
    let inside = u64::try_from(inside).unwrap_or(1).checked_next_power_of_two().map_or(i64::MAX, |side| side as i64);
    side.max(inside).clamp(32, LanesDirective::MOST)
}
