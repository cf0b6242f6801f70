//! Local arrays and scalars get an instance of their own in every iteration that needs none of another's: `acc` inside
//! `for i` becomes `acc[i]`. Then iterations depend on each other only where values flow (array expansion, Feautrier
//! 1988); the modular mapping of the buffers folds the instances together again.

use anyhow::Result;

use super::extract::{Place, places, statements};
use super::isl::Map;
use super::{Access, Program};
use crate::affine::Affine;
use crate::source::kernel::{self, Expr, Kernel, Loop, Node, Storage};

/// `kernel` with every local array expanded by the outer loops whose iterations do not hand its values on.
///
/// # Errors
/// Those of [`super::extract()`].
pub fn expand_locals(kernel: &Kernel) -> Result<Kernel> {
    let mut expanded = kernel.clone();
    if kernel.arrays.iter().all(|a| a.storage == Storage::Argument) {
        return Ok(expanded);
    }
    let program = statements(kernel)?;
    let places = places(kernel);
    for (array, declaration) in kernel.arrays.iter().enumerate() {
        let Storage::Local { declared_in, .. } = &declaration.storage else { continue };
        let common = common_loops(&places, array);
        let private = private_loops(&program, array, common.len())?.max(declared_in.len().min(common.len()));
        // A dimension without bounds over the sizes cannot be an extent; sharing cells is legal, only slower.
        let Some(ranges) = (0..private).map(|l| range(kernel, &common[..l], common[l])).collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        let prefix: Vec<Affine> =
            (common.iter().zip(&ranges)).map(|(l, (lower, _))| Affine::variable(&l.iterator) - lower.clone()).collect();
        let target = &mut expanded.arrays[array];
        let extents = ranges.into_iter().map(|(lower, upper)| upper - lower + Affine::constant(1));
        target.extents = extents.chain(declaration.extents.iter().cloned()).collect();
        target.storage = Storage::Local { declared_in: declared_in.clone(), expanded: private, transferred: false };
        rewrite(&mut expanded.body, &mut |access| {
            if access.array == array {
                access.subscripts.splice(0..0, prefix.iter().cloned());
            }
        });
    }
    Ok(expanded)
}

/// The loops around every access of an array.
fn common_loops<'a>(places: &[Place<'a>], array: usize) -> Vec<&'a Loop> {
    let touches = |p: &&Place| {
        p.statement.target.array == array || p.statement.value.reads().iter().any(|read| read.array == array)
    };
    let mut of = places.iter().filter(touches);
    let Some(first) = of.next() else { return vec![] };
    of.fold(first.loops.clone(), |common, place| {
        let same = common.iter().zip(&place.loops).take_while(|(a, b)| std::ptr::eq(**a, **b));
        common[..same.count()].to_vec()
    })
}

/// How many of the common loops, outermost first, have iterations that read none of another iteration's values.
fn private_loops(program: &Program, array: usize, common: usize) -> Result<usize> {
    let Some(flow) = last_writes(program, array)? else { return Ok(common) };
    let distances = flow.deltas()?;
    for level in 0..common {
        let dimension = program.loop_dimensions[level];
        if !distances.subtract(&distances.fix(dimension, 0)?)?.is_empty()? {
            return Ok(level);
        }
    }
    Ok(common)
}

/// `{ [date of a read] -> [date of the write whose value it reads] }` of an array, over the order of the source; `None`
/// where nothing is read or nothing written. Reads without a write before them read garbage in C.
fn last_writes(program: &Program, array: usize) -> Result<Option<Map>> {
    let by_date = |write: bool| -> Result<Option<Map>> {
        let mut union: Option<Map> = None;
        for statement in &program.statements {
            for Access { may, .. } in statement.accesses.iter().filter(|a| a.array == array && a.write == write) {
                let accesses = may.apply_domain(&statement.schedule)?;
                union = Some(match union {
                    Some(all) => all.union(&accesses)?,
                    None => accesses,
                });
            }
        }
        Ok(union)
    };
    let (Some(reads), Some(writes)) = (by_date(false)?, by_date(true)?) else { return Ok(None) };
    let dates = reads.domain()?.union(&writes.domain()?)?.identity()?;
    let pairs = reads.apply_range(&writes.reverse()?)?.intersect(&dates.lex_gt_map(&dates)?)?;
    Ok(Some(pairs.lexmax()?.coalesce()?))
}

/// The smallest lower and the largest upper bound of a loop inside `outer`, over the size parameters.
fn range(kernel: &Kernel, outer: &[&Loop], inner: &Loop) -> Option<(Affine, Affine)> {
    let is_size = |name: &str| kernel.parameters.iter().any(|p| p.name == name);
    let extreme = |bound: &Affine, largest: bool| -> Option<Affine> {
        let mut sum = Affine::constant(bound.constant);
        for (name, &coefficient) in &bound.terms {
            if is_size(name) {
                sum.add_term(name, coefficient);
                continue;
            }
            let at = outer.iter().position(|l| l.iterator == *name)?;
            let (low, high) = range(kernel, &outer[..at], outer[at])?;
            sum = sum + if (coefficient > 0) == largest { high } else { low } * coefficient;
        }
        Some(sum)
    };
    // Any bound of several holds; constants and plain sizes make the simplest extents.
    let simplest = |bounds: &[Affine], largest: bool| {
        let all = bounds.iter().filter_map(|b| extreme(b, largest));
        all.min_by_key(|b| (b.terms.len(), b.constant.abs()))
    };
    Some((simplest(&inner.lower, false)?, simplest(&inner.upper, true)?))
}

/// Calls `act` on every access.
pub(super) fn rewrite(nodes: &mut [Node], act: &mut impl FnMut(&mut kernel::Access)) {
    for node in nodes {
        match node {
            Node::Loop(inner) => rewrite(&mut inner.body, act),
            Node::If(inner) => rewrite(&mut inner.body, act),
            Node::Statement(statement) => {
                act(&mut statement.target);
                rewrite_reads(&mut statement.value, act);
            }
        }
    }
}

fn rewrite_reads(expr: &mut Expr, act: &mut impl FnMut(&mut kernel::Access)) {
    match expr {
        Expr::Read { access, .. } => act(access),
        Expr::Constant { .. } | Expr::Scalar { .. } | Expr::Index { .. } => {}
        Expr::Unary { operand, .. } | Expr::Cast { operand, .. } => rewrite_reads(operand, act),
        Expr::Binary { left, right, .. } => {
            rewrite_reads(left, act);
            rewrite_reads(right, act);
        }
        Expr::Select { condition, then, otherwise, .. } => {
            rewrite_reads(condition, act);
            rewrite_reads(then, act);
            rewrite_reads(otherwise, act);
        }
    }
}
