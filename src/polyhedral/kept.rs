//! What a statement leaves of the cell that it writes, where data decide: `y = c ? v : y` writes `v` where `c`, and keeps the
//! cell elsewhere.

use crate::source::kernel::{Access, BinaryOp, Expr, ScalarType, UnaryOp};

/// What becomes of a cell.
#[derive(Debug, PartialEq)]
pub enum Kept {
    /// It keeps its value.
    Always,
    /// It gets a value whatever the data.
    Never(Expr),
    /// It gets the value where the condition is not 0.
    Unless(Expr, Expr),
}

impl Kept {
    /// `None` where the value in the cell makes its next.
    pub fn of(value: &Expr, target: &Access) -> Option<Kept> {
        let reads = |expr: &Expr| expr.reads().iter().any(|read| read.array == target.array);
        let bits = value.ty().bits;
        Some(match value {
            _ if !reads(value) => Kept::Never(value.clone()),
            Expr::Read { access, .. } if access.subscripts == target.subscripts => Kept::Always,
            Expr::Select { condition, then, otherwise, ty } if !reads(condition) => {
                match (Kept::of(then, target)?, Kept::of(otherwise, target)?) {
                    (Kept::Always, Kept::Always) => Kept::Always,
                    (Kept::Never(value), Kept::Always) => Kept::Unless((**condition).clone(), value),
                    (Kept::Always, Kept::Never(value)) => Kept::Unless(not(condition), value),
                    (Kept::Unless(only_if, value), Kept::Always) => {
                        Kept::Unless(and((**condition).clone(), only_if), value)
                    }
                    (Kept::Always, Kept::Unless(only_if, value)) => Kept::Unless(and(not(condition), only_if), value),
                    (then, otherwise) => {
                        let only_if = match (&then, &otherwise) {
                            (Kept::Never(_), Kept::Unless(other, _)) => or((**condition).clone(), other.clone()),
                            (Kept::Unless(own, _), Kept::Never(_)) => or(not(condition), own.clone()),
                            (Kept::Unless(own, _), Kept::Unless(other, _)) => {
                                select(condition, own.clone(), other.clone(), ScalarType::I32)
                            }
                            _ => return None,
                        };
                        let [(_, then), (_, otherwise)] = [then.parts()?, otherwise.parts()?];
                        Kept::Unless(only_if, select(condition, then, otherwise, *ty))
                    }
                }
            }
            // All bits of the element pass.
            Expr::Cast { operand, ty }
                if !ty.floating && !operand.ty().floating && bits >= element(operand, target)? =>
            {
                match Kept::of(operand, target)? {
                    Kept::Unless(only_if, value) => {
                        Kept::Unless(only_if, Expr::Cast { operand: Box::new(value), ty: *ty })
                    }
                    kept => kept,
                }
            }
            _ => return None,
        })
    }

    /// The condition and the value, where it may get one.
    pub fn parts(self) -> Option<(Expr, Expr)> {
        match self {
            Kept::Always => None,
            Kept::Never(value) => Some((truth(true), value)),
            Kept::Unless(only_if, value) => Some((only_if, value)),
        }
    }
}

/// Bits of the elements of the array that is read.
fn element(value: &Expr, target: &Access) -> Option<u32> {
    match value {
        Expr::Read { access, ty } if access.array == target.array => Some(ty.bits),
        _ => value.operands().into_iter().find_map(|operand| element(operand, target)),
    }
}

fn truth(holds: bool) -> Expr {
    Expr::Constant { value: holds.into(), ty: ScalarType::I32 }
}

fn select(condition: &Expr, then: Expr, otherwise: Expr, ty: ScalarType) -> Expr {
    Expr::Select { condition: Box::new(condition.clone()), then: Box::new(then), otherwise: Box::new(otherwise), ty }
}

fn and(left: Expr, right: Expr) -> Expr {
    Expr::Binary { op: BinaryOp::LogicalAnd, left: Box::new(left), right: Box::new(right), ty: ScalarType::I32 }
}

fn or(left: Expr, right: Expr) -> Expr {
    Expr::Binary { op: BinaryOp::LogicalOr, left: Box::new(left), right: Box::new(right), ty: ScalarType::I32 }
}

/// The opposite, of which the datapath takes no cycle more where it can.
fn not(condition: &Expr) -> Expr {
    match condition {
        Expr::Unary { op: UnaryOp::Not, operand, .. } => (**operand).clone(),
        Expr::Binary { op: BinaryOp::Equal, left, right, ty } => {
            Expr::Binary { op: BinaryOp::NotEqual, left: left.clone(), right: right.clone(), ty: *ty }
        }
        _ => Expr::Unary { op: UnaryOp::Not, operand: Box::new(condition.clone()), ty: ScalarType::I32 },
    }
}
