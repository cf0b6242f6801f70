//! A layout that the classes of an array allow: slices of its last subscript, as wide as tiles step along it.
//!
//! Where tiles move by whole boxes, blocks of classes one behind the other along the rows are a slice: all rows of so many
//! columns, [`Order::Slices`](crate::layout::Order::Slices). Classes of full rows then lie in the order of their rows, which is
//! the one that `order` finds for boxes, and what a tile has of a slice is one run. Its address is affine for all sizes.

use anyhow::Result;

use super::{Mars, cells};
use crate::affine::gcd;
use crate::layout;
use crate::polyhedral::isl::{Map, Set};

/// The slices of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slices {
    pub cut: layout::Slices,
    /// Bursts that a tile in the middle needs of all relations.
    pub bursts: u64,
}

impl Slices {
    /// Of an array whose relations move `moved` at a tile in the middle, the slices of the fewest bursts that begin where some of these
    /// do, or end there. `None` where no tile steps along the last subscript, and where that is the only one.
    ///
    /// # Errors
    /// isl's.
    pub fn new(mars: &Mars, moved: &[Set]) -> Result<Option<Slices>> {
        let steps = mars.relations.iter().flat_map(|part| part.steps.iter().flatten());
        let last = steps.chain(mars.lattice.rows()).filter_map(|step| step.last());
        let width = last.fold(0, |all, step| gcd(all, *step));
        let rank = moved.first().map_or(Ok(0), Set::dimensions)?;
        let Some(width) = u32::try_from(width).ok().filter(|width| *width > 0 && rank > 1) else { return Ok(None) };
        let mut best: Option<Slices> = None;
        let mut tried = vec![];
        let mut begins = vec![];
        for set in moved {
            if let Some((low, high)) = cells::bounds(set)? {
                begins.extend(low.last().copied());
                // A row that sticks out in front is no reason to begin there.
                begins.extend(high.last().map(|last| last + 1));
            }
        }
        for begin in begins {
            let lead = (-begin).rem_euclid(i64::from(width)) as u32;
            if tried.contains(&lead) {
                continue;
            }
            tried.push(lead);
            let cut = layout::Slices { width, lead };
            let mut bursts = 0;
            for set in moved {
                bursts += cells::runs(set, &next(set, cut)?)?;
            }
            if best.is_none_or(|best| bursts < best.bursts) {
                best = Some(Slices { cut, bursts });
            }
        }
        Ok(best)
    }
}

/// `{ [x0, x1] -> [y0, y1] }`, from a cell to the one behind it in its slice, as far as that is in the same row or the next.
fn next(like: &Set, layout::Slices { width, lead }: layout::Slices) -> Result<Map> {
    let n = like.dimensions()?;
    let names: Vec<String> = (0..n).map(|k| format!("x{k}")).collect();
    let (last, row) = (&names[n - 1], &names[n - 2]);
    let to =
        |row: String, last: String| names[..n - 2].iter().cloned().chain([row, last]).collect::<Vec<_>>().join(", ");
    let (from, aside) = (names.join(", "), to(row.clone(), format!("{last} + 1")));
    let below = to(format!("{row} + 1"), format!("{last} - {}", width - 1));
    let (column, end) = (format!("({last} + {lead}) mod {width}"), width - 1);
    like.context()
        .parse_map(&format!("{{ [{from}] -> [{aside}] : {column} < {end}; [{from}] -> [{below}] : {column} = {end} }}"))
}
