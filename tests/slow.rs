//! Programs that once took minutes, or for ever: each ends within some ten seconds of processor time, on the machine on which they were
//! set, and 2 GB; it is cut off after twice as long.

#[path = "slow/made.rs"]
mod made;
#[path = "common/processor.rs"]
mod processor;

use std::path::Path;
use std::process::Command;

/// What becomes of a program.
enum End {
    /// A folder.
    Built,
    /// Refused, with these words in the message.
    Refused(&'static [&'static str]),
}
use End::{Built, Refused};

const SECONDS: f64 = 10.0;

/// Runs `burstc build` on `file` in `place`. The system ends it after so many seconds of processor time: other programs that run beside
/// it do not count.
fn build_in(place: &Path, file: &str, end: End) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    // What is slow is so by far; a machine whose neighbours come and go is another one after its speed was measured.
    let seconds = (2.0 * SECONDS * processor::slowness()).ceil();
    let limited = format!("ulimit -t {seconds} && ulimit -S -v 2000000 && exec \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &limited, "sh", env!("CARGO_BIN_EXE_burstc"), "build", file, "--out"])
        .arg(&out)
        .env("NO_COLOR", "1")
        .current_dir(place)
        .output()
        .expect("there is a shell");
    let error = String::from_utf8_lossy(&output.stderr);
    let flat = error.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    match end {
        Built => assert_eq!(output.status.code(), Some(0), "{file}: {}\n{error}", output.status),
        Refused(words) => {
            assert_eq!(output.status.code(), Some(2), "{file}: {}\n{error}", output.status);
            words.iter().for_each(|word| assert!(flat.contains(word), "{file}: no {word:?} in\n{error}"));
            assert!(!out.exists(), "{file}: half-written");
        }
    }
}

fn build(file: &str, end: End) {
    build_in(Path::new(env!("CARGO_MANIFEST_DIR")), file, end);
}

/// The same of a text that is made for the test.
fn build_text(name: &str, text: &str, end: End) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = format!("{name}.c");
    std::fs::write(folder.path().join(&file), text).expect("writable");
    build_in(folder.path(), &file, end);
}

macro_rules! made {
    ($($name:ident = $kind:ident($count:expr) => $end:expr;)*) => {
        $(
            #[test]
            fn $name() {
                build_text(stringify!($name), &made::$kind(stringify!($name), $count), $end);
            }
        )*
    };
}

macro_rules! slow {
    ($($name:ident => $end:expr;)*) => {
        $(
            #[test]
            fn $name() {
                build(concat!("tests/slow/", stringify!($name), ".c"), $end);
            }
        )*

        #[test]
        fn every_program_has_a_test() {
            let tested = [$(concat!(stringify!($name), ".c")),*];
            for entry in std::fs::read_dir("tests/slow").expect("there are programs") {
                let name = entry.expect("readable").file_name();
                let is_tested = tested.iter().any(|tested| name == *tested) || name == "made.rs";
                assert!(is_tested, "{name:?} has no test");
            }
        }
    };
}

slow! {
    reversed_narrow => Refused(&["the tiling reverses a dependence", "distance (1, -1, 0)"]);
    bicg_temporaries => Built;
    temporaries_outside => Built;
    gemm_temporaries => Built;
    stencil_temporaries => Built;
    two_mm => Built;
    five_layers => Built;
    filter_15x15 => Built;
    filter_15x15_constant => Built;
    filter_unrolled => Built;
    convolution_constant => Built;
    nest_of_seven => Built;
    nest_of_seven_one_statement => Built;
    nest_of_20 => Refused(&["20 loops in each other", "nest_of_20.c:26"]);
    nest_of_10 => Built;
    helpers_16 => Refused(&["f16 calls f15 calls f14", "helpers_16.c:26"]);
    helpers_arguments => Refused(&["f16 calls f15 calls f14", "helpers_arguments.c:26"]);
    macros_20 => Refused(&["the C preprocessor takes more than 192 MB", "macros_20.c:30", "macros that name an argument twice double"]);
    two_mm_large => Built;
}

made! {
    terms_500 = terms(500) => Built;
    taps_300 = taps(300) => Built;
    fibonacci_200 = fibonacci(200) => Refused(&["stopped in the schedule", "fibonacci_200.c:7"]);
    branches_300 = branches(300) => Refused(&["the analysis of these loops takes too long", "branches_300.c:7"]);
    choices_300 = choices(300) => Refused(&["the analysis of these loops takes too long", "choices_300.c:7"]);
    else_ifs_200 = else_ifs(200) => Refused(&["the analysis of these loops takes too long", "else_ifs_200.c:7"]);
    sizes_20 = sizes(20) => Built;
    sizes_40 = sizes(40) => Refused(&["40 statements in up to 1 loop, 40 sizes", "sizes_40.c:85"]);
    ternaries_900 = ternaries(900) => Built;
    conditions_900 = conditions(900) => Built;
    float_taps_100 = float_taps(100) => Built;
    float_taps_300 = float_taps(300) => Refused(&["wait in about 356408 registers", "float_taps_300.c:8"]);
    host_calls_60 = host_calls(60) => Built;
    reads_1400 = taps(1400) => Refused(&["reads 1400 different elements", "reads_1400.c:8"]);
}

#[test]
fn what_is_no_file_is_not_read() {
    build("/dev/zero", Refused(&["is a device or a pipe"]));
    build("/dev", Refused(&["is a folder"]));
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe.c");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("coreutils");
    assert!(made.success());
    build(&pipe.to_string_lossy(), Refused(&["is a device or a pipe"]));
    let large = folder.path().join("large.c");
    std::fs::write(&large, vec![b' '; 3 << 20]).expect("writable");
    build(&large.to_string_lossy(), Refused(&["has more than 2 MB"]));
}
