//! The local buffers: addresses, banks, copies, partitions.

pub mod address;
pub mod banks;
pub mod memories;
pub mod partition;
