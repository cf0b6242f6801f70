//! The circuits of a statement: of equal operators with equal operands there is one, and lanes whose operands are the same have one
//! between them, as the datapath builds them (`hardware/datapath/shared_cells.rs`).

use std::collections::BTreeSet;

use crate::affine::Affine;
use crate::ids::StatementId;
use crate::offload::{LaneShape, Offload};
use crate::source::kernel::{Expr, Statement};

/// An operator, or a leaf, and how many circuits there are of it.
pub struct Circuit<'a> {
    pub expr: &'a Expr,
    pub count: u64,
}

/// Those of a statement in so many lanes. Where it has none yet, lanes are taken to share whatever they may: what moves along fewer
/// loops than the cells that the statement writes is there once.
pub fn circuits(offload: &Offload, statement: StatementId, lanes: u64) -> Vec<Circuit<'_>> {
    let own = offload.kernel.statements()[statement];
    let iterators = &offload.kernel.iterators()[statement];
    let of_shape = |shape: &LaneShape, expr: &Expr| {
        let [outer, inner] = moves(expr, &|value| shape.gain(value, iterators).map(|gain| gain != 0));
        let inner_lanes = shape.inner.max(1) as u64;
        let [first, second] = [lanes / inner_lanes, inner_lanes];
        (if outer { first } else { 1 }) * (if inner { second } else { 1 })
    };
    let written: BTreeSet<&String> = own.targets().flat_map(|target| &target.subscripts).flat_map(loops).collect();
    let shape = offload.lanes(statement);
    let count = |expr: &Expr| match shape {
        _ if lanes <= 1 => 1,
        Some(shape) => of_shape(shape, expr),
        None => match written.is_subset(&loops_of(expr)) {
            true => lanes,
            false => 1,
        },
    };
    distinct(own).into_iter().map(|expr| Circuit { expr, count: count(expr) }).collect()
}

/// The operators and leaves of a statement's values, equal ones once.
fn distinct(statement: &Statement) -> Vec<&Expr> {
    fn add<'a>(expr: &'a Expr, found: &mut Vec<&'a Expr>) {
        if !found.iter().any(|known| known.is_same(expr)) {
            found.push(expr);
            expr.operands().into_iter().for_each(|operand| add(operand, found));
        }
    }
    let mut found = vec![];
    statement.values().for_each(|value| add(value, &mut found));
    found
}

/// Along which of two dimensions of lanes a value moves, by what its affine parts do.
fn moves(expr: &Expr, affine: &dyn Fn(&Affine) -> [bool; 2]) -> [bool; 2] {
    let either = |a: [bool; 2], b: [bool; 2]| [a[0] || b[0], a[1] || b[1]];
    let own = affines(expr).into_iter().map(affine).fold([false; 2], either);
    expr.operands().into_iter().map(|operand| moves(operand, affine)).fold(own, either)
}

/// The affine values of an expression without those of its operands.
fn affines(expr: &Expr) -> Vec<&Affine> {
    match expr {
        Expr::Read { access, .. } => access.subscripts.iter().collect(),
        Expr::Index { value, .. } => vec![value],
        _ => vec![],
    }
}

fn loops(value: &Affine) -> impl Iterator<Item = &String> {
    value.terms.keys()
}

/// What the affine values of an expression are made of.
fn loops_of(expr: &Expr) -> BTreeSet<&String> {
    let own = affines(expr).into_iter().flat_map(loops);
    own.chain(expr.operands().into_iter().flat_map(loops_of)).collect()
}
