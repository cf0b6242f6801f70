//! The points of a [`Scan`](crate::offload::Scan)'s pieces, for given sizes.

use std::collections::BTreeMap;

use crate::affine::Affine;
use crate::offload::{Bound, Level, Piece};

/// Names with their values, innermost last.
pub struct Values {
    pub stack: Vec<(String, i64)>,
}

impl Values {
    /// The values of sizes.
    pub fn new(sizes: &BTreeMap<String, i64>) -> Self {
        Values { stack: sizes.iter().map(|(name, value)| (name.clone(), *value)).collect() }
    }

    /// Puts the indices of a tile on the stack; gives the length that it had.
    pub fn enter_tile(&mut self, tile: &[i64]) -> usize {
        let place = self.stack.len();
        self.stack.extend(tile.iter().enumerate().map(|(d, value)| (format!("T{d}"), *value)));
        place
    }

    /// The value of an expression; names without one are 0.
    pub fn evaluate(&self, expression: &Affine) -> i64 {
        expression.evaluate(|name| self.stack.iter().rev().find(|(n, _)| n == name).map_or(0, |(_, value)| *value))
    }

    fn lower(&self, bounds: &[Bound]) -> i64 {
        // The quotient, rounded up.
        let ceil = |b: &Bound| -(-self.evaluate(&b.numerator)).div_euclid(b.divisor);
        bounds.iter().map(ceil).max().unwrap_or(0)
    }

    fn upper(&self, bounds: &[Bound]) -> i64 {
        bounds.iter().map(|b| self.evaluate(&b.numerator).div_euclid(b.divisor)).min().unwrap_or(-1)
    }

    /// The values of a level, empty where the second is less than the first.
    pub fn interval(&self, level: &Level) -> (i64, i64) {
        (self.lower(&level.lower), self.upper(&level.upper))
    }
}

/// Whether the piece goes on inside its first `depth` levels; guards name shared levels only.
pub fn goes_on(piece: &Piece, depth: usize, values: &Values) -> bool {
    depth != piece.shared || piece.guards.iter().all(|guard| values.evaluate(guard) >= 0)
}

/// Calls `act` at every point of a piece inside its first `depth` levels, with the levels' values on the stack.
pub fn visit(piece: &Piece, depth: usize, values: &mut Values, act: &mut impl FnMut(&mut Values)) {
    if !goes_on(piece, depth, values) {
        return;
    }
    let Some(level) = piece.levels.get(depth) else { return act(values) };
    let (lower, upper) = values.interval(level);
    let place = values.stack.len();
    values.stack.push((level.name.clone(), 0));
    for value in lower..=upper {
        values.stack[place].1 = value;
        visit(piece, depth + 1, values, act);
    }
    values.stack.truncate(place);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_round_towards_the_inside() {
        let bound = |numerator: Affine, divisor| Bound { numerator, divisor };
        let n = || Affine::variable("N");
        let values = Values::new(&BTreeMap::from([("N".to_string(), -7)]));
        assert_eq!(values.lower(&[bound(n(), 2)]), -3);
        assert_eq!(values.upper(&[bound(n(), 2)]), -4);
        assert_eq!(values.lower(&[bound(n(), 2), bound(Affine::constant(5), 2)]), 3);
    }
}
