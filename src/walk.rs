//! The walk of a [`Scan`](crate::offload::Scan) for given sizes: one for all who ask what it visits.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;

use crate::affine::Affine;
use crate::offload::{Bound, Level, Piece};
use crate::source::kernel::Kernel;

/// Names with their values, innermost last: of one kernel.
#[derive(Clone)]
pub struct Values {
    pub stack: Vec<(String, i64)>,
    /// The indices of the tiles entered last, as often many in a row.
    tile_names: Vec<String>,
}

impl Values {
    /// The values of sizes.
    pub fn new(sizes: &BTreeMap<String, i64>) -> Self {
        let stack = sizes.iter().map(|(name, value)| (name.clone(), *value)).collect();
        Values { stack, tile_names: vec![] }
    }

    /// Puts the indices of a tile on the stack; gives the length that it had.
    pub fn enter_tile(&mut self, kernel: &Kernel, tile: &[i64]) -> usize {
        let place = self.stack.len();
        if self.tile_names.len() != tile.len() {
            self.tile_names = kernel.tile_names(tile.len());
        }
        self.stack.extend(self.tile_names.iter().cloned().zip(tile.iter().copied()));
        place
    }

    /// The value of an expression; names without one are 0.
    pub fn evaluate(&self, expression: &Affine) -> i64 {
        expression.evaluate(|name| self.stack.iter().rev().find(|(n, _)| n == name).map_or(0, |(_, value)| *value))
    }

    fn lower(&self, bounds: &[Bound]) -> i64 {
        // The quotient, rounded up.
        let ceil = |b: &Bound| -(-self.evaluate(&b.numerator)).div_euclid(b.divisor);
        bounds.iter().map(ceil).max().unwrap_or(0)
    }

    fn upper(&self, bounds: &[Bound]) -> i64 {
        bounds.iter().map(|b| self.evaluate(&b.numerator).div_euclid(b.divisor)).min().unwrap_or(-1)
    }

    /// Puts the iterators of an instance at a scan's `point` on the stack, and the kernel's quotients.
    pub fn enter_instance(&mut self, kernel: &Kernel, iterators: &[String], point: &[Affine]) {
        for (name, value) in iterators.iter().zip(point) {
            let value = self.evaluate(value);
            self.stack.push((name.clone(), value));
        }
        for quotient in &kernel.quotients {
            let value = quotient.of(self.evaluate(&quotient.numerator));
            self.stack.push((quotient.name.clone(), value));
        }
    }

    /// The values of a level, empty where the second is less than the first.
    pub fn interval(&self, level: &Level) -> (i64, i64) {
        (self.lower(&level.lower), self.upper(&level.upper))
    }
}

/// How many of the outermost levels the guards of a piece name, up to the last one: levels that it shares with the piece
/// before it or with the one after it.
pub fn guard_depth(piece: &Piece) -> usize {
    let named = |name: &str| piece.guards.iter().any(|guard| guard.coefficient(name) != 0);
    piece.levels.iter().rposition(|level| named(&level.name)).map_or(0, |last| last + 1)
}

/// Which values of a loop a walk takes.
#[derive(Clone, Copy)]
pub enum Which {
    All,
    /// The first and the last.
    Ends,
    First,
    /// From this one on.
    From(i64),
}

impl Which {
    /// The walk's values of a loop from `low` to `high`.
    fn of(self, (low, high): (i64, i64)) -> impl Iterator<Item = i64> {
        // From `low` to `last`, then the last one by itself.
        let (last, end) = match self {
            Which::All => (high, None),
            Which::Ends => (high.min(low), (low < high).then_some(high)),
            Which::First => (high.min(low), None),
            Which::From(_) => (high, None),
        };
        let first = if let Which::From(first) = self { first.max(low) } else { low };
        (first..=last).chain(end)
    }
}

/// Who goes along a [`walk`].
pub trait Visitor<'a> {
    /// Inside the loops further out, before guards are tested: once per iteration of the innermost of them, or more often
    /// where pieces part there. `piece` is the first of those that share the loop at `depth`, if it has one.
    fn arrive(&mut self, _piece: &'a Piece, _depth: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Before a loop, that of `piece` at `depth`, whose values are `interval`, empty where the second is less than the
    /// first. `piece` is the first of those that share the loop.
    fn enter(&mut self, _piece: &'a Piece, _depth: usize, _interval: (i64, i64)) -> Which {
        Which::All
    }

    /// Behind the loop entered last.
    fn leave(&mut self) {}

    /// At a point of `piece`.
    fn point(&mut self, piece: &'a Piece, values: &mut Values) -> ControlFlow<()>;
}

/// Pieces that share their first `depth` levels, in order, those together that share the loop at `depth`.
pub fn by_loop(pieces: &[Piece], depth: usize) -> impl Iterator<Item = &[Piece]> {
    pieces.chunk_by(move |_, next| next.shared > depth)
}

/// Walks pieces in the order in which the hardware does, until the visitor breaks off. Levels' values are on the stack. A
/// piece that others share loops with may be walked without them.
pub fn walk<'a>(pieces: &'a [Piece], values: &mut Values, visitor: &mut impl Visitor<'a>) -> ControlFlow<()> {
    inside(pieces, 0, values, visitor)
}

/// The same for pieces that share their first `depth` levels, inside those.
pub fn inside<'a>(
    pieces: &'a [Piece],
    depth: usize,
    values: &mut Values,
    visitor: &mut impl Visitor<'a>,
) -> ControlFlow<()> {
    for group in by_loop(pieces, depth) {
        let first = &group[0];
        visitor.arrive(first, depth)?;
        // Of several pieces, each has its own guards further in.
        if group.len() == 1 && !goes_on(first, depth, values) {
            continue;
        }
        let Some(level) = first.levels.get(depth) else {
            visitor.point(first, values)?;
            continue;
        };
        let interval = values.interval(level);
        let which = visitor.enter(first, depth, interval);
        let place = values.stack.len();
        values.stack.push((level.name.clone(), 0));
        let outcome = which.of(interval).try_for_each(|value| {
            values.stack[place].1 = value;
            inside(group, depth + 1, values, visitor)
        });
        values.stack.truncate(place);
        visitor.leave();
        outcome?;
    }
    ControlFlow::Continue(())
}

/// Whether the guards of a piece hold, as far as its first `depth` levels tell.
fn goes_on(piece: &Piece, depth: usize, values: &Values) -> bool {
    piece.guards.is_empty()
        || depth < guard_depth(piece)
        || piece.guards.iter().all(|guard| values.evaluate(guard) >= 0)
}

/// A visitor who looks at points alone.
struct Points<F>(F);

impl<'a, F: FnMut(&'a Piece, &mut Values) -> ControlFlow<()>> Visitor<'a> for Points<F> {
    fn point(&mut self, piece: &'a Piece, values: &mut Values) -> ControlFlow<()> {
        self.0(piece, values)
    }
}

/// Calls `act` at every point of a piece.
pub fn visit(piece: &Piece, values: &mut Values, mut act: impl FnMut(&mut Values)) {
    let act = |_: &Piece, values: &mut Values| {
        act(values);
        ControlFlow::Continue(())
    };
    let _ = walk(std::slice::from_ref(piece), values, &mut Points(act));
}

/// Calls `act` at every point of pieces in the order of [`walk`], until it breaks off.
pub fn in_order<'a>(
    pieces: &'a [Piece],
    values: &mut Values,
    act: impl FnMut(&'a Piece, &mut Values) -> ControlFlow<()>,
) -> ControlFlow<()> {
    walk(pieces, values, &mut Points(act))
}

/// The number of points of a piece. Shared loops change the order of the points only. `None` where `steps` loops are not
/// enough to count them.
pub fn count(piece: &Piece, values: &mut Values, steps: &mut u64) -> Option<u64> {
    count_inside(piece, 0, values, steps)
}

/// The same of the piece inside its first `depth` loops, which have values.
pub fn count_inside(piece: &Piece, depth: usize, values: &mut Values, steps: &mut u64) -> Option<u64> {
    let mut count = Count { steps: *steps, times: vec![1], points: 0 };
    let outcome = inside(std::slice::from_ref(piece), depth, values, &mut count);
    *steps = count.steps;
    outcome.is_continue().then_some(count.points)
}

/// Counts points, those of a loop whose iterations are all alike in one of them.
struct Count {
    steps: u64,
    /// Per loop that is open, for how many points one counts; the innermost last.
    times: Vec<u64>,
    points: u64,
}

impl Count {
    fn times(&self) -> u64 {
        self.times.last().copied().unwrap_or(1)
    }
}

impl<'a> Visitor<'a> for Count {
    fn arrive(&mut self, _: &'a Piece, _: usize) -> ControlFlow<()> {
        let Some(left) = self.steps.checked_sub(1) else { return ControlFlow::Break(()) };
        self.steps = left;
        ControlFlow::Continue(())
    }

    fn enter(&mut self, piece: &'a Piece, depth: usize, (low, high): (i64, i64)) -> Which {
        let alike = !names(piece, depth);
        let trips = if alike { high.saturating_sub(low).saturating_add(1).max(0) as u64 } else { 1 };
        self.times.push(self.times().saturating_mul(trips));
        if alike { Which::First } else { Which::All }
    }

    fn leave(&mut self) {
        self.times.pop();
    }

    fn point(&mut self, _: &'a Piece, _: &mut Values) -> ControlFlow<()> {
        self.points = self.points.saturating_add(self.times());
        ControlFlow::Continue(())
    }
}

/// What the rows of a piece cost, its innermost loops: `row` of how many points one has, and `around` of what all rows of the
/// loop around them cost, and how many those are.
pub struct Costs<R, A> {
    pub row: R,
    pub around: A,
}

/// The sums of `N` costs over all rows of a piece. Shared loops are walked as the piece's own. Where loops have more iterations than
/// a `budget` of some steps allows, those in the middle of as many parts of equal length stand for all.
pub fn rows<const N: usize>(
    piece: &Piece,
    values: &mut Values,
    budget: f64,
    costs: &Costs<impl Fn(u64) -> [f64; N], impl Fn([f64; N], f64) -> [f64; N]>,
) -> [f64; N] {
    let alike = (0..piece.levels.len()).map(|depth| !names(piece, depth)).collect();
    Rows { piece, alike, costs }.inside(0, values, budget).0
}

/// Calls `act` at some points of a piece, about `wanted` that are spread over all of it, each with how many it stands for; gives the number
/// of all, as those say.
pub fn spread(piece: &Piece, values: &mut Values, wanted: f64, act: &mut impl FnMut(&mut Values, f64)) -> f64 {
    spread_inside(piece, (0, 1.0), values, wanted, act)
}

/// The same inside the first loops, whose values stand for so many.
fn spread_inside(
    piece: &Piece,
    (depth, each): (usize, f64),
    values: &mut Values,
    wanted: f64,
    act: &mut impl FnMut(&mut Values, f64),
) -> f64 {
    if !goes_on(piece, depth, values) {
        return 0.0;
    }
    let Some(level) = piece.levels.get(depth) else {
        act(values, each);
        return each;
    };
    let (low, high) = values.interval(level);
    let all = high.saturating_sub(low).saturating_add(1).max(0);
    let loops = (piece.levels.len() - depth) as f64;
    let looked_at = (wanted.powf(1.0 / loops).ceil() as i64).clamp(1, all.max(1));
    let (mut sum, place) = (0.0, values.stack.len());
    values.stack.push((level.name.clone(), 0));
    for part in 0..looked_at.min(all) {
        values.stack[place].1 = low + middle(part, looked_at, all);
        let share = each * all as f64 / looked_at as f64;
        sum += spread_inside(piece, (depth + 1, share), values, wanted / looked_at as f64, act);
    }
    values.stack.truncate(place);
    sum
}

/// The middle of one of so many equal parts of a loop of `all` values.
fn middle(part: i64, parts: i64, all: i64) -> i64 {
    // Of numbers of any size.
    ((2 * i128::from(part) + 1) * i128::from(all) / (2 * i128::from(parts))) as i64
}

/// Iterations that are looked at of a loop, at least, if it has as many.
const LEAST: f64 = 3.0;

struct Rows<'a, R, A> {
    piece: &'a Piece,
    /// Per level, whether its iterations are all alike.
    alike: Vec<bool>,
    costs: &'a Costs<R, A>,
}

impl<const N: usize, R: Fn(u64) -> [f64; N], A: Fn([f64; N], f64) -> [f64; N]> Rows<'_, R, A> {
    /// The costs inside of `depth` loops, which have values, and the rows that there are.
    fn inside(&self, depth: usize, values: &mut Values, budget: f64) -> ([f64; N], f64) {
        let none = ([0.0; N], 0.0);
        if !goes_on(self.piece, depth, values) {
            return none;
        }
        let Some(level) = self.piece.levels.get(depth) else { return ((self.costs.row)(1), 1.0) };
        let (low, high) = values.interval(level);
        if high < low {
            return none;
        }
        let all = high.saturating_sub(low).saturating_add(1);
        let further_in = self.piece.levels.len() - depth - 1;
        if further_in == 0 {
            return ((self.costs.row)(all as u64), 1.0);
        }
        let looked_at = if self.alike[depth] { 1 } else { self.looked_at(depth, budget).min(all) };
        let place = values.stack.len();
        values.stack.push((level.name.clone(), 0));
        let (mut sums, mut rows) = none;
        for part in 0..looked_at {
            values.stack[place].1 = low + middle(part, looked_at, all);
            let (own, count) = self.inside(depth + 1, values, budget / looked_at as f64);
            sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            rows += count;
        }
        values.stack.truncate(place);
        let share = all as f64 / looked_at as f64;
        sums.iter_mut().for_each(|sum| *sum *= share);
        rows *= share;
        if further_in == 1 {
            sums = (self.costs.around)(sums, rows);
        }
        (sums, rows)
    }

    /// Iterations of the loop at a depth that a budget allows, if as many are looked at in each of those further in.
    fn looked_at(&self, depth: usize, budget: f64) -> i64 {
        let loops = self.alike[depth..self.alike.len() - 1].iter().filter(|alike| !**alike).count();
        budget.powf(1.0 / loops as f64).max(LEAST) as i64
    }
}

/// Cycles in which the scanner of iterations opens a loop around rows; the rows come one per cycle.
pub const LOOP: u64 = 5;

/// Rows that the scanner may be ahead of the iterations.
const ROWS_AHEAD: usize = 4;

/// When the scanner has a row, and when the rows began that are the last.
#[derive(Default)]
pub struct Scanned {
    there: u64,
    begun: VecDeque<u64>,
}

impl Scanned {
    /// The cycle in which the next row begins, which could begin at `next` if it were there; `opens` says whether it is the first in
    /// a loop.
    pub fn begin(&mut self, opens: bool, next: u64) -> u64 {
        let room = if self.begun.len() == ROWS_AHEAD { self.begun.pop_front() } else { None };
        let since = self.there + 1 + if opens { LOOP } else { 0 };
        self.there = room.unwrap_or(0).max(since);
        let start = next.max(self.there);
        self.begun.push_back(start);
        start
    }
}

/// Whether a bound or guard further in names the level at `depth`.
fn names(piece: &Piece, depth: usize) -> bool {
    let name = &piece.levels[depth].name;
    let mut bounds = piece.levels[depth + 1..].iter().flat_map(|l| l.lower.iter().chain(&l.upper));
    bounds.any(|b| b.numerator.coefficient(name) != 0) || piece.guards.iter().any(|g| g.coefficient(name) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::StatementId;

    /// A loop from one value to another.
    fn level(name: &str, lower: Affine, upper: Affine) -> Level {
        let bound = |numerator: Affine| vec![Bound { numerator, divisor: 1 }];
        Level { name: name.into(), lower: bound(lower), upper: bound(upper), range: (0, 1000) }
    }

    #[test]
    fn bounds_round_towards_the_inside() {
        let bound = |numerator: Affine, divisor| Bound { numerator, divisor };
        let n = || Affine::variable("N");
        let values = Values::new(&BTreeMap::from([("N".to_string(), -7)]));
        assert_eq!(values.lower(&[bound(n(), 2)]), -3);
        assert_eq!(values.upper(&[bound(n(), 2)]), -4);
        assert_eq!(values.lower(&[bound(n(), 2), bound(Affine::constant(5), 2)]), 3);
    }

    #[test]
    fn sampled_rows_are_those_of_all_iterations() {
        let variable = |name: &str| Affine::variable(name);
        // A pyramid, of which half is missing.
        let piece = Piece {
            shared: 0,
            leaf: StatementId(0).into(),
            guards: vec![],
            levels: vec![
                level("i", Affine::constant(0), Affine::constant(99)),
                level("j", variable("i"), Affine::constant(99)),
                level("k", variable("i") * 2, variable("i") + variable("j")),
            ],
            point: vec![],
            slacks: vec![],
            parts: vec![],
        };
        let costs = Costs {
            row: |length: u64| [1.0, length as f64],
            around: |[rows, points]: [f64; 2], count: f64| {
                assert_eq!(rows, count);
                [rows + 7.0, points]
            },
        };
        let sums = |budget: f64| rows(&piece, &mut Values::new(&BTreeMap::new()), budget, &costs);
        let (mut wanted, mut loops) = ([0.0, 0.0], 0.0);
        for i in 0..100 {
            loops += 1.0;
            for j in i..100 {
                wanted[0] += 1.0;
                wanted[1] += f64::from(j - i + 1);
            }
        }
        wanted[0] += 7.0 * loops;
        assert_eq!(sums(1e6), wanted);
        let sampled = sums(100.0);
        let is_near = |(a, b): (&f64, &f64)| (a / b - 1.0).abs() < 0.02;
        assert!(sampled.iter().zip(&wanted).all(is_near), "{sampled:?} for {wanted:?}");
        assert_ne!(sampled, wanted);
    }

    #[test]
    fn points_that_are_spread_stand_for_all() {
        let (constant, variable) = (Affine::constant, |name: &str| Affine::variable(name));
        // A pyramid without its end.
        let piece = Piece {
            shared: 0,
            leaf: StatementId(0).into(),
            guards: vec![constant(90) - variable("i")],
            levels: vec![
                level("i", constant(0), constant(99)),
                level("j", variable("i"), constant(199)),
                level("k", constant(0), constant(29)),
            ],
            point: vec![],
            slacks: vec![],
            parts: vec![],
        };
        let look = |wanted: f64| {
            let (mut looked_at, mut weighed) = (0, 0.0);
            let mut values = Values::new(&BTreeMap::new());
            let all = spread(&piece, &mut values, wanted, &mut |values, times| {
                looked_at += 1;
                weighed += times * values.evaluate(&(Affine::variable("j") - Affine::variable("i"))) as f64;
            });
            assert!(values.stack.is_empty());
            (looked_at, all, weighed)
        };
        let (mut count, mut sum) = (0, 0.0);
        visit(&piece, &mut Values::new(&BTreeMap::new()), |values| {
            count += 1;
            sum += values.evaluate(&(Affine::variable("j") - Affine::variable("i"))) as f64;
        });
        assert_eq!(look(1e9), (count, count as f64, sum));
        let (looked_at, all, weighed) = look(1000.0);
        assert!((500..2000).contains(&looked_at), "{looked_at}");
        let is_near = |a: f64, b: f64| (a / b - 1.0).abs() < 0.05;
        assert!(is_near(all, count as f64) && is_near(weighed, sum), "{all} of {count}, {weighed} of {sum}");
    }

    #[test]
    fn pieces_that_share_a_loop_take_turns_in_it() {
        let level = |name: &str, last: i64| Level {
            name: name.into(),
            lower: vec![Bound { numerator: Affine::constant(0), divisor: 1 }],
            upper: vec![Bound { numerator: Affine::constant(last), divisor: 1 }],
            range: (0, last),
        };
        let piece = |leaf, shared, inner: &str, guards: Vec<Affine>| Piece {
            shared,
            leaf: StatementId(leaf).into(),
            guards,
            levels: vec![level("i", 1), level(inner, 1)],
            point: vec![Affine::variable("i"), Affine::variable(inner)],
            slacks: vec![],
            parts: vec![],
        };
        // The second runs where i is 1 only, the third in a loop of its own.
        let second = piece(1, 1, "k", vec![Affine::variable("i") - Affine::constant(1)]);
        let pieces = [piece(0, 0, "j", vec![]), second, piece(2, 0, "j", vec![])];
        let mut values = Values::new(&BTreeMap::new());
        let mut seen = vec![];
        let act = |piece: &Piece, values: &mut Values| {
            let point: Vec<i64> = piece.point.iter().map(|p| values.evaluate(p)).collect();
            seen.push((piece.leaf.statement().0, point[0], point[1]));
            if seen.len() < 8 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        assert!(in_order(&pieces, &mut values, act).is_break());
        let expected = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 1, 0), (1, 1, 1), (2, 0, 0), (2, 0, 1)];
        assert_eq!(seen, expected);
        assert!(values.stack.is_empty());
    }
}
