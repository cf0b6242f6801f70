//! The invariant `interleaved`: rows that take turns do not depend on one another.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::Checker;
use crate::ids::{ArrayId, BandId, ByStatement};
use crate::offload::{Band, Interleaved, Piece};
use crate::source::kernel::Access;
use crate::walk::{self, Values};

/// Iterations of such bands that are looked at, for each of the sizes, and of a row.
const ITERATIONS: usize = 6_000;
const OF_A_ROW: usize = 32;
/// Those that are walked.
const WALKED: usize = 1_000_000;

/// Rows that may take turns: those of one piece, in one tile, between those of others.
#[derive(Default)]
struct Run {
    piece: Option<*const Piece>,
    /// The row that touched a cell last, and whether any has written it.
    touched: BTreeMap<(ArrayId, Vec<i64>), (Vec<i64>, bool)>,
    /// The present row, and how many of its iterations were looked at.
    row: Vec<i64>,
    looked_at: usize,
}

impl Checker<'_> {
    /// What holds of such statements whatever their iterations do.
    pub(super) fn interleaved(&mut self) {
        for (number, band) in self.offload.bands.iter_enumerated() {
            for Interleaved { statement, rows } in &band.compute.interleaved {
                let is_own = band.statements.contains(statement) && band.lanes(*statement).is_none();
                let slides = self.offload.windows.iter().any(|window| window.statement == *statement);
                let fits = rows.count_ones() == 1 && *rows >= 2;
                let holds = is_own && !slides && fits;
                self.require(holds, "interleaved", || format!("{rows} rows of statement {statement} in band {number}"));
            }
        }
    }

    /// Runs the first iterations of all bands with such statements, and looks for cells of two rows.
    pub(super) fn rows_are_apart(&mut self, values: &mut Values) {
        for (number, band) in self.offload.bands.iter_enumerated() {
            if let Some(clash) = self.clash(number, band, values) {
                self.faults.push(format!("interleaved: {clash}"));
            }
        }
    }

    fn clash(&self, number: BandId, band: &Band, values: &mut Values) -> Option<String> {
        if band.compute.interleaved.is_empty() {
            return None;
        }
        let iterators = self.kernel.iterators();
        let (mut left, mut walked, mut clash) = (ITERATIONS, 0, None);
        let _ = walk::in_order(&self.offload.tiles.pieces, values, |piece, values| {
            if piece.leaf.band() != number {
                return ControlFlow::Continue(());
            }
            let tile: Vec<i64> = piece.point.iter().map(|index| values.evaluate(index)).collect();
            let place = values.enter_tile(self.kernel, &tile);
            let mut run = Run::default();
            let outcome = walk::in_order(&band.compute.scan.pieces, values, |piece, values| {
                walked += 1;
                if run.enters(band, piece, &values.stack[place..]) {
                    left -= 1;
                    clash = self.iteration(piece, &iterators, values, &mut run);
                }
                let is_enough = left == 0 || walked == WALKED || clash.is_some();
                if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            values.stack.truncate(place);
            outcome
        });
        clash
    }

    /// Whether a row before the present one, of the same run, has touched what an iteration touches.
    fn iteration(
        &self,
        piece: &Piece,
        iterators: &ByStatement<Vec<String>>,
        values: &mut Values,
        run: &mut Run,
    ) -> Option<String> {
        let (s, place, row) = (piece.leaf.statement(), values.stack.len(), &run.row);
        values.enter_instance(self.kernel, &iterators[s], &piece.point);
        let statement = self.kernel.statements()[s];
        let cell = |access: &Access| access.subscripts.iter().map(|x| values.evaluate(x)).collect::<Vec<i64>>();
        let reads = statement.references().into_iter().map(|read| (read, false));
        let mut clash = None;
        for (access, writes) in reads.chain(statement.targets().map(|target| (target, true))) {
            let cell = cell(access);
            let (last, written) =
                run.touched.entry((access.array, cell.clone())).or_insert_with(|| (row.clone(), false));
            if last != row && (*written || writes) {
                let name = &self.kernel.arrays[access.array].name;
                clash = Some(format!("rows {last:?} and {row:?} of {} both access {name}{cell:?}", statement.name));
            }
            (*last, *written) = (row.clone(), *written || writes);
        }
        values.stack.truncate(place);
        clash
    }
}

impl Run {
    /// Whether to look at the next iteration, in the innermost of these loops.
    fn enters(&mut self, band: &Band, piece: &Piece, loops: &[(String, i64)]) -> bool {
        if self.piece != Some(std::ptr::from_ref(piece)) {
            *self = Run { piece: Some(std::ptr::from_ref(piece)), ..Run::default() };
        }
        if !band.compute.interleaved.iter().any(|own| own.statement == piece.leaf.statement()) {
            return false;
        }
        let outer = &loops[..loops.len().saturating_sub(1)];
        if !self.row.iter().eq(outer.iter().map(|(_, value)| value)) {
            (self.row, self.looked_at) = (outer.iter().map(|(_, value)| *value).collect(), 0);
        }
        self.looked_at += 1;
        self.looked_at <= OF_A_ROW
    }
}
