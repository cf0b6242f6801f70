//! One program through compiler, simulator and C compiler.

use std::collections::BTreeSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use anyhow::Result;
use burstc::board::Board;
use burstc::choose_lanes::{Request, UnitsRequest};
use burstc::diagnostic::Diagnostic;
use burstc::offload::Band;
use burstc::simulate::simulator::Simulator;
use burstc::simulate::{Outcome, Verdict, golden};
use burstc::source::Source;
use burstc::{Accelerator, Options};

use crate::common::{Data, Rig, Subject};
use crate::print::{self, Text};
use crate::program::{Memory, Program};

/// Longest time for the compiler, on the machine on which it was set, far above what any program may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The value of a scalar argument that a condition makes a size.
const SCALAR: i64 = 1;

/// How a program fared.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// With what the compiler made of the program, as the campaign's shares count it.
    Passed(Vec<&'static str>),
    /// The compiler said why it does not take the program.
    Refused(String),
    /// The C compiler's own levels of optimisation differ, and its sanitizer finds nothing that C leaves undefined: nobody
    /// can say what is right.
    Undecided(String),
    Failed(Failure),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub kind: Kind,
    pub detail: String,
    /// The run that failed, where it came to one.
    pub run: Option<FailedRun>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FailedRun {
    /// Index into the program's runs.
    pub run: usize,
    pub direct: bool,
    /// Options of `burstc run` that repeat it.
    pub options: String,
}

/// Accelerator and direct version.
pub const VERSIONS: [bool; 2] = [false, true];

/// Two failures of one kind are taken for the same while a program shrinks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The compiler gave up without a diagnostic, or panicked.
    Compiler,
    TooSlow,
    /// The C compiler does not take the program.
    Text,
    /// The C program.
    Oracle,
    /// A simulator refused the Verilog or broke off.
    Simulator,
    Outcome(Verdict),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.detail)
    }
}

/// Compiles a program and compares every run of the given versions with the C program. Lanes, then long strips
/// and then a tiling that the compiler refuses, because legality is its call, are dropped from the program; before all, layouts by
/// tiles of arrays that have none.
pub fn check(program: &mut Program, versions: &[bool]) -> Fate {
    let mut fate = attempt_with_layouts(program, versions);
    for bare in [Program::without_lanes, Program::without_long_strips, Program::without_tiles] {
        let bare = bare(program);
        if matches!(fate, Fate::Refused(_)) && bare != *program {
            *program = bare;
            fate = attempt_with_layouts(program, versions);
        }
    }
    fate
}

/// [`attempt`] without the layouts that are refused.
fn attempt_with_layouts(program: &mut Program, versions: &[bool]) -> Fate {
    loop {
        let fate = attempt(program, versions);
        let has_none = |array: &usize| {
            let refusal = format!("`{}` has no layout by tiles", print::array_name(program, *array));
            matches!(&fate, Fate::Refused(message) if message.starts_with(&refusal))
        };
        let Some(place) = program.by_tiles.iter().position(has_none) else { return fate };
        program.by_tiles.remove(place);
    }
}

fn attempt(program: &Program, versions: &[bool]) -> Fate {
    let text = print::text(program, "fuzz");
    let failed = |kind, detail: String, run| Fate::Failed(Failure { kind, detail, run });
    let wanted = Options {
        // What the command takes where nobody asks.
        lanes: Some(match &program.grid {
            Some(along) => Request::InTwo(along.clone()),
            None => program.lanes.map_or(Request::Usual, Request::Count),
        }),
        units: program.units.map(UnitsRequest::Count),
        // Without it, lanes refuse every sum of floating-point numbers.
        allow_reassociation: program.lanes.is_some(),
        ..Options::default()
    };
    let subject = match compile(text.c.clone(), program.board(), wanted) {
        None => {
            return failed(
                Kind::TooSlow,
                format!("no Verilog after {} s of processor time", patience().as_secs()),
                None,
            );
        }
        Some(Err(error)) => {
            return match error.downcast_ref::<Diagnostic>() {
                Some(diagnostic) if diagnostic.message.starts_with("the C compiler refuses") => {
                    failed(Kind::Text, diagnostic.help.clone(), None)
                }
                Some(diagnostic) => Fate::Refused(diagnostic.message.clone()),
                None => failed(Kind::Compiler, format!("{error:#}"), None),
            };
        }
        Some(Ok(subject)) => subject,
    };
    for &direct in versions {
        if direct && subject.accelerator.direct_files.is_empty() {
            continue;
        }
        let rig = match Rig::of(&subject, Simulator::Icarus, direct) {
            Ok(mut rig) => {
                rig.model.stalls = (program.memory != Memory::Ddr400).then(|| stalls(program));
                rig
            }
            Err(error) => return failed(Kind::Simulator, format!("{error:#}"), None),
        };
        let kernel = &subject.accelerator.offload.kernel;
        for (run, values) in program.runs.iter().enumerate() {
            // Where bounds wrap around, C may not even end.
            let value = |name: &str| program.sizes.iter().zip(values).find(|(size, _)| size.name == name);
            if kernel.refusal(|name| value(name).map_or(SCALAR, |(_, value)| *value)).is_some() {
                continue;
            }
            let mut set = arguments(program, &text, values);
            let known: BTreeSet<&str> = set.iter().map(|(name, _)| *name).collect();
            let others = kernel.parameters.iter().map(|parameter| parameter.name.as_str());
            let others: Vec<_> = others.filter(|name| !known.contains(name)).collect();
            set.extend(others.into_iter().map(|name| (name, i128::from(SCALAR))));
            let failed_run = Some(FailedRun { run, direct, options: options(&set, program, direct) });
            match rig.attempt(Data { set: &set, ranges: &[], seed: program.seed }) {
                Ok((Outcome::Pass, _)) => {}
                Ok((outcome, _)) => {
                    return failed(Kind::Outcome(outcome.verdict()), outcome.to_string(), failed_run);
                }
                Err(error) if is_compilers_fault(&error) => return Fate::Undecided(format!("{error:#}")),
                Err(error) => {
                    let kind = if error.is::<Diagnostic>() { Kind::Oracle } else { Kind::Simulator };
                    return failed(kind, format!("{error:#}"), failed_run);
                }
            }
        }
    }
    Fate::Passed(made(&subject.accelerator))
}

/// Whether the C compiler contradicts itself on a program that breaks no rule of C.
fn is_compilers_fault(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Diagnostic>().is_some_and(|diagnostic| {
        diagnostic.message.contains("-O0` than with `-O2`") && diagnostic.help.starts_with(golden::NO_CAUSE)
    })
}

/// What the shares count of an accelerator.
fn made(accelerator: &Accelerator) -> Vec<&'static str> {
    let statements = accelerator.offload.kernel.statements();
    let in_lanes = accelerator.offload.bands.iter().any(|band| band.compute.lanes.is_some());
    let in_two = Band::is_in_two;
    let says = |name: &str| accelerator.files.iter().any(|file| file.text.contains(name));
    let is_cut = |array: &burstc::source::kernel::Array| array.layout().slices().is_some();
    let buffers = || accelerator.offload.buffers.iter().map(|buffer| buffer.mappings.iter().flatten());
    let is_apart = accelerator.offload.kernel.arrays.iter().any(|array| array.name.contains("_band"));
    let all = [
        ("arrays in slices", accelerator.offload.kernel.arrays.iter().any(is_cut)),
        ("statements of several writes", statements.iter().any(|statement| !statement.also.is_empty())),
        ("words taken on their way", says("_is_on_its_way")),
        ("lanes made in two dimensions", accelerator.offload.bands.iter().any(in_two)),
        ("banks by the sum of residues", accelerator.offload.buffers.iter().any(|buffer| buffer.skewed)),
        ("groups along several subscripts of one port", says("_along")),
        ("buffers of a band alone", is_apart),
        ("products by powers of two", says("fp_scale #(")),
        ("rows cut by data", says("is_row_to_cut")),
        ("rows that take turns", accelerator.offload.bands.iter().any(|band| !band.compute.interleaved.is_empty())),
        ("written bits", accelerator.offload.kernel.arrays.iter().any(|array| array.masked)),
        (
            "written bits in lanes",
            accelerator.offload.kernel.arrays.iter().any(|array| array.masked)
                && accelerator.offload.most_lanes().is_some(),
        ),
        ("places of strips", buffers().flatten().any(|mapping| mapping.by_strips)),
        (
            "arguments made private",
            accelerator.offload.kernel.arrays.iter().any(|array| array.name.contains("_private")),
        ),
        ("units made", accelerator.offload.units() > 1),
        ("lanes that nobody asked for", accelerator.offload.lanes_note.is_some() && in_lanes),
    ];
    all.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

/// The compiled program, or `None` after too long. A panic becomes an error.
fn compile(text: String, board: Board, options: Options) -> Option<Result<Arc<Subject>>> {
    let (sender, receiver) = mpsc::channel();
    let (begun, place) = mpsc::channel();
    // A thread, because nothing can stop the compiler from outside: if it is too slow, the thread is left behind.
    let work = move || {
        let _ = begun.send(std::fs::read_link("/proc/thread-self"));
        let source = Source { path: "fuzz.c".into(), text, cpp_args: vec![] };
        let result = catch_unwind(AssertUnwindSafe(|| Subject::on(board, &source, &options)));
        let result = result.unwrap_or_else(|panic| {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(anyhow::anyhow!("panic: {message}"))
        });
        // Nobody listens any more if it took too long.
        let _ = sender.send(result);
    };
    // As much as burstc's own thread has; a test's threads have less.
    std::thread::Builder::new().stack_size(8 << 20).spawn(work).expect("threads can be started");
    let thread = place.recv().ok().and_then(Result::ok).map(|place| Path::new("/proc").join(place).join("stat"));
    let begin = Instant::now();
    loop {
        match receiver.recv_timeout(Duration::from_millis(200)) {
            Ok(result) => return Some(result),
            // Other programs that run beside it do not count, where the system tells.
            Err(_) => {
                let used = thread.as_ref().and_then(|thread| processor_time(thread));
                if used.unwrap_or_else(|| begin.elapsed()) > patience() || begin.elapsed() > 20 * patience() {
                    return None;
                }
            }
        }
    }
}

fn patience() -> Duration {
    PATIENCE.mul_f64(crate::processor::slowness())
}

/// Linux's fields 14 and 15, in hundredths of a second, behind the name in parentheses.
fn processor_time(stat: &Path) -> Option<Duration> {
    let text = std::fs::read_to_string(stat).ok()?;
    let fields: Vec<u64> = text.rsplit_once(')')?.1.split_whitespace().map(|f| f.parse().unwrap_or(0)).collect();
    Some(Duration::from_millis(10 * (fields.get(11)? + fields.get(12)?)))
}

/// The seed of the random back-pressure behind a bus.
fn stalls(program: &Program) -> u32 {
    1 + (program.seed % 1000) as u32
}

fn arguments<'p>(program: &'p Program, text: &Text, run: &[i64]) -> Vec<(&'p str, i128)> {
    text.sizes.iter().map(|&size| (program.sizes[size].name.as_str(), i128::from(run[size]))).collect()
}

fn options(set: &[(&str, i128)], program: &Program, direct: bool) -> String {
    let set: String = set.iter().map(|(name, value)| format!(" --set {name}={value}")).collect();
    let lanes = match (&program.grid, program.lanes) {
        (Some([(i, p), (j, q)]), _) => format!(" --lanes {i}:{p},{j}:{q}"),
        (None, Some(lanes)) => format!(" --lanes {lanes} --allow-reassociation"),
        (None, None) => String::new(),
    };
    let units = program.units.map_or(String::new(), |units| format!(" --units {units}"));
    let memory = match program.memory {
        Memory::Ddr400 => String::new(),
        Memory::Axi4 { bits } => {
            let (ports, stalls) = (program.ports(), stalls(program));
            format!(" --board generic-axi4 --bus-bits {bits} --ports {ports} --stalls {stalls}")
        }
    };
    let direct = if direct { " --direct" } else { "" };
    format!("--simulator icarus{set}{lanes}{units}{memory} --seed {}{direct}", program.seed)
}
