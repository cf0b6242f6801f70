//! The pages of `--html` in Debian's Chromium: nothing in its console, nothing from a network, the numbers of `--json`, the
//! footprints of the C program by enumeration, a timeline that zooms; on a telephone, in the dark, and on paper.

#[path = "common/browser.rs"]
mod browser;
#[path = "common/drawn.rs"]
mod drawn;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use browser::Browser;
use burstc::offload::Offload;
use burstc::page::Pictures;
use serde_json::{Value, json};
use tempfile::TempDir;

fn burstc(folder: &TempDir, arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_burstc"));
    command.env_remove("CC").env("NO_COLOR", "1").current_dir(folder).args(arguments);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn source(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path).display().to_string()
}

// -- The C programs, written once more -------------------------------------------------------------------------------

/// Cells that an iteration reads and the one that it writes.
type Cell = (&'static str, Vec<i64>);

/// An iteration in the order of the C program.
struct Instance {
    statement: &'static str,
    iterators: Vec<(&'static str, i64)>,
    reads: Vec<Cell>,
    write: Cell,
}

fn dma(sizes: &BTreeMap<String, i64>) -> Vec<Instance> {
    let copy =
        |i| Instance { statement: "S0", iterators: vec![("i", i)], reads: vec![("a", vec![i])], write: ("b", vec![i]) };
    (0..sizes["N"]).map(copy).collect()
}

fn matmul(sizes: &BTreeMap<String, i64>) -> Vec<Instance> {
    let n = sizes["N"];
    let mut all = vec![];
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        all.extend((0..n).map(|k| Instance {
            statement: "S0",
            iterators: vec![("i", i), ("j", j), ("k", k)],
            reads: vec![("a", vec![i, k]), ("b", vec![k, j]), ("c", vec![i, j])],
            write: ("c", vec![i, j]),
        }));
    }
    all
}

fn jacobi_2d(sizes: &BTreeMap<String, i64>) -> Vec<Instance> {
    let n = sizes["N"];
    let mut all = vec![];
    for t in 0..sizes["T"] {
        for (statement, from, to) in [("S0", "a", "b"), ("S1", "b", "a")] {
            for (i, j) in (1..n - 1).flat_map(|i| (1..n - 1).map(move |j| (i, j))) {
                let around = [[i, j], [i, j - 1], [i, j + 1], [i + 1, j], [i - 1, j]];
                all.push(Instance {
                    statement,
                    iterators: vec![("t", t), ("i", i), ("j", j)],
                    reads: around.map(|cell| (from, cell.to_vec())).to_vec(),
                    write: (to, vec![i, j]),
                });
            }
        }
    }
    all
}

fn layer(sizes: &BTreeMap<String, i64>) -> Vec<Instance> {
    let mut all = vec![];
    for (k, h) in (0..sizes["K"]).flat_map(|k| (0..sizes["H"]).map(move |h| (k, h))) {
        for (w, c) in (0..sizes["W"]).flat_map(|w| (0..sizes["C"]).map(move |c| (w, c))) {
            for (r, s) in (0..3).flat_map(|r| (0..3).map(move |s| (r, s))) {
                all.push(Instance {
                    statement: "S0",
                    iterators: vec![("k", k), ("h", h), ("w", w), ("c", c), ("r", r), ("s", s)],
                    reads: vec![("x", vec![c, h + r, w + s]), ("f", vec![k, c, r, s]), ("y", vec![k, h, w])],
                    write: ("y", vec![k, h, w]),
                });
            }
        }
    }
    all
}

fn nussinov(sizes: &BTreeMap<String, i64>) -> Vec<Instance> {
    let n = sizes["N"];
    let mut all = vec![];
    for i in (0..n).rev() {
        for j in i + 1..n {
            let mut run = |statement, k, reads: Vec<Cell>| {
                let iterators = vec![("i", i), ("i_step", n - 1 - i), ("j", j), ("k", k)];
                let own = ("table", vec![i, j]);
                let reads = [own.clone()].into_iter().chain(reads).collect();
                all.push(Instance { statement, iterators, reads, write: own });
            };
            run("S0", 0, vec![("table", vec![i, j - 1])]);
            if i + 1 < n {
                run("S1", 0, vec![("table", vec![i + 1, j])]);
            }
            if i < j - 1 {
                run("S2", 0, vec![("table", vec![i + 1, j - 1]), ("base", vec![i]), ("base", vec![j])]);
            } else {
                run("S3", 0, vec![("table", vec![i + 1, j - 1])]);
            }
            (i + 1..j).for_each(|k| run("S4", k, vec![("table", vec![i, k]), ("table", vec![k + 1, j])]));
        }
    }
    all
}

// -- Footprints by their definition ----------------------------------------------------------------------------------

/// An affine expression like `2*c + r - 1`.
fn affine(text: &str, iterators: &[(&str, i64)]) -> i64 {
    let terms = text.replace("- ", "+ -");
    let factor = |factor: &str| -> i64 {
        let (sign, name) = factor.strip_prefix('-').map_or((1, factor), |name| (-1, name));
        let known = iterators.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
        sign * known.unwrap_or_else(|| name.parse().unwrap_or_else(|_| panic!("{factor} of {text}")))
    };
    terms.split('+').map(|term| term.trim().split('*').map(factor).product::<i64>()).sum()
}

/// θ of a statement in `(i, j)` or `S0 (i, j), S1 (j, i)`.
fn theta<'a>(all: &'a str, statement: &str) -> Vec<&'a str> {
    let own = all.split_once(&format!("{statement} ")).map_or(all, |(_, rest)| rest);
    own.trim_start_matches('(').split_once(')').unwrap().0.split(", ").collect()
}

/// Cells of one array in one tile.
#[derive(Default, Debug, PartialEq)]
struct Footprint {
    loaded: BTreeSet<Vec<i64>>,
    reused: BTreeSet<Vec<i64>>,
    stored: BTreeSet<Vec<i64>>,
    touched: BTreeSet<Vec<i64>>,
}

#[derive(Default)]
struct TileByHand {
    iterations: u64,
    arrays: BTreeMap<&'static str, Footprint>,
}

/// The tiles of a program of one band: loaded is what a strip reads before it writes it, in the tile that does so first, stored
/// what it wrote, in the tile that did so last, unless a later strip overwrites it before any reads it.
fn by_hand(instances: &[Instance], pictures: &Pictures) -> BTreeMap<Vec<i64>, TileByHand> {
    let [band] = &pictures.bands[..] else { panic!("several bands") };
    let mut tiles: BTreeMap<Vec<i64>, Vec<&Instance>> = BTreeMap::new();
    for instance in instances {
        let theta = theta(&band.theta, instance.statement);
        let values = theta.iter().map(|text| affine(text, &instance.iterators));
        let index = values.zip(&band.tile_sizes).map(|(value, size)| value.div_euclid(*size)).collect();
        tiles.entry(index).or_default().push(instance);
    }
    let mut found: BTreeMap<Vec<i64>, TileByHand> = BTreeMap::new();
    // Of the strip: the cells that it came to, and for each the tile that wrote it last.
    let (mut strip, mut seen, mut writers) = (vec![], BTreeSet::new(), BTreeMap::<Cell, Vec<i64>>::new());
    // What strips before it left behind, and none read or overwrote since.
    let mut left = BTreeMap::<Cell, Vec<i64>>::new();
    let stored = |found: &mut BTreeMap<Vec<i64>, TileByHand>, (array, cell): Cell, index: &Vec<i64>| {
        found.get_mut(index).unwrap().arrays.get_mut(array).unwrap().stored.insert(cell);
    };
    for (index, instances) in tiles {
        let outer = &index[..index.len() - band.strip];
        if strip != outer {
            left.append(&mut writers);
            (strip, seen) = (outer.to_vec(), BTreeSet::new());
        }
        let mut tile = TileByHand { iterations: instances.len() as u64, ..TileByHand::default() };
        for instance in instances {
            let accesses = instance.reads.iter().map(|cell| (cell, true)).chain([(&instance.write, false)]);
            for (cell, reads) in accesses {
                let own = tile.arrays.entry(cell.0).or_default();
                let is_first = own.touched.insert(cell.1.clone());
                match (is_first && reads, seen.insert(cell.clone())) {
                    (true, true) => {
                        if let Some(before) = left.remove(cell) {
                            stored(&mut found, cell.clone(), &before);
                        }
                        own.loaded.insert(cell.1.clone())
                    }
                    (true, false) => own.reused.insert(cell.1.clone()),
                    _ => false,
                };
                if !reads {
                    writers.insert(cell.clone(), index.clone());
                }
            }
        }
        found.insert(index, tile);
    }
    left.append(&mut writers);
    left.into_iter().for_each(|(cell, index)| stored(&mut found, cell, &index));
    found
}

// -- What a page has to keep -----------------------------------------------------------------------------------------

/// Contrast of all texts with what is behind them: those that have too little.
const CONTRASTS: &str = "(() => {
    const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = (rgb) => {
        const [r, g, b] = rgb.map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element) => {
        for (let own = element; own; own = own.parentElement) {
            const colour = parts(getComputedStyle(own).backgroundColor);
            if (colour[3] !== 0 && !(own instanceof SVGElement)) return colour.slice(0, 3);
        }
        return [255, 255, 255];
    };
    const bad = [];
    for (const element of document.querySelectorAll('body *')) {
        const own = Array.from(element.childNodes).some((node) => node.nodeType === 3 && node.textContent.trim());
        if (!own || ['SCRIPT', 'STYLE', 'title', 'NOSCRIPT'].includes(element.tagName) || !element.getClientRects().length) continue;
        const style = getComputedStyle(element);
        const text = light(parts(element instanceof SVGElement ? style.fill : style.color).slice(0, 3));
        const back = light(behind(element));
        const contrast = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
        if (contrast < 4.5) bad.push(element.tagName + ' ' + contrast.toFixed(2) + ': ' + element.textContent.slice(0, 40));
    }
    return bad;
})()";

/// Shapes that tell something, but are hardly told from what is behind them.
const SHAPES: &str = "(() => {
    const parts = (colour) => colour.match(/[\\d.]+/g).map(Number).slice(0, 3);
    const paper = parts(getComputedStyle(document.body).backgroundColor);
    const bad = new Set();
    for (const shape of document.querySelectorAll('svg .c-load, svg .c-reuse, svg .c-store, svg .w-busy, svg .w-word, svg .w-value, svg .tile0, svg .tile1, svg .roof, svg .design, svg [data-level]')) {
        const style = getComputedStyle(shape);
        const drawn = style.fill === 'none' ? style.stroke : style.fill;
        const apart = Math.max(...parts(drawn).map((c, k) => Math.abs(c - paper[k])));
        if (apart < 40) bad.add(shape.getAttribute('class') + ' ' + drawn);
    }
    return Array.from(bad);
})()";

/// Texts of pictures that are too small to be read, and those that leave their pictures.
const LABELS: &str = "(() => {
    const bad = [];
    for (const text of document.querySelectorAll('svg text')) {
        const own = text.getBoundingClientRect(), picture = text.ownerSVGElement.getBoundingClientRect();
        if (!text.textContent || !own.width) continue;
        // A picture without a view has pixels as its units.
        const view = text.ownerSVGElement.viewBox.baseVal;
        const size = parseFloat(getComputedStyle(text).fontSize) * (view && view.width ? picture.width / view.width : 1);
        if (size < 9) bad.push('small, ' + size.toFixed(1) + ' px: ' + text.textContent);
        if (own.left < picture.left - 2 || own.right > picture.right + 2 || own.top < picture.top - 4 || own.bottom > picture.bottom + 4)
            bad.push('cut: ' + text.textContent);
    }
    for (const picture of document.querySelectorAll('svg')) {
        const boxes = Array.from(picture.querySelectorAll('text')).filter((text) => text.textContent)
            .map((text) => [text.textContent, text.getBoundingClientRect()]);
        boxes.forEach(([one, a], k) => boxes.slice(k + 1).forEach(([other, b]) => {
            if (a.left + 1 < b.right && b.left + 1 < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom)
                bad.push('one over the other: ' + one + ', ' + other);
        }));
    }
    return bad;
})()";

/// What does not fit on paper, and what nobody can use there.
const PAPER: &str = "(() => {
    const wide = Array.from(document.querySelectorAll('pre, .wide')).filter((own) => own.scrollWidth > own.clientWidth + 1);
    const sliders = Array.from(document.querySelectorAll('input')).filter((own) => own.getClientRects().length);
    return wide.concat(sliders).map((own) => own.outerHTML.slice(0, 80));
})()";

/// What reaches over the right edge of the screen, and does not scroll by itself.
const WIDTH: &str = "(() => {
    const all = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= all) return [];
    const wide = Array.from(document.querySelectorAll('body *')).filter((own) => {
        const box = own.getBoundingClientRect();
        return Math.max(box.right, box.left + own.scrollWidth) > all + 1 && !own.closest('.wide, pre');
    });
    return [document.documentElement.scrollWidth + ' of ' + all].concat(wide.map((own) => own.outerHTML.slice(0, 80)));
})()";

fn none() -> Value {
    json!([])
}

/// Opens a page and looks at all that every page has to keep. It stays open, on a wide screen in the light.
fn opened(browser: &mut Browser, path: &Path) {
    let size = fs::metadata(path).unwrap().len();
    assert!(size < 2 << 20, "{} bytes", size);
    browser.screen(1200, 900);
    browser.media("screen", "light");
    // Some may be slow for other reasons.
    let least = (0..12).map(|_| browser.open(path, "")).find(|time| *time < Duration::from_secs(2));
    let least = least.expect("opened in two seconds");
    println!("{}: {size} bytes, drawn within {} ms", path.display(), least.as_millis());
    for scheme in ["dark", "light"] {
        browser.media("screen", scheme);
        assert_eq!(browser.value(CONTRASTS), none(), "texts, {scheme}");
        assert_eq!(browser.value(SHAPES), none(), "shapes, {scheme}");
    }
    let paper = |browser: &mut Browser| browser.value("getComputedStyle(document.body).backgroundColor");
    let light = paper(browser);
    browser.media("screen", "dark");
    assert_ne!(paper(browser), light, "dark is another colour");
    // A telephone, and a browser's window.
    for width in [360, 1200] {
        browser.screen(width, 800);
        browser.media("screen", "light");
        browser.open(path, "");
        assert_eq!(browser.value(WIDTH), none(), "{width} pixels");
        assert_eq!(browser.value(LABELS), none(), "{width} pixels");
    }
    // A4 at 96 dots per inch, without margins of 1 cm.
    browser.screen(718, 1000);
    browser.media("print", "light");
    assert_eq!(browser.value(PAPER), none(), "on paper");
    let printed = browser.call("Page.printToPDF", json!({ "printBackground": true }));
    // `%PDF-` in base64.
    assert!(printed["data"].as_str().is_some_and(|data| data.starts_with("JVBERi")));
    browser.screen(1200, 900);
    browser.media("screen", "light");
    browser.open(path, "");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    assert_eq!(browser.requests(), [format!("file://{}", path.display())]);
}

/// The leaves of a document by their paths: `ddr.bytes_read`, `buffers[0].words`.
fn leaves(path: String, value: &Value, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            let dot = if path.is_empty() { "" } else { "." };
            leaves(format!("{path}{dot}{name}"), member, found);
        }),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(k, item)| leaves(format!("{path}[{k}]"), item, found));
        }
        Value::String(text) => drop(found.insert(path, text.clone())),
        other => drop(found.insert(path, other.to_string())),
    }
}

/// The figures that are shown are those of the JSON, all of them; those at the head, too.
fn figures_are_the_jsons(browser: &mut Browser, document: &Value) {
    let shown = browser.value(
        "Array.from(document.querySelectorAll('[data-field]')).map((cell) => [cell.dataset.field, cell.textContent])",
    );
    let shown: Vec<(String, String)> = serde_json::from_value(shown).unwrap();
    let mut expected = BTreeMap::new();
    leaves(String::new(), document, &mut expected);
    assert_eq!(shown.len(), expected.len());
    for (path, text) in shown {
        let is_number = text.parse::<f64>().is_ok() || text.replace(',', "").parse::<f64>().is_ok();
        let text = if is_number { text.replace(',', "") } else { text };
        assert_eq!(Some(&text), expected.get(&path), "{path}");
    }
    let taken = browser.value(TAKEN);
    let bits = ["buffer_bits", "block_ram_bits"].map(|name| document["tiling"][name].clone());
    assert_eq!([&taken[0][0], &taken[0][1]], [&bits[0], &bits[1]], "bits of the buffers");
    for bar in taken.as_array().unwrap() {
        let [share, width] = [&bar[2], &bar[3]].map(|value| value.as_f64().unwrap());
        assert!((share - bar[0].as_f64().unwrap() / bar[1].as_f64().unwrap()).abs() < 1e-3, "{bar}");
        assert!((share.min(1.0) - width).abs() < 0.002, "{bar}: as wide as it says");
        assert!(bar[4].as_str().unwrap().replace(',', "").starts_with(&format!("{} of {} ", bar[0], bar[1])), "{bar}");
    }
    let head = "Array.from(document.querySelectorAll('.first div')).map((own) => Array.from(own.children, (c) => c.textContent))";
    let head: Vec<(String, String)> = serde_json::from_value(browser.value(head)).unwrap();
    let head: BTreeMap<String, String> = head.into_iter().collect();
    let number = |label: &str| head[label].split([' ', '×']).next().unwrap().replace(',', "").parse::<f64>().unwrap();
    let is = |label: &str, value: &Value, exact: f64| {
        let (shown, value) = (number(label), value.as_f64().unwrap());
        assert!((shown - value).abs() <= exact, "{label}: {shown}, not {value}");
    };
    is("cycles", &document["cycles"], 0.0);
    is("time", &document["time_us"], 0.005);
    is("cycles per iteration", &document["cycles_per_iteration"], 0.0005);
    is("of the bound", &document["bound"]["share"], 0.005);
}

/// What of the board is taken: how much of how much, that share as it is written, that of what is drawn, and the text.
const TAKEN: &str = "Array.from(document.querySelectorAll('[data-taken]'), (own) => {
    const [all, taken] = Array.from(own.querySelectorAll('rect'), (bar) => bar.getBoundingClientRect().width);
    const text = own.textContent.trim();
    return [Number(own.dataset.taken), Number(own.dataset.all), parseFloat(text.split('(')[1]) / 100, taken / all, text];
})";

/// What the page shows of the tile that is chosen: its paths by their kinds.
const TILE: &str = "(() => {
    const seen = (own) => getComputedStyle(own).display !== 'none';
    const all = (parent, selector) => Array.from(parent.querySelectorAll(selector)).filter(seen);
    return {
        name: all(document, '#tile-name > span').map((own) => own.textContent).join(),
        here: all(document, '#tile-space > div').flatMap((own) => all(own, '.here').map((dot) => dot.textContent.trim())),
        arrays: all(document, '#tile-arrays > div').map((box) => ({
            name: box.querySelector('h3').textContent.split('[')[0],
            figures: Object.fromEntries(all(box, 'tbody').flatMap((own) => Array.from(own.querySelectorAll('[data-kind]'), (cell) => [cell.dataset.kind, cell.textContent]))),
            drawn: Object.fromEntries(['load', 'reuse', 'store', 'touch'].map((kind) => [kind,
                all(box, 'svg > g').flatMap((own) => all(own, 'path.c-' + kind)).map((own) => own.getAttribute('d')).join('')])),
        })),
    };
})()";

/// Puts the slider to every tile: iterations, numbers of cells, and the cells that are drawn.
fn tiles_are_as_enumerated(browser: &mut Browser, pictures: &Pictures, instances: &[Instance]) {
    let tiles = by_hand(instances, pictures);
    assert_eq!((pictures.tile_count, pictures.shown.len()), (tiles.len() as u64, tiles.len()), "all tiles are shown");
    let mut moved = BTreeSet::new();
    for (place, (index, tile)) in tiles.iter().enumerate() {
        browser.slide("tile", place);
        let shown = browser.value(TILE);
        tile_is_as_enumerated(&shown, pictures, (place, tiles.len()), (&index[..], tile));
        moved.insert(shown["arrays"].to_string());
    }
    assert!(tiles.len() == 1 || moved.len() > 1, "the pictures change with the tile");
}

/// What is shown is this tile of so many.
fn tile_is_as_enumerated(
    shown: &Value,
    pictures: &Pictures,
    (place, count): (usize, usize),
    (index, tile): (&[i64], &TileByHand),
) {
    let name = shown["name"].as_str().unwrap().replace(',', "");
    let (number, text) = (place + 1, index.iter().map(i64::to_string).collect::<Vec<_>>());
    assert!(name.starts_with(&format!("number {number} of {count}: T = ({})", text.join(" "))), "{name}");
    assert!(name.ends_with(&format!(" {} iterations", tile.iterations)), "{name}: {}", tile.iterations);
    assert_eq!(shown["here"], json!([format!("T = ({})", text.join(", "))]), "in the tile space");
    for own in shown["arrays"].as_array().unwrap() {
        let array = pictures.arrays.iter().find(|array| own["name"] == array.name).unwrap();
        let nothing = Footprint::default();
        let expected = tile.arrays.get(array.name.as_str()).unwrap_or(&nothing);
        for (kind, drawn, cells) in [
            ("loaded", "load", &expected.loaded),
            ("reused", "reuse", &expected.reused),
            ("stored", "store", &expected.stored),
            ("touched", "touch", &expected.touched),
        ] {
            let count = own["figures"][kind].as_str().unwrap().replace(',', "");
            assert_eq!(count, cells.len().to_string(), "{kind} of {} in tile {index:?}", array.name);
            let columns = array.extents.last().unwrap();
            let square = |cell: &Vec<i64>| {
                let place = cell.iter().zip(&array.extents).fold(0, |place, (index, extent)| place * extent + index);
                (place / columns / array.together[0], place % columns / array.together[1])
            };
            let squares: BTreeSet<(i64, i64)> = cells.iter().map(square).collect();
            let drawn = drawn::squares(own["drawn"][drawn].as_str().unwrap());
            let differs: Vec<_> = drawn.symmetric_difference(&squares).take(5).collect();
            assert!(differs.is_empty(), "{kind} of {} in tile {index:?}: {differs:?} and so on", array.name);
        }
    }
}

/// The paths of a picture's windows over cycles, by their classes.
const WINDOWS: &str = "(picture) => Array.from(document.querySelectorAll(picture + ' svg.cycles'), (own) =>
    Object.fromEntries(Array.from(own.querySelectorAll(':scope > path[class]'), (path) => [path.getAttribute('class'), path.getAttribute('d')])))";

/// What paths of a window cover, as a part of all of it.
fn covered(window: &Value, class: &str, cycles: f64) -> f64 {
    window[class].as_str().map_or(0.0, drawn::area) / (100.0 * cycles)
}

/// The picture's share of each kind, by process: a part of a process lies over the sum of it and what is under it.
fn shares(browser: &mut Browser, cycles: f64) -> Vec<[f64; 3]> {
    let windows = browser.value(&format!("({WINDOWS})('#timeline-picture')"));
    let windows = windows.as_array().unwrap();
    assert_eq!(windows.len(), 6, "bars and tiles of three processes");
    let share = |own: &Value| {
        let [busy, word, value] = ["w-busy", "w-word", "w-value"].map(|class| covered(own, class, cycles));
        [busy, (word - busy).max(0.0), (value - busy).max(0.0)]
    };
    windows.iter().step_by(2).map(share).collect()
}

/// First and last cycle that are shown, and the cycles of the run.
fn seen(browser: &mut Browser) -> [f64; 3] {
    let text = browser.value("document.getElementById('timeline-cycles').textContent");
    let text = text.as_str().unwrap().replace(',', "");
    let numbers: Vec<f64> = text.split(' ').filter_map(|word| word.parse().ok()).collect();
    numbers.try_into().unwrap()
}

/// The views of all windows over cycles, each once.
fn views(browser: &mut Browser) -> Value {
    browser.value("Array.from(new Set(Array.from(document.querySelectorAll('svg.cycles'), (own) => own.getAttribute('viewBox'))))")
}

/// All of the run is shown, and is what the counters say.
fn timeline_is_whole(browser: &mut Browser, document: &Value) {
    let cycles = document["cycles"].as_f64().unwrap();
    assert_eq!(seen(browser), [0.0, cycles, cycles]);
    assert_eq!(views(browser), json!([format!("0 0 {cycles} 100")]));
    let shares = shares(browser, cycles);
    let counter = |name: &str| document["processes"][name].as_f64().unwrap() / cycles;
    let transfer = |busy: &str, without: &str| [counter(busy) - counter(without), counter(without), 0.0];
    let expected = [
        transfer("load_busy", "load_without_word"),
        [counter("compute_busy"), 0.0, counter("compute_stall")],
        transfer("store_busy", "store_without_word"),
    ];
    for (process, (shown, expected)) in shares.iter().zip(&expected).enumerate() {
        // Words are those on the memory's bus, before they wait for their process, slice by slice: only of compute, and of all that a
        // process is busy, the picture is the counters'. Of a convolution layer in 44,400 cycles it is 0.021 off.
        for (shown, expected) in shown.iter().zip(expected) {
            let most = if process == 1 { 0.002 } else { 0.03 };
            assert!((shown - expected).abs() < most, "{shares:?}, not {expected:?}");
        }
        let [shown, expected] = [shown, expected].map(|parts| parts.iter().sum::<f64>());
        assert!((shown - expected).abs() < 0.002, "{shares:?}: {shown}, not {expected}");
    }
}

/// The whole of the timeline is what the counters say; it zooms down to cycles and moves to the end.
fn timeline_is_the_runs(browser: &mut Browser, document: &Value) {
    timeline_is_whole(browser, document);
    let cycles = document["cycles"].as_f64().unwrap();
    browser.slide("zoom", 100);
    assert_eq!(seen(browser), [0.0, 16.0, cycles]);
    browser.slide("at", 1000);
    assert_eq!(seen(browser), [cycles - 16.0, cycles, cycles]);
    assert_eq!(views(browser), json!([format!("{} 0 16 100", cycles - 16.0)]), "all windows show the same cycles");
    let ticks = "Array.from(document.querySelectorAll('#timeline-picture text')).map((own) => own.textContent)";
    let ticks: Vec<String> = serde_json::from_value(browser.value(ticks)).unwrap();
    let ticks: Vec<f64> =
        ticks.iter().filter_map(|text| text.replace(',', "").trim_start_matches("cycle ").parse().ok()).collect();
    assert!(ticks.len() >= 2 && ticks.iter().all(|tick| (cycles - 16.0..=cycles).contains(tick)), "{ticks:?}");
    browser.slide("zoom", 50);
    let [from, to, _] = seen(browser);
    assert!(to == cycles && (to - from - (16.0 * cycles).sqrt()).abs() <= 1.0, "half way down: {from} to {to}");
    // A narrower window shows the same place.
    browser.screen(500, 800);
    assert_eq!(seen(browser), [from, to, cycles]);
    browser.screen(1200, 900);
}

/// The instances that start at each date of a tile: their statements' names, and their iterators.
fn dated(pictures: &Pictures, place: usize) -> BTreeMap<u64, Vec<(String, Vec<i64>)>> {
    let tile = &pictures.shown[place];
    let order = &pictures.orders[tile.order.unwrap()];
    let mut found: BTreeMap<u64, Vec<(String, Vec<i64>)>> = BTreeMap::new();
    for row in &order.drawn {
        let (statement, step) = &order.kinds[row[0] as usize];
        for n in 0..row[2] {
            let origin = &tile.origins[*statement];
            let at =
                row[3..].iter().zip(origin).zip(step).map(|((own, origin), step)| own + origin + n * step).collect();
            let name = pictures.bands[tile.band].statements[*statement].clone();
            found.entry((row[1] + n) as u64).or_default().push((name, at));
        }
    }
    found
}

/// What is drawn of the order: the text, the slider's last step, and per statement its name, its plane, and of each figure the caption, the
/// paths up to the date and the path of all.
const ORDER: &str = "(() => {
    const seen = (own) => getComputedStyle(own).display !== 'none';
    const all = (parent, selector) => Array.from(parent.querySelectorAll(selector)).filter(seen);
    const d = (own) => own.getAttribute('d');
    const boxes = all(document, '[data-order]').flatMap((own) => all(own, ':scope > div')).map((box) => {
        const plane = all(box, '[data-plane]')[0];
        return [box.querySelector('h4').textContent, plane.dataset.plane, all(plane, 'figure').map((own) =>
            [own.textContent.trim(), all(own, '[data-level]').map(d), d(own.querySelector('.to-come'))])];
    });
    return [document.getElementById('date-name').textContent.replace(/,(?=\\d{3})/g, ''), Number(document.getElementById('date').max), boxes];
})()";

/// A statement, its plane, and its figures: captions, paths up to the date, the path of all.
type Drawn = (String, String, Vec<(String, Vec<String>, String)>);

/// Iterations of the C program: statement, and iterators.
type Iterations = BTreeSet<(String, Vec<i64>)>;

/// Of each plane all squares: those of the program's iterations with the values of the caption, wherever the picture begins.
fn planes_are_the_programs(drawn: &[Drawn], expected: &Iterations) {
    let moved = |squares: BTreeSet<(i64, i64)>| -> BTreeSet<(i64, i64)> {
        let (row, column) = (squares.iter().map(|own| own.0).min(), squares.iter().map(|own| own.1).min());
        squares.iter().map(|own| (own.0 - row.unwrap(), own.1 - column.unwrap())).collect()
    };
    for (head, plane, figures) in drawn {
        let (statement, names) = head.trim_end_matches(')').split_once(" (").unwrap();
        let names: Vec<&str> = names.split(", ").collect();
        let axis = |suffix: &str| {
            let name = plane.split(", ").find_map(|own| own.strip_suffix(suffix));
            name.map(|name| names.iter().position(|own| *own == name).unwrap())
        };
        let (across, down) = (axis(" across"), axis(" down"));
        for (caption, levels, all) in figures {
            let fixed = caption.split(", ").filter_map(|own| own.split_once(" = "));
            let fixed: Vec<(usize, i64)> = fixed
                .map(|(name, value)| (names.iter().position(|own| *own == name).unwrap(), value.parse().unwrap()))
                .collect();
            let own = expected
                .iter()
                .filter(|(name, at)| name == statement && fixed.iter().all(|(k, value)| at[*k] == *value));
            let at = |at: &[i64], axis: Option<usize>| axis.map_or(0, |k| at[k]);
            let own: BTreeSet<(i64, i64)> =
                own.map(|(_, iterators)| (at(iterators, down), at(iterators, across))).collect();
            assert_eq!(moved(drawn::squares(all)), moved(own.clone()), "{head}, {plane}, {caption}");
            assert_eq!(moved(drawn::squares(&levels.concat())), moved(own), "{head}, {plane}, {caption}");
        }
    }
}

/// The first, a middle and the last tile, at several dates: exactly the instances of the C program that lie in the tile, and as many of
/// them drawn as have started.
fn order_is_the_programs(browser: &mut Browser, pictures: &Pictures, instances: &[Instance]) {
    let [band] = &pictures.bands[..] else { panic!("several bands") };
    let last = pictures.shown.len() - 1;
    for place in BTreeSet::from([0, last / 2, last]) {
        browser.slide("tile", place);
        let (tile, order) = (&pictures.shown[place], &pictures.orders[pictures.shown[place].order.unwrap()]);
        let dates = dated(pictures, place);
        let inside = |instance: &&Instance| {
            let theta = theta(&band.theta, instance.statement);
            let values = theta.iter().map(|text| affine(text, &instance.iterators));
            values.zip(&band.tile_sizes).map(|(value, size)| value.div_euclid(*size)).eq(tile.index.iter().copied())
        };
        let own = |instance: &Instance| {
            let place = band.statements.iter().position(|name| name == instance.statement).unwrap();
            let value = |name: &String| instance.iterators.iter().find(|(own, _)| own == name).unwrap().1;
            (instance.statement.to_string(), band.iterators[place].iter().map(value).collect::<Vec<i64>>())
        };
        let expected: Iterations = instances.iter().filter(inside).map(own).collect();
        let found: BTreeSet<_> = dates.values().flatten().cloned().collect();
        assert!(found.is_subset(&expected), "{:?}", found.difference(&expected).next());
        if order.every == 1 {
            assert_eq!(found.len(), expected.len(), "T = {:?}", tile.index);
            assert_eq!(dates.values().map(Vec::len).sum::<usize>(), expected.len(), "one date each");
        }
        for step in [0, 31, 63u64] {
            browser.slide("date", step as usize);
            let (text, most, boxes): (String, usize, Vec<Drawn>) =
                serde_json::from_value(browser.value(ORDER)).unwrap();
            assert_eq!(most, 63);
            // All dates in 64 steps: a step ends in front of the first date of the next one.
            let date = ((step + 1) * order.dates).div_ceil(64) - 1;
            assert!(text.starts_with(&format!("date {date} of 0 to {}: ", order.dates - 1)), "{text}");
            let started = dates.range(..=date).next_back().unwrap();
            let told = started.1.iter().map(|(name, at)| {
                (name, format!(" = ({})", at.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")))
            });
            let is_told =
                told.into_iter().any(|(name, at)| text.contains(&format!(": {name} (")) && text.ends_with(&at));
            assert!(is_told || *started.0 != date, "{text}: {started:?}");
            let squares = dates.range(..=date).map(|(_, own)| own.len()).sum::<usize>() as f64;
            let rest = dates.values().map(Vec::len).sum::<usize>() as f64 - squares;
            let figures = boxes.iter().flat_map(|(.., figures)| figures);
            let area = |paths: &mut dyn Iterator<Item = &String>| paths.map(|d| drawn::area(d)).sum::<f64>();
            let drawn = area(&mut figures.clone().flat_map(|(_, levels, _)| levels));
            let all = area(&mut figures.clone().map(|(.., all)| all));
            // Where all planes are drawn.
            let is_all = figures.count() < 12 && order.every == 1;
            if is_all {
                assert_eq!((drawn, all), (squares, squares + rest), "date {date} of T = {:?}", tile.index);
            } else {
                assert!(drawn <= squares && all <= squares + rest, "{drawn} of {squares}, {all} of {}", squares + rest);
            }
            if step == 63 && order.every == 1 {
                planes_are_the_programs(&boxes, &expected);
            }
        }
    }
}

/// A residue in `[i mod 32, (i + 2*k) mod 64, tile mod 2]`.
fn residue(text: &str, names: &[(&str, i64)]) -> i64 {
    let (value, modulus) = text.rsplit_once(" mod ").unwrap();
    affine(value.trim_matches(['(', ')']), names).rem_euclid(modulus.parse().unwrap())
}

/// Clicks on cells of every array: banks and words are what the mapping of the JSON says, and words in use what the tile has.
fn places_are_the_mappings(browser: &mut Browser, pictures: &Pictures, document: &Value) {
    let last = pictures.shown.len() - 1;
    for place in BTreeSet::from([0, last / 2, last]) {
        browser.slide("tile", place);
        let tile = &pictures.shown[place];
        for own in &tile.buffers {
            let buffer = &pictures.buffers[own.buffer];
            let taken =
                format!("document.querySelector('tbody:not([hidden]) [data-buffer=\"{}\"]').textContent", buffer.array);
            assert_eq!(browser.value(&taken).as_str().unwrap().replace(',', ""), own.taken.to_string());
            let Some(number) = pictures.arrays.iter().position(|array| array.name == buffer.array) else { continue };
            let (array, cells) =
                (&pictures.arrays[number], tile.arrays.iter().find(|own| own.array == number).unwrap());
            if let Some(touched) = cells.touched {
                assert!(own.taken >= touched, "{} words for {touched} cells", own.taken);
            }
            let mapping = document["buffers"].as_array().unwrap().iter().find(|own| own["array"] == *array.name);
            let mapping = mapping.unwrap()["mapping"].as_str().unwrap();
            let (head, rest) = mapping.split_once(" -> [").unwrap();
            let (residues, banks) = rest.split_once(']').unwrap();
            let names: Vec<&str> = head.split_once('[').unwrap().1.trim_end_matches(']').split(", ").collect();
            for part in [0.0613, 0.3127, 0.5531, 0.9471] {
                // Events are at whole pixels.
                let click = format!(
                    "(() => {{ const box = Array.from(document.querySelectorAll('#tile-arrays > div')).find((own) => own.querySelector('h3').textContent.startsWith('{}['));
                        const frame = box.querySelector('svg').getBoundingClientRect();
                        const [x, y] = [Math.floor(frame.left + {part} * frame.width), Math.floor(frame.top + {part} * frame.height)];
                        box.querySelector('svg').dispatchEvent(new MouseEvent('click', {{ clientX: x, clientY: y }}));
                        const marks = Array.from(document.querySelectorAll('.picked:not([hidden])'), (own) => [Number(own.getAttribute('y')), Number(own.getAttribute('x'))]);
                        return [document.getElementById('cell-place').textContent, (y - frame.top) / frame.height, (x - frame.left) / frame.width, marks]; }})()",
                    array.name
                );
                let (text, down, across, marks): (String, f64, f64, Vec<[i64; 2]>) =
                    serde_json::from_value(browser.value(&click)).unwrap();
                let square = [down, across].map(|part| part.max(0.0));
                let square = [0, 1].map(|k| (square[k] * array.grid[k] as f64).floor() as i64);
                let (mut row, column) = (square[0] * array.together[0], square[1] * array.together[1]);
                let mut cell = vec![column];
                for extent in array.extents.iter().rev().skip(1) {
                    cell.insert(0, row % extent);
                    row /= extent;
                }
                let mut values: Vec<(&str, i64)> = names.iter().copied().zip(cell.iter().copied()).collect();
                values.extend([("tile", tile.number as i64), ("strip", tile.strip as i64)]);
                let written: String = cell.iter().map(|index| format!("[{index}]")).collect();
                assert!(text.starts_with(&format!("{}{written} has its place in ", array.name)), "{text}");
                let numbers: Vec<i64> =
                    text.split(' ').filter_map(|word| word.trim_end_matches(['.', ',']).parse().ok()).collect();
                let square = match numbers[..] {
                    [word] => [word / buffer.columns, word % buffer.columns],
                    _ => [numbers[0], numbers[1]],
                };
                let square = [0, 1].map(|k| square[k] / buffer.together[k]);
                assert_eq!(marks, [square], "the mark of {text}");
                let own: Vec<(i64, i64)> = residues
                    .split(", ")
                    .map(|text| (residue(text, &values), text.rsplit_once(' ').unwrap().1.parse().unwrap()))
                    .collect();
                match (buffer.banks, banks.strip_prefix(", ").and_then(|banks| banks.split_once(" banks of "))) {
                    (1, _) => {
                        let bits = |modulus: i64| (modulus as u64).next_power_of_two() as i64;
                        let word = own.iter().fold(0, |word, (value, modulus)| word * bits(*modulus) + value);
                        assert_eq!(numbers, [word], "{text}: {mapping}");
                    }
                    (count, Some((_, subscript))) if names.contains(&subscript) => {
                        let at = names.iter().position(|name| *name == subscript).unwrap();
                        assert_eq!(numbers[0], cell[at].rem_euclid(count), "{text}: {mapping}");
                    }
                    _ => assert_eq!(numbers.len(), 2, "{text}"),
                }
            }
        }
    }
}

/// The words alive: the numbers that are shown are those of the data, none is more than the buffer of the JSON has.
fn lives_are_shown(browser: &mut Browser, pictures: &Pictures, document: &Value) {
    let lives = pictures.lives.as_ref().unwrap();
    let shown = "Array.from(document.querySelectorAll('[data-alive]'), (own) => [own.dataset.alive, own.textContent, own.closest('div').querySelectorAll('path.alive').length])";
    let shown: Vec<(String, String, usize)> = serde_json::from_value(browser.value(shown)).unwrap();
    let expected: Vec<_> = lives.arrays.iter().map(|own| (own.array.clone(), own.peak.to_string(), 1)).collect();
    let shown: Vec<_> = shown.into_iter().map(|(array, peak, paths)| (array, peak.replace(',', ""), paths)).collect();
    assert_eq!(shown, expected);
    for own in &lives.arrays {
        let buffer = document["buffers"].as_array().unwrap().iter().find(|buffer| buffer["array"] == *own.array);
        assert_eq!(buffer.unwrap()["words"], own.words);
        assert!(own.peak as i64 <= own.words, "{}: {} alive in {} words", own.array, own.peak, own.words);
        // The curve is as high as its words, on 74 of the picture's units for all words of the buffer.
        let curve = format!(
            "document.querySelector('[aria-label=\"words of {} that are alive\"] .alive').getAttribute('d')",
            own.array
        );
        let outlines = drawn::outlines(browser.value(&curve).as_str().unwrap());
        let top = outlines[0].iter().map(|corner| corner[1]).fold(f64::INFINITY, f64::min);
        let expected = 74.0 * own.peak as f64 / own.words as f64;
        assert!((80.0 - top - expected).abs() < 0.1, "{}: {top}, not {expected} high", own.array);
    }
}

/// Banks over time add up to the JSON's; what is drawn of them is as much as its share of the run's cycles.
fn banks_are_the_runs(browser: &mut Browser, document: &Value) {
    let ddr = &document["ddr"];
    let told = "Array.from(document.querySelectorAll('#banks-picture title'), (own) => own.textContent)";
    let banks = ddr["banks"].as_array().unwrap().iter().enumerate();
    let mut expected: Vec<String> =
        banks.map(|(k, own)| format!("bank {k}: {} hits, {} misses", own["row_hits"], own["row_misses"])).collect();
    expected.extend(
        [("turns", "turnarounds"), ("refreshes", "refreshes")].map(|(name, field)| format!("{name}: {}", ddr[field])),
    );
    assert_eq!(browser.value(told), json!(expected), "the sums of what is drawn");
    let all = |name: &str| ddr["banks"].as_array().unwrap().iter().map(|own| own[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!(
        [all("row_hits"), all("row_misses")],
        ["row_hits", "row_misses"].map(|name| ddr[name].as_u64().unwrap())
    );
    let cycles = document["cycles"].as_f64().unwrap();
    let windows = browser.value(&format!("({WINDOWS})('#banks-picture')"));
    let windows = windows.as_array().unwrap();
    assert_eq!(windows.len(), 10, "rows and commands of four banks, turns and refreshes");
    for (own, bank) in windows.iter().skip(1).step_by(2).zip(ddr["banks"].as_array().unwrap()) {
        let [hits, both] = ["w-busy", "w-value"].map(|class| covered(own, class, cycles));
        for (shown, name) in [(hits, "row_hits"), (both - hits, "row_misses")] {
            let expected = bank[name].as_f64().unwrap() / cycles;
            assert!((shown - expected).abs() < 1e-4 + 0.02 * expected, "{name}: {shown} drawn, {expected} per cycle");
        }
    }
}

/// Lengths of bursts add up to all of them and their beats; each has its bars.
fn bursts_are_the_runs(browser: &mut Browser, bus: &Value) {
    let lengths = bus["lengths"].as_array().unwrap();
    let sum = |name: &str, weighs: bool| {
        let each = |own: &Value| own[name].as_u64().unwrap() * if weighs { own["beats"].as_u64().unwrap() } else { 1 };
        json!(lengths.iter().map(each).sum::<u64>())
    };
    assert_eq!(
        [sum("read_bursts", false), sum("write_bursts", false)],
        [bus["read_bursts"].clone(), bus["write_bursts"].clone()]
    );
    assert_eq!(
        [sum("read_bursts", true), sum("write_bursts", true)],
        [bus["read_beats"].clone(), bus["write_beats"].clone()]
    );
    let bars =
        lengths.iter().flat_map(|own| ["read_bursts", "write_bursts"].map(|name| own[name] != 0)).filter(|is| *is);
    let drawn = browser.value("document.querySelectorAll('#bursts-picture rect').length");
    assert_eq!(drawn, bars.count());
}

struct Opened {
    _folder: TempDir,
    path: PathBuf,
    document: Value,
    /// What burstc knows of the tiles: their sizes, and where dates are.
    pictures: Pictures,
}

/// Texts with brackets that do not close, notes of a statement that name others, dashed lines of the roofline and their names.
const WORDS: &str = "(() => {
    const texts = (own) => Array.from(document.querySelectorAll(own), (found) => found.textContent.trim());
    const notes = texts('.source .note');
    return [texts('#tile-order .legend').concat(notes).filter((text) => text.split('(').length !== text.split(')').length),
        notes.filter((text) => text.match(/\\bS\\d+\\b/g).length !== 1),
        document.querySelectorAll('#roofline-picture .roof.other').length,
        texts('#roofline-picture text').filter((text) => text === 'dependences').length];
})()";

/// What is put together of parts reads as one text.
fn words_fit_together(browser: &mut Browser) {
    let found = browser.value(WORDS);
    assert_eq!((&found[0], &found[1]), (&serde_json::json!([]), &serde_json::json!([])));
    assert_eq!(found[2], found[3], "the roofline's lines and their names");
}

/// The page and the JSON of a run.
fn run(kernel: &str, arguments: &[&str]) -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let kernel = source(kernel);
    let own = ["run", &kernel, "--html", "page.html", "--json", "run.json"];
    burstc(&folder, &[&own[..], arguments].concat());
    let path = folder.path().join("page.html").canonicalize().unwrap();
    let document: Value = serde_json::from_str(&fs::read_to_string(folder.path().join("run.json")).unwrap()).unwrap();
    let board = arguments.iter().position(|own| *own == "--board").map_or("stratix2-ddr400", |at| arguments[at + 1]);
    let analyze = ["analyze", &kernel, "--board", board, "--json"];
    let offload: Offload = serde_json::from_slice(&burstc(&folder, &analyze)).unwrap();
    let pictures = Pictures::of(&offload, &sizes(&document));
    Opened { _folder: folder, path, document, pictures }
}

fn sizes(document: &Value) -> BTreeMap<String, i64> {
    serde_json::from_value(document["arguments"].clone()).unwrap()
}

fn page_of(kernel: &str, arguments: &[&str], instances: fn(&BTreeMap<String, i64>) -> Vec<Instance>) {
    let run = run(kernel, arguments);
    let mut browser = Browser::start();
    opened(&mut browser, &run.path);
    figures_are_the_jsons(&mut browser, &run.document);
    let instances = instances(&sizes(&run.document));
    tiles_are_as_enumerated(&mut browser, &run.pictures, &instances);
    order_is_the_programs(&mut browser, &run.pictures, &instances);
    places_are_the_mappings(&mut browser, &run.pictures, &run.document);
    lives_are_shown(&mut browser, &run.pictures, &run.document);
    words_fit_together(&mut browser);
    timeline_is_the_runs(&mut browser, &run.document);
    match run.document.get("bus") {
        Some(bus) => bursts_are_the_runs(&mut browser, bus),
        None => banks_are_the_runs(&mut browser, &run.document),
    }
    assert_eq!(browser.complaints(), Vec::<String>::new(), "after sliders were moved");
    without_scripts(&run, &instances);
}

/// Without scripts the page shows the first tile with all of its iterations, and the whole run; and no sliders, which would move nothing.
fn without_scripts(run: &Opened, instances: &[Instance]) {
    let mut browser = Browser::start();
    browser.without_scripts();
    browser.screen(1200, 900);
    browser.media("screen", "light");
    browser.open(&run.path, "");
    assert_eq!(browser.value("document.getElementById('date-name').textContent"), "", "no script has written it");
    assert_eq!(browser.value(CONTROLS), none());
    let tiles = by_hand(instances, &run.pictures);
    let (index, tile) = tiles.first_key_value().unwrap();
    tile_is_as_enumerated(&browser.value(TILE), &run.pictures, (0, tiles.len()), (&index[..], tile));
    let (_, _, boxes): (String, usize, Vec<Drawn>) = serde_json::from_value(browser.value(ORDER)).unwrap();
    let figures = boxes.iter().flat_map(|(.., figures)| figures);
    let drawn: f64 = figures.clone().flat_map(|(_, levels, _)| levels).map(|d| drawn::area(d)).sum();
    let is_all = figures.count() < 12 && run.pictures.orders[run.pictures.shown[0].order.unwrap()].every == 1;
    assert!(if is_all { drawn == tile.iterations as f64 } else { drawn > 0.0 }, "{drawn} of {}", tile.iterations);
    timeline_is_whole(&mut browser, &run.document);
    match run.document.get("bus") {
        Some(bus) => bursts_are_the_runs(&mut browser, bus),
        None => banks_are_the_runs(&mut browser, &run.document),
    }
    lives_are_shown(&mut browser, &run.pictures, &run.document);
    // Nothing of what is drawn lies beside its picture, and the texts are read as ever.
    assert_eq!(browser.value(LABELS), none());
    assert_eq!(browser.value(EMPTY), none());
    let roofs = browser.value("document.querySelectorAll('#roofline-picture circle').length");
    let points = 2 + usize::from(run.document.get("direct").is_some_and(Value::is_object));
    // A program that only copies has no operations.
    let computes = instances.iter().any(|instance| instance.reads.len() > 1);
    assert_eq!(roofs, if computes { points } else { 0 });
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// What asks to be used.
const CONTROLS: &str =
    "Array.from(document.querySelectorAll('input, select, button')).filter((own) => own.getClientRects().length)
    .map((own) => own.outerHTML.slice(0, 80))";

/// Pictures in which nothing is drawn that is seen.
const EMPTY: &str = "Array.from(document.querySelectorAll('svg')).filter((own) => own.getClientRects().length &&
    !Array.from(own.querySelectorAll('path, rect, circle')).some((shape) => shape.getBoundingClientRect().width > 0))
    .map((own) => own.outerHTML.slice(0, 80))";

#[test]
fn the_page_of_dma() {
    page_of("examples/dma.c", &["--set", "N=5000"], dma);
}

#[test]
fn the_page_of_matmul() {
    page_of("examples/matmul.c", &["--set", "N=40"], matmul);
}

#[test]
fn the_page_of_jacobi_2d() {
    page_of("examples/jacobi_2d.c", &["--set", "N=30", "--set", "T=5"], jacobi_2d);
}

/// Behind a bus, with lanes, and the direct version, which takes much longer.
#[test]
fn the_page_of_a_convolution_layer() {
    let sizes = ["--set", "K=9", "--set", "C=5", "--set", "H=6", "--set", "W=18"];
    page_of(
        "tests/kernels/lanes_grid_layer.c",
        &[&sizes[..], &["--board", "generic-axi4", "--direct"]].concat(),
        layer,
    );
}

#[test]
fn the_page_of_nussinov() {
    page_of("tests/kernels/nussinov.c", &["--set", "N=40"], nussinov);
}

/// A page that has what no page may have is found out: the browser tells of errors, requests and shapes.
#[test]
fn a_bad_page_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.html").canonicalize().unwrap_or_else(|_| folder.path().join("bad.html"));
    let html = "<!DOCTYPE html><meta name=viewport content='width=device-width'><body style='background: #fff'>\
        <p style='color: #bbb'>pale</p><img src='http://127.0.0.1:9/a.png'><pre style='overflow: auto; width: 100px'>\
        as long as nobody can see it all</pre><div style='width: 500px'>wide</div><input type=range>\
        <svg viewBox='0 0 1000 100' width=300><text x=0 y=50>small</text><text x=9 y=50>over it</text></svg>\
        <svg viewBox='0 0 100 20' width=100><rect class=c-load fill='#fff' width=9 height=9></rect>\
        <text x=80 y=9>cut off</text></svg><script>console.warn('a warning'); nothing_of_that_name();</script>";
    fs::write(&path, html).unwrap();
    let mut browser = Browser::start();
    browser.screen(360, 800);
    browser.media("screen", "light");
    browser.open(&path, "");
    let complaints = browser.complaints().join("\n");
    assert!(complaints.contains("a warning") && complaints.contains("nothing_of_that_name"), "{complaints}");
    assert!(browser.requests().contains(&"http://127.0.0.1:9/a.png".to_string()));
    let found = |browser: &mut Browser, script: &str| browser.value(script).to_string();
    assert!(found(&mut browser, CONTRASTS).contains("pale"));
    assert!(found(&mut browser, SHAPES).contains("c-load"));
    assert!(found(&mut browser, WIDTH).contains("wide"));
    let labels = found(&mut browser, LABELS);
    assert!(["small, ", "one over the other", "cut: cut off"].iter().all(|own| labels.contains(own)), "{labels}");
    let paper = found(&mut browser, PAPER);
    assert!(paper.contains("<pre") && paper.contains("<input"), "{paper}");
}

/// The page of an exploration: a click on a design shows its figures and its directives as the file of results has them.
#[test]
fn the_page_of_an_exploration() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = source("examples/matmul.c");
    let explore = ["explore", &kernel, "--set", "N=16", "--limit", "12", "--simulate", "3", "--out", "found.jsonl"];
    burstc(&folder, &[&explore[..], &["--html", "page.html"]].concat());
    let path = folder.path().join("page.html").canonicalize().unwrap();
    let lines = fs::read_to_string(folder.path().join("found.jsonl")).unwrap();
    let lines: Vec<Value> = lines.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut browser = Browser::start();
    opened(&mut browser, &path);
    let places =
        "Array.from(document.querySelectorAll('svg:first-of-type .design'), (own) => Number(own.dataset.place))";
    let places: BTreeSet<u64> = serde_json::from_value(browser.value(places)).unwrap();
    let estimated: Vec<&Value> = lines.iter().filter(|line| line.get("estimate").is_some()).collect();
    assert_eq!(places.len(), estimated.len(), "every design that there is");
    let mut shown = BTreeSet::new();
    for place in places {
        let click = format!(
            "(() => {{ const own = document.querySelector('.design[data-place=\"{place}\"]');
                own.dispatchEvent(new MouseEvent('click', {{ bubbles: true }}));
                return [document.querySelectorAll('.here').length].concat(Array.from(document.getElementById('shown').children, (c) => c.textContent)); }})()"
        );
        let (marked, figures, directives): (usize, String, String) =
            serde_json::from_value(browser.value(&click)).unwrap();
        assert_eq!(marked, 2, "in both plots");
        let own = |line: &&&Value| {
            let own: Vec<&str> =
                line["directives"].as_array().unwrap().iter().map(|own| own.as_str().unwrap()).collect();
            // Behind what the design says comes what burstc has chosen for it.
            let chosen = line["estimate"]["chosen"].as_array().into_iter().flatten().map(|own| own.as_str().unwrap());
            match own.is_empty() {
                true => directives.starts_with("the file as it is"),
                false => directives == own.into_iter().chain(chosen).collect::<Vec<_>>().join("\n"),
            }
        };
        let line = estimated.iter().find(own).unwrap_or_else(|| panic!("{directives}"));
        let estimate = |field: &str| line["estimate"][field].as_u64().unwrap();
        let figures = figures.replace(',', "");
        for (field, unit) in [("cycles", "estimated"), ("bytes", "bytes"), ("aluts", "ALUTs"), ("multipliers", "DSP")] {
            let value = if field == "cycles" {
                format!("{} cycles estimated", estimate(field))
            } else {
                format!(" {} {unit}", estimate(field))
            };
            let value = if figures.contains("simulated") { value.replace("cycles ", "") } else { value };
            assert!(figures.contains(&value), "{value}: {figures}");
        }
        let simulated =
            lines.iter().find(|own| own["directives"] == line["directives"] && own.get("simulated").is_some());
        let seen = simulated.map(|own| format!("{} cycles simulated", own["simulated"]["cycles"]));
        assert_eq!(seen.is_some(), figures.contains("simulated"), "{figures}");
        assert!(seen.is_none_or(|seen| figures.contains(&seen)), "{figures}");
        shown.insert(directives);
    }
    assert_eq!(shown.len(), estimated.len(), "each has its own directives");
    assert_eq!(browser.complaints(), Vec::<String>::new(), "after clicks");
}

/// What is known without a simulation.
#[test]
fn the_page_of_an_analysis() {
    let folder = tempfile::tempdir().unwrap();
    burstc(&folder, &["analyze", &source("examples/jacobi_2d.c"), "--html", "page.html"]);
    opened(&mut Browser::start(), &folder.path().join("page.html").canonicalize().unwrap());
}

const BICG: &str = "#include <stdint.h>\n\
    #pragma burstc size(M: 32, max 64) size(N: 32, max 64)\n\
    void bicg(int M, int N, int32_t a[N][M], int32_t s[M], int32_t q[N], int32_t p[M], int32_t r[N])\n\
    {\n\
        for (int i = 0; i < N; i++)\n\
            for (int j = 0; j < M; j++)\n\
                s[j] += r[i] * a[i][j];\n\
        for (int i = 0; i < N; i++)\n\
            for (int j = 0; j < M; j++)\n\
                q[i] += a[i][j] * p[j];\n\
    }\n";

/// Memory is the bottleneck, behind several ports: the bound lies on the slope of the roof, whose name makes room for it.
#[test]
fn the_page_of_a_run_that_waits_for_memory() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = folder.path().join("bicg.c");
    fs::write(&kernel, BICG).unwrap();
    let run = run(kernel.to_str().unwrap(), &["--board", "pynq-z2"]);
    let mut browser = Browser::start();
    opened(&mut browser, &run.path);
    assert_eq!(run.document["bound"]["limit"], "memory");
    figures_are_the_jsons(&mut browser, &run.document);
    timeline_is_the_runs(&mut browser, &run.document);
    bursts_are_the_runs(&mut browser, &run.document["bus"]);
}
