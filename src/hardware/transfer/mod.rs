//! Load and store: rows to bursts, words to elements.

pub mod bursts;
pub mod layout;
pub mod load;
pub mod runs;
pub mod store;
