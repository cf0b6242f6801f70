//! How many iterations run side by side: as many as somebody asks for, or as few as keep the memory busy.

use anyhow::Result;

use crate::analysis;
use crate::board::Board;
use crate::buffer::NoRoom;
use crate::diagnostic::{Diagnostic, Span};
use crate::hardware::Beats;
use crate::offload::{Buffer, Offload};
use crate::polyhedral::isl::Exhausted;
use crate::report::demand::Demand;
use crate::source::kernel::{Kernel, LanesDirective, TilingDirective};

/// Parts of the block RAM that tiles are chosen for, where those for all of it are too large for the lanes.
const SMALLER: [f64; 4] = [0.5, 0.25, 0.125, 0.0625];

/// `--lanes 16` or `--lanes auto`; takes the place of what directives say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    Count(i64),
    /// The fewest lanes at which the memory is the bottleneck, or the most that the board and the kernel allow.
    Automatic,
}

/// Reads `16` or `auto`.
///
/// # Errors
/// What was expected.
pub fn parse(text: &str) -> Result<Request, String> {
    match text.parse() {
        Ok(count) if LanesDirective::allows(count) => Ok(Request::Count(count)),
        _ if text == "auto" => Ok(Request::Automatic),
        _ => Err(format!("`{text}` is neither `auto` nor a power of two up to {}", LanesDirective::MOST)),
    }
}

/// [`analysis::analyze`] for `board`, with the lanes that `request` wants, or else the directives.
pub fn analyze(kernel: &Kernel, board: &Board, request: Option<Request>) -> Result<Offload> {
    let Some(request) = request else { return analysis::analyze(kernel, &board.fabric()) };
    let mut single = kernel.clone();
    single.tilings.iter_mut().for_each(|tiling| tiling.lanes = None);
    let one = analysis::analyze(&single, &board.fabric())?;
    let tilings_of = |one: &Offload| -> Vec<TilingDirective> {
        one.bands.iter().map(|band| band.tiling.as_written(&one.kernel).0).collect()
    };
    let tilings = tilings_of(&one);
    let in_tiles = |tilings: Vec<TilingDirective>, count: i64| -> Result<Offload> {
        let mut laned = kernel.clone();
        laned.tilings = tilings;
        let lanes = LanesDirective { count, span: Span::default() };
        laned.tilings.iter_mut().for_each(|tiling| tiling.lanes = Some(lanes));
        let mut offload = analysis::analyze(&laned, &board.fabric())?;
        // Whether the tiles are the user's or chosen stays as it was.
        offload.kernel.tilings.clone_from(&single.tilings);
        Ok(offload)
    };
    let with = |count: i64| -> Result<Offload> {
        let mut found = in_tiles(tilings.clone(), count);
        for part in SMALLER.into_iter().take_while(|_| kernel.tilings.is_empty()) {
            // Tiles that one lane fills the block RAM with leave none for what lanes have more copies of.
            if !found.as_ref().is_err_and(|error| error.is::<NoRoom>()) {
                break;
            }
            let Ok(smaller) = analysis::analyze(&single, &board.fabric().with_block_ram(part)) else { break };
            found = in_tiles(tilings_of(&smaller), count);
        }
        found
    };
    match request {
        Request::Count(1) => Ok(one),
        Request::Count(count) => with(count),
        Request::Automatic => automatic(one, board, with),
    }
}

/// Doubles the lanes until the words to move take longer than the iterations, and more lanes would not let memory move more
/// per cycle; or until something forbids more.
fn automatic(one: Offload, board: &Board, with: impl Fn(i64) -> Result<Offload>) -> Result<Offload> {
    let link = board.memory.link();
    let demand = Demand::of(&one, link);
    let mut best = one;
    let mut count = 1;
    let note = loop {
        let beats = Beats::of(&best, link);
        let is_fed = demand.compute_cycles(count) <= demand.words(beats.word);
        let bottleneck = || "the memory is the bottleneck".to_string();
        match doubled(2 * count, &demand, board, &with)? {
            Ok(wider) if is_fed && Beats::of(&wider, link).bytes(&wider) <= beats.bytes(&best) => break bottleneck(),
            Ok(wider) => (best, count) = (wider, 2 * count),
            Err(_) if is_fed => break bottleneck(),
            Err(note) => break note,
        }
    };
    best.lanes_note = Some(note);
    Ok(best)
}

/// The analysis for `next` lanes, or what forbids them.
fn doubled(
    next: i64,
    demand: &Demand,
    board: &Board,
    with: impl Fn(i64) -> Result<Offload>,
) -> Result<Result<Offload, String>> {
    if next > LanesDirective::MOST {
        return Ok(Err(format!("no more than {} lanes", LanesDirective::MOST)));
    }
    let multipliers = demand.multipliers * next as u64;
    if multipliers > board.device.dsp_18x18 {
        let has = board.device.dsp_18x18;
        return Ok(Err(format!("{next} lanes need {multipliers} multipliers, the board has {has}")));
    }
    let offload = match with(next) {
        Ok(offload) => offload,
        Err(error) if error.is::<Exhausted>() => {
            return Ok(Err(format!("the analysis of {next} lanes takes too long")));
        }
        Err(error) => match error.downcast::<Diagnostic>() {
            Ok(Diagnostic { message, help, .. }) => return Ok(Err(format!("{message} ({help})"))),
            Err(error) => return Err(error),
        },
    };
    let blocks = blocks(&offload);
    let available: u64 = board.device.block_ram.iter().map(|kind| kind.count).sum();
    Ok(match blocks > available {
        true => Err(format!("{next} lanes need {blocks} block RAMs, the board has {available}")),
        false => Ok(offload),
    })
}

/// Block RAMs, one at least for each bank of each copy.
fn blocks(offload: &Offload) -> u64 {
    let of = |buffer: &Buffer| buffer.memories() as u64 * buffer.banks.map_or(1, |banks| banks.count as u64);
    offload.buffers.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_powers_of_two() {
        assert_eq!(parse("16"), Ok(Request::Count(16)));
        assert_eq!(parse("auto"), Ok(Request::Automatic));
        for text in ["0", "-2", "3", "512", "two", ""] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
