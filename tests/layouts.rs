//! Arrays in another order than C's: nothing of the house may know where a cell lies but from its array's layout. The
//! accelerator and the direct version run on memory in that order, and C on its own.

mod assembled;

use assembled::Rig;
use burstc::layout::Order;
use burstc::offload::Offload;
use burstc::simulate::simulator::Simulator;
use burstc::source::{self, Source};
use burstc::{board, choose_lanes};

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
