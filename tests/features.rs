//! Kernels that each show a feature, against the C compiler on both simulators, and as direct version.

mod common;

use burstc::simulate::simulator::Simulator;
use common::Rig;

fn check(kernel: &str, runs: &[&[(&str, i128)]]) {
    let path = format!("tests/kernels/{kernel}.c");
    for (simulator, direct) in [(Simulator::Icarus, false), (Simulator::Icarus, true), (Simulator::Verilator, false)] {
        let rig = Rig::new(&path, simulator, direct);
        for (seed, set) in runs.iter().enumerate() {
            rig.run(set, seed as u64);
        }
    }
}

macro_rules! kernels {
    ($($name:ident: $runs:expr;)*) => { $(
        #[test]
        fn $name() {
            check(stringify!($name), $runs);
        }
    )* };
}

kernels! {
    bytes: &[&[("N", 1), ("alpha", 3)], &[("N", 37)], &[("N", 41), ("alpha", -7)], &[("N", 150)]];
    widths: &[&[("N", 1)], &[("N", 17), ("bias", -1)], &[("N", 33)]];
    stencil: &[&[("N", 1)], &[("N", 3)], &[("N", 66)], &[("N", 200)]];
    transpose: &[&[("N", 1), ("M", 1)], &[("N", 17), ("M", 30)], &[("N", 33), ("M", 5)]];
    triangle: &[&[("N", 1)], &[("N", 8)], &[("N", 21)]];
    fill: &[&[("N", 0)], &[("N", 1)], &[("N", 33)]];
    stride: &[&[("N", 1)], &[("N", 40)]];
    cube: &[&[("N", 1), ("M", 1)], &[("N", 9), ("M", 7)], &[("N", 5), ("M", 10)]];
}
