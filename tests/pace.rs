//! Cycles per iteration of kernels whose dependences leave little room: what the order inside a tile is for.

mod common;

use std::ops::RangeInclusive;
use std::sync::Arc;

use burstc::Options;
use burstc::choose_lanes::Request;
use burstc::report::Estimate;
use burstc::simulate::simulator::Simulator;
use burstc::source::Source;
use common::{Rig, Subject, elsewhere};

/// What the estimate may be of a run's cycles: measured are 0.87 (`nussinov`) to 1.10 (`quotients`), but for `seidel_time`, whose
/// waves are no box, 1.23, and `running_values`, whose statements wait for one another, 0.71.
const EXPECTED: RangeInclusive<f64> = 0.70..=1.25;

/// Runs `tests/kernels/<kernel>.c` and holds its cycles against `most` per iteration of the loops, of which there are
/// `iterations`.
fn guard(kernel: &str, sizes: &[(&str, i128)], iterations: u64, most: f64) {
    guard_file(&format!("tests/kernels/{kernel}.c"), sizes, iterations, most);
}

/// [`guard`] of any file; gives what the estimate is of the run's cycles.
fn guard_file(kernel: &str, sizes: &[(&str, i128)], iterations: u64, most: f64) -> f64 {
    if elsewhere() {
        return 1.0;
    }
    guard_subject(kernel, &Subject::read(kernel), sizes, iterations, most)
}

/// [`guard_file`] of a kernel that was read.
fn guard_subject(kernel: &str, subject: &Arc<Subject>, sizes: &[(&str, i128)], iterations: u64, most: f64) -> f64 {
    let cycles = cycles_of(kernel, subject, sizes, iterations, most);
    let accelerator = &subject.accelerator;
    let sizes = sizes.iter().map(|(name, size)| (name.to_string(), *size as i64)).collect();
    let board = common::board();
    let share = Estimate::of(&accelerator.offload, &board, &sizes).cycles() as f64 / cycles as f64;
    eprintln!("{kernel}: {share:.3} of the run's {cycles} cycles were expected");
    assert!(EXPECTED.contains(&share), "{kernel}: {share:.3} of the run's {cycles} cycles were expected");
    share
}

/// Runs a kernel and holds its cycles against `most` per iteration, without a look at the estimate.
fn cycles_of(kernel: &str, subject: &Arc<Subject>, sizes: &[(&str, i128)], iterations: u64, most: f64) -> u64 {
    let rig = Rig::of(subject, Simulator::Verilator, false).unwrap_or_else(|error| panic!("{kernel}: {error:#}"));
    let cycles = rig.run(sizes, 1).counters.cycles;
    let each = cycles as f64 / iterations as f64;
    assert!(each <= most, "{kernel}: {cycles} cycles, {each:.3} per iteration");
    cycles
}

/// A counter's statements take turns and the nests behind them have rows of their own: rows looked for in loops around all of them take
/// some thousand cycles each.
#[test]
fn nests_apart_share_no_loop() {
    if !elsewhere() {
        let subject = Subject::read("tests/kernels/nests_apart.c");
        cycles_of("nests_apart", &subject, &[], 1 + 5 * 144, 2.45);
    }
}

/// Tiles of one value each pass a local board through memory, 54 cycles per iteration; the program as one tile keeps it.
#[test]
fn small_nests_are_one_tile() {
    if !elsewhere() {
        let options = Options { lanes: Some(Request::Count(1)), ..Options::default() };
        let subject = Subject::read_with("tests/kernels/life_on_chip.c", &options);
        cycles_of("life_on_chip", &subject, &[], 3458, 1.6);
    }
}

/// In place over time: along rows every point waits for the one before, 14.9 cycles each; in waves of several sweeps not.
#[test]
fn seidel_runs_in_waves() {
    guard("seidel_time", &[("T", 32), ("N", 64)], 32 * 62 * 62, 1.90);
}

/// Each cell needs its left and upper neighbours: 5.0 cycles along rows.
#[test]
fn lcs_runs_along_diagonals() {
    guard("lcs", &[("N", 128), ("M", 128)], 129 + 128 + 128 * 128, 1.18);
}

/// Maxima over `k` are one cell's, 5.1 cycles; along diagonals cells take turns.
#[test]
fn nussinov_runs_along_diagonals() {
    let n = 48;
    // Four statements per cell, of which one of two runs under each condition, and the sums inside.
    let cells = n * (n - 1) / 2;
    let sums = (0..n).map(|i| (i + 1..n).map(|j| j - i - 1).sum::<u64>()).sum::<u64>();
    let iterations = cells * 3 + sums;
    // 1.31 where a row begins when the one before is given.
    guard("nussinov", &[("N", 48)], iterations, 1.17);
}

/// Rows of 18 in tiles of 256: a window along them would take two iterations of every row, 1.33 cycles each.
#[test]
fn short_rows_have_no_windows() {
    guard("short_rows", &[("T", 16)], 16 * 2 * 18 * 18 * 18, 1.23);
}

/// Sums in a scalar, each of which waits for the one before, 18 cycles: rows and columns behind a pivot take turns once
/// the pivot's column is divided before the rows.
#[test]
fn linear_system_updates_what_is_behind_the_pivot() {
    let n = 64u64;
    // Sums of the decomposition, in and out of the scalar for each element; two substitutions.
    let decomposition = (0..n).map(|i| i * i.saturating_sub(1) / 2 + i * (n - i)).sum::<u64>() + 2 * n * n;
    let substitution = n * (n - 1) / 2 + 2 * n;
    guard("linear_system", &[("N", 64)], decomposition + 2 * substitution, 1.70);
}

/// Terms of a sum, 18 cycles from one to the next where each reads the sum when it reads its factors: the sum comes as late
/// as the product, and out of the adder. 7.0 cycles each; the chain alone takes 3.0.
#[test]
fn sums_take_the_adder_s_cycles() {
    guard("levinson", &[("N", 96)], 3 * 96 * 95 / 2 + 5 * 96, 3.70);
}

/// Rows of an image that two lines and a window hand on are read where they came from: 6.8 cycles each where copies wait for copies.
#[test]
fn lines_and_windows_take_no_cycles() {
    guard("line_buffer", &[("w", 64), ("h", 40)], 10 * 64 * 40, 1.25);
    // The pixels are computed, once each: three elements and two sums.
    guard("delays_computed", &[("n", 1000)], 3 * 1000, 1.25);
}

/// What lies beside each other in pixels and structures is one row of memory: a row per pixel takes 1.82, 3.12 and 5.15 cycles.
#[test]
fn pixels_and_pairs_move_in_rows() {
    // Six bytes per pixel of three statements, as many in and out, and three words of two numbers each.
    let in_lanes = |kernel: &str, sizes: &[(&str, i128)], iterations: u64, most: f64| {
        let path = format!("tests/kernels/{kernel}.c");
        let options = Options { lanes: Some(Request::Usual), ..Options::default() };
        guard_subject(kernel, &Subject::read_with(&path, &options), sizes, iterations, most);
    };
    in_lanes("pixels", &[("h", 48), ("w", 64)], 3 * 48 * 64, 0.52);
    in_lanes("colours", &[("h", 32), ("w", 48)], 3 * 30 * 46, 0.62);
    in_lanes("complex_pairs", &[("n", 512)], 2 * 512, 3.15);
    // Some of the elements of every row, in six loops: some 12 cycles with a burst for each.
    in_lanes("strides", &[("n", 96)], 12 * 96, 2.85);
}

/// Integers are there for the next iteration, a filter's output after a product and two sums.
#[test]
fn running_values_are_passed_on() {
    guard("running_values", &[("N", 400)], 7 * 400, 5.00);
}

/// Quotients and remainders of integers start in every cycle, so that the port is the limit, four words per element; 76.5 cycles
/// each with a divider that takes one at a time.
#[test]
fn divisions_start_in_every_cycle() {
    if elsewhere() {
        return;
    }
    let text = "#include <stdint.h>\n#pragma burstc size(N: 1000, max 4096)\n\
                void quotients(int N, const int32_t a[N], const int32_t b[N], int32_t q[N], int32_t r[N])\n{\n\
                for (int i = 0; i < N; i++) {\nq[i] = b[i] != 0 ? a[i] / b[i] : 0;\n\
                r[i] = b[i] != 0 ? a[i] % b[i] : 0;\n}\n}\n";
    let source = Source { path: "quotients.c".to_string(), text: text.to_string(), cpp_args: vec![] };
    let subject = Subject::new(&source, &Options::default()).expect("divisions");
    guard_subject("quotients", &subject, &[("N", 1000)], 1000, 4.13);
}

/// A row waits for its pivot once, and not for all of its elements: 14 times the run's cycles would be expected.
#[test]
fn a_pivot_is_waited_for_once_per_row() {
    if elsewhere() {
        return;
    }
    let path = "tests/kernels/floyd_warshall.c";
    let text = std::fs::read_to_string(common::root(path)).expect(path).replace("size(N: 13,", "size(N: 64,");
    let source = Source { path: path.to_string(), text, cpp_args: vec![] };
    let subject = Subject::new(&source, &Options::default()).expect(path);
    guard_subject(path, &subject, &[("N", 64)], 64 * 64 * 64, 1.07);
}

/// Sums of two statements, of four rows at a time, wait nine cycles each for the one before: in one loop around both, each has the rows
/// of the other in between. One after the other they take 39,900 cycles, and the port 32,940.
#[test]
fn rows_of_two_statements_take_turns() {
    if elsewhere() {
        return;
    }
    let text = "#pragma burstc size(n: 90, max 90)\n\
                #pragma burstc schedule(S0[i] -> (0, i); S1[i] -> (0, i); S2[i,j] -> (j, i); S3[i,j] -> (j, i)) tile(128, 4)\n\
                void two_sums(int n, const double a[n][n], const double b[n][n], const double x[n], double s[n], double t[n])\n{\n\
                for (int i = 0; i < n; i++) {\nS0: s[i] = 0;\nS1: t[i] = 0;\n\
                for (int j = 0; j < n; j++) {\nS2: s[i] += a[i][j] * x[j];\nS3: t[i] += b[i][j] * x[j];\n}\n}\n}\n";
    let source = Source { path: "two_sums.c".to_string(), text: text.to_string(), cpp_args: vec![] };
    let subject = Subject::new(&source, &Options::default()).expect("two sums");
    guard_subject("two_sums", &subject, &[("n", 90)], 2 * 90 * 90, 2.15);
}

/// Nests of which each would load `data` share tiles along a loop of each, with a statement behind them in none; in tiles of their own
/// they take 1.37 cycles per iteration.
#[test]
fn nests_share_what_they_load() {
    let text = "#pragma burstc size(n: 40, max 40)\n\
                #pragma burstc size(m: 32, max 32)\n\
                void centred(int n, int m, double count, double data[n][m], double product[m][m], double mean[m])\n\
                {\n\
                for (int j = 0; j < m; j++) {\n\
                S0: mean[j] = 0;\n\
                for (int i = 0; i < n; i++)\n\
                S1: mean[j] += data[i][j];\n\
                S2: mean[j] /= count;\n\
                }\n\
                for (int i = 0; i < n; i++)\n\
                for (int j = 0; j < m; j++)\n\
                S3: data[i][j] -= mean[j];\n\
                for (int i = 0; i < m; i++)\n\
                for (int j = i; j < m; j++) {\n\
                S4: product[i][j] = 0;\n\
                for (int k = 0; k < n; k++)\n\
                S5: product[i][j] += data[k][i] * data[k][j];\n\
                S6: product[j][i] = product[i][j];\n\
                }\n\
                S7: product[0][0] = 1;\n\
                }\n";
    guard_in_one_lane("centred", text, &[("n", 40), ("m", 32)], 24_801, 1.14);
}

/// Tiles of 12 rows, whose sums wait less than those of 8: with those it is 1.24.
#[test]
fn tiles_are_as_long_as_rows_wait() {
    let text = "#pragma burstc size(n: 90, max 90)\n\
                void product(int n, const double a[n][n], const double x[n], double s[n], double t[n])\n\
                {\n\
                for (int i = 0; i < n; i++) {\n\
                S0: s[i] = 0;\n\
                for (int j = 0; j < n; j++)\n\
                S1: s[i] += a[i][j] * x[j];\n\
                for (int j = 0; j < n; j++)\n\
                S2: t[j] += a[i][j] * s[i];\n\
                }\n\
                }\n";
    guard_in_one_lane("product", text, &[("n", 90)], 16_290, 1.21);
}

/// [`guard_subject`] of a text in the tiles that are chosen for one lane.
fn guard_in_one_lane(kernel: &str, text: &str, sizes: &[(&str, i128)], iterations: u64, most: f64) {
    if elsewhere() {
        return;
    }
    let source = Source { path: format!("{kernel}.c"), text: text.to_string(), cpp_args: vec![] };
    let options = Options { lanes: Some(Request::Count(1)), ..Options::default() };
    let subject = Subject::new(&source, &options).unwrap_or_else(|error| panic!("{kernel}: {error:#}"));
    guard_subject(kernel, &subject, sizes, iterations, most);
}

/// Rows whose bounds are data are walked from bound to bound; as long as they may be, they take 9,418 and 10,000 cycles.
#[test]
fn rows_are_as_long_as_data_say() {
    if elsewhere() {
        return;
    }
    let sizes = [("N", 30), ("nonzeros", 150)];
    guard("csr", &sizes, 150, 4.2);
    // Sums of floating-point numbers wait for one another: rows take turns. One after the other they take 1,660 cycles.
    let rig = Rig::new("tests/kernels/csr_float.c", Simulator::Verilator, false);
    let cycles = rig.run(&sizes, 1).counters.cycles;
    assert!(cycles <= 815, "csr_float: {cycles} cycles");
    // The same rows where temporaries stand outside of the loops: 5,111 cycles, were they kept there.
    let rig = Rig::new("tests/kernels/row_temporaries.c", Simulator::Verilator, false);
    let cycles = rig.run(&[("n", 30), ("nonzeros", 150)], 1).counters.cycles;
    assert!(cycles <= 940, "row_temporaries: {cycles} cycles");
}

/// A sparse matrix of 16,384 numbers in 1,024 rows, in tiles with all of the rows: two words for each number and some for the vectors
/// are 0.94 of DDR-400's port; in tiles of 256 x 512, 0.54. In `float` every number waits nine cycles for the one before in its row, and
/// rows take turns: one after the other they are 0.25 of the port.
#[test]
fn rows_of_a_sparse_matrix_fill_the_port() {
    if elsewhere() {
        return;
    }
    let text = std::fs::read_to_string(common::root("tests/kernels/csr.c")).expect("csr");
    let text = text.replace("size(N: 30, max 256)", "size(N: 1024, max 1024)");
    let text = text.replace("size(nonzeros: 150, max 2048)", "size(nonzeros: 16384, max 16384)");
    let floats = ["val", "x", "y"]
        .iter()
        .fold(text.clone(), |text, array| text.replace(&format!("int32_t {array}["), &format!("float {array}[")));
    for (name, text, share) in [("csr", text, 0.93), ("csr in float", floats, 0.90)] {
        let source = Source { path: "csr.c".to_string(), text, cpp_args: vec![] };
        let subject = Subject::new(&source, &Options::default()).expect("csr");
        let words = 2 * 16384 + 1025 + 1024 + 2 * 1024;
        guard_subject(name, &subject, &[("N", 1024), ("nonzeros", 16384)], words, 1.0 / share);
    }
}

/// Bytes and shorts in lanes, a word of four or two of them per cycle: one by one, a copy reaches 28 % of DDR-400's port.
#[test]
fn copies_of_small_elements_fill_the_port() {
    if elsewhere() {
        return;
    }
    for (ty, lanes) in [("uint8_t", 4), ("int16_t", 2)] {
        let text = format!(
            "#include <stdint.h>\n#pragma burstc size(N: 65536, max 1048576)\nvoid copy(int N, {ty} a[N], {ty} b[N])\n\
             {{\n#pragma burstc tile(i:4096) lanes({lanes})\n    for (int i = 0; i < N; i++)\n        b[i] = a[i];\n}}\n"
        );
        let source = Source { path: "copy.c".to_string(), text, cpp_args: vec![] };
        let subject = Subject::new(&source, &Options::default()).expect("a copy");
        let rig = Rig::of(&subject, Simulator::Verilator, false).expect("a copy is compiled");
        let cycles = rig.run(&[("N", 65536)], 1).counters.cycles;
        // Both directions go through the one port.
        let share = 2.0 * 65536.0 / f64::from(lanes) / cycles as f64;
        assert!(share >= 0.98, "{ty}: {cycles} cycles, {share:.3} of the port");
    }
}

/// All of a matrix goes in and out while every iteration uses its buffer: the store process reads copies of its own, and the
/// sums over columns are read late; 1.57 cycles each without. Three statements per element, of which two run in one cycle.
#[test]
fn stores_do_not_hold_up_iterations() {
    guard("rank_two", &[("N", 96)], 3 * 96 * 96 + 96, 0.82);
}

/// Sums of integers behind two products: they are read late, as those of floating-point numbers are, and the store process reads
/// copies of its own; 1.36 cycles each where products count nothing.
#[test]
fn sums_of_integers_are_read_behind_their_products() {
    guard("gemver", &[("N", 48)], 3 * 48 * 48 + 48, 1.23);
}

/// A row's sum waits for itself, other rows run meanwhile; as few of them as that takes, so that the first ones are soon there:
/// 1.28 cycles each with the rows that a sum read at once would take.
#[test]
fn rows_wait_for_their_sums_beside_one_another() {
    guard("normal_equations", &[("M", 96), ("N", 100)], 2 * 96 * 100 + 96 + 100, 1.11);
}

/// Ten words of `c` per tile of a hundred iterations go into the buffer that the iterations write: a row asks for as many gaps
/// as it has words, 1.24 cycles each where it waits for a gap and keeps it open while there are words.
#[test]
fn words_ask_for_the_gaps_that_they_take() {
    guard_file("examples/polymul.c", &[("N", 200)], 201 * 201, 1.19);
}

/// A filter's coefficients are on chip before the run begins.
#[test]
fn tables_are_never_waited_for() {
    guard("table_fir", &[("N", 4096)], 33 * 4096, 1.02);
}

/// Each update finds what the ones right before it have made of its cell. A word of the port has four bytes.
#[test]
fn histograms_take_a_byte_per_cycle() {
    guard("histogram", &[("N", 100_000)], 100_000, 1.05);
    if elsewhere() {
        return;
    }
    let source = Source::read(&common::root("tests/kernels/histogram.c"), vec![]).expect("the kernel is readable");
    let board = burstc::board::load("generic-axi4").expect("a known board");
    let subject = Subject::on(board, &source, &Options::default()).expect("it is built");
    let mut rig = Rig::of(&subject, Simulator::Verilator, false).expect("it is assembled");
    rig.model.stalls = Some(1);
    let cycles = rig.run(&[("N", 100_000)], 1).counters.cycles;
    assert!(cycles <= 105_000, "{cycles} cycles with back-pressure");
}

/// An update waits for the sum of the one before alone, 11 cycles.
#[test]
fn histograms_of_float_wait_for_the_sum() {
    guard("histogram_float", &[("N", 4096)], 4096, 11.2);
}

/// Sixteen lanes: beside the rows of groups and of words, the first load and the last store are part of what is expected. The
/// iterations alone, or the words, would be 0.61 of the cycles.
#[test]
fn lanes_are_expected_to_wait_for_the_first_load() {
    let share = guard_file("examples/matmul_lanes.c", &[("N", 64)], 64 * 64 * 64, 0.105);
    assert!((0.9..=1.1).contains(&share), "{share:.3} of the cycles were expected");
}

/// Lanes along `i` and beats along `j` in one buffer, whose groups begin in any bank: updates of a column wait for those of the same
/// one alone. 4,727 cycles where they wait for those of its neighbours in a beat.
#[test]
fn columns_that_share_banks_do_not_wait_for_one_another() {
    if elsewhere() {
        return;
    }
    let text = "#include <stdint.h>\n#pragma burstc size(N: 64, max 64)\n\
                void columns(int N, int32_t a[N][16], int32_t b[16][16], int32_t c[N][16])\n{\n\
                #pragma burstc schedule(S0[i,j,k] -> (i)) tile(64) lanes(32)\n\
                for (int i = 0; i < N; i++)\nfor (int j = 0; j < 16; j++)\nfor (int k = 0; k < 16; k++)\n\
                c[i][j] += a[i][k] * b[k][j];\n}\n";
    let source = Source { path: "columns.c".to_string(), text: text.to_string(), cpp_args: vec![] };
    let board = burstc::board::load("generic-axi4").and_then(|board| board.with_bus_bits(128)).expect("a known board");
    let subject = Subject::on(board, &source, &Options::default()).expect("it is built");
    assert!(subject.accelerator.offload.buffers.iter().any(|buffer| buffer.skewed), "banks by the sum of residues");
    let rig = Rig::of(&subject, Simulator::Verilator, false).expect("it is assembled");
    // 512 groups, the first load and the last store.
    let cycles = rig.run(&[("N", 64)], 1).counters.cycles;
    assert!(cycles <= 1700, "{cycles} cycles");
}

/// 4 lanes along an array that 8 have banks for: what they update waits for the same part of the banks' words alone. 18,093 cycles
/// where it waits for all words of an index.
#[test]
fn parts_of_the_banks_do_not_wait_for_one_another() {
    let n = 64;
    guard("lanes_parts", &[("N", 64)], 3 * n * n + n, 0.83);
}

/// Sums over columns and over rows of one matrix, in lanes: they are read when the products are there, and the store process comes
/// to their ports as much later. 27,350 cycles where they are read with the factors.
#[test]
fn sums_in_lanes_wait_for_the_sum_alone() {
    if elsewhere() {
        return;
    }
    let text = "#pragma burstc size(N: 256, max 1024)\n\
                void bicg(int N, float a[N][N], float s[N], float q[N], float p[N], float r[N])\n{\n\
                #pragma burstc schedule(S0[i,j] -> (j, i); S1[i,j] -> (j, i)) tile(256, 128) lanes(8)\n\
                for (int i = 0; i < N; i++)\nfor (int j = 0; j < N; j++) {\n\
                s[j] += r[i] * a[i][j];\nq[i] += a[i][j] * p[j];\n}\n}\n";
    let source = Source { path: "bicg.c".to_string(), text: text.to_string(), cpp_args: vec![] };
    let board = burstc::board::load("generic-axi4").and_then(|board| board.with_bus_bits(128)).expect("a known board");
    let subject = Subject::on(board, &source, &Options::default()).expect("it is built");
    let rig = Rig::of(&subject, Simulator::Verilator, false).expect("it is assembled");
    let counters = rig.run(&[("N", 256)], 1).counters;
    assert!(counters.cycles <= 25_450, "{} cycles, stalled {}", counters.cycles, counters.compute_stall);
}

/// A sum behind a band in lanes whose groups are more than are looked at: when ports read is chosen from the iterations of all bands,
/// each of which has its part. A term takes the adder's eight cycles; 20, with the product's, where nobody has looked at it: 14,240 in all.
#[test]
fn a_sum_behind_lanes_waits_for_the_sum_alone() {
    if elsewhere() {
        return;
    }
    let text = "#include <stdint.h>\n#pragma burstc size(N: 512, max 512)\n\
                void behind(int N, int32_t c[32][64], int32_t d[32][64], int32_t p[40], float a[N], float b[N], float s[1])\n{\n\
                #pragma burstc schedule(S0[t,i,j] -> (0, t, i, j); S1[t,i,j] -> (0, t, i, j)) tile(1, 64, 64, 64) lanes(64)\n\
                for (int t = 0; t < 40; t++)\nfor (int i = 0; i < 32; i++)\nfor (int j = 0; j < 64; j++) {\n\
                c[i][j] += p[t];\nd[i][j] ^= c[i][j];\n}\n\
                #pragma burstc schedule(S2[j] -> (1, j)) tile(1, 512)\n\
                for (int j = 0; j < N; j++)\ns[0] += a[j] * b[j];\n}\n";
    let source = Source { path: "behind.c".to_string(), text: text.to_string(), cpp_args: vec![] };
    let board = burstc::board::load("alveo-u50").expect("a known board");
    let subject = Subject::on(board, &source, &Options::default()).expect("it is built");
    let rig = Rig::of(&subject, Simulator::Verilator, false).expect("it is assembled");
    // Two statements' groups, the terms, and transfers beside which nothing runs: the first load of the bands and the last store.
    let cycles = rig.run(&[("N", 512)], 1).counters.cycles;
    assert!(cycles <= 2 * 40 * 32 + 8 * 512 + 1500, "{cycles} cycles");
}

/// Rows of an array of three dimensions that begin elsewhere than the row before: 23.2 cycles where every address takes its products,
/// 32 bits each.
#[test]
fn rows_that_begin_elsewhere_follow_too() {
    // The sum of m * m up to N.
    let n = 20;
    guard("moving_rows", &[("N", 20)], n * (n + 1) * (2 * n + 1) / 6, 4.1);
}

/// What a scanner takes to find rows, their addresses, and who waits for whom in a run of few tiles: simulated beside the estimate.
#[test]
fn small_runs_are_as_long_as_is_expected() {
    if elsewhere() {
        return;
    }
    let sizes = "#pragma burstc size(n: max 4096)\n";
    let kernels = [
        // Elements apart, to load and to store; both in one array.
        ("tile(i:64)", "const int a[3 * n], int b[n]", "for (int i = 0; i < n; i++) b[i] = a[3 * i + 2];"),
        ("tile(i:64)", "const int a[n], int b[3 * n]", "for (int i = 0; i < n; i++) b[3 * i] = a[i];"),
        ("tile(i:64)", "const int a[n], int b[n]", "for (int i = 0; 2 * i < n; i++) b[2 * i] += a[i];"),
        // A column, and short rows that wait for the strip before.
        ("tile(i:64)", "const int a[n][16], int b[n]", "for (int i = 0; i < n; i++) b[i] = a[i][5];"),
        (
            "tile(i:64, j:4)",
            "const int a[n][16], int b[n][16]",
            "for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) b[i][j] = a[i][j];",
        ),
        (
            "tile(i:64, j:4)",
            "const int a[4 * n], int b[n][16]",
            "for (int i = 0; i < n; i++) for (int j = 0; j < 2; j++) b[i][j] = a[4 * i + j];",
        ),
        // An operator that takes long, which every tile waits for at its end.
        ("tile(i:64)", "const float a[n], float b[n]", "for (int i = 0; i < n; i++) b[i] = a[i] * 1.3f + 0.5f;"),
    ];
    for (tiles, arguments, body) in kernels {
        let text = format!("{sizes}#pragma burstc {tiles}\nvoid k(int n, {arguments})\n{{\n    {body}\n}}\n");
        let source = Source { path: "k.c".into(), text, cpp_args: vec![] };
        let subject = Subject::new(&source, &Options::default()).unwrap_or_else(|error| panic!("{body}: {error:#}"));
        let rig = Rig::of(&subject, Simulator::Icarus, false).unwrap_or_else(|error| panic!("{body}: {error:#}"));
        for n in [64, 128, 512] {
            let cycles = rig.run(&[("n", n)], 1).counters.cycles as f64;
            let sizes = [("n".to_string(), n as i64)].into();
            let expected = Estimate::of(&subject.accelerator.offload, &common::board(), &sizes).cycles() as f64;
            assert!(
                (0.94..=1.06).contains(&(expected / cycles)),
                "{body} with {n}: {cycles} cycles, {expected} expected"
            );
        }
    }
}
