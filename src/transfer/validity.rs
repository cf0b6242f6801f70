//! When Load and Store are right, as predicates on any candidate (RR-7697 Definitions 1 to 4).

use std::fmt;

use anyhow::{Result, bail};

use super::ArrayFlow;
use crate::polyhedral::isl::Map;
use crate::tiling::Band;

/// A condition that a candidate breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Definition 1 (i): `In(T) \ Out(t < T) ⊆ Load(t <= T)`.
    LoadMissesInput,
    /// Definition 1 (ii): `Out(t < T) ∩ Load(T) = ∅`.
    LoadOverwritesResult,
    /// Definition 3 (ii): `∪ In(t) \ Out(t' < t) = Load(t <= Tmax)`.
    LoadIsUseless,
    /// Definition 3 (iii): `Load(T) ∩ Load(T') = ∅`.
    LoadRepeats,
    /// Definition 2 (i): `Out(t <= Tmax) = Store(t <= Tmax)`.
    StoreDiffersFromResult,
    /// Definition 2 (ii): `Store(T) ∩ Out(t > T) = ∅`.
    StoreTooEarly,
    /// Definition 4 (ii): `Store(T) ∩ Store(T') = ∅`.
    StoreRepeats,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Violation::LoadMissesInput => "a tile reads a cell that is neither loaded nor written before",
            Violation::LoadOverwritesResult => "a load overwrites what an earlier tile wrote",
            Violation::LoadIsUseless => "a cell is loaded that no tile reads before writing it",
            Violation::LoadRepeats => "two tiles of a strip load one cell",
            Violation::StoreDiffersFromResult => "the cells stored are not the cells written",
            Violation::StoreTooEarly => "a cell is stored before its last write",
            Violation::StoreRepeats => "two tiles of a strip store one cell",
        })
    }
}

/// `∪ In(t) \ Out(t' < t)` by tile: `{ T -> c }`, what every valid load covers.
fn demand(band: &Band, flow: &ArrayFlow) -> Result<Map> {
    flow.live_in.subtract(&band.earlier.apply_range(&flow.out)?)
}

/// `{ T -> c }` over all strips as `{ Strip -> c }`.
fn of_strip(band: &Band, cells: &Map) -> Result<Map> {
    band.strip.reverse()?.apply_range(cells)
}

fn up_to(band: &Band, cells: &Map) -> Result<Map> {
    cells.union(&band.earlier.apply_range(cells)?)
}

/// What is wrong with `load` as a valid load operator (Definition 1).
pub fn load_violations(band: &Band, flow: &ArrayFlow, load: &Map) -> Result<Vec<Violation>> {
    let mut violations = vec![];
    if !demand(band, flow)?.is_subset(&up_to(band, load)?)? {
        violations.push(Violation::LoadMissesInput);
    }
    if !band.earlier.apply_range(&flow.out)?.is_disjoint(load)? {
        violations.push(Violation::LoadOverwritesResult);
    }
    Ok(violations)
}

/// What keeps a valid `load` from being exact (Definition 3).
pub fn load_excess(band: &Band, flow: &ArrayFlow, load: &Map) -> Result<Vec<Violation>> {
    let mut violations = vec![];
    if !of_strip(band, load)?.is_equal(&of_strip(band, &demand(band, flow)?)?)? {
        violations.push(Violation::LoadIsUseless);
    }
    if !band.earlier.apply_range(load)?.is_disjoint(load)? {
        violations.push(Violation::LoadRepeats);
    }
    Ok(violations)
}

/// What is wrong with `store` as a valid store operator (Definition 2).
pub fn store_violations(band: &Band, flow: &ArrayFlow, store: &Map) -> Result<Vec<Violation>> {
    let mut violations = vec![];
    if !of_strip(band, store)?.is_equal(&of_strip(band, &flow.out)?)? {
        violations.push(Violation::StoreDiffersFromResult);
    }
    if !band.later.apply_range(&flow.out)?.is_disjoint(store)? {
        violations.push(Violation::StoreTooEarly);
    }
    Ok(violations)
}

/// What keeps a valid `store` from being exact (Definition 4).
pub fn store_excess(band: &Band, _flow: &ArrayFlow, store: &Map) -> Result<Vec<Violation>> {
    let repeats = !band.earlier.apply_range(store)?.is_disjoint(store)?;
    Ok(if repeats { vec![Violation::StoreRepeats] } else { vec![] })
}

/// All conditions of validity and exactness together.
pub fn violations(band: &Band, flow: &ArrayFlow, load: &Map, store: &Map) -> Result<Vec<Violation>> {
    let mut all = load_violations(band, flow, load)?;
    all.extend(load_excess(band, flow, load)?);
    all.extend(store_violations(band, flow, store)?);
    all.extend(store_excess(band, flow, store)?);
    Ok(all)
}

/// # Errors
/// An internal error that names the first condition broken.
pub fn require_exact(band: &Band, flow: &ArrayFlow, load: &Map, store: &Map, array: &str) -> Result<()> {
    if let Some(violation) = violations(band, flow, load, store)?.first() {
        bail!("internal error: transfers of {array}: {violation}");
    }
    Ok(())
}
