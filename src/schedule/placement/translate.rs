//! The offsets (DTSE section 3.5.7): statements are moved until their dependences point where others do, and are short.

use super::Placement;
use super::graph::Graph;
use super::search::rating;
use crate::schedule::linear::{Matrix, apply, difference, identity, primitive};

/// Times that every statement is moved again.
const ROUNDS: usize = 3;

/// The placement with these matrices: statement by statement, in the order of the source, at the best of the offsets that
/// make one of its dependences a step along a dependence that there is, or along an axis; then again beside all others.
pub fn translate(graph: &Graph, linear: Vec<Matrix>) -> Placement {
    let n = graph.dimensions;
    let count = linear.len();
    let mut placement = Placement { linear, offsets: vec![vec![0; n]; count] };
    for statement in 1..count {
        let part = among(graph, statement + 1);
        settle(&part, &mut placement, statement);
    }
    for _ in 0..ROUNDS {
        let before = placement.offsets.clone();
        for statement in 1..count {
            settle(graph, &mut placement, statement);
        }
        if placement.offsets == before {
            break;
        }
    }
    placement
}

/// The graph of the first `count` statements.
fn among(graph: &Graph, count: usize) -> Graph {
    let edges = graph.edges.iter().filter(|edge| edge.source < count && edge.sink < count).cloned().collect();
    Graph { edges, varies: graph.varies.clone(), ranges: graph.ranges.clone(), ..*graph }
}

/// Moves one statement to the best of its offsets.
fn settle(graph: &Graph, placement: &mut Placement, statement: usize) {
    let best = offsets(graph, placement, statement).into_iter().min_by_key(|offset| {
        let mut moved = placement.clone();
        moved.offsets[statement] = offset.clone();
        rating(graph, &moved)
    });
    if let Some(best) = best {
        placement.offsets[statement] = best;
    }
}

/// Offsets under which the first pair of a dependence with another statement is one step long, or none; the present one
/// first.
fn offsets(graph: &Graph, placement: &Placement, statement: usize) -> Vec<Vec<i64>> {
    let n = graph.dimensions;
    let mut steps: Vec<Vec<i64>> = identity(n);
    for edge in graph.edges.iter().filter(|edge| edge.source == edge.sink) {
        let (source, sink) = &edge.pairs[0];
        steps.push(primitive(&apply(&placement.linear[edge.source], &difference(sink, source))));
    }
    steps.push(vec![0; n]);
    let mut found = vec![placement.offsets[statement].clone()];
    for edge in graph.edges.iter().filter(|edge| edge.source != edge.sink) {
        let sign = match (edge.source == statement, edge.sink == statement) {
            (false, true) => 1,
            (true, false) => -1,
            _ => continue,
        };
        for (source, sink) in [&edge.pairs[0], &edge.pairs[edge.pairs.len() - 1]] {
            let now = difference(&placement.place(edge.sink, sink), &placement.place(edge.source, source));
            for step in &steps {
                let change = difference(step, &now);
                let own = &placement.offsets[statement];
                let offset: Vec<i64> = own.iter().zip(&change).map(|(own, change)| own + sign * change).collect();
                if !found.contains(&offset) {
                    found.push(offset);
                }
            }
        }
    }
    found
}
