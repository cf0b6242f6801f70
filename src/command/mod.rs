//! What the command line asks for, as validated options, and the doing of it. Nothing here knows clap.

mod analyze;
mod build;
mod doctor;
mod estimate;
mod explore;
mod manual;
mod new;
mod placement;
mod places;
mod progress;
mod run;
mod sample;
pub mod terminal;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::board::Board;
use crate::diagnostic::{Diagnostic, Fault};
pub use crate::dump::Stage;
use crate::printable::on_one_line;
use crate::process::uninterrupted;
use crate::project::folder;
use crate::simulate::bench::MemoryModel;
use crate::simulate::number::Number;
use crate::simulate::simulator::{Simulator, Waveform};
use crate::source::Source;
use crate::source::gather::{Unordered, without_affine_form};
use crate::source::kernel::{Kernel, SizeParameter};
use crate::source::program::redefine::redefine;
use crate::source::program::{self, Choice, Places, Program};
use crate::{Accelerator, Options, Read, board, budget, choose_lanes, compile_read, diagnostic_render, process};
pub use estimate::Estimate;
pub use explore::Explore;
pub use manual::ManualPage;
use terminal::{print, say, tell_fault};
pub use values::{Assignment, RangeAssignment, parse_assignment, parse_port, parse_range, parse_redefinition};

/// The run passed, or the folder was written.
pub const PASSED: u8 = 0;
/// The run failed: mismatch, timing violation, time-out; or the machine does not play along.
pub const FAILED: u8 = 1;
/// The input was refused.
pub const REFUSED: u8 = 2;
/// burstc itself is at fault; `EX_SOFTWARE` of sysexits.h.
pub const FAULT: u8 = 70;

/// A command with everything it needs.
#[derive(Clone, Debug)]
pub enum Command {
    Run(Run),
    Build(Build),
    Analyze(Analyze),
    Estimate(Estimate),
    Explore(Explore),
    Boards,
    /// Which tools are there.
    Doctor,
    /// A folder of this name with a kernel to begin with.
    New(String),
    /// Manual pages, the first of which is burstc's own: into a folder, or that one to standard output.
    Manual(Vec<ManualPage>, Option<PathBuf>),
    /// A text of the command line's own, as it is.
    Print(String),
}

/// What the commands that read a C file have in common.
#[derive(Clone, Debug)]
pub struct Input {
    pub file: PathBuf,
    /// Name of a board, or path of a profile.
    pub board: String,
    /// Width of the board's bus, instead of the profile's.
    pub bus_bits: Option<u32>,
    /// Ports of the board's memory, instead of the profile's.
    pub ports: Option<u32>,
    /// Memory ports of arrays.
    pub port: Vec<(String, u32)>,
    /// Bounds of size parameters.
    pub max: Vec<Assignment>,
    pub min: Vec<Assignment>,
    /// Iterations per cycle, instead of what directives say.
    pub lanes: Option<choose_lanes::Request>,
    /// Compute processes that share every tile, instead of what directives say.
    pub units: Option<choose_lanes::UnitsRequest>,
    /// Lanes may reorder sums of floating-point numbers.
    pub allow_reassociation: bool,
    /// Options for the C preprocessor.
    pub cpp_args: Vec<String>,
    /// Which part of the file is the kernel.
    pub choice: Choice,
    /// Macros of the file that get another text.
    pub redefine: Vec<(String, String)>,
    /// Say nothing of what is being done.
    pub quiet: bool,
}

#[derive(Clone, Debug)]
pub struct Run {
    pub input: Input,
    /// Values of scalar arguments.
    pub set: Vec<Assignment>,
    /// The data are those that the program around the region gives it.
    pub own_data: bool,
    /// Ranges of random data.
    pub data: Vec<RangeAssignment>,
    /// Chosen by the expected cycles where there is none.
    pub simulator: Option<Simulator>,
    /// Simulate the direct version too.
    pub direct: bool,
    /// Dump the accelerator's signals there.
    pub waveform: Option<(Waveform, PathBuf)>,
    pub json: Option<Output>,
    /// A page with everything that is known of the run.
    pub html: Option<PathBuf>,
    pub seed: u64,
    /// How the memory behind a bus behaves; its latency is the board's where this has none.
    pub memory: MemoryModel,
    /// Keep Verilog, bench and data in this folder.
    pub keep: Option<PathBuf>,
    /// Replace that folder even where burstc did not write it.
    pub force: bool,
}

#[derive(Clone, Debug)]
pub struct Build {
    pub input: Input,
    /// Ranges of the sample data.
    pub data: Vec<RangeAssignment>,
    pub emit: Vec<Emit>,
    pub out: PathBuf,
    pub force: bool,
}

/// What a folder has beside Verilog and the board's project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// The accelerator as a component of rust-hdl.
    RustHdl,
}

#[derive(Clone, Debug)]
pub struct Analyze {
    pub input: Input,
    /// Print the `Offload` instead of text.
    pub json: bool,
    /// Print where statements stand in a common space instead.
    pub placement: bool,
    /// Print what would limit a run instead.
    pub bound: bool,
    /// Print these stages instead.
    pub dump: Vec<Stage>,
    /// A page with everything that is known without a simulation.
    pub html: Option<PathBuf>,
}

/// Where a text goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// `-`
    Standard,
    File(PathBuf),
}

impl From<PathBuf> for Output {
    fn from(path: PathBuf) -> Self {
        if path.as_os_str() == "-" { Output::Standard } else { Output::File(path) }
    }
}

/// Executes a command, says on standard error what went wrong, and returns the exit code.
pub fn execute(command: &Command) -> u8 {
    let mut reading = Reading::default();
    // The output folder, until everything is over.
    let mut claimed = None;
    let mut claim = |target: Option<&PathBuf>| -> Result<()> {
        claimed = target.map(|target| folder::claim(target)).transpose()?;
        Ok(())
    };
    // Before the work: whether its results can be written.
    let result = match command {
        Command::Run(run) => run::check_places(run)
            .and_then(|()| claim(run.keep.as_ref()))
            .and_then(|()| reading.read(&run.input))
            .and_then(|program| run::run(run, program)),
        Command::Build(build) => folder::check(&build.out, build.force)
            .and_then(|()| claim(Some(&build.out)))
            .and_then(|()| reading.read(&build.input))
            .and_then(|program| build::build(build, program)),
        Command::Analyze(analyze) => analyze::check_places(analyze)
            .and_then(|()| reading.read(&analyze.input))
            .and_then(|program| analyze::analyze(analyze, program)),
        Command::Estimate(estimate) => {
            reading.read(&estimate.input).and_then(|program| estimate::estimate(estimate, program))
        }
        Command::Explore(explore) => explore::check_places(explore)
            .and_then(|()| claim(explore.output.as_ref()))
            .and_then(|()| reading.read(&explore.input))
            .and_then(|program| explore::explore(explore, program)),
        Command::Boards => boards(),
        Command::Doctor => doctor::doctor(),
        Command::New(name) => new::new(name),
        Command::Manual(pages, folder) => manual::manual(pages, folder.as_deref()),
        Command::Print(text) => print(text).map(|()| PASSED),
    };
    drop(claimed);
    match result {
        Ok(code) => code,
        Err(error) => report_error(&error, &reading),
    }
}

impl Input {
    /// The board, with what the command line changes of it.
    fn board(&self) -> Result<Board> {
        let board = board::load(&self.board)?;
        let board = match self.bus_bits {
            Some(bits) => board.with_bus_bits(bits)?,
            None => board,
        };
        match self.ports {
            Some(ports) => board.with_ports(ports),
            None => Ok(board),
        }
    }

    /// What `--min` and `--max` say, checked against the kernel.
    fn bounds(&self, kernel: &Kernel) -> Result<values::Bounds> {
        Ok(values::Bounds {
            min: values::bounds(kernel, "--min", &self.min)?,
            max: values::bounds(kernel, "--max", &self.max)?,
        })
    }
}

/// The C file, as far as it has been read: where the report of a later error finds its text.
#[derive(Default)]
struct Reading {
    user: Option<Source>,
    program: Option<Program>,
}

impl Reading {
    /// Reads the C file, and takes the kernel out of it.
    fn read(&mut self, input: &Input) -> Result<&Program> {
        let user = self.user.insert(Source::read(&input.file, input.cpp_args.clone())?);
        for (name, value) in &input.redefine {
            redefine(user, name, value)?;
        }
        let program = {
            let _watch = watch(user, Places::default());
            budget::begin("reading the source");
            program::choose(user, &input.choice).map_err(Fault::of)?
        };
        program.notes.iter().for_each(|note| say(&format!("warning: {}: {note}\n", on_one_line(&user.path))));
        Ok(self.program.insert(program))
    }
}

/// The accelerator, with warnings of the sizes that it does not serve, and of what is slow by the way it is written.
fn compiled(program: &Program, read: Read, board: &Board, options: &Options) -> Result<Accelerator> {
    let accelerator = watched(program, || compile_read(read, &program.source, board, options))?;
    tell(program, &accelerator.offload.kernel);
    Ok(accelerator)
}

/// Warns of the sizes that the hardware does not serve, where the source does not say so, and of what is slow by the way it is written.
fn tell(program: &Program, kernel: &Kernel) {
    let conditions =
        kernel.domain.iter().map(|condition| format!("only for {}: {}", condition.text(), condition.reason));
    let mut slow: Vec<String> = without_affine_form(kernel)
        .into_iter()
        .map(|Unordered { array, read, write }| {
            let [read, write] = [read, write].map(|span| program.places.user(span).line);
            format!(
                "line {read}: the subscripts of `{array}` are told by iterators, but are no affine function of them, and line {write} \
                 writes `{array}`: such reads wait for all writes before them"
            )
        })
        .collect();
    slow.dedup();
    let beyond = kernel.beyond.iter().map(|own| {
        let line = program.places.user(own.span).line;
        format!(
            "line {line}: `{}` leaves its array for {}: right only for data that never let C come there",
            own.text, own.at
        )
    });
    for note in SizeParameter::assumed(&kernel.parameters).into_iter().chain(conditions).chain(slow).chain(beyond) {
        say(&format!("warning: {}: {note}\n", on_one_line(&program.user.path)));
    }
}

fn report_error(error: &anyhow::Error, reading: &Reading) -> u8 {
    match error.downcast_ref::<Diagnostic>() {
        Some(diagnostic) => {
            let (path, text) = reading.user.as_ref().map_or(("", ""), |user| (user.path.as_str(), user.text.as_str()));
            let places = reading.program.as_ref().map_or_else(Places::default, |program| program.places.clone());
            say(&diagnostic_render::render(&places.diagnostic(diagnostic), &on_one_line(path), text));
            return REFUSED;
        }
        None if error.is::<Fault>() => {
            tell_fault(&format!("{error:#}"));
            return FAULT;
        }
        None => say(&format!("error: {error:#}\n")),
    }
    FAILED
}

/// What `work` gives, unless it takes too long or too much memory: then the process ends, as for a refusal.
fn watched<T>(program: &Program, work: impl FnOnce() -> T) -> T {
    let _watch = watch(&program.user, program.places.clone());
    work()
}

/// The watch over work on the file `user`, of which `places` tells the user's own.
fn watch(user: &Source, places: Places) -> budget::Watch {
    let (path, text) = (on_one_line(&user.path), user.text.clone());
    budget::watch(move |diagnostic| {
        say(&diagnostic_render::render(&places.diagnostic(diagnostic), &path, &text));
        process::end(REFUSED.into());
    })
}

fn boards() -> Result<u8> {
    let mut text = String::new();
    for name in board::names() {
        let board = board::load(name)?;
        let memory = &board.memory;
        let port = match memory.bus() {
            None => format!("{} at {} MB/s", memory.name(), memory.peak_mb_s()),
            Some(port) => {
                let (kind, together) = (memory.name(), memory.peak_mb_s());
                let (ports, of_all) = match port.ports {
                    1 => (String::new(), "both"),
                    ports => (format!("{ports} ports, "), "all"),
                };
                format!(
                    "{ports}{kind} of {} bits at {} MB/s in each direction, {together} in {of_all}",
                    port.data_bits, port.peak_mb_s
                )
            }
        };
        text.push_str(&format!(
            "{name}\n    {}\n    {} MHz, {} kB of block RAM, {} DSP (18 x 18), {}\n    {} MB of memory, {port}\n",
            board.title,
            board.clock_mhz,
            board.block_ram_bits() / 8 / 1024,
            board.device.dsp_18x18,
            board.device.toolchain.name(),
            memory.capacity_bytes() >> 20,
        ));
    }
    print(&text)?;
    Ok(PASSED)
}

/// Writes a file.
fn write(path: &Path, text: &str) -> Result<()> {
    let write = || std::fs::write(path, text);
    // Writing to a pipe may have to wait for its reader.
    let written = if path.is_file() || !path.exists() { uninterrupted(write) } else { write() };
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// The options of the pipeline, checked against the kernel's own names and bounds. `set` gives the bound where neither
/// the source nor `--max` does.
/// `--port`, each array once.
fn ports(given: &[(String, u32)]) -> Result<BTreeMap<String, u32>> {
    let mut ports = BTreeMap::new();
    for (name, port) in given {
        if ports.insert(name.clone(), *port).is_some_and(|other| other != *port) {
            return Err(Diagnostic::new(format!("`--port {name}`: two ports for one array"))
                .help("give it once")
                .into());
        }
    }
    Ok(ports)
}

fn options(kernel: &Kernel, input: &Input, set: &BTreeMap<String, Number>) -> Result<Options> {
    let values::Bounds { min, max } = input.bounds(kernel)?;
    let fallback = kernel.parameters.iter().filter_map(|parameter| {
        let value = set.get(&parameter.name)?;
        Some((parameter.name.clone(), i64::try_from(value.whole()?).ok()?))
    });
    Ok(Options {
        fallback_max: fallback.collect(),
        max,
        min,
        lanes: Some(input.lanes.clone().unwrap_or(choose_lanes::Request::Usual)),
        units: input.units,
        allow_reassociation: input.allow_reassociation,
        tilings: None,
        layouts: vec![],
        uses: None,
        ports: ports(&input.port)?,
    })
}
