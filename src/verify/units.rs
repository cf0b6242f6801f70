//! The invariant `units`: the compute processes of a band share its iterations, and no value goes from one to another.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::Checker;
use crate::affine::Affine;
use crate::ids::{ArrayId, BandId, StatementId};
use crate::offload::{Band, Piece, Units, is_by_data};
use crate::source::kernel::{Access, Statement, UnitsDirective};
use crate::walk::{self, Values};

/// Iterations of a tile that are looked at, and tiles of a band.
const ITERATIONS: usize = 3_000;
const TILES: usize = 4;

/// Per cell, one more than when the tile as one process runs it accesses it last, of what has been looked at, and writes it. An array at
/// subscripts that depend on data is one cell.
type Seen = BTreeMap<(ArrayId, Vec<i64>), [usize; 2]>;

/// An instance of a statement.
type Instance = (StatementId, Vec<i64>);

impl Checker<'_> {
    /// What holds of units whatever their iterations do.
    pub(super) fn units(&mut self) {
        let count = self.offload.units();
        for (number, band) in self.offload.bands.iter_enumerated() {
            let Some(Units { count: own, name, .. }) = &band.compute.units else {
                self.require(count == 1, "units", || format!("band {number} has one unit, another has {count}"));
                continue;
            };
            let fits = *own == count && count >= 2 && UnitsDirective::allows(count) && band.compute.lanes.is_none();
            self.require(fits, "units", || format!("band {number} has {own}"));
            let is_new = !self.context(super::Visits::Iterations(number)).contains(name);
            self.require(is_new, "units", || format!("band {number} calls their number `{name}`, as something else"));
        }
        for buffer in &self.offload.buffers {
            let name = &self.kernel.arrays[buffer.array].name;
            self.require(buffer.units == count, "units", || format!("{} have a memory of {name}", buffer.units));
            let Some(owner) = buffer.owner else {
                let is_written = count > 1 && self.kernel.is_written(buffer.array);
                self.require(!is_written, "units", || format!("all have {name}, which is written"));
                continue;
            };
            let tells = buffer.common_mapping().is_some_and(|mapping| {
                let modulus = mapping.moduli.get(owner.subscript).is_some_and(|modulus| modulus % owner.count == 0);
                modulus && mapping.skew.is_empty()
            });
            let fits = owner.count == count && (0..count).contains(&owner.offset) && tells;
            self.require(fits, "units", || format!("{name}: {owner:?}"));
            // A beat is drained from one unit.
            let is_whole = buffer.bank_axes().iter().all(|axis| axis.subscript != owner.subscript);
            self.require(is_whole, "units", || format!("neighbours in the banks of {name} belong to several"));
        }
    }

    /// Runs some tiles of all bands with units, and looks for iterations that two have or none, that run in another order, and for
    /// cells of another unit.
    pub(super) fn units_share(&mut self, values: &mut Values) {
        for (number, band) in self.offload.bands.iter_enumerated() {
            let Some(units) = &band.compute.units else { continue };
            let mut tiles = vec![];
            let _ = walk::in_order(&self.offload.tiles.pieces, values, |piece, values| {
                if piece.leaf.band() == number {
                    tiles.push(piece.point.iter().map(|index| values.evaluate(index)).collect::<Vec<i64>>());
                }
                if tiles.len() < TILES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            for tile in tiles {
                let place = values.enter_tile(self.kernel, &tile);
                let fault = self.fault_of_units((number, band, units), values);
                values.stack.truncate(place);
                self.faults.extend(fault.map(|fault| format!("units: {fault}")));
            }
        }
    }

    fn fault_of_units(&self, (number, band, units): (BandId, &Band, &Units), values: &mut Values) -> Option<String> {
        let all = instances(&band.compute.scan.pieces, values, ITERATIONS);
        if all.len() == ITERATIONS {
            return None;
        }
        // When an iteration runs, and whether a unit has it.
        let mut dates: BTreeMap<&Instance, (usize, bool)> = BTreeMap::new();
        all.iter().enumerate().for_each(|(date, instance)| {
            dates.insert(instance, (date, false));
        });
        let by_data: Vec<ArrayId> = self.kernel.arrays.keys().filter(|array| is_by_data(self.kernel, *array)).collect();
        for unit in 0..units.count {
            values.stack.push((units.name.clone(), unit));
            let own = instances(&units.scan.pieces, values, ITERATIONS);
            values.stack.pop();
            let mut seen = Seen::new();
            for instance in &own {
                let Some((date, is_taken)) = dates.get_mut(instance) else {
                    return Some(format!("unit {unit} of band {number} runs {instance:?}, which is not in the tile"));
                };
                let date = *date;
                if std::mem::replace(is_taken, true) {
                    return Some(format!("unit {unit} of band {number} runs {instance:?} once more"));
                }
                let (statement, place) = (self.kernel.statements()[instance.0], values.stack.len());
                let point: Vec<Affine> = instance.1.iter().map(|value| Affine::constant(*value)).collect();
                values.enter_instance(self.kernel, &self.kernel.iterators()[instance.0], &point);
                let is_behind = self.is_behind((statement, date), &by_data, values, &mut seen);
                let foreign = self.foreign(statement, unit, values);
                values.stack.truncate(place);
                if !is_behind {
                    return Some(format!("unit {unit} of band {number} runs {instance:?} before what it waits for"));
                }
                if let Some(array) = foreign {
                    let name = &self.kernel.arrays[array].name;
                    return Some(format!("{instance:?} of unit {unit} accesses a cell of {name} of another unit"));
                }
            }
        }
        let left = dates.iter().find(|(_, (_, is_taken))| !is_taken);
        left.map(|(instance, _)| format!("no unit of band {number} runs {instance:?}"))
    }

    /// Whether an instance, whose iterators have values, comes behind all that it comes behind in the tile as one process runs it, as far as cells tell that some
    /// instance writes: others may change places.
    fn is_behind(
        &self,
        (statement, date): (&Statement, usize),
        by_data: &[ArrayId],
        values: &Values,
        seen: &mut Seen,
    ) -> bool {
        let cell = |access: &Access| {
            let subscripts = access.subscripts.iter().map(|subscript| values.evaluate(subscript));
            (access.array, if by_data.contains(&access.array) { vec![] } else { subscripts.collect() })
        };
        let reads = statement.accesses().map(|access| (cell(access), false));
        let gathers = statement.gathers().into_iter().map(|gather| ((gather.array, vec![]), false));
        let writes = statement.targets().map(|access| (cell(access), true));
        let mut is_behind = true;
        for (cell, writes) in reads.chain(gathers).chain(writes) {
            let [any, written] = seen.entry(cell).or_default();
            is_behind &= *written <= date + 1 && (!writes || *any <= date + 1);
            *any = (*any).max(date + 1);
            *written = if writes { (*written).max(date + 1) } else { *written };
        }
        is_behind
    }

    /// The array of which an instance, whose iterators have values, accesses a cell that belongs to another unit.
    fn foreign(&self, statement: &Statement, unit: i64, values: &Values) -> Option<ArrayId> {
        let owner = |access: &Access| {
            self.offload.buffers.iter().find(|buffer| buffer.array == access.array).and_then(|buffer| buffer.owner)
        };
        let is_foreign = |access: &&Access| {
            let cell: Vec<i64> = access.subscripts.iter().map(|subscript| values.evaluate(subscript)).collect();
            owner(access).is_some_and(|owner| owner.of(&cell) != unit)
        };
        // What is loaded for all may be read by all.
        let own = statement.accesses().filter(|access| owner(access).is_none_or(|owner| !owner.shared));
        let foreign = own.chain(statement.targets()).find(is_foreign);
        foreign.map(|access| access.array)
    }
}

/// The first instances of a scan.
fn instances(pieces: &[Piece], values: &mut Values, most: usize) -> Vec<Instance> {
    let mut all = vec![];
    let _ = walk::in_order(pieces, values, |piece, values| {
        all.push((piece.leaf.statement(), piece.point.iter().map(|value| values.evaluate(value)).collect()));
        if all.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    all
}
