//! A placement and an order as a band for the tiling, whatever the sizes are.

use anyhow::Result;

use super::Placement;
use super::graph::{Edge, Graph};
use crate::affine::Affine;
use crate::ids::StatementId;
use crate::polyhedral::Program;
use crate::polyhedral::isl::{Constraint, Map, Tuple};
use crate::schedule::linear::Matrix;
use crate::schedule::storage::Flow;
use crate::schedule::{BandPlan, is_legal};

/// Per statement its place, affine in its iterators and the sizes: offsets follow from what uniform dependences are at all
/// sizes. A statement to which no chain of them leads keeps the offset that it has. `flows` are those of `graph`, with
/// sizes.
///
/// # Errors
/// isl's.
pub fn theta(program: &Program, graph: &Graph, placement: &Placement, flows: &[Flow]) -> Result<Vec<Vec<Affine>>> {
    let mut places: Vec<Option<Vec<Affine>>> = vec![None; graph.ranges.len()];
    while let Some(unplaced) = places.iter().position(Option::is_none) {
        let offset = constants(&placement.offsets[unplaced]);
        places[unplaced] = Some(with_offset(program, placement, unplaced, &offset));
        follow(program, graph, placement, flows, &mut places)?;
    }
    Ok(places.into_iter().flatten().collect())
}

/// Places what uniform dependences tie to what has a place.
fn follow(
    program: &Program,
    graph: &Graph,
    placement: &Placement,
    flows: &[Flow],
    places: &mut [Option<Vec<Affine>>],
) -> Result<()> {
    let uniform: Vec<&Edge> = graph.edges.iter().filter(|edge| placement.rank_of(edge) == 0).collect();
    // The distances of a dependence are the same at all sizes: those that it has at the sizes of the graph.
    for edge in uniform.iter().cycle().take(uniform.len() * places.len()) {
        let (source, sink) = (StatementId(edge.source), StatementId(edge.sink));
        let (known, unknown) = match (&places[edge.source], &places[edge.sink]) {
            (Some(_), None) => (source, sink),
            (None, Some(_)) => (sink, source),
            _ => continue,
        };
        let bare = with_offset(program, placement, unknown.0, &constants(&vec![0; graph.dimensions]));
        let other = places[known.0].clone().unwrap_or_default();
        let ends = if known == source { (&other[..], &bare[..]) } else { (&bare[..], &other[..]) };
        let Some(present) = vector(program, &flows[edge.flow], ends)? else { continue };
        let wanted = constants(&steps(placement, edge));
        let change = wanted.iter().zip(&present).map(|(wanted, present)| wanted.clone() - present.clone());
        let offset: Vec<Affine> = if known == source { change.collect() } else { change.map(|c| -c).collect() };
        places[unknown.0] = Some(with_offset(program, placement, unknown.0, &offset));
    }
    Ok(())
}

fn constants(values: &[i64]) -> Vec<Affine> {
    values.iter().map(|value| Affine::constant(*value)).collect()
}

/// What a uniform dependence's values travel.
fn steps(placement: &Placement, edge: &Edge) -> Vec<i64> {
    let (source, sink) = &edge.pairs[0];
    let (from, to) = (placement.place(edge.source, source), placement.place(edge.sink, sink));
    from.iter().zip(&to).map(|(from, to)| to - from).collect()
}

fn with_offset(program: &Program, placement: &Placement, statement: usize, offset: &[Affine]) -> Vec<Affine> {
    let iterators = &program.statements[StatementId(statement)].iterators;
    let row = |(row, offset): (&Vec<i64>, &Affine)| {
        let terms = iterators.iter().zip(row).map(|(name, factor)| Affine::variable(name) * *factor);
        terms.fold(offset.clone(), |sum, term| sum + term)
    };
    placement.linear[statement].iter().zip(offset).map(row).collect()
}

/// What the values of `flow` travel between these places, over the sizes; `None` where that is not one vector.
fn vector(program: &Program, flow: &Flow, (source, sink): (&[Affine], &[Affine])) -> Result<Option<Vec<Affine>>> {
    let map = |s: StatementId, places: &[Affine]| -> Result<Map> {
        let statement = &program.statements[s];
        let tuple = Tuple { name: &statement.name, dimensions: &statement.iterators };
        program.isl.function(&program.parameters, tuple, Tuple::anonymous(), places)
    };
    let between = flow.relation.apply_domain(&map(flow.source, source)?)?.apply_range(&map(flow.sink, sink)?)?;
    let names: Vec<String> = (0..source.len()).map(|d| format!("$x{d}")).collect();
    let equalities = between.deltas()?.convex()?.detect_equalities()?.constraints(&names)?;
    let value = |name: &String| {
        equalities.iter().find_map(|constraint| {
            let Constraint::Zero(affine) = constraint else { return None };
            let own = affine.coefficient(name);
            let is_alone = names.iter().all(|other| other == name || affine.coefficient(other) == 0);
            (own.abs() == 1 && is_alone).then(|| (Affine::variable(name) * own - affine.clone()) * own)
        })
    };
    Ok(names.iter().map(value).collect())
}

/// One band of all statements along the rows of an order over these places, with as few sequential dimensions as are
/// legal; `None` where it is legal with none.
///
/// # Errors
/// isl's.
pub fn plan(program: &Program, places: &[Vec<Affine>], rows: &Matrix) -> Result<Option<BandPlan>> {
    let along = |place: &Vec<Affine>, row: &Vec<i64>| {
        let terms = place.iter().zip(row).map(|(value, factor)| value.clone() * *factor);
        terms.fold(Affine::default(), |sum, term| sum + term)
    };
    let theta: Vec<Vec<Affine>> =
        places.iter().map(|place| rows.iter().map(|row| along(place, row)).collect()).collect();
    for serial in 0..=rows.len() {
        let plan = BandPlan {
            statements: program.statements.keys().collect(),
            theta: theta.clone(),
            tileable: (0..rows.len()).map(|row| row >= serial).collect(),
        };
        if is_legal(program, std::slice::from_ref(&plan))? {
            return Ok(Some(plan));
        }
    }
    Ok(None)
}
