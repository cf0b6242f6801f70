//! The invariant `alive`: what an iteration reads of an array that no tile of its band moves is still in its place.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::Checker;
use crate::ids::{ArrayId, BandId, ByStatement, StatementId};
use crate::offload::{Band, Mapping, Piece, is_by_data};
use crate::source::kernel::{Access, Statement};
use crate::walk::{self, Values};

/// Iterations of such bands that are looked at, for each of the sizes.
const ITERATIONS: usize = 6_000;

/// What the kernel's statements do.
struct Code<'a> {
    statements: ByStatement<&'a Statement>,
    iterators: ByStatement<Vec<String>>,
}

/// The places of a band's arrays in one strip.
struct Strip<'a> {
    /// The arrays that no tile of the band moves, with their mappings.
    mappings: BTreeMap<ArrayId, &'a Mapping>,
    /// The strip's indices.
    indices: Vec<i64>,
    /// The cell that was written to a place last.
    held: BTreeMap<(ArrayId, Vec<i64>), Vec<i64>>,
    written: BTreeSet<(ArrayId, Vec<i64>)>,
    /// An array, the cell that was read, and the one in its place.
    clash: Option<(ArrayId, Vec<i64>, Vec<i64>)>,
}

impl Checker<'_> {
    /// Runs the first iterations of all bands with such arrays, in the order of the hardware, one after the other: those in lanes read what
    /// tiles keep.
    pub(super) fn alive(&mut self, values: &mut Values) {
        let code = Code { statements: self.kernel.statements(), iterators: self.kernel.iterators() };
        for (number, band) in self.offload.bands.iter_enumerated() {
            let mappings = self.kept(number, band);
            if mappings.is_empty() || band.compute.lanes.is_some() {
                continue;
            }
            let (held, written) = (BTreeMap::new(), BTreeSet::new());
            let mut strip = Strip { mappings, indices: vec![], held, written, clash: None };
            let mut left = ITERATIONS;
            let _ = walk::in_order(&self.offload.tiles.pieces, values, |piece, values| {
                if piece.leaf.band() != number {
                    return ControlFlow::Continue(());
                }
                let tile: Vec<i64> = piece.point.iter().map(|index| values.evaluate(index)).collect();
                strip.enter(&tile[..band.tiling.strip_indices()]);
                let place = values.enter_tile(self.kernel, &tile);
                let outcome = walk::in_order(&band.compute.scan.pieces, values, |piece, values| {
                    self.run(&code, piece, values, &mut strip);
                    left -= 1;
                    if left == 0 || strip.clash.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                values.stack.truncate(place);
                outcome
            });
            if let Some((array, read, held)) = strip.clash {
                let name = &self.kernel.arrays[array].name;
                self.faults.push(format!("alive: {name}{read:?} is read where {name}{held:?} has taken its place"));
            }
        }
    }

    /// The arrays that a band accesses and no tile of it moves, with their mappings.
    fn kept(&self, number: BandId, band: &Band) -> BTreeMap<ArrayId, &Mapping> {
        let is_moved = |array: ArrayId| band.transfers.iter().any(|transfer| transfer.array == array);
        let buffers = self.offload.buffers.iter().filter(|b| !is_moved(b.array) && !is_by_data(self.kernel, b.array));
        buffers.filter_map(|buffer| Some((buffer.array, buffer.mappings[number].as_ref()?))).collect()
    }

    /// One iteration: it reads before it writes.
    fn run(&self, code: &Code, piece: &Piece, values: &mut Values, strip: &mut Strip) {
        let s: StatementId = piece.leaf.statement();
        let point: Vec<i64> = piece.point.iter().map(|value| values.evaluate(value)).collect();
        let place = values.stack.len();
        values.stack.extend(code.iterators[s].iter().cloned().zip(point));
        for quotient in &self.kernel.quotients {
            let in_scope = |name: &String| values.stack.iter().any(|(known, _)| known == name);
            if quotient.numerator.terms.keys().all(in_scope) {
                let value = quotient.of(values.evaluate(&quotient.numerator));
                values.stack.push((quotient.name.clone(), value));
            }
        }
        let statement = code.statements[s];
        let cell = |access: &Access| access.subscripts.iter().map(|x| values.evaluate(x)).collect::<Vec<i64>>();
        for read in statement.references().into_iter().filter(|read| read.guard.is_none()) {
            strip.read(read.array, cell(read));
        }
        for target in statement.targets() {
            strip.write(target.array, cell(target));
        }
        values.stack.truncate(place);
    }
}

impl Strip<'_> {
    fn enter(&mut self, indices: &[i64]) {
        if self.indices != indices {
            self.indices = indices.to_vec();
            self.held.clear();
            self.written.clear();
        }
    }

    fn place(&self, array: ArrayId, cell: &[i64]) -> Option<(ArrayId, Vec<i64>)> {
        let mapping = self.mappings.get(&array)?;
        let residues = mapping.skewed(cell).into_iter().zip(&mapping.moduli).map(|(y, m)| y.rem_euclid(*m));
        Some((array, residues.collect()))
    }

    /// Cells that no iteration of the strip has written hold nothing.
    fn read(&mut self, array: ArrayId, cell: Vec<i64>) {
        let Some(held) = self.place(array, &cell).and_then(|place| self.held.get(&place)) else { return };
        if *held != cell && self.written.contains(&(array, cell.clone())) {
            self.clash = Some((array, cell, held.clone()));
        }
    }

    fn write(&mut self, array: ArrayId, cell: Vec<i64>) {
        if let Some(place) = self.place(array, &cell) {
            self.held.insert(place, cell.clone());
            self.written.insert((array, cell));
        }
    }
}
