//! The points of a [`Scan`](crate::offload::Scan)'s pieces, for given sizes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::affine::Affine;
use crate::offload::{Bound, Level, Piece};
use crate::source::kernel::Kernel;

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
    pub fn enter_tile(&mut self, kernel: &Kernel, tile: &[i64]) -> usize {
        let place = self.stack.len();
        self.stack.extend(kernel.tile_names(tile.len()).into_iter().zip(tile.iter().copied()));
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

/// How many of the outermost levels the guards of a piece name, up to the last one: levels that it shares with the piece
/// before it or with the one after it.
pub fn guard_depth(piece: &Piece) -> usize {
    let named = |name: &str| piece.guards.iter().any(|guard| guard.coefficient(name) != 0);
    piece.levels.iter().rposition(|level| named(&level.name)).map_or(0, |last| last + 1)
}

/// Whether the piece goes on inside its first `depth` levels.
pub fn goes_on(piece: &Piece, depth: usize, values: &Values) -> bool {
    depth != guard_depth(piece) || piece.guards.iter().all(|guard| values.evaluate(guard) >= 0)
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

/// Calls `act` at every point of pieces that share their first `depth` levels, in the order in which the hardware walks
/// them, until it breaks off.
pub fn in_order<'a>(
    pieces: &'a [Piece],
    depth: usize,
    values: &mut Values,
    act: &mut impl FnMut(&'a Piece, &mut Values) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut rest = pieces;
    while let Some(first) = rest.first() {
        let inside = 1 + rest[1..].iter().take_while(|piece| piece.shared > depth).count();
        let (group, others) = rest.split_at(inside);
        rest = others;
        // What no other piece shares is where the guards hold.
        if group.len() == 1 && first.guards.iter().any(|guard| values.evaluate(guard) < 0) {
            continue;
        }
        let Some(level) = first.levels.get(depth) else {
            act(first, values)?;
            continue;
        };
        let (lower, upper) = values.interval(level);
        let place = values.stack.len();
        values.stack.push((level.name.clone(), 0));
        for value in lower..=upper {
            values.stack[place].1 = value;
            let outcome = in_order(group, depth + 1, values, act);
            if outcome.is_break() {
                values.stack.truncate(place);
                return outcome;
            }
        }
        values.stack.truncate(place);
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::StatementId;

    #[test]
    fn bounds_round_towards_the_inside() {
        let bound = |numerator: Affine, divisor| Bound { numerator, divisor };
        let n = || Affine::variable("N");
        let values = Values::new(&BTreeMap::from([("N".to_string(), -7)]));
        assert_eq!(values.lower(&[bound(n(), 2)]), -3);
        assert_eq!(values.upper(&[bound(n(), 2)]), -4);
        assert_eq!(values.lower(&[bound(n(), 2), bound(Affine::constant(5), 2)]), 3);
    }

    #[test]
    fn pieces_that_share_a_loop_take_turns_in_it() {
        let level = |name: &str, last: i64| Level {
            name: name.into(),
            lower: vec![Bound { numerator: Affine::constant(0), divisor: 1 }],
            upper: vec![Bound { numerator: Affine::constant(last), divisor: 1 }],
            range: (0, last),
        };
        let piece = |leaf, shared, inner: &str, guards: Vec<Affine>| Piece {
            shared,
            leaf: StatementId(leaf).into(),
            guards,
            levels: vec![level("i", 1), level(inner, 1)],
            point: vec![Affine::variable("i"), Affine::variable(inner)],
            slacks: vec![],
        };
        // The second runs where i is 1 only, the third in a loop of its own.
        let second = piece(1, 1, "k", vec![Affine::variable("i") - Affine::constant(1)]);
        let pieces = [piece(0, 0, "j", vec![]), second, piece(2, 0, "j", vec![])];
        let mut values = Values::new(&BTreeMap::new());
        let mut seen = vec![];
        let mut act = |piece: &Piece, values: &mut Values| {
            let point: Vec<i64> = piece.point.iter().map(|p| values.evaluate(p)).collect();
            seen.push((piece.leaf.statement().0, point[0], point[1]));
            if seen.len() < 8 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        assert!(in_order(&pieces, 0, &mut values, &mut act).is_break());
        let expected = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 1, 0), (1, 1, 1), (2, 0, 0), (2, 0, 1)];
        assert_eq!(seen, expected);
        assert!(values.stack.is_empty());
    }
}
