//! Reads and writes at subscripts that depend on data: `t[x[i]]`, `h[x[i]] += 1`, `y[p[i]] = v`. The array lies on chip as a
//! whole, as far as the subscripts can reach. What is read so is written by nobody but the statement that reads it, in the same place.

use lang_c::ast::Expression;
use lang_c::span::Node;

use super::extremum::Extremum;
use super::kernel::{Expr, Gather, Kernel, ScalarType, Statement, Storage};
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

/// Refuses gathers of arrays that the kernel writes, but for the element that the same statement writes, and subscripts that
/// depend on data of arrays that nobody gives the kernel.
pub fn require_known_order(kernel: &Kernel) -> Checked<()> {
    let statements = kernel.statements();
    for statement in &statements {
        for gather in statement.values().flat_map(Expr::gathers) {
            let is_update = statement.scatter().is_some_and(|place| place.is_same(gather));
            let writer = statements.iter().find(|other| other.writes_to(gather.array) && !is_update);
            if let Some(writer) = writer {
                return Err(read_and_written(kernel, gather, writer, statement.scatter()));
            }
        }
        let touched = statement.values().flat_map(Expr::gathers).map(|gather| (gather, "read"));
        for (place, how) in touched.chain(statement.scatter().map(|place| (place, "written"))) {
            let array = &kernel.arrays[place.array];
            if !matches!(array.storage, Storage::Argument) {
                let name = &array.name;
                let what = format!("the local array `{name}` is {how} at a subscript that depends on data");
                let help = match how {
                    "read" => "make it an argument of the kernel, or a table of constants, `static const`",
                    _ => "make it an argument of the kernel",
                };
                return Err(Diagnostic::new(what).at(place.span, "known only when the data are").help(help));
            }
        }
    }
    Ok(())
}

/// The refusal of a read at a subscript that depends on data, of an array that `writer` writes; `own` is where the statement
/// that reads writes itself.
fn read_and_written(kernel: &Kernel, gather: &Gather, writer: &Statement, own: Option<&Gather>) -> Diagnostic {
    let name = &kernel.arrays[gather.array].name;
    let line = writer.span.line;
    if !gather.subscripts.iter().any(|subscript| is_of_data(kernel, subscript, &mut vec![])) {
        let what = format!(
            "the subscripts of `{name}` here are told by iterators, but are no affine function of them, and the kernel writes `{name}` in line {line}"
        );
        return Diagnostic::new(what).at(gather.span, "not affine").help(
            "write sums of iterators with constant factors; what shifts by an iterator is affine in loops that multiply, as in \
             `for (len = 1; len < 64; len *= 2)`",
        );
    }
    let what = format!("`{name}` is read at a subscript that depends on data, and the kernel writes it in line {line}");
    let help = match own.filter(|own| own.array == gather.array) {
        Some(_) => format!(
            "burstc takes a statement that reads the very element of `{name}` that it writes, as in `{name}[x[i]] += 1`: \
             read others from another array"
        ),
        None => format!(
            "burstc takes such reads of arrays that the kernel only reads: what makes `{name}` may be a kernel of its own, that runs before"
        ),
    };
    Diagnostic::new(what).at(gather.span, "known only when the data are").help(help)
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
