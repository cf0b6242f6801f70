//! What burstc has outside itself while it runs, child processes and temporary folders: both end with it, also when a
//! signal ends it.

mod belongings;
mod child;

pub use belongings::{Scratch, end, end_with_signals, uninterrupted};
pub use child::{Cut, Ended, Limits, run, run_with_input};
