//! The analysis in one function: a kernel goes through the rooms in order and comes out as an [`Offload`].

mod groups;
mod interleaving;
mod units;
mod windows;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow, bail};

use crate::affine::{Affine, fresh};
use crate::budget;
use crate::buffer::blocks;
use crate::buffer::reads::Fabric;
use crate::buffer::{self, Allocation, Apart};
use crate::diagnostic::Diagnostic;
use crate::ids::{ArrayId, ByBand, ByStatement, StatementId};
use crate::layout::Slices;
use crate::mars;
use crate::offload::{self, Buffer, Compute, Leaf, NamedSet, Offload, Scan, Transfer, Wait};
use crate::polyhedral::isl::{BasicSet, Constraint, Exhausted, Map, Set, Tuple};
use crate::polyhedral::scan::{Branch, Fixed, Request, Scanned, Tree, scan, scan_tree};
use crate::polyhedral::{self, Program};
use crate::schedule::{self, BandPlan, linear};
use crate::source::kernel::{Kernel, Node, Schedule, Storage, TilingDirective};
use crate::tiling::automatic::{Tilings, Time};
use crate::tiling::{self, Band};
use crate::transfer::{self, ArrayFlow};
use groups::Groups;

/// Everything the hardware needs to know about `kernel`, whose size parameters all have a bound. Without directives in
/// the kernel, burstc chooses tiles whose buffers fit the block RAM of `fabric`.
///
/// # Errors
/// A [`Diagnostic`](crate::diagnostic::Diagnostic) for what the user can change: see the rooms. Anything else is an internal error.
pub fn analyze(kernel: &Kernel, fabric: &Fabric) -> Result<Offload> {
    Analysis::new(kernel)?.offload(&kernel.tilings, fabric, None)
}

/// A kernel that is analysed several times: in other tiles, with other lanes, for another fabric. Dependences are found once, and so
/// is what tiles load and store, which lanes do not change.
pub struct Analysis {
    /// Without tilings.
    kernel: Kernel,
    program: Program,
    /// The legal ways to cut it, once they are known.
    plans: OnceCell<Vec<ByBand<BandPlan>>>,
    latest: RefCell<Option<Moved>>,
    /// Of the tiles that were chosen last.
    long: RefCell<Vec<Vec<TilingDirective>>>,
    /// Where statements are joined, the body before, and the order of its statements.
    written: Option<(Vec<Node>, Scan)>,
}

/// A band that may be tiled.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    pub schedules: Vec<Schedule>,
    /// Which dimensions may have any tile size, in any order among themselves; the others stand in front.
    pub tileable: Vec<bool>,
    /// How many values each has at the usual sizes, where that is known.
    pub extents: Vec<Option<i64>>,
    /// Whether they tell the iterations of every statement apart.
    pub is_whole: bool,
}

/// What the tiles of tilings load and store, but for stores that nobody loads.
struct Moved {
    /// As [`in_one_lane`].
    tilings: ByBand<TilingDirective>,
    flows: ByBand<Vec<ArrayFlow>>,
}

/// The tilings of `bands` but for what does not change their tiles.
fn in_one_lane(bands: &ByBand<Band>) -> ByBand<TilingDirective> {
    bands.iter().map(|band| TilingDirective { lanes: None, units: None, ..band.directive.clone() }).collect()
}

impl Analysis {
    /// Of `kernel`, whose size parameters all have a bound, whatever its tilings are.
    ///
    /// # Errors
    /// As [`analyze`].
    pub fn new(kernel: &Kernel) -> Result<Self> {
        require_bounds(kernel)?;
        budget::begin("the dependences");
        let kernel = polyhedral::expand_locals(&Kernel { tilings: vec![], ..kernel.clone() })?;
        Analysis::of(kernel, None)
    }

    /// Of a kernel whose local arrays are expanded.
    fn of(kernel: Kernel, written: Option<(Vec<Node>, Scan)>) -> Result<Self> {
        let program = polyhedral::extract(&kernel)?;
        let (latest, long) = (RefCell::default(), RefCell::default());
        Ok(Analysis { kernel, program, plans: OnceCell::new(), latest, long, written })
    }

    /// [`analyze`] of the kernel with `tilings`; where that is only tried, within so many of isl's operations.
    ///
    /// # Errors
    /// As [`analyze`], and [`Exhausted`] where they do not suffice.
    pub fn offload(&self, tilings: &[TilingDirective], fabric: &Fabric, operations: Option<u64>) -> Result<Offload> {
        let kernel = Kernel { tilings: tilings.to_vec(), ..self.kernel.clone() };
        let program = &self.program;
        let offload = self.within(operations, || match tilings {
            [] => {
                let (offload, is_joined) = self.choose(fabric, |kernel, model, chosen| {
                    let latest = std::ptr::eq(model, program).then_some(&self.latest);
                    let written = |tilings: &Vec<TilingDirective>| -> Vec<TilingDirective> {
                        tilings.iter().map(|tiling| tiling.as_written(kernel).0).collect()
                    };
                    self.long.replace(chosen.long.iter().map(written).collect());
                    chosen.mapped.offload(kernel, model, fabric, latest)
                })?;
                match is_joined {
                    true => {
                        Ok(Offload { source_order: source_order(program)?, written: kernel.body.clone(), ..offload })
                    }
                    false => Ok(offload),
                }
            }
            directives => {
                let mapped = Mapped::new(&kernel, program, directives, self.latest.borrow().as_ref())?;
                // Without windows, no fewer words come later.
                if operations.is_some() && mapped.bands.iter().all(|band| band.lanes.is_some()) {
                    mapped.with_buffers(&kernel, fabric, blocks::require_fit)?;
                }
                mapped.offload(&kernel, program, fabric, Some(&self.latest))
            }
        })?;
        blocks::require_fit(&offload.kernel, &offload.buffers, fabric)?;
        match &self.written {
            Some((written, order)) => Ok(Offload { written: written.clone(), source_order: order.clone(), ..offload }),
            None => Ok(offload),
        }
    }

    /// The same kernel with those statements joined that can run in one cycle, whose tilings name them as one; `None` where there are none.
    ///
    /// # Errors
    /// isl's.
    pub fn joined(&self) -> Result<Option<Analysis>> {
        let Some(joined) = polyhedral::join_statements(&self.kernel, &self.program)? else { return Ok(None) };
        let written = (self.kernel.body.clone(), source_order(&self.program)?);
        Analysis::of(joined, Some(written)).map(Some)
    }

    /// The tiles that are chosen for `fabric`, of the statements of this kernel; within so many of isl's operations.
    ///
    /// # Errors
    /// As [`Analysis::offload`].
    pub fn own_tilings(&self, fabric: &Fabric, operations: Option<u64>) -> Result<Vec<TilingDirective>> {
        let Analysis { kernel, program, .. } = self;
        self.within(operations, || {
            let chosen = Chosen::new(kernel, program, self.plans()?.to_vec(), fabric)?;
            Ok(chosen.mapped.bands.iter().map(|band| band.directive.clone()).collect())
        })
    }

    /// Tilings whose strips run along several dimensions, of the statements as they are written: what may be better than what
    /// [`Analysis::offload`] chose last, the most promising first.
    pub fn with_long_strips(&self) -> Vec<Vec<TilingDirective>> {
        self.long.borrow().clone()
    }

    /// The tiles that are chosen for `fabric`, of the statements as they are written; the same of operations.
    ///
    /// # Errors
    /// As [`Analysis::offload`].
    pub fn tilings(&self, fabric: &Fabric, operations: Option<u64>) -> Result<Vec<TilingDirective>> {
        let written = |kernel: &Kernel, chosen: Chosen| -> Vec<TilingDirective> {
            chosen.mapped.bands.iter().map(|band| band.directive.as_written(kernel).0).collect()
        };
        self.within(operations, || Ok(self.choose(fabric, |kernel, _, chosen| Ok(written(kernel, chosen)))?.0))
    }

    /// Bands whose tileable dimensions may have any tile sizes, in any order: the legal ways to cut the kernel that are known, the
    /// most promising first; where that is only tried, within so many of isl's operations.
    ///
    /// # Errors
    /// As [`Analysis::offload`].
    pub fn cuts(&self, operations: Option<u64>) -> Result<Vec<Vec<Cut>>> {
        let Analysis { kernel, program, .. } = self;
        budget::begin("the schedule");
        let mut plans = self.within(operations, || self.plans())?.to_vec();
        let rows = self.within(operations, || schedule::outer_rows(kernel, program));
        for more in [rows, self.runs(operations)] {
            match more {
                Err(error) if error.is::<Exhausted>() => {}
                more => plans.splice(..0, more?.filter(|more| !plans.contains(more))).for_each(drop),
            }
        }
        if let Some(alone) = schedule::outermost_alone(kernel).filter(|alone| !plans.contains(alone)) {
            plans.insert(0, alone);
        }
        let cuts = plans.iter().map(|bands| self.cuts_of(bands));
        Ok(cuts.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// The bands in which nests share tiles along a loop of each, see [`schedule::outermost_of_runs`].
    ///
    /// # Errors
    /// isl's.
    pub fn shared(&self, operations: Option<u64>) -> Result<Option<Vec<Cut>>> {
        match self.runs(operations)? {
            Some(bands) => self.cuts_of(&bands),
            None => Ok(None),
        }
    }

    /// Of statements in more than three loops, what there is takes all the time that there is to look at it.
    fn runs(&self, operations: Option<u64>) -> Result<Option<ByBand<BandPlan>>> {
        let Analysis { kernel, program, .. } = self;
        match kernel.is_deep() {
            true => Ok(None),
            false => self.within(operations, || schedule::outermost_of_runs(kernel, program)),
        }
    }

    fn cuts_of(&self, bands: &ByBand<BandPlan>) -> Result<Option<Vec<Cut>>> {
        let schedule = |(&s, theta): (&StatementId, &Vec<Affine>)| Schedule {
            statement: self.program.statements[s].name.clone(),
            theta: theta.clone(),
        };
        let cut = |plan: &BandPlan| {
            let schedules = plan.statements.iter().zip(&plan.theta).map(schedule).collect();
            self.band(schedules, plan.tileable.clone())
        };
        bands.iter().map(cut).collect()
    }

    /// [`schedule::candidates_for`] the kernel.
    fn plans(&self) -> Result<&[ByBand<BandPlan>]> {
        if let Some(plans) = self.plans.get() {
            return Ok(plans);
        }
        let plans = schedule::candidates_for(&self.kernel, &self.program)?;
        Ok(self.plans.get_or_init(|| plans))
    }

    /// The band of `tiling`, whose dimensions of a size above 1 are tileable; `None` where it has other statements.
    ///
    /// # Errors
    /// isl's.
    pub fn cut_of(&self, tiling: &TilingDirective) -> Result<Option<Cut>> {
        let tileable = tiling.sizes.iter().map(|size| *size > 1).collect();
        self.band(tiling.schedules.clone(), tileable)
    }

    fn band(&self, schedules: Vec<Schedule>, tileable: Vec<bool>) -> Result<Option<Cut>> {
        let Analysis { kernel, program, .. } = self;
        let (mut extents, mut is_whole) = (vec![None; tileable.len()], true);
        for Schedule { statement, theta } in &schedules {
            let Some(s) = program.statements.position(|own| own.name == *statement) else { return Ok(None) };
            let iterators = &program.statements[s].iterators;
            let row = |value: &Affine| iterators.iter().map(|name| value.coefficient(name)).collect::<Vec<i64>>();
            is_whole &= linear::rank(&theta.iter().map(row).collect::<Vec<_>>()) == iterators.len();
            for (extent, value) in extents.iter_mut().zip(theta) {
                let range = program.usual_range(kernel, s, value)?;
                *extent = range.map(|(low, high)| (high - low + 1).max(1)).max(*extent);
            }
        }
        Ok(Some(Cut { schedules, tileable, extents, is_whole }))
    }

    /// The arrays that lanes of these tilings would access along a diagonal, see [`tiling::slants`]; within so many operations.
    ///
    /// # Errors
    /// As [`Analysis::offload`].
    pub fn slants(&self, tilings: &[TilingDirective], operations: Option<u64>) -> Result<BTreeMap<ArrayId, i64>> {
        self.within(operations, || tiling::slants(&self.program, &self.kernel, tilings))
    }

    /// The dimensions of a tiling along which its tiles may have so many units.
    pub fn unit_dimensions(&self, tiling: &TilingDirective, count: i64) -> Vec<usize> {
        tiling::units::dimensions(&self.program, &self.kernel, tiling, count)
    }

    /// The loops that a tiling leaves open, see [`tiling::open_loops`].
    ///
    /// # Errors
    /// isl's.
    pub fn open_loops(&self, tiling: &TilingDirective) -> Result<Vec<Vec<Affine>>> {
        tiling::open_loops(&self.program, tiling)
    }

    /// The kernel without tilings, its local arrays expanded.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// isl's operations so far, but for those of statements that were joined.
    pub fn operations(&self) -> u64 {
        self.program.isl.operations()
    }

    fn within<T>(&self, operations: Option<u64>, compute: impl FnOnce() -> Result<T>) -> Result<T> {
        let isl = &self.program.isl;
        isl.grant(self.program.parameters.len());
        match operations {
            None => compute(),
            Some(operations) => isl.within(operations, compute)?.ok_or_else(|| anyhow!(Exhausted)),
        }
    }

    /// What `finish` makes of the kernel in the best tiles, and whether statements are joined: where that takes no more cycles,
    /// by estimate.
    fn choose<T>(&self, fabric: &Fabric, finish: impl Fn(&Kernel, &Program, Chosen) -> Result<T>) -> Result<(T, bool)> {
        let Analysis { kernel, program, .. } = self;
        let mut apart = None;
        let chosen_apart = || {
            budget::begin("the schedule");
            Chosen::new(kernel, program, self.plans()?.to_vec(), fabric)
        };
        budget::begin("the statements that run in one cycle");
        if let Some(joined) = polyhedral::join_statements(kernel, program)? {
            let model = polyhedral::extract(&joined)?;
            let finished = || {
                budget::begin("the schedule");
                let plans = schedule::candidates_for(&joined, &model)?;
                let chosen = Chosen::new(&joined, &model, plans, fabric)?;
                let Chosen { time: Some(time), fits: true, .. } = &chosen else { return Ok(None) };
                // One write per cycle is the most that statements apart reach.
                if time.cycles > time.writes {
                    let apart = apart.insert(chosen_apart()?);
                    let cycles = apart.time.as_ref().map_or(0.0, |time| time.cycles);
                    if apart.fits && cycles <= time.cycles {
                        return Ok(None);
                    }
                }
                finish(&joined, &model, chosen).map(Some)
            };
            if let Some(Some(finished)) = model.isl.within(JOINED_OPERATIONS, finished)? {
                return Ok((finished, true));
            }
        }
        let apart = apart.map_or_else(chosen_apart, Ok)?;
        Ok((finish(kernel, program, apart)?, false))
    }
}

/// Budgets that the estimates get, one after the other, as parts of the block RAM: where the exact buffers turn out
/// larger than estimated, less is asked for.
const SHARES: [u64; 6] = [1, 2, 4, 8, 32, 1024];

/// How many tilings that the estimates have doubts about are looked at.
const DOUBTFUL: usize = 6;

/// isl's operations between the checks of each of them; after the first that needs more, no other is looked at.
const DOUBTFUL_OPERATIONS: u64 = 300_000;

/// isl's operations for what tiles of one choice need, behind which loops of fewer dimensions are tiled: sets of skewed tiles in four
/// dimensions may take any number of them.
const TILED_OPERATIONS: u64 = 7_000_000;
/// The same for statements in more than three loops, where an operation takes some ten times as long.
const DEEP_TILED_OPERATIONS: u64 = 800_000;

/// isl's operations for the kernel with statements joined, which leaves time for the kernel as it is.
const JOINED_OPERATIONS: u64 = 5_000_000;

/// A kernel in the best tiles.
struct Chosen {
    mapped: Mapped,
    time: Option<Time>,
    /// Whether the exact buffers fit.
    fits: bool,
    /// See [`Tilings`].
    long: Vec<Vec<TilingDirective>>,
}

impl Chosen {
    /// The best tiling of `plans` whose exact buffers fit; the last attempt where none does.
    fn new(kernel: &Kernel, program: &Program, mut plans: Vec<ByBand<BandPlan>>, fabric: &Fabric) -> Result<Chosen> {
        let block_ram_bits = blocks::room(kernel, fabric);
        let fits = |mapped: &Mapped| mapped.with_buffers(kernel, fabric, blocks::bits_fit);
        let mut tried: Vec<Vec<TilingDirective>> = vec![];
        let mut last = Err(anyhow!("internal error: the kernel has no legal tiling"));
        let operations = if kernel.is_deep() { DEEP_TILED_OPERATIONS } else { TILED_OPERATIONS };
        // Behind tiles of several dimensions.
        let mut alone = schedule::outermost_alone(kernel);
        let mut shares = SHARES.into_iter().peekable();
        while let Some(share) = shares.peek() {
            budget::begin("the tile sizes");
            let found = tiling::automatic::tilings(program, kernel, plans.clone(), block_ram_bits / share)?;
            let Tilings { best, better, long, time } = found;
            if tried.contains(&best) {
                shares.next();
                continue;
            }
            // Of tiles of three dimensions or more, something is left for those of fewer.
            let has_others = plans.iter().any(|bands| bands.iter().any(|band| band.tiled() > 2));
            let operations = if has_others { operations.min(program.isl.operations_left() / 3) } else { operations };
            let mapped = || Mapped::new(kernel, program, &best, None);
            let Some(mapped) = program.isl.within(operations, mapped).transpose() else {
                let tiled = |bands: &ByBand<BandPlan>| bands.iter().map(BandPlan::tiled).max().unwrap_or(0);
                let most = plans.iter().map(tiled).max().unwrap_or(0);
                let outer = plans.iter().filter(|bands| tiled(bands) > 1).map(|bands| outermost_serial(bands, most));
                let outer: Vec<ByBand<BandPlan>> = outer.collect();
                plans.retain(|bands| tiled(bands) < most);
                plans.extend(alone.take().filter(|alone| !plans.contains(alone)));
                if plans.is_empty() {
                    plans = outer;
                }
                if plans.is_empty() {
                    return Err(anyhow!(Exhausted));
                }
                continue;
            };
            if mapped.as_ref().is_ok_and(fits) {
                for directives in better.iter().take(DOUBTFUL) {
                    let mapped = || Mapped::new(kernel, program, directives, None);
                    match program.isl.within(DOUBTFUL_OPERATIONS, mapped)? {
                        // Once more, with all of its checks.
                        Some(mapped) if fits(&mapped) => {
                            let mapped = Mapped::new(kernel, program, directives, None)?;
                            return Ok(Chosen { mapped, time, fits: true, long });
                        }
                        Some(_) => {}
                        None => break,
                    }
                }
                return Ok(Chosen { mapped: mapped?, time, fits: true, long });
            }
            last = mapped.map(|mapped| Chosen { mapped, time, fits: false, long: vec![] });
            tried.push(best);
            shares.next();
        }
        last
    }
}

/// The same where bands of `most` tiled dimensions run one value of the outermost after the other.
fn outermost_serial(bands: &ByBand<BandPlan>, most: usize) -> ByBand<BandPlan> {
    let of = |band: &BandPlan| {
        let mut band = band.clone();
        if band.tiled() == most {
            let outermost = band.serial();
            band.tileable[outermost] = false;
        }
        band
    };
    bands.iter().map(of).collect()
}

/// A kernel in tiles, with the buffers it needs.
struct Mapped {
    bands: ByBand<Band>,
    flows: ByBand<Vec<ArrayFlow>>,
    /// Parallel to the flows of each band.
    allocations: ByBand<Vec<Allocation>>,
    /// Whether stores that nobody loads have been looked for.
    is_final: bool,
}

impl Mapped {
    /// `kernel` in the tiles of `directives`, of which another analysis of `program` may have `known` what they move.
    fn new(kernel: &Kernel, program: &Program, directives: &[TilingDirective], known: Option<&Moved>) -> Result<Self> {
        budget::begin("the order inside tiles");
        let bands = tiling::apply(program, kernel, directives)?;
        budget::begin("what the tiles load and store");
        let known = known.filter(|known| known.tilings == in_one_lane(&bands));
        let flows = match known {
            Some(known) => known.flows.clone(),
            None => {
                let plans = bands.iter().map(|band| transfer::plan(program, band, kernel));
                let mut flows = plans.collect::<Result<ByBand<_>>>()?;
                transfer::dead::keep_on_chip(kernel, &bands, &mut flows)?;
                flows
            }
        };
        budget::begin("the buffers");
        let allocations = buffer::allocate(program, &bands, kernel, &flows)?;
        Ok(Mapped { bands, flows, allocations, is_final: known.is_some() })
    }

    /// What `look` says of the buffers, if all reads have ports, and of the kernel that they belong to.
    fn with_buffers<T>(&self, kernel: &Kernel, fabric: &Fabric, look: impl Fn(&Kernel, &[Buffer], &Fabric) -> T) -> T {
        let apart = Apart::new(kernel, &self.bands, &self.allocations);
        let mut buffers = buffer::merge(&apart, &self.bands, &self.allocations);
        buffer::reads::arrange(&apart.kernel, &[], &mut buffers, fabric);
        look(&apart.kernel, &buffers, fabric)
    }

    /// Gives tiles or strips places of their own where there is room; tells of every flow whether a strip loads what one before
    /// stores.
    fn separate(&mut self, kernel: &Kernel, fabric: &Fabric) -> Result<ByBand<Vec<bool>>> {
        let before = self.allocations.clone();
        if buffer::separate_tiles(&self.bands, &self.flows, &mut self.allocations)?
            && !self.with_buffers(kernel, fabric, blocks::bits_fit)
        {
            self.allocations = before;
        }
        let depends = self.bands.iter().zip(&self.flows);
        let depends: ByBand<Vec<bool>> = depends
            .map(|(band, flows)| flows.iter().map(|flow| strip_loads_stored(band, flow)).collect())
            .collect::<Result<_>>()?;
        let before = self.allocations.clone();
        if buffer::separate_strips(kernel, &self.bands, &self.flows, &depends, &mut self.allocations)?
            && !self.with_buffers(kernel, fabric, blocks::fit)
        {
            self.allocations = before;
        }
        Ok(depends)
    }

    /// Everything of it; what its tiles move is `latest` then.
    fn offload(
        mut self,
        kernel: &Kernel,
        program: &Program,
        fabric: &Fabric,
        latest: Option<&RefCell<Option<Moved>>>,
    ) -> Result<Offload> {
        budget::begin("the stores that nobody loads");
        if !self.is_final && transfer::dead::drop_dead_stores(kernel, &self.bands, &mut self.flows)? {
            self.allocations = buffer::allocate(program, &self.bands, kernel, &self.flows)?;
        }
        let depends = self.separate(kernel, fabric)?;
        budget::begin("the loops over what the tiles do");
        let Mapped { bands, flows, allocations, .. } = &self;
        if let Some(latest) = latest {
            latest.replace(Some(Moved { tilings: in_one_lane(bands), flows: flows.clone() }));
        }
        let apart = Apart::new(kernel, bands, allocations);
        let contexts = bands.iter().map(Context::new).collect::<Result<ByBand<_>>>()?;
        let mut analysed = ByBand::new();
        let mut strips_depend = false;
        for (number, context) in contexts.iter_enumerated() {
            let (band, flows, allocations) = (&bands[number], &flows[number], &allocations[number]);
            let (mut transfers, mut compute_waits) = (vec![], false);
            for ((flow, allocation), &depends) in flows.iter().zip(allocations).zip(&depends[number]) {
                let load = context.scan_cells(band, kernel, flow.array, &flow.load)?;
                let store = context.scan_cells(band, kernel, flow.array, &flow.store)?;
                if load.pieces.is_empty() && store.pieces.is_empty() {
                    continue;
                }
                strips_depend |= depends;
                let shares_places = allocation.mapping.slots == 1 && band.directive.strip_indices() > 0;
                let takes_turns = allocation.mapping.by_strips && !load.pieces.is_empty();
                let wait = match (shares_places, store.pieces.is_empty()) {
                    _ if depends => Wait::Stored,
                    (false, false) if takes_turns => Wait::StoredBefore,
                    (false, _) => Wait::Nothing,
                    (true, true) => Wait::Computed,
                    (true, false) => Wait::Stored,
                };
                compute_waits |= shares_places && !store.pieces.is_empty();
                transfers.push(Transfer { array: apart.of(number, flow.array), load, store, wait });
            }
            // What does not wait is loaded first.
            transfers.sort_by_key(|t| t.wait);
            let mut compute = match &band.lanes {
                Some(lanes) => compute_in_lanes(program, band, context, lanes)?,
                None => compute(program, band, context, allocations)?,
            };
            compute.interleaved = interleaving::interleaved(program, kernel, band, allocations, &compute)?;
            analysed.push(offload::Band {
                statements: band.statements.clone(),
                tiling: band.directive.clone(),
                sets: named_sets(program, band, kernel, flows, allocations)?,
                transfers,
                compute_waits,
                compute: apart.renamed(number, compute),
            });
        }
        let written = if apart.is_any() { kernel.body.clone() } else { vec![] };
        let mut kernel = apart.kernel.clone();
        for transfer in analysed.iter().flat_map(|band| &band.transfers) {
            if let Storage::Local { transferred, .. } = &mut kernel.arrays[transfer.array].storage {
                *transferred = true;
            }
        }
        let rows: ByBand<Vec<i64>> = bands.iter().map(|band| band.rows.clone()).collect();
        let extents = extents(program, &kernel)?;
        let with_windows = |extents, share| {
            let mut buffers = buffer::merge(&apart, bands, allocations);
            let windows = windows::windows(&kernel, &analysed, &rows, extents, share);
            let windows = buffer::reads::arrange(&kernel, &windows, &mut buffers, fabric);
            (windows, buffers)
        };
        let (mut windows, mut buffers) = with_windows(Some(&extents), windows::SHARE_OF_ROW);
        // Windows cost short rows iterations, which is better than what does not fit.
        for share in [windows::SHARE_OF_ROW, windows::LARGE_SHARE_OF_ROW] {
            if !blocks::fit(&kernel, &buffers, fabric) {
                (windows, buffers) = with_windows(None, share);
            }
        }
        // Windows slide along whole rows.
        for band in &mut analysed {
            let slides = |s: StatementId| windows.iter().any(|window| window.statement == s);
            band.compute.interleaved.retain(|own| !slides(own.statement));
        }
        let mut offload = Offload {
            tiles: tiles(program, &kernel, bands, &contexts)?,
            source_order: source_order(program)?,
            strips_depend,
            written,
            lanes_note: None,
            units_note: None,
            strips_note: None,
            ports: Default::default(),
            buffers,
            windows,
            bands: analysed,
            kernel,
        };
        if offload.kernel.arrays.iter().any(|array| array.by_tiles.is_some()) {
            lay_by_tiles(&mut offload, bands, &contexts, flows)?;
        }
        buffer::add_beat_banks(&mut offload, fabric);
        // The port that the store process borrows reads at once.
        let late = bands.iter_enumerated().flat_map(|(number, band)| band.late.iter().map(move |a| (number, *a)));
        let late: BTreeSet<ArrayId> = late.map(|(number, array)| apart.of(number, array)).collect();
        buffer::add_store_copies(&mut offload, &late, fabric);
        blocks::place(&offload.kernel, &mut offload.buffers, fabric);
        Ok(offload)
    }
}

/// Chooses the layouts of arrays that are to lie by tiles, and walks what is moved of them in their order.
fn lay_by_tiles(
    offload: &mut Offload,
    bands: &ByBand<Band>,
    contexts: &ByBand<Context>,
    flows: &ByBand<Vec<ArrayFlow>>,
) -> Result<()> {
    budget::begin("the layouts of arrays by tiles");
    mars::choose_layouts(offload)?;
    let Offload { kernel, bands: analysed, .. } = offload;
    for ((own, band), (context, flows)) in analysed.iter_mut().zip(bands).zip(contexts.iter().zip(flows)) {
        for transfer in &mut own.transfers {
            if let Some(slices) = kernel.arrays[transfer.array].layout().slices() {
                let flow = flows.iter().find(|flow| flow.array == transfer.array);
                let flow = flow.ok_or_else(|| anyhow!("internal error: a transfer of what no tile moves"))?;
                transfer.load = context.scan_slices(band, kernel, (flow.array, slices), &flow.load)?;
                transfer.store = context.scan_slices(band, kernel, (flow.array, slices), &flow.store)?;
            }
        }
    }
    Ok(())
}

/// How many values every iterator of every statement takes at the sizes that the user runs, as far as they have bounds.
fn extents(program: &Program, kernel: &Kernel) -> Result<ByStatement<Vec<Option<i64>>>> {
    let of_statement = |(s, statement): (StatementId, &polyhedral::Statement)| {
        let extent = |iterator: &String| -> Result<Option<i64>> {
            let range = program.usual_range(kernel, s, &Affine::variable(iterator))?;
            Ok(range.map(|(low, high)| high - low + 1))
        };
        statement.iterators.iter().map(extent).collect()
    };
    program.statements.iter_enumerated().map(of_statement).collect()
}

fn require_bounds(kernel: &Kernel) -> Result<()> {
    match kernel.parameters.iter().find(|p| p.max.is_none()) {
        Some(parameter) => Err(parameter.without_bound().into()),
        None => Ok(()),
    }
}

/// What a band's scans have in scope.
struct Context {
    /// [`Band::walked`]
    hull: BasicSet,
    /// Size parameters and tile indices.
    parameters: Vec<String>,
    /// What holds of them whenever a tile runs.
    constraints: Vec<Constraint>,
}

impl Context {
    fn new(band: &Band) -> Result<Self> {
        let hull = band.walked()?;
        let mut constraints = band.bounded_sizes.convex()?.constraints(&[])?;
        constraints.extend(hull.constraints(&band.tile_names)?);
        // Every scan looks at them many times.
        let few = band.isl.basic_set(&band.parameters, Tuple::unnamed(&band.tile_names), &constraints)?;
        let constraints = few.remove_redundancies()?.constraints(&band.tile_names)?;
        let parameters = band.parameters.iter().chain(&band.tile_names).cloned().collect();
        Ok(Context { hull, parameters, constraints })
    }

    /// Load(T) or Store(T) of one array, the array's last subscript innermost.
    fn scan_cells(&self, band: &Band, kernel: &Kernel, array: ArrayId, cells: &Map) -> Result<Scan> {
        let names = polyhedral::dimension_names(kernel, array);
        let image = cells.image_of(&band.tile_names)?;
        if names.is_empty() {
            return self.scan_scalar(band, &image);
        }
        let request = Request {
            parameters: &self.parameters,
            context: &self.constraints,
            set: &image,
            names: &names,
            fixed: Fixed::DropOuter,
            point: &names,
            definitions: &[],
            slacks: &[],
            in_order: false,
        };
        match scan(&band.isl, &request)? {
            Scanned::Scan(scan) => Ok(scan),
            _ => bail!("internal error: cells without subscripts"),
        }
    }

    /// [`Context::scan_cells`] of an array in slices, with a loop for each digit of the place: `a[i, j]` by
    ///
    /// ```text
    /// for (j_slice = …)
    ///     for (i = …)
    ///         for (j_in_slice = 0 at least; … width - 1 at most)
    ///             a(i, width*j_slice + j_in_slice - lead);
    /// ```
    ///
    /// A convex set of cells is one of digits, too, so there are no more pieces.
    fn scan_slices(
        &self,
        band: &Band,
        kernel: &Kernel,
        (array, slices): (ArrayId, Slices),
        cells: &Map,
    ) -> Result<Scan> {
        let names = polyhedral::dimension_names(kernel, array);
        let image = cells.image_of(&band.tile_names)?.without_tuple_name()?;
        let Some((last, others)) = names.split_last() else { bail!("internal error: slices of a scalar") };
        let is_taken = |name: &String| names.contains(name) || self.parameters.contains(name);
        let slice = fresh(format!("{last}_slice"), is_taken);
        let in_slice = fresh(format!("{last}_in_slice"), is_taken);
        let digits: Vec<String> =
            std::iter::once(&slice).chain(others).chain(std::iter::once(&in_slice)).cloned().collect();
        let (own, width) = (Affine::variable(&in_slice), i64::from(slices.width));
        let value = Affine::variable(&slice) * width + own.clone() - Affine::from(slices.lead);
        let of_digits: Vec<Affine> = others.iter().map(Affine::variable).chain([value.clone()]).collect();
        let to_cells = band.isl.function(&self.parameters, Tuple::unnamed(&digits), Tuple::anonymous(), &of_digits)?;
        let is_digit = [Constraint::NonNegative(own.clone()), Constraint::at_most(own, Affine::constant(width - 1))];
        let inside = band.isl.set(&self.parameters, Tuple::unnamed(&digits), &is_digit)?;
        let set = image.apply(&to_cells.reverse()?)?.intersect(&inside)?;
        let parts: Vec<Affine> = digits.iter().map(Affine::variable).collect();
        let request = Request {
            parameters: &self.parameters,
            context: &self.constraints,
            set: &set,
            names: &digits,
            fixed: Fixed::DropOuter,
            point: &names,
            definitions: &[value - Affine::variable(last)],
            slacks: &parts,
            in_order: false,
        };
        let Scanned::Scan(mut scan) = scan(&band.isl, &request)? else {
            bail!("internal error: cells without subscripts")
        };
        // What the scan says over its levels beside the point, it says of the digits.
        scan.pieces.iter_mut().for_each(|piece| piece.parts = std::mem::take(&mut piece.slacks));
        Ok(scan)
    }

    /// The one cell of a local scalar.
    fn scan_scalar(&self, band: &Band, image: &Set) -> Result<Scan> {
        let set = image.clone();
        let leaf = Leaf::default();
        let branch = Branch { leaf, set, date: &[], point: &[], definitions: vec![], slacks: &[], in_order: false };
        let tree = Tree {
            parameters: &self.parameters,
            context: &self.constraints,
            names: &[],
            fixed: Fixed::Keep,
            branches: vec![branch],
        };
        scan_tree(&band.isl, &tree)?.ok_or_else(|| anyhow!("internal error: a scalar without a cell"))
    }
}

/// The tiles of all bands in the order in which they run.
fn tiles(program: &Program, kernel: &Kernel, bands: &ByBand<Band>, contexts: &ByBand<Context>) -> Result<Scan> {
    let rank = bands.iter().map(|b| b.tile_names.len()).max().unwrap_or(1);
    let names = kernel.tile_names(rank);
    let sizes = program.bounded_sizes.convex()?.constraints(&[])?;
    let dates = Band::run_dates(bands);
    let mut branches = vec![];
    for ((band, context), date) in contexts.iter_enumerated().zip(&dates) {
        let set = context.hull.to_set()?.padded_with_zeros(rank)?;
        let leaf = band.into();
        branches.push(Branch { leaf, set, date, point: &names, definitions: vec![], slacks: &[], in_order: true });
    }
    let parameters = &program.parameters;
    let tree = Tree { parameters, context: &sizes, names: &names, fixed: Fixed::Keep, branches };
    let mut scan = scan_tree(&program.isl, &tree)?.ok_or_else(|| anyhow!("internal error: tiles without an index"))?;
    for piece in &mut scan.pieces {
        // The last dimension of the band is the row.
        let n = bands[piece.leaf.band()].tile_names.len();
        if piece.shared >= n {
            let (low, high) = piece.levels[n - 1].range;
            if low != high {
                let span = bands[piece.leaf.band()].directive.span;
                return Err(Diagnostic::new("its tiles take turns with those of another nest along the last of its dimensions")
                    .at(span, format!("{n} dimensions, others have up to {rank}"))
                    .help("put a dimension behind it, as in `(j, 0)` with `tile(64, 1)`, or a constant in front that sets the nests apart, as in `(0, i, j)` and `(1, j)`")
                    .into());
            }
            // One tile has no turns.
            piece.shared = n - 1;
        }
        piece.levels.truncate(n);
        piece.point.truncate(n);
    }
    Ok(scan)
}

/// When instances run, where a directive can say it.
fn dates_to_say(band: &Band) -> Vec<Vec<Affine>> {
    if band.has_order_of_dimensions { band.date_expressions.clone() } else { vec![] }
}

/// The iterations of a tile, in the order inside it.
fn compute(program: &Program, band: &Band, context: &Context, allocations: &[Allocation]) -> Result<Compute> {
    let scan = match scan_instances(program, band, context, allocations, false)? {
        Some(scan) => scan,
        // The date gives the iterators only together with the domain: they become levels.
        None => scan_instances(program, band, context, allocations, true)?
            .ok_or_else(|| anyhow!("internal error: iterations without iterators"))?,
    };
    Ok(Compute {
        scan,
        order: band.order.clone(),
        dates: dates_to_say(band),
        innermost_distance: band.innermost_distance,
        stalls_per_iteration: band.stalls_per_iteration,
        lanes: None,
        units: band.units.as_ref().map(|own| units::units(program, band, context, own)).transpose()?,
        interleaved: vec![],
    })
}

/// Gives loops their dimensions' `names` back where the statement at a place of the band does not count them anew, as `counted`.
fn name_loops(
    scan: &mut Scan,
    band: &Band,
    (names, counted): (&[String], &[String]),
    counts: impl Fn(usize, usize) -> bool,
) {
    for piece in &mut scan.pieces {
        let place = band.statements.iter().position(|s| *s == piece.leaf.statement());
        for (level, (name, counted)) in names.iter().zip(counted).enumerate() {
            if name != counted && !place.is_some_and(|place| counts(place, level)) {
                piece.rename(counted, name);
                piece.levels.iter_mut().filter(|l| l.name == *counted).for_each(|l| l.name.clone_from(name));
            }
        }
    }
}

/// The same with several iterations side by side, of the statements that have lanes.
fn compute_in_lanes(
    program: &Program,
    band: &Band,
    context: &Context,
    lanes: &tiling::lane_shape::Lanes,
) -> Result<Compute> {
    let statements: Vec<_> = band.statements.iter().map(|&s| &program.statements[s]).collect();
    let names = level_names(&band.date_expressions, &statements, &context.parameters);
    // The names of loops of groups in place of those of their dimensions.
    let mut all_grouped = names.clone();
    for level in lanes.per_statement.iter().flatten().flat_map(|own| &own.levels) {
        all_grouped[*level] = groups::name(context, &names, *level);
    }
    let (mut parts, mut shapes) = (vec![], vec![]);
    for (place, date) in band.date_expressions.iter().enumerate() {
        let set = band.iterations[place].apply_range(&band.dates[place])?.image_of(&band.tile_names)?;
        let own = lanes.per_statement[place].as_ref();
        let found = own.map(|own| {
            let along: Vec<(i64, usize)> = own.counts.iter().copied().zip(own.levels.iter().copied()).collect();
            // Other levels that have groups have them in other statements.
            let mut grouped = names.clone();
            own.levels.iter().for_each(|level| grouped[*level].clone_from(&all_grouped[*level]));
            groups::group(band, context, &along, (&names, &grouped), &set)
        });
        let grouped = match found.transpose() {
            // Beside others that can, a statement whose iterations are no convex set does without.
            Err(error) if statements.len() > 1 && error.is::<Diagnostic>() => None,
            other => other?,
        };
        let factor = |level: usize| match (&grouped, own) {
            (Some(_), Some(own)) => {
                own.levels.iter().position(|own| *own == level).map_or(1, |place| own.counts[place])
            }
            _ => 1,
        };
        let levels = all_grouped.iter().enumerate().map(|(level, name)| Affine::variable(name) * factor(level));
        let definitions = date.iter().zip(levels).map(|(value, level)| value.clone() - level).collect();
        // Groups are one convex set.
        let in_order = grouped.is_none() && depends_on_itself(program, band.statements[place]);
        let (set, masks) = match grouped {
            Some(Groups { set, masks }) => (set, Some(masks)),
            None => (set, None),
        };
        shapes.push(own.zip(masks.as_ref()).map(|(own, masks)| offload::LaneShape {
            count: own.count(),
            inner: own.counts.get(1).copied().unwrap_or(1),
            along: own.along.clone(),
            steps: own.shape.steps.clone(),
            inner_steps: own.shape.inner_steps.clone(),
            masks: masks.iter().map(|mask| mask.steps[0]).collect(),
            inner_masks: masks.iter().filter_map(|mask| mask.steps.get(1).copied()).collect(),
            reduction: own.shape.reduction.clone(),
        }));
        let slacks = masks.into_iter().flatten().map(|mask| mask.slack).collect();
        parts.push(Part { set, date: date.clone(), definitions, slacks, in_order });
    }
    let at = band.directive.lanes.map(|lanes| lanes.span).filter(|span| span.line > 0);
    let mut scan = scan_parts(program, band, context, &all_grouped, &parts)?.ok_or_else(|| {
        Diagnostic::new("the order inside a tile does not tell the iterators, which lanes need")
            .at(at.unwrap_or(band.directive.span), "no lanes here")
            .help("leave the lanes out, or give a schedule that is a permutation of the loops")
    })?;
    // Loops of statements without lanes have the names of their dimensions.
    name_loops(&mut scan, band, (&names, &all_grouped), |place, level| {
        let own = lanes.per_statement[place].as_ref().filter(|_| shapes[place].is_some());
        own.is_some_and(|own| own.levels.contains(&level))
    });
    let texts: Vec<&str> = statements.iter().map(|statement| statement.name.as_str()).collect();
    Ok(Compute {
        scan,
        order: band.order.clone(),
        dates: dates_to_say(band),
        innermost_distance: band.innermost_distance,
        stalls_per_iteration: band.stalls_per_iteration,
        lanes: shapes.iter().flatten().map(|shape| shape.count).max().map(|count| offload::Lanes {
            count,
            along: lanes.along(&texts),
            per_statement: shapes.clone(),
            cycles_each: lanes.cycles_each.clone(),
        }),
        units: None,
        interleaved: vec![],
    })
}

fn scan_instances(
    program: &Program,
    band: &Band,
    context: &Context,
    allocations: &[Allocation],
    iterators_too: bool,
) -> Result<Option<Scan>> {
    // Instances that share places of values by their dates depend on one another through them.
    let shares = |s: StatementId| {
        let touched = |array: ArrayId| program.statements[s].accesses.iter().any(|access| access.array == array);
        allocations.iter().any(|own| own.words_by_tiles.is_some() && touched(own.array))
    };
    let mut dates: Vec<Vec<Affine>> = band.date_expressions.clone();
    if iterators_too {
        let deepest = band.statements.iter().map(|&s| program.statements[s].iterators.len()).max().unwrap_or(0);
        for (date, &s) in dates.iter_mut().zip(&band.statements) {
            let iterators = program.statements[s].iterators.iter().map(Affine::variable);
            date.extend(iterators.chain(std::iter::repeat(Affine::default())).take(deepest));
        }
    }
    let statements: Vec<_> = band.statements.iter().map(|&s| &program.statements[s]).collect();
    let names = level_names(&dates, &statements, &context.parameters);
    let mut parts = vec![];
    for ((statement, date), (iterations, &own)) in
        statements.iter().zip(dates).zip(band.iterations.iter().zip(&band.statements))
    {
        let tuple = Tuple { name: &statement.name, dimensions: &statement.iterators };
        let to_date = band.isl.function(&band.parameters, tuple, Tuple::anonymous(), &date)?;
        let set = iterations.apply_range(&to_date)?.image_of(&band.tile_names)?;
        let definitions = names.iter().zip(&date).map(|(n, value)| value.clone() - Affine::variable(n)).collect();
        let in_order = depends_on_itself(program, own) || shares(own);
        parts.push(Part { set, date, definitions, slacks: vec![], in_order });
    }
    scan_parts(program, band, context, &names, &parts)
}

/// What a statement brings into the scan of its band: see [`Branch`].
struct Part {
    set: Set,
    date: Vec<Affine>,
    definitions: Vec<Affine>,
    slacks: Vec<Affine>,
    in_order: bool,
}

/// The scan of a band of its statements' parts; `None` where they do not tell the iterators.
fn scan_parts(
    program: &Program,
    band: &Band,
    context: &Context,
    names: &[String],
    parts: &[Part],
) -> Result<Option<Scan>> {
    let branches = band.statements.iter().zip(parts).map(|(&statement, part)| Branch {
        leaf: statement.into(),
        set: part.set.clone(),
        date: &part.date,
        point: &program.statements[statement].iterators,
        definitions: part.definitions.clone(),
        slacks: &part.slacks,
        in_order: part.in_order,
    });
    let tree = Tree {
        parameters: &context.parameters,
        context: &context.constraints,
        names,
        fixed: Fixed::Drop,
        branches: branches.collect(),
    };
    scan_tree(&band.isl, &tree)
}

/// Whether the order of a statement's instances matters among themselves; beside other statements it always does.
fn depends_on_itself(program: &Program, statement: StatementId) -> bool {
    program.dependences.iter().any(|d| (d.source, d.sink) == (statement, statement))
}

/// Names for the dimensions of dates: an iterator where it is the dimension in every statement that has it.
fn level_names(dates: &[Vec<Affine>], statements: &[&polyhedral::Statement], taken: &[String]) -> Vec<String> {
    let mut names: Vec<String> = vec![];
    for k in 0..dates.iter().map(Vec::len).max().unwrap_or(0) {
        let mut varying = dates.iter().zip(statements).filter(|(date, _)| !date[k].is_constant());
        let plain = varying.next().and_then(|(date, first)| {
            let name = first.iterators.iter().find(|i| date[k] == Affine::variable(*i) && !names.contains(i))?;
            let own = Affine::variable(name);
            let agrees = |(date, s): (&Vec<Affine>, &&polyhedral::Statement)| {
                date[k] == own || (date[k].is_constant() && !s.iterators.contains(name))
            };
            dates.iter().zip(statements).all(agrees).then_some(name)
        });
        let is_iterator = |name: &String| statements.iter().any(|s| s.iterators.contains(name));
        let is_taken = |name: &String| taken.contains(name) || is_iterator(name) || names.contains(name);
        names.push(plain.cloned().unwrap_or_else(|| fresh(format!("t{k}"), is_taken)));
    }
    names
}

/// All instances in the order of the source, for the direct version.
fn source_order(program: &Program) -> Result<Scan> {
    let context = program.bounded_sizes.convex()?.constraints(&[])?;
    let dates: Vec<Vec<Affine>> = program.statements.iter().map(|s| s.order.clone()).collect();
    let statements: Vec<_> = program.statements.iter().collect();
    let names = level_names(&dates, &statements, &program.parameters);
    let mut branches = vec![];
    for ((own, statement), date) in program.statements.iter_enumerated().zip(&dates) {
        let set = statement.schedule.range()?;
        let definitions = names.iter().zip(date).map(|(n, value)| value.clone() - Affine::variable(n)).collect();
        let in_order = depends_on_itself(program, own);
        let leaf = own.into();
        branches.push(Branch { leaf, set, date, point: &statement.iterators, definitions, slacks: &[], in_order });
    }
    let tree = Tree { parameters: &program.parameters, context: &context, names: &names, fixed: Fixed::Drop, branches };
    scan_tree(&program.isl, &tree)?.ok_or_else(|| anyhow!("internal error: iterations without iterators"))
}

/// isl's operations for one array's sets that are only shown.
const SHOWN_OPERATIONS: u64 = 20_000;

/// Pieces up to which a set that is shown goes without what is known of tiles.
const SHORT_PIECES: usize = 8;

/// isl's operations for one array in [`strip_loads_stored`], which says yes where they do not suffice.
const DEPEND_OPERATIONS: u64 = 20_000;

/// Whether some strip loads a cell that another strip of the band stores.
fn strip_loads_stored(band: &Band, flow: &ArrayFlow) -> Result<bool> {
    let independent = || {
        let stored = band.strip.reverse()?.apply_range(&flow.store)?;
        let loaded = band.strip.reverse()?.apply_range(&flow.load)?;
        let shared = stored.apply_range(&loaded.reverse()?)?.intersect_params(&band.bounded_sizes)?;
        let own = shared.domain()?.identity()?;
        shared.is_subset(&own)
    };
    Ok(band.isl.within(DEPEND_OPERATIONS, independent)? != Some(true))
}

fn named_sets(
    program: &Program,
    band: &Band,
    kernel: &Kernel,
    flows: &[ArrayFlow],
    allocations: &[Allocation],
) -> Result<Vec<NamedSet>> {
    let sizes = &program.sizes;
    let mut sets = vec![];
    let mut add = |name: String, isl: String| sets.push(NamedSet { name, isl });
    let alone = program.statements.len() == 1;
    for (&s, theta) in band.statements.iter().zip(&band.theta) {
        let statement = &program.statements[s];
        let of = |what: &str| if alone { what.to_string() } else { format!("{what} of {}", statement.name) };
        add(of("domain"), statement.domain.to_string());
        add(of("schedule"), statement.schedule.gist_domain(&statement.domain)?.to_string());
        add(of("θ"), theta.gist_domain(&statement.domain)?.to_string());
    }
    add("tiles".to_string(), band.tiles.gist_params(sizes)?.to_string());
    for dependence in &program.dependences {
        if band.statements.contains(&dependence.source) || band.statements.contains(&dependence.sink) {
            let name = format!("{} dependences through {}", dependence.kind, kernel.arrays[dependence.array].name);
            add(name, dependence.relation.gist_params(sizes)?.to_string());
        }
    }
    for (flow, allocation) in flows.iter().zip(allocations) {
        let array = &kernel.arrays[flow.array].name;
        let cells = polyhedral::dimension_names(kernel, flow.array);
        let by_tile = |map: &Map| -> Result<String> {
            let is_short = map.wrap()?.pieces()?.len() <= SHORT_PIECES;
            Ok(if is_short { map.gist_domain(&band.tiles)?.coalesce()? } else { map.clone() }.to_string())
        };
        if alone {
            let both = || {
                let first = transfer::first_read(program, band, flow.array)?;
                Ok((first, transfer::last_write(program, band, flow.array)?))
            };
            // Only for people: left out where they would take long.
            let (first, last) = band.isl.within(SHOWN_OPERATIONS, both)?.unwrap_or_default();
            for (name, maps) in [("FirstOpRead", first), ("LastOpWrite", last)] {
                for map in maps {
                    if !map.is_empty()? {
                        add(format!("{name}({array})"), map.gist_params(sizes)?.to_string());
                    }
                }
            }
        }
        add(format!("Load({array})"), by_tile(&flow.load)?);
        add(format!("Store({array})"), by_tile(&flow.store)?);
        if let Some(dead) = &flow.dead {
            add(format!("dead stores of {array}"), by_tile(dead)?);
        }
        if let Some(differences) = &allocation.differences {
            add(format!("DS({array})"), differences.name_dimensions(&cells)?.to_string());
        }
        let mappings = ByBand::from(vec![Some(allocation.mapping.clone())]);
        let buffer = Buffer::new(flow.array, mappings);
        add(format!("σ({array})"), buffer::mapping_text(kernel, &buffer));
        if let Some(by_tiles) = allocation.words_by_tiles {
            let by_tiles = by_tiles.map_or("no bound".to_string(), |words| words.to_string());
            let own = allocation.mapping.words();
            add(
                format!("words of {array}"),
                format!("{own}, by the iterations that write and read them; {by_tiles} by tiles"),
            );
        }
    }
    Ok(sets)
}
