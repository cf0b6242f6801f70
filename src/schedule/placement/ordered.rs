//! The order of a placement's dimensions (DTSE section 3.3.2.2): by the words that values need.

use super::graph::Graph;
use super::{Costs, Placement};
use crate::schedule::linear::{Matrix, apply, determinant, identity};
use crate::schedule::storage::{Peak, peak};

/// An order of the common space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ordered {
    /// Rows of a unimodular matrix, the outermost first.
    pub rows: Matrix,
    pub peak: Peak,
}

/// The orders that keep every value before its readers, those with the fewest words alive at once first: dimensions of the
/// common space in any order, forwards or backwards, or the simplest allowed ordering vector in front of them.
pub fn orders(graph: &Graph, placement: &Placement, costs: &Costs) -> Vec<Ordered> {
    let n = graph.dimensions;
    let values = graph.values(placement);
    let mut axes: Matrix = identity(n);
    axes.extend(identity(n).iter().map(|axis| axis.iter().map(|entry| -entry).collect()));
    let vectors = costs.cone.ordering.iter().filter(|vector| !axes.contains(vector));
    let first = axes.iter().chain(vectors).cloned().map(|row| vec![row]);
    let mut orders: Vec<Matrix> = if n == 0 { vec![vec![]] } else { first.collect() };
    for _ in 1..n {
        let longer = |order: Matrix| axes.iter().map(move |axis| [order.clone(), vec![axis.clone()]].concat());
        orders = orders.into_iter().flat_map(longer).collect();
    }
    let counted = |rows: Matrix| {
        let peak = peak(values.iter(), |place| apply(&rows, place))?;
        Some(Ordered { rows, peak })
    };
    let regular = orders.into_iter().filter(|rows| determinant(rows).abs() == 1);
    let mut found: Vec<Ordered> = regular.filter_map(counted).collect();
    found.sort_by_key(|order| order.peak.in_place);
    found
}
