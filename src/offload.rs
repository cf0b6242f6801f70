//! The border between analysis and hardware: everything the analysis knows, as plain data (`burstc analyze --json`).
//! Left of it nobody knows Verilog, right of it nobody computes a dependence.

pub mod memory;

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use memory::{Part, Slice};

use crate::affine::{Affine, AffineOver, Variable};
use crate::ids::{ArrayId, BandId, ByArray, ByBand, StatementId};
use crate::source::kernel::{Access, BinaryOp, Expr, Kernel, Node, ScalarType, Statement, TilingDirective};
use crate::source::{directive_text, order_text};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Offload {
    /// The source, with `max` and `default` of every size parameter settled, local arrays expanded by the loops
    /// whose iterations have an instance of their own.
    pub kernel: Kernel,
    pub bands: ByBand<Band>,
    /// The tiles of all bands in execution order. Context: size parameters. Levels: the tile indices, named `T0`, `T1`,
    /// … (as many as the band has dimensions); the innermost one walks a strip. `leaf` is the band.
    pub tiles: Scan,
    /// One local buffer per array that the tiles of any band access.
    pub buffers: Vec<Buffer>,
    /// Reads without a port.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<Window>,
    /// The statement instances in the order of the source, for the direct version. Context: size parameters. `leaf` is
    /// the statement of [`Offload::as_written`], the point its iterators.
    pub source_order: Scan,
    /// The kernel's body before statements became one; empty where none did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<Node>,
    /// Whether a strip loads a cell that another strip of its band stores: dependences through the memory.
    pub strips_depend: bool,
    /// Why so many lanes were chosen, where they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes_note: Option<String>,
    /// Why no more units, where burstc chose their number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units_note: Option<String>,
    /// What strips of several dimensions were chosen for, where they were. For people.
    #[serde(skip)]
    pub strips_note: Option<String>,
    /// The memory port of every array, where the board has several; empty where it has one. All uses of an array are on one port
    /// ([`Offload::port`]).
    #[serde(default, skip_serializing_if = "no_ports")]
    pub ports: ByArray<u32>,
}

/// Memory ports that a board may have.
pub const MOST_PORTS: u32 = 32;

fn no_ports(ports: &ByArray<u32>) -> bool {
    ports.is_empty()
}

/// Statements that run together in tiles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Band {
    /// Indices into `Kernel::statements()`.
    pub statements: Vec<StatementId>,
    pub tiling: TilingDirective,
    /// Every set as isl prints it, for people: `("dependences", "[N] -> { S0[i, j, k] -> … }")`.
    pub sets: Vec<NamedSet>,
    /// Transfers of each array that has any, in the order in which a tile makes them.
    pub transfers: Vec<Transfer>,
    /// Whether a strip computes only when the tiles of all strips before it are stored: it writes to places where their
    /// results may still wait.
    #[serde(default)]
    pub compute_waits: bool,
    pub compute: Compute,
}

impl Offload {
    /// The kernel in which every statement has one write, of the whole of an element.
    pub fn as_written(&self) -> Cow<'_, Kernel> {
        let is_masked = self.kernel.arrays.iter().any(|array| array.masked);
        let kernel = match &self.written[..] {
            [] if !is_masked => return Cow::Borrowed(&self.kernel),
            [] => self.kernel.clone(),
            written => Kernel { body: written.to_vec(), ..self.kernel.clone() },
        };
        Cow::Owned(if is_masked { kernel.unmasked() } else { kernel })
    }

    /// The tilings of all bands, of the statements as they are written.
    pub fn tilings_as_written(&self) -> Vec<TilingDirective> {
        self.bands.iter().map(|band| band.tiling.as_written(&self.kernel).0).collect()
    }

    /// Whether the whole program is one tile.
    pub fn is_one_tile(&self) -> bool {
        matches!(&self.bands.raw[..], [only] if only.tiling.is_one_tile())
    }

    /// The tilings of all bands as pragmas to paste before the kernel's first loop.
    pub fn directives(&self) -> Vec<String> {
        let text = |band: &Band| {
            // Lanes for which no statement has a loop are refused where a directive asks for them.
            let lanes = band.tiling.lanes.filter(|_| band.compute.lanes.is_some());
            directive_text(&TilingDirective { lanes, ..band.tiling.clone() }, &self.kernel)
        };
        self.bands.iter().map(text).collect()
    }

    /// The order inside the tiles of a band as a directive that can stand beside its tiles; `None` where none says it.
    pub fn order_text(&self, band: &Band) -> Option<String> {
        let (statements, iterators) = (self.kernel.statements(), self.kernel.iterators());
        let is_said = !band.compute.dates.is_empty() && band.statements.iter().all(|&s| statements[s].also.is_empty());
        let own = band.statements.iter().zip(&band.compute.dates);
        let own: Vec<_> = own.map(|(&s, date)| (&statements[s].name[..], &iterators[s][..], &date[..])).collect();
        is_said.then(|| order_text(&own))
    }

    /// Whether the statement of [`Offload::as_written`] starts together with another, whose name they have.
    pub fn follows(&self, statement: &str) -> bool {
        self.kernel.statements().iter().all(|s| s.name != statement)
    }

    /// The memory port that an array is reached by.
    pub fn port(&self, array: ArrayId) -> u32 {
        self.ports.get(self.kernel.memory_of(array)).copied().unwrap_or(0)
    }

    /// The ports that words move through, in their order: at least one.
    pub fn ports_used(&self) -> Vec<u32> {
        let transfers = self.bands.iter().flat_map(|band| &band.transfers);
        let moved = transfers.filter(|t| !t.load.pieces.is_empty() || !t.store.pieces.is_empty());
        let used: BTreeSet<u32> = moved.map(|t| self.port(t.array)).collect();
        if used.is_empty() { vec![0] } else { used.into_iter().collect() }
    }

    /// Whether lanes combine floating-point numbers in another order than the source.
    pub fn reassociates(&self) -> bool {
        self.reductions().any(|reduction| reduction.term.ty().floating)
    }

    /// The reductions of all statements in lanes.
    pub fn reductions(&self) -> impl Iterator<Item = &Reduction> {
        let shapes = self.bands.iter().filter_map(|band| band.compute.lanes.as_ref()).flat_map(|l| &l.per_statement);
        shapes.flatten().filter_map(|shape| shape.reduction.as_ref())
    }

    /// Iterations with which each row of a statement begins that only read, and fill its windows.
    pub fn warm_up(&self, statement: StatementId) -> i64 {
        let own = self.windows.iter().filter(|window| window.statement == statement);
        own.map(Window::depth).max().unwrap_or(0)
    }

    /// How a statement runs in lanes, `None` where it does not.
    pub fn lanes(&self, statement: StatementId) -> Option<&LaneShape> {
        self.bands.iter().find_map(|band| band.lanes(statement))
    }

    /// How many iterations of a statement run side by side.
    pub fn lane_count(&self, statement: StatementId) -> i64 {
        self.lanes(statement).map_or(1, |shape| shape.count)
    }

    /// How many compute processes there are.
    pub fn units(&self) -> i64 {
        self.first_units().map_or(1, |units| units.count)
    }

    /// The units of the first band that has some: all bands have as many, and none has where one has none.
    pub fn first_units(&self) -> Option<&Units> {
        self.bands.iter().find_map(|band| band.compute.units.as_ref())
    }

    /// How many of the statement with the most; `None` where none has lanes.
    pub fn most_lanes(&self) -> Option<i64> {
        self.bands.iter().filter_map(|band| band.compute.lanes.as_ref()).map(|lanes| lanes.count).max()
    }
}

impl Band {
    /// Whether lanes of some statement lie along two dimensions.
    pub fn is_in_two(&self) -> bool {
        self.compute.lanes.iter().flat_map(|lanes| &lanes.per_statement).flatten().any(|shape| shape.inner > 1)
    }

    /// How one of its statements runs in lanes, `None` where it does not.
    pub fn lanes(&self, statement: StatementId) -> Option<&LaneShape> {
        let lanes = self.compute.lanes.as_ref()?;
        let place = self.statements.iter().position(|s| *s == statement)?;
        lanes.per_statement.get(place)?.as_ref()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedSet {
    pub name: String,
    pub isl: String,
}

/// A set that the hardware walks: disjoint convex pieces, each a loop nest. Names in scope are the size parameters, the
/// context (tile indices, except in `Offload::tiles` and `Offload::source_order`), and the levels further out.
///
/// Pieces run one after the other, or take turns inside loops that they share. `burstc analyze --dump offload` prints them
/// as loops; for
///
/// ```text
/// for (i = 0; i < N; i++)
///     if (i % 4 != 1)
///         s = 3 * s + a[i];                    // S0
/// ```
///
/// the instances of S0 are two convex sets, `i = 4 q` and `4 q + 2 <= i <= 4 q + 3`. As S0 depends on itself, they must
/// come in the order of i, so a loop over i goes around both:
///
/// ```text
/// for (i = 32*T0; i <= min(N - 1, 32*T0 + 31); i++) {    // 0 to 127
///     for (q0 = ceild(i - 3, 4); q0 <= floord(i - 2, 4); q0++)    // 0 to 31
///         S0(i);
///     for (q0 = ceild(i, 4); q0 <= floord(i, 4); q0++)    // 0 to 31
///         S0(i);
/// }
/// ```
///
/// That is the list
///
/// | piece | `shared` | `levels` | `point` | `leaf` |
/// |---|---|---|---|---|
/// | 0 | 0 | i, q0 | (i) | S0 |
/// | 1 | 1 | i, q0 | (i) | S0 |
///
/// The second piece has `shared` 1: its outermost loop is the one that piece 0 has opened, level for level. Were it 0, all
/// points of piece 0 would come before those of piece 1. `guards` are tested as soon as the shared loops that they name
/// are open: `if (T2 <= 0)` is the guard `-T2`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scan {
    pub pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "V: Ord + Deserialize<'de>"))]
pub struct Piece<V = String> {
    /// So many of the outermost levels are those of the piece before (equal in both): one loop around both. Less than
    /// the number of levels, and 0 in the first piece.
    #[serde(default)]
    pub shared: usize,
    /// What the piece visits, where the scan visits several things.
    #[serde(default)]
    pub leaf: Leaf,
    /// The piece is empty unless each of these, over the context and the shared levels, is at least 0.
    pub guards: Vec<AffineOver<V>>,
    /// Loops, outermost first. The last is the row: `max(lower) ..= min(upper)`; an empty interval is skipped.
    pub levels: Vec<Level<V>>,
    /// What is visited: subscripts of the array, or iterators of the statement, over context and levels.
    pub point: Vec<AffineOver<V>>,
    /// Of a statement in lanes: the slack of every mask, over context and levels, see [`LaneShape::masks`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slacks: Vec<AffineOver<V>>,
    /// Of cells whose place in memory has digits that are parts of subscripts ([`Layout::slices`](crate::layout::Layout::slices)):
    /// all of its digits, over context and levels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<AffineOver<V>>,
}

impl Piece {
    /// The elements of a row do not lie side by side.
    pub fn is_apart(&self) -> bool {
        let Some((innermost, last)) = self.levels.last().zip(self.point.last()) else { return false };
        let moves = |affine: &Affine| affine.coefficient(&innermost.name) != 0;
        last.coefficient(&innermost.name).abs() != 1 || self.point.iter().rev().skip(1).any(moves)
    }
}

impl<V: Variable> Piece<V> {
    /// Puts `new` in the place of `old` in bounds, guards, point, slacks and parts.
    pub fn rename(&mut self, old: &V::Key, new: &V) {
        let bounds = self.levels.iter_mut().flat_map(|level| level.lower.iter_mut().chain(&mut level.upper));
        let affines = bounds.map(|bound| &mut bound.numerator).chain(&mut self.guards).chain(&mut self.point);
        for affine in affines.chain(&mut self.slacks).chain(&mut self.parts) {
            *affine =
                affine.substitute(|name| AffineOver::variable(if name == old { new.clone() } else { name.to_owned() }));
        }
    }
}

/// What a piece visits, as a number in JSON: the scan says of what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Leaf(usize);

impl Leaf {
    /// In [`Offload::tiles`].
    pub fn band(self) -> BandId {
        BandId(self.0)
    }

    /// In [`Compute::scan`] and [`Offload::source_order`].
    pub fn statement(self) -> StatementId {
        StatementId(self.0)
    }
}

impl From<BandId> for Leaf {
    fn from(band: BandId) -> Self {
        Leaf(band.0)
    }
}

impl From<StatementId> for Leaf {
    fn from(statement: StatementId) -> Self {
        Leaf(statement.0)
    }
}

/// `for (name = max(ceil(lower)); name <= min(floor(upper)); name++)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "V: Ord + Deserialize<'de>"))]
pub struct Level<V = String> {
    pub name: V,
    pub lower: Vec<Bound<V>>,
    pub upper: Vec<Bound<V>>,
    /// A closed interval that holds every value the variable takes (for sizes up to their bounds).
    pub range: (i64, i64),
}

/// `numerator / divisor`, rounded up in a lower bound and down in an upper bound; `divisor` is at least 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "V: Ord + Deserialize<'de>"))]
pub struct Bound<V = String> {
    pub numerator: AffineOver<V>,
    pub divisor: i64,
}

/// Load(T) and Store(T) of one array (RR-7697 Theorems 1 and 2), over the tile `T0, T1, …`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// Index into `Kernel::arrays`.
    pub array: ArrayId,
    pub load: Scan,
    pub store: Scan,
    /// What the loads wait for.
    #[serde(default)]
    pub wait: Wait,
}

/// How far the strips before (of the same band) must be, before a strip loads an array. Strips of different bands never
/// overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Wait {
    /// Strips overlap as tiles of one strip do.
    Nothing,
    /// All tiles of the strip before that one are stored.
    StoredBefore,
    /// All their tiles are computed.
    Computed,
    /// All their tiles are stored.
    #[default]
    Stored,
}

/// The local buffer of one array: one memory, with a mapping per band.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Buffer {
    /// Index into `Kernel::arrays`.
    pub array: ArrayId,
    /// One per band; `None` where the band does not access the array.
    pub mappings: ByBand<Option<Mapping>>,
    /// Whether the store process has a copy to itself, so that no iteration waits for its port.
    #[serde(default)]
    pub store_copy: bool,
    /// Where lanes access cells side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub banks: Option<Banks>,
    /// Where they do so along further subscripts: the banks of all of them are combined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_banks: Vec<Banks>,
    /// Whether the banks along all those subscripts are the same ones, as no group lies along two of them: as many as the one
    /// with the most has, and a cell is in that of the sum of its residues.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skewed: bool,
    /// Memories that each hold the whole buffer, for the reads of the iterations: one per reference, or one in banks.
    pub copies: usize,
    /// Where banks serve all read references of an iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<Partition>,
    /// Which of the memories lie in a kind of block RAM that tools have to be told of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed: Option<Placed>,
    /// Compute processes, each with memories of its own.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub units: i64,
    /// Whose a cell is, where there are several and each has cells to itself; else all have all cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
}

/// The first of a buffer's memories, which lie in block RAMs of a kind that tools take where they are told to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    /// As the board's profile calls it.
    pub kind: String,
    /// What the tool is told.
    pub style: String,
    pub memories: usize,
}

/// Memories of their own for the cells that one iteration reads: the cell with the residues `r` lies in bank
/// `weights · r mod count`, and no two references of a statement are ever in one bank (hyperplane partitioning, Wang, Li
/// and Cong, FPGA 2014, with a power of two of banks).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partition {
    /// A power of two.
    pub count: i64,
    /// Per residue, 0 to `count - 1`; times the modulus, a multiple of `count`, so that the bank of a cell follows from
    /// `S x` as well.
    pub weights: Vec<i64>,
    /// A residue of odd weight whose modulus is a multiple of `count`: the bank tells its low bits, which addresses
    /// inside a bank leave out.
    pub along: usize,
}

impl Partition {
    /// The bank of `y = S x`, not yet modulo `count`.
    pub fn bank<T>(&self, y: &[T], zero: T) -> T
    where
        T: Clone + std::ops::Add<Output = T> + std::ops::Mul<i64, Output = T>,
    {
        let parts = y.iter().zip(&self.weights).filter(|(_, w)| **w != 0);
        parts.fold(zero, |sum, (y, &w)| sum + y.clone() * w)
    }
}

/// Memories of their own for cells side by side: cell `x` lies in bank `x[subscript] mod count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Banks {
    pub subscript: usize,
    /// As many as the lanes access cells side by side: a power of two, which divides the subscript's modulus.
    pub count: i64,
}

/// Reads of one statement that repeat, some iterations later in the same row, what another reference has read: words
/// slide through registers, and only the first reference has a port. The statement does not write the array. A row
/// begins with as many iterations as the longest delay that read and do not write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Index into `Kernel::statements()`.
    pub statement: StatementId,
    /// Index into `Kernel::arrays`.
    pub array: ArrayId,
    /// The subscripts of the reference that has a port.
    pub leader: Vec<Affine>,
    pub followers: Vec<Follower>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Follower {
    pub subscripts: Vec<Affine>,
    /// Iterations since the leader has read the same cell, at least 1.
    pub delay: i64,
}

impl Window {
    /// The longest delay.
    pub fn depth(&self) -> i64 {
        self.followers.iter().map(|f| f.delay).max().unwrap_or(0)
    }
}

/// The ports through which statements read an array: as many as the references of the one with the most, and one for each
/// read at subscripts that depend on data.
pub fn port_count(kernel: &Kernel, windows: &[Window], array: ArrayId) -> usize {
    let of = |statement| port_references(kernel, windows, statement).iter().filter(|r| r.array == array).count();
    let references = kernel.statements().keys().map(of).max().unwrap_or(0);
    references + gather_count(kernel, array) + limit_count(kernel, array)
}

/// The reads of an array by which rows of iterations are cut before they are walked: each has a port of its own, behind those.
pub fn limit_count(kernel: &Kernel, array: ArrayId) -> usize {
    let statements = kernel.statements();
    let limits = statements.iter().filter_map(|statement| kernel.limits(statement));
    limits.map(|limits| limits.elements().filter(|(access, _)| access.array == array).count()).sum()
}

/// The reads of an array at subscripts that depend on data: each has a port of its own, behind those of the references.
pub fn gather_count(kernel: &Kernel, array: ArrayId) -> usize {
    let of = |statement: &Statement| statement.gathers().iter().filter(|gather| gather.array == array).count();
    kernel.statements().iter().map(|statement| of(statement)).sum()
}

/// Whether a statement reads or writes the array at subscripts that depend on data.
pub fn is_by_data(kernel: &Kernel, array: ArrayId) -> bool {
    gather_count(kernel, array) > 0 || kernel.is_scattered(array)
}

/// The distinct read references of a statement that read a buffer through a port: all but those that windows serve.
pub fn port_references<'a>(kernel: &'a Kernel, windows: &[Window], statement: StatementId) -> Vec<&'a Access> {
    let follows = |access: &&Access| {
        let mut own = windows.iter().filter(|w| (w.statement, w.array) == (statement, access.array));
        own.any(|window| window.followers.iter().any(|f| f.subscripts == access.subscripts))
    };
    kernel.statements()[statement].references().into_iter().filter(|access| !follows(access)).collect()
}

/// A mapping σ: cell `x` of the array lives at `(y[0] mod moduli[0], …)` with `y = S x`, row-major; with `slots` beyond
/// 1, in tile number `n` of the run, or with `by_strips` in strip number `n`, at `(n mod slots, y[0] mod moduli[0], …)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mapping {
    /// The moduli the hardware uses, one per subscript, each a power of two (a residue is then a bit slice); without slots and
    /// skews, any number that the subscript stays below, which needs no modulo. Addresses have whole bits for every subscript.
    pub moduli: Vec<i64>,
    /// The moduli that the cells of a strip, or with slots of a tile, need before rounding up.
    pub exact_moduli: Vec<i64>,
    /// The rows of `S`, unit lower triangular; none for `y = x`, successive modulo along the subscripts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skew: Vec<Vec<i64>>,
    /// With rows in `skew`: the moduli, before rounding up, that successive modulo needs instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub successive_moduli: Vec<i64>,
    /// Tiles that have a place of their own: 3 or a power of two, 1 where tiles share all places.
    #[serde(default = "one")]
    pub slots: i64,
    /// Strips have them, two, of which tiles of one share all places.
    #[serde(default, skip_serializing_if = "is_false")]
    pub by_strips: bool,
}

fn one() -> i64 {
    1
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_one(value: &i64) -> bool {
    *value == 1
}

/// What the hardware makes of a modulus or of a number of places: the next power of two.
pub fn power_of_two(least: i64) -> i64 {
    least.unsigned_abs().next_power_of_two() as i64
}

/// Bits of the numbers from 0 to below `count`, which is positive.
pub fn bits_below(count: i64) -> u32 {
    power_of_two(count).trailing_zeros()
}

/// What subscript `k` of an array stays below, whatever the sizes; `None` where that is not known.
pub fn extent_below(kernel: &Kernel, array: ArrayId, k: usize) -> Option<i64> {
    let extent = kernel.arrays[array].extents.get(k)?;
    let range = |name: &str| kernel.parameters.iter().find(|p| p.name == name).map(|p| p.range());
    let is_known = extent.terms.keys().all(|name| range(name).is_some());
    is_known.then(|| extent.range(|name| range(name).unwrap_or_default()).1)
}

impl Mapping {
    /// Successive modulo along the subscripts.
    pub fn successive(moduli: Vec<i64>, exact_moduli: Vec<i64>, slots: i64) -> Mapping {
        Mapping { moduli, exact_moduli, skew: vec![], successive_moduli: vec![], slots, by_strips: false }
    }

    /// That of the tile with this number in the run, whose strip has that one.
    pub fn slot(&self, tile: u64, strip: u64) -> i64 {
        let number = if self.by_strips { strip } else { tile };
        (number % self.slots.unsigned_abs().max(1)) as i64
    }

    /// `S x` for the subscripts `x`.
    pub fn skewed<T>(&self, subscripts: &[T]) -> Vec<T>
    where
        T: Clone + std::ops::Add<Output = T> + std::ops::Mul<i64, Output = T>,
    {
        if self.skew.is_empty() {
            return subscripts.to_vec();
        }
        let row = |(k, row): (usize, &Vec<i64>)| {
            let others = subscripts[..k].iter().zip(row).filter(|(_, c)| **c != 0);
            others.fold(subscripts[k].clone(), |sum, (x, &c)| sum + x.clone() * c)
        };
        self.skew.iter().enumerate().map(row).collect()
    }

    /// Whether every cell has the place that it has under the other mapping, whatever both would need before rounding up.
    fn has_places_of(&self, other: &Mapping) -> bool {
        let of = |mapping: &Mapping| (mapping.slots, mapping.by_strips);
        (&self.moduli, &self.skew, of(self)) == (&other.moduli, &other.skew, of(other))
    }

    /// Words that successive modulo would take, where they are more.
    pub fn successive_words(&self) -> Option<i64> {
        let rounded = || self.successive_moduli.iter().map(|m| power_of_two(*m)).product::<i64>();
        (!self.skew.is_empty()).then(|| self.slots * rounded())
    }

    pub fn words(&self) -> i64 {
        self.slots * self.moduli.iter().product::<i64>()
    }

    /// The parts of an address, outermost first: what each stays below, that of the slot in front.
    fn parts(&self) -> impl Iterator<Item = i64> {
        std::iter::once(self.slots).chain(self.moduli.iter().copied())
    }

    /// What addresses stay below, those between rows that are shorter than their bits allow included.
    fn reach(&self) -> i64 {
        memory::reach(&self.parts().filter(|part| *part > 1).map(Part::new).collect::<Vec<_>>())
    }
}

impl Buffer {
    /// One memory of one bank.
    pub fn new(array: ArrayId, mappings: ByBand<Option<Mapping>>) -> Buffer {
        Buffer {
            array,
            mappings,
            store_copy: false,
            banks: None,
            further_banks: vec![],
            skewed: false,
            copies: 1,
            partition: None,
            placed: None,
            units: 1,
            owner: None,
        }
    }

    /// What tools are told of the block RAM for one of the memories.
    pub fn style(&self, memory: usize) -> Option<&str> {
        self.placed.as_ref().filter(|placed| memory < placed.memories).map(|placed| placed.style.as_str())
    }

    /// The same where strips share all places.
    pub fn without_places_of_strips(&self) -> Buffer {
        let mut shared = self.clone();
        for mapping in shared.mappings.iter_mut().flatten().filter(|mapping| mapping.by_strips) {
            (mapping.slots, mapping.by_strips) = (1, false);
        }
        shared
    }

    /// The mapping, if all bands that access the array have their cells in the same places.
    pub fn common_mapping(&self) -> Option<&Mapping> {
        let mut mappings = self.mappings.iter().flatten();
        let first = mappings.next()?;
        mappings.all(|other| other.has_places_of(first)).then_some(first)
    }

    /// The banks along each subscript that has some, the outermost first.
    pub fn bank_axes(&self) -> Vec<Banks> {
        let mut axes: Vec<Banks> = self.banks.iter().chain(&self.further_banks).copied().collect();
        axes.sort_by_key(|axis| axis.subscript);
        axes
    }

    /// How many banks there are: 1 for a single memory.
    pub fn bank_count(&self) -> i64 {
        let counts = self.banks.iter().chain(&self.further_banks).map(|axis| axis.count);
        if self.skewed { counts.max().unwrap_or(1) } else { counts.product() }
    }

    /// All memories that hold the whole buffer.
    pub fn memories(&self) -> usize {
        self.memories_of_unit() * self.units as usize
    }

    /// Those of one compute process.
    pub fn memories_of_unit(&self) -> usize {
        self.copies + usize::from(self.store_copy)
    }

    /// Those that iterations read, of all compute processes.
    pub fn all_copies(&self) -> usize {
        self.copies * self.units as usize
    }

    /// Words of the memory: the most that a band needs. Where bands divide addresses differently, or banks are small, no address
    /// between is left out.
    pub fn words(&self) -> i64 {
        let banks = self.bank_count() * self.partition.as_ref().map_or(1, |partition| partition.count);
        match self.common_mapping() {
            Some(_) => banks * memory::slices(&self.parts_in_bank()).iter().map(Slice::words).sum::<i64>(),
            None => self.mappings.iter().flatten().map(Mapping::reach).max().unwrap_or(1),
        }
    }

    /// Bits of an address: 0 for a single word.
    pub fn address_bits(&self) -> u32 {
        let bits = |mapping: &Mapping| mapping.parts().map(bits_below).sum();
        self.mappings.iter().flatten().map(bits).max().unwrap_or(0)
    }

    /// The banks along the subscripts whose residues addresses inside a bank leave out, as it tells them: all, and in skewed storage
    /// one that has all banks, whose residue follows from the bank and the others.
    pub fn left_out(&self) -> Vec<Banks> {
        let (mut axes, all) = (self.bank_axes(), self.bank_count());
        if self.skewed {
            axes = axes.into_iter().rev().find(|axis| axis.count == all).into_iter().collect();
        }
        axes
    }

    /// The parts of an address inside a bank, outermost first: the slot, and every subscript without the low bits that tell the bank.
    pub fn parts_in_bank(&self) -> Vec<Part> {
        let axes = self.left_out().into_iter().map(|axis| (axis.subscript, axis.count));
        let banks: Vec<(usize, i64)> = axes.chain(self.partition.iter().map(|p| (p.along, p.count))).collect();
        if banks.is_empty() {
            return self.parts();
        }
        memory::worth_slicing(self.parts_without(&banks))
    }

    /// Words of a bank, those between rows that are shorter than their bits allow included.
    pub fn words_in_bank(&self) -> i64 {
        match self.common_mapping() {
            Some(_) => memory::reach(&self.parts_in_bank()),
            None => self.words(),
        }
    }

    /// Where a cell lies in tile number `tile` of the run, one of `band`: its bank, and the word inside that; `None` where the band
    /// does not access the array.
    pub fn place(&self, band: BandId, cell: &[i64], (tile, strip): (u64, u64)) -> Option<(i64, i64)> {
        let mapping = self.mappings.get(band)?.as_ref()?;
        let y = mapping.skewed(cell);
        let residues: Vec<i64> = y.iter().zip(&mapping.moduli).map(|(y, modulus)| y.rem_euclid(*modulus)).collect();
        let axes = self.bank_axes();
        let bank = match &self.partition {
            Some(partition) => partition.bank(&y, 0).rem_euclid(partition.count),
            None if self.skewed => {
                axes.iter().map(|axis| residues[axis.subscript]).sum::<i64>().rem_euclid(self.bank_count())
            }
            None => axes.iter().fold(0, |bank, axis| bank * axis.count + residues[axis.subscript] % axis.count),
        };
        let mut inside: Vec<(usize, i64)> = self.left_out().iter().map(|axis| (axis.subscript, axis.count)).collect();
        inside.extend(self.partition.iter().map(|partition| (partition.along, partition.count)));
        inside.extend(self.owned().map(|owner| (owner.subscript, owner.count)));
        let word = residues.iter().zip(&mapping.moduli).enumerate().fold(
            mapping.slot(tile, strip),
            |word, (k, (residue, modulus))| {
                let count = inside.iter().find(|(subscript, _)| *subscript == k).map_or(1, |(_, count)| *count);
                (word << bits_below(modulus / count)) | (residue / count)
            },
        );
        Some((bank, word))
    }

    /// The parts of an address in a memory that holds the whole buffer, or what of it belongs to a unit.
    pub fn parts(&self) -> Vec<Part> {
        let owned: Vec<(usize, i64)> = self.owned().map(|owner| (owner.subscript, owner.count)).into_iter().collect();
        self.parts_without(&owned)
    }

    /// Where memories have the cells of their unit only, and leave out what of an address tells it: not where banks of the reads
    /// of an iteration follow from the same bits.
    pub fn owned(&self) -> Option<Owner> {
        self.owner.filter(|owner| {
            !owner.shared && self.partition.is_none() && self.banks.is_none() && self.common_mapping().is_some()
        })
    }

    /// The lowest bit of an address that tells to which unit a cell belongs, but for the owner's offset, and how many there are.
    pub fn unit_bits(&self) -> Option<(u32, u32)> {
        let (owner, mapping) = (self.owner?, self.common_mapping()?);
        let low = mapping.moduli[owner.subscript + 1..].iter().map(|modulus| bits_below(*modulus)).sum();
        Some((low, bits_below(owner.count)))
    }

    fn parts_without(&self, banks: &[(usize, i64)]) -> Vec<Part> {
        let Some(mapping) = self.common_mapping() else {
            return vec![Part { bits: self.address_bits(), below: self.words() }];
        };
        let count = |k: usize| banks.iter().find(|(subscript, _)| *subscript == k).map_or(1, |(_, count)| *count);
        let subscripts = mapping.moduli.iter().enumerate().map(|(k, modulus)| Part::new(modulus / count(k)));
        std::iter::once(Part::new(mapping.slots)).chain(subscripts).filter(|part| part.bits > 0).collect()
    }
}

/// The iterations of one tile of a band. Context: size parameters and the band's tile indices; `leaf` is the statement
/// (index into `Kernel::statements()`), the point its iterators, outermost loop first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compute {
    pub scan: Scan,
    /// The order inside a tile for people: `(i, j, k)`.
    pub order: String,
    /// The same by statement; nothing where no directive can say it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dates: Vec<Vec<Affine>>,
    /// The smallest distance, in iterations of the innermost level, of a flow dependence carried by that level
    /// alone; `None` where the innermost level carries none.
    pub innermost_distance: Option<i64>,
    /// Estimated cycles in which iterations wait for values, over the iterations, as the order inside a tile was chosen by; of no lanes.
    #[serde(default)]
    pub stalls_per_iteration: f64,
    /// More than one iteration per cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<Lanes>,
    /// More than one compute process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<Units>,
    /// Statements whose rows take turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interleaved: Vec<Interleaved>,
}

/// Compute processes that share the iterations of every tile, each with buffers of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Units {
    /// A power of two, at least 2.
    pub count: i64,
    /// What they run along, for people: `i`.
    pub along: String,
    /// The number of a unit in `scan`: one more name in its context, of the values 0 to `count - 1`.
    pub name: String,
    /// [`Compute::scan`] of one of them.
    pub scan: Scan,
}

/// To which unit a cell belongs: cell `x` to unit `(x[subscript] - offset) mod count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub subscript: usize,
    /// A power of two, that of the units, which divides the subscript's modulus.
    pub count: i64,
    /// From 0 to `count - 1`.
    pub offset: i64,
    /// Whether all units have every cell that is loaded, as some of them are read by others, and written by none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
}

impl Owner {
    pub fn of(self, cell: &[i64]) -> i64 {
        (cell[self.subscript] - self.offset).rem_euclid(self.count)
    }
}

/// A statement whose rows, of the scan between those of other statements, take turns: one iteration of each, so that iterations which
/// wait for those before them in their row have others in between. No two rows of a tile depend on one another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interleaved {
    /// Index into `Kernel::statements()`.
    pub statement: StatementId,
    /// So many rows at a time, at most: a power of two.
    pub rows: i64,
}

/// Iterations of statements side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lanes {
    /// The most that a statement has: a power of two, at least 2.
    pub count: i64,
    /// What the lanes run along, for people: `i`, or `S0 i, S1 j`, or `i:8, j:8`.
    pub along: String,
    /// Parallel to [`Band::statements`]; `None` for a statement whose iterations run one by one.
    pub per_statement: Vec<Option<LaneShape>>,
    /// The cycles of the computation over the iterations of each statement, as the order was chosen by.
    #[serde(default)]
    pub cycles_each: Vec<f64>,
}

/// What lanes are for one statement. One of its levels in the band's scan, `group`, counts in steps of `count`: where it
/// has the value g, lane l is the instance in whose place g would be `count * g + l`. A point of the scan is the iterators of
/// lane 0, and is visited for some lane, not for all. Lanes in two dimensions have two such levels, which count in steps of
/// `count / inner` and of `inner`: lane l is the instance `l / inner` further in the first and `l % inner` in the second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaneShape {
    /// A power of two, at least 2.
    pub count: i64,
    /// How many of them lie along the second of two dimensions; 1 for lanes along one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub inner: i64,
    /// What they run along, for people: `i`, or `i:8, j:8`.
    pub along: String,
    /// What each iterator of the statement gains from lane to lane; of lanes in two dimensions, along the first.
    pub steps: Vec<i64>,
    /// The same along the second; none for lanes along one dimension.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inner_steps: Vec<i64>,
    /// What the slack of each mask gains from lane to lane: lane l runs where `slack + l * step >= 0` for all masks,
    /// with the slacks of [`Piece::slacks`]; of lanes in two dimensions, along the first.
    pub masks: Vec<i64>,
    /// The same along the second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inner_masks: Vec<i64>,
    /// Where all lanes of an iteration update one cell.
    pub reduction: Option<Reduction>,
}

impl LaneShape {
    /// What a value gains from lane 0 to lane `lane` that gains `step` per lane along the first dimension, and `inner` along
    /// the second.
    pub fn gained(&self, lane: i64, step: i64, inner: i64) -> i64 {
        lane / self.inner * step + lane % self.inner * inner
    }

    /// What the values gain up to lane `lane`: their steps along the first dimension, and along the second.
    fn gains<'s>(&'s self, lane: i64, steps: &'s [i64], inner: &'s [i64]) -> impl Iterator<Item = i64> + 's {
        let inner = inner.iter().copied().chain(std::iter::repeat(0));
        steps.iter().zip(inner).map(move |(step, inner)| self.gained(lane, *step, inner))
    }

    /// How many lanes lie along each of its dimensions, one or two.
    pub fn counts(&self) -> Vec<i64> {
        if self.inner > 1 { vec![self.count / self.inner, self.inner] } else { vec![self.count] }
    }

    /// What a value over `iterators` gains from lane to lane, along the first dimension and along the second.
    pub fn gain(&self, value: &Affine, iterators: &[String]) -> [i64; 2] {
        [&self.steps, &self.inner_steps].map(|steps| value.gain(iterators, steps))
    }

    /// Whether it differs from lane to lane.
    pub fn moves(&self, value: &Affine, iterators: &[String]) -> bool {
        self.gain(value, iterators) != [0, 0]
    }

    /// The iterators of lane `lane`, where `first` are those of lane 0.
    pub fn iterators(&self, first: &[i64], lane: i64) -> Vec<i64> {
        let gains = self.gains(lane, &self.steps, &self.inner_steps);
        first.iter().zip(gains).map(|(value, gain)| value + gain).collect()
    }

    /// Whether lane `lane` runs at a point with these slacks.
    pub fn runs(&self, slacks: &[i64], lane: i64) -> bool {
        let gains = self.gains(lane, &self.masks, &self.inner_masks);
        slacks.iter().zip(gains).all(|(slack, gain)| slack + gain >= 0)
    }
}

/// `x op= term` in any order: the terms of all lanes are combined first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reduction {
    pub operator: ReductionOp,
    /// `x -= term`: terms are summed, and the sum is subtracted.
    pub subtracts: bool,
    /// Over the iterators of a lane; converted to x's type before it is combined.
    pub term: Expr,
}

impl Reduction {
    /// Two terms in one.
    pub fn combined(&self, left: Expr, right: Expr) -> Expr {
        let ty = left.ty();
        let (op, chooses) = match self.operator {
            ReductionOp::Add => (BinaryOp::Add, false),
            ReductionOp::Multiply => (BinaryOp::Multiply, false),
            ReductionOp::And => (BinaryOp::And, false),
            ReductionOp::Or => (BinaryOp::Or, false),
            ReductionOp::Xor => (BinaryOp::Xor, false),
            ReductionOp::Minimum | ReductionOp::Maximum => (BinaryOp::Less, true),
        };
        let result = if chooses { ScalarType::I32 } else { ty };
        let both = Expr::Binary { op, left: Box::new(left.clone()), right: Box::new(right.clone()), ty: result };
        if !chooses {
            return both;
        }
        let (then, otherwise) = if self.operator == ReductionOp::Minimum { (left, right) } else { (right, left) };
        Expr::Select { condition: Box::new(both), then: Box::new(then), otherwise: Box::new(otherwise), ty }
    }

    /// The target's next value, where `all` are the terms of an iteration.
    pub fn updated(&self, target: Expr, all: Expr) -> Expr {
        match self.subtracts {
            true => {
                let ty = target.ty();
                Expr::Binary { op: BinaryOp::Subtract, left: Box::new(target), right: Box::new(all), ty }
            }
            false => self.combined(target, all),
        }
    }

    /// The bits of the floating-point number that changes nothing: with 0 a sum of -0 would become 0.
    pub fn floating_identity(&self, ty: ScalarType) -> i64 {
        let bits = |value: f64| match ty.bits {
            32 => i64::from((value as f32).to_bits()),
            _ => value.to_bits() as i64,
        };
        match self.operator {
            ReductionOp::Add => bits(-0.0),
            ReductionOp::Multiply => bits(1.0),
            ReductionOp::Minimum => bits(f64::INFINITY),
            ReductionOp::Maximum => bits(f64::NEG_INFINITY),
            ReductionOp::And | ReductionOp::Or | ReductionOp::Xor => unreachable!("operators of integers"),
        }
    }
}

/// Associative and commutative on integers that wrap around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReductionOp {
    Add,
    Multiply,
    And,
    Or,
    Xor,
    Minimum,
    Maximum,
}
