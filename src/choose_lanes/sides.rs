//! Tiles for one lane with other sides: those that move the fewest bytes have powers of two. Smaller ones leave less to load before the first
//! and to store behind the last, beside which nothing runs; in larger ones more rows take turns, so that values wait less.

use anyhow::Result;

use super::tiles::{begin_with, several_tiles};
use super::{Choice, Found, SHORT};
use crate::analysis::Cut;
use crate::ids::BandId;
use crate::polyhedral::isl::Exhausted;
use crate::report::demand::Demand;
use crate::source::kernel::TilingDirective;

/// Tilings that are looked at, and isl's operations for all of them.
const LOOKED_AT: usize = 12;
const OPERATIONS: u64 = 1_500_000;
/// Where a run takes no more than so many times the cycles of its words or iterations, nothing is looked at.
const AT_IT: f64 = 1.03;
/// Other sides are taken with at most this part of the cycles.
const WORTH_IT: f64 = 0.985;
/// What gained as much is gone on from.
const GOES_ON: f64 = 0.95;
/// Parts of a side that another may have.
const SMALLER: [(i64, i64); 3] = [(5, 8), (3, 4), (1, 2)];
const LARGER: [(i64, i64); 2] = [(2, 1), (3, 2)];
/// Sides of tiles that nests share.
const SHARED_SIDES: [i64; 2] = [8, 16];
/// Shorter sides are left as they are, as the begin of a tile takes some cycles.
const SHORTEST: i64 = 4;

impl<F: Fn(&TilingDirective) -> bool> Choice<'_, F> {
    /// What is found in tiles one of whose sides is longer or shorter, as long as that helps.
    pub(super) fn in_other_sides(&self, found: Found) -> Result<Found> {
        if !self.kernel.tilings.is_empty() || found.count > 1 || found.cycles() <= SHORT || self.is_near(&found, AT_IT)
        {
            return Ok(found);
        }
        let mut tried = vec![found.offload.tilings_as_written()];
        let mut left = OPERATIONS;
        let mut best = found;
        // Nests that share tiles load once what each of them loads otherwise.
        let mut first = self.shared(&mut left)?;
        loop {
            let now = best.offload.tilings_as_written();
            let mut better: Option<Found> = None;
            for tilings in first.drain(..).chain(self.others(&best, &now)) {
                if tried.len() > LOOKED_AT || !self.means.suffice(left) {
                    break;
                }
                if tried.contains(&tilings) {
                    continue;
                }
                tried.push(tilings.clone());
                let least = better.as_ref().map_or(WORTH_IT * best.cycles(), Found::cycles);
                if let Ok(found) = self.in_others(&tilings, 1, &mut left)?
                    && found.cycles() < least
                {
                    better = Some(found);
                }
            }
            let Some(mut found) = better else { return Ok(best) };
            let goes_on = found.cycles() < GOES_ON * best.cycles();
            found.offload.lanes_note = best.offload.lanes_note.take();
            found.offload.strips_note = best.offload.strips_note.take();
            best = found;
            if !goes_on {
                return Ok(best);
            }
        }
    }

    /// Tilings in which nests share tiles, of several sizes.
    fn shared(&self, left: &mut u64) -> Result<Vec<Vec<TilingDirective>>> {
        let granted = self.means.granted(*left);
        let (shared, taken) = self.counted(|analysis| analysis.shared(Some(granted)));
        *left = left.saturating_sub(taken);
        let shared = match shared {
            Err(error) if error.is::<Exhausted>() => None,
            shared => shared?,
        };
        let sized = |bands: &Vec<Cut>, side: i64| -> Vec<TilingDirective> {
            let all = bands.iter().map(begin_with);
            let sized = all.map(|tiling| {
                let sizes = tiling.sizes.iter().map(|size| side.min(*size)).collect();
                TilingDirective { sizes, ..tiling }
            });
            sized.collect()
        };
        Ok(shared.iter().flat_map(|bands| SHARED_SIDES.map(|side| sized(bands, side))).collect())
    }

    /// The tilings with one side of one band's tiles in another length, where there are several of them; the bands that take longest first.
    /// Where little stands alone, values are waited for, and larger ones come first.
    fn others(&self, found: &Found, now: &[TilingDirective]) -> Vec<Vec<TilingDirective>> {
        let expected = &found.expected;
        let demand = Demand::of(&found.offload, self.means.board.memory.link());
        let is_alone = 2.0 * expected.alone > found.cycles() - demand.compute_cycles(1) as f64;
        let parts = if is_alone { [&SMALLER[..], &LARGER] } else { [&LARGER[..], &SMALLER] }.concat();
        let cycles = |band: usize| expected.by_band[BandId(band)].max(expected.moving_by_band[BandId(band)]);
        let mut bands: Vec<usize> = (0..now.len()).collect();
        bands.sort_by(|a, b| cycles(*b).total_cmp(&cycles(*a)));
        let mut all = vec![];
        for band in bands {
            let several = several_tiles(&found.offload, BandId(band));
            for (dimension, size) in now[band].sizes.iter().enumerate() {
                for (part, whole) in &parts {
                    let side = size * part / whole;
                    if *size > 1 && side >= SHORTEST && several.get(dimension) != Some(&false) {
                        let mut other = now.to_vec();
                        other[band].sizes[dimension] = side;
                        all.push(other);
                    }
                }
            }
        }
        all
    }
}
