//! Values one by one, at given sizes: how many are alive at once under any order, counted.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use anyhow::{Result, bail};

use super::flow::Flow;
use super::space::Space;
use crate::affine::Affine;
use crate::ids::{ArrayId, StatementId};
use crate::polyhedral::Program;
use crate::polyhedral::isl::{Map, Set};
use crate::polyhedral::scan::{Fixed, Request, Scanned, scan};
use crate::walk::{Values, in_order};

/// A value that somebody reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub array: ArrayId,
    pub source: StatementId,
    /// Of the instance that writes it, in the common space.
    pub place: Vec<i64>,
    /// The instances that read it, each its statement and place.
    pub readers: Vec<(StatementId, Vec<i64>)>,
}

/// The most words that are alive at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    /// Where an instance may write over what it is the last to read.
    pub in_place: i64,
    /// During an instance: what it reads, and beside it what it writes.
    pub during: i64,
}

/// The values of `flows`, each once, by array, statement and place; `None` where there are more than `most` reads of them.
///
/// # Errors
/// isl's.
pub fn values(program: &Program, space: &Space, flows: &[Flow], most: usize) -> Result<Option<Vec<Value>>> {
    let mut found: BTreeMap<(ArrayId, StatementId, Vec<i64>), Value> = BTreeMap::new();
    let mut left = most;
    for flow in flows {
        let n = space.dimensions.len();
        let pairs = space.pairs(program, flow)?.wrap()?.flatten()?;
        let Some(pairs) = points(program, &pairs, 2 * n, left)? else { return Ok(None) };
        left -= pairs.len();
        for pair in pairs {
            let (place, reader) = (pair[..n].to_vec(), pair[n..].to_vec());
            let value = found.entry((flow.array, flow.source, place.clone())).or_insert_with(|| Value {
                array: flow.array,
                source: flow.source,
                place,
                readers: vec![],
            });
            value.readers.push((flow.sink, reader));
        }
    }
    Ok(Some(found.into_values().collect()))
}

impl Space {
    /// `{ [place of the write] -> [place of the read] }`
    ///
    /// # Errors
    /// isl's.
    pub fn pairs(&self, program: &Program, flow: &Flow) -> Result<Map> {
        let (source, sink) = (self.map(program, flow.source)?, self.map(program, flow.sink)?);
        flow.relation.apply_domain(&source)?.apply_range(&sink)
    }
}

/// The points of a set of `n` dimensions without sizes, unless there are more than `most`.
///
/// # Errors
/// isl's.
pub fn points(program: &Program, set: &Set, n: usize, most: usize) -> Result<Option<Vec<Vec<i64>>>> {
    let names: Vec<String> = (0..n).map(|d| format!("x{d}")).collect();
    let set = set.compute_divs()?;
    let request = Request {
        parameters: &[],
        context: &[],
        set: &set,
        names: &names,
        fixed: Fixed::Keep,
        point: &[],
        definitions: &[],
        slacks: &[],
        in_order: false,
    };
    let Scanned::Scan(scan) = scan(&program.isl, &request)? else { bail!("internal error: points without loops") };
    let variables: Vec<Affine> = names.iter().map(Affine::variable).collect();
    let mut found = vec![];
    let outcome = in_order(&scan.pieces, &mut Values::new(&BTreeMap::new()), |_, values| {
        if found.len() == most {
            return ControlFlow::Break(());
        }
        found.push(variables.iter().map(|variable| values.evaluate(variable)).collect());
        ControlFlow::Continue(())
    });
    Ok(outcome.is_continue().then_some(found))
}

/// The peak over `values` where instances run in the order of `date`, those of one date in the order of the text; `None`
/// where somebody would read a value before it is written.
pub fn peak<'a>(values: impl Iterator<Item = &'a Value>, date: impl Fn(&[i64]) -> Vec<i64>) -> Option<Peak> {
    // At an instance, first the values end that it is the last to read, then its own begins.
    let mut events = vec![];
    for value in values {
        let begin = (date(&value.place), value.source);
        let mut end = None;
        for (sink, place) in &value.readers {
            let read = (date(place), *sink);
            if read <= begin {
                return None;
            }
            end = end.max(Some(read));
        }
        events.push((begin, true));
        events.extend(end.map(|end| (end, false)));
    }
    events.sort_unstable();
    let mut peak = Peak { in_place: 0, during: 0 };
    let (mut alive, mut place) = (0, 0);
    while place < events.len() {
        let now = &events[place].0;
        let mut ended = 0;
        while place < events.len() && events[place].0 == *now {
            match events[place].1 {
                true => alive += 1,
                false => ended += 1,
            }
            place += 1;
        }
        peak.during = peak.during.max(alive);
        alive -= ended;
        peak.in_place = peak.in_place.max(alive);
    }
    Some(peak)
}
