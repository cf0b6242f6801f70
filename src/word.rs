//! The words in which data cross the accelerator's borders: of the memory port, and of the register map. They are as
//! wide by chance; nothing may take one for the other.

/// A word of the memory port, the unit of its addresses and lengths: what moves per cycle and direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Word {
    /// A power of two.
    bytes: u32,
}

impl Word {
    /// What every link moves per cycle and direction at least, and native controllers always.
    pub const PORT: Word = Word { bytes: 4 };

    /// Of `bits` bits, a power of two, at least 8.
    pub const fn of_bits(bits: u32) -> Word {
        assert!(bits >= 8 && bits.is_power_of_two());
        Word { bytes: bits / 8 }
    }

    pub const fn bytes(self) -> u32 {
        self.bytes
    }

    pub const fn bits(self) -> u32 {
        8 * self.bytes
    }

    /// log2 of the bytes: so many bits has a byte address below the word's.
    pub const fn shift(self) -> u32 {
        self.bytes.trailing_zeros()
    }

    /// Words that hold so many bytes.
    pub const fn holding(self, bytes: u64) -> u64 {
        bytes.div_ceil(self.bytes as u64)
    }
}

/// A word of the register map ([`crate::hardware::status`]), and of the bus that it is reached by.
pub struct RegisterWord;

impl RegisterWord {
    pub const BYTES: u32 = 4;
    pub const BITS: u32 = 8 * RegisterWord::BYTES;
    /// Bits of a word's index.
    pub const INDEX_BITS: u32 = 8;
    /// Bits of the byte address of a word.
    pub const BYTE_ADDRESS_BITS: u32 = RegisterWord::INDEX_BITS + RegisterWord::BYTES.trailing_zeros();

    /// Words that hold so many bits.
    pub const fn holding(bits: u32) -> u32 {
        bits.div_ceil(RegisterWord::BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_their_bytes() {
        for shift in 1..6 {
            let word = Word::of_bits(8 << shift);
            assert_eq!((word.shift(), word.bits()), (shift, 8 << shift));
            for bytes in 0..100 {
                let words = word.holding(bytes);
                assert!(words << shift >= bytes && (words << shift) < bytes + u64::from(word.bytes()), "{bytes}");
            }
        }
    }

    #[test]
    fn registers_of_64_bits_have_two_words() {
        assert_eq!([1, 8, 32, 33, 64].map(RegisterWord::holding), [1, 1, 1, 2, 2]);
        assert_eq!(RegisterWord::BYTE_ADDRESS_BITS, 10);
    }
}
