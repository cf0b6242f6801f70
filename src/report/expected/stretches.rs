//! The cycles of a band: a few stretches of a tile are walked in their order, and each group of lanes, or iteration, starts when the words
//! that it reads are there. Values that pass through several statements are waited for in each, which no cost of an order by pairs
//! of instances sees.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;

use crate::affine::Affine;
use crate::ids::{ArrayId, ByStatement, StatementId};
use crate::offload::{Band, Offload, Piece, port_references};
use crate::source::kernel::{Access, Gather};
use crate::tiling::Waits;
use crate::walk::{self, Scanned, Values, Visitor, Which};

/// Tiles of a band of which stretches are walked.
pub const TILES: u64 = 16;

/// Tiles of which the outermost loop is looked at in several places each.
const FEW: u64 = 5;

/// Groups of a stretch in lanes, and iterations in one lane: where a few wait long, as the last rows of a triangle do, a tile is walked as a whole.
const GROUPS: usize = 400;
const SINGLE: usize = 2_000;

/// A stretch of no more groups has no pace.
const TELLING: usize = 8;

/// Groups at the end of a loop, and of the next one, between which there may be a wait.
const BEHIND: usize = 64;

/// Where stretches begin in an outermost loop that is too long to walk, in sevenths of it: of the only tile, of few, and of many as in
/// loops inside.
const SEVENTHS: [i64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
const OF_FEW: [i64; 3] = [0, 4, 7];
const IN_THE_MIDDLE: [i64; 1] = [4];

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

/// A reference, of one lane or of all.
struct Reference {
    array: ArrayId,
    /// Of lane 0; where data tell a subscript, 0.
    subscripts: Vec<Affine>,
    /// Along each subscript, the least and the largest distance of what a lane accesses from what lane 0 does.
    spans: Vec<(i64, i64)>,
    /// Cycles from instance to instance of its statement, where one reads what the one before writes.
    update: f64,
}

/// The cells that data may tell.
const ANY: (i64, i64) = (i64::MIN / 4, i64::MAX / 4);

/// A statement of the band.
struct Own {
    reads: Vec<Reference>,
    writes: Vec<Reference>,
    /// Cycles from reading a buffer to the next read that sees the result.
    latency: f64,
}

/// What the statements of a band wait for.
pub struct Paced<'a> {
    offload: &'a Offload,
    band: &'a Band,
    iterators: ByStatement<Vec<String>>,
    statements: BTreeMap<StatementId, Own>,
    /// The longest that one of them waits for another.
    longest: f64,
}

impl<'a> Paced<'a> {
    pub fn new(offload: &'a Offload, band: &'a Band) -> Paced<'a> {
        let kernel = &offload.kernel;
        let (all, iterators) = (kernel.statements(), kernel.iterators());
        let waits = |s: StatementId| Waits::new(kernel, all[s], offload.lanes(s).is_some());
        let targets = |s: StatementId| all[s].targets().map(|target| target.array);
        let in_lanes: BTreeSet<ArrayId> =
            all.keys().filter(|s| offload.lanes(*s).is_some()).flat_map(targets).collect();
        let reference = |s: StatementId, access: &Access, waits: &Waits| {
            let span = |subscript: &Affine| {
                let Some(shape) = offload.lanes(s) else { return (0, 0) };
                let gains = shape.counts().into_iter().zip(shape.gain(subscript, &iterators[s]));
                let ends: Vec<i64> = gains.map(|(count, gain)| (count - 1) * gain).collect();
                (ends.iter().map(|end| *end.min(&0)).sum(), ends.iter().map(|end| *end.max(&0)).sum())
            };
            let update = waits.update(all[s], access, in_lanes.contains(&access.array));
            let spans = access.subscripts.iter().map(span).collect();
            Reference { array: access.array, subscripts: access.subscripts.clone(), spans, update }
        };
        let told_by_data = |s: StatementId, place: &Gather, waits: &Waits| {
            let known = (0..place.subscripts.len()).map(|subscript| place.known(subscript));
            let (subscripts, spans) =
                known.map(|known| known.map_or((Affine::default(), ANY), |known| (known, (0, 0)))).unzip();
            let updates = all[s].scatter().is_some_and(|own| own.is_same(place));
            let update = waits.late.get(&place.array).filter(|_| updates).copied().unwrap_or(waits.latency);
            Reference { array: place.array, subscripts, spans, update }
        };
        let mut statements = BTreeMap::new();
        for &s in &band.statements {
            let waits = waits(s);
            let reads = port_references(kernel, &offload.windows, s).into_iter();
            let gathers = all[s].gathers().into_iter().map(|place| told_by_data(s, place, &waits));
            let reads = reads.map(|access| reference(s, access, &waits)).chain(gathers).collect();
            let writes = match all[s].scatter() {
                Some(place) => vec![told_by_data(s, place, &waits)],
                None => all[s].targets().map(|access| reference(s, access, &waits)).collect(),
            };
            statements.insert(s, Own { reads, writes, latency: waits.latency });
        }
        let longest = statements.values().map(|own: &Own| own.latency).fold(0.0, f64::max);
        Paced { offload, band, iterators, statements, longest }
    }

    /// Pieces that share their first `depth` loops, which have values: loops one after the other, of which the first of each that is too
    /// long is looked at in so many sevenths of it.
    fn inside(&self, pieces: &[Piece], depth: usize, values: &mut Values, sevenths: &[i64]) -> Option<Pace> {
        let mut all = Pace::default();
        let mut before: Option<&[Piece]> = None;
        for pieces in walk::by_loop(pieces, depth) {
            let own = self.along(pieces, depth, values, sevenths)?;
            if own.groups == 0.0 {
                continue;
            }
            let waits = before.replace(pieces).map_or(0.0, |before| self.between(before, pieces, depth, 0, values));
            all.cycles += own.cycles + waits;
            all.groups += own.groups;
        }
        // The loop around them goes on, or the next tile begins.
        if let Some(before) = before {
            all.cycles += self.between(before, pieces, depth, 1, values);
        }
        Some(all)
    }

    /// Cycles that the first groups of `after` wait for the last ones of the loop `before`, both inside of `depth` loops, of which
    /// the innermost, or the last index of the tile, has gone on by so much in between.
    fn between(&self, before: &[Piece], after: &[Piece], depth: usize, on: i64, values: &mut Values) -> f64 {
        let mut both = Stretch::new(self, Part::Last);
        let _ = walk::inside(before, depth, values, &mut both);
        let Some(last) = both.starts.last().copied() else { return 0.0 };
        both.part = Part::First { left: BEHIND };
        let mut alone = Stretch::new(self, both.part);
        let step =
            |values: &mut Values, on: i64| values.stack.last_mut().into_iter().for_each(|(_, value)| *value += on);
        step(values, on);
        let _ = walk::inside(after, depth, values, &mut both);
        let _ = walk::inside(after, depth, values, &mut alone);
        step(values, -on);
        let end = both.starts.last().copied().unwrap_or(last);
        (end - last - alone.cycles()).max(0.0)
    }

    /// The same of one loop.
    fn along(&self, pieces: &[Piece], depth: usize, values: &mut Values, sevenths: &[i64]) -> Option<Pace> {
        let groups = count(pieces, depth, values)?;
        let Some(level) = pieces[0].levels.get(depth) else { return Some(Pace { cycles: groups, groups }) };
        let (low, high) = values.interval(level);
        let most = self.most() as f64;
        if groups <= most {
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
            let one = count(pieces, depth + 1, values);
            // Either some iterations of the loop, or what is in one.
            let pace = match one? {
                one if 2.0 * one <= most || depth + 1 == pieces[0].levels.len() => {
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
        let mut stretch = Stretch::new(self, Part::From { depth, first, left: self.most() });
        let _ = walk::inside(pieces, depth, values, &mut stretch);
        stretch
    }

    fn most(&self) -> usize {
        if self.band.compute.lanes.is_some() { GROUPS } else { SINGLE }
    }

    /// The cells along each subscript that a group accesses, whose iterators have values; lanes that do not run are waited for, too.
    fn touched(&self, reference: &Reference, values: &Values) -> Vec<(i64, i64)> {
        let along = |(subscript, span): (&Affine, &(i64, i64))| {
            let at = values.evaluate(subscript);
            (at + span.0, at + span.1)
        };
        reference.subscripts.iter().zip(&reference.spans).map(along).collect()
    }
}

/// A write under way: from the first to the last cell along each subscript.
struct Write {
    array: ArrayId,
    cells: Vec<(i64, i64)>,
    start: f64,
    statement: StatementId,
}

/// The points of pieces inside their first `depth` loops, which have values.
fn count(pieces: &[Piece], depth: usize, values: &mut Values) -> Option<f64> {
    let mut steps = STEPS;
    pieces.iter().map(|piece| walk::count_inside(piece, depth, values, &mut steps).map(|count| count as f64)).sum()
}

/// A row: its piece, and the loops around it.
type Row = (*const Piece, Vec<i64>);

/// The groups of a stretch.
#[derive(Clone, Copy)]
enum Part {
    /// So many, from a value of the loop at a depth on.
    From { depth: usize, first: i64, left: usize },
    /// So many, the first ones.
    First { left: usize },
    /// The last ones of the last row.
    Last,
}

/// Groups that start one after the other.
struct Stretch<'p, 'a> {
    paced: &'p Paced<'a>,
    part: Part,
    starts: Vec<f64>,
    row: Option<Row>,
    rows: Scanned,
    /// Oldest first.
    writes: VecDeque<Write>,
}

impl<'p, 'a> Stretch<'p, 'a> {
    fn new(paced: &'p Paced<'a>, part: Part) -> Self {
        Stretch { paced, part, starts: vec![], row: None, rows: Scanned::default(), writes: VecDeque::new() }
    }

    /// Cycles per group; the first ones wait for nothing that was before the stretch, so that a few tell nothing.
    fn pace(&self) -> Option<f64> {
        let first = self.starts.len() / 8;
        let last = self.starts.len().checked_sub(1).filter(|last| *last >= TELLING)?;
        Some((self.starts[last] - self.starts[first]) / (last - first) as f64)
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
        let pieces = &self.paced.band.compute.scan.pieces;
        let place = |piece: *const Piece| pieces.iter().position(|own| std::ptr::eq(own, piece)).unwrap_or(0);
        // Of several pieces in the loop around rows the first one opens it.
        let shares = |piece: &Piece| piece.shared + 1 >= piece.levels.len();
        let is_opened = |before: &Row| {
            let goes_on = || pieces[place(own.0)..=place(before.0)].iter().skip(1).all(shares);
            let is_next = before.0 >= own.0 && before.1.len() == own.1.len() && goes_on();
            !is_next || before.1.split_last().map(|(_, outer)| outer) != own.1.split_last().map(|(_, outer)| outer)
        };
        let is_opened = |before: &Row| !shares(piece) && piece.levels.len() > 1 && is_opened(before);
        let opens = self.row.as_ref().is_none_or(is_opened);
        self.row = Some(own);
        self.rows.begin(opens, next as u64) as f64
    }
}

impl<'v> Visitor<'v> for Stretch<'_, '_> {
    fn enter(&mut self, piece: &'v Piece, depth: usize, (_, high): (i64, i64)) -> Which {
        match self.part {
            Part::From { depth: own, first, left } if own == depth => {
                self.part = Part::First { left };
                Which::From(first)
            }
            Part::From { .. } | Part::First { .. } => Which::All,
            Part::Last if depth + 1 == piece.levels.len() => Which::From(high.saturating_sub(BEHIND as i64)),
            Part::Last => Which::From(high),
        }
    }

    fn point(&mut self, piece: &'v Piece, values: &mut Values) -> ControlFlow<()> {
        if let Part::From { left, .. } | Part::First { left } = &mut self.part {
            match left.checked_sub(1) {
                Some(less) => *left = less,
                None => return ControlFlow::Break(()),
            }
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
            let (array, cells) = (read.array, paced.touched(read, values));
            let meets = |write: &&Write| {
                let mut both = write.cells.iter().zip(&cells);
                write.array == array && both.all(|(one, other)| one.0 <= other.1 && other.0 <= one.1)
            };
            let due = |write: &Write| {
                let own = &paced.statements[&write.statement];
                write.start + if write.statement == number { read.update } else { own.latency }
            };
            start = self.writes.iter().filter(meets).map(due).fold(start, f64::max);
        }
        for write in &own.writes {
            let (array, cells) = (write.array, paced.touched(write, values));
            self.writes.push_back(Write { array, cells, start, statement: number });
        }
        values.stack.truncate(place);
        self.starts.push(start);
        ControlFlow::Continue(())
    }
}
