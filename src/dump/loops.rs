//! A [`Scan`] as the loops that the hardware walks, in C: `max`, `min`, `ceild` and `floord` (division by a positive number,
//! rounded up and down) are the only functions; what a piece visits is a call.
//!
//! ```text
//! for (i = max(32*T0, 0); i <= min(N - 1, 32*T0 + 31); i++)    // 0 to 1023
//!     if (T2 <= 0)
//!         for (k = 32*T2; k <= floord(N - 1, 2); k++)    // 0 to 511
//!             a(i, k);
//! ```
//!
//! Pieces that share loops stand in them one after the other, as [`crate::walk::in_order`] visits them. Behind a loop
//! stands the interval of all its values.

use std::fmt::Write as _;

use crate::affine::Affine;
use crate::offload::{Bound, Level, Piece, Scan};
use crate::walk::by_loop;

/// The loops of `scan`, indented by `depth` steps; `visit` gives the call at a piece's point.
pub fn text(scan: &Scan, depth: usize, visit: &dyn Fn(&Piece) -> String) -> String {
    let mut text = String::new();
    if scan.pieces.is_empty() {
        let _ = writeln!(text, "{:1$}// nothing", "", 4 * depth);
    }
    pieces(&scan.pieces, 0, depth, visit, &mut text);
    text
}

/// Pieces inside their first `level` loops, which they share. Nothing has a value here, so this is no
/// [`Visitor`](crate::walk::Visitor)'s walk.
fn pieces(all: &[Piece], level: usize, depth: usize, visit: &dyn Fn(&Piece) -> String, text: &mut String) {
    for group in by_loop(all, level) {
        if let [alone] = group {
            piece(alone, level, depth, visit, text);
        } else if let Some(outer) = group[0].levels.get(level) {
            let _ = writeln!(text, "{:1$}{2} {{    {3}", "", 4 * depth, head(outer), range(outer));
            pieces(group, level + 1, depth + 1, visit, text);
            let _ = writeln!(text, "{:1$}}}", "", 4 * depth);
        }
    }
}

/// What one piece has for itself.
fn piece(piece: &Piece, level: usize, mut depth: usize, visit: &dyn Fn(&Piece) -> String, text: &mut String) {
    if !piece.guards.is_empty() {
        let guards: Vec<String> = piece.guards.iter().map(Affine::at_least_zero).collect();
        let _ = writeln!(text, "{:1$}if ({2})", "", 4 * depth, guards.join(" && "));
        depth += 1;
    }
    for own in piece.levels.iter().skip(level) {
        let _ = writeln!(text, "{:1$}{2}    {3}", "", 4 * depth, head(own), range(own));
        depth += 1;
    }
    let _ = writeln!(text, "{:1$}{2}", "", 4 * depth, visit(piece));
}

fn head(level: &Level) -> String {
    let Level { name, lower, upper, .. } = level;
    format!("for ({name} = {}; {name} <= {}; {name}++)", bounds("max", "ceild", lower), bounds("min", "floord", upper))
}

fn range(level: &Level) -> String {
    format!("// {} to {}", level.range.0, level.range.1)
}

fn bounds(extreme: &str, division: &str, of: &[Bound]) -> String {
    let bound = |bound: &Bound| match bound.divisor {
        1 => bound.numerator.to_string(),
        divisor => format!("{division}({}, {divisor})", bound.numerator),
    };
    nested(extreme, &of.iter().map(bound).collect::<Vec<_>>())
}

/// `max(a, max(b, c))`
pub fn nested(extreme: &str, values: &[String]) -> String {
    match values {
        [] => "none".to_string(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{extreme}({first}, {})", nested(extreme, rest)),
    }
}

/// `name(i, j);`
pub fn call(name: &str, point: &[Affine]) -> String {
    let point: Vec<String> = point.iter().map(Affine::to_string).collect();
    format!("{name}({});", point.join(", "))
}
