//! Which values live at the same time, write by write, in any order of the instances that keeps the flow of values: the conflicts of
//! Lefebvre and Feautrier ("Optimizing storage size for static control programs in automatic parallelizers", Euro-Par 1997), as the GeCoS
//! note by Morvan (2014) derives them in section 2.3.2, for the values of an array (array contraction) or of a single statement (memory
//! reallocation). A value lives from its write to its last read; one that nobody reads, at its write alone.
//!
//! Two steps of the note are taken otherwise, since they are wrong:
//!
//! - Step 3 has only writes that are read among those that may destroy a value. Here they are all writes: in `t[2*i] = x; t[2*i + 1] = 7;
//!   y = t[2*i]` the second one, which nobody reads, must not take the place of the first.
//! - Section 2.5.1 drops parallel dimensions from the equality of step 6 only, and leaves them in the lexicographic order of steps 1 to 5,
//!   which orders what runs at once. Here dates are compared along the other dimensions alone.
//!
//! And where no two instances have one date, comparisons are strict: an instance reads before it writes, so that its value may take the
//! place of the one it reads last.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::affine::Affine;
use crate::ids::{ArrayId, StatementId};
use crate::polyhedral::flow::{self, add};
use crate::polyhedral::isl::{Constraint, Context, Map, Set, Tuple};
use crate::polyhedral::{Program, Touch};
use crate::tiling::Band;

/// When instances run: `[N] -> { S0[i, j] -> [d0, d1] }` per statement, all dates as long.
pub type Schedule = BTreeMap<StatementId, Map>;

/// What dates tell of the order of the instances.
#[derive(Clone, Debug, PartialEq)]
pub enum Dates {
    /// No two instances have the same.
    Distinct,
    /// Several instances may have one, in any order, as do those that differ in `parallel` dimensions only.
    Shared { parallel: Vec<usize> },
}

/// The values of an array, in the dates of a schedule.
pub struct Values {
    /// `[N] -> { [date of a write] -> [date of a read that may see its value] }`
    pub flow: Map,
    /// `[N] -> { [date] -> c[m] }`: all writes, with what they write.
    pub writes: Map,
}

impl Values {
    /// The values of `array` that the statements `producers` write, among those that `schedule` has, at sizes within their bounds; `None`
    /// where they write none.
    ///
    /// # Errors
    /// isl's.
    pub fn of(
        program: &Program,
        array: ArrayId,
        schedule: &Schedule,
        producers: impl Fn(StatementId) -> bool,
    ) -> Result<Option<Values>> {
        let (mut writes, mut to_dates, mut from_producers) = (None, None, None);
        for (&s, dates) in schedule {
            let statement = &program.statements[s];
            let own = statement.schedule.reverse()?.apply_range(dates)?;
            add(&mut to_dates, own.clone())?;
            if producers(s)
                && let Some(written) = statement.accesses_of(array, Touch::Write)?
            {
                add(&mut writes, written.apply_domain(dates)?)?;
                add(&mut from_producers, own)?;
            }
        }
        let (Some(writes), Some(to_dates), Some(from_producers)) = (writes, to_dates, from_producers) else {
            return Ok(None);
        };
        let flow = match flow::last_writes(program, array)? {
            Some(flow) => flow.apply_domain(&to_dates)?.apply_range(&from_producers)?.reverse()?.coalesce()?,
            None => {
                let instances = writes.domain()?.identity()?;
                instances.subtract(&instances)?
            }
        };
        let sizes = &program.bounded_sizes;
        Ok(Some(Values { flow: flow.intersect_params(sizes)?, writes: writes.intersect_params(sizes)?.coalesce()? }))
    }

    /// CS: `[N] -> { [date] -> [date'] }`, the writes whose values live at the same time, each with itself.
    ///
    /// Of two that do, the later write comes before the last use of the earlier one's value. So no last use is computed: one that is later
    /// than the write is enough.
    ///
    /// # Errors
    /// isl's.
    pub fn conflicts(&self, dates: &Dates) -> Result<Map> {
        let writes = self.writes.domain()?;
        let rank = writes.dimensions()?;
        let (parallel, or_equal) = match dates {
            Dates::Distinct => (&[][..], false),
            Dates::Shared { parallel } => (&parallel[..], true),
        };
        let compared: Vec<usize> = (0..rank).filter(|k| !parallel.contains(k)).collect();
        let order = order(writes.context(), rank, &compared, or_equal)?;
        let own = writes.identity()?;
        // A write is a use of its own value: what runs at once with it must not take the place.
        let uses = if or_equal { self.flow.union(&own)? } else { self.flow.clone() };
        let before_use = uses.apply_range(&order.reverse()?)?.intersect_range(&writes)?.coalesce()?;
        let later = order.intersect(&before_use)?.coalesce()?;
        later.union(&later.reverse()?)?.union(&own)?.coalesce()
    }

    /// DS in the dates, `{ [x, y] }`, whatever the sizes: a memory that is addressed by dates (section 3.1 of the note) keeps these apart.
    ///
    /// # Errors
    /// isl's.
    pub fn differences(&self, dates: &Dates) -> Result<Set> {
        self.conflicts(dates)?.deltas()?.project_out_all_params()?.coalesce()
    }

    /// `[N] -> { c[m] -> c[m'] }`: the cells whose values live at the same time: a memory that is addressed by the array's subscripts.
    ///
    /// # Errors
    /// isl's.
    pub fn conflicts_of_cells(&self, dates: &Dates) -> Result<Map> {
        self.conflicts(dates)?.apply_domain(&self.writes)?.apply_range(&self.writes)?.coalesce()
    }
}

/// DS of the cells of an array that no tile of a band moves, `{ c[x, y] }`, whatever strip and sizes; `None` where the band writes none. The
/// dates are those of the hardware inside a strip: the order of its tiles, and that inside a tile.
///
/// # Errors
/// isl's.
pub fn differences_in_strips(program: &Program, band: &Band, array: ArrayId) -> Result<Option<Set>> {
    let touches = |s: &StatementId| program.statements[*s].accesses.iter().any(|access| access.array == array);
    let places: Vec<usize> = (0..band.statements.len()).filter(|&place| touches(&band.statements[place])).collect();
    let schedule = in_strips(program, band, &places)?;
    let Some(values) = Values::of(program, array, &schedule, |_| true)? else { return Ok(None) };
    Ok(Some(values.conflicts_of_cells(&Dates::Distinct)?.deltas()?.project_out_all_params()?.coalesce()?))
}

/// `[N, T0] -> { S0[i, j] -> [T1, d0, d1] }` of the statements at `places` in a band: the strip's indices are parameters, so that what lies in
/// different strips is never compared.
fn in_strips(program: &Program, band: &Band, places: &[usize]) -> Result<Schedule> {
    let n_strip = band.directive.strip_indices();
    let parameters: Vec<String> = band.parameters.iter().chain(&band.tile_names[..n_strip]).cloned().collect();
    let date_names: Vec<String> =
        (0..band.date_expressions.first().map_or(0, Vec::len)).map(|k| format!("date {k}")).collect();
    // What is one constant for all of them orders nothing.
    let differs = |value: &dyn Fn(usize) -> Affine| {
        let mut values = places.iter().map(|&place| value(place));
        values.next().is_some_and(|first| !first.is_constant() || values.any(|other| other != first))
    };
    let theta = |place: usize, k: usize| band.directive.schedules[place].theta[k].clone();
    let date = |place: usize, k: usize| band.date_expressions[place][k].clone();
    let steps: Vec<usize> = (n_strip..band.tile_names.len()).filter(|&k| differs(&|place| theta(place, k))).collect();
    let dates: Vec<usize> = (0..date_names.len()).filter(|&k| differs(&|place| date(place, k))).collect();
    let names = steps.iter().map(|&k| &band.tile_names[k]).chain(dates.iter().map(|&k| &date_names[k]));
    let names: Vec<String> = names.cloned().collect();
    let mut schedule = Schedule::new();
    for &place in places {
        let statement = &program.statements[band.statements[place]];
        let tuple = Tuple { name: &statement.name, dimensions: &statement.iterators };
        let mut constraints = vec![];
        for k in (0..n_strip).chain(steps.iter().copied()) {
            let size = band.directive.sizes[k];
            let offset = theta(place, k) - Affine::variable(&band.tile_names[k]) * size;
            constraints.push(Constraint::at_most(offset.clone(), Affine::constant(size - 1)));
            constraints.push(Constraint::NonNegative(offset));
        }
        constraints.extend(dates.iter().map(|&k| Constraint::Zero(date(place, k) - Affine::variable(&date_names[k]))));
        let map = band.isl.map(&parameters, tuple, Tuple::unnamed(&names), &constraints)?;
        schedule.insert(band.statements[place], map.intersect_domain(&statement.domain)?);
    }
    Ok(schedule)
}

/// `{ [x] -> [y] : x ≺ y }`, lexicographically along the dimensions `compared`; with those that are equal there where `or_equal`.
fn order(isl: &Context, rank: usize, compared: &[usize], or_equal: bool) -> Result<Map> {
    let names = |letter: &str| -> Vec<String> { (0..rank).map(|k| format!("{letter}{k}")).collect() };
    let (from, to) = (names("x"), names("y"));
    let step = |k: usize| Affine::variable(&to[k]) - Affine::variable(&from[k]);
    let piece = |constraints: &[Constraint]| isl.map(&[], Tuple::unnamed(&from), Tuple::unnamed(&to), constraints);
    let mut equal = vec![];
    let mut all = None;
    for &k in compared {
        let later = Constraint::NonNegative(step(k) - Affine::constant(1));
        let constraints: Vec<Constraint> = equal.iter().cloned().chain([later]).collect();
        add(&mut all, piece(&constraints)?)?;
        equal.push(Constraint::Zero(step(k)));
    }
    let same = piece(&equal)?;
    match all {
        Some(all) if or_equal => all.union(&same)?.coalesce(),
        Some(all) => Ok(all),
        None if or_equal => Ok(same),
        None => same.subtract(&same),
    }
}
