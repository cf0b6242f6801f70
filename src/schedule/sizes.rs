//! Tile sizes: the fewest bytes moved that fit the block RAM, by the box model of [`footprint`](super::footprint).

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::BandPlan;
use super::footprint::{ArrayModel, Footprint, Range};
use crate::affine::Affine;
use crate::ids::{ArrayId, BandId, ByBand, StatementId};
use crate::polyhedral::Program;
use crate::source::kernel::Kernel;
use crate::word::Word;

/// One way to tile a band, with what it is expected to cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The band's dimensions in the order they are to have, the strip's last; sequential ones stay in front.
    pub order: Vec<usize>,
    /// The size of each, in this order; 1 for sequential ones.
    pub sizes: Vec<i64>,
    /// How many of the last dimensions a strip runs along.
    pub strip: usize,
    /// Expected bytes of DDR traffic of the whole band.
    pub bytes: f64,
    /// The same with everything else that takes time, in bytes the memory could have moved: choices with less are
    /// better.
    pub cost: f64,
    /// Upper estimate of the bits of block RAM.
    pub bits: f64,
    /// The same by array, an index into `Kernel::arrays`.
    pub buffers: BTreeMap<ArrayId, f64>,
}

impl Choice {
    /// The sizes by dimension of the band.
    pub fn shape(&self) -> Vec<i64> {
        let mut shape = vec![1; self.sizes.len()];
        self.order.iter().zip(&self.sizes).for_each(|(k, size)| shape[*k] = *size);
        shape
    }

    /// θ of the band's statements with its dimensions in this order.
    pub fn theta(&self, plan: &BandPlan) -> Vec<Vec<Affine>> {
        plan.theta.iter().map(|theta| self.order.iter().map(|k| theta[*k].clone()).collect()).collect()
    }
}

const LARGEST: i64 = 512;
/// The same where data cut rows short, of which every tile has all.
const LARGEST_CUT: i64 = 4096;
/// Cycles that a tile costs beside its words and iterations.
const TILE_CYCLES: u32 = 64;
/// Bytes that the memory moves per cycle.
const BYTES: f64 = Word::PORT.bytes() as f64;
/// The same in bytes the memory could have moved.
const TILE_OVERHEAD: f64 = (TILE_CYCLES * Word::PORT.bytes()) as f64;
/// Up to this factor more bytes are spent on larger tiles or shorter fills of the pipeline.
const TOLERANCE: f64 = 1.05;
/// About so many choices are looked at for a band, those of all orders together; each takes some microseconds.
const LOOKED_AT: f64 = 100_000.0;
/// Choices per budget.
const HANDFUL: usize = 4;
/// A tempting choice costs at most this part of the best one that fits for certain.
const TEMPTING: f64 = 0.9;
/// The least size above 1 that is looked at where strips run along several dimensions, and about how many choices.
const LEAST_LONG: i64 = 8;
const LONG_LOOKED_AT: f64 = 15_000.0;
/// Up to so many dimensions of a strip are looked at in every order.
const PERMUTED: usize = 3;

/// Ways to tile a band.
pub struct Ranked {
    /// Best first. The first few fit the budget; those that follow are for ever smaller budgets, in case the real buffers
    /// turn out larger.
    pub choices: Vec<Choice>,
    /// Better ones, best first, of which the estimate does not know whether they fit: their buffers would if no modulus
    /// were rounded to a power of two, and where tiles are cut off by the border, windows are smaller than estimated.
    pub tempting: Vec<Choice>,
    /// Of every shape that fits the budget the cheapest, by cost: where dependences stall the computation, it is not the
    /// bytes that decide.
    pub fitting: Vec<Choice>,
    /// Of those whose strips run along several dimensions and that move about as few bytes as any, the cheapest of each shape,
    /// by cost. They may fit.
    pub long: Vec<Choice>,
}

/// Ways to tile `plan` for representative values `sizes_at` of the size parameters.
pub fn rank(
    program: &Program,
    kernel: &Kernel,
    plan: &BandPlan,
    sizes_at: &BTreeMap<String, i64>,
    budget_bits: u64,
) -> Result<Ranked> {
    let mut largest = sizes_at.clone();
    for parameter in &kernel.parameters {
        largest.extend(parameter.max.map(|max| (parameter.name.clone(), max)));
    }
    let cut = cut_rows(kernel, plan, sizes_at);
    let usual = Footprint::new(program, kernel, plan, sizes_at)?;
    let largest = Footprint::new(program, kernel, plan, &largest)?;
    let serial = plan.serial();
    let n = plan.tileable.len();
    let mut all = vec![];
    for last in serial.min(n - 1)..n {
        let mut order: Vec<usize> = (0..n).filter(|k| *k != last).collect();
        order.push(last);
        let search = Search::new((&usual, &largest), &cut, order, serial, LOOKED_AT);
        search.explore(&mut vec![1; n], search.first, budget_bits as f64, &mut all);
    }
    let mut long = long((&usual, &largest), &cut, (n, serial), budget_bits as f64);
    let mut choices: Vec<Choice> = vec![];
    let mut budget = budget_bits as f64;
    let mut tempting = all.clone();
    let mut fitting: Vec<Choice> = all.iter().filter(|c| c.bits <= budget).cloned().collect();
    fitting.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    while budget >= 1.0 {
        all.retain(|c| c.bits <= budget);
        let Some(fewest) = all.iter().map(|c| c.bytes).min_by(f64::total_cmp) else {
            break;
        };
        let mut good: Vec<&Choice> = all.iter().filter(|c| c.bytes <= TOLERANCE * fewest).collect();
        good.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let new: Vec<Choice> = good.into_iter().filter(|c| !choices.contains(c)).take(HANDFUL).cloned().collect();
        choices.extend(new);
        budget /= 2.0;
    }
    if choices.is_empty() {
        // Nothing fits; the smallest tiles come closest.
        choices.push(Search::new((&usual, &largest), &cut, (0..n).collect(), serial, LOOKED_AT).evaluate(&vec![1; n]));
    }
    tempting.retain(|c| c.bits > budget_bits as f64 && c.cost <= TEMPTING * choices[0].cost);
    tempting.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    // Tiles of one shape need about the same buffers in every order.
    cheapest_of_each_shape(&mut tempting);
    cheapest_of_each_shape(&mut fitting);
    let fewest = long.iter().chain(&choices[..1]).map(|c| c.bytes).fold(f64::INFINITY, f64::min);
    long.retain(|c| c.bytes <= TOLERANCE * fewest);
    long.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    cheapest_of_each_shape(&mut long);
    Ok(Ranked { choices, tempting, fitting, long })
}

/// Choices whose strips run along several of the `n` dimensions, of which so many are serial.
fn long(models: (&Footprint, &Footprint), cut: &[CutRows], (n, serial): (usize, usize), budget: f64) -> Vec<Choice> {
    let orders: Vec<(Vec<usize>, usize)> = (2..=(n - serial).min(PERMUTED))
        .flat_map(|strip| lasts(n, serial, strip).into_iter().map(move |order| (order, strip)))
        .collect();
    let mut found = vec![];
    for (order, strip) in &orders {
        let mut search = Search::new(models, cut, order.clone(), serial, LONG_LOOKED_AT / orders.len() as f64);
        search.strip = *strip;
        search.explore(&mut vec![1; n], search.first, budget, &mut found);
    }
    found
}

/// Orders of `n` dimensions that differ in the last `count`; the serial ones stay in front.
fn lasts(n: usize, serial: usize, count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![(0..n).collect()];
    }
    let with_last = |order: Vec<usize>| -> Vec<Vec<usize>> {
        // What is moved behind all others has not been before.
        let moved = n - (count - 1);
        let place = |k: usize| order[..k].iter().chain(&order[k + 1..]).chain([&order[k]]).copied().collect();
        (serial..moved).map(place).collect()
    };
    lasts(n, serial, count - 1).into_iter().flat_map(with_last).collect()
}

/// Keeps the first choice of each shape.
fn cheapest_of_each_shape(choices: &mut Vec<Choice>) {
    let mut shapes: BTreeSet<Vec<i64>> = BTreeSet::new();
    choices.retain(|c| shapes.insert(c.shape()));
}

/// Upper estimate of the bits of block RAM for bands that are tiled so: an array has one memory, which serves all bands.
pub fn bits<'a>(choices: impl IntoIterator<Item = &'a Choice>) -> f64 {
    let mut buffers: BTreeMap<ArrayId, f64> = BTreeMap::new();
    for (array, bits) in choices.into_iter().flat_map(|c| &c.buffers) {
        let largest = buffers.entry(*array).or_default();
        *largest = largest.max(*bits);
    }
    buffers.values().sum()
}

/// A schedule with a choice for each band.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiled {
    pub plans: ByBand<BandPlan>,
    pub choices: ByBand<Choice>,
    /// What may fit instead, see [`Ranked`].
    pub tempting: ByBand<Vec<Choice>>,
    /// See [`Ranked`].
    pub fitting: ByBand<Vec<Choice>>,
    /// See [`Ranked`].
    pub long: ByBand<Vec<Choice>>,
}

impl Tiled {
    /// Expected bytes of DDR traffic.
    pub fn bytes(&self) -> f64 {
        self.choices.iter().map(|c| c.bytes).sum()
    }

    /// Upper estimate of the bits of block RAM.
    pub fn bits(&self) -> f64 {
        bits(&self.choices)
    }

    fn cost(&self) -> f64 {
        self.choices.iter().map(|c| c.cost).sum()
    }
}

/// The schedules of `candidates` with their best sizes, best first: those that fit `budget_bits` by expected time, then
/// those that do not by bits.
pub fn choose(
    program: &Program,
    kernel: &Kernel,
    candidates: Vec<ByBand<BandPlan>>,
    sizes_at: &BTreeMap<String, i64>,
    budget_bits: u64,
) -> Result<Vec<Tiled>> {
    let mut all = vec![];
    for plans in candidates {
        let ranked = plans
            .iter()
            .map(|plan| rank(program, kernel, plan, sizes_at, budget_bits))
            .collect::<Result<ByBand<Ranked>>>()?;
        all.push(fit(plans, ranked, budget_bits as f64));
    }
    let key = |tiled: &Tiled| match tiled.bits() <= budget_bits as f64 {
        true => (false, tiled.cost()),
        false => (true, tiled.bits()),
    };
    all.sort_by(|a, b| key(a).0.cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
    Ok(all)
}

/// Each band's best choice; while they do not fit together, the band with the largest buffers takes its next smaller
/// one.
fn fit(plans: ByBand<BandPlan>, ranked: ByBand<Ranked>, budget: f64) -> Tiled {
    let fitting: ByBand<_> = ranked.iter().map(|r| r.fitting.clone()).collect();
    let tempting: ByBand<_> = ranked.iter().map(|r| r.tempting.clone()).collect();
    let long: ByBand<_> = ranked.iter().map(|r| r.long.clone()).collect();
    let ranked: ByBand<_> = ranked.into_iter().map(|r| r.choices).collect();
    let mut taken: ByBand<usize> = ranked.iter().map(|_| 0).collect();
    loop {
        let choices = ranked.iter().zip(&taken).map(|(choices, t)| choices[*t].clone()).collect();
        let (tempting, fitting, long) = (tempting.clone(), fitting.clone(), long.clone());
        let tiled = Tiled { plans: plans.clone(), choices, tempting, fitting, long };
        let smaller = |band: BandId| {
            let now = ranked[band][taken[band]].bits;
            (taken[band]..ranked[band].len()).find(|next| ranked[band][*next].bits < now)
        };
        let largest = (ranked.keys())
            .filter(|band| smaller(*band).is_some())
            .max_by(|a, b| tiled.choices[*a].bits.total_cmp(&tiled.choices[*b].bits));
        match largest {
            Some(band) if tiled.bits() > budget => taken[band] = smaller(band).unwrap_or(taken[band]),
            _ => return tiled,
        }
    }
}

/// The choices with one order of dimensions.
struct Search<'a> {
    /// At the usual sizes, for the bytes.
    usual: &'a Footprint<'a>,
    ranges: Vec<Range>,
    /// At the largest sizes, for the buffers.
    largest: &'a Footprint<'a>,
    largest_ranges: Vec<Range>,
    order: Vec<usize>,
    /// By how much sizes differ that are tried: of many dimensions fewer, so that a choice takes milliseconds.
    step: i64,
    /// The first dimension whose size is chosen; the ones before have size 1, as the sequential ones have.
    first: usize,
    /// How many of the last dimensions a strip runs along.
    strip: usize,
    /// Dimensions of statements whose rows data cut short, and the part of their iterations that these leave.
    cut: Vec<CutRows>,
    /// The largest size.
    most: i64,
}

/// A statement whose rows data cut short.
#[derive(Clone)]
struct CutRows {
    /// The dimension along its rows.
    along: usize,
    /// The others that it moves with.
    across: Vec<usize>,
    share: f64,
}

/// Those of a plan.
fn cut_rows(kernel: &Kernel, plan: &BandPlan, sizes: &BTreeMap<String, i64>) -> Vec<CutRows> {
    let statements = kernel.statements();
    let of = |(&statement, theta): (&StatementId, &Vec<Affine>)| {
        let limits = kernel.limits(statements[statement])?;
        let moves = |k: &usize| theta[*k].coefficient(limits.iterator) != 0;
        let (along, others): (Vec<usize>, Vec<usize>) = (0..theta.len()).partition(moves);
        let share = limits.share(kernel, |name| sizes.get(name).copied().unwrap_or(1));
        let across = others.into_iter().filter(|k| !kernel.is_of_sizes(&theta[*k])).collect();
        (along.len() == 1).then(|| CutRows { along: along[0], across, share })
    };
    plan.statements.iter().zip(&plan.theta).filter_map(of).collect()
}

impl<'a> Search<'a> {
    /// Of strips along one dimension; about `looked_at` choices of all orders together.
    fn new(
        (usual, largest): (&'a Footprint, &'a Footprint),
        cut: &[CutRows],
        order: Vec<usize>,
        serial: usize,
        looked_at: f64,
    ) -> Self {
        let (ranges, largest_ranges) = (usual.ranges(&order), largest.ranges(&order));
        let step = if order.len() - serial > 4 { 4 } else { 2 };
        let most = if cut.is_empty() { LARGEST } else { LARGEST_CUT };
        let cut = cut.to_vec();
        let mut search =
            Search { usual, ranges, largest, largest_ranges, order, step, first: serial, strip: 1, cut, most };
        while search.choices() * (search.order.len() - serial) as f64 > looked_at {
            if search.step < search.most {
                search.step *= 2;
            } else {
                search.first += 1;
            }
        }
        search
    }

    /// How many sizes [`Search::explore`] tries at most.
    fn choices(&self) -> f64 {
        let whole = vec![self.most as f64; self.order.len()];
        let of = |position: usize| {
            let values = self.ranges[position].values(&whole).clamp(1.0, self.most as f64);
            1.0 + (values.log2() / (self.step as f64).log2()).ceil()
        };
        (self.first..self.order.len()).map(of).product()
    }

    /// All sizes of the dimensions from `position` on that fit, were nothing rounded.
    fn explore(&self, sizes: &mut Vec<i64>, position: usize, budget: f64, found: &mut Vec<Choice>) {
        if position == self.order.len() {
            found.push(self.evaluate(sizes));
            return;
        }
        loop {
            if self.bits(sizes, ArrayModel::exact_bits).values().sum::<f64>() > budget {
                break;
            }
            self.explore(sizes, position + 1, budget, found);
            let values = self.ranges[position].values(&by_order(&self.order, &self.tile(sizes)));
            if sizes[position] as f64 >= values || sizes[position] >= self.most {
                break;
            }
            sizes[position] = self.next(sizes[position]);
        }
        sizes[position] = 1;
    }

    /// The next larger size.
    fn next(&self, size: i64) -> i64 {
        match self.strip {
            1 => size * self.step,
            _ => (size * self.step).max(LEAST_LONG),
        }
    }

    /// The extents of a tile, by dimension of the band.
    fn tile(&self, sizes: &[i64]) -> Vec<f64> {
        let mut tile = vec![1.0; self.order.len()];
        for (dimension, size) in self.order.iter().zip(sizes) {
            tile[*dimension] = *size as f64;
        }
        tile
    }

    /// Bits of the buffers, by array.
    fn bits(&self, sizes: &[i64], of: fn(&ArrayModel, &[f64]) -> f64) -> BTreeMap<ArrayId, f64> {
        let tile = self.tile(sizes);
        let last = self.order.len() - 1;
        let values = self.largest_ranges[last].values(&by_order(&self.order, &tile));
        let of_array = |model: &ArrayModel| {
            let mut successive = tile.clone();
            let extent = &mut successive[self.order[last]];
            *extent = (*extent * model.depth()).min(values.max(*extent));
            // What two tiles along a dimension further out share stays while all between them run.
            for position in self.order.len() - self.strip..last {
                let dimension = self.order[position];
                let mut row = tile.clone();
                self.stretch(&mut row, position + 1, &self.largest_ranges);
                if model.is_shared(&row, dimension) {
                    let values = self.largest_ranges[position].values(&by_order(&self.order, &tile));
                    row[dimension] = (2.0 * tile[dimension]).min(values.max(tile[dimension]));
                    successive = row;
                    break;
                }
            }
            (model.array, of(model, &successive))
        };
        self.largest.arrays.iter().map(of_array).collect()
    }

    /// Makes the dimensions from `position` on as long as a strip.
    fn stretch(&self, extents: &mut [f64], position: usize, ranges: &[Range]) {
        for later in position..self.order.len() {
            let values = ranges[later].values(&by_order(&self.order, extents));
            let extent = &mut extents[self.order[later]];
            *extent = extent.max(values);
        }
    }

    /// Cycles that a tile takes for rows that data cut short: one for each, and what is left of them.
    fn cut_cycles(&self, tile: &[f64]) -> f64 {
        let of = |cut: &CutRows| {
            let rows: f64 = cut.across.iter().map(|k| tile[*k]).product();
            rows * (1.0 + cut.share * tile[cut.along])
        };
        self.cut.iter().map(of).sum()
    }

    fn evaluate(&self, sizes: &[i64]) -> Choice {
        let first = self.order.len() - self.strip;
        // Tiles at the border of the band are smaller: in the mean a tile has what the band's extent leaves it.
        let mut tile = self.tile(sizes);
        let mut whole = vec![false; tile.len()];
        let (mut strips, mut per_strip) = (1.0, 1.0);
        for (position, (&dimension, &size)) in self.order.iter().zip(sizes).enumerate() {
            let ordered = by_order(&self.order, &tile);
            let tiles = self.ranges[position].tiles(&ordered, size as f64);
            let values = self.ranges[position].values(&ordered);
            whole[dimension] = tiles <= 1.0 || position >= first;
            tile[dimension] = (values / tiles).min(size as f64);
            if position >= first {
                per_strip *= tiles;
            } else {
                strips *= tiles;
            }
        }
        let mut strip = tile.clone();
        self.stretch(&mut strip, first, &self.ranges);
        let (mut bytes, mut fill) = (0.0, 0.0);
        for model in &self.usual.arrays {
            let (loaded, stored) = model.bytes(&strip, |k| whole[k]);
            bytes += loaded + stored;
            let (first_load, last_store) = model.bytes(&tile, |k| whole[k]);
            fill += first_load.min(loaded) + last_store.min(stored);
        }
        let buffers = self.bits(sizes, ArrayModel::bits);
        Choice {
            order: self.order.clone(),
            sizes: sizes.to_vec(),
            strip: self.strip,
            bytes: strips * bytes,
            cost: strips * (bytes.max(per_strip * self.cut_cycles(&tile) * BYTES) + fill + per_strip * TILE_OVERHEAD),
            bits: buffers.values().sum(),
            buffers,
        }
    }
}

/// Extents by dimension of the band, in the order of the choice.
fn by_order(order: &[usize], extents: &[f64]) -> Vec<f64> {
    order.iter().map(|dimension| extents[*dimension]).collect()
}
