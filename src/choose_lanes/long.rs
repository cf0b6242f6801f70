//! Strips of several dimensions, where the run is expected to be shorter with them, or takes no longer and moves fewer bytes.

use anyhow::Result;

use super::{Choice, Found, hold_lanes};
use crate::buffer::blocks;
use crate::offload::{Offload, Piece};
use crate::report::demand::Demand;
use crate::source::kernel::{LanesAlong, LanesDirective, TilingDirective};
use crate::walk::{self, Values};

/// Tilings that are looked at.
const LOOKED_AT: usize = 4;
/// isl's operations for all of them, behind those for lanes.
pub const OPERATIONS: u64 = 500_000;
/// Tiles that are counted.
const STEPS: u64 = 100_000;
/// Longer strips are taken with at most this part of the cycles, or where those are no more, of the bytes: iterations in smaller
/// tiles wait for one another in ways that the estimate does not know of.
const WORTH_IT: f64 = 0.8;

/// What a choice goes by.
struct Merit {
    cycles: f64,
    bytes: u64,
    bits: u128,
}

impl<F: Fn(&TilingDirective) -> bool> Choice<'_, F> {
    /// The best of `usual`, whose strips run along one dimension, and of what else there is within so many of isl's operations.
    pub(super) fn with_long_strips(&self, usual: Found, operations: u64) -> Result<Found> {
        let is_long = |own: &TilingDirective| own.strip > 1;
        let mut bands = usual.offload.bands.iter().map(|band| &band.tiling);
        let is_short = bands.clone().any(|own| own.sizes.len() > 1) && !bands.any(is_long);
        if !self.kernel.tilings.is_empty() || !is_short {
            return Ok(usual);
        }
        let before = self.merit(&usual);
        let lanes = usual.offload.tilings_as_written();
        let (count, mut left) = (usual.count, operations);
        let mut best = (None, self.merit(&usual));
        for tilings in candidates(&usual.offload, &lanes, self.analysis.with_long_strips()).into_iter().take(LOOKED_AT)
        {
            if let Ok(found) = self.in_others(&tilings, count, &mut left)? {
                let merit = self.merit(&found);
                if merit.beats(&before) && merit.cycles < best.1.cycles {
                    best = (Some(found), merit);
                }
            }
            if !self.means.suffice(left) {
                break;
            }
        }
        let (Some(mut found), merit) = best else { return Ok(usual) };
        found.offload.lanes_note = usual.offload.lanes_note;
        found.offload.strips_note = Some(note(&merit, &before));
        Ok(found)
    }

    fn merit(&self, found: &Found) -> Merit {
        let offload = &found.offload;
        Merit {
            cycles: found.cycles(),
            bytes: Demand::of(offload, self.means.board.memory.link()).bytes,
            bits: blocks::bits(&offload.kernel, &offload.buffers),
        }
    }
}

impl Merit {
    fn beats(&self, other: &Merit) -> bool {
        let has_fewer_bytes = self.bytes as f64 <= WORTH_IT * other.bytes as f64;
        self.cycles < WORTH_IT * other.cycles || self.cycles <= other.cycles && has_fewer_bytes
    }
}

/// `22,406 cycles, 75,200 bytes and 917,504 bits of block RAM instead of …`
fn note(merit: &Merit, before: &Merit) -> String {
    let text = |own: &Merit| {
        let bytes = if own.bytes == u64::MAX { "too many".to_string() } else { own.bytes.to_string() };
        format!("{:.0} cycles, {bytes} bytes and {} bits of block RAM", own.cycles, own.bits)
    };
    format!("{}; with strips along one dimension {}", text(merit), text(before))
}

/// The present tiles in longer strips, then others.
fn candidates(
    offload: &Offload,
    lanes: &[TilingDirective],
    others: Vec<Vec<TilingDirective>>,
) -> Vec<Vec<TilingDirective>> {
    let serial = |tiling: &TilingDirective| tiling.sizes.iter().take_while(|size| **size == 1).count();
    let longest = |tiling: &TilingDirective| (tiling.sizes.len() - serial(tiling)).max(1);
    let most = lanes.iter().map(longest).max().unwrap_or(1);
    let is_longer = |strip: &usize| match (strips(offload, *strip), strips(offload, strip - 1)) {
        (Some(longer), Some(now)) => longer < now,
        _ => true,
    };
    let along = |strip: usize| -> Vec<TilingDirective> {
        let own = |tiling: &TilingDirective| TilingDirective { strip: strip.min(longest(tiling)), ..tiling.clone() };
        lanes.iter().map(own).collect()
    };
    let others = others.into_iter().filter(|tilings| tilings.len() == lanes.len()).filter_map(|tilings| {
        tilings.into_iter().zip(lanes).map(|(tiling, own)| in_lanes(tiling, own)).collect::<Option<Vec<_>>>()
    });
    let mut all: Vec<Vec<TilingDirective>> = vec![];
    for tilings in (2..=most).filter(is_longer).map(along).chain(others) {
        if tilings != lanes && !all.contains(&tilings) {
            all.push(tilings);
        }
    }
    all
}

/// How many strips there were, if they ran along so many dimensions, at the largest sizes; `None` where those are too many.
fn strips(offload: &Offload, strip: usize) -> Option<u64> {
    let sizes = offload.kernel.parameters.iter().map(|p| (p.name.clone(), p.max.unwrap_or(1))).collect();
    let (mut values, mut steps) = (Values::new(&sizes), STEPS);
    let of = |piece: &Piece| {
        let mut outer = piece.clone();
        outer.levels.truncate(piece.levels.len().saturating_sub(strip));
        walk::count(&outer, &mut values, &mut steps)
    };
    offload.tiles.pieces.iter().map(of).sum()
}

/// A tiling with the lanes that another of its statements has.
fn in_lanes(mut tiling: TilingDirective, own: &TilingDirective) -> Option<TilingDirective> {
    let Some(lanes) = own.lanes else { return Some(tiling) };
    let tiled = |dimension: usize| {
        let is_same = |place: &usize| {
            let of = |name: &String| own.schedules.iter().find(|schedule| schedule.statement == *name);
            let same = |new: &crate::source::kernel::Schedule| {
                of(&new.statement).is_some_and(|old| old.theta.get(dimension) == new.theta.get(*place))
            };
            tiling.schedules.iter().all(same)
        };
        (0..tiling.sizes.len()).find(is_same)
    };
    let place = |dimension: usize| {
        // What is left open is the same where the schedule has the same dimensions.
        if let Some(open) = dimension.checked_sub(own.sizes.len()) {
            let has_all = tiling.sizes.len() == own.sizes.len() && (0..own.sizes.len()).all(|k| tiled(k).is_some());
            return has_all.then_some(tiling.sizes.len() + open);
        }
        tiled(dimension)
    };
    tiling.lanes = Some(match lanes.along {
        None => lanes,
        Some([first, second]) => {
            let moved = |along: LanesAlong| Some(LanesAlong { dimension: place(along.dimension)?, ..along });
            let along = [moved(first)?, moved(second)?];
            LanesDirective::in_two(along, lanes.span)
        }
    });
    hold_lanes(&mut tiling);
    Some(tiling)
}
