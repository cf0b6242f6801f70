//! How an iteration reads several words of one buffer in one cycle: from a copy of the buffer per reference; from one
//! buffer in banks, of which no two references of a statement ever meet in one; or out of registers through which words
//! slide that another reference has read some iterations ago. Copies cost block RAM, banks the multiplexers between them
//! and the references, windows registers and a few cycles per row; what is the smallest part of the device is taken.

use super::blocks;
use crate::affine::Affine;
use crate::offload::{Buffer, Partition, Window, is_by_data, limit_count, port_count, port_references, power_of_two};
use crate::source::kernel::{Kernel, distance};

/// What the FPGA has for buffers.
#[derive(Clone, Debug)]
pub struct Fabric {
    /// Not empty.
    pub blocks: Vec<Blocks>,
    /// Look-up tables.
    pub aluts: u64,
    /// Of the widest word that the memory moves in a cycle.
    pub beat_bits: u32,
}

/// One kind of block RAM.
#[derive(Clone, Debug)]
pub struct Blocks {
    pub kind: String,
    pub count: u64,
    /// Of one block.
    pub bits: u64,
    /// Of its widest port.
    pub width: u64,
    /// Of its narrowest port.
    pub narrowest: u64,
    /// What tools have to be told to take it for a memory.
    pub style: Option<String>,
}

impl Blocks {
    /// Of a kind that tools take by themselves, with ports of up to `width` bits.
    pub fn of_any_tool(count: u64, bits: u64, width: u64) -> Blocks {
        Blocks { kind: "block RAM".into(), count, bits, width, narrowest: 1, style: None }
    }

    /// So many of it hold that many words of `width` bits.
    pub fn of(&self, words: u64, width: u64) -> u64 {
        width.div_ceil(self.width).max((words * width.max(self.narrowest)).div_ceil(self.bits))
    }
}

impl Fabric {
    /// The same with a part of the block RAM.
    pub fn with_block_ram(&self, part: f64) -> Fabric {
        let blocks = self.blocks.iter().map(|kind| Blocks { count: (kind.count as f64 * part) as u64, ..kind.clone() });
        Fabric { blocks: blocks.collect(), ..*self }
    }

    /// The part of the device's usual block RAM that a memory takes, in whole blocks of the kind that suits it best.
    fn memory(&self, words: i64, width: u32) -> f64 {
        let usual = || self.blocks.iter().filter(|kind| kind.style.is_none());
        let best = usual().map(|kind| kind.bits * kind.of(words as u64, width.into())).min().unwrap_or(0);
        best as f64 / usual().map(|kind| kind.count * kind.bits).sum::<u64>() as f64
    }

    /// The part of the device's look-up tables.
    fn logic(&self, aluts: u64) -> f64 {
        aluts as f64 / self.aluts as f64
    }
}

/// Chooses for every buffer what is the smallest: ports for all references or windows, and copies or banks for the
/// ports; banks where the block RAM would not do otherwise. Gives the windows that are kept.
pub fn arrange(kernel: &Kernel, windows: &[Window], buffers: &mut [Buffer], fabric: &Fabric) -> Vec<Window> {
    let mut kept = vec![];
    for buffer in buffers.iter_mut() {
        let own: Vec<Window> = windows.iter().filter(|w| w.array == buffer.array).cloned().collect();
        let choices = [vec![], own].into_iter().flat_map(|windows| Choice::all(kernel, windows, buffer, fabric));
        let best = choices.min_by(|a, b| a.cost.total_cmp(&b.cost)).expect("copies are always possible");
        (buffer.copies, buffer.partition) = (best.copies, best.partition);
        kept.extend(best.windows);
    }
    while !blocks::bits_fit(kernel, buffers, fabric) {
        let saved = |b: &Buffer| (b.copies as i64 - 1) * b.words();
        let copied = buffers.iter_mut().filter(|b| b.banks.is_none() && b.copies > 1);
        let best = copied.filter_map(|b| Some((partition(kernel, &kept, b)?, b))).max_by_key(|(_, b)| saved(b));
        let Some((partition, buffer)) = best else { break };
        (buffer.copies, buffer.partition) = (1, Some(partition));
    }
    kept
}

/// A way to read a buffer.
struct Choice {
    windows: Vec<Window>,
    copies: usize,
    partition: Option<Partition>,
    /// The part of the device that it takes.
    cost: f64,
}

impl Choice {
    /// Copies, and banks where they are possible, with `windows`.
    fn all(kernel: &Kernel, windows: Vec<Window>, buffer: &Buffer, fabric: &Fabric) -> Vec<Choice> {
        let width = kernel.arrays[buffer.array].word_bits();
        let ports = port_count(kernel, &windows, buffer.array).max(1);
        let registers: i64 = windows.iter().map(|w| w.depth() * i64::from(width) * buffer.bank_count()).sum();
        let registers = fabric.logic(registers as u64);
        let words = buffer.words();
        let cost = registers + ports as f64 * fabric.memory(words, width);
        let copies = Choice { windows: windows.clone(), copies: ports, partition: None, cost };
        let Some(partition) = partition(kernel, &windows, buffer) else { return vec![copies] };
        let (ports, count) = (ports as u64, partition.count as u64);
        let memories = count as f64 * fabric.memory(words / partition.count, width);
        let inner = u64::from((words / partition.count).max(2).ilog2());
        // Into every bank the address of one of the ports, to every port the word of one of the banks.
        let aluts = count * inner * multiplexer(ports) + ports * u64::from(width) * multiplexer(count);
        let cost = registers + memories + fabric.logic(aluts);
        vec![copies, Choice { windows, copies: 1, partition: Some(partition), cost }]
    }
}

/// Look-up tables of six inputs for one bit of one of so many.
fn multiplexer(choices: u64) -> u64 {
    (choices - 1).div_ceil(3)
}

/// Banks are at most this many times as many as there are references.
const SPREAD: i64 = 4;

/// The fewest banks in which no two read references of a statement meet, with the smallest weights; `None` for a buffer
/// that is read through one port, or at subscripts that depend on data, for references whose distance is not constant, for bands with different mappings, and
/// for lanes.
fn partition(kernel: &Kernel, windows: &[Window], buffer: &Buffer) -> Option<Partition> {
    let is_gathered = is_by_data(kernel, buffer.array) || limit_count(kernel, buffer.array) > 0;
    let mapping = buffer.common_mapping().filter(|_| buffer.banks.is_none() && !is_gathered)?;
    // What must not be a multiple of the number of banks, once weighted.
    let mut distances: Vec<Vec<i64>> = vec![];
    let mut most = 1;
    for statement in kernel.statements().keys() {
        let mut references = port_references(kernel, windows, statement);
        references.retain(|r| r.array == buffer.array);
        let cells: Vec<Vec<Affine>> = references.iter().map(|r| mapping.skewed(&r.subscripts)).collect();
        for (n, cell) in cells.iter().enumerate() {
            for other in &cells[..n] {
                distances.push(distance(other, cell)?);
            }
        }
        most = most.max(cells.len() as i64);
    }
    distances.sort();
    distances.dedup();
    if distances.is_empty() {
        return None;
    }
    let least = power_of_two(most);
    let counts = std::iter::successors(Some(least), |count| Some(2 * count)).take_while(|c| *c <= SPREAD * most);
    counts.into_iter().find_map(|count| weights(&mapping.moduli, &distances, count))
}

/// The smallest weights with which `count` banks keep `distances` apart.
fn weights(moduli: &[i64], distances: &[Vec<i64>], count: i64) -> Option<Partition> {
    let choices = |modulus: &i64| (0..count).filter(|w| w * modulus % count == 0).collect::<Vec<_>>();
    let choices: Vec<Vec<i64>> = moduli.iter().map(choices).collect();
    // An odometer over the choices, the innermost subscript fastest.
    let mut at = vec![0; choices.len()];
    loop {
        let weights: Vec<i64> = at.iter().zip(&choices).map(|(&n, choices)| choices[n]).collect();
        let apart = |d: &Vec<i64>| d.iter().zip(&weights).map(|(d, w)| d * w).sum::<i64>() % count != 0;
        let along = (0..moduli.len()).rev().find(|&k| weights[k] % 2 == 1 && moduli[k] % count == 0);
        if let (Some(along), true) = (along, distances.iter().all(apart)) {
            return Some(Partition { count, weights, along });
        }
        let turns = (0..at.len()).rev().find(|&k| at[k] + 1 < choices[k].len())?;
        at[turns] += 1;
        at[turns + 1..].fill(0);
    }
}
