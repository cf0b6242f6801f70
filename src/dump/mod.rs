//! The stages of a compilation as text, for people: `burstc analyze --dump STAGE`.
//!
//! A text begins with a line `# stage`; so does every part of a stage that has several. What follows is C (the kernel), isl
//! (sets and relations, one a line behind what they are called), loop nests ([`loops`]), or a list of names. The same
//! input gives the same text. Nothing is printed that the stage does not hold: the texts are made of the data, after the
//! fact, and nobody reads them.

mod bands;
mod buffers;
mod kernel;
mod layouts;
mod loops;
mod offload;
mod program;

use std::fmt::Write as _;

use anyhow::Result;

use crate::board::Board;
use crate::diagnostic::Fault;
use crate::hardware;
use crate::ids::ArrayId;
use crate::offload::Offload;
use crate::polyhedral;
use crate::rtl;
use crate::source::Source;
use crate::source::kernel::Kernel;
use crate::{Options, analyze, budget, prepare};

/// What lies between two rooms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The C program as the analysis takes it.
    Kernel,
    /// Domains, schedules, accesses and dependences.
    Program,
    /// θ, tile sizes, the order inside tiles, and the dependences' distances.
    Bands,
    /// Load(T) and Store(T), as sets and as loop nests.
    Transfers,
    /// Conflicts and mappings.
    Buffers,
    /// Classes of cells by the tiles that move them, and the bursts that they would save.
    Layouts,
    /// All scans, as loop nests.
    Offload,
    /// Modules with their ports, streams, registers and instances.
    Rtl,
}

/// These stages of a compilation, in this order.
///
/// # Errors
/// As [`crate::analyze`]; the kernel and the program are printed of what a later stage refuses, too.
pub fn text(stages: &[Stage], source: &Source, board: &Board, options: &Options) -> Result<String> {
    dumped(stages, source, board, options).map_err(Fault::of)
}

fn dumped(stages: &[Stage], source: &Source, board: &Board, options: &Options) -> Result<String> {
    let needs_offload = stages.iter().any(|stage| !matches!(stage, Stage::Kernel | Stage::Program));
    let (kernel, offload) = match needs_offload {
        true => {
            let offload = analyze(source, board, options)?;
            (offload.kernel.clone(), Some(offload))
        }
        false => {
            let kernel = prepare(crate::read(source)?.kernel, board, options)?;
            budget::begin("the dependences");
            let expanded = polyhedral::expand_locals(&kernel).map_err(|error| budget::refusal(error, &kernel))?;
            (expanded, None)
        }
    };
    let mut texts = vec![];
    for &stage in stages {
        texts.push(match (&offload, stage) {
            (_, Stage::Kernel) => kernel::text(&kernel),
            (_, Stage::Program) => program::text(&kernel)?,
            (Some(offload), stage) => of_offload(stage, offload, board)?,
            (None, _) => unreachable!("the other stages need an offload"),
        });
    }
    Ok(texts.join("\n"))
}

fn of_offload(stage: Stage, offload: &Offload, board: &Board) -> Result<String> {
    Ok(match stage {
        Stage::Kernel => kernel::text(&offload.kernel),
        Stage::Program => program::text(&offload.kernel)?,
        Stage::Bands => bands::text(offload)?,
        Stage::Transfers => offload::transfers(offload),
        Stage::Buffers => buffers::text(offload),
        Stage::Layouts => layouts::text(offload)?,
        Stage::Offload => offload::text(offload),
        Stage::Rtl => rtl(offload, board)?,
    })
}

fn rtl(offload: &Offload, board: &Board) -> Result<String> {
    let design = hardware::generate(offload, board.memory.link())?;
    let mut text = "# rtl: the modules of the accelerator; the last holds all others\n".to_string();
    for module in &design.modules {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n{}", rtl::outline(module));
    }
    text.push_str("\ncells of the library:\n");
    design.library.iter().for_each(|cell| text.push_str(&format!("    {}\n", cell.name)));
    Ok(text)
}

/// `[N] -> { … }`, indented, behind its name.
fn set(text: &mut String, indent: usize, name: &str, isl: impl std::fmt::Display) {
    let _ = writeln!(text, "{:indent$}{name}: {isl}", "");
}

/// What an array is called.
fn array_name(kernel: &Kernel, array: ArrayId) -> &str {
    &kernel.arrays[array].name
}
