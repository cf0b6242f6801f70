//! Lanes in boxes: an instance waits for a box of cells that is on its way to a buffer, and for all of it, also where some of its lanes do
//! not run. So groups may wait for one another whose instances do not depend on one another, and most of them do not: how often is
//! counted, group by group.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

use anyhow::Result;

use super::space::Space;
use crate::affine::Affine;
use crate::ids::{ArrayId, StatementId};
use crate::polyhedral::Program;
use crate::polyhedral::isl::Constraint;
use crate::polyhedral::scan::solve;
use crate::source::kernel::{Access, Kernel, Statement};
use crate::tiling::lane_shape::LaneShape;
use crate::walk::Scanned;

/// Places of groups that are looked at, whether there is a group or not.
const LOOKED_AT: usize = 30_000;
/// The same where a statement reads what it writes through the same box only, so that rows alone count.
const LOOKED_AT_FOR_ROWS: usize = 3_000;
/// Values of the outermost loop that they are of, at most.
const SAMPLES: i64 = 12;

/// A value over a statement's iterators, as one over the numbers of groups: `constant + Σ of[k] g_k`, and what it gains from lane 0 to
/// others at least and at most.
struct OfGroups {
    constant: i64,
    of: Vec<i64>,
    gains: (i64, i64),
}

impl OfGroups {
    fn least(&self, groups: &[i64]) -> i64 {
        self.constant + self.of.iter().zip(groups).map(|(factor, group)| factor * group).sum::<i64>()
    }
}

/// The cells that lanes access: a box, the first and the last along each subscript.
type Cells = (ArrayId, Vec<(i64, i64)>);

/// Groups of a statement's iterations, of lanes along dimensions of the space, in one tile at the sizes that the user runs.
pub(super) struct Groups {
    /// Convex pieces of the domain, each so many values that are at least 0.
    pieces: Vec<Vec<OfGroups>>,
    reads: Vec<(ArrayId, Vec<OfGroups>)>,
    writes: Vec<(ArrayId, Vec<OfGroups>)>,
    /// The first and the last group along every dimension.
    ranges: Vec<(i64, i64)>,
    /// Whether it reads what it writes through another box, too.
    has_others: bool,
    /// Cycles per group, by order, which tells the row; the latency is the statement's.
    known: RefCell<BTreeMap<Vec<usize>, f64>>,
}

impl Groups {
    /// `None` where nobody can tell them.
    pub fn new(
        space: &Space,
        (program, kernel): (&Program, &Kernel),
        (id, statement, place): (StatementId, &Statement, usize),
        lanes: &[(usize, i64)],
        shape: &LaneShape,
    ) -> Result<Option<Groups>> {
        let own = &program.statements[id];
        let usual = kernel.usual_sizes();
        let at_usual = |value: &Affine| {
            value.substitute(|name| usual.get(name).map_or(Affine::variable(name), |size| Affine::constant(*size)))
        };
        let names: Vec<String> = (0..space.rank()).map(|k| format!("group {k}")).collect();
        let count = |k: usize| lanes.iter().find(|(own, _)| *own == k).map_or(1, |(_, count)| *count);
        let equalities: Vec<Affine> = (0..space.rank())
            .map(|k| at_usual(&space.values[place][k]) - Affine::variable(&names[k]) * count(k))
            .collect();
        let solved = solve(&own.iterators.iter().collect::<Vec<_>>(), &equalities);
        let counts: Vec<i64> = lanes.iter().map(|(_, count)| *count).collect();
        let of = |value: &Affine| -> Option<OfGroups> {
            let gain = |steps: &[i64], count: Option<&i64>| match (steps, count) {
                ([], _) | (_, None) => 0,
                (steps, Some(count)) => value.gain(&own.iterators, steps) * (count - 1),
            };
            let gains = [gain(&shape.steps, counts.first()), gain(&shape.inner_steps, counts.get(1))];
            let value = at_usual(value).substitute(|name| solved.get(name).cloned().unwrap_or(Affine::variable(name)));
            value.terms.keys().all(|name| names.contains(name)).then(|| OfGroups {
                constant: value.constant,
                of: names.iter().map(|name| value.coefficient(name)).collect(),
                gains: (gains.iter().map(|gain| gain.min(&0)).sum(), gains.iter().map(|gain| gain.max(&0)).sum()),
            })
        };
        let mut pieces = vec![];
        for piece in own.domain.pieces()? {
            if piece.locals()? > 0 {
                return Ok(None);
            }
            let mut all = vec![];
            for constraint in piece.constraints(&own.iterators)? {
                let both = match &constraint {
                    Constraint::Zero(value) => vec![value.clone(), -value.clone()],
                    Constraint::NonNegative(value) => vec![value.clone()],
                };
                for value in both {
                    let Some(value) = of(&value) else { return Ok(None) };
                    all.push(value);
                }
            }
            pieces.push(all);
        }
        let cells = |access: &Access| -> Option<(ArrayId, Vec<OfGroups>)> {
            Some((access.array, access.subscripts.iter().map(of).collect::<Option<_>>()?))
        };
        let reads = statement.references().into_iter().map(cells).collect::<Option<Vec<_>>>();
        let writes = statement.targets().map(cells).collect::<Option<Vec<_>>>();
        let mut ranges = vec![];
        for k in 0..space.rank() {
            let Some((low, high)) = program.usual_range(kernel, id, &space.values[place][k])? else { return Ok(None) };
            // The tile in the middle.
            let (low, high) = match space.sizes[k] {
                size if k < space.tiled => {
                    let first = (low + high).div_euclid(2).div_euclid(size) * size;
                    (low.max(first), high.min(first + size - 1))
                }
                _ => (low, high),
            };
            ranges.push((low.div_euclid(count(k)), high.div_euclid(count(k))));
        }
        let is_other = |(array, read): &(ArrayId, Vec<OfGroups>), (target, written): &(ArrayId, Vec<OfGroups>)| {
            let differ = |(one, other): (&OfGroups, &OfGroups)| (&one.of, one.gains) != (&other.of, other.gains);
            array == target && read.iter().zip(written).any(differ)
        };
        Ok(reads.zip(writes).map(|(reads, writes)| {
            let has_others = reads.iter().any(|read| writes.iter().any(|target| is_other(read, target)));
            Groups { pieces, reads, writes, ranges, has_others, known: RefCell::default() }
        }))
    }

    /// Cycles per group in an order whose rows lie along `row`, where a group sees what another wrote `latency` cycles after that began:
    /// of some values of the outermost loop, each with the next.
    pub fn pace(&self, order: &[usize], row: Option<usize>, latency: i64) -> f64 {
        let order: Vec<usize> = order.iter().copied().filter(|k| *k < self.ranges.len()).collect();
        if let Some(known) = self.known.borrow().get(&order) {
            return *known;
        }
        let most = if self.has_others { LOOKED_AT } else { LOOKED_AT_FOR_ROWS };
        let outermost = order.iter().copied().find(|k| self.ranges[*k].0 < self.ranges[*k].1);
        let mut walk = Walk { groups: self, order: &order, row, latency, now: 0, number: 0 };
        match outermost {
            None => walk.over(self.ranges.clone(), most),
            Some(outermost) => {
                let (low, high) = self.ranges[outermost];
                let samples = (high - low + 1).min(SAMPLES);
                for sample in 0..samples {
                    let first = low + (high - low) * sample / samples;
                    let mut ranges = self.ranges.clone();
                    ranges[outermost] = (first, (first + 1).min(high));
                    walk.over(ranges, most / samples as usize);
                }
            }
        }
        let pace = if walk.number == 0 { 1.0 } else { walk.now as f64 / walk.number as f64 };
        self.known.borrow_mut().insert(order.clone(), pace);
        pace
    }

    /// Whether a lane of the group at these places runs.
    fn runs(&self, places: &[i64]) -> bool {
        self.pieces.iter().any(|piece| piece.iter().all(|value| value.least(places) + value.gains.1 >= 0))
    }
}

/// Groups that run one after the other.
struct Walk<'a> {
    groups: &'a Groups,
    order: &'a [usize],
    row: Option<usize>,
    latency: i64,
    /// Cycles, and groups in them.
    now: i64,
    number: i64,
}

impl Walk<'_> {
    /// The groups in these ranges, of so many places at most, behind all that was walked before.
    fn over(&mut self, ranges: Vec<(i64, i64)>, most: usize) {
        let mut places: Vec<i64> = ranges.iter().map(|(low, _)| *low).collect();
        // Counted from here on.
        let (first, mut rows) = (self.now, Scanned::default());
        let mut last_row: Option<Vec<i64>> = None;
        // When each of the last groups ran, and what it wrote.
        let mut under_way: VecDeque<(i64, Vec<Cells>)> = VecDeque::new();
        for _ in 0..most {
            if self.groups.runs(&places) {
                let own: Vec<i64> = self.order.iter().filter(|k| self.row != Some(**k)).map(|k| places[*k]).collect();
                if last_row.as_ref() != Some(&own) {
                    let around = |row: &Vec<i64>| row.split_last().map(|(_, around)| around.to_vec());
                    let opens = last_row.as_ref().is_some_and(|before| around(before) != around(&own));
                    self.now = first + rows.begin(opens, (self.now - first) as u64) as i64;
                    last_row = Some(own);
                }
                while under_way.front().is_some_and(|(at, _)| at + self.latency <= self.now) {
                    under_way.pop_front();
                }
                let reads = cells(&self.groups.reads, &places);
                let before = under_way.iter().rev().find(|(_, writes)| meet(writes, &reads));
                self.now = before.map_or(self.now, |(at, _)| self.now.max(at + self.latency));
                under_way.push_back((self.now, cells(&self.groups.writes, &places)));
                self.now += 1;
                self.number += 1;
            }
            let next = self.order.iter().rev().find(|k| places[**k] < ranges[**k].1);
            let Some(&next) = next else { return };
            places[next] += 1;
            self.order.iter().rev().take_while(|k| **k != next).for_each(|k| places[*k] = ranges[*k].0);
        }
    }
}

fn cells(all: &[(ArrayId, Vec<OfGroups>)], places: &[i64]) -> Vec<Cells> {
    let span = |value: &OfGroups| {
        let least = value.least(places);
        (least + value.gains.0, least + value.gains.1)
    };
    all.iter().map(|(array, subscripts)| (*array, subscripts.iter().map(span).collect())).collect()
}

fn meet(writes: &[Cells], reads: &[Cells]) -> bool {
    let overlap = |(one, other): (&(i64, i64), &(i64, i64))| one.0 <= other.1 && other.0 <= one.1;
    writes.iter().any(|(array, written)| {
        reads.iter().any(|(other, read)| array == other && written.iter().zip(read).all(overlap))
    })
}
