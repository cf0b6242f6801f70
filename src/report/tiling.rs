//! How the kernel is tiled, as directives that can be pasted into its source.

use serde::{Deserialize, Serialize};

use super::area::Area;
use super::demand::Demand;
use crate::board::Board;
use crate::buffer::blocks;
use crate::hardware::Beats;
use crate::offload::Offload;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TilingReport {
    /// Whether burstc chose it, because the source has no directive.
    pub chosen: bool,
    /// One pragma per band, in order.
    pub directives: Vec<String>,
    /// Bits of block RAM that the buffers take, with a copy per read reference, and those of the board.
    pub buffer_bits: u64,
    pub block_ram_bits: u64,
    /// What strips of several dimensions were chosen for. For people.
    #[serde(skip)]
    pub strips: Option<String>,
    /// The whole program is one tile. For people.
    #[serde(skip)]
    pub is_one_tile: bool,
    /// Where iterations run side by side, or somebody asked whether they could.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<LanesReport>,
    /// Where several compute processes share the tiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<UnitsReport>,
}

/// Compute processes, at the usual sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitsReport {
    pub count: i64,
    /// What they run along: `i`.
    pub along: String,
    /// Multipliers of 18 x 18 bits, and those of the board.
    pub multipliers: u64,
    pub board_multipliers: u64,
    /// Why burstc chose so many, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl UnitsReport {
    fn new(offload: &Offload, board: &Board) -> Option<UnitsReport> {
        let units = offload.first_units()?;
        Some(UnitsReport {
            count: units.count,
            along: units.along.clone(),
            multipliers: Area::of(offload, &board.device).multipliers,
            board_multipliers: board.device.dsp_18x18,
            reason: offload.units_note.clone(),
        })
    }

    /// `4 along i: 12 of 384 multipliers`
    pub fn text(&self) -> String {
        let UnitsReport { count, along, multipliers, board_multipliers, .. } = self;
        format!("{count} along {along}: {multipliers} of {board_multipliers} multipliers")
    }
}

/// At the usual sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LanesReport {
    pub count: i64,
    /// What they run along: `i`.
    pub along: String,
    /// Cycles that the iterations take at least, and those that the words of Load and Store take.
    pub compute_cycles: u64,
    pub memory_cycles: u64,
    /// Multipliers of 18 x 18 bits, and those of the board.
    pub multipliers: u64,
    pub board_multipliers: u64,
    /// Whether they combine floating-point numbers in another order than the C program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reassociates: bool,
    /// Why burstc chose so many, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl TilingReport {
    pub fn new(offload: &Offload, board: &Board) -> TilingReport {
        TilingReport {
            chosen: offload.kernel.tilings.is_empty(),
            directives: offload.directives(),
            buffer_bits: blocks::bits(&offload.kernel, &offload.buffers) as u64,
            block_ram_bits: board.block_ram_bits(),
            strips: offload.strips_note.clone(),
            is_one_tile: offload.is_one_tile(),
            lanes: LanesReport::new(offload, board),
            units: UnitsReport::new(offload, board),
        }
    }

    /// Why these tiles, on one line.
    pub fn reason(&self) -> String {
        if let Some(strips) = &self.strips {
            return format!("chosen: strips of several dimensions take {strips}, by the estimate");
        }
        if self.is_one_tile {
            return "chosen: the whole program is one tile, as smaller ones take longer by the estimate".to_string();
        }
        format!(
            "chosen: fewest DDR bytes for which the buffers ({} bits) fit {} bits of block RAM",
            self.buffer_bits, self.block_ram_bits
        )
    }
}

impl LanesReport {
    fn new(offload: &Offload, board: &Board) -> Option<LanesReport> {
        let lanes = offload.bands.iter().filter_map(|band| band.compute.lanes.as_ref());
        // Of the band with the most, the first of several.
        let lanes = lanes.rev().max_by_key(|lanes| lanes.count);
        let reason = offload.lanes_note.clone();
        if lanes.is_none() && reason.is_none() {
            return None;
        }
        let demand = Demand::of(offload, board.memory.link());
        let count = lanes.map_or(1, |lanes| lanes.count);
        Some(LanesReport {
            count,
            along: lanes.map_or(String::new(), |lanes| lanes.along.clone()),
            compute_cycles: demand.compute_cycles(count),
            memory_cycles: demand.words(Beats::of(offload, board.memory.link()).word),
            multipliers: Area::of(offload, &board.device).multipliers,
            board_multipliers: board.device.dsp_18x18,
            reassociates: offload.reassociates(),
            reason,
        })
    }

    /// `16 along i: 131,072 cycles to compute, 65,536 for the memory; 48 of 384 multipliers`, with `number` for figures.
    pub fn text(&self, number: impl Fn(u64) -> String) -> String {
        let along = if self.along.is_empty() { String::new() } else { format!(" along {}", self.along) };
        format!(
            "{}{along}: {} cycles to compute, {} for the memory; {} of {} multipliers",
            self.count,
            number(self.compute_cycles),
            number(self.memory_cycles),
            self.multipliers,
            self.board_multipliers
        )
    }
}
