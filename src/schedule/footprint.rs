//! The box model: what the tiles of a band touch, in closed form.
//!
//! A subscript is a linear expression in the dimensions of θ plus whatever loops θ leaves inside the tile; in a box of
//! extents `e_k` it takes `1 + Σ |c_k| (e_k - 1) + rest` values. Everything is evaluated at one choice of the size
//! parameters.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};

use super::BandPlan;
use crate::affine::Affine;
use crate::ids::{ArrayId, StatementId};
use crate::offload::{memory, power_of_two};
use crate::polyhedral::isl::Set;
use crate::polyhedral::{DependenceKind, Program, Statement};
use crate::source::kernel::Kernel;

/// The model of one band at one choice of the size parameters.
pub struct Footprint<'a> {
    pub arrays: Vec<ArrayModel>,
    statements: Vec<Run<'a>>,
    /// The size parameters.
    sizes: &'a BTreeMap<String, i64>,
}

/// A statement with its values at the chosen sizes.
struct Run<'a> {
    statement: &'a Statement,
    theta: &'a [Affine],
    iterators: BTreeMap<String, Interval>,
}

/// What a band does with one array.
pub struct ArrayModel {
    /// Index into `Kernel::arrays`.
    pub array: ArrayId,
    element_bytes: f64,
    element_bits: f64,
    /// Copies of the buffer.
    copies: f64,
    /// Upper bound of the number of values per subscript.
    extents: Vec<f64>,
    groups: Vec<Group>,
}

/// References whose subscripts have equal linear parts.
struct Group {
    /// `None` for a subscript that is not affine: it takes all values of its extent.
    subscripts: Vec<Option<Linear>>,
    read: bool,
    written: bool,
    /// Per read reference that an earlier statement's write may serve: the dimensions in which that write
    /// has one place only. A strip needs no load where all of them lie in the strip's tiles as a whole.
    covered: Option<Vec<usize>>,
}

#[derive(Clone)]
struct Linear {
    /// Per dimension of θ.
    coefficients: Vec<f64>,
    /// Values that loops inside the tile add.
    inside: f64,
    /// What those loops give where they are least.
    begin: f64,
    lowest: f64,
    highest: f64,
}

/// The number of values of one dimension of θ, see [`Footprint::ranges`].
pub struct Range {
    /// Per earlier dimension.
    coefficients: Vec<f64>,
    inside: f64,
}

impl Range {
    /// With the earlier dimensions in a box.
    pub fn values(&self, box_extents: &[f64]) -> f64 {
        let spread: f64 = self.coefficients.iter().zip(box_extents).map(|(c, e)| c * (e - 1.0)).sum();
        1.0 + spread + self.inside
    }

    /// Tiles of `size` that these values meet. Where the dimension is skewed, they begin anywhere in a tile.
    pub fn tiles(&self, box_extents: &[f64], size: f64) -> f64 {
        let values = self.values(box_extents);
        match self.coefficients.iter().all(|c| *c == 0.0) {
            true => (values / size).ceil(),
            false => (values - 1.0) / size + 1.0,
        }
    }
}

impl Linear {
    fn extent(&self, box_extents: &[f64]) -> f64 {
        let spread: f64 = self.coefficients.iter().zip(box_extents).map(|(c, e)| c.abs() * (e - 1.0)).sum();
        1.0 + spread + self.inside + self.highest - self.lowest
    }
}

/// A closed interval of an iterator's values.
type Interval = (i64, i64);

impl<'a> Footprint<'a> {
    pub fn new(
        program: &'a Program,
        kernel: &Kernel,
        plan: &'a BandPlan,
        sizes: &'a BTreeMap<String, i64>,
    ) -> Result<Self> {
        let mut footprint = Footprint { arrays: vec![], statements: vec![], sizes };
        for (&number, theta) in plan.statements.iter().zip(&plan.theta) {
            let statement = &program.statements[number];
            let Some(iterators) = iterators(&statement.domain, &statement.iterators, sizes)? else {
                continue;
            };
            let solved = Solved::new(&statement.iterators, theta.iter(), &iterators);
            for access in &statement.accesses {
                let model = footprint.array(kernel, access.array, sizes);
                // isl has others where iterators are equal: `d[k][j]` for the `d[i][j]` of an iteration with i = k.
                let functions = match &access.subscripts {
                    Some(written) => Some(written.clone()),
                    None => access.may.affine_outputs(&statement.iterators)?,
                };
                let subscripts = match functions {
                    Some(functions) => functions.iter().map(|f| Some(solved.linear(f, sizes))).collect(),
                    None => {
                        let linear = |dimension| solved.rounded(kernel, access.written.get(dimension)?, sizes);
                        (0..model.extents.len()).map(linear).collect()
                    }
                };
                let covered = match access.write {
                    true => None,
                    false => covered(program, plan, number, access.array)?,
                };
                model.add(subscripts, access.write, covered);
            }
            footprint.statements.push(Run { statement, theta, iterators });
        }
        Ok(footprint)
    }

    /// How many values each dimension of θ has, once those before it in `order` are inside a box: for θ = (t, i + t)
    /// the second has as many as i, and one more per further value of t. Statements that run through it one after the
    /// other, as one does that is shifted by a size, have the values of all.
    pub fn ranges(&self, order: &[usize]) -> Vec<Range> {
        let of = |position: usize| {
            let mut range = Range { coefficients: vec![0.0; order.len()], inside: 0.0 };
            // Of the statements whose values move alike with the dimensions before, the lowest and the highest value.
            let mut spans: Vec<(Vec<f64>, f64, f64)> = vec![];
            for run in &self.statements {
                let before = order[..position].iter().map(|k| &run.theta[*k]);
                let solved = Solved::new(&run.statement.iterators, before, &run.iterators);
                let row = solved.linear(&run.theta[order[position]], self.sizes);
                for (known, new) in range.coefficients.iter_mut().zip(&row.coefficients) {
                    *known = known.max(new.abs());
                }
                let low = row.lowest + row.begin;
                let high = low + row.inside;
                match spans.iter_mut().find(|(coefficients, _, _)| *coefficients == row.coefficients) {
                    Some((_, lowest, highest)) => (*lowest, *highest) = (lowest.min(low), highest.max(high)),
                    None => spans.push((row.coefficients, low, high)),
                }
            }
            range.inside = spans.iter().map(|(_, low, high)| high - low).fold(0.0, f64::max);
            range
        };
        (0..order.len()).map(of).collect()
    }

    fn array(&mut self, kernel: &Kernel, array: ArrayId, sizes: &BTreeMap<String, i64>) -> &mut ArrayModel {
        let position = self.arrays.iter().position(|a| a.array == array).unwrap_or_else(|| {
            let declared = &kernel.arrays[array];
            let extent = |e: &Affine| e.evaluate(|name| sizes.get(name).copied().unwrap_or(1)).max(1) as f64;
            self.arrays.push(ArrayModel {
                array,
                element_bytes: declared.element.bytes() as f64,
                element_bits: declared.element.bits as f64,
                copies: kernel.least_copies(array) as f64,
                extents: declared.extents.iter().map(extent).collect(),
                groups: vec![],
            });
            self.arrays.len() - 1
        });
        &mut self.arrays[position]
    }
}

impl ArrayModel {
    fn add(&mut self, subscripts: Vec<Option<Linear>>, write: bool, covered: Option<Vec<usize>>) {
        let same = |a: &Option<Linear>, b: &Option<Linear>| match (a, b) {
            (Some(a), Some(b)) => a.coefficients == b.coefficients,
            (None, None) => true,
            _ => false,
        };
        let group = self.groups.iter_mut().find(|g| g.subscripts.iter().zip(&subscripts).all(|(a, b)| same(a, b)));
        let Some(group) = group else {
            self.groups.push(Group { subscripts, read: !write, written: write, covered });
            return;
        };
        for (known, new) in group.subscripts.iter_mut().zip(&subscripts) {
            if let (Some(known), Some(new)) = (known, new) {
                known.inside = known.inside.max(new.inside);
                known.lowest = known.lowest.min(new.lowest);
                known.highest = known.highest.max(new.highest);
            }
        }
        if !write {
            group.covered = match (group.read, group.covered.take(), covered) {
                (false, _, new) => new,
                (true, Some(mut known), Some(new)) => {
                    known.extend(new);
                    Some(known)
                }
                _ => None,
            };
        }
        group.read |= !write;
        group.written |= write;
    }

    /// Bytes loaded and bytes stored in a box of θ; `whole` tells in which dimensions the box has all tiles.
    pub fn bytes(&self, box_extents: &[f64], whole: impl Fn(usize) -> bool) -> (f64, f64) {
        let cells = |group: &Group| -> f64 {
            let subscripts = group.subscripts.iter().zip(&self.extents);
            subscripts.map(|(s, all)| s.as_ref().map_or(*all, |s| s.extent(box_extents).min(*all))).product()
        };
        let is_loaded =
            |g: &&Group| g.read && !g.covered.as_ref().is_some_and(|places| places.iter().all(|k| whole(*k)));
        let all: f64 = self.extents.iter().product();
        let loaded: f64 = self.groups.iter().filter(is_loaded).map(cells).sum();
        let stored: f64 = self.groups.iter().filter(|g| g.written).map(cells).sum();
        (loaded.min(all) * self.element_bytes, stored.min(all) * self.element_bytes)
    }

    /// Tiles of a strip whose cells live at the same time: one is computed, the next is loaded and the one before is
    /// stored.
    pub fn depth(&self) -> f64 {
        let is_read = self.groups.iter().any(|g| g.read);
        let is_written = self.groups.iter().any(|g| g.written);
        1.0 + is_read as u8 as f64 + is_written as u8 as f64
    }

    /// Whether two boxes that follow each other along a dimension may touch one cell.
    pub fn is_shared(&self, box_extents: &[f64], dimension: usize) -> bool {
        let is_near = |subscript: &Option<Linear>| {
            subscript
                .as_ref()
                .is_none_or(|own| own.coefficients[dimension].abs() * box_extents[dimension] < own.extent(box_extents))
        };
        self.groups.len() > 1 || self.groups.iter().any(|group| group.subscripts.iter().all(is_near))
    }

    /// Words of the local buffer along each subscript, for what a box of θ touches.
    /// References with different linear parts may be anywhere in the array relative to each other: then the buffer has
    /// its extent.
    fn box_words(&self, box_extents: &[f64]) -> Vec<f64> {
        let along = |position: usize| {
            let all = self.extents[position];
            let mut hull: Option<Linear> = None;
            for group in &self.groups {
                match (&mut hull, &group.subscripts[position]) {
                    (Some(known), Some(new)) if known.coefficients == new.coefficients => {
                        known.inside = known.inside.max(new.inside);
                        known.lowest = known.lowest.min(new.lowest);
                        known.highest = known.highest.max(new.highest);
                    }
                    (None, Some(new)) => hull = Some(new.clone()),
                    _ => return all,
                }
            }
            hull.map_or(all, |h| h.extent(box_extents)).min(all)
        };
        (0..self.extents.len()).map(along).collect()
    }

    /// Bits of the local buffer that holds what a box of θ touches, were its moduli exact.
    pub fn exact_bits(&self, box_extents: &[f64]) -> f64 {
        self.box_words(box_extents).into_iter().product::<f64>() * self.copies * self.element_bits
    }

    /// Bits of the local buffer that holds what a box of θ touches, with the moduli that the hardware has.
    pub fn bits(&self, box_extents: &[f64]) -> f64 {
        let words = self.box_words(box_extents);
        let mut moduli: Vec<i64> = words.into_iter().map(|words| power_of_two(words.ceil() as i64)).collect();
        let extents: Vec<Option<i64>> = self.extents.iter().map(|extent| Some(extent.ceil() as i64)).collect();
        memory::shorten(&mut moduli, &extents, |_| memory::ROWS);
        moduli.into_iter().product::<i64>() as f64 * self.copies * self.element_bits
    }
}

/// The iterators' values at `sizes`; `None` where there is no iteration.
fn iterators(
    domain: &Set,
    names: &[String],
    sizes: &BTreeMap<String, i64>,
) -> Result<Option<BTreeMap<String, Interval>>> {
    let mut domain = domain.clone();
    for (name, value) in sizes {
        domain = domain.fix_parameter(name, *value)?;
    }
    if domain.is_empty()? {
        return Ok(None);
    }
    let mut intervals = BTreeMap::new();
    for (position, name) in names.iter().enumerate() {
        let low = domain.minimum(position)?.finite();
        let high = domain.maximum(position)?.finite();
        let (Some(low), Some(high)) = (low, high) else {
            return Err(anyhow!("internal error: no representative value for the sizes that bound {name}"));
        };
        intervals.insert(name.clone(), (low, high));
    }
    Ok(Some(intervals))
}

/// The dimensions in which the one earlier write of a statement's cells has one place while the reader runs through
/// several: `{ t[i][j] = 0; for (k…) t[i][j] += …; }` has k. `None` where cells may be read before they are surely
/// written.
fn covered(program: &Program, plan: &BandPlan, reader: StatementId, array: ArrayId) -> Result<Option<Vec<usize>>> {
    let of = |kind: DependenceKind| program.dependences.iter().filter(move |d| d.kind == kind && d.array == array);
    let is_before = |flow: &&crate::polyhedral::Dependence| {
        let before = |d: &&crate::polyhedral::Dependence| d.source == reader && d.sink == flow.source;
        flow.sink == reader && flow.source != reader && !of(DependenceKind::Anti).any(|d| before(&d))
    };
    let mut writer = None;
    for flow in of(DependenceKind::Flow).filter(is_before) {
        if program.statements[flow.source].surely_writes(array)? {
            writer = Some(flow);
            break;
        }
    }
    let Some(writer) = writer else { return Ok(None) };
    let (Some(write), Some(read)) = (plan.theta_of(writer.source), plan.theta_of(reader)) else { return Ok(None) };
    let varies = |row: &Affine, statement: StatementId| {
        program.statements[statement].iterators.iter().any(|i| row.coefficient(i) != 0)
    };
    let places = (0..write.len()).filter(|k| !varies(&write[*k], writer.source) && varies(&read[*k], reader));
    Ok(Some(places.collect()))
}

/// A statement's iterators in terms of θ and of the iterators that θ leaves free.
struct Solved {
    /// Per iterator: coefficients of θ's dimensions, then of the free iterators.
    rows: BTreeMap<String, (Vec<f64>, BTreeMap<String, f64>)>,
    /// The lowest and the highest value of each.
    iterators: BTreeMap<String, (f64, f64)>,
    dimensions: usize,
}

impl Solved {
    fn new<'a>(
        names: &[String],
        theta: impl ExactSizeIterator<Item = &'a Affine>,
        iterators: &BTreeMap<String, Interval>,
    ) -> Self {
        let n = theta.len();
        // Each equation: θ_k as coefficients of θ minus those of the iterators = 0, solved for one iterator.
        let mut rows: BTreeMap<String, (Vec<f64>, BTreeMap<String, f64>)> = BTreeMap::new();
        for (k, row) in theta.enumerate() {
            let mut known = vec![0.0; n];
            known[k] = 1.0;
            let mut left: BTreeMap<String, f64> = BTreeMap::new();
            for name in names {
                let c = row.coefficient(name) as f64;
                match rows.get(name) {
                    Some((solved, free)) => {
                        known.iter_mut().zip(solved).for_each(|(x, s)| *x -= c * s);
                        free.iter().for_each(|(f, x)| *left.entry(f.clone()).or_default() += c * x);
                    }
                    None => *left.entry(name.clone()).or_default() += c,
                }
            }
            left.retain(|_, c| c.abs() > 1e-9);
            let Some((pivot, c)) = left.pop_last() else {
                continue;
            };
            let solved: Vec<f64> = known.iter().map(|x| x / c).collect();
            let free: BTreeMap<String, f64> = left.into_iter().map(|(f, x)| (f, -x / c)).collect();
            for (other, others_free) in rows.values_mut() {
                if let Some(x) = others_free.remove(&pivot) {
                    other.iter_mut().zip(&solved).for_each(|(o, s)| *o += x * s);
                    for (f, y) in &free {
                        *others_free.entry(f.clone()).or_default() += x * y;
                    }
                }
            }
            rows.insert(pivot, (solved, free));
        }
        let iterators =
            iterators.iter().map(|(name, (low, high))| (name.clone(), (*low as f64, *high as f64))).collect();
        Solved { rows, iterators, dimensions: n }
    }

    /// A subscript over the iterators, sizes and quotients, which are less than 1 away from what they round: `i / 2` takes half
    /// the values of i, `i % 2` two, and not those of its extent. `None` where the divisors multiply to large numbers.
    fn rounded(&self, kernel: &Kernel, written: &Affine, sizes: &BTreeMap<String, i64>) -> Option<Linear> {
        const LARGEST: i64 = 1 << 20;
        let quotient = |name: &String| kernel.quotients.iter().find(|quotient| quotient.name == *name);
        // The subscript is `value / divisor`, or up to so much less or more.
        let (mut value, mut divisor, mut less, mut more) = (written.clone(), 1i64, 0.0, 0.0);
        while let Some((found, factor)) = value.terms.iter().find_map(|(name, factor)| Some((quotient(name)?, *factor)))
        {
            let slack = (factor as f64 / divisor as f64).abs() * (found.divisor - 1) as f64 / found.divisor as f64;
            if factor > 0 || found.truncates {
                less += slack;
            }
            if factor < 0 || found.truncates {
                more += slack;
            }
            divisor = divisor.checked_mul(found.divisor).filter(|divisor| *divisor <= LARGEST)?;
            value = (value - Affine::variable(&found.name) * factor) * found.divisor + found.numerator.clone() * factor;
        }
        let mut linear = self.linear(&value, sizes);
        let divisor = divisor as f64;
        linear.coefficients.iter_mut().for_each(|coefficient| *coefficient /= divisor);
        for part in [&mut linear.inside, &mut linear.begin, &mut linear.lowest, &mut linear.highest] {
            *part /= divisor;
        }
        (linear.lowest, linear.highest) = (linear.lowest - less, linear.highest + more);
        Some(linear)
    }

    /// A subscript over the iterators and sizes.
    fn linear(&self, subscript: &Affine, sizes: &BTreeMap<String, i64>) -> Linear {
        let mut coefficients = vec![0.0; self.dimensions];
        let mut free: BTreeMap<&str, f64> = BTreeMap::new();
        let mut constant = subscript.constant as f64;
        for (name, &c) in &subscript.terms {
            let c = c as f64;
            match self.rows.get(name) {
                Some((solved, others)) => {
                    coefficients.iter_mut().zip(solved).for_each(|(x, s)| *x += c * s);
                    others.iter().for_each(|(f, x)| *free.entry(f).or_default() += c * x);
                }
                None if self.iterators.contains_key(name) => *free.entry(name).or_default() += c,
                None => constant += c * sizes.get(name).copied().unwrap_or(0) as f64,
            }
        }
        let ends = |name: &str| self.iterators.get(name).copied().unwrap_or((0.0, 0.0));
        let (mut inside, mut begin) = (0.0, 0.0);
        for (name, c) in &free {
            let (low, high) = ends(name);
            inside += c.abs() * (high - low);
            begin += (c * low).min(c * high);
        }
        Linear { coefficients, inside, begin, lowest: constant, highest: constant }
    }
}
