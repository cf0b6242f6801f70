//! Tilings, as directives give them or burstc chooses them.

use serde::{Deserialize, Serialize};

use super::Kernel;
use crate::affine::Affine;
use crate::diagnostic::Span;

/// The affine θ and tile sizes of one band: `tile(i:32, j:32)` is θ = (i, j). Tiles of all bands run in lexicographic
/// order of `floor(θ_k / size_k)`, shorter ones padded with 0; a dimension of size 1 runs one value after the other, so
/// constants there put bands in sequence. A strip is the tiles of a band that agree in all dimensions but the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TilingDirective {
    /// θ of every statement of the band, by name, all of one length.
    pub schedules: Vec<Schedule>,
    /// Tile size per dimension of θ, at least 1.
    pub sizes: Vec<i64>,
    /// Iterations side by side, where somebody asks for more than one.
    #[serde(default)]
    pub lanes: Option<LanesDirective>,
    pub span: Span,
}

impl TilingDirective {
    /// The same for the statements of `kernel` as they were before some became one, each with its iterators.
    pub fn as_written(&self, kernel: &Kernel) -> (TilingDirective, Vec<Vec<String>>) {
        let (statements, iterators) = (kernel.statements(), kernel.iterators());
        let (mut written, mut names) = (TilingDirective { schedules: vec![], ..self.clone() }, vec![]);
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

/// `lanes(16)`: so many iterations of a band per cycle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LanesDirective {
    /// A power of two, or 0 for `lanes(auto)`.
    pub count: i64,
    pub span: Span,
}

impl LanesDirective {
    pub const MOST: i64 = 256;

    /// `lanes(auto)`, for burstc to choose: such a directive is in the source only, never in what was chosen.
    const AUTOMATIC: i64 = 0;

    pub fn automatic(span: Span) -> LanesDirective {
        LanesDirective { count: LanesDirective::AUTOMATIC, span }
    }

    pub fn is_automatic(&self) -> bool {
        self.count == LanesDirective::AUTOMATIC
    }

    /// Whether the hardware can be built for so many.
    pub fn allows(count: i64) -> bool {
        (1..=LanesDirective::MOST).contains(&count) && count.count_ones() == 1
    }
}

/// θ of one statement over its iterators and the size parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    pub statement: String,
    pub theta: Vec<Affine>,
}
