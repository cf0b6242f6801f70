//! The order inside a tile. A tile is atomic and its band permutable, so any order of θ's dimensions is legal there, and
//! so is the order of the source. The best one has long rows, and carries flow dependences further apart than the
//! datapath is deep.

use anyhow::{Result, anyhow};

use super::tuple_text;
use crate::affine::Affine;
use crate::polyhedral::isl::{Constraint, Map, Set, Tuple};
use crate::polyhedral::{Dependence, DependenceKind, Program, Statement};
use crate::source::kernel::TilingDirective;

/// When the instances of a tile run.
pub(super) struct Order {
    /// `{ S0[i, j] -> D[d0, d1] }`, one per statement of the band.
    pub dates: Vec<Map>,
    pub expressions: Vec<Vec<Affine>>,
    pub text: String,
    /// The smallest distance of a flow dependence that the innermost dimension carries alone.
    pub innermost_distance: Option<i64>,
}

/// Cycles that the scanner takes for a row, whatever its length.
const CYCLES_PER_ROW: f64 = 4.0;

/// Cycles from reading a buffer to the next read that sees the result.
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
    /// How many of the dimensions are θ's.
    tiled: usize,
    /// Whether they tell all instances of every statement apart.
    injective: bool,
}

/// Dimensions in the order of the loops inside a tile, those of tile size 1 first, and the depth at which the statements
/// run one after the other.
struct Candidate {
    dimensions: Vec<usize>,
    /// `None` with a single statement.
    apart: Option<usize>,
}

/// A legal candidate, and what its levels carry, see [`carried_by_level`].
struct Chosen {
    candidate: Candidate,
    carried: Vec<i64>,
}

/// A flow or other dependence inside the band.
struct Distances {
    kind: DependenceKind,
    source: usize,
    sink: usize,
    /// The distances of pairs that can lie in one tile: `{ [d0, d1, …] }`.
    set: Set,
}

pub(super) fn choose(
    program: &Program,
    directive: &TilingDirective,
    statements: &[usize],
    theta: &[Map],
) -> Result<Order> {
    let mut space = Space::new(program, directive, statements, theta)?;
    let chosen = match space.best(program, statements)? {
        Some(chosen) => chosen,
        None => {
            space = Space::of_theta(directive);
            let last = space.best(program, statements)?;
            last.ok_or_else(|| anyhow!("internal error: no order inside the tiles"))?
        }
    };
    let Chosen { candidate, carried } = chosen;
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
    let innermost_distance = carried.first().copied().filter(|&d| d != i64::MAX);
    Ok(Order { dates, expressions, text, innermost_distance })
}

impl Space {
    /// θ, and the loops that it leaves open.
    fn new(program: &Program, directive: &TilingDirective, statements: &[usize], theta: &[Map]) -> Result<Space> {
        let mut space = Space::of_theta(directive);
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
    fn of_theta(directive: &TilingDirective) -> Space {
        Space {
            values: directive.schedules.iter().map(|s| s.theta.clone()).collect(),
            sizes: directive.sizes.clone(),
            tiled: directive.sizes.len(),
            injective: false,
        }
    }

    /// The cheapest legal order of these dimensions.
    fn best(&self, program: &Program, statements: &[usize]) -> Result<Option<Chosen>> {
        let n = self.sizes.len();
        let serial: Vec<usize> = (0..self.tiled).filter(|&k| self.sizes[k] == 1 && n > 1).collect();
        let others: Vec<usize> = (0..n).filter(|k| !serial.contains(k)).collect();
        let distances = self.distances(program, statements)?;
        let mut best: Option<(f64, Chosen)> = None;
        for order in orders(&others) {
            let dimensions: Vec<usize> = serial.iter().copied().chain(order).collect();
            let carried = carried_by_level(&dimensions, &distances)?;
            let own = |d: &&Distances| d.source == d.sink;
            let own_row = carried_distance(&dimensions, n - 1, distances.iter().filter(own))?.unwrap_or(i64::MAX);
            let depths: Vec<Option<usize>> = match statements.len() {
                1 => vec![None],
                _ => (serial.len()..=n).rev().map(Some).collect(),
            };
            for apart in depths {
                let candidate = Candidate { dimensions: dimensions.clone(), apart };
                if !candidate.is_legal(self, &distances)? {
                    continue;
                }
                // Statements in rows of their own wait for themselves only.
                let innermost = match apart {
                    Some(apart) if apart < n => own_row,
                    _ => carried.first().copied().unwrap_or(i64::MAX),
                };
                let cost = candidate.cost(self, innermost);
                let is_better = |(c, known): &(f64, Chosen)| cost < *c || (cost == *c && carried > known.carried);
                if best.as_ref().is_none_or(is_better) {
                    best = Some((cost, Chosen { candidate, carried: carried.clone() }));
                }
            }
        }
        Ok(best.map(|(_, chosen)| chosen))
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
        for Dependence { kind, source, sink, relation, .. } in &program.dependences {
            let (Some(source), Some(sink)) = (place(*source), place(*sink)) else { continue };
            let pairs = relation.apply_domain(&maps[source])?.apply_range(&maps[sink])?;
            let set = pairs.deltas()?.project_out_all_params()?.intersect(&inside)?;
            found.push(Distances { kind: *kind, source, sink, set });
        }
        Ok(found)
    }
}

impl Candidate {
    /// θ's own dimensions have no negative distances, so that only the others, and the statements' own order inside
    /// `apart`, can reverse a dependence.
    fn is_legal(&self, space: &Space, distances: &[Distances]) -> Result<bool> {
        for Distances { source, sink, set, .. } in distances {
            let mut rest = set.clone();
            for (depth, &dimension) in self.dimensions.iter().enumerate() {
                if self.apart == Some(depth) && source != sink {
                    if source > sink && !rest.is_empty()? {
                        return Ok(false);
                    }
                    break;
                }
                if dimension >= space.tiled && rest.minimum(dimension)?.finite().is_none_or(|least| least < 0) {
                    if !rest.is_empty()? {
                        return Ok(false);
                    }
                    break;
                }
                rest = rest.fix(dimension, 0)?;
            }
            let at_the_end = self.apart == Some(self.dimensions.len()) && space.injective;
            if at_the_end && source > sink && !rest.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Cycles per tile, estimated and summed over the statements: rows that are short, and distances shorter than the
    /// pipeline, cost more than one per instance. `innermost` is the distance that the innermost dimension carries.
    fn cost(&self, space: &Space, innermost: i64) -> f64 {
        let stalls = if innermost == i64::MAX { 1.0 } else { (LATENCY / innermost as f64).max(1.0) };
        let cost = |values: &Vec<Affine>| -> f64 {
            let own = &self.dimensions[self.apart.unwrap_or(0)..];
            let varies = |k: &&usize| !values[**k].is_constant() && space.sizes[**k] > 1;
            let row = own.iter().rev().find(varies);
            let length = row.map_or(1, |&k| space.sizes[k]);
            let interval = if row == self.dimensions.last() { stalls } else { 1.0 };
            let trips: f64 = self.dimensions.iter().filter(varies).map(|&k| space.sizes[k] as f64).product();
            trips * interval.max(CYCLES_PER_ROW / length as f64)
        };
        space.values.iter().map(cost).sum()
    }

    /// The date of every statement: the dimensions in this order, with the statement's place in the band, and the order
    /// of the source behind it where those do not tell all instances apart.
    fn expressions(&self, program: &Program, space: &Space, statements: &[usize]) -> Vec<Vec<Affine>> {
        // Statements that run together to the end are told apart by the order of the source.
        let apart = self.apart.filter(|&a| a < self.dimensions.len() || space.injective);
        let date = |(place, &s): (usize, &usize)| {
            let mut date: Vec<Affine> = self.dimensions.iter().map(|&k| space.values[place][k].clone()).collect();
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
            for c in 0..names.len() {
                rows[r][c] = rows[r][c] * own - rows[rank][c] * other;
            }
        }
        rank += 1;
    }
    rank
}

/// What each level of `order` carries of the flow dependences, from the innermost level outwards; nothing carried is the
/// longest distance.
fn carried_by_level(order: &[usize], distances: &[Distances]) -> Result<Vec<i64>> {
    (0..order.len())
        .rev()
        .map(|level| Ok(carried_distance(order, level, distances.iter())?.unwrap_or(i64::MAX)))
        .collect()
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
