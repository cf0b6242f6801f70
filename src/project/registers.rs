//! The registers of the arguments, with what people and C programs want to know of them.

use serde::{Deserialize, Serialize};

use crate::hardware;
use crate::source::kernel::{Argument, Kernel};

/// The registers of one argument of the C function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Register {
    /// Name of the argument.
    pub name: String,
    /// Index of the first word on the register bus.
    pub word: u32,
    /// 2 for a scalar of 64 bits, low word first; otherwise 1.
    pub words: u32,
    /// Whether the argument is an array, and the register its byte address.
    pub base: bool,
    /// Type of the register in C.
    pub c_type: String,
}

/// The argument registers in the order of the C prototype.
pub fn registers(kernel: &Kernel) -> Vec<Register> {
    let register = |(argument, word, words): (Argument, u32, u32)| {
        let (name, base, c_type) = match argument {
            Argument::Parameter(p) => (&kernel.parameters[p].name, false, "uint32_t".to_string()),
            Argument::Scalar(s) => (&kernel.scalars[s].name, false, kernel.scalars[s].ty.to_string()),
            Argument::Array(a) => (&kernel.arrays[a].name, true, "uint32_t".to_string()),
        };
        Register { name: name.clone(), word, words, base, c_type }
    };
    hardware::argument_words(kernel).into_iter().map(register).collect()
}
