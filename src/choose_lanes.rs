//! How many iterations run side by side: as many as somebody asks for, or as few as keep the memory busy.

mod automatic;
mod in_two;
mod long;
mod sides;
mod tiles;
mod together;
mod units;
mod whole;

pub use units::{UnitsRequest, analyze_in_units, parse_units};

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use anyhow::Result;

use crate::affine::Affine;
use crate::analysis::{self, Analysis};
use crate::board::Board;
use crate::buffer::blocks::{self, NoRoom};
use crate::diagnostic::{Diagnostic, Span};
use crate::ids::StatementId;
use crate::offload::{Band, Offload};
use crate::polyhedral::isl::Exhausted;
use crate::polyhedral::{Apart, filled, privatized, slanted, uses_apart};
use crate::report::area::{Area, LOGIC};
use crate::report::demand::Demand;
use crate::report::expected::Expected;
use crate::report::ports;
use crate::source::kernel::{Access, Kernel, LanesAlong, LanesDirective, Schedule, TilingDirective, UsesDirective};
use crate::source::panels::in_panels;

/// Parts of the block RAM that tiles are chosen for, where those for all of it are too large for the lanes.
const SMALLER: [f64; 4] = [0.5, 0.25, 0.125, 0.0625];

/// Analyses with lanes where nobody asks for a number.
const PROBES: usize = 12;

/// isl's operations for all of them: some seconds.
const OPERATIONS: u64 = 7_000_000;

/// Those for all searches together, of the kernel, of it in other words and of lanes in other tiles, which one after the other get what is left.
const SEARCH_OPERATIONS: u64 = 20_000_000;
/// The same for kernels with statements in more than three loops, where an operation takes longer.
const DEEP_SEARCH_OPERATIONS: u64 = 8_000_000;

/// Those for the diagonals of so many lanes.
const SLANTS: u64 = 2_000_000;
const FEW: i64 = 4;

/// With fewer left no analysis begins.
const LEAST: u64 = 10_000;

/// Cycles of a run that is too short to look for much: of those that stand alone before and behind it the estimate knows little.
const SHORT: f64 = 5_000.0;

/// Operators of all lanes together where nobody asks for a number: the circuits of so many take some seconds.
const OPERATORS: u64 = 16_000;

/// Lanes are worth it where they leave this part of the cycles, and fewer are where they take so many times them.
const WORTH_IT: f64 = 0.98;
const AS_GOOD: f64 = 1.03;

/// Buffers apart that take at most half of the words may take so many times the cycles and move so many times the bytes: what two
/// uses have in common is loaded twice.
const MORE_CYCLES: f64 = 1.01;
const MORE_BYTES: f64 = 1.25;

/// Where lanes take so many times the cycles that they would were all of them busy, fewer are looked at, too.
const UNUSED: f64 = 1.25;

/// `--lanes 16`, `--lanes i:8,j:8` or `--lanes auto`; takes the place of what directives say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    Count(i64),
    /// So many along each of two loops.
    InTwo([(String, i64); 2]),
    /// The fewest lanes at which the memory is the bottleneck, or the most that the board and the kernel allow.
    Automatic,
    /// [`Request::Automatic`] for a kernel without directives, else what those say. What the commands do where nobody asks.
    Usual,
}

/// Reads `16`, `i:8,j:8` or `auto`.
///
/// # Errors
/// What was expected.
pub fn parse(text: &str) -> Result<Request, String> {
    let most = LanesDirective::MOST;
    match text.parse() {
        Ok(count) if LanesDirective::allows(count) => return Ok(Request::Count(count)),
        _ if text == "auto" => return Ok(Request::Automatic),
        _ => {}
    }
    let along = |item: &str| -> Option<(String, i64)> {
        let (name, count) = item.split_once(':')?;
        let count = count.trim().parse().ok().filter(|count| *count > 1 && LanesDirective::allows(*count))?;
        Some((name.trim().to_string(), count))
    };
    let items: Vec<Option<(String, i64)>> = text.split(',').map(along).collect();
    match &items[..] {
        [Some(first), Some(second)] if first.0 != second.0 && first.1 * second.1 <= most => {
            Ok(Request::InTwo([first.clone(), second.clone()]))
        }
        _ => Err(format!(
            "`{text}` is neither `auto` nor a power of two up to {most}, nor two loops with such numbers, as in `i:8,j:8`"
        )),
    }
}

/// [`analysis::analyze`] for `board`, with the lanes that `request` wants, or else the directives. Arrays that are read along
/// several directions have a buffer for each where that is worth it, and arguments in which iterations leave values for themselves
/// alone are local arrays; where lanes would access an array along a diagonal, it counts along it; where no buffers fit, or no lanes are possible, rows and columns that are read beside the block that is
/// written have local arrays.
///
/// # Errors
/// A [`Diagnostic`] of the analysis, or where somebody asks for more lanes than the board has room for.
pub fn analyze(kernel: &Kernel, board: &Board, request: Option<Request>) -> Result<Offload> {
    let is_unasked = matches!(request, Some(Request::Automatic | Request::Usual));
    let all = if kernel.is_deep() { DEEP_SEARCH_OPERATIONS } else { SEARCH_OPERATIONS };
    let operations = Cell::new(if is_unasked { all } else { u64::MAX });
    let means = Means { board, operations: &operations };
    let (kernel, whole) = with_gaps(kernel, means, request.clone());
    let may_gain = request.is_some() && kernel.tilings.is_empty() && means.may_better(&whole);
    let whole = match may_gain.then(|| privatized(&kernel)).flatten() {
        Some(private) => better_of(whole, of_uses(&private, means, request.clone()), board),
        None => whole,
    };
    let Some((slanted, tilings)) = aslant(&kernel, means, request.as_ref(), &whole) else { return whole };
    // A box around what a tile accesses is larger aslant, what it accesses is not.
    let other = in_tiles_or_others(&slanted, tilings, means, request.clone());
    better_of(whole, other.or_else(|_| with_lanes(&slanted, means, request)), board)
}

/// The kernel with what lies between accessed elements moved along with them, where that is surely or by the estimate worth it, or as it is.
fn with_gaps(kernel: &Kernel, means: Means, request: Option<Request>) -> (Kernel, Result<Offload>) {
    let filled = |kernel: &Kernel, apart| request.as_ref().and_then(|_| filled(kernel, apart));
    let first = filled(kernel, Apart::Near).unwrap_or_else(|| kernel.clone());
    let mut best = (first.clone(), in_blocks(&first, means, request.clone()));
    let is_other = first.arrays.iter().any(|array| array.takes_along > 0);
    let others = [Some(kernel.clone()).filter(|_| is_other), filled(&first, Apart::Far)];
    for other in others.into_iter().flatten() {
        if !means.may_better(&best.1) {
            continue;
        }
        let found = in_blocks(&other, means, request.clone());
        let is_taken = match (&best.1, &found) {
            (Ok(best), Ok(found)) => is_better(found, best, means.board),
            (Err(_), Ok(_)) => true,
            // Who asked for something hears of the text as it is.
            (Err(_), Err(_)) => other.arrays.iter().all(|array| array.takes_along == 0),
            (Ok(_), Err(_)) => false,
        };
        if is_taken {
            best = (other, found);
        }
    }
    best
}

/// The kernel with arrays that count along the diagonals of lanes, where statements have none as it is and would then, and the tilings in
/// which that was found.
fn aslant(
    kernel: &Kernel,
    means: Means,
    request: Option<&Request>,
    found: &Result<Offload>,
) -> Option<(Kernel, Vec<TilingDirective>)> {
    let is_plain = |band: &Band| match &band.compute.lanes {
        None => true,
        Some(lanes) => lanes.per_statement.iter().any(Option::is_none),
    };
    let is_asked = matches!(request, Some(Request::Count(_)));
    let may_gain = match found {
        Ok(offload) => offload.bands.iter().any(is_plain),
        // Where nobody asks for a number, lanes are no reason to refuse.
        Err(error) => error.is::<Diagnostic>() && (is_asked || kernel.tilings.iter().any(|own| own.lanes.is_some())),
    };
    let asks = kernel.tilings.iter().any(|tiling| tiling.lanes.is_some());
    let wants = match request {
        None => asks,
        Some(Request::Usual) => asks || kernel.tilings.is_empty(),
        Some(Request::Automatic) => true,
        Some(Request::Count(count)) => *count > 1,
        Some(Request::InTwo(_)) => false,
    };
    let has_rows = |access: &Access| access.subscripts.len() > 1 && kernel.is_written(access.array);
    let has_rows = kernel.statements().iter().any(|statement| statement.references().into_iter().any(has_rows));
    if !may_gain || !wants || !has_rows || !means.may_better(found) {
        return None;
    }
    // What was found may be of the kernel in other words, whose statements are others.
    let names: BTreeSet<&String> = kernel.statements().iter().map(|statement| &statement.name).collect();
    let is_own = |tilings: &Vec<TilingDirective>| {
        let own = tilings.iter().flat_map(|tiling| &tiling.schedules);
        own.map(|schedule| &schedule.statement).collect::<BTreeSet<_>>() == names
    };
    let known = match found {
        Ok(offload) => Some(offload.tilings_as_written()).filter(is_own),
        Err(_) => Some(kernel.tilings.clone()).filter(|tilings| !tilings.is_empty()),
    };
    let mut tilings = match known {
        Some(tilings) => tilings,
        None => with_lanes(kernel, means, Some(Request::Count(1))).ok()?.tilings_as_written(),
    };
    tilings.iter_mut().for_each(|tiling| tiling.lanes = Some(LanesDirective::new(FEW, Span::default())));
    let slants = Analysis::new(kernel).and_then(|analysis| analysis.slants(&tilings, Some(SLANTS))).ok()?;
    tilings.iter_mut().for_each(|tiling| tiling.lanes = None);
    Some((slanted(kernel, &slants)?, tilings))
}

/// The kernel as it is, or with panels.
fn in_blocks(kernel: &Kernel, means: Means, request: Option<Request>) -> Result<Offload> {
    let found = of_uses(kernel, means, request.clone());
    let wants_lanes = request.as_ref().is_some_and(|request| *request != Request::Count(1));
    let may_gain = match &found {
        Ok(offload) => wants_lanes && offload.bands.iter().all(|band| band.compute.lanes.is_none()),
        Err(error) => error.is::<NoRoom>() || wants_lanes && error.is::<Diagnostic>(),
    };
    let may_gain = may_gain && kernel.tilings.is_empty() && means.may_better(&found);
    let Some(panels) = may_gain.then(|| in_panels(kernel)).flatten() else { return found };
    better_of(found, with_lanes(&panels, means, request), means.board)
}

/// The better of one buffer per array and one per use, or the one that somebody asks for.
fn of_uses(kernel: &Kernel, means: Means, request: Option<Request>) -> Result<Offload> {
    match (kernel.uses, uses_apart(kernel)) {
        (Some(UsesDirective { apart: false, .. }), _) => return with_lanes(kernel, means, request),
        (Some(UsesDirective { apart: true, .. }), Some(apart)) => return with_lanes(&apart, means, request),
        (Some(UsesDirective { apart: true, span }), None) => {
            let refusal = Diagnostic::new("no array has uses to tell apart").help(
                "such an array is an argument that no statement writes and one reads along two to four directions, as `a[i][k]` \
                 and `a[j][k]`: leave `uses` out",
            );
            return Err(if span.line > 0 { refusal.at(span, "nothing to do") } else { refusal }.into());
        }
        (None, _) => {}
    }
    let whole = with_lanes(kernel, means, request.clone());
    let may_gain = whole.as_ref().map_or_else(|error| error.is::<Diagnostic>(), |_| means.suffice(u64::MAX));
    let Some(apart) = uses_apart(kernel).filter(|_| may_gain) else { return whole };
    better_of(whole, with_lanes(&apart, means, request), means.board)
}

/// What is found of the kernel, or of it in other words where only that is possible, or is better.
fn better_of(found: Result<Offload>, other: Result<Offload>, board: &Board) -> Result<Offload> {
    match (found, other) {
        (Err(_), Ok(other)) => Ok(other),
        (Ok(found), Ok(other)) if is_better(&other, &found, board) => Ok(other),
        (found, _) => found,
    }
}

/// Whether `offload` takes fewer cycles than `other`, or no more of them and of bytes, and fewer words on chip; where it
/// takes at most half of the words, a few more.
fn is_better(offload: &Offload, other: &Offload, board: &Board) -> bool {
    let link = board.memory.link();
    let [(cycles, bytes, bits), (other_cycles, other_bytes, other_bits)] = [offload, other].map(|offload| {
        let bytes = Demand::of(offload, link).bytes;
        let cycles = match bytes {
            u64::MAX => f64::INFINITY,
            _ => Expected::of(offload, board, &offload.kernel.usual_sizes()).cycles(),
        };
        (cycles, bytes as f64, blocks::bits(&offload.kernel, &offload.buffers))
    });
    let is_smaller = match 2 * bits <= other_bits {
        true => cycles <= MORE_CYCLES * other_cycles && bytes <= MORE_BYTES * other_bytes,
        false => bits < other_bits && cycles <= other_cycles && bytes <= other_bytes,
    };
    is_smaller || cycles < WORTH_IT * other_cycles
}

fn with_lanes(kernel: &Kernel, means: Means, request: Option<Request>) -> Result<Offload> {
    in_tiles_or_others(kernel, vec![], means, request)
}

/// [`analysis::analyze`] with lanes; where the kernel has no tilings, in these to begin with, if there are any.
fn in_tiles_or_others(
    kernel: &Kernel,
    tilings: Vec<TilingDirective>,
    means: Means,
    request: Option<Request>,
) -> Result<Offload> {
    let new = |kernel| anyhow::Ok(Choice { first: tilings.clone(), ..Choice::new(kernel, means, |_| true)? });
    let asks = |tiling: &TilingDirective| tiling.lanes.is_some_and(|lanes| lanes.is_automatic());
    match request {
        Some(Request::Count(count)) => {
            let choice = Choice { left: None.into(), ..new(kernel)? };
            let found = match count {
                1 => {
                    let one = choice.with_other_sides(choice.one()?)?;
                    let whole = choice.aside.take().map(|whole| whole.offload);
                    whole.filter(|whole| choice.is_worth_it(whole, &one)).unwrap_or(one)
                }
                _ => choice.with(&choice.one()?, &Request::Count(count), SMALLER.len())?,
            };
            require_room(choice.longer(count, found)?, means.board)
        }
        Some(Request::InTwo(along)) => {
            let choice = Choice { left: None.into(), ..new(kernel)? };
            let count = along.iter().map(|(_, count)| count).product();
            let found = choice.with(&choice.one()?, &Request::InTwo(along), SMALLER.len())?;
            require_room(choice.longer(count, found)?, means.board)
        }
        Some(Request::Automatic) => new(kernel)?.automatic(),
        Some(Request::Usual) if kernel.tilings.is_empty() => new(kernel)?.automatic(),
        _ if kernel.tilings.iter().any(asks) => Choice::new(kernel, means, asks)?.automatic(),
        _ => require_room(on_ports(analysis::analyze(kernel, &means.board.fabric())?, means.board), means.board),
    }
}

/// With its arrays on the ports of the board's memory.
fn on_ports(mut offload: Offload, board: &Board) -> Offload {
    ports::place(&mut offload, board);
    offload
}

/// Refuses lanes that the board has no room for.
fn require_room(offload: Offload, board: &Board) -> Result<Offload> {
    let Some(lanes) = offload.most_lanes() else {
        return Ok(offload);
    };
    let excess = excess(&Area::of(&offload, &board.device), board, &format!("{lanes} lanes"), 1.0);
    let Some(excess) = excess else { return Ok(offload) };
    let spans = offload.kernel.tilings.iter().filter_map(|tiling| tiling.lanes).map(|lanes| lanes.span);
    let refusal = Diagnostic::new(excess).help("take fewer lanes, or a board with more");
    Err(match spans.into_iter().find(|span| span.line > 0) {
        Some(span) => refusal.at(span, format!("{lanes} lanes")),
        None => refusal,
    }
    .into())
}

/// What of the board so many lanes or units need more of than there is, with a part of its look-up tables.
fn excess(area: &Area, board: &Board, what: &str, logic: f64) -> Option<String> {
    let device = &board.device;
    let blocks = device.usual_blocks();
    let [needed, has] = match () {
        _ if area.multipliers > device.dsp_18x18 => {
            [format!("{} multipliers", area.multipliers), device.dsp_18x18.to_string()]
        }
        _ if area.usual_blocks > blocks => [format!("{} block RAMs", area.usual_blocks), blocks.to_string()],
        _ if area.aluts as f64 > logic * device.aluts as f64 => {
            [format!("about {} look-up tables", area.aluts), device.aluts.to_string()]
        }
        () => return None,
    };
    Some(format!("{what} need {needed}, the board has {has}"))
}

/// What a search is for, and what it may take.
#[derive(Clone, Copy)]
struct Means<'a> {
    board: &'a Board,
    /// isl's operations that are left for all searches together.
    operations: &'a Cell<u64>,
}

impl Means<'_> {
    /// `own`, or as many as are left for all searches.
    fn granted(self, own: u64) -> u64 {
        own.min(self.operations.get())
    }

    /// Whether a search that has so many left for itself may go on.
    fn suffice(self, own: u64) -> bool {
        self.granted(own) > LEAST
    }

    /// Whether the kernel in other words may be looked at: without anything found always.
    fn may_better(self, found: &Result<Offload>) -> bool {
        found.is_err() || self.suffice(u64::MAX)
    }
}

/// A kernel whose lanes are chosen.
struct Choice<'a, F> {
    kernel: &'a Kernel,
    analysis: Analysis,
    means: Means<'a>,
    /// What was left for all searches when this one began.
    granted: Cell<u64>,
    /// The analysis's operations that do not count against that: before this search, and for the program as one tile.
    begun: Cell<u64>,
    /// Of which bands, as their directives are.
    of: F,
    /// The tilings to begin with where the kernel has none; none where they are to be chosen.
    first: Vec<TilingDirective>,
    /// Analyses with lanes, and isl's operations that are left for them, where they are limited.
    probes: Cell<usize>,
    left: Cell<Option<u64>>,
    /// Those that the analysis with one lane took, tiles and all.
    alone: Cell<u64>,
    /// The program as one tile, where it may be better than what is found without.
    aside: RefCell<Option<Found>>,
}

/// What forbids a number of lanes.
struct Refusal {
    reason: String,
    kind: Forbids,
}

#[derive(Clone, Copy, PartialEq)]
enum Forbids {
    /// The block RAM, or the time that the analysis takes: other tiles may need less.
    Size,
    /// What operators are made of, which are as many in other tiles.
    Operators,
    /// Anything else.
    Other,
}

/// A number of lanes that is possible.
#[derive(Clone)]
struct Found {
    count: i64,
    offload: Offload,
    expected: Expected,
}

impl<'a, F: Fn(&TilingDirective) -> bool> Choice<'a, F> {
    fn new(kernel: &'a Kernel, means: Means<'a>, of: F) -> Result<Self> {
        let analysis = Analysis::new(kernel)?;
        Ok(Choice {
            kernel,
            analysis,
            means,
            granted: means.operations.get().into(),
            begun: Cell::new(0),
            of,
            first: vec![],
            probes: Cell::new(0),
            left: Some(OPERATIONS).into(),
            alone: Cell::new(0),
            aside: RefCell::new(None),
        })
    }

    /// The kernel's tilings with one lane in these bands.
    fn single(&self) -> Vec<TilingDirective> {
        let mut single = self.kernel.tilings.clone();
        single.iter_mut().filter(|tiling| (self.of)(tiling)).for_each(|tiling| tiling.lanes = None);
        single
    }

    fn one(&self) -> Result<Offload> {
        let own = self.single();
        let tilings = if own.is_empty() { &self.first } else { &own };
        let (one, taken) = self.counted(|analysis| analysis.offload(tilings, &self.means.board.fabric(), None));
        self.alone.set(taken);
        let one = if tilings.is_empty() { self.or_whole(one) } else { one };
        one.map(|mut one| {
            one.kernel.tilings = own;
            on_ports(one, self.means.board)
        })
    }

    /// What `compute` gives, and how many of isl's operations it takes.
    fn counted<T>(&self, compute: impl FnOnce(&Analysis) -> T) -> (T, u64) {
        let before = self.analysis.operations();
        let result = compute(&self.analysis);
        self.tell_what_is_left();
        (result, self.analysis.operations().saturating_sub(before))
    }

    /// No more than so many operations for this and what comes behind it.
    fn grant(&self, most: u64) {
        self.granted.set((self.begun.get() + most).min(self.granted.get()));
        self.tell_what_is_left();
    }

    fn tell_what_is_left(&self) {
        self.means.operations.set(self.granted.get().saturating_sub(self.analysis.operations()));
    }

    /// What `analyze` gives within the operations that are left.
    fn within<T>(&self, analyze: impl FnOnce(&Analysis, Option<u64>) -> Result<T>) -> Result<T> {
        let left = self.left.get().map(|left| self.means.granted(left));
        let (result, taken) = self.counted(|analysis| analyze(analysis, left));
        self.left.set(left.map(|left| left.saturating_sub(taken)));
        result
    }

    /// What there is with `count` lanes in other tiles, or what forbids it, within `left` operations.
    fn in_others(&self, tilings: &[TilingDirective], count: i64, left: &mut u64) -> Result<Result<Found, Refusal>> {
        let fabric = self.means.board.fabric();
        let granted = self.means.granted(*left);
        let (offload, taken) = self.counted(|analysis| analysis.offload(tilings, &fabric, Some(granted)));
        *left = left.saturating_sub(taken);
        let offload = offload.map(|mut offload| {
            offload.kernel.tilings = self.single();
            on_ports(offload, self.means.board)
        });
        self.judged(count, offload)
    }

    /// Whether another analysis with lanes may begin.
    fn may_probe(&self) -> bool {
        self.probes.get() < PROBES && self.has_operations_left()
    }

    fn has_operations_left(&self) -> bool {
        self.left.get().is_none_or(|left| self.means.suffice(left))
    }

    /// The lanes of `request`, in the tiles of `one`, or in those that are chosen for so many smaller parts of the block RAM.
    fn with(&self, one: &Offload, request: &Request, smaller: usize) -> Result<Offload> {
        let in_tiles = |tilings: Vec<TilingDirective>| -> Result<Offload> {
            let mut laned = tilings;
            if self.kernel.tilings.is_empty() {
                // Those of fewer lanes.
                laned.iter_mut().for_each(|tiling| tiling.lanes = None);
            }
            for tiling in laned.iter_mut().filter(|tiling| tiling.lanes.is_none()) {
                tiling.lanes = lanes_of(request, tiling, &self.analysis)?;
                if self.kernel.tilings.is_empty() {
                    hold_lanes(tiling);
                }
            }
            if let Request::InTwo([(first, _), (second, _)]) = request
                && laned.iter().all(|tiling| tiling.lanes.is_none())
            {
                return Err(Diagnostic::new(format!("no tiles along both `{first}` and `{second}`"))
                    .help("name two loops around one statement")
                    .into());
            }
            self.in_tiles(laned)
        };
        let mut found = in_tiles(one.tilings_as_written());
        if !self.kernel.tilings.is_empty() {
            return found;
        }
        // Tiles that one lane fills the block RAM with leave none for what lanes have more copies of. Smaller ones take about as
        // long to choose as the first ones did.
        for part in SMALLER.into_iter().take(smaller) {
            if !self.lacks_room(&found) {
                break;
            }
            if self.left.get().is_some_and(|left| left < self.alone.get()) {
                self.left.set(Some(0));
                break;
            }
            let fabric = self.means.board.fabric().with_block_ram(part);
            let Ok(smaller) = self.within(|analysis, left| analysis.tilings(&fabric, left)) else { break };
            found = in_tiles(smaller);
        }
        found
    }

    /// Whether what is found, or what there is instead, has more words on chip than the board has room for.
    fn lacks_room(&self, found: &Result<Offload>) -> bool {
        let device = &self.means.board.device;
        match found {
            Ok(offload) => Area::of(offload, device).usual_blocks > device.usual_blocks(),
            Err(error) => error.is::<NoRoom>(),
        }
    }

    /// The analysis with these tiles and lanes.
    fn in_tiles(&self, laned: Vec<TilingDirective>) -> Result<Offload> {
        self.probes.set(self.probes.get() + 1);
        let mut offload = self.within(|analysis, left| analysis.offload(&laned, &self.means.board.fabric(), left))?;
        // Whether the tiles are the user's or chosen stays as it was.
        offload.kernel.tilings = self.single();
        Ok(on_ports(offload, self.means.board))
    }

    /// An analysis with `count` lanes, or what forbids them.
    fn judged(&self, count: i64, offload: Result<Offload>) -> Result<Result<Found, Refusal>> {
        let refused = |kind: Forbids, reason: String| Ok(Err(Refusal { reason, kind }));
        let offload = match offload {
            Ok(offload) => offload,
            Err(error) if error.is::<Exhausted>() => {
                return refused(Forbids::Size, format!("the analysis of {count} lanes takes too long"));
            }
            Err(error) => {
                let kind = if error.is::<NoRoom>() { Forbids::Size } else { Forbids::Other };
                return match error.downcast::<Diagnostic>() {
                    Ok(Diagnostic { message, .. }) => refused(kind, message),
                    Err(error) => Err(error),
                };
            }
        };
        let area = Area::of(&offload, &self.means.board.device);
        let excess_of = |area: &Area| excess(area, self.means.board, &format!("{count} lanes"), LOGIC);
        if let Some(excess) = excess_of(&area) {
            let is_size = excess_of(&Area { usual_blocks: 0, ..area }).is_none();
            return refused(if is_size { Forbids::Size } else { Forbids::Operators }, excess);
        }
        let expected = self.expected(&offload);
        Ok(Ok(Found { count, offload, expected }))
    }

    /// At the sizes that the user runs.
    fn expected(&self, offload: &Offload) -> Expected {
        Expected::of(offload, self.means.board, &offload.kernel.usual_sizes())
    }

    /// One lane in tiles with other sides, where those are better.
    fn with_other_sides(&self, offload: Offload) -> Result<Offload> {
        if Demand::of(&offload, self.means.board.memory.link()).is_endless() {
            return Ok(offload);
        }
        let expected = self.expected(&offload);
        Ok(self.in_other_sides(Found { count: 1, offload, expected })?.offload)
    }

    /// So many lanes in longer strips, where those are better.
    fn longer(&self, count: i64, offload: Offload) -> Result<Offload> {
        let expected = self.expected(&offload);
        let found = Found { count, offload, expected };
        let better = || self.with_long_strips(self.in_better_tiles(found.clone(), true)?, long::OPERATIONS);
        match better() {
            Err(error) if error.is::<Exhausted>() => Ok(found.offload),
            better => Ok(better?.offload),
        }
    }
}

/// What `request` wants of a band, `None` where its tiles have no two such dimensions, and leave no such loops open.
fn lanes_of(request: &Request, tiling: &TilingDirective, analysis: &Analysis) -> Result<Option<LanesDirective>> {
    let [first, second] = match request {
        Request::Count(count) => return Ok(Some(LanesDirective::new(*count, Span::default()))),
        Request::InTwo(both) => both,
        Request::Automatic | Request::Usual => return Ok(None),
    };
    let open = analysis.open_loops(tiling)?;
    let deepest = deepest(analysis.kernel(), tiling);
    let along = |(name, count): &(String, i64)| -> Option<LanesAlong> {
        let dimensions = 0..tiling.sizes.len() + open.len();
        // Of a loop's name in several statements, that of the one in the most loops.
        let own = dimensions.clone().find(|dimension| {
            deepest.is_some_and(|deepest| {
                loop_of(&tiling.schedules, &open, *dimension, deepest).is_some_and(|value| is_over(value, name))
            })
        });
        let is = |dimension: &usize| is_loop(&tiling.schedules, &open, *dimension, name);
        Some(LanesAlong { dimension: own.or_else(|| dimensions.clone().find(is))?, count: *count })
    };
    let both = along(first).zip(along(second));
    Ok(both.map(|(first, second)| LanesDirective::in_two([first, second], Span::default())))
}

/// Whether a dimension of these schedules, or behind those a loop that they leave `open`, is the loop over `name` in some statement.
pub fn is_loop(schedules: &[Schedule], open: &[Vec<Affine>], dimension: usize, name: &str) -> bool {
    (0..schedules.len())
        .any(|place| loop_of(schedules, open, dimension, place).is_some_and(|value| is_over(value, name)))
}

/// Whether a dimension is the loop over `name`, wherever it begins.
fn is_over(value: &Affine, name: &str) -> bool {
    *value == Affine::variable(name) + Affine::constant(value.constant)
}

/// What a dimension of these schedules, or behind those a loop that they leave `open`, is for the statement at `place`.
fn loop_of<'a>(
    schedules: &'a [Schedule],
    open: &'a [Vec<Affine>],
    dimension: usize,
    place: usize,
) -> Option<&'a Affine> {
    let theta = &schedules[place].theta;
    theta.get(dimension).or_else(|| open.get(dimension - theta.len())?.get(place))
}

impl Found {
    /// Whether half as many would wait for the iterations, of which one after the other takes what `one` does.
    fn needs_its_lanes(&self, one: &Found) -> bool {
        let Expected { compute, alone, .. } = &self.expected;
        let is_used = compute * self.count as f64 <= UNUSED * one.expected.compute;
        is_used && 2.0 * compute + alone > AS_GOOD * self.cycles()
    }

    /// Whether it takes fewer cycles, or about as many with fewer lanes.
    fn is_preferred_to(&self, other: &Found) -> bool {
        let is_faster = self.cycles() * AS_GOOD < other.cycles();
        is_faster || self.count < other.count && self.cycles() <= AS_GOOD * other.cycles()
    }

    fn cycles(&self) -> f64 {
        self.expected.cycles()
    }
}

/// The most lanes that the board has room for, were all statements of `offload` in lanes.
pub fn most_lanes(offload: &Offload, board: &Board) -> i64 {
    most(offload, board, LanesDirective::MOST, |_, count| count).0
}

/// The place of the statement of a band in the most loops.
fn deepest(kernel: &Kernel, tiling: &TilingDirective) -> Option<usize> {
    let (statements, iterators) = (kernel.statements(), kernel.iterators());
    let loops = |place: &usize| {
        let own = statements.position(|statement| statement.name == tiling.schedules[*place].statement);
        own.map(|own| iterators[own].len())
    };
    // The first of several.
    (0..tiling.schedules.len()).rev().max_by_key(loops)
}

/// Pairs of dimensions of a tile, or loops that its schedule leaves `open`, along which lanes may run in two: loops over each of which
/// the statement in the most loops writes cells of its own. Those of which tiles have several values as they are come first.
pub fn pairs(kernel: &Kernel, tiling: &TilingDirective, open: &[Vec<Affine>]) -> Vec<[usize; 2]> {
    let Some(deepest) = deepest(kernel, tiling) else { return vec![] };
    let values = || tiling.schedules[deepest].theta.iter().chain(open.iter().map(|values| &values[deepest]));
    let name = &tiling.schedules[deepest].statement;
    let Some(statement) = kernel.statements().into_iter().find(|statement| statement.name == *name) else {
        return vec![];
    };
    let moves = |name: &String| statement.target.subscripts.iter().any(|subscript| subscript.coefficient(name) != 0);
    let is_such = |value: &Affine| value.terms.keys().any(|name| is_over(value, name) && moves(name));
    let all: Vec<usize> = values().enumerate().filter(|(_, value)| is_such(value)).map(|(d, _)| d).collect();
    let with = |first: usize| all.iter().filter(move |second| **second > first).map(move |second| [first, *second]);
    let mut pairs: Vec<[usize; 2]> = all.iter().flat_map(|first| with(*first)).collect();
    pairs.sort_by_key(|pair| pair.iter().filter(|d| tiling.sizes.get(**d) == Some(&1)).count());
    pairs
}

/// Makes the sides of a tile, but those of 1, as long as there are lanes; whether some were shorter.
fn grow(tiling: &mut TilingDirective, count: i64) -> bool {
    let short: Vec<&mut i64> = tiling.sizes.iter_mut().filter(|size| **size > 1 && **size < count).collect();
    let is_grown = !short.is_empty();
    short.into_iter().for_each(|size| *size = count);
    is_grown
}

/// Tiles as long as the lanes along two of their dimensions are many.
fn hold_lanes(tiling: &mut TilingDirective) {
    for LanesAlong { dimension, count } in tiling.lanes.and_then(|lanes| lanes.along).into_iter().flatten() {
        // Of a loop that is left open, a tile has all values.
        if let Some(size) = tiling.sizes.get_mut(dimension) {
            *size = (*size).max(count);
        }
    }
}

/// The most lanes that the board has room for, where a statement has `of` so many, and that fit tiles whose longest side is
/// `largest`; and what forbids more.
fn most(one: &Offload, board: &Board, largest: i64, of: impl Fn(StatementId, i64) -> i64) -> (i64, String) {
    let mut lanes = 1;
    loop {
        let next = 2 * lanes;
        let area = Area::in_lanes(one, |s| of(s, next) as u64);
        let reason = match excess(&area, board, &format!("{next} lanes"), LOGIC) {
            _ if next > LanesDirective::MOST => Some(format!("no more than {} lanes", LanesDirective::MOST)),
            Some(excess) => Some(excess),
            None if next > largest => Some(format!("tiles have no more than {largest} values side by side")),
            None if Area::operators(one, |s| of(s, next) as u64) > OPERATORS => {
                Some(format!("{next} lanes have more than {OPERATORS} operators: ask for them by a number"))
            }
            None => None,
        };
        match reason {
            Some(reason) => return (lanes, reason),
            None => lanes = next,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_powers_of_two() {
        assert_eq!(parse("16"), Ok(Request::Count(16)));
        assert_eq!(parse("auto"), Ok(Request::Automatic));
        assert_eq!(parse("i:8,j:4"), Ok(Request::InTwo([("i".into(), 8), ("j".into(), 4)])));
        for text in
            ["0", "-2", "3", "1024", "two", "", "i:8", "i:8,i:8", "i:3,j:8", "i:32,j:32", "i:8,j:8,k:2", "i:8,j:1"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
