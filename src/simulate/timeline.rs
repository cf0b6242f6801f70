//! What the accelerator's processes do from start to done, as `sim/timeline.vh` tells it.

use serde::{Deserialize, Serialize};

/// Slices of a run, and what became of its tiles when.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// In the order of time; together they are the run.
    pub slices: Vec<Slice>,
    /// Of the first tiles in the order of execution, the cycles, from 1, in which each is taken to be loaded, taken to be
    /// computed, computed, and stored; behind the last tile comes the end mark. An accelerator that failed may not have come
    /// to all of it.
    pub tiles: Vec<Vec<u64>>,
}

/// Cycles, and in how many of them: load is busy, a word comes from memory, compute is busy, it is stalled, store is busy, a word
/// goes to memory.
pub type Slice = [u64; 7];

impl Timeline {
    /// About so many slices are told of a run whose cycles are as expected.
    pub const SLICES: u64 = 8192;

    /// What the bench printed, lines of others left out.
    pub fn read(text: &str) -> Timeline {
        let numbers = |rest: &str| rest.split_whitespace().map(|word| word.parse().ok()).collect::<Option<Vec<u64>>>();
        let slice = |line: &str| <Slice>::try_from(numbers(line.strip_prefix("SLICE ")?)?).ok();
        let mut events: [Vec<u64>; 4] = Default::default();
        for line in text.lines() {
            let Some([what, cycle]) =
                line.strip_prefix("TILE ").and_then(numbers).and_then(|n| <[u64; 2]>::try_from(n).ok())
            else {
                continue;
            };
            if let Some(events) = events.get_mut(what as usize) {
                events.push(cycle);
            }
        }
        let [taken, _, computed, stored] = &events;
        let tiles = computed.len().max(stored.len()).min(taken.len());
        let tile = |number: usize| events.iter().map_while(|events| events.get(number).copied()).collect();
        Timeline { slices: text.lines().filter_map(slice).collect(), tiles: (0..tiles).map(tile).collect() }
    }

    /// With at most so many slices: neighbours are put together where there are more.
    pub fn within(mut self, most: usize) -> Timeline {
        while self.slices.len() > most.max(1) {
            let both = |pair: &[Slice]| std::array::from_fn(|k| pair.iter().map(|slice| slice[k]).sum());
            self.slices = self.slices.chunks(2).map(both).collect();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_bench_are_read() {
        let text = "SLICE 4 1 1 0 0 0 0\nVIOLATION SLICE\nTILE 0 2\nTILE 0 3\nTILE 1 3\nTILE 2 5\nTILE 0 5\nTILE 1 6\nTILE 3 9\n\
            SLICE 3 0 0 2 1 1 1\nSLICE 1 x\nTILE 9 9\nTILE 2 8\nRESULT timed_out=0\n";
        let timeline = Timeline::read(text);
        assert_eq!(timeline.slices, [[4, 1, 1, 0, 0, 0, 0], [3, 0, 0, 2, 1, 1, 1]]);
        assert_eq!(timeline.tiles, [vec![2, 3, 5, 9], vec![3, 6, 8]]);
        assert_eq!(timeline.clone().within(2).slices.len(), 2);
        assert_eq!(timeline.within(1).slices, [[7, 1, 1, 2, 1, 1, 1]]);
    }
}
