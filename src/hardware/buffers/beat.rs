//! How many elements a buffer takes or gives per cycle on the side of the memory.

use crate::rtl::{Expr, Type};

/// What a fill or a drain moves per cycle: neighbours of one row, of which the first lies in its buffer at a multiple of
/// their number, a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    elements: u32,
}

impl Beat {
    pub const ELEMENT: Beat = Beat { elements: 1 };
    /// Of every transfer. Buffers and packing cells are made for one element.
    pub const OF_TRANSFERS: Beat = Beat::ELEMENT;

    pub const fn elements(self) -> u32 {
        self.elements
    }

    fn shift(self) -> u32 {
        self.elements.trailing_zeros()
    }

    /// A beat of elements of `bits` bits, the one with the lowest address in the lowest.
    pub fn data(self, bits: u32) -> Type {
        Type::unsigned(self.elements * bits)
    }

    /// Whether a row whose addresses differ in their low `bits` only is one beat at most.
    pub fn covers(self, bits: u32) -> bool {
        bits <= self.shift()
    }

    /// Which of a buffer's beats holds the element at `address`.
    pub fn number(self, address: &Expr) -> Expr {
        address.slice(address.width() - 1, self.shift())
    }

    /// The address of the first element behind the beat of `address`.
    pub fn next(self, address: &Expr) -> Expr {
        let after = self.number(address).incremented();
        after.resize(address.ty()).shl_const(self.shift(), address.ty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The walk of a row, by the addresses of its beats, against the elements one by one.
    #[test]
    fn beats_of_a_row_hold_its_elements() {
        let ty = Type::unsigned(5);
        let value = |e: &Expr| e.as_constant().expect("a constant");
        for elements in [1, 2, 4] {
            let beat = Beat { elements };
            for (first, last) in (0..32).flat_map(|first| (first..32).map(move |last| (first, last))) {
                let mut address = Expr::constant(first, ty);
                let mut covered = vec![];
                loop {
                    let number = value(&beat.number(&address));
                    let own = number * i128::from(elements)..(number + 1) * i128::from(elements);
                    covered.extend(own.filter(|e| (value(&address)..=last).contains(e)));
                    if number == value(&beat.number(&Expr::constant(last, ty))) {
                        break;
                    }
                    address = beat.next(&address);
                }
                assert_eq!(covered, (first..=last).collect::<Vec<_>>(), "{elements} a beat");
            }
        }
    }
}
