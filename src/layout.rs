//! Where the cells of an array lie in memory. All of the house asks here: addresses of bursts and of single accesses, which
//! cells are neighbours, which rows follow each other, how much memory an array takes, and where the simulation, the C
//! program and the driver find a cell.

use serde::{Deserialize, Serialize};

use crate::affine::{Affine, AffineOver, Variable};

/// Arrays start at multiples of this many bytes where burstc places them, so that equal indices of all arrays meet in one
/// bank.
pub const PAGE_BYTES: u64 = 4096;

/// The order of an array's cells in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// C's: the last subscript counts fastest.
    #[default]
    RowMajor,
    /// Fortran's: the first one does. No analysis chooses it; with it, tests hold the house to asking [`Layout`].
    ColumnMajor,
}

/// The layout of one array, with `R` for extents: over the size parameters, or numbers. The place of a cell, counted in
/// elements from the array's base, is the number with these digits.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout<R = Affine> {
    pub element_bytes: u32,
    /// The most significant one first; none for a scalar.
    pub digits: Vec<Digit<R>>,
}

/// A digit is a subscript, 0 to `radix - 1`. Subscripts that are no digit tell instances apart that share a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Digit<R = Affine> {
    /// Index among those of the array's accesses.
    pub subscript: usize,
    pub radix: R,
}

impl<R: Clone> Layout<R> {
    /// The subscripts from `first` on, with their extents, in the order `order`.
    pub fn new(order: Order, element_bytes: u32, first: usize, extents: &[R]) -> Layout<R> {
        let digit = |(k, radix): (usize, &R)| Digit { subscript: first + k, radix: radix.clone() };
        let mut digits: Vec<Digit<R>> = extents.iter().enumerate().map(digit).collect();
        if order == Order::ColumnMajor {
            digits.reverse();
        }
        Layout { element_bytes, digits }
    }

    /// The same with other extents.
    pub fn map<S>(&self, radix: impl Fn(&R) -> S) -> Layout<S> {
        let digit = |d: &Digit<R>| Digit { subscript: d.subscript, radix: radix(&d.radix) };
        Layout { element_bytes: self.element_bytes, digits: self.digits.iter().map(digit).collect() }
    }

    /// What C has for the same subscripts.
    pub fn in_c(&self) -> Layout<R> {
        let mut layout = self.clone();
        layout.digits.sort_by_key(|digit| digit.subscript);
        layout
    }

    /// The place of a cell by Horner's rule, `step` being `outer * radix + digit`; `None` for a scalar.
    pub fn place<T>(&self, subscript: impl Fn(usize) -> T, step: impl Fn(T, &R, T) -> T) -> Option<T> {
        let (first, others) = self.digits.split_first()?;
        let first = subscript(first.subscript);
        Some(others.iter().fold(first, |outer, digit| step(outer, &digit.radix, subscript(digit.subscript))))
    }

    /// The subscript whose neighbours are neighbours in memory.
    pub fn innermost(&self) -> Option<usize> {
        self.digits.last().map(|digit| digit.subscript)
    }

    /// Elements from a row to the one that follows it, where that is more than rows of the whole array: the extent of the
    /// innermost subscript.
    pub fn pitch(&self) -> Option<&R> {
        self.digits.get(1..)?.last().map(|digit| &digit.radix)
    }
}

impl<R: Clone> Layout<R> {
    /// Whether the cells at `point` lie side by side as `level` counts up.
    pub fn is_row<V: Variable>(&self, point: &[AffineOver<V>], level: &V::Key) -> bool {
        let Some(innermost) = self.innermost() else { return false };
        let steps = point.iter().enumerate().map(|(k, subscript)| (k, subscript.coefficient(level)));
        steps.into_iter().all(|(k, step)| step == i64::from(k == innermost))
    }

    /// Whether the cells at `point` move by a pitch as `level` counts up.
    pub fn is_next_row<V: Variable>(&self, point: &[AffineOver<V>], level: &V::Key) -> bool {
        let [.., row, _] = &self.digits[..] else { return false };
        let steps = point.iter().enumerate().map(|(k, subscript)| (k, subscript.coefficient(level)));
        steps.into_iter().all(|(k, step)| step == i64::from(k == row.subscript))
    }
}

impl Layout {
    /// The bytes of the array as a product in C: `4 * (N) * (M + 1)`, with `element` for the first factor and what
    /// `extent` makes of extents for the others.
    pub fn bytes_text(&self, element: String, extent: impl Fn(&Affine) -> String) -> String {
        let extents = self.in_c().digits.into_iter().map(|digit| extent(&digit.radix));
        std::iter::once(element).chain(extents).collect::<Vec<_>>().join(" * ")
    }
}

/// At sizes.
impl Layout<u64> {
    /// Too many to count are `u128::MAX`.
    pub fn bytes(&self) -> u128 {
        let bytes = |bytes: u128, digit: &Digit<u64>| bytes.saturating_mul(digit.radix.into());
        self.digits.iter().fold(self.element_bytes.into(), bytes)
    }

    /// Bytes from the base to the cell.
    pub fn offset(&self, subscript: impl Fn(usize) -> u64) -> u64 {
        let place = self.place(subscript, |outer, radix, digit| outer * radix + digit);
        place.unwrap_or(0) * u64::from(self.element_bytes)
    }

    /// The subscripts of the cell that holds the byte at `offset` from the base, without those that are no digit.
    pub fn subscripts(&self, offset: u64) -> Vec<u64> {
        let mut rest = offset / u64::from(self.element_bytes);
        let mut found: Vec<(usize, u64)> = vec![];
        for digit in self.digits.iter().rev() {
            found.push((digit.subscript, rest % digit.radix));
            rest /= digit.radix;
        }
        found.sort_unstable();
        found.into_iter().map(|(_, value)| value).collect()
    }
}

/// `bytes`, and what is left to the next multiple of [`PAGE_BYTES`].
pub fn whole_pages(bytes: u128) -> u128 {
    bytes.div_ceil(PAGE_BYTES.into()).saturating_mul(PAGE_BYTES.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against C's own arrays, by counting.
    #[test]
    fn cells_lie_where_loops_find_them() {
        let extents = [3u64, 4, 5];
        for order in [Order::RowMajor, Order::ColumnMajor] {
            let layout = Layout::new(order, 2, 1, &extents);
            let mut offset = 0;
            let mut loops = [0u64; 3];
            let inner = |place: usize| if order == Order::RowMajor { 2 - place } else { place };
            loop {
                // Subscript 0 tells instances apart.
                assert_eq!(layout.offset(|k| if k == 0 { 7 } else { loops[k - 1] }), offset, "{order:?} {loops:?}");
                assert_eq!(layout.subscripts(offset + 1), loops);
                offset += 2;
                let Some(counts) = (0..3).map(inner).find(|&k| loops[k] + 1 < extents[k]) else { break };
                (0..3).map(inner).take_while(|&k| k != counts).for_each(|k| loops[k] = 0);
                loops[counts] += 1;
            }
            assert_eq!(u128::from(offset), layout.bytes());
            assert_eq!(layout.in_c(), Layout::new(Order::RowMajor, 2, 1, &extents));
        }
    }

    #[test]
    fn neighbours_and_rows_that_follow() {
        let [n, i, j] = ["N", "i", "j"].map(Affine::variable);
        let point = [i.clone() + Affine::constant(1), j.clone()];
        let of = |order| Layout::new(order, 4, 0, &[n.clone(), n.clone() * 2]);
        let (rows, columns) = (of(Order::RowMajor), of(Order::ColumnMajor));
        for (layout, inner, outer) in [(&rows, "j", "i"), (&columns, "i", "j")] {
            assert!(layout.is_row(&point, inner) && !layout.is_row(&point, outer));
            assert!(layout.is_next_row(&point, outer) && !layout.is_next_row(&point, inner));
            assert!(!layout.is_row(&[i.clone() + j.clone(), j.clone() + i.clone()], inner));
            assert!(!layout.is_row(&[i.clone() * 2, j.clone() * 2], inner));
        }
        assert_eq!((rows.pitch(), columns.pitch()), (Some(&(n.clone() * 2)), Some(&n)));
        assert_eq!(columns.bytes_text("4".into(), |e| format!("({e})")), "4 * (N) * (2*N)");
        let scalar = Layout::<Affine>::new(Order::RowMajor, 8, 0, &[]);
        assert!(!scalar.is_row::<String>(&[], "i") && scalar.pitch().is_none());
        assert_eq!(scalar.map(|_| 0).bytes(), 8);
    }
}
