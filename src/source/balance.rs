//! Long sums as trees. A chain of 500 additions is a pipeline of 500 stages in which the last terms wait for the first; a
//! tree of them has nine.

use super::kernel::{Access, BinaryOp, Expr, ScalarType};

/// Chains of so many terms stay as they are written.
const SHORT: usize = 32;

/// `value` with its long chains of an operator that is associative on integers that wrap as trees. A term that reads the
/// array that is assigned stays the last to be added: the others are there before it.
pub fn balanced(value: Expr, target: &Access) -> Expr {
    let Some((op, ty)) = chain(&value) else { return rebuilt(value, target) };
    let mut terms = vec![];
    collect(value, op, ty, &mut terms);
    let terms: Vec<Expr> = terms.into_iter().map(|term| rebuilt(term, target)).collect();
    if terms.len() <= SHORT {
        return terms.into_iter().reduce(|left, right| joined(op, ty, left, right)).expect("a chain has terms");
    }
    let (own, others): (Vec<Expr>, Vec<Expr>) =
        terms.into_iter().partition(|term| term.reads().iter().any(|read| read.array == target.array));
    let tree = (!others.is_empty()).then(|| tree(others, op, ty));
    own.into_iter().chain(tree).reduce(|left, right| joined(op, ty, left, right)).expect("a chain has terms")
}

/// Does so in place.
pub fn balance(value: &mut Expr, target: &Access) {
    let nothing = Expr::Constant { value: 0, ty: ScalarType::I32 };
    *value = balanced(std::mem::replace(value, nothing), target);
}

/// Balances inside the operands.
fn rebuilt(mut expr: Expr, target: &Access) -> Expr {
    expr.operands_mut().into_iter().for_each(|operand| balance(operand, target));
    expr
}

fn chain(expr: &Expr) -> Option<(BinaryOp, ScalarType)> {
    match expr {
        Expr::Binary { op, ty, .. } if !ty.floating => {
            let is_associative =
                matches!(op, BinaryOp::Add | BinaryOp::Multiply | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
            is_associative.then_some((*op, *ty))
        }
        _ => None,
    }
}

/// The terms along the left side, left to right: the order in which they are written.
fn collect(expr: Expr, op: BinaryOp, ty: ScalarType, terms: &mut Vec<Expr>) {
    let mut node = expr;
    loop {
        let is_link = chain(&node) == Some((op, ty));
        match node {
            Expr::Binary { left, right, .. } if is_link => {
                terms.push(*right);
                node = *left;
            }
            last => {
                terms.push(last);
                break;
            }
        }
    }
    terms.reverse();
}

fn tree(mut terms: Vec<Expr>, op: BinaryOp, ty: ScalarType) -> Expr {
    while terms.len() > 1 {
        let mut next = Vec::with_capacity(terms.len().div_ceil(2));
        let mut rest = terms.into_iter();
        while let Some(left) = rest.next() {
            next.push(match rest.next() {
                Some(right) => joined(op, ty, left, right),
                None => left,
            });
        }
        terms = next;
    }
    terms.pop().expect("a tree has leaves")
}

fn joined(op: BinaryOp, ty: ScalarType, left: Expr, right: Expr) -> Expr {
    Expr::Binary { op, left: Box::new(left), right: Box::new(right), ty }
}
