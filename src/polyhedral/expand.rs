//! Local arrays and scalars get an instance of their own in every iteration that needs none of another's: `acc` inside
//! `for i` becomes `acc[i]`. Then iterations depend on each other only where values flow (array expansion, Feautrier
//! 1988); the modular mapping of the buffers folds the instances together again. Before that, what a scalar serves for
//! one after the other becomes a scalar each (renaming by webs).

use std::collections::BTreeMap;

use anyhow::Result;

use super::extract::{Place, places, statements};
use super::flow::last_writes;
use super::{Program, Touch};
use crate::affine::{Affine, fresh};
use crate::ids::{ArrayId, StatementId};
use crate::offload::is_by_data;
use crate::source::kernel::{self, Expr, Gather, Kernel, Loop, Node, ScalarType, Storage};

/// `kernel` with every local array expanded by the outer loops whose iterations do not hand its values on.
///
/// # Errors
/// Those of [`super::extract()`].
pub fn expand_locals(kernel: &Kernel) -> Result<Kernel> {
    if kernel.arrays.iter().all(|a| a.storage == Storage::Argument) {
        return Ok(kernel.clone());
    }
    let program = statements(kernel)?;
    let split = split_webs(kernel, &program)?;
    let (kernel, program) = match &split {
        Some(split) => (split, statements(split)?),
        None => (kernel, program),
    };
    let mut expanded = kernel.clone();
    let places = places(kernel);
    for (array, declaration) in kernel.arrays.iter_enumerated() {
        let Storage::Local { declared_in, .. } = &declaration.storage else { continue };
        let common = common_loops(&places.raw, array);
        let private = private_loops(&program, array, common.len())?.max(declared_in.len().min(common.len()));
        // A dimension without bounds over the sizes cannot be an extent; sharing cells is legal, only slower.
        let Some(places) = (0..private).map(|l| place(kernel, &common[..l], common[l])).collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        let (prefix, extents): (Vec<Affine>, Vec<Affine>) = places.into_iter().unzip();
        let target = &mut expanded.arrays[array];
        target.extents = extents.into_iter().chain(declaration.extents.iter().cloned()).collect();
        target.storage = Storage::Local { declared_in: declared_in.clone(), expanded: private, transferred: false };
        rewrite(&mut expanded.body, &mut |access| {
            if access.array == array {
                access.subscripts.splice(0..0, prefix.iter().cloned());
            }
        });
        let index = |value: &Affine| Expr::Index { value: value.clone(), ty: ScalarType::I32 };
        rewrite_places(&mut expanded.body, &mut |place| {
            if place.array == array {
                place.subscripts.splice(0..0, prefix.iter().map(index));
            }
        });
    }
    Ok(expanded)
}

/// Cells up to which a local array is split: larger ones share their memory better.
pub(super) const SMALL: i64 = 16;

/// A scalar, or an array of few cells.
pub(super) fn is_small(declaration: &kernel::Array) -> bool {
    let cells = declaration.extents.iter().map(|extent| extent.is_constant().then_some(extent.constant));
    cells.product::<Option<i64>>().is_some_and(|cells| cells <= SMALL)
}

/// `kernel` with local scalars and small local arrays split into their webs: sets of writes and of the reads that see
/// their values, such that no value flows from one to another; `None` where each has one.
fn split_webs(kernel: &Kernel, program: &Program) -> Result<Option<Kernel>> {
    let mut split = kernel.clone();
    for (array, declaration) in kernel.arrays.iter_enumerated() {
        if declaration.storage == Storage::Argument || !is_small(declaration) || is_by_data(kernel, array) {
            continue;
        }
        let webs = webs(program, array)?;
        let count = webs.values().max().map_or(1, |last| last + 1);
        if count == 1 {
            continue;
        }
        for web in 1..count {
            // A number alone would look like a copy of a buffer.
            let name = fresh(format!("{}_web{web}", declaration.name), |name| is_taken(&split, name));
            split.arrays.push(kernel::Array { name, ..declaration.clone() });
        }
        // The first web keeps the array, the others have those at the end.
        let first_new = split.arrays.len() - count;
        let of = |statement: StatementId, touch: Touch| match webs.get(&(statement, touch)) {
            None | Some(0) => array,
            Some(web) => ArrayId(first_new + web),
        };
        let mut statement = 0;
        rewrite_statements(&mut split.body, &mut |assignment| {
            if assignment.target.array == array {
                assignment.target.array = of(StatementId(statement), Touch::Write);
            }
            rewrite_reads(&mut assignment.value, &mut |access| {
                if access.array == array {
                    access.array = of(StatementId(statement), Touch::Read);
                }
            });
            statement += 1;
        });
    }
    Ok((split.arrays.len() > kernel.arrays.len()).then_some(split))
}

pub(crate) fn is_taken(kernel: &Kernel, name: &str) -> bool {
    kernel.arrays.iter().any(|array| array.name == name)
        || kernel.scalars.iter().any(|scalar| scalar.name == name)
        || kernel.parameters.iter().any(|parameter| parameter.name == name)
        || kernel.iterators().iter().flatten().any(|iterator| iterator == name)
}

/// The web of every access of an array, counted from 0: of a statement's write, and of its reads.
fn webs(program: &Program, array: ArrayId) -> Result<BTreeMap<(StatementId, Touch), usize>> {
    let mut web: BTreeMap<(StatementId, Touch), usize> = BTreeMap::new();
    for (s, statement) in program.statements.iter_enumerated() {
        for touch in [Touch::Write, Touch::Read] {
            if statement.accesses_of(array, touch)?.is_some() {
                web.insert((s, touch), web.len());
            }
        }
    }
    if let Some(flow) = last_writes(program, array)? {
        let dates = |s: StatementId| program.statements[s].schedule.range();
        let accesses: Vec<(StatementId, Touch)> = web.keys().copied().collect();
        for &(reader, _) in accesses.iter().filter(|(_, touch)| *touch == Touch::Read) {
            let seen = flow.intersect_domain(&dates(reader)?)?;
            for &(writer, _) in accesses.iter().filter(|(_, touch)| *touch == Touch::Write) {
                if !seen.intersect_range(&dates(writer)?)?.is_empty()? {
                    let (one, other) = (web[&(writer, Touch::Write)], web[&(reader, Touch::Read)]);
                    web.values_mut().filter(|w| **w == other).for_each(|w| *w = one);
                }
            }
        }
    }
    let mut numbers: Vec<usize> = vec![];
    for web in web.values_mut() {
        if !numbers.contains(web) {
            numbers.push(*web);
        }
        *web = numbers.iter().position(|number| number == web).unwrap_or(0);
    }
    Ok(web)
}

/// The loops around every access of an array.
fn common_loops<'a>(places: &[Place<'a>], array: ArrayId) -> Vec<&'a Loop> {
    let touches = |p: &&Place| p.statement.value.arrays().chain([p.statement.target.array]).any(|own| own == array);
    let mut of = places.iter().filter(touches);
    let Some(first) = of.next() else { return vec![] };
    of.fold(first.loops.clone(), |common, place| {
        let same = common.iter().zip(&place.loops).take_while(|(a, b)| std::ptr::eq(**a, **b));
        common[..same.count()].to_vec()
    })
}

/// How many of the common loops, outermost first, have iterations that read none of another iteration's values.
fn private_loops(program: &Program, array: ArrayId, common: usize) -> Result<usize> {
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

/// Which instance an iteration of a loop inside `outer` has, counted from 0, and how many there are. The loops over the cells of
/// a block, `i = 16 * ii` to `16 * ii + 15`, have as many as a block has, and not as many as there are values of `i`: those of
/// another block have another `ii`.
pub(super) fn place(kernel: &Kernel, outer: &[&Loop], inner: &Loop) -> Option<(Affine, Affine)> {
    let (lower, upper) = range(kernel, outer, inner)?;
    let extent = upper - lower.clone() + Affine::constant(1);
    let iterator = Affine::variable(&inner.iterator);
    if let [first] = &inner.lower[..]
        && first.terms.keys().all(|name| outer.iter().any(|l| l.iterator == *name))
    {
        let lengths = inner.upper.iter().map(|last| last.clone() - first.clone() + Affine::constant(1));
        let length = lengths.filter(|length| length.is_constant()).map(|length| length.constant).min();
        if let Some(length) =
            length.filter(|length| *length > 0 && (!extent.is_constant() || extent.constant > *length))
        {
            return Some((iterator - first.clone(), Affine::constant(length)));
        }
    }
    Some((iterator - lower, extent))
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
    rewrite_statements(nodes, &mut |statement| {
        act(&mut statement.target);
        rewrite_reads(&mut statement.value, act);
    });
}

/// Calls `act` on every place that data tell.
pub(super) fn rewrite_places(nodes: &mut [Node], act: &mut impl FnMut(&mut Gather)) {
    fn places(expr: &mut Expr, act: &mut impl FnMut(&mut Gather)) {
        if let Expr::Gather { gather, .. } | Expr::Scatter { place: gather, .. } = expr {
            act(gather);
        }
        expr.operands_mut().into_iter().for_each(|operand| places(operand, act));
    }
    rewrite_statements(nodes, &mut |statement| places(&mut statement.value, act));
}

/// Calls `act` on every statement, in the order of the text.
pub(crate) fn rewrite_statements(nodes: &mut [Node], act: &mut impl FnMut(&mut kernel::Statement)) {
    for node in nodes {
        match node {
            Node::Loop(inner) => rewrite_statements(&mut inner.body, act),
            Node::If(inner) => rewrite_statements(&mut inner.body, act),
            Node::Statement(statement) => act(statement),
        }
    }
}

/// Calls `act` on every access that a value reads.
pub(crate) fn rewrite_reads(expr: &mut Expr, act: &mut impl FnMut(&mut kernel::Access)) {
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
        Expr::Lookup { index, .. } => rewrite_reads(index, act),
        Expr::Gather { .. } | Expr::Scatter { .. } | Expr::Masked { .. } => {
            expr.operands_mut().into_iter().for_each(|operand| rewrite_reads(operand, act));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{self, Source};

    fn kernel(body: &str) -> Kernel {
        let text = format!("#pragma burstc size(N: 5, max 16)\nvoid k(int N, int a[N], int b[N])\n{{\n{body}\n}}\n");
        source::parse(&Source { path: "k.c".into(), text, cpp_args: vec![] }).unwrap()
    }

    /// The outer loops whose iterations have an instance of the local array each.
    fn private(kernel: &Kernel) -> usize {
        let program = statements(kernel).unwrap();
        let array = kernel.arrays.position(|a| a.storage != Storage::Argument).unwrap();
        let places = places(kernel);
        private_loops(&program, array, common_loops(&places.raw, array).len()).unwrap()
    }

    #[test]
    fn iterations_that_hand_on_no_value_are_private() {
        for (body, expected) in [
            ("int t[16]; for (int i = 0; i < N; i++) { t[i] = a[i]; b[i] = t[i]; }", 1),
            ("int t[17]; t[0] = 0; for (int i = 0; i < N; i++) { t[i + 1] = a[i]; b[i] = t[i]; }", 0),
            // The iteration reads one cell of its own and one of another's: the later write is not the only one.
            ("int t[16]; for (int i = 0; i < N; i++) { t[i] = a[i]; b[i] = t[i] + (i > 0 ? t[i - 1] : 0); }", 0),
            ("int t[16]; for (int i = 0; i < N; i++) { t[i] = a[i]; t[0] = 3; b[i] = t[i / 2] + t[0]; }", 0),
        ] {
            assert_eq!(private(&kernel(body)), expected, "{body}");
        }
    }

    /// Loops over blocks and the cells of blocks give a scalar as many instances as there are cells, not as many for each block.
    #[test]
    fn instances_of_blocks_are_counted_inside_of_them() {
        let extents = |head: &str| {
            let body = format!(
                "for (int j = 0; j < N; j += 4) for (int i = {head}) {{ int t = a[i]; for (int l = 0; l < 2; l++) t += l; b[i] = t; }}"
            );
            let kernel = expand_locals(&kernel(&body)).unwrap();
            let local = kernel.arrays.iter().find(|array| array.storage != Storage::Argument).unwrap();
            local.extents.iter().map(Affine::to_string).collect::<Vec<_>>().join(", ")
        };
        let blocks = extents("0; i < N; i++");
        let blocks = blocks.split(", ").next().unwrap();
        assert_eq!(extents("j; i < j + 4 && i < N; i++"), format!("{blocks}, 4"));
        assert_eq!(extents("j; i < N; i++"), format!("{blocks}, N"));
        assert_eq!(extents("0; i < 3 && i < N; i++"), format!("{blocks}, 3"));
    }

    /// A scalar of two nests is two scalars; one whose first value the second nest still reads is one.
    #[test]
    fn uses_between_which_no_value_flows_are_arrays_of_their_own() {
        let nests = |second: &str| {
            let first = "int t = 1; for (int i = 0; i < N; i++) { t = t + a[i]; b[i] = t; }";
            kernel(&format!("{first} {second}"))
        };
        let split = |kernel: Kernel| split_webs(&kernel, &statements(&kernel).unwrap()).unwrap().unwrap_or(kernel);
        for (second, expected) in [
            ("t = 2; for (int i = 0; i < N; i++) { t = 3 * t; a[i] = t; }", &["a", "b", "t", "t_web1"][..]),
            ("for (int i = 0; i < N; i++) { t = 3 * t; a[i] = t; }", &["a", "b", "t"]),
            ("for (int i = 0; i < N; i++) { if (i > 0) a[i] = t; t = i; }", &["a", "b", "t", "t_web1"]),
            ("for (int i = 0; i < N; i++) { a[i] = t; t = i; }", &["a", "b", "t"]),
        ] {
            let split = split(nests(second));
            let names: Vec<&str> = split.arrays.iter().map(|array| array.name.as_str()).collect();
            assert_eq!(names, expected, "{second}");
        }
        let split = split(nests("t = 2; for (int i = 0; i < N; i++) { t = 3 * t; a[i] = t; }"));
        let targets: Vec<usize> = split.statements().iter().map(|statement| statement.target.array.0).collect();
        assert_eq!(targets, [2, 2, 1, 3, 3, 0]);
    }

    /// Only a write that happens whatever the data replaces the one before it.
    #[test]
    fn a_write_that_may_not_happen_leaves_the_value_of_the_one_before() {
        let kernel = kernel("int t[2]; t[0] = 1; for (int i = 0; i < N; i++) { t[0] = a[i]; b[i] = t[0]; }");
        let flows = |program: &Program| last_writes(program, ArrayId(2)).unwrap().unwrap();
        let program = statements(&kernel).unwrap();
        let expected = |text: &str| program.isl.parse_map(text).unwrap();
        let exact = "[N] -> { [1, i, 1] -> [1, i, 0] : 0 <= i < N }";
        assert!(flows(&program).is_equal(&expected(exact)).unwrap(), "{}", flows(&program));

        let mut program = statements(&kernel).unwrap();
        let write = program.statements[StatementId(1)].accesses.iter_mut().find(|a| a.write).unwrap();
        write.must = write.must.subtract(&write.must).unwrap();
        let may = "[N] -> { [1, i, 1] -> [1, j, 0] : 0 <= j <= i < N; [1, i, 1] -> [0, 0, 0] : 0 <= i < N }";
        let expected = program.isl.parse_map(may).unwrap();
        assert!(flows(&program).is_equal(&expected).unwrap(), "{}", flows(&program));
    }
}
