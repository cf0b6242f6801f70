//! Board profiles: what a board's FPGA holds and how its memory is built. One TOML file each, in `boards/`.

mod ecp5;
mod schema;
mod sdr;

use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use crate::buffer::reads::{Blocks, Fabric};
use crate::diagnostic::Diagnostic;
pub use crate::hardware::DdrTiming;
use crate::hardware::{Bus, BusKind, Ddr, Link};
use crate::suggest;
use crate::word::Word;
pub use ecp5::{Pins, Pll, SdramPins, nextpnr_options};
use schema::{BUS_BITS, PORTS};
pub use sdr::SdrTiming;

/// The profiles that come with burstc: name and text.
const EMBEDDED: &[(&str, &str)] = &[
    ("stratix2-ddr400", include_str!("../../boards/stratix2-ddr400.toml")),
    ("de10-nano", include_str!("../../boards/de10-nano.toml")),
    ("arty-a7", include_str!("../../boards/arty-a7.toml")),
    ("pynq-z2", include_str!("../../boards/pynq-z2.toml")),
    ("zcu104", include_str!("../../boards/zcu104.toml")),
    ("alveo-u50", include_str!("../../boards/alveo-u50.toml")),
    ("ulx3s", include_str!("../../boards/ulx3s.toml")),
    ("generic-axi4", include_str!("../../boards/generic-axi4.toml")),
    ("generic-avalon", include_str!("../../boards/generic-avalon.toml")),
];

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
    /// Of boards whose flow goes down to the bitstream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pins: Option<Pins>,
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

impl Device {
    /// Beginnings of part names, and their makers' families. Vivado takes the part alone, so a family of another would
    /// go unnoticed; Quartus compares the two itself.
    const FAMILIES: [(&str, &str); 8] = [
        ("xc7s", "Spartan-7"),
        ("xc7a", "Artix-7"),
        ("xc7k", "Kintex-7"),
        ("xc7v", "Virtex-7"),
        ("xc7z", "Zynq-7000"),
        ("xczu", "Zynq UltraScale+"),
        ("xcu50", "Virtex UltraScale+ HBM"),
        ("LFE5U", "ECP5"),
    ];

    /// Block RAMs of all kinds.
    pub fn blocks(&self) -> u64 {
        self.block_ram.iter().map(|kind| kind.count).sum()
    }

    /// Those of the kinds among which the tool chooses by itself.
    pub fn usual_blocks(&self) -> u64 {
        self.block_ram.iter().filter(|kind| kind.style.is_none()).map(|kind| kind.count).sum()
    }

    /// What buffers may take of them.
    pub fn kinds(&self) -> Vec<Blocks> {
        let of = |kind: &BlockRam| Blocks {
            kind: kind.kind.clone(),
            count: kind.count,
            bits: kind.bits,
            width: kind.max_width,
            narrowest: kind.min_width,
            style: kind.style.clone(),
        };
        self.block_ram.iter().map(of).collect()
    }

    fn family_inconsistency(&self) -> Option<String> {
        let (_, family) = Device::FAMILIES.iter().find(|(beginning, _)| self.part.starts_with(beginning))?;
        (self.family != *family)
            .then(|| format!("device.family is {}, but device.part {} is of {family}", self.family, self.part))
    }
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
    /// Narrowest port, in bits: of a narrower word, the rest of the block's is left empty.
    #[serde(default = "one_bit", skip_serializing_if = "is_one_bit")]
    pub min_width: u64,
    /// Vivado's `ram_style` of a kind that it takes where a memory asks for it alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
}

fn one_bit() -> u64 {
    1
}

fn is_one_bit(value: &u64) -> bool {
    *value == 1
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Toolchain {
    /// No vendor's: the Verilog goes into the user's own project.
    Any,
    Quartus,
    Vivado,
    /// Yosys, nextpnr and Project Trellis, down to the bitstream.
    NextpnrEcp5,
}

impl Toolchain {
    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Toolchain::Any => "any toolchain",
            Toolchain::Quartus => "Quartus",
            Toolchain::Vivado => "Vivado",
            Toolchain::NextpnrEcp5 => "Yosys and nextpnr",
        }
    }
}

/// The memory outside the FPGA, and the way to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Memory {
    /// A DDR SDRAM device behind the native controller.
    DdrSdram(DdrSdram),
    /// An SDR SDRAM device behind the native controller.
    SdrSdram(SdrSdram),
    /// A port of the board's own controller or interconnect.
    Axi4(BusPort),
    AvalonMm(BusPort),
}

/// One device, behind the native controller; `T` are its times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sdram<T> {
    pub capacity_bytes: u64,
    /// Of DDR twice the accelerator's clock, of SDR the same.
    pub clock_mhz: f64,
    /// Width of the data bus.
    pub data_bits: u64,
    /// Megabytes (10^6 bytes) per second when every edge that moves data does.
    pub peak_mb_s: f64,
    /// Bits of the address of a word of the memory port.
    pub address_width: u32,
    pub banks: u64,
    /// Rows of each bank.
    pub rows: u64,
    /// Bytes of one row of one bank.
    pub page_bytes: u64,
    pub timing: T,
}

/// A x8 device.
pub type DdrSdram = Sdram<DdrTiming>;
/// A x16 device.
pub type SdrSdram = Sdram<SdrTiming>;

/// A slave port of the memory system, clocked with the accelerator; it reads and writes at the same time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BusPort {
    pub capacity_bytes: u64,
    /// Width of the read data and of the write data, [`BUS_BITS`].
    pub data_bits: u32,
    /// Megabytes (10^6 bytes) per second of each direction when every cycle moves a beat.
    pub peak_mb_s: f64,
    /// What the memory behind the port moves at most, reads and writes together.
    pub peak_total_mb_s: f64,
    /// Bits of a byte address, at most 32.
    pub address_bits: u32,
    /// Beats of the longest burst, a power of two up to 256.
    pub burst: u32,
    /// Cycles from an address to its first data that simulations assume.
    pub latency: u32,
    /// Ports like this one, in front of one memory.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub ports: u32,
}

fn one() -> u32 {
    1
}

fn is_one(ports: &u32) -> bool {
    *ports == 1
}

impl Memory {
    pub fn capacity_bytes(&self) -> u64 {
        match self {
            Memory::DdrSdram(ddr) => ddr.capacity_bytes,
            Memory::SdrSdram(sdr) => sdr.capacity_bytes,
            Memory::Axi4(port) | Memory::AvalonMm(port) => port.capacity_bytes,
        }
    }

    /// Megabytes (10^6 bytes) per second at most, in both directions together.
    pub fn peak_mb_s(&self) -> f64 {
        match self {
            Memory::DdrSdram(ddr) => ddr.peak_mb_s,
            Memory::SdrSdram(sdr) => sdr.peak_mb_s,
            Memory::Axi4(port) | Memory::AvalonMm(port) => port.peak_total_mb_s.min(port.peak_of_ports()),
        }
    }

    /// The bus port, if the memory is behind one.
    pub fn bus(&self) -> Option<&BusPort> {
        match self {
            Memory::DdrSdram(_) | Memory::SdrSdram(_) => None,
            Memory::Axi4(port) | Memory::AvalonMm(port) => Some(port),
        }
    }

    /// What the hardware has to know of it.
    pub fn link(&self) -> Link {
        let bus = |kind: BusKind, port: &BusPort| {
            let address_width = port.address_bits - Word::PORT.shift();
            Link::Bus(Bus { kind, address_width, data_bits: port.data_bits, burst: port.burst, ports: port.ports })
        };
        match self {
            Memory::DdrSdram(ddr) => Link::Ddr(ddr.hardware()),
            Memory::SdrSdram(sdr) => Link::Sdr(sdr.hardware()),
            Memory::Axi4(port) => bus(BusKind::Axi4, port),
            Memory::AvalonMm(port) => bus(BusKind::AvalonMm, port),
        }
    }

    /// Of a bus, the cycles that simulations assume from an address to its first data.
    pub fn bus_latency(&self) -> Option<u32> {
        match self {
            Memory::DdrSdram(_) | Memory::SdrSdram(_) => None,
            Memory::Axi4(port) | Memory::AvalonMm(port) => Some(port.latency),
        }
    }

    /// The kind in one word.
    pub fn name(&self) -> &'static str {
        match self {
            Memory::DdrSdram(_) => "DDR",
            Memory::SdrSdram(_) => "SDR",
            Memory::Axi4(_) => "AXI4",
            Memory::AvalonMm(_) => "Avalon-MM",
        }
    }
}

impl Board {
    /// Bits of block RAM of the whole device.
    pub fn block_ram_bits(&self) -> u64 {
        self.device.block_ram.iter().map(|kind| kind.count * kind.bits).sum()
    }

    /// What buffers may take.
    pub fn fabric(&self) -> Fabric {
        let beat_bits = self.memory.link().widest_word().bits();
        Fabric { blocks: self.device.kinds(), aluts: self.device.aluts, beat_bits }
    }

    /// Duration of one cycle of the accelerator.
    pub fn cycle_ns(&self) -> f64 {
        1000.0 / self.clock_mhz
    }

    /// The same in ps, as benches have it.
    pub fn clock_ps(&self) -> u64 {
        (1e6 / self.clock_mhz).round() as u64
    }

    /// Reads a profile. `origin` names it in messages. Every value is in the range that [`schema`] has for it, and all
    /// agree. Errors are `Diagnostic`s.
    pub fn parse(text: &str, origin: &str) -> Result<Board> {
        let refuse = |at: Option<usize>, message: &str| {
            let line = at.map(|at| text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1);
            let place = line.map(|line| format!(", line {line}")).unwrap_or_default();
            Diagnostic::new(format!("board profile {origin}{place}: {message}"))
                .help("the profiles in boards/ of burstc's sources show every key")
        };
        let misread = |error: toml::de::Error| refuse(error.span().map(|span| span.start), error.message().trim());
        let profile = DeTable::parse(text).map_err(misread)?;
        schema::check(profile.get_ref()).map_err(|fault| refuse(Some(fault.at), &fault.message))?;
        let board: Board = toml::from_str(text).map_err(misread)?;
        match board.inconsistency() {
            Some(fault) => Err(Diagnostic::new(format!("board profile {origin}: {fault}"))
                .help("correct the profile; all its figures must agree")
                .into()),
            None => Ok(board),
        }
    }

    /// The board with another width of its bus, and bursts that still end within 4 KB. Memory that is just as quick as the
    /// port stays so, any other keeps its peak. A board without a bus, and a width
    /// that buses do not have, are `Diagnostic`s.
    pub fn with_bus_bits(mut self, bits: u32) -> Result<Board> {
        let (Memory::Axi4(port) | Memory::AvalonMm(port)) = &mut self.memory else {
            return Err(Diagnostic::new(format!("`--bus-bits`: the memory of {} is not behind a bus", self.name))
                .help("choose a board with an AXI4 or Avalon-MM port: `burstc boards` lists them")
                .into());
        };
        if !(bits.is_power_of_two() && BUS_BITS.contains(&u64::from(bits))) {
            let widths: Vec<String> = BUS_BITS.filter(|bits| bits.is_power_of_two()).map(|b| b.to_string()).collect();
            let (last, others) = widths.split_last().expect("buses have a width");
            return Err(Diagnostic::new(format!("`--bus-bits {bits}`: that is no width of a bus"))
                .help(format!("a bus has {} or {last} bits", others.join(", ")))
                .into());
        }
        let is_no_limit = port.peak_total_mb_s == port.peak_of_ports();
        port.data_bits = bits;
        port.burst = port.burst.min(Bus::BURST_BYTES / (bits / 8));
        port.peak_mb_s = self.clock_mhz * f64::from(bits) / 8.0;
        if is_no_limit {
            port.peak_total_mb_s = port.peak_of_ports();
        }
        Ok(self)
    }

    /// The board with another number of ports like the one that it has. Memory that is just as quick as the ports stays so, any
    /// other keeps its peak. A board without AXI4, and a number that no board has, are `Diagnostic`s.
    pub fn with_ports(mut self, ports: u32) -> Result<Board> {
        let Memory::Axi4(port) = &mut self.memory else {
            return Err(Diagnostic::new(format!("`--ports`: the memory of {} has one port", self.name))
                .help("choose a board with AXI4 ports: `burstc boards` lists them")
                .into());
        };
        if !PORTS.contains(&u64::from(ports)) {
            return Err(Diagnostic::new(format!("`--ports {ports}`: no board has so many"))
                .help(format!("a board has {} to {} ports", PORTS.start(), PORTS.end()))
                .into());
        }
        let is_no_limit = port.peak_total_mb_s == port.peak_of_ports();
        port.ports = ports;
        if is_no_limit {
            port.peak_total_mb_s = port.peak_of_ports();
        }
        Ok(self)
    }

    /// What is wrong with a profile whose fields are all there.
    fn inconsistency(&self) -> Option<String> {
        for (index, kind) in self.device.block_ram.iter().enumerate() {
            if kind.max_width > kind.bits {
                return Some(format!(
                    "device.block_ram[{index}].max_width is {}, but bits is {}",
                    kind.max_width, kind.bits
                ));
            }
            if kind.min_width > kind.max_width {
                return Some(format!(
                    "device.block_ram[{index}].min_width is {}, but max_width is {}",
                    kind.min_width, kind.max_width
                ));
            }
            if kind.style.is_some() && self.device.toolchain != Toolchain::Vivado {
                return Some(format!(
                    "device.block_ram[{index}].style is for Vivado, but toolchain is {}",
                    self.device.toolchain.name()
                ));
            }
        }
        if self.device.usual_blocks() == 0 {
            return Some(
                "every device.block_ram has a style; one at least must be what the tool takes by itself".into(),
            );
        }
        match &self.memory {
            Memory::DdrSdram(ddr) => ddr.inconsistency(self.clock_mhz),
            Memory::SdrSdram(sdr) => sdr.inconsistency(self.clock_mhz),
            Memory::Axi4(port) | Memory::AvalonMm(port) => port.inconsistency(self.clock_mhz),
        }
        .or_else(|| self.flow_inconsistency())
    }

    /// What the board's flow lacks, where it goes down to the bitstream.
    fn flow_inconsistency(&self) -> Option<String> {
        match (self.device.toolchain, &self.memory, &self.pins) {
            (Toolchain::NextpnrEcp5, Memory::SdrSdram(_), Some(pins)) => match nextpnr_options(&self.device.part) {
                Some(_) => pins.inconsistency(self.clock_mhz),
                None => Some(format!("device.part is {}, which nextpnr does not know as an ECP5", self.device.part)),
            },
            (Toolchain::NextpnrEcp5, Memory::SdrSdram(_), None) => {
                Some("device.toolchain nextpnr-ecp5 needs a table [pins]".to_string())
            }
            (_, Memory::SdrSdram(_), _) => {
                Some("memory.kind sdr-sdram, whose PHY is for ECP5, needs device.toolchain nextpnr-ecp5".to_string())
            }
            (Toolchain::NextpnrEcp5, Memory::DdrSdram(_), _) => {
                Some("device.toolchain nextpnr-ecp5 needs memory.kind sdr-sdram or a bus".to_string())
            }
            (_, _, Some(_)) => Some("[pins] is for memory.kind sdr-sdram".to_string()),
            (_, _, None) => None,
        }
        .or_else(|| self.device.family_inconsistency())
    }
}

impl BusPort {
    fn inconsistency(&self, clock_mhz: f64) -> Option<String> {
        if self.capacity_bytes > 1 << self.address_bits {
            return Some(format!(
                "memory.capacity_bytes is {}, which memory.address_bits of {} do not reach",
                self.capacity_bytes, self.address_bits
            ));
        }
        if self.burst * self.data_bits / 8 > Bus::BURST_BYTES {
            return Some(format!(
                "memory.burst is {}, but bursts end within {} bytes: {} beats of {} bits at most",
                self.burst,
                Bus::BURST_BYTES,
                Bus::BURST_BYTES / (self.data_bits / 8),
                self.data_bits
            ));
        }
        if self.peak_total_mb_s < BusPort::LEAST_TOTAL * self.peak_mb_s {
            return Some(format!(
                "memory.peak_total_mb_s is {}, less than a tenth of memory.peak_mb_s, {}",
                self.peak_total_mb_s, self.peak_mb_s
            ));
        }
        disagreement(self.peak_mb_s, clock_mhz * f64::from(self.data_bits) / 8.0)
    }

    /// A memory still slower than this share of a port's direction is taken for a slip of the pen; the times that runs may
    /// take count on it.
    const LEAST_TOTAL: f64 = 0.1;

    /// What all ports together move in both directions when every cycle moves a beat of each.
    fn peak_of_ports(&self) -> f64 {
        f64::from(2 * self.ports) * self.peak_mb_s
    }

    /// Beats that the memory moves in a million cycles at most, in both directions of all ports together; two million per port
    /// are all.
    pub fn beats_per_million(&self) -> u32 {
        (1e6 * self.peak_total_mb_s / self.peak_mb_s).round() as u32
    }
}

/// A `peak_mb_s` that is not what clock and width give.
fn disagreement(peak_mb_s: f64, given: f64) -> Option<String> {
    ((given - peak_mb_s).abs() > 1e-6 * given)
        .then(|| format!("memory.peak_mb_s is {peak_mb_s}, but clock and width give {given}"))
}

/// A capacity or address that is not what banks, rows and pages give.
fn geometry(capacity_bytes: u64, address_width: u32, banks: u64, rows: u64, page_bytes: u64) -> Option<String> {
    let bytes = banks * rows * page_bytes;
    if bytes != capacity_bytes {
        return Some(format!(
            "memory.capacity_bytes is {capacity_bytes}, but {banks} banks x {rows} rows x {page_bytes} bytes give {bytes}"
        ));
    }
    (u64::from(Word::PORT.bytes()) << address_width != bytes).then(|| {
        let bits = Word::PORT.bits();
        format!("memory.address_width is {address_width}, which does not address {bytes} bytes in {bits}-bit words")
    })
}

/// Refreshes so often that little else is done: `refi` beside what one takes, in clocks.
fn refreshes_too_often(name: &str, refi: u64, takes: u64) -> Option<String> {
    const PART: u64 = 4;
    (refi < PART * takes).then(|| {
        format!(
            "memory.timing.{name} is {refi} clocks, but a refresh takes up to {takes}: allowed are {} or more",
            PART * takes
        )
    })
}

impl DdrSdram {
    /// What the hardware has to know of it.
    fn hardware(&self) -> Ddr {
        let clock_ps = (1e6 / self.clock_mhz).round() as u64;
        Ddr { address_width: self.address_width, clock_ps, timing: self.timing }
    }

    /// What is wrong with it beside an accelerator's clock.
    fn inconsistency(&self, clock_mhz: f64) -> Option<String> {
        let timing = &self.timing;
        if self.clock_mhz != 2.0 * clock_mhz {
            return Some(format!(
                "memory.clock_mhz is {}, but the controller runs it at twice the accelerator's {clock_mhz}",
                self.clock_mhz
            ));
        }
        geometry(self.capacity_bytes, self.address_width, self.banks, self.rows, self.page_bytes)
            // Two transfers per clock.
            .or_else(|| disagreement(self.peak_mb_s, self.clock_mhz * 2.0 * self.data_bits as f64 / 8.0))
            .or_else(|| {
                let takes = timing.ras.max(timing.rcd + 3 + timing.wr) + timing.rp + timing.rfc;
                refreshes_too_often("refi", timing.refi, takes)
            })
            .or_else(|| {
                // A row in steady use is closed by refreshes only: when four are owed, and its bank may be precharged.
                let open = 4 * timing.refi + 100;
                (timing.ras_max < open).then(|| {
                    format!("memory.timing.ras_max is {}, but rows stay open for {open} clocks", timing.ras_max)
                })
            })
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
        let text = read(name).map_err(|error| {
            Diagnostic::new(format!("cannot read the board profile {name}: {error}")).help(known_boards(name))
        })?;
        return Board::parse(&text, name);
    }
    match EMBEDDED.iter().find(|(known, _)| *known == name) {
        Some((known, text)) => Board::parse(text, known),
        None => Err(Diagnostic::new(format!("there is no board called `{name}`")).help(known_boards(name)).into()),
    }
}

/// The text of a file that may be a profile.
fn read(path: &str) -> std::io::Result<String> {
    // Ten times the longest that burstc has.
    const LONGEST: u64 = 64 << 10;
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > LONGEST {
        return Err(std::io::Error::other(format!("it is not a file of at most {LONGEST} bytes")));
    }
    std::fs::read_to_string(path)
}

fn known_boards(name: &str) -> String {
    format!("{}; or give the path of a profile that ends in .toml", suggest::known("boards", name, names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_ports_are_as_quick_as_their_memory() {
        let total = |board: Board| (board.memory.peak_mb_s(), board.memory.bus().expect("a bus").beats_per_million());
        let generic = || load("generic-axi4").unwrap();
        assert_eq!(total(generic().with_ports(4).unwrap()), (3200.0, 8_000_000));
        assert_eq!(total(generic().with_ports(4).unwrap().with_bus_bits(64).unwrap()), (6400.0, 8_000_000));
        // Its DDR3 moves 2,100 MB/s, whatever the ports.
        let pynq = load("pynq-z2").unwrap();
        assert_eq!(total(pynq.clone()), (2100.0, 2_625_000));
        assert_eq!(total(pynq.clone().with_ports(1).unwrap()), (1600.0, 2_625_000));
        assert_eq!(pynq.memory.bus().unwrap().ports, 4);
        let refused = |board: &str, ports| load(board).unwrap().with_ports(ports).unwrap_err().to_string();
        assert_eq!(refused("generic-avalon", 2), "`--ports`: the memory of generic-avalon has one port");
        assert_eq!(refused("stratix2-ddr400", 1), "`--ports`: the memory of stratix2-ddr400 has one port");
        assert_eq!(refused("generic-axi4", 33), "`--ports 33`: no board has so many");
        let avalon = include_str!("../../boards/generic-avalon.toml").replace("latency = ", "ports = 2\nlatency = ");
        let error = Board::parse(&avalon, "two.toml").unwrap_err().to_string();
        assert!(error.contains("unknown key [memory] `ports`"), "{error}");
    }

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
        assert_eq!(board.memory.capacity_bytes(), 16 << 20);
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
            error.message.starts_with("board profile x.toml, line 6: unknown key `voltage`; known keys: name, title,"),
            "{}",
            error.message
        );
    }

    #[test]
    fn a_bus_must_be_one() {
        let (_, text) = EMBEDDED.iter().find(|(name, _)| *name == "generic-axi4").unwrap();
        for (from, to, word) in [
            ("data_bits = 32", "data_bits = 48", "data_bits is 48"),
            ("data_bits = 32", "data_bits = 1024", "data_bits is 1024"),
            ("burst = 256", "burst = 100", "burst is 100; allowed are powers of two from 2 to 256 beats"),
            ("address_bits = 32", "address_bits = 40", "address_bits is 40"),
            ("address_bits = 32", "address_bits = 20", "capacity_bytes is 4294967296"),
            ("latency = 30", "latency = 0", "latency"),
            ("peak_total_mb_s = 800.0", "peak_total_mb_s = 39.9", "peak_total_mb_s is 39.9, less than a tenth"),
            ("peak_total_mb_s = 800.0", "", "memory.peak_total_mb_s is missing"),
            ("peak_mb_s = 400.0", "peak_mb_s = 800.0", "clock and width give 400"),
            ("kind = \"axi4\"", "kind = \"axi5\"", "axi5"),
            ("burst = 256", "burst = 256\nrows = 3", "rows"),
        ] {
            assert!(text.contains(from), "{from}");
            let error = diagnostic(Board::parse(&text.replacen(from, to, 1), "x"));
            assert!(error.message.contains(word), "{}", error.message);
        }
        let board = load("generic-avalon").unwrap();
        let wide = board.clone().with_bus_bits(128).unwrap();
        assert_eq!((wide.memory.bus().unwrap().peak_mb_s, wide.memory.peak_mb_s()), (1600.0, 3200.0));
        // The memory of a real board stays what it is.
        let arty = |bits| load("arty-a7").unwrap().with_bus_bits(bits).unwrap().memory;
        let peaks = [32, 512].map(|bits| (arty(bits).peak_mb_s(), arty(bits).bus().unwrap().beats_per_million()));
        assert_eq!(peaks, [(2.0 * 333.332, 4_000_000), (1333.328, 250_000)]);
        assert!(diagnostic(board.with_bus_bits(100)).message.contains("`--bus-bits 100`"));
        let error = diagnostic(load("stratix2-ddr400").unwrap().with_bus_bits(64));
        assert!(error.message.contains("not behind a bus"), "{}", error.message);
    }

    #[test]
    fn figures_must_agree() {
        for (from, to, word) in [
            ("rows = 4096", "rows = 2048", "capacity_bytes"),
            ("rows = 4096", "rows = 4095", "memory.rows is 4095; allowed are powers of two from 2 to 4096"),
            ("refi = 3120", "refi = 99", "memory.timing.refi is 99 clocks, but a refresh takes up to 26"),
            ("ras_max = 14000", "ras_max = 12500", "memory.timing.ras_max is 12500, but rows stay open for 12580"),
            ("mhz = 200.0", "mhz = 180.0", "memory.clock_mhz is 180, but the controller runs it at twice"),
            ("address_width = 22", "address_width = 21", "address_width"),
            ("address_width = 22", "address_width = 70", "address_width"),
            ("peak_mb_s = 400.0", "peak_mb_s = 800.0", "peak_mb_s"),
            ("clock_mhz = 100.0", "clock_mhz = 0.0", "clock_mhz is 0.0; allowed are 1 to 1000 MHz"),
        ] {
            let error = diagnostic(Board::parse(&EMBEDDED[0].1.replacen(from, to, 1), "x"));
            assert!(error.message.contains(word), "{}", error.message);
        }
    }
}
