//! Subscripts that depend on data: random data that are subscripts of their arrays, and the check that the C program's
//! subscripts stay in theirs.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};
use crate::ids::ArrayId;
use crate::offload::Offload;
use crate::simulate::job::Job;
use crate::simulate::random::Range;
use crate::source::evaluate::evaluate;
use crate::source::kernel::{Access, Argument, BinaryOp, Expr, Kernel, Statement};
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
            let Some((array, constant)) = data(subscript).filter(|(array, _)| !kernel.arrays[*array].boolean) else {
                continue;
            };
            let array = kernel.memory_of(array);
            let element = kernel.arrays[array].element;
            let limits = (element.limits().0.into(), element.limits().1.into());
            let range = found.entry(array).or_insert(limits);
            let extent = extent.evaluate(|name| sizes.get(name).copied().unwrap_or(0));
            range.0 = range.0.max(-i128::from(constant));
            range.1 = range.1.min(i128::from(extent) - 1 - i128::from(constant));
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
    match expr {
        Expr::Read { access, ty } if !ty.floating => Some((access.array, 0)),
        Expr::Gather { gather, ty } if !ty.floating => Some((gather.array, 0)),
        Expr::Cast { operand, .. } => data(operand),
        Expr::Binary { op: op @ (BinaryOp::Add | BinaryOp::Subtract), left, right, .. } => match (&**left, &**right) {
            (left, Expr::Constant { value, .. }) => {
                let (array, constant) = data(left)?;
                Some((array, if *op == BinaryOp::Add { constant + value } else { constant - value }))
            }
            (Expr::Constant { value, .. }, right) if *op == BinaryOp::Add => {
                data(right).map(|(array, constant)| (array, constant + value))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Runs the program as it is written, and refuses data by which a subscript leaves its array: C leaves undefined what is read
/// there, so that there is nothing to compare with. Programs of more iterations than [`MOST`] are not looked at.
pub fn check(offload: &Offload, job: &Job) -> Result<(), Diagnostic> {
    let kernel = &*offload.as_written();
    let iterations = || {
        let (mut values, mut steps) = (Values::new(&job.sizes), STEPS);
        offload.source_order.pieces.iter().map(|piece| count(piece, &mut values, &mut steps)).sum::<Option<u64>>()
    };
    let scalars = kernel.arguments.iter().zip(&job.arguments);
    let scalars = scalars.filter(|(argument, _)| matches!(argument, Argument::Scalar(_))).map(|(_, bits)| *bits as i64);
    let scalars: Vec<i64> = scalars.chain(job.host.iter().map(|bits| *bits as i64)).collect();
    let is_known = scalars.len() == kernel.scalars.len();
    if !kernel.depends_on_data() || !is_known || iterations().is_none_or(|count| count > MOST) {
        return Ok(());
    }
    let (statements, iterators) = (kernel.statements(), kernel.iterators());
    let mut image = job.image.clone();
    let outside: RefCell<Option<(Span, ArrayId, i64, i64)>> = RefCell::new(None);
    let beyond: RefCell<Option<Span>> = RefCell::new(None);
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
            if statement.values().flat_map(Expr::told).any(|told| of(told) != 0) {
                *beyond.borrow_mut() = Some(statement.span);
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
    if let Some(span) = beyond.into_inner() {
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

/// A size, or the value of a quotient.
fn named(kernel: &Kernel, sizes: &BTreeMap<String, i64>, name: &str, iterator: &dyn Fn(&str) -> Option<i64>) -> i64 {
    if let Some(size) = iterator(name).or_else(|| sizes.get(name).copied()) {
        return size;
    }
    let Some(quotient) = kernel.quotients.iter().find(|quotient| quotient.name == name) else { return 0 };
    quotient.of(quotient.numerator.evaluate(|name| named(kernel, sizes, name, iterator)))
}
