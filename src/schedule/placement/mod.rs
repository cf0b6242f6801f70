//! Placement: every statement is mapped into one common space, so that values travel short ways, all in much the same
//! direction, before anybody orders that space (DTSE chapter 3).
//!
//! A placement is a unimodular matrix and an offset per statement. First the matrices are chosen such that dependences are
//! uniform, as many as can be (section 3.5.4.1, [`search`]), then the offsets, such that they point into one cone and are
//! short ([`translate`]). [`costs`] says what a placement is worth, [`ordered`] how few
//! words its best order needs, and [`plan`] hands that to [`is_legal`](super::is_legal), which stays the judge.

mod costs;
mod graph;
mod ordered;
mod plan;
mod search;
#[cfg(test)]
mod tests;
mod translate;

pub use costs::{Cone, Costs};
pub use graph::{Edge, Graph};
pub use ordered::{Ordered, orders};
pub use plan::{plan, theta};
pub use search::search;

use crate::schedule::linear::{Matrix, apply, difference, identity, rank};

/// Where instances stand in the common space, of `n` dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Per statement `n` rows over its iterators.
    pub linear: Vec<Matrix>,
    /// Per statement `n` numbers, which depend on the sizes.
    pub offsets: Vec<Vec<i64>>,
}

impl Placement {
    /// Statements as they are, one behind the other along the first dimension.
    pub fn side_by_side(graph: &Graph) -> Self {
        let n = graph.dimensions;
        let mut next = None;
        let offset = |ranges: &Vec<(i64, i64)>| {
            let mut offset = vec![0; n];
            if let (Some(first), Some((low, high))) = (offset.first_mut(), ranges.first()) {
                *first = next.map_or(0, |next: i64| next - low);
                next = Some(*first + high + 1);
            }
            offset
        };
        let offsets = graph.ranges.iter().map(offset).collect();
        Placement { linear: vec![identity(n); graph.ranges.len()], offsets }
    }

    /// The place of an instance.
    pub fn place(&self, statement: usize, instance: &[i64]) -> Vec<i64> {
        let place = apply(&self.linear[statement], instance);
        place.iter().zip(&self.offsets[statement]).map(|(x, offset)| x + offset).collect()
    }

    /// The rank of what is linear in the dependence's vectors, `rank(I - A_p D A_c⁻¹)` of equation 3.2: 0 where the
    /// dependence is uniform.
    pub fn rank_of(&self, edge: &Edge) -> usize {
        let vector = |(source, sink): &(Vec<i64>, Vec<i64>)| {
            difference(&apply(&self.linear[edge.sink], sink), &apply(&self.linear[edge.source], source))
        };
        rank(&edge.directions.iter().map(vector).collect::<Vec<_>>())
    }
}

/// By Manhattan.
fn distance(a: &[i64], b: &[i64]) -> i64 {
    difference(a, b).iter().map(|step| step.abs()).sum()
}
