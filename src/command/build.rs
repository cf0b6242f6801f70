//! `burstc build`: the output folder.

use std::collections::BTreeMap;

use anyhow::Result;

use super::run::max_cycles;
use super::{Build, Emit, PASSED, compiled, options, print, progress::Progress, sample::Sample, values, watched};
use crate::board::Board;
use crate::hardware;
use crate::project::{BuildReport, Project, folder};
use crate::report::count::Work;
use crate::simulate::golden::Golden;
use crate::simulate::indices;
use crate::simulate::job::Job;
use crate::simulate::reordered::reordered;
use crate::source::program::Program;
use crate::{Options, Read, read};

/// Seed of the sample data.
const SAMPLE_SEED: u64 = 1;
/// The most bytes of arrays that a folder has data for.
const DATA_BYTES: u64 = 64 << 20;
/// Loops into which the count of its iterations looks; the bench gives up later where there are more.
const COUNTED: u64 = 20_000_000;

pub fn build(build: &Build, program: &Program) -> Result<u8> {
    let progress = Progress::new(build.input.quiet);
    progress.step("generating the accelerator");
    let board = build.input.board()?;
    let read = watched(program, || read(&program.source))?;
    let options = options(&read.kernel, &build.input, &BTreeMap::new())?;
    write_folder(build, program, &board, read, &options, &progress)?;
    Ok(PASSED)
}

/// The folder of the kernel that has been read, with these options.
pub fn write_folder(
    build: &Build,
    program: &Program,
    board: &Board,
    read: Read,
    options: &Options,
    progress: &Progress,
) -> Result<()> {
    let source = &program.source;
    let ranges = values::ranges(&read.kernel, &build.data)?;
    let accelerator = compiled(program, read, board, options)?;
    let kernel = &accelerator.offload.kernel;

    progress.step("running the C program for the bench's sample data");
    let capacity = board.memory.capacity_bytes();
    let chosen = Sample::of(&accelerator.offload);
    let set = chosen.settings();
    let mut sample = Job::without_data(kernel, &set, &ranges, capacity, SAMPLE_SEED)?;
    let (expected, unknown) = if sample.placement.image_bytes > DATA_BYTES && kernel.host.is_empty() {
        let (bytes, sizes) = (sample.placement.image_bytes, sample.sizes_text());
        (vec![], format!("the arrays take {bytes} bytes{sizes}: the bench has no data\n"))
    } else {
        sample = Job::with_ranges(kernel, &set, &ranges, capacity, SAMPLE_SEED)?;
        let golden = Golden::build(source, kernel)?.within(chosen.longest);
        if chosen.is_long && kernel.host.is_empty() {
            indices::check(&accelerator.offload, &sample)?;
            // Nobody simulates a run as long as that; what the host computes has to be known for it.
            let (seconds, sizes) = (chosen.longest.as_secs(), sample.sizes_text());
            let text = format!("the kernel, run as a C program, may take longer than {seconds} seconds{sizes}");
            (vec![], format!("{text}: the bench has no results to compare with\n"))
        } else {
            let image = indices::expected(golden, &accelerator.offload, &mut sample)?;
            (reordered(&accelerator.offload, &sample, &image).map_or(image, |reordered| reordered.image), String::new())
        }
    };

    progress.step("writing the folder");
    let top = hardware::top_name(&kernel.name);
    let report = BuildReport::new(&accelerator.offload, board, &top);
    let work = Work::of_program(&accelerator.offload, &sample.sizes, &mut COUNTED.clone());
    let work = work.unwrap_or(Work { iterations: u64::MAX, ..Work::default() });
    let project = Project {
        offload: &accelerator.offload,
        board,
        files: &accelerator.files,
        direct_files: &[],
        rust_hdl: build.emit.contains(&Emit::RustHdl).then_some(&accelerator.ports[..]),
        sample: &sample,
        expected: &expected,
        max_cycles: max_cycles(&work),
        report: &report.to_json()?,
    };
    folder::write(&build.out, &project.files()?, build.force)?;
    progress.end();
    print(&format!(
        "{top} for {} is in {}: {} Verilog files, generated in {} ms\n{}{unknown}README.md there says how to simulate it and how to open the project\n",
        board.name,
        build.out.display(),
        accelerator.files.len(),
        accelerator.generate_ms,
        chosen.note()
    ))
}
