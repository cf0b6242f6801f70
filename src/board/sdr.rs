//! SDR SDRAM behind the native controller, at the accelerator's clock.

use serde::{Deserialize, Serialize};

use super::{SdrSdram, disagreement, geometry, refreshes_too_often};
use crate::hardware::Sdr;

/// Periods at which the PHY takes read data while they are steady, in ns, if the ways out of and into the FPGA take 1 to
/// 6 ns together: `rtl-templates/sdr_phy_ecp5.v`.
const PERIODS: std::ops::RangeInclusive<f64> = 9.2..=14.0;

/// Clocks that the controller's waits can count.
const LONGEST_WAIT: u64 = 29;

/// The device's times by JEDEC's names without the `t`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SdrTiming {
    /// Read command to first data, clocks.
    pub cas: u32,
    /// The shortest period of the clock at that latency.
    pub clock_ns: f64,
    /// Activate to read or write.
    pub rcd_ns: f64,
    /// Precharge to activate.
    pub rp_ns: f64,
    /// Activate to precharge, at least.
    pub ras_ns: f64,
    /// Activate to precharge, at most.
    pub ras_max_ns: f64,
    /// Activate to activate of one bank.
    pub rc_ns: f64,
    /// Refresh to the next command.
    pub rfc_ns: f64,
    /// Activate to activate of another bank; two clocks at least.
    pub rrd_ns: f64,
    /// Last written data to precharge; two clocks at least.
    pub wr_ns: f64,
    /// Mode register set to the next command; two clocks at least.
    pub mrd_ns: f64,
    /// Power-up to the first command.
    pub init_us: f64,
    /// In which every row is refreshed once.
    pub refresh_ms: f64,
}

impl SdrSdram {
    /// What the hardware has to know of it.
    pub fn hardware(&self) -> Sdr {
        let ps = |ns: f64| (1000.0 * ns).round() as u64;
        let timing = &self.timing;
        Sdr {
            address_width: self.address_width,
            clock_ps: ps(1000.0 / self.clock_mhz),
            least_clock_ps: ps(timing.clock_ns),
            cas: timing.cas,
            rcd_ps: ps(timing.rcd_ns),
            rp_ps: ps(timing.rp_ns),
            ras_ps: ps(timing.ras_ns),
            ras_max_ps: ps(timing.ras_max_ns),
            rc_ps: ps(timing.rc_ns),
            rfc_ps: ps(timing.rfc_ns),
            rrd_ps: ps(timing.rrd_ns),
            wr_ps: ps(timing.wr_ns),
            mrd_ps: ps(timing.mrd_ns),
            init_ps: ps(1e3 * timing.init_us),
            refi_ps: ps(1e6 * timing.refresh_ms / self.rows as f64),
        }
    }

    /// What is wrong with it beside an accelerator's clock.
    pub fn inconsistency(&self, clock_mhz: f64) -> Option<String> {
        if self.clock_mhz != clock_mhz {
            return Some(format!(
                "memory.clock_mhz is {}, but the controller runs it at the accelerator's {clock_mhz}",
                self.clock_mhz
            ));
        }
        if let Some(fault) = geometry(self.capacity_bytes, self.address_width, self.banks, self.rows, self.page_bytes)
            .or_else(|| disagreement(self.peak_mb_s, clock_mhz * 2.0))
        {
            return Some(fault);
        }
        self.timing.inconsistency(clock_mhz).or_else(|| {
            let cycles = self.hardware().cycles();
            let longest = cycles.waits().into_iter().find(|(_, clocks)| *clocks > LONGEST_WAIT);
            if let Some((name, clocks)) = longest {
                return Some(format!(
                    "memory.timing.{name} is {clocks} clocks, but the controller counts to {LONGEST_WAIT}"
                ));
            }
            let takes = cycles.ras.max(cycles.rcd + 3 + cycles.wr) + cycles.rp + cycles.rfc;
            if let Some(fault) = refreshes_too_often("refresh_ms / memory.rows", cycles.refi, takes) {
                return Some(fault);
            }
            // A row in steady use is closed by refreshes only, of which four may be owed.
            let open_ns = 5.0 * cycles.refi as f64 * 1000.0 / clock_mhz;
            (open_ns > self.timing.ras_max_ns).then(|| {
                format!(
                    "memory.timing.ras_max_ns is {}, but rows stay open for {open_ns:.0} ns",
                    self.timing.ras_max_ns
                )
            })
        })
    }
}

impl SdrTiming {
    fn inconsistency(&self, clock_mhz: f64) -> Option<String> {
        let period = 1000.0 / clock_mhz;
        if !PERIODS.contains(&period) {
            return Some(format!(
                "clock_mhz is {clock_mhz}, a period of {period:.3} ns, but the PHY is for {} to {} ns",
                PERIODS.start(),
                PERIODS.end()
            ));
        }
        (period < self.clock_ns - 1e-9).then(|| {
            format!(
                "clock_mhz is {clock_mhz}, a period of {period:.3} ns, but memory.timing.clock_ns is {}",
                self.clock_ns
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::SdrSdram;
    use crate::board::{Board, Memory, load};
    use crate::diagnostic::Diagnostic;

    const TEXT: &str = include_str!("../../boards/ulx3s.toml");

    #[test]
    fn cycles_cover_the_times() {
        let board = load("ulx3s").unwrap();
        let Memory::SdrSdram(memory) = &board.memory else { panic!("{:?}", board.memory) };
        let cycles = memory.hardware().cycles();
        assert_eq!((cycles.rcd, cycles.rp, cycles.ras, cycles.rc, cycles.rfc), (3, 3, 5, 7, 7));
        assert_eq!((cycles.rrd, cycles.wr, cycles.mrd), (2, 2, 2));
        // 64 ms / 8192 are 781 clocks.
        assert!((700..=781).contains(&cycles.refi) && cycles.init >= 20_000, "{cycles:?}");
        // At 50 MHz, 14 ns are one clock, of which two are wanted.
        let slow = SdrSdram { clock_mhz: 50.0, ..memory.clone() }.hardware().cycles();
        assert_eq!((slow.rcd, slow.rc, slow.wr), (2, 4, 2));
    }

    #[test]
    fn wrong_fields_are_named() {
        for (from, to, word) in [
            ("bytes = 33554432\nclock_mhz = 100.0", "bytes = 33554432\nclock_mhz = 133.0", "memory.clock_mhz is 133"),
            ("data_bits = 16", "data_bits = 8", "memory.data_bits is 8"),
            ("banks = 4", "banks = 8", "memory.banks is 8; allowed is 4"),
            ("rows = 8192", "rows = 4096", "memory.capacity_bytes is 33554432, but 4 banks x 4096 rows"),
            ("rows = 8192", "rows = 9000", "memory.rows is 9000"),
            ("address_width = 23", "address_width = 22", "memory.address_width is 22"),
            ("peak_mb_s = 200.0", "peak_mb_s = 400.0", "memory.peak_mb_s is 400, but clock and width give 200"),
            ("cas = 3 ", "cas = 4 ", "memory.timing.cas is 4"),
            ("rc_ns = 63.0", "rc_ns = -1.0", "memory.timing.rc_ns is -1"),
            ("rc_ns = 63.0", "rc_ns = 630.0", "memory.timing.rc is 64 clocks"),
            ("clock_mhz = 100.0\n", "clock_mhz = 125.0\n", "memory.clock_mhz is 100"),
            ("clock_ns = 7.0", "clock_ns = 10.5", "clock_mhz is 100, a period of 10.000 ns"),
            ("ras_max_ns = 100000.0", "ras_max_ns = 30000.0", "rows stay open for"),
            ("rcd_ns = 21.0", "rcd = 3", "unknown key [memory.timing] `rcd`; known keys: cas, clock_ns, rcd_ns,"),
        ] {
            assert!(TEXT.contains(from), "{from}");
            let error = Board::parse(&TEXT.replace(from, to), "x.toml").unwrap_err();
            let message = &error.downcast_ref::<Diagnostic>().unwrap().message;
            assert!(message.contains(word), "{to}: {message}");
        }
        // Both clocks and the peak at once.
        for (clock, period) in [("125.0", "8.000"), ("50.0", "20.000")] {
            let peak = clock.parse::<f64>().unwrap() * 2.0;
            let text = TEXT.replace("clock_mhz = 100.0", &format!("clock_mhz = {clock}"));
            let text = text.replace("peak_mb_s = 200.0", &format!("peak_mb_s = {peak:.1}"));
            let message = Board::parse(&text, "x.toml").unwrap_err().to_string();
            assert!(message.contains(&format!("a period of {period} ns, but the PHY is for")), "{message}");
        }
    }
}
