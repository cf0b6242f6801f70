//! An order for the statements of a band, and what decides between two of them.

use std::cmp::Ordering;

use super::space::Space;
use crate::affine::Affine;
use crate::ids::{ArrayId, StatementId};
use crate::polyhedral::Program;

/// An order for the statements of a band.
pub(super) struct Candidate {
    /// Per statement, the dimensions in the order of the loops inside a tile, those of tile size 1 first; all alike
    /// outside `apart`.
    pub dimensions: Vec<Vec<usize>>,
    /// The depth at which the statements run one after the other; `None` with a single statement.
    pub apart: Option<usize>,
    /// Per statement, its place among them there; those that share one take turns in the innermost loop.
    pub places: Vec<usize>,
    /// By which orders are chosen: estimated cycles per tile, more for what costs something else.
    pub cost: f64,
    /// Estimated cycles per tile.
    pub cycles: f64,
    /// Those of each statement over its iterations; none at all without lanes.
    pub cycles_each: Vec<f64>,
    /// See [`carried_by_level`].
    pub carried: Vec<i64>,
    /// Per statement; none at all without lanes.
    pub lanes: Vec<Option<Lane>>,
    /// See [`Order::late`].
    pub late: Vec<ArrayId>,
}

/// A loop of a statement's order, and how many lanes lie along it.
pub(super) type Level = (usize, i64);

/// The dimension that a statement's lanes run along, or the two, with as many as lie along it, and their levels in the statement's date.
#[derive(Clone)]
pub(super) struct Lane {
    pub along: Vec<(usize, i64)>,
    pub levels: Vec<usize>,
}

/// What decides between two orders: fewer cycles, then longer rows, then dependences over longer distances.
pub(super) struct Merit {
    pub cost: f64,
    pub length: f64,
    pub carried: Vec<i64>,
}

impl Merit {
    pub(super) fn beats(&self, known: &Merit) -> bool {
        match self.cost.total_cmp(&known.cost) {
            Ordering::Equal => (self.length, &self.carried) > (known.length, &known.carried),
            order => order.is_lt(),
        }
    }
}

impl Candidate {
    /// Whether some statements take turns where others run one after the other.
    pub(super) fn shares_places(&self) -> bool {
        !are_alone(&self.places)
    }

    /// Whether others take turns with a statement in its innermost loop.
    pub(super) fn takes_turns(&self, place: usize) -> bool {
        let in_all = self.apart.is_some_and(|apart| apart >= self.dimensions[place].len());
        in_all || self.places.iter().filter(|own| **own == self.places[place]).count() > 1
    }

    /// The tile size along the rows of a statement, see [`Order::rows`]; where a wave cuts them, the mean length.
    pub(super) fn row_length(&self, space: &Space, place: usize) -> i64 {
        let order = &self.dimensions[place];
        let apart = if self.takes_turns(place) { order.len() } else { self.apart.unwrap_or(0) };
        let row = space.row(place, order).filter(|level| *level >= apart);
        let Some(row) = row.filter(|_| space.injective) else { return 1 };
        match space.has_waves(order) {
            true => (space.row_length(place, order, 0) as i64).max(1),
            false => space.sizes[order[row]],
        }
    }

    /// The date of every statement: its dimensions in their order, with the statement's place in the band, and the order
    /// of the source behind it where those do not tell all instances apart.
    pub(super) fn expressions(&self, program: &Program, space: &Space, statements: &[StatementId]) -> Vec<Vec<Affine>> {
        // Statements that run together to the end are told apart by the order of the source.
        let apart = self.apart.filter(|&a| a < space.rank() || space.injective);
        let date = |(place, &s): (usize, &StatementId)| {
            let mut date: Vec<Affine> =
                self.dimensions[place].iter().map(|&k| space.values[place][k].clone()).collect();
            if let Some(apart) = apart {
                date.insert(apart, Affine::constant(self.places[place] as i64));
            }
            if space.injective && self.shares_places() {
                date.push(Affine::constant(place as i64));
            }
            if !space.injective {
                date.extend(program.statements[s].order.iter().cloned());
            }
            date
        };
        statements.iter().enumerate().map(date).collect()
    }
}

/// Whether no two statements share a place.
pub(super) fn are_alone(places: &[usize]) -> bool {
    (0..places.len()).all(|place| places.contains(&place))
}
