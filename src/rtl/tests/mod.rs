//! The oracle is the tools: what the printer writes, they must take without a warning and compute as documented.

mod golden;
mod simulators;
mod tools;
mod trim;
mod verifier;
