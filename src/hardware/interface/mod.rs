//! What the world outside agrees on with the accelerator: the memory's link, the status word, names.

pub mod link;
pub mod names;
pub mod status;
mod word;
