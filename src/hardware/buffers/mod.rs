//! The local buffers: addresses, banks, copies, partitions.

pub mod address;
pub mod banks;
pub mod beat;
pub mod lines;
pub mod memories;
pub mod partition;
pub mod ram;
pub mod skewed;
