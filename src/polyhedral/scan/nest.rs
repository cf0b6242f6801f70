//! One piece of a scan under construction.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::linear::{normalised, solve};
use super::{Found, Request};
use crate::affine::Affine;
use crate::offload::Leaf;
use crate::offload::{Bound, Level, Piece};
use crate::polyhedral::isl::{Bounded, Constraint, Context, Tuple};

/// A loop nest under construction: its constraints, each at the innermost level that it names.
pub(super) struct Nest<'a> {
    isl: &'a Context,
    parameters: &'a [String],
    context: &'a [Constraint],
    guards: Vec<Constraint>,
    levels: Vec<(String, Vec<Constraint>)>,
    /// Variables that are no level, over parameters and levels.
    values: BTreeMap<String, Affine>,
}

impl<'a> Nest<'a> {
    pub(super) fn new(isl: &'a Context, request: &Request<'a>) -> Self {
        Nest {
            isl,
            parameters: request.parameters,
            context: request.context,
            guards: vec![],
            levels: vec![],
            values: BTreeMap::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Opens the next level inwards.
    pub(super) fn add_level(&mut self, name: &str) {
        self.levels.push((name.to_string(), vec![]));
    }

    /// A variable that is no level but `value`, over parameters and levels.
    pub(super) fn add_value(&mut self, name: &str, value: Affine) {
        self.values.insert(name.to_string(), value);
    }

    /// The variable over parameters and levels, where `equalities` make it an integer function of them.
    pub(super) fn value_of(&self, name: &String, equalities: &[Affine]) -> Option<Affine> {
        let unknowns: Vec<&String> = self.values.keys().chain([name]).collect();
        solve(&unknowns, equalities).remove(name)
    }

    pub(super) fn has_level(&self, name: &str) -> bool {
        self.levels.iter().any(|(n, _)| n == name)
    }

    fn over_levels(&self, affine: &Affine) -> Affine {
        affine.substitute(|name| self.values.get(name).cloned().unwrap_or_else(|| Affine::variable(name)))
    }

    /// Files a constraint; `false` where it can never hold.
    pub(super) fn enforce(&mut self, constraint: Constraint) -> bool {
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
    /// equality, the half that is implied. A guard also goes where the outermost interval is empty without it.
    pub(super) fn remove_redundancies(&mut self) -> Result<()> {
        let mut outside: Vec<Constraint> = self.context.to_vec();
        self.guards = self.irredundant(&self.guards, 0, &outside)?;
        outside.extend(self.guards.iter().cloned());
        for depth in 1..=self.levels.len() {
            let kept = self.irredundant(&self.levels[depth - 1].1, depth, &outside)?;
            outside.extend(kept.iter().cloned());
            self.levels[depth - 1].1 = kept;
        }
        if let Some((_, outermost)) = self.levels.first() {
            let outside: Vec<Constraint> = self.context.iter().chain(outermost).cloned().collect();
            self.guards = self.irredundant(&self.guards, 1, &outside)?;
        }
        Ok(())
    }

    /// Those of `group`, over the outermost `depth` levels, that `outside` and the others do not imply.
    fn irredundant(&self, group: &[Constraint], depth: usize, outside: &[Constraint]) -> Result<Vec<Constraint>> {
        let names: Vec<String> = self.levels[..depth].iter().map(|(n, _)| n.clone()).collect();
        let set = |constraints: &[Constraint]| self.isl.basic_set(self.parameters, Tuple::unnamed(&names), constraints);
        let outside = set(outside)?;
        let mut kept = halves(group);
        // The bulkiest first: a short bound is cheaper than a long one.
        kept.sort_by_key(|c| std::cmp::Reverse(bulk(c.affine(), names.last())));
        let sign = |c: &Constraint| names.last().map_or(0, |level| c.affine().coefficient(level).signum());
        let mut k = 0;
        while k < kept.len() {
            let candidate = kept.remove(k);
            // The only bound of a level on its side is needed.
            if sign(&candidate) != 0 && !kept.iter().any(|other| sign(other) == sign(&candidate)) {
                kept.insert(k, candidate);
                k += 1;
                continue;
            }
            let negated = Constraint::NonNegative(-candidate.affine().clone() - Affine::constant(1));
            let others: Vec<Constraint> = kept.iter().cloned().chain([negated]).collect();
            if !outside.is_disjoint(&set(&others)?)? {
                kept.insert(k, candidate);
                k += 1;
            }
        }
        kept.reverse();
        Ok(kept)
    }

    /// The request's point over parameters and levels.
    pub(super) fn point(&self, request: &Request, equalities: &[Affine]) -> Option<Vec<Affine>> {
        let is_known = |name: &String| self.has_level(name) || self.parameters.contains(name);
        let is_unknown = |name: &&String| !is_known(name) && !self.values.contains_key(*name);
        let unknowns: Vec<&String> = self.values.keys().chain(request.point.iter().filter(is_unknown)).collect();
        let all: Vec<Affine> = equalities.iter().chain(request.definitions).cloned().collect();
        let solved = solve(&unknowns, &all);
        let value = |name: &String| match is_known(name) {
            true => Some(Affine::variable(name)),
            false => solved.get(name).cloned(),
        };
        request.point.iter().map(value).collect()
    }

    pub(super) fn finish(self, point: Vec<Affine>, slacks: &[Affine]) -> Result<Found> {
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
        let slacks = slacks.iter().map(|slack| self.over_levels(slack)).collect();
        Ok(Found::Piece(Piece { shared: 0, leaf: Leaf::default(), guards, levels, point, slacks, parts: vec![] }))
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
