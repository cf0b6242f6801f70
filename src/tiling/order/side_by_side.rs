//! Orders in which several values of one dimension run in one cycle. The instances of lanes read before they write, and
//! all of them run before the next values of the dimensions further in.

use anyhow::Result;

use super::candidate::{Candidate, Lane};
use super::distances::{Distances, carried_by_level};
use super::pace::CYCLES_PER_ROW;
use super::space::Space;
use crate::affine::Affine;
use crate::diagnostic::Diagnostic;
use crate::ids::{ArrayId, StatementId};
use crate::polyhedral::isl::{Constraint, Tuple};
use crate::polyhedral::{DependenceKind, Program};
use crate::source::kernel::{Kernel, LanesDirective, TilingDirective};
use crate::tiling::lane_shape::{LaneShape, Lanes};

/// What a tree over the lanes' terms costs beside lanes that write their own cells: of two orders that take as long, the
/// one without.
const TREE: f64 = 1.01;

/// Lanes that somebody asks for.
pub struct Wanted {
    directive: LanesDirective,
    /// By dimension of the space: what lanes along it mean for each statement of the band, or why there are none.
    shapes: Vec<Result<Vec<LaneShape>, String>>,
    /// The array that each statement writes, indices into `Kernel::arrays`.
    targets: Vec<ArrayId>,
}

impl Wanted {
    /// # Errors
    /// A [`Diagnostic`] where the band has more than one statement, or a tile an order of the source's.
    pub fn new(
        program: &Program,
        kernel: &Kernel,
        directive: &TilingDirective,
        lanes: LanesDirective,
        (space, statements): (&Space, &[StatementId]),
    ) -> Result<Wanted> {
        let refuse = |message: &str, label: &str, help: &str| {
            let at = if lanes.span.line > 0 { lanes.span } else { directive.span };
            Err(Diagnostic::new(message).at(at, label).help(help).into())
        };
        if program.statements.len() > 1 {
            return refuse(
                "lanes need a kernel of one statement",
                "several statements",
                "leave the lanes out, or make each statement a kernel of its own",
            );
        }
        if !space.injective {
            return refuse(
                "lanes need a schedule that tells all iterations apart",
                "iterations with one time",
                "give the schedule as many independent dimensions as there are loops",
            );
        }
        let all = kernel.statements();
        let shapes = |k: usize| -> Result<Vec<LaneShape>, String> {
            let own = statements.iter().zip(&space.values);
            own.map(|(&s, values)| LaneShape::new(kernel, all[s], &program.statements[s].iterators, values, k))
                .collect()
        };
        Ok(Wanted {
            directive: lanes,
            shapes: (0..space.sizes.len()).map(shapes).collect(),
            targets: statements.iter().map(|&s| all[s].target.array).collect(),
        })
    }

    /// The lanes of a candidate.
    pub fn lanes(&self, lane: Lane, space: &Space) -> Option<Lanes> {
        let per_statement = self.shapes[lane.dimension].clone().ok()?;
        let along = space.along(lane.dimension);
        Some(Lanes { count: self.directive.count, level: lane.level, along, per_statement })
    }

    /// Why no dimension has these lanes.
    pub fn refusal(&self, directive: &TilingDirective, space: &Space) -> Diagnostic {
        let count = self.directive.count;
        let mut reasons = vec![];
        for (k, shape) in self.shapes.iter().enumerate() {
            if space.values.iter().all(|values| values[k].is_constant()) || space.sizes[k] == 1 {
                continue;
            }
            let reason = match shape {
                Err(reason) => reason.clone(),
                Ok(_) if space.sizes[k] < count => format!("a tile has {} of its values only", space.sizes[k]),
                Ok(_) => "neighbours depend on one another".into(),
            };
            reasons.push(format!("along {}: {reason}", space.along(k)));
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

impl Space {
    /// A dimension for people: `i`.
    fn along(&self, dimension: usize) -> String {
        let mut texts: Vec<String> = vec![];
        for value in self.values.iter().map(|values| values[dimension].to_string()) {
            if !texts.contains(&value) {
                texts.push(value);
            }
        }
        texts.join(", ")
    }

    /// All statements in one order, with lanes along each dimension that allows them.
    pub(super) fn with_lanes(
        &self,
        order: &[usize],
        distances: &[Distances],
        wanted: &Wanted,
    ) -> Result<Vec<Candidate>> {
        if !self.is_legal(order, order.len(), distances.iter())? {
            return Ok(vec![]);
        }
        let (n, count, statements) = (order.len(), wanted.directive.count, self.values.len());
        let carried = carried_by_level(order, distances)?;
        let mut found = vec![];
        for (level, &lane) in order.iter().enumerate() {
            let Ok(shapes) = &wanted.shapes[lane] else { continue };
            if self.sizes[lane] < count || !self.is_parallel(order, level, distances, wanted, shapes)? {
                continue;
            }
            let mut sizes = self.sizes.clone();
            sizes[lane] = (sizes[lane] + count - 1) / count;
            let cost = |((values, latency), shape): ((&Vec<Affine>, &f64), &LaneShape)| {
                let row = self.row(values, order);
                let length = row.filter(|_| statements == 1).map_or(1, |row| sizes[order[row]]);
                let distance = row.map(|row| (carried[n - 1 - row], order[row] == lane));
                let distance = distance.map(|(d, along)| if along && d != i64::MAX { (d / count).max(1) } else { d });
                let cycles = cycles(values, &sizes, length, distance, *latency);
                cycles * if shape.reduction.is_some() { TREE } else { 1.0 }
            };
            found.push(Candidate {
                dimensions: vec![order.to_vec(); statements],
                apart: (statements > 1).then_some(n),
                places: (0..statements).collect(),
                cost: self.values.iter().zip(&self.latencies).zip(shapes).map(cost).sum(),
                carried: carried.clone(),
                late: vec![],
                lane: Some(Lane { dimension: lane, level }),
            });
        }
        Ok(found)
    }

    /// Whether values of the dimension at `level` less than `count` apart can run in one cycle: no dependence between
    /// them leads back in the dimensions further in, and none but a read before a write stays within one cycle.
    fn is_parallel(
        &self,
        order: &[usize],
        level: usize,
        distances: &[Distances],
        wanted: &Wanted,
        shapes: &[LaneShape],
    ) -> Result<bool> {
        let names: Vec<String> = (0..self.sizes.len()).map(|k| format!("d{k}")).collect();
        let lane = Affine::variable(&names[order[level]]);
        let near = [
            Constraint::at_most(Affine::constant(1), lane.clone()),
            Constraint::at_most(lane, Affine::constant(wanted.directive.count - 1)),
        ];
        for Distances { kind, source, sink, array, set, .. } in distances {
            // Updates of one cell may run in any order.
            if source == sink && shapes[*source].reduction.is_some() && wanted.targets[*source] == *array {
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

/// Cycles per tile, estimated: rows that are short, and distances shorter than the pipeline, cost
/// more than one per instance. `sizes` are those of the dimensions, `length` is that of rows, and `carried` the distance
/// that the innermost loop carries.
fn cycles(values: &[Affine], sizes: &[i64], length: i64, carried: Option<i64>, latency: f64) -> f64 {
    let interval = match carried {
        None | Some(i64::MAX) => 1.0,
        Some(distance) => (latency / distance as f64).max(1.0),
    };
    let varies = |(value, size): &(&Affine, &i64)| !value.is_constant() && **size > 1;
    let trips: f64 = values.iter().zip(sizes).filter(varies).map(|(_, size)| *size as f64).product();
    trips * interval.max(CYCLES_PER_ROW / length as f64)
}
