//! What an order costs: estimated cycles of one statement.

use std::collections::BTreeMap;

use anyhow::Result;

use super::distances::Distances;
use super::space::{Limited, Space};
use crate::affine::Affine;
use crate::ids::ArrayId;
use crate::operators;
use crate::polyhedral::DependenceKind;
use crate::source::kernel::{self, Access, BinaryOp, Expr, Kernel};
use crate::walk::LOOP;

/// Cycles from reading a buffer to the next read that sees the result, in integer arithmetic.
pub(super) const LATENCY: f64 = 6.0;

/// Cycles of a read that comes late and of the write, beside those of the operators in between.
const LATE: f64 = 2.0;

/// Cycles from reading a buffer to the next read that sees the value of `expr`, with its `products` of integers or without.
pub(super) fn latency(expr: &Expr, products: bool) -> f64 {
    fn operators(expr: &Expr, products: bool) -> u32 {
        let operands = expr.operands().into_iter().map(|operand| operators(operand, products)).max().unwrap_or(0);
        let counts = products && matches!(expr, Expr::Binary { op: BinaryOp::Multiply, ty, .. } if !ty.floating);
        operators::latency(expr) + if counts { operators::cycles(expr) } else { 0 } + operands
    }
    LATENCY + f64::from(operators(expr, products))
}

/// The arrays of which a statement updates a word that it reads through one port: then the
/// compute process may read it as late as an operator wants it, so that
/// an update waits for the operators between the read and the write alone. Of those, what `behind` tells; and of the array that is
/// updated at subscripts that depend on data, the cycles of that.
fn late(kernel: &Kernel, statement: &kernel::Statement, behind: impl Fn(ArrayId) -> f64) -> BTreeMap<ArrayId, f64> {
    let all = kernel.statements();
    let can = |array: ArrayId| {
        let reads = |s: &kernel::Statement| s.references().into_iter().filter(|r| r.array == array).count();
        let is_read_once = all.iter().all(|s| match reads(s) {
            0 => true,
            // A serial divider has no stages at which a word could come.
            ports => ports == 1 && !s.values().any(operators::is_serial),
        });
        reads(statement) == 1 && is_read_once
    };
    if let Some(cycles) = operators::update_cycles(&statement.value) {
        return BTreeMap::from([(statement.target.array, f64::from(cycles))]);
    }
    let targets = statement.targets().map(|target| target.array);
    targets.filter(|array| can(*array)).map(|array| (array, behind(array))).collect()
}

/// Cycles from a read that comes late, of those that `is_meant` tells, to the next that sees the result: what is on its way is taken from
/// there.
fn passed_on(statement: &kernel::Statement, is_meant: &impl Fn(&Access) -> bool) -> f64 {
    let behind = statement.values().filter_map(|value| operators::behind(value, is_meant, operators::latency)).max();
    f64::from(behind.unwrap_or(0).max(1))
}

/// The same in lanes, which take nothing on its way.
fn written(statement: &kernel::Statement, is_meant: &impl Fn(&Access) -> bool) -> f64 {
    let behind = statement.values().filter_map(|value| operators::behind(value, is_meant, operators::cycles)).max();
    f64::from(behind.unwrap_or(0)) + LATE
}

/// What the instances of a statement take until others see what they write.
pub struct Waits {
    /// Cycles from reading a buffer to the next read that sees the result.
    pub latency: f64,
    /// The same from instance to instance of cells that it updates and can read late, see [`late`].
    pub late: BTreeMap<ArrayId, f64>,
    /// The same where lanes write the array: never on their way there.
    pub late_in_lanes: BTreeMap<ArrayId, f64>,
}

impl Waits {
    /// Of a statement in lanes, whose sums do not wait for products of integers, or in one.
    pub fn new(kernel: &Kernel, statement: &kernel::Statement, in_lanes: bool) -> Waits {
        let latency = statement.values().map(|value| latency(value, !in_lanes)).fold(0.0, f64::max);
        let of = |array: ArrayId| move |access: &Access| access.array == array;
        let late_in_lanes = late(kernel, statement, |array| written(statement, &of(array)).min(latency));
        let late = late(kernel, statement, |array| passed_on(statement, &of(array)));
        Waits { latency, late, late_in_lanes }
    }

    /// Cycles from instance to instance of the statement where one reads at `access` what the one before has written, with `in_lanes` in
    /// an array that lanes write. The word that it updates is read late, whatever else it reads of the array: each reference has a port.
    pub fn update(&self, statement: &kernel::Statement, access: &Access, in_lanes: bool) -> f64 {
        let late = if in_lanes { &self.late_in_lanes } else { &self.late };
        if let Some(cycles) = late.get(&access.array) {
            return *cycles;
        }
        let is_own = |read: &Access| read.array == access.array && read.subscripts == access.subscripts;
        if !statement.targets().any(is_own) || statement.values().any(operators::is_serial) {
            return self.latency;
        }
        let cycles = if in_lanes { written(statement, &is_own) } else { passed_on(statement, &is_own) };
        cycles.min(self.latency)
    }
}

/// Rounds that are followed of statements that take turns.
const ROUNDS: usize = 24;

/// Cycles per tile of one statement, estimated.
pub(super) struct Pace {
    pub cycles: f64,
    /// See [`Order::late`].
    pub late: Vec<ArrayId>,
}

/// How a statement runs in an order, were no value waited for, and the values that may be.
pub(super) struct Walk<'a> {
    /// Cycles per tile.
    pub cycles: f64,
    /// Cycles between two instances, over their distances `d0`, `d1`, ….
    pub between: Affine,
    pub waits: Vec<Wait<'a>>,
    /// Along a sum of dimensions.
    pub is_wave: bool,
    /// Of a statement whose rows data cut short: no row depends on another.
    pub rows_are_apart: bool,
}

/// A value that an instance reads so many cycles behind the one that makes it, where that takes `latency`.
pub(super) struct Wait<'a> {
    pub of: &'a Distances,
    pub distance: f64,
    pub latency: f64,
    /// The instance reads it late.
    pub is_late: bool,
}

impl Wait<'_> {
    /// Cycles per instance where every instance waits; below 1 none does.
    pub fn cycles(&self) -> f64 {
        self.latency / self.distance
    }
}

impl Walk<'_> {
    /// Cycles per instance where one waits for so many. Waves grow from nothing to twice their mean and shrink again; the short
    /// ones wait.
    pub fn stalled(&self, wait: f64) -> f64 {
        if self.is_wave && wait < 2.0 { 1.0 + wait * wait / 4.0 } else { wait.max(1.0) }
    }
}

impl Space {
    /// Rows that are short, and flow dependences over fewer cycles than lie between the read and the write of what is
    /// passed on, cost more than one cycle per instance. The statements run one after the other at the depth `apart`.
    pub(super) fn pace<'a>(
        &self,
        place: usize,
        order: &[usize],
        apart: usize,
        distances: impl Iterator<Item = &'a Distances>,
    ) -> Result<Pace> {
        Ok(self.pace_of(place, order, &self.walk(place, order, (apart, &[]), distances, &[])?))
    }

    /// The same of all statements that take turns.
    pub(super) fn pace_in_turns<'a>(
        &self,
        order: &[usize],
        turns: &[usize],
        distances: impl Iterator<Item = &'a Distances> + Clone,
    ) -> Result<Pace> {
        let apart = if self.values.len() == 1 { 0 } else { order.len() };
        let walk = |&place: &usize| self.walk(place, order, (apart, turns), distances.clone(), &[]);
        let walks = turns.iter().map(walk).collect::<Result<Vec<_>>>()?;
        let paces = turns.iter().zip(&walks).map(|(&place, walk)| self.pace_of(place, order, walk));
        let mut all = Pace { cycles: 0.0, late: vec![] };
        paces.for_each(|pace| {
            all.cycles += pace.cycles;
            all.late.extend(pace.late);
        });
        if let Some(cycles) = self.cycles_in_turns(order, turns, &walks) {
            all.cycles = cycles;
        }
        Ok(all)
    }

    /// The cycles of statements that take turns, one instance of each in every round: a few rounds are followed, as one that waits leaves
    /// time for what the others make. `None` where rounds are not alike.
    pub(super) fn cycles_in_turns(&self, order: &[usize], turns: &[usize], walks: &[Walk]) -> Option<f64> {
        let rounds = self.combinations(*turns.first()?, order);
        let are_alike =
            turns.iter().all(|place| self.combinations(*place, order) == rounds && self.limited[*place].is_none());
        if turns.len() < 2 || !are_alike || walks.iter().any(|walk| walk.is_wave) {
            return None;
        }
        let turn = |place: usize| turns.iter().position(|own| *own == place);
        // When each started in the rounds so far.
        let mut starts: Vec<Vec<f64>> = vec![];
        let mut now = -1.0f64;
        for round in 0..ROUNDS {
            starts.push(vec![]);
            for (own, walk) in walks.iter().enumerate() {
                now += 1.0;
                for wait in &walk.waits {
                    let source = turn(wait.of.source)?;
                    let back = ((wait.distance + source as f64 - own as f64) / turns.len() as f64).round() as usize;
                    let made = round.checked_sub(back).and_then(|round| starts[round].get(source));
                    now = made.map_or(now, |made| now.max(made + wait.latency));
                }
                starts[round].push(now);
            }
        }
        let each = (starts[ROUNDS - 1][0] - starts[ROUNDS / 2][0]) / (ROUNDS - 1 - ROUNDS / 2) as f64;
        Some((rounds * each).max(walks.iter().map(|walk| walk.cycles).sum()))
    }

    /// The pace of a statement that runs so.
    pub(super) fn pace_of(&self, place: usize, order: &[usize], walk: &Walk) -> Pace {
        let wait = walk.waits.iter().map(Wait::cycles).fold(0.0, f64::max);
        if let Some(cycles) = self.cycles_cut_by_data(place, order, walk, wait) {
            let late = walk.waits.iter().filter(|wait| wait.is_late).map(|wait| wait.of.array).collect();
            return Pace { cycles, late };
        }
        let is_late = |wait: &&Wait| wait.is_late && self.latencies[place] > wait.distance;
        let late = walk.waits.iter().filter(is_late).map(|wait| wait.of.array).collect();
        Pace { cycles: walk.cycles * walk.stalled(wait), late }
    }

    /// The cycles of a statement whose rows, along its innermost loop, are as long as only the data tell, see [`kernel::Limits`]: one for
    /// each, and what they leave of the iterations, which wait so long. Rows that do not depend on one another are interleaved: as many
    /// as there are at a time have others in between, and the last one is alone for half of what its tile has of it.
    pub(super) fn cycles_cut_by_data(&self, place: usize, order: &[usize], walk: &Walk, wait: f64) -> Option<f64> {
        let Limited { iterator, share, length } = self.limited[place].as_ref()?;
        let (last, outer) = order.split_last()?;
        let has_it = |k: &usize| self.values[place].get(*k).is_none_or(|value| value.coefficient(iterator) != 0);
        let is_alone = self.values[place].get(*last).is_some_and(|value| value.coefficient(iterator) == 1);
        if !is_alone || outer.iter().any(has_it) {
            return None;
        }
        let rows = self.combinations(place, outer);
        let left = self.combinations(place, order) * share;
        if !walk.rows_are_apart || wait <= 1.0 {
            return Some(rows + left * wait.max(1.0));
        }
        let in_tile = length.map_or(left / rows, |length| length.min(self.combinations(place, order) / rows));
        let at_once = (left / in_tile.max(1.0)).clamp(1.0, rows.max(1.0));
        Some(rows + left * (wait / at_once).max(1.0) + wait * in_tile / 2.0)
    }

    /// Cycles in which the scanner has all rows of a statement: one for each, and some for each loop around them.
    fn scanned(&self, place: usize, order: &[usize], apart: usize) -> f64 {
        let rows = self.combinations(place, order) / self.row_length(place, order, apart);
        let around = (0..order.len()).map(|level| self.combinations(place, &order[..level]));
        let loops = around.filter(|outer| *outer < rows).fold(1.0, f64::max);
        rows + loops * LOOP as f64
    }

    /// How a statement runs, see [`Space::pace`]; of groups, `lanes` has the dimensions of which so many values make one, see
    /// [`Space::in_groups`].
    pub(super) fn walk<'a>(
        &self,
        place: usize,
        order: &[usize],
        (apart, turns): (usize, &[usize]),
        distances: impl Iterator<Item = &'a Distances>,
        lanes: &[(usize, i64)],
    ) -> Result<Walk<'a>> {
        // Distances are those of values, of which a group's are all in one cycle.
        let count = lanes.iter().map(|(_, count)| count).product::<i64>();
        let values = |k: usize| lanes.iter().find(|(own, _)| *own == k).map_or(count, |(_, own)| count / own);
        let all = self.combinations(place, order);
        let cycles = all.max(self.scanned(place, order, apart));
        // Those of others that take turns lie between its instances.
        let of_turns: f64 = turns.iter().map(|&other| self.combinations(other, order)).sum();
        // And those of all that share loops with it, from one iteration of these to the next.
        let shared = &order[..apart.min(order.len())];
        let of_all = if turns.len() < 2 { self.beside(place, shared) } else { of_turns };
        let turn = |place: usize| turns.iter().position(|own| *own == place).unwrap_or(0) as f64;
        // What lies between an instance and the one a step further in a dimension.
        let step = |level: usize| {
            let (outer, all) = (&order[..level], &order[..=level]);
            match self.combinations(place, all) > self.combinations(place, outer) {
                true => {
                    let between = if level < apart { of_all } else { of_turns };
                    (cycles.max(between) / self.combinations(place, all)).round().max(1.0) as i64
                }
                // The dimensions further out tell its values already.
                false => 0,
            }
        };
        let names: Vec<String> = (0..self.sizes.len()).map(|k| format!("d{k}")).collect();
        // Rows along the longest of a wave's dimensions begin further on in each.
        let begin = |level: usize, k: usize| {
            let moves = order[..level].iter().filter_map(|&wave| Some((wave, self.moved_by(place, wave, k)?)));
            moves.fold(Affine::default(), |sum, (wave, factor)| sum + Affine::variable(&names[wave]) * factor)
        };
        let between = (order.iter().enumerate()).fold(Affine::default(), |sum, (level, &k)| {
            sum + (Affine::variable(&names[k]) - begin(level, k)) * (step(level) * values(k))
        });
        let mut waits = vec![];
        let mut rows_are_apart = self.limited[place].is_some();
        for of in distances {
            if rows_are_apart && of.source == place && of.sink == place {
                rows_are_apart = self.is_in_a_row(order, of)?;
            }
            if of.kind != DependenceKind::Flow {
                continue;
            }
            let Some(back) = of.near.largest(&names, &-between.clone())?.finite() else { continue };
            let distance = (-back as f64 / count as f64 + turn(of.sink) - turn(of.source)).max(1.0);
            let behind = self.late[place].get(&of.array).filter(|_| of.source == place && of.sink == place);
            let latency = behind.copied().unwrap_or(self.latencies[place]);
            waits.push(Wait { of, distance, latency, is_late: behind.is_some() });
        }
        let is_wave = self.has_waves(order);
        Ok(Walk { cycles, between, waits, is_wave, rows_are_apart })
    }

    /// Whether all instances that depend on one another so are in one row.
    fn is_in_a_row(&self, order: &[usize], distances: &Distances) -> Result<bool> {
        let Some((_, outer)) = order.split_last() else { return Ok(true) };
        for &k in outer {
            if k >= self.rank() {
                return Ok(false);
            }
            let ends = [distances.set.minimum(k)?, distances.set.maximum(k)?].map(|end| end.finite());
            if ends != [Some(0); 2] && !distances.set.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
