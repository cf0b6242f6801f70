//! What limits a run: the cycles that the memory, the datapath and the dependences would each allow, were there nothing
//! but them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::area::{self, LOGIC};
use super::count::{self, Work};
use super::{demand, ports};
use crate::affine::Affine;
use crate::board::{Board, Memory};
use crate::ids::{ArrayId, ByArray};
use crate::offload::{Offload, Piece};
use crate::operators;
use crate::source::kernel::{Access, Condition, Expr, Kernel, Storage};
use crate::walk::guard_depth;

/// Instances and their reads that are followed, some seconds' work; of longer runs, the first ones.
const FOLLOWED: u64 = 600_000_000;

/// Cells whose values' times are kept.
const CELLS: u64 = 1 << 24;

/// Lower bounds of the cycles of a run, each by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// The words of the Load and Store sets through the port of the memory; behind a bus, of the direction that moves more,
    /// or of the memory that serves both; of several ports, of the busiest.
    pub memory: u64,
    /// Instances of the statements over those that start per cycle; where data cut rows short, of a run those that started.
    pub datapath: u64,
    /// The longest chain of values, each computed from the ones before, in cycles of the operators between them. Integer
    /// operators take what they take in the datapath, and no instance less than a cycle. Sums that lanes split are in no
    /// order. Of rows that data cut short no instance counts.
    pub dependences: u64,
    /// Whether the chain is that of the whole run, or of its first instances only. So are the words of `once`.
    pub dependences_whole: bool,
    /// As `memory`, of every word that is read before it is written, once, and of every word that is written, once: whatever the
    /// tiles are.
    pub once: u64,
    /// The products of all instances over the board's multipliers.
    pub multipliers: u64,
    /// The look-up tables of the operators of all instances over those that lanes may take ([`LOGIC`]).
    pub look_up_tables: u64,
}

impl Bound {
    pub fn of(offload: &Offload, board: &Board, work: &Work, sizes: &BTreeMap<String, i64>) -> Bound {
        let followed = chain(offload, sizes, FOLLOWED);
        let moved = [work.bytes_read, work.bytes_written];
        let busiest = match board.memory.bus() {
            Some(bus) if bus.ports > 1 => demand::busiest(offload, sizes),
            _ => None,
        };
        let memory = through_memory(board, moved, busiest.unwrap_or(moved[0].max(moved[1])));
        let crossing = followed.crossing.iter().fold([0; 2], |sum, own| [sum[0] + own[0], sum[1] + own[1]]);
        let ports = ports::moved(offload, &followed.crossing);
        let once = through_memory(board, crossing, ports.into_iter().flatten().max().unwrap_or(0));
        let [multipliers, look_up_tables] = of_fabric(offload, board, sizes);
        let lanes = offload.most_lanes().unwrap_or(1) as u64 * offload.units() as u64;
        Bound {
            memory,
            datapath: work.starts.div_ceil(lanes),
            dependences: followed.longest,
            dependences_whole: followed.is_whole,
            once,
            multipliers,
            look_up_tables,
        }
    }

    /// The largest of what no tiles and no lanes could change on this board, and which.
    pub fn of_board(&self) -> (&'static str, u64) {
        let all = [
            ("memory", self.once),
            ("multipliers", self.multipliers),
            ("look-up tables", self.look_up_tables),
            ("dependences", self.dependences),
        ];
        all.into_iter().max_by_key(|(_, cycles)| *cycles).expect("four of them")
    }

    /// The largest of the three, and which.
    pub fn largest(&self) -> (&'static str, u64) {
        let all = [("datapath", self.datapath), ("memory", self.memory), ("dependences", self.dependences)];
        let largest = all.iter().map(|(_, cycles)| *cycles).max().unwrap_or(0);
        *all.iter().find(|(_, cycles)| *cycles == largest).expect("one of them")
    }
}

/// The cycles that the memory takes for so many bytes read and written, of which the busiest port has so many in one direction.
fn through_memory(board: &Board, [read, written]: [u64; 2], busiest: u64) -> u64 {
    let together = ((read + written) as f64 * board.clock_mhz / board.memory.peak_mb_s()).ceil() as u64;
    match &board.memory {
        memory @ (Memory::Axi4(_) | Memory::AvalonMm(_)) => memory.link().widest_word().holding(busiest).max(together),
        _ => together,
    }
}

/// The cycles that the board's multipliers and look-up tables would allow.
fn of_fabric(offload: &Offload, board: &Board, sizes: &BTreeMap<String, i64>) -> [u64; 2] {
    let iterations = count::surely(offload, sizes);
    let own = area::of_statements(offload);
    let all = own.iter().zip(iterations.iter()).fold([0; 2], |sum, (own, &times)| {
        [sum[0] + u128::from(own[0]) * u128::from(times), sum[1] + u128::from(own[1]) * u128::from(times)]
    });
    let device = &board.device;
    let over = |work: u128, has: u64| u64::try_from(work.div_ceil(u128::from(has.max(1)))).unwrap_or(u64::MAX);
    [over(all[0], device.dsp_18x18), over(all[1], (LOGIC * device.aluts as f64) as u64)]
}

/// What following the instances of a run finds.
struct Followed {
    /// The longest chain in cycles.
    longest: u64,
    /// Whether all instances were followed. Of longer runs it is the first, whose chain is none longer than the run's.
    is_whole: bool,
    /// Per array, bytes that are read before anything is written there, and bytes that are written.
    crossing: ByArray<[u64; 2]>,
}

/// Follows so many instances and reads of them.
fn chain(offload: &Offload, sizes: &BTreeMap<String, i64>, left: u64) -> Followed {
    let crossing = ByArray::from(vec![[0; 2]; offload.kernel.arrays.len()]);
    let Some(cells) = Cells::new(offload, sizes) else { return Followed { longest: 0, is_whole: false, crossing } };
    let count = cells.count as usize;
    let mut chain =
        Chain { sizes, times: vec![0; count], touched: vec![0; count], slots: vec![], left, longest: 0, crossing };
    let written = offload.as_written();
    let nests: Vec<Nest> =
        offload.source_order.pieces.iter().map(|piece| Nest::new(offload, &written, piece, &cells)).collect();
    chain.slots = vec![0; nests.iter().map(|nest| nest.names.len()).max().unwrap_or(0)];
    let is_whole = chain.walk(&nests, 0).is_some();
    for (array, own) in offload.kernel.arrays.iter_enumerated() {
        let bytes = u64::from(own.element.bytes());
        // Local arrays need not cross, and nobody reads what is left of scratch.
        // Of what a mask keeps nothing is read.
        let crosses =
            [own.storage == Storage::Argument && !own.masked, own.storage == Storage::Argument && !own.scratch];
        for (count, crosses) in chain.crossing[array].iter_mut().zip(crosses) {
            *count *= if crosses { bytes } else { 0 };
        }
    }
    Followed { longest: chain.longest, is_whole, crossing: chain.crossing }
}

/// Where the cells of all arrays have their times.
struct Cells<'a> {
    sizes: &'a BTreeMap<String, i64>,
    /// Per array, its first cell and the cells from one to the next of each subscript.
    places: ByArray<(i64, Vec<i64>)>,
    count: u64,
}

impl<'a> Cells<'a> {
    /// `None` where there are too many.
    fn new(offload: &Offload, sizes: &'a BTreeMap<String, i64>) -> Option<Cells<'a>> {
        let (mut places, mut count) = (ByArray::<(i64, Vec<i64>)>::new(), 0u64);
        for array in &offload.kernel.arrays {
            if let Some(argument) = array.use_of {
                let place = places[argument].clone();
                places.push(place);
                continue;
            }
            let mut own = 1u64;
            let mut strides = vec![0; array.extents.len()];
            for (stride, extent) in strides.iter_mut().zip(&array.extents).rev() {
                *stride = own as i64;
                let extent = extent.evaluate(|name| sizes.get(name).copied().unwrap_or(0)).max(0) as u64;
                own = own.checked_mul(extent).filter(|own| *own <= CELLS)?;
            }
            places.push((count as i64, strides));
            count += own;
        }
        (count <= CELLS).then_some(Cells { sizes, places, count })
    }

    /// The place of a cell's time.
    fn place(&self, access: &Access) -> Affine {
        let (first, strides) = &self.places[access.array];
        let terms = access.subscripts.iter().zip(strides);
        terms.fold(Affine::constant(*first), |sum, (subscript, stride)| sum + subscript.clone() * *stride)
    }
}

/// An affine expression over slots.
struct Flat {
    terms: Vec<(usize, i64)>,
    constant: i64,
}

impl Flat {
    fn of(&self, slots: &[i64]) -> i64 {
        self.terms.iter().fold(self.constant, |sum, (slot, factor)| sum + slots[*slot] * factor)
    }
}

/// A read of an instance.
struct Source {
    array: ArrayId,
    place: Flat,
    guard: Option<Condition>,
    /// Cycles from its value to the instance's; none where the value is in no order with it.
    cycles: Option<u64>,
}

/// A piece of the program as written, with its loops and instances over slots: a level's value has its depth as slot,
/// quotients come behind. Hundreds of millions of instances are followed, so that no name is looked up on the way, as
/// [`crate::walk::walk`] does for each.
struct Nest<'a> {
    piece: &'a Piece,
    /// By slot.
    names: Vec<String>,
    levels: Vec<[Vec<(Flat, i64)>; 2]>,
    guards: Vec<Flat>,
    /// What quotients are of, with the number of each in the kernel.
    quotients: Vec<(Flat, &'a crate::source::kernel::Quotient)>,
    /// The values of iterators that guards of reads name.
    iterators: Vec<(String, Flat)>,
    sources: Vec<Source>,
    /// Which the target is in.
    array: ArrayId,
    target: Flat,
    /// Cycles of an instance that reads nothing.
    least: u64,
    /// Updates of the target in any order.
    joins: bool,
    /// Data cut its rows short: which instances make values is not known.
    is_cut: bool,
}

impl<'a> Nest<'a> {
    fn new(offload: &'a Offload, kernel: &'a Kernel, piece: &'a Piece, cells: &Cells) -> Nest<'a> {
        let mut names: Vec<String> = piece.levels.iter().map(|level| level.name.clone()).collect();
        let depth = names.len();
        names.extend(kernel.quotients.iter().map(|quotient| quotient.name.clone()));
        let flat = |affine: &Affine| {
            let mut flat = Flat { terms: vec![], constant: affine.constant };
            for (name, factor) in &affine.terms {
                match names.iter().rposition(|own| own == name) {
                    Some(slot) => flat.terms.push((slot, *factor)),
                    None => flat.constant += cells.sizes.get(name).copied().unwrap_or(0) * factor,
                }
            }
            flat
        };
        let bounds =
            |bounds: &[crate::offload::Bound]| bounds.iter().map(|b| (flat(&b.numerator), b.divisor)).collect();
        let iterators = &kernel.iterators()[piece.leaf.statement()];
        // From iterators to the loops.
        let in_loops = |affine: &Affine| {
            flat(&affine.substitute(|name| match iterators.iter().position(|iterator| iterator == name) {
                Some(place) => piece.point[place].clone(),
                None => Affine::variable(name),
            }))
        };
        let statement = kernel.statements()[piece.leaf.statement()];
        let own = offload.kernel.statements().position(|own| own.name == statement.name);
        let reduction = own.and_then(|own| offload.lanes(own)).and_then(|shape| shape.reduction.as_ref());
        let value = reduction.map_or(&statement.value, |reduction| &reduction.term);
        // Updates of lanes take a cycle; the order of theirs is open.
        let behind = u64::from(reduction.is_some());
        let mut sources = vec![];
        let array = |access: &Access| offload.kernel.memory_of(access.array);
        reads(value, behind, &mut |access, cycles| {
            let (place, guard) = (in_loops(&cells.place(access)), access.guard.clone());
            sources.push(Source { array: array(access), place, guard, cycles: Some(cycles.max(1)) });
        });
        if reduction.is_some() {
            let place = in_loops(&cells.place(&statement.target));
            sources.push(Source { array: array(&statement.target), place, guard: None, cycles: None });
        }
        Nest {
            piece,
            levels: piece.levels.iter().map(|level| [bounds(&level.lower), bounds(&level.upper)]).collect(),
            guards: piece.guards.iter().map(flat).collect(),
            quotients: kernel.quotients.iter().map(|quotient| (in_loops(&quotient.numerator), quotient)).collect(),
            iterators: iterators.iter().zip(&piece.point).map(|(name, value)| (name.clone(), flat(value))).collect(),
            sources,
            array: array(&statement.target),
            target: in_loops(&cells.place(&statement.target)),
            least: (longest(value) + behind).max(1),
            joins: reduction.is_some(),
            is_cut: kernel.limits(statement).is_some(),
            names: names[..depth + kernel.quotients.len()].to_vec(),
        }
    }

    /// The first and last value of the level at `depth`.
    fn interval(&self, depth: usize, slots: &[i64]) -> (i64, i64) {
        let [lower, upper] = &self.levels[depth];
        let lower = lower.iter().map(|(bound, by)| -(-bound.of(slots)).div_euclid(*by)).max();
        let upper = upper.iter().map(|(bound, by)| bound.of(slots).div_euclid(*by)).min();
        (lower.unwrap_or(0), upper.unwrap_or(-1))
    }
}

/// Calls `found` for every read in `expr`, with the cycles from its value to one `behind` cycles behind that of `expr`.
fn reads(expr: &Expr, behind: u64, found: &mut impl FnMut(&Access, u64)) {
    if let Expr::Read { access, .. } = expr {
        found(access, behind);
    }
    let behind = behind + u64::from(operators::cycles(expr));
    expr.operands().into_iter().for_each(|operand| reads(operand, behind, found));
}

/// The cycles of the longest chain of operators in `expr`.
fn longest(expr: &Expr) -> u64 {
    let operands = expr.operands().into_iter().map(longest).max().unwrap_or(0);
    u64::from(operators::cycles(expr)) + operands
}

/// What has happened to a cell: [`Chain::touched`].
const READ: u8 = 1;
const WRITTEN: u8 = 2;

struct Chain<'a> {
    sizes: &'a BTreeMap<String, i64>,
    /// When the value of every cell is there.
    times: Vec<u64>,
    /// Whether it was read before it was written, and whether it was written.
    touched: Vec<u8>,
    /// Per array, the numbers of such cells.
    crossing: ByArray<[u64; 2]>,
    slots: Vec<i64>,
    /// Instances and reads that are still followed.
    left: u64,
    longest: u64,
}

impl Chain<'_> {
    /// The instances of pieces that share their first `depth` levels, in the order of the program; `None` when enough have
    /// been followed. See [`crate::walk::in_order`].
    fn walk(&mut self, nests: &[Nest], depth: usize) -> Option<()> {
        for group in nests.chunk_by(|_, next| next.piece.shared > depth) {
            let first = &group[0];
            let is_settled = guard_depth(first.piece) <= depth;
            if group.len() == 1 && is_settled && first.guards.iter().any(|guard| guard.of(&self.slots) < 0) {
                continue;
            }
            if depth == first.levels.len() {
                self.left = self.left.checked_sub(1 + first.sources.len() as u64)?;
                self.instance(first);
                continue;
            }
            let (lower, upper) = first.interval(depth, &self.slots);
            for value in lower..=upper {
                self.slots[depth] = value;
                self.walk(group, depth + 1)?;
            }
        }
        Some(())
    }

    fn instance(&mut self, nest: &Nest) {
        let first_quotient = nest.levels.len();
        for (place, (numerator, quotient)) in nest.quotients.iter().enumerate() {
            self.slots[first_quotient + place] = quotient.of(numerator.of(&self.slots));
        }
        let time = |place: i64, times: &[u64]| usize::try_from(place).ok().and_then(|p| times.get(p)).copied();
        let mut end = nest.least;
        for source in &nest.sources {
            if source.guard.as_ref().is_none_or(|guard| self.holds(nest, guard)) {
                let place = source.place.of(&self.slots);
                self.touch(source.array, place, READ);
                let there = time(place, &self.times).unwrap_or(0);
                end = end.max(source.cycles.map_or(0, |cycles| there + cycles));
            }
        }
        let target = nest.target.of(&self.slots);
        self.touch(nest.array, target, WRITTEN);
        if nest.is_cut {
            return;
        }
        if nest.joins {
            end = end.max(time(target, &self.times).unwrap_or(0));
        }
        if let Some(own) = usize::try_from(target).ok().and_then(|place| self.times.get_mut(place)) {
            *own = end;
        }
        self.longest = self.longest.max(end);
    }

    fn touch(&mut self, array: ArrayId, place: i64, how: u8) {
        let Some(touched) = usize::try_from(place).ok().and_then(|place| self.touched.get_mut(place)) else { return };
        // What was written came from nowhere else.
        if *touched & (how | WRITTEN) == 0 || how == WRITTEN && *touched & WRITTEN == 0 {
            self.crossing[array][usize::from(how == WRITTEN)] += 1;
            *touched |= how;
        }
    }

    fn holds(&self, nest: &Nest, condition: &Condition) -> bool {
        let value = |affine: &Affine| {
            affine.evaluate(|name| {
                let iterator = nest.iterators.iter().find(|(own, _)| own == name).map(|(_, v)| v.of(&self.slots));
                let slot = || nest.names.iter().rposition(|own| own == name).map(|slot| self.slots[slot]);
                iterator.or_else(slot).or_else(|| self.sizes.get(name).copied()).unwrap_or(0)
            })
        };
        match condition {
            Condition::NonNegative(affine) => value(affine) >= 0,
            Condition::Zero(affine) => value(affine) == 0,
            Condition::All(parts) => parts.iter().all(|part| self.holds(nest, part)),
            Condition::Any(parts) => parts.iter().any(|part| self.holds(nest, part)),
            Condition::Not(part) => !self.holds(nest, part),
        }
    }
}
