//! Board profiles: what a board's FPGA holds and how its memory is built. One TOML file each, in `boards/`.

use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;
use crate::suggest;

/// The profiles that come with burstc: name and text.
const EMBEDDED: &[(&str, &str)] = &[("stratix2-ddr400", include_str!("../../boards/stratix2-ddr400.toml"))];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    pub name: String,
    /// One line for people.
    pub title: String,
    /// Clock of the accelerator and of the memory controller.
    pub clock_mhz: f64,
    pub device: Device,
    pub memory: Memory,
}

/// The FPGA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    pub toolchain: Toolchain,
    /// As the toolchain spells it.
    pub family: String,
    pub part: String,
    pub aluts: u64,
    pub registers: u64,
    /// Multipliers of 18 x 18 bits.
    pub dsp_18x18: u64,
    pub block_ram: Vec<BlockRam>,
}

/// One kind of memory block on the FPGA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockRam {
    pub kind: String,
    pub count: u64,
    /// Capacity of one block, parity bits included.
    pub bits: u64,
    /// Widest port of one block, in bits.
    pub max_width: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Toolchain {
    Quartus,
}

/// The memory outside the FPGA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    pub kind: MemoryKind,
    pub capacity_bytes: u64,
    pub clock_mhz: f64,
    /// Width of the data bus.
    pub data_bits: u64,
    /// Megabytes (10^6 bytes) per second when every cycle moves data.
    pub peak_mb_s: f64,
    /// Bits of the address of a 32-bit word.
    pub address_width: u32,
    pub banks: u64,
    /// Rows of each bank.
    pub rows: u64,
    /// Bytes of one row of one bank.
    pub page_bytes: u64,
    pub timing: Timing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryKind {
    DdrSdram,
}

/// The device's timings in clocks of the memory, by JEDEC's names without the `t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// Read command to first data.
    pub cas: u64,
    /// Activate to read or write.
    pub rcd: u64,
    /// Precharge to activate.
    pub rp: u64,
    /// Activate to precharge, at least.
    pub ras: u64,
    /// Activate to precharge, at most.
    pub ras_max: u64,
    /// Activate to activate of one bank.
    pub rc: u64,
    /// Refresh to the next command.
    pub rfc: u64,
    /// Activate to activate of another bank.
    pub rrd: u64,
    /// Last written data to precharge.
    pub wr: u64,
    /// Last written data to read.
    pub wtr: u64,
    /// Mode register set to the next command.
    pub mrd: u64,
    /// Between refreshes, on average.
    pub refi: u64,
}

impl Board {
    /// Bits of block RAM of the whole device.
    pub fn block_ram_bits(&self) -> u64 {
        self.device.block_ram.iter().map(|kind| kind.count * kind.bits).sum()
    }

    /// Duration of one cycle of the accelerator.
    pub fn cycle_ns(&self) -> f64 {
        1000.0 / self.clock_mhz
    }

    /// Reads a profile. `origin` names it in messages. Errors are `Diagnostic`s.
    pub fn parse(text: &str, origin: &str) -> Result<Board> {
        let board: Board = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let place = line.map(|line| format!(", line {line}")).unwrap_or_default();
            Diagnostic::new(format!("board profile {origin}{place}: {}", error.message().trim()))
                .help("boards/stratix2-ddr400.toml in burstc's sources shows every field of a profile")
        })?;
        match board.inconsistency() {
            Some(fault) => Err(Diagnostic::new(format!("board profile {origin}: {fault}"))
                .help("correct the profile; all its figures must agree")
                .into()),
            None => Ok(board),
        }
    }

    /// What is wrong with a profile whose fields are all there.
    fn inconsistency(&self) -> Option<String> {
        let memory = &self.memory;
        let positive = [
            ("clock_mhz", self.clock_mhz),
            ("memory.clock_mhz", memory.clock_mhz),
            ("memory.peak_mb_s", memory.peak_mb_s),
            ("memory.capacity_bytes", memory.capacity_bytes as f64),
        ];
        if let Some((field, _)) = positive.iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            return Some(format!("{field} must be above 0"));
        }
        let geometry = memory.banks.checked_mul(memory.rows).and_then(|pages| pages.checked_mul(memory.page_bytes));
        if geometry != Some(memory.capacity_bytes) {
            return Some(format!(
                "memory.capacity_bytes is {}, but {} banks x {} rows x {} bytes give {}",
                memory.capacity_bytes,
                memory.banks,
                memory.rows,
                memory.page_bytes,
                geometry.map_or_else(|| "more than 64 bits hold".to_string(), |bytes| bytes.to_string())
            ));
        }
        let addressed = 4u64.checked_shl(memory.address_width).filter(|_| memory.address_width < 62);
        if addressed != Some(memory.capacity_bytes) {
            return Some(format!(
                "memory.address_width is {}, which does not address {} bytes in 32-bit words",
                memory.address_width, memory.capacity_bytes
            ));
        }
        // Two transfers per clock.
        let peak = memory.clock_mhz * 2.0 * memory.data_bits as f64 / 8.0;
        if (peak - memory.peak_mb_s).abs() > 1e-6 * peak {
            return Some(format!("memory.peak_mb_s is {}, but clock and width give {peak}", memory.peak_mb_s));
        }
        None
    }
}

/// The names of the embedded profiles.
pub fn names() -> Vec<&'static str> {
    EMBEDDED.iter().map(|(name, _)| *name).collect()
}

/// The embedded profile called `name`, or the profile in the file `name` if that ends in `.toml`. An unknown name, an
/// unreadable file and a wrong field are `Diagnostic`s.
pub fn load(name: &str) -> Result<Board> {
    if Path::new(name).extension().is_some_and(|extension| extension == "toml") {
        let text = std::fs::read_to_string(name).map_err(|error| {
            Diagnostic::new(format!("cannot read the board profile {name}: {error}")).help(known_boards(name))
        })?;
        return Board::parse(&text, name);
    }
    match EMBEDDED.iter().find(|(known, _)| *known == name) {
        Some((known, text)) => Board::parse(text, known),
        None => Err(Diagnostic::new(format!("there is no board called `{name}`")).help(known_boards(name)).into()),
    }
}

fn known_boards(name: &str) -> String {
    format!("{}; or give the path of a profile that ends in .toml", suggest::known("boards", name, names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(result: Result<Board>) -> Diagnostic {
        result.unwrap_err().downcast_ref::<Diagnostic>().unwrap().clone()
    }

    #[test]
    fn every_embedded_profile_is_sound_and_named_as_its_file() {
        for name in names() {
            assert_eq!(load(name).unwrap().name, name);
        }
    }

    #[test]
    fn stratix2_has_the_figures_of_its_handbook() {
        let board = load("stratix2-ddr400").unwrap();
        assert_eq!(board.block_ram_bits(), 9_383_040);
        assert_eq!(board.device.dsp_18x18, 384);
        assert_eq!(board.memory.capacity_bytes, 16 << 20);
        assert_eq!(board.cycle_ns(), 10.0);
    }

    #[test]
    fn unknown_board_gets_a_suggestion() {
        let error = diagnostic(load("stratix2-dr400"));
        assert_eq!(error.message, "there is no board called `stratix2-dr400`");
        assert!(error.help.contains("did you mean `stratix2-ddr400`?"), "{}", error.help);
        assert!(diagnostic(load("zzz")).help.contains("known boards: stratix2-ddr400"));
        assert!(diagnostic(load("missing.toml")).message.contains("cannot read"));
    }

    #[test]
    fn wrong_fields_are_named_with_their_line() {
        let text = EMBEDDED[0].1.replace("clock_mhz = 100.0", "clock_mhz = 100.0\nvoltage = 3");
        let error = diagnostic(Board::parse(&text, "x.toml"));
        assert!(
            error.message.starts_with("board profile x.toml, line 6: unknown field `voltage`"),
            "{}",
            error.message
        );
    }

    #[test]
    fn figures_must_agree() {
        for (from, to, word) in [
            ("rows = 4096", "rows = 4095", "capacity_bytes"),
            ("address_width = 22", "address_width = 21", "address_width"),
            ("address_width = 22", "address_width = 70", "address_width"),
            ("peak_mb_s = 400.0", "peak_mb_s = 800.0", "peak_mb_s"),
            ("clock_mhz = 100.0", "clock_mhz = 0.0", "above 0"),
        ] {
            let error = diagnostic(Board::parse(&EMBEDDED[0].1.replacen(from, to, 1), "x"));
            assert!(error.message.contains(word), "{}", error.message);
        }
    }
}
