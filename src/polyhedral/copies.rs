//! Copies are read where their value comes from. In
//!
//! ```c
//! for (i…) { y2 = 0; y1 = 0; for (j…) { y[i][j] = x[i][j] + b1 * y1 + b2 * y2; y2 = y1; y1 = y[i][j]; } }
//! ```
//!
//! `y1` is `j > 0 ? y[i][j - 1] : 0`, and `y2` the same of `j - 2`; in a filter whose samples move through `d[4]`, `d[k]` is a sample
//! of `k` iterations before. So values that iterations hand on through scalars and short arrays take no statement of their own, and
//! nothing waits for one copy after the other. It is copy propagation over instances: who wrote a value is told by the value-based
//! flow ([`super::flow`]), followed from copy to copy, and the cell that it came from must still hold it (GeCoS note, section 3.2).
//! The copies are dead code then.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use anyhow::Result;

use super::computed::{Computed, computed_apart};
use super::dead::{live_with_empty_copies, without_dead_code};
use super::expand::{SMALL, is_small, rewrite_reads, rewrite_statements};
use super::extract::{sizes_with_elements, statements};
use super::flow::{Producer, last_writes_of, producers};
use super::isl::{Constraint, Map, Set, Tuple};
use super::{Access, Program};
use crate::affine::{Affine, fresh};
use crate::ids::{ArrayId, ByArray, ByStatement, StatementId};
use crate::offload::is_by_data;
use crate::source::kernel::{self, BinaryOp, Condition, Expr, Kernel, ScalarType, Statement, Storage};

/// isl's operations for all of it. Past them the copies stay.
const OPERATIONS: u64 = 1_000_000;

/// Copies from which a value came one after the other.
const DEEPEST: usize = 2 * SMALL as usize;

/// Values between which a read becomes a choice, and comparisons that tell which.
const MOST_VALUES: usize = 4;
const MOST_COMPARISONS: usize = 6;

/// `kernel` without dead code, and with copies read where their values come from. An element that has no value yet may be copied as long
/// as nobody uses it, as a window does at the border of an image.
///
/// # Errors
/// Those of [`without_dead_code`] and [`super::extract()`].
pub fn settled(kernel: &Kernel) -> Result<Kernel> {
    let refused = match without_dead_code(kernel) {
        Ok(live) => return Ok(copies_forwarded(&live)?.unwrap_or(live)),
        Err(refused) => refused,
    };
    let Ok(live) = live_with_empty_copies(kernel) else { return Err(refused) };
    let Some(forwarded) = copies_forwarded(&live)? else { return Err(refused) };
    without_dead_code(&forwarded).map_err(|_| refused)
}

/// `kernel` with reads of local scalars and arrays that only copies write in other words, and without those that nobody reads any more
/// then; `None` where there are none. Where that takes all that is moved away, values that are computed first have arrays of their own.
///
/// # Errors
/// Those of [`super::extract()`].
fn copies_forwarded(kernel: &Kernel) -> Result<Option<Kernel>> {
    let plain = forwarded(kernel)?;
    let Some(Computed { kernel: apart, copied }) = computed_apart(kernel) else { return Ok(plain) };
    let Some(apart) = forwarded(&apart)? else { return Ok(plain) };
    let is_gone = |name: &String| apart.arrays.iter().all(|array| array.name != *name);
    let statements = |kernel: &Kernel| kernel.statements().len();
    let is_better = copied.iter().all(is_gone) && statements(&apart) < statements(plain.as_ref().unwrap_or(kernel));
    Ok(if is_better { Some(apart) } else { plain })
}

/// The same of a kernel as it is.
fn forwarded(kernel: &Kernel) -> Result<Option<Kernel>> {
    let gone: Vec<ArrayId> = kernel.arrays.keys().filter(|array| only_copies_write(kernel, *array)).collect();
    if gone.is_empty() {
        return Ok(None);
    }
    let program = statements(kernel)?;
    let found = program.isl.within(OPERATIONS, || Copies::new(kernel, &program, gone)?.values())?;
    let Some(values) = found.filter(|values| !values.is_empty()) else { return Ok(None) };
    let mut forwarded = kernel.clone();
    let mut number = 0;
    rewrite_statements(&mut forwarded.body, &mut |statement| {
        if let Some(own) = values.get(&StatementId(number)) {
            replace(&mut statement.value, own);
        }
        number += 1;
    });
    live_with_empty_copies(&forwarded).map(Some)
}

/// Whether the array is local, and written by copies alone.
fn only_copies_write(kernel: &Kernel, array: ArrayId) -> bool {
    let declaration = &kernel.arrays[array];
    let all = kernel.statements();
    let mut writers = all.iter().filter(|statement| statement.writes_to(array));
    matches!(declaration.storage, Storage::Local { .. })
        && !is_by_data(kernel, array)
        && writers.all(|statement| statement.also.is_empty() && copied(&statement.value).is_some())
}

/// Where a value that takes no operator comes from: an element, or no array at all; `None` for a value that is computed.
pub(super) fn copied(value: &Expr) -> Option<Option<&kernel::Access>> {
    match value {
        Expr::Read { access, .. } => access.guard.is_none().then_some(Some(access)),
        Expr::Constant { .. } | Expr::Scalar { .. } | Expr::Index { .. } => Some(None),
        Expr::Cast { operand, ty } if !ty.floating && !operand.ty().floating => copied(operand),
        _ => None,
    }
}

/// The types that a value which takes no operator is converted to on its way from there, the last one first.
fn conversions(value: &Expr) -> Vec<ScalarType> {
    match value {
        Expr::Cast { operand, ty } => [vec![*ty], conversions(operand)].concat(),
        _ => vec![],
    }
}

/// Reads with the values that take their place, by statement.
type Values<'a> = BTreeMap<StatementId, Vec<(&'a kernel::Access, Expr)>>;

struct Copies<'a> {
    kernel: &'a Kernel,
    program: &'a Program,
    all: ByStatement<&'a Statement>,
    /// Those that the hardware takes.
    sizes: Set,
    /// The arrays that nobody is to read.
    gone: Vec<ArrayId>,
    /// Of those arrays.
    producers: ByArray<OnceCell<Rc<Vec<Producer>>>>,
}

/// A reference of `of` whose values instances of a reader get, copied from statement to statement.
struct Copied {
    reader: StatementId,
    /// `{ reader -> of }`
    from: Map,
    of: StatementId,
    /// An index into the accesses of `of`.
    access: usize,
    /// What the copies on the way convert the value to, the last one first.
    conversions: Vec<ScalarType>,
}

/// Where instances of a reader find a value: that of `of`'s instance, over the iterators of that.
struct Origin {
    of: StatementId,
    /// `{ reader -> of }`
    instances: Map,
    /// See [`Copied`].
    conversions: Vec<ScalarType>,
}

impl<'a> Copies<'a> {
    fn new(kernel: &'a Kernel, program: &'a Program, gone: Vec<ArrayId>) -> Result<Copies<'a>> {
        let producers = kernel.arrays.iter().map(|_| OnceCell::new()).collect();
        let sizes = sizes_with_elements(program, kernel)?;
        Ok(Copies { kernel, program, all: kernel.statements(), sizes, gone, producers })
    }

    /// What takes the place of every read of the arrays that go; those of which one stays stay, too.
    fn values(mut self) -> Result<Values<'a>> {
        let mut kept = vec![];
        for array in self.gone.clone() {
            if is_small(&self.kernel.arrays[array]) || self.hands_on(array)? {
                kept.push(array);
            }
        }
        self.gone = kept;
        'again: loop {
            let mut values = Values::new();
            for (reader, statement) in self.all.iter_enumerated() {
                if self.gone.contains(&statement.target.array) {
                    continue;
                }
                for read in statement.references() {
                    if !self.gone.contains(&read.array) {
                        continue;
                    }
                    let Some(value) = self.value(reader, read)? else {
                        self.gone.retain(|array| *array != read.array);
                        continue 'again;
                    };
                    values.entry(reader).or_default().push((read, value));
                }
            }
            return Ok(values);
        }
    }

    /// What a read of an array that goes becomes; `None` where nobody can tell, or nothing is gained.
    fn value(&self, reader: StatementId, read: &kernel::Access) -> Result<Option<Expr>> {
        let Some(access) = self.reference(reader, read) else { return Ok(None) };
        let domain = self.program.statements[reader].accesses[access].may.domain()?.intersect_params(&self.sizes)?;
        let mut origins = vec![];
        let own = Copied { reader, from: domain.identity()?, of: reader, access, conversions: vec![] };
        if !self.follow(&own, DEEPEST, &mut origins)? {
            return Ok(None);
        }
        let iterators = &self.program.statements[reader].iterators;
        let mut found: Vec<(Expr, Set)> = vec![];
        for Origin { of, instances, conversions } in merged(origins)? {
            let own = &self.program.statements[of].iterators;
            for (places, here) in functions(self.program, &instances, iterators, own.len())?.into_iter().flatten() {
                let there: BTreeMap<&str, Affine> = own.iter().map(String::as_str).zip(places).collect();
                let Some(value) = self.renamed(&self.all[of].value, &there) else { return Ok(None) };
                let value = conversions.iter().rev().fold(value, |operand, ty| match operand.ty() == *ty {
                    true => operand,
                    false => Expr::Cast { operand: Box::new(operand), ty: *ty },
                });
                match found.iter_mut().find(|(known, _)| known.is_same(&value)) {
                    Some((_, known)) => *known = known.union(&here)?.coalesce()?,
                    None => found.push((value, here)),
                }
            }
        }
        self.unite(reader, &mut found)?;
        let told = found.iter().try_fold(domain.subtract(&domain)?, |all, (_, here)| all.union(here))?;
        let is_alike = found.iter().flat_map(|(value, _)| value.reads()).all(|own| self.is_beside(reader, own));
        if found.is_empty() || found.len() > MOST_VALUES || !is_alike || !told.is_equal(&domain)? {
            return Ok(None);
        }
        chosen(found, &domain, iterators)
    }

    /// Makes one of values that are the same elements in other words: `a[0]`, where `i` is 1, is `a[i - 1]`.
    fn unite(&self, reader: StatementId, found: &mut Vec<(Expr, Set)>) -> Result<()> {
        let mut one = 0;
        while one < found.len() {
            let mut into = None;
            for other in (0..found.len()).filter(|other| *other != one) {
                if self.is_as(reader, &found[one], &found[other].0)? {
                    into = Some(other);
                    break;
                }
            }
            let Some(other) = into else {
                one += 1;
                continue;
            };
            found[other].1 = found[other].1.union(&found[one].1)?.coalesce()?;
            found.remove(one);
            one = 0;
        }
        Ok(())
    }

    /// Whether a value is `other` in all iterations in which it is wanted.
    fn is_as(&self, reader: StatementId, (value, here): &(Expr, Set), other: &Expr) -> Result<bool> {
        let (own, others) = (value.reads(), other.reads());
        let ([own], [others]) = (&own[..], &others[..]) else { return Ok(false) };
        let mut moved = value.clone();
        rewrite_reads(&mut moved, &mut |access| access.subscripts.clone_from(&others.subscripts));
        if !moved.is_same(other) {
            return Ok(false);
        }
        let Program { isl, parameters, statements, .. } = self.program;
        let tuple = Tuple { name: &statements[reader].name, dimensions: &statements[reader].iterators };
        for (a, b) in own.subscripts.iter().zip(&others.subscripts) {
            for difference in [a.clone() - b.clone(), b.clone() - a.clone()] {
                let apart = Constraint::NonNegative(difference - Affine::constant(1));
                if !isl.set(parameters, tuple, &[apart])?.is_disjoint(here)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Adds where the values of a reference come from; whether that is known of all of them.
    fn follow(&self, own: &Copied, depth: usize, origins: &mut Vec<Origin>) -> Result<bool> {
        let array = self.program.statements[own.of].accesses[own.access].array;
        let Some(depth) = depth.checked_sub(1) else { return Ok(false) };
        let mut left = own.from.domain()?;
        let is_own = |producer: &&Producer| (producer.reader, producer.access) == (own.of, own.access);
        for producer in self.producers(array)?.iter().filter(is_own) {
            let instances = own.from.apply_range(&producer.pairs)?.coalesce()?;
            if instances.is_empty()? {
                continue;
            }
            left = left.subtract(&instances.domain()?)?;
            let of = producer.writer;
            let origin = Origin { of, instances, conversions: own.conversions.clone() };
            let Some(read) = copied(&self.all[of].value) else { return Ok(false) };
            let Some(read) = read else {
                origins.push(origin);
                continue;
            };
            let Some(access) = self.reference(of, read) else { return Ok(false) };
            let conversions = [own.conversions.clone(), conversions(&self.all[of].value)].concat();
            let next = Copied { from: origin.instances.clone(), of, access, conversions, ..*own };
            let is_known = match self.gone.contains(&read.array) {
                true => self.follow(&next, depth, origins)?,
                false => {
                    origins.push(origin);
                    self.stays(&next)?
                }
            };
            if !is_known {
                return Ok(false);
            }
        }
        left.is_empty()
    }

    /// Whether some iteration reads what an earlier one of a loop around both has written, as rows of an image are handed on through
    /// `lb[0][x] = lb[1][x]; lb[1][x] = in[y][x];`. What is only copied once lies well where it is.
    fn hands_on(&self, array: ArrayId) -> Result<bool> {
        let dates = |statement: StatementId| &self.program.statements[statement].schedule;
        for producer in self.producers(array)?.iter() {
            let pairs = producer.pairs.apply_domain(dates(producer.reader))?.apply_range(dates(producer.writer))?;
            let mut apart = pairs.deltas()?;
            let dimensions = self.program.loop_dimensions.iter().copied().max().unwrap_or(0);
            for dimension in 0..=dimensions {
                let together = apart.clone().fix(dimension, 0)?;
                if self.program.loop_dimensions.contains(&dimension) && !apart.is_subset(&together)? {
                    return Ok(true);
                }
                apart = together;
            }
        }
        Ok(false)
    }

    fn producers(&self, array: ArrayId) -> Result<Rc<Vec<Producer>>> {
        if let Some(known) = self.producers[array].get() {
            return Ok(known.clone());
        }
        let found = Rc::new(producers(self.program, array)?);
        Ok(self.producers[array].get_or_init(|| found).clone())
    }

    /// Whether what a reference reads is still in its cell where the reader runs: the last write of the cell is the same.
    fn stays(&self, &Copied { reader, ref from, of, access, .. }: &Copied) -> Result<bool> {
        let all = &self.program.statements;
        let Access { array, may, .. } = &all[of].accesses[access];
        let dates = |statement: StatementId| &all[statement].schedule;
        let pairs = from.apply_domain(dates(reader))?.apply_range(dates(of))?;
        if let Storage::Local { declared_in, .. } = &self.kernel.arrays[*array].storage
            && let Some(last) = declared_in.len().checked_sub(1)
        {
            // An iteration of the loops around the declaration has a variable of its own.
            let apart = pairs.deltas()?;
            let mut dimensions = 0..=self.program.loop_dimensions[last];
            let together = dimensions.try_fold(apart.clone(), |own, dimension| own.fix(dimension, 0))?;
            if !apart.is_subset(&together)? {
                return Ok(false);
            }
        }
        let here = from.apply_range(may)?.apply_domain(dates(reader))?;
        let there = may.intersect_domain(&from.range()?)?.apply_domain(dates(of))?;
        let writes = |reads: &Map| last_writes_of(self.program, *array, reads);
        match (writes(&here)?, writes(&there)?) {
            (Some(here), Some(there)) => here.is_equal(&pairs.apply_range(&there)?),
            // Nobody writes it.
            (here, there) => Ok(here.is_none() && there.is_none()),
        }
    }

    /// The place of a reference among the accesses of the model.
    fn reference(&self, statement: StatementId, read: &kernel::Access) -> Option<usize> {
        let written = Some(&read.subscripts);
        let is_it = |own: &Access| !own.write && own.array == read.array && own.subscripts.as_ref() == written;
        self.program.statements[statement].accesses.iter().position(is_it)
    }

    /// Whether a statement would read an array along the direction along which it accesses it already: another would take a larger
    /// buffer than the copy.
    fn is_beside(&self, reader: StatementId, read: &kernel::Access) -> bool {
        let parallel = |one: &Affine, other: &Affine| (one.clone() - other.clone()).is_constant();
        let is_alike = |own: &kernel::Access| {
            own.array != read.array || own.subscripts.iter().zip(&read.subscripts).all(|(a, b)| parallel(a, b))
        };
        self.all[reader].accesses().all(is_alike)
    }

    /// A value over other iterators; `None` where it has names that are neither iterators nor sizes.
    fn renamed(&self, value: &Expr, there: &BTreeMap<&str, Affine>) -> Option<Expr> {
        let is_size = |name: &String| self.kernel.parameters.iter().any(|size| size.name == *name);
        let renamed = |affine: &Affine| {
            let is_known = affine.terms.keys().all(|name| there.contains_key(name.as_str()) || is_size(name));
            is_known
                .then(|| affine.substitute(|name| there.get(name).cloned().unwrap_or_else(|| Affine::variable(name))))
        };
        Some(match value {
            Expr::Read { access, ty } => {
                let subscripts = access.subscripts.iter().map(renamed).collect::<Option<_>>()?;
                Expr::Read { access: kernel::Access { subscripts, ..access.clone() }, ty: *ty }
            }
            Expr::Index { value, ty } => Expr::Index { value: renamed(value)?, ty: *ty },
            Expr::Cast { operand, ty } => Expr::Cast { operand: Box::new(self.renamed(operand, there)?), ty: *ty },
            other => other.clone(),
        })
    }
}

/// Those of one statement together, as far as their values are converted alike.
fn merged(origins: Vec<Origin>) -> Result<Vec<Origin>> {
    let mut all: Vec<Origin> = vec![];
    for origin in origins {
        match all.iter_mut().find(|known| (known.of, &known.conversions) == (origin.of, &origin.conversions)) {
            Some(known) => known.instances = known.instances.union(&origin.instances)?.coalesce()?,
            None => all.push(origin),
        }
    }
    Ok(all)
}

/// An iteration over the names of another, and where it is that.
type Function = (Vec<Affine>, Set);

/// `instances`, of iterations with the names `from` to those of `to` loops, as affine functions with the iterations in which they hold;
/// `None` where they are none.
fn functions(program: &Program, instances: &Map, from: &[String], to: usize) -> Result<Option<Vec<Function>>> {
    let is_taken = |name: &str| from.iter().chain(&program.parameters).any(|known| known == name);
    let there: Vec<String> = (0..to).map(|loop_| fresh(format!("there{loop_}"), |name| is_taken(name))).collect();
    let names: Vec<String> = from.iter().chain(&there).cloned().collect();
    let mut found = vec![];
    for piece in instances.wrap()?.pieces()? {
        let piece = piece.detect_equalities()?;
        if piece.locals()? > 0 {
            return Ok(None);
        }
        let mut known: BTreeMap<&str, Affine> = BTreeMap::new();
        let equalities = piece.constraints(&names)?.into_iter().filter(|own| matches!(own, Constraint::Zero(_)));
        let equalities: Vec<Affine> = equalities.map(|own| own.affine().clone()).collect();
        for _ in 0..to {
            for equality in &equalities {
                let left =
                    equality.substitute(|name| known.get(name).cloned().unwrap_or_else(|| Affine::variable(name)));
                let mut open = there.iter().filter(|name| left.coefficient(name) != 0);
                if let (Some(name), None) = (open.next(), open.next())
                    && let factor @ (1 | -1) = left.coefficient(name)
                {
                    known.insert(name, Affine::variable(name) - left * factor);
                }
            }
        }
        let Some(places) = there.iter().map(|name| known.get(name.as_str()).cloned()).collect() else {
            return Ok(None);
        };
        found.push((places, piece.to_set()?.unwrap()?.domain()?));
    }
    Ok(Some(found))
}

/// A choice between values, each in its iterations, of those of `domain`; `None` where what tells them apart is too much to compare.
fn chosen(mut found: Vec<(Expr, Set)>, domain: &Set, iterators: &[String]) -> Result<Option<Expr>> {
    let mut told = vec![];
    for (_, here) in &found {
        told.push(condition(&here.gist(domain)?, iterators)?);
    }
    // What takes the most to tell is what is left.
    let comparisons = |told: &Option<Condition>| told.as_ref().map_or(usize::MAX, |told| told.affines().len());
    let place = (0..found.len()).max_by_key(|place| comparisons(&told[*place])).unwrap_or(0);
    let (otherwise, _) = found.remove(place);
    told.remove(place);
    let Some(told) = told.into_iter().collect::<Option<Vec<Condition>>>() else { return Ok(None) };
    if told.iter().map(|own| own.affines().len()).sum::<usize>() > MOST_COMPARISONS {
        return Ok(None);
    }
    let otherwise =
        told.iter().fold(otherwise, |value, own| guarded(value, Some(&Condition::Not(Box::new(own.clone())))));
    let choose = |otherwise: Expr, ((value, _), own): ((Expr, Set), Condition)| Expr::Select {
        condition: Box::new(comparison(&own)),
        ty: value.ty(),
        then: Box::new(guarded(value, Some(&own))),
        otherwise: Box::new(otherwise),
    };
    Ok(Some(found.into_iter().zip(told).fold(otherwise, choose)))
}

/// A value whose elements are read where `guard` holds, too, alone.
fn guarded(mut value: Expr, guard: Option<&Condition>) -> Expr {
    if let Some(guard) = guard {
        rewrite_reads(&mut value, &mut |access| {
            access.guard = Some(match access.guard.take() {
                Some(own) => Condition::All(vec![own, guard.clone()]),
                None => guard.clone(),
            });
        });
    }
    value
}

/// What holds of the iterations of a set alone; `None` where that takes a division.
fn condition(set: &Set, iterators: &[String]) -> Result<Option<Condition>> {
    let mut any = vec![];
    for piece in set.coalesce()?.pieces()? {
        if piece.locals()? > 0 {
            return Ok(None);
        }
        let constraints = piece.constraints(iterators)?.into_iter().map(|constraint| match constraint {
            Constraint::Zero(affine) => Condition::Zero(affine),
            Constraint::NonNegative(affine) => Condition::NonNegative(affine),
        });
        let mut all: Vec<Condition> = constraints.collect();
        any.push(if all.len() == 1 { all.swap_remove(0) } else { Condition::All(all) });
    }
    Ok(Some(if any.len() == 1 { any.swap_remove(0) } else { Condition::Any(any) }))
}

/// The condition as C computes it.
fn comparison(condition: &Condition) -> Expr {
    let ty = ScalarType::integer(64, true);
    let compare = |op: BinaryOp, value: &Affine| Expr::Binary {
        op,
        left: Box::new(Expr::Constant { value: 0, ty }),
        right: Box::new(Expr::Index { value: value.clone(), ty }),
        ty: ScalarType::I32,
    };
    let constant = |value: bool| Expr::Constant { value: i64::from(value), ty: ScalarType::I32 };
    let together = |op: BinaryOp, parts: &[Condition]| {
        let join = |left: Expr, right: Expr| Expr::Binary {
            op,
            left: Box::new(left),
            right: Box::new(right),
            ty: ScalarType::I32,
        };
        parts.iter().map(comparison).reduce(join).unwrap_or_else(|| constant(op == BinaryOp::LogicalAnd))
    };
    match condition {
        Condition::NonNegative(value) => compare(BinaryOp::LessEqual, value),
        Condition::Zero(value) => compare(BinaryOp::Equal, value),
        Condition::All(parts) => together(BinaryOp::LogicalAnd, parts),
        Condition::Any(parts) => together(BinaryOp::LogicalOr, parts),
        Condition::Not(part) => {
            Expr::Unary { op: kernel::UnaryOp::Not, operand: Box::new(comparison(part)), ty: ScalarType::I32 }
        }
    }
}

/// Puts values in the place of the reads that have some.
fn replace(expr: &mut Expr, values: &[(&kernel::Access, Expr)]) {
    if let Expr::Read { access, .. } = expr {
        let is_it =
            |(read, _): &&(&kernel::Access, Expr)| (read.array, &read.subscripts) == (access.array, &access.subscripts);
        if let Some((_, value)) = values.iter().find(is_it) {
            *expr = guarded(value.clone(), access.guard.as_ref());
        }
        return;
    }
    expr.operands_mut().into_iter().for_each(|operand| replace(operand, values));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{self, Source};

    /// What is left of a kernel with the body.
    fn kept(body: &str) -> Kernel {
        let arguments = "int N, int a[N], int b[N], int c[N][N], int d[N][N]";
        let text = format!("#pragma burstc size(N: 5, min 2, max 16)\nvoid k({arguments})\n{{\n{body}\n}}\n");
        settled(&source::parse(&Source { path: "k.c".into(), text, cpp_args: vec![] }).unwrap()).unwrap()
    }

    fn locals(kernel: &Kernel) -> impl Iterator<Item = &kernel::Array> {
        kernel.arrays.iter().filter(|array| array.storage != Storage::Argument)
    }

    /// The statements and the local arrays that are left.
    fn left(body: &str) -> (usize, Vec<String>) {
        let kernel = kept(body);
        (kernel.statements().len(), locals(&kernel).map(|array| array.name.clone()).collect())
    }

    #[test]
    fn copies_of_what_stays_go() {
        let rows = |steps: &str| {
            format!("for (int i = 0; i < N; i++) {{ int s = 1, t = 0; for (int j = 0; j < N; j++) {{ {steps} }} }}")
        };
        for (body, statements) in [
            (rows("c[i][j] = d[i][j] + 3 * s - t; t = s; s = c[i][j];"), 1),
            (rows("c[i][j] += t; t = s; s = d[i][j];"), 1),
            (rows("if (j > 2) s = d[i][j]; c[i][j] = s;"), 1),
            // Behind the loop the last one is read.
            (rows("t = d[i][j];").replace("} }", "} a[i] = t; }"), 1),
            // The first element is one of those that move on.
            ("int s = a[0]; for (int i = 1; i < N; i++) { b[i] = a[i] - s; s = a[i]; }".into(), 1),
            // The samples of four iterations.
            ("int s[4] = {0}; for (int i = 0; i < N; i++) { s[3] = s[2]; s[2] = s[1]; s[1] = s[0]; s[0] = a[i]; b[i] = s[3] - s[1]; }".into(), 1),
            ("int s[4] = {0}; for (int i = 0; i < N; i++) { for (int k = 3; k > 0; k--) s[k] = s[k - 1]; s[0] = a[i]; b[i] = s[3]; }".into(), 1),
        ] {
            assert_eq!(left(&body), (statements, vec![]), "{body}");
        }
    }

    /// The local arrays that are left, with their extents.
    fn arrays_left(body: &str) -> Vec<(String, String)> {
        let extents =
            |array: &kernel::Array| array.extents.iter().map(Affine::to_string).collect::<Vec<_>>().join(", ");
        locals(&kept(body)).map(|array| (array.name.clone(), extents(array))).collect()
    }

    #[test]
    fn values_that_are_computed_and_moved_have_an_array() {
        let rows = |declared: &str, steps: &str| {
            format!("{declared} for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {{ {steps} }}")
        };
        for (body, left) in [
            // One value for both, over the loops inside the declaration.
            (
                rows(
                    "int l[16] = {0}, s = 0, t = 0;",
                    "t = s; s = 3 * d[i][j]; if (j > 0) c[i][j] = t + l[j]; l[j] = 3 * d[i][j];",
                ),
                &[("s_value", "N, N")][..],
            ),
            (
                "for (int i = 0; i < N; i++) { int s = 0, t = 0; for (int j = 0; j < N; j++) { t = s; s = 3 * d[i][j]; c[i][j] = t + s; } }".into(),
                &[("s_value", "N")],
            ),
            // What it is computed from changes between both.
            (
                rows("int s = 0, t = 0, u = 0, v = 0;", "t = s; v = u; s = 3 * d[i][j]; d[i][j] = c[i][j]; u = 3 * d[i][j]; if (j > 0) a[j] = t + v;"),
                &[("s_value", "N, N"), ("u_value", "N, N")],
            ),
            // It goes into what it is computed from.
            (rows("int s = 0, t = 0;", "t = s; s = 3 * d[i][j] + t; c[i][j] = s;"), &[("s", "")]),
            // Nothing is gained.
            (rows("int s = 1;", "c[i][j] = s; s = 2 * d[i][j];"), &[("s", "")]),
            // Nothing is known of the first ones; they are moved, and not used.
            (
                rows("int s, t;", "t = s; s = 3 * d[i][j]; if (j > 0) c[i][j] = s + t;"),
                &[("s_value", "N, N")],
            ),
        ] {
            let left: Vec<(String, String)> = left.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
            assert_eq!(arrays_left(&body), left, "{body}");
        }
    }

    #[test]
    fn copies_of_what_changes_stay() {
        for (body, kept) in [
            // What is copied is written before the copy is read.
            ("int s = 0; for (int i = 0; i < N; i++) { b[i] = s; s = a[i]; a[i] = 3 * i; }", &["s"][..]),
            ("for (int i = 0; i < N; i++) { int s = a[i]; a[i] = b[i]; b[i] = s; }", &["s"]),
            // Another iteration's variable.
            (
                "int s = 1; for (int i = 0; i < N; i++) { int t = b[i]; for (int j = 0; j < N; j++) t += j; b[i] = s; s = t; }",
                &["s", "t"],
            ),
            // Values that are computed.
            ("int s = 1; for (int i = 0; i < N; i++) { b[i] = s; s = 2 * a[i]; }", &["s"]),
            // The first element would be kept beside those that move on.
            ("int s = a[0]; for (int i = 1; i < N; i++) { for (int j = 0; j < N; j++) b[i] += s * a[i]; }", &["s"]),
        ] {
            let (_, locals) = left(body);
            assert_eq!(locals, kept, "{body}");
        }
    }
}
