//! What the whole-pipeline tests share: an example compiled once, simulated on many sizes.
#![allow(dead_code)] // each test binary uses its part

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use burstc::board::Board;
use burstc::simulate::golden::Golden;
use burstc::simulate::job::Job;
use burstc::simulate::simulator::{self, Counters, RunInputs, RunOutput, Simulation, Simulator};
use burstc::simulate::{Outcome, judge};
use burstc::source::Source;
use burstc::{Accelerator, Options, compile};

pub fn board() -> Board {
    burstc::board::load("stratix2-ddr400").expect("the board is built in")
}

pub fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// One Verilog, one simulator.
pub struct Rig {
    pub accelerator: Accelerator,
    golden: Golden,
    simulation: Simulation,
    name: String,
    trace: bool,
    _work: tempfile::TempDir,
}

/// What a run shows.
pub struct Shown {
    pub counters: Counters,
    pub output: RunOutput,
    pub vcd: Option<PathBuf>,
}

impl Rig {
    /// The accelerator of `path`, or its direct version, compiled for one simulator.
    pub fn new(path: &str, simulator: Simulator, direct: bool) -> Rig {
        Rig::with_trace(path, simulator, direct, std::env::var_os("BURSTC_VCD").is_some_and(|v| v == "1"))
    }

    pub fn with_trace(path: &str, simulator: Simulator, direct: bool, trace: bool) -> Rig {
        let source = Source::read(&root(path), vec![]).expect("the kernel is readable");
        let accelerator = compile(&source, &board(), &Options::default()).expect("the kernel compiles");
        let kernel = &accelerator.offload.kernel;
        let work = tempfile::tempdir().expect("a folder for the simulation");
        let (files, top) = match direct {
            false => (&accelerator.files, format!("{}_top", kernel.name)),
            true => (&accelerator.direct_files, format!("{}_direct_top", kernel.name)),
        };
        let simulation = simulator::build(files, &top, simulator, trace, work.path()).expect("the bench builds");
        let golden = Golden::build(&source, kernel).expect("the C compiler takes the kernel");
        let name = format!("{}{}_{simulator}", kernel.name, if direct { "_direct" } else { "" });
        Rig { golden, simulation, name, trace, accelerator, _work: work }
    }

    /// Runs with the given arguments and demands that every word of memory is what the C program leaves.
    pub fn run(&self, set: &[(&str, i128)], seed: u64) -> Shown {
        let kernel = &self.accelerator.offload.kernel;
        let set: BTreeMap<String, i128> = set.iter().map(|(n, v)| (n.to_string(), *v)).collect();
        let job = Job::new(kernel, &set, board().memory.capacity_bytes, seed).expect("legal arguments");
        let expected = self.golden.run(&job).expect("the C program runs");
        let label = set.iter().map(|(n, v)| format!("_{n}{v}")).collect::<String>();
        let vcd = self.trace.then(|| {
            let folder = root("target/vcd");
            std::fs::create_dir_all(&folder).expect("target is writable");
            folder.join(format!("{}{label}.vcd", self.name))
        });
        let registers = job.registers(kernel);
        let inputs =
            RunInputs { image: &job.image, registers: &registers, max_cycles: 200_000_000, vcd: vcd.as_deref() };
        let output = self.simulation.run(&inputs).expect("the simulator runs");
        let outcome = judge(&job.placement, &expected, &output, inputs.max_cycles);
        assert_eq!(outcome, Outcome::Pass, "{}{label}: {outcome}", self.name);
        assert!(output.counters.reads + output.counters.writes > 0 || expected == job.image, "nothing moved");
        Shown { counters: output.counters.clone(), output, vcd }
    }
}
