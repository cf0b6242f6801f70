//! The cycles that the compute process takes for its iterations, where the statements have given latencies: whether a
//! statement may take longer without anything waiting for it. The order inside a tile was chosen for the latencies that the
//! statements have by themselves ([`crate::operators`]), and stays as good where nothing takes more cycles.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use crate::affine::Affine;
use crate::hardware::compute::lanes::Lanes;
use crate::hardware::datapath::plan::{Plan, Rehearsal};
use crate::ids::{ArrayId, BandId, ByBand, ByStatement, StatementId};
use crate::offload::{Offload, Piece, port_references};
use crate::source::kernel::{Access, SizeParameter};
use crate::walk::{Scanned, Values, in_order};

/// Sizes are at most this, so that all bands are seen; shorter loops wait more, so they are twice as large as long as that
/// gives fewer iterations than so many.
const LARGEST_SIZE: i64 = 20;
const FEW: usize = 4_000;

/// Tiles and iterations of all bands that are looked at, from the first of each on; of more lanes than so many fewer groups, but at least as many.
const TILES: usize = 10_000;
const ITERATIONS: usize = 20_000;
const MANY_LANES: usize = 8;
const GROUPS: usize = 1_000;

/// Of what is passed over, because its statement has been seen for long enough, so many times as many are walked through.
const PASSED: usize = 20;

/// The plan of what the statements `present` share; a statement takes longer for it only where that costs no cycle. `sees`
/// as in [`Timing`]; `least` has the latencies that the statements must have.
pub fn plan(
    offload: &Offload,
    present: &[StatementId],
    sees: &dyn Fn((ArrayId, usize)) -> u32,
    least: &[u32],
    rehearse: impl Fn(usize, Plan) -> Rehearsal,
) -> Plan {
    if present.len() == 1 {
        return Plan::default();
    }
    let alone: Vec<Rehearsal> = (0..present.len()).map(|place| rehearse(place, Plan::default())).collect();
    let latency = |(Rehearsal { end, divides, .. }, least): (&Rehearsal, &u32)| Latency {
        cycles: (end - 1).max(*least),
        divides: *divides,
    };
    let alone: Vec<Latency> = alone.iter().zip(least).map(latency).collect();
    let pace = OnceCell::new();
    let mut known: BTreeMap<Vec<u32>, bool> = BTreeMap::new();
    Plan::new(present.len(), &rehearse, |ends| {
        let keeps = || {
            let (pace, before) = pace.get_or_init(|| {
                let pace = Pace::of(offload, present);
                let before = pace.cycles(&Timing { latencies: &alone, sees });
                (pace, before)
            });
            let longer = |((latency, end), least): ((&Latency, &u32), &u32)| Latency {
                cycles: (end - 1).max(*least),
                ..*latency
            };
            let latencies: Vec<Latency> = alone.iter().zip(ends).zip(least).map(longer).collect();
            pace.cycles(&Timing { latencies: &latencies, sees }) <= *before
        };
        *known.entry(ends.to_vec()).or_insert_with(keeps)
    })
}

/// How many iterations, groups of lanes, are looked at.
fn looked_at(offload: &Offload) -> usize {
    let lanes = offload.most_lanes().unwrap_or(1) as usize;
    (ITERATIONS * MANY_LANES / lanes.max(MANY_LANES)).max(GROUPS)
}

/// The first iterations of a run.
pub struct Pace {
    /// Array and copy of its buffer, of all that is read.
    ports: Vec<(ArrayId, usize)>,
    /// How many cells there are.
    cells: usize,
    tiles: usize,
    iterations: Vec<Iteration>,
}

/// How much of a band has been walked.
#[derive(Default)]
struct Seen {
    iterations: usize,
    /// Iterations that were passed over.
    passed: usize,
}

impl Seen {
    fn is_enough(&self, most: usize) -> bool {
        self.iterations == most || self.passed == PASSED * most
    }
}

struct Iteration {
    /// Its place among the statements that have instances.
    statement: usize,
    begins_row: bool,
    /// Cells, each with the number of its port.
    reads: Vec<(usize, usize)>,
    writes: Vec<usize>,
}

/// When a statement writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// Cycles from the start of an instance to its write.
    pub cycles: u32,
    /// One instance at a time.
    pub divides: bool,
}

/// What the statements that have instances wait for.
pub struct Timing<'a> {
    pub latencies: &'a [Latency],
    /// For array and copy of its buffer: an instance that starts now sees what is written fewer cycles from now.
    pub sees: &'a dyn Fn((ArrayId, usize)) -> u32,
}

impl Pace {
    /// `present` are the statements that have instances.
    pub fn of(offload: &Offload, present: &[StatementId]) -> Pace {
        let usual = |p: &SizeParameter| p.default.or(p.max).unwrap_or(LARGEST_SIZE);
        let largest = offload.kernel.parameters.iter().map(usual).max().unwrap_or(0);
        let mut most = LARGEST_SIZE;
        loop {
            let (pace, is_full) = Pace::at(offload, present, &|parameter| usual(parameter).min(most));
            if is_full || pace.iterations() >= FEW.min(looked_at(offload)) || most >= largest {
                return pace;
            }
            most *= 2;
        }
    }

    /// That of a run with these sizes, and whether more of it would be seen of no band with larger ones.
    fn at(offload: &Offload, present: &[StatementId], size: &dyn Fn(&SizeParameter) -> i64) -> (Pace, bool) {
        let kernel = &offload.kernel;
        let sizes: BTreeMap<String, i64> = kernel.parameters.iter().map(|p| (p.name.clone(), size(p))).collect();
        let (statements, iterators) = (kernel.statements(), kernel.iterators());
        let mut values = Values::new(&sizes);
        let mut tiles: Vec<(Vec<i64>, BandId)> = vec![];
        let _ = in_order(&offload.tiles.pieces, &mut values, |piece, values| {
            tiles.push((piece.point.iter().map(|index| values.evaluate(index)).collect(), piece.leaf.band()));
            if tiles.len() < TILES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        tiles.sort();
        let mut ports: Vec<(ArrayId, usize)> = vec![];
        let mut references: ByStatement<Vec<(&Access, usize)>> = ByStatement::new();
        for s in statements.keys() {
            let mut own: Vec<(&Access, usize)> = vec![];
            for access in port_references(kernel, &offload.windows, s) {
                let copy = own.iter().filter(|(other, _)| other.array == access.array).count();
                let known = ports.iter().position(|port| *port == (access.array, copy));
                own.push((access, known.unwrap_or(ports.len())));
                if known.is_none() {
                    ports.push((access.array, copy));
                }
            }
            references.push(own);
        }
        let mut cells: HashMap<(ArrayId, Vec<i64>), usize> = HashMap::new();
        let lanes = Lanes::new(offload);
        // Every band has its part: what the first one waits for says nothing of the others.
        let all = looked_at(offload);
        let of_band = all.div_ceil(offload.bands.len());
        let mut seen: ByBand<Seen> = offload.bands.iter().map(|_| Seen::default()).collect();
        // Of each statement's iterations in a row so many, for the others to be seen, too.
        let most_in_a_row = all.div_ceil(present.len());
        let mut in_a_row = (None, 0);
        let mut iterations = vec![];
        let mut entered = 0;
        let mut row: Option<(*const Piece, Vec<i64>)> = None;
        for (tile, band) in tiles {
            let seen = &mut seen[band];
            if seen.is_enough(of_band) {
                continue;
            }
            let place = values.enter_tile(kernel, &tile);
            entered += 1;
            let pieces = &offload.bands[band].compute.scan.pieces;
            let _ = in_order(pieces, &mut values, |piece, values| {
                if seen.is_enough(of_band) {
                    return ControlFlow::Break(());
                }
                let statement = piece.leaf.statement();
                in_a_row = (Some(statement), if in_a_row.0 == Some(statement) { in_a_row.1 + 1 } else { 1 });
                if in_a_row.1 > most_in_a_row {
                    seen.passed += 1;
                    return ControlFlow::Continue(());
                }
                let outer = values.stack.len().saturating_sub(1);
                let own = (std::ptr::from_ref(piece), values.stack[place..outer].iter().map(|(_, v)| *v).collect());
                let begins_row = row.as_ref() != Some(&own);
                row = Some(own);
                let base = values.stack.len();
                values.enter_instance(kernel, &iterators[piece.leaf.statement()], &piece.point);
                // Of every lane one; those of lanes that do not run are waited for, too.
                let own_lanes = lanes.of(piece.leaf.statement());
                let mut cells = |access: &Access| -> Vec<usize> {
                    let mut cell = |lane: i64| {
                        let subscript = |s: &Affine| values.evaluate(&own_lanes.at(s, lane));
                        let subscripts = access.subscripts.iter().map(subscript).collect();
                        let next = cells.len();
                        *cells.entry((access.array, subscripts)).or_insert(next)
                    };
                    let mut all: Vec<usize> = (0..own_lanes.count).map(&mut cell).collect();
                    all.dedup();
                    all
                };
                let statement = statements[piece.leaf.statement()];
                let references = references[piece.leaf.statement()].iter();
                let reads = references.flat_map(|&(access, port)| cells(access).into_iter().map(move |c| (c, port)));
                let reads = reads.collect();
                let writes = statement.targets().flat_map(&mut cells).collect();
                let statement = present.iter().position(|s| *s == piece.leaf.statement()).expect("it has instances");
                iterations.push(Iteration { statement, begins_row, reads, writes });
                seen.iterations += 1;
                values.stack.truncate(base);
                ControlFlow::Continue(())
            });
            values.stack.truncate(place);
        }
        let is_full = seen.iter().all(|seen| seen.is_enough(of_band));
        (Pace { ports, cells: cells.len(), tiles: entered, iterations }, is_full)
    }

    /// How many tiles they are of.
    pub fn tiles(&self) -> usize {
        self.tiles
    }

    /// How many iterations there are.
    pub fn iterations(&self) -> usize {
        self.iterations.len()
    }

    /// Cycles until the last write, if nobody but the statements themselves makes an iteration wait.
    pub fn cycles(&self, Timing { latencies, sees }: &Timing) -> u64 {
        let sees: Vec<u64> = self.ports.iter().map(|port| u64::from(sees(*port))).collect();
        // The cycle behind the last write of every cell, 0 for none.
        let mut written: Vec<u64> = vec![0; self.cells];
        // The cycles in which somebody writes, each at its remainder: writes lie less than a latency behind a start.
        let longest = latencies.iter().map(|latency| latency.cycles).max().unwrap_or(0);
        let mut taken: Vec<u64> = vec![u64::MAX; longest as usize + 1];
        let slot = |cycle: u64| (cycle % (u64::from(longest) + 1)) as usize;
        let mut rows = Scanned::default();
        let (mut next, mut divided, mut last) = (0, 0, 0);
        for iteration in &self.iterations {
            let latency = latencies[iteration.statement];
            let cycles = u64::from(latency.cycles);
            let mut start = next;
            if iteration.begins_row {
                start = rows.begin(false, start);
            }
            for &(cell, port) in &iteration.reads {
                start = start.max(written[cell].saturating_sub(sees[port]));
            }
            // A write comes behind earlier ones of its cell, and in a cycle of its own.
            if latency.divides {
                start = start.max(divided);
            }
            for &cell in &iteration.writes {
                start = start.max(written[cell].saturating_sub(cycles));
            }
            while taken[slot(start + cycles)] == start + cycles {
                start += 1;
            }
            let write = start + cycles;
            if latency.divides {
                divided = write + 1;
            }
            taken[slot(write)] = write;
            iteration.writes.iter().for_each(|&cell| written[cell] = write + 1);
            next = start + 1;
            last = last.max(write);
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(iterations: &[(usize, bool, &[usize], usize)]) -> Pace {
        let iteration = |&(statement, begins_row, reads, writes): &(usize, bool, &[usize], usize)| Iteration {
            statement,
            begins_row,
            reads: reads.iter().map(|cell| (*cell, 0)).collect(),
            writes: vec![writes],
        };
        Pace {
            ports: vec![(ArrayId::from(0), 0)],
            cells: 10,
            tiles: 1,
            iterations: iterations.iter().map(iteration).collect(),
        }
    }

    fn cycles(pace: &Pace, latencies: &[(u32, bool)]) -> u64 {
        let latencies: Vec<Latency> = latencies.iter().map(|&(cycles, divides)| Latency { cycles, divides }).collect();
        pace.cycles(&Timing { latencies: &latencies, sees: &|_| 0 })
    }

    /// A sum of 18 cycles that reads itself ten cycles late, and is forwarded.
    #[test]
    fn late_reads_see_what_is_written_before_them() {
        let chain = pace(&[(0, true, &[], 0), (0, false, &[0], 0), (0, false, &[0], 0)]);
        let sums = [Latency { cycles: 18, divides: false }];
        let late = |sees: u32| chain.cycles(&Timing { latencies: &sums, sees: &|_| sees });
        assert_eq!(late(0), 1 + 2 * 19 + 18);
        assert_eq!(late(9), 1 + 2 * 10 + 18);
        assert_eq!(late(11), 1 + 2 * 8 + 18);
    }

    /// The first row starts in cycle 1, when the scanner has found it.
    #[test]
    fn iterations_wait_for_what_they_read() {
        let apart = pace(&[(0, true, &[], 0), (0, false, &[], 1), (0, false, &[], 2)]);
        assert_eq!(cycles(&apart, &[(10, false)]), 1 + 2 + 10);
        let chain = pace(&[(0, true, &[9], 0), (0, false, &[0], 1), (0, false, &[1], 2)]);
        assert_eq!(cycles(&chain, &[(10, false)]), 1 + 2 * 11 + 10);
    }

    #[test]
    fn writes_have_cycles_of_their_own() {
        // The second is 7 cycles shorter: it could write in any cycle but that of the first.
        let row = |second: usize| pace(&[(0, true, &[], 0), (1, false, &[], second), (1, false, &[], 2)]);
        assert_eq!(cycles(&row(1), &[(10, false), (9, false)]), 1 + 1 + 2 + 9);
        // Of one cell, the later write comes later.
        assert_eq!(cycles(&row(0), &[(10, false), (3, false)]), 1 + 8 + 1 + 3);
        // One division at a time.
        assert_eq!(cycles(&row(1), &[(10, false), (20, true)]), 1 + 1 + 20 + 1 + 20);
    }

    #[test]
    fn short_rows_take_the_scanner_s_time() {
        let rows: Vec<(usize, bool, &[usize], usize)> = (0..10).map(|n| (0, true, &[][..], n)).collect();
        assert_eq!(cycles(&pace(&rows), &[(1, false)]), 10 + 1);
    }
}
