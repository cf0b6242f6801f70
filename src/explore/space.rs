//! The designs of a kernel: tile sizes, orders of the tiles and inside of them, strips, lanes, units, layouts of arrays and buffers per use, as
//! directives can say them, and ports of the memory.
//!
//! Everywhere the list is the same, whatever part of it somebody looks at: first what `burstc run` does, then half of the designs
//! in the order of their distance from that, and half of them spread over all others. A third of the first half are variants of what
//! is nearest: in another order inside the tiles, with arrays by tiles, with other buffers. They are seldom worth it elsewhere.

use std::collections::BTreeSet;

use anyhow::Result;

use super::{Design, Fixed, Ports};
use crate::affine::Affine;
use crate::analysis::{Analysis, Cut};
use crate::board::Board;
use crate::choose_lanes::{self, Request, UnitsRequest};
use crate::diagnostic::Span;
use crate::mars;
use crate::offload::Offload;
use crate::polyhedral::uses_apart;
use crate::source::kernel::{
    Kernel, LanesAlong, LanesDirective, OrderDirective, Schedule, Storage, TilingDirective, UnitsDirective,
};
use crate::source::{directive_text, storage_directives};

/// Ways to cut the kernel into bands that are looked at.
const CUTS: usize = 4;
/// Tile sizes of a dimension.
const LEAST: i64 = 4;
const LARGEST: i64 = 512;
/// The size of a dimension where nothing is chosen.
const USUAL: i64 = 32;
/// Dimensions whose every order is looked at; of more, each has its turn to be the last.
const PERMUTED: usize = 3;
/// Dimensions along which units are put.
const MOST_WAYS: usize = 2;
/// Arrays that are put by tiles.
const LAID_BY_TILES: usize = 3;
/// One of so many of the nearest designs is a variant.
const VARIANTS: usize = 3;
/// Designs that are put in order; with more, sizes are further apart.
const MOST: usize = 100_000;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// At most so many designs beside the first.
    pub limit: usize,
    /// Lanes that all are to have.
    pub lanes: Option<&'a Request>,
    /// Units that all are to have.
    pub units: Option<UnitsRequest>,
    /// What of the ports all are to have as the board does.
    pub ports: Fixed,
}

/// A way to cut the kernel into bands, and what was chosen for it.
struct Root {
    bands: Vec<Cut>,
    /// Pairs of dimensions of each band along which lanes may run.
    pairs: Vec<Vec<[usize; 2]>>,
    /// Dimensions of each band along which units may run.
    units: Vec<Vec<usize>>,
    /// The loops that each leaves open, with their values.
    open: Vec<Vec<Vec<Affine>>>,
    origin: Option<Vec<Origin>>,
}

/// What was chosen for a band.
struct Origin {
    /// Of the tileable dimensions, in the order of the band.
    sizes: Vec<i64>,
    /// Which of them comes first, second, …
    order: Vec<usize>,
    strip: usize,
}

/// Values of everything that can be chosen.
#[derive(Clone, Debug)]
struct Point {
    root: usize,
    /// Which of the tileable dimensions comes first, second, …
    order: Vec<usize>,
    strip: usize,
    /// Of the first, second, … tileable dimension of every band; 0 for what was chosen.
    sizes: Vec<i64>,
    lanes: Lanes,
}

/// What a design has beside tiles and lanes.
#[derive(Clone, Debug, Default)]
struct Variant {
    /// Which of the tileable dimensions is the outermost inside a tile, the next, ….
    inside: Option<Vec<usize>>,
    layouts: Vec<String>,
    uses: Option<bool>,
}

impl Variant {
    /// Those of a kernel but for the order inside the tiles: layouts that need fewer bursts in the tiles of `usual`, and the other
    /// choice of buffers.
    fn of_storage(kernel: &Kernel, usual: &Offload) -> Result<Vec<Variant>> {
        let mut all = vec![];
        let is_free = |own: &mars::Array| {
            let array = &usual.kernel.arrays[own.array];
            array.by_tiles.is_none() && array.storage == Storage::Argument && own.gains_by_tiles()
        };
        let gaining = mars::of_offload(usual)?.into_iter().filter(is_free);
        let names: Vec<String> =
            gaining.map(|own| usual.kernel.arrays[own.array].name.clone()).take(LAID_BY_TILES).collect();
        let together = (names.len() > 1).then(|| names.clone());
        let each = together.into_iter().chain(names.iter().map(|name| vec![name.clone()]));
        all.extend(each.map(|layouts| Variant { layouts, ..Variant::default() }));
        if kernel.uses.is_none() && uses_apart(kernel).is_some() {
            let is_apart = usual.kernel.arrays.iter().any(|array| array.use_of.is_some());
            all.push(Variant { uses: Some(!is_apart), ..Variant::default() });
        }
        Ok(all)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Lanes {
    One,
    Along(i64),
    /// Along one of the pairs of dimensions.
    InTwo {
        pair: usize,
        counts: [i64; 2],
    },
    /// One lane in each of so many units, along one of the dimensions.
    Units {
        along: usize,
        count: i64,
    },
}

/// The designs of `kernel`, of which `usual` is what `burstc run` makes. Its defaults are the sizes that count.
///
/// # Errors
/// As those of the analysis.
pub fn designs(kernel: &Kernel, usual: &Offload, board: &Board, wanted: Wanted) -> Result<Vec<Design>> {
    let analysis = Analysis::new(kernel)?;
    let roots = roots(&analysis, usual)?;
    let most = choose_lanes::most_lanes(usual, board);
    let others = Ports::choices(board, wanted.ports);
    // The board's own ports first, as those of the usual design.
    let ports: Vec<(u32, Option<Ports>)> = std::iter::once((0, None))
        .chain(others.into_iter().map(|own| (Ports::of(board).map_or(0, |usual| own.distance(usual)), Some(own))))
        .collect();
    // What burstc chooses behind other ports, and points behind all of them.
    let mut points: Vec<(u32, Option<Point>, Option<Ports>)> =
        ports.iter().skip(1).map(|(distance, own)| (*distance, None, *own)).collect();
    for (number, root) in roots.iter().enumerate() {
        let all = root.points(number, most, MOST / roots.len() / ports.len());
        for point in all.into_iter().filter(|point| is_wanted(root, point, &wanted)) {
            let distance = root.distance(&point, usual) + 2 * number as u32;
            points.extend(ports.iter().map(|(more, own)| (distance + more, Some(point.clone()), *own)));
        }
    }
    // Points of one distance keep their order.
    points.sort_by_key(|(distance, ..)| *distance);
    let mut list = List {
        roots: &roots,
        kernel,
        found: vec![Design { tilings: None, ports: None, layouts: vec![], uses: None, directives: vec![] }],
        known: BTreeSet::new(),
        limit: wanted.limit,
    };
    let near = wanted.limit.div_ceil(2).min(points.len());
    let mut rest: Vec<usize> = (near..points.len()).collect();
    spread(&mut rest);
    // Variants of the nearest, those that burstc chooses tiles for first.
    let storage = Variant::of_storage(kernel, usual)?;
    let of_usual = storage.iter().map(|variant| (None, None, variant.clone()));
    let of_point = |(_, point, ports): &(u32, Option<Point>, Option<Ports>)| -> Vec<_> {
        let Some(point) = point else { return vec![] };
        let inside = roots[point.root].inside().into_iter();
        let inside = inside.map(|order| Variant { inside: Some(order), ..Variant::default() });
        let all = storage.iter().cloned().chain(inside);
        all.map(|variant| (Some(point.clone()), *ports, variant)).collect()
    };
    let mut variants = of_usual.chain(points[..near].iter().flat_map(of_point));
    let mut nearest = 0..near;
    'near: for turn in 1.. {
        if list.found.len() > near {
            break;
        }
        if turn % VARIANTS == 0 {
            // What is no other design than the one before is none.
            for (point, ports, variant) in variants.by_ref() {
                if list.add(point.as_ref(), ports, &variant) {
                    continue 'near;
                }
            }
        }
        match nearest.next() {
            Some(place) => drop(list.add(points[place].1.as_ref(), points[place].2, &Variant::default())),
            None => break,
        }
    }
    for place in nearest.chain(rest) {
        list.add(points[place].1.as_ref(), points[place].2, &Variant::default());
    }
    let List { found, .. } = list;
    Ok(found)
}

/// The designs so far.
struct List<'a> {
    roots: &'a [Root],
    kernel: &'a Kernel,
    found: Vec<Design>,
    known: BTreeSet<Vec<String>>,
    /// At most so many beside the first.
    limit: usize,
}

impl List<'_> {
    /// Adds a design, if there is such a one, there is none like it, and there is room for it.
    fn add(&mut self, point: Option<&Point>, ports: Option<Ports>, variant: &Variant) -> bool {
        let tilings = match point {
            None => None,
            Some(point) => match self.roots[point.root].tilings(point, variant.inside.as_deref()) {
                None => return false,
                tilings => tilings,
            },
        };
        let Variant { layouts, uses, .. } = variant.clone();
        let pasted = tilings.iter().flatten().map(|tiling| directive_text(tiling, self.kernel));
        let pasted = pasted.chain(storage_directives(&layouts, uses));
        let directives: Vec<String> = ports.map(Ports::text).into_iter().chain(pasted).collect();
        if self.found.len() > self.limit || directives.is_empty() || !self.known.insert(directives.clone()) {
            return false;
        }
        self.found.push(Design { tilings, ports, layouts, uses, directives });
        true
    }
}

/// Puts values in an order in which every beginning is spread evenly over all of them: by their places, read backwards in bits.
fn spread(values: &mut Vec<usize>) {
    let (count, all) = (values.len(), values.len().next_power_of_two());
    let bits = all.trailing_zeros();
    let backwards = |k: usize| if bits == 0 { k } else { k.reverse_bits() >> (usize::BITS - bits) };
    *values = (0..all).map(backwards).filter(|place| *place < count).map(|place| values[place]).collect();
}

/// The ways to cut the kernel, first the one that `usual` has.
fn roots(analysis: &Analysis, usual: &Offload) -> Result<Vec<Root>> {
    let chosen = usual.tilings_as_written();
    let mut cuts = analysis.cuts(None)?;
    cuts.truncate(CUTS);
    let origin = |cut: &[Cut]| -> Option<Vec<Origin>> {
        let is_whole = cut.len() == chosen.len();
        cut.iter()
            .zip(&chosen)
            .map(|(band, tiling)| Origin::of(band, tiling))
            .collect::<Option<_>>()
            .filter(|_| is_whole)
    };
    if !cuts.iter().any(|cut| origin(cut).is_some()) {
        let own = chosen.iter().map(|tiling| analysis.cut_of(tiling)).collect::<Result<Option<Vec<Cut>>>>()?;
        cuts.extend(own);
    }
    let mut roots: Vec<Root> = vec![];
    for bands in cuts {
        let open =
            bands.iter().map(|band| analysis.open_loops(&band.single())).collect::<Result<Vec<Vec<Vec<Affine>>>>>()?;
        let pairs = bands.iter().zip(&open).map(|(band, open)| band.pairs(analysis.kernel(), open)).collect();
        let units = bands.iter().map(|band| analysis.unit_dimensions(&band.single(), 2)).collect();
        roots.push(Root { origin: origin(&bands), pairs, units, open, bands });
    }
    roots.sort_by_key(|root| root.origin.is_none());
    Ok(roots)
}

impl Origin {
    /// What `tiling` chooses for `band`, `None` where its θ is another.
    fn of(band: &Cut, tiling: &TilingDirective) -> Option<Origin> {
        let places = band.tileable();
        let theta = |name: &str| tiling.schedules.iter().find(|own| own.statement == name).map(|own| &own.theta);
        let mut taken: Vec<usize> = vec![];
        // Where each dimension of the band stands in the tiling's θ.
        let mut place_of = |k: usize| -> Option<usize> {
            let is_same = |place: &usize| {
                let same = |own: &crate::source::kernel::Schedule| {
                    theta(&own.statement).and_then(|theta| theta.get(*place)) == Some(&own.theta[k])
                };
                band.schedules.iter().all(same)
            };
            let place = (0..tiling.sizes.len()).find(|place| !taken.contains(place) && is_same(place))?;
            taken.push(place);
            Some(place)
        };
        let dimensions: Vec<usize> = (0..band.tileable.len()).map(&mut place_of).collect::<Option<_>>()?;
        if dimensions.len() != tiling.sizes.len() || band.schedules.len() != tiling.schedules.len() {
            return None;
        }
        // Sequential dimensions keep their places.
        if (0..dimensions.len()).any(|k| !places.contains(&k) && dimensions[k] != k) {
            return None;
        }
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|j| dimensions[places[*j]]);
        let sizes = places.iter().map(|k| tiling.sizes[dimensions[*k]]).collect();
        Some(Origin { sizes, order, strip: tiling.strip })
    }
}

impl Cut {
    /// The dimensions that are worth a tile size.
    fn tileable(&self) -> Vec<usize> {
        (0..self.tileable.len()).filter(|k| self.tileable[*k] && self.extents[*k] != Some(1)).collect()
    }

    /// Values of a dimension, as far as a tile may hold them.
    fn extent(&self, k: usize) -> i64 {
        self.extents[k].unwrap_or(LARGEST).min(LARGEST)
    }

    /// The band in tiles of one value.
    fn single(&self) -> TilingDirective {
        TilingDirective {
            schedules: self.schedules.clone(),
            sizes: vec![1; self.tileable.len()],
            strip: 1,
            lanes: None,
            units: None,
            order: None,
            span: Span::default(),
        }
    }

    /// The order inside tiles with the tileable dimensions one inside the other as `inside` has them, those that vary in a tile;
    /// where statements take turns is burstc's choice. `None` where there is only one such order.
    fn order(&self, tiling: &TilingDirective, inside: &[usize]) -> Option<OrderDirective> {
        let places = self.tileable();
        let own: Vec<usize> = inside.iter().filter_map(|j| places.get(*j)).copied().collect();
        // Where a dimension of the band stands in the tiling.
        let place = |k: usize| {
            let is_same = |p: &usize| {
                self.schedules.iter().zip(&tiling.schedules).all(|(own, other)| own.theta[k] == other.theta[*p])
            };
            (0..tiling.sizes.len()).find(is_same)
        };
        let own: Vec<usize> = own.into_iter().filter(|k| place(*k).is_some_and(|p| tiling.sizes[p] > 1)).collect();
        if own.len() < 2 || !self.is_whole {
            return None;
        }
        let date = |schedule: &Schedule| Schedule {
            statement: schedule.statement.clone(),
            theta: own.iter().map(|k| schedule.theta[*k].clone()).collect(),
        };
        Some(OrderDirective { dates: self.schedules.iter().map(date).collect(), span: Span::default() })
    }

    /// Pairs of tileable dimensions along which lanes may run, and of loops that tiles leave `open`.
    fn pairs(&self, kernel: &Kernel, open: &[Vec<Affine>]) -> Vec<[usize; 2]> {
        let places = self.tileable();
        let pairs = choose_lanes::pairs(kernel, &self.single(), open);
        let is_such = |k: &usize| *k >= self.tileable.len() || places.contains(k);
        pairs.into_iter().filter(|pair| pair.iter().all(is_such)).collect()
    }
}

impl Root {
    /// Everything that can be chosen, about `most` points of it.
    fn points(&self, root: usize, lanes: i64, most: usize) -> Vec<Point> {
        let dimensions = self.dimensions();
        let lanes = self.lanes(lanes);
        let shapes: Vec<(Vec<usize>, usize)> = (1..=dimensions.max(1))
            .flat_map(|strip| orders(dimensions, strip).into_iter().map(move |order| (order, strip)))
            .collect();
        // Sizes apart by a factor of two; of more where there are too many.
        let mut options = vec![];
        for apart in 1..10 {
            options = (0..dimensions).map(|j| self.sizes(j, apart)).collect::<Vec<_>>();
            let count: usize = options.iter().map(Vec::len).product();
            if count * shapes.len() * lanes.len() <= most {
                break;
            }
        }
        let mut points = vec![];
        for sizes in product(&options) {
            for (order, strip) in &shapes {
                points.extend(lanes.iter().map(|lanes| Point {
                    root,
                    order: order.clone(),
                    strip: *strip,
                    sizes: sizes.clone(),
                    lanes: *lanes,
                }));
            }
        }
        points.truncate(most);
        points
    }

    /// The most tileable dimensions of a band.
    fn dimensions(&self) -> usize {
        self.bands.iter().map(|band| band.tileable().len()).max().unwrap_or(0)
    }

    /// Sizes of the tileable dimensions with this number.
    fn sizes(&self, j: usize, apart: u32) -> Vec<i64> {
        let extents = self.bands.iter().filter_map(|band| band.tileable().get(j).map(|k| band.extent(*k)));
        let whole = power_of_two(extents.max().unwrap_or(1));
        let powers = |least: i64| {
            std::iter::successors(Some(whole), move |size| Some(size >> apart)).take_while(move |size| *size >= least)
        };
        let mut sizes: Vec<i64> = match whole <= 2 * LEAST {
            true => vec![1, whole],
            false => powers(LEAST).collect(),
        };
        if let Some(origin) = &self.origin {
            match &origin[..] {
                [only] => sizes.push(only.sizes[j]),
                _ => sizes.push(0),
            }
        }
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// Orders inside the tiles, of all bands whose θ tells their iterations apart.
    fn inside(&self) -> Vec<Vec<usize>> {
        let dimensions = self.bands.iter().filter(|band| band.is_whole).map(|band| band.tileable().len()).max();
        let dimensions = dimensions.unwrap_or(0);
        if dimensions > 1 { orders(dimensions, dimensions) } else { vec![] }
    }

    fn lanes(&self, most: i64) -> Vec<Lanes> {
        let counts = |least: i64| {
            std::iter::successors(Some(least), |count| Some(2 * count)).take_while(move |count| *count <= most)
        };
        let mut lanes = vec![Lanes::One];
        // Some band has none: all do without.
        let ways = self.units.iter().map(Vec::len).min().unwrap_or(0).min(MOST_WAYS);
        let most_units = most.min(UnitsDirective::MOST);
        for along in 0..ways {
            lanes.extend(counts(2).filter(|count| *count <= most_units).map(|count| Lanes::Units { along, count }));
        }
        lanes.extend(counts(2).map(Lanes::Along));
        for pair in 0..self.pairs.iter().map(Vec::len).max().unwrap_or(0) {
            for first in counts(2) {
                let second = counts(2).filter(|second| first * second <= most);
                lanes.extend(second.map(|second| Lanes::InTwo { pair, counts: [first, second] }));
            }
        }
        lanes
    }

    /// How far a point is from what was chosen: powers of two, and what else is different.
    fn distance(&self, point: &Point, usual: &Offload) -> u32 {
        let dimensions = self.dimensions();
        let widest = self.origin.iter().flatten().find(|own| own.sizes.len() == dimensions);
        let apart = |a: i64, b: i64| ((a as f64).log2() - (b as f64).log2()).abs().round() as u32;
        let mut distance = 0;
        for (j, size) in point.sizes.iter().enumerate() {
            let whole = self.sizes(j, 1).last().copied().unwrap_or(1);
            let own = widest.map_or(USUAL.min(whole), |own| own.sizes[j]);
            distance += if *size == 0 { 0 } else { apart(*size, own) };
        }
        let order = widest.map_or_else(|| (0..dimensions).collect(), |own| own.order.clone());
        distance += u32::from(order != point.order) + u32::from(widest.map_or(1, |own| own.strip) != point.strip);
        let lanes = usual.bands.iter().filter_map(|band| band.tiling.lanes).max_by_key(|lanes| lanes.count);
        let own = lanes.map_or(1, |lanes| lanes.count);
        let is_in_two = lanes.is_some_and(|lanes| lanes.along.is_some());
        let units = usual.units();
        distance
            + match point.lanes {
                Lanes::Units { count, .. } if units > 1 => apart(count, units),
                Lanes::Units { count, .. } => apart(1, own) + apart(count, 1) + 1,
                _ if units > 1 => apart(1, units),
                Lanes::One => apart(1, own),
                Lanes::Along(count) => apart(count, own) + u32::from(is_in_two),
                Lanes::InTwo { counts, .. } => apart(counts[0] * counts[1], own) + u32::from(!is_in_two),
            }
    }

    /// The point as directives; `None` where lanes have no room in its tiles.
    fn tilings(&self, point: &Point, inside: Option<&[usize]>) -> Option<Vec<TilingDirective>> {
        let bands = self.bands.iter().enumerate().map(|(b, band)| self.tiling(point, b, band));
        let mut tilings = bands.collect::<Option<Vec<_>>>()?;
        if let Some(inside) = inside {
            for (band, tiling) in self.bands.iter().zip(&mut tilings) {
                tiling.order = band.order(tiling, inside);
            }
            // Else it is the order that burstc chooses.
            tilings.iter().any(|tiling| tiling.order.is_some()).then_some(())?;
        }
        let needs = match point.lanes {
            Lanes::One | Lanes::Units { .. } => return Some(tilings),
            Lanes::Along(count) | Lanes::InTwo { counts: [count, _], .. } => count,
        };
        let has_room = |tiling: &TilingDirective| tiling.sizes.iter().any(|size| *size >= needs);
        tilings.iter().any(|tiling| tiling.lanes.is_some() && has_room(tiling)).then_some(())?;
        // Whoever asks for lanes where a band has no room for them is refused.
        for (tiling, open) in tilings.iter_mut().zip(&self.open) {
            if open.is_empty() && !has_room(tiling) {
                tiling.lanes = None;
            }
        }
        Some(tilings)
    }

    fn tiling(&self, point: &Point, b: usize, band: &Cut) -> Option<TilingDirective> {
        let places = band.tileable();
        let order: Vec<usize> = point.order.iter().copied().filter(|j| *j < places.len()).collect();
        let chosen = |j: usize| self.origin.as_ref().map_or(1, |own| own[b].sizes[j]);
        let size = |j: usize| match point.sizes[j] {
            0 => chosen(j),
            size => size.min(power_of_two(band.extent(places[j])).max(chosen(j))),
        };
        // Which of the band's dimensions stands where.
        let mut dimensions: Vec<usize> = (0..band.tileable.len()).collect();
        let mut tiling = band.single();
        for (slot, j) in places.iter().zip(&order) {
            dimensions[*slot] = places[*j];
            tiling.sizes[*slot] = size(*j);
        }
        for schedule in &mut tiling.schedules {
            let theta: Vec<Affine> = dimensions.iter().map(|k| schedule.theta[*k].clone()).collect();
            schedule.theta = theta;
        }
        // Strips run along the last dimensions, whatever these are.
        let behind = places.len().checked_sub(point.strip).and_then(|first| places.get(first));
        tiling.strip = behind.map_or(1, |first| band.tileable.len() - first);
        tiling.lanes = match point.lanes {
            Lanes::One => None,
            Lanes::Units { along, count } => {
                let own = *self.units[b].get(along)?;
                let dimension = dimensions.iter().position(|k| *k == own)?;
                (tiling.sizes[dimension] >= count).then_some(())?;
                let dimension = Some(dimension);
                tiling.units = Some(UnitsDirective { count, dimension, span: Span::default() });
                None
            }
            Lanes::Along(count) => Some(LanesDirective::new(count, Span::default())),
            Lanes::InTwo { pair, counts } => match self.pairs[b].get(pair).or(self.pairs[b].last()) {
                None => None,
                Some(pair) => {
                    // Loops that are left open stand behind those dimensions.
                    let place = |k: usize| match k < dimensions.len() {
                        true => dimensions.iter().position(|own| *own == k),
                        false => Some(k),
                    };
                    let first = LanesAlong { dimension: place(pair[0])?, count: counts[0] };
                    let second = LanesAlong { dimension: place(pair[1])?, count: counts[1] };
                    let has_room =
                        |own: &LanesAlong| tiling.sizes.get(own.dimension).is_none_or(|size| *size >= own.count);
                    let has_room = [first, second].iter().all(has_room);
                    has_room.then_some(())?;
                    Some(LanesDirective::in_two([first, second], Span::default()))
                }
            },
        };
        Some(tiling)
    }
}

/// Whether a point has the lanes and units that are asked for.
fn is_wanted(root: &Root, point: &Point, wanted: &Wanted) -> bool {
    let units = if let Lanes::Units { count, .. } = point.lanes { count } else { 1 };
    if matches!(wanted.units, Some(UnitsRequest::Count(count)) if count != units) {
        return false;
    }
    match (wanted.lanes, point.lanes) {
        (Some(Request::Count(1)), Lanes::Units { .. }) => wanted.units.is_some(),
        (None | Some(Request::Automatic | Request::Usual), _) => true,
        (Some(Request::Count(count)), Lanes::One) => *count == 1,
        (Some(Request::Count(count)), Lanes::Along(own)) => own == *count,
        (Some(Request::InTwo(along)), Lanes::InTwo { pair, counts }) => {
            let fits = |(b, band): (usize, &Cut)| {
                let is_along = |k: usize, (name, count): &(String, i64), own: i64| {
                    own == *count && choose_lanes::is_loop(&band.schedules, &root.open[b], k, name)
                };
                let Some([p, q]) = root.pairs[b].get(pair) else { return false };
                let [first, second] = along;
                is_along(*p, first, counts[0]) && is_along(*q, second, counts[1])
                    || is_along(*p, second, counts[0]) && is_along(*q, first, counts[1])
            };
            root.bands.iter().enumerate().any(fits)
        }
        _ => false,
    }
}

/// Orders of so many dimensions that differ where strips run along the last `strip`: those in front keep theirs.
fn orders(dimensions: usize, strip: usize) -> Vec<Vec<usize>> {
    let all: Vec<usize> = (0..dimensions).collect();
    if dimensions > PERMUTED {
        let last = |j: usize| all.iter().copied().filter(|k| *k != j).chain([j]).collect();
        return all.iter().rev().map(|j| last(*j)).collect();
    }
    let mut orders = permutations(&all);
    orders.retain(|order| order[..dimensions.saturating_sub(strip)].is_sorted());
    orders
}

fn permutations(values: &[usize]) -> Vec<Vec<usize>> {
    if values.is_empty() {
        return vec![vec![]];
    }
    let mut all = vec![];
    for (k, first) in values.iter().enumerate() {
        let rest: Vec<usize> = values[..k].iter().chain(&values[k + 1..]).copied().collect();
        all.extend(permutations(&rest).into_iter().map(|rest| [vec![*first], rest].concat()));
    }
    all
}

/// One of each, in all ways.
fn product(options: &[Vec<i64>]) -> Vec<Vec<i64>> {
    options.iter().fold(vec![vec![]], |all, own| {
        let with = |begin: &Vec<i64>| own.iter().map(|value| [&begin[..], &[*value]].concat()).collect::<Vec<_>>();
        all.iter().flat_map(with).collect()
    })
}

/// The smallest that is no less.
fn power_of_two(value: i64) -> i64 {
    (value.max(1) as u64).next_power_of_two() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_differ_along_the_strip() {
        assert_eq!(orders(3, 1), [[0, 1, 2], [0, 2, 1], [1, 2, 0]]);
        assert_eq!(orders(3, 3).len(), 6);
        assert_eq!(orders(1, 1), [[0]]);
        assert_eq!(orders(0, 1), [Vec::<usize>::new()]);
        assert_eq!(orders(4, 2)[1], [0, 1, 3, 2]);
    }

    #[test]
    fn what_is_spread_is_all_there_and_even_from_the_begin() {
        for count in 0..60 {
            let mut values: Vec<usize> = (0..count).collect();
            spread(&mut values);
            let begin: BTreeSet<usize> = values.iter().take(8).map(|value| value * 4 / count.max(1)).collect();
            assert!(count < 20 || begin.len() == 4, "{count}: {values:?}");
            values.sort_unstable();
            assert_eq!(values, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn products_have_one_of_each() {
        assert_eq!(product(&[vec![1, 2], vec![3]]), [[1, 3], [2, 3]]);
        assert_eq!(product(&[]), [Vec::<i64>::new()]);
    }
}
