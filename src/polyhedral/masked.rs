//! Cells that data decide to write, as `y[i]` in `if (x[i] > 0) y[i] = x[i];`. What is stored must be there before, and so they would
//! be loaded first (RR-7697 Theorem 6). Where every cell has one iteration at most that may write it, and nobody reads it, a bit beside
//! the word on chip tells instead whether it was written (`kernel::Array::masked`): every iteration writes its word, the bit at
//! least, and the store process masks the bytes of those without. RR-7697 section 4.1 leaves this bit, as a compiler for C
//! cannot write it together with the word.

use anyhow::Result;

use super::expand::rewrite_statements;
use super::extract::statements;
use super::isl::Set;
use super::kept::Kept;
use crate::ids::ArrayId;
use crate::source::kernel::{Expr, Kernel, Statement, Storage};

/// isl's operations for the question whether iterations write cells of their own.
const OPERATIONS: u64 = 200_000;

/// `kernel`, in which every statement has one write, with masked arrays; `None` where there are none.
///
/// # Errors
/// isl's.
pub fn masked(kernel: &Kernel) -> Result<Option<Kernel>> {
    let mut all = kernel.clone();
    let candidates: Vec<ArrayId> = kernel.arrays.keys().filter(|&array| may_mask(kernel, array)).collect();
    if candidates.is_empty() || kernel.without_masks {
        return Ok(None);
    }
    for &array in &candidates {
        all.arrays[array].masked = true;
        rewrite_statements(&mut all.body, &mut |statement| {
            if statement.target.array == array
                && let Some((only_if, value)) = Kept::of(&statement.value, &statement.target).and_then(Kept::parts)
            {
                statement.value = Expr::Masked { only_if: Box::new(only_if), value: Box::new(value) };
            }
        });
    }
    // What is refused here is refused by the analysis, with its reasons.
    let Ok(program) = statements(&all) else { return Ok(None) };
    let mut any = false;
    for array in candidates {
        let is_once = || -> Result<bool> {
            let mut cells: Option<Set> = None;
            for access in program.statements.iter().flat_map(|own| &own.accesses).filter(|own| own.array == array) {
                let own = access.may.range()?;
                let apart = match &cells {
                    Some(others) => own.intersect(others)?.is_empty()?,
                    None => true,
                };
                if !access.write || !apart || !access.may.is_injective()? {
                    return Ok(false);
                }
                cells = Some(match cells {
                    Some(others) => others.union(&own)?,
                    None => own,
                });
            }
            Ok(true)
        };
        match program.isl.within(OPERATIONS, is_once)? {
            Some(true) => any = true,
            _ => unmask(&mut all, array, kernel),
        }
    }
    Ok(any.then_some(all))
}

/// Statements of an array as they were in `kernel`.
fn unmask(all: &mut Kernel, array: ArrayId, kernel: &Kernel) {
    all.arrays[array].masked = false;
    let mut written = kernel.statements().into_iter();
    rewrite_statements(&mut all.body, &mut |statement| {
        let own = written.next().expect("as many statements");
        if statement.target.array == array {
            statement.value = own.value.clone();
        }
    });
}

/// Whether all accesses of an array are writes some of which only data decide, and reads of what these keep.
fn may_mask(kernel: &Kernel, array: ArrayId) -> bool {
    let all = kernel.statements();
    let touches = |statement: &&&Statement| statement.accesses().any(|access| access.array == array);
    let is_gathered = |statement: &Statement| statement.gathers().iter().any(|gather| gather.array == array);
    if kernel.arrays[array].storage != Storage::Argument
        || kernel.is_scattered(array)
        || all.iter().any(|statement| is_gathered(statement))
    {
        return false;
    }
    let mut depends = false;
    let is_plain = all.iter().filter(touches).all(|statement| {
        let kept = Kept::of(&statement.value, &statement.target);
        depends |= matches!(kept, Some(Kept::Unless(..)));
        // What data cut out of a row is not walked at all.
        statement.target.array == array
            && statement.also.is_empty()
            && kernel.limits(statement).is_none()
            && matches!(kept, Some(Kept::Unless(..) | Kept::Never(_)))
    });
    is_plain && depends
}
