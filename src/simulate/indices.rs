//! Subscripts that depend on data: random data that are subscripts of their arrays, and the check that the C program's
//! subscripts stay in theirs.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use anyhow::Result;

use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};
use crate::ids::ArrayId;
use crate::offload::Offload;
use crate::simulate::golden::Golden;
use crate::simulate::job::Job;
use crate::simulate::number::Number;
use crate::simulate::random::Range;
use crate::source::evaluate::evaluate;
use crate::source::kernel::{Access, Argument, BinaryOp, Expr, Kernel, ScalarType, Statement, UnaryOp};
use crate::walk::{Values, count, in_order};

/// Loops that a count of the iterations looks at, and iterations that are checked: beyond them the status word tells.
const STEPS: u64 = 1_000_000;
const MOST: u64 = 2_000_000;

/// The ranges of integers that are subscripts as they are, or but for a constant, where nobody gave them another.
pub fn ranges(kernel: &Kernel, sizes: &BTreeMap<String, i64>) -> BTreeMap<String, Range> {
    let mut found: BTreeMap<ArrayId, (i128, i128)> = BTreeMap::new();
    let statements = kernel.statements();
    let places = statements.iter().flat_map(|statement| statement.gathers().into_iter().chain(statement.scatter()));
    for gather in places {
        for (subscript, extent) in gather.subscripts.iter().zip(&kernel.arrays[gather.array].extents) {
            let Some((array, factor, constant)) =
                scaled(subscript).filter(|(array, ..)| !kernel.arrays[*array].boolean)
            else {
                continue;
            };
            let array = kernel.memory_of(array);
            let element = kernel.arrays[array].element;
            let limits = (element.limits().0.into(), element.limits().1.into());
            let range = found.entry(array).or_insert(limits);
            let extent = extent.evaluate(|name| sizes.get(name).copied().unwrap_or(0));
            let (factor, first, last) =
                (i128::from(factor), -i128::from(constant), i128::from(extent - 1) - i128::from(constant));
            let (first, last) = if factor > 0 { (first, last) } else { (-last, -first) };
            range.0 = range.0.max(-(-first).div_euclid(factor.abs()));
            range.1 = range.1.min(last.div_euclid(factor.abs()));
        }
    }
    for (low, high, array) in statements.iter().flat_map(|statement| limits(kernel, statement, sizes)) {
        let range = found.entry(array).or_insert((low, high));
        *range = (range.0.max(low), range.1.min(high));
    }
    let found = found.into_iter().filter(|(_, (low, high))| low <= high);
    found.map(|(array, (low, high))| (kernel.arrays[array].name.clone(), Range::whole(low, high))).collect()
}

/// What the bounds of loops are made of, with the values by which these stay in what is known of them.
fn limits(kernel: &Kernel, statement: &Statement, sizes: &BTreeMap<String, i64>) -> Vec<(i128, i128, ArrayId)> {
    let known = |expr: &Expr| -> Option<i128> {
        let index = |name: &str| named(kernel, sizes, name, &|_| None);
        (expr.reads().is_empty() && expr.gathers().is_empty() && expr.scalars().is_empty())
            .then(|| evaluate(expr, &mut |_| 0, &|_| 0, &index).into())
    };
    let mut found = vec![];
    for comparison in statement.values().flat_map(Expr::told).flat_map(leaves) {
        let Expr::Binary { op, left, right, .. } = comparison else { continue };
        let strict = i128::from(*op != BinaryOp::Less);
        let limits = match (known(left), data(left), known(right), data(right)) {
            // The start is below the smallest value.
            (_, Some((array, constant)), Some(least), _) => (least - i128::from(constant), i128::MAX, array),
            // What ends the loop is beyond the largest.
            (Some(most), _, _, Some((array, constant))) => (i128::MIN, most - strict - i128::from(constant), array),
            _ => continue,
        };
        let element = kernel.arrays[limits.2].element.limits();
        let array = kernel.memory_of(limits.2);
        found.push((limits.0.max(element.0.into()), limits.1.min(element.1.into()), array));
    }
    found
}

/// The comparisons behind what says that there are iterations.
fn leaves(told: &Expr) -> Vec<&Expr> {
    match told {
        Expr::Binary { right, .. } => right.comparisons(),
        _ => vec![],
    }
}

/// Arrays of which neighbours begin and end a loop, `ptr[i]` and `ptr[i + 1]`: random data of theirs rise.
pub fn rising(kernel: &Kernel) -> BTreeSet<String> {
    let statements = kernel.statements();
    let comparisons = statements.iter().flat_map(|s| s.values()).flat_map(Expr::told).flat_map(Expr::comparisons);
    let both = comparisons.filter_map(|comparison| match comparison.operands()[..] {
        [left, right] => data(left).map(|(array, _)| array).filter(|a| data(right).is_some_and(|(b, _)| b == *a)),
        _ => None,
    });
    both.map(|array| kernel.arrays[kernel.memory_of(array)].name.clone()).collect()
}

/// The array whose element an expression is, but for conversions and a constant that is added.
fn data(expr: &Expr) -> Option<(ArrayId, i64)> {
    scaled(expr).filter(|(_, factor, _)| *factor == 1).map(|(array, _, constant)| (array, constant))
}

/// The array, a factor, not 0, and a constant, where an expression is the array's element, times the one, and the other added.
fn scaled(expr: &Expr) -> Option<(ArrayId, i64, i64)> {
    let constant = |expr: &Expr| match expr {
        Expr::Constant { value, .. } => Some(*value),
        _ => None,
    };
    match expr {
        Expr::Read { access, ty } if !ty.floating => Some((access.array, 1, 0)),
        Expr::Gather { gather, ty } if !ty.floating => Some((gather.array, 1, 0)),
        Expr::Cast { operand, .. } => scaled(operand),
        Expr::Binary { op, left, right, .. } => {
            let ((array, factor, own), other, is_left) = match (constant(left), constant(right)) {
                (None, Some(other)) => (scaled(left)?, other, true),
                (Some(other), None) => (scaled(right)?, other, false),
                _ => return None,
            };
            match (op, is_left) {
                (BinaryOp::Add, _) => Some((array, factor, own.checked_add(other)?)),
                (BinaryOp::Subtract, true) => Some((array, factor, own.checked_sub(other)?)),
                (BinaryOp::Subtract, false) => Some((array, -factor, other.checked_sub(own)?)),
                (BinaryOp::Multiply, _) if other != 0 => {
                    Some((array, factor.checked_mul(other)?, own.checked_mul(other)?))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// What the loops of a kernel may look for.
#[derive(Clone, Debug, Default)]
pub struct Sought {
    /// The places of the scalars among the arguments.
    scalars: Vec<usize>,
    values: Vec<Compared>,
}

/// A value with which something is compared.
#[derive(Clone, Debug)]
struct Compared {
    /// The array, an argument, that is compared with it as it is.
    array: Option<ArrayId>,
    value: Wanted,
    /// What is added to it: compared by order, its neighbours end a loop.
    steps: &'static [i64],
}

#[derive(Clone, Debug)]
enum Wanted {
    /// Known before the run.
    Known(Expr),
    /// Of iterators.
    Counted(Expr),
    /// The elements of an argument.
    Elements(ArrayId, ScalarType),
}

/// As many values of an iterator, or elements of an array, are looked for.
const SEVERAL: usize = 16;
/// As many elements in a row have a value that is looked for, where one is not enough.
const RUN: usize = 4;

/// The places of the scalars among the arguments, in the order of `Kernel::scalars`.
fn scalars(kernel: &Kernel) -> impl Iterator<Item = usize> + '_ {
    let arguments = kernel.arguments.iter().enumerate();
    arguments.filter(|(_, argument)| matches!(argument, Argument::Scalar(_))).map(|(place, _)| place)
}

/// The values with which a kernel compares what it reads.
pub fn sought(kernel: &Kernel) -> Sought {
    let is_size = |name: &str| kernel.parameters.iter().any(|parameter| parameter.name == name);
    let is_known = |expr: &Expr, or_counted: bool| {
        let mut all = true;
        expr.visit(&mut |own| {
            all &= match own {
                Expr::Index { value, .. } => or_counted || value.terms.keys().all(|name| is_size(name)),
                Expr::Scalar { scalar, .. } => *scalar < kernel.scalar_arguments(),
                Expr::Constant { .. } | Expr::Unary { .. } | Expr::Binary { .. } | Expr::Cast { .. } => true,
                _ => false,
            };
        });
        all
    };
    fn element(expr: &Expr) -> Option<(ArrayId, ScalarType)> {
        match expr {
            Expr::Read { access, ty } => Some((access.array, *ty)),
            Expr::Gather { gather, ty } => Some((gather.array, *ty)),
            Expr::Cast { operand, .. } => element(operand),
            _ => None,
        }
    }
    let mut found = vec![];
    for value in kernel.statements().iter().flat_map(|statement| statement.values()) {
        value.visit(&mut |expr| {
            let Expr::Binary { op, left, right, .. } = expr else { return };
            let steps: &[i64] = match op {
                BinaryOp::Equal | BinaryOp::NotEqual => &[0],
                BinaryOp::Less | BinaryOp::LessEqual => &[0, -1, 1],
                _ => return,
            };
            for (looked, value) in [(&**left, &**right), (right, left)] {
                if is_known(looked, true) {
                    continue;
                }
                let array = element(looked).map(|(array, _)| kernel.memory_of(array));
                let value = match element(value) {
                    _ if is_known(value, false) => Some(Wanted::Known(value.clone())),
                    _ if is_known(value, true) => Some(Wanted::Counted(value.clone())),
                    own => own.map(|(array, ty)| Wanted::Elements(kernel.memory_of(array), ty)),
                };
                found.extend(value.map(|value| Compared { array, value, steps }));
            }
        });
    }
    Sought { scalars: scalars(kernel).collect(), values: found }
}

impl Sought {
    /// What a region of [`Job::placement`] may get for loops to end in it, one after the other, as [`Job::plant`] takes it: each value
    /// that they may look for, then all of them side by side, and in the end each in a row.
    pub fn in_region(&self, job: &Job, region: usize) -> Vec<Vec<u64>> {
        let values = self.values(job, region);
        let of = |times: usize| values.iter().map(move |value| vec![*value; times]);
        // Each twice, for those who look at every other element, and once more, for those who look again.
        let side_by_side: Vec<u64> = values.iter().chain(&values).flat_map(|value| [*value; 2]).collect();
        of(1).chain((values.len() > 1).then_some(side_by_side)).chain(of(RUN)).collect()
    }

    /// The bits of an element of a region, for each value that loops may look for in it: first what that array is compared with, then
    /// what others are, and 0.
    fn values(&self, job: &Job, region: usize) -> Vec<u64> {
        let own = &job.placement.regions[region];
        let scalar = |scalar: usize| job.arguments[self.scalars[scalar]] as i64;
        let index = |name: &str, other: i64| job.sizes.get(name).copied().unwrap_or(other);
        // Where equality ends a loop, nothing else does.
        let mut all: Vec<&Compared> = self.values.iter().collect();
        all.sort_by_key(|compared| (compared.array != Some(own.array), compared.steps.len()));
        let mut found = vec![];
        for compared in all {
            let known = |expr: &Expr, other: i64| {
                let bits = evaluate(expr, &mut |_| 0, &scalar, &|name| index(name, other));
                Number::of(bits as u64, expr.ty())
            };
            let values: Vec<Number> = match &compared.value {
                Wanted::Known(expr) => vec![known(expr, 0)],
                Wanted::Counted(expr) => (0..SEVERAL as i64).map(|other| known(expr, other)).collect(),
                Wanted::Elements(array, ty) => job.first_elements(*array, SEVERAL, *ty),
            };
            found.extend(values.iter().flat_map(|value| compared.steps.iter().map(|step| value.plus(*step))));
        }
        found.push(Number::Whole(0));
        let mut bits: Vec<u64> = vec![];
        for value in found.into_iter().filter(|value| job.may_hold(region, *value)) {
            bits.extend(value.as_element(own.element).filter(|own| !bits.contains(own)));
        }
        bits.truncate(SEVERAL);
        bits
    }
}

/// The memory after the C program has run on data by which no subscript leaves its array; a `Diagnostic` as of [`Golden::expected`] and
/// [`check`].
pub fn expected(golden: Golden, offload: &Offload, job: &mut Job) -> Result<Vec<u8>> {
    let Err(refused) = check(offload, job) else {
        let image = golden.expected(job)?;
        // What the host computes is known now.
        if !offload.kernel.host.is_empty() {
            check(offload, job)?;
        }
        return Ok(image);
    };
    // It may be that a loop has not found what it looks for.
    let drawn = job.image.clone();
    match golden.briefly().expected(job) {
        Ok(image) if check(offload, job).is_ok() => Ok(image),
        _ => {
            job.image = drawn;
            Err(refused.into())
        }
    }
}

/// Runs the program as it is written, and refuses data by which a subscript leaves its array: C leaves undefined what is read
/// there, so that there is nothing to compare with. Programs of more iterations than [`MOST`] are not looked at.
pub fn check(offload: &Offload, job: &Job) -> std::result::Result<(), Diagnostic> {
    let kernel = &*offload.as_written();
    let iterations = || {
        let (mut values, mut steps) = (Values::new(&job.sizes), STEPS);
        offload.source_order.pieces.iter().map(|piece| count(piece, &mut values, &mut steps)).sum::<Option<u64>>()
    };
    let scalars = scalars(kernel).map(|place| job.arguments[place] as i64);
    let scalars: Vec<i64> = scalars.chain(job.host.iter().map(|bits| *bits as i64)).collect();
    let is_known = scalars.len() == kernel.scalars.len();
    if !kernel.depends_on_data() || !is_known || iterations().is_none_or(|count| count > MOST) {
        return Ok(());
    }
    let (statements, iterators) = (kernel.statements(), kernel.iterators());
    let mut image = job.image.clone();
    let outside: RefCell<Option<(Span, ArrayId, i64, i64)>> = RefCell::new(None);
    // With whether it is no bound of a loop that is beyond, which has two sides, but a number of rounds.
    let beyond: RefCell<Option<(Span, bool)>> = RefCell::new(None);
    let mut values = Values::new(&job.sizes);
    let _ = in_order(&offload.source_order.pieces, &mut values, |piece, values| {
        let number = piece.leaf.statement();
        let (statement, names) = (statements[number], &iterators[number]);
        let point: Vec<i64> = piece.point.iter().map(|value| values.evaluate(value)).collect();
        let index = |name: &str| match names.iter().position(|iterator| iterator == name) {
            Some(place) => point[place],
            None => named(kernel, &job.sizes, name, &|name| {
                names.iter().position(|iterator| iterator == name).map(|place| point[place])
            }),
        };
        let place = |access: &Access| {
            let region = job.placement.region(kernel.memory_of(access.array));
            let subscripts: Vec<i64> = access.subscripts.iter().map(|subscript| subscript.evaluate(index)).collect();
            for (&subscript, extent) in subscripts.iter().zip(&kernel.arrays[access.array].extents) {
                let extent = extent.evaluate(|name| job.sizes.get(name).copied().unwrap_or(0));
                if subscript < 0 || subscript >= extent {
                    outside.borrow_mut().get_or_insert((access.span, access.array, subscript, extent));
                    return None;
                }
            }
            let start = region.base as usize + region.layout.offset(|k| subscripts[k] as u64) as usize;
            Some(start..start + region.element.bytes() as usize)
        };
        let (value, target) = {
            let mut read = |access: &Access| {
                let word = place(access).map(|bytes| {
                    image[bytes].iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte)) as i64
                });
                word.unwrap_or(0)
            };
            let mut of = |expr: &Expr| evaluate(expr, &mut read, &|scalar| scalars[scalar], &index);
            if let Some(told) = statement.values().find_map(|value| told(value, &mut of)) {
                *beyond.borrow_mut() =
                    Some((statement.span, !matches!(told, Expr::Binary { op: BinaryOp::LogicalAnd, .. })));
                return ControlFlow::Break(());
            }
            match &statement.value {
                Expr::Scatter { only_if: Some(only_if), .. } if of(only_if) == 0 => return ControlFlow::Continue(()),
                Expr::Scatter { place, value, .. } => {
                    let subscripts = place.subscripts.iter().map(|subscript| Affine::constant(of(subscript)));
                    let subscripts = subscripts.collect();
                    let target = Access { array: place.array, subscripts, guard: None, span: place.span };
                    (of(value), target)
                }
                value => (of(value), statement.target.clone()),
            }
        };
        if let Some(bytes) = place(&target) {
            let length = bytes.len();
            image[bytes].copy_from_slice(&value.to_le_bytes()[..length]);
        }
        if outside.borrow().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if let Some((span, true)) = beyond.borrow().as_ref() {
        return Err(Diagnostic::new("with these data a loop runs more often than `rounds` says")
            .at(*span, "in this loop")
            .help("state more rounds, or give the data that decide a range, --data NAME=LOW..HIGH"));
    }
    if let Some((span, _)) = beyond.into_inner() {
        return Err(Diagnostic::new("with these data the bounds of a loop leave the arrays, or the range that they were given")
            .at(span, "in this loop")
            .help("give the data that they are made of a range, --data NAME=LOW..HIGH or `#pragma burstc range(NAME: LOW..HIGH)`"));
    }
    match outside.into_inner() {
        None => Ok(()),
        Some((span, array, subscript, extent)) => {
            let name = &kernel.arrays[array].name;
            let limit = if subscript < 0 { "below 0".to_string() } else { format!("and its extent is {extent}") };
            Err(Diagnostic::new(format!("a subscript of `{name}` leaves its array with these data: it is {subscript}, {limit}"))
                .at(span, "C leaves this undefined")
                .help("give the data that it is made of a range, --data NAME=LOW..HIGH or `#pragma burstc range(NAME: LOW..HIGH)`, or mask it in C, as in `t[x[i] & 255]`"))
        }
    }
}

/// What is an error, of all that C evaluates on the way to a value.
fn told<'e>(expr: &'e Expr, of: &mut dyn FnMut(&Expr) -> i64) -> Option<&'e Expr> {
    let (first, then) = match expr {
        Expr::Unary { op: UnaryOp::OutOfRange, operand, .. } => {
            return told(operand, of).or_else(|| (of(operand) != 0).then_some(&**operand));
        }
        Expr::Select { condition, then, otherwise, .. } => {
            (condition, if of(condition) != 0 { then } else { otherwise })
        }
        Expr::Binary { op: BinaryOp::LogicalAnd, left, right, .. } if of(left) != 0 => (left, right),
        Expr::Binary { op: BinaryOp::LogicalOr, left, right, .. } if of(left) == 0 => (left, right),
        Expr::Binary { op: BinaryOp::LogicalAnd | BinaryOp::LogicalOr, left, .. } => return told(left, of),
        _ => return expr.operands().into_iter().find_map(|operand| told(operand, of)),
    };
    told(first, of).or_else(|| told(then, of))
}

/// A size, or the value of a quotient.
fn named(kernel: &Kernel, sizes: &BTreeMap<String, i64>, name: &str, iterator: &dyn Fn(&str) -> Option<i64>) -> i64 {
    if let Some(size) = iterator(name).or_else(|| sizes.get(name).copied()) {
        return size;
    }
    let Some(quotient) = kernel.quotients.iter().find(|quotient| quotient.name == name) else { return 0 };
    quotient.of(quotient.numerator.evaluate(|name| named(kernel, sizes, name, iterator)))
}
