//! burstc compiles C loop nests into FPGA accelerators that keep their DDR memory busy.

pub mod affine;
pub mod diagnostic;
pub mod diagnostic_render;
pub mod hardware;
pub mod offload;
pub mod rtl;
pub mod source;
