//! Units: several compute processes that share every tile, as many as the command line or the directives want.

use std::cell::OnceCell;

use anyhow::Result;

use super::{LOGIC, Request, SHORT, SMALLER, WORTH_IT, analyze, excess, on_ports};
use crate::analysis::Analysis;
use crate::board::Board;
use crate::buffer::blocks::NoRoom;
use crate::diagnostic::{Diagnostic, Span};
use crate::offload::{Offload, power_of_two};
use crate::report::area::Area;
use crate::report::expected::Expected;
use crate::source::kernel::{Kernel, TilingDirective, UnitsDirective};

/// `--units 4` or `--units auto`; takes the place of what directives say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitsRequest {
    Count(i64),
    /// As many as make the run shorter than lanes do, by the estimate, and as the board has room for.
    Automatic,
}

/// Dimensions of bands that are looked at, one after the other.
const MOST_WAYS: usize = 8;

/// Reads `4` or `auto`.
///
/// # Errors
/// What was expected.
pub fn parse_units(text: &str) -> Result<UnitsRequest, String> {
    match text.parse() {
        Ok(count) if UnitsDirective::allows(count) => Ok(UnitsRequest::Count(count)),
        _ if text == "auto" => Ok(UnitsRequest::Automatic),
        _ => Err(format!("`{text}` is neither `auto` nor a power of two up to {}", UnitsDirective::MOST)),
    }
}

/// isl's operations for tiles that units share where nobody asks for units.
const OPERATIONS: u64 = 3_000_000;

/// Iterations bound a run by so much, and units that nobody asked for take at most this part of its cycles: each is about as large as the
/// accelerator.
const BOUND: f64 = 1.2;
const WORTH_A_COPY: f64 = 0.8;

/// [`analyze`] with as many units as `units` wants, or else the directives. Where nobody says anything and no statement has lanes, with as
/// many as make a run that its iterations bound shorter.
///
/// # Errors
/// A [`Diagnostic`] of the analysis, also where the kernel has no such units, or the board no room for them.
pub fn analyze_in_units(
    kernel: &Kernel,
    board: &Board,
    lanes: Option<Request>,
    units: Option<UnitsRequest>,
) -> Result<Offload> {
    let is_unasked = units.is_none() && lanes == Some(Request::Usual) && kernel.tilings.is_empty();
    let all = InUnits { kernel, board, lanes, operations: is_unasked.then_some(OPERATIONS), begun: OnceCell::new() };
    match units {
        None if is_unasked => Ok(all.where_worth_it(analyze(kernel, board, all.lanes.clone())?)),
        None => require_room(analyze(kernel, board, all.lanes)?, board, 1.0),
        Some(UnitsRequest::Count(count)) => all.of(count, 1.0),
        Some(UnitsRequest::Automatic) => {
            let mut single = kernel.clone();
            single.tilings.iter_mut().for_each(|tiling| tiling.units = None);
            let found = analyze(&single, board, all.lanes.clone());
            if all.wanted_lanes().is_some() {
                return found;
            }
            let own = all.more_than(analyze(&single, board, Some(Request::Count(1)))?, WORTH_IT);
            // Lanes may be better still.
            Ok(found.ok().filter(|found| all.cycles(found) <= all.cycles(&own)).unwrap_or(own))
        }
    }
}

struct InUnits<'a> {
    kernel: &'a Kernel,
    board: &'a Board,
    lanes: Option<Request>,
    /// isl's for tiles, where they are limited.
    operations: Option<u64>,
    /// The analyses, each with the tiles of one unit.
    begun: OnceCell<Vec<(Analysis, Vec<TilingDirective>)>>,
}

impl InUnits<'_> {
    /// `found`, or units, where that has no lanes, runs for long, and longer than the memory does.
    fn where_worth_it(&self, found: Offload) -> Offload {
        let expected = Expected::of(&found, self.board, &found.kernel.usual_sizes());
        let cycles = expected.cycles();
        let may_gain = found.most_lanes().is_none()
            && cycles.is_finite()
            && cycles > SHORT
            && expected.computing() > BOUND * expected.moving();
        if !may_gain {
            return found;
        }
        self.more_than(found, WORTH_A_COPY)
    }

    /// Twice as many as `one` has as long as they take `share` of the cycles at most and there is room.
    fn more_than(&self, one: Offload, share: f64) -> Offload {
        let (mut least, mut best, mut count) = (self.cycles(&one), one, 2);
        let reason = loop {
            if !UnitsDirective::allows(count) {
                break format!("no more than {} units", UnitsDirective::MOST);
            }
            let offload = match self.of(count, LOGIC) {
                Ok(offload) => offload,
                Err(error) => match error.downcast_ref::<Diagnostic>() {
                    Some(diagnostic) => break diagnostic.message.clone(),
                    None => break format!("the analysis of {count} units takes too long"),
                },
            };
            let own = self.cycles(&offload);
            if own >= share * least {
                break "more would not make the run shorter, by the estimate".to_string();
            }
            (best, least, count) = (offload, own, 2 * count);
        };
        if best.units() > 1 {
            best.units_note = Some(reason);
        }
        best
    }

    /// The number of lanes that somebody asks for.
    fn wanted_lanes(&self) -> Option<i64> {
        match &self.lanes {
            Some(Request::Count(own)) => Some(*own).filter(|own| *own > 1),
            Some(Request::InTwo([(_, first), (_, second)])) => Some(first * second),
            _ => None,
        }
    }

    /// So many, with a part of the board's look-up tables.
    fn of(&self, count: i64, logic: f64) -> Result<Offload> {
        let InUnits { kernel, board, lanes, .. } = self;
        let mut given = (*kernel).clone();
        if count == 1 {
            given.tilings.iter_mut().for_each(|tiling| tiling.units = None);
            return analyze(&given, board, lanes.clone());
        }
        if let Some(lanes) = self.wanted_lanes() {
            return Err(Diagnostic::new(format!("{lanes} lanes and {count} units"))
                .help("a unit runs one iteration per cycle: give lanes or units")
                .into());
        }
        if kernel.tilings.is_empty() {
            return require_room(self.in_chosen_tiles(count)?, board, logic);
        }
        for tiling in &mut given.tilings {
            let dimension = tiling.units.and_then(|units| units.dimension);
            tiling.units = Some(UnitsDirective { count, dimension, span: Span::default() });
        }
        require_room(analyze(&given, board, Some(Request::Count(1)))?, board, logic)
    }

    /// The best of the kernel as it is, and with statements joined where that is possible.
    fn in_chosen_tiles(&self, count: i64) -> Result<Offload> {
        if self.begun.get().is_none() {
            let apart = Analysis::new(self.kernel)?;
            let joined = apart.joined()?;
            let all: Vec<Analysis> = joined.into_iter().chain([apart]).collect();
            let with_tiles = |analysis: Analysis| {
                let tilings = analysis.own_tilings(&self.board.fabric(), self.operations)?;
                Ok((analysis, tilings))
            };
            let _ = self.begun.set(all.into_iter().map(with_tiles).collect::<Result<_>>()?);
        }
        let mut best: Option<Result<Offload>> = None;
        for (analysis, tilings) in self.begun.get().into_iter().flatten() {
            let found = self.of_analysis(analysis, tilings, count);
            let is_better = match (&best, &found) {
                (Some(Ok(best)), Ok(found)) => self.cycles(found) < self.cycles(best),
                (Some(Err(_)) | None, _) => true,
                (Some(Ok(_)), Err(_)) => false,
            };
            if is_better {
                best = Some(found);
            }
        }
        best.expect("the kernel as it is")
    }

    fn cycles(&self, offload: &Offload) -> f64 {
        Expected::of(offload, self.board, &offload.kernel.usual_sizes()).cycles()
    }

    /// In the tiles that one compute process would have, made long enough along a dimension that units may share: the best of those that
    /// are possible, in tiles for less block RAM where there is none for so many buffers.
    fn of_analysis(&self, analysis: &Analysis, tilings: &[TilingDirective], count: i64) -> Result<Offload> {
        let board = self.board;
        let mut tilings = tilings.to_vec();
        let mut parts = SMALLER.into_iter();
        loop {
            let found = self.in_tiles(analysis, &tilings, count);
            let lacks_room = match &found {
                Ok(offload) => Area::of(offload, &board.device).usual_blocks > board.device.usual_blocks(),
                Err(error) => error.is::<NoRoom>(),
            };
            let Some(part) = parts.next().filter(|_| lacks_room) else { return found };
            match analysis.own_tilings(&board.fabric().with_block_ram(part), self.operations) {
                Ok(smaller) => tilings = smaller,
                Err(_) => return found,
            }
        }
    }

    /// The best way in which units share these tiles: along each dimension that serves, in tiles that are as long for all units together,
    /// or for each of them.
    fn in_tiles(&self, analysis: &Analysis, tilings: &[TilingDirective], count: i64) -> Result<Offload> {
        let board = self.board;
        let dimensions: Vec<Vec<usize>> =
            tilings.iter().map(|tiling| analysis.unit_dimensions(tiling, count)).collect();
        // Bands that use one array have to agree; most have as many dimensions that serve.
        let most = dimensions.iter().map(Vec::len).max().unwrap_or(0).clamp(1, MOST_WAYS);
        let with_units = |way: Option<(usize, i64)>| {
            let mut shared = tilings.to_vec();
            for (tiling, own) in shared.iter_mut().zip(&dimensions) {
                let dimension = way.and_then(|(way, _)| own.get(way.min(own.len().saturating_sub(1)))).copied();
                if let (Some(k), Some((_, times))) = (dimension, way) {
                    tiling.sizes[k] = (times * power_of_two(tiling.sizes[k])).max(count);
                }
                tiling.units = Some(UnitsDirective { count, dimension, span: Span::default() });
            }
            shared
        };
        // In the tiles as they are first: what stands in the way there says more than what longer ones break.
        let ways = (0..most).flat_map(|way| [Some((way, 1)), Some((way, count))]);
        let mut looked_at: Vec<Vec<TilingDirective>> = vec![];
        let mut best: Option<(f64, Offload)> = None;
        let mut refusal: Option<anyhow::Error> = None;
        for shared in std::iter::once(None).chain(ways).map(with_units) {
            if looked_at.contains(&shared) {
                continue;
            }
            let found = analysis.offload(&shared, &board.fabric(), self.operations);
            looked_at.push(shared);
            match found {
                Ok(mut offload) => {
                    offload.kernel.tilings = vec![];
                    let offload = on_ports(offload, board);
                    let cycles = self.cycles(&offload);
                    if best.as_ref().is_none_or(|(least, _)| cycles < *least) {
                        best = Some((cycles, offload));
                    }
                }
                Err(error) if refusal.is_none() || error.is::<NoRoom>() => refusal = Some(error),
                Err(_) => {}
            }
        }
        match (best, refusal) {
            (Some((_, offload)), _) => Ok(offload),
            (None, Some(refusal)) => Err(refusal),
            (None, None) => Err(Diagnostic::new("no tiles that units could share").into()),
        }
    }
}

/// Refuses units that the board has no room for.
fn require_room(offload: Offload, board: &Board, logic: f64) -> Result<Offload> {
    let units = offload.units();
    if units == 1 {
        return Ok(offload);
    }
    match excess(&Area::of(&offload, &board.device), board, &format!("{units} units"), logic) {
        None => Ok(offload),
        Some(excess) => Err(Diagnostic::new(excess).help("take fewer units, or a board with more").into()),
    }
}
