//! The verifier of an [`Offload`]: what the hardware, the simulation and the reports may rely on. Every build runs it; a violation is burstc's
//! own fault.
//!
//! 1. `kernel`: arguments, accesses and host values name what is there; every size has `min <= max`, its default between
//!    them; accesses have as many subscripts as their array has dimensions, over sizes, iterators and quotients; no statement
//!    writes an array twice.
//! 2. `statements`: every statement is in exactly one band; θ has one length per band, that of the sizes, which are
//!    positive; strips run along one of its dimensions at least, and along all at most.
//! 3. `leaves`: what a piece visits is there: a band in `tiles`, a statement in `source_order`, one of the band's own in
//!    its iterations.
//! 4. `points`: a point has as many values as what is visited has indices: the array's dimensions, the statement's
//!    iterators (with lanes, the slacks of its masks beside them), the band's tile indices; of a cell of an array in slices all digits
//!    of its place beside them.
//! 5. `shared`: a piece has fewer loops in common with the piece before than it has loops, none in the first piece, and
//!    those are equal in both.
//! 6. `scope`: loops of a piece have names of their own; bounds name sizes, tile indices and loops further out; guards name
//!    loops that the piece shares with a neighbour; points name any of its loops.
//! 7. `bounds`: a loop has a bound on either side; divisors are positive.
//! 8. `ranges`: the interval of a loop holds its values; (sampled) at both ends of every loop, for small and large sizes and
//!    the corners of the tiles.
//! 9. `cells`: (sampled) cells lie in their array; iterations access cells in their arrays, unless a guard keeps them from it.
//! 10. `transfers`: one per array and band, those that wait for less first; a strip that loads what others store
//!     waits for its store; a band that stores an array whose tiles share places computes after the strip before is
//!     stored; local arrays know whether they are transferred.
//! 11. `buffers`: one per array; it has a mapping for each band that transfers or accesses the array; at least one copy, and one for
//!     the store process where the array is written, and read at subscripts that depend on data.
//! 12. `moduli`: of a mapping, one positive power of two per subscript, at least the exact one, or without slots and skews a first
//!     one that the subscript stays below; slots are 3 or a power of two, of strips 2, skews unit lower triangular. Of an array at
//!     subscripts that depend on data, powers of two without slots and skews: its addresses are the subscripts' low bits.
//! 13. `apart`: (sampled) the cells that one tile loads, and those that it stores, lie in different places.
//! 14. `banks`: as many as lanes, or as lanes in two dimensions have side by side, or any along one subscript where all lanes access
//!     the same cells, dividing their subscript's modulus; of a partition, a power of two that divides each weighted modulus, and odd weight and modulus at least that along the subscript that is left out.
//! 15. `windows`: leader and followers are references of the statement, which does not write the array; delays are
//!     positive.
//! 16. `lanes`: a power of two from 2 on, and along each of two dimensions; a shape per statement with a step per iterator and
//!     dimension; with a reduction, every lane updates one cell.
//! 17. `uses`: an array that is another use of an argument has its element, extents and order, is no argument itself, and no
//!     statement writes either; so their buffers hold what the memory does, whichever tiles are under way.
//! 18. `ports`: every array has a memory port, of the 32 that a board may have, or none has.
//! 19. `alive`: (sampled) of an array that no tile of a band moves, what an iteration reads is in its place: no cell that was written since has
//!     taken it.
//! 20. `parts`: (sampled) the digits of a cell of an array in slices are those of its layout.
//! 21. `interleaved`: a statement whose rows take turns is the band's own, runs in one lane and slides no windows; rows at a time are a power
//!     of two; (sampled) no row of a run touches a cell that another writes.
//! 22. `masked`: an array with a bit beside its words is an argument that no statement reads, no tile loads, and whose writes all have
//!     a mask; (sampled) no two iterations of the source's order write one of its cells. No other write has a mask.
//! 23. `units`: all bands have as many, a power of two, and no lanes; every buffer has memories for each; an array that is written has an
//!     owner for each of its cells, told by low bits of a residue; (sampled) the units of a tile run all of its iterations, each once and
//!     in their order, and access no cell of another unit.
//!
//! Sampled invariants are looked at in a number of points that does not depend on the kernel, so that verifying takes
//! milliseconds.

mod alive;
mod interleaved;
mod masked;
mod units;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use crate::affine::Affine;
use crate::ids::{ArrayId, BandId, StatementId};
use crate::layout::Digit;
use crate::offload::{
    Buffer, LaneShape, MOST_PORTS, Mapping, Offload, Partition, Piece, Scan, Wait, Window, extent_below, gather_count,
    is_by_data, port_references, power_of_two,
};
use crate::source::kernel::{Access, Argument, Kernel, Storage};
use crate::walk::{Values, Visitor, Which, guard_depth, walk};

/// Points of all scans that are looked at, for each of the sizes.
const SAMPLES: usize = 4_000;

/// Cells of a transfer whose places are compared.
const CELLS: usize = 1_000;

/// Checks the invariants that the file's head lists.
///
/// # Errors
/// A line per violation, which begins with the invariant's name. After violations of structure, nothing is sampled.
pub fn verify(offload: &Offload) -> Result<(), Vec<String>> {
    let written = &offload.as_written();
    let mut checker = Checker { offload, kernel: &offload.kernel, written, faults: vec![] };
    checker.kernel();
    if checker.faults.is_empty() {
        checker.statements();
    }
    if checker.faults.is_empty() {
        checker.scans();
        checker.transfers();
        checker.buffers();
        checker.windows();
        checker.lanes();
        checker.interleaved();
        checker.masked();
        checker.units();
    }
    if checker.faults.is_empty() {
        checker.samples();
    }
    if checker.faults.is_empty() { Ok(()) } else { Err(checker.faults) }
}

struct Checker<'a> {
    offload: &'a Offload,
    kernel: &'a Kernel,
    /// Whose statements the source's order has.
    written: &'a Kernel,
    faults: Vec<String>,
}

/// What the points of a scan are.
#[derive(Clone, Copy)]
enum Visits {
    Tiles,
    Source,
    /// The cells of an array, in a band.
    Cells {
        array: ArrayId,
        band: BandId,
    },
    /// The iterations of a band.
    Iterations(BandId),
    /// Those of one of its units.
    Unit(BandId),
}

impl<'a> Checker<'a> {
    fn require(&mut self, holds: bool, invariant: &str, what: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(format!("{invariant}: {}", what()));
        }
    }

    fn kernel(&mut self) {
        let kernel = self.kernel;
        for argument in &kernel.arguments {
            let is_there = match *argument {
                Argument::Parameter(p) => p < kernel.parameters.len(),
                Argument::Scalar(s) => s < kernel.scalars.len(),
                Argument::Array(a) => a < kernel.arrays.next_key(),
            };
            self.require(is_there, "kernel", || format!("there is no argument {argument:?}"));
        }
        for parameter in &kernel.parameters {
            let (min, max) = parameter.range();
            let default = parameter.default.unwrap_or(min);
            let holds = 0 <= min && min <= default && default <= max && parameter.max.is_some();
            self.require(holds, "kernel", || format!("the size {} from {min} to {max}", parameter.name));
        }
        for array in &kernel.arrays {
            let known = array.extents.iter().flat_map(|e| e.terms.keys()).all(|name| {
                kernel.parameters.iter().any(|p| p.name == *name) || kernel.quotients.iter().any(|q| q.name == *name)
            });
            self.require(known, "kernel", || format!("an extent of {}", array.name));
        }
        for (array, other) in kernel.arrays.iter_enumerated().filter_map(|(array, a)| Some((array, a.use_of?))) {
            let name = &kernel.arrays[array].name;
            let is_argument = kernel.arrays.get(other).is_some_and(|other| {
                let own = &kernel.arrays[array];
                let same = (other.order, other.element, &other.extents) == (own.order, own.element, &own.extents);
                same && other.use_of.is_none() && other.storage == Storage::Argument && own.storage == Storage::Argument
            });
            self.require(is_argument, "uses", || format!("{name} is a use of no such argument"));
            let statements = kernel.statements();
            for band in &self.offload.bands {
                let own = || band.statements.iter().filter_map(|s| statements.get(*s));
                let is_written = own().flat_map(|s| s.targets()).any(|access| kernel.memory_of(access.array) == other);
                let accesses = || own().flat_map(|s| s.references().into_iter().chain(s.targets()));
                let has_both = [array, other].iter().all(|a| accesses().any(|access| access.array == *a));
                self.require(!(is_written && has_both), "uses", || {
                    format!("{name} and what it is a use of have buffers of their own, and a band that writes has both")
                });
            }
            let passed = kernel.arguments.contains(&Argument::Array(array));
            self.require(!passed, "uses", || format!("{name} is a use, and an argument"));
        }
        let ports = &self.offload.ports;
        self.require(ports.is_empty() || ports.len() == kernel.arrays.len(), "ports", || {
            format!("{} ports for {} arrays", ports.len(), kernel.arrays.len())
        });
        for (array, port) in ports.iter_enumerated() {
            self.require(*port < MOST_PORTS, "ports", || format!("array {array} on port {port}"));
        }
        for step in &kernel.host {
            let register = step.scalar.is_none_or(|scalar| scalar < kernel.scalars.len());
            self.require(register, "kernel", || format!("the host's {} has no register", step.name));
        }
        for (statement, iterators) in kernel.statements().into_iter().zip(kernel.iterators()) {
            let arrays: BTreeSet<ArrayId> = statement.targets().map(|target| target.array).collect();
            let once = arrays.len() == 1 + statement.also.len();
            self.require(once, "kernel", || format!("{} writes an array twice", statement.name));
            for gather in statement.gathers() {
                let rank = kernel.arrays.get(gather.array).map(|array| array.extents.len());
                let is_sound = rank == Some(gather.subscripts.len());
                self.require(is_sound, "kernel", || format!("{} gathers from array {}", statement.name, gather.array));
            }
            let by_itself = statement.also.is_empty()
                && statement.scatter().is_none_or(|place| place.array == statement.target.array);
            self.require(statement.scatter().is_none() || by_itself, "kernel", || {
                format!("{} scatters to another array than its target, or writes several", statement.name)
            });
            for access in statement.accesses() {
                let Some(array) = kernel.arrays.get(access.array) else {
                    self.faults.push(format!("kernel: {} accesses array {}", statement.name, access.array));
                    continue;
                };
                let rank = access.subscripts.len() == array.extents.len();
                self.require(rank, "kernel", || format!("{} subscripts {}", statement.name, array.name));
                let is_known = |name: &String| {
                    iterators.contains(name)
                        || kernel.parameters.iter().any(|p| p.name == *name)
                        || kernel.quotients.iter().any(|q| q.name == *name)
                };
                let known = access.subscripts.iter().flat_map(|s| s.terms.keys()).all(is_known);
                self.require(known, "kernel", || format!("a subscript of {} in {}", array.name, statement.name));
            }
        }
    }

    fn statements(&mut self) {
        let count = self.kernel.statements().len();
        let mut all: Vec<StatementId> =
            self.offload.bands.iter().flat_map(|band| band.statements.iter().copied()).collect();
        all.sort();
        self.require(all.iter().map(|s| s.0).eq(0..count), "statements", || {
            format!("the bands have {all:?} of {count}")
        });
        for (number, band) in self.offload.bands.iter_enumerated() {
            let sizes = &band.tiling.sizes;
            let positive = !sizes.is_empty() && sizes.iter().all(|size| *size >= 1);
            self.require(positive, "statements", || format!("band {number} has tile sizes {sizes:?}"));
            let along = (1..=sizes.len()).contains(&band.tiling.strip);
            self.require(along, "statements", || {
                format!("strips of band {number} run along {} of {} dimensions", band.tiling.strip, sizes.len())
            });
            let one_each = band.tiling.schedules.len() == band.statements.len();
            self.require(one_each, "statements", || format!("band {number} has no θ per statement"));
            let long = band.tiling.schedules.iter().all(|schedule| schedule.theta.len() == sizes.len());
            self.require(long, "statements", || format!("θ of band {number} is not as long as its sizes"));
        }
    }

    fn all_scans(&self) -> Vec<(String, &'a Scan, Visits)> {
        let offload = self.offload;
        let mut scans = vec![
            ("tiles".to_string(), &offload.tiles, Visits::Tiles),
            ("the source's order".to_string(), &offload.source_order, Visits::Source),
        ];
        for (number, band) in offload.bands.iter_enumerated() {
            scans.push((format!("iterations of band {number}"), &band.compute.scan, Visits::Iterations(number)));
            if let Some(units) = &band.compute.units {
                scans.push((format!("iterations of a unit of band {number}"), &units.scan, Visits::Unit(number)));
            }
            for transfer in &band.transfers {
                let (array, cells) = (transfer.array, Visits::Cells { array: transfer.array, band: number });
                scans.push((format!("loads of array {array} in band {number}"), &transfer.load, cells));
                scans.push((format!("stores of array {array} in band {number}"), &transfer.store, cells));
            }
        }
        scans
    }

    /// Names that every level of a scan may use.
    fn context(&self, visits: Visits) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = self.kernel.parameters.iter().map(|p| p.name.clone()).collect();
        if let Visits::Cells { band, .. } | Visits::Iterations(band) | Visits::Unit(band) = visits {
            names.extend(self.kernel.tile_names(self.rank(band)));
        }
        if let Visits::Unit(band) = visits {
            names.extend(self.offload.bands[band].compute.units.iter().map(|units| units.name.clone()));
        }
        names
    }

    /// Tile indices of a band.
    fn rank(&self, band: BandId) -> usize {
        self.offload.bands.get(band).map_or(0, |band| band.tiling.sizes.len())
    }

    fn scans(&mut self) {
        for (name, scan, visits) in self.all_scans() {
            let context = self.context(visits);
            for (k, piece) in scan.pieces.iter().enumerate() {
                let next = scan.pieces.get(k + 1).map_or(0, |next| next.shared);
                self.shared(&name, k.checked_sub(1).map(|before| &scan.pieces[before]), piece);
                self.scope(&name, &context, piece, next);
                self.visited(&name, visits, piece);
            }
        }
    }

    fn shared(&mut self, scan: &str, before: Option<&Piece>, piece: &Piece) {
        let shared = piece.shared;
        let few = shared < piece.levels.len() && before.map_or(shared == 0, |before| shared <= before.levels.len());
        self.require(few, "shared", || format!("{scan}: {shared} of {} loops", piece.levels.len()));
        if let (true, Some(before)) = (few, before) {
            let equal = before.levels[..shared] == piece.levels[..shared];
            self.require(equal, "shared", || format!("{scan}: loops in common differ"));
        }
    }

    fn scope(&mut self, scan: &str, context: &BTreeSet<String>, piece: &Piece, shared_with_next: usize) {
        let mut known = context.clone();
        let mut unknown: Vec<String> = vec![];
        let mut check = |affine: &Affine, known: &BTreeSet<String>| {
            unknown.extend(affine.terms.keys().filter(|name| !known.contains(*name)).cloned());
        };
        let (mut bounded, mut distinct) = (true, true);
        let common = piece.shared.max(shared_with_next);
        if common == 0 {
            piece.guards.iter().for_each(|guard| check(guard, &known));
        }
        for (depth, level) in piece.levels.iter().enumerate() {
            bounded &= !level.lower.is_empty() && !level.upper.is_empty();
            for bound in level.lower.iter().chain(&level.upper) {
                bounded &= bound.divisor >= 1;
                check(&bound.numerator, &known);
            }
            distinct &= known.insert(level.name.clone());
            if depth + 1 == common {
                piece.guards.iter().for_each(|guard| check(guard, &known));
            }
        }
        piece.point.iter().chain(&piece.slacks).chain(&piece.parts).for_each(|value| check(value, &known));
        self.require(unknown.is_empty(), "scope", || format!("{scan}: {} there", unknown.join(", ")));
        self.require(distinct, "scope", || format!("{scan}: two loops have one name"));
        self.require(bounded, "bounds", || format!("{scan}: a loop without a bound, or a divisor below 1"));
        let ordered = piece.levels.iter().all(|level| level.range.0 <= level.range.1);
        self.require(ordered, "ranges", || format!("{scan}: an empty interval"));
    }

    fn visited(&mut self, scan: &str, visits: Visits, piece: &Piece) {
        let iterators = match visits {
            Visits::Source => self.written.iterators(),
            _ => self.kernel.iterators(),
        };
        let statement = piece.leaf.statement();
        let (leaf, is_there, indices) = match visits {
            Visits::Tiles => {
                (statement.0, piece.leaf.band() < self.offload.bands.next_key(), self.rank(piece.leaf.band()))
            }
            Visits::Source => {
                (statement.0, statement < iterators.next_key(), iterators.get(statement).map_or(0, Vec::len))
            }
            Visits::Cells { array, .. } => (
                array.0,
                array < self.kernel.arrays.next_key(),
                self.kernel.arrays.get(array).map_or(0, |a| a.extents.len()),
            ),
            Visits::Iterations(band) | Visits::Unit(band) => {
                let band = &self.offload.bands[band];
                let own = iterators.get(statement).map_or(0, Vec::len);
                (statement.0, band.statements.contains(&statement), own)
            }
        };
        self.require(is_there, "leaves", || format!("{scan}: there is no {leaf}"));
        let masks = match visits {
            Visits::Iterations(band) => self.offload.bands[band].lanes(statement).map_or(0, |shape| shape.masks.len()),
            _ => 0,
        };
        let slacks = piece.slacks.len() == masks;
        self.require(!is_there || slacks, "points", || format!("{scan}: {} slacks for {masks}", piece.slacks.len()));
        let digits = match visits {
            Visits::Cells { array, .. } => self.kernel.arrays.get(array).map(|array| array.layout()),
            _ => None,
        };
        let digits = digits.filter(|layout| layout.slices().is_some()).map_or(0, |layout| layout.digits.len());
        let parts = piece.parts.len() == digits;
        self.require(!is_there || parts, "points", || format!("{scan}: {} parts for {digits}", piece.parts.len()));
        let rank = piece.point.len() == indices;
        self.require(!is_there || rank, "points", || format!("{scan}: {} values for {indices}", piece.point.len()));
    }

    fn transfers(&mut self) {
        let (offload, kernel) = (self.offload, self.kernel);
        let mut waits_for_store = false;
        for (number, band) in offload.bands.iter_enumerated() {
            let arrays: BTreeSet<ArrayId> = band.transfers.iter().map(|transfer| transfer.array).collect();
            let once = arrays.len() == band.transfers.len();
            self.require(once, "transfers", || format!("band {number} moves an array twice"));
            let in_order = band.transfers.windows(2).all(|pair| pair[0].wait <= pair[1].wait);
            self.require(in_order, "transfers", || format!("band {number} loads what waits before what does not"));
            waits_for_store |= band.transfers.iter().any(|transfer| transfer.wait == Wait::Stored);
            let mapping = |array: ArrayId| {
                let buffer = offload.buffers.iter().find(|buffer| buffer.array == array);
                buffer.and_then(|buffer| buffer.mappings.get(number)?.as_ref())
            };
            let (mut stores_shared, mut unsafe_load) = (false, None);
            for transfer in band.transfers.iter().filter(|_| band.tiling.strip_indices() > 0) {
                let Some(mapping) = mapping(transfer.array) else { continue };
                let is_stored = !transfer.store.pieces.is_empty();
                let least = match (mapping.slots, is_stored) {
                    (1, true) => Wait::Stored,
                    (1, false) => Wait::Computed,
                    (_, true) if mapping.by_strips && !transfer.load.pieces.is_empty() => Wait::StoredBefore,
                    _ => Wait::Nothing,
                };
                stores_shared |= mapping.slots == 1 && is_stored;
                if transfer.wait < least {
                    unsafe_load = Some(transfer.array);
                }
            }
            self.require(!stores_shared || band.compute_waits, "transfers", || {
                format!("band {number} does not wait before it computes")
            });
            self.require(unsafe_load.is_none(), "transfers", || {
                format!("band {number} loads array {unsafe_load:?} where an earlier strip's cells may lie")
            });
        }
        self.require(!offload.strips_depend || waits_for_store, "transfers", || {
            "strips depend on each other, and none waits".to_string()
        });
        for (array, declaration) in kernel.arrays.iter_enumerated() {
            if let Storage::Local { transferred, .. } = declaration.storage {
                let moved = offload.bands.iter().flat_map(|band| &band.transfers).any(|t| t.array == array);
                self.require(moved == transferred, "transfers", || {
                    format!("the local {} is in memory", declaration.name)
                });
            }
        }
    }

    fn buffers(&mut self) {
        let (offload, kernel) = (self.offload, self.kernel);
        let arrays: BTreeSet<ArrayId> = offload.buffers.iter().map(|buffer| buffer.array).collect();
        self.require(arrays.len() == offload.buffers.len(), "buffers", || "an array has two buffers".to_string());
        let known = arrays.iter().all(|array| *array < kernel.arrays.next_key());
        self.require(known, "buffers", || "a buffer of no array".to_string());
        let statements = kernel.statements();
        for (number, band) in offload.bands.iter_enumerated() {
            let accessed = band
                .statements
                .iter()
                .filter_map(|s| statements.get(*s))
                .flat_map(|s| s.accesses().map(|a| a.array).chain(s.gathers().into_iter().map(|g| g.array)));
            for array in accessed.chain(band.transfers.iter().map(|transfer| transfer.array)) {
                let buffer = offload.buffers.iter().find(|buffer| buffer.array == array);
                let mapped = buffer.is_some_and(|b| b.mappings.get(number).is_some_and(|mapping| mapping.is_some()));
                self.require(mapped, "buffers", || format!("array {array} has no place in band {number}"));
            }
        }
        for buffer in offload.buffers.iter().filter(|buffer| buffer.array < kernel.arrays.next_key()) {
            let name = &kernel.arrays[buffer.array].name;
            let full = buffer.mappings.len() == offload.bands.len() && buffer.mappings.iter().any(Option::is_some);
            self.require(full && buffer.copies >= 1, "buffers", || format!("{name} has no copy, or no band"));
            let is_lent =
                !buffer.store_copy && gather_count(kernel, buffer.array) > 0 && kernel.is_written(buffer.array);
            self.require(!is_lent, "buffers", || format!("{name} has no port for its stores beside what is gathered"));
            for mapping in buffer.mappings.iter().flatten() {
                let rank = kernel.arrays[buffer.array].extents.len();
                let extents: Vec<Option<i64>> = (0..rank).map(|k| extent_below(kernel, buffer.array, k)).collect();
                let is_plain =
                    mapping.slots == 1 && mapping.skew.is_empty() && mapping.moduli.iter().all(|m| is_power(*m));
                let holds = is_sound(mapping, &extents) && (is_plain || !is_by_data(kernel, buffer.array));
                self.require(holds, "moduli", || format!("{name}: {mapping:?}"));
            }
            if self.faults.is_empty() {
                self.banks(buffer, name);
            }
        }
    }

    fn banks(&mut self, buffer: &Buffer, name: &str) {
        if buffer.banks.is_some() {
            let lanes: Vec<i64> = self.kernel.statements().keys().map(|s| self.offload.lane_count(s)).collect();
            let axes = buffer.bank_axes();
            let divides = axes.iter().all(|axis| {
                let modulus = |mapping: &Mapping| mapping.moduli.get(axis.subscript).copied();
                let mut moduli = buffer.mappings.iter().flatten().map(modulus);
                axis.count.count_ones() == 1 && moduli.all(|modulus| modulus.is_some_and(|m| m % axis.count == 0))
            });
            let apart = axes.windows(2).all(|pair| pair[0].subscript < pair[1].subscript);
            let in_two = self.offload.bands.iter().any(|band| band.is_in_two());
            let shared = match buffer.skewed {
                true => !in_two && axes.iter().any(|axis| axis.count == buffer.bank_count()) && self.are_lines(buffer),
                // Where all lanes access the same cells, the banks are for beats of memory only.
                false => in_two || axes.len() == 1 && [1, buffer.bank_count()].contains(&self.longest_line(buffer)),
            };
            let holds = divides && apart && shared && buffer.partition.is_none();
            self.require(holds, "banks", || format!("{name}: {axes:?} for {lanes:?} lanes"));
        }
        if let Some(partition) = &buffer.partition {
            let mut mappings = buffer.mappings.iter().flatten();
            let holds = mappings.all(|mapping| fits(partition, mapping));
            self.require(holds, "banks", || format!("{name}: {partition:?}"));
        }
    }

    /// Neighbours from the first to the last cell that lanes along one dimension access at once, a power of two; 1 where all access the same.
    fn longest_line(&self, buffer: &Buffer) -> i64 {
        let (statements, iterators) = (self.kernel.statements(), self.kernel.iterators());
        let mut longest = 0;
        for (s, shape) in statements.keys().filter_map(|s| Some((s, self.offload.lanes(s)?))) {
            let references = statements[s].references().into_iter().chain(statements[s].targets());
            for subscript in references.filter(|access| access.array == buffer.array).flat_map(|own| &own.subscripts) {
                longest = longest.max(shape.gain(subscript, &iterators[s])[0].abs() * (shape.count - 1));
            }
        }
        power_of_two(longest + 1)
    }

    /// Whether every access of the lanes lies along one of the subscripts that skewed storage has banks of, at most, as many cells
    /// as there are banks.
    fn are_lines(&self, buffer: &Buffer) -> bool {
        let (statements, iterators) = (self.kernel.statements(), self.kernel.iterators());
        let axes = buffer.bank_axes();
        statements.keys().filter_map(|s| Some((s, self.offload.lanes(s)?))).all(|(s, shape)| {
            let references = statements[s].references().into_iter().chain(statements[s].targets());
            references.filter(|access| access.array == buffer.array).all(|access| {
                let gain = |subscript: &Affine| shape.gain(subscript, &iterators[s])[0];
                let moving: Vec<usize> =
                    (0..access.subscripts.len()).filter(|&k| gain(&access.subscripts[k]) != 0).collect();
                match moving[..] {
                    [] => true,
                    [one] => {
                        let all = axes.iter().any(|axis| (axis.subscript, axis.count) == (one, buffer.bank_count()));
                        all && gain(&access.subscripts[one]).abs() * (shape.count - 1) < buffer.bank_count()
                    }
                    _ => false,
                }
            })
        })
    }

    fn windows(&mut self) {
        let statements = self.kernel.statements();
        for window in &self.offload.windows {
            let Some(statement) = statements.get(window.statement) else {
                self.faults.push(format!("windows: there is no statement {}", window.statement));
                continue;
            };
            let references = statement.references();
            let is_read = |subscripts: &Vec<Affine>| {
                references.iter().any(|r| r.array == window.array && r.subscripts == *subscripts)
            };
            let read = is_read(&window.leader) && window.followers.iter().all(|f| is_read(&f.subscripts));
            self.require(read, "windows", || format!("{} does not read what slides", statement.name));
            self.require(follows(window), "windows", || format!("{}: delays of {window:?}", statement.name));
            let written = statement.writes_to(window.array);
            self.require(!written, "windows", || format!("{} writes what slides", statement.name));
            let port = port_references(self.kernel, &self.offload.windows, window.statement);
            let leads = port.iter().any(|r| r.array == window.array && r.subscripts == window.leader);
            self.require(leads, "windows", || format!("{}: the leader has no port", statement.name));
        }
    }

    fn lanes(&mut self) {
        let (iterators, statements) = (self.kernel.iterators(), self.kernel.statements());
        for (number, band) in self.offload.bands.iter_enumerated() {
            let Some(lanes) = &band.compute.lanes else { continue };
            let is_power = |count: i64| count >= 1 && count.count_ones() == 1;
            let most = lanes.per_statement.iter().flatten().map(|shape| shape.count).max();
            self.require(most == Some(lanes.count) && lanes.count >= 2, "lanes", || {
                format!("band {number} has {most:?}")
            });
            let each = lanes.per_statement.len() == band.statements.len();
            self.require(each, "lanes", || format!("band {number} has {} shapes", lanes.per_statement.len()));
            let in_lanes = |(&s, shape): (_, &'a Option<LaneShape>)| Some((s, shape.as_ref()?));
            for (s, shape) in band.statements.iter().zip(&lanes.per_statement).filter_map(in_lanes) {
                let power =
                    shape.count >= 2 && is_power(shape.count) && is_power(shape.inner) && shape.inner < shape.count;
                self.require(power, "lanes", || format!("{} has {}", statements[s].name, shape.count));
                let all = iterators[s].len();
                let own = [all, shape.masks.len()];
                let (first, second) = ([&shape.steps, &shape.masks], [&shape.inner_steps, &shape.inner_masks]);
                let second_is_own =
                    if shape.inner > 1 { second.map(Vec::len) == own } else { second.map(Vec::len) == [0; 2] };
                let own = first.map(Vec::len) == own && second_is_own;
                self.require(own, "lanes", || format!("{} has another number of steps", statements[s].name));
                let dimensions: &[&Vec<i64>] =
                    &[&shape.steps, &shape.inner_steps][..if shape.inner > 1 { 2 } else { 1 }];
                for steps in dimensions.iter().filter(|_| own) {
                    let gains = |affine: &Affine| affine.gain(&iterators[s], steps);
                    let moves = |t: &Access| t.subscripts.iter().any(|subscript| gains(subscript) != 0);
                    let moves = statements[s].targets().all(moves);
                    self.require(moves != shape.reduction.is_some(), "lanes", || {
                        format!(
                            "lanes of {} update one cell without a reduction, or several with one",
                            statements[s].name
                        )
                    });
                }
            }
        }
    }

    /// Walks the ends of all loops, for the smallest, the usual and the largest sizes.
    fn samples(&mut self) {
        let kernel = self.kernel;
        let usual = |p: &crate::source::kernel::SizeParameter| p.default.unwrap_or(p.range().1.min(p.min + 37));
        let choices: [&dyn Fn(&crate::source::kernel::SizeParameter) -> i64; 3] =
            [&|p| p.range().0, &usual, &|p| p.range().1];
        for choose in choices {
            let sizes: BTreeMap<String, i64> = kernel.parameters.iter().map(|p| (p.name.clone(), choose(p))).collect();
            if kernel.refusal(|name| sizes.get(name).copied().unwrap_or(0)).is_some() {
                continue;
            }
            let mut left = SAMPLES;
            let mut values = Values::new(&sizes);
            if !self.arguments_exist(&values) {
                continue;
            }
            let mut corners: Vec<(BandId, Vec<i64>)> = vec![];
            self.ends("tiles", &self.offload.tiles.pieces, &mut values, &mut left, &mut |_, piece, values| {
                corners.push((piece.leaf.band(), piece.point.iter().map(|index| values.evaluate(index)).collect()));
            });
            self.ends(
                "the source's order",
                &self.offload.source_order.pieces,
                &mut values,
                &mut left,
                &mut |c, p, v| {
                    let point: Vec<i64> = p.point.iter().map(|value| v.evaluate(value)).collect();
                    c.accesses(c.written, p.leaf.statement(), &point, v);
                },
            );
            for (band, tile) in corners.iter().take(8) {
                let place = values.enter_tile(kernel, tile);
                self.in_tile(*band, &mut values, &mut left);
                values.stack.truncate(place);
            }
            self.alive(&mut values);
            self.rows_are_apart(&mut values);
            self.written_once(&mut values);
            self.units_share(&mut values);
        }
    }

    /// The scans of one tile.
    fn in_tile(&mut self, number: BandId, values: &mut Values, left: &mut usize) {
        let band = &self.offload.bands[number];
        self.ends("iterations", &band.compute.scan.pieces, values, left, &mut |checker, piece, values| {
            let point: Vec<i64> = piece.point.iter().map(|value| values.evaluate(value)).collect();
            let slacks: Vec<i64> = piece.slacks.iter().map(|value| values.evaluate(value)).collect();
            for iterators in running(&point, &slacks, band.lanes(piece.leaf.statement())) {
                checker.accesses(checker.kernel, piece.leaf.statement(), &iterators, values);
            }
        });
        for transfer in &band.transfers {
            for scan in [&transfer.load, &transfer.store] {
                self.ends("transfers", &scan.pieces, values, left, &mut |checker, piece, values| {
                    let cell: Vec<i64> = piece.point.iter().map(|value| values.evaluate(value)).collect();
                    checker.cell(transfer.array, &cell, values);
                    let parts: Vec<i64> = piece.parts.iter().map(|value| values.evaluate(value)).collect();
                    checker.parts(transfer.array, &cell, &parts);
                });
                self.apart(number, transfer.array, scan, values);
            }
        }
    }

    /// Calls `act` where every loop has its first or its last value, and checks the loops' intervals on the way.
    fn ends(
        &mut self,
        scan: &str,
        pieces: &'a [Piece],
        values: &mut Values,
        left: &mut usize,
        act: &mut dyn FnMut(&mut Self, &'a Piece, &Values),
    ) {
        for piece in pieces {
            // Each piece has its part, so that none goes unseen.
            let own = (*left / pieces.len()).min(64);
            let mut ends = Ends { checker: self, scan, left: own, act };
            let _ = walk(std::slice::from_ref(piece), values, &mut ends);
            *left -= own - ends.left;
        }
    }

    /// Whether all arguments have cells. At sizes where one has none there is no such array in C, so that no caller has
    /// them, and nothing is known of the accesses to the others.
    fn arguments_exist(&self, values: &Values) -> bool {
        let arguments = self.kernel.arrays.iter().filter(|array| array.storage == Storage::Argument);
        arguments.flat_map(|array| &array.extents).all(|extent| values.evaluate(extent) > 0)
    }

    /// A cell lies in its array, if that has any.
    fn cell(&mut self, array: ArrayId, cell: &[i64], values: &Values) {
        let declaration = &self.kernel.arrays[array];
        let extents: Vec<i64> = declaration.extents.iter().map(|extent| values.evaluate(extent)).collect();
        let exists = extents.iter().all(|extent| *extent > 0);
        let inside = !exists || cell.iter().zip(&extents).all(|(x, extent)| (0..*extent).contains(x));
        self.require(inside, "cells", || format!("{}{cell:?} is outside", declaration.name));
    }

    /// The digits of a cell's place are those of its array's layout.
    fn parts(&mut self, array: ArrayId, cell: &[i64], parts: &[i64]) {
        let declaration = &self.kernel.arrays[array];
        let digits = declaration.layout().digits;
        let is_digit = |(digit, part): (&Digit, &i64)| {
            let value = cell.get(digit.subscript).and_then(|value| u64::try_from(*value).ok());
            value.map(|value| digit.part.of(value)) == u64::try_from(*part).ok()
        };
        let right = digits.iter().zip(parts).all(is_digit);
        self.require(right, "parts", || format!("{}{cell:?} has the digits {parts:?}", declaration.name));
    }

    /// What an iteration accesses lies in its arrays.
    fn accesses(&mut self, kernel: &Kernel, statement: StatementId, iterators: &[i64], sizes: &Values) {
        let names = &kernel.iterators()[statement];
        let mut values = sizes.clone();
        values.stack.extend(names.iter().cloned().zip(iterators.iter().copied()));
        for quotient in &kernel.quotients {
            let in_scope = |name: &String| values.stack.iter().any(|(known, _)| known == name);
            if quotient.numerator.terms.keys().all(in_scope) {
                let value = quotient.of(values.evaluate(&quotient.numerator));
                values.stack.push((quotient.name.clone(), value));
            }
        }
        let statement = kernel.statements()[statement];
        let unguarded = |access: &&Access| access.guard.is_none();
        for access in statement.accesses().filter(unguarded) {
            let cell: Vec<i64> = access.subscripts.iter().map(|subscript| values.evaluate(subscript)).collect();
            self.cell(access.array, &cell, &values);
        }
    }

    /// Cells that are in the buffer at one time have different places.
    fn apart(&mut self, band: BandId, array: ArrayId, scan: &Scan, values: &mut Values) {
        let buffer = self.offload.buffers.iter().find(|buffer| buffer.array == array);
        let Some(mapping) = buffer.and_then(|buffer| buffer.mappings[band].as_ref()) else { return };
        let mut places: BTreeMap<Vec<i64>, Vec<i64>> = BTreeMap::new();
        let mut clash = None;
        let act = |piece: &Piece, values: &Values| {
            let cell: Vec<i64> = piece.point.iter().map(|value| values.evaluate(value)).collect();
            let place = mapping.skewed(&cell).iter().zip(&mapping.moduli).map(|(y, m)| y.rem_euclid(*m)).collect();
            if let Some(other) = places.insert(place, cell.clone()) {
                clash = Some((other, cell));
            }
        };
        let mut first = First { left: CELLS, act };
        for piece in &scan.pieces {
            let _ = walk(std::slice::from_ref(piece), values, &mut first);
        }
        let name = &self.kernel.arrays[array].name;
        self.require(clash.is_none(), "apart", || format!("{name}: {clash:?} in one place"));
    }
}

/// Looks at the ends of all loops, as long as nothing is wrong.
struct Ends<'c, 'a, 's> {
    checker: &'c mut Checker<'a>,
    scan: &'s str,
    /// Points that are looked at.
    left: usize,
    act: &'s mut dyn FnMut(&mut Checker<'a>, &'a Piece, &Values),
}

impl<'a> Visitor<'a> for Ends<'_, 'a, '_> {
    fn arrive(&mut self, _: &'a Piece, _: usize) -> ControlFlow<()> {
        match self.left == 0 || !self.checker.faults.is_empty() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn enter(&mut self, piece: &'a Piece, depth: usize, (low, high): (i64, i64)) -> Which {
        let level = &piece.levels[depth];
        // Guards further in may keep values of a loop around several pieces from it.
        let inside = level.range.0 <= low && high <= level.range.1;
        self.checker.require(low > high || guard_depth(piece) > depth || inside, "ranges", || {
            format!("{}: {} from {low} to {high} is not in {:?}", self.scan, level.name, level.range)
        });
        Which::Ends
    }

    fn point(&mut self, piece: &'a Piece, values: &mut Values) -> ControlFlow<()> {
        self.left -= 1;
        (self.act)(self.checker, piece, values);
        ControlFlow::Continue(())
    }
}

/// Looks at the first points of pieces.
struct First<F> {
    /// Points and iterations that are looked at: loops whose inside is empty count too.
    left: usize,
    act: F,
}

impl<'a, F: FnMut(&'a Piece, &Values)> Visitor<'a> for First<F> {
    fn arrive(&mut self, _: &'a Piece, _: usize) -> ControlFlow<()> {
        let Some(left) = self.left.checked_sub(1) else { return ControlFlow::Break(()) };
        self.left = left;
        ControlFlow::Continue(())
    }

    fn point(&mut self, piece: &'a Piece, values: &mut Values) -> ControlFlow<()> {
        self.left = self.left.saturating_sub(1);
        (self.act)(piece, values);
        ControlFlow::Continue(())
    }
}

/// The iterators of every lane that runs at a point.
fn running(point: &[i64], slacks: &[i64], lanes: Option<&LaneShape>) -> Vec<Vec<i64>> {
    let Some(shape) = lanes else { return vec![point.to_vec()] };
    let running = (0..shape.count).filter(|lane| shape.runs(slacks, *lane));
    running.map(|lane| shape.iterators(point, lane)).collect()
}

fn is_power(value: i64) -> bool {
    value >= 1 && value.count_ones() == 1
}

/// `extents` are what the subscripts stay below.
fn is_sound(mapping: &Mapping, extents: &[Option<i64>]) -> bool {
    let rank = extents.len();
    let Mapping { moduli, exact_moduli, skew, slots, by_strips, .. } = mapping;
    let moduli_fit = moduli.len() == rank && exact_moduli.len() == rank;
    let is_whole = |k: usize| *slots == 1 && skew.is_empty() && extents[k].is_some_and(|extent| extent <= moduli[k]);
    let large = moduli.iter().zip(exact_moduli).enumerate().all(|(k, (modulus, exact))| {
        (is_power(*modulus) || is_whole(k)) && (modulus >= exact || is_whole(k)) && *exact >= 1
    });
    let triangular = skew
        .iter()
        .enumerate()
        .all(|(k, row)| row.len() == rank && row[k] == 1 && row[k + 1..].iter().all(|entry| *entry == 0));
    let slots_fit = if *by_strips { *slots == 2 } else { is_power(*slots) || *slots == 3 };
    moduli_fit && large && slots_fit && triangular && (skew.is_empty() || skew.len() == rank)
}

fn fits(partition: &Partition, mapping: &Mapping) -> bool {
    let Partition { count, weights, along } = partition;
    let in_range = is_power(*count) && weights.iter().all(|weight| (0..*count).contains(weight));
    let whole = weights.iter().zip(&mapping.moduli).all(|(weight, modulus)| weight * modulus % count == 0);
    let left_out = weights.get(*along).zip(mapping.moduli.get(*along));
    in_range
        && weights.len() == mapping.moduli.len()
        && whole
        && left_out.is_some_and(|(weight, modulus)| weight % 2 == 1 && modulus % count == 0)
}

fn follows(window: &Window) -> bool {
    !window.followers.is_empty() && window.followers.iter().all(|follower| follower.delay >= 1)
}
