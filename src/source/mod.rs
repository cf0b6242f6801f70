//! C text to [`kernel::Kernel`].

pub mod kernel;
