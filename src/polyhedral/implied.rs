//! How large sizes can be, where nobody says so, but the arrays' extents do.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::domain::settle_domain;
use crate::affine::Affine;
use crate::source::kernel::{Access, Broken, Condition, Kernel, Node, Obligation, Surroundings};

/// Larger sizes are no extents, but the width of an iterator's type.
const LARGEST: i64 = 1 << 24;

/// The largest sizes for which the subscripts stay within constant extents: those that such subscripts bound, each by
/// itself.
pub fn implied_bounds(kernel: &Kernel) -> BTreeMap<String, i64> {
    let mut widest = kernel.clone();
    for parameter in widest.parameters.iter_mut().filter(|parameter| parameter.max.is_none()) {
        parameter.max = Some(parameter.limit());
    }
    widest.obligations.clear();
    let mut around = Surroundings { iterators: vec![], conditions: vec![] };
    inside(kernel, &kernel.body, &mut around, &mut widest.obligations);
    // What cannot be settled for all sizes is told for the bounds that the user gives.
    if settle_domain(&mut widest).is_err() {
        return BTreeMap::new();
    }
    let mut bounds: BTreeMap<String, i64> = BTreeMap::new();
    for value in widest.domain.iter().map(|condition| &condition.value) {
        if let [(name, factor)] = value.terms.iter().collect::<Vec<_>>()[..]
            && *factor < 0
            && value.constant >= 0
        {
            let largest = value.constant / -factor;
            bounds.entry(name.clone()).and_modify(|bound| *bound = largest.min(*bound)).or_insert(largest);
        }
    }
    bounds.retain(|_, bound| *bound < LARGEST);
    bounds
}

/// What the accesses of `nodes` demand.
fn inside(kernel: &Kernel, nodes: &[Node], around: &mut Surroundings, demands: &mut Vec<Obligation>) {
    for node in nodes {
        let outer = (around.iterators.len(), around.conditions.len());
        match node {
            Node::Loop(inner) => {
                around.iterators.push(inner.iterator.clone());
                let iterator = Affine::variable(&inner.iterator);
                let above = inner.lower.iter().map(|lower| iterator.clone() - lower.clone());
                let below = inner.upper.iter().map(|upper| upper.clone() - iterator.clone());
                around.conditions.extend(above.chain(below).map(Condition::NonNegative));
                inside(kernel, &inner.body, around, demands);
            }
            Node::If(inner) => {
                around.conditions.push(inner.condition.clone());
                inside(kernel, &inner.body, around, demands);
            }
            Node::Statement(statement) => {
                statement.accesses().for_each(|access| subscripts(kernel, access, around, demands));
            }
        }
        around.iterators.truncate(outer.0);
        around.conditions.truncate(outer.1);
    }
}

fn subscripts(kernel: &Kernel, access: &Access, around: &Surroundings, demands: &mut Vec<Obligation>) {
    let mut around = around.clone();
    around.conditions.extend(access.guard.iter().cloned());
    let around = Arc::new(around);
    for (subscript, extent) in access.subscripts.iter().zip(&kernel.arrays[access.array].extents) {
        if extent.terms.is_empty() && !subscript.terms.is_empty() {
            demands.push(Obligation {
                value: subscript.clone(),
                least: 0,
                most: extent.constant - 1,
                broken: Broken::Leaves,
                shown: None,
                surroundings: around.clone(),
                span: access.span,
            });
        }
    }
}
