//! The command line.

// Where nobody can read it, the standard library's macros panic; `command::terminal` does not.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use burstc::command::{
    self, Analyze, Assignment, Build, Command, Emit, Estimate, Explore, Input, ManualPage, RangeAssignment, Run, Stage,
    terminal,
};
use burstc::explore::{Pick, Shard};
use burstc::simulate::bench::MemoryModel;
use burstc::simulate::simulator::{Simulator, Waveform};
use burstc::source::program::Choice;
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;

/// Compiles C loop nests into FPGA accelerators that keep their DDR memory busy.
#[derive(Parser)]
#[command(
    version,
    arg_required_else_help = true,
    after_help = "\
Examples:
  burstc run examples/matmul.c --set N=100 --direct     simulate and compare with direct accesses
  burstc run examples/dma.c --simulator icarus --json - result as JSON
  burstc run trisolv.c --data l=1..9                    random data that a divisor can have
  burstc run examples/matmul.c --html matmul.html       a page: source, tiles, where the cycles went
  burstc run examples/vecsum.c --lanes auto             lanes in the tiles of the source, too
  burstc build examples/matmul.c --out matmul           write Verilog, bench and Quartus project
  burstc build examples/dma.c --board ulx3s --out dma   the same and, with make -C dma/ecp5, the bitstream
  burstc analyze examples/polymul.c                     print dependences, Load and Store sets, mappings
  burstc analyze examples/matmul.c --dump offload       print a stage: here the loops that the hardware walks
  burstc estimate examples/jacobi_2d.c --outer t        the words that values need, in any order of the other loops
  burstc explore examples/matmul.c --set N=64           the designs that are worth having, as a table
  burstc new first && make -C first run                 a kernel to begin with
  burstc doctor                                         which tools are there, and what to install

Exit codes: 0 pass, 1 the run failed, 2 the input was refused, 70 a fault of burstc, 130 or 143 ended by a signal."
)]
struct CommandLine {
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    /// Generate, simulate on random data, compare every word with the C program, and report
    Run {
        #[command(flatten)]
        input: InputArguments,
        /// Value of a size or scalar argument, such as N=100; other sizes have their defaults or up to 32, other scalars are random
        #[arg(long, value_name = "NAME=VALUE", value_parser = command::parse_assignment)]
        set: Vec<Assignment>,
        /// Range of the random data of an array or scalar, both ends included, such as l=1..9; otherwise all its type
        /// holds
        #[arg(long, value_name = "NAME=LOW..HIGH", value_parser = command::parse_range)]
        data: Vec<RangeAssignment>,
        /// The program's own data: it runs natively up to the region, and must leave at its end what the kernel leaves
        #[arg(long, conflicts_with_all = ["set", "data"])]
        own_data: bool,
        /// `auto` takes Icarus for short runs and Verilator, which compiles for some seconds, for long ones
        #[arg(long, value_enum, default_value = "auto")]
        simulator: SimulatorArgument,
        /// Simulate the direct version too: every access of the source goes to memory by itself
        #[arg(long)]
        direct: bool,
        /// Dump the accelerator's signals, with views for GTKWave and Surfer beside the file
        #[arg(long, value_name = "FILE")]
        vcd: Option<PathBuf>,
        /// The same in GTKWave's format FST, which is a tenth of the size
        #[arg(long, value_name = "FILE", conflicts_with = "vcd")]
        fst: Option<PathBuf>,
        /// Write the report as JSON; `-` is standard output
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        /// Write a page with source, tables, tiles, and where the cycles went: one file that needs no network
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// Seed of the random data
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Cycles from an address to its data in the memory behind a bus; otherwise the board profile's
        #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u32).range(1..=10_000))]
        latency: Option<u32>,
        /// Per cent of the cycles in which the memory behind a bus moves data in a direction
        #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=100))]
        bandwidth: Option<u32>,
        /// Random back-pressure on every channel of a bus, from this seed
        #[arg(long, value_name = "SEED", value_parser = clap::value_parser!(u32).range(1..))]
        stalls: Option<u32>,
        /// Keep Verilog, bench and data as a project folder
        #[arg(long, value_name = "DIR")]
        keep: Option<PathBuf>,
        /// Write into that folder even if burstc did not make it, and over files of it that were changed
        #[arg(long, requires = "keep")]
        force: bool,
    },
    /// Write Verilog, bench, constraints and project files; the folder appears whole or not at all, and what else is in it stays
    Build {
        #[command(flatten)]
        input: InputArguments,
        /// Range of the sample data of an array or scalar, both ends included, such as l=1..9
        #[arg(long, value_name = "NAME=LOW..HIGH", value_parser = command::parse_range)]
        data: Vec<RangeAssignment>,
        /// What to write beside Verilog and the board's project: `rust-hdl` for a Rust file with a `LogicBlock`
        #[arg(long, value_enum, value_name = "WHAT")]
        emit: Vec<EmitArgument>,
        /// The folder to write
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Write into the folder even if burstc did not make it, and over files of it that were changed
        #[arg(long)]
        force: bool,
    },
    /// Print every set of the analysis in isl notation, and the buffers
    #[command(after_help = "\
Examples:
  burstc analyze examples/matmul.c                           all sets, and the buffers
  burstc analyze examples/matmul.c --dump transfers          Load(T) and Store(T), as sets and as loops
  burstc analyze examples/matmul.c --dump kernel > again.c   the loops as the analysis takes them, in C
  burstc analyze examples/jacobi_2d.c --dump bands --dump buffers
  burstc analyze examples/polymul.c --placement              a common space of the statements, its costs and its best order
  burstc analyze examples/matmul.c --bound --board alveo-u50   what limits a run, and how near to that it is expected to be
  burstc analyze examples/matmul.c --json                    all that the hardware is made of (docs/JSON.md)")]
    Analyze {
        #[command(flatten)]
        input: InputArguments,
        /// Print all of it as JSON
        #[arg(long)]
        json: bool,
        /// Print a stage instead; may be given several times
        #[arg(long, value_enum, value_name = "STAGE", conflicts_with = "json")]
        dump: Vec<StageArgument>,
        /// Print instead where statements stand in a common space in which values travel short ways in one direction, what
        /// that costs, and the order with the fewest words
        #[arg(long, conflicts_with_all = ["json", "dump", "html"])]
        placement: bool,
        /// Print instead the cycles that are expected of a run at its usual sizes, and those that the memory, the board's multipliers
        /// and look-up tables, and the chain of values would each allow
        #[arg(long, conflicts_with_all = ["json", "dump", "html", "placement"])]
        bound: bool,
        /// Write a page as `run --html` does, of what is known without a simulation
        #[arg(long, value_name = "FILE", conflicts_with = "dump")]
        html: Option<PathBuf>,
    },
    /// Bound the words that values need on chip, whatever the order of the loops, or with some loops fixed outermost or innermost
    #[command(after_help = "\
Examples:
  burstc estimate kernel.c                      the least and the most words, per dependence, per array, and in total
  burstc estimate kernel.c --outer k,i          of the orders that begin with k and i
  burstc estimate kernel.c --set N=64 --json    the same at another size, as JSON (docs/JSON.md)")]
    Estimate {
        #[command(flatten)]
        input: InputArguments,
        /// Value of a size, such as N=100; otherwise its default, or up to 32
        #[arg(long, value_name = "NAME=VALUE", value_parser = command::parse_assignment)]
        set: Vec<Assignment>,
        /// Loops that are outermost, by their iterators, the outermost first
        #[arg(long, value_name = "LOOPS", value_delimiter = ',')]
        outer: Vec<String>,
        /// Loops that are innermost, the innermost last
        #[arg(long, value_name = "LOOPS", value_delimiter = ',')]
        inner: Vec<String>,
        /// Values apart by their readers, and the words where such sets are computed one after the other
        #[arg(long)]
        basic_sets: bool,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Look at many designs of a kernel: tile sizes, orders, strips, lanes, layouts, buffers, ports. Estimate them, simulate those near the front, print the front
    #[command(after_help = "\
Examples:
  burstc explore kernel.c --set N=64 --out kernel.jsonl     a front; the same command goes on from kernel.jsonl
  burstc explore kernel.c --limit 1000 --simulate 40 --budget 240 --out kernel.jsonl
  burstc explore kernel.c --simulate 0                      by estimates alone, in seconds to minutes
  burstc explore kernel.c --out kernel.jsonl --pick balanced --output balanced
  parallel burstc explore kernel.c --shard {}/8 --out part{}.jsonl ::: 1 2 3 4 5 6 7 8
  burstc explore kernel.c --merge part*.jsonl               the answer of all shards
  burstc explore kernel.c --out kernel.jsonl --html kernel.html

A design is described by the `#pragma burstc` lines that make it, to be pasted in front of the kernel's first loop, and behind a bus by
`--bus-bits` and `--ports` where they are others than the board's; given here, they are those of all designs.")]
    Explore {
        #[command(flatten)]
        input: InputArguments,
        /// Value of a size or scalar argument, as for `burstc run`: the designs are compared at these sizes
        #[arg(long, value_name = "NAME=VALUE", value_parser = command::parse_assignment)]
        set: Vec<Assignment>,
        /// Range of the random data of an array or scalar, both ends included, such as l=1..9
        #[arg(long, value_name = "NAME=LOW..HIGH", value_parser = command::parse_range)]
        data: Vec<RangeAssignment>,
        /// Seed of the random data
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// `auto` takes Icarus for short runs and Verilator for long ones
        #[arg(long, value_enum, default_value = "auto")]
        simulator: SimulatorArgument,
        /// Designs to look at: half of them the nearest to what `burstc run` does, half of them spread over all others
        #[arg(long, value_name = "DESIGNS", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=50_000))]
        limit: u32,
        /// Designs to simulate: the file as it is, and those near the front, or `all`; with 0 the front is that of the estimates
        #[arg(long, value_name = "DESIGNS", default_value = "40", value_parser = parse_simulate)]
        simulate: usize,
        /// After so long no other design is begun
        #[arg(long, value_name = "MINUTES", default_value_t = 60, value_parser = clap::value_parser!(u32).range(0..=525_600))]
        budget: u32,
        /// Results as JSON lines, a line per estimate and simulation; those that are there already are not done again
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Do a part of the designs only, the third of eight with 3/8
        #[arg(long, value_name = "K/N", requires = "out", conflicts_with_all = ["merge", "pick"])]
        shard: Option<Shard>,
        /// Give the answer from the files of all shards
        #[arg(long, value_name = "FILES", num_args = 1..)]
        merge: Vec<PathBuf>,
        /// Write a page with a plot of all designs, on which a click or a tap shows the directives of one
        #[arg(long, value_name = "FILE", conflicts_with = "shard")]
        html: Option<PathBuf>,
        /// Build a design of the front, as `burstc build` does: the fastest, the smallest, or the nearest to both at
        /// once
        #[arg(long, value_enum, value_name = "WHICH", requires = "output")]
        pick: Option<PickArgument>,
        /// The folder to write that design into
        #[arg(long, value_name = "DIR", requires = "pick")]
        output: Option<PathBuf>,
        /// Write into the folder even if burstc did not make it, and over files of it that were changed
        #[arg(long, requires = "output")]
        force: bool,
    },
    /// List the boards
    Boards,
    /// Say which tools are there, of which versions, and what to install; ends with 1 where one is missing that is needed
    Doctor,
    /// Make a folder with a commented kernel of that name and a Makefile; nothing is overwritten
    New {
        /// Of the folder, the file and the function; or the folder's path
        name: String,
    },
    /// Print completions for a shell
    #[command(after_help = "\
Examples:
  burstc completions bash > ~/.local/share/bash-completion/completions/burstc
  burstc completions zsh > ~/.zfunc/_burstc
  burstc completions fish > ~/.config/fish/completions/burstc.fish")]
    Completions {
        #[arg(value_enum)]
        shell: ShellArgument,
    },
    /// Print the manual page, or write all of them into a folder
    #[command(after_help = "\
Examples:
  burstc man | man -l -                    read it
  burstc man --out ~/.local/share/man/man1   install burstc.1, burstc-run.1 and all others")]
    Man {
        /// The folder
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

#[derive(Args)]
struct InputArguments {
    /// C file: one function, or a program with the kernel's loops between `#pragma scop` and `#pragma endscop`
    file: PathBuf,
    /// The function that is the kernel, or that has its region
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// A line of the region, or of the loop, that is the kernel
    #[arg(long, value_name = "LINE")]
    region: Option<usize>,
    /// Another text for a macro that the file defines, such as N=64
    #[arg(long, value_name = "MACRO=TEXT", value_parser = command::parse_redefinition)]
    redefine: Vec<(String, String)>,
    /// Board, or path of a board profile (.toml)
    #[arg(long, default_value = "stratix2-ddr400")]
    board: String,
    /// Width of a board's AXI4 or Avalon-MM port in bits: 32, 64, 128, 256 or 512
    #[arg(long, value_name = "BITS")]
    bus_bits: Option<u32>,
    /// How many such ports an AXI4 board has, in front of one memory: 1 to 32
    #[arg(long, value_name = "N")]
    ports: Option<u32>,
    /// Memory port of an array, such as a=1; of the others burstc chooses it, so that the busiest port moves least
    #[arg(long, value_name = "ARRAY=PORT", value_parser = command::parse_port)]
    port: Vec<(String, u32)>,
    /// Largest value of a size, such as N=1024
    #[arg(long, value_name = "NAME=VALUE", value_parser = command::parse_assignment)]
    max: Vec<Assignment>,
    /// Smallest value of a size, such as N=1; otherwise the source's, or 0
    #[arg(long, value_name = "NAME=VALUE", value_parser = command::parse_assignment)]
    min: Vec<Assignment>,
    /// Iterations per cycle: a power of two; or so many along each of two loops, as in `i:8,j:8`; or `auto`, the fewest with
    /// which the run is shortest by the estimate, which is what a source without tiles gets anyway
    #[arg(long, value_name = "P", value_parser = burstc::choose_lanes::parse)]
    lanes: Option<burstc::choose_lanes::Request>,
    /// Compute processes that share every tile, each with buffers of its own: a power of two, or `auto`, as many as make the run
    /// shorter than lanes do, by the estimate
    #[arg(long, value_name = "N", value_parser = burstc::choose_lanes::parse_units)]
    units: Option<burstc::choose_lanes::UnitsRequest>,
    /// Allow lanes to add (multiply, take extrema of) floating-point numbers in another order than the C program, so that
    /// results may differ from its own
    #[arg(long)]
    allow_reassociation: bool,
    /// Define a macro
    #[arg(short = 'D', value_name = "MACRO[=VALUE]")]
    define: Vec<String>,
    /// Look for included files there
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<String>,
    /// Say nothing of what is being done: results, warnings and errors only
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ShellArgument {
    Bash,
    Zsh,
    Fish,
}

impl From<ShellArgument> for Shell {
    fn from(argument: ShellArgument) -> Shell {
        match argument {
            ShellArgument::Bash => Shell::Bash,
            ShellArgument::Zsh => Shell::Zsh,
            ShellArgument::Fish => Shell::Fish,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum SimulatorArgument {
    Auto,
    Verilator,
    Icarus,
}

impl From<InputArguments> for Input {
    fn from(arguments: InputArguments) -> Input {
        let include = arguments.include.iter().map(|folder| format!("-I{folder}"));
        let define = arguments.define.iter().map(|definition| format!("-D{definition}"));
        let cpp_args = include.chain(define).collect();
        Input {
            file: arguments.file,
            board: arguments.board,
            bus_bits: arguments.bus_bits,
            ports: arguments.ports,
            port: arguments.port,
            max: arguments.max,
            min: arguments.min,
            lanes: arguments.lanes,
            units: arguments.units,
            allow_reassociation: arguments.allow_reassociation,
            cpp_args,
            choice: Choice { function: arguments.function, line: arguments.region },
            redefine: arguments.redefine,
            quiet: arguments.quiet,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum StageArgument {
    /// The C program as the analysis takes it: bounds settled, functions inlined, dead code left out
    Kernel,
    /// Domains, schedules, accesses and dependences in isl notation
    Program,
    /// Schedules of the tiles, tile sizes, the order inside tiles, distances of the dependences
    Bands,
    /// Load(T) and Store(T) of every array, in isl notation and as loops
    Transfers,
    /// Conflicts, moduli, lattices, banks and windows
    Buffers,
    /// Classes of cells by the tiles that load and store them, and the bursts that an order of them would save
    Layouts,
    /// Everything that the hardware walks, as loops
    Offload,
    /// Modules with their ports, streams, registers and instances
    Rtl,
}

impl From<StageArgument> for Stage {
    fn from(argument: StageArgument) -> Stage {
        match argument {
            StageArgument::Kernel => Stage::Kernel,
            StageArgument::Program => Stage::Program,
            StageArgument::Bands => Stage::Bands,
            StageArgument::Transfers => Stage::Transfers,
            StageArgument::Buffers => Stage::Buffers,
            StageArgument::Layouts => Stage::Layouts,
            StageArgument::Offload => Stage::Offload,
            StageArgument::Rtl => Stage::Rtl,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum EmitArgument {
    RustHdl,
}

impl From<EmitArgument> for Emit {
    fn from(argument: EmitArgument) -> Emit {
        match argument {
            EmitArgument::RustHdl => Emit::RustHdl,
        }
    }
}

impl From<SimulatorArgument> for Option<Simulator> {
    fn from(argument: SimulatorArgument) -> Option<Simulator> {
        match argument {
            SimulatorArgument::Auto => None,
            SimulatorArgument::Verilator => Some(Simulator::Verilator),
            SimulatorArgument::Icarus => Some(Simulator::Icarus),
        }
    }
}

/// A number of designs, or `all`.
fn parse_simulate(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if count <= 50_000 => Ok(count),
        _ if text == "all" => Ok(Explore::ALL),
        _ => Err("a number up to 50000 is expected, or `all`".to_string()),
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum PickArgument {
    Fastest,
    Smallest,
    Balanced,
}

impl From<PickArgument> for Pick {
    fn from(argument: PickArgument) -> Pick {
        match argument {
            PickArgument::Fastest => Pick::Fastest,
            PickArgument::Smallest => Pick::Smallest,
            PickArgument::Balanced => Pick::Balanced,
        }
    }
}

impl From<Subcommands> for Command {
    fn from(command: Subcommands) -> Command {
        match command {
            Subcommands::Run {
                input,
                set,
                data,
                own_data,
                simulator,
                direct,
                vcd,
                fst,
                json,
                html,
                seed,
                latency,
                bandwidth,
                stalls,
                keep,
                force,
            } => Command::Run(Run {
                input: input.into(),
                set,
                data,
                own_data,
                simulator: simulator.into(),
                direct,
                waveform: vcd.map(|file| (Waveform::Vcd, file)).or(fst.map(|file| (Waveform::Fst, file))),
                json: json.map(Into::into),
                html,
                seed,
                memory: MemoryModel { latency, bandwidth, stalls, ..MemoryModel::default() },
                keep,
                force,
            }),
            Subcommands::Build { input, data, emit, out, force } => {
                let emit = emit.into_iter().map(Into::into).collect();
                Command::Build(Build { input: input.into(), data, emit, out, force })
            }
            Subcommands::Analyze { input, json, dump, placement, bound, html } => {
                let dump = dump.into_iter().map(Stage::from).collect();
                Command::Analyze(Analyze { input: input.into(), json, dump, placement, bound, html })
            }
            Subcommands::Estimate { input, set, outer, inner, basic_sets, json } => {
                let input = input.into();
                Command::Estimate(Estimate { input, set, outer, inner, basic_sets, json })
            }
            Subcommands::Explore {
                input,
                set,
                data,
                seed,
                simulator,
                limit,
                simulate,
                budget,
                out,
                shard,
                merge,
                html,
                pick,
                output,
                force,
            } => Command::Explore(Explore {
                input: input.into(),
                set,
                data,
                seed,
                simulator: simulator.into(),
                limit: limit as usize,
                simulate,
                budget: Duration::from_secs(60 * u64::from(budget)),
                out,
                shard,
                merge,
                html,
                pick: pick.map(Into::into),
                output,
                force,
            }),
            Subcommands::Boards => Command::Boards,
            Subcommands::Doctor => Command::Doctor,
            Subcommands::New { name } => Command::New(name),
            Subcommands::Completions { shell } => Command::Print(completions(shell.into())),
            Subcommands::Man { out } => Command::Manual(manual_pages(), out),
        }
    }
}

/// A script in which the shell finds commands, options and their values.
fn completions(shell: Shell) -> String {
    let mut text = vec![];
    clap_complete::generate(shell, &mut CommandLine::command(), "burstc", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The page of burstc, then one per command.
fn manual_pages() -> Vec<ManualPage> {
    let mut all = CommandLine::command().disable_help_subcommand(true);
    all.build();
    let commands: Vec<clap::Command> = all.get_subcommands().cloned().collect();
    let page = |command: clap::Command| {
        let manual = Man::new(command);
        let mut text = vec![];
        // Writing to memory cannot fail.
        let _ = manual.render(&mut text);
        ManualPage { file: manual.get_filename(), text: String::from_utf8_lossy(&text).into_owned() }
    };
    std::iter::once(all).chain(commands).map(page).collect()
}

fn main() -> ExitCode {
    ExitCode::from(terminal::guarded(|| command::execute(&CommandLine::parse().command.into())))
}
