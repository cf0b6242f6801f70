//! Waveforms and their saved views: what a view names is in the waveform, the marker is where the first tile is taken, and GTKWave
//! opens it.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};
use std::process::Command;

use vcd::{Command as Change, IdCode, ScopeItem, Value};

/// A kernel with a walker of its own in each process, on a bus with several memory ports, and one behind the DDR controller.
const CASES: [(&str, &[&str]); 3] = [
    ("examples/matmul.c", &["--board", "generic-axi4", "--set", "N=8"]),
    ("tests/kernels/gemver.c", &["--board", "pynq-z2", "--set", "N=8", "--lanes", "2"]),
    ("tests/kernels/floyd_warshall.c", &["--board", "stratix2-ddr400", "--set", "N=6"]),
];

fn root(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn output(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// A run in the folder, with its waveform in `out.vcd` or `out.fst`; the text of that as a VCD.
fn run(folder: &Path, case: usize, simulator: &str, format: &str) -> Vec<u8> {
    let (kernel, more) = CASES[case];
    let (option, file) = (format!("--{format}"), format!("out.{format}"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_burstc"));
    command.arg("run").arg(root(kernel)).args(more).args(["--quiet", "--simulator", simulator, &option, &file]);
    output(command.current_dir(folder));
    let file = folder.join(file);
    match format {
        "fst" => plain(&output(Command::new("fst2vcd").arg(file))),
        _ => std::fs::read(file).unwrap(),
    }
}

/// Without the kinds of SystemVerilog, which an FST knows and the reader of VCDs does not.
fn plain(vcd: &[u8]) -> Vec<u8> {
    let line = |line: &str| {
        let mut words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "$scope" => words[1] = "module",
            "$var" => words[1] = "wire",
            _ => {}
        }
        words.join(" ") + "\n"
    };
    std::str::from_utf8(vcd).unwrap().lines().map(line).collect::<String>().into_bytes()
}

/// Every signal of a waveform, with its bits and its code.
fn hierarchy(items: &[ScopeItem], scope: &str, found: &mut BTreeMap<String, (u32, IdCode)>) {
    for item in items {
        match item {
            ScopeItem::Scope(inner) => hierarchy(&inner.items, &format!("{scope}{}.", inner.identifier), found),
            ScopeItem::Var(var) => {
                // With a range as part of the name, as some write it.
                let name = var.reference.split([' ', '[']).next().unwrap();
                found.insert(format!("{scope}{name}"), (var.size, var.code));
            }
            _ => {}
        }
    }
}

/// Signals of a save file with their bits, and whether they have names for states.
fn saved(text: &str) -> Vec<(String, u32, bool)> {
    let lines = text.lines().filter(|line| !line.starts_with(['[', '@', '*', '-', '^']));
    let signal = |line: &str| {
        let named = line.starts_with('+');
        let name = line.rsplit(' ').next().unwrap();
        match name.strip_suffix(":0]").and_then(|name| name.rsplit_once('[')) {
            Some((name, high)) => (name.to_string(), high.parse::<u32>().unwrap() + 1, named),
            None => (name.to_string(), 1, named),
        }
    };
    lines.map(signal).collect()
}

/// The views of a waveform are about it.
fn check(folder: &Path, waveform: &[u8]) {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let mut parser = vcd::Parser::new(BufReader::new(Cursor::new(waveform)));
    let header = parser.parse_header().unwrap();
    let mut signals = BTreeMap::new();
    hierarchy(&header.items, "", &mut signals);
    let (gtkw, sucl) = (read("out.gtkw"), read("out.sucl"));
    let saved = saved(&gtkw);
    for (name, width, _) in &saved {
        assert_eq!(signals.get(name).map(|(width, _)| width), Some(width), "{name}");
    }
    let commands: Vec<(&str, &str)> = sucl.lines().filter_map(|line| line.split_once(' ')).collect();
    let added: Vec<&str> = commands.iter().filter(|(command, _)| *command == "variable_add").map(|(_, n)| *n).collect();
    assert_eq!(added, saved.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>());
    // Groups begin and end, and are those that people look for.
    let groups = |flags: &str| {
        let lines: Vec<&str> = gtkw.lines().collect();
        let names = lines.windows(2).filter(|pair| pair[0] == flags).map(|pair| &pair[1][1..]);
        names.map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(groups("@800200"), groups("@1000200"));
    for name in ["Run", "Load", "Compute", "Store", "Tokens", "Memory", "Buffer", "States"] {
        assert!(groups("@800200").iter().any(|group| group.starts_with(name)), "{name}: {:?}", groups("@800200"));
    }
    // Every state is in a file of names, whose values its bits hold, and which Surfer is told of.
    for (line, (_, width, _)) in gtkw.lines().filter(|l| l.starts_with('^')).zip(saved.iter().filter(|s| s.2)) {
        let text = std::fs::read_to_string(line.split_once(' ').unwrap().1).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], format!("Bits = {width}"));
        let name = lines[0].strip_prefix("Name = ").unwrap();
        assert!(commands.contains(&("item_set_format", name)), "{name}");
        let values: Vec<u64> = lines[2..].iter().map(|l| l.split_once(' ').unwrap().0.parse().unwrap()).collect();
        assert!(values.len() > 1 && values.iter().all(|value| value >> width == 0), "{text}");
    }
    assert!(saved.iter().filter(|s| s.2).count() >= 3, "{gtkw}");
    check_marker(parser, &signals, &commands, &gtkw);
}

/// The marker is at the first edge of the clock at which a tile is taken.
fn check_marker(
    parser: vcd::Parser<impl std::io::BufRead>,
    signals: &BTreeMap<String, (u32, IdCode)>,
    commands: &[(&str, &str)],
    gtkw: &str,
) {
    let code = |end: &str| {
        let name = format!(".u_accelerator.{end}");
        signals.iter().find(|(signal, _)| signal.ends_with(&name)).map(|(_, (_, code))| *code).unwrap()
    };
    let [clk, valid, ready] = ["clk", "tile_valid", "tile_ready"].map(code);
    let mut values: HashMap<IdCode, Value> = HashMap::new();
    let mut now = 0;
    let mut first = None;
    // What an edge samples is what held before its time.
    let mut before = values.clone();
    for change in parser {
        match change.unwrap() {
            Change::Timestamp(time) => {
                now = time;
                before.clone_from(&values);
            }
            Change::ChangeScalar(code, value) => {
                let high = |code: IdCode| before.get(&code) == Some(&Value::V1);
                if code == clk && value == Value::V1 && !high(clk) && high(valid) && high(ready) {
                    first.get_or_insert(now);
                }
                values.insert(code, value);
            }
            _ => {}
        }
    }
    let first = first.expect("a tile is taken").to_string();
    let marker: Vec<&str> = gtkw.lines().find_map(|line| line.strip_prefix("*-")).unwrap().split(' ').collect();
    assert_eq!((marker[1], marker[2], marker.len()), (first.as_str(), first.as_str(), 28));
    assert!(commands.contains(&("cursor_set", first.as_str())), "{first}: {commands:?}");
}

#[test]
fn views_name_what_is_in_the_waveform() {
    for (case, simulator, format) in [
        (0, "icarus", "vcd"),
        (0, "icarus", "fst"),
        (1, "icarus", "fst"),
        (2, "icarus", "vcd"),
        (0, "verilator", "fst"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let waveform = run(folder.path(), case, simulator, format);
        println!("{case} {simulator} {format}");
        check(folder.path(), &waveform);
    }
}

#[test]
#[ignore = "slow: make test"]
fn views_of_verilators_waveforms() {
    for (case, format) in [(0, "vcd"), (1, "fst"), (2, "fst")] {
        let folder = tempfile::tempdir().unwrap();
        let waveform = run(folder.path(), case, "verilator", format);
        check(folder.path(), &waveform);
    }
}

/// What makes GTKWave tell its lines, and the values at the marker.
const TELL: &str = "\
for {set i 0} {$i < [gtkwave::getTotalNumTraces]} {incr i} {
    puts \"LINE [gtkwave::getTraceNameFromIndex $i]=[gtkwave::getTraceValueAtMarkerFromIndex $i]\"
}
puts \"MARKER [gtkwave::getMarker]\"
exit
";

/// Of a save file in another folder than it was written in.
#[test]
fn gtkwave_opens_the_view() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first");
    std::fs::create_dir(&first).unwrap();
    run(&first, 0, "icarus", "fst");
    let moved = folder.path().join("moved");
    std::fs::rename(&first, &moved).unwrap();
    std::fs::write(folder.path().join("tell.tcl"), TELL).unwrap();
    let gtkw = std::fs::read_to_string(moved.join("out.gtkw")).unwrap();
    let mut gtkwave = Command::new("xvfb-run");
    gtkwave.args(["-a", "timeout", "60", "gtkwave", "--script", "tell.tcl", "moved/out.gtkw"]);
    let said = output(gtkwave.current_dir(&folder).env("HOME", folder.path()));
    let said = String::from_utf8(said).unwrap();
    let lines: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("LINE ")).collect();
    let saved = saved(&gtkw);
    assert_eq!(lines.len(), saved.len() + gtkw.lines().filter(|line| line.starts_with('-')).count(), "{said}");
    // States have their names for values.
    let states: Vec<&&str> = lines.iter().filter(|line| line.contains("state=")).collect();
    assert_eq!(states.len(), saved.iter().filter(|s| s.2).count(), "{said}");
    assert!(states.iter().all(|line| line.split_once('=').unwrap().1.starts_with(char::is_alphabetic)), "{states:?}");
    let marker = gtkw.lines().find_map(|line| line.strip_prefix("*-")).unwrap().split(' ').nth(1).unwrap();
    assert!(said.contains(&format!("MARKER {marker}\n")), "{said}");
}
