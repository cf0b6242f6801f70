//! The DDR and the SDR SDRAM controllers against the models of their devices, and the benches of the cells and the models.

mod ddr;
mod sdr;

use std::process::Command;

/// The `icarus` bench of the controller for `memory` under macros, parameters and patterns: whether it passed, and what it
/// printed.
fn bench(memory: &str, defines: &str, overrides: &str, patterns: &str) -> (bool, String) {
    let output = Command::new("bash")
        .args([concat!(env!("CARGO_MANIFEST_DIR"), "/tests/controller.sh"), memory, "icarus"])
        .env("DEFINES", defines)
        .env("OVERRIDES", overrides)
        .env("PATTERNS", patterns)
        .env("LINES_SHOWN", "500")
        .output()
        .expect("bash runs");
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.success(), text)
}

/// Every timing of the controller, shortened by itself, must be caught: what is shortened, the traffic that shows it, the
/// rule that the device must name.
fn every_one_is_caught(memory: &str, shortened: &[(&str, &str, &str)]) {
    for (overrides, pattern, rule) in shortened {
        let (passed, text) = bench(memory, "", overrides, pattern);
        let complaint = format!("VIOLATION {rule} ");
        assert!(!passed && text.contains(&complaint), "{overrides} under {pattern}: no {rule}\n{text}");
    }
}

fn script(name: &str, argument: &str) {
    let path = format!("{}/tests/{name}", env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("bash").args([&path, argument]).output().expect("bash runs");
    assert!(output.status.success(), "{name} {argument}:\n{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn the_cells_pass_their_benches() {
    script("cells.sh", "iverilog");
}
