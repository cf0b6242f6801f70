//! Builds the bench `sim/tb_accelerator.v` around an accelerator, and runs it on data: one build, many runs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;
use crate::hardware::{Ddr, Link, VerilogFile};
use crate::process::{self, Limits, Scratch};
use crate::simulate::bench::{Bench, MemoryModel};
use crate::simulate::timeline::Timeline;
use crate::simulate::verilator;
use crate::suggest;

/// Which files Verilator leaves out of a VCD, controller, PHY and device: they change with every clock and say little
/// about the accelerator.
const TRACING: &str = "\
`verilator_config
tracing_off -file \"*ddr_*.v\"
tracing_off -file \"*sdr_*.v\"
tracing_off -file \"*page_splitter.v\"
tracing_off -file \"*read_fifo.v\"
tracing_off -file \"*1P3BX.v\"
tracing_off -file \"*_memory.v\"
";

/// Verilator's warnings that say nothing about correctness: the order in which it evaluates is its own concern, and
/// the files of a design need no time scale of their own.
const WAIVED: [&str; 2] = ["-Wno-UNOPTFLAT", "-Wno-TIMESCALEMOD"];

/// Icarus takes a second to power-up and simulates 10,000 to 25,000 cycles per second from there, while Verilator's C++
/// takes two seconds to compile.
const ICARUS_CYCLES: u64 = 10_000;

/// Look-up tables of the designs of which that is so. Of larger ones Icarus evaluates as many more in each cycle, and Verilator
/// takes no longer to compile them: 32 lanes of a division took it 158 s for 4,267 cycles, and Verilator 18 s.
const ICARUS_ALUTS: u64 = 8_000;

/// How many modules deep signals are dumped, from the top on: `sim/run_bench.vh` and [`TRACE_DEPTH`] say so, too.
pub const TRACED_LEVELS: usize = 4;

/// The same from Verilator's own top on, which has the bench and the top in it.
const TRACE_DEPTH: &str = "5";

/// A format of waveforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Waveform {
    Vcd,
    /// A tenth of that size or less, and as much sooner on the screen.
    Fst,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Simulator {
    /// Compiles to C++: fast, two-state.
    Verilator,
    /// Four-state: finds what was never set. About fifty times slower.
    Icarus,
}

impl Simulator {
    pub const ALL: [Simulator; 2] = [Simulator::Verilator, Simulator::Icarus];

    pub fn name(self) -> &'static str {
        match self {
            Simulator::Verilator => "verilator",
            Simulator::Icarus => "icarus",
        }
    }

    /// The faster one for a run of about so many cycles of a design of about so many look-up tables, its own compilation included.
    pub fn for_run(cycles: u64, aluts: u64) -> Simulator {
        let in_icarus = cycles.saturating_mul(aluts.max(ICARUS_ALUTS)) <= ICARUS_CYCLES * ICARUS_ALUTS;
        if in_icarus { Simulator::Icarus } else { Simulator::Verilator }
    }

    /// Where the top of a design is in a waveform.
    pub fn scope(self) -> String {
        let above = if self == Simulator::Verilator { "TOP." } else { "" };
        format!("{above}{}.dut", Bench::TOP)
    }

    fn package(self) -> &'static str {
        match self {
            Simulator::Verilator => "verilator",
            Simulator::Icarus => "iverilog",
        }
    }

    /// The simulator called `name`; another name is a `Diagnostic`.
    pub fn parse(name: &str) -> Result<Simulator> {
        let known = || Simulator::ALL.map(Simulator::name);
        Simulator::ALL.into_iter().find(|s| s.name() == name).ok_or_else(|| {
            Diagnostic::new(format!("there is no simulator called `{name}`"))
                .help(suggest::known("simulators", name, known()))
                .into()
        })
    }

    /// Runs one of the simulator's programs. A program that is not installed is a `Diagnostic`.
    fn run(self, command: &mut Command) -> Result<Output> {
        let program = command.get_program().to_string_lossy().into_owned();
        match process::run(command, Limits::default()) {
            Ok(ended) => Ok(ended.into_output()),
            Err(error) if error.kind() == ErrorKind::NotFound && !program.contains('/') => {
                Err(Diagnostic::new(format!("`{program}` is not installed"))
                    .help(format!("install the Debian package {}, or choose another --simulator", self.package()))
                    .into())
            }
            Err(error) => Err(error).with_context(|| format!("cannot run `{program}`")),
        }
    }
}

impl fmt::Display for Simulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())
    }
}

/// A compiled bench.
#[derive(Debug)]
pub struct Simulation {
    simulator: Simulator,
    program: PathBuf,
    folder: PathBuf,
    trace: Option<Waveform>,
}

/// What one run starts from.
#[derive(Clone, Copy, Debug)]
pub struct RunInputs<'a> {
    /// The memory from address 0; its length is a multiple of 4.
    pub image: &'a [u8],
    /// Writes to the register bus before the start: word index and value. After one to the control register, the bench
    /// waits while the accelerator is busy.
    pub registers: &'a [(u32, u32)],
    /// Give up so many cycles after the start.
    pub max_cycles: u64,
    /// Where to dump signals; the bench must have been built with `trace`.
    pub waveform: Option<&'a Path>,
}

/// What moved through a memory port, from start to done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortCounters {
    /// Beats.
    pub reads: u64,
    pub writes: u64,
    pub read_bursts: u64,
    pub write_bursts: u64,
}

impl PortCounters {
    /// A line of the bench.
    fn read(line: &str) -> Option<PortCounters> {
        let [reads, writes, read_bursts, write_bursts] = numbers("MOVED ", line)?;
        Some(PortCounters { reads, writes, read_bursts, write_bursts })
    }
}

/// Counts from start to done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Cycles of the accelerator, by its own counter.
    pub cycles: u64,
    pub load_busy: u64,
    pub compute_busy: u64,
    pub compute_stall: u64,
    pub store_busy: u64,
    /// Column commands to a row that had one since it was opened.
    pub row_hits: u64,
    /// First column commands after a row was opened.
    pub row_misses: u64,
    /// Changes between reading and writing.
    pub turnarounds: u64,
    pub refreshes: u64,
    /// Column commands, each of which moves one word of the memory port; on a bus, beats.
    pub reads: u64,
    pub writes: u64,
    /// Bursts on a bus.
    #[serde(default)]
    pub read_bursts: u64,
    #[serde(default)]
    pub write_bursts: u64,
    /// Of each memory port in use, where there are several; in the order of their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<PortCounters>,
    /// Row hits and misses of each bank of the device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub banks: Vec<[u64; 2]>,
    /// On a bus, the lengths that bursts had: beats, bursts that read, and bursts that wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lengths: Vec<[u64; 3]>,
    /// The status word at the end ([`crate::hardware::status`]).
    #[serde(default)]
    pub status: u64,
    /// Breaches of the device's timing, since power-up.
    pub timing_violations: u64,
}

#[derive(Clone, Debug, Default)]
pub struct RunOutput {
    pub counters: Counters,
    /// The memory after the run; bytes that are unknown read 0.
    pub image: Vec<u8>,
    /// Addresses of bytes of the image that are unknown (X); four-state simulators only.
    pub unknown: Vec<u64>,
    /// The device's complaints, first one first.
    pub violations: Vec<String>,
    /// The status words after the writes to the control register that [`RunInputs::registers`] holds.
    pub statuses: Vec<u64>,
    /// Complaints about the accelerator's memory port: unknown bits, writes beyond the image.
    pub port_faults: Vec<String>,
    pub timed_out: bool,
    /// What the processes did, from a bench that tells.
    pub timeline: Timeline,
    /// When the first tile is taken to be loaded, in the waveform's ps, if there is one.
    pub first_tile: Option<u64>,
}

/// Compiles the bench for the module `top`, which `files` define, in the folder `work`. With `trace`, runs can dump
/// signals. The Verilog must be free of Verilator's warnings.
pub fn build(
    files: &[VerilogFile],
    top: &str,
    simulator: Simulator,
    trace: Option<Waveform>,
    work: &Path,
) -> Result<Simulation> {
    build_with(files, top, simulator, trace, work, None)
}

/// [`build`], for many designs: what of Verilator's is alike for all designs, half of a small build, and whole programs are kept
/// in the folder `runtime` from one build to the next ([`verilator`]).
pub fn build_with(
    files: &[VerilogFile],
    top: &str,
    simulator: Simulator,
    trace: Option<Waveform>,
    work: &Path,
    runtime: Option<&Path>,
) -> Result<Simulation> {
    build_in(Bench::new(Link::Ddr(Ddr::DDR400B), 10_000), files, top, simulator, trace, work, runtime)
}

/// [`build_with`], in any bench.
pub fn build_in(
    bench: Bench,
    files: &[VerilogFile],
    top: &str,
    simulator: Simulator,
    trace: Option<Waveform>,
    work: &Path,
    runtime: Option<&Path>,
) -> Result<Simulation> {
    std::fs::create_dir_all(work).with_context(|| format!("cannot create {}", work.display()))?;
    // A relative path would not survive the change of folder.
    let folder = work.canonicalize()?;
    let mut names = Vec::new();
    let own = files.iter().map(|file| (file.name.as_str(), Cow::from(&file.text)));
    for (name, text) in own.chain(bench.files().map(|(name, text)| (name, text.into()))) {
        std::fs::write(folder.join(name), text.as_bytes()).with_context(|| format!("cannot write {name}"))?;
        names.push(name);
    }
    let program = match simulator {
        Simulator::Verilator => folder.join(verilator::FOLDER).join(verilator::PROGRAM),
        Simulator::Icarus => folder.join("bench.vvp"),
    };
    let mut command = match simulator {
        Simulator::Verilator => {
            let mut command = Command::new("verilator");
            command
                .args(["--cc", "--exe", "--main", "--timing", "-O3", "-Wall", "--timescale", "1ns/1ps"])
                .args(WAIVED);
            command.args(["--x-assign", "fast", "--x-initial", "fast", "--top-module", Bench::TOP]);
            command.args(["-Mdir", verilator::FOLDER, "-o", verilator::PROGRAM]).args(verilator::SPLIT);
            if let Some(text) = verilator::shared_operators(files.iter().map(|file| file.text.as_str())) {
                std::fs::write(folder.join("operators.vlt"), text)?;
                command.arg("operators.vlt");
            }
            if let Some(waveform) = trace {
                std::fs::write(folder.join("tracing.vlt"), TRACING)?;
                command.arg(if waveform == Waveform::Fst { "--trace-fst" } else { "--trace" });
                command.args(["--trace-depth", TRACE_DEPTH, "-DBURSTC_TRACE", "tracing.vlt"]);
            }
            command
        }
        Simulator::Icarus => {
            let mut command = Command::new("iverilog");
            command.args(["-g2005", "-s", Bench::TOP, "-o", "bench.vvp"]);
            if trace.is_some() {
                command.arg("-DBURSTC_TRACE");
            }
            command
        }
    };
    command.arg(format!("-DTOP={top}")).args(bench.defines()).args(&names).current_dir(&folder);
    let output = simulator.run(&mut command)?;
    if !output.status.success() {
        bail!("{simulator} does not accept the design {top}:\n{}", excerpt(&output));
    }
    if simulator == Simulator::Verilator {
        let kept = runtime.map(|cache| verilator::Kept::new(cache, trace));
        let output = verilator::compile(&folder, Bench::TOP, &[], kept.as_ref(), |command| simulator.run(command))?;
        if let Some(output) = output.filter(|output| !output.status.success()) {
            if trace == Some(Waveform::Fst) && String::from_utf8_lossy(&output.stderr).contains("zlib.h") {
                bail!(
                    Diagnostic::new("zlib's header, which Verilator needs for an FST, is not installed")
                        .help("install the Debian package zlib1g-dev, or dump a VCD")
                );
            }
            bail!("the C++ of {top} does not compile:\n{}", excerpt(&output));
        }
    }
    Ok(Simulation { simulator, program, folder, trace })
}

impl Simulation {
    /// Simulates from power-up to done (or the time-out). Runs may go side by side.
    pub fn run(&self, inputs: &RunInputs) -> Result<RunOutput> {
        self.run_with(inputs, MemoryModel::default())
    }

    /// [`Simulation::run`], with a memory behind a bus that behaves as `model` says.
    pub fn run_with(&self, inputs: &RunInputs, model: MemoryModel) -> Result<RunOutput> {
        let data = Scratch::new_in("run-", &self.folder)?;
        let path = |name: &str| data.path().join(name);
        std::fs::write(path("image.hex"), hex(inputs.image))?;
        std::fs::write(path("registers.txt"), register_lines(inputs.registers))?;
        let mut command = match self.simulator {
            Simulator::Verilator => Command::new(&self.program),
            Simulator::Icarus => {
                let mut command = Command::new("vvp");
                command.arg("-n").arg(&self.program);
                command
            }
        };
        // Names relative to the run's folder, because the bench keeps a name in a register of fixed width.
        command.current_dir(data.path());
        command.args(["+image=image.hex", "+registers=registers.txt", "+dump=after.hex"]);
        command.arg(format!("+bytes={}", inputs.image.len()));
        command.arg(format!("+max_cycles={}", inputs.max_cycles.min(i32::MAX as u64)));
        command.args(model.arguments());
        if inputs.waveform.is_some() {
            command.arg("+vcd=signals.dump");
            if (self.simulator, self.trace) == (Simulator::Icarus, Some(Waveform::Fst)) {
                command.arg("-fst");
            }
        }
        let output = self.simulator.run(&mut command)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let result = text.lines().find_map(|line| line.strip_prefix("RESULT "));
        let Some(result) = result.filter(|_| output.status.success()) else {
            bail!("the simulation broke off:\n{}", excerpt(&output));
        };
        let lines = |prefix: &str| text.lines().filter_map(|l| l.strip_prefix(prefix)).map(str::to_string).collect();
        let (image, unknown) = memory(&std::fs::read_to_string(path("after.hex"))?, inputs.image.len())?;
        let (mut counters, timed_out) = result_line(result)?;
        counters.ports = text.lines().filter_map(PortCounters::read).collect();
        counters.banks =
            text.lines().filter_map(|l| numbers("BANK ", l)).map(|[_, hits, misses]| [hits, misses]).collect();
        counters.lengths = text.lines().filter_map(|line| numbers("BURSTS ", line)).collect();
        if let Some(waveform) = inputs.waveform {
            deliver(&path("signals.dump"), waveform)?;
        }
        Ok(RunOutput {
            counters,
            image,
            unknown,
            violations: lines("VIOLATION "),
            statuses: text.lines().filter_map(|l| u64::from_str_radix(l.strip_prefix("STATUS ")?, 16).ok()).collect(),
            port_faults: lines("PORT "),
            timed_out,
            timeline: Timeline::read(&text),
            first_tile: text.lines().find_map(|line| line.strip_prefix("FIRST TILE ")?.trim().parse().ok()),
        })
    }
}

/// The numbers of a line of the bench that begins with a word.
fn numbers<const N: usize>(begin: &str, line: &str) -> Option<[u64; N]> {
    let numbers: Option<Vec<u64>> = line.strip_prefix(begin)?.split(' ').map(|word| word.parse().ok()).collect();
    numbers?.try_into().ok()
}

/// Moves a file, across file systems too: it appears whole or not at all. A device or a pipe gets its content.
pub fn deliver(from: &Path, to: &Path) -> Result<()> {
    let failed = || format!("cannot write {}", to.display());
    if to.exists() && !to.is_file() {
        std::fs::copy(from, to).with_context(failed)?;
        return Ok(());
    }
    // A link stays, what it points to is replaced.
    let to = to.canonicalize().unwrap_or_else(|_| to.to_path_buf());
    if std::fs::rename(from, &to).is_err() {
        let parent = to.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let beside = Scratch::new_in(".burstc-", parent)?;
        let copy = beside.path().join("copy");
        std::fs::copy(from, &copy).and_then(|_| std::fs::rename(&copy, &to)).with_context(failed)?;
    }
    Ok(())
}

/// The first lines of what a program said.
fn excerpt(output: &Output) -> String {
    let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stdout));
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(30).collect();
    if lines.is_empty() { format!("no message, {}", output.status) } else { lines.join("\n") }
}

/// One line per write to the register bus: index and value.
pub fn register_lines(registers: &[(u32, u32)]) -> String {
    registers.iter().fold(String::new(), |mut text, (index, value)| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{index:x} {value:x}");
        text
    })
}

/// One byte per line, as `$readmemh` reads it.
pub fn hex(image: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    image.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)], b'\n']).collect()
}

/// What `$writememh` wrote: the bytes, and the addresses of those with an unknown bit.
fn memory(text: &str, bytes: usize) -> Result<(Vec<u8>, Vec<u64>)> {
    let mut image = Vec::with_capacity(bytes);
    let mut unknown = Vec::new();
    let tokens = text.lines().filter(|line| !line.starts_with("//")).flat_map(str::split_whitespace);
    for token in tokens {
        if let Some(address) = token.strip_prefix('@') {
            if usize::from_str_radix(address, 16).ok() != Some(image.len()) {
                bail!("the simulator's memory dump has a gap at {token}");
            }
            continue;
        }
        match u8::from_str_radix(token, 16) {
            Ok(byte) => image.push(byte),
            Err(_) if token.contains(['x', 'X', 'z', 'Z']) => {
                unknown.push(image.len() as u64);
                image.push(0);
            }
            Err(_) => bail!("the simulator's memory dump has the word `{token}`"),
        }
    }
    if image.len() != bytes {
        bail!("the simulator's memory dump has {} bytes instead of {bytes}", image.len());
    }
    Ok((image, unknown))
}

/// The counts of a line `name=value ...`, and whether the run timed out. Counts that another model of the device does
/// not have are 0; a cycle counter that is unknown is too, and the run then fails for other reasons.
fn result_line(line: &str) -> Result<(Counters, bool)> {
    let fields: BTreeMap<&str, &str> = line.split_whitespace().filter_map(|field| field.split_once('=')).collect();
    let count = |name: &str| fields.get(name).and_then(|value| value.parse().ok()).unwrap_or(0);
    let timed_out = fields.get("timed_out").with_context(|| format!("the bench printed `{line}`"))?;
    let counters = Counters {
        cycles: count("cycles"),
        load_busy: count("load_busy"),
        compute_busy: count("compute_busy"),
        compute_stall: count("compute_stall"),
        store_busy: count("store_busy"),
        row_hits: count("row_hits"),
        row_misses: count("row_misses"),
        turnarounds: count("turnarounds"),
        refreshes: count("refreshes"),
        reads: count("reads"),
        writes: count("writes"),
        read_bursts: count("read_bursts"),
        write_bursts: count("write_bursts"),
        ports: vec![],
        banks: vec![],
        lengths: vec![],
        status: count("status"),
        timing_violations: count("timing_violations"),
    };
    Ok((counters, *timed_out != "0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumps_of_both_simulators_are_read() {
        assert_eq!(memory("// 0x00000000\n0a\nff\n", 2).unwrap(), (vec![10, 255], vec![]));
        assert_eq!(memory("@0\n0a xx\nXf 03", 4).unwrap(), (vec![10, 0, 0, 3], vec![1, 2]));
        assert!(memory("0a", 2).is_err());
        assert!(memory("0a hello", 2).is_err());
        assert_eq!(hex(&[0, 0x9f]), b"00\n9f\n");
    }

    #[test]
    fn result_line_is_read() {
        let (counters, timed_out) = result_line("timed_out=0 cycles=12 row_hits=3 load_busy=x").unwrap();
        assert_eq!((counters.cycles, counters.row_hits, counters.load_busy), (12, 3, 0));
        assert!(!timed_out);
        assert!(result_line("nonsense").is_err());
    }

    #[test]
    fn long_runs_are_worth_a_compilation() {
        assert_eq!(
            [0, 10_000, 10_001].map(|cycles| Simulator::for_run(cycles, 1_000)),
            [Simulator::Icarus, Simulator::Icarus, Simulator::Verilator]
        );
        let of_large = [16_000, 80_000].map(|aluts| Simulator::for_run(4_000, aluts));
        assert_eq!(of_large, [Simulator::Icarus, Simulator::Verilator]);
    }

    #[test]
    fn unknown_simulator_is_refused() {
        let error = Simulator::parse("Icarus").unwrap_err();
        let diagnostic = error.downcast_ref::<Diagnostic>().unwrap();
        assert_eq!(diagnostic.help, "did you mean `icarus`? Known simulators: verilator, icarus");
    }

    #[test]
    fn missing_program_names_its_package() {
        let error = Simulator::Icarus.run(&mut Command::new("iverilog-is-not-here")).unwrap_err();
        let diagnostic = error.downcast_ref::<Diagnostic>().unwrap();
        assert!(diagnostic.help.contains("Debian package iverilog"));
    }
}
