//! Reads and writes at subscripts that depend on data: `t[x[i]]`, `h[x[i]] += 1`, `y[p[i]] = v`. The array lies on chip as a
//! whole, as far as the subscripts can reach. What reads a written array so comes behind all writes before it.

use lang_c::ast::Expression;
use lang_c::span::Node;

use super::expression::{binary, convert};
use super::extremum::Extremum;
use super::kernel::{BinaryOp, Expr, Gather, Kernel, ScalarType, Storage};
use super::plain::subscripted;
use super::scope::{Checked, Name, Scope};
use crate::affine::Affine;
use crate::diagnostic::Span;
use crate::ids::ArrayId;

impl Scope<'_> {
    /// The element of an array, where a subscript is made of data; `None` where that is not why it was refused.
    pub fn gather(&mut self, node: &Node<Expression>) -> Option<Checked<Expr>> {
        let (base, nodes) = subscripted(node);
        let Expression::Identifier(name) = &base.node else { return None };
        let Some(Name::Array(array)) = self.lookup(&name.node.name) else { return None };
        if nodes.len() != self.arrays[array].extents.len() || nodes.is_empty() {
            return None;
        }
        let mut subscripts = vec![];
        for node in nodes {
            let span = self.span(node.span);
            let value = self.expression(node).ok()?;
            let value = self.settled(value);
            let (known, obligations) = self.trial(|scope| scope.exactly(&value, span).and_then(Extremum::affine));
            subscripts.push(match known {
                Some(known) => {
                    self.obligations.extend(obligations);
                    Expr::Index { value: known, ty: ScalarType::I32 }
                }
                None if value.ty().floating || (value.reads().is_empty() && value.gathers().is_empty()) => return None,
                None => value,
            });
        }
        if self.flattened.made.contains(&name.node.name) {
            subscripts = self.in_rows(array, subscripts);
        }
        let gather = Gather { array, subscripts, span: self.span(node.span) };
        Some(Ok(Expr::Gather { gather, ty: self.arrays[array].element }))
    }

    /// The subscripts of an element whose place C has in one dimension: data need not stay in a row there. Where it does not show that they
    /// do, quotients and remainders of the place tell the element.
    fn in_rows(&self, array: ArrayId, subscripts: Vec<Expr>) -> Vec<Expr> {
        let extents = self.arrays[array].extents.clone();
        let mut inner = subscripts.iter().zip(&extents).skip(1);
        if inner.all(|(subscript, extent)| self.is_below(subscript, extent)) {
            return subscripts;
        }
        let length = |extent: &Affine| Expr::Index { value: extent.clone(), ty: ScalarType::I32 };
        let both = subscripts.into_iter().zip(&extents);
        let place = both.fold(None, |place: Option<Expr>, (subscript, extent)| {
            let subscript = convert(subscript, ScalarType::I32);
            Some(match place {
                None => subscript,
                Some(rows) => binary(BinaryOp::Add, binary(BinaryOp::Multiply, rows, length(extent)), subscript),
            })
        });
        let Some(mut rest) = place else { return vec![] };
        let mut all = vec![];
        for extent in extents[1..].iter().rev() {
            all.push(binary(BinaryOp::Remainder, rest.clone(), length(extent)));
            rest = binary(BinaryOp::Divide, rest, length(extent));
        }
        all.push(rest);
        all.reverse();
        all
    }

    /// Whether an integer is certainly from 0 to below an extent.
    fn is_below(&self, value: &Expr, extent: &Affine) -> bool {
        let least = |value: &Affine| self.least(value, self.loops.len());
        let last = extent.clone() - Affine::constant(1);
        let by_type = |ty: ScalarType| !ty.signed && ty.bits < 32 && least(&last) >= ty.limits().1;
        match value {
            Expr::Index { value, .. } => least(value) >= 0 && least(&(last - value.clone())) >= 0,
            Expr::Constant { value, .. } => *value >= 0 && least(&last) >= *value,
            Expr::Cast { operand, ty } => by_type(*ty) || ty.bits >= 32 && self.is_below(operand, extent),
            Expr::Binary { op: BinaryOp::And, left, right, .. } => [left, right]
                .into_iter()
                .any(|side| matches!(**side, Expr::Constant { value, .. } if value >= 0 && least(&last) >= value)),
            Expr::Binary { op: BinaryOp::Remainder, left, right, ty } => {
                let is_positive = !ty.signed || matches!(&**left, Expr::Index { value, .. } if least(value) >= 0);
                is_positive && matches!(&**right, Expr::Index { value, .. } if value == extent)
            }
            other => by_type(other.ty()),
        }
    }

    /// A number that a value over iterators and sizes is never below, where so many loops are around it.
    fn least(&self, value: &Affine, loops: usize) -> i64 {
        let Some(inner) = loops.checked_sub(1).and_then(|last| self.loops.get(last)) else {
            let of_size = |name: &str| self.sizes.get(name).copied().unwrap_or((i64::MIN, i64::MAX));
            return value.range(|name| of_size(name)).0;
        };
        let by = value.coefficient(&inner.iterator);
        let bounds = match by.signum() {
            0 => return self.least(value, loops - 1),
            1 => &inner.lower,
            _ => &inner.upper,
        };
        let with = |bound: &Affine| {
            let own = value.clone() - Affine::variable(inner.iterator.clone()) * by + bound.clone() * by;
            self.least(&own, loops - 1)
        };
        bounds.iter().map(with).max().unwrap_or(i64::MIN)
    }
}

/// A read of an array that the kernel writes, too, at subscripts that iterators tell and that no affine function does: it waits for
/// every write before it, where an affine form has none to wait for.
pub struct Unordered {
    pub array: String,
    pub read: Span,
    pub write: Span,
}

/// All of those reads.
pub fn without_affine_form(kernel: &Kernel) -> Vec<Unordered> {
    let statements = kernel.statements();
    let mut found = vec![];
    for statement in &statements {
        for gather in statement.gathers() {
            // An update reads what it writes anyway.
            let is_update = statement.scatter().is_some_and(|place| place.is_same(gather));
            if is_update || gather.subscripts.iter().any(|subscript| is_of_data(kernel, subscript, &mut vec![])) {
                continue;
            }
            let writer = statements.iter().find(|other| other.writes_to(gather.array));
            let array = kernel.arrays[gather.array].name.clone();
            found.extend(writer.map(|writer| Unordered { array, read: gather.span, write: writer.span }));
        }
    }
    found
}

/// Whether some element of an argument is in the value, also by way of local variables. `seen` are those that were looked at.
fn is_of_data(kernel: &Kernel, value: &Expr, seen: &mut Vec<ArrayId>) -> bool {
    value.arrays().any(|array| {
        if matches!(kernel.arrays[array].storage, Storage::Argument) {
            return true;
        }
        if seen.contains(&array) {
            return false;
        }
        seen.push(array);
        let writers = kernel
            .statements()
            .into_iter()
            .flat_map(|statement| statement.writes().map(|(a, v)| (a.array, v.clone())).collect::<Vec<_>>());
        writers.filter(|(written, _)| *written == array).any(|(_, value)| is_of_data(kernel, &value, seen))
    })
}
