//! How many values an order keeps on chip: of two that take as many cycles, the one that keeps fewer is better. The estimate is that of
//! DTSE chapter 4 (storage requirement of a dependence under an order of the loops): along a distance δ, as many values live as are made
//! between the write and the read.

use std::collections::BTreeSet;

use anyhow::Result;

use super::candidate::Candidate;
use super::distances::Distances;
use super::space::{Space, rank};
use crate::affine::Affine;
use crate::polyhedral::DependenceKind;

/// Instances at a time that are too few.
const FEW: f64 = 4.0;

/// The instances of a statement in a tile, in an order.
struct Run<'a> {
    order: &'a [usize],
    /// How many combinations of values the outermost levels have, by their number.
    combinations: Vec<f64>,
}

impl Run<'_> {
    /// Instances in one iteration of the outermost `levels`.
    fn inside(&self, levels: usize) -> f64 {
        self.combinations.last().copied().unwrap_or(1.0) / self.combinations[levels]
    }

    /// Instances between one and the next along a level; 0 where the levels further out tell its values already.
    fn step(&self, level: usize) -> f64 {
        if self.combinations[level + 1] > self.combinations[level] { self.inside(level + 1) } else { 0.0 }
    }
}

impl Space {
    /// Estimated values of the arrays that tiles do not move, all that a tile keeps at once; infinite where a statement would wait for
    /// what another one has made just before, which an order's cost does not tell, or has a few instances at a time, and where some take
    /// turns.
    pub(super) fn values_kept(&self, candidate: &Candidate, distances: &[Distances]) -> Result<f64> {
        let n = self.rank();
        if candidate.shares_places() {
            return Ok(f64::INFINITY);
        }
        let names: Vec<String> = (0..self.sizes.len()).map(|k| format!("d{k}")).collect();
        let along = |k: usize, step: f64| Affine::variable(&names[k]) * step.round() as i64;
        let runs: Vec<Run> = (candidate.dimensions.iter().enumerate())
            .map(|(place, order)| {
                let combinations = (0..=order.len()).map(|levels| self.combinations(place, &order[..levels])).collect();
                Run { order, combinations }
            })
            .collect();
        let apart = candidate.apart.unwrap_or(n).min(n);
        let blocks: Vec<f64> = runs.iter().map(|run| run.inside(apart)).collect();
        // Such rows cost more than their cycles; what is inside may be told by the loops around it, whatever extents say.
        let independent = |place: usize, levels: usize| {
            let values: Vec<Affine> =
                runs[place].order[..levels].iter().map(|&k| self.values[place][k].clone()).collect();
            let iterators: BTreeSet<String> = values.iter().flat_map(|value| value.terms.keys().cloned()).collect();
            rank(&values, &iterators.into_iter().collect::<Vec<_>>())
        };
        let is_short = |place: usize| blocks[place] < FEW || independent(place, n) == independent(place, apart);
        if apart < n && (0..runs.len()).any(is_short) {
            return Ok(f64::INFINITY);
        }
        let start = |place: usize| -> f64 {
            let before = (0..blocks.len()).filter(|other| candidate.places[*other] < candidate.places[place]);
            before.map(|other| blocks[other]).sum()
        };
        let total: f64 = blocks.iter().sum();
        let mut kept = vec![];
        for d in distances.iter().filter(|d| d.kind == DependenceKind::Flow) {
            let (run, is_own) = (&runs[d.source], d.source == d.sink || apart == n);
            let outer = (0..apart).fold(Affine::default(), |sum, level| sum + along(run.order[level], run.step(level)));
            let inner = (apart..n).fold(Affine::default(), |sum, level| sum + along(run.order[level], run.step(level)));
            if self.inside.contains(&d.array) {
                let (made, own) = match is_own {
                    true => (outer.clone() + inner.clone(), 1.0),
                    false => (outer.clone(), blocks[d.source]),
                };
                if let Some(most) = d.near.largest(&names, &made)?.finite() {
                    kept.push((d.array, (most as f64).max(0.0) + own));
                }
            }
            if !is_own {
                let rounds = (0..apart).fold(Affine::default(), |sum, level| {
                    sum + along(run.order[level], run.step(level) / blocks[d.source] * total)
                });
                let aligned = run.order[apart..] == runs[d.sink].order[apart..];
                let (cycles, least) = match aligned {
                    true => (rounds + inner, 0.0),
                    false => (rounds, 1.0 - blocks[d.source]),
                };
                let Some(back) = d.near.largest(&names, &-cycles)?.finite() else { continue };
                let between = start(d.sink) - start(d.source) + least - back as f64;
                if between < self.latencies[d.source] {
                    return Ok(f64::INFINITY);
                }
            }
        }
        let most = |array| kept.iter().filter(|(own, _)| *own == array).map(|(_, words)| *words).fold(0.0, f64::max);
        Ok(self.inside.iter().copied().map(most).sum())
    }
}
