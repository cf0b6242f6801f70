//! What stands between the accelerator and its memory.

use serde::{Deserialize, Serialize};

use crate::rtl::Type;
use crate::word::Word;

/// The way to memory, as the hardware and its bench need to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// The native controller for DDR SDRAM, behind the vendor's PHY.
    Ddr(Ddr),
    /// The native controller for SDR SDRAM, behind our PHY.
    Sdr(Sdr),
    /// A bus master in front of the board's own controller or interconnect.
    Bus(Bus),
}

/// A controller's port on the side of its PHY: name, type, driven by the controller.
pub type PhyPort = (&'static str, Type, bool);

impl Link {
    /// The widest word that the memory port can have.
    pub fn widest_word(self) -> Word {
        match self {
            Link::Ddr(_) | Link::Sdr(_) => Word::PORT,
            Link::Bus(bus) => Word::of_bits(bus.data_bits),
        }
    }

    /// Bits of a byte address.
    pub fn byte_address_width(self) -> u32 {
        let of_words = match self {
            Link::Ddr(ddr) => ddr.address_width,
            Link::Sdr(sdr) => sdr.address_width,
            Link::Bus(bus) => bus.address_width,
        };
        of_words + Word::PORT.shift()
    }

    /// The bus, if there is one: loads and stores then go to memory apart.
    pub fn bus(self) -> Option<Bus> {
        match self {
            Link::Bus(bus) => Some(bus),
            Link::Ddr(_) | Link::Sdr(_) => None,
        }
    }

    /// The library's PHY that the board's own top puts beside the accelerator's.
    pub fn phy(self) -> Option<&'static str> {
        match self {
            Link::Sdr(_) => Some("sdr_phy_ecp5"),
            Link::Ddr(_) | Link::Bus(_) => None,
        }
    }

    /// The cell between the accelerator and the PHY or the bus.
    pub fn controller(self) -> &'static str {
        match self {
            Link::Ddr(_) => "ddr_controller",
            Link::Sdr(_) => "sdr_controller",
            Link::Bus(Bus { kind: BusKind::Axi4, .. }) => "axi4_master",
            Link::Bus(Bus { kind: BusKind::AvalonMm, .. }) => "avalon_master",
        }
    }

    /// Parameters of that cell beside the widths of addresses and lengths, for a memory port of words `word`.
    pub fn parameters(self, word: Word) -> Vec<(&'static str, i128)> {
        match self {
            Link::Ddr(ddr) => ddr.parameters(),
            Link::Sdr(sdr) => sdr.parameters(),
            Link::Bus(bus) => bus.parameters(word),
        }
    }

    /// The ports that the accelerator's top hands through from a native controller to its PHY.
    pub fn phy_ports(self) -> Vec<PhyPort> {
        let bits = Type::unsigned;
        match self {
            Link::Ddr(_) => vec![
                ("phy_cke", bits(1), true),
                ("phy_command_0", bits(3), true),
                ("phy_bank_0", bits(2), true),
                ("phy_address_0", bits(12), true),
                ("phy_command_1", bits(3), true),
                ("phy_bank_1", bits(2), true),
                ("phy_address_1", bits(12), true),
                ("phy_write_enable", bits(1), true),
                ("phy_write_data", bits(Ddr::CYCLE_BITS), true),
                ("phy_write_mask", bits(Ddr::CYCLE_BITS / 8), true),
                ("phy_read_enable", bits(1), true),
                ("phy_read_valid", bits(1), false),
                ("phy_read_data", bits(Ddr::CYCLE_BITS), false),
            ],
            Link::Sdr(_) => vec![
                ("phy_cke", bits(1), true),
                ("phy_command", bits(3), true),
                ("phy_bank", bits(2), true),
                ("phy_address", bits(13), true),
                ("phy_write_enable", bits(1), true),
                ("phy_write_data", bits(Sdr::CYCLE_BITS), true),
                ("phy_write_mask", bits(Sdr::CYCLE_BITS / 8), true),
                ("phy_read_enable", bits(1), true),
                ("phy_read_valid", bits(1), false),
                ("phy_read_data", bits(Sdr::CYCLE_BITS), false),
            ],
            Link::Bus(_) => vec![],
        }
    }
}

/// Parameters of an instance as Verilog has them: `.T_RCD(3),.T_RP(3)`.
fn verilog(parameters: impl IntoIterator<Item = (&'static str, i128)>) -> String {
    parameters.into_iter().map(|(name, value)| format!(".{name}({value})")).collect::<Vec<_>>().join(",")
}

/// The pages at which the cells of both native controllers split bursts, and their banks.
const PAGE_BYTES: u64 = 1024;
const BANKS: u64 = 4;

/// Rows of each bank of a device whose words have addresses of so many bits.
fn rows(address_width: u32) -> u64 {
    (u64::from(Word::PORT.bytes()) << address_width) / (BANKS * PAGE_BYTES)
}

/// The device's timings in clocks of the memory, by JEDEC's names without the `t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DdrTiming {
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

/// A x8 DDR SDRAM of four banks with pages of 1 KB, at twice the accelerator's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ddr {
    /// Bits of the address of a word of the memory port.
    pub address_width: u32,
    /// Period of the memory's clock.
    pub clock_ps: u64,
    pub timing: DdrTiming,
}

impl Ddr {
    /// DDR400B of 128 Mb, as the profile stratix2-ddr400 has it: the defaults of the cells and models.
    pub const DDR400B: Ddr = Ddr {
        address_width: 22,
        clock_ps: 5000,
        timing: DdrTiming {
            cas: 3,
            rcd: 3,
            rp: 3,
            ras: 8,
            ras_max: 14000,
            rc: 11,
            rfc: 14,
            rrd: 2,
            wr: 3,
            wtr: 2,
            mrd: 2,
            refi: 3120,
        },
    };

    /// Of data per cycle of the accelerator: 8 at both edges of two of the memory's clocks.
    const CYCLE_BITS: u32 = 32;
    /// From power-up to the first command: 200 us (JESD79).
    const INIT_PS: u64 = 200_000_000;
    /// From the reset of the DLL to the first read (JESD79).
    const DLL_CLOCKS: u64 = 200;

    /// Rows of each bank.
    pub fn rows(&self) -> u64 {
        rows(self.address_width)
    }

    pub fn init_clocks(&self) -> u64 {
        Ddr::INIT_PS.div_ceil(self.clock_ps)
    }

    /// Parameters of `ddr_controller`.
    pub fn parameters(&self) -> Vec<(&'static str, i128)> {
        let timing = &self.timing;
        [
            ("CAS_LATENCY", timing.cas),
            ("T_RCD", timing.rcd),
            ("T_RP", timing.rp),
            ("T_RAS", timing.ras),
            ("T_RC", timing.rc),
            ("T_RRD", timing.rrd),
            ("T_WR", timing.wr),
            ("T_WTR", timing.wtr),
            ("T_RFC", timing.rfc),
            ("T_MRD", timing.mrd),
            ("T_REFI", timing.refi),
            ("INIT_CLOCKS", self.init_clocks()),
            ("DLL_CLOCKS", Ddr::DLL_CLOCKS),
        ]
        .map(|(name, value)| (name, i128::from(value)))
        .to_vec()
    }

    /// The same as Verilog has them, for a second controller in the bench.
    pub fn controller_parameters(&self) -> String {
        verilog(self.parameters())
    }

    /// Parameters of the device model `ddr_sdram`, as Verilog has them.
    pub fn device_parameters(&self) -> String {
        let timing = &self.timing;
        let times = [
            ("ROWS", self.rows()),
            ("INIT_CLOCKS", self.init_clocks()),
            ("TRCD", timing.rcd),
            ("TRP", timing.rp),
            ("TRAS_MIN", timing.ras),
            ("TRAS_MAX", timing.ras_max),
            ("TRC", timing.rc),
            ("TRFC", timing.rfc),
            ("TRRD", timing.rrd),
            ("TWR", timing.wr),
            ("TWTR", timing.wtr),
            ("TMRD", timing.mrd),
            ("TREFI", timing.refi),
            ("TDLL", Ddr::DLL_CLOCKS),
        ];
        verilog(times.map(|(name, value)| (name, i128::from(value))))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bus {
    pub kind: BusKind,
    /// Bits of the address of 32 bits.
    pub address_width: u32,
    /// A power of two, 32 to 512.
    pub data_bits: u32,
    /// Beats of the longest burst, a power of two.
    pub burst: u32,
    /// Alike, in front of one memory: at least 1, and 1 for Avalon-MM.
    pub ports: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusKind {
    Axi4,
    AvalonMm,
}

/// What stands behind the names of port `port`, of which the first has none.
pub fn port_suffix(port: u32) -> String {
    if port == 0 { String::new() } else { port.to_string() }
}

impl Bus {
    /// Bytes at whose multiples a burst must end (AMBA AXI4: 4 KB; Avalon-MM masters keep to the same).
    pub const BURST_BYTES: u32 = 4096;
    /// Beats of reads that may be under way. Two of the longest bursts, so that one streams while the next is asked for.
    const READ_BEATS: i128 = 512;

    /// Parameters of `axi4_master` or `avalon_master`.
    pub fn parameters(self, word: Word) -> Vec<(&'static str, i128)> {
        let wide = (word != Word::PORT).then_some(("WORD_WIDTH", word.shift().into()));
        let widths = [
            ("BEAT_WIDTH", self.beat_width(word).into()),
            ("BURST_WIDTH", self.burst_width().into()),
            ("READ_DEPTH", Bus::READ_BEATS),
        ];
        wide.into_iter().chain(widths).collect()
    }

    /// log2 of the memory port's words in a beat.
    pub fn beat_width(self, word: Word) -> u32 {
        (self.data_bits / word.bits()).trailing_zeros()
    }

    /// log2 of the beats of the longest burst, which stays within [`Bus::BURST_BYTES`].
    pub fn burst_width(self) -> u32 {
        self.burst.trailing_zeros().min((Bus::BURST_BYTES / (self.data_bits / 8)).trailing_zeros())
    }
}

/// A x16 SDR SDRAM of four banks with pages of 1 KB, at the accelerator's clock. Times in ps by JEDEC's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sdr {
    /// Bits of the address of a word of the memory port.
    pub address_width: u32,
    pub clock_ps: u64,
    /// The device's shortest period at that CAS latency.
    pub least_clock_ps: u64,
    /// Clocks.
    pub cas: u32,
    pub rcd_ps: u64,
    pub rp_ps: u64,
    pub ras_ps: u64,
    pub ras_max_ps: u64,
    pub rc_ps: u64,
    pub rfc_ps: u64,
    pub rrd_ps: u64,
    pub wr_ps: u64,
    pub mrd_ps: u64,
    pub init_ps: u64,
    /// Between refreshes, on average.
    pub refi_ps: u64,
}

/// The same in clocks, as the controller counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SdrCycles {
    pub rcd: u64,
    pub rp: u64,
    pub ras: u64,
    pub rc: u64,
    pub rfc: u64,
    pub rrd: u64,
    pub wr: u64,
    pub mrd: u64,
    pub init: u64,
    pub refi: u64,
}

impl Sdr {
    /// Of data per cycle.
    const CYCLE_BITS: u32 = 16;
    /// By which the PLL's jitter may bring two edges together.
    const JITTER_PS: u64 = 200;

    /// Rows of each bank.
    pub fn rows(&self) -> u64 {
        rows(self.address_width)
    }

    /// Waits rounded up, with room for jitter; a tenth more before the first command, 4 % less between refreshes.
    pub fn cycles(&self) -> SdrCycles {
        let up = |ps: u64| (ps + Sdr::JITTER_PS).div_ceil(self.clock_ps);
        SdrCycles {
            rcd: up(self.rcd_ps),
            rp: up(self.rp_ps),
            ras: up(self.ras_ps),
            rc: up(self.rc_ps),
            rfc: up(self.rfc_ps),
            rrd: up(self.rrd_ps).max(2),
            wr: up(self.wr_ps).max(2),
            mrd: up(self.mrd_ps).max(2),
            init: up(self.init_ps + self.init_ps / 10),
            refi: (self.refi_ps - self.refi_ps / 25) / self.clock_ps,
        }
    }

    /// Parameters of `sdr_controller`.
    pub fn parameters(&self) -> Vec<(&'static str, i128)> {
        let cycles = self.cycles();
        [
            ("CAS_LATENCY", u64::from(self.cas)),
            ("T_RCD", cycles.rcd),
            ("T_RP", cycles.rp),
            ("T_RAS", cycles.ras),
            ("T_RC", cycles.rc),
            ("T_RRD", cycles.rrd),
            ("T_WR", cycles.wr),
            ("T_RFC", cycles.rfc),
            ("T_MRD", cycles.mrd),
            ("T_REFI", cycles.refi),
            ("INIT_CLOCKS", cycles.init),
        ]
        .into_iter()
        .map(|(name, value)| (name, i128::from(value)))
        .collect()
    }

    /// Parameters of the device model `sdr_sdram`, as Verilog has them.
    pub fn device_parameters(&self) -> String {
        let least_clock = if self.cas == 2 { "T_CK_CAS_2" } else { "T_CK_CAS_3" };
        let times = [
            ("ROWS", self.rows()),
            (least_clock, self.least_clock_ps),
            ("T_INIT", self.init_ps),
            ("T_RCD", self.rcd_ps),
            ("T_RP", self.rp_ps),
            ("T_RAS_MIN", self.ras_ps),
            ("T_RAS_MAX", self.ras_max_ps),
            ("T_RC", self.rc_ps),
            ("T_RFC", self.rfc_ps),
            ("T_RRD", self.rrd_ps),
            ("T_WR", self.wr_ps),
            ("T_MRD", self.mrd_ps),
            ("T_REFI", self.refi_ps),
        ];
        verilog(times.map(|(name, value)| (name, i128::from(value))))
    }
}

impl SdrCycles {
    /// The waits between commands, by the names of the profile.
    pub fn waits(&self) -> [(&'static str, u64); 8] {
        [
            ("rcd", self.rcd),
            ("rp", self.rp),
            ("ras", self.ras),
            ("rc", self.rc),
            ("rfc", self.rfc),
            ("rrd", self.rrd),
            ("wr", self.wr),
            ("mrd", self.mrd),
        ]
    }
}
