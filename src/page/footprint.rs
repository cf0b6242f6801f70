//! What one tile has of the arrays: the cells that it touches, in the order in which the hardware does.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::order::Rows;
use crate::affine::Affine;
use crate::ids::{ArrayId, BandId, ByArray, StatementId};
use crate::offload::{LaneShape, Offload, Piece, Scan, Transfer};
use crate::source::kernel::{Access, Kernel, Statement};
use crate::walk::{self, Values, Visitor, Which, visit};

/// Cells of an array beyond which nobody follows them one by one.
const CELLS: u64 = 1 << 23;

/// How a tile came to a cell first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    Not,
    Read,
    Write,
}

/// An array with the places of the cells in Load(T), and in Store(T).
pub type Moved = (ArrayId, Vec<usize>, Vec<usize>);

/// The cells of an array as rows of its last subscript, as C has them.
#[derive(Clone, Debug)]
pub struct Shape {
    pub extents: Vec<i64>,
    /// Of an array aslant: what its last subscript has over C's, per row and in the first one.
    pub slant: Option<[i64; 2]>,
    pub rows: i64,
    pub columns: i64,
}

impl Shape {
    pub fn of(kernel: &Kernel, array: ArrayId, sizes: &BTreeMap<String, i64>) -> Shape {
        let value = |extent: &Affine| extent.evaluate(|name| sizes.get(name).copied().unwrap_or(0)).max(0);
        let mut extents: Vec<i64> = kernel.arrays[array].extents.iter().map(value).collect();
        let slant = kernel.arrays[array].slant.as_ref().map(|slant| {
            let reach = value(&slant.reach);
            extents.iter_mut().last().into_iter().for_each(|last| *last = (*last - reach).max(0));
            [slant.step, if slant.step < 0 { reach } else { 0 }]
        });
        let (columns, outer) = extents.split_last().map_or((1, &[][..]), |(last, outer)| (*last, outer));
        let rows = outer.iter().fold(1i64, |product, extent| product.saturating_mul(*extent));
        Shape { rows, columns, extents, slant }
    }

    /// Whether there is bookkeeping for every cell.
    pub fn fits(&self) -> bool {
        self.rows.saturating_mul(self.columns).unsigned_abs() <= CELLS
    }

    /// Of a shape that fits.
    pub fn cells(&self) -> usize {
        (self.rows * self.columns).max(0) as usize
    }

    /// The subscripts that the accelerator has for the cell at a place.
    pub fn subscripts(&self, place: usize) -> Vec<i64> {
        let mut rest = place as i64;
        let mut found: Vec<i64> = self
            .extents
            .iter()
            .rev()
            .map(|extent| {
                let own = rest % extent.max(&1);
                rest /= extent.max(&1);
                own
            })
            .collect();
        found.reverse();
        if let (Some([step, first]), [.., row, column]) = (self.slant, &mut found[..]) {
            *column += step * *row + first;
        }
        found
    }

    /// The place of a cell with these subscripts of the accelerator, counted row by row.
    fn place(&self, subscripts: impl Iterator<Item = i64>) -> Option<usize> {
        let (mut place, mut row) = (0, 0);
        for (k, (own, extent)) in subscripts.zip(&self.extents).enumerate() {
            let upright = |[step, first]: [i64; 2]| own - step * row - first;
            let is_last = k + 1 == self.extents.len();
            let subscript = self.slant.filter(|_| is_last).map_or(own, upright);
            row = own;
            if subscript < 0 || subscript >= *extent {
                return None;
            }
            place = place * extent + subscript;
        }
        usize::try_from(place).ok()
    }
}

/// The cells of one array in one tile, as places row by row in ascending order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    pub loaded: Vec<usize>,
    pub stored: Vec<usize>,
    /// Everything that an iteration reads or writes; `None` where nobody followed the iterations.
    pub touched: Option<Vec<usize>>,
    /// Read before they are written, and not loaded: they are on chip since an earlier tile of the strip.
    pub reused: Option<Vec<usize>>,
}

/// What one tile does.
#[derive(Clone, Debug, Default)]
pub struct TileCells {
    pub iterations: Option<u64>,
    /// Of the arrays that the tile transfers.
    pub arrays: BTreeMap<ArrayId, Cells>,
    /// What iterations touch of arrays that no tile of the band moves.
    pub kept: BTreeMap<ArrayId, Vec<usize>>,
    /// Its iterations in their order, where somebody followed them.
    pub rows: Option<Rows>,
}

/// Someone who sees what a tile's iterations do, in the order of their dates: the date of an iteration is the number of those
/// that started before it, and lanes that run together have one.
pub trait Sees {
    /// Instances of a statement one after the other, `trips` of them from `date` on: the first has the iterators `begin`, each next
    /// one `step` more.
    fn row(&mut self, _statement: StatementId, _date: u64, _trips: i64, _begin: &[i64], _step: &[i64]) {}

    /// A cell is read or written. What runs together reads before it writes.
    fn access(&mut self, array: ArrayId, place: usize, writes: bool, date: u64);
}

/// What a walk along a tile's iterations counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub iterations: u64,
    /// Starts: as many as iterations, but where lanes run together.
    pub dates: u64,
}

/// Follows tiles, as far as `steps` go.
pub struct Follower<'a> {
    offload: &'a Offload,
    values: Values,
    pub shapes: ByArray<Shape>,
    /// Places and iterations that may still be looked at.
    steps: u64,
}

impl<'a> Follower<'a> {
    pub fn new(offload: &'a Offload, sizes: &BTreeMap<String, i64>, steps: u64) -> Self {
        let shapes = offload.kernel.arrays.keys().map(|array| Shape::of(&offload.kernel, array, sizes)).collect();
        Follower { offload, values: Values::new(sizes), shapes, steps }
    }

    /// Whether subscripts can be evaluated from iterators alone, whatever the data.
    pub fn follows(kernel: &Kernel) -> bool {
        let by_data = |statement: &&Statement| {
            statement.depends_on_data() || statement.accesses().any(|access| access.guard.is_some())
        };
        kernel.quotients.is_empty() && !kernel.statements().iter().any(by_data)
    }

    /// The cells of the tile `index` of a band; `None` where the steps are used up.
    pub fn tile(&mut self, band: BandId, index: &[i64]) -> Option<TileCells> {
        let offload = self.offload;
        let mut tile = TileCells::default();
        for (array, loaded, stored) in self.transfers(band, index)? {
            tile.arrays.insert(array, Cells { loaded, stored, ..Cells::default() });
        }
        let fits = |array: &ArrayId| self.shapes[*array].fits();
        if Follower::follows(&offload.kernel) && tile.arrays.keys().all(fits) {
            let own =
                offload.buffers.iter().filter(|buffer| buffer.mappings[band].is_some()).map(|buffer| buffer.array);
            let cells = |array: ArrayId| (array, vec![First::Not; self.shapes[array].cells()]);
            let first = own.filter(fits).map(cells).collect();
            let mut touches = Touches { first, rows: Rows::default() };
            if let Some(counted) = self.walk(band, index, &mut touches) {
                touches.told(counted, &mut tile);
            }
        }
        Some(tile)
    }

    /// What a tile transfers; `None` where the steps are used up.
    pub fn transfers(&mut self, band: BandId, index: &[i64]) -> Option<Vec<Moved>> {
        let offload = self.offload;
        let place = self.values.enter_tile(&offload.kernel, index);
        let of = |transfer: &Transfer| {
            let load = self.transferred(transfer.array, &transfer.load)?;
            Some((transfer.array, load, self.transferred(transfer.array, &transfer.store)?))
        };
        let found = offload.bands[band].transfers.iter().map(of).collect();
        self.values.stack.truncate(place);
        found
    }

    /// The cells of Load(T) or Store(T).
    fn transferred(&mut self, array: ArrayId, scan: &Scan) -> Option<Vec<usize>> {
        let mut places = vec![];
        for piece in &scan.pieces {
            let points = walk::count(piece, &mut self.values, &mut self.steps)?;
            self.steps = self.steps.checked_sub(points)?;
            let shape = &self.shapes[array];
            visit(piece, &mut self.values, |values| {
                places.extend(shape.place(piece.point.iter().map(|subscript| values.evaluate(subscript))));
            });
        }
        places.sort_unstable();
        places.dedup();
        Some(places)
    }

    /// Walks a tile's iterations; `None` where the steps are used up, behind some of them.
    pub fn walk(&mut self, band: BandId, index: &[i64], seen: &mut impl Sees) -> Option<Counted> {
        let kernel = &self.offload.kernel;
        let place = self.values.enter_tile(kernel, index);
        let mut walker = Walker {
            offload: self.offload,
            shapes: &self.shapes,
            statements: kernel.statements().iter().map(|s| Accesses::of(s)).collect(),
            iterators: kernel.iterators().into_iter().collect(),
            seen,
            open: vec![],
            row: None,
            steps: self.steps,
            counted: Counted::default(),
        };
        let pieces = &self.offload.bands[band].compute.scan.pieces;
        walker.open = pieces.windows(2).filter(|two| two[1].shared >= two[0].levels.len()).map(|two| &two[0]).collect();
        let outcome = walk::walk(pieces, &mut self.values, &mut walker);
        let counted = walker.counted;
        self.steps = walker.steps;
        self.values.stack.truncate(place);
        outcome.is_continue().then_some(counted)
    }
}

/// How a tile comes to its cells.
struct Touches {
    first: BTreeMap<ArrayId, Vec<First>>,
    rows: Rows,
}

impl Sees for Touches {
    fn row(&mut self, statement: StatementId, date: u64, trips: i64, begin: &[i64], step: &[i64]) {
        self.rows.add(statement, date, trips, begin, step);
    }

    fn access(&mut self, array: ArrayId, place: usize, writes: bool, _: u64) {
        let first = self.first.get_mut(&array).and_then(|first| first.get_mut(place));
        if let Some(first) = first.filter(|first| **first == First::Not) {
            *first = if writes { First::Write } else { First::Read };
        }
    }
}

impl Touches {
    fn told(self, counted: Counted, tile: &mut TileCells) {
        tile.iterations = Some(counted.iterations);
        let mut rows = self.rows;
        rows.dates = counted.dates;
        tile.rows = Some(rows);
        for (array, first) in self.first {
            let of = |wanted: &dyn Fn(First) -> bool| -> Vec<usize> {
                first.iter().enumerate().filter(|(_, f)| wanted(**f)).map(|(place, _)| place).collect()
            };
            let touched = of(&|first| first != First::Not);
            let Some(cells) = tile.arrays.get_mut(&array) else {
                tile.kept.insert(array, touched);
                continue;
            };
            cells.touched = Some(touched);
            let mut read = of(&|first| first == First::Read);
            read.retain(|place| cells.loaded.binary_search(place).is_err());
            cells.reused = Some(read);
        }
    }
}

/// What an instance of a statement accesses, reads first.
struct Accesses<'a> {
    reads: Vec<&'a Access>,
    writes: Vec<&'a Access>,
}

impl<'a> Accesses<'a> {
    fn of(statement: &'a Statement) -> Self {
        Accesses { reads: statement.references(), writes: statement.targets().collect() }
    }
}

/// Goes along the rows of a tile: both ends of each by their values, what is between by steps.
struct Walker<'a, 's, S> {
    offload: &'a Offload,
    shapes: &'a ByArray<Shape>,
    statements: Vec<Accesses<'a>>,
    iterators: Vec<Vec<String>>,
    seen: &'s mut S,
    /// Pieces in whose innermost loop others go on: its iterations are no row.
    open: Vec<&'a Piece>,
    /// Of the row that is open: its trips, and point and slacks at its first end.
    row: Option<(i64, Option<Ends>)>,
    steps: u64,
    counted: Counted,
}

/// Iterators and slacks of lane 0.
type Ends = (Vec<i64>, Vec<i64>);

impl<'a, S: Sees> Visitor<'a> for Walker<'a, '_, S> {
    fn enter(&mut self, piece: &'a Piece, depth: usize, (low, high): (i64, i64)) -> Which {
        let is_row = depth + 1 == piece.levels.len() && !self.open.iter().any(|open| std::ptr::eq(*open, piece));
        self.row = is_row.then_some((high - low + 1, None));
        if is_row { Which::Ends } else { Which::All }
    }

    fn leave(&mut self) {
        self.row = None;
    }

    fn point(&mut self, piece: &'a Piece, values: &mut Values) -> ControlFlow<()> {
        let all = |of: &[Affine]| -> Vec<i64> { of.iter().map(|value| values.evaluate(value)).collect() };
        let here = (all(&piece.point), all(&piece.slacks));
        match self.row.take() {
            Some((trips, None)) if trips > 1 => {
                self.row = Some((trips, Some(here)));
                ControlFlow::Continue(())
            }
            Some((trips, Some(begin))) => self.along(piece, begin, &here, trips, values),
            _ => self.along(piece, here.clone(), &here, 1, values),
        }
    }
}

impl<S: Sees> Walker<'_, '_, S> {
    /// The iterations of a row from `begin` to `end`, both included.
    fn along(&mut self, piece: &Piece, begin: Ends, end: &Ends, trips: i64, values: &Values) -> ControlFlow<()> {
        let step = |from: &[i64], to: &[i64]| -> Vec<i64> {
            from.iter().zip(to).map(|(from, to)| (to - from) / (trips - 1).max(1)).collect()
        };
        let (step, slack_step) = (step(&begin.0, &end.0), step(&begin.1, &end.1));
        let statement = piece.leaf.statement();
        let at = |k: i64, from: &[i64], step: &[i64]| -> Vec<i64> {
            from.iter().zip(step).map(|(from, step)| from + k * step).collect()
        };
        let lanes = self.offload.lanes(statement);
        let date = self.counted.dates;
        // Per lane, the trips in which it runs: they are next to one another, as slacks are affine.
        let mut runs: Vec<Option<(i64, i64)>> = vec![None; lanes.map_or(1, |shape| shape.count as usize)];
        for k in 0..trips {
            let (first, slacks) = (at(k, &begin.0, &step), at(k, &begin.1, &slack_step));
            let Some(left) = self.steps.checked_sub(1) else { return ControlFlow::Break(()) };
            self.steps = left;
            let own: Vec<(usize, Vec<i64>)> = match lanes {
                None => vec![(0, first)],
                Some(shape) => own(shape, &first, &slacks),
            };
            for (lane, _) in &own {
                runs[*lane] = Some(runs[*lane].map_or((k, 1), |(begin, trips)| (begin, trips + 1)));
            }
            self.instances(statement, &own, values);
        }
        for (lane, run) in runs.iter().enumerate() {
            let Some((first, trips)) = *run else { continue };
            let own = at(first, &begin.0, &step);
            let own = lanes.map_or(own.clone(), |shape| shape.iterators(&own, lane as i64));
            self.seen.row(statement, date + first as u64, trips, &own, &step);
        }
        ControlFlow::Continue(())
    }

    /// Instances that run together: all read before one of them writes.
    fn instances(&mut self, statement: StatementId, instances: &[(usize, Vec<i64>)], values: &Values) {
        let accesses = &self.statements[statement.0];
        for (writes, accesses) in [(false, &accesses.reads), (true, &accesses.writes)] {
            for (_, instance) in instances {
                for access in accesses {
                    let iterators = &self.iterators[statement.0];
                    let value = |name: &str| {
                        let own = iterators.iter().position(|iterator| iterator == name);
                        own.map_or_else(|| values.evaluate(&Affine::variable(name)), |place| instance[place])
                    };
                    let subscripts = access.subscripts.iter().map(|subscript| subscript.evaluate(value));
                    if let Some(place) = self.shapes[access.array].place(subscripts) {
                        self.seen.access(access.array, place, writes, self.counted.dates);
                    }
                }
            }
        }
        self.counted.iterations += instances.len() as u64;
        self.counted.dates += 1;
    }
}

/// The lanes that run, with their iterators.
fn own(shape: &LaneShape, first: &[i64], slacks: &[i64]) -> Vec<(usize, Vec<i64>)> {
    let runs = (0..shape.count).filter(|lane| shape.runs(slacks, *lane));
    runs.map(|lane| (lane as usize, shape.iterators(first, lane))).collect()
}
