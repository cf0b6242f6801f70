//! The page of `--html`: its numbers, its pictures by enumeration, and that nothing comes from outside or from the user as markup.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use burstc::choose_lanes::Request;
use burstc::page::{Page, Pictures};
use burstc::report::count::Work;
use burstc::report::{self, Bound, Estimate, Facts, RunReport};
use burstc::simulate::Verdict;
use burstc::simulate::bench::MemoryModel;
use burstc::simulate::number::Number;
use burstc::simulate::simulator::{Counters, Simulator};
use burstc::simulate::timeline::Timeline;
use burstc::source::Source;
use burstc::source::program::{self, Choice, Program};
use burstc::{Options, analyze, board};
use serde_json::Value;

use crate::common::root;

fn program(name: &str, text: &str) -> Program {
    let source = Source { path: name.into(), text: text.into(), cpp_args: vec![] };
    program::choose(&source, &Choice::default()).expect("it has a kernel")
}

/// The text of the block of data `id`.
fn block<'a>(html: &'a str, id: &str) -> &'a str {
    let (_, rest) = html.split_once(&format!("id=\"{id}\">")).expect("the block is there");
    rest.split_once("</script>").expect("it ends").0
}

/// Three slices, and two tiles of which the second is not stored.
fn timeline() -> Timeline {
    let slices = vec![[40_000, 9, 8, 7, 6, 5, 4], [80_000, 0, 0, 50_000, 0, 0, 0], [3_456, 0, 0, 3, 0, 400, 300]];
    let tiles = vec![vec![1, 20, 40_000, 50_000], vec![3, 60_000, 90_000]];
    Timeline { slices, tiles, banks: vec![] }
}

/// The page of a run with made-up counters, its JSON, and what is drawn.
fn page_of_run(program: &Program, sizes: &[(&str, i64)]) -> (String, String, Pictures) {
    let board = board::load("generic-axi4").unwrap();
    let offload = analyze(&program.source, &board, &Options::default()).unwrap();
    let sizes: BTreeMap<String, i64> = sizes.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    let counters = Counters { cycles: 123_456, compute_busy: 100_000, compute_stall: 456, ..Counters::default() };
    let counters = Counters { read_bursts: 40, reads: 5_000, writes: 3, ..counters };
    let work = Work::of(&offload, &sizes);
    let bound = Bound::of(&offload, &board, &work, &sizes);
    let report = RunReport::new(Facts {
        offload: &offload,
        board: &board,
        simulator: Simulator::Icarus,
        memory: MemoryModel::default(),
        verdict: Verdict::Pass,
        detail: String::new(),
        counters: &counters,
        direct: Some(&counters),
        work,
        moved: vec![],
        bound,
        estimate: Estimate::of(&offload, &board, &sizes),
        seed: 1,
        arguments: sizes.iter().map(|(name, value)| (name.clone(), Number::Whole((*value).into()))).collect(),
        generate_ms: 12,
        difference: None,
    });
    let json = report.to_json().unwrap();
    let page = Page {
        program,
        offload: &offload,
        board: &board,
        sizes: &sizes,
        report: Some(&report),
        timeline: Some(&timeline()),
        placement: None,
        json: &json,
        text: "the table",
    };
    (page.html("burstc run").unwrap(), json.clone(), Pictures::of(&offload, &sizes))
}

/// The pictures of an analysis, with so many lanes.
fn analysed(text: &str, lanes: i64, sizes: &[(&str, i64)]) -> (Pictures, Work) {
    let board = board::load("generic-axi4").unwrap();
    let options = Options { lanes: Some(Request::Count(lanes)), allow_reassociation: true, ..Options::default() };
    let source = Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] };
    let offload = analyze(&source, &board, &options).unwrap_or_else(|error| panic!("{error:#}"));
    let sizes: BTreeMap<String, i64> = sizes.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    (Pictures::of(&offload, &sizes), Work::of(&offload, &sizes))
}

const MATMUL: &str = "#include <stdint.h>\n\
    #pragma burstc size(N: 40, max 128)\n\
    void matmul(int N, int32_t a[N][N], int32_t b[N][N], int32_t c[N][N])\n{\n\
    #pragma burstc tile(i:16, j:16, k:16)\n\
    for (int i = 0; i < N; i++)\n  for (int j = 0; j < N; j++)\n   for (int k = 0; k < N; k++)\n\
    c[i][j] += a[i][k] * b[k][j];\n}\n";

const STENCIL: &str = "#include <stdint.h>\n\
    #pragma burstc size(N: 50, max 4096)\n\
    void stencil(int N, int16_t a[N], int16_t b[N])\n{\n\
    #pragma burstc tile(i:8)\n\
    for (int i = 1; i < N - 1; i++)\n  b[i] = a[i - 1] + a[i] + a[i + 1];\n}\n";

/// What the page shows is what `--json` says, figure by figure, and the JSON is there as it is.
#[test]
fn figures_are_those_of_the_json() {
    let (html, json, _) = page_of_run(&program("matmul.c", MATMUL), &[("N", 40)]);
    let document: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(serde_json::from_str::<Value>(block(&html, "data")).unwrap(), document);
    let mut shown = 0;
    for cell in html.split("<td data-field=\"").skip(1) {
        let (path, rest) = cell.split_once("\">").unwrap();
        let text = rest.split_once("</td>").unwrap().0;
        let pointer = path.replace('[', "/").replace(']', "").replace('.', "/");
        let value = document.pointer(&format!("/{pointer}")).unwrap_or_else(|| panic!("{path}"));
        let expected = match value {
            Value::Number(_) => value.to_string(),
            Value::String(text) => text.replace('>', "&gt;"),
            other => other.to_string(),
        };
        let text = if value.is_number() { text.replace(',', "") } else { text.to_string() };
        assert_eq!(text, expected, "{path}");
        shown += 1;
    }
    fn leaves(value: &Value) -> usize {
        match value {
            Value::Object(members) => members.values().map(leaves).sum(),
            Value::Array(items) => items.iter().map(leaves).sum(),
            _ => 1,
        }
    }
    assert_eq!(shown, leaves(&document));
    assert!(html.contains("<dd>123,456</dd>"), "cycles in the head");
    assert!(html.contains("<td>read</td><td>40</td><td>5,000</td><td>125.0</td>"), "beats of a burst");
    assert!(html.contains("<td>written</td><td>0</td><td>3</td><td></td>"), "no burst has no length");
    // 2 operations in each of 40^3 iterations; 5 reads of 3 arrays and so on are the report's.
    let (_, roofline) = html.split_once("<table class=\"roofline\">").unwrap();
    let (points, rest) = roofline.split_once("</table>").unwrap();
    let cells = |row: &str| -> Vec<String> {
        row.split("<td>").skip(1).map(|cell| cell.split('<').next().unwrap().replace(',', "")).collect()
    };
    let points: Vec<Vec<String>> = points.split("</tr>").map(cells).filter(|cells| !cells.is_empty()).collect();
    let number = |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("{text}"));
    assert!(rest.contains(&format!(">{} operations of the C program", "128,000")), "2 * 40 * 40 * 40");
    assert_eq!(points.iter().map(|own| &own[0][..]).collect::<Vec<_>>(), ["this run", "bound", "direct"]);
    // Four elements of 4 bytes per iteration.
    let bytes = |field: &str| document["ddr"][field].as_u64().unwrap();
    let moved = bytes("bytes_read") + bytes("bytes_written");
    assert_eq!((points[0][4].as_str(), &points[0][3]), ("123456", &moved.to_string()));
    assert_eq!(points[2][3], (4 * 4 * 40 * 40 * 40).to_string());
    for own in &points {
        for (shown, of) in [(&own[1], &own[3]), (&own[2], &own[4])] {
            assert!((number(shown) - 128_000.0 / number(of)).abs() <= 0.0005, "{own:?}");
        }
    }
    let port = rest.split_once("the port moves ").unwrap().1.split(' ').next().unwrap();
    // 32 bits per cycle and direction, of which the reads take more than the writes.
    let expected = moved as f64 / (bytes("bytes_read") / 4) as f64;
    assert!((number(port) - expected).abs() < 0.01 * expected, "{port}, not {expected}");
}

/// Every tile of the matrix product, by its definition.
#[test]
fn tiles_of_the_matrix_product_by_enumeration() {
    let (n, size) = (40i64, 16i64);
    let (pictures, work) = analysed(MATMUL, 1, &[("N", n)]);
    assert_eq!((pictures.tile_count, pictures.shown.len()), (27, 27));
    let block = |t: i64| t * size..((t + 1) * size).min(n);
    let mut seen: BTreeSet<(usize, i64, i64)> = BTreeSet::new();
    let mut bytes = 0;
    for (number, tile) in pictures.shown.iter().enumerate() {
        let t = [number as i64 / 9, number as i64 / 3 % 3, number as i64 % 3];
        assert_eq!((tile.number, &tile.index[..]), (number as u64, &t[..]));
        if t[2] == 0 {
            seen.clear();
        }
        // Arrays 0, 1, 2: a[i][k], b[k][j], c[i][j].
        let mut cells: BTreeSet<(usize, i64, i64)> = BTreeSet::new();
        let mut iterations = 0;
        for (i, j) in block(t[0]).flat_map(|i| block(t[1]).map(move |j| (i, j))) {
            for k in block(t[2]) {
                cells.extend([(0, i, k), (1, k, j), (2, i, j)]);
                iterations += 1;
            }
        }
        assert_eq!(tile.iterations, Some(iterations));
        for own in &tile.arrays {
            let name = &pictures.arrays[own.array].name;
            let array = ["a", "b", "c"].iter().position(|known| known == name).unwrap();
            let touched: BTreeSet<_> = cells.iter().filter(|cell| cell.0 == array).copied().collect();
            let new = touched.difference(&seen).count() as u64;
            assert_eq!(own.touched, Some(touched.len() as u64), "{name} of {t:?}");
            assert_eq!((own.loaded, own.reused), (new, Some(touched.len() as u64 - new)), "{name} of {t:?}");
            assert_eq!(own.stored, if array == 2 && t[2] == 2 { touched.len() as u64 } else { 0 }, "{name} of {t:?}");
            bytes += 4 * own.loaded;
            // A block is a rectangle, and every cell is in it.
            let (_, row, column) = *touched.first().unwrap();
            let (_, last_row, last_column) = *touched.last().unwrap();
            let all = [row, column, last_row - row + 1, last_column - column + 1];
            assert_eq!(own.touch, [all]);
            assert_eq!(if new > 0 { &own.load } else { &own.reuse }, &[all]);
        }
        seen.extend(cells);
    }
    assert_eq!(bytes, work.bytes_read);
}

/// The iterations of a tile as the page has them: of each date, the iterators of what starts then.
fn dated(pictures: &Pictures, tile: &burstc::page::Tile) -> BTreeMap<i64, BTreeSet<Vec<i64>>> {
    let order = &pictures.orders[tile.order.unwrap()];
    assert_eq!(order.every, 1);
    let mut found: BTreeMap<i64, BTreeSet<Vec<i64>>> = BTreeMap::new();
    for row in &order.drawn {
        let (statement, step) = &order.kinds[row[0] as usize];
        let first: Vec<i64> =
            row[3..].iter().zip(&tile.origins[*statement]).map(|(own, origin)| own + origin).collect();
        for n in 0..row[2] {
            let own = first.iter().zip(step).map(|(first, step)| first + n * step).collect();
            assert!(found.entry(row[1] + n).or_default().insert(own), "an iteration has one date");
        }
    }
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), (0..order.dates as i64).collect::<Vec<_>>());
    found
}

/// The places of the loops in an order like `(i, k, j)`.
fn loops(order: &str, names: &[&str]) -> Vec<usize> {
    let own = order.trim_matches(['(', ')']).split(", ");
    own.map(|own| names.iter().position(|name| *name == own).unwrap_or_else(|| panic!("{order}"))).collect()
}

/// The iterations of every tile of the matrix product, by its definition in the order that is told of its tiles; with lanes so many at
/// one date.
#[test]
fn iterations_are_drawn_in_their_order() {
    let (n, size) = (40i64, 16i64);
    for lanes in [1, 4] {
        let (pictures, _) = analysed(MATMUL, lanes, &[("N", n)]);
        assert!(pictures.orders.len() <= 8, "tiles that are alike have one order: {}", pictures.orders.len());
        let order = loops(&pictures.bands[0].order, &["i", "j", "k"]);
        for tile in &pictures.shown {
            let block = |d: usize| tile.index[d] * size..((tile.index[d] + 1) * size).min(n);
            let pairs = block(0).flat_map(|i| block(1).map(move |j| (i, j)));
            let mut expected: Vec<Vec<i64>> = pairs.flat_map(|(i, j)| block(2).map(move |k| vec![i, j, k])).collect();
            expected.sort_by_key(|point| order.iter().map(|d| point[*d]).collect::<Vec<_>>());
            let found = dated(&pictures, tile);
            if lanes == 1 {
                let found: Vec<Vec<i64>> = found.into_values().flatten().collect();
                assert_eq!(found, expected, "T = {:?}", tile.index);
                continue;
            }
            let all: BTreeSet<Vec<i64>> = found.values().flatten().cloned().collect();
            assert_eq!(all, expected.into_iter().collect(), "T = {:?}", tile.index);
            assert_eq!(found.values().map(BTreeSet::len).sum::<usize>(), all.len());
            for together in found.values() {
                let along = (0..3).filter(|d| together.iter().any(|own| own[*d] != together.first().unwrap()[*d]));
                assert!(together.len() <= 4 && along.count() <= 1, "{together:?}");
            }
        }
    }
}

/// Cells of one array.
type CellSet = BTreeSet<(usize, Vec<i64>)>;

/// A tile: what it loads, its iterations' reads and writes in their order, what it stores.
type TileByHand = (CellSet, Vec<(CellSet, CellSet)>, CellSet);

/// By their definition the words of each array that are alive at each date: every value from where it comes to where it is wanted last.
fn alive(tiles: &[TileByHand], arrays: usize) -> Vec<Vec<u64>> {
    let dates: usize = tiles.iter().map(|(_, iterations, _)| iterations.len()).sum();
    // Of each cell, when its values come and are last wanted.
    type Lives = Vec<(usize, Option<usize>)>;
    let mut values: BTreeMap<(usize, Vec<i64>), Lives> = BTreeMap::new();
    let mut date = 0;
    for (loads, iterations, stores) in tiles {
        loads.iter().for_each(|cell| values.entry(cell.clone()).or_default().push((date, None)));
        for (reads, writes) in iterations {
            reads.iter().for_each(|cell| values.get_mut(cell).unwrap().last_mut().unwrap().1 = Some(date));
            writes.iter().for_each(|cell| values.entry(cell.clone()).or_default().push((date, None)));
            date += 1;
        }
        stores.iter().for_each(|cell| values.get_mut(cell).unwrap().last_mut().unwrap().1 = Some(date - 1));
    }
    let mut counts = vec![vec![0; dates]; arrays];
    for ((array, _), values) in &values {
        let held: BTreeSet<usize> = values.iter().filter_map(|(from, to)| Some(*from..=(*to)?)).flatten().collect();
        held.into_iter().for_each(|date| counts[*array][date] += 1);
    }
    counts
}

/// What the page says is alive, of arrays in this order.
fn lives_are(pictures: &Pictures, names: &[&str], counts: &[Vec<u64>]) {
    let lives = pictures.lives.as_ref().unwrap();
    assert_eq!((lives.tiles, lives.dates), (pictures.tile_count, counts[0].len() as u64));
    for (name, counts) in names.iter().zip(counts) {
        let own = lives.arrays.iter().find(|own| own.array == *name).unwrap();
        assert_eq!(own.peak, counts.iter().copied().max().unwrap(), "{name}");
        let most: Vec<u64> = counts.chunks(lives.together as usize).map(|own| *own.iter().max().unwrap()).collect();
        assert_eq!(own.most, most, "{name}");
        assert!(own.peak as i64 <= own.words, "{name}: more is alive than there is room for");
    }
}

/// Words that are alive, date by date, by their definition.
#[test]
fn words_that_are_alive_by_enumeration() {
    let (n, size) = (10i64, 4i64);
    let text = MATMUL.replace("i:16, j:16, k:16", "i:4, j:4, k:4");
    let (pictures, _) = analysed(&text, 1, &[("N", n)]);
    let order = loops(&pictures.bands[0].order, &["i", "j", "k"]);
    let mut seen = CellSet::new();
    let mut tiles: Vec<TileByHand> = vec![];
    for (number, tile) in pictures.shown.iter().enumerate() {
        let t = [number as i64 / 9, number as i64 / 3 % 3, number as i64 % 3];
        let block = |d: usize| t[d] * size..((t[d] + 1) * size).min(n);
        let pairs = block(0).flat_map(|i| block(1).map(move |j| (i, j)));
        let mut points: Vec<Vec<i64>> = pairs.flat_map(|(i, j)| block(2).map(move |k| vec![i, j, k])).collect();
        points.sort_by_key(|point| order.iter().map(|d| point[*d]).collect::<Vec<_>>());
        if t[2] == 0 {
            seen.clear();
        }
        let iterations: Vec<(CellSet, CellSet)> = points
            .iter()
            .map(|p| {
                let own = (2, vec![p[0], p[1]]);
                ([(0, vec![p[0], p[2]]), (1, vec![p[2], p[1]]), own.clone()].into(), [own].into())
            })
            .collect();
        let touched: CellSet = iterations.iter().flat_map(|(reads, _)| reads.clone()).collect();
        let stores = touched.iter().filter(|(array, _)| *array == 2 && t[2] == 2).cloned().collect();
        tiles.push((touched.difference(&seen).cloned().collect(), iterations, stores));
        assert_eq!(tile.first_date, Some(tiles[..number].iter().map(|tile| tile.1.len() as u64).sum()));
        seen.extend(touched);
    }
    lives_are(&pictures, &["a", "b", "c"], &alive(&tiles, 3));

    // All tiles of the stencil are one strip.
    let (pictures, _) = analysed(STENCIL, 1, &[("N", 50)]);
    let tile = |t: i64| {
        let cells: Vec<i64> = ((t * 8).max(1)..(t * 8 + 8).min(49)).collect();
        let iteration = |i: &i64| ((-1..2).map(|d| (0, vec![i + d])).collect(), [(1, vec![*i])].into());
        let iterations: Vec<(CellSet, CellSet)> = cells.iter().map(iteration).collect();
        let first = if t == 0 { 0 } else { t * 8 + 1 };
        let loads = (first..=cells.last().unwrap() + 1).map(|i| (0, vec![i])).collect();
        (loads, iterations, cells.iter().map(|i| (1, vec![*i])).collect())
    };
    let tiles: Vec<TileByHand> = (0..7).map(tile).collect();
    lives_are(&pictures, &["a", "b"], &alive(&tiles, 2));
}

/// Of a run with too many iterations whole strips are followed.
#[test]
fn lives_of_large_runs_are_those_of_whole_strips() {
    let text = MATMUL.replace("max 128", "max 256");
    let (pictures, _) = analysed(&text, 1, &[("N", 160)]);
    let lives = pictures.lives.unwrap();
    assert!(lives.tiles < pictures.tile_count && lives.tiles > 0 && lives.tiles % 10 == 0, "{}", lives.tiles);
    assert_eq!(lives.dates, lives.tiles * 4096);
    assert!(lives.arrays.iter().all(|own| own.most.len() as u64 == lives.dates.div_ceil(lives.together)));
    assert!(pictures.shown.iter().all(|tile| tile.first_date.is_some() == (tile.number < lives.tiles)));
}

/// Every cell of a tile has a word of its own, and all of them are drawn.
#[test]
fn cells_have_words_of_their_own() {
    for lanes in [1, 4] {
        let (pictures, _) = analysed(MATMUL, lanes, &[("N", 40)]);
        for tile in &pictures.shown {
            assert_eq!(tile.buffers.len(), 3);
            for own in &tile.buffers {
                let buffer = &pictures.buffers[own.buffer];
                let array = pictures.arrays.iter().position(|array| array.name == buffer.array).unwrap();
                let cells = tile.arrays.iter().find(|own| own.array == array).unwrap().touched.unwrap();
                assert_eq!(own.taken, cells, "{} of {:?}", buffer.array, tile.index);
                assert!(own.taken <= (buffer.banks * buffer.words) as u64);
                if buffer.together == [1, 1] {
                    let drawn = own.load.iter().chain(&own.reuse).chain(&own.touch);
                    assert_eq!(drawn.map(|r| r[2] * r[3]).sum::<i64>() as u64, cells, "{}", buffer.array);
                }
            }
        }
        let banks = pictures.buffers.iter().filter(|buffer| buffer.banks > 1).count();
        assert_eq!(banks > 0, lanes > 1);
    }
}

/// Distinct cells that lie within the moduli of each other have distinct places, and banks follow their definition.
#[test]
fn places_are_apart() {
    for name in [
        "lanes_fir",
        "lanes_grid_triangle",
        "lanes_grid_layer",
        "jacobi_2d",
        "heat_3d",
        "lanes_matvec",
        "windows",
        "lcs",
    ] {
        let board = board::load("generic-axi4").unwrap();
        let source = Source::read(&root(&format!("tests/kernels/{name}.c")), vec![]).unwrap();
        let offload = analyze(&source, &board, &Options::default()).unwrap_or_else(|error| panic!("{name}: {error:#}"));
        for buffer in offload.buffers.iter().filter(|buffer| buffer.common_mapping().is_some()) {
            let mapping = buffer.common_mapping().unwrap();
            let band = buffer.mappings.keys().find(|band| buffer.mappings[*band].is_some()).unwrap();
            let moduli: Vec<i64> = mapping.moduli.iter().map(|m| *m.min(&64)).collect();
            let mut cells = vec![vec![]];
            for modulus in &moduli {
                cells = cells
                    .iter()
                    .flat_map(|cell: &Vec<i64>| (0..*modulus).map(move |x| [&cell[..], &[x]].concat()))
                    .collect();
                cells.truncate(1 << 16);
            }
            let mut taken = BTreeSet::new();
            for cell in &cells {
                let (bank, word) = buffer.place(band, cell, (0, 0)).unwrap();
                assert!(taken.insert((bank, word)), "{name}: {cell:?}");
                let banks = buffer.bank_count() * buffer.partition.as_ref().map_or(1, |partition| partition.count);
                assert!((0..banks).contains(&bank) && (0..buffer.words_in_bank()).contains(&word), "{name}: {cell:?}");
                if let ([axis], false, None) = (&buffer.bank_axes()[..], buffer.skewed, &buffer.partition) {
                    assert_eq!(bank, mapping.skewed(cell)[axis.subscript].rem_euclid(axis.count), "{name}: {cell:?}");
                }
            }
        }
    }
}

/// A tile of a stencil finds two cells of the one before; a strip's last tile stores what is its own, as all do.
#[test]
fn neighbours_of_a_stencil_are_reused() {
    for lanes in [1, 4] {
        let (pictures, _) = analysed(STENCIL, lanes, &[("N", 50)]);
        let a = pictures.arrays.iter().position(|array| array.name == "a").unwrap();
        for (number, tile) in pictures.shown.iter().enumerate() {
            let (low, high) = ((number as i64 * 8).max(1), (number as i64 * 8 + 8).min(49));
            assert_eq!(tile.iterations, Some((high - low) as u64), "{lanes} lanes");
            for own in &tile.arrays {
                let all = (high - low) as u64;
                let expected = match (own.array == a, number) {
                    (true, 0) => (all + 2, 0, Some(0), Some(all + 2)),
                    (true, _) => (all, 0, Some(2), Some(all + 2)),
                    (false, _) => (0, all, Some(0), Some(all)),
                };
                assert_eq!((own.loaded, own.stored, own.reused, own.touched), expected, "{lanes} lanes, tile {number}");
            }
        }
    }
}

/// What all tiles load and store is what the report counts; what a tile loads it touches.
#[test]
fn tiles_add_up_to_the_run() {
    for (name, size) in
        [("lanes_fir", 70), ("seidel", 12), ("jacobi_1d", 40), ("gaps", 30), ("lanes_grid_triangle", 20)]
    {
        let board = board::load("generic-axi4").unwrap();
        let source = Source::read(&root(&format!("tests/kernels/{name}.c")), vec![]).unwrap();
        let offload = analyze(&source, &board, &Options::default()).unwrap_or_else(|error| panic!("{name}: {error:#}"));
        let limit = |p: &burstc::source::kernel::SizeParameter| size.min(p.max.unwrap_or(size)).max(p.min);
        let sizes: BTreeMap<String, i64> =
            offload.kernel.parameters.iter().map(|p| (p.name.clone(), limit(p))).collect();
        let (pictures, work) = (Pictures::of(&offload, &sizes), Work::of(&offload, &sizes));
        assert_eq!(pictures.shown.len() as u64, pictures.tile_count, "{name}");
        let (mut read, mut written, mut iterations, mut followed) = (0, 0, 0, 0);
        for tile in &pictures.shown {
            iterations += tile.iterations.unwrap_or(0);
            for own in &tile.arrays {
                let bytes = u64::from(pictures.arrays[own.array].element_bytes);
                read += bytes * own.loaded;
                written += bytes * own.stored;
                let (Some(touched), Some(reused)) = (own.touched, own.reused) else { continue };
                assert!(own.loaded + reused <= touched, "{name}, tile {:?}", tile.index);
                followed += 1;
            }
        }
        assert_eq!((read, written), (work.bytes_read, work.bytes_written), "{name}");
        assert!(followed == 0 || iterations == work.starts, "{name}: {iterations} of {}", work.starts);
        println!("{name}: {} tiles, {followed} footprints", pictures.shown.len());
    }
}

/// Which cells are read by subscripts that depend on data nobody knows: what is loaded is told, and no more.
#[test]
fn cells_that_data_choose_are_not_guessed() {
    let text = std::fs::read_to_string(root("tests/kernels/gather.c")).unwrap();
    let (pictures, work) = analysed(&text, 1, &[("N", 40)]);
    let own = |tile: &burstc::page::Tile| tile.arrays.clone();
    let all: Vec<_> = pictures.shown.iter().flat_map(own).collect();
    assert!(!all.is_empty() && all.iter().all(|a| a.touched.is_none() && a.reused.is_none() && a.touch.is_empty()));
    let bytes = |a: &burstc::page::TileArray| a.loaded * u64::from(pictures.arrays[a.array].element_bytes);
    assert_eq!(all.iter().map(bytes).sum::<u64>(), work.bytes_read);
}

/// Of large runs some tiles are shown, and the page stays small.
#[test]
fn large_runs_are_thinned_out() {
    let (pictures, _) = analysed(STENCIL, 1, &[("N", 4096)]);
    let numbers: Vec<u64> = pictures.shown.iter().map(|tile| tile.number).collect();
    assert_eq!((pictures.tile_count, numbers.len()), (512, 128));
    assert_eq!((numbers[0], numbers[127]), (0, 511));
    assert!(numbers.windows(2).all(|two| (4..=5).contains(&(two[1] - two[0]))), "{numbers:?}");
    let array = &pictures.arrays[0];
    assert_eq!((array.grid, array.together), ([1, 256], [1, 16]));
    assert!(page_of_analysis(4096).0.len() < 1 << 20);
}

/// A source and a name that try to be markup.
fn hostile() -> Program {
    let text = MATMUL.replace(
        "c[i][j] +=",
        "/* </script><script>document.title = 'taken'</script><img src=x onerror=alert(1)> <!-- */ c[i][j] +=",
    );
    program("a<b>&\"c'.c", &text)
}

#[test]
fn nothing_of_the_users_becomes_markup_and_nothing_comes_from_outside() {
    let (html, _, _) = page_of_run(&hostile(), &[("N", 40)]);
    assert!(html.contains("a&lt;b&gt;&amp;&quot;c&#39;.c") && html.contains("&lt;/script&gt;&lt;script&gt;"));
    // Two blocks of data, and the page's own.
    assert_eq!((html.matches("<script").count(), html.matches("</script>").count()), (3, 3));
    assert_eq!((html.matches("<img").count(), html.matches("<!--").count()), (0, 0));
    assert!(html.contains("default-src 'none'"));
    let outside = html.replace("http://www.w3.org/2000/svg", "");
    for word in
        ["http:", "https:", "url(http", "@import", "<link", "<iframe", " src=\"", "fetch(", "XMLHttp", "import("]
    {
        assert!(!outside.contains(word), "{word}");
    }
    assert!(html.len() < 2 << 20);
}

/// The page of an analysis of the stencil, and its JSON.
fn page_of_analysis(n: i64) -> (String, String) {
    let program = program("stencil.c", STENCIL);
    let board = board::load("stratix2-ddr400").unwrap();
    let offload = analyze(&program.source, &board, &Options::default()).unwrap();
    let json = report::json(&offload).unwrap();
    let sizes = BTreeMap::from([("N".to_string(), n)]);
    let page = Page {
        program: &program,
        offload: &offload,
        board: &board,
        sizes: &sizes,
        report: None,
        timeline: None,
        placement: None,
        json: &json,
        text: "the sets",
    };
    (page.html("burstc analyze").unwrap(), json)
}

#[test]
fn an_analysis_has_a_page_too() {
    let (html, json) = page_of_analysis(50);
    assert!(html.contains("analysed, not simulated") && !html.contains("id=\"figures\""));
    assert_eq!(
        serde_json::from_str::<Value>(block(&html, "data")).unwrap(),
        serde_json::from_str::<Value>(&json).unwrap()
    );
    let script: Value = serde_json::from_str(block(&html, "pictures")).unwrap();
    assert_eq!(script["tiles"].as_array().unwrap().len(), 7);
}

/// What a browser makes of the page, and what it says of it; `None` without one.
fn opened(path: &Path, fragment: &str) -> Option<(String, String)> {
    let profile = tempfile::tempdir().unwrap();
    let mut command = Command::new("chromium");
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"]);
    command.arg(format!("--user-data-dir={}", profile.path().display()));
    command.arg(format!("file://{}{fragment}", path.display()));
    let output = command.output().ok()?;
    Some((String::from_utf8_lossy(&output.stdout).into(), String::from_utf8_lossy(&output.stderr).into()))
}

/// In Debian's chromium: nothing in the console, and for the tile that is asked for the numbers of the data.
#[test]
fn a_browser_shows_the_tile_that_is_asked_for() {
    let (html, _, known) = page_of_run(&hostile(), &[("N", 40)]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, &html).unwrap();
    for place in [0, 13, 26] {
        let tile = &known.shown[place];
        let Some((dom, said)) = opened(&path, &format!("#tile={}", tile.number + 1)) else {
            println!("SKIPPED: chromium is not installed, no browser has opened the page");
            return;
        };
        assert!(!said.contains("CONSOLE"), "{said}");
        assert!(dom.contains("<title>matmul on generic-axi4</title>"), "{dom}");
        for own in &tile.arrays {
            let name = &known.arrays[own.array].name;
            for (kind, cells) in [("loaded", own.loaded), ("stored", own.stored), ("reused", own.reused.unwrap())] {
                // Of the figures that are not hidden.
                let (tile, figure) =
                    (format!("<tbody data-tile=\"{place}\">"), format!("data-array=\"{name}\" data-kind=\"{kind}\">"));
                let shown = dom.split(&tile).skip(1).find_map(|own| own.split("</tbody>").next()?.split_once(&figure));
                let (_, rest) = shown.unwrap_or_else(|| panic!("{name} {kind}"));
                let shown = rest.split('<').next().unwrap().replace(',', "");
                assert_eq!(shown, cells.to_string(), "tile {place}: {name} {kind}");
            }
        }
        assert!(dom.contains("cycles 0 to 123,456 of 123,456</output>"), "the timeline's cycles are the run's");
        assert!(dom.contains("store of tile 1: cycles 40000 to 50000") && !dom.contains("store of tile 2"));
        assert!(dom.contains("aria-label=\"roofline\"") && dom.contains("aria-label=\"tiles\""));
    }
    // A script that fails does show: the console is not empty by itself.
    let broken = folder.path().join("broken.html");
    std::fs::write(&broken, html.replace("tiles();\n", "tiles(); nothing_of_that_name();\n")).unwrap();
    let (_, said) = opened(&broken, "").expect("it is installed");
    assert!(said.contains("CONSOLE") && said.contains("nothing_of_that_name"), "{said}");
}
