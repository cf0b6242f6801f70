//! The waveform of a run, read back: loads, computation and stores of successive tiles overlap in time.

mod common;

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::ops::RangeInclusive;
use std::path::Path;

use burstc::simulate::simulator::Simulator;
use common::Rig;
use vcd::{Command, IdCode, ScopeItem, Value};

/// Elements of a tile of examples/dma.c.
const TILE: usize = 1024;

/// The clock cycles in which each process moves its words: one entry per word.
#[derive(Default)]
struct Moves {
    loaded: Vec<u64>,
    computed: Vec<u64>,
    stored: Vec<u64>,
}

/// Signals of one bit in the scope of `instance`, by name.
fn signals(items: &[ScopeItem], instance: &str, inside: bool, found: &mut HashMap<String, IdCode>) {
    for item in items {
        match item {
            ScopeItem::Scope(scope) => signals(&scope.items, instance, scope.identifier == instance, found),
            ScopeItem::Var(var) if inside && var.size == 1 => {
                found.insert(var.reference.clone(), var.code);
            }
            _ => {}
        }
    }
}

fn read(path: &Path) -> Moves {
    let mut parser = vcd::Parser::new(BufReader::new(File::open(path).expect("the run wrote a VCD")));
    let header = parser.parse_header().expect("a VCD header");
    let mut ids = HashMap::new();
    signals(&header.items, "u_accelerator", false, &mut ids);
    let id = |name: &str| *ids.get(name).unwrap_or_else(|| panic!("{name} is not in the VCD: {:?}", ids.keys()));
    let clk = id("clk");
    let pairs =
        [("s_read_valid", "s_read_ready"), ("compute_is_busy", "compute_is_busy"), ("m_write_valid", "m_write_ready")]
            .map(|(valid, ready)| (id(valid), id(ready)));
    let mut state: HashMap<IdCode, Value> = HashMap::new();
    let mut moves = Moves::default();
    let mut cycle = 0;
    for command in parser {
        let Ok(Command::ChangeScalar(code, value)) = command else { continue };
        if code == clk && value == Value::V1 {
            // What the rising edge samples is what held before it: the state so far.
            cycle += 1;
            let high = |code: &IdCode| state.get(code) == Some(&Value::V1);
            let targets = [&mut moves.loaded, &mut moves.computed, &mut moves.stored];
            for ((valid, ready), target) in pairs.iter().zip(targets) {
                if high(valid) && high(ready) {
                    target.push(cycle);
                }
            }
        }
        state.insert(code, value);
    }
    moves
}

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
    let moves = read(&shown.vcd.expect("tracing is on"));
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
