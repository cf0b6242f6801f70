//! When Load and Store are right, as predicates on any candidate (RR-7697 Definitions 1 to 4, with Theorems 3 and 4 for
//! writes that happen for some data only). `Out` is what may be written, `SureOut` what surely is.

use std::fmt;

use anyhow::{Result, bail};

use super::ArrayFlow;
use crate::polyhedral::isl::Map;
use crate::tiling::Band;

/// A condition that a candidate breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Theorem 3 (i): `In(T) \ SureOut(t < T) ⊆ Load(t <= T)`.
    LoadMissesInput,
    /// Theorem 3 (ii): `Out(t < T) ∩ Load(T) = ∅`.
    LoadOverwritesResult,
    /// Definition 3 (ii): `∪ In'(t) \ SureOut(t' < t) = Load(t <= Tmax)`, where `In'` has what stores read as well.
    LoadIsUseless,
    /// Definition 3 (iii): `Load(T) ∩ Load(T') = ∅`.
    LoadRepeats,
    /// Definition 2 (i): `Out(t <= Tmax) = Store(t <= Tmax)`.
    StoreDiffersFromResult,
    /// Definition 2 (ii): `Store(T) ∩ Out(t > T) = ∅`.
    StoreTooEarly,
    /// Theorem 4 (iii): `Store(T) \ SureOut(t <= T) ⊆ Load(t <= T)`.
    StoreOfNothing,
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
            Violation::StoreOfNothing => "a cell is stored that was neither loaded nor surely written",
            Violation::StoreRepeats => "two tiles of a strip store one cell",
        })
    }
}

/// What no earlier tile of the strip surely writes of `cells`, `{ T -> c }`: what every valid load covers.
fn remote(band: &Band, flow: &ArrayFlow, cells: &Map) -> Result<Map> {
    cells.subtract(&band.earlier.apply_range(flow.sure_out())?)
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
    if !remote(band, flow, &flow.live_in)?.is_subset(&up_to(band, load)?)? {
        violations.push(Violation::LoadMissesInput);
    }
    if !band.earlier.apply_range(&flow.out)?.is_disjoint(load)? {
        violations.push(Violation::LoadOverwritesResult);
    }
    Ok(violations)
}

/// What keeps a valid `load` from being exact (Definition 3), beside a `store`.
pub fn load_excess(band: &Band, flow: &ArrayFlow, load: &Map, store: &Map) -> Result<Vec<Violation>> {
    let mut violations = vec![];
    let demand = match &flow.sure_out {
        None => remote(band, flow, &flow.live_in)?,
        Some(sure_out) => remote(band, flow, &super::demand(&flow.live_in, store, sure_out)?)?,
    };
    if !of_strip(band, load)?.is_equal(&of_strip(band, &demand)?)? {
        violations.push(Violation::LoadIsUseless);
    }
    if !band.earlier.apply_range(load)?.is_disjoint(load)? {
        violations.push(Violation::LoadRepeats);
    }
    Ok(violations)
}

/// What is wrong with `store` as a valid store operator (Definition 2, Theorem 4), beside a `load`.
pub fn store_violations(band: &Band, flow: &ArrayFlow, load: &Map, store: &Map) -> Result<Vec<Violation>> {
    let mut violations = vec![];
    if !of_strip(band, store)?.is_equal(&of_strip(band, &flow.out)?)? {
        violations.push(Violation::StoreDiffersFromResult);
    }
    if !band.later.apply_range(&flow.out)?.is_disjoint(store)? {
        violations.push(Violation::StoreTooEarly);
    }
    if let Some(sure_out) = &flow.sure_out {
        let known = up_to(band, &sure_out.union(load)?)?;
        if !store.is_subset(&known)? {
            violations.push(Violation::StoreOfNothing);
        }
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
    all.extend(load_excess(band, flow, load, store)?);
    all.extend(store_violations(band, flow, load, store)?);
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
