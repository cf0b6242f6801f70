//! Reads and writes at subscripts that depend on data: `t[x[i]]`, `h[x[i]] += 1`, `y[p[i]] = v`. The array lies on chip as a
//! whole, as far as the subscripts can reach. What reads a written array so comes behind all writes before it.

use lang_c::ast::Expression;
use lang_c::span::Node;

use super::extremum::Extremum;
use super::kernel::{Expr, Gather, Kernel, ScalarType, Storage};
use super::plain::subscripted;
use super::scope::{Checked, Name, Scope};
use crate::diagnostic::Diagnostic;
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
        let gather = Gather { array, subscripts, span: self.span(node.span) };
        Some(Ok(Expr::Gather { gather, ty: self.arrays[array].element }))
    }
}

/// Refuses reads of written arrays at subscripts that iterators tell and that no affine function does: every read would wait for every
/// write before it, where an affine form has none to wait for.
pub fn require_affine(kernel: &Kernel) -> Checked<()> {
    let statements = kernel.statements();
    for statement in &statements {
        for gather in statement.gathers() {
            // An update reads what it writes anyway.
            let is_update = statement.scatter().is_some_and(|place| place.is_same(gather));
            if is_update || gather.subscripts.iter().any(|subscript| is_of_data(kernel, subscript, &mut vec![])) {
                continue;
            }
            let Some(writer) = statements.iter().find(|other| other.writes_to(gather.array)) else { continue };
            let (name, line) = (&kernel.arrays[gather.array].name, writer.span.line);
            let what = format!(
                "the subscripts of `{name}` here are told by iterators, but are no affine function of them, and the kernel writes `{name}` in line {line}"
            );
            return Err(Diagnostic::new(what).at(gather.span, "not affine").help(
                "write sums of iterators with constant factors; what shifts by an iterator is affine in loops that multiply, as in \
                 `for (len = 1; len < 64; len *= 2)`",
            ));
        }
    }
    Ok(())
}

/// Whether some element of an argument is in the value, also by way of local variables. `seen` are those that were looked at.
fn is_of_data(kernel: &Kernel, value: &Expr, seen: &mut Vec<ArrayId>) -> bool {
    let arrays = value.reads().into_iter().map(|access| access.array);
    let arrays: Vec<ArrayId> = arrays.chain(value.gathers().into_iter().map(|gather| gather.array)).collect();
    arrays.into_iter().any(|array| {
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
