//! The invariant `masked`: a bit beside a word tells whether its one iteration wrote it.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::Checker;
use crate::affine::Affine;
use crate::ids::ArrayId;
use crate::source::kernel::{Expr, Storage};
use crate::walk::{Values, in_order};

/// Iterations of the source's order that are looked at, for each of the sizes.
const ITERATIONS: usize = 20_000;

impl Checker<'_> {
    /// What holds of such arrays whatever their iterations do.
    pub(super) fn masked(&mut self) {
        let statements = self.kernel.statements();
        let has_mask = |value: &Expr| matches!(value, Expr::Masked { .. });
        for (array, own) in self.kernel.arrays.iter_enumerated() {
            let mut writes = statements.iter().flat_map(|statement| statement.writes());
            let alike = writes.all(|(target, value)| target.array != array || has_mask(value) == own.masked);
            self.require(alike, "masked", || format!("writes of {}", own.name));
            if !own.masked {
                continue;
            }
            let gathers =
                |statement: &&crate::source::kernel::Statement| statement.gathers().iter().any(|g| g.array == array);
            let is_read = statements.iter().any(|statement| statement.reads().iter().any(|read| read.array == array));
            let is_read = is_read || statements.iter().any(gathers) || self.kernel.is_scattered(array);
            let transfers = self.offload.bands.iter().flat_map(|band| &band.transfers);
            let is_loaded = transfers.filter(|own| own.array == array).any(|own| !own.load.pieces.is_empty());
            let holds = own.storage == Storage::Argument && !is_read && !is_loaded;
            self.require(holds, "masked", || format!("{} is read, or no argument", own.name));
        }
    }

    /// No cell of theirs has two iterations that may write it.
    pub(super) fn written_once(&mut self, values: &mut Values) {
        if self.kernel.arrays.iter().all(|array| !array.masked) {
            return;
        }
        let (statements, iterators) = (self.written.statements(), self.written.iterators());
        let (mut seen, mut left) = (BTreeSet::<(ArrayId, Vec<i64>)>::new(), ITERATIONS);
        let mut twice = None;
        let _ = in_order(&self.offload.source_order.pieces, values, |piece, values| {
            let statement = piece.leaf.statement();
            let target = &statements[statement].target;
            let is_quotient = |name: &String| self.kernel.quotients.iter().any(|quotient| quotient.name == *name);
            let is_plain = !target.subscripts.iter().flat_map(|subscript| subscript.terms.keys()).any(is_quotient);
            if self.kernel.arrays[target.array].masked && is_plain {
                let point: Vec<i64> = piece.point.iter().map(|value| values.evaluate(value)).collect();
                let index = |name: &str| {
                    let own = iterators[statement].iter().position(|iterator| iterator == name);
                    own.map_or_else(|| values.evaluate(&Affine::variable(name)), |place| point[place])
                };
                let cell = target.subscripts.iter().map(|subscript| subscript.evaluate(index)).collect();
                if !seen.insert((target.array, cell)) {
                    twice = Some(target.array);
                }
            }
            left -= 1;
            if left == 0 || twice.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Some(array) = twice {
            let name = self.kernel.arrays[array].name.clone();
            self.require(false, "masked", || format!("two iterations write a cell of {name}"));
        }
    }
}
