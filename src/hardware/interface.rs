//! What stands between the accelerator and its memory.

/// The way to memory, as the hardware needs to know it. A number alone stands for the native DDR controller and the bits
/// of its word address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Bits of the address of a 32-bit word.
    pub address_width: u32,
    /// A bus master in place of the DDR controller.
    pub bus: Option<Bus>,
    /// The controller for SDR SDRAM in place of that for DDR.
    pub sdr: Option<Sdr>,
}

impl From<u32> for Interface {
    fn from(address_width: u32) -> Interface {
        Interface { address_width, bus: None, sdr: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bus {
    pub kind: BusKind,
    /// 32 to 512, a power of two.
    pub data_bits: u32,
    /// Beats of the longest burst, a power of two.
    pub burst: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusKind {
    Axi4,
    AvalonMm,
}

impl Bus {
    /// log2 of the 32-bit words of a beat.
    pub fn beat_width(self) -> u32 {
        (self.data_bits / 32).trailing_zeros()
    }

    /// log2 of the beats of the longest burst, which stays within 4 KB.
    pub fn burst_width(self) -> u32 {
        self.burst.trailing_zeros().min(10 - self.beat_width())
    }
}

/// A x16 SDR SDRAM of four banks with pages of 1 KB, at the accelerator's clock. Times in ps by JEDEC's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sdr {
    pub clock_ps: u64,
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
    /// By which the PLL's jitter may bring two edges together.
    const JITTER_PS: u64 = 200;

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
        let times = [
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
        times.map(|(name, ps)| format!(".{name}({ps})")).join(",")
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
