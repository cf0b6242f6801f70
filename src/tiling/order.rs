//! The order inside a tile. A tile is atomic and its band permutable, so any order of θ's dimensions is legal there, and
//! so is the order of the source. The best one has long rows, and carries flow dependences further apart than the
//! datapath is deep.

mod side_by_side;

use std::cmp::Ordering;

use anyhow::{Result, anyhow};

use super::lane_shape::Lanes;
use super::tuple_text;
use crate::affine::Affine;
use crate::operators;
use crate::polyhedral::isl::{Constraint, Map, Set, Tuple};
use crate::polyhedral::{Dependence, DependenceKind, Program, Statement};
use crate::source::kernel::{Expr, Kernel, TilingDirective};
use side_by_side::Wanted;

/// When the instances of a tile run.
pub(super) struct Order {
    /// `{ S0[i, j] -> D[d0, d1] }`, one per statement of the band.
    pub dates: Vec<Map>,
    pub expressions: Vec<Vec<Affine>>,
    pub text: String,
    /// The smallest distance of a flow dependence that the innermost dimension carries alone.
    pub innermost_distance: Option<i64>,
    /// Per statement, the tile size along its rows; 1 where statements alternate, or where the order does not tell.
    pub rows: Vec<i64>,
    pub lanes: Option<Lanes>,
}

/// Cycles that the scanner takes for a row, whatever its length.
const CYCLES_PER_ROW: f64 = 4.0;

/// Cycles from reading a buffer to the next read that sees the result, in integer arithmetic.
const LATENCY: f64 = 6.0;

/// Trips assumed of a loop that θ leaves out.
const UNTILED_TRIPS: i64 = 32;

/// Up to this many dimensions of a tile are tried in all orders, more of them in as many orders as they are.
const PERMUTED: usize = 4;

/// The dimensions that a tile can be walked along.
struct Space {
    /// θ of every statement, followed by the loops that it leaves open: one dimension for each level of the source's
    /// loops, constant in statements where θ has it already.
    values: Vec<Vec<Affine>>,
    /// Tile sizes, or trips assumed.
    sizes: Vec<i64>,
    /// Per statement, the cycles from reading a buffer to the next read that sees the result.
    latencies: Vec<f64>,
    /// How many of the dimensions are θ's.
    tiled: usize,
    /// Whether they tell all instances of every statement apart.
    injective: bool,
}

/// An order for the statements of a band.
struct Candidate {
    /// Per statement, the dimensions in the order of the loops inside a tile, those of tile size 1 first; all alike
    /// outside `apart`.
    dimensions: Vec<Vec<usize>>,
    /// The depth at which the statements run one after the other; `None` with a single statement.
    apart: Option<usize>,
    /// Estimated cycles per tile.
    cost: f64,
    /// See [`carried_by_level`].
    carried: Vec<i64>,
    /// The dimension that the lanes run along.
    lane: Option<usize>,
}

/// What decides between two orders: fewer cycles, then longer rows, then dependences over longer distances.
struct Merit {
    cost: f64,
    length: i64,
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
    array: usize,
    /// The distances of pairs that can lie in one tile: `{ [d0, d1, …] }`.
    set: Set,
}

pub(super) fn choose(
    program: &Program,
    kernel: &Kernel,
    directive: &TilingDirective,
    statements: &[usize],
    theta: &[Map],
) -> Result<Order> {
    let mut space = Space::new(program, kernel, directive, statements, theta)?;
    let wanted = match directive.lanes {
        Some(lanes) if lanes.count > 1 => Some(Wanted::new(program, kernel, directive, lanes, &space)?),
        _ => None,
    };
    let candidate = match (space.best(program, statements, wanted.as_ref())?, &wanted) {
        (Some(candidate), _) => candidate,
        (None, Some(wanted)) => return Err(wanted.refusal(directive, &space).into()),
        (None, None) => {
            space = Space::of_theta(kernel, directive, statements);
            let last = space.best(program, statements, None)?;
            last.ok_or_else(|| anyhow!("internal error: no order inside the tiles"))?
        }
    };
    let lanes = candidate.lane.zip(wanted).and_then(|(lane, wanted)| wanted.lanes(&candidate, &space, lane));
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
    Ok(Order { dates, expressions, text, innermost_distance, rows, lanes })
}

/// Cycles from reading a buffer to the next read that sees the value of `expr`.
fn latency(expr: &Expr) -> f64 {
    fn operators(expr: &Expr) -> u32 {
        let operands = expr.operands().into_iter().map(operators).max().unwrap_or(0);
        operators::latency(expr) + operands
    }
    LATENCY + f64::from(operators(expr))
}

impl Space {
    /// θ, and the loops that it leaves open.
    fn new(
        program: &Program,
        kernel: &Kernel,
        directive: &TilingDirective,
        statements: &[usize],
        theta: &[Map],
    ) -> Result<Space> {
        let mut space = Space::of_theta(kernel, directive, statements);
        space.injective = true;
        for theta in theta {
            space.injective &= theta.is_injective()?;
        }
        if space.injective {
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
        Ok(space)
    }

    /// θ alone; instances that it does not tell apart keep the order of the source, which is always legal.
    fn of_theta(kernel: &Kernel, directive: &TilingDirective, statements: &[usize]) -> Space {
        let all = kernel.statements();
        Space {
            latencies: statements.iter().map(|&s| latency(&all[s].value)).collect(),
            values: directive.schedules.iter().map(|s| s.theta.clone()).collect(),
            sizes: directive.sizes.clone(),
            tiled: directive.sizes.len(),
            injective: false,
        }
    }

    /// The cheapest legal order of these dimensions.
    fn best(&self, program: &Program, statements: &[usize], wanted: Option<&Wanted>) -> Result<Option<Candidate>> {
        let n = self.sizes.len();
        let serial: Vec<usize> = (0..self.tiled).filter(|&k| self.sizes[k] == 1 && n > 1).collect();
        let others: Vec<usize> = (0..n).filter(|k| !serial.contains(k)).collect();
        let distances = self.distances(program, statements)?;
        let orders: Vec<Vec<usize>> =
            orders(&others).into_iter().map(|order| [&serial[..], &order[..]].concat()).collect();
        let mut best: Option<Candidate> = None;
        let mut add = |candidate: Candidate| {
            let merit = |c: &Candidate| {
                let length = (0..statements.len()).map(|place| c.row_length(self, place)).sum();
                Merit { cost: c.cost, length, carried: c.carried.clone() }
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
        let carried = carried_by_level(order, distances)?;
        let count = self.values.len();
        let cost = |(values, latency): (&Vec<Affine>, &f64)| {
            let row = self.row(values, order);
            let length = row.filter(|_| count == 1).map_or(1, |level| self.sizes[order[level]]);
            Space::cycles(values, &self.sizes, length, row.map(|level| carried[n - 1 - level]), *latency)
        };
        Ok(Some(Candidate {
            dimensions: vec![order.to_vec(); count],
            apart: (count > 1).then_some(n),
            cost: self.values.iter().zip(&self.latencies).map(cost).sum(),
            carried,
            lane: None,
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
        let between = distances.iter().filter(|d| d.source != d.sink);
        if !self.is_legal(outer, outer.len(), between)? {
            return Ok(None);
        }
        let n = self.sizes.len();
        let mut candidate = Candidate {
            dimensions: vec![],
            apart: Some(outer.len()),
            cost: 0.0,
            carried: vec![i64::MAX; n],
            lane: None,
        };
        for orders in own {
            let mut best: Option<(Merit, &Alone)> = None;
            for alone in orders.iter().filter(|alone| alone.order.starts_with(outer)) {
                let values = &self.values[alone.place];
                // Statements in rows of their own wait for themselves only.
                let row = self.row(values, alone.order);
                let length =
                    row.filter(|level| *level >= outer.len()).map_or(1, |level| self.sizes[alone.order[level]]);
                let carried = row.map(|level| alone.carried[n - 1 - level]);
                let cost = Space::cycles(values, &self.sizes, length, carried, self.latencies[alone.place]);
                let merit = Merit { cost, length, carried: alone.carried.clone() };
                if best.as_ref().is_none_or(|(known, _)| merit.beats(known)) {
                    best = Some((merit, alone));
                }
            }
            let Some((merit, alone)) = best else { return Ok(None) };
            candidate.dimensions.push(alone.order.to_vec());
            candidate.cost += merit.cost;
            candidate.carried.iter_mut().zip(&alone.carried).for_each(|(least, own)| *least = (*least).min(*own));
        }
        Ok(Some(candidate))
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
            let mut rest = set.clone();
            let mut is_settled = false;
            for &dimension in &order[..depth] {
                if dimension >= self.tiled && rest.minimum(dimension)?.finite().is_none_or(|least| least < 0) {
                    if !rest.is_empty()? {
                        return Ok(false);
                    }
                    is_settled = true;
                    break;
                }
                rest = rest.fix(dimension, 0)?;
            }
            // Where θ does not tell instances apart, those that run together to the end keep the order of the source.
            let is_by_place = source > sink && (self.injective || apart < self.sizes.len());
            if is_by_place && !is_settled && !rest.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The level of `order` along which a statement's rows lie.
    fn row(&self, values: &[Affine], order: &[usize]) -> Option<usize> {
        order.iter().rposition(|&k| !values[k].is_constant() && self.sizes[k] > 1)
    }

    /// Cycles per tile of one statement, estimated: rows that are short, and distances shorter than the pipeline, cost
    /// more than one per instance. `sizes` are those of the dimensions, `length` is that of rows, and `carried` the distance
    /// that the innermost loop carries.
    fn cycles(values: &[Affine], sizes: &[i64], length: i64, carried: Option<i64>, latency: f64) -> f64 {
        let interval = match carried {
            None | Some(i64::MAX) => 1.0,
            Some(distance) => (latency / distance as f64).max(1.0),
        };
        let varies = |(value, size): &(&Affine, &i64)| !value.is_constant() && **size > 1;
        let trips: f64 = values.iter().zip(sizes).filter(varies).map(|(_, size)| *size as f64).product();
        trips * interval.max(CYCLES_PER_ROW / length as f64)
    }

    /// The distances within one tile of every dependence inside the band.
    fn distances(&self, program: &Program, statements: &[usize]) -> Result<Vec<Distances>> {
        let isl = &program.isl;
        let names: Vec<String> = (0..self.sizes.len()).map(|k| format!("d{k}")).collect();
        let mut inside = vec![];
        for (name, &size) in names.iter().zip(&self.sizes).take(self.tiled) {
            inside.push(Constraint::at_most(Affine::variable(name), Affine::constant(size - 1)));
            inside.push(Constraint::at_most(Affine::constant(1 - size), Affine::variable(name)));
        }
        let inside = isl.set(&[], Tuple::unnamed(&names), &inside)?;
        let mut maps = vec![];
        for (&s, values) in statements.iter().zip(&self.values) {
            let statement = &program.statements[s];
            let tuple = Tuple { name: &statement.name, dimensions: &statement.iterators };
            maps.push(isl.function(&program.parameters, tuple, Tuple::anonymous(), values)?);
        }
        let place = |statement: usize| statements.iter().position(|s| *s == statement);
        let mut found = vec![];
        for Dependence { kind, source, sink, array, relation } in &program.dependences {
            let (Some(source), Some(sink)) = (place(*source), place(*sink)) else { continue };
            let pairs = relation.apply_domain(&maps[source])?.apply_range(&maps[sink])?;
            let set = pairs.deltas()?.project_out_all_params()?.intersect(&inside)?;
            found.push(Distances { kind: *kind, source, sink, array: *array, set });
        }
        Ok(found)
    }
}

impl Candidate {
    /// The tile size along the rows of a statement, see [`Order::rows`].
    fn row_length(&self, space: &Space, place: usize) -> i64 {
        let order = &self.dimensions[place];
        let row = space.row(&space.values[place], order).filter(|&level| self.apart.is_none_or(|apart| level >= apart));
        row.filter(|_| space.injective).map_or(1, |level| space.sizes[order[level]])
    }

    /// The date of every statement: its dimensions in their order, with the statement's place in the band, and the order
    /// of the source behind it where those do not tell all instances apart.
    fn expressions(&self, program: &Program, space: &Space, statements: &[usize]) -> Vec<Vec<Affine>> {
        // Statements that run together to the end are told apart by the order of the source.
        let apart = self.apart.filter(|&a| a < space.sizes.len() || space.injective);
        let date = |(place, &s): (usize, &usize)| {
            let mut date: Vec<Affine> =
                self.dimensions[place].iter().map(|&k| space.values[place][k].clone()).collect();
            if let Some(apart) = apart {
                date.insert(apart, Affine::constant(place as i64));
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
