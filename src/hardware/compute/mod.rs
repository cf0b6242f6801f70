//! The compute process: iterations, reads, hazards, lanes.

pub mod instances;
pub mod lanes;
pub mod pace;
pub mod process;
pub mod reservation;
pub mod windows;
