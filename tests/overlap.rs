//! The waveform of a run, read back: loads, computation and stores of successive tiles overlap in time.

mod common;
#[path = "common/waveform.rs"]
mod waveform;

use std::ops::RangeInclusive;

use burstc::simulate::simulator::Simulator;
use common::Rig;
use waveform::Timeline;

/// Elements of a tile of examples/dma.c.
const TILE: usize = 1024;

/// First and last cycle in which `events` move words of tile `tile`.
fn span(events: &[u64], tile: usize) -> RangeInclusive<u64> {
    events[tile * TILE]..=events[(tile + 1) * TILE - 1]
}

fn overlap(a: &RangeInclusive<u64>, b: &RangeInclusive<u64>) -> u64 {
    (a.end().min(b.end()) + 1).saturating_sub(*a.start().max(b.start()))
}

#[test]
fn load_compute_and_store_of_successive_tiles_overlap() {
    let tiles = 8;
    let rig = Rig::with_trace("examples/dma.c", Simulator::Verilator, false, true);
    let shown = rig.run(&[("N", (tiles * TILE) as i128)], 3);
    let moves = Timeline::read(&shown.vcd.expect("tracing is on"));
    for events in [&moves.loaded, &moves.computed, &moves.stored] {
        assert_eq!(events.len(), tiles * TILE, "every word moves once");
    }
    for t in 1..tiles - 1 {
        let compute = span(&moves.computed, t);
        // Compute(T) runs while the memory stores T-1 or loads T+1, and never before its own data are there.
        let load_next = overlap(&span(&moves.loaded, t + 1), &compute);
        let store_last = overlap(&span(&moves.stored, t - 1), &compute);
        assert!(
            load_next + store_last > 900,
            "tile {t}: {load_next} cycles beside a load, {store_last} beside a store"
        );
        assert!(span(&moves.loaded, t).end() < compute.start(), "tile {t} is computed before it is loaded");
        assert!(compute.end() < span(&moves.stored, t).start(), "tile {t} is stored before it is computed");
        // In the whole step of T, both transfers of its neighbours take place.
        let step = *compute.start()..=*span(&moves.computed, t + 1).start();
        assert!(overlap(&span(&moves.stored, t - 1), &step) > 0, "Store({}) misses the step of {t}", t - 1);
        assert!(overlap(&span(&moves.loaded, t + 1), &step) > 0, "Load({}) misses the step of {t}", t + 1);
    }
}
