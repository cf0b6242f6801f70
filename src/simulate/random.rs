//! Deterministic random data: the same seed gives the same bytes on every machine.

use std::fmt;

use crate::simulate::number::Number;
use crate::source::kernel::ScalarType;

/// The closed interval from which random data are drawn; not empty. Of integers, its ends are whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub low: Number,
    pub high: Number,
}

impl Range {
    pub fn whole(low: i128, high: i128) -> Range {
        Range { low: Number::Whole(low), high: Number::Whole(high) }
    }

    /// What two ranges of integers have in common.
    pub fn and(self, other: Range) -> Option<Range> {
        let (low, high) = (self.low.whole()?.max(other.low.whole()?), self.high.whole()?.min(other.high.whole()?));
        (low <= high).then_some(Range::whole(low, high))
    }
}

/// Prints `LOW..HIGH`, as `--data` takes it.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.low, self.high)
    }
}

/// Has the elements rise, from the smallest of `range` to the largest.
pub fn sort(range: Range, ty: ScalarType, bytes: &mut [u8]) {
    let size = ty.bytes() as usize;
    let value = |bytes: &[u8]| {
        let mut wide = [if ty.signed && bytes.last().is_some_and(|byte| byte >> 7 == 1) { 0xff } else { 0 }; 16];
        wide[..size].copy_from_slice(bytes);
        i128::from_le_bytes(wide)
    };
    let mut values: Vec<i128> = bytes.chunks_exact(size).map(value).collect();
    values.sort_unstable();
    if let (Some(low), Some(high), [first, .., last]) = (range.low.whole(), range.high.whole(), &mut values[..]) {
        (*first, *last) = (low, high);
    }
    for (element, value) in bytes.chunks_exact_mut(size).zip(values) {
        element.copy_from_slice(&value.to_le_bytes()[..size]);
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    /// A stream of its own for every `name`, so that one more argument does not change the data of the others.
    pub fn named(seed: u64, name: &str) -> Self {
        // FNV-1a.
        let hash =
            name.bytes().fold(0xcbf2_9ce4_8422_2325, |h: u64, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        let mut mixed = SplitMix(seed ^ hash);
        SplitMix(mixed.draw())
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A value of `range`, whose ends are values of 64-bit types.
    pub fn draw_from(&mut self, range: Range) -> i128 {
        let end = |number: Number| number.whole().expect("ranges of integers have whole ends");
        let (low, high) = (end(range.low), end(range.high));
        let count = (high - low + 1) as u128;
        // The upper half of the product is uniform but for one part in 2^64 / count.
        low + ((u128::from(self.draw()) * count) >> 64) as i128
    }

    /// Little-endian elements of `element_bytes` each, with values of `range`.
    pub fn fill_from(&mut self, range: Range, element_bytes: usize, bytes: &mut [u8]) {
        for element in bytes.chunks_mut(element_bytes) {
            let word = self.draw_from(range).to_le_bytes();
            element.copy_from_slice(&word[..element.len()]);
        }
    }

    /// The bits of a floating-point number: of `range`, or of either sign and of magnitude 1/16 to 16.
    pub fn draw_float(&mut self, range: Option<Range>, ty: ScalarType) -> u64 {
        let word = self.draw();
        // 53 bits: a number from 0 to below 1.
        let fraction = (word >> 11) as f64 / (1u64 << 53) as f64;
        let value = match range {
            Some(Range { low, high }) => {
                let (low, high) = (low.value(), high.value());
                (low + fraction * (high - low)).clamp(low, high)
            }
            None => {
                let magnitude = (1.0 + fraction) * f64::powi(2.0, (word >> 1 & 7) as i32 - 4);
                if word & 1 == 0 { magnitude } else { -magnitude }
            }
        };
        match ty.bits {
            32 => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        }
    }

    /// Little-endian floating-point numbers as [`SplitMix::draw_float`] gives them.
    pub fn fill_floats(&mut self, range: Option<Range>, ty: ScalarType, bytes: &mut [u8]) {
        for element in bytes.chunks_mut(ty.bytes() as usize) {
            let word = self.draw_float(range, ty).to_le_bytes();
            element.copy_from_slice(&word[..element.len()]);
        }
    }

    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let word = self.draw().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_published_sequence() {
        // The reference values for seed 1234567.
        let mut r = SplitMix(1234567);
        assert_eq!(r.draw(), 6457827717110365317);
        assert_eq!(r.draw(), 3203168211198807973);
    }

    #[test]
    fn ranges_are_kept_and_their_ends_reached() {
        let mut random = SplitMix::named(1, "a");
        let range = Range::whole(-2, 2);
        let mut drawn = [0; 5];
        (0..1000).for_each(|_| drawn[(random.draw_from(range) + 2) as usize] += 1);
        assert!(drawn.iter().all(|count| *count > 100), "{drawn:?}");
        for (low, high) in [(i64::MIN.into(), i64::MAX.into()), (0, u64::MAX.into()), (7, 7)] {
            let range = Range::whole(low, high);
            assert!((0..100).all(|_| (low..=high).contains(&random.draw_from(range))), "{range}");
        }
        let mut bytes = [0; 12];
        random.fill_from(Range::whole(-300, -300), 4, &mut bytes);
        assert!(bytes.chunks(4).all(|element| element == (-300i32).to_le_bytes()));
    }

    #[test]
    fn floating_point_numbers_are_finite_and_of_their_range() {
        let mut random = SplitMix::named(1, "a");
        let range = Some(Range::whole(-3, 5));
        for ty in [ScalarType::FLOAT, ScalarType::DOUBLE] {
            let mut bytes = [0; 8000];
            let values = |bytes: &[u8]| -> Vec<f64> {
                match ty.bits {
                    32 => bytes.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap()).into()).collect(),
                    _ => bytes.chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect(),
                }
            };
            random.fill_floats(None, ty, &mut bytes);
            assert!(values(&bytes).iter().all(|v| (1.0 / 16.0..16.0).contains(&v.abs())));
            assert!(values(&bytes).iter().any(|v| *v < -1.0) && values(&bytes).iter().any(|v| *v > 1.0));
            random.fill_floats(range, ty, &mut bytes);
            assert!(values(&bytes).iter().all(|v| (-3.0..=5.0).contains(v)));
            assert!(values(&bytes).iter().any(|v| *v < -2.9) && values(&bytes).iter().any(|v| *v > 4.9));
            let narrow = Range { low: Number::Decimal(0.25), high: Number::Decimal(0.5) };
            random.fill_floats(Some(narrow), ty, &mut bytes);
            assert!(values(&bytes).iter().all(|v| (0.25..=0.5).contains(v)));
        }
    }

    #[test]
    fn names_have_streams_of_their_own() {
        let (mut a, mut b) = ([0; 13], [0; 13]);
        SplitMix::named(1, "a").fill(&mut a);
        SplitMix::named(1, "b").fill(&mut b);
        assert_ne!(a, b);
        SplitMix::named(1, "a").fill(&mut b);
        assert_eq!(a, b);
    }
}
