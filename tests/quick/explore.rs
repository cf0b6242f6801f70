//! `burstc explore` by estimates: files that are gone on from, shards and their merging, what is refused.

use std::collections::BTreeSet;

use assert_cmd::Command;
use burstc::choose_lanes::Request;
use burstc::diagnostic::Span;
use burstc::explore::{Fixed, Wanted, designs};
use burstc::source::Source;
use burstc::source::kernel::TilingDirective;
use burstc::{Options, analyze, board, prepare_read, read};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::root;

const LIMIT: &str = "12";

/// A product of a matrix and a vector.
const KERNEL: &str = "#include <stdint.h>\n\
    #pragma burstc size(N: 24, max 64) size(M: 20, max 64)\n\
    void mv(int N, int M, int32_t a[N][M], int32_t x[M], int32_t y[N])\n\
    {\n\
    \n\
        for (int i = 0; i < N; i++)\n\
            for (int j = 0; j < M; j++)\n\
                y[i] += a[i][j] * x[j];\n\
    }\n";

/// A folder with `mv.c`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mv.c"), KERNEL).unwrap();
    folder
}

fn explore(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_burstc"));
    command.env_remove("CC").env("NO_COLOR", "1").current_dir(folder).args(["explore", "mv.c", "--simulate", "0"]);
    command.args(arguments);
    command
}

/// What it prints; it succeeds, and says nothing else.
fn printed(folder: &TempDir, arguments: &[&str]) -> String {
    let assert = explore(folder, &[&["--limit", LIMIT], arguments].concat()).assert().success().stderr("");
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// What it says where it refuses, with exit code 2.
fn refused(folder: &TempDir, arguments: &[&str]) -> String {
    let assert = explore(folder, &[&["--limit", LIMIT], arguments].concat()).assert().code(2).stdout("");
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

fn lines(folder: &TempDir, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(text.ends_with('\n'), "{name} ends with a whole line");
    text.lines().map(str::to_string).collect()
}

#[test]
fn a_second_run_goes_on_from_the_file() {
    let folder = folder();
    let whole = printed(&folder, &["--out", "all.jsonl"]);
    let all = lines(&folder, "all.jsonl");
    assert_eq!(all.len(), 14, "a head, the file as it is, and {LIMIT} designs");
    assert!(whole.starts_with("mv on stratix2-ddr400 with M = 20, N = 24: 13 designs, "), "{whole}");
    assert!(whole.contains("#pragma burstc schedule(S0[i,j] -> ("), "{whole}");
    for mark in ["fastest", "balanced", "smallest"] {
        assert_eq!(whole.lines().filter(|line| line.starts_with(' ') && line.contains(mark)).count(), 1, "{whole}");
    }
    // Nothing is done again, so nothing is added.
    assert_eq!(printed(&folder, &["--out", "all.jsonl"]), whole);
    assert_eq!(lines(&folder, "all.jsonl"), all);
    // Nor without a file is the answer another.
    assert_eq!(printed(&folder, &[]), whole);
    // What is known is believed, and not found again.
    let told: Vec<String> = all
        .iter()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            if line["directives"].as_array().is_some_and(Vec::is_empty) {
                line["estimate"]["cycles"] = 7.into();
            }
            line.to_string() + "\n"
        })
        .collect();
    std::fs::write(folder.path().join("told.jsonl"), told.concat()).unwrap();
    let believed = printed(&folder, &["--out", "told.jsonl"]);
    assert!(believed.lines().any(|line| line.split_whitespace().nth(1) == Some("7")), "{believed}");
}

/// A process that is killed leaves a part of its last line, or of its first.
#[test]
fn a_line_that_is_cut_off_is_done_again() {
    let folder = folder();
    let whole = printed(&folder, &["--out", "all.jsonl"]);
    let text = std::fs::read_to_string(folder.path().join("all.jsonl")).unwrap();
    let (places, file): (Vec<usize>, _) = ((0..=text.len()).collect(), folder.path().join("cut.jsonl"));
    for place in [0, 1, 30, text.find('\n').unwrap(), text.find('\n').unwrap() + 1, text.len() / 2, text.len() - 1] {
        std::fs::write(&file, &text[..places[place]]).unwrap();
        assert_eq!(printed(&folder, &["--out", "cut.jsonl"]), whole, "cut at {place}");
        assert_eq!(lines(&folder, "cut.jsonl"), text.lines().collect::<Vec<_>>(), "cut at {place}");
    }
}

#[test]
fn shards_together_are_the_whole() {
    let folder = folder();
    let whole = printed(&folder, &["--out", "all.jsonl"]);
    let mut found = vec![];
    for k in 1..=3 {
        let (shard, file) = (format!("{k}/3"), format!("part{k}.jsonl"));
        let told = printed(&folder, &["--shard", &shard, "--out", &file]);
        assert!(told.starts_with(&format!("shard {shard}: mv on ")) && told.lines().count() == 1, "{told}");
        found.extend(lines(&folder, &file).split_off(1));
    }
    // No design is two shards', and all of them are some shard's.
    found.sort();
    let mut all = lines(&folder, "all.jsonl").split_off(1);
    all.sort();
    assert_eq!(found, all);
    let parts = ["part1.jsonl", "part2.jsonl", "part3.jsonl"];
    let merged = [&["--merge"][..], &parts].concat();
    assert_eq!(printed(&folder, &merged), whole);
    // Into a file, from which a run without shards goes on.
    assert_eq!(printed(&folder, &[&["--out", "merged.jsonl"], &merged[..]].concat()), whole);
    assert_eq!(lines(&folder, "merged.jsonl").len(), all.len() + 1);
    assert_eq!(printed(&folder, &["--out", "merged.jsonl"]), whole);
    // A shard that was ended is missed, and nothing is written; repeated, it loses nothing.
    let text = std::fs::read_to_string(folder.path().join("part2.jsonl")).unwrap();
    std::fs::write(folder.path().join("part2.jsonl"), &text[..text.len() - 9]).unwrap();
    let missed = refused(&folder, &[&["--out", "other.jsonl"], &merged[..]].concat());
    assert!(missed.contains("1 of 13 designs are in none of the files, the first is: #pragma burstc"), "{missed}");
    assert!(missed.contains("repeat the shards"), "{missed}");
    assert!(!folder.path().join("other.jsonl").exists());
    printed(&folder, &["--shard", "2/3", "--out", "part2.jsonl"]);
    assert_eq!(printed(&folder, &merged), whole);
}

#[test]
fn files_of_something_else_stay_as_they_are() {
    let folder = folder();
    printed(&folder, &["--out", "all.jsonl"]);
    let text = std::fs::read_to_string(folder.path().join("all.jsonl")).unwrap();
    let head = text.lines().next().unwrap();
    let refuse = |content: &str, arguments: &[&str], reason: &str| {
        std::fs::write(folder.path().join("file"), content).unwrap();
        let told = refused(&folder, &[&["--out", "file"], arguments].concat());
        assert!(told.contains(reason), "{told}");
        assert!(told.contains("help") || told.contains("name another") || told.contains("remove"), "{told}");
        assert_eq!(std::fs::read_to_string(folder.path().join("file")).unwrap(), content);
        let told = refused(&folder, &[&["--merge", "file"], arguments].concat());
        assert!(told.contains(reason), "{told}");
    };
    refuse("a letter to my aunt", &[], "it is no file of results");
    refuse("a letter\nto my aunt\n", &[], "it is no file of results");
    refuse(&text.replacen("\"schema\":2", "\"schema\":99", 1), &[], "its schema is 99, not 2");
    refuse(&format!("{head}\n{{}}\n"), &[], "line 2 is none that burstc wrote");
    refuse(&text, &["--set", "N=25"], "its sizes: M = 20, N = 24, not M = 20, N = 25");
    refuse(&text, &["--board", "ulx3s"], "its board: stratix2-ddr400, not ulx3s");
    refuse(&text, &["--seed", "2"], "of other options, or of other data");
    std::fs::write(folder.path().join("mv.c"), KERNEL.replace("+= a", "-= a")).unwrap();
    refuse(&text, &[], "its results are of another text of the kernel");
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    let folder = folder();
    for (arguments, reason) in [
        (&["--shard", "4/3", "--out", "a.jsonl"][..], "K from 1 to N"),
        (&["--shard", "1/3"], "--out"),
        (&["--shard", "1/2", "--out", "a.jsonl", "--merge", "b.jsonl"], "--merge"),
        (&["--pick", "fastest"], "--output"),
        (&["--pick", "cheapest", "--output", "d"], "fastest, smallest, balanced"),
        (&["--limit", "0"], "0 is not in"),
        (&["--merge", "none.jsonl"], "none.jsonl: No such file"),
        (&["--out", "none/a.jsonl"], "there is no folder none"),
        (&["--set", "K=3"], "no scalar argument of that name"),
    ] {
        let assert = explore(&folder, arguments).assert().code(2).stdout("");
        let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(told.contains(reason), "{arguments:?}: {told}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
}

/// The folder of a pick is that of `burstc build` with the directives in the source.
#[test]
fn a_pick_is_built() {
    let folder = folder();
    let told = printed(&folder, &["--pick", "smallest", "--output", "small"]);
    let row = told.lines().skip_while(|line| !line.contains("smallest")).nth(1).unwrap();
    let pragma = row.trim();
    assert!(pragma.starts_with("#pragma burstc"), "{told}");
    // In place of the empty line, as comments in the Verilog tell lines.
    let text = KERNEL.replacen("\n\n", &format!("\n{pragma}\n"), 1);
    assert!(text.contains(pragma));
    std::fs::write(folder.path().join("pasted.c"), text).unwrap();
    let mut build = Command::new(env!("CARGO_BIN_EXE_burstc"));
    build.current_dir(&folder).args(["build", "pasted.c", "--out", "pasted"]).assert().success();
    let verilog = |name: &str| {
        let folder = folder.path().join(name).join("rtl");
        let mut files: Vec<(String, String)> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let text = std::fs::read_to_string(entry.path()).unwrap();
                // Without the lines that say which file it was made of, and how.
                let text = text.lines().skip_while(|line| line.starts_with("// ")).collect::<Vec<_>>().join("\n");
                (entry.file_name().into_string().unwrap(), text)
            })
            .collect();
        files.sort();
        files
    };
    let (small, pasted) = (verilog("small"), verilog("pasted"));
    assert_eq!(small.len(), pasted.len());
    for (own, other) in small.iter().zip(&pasted) {
        assert!(own == other, "{} differs from {}", own.0, other.0);
    }
}

/// The directives of a design, pasted, make what was estimated.
#[test]
fn directives_are_what_was_looked_at() {
    let board = board::load("stratix2-ddr400").unwrap();
    for name in ["gemm", "jacobi_2d", "syrk", "temporaries", "local_scalars", "dead_code"] {
        let path = root(&format!("tests/kernels/{name}.c"));
        let source = Source::read(&path, vec![]).unwrap();
        let options = Options { lanes: Some(Request::Usual), ..Options::default() };
        let usual = analyze(&source, &board, &options).unwrap();
        let kernel = prepare_read(read(&source).unwrap(), &board, &options).unwrap();
        let wanted = Wanted { limit: 27, lanes: None, units: None, ports: Fixed::default() };
        let all = designs(&kernel, &usual, &board, wanted).unwrap();
        assert!(all.len() > 13, "{name}");
        let texts: BTreeSet<&Vec<String>> = all.iter().map(|design| &design.directives).collect();
        assert_eq!(texts.len(), all.len(), "{name}: no design is there twice");
        let again = designs(&kernel, &usual, &board, wanted).unwrap();
        assert_eq!(all, again);
        let mut compared = 0;
        for design in all.iter().skip(1).step_by(13) {
            let burstc::explore::Design { tilings, layouts, uses, .. } = design.clone();
            let own = Options { tilings, layouts, uses, ..options.clone() };
            let Ok(own) = analyze(&source, &board, &own) else { continue };
            let body = source.text.find("    for").unwrap();
            let (head, rest) = source.text.split_at(body);
            let text = format!("{head}{}\n{rest}", design.directives.join("\n"));
            let pasted = analyze(&Source { text, ..source.clone() }, &board, &options).unwrap();
            assert_eq!(own.buffers, pasted.buffers, "{name}: {:?}", design.directives);
            assert_eq!(own.tiles, pasted.tiles, "{name}: {:?}", design.directives);
            for (own, pasted) in own.bands.iter().zip(&pasted.bands) {
                assert_eq!(own.transfers, pasted.transfers, "{name}: {:?}", design.directives);
            }
            compared += 1;
        }
        assert!(compared > 0, "{name}");
    }
}

/// The analysis spends as much on a design as on what is pasted: of tiles that somebody asks for it looks longer for stores that nobody
/// loads.
#[test]
fn a_design_stores_what_the_pasted_one_stores() {
    let board = board::load("stratix2-ddr400").unwrap();
    let source = Source::read(&root("tests/kernels/jacobi_2d.c"), vec![]).unwrap();
    let directive = "#pragma burstc schedule(S0[t,i,j] -> (t, j + 2*t, i + 2*t); \
                     S1[t,i,j] -> (t, j + 2*t + 1, i + 2*t + 1)) tile(4, 16, 8)";
    let (head, rest) = source.text.split_at(source.text.find("    for").unwrap());
    let pasted = Source { text: format!("{head}{directive}\n{rest}"), ..source.clone() };
    let options = Options { lanes: Some(Request::Usual), ..Options::default() };
    // As `designs` makes them: nowhere in the source.
    let tilings = prepare_read(read(&pasted).unwrap(), &board, &options).unwrap().tilings;
    let nowhere = |tiling| TilingDirective { span: Span::default(), ..tiling };
    let tilings = tilings.into_iter().map(nowhere).collect();
    let own = analyze(&source, &board, &Options { tilings: Some(tilings), ..options.clone() }).unwrap();
    let pasted = analyze(&pasted, &board, &options).unwrap();
    assert_eq!((own.bands.len(), pasted.bands.len()), (1, 1));
    for (own, pasted) in own.bands.iter().zip(&pasted.bands) {
        assert_eq!(own.transfers, pasted.transfers);
    }
}

/// Among the nearest designs are some in another order inside the tiles, with arrays by tiles, and with other buffers; each is what its
/// lines make of the file.
#[test]
fn variants_are_among_the_nearest() {
    let board = board::load("zcu104").unwrap();
    let text = "#pragma burstc size(N: 64, max 512)\nvoid k(int N, int a[N][N], int c[N][N])\n{\n    for (int i = 0; i < N; i++)\n\
                for (int j = 0; j < N; j++)\nfor (int k = 0; k < N; k++)\nc[i][j] += a[i][k] * a[j][k];\n}\n";
    let source = Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] };
    let options = Options { lanes: Some(Request::Count(1)), ..Options::default() };
    let usual = analyze(&source, &board, &options).unwrap();
    let kernel = prepare_read(read(&source).unwrap(), &board, &options).unwrap();
    let wanted =
        Wanted { limit: 60, lanes: Some(&Request::Count(1)), units: None, ports: Fixed { bits: true, count: true } };
    let all = designs(&kernel, &usual, &board, wanted).unwrap();
    assert_eq!(all.len(), 61);
    let has = |part: &str| all.iter().filter(|design| design.directives.iter().any(|own| own.contains(part))).count();
    let (orders, layouts, uses) = (has(" order("), has("layout("), has("uses("));
    assert!(orders > 1 && layouts > 1 && uses > 1, "{orders} orders, {layouts} layouts, {uses} uses");
    // At most a third of the nearer half.
    assert!(orders + layouts + uses <= 10, "{orders} + {layouts} + {uses}");
    for part in [" order(", "layout(", "uses("] {
        let mut of_part = all.iter().filter(|design| design.directives.iter().any(|own| own.contains(part)));
        let compared = of_part.by_ref().take(3).filter(|design| {
            let burstc::explore::Design { tilings, layouts, uses, .. } = (*design).clone();
            let own = Options { tilings, layouts, uses, ..options.clone() };
            let Ok(own) = analyze(&source, &board, &own) else { return false };
            let body = text.find("    for").unwrap();
            let text = format!("{}{}\n{}", &text[..body], design.directives.join("\n"), &text[body..]);
            let pasted = analyze(&Source { text, ..source.clone() }, &board, &options).unwrap();
            assert_eq!(own.buffers, pasted.buffers, "{:?}", design.directives);
            for (own, pasted) in own.bands.iter().zip(&pasted.bands) {
                assert_eq!(own.transfers, pasted.transfers, "{:?}", design.directives);
                assert_eq!((&own.compute.dates, &own.compute.order), (&pasted.compute.dates, &pasted.compute.order));
            }
            let layouts = own.kernel.arrays.iter().map(|array| array.order).collect::<Vec<_>>();
            assert_eq!(layouts, pasted.kernel.arrays.iter().map(|array| array.order).collect::<Vec<_>>());
            true
        });
        assert!(compared.count() > 0, "{part}");
    }
}
