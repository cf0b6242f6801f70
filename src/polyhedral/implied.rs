//! What the arrays' extents say of the sizes: how large they can be, where nobody says so, and which of them the program's
//! subscripts allow.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::domain::{settle_domain, settle_subscripts};
use super::extract::statements;
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
    widest.obligations = demands(kernel, &at_constants);
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

/// A kernel whose subscripts leave their arrays at some sizes, for the others. `None` where no affine conditions leave some of the sizes
/// at which there are such accesses. C leaves undefined what the program does at the sizes that are gone.
pub(super) fn within_extents(kernel: &Kernel) -> Option<Kernel> {
    let mut narrowed = kernel.clone();
    narrowed.obligations = demands(kernel, &at_extents);
    settle_subscripts(&mut narrowed).ok()?;
    statements(&narrowed).is_ok().then_some(narrowed)
}

/// What an access demands, in its surroundings.
type Demands = dyn Fn(&Kernel, &Access, &Arc<Surroundings>) -> Vec<Obligation>;

/// What all accesses of a kernel demand.
fn demands(kernel: &Kernel, of: &Demands) -> Vec<Obligation> {
    let mut demands = vec![];
    inside(kernel, &kernel.body, &mut Surroundings { iterators: vec![], conditions: vec![] }, of, &mut demands);
    demands
}

fn inside(kernel: &Kernel, nodes: &[Node], around: &mut Surroundings, of: &Demands, demands: &mut Vec<Obligation>) {
    for node in nodes {
        let outer = (around.iterators.len(), around.conditions.len());
        match node {
            Node::Loop(inner) => {
                around.iterators.push(inner.iterator.clone());
                let iterator = Affine::variable(&inner.iterator);
                let above = inner.lower.iter().map(|lower| iterator.clone() - lower.clone());
                let below = inner.upper.iter().map(|upper| upper.clone() - iterator.clone());
                around.conditions.extend(above.chain(below).map(Condition::NonNegative));
                inside(kernel, &inner.body, around, of, demands);
            }
            Node::If(inner) => {
                around.conditions.push(inner.condition.clone());
                inside(kernel, &inner.body, around, of, demands);
            }
            Node::Statement(statement) => {
                for access in statement.accesses() {
                    let mut around = around.clone();
                    around.conditions.extend(access.guard.iter().cloned());
                    demands.extend(of(kernel, access, &Arc::new(around)));
                }
            }
        }
        around.iterators.truncate(outer.0);
        around.conditions.truncate(outer.1);
    }
}

/// That subscripts stay within extents that are constants.
fn at_constants(kernel: &Kernel, access: &Access, around: &Arc<Surroundings>) -> Vec<Obligation> {
    let pairs = access.subscripts.iter().zip(&kernel.arrays[access.array].extents);
    let pairs = pairs.filter(|(subscript, extent)| extent.terms.is_empty() && !subscript.terms.is_empty());
    pairs.map(|(subscript, extent)| leaving(access, subscript.clone(), extent.constant - 1, around)).collect()
}

/// That subscripts stay within all extents.
fn at_extents(kernel: &Kernel, access: &Access, around: &Arc<Surroundings>) -> Vec<Obligation> {
    let mut demands = vec![];
    for (subscript, extent) in access.subscripts.iter().zip(&kernel.arrays[access.array].extents) {
        let left = extent.clone() - subscript.clone() - Affine::constant(1);
        for value in [subscript.clone(), left] {
            let shown = Some(kernel.as_written(subscript).to_string());
            demands.push(Obligation { shown, ..leaving(access, value, i64::MAX, around) });
        }
    }
    demands
}

/// That `value` is from 0 to `most`, so that a subscript stays within its extent.
fn leaving(access: &Access, value: Affine, most: i64, around: &Arc<Surroundings>) -> Obligation {
    let surroundings = around.clone();
    Obligation { value, least: 0, most, broken: Broken::Leaves, shown: None, surroundings, span: access.span }
}
