//! Rows of which only some elements are accessed, as `x[2 i]` or the colours of pixels that also have an alpha. Memory moves rows, and a burst
//! per element takes longer than what lies between two of them: so that is moved along. To the analysis an iteration reads it where it
//! reads the element before, and may write it where it writes that (RR-7697 section 4): what may be written is loaded first, is stored
//! as it was, and dependences keep it apart from who writes it. The iterations access what they did.

use crate::affine::{Affine, gcd};
use crate::ids::ArrayId;
use crate::layout::Order;
use crate::offload::is_by_data;
use crate::source::kernel::{Array, Kernel, Node, Storage};

/// How far the starts of two elements that follow each other may lie apart.
#[derive(Clone, Copy, PartialEq)]
pub enum Apart {
    /// Two words of memory: moving all of them takes no longer than a burst each does.
    Near,
    /// A beat of 512 bits of the usual elements of 32: worth it where rows move in such beats.
    Far,
}

impl Apart {
    /// In elements.
    fn most(self, array: &Array) -> i64 {
        match self {
            Apart::Near => 2 * (32 / i64::from(array.element.bits)).max(1),
            Apart::Far => 16,
        }
    }
}

/// `kernel` with arguments of which all is moved that lies between elements that are accessed ([`Array::takes_along`]); `None` where there
/// are no more of them than it has.
pub fn filled(kernel: &Kernel, apart: Apart) -> Option<Kernel> {
    let mut filled = kernel.clone();
    for (array, declaration) in filled.arrays.iter_mut_enumerated() {
        let is_in_rows =
            declaration.order == Order::RowMajor && declaration.by_tiles.is_none() && declaration.slant.is_none();
        // Words whose bit tells whether they were written have an iteration each that clears it.
        let is_argument =
            declaration.storage == Storage::Argument && !declaration.extents.is_empty() && !declaration.masked;
        if is_in_rows && is_argument && !is_by_data(kernel, array) {
            declaration.takes_along = between(kernel, array, apart.most(declaration)).unwrap_or(0);
        }
    }
    let all = |kernel: &Kernel| kernel.arrays.iter().filter(|array| array.takes_along > 0).count();
    (all(&filled) > all(kernel)).then_some(filled)
}

/// The most elements that lie between two that a nest accesses of a row, one after the other.
fn between(kernel: &Kernel, array: ArrayId, most: i64) -> Option<i64> {
    let of = |nest: &Node| {
        let statements = nest.statements();
        let own = statements.iter().flat_map(|statement| statement.accesses()).filter(|access| access.array == array);
        // References that walk a row in the same steps, by where they begin.
        let mut walks: Vec<(Vec<Affine>, i64, Vec<i64>)> = vec![];
        for access in own {
            let mut steady: Vec<Affine> = access.subscripts.clone();
            let last = steady.last_mut()?;
            let step =
                last.terms.iter().filter(|(name, _)| !is_size(kernel, name)).fold(0, |all, (_, by)| gcd(all, *by));
            let begins = std::mem::take(&mut last.constant);
            match walks.iter_mut().find(|(known, ..)| *known == steady) {
                Some((.., all)) => all.push(begins),
                None => walks.push((steady, step, vec![begins])),
            }
        }
        walks.into_iter().filter(|(_, step, _)| (2..=most).contains(step)).map(|(_, step, all)| gap(step, all)).max()
    };
    kernel.body.iter().filter_map(of).max()
}

/// The most elements between two of those at these places and every `step` elements behind them.
fn gap(step: i64, places: Vec<i64>) -> i64 {
    let mut places: Vec<i64> = places.into_iter().map(|place| place.rem_euclid(step)).collect();
    places.sort_unstable();
    let around = places[0] + step - places[places.len() - 1];
    let inside = places.windows(2).map(|two| two[1] - two[0]);
    inside.chain([around]).max().unwrap_or(1) - 1
}

fn is_size(kernel: &Kernel, name: &str) -> bool {
    kernel.parameters.iter().any(|size| size.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{self, Source};

    fn along(apart: Apart, arguments: &str, step: &str) -> Option<Vec<i64>> {
        let text = format!("void k(int N, int M, {arguments})\n{{\nfor (int i = 0; i < N; i++) {step}\n}}\n");
        let kernel = source::parse(&Source { path: "k.c".into(), text, cpp_args: vec![] }).expect(step);
        Some(filled(&kernel, apart)?.arrays.iter().map(|array| array.takes_along).collect())
    }

    #[test]
    fn what_lies_between_elements_of_a_row() {
        assert_eq!(along(Apart::Far, "int x[128], int y[64]", "y[i] = x[2 * i];"), Some(vec![1, 0]));
        assert_eq!(
            along(Apart::Far, "int x[256], int y[64]", "y[i] = x[4 * i] + x[4 * i + 1] - x[4 * i + 2];"),
            Some(vec![1, 0])
        );
        assert_eq!(along(Apart::Far, "int x[256], int y[64]", "y[i] = x[4 * i + 3] + x[4 * i + 1];"), Some(vec![1, 0]));
        assert_eq!(along(Apart::Far, "int x[256], int y[64]", "y[i] = x[4 * i + 2] + x[4 * i + 1];"), Some(vec![2, 0]));
        assert_eq!(along(Apart::Far, "int x[256], int y[64]", "y[i] = x[4 * i];"), Some(vec![3, 0]));
        let all = "y[i] = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];";
        assert_eq!(along(Apart::Far, "int x[256], int y[64]", all), None);
        // Statements of one nest together.
        let two = "{ x[4 * i] += y[i]; x[4 * i + 2] -= y[i]; }";
        assert_eq!(along(Apart::Far, "int x[256], int y[64]", two), Some(vec![1, 0]));
        // Two words at most, of any size.
        assert_eq!(along(Apart::Near, "int x[256], int y[64]", "y[i] = x[4 * i];"), None);
        assert_eq!(along(Apart::Near, "short x[256], int y[64]", "y[i] = x[4 * i];"), Some(vec![3, 0]));
        assert_eq!(along(Apart::Near, "double x[256], int y[64]", "y[i] = (int)x[2 * i + 1];"), Some(vec![1, 0]));
        // Rows themselves, and what data find.
        assert_eq!(along(Apart::Far, "int x[64][128], int y[64]", "y[i] = x[i][5];"), None);
        assert_eq!(along(Apart::Far, "unsigned char x[256], int y[64]", "y[i] = x[2 * i] + x[x[i]];"), None);
        // As far apart as that a burst is as good.
        assert_eq!(along(Apart::Far, "int x[64][128], int y[64]", "y[i] = x[0][17 * i % 128];"), None);
    }
}
