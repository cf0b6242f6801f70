//! burstc compiles C loop nests into FPGA accelerators that keep their DDR memory busy.

pub mod affine;
pub mod board;
pub mod diagnostic;
pub mod diagnostic_render;
pub mod hardware;
pub mod offload;
pub mod report;
pub mod rtl;
pub mod simulate;
pub mod source;
pub mod suggest;
