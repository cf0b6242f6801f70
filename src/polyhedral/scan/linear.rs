//! Integer linear algebra on named expressions.

use std::collections::BTreeMap;

use crate::affine::{Affine, gcd};
use crate::polyhedral::isl::Constraint;

/// `constraint` over `affine`, its coefficients without a common factor; `None` where no integers satisfy it.
pub(super) fn normalised(constraint: &Constraint, mut affine: Affine) -> Option<Constraint> {
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
pub fn solve(unknowns: &[&String], equalities: &[Affine]) -> BTreeMap<String, Affine> {
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
