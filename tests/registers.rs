//! What a start does before it starts: sizes out of their bounds or their domain and arrays at places that the
//! accelerator cannot address are refused, in the hardware and by the driver, and a right run follows.

use std::path::Path;
use std::process::{Command, Output};

use burstc::board;
use burstc::diagnostic::Span;
use burstc::hardware::status::{ALIGNMENT_ERROR, CONTROL, DONE, INDEX_ERROR, MEMORY_READY, SIZE_ERROR};
use burstc::hardware::{self, VerilogFile, argument_words};
use burstc::offload::Offload;
use burstc::simulate::bench::{Bench, MemoryModel};
use burstc::simulate::golden::Golden;
use burstc::simulate::job::Job;
use burstc::simulate::number::Number;
use burstc::simulate::simulator::{self, RunInputs, RunOutput, Simulator};
use burstc::simulate::{Outcome, judge};
use burstc::source::kernel::SizeCondition;
use burstc::source::{self, Source};
use burstc::{Options, choose_lanes, rtl};

const READY: u64 = 1 << MEMORY_READY;
const SIZE: u64 = READY | 1 << SIZE_ERROR;
const ALIGNMENT: u64 = READY | 1 << ALIGNMENT_ERROR;

fn source(text: &str) -> Source {
    Source { path: "kernel.c".into(), text: text.into(), cpp_args: vec![] }
}

/// A kernel on a board, with the job that a right run does.
struct Rig {
    offload: Offload,
    board: board::Board,
    simulation: simulator::Simulation,
    job: Job,
    expected: Vec<u8>,
    _work: tempfile::TempDir,
}

impl Rig {
    fn new(text: &str, domain: Vec<SizeCondition>, board: &str, set: &[(&str, i128)]) -> Rig {
        let (source, board) = (source(text), board::load(board).unwrap());
        let offload = match domain.is_empty() {
            true => burstc::analyze(&source, &board, &Options::default()).unwrap(),
            false => {
                let mut kernel = source::parse(&source).unwrap();
                kernel.domain.extend(domain);
                choose_lanes::analyze(&kernel, &board, None).unwrap()
            }
        };
        let kernel = &offload.kernel;
        let link = board.memory.link();
        let design = hardware::generate(&offload, link).unwrap();
        rtl::verify(&design).unwrap();
        let own = design.modules.iter().map(|m| VerilogFile { name: format!("{}.v", m.name()), text: rtl::print(m) });
        let files: Vec<VerilogFile> = own.chain(hardware::files(&design.library)).collect();
        let work = tempfile::tempdir().unwrap();
        let top = format!("{}_top", kernel.name);
        let simulation =
            simulator::build_in(Bench::of(&board), &files, &top, Simulator::Icarus, None, work.path(), None).unwrap();
        let set = set.iter().map(|(name, value)| (name.to_string(), Number::Whole(*value))).collect();
        let mut job = Job::new(kernel, &set, 16 << 20, 1).unwrap();
        let expected = Golden::build(&source, kernel).unwrap().run(&mut job).unwrap();
        Rig { offload, board, simulation, job, expected, _work: work }
    }

    /// The first word of an argument's registers.
    fn word(&self, argument: usize) -> u32 {
        argument_words(&self.offload.kernel)[argument].1
    }

    /// The right writes to the registers, but for some words.
    fn registers(&self, changes: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let change = |(word, value)| (word, changes.iter().find(|(w, _)| *w == word).map_or(value, |(_, v)| *v));
        self.job.registers(&self.offload.kernel).into_iter().map(change).collect()
    }

    fn run(&self, registers: &[(u32, u32)]) -> (Outcome, RunOutput) {
        let inputs = RunInputs { image: &self.job.image, registers, max_cycles: 20_000, waveform: None };
        let model = MemoryModel::default().on(&self.board);
        let output = self.simulation.run_with(&inputs, model).unwrap();
        (judge(&self.job, &self.expected, &output, 20_000), output)
    }
}

const BLEND: &str = "\
#include <stdint.h>
#pragma burstc size(N: 8, min 3, max 64) size(M: 2, max 20)
void blend(int N, int M, _Bool q, uint8_t alpha, int32_t a[N], int32_t b[N])
{
    for (int i = 0; i < N; i++)
        b[i] = a[i] * alpha + q + M;
}
";

/// `4 N - 6 M + 9 >= 0`, that is `2 N - 3 M + 4 >= 0`, and `M + N <= 70`.
fn conditions() -> Vec<SizeCondition> {
    let affine = |n: i64, m: i64, constant: i64| {
        let mut value = burstc::affine::Affine::constant(constant);
        value.add_term("N", n);
        value.add_term("M", m);
        value
    };
    let condition = |value, reason: &str| SizeCondition { value, reason: reason.into(), span: Span::default() };
    vec![
        condition(affine(4, -6, 9), "4 * N - 6 * M wraps around (line 6)"),
        condition(affine(-1, -1, 70), "N + M leaves its type (line 6)"),
    ]
}

/// Every refusal, one after the other, then the run: no command and no write comes of the former.
fn refuses_and_runs(board: &str) {
    let rig = Rig::new(BLEND, conditions(), board, &[("N", 9), ("M", 7), ("q", 1), ("alpha", 44)]);
    let [n, m, q, alpha, a, b] = [0, 1, 2, 3, 4, 5].map(|k| rig.word(k));
    let mut cases: Vec<(Vec<(u32, u32)>, u64)> = vec![
        (vec![], READY | 1 << DONE),
        // 133 mod 128 is 5.
        (vec![(n, 133)], SIZE),
        (vec![(n, 65)], SIZE),
        (vec![(n, 2), (m, 0)], SIZE),
        (vec![(n, u32::MAX)], SIZE),
        (vec![(n, 1 << 31 | 9)], SIZE),
        (vec![(m, 21)], SIZE),
        // 2 * 9 + 4 = 22 = 3 * 7 + 1: 8 is too many.
        (vec![(m, 8)], SIZE),
        (vec![(n, 10), (m, 8)], READY | 1 << DONE),
        (vec![(n, 56), (m, 15)], SIZE),
        (vec![(n, 55), (m, 15), (a, 0x4000), (b, 0x8000)], READY | 1 << DONE),
        (vec![(a, 0x1004)], ALIGNMENT),
        (vec![(b, 0x2001)], ALIGNMENT),
        (vec![(n, 133), (b, 0x2001)], SIZE | ALIGNMENT),
    ];
    if rig.board.memory.link().byte_address_width() < 32 {
        cases.push((vec![(a, 0x4000_1000)], ALIGNMENT));
    }
    let (mut registers, mut statuses) = (vec![], vec![]);
    for (changes, status) in cases {
        // Memory that a run of another size writes is not compared below: only refusals and the job's own run touch it.
        if changes.iter().any(|(word, _)| *word == n) && status & 1 << DONE != 0 {
            continue;
        }
        registers.extend(rig.registers(&changes));
        registers.push((CONTROL, 1));
        statuses.push(status);
    }
    // Of the errors, one is cleared, then the other; a 1 to other bits does nothing.
    registers.push((CONTROL, 1 << SIZE_ERROR));
    statuses.push(ALIGNMENT);
    registers.extend([(CONTROL, 0xf << 12 | 1 << DONE), (CONTROL, 1 << ALIGNMENT_ERROR)]);
    statuses.extend([ALIGNMENT, READY]);
    // `_Bool` takes 256 for true, `uint8_t` 300 for 44.
    registers.extend(rig.registers(&[(q, 256), (alpha, 300)]));
    let (outcome, output) = rig.run(&registers);
    assert_eq!(outcome, Outcome::Pass, "{board}: {outcome}");
    assert_eq!(output.statuses, statuses, "{board}");
    assert_eq!(output.counters.status, READY | 1 << DONE);

    // Sizes at the edge of the domain run, those one beyond it do not; memory is as it was.
    for (changes, status) in [
        (vec![(n, 10), (m, 8)], READY | 1 << DONE),
        (vec![(n, 55), (m, 15), (a, 0x4000), (b, 0x8000)], READY | 1 << DONE),
        (vec![(n, 56), (m, 15)], SIZE),
        (vec![(n, 133)], SIZE),
    ] {
        let (outcome, output) = rig.run(&rig.registers(&changes));
        assert_eq!(output.counters.status, status, "{board}: {changes:?}");
        if status == SIZE {
            assert_eq!(outcome, Outcome::NotStarted { status: 1 << SIZE_ERROR });
            assert_eq!(output.image, rig.job.image);
        }
    }
}

const LOOK: &str = "\
#include <stdint.h>
void look(int16_t x[40], int32_t t[300], int32_t y[40])
{
    for (int i = 0; i < 40; i++)
        y[i] = x[i] < 1000 && x[i] >= -9 ? t[x[i]] : -1;
}
";

/// A subscript that the data give and that leaves its array is told, where C evaluates it, and spoils its own result only.
fn tells_of_subscripts(board: &str) {
    let mut rig = Rig::new(LOOK, vec![], board, &[]);
    let [x, y] = [0, 2].map(|array| rig.job.placement.regions[array].base as usize);
    let done = READY | 1 << DONE;
    let error = done | 1 << INDEX_ERROR;
    let cases = [
        (299, false, done),
        (1000, true, done),
        (-10, true, done),
        (300, false, error),
        (999, false, error),
        (-1, false, error),
    ];
    for (value, is_beside, status) in cases {
        rig.job.image[x + 4..x + 6].copy_from_slice(&i16::to_le_bytes(value));
        let mut registers = rig.registers(&[]);
        registers.extend([(CONTROL, 1), (CONTROL, 1 << INDEX_ERROR)]);
        let (outcome, output) = rig.run(&registers);
        assert_eq!(output.statuses, [status, done], "{board}: {value}");
        assert_eq!(output.counters.status, status, "{board}: {value}");
        let own = y + 8..y + 12;
        if status == error {
            assert_eq!(outcome, Outcome::Subscript, "{board}: {value}");
        } else if is_beside {
            assert_eq!(output.image[own.clone()], [0xff; 4], "{board}: {value}");
        }
        let others = |image: &[u8]| [&image[..x + 4], &image[x + 6..own.start], &image[own.end..]].concat();
        assert_eq!(others(&output.image), others(&rig.expected), "{board}: {value}");
    }
}

const OFTEN: &str = "\
#include <stdint.h>
#pragma burstc size(n: 12, max 40)
void often(int n, uint8_t a[8], int32_t c[4])
{
    int k = a[0] > 99 ? a[0] - 91 : a[0] & 7;
#pragma burstc rounds(n - 3)
    while (k > 0) {
        k--;
        c[k & 3]++;
    }
}
";

/// A loop that goes on when it has run as often as stated is told, and ends.
fn tells_of_rounds(board: &str, n: i128, cases: &[(u8, i32, bool)]) {
    let mut rig = Rig::new(OFTEN, vec![], board, &[("n", n)]);
    let [a, c] = [0, 1].map(|array| rig.job.placement.regions[array].base as usize);
    let done = READY | 1 << DONE;
    let before = rig.job.image.clone();
    for &(value, rounds, is_told) in cases {
        rig.job.image[a] = value;
        let status = if is_told { done | 1 << INDEX_ERROR } else { done };
        let (outcome, output) = rig.run(&rig.registers(&[]));
        assert_eq!(output.counters.status, status, "{board}: {value}");
        assert_eq!(outcome == Outcome::Subscript, is_told, "{board}: {value}");
        let added = |k: usize| {
            let word = |image: &[u8]| i32::from_le_bytes(image[c + 4 * k..c + 4 * k + 4].try_into().unwrap());
            word(&output.image).wrapping_sub(word(&before))
        };
        assert_eq!((0..4).map(added).sum::<i32>(), rounds, "{board}: {value}");
    }
}

const PUT: &str = "\
#include <stdint.h>
void put(int16_t x[40], int32_t h[300], uint8_t y[20][50])
{
    for (int i = 0; i < 40; i++) {
        if (x[i] < 1000 && x[i] >= -9)
            h[x[i]] += 1;
        if (x[i] != 1000 && x[i] != -10)
            y[i / 2][(x[i] >> 3) + 1] = 1;
    }
}
";

/// Nothing is written where a subscript that the data give leaves its array, which is told where C would write.
fn writes_no_neighbours(board: &str) {
    let mut rig = Rig::new(PUT, vec![], board, &[]);
    let [x, h, y] = [0, 1, 2].map(|array| rig.job.placement.regions[array].base as usize);
    let done = READY | 1 << DONE;
    let error = done | 1 << INDEX_ERROR;
    let before = i16::from_le_bytes([rig.job.image[x + 4], rig.job.image[x + 5]]);
    let cases = [
        (299, done),
        (1000, done),
        (-10, done),
        (300, error),
        (399, error),
        (999, error),
        (-1, error),
        (-9, error),
        (-1234, error),
        (31000, error),
    ];
    for (value, status) in cases {
        rig.job.image[x + 4..x + 6].copy_from_slice(&i16::to_le_bytes(value));
        let (outcome, output) = rig.run(&rig.registers(&[]));
        assert_eq!(output.counters.status, status, "{board}: {value}");
        assert_eq!(outcome == Outcome::Subscript, status == error, "{board}: {value}");
        // What the program would leave with this value, by what it leaves with the other.
        let mut expected = rig.job.image.clone();
        for i in 0..40 {
            let at = |k: usize| i64::from(i16::from_le_bytes([expected[x + 2 * k], expected[x + 2 * k + 1]]));
            let value = at(i);
            if (0..300).contains(&value) {
                let place = h + 4 * value as usize;
                let old = i32::from_le_bytes(expected[place..place + 4].try_into().unwrap());
                expected[place..place + 4].copy_from_slice(&old.wrapping_add(1).to_le_bytes());
            }
            let column = (value >> 3) + 1;
            if (0..50).contains(&column) && value != 1000 && value != -10 {
                expected[y + 50 * (i / 2) + column as usize] = 1;
            }
        }
        assert!(output.image == expected, "{board}: {value} instead of {before}");
    }
}

const ROWS: &str = "\
#include <stdint.h>
void rows(int16_t ptr[21], int32_t val[60], int32_t y[20])
{
    for (int i = 0; i < 20; i++)
        for (int j = ptr[i]; j < ptr[i + 1]; j++)
            y[i] += val[j];
}
";

/// The same in tiles that split rows, whose last element is one more.
const SPLIT_ROWS: &str = "\
#include <stdint.h>
void rows(int16_t ptr[21], int32_t val[60], int32_t y[20])
{
#pragma burstc tile(i:8, j:16)
    for (int i = 0; i < 20; i++)
        for (int j = ptr[i]; j <= ptr[i + 1]; j++)
            y[i] += val[j];
}
";

/// A row whose bounds leave what it reads is told, and left out; the others are right. Rows have `more` elements than their
/// bounds are apart.
fn tells_of_bounds(text: &str, more: i64, board: &str) {
    let mut rig = Rig::new(text, vec![], board, &[]);
    let [ptr, val, y] = [0, 1, 2].map(|array| rig.job.placement.regions[array].base as usize);
    let done = READY | 1 << DONE;
    let error = done | 1 << INDEX_ERROR;
    let mut told = vec![];
    // Of the bounds between rows 4 and 5: within the array, overlapping others, empty, and beyond it.
    for (value, next) in [
        (20, 22),
        (0, 60),
        (0, 59),
        (60, 60),
        (99, 99),
        (61, 30),
        (-1, -7),
        (-1, 2),
        (59, 61),
        (20, 61),
        (-1, 0),
        (40, 3),
        (-5, -5),
        (3, -32768),
        (32767, 7),
    ] {
        rig.job.image[ptr + 8..ptr + 10].copy_from_slice(&i16::to_le_bytes(20));
        for (place, value) in [(5, value), (6, next), (7, 60 - more as i16)] {
            rig.job.image[ptr + 2 * place..ptr + 2 * place + 2].copy_from_slice(&i16::to_le_bytes(value));
        }
        let (outcome, output) = rig.run(&rig.registers(&[]));
        let image = &rig.job.image;
        let bound = |i: usize| i64::from(i16::from_le_bytes([image[ptr + 2 * i], image[ptr + 2 * i + 1]]));
        let word = |place: usize| i32::from_le_bytes(image[place..place + 4].try_into().unwrap());
        let mut expected = image.clone();
        let mut leaves = false;
        for i in 0..20 {
            let (first, last) = (bound(i), bound(i + 1) + more);
            if first < last && !(first >= 0 && last <= 60) {
                leaves = true;
                continue;
            }
            let sum = (first..last).fold(word(y + 4 * i), |sum, j| sum.wrapping_add(word(val + 4 * j as usize)));
            expected[y + 4 * i..y + 4 * i + 4].copy_from_slice(&sum.to_le_bytes());
        }
        assert_eq!(output.counters.status, if leaves { error } else { done }, "{board}: {value}, {next}");
        assert_eq!(outcome == Outcome::Subscript, leaves, "{board}: {value}, {next}");
        assert!(output.image == expected, "{board}: {value}, {next}");
        told.push(leaves);
    }
    assert!(told.contains(&true) && told.contains(&false), "{board}: {told:?}");
}

#[test]
fn bounds_that_depend_on_data() {
    for (text, more) in [(ROWS, 0), (SPLIT_ROWS, 1)] {
        tells_of_bounds(text, more, "stratix2-ddr400");
        tells_of_bounds(text, more, "generic-axi4");
    }
}

#[test]
fn rounds_beyond_those_stated() {
    let cases = [(0, 0, false), (7, 7, false), (98, 2, false), (100, 9, false), (101, 9, true), (200, 9, true)];
    tells_of_rounds("stratix2-ddr400", 12, &cases);
    tells_of_rounds("generic-axi4", 12, &cases);
    // No round at all, of less than none that are stated.
    tells_of_rounds("stratix2-ddr400", 2, &[(0, 0, false), (8, 0, false), (1, 0, true)]);
}

#[test]
fn subscripts_that_depend_on_data() {
    tells_of_subscripts("stratix2-ddr400");
    tells_of_subscripts("generic-axi4");
}

#[test]
fn writes_at_subscripts_that_depend_on_data() {
    writes_no_neighbours("stratix2-ddr400");
    writes_no_neighbours("generic-axi4");
}

#[test]
fn refusals_on_the_native_controller() {
    refuses_and_runs("stratix2-ddr400");
}

#[test]
fn refusals_behind_axi4() {
    refuses_and_runs("generic-axi4");
}

#[test]
fn refusals_behind_avalon() {
    refuses_and_runs("generic-avalon");
}

#[test]
fn refusals_on_sdr_sdram() {
    let rig = Rig::new(BLEND, vec![], "ulx3s", &[("N", 9), ("M", 7)]);
    let mut registers = rig.registers(&[(rig.word(0), 133)]);
    registers.push((CONTROL, 1));
    registers.extend(rig.registers(&[]));
    let (outcome, output) = rig.run(&registers);
    assert_eq!((outcome, &output.statuses[..]), (Outcome::Pass, &[SIZE][..]));
}

/// Both words of a size of 64 bits count.
#[test]
fn sizes_of_64_bits_are_compared_whole() {
    let text = "#include <stdint.h>\n#pragma burstc size(n: 4, max 9)\n\
                void f(int64_t n, int32_t a[n])\n{\n    for (int i = 0; i < n; i++)\n        a[i] += 1;\n}\n";
    let rig = Rig::new(text, vec![], "generic-axi4", &[("n", 5)]);
    let n = rig.word(0);
    assert_eq!(rig.word(1), n + 2);
    let mut registers = vec![];
    for changes in [vec![(n + 1, 1)], vec![(n, 10)], vec![(n, u32::MAX), (n + 1, u32::MAX)]] {
        registers.extend(rig.registers(&changes));
        registers.push((CONTROL, 1));
    }
    registers.extend(rig.registers(&[]));
    let (outcome, output) = rig.run(&registers);
    assert_eq!((outcome, output.statuses), (Outcome::Pass, vec![SIZE; 3]));
}

/// Sizes for which C's `N - 9` wraps around are outside of the domain, which the hardware knows.
#[test]
fn a_domain_of_the_sources_is_compared() {
    let text = "#pragma burstc size(N: 64, max 100)\nvoid f(unsigned N, int a[N])\n{\n    \
                for (unsigned i = 0; i < N - 9; i++)\n        a[i] += 1;\n}\n";
    let rig = Rig::new(text, vec![], "generic-axi4", &[("N", 20)]);
    assert!(!rig.offload.kernel.domain.is_empty());
    let n = rig.word(0);
    let (mut registers, mut statuses) = (vec![], vec![]);
    for (size, status) in [(8, SIZE), (0, SIZE), (9, READY | 1 << DONE), (101, SIZE)] {
        registers.extend(rig.registers(&[(n, size)]));
        registers.push((CONTROL, 1));
        statuses.push(status);
    }
    registers.extend(rig.registers(&[]));
    let (outcome, output) = rig.run(&registers);
    assert_eq!((outcome, output.statuses), (Outcome::Pass, statuses));
}

/// The bounds are the analysis's, too: sizes at which a subscript reaches outside are not in the domain.
#[test]
fn the_analysis_knows_bounds_and_domain() {
    let text = |size: &str| {
        format!(
            "#pragma burstc size({size})\nvoid f(int N, int a[N])\n{{\n    for (int i = 0; i < 3; i++)\n        \
             a[N - 1 - i] = i;\n}}\n"
        )
    };
    let board = board::load("stratix2-ddr400").unwrap();
    let analyze = |size: &str, options: &Options| burstc::analyze(&source(&text(size)), &board, options);
    let domain = |size: &str| {
        analyze(size, &Options::default()).unwrap().kernel.domain.iter().map(|c| c.text()).collect::<Vec<_>>()
    };
    assert_eq!((domain("N: 8, max 9"), domain("N: 8, min 2, max 9")), (vec!["N >= 3".into()], vec!["N >= 3".into()]));
    let error = analyze("N: 2, max 9", &Options::default()).unwrap_err();
    assert!(error.to_string().contains("leaves its array: for N = 1"), "{error}");
    assert!(domain("N: 8, min 3, max 9").is_empty());
    let options = Options { min: [("N".to_string(), 3)].into(), ..Options::default() };
    let offload = analyze("N: 8, max 9", &options).unwrap();
    assert_eq!((offload.kernel.parameters[0].min, offload.kernel.parameters[0].default), (3, Some(8)));
    // A default below the command line's bound becomes the bound.
    assert_eq!(analyze("N: 2, max 9", &options).unwrap().kernel.parameters[0].default, Some(3));
    let crossed = Options { max: [("N".to_string(), 2)].into(), ..options };
    let error = analyze("N: 8, max 9", &crossed).unwrap_err();
    assert_eq!(error.to_string(), "the size `N` is at least 3 and at most 2");

    let mut kernel = source::parse(&source(&text("N: 8, max 9"))).unwrap();
    assert!(choose_lanes::analyze(&kernel, &board, None).is_err());
    let at_least = |least: i64| SizeCondition {
        value: burstc::affine::Affine::variable("N") - burstc::affine::Affine::constant(least),
        reason: "because".into(),
        span: Span::default(),
    };
    kernel.domain = vec![at_least(3)];
    assert!(choose_lanes::analyze(&kernel, &board, None).is_ok());
    kernel.domain = vec![at_least(10)];
    let error = choose_lanes::analyze(&kernel, &board, None).unwrap_err();
    assert_eq!(error.to_string(), "no sizes are left for `f`: of N from 0 to 9");
}

fn burstc(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_burstc")).args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn the_command_line_refuses_sizes_and_names() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("blend.c", BLEND);
    let long = "f".repeat(300);
    write("long.c", &BLEND.replace("blend", &long));
    write("array.c", &BLEND.replace("a[", &format!("{long}[")));
    for (arguments, message, help) in [
        (&["run", "blend.c", "--set", "N=2"][..], "--set N=2 is below the bound of `N`, 3", "--min N=2"),
        (&["run", "blend.c", "--set", "N=65"], "--set N=65 is above the bound of `N`, 64", "--max N=65"),
        (&["run", "blend.c", "--min", "N=9", "--max", "N=8"], "the size `N` is at least 9 and at most 8", "--max N=…"),
        (&["analyze", "blend.c", "--min", "n=9"], "--min n: `blend` has no size parameter", "did you mean `N`?"),
        (&["analyze", "blend.c", "--min", "N=-1"], "--min N=-1: a size is a whole number, at least 0", "in that range"),
        (&["build", "long.c", "--out", "x"], "has 300 characters", "shorten it"),
        (&["build", "array.c", "--out", "x"], "has 300 characters", "shorten it"),
    ] {
        let output = burstc(arguments, folder.path());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(message) && said.contains(help), "{arguments:?}: {said}");
        assert!(!folder.path().join("x").exists());
    }
    let output = burstc(&["analyze", "blend.c", "--min", "N=4"], folder.path());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("sizes: N from 4 to 64, M from 0 to 20\n"), "{text}");
}
