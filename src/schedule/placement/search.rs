//! The linear part (DTSE sections 3.5.4 and 3.5.5).
//!
//! The chapter tries all pairs of mappings for every dependence and then backtracks over the statements. But what makes a
//! dependence uniform, `A_c = A_p D`, says what the sink's matrix does to the directions in which the dependence extends.
//! So here a statement's matrix follows from those that have one already; only what no dependence says is enumerated.

use super::Placement;
use super::costs::Costs;
use super::graph::Graph;
use super::translate::translate;
use crate::schedule::linear::{
    Matrix, apply, determinant, difference, identity, independent, primitive, rank, small_vectors, with_images,
};

/// Partial placements that are followed.
const FOLLOWED: usize = 48;
/// Placements of all statements that get offsets.
const TRANSLATED: usize = 12;
/// Matrices of one statement that are tried beside one partial placement.
const TRIED: usize = 3000;
/// Dimensions up to which there is a search.
const DEEPEST: usize = 4;

/// The best placement that is found: the fewest linear parts left in dependences, then by [`rating`]. `None` for statements in more than four loops.
pub fn search(graph: &Graph) -> Option<Placement> {
    if graph.dimensions > DEEPEST {
        return None;
    }
    let sequence = sequence(graph);
    let mut partial: Vec<Vec<Option<Matrix>>> = vec![vec![None; graph.ranges.len()]];
    for &statement in &sequence {
        let mut next = vec![];
        for linear in &partial {
            for matrix in matrices(graph, linear, statement) {
                let mut longer = linear.clone();
                longer[statement] = Some(matrix);
                next.push((standing(graph, &longer), longer));
            }
        }
        next.sort_by_key(|(standing, _)| *standing);
        next.truncate(FOLLOWED);
        partial = next.into_iter().map(|(_, linear)| linear).collect();
    }
    let whole =
        partial.into_iter().take(TRANSLATED).filter_map(|linear| linear.into_iter().collect::<Option<Vec<_>>>());
    let placed = whole.map(|linear| translate(graph, linear));
    placed.min_by_key(|placement| rating(graph, placement))
}

/// How good a placement is; what is better comes first: whether nothing orders it, linear parts of dependences, whether there is
/// no ordering vector, the cone's dimension and angle, reads inside of nodes, lengths, and coefficients.
pub type Rating = (bool, usize, bool, usize, i64, usize, i64, i64);

pub fn rating(graph: &Graph, placement: &Placement) -> Rating {
    let ranks = graph.edges.iter().map(|edge| placement.rank_of(edge)).sum();
    let Costs { locality, reuse, cone, inside, backwards } = Costs::new(graph, placement);
    let angle = (cone.angle.unwrap_or(cone.directions.len() as f64) * 1e6).round() as i64;
    let coefficients = placement.linear.iter().flatten().flatten().map(|entry| entry.abs()).sum();
    let no_order = cone.ordering.is_none();
    let unordered = backwards > 0 || !cone.orderable;
    (unordered, ranks, no_order, cone.dimension, angle, inside, locality + reuse, coefficients)
}

/// Statements such that each has as many flows as can be to those before it, and the first is the source's first.
fn sequence(graph: &Graph) -> Vec<usize> {
    let n = graph.ranges.len();
    let mut found: Vec<usize> = vec![];
    while found.len() < n {
        let ties = |s: usize| {
            let with = |a: usize, b: usize| a == s && found.contains(&b);
            graph.edges.iter().filter(|edge| with(edge.source, edge.sink) || with(edge.sink, edge.source)).count()
        };
        let next = (0..n).filter(|s| !found.contains(s)).max_by_key(|s| (ties(*s), n - s));
        found.extend(next);
    }
    found
}

/// Matrices of a statement that make its dependences with the others of `linear` uniform, as far as they agree; the
/// identity for one that has none.
fn matrices(graph: &Graph, linear: &[Option<Matrix>], statement: usize) -> Vec<Matrix> {
    let n = graph.dimensions;
    // Directions of the statement with the images that they are to have.
    let mut wanted: Vec<(Vec<i64>, Vec<i64>)> = vec![];
    for edge in graph.edges.iter().filter(|edge| edge.source != edge.sink) {
        let other = if edge.sink == statement { edge.source } else { edge.sink };
        let Some(known) = linear[other].as_ref().filter(|_| [edge.source, edge.sink].contains(&statement)) else {
            continue;
        };
        for (source, sink) in &edge.directions {
            let (own, others) = if edge.sink == statement { (sink, source) } else { (source, sink) };
            let taken: Vec<Vec<i64>> = wanted.iter().map(|(direction, _)| direction.clone()).collect();
            if rank(taken.iter().chain([own])) > taken.len() {
                wanted.push((own.clone(), apply(known, others)));
            }
        }
    }
    if wanted.is_empty() && linear.iter().all(Option::is_none) {
        return vec![identity(n)];
    }
    let mut found = agreeing(graph, linear, statement, &wanted);
    // Where no unimodular matrix has all images, each of them is given up in turn, then all.
    if found.is_empty() {
        for without in 0..wanted.len() {
            let fewer: Vec<_> =
                wanted.iter().enumerate().filter(|(k, _)| *k != without).map(|(_, w)| w.clone()).collect();
            found.extend(agreeing(graph, linear, statement, &fewer));
        }
    }
    if found.is_empty() {
        found = agreeing(graph, linear, statement, &[]);
    }
    if !found.contains(&identity(n)) {
        found.push(identity(n));
    }
    found
}

/// The unimodular matrices with these images; what else there is of the statement goes along dependences that there are,
/// or along small vectors.
fn agreeing(
    graph: &Graph,
    linear: &[Option<Matrix>],
    statement: usize,
    wanted: &[(Vec<i64>, Vec<i64>)],
) -> Vec<Matrix> {
    let n = graph.dimensions;
    let mut columns: Vec<Vec<i64>> = wanted.iter().map(|(direction, _)| direction.clone()).collect();
    let images: Vec<Vec<i64>> = wanted.iter().map(|(_, image)| image.clone()).collect();
    // The ways of values that stay in the statement, then its iterators, those with several values first.
    let own = graph.edges.iter().filter(|edge| edge.source == statement && edge.sink == statement);
    let ways: Vec<Vec<i64>> = own.map(|edge| primitive(&difference(&edge.pairs[0].1, &edge.pairs[0].0))).collect();
    let mut axes = identity(n);
    axes.sort_by_key(|axis| !axis.iter().zip(&graph.varies[statement]).any(|(entry, varies)| *entry != 0 && *varies));
    let fixed = columns.len();
    columns = independent(columns.iter().chain(&ways).chain(&axes));
    let moves = |column: &Vec<i64>| column.iter().zip(&graph.varies[statement]).any(|(e, varies)| *e != 0 && *varies);
    let free = columns[fixed..].iter().filter(|column| moves(column)).count();
    let mut targets = directions(graph, linear);
    for vector in small_vectors(n, 1) {
        if !targets.contains(&vector) {
            targets.push(vector);
        }
    }
    let mut chosen: Vec<Vec<Vec<i64>>> = vec![images];
    for _ in 0..free {
        let longer =
            |some: Vec<Vec<i64>>| targets.iter().map(move |target| [some.clone(), vec![target.clone()]].concat());
        chosen = chosen.into_iter().flat_map(longer).filter(|some| rank(some) == some.len()).take(TRIED).collect();
    }
    let complete = |some: Vec<Vec<i64>>| {
        let mut whole = vec![some];
        for _ in fixed + free..n {
            let longer =
                |some: Vec<Vec<i64>>| targets.iter().map(move |target| [some.clone(), vec![target.clone()]].concat());
            whole = whole.into_iter().flat_map(longer).filter(|some| rank(some) == some.len()).collect();
        }
        whole.into_iter().find_map(|images| with_images(&columns, &images).filter(|m| determinant(m).abs() == 1))
    };
    chosen.into_iter().filter_map(complete).collect()
}

/// The ways, in the common space, of values that stay in statements that have a matrix.
fn directions(graph: &Graph, linear: &[Option<Matrix>]) -> Vec<Vec<i64>> {
    let mut found: Vec<Vec<i64>> = vec![];
    for edge in graph.edges.iter().filter(|edge| edge.source == edge.sink) {
        let Some(matrix) = &linear[edge.source] else { continue };
        for (source, sink) in &edge.pairs {
            let direction = primitive(&apply(matrix, &difference(sink, source)));
            if !found.contains(&direction) && direction.iter().any(|step| *step != 0) {
                found.push(direction);
            }
        }
    }
    found
}

/// How far matrices alone go towards a good placement; what is better comes first. The same whatever matrix all of them
/// are multiplied by, but for the last two.
fn standing(graph: &Graph, linear: &[Option<Matrix>]) -> (bool, usize, bool, usize, usize, i64) {
    let n = graph.dimensions;
    let zero = vec![0; n];
    let whole = Placement {
        linear: linear.iter().map(|matrix| matrix.clone().unwrap_or_else(|| identity(n))).collect(),
        offsets: vec![zero; linear.len()],
    };
    let known = graph.edges.iter().filter(|edge| linear[edge.source].is_some() && linear[edge.sink].is_some());
    let ranks = known.map(|edge| whole.rank_of(edge)).sum();
    let cone = super::Cone::new(directions(graph, linear), n);
    let coefficients = whole.linear.iter().flatten().flatten().map(|entry| entry.abs()).sum();
    (!cone.orderable, ranks, cone.ordering.is_none(), cone.dimension, cone.directions.len(), coefficients)
}
