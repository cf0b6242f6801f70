//! Finite sets of cells as the analysis of classes needs them: moved, counted, boxed in. All are `{ [x0, x1] }`, without a name
//! and without parameters.

use anyhow::{Result, anyhow};

use crate::polyhedral::isl::{Bounded, Map, Set};

/// `x0, x1, x2`
fn names(n: usize) -> String {
    (0..n).map(|k| format!("x{k}")).collect::<Vec<_>>().join(", ")
}

/// The set moved by `by`, in cells.
pub fn moved(set: &Set, by: &[i64]) -> Result<Set> {
    let to: Vec<String> = by.iter().enumerate().map(|(k, by)| format!("x{k} + {by}")).collect();
    set.apply(&set.context().parse_map(&format!("{{ [{}] -> [{}] }}", names(by.len()), to.join(", ")))?)
}

/// The least and the largest subscripts; `None` where there is no cell or some dimension has no end.
pub fn bounds(set: &Set) -> Result<Option<(Vec<i64>, Vec<i64>)>> {
    let (mut low, mut high) = (vec![], vec![]);
    for k in 0..set.dimensions()? {
        match (set.minimum(k)?, set.maximum(k)?) {
            (Bounded::Finite(least), Bounded::Finite(most)) => {
                low.push(least);
                high.push(most);
            }
            _ => return Ok(None),
        }
    }
    Ok(Some((low, high)))
}

/// The cells between `low` and `high`, both included.
pub fn of_box(like: &Set, low: &[i64], high: &[i64]) -> Result<Set> {
    let between: Vec<String> =
        low.iter().zip(high).enumerate().map(|(k, (low, high))| format!("{low} <= x{k} <= {high}")).collect();
    like.context().parse_set(&format!("{{ [{}] : {} }}", names(low.len()), between.join(" and ")))
}

/// The cells of the box between `low` and `high`.
pub fn volume(low: &[i64], high: &[i64]) -> u64 {
    low.iter().zip(high).map(|(low, high)| (high - low + 1).max(0) as u64).product()
}

/// How many cells there are; of boxes without counting them.
pub fn count(set: &Set) -> Result<u64> {
    let mut all = 0;
    for piece in set.make_disjoint()?.coalesce()?.pieces()? {
        let piece = piece.to_set()?;
        if piece.is_empty()? {
            continue;
        }
        let (low, high) = bounds(&piece)?.ok_or_else(|| anyhow!("internal error: cells without end"))?;
        all += match of_box(&piece, &low, &high)?.is_subset(&piece)? {
            true => volume(&low, &high),
            false => piece.count()?.finite().unwrap_or(0) as u64,
        };
    }
    Ok(all)
}

/// `{ [x0, x1] -> [y0, y1] }`, from every cell of an array to the one behind it in memory: `digits` are the subscripts with
/// their extents, the most significant one first.
pub fn next(like: &Set, digits: &[(usize, i64)]) -> Result<Map> {
    let n = like.dimensions()?;
    let step = |counts: usize| {
        let mut to: Vec<String> = (0..n).map(|k| format!("x{k}")).collect();
        let (subscript, _) = digits[counts];
        to[subscript] = format!("x{subscript} + 1");
        let mut at_end = vec!["true".to_string()];
        for (behind, radix) in &digits[counts + 1..] {
            to[*behind] = "0".to_string();
            at_end.push(format!("x{behind} = {}", radix - 1));
        }
        format!("[{}] -> [{}] : {}", names(n), to.join(", "), at_end.join(" and "))
    };
    let steps: Vec<String> = (0..digits.len()).map(step).collect();
    like.context().parse_map(&format!("{{ {} }}", steps.join("; ")))
}

/// Runs of neighbours in memory: cells of `set` of which the one before is none. `next` is that of [`next`].
pub fn runs(set: &Set, next: &Map) -> Result<u64> {
    count(&set.subtract(&set.apply(next)?)?)
}
