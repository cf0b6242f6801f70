//! The order that a directive asks for: which of the dimensions it names, and whether the dependences allow it.

use anyhow::Result;

use super::candidate::Candidate;
use super::distances::Distances;
use super::search::Alone;
use super::side_by_side::Wanted;
use super::space::{Space, Wave};
use crate::affine::Affine;
use crate::diagnostic::Diagnostic;
use crate::ids::StatementId;
use crate::polyhedral::Program;
use crate::source::kernel::{Kernel, OrderDirective};
use crate::tiling::tuple_text;

/// What the dates of a directive say.
pub(super) struct Asked {
    /// Per statement, the dimensions in the order of the loops inside a tile, those of tile size 1 first.
    orders: Vec<Vec<usize>>,
    /// The depth at which statements run one after the other, and their places there, where the dates have them.
    apart: Option<(usize, Vec<usize>)>,
}

impl Space {
    /// The ways to read the dates as dimensions of this space: constants may be a statement's place, or a dimension that does not vary.
    pub(super) fn read(
        &self,
        asked: &OrderDirective,
        program: &Program,
        statements: &[StatementId],
    ) -> Result<Vec<Asked>, Diagnostic> {
        let date = |&s: &StatementId| {
            let name = &program.statements[s].name;
            asked.dates.iter().find(|date| date.statement == *name).map(|date| &date.theta[..])
        };
        let dates: Vec<&[Affine]> = statements.iter().filter_map(date).collect();
        let iterators: Vec<&[String]> = statements.iter().map(|&s| &program.statements[s].iterators[..]).collect();
        if dates.len() < statements.len() {
            let refusal = Diagnostic::new("the order leaves out a statement").at(asked.span, "this order");
            return Err(refusal.help("give every statement of the band a date"));
        }
        let shortest = dates.iter().map(|date| date.len()).min().unwrap_or(0);
        let is_place = |&at: &usize| {
            let mut places: Vec<&Affine> = dates.iter().map(|date| &date[at]).collect();
            let all_constant = places.iter().all(|place| place.is_constant());
            places.sort_by_key(|place| place.constant);
            places.dedup();
            all_constant && places.len() == dates.len()
        };
        let several = dates.len() > 1;
        let mut read = vec![];
        let mut refusal = None;
        for place in (0..shortest).filter(is_place).filter(|_| several).map(Some).chain([None]) {
            match self.read_with(&dates, &iterators, place) {
                Ok(found) => read.push(found),
                Err(reason) => refusal = refusal.or(Some(reason)),
            }
        }
        match refusal.filter(|_| read.is_empty()) {
            None => Ok(read),
            Some(reason) => {
                let names = |(place, &s): (usize, &StatementId)| {
                    let own: Vec<&Affine> = self.values[place][..self.rank()].iter().collect();
                    let of = if several { format!("{} ", program.statements[s].name) } else { String::new() };
                    of + &tuple_text(own)
                };
                let all: Vec<String> = statements.iter().enumerate().map(names).collect();
                Err(Diagnostic::new(format!("the order inside a tile: {reason}")).at(asked.span, "this order").help(
                    format!(
                        "an order has each dimension of the tile once, here {}; in place of one also a sum of \
                         some with factors 1 and 2, in front of its other terms",
                        all.join(", ")
                    ),
                ))
            }
        }
    }

    /// The same with the statements' places at this place of the dates, or nowhere.
    fn read_with(&self, dates: &[&[Affine]], iterators: &[&[String]], place: Option<usize>) -> Result<Asked, String> {
        let serial = self.serial();
        let common = place.unwrap_or(dates[0].len());
        // Up to the place all statements walk the same dimensions.
        let mut outer: Vec<usize> = vec![];
        for at in 0..common {
            let shift = |k: usize, s: usize| {
                let difference = dates[s].get(at)?.clone() - self.values[s][k].clone();
                iterators[s].iter().all(|name| difference.coefficient(name) == 0).then_some(difference)
            };
            let is_same = |k: &usize| {
                let first = shift(*k, 0);
                first.is_some() && (1..dates.len()).all(|s| shift(*k, s) == first)
            };
            let found = (0..self.values[0].len()).filter(|k| !outer.contains(k)).find(is_same);
            outer.push(found.ok_or_else(|| {
                let entry = dates.iter().filter_map(|date| date.get(at)).find(|entry| !entry.is_constant());
                let entry = entry.or(dates[0].get(at)).cloned().unwrap_or_default();
                format!("`{entry}` is no dimension of it, or one that is there before")
            })?);
        }
        if place.is_none() && dates.iter().any(|date| date.len() != common) {
            return Err("the dates of two statements are not of one length".to_string());
        }
        let mut orders = vec![];
        for (s, date) in dates.iter().enumerate() {
            let mut order = outer.clone();
            for entry in date.iter().skip(common + 1) {
                let is_same = |k: &usize| {
                    let difference = entry.clone() - self.values[s][*k].clone();
                    iterators[s].iter().all(|name| difference.coefficient(name) == 0)
                };
                let free = || (0..self.values[s].len()).filter(|k| !order.contains(k));
                // Of two that differ by a constant the one that is written.
                let found = free().find(|k| self.values[s][*k] == *entry).or_else(|| free().find(is_same));
                order.push(
                    found.ok_or_else(|| format!("`{entry}` is no dimension of it, or one that is there before"))?,
                );
            }
            order.retain(|k| !serial.contains(k));
            let order = self.completed([&serial[..], &order[..]].concat(), s)?;
            orders.push(order);
        }
        let apart = place.map(|at| {
            let mut sorted: Vec<i64> = dates.iter().map(|date| date[at].constant).collect();
            sorted.sort_unstable();
            let number = |date: &&[Affine]| sorted.iter().position(|own| *own == date[at].constant).unwrap_or(0);
            let depth = serial.len() + outer.iter().filter(|k| !serial.contains(k)).count();
            (depth, dates.iter().map(number).collect())
        });
        Ok(Asked { orders, apart })
    }

    /// The order with the dimensions behind it that it leaves out, if these do not vary, or a sum stands for one of them.
    fn completed(&self, mut order: Vec<usize>, s: usize) -> Result<Vec<usize>, String> {
        let n = self.rank();
        let mut missing: Vec<usize> = (0..n).filter(|k| !order.contains(k)).collect();
        let varies = |k: usize| self.varies(s, k);
        let mut has_led = false;
        for (level, &wave) in order.iter().enumerate().filter(|(_, k)| **k >= n) {
            let Wave { terms, leads } = &self.waves[wave - n];
            let is_first =
                order.iter().find(|k| **k == wave || terms.iter().any(|(term, _)| term == *k)) == Some(&wave);
            // A statement may be one in which what the sum stands for does not vary.
            let dropped = match leads {
                true => missing.iter().copied().filter(|k| terms.contains(&(*k, 1))).max_by_key(|k| varies(*k)),
                false => missing.iter().copied().find(|k| *k == terms[0].0),
            };
            let fits = if *leads { !has_led } else { self.has_waves(&order[..level]) };
            has_led |= *leads;
            match dropped.filter(|_| is_first && fits) {
                Some(dropped) => missing.retain(|k| *k != dropped),
                None => return Err(format!("`{}` is a sum that stands for none of them", self.values[s][wave])),
            }
        }
        match missing.iter().find(|k| varies(**k)) {
            Some(k) => Err(format!("`{}` is missing", self.values[s][*k])),
            None => {
                order.extend(missing);
                Ok(order)
            }
        }
    }

    /// What is asked for, in all ways that it can be read in and that are legal.
    pub(super) fn as_asked(
        &self,
        asked: &OrderDirective,
        program: &Program,
        statements: &[StatementId],
        distances: &[Distances],
        wanted: Option<&Wanted>,
    ) -> Result<Vec<Candidate>> {
        let n = self.rank();
        let (first, several) = (self.serial().len(), statements.len() > 1);
        let mut all = vec![];
        for Asked { orders, apart } in self.read(asked, program, statements)? {
            let own = orders.iter().enumerate().map(|(s, order)| self.alone(s, std::slice::from_ref(order), distances));
            let own: Vec<Vec<Alone>> = own.collect::<Result<_>>()?;
            let mut one_by_one = |outer: &[usize], places: Option<Vec<usize>>| -> Result<()> {
                let places = match places {
                    Some(places) if self.keeps(outer, &places, distances)? => Some(places),
                    Some(_) => None,
                    None => self.places(outer, distances)?,
                };
                if let Some(places) = places {
                    all.extend(self.one_by_one((outer, places), &own, distances, wanted)?);
                }
                Ok(())
            };
            // Side by side in the innermost loop statements have the order of the source.
            let is_together = apart.as_ref().is_none_or(|(depth, places)| *depth == n && places.is_sorted());
            match apart {
                Some((depth, places)) if depth < n => one_by_one(&orders[0][..depth], Some(places))?,
                Some(_) => {}
                None if several => {
                    for depth in first..n {
                        one_by_one(&orders[0][..depth], None)?;
                    }
                }
                None if wanted.is_some() => one_by_one(&orders[0][..first], None)?,
                None => {}
            }
            if is_together && wanted.is_none() {
                all.extend(self.together(&orders[0], distances)?);
            }
        }
        Ok(all)
    }

    /// Whether the statements in these places inside the loops `outer` keep the dependences among them.
    fn keeps(&self, outer: &[usize], places: &[usize], distances: &[Distances]) -> Result<bool> {
        for dependence in distances.iter().filter(|d| d.source != d.sink) {
            let Some(rest) = self.inside(outer, &dependence.set)? else { return Ok(false) };
            if places[dependence.source] > places[dependence.sink] && !rest.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Why none of the ways to read the order is legal.
    pub(super) fn reversed(
        &self,
        asked: &OrderDirective,
        program: &Program,
        kernel: &Kernel,
        statements: &[StatementId],
    ) -> Result<Diagnostic> {
        let n = self.rank();
        let mut which = String::new();
        for Asked { orders, apart } in self.read(asked, program, statements)? {
            let (depth, places) = apart.unwrap_or_else(|| (n, (0..orders.len()).collect()));
            for dependence in self.distances(program, statements)? {
                let Distances { source, sink, .. } = dependence;
                let outer = if source == sink { &orders[source][..] } else { &orders[0][..depth] };
                let is_kept = match self.inside(outer, &dependence.set)? {
                    None => false,
                    Some(rest) => places[source] <= places[sink] || rest.is_empty()?,
                };
                if !is_kept {
                    which = format!(
                        ": {} dependence of {} on {} through `{}`",
                        dependence.kind,
                        program.statements[statements[sink]].name,
                        program.statements[statements[source]].name,
                        kernel.arrays[dependence.array].name
                    );
                    break;
                }
            }
        }
        Ok(Diagnostic::new(format!("the order inside a tile reverses a dependence{which}"))
            .at(asked.span, "this order")
            .help("put the loop that carries it further out, or leave `order` out: burstc then chooses one"))
    }
}
