//! How many elements a buffer takes or gives per cycle on the side of the memory.

use crate::hardware::buffers::address::buffer_of;
use crate::hardware::context::Context;
use crate::ids::ArrayId;
use crate::rtl::{Expr, Type};

/// What a fill or a drain moves per cycle: neighbours of one row, of which the first lies in its buffer at a multiple of
/// their number, a power of two. The first and the last beat of a row have elements that are none of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Beat {
    elements: u32,
}

impl Beat {
    /// Of the buffer of an array: as many elements as a word of the memory port holds, if they lie in banks of their own.
    pub fn of(context: &Context, array: ArrayId) -> Beat {
        Beat { elements: context.beats.elements(context.offload, buffer_of(context.offload, array)) }
    }

    /// What fills the buffer of an array in one cycle where that is a line of several beats ([`Beats::filled_line`]).
    pub fn filled_line(context: &Context, array: ArrayId) -> Option<Beat> {
        let line = context.beats.filled_line(context.offload, buffer_of(context.offload, array));
        line.map(|elements| Beat { elements })
    }

    /// The same of what is drained.
    pub fn drained_line(context: &Context, array: ArrayId) -> Option<Beat> {
        let line = context.beats.drained_line(context.offload, buffer_of(context.offload, array));
        line.map(|elements| Beat { elements })
    }

    pub fn elements(self) -> u32 {
        self.elements
    }

    /// log2 of the elements.
    pub fn shift(self) -> u32 {
        self.elements.trailing_zeros()
    }

    /// A beat of elements of `bits` bits, the one with the lowest address in the lowest.
    pub fn data(self, bits: u32) -> Type {
        Type::unsigned(self.elements * bits)
    }

    /// A beat of the buffer of an array.
    pub fn type_of(context: &Context, array: ArrayId) -> Type {
        Beat::of(context, array).data(context.array(array).word_bits())
    }

    /// The elements of a beat of the buffer of an array, which is `masked`, and below them, and above a bit per byte: whether memory
    /// gets it. Both are as wide as a beat of `widest` has them.
    pub fn with_strobes(context: &Context, array: ArrayId, word: &Expr, widest: Type) -> Expr {
        let own = context.array(array);
        let (bits, bytes) = (own.element.bits, Type::unsigned(widest.width / 8));
        if !own.masked {
            return Expr::concat(&[Expr::bit(true).replicate(bytes.width), word.resize(widest)]);
        }
        let elements = 0..Beat::of(context, array).elements;
        let of = |element: u32| {
            let first = element * own.word_bits();
            (word.slice(first + bits - 1, first), word.index(first + bits).replicate(own.element.bytes()))
        };
        let (data, strobes): (Vec<Expr>, Vec<Expr>) = elements.rev().map(of).unzip();
        Expr::concat(&[Expr::concat(&strobes).resize(bytes), Expr::concat(&data).resize(widest)])
    }

    /// The widest of the beats of some arrays, as memory has them.
    pub fn widest(context: &Context, arrays: &[ArrayId]) -> Type {
        let types = arrays.iter().map(|array| Beat::of(context, *array).data(context.array(*array).element.bits));
        types.max_by_key(|ty| ty.width).expect("a transfer moves some array")
    }

    /// The address of the first element of the beat of `address`.
    pub fn begin(self, address: &Expr) -> Expr {
        let number = self.number(address);
        let low = (self.elements > 1).then(|| Expr::constant(0, Type::unsigned(self.shift())));
        Expr::concat(&number.into_iter().chain(low).collect::<Vec<_>>())
    }

    /// Which of a buffer's beats holds the element at `address`; `None` where there is one only.
    fn number(self, address: &Expr) -> Option<Expr> {
        (address.width() > self.shift()).then(|| address.slice(address.width() - 1, self.shift()))
    }

    /// Which beat of its line, of several, the one at `address` is in.
    pub fn place_in_line(self, line: Beat, address: &Expr) -> Expr {
        address.slice(line.shift() - 1, self.shift())
    }

    /// Which element of its beat the one at `address` is; `None` where a beat is one.
    fn place(self, address: &Expr) -> Option<Expr> {
        (self.elements > 1).then(|| address.slice(self.shift() - 1, 0))
    }

    /// The address of the first element behind the beat of `address`, whose row goes on in the lowest `bits` of addresses.
    pub fn next(self, address: &Expr, bits: u32) -> Expr {
        if self.elements == 1 && bits == 0 {
            return address.clone();
        }
        let (bits, width) = (bits.min(address.width()), address.width());
        // Only the residue counts on, so the carry ends there.
        let residue = address.resize(Type::unsigned(bits));
        let number = self.number(&residue).map(|number| number.incremented().resize(number.ty()));
        let high = (bits < width).then(|| address.slice(width - 1, bits));
        let low = (self.elements > 1).then(|| Expr::constant(0, Type::unsigned(self.shift())));
        Expr::concat(&[high, number, low].into_iter().flatten().collect::<Vec<_>>())
    }

    /// Whether the row that goes on at `address`, the first element of its beat that is the row's, ends in this beat; `last`
    /// has the low bits of its last element's address. A row that comes back to its first beat around the buffer's end has
    /// its end there before its begin.
    pub fn is_last(self, address: &Expr, last: &Expr) -> Expr {
        let address = address.resize(last.ty());
        let numbers = self.number(&address).zip(self.number(last)).map(|(one, other)| one.eq(&other));
        let places = self.place(&address).zip(self.place(last)).map(|(one, other)| one.le(&other));
        Expr::all(&numbers.into_iter().chain(places).collect::<Vec<_>>())
    }

    /// How many beats of the row come behind that of `address`, in the type of `last`, which has the low bits of its last
    /// element's address; the row goes on in the lowest `bits` of addresses.
    pub fn left(self, address: &Expr, last: &Expr, bits: u32) -> Expr {
        let number = |of: &Expr| (bits > 0).then(|| self.number(&of.resize(Type::unsigned(bits)))).flatten();
        let left = number(address).zip(number(last)).map(|(own, last)| last.sub(&own, own.ty()));
        left.map_or(Expr::constant(0, last.ty()), |left| left.resize(last.ty()))
    }

    /// A bit per element of the beat that begins, or goes on, at `address`: whether it is the row's. `is_last` and `last` are
    /// those of [`Beat::is_last`].
    pub fn own(self, address: &Expr, is_last: &Expr, last: &Expr) -> Expr {
        let Some((first, last)) = self.place(address).zip(self.place(last)) else { return Expr::bit(true) };
        let constant = |e: u32| Expr::constant(e.into(), first.ty());
        let begun = |e: u32| if e + 1 == self.elements { Expr::bit(true) } else { first.lt(&constant(e + 1)) };
        let ended = |e: u32| if e == 0 { Expr::bit(false) } else { is_last.and(&last.lt(&constant(e))) };
        let bits: Vec<Expr> = (0..self.elements).rev().map(|e| begun(e).and(&ended(e).not())).collect();
        Expr::concat(&bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The walk of a row around the end of its residues, by the addresses of its beats, against the elements one by one.
    #[test]
    fn beats_of_a_row_hold_its_elements() {
        let value = |e: &Expr| e.as_constant().expect("a constant");
        for (elements, bits, width) in [(1, 4, 4), (1, 3, 5), (2, 4, 4), (2, 1, 3), (4, 2, 2), (4, 3, 5), (4, 4, 4)] {
            let beat = Beat { elements };
            let (ty, words, above) = (Type::unsigned(width), 1i128 << bits, (1i128 << width) - (1 << bits));
            for (first, count) in (0..words).flat_map(|first| (1..=words).map(move |count| (first, count))) {
                let last = Expr::constant((first + count - 1) % words, Type::unsigned(bits));
                let mut address = Expr::constant(above + first, ty);
                let mut covered = vec![];
                loop {
                    let is_last = beat.is_last(&address, &last);
                    let own = value(&beat.own(&address, &is_last, &last));
                    let begin = value(&address) / i128::from(elements) * i128::from(elements);
                    covered.extend((0..i128::from(elements)).filter(|e| own >> e & 1 == 1).map(|e| begin + e));
                    if value(&is_last) == 1 {
                        break;
                    }
                    address = beat.next(&address, bits);
                }
                let expected: Vec<i128> = (first..first + count).map(|e| above + e % words).collect();
                assert_eq!(covered, expected, "{count} from {first} on, {elements} a beat");
            }
        }
    }
}
