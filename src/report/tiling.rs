//! How the kernel is tiled, as directives that can be pasted into its source.

use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::buffer;
use crate::offload::Offload;
use crate::source::directive_text;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TilingReport {
    /// Whether burstc chose it, because the source has no directive.
    pub chosen: bool,
    /// One pragma per band, in order.
    pub directives: Vec<String>,
    /// Bits of block RAM that the buffers take, with a copy per read reference, and those of the board.
    pub buffer_bits: u64,
    pub block_ram_bits: u64,
}

impl TilingReport {
    pub fn new(offload: &Offload, board: &Board) -> TilingReport {
        let iterators = offload.kernel.iterators();
        TilingReport {
            chosen: offload.kernel.tilings.is_empty(),
            directives: offload.bands.iter().map(|band| directive_text(&band.tiling, &iterators)).collect(),
            buffer_bits: buffer::bits(&offload.kernel, &offload.buffers) as u64,
            block_ram_bits: board.block_ram_bits(),
        }
    }

    /// Why these tiles, on one line.
    pub fn reason(&self) -> String {
        format!(
            "chosen: fewest DDR bytes for which the buffers ({} bits) fit {} bits of block RAM",
            self.buffer_bits, self.block_ram_bits
        )
    }
}
