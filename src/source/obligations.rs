//! What must hold for the integers of the analysis to be the values that C computes.
//!
//! Bounds, conditions and subscripts are lowered to affine expressions over the integers. A value of a type with sign
//! is one under the obligation that it stays within its type. A value of a type without sign is one modulo 2^bits only:
//! its sums wrap around and back as they like, and the obligation comes with what looks at its size, which is a
//! comparison, a division, a conversion to a wider type, a bound or a subscript. The obligations are discharged by the
//! analysis ([`crate::polyhedral::settle_domain`]).

use std::sync::Arc;

use super::kernel::{Broken, Condition, Obligation, ScalarType, Surroundings};
use super::scope::{Name, Scope};
use crate::affine::Affine;
use crate::diagnostic::Span;

/// The loops and conditions around the expression that is being read, outermost first.
#[derive(Clone, Default)]
pub struct Around {
    here: Surroundings,
    shared: Option<Arc<Surroundings>>,
}

/// A length of [`Around`], to go back to.
#[derive(Clone, Copy)]
pub struct Mark {
    iterators: usize,
    conditions: usize,
}

/// How many of the last obligations are searched for an equal one.
const RECENT: usize = 64;

impl Scope<'_> {
    /// Goes into a condition; [`Scope::come_out`] takes the mark.
    pub fn go_into(&mut self, condition: Option<Condition>) -> Mark {
        self.go_into_loop(None, condition.into_iter().collect())
    }

    /// Goes into a loop under the conditions of its iterations.
    pub fn go_into_loop(&mut self, iterator: Option<String>, conditions: Vec<Condition>) -> Mark {
        let here = &mut self.around.here;
        let mark = Mark { iterators: here.iterators.len(), conditions: here.conditions.len() };
        here.iterators.extend(iterator);
        here.conditions.extend(conditions);
        self.around.shared = None;
        mark
    }

    pub fn come_out(&mut self, mark: Mark) {
        self.around.here.iterators.truncate(mark.iterators);
        self.around.here.conditions.truncate(mark.conditions);
        self.around.shared = None;
    }

    /// What `act` gives under `condition`.
    pub fn under<T>(&mut self, condition: Option<Condition>, act: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.go_into(condition);
        let result = act(self);
        self.come_out(mark);
        result
    }

    /// What `act` gives, and the obligations that it would have brought.
    pub fn trial<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> (T, Vec<Obligation>) {
        let known = self.obligations.len();
        let result = act(self);
        (result, self.obligations.split_off(known))
    }

    /// Demands that a value of type `ty` lies within it.
    pub fn require(&mut self, value: &Affine, ty: ScalarType, broken: Broken, span: Span) {
        if !self.shown_within(value, ty) {
            self.oblige(value.clone(), ty.limits(), broken, span);
        }
    }

    /// The same of what a loop's iterator becomes; `shown` is the C text of it.
    pub fn require_next(&mut self, value: &Affine, ty: ScalarType, shown: String, span: Span) {
        let broken = if ty.signed && ty.bits >= 32 { Broken::Overflows(ty) } else { Broken::Wraps(ty) };
        let known = self.obligations.len();
        self.require(value, ty, broken, span);
        self.obligations[known..].iter_mut().for_each(|obligation| obligation.shown = Some(shown.clone()));
    }

    /// Demands that `value` lies in a closed interval.
    pub fn oblige(&mut self, value: Affine, (least, most): (i64, i64), broken: Broken, span: Span) {
        let around = &mut self.around;
        let surroundings = around.shared.get_or_insert_with(|| Arc::new(around.here.clone())).clone();
        let obligation = Obligation { value, least, most, broken, shown: None, surroundings, span };
        if !self.obligations.iter().rev().take(RECENT).any(|known| known.is_same(&obligation)) {
            self.obligations.push(obligation);
        }
    }

    /// Puts the obligations from number `first` on, which came from the condition of a loop, inside it.
    pub fn put_into_loop(&mut self, first: usize, iterator: &str, condition: &Condition) {
        let mut known: Vec<(Arc<Surroundings>, Arc<Surroundings>)> = vec![];
        for obligation in &mut self.obligations[first..] {
            let old = &obligation.surroundings;
            let place = known.iter().position(|(outer, _)| Arc::ptr_eq(outer, old)).unwrap_or_else(|| {
                let mut inner = Surroundings::clone(old);
                inner.iterators.push(iterator.to_string());
                inner.conditions.push(condition.clone());
                known.push((old.clone(), Arc::new(inner)));
                known.len() - 1
            });
            obligation.surroundings = known[place].1.clone();
        }
    }

    /// Whether types and bounds alone show that the value lies within the type.
    pub fn shown_within(&self, value: &Affine, ty: ScalarType) -> bool {
        let (least, most) = ty.limits();
        if self.exact.iter().any(|(known, own)| known == value && within(own.limits(), ty)) {
            return true;
        }
        let (low, high) = value.range(|name| self.type_range(name));
        high <= most && (low >= least || self.non_negative(&(value.clone() - Affine::constant(least))))
    }

    /// The same, as far as constant bounds narrow it.
    pub fn known_range(&self, name: &str) -> (i64, i64) {
        let (low, high) = self.type_range(name);
        if self.is_size(name) {
            // Registers of sizes have 32 bits, of which one is a sign.
            return (low, high.min(i64::from(i32::MAX)));
        }
        let (least, most) = match self.quotients.iter().find(|quotient| quotient.name == *name) {
            Some(quotient) => {
                let (least, most) = quotient.numerator.range(|name| self.known_range(name));
                (quotient.of(least), quotient.of(most))
            }
            None => self.constant_range(name),
        };
        (low.max(least), high.min(most))
    }

    /// The constant bounds of an iterator.
    pub fn constant_range(&self, name: &str) -> (i64, i64) {
        let Some(enclosing) = self.loops.iter().rev().find(|l| l.iterator == *name) else {
            return (i64::MIN, i64::MAX);
        };
        let constants = |bounds: &[Affine]| -> Vec<i64> {
            bounds.iter().filter(|bound| bound.is_constant()).map(|bound| bound.constant).collect()
        };
        let low = constants(&enclosing.lower).into_iter().max().unwrap_or(i64::MIN);
        let high = constants(&enclosing.upper).into_iter().min().unwrap_or(i64::MAX);
        (low, high)
    }

    /// What a size or iterator may be, as far as the bounds of loops and sizes show it.
    pub fn shown_range(&self, name: &str) -> (i64, i64) {
        if let Some(quotient) = self.quotients.iter().find(|quotient| quotient.name == *name) {
            let (low, high) = quotient.numerator.range(|name| self.shown_range(name));
            return (quotient.of(low), quotient.of(high));
        }
        let Some(enclosing) = self.loops.iter().rev().find(|l| l.iterator == *name) else {
            return self.sizes.get(name).copied().unwrap_or((i64::MIN, i64::MAX));
        };
        let of = |bound: &Affine| bound.range(|name| self.shown_range(name));
        let low = enclosing.lower.iter().map(|bound| of(bound).0).max().unwrap_or(i64::MIN);
        let high = enclosing.upper.iter().map(|bound| of(bound).1).min().unwrap_or(i64::MAX);
        (low, high)
    }

    /// What the type of a size or iterator can hold.
    fn type_range(&self, name: &str) -> (i64, i64) {
        if let Some(quotient) = self.quotients.iter().find(|quotient| quotient.name == *name) {
            let (low, high) = quotient.numerator.range(|name| self.type_range(name));
            return (quotient.of(low), quotient.of(high));
        }
        if let Some(enclosing) = self.loops.iter().rev().find(|l| l.iterator == *name) {
            return enclosing.ty.map_or((i64::MIN, i64::MAX), ScalarType::limits);
        }
        match self.argument(name) {
            Some(Name::Parameter(ty)) => (0, ty.limits().1),
            _ => (i64::MIN, i64::MAX),
        }
    }
}

fn within((low, high): (i64, i64), ty: ScalarType) -> bool {
    let (least, most) = ty.limits();
    least <= low && high <= most
}
