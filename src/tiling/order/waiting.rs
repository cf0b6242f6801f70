//! What an order that was chosen takes: as its cost ([`super::pace`]), but that values which few instances make hold up few
//! instances. The first of a row may be a pivot that all others wait for, once per row.

use anyhow::Result;

use super::candidate::Candidate;
use super::distances::Distances;
use super::pace::{Wait, Walk};
use super::space::{Space, rank};
use crate::affine::Affine;
use crate::ids::StatementId;
use crate::polyhedral::Program;
use crate::polyhedral::isl::{BasicSet, Constraint, Tuple};

/// isl's operations for that of a band.
const OPERATIONS: u64 = 200_000;

impl Space {
    /// Estimated cycles per tile in which iterations of an order without lanes wait for values; as its cost has it where isl's
    /// operations do not suffice.
    pub(super) fn stalls(&self, program: &Program, statements: &[StatementId], chosen: &Candidate) -> Result<f64> {
        let distances = self.distances(program, statements)?;
        let look = |shares| self.stalls_of(program, statements, chosen, (&distances, shares));
        match program.isl.within(OPERATIONS, || look(true))? {
            Some(stalls) => Ok(stalls),
            None => look(false),
        }
    }

    /// Of all instances where `shares` are not looked for.
    fn stalls_of(
        &self,
        program: &Program,
        statements: &[StatementId],
        chosen: &Candidate,
        (distances, shares): (&[Distances], bool),
    ) -> Result<f64> {
        let count = statements.len();
        // Of all statements that take turns with one another, at the first of them; and what a few of their rounds say.
        let (mut waited, mut most) = (vec![0.0f64; count], vec![f64::INFINITY; count]);
        let in_all = |place: usize| chosen.takes_turns(place) && !chosen.shares_places();
        for (place, order) in chosen.dimensions.iter().enumerate() {
            // Statements that take turns wait for one another, others for themselves only.
            let together = chosen.takes_turns(place);
            let apart = match (count, together) {
                (1, _) => 0,
                (_, true) => order.len(),
                _ => chosen.apart.unwrap_or(order.len()),
            };
            let is_among = |s: usize| s == place || in_all(place) || chosen.places[s] == chosen.places[place];
            let own = || distances.iter().filter(|d| is_among(d.source) && is_among(d.sink));
            let turns: Vec<usize> = (0..count).filter(|s| is_among(*s)).collect();
            let walk = |place: usize| self.walk(place, order, (apart, &turns), own(), &[]);
            if together && turns[0] == place {
                let walks = turns.iter().map(|other| walk(*other)).collect::<Result<Vec<_>>>()?;
                let free: f64 = walks.iter().map(|walk| walk.cycles).sum();
                most[place] = self.cycles_in_turns(order, &turns, &walks).map_or(f64::INFINITY, |cycles| cycles - free);
            }
            let walk = walk(place)?;
            let mut wait = 0.0f64;
            for one in &walk.waits {
                let is_held_up = one.latency > one.distance;
                let share = if is_held_up && shares { self.share(program, statements, &walk, one)? } else { 1.0 };
                wait = wait.max(one.cycles().min(1.0 + share * (one.latency - one.distance)));
            }
            let waiting = |wait: f64| match self.cycles_cut_by_data(place, order, &walk, wait) {
                Some(cycles) => cycles,
                None if walk.is_wave => self.waves_of(place, order, wait),
                None => walk.cycles * walk.stalled(wait),
            };
            waited[turns[0]] += (waiting(wait) - waiting(0.0)).max(0.0);
        }
        Ok(waited.iter().zip(&most).map(|(all, most)| all.min(*most)).sum())
    }

    /// How many of a statement's instances make a value that is waited for: one of as many as a dimension has values, for every
    /// equality that those instances have and others do not.
    fn share(&self, program: &Program, statements: &[StatementId], walk: &Walk, wait: &Wait) -> Result<f64> {
        let names: Vec<String> = (0..self.sizes.len()).map(|k| format!("d{k}")).collect();
        let later: Vec<String> = names.iter().map(|name| format!("{name}'")).collect();
        let step = |k: usize| Affine::variable(&later[k]) - Affine::variable(&names[k]);
        let between = (names.iter().enumerate())
            .fold(Affine::default(), |sum, (k, name)| sum + step(k) * walk.between.coefficient(name));
        let mut soon = vec![Constraint::at_most(between, Affine::constant(wait.latency.ceil() as i64 - 1))];
        // At the sizes that the user runs, in one tile.
        for (k, &extent) in self.extents.iter().enumerate() {
            soon.push(Constraint::at_most(step(k), Affine::constant(extent - 1)));
            soon.push(Constraint::at_most(Affine::constant(1 - extent), step(k)));
        }
        let soon = program.isl.map(&[], Tuple::unnamed(&names), Tuple::unnamed(&later), &soon)?;
        let sources = wait.of.pairs.intersect(&soon)?.domain()?;
        if sources.is_empty()? {
            return Ok(1.0);
        }
        let statement = &program.statements[statements[wait.of.source]];
        let tuple = Tuple { name: &statement.name, dimensions: &statement.iterators };
        let values = &self.values[wait.of.source];
        let place = program.isl.function(&program.parameters, tuple, Tuple::anonymous(), values)?;
        let all = statement.domain.apply(&place)?;
        let mut known = equalities(&all.convex()?, &names)?;
        let mut share = 1.0;
        let mut free: Vec<usize> = (0..names.len()).collect();
        for equality in equalities(&sources.convex()?, &names)? {
            let more: Vec<Affine> = known.iter().cloned().chain([equality.clone()]).collect();
            if rank(&more, &names) > rank(&known, &names) {
                known = more;
                let longest = free
                    .iter()
                    .copied()
                    .filter(|&k| equality.coefficient(&names[k]) != 0)
                    .max_by_key(|&k| self.range(k));
                if let Some(k) = longest {
                    free.retain(|other| *other != k);
                    share /= self.range(k) as f64;
                }
            }
        }
        Ok(share)
    }

    /// Cycles per tile along a wave: each of its rows takes as many as it has instances, and no fewer than `wait` of their mean.
    fn waves_of(&self, place: usize, order: &[usize], wait: f64) -> f64 {
        let instances = self.combinations(place, order);
        let mut rows = vec![1.0];
        let waves = order.iter().filter_map(|k| k.checked_sub(self.rank()));
        for &(k, factor) in waves.flat_map(|wave| &self.waves[wave].terms) {
            let factor = factor.abs();
            let extent = if self.varies(place, k) { self.extents[k] } else { 1 };
            let mut sums = vec![0.0; rows.len() + (factor * (extent - 1)) as usize];
            for (at, count) in rows.iter().enumerate() {
                (0..extent).for_each(|value| sums[at + (factor * value) as usize] += count);
            }
            rows = sums;
        }
        let all: f64 = rows.iter().sum();
        let least = wait * instances / rows.len() as f64;
        rows.into_iter().map(|count| (count / all * instances).max(least)).sum()
    }

    /// The values that a dimension takes in all tiles; those of a wave are its terms'.
    fn range(&self, k: usize) -> i64 {
        self.ranges.get(k).copied().unwrap_or(1)
    }
}

fn equalities(set: &BasicSet, names: &[String]) -> Result<Vec<Affine>> {
    let constraints = set.detect_equalities()?.constraints(names)?;
    Ok(constraints.into_iter().filter(|c| matches!(c, Constraint::Zero(_))).map(|c| c.affine().clone()).collect())
}
