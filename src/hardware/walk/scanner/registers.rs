//! The registers of a loop in a state machine, and how they are opened.

use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::variable::{Affine, Bound, Level};
use crate::rtl::{Expr, Module, Signal, Statement, Type, assign};

/// The registers of a loop: its index (of a row the first one) and its last value.
pub(super) struct Loop {
    pub(super) low: Signal,
    pub(super) high: Signal,
    /// The loop is empty because its last value lies below all that the index takes; `high` has no room for that.
    none: Option<Signal>,
    /// Whether the loop is empty, where that is known as soon as its bounds are.
    empty: Option<Signal>,
    /// The least value of the index.
    floor: i64,
}

impl Loop {
    /// The registers for the loops of `levels`, which lie in `range`.
    pub(super) fn declare(
        m: &mut Module,
        scope: &Scope,
        names: [&str; 2],
        levels: &[&Level],
        range: (i64, i64),
    ) -> Loop {
        let lows = levels.iter().map(|l| scope.lower_range(&l.lower));
        let highs = levels.iter().map(|l| scope.upper_range(&l.upper));
        let union = |a: (i64, i64), b: (i64, i64)| (a.0.min(b.0), a.1.max(b.1));
        let early = !levels.is_empty() && levels.iter().all(|l| is_plain(&l.lower) && is_plain(&l.upper));
        // Bounds that no iteration has are never looked at where emptiness is known.
        let (low, high) = if early { (range, range) } else { (lows.fold(range, union), highs.fold(range, union)) };
        let none = high.0 < low.0;
        Loop {
            low: m.reg(names[0], Type::for_range(low.0, low.1)),
            high: m.reg(names[1], Type::for_range(low.0.max(high.0), high.1)),
            none: none.then(|| m.reg(&format!("{}_none", names[0]), Type::BIT)),
            empty: early.then(|| m.reg(&format!("{}_empty", names[0]), Type::BIT)),
            floor: low.0,
        }
    }

    /// The registers for loops that only [`Loop::open_with_registers`] opens: whether they have an iteration is known as soon as their
    /// bounds are.
    pub(super) fn declare_known(m: &mut Module, names: [&str; 2], range: (i64, i64)) -> Loop {
        Loop {
            low: m.reg(names[0], Type::for_range(range.0, range.1)),
            high: m.reg(names[1], Type::for_range(range.0, range.1)),
            none: None,
            empty: Some(m.reg(&format!("{}_empty", names[0]), Type::BIT)),
            floor: range.0,
        }
    }

    /// Opens the loop with the bounds of `level`.
    pub(super) fn open(&self, m: &mut Module, scope: &Scope, label: &str, level: &Level) -> Vec<Statement> {
        let lower = scope.lower(m, &format!("{label}_lower"), &level.lower);
        let upper = scope.upper(m, &format!("{label}_upper"), &level.upper);
        // Of each bound beside the choice among them: behind it, the comparison would be the longest way of all.
        let above = |bound: &Bound| {
            let least = Affine::constant(-self.floor * bound.divisor);
            scope.nonnegative(&(bound.numerator.clone() + least))
        };
        let below = level.upper.iter().filter_map(above).map(|above| above.not()).reduce(|a, b| a.or(&b));
        let mut open = self.open_with(&lower, &upper, below.unwrap_or(Expr::bit(false)));
        open.extend(self.empty.iter().map(|empty| assign(empty, &at_most(&lower, &upper).not())));
        open
    }

    /// Opens the loop with the extremes of its bounds; `below` tells whether the upper one lies below all that the index takes.
    fn open_with(&self, lower: &Expr, upper: &Expr, below: Expr) -> Vec<Statement> {
        let mut open =
            vec![assign(&self.low, &lower.resize(self.low.ty())), assign(&self.high, &upper.resize(self.high.ty()))];
        open.extend(self.none.iter().map(|none| assign(none, &below)));
        open
    }

    /// Opens the loop with the extremes of its bounds, which are registers; `least` is a value that the upper one is never
    /// below.
    pub(super) fn open_with_registers(&self, lower: &Expr, upper: &Expr, least: i64) -> Vec<Statement> {
        let below = if least >= self.floor {
            Expr::bit(false)
        } else if self.floor == 0 {
            upper.index(upper.width() - 1)
        } else {
            upper.lt(&Expr::constant(self.floor.into(), Type::for_range(self.floor, self.floor)))
        };
        let mut open = self.open_with(lower, upper, below);
        open.extend(self.empty.iter().map(|empty| assign(empty, &upper.lt(lower))));
        open
    }

    /// Whether it takes a comparison to tell whether the loop that was opened has an iteration.
    pub(super) fn is_compared(&self) -> bool {
        self.empty.is_none() && self.some().as_constant().is_none()
    }

    /// The loop that was opened has an iteration.
    pub(super) fn some(&self) -> Expr {
        if let Some(empty) = &self.empty {
            return empty.e().not();
        }
        let crossed = self.high.e().lt(&self.low.e());
        let some = crossed.sign_of_difference().unwrap_or(crossed).not();
        self.none.as_ref().map_or(some.clone(), |none| none.e().not().and(&some))
    }

    /// The index is at its last value.
    pub(super) fn is_last(&self) -> Expr {
        self.low.e().eq(&self.high.e())
    }
}

/// `lower <= upper`; of 0, the sign says it.
fn at_most(lower: &Expr, upper: &Expr) -> Expr {
    match (lower.as_constant(), upper.ty().signed) {
        (Some(0), true) => upper.index(upper.width() - 1).not(),
        (Some(0), false) => Expr::bit(true),
        _ => lower.le(upper),
    }
}

/// Bounds that are one register or one constant.
fn is_plain(bounds: &[Bound]) -> bool {
    let one = |b: &Bound| {
        let mut terms = b.numerator.terms.values();
        let register = terms.next().is_none_or(|c| *c == 1 && b.numerator.constant == 0) && terms.next().is_none();
        register && b.divisor == 1
    };
    matches!(bounds, [bound] if one(bound))
}
