//! The cycles of a run, estimated of what its hardware walks: rows of iterations, of loads and of stores. By them lanes are
//! and strips are chosen.

mod ends;
mod pipeline;
mod scanner;
mod stretches;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::count;
use crate::affine::Affine;
use crate::board::Board;
use crate::hardware::{self, Beats, Link};
use crate::ids::{ArrayId, BandId, ByBand, StatementId};
use crate::offload::{Band, Buffer, Offload, Piece, Scan, Transfer, extent_below};
use crate::operators;
use crate::walk::{self, Costs, Values};
use ends::End;
use pipeline::{Memory, Tile};
use scanner::{Means, Scanner, Takes};
use stretches::{Pace, Paced};

/// Cycles of a tile's end mark through the pipeline beside those of the operators.
const END_MARK: f64 = 5.0;
/// Cycles from the last iteration of a tile to the first of the next, whose loads are there: as measured of `examples/dma.c`.
const TILE: f64 = 4.0;
/// The same of its loads, and of its stores.
const TRANSFERRED_TILE: f64 = 2.0;
/// The same where data cut rows short, beside what they leave.
const CUT_ROW: f64 = 1.0;
/// Cycles of a row of loads or stores whose address is that of the row before and a pitch, where all arrays have one subscript and
/// elsewhere, and of an element that does not lie beside the one before: as measured of columns and of strides, behind a bus and on DDR.
const SUM: u64 = 2;
const FOLLOWING: u64 = 3;
const ELEMENT_APART: u64 = 3;
/// Cycles for which loads or stores keep the memory that they share behind the words of a row.
const HELD: u64 = 3;
/// The same of another row, beside the bits of what its subscripts are multiplied by, and for each such product.
const ADDRESS: u64 = 3;
const PRODUCT: u64 = 3;
/// Cycles of a row that a program finds, and of an instruction per tile beside those: as measured of `examples/jacobi_2d.c` with
/// 8 lanes.
const PROGRAM_ROW: f64 = 45.0;
const PROGRAM_INSTRUCTION: f64 = 1.0;
/// Cycles more that a row takes of the port that lanes write through, beside its beats: as measured of PolyBench's gemm in 512 lanes.
const LENT_ROW: f64 = 4.0;
/// Tiles that are looked at, at most.
const TILES: u64 = 256;
/// Loops whose iterations are looked at one by one, in all bands, and of a piece in a tile, at least.
const STEPS: u64 = 100_000;
const STEPS_IN_PIECE: u64 = 30;
/// The same in a tile where iterations and transfers wait for one another.
const STEPS_AT_ENDS: f64 = 3_000.0;
/// Cycles from a command to the first word of DDR and SDR, and from the last word to the end of its burst; of a bus those beside the
/// latency of its memory, which responses have, too.
const LATENCY: f64 = 15.0;
const BUS_LATENCY: f64 = 8.0;

/// Cycles of a run.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// Of all iterations, with rows that are short, values that are waited for, and ports that are lent to transfers.
    pub compute: f64,
    moved: Moved,
    /// Of loads and stores beside which no iteration runs: before the first tile and behind the last one of bands, and of strips
    /// that wait for one another.
    pub alone: f64,
    /// Of iterations beside which nothing is moved: a tile's, wherever some loads and stores stand alone.
    pub between: f64,
    /// Of `compute` and `alone` together, those of each band.
    pub by_band: ByBand<f64>,
    /// Of [`Expected::moving`], those of each band, were there no other.
    pub moving_by_band: ByBand<f64>,
}

impl Expected {
    pub fn of(offload: &Offload, board: &Board, sizes: &BTreeMap<String, i64>) -> Expected {
        let link = board.memory.link();
        let rows = Transfers::new(offload, link);
        let iterations = count::iterations(offload, sizes);
        let on_a_bus = link.bus().is_some();
        let mut all = Expected::default();
        let latency = board.memory.bus_latency().map_or(LATENCY, |latency| f64::from(latency) + BUS_LATENCY);
        let mut values = Values::new(sizes);
        let moving = |ports: &[PortRows], tiles: f64| {
            WAYS.map(|way| most(ports, way))
                .map(|cycles| if cycles > 0.0 { cycles + TRANSFERRED_TILE * tiles } else { 0.0 })
        };
        let depth = depth(offload);
        let ends = ends::ends(offload, &rows, &mut values);
        // All tiles, where all of every band's are few.
        let mut followed = Some(vec![]);
        for band in offload.bands.keys() {
            let sampled = Sampled::of(offload, band, &rows, &mut values);
            let own = &offload.bands[band];
            let all_of_them: u64 = own.statements.iter().map(|&s| iterations[s]).sum();
            let left = |s: StatementId| iterations[s] as f64 * share_left(offload, s, sizes).unwrap_or(1.0);
            let statements: f64 = own.statements.iter().map(|&s| left(s)).sum();
            // The tiles of an order are boxes, which statements in fewer loops than others fill less.
            let each = own.compute.lanes.as_ref().map_or(&[][..], |lanes| &lanes.cycles_each);
            let units = own.compute.units.as_ref().map_or(1.0, |units| units.count as f64);
            let estimated = match each {
                // What waits is walked below, as no distances of dimensions tell.
                [] if sampled.pace.per_group().is_some() => sampled.all.compute,
                [] => all_of_them as f64 * own.compute.stalls_per_iteration / units + sampled.all.compute,
                each => own.statements.iter().zip(each).map(|(&s, cycles)| iterations[s] as f64 * cycles / units).sum(),
            };
            let tiles = tiles_of(&sampled);
            // Ports are lent in cycles in which no iteration starts, of which rows and values that are waited for leave some.
            let apart = own.compute.lanes.is_some() || own.compute.units.is_some();
            let starts = if apart { sampled.all.starts } else { statements };
            // Either sees what the other does not: all iterations pair by pair, or some of them one after the other.
            let paced = sampled.pace.per_group().map_or(0.0, |pace| pace * sampled.all.starts);
            let estimated = estimated.max(paced);
            // What stands alone holds up no iteration.
            let alone = |place: usize| ends[band].iter().map(|end| end.times * end.lent[place]).sum::<f64>();
            let statement = |(place, &s): (usize, &StatementId)| {
                starts * left(s) / statements.max(1.0) + (sampled.all.lent[place] - alone(place)).max(0.0)
            };
            let lent = own.statements.iter().enumerate().map(statement).fold(0.0, f64::max);
            let iterating = sampled.all.compute.max(estimated).max(starts) + TILE * tiles;
            let moved = |end: &End| most(&end.load, Way::Load) + most(&end.store, Way::Store);
            let compute = iterating.max(lent);
            all.compute += compute;
            let each = (sampled.each.len() as u64 == sampled.tiles).then(|| sampled.each.iter());
            followed = followed.zip(each).map(|(mut tiles, each)| {
                let share = compute / (sampled.all.compute + TILE * tiles_of(&sampled)).max(1.0);
                tiles.extend(each.map(|(tile, taken)| {
                    let [load, store] = moving(&taken.ports, 1.0);
                    let words = WAYS.map(|way| taken.ports.iter().map(|port| port.words[way as usize]).sum());
                    Tile {
                        tile: tile.clone(),
                        band,
                        load,
                        compute: (taken.compute + TILE) * share,
                        depth,
                        store,
                        words,
                    }
                }));
                tiles
            });
            let [load, store] = moving(&sampled.all.ports, tiles);
            let shared = sampled.all.moved * board.clock_mhz / board.memory.peak_mb_s();
            let alone: f64 = ends[band].iter().map(|end| end.times * (moved(end) + 2.0 * latency)).sum();
            all.alone += alone;
            let between = ends[band].iter().map(|end| end.times * (compute / tiles + 2.0 * latency)).sum::<f64>();
            all.by_band.push(compute + alone);
            let shared = if on_a_bus { shared } else { words(&sampled.all.ports) };
            all.moving_by_band.push(Moved { load, store, shared }.cycles() + between);
            all.moved.add(Moved { load, store, shared });
            all.between += between;
        }
        if let Some(tiles) = followed {
            let (cycles, by_band) = pipeline::cycles(offload, tiles, Memory { latency, is_shared: !on_a_bus });
            all.follow(cycles, &by_band);
        }
        all
    }

    /// The run is as long as its tiles that were followed one by one say: processes that stand still in turn are seen there, and what
    /// stands alone as often as it does.
    fn follow(&mut self, cycles: f64, by_band: &ByBand<f64>) {
        self.alone = self.alone.min((cycles - self.compute).max(0.0));
        self.between = self.between.min((cycles - self.memory()).max(0.0));
        let more = (cycles - self.cycles()).max(0.0);
        self.alone += more;
        self.between += more;
        for sums in [&mut self.by_band, &mut self.moving_by_band] {
            for (sum, band) in sums.iter_mut().zip(by_band) {
                *sum = sum.max(*band);
            }
        }
    }

    /// Of what takes longest, and what runs beside nothing.
    pub fn cycles(&self) -> f64 {
        self.computing().max(self.moving())
    }

    /// Cycles of a run in which iterations never wait for the memory but where they must.
    pub fn computing(&self) -> f64 {
        self.compute + self.alone
    }

    /// Cycles of a run in which the memory never waits for iterations but where it must.
    pub fn moving(&self) -> f64 {
        self.memory() + self.between
    }

    /// Cycles in which words are moved, or rows of them looked for.
    pub fn memory(&self) -> f64 {
        self.moved.cycles()
    }
}

/// Cycles from the start of a tile's last iteration until its end mark has come through behind all statements, whichever ran.
fn depth(offload: &Offload) -> f64 {
    let all = offload.kernel.statements();
    let longest = all.iter().flat_map(|statement| statement.values()).map(operators::depth).max();
    f64::from(longest.unwrap_or(0)) + END_MARK
}

/// Of both ways together.
fn words(ports: &[PortRows]) -> f64 {
    ports.iter().flat_map(|port| port.words).sum()
}

fn tiles_of(sampled: &Sampled) -> f64 {
    sampled.tiles.max(1) as f64
}

/// Cycles of loads, of stores, and of what both move through the memory they share.
#[derive(Clone, Debug, Default)]
struct Moved {
    load: f64,
    store: f64,
    shared: f64,
}

impl Moved {
    fn cycles(&self) -> f64 {
        self.load.max(self.store).max(self.shared)
    }

    fn add(&mut self, other: Moved) {
        self.load += other.load;
        self.store += other.store;
        self.shared += other.shared;
    }
}

/// What rows of loads and stores take.
struct Transfers<'a> {
    offload: &'a Offload,
    beats: Beats,
    /// Instructions of the programs that find rows, of loads and of stores.
    programs: [Option<u64>; 2],
    /// That of loads is two, side by side.
    in_halves: bool,
    /// Of both: bits of the factors by which the address of a row is found, subscript by subscript: of the array with the most of each.
    factors: [Vec<u64>; 2],
}

impl<'a> Transfers<'a> {
    fn new(offload: &'a Offload, link: Link) -> Self {
        let programs = [hardware::load_program(offload, link), hardware::store_program(offload, link)];
        let in_halves = programs[0].is_some_and(|instructions| hardware::is_in_halves(offload, instructions));
        Transfers {
            offload,
            beats: Beats::of(offload, link),
            programs,
            in_halves,
            factors: WAYS.map(|way| factors(offload, way)),
        }
    }

    fn buffer(&self, array: ArrayId) -> Option<&'a Buffer> {
        self.offload.buffers.iter().find(|buffer| buffer.array == array)
    }

    /// Cycles that a buffer's port is taken for a row of so many elements.
    fn beats(&self, array: ArrayId, elements: u64) -> u64 {
        let beat = self.buffer(array).map_or(1, |buffer| self.beats.elements(self.offload, buffer));
        elements.div_ceil(u64::from(beat))
    }

    /// Elements for which a buffer's port is taken for one cycle, where those are a line.
    fn line(&self, array: ArrayId, way: Way) -> Option<u32> {
        let buffer = self.buffer(array)?;
        match way {
            Way::Load => self.beats.filled_line(self.offload, buffer),
            Way::Store => self.beats.drained_line(self.offload, buffer),
        }
    }

    /// At least, of a row.
    fn address(&self, array: ArrayId, way: Way, follows: bool) -> u64 {
        let products = self.offload.kernel.arrays[array].extents.len().saturating_sub(1);
        match &self.factors[way as usize][..] {
            [] => SUM,
            _ if follows => FOLLOWING,
            factors => ADDRESS + factors.iter().take(products).map(|bits| bits + PRODUCT).sum::<u64>(),
        }
    }

    /// Words of a row.
    fn words(&self, array: ArrayId, elements: u64) -> u64 {
        self.beats.word.holding(elements * u64::from(self.offload.kernel.arrays[array].element.bytes()))
    }

    /// In which the elements of a row are moved.
    fn cycles(&self, array: ArrayId, elements: u64) -> f64 {
        self.words(array, elements).max(self.beats(array, elements)) as f64
    }
}

/// What a memory port's processes take.
#[derive(Clone, Copy, Default)]
struct PortRows {
    /// Cycles in which rows are looked for and moved, of loads and of stores.
    cycles: [f64; 2],
    /// Words that are moved.
    words: [f64; 2],
}

impl PortRows {
    fn sums(&self) -> [f64; 4] {
        let ([load, store], [loaded, stored]) = (self.cycles, self.words);
        [load, store, loaded, stored]
    }

    fn sums_mut(&mut self) -> [&mut f64; 4] {
        let ([load, store], [loaded, stored]) = (&mut self.cycles, &mut self.words);
        [load, store, loaded, stored]
    }
}

/// What a tile's loads or stores through one port take.
struct OfPort {
    scanner: Scanner,
    /// All rows were looked at.
    is_whole: bool,
    /// Of the port, as sums of rows; and how many those are.
    cycles: f64,
    rows: f64,
    words: f64,
}

impl OfPort {
    fn new(rows: &Transfers, way: Way, budget: f64) -> OfPort {
        let program = rows.programs[way as usize];
        let scanner = Scanner::new(
            if program.is_some() { Means::Program } else { Means::States },
            rows.in_halves && way == Way::Load,
            budget,
        );
        OfPort { scanner, is_whole: true, cycles: 0.0, rows: 0.0, words: 0.0 }
    }

    fn cycles(&self, rows: &Transfers, way: Way) -> f64 {
        match rows.programs[way as usize] {
            _ if self.is_whole => self.scanner.through(),
            // A program finds rows one after the other, and goes through pieces that a tile does not have.
            Some(all) => self.cycles.max(PROGRAM_ROW * self.rows + PROGRAM_INSTRUCTION * all as f64),
            None => self.cycles,
        }
    }
}

/// What a tile's loads or stores of an array take.
struct Moves {
    bytes: f64,
    /// In which they take a port of the buffer: a fill the one that iterations write through, a drain the one that they read through.
    lent: f64,
}

impl Moves {
    /// Of the present tile; by so many steps per piece.
    fn of(
        rows: &Transfers,
        (band, port): (&Band, &mut OfPort),
        (transfer, way): (&Transfer, Way),
        values: &mut Values,
        budget: f64,
    ) -> Moves {
        let array = transfer.array;
        let line = rows.line(array, way);
        let is_lent = way == Way::Load || rows.buffer(array).is_some_and(|buffer| !buffer.store_copy);
        let row = if band.compute.lanes.is_some() && way == Way::Load && line.is_none() { LENT_ROW } else { 0.0 };
        let lent = |length: u64| match line {
            _ if !is_lent => 0.0,
            Some(line) => length.div_ceil(u64::from(line)) as f64,
            None => rows.beats(array, length) as f64 + row,
        };
        let bytes = f64::from(rows.offload.kernel.arrays[array].element.bytes());
        let row = |length: u64, least| {
            let cycles = rows.cycles(array, length).max(least as f64);
            let words = cycles.min((rows.words(array, length) + HELD) as f64);
            [cycles, 1.0, words, length as f64 * bytes, lent(length)]
        };
        let least = |follows: bool| rows.address(array, way, follows);
        let apart = |count: u64, follow: bool| {
            let first = row(1, least(false).max(ELEMENT_APART));
            let other = row(1, least(follow).max(ELEMENT_APART)).map(|cost| cost * (count - 1) as f64);
            std::array::from_fn(|place| first[place] + other[place])
        };
        let scan = way.scan(transfer);
        let mut sums = [0.0; 5];
        let mut add = |own: [f64; 5]| {
            sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        };
        let walked = port.is_whole.then(|| {
            port.scanner.walk(&scan.pieces, values, |_, found| {
                let each = rows.cycles(array, found.length);
                match found.are_apart {
                    true => {
                        add(apart(found.count, found.others_follow));
                        let others = (found.count - 1) as f64 * least(found.others_follow).max(ELEMENT_APART) as f64;
                        Takes { found: least(false).max(ELEMENT_APART) as f64 + others, moved: each }
                    }
                    false => {
                        add(row(found.length, least(found.follows)));
                        Takes { found: least(found.follows) as f64, moved: each }
                    }
                }
            })
        });
        if walked.flatten().is_none() {
            port.is_whole = false;
            sums = [0.0; 5];
            let more = (least(false) - least(true)) as f64;
            for piece in &scan.pieces {
                let (is_apart, follow) = (piece.is_apart(), scanner::follow(piece));
                let around = |[cycles, rows, words, bytes, lent]: [f64; 5], _| {
                    [cycles + if follow && !is_apart { more } else { 0.0 }, rows, words, bytes, lent]
                };
                let row = |length: u64| match is_apart {
                    true => apart(length, follow),
                    false => row(length, least(follow)),
                };
                let own = walk::rows(piece, values, budget, &Costs { row, around });
                sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            }
        }
        let [cycles, count, words, bytes, lent] = sums;
        (port.cycles, port.rows, port.words) = (port.cycles + cycles, port.rows + count, port.words + words);
        Moves { bytes, lent }
    }

    /// Adds, per statement of the band, the cycles in which a port that it uses is lent.
    fn lend(&self, offload: &Offload, band: &Band, (array, way): (ArrayId, Way), sums: &mut [f64]) {
        let all = offload.kernel.statements();
        let uses = |s: StatementId| match way {
            Way::Load => all[s].writes_to(array),
            Way::Store => all[s].references().into_iter().any(|r| r.array == array),
        };
        for (sum, _) in sums.iter_mut().zip(&band.statements).filter(|(_, s)| uses(**s)) {
            *sum += self.lent;
        }
    }
}

/// What data leave of a statement's iterations, where they cut its rows short.
fn share_left(offload: &Offload, statement: StatementId, sizes: &BTreeMap<String, i64>) -> Option<f64> {
    let kernel = &offload.kernel;
    let limits = kernel.limits(kernel.statements()[statement]).filter(|_| offload.lanes(statement).is_none())?;
    Some(limits.share(kernel, |name| sizes.get(name).copied().unwrap_or(0)))
}

/// The same of rows that run along what is cut.
fn cut_rows(offload: &Offload, piece: &Piece, values: &Values) -> Option<f64> {
    let kernel = &offload.kernel;
    let statement = piece.leaf.statement();
    let limits = kernel.limits(kernel.statements()[statement]).filter(|_| offload.lanes(statement).is_none())?;
    let place = kernel.iterators()[statement].iter().position(|iterator| *iterator == limits.iterator)?;
    let innermost = &piece.levels.last()?.name;
    let is_along = piece.point[place].coefficient(innermost) != 0;
    is_along.then(|| limits.share(kernel, |name| values.evaluate(&Affine::variable(name))))
}

/// See [`Transfers::factors`]: a factor holds the place that the subscripts before tell.
fn factors(offload: &Offload, way: Way) -> Vec<u64> {
    let kernel = &offload.kernel;
    let transfers = offload.bands.iter().flat_map(|band| &band.transfers);
    let moved: Vec<ArrayId> = transfers.filter(|t| !way.scan(t).pieces.is_empty()).map(|t| t.array).collect();
    let most = moved.iter().map(|array| kernel.arrays[*array].extents.len()).max().unwrap_or(0);
    let below = |array: ArrayId, subscripts: usize| {
        (0..subscripts).fold(1i64, |all, k| all.saturating_mul(extent_below(kernel, array, k).unwrap_or(1).max(1)))
    };
    let widest = |subscripts: usize| {
        let arrays = moved.iter().filter(|array| kernel.arrays[**array].extents.len() > subscripts);
        arrays.map(|array| u64::from(i64::BITS - below(*array, subscripts).leading_zeros())).max().unwrap_or(0)
    };
    (1..most).map(widest).collect()
}

fn no_rows(offload: &Offload) -> Vec<PortRows> {
    let ports = offload.ports_used().last().map_or(1, |port| port + 1);
    vec![PortRows::default(); ports as usize]
}

/// Ports move their words side by side.
fn most(ports: &[PortRows], way: Way) -> f64 {
    ports.iter().map(|port| port.cycles[way as usize]).fold(0.0, f64::max)
}

#[derive(Clone, Copy, PartialEq)]
#[repr(usize)]
enum Way {
    Load,
    Store,
}

const WAYS: [Way; 2] = [Way::Load, Way::Store];

impl Way {
    fn scan(self, transfer: &Transfer) -> &Scan {
        match self {
            Way::Load => &transfer.load,
            Way::Store => &transfer.store,
        }
    }
}

/// What a tile takes, or several.
struct Taken {
    compute: f64,
    /// Groups.
    starts: f64,
    ports: Vec<PortRows>,
    /// Bytes of both ways.
    moved: f64,
    /// Per statement, the cycles in which ports that it uses are lent.
    lent: Vec<f64>,
}

/// What the tiles of a band take.
struct Sampled {
    tiles: u64,
    /// All of them, as those looked at say.
    all: Taken,
    /// Of some of them, in one lane or several, where data cut no rows short; in units of lanes alone.
    pace: Pace,
    /// Those that were looked at, with their indices.
    each: Vec<(Vec<i64>, Taken)>,
}

impl Sampled {
    fn of(offload: &Offload, band: BandId, rows: &Transfers, values: &mut Values) -> Sampled {
        let own = &offload.bands[band];
        let pieces = || offload.tiles.pieces.iter().filter(|piece| piece.leaf.band() == band);
        let (kernel, statements) = (&offload.kernel, offload.kernel.statements());
        let is_whole = |s: &StatementId| kernel.limits(statements[*s]).is_none();
        // Distances of dimensions do not tell how long values are waited for that pass through several statements.
        let is_paced =
            (own.compute.lanes.is_some() || own.compute.units.is_none()) && own.statements.iter().all(is_whole);
        let walked = is_paced.then(|| Paced::new(offload, own));
        let (mut steps, mut counted) = (STEPS, Some(0u64));
        for piece in pieces() {
            let own = walk::count(piece, values, &mut steps);
            counted = counted.zip(own).map(|(sum, own)| sum.saturating_add(own));
        }
        // Of more tiles than that those looked at tell the number.
        let walked_all = counted.filter(|tiles| *tiles <= STEPS);
        let tiles = walked_all.unwrap_or(STEPS);
        let (mut pace, mut each) = (Pace::default(), vec![]);
        let scans = own.transfers.iter().flat_map(|transfer| [&transfer.load, &transfer.store]);
        let in_tile = scans.chain([&own.compute.scan]).map(|scan| scan.pieces.len() as u64).sum::<u64>().max(1);
        let steps = STEPS / offload.bands.len() as u64;
        let every = tiles.div_ceil((steps / in_tile / STEPS_IN_PIECE).clamp(1, TILES)).max(1);
        let budget = (steps / in_tile / tiles.div_ceil(every).max(1)).max(STEPS_IN_PIECE) as f64;
        let (mut number, mut paced) = (0u64, 0u64);
        // At a tile of so many, which stands for some of them.
        let mut look = |piece: &Piece, values: &mut Values, number: u64| {
            let tile: Vec<i64> = piece.point.iter().map(|index| values.evaluate(index)).collect();
            let place = values.enter_tile(&offload.kernel, &tile);
            if let Some(walked) = &walked
                && number * stretches::TILES / tiles > paced
            {
                paced += 1;
                // Of tiles that take too long the others tell.
                let _ = pace.add(walked, values, tiles);
            }
            let mut taken = Taken::nothing(offload, own);
            taken.add_present(offload, own, rows, values, budget);
            values.stack.truncate(place);
            (tile, taken)
        };
        let mut all = Taken::nothing(offload, own);
        if walked_all.is_none() {
            let (wanted, mut sum) = (TILES as f64 / pieces().count().max(1) as f64, 0.0);
            for piece in pieces() {
                sum += walk::spread(piece, values, wanted, &mut |values, times| {
                    number += every;
                    let (_, mut taken) = look(piece, values, number.min(tiles));
                    taken.scale(times);
                    all.add(&taken);
                });
            }
            return Sampled { tiles: sum as u64, all, pace, each };
        }
        for piece in pieces() {
            let single = std::slice::from_ref(piece);
            let _ = walk::in_order(single, values, |piece, values| {
                number += 1;
                // Those in the middle, which are whole more often than the first.
                if number % every == every / 2 {
                    each.push(look(piece, values, number));
                }
                ControlFlow::Continue(())
            });
        }
        each.iter().for_each(|(_, taken)| all.add(taken));
        all.scale(tiles as f64 / each.len().max(1) as f64);
        Sampled { tiles, all, pace, each }
    }
}

impl Taken {
    /// An entry for every statement and every port.
    fn nothing(offload: &Offload, band: &Band) -> Taken {
        let lent = vec![0.0; band.statements.len()];
        Taken { compute: 0.0, starts: 0.0, ports: no_rows(offload), moved: 0.0, lent }
    }

    fn add(&mut self, other: &Taken) {
        let ports = other.ports.iter().flat_map(PortRows::sums);
        let others =
            [other.compute, other.starts, other.moved].into_iter().chain(other.lent.iter().copied()).chain(ports);
        self.sums().zip(others).for_each(|(sum, own)| *sum += own);
    }

    fn scale(&mut self, by: f64) {
        self.sums().for_each(|sum| *sum *= by);
    }

    fn sums(&mut self) -> impl Iterator<Item = &mut f64> {
        let ports = self.ports.iter_mut().flat_map(PortRows::sums_mut);
        [&mut self.compute, &mut self.starts, &mut self.moved].into_iter().chain(&mut self.lent).chain(ports)
    }

    /// Adds a tile, whose indices have values.
    fn add_present(&mut self, offload: &Offload, band: &Band, rows: &Transfers, values: &mut Values, budget: f64) {
        let Some(units) = &band.compute.units else {
            let [cycles, starts] = Taken::of_pieces(offload, &band.compute.scan.pieces, values, budget);
            (self.compute, self.starts) = (self.compute + cycles, self.starts + starts);
            return self.add_moved(offload, band, rows, values, budget);
        };
        // A tile is computed when the last unit has done its part.
        let mut longest: [f64; 2] = [0.0; 2];
        for unit in 0..units.count {
            values.stack.push((units.name.clone(), unit));
            let own = Taken::of_pieces(offload, &units.scan.pieces, values, budget / units.count as f64);
            values.stack.pop();
            longest = [longest[0].max(own[0]), longest[1].max(own[1])];
        }
        (self.compute, self.starts) = (self.compute + longest[0], self.starts + longest[1]);
        self.add_moved(offload, band, rows, values, budget);
    }

    /// Cycles of the iterations of one compute process, and how many start. By so many steps per piece.
    fn of_pieces(offload: &Offload, pieces: &[Piece], values: &mut Values, budget: f64) -> [f64; 2] {
        // A row begins with what fills its windows.
        let warm_up = |piece: &Piece| offload.warm_up(piece.leaf.statement()) as u64;
        if pieces
            .iter()
            .all(|piece| offload.kernel.limits(offload.kernel.statements()[piece.leaf.statement()]).is_none())
        {
            let (mut scanner, mut starts) = (Scanner::new(Means::Pipeline, false, budget * pieces.len() as f64), 0.0);
            let take = |piece: &Piece, rows: scanner::Rows| {
                let taken = (rows.length + warm_up(piece)) as f64;
                starts += taken;
                Takes { found: 0.0, moved: taken }
            };
            if scanner.walk(pieces, values, take).is_some() {
                return [scanner.through(), starts];
            }
        }
        let mut sum = [0.0; 2];
        for piece in pieces {
            let share = cut_rows(offload, piece, values);
            let warm_up = warm_up(piece);
            let row = |length: u64| match share {
                Some(share) => [CUT_ROW + share * length as f64, share * length as f64],
                None => [(length + warm_up) as f64; 2],
            };
            let opened = if piece.shared + 2 > piece.levels.len() { 0.0 } else { walk::LOOP as f64 };
            let around = |[cycles, starts]: [f64; 2], rows: f64| [cycles.max(opened + rows), starts];
            let [cycles, starts] = walk::rows(piece, values, budget, &Costs { row, around });
            sum = [sum[0] + cycles, sum[1] + starts];
        }
        sum
    }

    /// Adds what the tile loads and stores.
    fn add_moved(&mut self, offload: &Offload, band: &Band, rows: &Transfers, values: &mut Values, budget: f64) {
        for way in WAYS {
            let (ports, lent) = (&mut self.ports, &mut self.lent);
            self.moved +=
                moved(offload, (band, rows), band.transfers.iter().map(|t| (t, way)), values, (ports, lent), budget);
        }
    }
}

/// Adds what a tile moves in one direction, of each port and, per statement, the cycles in which ports that it uses are lent; gives the
/// bytes. By so many steps per piece.
fn moved<'t>(
    offload: &Offload,
    (band, rows): (&Band, &Transfers),
    transfers: impl Iterator<Item = (&'t Transfer, Way)>,
    values: &mut Values,
    (ports, lent): (&mut [PortRows], &mut [f64]),
    budget: f64,
) -> f64 {
    let transfers: Vec<(&Transfer, Way)> = transfers.collect();
    let mut bytes = 0.0;
    for (number, port) in ports.iter_mut().enumerate() {
        let own = || transfers.iter().copied().filter(|(t, _)| offload.port(t.array) as usize == number);
        let Some((_, way)) = own().next() else { continue };
        let pieces: usize = own().map(|(t, way)| way.scan(t).pieces.len()).sum();
        let mut of_port = OfPort::new(rows, way, budget * pieces as f64);
        for (transfer, way) in own() {
            let moves = Moves::of(rows, (band, &mut of_port), (transfer, way), values, budget);
            bytes += moves.bytes;
            moves.lend(offload, band, (transfer.array, way), lent);
        }
        port.cycles[way as usize] += of_port.cycles(rows, way);
        port.words[way as usize] += of_port.words;
    }
    bytes
}
