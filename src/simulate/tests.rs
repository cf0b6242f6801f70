//! The bench on a small accelerator written by hand, sound and with one fault at a time.

use std::collections::BTreeMap;

use tempfile::TempDir;

use super::golden::Golden;
use super::job::Job;
use super::number::Number;
use super::simulator::{self, RunInputs, RunOutput, Simulator, Waveform};
use super::{Outcome, judge, samples};
use crate::hardware::VerilogFile;
use crate::source::Source;

const SOURCE: &str = "void copy(int N, int *a, int *b) { for (int i = 0; i < N; i++) b[i] = a[i]; }";

/// The design, with one text replaced by another, which must occur.
fn design(fault: Option<(&str, &str)>) -> Vec<VerilogFile> {
    let mut files = samples::copy_design();
    if let Some((from, to)) = fault {
        files.iter_mut().for_each(|file| file.text = file.text.replacen(from, to, 1));
        assert!(files != samples::copy_design());
    }
    files
}

fn build(
    simulator: Simulator,
    fault: Option<(&str, &str)>,
    trace: Option<Waveform>,
) -> (simulator::Simulation, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (simulator::build(&design(fault), "copy_top", simulator, trace, folder.path()).unwrap(), folder)
}

fn run(
    simulation: &simulator::Simulation,
    n: i128,
    max_cycles: u64,
    vcd: Option<&std::path::Path>,
) -> (Outcome, RunOutput) {
    let kernel = samples::copy();
    let mut job = Job::new(&kernel, &BTreeMap::from([("N".to_string(), Number::Whole(n))]), 16 << 20, 5).unwrap();
    let source = Source { path: "copy.c".into(), text: SOURCE.into(), cpp_args: vec![] };
    let expected = Golden::build(&source, &kernel).unwrap().expected(&mut job).unwrap();
    let registers = job.registers(&kernel);
    let inputs = RunInputs { image: &job.image, registers: &registers, max_cycles, waveform: vcd };
    let output = simulation.run(&inputs).unwrap();
    (judge(&job, &expected, &output, max_cycles), output)
}

#[test]
#[ignore = "slow: make test"]
fn one_build_serves_every_size_on_both_simulators() {
    let cycles = Simulator::ALL.map(|simulator| {
        let (simulation, folder) = build(simulator, None, Some(Waveform::Vcd));
        let vcd = folder.path().join("out.vcd");
        let cycles = [0, 1, 63, 64, 65, 1000].map(|n| {
            let (outcome, output) = run(&simulation, n, 20_000, Some(&vcd));
            assert_eq!(outcome, Outcome::Pass, "N = {n}, {simulator}");
            assert_eq!((output.counters.reads, output.counters.writes), (n as u64, n as u64));
            output.counters.cycles
        });
        let text = std::fs::read_to_string(&vcd).unwrap();
        assert!(text.contains("m_cmd_valid") && !text.contains("rule_violations"), "{simulator}");
        cycles
    });
    assert_eq!(cycles[0], cycles[1]);
}

#[test]
#[ignore = "slow: make test"]
fn every_fault_is_told_by_its_name() {
    let cases = [
        (
            ".s_data(s_read_data)",
            ".s_data(s_read_data + {31'd0, left_reg == 100})",
            "mismatch: b[0] (address 0x002000) is ",
        ),
        ("base_b : base_a", "base_b + 24'd8 : base_a", "mismatch: b[0] (address 0x002000) is "),
        ("last_word && memory_idle", "last_word", "mismatch: b[9"),
        (
            ".s_data(s_read_data)",
            ".s_data({s_read_data[31:1], 1'bx})",
            "fault at the memory port: unknown write data at cycle ",
        ),
        ("base_b : base_a", "24'h800000 : base_a", "fault at the memory port: write outside the arrays at cycle "),
        ("last_word && memory_idle", "1'b0", "time-out: not done after 5000 cycles"),
        ("ddr_controller u", "ddr_controller #(.T_RFC(4)) u", "memory timing violated: tRFC at "),
        ("done        <= 1'b0", "done        <= 1'bx", "fault at the memory port: unknown valid or ready"),
    ];
    for (from, to, expected) in cases {
        let (simulation, _folder) = build(Simulator::Icarus, Some((from, to)), None);
        let outcome = run(&simulation, 100, 5_000, None).0.to_string();
        assert!(outcome.starts_with(expected), "{to}: {outcome}");
    }
}

#[test]
fn a_design_that_does_not_compile_is_told_with_the_simulators_words() {
    let folder = tempfile::tempdir().unwrap();
    let files = design(Some(("reg        running_reg;", "reg        running;")));
    for simulator in Simulator::ALL {
        let error = simulator::build(&files, "copy_top", simulator, None, folder.path()).unwrap_err().to_string();
        assert!(error.contains("copy_accelerator.v") && error.contains("running_reg"), "{error}");
    }
}
