//! Arrays in another order than C's: nothing of the house may know where a cell lies but from its array's layout. The
//! accelerator and the direct version run on memory in that order, and C on its own.

mod assembled;
mod common;

use std::collections::BTreeSet;

use assembled::Rig;
use burstc::layout::Order;
use burstc::offload::Offload;
use burstc::simulate::simulator::Simulator;
use burstc::source::{self, Source};
use burstc::{Options, board, choose_lanes};
use common::{Data, Subject};

/// Every set of arrays in `orders` in column-major order, the others as in C.
fn check(text: &str, orders: &[&[&str]], sets: &[&[(&str, i128)]], direct: &[bool]) {
    let source = Source { path: "kernel.c".into(), text: text.into(), cpp_args: vec![] };
    let board = board::load("stratix2-ddr400").unwrap();
    for columns in orders {
        let mut kernel = source::parse(&source).unwrap();
        for name in *columns {
            kernel.arrays.iter_mut().find(|a| a.name == *name).expect("an array").order = Order::ColumnMajor;
        }
        let offload = choose_lanes::analyze(&kernel, &board, None).unwrap();
        // The border carries it.
        let text = serde_json::to_string(&offload).unwrap();
        assert_eq!(text.matches("\"order\":\"column-major\"").count(), columns.len(), "{columns:?}");
        let offload: Offload = serde_json::from_str(&text).unwrap();
        for &direct in direct {
            let rig = Rig::new(&source, &offload, Simulator::Icarus, direct);
            for (seed, set) in (1..).zip(sets) {
                assert!(rig.run(set, seed), "{columns:?} {set:?}: nothing is written");
            }
        }
    }
}

const MATMUL: &str = "#include <stdint.h>\n#pragma burstc size(n: max 16) size(m: max 16)\n\
    void product(int n, int m, const int16_t a[n][m], const int32_t b[m][n], int32_t c[n][n])\n{\n\
    #pragma burstc tile(i: 4, j: 4, k: 4)\n\
        for (int i = 0; i < n; i++)\n        for (int j = 0; j < n; j++)\n            for (int k = 0; k < m; k++)\n\
                c[i][j] += a[i][k] * b[k][j];\n}\n";

#[test]
fn factors_and_product_by_columns() {
    check(MATMUL, &[&["a"], &["b", "c"]], &[&[("n", 7), ("m", 9)], &[("n", 4), ("m", 1)]], &[false, true]);
}

/// Three subscripts, skewed tiles, bytes of which words hold several.
#[test]
fn a_stencil_by_columns() {
    let text = "#include <stdint.h>\n#pragma burstc size(n: max 8) size(t: max 4)\n\
        void stencil(int n, int t, uint8_t a[n][n + 1][n + 2])\n{\n\
        for (int s = 0; s < t; s++)\n    for (int i = 1; i < n - 1; i++)\n        for (int j = 1; j < n; j++)\n\
            for (int k = 1; k < n + 1; k++)\n\
                a[i][j][k] = a[i - 1][j][k] + a[i][j - 1][k] + a[i][j][k - 1] + a[i + 1][j][k];\n}\n";
    check(text, &[&["a"]], &[&[("n", 6), ("t", 2)]], &[false, true]);
}

/// Runs of neighbours among places.
fn runs(places: BTreeSet<u64>) -> u64 {
    places.iter().filter(|place| **place == 0 || !places.contains(&(*place - 1))).count() as u64
}

/// Bursts on the bus, against the runs that enumeration finds of the blocks that tiles move: in slices one per block, and as many as
/// it has rows without. Blocks are 16 x 16 words at most, as many as a burst has beats.
#[test]
fn a_tile_is_one_burst() {
    let (b, text) = (16u64, |layout: &str| {
        format!(
            "#include <stdint.h>\n#pragma burstc size(n: max 64) {layout}\n\
             void product(int n, const int32_t x[n][n], const int32_t y[n][n], int32_t z[n][n])\n{{\n\
             #pragma burstc tile(i: 16, j: 16, k: 16)\n    for (int i = 0; i < n; i++)\n        for (int j = 0; j < n; j++)\n            \
             for (int k = 0; k < n; k++)\n                z[i][j] += x[i][k] * y[k][j];\n}}\n"
        )
    });
    for (layout, n) in [("layout(x, y, z: tiles)", 48u64), ("layout(x, y, z: tiles)", 39), ("", 48)] {
        let source = Source { path: "product.c".into(), text: text(layout), cpp_args: vec![] };
        let board = board::load("generic-axi4").unwrap();
        let subject = Subject::on(board, &source, &Options::default()).unwrap();
        let rig = common::Rig::of(&subject, Simulator::Icarus, false).unwrap();
        let shown = rig.run_on(Data { set: &[("n", n.into())], ranges: &[], seed: 1 });
        let place = |i: u64, j: u64| if layout.is_empty() { i * n + j } else { (j / b * n + i) * b + j % b };
        let rows = |tile: u64| b * tile..(b * tile + b).min(n);
        let block = |row: u64, column: u64| {
            runs(rows(row).flat_map(|i| rows(column).map(move |j| (i, j))).map(|(i, j)| place(i, j)).collect())
        };
        let tiles = n.div_ceil(b);
        let (mut reads, mut writes) = (0, 0);
        for (i, j) in (0..tiles).flat_map(|i| (0..tiles).map(move |j| (i, j))) {
            // What is summed up stays on chip.
            reads += block(i, j) + (0..tiles).map(|k| block(i, k) + block(k, j)).sum::<u64>();
            writes += block(i, j);
        }
        if n % b == 0 {
            let each = if layout.is_empty() { b } else { 1 };
            assert_eq!((reads, writes), (each * tiles * tiles * (2 * tiles + 1), each * tiles * tiles));
        }
        let counters = shown.counters;
        // A burst ends at a multiple of 256 beats, which rows of no multiple of the block may cross: as many more at most.
        let crossings = |beats: u64| if n % b == 0 && !layout.is_empty() { 0 } else { beats / 256 + reads };
        let within = |found: u64, expected: u64, beats: u64| (expected..=expected + crossings(beats)).contains(&found);
        assert!(within(counters.read_bursts, reads, counters.reads), "{layout} {n}: {counters:?}, {reads} runs");
        assert!(within(counters.write_bursts, writes, counters.writes), "{layout} {n}: {counters:?}, {writes} runs");
        if layout.is_empty() {
            assert!(counters.read_bursts >= 16 * tiles * tiles);
        }
    }
}
