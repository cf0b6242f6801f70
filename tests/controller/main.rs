//! The DDR and the SDR SDRAM controllers against the models of their devices, and the benches of the cells and the models.
//! Long traffic runs under Verilator, short traffic under Icarus, too, whose four states show what was never set.

mod ddr;
mod sdr;
#[path = "../common/verilated.rs"]
mod verilated;

use std::path::PathBuf;
use std::process::Command;

use verilated::Bench;

/// The Verilog files whose paths begin so, in a folder of this repository.
fn files(folder: &str, begins: &str) -> Vec<PathBuf> {
    let folder = format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"));
    let paths = std::fs::read_dir(folder).expect("the folder is here").map(|entry| entry.expect("readable").path());
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files: Vec<PathBuf> =
        paths.filter(|path| name(path).starts_with(begins) && name(path).ends_with(".v")).collect();
    files.sort();
    files
}

/// The controller for `memory` under Verilator, with a model of its PHY or with that of ECP5 and models of its cells.
fn verilated(memory: &str) -> Bench {
    let mut sources = files("sim", &format!("tb_{memory}_controller"));
    sources.extend(files("sim", &format!("{memory}_sdram")));
    sources.extend(if memory == "ddr" { files("sim", "ddr_phy") } else { files("sim/ecp5", "") });
    Bench::new(&format!("tb_{memory}_controller"), &sources)
}

/// All `patterns` pass under Verilator; each as `tests/controller.sh` takes it.
fn passes(memory: &str, patterns: &str) {
    let bench = verilated(memory);
    for pattern in patterns.split_whitespace() {
        let text = bench.run(&plusargs(pattern));
        assert!(text.lines().any(|line| line.ends_with(" passed, 0 failed")), "{pattern}:\n{text}");
    }
}

/// `name+option=value` as a bench's arguments.
fn plusargs(pattern: &str) -> Vec<String> {
    let words = pattern.split('+').map(|word| format!("+{word}"));
    words.enumerate().map(|(place, word)| if place == 0 { word.replacen('+', "+pattern=", 1) } else { word }).collect()
}

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
        // What comes after the rule is broken shows nothing more.
        let (passed, text) = bench(memory, "", overrides, &format!("{pattern}+until={rule}"));
        let complaint = format!("VIOLATION {rule} ");
        assert!(!passed && text.contains(&complaint), "{overrides} under {pattern}: no {rule}\n{text}");
    }
}

fn script(name: &str, argument: &str) {
    let path = format!("{}/tests/{name}", env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("bash").args([&path, argument]).output().expect("bash runs");
    assert!(output.status.success(), "{name} {argument}:\n{}", String::from_utf8_lossy(&output.stdout));
}

/// A test for each cell that has a bench.
macro_rules! cells {
    ($($cell:ident)*) => {
        mod cells_pass_their_benches {
            use super::*;

            $(
                #[test]
                fn $cell() {
                    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cells.sh");
                    let output = Command::new("sh").args([path, "iverilog", stringify!($cell)]).output().expect("sh runs");
                    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
                }
            )*
        }

        /// `tests/cells.sh` has no others.
        #[test]
        fn every_bench_of_a_cell_is_run() {
            let script = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cells.sh")).expect("it is here");
            let lists = script.lines().filter_map(|line| {
                let list = line.strip_prefix("streams=").or(line.strip_prefix("wholes="))?;
                Some(list.trim_matches('\'').split(' '))
            });
            let lists: Vec<&str> = lists.flatten().collect();
            assert_eq!(lists, [$(stringify!($cell)),*]);
        }
    };
}

cells! {
    fifo token_fifo divide_serial divide_pipelined memory_arbiter word_unpacker word_packer row_packer stream_register
    dual_port_ram cycle_counters store_tracker axi4_master avalon_master axi4_checker avalon_checker
}
