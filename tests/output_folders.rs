//! Output folders for boards with a bus: they simulate themselves, and the scripts for vendors' tools, which cannot run
//! here, are Tcl that names what is there, with stubs in place of the tools' commands.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use burstc::board;

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Builds a kernel with elements of all widths.
fn folder(board: &str, scratch: &Path) -> PathBuf {
    let folder = scratch.join(board);
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels/widths.c");
    let mut command = Command::new(env!("CARGO_BIN_EXE_burstc"));
    let output = command.arg("build").arg(kernel).args(["--board", board, "--out"]).arg(&folder).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    folder
}

/// Runs a Tcl file with stubs for the tool's commands; gives its calls, one per line, or `None` without a tclsh.
fn calls(file: &Path, scratch: &Path) -> Option<String> {
    let stubs = "proc unknown {args} { puts [join $args { }]; return stub }\n\
                 rename source tcl_source\nrename package tcl_package\n";
    let script = scratch.join("stubs.tcl");
    std::fs::write(&script, format!("{stubs}tcl_source {{{}}}\n", file.display())).unwrap();
    match Command::new("tclsh").arg(&script).output() {
        Ok(output) => {
            assert!(output.status.success(), "{}: {}", file.display(), said(&output));
            Some(String::from_utf8(output.stdout).unwrap())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => panic!("{error}"),
    }
}

/// Direction, width and name of every port of the top.
fn ports(folder: &Path) -> Vec<(String, u32, String)> {
    let text = std::fs::read_to_string(folder.join("rtl/widths_top.v")).unwrap();
    let port = |line: &str| {
        let (code, _) = line.split_once("//").unwrap_or((line, ""));
        let words: Vec<&str> = code.trim().trim_end_matches(',').split_whitespace().collect();
        let (direction, name) = (words.first()?.to_string(), words.last()?.to_string());
        let width =
            words.iter().find_map(|w| w.strip_prefix('[')?.split(':').next()?.parse().ok()).map_or(1, |w: u32| w + 1);
        ["input", "output"].contains(&direction.as_str()).then_some((direction, width, name))
    };
    text.lines().take_while(|line| !line.starts_with(");")).filter_map(port).collect()
}

fn verilog(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder.join("rtl")).unwrap();
    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn they_simulate_themselves() {
    let scratch = tempfile::tempdir().unwrap();
    for board in ["de10-nano", "arty-a7", "pynq-z2", "zcu104", "alveo-u50", "generic-axi4", "generic-avalon"] {
        let folder = folder(board, scratch.path());
        let mut command = Command::new(folder.join("sim/run.sh"));
        let output = command.arg("icarus").env("BURSTC_MEMORY", "+latency=17 +stalls=2").output().unwrap();
        assert!(output.status.success() && said(&output).ends_with("PASS\n"), "{board}: {}", said(&output));
        let core = std::fs::read_to_string(folder.join("widths.core")).unwrap();
        let listed = core.lines().filter_map(|line| line.strip_prefix("      - ")?.split(':').next());
        let listed: Vec<&str> = listed.collect();
        assert!(verilog(&folder).iter().all(|file| listed.contains(&format!("rtl/{file}").as_str())), "{core}");
        assert!(listed.iter().all(|file| folder.join(file).is_file()), "{core}");
    }
}

#[test]
fn quartus_files_name_what_is_there() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = folder("de10-nano", scratch.path());
    let Some(component) = calls(&folder.join("quartus/widths_hw.tcl"), scratch.path()) else { return };
    // Every port of the top is in the component, with its direction and width, and no other.
    let ports = ports(&folder);
    let declared: Vec<&str> = component.lines().filter(|call| call.starts_with("add_interface_port ")).collect();
    assert_eq!(declared.len(), ports.len());
    for (direction, width, name) in &ports {
        let direction = if direction == "input" { "Input" } else { "Output" };
        let found = declared.iter().any(|call| {
            let words: Vec<&str> = call.split_whitespace().collect();
            words[2] == *name && words[4] == direction && words[5] == width.to_string()
        });
        assert!(found, "{name} in\n{component}");
    }
    let project = calls(&folder.join("quartus/widths.qsf"), scratch.path()).unwrap();
    for file in verilog(&folder) {
        assert!(component.contains(&format!("add_fileset_file {file} VERILOG PATH ../rtl/{file}")), "{file}");
        assert!(project.contains(&format!("-name VERILOG_FILE ../rtl/{file}")), "{file}");
    }
    assert!(project.contains("-name DEVICE 5CSEBA6U23I7") && project.contains("-name TOP_LEVEL_ENTITY widths_top"));
    let timing = calls(&folder.join("constraints/widths.sdc"), scratch.path()).unwrap();
    assert!(timing.contains("create_clock -name clk -period 10.000"), "{timing}");
}

#[test]
fn vivado_files_name_what_is_there() {
    let scratch = tempfile::tempdir().unwrap();
    for name in ["arty-a7", "pynq-z2", "zcu104", "alveo-u50"] {
        let folder = folder(name, scratch.path());
        let part = board::load(name).unwrap().device.part;
        for script in ["project", "ip"] {
            let path = folder.join(format!("vivado/widths_{script}.tcl"));
            let Some(calls) = calls(&path, scratch.path()) else { return };
            assert!(
                calls.contains(&format!("-part {part} ")) && calls.contains("set_property top widths_top"),
                "{calls}"
            );
            for file in verilog(&folder) {
                assert!(calls.contains(&format!("vivado/../rtl/{file}\n")), "{file} in\n{calls}");
            }
        }
        // The buses that the packager looks for by the names of their ports.
        let has = |name: &str| ports(&folder).iter().any(|(.., port)| port == name);
        assert!(["m_axi_arvalid", "s_axil_awvalid", "irq", "clk", "rst"].iter().all(|port| has(port)));
        assert!(calls(&folder.join("constraints/widths.xdc"), scratch.path()).unwrap().contains("create_clock"));
    }
}
