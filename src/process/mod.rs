//! What burstc has outside itself while it runs, child processes, temporary folders and claims of names: all end with it, also when a
//! signal ends it.

mod belongings;
mod child;

pub use belongings::{Claim, Scratch, end, end_with_signals, uninterrupted};
pub use child::{Cut, Ended, Limits, run, run_with_input};
