//! Statements whose rows may be interleaved: of a sum in floating point whose rows are as long as data say, every iteration waits for
//! the one before it in its row, and no order of loops that the compiler could choose has another row's in between.

use anyhow::Result;

use crate::affine::Affine;
use crate::buffer::Allocation;
use crate::ids::StatementId;
use crate::offload::{Compute, Interleaved, power_of_two};
use crate::polyhedral::Program;
use crate::polyhedral::isl::{Constraint, Tuple};
use crate::source::kernel::Kernel;
use crate::tiling::{Band, Waits};

/// Cycles more than an iteration waits, for which rows are held: through their queue.
const QUEUE: f64 = 3.0;
/// Rows that are held at most.
const MOST_ROWS: i64 = 64;

/// The statements of a band whose rows are interleaved: those whose rows data cut short, whose iterations wait for each other inside a
/// row alone, and that keep nothing in places which only the order of the rows keeps apart.
pub fn interleaved(
    program: &Program,
    kernel: &Kernel,
    band: &Band,
    allocations: &[Allocation],
    compute: &Compute,
) -> Result<Vec<Interleaved>> {
    let mut found = vec![];
    for (place, &statement) in band.statements.iter().enumerate() {
        let lanes = compute.lanes.as_ref().and_then(|lanes| lanes.per_statement[place].as_ref());
        if lanes.is_some() {
            continue;
        }
        let Some(cycles) = wait(kernel, statement, compute.lanes.is_some()) else { continue };
        let own = &program.statements[statement];
        let touches = |other: &Allocation| own.accesses.iter().any(|access| access.array == other.array);
        if allocations.iter().any(|other| other.words_by_tiles.is_some() && touches(other)) {
            continue;
        }
        let Some(outer) = outside_rows(kernel, (band, place), &own.iterators, compute) else { continue };
        if depends_in_rows(program, (band, place), &outer)? {
            let rows = power_of_two((cycles + QUEUE).ceil() as i64).min(MOST_ROWS);
            found.push(Interleaved { statement, rows });
        }
    }
    Ok(found)
}

/// Cycles from an iteration to the next of its row, of a statement whose rows data cut short; `None` where it does not wait.
fn wait(kernel: &Kernel, statement: StatementId, in_lanes: bool) -> Option<f64> {
    let statement = kernel.statements()[statement];
    kernel.limits(statement).filter(|_| statement.scatter().is_none())?;
    let waits = Waits::new(kernel, statement, false);
    let own = statement.references().into_iter().filter(|read| statement.writes_to(read.array));
    let cycles = own.map(|read| waits.update(statement, read, in_lanes)).fold(0.0, f64::max);
    (cycles > 1.0).then_some(cycles)
}

/// The dimensions of a statement's dates that tell its rows apart, where rows lie along what data limit and no loop beside those of the
/// dates makes several of one date.
fn outside_rows(
    kernel: &Kernel,
    (band, place): (&Band, usize),
    iterators: &[String],
    compute: &Compute,
) -> Option<Vec<usize>> {
    let (statement, date) = (band.statements[place], &band.date_expressions[place]);
    let iterator = kernel.limits(kernel.statements()[statement])?.iterator;
    let moves = |k: &usize| iterators.iter().any(|iterator| date[*k].coefficient(iterator) != 0);
    let moving: Vec<usize> = (0..date.len()).filter(moves).collect();
    let (row, outer) = moving.split_last()?;
    let is_along = date[*row].coefficient(iterator) == 1 && outer.iter().all(|k| date[*k].coefficient(iterator) == 0);
    let mut pieces = compute.scan.pieces.iter().filter(|piece| piece.leaf.statement() == statement);
    (is_along && pieces.all(|piece| piece.levels.len() == moving.len())).then(|| outer.to_vec())
}

/// Whether all instances of a tile that depend on one another, of the same statement, agree in the dimensions `outer` of their dates.
fn depends_in_rows(program: &Program, (band, place): (&Band, usize), outer: &[usize]) -> Result<bool> {
    let (statement, dates) = (band.statements[place], &band.dates[place]);
    let iterations = &band.iterations[place];
    let in_tile = iterations.reverse()?.apply_range(iterations)?;
    let names: Vec<String> = (0..band.date_expressions[place].len()).map(|k| format!("d{k}")).collect();
    let same: Vec<Constraint> = outer.iter().map(|&k| Constraint::Zero(Affine::variable(&names[k]))).collect();
    let same = band.isl.set(&[], Tuple::unnamed(&names), &same)?;
    for dependence in program.dependences.iter().filter(|d| (d.source, d.sink) == (statement, statement)) {
        let pairs = dependence.relation.intersect(&in_tile)?.apply_domain(dates)?.apply_range(dates)?;
        if !pairs.deltas()?.project_out_all_params()?.without_tuple_name()?.is_subset(&same)? {
            return Ok(false);
        }
    }
    Ok(true)
}
