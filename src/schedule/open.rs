//! Bands of a few outer dimensions, with all loops further inside left open: rows of memory stay whole, and lanes run along them.

use anyhow::Result;

use super::legality::{Pairs, is_legal};
use super::skew::skew;
use super::tree::{Row, is_forward};
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

/// Every run of nests that tiles of one loop of each can share, one band each, with all other loops as written inside: what a nest
/// leaves of a row stays on chip for those behind it. The loop of a nest is one around all of its statements, the outermost where several
/// would do. `None` where no nests share tiles.
///
/// # Errors
/// isl's.
pub fn outermost_of_runs(kernel: &Kernel, program: &Program) -> Result<Option<ByBand<BandPlan>>> {
    if kernel.body.len() < 2 {
        return Ok(None);
    }
    let pairs: Vec<Pairs> = program.dependences.iter().map(|dependence| Pairs::new(program, dependence)).collect();
    let mut numbers = kernel.statements().keys().collect::<Vec<_>>().into_iter();
    // Of each run, the rows that are legal so far.
    let mut runs: Vec<Vec<Row>> = vec![];
    for node in &kernel.body {
        let own: Vec<StatementId> = numbers.by_ref().take(count(node)).collect();
        let loops = loops_around_all(node);
        if own.is_empty() {
            return Ok(None);
        }
        // A statement alone has a band of its own.
        if loops.is_empty() {
            runs.push(vec![own.iter().map(|s| (*s, Affine::default())).collect()]);
            continue;
        }
        // The rows that are legal with one of the nest's behind each of these.
        let longer = |known: &[Row]| -> Result<Vec<Row>> {
            let mut found = vec![];
            for (known, name) in known.iter().flat_map(|known| loops.iter().map(move |name| (known, *name))) {
                let own = own.iter().map(|s| (*s, Affine::variable(name)));
                let row: Row = known.iter().map(|(s, value)| (*s, value.clone())).chain(own).collect();
                if found.len() < MOST_ROWS && is_forward(&row, &pairs)? {
                    found.push(row);
                }
            }
            Ok(found)
        };
        let is_loop = |rows: &&Vec<Row>| rows.iter().flat_map(Row::values).any(|value| !value.terms.is_empty());
        let shared = longer(runs.last().filter(is_loop).map_or(&[], |rows| rows))?;
        match runs.last_mut() {
            Some(last) if !shared.is_empty() => *last = shared,
            _ => runs.push(longer(&[Row::new()])?),
        }
    }
    let is_alone = runs.len() == 1;
    let plan = |(number, rows): (usize, &Vec<Row>)| {
        let row = rows.first()?;
        let in_sequence = (!is_alone).then(|| Affine::constant(number as i64));
        let theta = |value: &Affine| in_sequence.iter().chain([value]).cloned().collect();
        let is_loop = row.values().any(|value| !value.terms.is_empty());
        let tileable = in_sequence.iter().map(|_| false).chain([is_loop]).collect();
        Some(BandPlan { statements: row.keys().copied().collect(), theta: row.values().map(theta).collect(), tileable })
    };
    if runs.len() == kernel.body.len() {
        return Ok(None);
    }
    let Some(plans) = runs.iter().enumerate().map(plan).collect::<Option<ByBand<BandPlan>>>() else { return Ok(None) };
    Ok(is_legal(program, &plans.raw)?.then_some(plans))
}

/// Rows of a run that are gone on with.
const MOST_ROWS: usize = 4;

/// The statements in a nest.
fn count(node: &Node) -> usize {
    match node {
        Node::Loop(inner) => inner.body.iter().map(count).sum(),
        Node::If(inner) => inner.body.iter().map(count).sum(),
        Node::Statement(_) => 1,
    }
}

/// The iterators of the loops around all statements of a nest, the outermost first.
fn loops_around_all(node: &Node) -> Vec<&String> {
    match node {
        Node::Loop(outer) => {
            let inner = if let [only] = &outer.body[..] { loops_around_all(only) } else { vec![] };
            std::iter::once(&outer.iterator).chain(inner).collect()
        }
        Node::If(inner) if inner.body.len() == 1 => loops_around_all(&inner.body[0]),
        Node::If(_) | Node::Statement(_) => vec![],
    }
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
