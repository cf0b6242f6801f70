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
    /// Parallel to the slices: what the device of a native memory did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub banks: Vec<Banks>,
}

/// Of each of four banks: its row hits and row misses, and the least and the greatest row that they were in, of which the first is
/// greater where there were none; then turnarounds and refreshes.
pub type Banks = [u64; 18];

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
        let slices: Vec<Slice> = text.lines().filter_map(slice).collect();
        let told = |line: &str| <Banks>::try_from(numbers(line.strip_prefix("BANKS ")?)?).ok();
        let mut banks: Vec<Banks> = text.lines().filter_map(told).collect();
        // What came behind the last slice is told in a line of its own.
        while banks.len() > slices.len().max(1) {
            let (last, before) = (banks.pop(), banks.len() - 1);
            banks[before] = last.map_or(banks[before], |last| both(&banks[before], &last));
        }
        if banks.len() != slices.len() {
            banks.clear();
        }
        let [taken, _, computed, stored] = &events;
        let tiles = computed.len().max(stored.len()).min(taken.len());
        let tile = |number: usize| events.iter().map_while(|events| events.get(number).copied()).collect();
        Timeline { slices, tiles: (0..tiles).map(tile).collect(), banks }
    }

    /// With at most so many slices: neighbours are put together where there are more.
    pub fn within(mut self, most: usize) -> Timeline {
        while self.slices.len() > most.max(1) {
            let sum = |pair: &[Slice]| std::array::from_fn(|k| pair.iter().map(|slice| slice[k]).sum());
            self.slices = self.slices.chunks(2).map(sum).collect();
            self.banks = self.banks.chunks(2).map(|pair| pair[1..].iter().fold(pair[0], |a, b| both(&a, b))).collect();
        }
        self
    }
}

/// What the banks did in two slices together.
fn both(one: &Banks, other: &Banks) -> Banks {
    std::array::from_fn(|k| match (k < 16, k % 4) {
        (true, 2) => one[k].min(other[k]),
        (true, 3) => one[k].max(other[k]),
        _ => one[k] + other[k],
    })
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

    /// Rows of a bank are the least and the greatest of both slices, wherever it had none in one of them.
    #[test]
    fn what_banks_do_is_told_per_slice() {
        let none = "0 0 4095 0";
        let text = format!(
            "SLICE 4 1 1 0 0 0 0\nBANKS 3 1 7 9 {none} {none} 1 1 5 5 2 0\nSLICE 4 1 1 0 0 0 0\n\
             BANKS 2 2 6 6 {none} 0 1 8 8 0 0 4095 0 1 1\nBANKS {none} {none} {none} 1 0 4 4 0 1\n"
        );
        let timeline = Timeline::read(&text);
        let first = [3, 1, 7, 9, 0, 0, 4095, 0, 0, 0, 4095, 0, 1, 1, 5, 5, 2, 0];
        assert_eq!(timeline.banks, [first, [2, 2, 6, 6, 0, 0, 4095, 0, 0, 1, 8, 8, 1, 0, 4, 4, 1, 2]]);
        let together = [5, 3, 6, 9, 0, 0, 4095, 0, 0, 1, 8, 8, 2, 1, 4, 5, 3, 2];
        assert_eq!(timeline.within(1).banks, [together]);
        // A bench that tells of no banks.
        assert!(Timeline::read("SLICE 4 1 1 0 0 0 0\n").banks.is_empty());
    }
}
