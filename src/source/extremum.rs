//! What an expression is as an affine one: a sum, or the smallest or largest of several; and conditions over those.

use super::affine_expression::{plus, times};
use super::kernel::{BinaryOp, Broken, Condition, Expr, Obligation, ScalarType, UnaryOp};
use super::scope::Scope;
use super::table::spread;
use crate::affine::Affine;
use crate::diagnostic::Span;

/// Which of several values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Smallest,
    Largest,
}

/// The smallest or largest of `parts`. A single part is an ordinary affine expression, and its kind `Smallest`.
#[derive(Clone, Debug, PartialEq)]
pub struct Extremum {
    kind: Kind,
    pub parts: Vec<Affine>,
}

/// More parts than anybody writes.
const MOST: usize = 16;

impl Extremum {
    pub fn single(value: Affine) -> Self {
        Extremum { kind: Kind::Smallest, parts: vec![value] }
    }

    /// The parts, where this is of `kind`.
    pub fn of_kind(&self, kind: Kind) -> Option<&Vec<Affine>> {
        (self.kind == kind || self.parts.len() == 1).then_some(&self.parts)
    }

    pub fn affine(self) -> Option<Affine> {
        let [part] = <[Affine; 1]>::try_from(self.parts).ok()?;
        Some(part)
    }

    /// `self - other`, where both are single.
    fn difference(&self, other: &Extremum) -> Option<Affine> {
        match (&self.parts[..], &other.parts[..]) {
            ([own], [others]) => Some(own.clone() - others.clone()),
            _ => None,
        }
    }

    /// The kinds of both, which must agree where both have several parts.
    fn common(&self, other: &Extremum) -> Option<Kind> {
        let kind = if self.parts.len() == 1 { other.kind } else { self.kind };
        other.of_kind(kind).map(|_| kind)
    }

    fn negated(self) -> Option<Self> {
        let flips = self.kind == Kind::Smallest && self.parts.len() > 1;
        let kind = if flips { Kind::Largest } else { Kind::Smallest };
        Extremum { kind, ..self }.map(|part| times(part, -1))
    }

    fn map(self, change: impl FnMut(Affine) -> Option<Affine>) -> Option<Self> {
        let parts = self.parts.into_iter().map(change).collect::<Option<_>>()?;
        Some(Extremum { kind: self.kind, parts })
    }

    fn plus(self, other: Extremum) -> Option<Self> {
        let kind = self.common(&other)?;
        let pairs = self.parts.iter().flat_map(|a| other.parts.iter().map(move |b| plus(a.clone(), b.clone(), 1)));
        let parts: Vec<Affine> = pairs.collect::<Option<_>>()?;
        (parts.len() <= MOST).then_some(Extremum { kind, parts })
    }

    fn scaled(self, factor: i64) -> Option<Self> {
        match factor {
            0.. => self.map(|part| times(part, factor)),
            _ => self.negated()?.map(|part| times(part, factor.checked_neg()?)),
        }
    }
}

impl Scope<'_> {
    /// The expression's value as affine ones over iterators, sizes and quotients, or `None`: under the obligations that
    /// it brings, they are what C computes.
    pub fn exactly(&mut self, expr: &Expr, span: Span) -> Option<Extremum> {
        let value = self.extremum(expr, span)?;
        if !expr.ty().signed {
            self.require_all(&value, expr.ty(), Broken::Wraps(expr.ty()), span);
        }
        Some(value)
    }

    /// Demands that the smallest or largest lies within the type.
    fn require_all(&mut self, value: &Extremum, ty: ScalarType, broken: Broken, span: Span) {
        let outside: Vec<&Affine> = value.parts.iter().filter(|part| !self.shown_within(part, ty)).collect();
        if value.parts.len() == 1 || outside.is_empty() {
            outside.into_iter().for_each(|part| self.require(part, ty, broken, span));
            return;
        }
        let (least, most) = ty.limits();
        // All parts on this side of the interval; on the other side, one is enough where all others are beyond.
        let (each, one) = match value.kind {
            Kind::Smallest => ((least, i64::MAX), (i64::MIN, most)),
            Kind::Largest => ((i64::MIN, most), (least, i64::MAX)),
        };
        outside.into_iter().for_each(|part| self.oblige(part.clone(), each, broken, span));
        let beyond = |part: &Affine| match value.kind {
            Kind::Smallest => Condition::NonNegative(part.clone() - Affine::constant(most + 1)),
            Kind::Largest => Condition::NonNegative(Affine::constant(least - 1) - part.clone()),
        };
        let mut parts = value.parts.iter();
        let first = parts.next().cloned().unwrap_or_default();
        let others = parts.map(beyond).collect();
        self.under(Some(all(others)), |scope| scope.oblige(first, one, broken, span));
    }

    /// The same, but modulo 2^bits where the type has no sign.
    pub fn extremum(&mut self, expr: &Expr, span: Span) -> Option<Extremum> {
        let ty = expr.ty();
        if ty.floating {
            return None;
        }
        let value = match expr {
            Expr::Constant { value, .. } => {
                return plus(Affine::constant(*value), Affine::default(), 1).map(Extremum::single);
            }
            Expr::Index { value, ty } => {
                let definition = self.definitions.get(&(value.clone(), *ty)).cloned();
                for Obligation { value, least, most, broken, span, .. } in definition.into_iter().flatten() {
                    self.oblige(value, (least, most), broken, span);
                }
                return Some(Extremum::single(value.clone()));
            }
            Expr::Read { .. }
            | Expr::Scalar { .. }
            | Expr::Gather { .. }
            | Expr::Scatter { .. }
            | Expr::Masked { .. } => {
                return None;
            }
            Expr::Lookup { table, index } => return self.extremum(&spread(table, index)?, span),
            Expr::Unary { op: UnaryOp::Negate, operand, .. } => self.extremum(operand, span)?.negated()?,
            // All bits of x are those of -1 - x.
            Expr::Unary { op: UnaryOp::Complement, operand, .. } => {
                self.extremum(operand, span)?.negated()?.plus(Extremum::single(Affine::constant(-1)))?
            }
            Expr::Unary { .. } => return None,
            Expr::Cast { operand, .. } => {
                let from = operand.ty();
                let value = match from.signed || ty.bits <= from.bits {
                    // Modulo 2^bits, this changes nothing.
                    true => self.extremum(operand, span)?,
                    false => self.exactly(operand, span)?,
                };
                if let Some(narrowed) = self.narrowed(&value, ty, span) {
                    return Some(Extremum::single(narrowed));
                }
                if ty.signed && (from.bits > ty.bits || from.bits == ty.bits && !from.signed) {
                    self.require_all(&value, ty, Broken::Wraps(ty), span);
                }
                return Some(value);
            }
            Expr::Select { condition, then, otherwise, .. } => return self.choice(condition, then, otherwise, span),
            Expr::Binary { op: op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor), left, right, .. } => {
                self.bits(*op, left, right, span)?
            }
            Expr::Binary { op, left, right, .. } => {
                let wraps = matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::ShiftLeft);
                let left = if wraps { self.extremum(left, span)? } else { self.exactly(left, span)? };
                let right = if wraps { self.extremum(right, span)? } else { self.exactly(right, span)? };
                self.combine(*op, left, right, ty, span)?
            }
        };
        if ty.signed {
            self.require_all(&value, ty, Broken::Overflows(ty), span);
        }
        Some(value)
    }

    fn combine(
        &mut self,
        op: BinaryOp,
        left: Extremum,
        right: Extremum,
        ty: ScalarType,
        span: Span,
    ) -> Option<Extremum> {
        let constant = |value: &Extremum| match &value.parts[..] {
            [part] if part.is_constant() => Some(part.constant),
            _ => None,
        };
        match op {
            BinaryOp::Add => left.plus(right),
            BinaryOp::Subtract => left.plus(right.negated()?),
            BinaryOp::Multiply => match (constant(&left), constant(&right)) {
                (_, Some(factor)) => left.scaled(factor),
                (Some(factor), _) => right.scaled(factor),
                _ => None,
            },
            BinaryOp::ShiftLeft => left.scaled(power(constant(&right)?)?),
            BinaryOp::Divide => self.divided(left, constant(&right)?, ty.signed, span),
            BinaryOp::ShiftRight => self.divided(left, power(constant(&right)?)?, false, span),
            BinaryOp::Remainder => self.remainder(left, constant(&right)?, ty.signed, span),
            _ => None,
        }
    }

    /// `left & right`, `left | right` and `left ^ right` where one side is constant; the latter two also where no bit is
    /// in both sides, which makes them sums.
    fn bits(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Option<Extremum> {
        let (value, mask) = match (left, right) {
            (value, Expr::Constant { value: mask, .. }) | (Expr::Constant { value: mask, .. }, value) => (value, *mask),
            _ if op == BinaryOp::And => return None,
            _ => {
                let (x, y) = (self.exactly(left, span)?.affine()?, self.exactly(right, span)?.affine()?);
                let is_below = |most: Option<i64>, high: &Affine| most.is_some_and(|most| most < lowest_bit(high));
                let are_apart = is_below(self.most(right, span), &x) || is_below(self.most(left, span), &y);
                return if are_apart { plus(x, y, 1).map(Extremum::single) } else { None };
            }
        };
        let ty = value.ty();
        // The lowest bits are those of the value modulo 2^bits, too.
        let is_lowest = op == BinaryOp::And && mask >= 0 && mask & (mask + 1) == 0;
        let value = if is_lowest { self.extremum(value, span)? } else { self.exactly(value, span)? }.affine()?;
        // A value without sign has zeros above its type, so ones there change nothing.
        let above = !ty.signed && ty.bits <= 32 && mask >> (ty.bits - 1) & 1 == 1;
        let common = self.masked(&value, if above { mask - (1 << ty.bits) } else { mask }, span)?;
        if !ty.signed && mask < 0 && op != BinaryOp::And {
            return None;
        }
        let mask = Affine::constant(mask);
        let result = match op {
            BinaryOp::And => Some(common),
            BinaryOp::Or => plus(plus(value, mask, 1)?, common, -1),
            _ => plus(plus(value, mask, 1)?, common, -2),
        };
        result.map(Extremum::single)
    }

    /// The value's bits that are ones in `mask`: for every run of ones that begins at bit l and ends before bit h, the
    /// value without its bits below l, less the value without those below h. A negative mask's last run never ends.
    fn masked(&mut self, value: &Affine, mask: i64, span: Span) -> Option<Affine> {
        if !matches!(mask >> HIGHEST, 0 | -1) {
            return None;
        }
        let mut sum = Affine::default();
        for bit in 0..=HIGHEST {
            let (own, last) = (mask >> bit & 1, if bit == 0 { 0 } else { mask >> (bit - 1) & 1 });
            if own != last {
                let cleared = match bit {
                    0 => value.clone(),
                    _ => times(self.quotient(value.clone(), 1 << bit, false, span), 1 << bit)?,
                };
                sum = plus(sum, cleared, own - last)?;
            }
        }
        Some(sum)
    }

    /// What a value that is never negative is at most, where its operator or constant bounds tell.
    fn most(&mut self, expr: &Expr, span: Span) -> Option<i64> {
        match expr {
            Expr::Constant { value, .. } => (*value >= 0).then_some(*value),
            Expr::Cast { operand, ty } => self.most(operand, span).filter(|most| *most <= ty.limits().1),
            Expr::Binary { op: BinaryOp::And, left, right, .. } => {
                [left, right].into_iter().find_map(|side| match **side {
                    Expr::Constant { value, .. } if value >= 0 => Some(value),
                    _ => None,
                })
            }
            Expr::Binary { op: BinaryOp::Remainder, left, right, .. } => {
                let Expr::Constant { value: divisor @ 1.., .. } = **right else { return None };
                let value = self.trial(|scope| scope.exactly(left, span)).0?.affine()?;
                self.non_negative(&value).then_some(divisor - 1)
            }
            Expr::Binary { op: BinaryOp::ShiftLeft, left, right, .. } => {
                let Expr::Constant { value: count @ 0..=20, .. } = **right else { return None };
                self.most(left, span).filter(|most| *most < 1 << HIGHEST).map(|most| most << count)
            }
            Expr::Binary { op: BinaryOp::Or | BinaryOp::Xor, left, right, .. } => {
                let both = self.most(left, span)?.max(self.most(right, span)?);
                Some((both as u64 + 1).next_power_of_two() as i64 - 1).filter(|most| *most < 1 << HIGHEST)
            }
            _ if is_truth(expr) => Some(1),
            _ => {
                let value = self.trial(|scope| scope.exactly(expr, span)).0?.affine()?;
                let (low, high) = value.range(|name| self.known_range(name));
                (low >= 0).then_some(high)
            }
        }
    }

    fn divided(&mut self, value: Extremum, divisor: i64, truncates: bool, span: Span) -> Option<Extremum> {
        match divisor {
            1.. => value.map(|part| Some(self.quotient(part, divisor, truncates, span))),
            // Rounding towards zero is the same on both sides of it.
            _ if truncates && divisor != 0 => self.divided(value, divisor.checked_neg()?, true, span)?.negated(),
            _ => None,
        }
    }

    fn remainder(&mut self, value: Extremum, divisor: i64, truncates: bool, span: Span) -> Option<Extremum> {
        let value = value.affine()?;
        let quotient = self.divided(Extremum::single(value.clone()), divisor, truncates, span)?.affine()?;
        plus(value, quotient, divisor.checked_neg()?).map(Extremum::single)
    }

    /// `a < b ? a : b` and its kin.
    fn choice(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr, span: Span) -> Option<Extremum> {
        let Expr::Binary { op: op @ (BinaryOp::Less | BinaryOp::LessEqual), left, right, .. } = condition else {
            let holds = self.condition_of(condition, span);
            let fails = holds.clone().map(negated);
            let then = self.under(holds, |scope| scope.extremum(then, span))?;
            let otherwise = self.under(fails, |scope| scope.extremum(otherwise, span))?;
            return (then == otherwise).then_some(then);
        };
        let compared = self.compared(left, right, span);
        let holds = compared.as_ref().and_then(|(left, right)| is_less(*op, left, right));
        let fails = holds.clone().map(negated);
        let then = self.under(holds, |scope| scope.extremum(then, span))?;
        let otherwise = self.under(fails, |scope| scope.extremum(otherwise, span))?;
        if then == otherwise {
            return Some(then);
        }
        let (left, right) = compared?;
        // `right - left >= strict` chooses the smaller one where it says `otherwise - then >= 0`, or `>= 1`: in
        // `i > 3 ? i - 3 : 0` both differences are equal, though the operands are not.
        let strict = (*op == BinaryOp::Less) as i64;
        let chooses_smaller = |small: &Extremum, large: &Extremum| {
            let offset = (large.difference(small)? - right.difference(&left)?) + Affine::constant(strict);
            Some(offset.is_constant() && (0..=1).contains(&offset.constant))
        };
        let kind = if (left == then && right == otherwise) || chooses_smaller(&then, &otherwise) == Some(true) {
            Kind::Smallest
        } else if (left == otherwise && right == then) || chooses_smaller(&otherwise, &then) == Some(true) {
            Kind::Largest
        } else {
            return None;
        };
        let mut parts = then.of_kind(kind)?.clone();
        for part in otherwise.of_kind(kind)? {
            if !parts.contains(part) {
                parts.push(part.clone());
            }
        }
        (parts.len() <= MOST).then_some(Extremum { kind, parts })
    }

    /// Both sides of a comparison.
    pub fn compared(&mut self, left: &Expr, right: &Expr, span: Span) -> Option<(Extremum, Extremum)> {
        Some((self.exactly(left, span)?, self.exactly(right, span)?))
    }

    /// The expression as a condition that iterators and sizes decide, or `None`.
    pub fn condition_of(&mut self, expr: &Expr, span: Span) -> Option<Condition> {
        match expr {
            Expr::Constant { value, .. } => {
                Some(if *value != 0 { Condition::All(vec![]) } else { Condition::Any(vec![]) })
            }
            Expr::Unary { op: UnaryOp::Not, operand, .. } => self.condition_of(operand, span).map(negated),
            Expr::Cast { operand, .. } if is_truth(operand) => self.condition_of(operand, span),
            Expr::Binary { op: BinaryOp::LogicalAnd, left, right, .. } => {
                let left = self.condition_of(left, span)?;
                let right = self.under(Some(left.clone()), |scope| scope.condition_of(right, span))?;
                Some(all(vec![left, right]))
            }
            Expr::Binary { op: BinaryOp::LogicalOr, left, right, .. } => {
                let left = self.condition_of(left, span)?;
                let right = self.under(Some(negated(left.clone())), |scope| scope.condition_of(right, span))?;
                Some(any(vec![left, right]))
            }
            Expr::Binary { op: op @ (BinaryOp::Less | BinaryOp::LessEqual), left, right, .. } => {
                if let Some(condition) = self.wrapped_comparison(*op, left, right, span) {
                    return Some(condition);
                }
                let (sides, obligations) = self.trial(|scope| scope.compared(left, right, span));
                let compared = sides.and_then(|(left, right)| is_less(*op, &left, &right));
                self.kept(compared, obligations).or_else(|| self.by_choice(expr, span))
            }
            Expr::Binary { op: op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right, .. } => {
                if let (true, Expr::Constant { value: value @ 0..=1, .. }) = (is_truth(left), &**right) {
                    let holds = self.condition_of(left, span)?;
                    return Some(if (*value == 1) == (*op == BinaryOp::Equal) { holds } else { negated(holds) });
                }
                let (sides, obligations) = self.trial(|scope| scope.compared(left, right, span));
                let equal = sides.and_then(|(left, right)| Some(zero(plus(left.affine()?, right.affine()?, -1)?)));
                let compared = equal.map(|equal| if *op == BinaryOp::Equal { equal } else { negated(equal) });
                self.kept(compared, obligations).or_else(|| self.by_choice(expr, span))
            }
            Expr::Select { condition, then, otherwise, .. } => {
                let condition = self.condition_of(condition, span)?;
                let fails = negated(condition.clone());
                let then = self.under(Some(condition.clone()), |scope| scope.condition_of(then, span))?;
                let otherwise = self.under(Some(fails.clone()), |scope| scope.condition_of(otherwise, span))?;
                Some(any(vec![all(vec![condition, then]), all(vec![fails, otherwise])]))
            }
            _ => {
                let (value, obligations) = self.trial(|scope| scope.exactly(expr, span));
                let compared = value.and_then(Extremum::affine).map(|value| negated(zero(value)));
                self.kept(compared, obligations).or_else(|| self.by_choice(expr, span))
            }
        }
    }

    /// A condition of a [`Scope::trial`] with what it brought.
    fn kept(&mut self, condition: Option<Condition>, obligations: Vec<Obligation>) -> Option<Condition> {
        condition.inspect(|_| self.obligations.extend(obligations))
    }

    /// A condition on a value that is chosen by another: either that holds and the one side does, or it fails and the other.
    fn by_choice(&mut self, expr: &Expr, span: Span) -> Option<Condition> {
        // Of a kind that iterators do not decide, nothing does.
        if !expr.reads().is_empty() {
            return None;
        }
        self.offer_inner_choice(expr, span);
        let choice = self.take_choice(span)?;
        let sides = self.both_sides(choice, |scope, holds| {
            let side = scope.settled(expr.clone());
            let own = scope.under(Some(holds.clone()), |scope| scope.condition_of(&side, span));
            Ok(own.map(|own| all(vec![holds, own])))
        });
        let [then, otherwise] = sides.ok()?;
        Some(any(vec![then?, otherwise?]))
    }

    /// `(unsigned)(i - 1) < n`: a comparison of values without sign, one of which wraps around in some iterations. There
    /// it is so large, or so small, that its type tells the outcome; elsewhere it is what it looks like. `None` where that
    /// is not so, or nothing wraps around.
    fn wrapped_comparison(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Option<Condition> {
        let ty = left.ty();
        if ty.signed || ty.floating || ty.bits > 32 {
            return None;
        }
        let sides = [left, right];
        let (values, obligations) = self.trial(|scope| {
            let mut values = vec![];
            for side in sides {
                let value = scope.extremum(side, span)?.affine()?;
                let wraps = !scope.shown_within(&value, ty) && scope.names_iterator(&value);
                let range = scope.tight_range(side, &value);
                values.push((value, wraps, range));
            }
            Some(values)
        });
        let values = values?;
        if values.iter().all(|(_, wraps, _)| !wraps) || obligations.iter().any(Obligation::has_meaning) {
            return None;
        }
        let modulus = 1i64 << ty.bits;
        let windows = |(value, wraps, (low, high)): &(Affine, bool, (i64, i64))| -> Option<Vec<Window>> {
            let whole = Window { turns: 0, holds: vec![], low: (*low).max(0), high: (*high).min(modulus - 1) };
            if !wraps {
                return Some(vec![whole]);
            }
            let (first, last) = (low.div_euclid(modulus), high.div_euclid(modulus));
            let window = |turn: i64| {
                let begin = turn * modulus;
                let from = at_least_0(value.clone() - Affine::constant(begin));
                let to = at_least_0(Affine::constant(begin + modulus - 1) - value.clone());
                let holds = [(*low < begin).then_some(from), (*high >= begin + modulus).then_some(to)];
                Some(Window {
                    turns: turn,
                    holds: holds.into_iter().flatten().collect::<Option<_>>()?,
                    low: (low - begin).max(0),
                    high: (high - begin).min(modulus - 1),
                })
            };
            if last - first > 3 { None } else { (first..=last).map(window).collect() }
        };
        let (lefts, rights) = (windows(&values[0])?, windows(&values[1])?);
        let strict = (op == BinaryOp::Less) as i64;
        let mut cases = vec![];
        for left in &lefts {
            for right in &rights {
                let outcome = if left.high + strict <= right.low {
                    Condition::All(vec![])
                } else if left.low + strict > right.high {
                    continue;
                } else if (left.turns, right.turns) == (0, 0) {
                    at_least_0(plus(values[1].0.clone(), values[0].0.clone() + Affine::constant(strict), -1)?)?
                } else {
                    return None;
                };
                cases.push(all(left.holds.iter().chain(&right.holds).cloned().chain([outcome]).collect()));
            }
        }
        // A side that is taken as it is lies within its type.
        for (value, wraps, _) in &values {
            if !wraps {
                self.require(value, ty, Broken::Wraps(ty), span);
            }
        }
        self.obligations.extend(obligations);
        Some(any(cases))
    }

    /// Whether the value changes from iteration to iteration.
    fn names_iterator(&self, value: &Affine) -> bool {
        value.terms.keys().any(|name| !self.is_size(name))
    }

    /// An interval of the values that an expression has where it meets its obligations.
    fn tight_range(&self, expr: &Expr, value: &Affine) -> (i64, i64) {
        let known = value.range(|name| self.known_range(name));
        match expr {
            Expr::Cast { operand, .. } if operand.ty().signed && operand.ty().bits <= expr.ty().bits => {
                let (least, most) = operand.ty().limits();
                (known.0.max(least), known.1.min(most))
            }
            _ => known,
        }
    }

    /// A value converted to a narrow type that constant bounds of loops take out of it: its remainder.
    fn narrowed(&mut self, value: &Extremum, ty: ScalarType, span: Span) -> Option<Affine> {
        let [value] = &value.parts[..] else { return None };
        let (least, most) = ty.limits();
        // What comes round already: `(unsigned char)(head - 3)`.
        let is_round =
            |(name, c): (&String, &i64)| ty.bits < 32 && c % (1i64 << ty.bits) == 0 && self.is_quotient(name);
        if !ty.signed && value.terms.iter().any(is_round) {
            let modulus = 1i64 << ty.bits;
            let terms =
                value.terms.iter().filter(|term| !is_round(*term)).map(|(name, c)| (name.clone(), *c)).collect();
            let value = Affine { terms, constant: value.constant };
            let turns = self.quotient(value.clone(), modulus, false, span);
            return plus(value, turns, -modulus);
        }
        let unbounded = |(low, high)| low == i64::MIN || high == i64::MAX;
        if ty.bits >= 32 || value.terms.keys().any(|name| unbounded(self.constant_range(name))) {
            return None;
        }
        let (low, high) = value.range(|name| self.constant_range(name));
        if unbounded((low, high)) || least <= low && high <= most {
            return None;
        }
        let modulus = 1i64 << ty.bits;
        let turns = self.quotient(value.clone() - Affine::constant(least), modulus, false, span);
        plus(value.clone(), turns, -modulus)
    }

    /// What is known where a condition inside a value holds, as far as iterators and sizes decide it without wrapping
    /// around.
    pub fn known_condition(&mut self, expr: &Expr, span: Span) -> Option<Condition> {
        let known = self.quotients.len();
        let (condition, obligations) = self.trial(|scope| scope.condition_of(expr, span));
        if condition.is_none() || obligations.iter().any(Obligation::has_meaning) {
            self.quotients.truncate(known);
            return None;
        }
        condition
    }
}

/// Where a value modulo 2^bits is the integer minus `turns` times that: there `holds`, and it lies from `low` to `high`.
struct Window {
    turns: i64,
    holds: Vec<Condition>,
    low: i64,
    high: i64,
}

/// `left < right`, or `left <= right`.
fn is_less(op: BinaryOp, left: &Extremum, right: &Extremum) -> Option<Condition> {
    let strict = (op == BinaryOp::Less) as i64;
    // The smallest of several is below a bound if any is, the largest if all are.
    let mut outer = vec![];
    for x in &left.parts {
        let below = |y: &Affine| at_least_0(plus(y.clone(), x.clone() + Affine::constant(strict), -1)?);
        let inner = right.parts.iter().map(below).collect::<Option<Vec<_>>>()?;
        outer.push(if right.kind == Kind::Smallest { all(inner) } else { any(inner) });
    }
    Some(if left.kind == Kind::Smallest { any(outer) } else { all(outer) })
}

/// The highest bit of masks: sums stay far inside 64 bits.
const HIGHEST: u32 = 40;

/// The largest power of two that divides the value in all iterations.
fn lowest_bit(value: &Affine) -> i64 {
    let all = value.terms.values().chain([&value.constant]).fold(0, |all, c| all | c);
    if all == 0 { i64::MAX } else { all & all.wrapping_neg() }
}

/// 2 to the `exponent`.
fn power(exponent: i64) -> Option<i64> {
    (0..=40).contains(&exponent).then(|| 1 << exponent)
}

/// Whether the value is 0 or 1 by its operator.
pub fn is_truth(expr: &Expr) -> bool {
    match expr {
        Expr::Unary { op, .. } => matches!(op, UnaryOp::Not | UnaryOp::OutOfRange),
        Expr::Binary { op, .. } => matches!(
            op,
            BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::LogicalAnd
                | BinaryOp::LogicalOr
        ),
        Expr::Cast { operand, .. } => is_truth(operand),
        _ => false,
    }
}

/// `value >= 0`.
pub fn at_least_0(value: Affine) -> Option<Condition> {
    Some(match (value.is_constant(), value.constant >= 0) {
        (true, true) => Condition::All(vec![]),
        (true, false) => Condition::Any(vec![]),
        _ => Condition::NonNegative(value),
    })
}

fn zero(value: Affine) -> Condition {
    match (value.is_constant(), value.constant) {
        (true, 0) => Condition::All(vec![]),
        (true, _) => Condition::Any(vec![]),
        _ => Condition::Zero(value),
    }
}

/// All of `conditions`, without layers that mean nothing.
pub fn all(conditions: Vec<Condition>) -> Condition {
    if conditions.contains(&Condition::Any(vec![])) {
        return Condition::Any(vec![]);
    }
    let mut flat = vec![];
    for condition in conditions {
        match condition {
            Condition::All(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    if flat.len() == 1 { flat.remove(0) } else { Condition::All(flat) }
}

/// Any of `conditions`, without layers that mean nothing.
pub fn any(conditions: Vec<Condition>) -> Condition {
    if conditions.contains(&Condition::All(vec![])) {
        return Condition::All(vec![]);
    }
    let mut flat = vec![];
    for condition in conditions {
        match condition {
            Condition::Any(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    if flat.len() == 1 { flat.remove(0) } else { Condition::Any(flat) }
}

/// The opposite of `condition`.
pub fn negated(condition: Condition) -> Condition {
    match condition {
        Condition::NonNegative(value) => Condition::NonNegative(-value - Affine::constant(1)),
        Condition::All(inner) => any(inner.into_iter().map(negated).collect()),
        Condition::Any(inner) => all(inner.into_iter().map(negated).collect()),
        Condition::Not(inner) => *inner,
        Condition::Zero(_) => Condition::Not(Box::new(condition)),
    }
}
