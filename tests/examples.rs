//! The examples against the C compiler, on both simulators, every size from one Verilog; and their cycle counts.

mod common;

use burstc::simulate::simulator::Simulator;
use common::Rig;

/// Sizes below, at and beyond a tile, and the two that issue and paper speak of.
const SIZES: [i128; 7] = [1, 2, 31, 32, 33, 100, 128];

fn all_sizes(example: &str, simulator: Simulator) -> Rig {
    let rig = Rig::new(&format!("examples/{example}.c"), simulator, false);
    for (seed, n) in SIZES.into_iter().enumerate() {
        rig.run(&[("N", n)], seed as u64);
    }
    rig
}

/// Cycles are exact, so they are guarded: at most what utilisation 0.95 and 1.10 cycles per iteration allow.
fn guard_cycles(example: &str, rig: &Rig) {
    let words = match example {
        "dma" => 2,
        "vecsum" => 3,
        "matmul" => {
            let cycles = rig.run(&[("N", 128)], 1).counters.cycles;
            let per_iteration = cycles as f64 / 128f64.powi(3);
            assert!(per_iteration <= 1.10, "{cycles} cycles, {per_iteration:.3} per iteration");
            return;
        }
        "matmul_lanes" => {
            let cycles = rig.run(&[("N", 128)], 1).counters.cycles;
            let per_cycle = 128f64.powi(3) / cycles as f64;
            assert!(per_cycle >= 12.0, "{cycles} cycles, {per_cycle:.2} iterations per cycle");
            return;
        }
        _ => return,
    };
    let cycles = rig.run(&[("N", 65536)], 1).counters.cycles;
    // One 32-bit word per cycle is the peak.
    let utilisation = (65536 * words) as f64 / cycles as f64;
    assert!(utilisation >= 0.95, "{example}: {cycles} cycles, utilisation {utilisation:.3}");
}

macro_rules! examples {
    ($($name:ident),*) => { $(
        mod $name {
            use super::*;

            #[test]
            fn verilator() {
                let rig = all_sizes(stringify!($name), Simulator::Verilator);
                guard_cycles(stringify!($name), &rig);
            }

            #[test]
            fn icarus() {
                all_sizes(stringify!($name), Simulator::Icarus);
            }

            #[test]
            fn direct() {
                let rig = Rig::new(concat!("examples/", stringify!($name), ".c"), Simulator::Verilator, true);
                for n in [1, 2, 33] {
                    rig.run(&[("N", n)], 7);
                }
            }
        }
    )* };
}

examples!(dma, vecsum, matmul, matmul_lanes, polymul, polymul_skewed);
