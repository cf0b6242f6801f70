//! Load and store: rows to bursts, words to elements.

pub mod bursts;
pub mod load;
pub mod packing;
pub mod runs;
pub mod stage;
pub mod store;
