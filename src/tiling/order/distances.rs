//! The dependences inside a band, as distances between the dimensions of a [`Space`]: which orders they
//! allow, and over what they are carried.

use anyhow::Result;

use super::space::Space;
use crate::affine::Affine;
use crate::ids::{ArrayId, StatementId};
use crate::polyhedral::isl::{Constraint, Map, Set, Tuple};
use crate::polyhedral::{Dependence, DependenceKind, Program};

/// A flow or other dependence inside the band.
pub(super) struct Distances {
    pub kind: DependenceKind,
    /// The statements' places in the band.
    pub source: usize,
    pub sink: usize,
    /// Index into `Kernel::arrays`.
    pub array: ArrayId,
    /// The distances of pairs that can lie in one tile: `{ [d0, d1, …] }`.
    pub set: Set,
    /// Those at the sizes that the user runs.
    pub near: Set,
    /// The pairs, in dimensions of the space.
    pub pairs: Map,
}

impl Space {
    /// The distances within one tile of every dependence inside the band.
    pub(super) fn distances(&self, program: &Program, statements: &[StatementId]) -> Result<Vec<Distances>> {
        let isl = &program.isl;
        let names: Vec<String> = (0..self.sizes.len()).map(|k| format!("d{k}")).collect();
        let mut inside = vec![];
        for (name, &size) in names.iter().zip(&self.sizes).take(self.tiled) {
            inside.push(Constraint::at_most(Affine::variable(name), Affine::constant(size - 1)));
            inside.push(Constraint::at_most(Affine::constant(1 - size), Affine::variable(name)));
        }
        let inside = isl.set(&[], Tuple::unnamed(&names), &inside)?;
        let mut usual = vec![];
        for (name, &extent) in names.iter().zip(&self.extents) {
            usual.push(Constraint::at_most(Affine::variable(name), Affine::constant(extent - 1)));
            usual.push(Constraint::at_most(Affine::constant(1 - extent), Affine::variable(name)));
        }
        let usual = isl.set(&[], Tuple::unnamed(&names), &usual)?;
        let mut maps = vec![];
        for (&s, values) in statements.iter().zip(&self.values) {
            let statement = &program.statements[s];
            let tuple = Tuple { name: &statement.name, dimensions: &statement.iterators };
            maps.push(isl.function(&program.parameters, tuple, Tuple::anonymous(), values)?);
        }
        let place = |statement: StatementId| statements.iter().position(|s| *s == statement);
        let mut found = vec![];
        for Dependence { kind, source, sink, array, relation } in &program.dependences {
            let (Some(source), Some(sink)) = (place(*source), place(*sink)) else { continue };
            let pairs = relation.apply_domain(&maps[source])?.apply_range(&maps[sink])?;
            let set = pairs.deltas()?.project_out_all_params()?.intersect(&inside)?;
            let near = set.without_tuple_name()?.intersect(&usual)?;
            found.push(Distances { kind: *kind, source, sink, array: *array, set, near, pairs });
        }
        Ok(found)
    }

    /// The distances of a dependence between two instances in one iteration of the loops `outer`; `None` where it leads
    /// back in them.
    pub(super) fn inside(&self, outer: &[usize], set: &Set) -> Result<Option<Set>> {
        let mut rest = set.clone();
        for &dimension in outer {
            if self.may_lead_back(dimension) && rest.minimum(dimension)?.finite().is_none_or(|least| least < 0) {
                return Ok(rest.is_empty()?.then_some(rest));
            }
            rest = rest.fix(dimension, 0)?;
        }
        Ok(Some(rest))
    }

    /// Whether `order`, with the statements one after the other at the depth `apart`, reverses none of these
    /// dependences. θ's own dimensions have no negative distances, so that only the others, and the statements' own
    /// order inside `apart`, can.
    pub(super) fn is_legal<'a>(
        &self,
        order: &[usize],
        apart: usize,
        distances: impl Iterator<Item = &'a Distances>,
    ) -> Result<bool> {
        for Distances { source, sink, set, .. } in distances {
            let depth = if source == sink { order.len() } else { apart };
            let Some(rest) = self.inside(&order[..depth], set)? else { return Ok(false) };
            // Where θ does not tell instances apart, those that run together to the end keep the order of the source.
            let is_by_place = source > sink && (self.injective || apart < self.rank());
            if is_by_place && !rest.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What each level of `order` carries of the flow dependences, from the innermost level outwards; nothing carried is the
/// longest distance.
pub(super) fn carried_by_level<'a>(
    order: &[usize],
    distances: impl IntoIterator<Item = &'a Distances> + Clone,
) -> Result<Vec<i64>> {
    let carried = |level| carried_distance(order, level, distances.clone().into_iter());
    (0..order.len()).rev().map(|level| Ok(carried(level)?.unwrap_or(i64::MAX))).collect()
}

/// The shortest distance among those that are 0 in the levels outside `level` and positive there; for the innermost
/// level, of a dependence that it carries alone.
fn carried_distance<'a>(
    order: &[usize],
    level: usize,
    distances: impl Iterator<Item = &'a Distances>,
) -> Result<Option<i64>> {
    let mut shortest: Option<i64> = None;
    for Distances { set, .. } in distances.filter(|d| d.kind == DependenceKind::Flow) {
        let mut set = set.clone();
        for &outer in &order[..level] {
            set = set.fix(outer, 0)?;
        }
        // All components are at least 0, so the nearest carried distance is the smallest one that is not 0.
        let zero = set.fix(order[level], 0)?;
        if let Some(distance) = set.subtract(&zero)?.minimum(order[level])?.finite() {
            shortest = Some(shortest.map_or(distance, |s| s.min(distance)));
        }
    }
    Ok(shortest)
}
