//! Lanes: values of one dimension of a tile that run side by side, and what the arrays need for that.

use std::collections::{BTreeMap, BTreeSet};

use crate::affine::Affine;
use crate::ids::ArrayId;
use crate::offload::{Reduction, is_by_data, limit_count, power_of_two};
use crate::polyhedral::MOST_APART;
use crate::polyhedral::scan::solve;
use crate::source::kernel::{Access, Kernel, LanesAlong, LanesDirective, Statement};

use super::reduction::reduction;

/// The lanes of a band.
#[derive(Clone, Debug, PartialEq)]
pub struct Lanes {
    /// Parallel to the statements of the band; `None` for one whose iterations run one by one.
    pub per_statement: Vec<Option<StatementLanes>>,
    /// Estimated cycles of each over its iterations.
    pub cycles_each: Vec<f64>,
}

/// The lanes of one statement.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementLanes {
    /// The dimension of `D` of which as many values run side by side as there are lanes, or the two of them. Another statement
    /// has them in other loops.
    pub levels: Vec<usize>,
    /// How many lie along each of them: powers of two, at least 2.
    pub counts: Vec<i64>,
    /// That dimension for people: `i`, or `i:8, j:8`.
    pub along: String,
    pub shape: LaneShape,
}

/// The subscripts of an array along which lanes access cells side by side, each with as many as they access.
pub type Axes = BTreeMap<usize, i64>;

/// Those of every array: all statements of a kernel agree on them.
pub type Banked = BTreeMap<ArrayId, Axes>;

/// What buffers have in banks for the lanes of the bands before.
#[derive(Default)]
pub struct Banking {
    pub banked: Banked,
    /// The most banks that one may have; `None` where the lanes of all bands lie along one dimension: those share banks, whatever
    /// subscripts they lie along ([`Buffer::skewed`](crate::offload::Buffer)).
    pub most: Option<i64>,
}

impl Banking {
    /// For the lanes of bands with these directives: where some lie along two dimensions, all lie in boxes of banks.
    pub fn new<'a>(lanes: impl Iterator<Item = &'a LanesDirective> + Clone) -> Banking {
        let most = lanes.clone().map(|lanes| MOST_BANKS * lanes.count).max();
        Banking { banked: Banked::new(), most: most.filter(|_| lanes.clone().any(|lanes| lanes.along.is_some())) }
    }

    /// An array of which these banks and what `own` wants are not those of one buffer.
    pub fn disagrees(&self, banked: &Banked, own: &LaneShape) -> Option<ArrayId> {
        let disagree = |(array, axes): &(&ArrayId, &Axes)| {
            let known = banked.get(*array).cloned().unwrap_or_default();
            let count = |axes: &Axes| axes.values().product::<i64>();
            let mut both = Banked::from([(**array, known.clone())]);
            join(&mut both, Banked::from([(**array, (*axes).clone())]));
            let both = &both[*array];
            let Some(most) = self.most else {
                // Lines of neighbours lie along any of several subscripts, all of one length.
                return both.values().any(|count| Some(count) != both.values().next());
            };
            count(both)
                > match own.inner_steps.is_empty() {
                    // The box of a diagonal has far more banks than lanes.
                    true if own.diagonals.contains(*array) => count(&known),
                    // Lanes along one loop are worth no more memories than those along two have.
                    true => count(&known).max(most / MOST_BANKS),
                    false => most,
                }
        };
        own.banks.iter().find(disagree).map(|(array, _)| *array)
    }
}

/// Adds banks that others need to `all`.
pub fn join(all: &mut Banked, others: Banked) {
    for (array, axes) in others {
        let own = all.entry(array).or_default();
        for (subscript, count) in axes {
            let known = own.entry(subscript).or_insert(count);
            *known = (*known).max(count);
        }
    }
}

impl Lanes {
    /// The arrays in which lanes access neighbours.
    pub fn banked(&self) -> Banked {
        let mut all = Banked::new();
        self.per_statement.iter().flatten().for_each(|own| join(&mut all, own.shape.banks.clone()));
        all
    }

    /// The most that a statement has.
    pub fn count(&self) -> i64 {
        self.per_statement.iter().flatten().map(StatementLanes::count).max().unwrap_or(1)
    }

    /// Whether those of some statement lie along two dimensions.
    pub fn is_in_two(&self) -> bool {
        self.per_statement.iter().flatten().any(|own| own.counts.len() > 1)
    }

    /// What the lanes run along, for people: `i`, or `S0 i, S1 j` for the statements `names`.
    pub fn along(&self, names: &[&str]) -> String {
        let own = || self.per_statement.iter().zip(names).filter_map(|(own, name)| Some((name, &own.as_ref()?.along)));
        match own().next() {
            Some((_, first)) if own().count() == names.len() && own().all(|(_, along)| along == first) => first.clone(),
            _ => own().map(|(name, along)| format!("{name} {along}")).collect::<Vec<_>>().join(", "),
        }
    }
}

impl StatementLanes {
    pub fn count(&self) -> i64 {
        self.counts.iter().product()
    }
}

/// So many times as many banks as lanes an array may have of lanes in two dimensions: `x[i + j]` has twice as many neighbours
/// as lanes lie along the longer of both.
pub const MOST_BANKS: i64 = 2;

/// What lanes along a dimension, or two, mean for one statement.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneShape {
    /// What each iterator gains from lane to lane; of two dimensions, along the first.
    pub steps: Vec<i64>,
    /// Along the second; none where there is one.
    pub inner_steps: Vec<i64>,
    /// The subscripts in which lanes access cells side by side, of each array that they do not access in one place.
    pub banks: Banked,
    /// Arrays of which they access cells along a diagonal, with what makes those differ in the subscript before the last one only: so
    /// many times that one, added to the last. Banks are along it then. Buffers have no such lanes as they are ([`slanted`](crate::polyhedral::slanted)).
    pub slants: BTreeMap<ArrayId, i64>,
    /// Arrays that lanes along one dimension access along a diagonal of a box of banks, which others have there already.
    pub diagonals: BTreeSet<ArrayId>,
    /// Where all lanes update one cell.
    pub reduction: Option<Reduction>,
}

impl LaneShape {
    /// `count` lanes along dimension `k` of `dimensions`, which are expressions over `iterators`. Where banks lie in boxes, diagonals lie
    /// in them, too.
    ///
    /// # Errors
    /// Why the hardware has no lanes of this shape.
    pub fn new(
        kernel: &Kernel,
        statement: &Statement,
        iterators: &[String],
        dimensions: &[Affine],
        (count, k): (i64, usize),
        in_boxes: bool,
    ) -> Result<LaneShape, String> {
        let steps = steps(iterators, dimensions, k).ok_or("its neighbours are no whole iterations apart")?;
        let accesses = accesses(kernel, statement)?;
        let mut banks = Banked::new();
        // By array, what the last subscript needs.
        let mut slants: BTreeMap<ArrayId, i64> = BTreeMap::new();
        let mut diagonals = BTreeSet::new();
        for access in &accesses {
            let name = &kernel.arrays[access.array].name;
            let gains: Vec<i64> = access.subscripts.iter().map(|s| s.gain(iterators, &steps)).collect();
            let moving: Vec<usize> = (0..gains.len()).filter(|&s| gains[s] != 0).collect();
            let (subscript, slant) = match moving[..] {
                [] => continue,
                [one] => (one, 0),
                [..] if in_boxes => {
                    let own = moving.iter().map(|&s| (s, power_of_two(gains[s].abs() * (count - 1) + 1)));
                    join(&mut banks, Banked::from([(access.array, own.collect())]));
                    diagonals.insert(access.array);
                    continue;
                }
                [row, last] if row + 2 == gains.len() && gains[row].abs() == 1 => (row, -gains[row] * gains[last]),
                _ => return Err(format!("`{name}` is accessed along a diagonal")),
            };
            if *slants.entry(access.array).or_insert(slant) != slant {
                return Err(format!("`{name}` is accessed along a diagonal, and along another line"));
            }
            let apart = gains[subscript].abs();
            // In waves there are orders whose lanes are neighbours.
            let is_of_one_loop = steps.iter().filter(|step| **step != 0).count() == 1;
            if apart > if is_of_one_loop && slant == 0 { MOST_APART } else { 1 } {
                return Err(format!("`{name}` is accessed every {apart} elements"));
            }
            // As many neighbours as there are from the first one's to the last one's.
            let neighbours = power_of_two(apart * (count - 1) + 1);
            join(&mut banks, Banked::from([(access.array, Axes::from([(subscript, neighbours)]))]));
        }
        let stays_at = |target: &Access| target.subscripts.iter().all(|s| s.gain(iterators, &steps) == 0);
        if let Some(target) = statement.targets().find(|target| !statement.also.is_empty() && stays_at(target)) {
            let name = &kernel.arrays[target.array].name;
            return Err(format!("all lanes write one element of `{name}`, beside others"));
        }
        let stays = stays_at(&statement.target);
        let target = &kernel.arrays[statement.target.array];
        let found = reduction(statement, target.element).filter(|_| stays);
        if stays && found.is_some() && target.element.floating && !kernel.reassociates {
            let name = &target.name;
            return Err(format!(
                "lanes would combine `{name}`'s values in another order, which rounds otherwise: \
                 --allow-reassociation if that may be"
            ));
        }
        if stays && found.is_none() {
            let name = &target.name;
            return Err(format!("all lanes write one element of `{name}`, which is no sum or its like"));
        }
        slants.retain(|_, slant| *slant != 0);
        Ok(LaneShape { steps, inner_steps: vec![], banks, slants, diagonals, reduction: found })
    }

    /// Lanes along two of the `dimensions`, as a directive names them. Of every array a lane takes a cell of a box: as many
    /// cells along each subscript as lanes reach there, all of which are read, or written, in one cycle.
    ///
    /// # Errors
    /// Why the hardware has no lanes of this shape.
    pub fn in_two(
        kernel: &Kernel,
        statement: &Statement,
        iterators: &[String],
        dimensions: &[Affine],
        [first, second]: [LanesAlong; 2],
    ) -> Result<LaneShape, String> {
        let along = |k: usize| match dimensions[k].is_constant() {
            true => Err("it has one value there".to_string()),
            false => steps(iterators, dimensions, k).ok_or("its neighbours are no whole iterations apart".to_string()),
        };
        let (steps, inner_steps) = (along(first.dimension)?, along(second.dimension)?);
        let accesses = accesses(kernel, statement)?;
        let mut banks = Banked::new();
        for access in &accesses {
            let reach = |subscript: &Affine| {
                let (gain, inner) = (subscript.gain(iterators, &steps), subscript.gain(iterators, &inner_steps));
                gain.abs() * (first.count - 1) + inner.abs() * (second.count - 1)
            };
            let reached = access.subscripts.iter().map(reach).enumerate().filter(|(_, reach)| *reach > 0);
            let axes: Axes = reached.map(|(subscript, reach)| (subscript, power_of_two(reach + 1))).collect();
            if axes.is_empty() {
                continue;
            }
            join(&mut banks, Banked::from([(access.array, axes)]));
            let needed: i64 = banks[&access.array].values().product();
            if needed > MOST_BANKS * first.count * second.count {
                let name = &kernel.arrays[access.array].name;
                return Err(format!("the cells of `{name}` that they access lie in {needed} banks or more"));
            }
        }
        for target in statement.targets() {
            let stays = |steps: &[i64]| target.subscripts.iter().all(|s| s.gain(iterators, steps) == 0);
            if stays(&steps) || stays(&inner_steps) {
                let name = &kernel.arrays[target.array].name;
                return Err(format!("lanes along one of the two write one element of `{name}`"));
            }
        }
        Ok(LaneShape {
            steps,
            inner_steps,
            banks,
            slants: BTreeMap::new(),
            diagonals: BTreeSet::new(),
            reduction: None,
        })
    }

    /// Whether lanes along one dimension read an array along another subscript than the one along which they write it: every
    /// group is held to read what the one before writes, where lanes that do not run would.
    pub fn crosses(&self, statement: &Statement) -> bool {
        let is_crossed = |(array, axes): (&ArrayId, &Axes)| axes.len() > 1 && statement.writes_to(*array);
        self.inner_steps.is_empty() && self.banks.iter().any(is_crossed)
    }
}

/// What a statement reads and writes.
///
/// # Errors
/// Why there are no lanes, where a subscript or an index is a quotient or depends on data.
fn accesses<'a>(kernel: &Kernel, statement: &'a Statement) -> Result<Vec<&'a Access>, String> {
    if statement.depends_on_data() || statement.accesses().any(|access| is_by_data(kernel, access.array)) {
        return Err("a subscript there depends on data".into());
    }
    // Groups of it would keep rows of other statements from being cut.
    let tells_rows = |access: &Access| limit_count(kernel, access.array) > 0;
    if kernel.limits(statement).is_none() && statement.accesses().any(tells_rows) {
        return Err("an array there tells how long rows of other statements are".into());
    }
    let accesses: Vec<&Access> = statement.references().into_iter().chain(statement.targets()).collect();
    let affines = accesses.iter().flat_map(|a| &a.subscripts).chain(statement.values().flat_map(|v| v.indices()));
    if affines.flat_map(|a| a.terms.keys()).any(|name| kernel.quotients.iter().any(|q| q.name == *name)) {
        return Err("an index there is divided by a constant".into());
    }
    Ok(accesses)
}

/// What each iterator gains where dimension `k` gains 1 and the others stay; `None` where that is no integer vector, or
/// the dimensions do not say.
fn steps(iterators: &[String], dimensions: &[Affine], k: usize) -> Option<Vec<i64>> {
    let equalities: Vec<Affine> = dimensions
        .iter()
        .enumerate()
        .map(|(d, value)| {
            let own = |name: &String| Affine::variable(name) * value.coefficient(name);
            iterators.iter().fold(Affine::constant(-i64::from(d == k)), |sum, name| sum + own(name))
        })
        .collect();
    let unknowns: Vec<&String> = iterators.iter().collect();
    let solved = solve(&unknowns, &equalities);
    let steps = iterators.iter().map(|name| solved.get(name).filter(|value| value.is_constant()).map(|v| v.constant));
    let steps: Vec<i64> = steps.collect::<Option<_>>()?;
    // Where another dimension has the same iterator in it, no step changes the one alone.
    let gain = |d: usize| dimensions[d].gain(iterators, &steps);
    (0..dimensions.len()).all(|d| gain(d) == i64::from(d == k)).then_some(steps)
}
