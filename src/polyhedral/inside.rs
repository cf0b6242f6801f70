//! Accesses that leave their array in some iterations, and that happen only where data say so:
//!
//! ```c
//! while (s[i]) { …; out[n++] = v; }
//! ```
//!
//! For all that is known before the run, `n` may come to the end of `out` and go on. In C the data never let it: what would happen there is
//! undefined. So a write leaves such iterations out, and a read does not happen in them.

use anyhow::Result;

use super::extract::{Outside, outside, statements};
use super::implied::within_extents;
use crate::affine::Affine;
use crate::source::ROUND;
use crate::source::kernel::{Access, Beyond, BinaryOp, Condition, Expr, If, Kernel, Node, Statement};

/// `kernel` with all accesses inside of their arrays, where some are not: for fewer sizes, or with such accesses left out. What it cannot be
/// brought inside is left as it is. `None` where there is nothing to do.
///
/// # Errors
/// isl's.
pub fn within_arrays(kernel: &Kernel) -> Result<Option<Kernel>> {
    if statements(kernel).is_ok() {
        return Ok(None);
    }
    if let Some(narrowed) = within_extents(kernel) {
        return Ok(Some(narrowed));
    }
    let inside = inside_arrays(kernel)?;
    Ok(inside.map(|inside| within_extents(&inside).unwrap_or(inside)))
}

/// `kernel` with accesses left out that data decide about; `None` where there are none outside.
fn inside_arrays(kernel: &Kernel) -> Result<Option<Kernel>> {
    let mut inside = kernel.clone();
    let mut cuts = Cuts { kernel, found: vec![] };
    let mut outside = outside(kernel)?.raw.into_iter();
    cuts.nodes(&mut inside.body, &mut outside);
    if cuts.found.is_empty() {
        return Ok(None);
    }
    inside.beyond = cuts.found.into_iter().flatten().collect();
    inside.beyond.dedup_by(|a, b| (&a.text, &a.at) == (&b.text, &b.at));
    Ok(Some(inside))
}

struct Cuts<'a> {
    kernel: &'a Kernel,
    /// One for each access that is inside now, with what the user should know of it.
    found: Vec<Option<Beyond>>,
}

impl Cuts<'_> {
    fn nodes(&mut self, nodes: &mut [Node], outside: &mut impl Iterator<Item = Vec<Outside>>) {
        for node in nodes {
            match node {
                Node::Loop(inner) => self.nodes(&mut inner.body, outside),
                Node::If(inner) => self.nodes(&mut inner.body, outside),
                Node::Statement(statement) => {
                    let conditions = self.statement(statement, outside.next().unwrap_or_default());
                    if !conditions.is_empty() {
                        let (span, body) = (statement.span, vec![Node::Statement(statement.clone())]);
                        *node = Node::If(If { condition: Condition::All(conditions), body, span });
                    }
                }
            }
        }
    }

    /// Keeps reads inside; gives the conditions under which writes are.
    fn statement(&mut self, statement: &mut Statement, outside: Vec<Outside>) -> Vec<Condition> {
        let mut conditions = vec![];
        for own in outside {
            let array = &self.kernel.arrays[own.access.array];
            // In the row beside may be what C means.
            if own.place > 0 {
                continue;
            }
            let (subscript, extent) = (&own.access.subscripts[0], &array.extents[0]);
            let is_inside = [subscript.clone(), extent.clone() - subscript.clone() - Affine::constant(1)];
            let is_inside = Condition::All(is_inside.map(Condition::NonNegative).to_vec());
            let is_same =
                |access: &Access| (access.array, &access.subscripts) == (own.access.array, &own.access.subscripts);
            let is_target = is_same(&statement.target);
            if is_target && !statement.may_keep() || statement.also.iter().any(|other| is_same(&other.target)) {
                continue;
            }
            let mut is_kept = is_target;
            if is_target && !conditions.contains(&is_inside) {
                conditions.push(is_inside.clone());
            }
            optional(&mut statement.value, false, &mut |access| {
                if is_same(access) && access.guard == own.access.guard {
                    is_kept = true;
                    let guards = access.guard.take().into_iter().chain([is_inside.clone()]).collect();
                    access.guard = Some(Condition::All(guards));
                }
            });
            if is_kept {
                // Of a loop whose rounds burstc has counted nobody needs to know that there are too many.
                let is_counted = own.iterators.iter().any(|name| name.starts_with(ROUND));
                let Outside { access, at, .. } = own;
                let written: String =
                    access.subscripts.iter().map(|s| format!("[{}]", self.kernel.as_written(s))).collect();
                let text = format!("{}{written}", array.name);
                self.found.push((!is_counted).then_some(Beyond { text, at, span: access.span }));
            }
        }
        conditions
    }
}

/// Calls `act` on every read that C may leave out.
fn optional(expr: &mut Expr, is_optional: bool, act: &mut impl FnMut(&mut Access)) {
    match expr {
        Expr::Read { access, .. } if is_optional => act(access),
        Expr::Select { condition, then, otherwise, .. } => {
            optional(condition, is_optional, act);
            optional(then, true, act);
            optional(otherwise, true, act);
        }
        Expr::Binary { op: BinaryOp::LogicalAnd | BinaryOp::LogicalOr, left, right, .. } => {
            optional(left, is_optional, act);
            optional(right, true, act);
        }
        Expr::Scatter { place, only_if: Some(only_if), value } => {
            optional(only_if, is_optional, act);
            place.subscripts.iter_mut().for_each(|subscript| optional(subscript, true, act));
            optional(value, true, act);
        }
        _ => expr.operands_mut().into_iter().for_each(|operand| optional(operand, is_optional, act)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{self, Source};

    /// The kernel within arrays; `None` where nothing is outside; `Err` where something stays there.
    fn within(body: &str) -> Result<Option<Kernel>> {
        let text = format!("void k(int a[64], int b[64], int c[8][8], int x[64])\n{{\n{body}\n}}\n");
        let kernel = source::parse(&Source { path: "k.c".into(), text, cpp_args: vec![] }).unwrap();
        let within = within_arrays(&kernel)?;
        statements(within.as_ref().unwrap_or(&kernel))?;
        Ok(within)
    }

    /// What the user is told.
    fn told(body: &str) -> Vec<String> {
        let told = |own: &Beyond| format!("{} for {}", own.text, own.at);
        within(body).unwrap().map_or(vec![], |kernel| kernel.beyond.iter().map(told).collect())
    }

    #[test]
    fn what_data_decide_stays_inside() {
        // Iterations that the statement has, counted by hand.
        for (body, told_of, instances) in [
            ("for (int i = 0; i < 64; i++) if (x[i] > 0) b[i + 1] = 1;", "b[i + 1] for i = 63", 63),
            ("for (int i = 0; i < 64; i++) if (x[i] > 0) b[i - 5] += x[i];", "b[i - 5] for i = 0", 59),
            ("for (int i = 0; i < 64; i++) if (x[i] > 0) b[2 * i] = 1;", "b[2*i] for i = 32", 32),
            // A read alone takes no iteration away.
            ("for (int i = 0; i < 64; i++) b[i] = x[i] > 0 ? a[i + 1] : 3;", "a[i + 1] for i = 63", 64),
            ("for (int i = 0; i < 64; i++) b[i] = x[i] && a[i - 1];", "a[i - 1] for i = 0", 64),
        ] {
            assert_eq!(told(body), [told_of], "{body}");
            let program = statements(&within(body).unwrap().unwrap()).unwrap();
            let [only] = &program.statements.raw[..] else { panic!("one statement") };
            assert_eq!(only.domain.count().unwrap().finite(), Some(instances), "{body}");
        }
        assert!(told("for (int i = 0; i < 64; i++) if (x[i] > 0) b[i] = 1;").is_empty());
        // Rounds that burstc has counted are more than there are.
        let rounds = "int i = 0, k = 0; while (k < 64) { if (x[i] > 3) b[i] = k; i += x[k] & 1; k += (x[k] & 3) + 1; }";
        assert!(told(rounds).is_empty());
    }

    #[test]
    fn what_happens_whatever_the_data_is_refused() {
        for body in [
            "for (int i = 0; i < 64; i++) b[i + 1] = x[i];",
            "for (int i = 0; i < 64; i++) b[i] = x[i + 1] > 0 ? a[i] : 3;",
            "for (int i = 0; i < 64; i++) if (x[i + 1] && a[i]) b[i] = 3;",
            // In the row beside may be what C means.
            "for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) if (x[i]) c[i][j + 1] = 3;",
        ] {
            let message = format!("{:#}", within(body).unwrap_err());
            assert!(message.contains("leaves its array"), "{body}: {message}");
        }
    }
}
