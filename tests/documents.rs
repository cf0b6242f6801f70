//! What README and tutorial show is what the program prints.

#[path = "common/waveform.rs"]
mod waveform;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use assert_cmd::Command;
use waveform::Timeline;

fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("it is here")
}

fn burstc(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_burstc"));
    command.env_remove("CC").env("NO_COLOR", "1").current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments);
    String::from_utf8(command.assert().success().get_output().stdout.clone()).expect("text")
}

/// Lines of a table that differ from machine to machine: times of the compiler, and where files were written.
const OF_THE_MACHINE: [&str; 5] = ["generated in", "Verilog", "VCD", "view", "JSON"];

/// The table below the sentence that announces it, without the lines that depend on the machine.
fn table(text: &str) -> Vec<&str> {
    let lines = text.lines().skip_while(|line| !line.starts_with("matmul with N = 64 on stratix2-ddr400"));
    let lines = lines.take_while(|line| !line.starts_with("```"));
    lines.filter(|line| !OF_THE_MACHINE.iter().any(|label| line.trim_start().starts_with(label))).collect()
}

#[test]
fn sample_output_is_todays() {
    let readme = read("README.md");
    // The bench is built by Verilator: the direct version runs for millions of cycles.
    let arguments = ["run", "examples/matmul.c", "--board", "stratix2-ddr400", "--direct", "--simulator", "verilator"];
    let output = burstc(&arguments);
    let (shown, printed) = (table(&readme), table(&output));
    assert!(printed.len() > 10, "{output}");
    assert_eq!(shown.join("\n").trim_end(), printed.join("\n").trim_end());
}

/// README shows every picture that there is, all of them by `make screenshots`, whole and small.
#[test]
fn pictures_are_there() {
    let (readme, script) = (read("README.md"), read("scripts/screenshots.py"));
    let shown =
        readme.split("](docs/pictures/").skip(1).map(|rest| rest.split(')').next().expect("a link").to_string());
    let shown: BTreeSet<String> = shown.collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
    let entries = std::fs::read_dir(&folder).expect("it is here").map(|entry| entry.expect("an entry").file_name());
    assert_eq!(shown, entries.map(|name| name.into_string().expect("text")).collect());
    assert_eq!(shown.len(), 4);
    for name in &shown {
        let bytes = std::fs::read(folder.join(name)).expect("it is here");
        assert!(bytes.len() < 150_000, "{name}: {} bytes", bytes.len());
        // Signature, and the width of the head; the last chunk is the end's.
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes[bytes.len() - 8..].starts_with(b"IEND"), "{name}");
        assert_eq!(bytes[16..20], 1000u32.to_be_bytes(), "{name}");
        assert!(script.contains(&format!("\"{name}\"")), "{name}");
    }
}

/// The kernel in the text is the example's file.
#[test]
fn example_is_the_file() {
    let readme = read("README.md");
    let shown = readme.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a listing");
    assert_eq!(shown, read("examples/matmul.c"));
    let tutorial = read("docs/TUTORIAL.md");
    let shown = tutorial.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a listing");
    assert!(read("examples/matmul.c").ends_with(shown));
}

/// Demands that `shown` is `printed`, where a line of three dots stands for any lines.
fn agree(command: &str, shown: &[&str], printed: &str) {
    let mut rest = printed.lines();
    let mut skips = false;
    for line in shown {
        if *line == "..." {
            skips = true;
            continue;
        }
        let found = if skips { rest.find(|printed| printed == line) } else { rest.next() };
        assert_eq!(found, Some(*line), "`{command}` prints\n{printed}");
        skips = false;
    }
}

/// Every command of the tutorial, and the cycles that it reads off the waveform.
#[test]
fn tutorial_is_followed() {
    let tutorial = read("docs/TUTORIAL.md");
    let folder = tempfile::tempdir().expect("a folder");
    let vcd = folder.path().join("matmul.vcd");
    let mut outputs: BTreeMap<String, String> = BTreeMap::new();
    for block in tutorial.split("```console\n").skip(1) {
        let lines: Vec<&str> = block.split("```").next().expect("a block").lines().collect();
        let command = lines[0].strip_prefix("$ burstc ").expect("a command");
        let output = outputs.entry(command.to_string()).or_insert_with(|| {
            let place = vcd.to_str().expect("a name");
            burstc(&command.split(' ').map(|word| if word == "matmul.vcd" { place } else { word }).collect::<Vec<_>>())
        });
        agree(command, &lines[1..], output);
    }
    assert_eq!(outputs.len(), 2, "{:?}", outputs.keys());

    let timeline = Timeline::read(&vcd);
    let rows: Vec<Vec<&str>> = tutorial
        .lines()
        .filter(|line| ["| Load(", "| Compute(", "| Store("].iter().any(|start| line.starts_with(start)))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), 9);
    let number = |text: &str| text.replace(',', "").parse::<u64>().expect("a number");
    // Words and iterations that the rows before have taken.
    let (mut loaded, mut stored, mut computed) = (0, 0, 0);
    for row in rows.iter().filter(|row| row[1] != "Load(0,1,1): a, b") {
        let (begin, end) = (number(row[3]), number(row[4]));
        let (events, done, words) = match row[1].split('(').next() {
            Some("Load") => (&timeline.loaded, &mut loaded, number(row[2])),
            Some("Store") => (&timeline.stored, &mut stored, number(row[2])),
            _ => (&timeline.computed, &mut computed, 32 * 32 * 32),
        };
        let (first, last) = (events[*done as usize], events[(*done + words - 1) as usize]);
        assert_eq!((first, last), (begin, end), "{}", row[1]);
        *done += words;
    }
    let last = rows.iter().find(|row| row[1] == "Load(0,1,1): a, b").expect("it is there");
    assert_eq!((timeline.loaded[8192], timeline.loaded[10239]), (number(last[3]), number(last[4])));

    // What the text says of them: cycles of the table, or as many as a block of one or of all dimensions has points.
    let (_, remarks) = tutorial.split_once("Four things to see:").expect("they are there");
    let words = remarks.split(|c: char| !c.is_ascii_digit() && c != ',').map(|word| word.trim_matches(','));
    let said: Vec<u64> = words.filter(|word| word.contains(',')).map(number).collect();
    let known: Vec<u64> =
        rows.iter().flat_map(|row| [row[3], row[4]]).map(number).chain([1024, 32 * 32 * 32]).collect();
    assert!(said.len() > 5 && said.iter().all(|cycle| known.contains(cycle)), "{said:?} of {known:?}");
}

/// The file that the tutorial names begins with the sets that `analyze` prints.
#[test]
fn built_verilog_begins_with_the_sets() {
    let tutorial = read("docs/TUTORIAL.md");
    let command = tutorial.split('`').find(|code| code.starts_with("burstc build")).expect("it is there");
    let file = tutorial.split('`').find(|code| code.starts_with("matmul/rtl/")).expect("it is there");
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("a name").to_string();
    let words = command.split(' ').skip(1).map(|word| if word == "matmul" { place(word) } else { word.to_string() });
    burstc(&words.collect::<Vec<_>>().iter().map(String::as_str).collect::<Vec<_>>());
    let verilog = std::fs::read_to_string(place(file)).expect("it is written");
    let joined = |lines: Vec<&str>| lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    let (head, _) = verilog.split_once("module ").expect("a module");
    let head = joined(head.lines().map(|line| line.trim_start_matches('/')).collect());
    let mut sets = 0;
    let lines: Vec<&str> = tutorial.lines().collect();
    for pair in lines.windows(2).filter(|pair| pair[0].starts_with("Load(") && pair[0].ends_with(':')) {
        sets += 1;
        let set = joined(vec![pair[0].trim_end_matches(':'), "=", pair[1]]);
        assert!(head.contains(&set), "{set} in {head}");
    }
    assert!(sets > 1);
}
