//! The SDR SDRAM controller and its PHY for ECP5 against the device model: all traffic clean, and every timing of the
//! controller, shortened by itself, caught under the rule's name. And the bench of the model.

use std::process::Command;

use super::every_one_is_caught;

fn bench(overrides: &str, patterns: &str) -> (bool, String) {
    bench_with("", overrides, patterns)
}

/// [`bench`] with macros.
fn bench_with(defines: &str, overrides: &str, patterns: &str) -> (bool, String) {
    super::bench("sdr", defines, overrides, patterns)
}

#[test]
fn all_traffic_keeps_every_rule() {
    let patterns = "start sequential_read+count=16 sequential_write+count=16 copy+count=16 copy+block=64+count=256 \
                    random+count=200 short+count=2000 row_cycle+count=600 dependent+count=200 stalled+count=3";
    super::passes("sdr", patterns);
}

#[test]
fn nothing_is_unknown() {
    let (passed, text) = bench("", "copy+block=64+count=16 short+count=200 stalled+count=1");
    assert!(passed, "{text}");
    let (passed, text) = bench("CAS_LATENCY=2", "random+seed=2+count=60");
    assert!(passed, "{text}");
}

/// 1 KB pages of both directions, one after the other: 0.98 of the bus, which moves half a word per cycle.
#[test]
fn pages_stream_without_gaps() {
    let bench = super::verilated("sdr");
    for pattern in ["sequential_read+count=32", "sequential_write+count=32", "copy+block=1024+count=16"] {
        let text = bench.run(&super::plusargs(pattern));
        let rate = text.split("rate=").nth(1).and_then(|rest| rest.split(' ').next()).expect("a rate");
        assert!(rate.parse::<f64>().expect("a number") >= 0.49, "{pattern}: {text}");
    }
}

/// The ways out of and into the FPGA, between fast and what the PHY's header allows at 100 MHz: 7.1 ns together.
#[test]
fn pins_may_be_slow_and_fast() {
    for (output, input, good) in [(300, 100, true), (4000, 3000, true), (4200, 3000, false)] {
        let defines = format!("-DECP5_OUTPUT_PS={output} -DECP5_INPUT_PS={input}");
        let (passed, text) = bench_with(&defines, "", "copy+block=64+count=16");
        assert_eq!(passed, good, "{defines}:\n{text}");
    }
}

/// What is shortened, the traffic that shows it, the rule that the device must name. Where the controller's own pace
/// keeps a time of the real device, the bench's device wants more, and the controller knows, less one clock.
const SHORTENED: &[(&str, &str, &str)] = &[
    ("T_RCD=2", "sequential_read+count=16", "tRCD"),
    ("T_RP=2", "row_cycle+count=100", "tRP"),
    ("T_RAS=6 DEVICE_T_RAS=70000", "row_cycle+count=300", "tRAS_min"),
    ("T_RC=8 DEVICE_T_RC=90000", "row_cycle+count=300", "tRC"),
    ("T_RRD=5 DEVICE_T_RRD=60000", "short+count=300", "tRRD"),
    ("T_WR=1", "copy+block=64+count=256", "tWR"),
    ("T_RFC=6", "start", "tRFC"),
    ("T_MRD=10 DEVICE_T_MRD=120000", "start", "tMRD"),
    ("T_REFI=1600", "stalled+count=2", "tREFI"),
    ("INIT_CLOCKS=180", "start", "init_wait"),
];

#[test]
fn every_shortened_timing_is_caught() {
    every_one_is_caught("sdr", SHORTENED);
}

#[test]
fn their_unshortened_partners_are_clean() {
    for (overrides, pattern) in [
        ("T_RAS=7 DEVICE_T_RAS=70000", "row_cycle+count=300"),
        ("T_RC=9 DEVICE_T_RC=90000", "row_cycle+count=300"),
        ("T_RRD=6 DEVICE_T_RRD=60000", "short+count=300"),
        ("T_MRD=12 DEVICE_T_MRD=120000", "start"),
    ] {
        let (passed, text) = bench(overrides, pattern);
        assert!(passed, "{overrides}: {text}");
    }
}

#[test]
fn the_device_model_passes_its_bench() {
    let scratch = tempfile::tempdir().expect("a folder");
    let program = scratch.path().join("bench");
    let sim = |name: &str| format!("{}/sim/{name}", env!("CARGO_MANIFEST_DIR"));
    let compiled = Command::new("iverilog")
        .args(["-g2005", "-Wall", "-o"])
        .arg(&program)
        .args([sim("sdr_sdram.v"), sim("tb_sdr_sdram.v")])
        .output()
        .expect("iverilog runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new("vvp").arg("-n").arg(&program).output().expect("vvp runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.ends_with("passed, 0 failed\n") && !text.ends_with("\n0 passed, 0 failed\n"), "{text}");
}
