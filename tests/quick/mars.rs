//! Classes of cells by the tiles that load them, of whole kernels: what the sets give is what enumeration of the C program's
//! iterations gives. The paper's cases without a kernel are in `src/mars/tests.rs`.

use std::collections::{BTreeMap, BTreeSet};

use burstc::board;
use burstc::diagnostic::Diagnostic;
use burstc::dump::{self, Stage};
use burstc::layout::Slices;
use burstc::mars::{self, Array, Mars, Reason};
use burstc::offload::Offload;
use burstc::source::Source;
use burstc::{Options, analyze};

use crate::kernels;

type Cell = [i64; 2];

fn source(text: &str) -> Source {
    Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] }
}

fn offload(text: &str) -> Offload {
    analyze(&source(text), &board::load("stratix2-ddr400").unwrap(), &Options::default()).unwrap()
}

fn array(offload: &Offload, name: &str) -> Array {
    let all = mars::of_offload(offload).unwrap();
    all.into_iter().find(|array| offload.kernel.arrays[array.array].name == name).unwrap()
}

fn of(array: &Array) -> &Mars {
    array.mars.as_ref().unwrap_or_else(|refusal| panic!("{refusal:?}"))
}

/// Iterations with their tiles and the cells that they read, in the order of the tiles: Load(T) of an array that nobody writes is
/// what no tile before, of the same strip, has read.
fn loads(reads: impl IntoIterator<Item = (Vec<i64>, Vec<Cell>)>) -> BTreeMap<Vec<i64>, BTreeSet<Cell>> {
    let mut read: BTreeMap<Vec<i64>, BTreeSet<Cell>> = BTreeMap::new();
    for (tile, cells) in reads {
        read.entry(tile).or_default().extend(cells);
    }
    let mut loads = BTreeMap::new();
    for (tile, cells) in &read {
        let n = tile.len() - 1;
        let before = |other: &&Vec<i64>| other[..n] == tile[..n] && other[n] < tile[n];
        let known: BTreeSet<Cell> = read.keys().filter(before).flat_map(|other| read[other].iter().copied()).collect();
        loads.insert(tile.clone(), cells - &known);
    }
    loads
}

/// All cells by the tiles that load them.
fn classes(loads: &BTreeMap<Vec<i64>, BTreeSet<Cell>>) -> Vec<BTreeSet<Cell>> {
    let mut users: BTreeMap<Cell, Vec<&Vec<i64>>> = BTreeMap::new();
    for (tile, cells) in loads {
        cells.iter().for_each(|cell| users.entry(*cell).or_default().push(tile));
    }
    let mut classes: BTreeMap<Vec<&Vec<i64>>, BTreeSet<Cell>> = BTreeMap::new();
    for (cell, users) in users {
        classes.entry(users).or_default().insert(cell);
    }
    classes.into_values().collect()
}

/// Runs of neighbours in rows of so many cells.
fn runs(cells: &BTreeSet<Cell>, columns: i64) -> u64 {
    let places: BTreeSet<i64> = cells.iter().map(|cell| cell[0] * columns + cell[1]).collect();
    places.iter().filter(|place| !places.contains(&(*place - 1))).count() as u64
}

/// The same in slices, each of so many rows.
fn runs_in_slices(cells: &BTreeSet<Cell>, rows: i64, Slices { width, lead }: Slices) -> u64 {
    let (width, lead) = (i64::from(width), i64::from(lead));
    let place = |[i, j]: &Cell| ((j + lead) / width * rows + i) * width + (j + lead) % width;
    let places: BTreeSet<i64> = cells.iter().map(place).collect();
    places.iter().filter(|place| !places.contains(&(*place - 1))).count() as u64
}

/// All cells of a class, which is a box.
fn of_box((low, high): &(Vec<i64>, Vec<i64>), by: &[i64]) -> BTreeSet<Cell> {
    let along = |k: usize| low[k] + by[k]..=high[k] + by[k];
    along(0).flat_map(|i| along(1).map(move |j| [i, j])).collect()
}

/// N = 128 in blocks of 32 (section 2.1's figure; numbers are counted): of `a` 16 classes of 1,024 cells, and a tile's 32 bursts are
/// one. The same of `b`, and of `c` for Load and for Store.
#[test]
fn the_product_of_matrices_is_one_burst_per_block() {
    let text = "#pragma burstc size(N: 128, max 128)\nvoid matmul(int N, int a[N][N], int b[N][N], int c[N][N])\n{\n\
                #pragma burstc tile(i:32, j:32, k:32)\n    for (int i = 0; i < N; i++)\n        for (int j = 0; j < N; j++)\n\
                            for (int k = 0; k < N; k++)\n                c[i][j] += a[i][k] * b[k][j];\n}\n";
    let offload = offload(text);
    let (n, b) = (128i64, 32i64);
    let all = |cell: fn(i64, i64, i64) -> Cell| {
        let indices = move |x: i64| (x / (n * n), x / n % n, x % n);
        loads((0..n * n * n).map(indices).map(move |(i, j, k)| (vec![i / b, j / b, k / b], vec![cell(i, j, k)])))
    };
    for (name, loads, relations) in
        [("a", all(|i, _, k| [i, k]), 1), ("b", all(|_, j, k| [k, j]), 1), ("c", all(|i, j, _| [i, j]), 2)]
    {
        let expected = classes(&loads);
        assert_eq!(expected.iter().map(BTreeSet::len).collect::<Vec<_>>(), [1024; 16], "{name}");
        let array = array(&offload, name);
        let mars = of(&array);
        assert_eq!((mars.block.len(), mars.block[0].cells, mars.block[0].is_box()), (1, 1024, true), "{name}");
        let blocks = (0..4).flat_map(|i| (0..4).map(move |j| [i * b, j * b]));
        let found: BTreeSet<BTreeSet<Cell>> = blocks.map(|by| of_box(&mars.block[0].bounds, &by)).collect();
        assert_eq!(found, expected.into_iter().collect(), "{name}");
        let rows = runs(&loads[&vec![1, 1, 0]], n);
        assert_eq!((rows, array.bursts()), (32, Some((32 * relations, relations))), "{name}");
        // Slices need as few.
        let slices = array.slices.unwrap();
        assert_eq!((slices.cut, slices.bursts), (Slices { width: 32, lead: 0 }, relations), "{name}");
        assert!(loads.values().all(|own| runs_in_slices(own, n, slices.cut) <= 1), "{name}");
    }
}

/// 3 x 3 convolution of 64 x 64, strips along j: a tile of 8 x 8 in the middle loads 80 cells in 10 bursts, in classes of 16, 48, 16;
/// of 16 x 16 in classes of 32, 224, 32 (counted). The first class of the tile below is the last one of this: one run.
#[test]
fn a_convolution_in_strips() {
    for (size, sizes) in [(8, [16, 48, 16]), (16, [32, 224, 32])] {
        let text = format!(
            "void conv(int a[64][64], int c[64][64])\n{{\n#pragma burstc tile(i:{size}, j:{size})\n    for (int i = 1; i < 63; i++)\n\
             for (int j = 1; j < 63; j++)\n            c[i][j] = a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1]\n\
             + a[i][j - 1] + a[i][j] + a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1];\n}}\n"
        );
        let offload = offload(&text);
        let points = (1..63i64).flat_map(|i| (1..63i64).map(move |j| (i, j)));
        let loads = loads(points.map(|(i, j)| {
            let around = (-1..=1).flat_map(|v| (-1..=1).map(move |u| [i + v, j + u]));
            (vec![i / size, j / size], around.collect())
        }));
        let array = array(&offload, "a");
        let mars = of(&array);
        let part = &mars.relations[0];
        let own = &loads[&part.tile];
        let of_tile: Vec<BTreeSet<Cell>> = classes(&loads).into_iter().filter(|class| class.is_subset(own)).collect();
        let mut expected: Vec<(Cell, usize)> = of_tile.iter().map(|c| (*c.first().unwrap(), c.len())).collect();
        expected.sort_unstable();
        assert_eq!(expected.iter().map(|(_, cells)| *cells).collect::<Vec<_>>(), sizes);
        let found: BTreeSet<(i64, u64)> = part
            .instances()
            .map(|(block, class)| (mars.block[*class].bounds.0[0] + block[0], mars.block[*class].cells))
            .collect();
        // By their first rows, from the first one on.
        let first =
            |all: &[(i64, u64)]| -> Vec<(i64, u64)> { all.iter().map(|(row, n)| (row - all[0].0, *n)).collect() };
        let counted: Vec<(i64, u64)> = expected.iter().map(|(cell, n)| (cell[0], *n as u64)).collect();
        assert_eq!(first(&found.into_iter().collect::<Vec<_>>()), first(&counted));
        assert_eq!((own.len() as i64, runs(own, 64) as i64), (size * (size + 2), size + 2));
        let bursts = array.moved.iter().zip(&mars.relations).find(|((moved, _), _)| !moved.is_store).unwrap();
        assert_eq!((bursts.0.1, bursts.1.runs.len()), (Some(size as u64 + 2), 1));
        // Slices that begin where the tile's cells do are one run, too; others are two, of rows that are not full.
        let slices = array.slices.unwrap();
        assert_eq!((i64::from(slices.cut.width), slices.bursts), (size, 1));
        assert_eq!(runs_in_slices(own, 64, slices.cut), 1);
        assert!(runs_in_slices(own, 64, Slices { lead: 0, ..slices.cut }) > 1);
        assert_eq!(mars.order.along, Some(vec![size, 0]));
    }
}

/// Addresses that are written out, of every cell of the array: none is taken twice, and what any tile with a whole footprint loads
/// lies, from that tile's block on, where the constants of the tile in the middle say.
#[test]
fn addresses_are_constants_of_the_tile() {
    let text = "void conv(int a[64][64], int c[64][64])\n{\n#pragma burstc tile(i:8, j:8)\n    for (int i = 1; i < 63; i++)\n\
                        for (int j = 1; j < 63; j++)\n            c[i][j] = a[i - 1][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j];\n}\n";
    let offload = offload(text);
    let points = (1..63i64).flat_map(|i| (1..63i64).map(move |j| (i, j)));
    let reads = |(i, j)| (vec![i / 8, j / 8], vec![[i - 1, j], [i, j - 1], [i, j + 1], [i + 1, j]]);
    let loads = loads(points.map(reads));
    let array = array(&offload, "a");
    let mars = of(&array);
    let all = (0..64).flat_map(|i| (0..64).map(move |j| [i, j]));
    let addresses: BTreeMap<Cell, (Vec<i64>, u64)> =
        all.filter_map(|cell| Some((cell, mars.address(&cell)?))).collect();
    assert_eq!(addresses.values().collect::<BTreeSet<_>>().len(), addresses.len(), "two cells in one place");
    let part = &mars.relations[0];
    let runs: u64 = part.runs.iter().map(|run| run.length).sum();
    let mut whole = 0;
    for (tile, cells) in loads.iter().filter(|(_, cells)| cells.len() as u64 == runs) {
        // The block of the tile: so many steps from that of the one in the middle.
        let steps = part.steps.iter().zip(tile.iter().zip(&part.tile));
        let from = steps.fold(vec![0; 2], |from: Vec<i64>, (step, (tile, middle))| {
            from.iter().zip(step.as_ref().unwrap()).map(|(from, step)| from + step * (tile - middle)).collect()
        });
        let expected: BTreeSet<(Vec<i64>, u64)> = part
            .instances()
            .flat_map(|(block, class)| {
                let at: Vec<i64> =
                    block.iter().zip(&part.base).zip(&from).map(|((b, base), from)| b + base + from).collect();
                let place = &mars.block[*class];
                (place.offset..place.offset + place.places).map(move |place| (at.clone(), place))
            })
            .collect();
        assert_eq!(cells.iter().map(|cell| addresses[cell].clone()).collect::<BTreeSet<_>>(), expected, "{tile:?}");
        whole += 1;
    }
    assert!(whole >= 24, "{whole} tiles in the middle");
}

/// Fig. 9 as a kernel: `a[i - j]` and `a[i + j]`. Rows stay, and the reason names both. With a buffer and loads of its own, each use
/// has one null space, and there are classes of what both load.
#[test]
fn references_with_several_null_spaces_keep_rows() {
    let reads = "c[i][j]; a[i - j + N]; a[i + j + N]";
    let nest = kernels::nest("fig9", "N:64", "a[3*N]; c[N][N]", "i:0..N - 1; j:0..N - 1", "c[i][j]", reads);
    let offload = kernels::analyze(&kernels::tiled(nest, "i, j", &[8, 8])).unwrap();
    let one = array(&offload, "a");
    assert!(matches!(one.mars.as_ref().unwrap_err().reason, Reason::NotShiftInvariant { .. }));
    let reason = one.why_not(&offload).unwrap();
    assert!(reason.contains("null spaces differ"), "{reason}");
    assert!(["[i - j + N]", "[N + i - j]"].iter().any(|text| reason.contains(text)), "{reason}");

    let text = "void fig9(int a[256], int c[64][64])\n{\n#pragma burstc tile(i:8, j:8)\n    for (int i = 0; i < 64; i++)\n\
                        for (int j = 0; j < 64; j++)\n            c[i][j] += a[i - j + 64] * a[i + j + 64];\n}\n";
    let offload = self::offload(text);
    assert_eq!(offload.kernel.arrays.iter().filter(|array| array.use_of.is_some()).count(), 1);
    let both = array(&offload, "a");
    let mars = of(&both);
    // Strips along j: a tile loads what j adds, eight cells, of either.
    let (mut first, mut second) = (BTreeMap::new(), BTreeMap::new());
    for (i, j) in (0..64i64).flat_map(|i| (0..64i64).map(move |j| (i, j))) {
        first.entry(vec![i / 8, j / 8]).or_insert_with(Vec::new).push([0, i - j + 64]);
        second.entry(vec![i / 8, j / 8]).or_insert_with(Vec::new).push([0, i + j + 64]);
    }
    for (part, read) in mars.relations.iter().zip([first, second]) {
        let loads = loads(read);
        let own = &loads[&part.tile];
        let found: BTreeSet<Cell> = part
            .instances()
            .flat_map(|(block, class)| {
                let (low, high) = &mars.block[*class].bounds;
                let by = block[0] + part.base[0];
                (low[0] + by..=high[0] + by).map(|cell| [0, cell])
            })
            .collect();
        assert_eq!((&found, own.len()), (own, 8));
    }
    assert_eq!(both.bursts(), Some((2, 2)));
}

/// What `--dump layouts` and README say of the product.
#[test]
fn the_dump_has_classes_and_constants() {
    let read = Source::read(&crate::common::root("examples/matmul.c"), vec![]).unwrap();
    let board = board::load("stratix2-ddr400").unwrap();
    let text = dump::text(&[Stage::Layouts], &read, &board, &Options::default()).unwrap();
    for line in ["array a: 32 bursts in rows, 1 in classes", "block (0, 0) at 0, 1024 places: classes 0"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    // README has two of the lines of `burstc analyze`.
    let readme = std::fs::read_to_string(crate::common::root("README.md")).unwrap();
    let offload = analyze(&read, &board, &Options::default()).unwrap();
    for name in ["a", "c"] {
        let line = format!("\n    {name}: {}\n", array(&offload, name).text(&offload));
        assert!(readme.contains(&line), "{line}");
    }
}

/// `layout(a: tiles)` of arrays that keep their rows: why, where, and what to do.
#[test]
fn layouts_that_save_nothing_are_refused() {
    let refuse = |head: &str, body: &str, why: &str| {
        let text = format!("#pragma burstc size(N: 64, max 256) layout(a: tiles)\nvoid f({head})\n{{\n{body}}}\n");
        let error = analyze(&source(&text), &board::load("stratix2-ddr400").unwrap(), &Options::default());
        let error = error.expect_err("a refusal");
        let refused = error.downcast_ref::<Diagnostic>().unwrap_or_else(|| panic!("no diagnostic: {error:#}"));
        assert_eq!(refused.message, format!("`a` has no layout by tiles: {why}"));
        let place = refused.span.map(|span| (span.line, span.column));
        assert_eq!((place, refused.label.as_str()), (Some((1, 44)), "rows are kept"));
        assert!(refused.help.contains("leave out `layout`"), "{}", refused.help);
    };
    let sum = "    for (int i = 0; i < N; i++)\n        for (int j = 0; j < N; j++)\n            ";
    // A row is one run.
    refuse(
        "int N, int a[N], int b[N]",
        "#pragma burstc tile(i:8)\n    for (int i = 0; i < N; i++)\n        b[i] = a[i];\n",
        "what a tile moves is 1 burst in rows, and no tile steps along its last subscript",
    );
    // All of a row.
    refuse(
        "int N, int a[N][16], int b[N]",
        "#pragma burstc tile(i:8, j:16)\n    for (int i = 0; i < N; i++)\n        for (int j = 0; j < 16; j++)\n            \
         b[i] += a[i][j];\n",
        "what a tile moves is 1 burst in rows, and no tile steps along its last subscript",
    );
    refuse(
        "int N, int a[N][N], int b[N]",
        &format!("#pragma burstc tile(i:1, j:8)\n{sum}b[i] += a[i][j];\n"),
        "what a tile moves is 1 burst in rows, 1 burst in slices of 8 columns",
    );
    // Tiles that move by half cells.
    refuse(
        "int N, int a[128], int c[128][128]",
        "#pragma burstc schedule((i,j) -> (i + j, j - i)) tile(5, 5)\n    for (int i = 0; i < 64; i++)\n        \
         for (int j = 0; j < 64; j++)\n            c[i][j] = a[i];\n",
        "what is loaded moves by (5) cells over 2 tiles along T0, and so by no whole number of cells from one to the next: \
         even tile sizes may help",
    );
}
