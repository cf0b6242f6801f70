//! burstc compiles C loop nests into FPGA accelerators that keep their DDR memory busy.
//!
//! The way through the house is [`compile`]; `docs/ARCHITECTURE.md` says what each room is for.

pub mod affine;
pub mod analysis;
pub mod board;
pub mod buffer;
pub mod command;
pub mod diagnostic;
pub mod diagnostic_render;
pub mod hardware;
pub mod offload;
pub mod polyhedral;
pub mod project;
pub mod report;
pub mod rtl;
pub mod simulate;
pub mod source;
pub mod suggest;
pub mod tiling;
pub mod transfer;

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Result, bail};

use board::Board;
use diagnostic::Diagnostic;
use hardware::VerilogFile;
use offload::Offload;
use rtl::Design;
use source::Source;
use source::kernel::Kernel;

/// What the command line adds to the source.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Bounds of size parameters that replace those of the source.
    pub max: BTreeMap<String, i64>,
    /// Bounds of size parameters for which neither source nor `max` has one.
    pub fallback_max: BTreeMap<String, i64>,
}

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct Accelerator {
    pub offload: Offload,
    /// All Verilog of `<kernel>_top`, generated modules first, then library cells.
    pub files: Vec<VerilogFile>,
    /// All Verilog of `<kernel>_direct_top`, the direct version.
    pub direct_files: Vec<VerilogFile>,
    /// Time from C text to Verilog text, in milliseconds.
    pub generate_ms: u64,
}

/// C text to Verilog. A user's mistake is a `Diagnostic` inside the error.
pub fn compile(source: &Source, board: &Board, options: &Options) -> Result<Accelerator> {
    let begin = Instant::now();
    let offload = analyze(source, board, options)?;
    let address_width = board.memory.address_width;
    let files = verilog(&hardware::generate(&offload, address_width)?)?;
    let direct_files = verilog(&hardware::generate_direct(&offload, address_width)?)?;
    Ok(Accelerator { offload, files, direct_files, generate_ms: begin.elapsed().as_millis() as u64 })
}

/// C text to everything the analysis knows, checked against the board's memories.
pub fn analyze(source: &Source, board: &Board, options: &Options) -> Result<Offload> {
    let mut kernel = source::parse(source)?;
    settle_bounds(&mut kernel, options)?;
    require_memory(&kernel, board)?;
    let offload = analysis::analyze(&kernel)?;
    buffer::require_fit(&kernel, &offload.buffers, board.block_ram_bits())?;
    Ok(offload)
}

/// Gives every size parameter its bound.
fn settle_bounds(kernel: &mut Kernel, options: &Options) -> Result<()> {
    let names = || kernel.parameters.iter().map(|p| p.name.clone()).collect::<Vec<_>>().join(", ");
    if let Some(name) = options.max.keys().find(|n| kernel.parameters.iter().all(|p| p.name != **n)) {
        bail!(
            Diagnostic::new(format!("`--max {name}`: the kernel has no size parameter of that name"))
                .help(format!("its size parameters are: {}", names()))
        );
    }
    for parameter in &mut kernel.parameters {
        if let Some(max) = options.max.get(&parameter.name) {
            if parameter.default.is_some_and(|d| d > *max) {
                parameter.default = Some(*max);
            }
            parameter.max = Some(*max);
        }
        parameter.max = parameter.max.or(options.fallback_max.get(&parameter.name).copied());
        if parameter.max.is_none() {
            let name = &parameter.name;
            bail!(
                Diagnostic::new(format!("size parameter `{name}` has no bound"))
                    .at(parameter.span, "how large can it be?")
                    .help(format!(
                        "declare one: `#pragma burstc size({name}: 128, max 4096)`, or pass `--max {name}=4096`"
                    ))
            );
        }
    }
    Ok(())
}

/// All arrays at their bounds, each at a multiple of 4 KB, must fit the board's memory.
fn require_memory(kernel: &Kernel, board: &Board) -> Result<()> {
    let max = |name: &str| kernel.parameters.iter().find(|p| p.name == name).and_then(|p| p.max).unwrap_or(0);
    let bytes = |array: &source::kernel::Array| {
        let elements = array.extents.iter().map(|e| e.evaluate(max).max(0) as u128).product::<u128>();
        elements * array.element.bytes() as u128
    };
    let capacity = board.memory.capacity_bytes as u128;
    let total: u128 = kernel.arrays.iter().map(|a| bytes(a).next_multiple_of(4096)).sum();
    if total <= capacity {
        return Ok(());
    }
    let largest = kernel.arrays.iter().max_by_key(|a| bytes(a)).expect("a kernel has arrays");
    let bounds: Vec<String> = kernel.parameters.iter().map(|p| format!("{} = {}", p.name, max(&p.name))).collect();
    let lower = kernel.parameters.first().map_or("N", |p| &p.name);
    bail!(
        Diagnostic::new(format!(
            "the arrays take {total} bytes at {}, but the memory of {} has {capacity}",
            if bounds.is_empty() { "their extents".to_string() } else { bounds.join(", ") },
            board.name
        ))
        .at(largest.span, format!("{} bytes", bytes(largest)))
        .help(format!("lower the bound: `#pragma burstc size({lower}: …, max …)` or `--max {lower}=…`"))
    )
}

/// Verifies a design and prints it.
fn verilog(design: &Design) -> Result<Vec<VerilogFile>> {
    if let Err(faults) = rtl::verify(design) {
        bail!("the generated hardware is not sound, please report this:\n{}", faults.join("\n"));
    }
    let generated = design.modules.iter().map(|m| VerilogFile { name: format!("{}.v", m.name()), text: rtl::print(m) });
    Ok(generated.chain(hardware::files(&design.library)).collect())
}
