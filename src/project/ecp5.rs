//! The open flow for ECP5: the board's top, its pins, and a Makefile from Verilog to the bitstream.

use anyhow::{Context as _, Result};

use super::folder::File;
use super::template::fill;
use crate::board::{Board, Pins, Pll, nextpnr_options};
use crate::hardware::{Link, Sdr};
use crate::simulate::bench::Bench;
use crate::word::RegisterWord;

const BOARD: &str = include_str!("../../constraints/ecp5_board.v");
const LPF: &str = include_str!("../../constraints/ecp5.lpf");
const MAKEFILE: &str = include_str!("../../constraints/ecp5.mk");

/// The bench of the board's top and the cell that only that has; the other models are the bench's of the accelerator.
const BENCH: [(&str, &str); 2] =
    [("tb_board.v", include_str!("../../sim/tb_board.v")), ("EHXPLLL.v", include_str!("../../sim/ecp5/EHXPLLL.v"))];

/// What the board's run takes from the sample data.
pub struct Sample {
    /// Writes to the register bus before the start: word index and value.
    pub registers: Vec<(u32, u32)>,
    /// Bytes of the memory's image, and how many of them the C program determines.
    pub bytes: usize,
    pub compared_bytes: u64,
    /// The bench gives up so many cycles after the start.
    pub max_cycles: u64,
}

/// `kernel` is what modules begin with. The files in `ecp5/`, and those in `sim/` that only the board's bench has.
pub fn files(board: &Board, pins: &Pins, sdr: Sdr, kernel: &str, sample: &Sample) -> Result<Vec<File>> {
    let registers = &sample.registers;
    let pll = Pll::new(pins.oscillator_mhz, board.clock_mhz).context("the profile was checked")?;
    let options = nextpnr_options(&board.device.part).context("the profile was checked")?;
    let own = |name: &'static str| {
        let value = match name {
            "kernel" => kernel.to_string(),
            "title" => board.title.clone(),
            "clock_mhz" => board.clock_mhz.to_string(),
            _ => unreachable!("a template asks for {name}"),
        };
        (name, value)
    };
    let arguments: Vec<String> = registers
        .iter()
        .enumerate()
        .map(|(index, (word, value))| {
            format!(
                "            8'd{index}: {{argument_address, argument_data}} = {{{}'d{word}, {}'d{value}}};",
                RegisterWord::INDEX_BITS,
                RegisterWord::BITS
            )
        })
        .collect();
    let (late, eighths) = pll.late_phase();
    let top = [
        own("kernel"),
        own("title"),
        own("clock_mhz"),
        ("top", format!("{kernel}_top")),
        ("reference", pll.reference.to_string()),
        ("feedback", pll.feedback.to_string()),
        ("output", pll.output.to_string()),
        ("phase", pll.phase().to_string()),
        ("late_phase", late.to_string()),
        ("late_eighths", eighths.to_string()),
        ("last", registers.len().to_string()),
        ("arguments", arguments.join("\n")),
        ("cas", sdr.cas.to_string()),
    ];
    let lpf = [
        own("kernel"),
        own("title"),
        own("clock_mhz"),
        ("oscillator_mhz", pins.oscillator_mhz.to_string()),
        ("pins", pins.sites().iter().map(|(port, site)| constraint(port, site)).collect::<Vec<_>>().join("\n")),
    ];
    let bench = Bench::new(Link::Sdr(sdr), sdr.clock_ps).holding(sample.bytes as u64);
    let models = bench.names().skip(1).chain(BENCH.iter().map(|(name, _)| *name));
    let initialisation_us = sdr.init_ps.div_ceil(500_000);
    let makefile = [
        own("kernel"),
        own("title"),
        ("options", options),
        ("oscillator_ps", ((1e6 / pins.oscillator_mhz).round() as u64).to_string()),
        ("device", sdr.device_parameters()),
        ("memory_bytes", bench.memory_bytes().to_string()),
        ("models", models.map(|name| format!("../sim/{name}")).collect::<Vec<_>>().join(" ")),
        ("bytes", sample.bytes.to_string()),
        ("compared", sample.compared_bytes.to_string()),
        ("max_us", (initialisation_us + sample.max_cycles * sdr.clock_ps / 1_000_000).to_string()),
    ];
    let mut files = vec![
        File::new(format!("ecp5/{kernel}_board.v"), fill(BOARD, &top)?),
        File::new(format!("ecp5/{kernel}.lpf"), fill(LPF, &lpf)?),
        File::new("ecp5/Makefile", fill(MAKEFILE, &makefile)?),
    ];
    files.extend(BENCH.iter().map(|(name, text)| File::new(format!("sim/{name}"), *text)));
    Ok(files)
}

/// Site and electrical standard of a port. The memory's pins are fast, the others need not be.
fn constraint(port: &str, site: &str) -> String {
    let more = match port {
        "oscillator" => "",
        "start" => " PULLMODE=DOWN",
        _ if port.starts_with("sdram_") => " PULLMODE=NONE SLEWRATE=FAST DRIVE=4",
        _ => " PULLMODE=NONE DRIVE=4",
    };
    format!("LOCATE COMP \"{port}\" SITE \"{site}\";\nIOBUF PORT \"{port}\" IO_TYPE=LVCMOS33{more};")
}
