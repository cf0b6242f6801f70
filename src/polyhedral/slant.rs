//! Arrays aslant: where the neighbours that can run side by side access cells along a diagonal, `a[i][j]`, `a[i + 1][j - 2]`, …, the last
//! subscript counts along it, `y = j + 2 i`. They then differ in one subscript, as lanes' cells do everywhere else: banks, loads,
//! stores and mappings need know nothing, as the cells keep their places in memory ([`Slant`]).

use std::collections::BTreeMap;

use super::expand::rewrite;
use crate::affine::Affine;
use crate::ids::ArrayId;
use crate::layout::{Order, Slant};
use crate::offload::is_by_data;
use crate::source::kernel::Kernel;

/// `kernel` with the last subscripts of these arrays plus so many times the one before it; `None` where one cannot be: it has one
/// subscript, data tell where it is accessed, it is slanted already, or its cells do not lie as C has them.
pub fn slanted(kernel: &Kernel, steps: &BTreeMap<ArrayId, i64>) -> Option<Kernel> {
    let mut all = kernel.clone();
    for (&array, &step) in steps {
        let declaration = all.arrays.get_mut(array)?;
        let is_in_rows = declaration.order == Order::RowMajor && declaration.by_tiles.is_none();
        let is_plain = is_in_rows && declaration.use_of.is_none() && declaration.slant.is_none();
        let [.., rows, columns] = &mut declaration.extents[..] else { return None };
        if step == 0 || !is_plain || is_by_data(kernel, array) {
            return None;
        }
        let reach = (rows.clone() - Affine::constant(1)) * step.checked_abs()?;
        let origin = if step < 0 { reach.clone() } else { Affine::default() };
        *columns = columns.clone() + reach.clone();
        declaration.slant = Some(Slant { step, reach });
        rewrite(&mut all.body, &mut |access| {
            if let (true, [.., row, column]) = (access.array == array, &mut access.subscripts[..]) {
                *column = column.clone() + row.clone() * step + origin.clone();
            }
        });
    }
    (!steps.is_empty()).then_some(all)
}
