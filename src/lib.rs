pub mod affine;
pub mod diagnostic;
pub mod offload;
pub mod source;
