//! Local buffers: which cells of an array live at the same time, and the mapping σ that keeps them apart, modular
//! (RR-7648 section III-B) or by a lattice (`lattice.rs`).
//!
//! Within a strip the pipeline runs in steps: Load(T) in step T-1, Compute(T) in step T, Store(T) in step T+1. The
//! hardware keeps the steps apart as far as buffers care: Load(T+1) and Compute(T) begin after Compute(T-1) and
//! Store(T-2) have ended. Where strips run along several dimensions, T-1 and T+1 are the tiles that the hardware walks before
//! and after T (`strips.rs`).
//!
//! Cells of different strips may share places under such a mapping, so that a strip waits for the one before
//! ([`crate::offload::Wait`]), unless strips take two slots in turn: then a strip of one tile, behind which Store(T-1) has not
//! ended when Load(T+1) begins, is waited for, and no other. An array whose cells are accessed in one tile of a strip only has another mapping: tiles
//! take slots in turn, also across strips. What lives at the same time then belongs to one tile or lies in different
//! slots, and nothing waits.

pub mod blocks;
mod lattice;
pub mod lifetimes;
mod parts;
pub mod reads;
mod strips;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use anyhow::{Result, bail};

use crate::affine::Affine;
use crate::diagnostic::Diagnostic;
use crate::ids::{ArrayId, BandId, ByBand, ByStatement, StatementId};
use crate::offload::memory;
use crate::offload::{
    self, Banks, Buffer, Mapping, Offload, Scan, gather_count, is_by_data, limit_count, port_count, port_references,
    power_of_two,
};
use crate::polyhedral::isl::{Bounded, Constraint, Map, Set, Tuple};
use crate::polyhedral::{Program, dimension_names};
use crate::source::kernel::{Array, Kernel};
use crate::tiling::Band;
use crate::tiling::lane_shape::{self, Banked};
use crate::transfer::ArrayFlow;
use crate::walk::{self, Values};
use crate::word::Word;
use lattice::{Lattice, Search};
pub use parts::Apart;
use reads::Fabric;

/// The mapping of one array in one band, with the set it was made for.
#[derive(Clone)]
pub struct Allocation {
    /// Index into `Kernel::arrays`.
    pub array: ArrayId,
    /// Which of the array's buffers that is (`parts.rs`).
    pub number: usize,
    pub mapping: Mapping,
    /// The one with a place per tile, where there is one.
    pub by_tile: Option<Mapping>,
    /// `{ c[x, y] }`: the differences of cells that live at the same time, over all strips and sizes; `None` where the
    /// live intervals have too many pieces to say more than the moduli.
    pub differences: Option<Set>,
    /// The words that tiles need, where what is in [`Allocation::mapping`] keeps values apart by the instances that write and read
    /// them (`lifetimes.rs`): the instances of the tile must run in the order of their dates then, also those that touch this array alone.
    pub words_by_tiles: Option<Option<i64>>,
}

/// isl's operations for the differences of one array.
const DIFFERENCES_OPERATIONS: u64 = 50_000;

/// isl's operations for those by instances.
const INSTANCES_OPERATIONS: u64 = 200_000;

/// A mapping for every array of every band, valid for all its tiles, strips and sizes up to the parameters' bounds; one
/// for all bands that share a buffer of an array in banks.
///
/// # Errors
/// A [`Diagnostic`] where an array needs a buffer that grows with a parameter without a bound.
pub fn allocate(
    program: &Program,
    bands: &ByBand<Band>,
    kernel: &Kernel,
    flows: &ByBand<Vec<ArrayFlow>>,
) -> Result<ByBand<Vec<Allocation>>> {
    let banks = wanted_banks(bands);
    let mut allocations = ByBand::new();
    for (band, flows) in bands.iter().zip(flows) {
        let each = flows.iter().map(|flow| {
            let own = banks.get(&flow.array).map_or(&[][..], |axes| axes);
            // Bands whose tiles have places of their own would have to agree on how many.
            let may_separate = own.is_empty() || bands.len() == 1;
            allocate_array(program, band, kernel, flow, own, may_separate)
        });
        allocations.push(each.collect::<Result<Vec<Allocation>>>()?);
    }
    for array in banks.keys() {
        let mut own: Vec<&mut Allocation> = allocations.iter_mut().flatten().filter(|a| a.array == *array).collect();
        let moduli: Vec<&[i64]> = own.iter().map(|own| &own.mapping.moduli[..]).collect();
        // A larger modulus is legal where a smaller one of successive moduli is.
        let buffers = parts::shared(kernel, *array, &moduli);
        for (own, (number, moduli)) in own.iter_mut().zip(buffers) {
            (own.number, own.mapping.moduli) = (number, moduli);
        }
    }
    Ok(allocations)
}

/// The banks that lanes need, by array.
fn banks(bands: &ByBand<Band>) -> BTreeMap<ArrayId, Vec<Banks>> {
    let mut all = Banked::new();
    for lanes in bands.iter().filter_map(|band| band.lanes.as_ref()) {
        lane_shape::join(&mut all, lanes.banked());
    }
    let axes = |axes: BTreeMap<usize, i64>| axes.into_iter().map(|(subscript, count)| Banks { subscript, count });
    all.into_iter().map(|(array, own)| (array, axes(own).collect())).collect()
}

/// The same, and residues that tell the units.
fn wanted_banks(bands: &ByBand<Band>) -> BTreeMap<ArrayId, Vec<Banks>> {
    let mut all = banks(bands);
    for (array, owner) in bands.iter().filter_map(|band| band.units.as_ref()).flat_map(|units| &units.owners) {
        all.insert(*array, vec![Banks { subscript: owner.subscript, count: owner.count }]);
    }
    all
}

/// The mapping of one array in a band: by instances where that takes fewer words than by tiles.
fn allocate_array(
    program: &Program,
    band: &Band,
    kernel: &Kernel,
    flow: &ArrayFlow,
    banks: &[Banks],
    may_separate: bool,
) -> Result<Allocation> {
    let by_tiles = allocate_by_tiles(band, kernel, flow, banks, may_separate)?;
    let by_instances = match is_inside(band, kernel, flow, banks)? {
        true => band.isl.within(INSTANCES_OPERATIONS, || allocate_by_instances(program, band, kernel, flow))?.flatten(),
        false => None,
    };
    let words = by_tiles.as_ref().map(|own| own.mapping.words());
    match (by_tiles, by_instances) {
        (by_tiles, Some(own)) if by_tiles.is_none() || words.is_some_and(|words| own.mapping.words() < words) => {
            Ok(Allocation { words_by_tiles: Some(words), ..own })
        }
        (Some(own), _) => Ok(own),
        (None, _) => Err(unbounded(band, &kernel.arrays[flow.array]).into()),
    }
}

/// Whether an array lives inside of the compute process alone: no tile moves any of it. Lanes run at once what dates have one after
/// the other, and data tell the places of what is gathered or scattered.
fn is_inside(band: &Band, kernel: &Kernel, flow: &ArrayFlow, banks: &[Banks]) -> Result<bool> {
    let is_plain = band.lanes.is_none() && band.units.is_none() && banks.is_empty() && !is_by_data(kernel, flow.array);
    Ok(is_plain && flow.load.is_empty()? && flow.store.is_empty()?)
}

/// The mapping that keeps apart the values of a strip that live at the same time, write by write; `None` where there is none.
fn allocate_by_instances(
    program: &Program,
    band: &Band,
    kernel: &Kernel,
    flow: &ArrayFlow,
) -> Result<Option<Allocation>> {
    let Some(differences) = lifetimes::differences_in_strips(program, band, flow.array)? else { return Ok(None) };
    let Some(exact_moduli) = successive_moduli(&differences)? else { return Ok(None) };
    let name = &kernel.arrays[flow.array].name;
    let mapping = mapping_for(band, &differences, exact_moduli, &[], (name, &Search::INSIDE))?;
    let mapping = as_long_as_the_array(kernel, flow.array, &[], mapping);
    Ok(Some(Allocation {
        array: flow.array,
        number: 0,
        mapping,
        by_tile: None,
        differences: Some(differences),
        words_by_tiles: None,
    }))
}

/// The mapping that keeps apart the cells that are on chip in one step of a strip; `None` where it has no bound.
fn allocate_by_tiles(
    band: &Band,
    kernel: &Kernel,
    flow: &ArrayFlow,
    banks: &[Banks],
    may_separate: bool,
) -> Result<Option<Allocation>> {
    let differences = match is_simple(flow)? {
        true => band.isl.within(DIFFERENCES_OPERATIONS, || differences(band, flow))?,
        false => None,
    };
    let exact_moduli = match &differences {
        Some(differences) => successive_moduli(differences)?,
        None => moduli_by_optima(band, flow)?,
    };
    let Some(exact_moduli) = exact_moduli else { return Ok(None) };
    let name = &kernel.arrays[flow.array].name;
    let is_gathered = is_by_data(kernel, flow.array);
    let mut mapping = match &differences {
        Some(differences) if !is_gathered => {
            mapping_for(band, differences, exact_moduli, banks, (name, &Search::OF_TILES))?
        }
        // Subscripts that depend on data are addresses as they are.
        _ => Mapping::successive(rounded(&exact_moduli, banks), exact_moduli, 1),
    };
    let by_tile = match may_separate && !is_gathered {
        true => band.isl.within(BY_TILE_OPERATIONS, || by_tile(band, flow, banks, name))?.flatten(),
        false => None,
    };
    if let Some(by_tile) = by_tile.as_ref().filter(|by_tile| by_tile.words() <= mapping.words()) {
        mapping = by_tile.clone();
    }
    if !is_gathered {
        mapping = as_long_as_the_array(kernel, flow.array, banks, mapping);
    }
    Ok(Some(Allocation { array: flow.array, number: 0, mapping, by_tile, differences, words_by_tiles: None }))
}

/// The moduli of a large buffer without slots become as small as the array is long, rounded up a little: the residue is the
/// subscript itself then. Where that is the first one, the memory ends behind the last row; where it is a further one, each row
/// does, which takes a block RAM for every power of two in the modulus ([`offload::memory::slices`]).
/// A lattice that takes no fewer words gives way to that.
fn as_long_as_the_array(kernel: &Kernel, array: ArrayId, banks: &[Banks], mapping: Mapping) -> Mapping {
    if mapping.slots != 1 {
        return mapping;
    }
    if mapping.skew.is_empty() {
        return shortened(kernel, array, banks, mapping);
    }
    let exact = mapping.successive_moduli.clone();
    let successive = shortened(kernel, array, banks, Mapping::successive(rounded(&exact, banks), exact, 1));
    if successive.words() <= mapping.words() { successive } else { mapping }
}

/// A mapping without slots and skews with moduli as in [`as_long_as_the_array`].
fn shortened(kernel: &Kernel, array: ArrayId, banks: &[Banks], mut mapping: Mapping) -> Mapping {
    let extents: Vec<Option<i64>> =
        (0..mapping.moduli.len()).map(|k| offload::extent_below(kernel, array, k)).collect();
    let innermost = kernel.arrays[array].layout().innermost();
    let multiple = |k: usize| {
        let own = banks.iter().filter(|axis| axis.subscript == k).map(|axis| axis.count).max().unwrap_or(1);
        // In lanes nothing but beats wants further banks, along memory's rows.
        own.max(if banks.is_empty() || innermost == Some(k) { memory::ROWS } else { memory::ROWS_IN_LANES })
    };
    memory::shorten(&mut mapping.moduli, &extents, multiple);
    mapping
}

/// Powers of two that hold the moduli, and a word of every bank.
fn rounded(moduli: &[i64], banks: &[Banks]) -> Vec<i64> {
    let mut rounded: Vec<i64> = moduli.iter().map(|m| power_of_two(*m)).collect();
    for Banks { subscript, count } in banks {
        rounded[*subscript] = rounded[*subscript].max(*count);
    }
    rounded
}

/// isl's operations for a search of lattices.
const LATTICE_OPERATIONS: u64 = 20_000;

/// The mapping that keeps cells of these `differences` apart: successive modulo with `exact_moduli`, or a lattice of
/// fewer words, of those `wanted`. Banks want the subscripts themselves.
fn mapping_for(
    band: &Band,
    differences: &Set,
    exact_moduli: Vec<i64>,
    banks: &[Banks],
    (array, wanted): (&str, &Search),
) -> Result<Mapping> {
    let search = || lattice::smaller(differences, &exact_moduli, wanted);
    let found = if !banks.is_empty() { None } else { band.isl.within(LATTICE_OPERATIONS, search)?.flatten() };
    // A larger modulus is legal where a smaller one of successive moduli is.
    let Some(Lattice { skew, moduli }) = found else {
        let moduli = rounded(&exact_moduli, banks);
        require_legal(differences, [&exact_moduli, &moduli], array)?;
        return Ok(Mapping::successive(moduli, exact_moduli, 1));
    };
    let rounded = rounded(&moduli, &[]);
    require_legal(&lattice::skewed(differences, &skew)?, [&moduli, &rounded], array)?;
    Ok(Mapping {
        moduli: rounded,
        exact_moduli: moduli,
        skew,
        successive_moduli: exact_moduli,
        slots: 1,
        by_strips: false,
    })
}

fn require_legal(differences: &Set, moduli: [&[i64]; 2], array: &str) -> Result<()> {
    for moduli in moduli {
        if !is_legal(differences, moduli)? {
            bail!("internal error: cells of {array} share a place");
        }
    }
    Ok(())
}

/// Gives a place per tile, of a single band in lanes in two dimensions, to all arrays where all that are transferred can have
/// one: strips then overlap, which otherwise cost such lanes more cycles than words. Tells whether something changed.
pub fn separate_tiles(
    bands: &ByBand<Band>,
    flows: &ByBand<Vec<ArrayFlow>>,
    all: &mut ByBand<Vec<Allocation>>,
) -> Result<bool> {
    if bands.len() > 1 || !bands.iter().all(is_in_two) {
        return Ok(false);
    }
    let mut changed = false;
    for (flow, own) in flows.iter().flatten().zip(all.iter().flatten()) {
        if own.by_tile.is_none() && own.mapping.slots == 1 && !(flow.load.is_empty()? && flow.store.is_empty()?) {
            return Ok(false);
        }
    }
    for own in all.iter_mut().flatten() {
        if let Some(by_tile) = own.by_tile.as_ref().filter(|_| own.mapping.slots == 1) {
            own.mapping = by_tile.clone();
            changed = true;
        }
    }
    Ok(changed)
}

/// Gives a place per strip, two in turn, to the arrays of bands in lanes that are transferred and whose cells stay on chip from tile
/// to tile of a strip: strips then overlap. Lanes are done with a strip soon, and its first loads and last stores take as long as without
/// them. Not to an array of which a strip loads what the one before stores (`depends`, for every flow), which it waits for anyway, and
/// not where sizes leave one strip. Arrays in banks have as many places in all bands. Tells whether something changed.
pub fn separate_strips(
    kernel: &Kernel,
    bands: &ByBand<Band>,
    flows: &ByBand<Vec<ArrayFlow>>,
    depends: &ByBand<Vec<bool>>,
    all: &mut ByBand<Vec<Allocation>>,
) -> Result<bool> {
    let banked = banks(bands);
    let mut separate: BTreeSet<(BandId, ArrayId)> = BTreeSet::new();
    for (number, band) in bands.iter_enumerated() {
        if band.lanes.is_none() || band.directive.strip_indices() == 0 || !has_strips(band)? {
            continue;
        }
        let mut sharing = vec![];
        for ((flow, depends), own) in flows[number].iter().zip(&depends[number]).zip(&all[number]) {
            // Subscripts that depend on data are addresses as they are, of no slot.
            let may_have = own.mapping.slots == 1 && !is_by_data(kernel, flow.array);
            if may_have && !depends && !(flow.load.is_empty()? && flow.store.is_empty()?) {
                sharing.push(flow.array);
            }
        }
        for array in sharing {
            let buffer_of = |band: BandId| all[band].iter().find(|own| own.array == array).map(|own| own.number);
            let shares = |other: BandId| banked.contains_key(&array) && buffer_of(other) == buffer_of(number);
            let bands = bands.keys().filter(|other| *other == number || shares(*other));
            separate.extend(bands.map(|band| (band, array)));
        }
    }
    for (number, own) in all.iter_mut_enumerated() {
        for Allocation { mapping, .. } in own.iter_mut().filter(|own| separate.contains(&(number, own.array))) {
            (mapping.slots, mapping.by_strips) = (2, true);
            // Behind a slot subscripts have whole bits.
            mapping.moduli.iter_mut().for_each(|modulus| *modulus = power_of_two(*modulus));
        }
    }
    Ok(!separate.is_empty())
}

/// Whether a band has several strips within the bounds of sizes.
fn has_strips(band: &Band) -> Result<bool> {
    let strips = band.strip.reverse()?.intersect_range(&band.tiles.intersect_params(&band.bounded_sizes)?)?.domain()?;
    let pairs = Map::of_all(&strips, &strips)?;
    Ok(!pairs.is_subset(&strips.identity()?)?)
}

fn is_in_two(band: &Band) -> bool {
    band.lanes.as_ref().is_some_and(lane_shape::Lanes::is_in_two)
}

/// isl's operations for the mapping of one array by tiles; without it, strips wait.
const BY_TILE_OPERATIONS: u64 = 50_000;

/// The mapping with a slot per tile: of an array that is transferred, in a band of several strips, whose cells are
/// accessed in one tile of a strip only. A cell lives from its load to its last access, and in the next step where it is
/// stored, so two or three tiles have cells on chip.
fn by_tile(band: &Band, flow: &ArrayFlow, banks: &[Banks], array: &str) -> Result<Option<Mapping>> {
    let transfers = usize::from(!flow.load.is_empty()?) + usize::from(!flow.store.is_empty()?);
    let all = match is_in_two(band) {
        // Their strips are worth it where the bounds of sizes leave them one tile.
        true => flow.accessed.intersect_params(&band.bounded_sizes)?,
        false => flow.accessed.clone(),
    };
    let is_reused = || -> Result<bool> { Ok(!band.earlier.apply_range(&all)?.is_disjoint(&all)?) };
    if band.directive.strip_indices() == 0 || transfers == 0 || is_reused()? {
        return Ok(None);
    }
    let accessed = flow.accessed.intersect_params(&band.bounded_sizes)?;
    let differences = accessed.reverse()?.apply_range(&accessed)?.deltas()?.project_out_all_params()?.coalesce()?;
    let Some(exact_moduli) = successive_moduli(&differences)? else { return Ok(None) };
    let mapping = mapping_for(band, &differences, exact_moduli, banks, (array, &Search::OF_TILES))?;
    let slots = transfers as i64 + 1;
    // Where that saves nothing, a slot is a few bits of the tile's number.
    let slots = if power_of_two(slots) * mapping.words() > memory::LARGE { slots } else { power_of_two(slots) };
    Ok(Some(Mapping { slots, ..mapping }))
}

/// One buffer per array of [`Apart::kernel`] that some band accesses.
pub fn merge(apart: &Apart, bands: &ByBand<Band>, allocations: &ByBand<Vec<Allocation>>) -> Vec<Buffer> {
    let banks = banks(bands);
    let all = || allocations.iter_enumerated().flat_map(|(band, own)| own.iter().map(move |a| (band, a.array)));
    let arrays: BTreeMap<ArrayId, ArrayId> = all().map(|(band, array)| (apart.of(band, array), array)).collect();
    let further = |array: ArrayId| banks.get(&array).map_or(vec![], |axes: &Vec<Banks>| axes[1..].to_vec());
    let in_two = bands.iter().any(is_in_two);
    let units = bands.iter().find_map(|band| band.units.as_ref());
    let mapping = |(band, own): (BandId, &Vec<Allocation>), array| {
        own.iter().find(|a| apart.of(band, a.array) == array).map(|a| a.mapping.clone())
    };
    // A port that reads in the middle of the pipeline cannot be lent to the store process.
    let must_copy = |array| gather_count(&apart.kernel, array) > 0 && apart.kernel.is_written(array);
    arrays
        .into_iter()
        .map(|(buffer, array)| Buffer {
            array: buffer,
            mappings: allocations.iter_enumerated().map(|band| mapping(band, buffer)).collect(),
            store_copy: must_copy(buffer),
            copies: 1,
            partition: None,
            placed: None,
            banks: banks.get(&array).map(|axes| axes[0]),
            further_banks: further(array),
            skewed: !in_two && !further(array).is_empty(),
            units: units.map_or(1, |units| units.count),
            owner: units.and_then(|units| units.owners.get(&array).copied()),
        })
        .collect()
}

/// Gives buffers that would move rows of memory element by element, as the lanes lie along other subscripts only, or all lanes
/// access them alike, banks along memory's innermost subscript as well: as many as a word of the memory has elements, and a row,
/// and as there are block RAMs for. Where lanes along one dimension have banks they are those ([`Buffer::skewed`]).
pub fn add_beat_banks(offload: &mut Offload, fabric: &Fabric) {
    let lanes = match (offload.most_lanes(), offload.units()) {
        (Some(lanes), _) => lanes,
        (None, 1) => return,
        (None, _) => 1,
    };
    let in_two = offload.bands.iter().any(offload::Band::is_in_two);
    let stores = offload.bands.iter().flat_map(|band| &band.transfers).filter(|t| !t.store.pieces.is_empty());
    let stored: BTreeSet<ArrayId> = stores.map(|transfer| transfer.array).collect();
    let is_stored = |array: ArrayId| stored.contains(&array);
    let traffic = Traffic::of(offload);
    for place in 0..offload.buffers.len() {
        let buffer = &offload.buffers[place];
        let Some(last) = walked_in_rows(offload, buffer) else { continue };
        let is_alike = buffer.banks.is_none();
        if is_alike && traffic.part(buffer.array) < WORTH_BEATS {
            continue;
        }
        let most = match (is_alike, in_two) {
            (true, _) => i64::MAX,
            (false, true) => lane_shape::MOST_BANKS * lanes / buffer.bank_count(),
            (false, false) => lanes,
        };
        let modulus = buffer.common_mapping().map_or(1, |mapping| mapping.moduli[last]);
        let bits = offload.kernel.arrays[buffer.array].element.bits;
        let mut count = i64::from(fabric.beat_bits / bits).min(1 << modulus.trailing_zeros()).min(most);
        while count > 1 {
            let mut buffers = offload.buffers.clone();
            let banks = Banks { subscript: last, count };
            match is_alike {
                true => buffers[place].banks = Some(banks),
                false => buffers[place].further_banks.push(banks),
            }
            buffers[place].skewed = !is_alike && !in_two;
            // What is stored may get a copy for that.
            let copied = buffers.iter().map(|buffer| Buffer { store_copy: is_stored(buffer.array), ..buffer.clone() });
            if blocks::are_enough(&offload.kernel, &copied.collect::<Vec<_>>(), fabric) {
                offload.buffers = buffers;
                break;
            }
            count /= 2;
        }
    }
}

/// The subscript along which a buffer's rows lie in memory and in the buffer, where it has no banks along it, and may have.
fn walked_in_rows(offload: &Offload, buffer: &Buffer) -> Option<usize> {
    let (kernel, array) = (&offload.kernel, buffer.array);
    let moves = offload.bands.iter().flat_map(|band| &band.transfers).any(|transfer| transfer.array == array);
    let last = buffer.common_mapping()?.moduli.len().checked_sub(1)?;
    let has_banks = buffer.bank_axes().iter().any(|axis| axis.subscript == last);
    // Without banks: ports that take single words, and what serves several reads at once.
    let takes_words = || {
        let slides = offload.windows.iter().any(|window| window.array == array);
        buffer.partition.is_some() || slides || is_by_data(kernel, array) || limit_count(kernel, array) > 0
    };
    // Neighbours in memory are of several units; where all have what is loaded, what is stored is still the owner's.
    let is_split = buffer.owner.is_some_and(|owner| owner.subscript == last);
    let is_plain = buffer.banks.is_some() || !takes_words();
    let may = moves && !has_banks && !is_split && is_plain;
    (may && kernel.arrays[array].layout().innermost() == Some(last)).then_some(last)
}

/// A store's own copy is worth it where iterations would otherwise take more cycles by this part of them: each word that the
/// store process reads from their port holds one up.
const HELD_UP: f64 = 0.02;

/// Banks for beats alone are for arrays that are at least this part of the elements that memory moves.
const WORTH_BEATS: f64 = 1.0 / 16.0;

/// Loops that are walked to find that out.
const STEPS: u64 = 50_000;

/// Gives the store process copies to itself of what it reads: of the arrays `wanted`, where several copies serve the
/// iterations anyway, so that one more costs little, and where it would hold up iterations; as far as the block RAM of `fabric`
/// [has room](blocks::fit).
pub fn add_store_copies(offload: &mut Offload, wanted: &BTreeSet<ArrayId>, fabric: &Fabric) {
    let traffic = Traffic::of(offload);
    for index in 0..offload.buffers.len() {
        if offload.buffers[index].store_copy {
            continue;
        }
        let array = offload.buffers[index].array;
        let mut transfers = offload.bands.iter().flat_map(|b| &b.transfers);
        let is_stored = transfers.any(|t| t.array == array && !t.store.pieces.is_empty());
        let in_banks = offload.buffers[index].banks.is_some();
        let ports = port_count(&offload.kernel, &offload.windows, array);
        let is_worth_it = wanted.contains(&array) || ports > 1 || traffic.held_up(offload, array, in_banks) > HELD_UP;
        offload.buffers[index].store_copy = is_stored && is_worth_it;
        if !blocks::fit(&offload.kernel, &offload.buffers, fabric) {
            offload.buffers[index].store_copy = false;
        }
    }
}

/// What the first tiles of a run do at the sizes that the user runs.
struct Traffic {
    iterations: ByStatement<f64>,
    /// Words of the memory that go in, and those that go out.
    moved: [f64; 2],
    /// Beats that come in.
    loaded: BTreeMap<ArrayId, f64>,
    /// Beats that go out.
    stored: BTreeMap<ArrayId, f64>,
}

impl Traffic {
    /// What part of all that is moved, element by element, is of an array.
    fn part(&self, array: ArrayId) -> f64 {
        let of = |array| self.loaded.get(&array).unwrap_or(&0.0) + self.stored.get(&array).unwrap_or(&0.0);
        let all: f64 = self.loaded.keys().map(|array| of(*array)).sum();
        if all > 0.0 { of(array) / all } else { 0.0 }
    }

    fn of(offload: &Offload) -> Traffic {
        let kernel = &offload.kernel;
        let mut values = Values::new(&kernel.usual_sizes());
        let none = ByStatement::from(vec![0.0; kernel.statements().len()]);
        let mut traffic =
            Traffic { iterations: none, moved: [0.0; 2], loaded: BTreeMap::new(), stored: BTreeMap::new() };
        let mut steps = STEPS;
        let _ = walk::in_order(&offload.tiles.pieces, &mut values, |piece, values| {
            let band = &offload.bands[piece.leaf.band()];
            let tile: Vec<i64> = piece.point.iter().map(|index| values.evaluate(index)).collect();
            let place = values.enter_tile(kernel, &tile);
            let whole = traffic.add(kernel, &offload.buffers, band, values, &mut steps);
            values.stack.truncate(place);
            if whole.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        traffic
    }

    /// Adds a tile; `None` where `steps` do not do.
    fn add(
        &mut self,
        kernel: &Kernel,
        buffers: &[Buffer],
        band: &offload::Band,
        values: &mut Values,
        steps: &mut u64,
    ) -> Option<()> {
        let mut count = |scan: &Scan| -> Option<f64> {
            scan.pieces.iter().map(|piece| Some(walk::count(piece, values, steps)? as f64)).sum()
        };
        for transfer in &band.transfers {
            // Of an array in banks along memory's rows as many elements at once, if the port is as wide.
            let innermost = kernel.arrays[transfer.array].layout().innermost();
            let buffer = buffers.iter().find(|b| b.array == transfer.array);
            let mut axes = buffer.into_iter().flat_map(Buffer::bank_axes);
            let at_once = axes.find(|b| Some(b.subscript) == innermost).map_or(1, |b| b.count) as f64;
            let (loaded, stored) = (count(&transfer.load)? / at_once, count(&transfer.store)? / at_once);
            let words = f64::from(kernel.arrays[transfer.array].element.bytes()) / f64::from(Word::PORT.bytes());
            self.moved[0] += loaded * words;
            self.moved[1] += stored * words;
            *self.loaded.entry(transfer.array).or_default() += loaded;
            *self.stored.entry(transfer.array).or_default() += stored;
        }
        for piece in &band.compute.scan.pieces {
            // Of statements in lanes, a piece has the groups.
            self.iterations[piece.leaf.statement()] += walk::count(piece, values, steps)? as f64;
        }
        Some(())
    }

    /// By which part of the cycles of all iterations the stores of an array make the run longer, if they read from the
    /// iterations' port: as many of them meet an iteration that reads there as such iterations are among all.
    fn held_up(&self, offload: &Offload, array: ArrayId, in_banks: bool) -> f64 {
        let reads = |s: &StatementId| {
            port_references(&offload.kernel, &offload.windows, *s).iter().any(|access| access.array == array)
        };
        let all: f64 = self.iterations.iter().sum();
        let reading: f64 = self.iterations.keys().filter(reads).map(|s| self.iterations[s]).sum();
        let of = |beats: &BTreeMap<ArrayId, f64>| beats.get(&array).copied().unwrap_or(0.0);
        let (cycles, memory) = match in_banks {
            // Lanes are for ports that move both ways at once; and iterations that write wait for the beats that come in.
            true => (all + (of(&self.stored) + of(&self.loaded)) * reading / all, self.moved[0].max(self.moved[1])),
            false => (all + of(&self.stored) * reading / all, self.moved[0] + self.moved[1]),
        };
        if all == 0.0 { 0.0 } else { (cycles - memory.max(all)) / all }
    }
}

/// `{ [Strip -> c[m]] -> [step] }`, where strips run along one dimension: the steps in which a cell is on chip. From its load (the step before the tile that
/// loads it) or else the first tile that writes it, to its last access or, where that is later, its store (the step
/// after the tile that stores it).
fn live_steps(band: &Band, flow: &ArrayFlow) -> Result<Map> {
    let accessed = steps(band, &flow.accessed, 0)?;
    let begin = steps(band, &flow.load, -1)?.union(&accessed)?.coalesce()?;
    let end = steps(band, &flow.store, 1)?.union(&accessed)?.coalesce()?;
    let isl = &band.isl;
    let (s, t) = (["s".to_string()], ["t".to_string()]);
    let (from, to) = (Tuple::unnamed(&s), Tuple::unnamed(&t));
    let (step, other) = (Affine::variable("s"), Affine::variable("t"));
    let onwards = isl.map(&[], from, to, &[Constraint::at_most(step.clone(), other.clone())])?;
    let backwards = isl.map(&[], from, to, &[Constraint::at_most(other, step)])?;
    begin.apply_range(&onwards)?.intersect(&end.apply_range(&backwards)?)?.coalesce()
}

/// `{ T -> c }` as `{ [Strip -> c] -> [step + shift] }`. Where strips run along several dimensions, a step is a row of tiles: the
/// first of their indices.
fn steps(band: &Band, cells: &Map, shift: i64) -> Result<Map> {
    let isl = &band.isl;
    let names = ["s".to_string()];
    let tuple = Tuple::unnamed(&names);
    let shifted = isl.function(&[], tuple, Tuple::anonymous(), &[Affine::variable("s") + Affine::constant(shift)])?;
    let (tile, cell) = (cells.domain_map()?, cells.range_map()?);
    let strip_and_cell = tile.apply_range(&band.strip)?.range_product(&cell)?;
    let step = match band.directive.strip {
        1 => band.step.clone(),
        dimensions => band.step.project_out_outputs(1, dimensions - 1)?,
    };
    strip_and_cell.reverse()?.apply_range(&tile.apply_range(&step)?.apply_range(&shifted)?)
}

/// Convex pieces up to which differences are computed as sets: pairs of pieces cost time.
const SIMPLE_PIECES: usize = 6;

/// Whether an array's transfers are few convex sets.
fn is_simple(flow: &ArrayFlow) -> Result<bool> {
    let (mut pieces, mut locals) = (0, 0);
    for cells in [&flow.load, &flow.store, &flow.accessed] {
        for piece in cells.wrap()?.pieces()? {
            pieces += 1;
            locals += piece.locals()?;
        }
    }
    Ok(pieces <= 2 * SIMPLE_PIECES && (locals == 0 || pieces <= SIMPLE_PIECES))
}

/// Successive moduli without the set of differences: each is 1 plus the optimum of an integer program over two cells
/// that live in one step of one strip. A cell is taken to live from the step before its first access to the step after
/// its last one, in a convex set of steps and cells, which can only add conflicts. Of strips along several dimensions the steps
/// are rows of tiles: the tile before one, and the one behind it, lies in the same row or in the next that has any.
fn moduli_by_optima(band: &Band, flow: &ArrayFlow) -> Result<Option<Vec<i64>>> {
    let loaded = !flow.load.is_empty()?;
    let stored = !flow.store.is_empty()?;
    let ahead = match band.directive.strip {
        1 => 1,
        _ => match strips::rows_ahead(band)? {
            Some(rows) => rows,
            None => return Ok(None),
        },
    };
    // `[Strip -> c] -> [step]` as `[Strip -> [step]] -> c`.
    let when = steps(band, &flow.accessed, 0)?.intersect_params(&band.bounded_sizes)?.convex()?;
    let isl = &band.isl;
    let (s, t) = (["s".to_string()], ["t".to_string()]);
    let (step, other) = (Affine::variable("s"), Affine::variable("t"));
    let reach = |shift: i64, forwards: bool| {
        let moved = step.clone() + Affine::constant(shift);
        let order = match forwards {
            true => Constraint::at_most(moved, other.clone()),
            false => Constraint::at_most(other.clone(), moved),
        };
        isl.map(&[], Tuple::unnamed(&s), Tuple::unnamed(&t), &[order])
    };
    let from = when.apply_range(&reach(if loaded { -ahead } else { 0 }, true)?)?.convex()?;
    let to = when.apply_range(&reach(if stored { ahead } else { 0 }, false)?)?.convex()?;
    let live = from.intersect(&to)?.domain_reverse()?.curry()?.reverse()?;

    let pairs = live.range_product(&live)?.wrap()?.flatten()?;
    let rank = live.range()?.dimensions()?;
    let n = pairs.dimensions()?;
    let names: Vec<String> = (0..n).map(|k| format!("d{k}")).collect();
    let cell = |k: usize, second: bool| n - if second { rank } else { 2 * rank } + k;
    let difference = |k: usize| Affine::variable(&names[cell(k, false)]) - Affine::variable(&names[cell(k, true)]);
    successive(
        pairs,
        0..rank,
        |rest, k| rest.largest(&names, &difference(k)),
        |rest, k| rest.equate(cell(k, false), cell(k, true)),
    )
}

/// Successive modulo (Lefebvre and Feautrier): the modulus of a dimension is 1 plus the `largest` difference there among
/// those that are 0 in the dimensions before it, what `equal` leaves. `None` where a difference has no bound.
fn successive(
    differences: Set,
    dimensions: impl Iterator<Item = usize>,
    largest: impl Fn(&Set, usize) -> Result<Bounded>,
    equal: impl Fn(&Set, usize) -> Result<Set>,
) -> Result<Option<Vec<i64>>> {
    let mut rest = differences;
    let mut moduli = vec![];
    for k in dimensions {
        moduli.push(match largest(&rest, k)? {
            Bounded::Finite(largest) => largest + 1,
            Bounded::Infinite => return Ok(None),
            Bounded::Empty => 1,
        });
        rest = equal(&rest, k)?;
    }
    Ok(Some(moduli))
}

/// The conflict relation `{ c[m] -> c[m'] }`: cells that live in one step of one strip. Of cells that are a remainder or
/// a quotient, it has the ones between as well: they change no modulus, and projections without floors are fast.
pub fn conflicts(band: &Band, flow: &ArrayFlow) -> Result<Map> {
    // `c -> [Strip -> [step]]`, or `c -> T`
    let when = match band.directive.strip {
        1 => live_steps(band, flow)?.domain_reverse()?.curry()?,
        _ => strips::live(band, flow)?,
    };
    let when = when.intersect_params(&band.bounded_sizes)?.remove_divs()?.coalesce()?;
    when.apply_range(&when.reverse()?)
}

/// DS: the differences of conflicting cells, whatever the sizes. For `a` of the matrix product with tiles of 32:
/// `{ a[x, y] : -31 <= x <= 31 and -63 <= y <= 63 }`.
pub fn differences(band: &Band, flow: &ArrayFlow) -> Result<Set> {
    conflicts(band, flow)?.deltas()?.project_out_all_params()?.coalesce()
}

/// The moduli of successive modulo along the subscripts. `None` where a difference has no bound.
pub fn successive_moduli(differences: &Set) -> Result<Option<Vec<i64>>> {
    successive(differences.clone(), 0..differences.dimensions()?, Set::maximum, |rest, k| rest.fix(k, 0))
}

/// `DS ∩ ker σ = {0}` for σ = (x mod m0, y mod m1, …).
pub fn is_legal(differences: &Set, moduli: &[i64]) -> Result<bool> {
    let names: Vec<String> = (0..moduli.len()).map(|k| format!("q{k}")).collect();
    let multiples: Vec<Affine> = names.iter().zip(moduli).map(|(q, &m)| Affine::variable(q) * m).collect();
    let tuple = Tuple::unnamed(&names);
    let isl = differences.context();
    let kernel = isl.function(&[], tuple, Tuple::anonymous(), &multiples)?.range()?;
    let zero: Vec<Constraint> = names.iter().map(|q| Constraint::Zero(Affine::variable(q))).collect();
    differences.without_tuple_name()?.intersect(&kernel)?.is_subset(&isl.set(&[], tuple, &zero)?)
}

fn unbounded(band: &Band, array: &Array) -> Diagnostic {
    Diagnostic::new(format!(
        "the buffer of `{}` has no bound: the cells that a strip keeps on chip grow with the size parameters",
        array.name
    ))
    .at(band.directive.span, "this tiling")
    .help("give the size parameters a bound (max), or choose a tiling whose strips reuse less")
}

/// σ as people read it: `c[i, j] -> [i mod 32, j mod 32]`, `a[i, k] -> [tile mod 2, i mod 32, k mod 32]`, with the mappings of several bands one after the other where
/// they differ.
pub fn mapping_text(kernel: &Kernel, buffer: &Buffer) -> String {
    let names = dimension_names(kernel, buffer.array);
    let mut texts: Vec<String> = vec![];
    for mapping in buffer.mappings.iter().flatten() {
        let number = if mapping.by_strips { "strip" } else { "tile" };
        let slot = (mapping.slots > 1).then(|| format!("{number} mod {}", mapping.slots));
        let subscripts: Vec<Affine> = names.iter().map(Affine::variable).collect();
        let rows = mapping.skewed(&subscripts);
        let residues = rows.iter().zip(&mapping.moduli).map(|(row, m)| residue_text(row, *m));
        let residues: Vec<String> = slot.into_iter().chain(residues).collect();
        let text = format!("[{}]", residues.join(", "));
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let mut text = format!("{}[{}] -> {}", kernel.arrays[buffer.array].name, names.join(", "), texts.join(" or "));
    let axes = buffer.bank_axes();
    if buffer.skewed {
        let residue = |axis: &Banks| match axis.count < buffer.bank_count() {
            true => format!("{} mod {}", names[axis.subscript], axis.count),
            false => names[axis.subscript].clone(),
        };
        let sum = axes.iter().map(residue).collect::<Vec<_>>().join(" + ");
        text += &format!(", {} banks of {sum}", buffer.bank_count());
    } else {
        for banks in axes {
            text += &format!(", {} banks of {}", banks.count, names[banks.subscript]);
        }
    }
    if let Some(partition) = &buffer.partition {
        let subscripts: Vec<Affine> = names.iter().map(Affine::variable).collect();
        let mapping = buffer.common_mapping().expect("bands agree on what is in banks");
        let bank = partition.bank(&mapping.skewed(&subscripts), Affine::default());
        text += &format!(", bank {}", residue_text(&bank, partition.count));
    }
    if let Some(array) = kernel.arrays[buffer.array].use_of {
        text += &format!(", another use of {}", kernel.arrays[array].name);
    }
    text
}

fn residue_text(value: &Affine, modulus: i64) -> String {
    match value.terms.len() {
        1 if value.terms.values().all(|c| *c == 1) => format!("{value} mod {modulus}"),
        _ => format!("({value}) mod {modulus}"),
    }
}
