//! Bands of a few outer dimensions, with all loops further inside left open: rows of memory stay whole, and lanes run along them.

use anyhow::Result;

use super::legality::{Pairs, is_legal};
use super::skew::skew;
use super::tree::Row;
use super::{BandPlan, linear};
use crate::affine::Affine;
use crate::ids::{ByBand, StatementId};
use crate::polyhedral::Program;
use crate::source::kernel::{Kernel, Node};

/// The outermost loop alone, with all that is inside as written, where it is around all statements: whatever arrays that fit on chip as a
/// whole pass from one of its iterations to the next stays there, without skewing. Instances that θ does not tell apart keep the order of
/// the source, so it is legal.
pub fn outermost_alone(kernel: &Kernel) -> Option<ByBand<BandPlan>> {
    let outer = outermost(kernel)?;
    let statements: Vec<StatementId> = kernel.statements().keys().collect();
    let theta = vec![vec![outer]; statements.len()];
    Some(vec![BandPlan { statements, theta, tileable: vec![true] }].into())
}

/// The outermost loop, and behind it the outermost subscript of what is written, skewed and shifted until no dependence goes backwards
/// along it: for `t { S0: B[i][j] = A[i - 1][j] + A[i + 1][j]; S1: A[i][j] = B[i - 1][j] + B[i + 1][j]; }` that is (t, i + 2t) and
/// (t, i + 2t + 1). Tiles of many steps of t move over the arrays row by row, so that rows are loaded and stored beside the
/// iterations. `None` where there is no such skew, or arrays have one dimension.
///
/// # Errors
/// isl's.
pub fn outer_rows(kernel: &Kernel, program: &Program) -> Result<Option<ByBand<BandPlan>>> {
    let Some(outer) = outermost(kernel) else { return Ok(None) };
    let statements = kernel.statements();
    let iterators = kernel.iterators();
    let outermost_subscript = |s: StatementId| -> Option<Affine> {
        let subscripts = &statements[s].target.subscripts;
        let is_of_loops = |value: &Affine| value.terms.keys().all(|name| iterators[s].contains(name));
        subscripts.first().filter(|value| subscripts.len() > 1 && is_of_loops(value)).cloned()
    };
    let all: Vec<StatementId> = statements.keys().collect();
    let Some(row) = all.iter().map(|s| Some((*s, outermost_subscript(*s)?))).collect::<Option<Row>>() else {
        return Ok(None);
    };
    let outer_row: Row = all.iter().map(|s| (*s, outer.clone())).collect();
    let pairs: Vec<Pairs> = program.dependences.iter().map(|dependence| Pairs::new(program, dependence)).collect();
    let Some(rows) = skew(&row, std::slice::from_ref(&outer_row), &pairs)? else { return Ok(None) };
    let theta: Vec<Vec<Affine>> = all.iter().map(|s| vec![outer.clone(), rows[s].clone()]).collect();
    let coefficients = |(s, own): (&StatementId, &Vec<Affine>)| {
        own.iter().map(|value| iterators[*s].iter().map(|name| value.coefficient(name)).collect()).collect::<Vec<_>>()
    };
    let is_plane = all.iter().zip(&theta).any(|own| linear::rank(&coefficients(own)) == 2);
    let plans: ByBand<BandPlan> = vec![BandPlan { statements: all, theta, tileable: vec![true, true] }].into();
    Ok((is_plane && is_legal(program, &plans.raw)?).then_some(plans))
}

fn outermost(kernel: &Kernel) -> Option<Affine> {
    match &kernel.body[..] {
        [Node::Loop(outer)] => Some(Affine::variable(&outer.iterator)),
        _ => None,
    }
}
