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
    /// By tiles: the last subscript is cut into slices, and each slice has all of its rows one behind the other, as C has an
    /// array of so many columns. The first and the last slice are as wide as the others: they have places that are no
    /// cell's. What a tile has of a slice is one run.
    Slices(Slices),
}

/// How a subscript is cut: `x` is in slice `(x + lead) / width`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slices {
    /// The columns of a slice, at least 1.
    pub width: u32,
    /// Those of the first slice that no cell is in, less than its width.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lead: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// How the last subscript of an array counts where cells along a diagonal have the same one: it is C's, plus `step` times the subscript
/// before it, plus what keeps it from being negative. The cells lie in memory as C has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slant<R = Affine> {
    /// Not 0.
    pub step: i64,
    /// By how much the last subscript has more values than C's: `|step| * (rows - 1)`.
    pub reach: R,
}

/// The layout of one array, with `R` for extents: over the size parameters, or numbers. The place of a cell, counted in
/// elements from the array's base, is the number with these digits.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout<R = Affine> {
    pub element_bytes: u32,
    /// The most significant one first; none for a scalar.
    pub digits: Vec<Digit<R>>,
    /// Where the last digit is not its subscript itself; the one before it is of the subscript before then.
    pub slant: Option<Slant<R>>,
}

/// A digit is a subscript, 0 to `radix - 1`, or a part of one. Subscripts that are no digit tell instances apart that share a
/// place.
#[derive(Clone, Debug, PartialEq)]
pub struct Digit<R = Affine> {
    /// Index among those of the array's accesses.
    pub subscript: usize,
    pub part: Part,
    /// Of [`Part::Slice`], which is the most significant digit if any, the subscript's extent: Horner's rule multiplies by the
    /// radices of the others.
    pub radix: R,
}

/// What of its subscript a digit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// Which slice.
    Slice(Slices),
    /// Where in its slice.
    InSlice(Slices),
}

impl Part {
    /// The digit of a subscript, which is not negative.
    pub fn of(self, subscript: u64) -> u64 {
        match self {
            Part::Whole => subscript,
            Part::Slice(Slices { width, lead }) => (subscript + u64::from(lead)) / u64::from(width),
            Part::InSlice(Slices { width, lead }) => (subscript + u64::from(lead)) % u64::from(width),
        }
    }
}

impl<R: Clone + From<u32>> Layout<R> {
    /// The subscripts from `first` on, with their extents, in the order `order`.
    pub fn new(order: Order, element_bytes: u32, first: usize, extents: &[R]) -> Layout<R> {
        let digit = |(k, radix): (usize, &R)| Digit { subscript: first + k, part: Part::Whole, radix: radix.clone() };
        let mut digits: Vec<Digit<R>> = extents.iter().enumerate().map(digit).collect();
        match order {
            Order::RowMajor => {}
            Order::ColumnMajor => digits.reverse(),
            Order::Slices(slices) => {
                if let Some(last) = digits.pop() {
                    digits.push(Digit { part: Part::InSlice(slices), radix: R::from(slices.width), ..last });
                    digits.insert(0, Digit { part: Part::Slice(slices), ..last });
                }
            }
        }
        Layout { element_bytes, digits, slant: None }
    }
}

impl<R: Clone> Layout<R> {
    /// The same with other extents.
    pub fn map<S>(&self, radix: impl Fn(&R) -> S) -> Layout<S> {
        let digit = |d: &Digit<R>| Digit { subscript: d.subscript, part: d.part, radix: radix(&d.radix) };
        let slant = self.slant.as_ref().map(|slant| Slant { step: slant.step, reach: radix(&slant.reach) });
        Layout { element_bytes: self.element_bytes, digits: self.digits.iter().map(digit).collect(), slant }
    }

    /// What C has for its subscripts.
    pub fn in_c(&self) -> Layout<R> {
        let mut layout = Layout { slant: None, ..self.clone() };
        layout.digits.retain(|digit| !matches!(digit.part, Part::InSlice(_)));
        layout.digits.iter_mut().for_each(|digit| digit.part = Part::Whole);
        layout.digits.sort_by_key(|digit| digit.subscript);
        layout
    }

    /// Whether a digit is its subscript, less `step` times the one before and what is added to that.
    fn slant_of(&self, digit: &Digit<R>) -> Option<&Slant<R>> {
        self.slant.as_ref().filter(|_| self.digits.last().is_some_and(|last| last.subscript == digit.subscript))
    }

    /// How the last subscript is cut, where it is.
    pub fn slices(&self) -> Option<Slices> {
        self.digits.iter().find_map(|digit| match digit.part {
            Part::InSlice(slices) => Some(slices),
            _ => None,
        })
    }

    /// The place of a cell by Horner's rule, `step` being `outer * radix + digit`; `None` for a scalar.
    pub fn place<T>(&self, value: impl Fn(&Digit<R>) -> T, step: impl Fn(T, &R, T) -> T) -> Option<T> {
        let (first, others) = self.digits.split_first()?;
        Some(others.iter().fold(value(first), |outer, digit| step(outer, &digit.radix, value(digit))))
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
    /// Whether the cells at `point` lie side by side as `level` counts up; `parts` are the digits of the place where some are
    /// parts of subscripts ([`Layout::slices`]), and else not looked at.
    pub fn is_row<V: Variable>(&self, point: &[AffineOver<V>], parts: &[AffineOver<V>], level: &V::Key) -> bool {
        let Some(innermost) = self.innermost() else { return false };
        match self.slices() {
            Some(_) => counts_alone(parts, parts.len().checked_sub(1), level),
            None => counts_alone(point, Some(innermost), level),
        }
    }

    /// Whether the cells at `point` move by a pitch as `level` counts up; `parts` as there.
    pub fn is_next_row<V: Variable>(&self, point: &[AffineOver<V>], parts: &[AffineOver<V>], level: &V::Key) -> bool {
        let [.., row, _] = &self.digits[..] else { return false };
        match (self.slices(), &self.slant) {
            (Some(_), _) => counts_alone(parts, parts.len().checked_sub(2), level),
            (None, None) => counts_alone(point, Some(row.subscript), level),
            (None, Some(slant)) => point.iter().enumerate().all(|(k, value)| {
                let follows = if k == row.subscript + 1 { slant.step } else { i64::from(k == row.subscript) };
                value.coefficient(level) == follows
            }),
        }
    }
}

impl<V: Variable> Layout<AffineOver<V>> {
    /// A digit that is no part of its subscript, of the cell at `point`.
    pub fn digit(&self, digit: &Digit<AffineOver<V>>, point: &[AffineOver<V>]) -> AffineOver<V> {
        let own = point[digit.subscript].clone();
        let Some(Slant { step, reach }) = self.slant_of(digit) else { return own };
        let upright = own - point[digit.subscript - 1].clone() * *step;
        if *step < 0 { upright - reach.clone() } else { upright }
    }

    /// What a digit's subscript stays below.
    pub fn extent(&self, digit: &Digit<AffineOver<V>>) -> AffineOver<V> {
        match self.slant_of(digit) {
            Some(slant) => digit.radix.clone() + slant.reach.clone(),
            None => digit.radix.clone(),
        }
    }
}

/// Whether value number `which` counts with `level`, and no other moves with it.
fn counts_alone<V: Variable>(values: &[AffineOver<V>], which: Option<usize>, level: &V::Key) -> bool {
    let steps = values.iter().enumerate().map(|(k, value)| (k, value.coefficient(level)));
    which.is_some() && steps.into_iter().all(|(k, step)| step == i64::from(Some(k) == which))
}

impl Layout {
    /// The bytes of the array as a product in C: `4 * (N) * (M + 1)`, with `element` for the first factor and what
    /// `extent` makes of extents for the others. Of slices the last extent is rounded up: `(M + 1 + 31) / 32 * 32`.
    pub fn bytes_text(&self, element: String, extent: impl Fn(&Affine) -> String) -> String {
        let mut extents: Vec<String> = self.in_c().digits.into_iter().map(|digit| extent(&digit.radix)).collect();
        if let (Some(Slices { width, lead }), Some(last)) = (self.slices(), extents.last_mut()) {
            *last = format!("(({last} + {}) / {width} * {width})", lead + width - 1);
        }
        std::iter::once(element).chain(extents).collect::<Vec<_>>().join(" * ")
    }
}

/// At sizes.
impl Layout<u64> {
    /// Too many to count are `u128::MAX`.
    pub fn bytes(&self) -> u128 {
        let values = |digit: &Digit<u64>| match digit.part {
            // Of no columns there are no slices.
            Part::Slice(_) if digit.radix == 0 => 0,
            Part::Slice(Slices { width, lead }) => digit.radix.saturating_add(lead.into()).div_ceil(width.into()),
            _ => digit.radix,
        };
        let bytes = |bytes: u128, digit: &Digit<u64>| bytes.saturating_mul(values(digit).into());
        self.digits.iter().fold(self.element_bytes.into(), bytes)
    }

    /// Bytes from the base to the cell.
    pub fn offset(&self, subscript: impl Fn(usize) -> u64) -> u64 {
        let value = |digit: &Digit<u64>| {
            let own = subscript(digit.subscript);
            match self.slant_of(digit) {
                Some(slant) => own.wrapping_sub(slant.of(subscript(digit.subscript - 1))),
                None => digit.part.of(own),
            }
        };
        let place = self.place(value, |outer, radix, digit| outer * radix + digit);
        place.unwrap_or(0) * u64::from(self.element_bytes)
    }

    /// The subscripts of the cell that holds the byte at `offset` from the base, without those that are no digit. What they are
    /// where there is no cell ([`Layout::is_cell`]) is not said.
    pub fn subscripts(&self, offset: u64) -> Vec<u64> {
        let mut rest = offset / u64::from(self.element_bytes);
        let mut found: std::collections::BTreeMap<usize, u64> = Default::default();
        for digit in self.digits.iter().rev() {
            let value = found.entry(digit.subscript).or_default();
            match digit.part {
                Part::Slice(Slices { width, lead }) => {
                    *value = (*value + rest * u64::from(width)).wrapping_sub(lead.into());
                }
                Part::Whole | Part::InSlice(_) => {
                    *value += rest % digit.radix;
                    rest /= digit.radix;
                }
            }
        }
        if let (Some(slant), Some(digit)) = (&self.slant, self.digits.last()) {
            let before = found.get(&(digit.subscript - 1)).copied().unwrap_or(0);
            found.entry(digit.subscript).and_modify(|own| *own = own.wrapping_add(slant.of(before)));
        }
        found.into_values().collect()
    }

    /// Whether the place at `offset` from the base is a cell's, and none in the first or last slice that has no cell.
    pub fn is_cell(&self, offset: u64) -> bool {
        let subscripts = self.subscripts(offset);
        self.in_c().digits.iter().zip(subscripts).all(|(digit, subscript)| subscript < digit.radix)
    }
}

impl Slant<u64> {
    /// What the last subscript has over C's in this row.
    fn of(&self, row: u64) -> u64 {
        let origin = if self.step < 0 { self.reach } else { 0 };
        row.wrapping_mul(self.step as u64).wrapping_add(origin)
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

    /// Against C's own array, by counting: its last subscript is the one that counts along a diagonal, less the row's part.
    #[test]
    fn slants_leave_cells_where_c_has_them() {
        for (rows, columns, step) in [(4u64, 5u64, 2i64), (4, 5, -1), (3, 2, 3), (5, 1, -2), (1, 4, -3)] {
            let reach = step.unsigned_abs() * (rows - 1);
            let upright = Layout::new(Order::RowMajor, 4, 0, &[2, rows, columns]);
            let layout = Layout { slant: Some(Slant { step, reach }), ..upright.clone() };
            let mut offset = 0;
            for (plane, i, j) in
                (0..2).flat_map(|p| (0..rows).flat_map(move |i| (0..columns).map(move |j| (p, i as i64, j as i64))))
            {
                let y = j + step * i + if step < 0 { reach as i64 } else { 0 };
                assert!((0..(columns + reach) as i64).contains(&y), "{step}: {i} {j}");
                let cell = [plane, i as u64, y as u64];
                assert_eq!((layout.offset(|k| cell[k]), layout.subscripts(offset)), (offset, cell.to_vec()), "{step}");
                offset += 4;
            }
            assert_eq!((u128::from(offset), layout.in_c()), (layout.bytes(), upright));
        }
        // A row lies along the last subscript; the next one begins a step further, in C at the same column.
        let [n, i, y] = ["N", "i", "y"].map(Affine::variable);
        let upright = Layout::new(Order::RowMajor, 4, 0, &[n.clone(), n.clone()]);
        let layout =
            Layout { slant: Some(Slant { step: -2, reach: (n.clone() - Affine::constant(1)) * 2 }), ..upright };
        assert!(layout.is_row(&[i.clone(), y.clone()], &[], "y") && !layout.is_row(&[i.clone(), y.clone()], &[], "i"));
        assert!(layout.is_next_row(&[i.clone(), y.clone() - i.clone() * 2], &[], "i"));
        assert!(!layout.is_next_row(&[i.clone(), y.clone()], &[], "i"));
        let column = layout.digit(&layout.digits[1], &[i.clone(), y.clone()]);
        assert_eq!(column, y + i * 2 - (n.clone() - Affine::constant(1)) * 2);
        assert_eq!(layout.extent(&layout.digits[1]), n * 3 - Affine::constant(2));
    }

    /// Against an array of slices in C, `int16_t a[slices][rows][width]`, by counting.
    #[test]
    fn slices_lie_one_behind_the_other() {
        for (columns, width, lead) in
            [(5u64, 2u32, 0u32), (4, 4, 0), (7, 3, 1), (1, 8, 7), (9, 4, 3), (2, 1, 0), (0, 4, 3)]
        {
            let slices = Slices { width, lead };
            let layout = Layout::new(Order::Slices(slices), 2, 0, &[3, 2, columns]);
            let wide = u64::from(width);
            let (mut offset, mut cells) = (0, 0);
            for slice in 0..if columns == 0 { 0 } else { (columns + u64::from(lead)).div_ceil(wide) } {
                for (i, j) in (0..3).flat_map(|i| (0..2).map(move |j| (i, j))) {
                    for own in 0..wide {
                        let column = (slice * wide + own).checked_sub(lead.into()).filter(|column| *column < columns);
                        assert_eq!(layout.is_cell(offset), column.is_some());
                        if let Some(column) = column {
                            let cell = [i, j, column];
                            assert_eq!(layout.offset(|k| cell[k]), offset, "{columns} {slices:?} {cell:?}");
                            assert_eq!(layout.subscripts(offset + 1), cell);
                        }
                        cells += u64::from(column.is_some());
                        offset += 2;
                    }
                }
            }
            assert_eq!((u128::from(offset), cells), (layout.bytes(), 6 * columns));
            assert_eq!(layout.in_c(), Layout::new(Order::RowMajor, 2, 0, &[3, 2, columns]));
            assert_eq!((layout.slices(), layout.pitch()), (Some(slices), Some(&wide)));
        }
        let [n, m] = ["N", "M"].map(Affine::variable);
        let layout = Layout::new(Order::Slices(Slices { width: 32, lead: 2 }), 4, 0, &[n, m]);
        assert_eq!(layout.bytes_text("4".into(), |e| format!("({e})")), "4 * (N) * (((M) + 33) / 32 * 32)");
    }

    #[test]
    fn neighbours_and_rows_that_follow() {
        let [n, i, j] = ["N", "i", "j"].map(Affine::variable);
        let point = [i.clone() + Affine::constant(1), j.clone()];
        let of = |order| Layout::new(order, 4, 0, &[n.clone(), n.clone() * 2]);
        let (rows, columns) = (of(Order::RowMajor), of(Order::ColumnMajor));
        for (layout, inner, outer) in [(&rows, "j", "i"), (&columns, "i", "j")] {
            assert!(layout.is_row(&point, &[], inner) && !layout.is_row(&point, &[], outer));
            assert!(layout.is_next_row(&point, &[], outer) && !layout.is_next_row(&point, &[], inner));
            assert!(!layout.is_row(&[i.clone() + j.clone(), j.clone() + i.clone()], &[], inner));
            assert!(!layout.is_row(&[i.clone() * 2, j.clone() * 2], &[], inner));
        }
        assert_eq!((rows.pitch(), columns.pitch()), (Some(&(n.clone() * 2)), Some(&n)));
        assert_eq!(columns.bytes_text("4".into(), |e| format!("({e})")), "4 * (N) * (2*N)");
        let scalar = Layout::<Affine>::new(Order::RowMajor, 8, 0, &[]);
        assert!(!scalar.is_row::<String>(&[], &[], "i") && scalar.pitch().is_none());
        // Side by side is what is side by side in one slice.
        let slices = of(Order::Slices(Slices { width: 8, lead: 0 }));
        let slice = Affine::variable("slice");
        let point = [i.clone(), slice.clone() * 8 + j.clone()];
        let parts = [slice.clone(), i.clone(), j.clone()];
        assert!(slices.is_row(&point, &parts, "j") && slices.is_next_row(&point, &parts, "i"));
        assert!(!slices.is_row(&point, &parts, "slice") && !slices.is_next_row(&point, &parts, "slice"));
        assert!(!slices.is_row(&point, &[], "j"));
        assert_eq!(scalar.map(|_| 0).bytes(), 8);
    }
}
