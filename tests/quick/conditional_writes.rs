//! Writes that happen for some data only: programs whose `must` is made smaller than their `may`. Whether such a write
//! happens is drawn by lot, and the tiles, with the transfers of the analysis, leave the memory as the program does.

use std::collections::{BTreeMap, BTreeSet};

use burstc::ids::{ArrayId, StatementId};
use burstc::polyhedral::isl::{Map, Set};
use burstc::polyhedral::scan::{Fixed, Request, Scanned, scan};
use burstc::polyhedral::{self, Program};
use burstc::source::kernel::Kernel;
use burstc::source::{self, Source};
use burstc::tiling::{self, Band};
use burstc::transfer::validity::{self, Violation};
use burstc::transfer::{self, ArrayFlow};
use burstc::walk::{Values, visit};

const N: i64 = 7;

struct Case {
    kernel: Kernel,
    program: Program,
    band: Band,
    flows: Vec<ArrayFlow>,
}

/// The loops `body` over `int a[N], b[N], c[N][N]`, of whose writes those of `perhaps` are made to depend on data: a
/// statement's number and the instances that surely write.
fn case(body: &str, perhaps: &[(usize, &str)]) -> Case {
    let text = format!(
        "#pragma burstc size(N: {N}, max 20)\nvoid k(int N, int a[N], int b[N], int c[N][N])\n{{\n{body}\n}}\n"
    );
    let kernel = source::parse(&Source { path: "k.c".into(), text, cpp_args: vec![] }).unwrap();
    let mut program = polyhedral::extract(&kernel).unwrap();
    for (statement, surely) in perhaps {
        let surely = program.isl.parse_set(surely).unwrap();
        let write = program.statements[StatementId(*statement)].accesses.iter_mut().find(|a| a.write).unwrap();
        write.must = write.must.intersect_domain(&surely).unwrap();
    }
    let mut bands = tiling::apply(&program, &kernel, &kernel.tilings).unwrap();
    assert_eq!(bands.len(), 1);
    let band = bands.raw.remove(0);
    let flows = transfer::plan(&program, &band, &kernel).unwrap();
    Case { kernel, program, band, flows }
}

type Point = Vec<i64>;
type Cell = (ArrayId, Point);

/// The points of a set for N.
fn points(program: &Program, set: &Set) -> BTreeSet<Point> {
    let set = set.fix_parameter("N", N).unwrap();
    let names: Vec<String> = (0..set.dimensions().unwrap()).map(|k| format!("x{k}")).collect();
    let request = Request {
        parameters: &program.parameters,
        context: &[],
        set: &set,
        names: &names,
        fixed: Fixed::Keep,
        point: &names,
        definitions: &[],
        slacks: &[],
        in_order: false,
    };
    let mut found = BTreeSet::new();
    let Scanned::Scan(scan) = scan(&program.isl, &request).unwrap() else { panic!("points of {set}") };
    for piece in scan.pieces {
        let mut values = Values::new(&BTreeMap::from([("N".to_string(), N)]));
        visit(&piece, &mut values, |values| {
            assert!(found.insert(piece.point.iter().map(|x| values.evaluate(x)).collect()), "a point twice");
        });
    }
    found
}

/// The pairs of a relation for N, by what they begin with.
fn pairs(program: &Program, map: &Map) -> BTreeMap<Point, BTreeSet<Point>> {
    let own = map.domain().unwrap().dimensions().unwrap();
    let mut by_first: BTreeMap<Point, BTreeSet<Point>> = BTreeMap::new();
    for point in points(program, &map.wrap().unwrap().flatten().unwrap()) {
        by_first.entry(point[..own].to_vec()).or_default().insert(point[own..].to_vec());
    }
    by_first
}

struct Instance {
    name: (usize, Point),
    reads: Vec<Cell>,
    write: Cell,
    surely: bool,
}

impl Instance {
    /// `happens` tells of a write that is not sure whether it happens.
    fn run(&self, memory: &mut BTreeMap<Cell, u64>, happens: &impl Fn(&Instance) -> bool) {
        let mut value = self.name.1.iter().fold(mix(self.name.0 as u64 + 99), |h, x| mix(h ^ *x as u64));
        for read in &self.reads {
            value = mix(value ^ *memory.get(read).unwrap_or_else(|| panic!("{:?} reads {read:?}: nothing", self.name)));
        }
        if self.surely || happens(self) {
            memory.insert(self.write.clone(), value);
        }
    }
}

fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 29)
}

impl Case {
    fn flow(&self, array: &str) -> &ArrayFlow {
        self.flows.iter().find(|f| self.kernel.arrays[f.array].name == array).unwrap()
    }

    /// All instances by `dates`, one relation per statement.
    fn instances(&self, dates: &[Map]) -> BTreeMap<Point, Instance> {
        let mut all = BTreeMap::new();
        for (s, (statement, dates)) in self.program.statements.iter().zip(dates).enumerate() {
            let date = pairs(&self.program, dates);
            let cells = |write: bool| -> Vec<(ArrayId, BTreeMap<Point, BTreeSet<Point>>)> {
                let own = statement.accesses.iter().filter(|a| a.write == write);
                own.map(|a| (a.array, pairs(&self.program, &a.may))).collect()
            };
            let (reads, writes) = (cells(false), cells(true));
            let sure = pairs(&self.program, &statement.accesses.iter().find(|a| a.write).unwrap().must);
            for point in points(&self.program, &statement.domain) {
                let only = |cells: &BTreeMap<Point, BTreeSet<Point>>| cells[&point].first().unwrap().clone();
                let instance = Instance {
                    reads: reads.iter().map(|(array, cells)| (*array, only(cells))).collect(),
                    write: (writes[0].0, only(&writes[0].1)),
                    surely: sure.contains_key(&point),
                    name: (s, point.clone()),
                };
                assert!(all.insert(only(&date), instance).is_none(), "two instances of one date");
            }
        }
        all
    }

    fn initial(&self) -> BTreeMap<Cell, u64> {
        let mut memory = BTreeMap::new();
        for array in self.kernel.arrays.keys() {
            let rank = self.kernel.arrays[array].extents.len() as u32;
            for cell in 0..N.pow(rank) {
                let cell = if rank == 1 { vec![cell] } else { vec![cell / N, cell % N] };
                let value = cell.iter().fold(array.0 as u64, |h, x| mix(h ^ *x as u64 ^ 1 << 40));
                memory.insert((array, cell), value);
            }
        }
        memory
    }

    /// Requires that tiles with their loads and stores leave the memory as the program does, where the writes that may
    /// happen do by lot, and none and all of them.
    fn check(&self) {
        let schedules: Vec<Map> = self.program.statements.iter().map(|s| s.schedule.clone()).collect();
        let program = self.instances(&schedules);
        let inside = self.instances(&self.band.dates);
        let tiles = pairs(&self.program, &self.band.instances);
        let transfers: Vec<_> = (self.flows.iter())
            .map(|f| (f.array, pairs(&self.program, &f.load), pairs(&self.program, &f.store)))
            .collect();
        for lot in 0..12u64 {
            let happens = |instance: &Instance| match lot {
                0 => false,
                1 => true,
                _ => mix(instance.name.1.iter().fold(lot, |h, x| mix(h ^ *x as u64))).is_multiple_of(3),
            };
            let mut expected = self.initial();
            program.values().for_each(|instance| instance.run(&mut expected, &happens));

            let mut memory = self.initial();
            let mut chip = BTreeMap::new();
            let mut strip = None;
            let own = |cells: &BTreeMap<Point, BTreeSet<Point>>, array: ArrayId, tile: &Point| -> Vec<Cell> {
                cells.get(tile).into_iter().flatten().map(|cell| (array, cell.clone())).collect()
            };
            for (tile, dates) in &tiles {
                let this = tile[..self.band.directive.strip_indices()].to_vec();
                if strip.replace(this.clone()) != Some(this) {
                    chip.clear();
                }
                for cell in transfers.iter().flat_map(|(array, load, _)| own(load, *array, tile)) {
                    chip.insert(cell.clone(), memory[&cell]);
                }
                dates.iter().for_each(|date| inside[date].run(&mut chip, &happens));
                for cell in transfers.iter().flat_map(|(array, _, store)| own(store, *array, tile)) {
                    let value = chip.get(&cell).unwrap_or_else(|| panic!("{tile:?} stores {cell:?}: nothing"));
                    memory.insert(cell, *value);
                }
            }
            assert_eq!(memory, expected, "lot {lot}");
        }
    }

    fn assert_load(&self, array: &str, expected: &str) {
        self.assert_map("load", &self.flow(array).load, expected);
    }

    fn assert_map(&self, what: &str, got: &Map, expected: &str) {
        let expected = self.program.isl.parse_map(expected).unwrap();
        assert!(got.is_equal(&expected).unwrap(), "{what}\n     got {got}\nexpected {expected}");
    }
}

/// No instance writes surely.
const NEVER: &str = "[N] -> { S0[i] : false }";

#[test]
fn what_may_not_be_written_is_loaded_first() {
    let body = "#pragma burstc tile(i:3)\nfor (int i = 0; i < N; i++) b[i] = a[i];";
    let exact = case(body, &[]);
    exact.check();
    assert!(exact.flow("b").load.is_empty().unwrap() && exact.flow("b").sure_out.is_none());

    let never = case(body, &[(0, NEVER)]);
    never.check();
    never.assert_load("b", "[N] -> { T[t] -> b[i] : 0 <= i < N and 3t <= i <= 3t + 2 }");

    let some = case(body, &[(0, "[N] -> { S0[i] : i mod 2 = 0 }")]);
    some.check();
    some.assert_load("b", "[N] -> { T[t] -> b[i] : 0 <= i < N and 3t <= i <= 3t + 2 and i mod 2 = 1 }");
    for case in [&exact, &never, &some] {
        case.assert_map("store", &case.flow("b").store, "[N] -> { T[t] -> b[i] : 0 <= i < N and 3t <= i <= 3t + 2 }");
    }
}

/// RR-7697 section 4.2: what a tile may write and a later one reads is loaded before it may be written.
#[test]
fn loads_come_before_the_write_that_may_happen() {
    // b[i] perhaps in tile 0 of dimension 0, b[i] read in tile 1.
    let body = "#pragma burstc schedule(S0[i] -> (0, i); S1[i] -> (1, i)) tile(1, 3)\n\
                for (int i = 0; i < N; i++) b[i] = a[i];\n\
                for (int i = 0; i < N; i++) c[0][i] = b[N - 1 - i];";
    case(body, &[]).check();
    case(body, &[(0, NEVER)]).check();
    // The same in a strip of both dimensions: b is loaded in tile 0 of dimension 0.
    let body = body.replace("tile(1, 3)", "tile(1, 3) strip(2)");
    case(&body, &[]).check();
    let never = case(&body, &[(0, NEVER)]);
    never.check();
    never.assert_load("b", "[N] -> { T[0, t] -> b[i] : 0 <= i < N and 3t <= i <= 3t + 2 }");
    // In one strip: all of b may be written by the first tiles, and is read by the last.
    let body = "#pragma burstc schedule(S0[i] -> (i); S1[i] -> (i + N)) tile(3)\n\
                for (int i = 0; i < N; i++) b[i] = a[i];\n\
                for (int i = 0; i < N; i++) c[0][i] = b[N - 1 - i];";
    let exact = case(body, &[]);
    exact.check();
    assert!(exact.flow("b").load.is_empty().unwrap());
    let never = case(body, &[(0, NEVER)]);
    never.check();
    never.assert_load("b", "[N] -> { T[t] -> b[i] : 0 <= i < N and 3t <= i <= 3t + 2 }");
}

/// What is surely written after all, before anybody reads it, is not loaded; what is read in between is.
#[test]
fn a_sure_write_later_makes_up_for_it() {
    let unread = "#pragma burstc schedule(S0[i] -> (i); S1[i] -> (i + N)) tile(3)\n\
                  for (int i = 0; i < N; i++) b[i] = a[i];\n\
                  for (int i = 0; i < N; i++) b[i] = a[i] + 1;";
    let never = case(unread, &[(0, NEVER)]);
    never.check();
    assert!(never.flow("b").load.is_empty().unwrap());

    let read = "#pragma burstc schedule(S0[i] -> (i); S1[i] -> (i + N); S2[i] -> (i + 2 * N)) tile(3)\n\
                for (int i = 0; i < N; i++) b[i] = a[i];\n\
                for (int i = 0; i < N; i++) c[0][i] = b[i];\n\
                for (int i = 0; i < N; i++) b[i] = a[i] + 1;";
    let never = case(read, &[(0, NEVER)]);
    never.check();
    never.assert_load("b", "[N] -> { T[t] -> b[i] : 0 <= i < N and 3t <= i <= 3t + 2 }");
}

#[test]
fn sums_stencils_and_products() {
    let stencil = "#pragma burstc tile(i:3)\nfor (int i = 1; i < N - 1; i++) a[i] = a[i - 1] + a[i + 1];";
    let product = "#pragma burstc schedule(S0[i, j] -> (i, j, 0); S1[i, j, k] -> (i, j, k)) tile(3, 2, 2)\n\
                   for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {\n c[i][j] = 0;\n\
                   for (int k = 0; k < N; k++) c[i][j] += a[k] * b[j];\n}";
    for (body, perhaps) in [
        (stencil, vec![]),
        (stencil, vec![(0, NEVER)]),
        (stencil, vec![(0, "[N] -> { S0[i] : i mod 3 = 1 }")]),
        (product, vec![]),
        (product, vec![(0, "[N] -> { S0[i, j] : i < j }")]),
        (product, vec![(1, "[N] -> { S1[i, j, k] : false }")]),
        (product, vec![(0, "[N] -> { S0[i, j] : false }"), (1, "[N] -> { S1[i, j, k] : k mod 2 = 0 }")]),
    ] {
        case(body, &perhaps).check();
        for strip in ["strip(2)", "strip(3)"] {
            if body == product {
                case(&product.replace("tile(3, 2, 2)", &format!("tile(3, 2, 2) {strip}")), &perhaps).check();
            }
        }
    }
    let exact = case(product, &[]);
    assert!(exact.flow("c").load.is_empty().unwrap());
    let never = case(product, &[(0, "[N] -> { S0[i, j] : false }")]);
    assert!(!never.flow("c").load.is_empty().unwrap());
}

/// Theorems 3 and 4: the loads of exact writes are not enough where the writes are not sure.
#[test]
fn loads_of_sure_writes_are_not_enough() {
    let body = "#pragma burstc tile(i:3)\nfor (int i = 0; i < N; i++) b[i] = a[i];";
    let (exact, never) = (case(body, &[]), case(body, &[(0, NEVER)]));
    let (load, store) = (&exact.flow("b").load, &exact.flow("b").store);
    let load = never.program.isl.parse_map(&load.to_string()).unwrap();
    let store = never.program.isl.parse_map(&store.to_string()).unwrap();
    let violations = validity::violations(&never.band, never.flow("b"), &load, &store).unwrap();
    assert_eq!(violations, [Violation::LoadIsUseless, Violation::StoreOfNothing]);
}
