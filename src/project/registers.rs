//! The registers of the arguments and local arrays, with what people and C programs want to know of them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::hardware;
use crate::host;
use crate::source::kernel::{Argument, Kernel, Storage};

/// The registers of one argument of the C function, or of the place of a local array.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Register {
    /// Name of the argument or array.
    pub name: String,
    /// What stands for it in the C header's macros, between the kernel's name and `ARG` or `BASE`: no two have the same.
    #[serde(default)]
    pub symbol: String,
    /// Index of the first word on the register bus.
    pub word: u32,
    /// 2 for a scalar or size of 64 bits, low word first; otherwise 1.
    pub words: u32,
    /// Whether it is an array, and the register its byte address.
    pub base: bool,
    /// Bytes that a local array takes in memory, in C over the sizes; absent for arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_bytes: Option<String>,
    /// The value that the host computes for it, in C, for people; absent for arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed: Option<String>,
    /// Type of the register in C.
    pub c_type: String,
}

/// The argument registers in the order of the C prototype, then those of the host's values, then those of the local arrays.
pub fn registers(kernel: &Kernel) -> Vec<Register> {
    let mut symbols = BTreeSet::new();
    let register = |(argument, word, words): (Argument, u32, u32)| {
        let (name, base, c_type) = match argument {
            Argument::Parameter(p) => (&kernel.parameters[p].name, false, kernel.parameters[p].ty.to_string()),
            Argument::Scalar(s) if kernel.scalars[s].boolean => (&kernel.scalars[s].name, false, "bool".to_string()),
            Argument::Scalar(s) => (&kernel.scalars[s].name, false, kernel.scalars[s].ty.to_string()),
            Argument::Array(a) => (&kernel.arrays[a].name, true, "uint32_t".to_string()),
        };
        let local_bytes = match argument {
            Argument::Array(a) if kernel.arrays[a].storage != Storage::Argument => {
                let layout = kernel.arrays[a].layout();
                Some(layout.bytes_text(layout.element_bytes.to_string(), |extent| format!("({extent})")))
            }
            _ => None,
        };
        let computed = match argument {
            Argument::Scalar(s) => kernel.host.iter().find(|step| step.scalar == Some(s)),
            _ => None,
        };
        let computed = computed.map(|step| host::value(kernel, step));
        // `n` and `N` are two arguments.
        let upper = name.to_uppercase();
        let numbered = (2..).map(|number| format!("{upper}_{number}"));
        let symbol = std::iter::once(upper.clone()).chain(numbered).find(|symbol| !symbols.contains(symbol));
        let symbol = symbol.unwrap_or(upper);
        symbols.insert(symbol.clone());
        Register { name: name.clone(), symbol, word, words, base, local_bytes, computed, c_type }
    };
    hardware::argument_words(kernel).into_iter().map(register).collect()
}
