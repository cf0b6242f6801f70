//! Kernels that each show a feature, against the C compiler under Icarus, as accelerator and as direct version; those
//! that exercise packing also under Verilator.

mod common;

use burstc::simulate::simulator::Simulator;
use common::Rig;

fn check(kernel: &str, runs: &[&[(&str, i128)]]) {
    let path = format!("tests/kernels/{kernel}.c");
    let mut rigs = vec![(Simulator::Icarus, false), (Simulator::Icarus, true)];
    if ["bytes", "widths"].contains(&kernel) {
        rigs.push((Simulator::Verilator, false));
    }
    for (simulator, direct) in rigs {
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
    negative: &[&[("N", 1)], &[("N", 13)]];
    shift: &[&[("N", 1)], &[("N", 50)]];
    jacobi: &[&[("T", 1), ("N", 1)], &[("T", 9), ("N", 30)]];
    seidel: &[&[("N", 1)], &[("N", 13)]];
    diagonal: &[&[("N", 1)], &[("N", 20)]];
}
