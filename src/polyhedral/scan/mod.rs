//! isl sets to [`Scan`]s: disjoint convex pieces, each a loop nest that visits every point once.
//!
//! Level by level, the inner dimensions are projected out and what the levels further out already enforce is dropped.
//! A bound of an outer level may be looser than the exact integer shadow (then some inner interval is empty); the
//! points visited are exactly the set's, because every constraint is enforced at its innermost variable.

mod linear;
mod nest;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::BTreeSet;

use anyhow::{Result, anyhow};

use super::isl::{BasicSet, Constraint, Context, Set, Tuple};
use crate::affine::Affine;
use crate::offload::{Piece, Scan};
pub use linear::solve;
use nest::Nest;
pub use tree::{Branch, Tree, scan_tree};

/// Which levels with a single value become part of the point instead of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// None: every dimension stays a level.
    Keep,
    /// All but the innermost dimension, which is the row; that one goes only where it is a multiple of a level made
    /// for it.
    DropOuter,
    /// All, as long as one level stays.
    Drop,
}

/// What to scan.
pub struct Request<'a> {
    /// Size parameters and tile indices in scope.
    pub parameters: &'a [String],
    /// What holds of the parameters whenever the scan runs.
    pub context: &'a [Constraint],
    /// `[N, T0, T1] -> { [x0, x1] }`
    pub set: &'a Set,
    /// Names of the set's dimensions, outermost level first.
    pub names: &'a [String],
    pub fixed: Fixed,
    /// Names that the point gives: dimensions, or unknowns of `definitions`.
    pub point: &'a [String],
    /// Expressions over parameters, dimensions and unknowns that are 0.
    pub definitions: &'a [Affine],
    /// Expressions over parameters and dimensions, for [`Piece::slacks`].
    pub slacks: &'a [Affine],
    /// Whether points must come in the lexicographic order of the dimensions. Otherwise they do inside a piece whose
    /// constraints need no floors, and pieces come in any order.
    pub in_order: bool,
}

/// What becomes of a set.
pub enum Scanned {
    Scan(Scan),
    /// The point is no integer affine function of the levels.
    NoPoint,
    /// No sequence of the pieces has the points in their order.
    Entangled,
}

/// The loop nests that visit `request.set`.
///
/// # Errors
/// Where a dimension has no bound.
pub fn scan(isl: &Context, request: &Request) -> Result<Scanned> {
    let context = isl.parameter_set(request.parameters, request.context)?;
    let set = request.set.without_tuple_name()?.intersect_params(&context)?;
    let mut convex = disjoint_pieces(&set, &context)?;
    if request.in_order {
        match in_sequence(convex)? {
            Some(sequence) => convex = sequence,
            None => return Ok(Scanned::Entangled),
        }
    }
    let mut pieces = vec![];
    for convex in convex {
        match piece(isl, request, &convex)? {
            Found::Piece(piece) => pieces.push(piece),
            Found::Nothing => {}
            Found::NoPoint => return Ok(Scanned::NoPoint),
            Found::Unordered => return Ok(Scanned::Entangled),
        }
    }
    Ok(Scanned::Scan(Scan { pieces }))
}

/// The pieces so that, whatever the parameters, all points of one come before those of the next; `None` where two of
/// them interleave.
fn in_sequence(mut pieces: Vec<BasicSet>) -> Result<Option<Vec<BasicSet>>> {
    let mut sequence = vec![];
    while pieces.len() > 1 {
        let mut first = None;
        for (k, piece) in pieces.iter().enumerate() {
            let mut is_first = true;
            for (_, other) in pieces.iter().enumerate().filter(|(o, _)| *o != k) {
                let (own, others) = (piece.to_set()?.identity()?, other.to_set()?.identity()?);
                is_first = is_first && own.lex_gt_map(&others)?.is_empty()?;
            }
            if is_first {
                first = Some(k);
                break;
            }
        }
        match first {
            Some(k) => sequence.push(pieces.remove(k)),
            None => return Ok(None),
        }
    }
    sequence.extend(pieces);
    Ok(Some(sequence))
}

/// Pieces up to which several ways to merge them are tried.
const MANY_PIECES: usize = 8;

/// Few disjoint convex pieces, all existentially quantified variables floors.
fn disjoint_pieces(set: &Set, context: &Set) -> Result<Vec<BasicSet>> {
    // Without what the context says, pieces merge more often; with many of them, finding out takes long.
    let candidates = match set.pieces()?.len() {
        0..=MANY_PIECES => {
            let plain = set.coalesce()?;
            vec![plain.gist_params(context)?.coalesce()?.intersect_params(context)?, plain]
        }
        _ => vec![set.clone()],
    };
    let mut best: Option<Vec<BasicSet>> = None;
    for candidate in candidates {
        let candidate = candidate.compute_divs()?;
        let disjoint = candidate.make_disjoint()?;
        let merged = disjoint.coalesce()?;
        for choice in [merged, disjoint] {
            let pieces: Vec<BasicSet> = nonempty(choice.compute_divs()?.pieces()?)?;
            if best.as_ref().is_none_or(|b| pieces.len() < b.len()) && are_disjoint(&pieces)? {
                best = Some(pieces);
            }
        }
        if best.as_ref().is_some_and(|b| b.len() <= 1) {
            break;
        }
    }
    best.ok_or_else(|| anyhow!("internal error: no disjoint pieces of {set}"))
}

fn nonempty(pieces: Vec<BasicSet>) -> Result<Vec<BasicSet>> {
    let mut kept = vec![];
    for piece in pieces {
        if !piece.is_empty()? {
            kept.push(piece);
        }
    }
    Ok(kept)
}

fn are_disjoint(pieces: &[BasicSet]) -> Result<bool> {
    for (k, one) in pieces.iter().enumerate() {
        for other in &pieces[k + 1..] {
            if !one.is_disjoint(other)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

enum Found {
    Piece(Piece),
    /// The piece is empty for all sizes in the context.
    Nothing,
    /// The point is no integer affine function of the levels.
    NoPoint,
    /// The points do not come in their order.
    Unordered,
}

/// A variable of the loop nest: a dimension of the set, or a floor that the set's constraints need.
struct Variable {
    name: String,
    is_floor: bool,
}

/// The set's dimensions with the floors it needs, each before the innermost dimension that it depends on, and all
/// constraints over them. Where points are to come in order, a floor that falls as that dimension grows is replaced by its
/// negative; `None` where one does neither.
fn variables(request: &Request, convex: &BasicSet) -> Result<Option<(Vec<Variable>, Vec<Constraint>)>> {
    let mut taken: BTreeSet<&String> = request.parameters.iter().chain(request.names).chain(request.point).collect();
    let fresh: Vec<String> =
        (0..).map(|k| format!("q{k}")).filter(|name| !taken.contains(name)).take(convex.locals()?).collect();
    taken.extend(&fresh);
    let names: Vec<String> = request.names.iter().chain(&fresh).cloned().collect();
    let mut constraints = convex.constraints(&names)?;
    let mut innermost: Vec<Option<usize>> = vec![];
    // Per floor, 1 where it grows with that dimension, -1 where it falls.
    let mut directions: Vec<i64> = vec![];
    for (name, floor) in fresh.iter().zip(convex.divisions(&names)?) {
        let floor =
            floor.ok_or_else(|| anyhow!("internal error: a quantified variable that is no floor in {convex}"))?;
        let depth = floor.numerator.terms.keys().filter_map(|n| {
            let own = request.names.iter().position(|d| d == n);
            own.or_else(|| fresh.iter().position(|f| f == n).and_then(|p| innermost.get(p).copied().flatten()))
        });
        let depth = depth.max();
        let slopes: Vec<i64> = floor
            .numerator
            .terms
            .iter()
            .filter_map(|(n, factor)| {
                let own = request.names.iter().position(|d| d == n).filter(|d| Some(*d) == depth).map(|_| 1);
                let floor =
                    || fresh.iter().position(|f| f == n).filter(|p| innermost[*p] == depth).map(|p| directions[p]);
                own.or_else(floor).map(|direction| direction * factor.signum())
            })
            .collect();
        let falls = slopes.contains(&-1) && depth.is_some();
        if request.in_order && falls && slopes.contains(&1) {
            return Ok(None);
        }
        innermost.push(depth);
        directions.push(if falls { -1 } else { 1 });
        let remainder = floor.numerator - Affine::variable(name) * floor.denominator;
        constraints.push(Constraint::at_most(remainder.clone(), Affine::constant(floor.denominator - 1)));
        constraints.push(Constraint::NonNegative(remainder));
    }
    if request.in_order {
        let falling: Vec<&String> = fresh.iter().zip(&directions).filter(|(_, d)| **d < 0).map(|(n, _)| n).collect();
        let turned = |affine: &Affine| {
            affine.substitute(|n| Affine::variable(n) * if falling.iter().any(|f| *f == n) { -1 } else { 1 })
        };
        for constraint in &mut constraints {
            *constraint = match constraint {
                Constraint::Zero(affine) => Constraint::Zero(turned(affine)),
                Constraint::NonNegative(affine) => Constraint::NonNegative(turned(affine)),
            };
        }
    }
    let floors_at = |depth: Option<usize>| {
        let here = fresh.iter().zip(&innermost).filter(move |(_, d)| **d == depth);
        here.map(|(name, _)| Variable { name: name.clone(), is_floor: true }).collect::<Vec<_>>()
    };
    let mut variables = floors_at(None);
    for (depth, name) in request.names.iter().enumerate() {
        variables.extend(floors_at(Some(depth)));
        variables.push(Variable { name: name.clone(), is_floor: false });
    }
    Ok(Some((variables, constraints)))
}

/// The loop nest of one convex piece.
fn piece(isl: &Context, request: &Request, convex: &BasicSet) -> Result<Found> {
    let Some((variables, constraints)) = variables(request, convex)? else { return Ok(Found::Unordered) };
    let names: Vec<String> = variables.iter().map(|v| v.name.clone()).collect();
    let whole = isl.basic_set(request.parameters, Tuple::unnamed(&names), &constraints)?;

    let mut nest = Nest::new(isl, request);
    let mut enforced: Vec<Constraint> = request.context.to_vec();
    let mut equalities: Vec<Affine> = vec![];
    for (depth, variable) in variables.iter().enumerate() {
        let outer = Tuple::unnamed(&names[..=depth]);
        // Without the floors that an inexact projection leaves: a superset, tightened further in.
        let shadow = whole
            .project_out(depth + 1, names.len() - depth - 1)?
            .remove_divs()?
            .detect_equalities()?
            .remove_redundancies()?;
        if shadow.is_empty()? {
            return Ok(Found::Nothing);
        }
        let known = isl.basic_set(request.parameters, outer, &enforced)?;
        let news = shadow.gist(&known)?.remove_redundancies()?.constraints(outer.dimensions)?;
        enforced.extend(news.iter().cloned());
        equalities.extend(news.iter().filter_map(|c| match c {
            Constraint::Zero(affine) => Some(affine.clone()),
            Constraint::NonNegative(_) => None,
        }));

        let value = nest.value_of(&variable.name, &equalities);
        let is_row = depth + 1 == variables.len();
        let has_own_floor = depth > 0 && variables[depth - 1].is_floor && nest.has_level(&names[depth - 1]);
        let may_drop = match request.fixed {
            Fixed::Keep => false,
            Fixed::DropOuter => !is_row || has_own_floor,
            Fixed::Drop => !is_row || !nest.is_empty(),
        };
        match value {
            Some(value) if may_drop => nest.add_value(&variable.name, value),
            _ => nest.add_level(&variable.name),
        }
        for constraint in news {
            if !nest.enforce(constraint) {
                return Ok(Found::Nothing);
            }
        }
    }
    nest.remove_redundancies()?;
    match nest.point(request, &equalities) {
        Some(point) => nest.finish(point, request.slacks),
        None => Ok(Found::NoPoint),
    }
}
