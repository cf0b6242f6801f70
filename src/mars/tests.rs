//! The paper's examples, by sets and by enumeration of the iterations. Numbers are the paper's where it prints them; "counted"
//! are those that enumeration gives, and the paper does not print.

use std::collections::{BTreeMap, BTreeSet};

use super::{Mars, Place, Reason, cells, of_tile};
use crate::polyhedral::isl::{Context, Map, Set};

type Point = Vec<i64>;

/// Iterations of two loops without bounds in tiles `s H0 <= h0 . x < s (H0 + 1)`, and what they read.
struct Nest {
    /// Two normal vectors.
    hyperplanes: [[i64; 2]; 2],
    sizes: [i64; 2],
    /// Of every dependence the linear part, by rows, and the constants.
    reads: Vec<(Vec<[i64; 2]>, Vec<i64>)>,
}

const DIAGONAL: [[i64; 2]; 2] = [[1, 1], [-1, 1]];
const SQUARE: [[i64; 2]; 2] = [[1, 0], [0, 1]];

impl Nest {
    /// Section 4.3.1: B(i, j) = (i), tiled along i + j and j - i.
    fn broadcast(s: i64) -> Nest {
        Nest { hyperplanes: DIAGONAL, sizes: [s, s], reads: vec![(vec![[1, 0]], vec![0])] }
    }

    /// Section 4.4.2: (i - 1, j - 1), (i, j - 1), (i + 1, j - 1), in the same tiles.
    fn jacobi(s: i64) -> Nest {
        let read = |p: i64| (SQUARE.to_vec(), vec![p, -1]);
        Nest { hyperplanes: DIAGONAL, sizes: [s, s], reads: vec![read(-1), read(0), read(1)] }
    }

    /// `{ T[t0, t1] -> c[x0] }`: the footprints, by sets.
    fn footprints(&self, isl: &Context) -> Map {
        let n = self.reads[0].1.len();
        let subscripts: Vec<String> = (0..n).map(|k| format!("x{k}")).collect();
        let sum = |row: &[i64; 2]| format!("{}*i + {}*j", row[0], row[1]);
        let tile = |k: usize| {
            let (size, value) = (self.sizes[k], sum(&self.hyperplanes[k]));
            format!("{size}*t{k} <= {value} < {size}*t{k} + {size}")
        };
        let read = |(rows, constants): &(Vec<[i64; 2]>, Vec<i64>)| {
            let equal: Vec<String> = rows
                .iter()
                .zip(constants)
                .enumerate()
                .map(|(k, (row, constant))| format!("x{k} = {} + {constant}", sum(row)))
                .collect();
            let inside = [tile(0), tile(1), equal.join(" and ")].join(" and ");
            format!("T[t0, t1] -> c[{}] : exists i, j : {inside}", subscripts.join(", "))
        };
        let all: Vec<String> = self.reads.iter().map(read).collect();
        isl.parse_map(&format!("{{ {} }}", all.join("; "))).unwrap()
    }

    fn tile_of(&self, x: [i64; 2]) -> Point {
        let of = |k: usize| (self.hyperplanes[k][0] * x[0] + self.hyperplanes[k][1] * x[1]).div_euclid(self.sizes[k]);
        vec![of(0), of(1)]
    }

    /// The footprints of all tiles with indices between -`reach` and `reach`, by enumeration of the iterations.
    fn enumerated(&self, reach: i64) -> BTreeMap<Point, BTreeSet<Point>> {
        let mut found: BTreeMap<Point, BTreeSet<Point>> = BTreeMap::new();
        let far = (reach + 2) * self.sizes[0].max(self.sizes[1]);
        for x in (-far..=far).flat_map(|i| (-far..=far).map(move |j| [i, j])) {
            let tile = self.tile_of(x);
            if tile.iter().all(|index| index.abs() <= reach) {
                let cell = |(rows, constants): &(Vec<[i64; 2]>, Vec<i64>)| -> Point {
                    rows.iter().zip(constants).map(|(row, c)| row[0] * x[0] + row[1] * x[1] + c).collect()
                };
                found.entry(tile).or_default().extend(self.reads.iter().map(cell));
            }
        }
        found
    }
}

/// Cells with the tiles that use them, of one class.
type Counted = BTreeMap<BTreeSet<Point>, BTreeSet<Point>>;

/// The cells of `own` by the tiles that have them: users to cells.
fn counted(own: &BTreeSet<Point>, footprints: &BTreeMap<Point, BTreeSet<Point>>) -> Counted {
    let mut found = Counted::new();
    for cell in own {
        let users = footprints.iter().filter(|(_, cells)| cells.contains(cell)).map(|(tile, _)| tile.clone()).collect();
        found.entry(users).or_default().insert(cell.clone());
    }
    found
}

/// All points, by trying those of the box around them.
fn points(set: &Set) -> BTreeSet<Point> {
    let (low, high) = cells::bounds(set).unwrap().unwrap();
    let all = low.iter().zip(&high).fold(vec![vec![]], |all: Vec<Point>, (low, high)| {
        all.iter().flat_map(|p| (*low..=*high).map(move |x| p.iter().copied().chain([x]).collect())).collect()
    });
    all.into_iter().filter(|point| cells::of_box(set, point, point).unwrap().is_subset(set).unwrap()).collect()
}

fn moved(points: &BTreeSet<Point>, by: &[i64]) -> BTreeSet<Point> {
    points.iter().map(|point| point.iter().zip(by).map(|(x, by)| x + by).collect()).collect()
}

fn sizes(classes: impl IntoIterator<Item = BTreeSet<Point>>) -> Vec<usize> {
    classes.into_iter().map(|class| class.len()).collect()
}

fn mars(relations: &[Map]) -> Mars {
    Mars::new(relations).unwrap().unwrap_or_else(|refusal| panic!("{refusal:?}"))
}

fn refused(relations: &[Map]) -> Reason {
    Mars::new(relations).unwrap().expect_err("refused").reason
}

/// The classes of what a relation's tile moves, where they lie.
fn classes_of(mars: &Mars, relation: usize) -> BTreeSet<BTreeSet<Point>> {
    mars.relations[relation]
        .instances()
        .map(|(block, class)| moved(&points(&mars.block[*class].class.cells), block))
        .collect()
}

/// The classes of a tile's footprint are those that enumeration of all tiles nearby gives, and the runs are those of its
/// addresses.
fn holds(nest: &Nest) -> Mars {
    let isl = Context::new().unwrap();
    let map = nest.footprints(&isl);
    let mars = mars(std::slice::from_ref(&map));
    let footprints = nest.enumerated(4);
    let part = &mars.relations[0];
    let (own, cells) = (&footprints[&part.tile], points(&part.cells));
    // The part is that of the tile, moved near the origin.
    let by: Point = cells.first().unwrap().iter().zip(own.first().unwrap()).map(|(to, from)| to - from).collect();
    assert_eq!(moved(own, &by), cells);
    let expected: BTreeSet<BTreeSet<Point>> =
        counted(own, &footprints).values().map(|class| moved(class, &by)).collect();
    assert_eq!(classes_of(&mars, 0), expected, "classes of {map}");
    let of_the_tile = super::footprint::image(&map, &map.domain().unwrap(), &part.tile).unwrap();
    let exact: BTreeSet<BTreeSet<Point>> = of_tile(&of_the_tile, &map).unwrap().iter().map(points).collect();
    assert_eq!(exact, counted(own, &footprints).into_values().collect(), "classes of a tile of {map}");
    runs_are_those_of_the_addresses(&mars);
    mars
}

/// Addresses in a memory that is written out: blocks in a line along [`super::Order::along`], and every line far from all others.
fn runs_are_those_of_the_addresses(mars: &Mars) {
    let size = mars.block_places() as i64;
    let base = |block: &[i64]| -> i64 {
        let Some(along) = &mars.order.along else { return 0 };
        let column = along.iter().position(|entry| *entry != 0).unwrap();
        let steps = block[column].div_euclid(along[column]);
        let line = block.iter().zip(along).map(|(own, along)| own - steps * along);
        line.fold(0, |line, rest| line * 1009 + rest) * 1_000_003 + steps * size
    };
    let places = |place: &Place, block: &[i64]| -> Vec<i64> {
        let start = base(block) + place.offset as i64;
        (start..start + place.places as i64).collect()
    };
    for part in &mars.relations {
        let taken: BTreeSet<i64> =
            part.instances().flat_map(|(block, class)| places(&mars.block[*class], block)).collect();
        let starts: BTreeSet<i64> = taken.iter().copied().filter(|place| !taken.contains(&(place - 1))).collect();
        let length = |start: i64| (start..).take_while(|place| taken.contains(place)).count() as u64;
        let expected: BTreeSet<(i64, u64)> = starts.into_iter().map(|start| (start, length(start))).collect();
        let runs = part.runs.iter().map(|run| (base(&run.instances[0].0) + run.offset as i64, run.length));
        assert_eq!(runs.collect::<BTreeSet<_>>(), expected);
    }
}

/// Section 4.3.1 for even s: the three sets that it prints at tile (i0, i1), s (i0 - i1 - 1) < 2 i < s (i0 - i1),
/// 2 i = s (i0 - i1), and s (i0 - i1) < 2 i < s (i0 - i1 + 1); at s = 2 only the one in the middle has a cell. All of them are one
/// run, as they are in rows.
#[test]
fn one_affine_dependence() {
    for s in [2, 4, 6, 8, 12] {
        let mars = holds(&Nest::broadcast(s));
        let classes = classes_of(&mars, 0);
        let middle = (-s..=s).find(|i| classes.iter().any(|class| class.len() == 1 && class.contains(&vec![*i])));
        let middle = if s == 4 { points(&mars.relations[0].cells).iter().nth(1).unwrap()[0] } else { middle.unwrap() };
        let open = |first: i64, last: i64| -> BTreeSet<Point> { (first + 1..last).map(|i| vec![i]).collect() };
        let paper = [open(middle - s / 2, middle), open(middle - 1, middle + 1), open(middle, middle + s / 2)];
        assert_eq!(classes, paper.iter().filter(|class| !class.is_empty()).cloned().collect(), "s = {s}");
        let expected = if s == 2 { vec![1] } else { vec![s as usize / 2 - 1, 1, s as usize / 2 - 1] };
        assert_eq!(sizes(classes), expected, "s = {s}");
        assert_eq!(mars.relations[0].steps, [Some(vec![s / 2]), Some(vec![-s / 2])]);
        // The first class is the last one of another tile: a block has one of them.
        assert_eq!(mars.block.len(), expected.len().min(2), "s = {s}");
        assert_eq!(mars.relations[0].runs.len(), 1, "s = {s}");
    }
}

/// Odd s, of which section 4.3.1 says nothing: tiles (i0, i1) have three classes where i0 - i1 is even and two where it is odd
/// (counted), so that footprints are no translations of each other, and Proposition 4.1 fails.
#[test]
fn odd_sizes_are_refused() {
    let isl = Context::new().unwrap();
    for (s, even, odd) in
        [(3, vec![1, 1, 1], vec![1, 1]), (5, vec![2, 1, 2], vec![2, 2]), (7, vec![3, 1, 3], vec![3, 3])]
    {
        let nest = Nest::broadcast(s);
        let map = nest.footprints(&isl);
        assert_eq!(refused(std::slice::from_ref(&map)), Reason::NotIntegral { dimension: 0, tiles: 2, step: vec![s] });
        let footprints = nest.enumerated(4);
        for (tile, expected) in [([0, 0], &even), ([1, 0], &odd), ([1, 1], &even), ([0, -1], &odd)] {
            let own = super::footprint::image(&map, &map.domain().unwrap(), &tile).unwrap();
            let classes: BTreeSet<BTreeSet<Point>> = of_tile(&own, &map).unwrap().iter().map(points).collect();
            let by_enumeration = counted(&footprints[&tile.to_vec()], &footprints);
            assert_eq!(classes, by_enumeration.into_values().collect(), "s = {s}, tile {tile:?}");
            assert_eq!(sizes(classes), *expected, "s = {s}, tile {tile:?}");
        }
    }
}

/// Section 4.4.2, Jacobi 1D: the seven tiles P(t) that the paper lists; 11 classes (Fig. 7; counted for these s), of which 7
/// have cells outside of the tile (Fig. 8; counted). Six for s = 2.
#[test]
fn uniformly_intersecting_dependences() {
    for (s, expected, outside) in
        [(2, 6, None), (4, 11, Some(7)), (6, 11, Some(7)), (8, 11, Some(7)), (12, 11, Some(7))]
    {
        let nest = Nest::jacobi(s);
        let mars = holds(&nest);
        let classes = classes_of(&mars, 0);
        assert_eq!(classes.len(), expected, "s = {s}");
        let [Some(first), Some(second)] = &mars.relations[0].steps[..] else { panic!("no steps") };
        assert_eq!((first, second), (&vec![s / 2, s / 2], &vec![-s / 2, s / 2]));
        let Some(outside) = outside else { continue };
        // Users in indices of tiles: the paper's P.
        let index = |v: &Point| vec![(v[0] + v[1]) / s, (v[1] - v[0]) / s];
        let mut users = BTreeSet::new();
        for (block, class) in mars.relations[0].instances() {
            let of_block = mars.block[*class].class.users.iter();
            users.extend(of_block.map(|(_, offset)| index(&offset.iter().zip(block).map(|(o, b)| o + b).collect())));
        }
        let paper = [[0, 0], [-1, 0], [0, 1], [-1, 1], [1, 0], [0, -1], [1, -1]];
        assert_eq!(users, paper.iter().map(|tile| tile.to_vec()).collect(), "s = {s}");
        // Cells and iterations are one space here; the tile is the one whose cells the middle read takes, a step of j later.
        let footprints = nest.enumerated(3);
        let tile = &mars.relations[0].tile;
        let classes = counted(&footprints[tile], &footprints);
        let has_others = |class: &&BTreeSet<Point>| class.iter().any(|x| nest.tile_of([x[0], x[1]]) != *tile);
        assert_eq!(classes.values().filter(has_others).count(), outside, "s = {s}");
    }
}

/// Odd s: 9 classes, and at s = 3 nine or eight from tile to tile (counted).
#[test]
fn jacobi_in_tiles_of_odd_sizes_is_refused() {
    let isl = Context::new().unwrap();
    for (s, expected) in [(3, [9, 8]), (5, [9, 9]), (7, [9, 9])] {
        let nest = Nest::jacobi(s);
        let map = nest.footprints(&isl);
        assert_eq!(
            refused(std::slice::from_ref(&map)),
            Reason::NotIntegral { dimension: 0, tiles: 2, step: vec![s, s] }
        );
        let footprints = nest.enumerated(4);
        for (tile, expected) in [[0, 0], [1, 0]].into_iter().zip(expected) {
            let own = super::footprint::image(&map, &map.domain().unwrap(), &tile).unwrap();
            let classes: BTreeSet<BTreeSet<Point>> = of_tile(&own, &map).unwrap().iter().map(points).collect();
            assert_eq!(classes, counted(&footprints[&tile.to_vec()], &footprints).into_values().collect());
            assert_eq!(classes.len(), expected, "s = {s}, tile {tile:?}");
        }
    }
}

/// Section 4.6, and [7] for uniform dependences: what a tile of Jacobi 1D leaves to others, in classes by the tiles that load
/// them. Sizes and readers are counted.
#[test]
fn intermediate_results() {
    let isl = Context::new().unwrap();
    for s in [4, 6, 8, 12] {
        let nest = Nest::jacobi(s);
        let all = nest.footprints(&isl);
        let own = Nest { reads: vec![(SQUARE.to_vec(), vec![0, 0])], ..nest }.footprints(&isl);
        let load = all.subtract(&own).unwrap().coalesce().unwrap();
        let store = own.intersect_range(&load.range().unwrap()).unwrap().coalesce().unwrap();
        let mars = mars(&[load, store]);
        let index = |v: &Point| [(v[0] + v[1]) / s, (v[1] - v[0]) / s];
        let found: BTreeSet<(BTreeSet<[i64; 2]>, u64)> = mars.relations[1]
            .instances()
            .map(|(_, class)| {
                let place = &mars.block[*class];
                // One tile stores the class; its readers are so far from there.
                let stores: Vec<&Point> = place.class.users.iter().filter(|(r, _)| *r == 1).map(|(_, v)| v).collect();
                let [stored] = stores[..] else { panic!("{stores:?}") };
                // Both parts were moved near the origin.
                let at = |v: &Point, relation: usize| -> Point {
                    v.iter().zip(&mars.relations[relation].base).map(|(v, base)| v - base).collect()
                };
                let stored = at(stored, 1);
                let apart =
                    |v: &Point| index(&at(v, 0).iter().zip(&stored).map(|(load, store)| load - store).collect());
                (place.class.users.iter().filter(|(r, _)| *r == 0).map(|(_, v)| apart(v)).collect(), place.cells)
            })
            .collect();
        assert_eq!(mars.relations[0].tile, mars.relations[1].tile);
        let shift = |tiles: &[[i64; 2]]| -> BTreeSet<[i64; 2]> { tiles.iter().copied().collect() };
        let side = s as u64 - 2;
        let expected = BTreeSet::from([
            (shift(&[[0, 1]]), side),
            (shift(&[[0, 1], [1, 0]]), 1),
            (shift(&[[0, 1], [1, 0], [1, 1]]), 1),
            (shift(&[[1, 0]]), side),
        ]);
        assert_eq!(found, expected, "s = {s}");
        runs_are_those_of_the_addresses(&mars);
    }
}

/// Fig. 9: B1 = i - j and B2 = i + j have different null spaces, and the footprints different shapes, in square tiles as in
/// tiles along both.
#[test]
fn several_null_spaces_are_refused() {
    let isl = Context::new().unwrap();
    let reads = || vec![(vec![[1, -1]], vec![0]), (vec![[1, 1]], vec![0])];
    for (hyperplanes, size) in [(SQUARE, 4), (SQUARE, 5), (DIAGONAL, 4), (DIAGONAL, 6)] {
        let map = Nest { hyperplanes, sizes: [size, size], reads: reads() }.footprints(&isl);
        let reason = refused(&[map]);
        assert!(matches!(reason, Reason::NotShiftInvariant { .. }), "{hyperplanes:?} {size}: {reason:?}");
    }
}

/// Proposition 4.3 wants an integer m with m ((A n_j) . d_k) d_k = d_k for all j and k. With A = I and rectangular tiles, n_1 . d_2 is
/// 0 and there is none, but every tile reads the cells of one tile, which are one class.
#[test]
fn a_dependence_between_rectangular_tiles_has_classes() {
    let (first, second) = (4, 6);
    let normals = [[first, 0], [0, second]];
    let dot = |one: [i64; 2], other: [i64; 2]| one[0] * other[0] + one[1] * other[1];
    let holds_for = |j: usize, k: usize| (-100..=100).any(|m| m * dot(normals[j], normals[k]) == 1);
    assert!(!holds_for(0, 1));
    let nest = Nest { hyperplanes: SQUARE, sizes: [first, second], reads: vec![(SQUARE.to_vec(), vec![0, 0])] };
    let mars = holds(&nest);
    assert_eq!(sizes(classes_of(&mars, 0)), [24]);
    assert_eq!((mars.block.len(), mars.block[0].is_box(), mars.relations[0].runs.len()), (1, true, 1));
}

/// A row of tiles that read a cell beyond each end, and a second relation that moves in other steps.
#[test]
fn relations_in_other_steps_are_refused() {
    let isl = Context::new().unwrap();
    let by = |size: i64| isl.parse_map(&format!("{{ T[t] -> c[x] : {size}*t <= x < {size}*t + {size} }}")).unwrap();
    for relations in [[by(8), by(4)], [by(4), by(8)]] {
        let refusal = Mars::new(&relations).unwrap().expect_err("refused");
        assert_eq!((refusal.relation, refusal.reason), (1, Reason::Steps));
    }
    let wider = isl.parse_map("{ T[t] -> c[x] : 8t - 1 <= x <= 8t + 8 }").unwrap();
    let mars = mars(&[by(8), wider]);
    assert_eq!(mars.block.iter().map(|place| place.cells).collect::<BTreeSet<_>>(), BTreeSet::from([1, 6]));
    assert_eq!(mars.relations.iter().map(|part| part.runs.len()).collect::<Vec<_>>(), [1, 1]);
    runs_are_those_of_the_addresses(&mars);
}

/// Three tiles, the outer ones with other cells, are refused as too few; of five, the one in the middle is the rule.
#[test]
fn tiles_at_borders() {
    let isl = Context::new().unwrap();
    let of = |tiles: i64| {
        let text = format!(
            "{{ T[t] -> c[x] : 0 < t < {tiles} - 1 and 8t <= x < 8t + 8; T[0] -> c[x] : 0 <= x < 6; T[t] -> c[x] : t = {tiles} - 1 and \
             8t <= x < 8t + 2 }}"
        );
        isl.parse_map(&text).unwrap()
    };
    assert_eq!(refused(&[of(3)]), Reason::FewTiles { dimension: 0, tiles: 3 });
    assert_eq!(mars(&[of(5)]).block[0].cells, 8);
}
