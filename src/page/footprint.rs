//! What one tile has of the arrays: the cells that it touches, in the order in which the hardware does.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::affine::Affine;
use crate::ids::{ArrayId, BandId, ByArray, StatementId};
use crate::offload::{LaneShape, Lanes, Offload, Piece, Scan};
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

/// The cells of an array as rows of its last subscript.
#[derive(Clone, Debug)]
pub struct Shape {
    pub extents: Vec<i64>,
    pub rows: i64,
    pub columns: i64,
}

impl Shape {
    pub fn of(kernel: &Kernel, array: ArrayId, sizes: &BTreeMap<String, i64>) -> Shape {
        let value = |extent: &Affine| extent.evaluate(|name| sizes.get(name).copied().unwrap_or(0)).max(0);
        let extents: Vec<i64> = kernel.arrays[array].extents.iter().map(value).collect();
        let (columns, outer) = extents.split_last().map_or((1, &[][..]), |(last, outer)| (*last, outer));
        let rows = outer.iter().fold(1i64, |product, extent| product.saturating_mul(*extent));
        Shape { rows, columns, extents }
    }

    /// Whether there is a byte of bookkeeping for every cell.
    fn fits(&self) -> bool {
        self.rows.saturating_mul(self.columns).unsigned_abs() <= CELLS
    }

    /// The place of a cell, counted row by row.
    fn place(&self, subscripts: impl Iterator<Item = i64>) -> Option<usize> {
        let mut place = 0;
        for (subscript, extent) in subscripts.zip(&self.extents) {
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
    pub arrays: BTreeMap<ArrayId, Cells>,
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
        let place = self.values.enter_tile(&offload.kernel, index);
        let mut tile = TileCells::default();
        let mut within = true;
        for transfer in &offload.bands[band].transfers {
            let load = self.transferred(transfer.array, &transfer.load);
            let store = self.transferred(transfer.array, &transfer.store);
            let (Some(loaded), Some(stored)) = (load, store) else {
                within = false;
                break;
            };
            tile.arrays.insert(transfer.array, Cells { loaded, stored, ..Cells::default() });
        }
        if within && Follower::follows(&offload.kernel) {
            self.touch(band, &mut tile);
        }
        self.values.stack.truncate(place);
        within.then_some(tile)
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

    /// Walks the tile's iterations.
    fn touch(&mut self, band: BandId, tile: &mut TileCells) {
        let kernel = &self.offload.kernel;
        if tile.arrays.keys().any(|array| !self.shapes[*array].fits()) {
            return;
        }
        let first = |array: &ArrayId| {
            let shape = &self.shapes[*array];
            (*array, vec![First::Not; (shape.rows * shape.columns) as usize])
        };
        let mut walker = Walker {
            offload: self.offload,
            shapes: &self.shapes,
            statements: kernel.statements().iter().map(|s| Accesses::of(s)).collect(),
            iterators: kernel.iterators().into_iter().collect(),
            first: tile.arrays.keys().map(first).collect(),
            open: vec![],
            row: None,
            steps: self.steps,
            iterations: 0,
        };
        let pieces = &self.offload.bands[band].compute.scan.pieces;
        walker.open = pieces.windows(2).filter(|two| two[1].shared >= two[0].levels.len()).map(|two| &two[0]).collect();
        let outcome = walk::walk(pieces, &mut self.values, &mut walker);
        self.steps = walker.steps;
        if outcome.is_break() {
            return;
        }
        tile.iterations = Some(walker.iterations);
        for (array, first) in walker.first {
            let Some(cells) = tile.arrays.get_mut(&array) else { continue };
            let of = |wanted: &dyn Fn(First) -> bool| -> Vec<usize> {
                first.iter().enumerate().filter(|(_, f)| wanted(**f)).map(|(place, _)| place).collect()
            };
            cells.touched = Some(of(&|first| first != First::Not));
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
struct Walker<'a> {
    offload: &'a Offload,
    shapes: &'a ByArray<Shape>,
    statements: Vec<Accesses<'a>>,
    iterators: Vec<Vec<String>>,
    first: BTreeMap<ArrayId, Vec<First>>,
    /// Pieces in whose innermost loop others go on: its iterations are no row.
    open: Vec<&'a Piece>,
    /// Of the row that is open: its trips, and point and slacks at its first end.
    row: Option<(i64, Option<Ends>)>,
    steps: u64,
    iterations: u64,
}

/// Iterators and slacks of lane 0.
type Ends = (Vec<i64>, Vec<i64>);

impl<'a> Visitor<'a> for Walker<'_> {
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

impl Walker<'_> {
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
        for k in 0..trips {
            let (first, slacks) = (at(k, &begin.0, &step), at(k, &begin.1, &slack_step));
            let Some(left) = self.steps.checked_sub(1) else { return ControlFlow::Break(()) };
            self.steps = left;
            match self.offload.lanes(statement) {
                None => self.instances(statement, &[first], values),
                Some((lanes, shape)) => self.instances(statement, &own(lanes, shape, &first, &slacks), values),
            }
        }
        ControlFlow::Continue(())
    }

    /// Instances that run together: all read before one of them writes.
    fn instances(&mut self, statement: StatementId, instances: &[Vec<i64>], values: &Values) {
        let accesses = &self.statements[statement.0];
        self.iterations += instances.len() as u64;
        for (kind, accesses) in [(First::Read, &accesses.reads), (First::Write, &accesses.writes)] {
            for instance in instances {
                for access in accesses {
                    let Some(first) = self.first.get_mut(&access.array) else { continue };
                    let iterators = &self.iterators[statement.0];
                    let value = |name: &str| {
                        let own = iterators.iter().position(|iterator| iterator == name);
                        own.map_or_else(|| values.evaluate(&Affine::variable(name)), |place| instance[place])
                    };
                    let subscripts = access.subscripts.iter().map(|subscript| subscript.evaluate(value));
                    let place = self.shapes[access.array].place(subscripts);
                    if let Some(first) = place.and_then(|place| first.get_mut(place))
                        && *first == First::Not
                    {
                        *first = kind;
                    }
                }
            }
        }
    }
}

/// The iterators of the lanes that run.
fn own(lanes: &Lanes, shape: &LaneShape, first: &[i64], slacks: &[i64]) -> Vec<Vec<i64>> {
    let runs = (0..lanes.count).filter(|lane| shape.runs(lanes, slacks, *lane));
    runs.map(|lane| shape.iterators(lanes, first, lane)).collect()
}
