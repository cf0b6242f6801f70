//! The DDR controller against the device model: all traffic clean, and every timing of the controller, shortened by
//! itself, caught under the rule's name.

use super::{every_one_is_caught, script};

fn bench(overrides: &str, patterns: &str) -> (bool, String) {
    super::bench("ddr", "", overrides, patterns)
}

#[test]
fn all_traffic_keeps_every_rule() {
    let patterns = "start sequential_read+count=16 sequential_write+count=16 copy+count=32 copy+block=64+count=256 \
                    random+count=300 random+seed=2+count=300 short+count=3000 row_cycle+count=1000 dependent+count=300 stalled";
    super::passes("ddr", patterns);
}

#[test]
fn nothing_is_unknown() {
    let (passed, text) = bench("", "copy+block=64+count=32 random+count=60 short+count=300 stalled+count=1");
    assert!(passed, "{text}");
}

/// What is shortened, the traffic that shows it, the rule that the device must name.
const SHORTENED: &[(&str, &str, &str)] = &[
    ("T_RCD=2", "short", "tRCD"),
    ("T_RP=2", "start", "tRP"),
    ("T_RAS=7", "row_cycle+count=1000", "tRAS_min"),
    // With the device's own tRC = tRAS + tRP no controller can break it alone, so the device wants one clock more.
    ("T_RC=12 DEVICE_T_RC=13", "row_cycle+count=1000", "tRC"),
    ("T_RRD=1", "sequential_read+count=16", "tRRD"),
    ("T_WR=2", "copy+block=64+count=256", "tWR"),
    // Reads leave in slot 0 and writes in slot 1, so a tWTR of 1 gives the same distance as 2.
    ("T_WTR=0", "copy+block=64+count=256", "tWTR"),
    ("T_RFC=13", "start", "tRFC"),
    ("T_MRD=1", "start", "tMRD"),
    ("T_REFI=6240", "stalled+count=2", "tREFI"),
    ("CAS_LATENCY=2", "start", "mode_register"),
    ("INIT_CLOCKS=380", "start", "init_wait"),
    ("DLL_CLOCKS=180", "start", "tDLL"),
];

#[test]
fn every_shortened_timing_is_caught() {
    every_one_is_caught("ddr", SHORTENED);
}

#[test]
fn the_unshortened_partner_of_trc_is_clean() {
    let (passed, text) = bench("T_RC=13 DEVICE_T_RC=13", "row_cycle+count=1000");
    assert!(passed, "{text}");
}

/// The ends of what a board profile may ask for (`board/schema.rs`), and times as real devices have none.
const RANGES: &[[u32; 10]] = &[
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 3120],
    [30, 30, 30, 30, 30, 27, 27, 30, 30, 1000],
    [1, 30, 1, 30, 1, 27, 1, 30, 1, 400],
    [30, 1, 30, 1, 30, 1, 27, 1, 30, 500],
];

#[test]
fn every_timing_that_a_profile_may_have_is_kept() {
    let names = ["T_RCD", "T_RP", "T_RAS", "T_RC", "T_RRD", "T_WR", "T_WTR", "T_RFC", "T_MRD", "T_REFI"];
    for times in RANGES {
        let overrides = names.iter().zip(times).map(|(name, clocks)| format!("{name}={clocks} DEVICE_{name}={clocks}"));
        let overrides = overrides.collect::<Vec<_>>().join(" ");
        let (passed, text) = bench(&overrides, "start copy+block=64+count=64 short+count=300 row_cycle+count=200");
        assert!(passed, "{overrides}: {text}");
    }
}

#[test]
fn the_device_model_passes_its_bench() {
    script("ddr_sdram.sh", "iverilog");
}
