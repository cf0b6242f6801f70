//! Tilings, as directives give them or burstc chooses them.

use serde::{Deserialize, Serialize};

use super::Kernel;
use crate::affine::Affine;
use crate::diagnostic::Span;

/// The affine θ and tile sizes of one band: `tile(i:32, j:32)` is θ = (i, j). Tiles of all bands run in lexicographic
/// order of `floor(θ_k / size_k)`, shorter ones padded with 0; a dimension of size 1 runs one value after the other, so
/// constants there put bands in sequence. A strip is the tiles of a band that agree in all dimensions but the last ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TilingDirective {
    /// θ of every statement of the band, by name, all of one length.
    pub schedules: Vec<Schedule>,
    /// Tile size per dimension of θ, at least 1.
    pub sizes: Vec<i64>,
    /// How many of the last dimensions the tiles of a strip run along, at least 1.
    #[serde(default = "one")]
    pub strip: usize,
    /// Iterations side by side, where somebody asks for more than one.
    #[serde(default)]
    pub lanes: Option<LanesDirective>,
    /// Compute processes side by side, where somebody asks for more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<UnitsDirective>,
    /// The order inside a tile, where somebody asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderDirective>,
    pub span: Span,
}

/// `order(k, i, j)`: the loops inside a tile, the outermost first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderDirective {
    /// By statement, when an instance runs: dimensions of its tile, with factors of at least 1 sums of some in front of them, and the
    /// statement's place among the others, where somebody says it.
    pub dates: Vec<Schedule>,
    pub span: Span,
}

fn one() -> usize {
    1
}

impl TilingDirective {
    /// How many of the first dimensions tell the strips of the band.
    pub fn strip_indices(&self) -> usize {
        self.sizes.len().saturating_sub(self.strip)
    }

    /// Whether all instances are in one tile.
    pub fn is_one_tile(&self) -> bool {
        self.schedules.iter().all(|schedule| schedule.theta.iter().all(|value| *value == Affine::default()))
    }

    /// The same for the statements of `kernel` as they were before some became one, each with its iterators.
    pub fn as_written(&self, kernel: &Kernel) -> (TilingDirective, Vec<Vec<String>>) {
        let (statements, iterators) = (kernel.statements(), kernel.iterators());
        let (mut written, mut names) = (TilingDirective { schedules: vec![], ..self.clone() }, vec![]);
        // No order tells writes apart that are in one cycle.
        written.order = written.order.filter(|_| statements.iter().all(|statement| statement.also.is_empty()));
        for schedule in &self.schedules {
            let place = statements.position(|s| s.name == schedule.statement);
            written.schedules.push(schedule.clone());
            names.push(place.map(|place| iterators[place].clone()).unwrap_or_default());
            let Some(place) = place else { continue };
            for write in &statements[place].also {
                let own = |name: &str| {
                    let place = iterators[place].iter().position(|iterator| iterator == name);
                    let own = place.and_then(|place| write.places.iter().position(|p| *p == place));
                    Affine::variable(own.map_or(name, |own| &write.iterators[own]))
                };
                let theta = schedule.theta.iter().map(|value| value.substitute(own)).collect();
                written.schedules.push(Schedule { statement: write.statement.clone(), theta });
                names.push(write.iterators.clone());
            }
        }
        (written, names)
    }
}

/// `lanes(16)`: so many iterations of a band per cycle; `lanes(i:8, j:8)`: along two dimensions of its tiles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LanesDirective {
    /// A power of two, or 0 for `lanes(auto)`.
    pub count: i64,
    /// The two dimensions, where somebody names them: the product of their lanes is `count`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub along: Option<[LanesAlong; 2]>,
    pub span: Span,
}

/// Lanes along one dimension of a tile, or a loop inside of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LanesAlong {
    /// Its place in [`TilingDirective::sizes`]; behind those, that of a loop which the schedule leaves open, see
    /// [`open_loops`](crate::tiling::open_loops).
    pub dimension: usize,
    /// A power of two, at least 2.
    pub count: i64,
}

impl LanesDirective {
    pub const MOST: i64 = 512;

    /// `lanes(auto)`, for burstc to choose: such a directive is in the source only, never in what was chosen.
    const AUTOMATIC: i64 = 0;

    pub fn new(count: i64, span: Span) -> LanesDirective {
        LanesDirective { count, along: None, span }
    }

    pub fn automatic(span: Span) -> LanesDirective {
        LanesDirective::new(LanesDirective::AUTOMATIC, span)
    }

    /// Lanes along two dimensions.
    pub fn in_two(along: [LanesAlong; 2], span: Span) -> LanesDirective {
        LanesDirective { count: along[0].count * along[1].count, along: Some(along), span }
    }

    /// The same where so many dimensions come before those of the tile.
    pub fn behind(mut self, dimensions: usize) -> LanesDirective {
        self.along.iter_mut().flatten().for_each(|along| along.dimension += dimensions);
        self
    }

    pub fn is_automatic(&self) -> bool {
        self.count == LanesDirective::AUTOMATIC
    }

    /// Whether the hardware can be built for so many.
    pub fn allows(count: i64) -> bool {
        (1..=LanesDirective::MOST).contains(&count) && count.count_ones() == 1
    }
}

/// `units(4)`: so many compute processes, each with buffers of its own, share the iterations of every tile; `units(i:4)`: along
/// that dimension of the tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitsDirective {
    /// A power of two.
    pub count: i64,
    /// Its place in [`TilingDirective::sizes`], where somebody names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<usize>,
    pub span: Span,
}

impl UnitsDirective {
    pub const MOST: i64 = 64;

    /// Whether the hardware can be built for so many.
    pub fn allows(count: i64) -> bool {
        (1..=UnitsDirective::MOST).contains(&count) && count.count_ones() == 1
    }
}

/// θ of one statement over its iterators and the size parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    pub statement: String,
    pub theta: Vec<Affine>,
}
