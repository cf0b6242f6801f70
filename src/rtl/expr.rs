//! Expressions: immutable trees whose every node knows its width and its sign.
//!
//! The constructors fold what would only clutter the printed text (`x + 0`, `x && 1'b1`, a select on a constant, a
//! comparison whose outcome the operands' ranges decide), so an `Expr` need not have the shape it was built in.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::module::{Parameter, Signal};
use super::types::Type;

/// Operators whose operands are as wide as the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Binary {
    Add,
    Subtract,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    fn inverse(self) -> Comparison {
        match self {
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
            Comparison::Less => Comparison::GreaterOrEqual,
            Comparison::GreaterOrEqual => Comparison::Less,
            Comparison::Greater => Comparison::LessOrEqual,
            Comparison::LessOrEqual => Comparison::Greater,
        }
    }

    /// The outcome if it is the same for all `a` and `b` of these ranges.
    fn decide(self, (a_low, a_high): (i128, i128), (b_low, b_high): (i128, i128)) -> Option<bool> {
        let below = a_high < b_low;
        let above = a_low > b_high;
        let never_above = a_high <= b_low;
        let never_below = a_low >= b_high;
        let same = a_low == a_high && (a_low, a_high) == (b_low, b_high);
        let (yes, no) = match self {
            Comparison::Equal => (same, below || above),
            Comparison::NotEqual => (below || above, same),
            Comparison::Less => (below, never_below),
            Comparison::LessOrEqual => (never_above, above),
            Comparison::Greater => (above, never_above),
            Comparison::GreaterOrEqual => (never_below, below),
        };
        if yes { Some(true) } else { no.then_some(false) }
    }
}

/// What a node does. Operand widths are as the comments say; the printer relies on it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Op {
    Constant(i128),
    Signal(Signal),
    Parameter(Parameter),
    /// Bitwise; operand as wide as the result.
    Not(Expr),
    /// Two's complement; operand as wide as the result.
    Negate(Expr),
    /// Both operands as wide as the result.
    Binary(Binary, Expr, Expr),
    /// Operands at most as wide as the result, extended to it by their own sign.
    Multiply(Expr, Expr),
    /// Value as wide as the result, amount of any width and read as unsigned.
    ShiftLeft(Expr, Expr),
    /// As `ShiftLeft`; arithmetic if the value is signed.
    ShiftRight(Expr, Expr),
    /// Operands of one type.
    Compare(Comparison, Expr, Expr),
    /// Condition of one bit; branches as wide as the result.
    Select(Expr, Expr, Expr),
    /// First is most significant.
    Concat(Vec<Expr>),
    Replicate(u32, Expr),
    /// Bits high to low.
    Slice(Expr, u32, u32),
    /// To a wider type of the same sign.
    Extend(Expr),
    /// Same bits, other sign.
    Cast(Expr),
    ReduceOr(Expr),
    ReduceAnd(Expr),
}

pub(super) struct Node {
    ty: Type,
    op: Op,
    /// Of type and operation, so that unequal trees are told apart without a walk.
    hash: u64,
}

/// A typed expression; cheap to clone.
///
/// Arithmetic does not grow by itself: the caller names the result's type, and the operands are first extended (by
/// their own sign) or truncated to its width. Comparisons and `select` extend both sides to a type that holds both, so
/// they are right for any mixture of widths and signs.
///
/// Expressions are equal where they are of one type and do the same to the same signals and constants.
#[derive(Clone)]
pub struct Expr(Rc<Node>);

impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        Rc::ptr_eq(&self.0, &other.0) || (a.hash == b.hash && a.ty == b.ty && a.op == b.op)
    }
}

impl Eq for Expr {}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl Expr {
    pub(super) fn new(op: Op, ty: Type) -> Expr {
        let mut hasher = DefaultHasher::new();
        (ty, &op).hash(&mut hasher);
        Expr(Rc::new(Node { ty, op, hash: hasher.finish() }))
    }

    pub(super) fn op(&self) -> &Op {
        &self.0.op
    }

    /// Identity of the node, for tables.
    pub(super) fn id(&self) -> *const () {
        Rc::as_ptr(&self.0).cast()
    }

    pub fn ty(&self) -> Type {
        self.0.ty
    }

    pub fn width(&self) -> u32 {
        self.0.ty.width
    }

    /// The constant's value, or `None` for anything else (named constants too).
    pub fn as_constant(&self) -> Option<i128> {
        match self.op() {
            Op::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// The signal of which this is the value, or bits of it.
    pub fn signal(&self) -> Option<&Signal> {
        match self.op() {
            Op::Signal(signal) => Some(signal),
            Op::Slice(inner, ..) | Op::Cast(inner) | Op::Extend(inner) => inner.signal(),
            _ => None,
        }
    }

    /// The signal that it is, all of it and as it is.
    pub(super) fn as_signal(&self) -> Option<&Signal> {
        match self.op() {
            Op::Signal(signal) => Some(signal),
            _ => None,
        }
    }

    /// The value of a constant, also of a named one.
    pub fn known_value(&self) -> Option<i128> {
        match self.op() {
            Op::Parameter(parameter) => Some(parameter.value()),
            _ => self.as_constant(),
        }
    }

    /// # Panics
    /// If `ty` does not hold `value`: an internal error of the caller.
    pub fn constant(value: i128, ty: Type) -> Expr {
        assert!(ty.holds(value), "{value} does not fit into {ty:?}");
        Expr::new(Op::Constant(value), ty)
    }

    pub fn bit(value: bool) -> Expr {
        Expr::constant(value.into(), Type::BIT)
    }

    /// `value` modulo 2^width of `ty`, which `ty` need not hold: 1 is -1 in the one bit of a range from -1 to 0.
    ///
    /// # Panics
    /// If `ty` is wider than 126 bits and does not hold `value`.
    pub fn wrapping(value: i128, ty: Type) -> Expr {
        Expr::wrapped(value, ty).unwrap_or_else(|| panic!("{value} modulo 2^{}", ty.width))
    }

    /// The lowest bits of `value` as a constant, where `i128` can tell them.
    fn wrapped(value: i128, ty: Type) -> Option<Expr> {
        ty.wrap(value).map(|value| Expr::constant(value, ty))
    }

    /// Extended by its own sign, or truncated, to `width` bits. The sign stays.
    fn fit(&self, width: u32) -> Expr {
        self.resize(Type { width, signed: self.ty().signed })
    }

    /// Same bits, sign of `ty`.
    fn cast(&self, signed: bool) -> Expr {
        let ty = Type { width: self.width(), signed };
        if ty == self.ty() {
            return self.clone();
        }
        if let Some(folded) = self.as_constant().and_then(|value| Expr::wrapped(value, ty)) {
            return folded;
        }
        match self.op() {
            Op::Cast(inner) if inner.ty() == ty => inner.clone(),
            _ => Expr::new(Op::Cast(self.clone()), ty),
        }
    }

    /// Extended by its own sign or truncated to the width of `ty`, then read with the sign of `ty`.
    pub fn resize(&self, ty: Type) -> Expr {
        let own = self.ty();
        if ty == own {
            return self.clone();
        }
        if let Some(folded) = self.as_constant().and_then(|value| Expr::wrapped(value, ty)) {
            return folded;
        }
        if ty.width < own.width {
            return self.slice(ty.width - 1, 0).cast(ty.signed);
        }
        if ty.width == own.width {
            return self.cast(ty.signed);
        }
        let wider = Type { width: ty.width, signed: own.signed };
        match self.op() {
            Op::Extend(inner) => Expr::new(Op::Extend(inner.clone()), wider),
            _ => Expr::new(Op::Extend(self.clone()), wider),
        }
        .cast(ty.signed)
    }

    pub(super) fn binary(&self, operator: Binary, other: &Expr, ty: Type) -> Expr {
        let (a, b) = (self.fit(ty.width), other.fit(ty.width));
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            let value = match operator {
                Binary::Add => x.checked_add(y),
                Binary::Subtract => x.checked_sub(y),
                Binary::And => Some(x & y),
                Binary::Or => Some(x | y),
                Binary::Xor => Some(x ^ y),
            };
            if let Some(folded) = value.and_then(|value| Expr::wrapped(value, ty)) {
                return folded;
            }
        }
        // The constant stands right wherever the order is free.
        if a.as_constant().is_some() && operator != Binary::Subtract && b.as_constant().is_none() {
            return b.binary(operator, &a, ty);
        }
        let all_ones = |e: &Expr| {
            let ones = if e.ty().signed { -1 } else { e.ty().range().1 };
            e.width() < 127 && e.as_constant() == Some(ones)
        };
        match (operator, b.as_constant()) {
            (Binary::Add | Binary::Subtract | Binary::Or | Binary::Xor, Some(0)) => return a.cast(ty.signed),
            (Binary::And, Some(0)) => return b.cast(ty.signed),
            (Binary::And, Some(_)) if all_ones(&b) => return a.cast(ty.signed),
            (Binary::Or, Some(_)) if all_ones(&b) => return b.cast(ty.signed),
            (Binary::Xor, Some(_)) if all_ones(&b) => return a.not().cast(ty.signed),
            _ => {}
        }
        if operator == Binary::Subtract && a.as_constant() == Some(0) {
            return b.neg(ty);
        }
        if matches!(operator, Binary::And | Binary::Or) && a.same(&b) {
            return a.cast(ty.signed);
        }
        if operator == Binary::And
            && let Some(equal) = equality(&a, &b)
        {
            return equal;
        }
        if matches!(operator, Binary::Subtract | Binary::Xor) && a.same(&b) {
            return Expr::constant(0, ty);
        }
        Expr::new(Op::Binary(operator, a, b), ty)
    }

    fn same(&self, other: &Expr) -> bool {
        match (self.op(), other.op()) {
            (Op::Signal(a), Op::Signal(b)) => a.same(b),
            _ => Rc::ptr_eq(&self.0, &other.0),
        }
    }

    /// Sum modulo 2^width of `ty`.
    pub fn add(&self, other: &Expr, ty: Type) -> Expr {
        self.binary(Binary::Add, other, ty)
    }

    /// Difference modulo 2^width of `ty`.
    pub fn sub(&self, other: &Expr, ty: Type) -> Expr {
        self.binary(Binary::Subtract, other, ty)
    }

    /// The next value of its type, the smallest one after the largest.
    pub fn incremented(&self) -> Expr {
        self.add(&Expr::wrapping(1, self.ty().unsigned_of()), self.ty())
    }

    /// The value before, the largest one before the smallest.
    pub fn decremented(&self) -> Expr {
        self.sub(&Expr::wrapping(1, self.ty().unsigned_of()), self.ty())
    }

    /// Product modulo 2^width of `ty`. The printed multiplier is only as wide as the operands.
    pub fn mul(&self, other: &Expr, ty: Type) -> Expr {
        let narrowed = |e: &Expr| {
            let e = if e.width() > ty.width { e.fit(ty.width) } else { e.clone() };
            match e.op() {
                Op::Extend(inner) => inner.clone(),
                _ => e,
            }
        };
        let (a, b) = (narrowed(self), narrowed(other));
        // 2^128, modulo which i128 computes, is a multiple of 2^width.
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant())
            && ty.width < 127
            && let Some(folded) = Expr::wrapped(x.wrapping_mul(y), ty)
        {
            return folded;
        }
        if a.as_constant().is_some() && b.as_constant().is_none() {
            return b.mul(&a, ty);
        }
        match b.as_constant() {
            Some(0) => Expr::constant(0, ty),
            Some(1) => a.fit(ty.width).cast(ty.signed),
            Some(-1) => a.neg(ty),
            Some(factor) if factor > 0 && factor & (factor - 1) == 0 => a.shl_const(factor.trailing_zeros(), ty),
            _ => Expr::new(Op::Multiply(a, b), ty),
        }
    }

    /// Two's complement negation at the width of `ty`.
    pub fn neg(&self, ty: Type) -> Expr {
        let a = self.fit(ty.width);
        if let Some(folded) = a.as_constant().and_then(i128::checked_neg).and_then(|v| Expr::wrapped(v, ty)) {
            return folded;
        }
        Expr::new(Op::Negate(a), ty)
    }

    fn bitwise(&self, operator: Binary, other: &Expr) -> Expr {
        let width = self.width().max(other.width());
        self.binary(operator, other, Type { width, signed: self.ty().signed && other.ty().signed })
    }

    /// Bitwise; the narrower operand is extended by its own sign. Signed if both are.
    pub fn and(&self, other: &Expr) -> Expr {
        self.bitwise(Binary::And, other)
    }

    /// Bitwise; the narrower operand is extended by its own sign. Signed if both are.
    pub fn or(&self, other: &Expr) -> Expr {
        self.bitwise(Binary::Or, other)
    }

    /// Bitwise; the narrower operand is extended by its own sign. Signed if both are.
    pub fn xor(&self, other: &Expr) -> Expr {
        self.bitwise(Binary::Xor, other)
    }

    /// Conjunction of bits; 1 for none.
    pub fn all(bits: &[Expr]) -> Expr {
        bits.iter().fold(Expr::bit(true), |all, bit| all.and(bit))
    }

    /// Disjunction of bits; 0 for none.
    pub fn any(bits: &[Expr]) -> Expr {
        bits.iter().fold(Expr::bit(false), |any, bit| any.or(bit))
    }

    /// Every bit inverted; same type.
    pub fn not(&self) -> Expr {
        let ty = self.ty();
        if let Some(folded) = self.as_constant().and_then(|value| Expr::wrapped(!value, ty)) {
            return folded;
        }
        match self.op() {
            Op::Not(inner) => inner.cast(ty.signed),
            Op::Compare(comparison, a, b) => a.compare(comparison.inverse(), b),
            _ => Expr::new(Op::Not(self.clone()), ty),
        }
    }

    /// Value at the width of `ty`, shifted left; bits beyond the width are lost. The amount's bits are read as an
    /// unsigned number.
    pub fn shl(&self, amount: &Expr, ty: Type) -> Expr {
        let value = self.fit(ty.width);
        let amount = amount.cast(false);
        if let Some(n) = amount.as_constant() {
            return value.shl_const(n.try_into().unwrap_or(u32::MAX), ty);
        }
        let zero = Expr::constant(0, ty);
        if value.as_constant() == Some(0) {
            return zero;
        }
        value.bounded_shift(&amount, &zero, |value, amount| Expr::new(Op::ShiftLeft(value.clone(), amount), ty))
    }

    /// Shifted right, arithmetically if `self` is signed; same type. The amount's bits are read as an unsigned number.
    pub fn shr(&self, amount: &Expr) -> Expr {
        let amount = amount.cast(false);
        if let Some(n) = amount.as_constant() {
            return self.shr_const(n.try_into().unwrap_or(u32::MAX));
        }
        let fill = self.shr_const(u32::MAX);
        if self.as_constant().is_some() && self.as_constant() == fill.as_constant() {
            return fill;
        }
        self.bounded_shift(&amount, &fill, |value, amount| Expr::new(Op::ShiftRight(value.clone(), amount), value.ty()))
    }

    /// A shift whose amount is cut to 31 bits, because tools do not take more; `beyond` is the value past those.
    fn bounded_shift(&self, amount: &Expr, beyond: &Expr, shift: impl Fn(&Expr, Expr) -> Expr) -> Expr {
        const MOST: u32 = 31;
        if amount.width() <= MOST {
            return shift(self, amount.clone());
        }
        let far = amount.slice(amount.width() - 1, MOST).reduce_or();
        far.select(beyond, &shift(self, amount.slice(MOST - 1, 0)))
    }

    /// `shl` by a constant.
    pub fn shl_const(&self, n: u32, ty: Type) -> Expr {
        let value = self.fit(ty.width);
        if n >= ty.width {
            return Expr::constant(0, ty);
        }
        if n == 0 {
            return value.cast(ty.signed);
        }
        if ty.width < 127
            && let Some(folded) = value.as_constant().and_then(|v| Expr::wrapped(v.wrapping_shl(n), ty))
        {
            return folded;
        }
        // Where only extension bits are shifted out, the rest stands beside zeros.
        let uncast = match value.op() {
            Op::Cast(inner) => inner,
            _ => &value,
        };
        if let Op::Extend(inner) = uncast.op()
            && n <= ty.width - inner.width()
        {
            return Expr::concat(&[inner.fit(ty.width - n), Expr::constant(0, Type::unsigned(n))]).cast(ty.signed);
        }
        Expr::new(Op::ShiftLeft(value, Expr::constant(n.into(), Type::unsigned(32))), ty)
    }

    /// `shr` by a constant.
    pub fn shr_const(&self, n: u32) -> Expr {
        let ty = self.ty();
        if n >= ty.width {
            return if ty.signed { self.shr_const(ty.width - 1) } else { Expr::constant(0, ty) };
        }
        if n == 0 {
            return self.clone();
        }
        if let Some(value) = self.as_constant() {
            return Expr::constant(value >> n.min(127), ty);
        }
        Expr::new(Op::ShiftRight(self.clone(), Expr::constant(n.into(), Type::unsigned(32))), ty)
    }

    /// The range the value surely lies in.
    fn range(&self) -> (i128, i128) {
        match self.op() {
            Op::Constant(value) => (*value, *value),
            Op::Extend(inner) => inner.range(),
            Op::Cast(inner) if self.ty().signed => {
                let (low, high) = inner.range();
                if self.ty().holds(low) && self.ty().holds(high) { (low, high) } else { self.ty().range() }
            }
            _ => self.ty().range(),
        }
    }

    /// What this is without extensions: of the same value, and this where it is resized to the type of this.
    pub fn core(&self) -> &Expr {
        match self.op() {
            Op::Extend(inner) => inner.core(),
            Op::Cast(inner) if self.width() < 127 => {
                let (low, high) = inner.range();
                if self.ty().holds(low) && self.ty().holds(high) { inner.core() } else { self }
            }
            _ => self,
        }
    }

    fn compare(&self, comparison: Comparison, other: &Expr) -> Expr {
        // Types wider than i128 give clamped ranges, from which only a strict order may be concluded.
        if self.width() < 127
            && other.width() < 127
            && let Some(outcome) = comparison.decide(self.range(), other.range())
        {
            return Expr::bit(outcome);
        }
        if self.same(other) {
            let holds = [Comparison::Equal, Comparison::LessOrEqual, Comparison::GreaterOrEqual].contains(&comparison);
            return Expr::bit(holds);
        }
        if self.as_constant().is_some() && other.as_constant().is_none() {
            let swapped = match comparison {
                Comparison::Less => Comparison::Greater,
                Comparison::Greater => Comparison::Less,
                Comparison::LessOrEqual => Comparison::GreaterOrEqual,
                Comparison::GreaterOrEqual => Comparison::LessOrEqual,
                equality => equality,
            };
            return other.compare(swapped, self);
        }
        // A constant takes the other side's type where that holds it.
        let (value, ty) = match other.as_constant() {
            Some(constant) if self.core().ty().holds(constant) => (self.core(), self.core().ty()),
            Some(constant) if self.ty().holds(constant) => (self, self.ty()),
            _ => (self, self.ty().common(other.ty())),
        };
        let (a, b) = (value.resize(ty), other.resize(ty));
        if ty == Type::BIT
            && let Some(value) = b.as_constant()
        {
            match comparison {
                Comparison::Equal => return if value == 1 { a } else { a.not() },
                Comparison::NotEqual => return if value == 0 { a } else { a.not() },
                _ => {}
            }
        }
        // At the ends of the range an order is an equality, which tools take without a warning.
        let (low, high) = ty.range();
        let comparison = match (comparison, b.as_constant().filter(|_| ty.width < 127)) {
            (Comparison::LessOrEqual, Some(v)) if v == low => Comparison::Equal,
            (Comparison::Greater, Some(v)) if v == low => Comparison::NotEqual,
            (Comparison::GreaterOrEqual, Some(v)) if v == high => Comparison::Equal,
            (Comparison::Less, Some(v)) if v == high => Comparison::NotEqual,
            (other, _) => other,
        };
        match comparison {
            // As `Expr::strict` has it.
            Comparison::Greater if b.as_constant().is_none() => {
                Expr::new(Op::Compare(Comparison::Less, b, a), Type::BIT)
            }
            _ => Expr::new(Op::Compare(comparison, a, b), Type::BIT),
        }
    }

    pub fn eq(&self, other: &Expr) -> Expr {
        self.compare(Comparison::Equal, other)
    }

    pub fn ne(&self, other: &Expr) -> Expr {
        self.compare(Comparison::NotEqual, other)
    }

    pub fn lt(&self, other: &Expr) -> Expr {
        self.compare(Comparison::Less, other)
    }

    pub fn le(&self, other: &Expr) -> Expr {
        self.compare(Comparison::LessOrEqual, other)
    }

    pub fn gt(&self, other: &Expr) -> Expr {
        self.compare(Comparison::Greater, other)
    }

    pub fn ge(&self, other: &Expr) -> Expr {
        self.compare(Comparison::GreaterOrEqual, other)
    }

    /// The condition as a strict order, and whether it is the contrary of that. `a < b` and `a > constant` are the last carry of
    /// a subtraction; the other orders compare its bits with zero besides, in Yosys' `alumacc`.
    pub fn strict(&self) -> (Expr, bool) {
        let Op::Compare(comparison, a, b) = self.op() else { return (self.clone(), false) };
        let above = |constant: i128| a.compare(Comparison::Greater, &Expr::constant(constant, b.ty()));
        match (comparison, b.as_constant()) {
            (Comparison::Less, Some(constant)) => (above(constant - 1), true),
            (Comparison::GreaterOrEqual, Some(constant)) => (above(constant - 1), false),
            (Comparison::LessOrEqual, Some(constant)) => (above(constant), true),
            (Comparison::LessOrEqual, None) => (b.lt(a), true),
            (Comparison::GreaterOrEqual, None) => (a.lt(b), true),
            _ => (self.clone(), false),
        }
    }

    /// `a < b` of numbers that vary as the sign of their difference, also where the contrary is asked for: without the choice that
    /// the signs of both make behind the carry of a comparison.
    pub fn sign_of_difference(&self) -> Option<Expr> {
        match self.op() {
            Op::Compare(Comparison::Less, a, b) if b.as_constant().is_none() => {
                let difference = a.sub(b, Type::signed(a.width() + 1));
                Some(difference.index(a.width()))
            }
            _ => None,
        }
    }

    /// `then` where the bit `self` is 1, else `otherwise`, in a type that holds both.
    pub fn select(&self, then: &Expr, otherwise: &Expr) -> Expr {
        assert_eq!(self.width(), 1, "a condition has one bit");
        let (condition, contrary) = match self.op() {
            Op::Not(inner) => (inner.clone(), true),
            _ => self.strict(),
        };
        match contrary {
            true => condition.choose(otherwise, then),
            false => condition.choose(then, otherwise),
        }
    }

    fn choose(&self, then: &Expr, otherwise: &Expr) -> Expr {
        let ty = then.ty().common(otherwise.ty());
        let (a, b) = (then.resize(ty), otherwise.resize(ty));
        match self.as_constant() {
            Some(0) => return b,
            Some(_) => return a,
            None => {}
        }
        if a.same(&b) || (a.as_constant().is_some() && a.as_constant() == b.as_constant()) {
            return a;
        }
        match (ty, a.as_constant(), b.as_constant()) {
            (Type::BIT, Some(1), Some(0)) => self.cast(false),
            (Type::BIT, Some(0), Some(1)) => self.not().cast(false),
            _ => Expr::new(Op::Select(self.clone(), a, b), ty),
        }
    }

    /// Bits `high` to `low`, unsigned.
    pub fn slice(&self, high: u32, low: u32) -> Expr {
        assert!(low <= high && high < self.width(), "no bits {high}:{low} in {} bits", self.width());
        let ty = Type::unsigned(high - low + 1);
        if ty.width == self.width() {
            return self.cast(false);
        }
        match self.op() {
            Op::Constant(value) => {
                if let Some(folded) = Expr::wrapped(value >> low.min(127), ty) {
                    return folded;
                }
            }
            Op::Cast(inner) => return inner.slice(high, low),
            Op::Slice(inner, _, offset) => return inner.slice(high + offset, low + offset),
            Op::Extend(inner) if high < inner.width() => return inner.slice(high, low),
            _ => {}
        }
        Expr::new(Op::Slice(self.clone(), high, low), ty)
    }

    /// One bit.
    pub fn index(&self, bit: u32) -> Expr {
        self.slice(bit, bit)
    }

    /// The parts side by side, the first one most significant; unsigned.
    pub fn concat(parts: &[Expr]) -> Expr {
        assert!(!parts.is_empty(), "a concatenation has at least one part");
        let mut flat: Vec<Expr> = Vec::new();
        for part in parts {
            let part = part.cast(false);
            let pieces = match part.op() {
                Op::Concat(inner) => inner.clone(),
                _ => vec![part],
            };
            for piece in pieces {
                match flat.last().and_then(|last| join_constants(last, &piece).or_else(|| join_slices(last, &piece))) {
                    Some(joined) => *flat.last_mut().expect("it was joined") = joined,
                    None => flat.push(piece),
                }
            }
        }
        if flat.len() == 1 {
            return flat.remove(0);
        }
        let width = flat.iter().map(Expr::width).sum();
        Expr::new(Op::Concat(flat), Type::unsigned(width))
    }

    /// `n` copies side by side; unsigned.
    pub fn replicate(&self, n: u32) -> Expr {
        assert!(n >= 1, "at least one copy");
        let ty = Type::unsigned(self.width() * n);
        match self.as_constant() {
            _ if n == 1 => self.cast(false),
            Some(0) => Expr::constant(0, ty),
            Some(_) if ty.width < 127 => Expr::concat(&vec![self.clone(); n as usize]),
            _ => Expr::new(Op::Replicate(n, self.cast(false)), ty),
        }
    }

    /// Whether any bit is 1.
    pub fn reduce_or(&self) -> Expr {
        match self.as_constant() {
            Some(value) => Expr::bit(value != 0),
            None if self.width() == 1 => self.cast(false),
            None => Expr::new(Op::ReduceOr(self.clone()), Type::BIT),
        }
    }

    /// Whether every bit is 1.
    pub fn reduce_and(&self) -> Expr {
        match self.as_constant() {
            Some(value) if self.width() < 127 => Expr::bit(value == -1 || value == self.ty().unsigned_of().range().1),
            None if self.width() == 1 => self.cast(false),
            _ => Expr::new(Op::ReduceAnd(self.clone()), Type::BIT),
        }
    }

    /// Whether every bit is 0.
    pub fn is_zero(&self) -> Expr {
        self.eq(&Expr::constant(0, self.ty()))
    }

    /// Whether a sum or a difference is on the way to it from its signals.
    pub fn has_sum(&self) -> bool {
        let sums =
            matches!(self.op(), Op::Binary(Binary::Add | Binary::Subtract, ..) | Op::Negate(_) | Op::Multiply(..));
        sums || self.operands().into_iter().any(Expr::has_sum)
    }

    /// Whether it is bits of signals side by side, and nothing is computed on the way.
    pub(super) fn is_wiring(&self) -> bool {
        let wires = matches!(
            self.op(),
            Op::Constant(_) | Op::Signal(_) | Op::Slice(..) | Op::Extend(_) | Op::Cast(_) | Op::Concat(_)
        );
        wires && self.operands().into_iter().all(Expr::is_wiring)
    }

    /// The operands, in order.
    pub(super) fn operands(&self) -> Vec<&Expr> {
        match self.op() {
            Op::Constant(_) | Op::Signal(_) | Op::Parameter(_) => vec![],
            Op::Not(a)
            | Op::Negate(a)
            | Op::Replicate(_, a)
            | Op::Slice(a, ..)
            | Op::Extend(a)
            | Op::Cast(a)
            | Op::ReduceOr(a)
            | Op::ReduceAnd(a) => vec![a],
            Op::Binary(_, a, b)
            | Op::Multiply(a, b)
            | Op::ShiftLeft(a, b)
            | Op::ShiftRight(a, b)
            | Op::Compare(_, a, b) => vec![a, b],
            Op::Select(a, b, c) => vec![a, b, c],
            Op::Concat(parts) => parts.iter().collect(),
        }
    }

    /// The same operation on other operands of the same types, folded anew.
    pub(super) fn with_operands(&self, operands: &[Expr]) -> Expr {
        let ty = self.ty();
        match (self.op(), operands) {
            (Op::Not(_), [a]) => a.not(),
            (Op::Negate(_), [a]) => a.neg(ty),
            (Op::Binary(operator, ..), [a, b]) => a.binary(*operator, b, ty),
            (Op::Multiply(..), [a, b]) => a.mul(b, ty),
            (Op::ShiftLeft(..), [a, b]) => a.shl(b, ty),
            (Op::ShiftRight(..), [a, b]) => a.shr(b),
            (Op::Compare(comparison, ..), [a, b]) => a.compare(*comparison, b),
            (Op::Select(..), [a, b, c]) => a.select(b, c),
            (Op::Concat(_), parts) => Expr::concat(parts),
            (Op::Replicate(n, _), [a]) => a.replicate(*n),
            (Op::Slice(_, high, low), [a]) => a.slice(*high, *low),
            (Op::Extend(_), [a]) => a.resize(ty),
            (Op::Cast(_), [a]) => a.cast(ty.signed),
            (Op::ReduceOr(_), [a]) => a.reduce_or(),
            (Op::ReduceAnd(_), [a]) => a.reduce_and(),
            _ => self.clone(),
        }
    }
}

/// Two neighbouring constants of a concatenation as one.
fn join_constants(high: &Expr, low: &Expr) -> Option<Expr> {
    let ty = Type::unsigned(high.width() + low.width());
    let (a, b) = (high.as_constant()?, low.as_constant()?);
    Expr::wrapped(a.checked_mul(1i128.checked_shl(low.width()).filter(|p| *p > 0)?)?.checked_add(b)?, ty)
}

/// What is neither less nor more is equal: both conditions as one.
fn equality(a: &Expr, b: &Expr) -> Option<Expr> {
    let sides = |e: &Expr| match e.op() {
        Op::Compare(Comparison::GreaterOrEqual, a, b) => Some((a.clone(), b.clone())),
        Op::Compare(Comparison::LessOrEqual, a, b) => Some((b.clone(), a.clone())),
        _ => None,
    };
    let ((high, low), (other_high, other_low)) = (sides(a)?, sides(b)?);
    (high == other_low && low == other_high).then(|| high.compare(Comparison::Equal, &low))
}

/// Neighbouring bits of one signal as one.
fn join_slices(high: &Expr, low: &Expr) -> Option<Expr> {
    let (Op::Slice(a, top, from), Op::Slice(b, to, bottom)) = (high.op(), low.op()) else { return None };
    let (Op::Signal(signal), Op::Signal(other)) = (a.op(), b.op()) else { return None };
    (signal.same(other) && *from == to + 1).then(|| a.slice(*top, *bottom))
}

impl From<&Expr> for Expr {
    fn from(e: &Expr) -> Expr {
        e.clone()
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.op() {
            Op::Constant(value) => write!(f, "{value}"),
            Op::Signal(signal) => write!(f, "{}", signal.name()),
            Op::Parameter(parameter) => write!(f, "{}", parameter.name()),
            Op::Not(_) => f.debug_list().entry(&"not").entries(self.operands()).finish(),
            Op::Negate(_) => f.debug_list().entry(&"neg").entries(self.operands()).finish(),
            Op::Binary(operator, ..) => f.debug_list().entry(operator).entries(self.operands()).finish(),
            Op::Compare(comparison, ..) => f.debug_list().entry(comparison).entries(self.operands()).finish(),
            Op::Slice(inner, high, low) => write!(f, "{inner:?}[{high}:{low}]"),
            Op::Multiply(..) => f.debug_list().entry(&"mul").entries(self.operands()).finish(),
            Op::ShiftLeft(..) => f.debug_list().entry(&"shl").entries(self.operands()).finish(),
            Op::ShiftRight(..) => f.debug_list().entry(&"shr").entries(self.operands()).finish(),
            Op::Select(..) => f.debug_list().entry(&"select").entries(self.operands()).finish(),
            Op::Concat(_) => f.debug_list().entry(&"concat").entries(self.operands()).finish(),
            Op::Replicate(n, _) => f.debug_list().entry(&"replicate").entry(n).entries(self.operands()).finish(),
            Op::Extend(_) => f.debug_list().entry(&"extend").entry(&self.ty()).entries(self.operands()).finish(),
            Op::Cast(_) => f.debug_list().entry(&"cast").entry(&self.ty()).entries(self.operands()).finish(),
            Op::ReduceOr(_) => f.debug_list().entry(&"any").entries(self.operands()).finish(),
            Op::ReduceAnd(_) => f.debug_list().entry(&"all").entries(self.operands()).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rtl::Module;

    /// The value of a comparison, or what one was folded to, of signals that have these values.
    fn value(e: &Expr, of: &dyn Fn(&Signal) -> i128) -> i128 {
        let pair = |a: &Expr, b: &Expr| (value(a, of), value(b, of));
        match e.op() {
            Op::Constant(value) => *value,
            Op::Signal(signal) => of(signal),
            Op::Cast(a) | Op::Extend(a) => value(a, of),
            Op::Not(a) => 1 - value(a, of),
            Op::Compare(comparison, a, b) => {
                let (a, b) = pair(a, b);
                let holds = match comparison {
                    Comparison::Equal => a == b,
                    Comparison::NotEqual => a != b,
                    Comparison::Less => a < b,
                    Comparison::LessOrEqual => a <= b,
                    Comparison::Greater => a > b,
                    Comparison::GreaterOrEqual => a >= b,
                };
                holds.into()
            }
            other => panic!("{} is no comparison", std::any::type_name_of_val(other)),
        }
    }

    /// All orders of all values of small types, of two signals and with every constant.
    #[test]
    fn strict_orders_tell_the_same() {
        let orders: [fn(&Expr, &Expr) -> Expr; 4] = [Expr::lt, Expr::le, Expr::gt, Expr::ge];
        let outcomes: [fn(i128, i128) -> bool; 4] = [|a, b| a < b, |a, b| a <= b, |a, b| a > b, |a, b| a >= b];
        for ty in [1, 2, 3].into_iter().flat_map(|width| [Type::unsigned(width), Type::signed(width)]) {
            let (low, high) = ty.range();
            let mut m = Module::new("orders");
            let (x, y) = (m.input("x", ty), m.input("y", ty));
            for (order, outcome) in orders.iter().zip(outcomes) {
                for (a, b) in (low..=high).flat_map(|a| (low..=high).map(move |b| (a, b))) {
                    let of = |signal: &Signal| if signal.same(&x) { a } else { b };
                    let known = [Expr::constant(a, ty), Expr::constant(b, ty)];
                    for (left, right) in [(x.e(), y.e()), (x.e(), known[1].clone()), (known[0].clone(), y.e())] {
                        let (strict, contrary) = order(&left, &right).strict();
                        let found = (value(&strict, &of) == 1) != contrary;
                        assert_eq!(found, outcome(a, b), "{strict:?}, {contrary} of {left:?} and {right:?}");
                        let is_strict = !matches!(
                            strict.op(),
                            Op::Compare(Comparison::LessOrEqual | Comparison::GreaterOrEqual, ..)
                        );
                        assert!(is_strict, "{strict:?}");
                    }
                }
            }
        }
    }
}
