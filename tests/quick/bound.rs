//! What would limit a run, against chains that are counted by hand.

use std::collections::BTreeMap;

use burstc::report::Bound;
use burstc::report::count::Work;
use burstc::source::Source;
use burstc::{Options, analyze, board};

use crate::common::root;

/// The bound of `tests/kernels/<kernel>.c` on `board`.
fn bound(kernel: &str, board: &str, sizes: &[(&str, i64)]) -> Bound {
    let source = Source::read(&root(&format!("tests/kernels/{kernel}.c")), vec![]).unwrap();
    let board = board::load(board).unwrap();
    let offload = analyze(&source, &board, &Options::default()).unwrap_or_else(|error| panic!("{kernel}: {error:#}"));
    let sizes: BTreeMap<String, i64> = sizes.iter().map(|(name, size)| (name.to_string(), *size)).collect();
    let work = Work::of(&offload, &sizes);
    let bound = Bound::of(&offload, &board, &work, &sizes);
    assert!(bound.dependences_whole, "{kernel}");
    bound
}

/// The largest of the results of `f` over cells of a table, each of which gets those above and to the left.
fn along_diagonals(n: u64, m: u64) -> u64 {
    n + m - 1
}

#[test]
fn chains_of_values_are_followed() {
    // Each sum needs the one before, the first a constant; the last is copied.
    let prefix = bound("prefix_sum", "stratix2-ddr400", &[("N", 77)]);
    assert_eq!(prefix.dependences, 1 + 77 + 1);
    // The sum and its copy start together.
    assert_eq!(prefix.datapath, 1 + 77);
    // A comparison and two choices from a neighbour above or to the left, behind the borders' constants.
    let lcs = bound("lcs", "stratix2-ddr400", &[("N", 19), ("M", 23)]);
    assert_eq!(lcs.dependences, 1 + 3 * along_diagonals(19, 23));
}

/// Of rows whose lengths only the data tell no instance is claimed, nor a product of theirs: data may leave none of them. The
/// other statements count.
#[test]
fn rows_that_data_cut_short_may_have_nothing() {
    let of = |kernel: &str| bound(kernel, "stratix2-ddr400", &[("N", 30), ("nonzeros", 150)]);
    let csr = of("csr");
    assert_eq!([csr.datapath, csr.dependences, csr.multipliers, csr.look_up_tables], [0; 4]);
    let floats = of("csr_float");
    assert_eq!([floats.datapath, floats.multipliers], [2 * 30, 0]);
    assert!(floats.dependences <= 2, "{}", floats.dependences);
}

/// What the board would allow whatever the tiles and lanes are.
#[test]
fn words_cross_once_and_operators_share_the_board() {
    let (n, m, k) = (24, 20, 17);
    let gemm = bound("gemm", "stratix2-ddr400", &[("N", n), ("M", m), ("K", k)]);
    let [n, m, k] = [n, m, k].map(|size| size as u64);
    // A word of the port is an element: all three matrices are read, one is written.
    assert_eq!(gemm.once, n * k + k * m + 2 * n * m);
    // Three 18 x 18 products make one of 32 bits; 384 of them, and 143,520 look-up tables, of which lanes may take 80 %.
    let products = n * m + 2 * n * m * k;
    assert_eq!(gemm.multipliers, (3 * products).div_ceil(384));
    let sums = n * m * k;
    assert_eq!(gemm.look_up_tables, (32 * (products + sums)).div_ceil(143_520 * 4 / 5));
    // The sum is on chip; 64-bit results are two words of the port.
    assert_eq!(bound("prefix_sum", "stratix2-ddr400", &[("N", 77)]).once, 77 + 2 * 77);
}

/// 8 cycles of `sum -= a * b` in either substitution, whose rows need one another; the decomposition's pivots before them.
#[test]
fn values_and_not_cells_order_instances() {
    let chain = |n: i64| bound("linear_system", "stratix2-ddr400", &[("N", n)]).dependences;
    // One equation: into the scalar twice, out of it by a copy and by a division of 32 cycles.
    assert_eq!(chain(1), 3 + 32);
    // The program, row by row, by the definition.
    for n in [2, 5, 9] {
        assert_eq!(chain(n), linear_system(n as usize));
    }
}

/// The times of the values of `tests/kernels/linear_system.c`.
#[allow(clippy::needless_range_loop, reason = "the C program's own indices")]
fn linear_system(n: usize) -> u64 {
    const SUM: u64 = 8;
    const PRODUCT: u64 = 9;
    const QUOTIENT: u64 = 32;
    let subtract = |sum: u64, a: u64, b: u64| sum.max(a.max(b) + PRODUCT) + SUM;
    let mut a = vec![vec![0; n]; n];
    let (mut x, mut y) = (vec![0; n], vec![0; n]);
    for i in 0..n {
        for j in 0..n {
            // In through the scalar, and out of it.
            let mut sum = a[i][j] + 1;
            for k in 0..j.min(i) {
                sum = subtract(sum, a[i][k], a[k][j]);
            }
            a[i][j] = if j < i { sum.max(a[j][j]) + QUOTIENT } else { sum + 1 };
        }
    }
    for i in 0..n {
        y[i] = (0..i).fold(1, |sum, j| subtract(sum, a[i][j], y[j])) + 1;
    }
    for i in (0..n).rev() {
        x[i] = (i + 1..n).fold(y[i] + 1, |sum, j| subtract(sum, a[i][j], x[j])).max(a[i][i]) + QUOTIENT;
    }
    x[0].max(a.into_iter().flatten().max().unwrap()).max(y.into_iter().max().unwrap())
}

/// dma moves every word once in and once out: on the DDR memory one after the other, behind a bus at the same time, on
/// SDR SDRAM in two cycles each.
#[test]
fn words_go_through_the_port() {
    let moved = |board: &str| bound("restrict_pointers", board, &[("N", 40)]).memory;
    let (ddr, bus, sdr) = (moved("stratix2-ddr400"), moved("generic-axi4"), moved("ulx3s"));
    assert_eq!(sdr, 2 * ddr);
    assert!(bus < ddr && 2 * bus >= ddr, "{bus} of {ddr}");
}
