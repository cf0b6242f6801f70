//! The border between analysis and hardware: everything the analysis knows, as plain data (`burstc analyze --json`).
//! Left of it nobody knows Verilog, right of it nobody computes a dependence.

use serde::{Deserialize, Serialize};

use crate::affine::Affine;
use crate::source::kernel::{Kernel, TilingDirective};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Offload {
    /// The source, with `max` and `default` of every size parameter settled.
    pub kernel: Kernel,
    pub tiling: TilingDirective,
    /// Every set as isl prints it, for people: `("dependences", "[N] -> { S0[i, j, k] -> … }")`.
    pub sets: Vec<NamedSet>,
    /// The tiles in execution order. Context: size parameters. Levels: the tile indices, named `T0`, `T1`, …; the
    /// innermost one walks a strip.
    pub tiles: Scan,
    /// Transfers of each array that has any, in the order in which a tile makes them.
    pub transfers: Vec<Transfer>,
    /// One local buffer per array that the tiles access.
    pub buffers: Vec<Buffer>,
    pub compute: Compute,
    /// Whether a strip loads (or overwrites) a cell that an earlier strip stores, so that the later strip must wait.
    pub strips_depend: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedSet {
    pub name: String,
    pub isl: String,
}

/// A set that the hardware walks: disjoint convex pieces one after the other, each a loop nest. Names in scope are
/// the size parameters, the context (tile indices, except in `Offload::tiles`), and the levels further out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scan {
    pub pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// The piece is empty unless each of these, over the context alone, is at least 0.
    pub guards: Vec<Affine>,
    /// Loops, outermost first. The last is the row: `max(lower) ..= min(upper)`; an empty interval is skipped.
    pub levels: Vec<Level>,
    /// What is visited: subscripts of the array, or iterators of the statement, over context and levels.
    pub point: Vec<Affine>,
}

/// `for (name = max(ceil(lower)); name <= min(floor(upper)); name++)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Level {
    pub name: String,
    pub lower: Vec<Bound>,
    pub upper: Vec<Bound>,
    /// A closed interval that holds every value the variable takes (for sizes up to their bounds).
    pub range: (i64, i64),
}

/// `numerator / divisor`, rounded up in a lower bound and down in an upper bound; `divisor` is at least 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    pub numerator: Affine,
    pub divisor: i64,
}

/// Load(T) and Store(T) of one array (RR-7697 Theorems 1 and 2), over the tile `T0, T1, …`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// Index into `Kernel::arrays`.
    pub array: usize,
    pub load: Scan,
    pub store: Scan,
}

/// A local buffer and its modular mapping σ: cell `x` of the array lives at `(x[0] mod moduli[0], …)`, row-major.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Buffer {
    /// Index into `Kernel::arrays`.
    pub array: usize,
    /// The moduli the hardware uses, one per subscript, each a power of two (a residue is then a bit slice).
    pub moduli: Vec<i64>,
    /// The moduli that successive modulo gives, before rounding up.
    pub exact_moduli: Vec<i64>,
}

impl Buffer {
    pub fn words(&self) -> i64 {
        self.moduli.iter().product()
    }
}

/// The iterations of one tile. Context: size parameters and `T0, T1, …`; the point is the statement's iterators,
/// outermost loop first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compute {
    pub scan: Scan,
    /// The dimensions of θ in the order the scan takes them inside a tile, outermost first (a permutation: the band
    /// is permutable).
    pub order: Vec<usize>,
    /// Names of the iterators that `point` gives, outermost first.
    pub iterators: Vec<String>,
    /// The smallest distance, in iterations of the innermost level, of a flow dependence carried by that level
    /// alone; `None` where the innermost level carries none.
    pub innermost_distance: Option<i64>,
}
