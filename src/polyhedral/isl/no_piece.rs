//! A fault of isl, mended from outside: the end of its operations ended the process.
//!
//! isl counts allocations as operations, and those beyond the limit give nothing. `set_eq_and_try_again` in isl_map_simplify.c
//! copies a piece and looks into the copy without asking whether there is one. The linker sends the call from there here
//! (`build.rs`): of no piece, nothing is changed, and isl goes on to say that its operations have ended.
#![cfg(target_os = "linux")]

use std::ffi::{c_uint, c_void};

unsafe extern "C" {
    /// The linker's name for isl's own function.
    fn __real_isl_basic_map_inequality_to_equality(map: *mut c_void, position: c_uint);
}

/// # Safety
/// As isl's function, but `map` may be null.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_isl_basic_map_inequality_to_equality(map: *mut c_void, position: c_uint) {
    if !map.is_null() {
        unsafe { __real_isl_basic_map_inequality_to_equality(map, position) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" {
        /// As isl's other files call it.
        fn isl_basic_map_inequality_to_equality(map: *mut c_void, position: c_uint);
    }

    #[test]
    fn nothing_has_no_constraints_to_change() {
        unsafe { isl_basic_map_inequality_to_equality(std::ptr::null_mut(), 0) }
    }
}
