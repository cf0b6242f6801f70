//! What the open flow for Lattice ECP5 wants to know of a board: sites of the pins, and nextpnr's names of the part.

use serde::{Deserialize, Serialize};

/// Sites of the FPGA, and the oscillator at one of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    pub oscillator: String,
    pub oscillator_mhz: f64,
    /// A button, high while it is pressed.
    pub start: String,
    /// LEDs that high lights.
    pub ready: String,
    pub busy: String,
    pub done: String,
    /// A pin that the design only has to hold high.
    pub keep_high: String,
    pub sdram: SdramPins,
}

/// The pins of the x16 SDR SDRAM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SdramPins {
    pub clk: String,
    pub cke: String,
    pub csn: String,
    pub rasn: String,
    pub casn: String,
    pub wen: String,
    pub ba: [String; 2],
    pub a: [String; 13],
    pub dqm: [String; 2],
    pub d: [String; 16],
}

impl SdramPins {
    /// Port of the board's top and its site, in the order of the fields.
    pub fn sites(&self) -> Vec<(String, &str)> {
        let single = [
            ("clk", &self.clk),
            ("cke", &self.cke),
            ("csn", &self.csn),
            ("rasn", &self.rasn),
            ("casn", &self.casn),
            ("wen", &self.wen),
        ];
        let vectors: [(&str, &[String]); 4] = [("ba", &self.ba), ("a", &self.a), ("dqm", &self.dqm), ("d", &self.d)];
        let bits = vectors.into_iter().flat_map(|(name, sites)| {
            sites.iter().enumerate().map(move |(bit, site)| (format!("sdram_{name}[{bit}]"), site.as_str()))
        });
        single.into_iter().map(|(name, site)| (format!("sdram_{name}"), site.as_str())).chain(bits).collect()
    }
}

impl Pins {
    /// Every port of the board's top and its site.
    pub fn sites(&self) -> Vec<(String, &str)> {
        let own =
            [("oscillator", &self.oscillator), ("start", &self.start), ("ready", &self.ready), ("busy", &self.busy)];
        let own = own.into_iter().chain([("done", &self.done), ("keep_high", &self.keep_high)]);
        own.map(|(name, site)| (name.to_string(), site.as_str())).chain(self.sdram.sites()).collect()
    }

    /// What is wrong with them: a site twice, an oscillator from which no PLL makes the clock.
    pub fn inconsistency(&self, clock_mhz: f64) -> Option<String> {
        let sites = self.sites();
        for (index, (port, site)) in sites.iter().enumerate() {
            if let Some((other, _)) = sites[..index].iter().find(|(_, taken)| taken == site) {
                return Some(format!("pins: {other} and {port} are both at {site}"));
            }
        }
        Pll::new(self.oscillator_mhz, clock_mhz).is_none().then(|| {
            format!("no PLL makes a clock_mhz of {clock_mhz} from pins.oscillator_mhz of {}", self.oscillator_mhz)
        })
    }
}

/// Settings of ECP5's PLL with the clock as its feedback, and a copy of the clock 270 degrees later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pll {
    /// Divider of the oscillator.
    pub reference: u32,
    /// Divider of the feedback.
    pub feedback: u32,
    /// From the PLL's own oscillator (VCO) to the clock.
    pub output: u32,
}

impl Pll {
    /// The settings whose VCO is nearest to 600 MHz, in the middle of its range of 400 to 800. The phase comparison runs
    /// at 10 MHz or more. `None` where none gives the clock.
    pub fn new(oscillator_mhz: f64, clock_mhz: f64) -> Option<Pll> {
        let same = |a: f64, b: f64| (a - b).abs() < 1e-6 * b;
        let (reference, feedback) = (1..=128u32)
            .filter(|reference| (10.0..=400.0).contains(&(oscillator_mhz / f64::from(*reference))))
            .flat_map(|reference| (1..=80u32).map(move |feedback| (reference, feedback)))
            .find(|(reference, feedback)| {
                same(oscillator_mhz * f64::from(*feedback) / f64::from(*reference), clock_mhz)
            })?;
        let vco = |output: u32| clock_mhz * f64::from(output);
        let output = (1..=64)
            .filter(|output| (400.0..=800.0).contains(&vco(*output)))
            .min_by(|a, b| (vco(*a) - 600.0).abs().total_cmp(&(vco(*b) - 600.0).abs()))?;
        Some(Pll { reference, feedback, output })
    }

    /// The clock's own phase in VCO periods: the edge that the divider calls its first.
    pub fn phase(self) -> u32 {
        self.output - 1
    }

    /// Three quarters of a period later: VCO periods, and eighths of one.
    pub fn late_phase(self) -> (u32, u32) {
        let eighths = 8 * self.phase() + 6 * self.output;
        (eighths / 8, eighths % 8)
    }
}

/// nextpnr's options for a part such as `LFE5U-85F-6BG381C`; `None` for another maker's.
pub fn nextpnr_options(part: &str) -> Option<String> {
    let (family, rest) = part.split_once('-')?;
    let prefix = match family {
        "LFE5U" => "",
        "LFE5UM" => "um-",
        "LFE5UM5G" => "um5g-",
        _ => return None,
    };
    let (size, rest) = rest.split_once("F-")?;
    ["12", "25", "45", "85"].contains(&size).then_some(())?;
    let speed = rest.chars().next().filter(|speed| ('6'..='8').contains(speed))?;
    let package = rest[1..].trim_end_matches(|grade: char| grade.is_ascii_alphabetic());
    let package = match package {
        "BG256" | "BG381" | "BG554" | "BG756" => format!("CA{package}"),
        "MG285" => "CSFBGA285".to_string(),
        _ => return None,
    };
    let package = package.replace("CABG", "CABGA");
    Some(format!("--{prefix}{size}k --package {package} --speed {speed}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, load};
    use crate::diagnostic::Diagnostic;

    #[test]
    fn part_names_give_options() {
        assert_eq!(nextpnr_options("LFE5U-85F-6BG381C").unwrap(), "--85k --package CABGA381 --speed 6");
        assert_eq!(nextpnr_options("LFE5UM5G-45F-8BG554I").unwrap(), "--um5g-45k --package CABGA554 --speed 8");
        for part in ["EP2S180F1508C3", "LFE5U-86F-6BG381C", "LFE5U-85F-5BG381C", "LFE5U-85F-6XX381C", "LFE5U-85F-"] {
            assert_eq!(nextpnr_options(part), None, "{part}");
        }
    }

    #[test]
    fn pll_makes_the_clock() {
        // As ecppll (prjtrellis) has it: 25 MHz x 4, VCO 600 MHz, the second output 4.5 VCO periods after the first.
        let pll = Pll::new(25.0, 100.0).unwrap();
        assert_eq!(pll, Pll { reference: 1, feedback: 4, output: 6 });
        assert_eq!((pll.phase(), pll.late_phase()), (5, (9, 4)));
        assert_eq!(Pll::new(25.0, 87.5).unwrap(), Pll { reference: 2, feedback: 7, output: 7 });
        assert_eq!(Pll::new(25.0, 99.9), None);
    }

    #[test]
    fn flow_and_memory_must_fit() {
        let parse = |text: String| Board::parse(&text, "x.toml").map(|_| ()).map_err(|error| error.to_string());
        let stratix = include_str!("../../boards/stratix2-ddr400.toml");
        let error = parse(stratix.replace("\"quartus\"", "\"nextpnr-ecp5\"")).unwrap_err();
        assert!(error.contains("needs memory.kind sdr-sdram or a bus"), "{error}");
        let axi4 = include_str!("../../boards/generic-axi4.toml");
        assert_eq!(parse(axi4.replace("\"any\"", "\"nextpnr-ecp5\"")), Ok(()));
        let ulx3s = include_str!("../../boards/ulx3s.toml");
        let pins = &ulx3s[ulx3s.find("[pins]").unwrap()..];
        let error = parse(format!("{axi4}\n{pins}")).unwrap_err();
        assert!(error.contains("[pins] is for memory.kind sdr-sdram"), "{error}");
    }

    #[test]
    fn wrong_pins_are_named() {
        let text = include_str!("../../boards/ulx3s.toml");
        assert_eq!(load("ulx3s").unwrap().pins.unwrap().sites().len(), 6 + 6 + 2 + 13 + 2 + 16);
        for (from, to, word) in [
            ("clk = \"F19\"", "clk = \"B2\"", "pins: done and sdram_clk are both at B2"),
            ("oscillator_mhz = 25.0", "oscillator_mhz = 27.0", "no PLL makes a clock_mhz of 100"),
            ("dqm = [\"U19\", \"E20\"]", "dqm = [\"U19\"]", "pins.sdram.dqm is a list of 1; allowed is a list of 2"),
            ("start = \"R1\"", "go = \"R1\"", "unknown key [pins] `go`; known keys: oscillator,"),
            (
                "LFE5U-85F-6BG381C",
                "EP2S180F1508C3",
                "device.part is EP2S180F1508C3, which nextpnr does not know as an ECP5",
            ),
            (
                "toolchain = \"nextpnr-ecp5\"",
                "toolchain = \"vivado\"",
                "memory.kind sdr-sdram, whose PHY is for ECP5, needs",
            ),
        ] {
            assert!(text.contains(from), "{from}");
            let error = Board::parse(&text.replace(from, to), "x.toml").unwrap_err();
            let message = &error.downcast_ref::<Diagnostic>().unwrap().message;
            assert!(message.contains(word), "{to}: {message}");
        }
        let without = &text[..text.find("# Sites of the FPGA").unwrap()];
        let error = Board::parse(without, "x.toml").unwrap_err();
        assert!(error.to_string().contains("needs a table [pins]"), "{error}");
    }
}
