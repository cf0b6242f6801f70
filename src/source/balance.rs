//! Long sums as trees. A chain of 500 additions is a pipeline of 500 stages in which the last terms wait for the first, in
//! half of 500 * 500 registers; a tree of them has nine stages. The same goes for `&&`, `||` and `?:` in each other.

use super::expression::unary;
use super::kernel::{Access, BinaryOp, Expr, ScalarType, UnaryOp};

/// Chains of so many terms stay as they are written.
const SHORT: usize = 32;

/// `value` with its long chains of an operator that is associative on integers that wrap as trees. A term that reads the
/// array that is assigned stays the last to be added: the others are there before it. Operands of `&&`, `||` and `?:`
/// keep their order, in which C evaluates them or does not.
pub fn balanced(value: Expr, target: &Access) -> Expr {
    if matches!(value, Expr::Select { .. }) {
        return choices(value, target);
    }
    let Some((op, ty)) = chain(&value) else { return rebuilt(value, target) };
    let mut terms = vec![];
    collect(value, op, ty, &mut terms);
    let terms: Vec<Expr> = terms.into_iter().map(|term| rebuilt(term, target)).collect();
    if terms.len() <= SHORT {
        return terms.into_iter().reduce(|left, right| joined(op, ty, left, right)).expect("a chain has terms");
    }
    if matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) {
        return tree(terms, op, ty);
    }
    let (own, others): (Vec<Expr>, Vec<Expr>) = terms.into_iter().partition(|term| reads(term, target));
    let tree = (!others.is_empty()).then(|| tree(others, op, ty));
    own.into_iter().chain(tree).reduce(|left, right| joined(op, ty, left, right)).expect("a chain has terms")
}

/// Whether a term reads the array that is assigned.
fn reads(term: &Expr, target: &Access) -> bool {
    term.arrays().any(|array| array == target.array)
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
            let is_associative = matches!(
                op,
                BinaryOp::Add
                    | BinaryOp::Multiply
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::LogicalAnd
                    | BinaryOp::LogicalOr
            );
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

/// One `condition ? value :` of a chain.
struct Case {
    condition: Expr,
    value: Expr,
}

/// Choices in each other, `a ? x : b ? y : … : z` or `a ? b ? … : y : x`: where there are many, whether any of the
/// conditions holds chooses between `z` and the values, and so on in halves.
fn choices(value: Expr, target: &Access) -> Expr {
    if links(&value) <= SHORT {
        return rebuilt(value, target);
    }
    let ty = value.ty();
    let (mut cases, mut node) = (vec![], value);
    let last = loop {
        match node {
            Expr::Select { condition, then, otherwise, .. } => {
                let (condition, value, rest) = match links(&then) > links(&otherwise) {
                    true => (unary(UnaryOp::Not, *condition), *otherwise, *then),
                    false => (*condition, *then, *otherwise),
                };
                cases.push(Case { condition, value });
                node = rest;
            }
            last => break balanced(last, target),
        }
    };
    for case in &mut cases {
        balance(&mut case.condition, target);
        balance(&mut case.value, target);
    }
    select(any(&cases), chosen(&cases, ty), last, ty)
}

/// How many choices follow each other along the longer sides.
fn links(mut expr: &Expr) -> usize {
    let mut count = 0;
    while let Expr::Select { then, otherwise, .. } = expr {
        count += 1;
        expr = if matches!(**otherwise, Expr::Select { .. }) { otherwise } else { then };
    }
    count
}

/// Whether a condition holds.
fn any(cases: &[Case]) -> Expr {
    let conditions = cases.iter().map(|case| case.condition.clone()).collect();
    tree(conditions, BinaryOp::LogicalOr, ScalarType::I32)
}

/// The value of the first case whose condition holds, where one does.
fn chosen(cases: &[Case], ty: ScalarType) -> Expr {
    match cases {
        [only] => only.value.clone(),
        _ => {
            let (first, second) = cases.split_at(cases.len() / 2);
            select(any(first), chosen(first, ty), chosen(second, ty), ty)
        }
    }
}

fn select(condition: Expr, then: Expr, otherwise: Expr, ty: ScalarType) -> Expr {
    Expr::Select { condition: Box::new(condition), then: Box::new(then), otherwise: Box::new(otherwise), ty }
}
