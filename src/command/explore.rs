//! `burstc explore`: the estimates of many designs, the simulation of those near the front, and the front.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use sha2::{Digest as _, Sha256};

use super::progress::{Bar, Progress};
use super::run::{Subject, after, around, expected_cycles, max_cycles, simulator};
use super::terminal::{command_line, tell_fault};
use super::{
    Assignment, Build, FAILED, FAULT, Input, PASSED, REFUSED, RangeAssignment, build, options, places, print, sample,
    say, tell, values, watched, write,
};
use crate::board::Board;
use crate::buffer::blocks;
use crate::diagnostic::{Diagnostic, Fault};
use crate::explore::{
    Candidate, Design, Estimate, Finding, Fixed, Head, Journal, Page, Pick, Row, SCHEMA, Shard, Simulated, Summary,
    Wanted, designs, front, near, pick,
};
use crate::offload::Offload;
use crate::process::Scratch;
use crate::project::folder;
use crate::report::area::Area;
use crate::report::count::Work;
use crate::report::expected::Expected;
use crate::simulate::Verdict;
use crate::simulate::bench::MemoryModel;
use crate::simulate::job::Job;
use crate::simulate::number::Number;
use crate::simulate::random::Range;
use crate::simulate::reordered::reordered;
use crate::simulate::simulator::Simulator;
use crate::source::kernel::Kernel;
use crate::source::program::Program;
use crate::{Options, Read, analyze_read, budget, compile_read, diagnostic_render, hardware, prepare_read};
use crate::{printable::on_one_line, process, read};

/// Loops into which the count of a design's bytes looks.
const COUNTED: u64 = 20_000_000;

#[derive(Clone, Debug)]
pub struct Explore {
    pub input: Input,
    /// Values of scalar arguments.
    pub set: Vec<Assignment>,
    /// Ranges of random data.
    pub data: Vec<RangeAssignment>,
    pub seed: u64,
    /// Chosen by the expected cycles where there is none.
    pub simulator: Option<Simulator>,
    /// Designs that are looked at, beside the file as it is.
    pub limit: usize,
    /// Designs that are simulated.
    pub simulate: usize,
    /// Past it no other design is begun.
    pub budget: Duration,
    /// Results as JSON lines, from which a later exploration goes on.
    pub out: Option<PathBuf>,
    /// A part of the designs.
    pub shard: Option<Shard>,
    /// Results of all shards.
    pub merge: Vec<PathBuf>,
    /// A page with all designs and the front.
    pub html: Option<PathBuf>,
    /// A design for the folder `output`.
    pub pick: Option<Pick>,
    pub output: Option<PathBuf>,
    /// Replace that folder even where burstc did not write it.
    pub force: bool,
}

impl Explore {
    /// For `simulate`: all designs, those near the front and those that are not.
    pub const ALL: usize = usize::MAX;
}

/// Refuses what could not be written in the end, before anything is done for it.
pub fn check_places(explore: &Explore) -> Result<()> {
    let out = explore.out.as_deref().map(|path| ("--out", path));
    let html = explore.html.as_deref().map(|path| ("--html", path));
    let results: Vec<places::Named> = out.into_iter().chain(html).collect();
    places::check_files(&results, &places::read(&explore.input))?;
    // `--out` may go on from one of the files that are joined: nothing of that is lost.
    let joined: Vec<places::Named> = explore.merge.iter().map(|path| ("one of --merge", path.as_path())).collect();
    places::check_files(html.as_slice(), &joined)?;
    match &explore.output {
        Some(folder) => folder::check(folder, explore.force),
        None => Ok(()),
    }
}

pub fn explore(explore: &Explore, program: &Program) -> Result<u8> {
    let progress = Progress::in_terminal(explore.input.quiet);
    progress.step("finding the designs");
    let subject = Exploration::new(explore, program)?;
    let list = subject.designs()?;
    let mut journal = subject.journal(&list)?;
    progress.end();
    let shard = explore.shard.unwrap_or(Shard::WHOLE);
    let own: Vec<usize> = (0..list.len()).filter(|place| shard.has(*place)).collect();
    subject.estimate(&list, &own, &mut journal)?;
    let chosen = subject.chosen(&list, &own, &journal);
    subject.simulate(&list, &chosen.places, &mut journal)?;
    let summary = subject.summary(&list, &own, &chosen, &journal);
    if let Some(shard) = explore.shard {
        print(&format!("shard {shard}: {}\n", summary.counts()))?;
    } else {
        print(&summary.table())?;
    }
    if subject.is_over() && summary.left > 0 {
        let how = match journal.path() {
            Some(path) => format!("the same command goes on from {}", path.display()),
            None => "with --out FILE, the same command would go on from there".to_string(),
        };
        say(&format!("the time was over before {} designs were looked at: {how}\n", summary.left));
    }
    if let Some(path) = &explore.html {
        let rows: Vec<Row> = own.iter().filter_map(|place| subject.row(&list, *place, &journal)).collect();
        let page = Page { summary: &summary, rows: &rows, text: &summary.table() };
        write(path, &page.html(&command_line())?)?;
    }
    let code = subject.tell_failures(&list, &chosen.places, &journal);
    if code != PASSED {
        return Ok(code);
    }
    subject.build(&list, &summary, &progress)?;
    Ok(PASSED)
}

/// Designs that are to be simulated.
struct Chosen {
    places: Vec<usize>,
    /// How many are near the front.
    near: usize,
}

/// What all designs have in common.
struct Exploration<'a> {
    explore: &'a Explore,
    program: &'a Program,
    begin: Instant,
    board: Board,
    read: Read,
    options: Options,
    ranges: BTreeMap<String, Range>,
    set: BTreeMap<String, Number>,
    sizes: BTreeMap<String, i64>,
    /// What `burstc run` makes of the file.
    usual: Offload,
    /// The kernel that is analysed; its defaults are the sizes of the exploration.
    kernel: Kernel,
    /// Whether there was a design that shows a fault of burstc.
    has_fault: Cell<bool>,
}

impl<'a> Exploration<'a> {
    fn new(explore: &'a Explore, program: &'a Program) -> Result<Self> {
        let begin = Instant::now();
        let board = explore.input.board()?;
        let read = watched(program, || read(&program.source))?;
        let set = values::settings(&read.kernel, &explore.set, &explore.input.bounds(&read.kernel)?)?;
        let ranges = values::ranges(&read.kernel, &explore.data)?;
        let options = options(&read.kernel, &explore.input, &set)?;
        let usual = watched(program, || analyze_read(read.clone(), &board, &options))?;
        tell(program, &usual.kernel);
        let set = sample::completed(&usual.kernel, set);
        let sizes = Job::with_ranges(&usual.kernel, &set, &ranges, board.memory.capacity_bytes(), explore.seed)?.sizes;
        let mut kernel = watched(program, || prepare_read(read.clone(), &board, &options))?;
        for parameter in &mut kernel.parameters {
            parameter.default = sizes.get(&parameter.name).copied().or(parameter.default);
        }
        Ok(Exploration {
            explore,
            program,
            begin,
            board,
            read,
            options,
            ranges,
            set,
            sizes,
            usual,
            kernel,
            has_fault: Cell::new(false),
        })
    }

    fn designs(&self) -> Result<Vec<Design>> {
        let Explore { input, limit, .. } = self.explore;
        // Arrays that are on a port want it to be there.
        let ports = Fixed { bits: input.bus_bits.is_some(), count: input.ports.is_some() || !input.port.is_empty() };
        let wanted = Wanted { limit: *limit, lanes: input.lanes.as_ref(), units: input.units, ports };
        let found = watched(self.program, || designs(&self.kernel, &self.usual, &self.board, wanted));
        found.map_err(|error| budget::refusal(error, &self.kernel))
    }

    /// What is known already.
    fn journal(&self, list: &[Design]) -> Result<Journal> {
        let Explore { out, merge, .. } = self.explore;
        let head = self.head()?;
        let mut known = Journal::new(head.clone());
        for path in merge {
            known.merge(path)?;
        }
        if !merge.is_empty() {
            let missing: Vec<&Design> = list.iter().filter(|own| known.estimate(&own.directives).is_none()).collect();
            if let Some(first) = missing.first() {
                let message = format!("{} of {} designs are in none of the files", missing.len(), list.len());
                let example = first.directives.first().cloned().unwrap_or("the file as it is".to_string());
                return Err(Diagnostic::new(format!("{message}, the first is: {example}"))
                    .help("repeat the shards that were ended, each goes on from its file; all with one --limit")
                    .into());
            }
        }
        let Some(path) = out else { return Ok(known) };
        let mut journal = Journal::open(head, path)?;
        merge.iter().try_for_each(|path| journal.merge(path))?;
        Ok(journal)
    }

    fn head(&self) -> Result<Head> {
        let Explore { input, seed, .. } = self.explore;
        let mut digest = Sha256::new();
        for part in [
            serde_json::to_string(&self.kernel)?,
            serde_json::to_string(&self.board)?,
            format!("{:?} {:?} {:?} {:?} {seed}", input.lanes, input.units, self.set, self.ranges),
        ]
        .into_iter()
        .chain((!input.port.is_empty()).then(|| format!("{:?}", input.port)))
        {
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
        Ok(Head {
            schema: SCHEMA,
            burstc: env!("CARGO_PKG_VERSION").to_string(),
            kernel: self.kernel.name.clone(),
            board: self.board.name.clone(),
            sizes: self.sizes.clone(),
            digest: digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }

    fn is_over(&self) -> bool {
        self.begin.elapsed() > self.explore.budget
    }

    /// What is read, with the design's directives.
    fn options(&self, design: &Design) -> Options {
        let Design { tilings, layouts, uses, .. } = design.clone();
        Options { tilings, layouts, uses, ..self.options.clone() }
    }

    /// What the command line would have for the design, and the board that it means.
    fn input(&self, design: &Design) -> Result<(Input, Board)> {
        let mut input = self.explore.input.clone();
        let Some(ports) = design.ports else { return Ok((input, self.board.clone())) };
        input.bus_bits = Some(ports.bits);
        input.ports = ports.count;
        let board = input.board()?;
        Ok((input, board))
    }

    /// `work` on a design. Where that takes too much time or memory the process ends, and the next one leaves the design out.
    fn watched<T>(&self, design: &Design, journal: &Journal, work: impl FnOnce() -> T) -> Result<T> {
        let last = journal.last_line(&design.directives, "burstc takes too long, or too much memory")?;
        let (path, text) = (on_one_line(&self.program.user.path), self.program.user.text.clone());
        let places = self.program.places.clone();
        let _watch = budget::watch(move |diagnostic| {
            if let Some((path, line)) = &last {
                let file = std::fs::OpenOptions::new().append(true).open(path);
                let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
            }
            say(&diagnostic_render::render(&places.diagnostic(diagnostic), &path, &text));
            process::end(REFUSED.into());
        });
        Ok(work())
    }

    /// Looks at the designs in these places of the list.
    fn estimate(&self, list: &[Design], own: &[usize], journal: &mut Journal) -> Result<()> {
        let left: Vec<&Design> = own.iter().map(|place| &list[*place]).collect();
        let left: Vec<_> = left.into_iter().filter(|own| journal.estimate(&own.directives).is_none()).collect();
        let bar = Bar::new(self.explore.input.quiet, "looking at designs", left.len());
        for design in left {
            if self.is_over() {
                break;
            }
            let finding = self.watched(design, journal, || self.finding(design))??;
            journal.add(&design.directives, finding)?;
            bar.step();
        }
        Ok(())
    }

    fn finding(&self, design: &Design) -> Result<Finding> {
        let (_, board) = self.input(design)?;
        let offload = match analyze_read(self.read.clone(), &board, &self.options(design)) {
            Ok(offload) => offload,
            Err(error) if error.is::<Diagnostic>() => return Ok(Finding::Refused(error.to_string())),
            Err(error) if error.is::<Fault>() => {
                let reason = format!("a fault of burstc: {error:#}");
                tell_fault(&format!("with {}: {error:#}", design.directives.join("; ")));
                self.has_fault.set(true);
                return Ok(Finding::Refused(reason));
            }
            Err(error) => return Err(error),
        };
        let device = &self.board.device;
        let area = Area::of(&offload, device);
        let work = Work::within(&offload, &self.sizes, COUNTED);
        let chosen = match design.tilings.is_none() {
            true => offload.directives(),
            false => vec![],
        };
        Ok(Finding::Estimate(Estimate {
            cycles: Expected::of(&offload, &board, &self.sizes).cycles().round() as u64,
            bytes: work.map(|work| work.bytes_read + work.bytes_written),
            block_ram_bits: blocks::bits(&offload.kernel, &offload.buffers) as u64,
            block_rams: area.blocks,
            aluts: area.aluts,
            multipliers: area.multipliers,
            port_bits: board.memory.bus().map_or(0, |bus| offload.ports_used().len() as u64 * u64::from(bus.data_bits)),
            chosen,
        }))
    }

    fn candidate(&self, place: usize, cycles: u64, estimate: &Estimate) -> Candidate {
        let device = &self.board.device;
        let (logic, memory) = (estimate.logic(device), estimate.memory(&self.board));
        Candidate { place, cycles: cycles as f64, logic, memory, ports: estimate.port_bits as f64 }
    }

    /// Those of the places whose designs are to be simulated: the file as it is, and what is near the front.
    fn chosen(&self, list: &[Design], own: &[usize], journal: &Journal) -> Chosen {
        let estimated = own.iter().filter_map(|place| {
            let estimate = journal.estimate(&list[*place].directives)?.as_ref().ok()?;
            Some(self.candidate(*place, estimate.cycles, estimate))
        });
        let all: Vec<Candidate> = estimated.collect();
        let most = self.explore.simulate;
        if most == Explore::ALL {
            let (_, near) = near(&all, 0);
            return Chosen { places: all.iter().map(|own| own.place).collect(), near };
        }
        let first = all.iter().find(|own| own.place == 0).filter(|_| most > 0).map(|own| own.place);
        let (others, near) = near(&all, most);
        let mut places: Vec<usize> = first.into_iter().collect();
        places.extend(others.into_iter().filter(|place| Some(*place) != first));
        places.truncate(most);
        Chosen { places, near }
    }

    fn simulate(&self, list: &[Design], places: &[usize], journal: &mut Journal) -> Result<()> {
        let left: Vec<&Design> = places.iter().map(|place| &list[*place]).collect();
        let left: Vec<_> = left.into_iter().filter(|own| journal.simulated(&own.directives).is_none()).collect();
        let bar = Bar::new(self.explore.input.quiet, "simulating designs", left.len());
        for design in left {
            if self.is_over() {
                break;
            }
            let simulated = self.simulated(design, journal)?;
            journal.add(&design.directives, Finding::Simulated(simulated))?;
            bar.step();
        }
        Ok(())
    }

    /// Generates and simulates a design, as `burstc run` does.
    fn simulated(&self, design: &Design, journal: &Journal) -> Result<Simulated> {
        let Exploration { explore, program, .. } = self;
        let (_, board) = self.input(design)?;
        let (source, options) = (&program.source, self.options(design));
        let compile = || compile_read(self.read.clone(), source, &board, &options);
        let accelerator = self.watched(design, journal, compile)??;
        let (offload, kernel) = (&accelerator.offload, &accelerator.offload.kernel);
        let capacity = board.memory.capacity_bytes();
        let mut job = Job::with_ranges(kernel, &self.set, &self.ranges, capacity, explore.seed)?;
        let image = after(source, offload, &mut job, None)?;
        let reordered = reordered(offload, &job, &image);
        let expected = reordered.as_ref().map_or(&image, |reordered| &reordered.image);
        let work = Work::of(offload, &job.sizes);
        let cycles = expected_cycles(offload, &work, false);
        let simulator = simulator(explore.simulator, offload, &board, cycles);
        let scratch = Scratch::new("burstc-explore-")?;
        let subject = Subject {
            simulator,
            progress: &Progress::in_terminal(true),
            kernel,
            job: &job,
            max_cycles: max_cycles(&work),
            around: around(&board, simulator, job.image.len() as u64).with_ports(&offload.ports_used()),
            model: MemoryModel::default().on(&board),
            scratch: scratch.path(),
            trace: None,
        };
        let top = hardware::top_name(&kernel.name);
        let (outcome, output) = subject.simulate(subject.around, &accelerator.files, &top, None, expected)?;
        let result = outcome.verdict();
        let detail = if result == Verdict::Pass { String::new() } else { outcome.to_string() };
        Ok(Simulated { result, cycles: output.counters.cycles, detail })
    }

    /// What is known of the design in this place, `None` where there is no such design.
    fn row(&self, list: &[Design], place: usize, journal: &Journal) -> Option<Row> {
        let directives = list[place].directives.clone();
        let estimate = journal.estimate(&directives)?.as_ref().ok()?.clone();
        let simulated = journal.simulated(&directives).filter(|_| self.explore.simulate > 0).cloned();
        let cycles = simulated.as_ref().map_or(estimate.cycles, |own| own.cycles);
        let candidate = self.candidate(place, cycles, &estimate);
        Some(Row { candidate, directives, estimate, simulated })
    }

    /// The front of what was simulated; of the estimates where nothing was to be.
    fn summary(&self, list: &[Design], own: &[usize], chosen: &Chosen, journal: &Journal) -> Summary<'_> {
        let row = |place: usize| self.row(list, place, journal);
        let passed = |row: &Row| row.simulated.as_ref().is_some_and(|own| own.result == Verdict::Pass);
        let rows: Vec<Row> = match self.explore.simulate {
            0 => own.iter().filter_map(|place| row(*place)).collect(),
            _ => chosen.places.iter().filter_map(|place| row(*place)).filter(passed).collect(),
        };
        let candidates: Vec<Candidate> = rows.iter().map(|row| row.candidate).collect();
        let of = |own: Candidate| rows.iter().find(|row| row.candidate.place == own.place).cloned();
        let known = |place: &&usize| journal.estimate(&list[**place].directives);
        let sizes: Vec<String> = self.sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        Summary {
            kernel: &self.kernel.name,
            board: &self.board,
            sizes: sizes.join(", "),
            designs: own.len(),
            refused: own.iter().filter(|place| known(place).is_some_and(Result::is_err)).count(),
            left: own.iter().filter(|place| known(place).is_none()).count(),
            near: chosen.near,
            simulated: rows.iter().filter(|row| row.simulated.is_some()).count(),
            front: front(&candidates).into_iter().filter_map(of).collect(),
            usual: rows.iter().find(|row| row.candidate.place == 0).cloned(),
        }
    }

    /// Says which simulations went wrong; the exit code.
    fn tell_failures(&self, list: &[Design], places: &[usize], journal: &Journal) -> u8 {
        let mut code = if self.has_fault.get() { FAULT } else { PASSED };
        for place in places {
            let directives = &list[*place].directives;
            let Some(simulated) = journal.simulated(directives).filter(|own| own.result != Verdict::Pass) else {
                continue;
            };
            say(&format!("error: {} with {}\n", simulated.detail, directives.join("; ")));
            code = code.max(FAILED);
        }
        code
    }

    /// Writes the folder of the design that is picked.
    fn build(&self, list: &[Design], summary: &Summary, progress: &Progress) -> Result<()> {
        let Explore { data, force, .. } = self.explore;
        let (Some(wanted), Some(out)) = (self.explore.pick, &self.explore.output) else { return Ok(()) };
        let candidates: Vec<Candidate> = summary.front.iter().map(|row| row.candidate).collect();
        let Some(picked) = pick(&candidates, wanted) else {
            return Err(Diagnostic::new(format!("there is no {} design", wanted.name()))
                .help("none could be made: raise --limit or --simulate, or ask `burstc run` for the reason")
                .into());
        };
        let design = &list[picked.place];
        let (input, board) = self.input(design)?;
        let build = Build { input, data: data.clone(), emit: vec![], out: out.clone(), force: *force };
        let options = self.options(design);
        print(&format!("the {} design:\n", wanted.name()))?;
        build::write_folder(&build, self.program, &board, self.read.clone(), &options, progress)
    }
}
