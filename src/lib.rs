//! burstc compiles C loop nests into FPGA accelerators that keep their DDR memory busy.
//!
//! The way through the house is [`compile`]; `docs/ARCHITECTURE.md` says what each room is for.

// Where nobody can read it, the standard library's macros panic; `command::terminal` does not.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]
// A function one can hold in one's head: at most a hundred lines.
#![warn(clippy::too_many_lines)]

pub mod affine;
pub mod analysis;
pub mod board;
pub mod budget;
pub mod buffer;
pub mod choose_lanes;
pub mod command;
pub mod diagnostic;
pub mod diagnostic_render;
pub mod dump;
pub mod explore;
pub mod hardware;
pub mod host;
pub mod ids;
pub mod layout;
pub mod mars;
pub mod offload;
pub mod operators;
pub mod page;
pub mod polyhedral;
pub mod printable;
pub mod process;
pub mod project;
pub mod report;
pub mod rtl;
pub mod schedule;
pub mod simulate;
pub mod source;
pub mod suggest;
pub mod tiling;
pub mod transfer;
pub mod verify;
pub mod walk;
pub mod word;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};

use board::Board;
use diagnostic::{Diagnostic, Fault, Span};
use hardware::{BusKind, VerilogFile};
use offload::Offload;
use rtl::{Design, Module, Port, Shown};
use source::Source;
use source::kernel::{Argument, Kernel, SizeParameter, TilingDirective, UsesDirective};
use word::RegisterWord;

/// What the command line adds to the source.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Bounds of size parameters that replace those of the source.
    pub max: BTreeMap<String, i64>,
    pub min: BTreeMap<String, i64>,
    /// Bounds of size parameters for which neither source nor `max` has one.
    pub fallback_max: BTreeMap<String, i64>,
    /// Lanes that replace those of the source; where nobody asks for any, a kernel without directives has one lane.
    pub lanes: Option<choose_lanes::Request>,
    /// Compute processes that share every tile, in place of what the source says.
    pub units: Option<choose_lanes::UnitsRequest>,
    /// Lanes may add floating-point numbers in another order than the source.
    pub allow_reassociation: bool,
    /// Tiles, strips and lanes that replace the directives of the source.
    pub tilings: Option<Vec<TilingDirective>>,
    /// Argument arrays that lie by tiles in memory, beside those of the source.
    pub layouts: Vec<String>,
    /// Whether arrays have a buffer for each of their uses, in place of what the source says.
    pub uses: Option<bool>,
    /// The memory ports of arrays, by name; of the others they are chosen.
    pub ports: BTreeMap<String, u32>,
}

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct Accelerator {
    pub offload: Offload,
    /// All Verilog of `<kernel>_top`, generated modules first, then library cells.
    pub files: Vec<VerilogFile>,
    /// Those of `<kernel>_top`.
    pub ports: Vec<Port>,
    /// All Verilog of `<kernel>_direct_top`, the direct version; none where subscripts depend on data.
    pub direct_files: Vec<VerilogFile>,
    /// What of `<kernel>_top` people look at in a waveform.
    pub shown: Vec<Shown>,
    /// Time from C text to Verilog text, in milliseconds.
    pub generate_ms: u64,
}

/// A kernel that has been read.
#[derive(Clone)]
pub struct Read {
    pub kernel: Kernel,
    /// When reading it began.
    begin: Instant,
}

/// C text to the kernel as written.
pub fn read(source: &Source) -> Result<Read> {
    let begin = Instant::now();
    budget::begin("reading the source");
    Ok(Read { kernel: source::parse(source).map_err(Fault::of)?, begin })
}

/// C text to Verilog. A user's mistake is a `Diagnostic` inside the error, burstc's own a `Fault`.
pub fn compile(source: &Source, board: &Board, options: &Options) -> Result<Accelerator> {
    compile_read(read(source)?, source, board, options)
}

/// The same of a kernel that has been read from `source`.
pub fn compile_read(read: Read, source: &Source, board: &Board, options: &Options) -> Result<Accelerator> {
    compiled(read, source, board, options).map_err(Fault::of)
}

fn compiled(read: Read, source: &Source, board: &Board, options: &Options) -> Result<Accelerator> {
    let begin = read.begin;
    let offload = analyze_read(read, board, options)?;
    let link = board.memory.link();
    let origin = origin(source, board, options, &offload);
    budget::begin("the circuits");
    let design = hardware::generate(&offload, link)?;
    let ports = design.modules.last().map(Module::interface).unwrap_or_default();
    budget::begin("the Verilog text");
    let files = verilog(&design, &origin)?;
    budget::begin("the direct version's circuits");
    let direct_files = match offload.kernel.without_direct_version().is_some() {
        true => vec![],
        false => verilog(&hardware::generate_direct(&offload, link)?, &origin)?,
    };
    let shown = rtl::shown(&design, simulate::simulator::TRACED_LEVELS);
    Ok(Accelerator { offload, files, ports, direct_files, shown, generate_ms: begin.elapsed().as_millis() as u64 })
}

/// C text to everything the analysis knows, checked against the board's memories.
pub fn analyze(source: &Source, board: &Board, options: &Options) -> Result<Offload> {
    analyze_read(read(source)?, board, options)
}

/// What the analysis begins with: the kernel with its bounds and its domain.
pub fn prepare_read(read: Read, board: &Board, options: &Options) -> Result<Kernel> {
    prepare(read.kernel, board, options).map_err(Fault::of)
}

/// The same of a kernel that has been read.
pub fn analyze_read(read: Read, board: &Board, options: &Options) -> Result<Offload> {
    analyzed(read.kernel, board, options).map_err(Fault::of)
}

fn analyzed(kernel: Kernel, board: &Board, options: &Options) -> Result<Offload> {
    let kernel = prepare(kernel, board, options)?;
    let analyze = |kernel: &Kernel| {
        choose_lanes::analyze_in_units(kernel, board, options.lanes.clone(), options.units)
            .map_err(|error| budget::refusal(error, kernel))
    };
    // Units may have structures to themselves that lie in one row, and lanes as they are asked for other banks.
    let offload = match polyhedral::interleaved(&kernel).map(|joined| analyze(&joined)) {
        Some(Ok(offload)) => offload,
        Some(Err(_)) | None => analyze(&kernel)?,
    };
    // Again, because local arrays that a tile hands to a later one through memory have grown.
    require_memory(&offload.kernel, board)?;
    require_registers(&offload.kernel)?;
    budget::begin("the check of what the hardware is made of");
    if let Err(faults) = verify::verify(&offload) {
        bail!(Fault(format!("what the hardware is made of is not sound:\n{}", faults.join("\n"))));
    }
    Ok(offload)
}

/// What is read to what the analysis begins with: bounds settled, the domain found, dead code left out.
fn prepare(mut kernel: Kernel, board: &Board, options: &Options) -> Result<Kernel> {
    kernel.reassociates = options.allow_reassociation;
    kernel.ports = ports_of(&kernel, board, options)?;
    let free = without_bound(&kernel, options);
    settle_bounds(&mut kernel, board, options)?;
    budget::require_shallow(&kernel)?;
    budget::require_few_reads(&kernel)?;
    budget::require_short_chains(&kernel)?;
    budget::compiles(&kernel);
    budget::begin("the sizes for which the kernel is defined");
    widen_bounds(&mut kernel, &free).map_err(|error| budget::refusal(error, &kernel))?;
    polyhedral::settle_domain(&mut kernel).map_err(|error| budget::refusal(error, &kernel))?;
    let within = polyhedral::within_arrays(&kernel).map_err(|error| budget::refusal(error, &kernel))?;
    let kernel = within.unwrap_or(kernel);
    let kernel = polyhedral::settled(&kernel).map_err(|error| budget::refusal(error, &kernel))?;
    polyhedral::require_no_lasting_values(&kernel)?;
    require_memory(&kernel, board)?;
    require_registers(&kernel)?;
    let kernel = polyhedral::writes_merged(&kernel).unwrap_or(kernel);
    // Avalon-MM's byte enables may not have holes.
    let has_strobes = board.memory.link().bus().is_none_or(|bus| bus.kind != BusKind::AvalonMm);
    let masked = match has_strobes {
        true => polyhedral::masked(&kernel).map_err(|error| budget::refusal(error, &kernel))?,
        false => None,
    };
    let mut kernel = masked.unwrap_or(kernel);
    if let Some(tilings) = &options.tilings {
        // They are asked for, as those of a directive are, and the analysis spends as much on them.
        let given = |tiling: &TilingDirective| TilingDirective { span: kernel.span, ..tiling.clone() };
        kernel.tilings = tilings.iter().map(given).collect();
    }
    if let Some(apart) = options.uses {
        kernel.uses = Some(UsesDirective { apart, span: Span::default() });
    }
    for array in kernel.arrays.iter_mut().filter(|array| options.layouts.contains(&array.name)) {
        array.by_tiles = array.by_tiles.or(Some(array.span));
    }
    Ok(kernel)
}

/// The ports that somebody has put arrays on, if there are such arrays and such ports.
fn ports_of(kernel: &Kernel, board: &Board, options: &Options) -> Result<BTreeMap<String, u32>> {
    let ports = board.memory.bus().map_or(1, |bus| bus.ports);
    for (name, port) in &options.ports {
        if kernel.arrays.iter().all(|array| array.name != *name) {
            let known = suggest::known("arrays", name, kernel.arrays.iter().map(|array| array.name.as_str()));
            bail!(Diagnostic::new(format!("`--port {name}={port}`: the kernel has no array of that name")).help(known));
        }
        if *port >= ports {
            let has =
                if ports == 1 { "one memory port, 0".to_string() } else { format!("the ports 0 to {}", ports - 1) };
            bail!(Diagnostic::new(format!("`--port {name}={port}`: {} has {has}", board.name)).help(
                "give another port, or a board of more: `burstc boards` lists them, and `--ports` sets their number"
            ));
        }
    }
    Ok(options.ports.clone())
}

/// Gives every size parameter its bounds. A default beyond those of the command line becomes the nearest size in them.
fn settle_bounds(kernel: &mut Kernel, board: &Board, options: &Options) -> Result<()> {
    let names = || kernel.parameters.iter().map(|p| p.name.clone()).collect::<Vec<_>>().join(", ");
    for (option, bounds) in [("--max", &options.max), ("--min", &options.min)] {
        if let Some(name) = bounds.keys().find(|n| kernel.parameters.iter().all(|p| p.name != **n)) {
            bail!(
                Diagnostic::new(format!("`{option} {name}`: the kernel has no size parameter of that name"))
                    .help(format!("its size parameters are: {}", names()))
            );
        }
    }
    let free = |p: &SizeParameter| {
        p.max.is_none() && !options.max.contains_key(&p.name) && !options.fallback_max.contains_key(&p.name)
    };
    let implied = if kernel.parameters.iter().any(free) { polyhedral::implied_bounds(kernel) } else { BTreeMap::new() };
    for parameter in &mut kernel.parameters {
        let (min, max) = (options.min.get(&parameter.name), options.max.get(&parameter.name));
        parameter.min = min.copied().unwrap_or(parameter.min);
        parameter.max = max.copied().or(parameter.max).or(options.fallback_max.get(&parameter.name).copied());
        parameter.max = parameter.max.or(implied.get(&parameter.name).copied()).or(parameter.narrow());
    }
    // Who says how large sizes usually are, or gives tiles, says how large they can be.
    if kernel.tilings.is_empty() && kernel.parameters.iter().all(|p| p.default.is_none()) {
        assume_bounds(kernel, board);
    }
    for parameter in &mut kernel.parameters {
        let name = &parameter.name;
        let Some(max) = parameter.max else { bail!(parameter.without_bound()) };
        if parameter.min > max {
            bail!(
                Diagnostic::new(format!("the size `{name}` is at least {} and at most {max}", parameter.min))
                    .at(parameter.span, "no size is left")
                    .help(format!("lower the one, `--min {name}=…`, or raise the other, `--max {name}=…`"))
            );
        }
        parameter.default = parameter.default.map(|default| default.clamp(parameter.min, max));
    }
    Ok(())
}

/// Bounds for the sizes that nothing bounds: the same for all, a power of two for which the arrays fit the board's memory,
/// and no less than the smallest value of each.
fn assume_bounds(kernel: &mut Kernel, board: &Board) {
    const LARGEST: i64 = 1024;
    const SMALLEST: i64 = 16;
    let open: Vec<usize> = (0..kernel.parameters.len()).filter(|p| kernel.parameters[*p].max.is_none()).collect();
    let mut bound = LARGEST;
    while !open.is_empty() {
        for p in &open {
            let parameter = &mut kernel.parameters[*p];
            (parameter.max, parameter.is_assumed) = (Some(bound.max(parameter.min).min(parameter.limit())), true);
        }
        bound /= 2;
        if bound < SMALLEST || array_bytes(kernel) <= board.memory.capacity_bytes().into() {
            break;
        }
    }
}

/// The size parameters for which neither source nor command line has a bound.
fn without_bound(kernel: &Kernel, options: &Options) -> Vec<String> {
    let free = kernel.parameters.iter().filter(|p| p.max.is_none() && !options.max.contains_key(&p.name));
    free.map(|p| p.name.clone()).collect()
}

/// Doubles the bounds of the sizes `free` until some statement runs. They are the values of one run, and there would be
/// no hardware for sizes at which nothing ever runs.
fn widen_bounds(kernel: &mut Kernel, free: &[String]) -> Result<()> {
    const DOUBLINGS: u32 = 16;
    if free.is_empty() || polyhedral::runs(kernel)? {
        return Ok(());
    }
    let mut wider = kernel.clone();
    for _ in 0..DOUBLINGS {
        for parameter in wider.parameters.iter_mut().filter(|p| free.contains(&p.name)) {
            parameter.max = parameter.max.map(|max| max.saturating_mul(2).max(1));
        }
        if polyhedral::runs(&wider)? {
            *kernel = wider;
            break;
        }
    }
    Ok(())
}

/// What the arrays take at the largest sizes, each in whole pages.
fn array_bytes(kernel: &Kernel) -> u128 {
    let of = |array: &source::kernel::Array| layout::whole_pages(bytes_at_bounds(kernel, array));
    kernel.arrays.iter().filter(|array| array.use_of.is_none()).map(of).fold(0, u128::saturating_add)
}

fn bytes_at_bounds(kernel: &Kernel, array: &source::kernel::Array) -> u128 {
    let max = |name: &str| kernel.parameters.iter().find(|p| p.name == name).and_then(|p| p.max).unwrap_or(0);
    array.layout().map(|extent| extent.evaluate(max).max(0) as u64).bytes()
}

/// All arrays at their bounds, each in whole pages, must fit the board's memory.
fn require_memory(kernel: &Kernel, board: &Board) -> Result<()> {
    let bytes = |array: &source::kernel::Array| bytes_at_bounds(kernel, array);
    let capacity = board.memory.capacity_bytes() as u128;
    let total = array_bytes(kernel);
    if total <= capacity {
        return Ok(());
    }
    let largest = kernel.arrays.iter().max_by_key(|a| bytes(a)).expect("a kernel has arrays");
    let bounds: Vec<String> = kernel.parameters.iter().map(|p| format!("{} = {}", p.name, p.range().1)).collect();
    let help = match kernel.parameters.first() {
        Some(first) => format!("lower the bound: `#pragma burstc size({0}: …, max …)` or `--max {0}=…`", first.name),
        None => {
            "take a board with more memory (`burstc boards`) or smaller extents; `--redefine MACRO=…` gives a macro of \
                 the file another value"
                .to_string()
        }
    };
    bail!(
        Diagnostic::new(format!(
            "the arrays take {total} bytes at {}, but the memory of {} has {capacity}",
            if bounds.is_empty() { "their extents".to_string() } else { bounds.join(", ") },
            board.name
        ))
        .at(largest.span, format!("{} bytes", bytes(largest)))
        .help(help)
    )
}

/// Every argument, value of the host and base of an array has a register.
fn require_registers(kernel: &Kernel) -> Result<()> {
    let registers = 1 << RegisterWord::INDEX_BITS;
    let words = hardware::argument_words(kernel);
    let Some((argument, ..)) = words.iter().find(|(_, first, count)| first + count > registers) else { return Ok(()) };
    let (name, span) = match argument {
        Argument::Parameter(p) => (&kernel.parameters[*p].name, kernel.parameters[*p].span),
        Argument::Scalar(s) => (&kernel.scalars[*s].name, kernel.scalars[*s].span),
        Argument::Array(a) => (&kernel.arrays[*a].name, kernel.arrays[*a].span),
    };
    let taken = words.last().map_or(0, |(_, first, count)| first + count);
    bail!(
        Diagnostic::new(format!(
            "the arguments of `{}` take {taken} registers, and there are {registers}",
            kernel.name
        ))
        .at(span, format!("no register is left for `{name}`"))
        .help("pass an array of values instead of many arguments, and fewer arrays of more dimensions")
    )
}

/// The last part of a path, on one line: what a file is called wherever it lies.
fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name().map_or_else(|| path.to_string(), |name| name.to_string_lossy().into_owned());
    printable::on_one_line(&name)
}

/// What generated files begin with: what they were made of and how. No time and no path, so that the same input gives the
/// same bytes everywhere.
fn origin(source: &Source, board: &Board, options: &Options, offload: &Offload) -> String {
    let (version, file) = (env!("CARGO_PKG_VERSION"), file_name(&source.path));
    let mut lines = vec![format!("Generated by burstc {version} from {file} for the board {}.", board.name)];
    let mut given: Vec<String> = vec![];
    for (option, bounds) in [("--max", &options.max), ("--min", &options.min)] {
        given.extend(bounds.iter().map(|(name, value)| format!("{option} {name}={value}")));
    }
    given.extend(options.lanes.as_ref().map(|lanes| match lanes {
        choose_lanes::Request::Count(lanes) => format!("--lanes {lanes}"),
        choose_lanes::Request::InTwo([first, second]) => {
            format!("--lanes {}:{},{}:{}", first.0, first.1, second.0, second.1)
        }
        choose_lanes::Request::Automatic => "--lanes auto".to_string(),
        choose_lanes::Request::Usual => String::new(),
    }));
    given.retain(|option| !option.is_empty());
    given.extend(options.units.map(|units| match units {
        choose_lanes::UnitsRequest::Count(units) => format!("--units {units}"),
        choose_lanes::UnitsRequest::Automatic => "--units auto".to_string(),
    }));
    given.extend(options.ports.iter().map(|(name, port)| format!("--port {name}={port}")));
    given.extend(options.allow_reassociation.then(|| "--allow-reassociation".to_string()));
    let pragma = |tiling: &TilingDirective| source::directive_text(tiling, &offload.kernel);
    given.extend(options.tilings.iter().flatten().map(pragma));
    given.extend(source::storage_directives(&options.layouts, options.uses));
    // Folders would be paths.
    given.extend(source.cpp_args.iter().filter(|argument| argument.starts_with("-D")).cloned());
    lines.push(match given.is_empty() {
        true => "Options: none that change it.".to_string(),
        false => format!("Options: {}.", printable::on_one_line(&given.join(" "))),
    });
    let kernel = &offload.kernel;
    let size = |p: &SizeParameter| format!("{} <= {} <= {}", p.min, p.name, p.max.unwrap_or(p.min));
    let sizes: Vec<String> = kernel.parameters.iter().map(size).collect();
    let tile = |band: &offload::Band| band.tiling.sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(" x ");
    let tiles: Vec<String> = offload.bands.iter().map(tile).collect();
    let lanes = offload.most_lanes().unwrap_or(1) * offload.units();
    lines.push(format!(
        "Sizes: {}. Tiles: {}. Iterations per cycle: {lanes}.",
        if sizes.is_empty() { "none".to_string() } else { sizes.join(", ") },
        tiles.join("; ")
    ));
    lines.iter().map(|line| format!("// {line}")).collect::<Vec<_>>().join("\n")
}

/// Verifies a design and prints it; generated files begin with the lines `origin`.
fn verilog(design: &Design, origin: &str) -> Result<Vec<VerilogFile>> {
    if let Err(faults) = rtl::verify(design) {
        bail!(Fault(format!("the generated hardware is not sound:\n{}", faults.join("\n"))));
    }
    let generated = design
        .modules
        .iter()
        .map(|m| VerilogFile { name: format!("{}.v", m.name()), text: format!("{origin}\n{}", rtl::print(m)) });
    Ok(generated.chain(hardware::files(&design.library)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_arguments_than_registers() {
        let board = board::load("stratix2-ddr400").expect("a board");
        let of = |count: usize| {
            let arguments: String = (0..count).map(|k| format!(", int s{k}")).collect();
            let text =
                format!("void k(int a[8]{arguments})\n{{\n    for (int i = 0; i < 8; i++)\n        a[i] += s0;\n}}\n");
            compile(&Source { path: "k.c".into(), text, cpp_args: vec![] }, &board, &Options::default())
        };
        let error = of(300).expect_err("there are 256 registers");
        assert!(error.is::<Diagnostic>() && error.to_string().contains("and there are 256"), "{error:#}");
        assert!(of(200).is_ok());
    }

    /// `--port` names arrays and ports that are there.
    #[test]
    fn ports_of_arrays() {
        let text = "#pragma burstc size(N: 40, max 64)\nvoid copy(int N, int a[N], int b[N])\n{\n    for (int i = 0; i < N; i++)\n\
                    b[i] = a[i];\n}\n";
        let source = Source { path: "copy.c".into(), text: text.into(), cpp_args: vec![] };
        let on = |board: &str, ports: &[(&str, u32)]| {
            let ports = ports.iter().map(|(array, port)| (array.to_string(), *port)).collect();
            let options = Options { ports, ..Options::default() };
            analyze(&source, &board::load(board).expect("a board"), &options).map(|offload| offload.ports.raw)
        };
        assert_eq!(on("pynq-z2", &[]).expect("two ports"), [0, 1]);
        assert_eq!(on("pynq-z2", &[("a", 3)]).expect("port 3 has a"), [3, 0]);
        assert_eq!(on("pynq-z2", &[("a", 2), ("b", 2)]).expect("port 2 has both"), [2, 2]);
        assert_eq!(on("generic-avalon", &[("a", 0)]).expect("the only one"), Vec::<u32>::new());
        let refused = |board: &str, ports: &[(&str, u32)]| on(board, ports).expect_err("refused").to_string();
        assert_eq!(refused("pynq-z2", &[("a", 4)]), "`--port a=4`: pynq-z2 has the ports 0 to 3");
        assert_eq!(refused("generic-avalon", &[("a", 1)]), "`--port a=1`: generic-avalon has one memory port, 0");
        assert_eq!(refused("pynq-z2", &[("c", 1)]), "`--port c=1`: the kernel has no array of that name");
    }

    /// Constant extents say how large sizes can be, where they bound each size by itself.
    #[test]
    fn bounds_that_extents_imply() {
        let board = board::load("generic-axi4").expect("a board");
        let of = |text: &str| {
            let source = Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] };
            analyze(&source, &board, &Options::default())
                .map(|offload| offload.kernel.parameters.iter().map(|p| p.max).collect::<Vec<_>>())
        };
        let text = "void k(long n, int m, int a[100][60])\n{\n    for (int i = 0; i < n; i++)\n        for (int j = 2; j <= m; j++)\n\
                    a[i][2 * j] = 1;\n}\n";
        assert_eq!(of(text).expect("bounds"), [Some(100), Some(29)]);
        assert_eq!(of(&text.replace("[100]", "[n]")).expect("n is burstc's"), [Some(1024), Some(29)]);
    }

    /// Bounds that nobody gives: so small that the arrays fit 16 MiB, and no smaller than what is asked for; not beside directives.
    #[test]
    fn bounds_that_burstc_assumes() {
        let board = board::load("stratix2-ddr400").expect("a board");
        let of = |text: &str| {
            let source = Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] };
            let options = Options { min: BTreeMap::from([("m".to_string(), 2000)]), ..Options::default() };
            let kernel = analyze(&source, &board, &options).expect("bounds").kernel;
            kernel.parameters.iter().map(|p| (p.max, p.is_assumed)).collect::<Vec<_>>()
        };
        let text = "void k(int n, int m, int b[m], int a[n][n])\n{\n    for (int i = 0; i < n; i++)\n        for (int j = 0; \
                    j < n; j++)\n            a[i][j] = b[0];\n}\n";
        assert_eq!(of(text), [(Some(1024), true), (Some(2000), true)]);
        assert_eq!(
            of(&text.replace("int a[n]", "int a[4][n]").replace("a[i]", "a[1][i]")),
            [(Some(512), true), (Some(2000), true)]
        );
        for directive in ["size(n: 1500, max 1600)", "tile(i:32, j:32)"] {
            let source =
                Source { path: "k.c".into(), text: format!("#pragma burstc {directive}\n{text}"), cpp_args: vec![] };
            let refused = analyze(&source, &board, &Options::default()).expect_err(directive).to_string();
            assert!(refused.ends_with("has no bound: the hardware is built for sizes up to one"), "{refused}");
        }
    }

    /// Sizes at which a subscript leaves its array are not in the domain, where some others are left at which there is one.
    #[test]
    fn sizes_that_extents_exclude() {
        let board = board::load("stratix2-ddr400").expect("a board");
        let of = |body: &str| {
            let text = format!("void k(int n, int m, int a[n], int b[n][m])\n{{\n    {body}\n}}\n");
            let source = Source { path: "k.c".into(), text, cpp_args: vec![] };
            analyze(&source, &board, &Options::default())
                .map(|offload| offload.kernel.domain.iter().map(|c| c.text()).collect::<Vec<_>>().join(", "))
                .map_err(|refused| refused.to_string())
        };
        for (body, domain) in [
            ("for (int i = 0; i < m; i++) a[i] = 1;", "n >= m"),
            ("for (int i = 0; i < 4; i++) a[i] = 1;", "n >= 4"),
            ("for (int i = 0; i < n; i++) if (i > m) a[i - 2] = 1; else a[m] = 1;", "n >= m + 1"),
            ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] = 1;", "n >= m, m >= n"),
            ("for (int i = 0; i < n; i++) a[i] = 1;", ""),
        ] {
            assert_eq!(of(body).as_deref(), Ok(domain), "{body}");
        }
        for body in [
            "for (int i = 0; i <= n; i++) a[i] = 1;",
            "for (int i = 1; i <= n; i++) a[i] = 1;",
            "for (int i = 0; i < n - 1; i++) a[i + 2] = 1;",
            "for (int i = 0; i < n; i++) a[i - 1] = 1;",
        ] {
            let refused = of(body).expect_err(body);
            assert!(refused.contains("leaves its array: for n = "), "{refused}");
        }
    }

    /// The loops begin at 40: a bound of 64 is the smallest power of two times 30 at which one runs, and 8 times 0.
    #[test]
    fn a_run_at_a_size_for_which_nothing_runs() {
        let text = "void k(int N, int a[N])\n{\n    for (int i = 40; i < N; i++)\n        a[i] += 3;\n}\n";
        let source = Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] };
        let board = board::load("stratix2-ddr400").expect("a board");
        for (value, bound) in [(0, 64), (30, 60), (50, 50)] {
            let options = Options { fallback_max: BTreeMap::from([("N".to_string(), value)]), ..Options::default() };
            let offload = analyze(&source, &board, &options).unwrap_or_else(|error| panic!("N = {value}: {error:#}"));
            assert_eq!(offload.kernel.parameters[0].max, Some(bound), "N = {value}");
        }
        let options = Options { max: BTreeMap::from([("N".to_string(), 30)]), ..Options::default() };
        let error = analyze(&source, &board, &options).expect_err("nothing runs up to 30");
        assert!(error.to_string().starts_with("the loops never run"), "{error:#}");
    }
}
