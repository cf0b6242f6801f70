//! Levels relative to their tile: `i = 32*T0 + i'`. An index that counts from the corner of its tile takes a few bits
//! where the source's own takes as many as the array is long, and so do its bounds, their comparison and all that
//! travels with a row.

use crate::hardware::circuit::variable::{Affine, Bound, Level, Piece};
use crate::hardware::tile::{Names, tile_part};
use crate::rtl::Type;

/// Rewrites the levels of the pieces of one scan. What a level's index takes from the tile goes into the points.
pub fn relative(names: &Names, pieces: &[Piece]) -> Vec<Piece> {
    let mut done: Vec<(Piece, Vec<Affine>)> = vec![];
    for piece in pieces {
        // A loop around several pieces is one loop.
        let (mut levels, mut origins) = match done.last() {
            Some((before, origins)) => (before.levels[..piece.shared].to_vec(), origins[..piece.shared].to_vec()),
            None => (vec![], vec![]),
        };
        let absolute = |affine: &Affine, origins: &[Affine]| {
            affine.substitute(|name| {
                let level = piece.levels[..origins.len()].iter().position(|l| l.name == *name);
                Affine::variable(name) + level.map_or(Affine::default(), |d| origins[d].clone())
            })
        };
        for level in &piece.levels[piece.shared..] {
            let bounds = |bounds: &[Bound]| {
                let of = |b: &Bound| Bound { numerator: absolute(&b.numerator, &origins), divisor: b.divisor };
                bounds.iter().map(of).collect()
            };
            let level = Level { lower: bounds(&level.lower), upper: bounds(&level.upper), ..level.clone() };
            let (level, origin) = from_origin(names, &levels, level);
            levels.push(level);
            origins.push(origin);
        }
        let piece = Piece {
            guards: piece.guards.iter().map(|g| absolute(g, &origins)).collect(),
            point: piece.point.iter().map(|p| absolute(p, &origins)).collect(),
            slacks: piece.slacks.iter().map(|s| absolute(s, &origins)).collect(),
            parts: piece.parts.iter().map(|p| absolute(p, &origins)).collect(),
            levels,
            ..piece.clone()
        };
        done.push((piece, origins));
    }
    done.into_iter().map(|(piece, _)| piece).collect()
}

/// The level counted from what one of its bounds takes from the tile, where that makes its index narrower, and that
/// origin.
fn from_origin(names: &Names, outer: &[Level], level: Level) -> (Level, Affine) {
    let range_of = |affine: &Affine| {
        affine.range(|name| {
            names
                .range(name)
                .or_else(|| outer.iter().find(|l| l.name == *name).map(|l| l.range))
                .expect("names of an outer scope")
        })
    };
    let mut best = (without_idle_bounds(&level, &range_of), Affine::default());
    for bound in level.lower.iter().chain(&level.upper).filter(|b| b.divisor == 1) {
        let origin = tile_part(&bound.numerator);
        if origin.is_constant() {
            continue;
        }
        let from =
            |b: &Bound| Bound { numerator: b.numerator.clone() - origin.clone() * b.divisor, divisor: b.divisor };
        let lower: Vec<Bound> = level.lower.iter().map(from).collect();
        let upper: Vec<Bound> = level.upper.iter().map(from).collect();
        let shift = range_of(&origin);
        let low = lower.iter().map(|b| -(-range_of(&b.numerator).0).div_euclid(b.divisor)).max();
        let high = upper.iter().map(|b| range_of(&b.numerator).1.div_euclid(b.divisor)).min();
        let low = low.unwrap_or(i64::MIN).max(level.range.0 - shift.1);
        let high = high.unwrap_or(i64::MAX).min(level.range.1 - shift.0);
        let width = |range: (i64, i64)| Type::for_range(range.0, range.1).width;
        if low <= high && width((low, high)) < width(best.0.range) {
            let level = Level { name: level.name.clone(), lower, upper, range: (low, high) };
            best = (without_idle_bounds(&level, &range_of), origin);
        }
    }
    best
}

/// Drops bounds that another one always beats.
fn without_idle_bounds(level: &Level, range_of: &impl Fn(&Affine) -> (i64, i64)) -> Level {
    let kept = |bounds: &[Bound], upper: bool| {
        let mut kept = bounds.to_vec();
        let beaten = |kept: &[Bound], b: usize| {
            kept.iter().enumerate().any(|(o, other)| {
                let comparable = o != b && other.divisor == 1 && kept[b].divisor == 1;
                let (low, high) = range_of(&(kept[b].numerator.clone() - other.numerator.clone()));
                comparable && if upper { low >= 0 } else { high <= 0 }
            })
        };
        while let Some(b) = (0..kept.len()).find(|&b| beaten(&kept, b)) {
            kept.remove(b);
        }
        kept
    };
    Level { lower: kept(&level.lower, false), upper: kept(&level.upper, true), ..level.clone() }
}
