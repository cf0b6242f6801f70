//! The ULX3S: accelerators on its SDR SDRAM against the C compiler (`make ulx3s` runs all of them), the whole board from
//! power-up with models of ECP5's cells, and the open flow down to the bitstream.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use burstc::board;
use burstc::simulate::simulator::Simulator;
use burstc::source::Source;
use burstc::{Options, simulate::Outcome};
use common::{Data, Rig, Subject, root};

fn rig(path: &str, simulator: Simulator, direct: bool) -> Rig {
    let source = Source::read(&root(path), vec![]).unwrap();
    let subject = Subject::on(board::load("ulx3s").unwrap(), &source, &Options::default()).unwrap();
    Rig::of(&subject, simulator, direct).unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Half a word per cycle is the peak.
#[test]
fn dma_and_vecsum_fill_the_bus() {
    for (example, words) in [("dma", 2), ("vecsum", 3)] {
        let rig = rig(&format!("examples/{example}.c"), Simulator::Verilator, false);
        let cycles = rig.run(&[("N", 65536)], 1).counters.cycles;
        let utilisation = (65536 * words * 2) as f64 / cycles as f64;
        assert!(utilisation >= 0.98, "{example}: {cycles} cycles, utilisation {utilisation:.3}");
        rig.run(&[("N", 33)], 2);
    }
}

/// Elements of all widths at any alignment, in both versions, and with unknown bits looked for.
#[test]
fn every_width_arrives() {
    for (simulator, direct) in [(Simulator::Verilator, false), (Simulator::Icarus, false), (Simulator::Verilator, true)]
    {
        let rig = rig("tests/kernels/widths.c", simulator, direct);
        rig.run(&[("N", 33), ("bias", -1)], 1);
        rig.run(&[("N", 1), ("bias", 2)], 2);
    }
}

/// Strips that depend on each other through memory.
#[test]
fn matmul_and_strips() {
    rig("examples/matmul.c", Simulator::Verilator, false).run(&[("N", 100)], 1);
    rig("tests/kernels/seidel_time.c", Simulator::Verilator, false).run(&[("T", 3), ("N", 13)], 1);
}

/// A device that is slower than the controller believes complains under the rule's name, and the user hears it.
#[test]
fn a_slower_device_is_noticed() {
    let text = std::fs::read_to_string(root("boards/ulx3s.toml")).unwrap();
    let source = Source::read(&root("examples/dma.c"), vec![]).unwrap();
    // The accelerator of a board whose chip is faster than the model's.
    let fast = text.replace("rp_ns = 21.0", "rp_ns = 10.0").replace("rc_ns = 63.0", "rc_ns = 50.0");
    let fast = Subject::on(board::Board::parse(&fast, "fast").unwrap(), &source, &Options::default()).unwrap();
    let slow = Subject::on(board::load("ulx3s").unwrap(), &source, &Options::default()).unwrap();
    let rig = Rig::around(&slow, &fast.accelerator.files, Simulator::Verilator).unwrap();
    let (outcome, _) = rig.attempt(Data { set: &[("N", 4096)], ..Default::default() }).unwrap();
    assert!(matches!(&outcome, Outcome::Violation { first, .. } if first.starts_with("tRP ")), "{outcome}");
}

fn folder(kernel: &str, scratch: &Path) -> PathBuf {
    let folder = scratch.join("out");
    let mut command = Command::new(env!("CARGO_BIN_EXE_burstc"));
    let output =
        command.arg("build").arg(root(kernel)).args(["--board", "ulx3s", "--out"]).arg(&folder).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    folder
}

/// The folder's own bench; then oscillator, PLL, registers, accelerator, PHY and memory: twice the C program's memory.
#[test]
fn the_board_runs_from_power_up() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = folder("tests/kernels/widths.c", scratch.path());
    let output = Command::new(folder.join("sim/run.sh")).arg("icarus").output().unwrap();
    assert!(output.status.success() && said(&output).ends_with("PASS\n"), "{}", said(&output));
    let simulate = || Command::new("make").arg("-C").arg(folder.join("ecp5")).arg("simulate").output().unwrap();
    let output = simulate();
    assert!(output.status.success() && said(&output).contains("\nPASS\n"), "{}", said(&output));
    assert!(!said(&output).contains("EHXPLLL:"), "{}", said(&output));
    // A clock of the memory in phase with the accelerator's fails the hold of its commands.
    let board = folder.join("ecp5/widths_board.v");
    let text = std::fs::read_to_string(&board).unwrap();
    let spoilt = text.replace(".CLKOS_CPHASE    (9)", ".CLKOS_CPHASE    (5)").replace("FPHASE    (4)", "FPHASE    (0)");
    assert_ne!(text, spoilt);
    std::fs::write(&board, spoilt).unwrap();
    let output = simulate();
    assert!(!output.status.success() && said(&output).contains("VIOLATION tIH"), "{}", said(&output));
}

mod soak {
    use super::*;

    /// Yosys, nextpnr and ecppack, of PyPI's yowasp packages where there is a network.
    #[test]
    #[ignore = "installs nextpnr for ECP5 from PyPI: make ulx3s"]
    fn the_flow_ends_with_a_bitstream() {
        let script = root("scripts/synth_tools.sh");
        let installed = Command::new(&script).arg(root("target/synth/tools")).output().unwrap();
        assert!(installed.status.success(), "nextpnr for ECP5 cannot be installed:\n{}", said(&installed));
        let nextpnr = PathBuf::from(String::from_utf8_lossy(&installed.stdout).trim());
        let scratch = tempfile::tempdir().unwrap();
        let ecp5 = folder("examples/dma.c", scratch.path()).join("ecp5");
        let output = Command::new("make")
            .arg("-C")
            .arg(&ecp5)
            .arg(format!("NEXTPNR={}", nextpnr.display()))
            .arg(format!("ECPPACK={}", nextpnr.with_file_name("yowasp-ecppack").display()))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let report: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(ecp5.join("report.json")).unwrap()).unwrap();
        let clocks = report["fmax"].as_object().unwrap();
        assert_eq!(clocks.len(), 1, "{clocks:?}");
        for clock in clocks.values() {
            assert!(clock["achieved"].as_f64() >= Some(100.0) && clock["constraint"] == 100.0, "{clock}");
        }
        let used = |cell: &str| report["utilization"][cell]["used"].as_u64().unwrap();
        // 39 pins of the memory, of which all but chip select have registers; oscillator, button, LEDs, and one kept high.
        assert_eq!((used("TRELLIS_IO"), used("IOLOGIC"), used("EHXPLLL")), (45, 38, 1));
        let bitstream = std::fs::read(ecp5.join("dma.bit")).unwrap();
        let header = String::from_utf8_lossy(&bitstream[..200]).into_owned();
        assert!(header.contains("LFE5U-85F-6CABGA381"), "{header}");
        assert!(bitstream.len() > 100_000, "{} bytes", bitstream.len());
    }
}
