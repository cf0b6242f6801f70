//! `Offload` to circuits: the accelerator of a kernel, and its direct version for comparison.
//!
//! ```text
//! tiles ──▶ load ──tokens──▶ compute ──tokens──▶ store
//!            │ rows → bursts   │ rows → iterations  │ rows → bursts
//!            ▼                 ▼                    ▼
//!          buffers (dual-port RAM, σ) ──────────────
//! ```

mod buffers;
mod circuit;
mod compute;
mod context;
mod datapath;
mod direct;
mod interface;
mod system;
mod tile;
mod transfer;
mod walk;

pub use circuit::library::{VerilogFile, files, headers, is_instance};
pub use context::Beats;
pub use datapath::divide::in_pipeline as divides_in_pipeline;
pub use interface::link::{Bus, BusKind, Ddr, DdrTiming, Link, Sdr, SdrCycles, port_suffix};
pub use interface::names::{direct_top, prefix as module_prefix, top as top_name};
pub use interface::status;
pub use system::registers::{BASE_ALIGNMENT, argument_words};

use anyhow::{Result, bail};

use crate::diagnostic::Diagnostic;
use crate::offload::{Offload, Scan, Transfer};
use crate::rtl::{Design, Module, trim};
use crate::source::kernel::{Array, Storage};
use circuit::library;
use context::Context;
use interface::names;
use system::{accelerator, ports, registers, top};

/// The accelerator with registers and controller: `<kernel>_top` is the last module.
///
/// # Errors
/// A [`Diagnostic`] for a kernel that leaves nothing in memory.
pub fn generate(offload: &Offload, link: Link) -> Result<Design> {
    if offload.bands.iter().flat_map(|b| &b.transfers).all(|t| t.store.pieces.is_empty()) {
        let kernel = &offload.kernel;
        let place = kernel.statements().first().map(|s| s.span).unwrap_or_default();
        let mut written = kernel.arrays.iter_enumerated().filter(|(array, _)| kernel.is_written(*array));
        let (label, help) = match written.find(|(_, array)| array.scratch && array.storage == Storage::Argument) {
            Some((_, Array { name, .. })) => {
                let help = format!("`scratch({name})` says that nobody reads `{name}` afterwards: leave it out");
                (format!("what is written is in scratch arrays, as `{name}`"), help)
            }
            None => ("only local arrays are written".into(), "write the result to an array argument".into()),
        };
        bail!(Diagnostic::new("nothing of what the kernel computes reaches an argument").at(place, label).help(help));
    }
    Ok(names::without_clash(offload, |offload| {
        let context = Context::with_beats(offload, link);
        let name = &offload.kernel.name;
        let mut modules = accelerator::accelerator(&context);
        modules.push(registers::registers(&context));
        modules.push(top::top(&context, &format!("{name}_top"), &format!("{name}_accelerator")));
        design(&context, modules, link.phy())
    }))
}

/// The direct version: every access of the source goes to memory as one word. `<kernel>_direct_top` is the last module.
pub fn generate_direct(offload: &Offload, link: Link) -> Result<Design> {
    let written = Offload { kernel: offload.as_written().into_owned(), ..offload.clone() };
    Ok(names::without_clash(&written, |offload| {
        let context = Context::new(offload, link);
        let name = &offload.kernel.name;
        let mut modules = direct::direct(&context);
        modules.push(registers::registers(&context));
        modules.push(top::top(&context, &format!("{name}_direct_top"), &format!("{name}_direct")));
        design(&context, modules, link.phy())
    }))
}

/// How many instructions the program has that walks the rows of Load, of both where there are two; of several ports the longest;
/// `None` where circuits walk them, which find one every few cycles.
pub fn load_program(offload: &Offload, link: Link) -> Option<u64> {
    let context = Context::with_beats(offload, link);
    longest_program(&context, context.loading(), |t| &t.load)
}

/// The same of Store.
pub fn store_program(offload: &Offload, link: Link) -> Option<u64> {
    let context = Context::with_beats(offload, link);
    longest_program(&context, context.storing(), |t| &t.store)
}

/// Whether a program of Load with so many instructions is two, each of every other piece.
pub fn is_in_halves(offload: &Offload, instructions: u64) -> bool {
    walk::scanner::takes_longer(offload, instructions)
}

fn longest_program(context: &Context, ports: Vec<u32>, scan: fn(&Transfer) -> &Scan) -> Option<u64> {
    let of = |port: u32| walk::scanner::program(context, &walk::source::Transfers::of(context, port, scan).sources);
    ports.into_iter().filter_map(of).max()
}

/// Library cells are whatever the modules instantiate without being generated, and the PHY that the board's top puts
/// beside them, if it is ours.
fn design(context: &Context, mut modules: Vec<Module>, phy: Option<&str>) -> Design {
    let mut tables = datapath::table::modules(context);
    tables.retain(|table| modules.iter().any(|module| module.instantiated().contains(&table.name())));
    modules.splice(0..0, tables);
    let generated: Vec<&str> = modules.iter().map(|m| m.name()).collect();
    let mut library: Vec<String> = modules.iter().flat_map(|m| m.instantiated()).map(str::to_string).collect();
    library.extend(phy.map(str::to_string));
    library.retain(|name| !generated.contains(&name.as_str()));
    library.sort();
    library.dedup();
    let mut design = Design { modules, library: library::headers(&library) };
    trim(&mut design);
    design.modules.iter_mut().for_each(|module| ports::explain(context, module));
    design
}
