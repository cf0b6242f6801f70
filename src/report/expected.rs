//! The cycles of a run, estimated of what its hardware walks: rows of iterations, of loads and of stores. By them lanes are
//! and strips are chosen.

mod ends;
mod pipeline;
mod stretches;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::count;
use crate::affine::Affine;
use crate::board::Board;
use crate::hardware::{self, Beats, Link};
use crate::ids::{ArrayId, BandId, ByBand, StatementId};
use crate::offload::{Band, Buffer, Offload, Piece, Transfer};
use crate::walk::{self, Costs, Values};
use ends::End;
use pipeline::Tile;
use stretches::{Pace, Paced};

/// Cycles from the last iteration of a tile to the first of the next, whose loads are there: as measured of `examples/dma.c`.
const TILE: f64 = 4.0;
/// The same of its loads, and of its stores.
const TRANSFERRED_TILE: f64 = 2.0;
/// The same where data cut rows short, beside what they leave.
const CUT_ROW: f64 = 1.0;
/// The same of loads and stores: the scanner, a command, and what tells how its elements lie; behind a bus, and of DDR and SDR.
const TRANSFERRED_ROW: [u64; 2] = [6, 4];
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
/// Cycles from a command to the first word behind a bus, and from the last word to its response; of DDR and SDR.
const LATENCY: [f64; 2] = [50.0, 15.0];

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
    on_a_bus: bool,
}

impl Expected {
    pub fn of(offload: &Offload, board: &Board, sizes: &BTreeMap<String, i64>) -> Expected {
        let link = board.memory.link();
        let rows = Transfers::new(offload, link);
        let programs = [hardware::load_program, hardware::store_program];
        let programs = programs.map(|program| program(offload, link).map(|instructions| instructions as f64));
        let iterations = count::iterations(offload, sizes);
        let mut all = Expected { on_a_bus: link.bus().is_some(), ..Expected::default() };
        let latency = LATENCY[usize::from(!all.on_a_bus)];
        let mut values = Values::new(sizes);
        // A program finds rows one after the other, and goes through pieces that a tile does not have.
        let program = |way: usize, rows: f64, tiles: f64| {
            programs[way].map_or(0.0, |all| PROGRAM_ROW * rows + PROGRAM_INSTRUCTION * all * tiles)
        };
        let found = |port: &PortRows, tiles: f64| port.load.max(program(0, port.rows[0], tiles));
        let stored = |port: &PortRows, tiles: f64| port.store.max(program(1, port.rows[1], tiles));
        let moving = |ports: &[PortRows], tiles: f64| {
            [most(ports, |port| found(port, tiles)), most(ports, |port| stored(port, tiles))]
                .map(|cycles| if cycles > 0.0 { cycles + TRANSFERRED_TILE * tiles } else { 0.0 })
        };
        let ends = ends::ends(offload, &rows, &mut values);
        // All tiles, where all of every band's are few.
        let mut followed = Some(vec![]).filter(|_| all.on_a_bus);
        for band in offload.bands.keys() {
            let sampled = Sampled::of(offload, band, &rows, &mut values);
            let own = &offload.bands[band];
            let all_of_them: u64 = own.statements.iter().map(|&s| iterations[s]).sum();
            let left = |s: StatementId| iterations[s] as f64 * share_left(offload, s, sizes).unwrap_or(1.0);
            let statements: f64 = own.statements.iter().map(|&s| left(s)).sum();
            // The tiles of an order are boxes, which statements in fewer loops than others fill less.
            let each = own.compute.lanes.as_ref().map_or(&[][..], |lanes| &lanes.cycles_each);
            let estimated = match each {
                [] => all_of_them as f64 * own.compute.cycles_per_iteration,
                each => own.statements.iter().zip(each).map(|(&s, cycles)| iterations[s] as f64 * cycles).sum(),
            };
            let units = own.compute.units.as_ref().map_or(1.0, |units| units.count as f64);
            let estimated = estimated / units;
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
            let moved =
                |end: &End| most(&end.load, |port| found(port, 1.0)) + most(&end.store, |port| stored(port, 1.0));
            let compute = iterating.max(lent);
            all.compute += compute;
            let each = (sampled.each.len() as u64 == sampled.tiles).then(|| sampled.each.iter());
            followed = followed.zip(each).map(|(mut tiles, each)| {
                let share = compute / (sampled.all.compute + TILE * tiles_of(&sampled)).max(1.0);
                tiles.extend(each.map(|(tile, taken)| {
                    let [load, store] = moving(&taken.ports, 1.0);
                    Tile { tile: tile.clone(), band, load, compute: (taken.compute + TILE) * share, store }
                }));
                tiles
            });
            let [load, store] = moving(&sampled.all.ports, tiles);
            let shared = sampled.all.moved * board.clock_mhz / board.memory.peak_mb_s();
            let alone: f64 = ends[band].iter().map(|end| end.times * (moved(end) + 2.0 * latency)).sum();
            all.alone += alone;
            let between = ends[band].iter().map(|end| end.times * (compute / tiles + 2.0 * latency)).sum::<f64>();
            all.by_band.push(compute + alone);
            all.moving_by_band.push(Moved { load, store, shared }.cycles(all.on_a_bus) + between);
            all.moved.add(Moved { load, store, shared });
            all.between += between;
        }
        if let Some(tiles) = followed {
            let (cycles, by_band) = pipeline::cycles(offload, tiles, latency);
            all.follow(cycles, &by_band);
        }
        all
    }

    /// Takes in what tiles that were followed one by one wait for beyond all others: processes that stand still in turn.
    fn follow(&mut self, cycles: f64, by_band: &ByBand<f64>) {
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
        self.moved.cycles(self.on_a_bus)
    }
}

fn tiles_of(sampled: &Sampled) -> f64 {
    sampled.tiles.max(1) as f64
}

/// Cycles of loads, of stores, and of the bytes of both through the memory.
#[derive(Clone, Debug, Default)]
struct Moved {
    load: f64,
    store: f64,
    shared: f64,
}

impl Moved {
    /// Behind a bus loads and stores have ways of their own.
    fn cycles(&self, on_a_bus: bool) -> f64 {
        if on_a_bus { self.load.max(self.store).max(self.shared) } else { self.load + self.store }
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
    /// Cycles from row to row.
    row: u64,
}

impl<'a> Transfers<'a> {
    fn new(offload: &'a Offload, link: Link) -> Self {
        let row = TRANSFERRED_ROW[usize::from(link.bus().is_none())];
        Transfers { offload, beats: Beats::of(offload, link), row }
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

    fn cycles(&self, array: ArrayId, elements: u64) -> f64 {
        let bytes = elements * u64::from(self.offload.kernel.arrays[array].element.bytes());
        self.beats.word.holding(bytes).max(self.beats(array, elements)).max(self.row) as f64
    }
}

/// What a memory port's processes take.
#[derive(Clone, Copy, Default)]
struct PortRows {
    load: f64,
    store: f64,
    /// Of loads, and of stores.
    rows: [f64; 2],
}

impl PortRows {
    fn add(&mut self, way: Way, moves: &Moves) {
        match way {
            Way::Load => (self.load, self.rows[0]) = (self.load + moves.cycles, self.rows[0] + moves.rows),
            Way::Store => (self.store, self.rows[1]) = (self.store + moves.cycles, self.rows[1] + moves.rows),
        }
    }

    fn sums(&self) -> [f64; 4] {
        [self.load, self.store, self.rows[0], self.rows[1]]
    }

    fn sums_mut(&mut self) -> [&mut f64; 4] {
        let [loads, stores] = &mut self.rows;
        [&mut self.load, &mut self.store, loads, stores]
    }
}

/// What a tile's loads or stores of an array take.
struct Moves {
    /// Of the memory's port.
    cycles: f64,
    rows: f64,
    bytes: f64,
    /// In which they take a port of the buffer: a fill the one that iterations write through, a drain the one that they read through.
    lent: f64,
}

impl Moves {
    /// Of the present tile; by so many steps.
    fn of(rows: &Transfers, band: &Band, (transfer, way): (&Transfer, Way), values: &mut Values, budget: f64) -> Moves {
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
        let costs = Costs {
            row: |length: u64| [rows.cycles(array, length), 1.0, length as f64 * bytes, lent(length)],
            around: |sums, _| sums,
        };
        let scan = if way == Way::Load { &transfer.load } else { &transfer.store };
        let [mut cycles, mut count, mut bytes, mut lent] = [0.0; 4];
        for piece in &scan.pieces {
            let own = walk::rows(piece, values, budget, &costs);
            (cycles, count, bytes, lent) = (cycles + own[0], count + own[1], bytes + own[2], lent + own[3]);
        }
        Moves { cycles, rows: count, bytes, lent }
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

fn no_rows(offload: &Offload) -> Vec<PortRows> {
    let ports = offload.ports_used().last().map_or(1, |port| port + 1);
    vec![PortRows::default(); ports as usize]
}

/// Ports move their words side by side.
fn most(ports: &[PortRows], of: impl Fn(&PortRows) -> f64) -> f64 {
    ports.iter().map(of).fold(0.0, f64::max)
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Load,
    Store,
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
    /// In lanes, of some of them, where data cut no rows short.
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
        let is_paced = own.compute.lanes.is_some() && own.statements.iter().all(is_whole);
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

    /// Cycles of the iterations of one compute process, and how many start.
    fn of_pieces(offload: &Offload, pieces: &[Piece], values: &mut Values, budget: f64) -> [f64; 2] {
        let mut sum = [0.0; 2];
        for piece in pieces {
            let share = cut_rows(offload, piece, values);
            // A row begins with what fills its windows.
            let warm_up = offload.warm_up(piece.leaf.statement()) as u64;
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
        for transfer in &band.transfers {
            let array = transfer.array;
            for way in [Way::Load, Way::Store] {
                let moves = Moves::of(rows, band, (transfer, way), values, budget);
                // Nothing moves through a port that is not used.
                if let Some(port) = self.ports.get_mut(offload.port(array) as usize) {
                    port.add(way, &moves);
                }
                self.moved += moves.bytes;
                moves.lend(offload, band, (array, way), &mut self.lent);
            }
        }
    }
}
