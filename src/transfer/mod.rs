//! What each tile moves: Load(T) before it runs and Store(T) after it, with reuse inside a strip (RR-7697 section 3;
//! section 4 where some writes happen for some data only).
//!
//! `X(t < T)` is the union of `X` over the earlier tiles *of the same strip*. Both formulations of the paper are
//! computed, and must agree.

pub mod dead;
#[cfg(test)]
mod tests;
pub mod validity;

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use crate::affine::Affine;
use crate::ids::ArrayId;
use crate::polyhedral::isl::{Map, Tuple};
use crate::polyhedral::{Access, Program, Touch};
use crate::source::kernel::Kernel;
use crate::tiling::Band;

/// The data flow of one array through the tiles of a band. Every map is `[N] -> { T[T0, T1] -> c[m] }`.
#[derive(Clone)]
pub struct ArrayFlow {
    /// Index into `Kernel::arrays`.
    pub array: ArrayId,
    /// All cells that the tile touches.
    pub accessed: Map,
    /// In(T): cells that the tile may read before it surely writes them.
    pub live_in: Map,
    /// Out(T): cells that the tile may write.
    pub out: Map,
    /// The part of Out(T) that the tile writes whatever the data; `None` where it is all of it.
    pub sure_out: Option<Map>,
    pub load: Map,
    pub store: Map,
    /// What Theorem 1 would store as well, and nobody would load: see [`dead`].
    pub dead: Option<Map>,
}

impl ArrayFlow {
    /// The cells that the tile writes whatever the data.
    pub fn sure_out(&self) -> &Map {
        self.sure_out.as_ref().unwrap_or(&self.out)
    }

    /// The flow of the cells of both, which have none in common. What isl joins of planes that begin elsewhere takes products to
    /// scan: it may join what is written, which is alike in all planes as a rule, and not what is read beside it.
    fn union(&self, other: &ArrayFlow) -> Result<ArrayFlow> {
        let union = |one: &Map, other: &Map| one.union(other)?.coalesce();
        let sure_out = match (&self.sure_out, &other.sure_out) {
            (None, None) => None,
            _ => Some(union(self.sure_out(), other.sure_out())?),
        };
        Ok(ArrayFlow {
            array: self.array,
            accessed: union(&self.accessed, &other.accessed)?,
            live_in: self.live_in.union(&other.live_in)?,
            out: union(&self.out, &other.out)?,
            sure_out,
            load: self.load.union(&other.load)?,
            store: union(&self.store, &other.store)?,
            dead: None,
        })
    }
}

/// `{ D[d0, d1] -> c[m] }`: what a band does with one array.
struct Accesses {
    reads: Map,
    writes: Map,
    /// The writes that happen whatever the data; `None` where that are all.
    sure_writes: Option<Map>,
}

impl Accesses {
    /// Those that `is_one` lets through; `None` where the band has none.
    fn of(
        program: &Program,
        band: &Band,
        array: ArrayId,
        is_one: impl Fn(&Access) -> bool,
    ) -> Result<Option<Accesses>> {
        let of = |touch| band.accesses(program, array, touch, &is_one);
        let (reads, writes) = match (of(Touch::Read)?, of(Touch::Write)?) {
            (None, None) => return Ok(None),
            (Some(reads), None) => (reads.clone(), reads.subtract(&reads)?),
            (None, Some(writes)) => (writes.subtract(&writes)?, writes),
            (Some(reads), Some(writes)) => (reads, writes),
        };
        let sure_writes = match of(Touch::SureWrite)? {
            Some(sure) if !sure.is_equal(&writes)? => Some(sure),
            _ => None,
        };
        Ok(Some(Accesses { reads, writes, sure_writes }))
    }

    fn all(program: &Program, band: &Band, array: ArrayId) -> Result<Option<Accesses>> {
        Accesses::of(program, band, array, |_| true)
    }

    /// The accesses in parts whose cells differ in a subscript that is a constant wherever the band accesses the array:
    /// planes, or the fields of a structure, have nothing to do with each other.
    fn by_constants(program: &Program, band: &Band, array: ArrayId) -> Result<Vec<Accesses>> {
        let of_array = |access: &&Access| access.array == array;
        let accesses = || band.statements.iter().flat_map(|s| program.statements[*s].accesses.iter().filter(of_array));
        let dimensions = 0..accesses().map(|access| access.written.len()).min().unwrap_or(0);
        let is_constant = |k: &usize| accesses().all(|access| access.constant(*k).is_some());
        let dimensions: Vec<usize> = dimensions.filter(is_constant).collect();
        let plane = |access: &Access| dimensions.iter().map(|k| access.constant(*k)).collect::<Vec<_>>();
        let planes: BTreeSet<Vec<Option<i64>>> = accesses().map(plane).collect();
        let parts = planes.iter().map(|own| Accesses::of(program, band, array, |access| plane(access) == *own));
        Ok(parts.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    fn sure_writes(&self) -> &Map {
        self.sure_writes.as_ref().unwrap_or(&self.writes)
    }
}

/// Load and Store of every array that the band touches.
///
/// # Errors
/// An internal error where Theorems 1 and 2 differ.
pub fn plan(program: &Program, band: &Band, kernel: &Kernel) -> Result<Vec<ArrayFlow>> {
    let mut flows = vec![];
    for (array, declaration) in kernel.arrays.iter_enumerated() {
        flows.extend(flow(program, band, array, &declaration.name)?);
    }
    Ok(flows)
}

fn flow(program: &Program, band: &Band, array: ArrayId, name: &str) -> Result<Option<ArrayFlow>> {
    let has_many = band.statements.len() > FEW_STATEMENTS;
    let parts = match has_many {
        true => Accesses::by_constants(program, band, array)?,
        false => Accesses::all(program, band, array)?.into_iter().collect(),
    };
    let of = |part: &Accesses| -> Result<ArrayFlow> {
        let mut flow = by_theorems(band, array, part, has_many)?;
        if let Some((load, store)) = band.isl.within(CHECK_OPERATIONS, || checked(band, &flow, part, name))? {
            flow.load = simpler(flow.load, load)?;
            flow.store = simpler(flow.store, store)?;
        }
        Ok(flow)
    };
    let flows = parts.iter().map(of).collect::<Result<Vec<_>>>()?;
    let Some((first, others)) = flows.split_first() else { return Ok(None) };
    others.iter().try_fold(first.clone(), |all, other| all.union(other)).map(Some)
}

/// The flow by Theorem 1 or 6.
fn by_theorems(band: &Band, array: ArrayId, accesses: &Accesses, has_many: bool) -> Result<ArrayFlow> {
    let instances = &match has_many {
        // Only those that touch the array: what follows goes over their pieces, and over pairs of them.
        true => band.instances.intersect_range(&accesses.reads.union(&accesses.writes)?.domain()?)?,
        // The fewer pieces, the better: those that touch it may be more.
        false => band.instances.clone(),
    };
    let live_in = match has_many {
        true => live_in_by_cells(instances, &accesses.reads, accesses.sure_writes())?,
        false => live_in(instances, &accesses.reads, accesses.sure_writes())?,
    };
    let out = instances.apply_range(&accesses.writes)?.coalesce()?;
    let sure_out = accesses.sure_writes.as_ref().map(|sure| instances.apply_range(sure)?.coalesce()).transpose()?;
    let accessed = instances.apply_range(&accesses.reads.union(&accesses.writes)?)?.coalesce()?;
    let (load, store) = by_sets(band, &live_in, &out, sure_out.as_ref())?;
    Ok(ArrayFlow { array, accessed, live_in, out, sure_out, load, store, dead: None })
}

/// Bands of so many statements have few pairs of pieces, whatever an array's part in them.
const FEW_STATEMENTS: usize = 8;

/// isl's operations for the check of one array; a tenth of a second or so. Sets in very many pieces go unchecked.
const CHECK_OPERATIONS: u64 = 40_000;

/// Load and Store by lexicographic minimum, which must be those of `flow`, which must be valid and exact.
fn checked(band: &Band, flow: &ArrayFlow, accesses: &Accesses, name: &str) -> Result<(Map, Map)> {
    let (load, store) = Operations::new(band)?.by_minimum(band, accesses)?;
    for (what, sets, minimum) in [("load", &flow.load, &load), ("store", &flow.store, &store)] {
        if !sets.is_equal(minimum)? {
            bail!("internal error: sets and minima give different {what} sets: {sets} and {minimum}");
        }
    }
    validity::require_exact(band, flow, &load, &store, name)?;
    Ok((load, store))
}

/// `[N] -> { [Strip[T0] -> c[m]] -> S0[i, j] }`, one per statement of the band: the iteration that reads the cell first
/// in the strip (RR-7697 section 2.2).
pub fn first_read(program: &Program, band: &Band, array: ArrayId) -> Result<Vec<Map>> {
    match Accesses::all(program, band, array)? {
        Some(accesses) => Operations::new(band)?.instances_at(band, |o| o.dates(&accesses.reads, 0)?.lexmin()),
        None => Ok(vec![]),
    }
}

/// The same with the iteration that may write the cell last.
pub fn last_write(program: &Program, band: &Band, array: ArrayId) -> Result<Vec<Map>> {
    match Accesses::all(program, band, array)? {
        Some(accesses) => Operations::new(band)?.instances_at(band, |o| o.dates(&accesses.writes, 0)?.lexmax()),
        None => Ok(vec![]),
    }
}

/// Of two equal relations, the one in fewer pieces.
fn simpler(one: Map, other: Map) -> Result<Map> {
    Ok(if other.wrap()?.pieces()?.len() < one.wrap()?.pieces()?.len() { other } else { one })
}

/// In(T): `{ T -> c[x] }` with a read of x in T that no sure write of x in T comes before. Reads of an instance come
/// before its write.
fn live_in(instances: &Map, reads: &Map, sure_writes: &Map) -> Result<Map> {
    // Instances as `[T -> D]`, so that the tile is a dimension and needs no floors.
    let (tile, instance) = (instances.domain_map()?, instances.range_map()?);
    let date = instance.clone();
    let after = date.lex_gt_map(&date)?.intersect(&tile.apply_range(&tile.reverse()?)?)?;
    let written_before = after.apply_range(&instance.apply_range(sure_writes)?)?;
    let exposed = instance.apply_range(reads)?.subtract(&written_before)?;
    tile.reverse()?.apply_range(&exposed)?.coalesce()
}

/// The same where instances are many pieces: pairs of them that touch a cell both are few among all pairs.
fn live_in_by_cells(instances: &Map, reads: &Map, sure_writes: &Map) -> Result<Map> {
    let (tile, instance) = (instances.domain_map()?, instances.range_map()?);
    let (reads, writes) = (instance.apply_range(reads)?, instance.apply_range(sure_writes)?);
    // `{ [[T -> D] -> c] -> [T -> D'] }`, D' before D, of all that there could be.
    let all = instances.universe()?;
    let (of_tile, date) = (all.domain_map()?, all.range_map()?);
    let after = date.lex_gt_map(&date)?.intersect(&of_tile.apply_range(&of_tile.reverse()?)?)?;
    let after = reads.universe()?.domain_map()?.apply_range(&after)?;
    let written_before = reads.range_map()?.apply_range(&writes.reverse()?)?.intersect(&after)?.domain()?;
    let exposed = reads.wrap()?.subtract(&written_before)?.unwrap()?;
    tile.reverse()?.apply_range(&exposed)?.coalesce()
}

/// RR-7697 Theorem 1: `Load(T) = In(T) \ (In(t < T) ∪ Out(t < T))` and `Store(T) = Out(T) \ Out(t > T)` are valid and
/// exact where all of Out(T) is written whatever the data.
///
/// Theorem 6 where `sure_out` is less: what is stored but perhaps not written must be loaded, as if the store read it,
/// and it is loaded before the first tile that may write it:
/// ```text
/// In'(T)  = In(T) ∪ (Store(T) \ sure_out(T))
/// Ra(T)   = In'(T) \ sure_out(t < T)
/// Load(T) = (In'(T) ∪ (Out(T) ∩ Ra(t > T))) \ (In'(t < T) ∪ Out(t < T))
/// ```
pub fn by_sets(band: &Band, live_in: &Map, out: &Map, sure_out: Option<&Map>) -> Result<(Map, Map)> {
    let store = out.subtract(&band.later.apply_range(out)?)?.coalesce()?;
    let Some(sure_out) = sure_out else {
        let before = band.earlier.apply_range(&live_in.union(out)?)?;
        return Ok((live_in.subtract(&before)?.coalesce()?, store));
    };
    let demand = demand(live_in, &store, sure_out)?;
    let remote = demand.subtract(&band.earlier.apply_range(sure_out)?)?;
    let ahead = out.intersect(&band.later.apply_range(&remote)?)?;
    let before = band.earlier.apply_range(&demand.union(out)?)?;
    Ok((demand.union(&ahead)?.subtract(&before)?.coalesce()?, store))
}

/// In'(T) of RR-7697 Theorem 5: what the tile reads, and what its store reads.
fn demand(live_in: &Map, store: &Map, sure_out: &Map) -> Result<Map> {
    live_in.union(&store.subtract(sure_out)?)
}

/// The operations of a strip in their tiled order, for parametric minima over them.
struct Operations {
    /// `{ [T -> D] -> D }`
    instance: Map,
    /// `{ [T -> D] -> Strip }`
    strip: Map,
    /// `{ [T -> D] -> [step, d0, d1, …] }`
    date: Map,
    /// The dimensions of a step: those that the strip runs along.
    steps: usize,
    /// The dimensions of `D`.
    depth: usize,
}

impl Operations {
    fn new(band: &Band) -> Result<Self> {
        let (tile, instance) = (band.instances.domain_map()?, band.instances.range_map()?);
        let strip = tile.apply_range(&band.strip)?;
        let date = tile.apply_range(&band.step)?.flat_range_product(&instance)?;
        let depth = band.instances.range()?.dimensions()?;
        Ok(Operations { instance, strip, date, steps: band.directive.strip, depth })
    }

    /// `{ [Strip -> c[m]] -> [step, t0, t1, …, rank] }`: when the strip's operations touch the cell. `rank` orders the
    /// accesses of one instance: reads 0, write 1.
    fn dates(&self, accesses: &Map, rank: i64) -> Result<Map> {
        let instance_and_date = self.date.flat_range_product(&self.ranked(rank)?)?;
        self.strip.range_product(&self.instance.apply_range(accesses)?)?.reverse()?.apply_range(&instance_and_date)
    }

    /// `{ [T -> D] -> [rank] }`
    fn ranked(&self, rank: i64) -> Result<Map> {
        let names: Vec<String> = (0..self.depth).map(|k| format!("d{k}")).collect();
        let tuple = Tuple { name: "D", dimensions: &names };
        let constant = self.date.context().function(&[], tuple, Tuple::anonymous(), &[Affine::constant(rank)])?;
        self.instance.apply_range(&constant)
    }

    /// RR-7697 Theorem 2: Load(T) holds the cells whose first access in the strip is a read made in T, Store(T) the
    /// cells whose last write is in T. The first access is a parametric lexicographic minimum over strip and cell;
    /// turning cells from parameters into unknowns inverts it (section 2.2.2).
    ///
    /// Theorem 7 where some writes are not sure: Load(T) holds the cells of which no sure write comes before all reads,
    /// and whose first access at all is in T.
    fn by_minimum(&self, band: &Band, accesses: &Accesses) -> Result<(Map, Map)> {
        let reads = self.dates(&accesses.reads, 0)?;
        let first = reads.union(&self.dates(accesses.sure_writes(), 1)?)?.lexmin()?;
        let load = match &accesses.sure_writes {
            None => first.fix_output(self.steps + self.depth, 0)?,
            Some(_) => {
                let replaced = first.fix_output(self.steps + self.depth, 1)?.domain()?;
                let any = reads.union(&self.dates(&accesses.writes, 1)?)?.lexmin()?;
                any.subtract(&any.intersect_domain(&replaced)?)?
            }
        };
        let last_write = self.dates(&accesses.writes, 1)?.lexmax()?;
        Ok((in_tile(band, &load)?, in_tile(band, &last_write)?))
    }

    /// The instances at the dates `[step, d0, d1, …, rank]` that `choose` gives for every strip and cell.
    fn instances_at(&self, band: &Band, choose: impl Fn(&Self) -> Result<Map>) -> Result<Vec<Map>> {
        let dates =
            choose(self)?.project_out_outputs(self.steps + self.depth, 1)?.project_out_outputs(0, self.steps)?;
        let names: Vec<String> = (0..self.depth).map(|k| format!("d{k}")).collect();
        let values: Vec<Affine> = names.iter().map(Affine::variable).collect();
        let to_d = band.isl.function(&[], Tuple::unnamed(&names), Tuple { name: "D", dimensions: &names }, &values)?;
        let instances = dates.apply_range(&to_d)?;
        band.dates.iter().map(|dates| instances.apply_range(&dates.reverse()?)?.coalesce()).collect()
    }
}

/// `{ [Strip -> c] -> [step, …] }` as `{ T -> c }`.
fn in_tile(band: &Band, dates: &Map) -> Result<Map> {
    let step = band.directive.strip;
    let rest = dates.range()?.dimensions()? - step;
    let steps = dates.project_out_outputs(step, rest)?;
    // `Strip -> [c -> [step]]` after `T -> Strip`; then only the step in which T runs.
    let any_step = band.strip.apply_range(&steps.curry()?)?.uncurry()?;
    let own_step = any_step.domain()?.unwrap()?.domain_map()?.apply_range(&band.step)?;
    any_step.intersect(&own_step)?.domain()?.unwrap()?.coalesce()
}
