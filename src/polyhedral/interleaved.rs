//! Arrays of small elements of their own, as the colours of a pixel or the numbers of a structure, `a[y][x][0]`, `a[y][x][1]`, …, lie in one
//! row to the accelerator, `a[y][3 x]`, `a[y][3 x + 1]`, …: memory moves rows, and these go on from pixel to pixel. Every cell keeps its
//! place in memory.

use super::expand::rewrite;
use crate::affine::Affine;
use crate::ids::ArrayId;
use crate::layout::Order;
use crate::offload::is_by_data;
use crate::source::kernel::{Array, Kernel, Storage};

/// Elements that lie beside each other, at most: pixels of three colours, and of four. Lanes' cells lie no further apart.
pub const MOST_APART: i64 = 4;

/// `kernel` with the last two dimensions of such arguments as one; `None` where there are none.
pub fn interleaved(kernel: &Kernel) -> Option<Kernel> {
    let statements = kernel.statements();
    let is_told = |array: ArrayId| {
        let mut accesses =
            statements.iter().flat_map(|statement| statement.accesses()).filter(|own| own.array == array);
        accesses.all(|access| access.subscripts.last().is_some_and(Affine::is_constant))
    };
    let joined = kernel.arrays.iter_enumerated().filter_map(|(array, own)| {
        let length = length(own).filter(|length| *length == 3 || is_told(array))?;
        (!is_by_data(kernel, array)).then_some((array, length))
    });
    let joined: Vec<(ArrayId, i64)> = joined.collect();
    let mut all = kernel.clone();
    for &(array, length) in &joined {
        let declaration = &mut all.arrays[array];
        let (count, last) = (declaration.extents.pop()?, declaration.extents.last_mut()?);
        declaration.apart_in_c = Some([last.clone(), count]);
        *last = last.clone() * length;
        rewrite(&mut all.body, &mut |access| {
            if access.array == array
                && let Some(place) = access.subscripts.pop()
                && let Some(last) = access.subscripts.last_mut()
            {
                *last = last.clone() * length + place;
            }
        });
    }
    (!joined.is_empty()).then_some(all)
}

/// How many there are next to each other, if they are few.
fn length(array: &Array) -> Option<i64> {
    let is_in_rows = array.order == Order::RowMajor && array.by_tiles.is_none() && array.slant.is_none();
    let is_plain = is_in_rows && array.storage == Storage::Argument && array.use_of.is_none();
    let [.., rows, last] = &array.extents[..] else { return None };
    // A filter's coefficients stay as they are.
    let is_long = !rows.is_constant() || rows.constant > MOST_APART;
    (is_plain && is_long && last.is_constant() && (2..=MOST_APART).contains(&last.constant)).then_some(last.constant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{self, Source};

    /// What is accessed, and the arguments' extents, here and in C.
    fn rows(arguments: &str, steps: &str, directive: &str) -> Option<(Vec<String>, Vec<String>)> {
        let text = format!(
            "{directive}#pragma burstc size(N: 5, max 16)\nvoid k(int N, {arguments})\n{{\nfor (int i = 0; i < N; i++) {{ {steps} }}\n}}\n"
        );
        let kernel = source::parse(&Source { path: "k.c".into(), text, cpp_args: vec![] }).expect(steps);
        let kernel = interleaved(&kernel)?;
        let list = |values: &[Affine]| values.iter().map(|value| format!("[{value}]")).collect::<String>();
        let statements = kernel.statements();
        let accesses = statements.iter().flat_map(|statement| statement.accesses());
        let accesses =
            accesses.map(|own| format!("{}{}", kernel.arrays[own.array].name, list(&own.subscripts))).collect();
        let extents = kernel.arrays.iter().map(|own| format!("{} {}", list(&own.extents), list(&own.extents_in_c())));
        Some((accesses, extents.collect()))
    }

    #[test]
    fn elements_beside_each_other_are_one_row() {
        let strings = |all: &[&str]| all.iter().map(|own| own.to_string()).collect::<Vec<_>>();
        // `b[N]` has no elements of its own, and four that a loop goes through are lanes by themselves.
        let found = rows(
            "int a[N][N][2], int b[N], int c[N][4]",
            "a[2][i][1] = b[i]; for (int k = 0; k < 4; k++) c[i][k] = a[i][3][0];",
            "",
        );
        let accesses = strings(&["b[i]", "a[2][2*i + 1]", "a[i][6]", "c[i][k]"]);
        let extents = strings(&["[N][2*N] [N][N][2]", "[N] [N]", "[N][4] [N][4]"]);
        assert_eq!(found, Some((accesses, extents)));
        let found = rows("int a[N][3]", "for (int k = 0; k < 3; k++) a[i][k] = a[i][2 - k];", "");
        assert_eq!(found, Some((strings(&["a[3*i - k + 2]", "a[3*i + k]"]), strings(&["[3*N] [N][3]"]))));
        assert_eq!(rows("int a[N][5], int b[N]", "a[i][0] = b[i];", ""), None);
        // Where data tell the place, rows are as they are.
        assert_eq!(rows("int a[N][2], int b[N]", "b[i] = a[b[i] & 3][0];", ""), None);
        assert_eq!(rows("int a[N][2], int b[N]", "b[i] = a[i][0];", "#pragma burstc layout(a: tiles)\n"), None);
    }
}
