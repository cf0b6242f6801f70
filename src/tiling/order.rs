//! The order inside a tile. A tile is atomic and its band permutable, so any order of θ's dimensions is legal there, and
//! so is the order of the source, and so are waves: a sum of dimensions with positive factors, whose distances are no
//! less than 0 either, in front of all but one of its terms (Lamport's hyperplanes, CACM 1974). The best order has long
//! rows, and carries flow dependences further apart than the datapath is deep.

mod side_by_side;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use anyhow::{Result, anyhow};

use super::lane_shape::Lanes;
use super::tuple_text;
use crate::affine::Affine;
use crate::ids::{ArrayId, StatementId};
use crate::operators;
use crate::polyhedral::isl::{Constraint, Map, Set, Tuple};
use crate::polyhedral::{Dependence, DependenceKind, Program, Statement};
use crate::source::kernel::{self, Expr, Kernel, TilingDirective};
use side_by_side::Wanted;

/// When the instances of a tile run.
pub(super) struct Order {
    /// `{ S0[i, j] -> D[d0, d1] }`, one per statement of the band.
    pub dates: Vec<Map>,
    pub expressions: Vec<Vec<Affine>>,
    pub text: String,
    /// The smallest distance of a flow dependence that the innermost dimension carries alone.
    pub innermost_distance: Option<i64>,
    /// Estimated cycles over the iterations.
    pub cycles_per_iteration: f64,
    /// Per statement, the tile size along its rows; 1 where statements alternate, or where the order does not tell.
    pub rows: Vec<i64>,
    pub lanes: Option<Lanes>,
    /// Arrays of which a word must be read late, or iterations would wait.
    pub late: Vec<ArrayId>,
}

/// Cycles that the scanner takes for a row, whatever its length.
const CYCLES_PER_ROW: f64 = 4.0;

/// Cycles from reading a buffer to the next read that sees the result, in integer arithmetic.
const LATENCY: f64 = 6.0;

/// Trips assumed of a loop that θ leaves out.
const UNTILED_TRIPS: i64 = 32;

/// From this many estimated cycles per instance on, waves are looked at.
const WORTH_A_WAVE: f64 = 1.1;

/// isl's operations for that.
const WAVE_OPERATIONS: u64 = 300_000;

/// Factors of the dimensions in a wave, beside 1 for at least one of them.
const FACTORS: [i64; 2] = [1, 2];

/// Up to this many dimensions of a tile are tried in all orders, more of them in as many orders as they are.
const PERMUTED: usize = 4;

/// The dimensions that a tile can be walked along.
struct Space {
    /// θ of every statement, followed by the loops that it leaves open: one dimension for each level of the source's
    /// loops, constant in statements where θ has it already.
    values: Vec<Vec<Affine>>,
    /// Tile sizes, or trips assumed.
    sizes: Vec<i64>,
    /// What of them the iterations fill at the sizes that the user runs.
    extents: Vec<i64>,
    /// How many values they take in all tiles then.
    ranges: Vec<i64>,
    /// Per statement, the cycles from reading a buffer to the next read that sees the result.
    latencies: Vec<f64>,
    /// The same, per statement, of cells that it updates and that it can read late, see [`late`].
    late: Vec<BTreeMap<ArrayId, f64>>,
    /// How many of the dimensions are θ's.
    tiled: usize,
    /// Whether they tell all instances of every statement apart.
    injective: bool,
    /// Further dimensions, behind those: sums of them. A wave's values, sizes and extents are behind the others'.
    waves: Vec<Wave>,
}

/// A sum of dimensions along which no dependence leads back: the dimensions with their factors, all positive.
struct Wave(Vec<(usize, i64)>);

/// An order for the statements of a band.
struct Candidate {
    /// Per statement, the dimensions in the order of the loops inside a tile, those of tile size 1 first; all alike
    /// outside `apart`.
    dimensions: Vec<Vec<usize>>,
    /// The depth at which the statements run one after the other; `None` with a single statement.
    apart: Option<usize>,
    /// Per statement, its place among them there.
    places: Vec<usize>,
    /// Estimated cycles per tile.
    cost: f64,
    /// See [`carried_by_level`].
    carried: Vec<i64>,
    lane: Option<Lane>,
    /// See [`Order::late`].
    late: Vec<ArrayId>,
}

/// The dimension that lanes run along, and its place in the order of all statements.
#[derive(Clone, Copy)]
struct Lane {
    dimension: usize,
    level: usize,
}

/// What decides between two orders: fewer cycles, then longer rows, then dependences over longer distances.
struct Merit {
    cost: f64,
    length: f64,
    carried: Vec<i64>,
}

impl Merit {
    fn beats(&self, known: &Merit) -> bool {
        match self.cost.total_cmp(&known.cost) {
            Ordering::Equal => (self.length, &self.carried) > (known.length, &known.carried),
            order => order.is_lt(),
        }
    }
}

/// One of the orders that a statement alone may have.
struct Alone<'a> {
    /// The statement's place in the band.
    place: usize,
    order: &'a [usize],
    carried: Vec<i64>,
}

/// A flow or other dependence inside the band.
struct Distances {
    kind: DependenceKind,
    /// The statements' places in the band.
    source: usize,
    sink: usize,
    /// Index into `Kernel::arrays`.
    array: ArrayId,
    /// The distances of pairs that can lie in one tile: `{ [d0, d1, …] }`.
    set: Set,
    /// Those at the sizes that the user runs.
    near: Set,
}

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

/// The best order without lanes, and the dimensions that it is made of.
fn best(
    program: &Program,
    kernel: &Kernel,
    directive: &TilingDirective,
    statements: &[StatementId],
    theta: &[Map],
) -> Result<(Space, Option<Candidate>)> {
    let mut space = Space::new(program, kernel, directive, statements, theta)?;
    let mut best = space.best(program, statements, None)?;
    if best.as_ref().is_some_and(|best| best.cost > WORTH_A_WAVE * space.instances()) {
        space.add_waves(program, statements)?;
        let look = || space.best(program, statements, None);
        if let Some(found) = program.isl.within(WAVE_OPERATIONS, look)? {
            best = found;
        }
    }
    Ok((space, best))
}

pub(super) fn choose(
    program: &Program,
    kernel: &Kernel,
    directive: &TilingDirective,
    statements: &[StatementId],
    theta: &[Map],
) -> Result<Order> {
    let (mut space, best, wanted) = match directive.lanes {
        Some(lanes) if lanes.count > 1 => {
            let space = Space::new(program, kernel, directive, statements, theta)?;
            let wanted = Wanted::new(program, kernel, directive, lanes, (&space, statements))?;
            let best = space.best(program, statements, Some(&wanted))?;
            (space, best, Some(wanted))
        }
        _ => {
            let (space, best) = best(program, kernel, directive, statements, theta)?;
            (space, best, None)
        }
    };
    let candidate = match (best, &wanted) {
        (Some(candidate), _) => candidate,
        (None, Some(wanted)) => return Err(wanted.refusal(directive, &space).into()),
        (None, None) => {
            space = Space::of_theta(kernel, directive, statements);
            let last = space.best(program, statements, None)?;
            last.ok_or_else(|| anyhow!("internal error: no order inside the tiles"))?
        }
    };
    let lanes = candidate.lane.zip(wanted).and_then(|(lane, wanted)| wanted.lanes(lane, &space));
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
    let cycles_per_iteration = candidate.cost / space.instances();
    let late = candidate.late;
    Ok(Order { dates, expressions, text, innermost_distance, cycles_per_iteration, rows, lanes, late })
}

/// Cycles from reading a buffer to the next read that sees the value of `expr`.
fn latency(expr: &Expr) -> f64 {
    fn operators(expr: &Expr) -> u32 {
        let operands = expr.operands().into_iter().map(operators).max().unwrap_or(0);
        operators::latency(expr) + operands
    }
    LATENCY + f64::from(operators(expr))
}

/// The arrays of floating-point numbers of which a statement updates a word that it reads through one port: then the
/// compute process may read it as late as an operator wants it, and take it on its way there from the update before, so that
/// an update waits for the operators between the read and the write alone. The cycles of those.
fn late(kernel: &Kernel, statement: &kernel::Statement) -> BTreeMap<ArrayId, f64> {
    let all = kernel.statements();
    let can = |array: ArrayId| {
        let reads = |s: &kernel::Statement| s.references().into_iter().filter(|r| r.array == array).count();
        let is_read_once = all.iter().all(|s| match reads(s) {
            0 => true,
            // A serial divider has no stages at which a word could come.
            ports => ports == 1 && !s.values().any(operators::is_serial),
        });
        kernel.arrays[array].element.floating && reads(statement) == 1 && is_read_once
    };
    let cycles = |array: ArrayId| {
        let behind = statement.values().filter_map(|value| operators::behind(value, array)).max();
        (array, f64::from(behind.unwrap_or(0).max(1)))
    };
    statement.targets().map(|target| target.array).filter(|array| can(*array)).map(cycles).collect()
}

/// Cycles per tile of one statement, estimated.
struct Pace {
    cycles: f64,
    /// See [`Order::late`].
    late: Vec<ArrayId>,
}

impl Space {
    /// θ, and the loops that it leaves open.
    fn new(
        program: &Program,
        kernel: &Kernel,
        directive: &TilingDirective,
        statements: &[StatementId],
        theta: &[Map],
    ) -> Result<Space> {
        let mut space = Space::of_theta(kernel, directive, statements);
        space.injective = true;
        for theta in theta {
            space.injective &= theta.is_injective()?;
        }
        if space.injective {
            space.measure(program, kernel, statements)?;
            return Ok(space);
        }
        for &level in &program.loop_dimensions {
            let mut is_open = false;
            let mut row = vec![];
            for (&s, values) in statements.iter().zip(&space.values) {
                let Statement { iterators, order, .. } = &program.statements[s];
                let value = order.get(level).cloned().unwrap_or_default();
                let with: Vec<Affine> = values.iter().cloned().chain([value.clone()]).collect();
                let adds = rank(&with, iterators) > rank(values, iterators);
                is_open |= adds;
                row.push(if adds { value } else { Affine::default() });
            }
            if is_open {
                space.values.iter_mut().zip(row).for_each(|(values, value)| values.push(value));
                space.sizes.push(UNTILED_TRIPS);
            }
        }
        space.injective = true;
        space.measure(program, kernel, statements)?;
        Ok(space)
    }

    /// How much of every dimension the iterations fill at the sizes that the user runs.
    fn measure(&mut self, program: &Program, kernel: &Kernel, statements: &[StatementId]) -> Result<()> {
        let usual = |name: &str| {
            let size = kernel.parameters.iter().find(|p| p.name == name)?;
            size.default.or(size.max)
        };
        self.extents = self.sizes.clone();
        self.ranges = self.sizes.clone();
        for (k, extent) in self.extents.iter_mut().enumerate() {
            let mut range: Option<(i64, i64)> = None;
            for (&s, values) in statements.iter().zip(&self.values) {
                let Statement { domain, iterators, .. } = &program.statements[s];
                let value = values[k].substitute(|name| usual(name).map_or(Affine::variable(name), Affine::constant));
                if value.terms.keys().any(|name| !iterators.contains(name)) {
                    continue;
                }
                let mut domain = domain.clone();
                for parameter in &program.parameters {
                    if let Some(size) = usual(parameter) {
                        domain = domain.fix_parameter(parameter, size)?;
                    }
                }
                let high = domain.largest(iterators, &value)?.finite();
                let low = domain.largest(iterators, &-value.clone())?.finite();
                let (Some(high), Some(low)) = (high, low) else { continue };
                let (low, high) = (value.constant - low, value.constant + high);
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
    fn add_waves(&mut self, program: &Program, statements: &[StatementId]) -> Result<()> {
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
        // 0 for a dimension that is no part of the sum.
        let choices = FACTORS.len() + 1;
        for number in 0..choices.pow(members.len() as u32) {
            let factor = |place: usize| match number / choices.pow(place as u32) % choices {
                0 => 0,
                choice => FACTORS[choice - 1],
            };
            let wave: Vec<(usize, i64)> = members.iter().enumerate().map(|(place, &k)| (k, factor(place))).collect();
            let wave: Vec<(usize, i64)> = wave.into_iter().filter(|(_, factor)| *factor > 0).collect();
            let varies = |values: &Vec<Affine>| wave.iter().all(|&(k, _)| !values[k].is_constant());
            if wave.len() < 2 || wave.iter().all(|(_, factor)| *factor > 1) || !self.values.iter().any(varies) {
                continue;
            }
            for values in &mut self.values {
                let sum = wave.iter().fold(Affine::default(), |sum, &(k, factor)| sum + values[k].clone() * factor);
                values.push(sum);
            }
            let span = |lengths: &[i64]| wave.iter().map(|&(k, factor)| factor * (lengths[k] - 1)).sum::<i64>() + 1;
            let (size, extent) = (span(&self.sizes), span(&self.extents));
            self.sizes.push(size);
            self.extents.push(extent);
            self.waves.push(Wave(wave));
        }
        Ok(())
    }

    /// How many dimensions there are without the waves: as many has an order.
    fn rank(&self) -> usize {
        self.sizes.len() - self.waves.len()
    }

    /// Instances of a statement in all tiles, were their dimensions independent.
    fn iterations(&self, place: usize) -> f64 {
        let varying = self.values[place].iter().zip(&self.ranges).filter(|(value, _)| !value.is_constant());
        varying.map(|(_, range)| *range as f64).product()
    }

    /// Instances of all statements in a tile.
    fn instances(&self) -> f64 {
        let all: Vec<usize> = (0..self.rank()).collect();
        (0..self.values.len()).map(|place| self.combinations(place, &all)).sum()
    }

    /// The dimensions with their factors that `k` is the sum of.
    fn terms(&self, k: usize) -> Vec<(usize, i64)> {
        match k.checked_sub(self.rank()) {
            Some(wave) => self.waves[wave].0.clone(),
            None => vec![(k, 1)],
        }
    }

    /// How many different values the dimensions `outer` of one statement have together: a wave has those of the sum of its
    /// terms that are not among them.
    fn combinations(&self, place: usize, outer: &[usize]) -> f64 {
        let extent = |k: usize| match self.values[place][k].is_constant() {
            true => 1,
            false => self.extents[k],
        };
        let values = |&k: &usize| {
            let open = self.terms(k).into_iter().filter(|(term, _)| *term == k || !outer.contains(term));
            (open.map(|(term, factor)| factor * (extent(term) - 1)).sum::<i64>() + 1) as f64
        };
        outer.iter().map(values).product()
    }

    /// θ alone; instances that it does not tell apart keep the order of the source, which is always legal.
    fn of_theta(kernel: &Kernel, directive: &TilingDirective, statements: &[StatementId]) -> Space {
        let all = kernel.statements();
        Space {
            latencies: statements.iter().map(|&s| all[s].values().map(latency).fold(0.0, f64::max)).collect(),
            late: statements.iter().map(|&s| late(kernel, all[s])).collect(),
            values: directive.schedules.iter().map(|s| s.theta.clone()).collect(),
            sizes: directive.sizes.clone(),
            extents: directive.sizes.clone(),
            ranges: directive.sizes.clone(),
            tiled: directive.sizes.len(),
            injective: false,
            waves: vec![],
        }
    }

    /// The cheapest legal order of these dimensions.
    fn best(
        &self,
        program: &Program,
        statements: &[StatementId],
        wanted: Option<&Wanted>,
    ) -> Result<Option<Candidate>> {
        let n = self.rank();
        let serial: Vec<usize> = (0..self.tiled).filter(|&k| self.sizes[k] == 1 && n > 1).collect();
        let others: Vec<usize> = (0..n).filter(|k| !serial.contains(k)).collect();
        let distances = self.distances(program, statements)?;
        let mut inside = orders(&others);
        for (wave, Wave(terms)) in (n..).zip(&self.waves) {
            for &(dropped, _) in terms.iter().filter(|(_, factor)| *factor == 1) {
                let rest: Vec<usize> = others.iter().copied().filter(|&k| k != dropped).chain([wave]).collect();
                // Behind one of its terms a wave is the sum of the others.
                let is_new = |order: &Vec<usize>| {
                    order.iter().find(|k| **k == wave || terms.iter().any(|(term, _)| term == *k)) == Some(&wave)
                };
                inside.extend(orders(&rest).into_iter().filter(is_new));
            }
        }
        let orders: Vec<Vec<usize>> = inside.into_iter().map(|order| [&serial[..], &order[..]].concat()).collect();
        let mut best: Option<Candidate> = None;
        let mut add = |candidate: Candidate| {
            let merit = |c: &Candidate| {
                let length: i64 = (0..statements.len()).map(|place| c.row_length(self, place)).sum();
                Merit { cost: c.cost, length: length as f64, carried: c.carried.clone() }
            };
            if best.as_ref().is_none_or(|known| merit(&candidate).beats(&merit(known))) {
                best = Some(candidate);
            }
        };
        if statements.len() > 1 {
            let own = (0..statements.len()).map(|s| self.alone(s, &orders, &distances));
            let own = own.collect::<Result<Vec<_>>>()?;
            // The longest rows first.
            for depth in serial.len()..n {
                let mut outer: Vec<&[usize]> = orders.iter().map(|order| &order[..depth]).collect();
                outer.dedup();
                for outer in outer {
                    if let Some(candidate) = self.apart(outer, &own, &distances)? {
                        add(candidate);
                    }
                }
            }
        }
        for order in &orders {
            match wanted {
                None => self.together(order, &distances)?.into_iter().for_each(&mut add),
                Some(wanted) => self.with_lanes(order, &distances, wanted)?.into_iter().for_each(&mut add),
            }
        }
        Ok(best)
    }

    /// All statements in one order, side by side in the innermost loop: rows have one instance if there are several.
    fn together(&self, order: &[usize], distances: &[Distances]) -> Result<Option<Candidate>> {
        let n = order.len();
        if !self.is_legal(order, n, distances.iter())? {
            return Ok(None);
        }
        let count = self.values.len();
        let (mut cost, mut late) = (0.0, vec![]);
        for place in 0..count {
            let pace = self.pace(place, order, if count == 1 { 0 } else { n }, distances.iter())?;
            cost += pace.cycles;
            late.extend(pace.late);
        }
        Ok(Some(Candidate {
            dimensions: vec![order.to_vec(); count],
            apart: (count > 1).then_some(n),
            places: (0..count).collect(),
            cost,
            carried: carried_by_level(order, distances)?,
            lane: None,
            late,
        }))
    }

    /// The orders that one statement's dependences on itself allow.
    fn alone<'a>(&self, place: usize, orders: &'a [Vec<usize>], distances: &[Distances]) -> Result<Vec<Alone<'a>>> {
        let own: Vec<&Distances> = distances.iter().filter(|d| d.source == place && d.sink == place).collect();
        let mut legal = vec![];
        for order in orders {
            if self.is_legal(order, 0, own.iter().copied())? {
                let carried = carried_by_level(order, own.iter().copied())?;
                legal.push(Alone { place, order, carried });
            }
        }
        Ok(legal)
    }

    /// The statements one after the other inside the loops `outer`, each in the best of its `own` orders.
    fn apart(&self, outer: &[usize], own: &[Vec<Alone>], distances: &[Distances]) -> Result<Option<Candidate>> {
        let Some(places) = self.places(outer, distances)? else { return Ok(None) };
        let n = self.rank();
        let mut candidate = Candidate {
            dimensions: vec![],
            apart: Some(outer.len()),
            places,
            cost: 0.0,
            carried: vec![i64::MAX; n],
            lane: None,
            late: vec![],
        };
        for orders in own {
            let mut best: Option<(Merit, &Alone, Vec<ArrayId>)> = None;
            for alone in orders.iter().filter(|alone| alone.order.starts_with(outer)) {
                // Statements in rows of their own wait for themselves only.
                let own = distances.iter().filter(|d| d.source == alone.place && d.sink == alone.place);
                let Pace { cycles, late } = self.pace(alone.place, alone.order, outer.len(), own)?;
                let length = self.row_length(alone.place, alone.order, outer.len());
                let merit = Merit { cost: cycles, length, carried: alone.carried.clone() };
                if best.as_ref().is_none_or(|(known, _, _)| merit.beats(known)) {
                    best = Some((merit, alone, late));
                }
            }
            let Some((merit, alone, late)) = best else { return Ok(None) };
            candidate.late.extend(late);
            candidate.dimensions.push(alone.order.to_vec());
            candidate.cost += merit.cost;
            candidate.carried.iter_mut().zip(&alone.carried).for_each(|(least, own)| *least = (*least).min(*own));
        }
        Ok(Some(candidate))
    }

    /// The places of the statements one after the other inside the loops `outer`: in the order of the source where
    /// values that stay inside those loops do not want another one; `None` where no order of them is legal.
    fn places(&self, outer: &[usize], distances: &[Distances]) -> Result<Option<Vec<usize>>> {
        let count = self.values.len();
        let mut before = vec![vec![false; count]; count];
        for dependence in distances.iter().filter(|d| d.source != d.sink) {
            let Some(rest) = self.inside(outer, &dependence.set)? else { return Ok(None) };
            before[dependence.source][dependence.sink] |= !rest.is_empty()?;
        }
        let mut places = vec![None; count];
        for place in 0..count {
            let is_next = |s: &usize| {
                places[*s].is_none() && (0..count).all(|other| places[other].is_some() || !before[other][*s])
            };
            let Some(next) = (0..count).find(is_next) else { return Ok(None) };
            places[next] = Some(place);
        }
        Ok(Some(places.into_iter().flatten().collect()))
    }

    /// The distances of a dependence between two instances in one iteration of the loops `outer`; `None` where it leads
    /// back in them.
    fn inside(&self, outer: &[usize], set: &Set) -> Result<Option<Set>> {
        let mut rest = set.clone();
        for &dimension in outer {
            if (self.tiled..self.rank()).contains(&dimension)
                && rest.minimum(dimension)?.finite().is_none_or(|least| least < 0)
            {
                return Ok(rest.is_empty()?.then_some(rest));
            }
            rest = rest.fix(dimension, 0)?;
        }
        Ok(Some(rest))
    }

    /// Whether `order`, with the statements one after the other at the depth `apart`, reverses none of these
    /// dependences. θ's own dimensions have no negative distances, so that only the others, and the statements' own
    /// order inside `apart`, can.
    fn is_legal<'a>(
        &self,
        order: &[usize],
        apart: usize,
        distances: impl Iterator<Item = &'a Distances>,
    ) -> Result<bool> {
        for Distances { source, sink, set, .. } in distances {
            let depth = if source == sink { order.len() } else { apart };
            let Some(rest) = self.inside(&order[..depth], set)? else { return Ok(false) };
            // Where θ does not tell instances apart, those that run together to the end keep the order of the source.
            let is_by_place = source > sink && (self.injective || apart < self.rank());
            if is_by_place && !rest.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The level of `order` along which a statement's rows lie.
    fn row(&self, values: &[Affine], order: &[usize]) -> Option<usize> {
        order.iter().rposition(|&k| !values[k].is_constant() && self.sizes[k] > 1)
    }

    /// The mean length of a statement's rows in `order`, with the statements one after the other at the depth `apart`.
    fn row_length(&self, place: usize, order: &[usize], apart: usize) -> f64 {
        let row = self.row(&self.values[place], order).filter(|level| *level >= apart);
        row.map_or(1.0, |row| self.combinations(place, order) / self.combinations(place, &order[..row]))
    }

    /// Rows that are short, and flow dependences over fewer cycles than lie between the read and the write of what is
    /// passed on, cost more than one cycle per instance. The statements run one after the other at the depth `apart`.
    fn pace<'a>(
        &self,
        place: usize,
        order: &[usize],
        apart: usize,
        distances: impl Iterator<Item = &'a Distances>,
    ) -> Result<Pace> {
        let length = self.row_length(place, order, apart);
        let cycles = self.combinations(place, order) * (CYCLES_PER_ROW / length).max(1.0);
        // What lies between an instance and the one a step further in a dimension.
        let step = |level: usize| {
            let (outer, all) = (&order[..level], &order[..=level]);
            match self.combinations(place, all) > self.combinations(place, outer) {
                true => (cycles / self.combinations(place, all)).round().max(1.0) as i64,
                // The dimensions further out tell its values already.
                false => 0,
            }
        };
        let names: Vec<String> = (0..self.sizes.len()).map(|k| format!("d{k}")).collect();
        let between = (order.iter().enumerate())
            .fold(Affine::default(), |sum, (level, &k)| sum + Affine::variable(&names[k]) * step(level));
        let (mut wait, mut late) = (0.0f64, vec![]);
        let latency = self.latencies[place];
        for Distances { near, source, sink, array, .. } in distances.filter(|d| d.kind == DependenceKind::Flow) {
            let Some(back) = near.largest(&names, &-between.clone())?.finite() else { continue };
            let distance = (-back as f64).max(1.0);
            let is_own = *source == place && *sink == place;
            match self.late[place].get(array).filter(|_| is_own) {
                Some(behind) => {
                    wait = wait.max(behind / distance);
                    late.extend((latency > distance).then_some(*array));
                }
                None => wait = wait.max(latency / distance),
            }
        }
        // Waves grow from nothing to twice their mean and shrink again; the short ones wait.
        let is_wave = order.iter().any(|k| *k >= self.rank());
        let stalled = if is_wave && wait < 2.0 { 1.0 + wait * wait / 4.0 } else { wait.max(1.0) };
        Ok(Pace { cycles: cycles * stalled, late })
    }

    /// The distances within one tile of every dependence inside the band.
    fn distances(&self, program: &Program, statements: &[StatementId]) -> Result<Vec<Distances>> {
        let isl = &program.isl;
        let names: Vec<String> = (0..self.sizes.len()).map(|k| format!("d{k}")).collect();
        let mut inside = vec![];
        for (name, &size) in names.iter().zip(&self.sizes).take(self.tiled) {
            inside.push(Constraint::at_most(Affine::variable(name), Affine::constant(size - 1)));
            inside.push(Constraint::at_most(Affine::constant(1 - size), Affine::variable(name)));
        }
        let inside = isl.set(&[], Tuple::unnamed(&names), &inside)?;
        let mut usual = vec![];
        for (name, &extent) in names.iter().zip(&self.extents) {
            usual.push(Constraint::at_most(Affine::variable(name), Affine::constant(extent - 1)));
            usual.push(Constraint::at_most(Affine::constant(1 - extent), Affine::variable(name)));
        }
        let usual = isl.set(&[], Tuple::unnamed(&names), &usual)?;
        let mut maps = vec![];
        for (&s, values) in statements.iter().zip(&self.values) {
            let statement = &program.statements[s];
            let tuple = Tuple { name: &statement.name, dimensions: &statement.iterators };
            maps.push(isl.function(&program.parameters, tuple, Tuple::anonymous(), values)?);
        }
        let place = |statement: StatementId| statements.iter().position(|s| *s == statement);
        let mut found = vec![];
        for Dependence { kind, source, sink, array, relation } in &program.dependences {
            let (Some(source), Some(sink)) = (place(*source), place(*sink)) else { continue };
            let pairs = relation.apply_domain(&maps[source])?.apply_range(&maps[sink])?;
            let set = pairs.deltas()?.project_out_all_params()?.intersect(&inside)?;
            let near = set.without_tuple_name()?.intersect(&usual)?;
            found.push(Distances { kind: *kind, source, sink, array: *array, set, near });
        }
        Ok(found)
    }
}

impl Candidate {
    /// The tile size along the rows of a statement, see [`Order::rows`]; where a wave cuts them, the mean length.
    fn row_length(&self, space: &Space, place: usize) -> i64 {
        let order = &self.dimensions[place];
        let row = space.row(&space.values[place], order).filter(|&level| self.apart.is_none_or(|apart| level >= apart));
        let Some(row) = row.filter(|_| space.injective) else { return 1 };
        match order.iter().any(|k| *k >= space.rank()) {
            true => (space.row_length(place, order, 0) as i64).max(1),
            false => space.sizes[order[row]],
        }
    }

    /// The date of every statement: its dimensions in their order, with the statement's place in the band, and the order
    /// of the source behind it where those do not tell all instances apart.
    fn expressions(&self, program: &Program, space: &Space, statements: &[StatementId]) -> Vec<Vec<Affine>> {
        // Statements that run together to the end are told apart by the order of the source.
        let apart = self.apart.filter(|&a| a < space.rank() || space.injective);
        let date = |(place, &s): (usize, &StatementId)| {
            let mut date: Vec<Affine> =
                self.dimensions[place].iter().map(|&k| space.values[place][k].clone()).collect();
            if let Some(apart) = apart {
                date.insert(apart, Affine::constant(self.places[place] as i64));
            }
            if !space.injective {
                date.extend(program.statements[s].order.iter().cloned());
            }
            date
        };
        statements.iter().enumerate().map(date).collect()
    }
}

/// The number of linearly independent ones among the expressions' linear parts over `names`.
fn rank(expressions: &[Affine], names: &[String]) -> usize {
    let mut rows: Vec<Vec<i128>> =
        expressions.iter().map(|e| names.iter().map(|n| i128::from(e.coefficient(n))).collect()).collect();
    let mut rank = 0;
    for column in 0..names.len() {
        let Some(pivot) = (rank..rows.len()).find(|&r| rows[r][column] != 0) else { continue };
        rows.swap(rank, pivot);
        for r in rank + 1..rows.len() {
            let (own, other) = (rows[rank][column], rows[r][column]);
            let pivot = rows[rank].clone();
            rows[r].iter_mut().zip(pivot).for_each(|(value, p)| *value = *value * own - p * other);
        }
        rank += 1;
    }
    rank
}

/// What each level of `order` carries of the flow dependences, from the innermost level outwards; nothing carried is the
/// longest distance.
fn carried_by_level<'a>(
    order: &[usize],
    distances: impl IntoIterator<Item = &'a Distances> + Clone,
) -> Result<Vec<i64>> {
    let carried = |level| carried_distance(order, level, distances.clone().into_iter());
    (0..order.len()).rev().map(|level| Ok(carried(level)?.unwrap_or(i64::MAX))).collect()
}

/// The shortest distance among those that are 0 in the levels outside `level` and positive there; for the innermost
/// level, of a dependence that it carries alone.
fn carried_distance<'a>(
    order: &[usize],
    level: usize,
    distances: impl Iterator<Item = &'a Distances>,
) -> Result<Option<i64>> {
    let mut shortest: Option<i64> = None;
    for Distances { set, .. } in distances.filter(|d| d.kind == DependenceKind::Flow) {
        let mut set = set.clone();
        for &outer in &order[..level] {
            set = set.fix(outer, 0)?;
        }
        // All components are at least 0, so the nearest carried distance is the smallest one that is not 0.
        let zero = set.fix(order[level], 0)?;
        if let Some(distance) = set.subtract(&zero)?.minimum(order[level])?.finite() {
            shortest = Some(shortest.map_or(distance, |s| s.min(distance)));
        }
    }
    Ok(shortest)
}

/// All orders of `items`, lexicographically; of many items, one order with each of them last.
fn orders(items: &[usize]) -> Vec<Vec<usize>> {
    if items.len() <= PERMUTED {
        return permutations(items);
    }
    let ends_with = |last: &usize| items.iter().filter(|item| *item != last).chain([last]).copied().collect();
    items.iter().rev().map(ends_with).collect()
}

/// All orders of `items`, lexicographically.
fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for _ in items {
        all = all
            .into_iter()
            .flat_map(|prefix: Vec<usize>| {
                let rest: Vec<usize> = items.iter().copied().filter(|k| !prefix.contains(k)).collect();
                rest.into_iter().map(move |k| prefix.iter().copied().chain([k]).collect())
            })
            .collect();
    }
    all
}
