//! Which block RAMs the memories of buffers take, and whether a board has them.
//!
//! Among the *usual* kinds of block RAM tools choose by themselves. A kind with a style, such as UltraRAM, is taken where a memory asks
//! for it alone: what the usual ones have no room for lies there ([`place`]).

use std::fmt;

use anyhow::Result;

use crate::diagnostic::Diagnostic;
use crate::offload::memory::{self, Slice};
use crate::offload::{Buffer, Placed};
use crate::source::kernel::Kernel;

use super::reads::{Blocks, Fabric};

/// Words up to which a memory needs no block RAM.
pub const SMALL: i64 = 64;

/// Bits of block RAM that the buffers and their copies take.
pub fn bits(kernel: &Kernel, buffers: &[Buffer]) -> u128 {
    bits_of(kernel, buffers, Buffer::memories)
}

fn bits_of(kernel: &Kernel, buffers: &[Buffer], memories: impl Fn(&Buffer) -> usize) -> u128 {
    let of = |b: &Buffer| memories(b) as u128 * bits_of_memory(kernel, b);
    buffers.iter().map(of).sum()
}

/// Bits of one of a buffer's memories.
fn bits_of_memory(kernel: &Kernel, buffer: &Buffer) -> u128 {
    buffer.words() as u128 * u128::from(kernel.arrays[buffer.array].word_bits())
}

/// Block RAMs that buffers take, with those of a kind that they [are placed](place) in: one at least for each bank of each copy, unless it is small.
pub fn taken(kernel: &Kernel, buffers: &[Buffer], kinds: &[Blocks]) -> u64 {
    let of = |buffer: &Buffer| {
        let placed = buffer.placed.as_ref();
        let kind = placed.and_then(|placed| kinds.iter().find(|kind| kind.kind == placed.kind));
        kind.zip(placed).map_or(0, |(kind, placed)| placed.memories as u64 * of_kind(kernel, buffer, kind))
    };
    usual(kernel, buffers, kinds) + buffers.iter().map(of).sum::<u64>()
}

/// The same of the usual kinds alone.
pub fn usual(kernel: &Kernel, buffers: &[Buffer], kinds: &[Blocks]) -> u64 {
    let memories = |b: &Buffer| b.memories() - b.placed.as_ref().map_or(0, |placed| placed.memories);
    buffers.iter().map(|buffer| memories(buffer) as u64 * of_usual(kernel, buffer, kinds)).sum()
}

/// Bits of a block of the smallest usual kind.
pub fn smallest(kinds: &[Blocks]) -> u64 {
    kinds.iter().filter(|kind| kind.style.is_none()).map(|kind| kind.bits).min().unwrap_or(1).max(1)
}

/// Block RAMs of the usual kinds for one of a buffer's memories.
fn of_usual(kernel: &Kernel, buffer: &Buffer, kinds: &[Blocks]) -> u64 {
    let bits = smallest(kinds);
    let width = u64::from(kernel.arrays[buffer.array].word_bits());
    // The banks of a partition are as large together as one memory.
    let parts = if buffer.partition.is_some() { buffer.parts() } else { buffer.parts_in_bank() };
    let each: u64 = words(&memory::slices(&parts)).map(|words| (words * width).div_ceil(bits)).sum();
    // Boards with larger blocks, too, are held to the bits alone.
    buffer.bank_count() as u64
        * if kinds.iter().filter(|kind| kind.style.is_none()).count() > 1 { each.min(1) } else { each }
}

/// Block RAMs of one kind for one of a buffer's memories.
fn of_kind(kernel: &Kernel, buffer: &Buffer, kind: &Blocks) -> u64 {
    let width = u64::from(kernel.arrays[buffer.array].word_bits());
    let banks = buffer.bank_count() * buffer.partition.as_ref().map_or(1, |partition| partition.count);
    banks as u64 * words(&memory::slices(&buffer.parts_in_bank())).map(|words| kind.of(words, width)).sum::<u64>()
}

/// The words of slices that need a block RAM.
fn words(slices: &[Slice]) -> impl Iterator<Item = u64> {
    slices.iter().map(Slice::words).filter(|words| *words > SMALL).map(|words| words as u64)
}

/// What has to be enough.
#[derive(Clone, Copy, PartialEq)]
enum Measure {
    /// The bits of the usual kinds.
    Bits,
    /// And their blocks, which banks take whole ones of.
    BitsAndBlocks,
    Blocks,
}

/// The memories of buffers, so many of each, on their way into block RAMs.
struct Placing<'a> {
    fabric: &'a Fabric,
    /// Bits of a memory of each buffer.
    bits: Vec<u128>,
    /// Usual blocks of a memory of each.
    blocks: Vec<u64>,
    /// Memories that lie in usual ones.
    usual: Vec<usize>,
    placed: Vec<Option<Placed>>,
}

impl<'a> Placing<'a> {
    /// Puts into kinds with a style what the usual ones have no room for: first of which they have to be given the most bits per
    /// block.
    fn new(
        (kernel, buffers, fabric): (&Kernel, &[Buffer], &'a Fabric),
        measure: Measure,
        memories: impl Fn(&Buffer) -> usize,
    ) -> Placing<'a> {
        let mut placing = Placing {
            fabric,
            bits: buffers.iter().map(|buffer| bits_of_memory(kernel, buffer)).collect(),
            blocks: buffers.iter().map(|buffer| of_usual(kernel, buffer, &fabric.blocks)).collect(),
            usual: buffers.iter().map(memories).collect(),
            placed: vec![None; buffers.len()],
        };
        let told: Vec<&Blocks> = fabric.blocks.iter().filter(|kind| kind.style.is_some()).collect();
        let needed: Vec<Vec<u64>> =
            buffers.iter().map(|buffer| told.iter().map(|kind| of_kind(kernel, buffer, kind)).collect()).collect();
        let mut left: Vec<u64> = told.iter().map(|kind| kind.count).collect();
        while !told.is_empty() && !placing.is_enough(measure) {
            let pairs = (0..buffers.len()).flat_map(|b| (0..told.len()).map(move |k| (b, k)));
            let may = |(b, k): &(usize, usize)| {
                let is_there = placing.placed[*b].as_ref().is_none_or(|placed| placed.kind == told[*k].kind);
                placing.usual[*b] > 0 && is_there && (1..=left[*k]).contains(&needed[*b][*k])
            };
            let gain = |(b, k): &(usize, usize)| placing.bits[*b] as f64 / needed[*b][*k] as f64;
            let best = pairs.filter(may).reduce(|a, b| if gain(&b) > gain(&a) { b } else { a });
            let Some((b, k)) = best else { break };
            placing.usual[b] -= 1;
            left[k] -= needed[b][k];
            let own =
                || Placed { kind: told[k].kind.clone(), style: told[k].style.clone().unwrap_or_default(), memories: 0 };
            placing.placed[b].get_or_insert_with(own).memories += 1;
        }
        placing
    }

    fn is_enough(&self, measure: Measure) -> bool {
        let bits = || self.bits.iter().zip(&self.usual).map(|(bits, &n)| n as u128 * bits).sum::<u128>();
        let blocks = || self.blocks.iter().zip(&self.usual).map(|(blocks, &n)| n as u64 * blocks).sum::<u64>();
        let usual = || self.fabric.blocks.iter().filter(|kind| kind.style.is_none());
        let has_bits = || bits() <= usual().map(|kind| u128::from(kind.count * kind.bits)).sum();
        let has_blocks = || blocks() <= usual().map(|kind| kind.count).sum();
        match measure {
            Measure::Bits => has_bits(),
            Measure::BitsAndBlocks => has_bits() && has_blocks(),
            Measure::Blocks => has_blocks(),
        }
    }
}

/// The measure by which buffers fit.
fn measure(buffers: &[Buffer]) -> Measure {
    let in_banks = buffers.iter().any(|buffer| buffer.banks.is_some());
    if in_banks { Measure::BitsAndBlocks } else { Measure::Bits }
}

/// Tells every buffer which of its memories lie in a kind of block RAM that tools have to be told of: as few as possible.
pub fn place(kernel: &Kernel, buffers: &mut [Buffer], fabric: &Fabric) {
    let placed = Placing::new((kernel, buffers, fabric), measure(buffers), Buffer::memories).placed;
    buffers.iter_mut().zip(placed).for_each(|(buffer, placed)| buffer.placed = placed);
}

/// Whether the chip has room for all memories of the buffers; of those in banks whole blocks count.
pub fn fit(kernel: &Kernel, buffers: &[Buffer], fabric: &Fabric) -> bool {
    let measure = measure(buffers);
    Placing::new((kernel, buffers, fabric), measure, Buffer::memories).is_enough(measure)
}

/// The same by bits alone.
pub fn bits_fit(kernel: &Kernel, buffers: &[Buffer], fabric: &Fabric) -> bool {
    Placing::new((kernel, buffers, fabric), Measure::Bits, Buffer::memories).is_enough(Measure::Bits)
}

/// The same by whole blocks alone.
pub fn are_enough(kernel: &Kernel, buffers: &[Buffer], fabric: &Fabric) -> bool {
    Placing::new((kernel, buffers, fabric), Measure::Blocks, Buffer::memories).is_enough(Measure::Blocks)
}

/// Bits that the buffers of a kernel may take, about: of kinds that have no narrow ports as many as its widest elements use.
pub fn room(kernel: &Kernel, fabric: &Fabric) -> u64 {
    let width = kernel.arrays.iter().map(|array| u64::from(array.word_bits())).max().unwrap_or(1);
    fabric.blocks.iter().map(|kind| (kind.count * kind.bits) / kind.narrowest.div_ceil(width).max(1)).sum()
}

/// With the refusal of [`require_fit`]: smaller tiles may do.
#[derive(Debug)]
pub struct NoRoom;

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "no room for the buffers")
    }
}

/// Refuses buffers that do not fit on the chip, with their copies but those for the store process, which are made where
/// there is room.
///
/// # Errors
/// A [`Diagnostic`] that tells the bits needed and the bits there are, with [`NoRoom`] as its context.
pub fn require_fit(kernel: &Kernel, buffers: &[Buffer], fabric: &Fabric) -> Result<()> {
    if Placing::new((kernel, buffers, fabric), Measure::Bits, Buffer::all_copies).is_enough(Measure::Bits) {
        return Ok(());
    }
    let needed = bits_of(kernel, buffers, Buffer::all_copies);
    let each: Vec<String> = buffers
        .iter()
        .map(|b| format!("`{}` {}{} words", kernel.arrays[b.array].name, times(b.all_copies()), b.words()))
        .collect();
    let mut diagnostic = Diagnostic::new(format!(
        "the local buffers need {needed} bits of block RAM ({}), the board has {}",
        each.join(", "),
        room(kernel, fabric)
    ))
    .help("choose smaller tiles, or a board with more block RAM");
    let largest = buffers.iter().max_by_key(|buffer| bits_of(kernel, std::slice::from_ref(buffer), Buffer::all_copies));
    diagnostic = match (kernel.tilings.first(), largest) {
        (Some(tiling), _) => diagnostic.at(tiling.span, "tiles too large for the board"),
        (None, Some(buffer)) => {
            let array = &kernel.arrays[buffer.array];
            diagnostic.at(array.span, format!("`{}` needs the largest buffer", array.name))
        }
        (None, None) => diagnostic,
    };
    Err(anyhow::Error::from(diagnostic).context(NoRoom))
}

/// `3 x ` before the words of a buffer of which there are three copies.
fn times(copies: usize) -> String {
    if copies == 1 { String::new() } else { format!("{copies} x ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source;

    fn kind(count: u64, (bits, width, narrowest): (u64, u64, u64), style: Option<&str>) -> Blocks {
        Blocks { kind: "K".into(), count, bits, width, narrowest, style: style.map(String::from) }
    }

    /// The shapes of UltraRAM, always 4096 x 72 (UG901), and of a RAMB18 of up to 36 bits.
    #[test]
    fn blocks_for_a_memory() {
        let ultra = kind(1, (294_912, 72, 72), Some("ultra"));
        let cases = [((4096, 32), 1), ((4097, 32), 2), ((1, 72), 1), ((1, 73), 2), ((4096, 128), 2), ((5000, 8), 2)];
        for ((words, width), expected) in cases {
            assert_eq!(ultra.of(words, width), expected, "{words} x {width}");
        }
        let usual = kind(1, (18_432, 36, 1), None);
        for ((words, width), expected) in [((512, 32), 1), ((513, 36), 2), ((16, 40), 2), ((2048, 8), 1)] {
            assert_eq!(usual.of(words, width), expected, "{words} x {width}");
        }
    }

    /// Against all ways to split the memories of three buffers: what is placed fits wherever one way does, and as few memories as that needs are told.
    #[test]
    fn as_few_memories_as_possible_are_told_where_they_lie() {
        let text = "void f(int a[8192], int b[3000], int c[1024]) {
            #pragma burstc tile(i:1024)
            for (int i = 0; i < 1024; i++) c[i] = a[8 * i] + a[8 * i + 7] + b[i] + b[i + 1900];
        }";
        let source = source::Source { path: "f.c".into(), text: text.into(), cpp_args: vec![] };
        let kernel = source::parse(&source).unwrap();
        let all = |count, other| {
            let blocks = vec![kind(count, (18_432, 36, 1), None), kind(other, (294_912, 72, 72), Some("ultra"))];
            Fabric { blocks, aluts: 1_000_000, beat_bits: 32 }
        };
        let mut offload = crate::analysis::analyze(&kernel, &all(10_000, 10_000)).unwrap();
        offload.buffers.iter_mut().for_each(|buffer| (buffer.partition, buffer.copies) = (None, 2));
        let buffers = &offload.buffers;
        let memories: Vec<usize> = buffers.iter().map(Buffer::memories).collect();
        for (count, other) in [(10_000, 0), (60, 4), (40, 6), (20, 8), (10, 9), (3, 20), (1, 5), (20, 1), (1, 40)] {
            let fabric = all(count, other);
            let (mut fewest, n) = (None, memories.len());
            for way in 0..memories.iter().map(|m| m + 1).product::<usize>() {
                let split: Vec<usize> = (0..n)
                    .map(|b| way / memories[..b].iter().map(|m| m + 1).product::<usize>() % (memories[b] + 1))
                    .collect();
                let own = || buffers.iter().zip(&split).zip(&memories);
                let told: u64 = own().map(|((b, s), _)| *s as u64 * of_kind(&kernel, b, &fabric.blocks[1])).sum();
                let bits: u128 = own().map(|((b, s), m)| (m - s) as u128 * bits_of_memory(&kernel, b)).sum();
                if told <= other && bits <= u128::from(count * 18_432) {
                    let all: usize = split.iter().sum();
                    fewest = Some(fewest.map_or(all, |fewest: usize| fewest.min(all)));
                }
            }
            let mut placed = buffers.clone();
            place(&kernel, &mut placed, &fabric);
            let told: usize = placed.iter().filter_map(|b| b.placed.as_ref()).map(|p| p.memories).sum();
            assert_eq!(bits_fit(&kernel, buffers, &fabric), fewest.is_some(), "{count} and {other}");
            if let Some(fewest) = fewest {
                assert!(told <= fewest + 1, "{count} and {other}: {told} memories, {fewest} would do");
            }
        }
    }
}
