//! Basic sets (F. Balasa et al., DTSE section 4.2.3): the values of a statement that the same references read; and the
//! estimate that knows no order.

use anyhow::Result;

use super::Flow;
use crate::ids::{ArrayId, StatementId};
use crate::polyhedral::Program;
use crate::polyhedral::isl::Set;

/// Values of one statement that all have the same readers.
#[derive(Clone)]
pub struct BasicSet {
    pub array: ArrayId,
    pub source: StatementId,
    /// `{ S0[i, j] }`: the instances that write them.
    pub instances: Set,
    /// Indices into the flows.
    pub readers: Vec<usize>,
}

impl BasicSet {
    /// Its values.
    ///
    /// # Errors
    /// isl's.
    pub fn size(&self) -> Result<i64> {
        Ok(self.instances.count()?.finite().unwrap_or(i64::MAX))
    }
}

/// The basic sets of all arrays that are written, statement by statement; `instances` are those of every statement.
///
/// # Errors
/// isl's.
pub fn basic_sets(program: &Program, instances: &[Set], flows: &[Flow]) -> Result<Vec<BasicSet>> {
    let mut found = vec![];
    for (source, statement) in program.statements.iter_enumerated() {
        for access in statement.accesses.iter().filter(|access| access.write) {
            let whole =
                BasicSet { array: access.array, source, instances: instances[source.0].clone(), readers: vec![] };
            let mut parts = vec![whole];
            for (k, flow) in flows.iter().enumerate() {
                if (flow.source, flow.array) != (source, access.array) {
                    continue;
                }
                let read = flow.relation.domain()?;
                let mut cut = vec![];
                for part in parts {
                    let readers = [part.readers.clone(), vec![k]].concat();
                    let (inside, outside) = (part.instances.intersect(&read)?, part.instances.subtract(&read)?);
                    cut.push(BasicSet { instances: inside.coalesce()?, readers, ..part.clone() });
                    cut.push(BasicSet { instances: outside.coalesce()?, ..part });
                }
                parts = vec![];
                for part in cut {
                    if !part.instances.is_empty()? {
                        parts.push(part);
                    }
                }
            }
            found.extend(parts);
        }
    }
    Ok(found)
}

/// The flows with their values split into basic sets, and the set that each comes from.
///
/// # Errors
/// isl's.
pub fn split(sets: &[BasicSet], flows: &[Flow]) -> Result<Vec<(usize, Flow)>> {
    let mut found = vec![];
    for (k, flow) in flows.iter().enumerate() {
        for (number, set) in sets.iter().enumerate().filter(|(_, set)| set.readers.contains(&k)) {
            let relation = flow.relation.intersect_domain(&set.instances)?.coalesce()?;
            found.push((number, Flow { relation, ..flow.clone() }));
        }
    }
    Ok(found)
}

/// The most words where basic sets are produced as a whole, one after the other, always the ready one after whose
/// production the fewest are alive: a set is ready when all that it reads is there, and its own words may be those of the
/// sets that it is the last to read. A set that reads itself needs the larger of `alone`, the words under the best order,
/// and of the values that others read; sets that nobody reads stay. `None` where sets wait for each other.
///
/// # Errors
/// isl's.
pub fn traversal(sets: &[BasicSet], flows: &[(usize, Flow)], alone: &[i64]) -> Result<Option<i64>> {
    let n = sets.len();
    let mut reads = vec![vec![]; n];
    let mut words = vec![];
    for (number, set) in sets.iter().enumerate() {
        let mut others: Option<Set> = None;
        let mut itself = None;
        for ((_, flow), alone) in flows.iter().zip(alone).filter(|((from, _), _)| *from == number) {
            for (reader, other) in sets.iter().enumerate().filter(|(_, other)| other.source == flow.sink) {
                let read = flow.relation.intersect_range(&other.instances)?.domain()?;
                if read.is_empty()? {
                    continue;
                }
                if reader == number {
                    itself = itself.max(Some(*alone));
                    continue;
                }
                if !reads[reader].contains(&number) {
                    reads[reader].push(number);
                }
                others = Some(match others {
                    Some(all) => all.union(&read)?,
                    None => read,
                });
            }
        }
        let of_others =
            others.map_or(Ok(0), |read| Ok::<_, anyhow::Error>(read.count()?.finite().unwrap_or(i64::MAX)))?;
        words.push(match itself {
            Some(alone) => alone.max(of_others),
            None => set.size()?,
        });
    }
    let mut produced = vec![false; n];
    let mut most = 0;
    for _ in 0..n {
        let after = |next: usize| -> i64 {
            let is_there = |set: usize| produced[set] || set == next;
            let waits = |set: usize| {
                let mut readers = (0..n).filter(|reader| reads[*reader].contains(&set)).peekable();
                readers.peek().is_none() || readers.any(|reader| !is_there(reader))
            };
            (0..n).filter(|set| is_there(*set) && waits(*set)).map(|set| words[set]).sum()
        };
        let ready = (0..n).filter(|set| !produced[*set] && reads[*set].iter().all(|read| produced[*read]));
        let Some((alive, next)) = ready.map(|set| (after(set), set)).min() else { return Ok(None) };
        produced[next] = true;
        most = most.max(alive);
    }
    Ok(Some(most))
}
