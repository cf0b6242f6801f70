//! The dimensions that a tile can be walked along: θ, the loops that it leaves open, and waves.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use anyhow::Result;

use super::distances::Distances;
use super::pace::Waits;
use super::permutations::PERMUTED;
use crate::affine::Affine;
use crate::ids::{ArrayId, StatementId};
use crate::polyhedral::isl::Map;
use crate::polyhedral::{Program, Statement};
use crate::schedule::linear;
use crate::source::kernel::{self, Kernel, OrderDirective, TilingDirective, UnitsDirective};

/// Trips assumed of a loop that θ leaves out.
const UNTILED_TRIPS: i64 = 32;

/// Factors of the dimensions in a wave, beside 1 for at least one of them.
const FACTORS: [i64; 2] = [1, 2];

/// Statements whose dates differ by so much at most along a dimension run beside each other along it.
const NEAR: u64 = 8;

/// The dimensions that a tile can be walked along.
#[derive(Clone)]
pub(super) struct Space {
    /// θ of every statement, followed by the loops that it leaves open: one dimension for each level of the source's
    /// loops, constant in statements where θ has it already.
    pub values: Vec<Vec<Affine>>,
    /// The names of sizes: a value of these alone is one for all of a statement's instances.
    parameters: Rc<BTreeSet<String>>,
    /// Tile sizes, or trips assumed.
    pub sizes: Vec<i64>,
    /// What of them the iterations fill at the sizes that the user runs.
    pub extents: Vec<i64>,
    /// How many values they take in all tiles then.
    pub ranges: Vec<i64>,
    /// Per statement, the cycles from reading a buffer to the next read that sees the result.
    pub latencies: Vec<f64>,
    /// The same, per statement, of cells that it updates and that it can read late, see [`Waits::late`].
    pub late: Vec<BTreeMap<ArrayId, f64>>,
    /// The same in lanes.
    in_lanes: Vec<Rc<Waits>>,
    /// How data cut rows short.
    pub limited: Vec<Option<Limited>>,
    /// Local arrays, and those of which nobody reads what is left: tiles may move nothing of them.
    pub inside: BTreeSet<ArrayId>,
    /// How many of the dimensions are θ's.
    pub tiled: usize,
    /// Whether they tell all instances of every statement apart.
    pub injective: bool,
    /// Further dimensions, behind those: sums of them. A wave's values, sizes and extents are behind the others'.
    pub waves: Vec<Wave>,
    /// The order that somebody asks for.
    pub asked: Option<OrderDirective>,
}

/// A sum of dimensions, with their factors.
#[derive(Clone)]
pub(super) struct Wave {
    pub terms: Vec<(usize, i64)>,
    /// No dependence leads back along it, and all factors are positive. The others stand behind one along which none does.
    pub leads: bool,
}

impl Space {
    /// θ, and the loops that it leaves open.
    pub(super) fn new(
        program: &Program,
        kernel: &Kernel,
        directive: &TilingDirective,
        statements: &[StatementId],
        theta: &[Map],
    ) -> Result<Space> {
        let mut space = Space::of_theta(kernel, directive, statements);
        for row in open_loops(program, directive, statements, theta)? {
            space.values.iter_mut().zip(row).for_each(|(values, value)| values.push(value));
            space.sizes.push(UNTILED_TRIPS);
        }
        space.injective = true;
        space.measure(program, kernel, statements)?;
        // What one unit has of a tile.
        if let Some(UnitsDirective { count, dimension: Some(k), .. }) = directive.units {
            space.extents[k] = (space.extents[k] + count - 1) / count;
        }
        Ok(space)
    }

    /// How much of every dimension the iterations fill at the sizes that the user runs.
    fn measure(&mut self, program: &Program, kernel: &Kernel, statements: &[StatementId]) -> Result<()> {
        self.extents = self.sizes.clone();
        self.ranges = self.sizes.clone();
        for (k, extent) in self.extents.iter_mut().enumerate() {
            let mut range: Option<(i64, i64)> = None;
            for (&s, values) in statements.iter().zip(&self.values) {
                let Some((low, high)) = program.usual_range(kernel, s, &values[k])? else { continue };
                range = Some(range.map_or((low, high), |r| (r.0.min(low), r.1.max(high))));
            }
            if let Some((low, high)) = range {
                self.ranges[k] = (high - low + 1).max(1);
                // A tile holds all of a loop that θ leaves out.
                *extent = if k < self.tiled { (*extent).min(self.ranges[k]) } else { self.ranges[k] };
            }
        }
        Ok(())
    }

    /// Adds the sums of dimensions that iterations may be walked along, see [`Wave`]: dimensions of θ, which have no
    /// negative distances, and others without.
    /// With those `behind`, too: loops that θ leaves out, along which values come from ahead, plus or minus one of θ's dimensions.
    pub(super) fn add_waves(&mut self, program: &Program, statements: &[StatementId], behind: bool) -> Result<()> {
        let distances = self.distances(program, statements)?;
        let mut members = vec![];
        for k in (0..self.sizes.len()).filter(|&k| self.sizes[k] > 1 && self.extents[k] > 1) {
            let mut is_forward = true;
            for Distances { set, .. } in distances.iter().filter(|_| k >= self.tiled) {
                is_forward &= set.is_empty()? || set.minimum(k)?.finite().is_some_and(|least| least >= 0);
            }
            if is_forward {
                members.push(k);
            }
        }
        if members.len() > PERMUTED {
            return Ok(());
        }
        let tiled: Vec<usize> = (0..self.tiled).filter(|k| members.contains(k)).collect();
        let open = (self.tiled..self.sizes.len()).filter(|k| behind && self.extents[*k] > 1 && !members.contains(k));
        let behind: Vec<Vec<(usize, i64)>> = open
            .flat_map(|k| tiled.iter().flat_map(move |&d| [1, -1].map(|factor| vec![(k, 1), (d, factor)])))
            .collect();
        // 0 for a dimension that is no part of the sum.
        let choices = FACTORS.len() + 1;
        for number in 0..choices.pow(members.len() as u32) {
            let factor = |place: usize| match number / choices.pow(place as u32) % choices {
                0 => 0,
                choice => FACTORS[choice - 1],
            };
            let wave: Vec<(usize, i64)> = members.iter().enumerate().map(|(place, &k)| (k, factor(place))).collect();
            let wave: Vec<(usize, i64)> = wave.into_iter().filter(|(_, factor)| *factor > 0).collect();
            if wave.len() >= 2 && wave.iter().any(|(_, factor)| *factor == 1) {
                self.add_wave(Wave { terms: wave, leads: true });
            }
        }
        behind.into_iter().for_each(|terms| self.add_wave(Wave { terms, leads: false }));
        Ok(())
    }

    /// Adds a sum, where all of its terms vary in some statement.
    fn add_wave(&mut self, wave: Wave) {
        let terms = &wave.terms;
        let varies = |place: usize| terms.iter().all(|&(k, _)| self.varies(place, k));
        if !(0..self.values.len()).any(varies) {
            return;
        }
        for values in &mut self.values {
            let sum = terms.iter().fold(Affine::default(), |sum, &(k, factor)| sum + values[k].clone() * factor);
            values.push(sum);
        }
        let span = |lengths: &[i64]| terms.iter().map(|&(k, factor)| factor.abs() * (lengths[k] - 1)).sum::<i64>() + 1;
        let (size, extent) = (span(&self.sizes), span(&self.extents));
        self.sizes.push(size);
        self.extents.push(extent);
        self.waves.push(wave);
    }

    /// Whether dependences may lead back along a dimension.
    pub(super) fn may_lead_back(&self, dimension: usize) -> bool {
        match dimension.checked_sub(self.rank()) {
            Some(wave) => !self.waves[wave].leads,
            None => dimension >= self.tiled,
        }
    }

    /// The same with groups of so many values of each of the dimensions `lanes` in place of the values. What lanes read late they read
    /// from the buffer, and never on its way there.
    pub(super) fn in_groups(&self, lanes: &[(usize, i64)]) -> Space {
        let mut space = self.clone();
        for &(k, count) in lanes {
            space.sizes[k] = self.side(k);
            for lengths in [&mut space.sizes, &mut space.extents, &mut space.ranges] {
                lengths[k] = (lengths[k] + count - 1) / count;
            }
        }
        space.latencies = self.in_lanes.iter().map(|waits| waits.latency).collect();
        space.late = self.in_lanes.iter().map(|waits| waits.late_in_lanes.clone()).collect();
        space
    }

    /// The values that a dimension has in a tile: of a loop that θ leaves out those at the sizes that the user runs, but no
    /// fewer than are taken for granted, and as many as lanes may be for them, the last of which do nothing.
    pub(super) fn side(&self, k: usize) -> i64 {
        let extent = || u64::try_from(self.sizes[k].max(self.extents[k])).unwrap_or(1).next_power_of_two();
        if k < self.tiled { self.sizes[k] } else { extent() as i64 }
    }

    /// How many dimensions there are without the waves: as many has an order.
    pub(super) fn rank(&self) -> usize {
        self.sizes.len() - self.waves.len()
    }

    /// How far the begin of the values of `k` moves from a row of `wave` to the next, where the wave's other dimensions are the shorter
    /// ones, and so bound these rows at both ends.
    pub(super) fn moved_by(&self, place: usize, wave: usize, k: usize) -> Option<i64> {
        let terms = self.terms(wave);
        let (_, factor) = terms.iter().copied().find(|(term, factor)| *term == k && factor.abs() == 1)?;
        let extent = |k: usize| if self.varies(place, k) { self.extents[k] } else { 1 };
        let others = terms.iter().filter(|(term, _)| *term != k);
        let others: i64 = others.map(|&(term, factor)| factor.abs() * (extent(term) - 1)).sum();
        (wave != k && extent(k) > others + 1).then_some(factor)
    }

    /// Whether there is a wave in an order.
    pub(super) fn has_waves(&self, order: &[usize]) -> bool {
        order.iter().any(|k| *k >= self.rank())
    }

    /// Instances of a statement in all tiles, were their dimensions independent.
    pub(super) fn iterations(&self, place: usize) -> f64 {
        let varying = self.ranges.iter().enumerate().filter(|(k, _)| self.varies(place, *k));
        varying.map(|(_, range)| *range as f64).product()
    }

    /// Whether a statement's instances differ along a dimension.
    pub(super) fn varies(&self, place: usize, k: usize) -> bool {
        !self.values[place][k].terms.keys().all(|name| self.parameters.contains(name))
    }

    /// Instances in a tile of the statements that have as many as `place`, and about the same values along the dimensions `outer`, of itself,
    /// too.
    pub(super) fn beside(&self, place: usize, outer: &[usize]) -> f64 {
        let all: Vec<usize> = (0..self.rank()).collect();
        let of_sizes = |place: usize, k: usize| {
            let value = &self.values[place][k];
            let terms = value.terms.iter().filter(|(name, _)| self.parameters.contains(*name));
            terms.map(|(name, factor)| (name.clone(), *factor)).collect::<Vec<_>>()
        };
        let is_near = |other: usize, k: usize| {
            let [own, its] = [place, other].map(|place| self.values[place][k].constant);
            of_sizes(place, k) == of_sizes(other, k) && own.abs_diff(its) <= NEAR
        };
        let own = self.combinations(place, &all);
        let loops = |place: usize| {
            let names = self.values[place].iter().flat_map(|value| value.terms.keys());
            names.filter(|name| !self.parameters.contains(*name)).collect::<BTreeSet<_>>().len()
        };
        let is_beside = |other: &usize| {
            self.combinations(*other, &all) == own
                && loops(*other) == loops(place)
                && outer.iter().flat_map(|k| self.terms(*k)).all(|(term, _)| is_near(*other, term))
        };
        own * (0..self.values.len()).filter(is_beside).count() as f64
    }

    /// Instances of all statements in a tile.
    pub(super) fn instances(&self) -> f64 {
        let all: Vec<usize> = (0..self.rank()).collect();
        (0..self.values.len()).map(|place| self.combinations(place, &all)).sum()
    }

    /// The dimensions with their factors that `k` is the sum of.
    fn terms(&self, k: usize) -> Vec<(usize, i64)> {
        match k.checked_sub(self.rank()) {
            Some(wave) => self.waves[wave].terms.clone(),
            None => vec![(k, 1)],
        }
    }

    /// How many different values the dimensions `outer` of one statement have together: a wave has those of the sum of its
    /// terms that are not among them.
    pub(super) fn combinations(&self, place: usize, outer: &[usize]) -> f64 {
        let extent = |k: usize| if self.varies(place, k) { self.extents[k] } else { 1 };
        let values = |&k: &usize| {
            let open = self.terms(k).into_iter().filter(|(term, _)| *term == k || !outer.contains(term));
            (open.map(|(term, factor)| factor.abs() * (extent(term) - 1)).sum::<i64>() + 1) as f64
        };
        outer.iter().map(values).product()
    }

    /// θ alone; instances that it does not tell apart keep the order of the source, which is always legal.
    pub(super) fn of_theta(kernel: &Kernel, directive: &TilingDirective, statements: &[StatementId]) -> Space {
        let all = kernel.statements();
        let waits: Vec<Waits> = statements.iter().map(|&s| Waits::new(kernel, all[s], false)).collect();
        Space {
            latencies: waits.iter().map(|waits| waits.latency).collect(),
            in_lanes: statements.iter().map(|&s| Rc::new(Waits::new(kernel, all[s], true))).collect(),
            late: waits.into_iter().map(|waits| waits.late).collect(),
            limited: statements.iter().map(|&s| Limited::of(kernel, all[s])).collect(),
            inside: kernel.arrays.iter_enumerated().filter(|(_, a)| is_inside(a)).map(|(array, _)| array).collect(),
            values: directive.schedules.iter().map(|s| s.theta.clone()).collect(),
            parameters: Rc::new(kernel.parameters.iter().map(|size| size.name.clone()).collect()),
            sizes: directive.sizes.clone(),
            extents: directive.sizes.clone(),
            ranges: directive.sizes.clone(),
            tiled: directive.sizes.len(),
            injective: false,
            waves: vec![],
            asked: directive.order.clone(),
        }
    }

    /// The level of `order` along which a statement's rows lie.
    pub(super) fn row(&self, place: usize, order: &[usize]) -> Option<usize> {
        order.iter().rposition(|&k| self.varies(place, k) && self.sizes[k] > 1)
    }

    /// The mean length of a statement's rows in `order`, with the statements one after the other at the depth `apart`.
    pub(super) fn row_length(&self, place: usize, order: &[usize], apart: usize) -> f64 {
        let row = self.row(place, order).filter(|level| *level >= apart);
        row.map_or(1.0, |row| self.combinations(place, order) / self.combinations(place, &order[..row]))
    }
}

/// The loops that a directive's schedule, `theta` of each of its `statements`, leaves open: one for each level of the source's loops
/// along which some statement has instances that θ does not tell apart, with its value in each, a constant in the others.
pub(super) fn open_loops(
    program: &Program,
    directive: &TilingDirective,
    statements: &[StatementId],
    theta: &[Map],
) -> Result<Vec<Vec<Affine>>> {
    let mut is_injective = true;
    for theta in theta {
        is_injective &= theta.is_injective()?;
    }
    let mut open = vec![];
    if is_injective {
        return Ok(open);
    }
    let mut known: Vec<Vec<Affine>> = directive.schedules.iter().map(|schedule| schedule.theta.clone()).collect();
    for &level in &program.loop_dimensions {
        let mut row = vec![];
        for (&s, values) in statements.iter().zip(&known) {
            let Statement { iterators, order, .. } = &program.statements[s];
            let value = order.get(level).cloned().unwrap_or_default();
            let with: Vec<Affine> = values.iter().cloned().chain([value.clone()]).collect();
            row.push(if rank(&with, iterators) > rank(values, iterators) { value } else { Affine::default() });
        }
        if row.iter().any(|value| !value.is_constant()) {
            known.iter_mut().zip(&row).for_each(|(values, value)| values.push(value.clone()));
            open.push(row);
        }
    }
    Ok(open)
}

/// The number of linearly independent ones among the expressions' linear parts over `names`.
pub(super) fn rank(expressions: &[Affine], names: &[String]) -> usize {
    let rows: Vec<Vec<i64>> =
        expressions.iter().map(|e| names.iter().map(|name| e.coefficient(name)).collect()).collect();
    linear::rank(&rows)
}

/// See [`Space::inside`].
fn is_inside(array: &kernel::Array) -> bool {
    array.scratch || array.storage != kernel::Storage::Argument
}

/// Rows that data cut short, see [`Limits`](kernel::Limits), at the sizes that the user runs.
#[derive(Clone)]
pub(super) struct Limited {
    /// The iterator along them.
    pub iterator: String,
    /// What part is left of the iterations.
    pub share: f64,
    /// How many are left of a row, in all tiles, where its ends are known.
    pub length: Option<f64>,
}

impl Limited {
    fn of(kernel: &Kernel, statement: &kernel::Statement) -> Option<Limited> {
        let limits = kernel.limits(statement)?;
        let usual = kernel.usual_sizes();
        let size = |name: &str| usual.get(name).copied().unwrap_or(1);
        let share = limits.share(kernel, size);
        let most = limits.told[1].iter().map(|most| most.evaluate(size)).min();
        let length = most.map(|most| most as f64 * share);
        Some(Limited { iterator: limits.iterator.to_string(), share, length })
    }
}
