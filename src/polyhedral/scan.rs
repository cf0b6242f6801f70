//! isl sets to [`Scan`]s: disjoint convex pieces, each a loop nest that visits every point once.
//!
//! Level by level, the inner dimensions are projected out and what the levels further out already enforce is dropped.
//! A bound of an outer level may be looser than the exact integer shadow (then some inner interval is empty); the
//! points visited are exactly the set's, because every constraint is enforced at its innermost variable.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow, bail};

use super::isl::{BasicSet, Bounded, Constraint, Context, Set, Tuple};
use crate::affine::Affine;
use crate::offload::{Bound, Level, Piece, Scan};

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
}

/// The loop nests that visit `request.set`; `None` where the point is no integer affine function of the levels.
///
/// # Errors
/// Where a dimension has no bound.
pub fn scan(isl: &Context, request: &Request) -> Result<Option<Scan>> {
    let context = isl.parameter_set(request.parameters, request.context)?;
    let set = request.set.without_tuple_name()?.intersect_params(&context)?;
    let mut pieces = vec![];
    for convex in disjoint_pieces(&set, &context)? {
        match piece(isl, request, &convex)? {
            Found::Piece(piece) => pieces.push(piece),
            Found::Nothing => {}
            Found::NoPoint => return Ok(None),
        }
    }
    Ok(Some(Scan { pieces }))
}

/// Few disjoint convex pieces, all existentially quantified variables floors.
fn disjoint_pieces(set: &Set, context: &Set) -> Result<Vec<BasicSet>> {
    let plain = set.coalesce()?;
    let simplified = plain.gist_params(context)?.coalesce()?.intersect_params(context)?;
    let mut best: Option<Vec<BasicSet>> = None;
    for candidate in [simplified, plain] {
        let candidate = candidate.compute_divs()?;
        let disjoint = candidate.make_disjoint()?;
        let merged = disjoint.coalesce()?;
        for choice in [merged, disjoint] {
            let pieces: Vec<BasicSet> = nonempty(choice.compute_divs()?.pieces()?)?;
            if are_disjoint(&pieces)? && best.as_ref().is_none_or(|b| pieces.len() < b.len()) {
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
}

/// A variable of the loop nest: a dimension of the set, or a floor that the set's constraints need.
struct Variable {
    name: String,
    is_floor: bool,
}

/// The set's dimensions with the floors it needs, each before the innermost dimension that it depends on, and all
/// constraints over them.
fn variables(request: &Request, convex: &BasicSet) -> Result<(Vec<Variable>, Vec<Constraint>)> {
    let mut taken: BTreeSet<&String> = request.parameters.iter().chain(request.names).chain(request.point).collect();
    let fresh: Vec<String> =
        (0..).map(|k| format!("q{k}")).filter(|name| !taken.contains(name)).take(convex.locals()?).collect();
    taken.extend(&fresh);
    let names: Vec<String> = request.names.iter().chain(&fresh).cloned().collect();
    let mut constraints = convex.constraints(&names)?;
    let mut innermost: Vec<Option<usize>> = vec![];
    for (name, floor) in fresh.iter().zip(convex.divisions(&names)?) {
        let floor =
            floor.ok_or_else(|| anyhow!("internal error: a quantified variable that is no floor in {convex}"))?;
        let depth = floor.numerator.terms.keys().filter_map(|n| {
            let own = request.names.iter().position(|d| d == n);
            own.or_else(|| fresh.iter().position(|f| f == n).and_then(|p| innermost.get(p).copied().flatten()))
        });
        innermost.push(depth.max());
        let remainder = floor.numerator - Affine::variable(name) * floor.denominator;
        constraints.push(Constraint::at_most(remainder.clone(), Affine::constant(floor.denominator - 1)));
        constraints.push(Constraint::NonNegative(remainder));
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
    Ok((variables, constraints))
}

/// The loop nest of one convex piece.
fn piece(isl: &Context, request: &Request, convex: &BasicSet) -> Result<Found> {
    let (variables, constraints) = variables(request, convex)?;
    let names: Vec<String> = variables.iter().map(|v| v.name.clone()).collect();
    let whole = isl.basic_set(request.parameters, Tuple::unnamed(&names), &constraints)?;

    let mut nest = Nest {
        isl,
        parameters: request.parameters,
        context: request.context,
        guards: vec![],
        levels: vec![],
        values: BTreeMap::new(),
    };
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

        let unknowns: Vec<&String> = nest.values.keys().chain([&variable.name]).collect();
        let value = solve(&unknowns, &equalities).remove(&variable.name);
        let is_row = depth + 1 == variables.len();
        let has_own_floor = depth > 0 && variables[depth - 1].is_floor && nest.has_level(&names[depth - 1]);
        let may_drop = match request.fixed {
            Fixed::Keep => false,
            Fixed::DropOuter => !is_row || has_own_floor,
            Fixed::Drop => !is_row || !nest.levels.is_empty(),
        };
        match value {
            Some(value) if may_drop => {
                nest.values.insert(variable.name.clone(), value);
            }
            _ => nest.levels.push((variable.name.clone(), vec![])),
        }
        for constraint in news {
            if !nest.enforce(constraint) {
                return Ok(Found::Nothing);
            }
        }
    }
    nest.remove_redundancies()?;
    match nest.point(request, &equalities) {
        Some(point) => nest.finish(point),
        None => Ok(Found::NoPoint),
    }
}

/// A loop nest under construction: its constraints, each at the innermost level that it names.
struct Nest<'a> {
    isl: &'a Context,
    parameters: &'a [String],
    context: &'a [Constraint],
    guards: Vec<Constraint>,
    levels: Vec<(String, Vec<Constraint>)>,
    /// Variables that are no level, over parameters and levels.
    values: BTreeMap<String, Affine>,
}

impl Nest<'_> {
    fn has_level(&self, name: &str) -> bool {
        self.levels.iter().any(|(n, _)| n == name)
    }

    fn over_levels(&self, affine: &Affine) -> Affine {
        affine.substitute(|name| self.values.get(name).cloned().unwrap_or_else(|| Affine::variable(name)))
    }

    /// Files a constraint; `false` where it can never hold.
    fn enforce(&mut self, constraint: Constraint) -> bool {
        let affine = self.over_levels(constraint.affine());
        let Some(constraint) = normalised(&constraint, affine) else {
            return false;
        };
        let affine = constraint.affine();
        if affine.is_constant() {
            return matches!(&constraint, Constraint::NonNegative(a) if a.constant >= 0) || affine.constant == 0;
        }
        let level = self.levels.iter_mut().rev().find(|(name, _)| affine.coefficient(name) != 0);
        let place = level.map_or(&mut self.guards, |(_, constraints)| constraints);
        if !place.contains(&constraint) {
            place.push(constraint);
        }
        true
    }

    /// Drops constraints that the context, the levels further out and the others of the same level imply; of an
    /// equality, the half that is implied.
    fn remove_redundancies(&mut self) -> Result<()> {
        let mut outside: Vec<Constraint> = self.context.to_vec();
        for depth in 0..=self.levels.len() {
            let names: Vec<String> = self.levels[..depth].iter().map(|(n, _)| n.clone()).collect();
            let group = match depth {
                0 => &self.guards,
                _ => &self.levels[depth - 1].1,
            };
            let mut kept = halves(group);
            // The bulkiest first: a short bound is cheaper than a long one.
            kept.sort_by_key(|c| std::cmp::Reverse(bulk(c.affine(), names.last())));
            let mut k = 0;
            while k < kept.len() {
                let candidate = kept.remove(k);
                let negated = Constraint::NonNegative(-candidate.affine().clone() - Affine::constant(1));
                let others: Vec<Constraint> = outside.iter().chain(&kept).cloned().chain([negated]).collect();
                let tuple = Tuple::unnamed(&names);
                if !self.isl.basic_set(self.parameters, tuple, &others)?.is_empty()? {
                    kept.insert(k, candidate);
                    k += 1;
                }
            }
            kept.reverse();
            outside.extend(kept.iter().cloned());
            match depth {
                0 => self.guards = kept,
                _ => self.levels[depth - 1].1 = kept,
            }
        }
        Ok(())
    }

    /// The request's point over parameters and levels.
    fn point(&self, request: &Request, equalities: &[Affine]) -> Option<Vec<Affine>> {
        let is_unknown = |name: &&String| !self.has_level(name) && !self.values.contains_key(*name);
        let unknowns: Vec<&String> = self.values.keys().chain(request.point.iter().filter(is_unknown)).collect();
        let all: Vec<Affine> = equalities.iter().chain(request.definitions).cloned().collect();
        let solved = solve(&unknowns, &all);
        let value = |name: &String| match self.has_level(name) {
            true => Some(Affine::variable(name)),
            false => solved.get(name).cloned(),
        };
        request.point.iter().map(value).collect()
    }

    fn finish(self, point: Vec<Affine>) -> Result<Found> {
        let mut levels = vec![];
        let mut known: Vec<Constraint> = self.context.iter().chain(&self.guards).cloned().collect();
        let names: Vec<String> = self.levels.iter().map(|(n, _)| n.clone()).collect();
        for (depth, (name, constraints)) in self.levels.iter().enumerate() {
            known.extend(constraints.iter().cloned());
            let tuple = Tuple::unnamed(&names[..=depth]);
            let values = self.isl.set(self.parameters, tuple, &known)?;
            let range = match (values.minimum(depth)?, values.maximum(depth)?) {
                (Bounded::Finite(low), Bounded::Finite(high)) => (low, high),
                (Bounded::Empty, _) | (_, Bounded::Empty) => return Ok(Found::Nothing),
                _ => bail!("the level {name} has no bound for the sizes allowed"),
            };
            let mut level = Level { name: name.clone(), lower: vec![], upper: vec![], range };
            for constraint in constraints {
                let coefficient = constraint.affine().coefficient(name);
                let rest = constraint.affine().clone() - Affine::variable(name) * coefficient;
                match coefficient > 0 {
                    true => level.lower.push(Bound { numerator: -rest, divisor: coefficient }),
                    false => level.upper.push(Bound { numerator: rest, divisor: -coefficient }),
                }
            }
            if level.lower.is_empty() || level.upper.is_empty() {
                bail!("internal error: the level {name} lacks a bound");
            }
            levels.push(level);
        }
        let guards = self.guards.iter().map(|g| g.affine().clone()).collect();
        Ok(Found::Piece(Piece { guards, levels, point }))
    }
}

/// Equalities as two inequalities.
fn halves(constraints: &[Constraint]) -> Vec<Constraint> {
    let mut result = vec![];
    for constraint in constraints {
        result.push(Constraint::NonNegative(constraint.affine().clone()));
        if let Constraint::Zero(affine) = constraint {
            result.push(Constraint::NonNegative(-affine.clone()));
        }
    }
    result
}

/// How much hardware a constraint takes as a bound of `level`.
fn bulk(affine: &Affine, level: Option<&String>) -> (i64, usize, i64) {
    let divisor = level.map_or(1, |name| affine.coefficient(name).abs());
    (divisor, affine.terms.len(), affine.terms.values().map(|c| c.abs()).sum())
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// `constraint` over `affine`, its coefficients without a common factor; `None` where no integers satisfy it.
fn normalised(constraint: &Constraint, mut affine: Affine) -> Option<Constraint> {
    let factor = affine.terms.values().fold(0, |g, &c| gcd(g, c)).max(1);
    if matches!(constraint, Constraint::Zero(_)) && affine.constant % factor != 0 {
        return None;
    }
    affine.terms.values_mut().for_each(|c| *c /= factor);
    affine.constant = affine.constant.div_euclid(factor);
    Some(match constraint {
        Constraint::Zero(_) => Constraint::Zero(affine),
        Constraint::NonNegative(_) => Constraint::NonNegative(affine),
    })
}

/// Solves `equalities` (each 0) for the unknowns: those that are integer affine functions of the other names.
fn solve(unknowns: &[&String], equalities: &[Affine]) -> BTreeMap<String, Affine> {
    let mut rows: Vec<Affine> = equalities.to_vec();
    let mut solved: Vec<(&String, Affine)> = vec![];
    for &unknown in unknowns {
        let pivot = (0..rows.len())
            .filter(|&r| rows[r].coefficient(unknown) != 0)
            .min_by_key(|&r| rows[r].coefficient(unknown).abs());
        let Some(pivot) = pivot else { continue };
        let pivot = rows.remove(pivot);
        let eliminate = |row: &Affine| -> Affine {
            let (own, other) = (pivot.coefficient(unknown), row.coefficient(unknown));
            if other == 0 {
                return row.clone();
            }
            let mut row = row.clone() * own - pivot.clone() * other;
            let factor = row.terms.values().fold(row.constant, |g, &c| gcd(g, c)).abs().max(1);
            row.terms.values_mut().for_each(|c| *c /= factor);
            row.constant /= factor;
            row
        };
        rows = rows.iter().map(eliminate).collect();
        solved.iter_mut().for_each(|(_, row)| *row = eliminate(row));
        solved.push((unknown, pivot));
    }
    let mut values = BTreeMap::new();
    for (unknown, row) in solved {
        let coefficient = row.coefficient(unknown);
        let rest = row - Affine::variable(unknown) * coefficient;
        let is_known = unknowns.iter().all(|u| rest.coefficient(u) == 0);
        let divides = rest.terms.values().chain([&rest.constant]).all(|c| c % coefficient == 0);
        if is_known && divides {
            let mut value = -rest;
            value.terms.values_mut().for_each(|c| *c /= coefficient);
            value.constant /= coefficient;
            values.insert(unknown.clone(), value);
        }
    }
    values
}
