//! `burstc build --emit rust-hdl`: the design in `tests/rust_hdl/` uses the component, and the Verilog that rust-hdl makes
//! of it is linted and simulated on the folder's own bench.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn succeeds(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn replace(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{} has no {from}", file.display());
    fs::write(file, text.replace(from, to)).unwrap();
}

#[test]
fn a_design_around_the_component_computes_what_the_c_program_does() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("vecsum");
    let kernel = Path::new(ROOT).join("examples/vecsum.c");
    succeeds(
        Command::new(env!("CARGO_BIN_EXE_burstc"))
            .arg("build")
            .arg(kernel)
            .args(["--max", "N=3000", "--emit", "rust-hdl", "--out"])
            .arg(&folder),
    );
    // rust-hdl is compiled once, into a folder of its own beside the other builds.
    let verilog = succeeds(
        Command::new(env!("CARGO"))
            .args(["run", "--release", "--quiet", "--locked", "--manifest-path"])
            .arg(Path::new(ROOT).join("tests/rust_hdl/Cargo.toml"))
            .arg("--target-dir")
            .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("rust_hdl"))
            .env("BURSTC_COMPONENT", folder.join("rust-hdl/vecsum.rs")),
    );

    // The design takes the accelerator's place in its folder.
    for entry in fs::read_dir(folder.join("rtl")).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let design = folder.join("rtl/top.v");
    fs::write(&design, verilog).unwrap();
    succeeds(
        Command::new("verilator")
            .args(["--lint-only", "-Wall", "-Wno-DECLFILENAME", "--top-module", "top"])
            .arg(&design),
    );
    replace(&folder.join("sim/run.sh"), "-DTOP=vecsum_top", "-DTOP=top");
    let inside = "dut.accelerator.u_vecsum_top.u_accelerator";
    replace(&folder.join("sim/tb_accelerator.v"), "dut.u_accelerator", inside);
    // Icarus takes minutes for the block in which rust-hdl copies every signal at every change.
    let said = succeeds(Command::new(folder.join("sim/run.sh")).arg("verilator"));
    assert!(said.ends_with("PASS\n"), "{said}");
}
