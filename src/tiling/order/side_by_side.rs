//! Orders in which several values of one dimension run in one cycle. The instances of lanes read before they write, and
//! all of them run before the next values of the dimensions further in.

use anyhow::Result;

use super::candidate::{Candidate, Lane, Merit};
use super::distances::Distances;
use super::search::Alone;
use super::space::Space;
use crate::affine::Affine;
use crate::diagnostic::Diagnostic;
use crate::ids::{ArrayId, ByArray, StatementId};
use crate::polyhedral::isl::{Constraint, Tuple};
use crate::polyhedral::{DependenceKind, Program};
use crate::source::kernel::{Array, Kernel, LanesDirective, TilingDirective};
use crate::tiling::lane_shape::{Banked, LaneShape, Lanes, StatementLanes};

/// What a tree over the lanes' terms costs beside lanes that write their own cells: of two orders that take as long, the
/// one without.
const TREE: f64 = 1.01;

/// What an array costs whose elements in lanes are no neighbours in memory: they are moved one by one.
const ACROSS: f64 = 1.05;

/// Lanes that somebody asks for.
pub struct Wanted<'a> {
    directive: LanesDirective,
    /// By statement of the band and dimension of the space: what lanes along it mean, or why there are none.
    shapes: Vec<Vec<Result<LaneShape, String>>>,
    /// How many arrays each of them accesses across memory's rows.
    across: Vec<Vec<usize>>,
    /// The array that each statement writes first, indices into `Kernel::arrays`.
    targets: Vec<ArrayId>,
    /// What bands before have in banks.
    banked: &'a Banked,
}

impl<'a> Wanted<'a> {
    /// `banked` is what bands before have in banks.
    ///
    /// # Errors
    /// A [`Diagnostic`] where a tile has an order of the source's.
    pub fn new(
        program: &Program,
        kernel: &Kernel,
        directive: &TilingDirective,
        lanes: LanesDirective,
        (space, statements): (&Space, &[StatementId]),
        banked: &'a Banked,
    ) -> Result<Wanted<'a>> {
        if !space.injective {
            let at = if lanes.span.line > 0 { lanes.span } else { directive.span };
            return Err(Diagnostic::new("lanes need a schedule that tells all iterations apart")
                .at(at, "iterations with one time")
                .help("give the schedule as many independent dimensions as there are loops")
                .into());
        }
        let all = kernel.statements();
        let shapes = |(&s, values): (&StatementId, &Vec<Affine>)| -> Vec<Result<LaneShape, String>> {
            let along = |k| LaneShape::new(kernel, all[s], &program.statements[s].iterators, values, k);
            (0..space.sizes.len()).map(along).collect()
        };
        let shapes: Vec<_> = statements.iter().zip(&space.values).map(shapes).collect();
        let is_across = |(array, subscript): (&ArrayId, &usize)| {
            kernel.arrays[*array].layout().innermost().is_some_and(|innermost| innermost != *subscript)
        };
        let across = |shape: &Result<LaneShape, String>| -> usize {
            shape.iter().flat_map(|shape| &shape.banks).filter(|(a, s)| is_across((a, s))).count()
        };
        Ok(Wanted {
            directive: lanes,
            across: shapes.iter().map(|own| own.iter().map(across).collect()).collect(),
            shapes,
            targets: statements.iter().map(|&s| all[s].target.array).collect(),
            banked,
        })
    }

    /// The lanes of a candidate, by statement.
    pub fn lanes(&self, lanes: &[Option<Lane>], space: &Space) -> Lanes {
        let own = |(place, lane): (usize, &Option<Lane>)| {
            let Lane { dimension, level } = (*lane)?;
            let shape = self.shapes[place][dimension].clone().ok()?;
            Some(StatementLanes { level, along: space.values[place][dimension].to_string(), shape })
        };
        Lanes { count: self.directive.count, per_statement: lanes.iter().enumerate().map(own).collect() }
    }

    /// What a statement's lanes along a dimension cost, over their cycles.
    fn dearer(&self, place: usize, dimension: usize) -> f64 {
        let has_tree = self.shapes[place][dimension].as_ref().is_ok_and(|shape| shape.reduction.is_some());
        (if has_tree { TREE } else { 1.0 }) * ACROSS.powi(self.across[place][dimension] as i32)
    }

    /// Why no dimension has these lanes.
    pub fn refusal(
        &self,
        directive: &TilingDirective,
        space: &Space,
        names: &[&str],
        arrays: &ByArray<Array>,
    ) -> Diagnostic {
        let count = self.directive.count;
        let mut reasons = vec![];
        for ((shapes, values), name) in self.shapes.iter().zip(&space.values).zip(names) {
            for (k, shape) in shapes.iter().enumerate() {
                if values[k].is_constant() || space.sizes[k] == 1 {
                    continue;
                }
                let reason = match shape {
                    Err(reason) => reason.clone(),
                    Ok(_) if space.sizes[k] < count => format!("a tile has {} of its values only", space.sizes[k]),
                    Ok(shape) => match shape.banks.iter().find(|(a, s)| self.banked.get(a).is_some_and(|b| b != *s)) {
                        Some((array, _)) => {
                            format!("a band before has `{}` side by side along another subscript", arrays[*array].name)
                        }
                        None if names.len() > 1 => "neighbours depend on one another, or on other statements".into(),
                        None => "neighbours depend on one another".into(),
                    },
                };
                let of = if names.len() > 1 { format!("{name} ") } else { String::new() };
                reasons.push(format!("{of}along {}: {reason}", values[k]));
            }
        }
        let at = if self.directive.span.line > 0 { self.directive.span } else { directive.span };
        Diagnostic::new(format!("no dimension of the tile can run {count} of its values side by side"))
            .at(at, format!("{count} lanes"))
            .help(match reasons.is_empty() {
                true => "every dimension of the tile has size 1".into(),
                false => reasons.join("; "),
            })
    }
}

/// What a statement's lanes come to in one of its orders.
struct Choice<'a> {
    merit: Merit,
    cycles: f64,
    alone: &'a Alone<'a>,
    /// The level of the order that has them.
    level: Option<usize>,
}

impl Space {
    /// The statements one after the other inside the loops `outer`, each in one of its `own` orders, with lanes along one of
    /// the loops that it has to itself; those with the most iterations choose first which subscripts of arrays are in
    /// banks. `None` where no statement has lanes.
    pub(super) fn with_lanes(
        &self,
        outer: &[usize],
        own: &[Vec<Alone>],
        distances: &[Distances],
        wanted: &Wanted,
    ) -> Result<Option<Candidate>> {
        let Some(places) = self.places(outer, distances)? else { return Ok(None) };
        let mut banked = wanted.banked.clone();
        let mut by_work: Vec<usize> = (0..own.len()).collect();
        by_work.sort_by(|a, b| self.iterations(*b).total_cmp(&self.iterations(*a)));
        let mut chosen: Vec<Option<Choice>> = own.iter().map(|_| None).collect();
        for place in by_work {
            for alone in own[place].iter().filter(|alone| alone.order.starts_with(outer)) {
                // A statement beside others may be faster without.
                let without = (own.len() > 1).then_some(None);
                for level in (outer.len()..alone.order.len()).map(Some).chain(without) {
                    if let Some(level) = level
                        && !self.allows_lanes(alone, level, distances, wanted, &banked)?
                    {
                        continue;
                    }
                    let row = self.row(&self.values[place], alone.order).filter(|row| *row >= outer.len());
                    let length = row.map_or(1, |row| self.sizes[alone.order[row]]) as f64;
                    let cycles = self.cycles_in_lanes(alone, level, outer.len(), distances, wanted)?;
                    let cost = cycles * level.map_or(1.0, |level| wanted.dearer(place, alone.order[level]));
                    let merit = Merit { cost, length, carried: alone.carried.clone() };
                    let best = &mut chosen[place];
                    if best.as_ref().is_none_or(|known| merit.beats(&known.merit)) {
                        *best = Some(Choice { merit, cycles, alone, level });
                    }
                }
            }
            let Some(Choice { alone, level, .. }) = &chosen[place] else { return Ok(None) };
            if let Some(level) = level
                && let Ok(shape) = &wanted.shapes[place][alone.order[*level]]
            {
                banked.extend(shape.banks.clone());
            }
        }
        let chosen: Vec<Choice> = chosen.into_iter().flatten().collect();
        if chosen.iter().all(|choice| choice.level.is_none()) {
            return Ok(None);
        }
        let apart = (own.len() > 1).then_some(outer.len());
        let mut carried = vec![i64::MAX; self.rank()];
        for choice in &chosen {
            carried.iter_mut().zip(&choice.alone.carried).for_each(|(least, own)| *least = (*least).min(*own));
        }
        let lane = |choice: &Choice| {
            let level = choice.level?;
            // The statement's place among the others is a level, too.
            Some(Lane { dimension: choice.alone.order[level], level: level + usize::from(apart.is_some()) })
        };
        Ok(Some(Candidate {
            dimensions: chosen.iter().map(|choice| choice.alone.order.to_vec()).collect(),
            apart,
            places,
            cost: chosen.iter().map(|choice| choice.merit.cost).sum(),
            cycles: chosen.iter().map(|choice| choice.cycles).sum(),
            carried,
            lanes: chosen.iter().map(lane).collect(),
            late: vec![],
        }))
    }

    /// Whether a statement alone may have lanes at a level of its order, with these arrays in banks already.
    fn allows_lanes(
        &self,
        alone: &Alone,
        level: usize,
        distances: &[Distances],
        wanted: &Wanted,
        banked: &Banked,
    ) -> Result<bool> {
        let dimension = alone.order[level];
        let Ok(shape) = &wanted.shapes[alone.place][dimension] else { return Ok(false) };
        let agrees =
            shape.banks.iter().all(|(array, subscript)| banked.get(array).is_none_or(|known| known == subscript));
        Ok(agrees
            && self.sizes[dimension] >= wanted.directive.count
            && !self.values[alone.place][dimension].is_constant()
            && self.is_parallel(alone, level, distances, wanted, shape)?)
    }

    /// Cycles of a statement per tile, estimated; its order is its own from the depth `apart` on.
    fn cycles_in_lanes(
        &self,
        alone: &Alone,
        level: Option<usize>,
        apart: usize,
        distances: &[Distances],
        wanted: &Wanted,
    ) -> Result<f64> {
        let count = wanted.directive.count;
        let lane = level.map(|level| alone.order[level]);
        let own = distances.iter().filter(|d| d.source == alone.place && d.sink == alone.place);
        let lanes = lane.map(|lane| (lane, count));
        let pace = self.in_groups(lane, count).pace_in_groups(alone.place, alone.order, apart, own, lanes)?;
        Ok(pace.cycles)
    }

    /// Whether values of the dimension at `level` of a statement's order less than `count` apart can run in one cycle: no
    /// dependence of it on itself between them leads back in the dimensions further in, and none but a read before a write stays within one cycle.
    fn is_parallel(
        &self,
        Alone { place, order, .. }: &Alone,
        level: usize,
        distances: &[Distances],
        wanted: &Wanted,
        shape: &LaneShape,
    ) -> Result<bool> {
        let names: Vec<String> = (0..self.sizes.len()).map(|k| format!("d{k}")).collect();
        let lane = Affine::variable(&names[order[level]]);
        let near = [
            Constraint::at_most(Affine::constant(1), lane.clone()),
            Constraint::at_most(lane, Affine::constant(wanted.directive.count - 1)),
        ];
        for Distances { kind, array, set, .. } in distances.iter().filter(|d| (d.source, d.sink) == (*place, *place)) {
            // Updates of one cell may run in any order.
            if shape.reduction.is_some() && wanted.targets[*place] == *array {
                continue;
            }
            let mut rest =
                set.without_tuple_name()?.intersect(&set.context().set(&[], Tuple::unnamed(&names), &near)?)?;
            for &outer in &order[..level] {
                rest = rest.fix(outer, 0)?;
            }
            for &inner in &order[level + 1..] {
                if !rest.is_empty()? && rest.minimum(inner)?.finite().is_none_or(|least| least < 0) {
                    return Ok(false);
                }
                rest = rest.fix(inner, 0)?;
            }
            if *kind != DependenceKind::Anti && !rest.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
