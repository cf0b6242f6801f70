//! Every key of every board profile counts: another value gives another folder, or is refused.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::*;
use crate::board::{self, Board};
use crate::diagnostic::Diagnostic;
use crate::hardware;
use crate::simulate::samples;
use crate::source::Source;
use crate::{Options, analyze, verilog};

/// Keys that say what a device is: burstc's choices and limits follow from them, and the report repeats them. All others
/// must change Verilog, bench, constraints or scripts.
const FACTS: [&str; 9] = [
    "name",
    "device.family",
    "device.part",
    "device.aluts",
    "device.registers",
    "device.dsp_18x18",
    "device.block_ram",
    "memory.capacity_bytes",
    "memory.ports",
];

type Folder = BTreeMap<String, Vec<u8>>;

/// What a board makes of one small kernel.
struct Maker {
    offload: Offload,
}

impl Maker {
    fn new(board: &Board) -> Maker {
        let text = "#include <stdint.h>\n#pragma burstc size(N: 40, max 64)\nvoid copy(int N, int32_t a[N], int32_t b[N])\n\
                    {\n#pragma burstc tile(i:16)\nfor (int i = 0; i < N; i++)\n    b[i] = a[i];\n}\n";
        let source = Source { path: "copy.c".into(), text: text.into(), cpp_args: vec![] };
        Maker { offload: analyze(&source, board, &Options::default()).unwrap() }
    }

    fn folder(&self, board: &Board) -> Folder {
        let design = hardware::generate(&self.offload, board.memory.link()).unwrap();
        let files = verilog(&design, "// copy").unwrap();
        let sizes = samples::set(&[("N", 40)]);
        let sample = Job::new(&self.offload.kernel, &sizes, board.memory.capacity_bytes(), 1).unwrap();
        let project = Project {
            offload: &self.offload,
            board,
            files: &files,
            direct_files: &[],
            rust_hdl: None,
            sample: &sample,
            expected: &sample.image,
            max_cycles: 1000,
            report: &BuildReport::new(&self.offload, board, "copy_top").to_json().unwrap(),
        };
        project.files().unwrap().into_iter().map(|file| (file.path, file.content)).collect()
    }
}

fn text(name: &str) -> String {
    std::fs::read_to_string(format!("{}/boards/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Calls `visit` with the path of every value below `value`, tables and lists included.
fn walk(value: &Value, path: &str, visit: &mut impl FnMut(&str)) {
    let inner = |key: &str| if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
    match value {
        Value::Table(table) => table.iter().for_each(|(key, value)| {
            visit(&inner(key));
            walk(value, &inner(key), visit);
        }),
        Value::Array(items) => items.iter().enumerate().for_each(|(index, value)| {
            visit(&inner(&index.to_string()));
            walk(value, &inner(&index.to_string()), visit);
        }),
        _ => {}
    }
}

fn at<'a>(value: &'a mut Value, path: &str) -> &'a mut Value {
    path.split('.').fold(value, |value, step| match value {
        Value::Array(items) => &mut items[step.parse::<usize>().unwrap()],
        value => &mut value[step],
    })
}

/// Other values of the same type, near and absurd.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Integer(v) => [v + 1, v * 2, v / 2, 0, -1, i64::MAX].map(Value::from).to_vec(),
        Value::Float(v) => {
            [v + 1.0, v * 2.0, v / 2.0, 0.0, -1.0, 1e300, f64::NAN, f64::INFINITY].map(Value::from).to_vec()
        }
        Value::String(s) => {
            let ends = ["1", "\n1", "\r", "\u{7}", "\"; exit", "\\", " $(exit)", "}", "\u{2028}"];
            let mut values: Vec<Value> = ends.iter().map(|end| Value::from(format!("{s}{end}"))).collect();
            values.push(Value::from(""));
            values
        }
        Value::Boolean(b) => vec![Value::from(!b)],
        Value::Datetime(_) => vec![],
        Value::Array(items) => {
            vec![Value::Array(vec![]), items[1..].to_vec().into(), [&items[..], &items[..1]].concat().into()]
        }
        Value::Table(table) => {
            let mut more = table.clone();
            more.insert("volts".into(), Value::from(3));
            vec![Value::Table(Table::new()), Value::Table(more)]
        }
    }
    .into_iter()
    .filter(|other| other != value)
    .collect()
}

#[test]
fn every_key_changes_the_folder_or_is_refused() {
    let (mut kept, mut refused) = (0, 0);
    for name in board::names() {
        let profile: Value = Value::Table(text(name).parse().unwrap());
        let own = board::load(name).unwrap();
        let maker = Maker::new(&own);
        let base = maker.folder(&own);
        let mut paths = vec![];
        walk(&profile, "", &mut |path| paths.push(path.to_string()));
        assert!(paths.len() > 20);
        for path in &paths {
            let is_fact = FACTS.iter().any(|fact| path.starts_with(fact));
            for other in others(at(&mut profile.clone(), path)) {
                let mut changed = profile.clone();
                *at(&mut changed, path) = other.clone();
                let place = format!("{name}: {path} = {other}");
                match Board::parse(&toml::to_string(&changed).unwrap(), "x.toml") {
                    Ok(board) => {
                        kept += 1;
                        let mut folder = maker.folder(&board);
                        if !is_fact {
                            for file in ["README.md", "report.json"] {
                                folder.insert(file.into(), base[file].clone());
                            }
                        }
                        assert!(folder != base, "{place}: makes no difference");
                    }
                    Err(error) => {
                        refused += 1;
                        let diagnostic =
                            error.downcast_ref::<Diagnostic>().unwrap_or_else(|| panic!("{place}: {error}"));
                        let (message, help) = (&diagnostic.message, &diagnostic.help);
                        assert!(message.starts_with("board profile x.toml") && !help.is_empty(), "{place}: {message}");
                        assert!(message.chars().all(|c| !c.is_control()) && message.len() < 400, "{place}: {message}");
                    }
                }
            }
        }
    }
    // Both happen, or nothing was shown.
    assert!(kept > 200 && refused > 1000, "{kept} {refused}");
}

/// A profile, what is replaced in it, and the files that must change by it.
type Change = (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

/// Figures that must agree, changed together.
#[test]
fn other_boards_make_other_folders() {
    let changes: [Change; 7] = [
        (
            "stratix2-ddr400",
            &[("rows = 4096", "rows = 2048"), ("= 16777216", "= 8388608"), ("width = 22", "width = 21")],
            &["rtl/copy_top.v", "sim/run.sh"],
        ),
        (
            "stratix2-ddr400",
            &[("mhz = 100.0", "mhz = 80.0"), ("mhz = 200.0", "mhz = 160.0"), ("s = 400.0", "s = 320.0")],
            &["rtl/copy_top.v", "sim/run.sh", "constraints/copy.sdc"],
        ),
        (
            "ulx3s",
            &[("rows = 8192", "rows = 4096"), ("= 33554432", "= 16777216"), ("width = 23", "width = 22")],
            &["rtl/copy_top.v", "sim/run.sh", "ecp5/Makefile"],
        ),
        (
            "ulx3s",
            &[("clock_mhz = 100.0", "clock_mhz = 75.0"), ("s = 200.0", "s = 150.0")],
            &["rtl/copy_top.v", "sim/run.sh", "ecp5/copy_board.v", "ecp5/copy.lpf"],
        ),
        (
            "arty-a7",
            &[("data_bits = 128", "data_bits = 64"), ("1333.328", "666.664")],
            &["rtl/copy_top.v", "sim/run.sh"],
        ),
        (
            "pynq-z2",
            &[("mhz = 100.0", "mhz = 125.0"), ("s = 800.0", "s = 1000.0")],
            &["constraints/copy.xdc", "sim/run.sh"],
        ),
        ("de10-nano", &[("address_bits = 32", "address_bits = 30")], &["rtl/copy_top.v", "quartus/copy_hw.tcl"]),
    ];
    for (name, replacements, changed) in changes {
        let own = board::load(name).unwrap();
        let maker = Maker::new(&own);
        let text = replacements.iter().fold(text(name), |text, (from, to)| {
            assert!(text.contains(from), "{name}: {from}");
            text.replace(from, to)
        });
        let (base, folder) = (maker.folder(&own), maker.folder(&Board::parse(&text, name).unwrap()));
        for path in changed {
            assert!(base[*path] != folder[*path], "{name}: {replacements:?} does not change {path}");
        }
    }
}

/// The memory's times are those of the profile in controller, bench and device.
#[test]
fn ddr_timing_reaches_controller_and_device() {
    let text = text("stratix2-ddr400").replace("rcd = 3", "rcd = 5").replace("refi = 3120", "refi = 1000");
    let board = Board::parse(&text, "x.toml").unwrap();
    let folder = Maker::new(&board).folder(&board);
    let file = |path: &str| String::from_utf8(folder[path].clone()).unwrap();
    for parameter in [".T_RCD", ".T_REFI", ".INIT_CLOCKS"] {
        assert!(file("rtl/copy_top.v").contains(parameter), "{parameter}");
    }
    let run = file("sim/run.sh");
    for parameter in ["-DDDR_DEVICE=", ".TRCD(5)", ".TREFI(1000)", "-DDDR_CONTROLLER=", ".T_RCD(5)", ".T_REFI(1000)"] {
        assert!(run.contains(parameter), "{parameter}");
    }
}
