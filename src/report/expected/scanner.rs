//! When the scanners of a tile have its rows: the states that a machine goes through, or the instructions that a program takes, as
//! [`crate::hardware`] makes them of the same pieces, and what takes the rows.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::ptr;

use crate::affine::Affine;
use crate::offload::{Bound, Level, Piece};
use crate::walk::{self, Values, Visitor, Which};

/// Rows that wait between a scanner and what takes them.
const ROWS_AHEAD: usize = 4;

/// Cycles of a program in which a bound comes through behind its last term, before an instruction acts.
const SETTLES: u64 = 4;
/// The same until the instruction behind a jump is there.
const JUMP: u64 = 3;
/// Of a quotient, about a bit of it per cycle.
const DIVIDES: u64 = 18;
/// Bounds of a side that a state compares at once.
const AT_ONCE: usize = 2;

/// How rows are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Means {
    /// A state machine, with a state for every loop that is opened, left, and for every row.
    States,
    /// The same, whose rows come out of a pipeline while it goes on: those of iterations.
    Pipeline,
    /// An adder that bounds go through term by term.
    Program,
}

/// Rows that a scanner gives one after the other.
#[derive(Clone, Copy)]
pub struct Rows {
    pub count: u64,
    /// Elements of each, side by side.
    pub length: u64,
    /// They lie apart in one loop, whose rows have an element each.
    pub are_apart: bool,
    /// The first one lies in memory a pitch behind the row before it.
    pub follows: bool,
    /// The same of those behind the first one.
    pub others_follow: bool,
}

/// Cycles until the address of some rows is found, and until their elements are moved: of rows one behind the other either goes on while
/// the other does.
#[derive(Clone, Copy)]
pub struct Takes {
    pub found: f64,
    pub moved: f64,
}

/// A walk through one tile's pieces, of one or several arrays after the other.
pub struct Scanner {
    means: Means,
    /// When the scanner is where it is; of two programs side by side, each of them.
    there: [f64; 2],
    /// The one that is looked at.
    half: usize,
    in_halves: bool,
    /// When the addresses of the rows so far are found, and when they are moved.
    found: f64,
    through: f64,
    /// When the last rows were taken.
    taken: VecDeque<f64>,
    /// Loops and rows that may still be looked at.
    budget: f64,
}

/// The loops of some pieces.
struct Walk<'s, 'p, T> {
    scanner: &'s mut Scanner,
    pieces: &'p [Piece],
    take: T,
    /// The piece of the row before, if no loop around rows has begun since.
    before: Option<&'p Piece>,
}

impl Scanner {
    /// With every other piece in a program of its own or without.
    pub fn new(means: Means, in_halves: bool, budget: f64) -> Scanner {
        Scanner { means, there: [0.0; 2], half: 0, in_halves, found: 0.0, through: 0.0, taken: VecDeque::new(), budget }
    }

    /// When the last row so far is through.
    pub fn through(&self) -> f64 {
        self.there.iter().fold(self.through, |last, there| last.max(*there))
    }

    fn goes_on(&mut self, cycles: f64) {
        self.there[self.half] += cycles;
    }

    /// Walks on through pieces, whose rows `take` so many cycles of whoever takes them. `None` where that is more to look at than the
    /// budget allows: the times are those of a part then.
    pub fn walk(
        &mut self,
        pieces: &[Piece],
        values: &mut Values,
        take: impl FnMut(&Piece, Rows) -> Takes,
    ) -> Option<()> {
        let place = values.stack.len();
        let outcome = walk::walk(pieces, values, &mut Walk { scanner: self, pieces, take, before: None });
        values.stack.truncate(place);
        outcome.is_continue().then_some(())
    }

    /// A row, or so many elements apart, which takes so long; the scanner needs a state for each.
    fn give(&mut self, states: f64, takes: Takes) {
        if self.taken.len() == ROWS_AHEAD {
            let room = self.taken.pop_front().unwrap_or(0.0);
            self.there[self.half] = self.there[self.half].max(room);
        }
        let before = if takes.found > 0.0 { self.found } else { self.through };
        let begin = before.max(self.there[self.half]);
        self.taken.push_back(begin);
        self.found = begin + takes.found;
        self.through = self.through.max(self.found) + takes.moved;
        self.goes_on(states);
    }

    /// What a state or some instructions take that open a loop or a row.
    fn opens(&self, level: &Level, is_row: bool) -> f64 {
        let bounds = || level.lower.iter().chain(&level.upper);
        match self.means {
            Means::Program => (bounds().map(terms).sum::<u64>() + SETTLES + 1) as f64,
            Means::Pipeline if is_row => 1.0,
            Means::States | Means::Pipeline => {
                let most = level.lower.len().max(level.upper.len());
                let divides = bounds().any(is_quotient);
                let folds =
                    if most > AT_ONCE || divides { 1 + u64::from(divides) + u64::from(most.ilog2()) } else { 0 };
                (1 + folds) as f64
            }
        }
    }
}

/// The rows of a piece follow on one another, but for the first of each loop around them.
pub fn follow(piece: &Piece) -> bool {
    steps_rows(piece, piece.levels.len().saturating_sub(if piece.is_apart() { 1 } else { 2 }))
}

/// From iteration to iteration the loop at a depth goes one row on in an array.
fn steps_rows(piece: &Piece, depth: usize) -> bool {
    let (Some(level), Some(rows)) = (piece.levels.get(depth), piece.point.len().checked_sub(2)) else { return false };
    let by = |subscript: &Affine| subscript.coefficient(&level.name);
    by(&piece.point[rows]) == 1 && piece.point[..rows].iter().all(|subscript| by(subscript) == 0)
}

/// Instructions that a bound takes.
fn terms(bound: &Bound) -> u64 {
    let twos = bound.divisor.trailing_zeros();
    let divides = if bound.divisor >> twos > 1 { DIVIDES } else { 0 };
    of_sum(&bound.numerator) + u64::from(twos) + divides
}

fn of_sum(affine: &Affine) -> u64 {
    let digits = |coefficient: i64| u64::from(coefficient.unsigned_abs().count_ones());
    let constant = u64::from(affine.constant != 0 || affine.terms.is_empty());
    affine.terms.values().map(|coefficient| digits(*coefficient)).sum::<u64>() + constant
}

/// A state machine needs a cycle more for those.
fn is_quotient(bound: &Bound) -> bool {
    bound.divisor.count_ones() > 1 && !bound.numerator.is_constant()
}

impl<'p, T: FnMut(&Piece, Rows) -> Takes> Walk<'_, 'p, T> {
    /// Another piece goes on inside of this one's innermost loop, which then has rows of one element.
    fn is_shared(&self, piece: &Piece) -> bool {
        let place = self.pieces.iter().position(|own| ptr::eq(own, piece));
        let next = place.and_then(|place| self.pieces.get(place + 1));
        next.is_some_and(|next| next.shared >= piece.levels.len())
    }

    fn give(&mut self, piece: &'p Piece, states: f64, [count, length]: [u64; 2], are_apart: bool) {
        let is_same = self.before.is_some_and(|before| ptr::eq(before, piece));
        let follow = follow(piece);
        let rows = Rows { count, length, are_apart, follows: is_same && !are_apart && follow, others_follow: follow };
        self.before = Some(piece);
        let takes = (self.take)(piece, rows);
        self.scanner.give(states, takes);
    }
}

impl<'p, T: FnMut(&Piece, Rows) -> Takes> Visitor<'p> for Walk<'_, 'p, T> {
    fn arrive(&mut self, piece: &'p Piece, depth: usize) -> ControlFlow<()> {
        self.scanner.budget -= 1.0;
        if self.scanner.budget < 0.0 {
            return ControlFlow::Break(());
        }
        let is_program = self.scanner.means == Means::Program;
        if depth == 0 && self.scanner.in_halves {
            self.scanner.half = 1 - self.scanner.half;
        }
        if let Some(level) = piece.levels.get(depth) {
            let cycles = self.scanner.opens(level, depth + 1 == piece.levels.len());
            self.scanner.goes_on(cycles);
        }
        if is_program && walk::guard_depth(piece) == depth && !piece.guards.is_empty() {
            self.scanner.goes_on((piece.guards.iter().map(of_sum).sum::<u64>() + SETTLES + 1) as f64);
        }
        ControlFlow::Continue(())
    }

    fn enter(&mut self, piece: &'p Piece, depth: usize, (low, high): (i64, i64)) -> Which {
        let length = high.saturating_sub(low).saturating_add(1).max(0) as u64;
        let means = self.scanner.means;
        if depth + 1 < piece.levels.len() || self.is_shared(piece) {
            // The loop is tested, and left behind its last iteration; a program jumps back.
            self.scanner.goes_on(match means {
                Means::Program if length == 0 => JUMP as f64,
                Means::Program => ((JUMP + 1) * length) as f64,
                _ if length == 0 => 1.0,
                _ => 2.0,
            });
            self.before = None;
            return Which::All;
        }
        let state = if means == Means::States { 1.0 } else { 0.0 };
        if length == 0 {
            self.scanner.goes_on(state);
        } else if means != Means::Pipeline && piece.is_apart() {
            let each = if means == Means::States { 2.0 } else { (SETTLES + JUMP + 2) as f64 };
            self.give(piece, 2.0 + each * length as f64, [length, 1], true);
        } else {
            self.give(piece, state, [1, length], false);
        }
        Which::First
    }

    fn point(&mut self, piece: &'p Piece, _: &mut Values) -> ControlFlow<()> {
        if piece.levels.is_empty() || self.is_shared(piece) {
            let states = if self.scanner.means == Means::Pipeline { 1.0 } else { 2.0 };
            self.give(piece, states, [1, 1], false);
        }
        ControlFlow::Continue(())
    }
}
