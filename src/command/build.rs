//! `burstc build`: the output folder.

use std::collections::BTreeMap;

use anyhow::Result;

use super::run::max_cycles;
use super::{Build, Emit, PASSED, options, print, progress::Progress, values};
use crate::compile;
use crate::project::{BuildReport, Project, folder};
use crate::report::count::Work;
use crate::simulate::bench::MEMORY_BYTES;
use crate::simulate::golden::Golden;
use crate::simulate::job::Job;
use crate::source::kernel::Kernel;
use crate::source::{self, Source};

/// Size of the sample data of a parameter without a default.
const SAMPLE_SIZE: i64 = 32;
/// Seed of the sample data.
const SAMPLE_SEED: u64 = 1;

pub fn build(build: &Build, source: &Source) -> Result<u8> {
    folder::check(&build.out, build.force)?;
    let progress = Progress::new();
    progress.step("generating the accelerator");
    let board = build.input.board()?;
    let kernel = source::parse(source)?;
    let ranges = values::ranges(&kernel, &build.data)?;
    let options = options(&kernel, &build.input, &BTreeMap::new())?;
    let accelerator = compile(source, &board, &options)?;
    let kernel = &accelerator.offload.kernel;

    progress.step("running the C program for the bench's sample data");
    let capacity = board.memory.capacity_bytes().min(MEMORY_BYTES);
    let mut sample = Job::with_ranges(kernel, &sample_sizes(kernel), &ranges, capacity, SAMPLE_SEED)?;
    let expected = Golden::build(source, kernel)?.expected(&mut sample)?;

    progress.step("writing the folder");
    let top = format!("{}_top", kernel.name);
    let report = BuildReport::new(&accelerator.offload, &board, &top);
    let project = Project {
        offload: &accelerator.offload,
        board: &board,
        files: &accelerator.files,
        direct_files: &[],
        rust_hdl: build.emit.contains(&Emit::RustHdl).then_some(&accelerator.ports[..]),
        sample: &sample,
        expected: &expected,
        max_cycles: max_cycles(&Work::of(&accelerator.offload, &sample.sizes)),
        report: &report.to_json()?,
    };
    folder::write(&build.out, &project.files()?, build.force)?;
    drop(progress);
    print(&format!(
        "{top} for {} is in {}: {} Verilog files, generated in {} ms\nREADME.md there says how to simulate it and how to open the project\n",
        board.name,
        build.out.display(),
        accelerator.files.len(),
        accelerator.generate_ms
    ))?;
    Ok(PASSED)
}

/// Sizes for the sample data: the default, or a small one.
fn sample_sizes(kernel: &Kernel) -> BTreeMap<String, i128> {
    let size =
        |bound: Option<i64>, default: Option<i64>| default.unwrap_or(SAMPLE_SIZE.min(bound.unwrap_or(SAMPLE_SIZE)));
    kernel.parameters.iter().map(|p| (p.name.clone(), i128::from(size(p.max, p.default)))).collect()
}
