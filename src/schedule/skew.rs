//! Skewing without isl's scheduler, for nests that are too large for it: a loop in which dependences go backwards
//! becomes a dimension by adding dimensions further out, and a constant per statement.

use std::collections::BTreeMap;

use anyhow::Result;

use super::legality::Pairs;
use super::tree::Row;
use crate::affine::Affine;
use crate::ids::StatementId;

/// The largest factor of a dimension further out.
const LARGEST_FACTOR: i64 = 2;

/// `row` with the smallest multiples of `outer` and the smallest shifts that let no pair go backwards; `None` where
/// factors up to 2 do not do. For `t { S0: B[i] = A[i - 1] + A[i + 1]; S1: A[i] = B[i - 1] + B[i + 1]; }` the row
/// (i, i) becomes (i + 2t, i + 2t + 1).
pub fn skew(row: &Row, outer: &[Row], pairs: &[Pairs]) -> Result<Option<Row>> {
    let skewed_by = |factors: &[i64]| -> Row {
        let added =
            |statement| outer.iter().zip(factors).filter_map(move |(o, f)| Some(o.get(statement)?.clone() * *f));
        row.iter().map(|(s, value)| (*s, added(s).fold(value.clone(), |sum, term| sum + term))).collect()
    };
    let shifted = |row: Row, shifts: &BTreeMap<StatementId, i64>| -> Row {
        row.into_iter().map(|(s, value)| (s, value + Affine::constant(shifts[&s]))).collect()
    };
    // Most rows need no skewing.
    if let Some(shifts) = shifts(row, pairs)? {
        return Ok(Some(shifted(row.clone(), &shifts)));
    }
    // More of what never goes backwards never hurts: where the most is not enough, nothing is.
    if shifts(&skewed_by(&vec![LARGEST_FACTOR; outer.len()]), pairs)?.is_none() {
        return Ok(None);
    }
    let mut rows: Vec<Row> = factors(outer.len()).iter().skip(1).map(|f| skewed_by(f)).collect();
    // The least skewed first.
    rows.sort_by_key(|row| row.values().flat_map(|value| value.terms.values()).map(|c| c.abs()).sum::<i64>());
    for skewed in rows {
        if let Some(shifts) = shifts(&skewed, pairs)? {
            return Ok(Some(shifted(skewed, &shifts)));
        }
    }
    Ok(None)
}

fn factors(n: usize) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for _ in 0..n {
        all = all.into_iter().flat_map(|f| (0..=LARGEST_FACTOR).map(move |x| [&f[..], &[x]].concat())).collect();
    }
    all
}

/// The smallest constants, at least 0, that make every distance at least 0: longest paths in the graph of the
/// dependences. `None` where a cycle goes backwards or a distance has no bound.
fn shifts(row: &Row, pairs: &[Pairs]) -> Result<Option<BTreeMap<StatementId, i64>>> {
    let mut shifts: BTreeMap<StatementId, i64> = row.keys().map(|s| (*s, 0)).collect();
    let ends = |pairs: &Pairs| Some((row.get(&pairs.source)?, row.get(&pairs.sink)?));
    // Whether a distance is negative is told much faster than how long it is.
    let mut is_forward = true;
    for pairs in pairs {
        let Some((source, sink)) = ends(pairs) else { continue };
        if pairs.go_backwards(source, sink)? {
            if pairs.source == pairs.sink {
                return Ok(None);
            }
            is_forward = false;
        }
    }
    if is_forward {
        return Ok(Some(shifts));
    }
    let mut edges = vec![];
    for pairs in pairs {
        let Some((source, sink)) = ends(pairs) else { continue };
        let Some(distance) = pairs.smallest_distance(source, sink)? else {
            return Ok(None);
        };
        edges.push((pairs.source, pairs.sink, distance));
    }
    for _ in 0..=row.len() {
        let mut settled = true;
        for (source, sink, distance) in &edges {
            let needed = shifts[source] - distance;
            if shifts[sink] < needed {
                shifts.insert(*sink, needed);
                settled = false;
            }
        }
        if settled {
            return Ok(Some(shifts));
        }
    }
    Ok(None)
}
