//! What each tile moves: Load(T) before it runs and Store(T) after it, with reuse inside a strip (RR-7697 section 3).
//!
//! `X(t < T)` is the union of `X` over the earlier tiles *of the same strip*. Both formulations of the paper are
//! computed, and must agree.

pub mod validity;

use anyhow::{Result, bail};

use crate::affine::Affine;
use crate::polyhedral::isl::{Map, Tuple};
use crate::source::kernel::Kernel;
use crate::tiling::TiledProgram;

/// The data flow of one array through the tiles. Every map is `[N] -> { T[T0, T1] -> c[m] }`.
pub struct ArrayFlow {
    /// Index into `Kernel::arrays`.
    pub array: usize,
    /// All cells that the tile touches.
    pub accessed: Map,
    /// In(T): cells read in the tile before the tile writes them.
    pub live_in: Map,
    /// Out(T): cells written in the tile.
    pub out: Map,
    pub load: Map,
    pub store: Map,
    /// `[N] -> { [Strip[T0] -> c[m]] -> S0[i, j] }`: the first iteration of the strip that reads the cell.
    pub first_read: Map,
    /// `[N] -> { [Strip[T0] -> c[m]] -> S0[i, j] }`: the last iteration of the strip that writes the cell.
    pub last_write: Map,
}

/// Load and Store of every array that the kernel touches.
///
/// # Errors
/// An internal error where Theorems 1 and 2 differ.
pub fn plan(tiled: &TiledProgram, kernel: &Kernel) -> Result<Vec<ArrayFlow>> {
    let mut flows = vec![];
    for (array, declaration) in kernel.arrays.iter().enumerate() {
        if let Some(flow) = flow(tiled, array)? {
            validity::require_exact(tiled, &flow, &flow.load, &flow.store, &declaration.name)?;
            flows.push(flow);
        }
    }
    Ok(flows)
}

fn flow(tiled: &TiledProgram, array: usize) -> Result<Option<ArrayFlow>> {
    let [statement] = &tiled.program.statements[..] else { bail!("transfers of several statements") };
    let (iterations, theta) = (&tiled.iterations[0], &tiled.theta[0]);
    let reads = statement.accesses_of(array, false)?;
    let writes = statement.accesses_of(array, true)?;
    let (reads, writes) = match (reads, writes) {
        (None, None) => return Ok(None),
        (Some(reads), None) => (reads.clone(), reads.subtract(&reads)?),
        (None, Some(writes)) => (writes.subtract(&writes)?, writes),
        (Some(reads), Some(writes)) => (reads, writes),
    };
    let live_in = live_in(iterations, theta, &reads, &writes)?;
    let out = iterations.apply_range(&writes)?.coalesce()?;
    let accessed = iterations.apply_range(&reads.union(&writes)?)?.coalesce()?;
    let (load, store) = by_sets(tiled, &live_in, &out)?;

    let operations = Operations::new(tiled, iterations, theta)?;
    let (load_by_minimum, store_by_maximum) = operations.by_minimum(tiled, &reads, &writes)?;
    for (what, sets, minimum) in [("load", &load, &load_by_minimum), ("store", &store, &store_by_maximum)] {
        if !sets.is_equal(minimum)? {
            bail!("internal error: Theorems 1 and 2 give different {what} sets: {sets} and {minimum}");
        }
    }
    Ok(Some(ArrayFlow {
        array,
        accessed,
        live_in,
        out,
        load: simpler(load, load_by_minimum)?,
        store: simpler(store, store_by_maximum)?,
        first_read: operations.first(&reads)?,
        last_write: operations.last(&writes)?,
    }))
}

/// Of two equal relations, the one in fewer pieces.
fn simpler(one: Map, other: Map) -> Result<Map> {
    Ok(if other.wrap()?.pieces()?.len() < one.wrap()?.pieces()?.len() { other } else { one })
}

/// In(T): `{ T -> c[x] }` with a read of x in T that no write of x in T comes before. Reads of an instance come before
/// its write.
fn live_in(iterations: &Map, theta: &Map, reads: &Map, writes: &Map) -> Result<Map> {
    // Instances as `[T -> S0]`, so that the tile is a dimension and needs no floors.
    let (tile, instance) = (iterations.domain_map()?, iterations.range_map()?);
    let date = instance.apply_range(theta)?;
    let after = date.lex_gt_map(&date)?.intersect(&tile.apply_range(&tile.reverse()?)?)?;
    let written_before = after.apply_range(&instance.apply_range(writes)?)?;
    let exposed = instance.apply_range(reads)?.subtract(&written_before)?;
    tile.reverse()?.apply_range(&exposed)?.coalesce()
}

/// RR-7697 Theorem 1: `Load(T) = In(T) \ (In(t < T) ∪ Out(t < T))` and `Store(T) = Out(T) \ Out(t > T)` are valid and
/// exact.
pub fn by_sets(tiled: &TiledProgram, live_in: &Map, out: &Map) -> Result<(Map, Map)> {
    let before = tiled.earlier.apply_range(&live_in.union(out)?)?;
    let load = live_in.subtract(&before)?.coalesce()?;
    let store = out.subtract(&tiled.later.apply_range(out)?)?.coalesce()?;
    Ok((load, store))
}

/// The operations of a strip in their tiled order, for parametric minima over them.
struct Operations {
    /// `{ [T -> S0] -> S0 }`
    instance: Map,
    /// `{ [T -> S0] -> Strip }`
    strip: Map,
    /// `{ [T -> S0] -> [step, t0, t1, …] }`
    date: Map,
    /// `{ S0 -> [t0, t1, …] }`
    theta: Map,
}

impl Operations {
    fn new(tiled: &TiledProgram, iterations: &Map, theta: &Map) -> Result<Self> {
        let (tile, instance) = (iterations.domain_map()?, iterations.range_map()?);
        let strip = tile.apply_range(&tiled.strip)?;
        let date = tile.apply_range(&tiled.step)?.flat_range_product(&instance.apply_range(theta)?)?;
        Ok(Operations { instance, strip, date, theta: theta.clone() })
    }

    /// `{ [Strip -> c[m]] -> [step, t0, t1, …, rank] }`: when the strip's operations touch the cell. `rank` orders the
    /// accesses of one instance: reads 0, write 1.
    fn dates(&self, accesses: &Map, rank: i64) -> Result<Map> {
        let instance_and_date = self.date.flat_range_product(&self.ranked(rank)?)?;
        self.strip.range_product(&self.instance.apply_range(accesses)?)?.reverse()?.apply_range(&instance_and_date)
    }

    fn ranked(&self, rank: i64) -> Result<Map> {
        let isl = self.date.context();
        // `{ S0 -> [rank] }` by way of θ, whose space has no names to clash with.
        let names: Vec<String> = (0..self.theta.range()?.dimensions()?).map(|k| format!("t{k}")).collect();
        let constant = isl.function(&[], Tuple::unnamed(&names), Tuple::anonymous(), &[Affine::constant(rank)])?;
        self.instance.apply_range(&self.theta.apply_range(&constant)?)
    }

    /// RR-7697 Theorem 2: Load(T) holds the cells whose first access in the strip is a read made in T, Store(T) the
    /// cells whose last write is in T. The first access is a parametric lexicographic minimum over strip and cell;
    /// turning cells from parameters into unknowns inverts it (section 2.2.2).
    fn by_minimum(&self, tiled: &TiledProgram, reads: &Map, writes: &Map) -> Result<(Map, Map)> {
        let first = self.dates(reads, 0)?.union(&self.dates(writes, 1)?)?.lexmin()?;
        let n = tiled.tile_names.len();
        let first_is_read = first.fix_output(n + 1, 0)?;
        let last_write = self.dates(writes, 1)?.lexmax()?;
        Ok((in_tile(tiled, &first_is_read)?, in_tile(tiled, &last_write)?))
    }

    fn first(&self, accesses: &Map) -> Result<Map> {
        self.instance_at(&self.dates(accesses, 0)?.lexmin()?)
    }

    fn last(&self, accesses: &Map) -> Result<Map> {
        self.instance_at(&self.dates(accesses, 0)?.lexmax()?)
    }

    /// The instance that runs at a date `[step, t0, t1, …, rank]`.
    fn instance_at(&self, dates: &Map) -> Result<Map> {
        let n = self.theta.range()?.dimensions()?;
        dates.project_out_outputs(n + 1, 1)?.project_out_outputs(0, 1)?.apply_range(&self.theta.reverse()?)?.coalesce()
    }
}

/// `{ [Strip -> c] -> [step, …] }` as `{ T -> c }`.
fn in_tile(tiled: &TiledProgram, dates: &Map) -> Result<Map> {
    let rest = dates.range()?.dimensions()? - 1;
    let steps = dates.project_out_outputs(1, rest)?;
    // `Strip -> [c -> [step]]` after `T -> Strip`; then only the step in which T runs.
    let any_step = tiled.strip.apply_range(&steps.curry()?)?.uncurry()?;
    let own_step = any_step.domain()?.unwrap()?.domain_map()?.apply_range(&tiled.step)?;
    any_step.intersect(&own_step)?.domain()?.unwrap()?.coalesce()
}
