//! What the whole-pipeline tests share: a kernel compiled once, simulated on many sizes.
#![allow(dead_code)] // each test binary uses its part

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::Result;
use burstc::board::Board;
use burstc::hardware::VerilogFile;
use burstc::report::count::Work;
use burstc::simulate::bench::{Bench, MemoryModel};
use burstc::simulate::golden::Golden;
use burstc::simulate::job::Job;
use burstc::simulate::number::Number;
use burstc::simulate::random::Range;
use burstc::simulate::reordered::reordered;
use burstc::simulate::simulator::{self, Counters, RunInputs, RunOutput, Simulation, Simulator, Waveform};
use burstc::simulate::{Outcome, judge};
use burstc::source::Source;
use burstc::source::program::{self, Choice};
use burstc::{Accelerator, Options, compile};

const PAPERS_BOARD: &str = "stratix2-ddr400";

/// The board of the tests: Stratix II with DDR-400, or what `BURSTC_BOARD` and `BURSTC_BUS_BITS` name (`make buses`, `make ulx3s`).
pub fn board() -> Board {
    let name = std::env::var("BURSTC_BOARD").unwrap_or_else(|_| PAPERS_BOARD.to_string());
    let board = burstc::board::load(&name).expect("a known board");
    match std::env::var("BURSTC_BUS_BITS") {
        Ok(bits) => board.with_bus_bits(bits.parse().expect("a number of bits")).expect("a width that buses have"),
        Err(_) => board,
    }
}

/// Whether the tests run on another board than the paper's, whose cycles they do not guard.
pub fn elsewhere() -> bool {
    board().name != PAPERS_BOARD
}

/// Whether the tests run on a board with a bus, with random back-pressure.
pub fn on_a_bus() -> bool {
    board().memory.bus().is_some()
}

pub fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A kernel compiled once, and the C program to compare it with.
pub struct Subject {
    pub accelerator: Accelerator,
    golden: Golden,
    board: Board,
}

impl Subject {
    pub fn new(source: &Source, options: &Options) -> Result<Arc<Subject>> {
        Subject::on(board(), source, options)
    }

    pub fn on(board: Board, source: &Source, options: &Options) -> Result<Arc<Subject>> {
        let accelerator = compile(source, &board, options)?;
        let golden = Golden::build(source, &accelerator.offload.kernel)?;
        Ok(Arc::new(Subject { accelerator, golden, board }))
    }

    /// The kernel in the file `path` of this repository, in one lane.
    pub fn read(path: &str) -> Arc<Subject> {
        Subject::read_with(path, &Options::default())
    }

    pub fn read_with(path: &str, options: &Options) -> Arc<Subject> {
        let user = Source::read(&root(path), vec![]).expect("the kernel is readable");
        let chosen = program::choose(&user, &Choice::default()).unwrap_or_else(|error| panic!("{path}: {error:#}"));
        let source = chosen.source;
        Subject::new(&source, options).unwrap_or_else(|error| panic!("{path}: {error:#}"))
    }
}

impl Subject {
    /// Verilator has nothing to say of the accelerator, nor, where `direct`, of the direct version.
    pub fn lint(&self, direct: bool) {
        let folder = tempfile::tempdir().expect("a folder");
        let versions = self.write(folder.path()).into_iter().take(if direct { 2 } else { 1 });
        // Some kernels have no direct version.
        for (files, top) in versions.filter(|(files, _)| !files.is_empty()) {
            silent(Command::new("verilator").args(["--lint-only", "-Wall", "--top-module", &top]).args(&files));
        }
    }

    /// Writes the Verilog; gives the files and the top module of the accelerator and of the direct version.
    pub fn write(&self, folder: &Path) -> [(Vec<PathBuf>, String); 2] {
        let kernel = &self.accelerator.offload.kernel.name;
        let tops = [
            (&self.accelerator.files, format!("{kernel}_top")),
            (&self.accelerator.direct_files, format!("{kernel}_direct_top")),
        ];
        // Modules of one name may differ between the two: what nobody reads is in neither.
        tops.map(|(files, top)| {
            let folder = folder.join(&top);
            std::fs::create_dir_all(&folder).expect("the folder is writable");
            let write = |file: &VerilogFile| {
                let path = folder.join(&file.name);
                std::fs::write(&path, &file.text).expect("the folder is writable");
                path
            };
            (files.iter().map(write).collect(), top)
        })
    }
}

/// Runs a tool, which must not complain.
pub fn silent(command: &mut Command) {
    let output = command.output().expect("the tool is installed");
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let complaint = text.lines().find(|l| l.contains("Warning") || l.contains("Error") || l.contains("ERROR"));
    assert!(output.status.success() && complaint.is_none(), "{command:?}\n{text}");
}

/// Values of arguments, ranges of random data (both ends included), and the seed of those.
#[derive(Clone, Copy, Default)]
pub struct Data<'a> {
    pub set: &'a [(&'a str, i128)],
    pub ranges: &'a [(&'a str, i128, i128)],
    pub seed: u64,
}

/// One Verilog, one simulator.
pub struct Rig {
    pub subject: Arc<Subject>,
    simulation: Simulation,
    memory_bytes: u64,
    name: String,
    trace: bool,
    direct: bool,
    /// How the memory behind a bus behaves.
    pub model: MemoryModel,
    _work: tempfile::TempDir,
}

/// What a run shows.
pub struct Shown {
    pub counters: Counters,
    pub output: RunOutput,
    pub vcd: Option<PathBuf>,
    /// Of floating-point results from the C program's, over the array's largest magnitude, where lanes reorder.
    pub difference: f64,
}

impl Rig {
    /// The accelerator of `path`, or its direct version, compiled for one simulator.
    pub fn new(path: &str, simulator: Simulator, direct: bool) -> Rig {
        Rig::with_trace(path, simulator, direct, trace_wanted())
    }

    pub fn with_trace(path: &str, simulator: Simulator, direct: bool, trace: bool) -> Rig {
        Rig::build(&Subject::read(path), simulator, direct, trace).expect("the bench builds")
    }

    pub fn of(subject: &Arc<Subject>, simulator: Simulator, direct: bool) -> Result<Rig> {
        Rig::build(subject, simulator, direct, trace_wanted())
    }

    fn build(subject: &Arc<Subject>, simulator: Simulator, direct: bool, trace: bool) -> Result<Rig> {
        let files = if direct { &subject.accelerator.direct_files } else { &subject.accelerator.files };
        Rig::assemble(subject, files, simulator, direct, trace, 0)
    }

    /// The accelerator of `subject`, for runs on up to `bytes` of memory.
    pub fn holding(subject: &Arc<Subject>, simulator: Simulator, bytes: u64) -> Result<Rig> {
        Rig::assemble(subject, &subject.accelerator.files, simulator, false, trace_wanted(), bytes)
    }

    /// The board of `subject` around an accelerator made for another.
    pub fn around(subject: &Arc<Subject>, files: &[VerilogFile], simulator: Simulator) -> Result<Rig> {
        Rig::assemble(subject, files, simulator, false, trace_wanted(), 0)
    }

    fn assemble(
        subject: &Arc<Subject>,
        files: &[VerilogFile],
        simulator: Simulator,
        direct: bool,
        trace: bool,
        bytes: u64,
    ) -> Result<Rig> {
        let kernel = &subject.accelerator.offload.kernel.name;
        let work = tempfile::tempdir()?;
        let top = if direct { format!("{kernel}_direct_top") } else { format!("{kernel}_top") };
        let ports = if direct { vec![0] } else { subject.accelerator.offload.ports_used() };
        let bench = Bench::of(&subject.board).with_ports(&ports);
        let (bench, files) = match simulator {
            Simulator::Icarus => bench.just_holding(bytes).soon_ready(files),
            Simulator::Verilator => (bench.holding(bytes), files.to_vec()),
        };
        let waveform = trace.then_some(Waveform::Vcd);
        let simulation = simulator::build_in(bench, &files, &top, simulator, waveform, work.path(), Some(&objects()))?;
        let name = format!("{kernel}{}_{simulator}", if direct { "_direct" } else { "" });
        let model = MemoryModel::default().on(&subject.board);
        let memory_bytes = bench.memory_bytes();
        Ok(Rig { subject: subject.clone(), simulation, memory_bytes, name, trace, direct, model, _work: work })
    }

    /// Runs with the given arguments and demands that every word of memory is what the C program leaves.
    pub fn run(&self, set: &[(&str, i128)], seed: u64) -> Shown {
        self.run_on(Data { set, ranges: &[], seed })
    }

    pub fn run_on(&self, data: Data) -> Shown {
        let (outcome, shown) = self.attempt(data).unwrap_or_else(|error| panic!("{}: {error:#}", self.label(data)));
        assert_eq!(outcome, Outcome::Pass, "{}: {outcome}", self.label(data));
        shown
    }

    /// Runs and says how it ended. A run in which nothing moves, though the C program changes memory, is an error.
    pub fn attempt(&self, data: Data) -> Result<(Outcome, Shown)> {
        let offload = &self.subject.accelerator.offload;
        let kernel = &offload.kernel;
        let set = data.set.iter().map(|(name, value)| (name.to_string(), Number::Whole(*value))).collect();
        let ranges: BTreeMap<String, Range> =
            data.ranges.iter().map(|(name, low, high)| (name.to_string(), Range::whole(*low, *high))).collect();
        let capacity = self.subject.board.memory.capacity_bytes();
        let mut job = Job::with_ranges(kernel, &set, &ranges, capacity, data.seed)?;
        let program = self.subject.golden.expected(&mut job)?;
        let reordered = if self.direct { None } else { reordered(offload, &job, &program) };
        let expected = reordered.as_ref().map_or(&program, |reordered| &reordered.image);
        let vcd = self.trace.then(|| {
            let folder = root("target/vcd");
            std::fs::create_dir_all(&folder).expect("target is writable");
            folder.join(format!("{}.vcd", self.label(data)))
        });
        anyhow::ensure!(job.image.len() as u64 <= self.memory_bytes, "the data need {} bytes", job.image.len());
        let registers = job.registers(kernel);
        let work = Work::of(offload, &job.sizes);
        let max_cycles = 100_000 + 100 * (work.iterations + work.accesses);
        let inputs = RunInputs { image: &job.image, registers: &registers, max_cycles, waveform: vcd.as_deref() };
        let output = self.simulation.run_with(&inputs, self.model)?;
        let outcome = judge(&job, expected, &output, max_cycles);
        let moved = output.counters.reads + output.counters.writes > 0;
        anyhow::ensure!(moved || *expected == job.image, "nothing moved");
        let difference = reordered.map_or(0.0, |reordered| reordered.difference);
        Ok((outcome, Shown { counters: output.counters.clone(), output, vcd, difference }))
    }

    fn label(&self, data: Data) -> String {
        data.set.iter().fold(self.name.clone(), |label, (name, value)| format!("{label}_{name}{value}"))
    }
}

/// Where Verilator's run-time is kept from test to test.
fn objects() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("verilator")
}

fn trace_wanted() -> bool {
    std::env::var_os("BURSTC_VCD").is_some_and(|v| v == "1")
}
