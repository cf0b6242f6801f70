//! Boards that burstc does not have: other times of the memory, data beyond 16 MB, and random profiles.

mod common;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use burstc::Options;
use burstc::board::{self, Board};
use burstc::simulate::Outcome;
use burstc::simulate::simulator::Simulator;
use burstc::source::Source;
use common::{Data, Rig, Subject, root};

const DDR: &str = include_str!("../boards/stratix2-ddr400.toml");

/// The DDR board with every time of its memory longer.
fn slow() -> Board {
    let longer = [
        ("\nrcd = 3\n", "\nrcd = 6\n"),
        ("\nrp = 3\n", "\nrp = 5\n"),
        ("\nras = 8\n", "\nras = 13\n"),
        ("\nrc = 11\n", "\nrc = 21\n"),
        ("\nrfc = 14\n", "\nrfc = 25\n"),
        ("\nrrd = 2\n", "\nrrd = 5\n"),
        ("\nwr = 3\n", "\nwr = 6\n"),
        ("\nwtr = 2\n", "\nwtr = 5\n"),
        ("\nmrd = 2\n", "\nmrd = 5\n"),
        ("\nrefi = 3120\n", "\nrefi = 400\n"),
    ];
    let text = longer.iter().fold(DDR.to_string(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    Board::parse(&text, "slow.toml").unwrap()
}

fn subject(path: &str, board: Board) -> std::sync::Arc<Subject> {
    Subject::on(board, &Source::read(&root(path), vec![]).unwrap(), &Options::default()).unwrap()
}

#[test]
#[ignore = "slow: make test"]
fn slower_memory_is_kept_by_its_own_controller_and_broken_by_anothers() {
    let path = "tests/kernels/widths.c";
    let slow = subject(path, slow());
    let usual = subject(path, board::load("stratix2-ddr400").unwrap());
    let data = Data { set: &[("N", 33), ("bias", -1)], ranges: &[], seed: 1 };
    let own = Rig::of(&slow, Simulator::Icarus, false).unwrap().run_on(data);
    assert!(own.counters.refreshes > 0 && own.counters.timing_violations == 0);
    let (outcome, shown) =
        Rig::around(&slow, &usual.accelerator.files, Simulator::Icarus).unwrap().attempt(data).unwrap();
    assert!(matches!(outcome, Outcome::Violation { .. }), "{outcome}");
    for rule in ["tRCD", "tRP", "tRFC", "tMRD"] {
        assert!(shown.output.violations.iter().any(|line| line.starts_with(&format!("{rule} "))), "{rule}");
    }
}

/// 24 MB of arrays, which no board with 16 MB could hold; the bound is what fills half of the board's memory.
#[test]
#[ignore = "slow: make test"]
fn data_beyond_16_mb_are_simulated() {
    let text = "#include <stdint.h>\n#pragma burstc size(N: 64, max 8192)\n\
                void first_column(int N, const int32_t a[N][N], int32_t b[N])\n{\n\
                for (int i = 0; i < N; i++)\n    b[i] = a[i][0] + a[i][N - 1];\n}\n";
    let source = Source { path: "first_column.c".into(), text: text.into(), cpp_args: vec![] };
    let subject = Subject::on(board::load("pynq-z2").unwrap(), &source, &Options::default()).unwrap();
    let rig = Rig::holding(&subject, Simulator::Verilator, 32 << 20).unwrap();
    let shown = rig.run(&[("N", 2500)], 1);
    assert!(shown.output.image.len() > 16 << 20);
    assert!(rig.run(&[("N", 64)], 1).output.image.len() < 64 << 10);
}

/// Memories that the usual block RAMs have no room for ask for a kind that Vivado takes in no other way, as few as possible, and
/// are written and read as ever.
#[test]
#[ignore = "slow: make test"]
fn what_the_usual_block_rams_lack_room_for_lies_in_others() {
    let text = std::fs::read_to_string(root("boards/zcu104.toml")).unwrap();
    let placed = |count: u64| {
        let board = Board::parse(&text.replace("count = 624", &format!("count = {count}")), "small.toml").unwrap();
        let kernel = "#pragma burstc size(N: 5000, max 8192)\n\
                      void sums(int N, int a[N], int b[N])\n{\n#pragma burstc tile(i:2048) lanes(4)\n\
                      for (int i = 0; i < N; i++) b[i] += a[i];\n}\n";
        let source = Source { path: "sums.c".into(), text: kernel.into(), cpp_args: vec![] };
        let subject = Subject::on(board, &source, &Options::default()).unwrap();
        let verilog: String = subject.accelerator.files.iter().map(|file| file.text.as_str()).collect();
        let asking = verilog.matches("(* ram_style = \"ultra\" *)").count();
        let buffers = &subject.accelerator.offload.buffers;
        let own = |b: &burstc::offload::Buffer| b.placed.as_ref().map_or(0, |p| p.memories * b.bank_count() as usize);
        assert_eq!(asking, buffers.iter().map(own).sum::<usize>(), "{count} blocks");
        subject.lint(true);
        Rig::of(&subject, Simulator::Icarus, false).unwrap().run(&[], 1);
        asking
    };
    let found = [624, 20, 4].map(placed);
    assert!(found[0] == 0 && found[0] < found[1] && found[1] < found[2], "{found:?}");
}

// -- Random profiles --------------------------------------------------------------------------------------------------

/// Seconds and bytes that a build may take.
const SECONDS: u64 = 10;
const BYTES: u64 = 1 << 30;

struct Random(u64);

impl Random {
    /// SplitMix64, below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// A profile with one to three changes: values, keys, lines, or bytes.
fn mutated(seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let name = random.pick(&board::names());
    let mut text = std::fs::read(root(&format!("boards/{name}.toml"))).unwrap();
    for _ in 0..1 + random.below(3) {
        let mut lines: Vec<String> = String::from_utf8_lossy(&text).lines().map(str::to_string).collect();
        if lines.is_empty() {
            break;
        }
        let line = random.below(lines.len());
        match random.below(10) {
            0..5 => {
                if let Some((key, value)) = lines[line].clone().split_once(" = ") {
                    lines[line] = format!("{key} = {}", other_value(value, &mut random));
                }
            }
            5 => {
                lines.remove(line);
            }
            6 => {
                let copy = lines[random.below(lines.len())].clone();
                lines.insert(line, copy);
            }
            7 => {
                let other = random.below(lines.len());
                lines.swap(line, other);
            }
            8 => {
                let other = random.pick(&["", "x", "0", "é", "-"]);
                lines[line] = lines[line].replacen(|c: char| c.is_alphanumeric(), other, 1);
            }
            _ => {
                let at = random.below(text.len());
                text[at] = random.below(256) as u8;
                continue;
            }
        }
        text = lines.join("\n").into_bytes();
    }
    text
}

fn other_value(value: &str, random: &mut Random) -> String {
    let number = value.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    let number = number.unwrap_or(1.0);
    match random.below(12) {
        0 => format!("{}", number * 2.0),
        1 => format!("{}", (number / 2.0).trunc()),
        2 => format!("{}", (number as i64).saturating_add(1)),
        3 => format!("{}", (number as i64).saturating_sub(1)),
        4 => format!("{}", 1u64 << random.below(63)),
        5 => random
            .pick(&["0", "-1", "9223372036854775807", "9223372036854775808", "1e308", "nan", "inf", "0x10"])
            .into(),
        6 => random.pick(&["true", "[]", "{}", "1979-05-27", "\"\"", "\"x\"", "[[[[]]]]", "'''\n'''"]).into(),
        7 => random.pick(&["\"a\\nb\"", "\"\\u0000\"", "\"$(reboot)\"", "\"]; exit; [\"", "\"`\"", "\"#{}\""]).into(),
        8 => "[".repeat(1 + random.below(2000)),
        9 => format!("\"{}\"", "long ".repeat(random.below(5000))),
        10 => format!("{}", number * 10.0),
        _ => format!("{}.5", number as i64),
    }
}

/// The largest resident set of a process so far.
fn resident(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) << 10
}

/// Builds for a mutated profile; what is wrong with how that ended.
fn fault(seed: u64, folder: &Path) -> Option<String> {
    let (profile, out) = (folder.join(format!("{seed}.toml")), folder.join(format!("{seed}")));
    std::fs::write(&profile, mutated(seed)).unwrap();
    let kernel = ["examples/dma.c", "examples/vecsum.c", "tests/kernels/fill.c"][seed as usize % 3];
    let begin = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_burstc"))
        .args(["build", root(kernel).to_str().unwrap(), "--board", profile.to_str().unwrap(), "--out"])
        .arg(&out)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut most = 0;
    let status = loop {
        most = resident(child.id()).max(most);
        match child.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if begin.elapsed() > Duration::from_secs(SECONDS) => {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let fault = match status.map(|status| status.code()) {
        None => Some(format!("more than {SECONDS} s")),
        Some(Some(0)) if !out.join("README.md").is_file() => Some("nothing written".to_string()),
        Some(Some(0)) => None,
        Some(Some(2)) if out.exists() => Some("refused, but something written".to_string()),
        Some(Some(2)) => None,
        Some(code) => Some(format!("exit code {code:?}")),
    };
    let fault = fault.or_else(|| (most > BYTES).then(|| format!("{most} bytes")));
    let _ = std::fs::remove_dir_all(&out);
    fault.map(|fault| format!("seed {seed}: {fault}, {} kept", profile.display()))
}

fn soak(seeds: std::ops::Range<u64>) {
    let folder = tempfile::tempdir().unwrap();
    let mut faults = vec![];
    for seed in seeds {
        match fault(seed, folder.path()) {
            Some(fault) => faults.push(fault),
            None => std::fs::remove_file(folder.path().join(format!("{seed}.toml"))).unwrap(),
        }
    }
    if !faults.is_empty() {
        let _ = writeln!(std::io::stderr(), "profiles kept in {}", folder.keep().display());
        panic!("{} faults:\n{}", faults.len(), faults.join("\n"));
    }
}

#[test]
#[ignore = "slow: make test"]
fn mutated_profiles_are_built_or_refused() {
    soak(0..40);
}

/// `make soak`: BURSTC_SOAK_BOARDS of them, 2,000 by default.
#[test]
#[ignore = "half an hour: make soak"]
fn many_mutated_profiles_are_built_or_refused() {
    let count = std::env::var("BURSTC_SOAK_BOARDS").ok().and_then(|count| count.parse().ok());
    soak(1000..1000 + count.unwrap_or(2000));
}
