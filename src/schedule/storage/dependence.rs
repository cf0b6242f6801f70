//! A flow of values in a common space: its part, and the vectors along which values travel.

use std::cell::RefCell;
use std::collections::BTreeMap;

use anyhow::{Result, anyhow};

use super::{Flow, Shape, Space};
use crate::affine::Affine;
use crate::ids::{ArrayId, StatementId};
use crate::polyhedral::Program;
use crate::polyhedral::isl::{Constraint, Set, Tuple};

/// Lexicographic extremes of a set: by the dimensions so far, and whether the last is meant, what has their values, and the
/// value of the last of them.
type KnownExtremes = BTreeMap<(Vec<usize>, bool), (Set, i64)>;

/// A dependence in a common space.
pub struct Dependence {
    pub array: ArrayId,
    pub source: StatementId,
    pub sink: StatementId,
    /// The smallest box around the part: its least corner, and its lengths in iterations.
    pub corner: Vec<i64>,
    pub lengths: Vec<i64>,
    /// Whether the part is that box. Elsewhere bounds are those of the box (DTSE section 4.3.2.3).
    pub orthogonal: bool,
    /// `{ [place of the read - place of the write] }`
    deltas: Set,
    low: Vec<i64>,
    high: Vec<i64>,
    extremes: RefCell<KnownExtremes>,
}

impl Dependence {
    /// # Errors
    /// isl's.
    pub fn new(program: &Program, space: &Space, flow: &Flow) -> Result<Self> {
        let pairs = space.pairs(program, flow)?;
        let (part, deltas) = (pairs.domain()?, pairs.deltas()?);
        let (corner, end) = corners(&part)?;
        let (low, high) = corners(&deltas)?;
        let lengths: Vec<i64> = corner.iter().zip(&end).map(|(low, high)| high - low + 1).collect();
        let orthogonal = boxed(program, &corner, &end)?.is_equal(&part)?;
        Ok(Dependence {
            array: flow.array,
            source: flow.source,
            sink: flow.sink,
            corner,
            lengths,
            orthogonal,
            deltas,
            low,
            high,
            extremes: RefCell::default(),
        })
    }

    /// How far every value travels, where that is the same for all.
    pub fn vector(&self) -> Option<&Vec<i64>> {
        (self.low == self.high).then_some(&self.low)
    }

    /// The least and the largest step per dimension.
    pub fn steps(&self) -> (&[i64], &[i64]) {
        (&self.low, &self.high)
    }

    /// Whether a value is written before its reader at one node.
    pub fn producer_first(&self) -> bool {
        self.source < self.sink
    }

    /// The vector that comes first, or last, where `order` is that of the dimensions.
    fn extreme(&self, order: &[usize], last: bool) -> Result<Vec<i64>> {
        if let Some(vector) = self.vector() {
            return Ok(vector.clone());
        }
        let mut point = vec![0; order.len()];
        let mut left = self.deltas.clone();
        for place in 0..order.len() {
            let dimension = order[place];
            let key = (order[..=place].to_vec(), last);
            let known = self.extremes.borrow().get(&key).cloned();
            let (set, value) = match known {
                Some(known) => known,
                None => {
                    let bound = if last { left.maximum(dimension)? } else { left.minimum(dimension)? };
                    let value = bound.finite().ok_or_else(|| anyhow!("isl: a dependence without end"))?;
                    let found = (left.fix(dimension, value)?, value);
                    self.extremes.borrow_mut().insert(key, found.clone());
                    found
                }
            };
            (left, point[dimension]) = (set, value);
        }
        Ok(point)
    }

    /// For the closed form: of several vectors the last in this order, so that no fewer words are alive.
    ///
    /// # Errors
    /// isl's.
    pub fn shape(&self, order: &[usize]) -> Result<Shape> {
        let (lengths, producer_first) = (self.lengths.clone(), self.producer_first());
        Ok(Shape { lengths, vector: self.extreme(order, true)?, producer_first })
    }

    /// Whether all values are written before they are read.
    ///
    /// # Errors
    /// isl's.
    pub fn is_legal(&self, order: &[usize]) -> Result<bool> {
        let first = self.extreme(order, false)?;
        Ok(match order.iter().map(|&d| first[d]).find(|step| *step != 0) {
            Some(step) => step > 0,
            None => self.producer_first(),
        })
    }
}

/// The least and the largest value per dimension.
fn corners(set: &Set) -> Result<(Vec<i64>, Vec<i64>)> {
    let endless = || anyhow!("isl: a set without end");
    let n = set.dimensions()?;
    let low = (0..n).map(|d| set.minimum(d)?.finite().ok_or_else(endless)).collect::<Result<_>>()?;
    let high = (0..n).map(|d| set.maximum(d)?.finite().ok_or_else(endless)).collect::<Result<_>>()?;
    Ok((low, high))
}

/// `{ [x] : low <= x <= high }`
fn boxed(program: &Program, low: &[i64], high: &[i64]) -> Result<Set> {
    let names: Vec<String> = (0..low.len()).map(|d| format!("x{d}")).collect();
    let between = |((name, &low), &high): ((&String, &i64), &i64)| {
        let at_least = Constraint::at_most(Affine::constant(low), Affine::variable(name));
        [at_least, Constraint::at_most(Affine::variable(name), Affine::constant(high))]
    };
    let constraints: Vec<Constraint> = names.iter().zip(low).zip(high).flat_map(between).collect();
    program.isl.set(&[], Tuple::unnamed(&names), &constraints)
}
