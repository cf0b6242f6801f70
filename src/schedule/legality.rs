//! Legality of a schedule, exactly, on the relations of the dependences.

use anyhow::Result;

use super::BandPlan;
use crate::affine::Affine;
use crate::ids::StatementId;
use crate::polyhedral::isl::{Constraint, Map, Tuple};
use crate::polyhedral::{Dependence, Program};

/// The pairs of one dependence that the sequential dimensions seen so far do not order.
pub struct Pairs<'a> {
    program: &'a Program,
    pub source: StatementId,
    pub sink: StatementId,
    relation: Map,
    /// Names of the sink's iterators that differ from those of the source's.
    sink_names: Vec<String>,
}

impl<'a> Pairs<'a> {
    pub fn new(program: &'a Program, dependence: &Dependence) -> Self {
        let sink_names = program.statements[dependence.sink].iterators.iter().map(|name| format!("{name}'")).collect();
        Pairs {
            program,
            source: dependence.source,
            sink: dependence.sink,
            relation: dependence.relation.clone(),
            sink_names,
        }
    }

    pub fn is_empty(&self) -> Result<bool> {
        self.relation.is_empty()
    }

    /// `{ S0[i] -> S1[i'] }`
    pub fn relation(&self) -> &Map {
        &self.relation
    }

    /// `row_t(sink) - row_s(source)`
    fn distance(&self, source_row: &Affine, sink_row: &Affine) -> Affine {
        let iterators = &self.program.statements[self.sink].iterators;
        let renamed = sink_row.substitute(|name| match iterators.iter().position(|i| i == name) {
            Some(position) => Affine::variable(&self.sink_names[position]),
            None => Affine::variable(name),
        });
        renamed - source_row.clone()
    }

    fn where_distance(&self, constraint: Constraint) -> Result<Map> {
        let [source, sink] = [self.source, self.sink].map(|s| &self.program.statements[s]);
        let domain = Tuple { name: &source.name, dimensions: &source.iterators };
        let range = Tuple { name: &sink.name, dimensions: &self.sink_names };
        let map = self.program.isl.map(&self.program.parameters, domain, range, &[constraint])?;
        self.relation.intersect(&map)
    }

    /// Whether some pair has a negative distance.
    pub fn go_backwards(&self, source_row: &Affine, sink_row: &Affine) -> Result<bool> {
        let distance = self.distance(source_row, sink_row);
        if distance.is_constant() {
            return Ok(distance.constant < 0 && !self.is_empty()?);
        }
        Ok(!self.where_distance(Constraint::at_most(distance, Affine::constant(-1)))?.is_empty()?)
    }

    /// The smallest distance over all sizes; `None` where there is none.
    pub fn smallest_distance(&self, source_row: &Affine, sink_row: &Affine) -> Result<Option<i64>> {
        let function = |statement: StatementId, row: &Affine| {
            let statement = &self.program.statements[statement];
            let tuple = Tuple { name: &statement.name, dimensions: &statement.iterators };
            self.program.isl.function(&self.program.parameters, tuple, Tuple::anonymous(), std::slice::from_ref(row))
        };
        let distances = self
            .relation
            .apply_domain(&function(self.source, source_row)?)?
            .apply_range(&function(self.sink, sink_row)?)?
            .deltas()?;
        Ok(distances.minimum(0)?.finite())
    }

    /// Keeps the pairs of distance 0: what a sequential dimension does not order.
    pub fn keep_equal(&mut self, source_row: &Affine, sink_row: &Affine) -> Result<()> {
        let distance = self.distance(source_row, sink_row);
        if distance != Affine::default() {
            self.relation = self.where_distance(Constraint::Zero(distance))?;
        }
        Ok(())
    }
}

/// Whether the tiles respect every dependence, whatever the sizes of tileable dimensions, and the bands stand apart: a
/// dependence between two bands must be carried by a sequential dimension, one inside a band may also stay inside a
/// tile, where instances run in their original order.
pub fn is_legal(program: &Program, plans: &[BandPlan]) -> Result<bool> {
    if !is_well_formed(program, plans) {
        return Ok(false);
    }
    for dependence in &program.dependences {
        if !is_respected(program, plans, dependence)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What becomes of a dependence along the dimensions of θ.
pub enum Verdict<'a> {
    /// Sequential dimensions put every sink after its source.
    Carried,
    /// Dimension `position` takes some of these pairs to an earlier tile.
    Reversed { position: usize, pairs: Pairs<'a> },
    /// Nothing takes these pairs to different tiles in the wrong order, or to different values of sequential dimensions.
    Tied(Pairs<'a>),
}

/// A dimension of θ as a dependence sees it.
pub struct Dimension {
    pub source: Affine,
    pub sink: Affine,
    /// One value after the other, for both ends.
    pub sequential: bool,
}

/// Walks the dimensions, outermost first. A sequential one carries what has a positive distance; where tiles are larger, no
/// distance may be negative, because the two ends can lie in one tile there and in neighbouring ones elsewhere. Between
/// bands, only sequential dimensions put one tile before another.
pub fn verdict<'a>(
    program: &'a Program,
    dependence: &Dependence,
    in_one_band: bool,
    dimensions: impl Iterator<Item = Dimension>,
) -> Result<Verdict<'a>> {
    let mut pairs = Pairs::new(program, dependence);
    for (position, Dimension { source, sink, sequential }) in dimensions.enumerate() {
        if !in_one_band && !sequential {
            break;
        }
        if pairs.go_backwards(&source, &sink)? {
            return Ok(Verdict::Reversed { position, pairs });
        }
        if sequential {
            pairs.keep_equal(&source, &sink)?;
            if pairs.is_empty()? {
                return Ok(Verdict::Carried);
            }
        }
    }
    Ok(Verdict::Tied(pairs))
}

fn is_respected(program: &Program, plans: &[BandPlan], dependence: &Dependence) -> Result<bool> {
    let plan_of = |statement: StatementId| plans.iter().find(|p| p.statements.contains(&statement));
    let (Some(first), Some(second)) = (plan_of(dependence.source), plan_of(dependence.sink)) else {
        return Ok(false);
    };
    let dimension = |position: usize| {
        let row = |plan: &BandPlan, statement: StatementId| {
            plan.theta_of(statement).and_then(|t| t.get(position)).cloned().unwrap_or_default()
        };
        let is_tileable = |plan: &BandPlan| plan.tileable.get(position) == Some(&true);
        Dimension {
            source: row(first, dependence.source),
            sink: row(second, dependence.sink),
            sequential: !is_tileable(first) && !is_tileable(second),
        }
    };
    let n = first.tileable.len().max(second.tileable.len());
    let in_one_band = std::ptr::eq(first, second);
    Ok(match verdict(program, dependence, in_one_band, (0..n).map(dimension))? {
        Verdict::Carried => true,
        Verdict::Reversed { .. } => false,
        Verdict::Tied(_) => in_one_band,
    })
}

/// Every statement in one band, θ of one length, sequential dimensions first, and different constants in some
/// sequential dimension of any two bands.
fn is_well_formed(program: &Program, plans: &[BandPlan]) -> bool {
    let mut seen: Vec<StatementId> = plans.iter().flat_map(|p| p.statements.iter().copied()).collect();
    seen.sort_unstable();
    let shapes = plans.iter().all(|plan| {
        let serial = plan.serial();
        plan.theta.len() == plan.statements.len()
            && plan.theta.iter().all(|theta| theta.len() == plan.tileable.len())
            && plan.tileable[serial..].iter().all(|t| *t)
    });
    seen.into_iter().eq(program.statements.keys())
        && shapes
        && plans.iter().enumerate().all(|(p, plan)| plans[..p].iter().all(|other| stand_apart(plan, other)))
}

fn stand_apart(one: &BandPlan, other: &BandPlan) -> bool {
    (0..one.serial().min(other.serial())).any(|position| {
        let value = |plan: &BandPlan| {
            let first = plan.theta.first().map(|theta| &theta[position]).filter(|row| row.is_constant())?;
            plan.theta.iter().all(|theta| theta[position] == *first).then_some(first.constant)
        };
        value(one).is_some() && value(other).is_some() && value(one) != value(other)
    })
}
