//! The scans of the analysis against a naive simulation of the kernel: enumerate all iterations, sort them into tiles,
//! and find In, Out, Load and Store by definition; then run the pipeline on buffers of the sizes allocated, with the
//! tightest overlap that the tokens allow, and compare the memory with that of the plain loop nest.

use crate::kernels;
use burstc::ids::{ArrayId, BandId};

use kernels::analyze;

use std::collections::{BTreeMap, BTreeSet};

use burstc::affine::Affine;
use burstc::offload::{Bound, Offload, Scan, Wait};
use burstc::source::kernel::{Access, Kernel, Node, Statement};

type Environment = BTreeMap<String, i64>;
type Cell = Vec<i64>;

fn value(affine: &Affine, environment: &Environment) -> i64 {
    affine.evaluate(|name| *environment.get(name).unwrap_or_else(|| panic!("{name} in {affine} is not in scope")))
}

fn lower(bound: &Bound, environment: &Environment) -> i64 {
    -(-value(&bound.numerator, environment)).div_euclid(bound.divisor)
}

fn upper(bound: &Bound, environment: &Environment) -> i64 {
    value(&bound.numerator, environment).div_euclid(bound.divisor)
}

/// The points that the hardware visits, in its order. Checks the ranges on the way.
fn walk(scan: &Scan, context: &Environment) -> Vec<Cell> {
    let mut points = vec![];
    for piece in &scan.pieces {
        assert!(!piece.levels.is_empty());
        if piece.guards.iter().all(|g| value(g, context) >= 0) {
            walk_level(piece, 0, &mut context.clone(), &mut points);
        }
    }
    points
}

fn walk_level(piece: &burstc::offload::Piece, depth: usize, environment: &mut Environment, points: &mut Vec<Cell>) {
    let Some(level) = piece.levels.get(depth) else {
        points.push(piece.point.iter().map(|p| value(p, environment)).collect());
        return;
    };
    assert!(!environment.contains_key(&level.name), "{} is bound twice", level.name);
    let low = level.lower.iter().map(|b| lower(b, environment)).max().expect("a lower bound");
    let high = level.upper.iter().map(|b| upper(b, environment)).min().expect("an upper bound");
    for v in low..=high {
        assert!(level.range.0 <= v && v <= level.range.1, "{} = {v} is outside of {:?}", level.name, level.range);
        environment.insert(level.name.clone(), v);
        walk_level(piece, depth + 1, environment, points);
    }
    environment.remove(&level.name);
}

/// The kernel as written.
struct Reference<'a> {
    statement: &'a Statement,
    iterators: Vec<String>,
    /// In the order of the source.
    iterations: Vec<Cell>,
}

impl<'a> Reference<'a> {
    fn new(kernel: &'a Kernel, sizes: &Environment) -> Self {
        let mut reference = Reference { statement: statement(&kernel.body), iterators: vec![], iterations: vec![] };
        let mut nodes = &kernel.body;
        while let Node::Loop(l) = &nodes[0] {
            reference.iterators.push(l.iterator.clone());
            nodes = &l.body;
        }
        enumerate(&kernel.body, &mut sizes.clone(), &reference.iterators, &mut reference.iterations);
        reference
    }

    fn environment(&self, iteration: &Cell, sizes: &Environment) -> Environment {
        sizes.clone().into_iter().chain(self.iterators.iter().cloned().zip(iteration.iter().copied())).collect()
    }

    /// Array and cell of an access.
    fn place(access: &Access, environment: &Environment) -> (ArrayId, Cell) {
        (access.array, access.subscripts.iter().map(|s| value(s, environment)).collect())
    }
}

fn statement(nodes: &[Node]) -> &Statement {
    match &nodes[0] {
        Node::Loop(l) => statement(&l.body),
        Node::If(_) => panic!("these kernels have no condition"),
        Node::Statement(s) => s,
    }
}

fn enumerate(nodes: &[Node], environment: &mut Environment, iterators: &[String], found: &mut Vec<Cell>) {
    match &nodes[0] {
        Node::If(_) => panic!("these kernels have no condition"),
        Node::Statement(_) => found.push(iterators.iter().map(|i| environment[i]).collect()),
        Node::Loop(l) => {
            let low = l.lower.iter().map(|b| value(b, environment)).max().unwrap();
            let high = l.upper.iter().map(|b| value(b, environment)).min().unwrap();
            for v in low..=high {
                environment.insert(l.iterator.clone(), v);
                enumerate(&l.body, environment, iterators, found);
            }
            environment.remove(&l.iterator);
        }
    }
}

type Memory = BTreeMap<(ArrayId, Cell), u64>;

/// Some value that depends on the address, for cells nobody wrote.
fn initial(place: &(ArrayId, Cell)) -> u64 {
    mix(place.1.iter().fold(place.0.0 as u64 + 1, |h, x| mix(h ^ *x as u64)))
}

fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 32)
}

/// What the statement computes: depends on iteration and operands, in order.
fn compute(iteration: &Cell, operands: impl Iterator<Item = u64>) -> u64 {
    let seed = iteration.iter().fold(7, |h, x| mix(h ^ *x as u64));
    operands.fold(seed, |h, v| mix(h ^ v))
}

/// Checks every scan of `kernel` for one size, and runs the pipeline.
fn check(offload: &Offload, sizes: &Environment) {
    let kernel = &offload.kernel;
    let reference = Reference::new(kernel, sizes);
    let tile_of = |iteration: &Cell| -> Cell {
        let environment = reference.environment(iteration, sizes);
        let theta = kernels::band(offload).tiling.schedules[0].theta.iter().zip(&kernels::band(offload).tiling.sizes);
        theta.map(|(t, size)| value(t, &environment).div_euclid(*size)).collect()
    };
    let date_of = |iteration: &Cell| -> Cell {
        let environment = reference.environment(iteration, sizes);
        kernels::band(offload).tiling.schedules[0].theta.iter().map(|t| value(t, &environment)).collect()
    };

    // In(T) and Out(T) by definition.
    let mut by_tile: BTreeMap<Cell, Vec<Cell>> = BTreeMap::new();
    for iteration in &reference.iterations {
        by_tile.entry(tile_of(iteration)).or_default().push(iteration.clone());
    }
    let mut live_in: BTreeMap<&Cell, BTreeSet<(ArrayId, Cell)>> = BTreeMap::new();
    let mut out: BTreeMap<&Cell, BTreeSet<(ArrayId, Cell)>> = BTreeMap::new();
    for (tile, iterations) in &by_tile {
        let mut sorted = iterations.clone();
        sorted.sort_by_key(date_of);
        let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
        for iteration in &sorted {
            let environment = reference.environment(iteration, sizes);
            for access in reference.statement.value.reads() {
                let place = Reference::place(access, &environment);
                if !written.contains(&place) {
                    read.insert(place);
                }
            }
            written.insert(Reference::place(&reference.statement.target, &environment));
        }
        live_in.insert(tile, read);
        out.insert(tile, written);
    }

    // The tiles: in order, all that have iterations, each row of a strip one interval.
    let tiles = walk(&offload.tiles, sizes);
    assert!(tiles.windows(2).all(|w| w[0] < w[1]), "tiles out of order for {sizes:?}");
    for tile in by_tile.keys() {
        assert!(tiles.contains(tile), "{}: tile {tile:?} is missing for {sizes:?}", kernel.name);
    }
    let strip = |tile: &Cell| tile[..kernels::band(offload).tiling.strip_indices()].to_vec();
    let row = |tile: &Cell| tile[..tile.len() - 1].to_vec();
    for pair in tiles.windows(2).filter(|w| row(&w[0]) == row(&w[1])) {
        assert_eq!(pair[0].last().unwrap() + 1, *pair[1].last().unwrap(), "a hole in a row of a strip");
    }

    // Load and Store by RR-7697 Theorem 1, per tile, but for what a later strip stores again before any strip loads it.
    let none = BTreeSet::new();
    let mut expected: BTreeMap<&Cell, [BTreeSet<(ArrayId, Cell)>; 2]> = BTreeMap::new();
    for tile in &tiles {
        let neighbours = |later: bool| {
            by_tile.keys().filter(move |t| strip(t) == strip(tile) && if later { *t > tile } else { *t < tile })
        };
        let before: BTreeSet<_> = neighbours(false).flat_map(|t| live_in[t].iter().chain(&out[t])).collect();
        let after: BTreeSet<_> = neighbours(true).flat_map(|t| &out[t]).collect();
        let load = live_in.get(tile).unwrap_or(&none).iter().filter(|c| !before.contains(c)).cloned().collect();
        let store = out.get(tile).unwrap_or(&none).iter().filter(|c| !after.contains(c)).cloned().collect();
        expected.insert(tile, [load, store]);
    }
    // Backwards: whether what happens to a cell next is a store.
    let mut stored_next: BTreeMap<(ArrayId, Cell), bool> = BTreeMap::new();
    for [load, store] in expected.values_mut().rev() {
        let all = std::mem::take(store);
        store.extend(all.iter().filter(|cell| stored_next.get(cell) != Some(&true)).cloned());
        stored_next.extend(all.into_iter().map(|cell| (cell, true)));
        stored_next.extend(load.iter().map(|cell| (cell.clone(), false)));
    }

    // Each cell once.
    let mut loads: BTreeMap<&Cell, Vec<(ArrayId, Cell)>> = BTreeMap::new();
    let mut stores: BTreeMap<&Cell, Vec<(ArrayId, Cell)>> = BTreeMap::new();
    let mut computes: BTreeMap<&Cell, Vec<Cell>> = BTreeMap::new();
    for tile in &tiles {
        let context: Environment =
            sizes.clone().into_iter().chain(tile.iter().enumerate().map(|(k, t)| (format!("T{k}"), *t))).collect();
        let visit = |scan: fn(&burstc::offload::Transfer) -> &Scan| -> Vec<(ArrayId, Cell)> {
            let all = kernels::band(offload).transfers.iter();
            all.flat_map(|t| walk(scan(t), &context).into_iter().map(|c| (t.array, c))).collect()
        };
        loads.insert(tile, visit(|t| &t.load));
        stores.insert(tile, visit(|t| &t.store));
        computes.insert(tile, walk(&kernels::band(offload).compute.scan, &context));
        for (what, visited, expected) in
            [("load", &loads[tile], &expected[tile][0]), ("store", &stores[tile], &expected[tile][1])]
        {
            let set: BTreeSet<_> = visited.iter().cloned().collect();
            assert_eq!(set, *expected, "{} {what} of tile {tile:?} for {sizes:?}", kernel.name);
            assert_eq!(set.len(), visited.len(), "{} {what} of tile {tile:?} visits a cell twice", kernel.name);
        }
        let mut visited = computes[tile].clone();
        visited.sort();
        let mut expected = by_tile.get(tile).cloned().unwrap_or_default();
        expected.sort();
        assert_eq!(visited, expected, "{} iterations of tile {tile:?} for {sizes:?}", kernel.name);
    }

    // The pipeline: in step s, loads of s+1 come first and stores of s-1 last, on buffers of the least size.
    let mut ddr = Memory::new();
    let mut plain = Memory::new();
    for iteration in &reference.iterations {
        let environment = reference.environment(iteration, sizes);
        let reads = reference.statement.value.reads().into_iter().map(|a| Reference::place(a, &environment));
        let result = compute(iteration, reads.map(|p| plain.get(&p).copied().unwrap_or_else(|| initial(&p))));
        plain.insert(Reference::place(&reference.statement.target, &environment), result);
    }
    let mut touched: BTreeMap<(ArrayId, Cell), (Cell, bool)> = BTreeMap::new();
    let mut depend = false;
    let mut strips: BTreeMap<Cell, Vec<&Cell>> = BTreeMap::new();
    tiles.iter().for_each(|t| strips.entry(strip(t)).or_default().push(t));
    for (strip, tiles) in strips {
        let mut buffers: BTreeMap<(ArrayId, Cell), (Cell, u64)> = BTreeMap::new();
        let slot = |tile: usize, place: &(ArrayId, Cell)| {
            let buffer = offload.buffers.iter().find(|b| b.array == place.0).expect("a buffer");
            let mapping = buffer.common_mapping().unwrap();
            let skewed = mapping.skewed(&place.1);
            let residues = skewed.iter().zip(&mapping.exact_moduli).map(|(x, m)| x.rem_euclid(*m));
            // Within a strip.
            let number = if mapping.by_strips { 0 } else { tile };
            (place.0, [number as i64 % mapping.slots].into_iter().chain(residues).collect::<Cell>())
        };
        for step in 0..tiles.len() + 2 {
            // Shifted by one: step 0 only loads the first tile.
            for place in tiles.get(step).into_iter().flat_map(|t| &loads[*t]) {
                let value = ddr.get(place).copied().unwrap_or_else(|| initial(place));
                buffers.insert(slot(step, place), (place.1.clone(), value));
                depend |= touched.get(place).is_some_and(|(s, stored)| *stored && *s != strip);
                touched.entry(place.clone()).or_insert((strip.clone(), false));
            }
            for iteration in step.checked_sub(1).and_then(|s| tiles.get(s)).into_iter().flat_map(|t| &computes[*t]) {
                let environment = reference.environment(iteration, sizes);
                let reads = reference.statement.value.reads().into_iter();
                let operands: Vec<u64> = reads
                    .map(|access| {
                        let place = Reference::place(access, &environment);
                        let (cell, value) = &buffers[&slot(step - 1, &place)];
                        assert_eq!(*cell, place.1, "{}: the buffer holds another cell", kernel.name);
                        *value
                    })
                    .collect();
                let place = Reference::place(&reference.statement.target, &environment);
                buffers.insert(slot(step - 1, &place), (place.1, compute(iteration, operands.into_iter())));
            }
            for place in step.checked_sub(2).and_then(|s| tiles.get(s)).into_iter().flat_map(|t| &stores[*t]) {
                let (cell, value) = &buffers[&slot(step - 2, place)];
                assert_eq!(*cell, place.1, "{}: the buffer holds another cell at its store", kernel.name);
                ddr.insert(place.clone(), *value);
                touched.insert(place.clone(), (strip.clone(), true));
            }
        }
    }
    assert!(ddr == plain, "{}: the memory differs for {sizes:?}", kernel.name);
    assert!(offload.strips_depend || !depend, "{}: a strip depends on another for {sizes:?}", kernel.name);
}

fn sizes_of(kernel: &Kernel, n: i64) -> Environment {
    kernel.parameters.iter().enumerate().map(|(k, p)| (p.name.clone(), (n + k as i64).min(p.max.unwrap()))).collect()
}

/// All sizes up to `largest`, one analysis.
fn check_all(kernel: Kernel, largest: i64) -> Offload {
    let offload = analyze(&kernel).unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
    for n in 0..=largest {
        check(&offload, &sizes_of(&kernel, n));
        kernels::pipeline::check(&offload, &sizes_of(&kernel, n));
    }
    offload
}

/// The naive machine sees every wait and every slot that is left out.
#[test]
fn strips_that_do_not_wait_are_caught() {
    let caught = |kernel: &Kernel, n: i64, edit: &dyn Fn(&mut Offload)| {
        let mut offload = analyze(kernel).unwrap();
        let sizes = sizes_of(kernel, n);
        kernels::pipeline::check(&offload, &sizes);
        edit(&mut offload);
        std::panic::catch_unwind(|| kernels::pipeline::check(&offload, &sizes)).is_err()
    };
    let hasty = |array: ArrayId| {
        move |offload: &mut Offload| {
            let band = &mut offload.bands[BandId(0)];
            band.transfers.iter_mut().filter(|t| t.array == array).for_each(|t| t.wait = Wait::Nothing);
            band.compute_waits = false;
        }
    };
    let [a, b, c] = [0, 1, 2].map(ArrayId);
    // Cells of the strip before are still in their places: c until it is stored, b until it has been read.
    assert!(caught(&kernels::matmul(&[3, 3, 3]), 9, &hasty(c)));
    assert!(caught(&kernels::polymul_skewed(&[3, 3]), 12, &hasty(b)));
    // Strips add to what others stored.
    assert!(caught(&kernels::polymul(&[3, 3]), 12, &hasty(c)));
    // a is loaded ahead only because tiles have slots; 9 columns are an odd number of tiles.
    assert!(caught(&kernels::matmul(&[3, 3, 3]), 9, &|offload| {
        let mapping = offload.buffers[a.0].mappings[BandId(0)].as_mut().unwrap();
        assert_eq!(mapping.slots, 2);
        (mapping.slots, mapping.exact_moduli[1]) = (1, 6);
    }));
    // Places written by a strip whose results the store process has not taken yet.
    let copy = kernels::nest("copy", "N:9 M:9", "x[N][M]; y[N]", "i:0..N - 1; j:0..M - 1", "y[i]", "x[i][j]");
    assert!(
        caught(&kernels::tiled(copy, "i, j", &[2, 2]), 8, &|offload| offload.bands[BandId(0)].compute_waits = false)
    );
}

/// Strips that take two places in turn overlap; where they have one tile, a strip waits until the one before the last is stored.
#[test]
fn strips_that_take_turns_are_told_apart() {
    let kernel = kernels::matmul(&[3, 3, 3]);
    let c = ArrayId(2);
    let in_turn = |wait: Wait, slots: i64| {
        let mut offload = analyze(&kernel).unwrap();
        let band = &mut offload.bands[BandId(0)];
        band.transfers.iter_mut().filter(|t| t.array == c).for_each(|t| t.wait = wait);
        band.transfers.sort_by_key(|t| t.wait);
        band.compute_waits = false;
        let buffer = offload.buffers.iter_mut().find(|buffer| buffer.array == c).unwrap();
        let mapping = buffer.mappings[BandId(0)].as_mut().unwrap();
        assert_eq!((mapping.slots, mapping.by_strips), (1, false));
        (mapping.slots, mapping.by_strips) = (slots, slots > 1);
        offload
    };
    let names: Vec<String> = kernel.parameters.iter().map(|p| p.name.clone()).collect();
    let runs = |offload: &Offload, n: i64| {
        let sizes: Environment = names.iter().map(|name| (name.clone(), n)).collect();
        std::panic::catch_unwind(|| kernels::pipeline::check(offload, &sizes)).is_ok()
    };
    for n in [1, 3, 4, 7, 9] {
        assert!(runs(&in_turn(Wait::StoredBefore, 2), n), "sizes {n}");
    }
    assert!(!runs(&in_turn(Wait::StoredBefore, 1), 9), "in one place");
}

#[test]
fn copies_and_sums() {
    for size in [1, 3, 10, 32] {
        check_all(kernels::dma(&[size]), 40);
        check_all(kernels::vecsum(&[size]), 40);
    }
}

#[test]
fn matrix_product() {
    for (sizes, largest) in [([1, 1, 1], 4), ([3, 3, 3], 10), ([3, 1, 10], 11), ([10, 10, 10], 12), ([1, 4, 2], 7)] {
        let offload = check_all(kernels::matmul(&sizes), largest);
        assert!(!offload.strips_depend);
    }
}

/// Strips along two dimensions, and along all.
fn long_strips(kernel: &Kernel) -> impl Iterator<Item = Kernel> {
    let all = kernel.tilings[0].sizes.len();
    (2..=all).map(|strip| {
        let mut kernel = kernel.clone();
        kernel.tilings[0].strip = strip;
        kernel
    })
}

#[test]
fn strips_of_several_dimensions() {
    for (sizes, largest) in [([1, 1, 1], 4), ([3, 3, 3], 10), ([3, 1, 10], 11), ([1, 4, 2], 7)] {
        long_strips(&kernels::matmul(&sizes)).for_each(|kernel| drop(check_all(kernel, largest)));
    }
    for sizes in [[1, 1], [3, 3], [3, 10], [1, 10]] {
        let kernels = [kernels::polymul(&sizes), kernels::polymul_skewed(&sizes)];
        kernels.iter().flat_map(long_strips).for_each(|kernel| drop(check_all(kernel, 12)));
    }
    for (name, parameters, arrays, loops, target, reads, theta, sizes, largest) in SHAPES.iter().chain(STRIDED) {
        let kernel = kernels::nest(name, parameters, arrays, loops, target, reads);
        long_strips(&kernels::tiled(kernel, theta, sizes)).for_each(|kernel| drop(check_all(kernel, *largest)));
    }
}

#[test]
#[ignore = "slow: make test"]
fn polynomial_products() {
    for sizes in [[1, 1], [3, 3], [10, 10], [3, 10], [10, 1], [1, 10]] {
        let largest = if sizes[0] * sizes[1] < 9 { 12 } else { 40 };
        check_all(kernels::polymul(&sizes), largest);
        check_all(kernels::polymul_skewed(&sizes), largest);
    }
}

/// Nests of other shapes: name, parameters, arrays, loops, target, reads, θ, tile sizes, largest size.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [i64],
    i64,
);

const SHAPES: &[Row] = &[
    (
        "triangle",
        "N:100",
        "a[N][N]; x[N]; y[N]",
        "i:0..N - 1; j:i..N - 1",
        "y[i]",
        "y[i]; a[i][j]; x[j]",
        "i, j",
        &[3, 4],
        14,
    ),
    (
        "lower_triangle",
        "N:100",
        "a[N][N]; x[N]; y[N]",
        "i:0..N - 1; j:0..i",
        "y[i]",
        "y[i]; a[j][i]; x[j]",
        "j, i",
        &[3, 4],
        14,
    ),
    (
        "transpose",
        "N:100 M:100",
        "a[N][M]; b[M][N]",
        "i:0..N - 1; j:0..M - 1",
        "b[j][i]",
        "a[i][j]",
        "i, j",
        &[4, 3],
        12,
    ),
    ("diagonal", "N:100", "a[N][N]; x[N]", "i:0..N - 1", "x[i]", "a[i][i]", "i", &[4], 14),
    (
        "seidel",
        "N:100",
        "x[N + 1][N + 1]",
        "i:1..N; j:1..N",
        "x[i][j]",
        "x[i - 1][j]; x[i][j - 1]; x[i][j]",
        "i, j",
        &[4, 3],
        14,
    ),
    (
        "jacobi",
        "N:100 M:100",
        "x[N + 1][M + 3]",
        "t:1..N; i:1..M + 1",
        "x[t][i]",
        "x[t - 1][i - 1]; x[t - 1][i]; x[t - 1][i + 1]",
        "t, t + i",
        &[3, 4],
        12,
    ),
    (
        "in_place",
        "N:100",
        "x[N + 2]",
        "t:0..N - 1; i:1..N",
        "x[i]",
        "x[i - 1]; x[i]; x[i + 1]",
        "t, 2*t + i",
        &[3, 4],
        12,
    ),
    (
        "in_place_skewed",
        "N:100",
        "x[N + 2]",
        "t:0..N - 1; i:1..N",
        "x[i]",
        "x[i - 1]; x[i]; x[i + 1]",
        "2*t + i, t",
        &[3, 4],
        12,
    ),
    ("prefix", "N:1000", "x[N + 1]", "i:1..N", "x[i]", "x[i - 1]; x[i]", "i", &[5], 20),
    (
        "convolution",
        "N:100 M:100",
        "a[N + M]; b[M]; c[N]",
        "i:0..N - 1; j:0..M - 1",
        "c[i]",
        "c[i]; a[i + j]; b[j]",
        "i, j",
        &[4, 3],
        14,
    ),
    ("overwrite", "N:100", "a[2*N]; b[N]", "i:0..N - 1; j:0..N - 1", "b[i]", "a[i + j]", "i, j", &[3, 4], 14),
    ("last_wins", "N:100", "a[N][N]; b[N]", "i:0..N - 1; j:0..N - 1", "b[j]", "a[i][j]", "i, j", &[3, 4], 14),
    ("window", "N:100", "a[N + 3]; b[N]", "i:0..N - 1", "b[i]", "a[i]; a[i + 1]; a[i + 3]", "i", &[4], 20),
    (
        "bounds",
        "N:100 M:100",
        "a[N][M]; b[N][M]",
        "i:0..N - 1; j:0, i - 3..M - 1, i + 4",
        "b[i][j]",
        "a[i][j]",
        "i, j",
        &[4, 3],
        14,
    ),
    ("box", "N:7", "a[12][12]; b[12][12]", "i:2..9; j:1..8", "b[i][j]", "a[j][i]; a[i][3]", "i, j", &[4, 3], 3),
];

#[test]
fn other_shapes() {
    for (name, parameters, arrays, loops, target, reads, theta, sizes, largest) in SHAPES {
        let kernel = kernels::nest(name, parameters, arrays, loops, target, reads);
        check_all(kernels::tiled(kernel.clone(), theta, sizes), *largest);
        check_all(kernels::tiled(kernel, theta, &vec![1; sizes.len()]), 5);
    }
}

/// Subscripts with strides and schedules whose inverse is not integral everywhere.
const STRIDED: &[Row] = &[
    ("even", "N:100", "a[2*N]; b[N]", "i:0..N - 1", "b[i]", "a[2*i]", "i", &[4], 14),
    ("every_third", "N:100", "a[3*N + 1]; b[3*N]", "i:0..N - 1", "b[3*i + 2]", "a[3*i + 1]", "i", &[4], 14),
    (
        "both",
        "N:100",
        "a[2*N][3*N]; b[N][N]",
        "i:0..N - 1; j:0..N - 1",
        "b[i][j]",
        "a[2*i][3*j + 1]",
        "i, j",
        &[2, 3],
        8,
    ),
    ("mixed", "N:100", "a[5*N]; b[N]", "i:0..N - 1; j:0..N - 1", "b[i]", "b[i]; a[2*i + 3*j]", "i, j", &[2, 3], 9),
    ("doubled", "N:100", "a[N]; b[N]", "i:0..N - 1", "b[i]", "a[i]", "2*i", &[4], 14),
    (
        "rotated",
        "N:100",
        "a[N][N]; b[N][N]",
        "i:0..N - 1; j:0..N - 1",
        "b[i][j]",
        "a[i][j]",
        "i + j, i - j",
        &[4, 3],
        12,
    ),
    ("offset", "N:100", "a[2*N + 2]; b[N + 1]", "i:0..N", "b[i]", "a[2*N - 2*i]", "N - i", &[4], 14),
    (
        "redundant",
        "N:100",
        "a[N][N]; b[N][N]",
        "i:0..N - 1; j:0..N - 1",
        "b[i][j]",
        "a[i][j]",
        "i + j, i, j",
        &[4, 3, 2],
        8,
    ),
    ("packed", "N:100", "a[N][2]; b[N][2]", "i:0..N - 1; j:0..1", "b[i][j]", "a[i][j]", "2*i + j", &[5], 12),
];

#[test]
fn strides_and_lattices() {
    for (name, parameters, arrays, loops, target, reads, theta, sizes, largest) in STRIDED {
        let kernel = kernels::nest(name, parameters, arrays, loops, target, reads);
        check_all(kernels::tiled(kernel, theta, sizes), *largest);
    }
}
