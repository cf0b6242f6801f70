//! Updates of one cell that may run in any order: `x op= term`.

use crate::offload::{Reduction, ReductionOp};
use crate::source::kernel::{Access, BinaryOp, Expr, ScalarType, Statement};

/// The update that `statement` makes to its target, an element of type `element`: `x += e`, `x -= e`, `x *= e`, `&=`,
/// `|=`, `^=`, or `x = x < e ? x : e` and its like. `None` where it is none of these, where `e` reads the target's array,
/// and where an intermediate result in another type would not wrap around, or round, as the element does. Of floating-point
/// numbers, sums and products depend on the order, and so do extrema of zeros and NaNs.
pub fn reduction(statement: &Statement, element: ScalarType) -> Option<Reduction> {
    let found = arithmetic(&statement.value, &statement.target, element)
        .or_else(|| extremum(&statement.value, &statement.target, element))?;
    let reads_itself = found.term.reads().iter().any(|access| access.array == statement.target.array);
    (!reads_itself).then_some(found)
}

/// Operators whose low bits follow from their operands' low bits: any width from the element's on will do.
fn arithmetic(value: &Expr, target: &Access, element: ScalarType) -> Option<Reduction> {
    let Expr::Binary { op, left, right, ty } = low_bits(value, element) else { return None };
    let operator = match op {
        BinaryOp::Add | BinaryOp::Subtract => ReductionOp::Add,
        BinaryOp::Multiply => ReductionOp::Multiply,
        BinaryOp::And => ReductionOp::And,
        BinaryOp::Or => ReductionOp::Or,
        BinaryOp::Xor => ReductionOp::Xor,
        _ => return None,
    };
    let as_the_element = match element.floating {
        true => *ty == element,
        false => ty.bits >= element.bits && !ty.floating,
    };
    if !as_the_element {
        return None;
    }
    let subtracts = *op == BinaryOp::Subtract;
    let is_target = |expr: &Expr| is_read_of(low_bits(expr, element), target);
    if is_target(left) {
        return Some(Reduction { operator, subtracts, term: cast(right, element) });
    }
    if is_target(right) && !subtracts {
        return Some(Reduction { operator, subtracts, term: cast(left, element) });
    }
    // `(x + a) + b`
    let inner = arithmetic(left, target, element).filter(|inner| inner.operator == operator && !inner.subtracts)?;
    if subtracts {
        return None;
    }
    let (left, right) = (Box::new(inner.term), Box::new(cast(right, element)));
    let term = Expr::Binary { op: *op, left, right, ty: element };
    Some(Reduction { operator, subtracts, term })
}

/// `x < e ? x : e` in its four ways to be written, also with `<=`. Both sides have the element's values, so that the
/// comparison's wider type changes nothing.
fn extremum(value: &Expr, target: &Access, element: ScalarType) -> Option<Reduction> {
    let Expr::Select { condition, then, otherwise, .. } = low_bits(value, element) else { return None };
    let Expr::Binary { op: BinaryOp::Less | BinaryOp::LessEqual, left, right, .. } = &**condition else { return None };
    let [left, right, then, otherwise] = [left, right, then, otherwise].map(|expr| same_value(expr));
    let (term, target_is_less) = match (is_read_of(left, target), is_read_of(right, target)) {
        (true, false) => (right, true),
        (false, true) => (left, false),
        _ => return None,
    };
    if !contains(element, term.ty()) {
        return None;
    }
    let takes_target_if_true = match (is_read_of(then, target), is_read_of(otherwise, target)) {
        (true, false) if otherwise.is_same(term) => true,
        (false, true) if then.is_same(term) => false,
        _ => return None,
    };
    let operator = if takes_target_if_true == target_is_less { ReductionOp::Minimum } else { ReductionOp::Maximum };
    Some(Reduction { operator, subtracts: false, term: cast(term, element) })
}

/// The expression without conversions that keep the low bits of the element.
fn low_bits(expr: &Expr, element: ScalarType) -> &Expr {
    match expr {
        Expr::Cast { operand, ty } if ty.bits >= element.bits && !operand.ty().floating && !element.floating => {
            low_bits(operand, element)
        }
        _ => expr,
    }
}

/// The expression without conversions that keep its value.
fn same_value(expr: &Expr) -> &Expr {
    match expr {
        Expr::Cast { operand, ty } if contains(*ty, operand.ty()) => same_value(operand),
        _ => expr,
    }
}

/// Whether `wide` has all values of `narrow`.
fn contains(wide: ScalarType, narrow: ScalarType) -> bool {
    if wide.floating || narrow.floating {
        return wide == narrow;
    }
    match (wide.signed, narrow.signed) {
        (true, false) => wide.bits > narrow.bits,
        (false, true) => false,
        _ => wide.bits >= narrow.bits,
    }
}

fn cast(expr: &Expr, ty: ScalarType) -> Expr {
    if expr.ty() == ty { expr.clone() } else { Expr::Cast { operand: Box::new(expr.clone()), ty } }
}

fn is_read_of(expr: &Expr, target: &Access) -> bool {
    matches!(expr, Expr::Read { access, .. } if is_same_access(access, target))
}

fn is_same_access(one: &Access, other: &Access) -> bool {
    (one.array, &one.subscripts) == (other.array, &other.subscripts)
}
