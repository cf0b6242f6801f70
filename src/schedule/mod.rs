//! Automatic schedules: θ for every statement of a [`Program`], in bands that can be tiled.
//!
//! isl's scheduler gives schedule trees, one per degree of fusion; the program as written gives one more. Each tree is
//! cut into bands ([`tree`]) in several ways: outer loops run one value after the other or are tiled with the rest, and
//! the parts of a sequence have a band each or one together. What comes out has been checked pair by pair against the
//! dependences ([`legality`]), whatever isl promised.

mod footprint;
mod generic;
pub mod legality;
pub mod linear;
mod open;
mod original;
pub mod placement;
pub mod sizes;
mod skew;
pub mod storage;
mod tree;

#[cfg(test)]
mod tests;

use anyhow::{Result, bail};

use crate::affine::Affine;
use crate::ids::{ArrayId, ByBand, StatementId};
use crate::polyhedral::flow::add;
use crate::polyhedral::isl::schedule::{Fusion, Problem, Tree};
use crate::polyhedral::isl::{Map, Set, Tuple};
use crate::polyhedral::{Access, Program, Touch};
use crate::source::kernel::Kernel;

pub use legality::is_legal;
pub use open::{outer_rows, outermost_alone, outermost_of_runs};
use tree::Style;

/// So far below 0 a dimension may begin for it to be moved.
const LITTLE: i64 = 16;

/// isl's operations per tree: enough for every kernel of PolyBench/C up to three loops deep.
const EFFORT: u64 = 40_000;
/// The same for statements in more than three loops, where operations are slower: rather no schedule of isl's than one
/// after seconds.
const DEEP_EFFORT: u64 = 10_000;

/// Statements that isl is asked to run together whatever the dimensions that costs. With more its linear programs may have no end, and
/// there its operations do not count: those of thirteen in three loops took more than a minute.
const TOGETHER: usize = 12;

/// isl's operations for all ways to cut the trees.
const CUTTING: u64 = 3_000_000;

/// One band: statements that run together in tiles.
///
/// The tiles of all bands run in lexicographic order of `floor(θ_k / size_k)`, shorter vectors padded with 0. A
/// dimension that is not tileable has size 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BandPlan {
    /// Indices into `Program::statements`, in textual order.
    pub statements: Vec<StatementId>,
    /// θ per statement (parallel to `statements`), all of one length: affine in the statement's iterators and the size
    /// parameters.
    pub theta: Vec<Vec<Affine>>,
    /// Which dimensions may have any tile size, in any order among themselves; false = sequential: an outer serial
    /// loop, or a constant that puts bands in sequence. Sequential dimensions come first.
    pub tileable: Vec<bool>,
}

impl BandPlan {
    /// Number of sequential dimensions.
    pub fn serial(&self) -> usize {
        self.tileable.iter().take_while(|t| !**t).count()
    }

    /// Number of the others.
    pub fn tiled(&self) -> usize {
        self.tileable.len() - self.serial()
    }

    fn theta_of(&self, statement: StatementId) -> Option<&Vec<Affine>> {
        self.statements.iter().position(|s| *s == statement).map(|position| &self.theta[position])
    }
}

/// The best legal schedule.
pub fn schedule(program: &Program) -> Result<ByBand<BandPlan>> {
    match candidates(program)?.into_iter().next() {
        Some(plans) => Ok(plans),
        None => bail!("internal error: the program has no legal schedule"),
    }
}

/// Legal schedules, the most promising first: most tiled loops, then fewest serial ones, least skewing, fewest bands.
pub fn candidates(program: &Program) -> Result<Vec<ByBand<BandPlan>>> {
    candidates_of(program, &trees(program)?)
}

/// The same for the program of `kernel`. isl's scheduler sees large constants as sizes: numbers of many digits grow out of
/// them in its equations, and a nest of constant bounds would take it a thousand times as long.
pub fn candidates_for(kernel: &Kernel, program: &Program) -> Result<Vec<ByBand<BandPlan>>> {
    let trees = match generic::generic(kernel) {
        Some(generic) => generic.trees(program)?,
        None => trees(program)?,
    };
    let mut all = candidates_of(program, &trees)?;
    for plan in all.iter_mut().flatten() {
        begin_at_zero(kernel, program, plan)?;
    }
    Ok(all)
}

/// Moves the tileable dimensions that begin a little below 0 there: statements that are shifted against others would have a first tile
/// of their own. All statements move alike, so that the order stays.
fn begin_at_zero(kernel: &Kernel, program: &Program, plan: &mut BandPlan) -> Result<()> {
    for k in (0..plan.tileable.len()).filter(|k| plan.tileable[*k]) {
        let low = |(&s, theta): (&StatementId, &Vec<Affine>)| program.usual_range(kernel, s, &theta[k]);
        let lows = plan.statements.iter().zip(&plan.theta).map(low).collect::<Result<Vec<_>>>()?;
        let least = lows.into_iter().flatten().map(|(low, _)| low).min().unwrap_or(0);
        if (-LITTLE..0).contains(&least) {
            plan.theta.iter_mut().for_each(|theta| theta[k] = theta[k].clone() - Affine::constant(least));
        }
    }
    Ok(())
}

/// Legal ways to cut these trees, and the program as written, as far as [`CUTTING`] allows. Past it there is at least the
/// program as written, one loop value after the other.
fn candidates_of(program: &Program, trees: &[Tree]) -> Result<Vec<ByBand<BandPlan>>> {
    let mut found: Vec<ByBand<BandPlan>> = vec![];
    let isl = &program.isl;
    let begin = isl.operations();
    let mut add = |tree: &Tree, skewed: bool| -> Result<()> {
        // Only the children of a sequence can be fused.
        let styles = if tree::has_sequence(tree) { &[false, true][..] } else { &[false] };
        for &fused in styles {
            for serial in 0..tree::depth(tree).max(1) {
                let left = CUTTING.saturating_sub(isl.operations() - begin);
                let cut = isl.within(left, || {
                    let plans = tree::bands(program, tree, serial, Style { skewed, fused })?;
                    let is_new = !found.contains(&plans) && is_legal(program, &plans.raw)?;
                    Ok(is_new.then_some(plans))
                })?;
                found.extend(cut.flatten());
            }
        }
        Ok(())
    };
    for tree in trees {
        add(tree, false)?;
    }
    let original = original::tree(program);
    add(&original, true)?;
    if found.is_empty() {
        let serial = tree::depth(&original).saturating_sub(1);
        let plans = tree::bands(program, &original, serial, Style { skewed: false, fused: false })?;
        if is_legal(program, &plans.raw)? {
            found.push(plans);
        }
    }
    found.sort_by_key(|plans| rank(program, plans));
    Ok(found)
}

/// isl's schedule trees, as far as it does not give up.
fn trees(program: &Program) -> Result<Vec<Tree>> {
    let statements: Vec<(Tuple, Set)> = program
        .statements
        .iter()
        .map(|s| Ok((Tuple { name: &s.name, dimensions: &s.iterators }, s.domain.remove_divs()?)))
        .collect::<Result<_>>()?;
    let validity: Vec<Map> = program.dependences.iter().map(|d| d.relation.clone()).collect();
    let deep = program.statements.iter().any(|s| s.iterators.len() > 3);
    let run = |fusion: Fusion, proximity: &[Map], parallel: bool| -> Result<Option<Tree>> {
        let problem = Problem {
            statements: &statements,
            context: &program.sizes,
            validity: &validity,
            proximity,
            parallel,
            fusion,
            effort: if deep { DEEP_EFFORT } else { EFFORT },
        };
        program.isl.schedule(&problem)
    };
    let first = run(Fusion::Moderate, &validity, true)?;
    let is_fused = matches!(first, Some(Tree::Band { .. }));
    let mut trees: Vec<Tree> = first.into_iter().collect();
    if statements.len() > 1 {
        trees.extend(run(Fusion::Separate, &validity, true)?);
        if !is_fused {
            let between = program.dependences.iter().filter(|d| d.source != d.sink).map(|d| d.relation.clone());
            let near: Vec<Map> = between.chain(reuse(program)?).collect();
            trees.extend(run(Fusion::Moderate, &near, false)?);
            if statements.len() <= TOGETHER {
                trees.extend(run(Fusion::Whole, &validity, true)?);
            }
        }
    }
    Ok(trees)
}

/// Pairs of instances of different statements that read one cell: `{ S0[i, j] -> S1[j, i] }`.
fn reuse(program: &Program) -> Result<Vec<Map>> {
    let mut pairs = vec![];
    for (second, sink) in program.statements.iter_enumerated() {
        for source in &program.statements[..second] {
            let mut arrays: Vec<ArrayId> = source.accesses.iter().map(|a| a.array).collect();
            arrays.sort_unstable();
            arrays.dedup();
            for array in arrays {
                let mut both: Option<Map> = None;
                for first in source.accesses.iter().filter(|access| access.array == array && !access.write) {
                    let near = |access: &Access| !access.is_apart(first);
                    if let Some(second) = sink.accesses_among(array, Touch::Read, near)? {
                        add(&mut both, first.may.apply_range(&second.reverse()?)?)?;
                    }
                }
                if let Some(both) = both
                    && !both.is_empty()?
                {
                    pairs.push(both);
                }
            }
        }
    }
    Ok(pairs)
}

/// What makes a schedule less promising, the most important first.
fn rank(program: &Program, plans: &ByBand<BandPlan>) -> (bool, i64, usize, i64, usize) {
    let mut tiled_loops = 0;
    let mut skew = 0;
    let mut shifted = false;
    for plan in plans {
        for (statement, theta) in plan.statements.iter().zip(&plan.theta) {
            let iterators = &program.statements[*statement].iterators;
            for (row, tileable) in theta.iter().zip(&plan.tileable) {
                let coefficients: i64 = iterators.iter().map(|i| row.coefficient(i).abs()).sum();
                tiled_loops += (*tileable && coefficients > 0) as i64;
                skew += coefficients.max(1) - 1;
                // Statements side by side in one band, but a whole loop apart, share nothing.
                shifted |= *tileable && coefficients > 0 && program.parameters.iter().any(|p| row.coefficient(p) != 0);
            }
        }
    }
    let serial = plans.iter().map(BandPlan::serial).max().unwrap_or(0);
    (shifted, -tiled_loops, serial, skew, plans.len())
}
