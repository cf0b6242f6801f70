//! `burstc run`: generate, simulate, compare, report.

use std::path::Path;

use anyhow::Result;

use super::{
    FAILED, Output, PASSED, Run, compiled, options, places, print, progress::Progress, sample, say, terminal, values,
    watched, write,
};
use crate::board::Board;
use crate::diagnostic::Diagnostic;
use crate::hardware::{self, VerilogFile};
use crate::offload::Offload;
use crate::page::Page;
use crate::process::Scratch;
use crate::project::{File, Project, folder};
use crate::read;
use crate::report::area::Area;
use crate::report::count::Work;
use crate::report::ports;
use crate::report::{Bound, Estimate, Facts, Places, RunReport};
use crate::simulate::bench::{Bench, MemoryModel};
use crate::simulate::golden::Golden;
use crate::simulate::indices;
use crate::simulate::job::Job;
use crate::simulate::own_data::OwnData;
use crate::simulate::reordered::reordered;
use crate::simulate::simulator::{self, RunInputs, RunOutput, Simulator, Waveform};
use crate::simulate::timeline::Timeline;
use crate::simulate::view::View;
use crate::simulate::{Outcome, Verdict, judge, verilator};
use crate::source::Source;
use crate::source::kernel::Kernel;
use crate::source::program::Program;

pub fn run(run: &Run, program: &Program) -> Result<u8> {
    let source = &program.source;
    let progress = Progress::new(run.input.quiet);
    progress.step("generating the accelerator");
    let board = board(run)?;
    let read = watched(program, || read(source))?;
    let kernel = &read.kernel;
    let own = own_data(run, program, kernel, &progress)?;
    let values = own.as_ref().map_or_else(|| run.set.clone(), |(own, read)| own.settings(read));
    has_direct_version(run, kernel)?;
    let set = values::settings(kernel, &values, &run.input.bounds(kernel)?)?;
    let ranges = values::ranges(kernel, &run.data)?;
    let options = options(kernel, &run.input, &set)?;
    let accelerator = compiled(program, read, &board, &options)?;
    let (offload, kernel) = (&accelerator.offload, &accelerator.offload.kernel);
    // The analysis has chosen layouts.
    has_direct_version(run, kernel)?;

    progress.step("running the C program");
    let set = sample::completed(kernel, set);
    let mut job = Job::with_ranges(kernel, &set, &ranges, board.memory.capacity_bytes(), run.seed)?;
    let image = after(source, offload, &mut job, own.as_ref())?;
    let reordered = reordered(offload, &job, &image);
    let expected = reordered.as_ref().map_or(&image, |reordered| &reordered.image);
    let work = Work::of(offload, &job.sizes);
    let scratch = Scratch::new("burstc-run-")?;
    let expected_cycles = expected_cycles(offload, &work, run.direct);
    let simulator = simulator(run.simulator, offload, &board, expected_cycles);
    let bench = Subject {
        simulator,
        progress: &progress,
        kernel,
        job: &job,
        max_cycles: max_cycles(&work),
        around: around(&board, simulator, job.image.len() as u64).with_ports(&offload.ports_used()),
        model: run.memory.on(&board),
        scratch: scratch.path(),
        trace: run.waveform.as_ref().map(|(format, _)| *format),
    };
    let project = |report| Project {
        offload,
        board: &board,
        files: &accelerator.files,
        direct_files: if run.direct { &accelerator.direct_files } else { &[] },
        rust_hdl: None,
        sample: &job,
        expected,
        max_cycles: bench.max_cycles,
        report,
    };
    if let Some(target) = &run.keep {
        folder::check_files(target, &project("").files()?, run.force)?;
    }
    let waveform = run.waveform.as_ref().map(|_| scratch.path().join("signals"));
    let around = if run.html.is_some() { bench.telling(offload, &work) } else { bench.around };
    let (outcome, output) =
        bench.simulate(around, &accelerator.files, &hardware::top_name(&kernel.name), waveform.as_deref(), expected)?;
    let direct = if run.direct { Some(bench.direct(&accelerator.direct_files, &image)?) } else { None };

    let (verdict, detail) =
        explained(summary(&outcome, direct.as_ref().map(|(outcome, _)| outcome)), source, &job, kernel);
    let work = work.of_run(offload, &job.sizes, output.counters.compute_busy);
    let bound = Bound::of(offload, &board, &work, &job.sizes);
    let report = RunReport::new(Facts {
        offload,
        board: &board,
        simulator: bench.simulator,
        verdict,
        detail,
        counters: &output.counters,
        memory: run.memory,
        direct: direct.as_ref().map(|(_, output)| &output.counters),
        work,
        moved: ports::of_run(offload, &job.sizes),
        bound,
        estimate: Estimate::of(offload, &board, &job.sizes),
        seed: run.seed,
        arguments: job.scalars(kernel),
        generate_ms: accelerator.generate_ms,
        difference: reordered.as_ref().map(|reordered| reordered.difference),
    });
    let json = report.to_json()?;
    let verilog = match &run.keep {
        Some(target) => Some((target.as_path(), project(&json).files()?)),
        None => None,
    };
    let view = View { shown: &accelerator.shown, simulator: bench.simulator, first_tile: output.first_tile };
    let places = deliver(run, verilog, waveform.as_deref(), &view, &json)?;
    let text = report.table(&places);
    let page = Page {
        program,
        offload,
        board: &board,
        sizes: &job.sizes,
        report: Some(&report),
        timeline: Some(&output.timeline),
        placement: Some(&job.placement),
        json: &json,
        text: &text,
    };
    draw(run, &page, &progress)?;
    drop(progress);
    tell(run, &text, &json)?;
    Ok(if verdict == Verdict::Pass { PASSED } else { FAILED })
}

/// Refuses `--direct` for a kernel of which there is no such version.
fn has_direct_version(run: &Run, kernel: &Kernel) -> Result<()> {
    match kernel.without_direct_version().filter(|_| run.direct) {
        None => Ok(()),
        Some(why) => {
            let refused = Diagnostic::new(format!("{why}: there is no direct version to compare with"));
            Err(refused.at(kernel.span, "this kernel").help("leave out --direct").into())
        }
    }
}

/// What the program around the region says of its data, if they are asked for, and the kernel as it was read.
fn own_data(run: &Run, program: &Program, kernel: &Kernel, progress: &Progress) -> Result<Option<(OwnData, Kernel)>> {
    if !run.own_data {
        return Ok(None);
    }
    progress.step("running the program up to the region");
    Ok(Some((OwnData::of(program, kernel)?, kernel.clone())))
}

/// The memory as the C program leaves it.
pub fn after(source: &Source, offload: &Offload, job: &mut Job, own: Option<&(OwnData, Kernel)>) -> Result<Vec<u8>> {
    let kernel = &offload.kernel;
    let Some((own, read)) = own else {
        return indices::expected(Golden::build(source, kernel)?, offload, job);
    };
    own.fill(read, kernel, job)?;
    // Data that are the program's own are not changed, whatever they are divided by.
    let image = Golden::build(source, kernel)?.run(job)?;
    own.check(read, kernel, job, &image)?;
    indices::check(offload, job)?;
    Ok(image)
}

/// Refuses what could not be written in the end, before anything is done for it.
pub fn check_places(run: &Run) -> Result<()> {
    if let Some(target) = &run.keep {
        folder::check(target, run.force)?;
    }
    let mut results: Vec<places::Named> = vec![];
    if let Some((format, path)) = &run.waveform {
        results.push((if *format == Waveform::Vcd { "--vcd" } else { "--fst" }, path));
    }
    if let Some(Output::File(path)) = &run.json {
        results.push(("--json", path));
    }
    results.extend(run.html.as_deref().map(|path| ("--html", path)));
    places::check_files(&results, &places::read(&run.input))
}

/// The board, if the options are for its memory.
fn board(run: &Run) -> Result<Board> {
    let board = run.input.board()?;
    if board.memory.bus().is_none() && run.memory != MemoryModel::default() {
        let message =
            format!("the memory of {} is not behind a bus: its model has the device's own timing", board.name);
        return Err(Diagnostic::new(message).help("leave out --latency, --bandwidth and --stalls").into());
    }
    Ok(board)
}

/// Writes the folder, the waveform with its views and the JSON where the user wants them.
fn deliver(
    run: &Run,
    folder: Option<(&Path, Vec<File>)>,
    waveform: Option<&Path>,
    view: &View,
    json: &str,
) -> Result<Places> {
    let mut places = Places { html: run.html.clone(), ..Places::default() };
    if let Some((target, files)) = folder {
        folder::write(target, &files, run.force)?;
        places.verilog = Some(target.join("rtl"));
    }
    if let (Some(from), Some((format, to))) = (waveform, &run.waveform) {
        simulator::deliver(from, to)?;
        places.waveform = Some((*format, to.clone()));
        // A device or a pipe has nothing beside it.
        if to.is_file() {
            for (path, text) in view.files(&to.canonicalize()?)? {
                path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
                write(&path, &text)?;
            }
            places.view = Some(to.with_extension("gtkw"));
        }
    }
    if let Some(Output::File(path)) = &run.json {
        write(path, json)?;
        places.json = Some(path.clone());
    }
    Ok(places)
}

/// Writes the page, if it is asked for.
fn draw(run: &Run, page: &Page, progress: &Progress) -> Result<()> {
    let Some(path) = &run.html else { return Ok(()) };
    progress.step("drawing the page");
    write(path, &page.html(&terminal::command_line())?)
}

/// Prints the report: where standard output is for the program that reads the JSON, the table goes beside it.
fn tell(run: &Run, table: &str, json: &str) -> Result<()> {
    if run.json == Some(Output::Standard) {
        say(table);
        print(json)
    } else {
        print(table)
    }
}

/// The simulator that is asked for, or the faster one for so many cycles.
pub fn simulator(asked: Option<Simulator>, offload: &Offload, board: &Board, cycles: u64) -> Simulator {
    asked.unwrap_or_else(|| Simulator::for_run(cycles, Area::of(offload, &board.device).aluts))
}

/// The bench of a board whose memory holds so many bytes.
pub fn around(board: &Board, simulator: Simulator, bytes: u64) -> Bench {
    match simulator {
        Simulator::Icarus => Bench::of(board).just_holding(bytes),
        Simulator::Verilator => Bench::of(board).holding(bytes),
    }
}

/// What every simulation of a run shares.
pub struct Subject<'a> {
    pub simulator: Simulator,
    pub progress: &'a Progress,
    pub kernel: &'a Kernel,
    pub job: &'a Job,
    pub max_cycles: u64,
    /// The accelerator's.
    pub around: Bench,
    pub model: MemoryModel,
    pub scratch: &'a Path,
    /// The format of the waveform, where one is wanted.
    pub trace: Option<Waveform>,
}

impl Subject<'_> {
    /// Its bench, telling what a page shows: of the accelerator, however long the direct version takes.
    fn telling(&self, offload: &Offload, work: &Work) -> Bench {
        let cycles = expected_cycles(offload, work, false);
        self.around.telling_every((cycles / Timeline::SLICES).next_power_of_two())
    }

    /// The direct version, which keeps the source's order.
    fn direct(&self, files: &[VerilogFile], expected: &[u8]) -> Result<(Outcome, RunOutput)> {
        let around = self.around.with_ports(&[0]);
        self.simulate(around, files, &hardware::direct_top(&self.kernel.name), None, expected)
    }

    pub fn simulate(
        &self,
        around: Bench,
        files: &[VerilogFile],
        top: &str,
        waveform: Option<&Path>,
        expected: &[u8],
    ) -> Result<(Outcome, RunOutput)> {
        let simulator = self.simulator;
        self.progress.step(&format!("compiling {top} for {simulator}"));
        let (work, kept) = (self.scratch.join(top), verilator::cache());
        let trace = self.trace.filter(|_| waveform.is_some());
        let simulation = simulator::build_in(around, files, top, simulator, trace, &work, kept.as_deref())?;
        self.progress.step(&format!("simulating {top} with {simulator}"));
        let registers = self.job.registers(self.kernel);
        let inputs = RunInputs { image: &self.job.image, registers: &registers, max_cycles: self.max_cycles, waveform };
        let output = simulation.run_with(&inputs, self.model)?;
        Ok((judge(self.job, expected, &output, self.max_cycles), output))
    }
}

/// After so many cycles no design that works is still busy: 1 us for every access, and as much to begin with as a
/// strip or two may take.
pub fn max_cycles(work: &Work) -> u64 {
    work.iterations.saturating_add(work.accesses).saturating_mul(100).saturating_add(100_000)
}

/// About the cycles of the longest simulation of a run: the accelerator's are those of its iterations or those of the
/// memory's words, the direct version waits for every access.
pub fn expected_cycles(offload: &Offload, work: &Work, direct: bool) -> u64 {
    const CYCLES_PER_ACCESS: u64 = 6;
    let lanes = offload.bands.iter().map(|band| band.compute.lanes.as_ref().map_or(1, |lanes| lanes.count as u64));
    let iterations = work.iterations / lanes.min().unwrap_or(1).max(1) / offload.units().max(1) as u64;
    let words = (work.bytes_read + work.bytes_written) / 4;
    iterations.max(words).max(if direct { CYCLES_PER_ACCESS * work.accesses } else { 0 })
}

/// A mismatch with the operation that C leaves undefined, if there is one.
fn explained((verdict, detail): (Verdict, String), source: &Source, job: &Job, kernel: &Kernel) -> (Verdict, String) {
    let find = || Golden::build(source, kernel).ok()?.undefined(job);
    match if verdict == Verdict::Mismatch { find() } else { None } {
        Some(cause) => (
            verdict,
            format!("{detail}; C leaves undefined what the kernel does with these data (--data gives others): {cause}"),
        ),
        None => (verdict, detail),
    }
}

/// The accelerator's fault, or else the direct version's, in words.
fn summary(outcome: &Outcome, direct: Option<&Outcome>) -> (Verdict, String) {
    match (outcome, direct) {
        (Outcome::Pass, None | Some(Outcome::Pass)) => (Verdict::Pass, String::new()),
        (Outcome::Pass, Some(direct)) => (direct.verdict(), format!("direct version: {direct}")),
        (outcome, _) => (outcome.verdict(), outcome.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_the_direct_version_fails_the_run() {
        let late = Outcome::TimedOut { cycles: 9 };
        assert_eq!(summary(&Outcome::Pass, Some(&Outcome::Pass)).0, Verdict::Pass);
        let (verdict, detail) = summary(&Outcome::Pass, Some(&late));
        assert_eq!((verdict, detail.as_str()), (Verdict::TimeOut, "direct version: time-out: not done after 9 cycles"));
        assert_eq!(summary(&late, None).1, "time-out: not done after 9 cycles");
    }
}
