//! Lanes: values of one dimension of a tile that run side by side, and what the arrays need for that.

use std::collections::BTreeMap;

use crate::affine::Affine;
use crate::ids::ArrayId;
use crate::offload::Reduction;
use crate::polyhedral::scan::solve;
use crate::source::kernel::{Access, Kernel, Statement};

use super::reduction::reduction;

/// The lanes of a band.
#[derive(Clone, Debug, PartialEq)]
pub struct Lanes {
    /// A power of two, at least 2.
    pub count: i64,
    /// Parallel to the statements of the band; `None` for one whose iterations run one by one.
    pub per_statement: Vec<Option<StatementLanes>>,
}

/// The lanes of one statement.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementLanes {
    /// The dimension of `D` of which as many values run side by side as there are lanes. Another statement has it in another
    /// loop.
    pub level: usize,
    /// That dimension for people: `i`.
    pub along: String,
    pub shape: LaneShape,
}

/// The subscript of each array in which lanes access neighbours: all statements of a kernel agree on it.
pub type Banked = BTreeMap<ArrayId, usize>;

impl Lanes {
    /// The arrays in which lanes access neighbours.
    pub fn banked(&self) -> Banked {
        let all = self.per_statement.iter().flatten().flat_map(|own| &own.shape.banks);
        all.map(|(&array, &subscript)| (array, subscript)).collect()
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

/// What lanes along a dimension mean for one statement.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneShape {
    /// What each iterator gains from lane to lane.
    pub steps: Vec<i64>,
    /// The subscript in which lanes access neighbours, of each array that they do not access in one place.
    pub banks: Banked,
    /// Where all lanes update one cell.
    pub reduction: Option<Reduction>,
}

impl LaneShape {
    /// Lanes along dimension `k` of `dimensions`, which are expressions over `iterators`.
    ///
    /// # Errors
    /// Why the hardware has no lanes of this shape.
    pub fn new(
        kernel: &Kernel,
        statement: &Statement,
        iterators: &[String],
        dimensions: &[Affine],
        k: usize,
    ) -> Result<LaneShape, String> {
        let steps = steps(iterators, dimensions, k).ok_or("its neighbours are no whole iterations apart")?;
        let accesses: Vec<&Access> = statement.references().into_iter().chain(statement.targets()).collect();
        let affines = accesses.iter().flat_map(|a| &a.subscripts).chain(statement.values().flat_map(|v| v.indices()));
        if affines.flat_map(|a| a.terms.keys()).any(|name| kernel.quotients.iter().any(|q| q.name == *name)) {
            return Err("an index there is divided by a constant".into());
        }
        let mut banks = BTreeMap::new();
        for access in &accesses {
            let name = &kernel.arrays[access.array].name;
            let gains: Vec<i64> = access.subscripts.iter().map(|s| s.gain(iterators, &steps)).collect();
            let moving: Vec<usize> = (0..gains.len()).filter(|&s| gains[s] != 0).collect();
            let subscript = match moving[..] {
                [] => continue,
                [one] => one,
                _ => return Err(format!("`{name}` is accessed along a diagonal")),
            };
            if gains[subscript].abs() != 1 {
                return Err(format!("`{name}` is accessed every {} elements", gains[subscript].abs()));
            }
            if *banks.entry(access.array).or_insert(subscript) != subscript {
                return Err(format!("`{name}` is accessed along two subscripts"));
            }
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
        Ok(LaneShape { steps, banks, reduction: found })
    }
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
