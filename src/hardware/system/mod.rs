//! The accelerator as a whole, its registers and its top.

pub mod accelerator;
pub mod memory_port;
pub mod ports;
pub mod registers;
mod several;
pub mod top;
pub mod top_bus;
mod units;
