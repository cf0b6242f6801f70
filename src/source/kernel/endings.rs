//! What has to hold for an instance of a statement to do anything at all: of a loop that `break` leaves `!over`, of one whose end
//! data tell `j < n`. The hardware ends a row of instances where such a condition is false and stays so.

use super::limits::{condition_of, conjuncts, is_own, plain};
use super::{Access, Expr, Kernel, Statement, Storage, UnaryOp};
use crate::ids::ArrayId;
use crate::source::extremum::is_truth;

/// A condition without which a statement leaves everything as it is.
#[derive(Clone, Copy, Debug)]
pub enum Needed<'a> {
    /// A cell is 0, and the statement itself only ever sets it.
    Unset(&'a Expr, &'a Access),
    Any(&'a Expr),
}

impl<'a> Needed<'a> {
    pub fn expr(self) -> &'a Expr {
        match self {
            Needed::Unset(expr, _) | Needed::Any(expr) => expr,
        }
    }
}

impl Kernel {
    /// Whether data may end rows of a statement before their last iteration.
    pub fn ends_by_data(&self, statement: &Statement) -> bool {
        self.limits(statement).is_some() || !self.needed(statement).is_empty()
    }

    /// The conditions that all writes of a statement need which anybody reads.
    pub fn needed<'a>(&self, statement: &'a Statement) -> Vec<Needed<'a>> {
        let statements = self.statements();
        let is_read = |array: ArrayId| {
            let reads = |own: &&Statement| {
                let gathers = own.gathers();
                own.reads().iter().any(|access| access.array == array) || gathers.iter().any(|own| own.array == array)
            };
            matches!(self.arrays[array].storage, Storage::Argument) || statements.iter().any(reads)
        };
        let all: Option<Vec<Vec<&Expr>>> = (statement.writes().filter(|(target, _)| is_read(target.array)))
            .map(|(target, value)| condition_of(target, value).map(parts))
            .collect();
        all.map_or(vec![], |all| common(statement, &all))
    }
}

/// What all writes of a statement need, each of whose conditions has these parts.
fn common<'a>(statement: &Statement, all: &[Vec<&'a Expr>]) -> Vec<Needed<'a>> {
    let Some((first, others)) = all.split_first() else { return vec![] };
    let is_common = |part: &Expr| others.iter().all(|other| other.iter().any(|own| is_alike(own, part)));
    let mut found: Vec<Needed> = vec![];
    for &part in first.iter().filter(|part| is_common(part)) {
        if found.iter().any(|known| is_alike(known.expr(), part)) {
            continue;
        }
        found.push(match part {
            Expr::Unary { op: UnaryOp::Not, operand, .. } => match plain(operand) {
                Expr::Read { access, .. } if is_only_set(statement, access) => Needed::Unset(part, access),
                _ => Needed::Any(part),
            },
            _ => Needed::Any(part),
        });
    }
    found
}

/// Whether two expressions are the same but for their places in the text.
fn is_alike(one: &Expr, other: &Expr) -> bool {
    let is_same = match (one, other) {
        (Expr::Read { access: a, ty }, Expr::Read { access: b, ty: other }) => {
            return (a.array, &a.subscripts, &a.guard, ty) == (b.array, &b.subscripts, &b.guard, other);
        }
        (Expr::Unary { op, .. }, Expr::Unary { op: other, .. }) => op == other,
        (Expr::Binary { op, .. }, Expr::Binary { op: other, .. }) => op == other,
        (Expr::Select { .. }, Expr::Select { .. }) | (Expr::Cast { .. }, Expr::Cast { .. }) => true,
        _ => return one == other,
    };
    let (own, others) = (one.operands(), other.operands());
    is_same && one.ty() == other.ty() && own.iter().zip(others).all(|(a, b)| is_alike(a, b))
}

/// The parts of a condition, all of which have to hold, without conversions that change no truth.
fn parts(condition: &Expr) -> Vec<&Expr> {
    let of_part = |part| match truth(part) {
        own if std::ptr::eq(own, part) => vec![part],
        inner => parts(inner),
    };
    conjuncts(truth(condition)).into_iter().flat_map(of_part).collect()
}

/// `condition`, or what it was converted from, which is as true.
fn truth(condition: &Expr) -> &Expr {
    match condition {
        Expr::Cast { operand, ty } if !ty.floating && !operand.ty().floating && is_truth(operand) => truth(operand),
        _ => plain(condition),
    }
}

/// Whether a statement writes a cell at most with 1, under a condition.
fn is_only_set(statement: &Statement, cell: &Access) -> bool {
    statement.writes().filter(|(target, _)| target.array == cell.array).all(|(target, value)| {
        let sets = |value: &Expr| matches!(value, Expr::Constant { value, .. } if *value != 0);
        target.subscripts == cell.subscripts
            && match value {
                Expr::Select { then, otherwise, .. } => sets(then) && is_own(otherwise, target),
                _ => false,
            }
    })
}
