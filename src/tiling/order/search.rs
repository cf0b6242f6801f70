//! The cheapest legal order: all permutations of the dimensions, with waves in front of them, statements side by side or one
//! after the other.

use anyhow::Result;

use super::candidate::{Candidate, Level, Merit, are_alone};
use super::distances::{Distances, carried_by_level};
use super::pace::Pace;
use super::permutations::orders;
use super::side_by_side::Wanted;
use super::space::{Space, Wave};
use crate::ids::{ArrayId, StatementId};
use crate::polyhedral::Program;

/// One of the orders that a statement alone may have.
pub(super) struct Alone<'a> {
    /// The statement's place in the band.
    pub place: usize,
    pub order: &'a [usize],
    pub carried: Vec<i64>,
}

impl Alone<'_> {
    /// The dimensions at these levels, each with the lanes along it.
    pub fn along(&self, levels: &[Level]) -> Vec<(usize, i64)> {
        levels.iter().map(|&(level, count)| (self.order[level], count)).collect()
    }
}

impl Space {
    /// The cheapest legal order of these dimensions.
    pub(super) fn best(
        &self,
        program: &Program,
        statements: &[StatementId],
        wanted: Option<&Wanted>,
    ) -> Result<Option<Candidate>> {
        let distances = self.distances(program, statements)?;
        let all = match &self.asked {
            None => self.possible(&distances, wanted)?,
            Some(asked) => self.as_asked(asked, program, statements, &distances, wanted)?,
        };
        let mut best: Option<Candidate> = None;
        for candidate in all {
            let is_better = match &best {
                None => true,
                Some(known) => self.is_better(&candidate, known, wanted.is_none().then_some(&distances))?,
            };
            if is_better {
                best = Some(candidate);
            }
        }
        Ok(best)
    }

    /// The dimensions of tile size 1, in front of which no other need be.
    pub(super) fn serial(&self) -> Vec<usize> {
        (0..self.tiled).filter(|&k| self.sizes[k] == 1 && self.rank() > 1).collect()
    }

    /// All legal orders, of those that statements have alone the best.
    fn possible(&self, distances: &[Distances], wanted: Option<&Wanted>) -> Result<Vec<Candidate>> {
        let (n, count) = (self.rank(), self.values.len());
        let serial = self.serial();
        let others: Vec<usize> = (0..n).filter(|k| !serial.contains(k)).collect();
        let mut inside = orders(&others);
        for (wave, Wave { terms, .. }) in (n..).zip(&self.waves).filter(|(_, wave)| wave.leads) {
            for &(dropped, _) in terms.iter().filter(|(_, factor)| *factor == 1) {
                let rest: Vec<usize> = others.iter().copied().filter(|&k| k != dropped).chain([wave]).collect();
                // Behind one of its terms a wave is the sum of the others.
                let is_new = |order: &Vec<usize>| {
                    order.iter().find(|k| **k == wave || terms.iter().any(|(term, _)| term == *k)) == Some(&wave)
                };
                inside.extend(orders(&rest).into_iter().filter(is_new));
            }
        }
        for (wave, Wave { terms, .. }) in (n..).zip(&self.waves).filter(|(_, wave)| !wave.leads) {
            let &[(open, _), (tiled, _)] = &terms[..] else { continue };
            let behind = |order: &Vec<usize>| {
                let [at, other] = [open, tiled].map(|k| order.iter().position(|own| *own == k));
                let at = at.filter(|at| self.has_waves(&order[..*at]) && other.is_some_and(|other| other > *at))?;
                Some(order.iter().enumerate().map(|(level, k)| if level == at { wave } else { *k }).collect())
            };
            let more: Vec<Vec<usize>> = inside.iter().filter_map(behind).collect();
            inside.extend(more);
        }
        let orders: Vec<Vec<usize>> = inside.into_iter().map(|order| [&serial[..], &order[..]].concat()).collect();
        let mut all: Vec<Candidate> = vec![];
        if count > 1 || wanted.is_some() {
            let own = (0..count).map(|s| self.alone(s, &orders, distances));
            let own = own.collect::<Result<Vec<_>>>()?;
            // The longest rows first; a single statement has all loops to itself.
            let depths = if count > 1 { serial.len()..n } else { serial.len()..serial.len() + 1 };
            for depth in depths {
                let mut outer: Vec<&[usize]> = orders.iter().map(|order| &order[..depth]).collect();
                outer.dedup();
                for outer in outer {
                    let Some(places) = self.turns(outer, distances)? else { continue };
                    // Waves are for statements that share loops.
                    let may_share = wanted.is_none() && self.waves.is_empty();
                    if may_share || are_alone(&places) {
                        all.extend(self.one_by_one((outer, places), &own, distances, wanted)?);
                    }
                }
            }
        }
        if wanted.is_none() {
            for order in &orders {
                all.extend(self.together(order, distances)?);
            }
        }
        Ok(all)
    }

    /// The statements one after the other in their `places` inside the loops `outer`, each in the best of its `own` orders.
    pub(super) fn one_by_one(
        &self,
        (outer, places): (&[usize], Vec<usize>),
        own: &[Vec<Alone>],
        distances: &[Distances],
        wanted: Option<&Wanted>,
    ) -> Result<Option<Candidate>> {
        match wanted {
            None => self.apart((outer, places), own, distances),
            Some(wanted) => self.with_lanes((outer, places), own, distances, wanted),
        }
    }

    /// Whether a candidate beats the best so far. Of two that take as many cycles and differ only in how far inside the statements take
    /// turns, the one that keeps fewer values does, where there are the `distances` to count them by: in lanes they stay for a tile.
    fn is_better(&self, candidate: &Candidate, known: &Candidate, distances: Option<&Vec<Distances>>) -> Result<bool> {
        let merit = |c: &Candidate| {
            let length: i64 = (0..self.values.len()).map(|place| c.row_length(self, place)).sum();
            Merit { cost: c.cost, length: length as f64, carried: c.carried.clone() }
        };
        let (own, other) = (merit(candidate), merit(known));
        let distances = distances.filter(|_| candidate.dimensions == known.dimensions && own.length == other.length);
        if let Some(distances) = distances.filter(|_| !self.inside.is_empty() && own.cost == other.cost) {
            let (own, other) = (self.values_kept(candidate, distances)?, self.values_kept(known, distances)?);
            if own != other {
                return Ok(own < other);
            }
        }
        Ok(own.beats(&other))
    }

    /// The dimensions as they are, those of tile size 1 first, and the order of the source inside; no distance is looked at.
    pub(super) fn as_in_source(&self) -> Candidate {
        let (n, count) = (self.rank(), self.values.len());
        let serial = self.serial();
        let others = (0..n).filter(|k| !serial.contains(k));
        let order: Vec<usize> = serial.iter().copied().chain(others).collect();
        let cost = (0..count).map(|place| self.combinations(place, &order)).sum();
        Candidate {
            dimensions: vec![order; count],
            apart: (count > 1).then_some(n),
            places: (0..count).collect(),
            cost,
            cycles: cost,
            cycles_each: vec![],
            carried: vec![i64::MAX; n],
            lanes: vec![],
            late: vec![],
        }
    }

    /// All statements in one order, side by side in the innermost loop: rows have one instance if there are several.
    pub(super) fn together(&self, order: &[usize], distances: &[Distances]) -> Result<Option<Candidate>> {
        let n = order.len();
        if !self.is_legal(order, n, distances.iter())? {
            return Ok(None);
        }
        let count = self.values.len();
        let all: Vec<usize> = (0..count).collect();
        let Pace { cycles: cost, late } = self.pace_in_turns(order, &all, distances.iter())?;
        Ok(Some(Candidate {
            dimensions: vec![order.to_vec(); count],
            apart: (count > 1).then_some(n),
            places: (0..count).collect(),
            cost,
            cycles: cost,
            cycles_each: vec![],
            carried: carried_by_level(order, distances)?,
            lanes: vec![],
            late,
        }))
    }

    /// The orders that one statement's dependences on itself allow.
    pub(super) fn alone<'a>(
        &self,
        place: usize,
        orders: &'a [Vec<usize>],
        distances: &[Distances],
    ) -> Result<Vec<Alone<'a>>> {
        let own: Vec<&Distances> = distances.iter().filter(|d| d.source == place && d.sink == place).collect();
        let mut legal = vec![];
        for order in orders {
            if self.is_legal(order, 0, own.iter().copied())? {
                let carried = carried_by_level(order, own.iter().copied())?;
                legal.push(Alone { place, order, carried });
            }
        }
        Ok(legal)
    }

    /// The statements one after the other inside the loops `outer`, each in the best of its `own` orders; those that share a place in the
    /// best that they have together, side by side in the innermost loop.
    fn apart(
        &self,
        (outer, places): (&[usize], Vec<usize>),
        own: &[Vec<Alone>],
        distances: &[Distances],
    ) -> Result<Option<Candidate>> {
        let n = self.rank();
        let mut candidate = Candidate {
            dimensions: vec![vec![]; own.len()],
            apart: Some(outer.len()),
            places,
            cost: 0.0,
            cycles: 0.0,
            cycles_each: vec![],
            carried: vec![i64::MAX; n],
            lanes: vec![],
            late: vec![],
        };
        for turn in 0..own.len() {
            // Statements in rows of their own wait for themselves only.
            let members: Vec<usize> = (0..own.len()).filter(|s| candidate.places[*s] == turn).collect();
            let Some(&first) = members.first() else { continue };
            let among = || distances.iter().filter(|d| members.contains(&d.source) && members.contains(&d.sink));
            let (is_alone, n) = (members.len() == 1, candidate.carried.len());
            let mut best: Option<(Merit, &[usize], Vec<ArrayId>)> = None;
            for Alone { order, carried, .. } in own[first].iter().filter(|alone| alone.order.starts_with(outer)) {
                if !is_alone && !self.is_legal(order, n, among())? {
                    continue;
                }
                let (Pace { cycles, late }, length, carried) = match is_alone {
                    true => {
                        let pace = self.pace(first, order, outer.len(), among())?;
                        (pace, self.row_length(first, order, outer.len()), carried.clone())
                    }
                    false => {
                        let pace = self.pace_in_turns(order, &members, among())?;
                        (pace, members.len() as f64, carried_by_level(order, among())?)
                    }
                };
                let merit = Merit { cost: cycles, length, carried };
                if best.as_ref().is_none_or(|(known, _, _)| merit.beats(known)) {
                    best = Some((merit, order, late));
                }
            }
            let Some((merit, order, late)) = best else { return Ok(None) };
            candidate.late.extend(late);
            for &member in &members {
                candidate.dimensions[member] = order.to_vec();
            }
            candidate.cost += merit.cost;
            candidate.cycles += merit.cost;
            candidate.carried.iter_mut().zip(&merit.carried).for_each(|(least, own)| *least = (*least).min(*own));
        }
        Ok(Some(candidate))
    }

    /// The places of the statements one after the other inside the loops `outer`: in the order of the source where
    /// values that stay inside those loops do not want another one; `None` where no order of them is legal.
    pub(super) fn places(&self, outer: &[usize], distances: &[Distances]) -> Result<Option<Vec<usize>>> {
        Ok(self.turns(outer, distances)?.filter(|places| are_alone(places)))
    }

    /// The same where statements that depend on one another in a cycle share a place (Allen and Kennedy's loop distribution, TOPLAS
    /// 1987); `None` where a dependence leads back in the loops `outer`.
    fn turns(&self, outer: &[usize], distances: &[Distances]) -> Result<Option<Vec<usize>>> {
        let count = self.values.len();
        let mut before = vec![vec![false; count]; count];
        for dependence in distances.iter().filter(|d| d.source != d.sink) {
            let Some(rest) = self.inside(outer, &dependence.set)? else { return Ok(None) };
            before[dependence.source][dependence.sink] |= !rest.is_empty()?;
        }
        for via in 0..count {
            for source in 0..count {
                for sink in 0..count {
                    before[source][sink] |= before[source][via] && before[via][sink];
                }
            }
        }
        let mut places: Vec<Option<usize>> = vec![None; count];
        for place in 0..count {
            let waits_for = |s: usize, other: usize| before[other][s] && !before[s][other] && places[other].is_none();
            let is_next = |s: &usize| places[*s].is_none() && (0..count).all(|other| !waits_for(*s, other));
            let Some(next) = (0..count).find(is_next) else { break };
            for s in (0..count).filter(|s| *s == next || (before[*s][next] && before[next][*s])) {
                places[s] = Some(place);
            }
        }
        Ok(Some(places.into_iter().flatten().collect()))
    }
}
