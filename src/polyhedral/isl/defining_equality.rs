//! A fault of isl, mended from outside: the same sets must give the same hardware in every run.
//!
//! `isl_coalesce` asks `isl_basic_map_has_defining_equality` which equality defines an integer division. Where the piece is
//! not marked as final, isl copies it and then tells equalities from inequalities by comparing a pointer into the
//! original with one into the copy (`isl_basic_map_constraint`): the answer depends on where the allocator put them.
//! The linker sends isl's calls from other files here (`build.rs`); the constraint is made as what it is, an equality. On systems
//! whose linker has no `--wrap`, isl's own function is called: results are right there, too, but may differ from run to run.

use std::ffi::{c_int, c_uint, c_void};

const ERROR: c_int = -1;
/// `isl_dim_cst`, `_param`, `_in`, `_out` and `_div`: the columns in isl's own order.
const COLUMNS: [c_uint; 5] = [0, 1, 2, 3, 4];

unsafe extern "C" {
    fn isl_basic_map_dim(map: *mut c_void, kind: c_uint) -> c_int;
    fn isl_basic_map_equalities_matrix(
        map: *mut c_void,
        first: c_uint,
        second: c_uint,
        third: c_uint,
        fourth: c_uint,
        fifth: c_uint,
    ) -> *mut c_void;
    fn isl_basic_map_get_local_space(map: *mut c_void) -> *mut c_void;
    fn isl_mat_rows(matrix: *mut c_void) -> c_int;
    fn isl_mat_get_element_val(matrix: *mut c_void, row: c_int, column: c_int) -> *mut c_void;
    fn isl_mat_free(matrix: *mut c_void) -> *mut c_void;
    fn isl_val_is_zero(value: *mut c_void) -> c_int;
    fn isl_val_free(value: *mut c_void) -> *mut c_void;
    fn isl_constraint_alloc_equality(space: *mut c_void) -> *mut c_void;
    fn isl_constraint_set_constant_val(constraint: *mut c_void, value: *mut c_void) -> *mut c_void;
    fn isl_constraint_set_coefficient_val(
        constraint: *mut c_void,
        kind: c_uint,
        position: c_int,
        value: *mut c_void,
    ) -> *mut c_void;
}

/// Whether an equality of `map` ends with the variable `position` of `kind`; a copy of the first one goes to `constraint`.
///
/// # Safety
/// As isl's function: `map` is a basic map of isl's, `constraint` null or writable.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_isl_basic_map_has_defining_equality(
    map: *mut c_void,
    kind: c_uint,
    position: c_int,
    constraint: *mut *mut c_void,
) -> c_int {
    unsafe {
        let counts = COLUMNS.map(|kind| isl_basic_map_dim(map, kind));
        let own = kind as usize;
        if counts.iter().any(|count| *count < 0) || own >= counts.len() || !(0..counts[own]).contains(&position) {
            return ERROR;
        }
        let defined = counts[..own].iter().sum::<c_int>() + position;
        let [first, second, third, fourth, fifth] = COLUMNS;
        let matrix = isl_basic_map_equalities_matrix(map, first, second, third, fourth, fifth);
        if matrix.is_null() {
            return ERROR;
        }
        let is_zero = |row, column| {
            let value = isl_mat_get_element_val(matrix, row, column);
            let zero = isl_val_is_zero(value);
            isl_val_free(value);
            zero == 1
        };
        let columns: c_int = counts.iter().sum();
        let ends_here = |row: &c_int| !is_zero(*row, defined) && (defined + 1..columns).all(|c| is_zero(*row, c));
        let row = (0..isl_mat_rows(matrix)).find(ends_here);
        if let Some(row) = row
            && !constraint.is_null()
        {
            let mut made = isl_constraint_alloc_equality(isl_basic_map_get_local_space(map));
            let mut column = 0;
            for (kind, count) in COLUMNS.into_iter().zip(counts) {
                for place in 0..count {
                    let value = isl_mat_get_element_val(matrix, row, column);
                    made = match kind {
                        0 => isl_constraint_set_constant_val(made, value),
                        _ => isl_constraint_set_coefficient_val(made, kind, place, value),
                    };
                    column += 1;
                }
            }
            *constraint = made;
        }
        isl_mat_free(matrix);
        c_int::from(row.is_some())
    }
}
