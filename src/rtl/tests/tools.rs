//! Verilator, Icarus and Yosys on printed modules.

use std::path::Path;
use std::process::Command;

/// Runs a tool in `folder` and gives what it wrote; fails the test unless it succeeds.
pub fn run(folder: &Path, tool: &str, arguments: &[&str]) -> String {
    let output = Command::new(tool).args(arguments).current_dir(folder).output().expect("the tool is installed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{tool} {arguments:?} failed:\n{text}");
    text
}

/// Verilator's lint with every warning on but those excepted; the files' names are their modules'.
pub fn lint(folder: &Path, top: &str, except: &[&str]) {
    let file = format!("{top}.v");
    let arguments = ["--lint-only", "-Wall", "--top-module", top, &file];
    let text = run(folder, "verilator", &[&arguments[..], except].concat());
    assert!(!text.contains("%Warning"), "{text}");
}

pub fn yosys_check(folder: &Path, top: &str) {
    let script = format!("read_verilog *.v; hierarchy -check -top {top}; proc; check -assert");
    let text = run(folder, "yosys", &["-q", "-p", &script]);
    assert!(!text.contains("Warning"), "{text}");
}

pub fn icarus_compile(folder: &Path, arguments: &[&str]) {
    let text = run(folder, "iverilog", &[&["-g2001", "-Wall"], arguments].concat());
    let text: Vec<&str> = text.lines().filter(|line| !line.contains("timescale")).collect();
    assert!(text.is_empty(), "{text:?}");
}
