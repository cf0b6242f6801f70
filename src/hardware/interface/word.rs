//! Signals of the words at the accelerator's borders.

use crate::rtl::{Expr, Type};
use crate::word::{RegisterWord, Word};

impl Word {
    pub fn data(self) -> Type {
        Type::unsigned(self.bits())
    }

    /// A bit per byte, set where it is written.
    pub fn strobe(self) -> Type {
        Type::unsigned(self.bytes())
    }

    /// The strobe of a whole word.
    pub fn all_bytes(self) -> Expr {
        Expr::constant((1 << self.bytes()) - 1, self.strobe())
    }

    /// A byte of a word.
    pub fn offset(self) -> Type {
        Type::unsigned(self.shift())
    }

    /// The address of the word in which the byte at `address` lies.
    pub fn address_of(self, address: &Expr) -> Expr {
        address.slice(address.width() - 1, self.shift())
    }

    /// Which byte of its word the byte at `address` is.
    pub fn offset_of(self, address: &Expr) -> Expr {
        address.slice(self.shift() - 1, 0)
    }
}

impl RegisterWord {
    pub fn data() -> Type {
        Type::unsigned(RegisterWord::BITS)
    }

    /// A word's index.
    pub fn index() -> Type {
        Type::unsigned(RegisterWord::INDEX_BITS)
    }
}
