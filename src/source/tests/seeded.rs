//! Random choices for tests that write programs: the same ones on every run.

use std::marker::PhantomData;

/// xorshift64*. `Program` tells apart what the tests make of it.
pub struct Random<Program>(u64, PhantomData<Program>);

impl<Program> Random<Program> {
    pub fn new(seed: u64) -> Self {
        Random(seed | 1, PhantomData)
    }

    /// Less than `count`.
    pub fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % count
    }

    pub fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}
