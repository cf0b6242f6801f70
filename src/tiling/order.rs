//! The order inside a tile. A tile is atomic and its band permutable, so any order of θ's dimensions is legal there, and
//! so is the order of the source, and so are waves: a sum of dimensions with positive factors, whose distances are no
//! less than 0 either, in front of all but one of its terms (Lamport's hyperplanes, CACM 1974). The best order has long
//! rows, and carries flow dependences further apart than the datapath is deep.

mod asked;
mod boxes;
mod candidate;
mod distances;
mod pace;
mod permutations;
mod search;
mod side_by_side;
mod space;
mod storage;
mod waiting;

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};

use super::lane_shape::{Banking, Lanes};
use super::tuple_text;
use crate::affine::Affine;
use crate::diagnostic::Diagnostic;
use crate::ids::{ArrayId, StatementId};
use crate::polyhedral::Program;
use crate::polyhedral::isl::{Map, Tuple};
use crate::source::kernel::{Kernel, TilingDirective};
use candidate::Candidate;
pub use pace::Waits;
use side_by_side::Wanted;
use space::Space;

/// When the instances of a tile run.
pub(super) struct Order {
    /// `{ S0[i, j] -> D[d0, d1] }`, one per statement of the band.
    pub dates: Vec<Map>,
    pub expressions: Vec<Vec<Affine>>,
    pub text: String,
    /// Whether a directive can say it: not where the order of the source is a part of it.
    pub is_of_dimensions: bool,
    /// The smallest distance of a flow dependence that the innermost dimension carries alone.
    pub innermost_distance: Option<i64>,
    /// Estimated cycles in which iterations wait for values, over the iterations; of no lanes.
    pub stalls_per_iteration: f64,
    /// Per statement, the tile size along its rows; 1 where statements alternate, or where the order does not tell.
    pub rows: Vec<i64>,
    pub lanes: Option<Lanes>,
    /// Why there are none, where all bands may have them.
    pub without_lanes: Option<Diagnostic>,
    /// Arrays of which a word must be read late, or iterations would wait.
    pub late: Vec<ArrayId>,
}

/// From this many estimated cycles per instance on, waves are looked at.
const WORTH_A_WAVE: f64 = 1.1;

/// isl's operations for that.
const WAVE_OPERATIONS: u64 = 300_000;

/// Those for the best order without lanes: past it the source has a legal one.
const ORDER_OPERATIONS: u64 = 2_000_000;

/// What a band's computation takes, estimated.
pub(super) struct Effort {
    /// Iterations of the band at the sizes that the user runs, those of a box around them.
    pub iterations: f64,
    /// Cycles of each.
    pub per_iteration: f64,
    /// What they write: iterations of statements of one write each.
    pub writes: f64,
}

impl Effort {
    pub fn cycles(&self) -> f64 {
        self.iterations * self.per_iteration
    }
}

/// The computation of a band in these tiles.
pub(super) fn effort(program: &Program, kernel: &Kernel, directive: &TilingDirective) -> Result<Effort> {
    let statements = super::statements_of(program, directive);
    let theta = super::theta(program, directive, &statements)?;
    let (space, best) = best(program, kernel, directive, &statements, &theta)?;
    let iterations = (0..statements.len()).map(|place| space.iterations(place)).sum();
    let per_iteration = best.map_or(1.0, |best| best.cost / space.instances());
    let all = kernel.statements();
    let writes = |(place, s): (usize, &StatementId)| space.iterations(place) * all[*s].targets().count() as f64;
    let writes = statements.iter().enumerate().map(writes).sum();
    Ok(Effort { iterations, per_iteration, writes })
}

/// The loops that a directive's schedule leaves open, outermost first, as values over the iterators of each of its statements, which
/// are constant in those that have no such loop.
///
/// # Errors
/// isl's.
pub fn open_loops(program: &Program, directive: &TilingDirective) -> Result<Vec<Vec<Affine>>> {
    let statements = super::statements_of(program, directive);
    let theta = super::theta(program, directive, &statements)?;
    space::open_loops(program, directive, &statements, &theta)
}

/// The best order without lanes, and the dimensions that it is made of.
fn best(
    program: &Program,
    kernel: &Kernel,
    directive: &TilingDirective,
    statements: &[StatementId],
    theta: &[Map],
) -> Result<(Space, Option<Candidate>)> {
    let mut space = space_of(program, kernel, directive, statements, theta)?;
    if directive.order.is_some() {
        let best = space.best(program, statements, None)?;
        return Ok((space, best));
    }
    let mut best = space.best(program, statements, None)?;
    // Units count along a dimension by itself.
    let may_have_waves = directive.units.is_none();
    if may_have_waves && best.as_ref().is_some_and(|best| best.cost > WORTH_A_WAVE * space.instances()) {
        space.add_waves(program, statements, false)?;
        let look = || space.best(program, statements, None);
        let found = program.isl.within(WAVE_OPERATIONS, look)?.flatten();
        let is_better = |found: &Candidate| best.as_ref().is_none_or(|best| found.cost < best.cost);
        if let Some(found) = found.filter(is_better) {
            best = Some(found);
        }
    }
    Ok((space, best))
}

/// The dimensions of a band; sums of them are among them where the order that somebody asks for has some.
fn space_of(
    program: &Program,
    kernel: &Kernel,
    directive: &TilingDirective,
    statements: &[StatementId],
    theta: &[Map],
) -> Result<Space> {
    let mut space = Space::new(program, kernel, directive, statements, theta)?;
    if let Some(asked) = &directive.order
        && space.read(asked, program, statements).is_err()
    {
        space.add_waves(program, statements, true)?;
    }
    Ok(space)
}

/// The best order in lanes; where some statement has none, with a wave in front if that is worth it.
fn best_in_lanes(
    program: &Program,
    statements: &[StatementId],
    space: Space,
    wanted: &Wanted,
) -> Result<Option<(Space, Candidate)>> {
    let best = space.best(program, statements, Some(wanted))?;
    let all_have_lanes = best.as_ref().is_some_and(|best| best.lanes.iter().all(Option::is_some));
    if !all_have_lanes && wanted.is_along_one() && space.asked.is_none() {
        let mut waves = space.clone();
        waves.add_waves(program, statements, true)?;
        let found = program.isl.within(WAVE_OPERATIONS, || waves.best(program, statements, Some(wanted)))?.flatten();
        let is_worth_it = |found: &Candidate| best.as_ref().is_none_or(|best| WORTH_A_WAVE * found.cost < best.cost);
        if let Some(found) = found.filter(is_worth_it) {
            return Ok(Some((waves, found)));
        }
    }
    Ok(best.map(|best| (space, best)))
}

/// The arrays that the best lanes of a band would access along a diagonal, see [`LaneShape::slants`](super::lane_shape::LaneShape); of
/// a directive without lanes none.
pub(super) fn slants(
    program: &Program,
    kernel: &Kernel,
    directive: &TilingDirective,
) -> Result<BTreeMap<ArrayId, i64>> {
    let Some(lanes) = directive.lanes.filter(|lanes| lanes.count > 1 && lanes.along.is_none()) else {
        return Ok(BTreeMap::new());
    };
    let statements = super::statements_of(program, directive);
    let theta = super::theta(program, directive, &statements)?;
    let space = space_of(program, kernel, directive, &statements, &theta)?;
    let banking = Banking::default();
    let wanted = Wanted::new(program, kernel, directive, lanes, (&space, &statements), (&banking, true))?;
    let Some((space, best)) = best_in_lanes(program, &statements, space, &wanted)? else { return Ok(BTreeMap::new()) };
    let lanes = wanted.lanes(&best, &space);
    let mut slants: BTreeMap<ArrayId, i64> = BTreeMap::new();
    for (array, slant) in lanes.per_statement.iter().flatten().flat_map(|own| &own.shape.slants) {
        if *slants.entry(*array).or_insert(*slant) != *slant {
            return Ok(BTreeMap::new());
        }
    }
    Ok(slants)
}

pub(super) fn choose(
    program: &Program,
    kernel: &Kernel,
    directive: &TilingDirective,
    statements: &[StatementId],
    theta: &[Map],
    banking: &Banking,
) -> Result<Order> {
    let mut without_lanes = None;
    let mut in_lanes = None;
    if let Some(lanes) = directive.lanes.filter(|lanes| lanes.count > 1) {
        let space = space_of(program, kernel, directive, statements, theta)?;
        let wanted = Wanted::new(program, kernel, directive, lanes, (&space, statements), (banking, false))?;
        match best_in_lanes(program, statements, space.clone(), &wanted)? {
            Some((space, candidate)) => {
                let lanes = wanted.lanes(&candidate, &space);
                in_lanes = Some((space, candidate, lanes));
            }
            None => {
                let names: Vec<&str> = statements.iter().map(|&s| program.statements[s].name.as_str()).collect();
                let refusal = wanted.refusal(directive, &space, &names, &kernel.arrays);
                if lanes.span.line > 0 {
                    return Err(refusal.into());
                }
                without_lanes = Some(refusal);
            }
        }
    }
    let (space, candidate, lanes) = match in_lanes {
        Some((space, candidate, lanes)) => (space, candidate, Some(lanes)),
        None => {
            let look = || best(program, kernel, directive, statements, theta);
            let found = match &directive.order {
                Some(_) => Some(look()?),
                None => program.isl.within(ORDER_OPERATIONS, look)?,
            };
            let (mut space, mut best) = found.unwrap_or_else(|| {
                let space = Space::of_theta(kernel, directive, statements);
                let source = space.as_in_source();
                (space, Some(source))
            });
            if let (None, Some(asked)) = (&best, &directive.order) {
                return Err(space.reversed(asked, program, kernel, statements)?.into());
            }
            if best.is_none() {
                space = Space::of_theta(kernel, directive, statements);
                best = space.best(program, statements, None)?;
            }
            let candidate = best.ok_or_else(|| anyhow!("internal error: no order inside the tiles"))?;
            (space, candidate, None)
        }
    };
    let expressions = candidate.expressions(program, &space, statements);
    let mut dates = vec![];
    for (&s, values) in statements.iter().zip(&expressions) {
        let statement = &program.statements[s];
        let names: Vec<String> = (0..values.len()).map(|d| format!("d{d}")).collect();
        let tuple = Tuple { name: &statement.name, dimensions: &statement.iterators };
        let range = Tuple { name: "D", dimensions: &names };
        let map = program.isl.function(&program.parameters, tuple, range, values)?;
        dates.push(map.intersect_domain(&statement.domain)?);
    }
    let text = match &expressions[..] {
        [only] => tuple_text(only),
        all => {
            let named = statements.iter().zip(all);
            let all: Vec<_> =
                named.map(|(&s, e)| format!("{} {}", program.statements[s].name, tuple_text(e))).collect();
            all.join(", ")
        }
    };
    let rows = (0..statements.len()).map(|place| candidate.row_length(&space, place)).collect();
    let innermost_distance = candidate.carried.first().copied().filter(|&d| d != i64::MAX);
    // Those of lanes have cycles of their own, and in the order of the source iterations are walked.
    let is_told = lanes.is_some() || !space.injective;
    let stalls = if is_told { 0.0 } else { space.stalls(program, statements, &candidate)? };
    let stalls_per_iteration = stalls / space.instances();
    let is_of_dimensions = space.injective && !candidate.shares_places();
    let late = candidate.late;
    Ok(Order {
        dates,
        expressions,
        text,
        is_of_dimensions,
        innermost_distance,
        stalls_per_iteration,
        rows,
        lanes,
        without_lanes,
        late,
    })
}
