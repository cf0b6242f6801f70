//! Arrays that are read along two directions at once, as `a[i][k]` and `a[j][k]`: one buffer would have to keep apart the cells of
//! both, which may lie as far from each other as the array is long. Where no statement writes the array, references of another
//! direction become another use of it, an array that has the same memory ([`kernel::Array::use_of`]), and so transfers and a
//! buffer of its own. Nothing else changes: dependences lead from or to writes.

use super::expand::{is_taken, rewrite, rewrite_statements};
use crate::affine::{Affine, fresh};
use crate::ids::ArrayId;
use crate::source::kernel::{self, Access, Kernel, Node, Storage};

/// Uses of one array.
const MOST: usize = 4;

/// `kernel` with the uses of its arrays apart; `None` where no array has two. Nests one after the other, which are seldom in
/// tiles together, number the uses of an array each by itself.
pub fn uses_apart(kernel: &Kernel) -> Option<Kernel> {
    let mut apart = kernel.clone();
    for (array, declaration) in kernel.arrays.iter_enumerated() {
        let is_argument = declaration.storage == Storage::Argument && !declaration.scratch;
        if !is_argument || kernel.is_written(array) {
            continue;
        }
        let nests: Vec<Vec<Vec<Affine>>> = kernel.body.iter().map(|nest| directions(nest, array)).collect();
        let most = nests.iter().map(Vec::len).max().unwrap_or(0);
        if !(2..=MOST).contains(&most) {
            continue;
        }
        let mut uses = vec![array];
        for number in 2..=most {
            // A number alone would look like a copy of a buffer.
            let name = fresh(format!("{}_use{number}", declaration.name), |name| is_taken(&apart, name));
            let other = kernel::Array { name, use_of: Some(array), ..declaration.clone() };
            uses.push(apart.arrays.push_and_get_key(other));
        }
        for (nest, directions) in apart.body.iter_mut().zip(nests) {
            rewrite(std::slice::from_mut(nest), &mut |access| {
                if access.array == array {
                    let number = directions.iter().position(|known| *known == direction(access));
                    access.array = uses[number.unwrap_or(0)];
                }
            });
        }
    }
    (apart.arrays.len() > kernel.arrays.len()).then_some(apart)
}

/// The directions along which statements of a nest read an array, where some statement reads it along several.
fn directions(nest: &Node, array: ArrayId) -> Vec<Vec<Affine>> {
    let mut all: Vec<Vec<Affine>> = vec![];
    rewrite_statements(&mut [nest.clone()], &mut |statement| {
        let of_array = statement.references().into_iter().filter(|access| access.array == array);
        let own: Vec<Vec<Affine>> = of_array.map(direction).collect();
        if own.iter().any(|direction| *direction != own[0]) {
            for direction in own {
                if !all.contains(&direction) {
                    all.push(direction);
                }
            }
        }
    });
    all
}

/// The subscripts but for their constants: references that agree in it read cells at a constant distance.
fn direction(access: &Access) -> Vec<Affine> {
    access.subscripts.iter().map(|subscript| Affine { constant: 0, ..subscript.clone() }).collect()
}
