//! The register map up to the arguments: the one place that knows it. The generated registers, the C header and the
//! simulation read it from here; `docs/ARCHITECTURE.md` and the benches in `sim/` repeat it, which a test compares.

/// Word 0, control and status: written, bit 0 starts and the errors' bits clear what they are written a 1 to; read, the
/// bits of [`STATUS`]. The same on the native register bus and behind a bus.
pub const CONTROL: u32 = 0;
/// Written to [`CONTROL`].
pub const START: u32 = 0;
/// Bit 0 enables the interrupt; bit 1 is high while it is pending, and a 1 written there acknowledges it. On a bus only.
pub const INTERRUPT: u32 = 7;
/// First word of the arguments.
pub const FIRST_ARGUMENT: u32 = 8;

pub const BUSY: u32 = 0;
pub const DONE: u32 = 1;
pub const MEMORY_READY: u32 = 2;
pub const SIZE_ERROR: u32 = 4;
pub const ALIGNMENT_ERROR: u32 = 5;
/// For a subscript that leaves its array at run time; the run goes on.
pub const INDEX_ERROR: u32 = 6;
/// The first of [`BUS_ERRORS`] bits: SLVERR and DECERR to a read, then to a write.
pub const BUS_ERROR: u32 = 8;
pub const BUS_ERRORS: u32 = 4;

/// A bit of the status word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusBit {
    pub bit: u32,
    /// As the C header has it, behind the kernel's name.
    pub name: &'static str,
    pub meaning: &'static str,
    pub is_error: bool,
    /// Whether only an accelerator behind a bus has it.
    pub on_bus: bool,
}

const fn state(bit: u32, name: &'static str, meaning: &'static str) -> StatusBit {
    StatusBit { bit, name, meaning, is_error: false, on_bus: false }
}

const fn error(bit: u32, name: &'static str, meaning: &'static str) -> StatusBit {
    StatusBit { bit, name, meaning, is_error: true, on_bus: bit >= BUS_ERROR }
}

/// All bits of the status word; the others read 0.
pub const STATUS: [StatusBit; 10] = [
    state(BUSY, "BUSY", "from the start to the end of a run, or until it is refused"),
    state(DONE, "DONE", "the last start led to a run, which has ended"),
    state(MEMORY_READY, "MEMORY_READY", "the memory is initialised; a start waits for it"),
    error(SIZE_ERROR, "SIZE_ERROR", "refused: a size is out of its bounds, or the sizes violate a condition"),
    error(ALIGNMENT_ERROR, "ALIGNMENT_ERROR", "refused: an array's base is no multiple of 8, or beyond the memory"),
    error(
        INDEX_ERROR,
        "INDEX_ERROR",
        "a subscript that depends on data left its array: 0 was read there, or nothing written",
    ),
    error(BUS_ERROR, "READ_SLVERR", "SLVERR to a read"),
    error(BUS_ERROR + 1, "READ_DECERR", "DECERR to a read"),
    error(BUS_ERROR + 2, "WRITE_SLVERR", "SLVERR to a write"),
    error(BUS_ERROR + 3, "WRITE_DECERR", "DECERR to a write"),
];

/// The status word as a table in Markdown.
pub fn table(bus: bool) -> String {
    let rows = STATUS.iter().filter(|bit| bus || !bit.on_bus);
    let row = |bit: &StatusBit| format!("| {} | `{}` | {} |\n", bit.bit, bit.name, bit.meaning);
    format!("| bit | status word | |\n|---|---|---|\n{}", rows.map(row).collect::<String>())
}

/// The bits of all errors.
pub fn errors() -> u32 {
    STATUS.iter().filter(|bit| bit.is_error).fold(0, |mask, bit| mask | 1 << bit.bit)
}

/// The errors of the bus in a status word: bit 0 SLVERR and bit 1 DECERR to a read, bits 2 and 3 to a write.
pub fn bus_errors(status: u64) -> u64 {
    status >> BUS_ERROR & ((1 << BUS_ERRORS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benches_board_and_documents_have_the_same_map() {
        let benches = [
            include_str!("../../../sim/tb_accelerator.v"),
            include_str!("../../../sim/tb_sdr.v"),
            include_str!("../../../sim/tb_bus.v"),
            include_str!("../../../constraints/ecp5_board.v"),
        ];
        let own = format!("BUSY = {BUSY}, DONE = {DONE}, READY = {MEMORY_READY};");
        for bench in benches {
            assert!(bench.contains(&own), "{own}\n{bench}");
        }
        let document = include_str!("../../../docs/ARCHITECTURE.md");
        assert!(document.contains(&table(true)), "{}", table(true));
    }

    #[test]
    fn the_map_tells_the_alignment_of_bases() {
        let error = STATUS.iter().find(|bit| bit.bit == ALIGNMENT_ERROR).expect("a bit");
        let alignment = crate::hardware::BASE_ALIGNMENT;
        assert!(error.meaning.contains(&format!("no multiple of {alignment},")), "{alignment}");
    }

    #[test]
    fn bits_are_distinct() {
        let mask = STATUS.iter().fold(0u32, |mask, bit| {
            assert_eq!(mask >> bit.bit & 1, 0, "{}", bit.name);
            mask | 1 << bit.bit
        });
        assert_eq!(mask & errors(), errors());
        assert_eq!(bus_errors(0x900), 9);
    }
}
