//! The cycles of a band in lanes: a few stretches of a tile are walked in their order, and each group of lanes starts when the words
//! that it reads are there. Values that pass through several statements are waited for in each, which no cost of an order by pairs
//! of instances sees.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;

use super::ROW;
use crate::affine::Affine;
use crate::ids::{ArrayId, ByStatement, StatementId};
use crate::offload::{Band, Bound, Offload, Piece, port_references};
use crate::source::kernel::Access;
use crate::tiling::Waits;
use crate::walk::{self, Values, Visitor, Which};

/// Tiles of a band of which stretches are walked.
pub const TILES: u64 = 16;

/// Tiles of which the outermost loop is looked at in several places each.
const FEW: u64 = 5;

/// Groups of a stretch.
const GROUPS: usize = 400;

/// Where stretches begin in an outermost loop that is too long to walk, in sevenths of it: of the only tile, of few, and of many as in
/// loops inside.
const SEVENTHS: [i64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
const OF_FEW: [i64; 3] = [0, 4, 7];
const IN_THE_MIDDLE: [i64; 1] = [4];

/// Rows that the scanner may be ahead.
const ROWS_AHEAD: usize = 4;

/// Loops that are looked at to count iterations.
const STEPS: u64 = 100_000;

/// Cycles and groups of tiles.
#[derive(Clone, Copy, Default)]
pub struct Pace {
    cycles: f64,
    groups: f64,
}

impl Pace {
    /// Cycles from group to group.
    pub fn per_group(self) -> Option<f64> {
        (self.groups > 0.0).then(|| self.cycles / self.groups)
    }

    /// Adds the tile whose indices have values, one of so many of its band; `None` where that takes too many steps.
    pub fn add(&mut self, paced: &Paced, values: &mut Values, tiles: u64) -> Option<()> {
        let sevenths = match tiles {
            1 => &SEVENTHS[..],
            2..FEW => &OF_FEW,
            _ => &IN_THE_MIDDLE,
        };
        let place = values.stack.len();
        let own = paced.inside(&paced.band.compute.scan.pieces, 0, values, sevenths);
        values.stack.truncate(place);
        let own = own?;
        self.cycles += own.cycles;
        self.groups += own.groups;
        Some(())
    }
}

/// A reference in lanes.
struct Reference<'a> {
    access: &'a Access,
    /// Along each subscript, the least and the largest distance of what a lane accesses from what lane 0 does.
    spans: Vec<(i64, i64)>,
}

/// A statement of the band.
struct Own<'a> {
    reads: Vec<Reference<'a>>,
    writes: Vec<Reference<'a>>,
    waits: Waits,
}

/// What the statements of a band wait for.
pub struct Paced<'a> {
    offload: &'a Offload,
    band: &'a Band,
    iterators: ByStatement<Vec<String>>,
    statements: BTreeMap<StatementId, Own<'a>>,
    /// The arrays that lanes write.
    in_lanes: BTreeSet<ArrayId>,
    /// The longest that one of them waits for another.
    longest: f64,
}

impl<'a> Paced<'a> {
    pub fn new(offload: &'a Offload, band: &'a Band) -> Paced<'a> {
        let kernel = &offload.kernel;
        let (all, iterators) = (kernel.statements(), kernel.iterators());
        let reference = |s: StatementId, access: &'a Access| {
            let span = |subscript: &Affine| {
                let Some(shape) = offload.lanes(s) else { return (0, 0) };
                let gains = shape.counts().into_iter().zip(shape.gain(subscript, &iterators[s]));
                let ends: Vec<i64> = gains.map(|(count, gain)| (count - 1) * gain).collect();
                (ends.iter().map(|end| *end.min(&0)).sum(), ends.iter().map(|end| *end.max(&0)).sum())
            };
            Reference { access, spans: access.subscripts.iter().map(span).collect() }
        };
        let mut statements = BTreeMap::new();
        for &s in &band.statements {
            let reads = port_references(kernel, &offload.windows, s).into_iter();
            let reads = reads.map(|access| reference(s, access)).collect();
            let writes = all[s].targets().map(|access| reference(s, access)).collect();
            let waits = Waits::new(kernel, all[s], offload.lanes(s).is_some());
            statements.insert(s, Own { reads, writes, waits });
        }
        let longest = statements.values().map(|own: &Own| own.waits.latency).fold(0.0, f64::max);
        let targets = |s: StatementId| all[s].targets().map(|target| target.array);
        let in_lanes = all.keys().filter(|s| offload.lanes(*s).is_some()).flat_map(targets).collect();
        Paced { offload, band, iterators, statements, in_lanes, longest }
    }

    /// Pieces that share their first `depth` loops, which have values: loops one after the other, of which the first of each that is too
    /// long is looked at in so many sevenths of it.
    fn inside(&self, pieces: &[Piece], depth: usize, values: &mut Values, sevenths: &[i64]) -> Option<Pace> {
        let mut all = Pace::default();
        let has_others = walk::by_loop(pieces, depth).count() > 1;
        for pieces in walk::by_loop(pieces, depth) {
            let own = self.along(pieces, depth, values, sevenths)?;
            // What comes behind a loop mostly waits for the last value.
            let last = &self.statements[&pieces[pieces.len() - 1].leaf.statement()].waits;
            let waits = if has_others && own.groups > 0.0 { last.latency } else { 0.0 };
            all.cycles += own.cycles + waits;
            all.groups += own.groups;
        }
        Some(all)
    }

    /// The same of one loop.
    fn along(&self, pieces: &[Piece], depth: usize, values: &mut Values, sevenths: &[i64]) -> Option<Pace> {
        let groups = count(pieces, values)?;
        let Some(level) = pieces[0].levels.get(depth) else { return Some(Pace { cycles: groups, groups }) };
        let (low, high) = values.interval(level);
        if groups <= GROUPS as f64 {
            let cycles = self.stretch(pieces, depth, low, values).cycles();
            return Some(Pace { cycles, groups });
        }
        let (mut cycles, mut beside) = (0.0, 0.0);
        let mut known = None;
        for seventh in sevenths {
            let first = low + (high - low) * seventh / SEVENTHS[SEVENTHS.len() - 1];
            if known.replace(first) == Some(first) {
                continue;
            }
            let place = values.stack.len();
            values.stack.push((level.name.clone(), first));
            let one = count(&at(pieces, &level.name, first), values);
            // Either some iterations of the loop, or what is in one.
            let pace = match one? {
                one if 2.0 * one <= GROUPS as f64 || depth + 1 == pieces[0].levels.len() => {
                    values.stack.truncate(place);
                    let pace = self.stretch(pieces, depth, first, values).pace();
                    pace.map(|pace| Pace { cycles: pace * one, groups: one }).unwrap_or_default()
                }
                _ => self.inside(pieces, depth + 1, values, &IN_THE_MIDDLE)?,
            };
            values.stack.truncate(place);
            cycles += pace.cycles;
            beside += pace.groups;
        }
        let pace = if beside > 0.0 { cycles / beside } else { 1.0 };
        Some(Pace { cycles: pace * groups, groups })
    }

    /// The first groups from a value of the loop at `depth` on.
    fn stretch<'p>(&'p self, pieces: &[Piece], depth: usize, first: i64, values: &mut Values) -> Stretch<'p, 'a> {
        let mut stretch = Stretch::new(self, depth, first);
        let _ = walk::inside(pieces, depth, values, &mut stretch);
        stretch
    }

    /// The cells along each subscript that a group accesses, whose iterators have values; lanes that do not run are waited for, too.
    fn touched(&self, reference: &Reference, values: &Values) -> Vec<(i64, i64)> {
        let along = |(subscript, span): (&Affine, &(i64, i64))| {
            let at = values.evaluate(subscript);
            (at + span.0, at + span.1)
        };
        reference.access.subscripts.iter().zip(&reference.spans).map(along).collect()
    }

    /// Cycles from the start of an instance to that of one of `reader` that sees what it wrote to the array.
    fn waits(&self, writer: StatementId, reader: StatementId, array: ArrayId) -> f64 {
        let waits = &self.statements[&writer].waits;
        let late = if self.in_lanes.contains(&array) { &waits.late_in_lanes } else { &waits.late };
        late.get(&array).filter(|_| writer == reader).copied().unwrap_or(waits.latency)
    }
}

/// A write under way: from the first to the last cell along each subscript.
struct Write {
    array: ArrayId,
    cells: Vec<(i64, i64)>,
    start: f64,
    statement: StatementId,
}

/// The points of pieces inside the loops that have values.
fn count(pieces: &[Piece], values: &mut Values) -> Option<f64> {
    let mut steps = STEPS;
    pieces.iter().map(|piece| walk::count(piece, values, &mut steps).map(|count| count as f64)).sum()
}

/// The pieces with one value of a loop that they share.
fn at(pieces: &[Piece], name: &str, value: i64) -> Vec<Piece> {
    let bound = || vec![Bound { numerator: Affine::constant(value), divisor: 1 }];
    let mut pieces = pieces.to_vec();
    for level in pieces.iter_mut().flat_map(|piece| &mut piece.levels).filter(|level| level.name == name) {
        (level.lower, level.upper) = (bound(), bound());
    }
    pieces
}

/// A row: its piece, and the loops around it.
type Row = (*const Piece, Vec<i64>);

/// Groups that start one after the other, from a value of a loop on.
struct Stretch<'p, 'a> {
    paced: &'p Paced<'a>,
    depth: usize,
    first: Option<i64>,
    starts: Vec<f64>,
    row: Option<Row>,
    /// When the rows began that are the last, and when the scanner had the latest.
    rows: VecDeque<f64>,
    row_there: f64,
    /// Oldest first.
    writes: VecDeque<Write>,
}

impl<'p, 'a> Stretch<'p, 'a> {
    fn new(paced: &'p Paced<'a>, depth: usize, first: i64) -> Self {
        Stretch {
            paced,
            depth,
            first: Some(first),
            starts: vec![],
            row: None,
            rows: VecDeque::new(),
            row_there: 0.0,
            writes: VecDeque::new(),
        }
    }

    /// Cycles per group; the first ones wait for nothing that was before the stretch.
    fn pace(&self) -> Option<f64> {
        let first = self.starts.len() / 8;
        let last = self.starts.len().checked_sub(1)?;
        Some(if first < last { (self.starts[last] - self.starts[first]) / (last - first) as f64 } else { 1.0 })
    }

    /// Cycles from the first group to behind the last.
    fn cycles(&self) -> f64 {
        match &self.starts[..] {
            [] => 0.0,
            [first, .., last] => last - first + 1.0,
            [_] => 1.0,
        }
    }

    /// When a group may start, as its row is there.
    fn row_of(&mut self, piece: &Piece, values: &Values) -> f64 {
        let inner = values.stack.len().saturating_sub(1);
        let outer = inner.saturating_sub(piece.levels.len().saturating_sub(1));
        let own = (std::ptr::from_ref(piece), values.stack[outer..inner].iter().map(|(_, value)| *value).collect());
        let next = self.starts.last().map_or(0.0, |last| last + 1.0);
        if self.row.as_ref() == Some(&own) {
            return next;
        }
        self.row = Some(own);
        let room = if self.rows.len() == ROWS_AHEAD { self.rows.pop_front() } else { None };
        self.row_there = room.unwrap_or(0.0).max(self.row_there + ROW as f64);
        let start = next.max(self.row_there);
        self.rows.push_back(start);
        start
    }
}

impl<'v> Visitor<'v> for Stretch<'_, '_> {
    fn enter(&mut self, _: &'v Piece, depth: usize, _: (i64, i64)) -> Which {
        if depth == self.depth { self.first.take().map_or(Which::All, Which::From) } else { Which::All }
    }

    fn point(&mut self, piece: &'v Piece, values: &mut Values) -> ControlFlow<()> {
        if self.starts.len() == GROUPS {
            return ControlFlow::Break(());
        }
        let mut start = self.row_of(piece, values);
        let paced = self.paced;
        let number = piece.leaf.statement();
        let Some(own) = paced.statements.get(&number) else { return ControlFlow::Continue(()) };
        let place = values.stack.len();
        values.enter_instance(&paced.offload.kernel, &paced.iterators[number], &piece.point);
        while self.writes.front().is_some_and(|write| write.start + paced.longest <= start) {
            self.writes.pop_front();
        }
        for read in &own.reads {
            let (array, cells) = (read.access.array, paced.touched(read, values));
            let meets = |write: &&Write| {
                let mut both = write.cells.iter().zip(&cells);
                write.array == array && both.all(|(one, other)| one.0 <= other.1 && other.0 <= one.1)
            };
            let due = |write: &Write| write.start + paced.waits(write.statement, number, array);
            start = self.writes.iter().filter(meets).map(due).fold(start, f64::max);
        }
        for write in &own.writes {
            let (array, cells) = (write.access.array, paced.touched(write, values));
            self.writes.push_back(Write { array, cells, start, statement: number });
        }
        values.stack.truncate(place);
        self.starts.push(start);
        ControlFlow::Continue(())
    }
}
