//! The output folder of a small accelerator written by hand.

use std::path::Path;
use std::process::{Command, Output};

use super::*;
use crate::ids::ArrayId;
use crate::offload::{Buffer, Mapping, Scan};
use crate::simulate::samples;

fn offload() -> Offload {
    Offload {
        kernel: samples::copy(),
        bands: Default::default(),
        tiles: Scan { pieces: vec![] },
        source_order: Scan { pieces: vec![] },
        buffers: vec![Buffer::new(ArrayId(0), vec![Some(Mapping::successive(vec![64], vec![60], 1))].into())],
        windows: vec![],
        strips_depend: false,
        written: vec![],
        lanes_note: None,
        units_note: None,
        strips_note: None,
        ports: Default::default(),
    }
}

/// Writes the project of the copying accelerator for N = 40; `spoil` changes the memory that is expected.
fn write(target: &Path, spoil: bool) {
    write_with(target, spoil, true);
}

/// The same, maybe where nobody knows what is expected.
fn write_with(target: &Path, spoil: bool, is_known: bool) {
    let offload = offload();
    let board = crate::board::load("stratix2-ddr400").unwrap();
    let sample = Job::new(&offload.kernel, &samples::set(&[("N", 40)]), board.memory.capacity_bytes(), 3).unwrap();
    let (a, b) = (sample.placement.regions[0].base as usize, sample.placement.regions[1].base as usize);
    let mut expected = sample.image.clone();
    expected.copy_within(a..a + 160, b);
    expected[b + 1] ^= u8::from(spoil);
    let report = BuildReport::new(&offload, &board, "copy_top").to_json().unwrap();
    let files = samples::copy_design();
    let project = Project {
        offload: &offload,
        board: &board,
        files: &files,
        direct_files: &files[..1],
        rust_hdl: None,
        sample: &sample,
        expected: if is_known { &expected } else { &[] },
        max_cycles: 10_000,
        report: &report,
    };
    folder::write(target, &project.files().unwrap(), false).unwrap();
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Runs a Tcl file with stubs for Quartus' commands; returns what they were called with, one call per line.
fn tcl(file: &Path) -> Option<String> {
    let stubs = "proc unknown {args} { puts [join $args { }]; return {} }\n\
                 rename source tcl_source\n";
    let script = format!("{stubs}tcl_source {{{}}}\n", file.display());
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("stubs.tcl");
    std::fs::write(&path, script).unwrap();
    let output = match Command::new("tclsh").arg(&path).output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => panic!("{error}"),
    };
    assert!(output.status.success(), "{}", said(&output));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// A C program that takes too long leaves nothing to compare with; all else is there.
#[test]
fn results_may_be_unknown() {
    let scratch = tempfile::tempdir().unwrap();
    let folders = [true, false].map(|is_known| {
        let target = scratch.path().join(is_known.to_string());
        write_with(&target, false, is_known);
        target
    });
    let has = |file: &str| folders.clone().map(|folder| folder.join(file).exists());
    assert_eq!(has("sim/data/expected.hex"), [true, false]);
    assert_eq!(has("sim/data/before.hex"), [true, true]);
    let says =
        folders.map(|folder| std::fs::read_to_string(folder.join("README.md")).unwrap().contains("without results"));
    assert_eq!(says, [false, true]);
}

#[test]
fn constraints_are_tcl_and_name_what_is_there() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("out");
    write(&target, false);
    let Some(calls) = tcl(&target.join("quartus/copy.qsf")) else { return };
    assert!(calls.contains("set_global_assignment -name DEVICE EP2S180F1508C3\n"), "{calls}");
    assert!(calls.contains("set_global_assignment -name TOP_LEVEL_ENTITY copy_top\n"), "{calls}");
    let files: Vec<&str> = calls.lines().filter_map(|call| call.split("_FILE ").nth(1)).collect();
    assert_eq!(files.len(), samples::copy_design().len() + 1);
    for file in files {
        assert!(target.join("quartus").join(file).is_file(), "{file}");
    }
    let Some(calls) = tcl(&target.join("constraints/copy.sdc")) else { return };
    assert!(calls.contains("create_clock -name clk -period 10.000"), "{calls}");
    // Every port of the top is constrained: the patterns match them all.
    let top = std::fs::read_to_string(target.join("rtl/copy_top.v")).unwrap();
    let ports = top.lines().take_while(|line| !line.starts_with(");")).filter(|line| line.contains("put wire"));
    let patterns: Vec<&str> = calls.split([' ', '\n']).collect();
    for port in ports.filter_map(|line| line.trim_end_matches(',').split_whitespace().last()) {
        let matches = |pattern: &&str| match pattern.strip_suffix('*') {
            Some(prefix) => port.starts_with(prefix),
            None => port == *pattern,
        };
        assert!(patterns.iter().any(matches), "{port} is not constrained: {calls}");
    }
}

#[test]
fn the_folder_simulates_itself_on_both_simulators() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("out");
    write(&target, false);
    let run = |arguments: &[&str]| {
        Command::new(target.join("sim/run.sh")).args(arguments).current_dir(scratch.path()).output().unwrap()
    };
    for simulator in ["verilator", "icarus"] {
        let output = run(&[simulator, "out.vcd"]);
        assert!(output.status.success() && said(&output).ends_with("PASS\n"), "{}", said(&output));
        let vcd = scratch.path().join("out.vcd");
        assert!(std::fs::read_to_string(&vcd).unwrap().contains("m_cmd_valid"));
        std::fs::remove_file(vcd).unwrap();
    }
    assert_eq!(run(&["modelsim"]).status.code(), Some(2));
    // Another model by a macro, here our own again: it is filled and read through a second controller.
    for simulator in ["verilator", "icarus"] {
        let script = target.join("sim/run.sh");
        let output = Command::new(script).arg(simulator).env("BURSTC_DEVICE", "ddr_sdram").output().unwrap();
        assert!(output.status.success() && said(&output).ends_with("PASS\n"), "{}", said(&output));
    }
    write(&target, true);
    let output = run(&["icarus"]);
    assert!(!output.status.success() && said(&output).contains("FAIL: memory differs"), "{}", said(&output));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let scratch = tempfile::tempdir().unwrap();
    let list = |name: &str| {
        let target = scratch.path().join(name);
        write(&target, false);
        let mut content = Vec::new();
        collect(&target, &target, &mut content);
        content.sort();
        content
    };
    assert_eq!(list("one"), list("two"));
    let names: Vec<String> = list("one").into_iter().map(|(name, _)| name).filter(|n| !n.starts_with("rtl/")).collect();
    assert_eq!(
        names,
        [
            ".burstc",
            "README.md",
            "constraints/copy.sdc",
            "copy.h",
            "quartus/copy.qpf",
            "quartus/copy.qsf",
            "report.json",
            "sim/compare.awk",
            "sim/data/before.hex",
            "sim/data/expected.hex",
            "sim/data/registers.txt",
            "sim/ddr_phy_behavioural.v",
            "sim/ddr_sdram.v",
            "sim/run.sh",
            "sim/tb_accelerator.v",
        ]
    );
}

fn collect(root: &Path, folder: &Path, content: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, content);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_string();
            content.push((name, std::fs::read(&path).unwrap()));
        }
    }
}

#[test]
fn readme_lists_every_argument() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("out");
    write(&target, false);
    let readme = std::fs::read_to_string(target.join("README.md")).unwrap();
    assert!(readme.contains("| 9 | `a`: byte address of the array, a multiple of 8 |"), "{readme}");
    let report = std::fs::read_to_string(target.join("report.json")).unwrap();
    let report: BuildReport = serde_json::from_str(&report).unwrap();
    assert_eq!((report.tiling.buffer_bits, report.tiling.block_ram_bits), (64 * 32, 9_383_040));
}

/// `sim/compare.awk` takes any NaN for another one, in arrays of floating-point numbers alone.
#[test]
fn dumps_are_compared_like_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let same = |floats: &str, expected: &[u8], found: &[u8]| {
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, hex(bytes)).unwrap();
            path
        };
        let mut compare = Command::new("awk");
        compare.arg("-v").arg(format!("floats={floats}")).arg("-f").arg(folder.path().join("compare.awk"));
        let output = compare.arg(file("expected", expected)).arg(file("found", found)).output().unwrap();
        assert!(output.status.success() == output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
        output.status.success()
    };
    std::fs::write(folder.path().join("compare.awk"), COMPARE).unwrap();
    let floats = |values: [u32; 3]| values.map(u32::to_le_bytes).concat();
    let (nan, other, infinity) = (f32::NAN.to_bits(), 0xff80_0001, f32::INFINITY.to_bits());
    assert!(same("", &floats([1, 2, 3]), &floats([1, 2, 3])));
    assert!(!same("", &floats([1, 2, 3]), &floats([1, 2, 3])[..8]));
    assert!(same("4:8:4", &floats([1, nan, nan]), &floats([1, other, nan | 1 << 31])));
    assert!(!same("4:8:4", &floats([nan, nan, 3]), &floats([other, nan, 3])));
    for wrong in [infinity, infinity | 1 << 31, 1, nan & !(1 << 30)] {
        assert!(!same("4:8:4", &floats([1, 2, nan]), &floats([1, 2, wrong])), "{wrong:x}");
        assert!(!same("4:8:4", &floats([1, 2, wrong]), &floats([1, 2, nan])), "{wrong:x}");
    }
    let doubles = |values: [u64; 2]| values.map(u64::to_le_bytes).concat();
    let (nan, infinity) = (f64::NAN.to_bits(), f64::INFINITY.to_bits());
    assert!(same("0:16:8", &doubles([nan, 5]), &doubles([infinity + 1, 5])));
    assert!(!same("0:16:8", &doubles([nan, 5]), &doubles([infinity, 5])));
    assert!(!same("0:16:8", &doubles([nan, 5]), &doubles([nan, 4])));
}
