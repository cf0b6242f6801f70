//! Scans to circuits: rows from scanners, elements from walkers, tiles.

pub mod connect;
pub mod hand_over;
pub mod rows;
pub mod scanner;
pub mod source;
pub mod tiles;
pub mod tree;
pub mod walker;
