//! Iterations that do nothing, as data tell before a row of them is walked: under `ptr[i] <= j && j < ptr[i + 1]`.

use std::collections::BTreeMap;

use super::{Access, BinaryOp, Expr, Kernel, ScalarType, Statement, Storage, UnaryOp};
use crate::affine::Affine;
use crate::source::affine_expression::{plus, times};

/// An iterator's values beyond which a statement leaves what it writes as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits<'a> {
    pub iterator: &'a str,
    /// An element that is the smallest value.
    pub least: Option<&'a Access>,
    /// An element that is the largest value, or the one behind it.
    pub most: Option<(&'a Access, bool)>,
    /// Between these `least` and the value behind the largest are, or a row must be walked as a whole to tell the error.
    pub told: [Vec<Affine>; 2],
}

impl Limits<'_> {
    /// The elements, each with whether it is the smallest value.
    pub fn elements(&self) -> impl Iterator<Item = (&Access, bool)> {
        self.least.iter().map(|access| (*access, true)).chain(self.most.iter().map(|(access, _)| (*access, false)))
    }

    /// What part of the iterations is left, about: where rows go from `ptr[i]` to `ptr[i + 1]` every value of the iterator is in one
    /// of them; of other lengths nothing is known, and half of them are taken.
    pub fn share(&self, kernel: &Kernel, size: impl Fn(&str) -> i64) -> f64 {
        let (Some(least), Some((most, _))) = (self.least, self.most) else { return 0.5 };
        let apart: Vec<Affine> =
            least.subscripts.iter().zip(&most.subscripts).map(|(a, b)| b.clone() - a.clone()).collect();
        let moved: Vec<usize> = (0..apart.len()).filter(|k| apart[*k] != Affine::default()).collect();
        match moved[..] {
            [only]
                if kernel.memory_of(least.array) == kernel.memory_of(most.array)
                    && apart[only] == Affine::constant(1) =>
            {
                let rows = kernel.arrays[least.array].extents[only].evaluate(size) - 1;
                1.0 / rows.max(1) as f64
            }
            _ => 0.5,
        }
    }
}

impl Kernel {
    /// The sizes that the user runs.
    pub fn usual_sizes(&self) -> BTreeMap<String, i64> {
        self.parameters.iter().map(|p| (p.name.clone(), p.default.or(p.max).unwrap_or(1))).collect()
    }

    /// Whether a value is made of sizes and constants alone.
    pub fn is_of_sizes(&self, value: &Affine) -> bool {
        value.terms.keys().all(|name| self.parameters.iter().any(|size| size.name == *name))
    }

    /// The limits of a statement, if elements of arguments that nobody writes make them, which change along other loops only.
    pub fn limits<'a>(&self, statement: &'a Statement) -> Option<Limits<'a>> {
        let mut all = statement.writes().map(|(target, value)| of_value(target, value));
        let first = all.next()??;
        let is_free = |(access, _): (&Access, bool)| {
            let array = &self.arrays[access.array];
            let is_argument = matches!(array.storage, Storage::Argument) && access.guard.is_none();
            let mut names = access.subscripts.iter().flat_map(|subscript| subscript.terms.keys());
            let is_quotient = |name: &String| self.quotients.iter().any(|quotient| quotient.name == *name);
            let is_written = self.statements().iter().any(|statement| statement.writes_to(access.array));
            is_argument && !is_written && !names.any(|name| name == first.iterator || is_quotient(name))
        };
        let is_of_sizes = first.told.iter().flatten().all(|told| self.is_of_sizes(told));
        let is_alike = all.all(|other| other.as_ref() == Some(&first));
        (is_alike && is_of_sizes && first.elements().all(is_free)).then_some(first)
    }
}

/// The limits of one write: those of its first comparison on either side.
fn of_value<'a>(target: &Access, value: &'a Expr) -> Option<Limits<'a>> {
    let condition = condition_of(target, value)?;
    let mut found: Option<Limits> = None;
    let mut told = vec![];
    for part in conjuncts(condition) {
        match part {
            Expr::Unary { op: UnaryOp::Not, operand, .. } => told.extend(operand.told()),
            Expr::Binary { op: op @ (BinaryOp::Less | BinaryOp::LessEqual), left, right, .. } => {
                let (iterator, access, is_least) =
                    match (iterator(left), element(right), iterator(right), element(left)) {
                        (Some(iterator), Some(access), _, _) => (iterator, access, false),
                        (_, _, Some(iterator), Some(access)) if *op == BinaryOp::LessEqual => (iterator, access, true),
                        _ => continue,
                    };
                let limits = found.get_or_insert(Limits { iterator, least: None, most: None, told: [vec![], vec![]] });
                if limits.iterator != iterator {
                    continue;
                }
                match is_least {
                    true => drop(limits.least.get_or_insert(access)),
                    false => drop(limits.most.get_or_insert((access, *op == BinaryOp::Less))),
                }
            }
            _ => {}
        }
    }
    let mut limits = found?;
    // A row with an iteration that is an error is walked as a whole: what tells them has to be known here.
    if told.len() != value.told().len() {
        return None;
    }
    for told in &told {
        let Expr::Binary { op: BinaryOp::LogicalAnd, right: leaves, .. } = told else { return None };
        for comparison in leaves.comparisons() {
            let Expr::Binary { op, left, right, .. } = comparison else { continue };
            match (element(left), known(right), known(left), element(right)) {
                (Some(_), Some(least), ..) if *op == BinaryOp::Less => limits.told[0].push(least),
                (_, _, Some(most), Some(_)) => limits.told[1].push(most),
                // Where a loop begins or ends at what is known.
                _ if comparison.reads().is_empty() && comparison.gathers().is_empty() => {}
                _ => return None,
            }
        }
    }
    let is_seen = |told: &[Affine], element: bool| told.is_empty() || element;
    let seen = is_seen(&limits.told[0], limits.least.is_some()) && is_seen(&limits.told[1], limits.most.is_some());
    seen.then_some(limits)
}

/// Where it is 0, a write leaves its target as it is.
pub(super) fn condition_of<'a>(target: &Access, value: &'a Expr) -> Option<&'a Expr> {
    match value {
        Expr::Select { condition, otherwise, .. } if is_own(otherwise, target) => Some(condition),
        Expr::Scatter { only_if: Some(only_if), .. } => Some(only_if),
        _ => of_update(value, target),
    }
}

/// Whether an expression is what the target was before.
pub(super) fn is_own(expr: &Expr, target: &Access) -> bool {
    matches!(expr, Expr::Read { access, .. } if (access.array, &access.subscripts) == (target.array, &target.subscripts))
}

/// `condition` of `own + (condition ? term : 0)`.
fn of_update<'a>(value: &'a Expr, target: &Access) -> Option<&'a Expr> {
    let (left, right) = update(value, target)?;
    let term = if is_own(plain(left), target) { right } else { left };
    match term {
        Expr::Select { condition, otherwise, .. } if matches!(**otherwise, Expr::Constant { value: 0, .. }) => {
            Some(condition)
        }
        _ => None,
    }
}

/// The operands of `own + term`, of integers: with 0 in place of the term, it leaves its target as it is.
fn update<'a>(value: &'a Expr, target: &Access) -> Option<(&'a Expr, &'a Expr)> {
    let (sum, element) = match value {
        Expr::Cast { operand, ty } => (&**operand, *ty),
        _ => (value, value.ty()),
    };
    let Expr::Binary { op, left, right, ty } = sum else { return None };
    let is_own = |side: &Expr| plain(side).ty() == element && is_own(plain(side), target);
    let is_update = match op {
        BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor => is_own(left) || is_own(right),
        BinaryOp::Subtract => is_own(left),
        _ => false,
    };
    (is_update && !ty.floating && !element.floating).then_some((&**left, &**right))
}

/// `condition ? own + term : own` of integers as `own + (condition ? term : 0)`, if data limit rows of it: of what the next iteration
/// waits for nothing but the sum is left.
pub fn hoisted(value: Expr, target: &Access) -> Expr {
    if of_value(target, &value).is_none() {
        return value;
    }
    let Expr::Select { condition, then, otherwise, ty } = value else { return value };
    if update(&then, target).is_none() || then.ty() != ty {
        return Expr::Select { condition, then, otherwise, ty };
    }
    let (sum, element) = match *then {
        Expr::Cast { operand, ty } => (*operand, Some(ty)),
        sum => (sum, None),
    };
    let Expr::Binary { op, left, right, ty } = sum else { unreachable!("an update") };
    let select = |term: Box<Expr>| {
        let ty = term.ty();
        let nothing = Box::new(Expr::Constant { value: 0, ty });
        Box::new(Expr::Select { condition, then: term, otherwise: nothing, ty })
    };
    let (left, right) = if is_own(plain(&left), target) { (left, select(right)) } else { (select(left), right) };
    let sum = Expr::Binary { op, left, right, ty };
    match element {
        Some(ty) => Expr::Cast { operand: Box::new(sum), ty },
        None => sum,
    }
}

/// The parts of `x && y && z`.
pub(super) fn conjuncts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Binary { op: BinaryOp::LogicalAnd, left, right, .. } => [conjuncts(left), conjuncts(right)].concat(),
        Expr::Cast { operand, ty } if !ty.floating && !operand.ty().floating && is_condition(operand) => {
            conjuncts(operand)
        }
        _ => vec![expr],
    }
}

/// Whether an expression is 0 or 1.
fn is_condition(expr: &Expr) -> bool {
    let op = |op: &BinaryOp| matches!(op, BinaryOp::LogicalAnd | BinaryOp::Less | BinaryOp::LessEqual);
    matches!(expr, Expr::Binary { op: own, .. } if op(own))
}

/// The operand of conversions that change no value.
pub(super) fn plain(expr: &Expr) -> &Expr {
    match expr {
        Expr::Cast { operand, ty } if !ty.floating && !operand.ty().floating && holds(*ty, operand.ty()) => {
            plain(operand)
        }
        _ => expr,
    }
}

/// Whether a type has all values of another.
fn holds(wide: ScalarType, narrow: ScalarType) -> bool {
    match (wide.signed, narrow.signed) {
        (true, true) | (false, false) => wide.bits >= narrow.bits,
        (true, false) => wide.bits > narrow.bits,
        (false, true) => false,
    }
}

fn iterator(expr: &Expr) -> Option<&str> {
    let Expr::Index { value, ty } = plain(expr) else { return None };
    let mut terms = value.terms.iter();
    let (name, factor) = terms.next()?;
    (ty.signed && value.constant == 0 && *factor == 1 && terms.next().is_none()).then_some(name)
}

fn element(expr: &Expr) -> Option<&Access> {
    let Expr::Read { access, ty } = plain(expr) else { return None };
    (!ty.floating && ty.bits <= 32).then_some(access)
}

/// A value of iterators and sizes. Where a sum of signed numbers overflows, C leaves everything undefined.
fn known(expr: &Expr) -> Option<Affine> {
    match plain(expr) {
        Expr::Index { value, .. } => Some(value.clone()),
        Expr::Constant { value, .. } => Some(Affine::constant(*value)),
        Expr::Binary { op, left, right, ty } if ty.signed => {
            let (left, right) = (known(left)?, known(right)?);
            match op {
                BinaryOp::Add => plus(left, right, 1),
                BinaryOp::Subtract => plus(left, right, -1),
                BinaryOp::Multiply if left.terms.is_empty() => times(right, left.constant),
                BinaryOp::Multiply if right.terms.is_empty() => times(left, right.constant),
                _ => None,
            }
        }
        _ => None,
    }
}
