//! The polyhedral dependence graph at given sizes (DTSE section 3.3.1): statements as points of one dimension, flows as
//! pairs of them.

use std::collections::BTreeMap;

use anyhow::Result;

use super::Placement;
use crate::ids::{ArrayId, StatementId};
use crate::polyhedral::Program;
use crate::polyhedral::isl::Set;
use crate::schedule::linear::{difference, independent};
use crate::schedule::storage::{Flow, Value, points};

/// Statements and flows. Where a statement has fewer iterators than another, it gets some whose only value is 0 (section
/// 3.5.2.2).
pub struct Graph {
    /// Of the common space: the most iterators of a statement.
    pub dimensions: usize,
    /// Per statement and iterator, whether it has several values. What a placement does with one that has not, moves all
    /// of the statement.
    pub varies: Vec<Vec<bool>>,
    /// Per statement the smallest and the largest value of each iterator.
    pub ranges: Vec<Vec<(i64, i64)>>,
    pub edges: Vec<Edge>,
}

/// A flow of values.
#[derive(Clone)]
pub struct Edge {
    /// Index into the flows.
    pub flow: usize,
    pub array: ArrayId,
    pub source: usize,
    pub sink: usize,
    /// Instances of the source with instances of the sink.
    pub pairs: Vec<(Vec<i64>, Vec<i64>)>,
    /// A basis of the differences between pairs, source and sink: what of a dependence function is linear, whatever
    /// coefficients iterators of one value have in it.
    pub directions: Vec<(Vec<i64>, Vec<i64>)>,
}

impl Graph {
    /// `None` where there are more than `most` pairs.
    ///
    /// # Errors
    /// isl's.
    pub fn new(program: &Program, instances: &[Set], flows: &[Flow], most: usize) -> Result<Option<Self>> {
        let iterators = |s: StatementId| program.statements[s].iterators.len();
        let dimensions = program.statements.keys().map(iterators).max().unwrap_or(0);
        let padded = |point: &[i64]| [point, &vec![0; dimensions - point.len()]].concat();
        let mut ranges = vec![];
        for (s, set) in program.statements.keys().zip(instances) {
            let range = |d: usize| -> Result<(i64, i64)> {
                let (low, high) = (set.minimum(d)?.finite(), set.maximum(d)?.finite());
                Ok((low.unwrap_or(0), high.unwrap_or(0)))
            };
            let mut own = (0..iterators(s)).map(range).collect::<Result<Vec<_>>>()?;
            own.resize(dimensions, (0, 0));
            ranges.push(own);
        }
        let varies = ranges.iter().map(|own| own.iter().map(|(low, high)| low < high).collect()).collect();
        let (mut edges, mut left) = (vec![], most);
        for (number, flow) in flows.iter().enumerate() {
            let (n, m) = (iterators(flow.source), iterators(flow.sink));
            let Some(found) = points(program, &flow.relation.wrap()?.flatten()?, n + m, left)? else { return Ok(None) };
            left -= found.len();
            let pairs: Vec<_> = found.iter().map(|point| (padded(&point[..n]), padded(&point[n..]))).collect();
            let Some((source, sink)) = pairs.first().cloned() else { continue };
            let moves: Vec<Vec<i64>> =
                pairs.iter().map(|(x, y)| [difference(x, &source), difference(y, &sink)].concat()).collect();
            let directions =
                independent(&moves).iter().map(|d| (d[..dimensions].to_vec(), d[dimensions..].to_vec())).collect();
            let (source, sink) = (flow.source.0, flow.sink.0);
            edges.push(Edge { flow: number, array: flow.array, source, sink, pairs, directions });
        }
        Ok(Some(Graph { dimensions, varies, ranges, edges }))
    }

    /// The values in their places, as [`storage::values`](crate::schedule::storage::values) gives them.
    pub fn values(&self, placement: &Placement) -> Vec<Value> {
        let mut found: BTreeMap<(ArrayId, usize, &Vec<i64>), Value> = BTreeMap::new();
        for edge in &self.edges {
            for (source, sink) in &edge.pairs {
                let value = found.entry((edge.array, edge.source, source)).or_insert_with(|| Value {
                    array: edge.array,
                    source: StatementId(edge.source),
                    place: placement.place(edge.source, source),
                    readers: vec![],
                });
                value.readers.push((StatementId(edge.sink), placement.place(edge.sink, sink)));
            }
        }
        found.into_values().collect()
    }
}
