//! Reads at subscripts that depend on data: `t[x[i]]`. The array lies on chip as a whole, as far as the subscripts can reach,
//! so nothing may write it while the kernel runs.

use lang_c::ast::Expression;
use lang_c::span::Node;

use super::extremum::Extremum;
use super::kernel::{Expr, Gather, Kernel, ScalarType, Storage};
use super::plain::subscripted;
use super::scope::{Checked, Name, Scope};
use crate::diagnostic::Diagnostic;

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

/// Refuses gathers of arrays that the kernel writes, or that nobody gives it.
pub fn require_read_only(kernel: &Kernel) -> Checked<()> {
    let statements = kernel.statements();
    for gather in statements.iter().flat_map(|s| s.values()).flat_map(Expr::gathers) {
        let array = &kernel.arrays[gather.array];
        let name = &array.name;
        let writer = statements.iter().find(|statement| statement.writes_to(gather.array));
        let (what, help) = match (writer, &array.storage) {
            (Some(writer), _) => (
                format!(
                    "`{name}` is read at a subscript that depends on data, and the kernel writes it in line {}",
                    writer.span.line
                ),
                format!(
                    "burstc takes such reads of arrays that the kernel only reads: write another array than `{name}`"
                ),
            ),
            (None, Storage::Argument) => continue,
            (None, _) => (
                format!("the local array `{name}` is read at a subscript that depends on data"),
                "make it an argument of the kernel, or a table of constants, `static const`".to_string(),
            ),
        };
        return Err(Diagnostic::new(what).at(gather.span, "known only when the data are").help(help));
    }
    Ok(())
}
