//! Accesses instance by instance, straight from the C loops: their order, and the bytes that strips move.

use std::collections::{BTreeMap, HashMap};

use crate::affine::Affine;
use crate::ids::{ArrayId, ByArray, StatementId};
use crate::schedule::BandPlan;
use crate::source::kernel::{Kernel, Node};

/// One access to one cell.
pub struct Access {
    pub array: ArrayId,
    pub cell: Vec<i64>,
    pub statement: StatementId,
    pub iterators: BTreeMap<String, i64>,
    pub write: bool,
}

/// The accesses in the order of the source.
pub fn accesses(kernel: &Kernel, sizes: &BTreeMap<String, i64>) -> Vec<Access> {
    let mut accesses = vec![];
    walk(&kernel.body, &mut 0, &mut sizes.clone(), &mut accesses);
    accesses
}

fn walk(nodes: &[Node], number: &mut usize, values: &mut BTreeMap<String, i64>, accesses: &mut Vec<Access>) {
    for node in nodes {
        let evaluate = |affine: &Affine, values: &BTreeMap<String, i64>| affine.evaluate(|name| values[name]);
        if let Node::Loop(inner) = node {
            let first = inner.lower.iter().map(|l| evaluate(l, values)).max().unwrap();
            let last = inner.upper.iter().map(|u| evaluate(u, values)).min().unwrap();
            let before = *number;
            for value in first..=last {
                *number = before;
                values.insert(inner.iterator.clone(), value);
                walk(&inner.body, number, values, accesses);
            }
            values.remove(&inner.iterator);
            *number = before + count(&inner.body);
        } else if let Node::Statement(statement) = node {
            let reads = statement.references().into_iter().map(|r| (r, false));
            for (access, write) in reads.chain([(&statement.target, true)]) {
                accesses.push(Access {
                    array: access.array,
                    cell: access.subscripts.iter().map(|s| evaluate(s, values)).collect(),
                    statement: StatementId(*number),
                    iterators: values.clone(),
                    write,
                });
            }
            *number += 1;
        }
    }
}

fn count(nodes: &[Node]) -> usize {
    let of = |node: &Node| match node {
        Node::Loop(inner) => count(&inner.body),
        _ => 1,
    };
    nodes.iter().map(of).sum()
}

/// The band of every access and its θ there.
pub fn dates(plans: &[BandPlan], accesses: &[Access]) -> Vec<(usize, Vec<i64>)> {
    let date = |access: &Access| {
        let band = plans.iter().position(|p| p.statements.contains(&access.statement)).expect("a band per statement");
        let position = plans[band].statements.iter().position(|s| *s == access.statement).unwrap();
        let theta = &plans[band].theta[position];
        (band, theta.iter().map(|row| row.evaluate(|name| access.iterators[name])).collect())
    };
    accesses.iter().map(date).collect()
}

/// The band and the tile of every access. Dimension k of a band that is tileable has size `sizes(band, k)`.
pub fn places(
    plans: &[BandPlan],
    dates: &[(usize, Vec<i64>)],
    sizes: impl Fn(usize, usize) -> i64,
) -> Vec<(usize, Vec<i64>)> {
    let longest = plans.iter().map(|p| p.tileable.len()).max().unwrap();
    let place = |(band, date): &(usize, Vec<i64>)| {
        let size = |k: usize| if plans[*band].tileable[k] { sizes(*band, k) } else { 1 };
        let mut tile: Vec<i64> = date.iter().enumerate().map(|(k, value)| value.div_euclid(size(k))).collect();
        tile.resize(longest, 0);
        (*band, tile)
    };
    dates.iter().map(place).collect()
}

/// Two accesses to one cell, one of them a write, that the tiles put in the wrong order, as text.
pub fn violation(kernel: &Kernel, accesses: &[Access], places: &[(usize, Vec<i64>)]) -> Option<String> {
    let mut cells: BTreeMap<(ArrayId, &[i64]), Vec<usize>> = BTreeMap::new();
    for (number, access) in accesses.iter().enumerate() {
        cells.entry((access.array, &access.cell)).or_default().push(number);
    }
    for ((array, cell), numbers) in cells {
        for (position, &second) in numbers.iter().enumerate() {
            for &first in &numbers[..position] {
                let ((band, earlier), (other, later)) = (&places[first], &places[second]);
                let ordered = if band == other { earlier <= later } else { earlier < later };
                if (accesses[first].write || accesses[second].write) && !ordered {
                    let name = &kernel.arrays[array].name;
                    let [a, b] = [first, second].map(|n| (accesses[n].statement, &accesses[n].iterators));
                    return Some(format!("{name}{cell:?}: {a:?} in {earlier:?}, then {b:?} in {later:?}"));
                }
            }
        }
    }
    None
}

/// What a tiling costs.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Loaded by strips (cells they read first) and stored by them (cells they write).
    pub bytes: i64,
    /// Of buffers that hold the bounding boxes of successive tiles' cells in powers of two, a copy per read reference
    /// of a statement.
    pub bits: i64,
}

/// The first access of a strip to a cell, and whether the strip writes the cell.
struct Use {
    step: i64,
    load: bool,
    store: bool,
}

/// The cost where the strip's dimension of each band is `last`.
pub fn cost(kernel: &Kernel, accesses: &[Access], places: &[(usize, Vec<i64>)], last: &[usize]) -> Cost {
    let mut strips: BTreeMap<Vec<i64>, HashMap<ArrayId, Vec<usize>>> = BTreeMap::new();
    let step = |number: usize| places[number].1[last[places[number].0]];
    for (number, (access, (band, tile))) in accesses.iter().zip(places).enumerate() {
        let mut strip = tile.clone();
        strip[last[*band]] = 0;
        strips.entry(strip).or_default().entry(access.array).or_default().push(number);
    }
    let mut cost = Cost { bytes: 0, bits: 0 };
    let mut bits: ByArray<i64> = vec![0; kernel.arrays.len()].into();
    for arrays in strips.values() {
        for (&array, numbers) in arrays {
            let element = kernel.arrays[array].element;
            let mut cells: HashMap<&[i64], Use> = HashMap::new();
            for &number in numbers {
                let (access, step) = (&accesses[number], step(number));
                let cell = cells.entry(&access.cell).or_insert(Use { step, load: !access.write, store: false });
                if step < cell.step {
                    (cell.step, cell.load) = (step, !access.write);
                }
                cell.store |= access.write;
            }
            let moved = cells.values().map(|c| c.load as i64 + c.store as i64).sum::<i64>();
            cost.bytes += moved * element.bytes() as i64;

            let is_loaded = cells.values().any(|c| c.load);
            let is_stored = cells.values().any(|c| c.store);
            let boxes = boxes(accesses, numbers, step);
            let depth = 1 + is_loaded as i64 + is_stored as i64;
            let copies = kernel.least_copies(array) as i64;
            for &first in boxes.keys() {
                let words = hull_words(boxes.range(first..first + depth).map(|(_, b)| b));
                bits[array] = bits[array].max(words * copies * element.bits as i64);
            }
        }
    }
    cost.bits = bits.iter().sum();
    cost
}

/// The lowest and the highest value of each subscript.
type Bounds = Vec<(i64, i64)>;

fn boxes(accesses: &[Access], numbers: &[usize], step: impl Fn(usize) -> i64) -> BTreeMap<i64, Bounds> {
    let mut boxes: BTreeMap<i64, Bounds> = BTreeMap::new();
    for &number in numbers {
        let cell = &accesses[number].cell;
        let known = boxes.entry(step(number)).or_insert_with(|| cell.iter().map(|x| (*x, *x)).collect());
        known.iter_mut().zip(cell).for_each(|((low, high), x)| (*low, *high) = ((*low).min(*x), (*high).max(*x)));
    }
    boxes
}

fn hull_words<'a>(boxes: impl Iterator<Item = &'a Bounds>) -> i64 {
    let hull =
        boxes.cloned().reduce(|a, b| a.iter().zip(&b).map(|((l1, h1), (l2, h2))| (*l1.min(l2), *h1.max(h2))).collect());
    hull.into_iter().flatten().map(|(low, high)| ((high - low + 1) as u64).next_power_of_two() as i64).product()
}
