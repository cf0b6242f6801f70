//! What is checked without a simulator, in seconds: `make check`. One binary, so that it is linked once and no core
//! waits for the tail of another.

#[path = "../common/mod.rs"]
mod common;
#[path = "../kernels/mod.rs"]
mod kernels;

mod bound;
mod cells;
mod conditional_writes;
mod dead_stores;
mod dumps;
mod explore;
mod golden_sets;
mod json;
mod lanes;
mod mars;
mod masks;
mod moduli;
mod order;
mod page;
mod panels;
mod private;
mod programs;
mod reads;
mod reallocation;
mod refusals;
mod refused_input;
mod rooms;
mod row_limits;
mod scans;
mod strips;
mod tiling;
mod units;
mod uses;
mod verified;
