//! When the ports of the compute process read. A word that an operator wants some cycles later, as the sum behind a product
//! wants the sum so far, is read that much later, and a word that is on its way to the buffer in that moment is taken from
//! there. So a sum waits for the one before for the cycles of the sum alone.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::hardware::compute::candidate::Candidate;
use crate::hardware::compute::hazards::is_drained;
use crate::hardware::compute::pace::{Latency, Pace, Timing};
use crate::hardware::compute::pipelines::READ_STAGE;
use crate::hardware::compute::ports::ReadPort;
use crate::hardware::compute::process::Process;
use crate::ids::{ArrayId, StatementId};

/// When a port reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lateness {
    /// Cycles from the start of an instance to its address at the port.
    pub delay: u32,
    /// Words that are taken on their way: 1, one that is written as the buffer is read; 2, one that is written a cycle later,
    /// too, as the word goes into its register; 3, one that is written as the datapath gets the word from there.
    pub forward: u32,
}

/// Words of cycles that are taken on their way at most.
pub const FORWARD: u32 = 3;

/// What is to be gained at least: this part of the cycles.
const WORTH_IT: f64 = 0.99;

/// A port without is as good as one with it where the cycles grow by no more than this.
const AS_GOOD: f64 = 1.002;

impl Lateness {
    /// A write under way is seen by an instance that starts now where fewer cycles than this lie before it.
    pub fn sees(self) -> u32 {
        self.delay + self.forward
    }

    /// The latency that every statement that writes the array must have, so that what it writes is not seen by instances
    /// that have started before it.
    pub fn least_latency(self) -> u32 {
        self.delay + self.forward.saturating_sub(1)
    }
}

/// The lateness of the port of each array and copy, where it is not 0.
pub type Latenesses = BTreeMap<(ArrayId, usize), Lateness>;

/// The least latencies of the statements that have instances.
pub fn least_latencies(process: &Process, ports: &[ReadPort]) -> Vec<u32> {
    let least = |&s: &StatementId| {
        let written = ports.iter().filter(|port| process.statements[s].writes_to(port.array));
        // What the instance itself reads there is what was there before it: its write comes a cycle later than that of the
        // next instance may.
        let written = written.map(|p| p.lateness.least_latency() + u32::from(p.statements().contains(&s)));
        // A word that comes from what is written must not be written in the same cycle: that would be a loop of wires.
        let read = ports.iter().filter(|port| port.lateness.forward == FORWARD && port.statements().contains(&s));
        let behind = read.map(|port| READ_STAGE + port.lateness.delay);
        written.chain(behind).max().unwrap_or(0)
    };
    process.present().iter().map(least).collect()
}

/// Chooses what lets the first iterations of a run pass fastest. The ports of `candidate` are looked at and changed;
/// `latency` builds the pipeline of a statement, by its place among those that have instances, with these ports.
pub fn choose(
    process: &Process,
    candidate: &mut Candidate,
    latency: &dyn Fn(&Candidate, usize) -> Latency,
) -> Latenesses {
    let present = process.present();
    // A pipeline is built once for each combination of what its own ports have.
    let built: RefCell<BTreeMap<(usize, Vec<u32>), Latency>> = RefCell::default();
    let latency = |candidate: &Candidate, place: usize| {
        let own = candidate.ports.iter().filter(|port| port.statements().contains(&present[place]));
        let delays: Vec<u32> = own.map(|port| port.lateness.delay).collect();
        let known = built.borrow().get(&(place, delays.clone())).copied();
        known.unwrap_or_else(|| {
            let latency = latency(candidate, place);
            built.borrow_mut().insert((place, delays), latency);
            latency
        })
    };
    let alone: Vec<Latency> = (0..present.len()).map(|place| latency(candidate, place)).collect();
    let targets = process.targets();
    let place_of = |s: StatementId| present.iter().position(|own| *own == s).expect("who reads has instances");
    let can = |port: &ReadPort| {
        let buffer = process.buffer(port.array);
        let is_windowed = process.offload.windows.iter().any(|window| window.array == port.array);
        let is_plain = process.scatterers_of(port.array).is_empty()
            && buffer.partition.is_none()
            && port.rotation.as_ref().is_none_or(|rotations| rotations.told().is_none())
            && !is_windowed;
        let divides = port.statements().into_iter().any(|s| alone[place_of(s)].divides);
        is_plain && targets.contains(&port.array) && !divides
    };
    let open: Vec<usize> = (0..candidate.ports.len()).filter(|&port| can(&candidate.ports[port])).collect();
    if open.is_empty() {
        return Latenesses::new();
    }
    let pace = Pace::of(process.offload, present);
    let cycles = |candidate: &Candidate| {
        let latenesses = latenesses(candidate);
        let is_late =
            |s: StatementId| candidate.ports.iter().any(|p| p.lateness.delay > 0 && p.statements().contains(&s));
        let latencies: Vec<Latency> =
            (present.iter().zip(least_latencies(process, &candidate.ports)).zip(&alone).enumerate())
                .map(|(place, ((&s, least), own))| {
                    let own = if is_late(s) { latency(candidate, place) } else { *own };
                    Latency { cycles: own.cycles.max(least), ..own }
                })
                .collect();
        // The store process is as late as the latest of the ports that it borrows, with each tile.
        let drained = candidate.ports.iter().filter(|port| is_drained(process, port));
        let late = drained.map(|port| u64::from(port.lateness.delay)).max().unwrap_or(0);
        let own = pace.cycles(&Timing { latencies: &latencies, sees: &|port| sees(&latenesses, port) });
        (own + late * pace.tiles() as u64) as f64
    };
    let before = cycles(candidate);
    if before * WORTH_IT <= pace.iterations() as f64 {
        return Latenesses::new();
    }
    // As late as one of the statements that read there does not become longer, with the others as they are; and then, with all as late as
    // that, once more: a product of a word that comes late lets the sum behind it come later, too.
    let mut delays: Vec<Vec<u32>> = vec![vec![0]; open.len()];
    for _ in 0..2 {
        for (&port, own) in open.iter().zip(&mut delays) {
            let before = candidate.ports[port].lateness;
            for place in candidate.ports[port].statements().into_iter().map(place_of) {
                own.push(latest_delay(candidate, port, place, &latency));
            }
            candidate.ports[port].lateness = before;
            own.sort_unstable();
            own.dedup();
        }
        for (&port, delays) in open.iter().zip(&delays) {
            candidate.ports[port].lateness.delay = delays.last().copied().unwrap_or(0);
        }
    }
    // Of what lanes write, some words may stay as they are.
    let passes_on = |port: &ReadPort| {
        let has_lanes = process.writers_of(port.array).into_iter().any(|s| process.lanes.of(s).count > 1);
        if port.rotation.is_some() || has_lanes { 0 } else { FORWARD }
    };
    for (&port, delays) in open.iter().zip(&delays) {
        let delay = delays.last().copied().unwrap_or(0);
        candidate.ports[port].lateness = Lateness { delay, forward: passes_on(&candidate.ports[port]) };
    }
    for (&port, delays) in open.iter().zip(&delays) {
        let forward = passes_on(&candidate.ports[port]);
        let choices = (0..=forward).flat_map(|forward| delays.iter().map(move |&delay| Lateness { delay, forward }));
        let mut choices: Vec<Lateness> = choices.collect();
        if is_drained(process, &candidate.ports[port]) {
            // The store process would come as much later.
            choices.sort_by_key(|lateness| lateness.delay > 0);
        }
        let mut tried: Vec<(Lateness, f64)> = vec![];
        for lateness in choices {
            candidate.ports[port].lateness = lateness;
            tried.push((lateness, cycles(candidate)));
        }
        let least = tried.iter().map(|(_, cycles)| *cycles).fold(f64::INFINITY, f64::min);
        let cheapest = tried.iter().find(|(_, cycles)| *cycles <= least * AS_GOOD);
        candidate.ports[port].lateness = cheapest.expect("one of them").0;
    }
    if cycles(candidate) < before * WORTH_IT { latenesses(candidate) } else { Latenesses::new() }
}

/// The largest delay of a port with which the statement at `place` is no later than without.
fn latest_delay(
    candidate: &mut Candidate,
    port: usize,
    place: usize,
    latency: &dyn Fn(&Candidate, usize) -> Latency,
) -> u32 {
    let mut with = |delay: u32| {
        candidate.ports[port].lateness.delay = delay;
        latency(candidate, place)
    };
    let soonest = with(0);
    let (mut delay, mut too_late) = (0, soonest.cycles + 1);
    // Where the word comes last, the statement ends so many cycles behind it as there are; the others are free.
    let free = (soonest.cycles + too_late).saturating_sub(with(too_late).cycles);
    for middle in [free, free + 1] {
        if delay < middle && middle < too_late {
            if with(middle) == soonest { delay = middle } else { too_late = middle }
        }
    }
    while too_late - delay > 1 {
        let middle = (delay + too_late) / 2;
        if with(middle) == soonest { delay = middle } else { too_late = middle }
    }
    delay
}

/// What the ports of a candidate have.
fn latenesses(candidate: &Candidate) -> Latenesses {
    let late = candidate.ports.iter().filter(|port| port.lateness != Lateness::default());
    late.map(|port| ((port.array, port.copy), port.lateness)).collect()
}

/// What the port of an array and a copy of its buffer sees, see [`Lateness::sees`].
pub fn sees(latenesses: &Latenesses, port: (ArrayId, usize)) -> u32 {
    latenesses.get(&port).map_or(0, |lateness| lateness.sees())
}
