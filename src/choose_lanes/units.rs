//! Units: several compute processes that share every tile, as many as the command line or the directives want.

use anyhow::Result;

use super::{SMALLER, WORTH_IT, analyze, excess, on_ports};
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
    /// As many as make the run shorter, by the estimate, and as the board has room for.
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

/// [`analyze`] with as many units as `units` wants, or else the directives.
///
/// # Errors
/// A [`Diagnostic`] of the analysis, also where the kernel has no such units, or the board no room for them.
pub fn analyze_in_units(
    kernel: &Kernel,
    board: &Board,
    lanes: Option<super::Request>,
    units: Option<UnitsRequest>,
) -> Result<Offload> {
    let all = InUnits { kernel, board, lanes };
    match units {
        None => require_room(analyze(kernel, board, all.lanes)?, board),
        Some(UnitsRequest::Count(count)) => all.of(count),
        Some(UnitsRequest::Automatic) => all.automatic(),
    }
}

struct InUnits<'a> {
    kernel: &'a Kernel,
    board: &'a Board,
    lanes: Option<super::Request>,
}

impl InUnits<'_> {
    fn of(&self, count: i64) -> Result<Offload> {
        let InUnits { kernel, board, lanes } = self;
        let mut given = (*kernel).clone();
        if count == 1 {
            given.tilings.iter_mut().for_each(|tiling| tiling.units = None);
            return analyze(&given, board, lanes.clone());
        }
        let in_lanes = match lanes {
            Some(super::Request::Count(own)) => Some(*own).filter(|own| *own > 1),
            Some(super::Request::InTwo([(_, first), (_, second)])) => Some(first * second),
            _ => None,
        };
        if let Some(lanes) = in_lanes {
            return Err(Diagnostic::new(format!("{lanes} lanes and {count} units"))
                .help("a unit runs one iteration per cycle: give lanes or units")
                .into());
        }
        if kernel.tilings.is_empty() {
            return require_room(self.in_chosen_tiles(count)?, board);
        }
        for tiling in &mut given.tilings {
            let dimension = tiling.units.and_then(|units| units.dimension);
            tiling.units = Some(UnitsDirective { count, dimension, span: Span::default() });
        }
        require_room(analyze(&given, board, Some(super::Request::Count(1)))?, board)
    }

    /// Twice as many as long as that makes the run shorter and there is room.
    fn automatic(&self) -> Result<Offload> {
        let InUnits { kernel, board, .. } = self;
        let mut single = (*kernel).clone();
        single.tilings.iter_mut().for_each(|tiling| tiling.units = None);
        let mut best = analyze(&single, board, Some(super::Request::Count(1)))?;
        let cycles = |offload: &Offload| Expected::of(offload, board, &offload.kernel.usual_sizes()).cycles();
        let (mut least, mut count) = (cycles(&best), 2);
        while UnitsDirective::allows(count) {
            let Ok(offload) = self.of(count) else { break };
            let own = cycles(&offload);
            if own >= WORTH_IT * least {
                break;
            }
            (best, least, count) = (offload, own, 2 * count);
        }
        Ok(best)
    }

    /// In the tiles that one compute process would have, made long enough along a dimension that units may share: the best of those that
    /// are possible, in tiles for less block RAM where there is none for so many buffers.
    fn in_chosen_tiles(&self, count: i64) -> Result<Offload> {
        let InUnits { kernel, board, .. } = self;
        let analysis = Analysis::new(kernel)?;
        let fabric = board.fabric();
        let one = analysis.offload(&[], &fabric, None)?;
        let mut tilings = one.tilings_as_written();
        let mut parts = SMALLER.into_iter();
        loop {
            let found = self.in_tiles(&analysis, &tilings, count);
            let lacks_room = match &found {
                Ok(offload) => Area::of(offload, &board.device).usual_blocks > board.device.usual_blocks(),
                Err(error) => error.is::<NoRoom>(),
            };
            let Some(part) = parts.next().filter(|_| lacks_room) else { return found };
            match analysis.tilings(&fabric.with_block_ram(part), None) {
                Ok(smaller) => tilings = smaller,
                Err(_) => return found,
            }
        }
    }

    /// The best way in which units share these tiles.
    fn in_tiles(&self, analysis: &Analysis, tilings: &[TilingDirective], count: i64) -> Result<Offload> {
        let board = self.board;
        let ways: Vec<Vec<usize>> = tilings.iter().map(|tiling| analysis.unit_dimensions(tiling, count)).collect();
        // Bands that use one array have to agree; most have as many dimensions that serve.
        let most = ways.iter().map(Vec::len).max().unwrap_or(0).clamp(1, MOST_WAYS);
        let mut best: Option<(f64, Offload)> = None;
        let mut refusal = None;
        for way in 0..most {
            let mut shared = tilings.to_vec();
            for (tiling, own) in shared.iter_mut().zip(&ways) {
                let dimension = own.get(way.min(own.len().saturating_sub(1))).copied();
                if let Some(k) = dimension {
                    tiling.sizes[k] = tiling.sizes[k].max(count).max(power_of_two(tiling.sizes[k]));
                }
                tiling.units = Some(UnitsDirective { count, dimension, span: Span::default() });
            }
            match analysis.offload(&shared, &board.fabric(), None) {
                Ok(mut offload) => {
                    offload.kernel.tilings = vec![];
                    let offload = on_ports(offload, board);
                    let cycles = Expected::of(&offload, board, &offload.kernel.usual_sizes()).cycles();
                    if best.as_ref().is_none_or(|(least, _)| cycles < *least) {
                        best = Some((cycles, offload));
                    }
                }
                Err(error) => refusal = refusal.or(Some(error)),
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
fn require_room(offload: Offload, board: &Board) -> Result<Offload> {
    let units = offload.units();
    if units == 1 {
        return Ok(offload);
    }
    match excess(&Area::of(&offload, &board.device), board, &format!("{units} units"), 1.0) {
        None => Ok(offload),
        Some(excess) => Err(Diagnostic::new(excess).help("take fewer units, or a board with more").into()),
    }
}
