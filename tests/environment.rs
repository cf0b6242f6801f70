//! What the operating system does to burstc, and what burstc leaves in it: signals, full disks, closed pipes, missing
//! programs, odd files.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const COPY: &str = "#include <stdint.h>\n\
    #pragma burstc size(N: 40, max 4096)\n\
    void copy(int N, int32_t a[N], int32_t b[N])\n\
    {\n\
        for (int i = 0; i < N; i++)\n\
            b[i] = a[i];\n\
    }\n";

/// A folder with `copy.c` and an empty `tmp`.
fn folder(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("tmp")).unwrap();
    fs::write(folder.path().join("copy.c"), text).unwrap();
    folder
}

const BURSTC: &str = env!("CARGO_BIN_EXE_burstc");

fn burstc(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(BURSTC);
    inside(command.args(arguments), folder);
    command
}

/// Lets a command run in the folder, with the folder's own place for temporary files.
fn inside(command: &mut Command, folder: &TempDir) {
    command.env_remove("CC").env("NO_COLOR", "1").env("TMPDIR", folder.path().join("tmp"));
    command.current_dir(folder).stdin(Stdio::null());
}

fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Refused with exit code 2; the message with its line breaks taken out.
fn refused(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    error.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A program that notes its own number and that of a descendant, and never ends.
fn endless(path: &Path) {
    let note = path.with_extension("pids");
    let script = format!("#!/bin/sh\nsleep 600 &\necho $$ $! > {0}.new && mv {0}.new {0}\nwait\n", note.display());
    fs::write(path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn wait_for<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        match condition() {
            Some(value) => return value,
            None if begin.elapsed() > Duration::from_secs(60) => panic!("{what} did not come"),
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

fn is_running(pid: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !status.is_empty() && !status.contains(") Z ")
}

/// Waits for the numbers that [`endless`] notes.
fn pids(note: &Path) -> Vec<String> {
    let text = wait_for("the program", || fs::read_to_string(note).ok());
    text.split_whitespace().map(str::to_string).collect()
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status().unwrap().success());
}

#[test]
fn signals_end_children_and_remove_temporary_folders() {
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        for program in ["cc", "iverilog"] {
            let folder = folder(COPY);
            let fake = folder.path().join(program);
            endless(&fake);
            // Whoever runs the tests in the background has them ignore some of these signals, and so their children.
            let heeded = "--default-signal=INT,TERM,HUP";
            let mut command = Command::new("env");
            command.arg(heeded).arg(BURSTC).args(["run", "copy.c", "--simulator", "icarus", "--keep", "kept"]);
            inside(&mut command, &folder);
            match program {
                "cc" => command.env("CC", &fake),
                _ => {
                    let path = std::env::var("PATH").unwrap();
                    command.env("PATH", format!("{}:{path}", folder.path().display()))
                }
            };
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let pids = pids(&fake.with_extension("pids"));
            assert_eq!(pids.len(), 2);
            signal(&child, name);
            assert_eq!(child.wait().unwrap().code(), Some(code), "{name} {program}");
            wait_for("the end of the children", || pids.iter().all(|pid| !is_running(pid)).then_some(()));
            assert_eq!(names(&folder.path().join("tmp")), Vec::<String>::new(), "{name} {program}");
            assert!(!folder.path().join("kept").exists());
        }
    }
}

/// A compiler that waits until there is a file `go`.
fn patient(folder: &TempDir) {
    let script = "#!/bin/sh\necho > HERE/asked\nwhile ! [ -f HERE/go ]; do sleep 0.02; done\nexec cc \"$@\"\n";
    let path = folder.path().join("patient");
    fs::write(&path, script.replace("HERE", &folder.path().display().to_string())).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Starts a command with that compiler, and returns once that waits.
fn begun(folder: &TempDir, arguments: &[&str]) -> Child {
    let _ = fs::remove_file(folder.path().join("asked"));
    let mut command = burstc(folder, arguments);
    command.env("CC", folder.path().join("patient")).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    wait_for("the compiler", || folder.path().join("asked").exists().then_some(()));
    child
}

/// One at a time writes a folder; whoever comes in between is refused at once, and who ends in any way gives it back.
#[test]
fn a_folder_is_written_by_one_at_a_time() {
    let folder = folder(COPY);
    patient(&folder);
    let build = ["build", "copy.c", "--out", "deep/out"];
    let whole = folder.path().join("deep").join("out").display().to_string();
    let before = names(folder.path());
    let mut first = begun(&folder, &build);
    for (arguments, target) in [
        (&build[..], "deep/out"),
        (&["build", "copy.c", "--force", "--out", &whole], whole.as_str()),
        (&["run", "copy.c", "--keep", "./deep/out"], "./deep/out"),
        (&["explore", "copy.c", "--pick", "fastest", "--output", "deep/out"], "deep/out"),
    ] {
        let told = refused(&mut burstc(&folder, arguments));
        let text = told.replace(' ', "");
        assert!(text.contains(&format!("anotherburstciswriting{target}")), "{told}");
        assert!(told.contains("wait until it is done, or name another folder"), "{told}");
    }
    // Another one is nobody's.
    succeeds(&mut burstc(&folder, &["build", "copy.c", "--out", "other"]));
    fs::write(folder.path().join("go"), "").unwrap();
    assert!(first.wait().unwrap().success());
    assert!(folder.path().join("deep/out/rtl").is_dir());
    succeeds(&mut burstc(&folder, &build));
    assert_eq!(names(&folder.path().join("deep")), ["out"]);
    // One that is killed cannot clear away, and keeps nobody off; one that a signal ends clears away.
    for name in ["KILL", "TERM"] {
        fs::remove_file(folder.path().join("go")).unwrap();
        let mut first = begun(&folder, &build);
        refused(&mut burstc(&folder, &build));
        signal(&first, name);
        assert!(!first.wait().unwrap().success());
        fs::write(folder.path().join("go"), "").unwrap();
        if name == "KILL" {
            assert_eq!(names(&folder.path().join("deep")).len(), 2);
            succeeds(&mut burstc(&folder, &build));
        }
        assert_eq!(names(&folder.path().join("deep")), ["out"], "{name}");
    }
    let mut after = before;
    after.extend(["asked", "deep", "go", "other"].map(String::from));
    after.sort();
    assert_eq!(names(folder.path()), after);
}

/// As `nohup` and a shell script's `&` have it.
#[test]
fn ignored_signals_stay_ignored() {
    let folder = folder(COPY);
    let fake = folder.path().join("cc");
    endless(&fake);
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        "trap '' INT; exec \"$0\" \"$@\"",
        env!("CARGO_BIN_EXE_burstc"),
        "build",
        "copy.c",
        "--out",
        "out",
    ]);
    shell.current_dir(&folder).env("CC", &fake).env("TMPDIR", folder.path().join("tmp"));
    let mut child = shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    pids(&fake.with_extension("pids"));
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none());
    signal(&child, "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
}

/// The kernel tells the children itself.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_burstc_takes_its_child_along() {
    let folder = folder(COPY);
    let fake = folder.path().join("cc");
    endless(&fake);
    let mut command = burstc(&folder, &["build", "copy.c", "--out", "out"]);
    let mut child = command.env("CC", &fake).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let pids = pids(&fake.with_extension("pids"));
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for("the end of the child", || (!is_running(&pids[0])).then_some(()));
    Command::new("kill").arg(&pids[1]).status().unwrap();
}

#[test]
fn a_full_device_or_a_closed_pipe_is_no_fault() {
    let folder = folder(COPY);
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let code = |arguments: &[&str], out: Stdio, error: Stdio| {
        let mut command = burstc(&folder, arguments);
        command.stdout(out).stderr(error).status().unwrap().code()
    };
    let build = ["build", "copy.c", "--out", "out"];
    assert_eq!(code(&build, Stdio::null(), full().into()), Some(0));
    assert_eq!(code(&["build", "gone.c", "--out", "out"], Stdio::null(), full().into()), Some(2));
    assert_eq!(code(&["nonsense"], full().into(), full().into()), Some(2));
    for arguments in [&["boards"][..], &["analyze", "copy.c"], &["analyze", "copy.c", "--json"], &build] {
        assert_eq!(code(arguments, full().into(), full().into()), Some(1), "{arguments:?}");
    }
    assert!(code(&["--help"], full().into(), full().into()).is_some());
    // A reader that has gone away.
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        Stdio::from(writer)
    };
    for arguments in [&["boards"][..], &["analyze", "copy.c"], &build] {
        assert_eq!(code(arguments, closed(), closed()), Some(0), "{arguments:?}");
    }
}

#[test]
fn missing_programs_are_told_with_their_packages() {
    let folder = folder(COPY);
    let mut command = burstc(&folder, &["build", "copy.c", "--out", "out"]);
    let error = refused(command.env("PATH", folder.path()));
    assert!(error.contains("the C compiler `cc` is not installed") && error.contains("Debian package gcc"), "{error}");
    let mut command = burstc(&folder, &["build", "copy.c", "--out", "out"]);
    assert!(refused(command.env("CC", "there-is-none -m32")).contains("`there-is-none -m32`"));
    assert_eq!(names(folder.path()), ["copy.c", "tmp"]);
}

/// A compiler that takes `-O2` for leave to do something else.
const ODD: &str = "#ifdef __OPTIMIZE__\n#define ODD(i) ((i) == 3)\n#else\n#define ODD(i) 0\n#endif\n";

#[test]
fn a_program_whose_meaning_depends_on_the_compilers_options_is_no_oracle() {
    let folder = folder(&format!("{ODD}{}", COPY.replace("a[i];", "a[i] + ODD(i);")));
    for arguments in [&["run", "copy.c"][..], &["build", "copy.c", "--out", "out"]] {
        let error = refused(&mut burstc(&folder, arguments));
        assert!(error.contains("leaves another value in b[3] with `cc -O0` than with `-O2`"), "{error}");
        assert!(error.contains("may be undefined in C") && error.contains("nothing to compare with"), "{error}");
    }
    // The cause, where the compiler knows it.
    let shift = "#ifdef __OPTIMIZE__\n#define ODD(i) (1 << (i + 31))\n#else\n#define ODD(i) (1 << (i + 30))\n#endif\n";
    fs::write(folder.path().join("copy.c"), format!("{shift}{}", COPY.replace("a[i];", "a[i] + ODD(i);"))).unwrap();
    let error = refused(&mut burstc(&folder, &["build", "copy.c", "--out", "out"]));
    assert!(error.contains("copy.c:11:") && error.contains("shift exponent 32 is too large"), "{error}");
    assert_eq!(names(folder.path()), ["copy.c", "tmp"]);
    assert_eq!(names(&folder.path().join("tmp")), Vec::<String>::new());
}

#[test]
fn a_name_of_a_file_adds_nothing_to_what_is_generated() {
    let folder = folder(COPY);
    let evil = "x\nmodule evil; endmodule\r`define rst 1\u{1b}[2J\u{2028}\".c";
    fs::write(folder.path().join(evil), COPY).unwrap();
    succeeds(&mut burstc(&folder, &["build", "copy.c", "--out", "plain"]));
    let output = succeeds(&mut burstc(&folder, &["build", evil, "--out", "evil"]));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("evil;"));
    let same = |name: &str| {
        let text = |kind: &str| fs::read_to_string(folder.path().join(kind).join(name)).unwrap();
        let (plain, evil) = (text("plain"), text("evil"));
        assert_eq!(plain.lines().count(), evil.lines().count(), "{name}");
        for (plain, evil) in plain.lines().zip(evil.lines()) {
            assert!(plain == evil || evil.starts_with("// Generated by burstc "), "{name}: {evil}");
            assert!(!evil.contains(|c: char| c.is_control() || c == '\u{2028}'), "{name}: {evil:?}");
        }
    };
    for name in ["rtl/copy_top.v", "rtl/copy_load.v", "quartus/copy.qsf", "copy.h", "README.md", "sim/run.sh"] {
        same(name);
    }
    // Nor to a message.
    fs::write(folder.path().join(evil), COPY.replace("a[i];", "a[i * i];")).unwrap();
    for name in [evil, "gone\n\u{1b}[2J.c"] {
        let output = burstc(&folder, &["build", name, "--out", "out"]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(!error.contains('\u{1b}') && !error.contains("\nmodule"), "{error}");
    }
}

#[test]
fn a_byte_order_mark_carriage_returns_and_a_missing_line_end_are_taken() {
    let folder = folder(COPY);
    succeeds(&mut burstc(&folder, &["build", "copy.c", "--out", "out"]));
    let expected = fs::read_to_string(folder.path().join("out/rtl/copy_compute.v")).unwrap();
    let continued = COPY.replace("int32_t a[N], ", "int32_t a[N], \\\n");
    for text in [
        format!("\u{feff}{COPY}"),
        COPY.replace('\n', "\r\n"),
        format!("\u{feff}{}", continued.replace('\n', "\r\n")),
        COPY.trim_end().to_string(),
        format!("{COPY}// the end \\"),
        format!("{COPY}#define LAST 1"),
    ] {
        fs::write(folder.path().join("copy.c"), &text).unwrap();
        succeeds(&mut burstc(&folder, &["analyze", "copy.c"]));
        succeeds(&mut burstc(&folder, &["build", "copy.c", "--out", "out"]));
        let found = fs::read_to_string(folder.path().join("out/rtl/copy_compute.v")).unwrap();
        let code = |text: &str| text.lines().filter(|line| !line.contains("//")).collect::<Vec<_>>().join("\n");
        assert_eq!(code(&found), code(&expected), "{text:?}");
    }
    fs::write(folder.path().join("copy.c"), format!("\u{feff}{}", COPY.replace("b[i]", "\u{feff}b[i]"))).unwrap();
    assert!(refused(&mut burstc(&folder, &["build", "copy.c", "--out", "out"])).contains("copy.c:6:"));
}

#[test]
fn files_to_write_are_looked_at_before_the_work() {
    let folder = folder(COPY);
    fs::write(folder.path().join("notes"), "mine").unwrap();
    // As the C compiler is not there, whoever gets as far as the work says so.
    let error = |option: &str, path: &str| {
        refused(burstc(&folder, &["run", "copy.c", option, path]).env("CC", "there-is-none"))
    };
    for option in ["--vcd", "--fst", "--json"] {
        assert!(error(option, "deep/out").contains("there is no folder deep"));
        assert!(error(option, "tmp").contains("is a folder"));
        assert!(error(option, "notes/out").contains("there is no folder notes"));
        assert!(error(option, "/proc/out").contains("/proc"));
        assert!(error(option, "notes").contains("there-is-none"));
        assert!(error(option, "/dev/null").contains("there-is-none"));
    }
    assert!(error("--keep", "notes").contains("is a file"));
    assert!(error("--keep", "/proc/out").contains("/proc"));
    assert_eq!(names(folder.path()), ["copy.c", "notes", "tmp"]);
    assert_eq!(fs::read_to_string(folder.path().join("notes")).unwrap(), "mine");
}

#[test]
fn what_the_user_put_into_a_folder_is_kept() {
    let folder = folder(COPY);
    let out = folder.path().join("out");
    let build = |more: &[&str]| burstc(&folder, &[&["build", "copy.c", "--out", "out"], more].concat());
    succeeds(&mut build(&[]));
    fs::write(out.join("rtl/mine.v"), "mine").unwrap();
    succeeds(&mut build(&[]));
    assert_eq!(fs::read_to_string(out.join("rtl/mine.v")).unwrap(), "mine");
    let top = fs::read_to_string(out.join("rtl/copy_top.v")).unwrap();
    fs::write(out.join("rtl/copy_top.v"), format!("{top}// mine\n")).unwrap();
    let error = refused(&mut build(&[]));
    assert!(error.contains("copy_top.v was changed since burstc wrote it") && error.contains("--force"), "{error}");
    // Before the long work, too.
    let run = ["run", "copy.c", "--simulator", "icarus", "--keep", "out"];
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    fs::write(folder.path().join("iverilog"), "#!/bin/sh\nexit 9\n").unwrap();
    fs::set_permissions(folder.path().join("iverilog"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(refused(burstc(&folder, &run).env("PATH", path)).contains("was changed since"));
    succeeds(&mut build(&["--force"]));
    assert_eq!(fs::read_to_string(out.join("rtl/copy_top.v")).unwrap(), top);
    assert_eq!(fs::read_to_string(out.join("rtl/mine.v")).unwrap(), "mine");
    // As `sha256sum` reads it.
    let mut check = Command::new("sha256sum");
    let marker = fs::read_to_string(out.join(".burstc")).unwrap();
    fs::write(folder.path().join("sums"), marker.split_once('\n').unwrap().1).unwrap();
    succeeds(check.args(["--check", "--strict", "../sums"]).current_dir(&out));
}

/// At its default this takes minutes without optimisation.
#[test]
fn sample_data_are_of_sizes_that_the_c_program_does_soon() {
    let text = "#pragma burstc size(N: 1024, max 1024) size(M: 9, min 7, max 1024)\n\
                void f(int N, int M, float a[N][N], float b[N][N], float c[N][N], float d[M])\n{\n\
                    for (int i = 0; i < N; i++)\n        for (int j = 0; j < N; j++)\n            \
                    for (int k = 0; k < N; k++)\n                c[i][j] += a[i][k] * b[k][j];\n\
                    for (int i = 0; i < M; i++)\n        d[i] += 1;\n}\n";
    let folder = folder(&text.replace("min 7, ", ""));
    let begin = Instant::now();
    let output = succeeds(&mut burstc(&folder, &["build", "copy.c", "--out", "out"]));
    assert!(begin.elapsed() < Duration::from_secs(60));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let expected = "sample data for the bench at M = 4, N = 128: at M = 9, N = 1024 the C program takes long\n";
    assert!(said.contains(expected), "{said}");
    let readme = fs::read_to_string(folder.path().join("out/README.md")).unwrap();
    assert!(readme.contains("M = 4, N = 128"), "{readme}");
    // Short ones are as the source has them.
    fs::write(folder.path().join("copy.c"), COPY).unwrap();
    let output = succeeds(&mut burstc(&folder, &["build", "copy.c", "--out", "small"]));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("sample data"));
}

/// The loop that does not end is hidden from burstc.
#[test]
fn a_c_program_without_end_is_given_up() {
    let endless = "#ifdef main\n#define REST(i) ({ for (;;) ; 0; })\n#else\n#define REST(i) 0\n#endif\n";
    let folder = folder(&format!("{endless}{}", COPY.replace("a[i];", "a[i] + REST(i);")));
    let begin = Instant::now();
    let error = refused(&mut burstc(&folder, &["build", "copy.c", "--out", "out"]));
    assert!(error.contains("has not ended after 5 seconds at N = 40"), "{error}");
    assert!(begin.elapsed() < Duration::from_secs(30));
    assert_eq!(names(folder.path()), ["copy.c", "tmp"]);
    assert_eq!(names(&folder.path().join("tmp")), Vec::<String>::new());
}
