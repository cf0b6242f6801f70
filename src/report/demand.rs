//! What a kernel asks of memory and of its iterations: which of the two its speed hangs on.

use std::collections::BTreeMap;

use super::count::{self, Work};
use super::ports;
use crate::hardware::Link;
use crate::offload::Offload;
use crate::word::Word;

/// Loops that are counted; a run of more takes hours.
const STEPS: u64 = 20_000_000;

/// At the sizes that the kernel is usually run with; `u64::MAX` where nobody can count so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Bytes of all Load and Store sets; behind a bus, which moves both at once, of the direction that moves more; of several
    /// ports, of the one where that moves most.
    pub bytes: u64,
    pub iterations: u64,
}

impl Demand {
    /// Whether there is more to do than can be counted.
    pub fn is_endless(&self) -> bool {
        self.bytes == u64::MAX
    }

    /// Of memory behind `link`.
    pub fn of(offload: &Offload, link: Link) -> Demand {
        let sizes = offload.kernel.usual_sizes();
        let work = Work::within(offload, &sizes, STEPS);
        Demand {
            bytes: work.map_or(u64::MAX, |work| match link.bus() {
                Some(bus) if bus.ports > 1 => busiest(offload, &sizes).unwrap_or(u64::MAX),
                Some(_) => work.bytes_read.max(work.bytes_written),
                None => work.bytes_read + work.bytes_written,
            }),
            iterations: work.map_or(u64::MAX, |work| work.starts),
        }
    }

    /// Cycles that the memory takes at least, through a port that moves a `word` per cycle.
    pub fn words(&self, word: Word) -> u64 {
        word.holding(self.bytes)
    }

    /// Cycles that the iterations take at least.
    pub fn compute_cycles(&self, lanes: i64) -> u64 {
        self.iterations.div_ceil(lanes as u64)
    }
}

/// Bytes of the busiest direction of any port.
pub fn busiest(offload: &Offload, sizes: &BTreeMap<String, i64>) -> Option<u64> {
    let moved = ports::moved(offload, &count::moved(offload, sizes, STEPS)?);
    moved.into_iter().flatten().max()
}
