//! How many words a memory has: moduli that are no powers of two, and the block RAMs that serve them.

use super::bits_below;

/// Words from which on a memory is made no larger than it must be.
pub const LARGE: i64 = 256;

/// What moduli that are no powers of two are multiples of, as banks along their subscripts divide them.
pub const ROWS: i64 = 16;
/// The same of subscripts along which no banks are to come.
pub const ROWS_IN_LANES: i64 = 8;

/// Words from which on a memory has several block RAMs side by side, so that another choice among their words costs little.
const DEEP: i64 = 4096;

/// Block RAMs that one memory is cut into at most, and that the bits of one subscript cut it into.
const MOST_SLICES: u32 = 4;
const SLICES: u32 = 3;

/// What of a memory has a block RAM of its own: of every part but the outermost a power of two of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Parallel to the parts of the memory's addresses.
    pub parts: Vec<Part>,
    /// The first value of each part.
    pub firsts: Vec<i64>,
}

impl Slice {
    pub fn words(&self) -> i64 {
        self.parts.iter().map(|part| part.below).product()
    }
}

/// The slices of a memory whose addresses have these parts: one where only the outermost stays below what its bits can tell. A part
/// that ends at 192 has a slice of 128 values and one of 64.
pub fn slices(parts: &[Part]) -> Vec<Slice> {
    let mut all = vec![Slice { parts: vec![], firsts: vec![] }];
    for (place, part) in parts.iter().enumerate() {
        let of = |bits: u32| (Part { bits, below: 1 << bits }, part.below >> (bits + 1) << (bits + 1));
        let own: Vec<(Part, i64)> = match place {
            0 => vec![(*part, 0)],
            _ => (0..=part.bits).rev().filter(|bits| part.below >> bits & 1 == 1).map(of).collect(),
        };
        let with = |slice: &Slice, (part, first): &(Part, i64)| Slice {
            parts: slice.parts.iter().chain([part]).copied().collect(),
            firsts: slice.firsts.iter().chain([first]).copied().collect(),
        };
        all = all.iter().flat_map(|slice| own.iter().map(|part| with(slice, part)).collect::<Vec<_>>()).collect();
    }
    all
}

/// A part of the addresses of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub bits: u32,
    /// What it stays below.
    pub below: i64,
}

impl Part {
    pub fn new(below: i64) -> Part {
        Part { bits: bits_below(below), below }
    }
}

/// What addresses of these parts stay below.
pub fn reach(parts: &[Part]) -> i64 {
    let behind: u32 = parts.iter().skip(1).map(|part| part.bits).sum();
    parts.first().map_or(1, |first| first.below << behind)
}

/// The parts of a bank's addresses: one where it is small. A choice among slices would stand in front of that among banks, for
/// few words.
pub fn worth_slicing(parts: Vec<Part>) -> Vec<Part> {
    match reach(&parts) {
        words if words > DEEP => parts,
        words => vec![Part { bits: parts.iter().map(|part| part.bits).sum(), below: words }],
    }
}

/// Makes moduli of more than [`LARGE`] words as small as the `extents` that subscripts stay below, as far as they are known, at
/// multiples that `multiple` gives for each.
pub fn shorten(moduli: &mut [i64], extents: &[Option<i64>], multiple: impl Fn(usize) -> i64) {
    if moduli.iter().product::<i64>() <= LARGE {
        return;
    }
    let above = |extent: i64, k: usize| (extent.max(1) + multiple(k) - 1) / multiple(k) * multiple(k);
    let mut left = MOST_SLICES;
    for (k, extent) in extents.iter().enumerate() {
        let (Some(extent), words) = (extent, moduli.iter().product::<i64>()) else { continue };
        let shortest = above(*extent, k);
        if k == 0 {
            moduli[0] = moduli[0].min(shortest);
            continue;
        }
        let most = left.min(SLICES);
        let all = std::iter::successors(Some(shortest), |length| Some(length + multiple(k)));
        let length = all.take_while(|l| *l < moduli[k]).find(|length| length.count_ones() <= most);
        if let Some(length) = length.filter(|l| 8 * l <= 7 * moduli[k] && words > DEEP) {
            moduli[k] = length;
            left /= length.count_ones();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every combination of values lies in one slice, at a place of its own, and no slice has a place to spare.
    #[test]
    fn slices_hold_every_word_once() {
        for below in [&[7][..], &[5, 8], &[1, 80], &[3, 48, 48], &[2, 16, 112], &[6, 4, 13]] {
            let parts: Vec<Part> = below.iter().map(|&below| Part::new(below)).collect();
            let slices = slices(&parts);
            let mut words = vec![vec![]];
            for part in &parts {
                let longer = |word: &Vec<i64>| (0..part.below).map(|v| [&word[..], &[v]].concat()).collect::<Vec<_>>();
                words = words.iter().flat_map(longer).collect();
            }
            let inside = |slice: &Slice, word: &[i64]| -> Option<Vec<i64>> {
                let places = word.iter().zip(slice.parts.iter().zip(&slice.firsts));
                places.map(|(v, (part, first))| (0..part.below).contains(&(v - first)).then_some(v - first)).collect()
            };
            let mut taken: Vec<BTreeSet<Vec<i64>>> = vec![BTreeSet::new(); slices.len()];
            for word in &words {
                let of = |slice: &Slice| inside(slice, word);
                let mut holding = slices.iter().map(of).enumerate().filter_map(|(n, place)| Some((n, place?)));
                let (n, place) = holding.next().expect("a slice has the word");
                assert!(holding.next().is_none() && taken[n].insert(place), "{below:?}: {word:?}");
            }
            for (slice, taken) in slices.iter().zip(&taken) {
                assert_eq!(slice.words(), taken.len() as i64, "{below:?}: {slice:?}");
                assert!(slice.parts[1..].iter().all(|part| part.below == 1 << part.bits), "{below:?}: {slice:?}");
            }
        }
    }

    /// Moduli hold the extents, and are cut into few slices.
    #[test]
    fn moduli_end_behind_the_array() {
        for (extents, expected) in [
            ([180, 180], [192, 192]),
            ([70, 70], [80, 80]),
            ([100, 120], [112, 128]),
            ([60, 60], [64, 64]),
            ([20, 20], [32, 32]),
            ([400, 415], [400, 416]),
        ] {
            let mut moduli = extents.map(crate::offload::power_of_two);
            shorten(&mut moduli, &extents.map(Some), |_| ROWS);
            assert_eq!(moduli, expected, "{extents:?}");
        }
    }
}
