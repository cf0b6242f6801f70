//! Banks and windows by their definitions: no two ports of an iteration in one bank, cells of one bank in different
//! places, and a reference that follows reads what its leader has read so many iterations of the row ago.

use std::collections::BTreeMap;

use burstc::analysis::analyze;
use burstc::buffer::reads::{Blocks, Fabric};
use burstc::ids::{ArrayId, BandId, StatementId};
use burstc::offload::{Offload, Partition, port_count, port_references};
use burstc::source::{self, Source};

/// A chip whose block RAM is dear.
fn of_little_block_ram() -> Fabric {
    Fabric { blocks: vec![Blocks::of_any_tool(100_000, 512, 32)], aluts: u64::MAX / 2, beat_bits: 32 }
}

/// A chip on which nothing is cheaper than block RAM.
fn of_little_logic() -> Fabric {
    Fabric { aluts: 1, ..of_little_block_ram() }
}

fn offload(text: &str, fabric: &Fabric) -> Offload {
    let source = Source { path: "kernel.c".into(), text: text.to_string(), cpp_args: vec![] };
    let mut kernel = source::parse(&source).unwrap_or_else(|e| panic!("{e}\n{text}"));
    kernel.parameters.iter_mut().for_each(|p| p.max = p.max.or(Some(128)));
    analyze(&kernel, fabric).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Every point of a box of iterators.
fn points(names: &[String], extent: i64) -> impl Iterator<Item = BTreeMap<String, i64>> {
    let count = (0..names.len()).map(|_| extent).product::<i64>();
    (0..count).map(move |n| {
        let digit = |k: usize| n / extent.pow(k as u32) % extent;
        names.iter().enumerate().map(|(k, name)| (name.clone(), digit(k) - 2)).collect()
    })
}

/// The residues of a cell, its bank, and the residues that are left of its address inside the bank.
fn place(partition: &Partition, moduli: &[i64], cell: &[i64]) -> (i64, Vec<i64>) {
    let mut residues: Vec<i64> = cell.iter().zip(moduli).map(|(x, m)| x.rem_euclid(*m)).collect();
    let bank = partition.bank(&residues, 0).rem_euclid(partition.count);
    residues[partition.along] /= partition.count;
    (bank, residues)
}

const FIVE: &str = "void f(int N, int a[N][N], int b[N][N]) {
    #pragma burstc tile(i:8, j:32)
    for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)
        b[i][j] = a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j];
}";
const NINE: &str = "void f(int N, int a[N][N], int b[N][N]) {
    #pragma burstc tile(i:8, j:32)
    for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)
        b[i][j] = a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] + a[i][j + 1]
            + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1];
}";
const SEVEN: &str = "void f(int N, int a[N][N][N], int b[N][N][N]) {
    #pragma burstc tile(i:4, j:4, k:8)
    for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++) for (int k = 1; k < N - 1; k++)
        b[i][j][k] = a[i][j][k] + a[i - 1][j][k] + a[i + 1][j][k] + a[i][j - 1][k] + a[i][j + 1][k] + a[i][j][k - 1]
            + a[i][j][k + 1];
}";
const SEIDEL: &str = "void f(int N, int T, int a[N][N]) {
    for (int t = 0; t < T; t++) for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)
        a[i][j] = (a[i - 1][j] + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j]) >> 2;
}";
const FDTD: &str = "void f(int T, int N, int ex[N][N], int ey[N][N], int hz[N][N], int q[T]) {
    for (int t = 0; t < T; t++) {
        for (int j = 0; j < N; j++) ey[0][j] = q[t];
        for (int i = 1; i < N; i++) for (int j = 0; j < N; j++) ey[i][j] -= (hz[i][j] - hz[i - 1][j]) / 2;
        for (int i = 0; i < N; i++) for (int j = 1; j < N; j++) ex[i][j] -= (hz[i][j] - hz[i][j - 1]) / 2;
        for (int i = 0; i < N - 1; i++)
            for (int j = 0; j < N - 1; j++) hz[i][j] -= ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j];
    }
}";
const STRIDED: &str = "void f(int N, int a[2 * N + 8], int b[N]) {
    #pragma burstc tile(i:64)
    for (int i = 0; i < N; i++) b[i] = a[2 * i] + a[2 * i + 2] + a[2 * i + 6];
}";
/// Two bands whose cells have the same places, though one needs 11 rows and the other 13.
const TWO_BANDS: &str = "void f(int N, int a[N][N], int b[N][N], int c[N][N]) {
    #pragma burstc tile(i:9, j:32)
    for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)
        b[i][j] = a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j];
    #pragma burstc tile(i:11, j:32)
    for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)
        c[i][j] = a[i][j] * a[i][j - 1] * a[i][j + 1] * a[i + 1][j] * a[i - 1][j];
}";
/// Rows of 256: up to 4 iterations of beginning.
const LINE: &str = "#pragma burstc size(N: 400, max 400)
void f(int N, short a[N], short b[N], short c[N], short d[N][N]) {
    #pragma burstc tile(i:256)
    for (int i = 8; i < N - 8; i++)
        c[i] = d[2][i] + a[i - 3] + a[i - 1] + a[i + 1] + a[i + 5] + a[i + 6] + b[N - i] + b[N - i - 2] + b[N - i - 3];
}";

#[test]
#[ignore = "slow: make test"]
fn no_two_ports_meet_in_a_bank() {
    for (text, banks) in [(FIVE, 8), (NINE, 16), (SEVEN, 8), (SEIDEL, 8), (FDTD, 2), (STRIDED, 8), (TWO_BANDS, 8)] {
        let offload = offload(text, &of_little_block_ram());
        let iterators = offload.kernel.iterators();
        let mut partitioned = 0;
        for buffer in &offload.buffers {
            let Some(partition) = &buffer.partition else {
                assert!(buffer.copies == 1, "{buffer:?}\n{text}");
                continue;
            };
            partitioned += 1;
            assert_eq!((partition.count, buffer.copies), (banks, 1), "{buffer:?}\n{text}");
            let moduli = &buffer.common_mapping().unwrap().moduli;
            let mut places: BTreeMap<(i64, Vec<i64>), Vec<i64>> = BTreeMap::new();
            for (s, names) in iterators.iter().enumerate() {
                let references = port_references(&offload.kernel, &offload.windows, StatementId(s));
                for point in points(names, 11) {
                    let mut taken = vec![];
                    for reference in references.iter().filter(|r| r.array == buffer.array) {
                        let value = |name: &str| point.get(name).copied().unwrap_or(100);
                        let cell: Vec<i64> = reference.subscripts.iter().map(|x| x.evaluate(value)).collect();
                        let y = buffer.common_mapping().unwrap().skewed(&cell);
                        let place = place(partition, moduli, &y);
                        assert!(!taken.contains(&place.0), "{buffer:?} {point:?}\n{text}");
                        taken.push(place.0);
                        let residues: Vec<i64> = y.iter().zip(moduli).map(|(x, m)| x.rem_euclid(*m)).collect();
                        let known = places.entry(place).or_insert_with(|| residues.clone());
                        assert_eq!(*known, residues, "{buffer:?}\n{text}");
                    }
                }
            }
        }
        assert!(partitioned > 0, "{text}");
        // Two bands of one place per cell need not round the same moduli.
        if text == TWO_BANDS {
            assert_ne!(offload.buffers[0].mappings[BandId(0)], offload.buffers[0].mappings[BandId(1)]);
        }
    }
}

#[test]
fn copies_where_logic_is_dear_and_banks_where_they_do_not_fit() {
    let offload_on = |fabric: &Fabric| offload(NINE, fabric);
    let copied = offload_on(&of_little_logic());
    assert_eq!(copied.buffers[0].partition, None);
    assert_eq!(copied.buffers[0].copies, 9);
    let words = copied.buffers[0].words() as u64;
    let mut fabric = of_little_logic();
    fabric.blocks[0].count = 4 * words * 32 / 512;
    let banked = offload_on(&fabric);
    assert_eq!(banked.buffers[0].partition.as_ref().map(|p| p.count), Some(16));
    assert!(words * 9 * 32 > fabric.blocks[0].count * fabric.blocks[0].bits);
}

#[test]
fn a_follower_reads_what_its_leader_has_read() {
    let offload = offload(LINE, &of_little_block_ram());
    let iterators = offload.kernel.iterators();
    for window in &offload.windows {
        let names = &iterators[window.statement];
        for piece in &crate::kernels::band(&offload).compute.scan.pieces {
            let row = &piece.levels.last().unwrap().name;
            let read = |subscripts: &[burstc::affine::Affine], at: i64| -> Vec<i64> {
                let value = |name: &str| if name == row { at } else { 100 };
                let iterator = |name: &str| match names.iter().position(|i| i == name) {
                    Some(index) => piece.point[index].evaluate(value),
                    None => value(name),
                };
                subscripts.iter().map(|x| x.evaluate(iterator)).collect()
            };
            for follower in &window.followers {
                for at in 20..40 {
                    assert_eq!(read(&window.leader, at - follower.delay), read(&follower.subscripts, at), "{window:?}");
                }
            }
        }
    }
    // Of a, `i + 6` leads `i + 5`, and `i + 1` leads `i - 1` and `i - 3`; of b, which runs backwards, `N - i - 3` leads
    // all.
    let delays = |array: ArrayId| -> Vec<Vec<i64>> {
        let of_array = offload.windows.iter().filter(|w| w.array == array);
        of_array.map(|w| w.followers.iter().map(|f| f.delay).collect()).collect()
    };
    assert_eq!(delays(ArrayId(0)), [vec![1], vec![2, 4]]);
    assert_eq!(delays(ArrayId(1)), [[1, 3]]);
    assert_eq!(port_count(&offload.kernel, &offload.windows, ArrayId(0)), 2);
}

/// A statement that writes the array reads it through ports, and so do short rows.
#[test]
fn no_window_where_a_word_may_change_or_rows_are_short() {
    for text in [
        SEIDEL,
        FIVE,
        &LINE.replace("256", "32"),
        &LINE.replace("400", "60"),
        &LINE.replace("c[i] =", "a[i] =").replace("short c[N]", "int c[1]"),
    ] {
        let offload = offload(text, &of_little_block_ram());
        let statement = offload.kernel.statements()[StatementId(0)].target.array;
        assert!(offload.windows.iter().all(|w| w.array != statement), "{text}");
        assert!(offload.windows.is_empty() || text.contains("a[i] ="), "{:?}\n{text}", offload.windows);
    }
}

/// A store that shares the iterations' port holds one up with each of its words; where that is much of the time, it has a
/// memory to itself. Of the product every tile of 100 iterations stores some 20 sums, of the matrix a tile of 32,768 some 1,024;
/// what is scaled in place waits for the memory, twice as many words as iterations.
#[test]
fn stores_that_would_hold_up_iterations_have_a_copy() {
    let polynomials = "void f(int N, int a[N + 1], int b[N + 1], int c[2 * N + 1]) {
        #pragma burstc schedule((i,j) -> (N-j, i)) tile(10, 10)
        for (int i = 0; i <= N; i++) for (int j = 0; j <= N; j++) c[i + j] += a[i] * b[j];
    }";
    let matrices = "void f(int N, int a[N][N], int b[N][N], int c[N][N]) {
        #pragma burstc tile(i:32, j:32, k:32)
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];
    }";
    let scaled = "void f(int N, int c[N]) {
        #pragma burstc tile(i:32)
        for (int i = 0; i < N; i++) c[i] *= 3;
    }";
    for (text, expected) in [(polynomials, true), (matrices, false), (scaled, false)] {
        let offload = offload(text, &of_little_logic());
        let c = offload.kernel.arrays.position(|array| array.name == "c").unwrap();
        let buffer = offload.buffers.iter().find(|buffer| buffer.array == c).unwrap();
        assert_eq!(buffer.store_copy, expected, "{text}");
    }
}
