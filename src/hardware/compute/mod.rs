//! The compute process: iterations, reads, hazards, lanes.

mod approach;
mod candidate;
mod cut;
mod ending;
mod hazards;
pub mod instances;
mod interleave;
pub mod lanes;
mod lateness;
pub mod pace;
mod pipelines;
mod ports;
pub mod process;
pub mod reservation;
mod tokens;
pub mod windows;
