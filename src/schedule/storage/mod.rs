//! Words that values take while the order of execution is partly open (F. Catthoor et al., *Data Access and Storage
//! Management for Embedded Programmable Processors*, chapter 4).
//!
//! All statements have a place in one common iteration space ([`space`]). A dependence is the flow of values from a write
//! to a read ([`flow`]); its part, the nodes that produce what is read, is taken for a box, and its values alive at once
//! under an order of the dimensions have a closed form ([`live`]). Lower and upper bound are the least and the most over
//! the legal orders that begin, or end, with the dimensions that are fixed. An array's, and the program's, words are the
//! peak over what is alive at one date, counted value by value where there are few enough ([`walk`]), and not the sum.
//! Only values that the kernel both writes and reads count: its inputs and its results lie in memory anyway. Every value
//! counts as if it had a word of its own; so orders are legal that keep these flows, also where they would need cells
//! to be renamed.

mod basic_sets;
mod dependence;
mod flow;
mod live;
mod skew;
mod space;
#[cfg(test)]
pub(crate) mod tests;
mod walk;

use anyhow::{Result, anyhow};

pub use basic_sets::{BasicSet, basic_sets, split, traversal};
pub use dependence::Dependence;
pub use flow::{Flow, flows, instances, parametric_flows};
pub use live::{Shape, orders, product};
pub use skew::Row;
pub use space::{Form, Space};
pub use walk::{Peak, Value, peak, points, values};

use crate::ids::{ArrayId, StatementId};
use crate::polyhedral::Program;
use crate::polyhedral::isl::Set;

/// Dimensions of which all orders are looked at: 5,040 of them.
pub const MOST_FREE: usize = 7;
/// Reads up to which values are walked one by one, in every order.
const WALKED_READS: usize = 60_000;
/// Reads times orders that are walked.
const WALKED: usize = 4_000_000;

/// Which dimensions are fixed, by name, outermost first.
#[derive(Clone, Debug, Default)]
pub struct FixedOrder {
    pub outer: Vec<String>,
    pub inner: Vec<String>,
}

/// Bounds over the legal orders, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub lower: i64,
    pub upper: i64,
    /// One that attains the lower bound.
    pub order: Vec<usize>,
}

/// What is estimated for one dependence.
pub struct OfDependence {
    pub bounds: Bounds,
    /// An order that is no permutation and needs fewer words than the lower bound, and how many it needs.
    pub skewed: Option<(Vec<Row>, i64)>,
}

/// What is estimated for the values of an array, or for all.
pub struct OfValues {
    pub bounds: Bounds,
    /// Whether both bounds are counted. Otherwise they come from boxes, and no order needs more than they say for it.
    pub counted: bool,
    /// In the order of the source, where that is counted.
    pub as_written: Option<Peak>,
}

/// The storage of a program at given sizes.
pub struct Estimate {
    pub space: Space,
    pub dependences: Vec<Dependence>,
    /// The legal orders that keep what is fixed.
    pub orders: Vec<Vec<usize>>,
    /// Parallel to `dependences`.
    pub of_dependences: Vec<OfDependence>,
    pub of_arrays: Vec<(ArrayId, OfValues)>,
    pub total: OfValues,
}

/// Why there is no estimate.
#[derive(Debug)]
pub enum NoEstimate {
    /// No dimension has this name; those that there are.
    Unknown(String, Vec<String>),
    /// More than [`MOST_FREE`] dimensions have no place yet: these.
    TooManyFree(Vec<String>),
    /// No legal order keeps what is fixed; whether the order of the source is the only one that is known.
    NoOrder(bool),
}

/// The first space in which some order is legal.
struct Spaced {
    space: Space,
    dependences: Vec<Dependence>,
    /// The fixed dimensions.
    outer: Vec<usize>,
    inner: Vec<usize>,
    legal: Vec<Vec<usize>>,
}

/// Estimates the storage of `flows`, whatever else `fixed` leaves open.
///
/// # Errors
/// isl's, from outside; from inside, what is wrong with `fixed`.
pub fn estimate(
    program: &Program,
    instances: &[Set],
    flows: &[Flow],
    fixed: &FixedOrder,
) -> Result<Result<Estimate, NoEstimate>> {
    let found = match spaced(program, instances, flows, fixed)? {
        Ok(spaced) => spaced,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let bounds = found.dependences.iter().map(|dependence| found.bounds_of(dependence)).collect::<Result<Vec<_>>>()?;
    let Spaced { space, dependences, legal, .. } = found;
    let values = values(program, &space, flows, WALKED_READS)?;
    let of_dependences = bounds
        .into_iter()
        .enumerate()
        .map(|(k, bounds)| {
            let dependence = &dependences[k];
            let skewed = match (&values, dependence.vector()) {
                (Some(all), Some(vector)) if space.form != Form::AsWritten => {
                    let own = walk::values(program, &space, &flows[k..=k], WALKED_READS)?.unwrap_or_default();
                    skew::beating(dependence, vector, bounds.lower, &own, all)
                }
                _ => None,
            };
            Ok(OfDependence { bounds, skewed })
        })
        .collect::<Result<_>>()?;
    let reads = values.as_ref().map_or(0, |values| values.iter().map(|value| value.readers.len()).sum::<usize>());
    let walked = values.filter(|_| reads.saturating_mul(legal.len()) <= WALKED);
    let written = walked_as_written(program, flows, walked.is_some())?;
    let of = |array: Option<ArrayId>| -> Result<OfValues> {
        let is_own = |own: ArrayId| array.is_none_or(|array| array == own);
        let pick = |values: &Option<Vec<Value>>| -> Option<Vec<Value>> {
            values.as_ref().map(|values| values.iter().filter(|value| is_own(value.array)).cloned().collect())
        };
        let own: Vec<&Dependence> = dependences.iter().filter(|dependence| is_own(dependence.array)).collect();
        of_values(&own, &legal, pick(&walked), pick(&written))
    };
    let mut arrays: Vec<ArrayId> = flows.iter().map(|flow| flow.array).collect();
    arrays.sort_unstable();
    arrays.dedup();
    let of_arrays = arrays.into_iter().map(|array| Ok((array, of(Some(array))?))).collect::<Result<_>>()?;
    let total = of(None)?;
    Ok(Ok(Estimate { space, dependences, orders: legal, of_dependences, of_arrays, total }))
}

/// The values in the order of the source.
fn walked_as_written(program: &Program, flows: &[Flow], wanted: bool) -> Result<Option<Vec<Value>>> {
    if !wanted {
        return Ok(None);
    }
    let space = Space::new(program, &[], Form::AsWritten)?;
    values(program, &space, flows, WALKED_READS)
}

fn spaced(
    program: &Program,
    instances: &[Set],
    flows: &[Flow],
    fixed: &FixedOrder,
) -> Result<Result<Spaced, NoEstimate>> {
    for form in [Form::Fused, Form::Nests, Form::AsWritten] {
        let space = Space::new(program, instances, form)?;
        let known = || space.dimensions.iter().flatten().cloned().collect::<Vec<_>>();
        let mut places = vec![];
        for name in fixed.outer.iter().chain(&fixed.inner) {
            match space.position(name) {
                Some(position) => places.push(position),
                None => return Ok(Err(NoEstimate::Unknown(name.clone(), known()))),
            }
        }
        let inner = places.split_off(fixed.outer.len());
        let mut outer = places;
        let dependences: Vec<Dependence> =
            flows.iter().map(|flow| Dependence::new(program, &space, flow)).collect::<Result<_>>()?;
        let n = space.dimensions.len();
        let all = match form {
            Form::AsWritten => {
                let named: Vec<usize> = (0..n).filter(|d| space.dimensions[*d].is_some()).collect();
                let whole: Vec<usize> = (0..n).collect();
                if named.starts_with(&outer) && named.ends_with(&inner) { vec![whole] } else { vec![] }
            }
            _ => {
                outer.splice(0..0, 0..space.fixed());
                let is_free = |d: &usize| !outer.contains(d) && !inner.contains(d);
                let free: Vec<String> = (0..n).filter(is_free).map(|d| space.name(d)).collect();
                if free.len() > MOST_FREE {
                    return Ok(Err(NoEstimate::TooManyFree(free)));
                }
                orders(n, &outer, &inner)
            }
        };
        let mut legal = vec![];
        for order in all {
            let mut keeps = true;
            for dependence in &dependences {
                keeps = keeps && dependence.is_legal(&order)?;
            }
            if keeps {
                legal.push(order);
            }
        }
        if !legal.is_empty() {
            return Ok(Ok(Spaced { space, dependences, outer, inner, legal }));
        }
    }
    let free = spaced_freely(program, instances, flows, fixed)?;
    Ok(Err(NoEstimate::NoOrder(free)))
}

/// Whether the source's order is the only one that is legal where nothing is fixed.
fn spaced_freely(program: &Program, instances: &[Set], flows: &[Flow], fixed: &FixedOrder) -> Result<bool> {
    if fixed.outer.is_empty() && fixed.inner.is_empty() {
        return Ok(true);
    }
    let free = spaced(program, instances, flows, &FixedOrder::default())?;
    Ok(matches!(free, Ok(free) if free.space.form == Form::AsWritten))
}

impl Spaced {
    /// The bounds of one dependence. Where the principle's order is legal, that attains the lower one.
    fn bounds_of(&self, dependence: &Dependence) -> Result<Bounds> {
        let mut found = Extremes::default();
        if let Some(vector) = dependence.vector().filter(|vector| vector.iter().all(|step| *step >= 0)) {
            let free: Vec<usize> =
                (0..vector.len()).filter(|d| !self.outer.contains(d) && !self.inner.contains(d)).collect();
            let best = [self.outer.clone(), dependence.shape(&[])?.best(&free), self.inner.clone()].concat();
            if self.legal.contains(&best) {
                found.add(dependence.shape(&best)?.live(&best), &best);
            }
        }
        for order in &self.legal {
            found.add(dependence.shape(order)?.live(order), order);
        }
        found.bounds()
    }
}

/// The least and the most so far.
#[derive(Default)]
struct Extremes(Option<Bounds>);

impl Extremes {
    fn add(&mut self, live: i64, order: &[usize]) {
        match &mut self.0 {
            None => self.0 = Some(Bounds { lower: live, upper: live, order: order.to_vec() }),
            Some(bounds) => {
                bounds.upper = bounds.upper.max(live);
                if live < bounds.lower {
                    (bounds.lower, bounds.order) = (live, order.to_vec());
                }
            }
        }
    }

    fn bounds(self) -> Result<Bounds> {
        self.0.ok_or_else(|| anyhow!("internal error: bounds over no order"))
    }
}

fn of_values(
    dependences: &[&Dependence],
    orders: &[Vec<usize>],
    walked: Option<Vec<Value>>,
    written: Option<Vec<Value>>,
) -> Result<OfValues> {
    let mut found = Extremes::default();
    for order in orders {
        let date = |place: &[i64]| order.iter().map(|&d| place[d]).collect::<Vec<_>>();
        let counted = walked.as_ref().and_then(|values| peak(values.iter(), date));
        let live = match counted {
            Some(peak) => peak.in_place,
            None => of_boxes(dependences, order)?,
        };
        found.add(live, order);
    }
    let bounds = found.bounds()?;
    let as_written = written.and_then(|values| peak(values.iter(), <[i64]>::to_vec));
    Ok(OfValues { bounds, counted: walked.is_some(), as_written })
}

/// The values of one statement, those of all its readers together.
struct Group {
    begin: Vec<i64>,
    end: Vec<i64>,
    live: i64,
}

/// No fewer words than are alive at once: the largest sum, over the dates, of what is alive of statements whose values
/// are alive from the first production to the last consumption.
fn of_boxes(dependences: &[&Dependence], order: &[usize]) -> Result<i64> {
    let mut sources: Vec<(ArrayId, StatementId)> = dependences.iter().map(|d| (d.array, d.source)).collect();
    sources.sort_unstable();
    sources.dedup();
    let mut groups = vec![];
    for (array, source) in sources {
        let own = dependences.iter().filter(|d| (d.array, d.source) == (array, source));
        groups.push(group(&own.copied().collect::<Vec<_>>(), order)?);
    }
    let at = |date: &Vec<i64>| {
        let alive = groups.iter().filter(|group| group.begin <= *date && *date <= group.end);
        alive.fold(0, |sum: i64, group| sum.saturating_add(group.live))
    };
    Ok(groups.iter().map(|group| at(&group.begin)).max().unwrap_or(0))
}

/// Readers of one statement's values: together they need no more than one by one, and no more than if all values were read
/// at the end of the longest way.
fn group(dependences: &[&Dependence], order: &[usize]) -> Result<Group> {
    let mut sum: i64 = 0;
    let (mut low, mut high, mut far, mut first) = (vec![], vec![], vec![], false);
    let ordered = |point: &[i64]| order.iter().map(|&d| point[d]).collect::<Vec<i64>>();
    for (k, dependence) in dependences.iter().enumerate() {
        let shape = dependence.shape(order)?;
        sum = sum.saturating_add(shape.live(order));
        first |= dependence.producer_first();
        let end: Vec<i64> = dependence.corner.iter().zip(&dependence.lengths).map(|(c, l)| c + l - 1).collect();
        if k == 0 {
            (low, high, far) = (dependence.corner.clone(), end, shape.vector);
            continue;
        }
        low.iter_mut().zip(&dependence.corner).for_each(|(low, corner)| *low = *corner.min(low));
        high.iter_mut().zip(&end).for_each(|(high, end)| *high = *end.max(high));
        if ordered(&shape.vector) > ordered(&far) {
            far = shape.vector;
        }
    }
    let lengths = low.iter().zip(&high).map(|(low, high)| high - low + 1).collect();
    let end: Vec<i64> = high.iter().zip(&far).map(|(high, far)| high + far).collect();
    let together = Shape { lengths, vector: far, producer_first: first }.live(order);
    Ok(Group { begin: ordered(&low), end: ordered(&end), live: together.min(sum) })
}
