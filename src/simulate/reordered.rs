//! What memory holds after a run whose lanes combine floating-point numbers in another order than the C program
//! (`--allow-reassociation`): the same arithmetic, rounded in the hardware's order.

use crate::offload::{Lanes, Offload, Reduction};
use crate::simulate::job::{Job, Region};
use crate::source::evaluate::evaluate;
use crate::source::kernel::{Access, Argument, Expr, ScalarType, Statement};
use crate::walk::{Values, visit};

/// What is expected in place of what the C program leaves, `program`.
#[derive(Clone, Debug, PartialEq)]
pub struct Reordered {
    pub image: Vec<u8>,
    /// The largest difference from `program` over the largest magnitude of the array.
    pub difference: f64,
}

/// The memory after `job`; `None` where the lanes keep the source's order.
pub fn reordered(offload: &Offload, job: &Job, program: &[u8]) -> Option<Reordered> {
    if !offload.reassociates() {
        return None;
    }
    let lanes = offload.band().compute.lanes.as_ref()?;
    let reduction = lanes.reduction.as_ref()?;
    let mut run = Run::new(offload, job);
    // Tiles run in lexicographic order of their indices.
    let mut values = Values::new(&job.sizes);
    let mut tiles: Vec<Vec<i64>> = vec![];
    for piece in &offload.tiles.pieces {
        visit(piece, 0, &mut values, &mut |values| {
            tiles.push(piece.point.iter().map(|index| values.evaluate(index)).collect());
        });
    }
    tiles.sort();
    for tile in tiles {
        let place = values.enter_tile(&offload.kernel, &tile);
        for piece in &offload.band().compute.scan.pieces {
            visit(piece, 0, &mut values, &mut |values| {
                let point: Vec<i64> = piece.point.iter().map(|value| values.evaluate(value)).collect();
                run.group(lanes, reduction, &point);
            });
        }
        values.stack.truncate(place);
    }
    let region = job.placement.region(run.statement.target.array);
    let difference = difference(region, &run.image, program);
    Some(Reordered { image: run.image, difference })
}

/// The memory during a run of the only statement.
struct Run<'a> {
    offload: &'a Offload,
    job: &'a Job,
    statement: &'a Statement,
    iterators: Vec<String>,
    /// By number in `Kernel::scalars`.
    scalars: Vec<i64>,
    image: Vec<u8>,
}

impl<'a> Run<'a> {
    fn new(offload: &'a Offload, job: &'a Job) -> Self {
        let kernel = &offload.kernel;
        let arguments = kernel.arguments.iter().zip(&job.arguments);
        let scalars = arguments.filter(|(argument, _)| matches!(argument, Argument::Scalar(_))).map(|(_, bits)| bits);
        Run {
            offload,
            job,
            statement: kernel.statements()[0],
            iterators: kernel.iterators().swap_remove(0),
            scalars: scalars.chain(&job.host).map(|bits| *bits as i64).collect(),
            image: job.image.clone(),
        }
    }

    /// The lanes at a point of the scan: lane 0's iterators, then the slack of every mask.
    fn group(&mut self, lanes: &Lanes, reduction: &Reduction, point: &[i64]) {
        let (iterators, slacks) = point.split_at(lanes.steps.len());
        let element = self.offload.kernel.arrays[self.statement.target.array].element;
        let mut terms: Vec<i64> = vec![];
        let mut runs = false;
        for lane in 0..lanes.count {
            if slacks.iter().zip(&lanes.masks).all(|(slack, step)| slack + lane * step >= 0) {
                let own: Vec<i64> = iterators.iter().zip(&lanes.steps).map(|(i, step)| i + lane * step).collect();
                terms.push(self.value(&reduction.term, &own));
                runs = true;
            } else {
                terms.push(reduction.floating_identity(element));
            }
        }
        if !runs {
            return;
        }
        while terms.len() > 1 {
            let pair = |pair: &[i64]| both(&reduction.combined(operand(0, element), operand(1, element)), pair);
            terms = terms.chunks(2).map(pair).collect();
        }
        let target = self.address(&self.statement.target, iterators);
        let old = self.word(target);
        let new = both(&reduction.updated(operand(0, element), operand(1, element)), &[old, terms[0]]);
        let (start, bytes) = target;
        self.image[start..start + bytes].copy_from_slice(&new.to_le_bytes()[..bytes]);
    }

    /// The value of an expression in the iteration `iterators`.
    fn value(&self, expr: &Expr, iterators: &[i64]) -> i64 {
        let read = &mut |access: &Access| self.word(self.address(access, iterators));
        evaluate(expr, read, &|scalar| self.scalars[scalar], &|name| self.index(name, iterators))
    }

    fn index(&self, name: &str, iterators: &[i64]) -> i64 {
        let own = self.iterators.iter().position(|iterator| iterator == name).map(|place| iterators[place]);
        own.or_else(|| self.job.sizes.get(name).copied()).unwrap_or(0)
    }

    /// Where an element's bytes begin, and how many they are.
    fn address(&self, access: &Access, iterators: &[i64]) -> (usize, usize) {
        let region = self.job.placement.region(access.array);
        let subscript = |k: usize| access.subscripts[k].evaluate(|name| self.index(name, iterators)) as u64;
        (region.base as usize + region.layout.offset(subscript) as usize, region.element.bytes() as usize)
    }

    fn word(&self, (start, bytes): (usize, usize)) -> i64 {
        little_endian(&self.image[start..start + bytes]) as i64
    }
}

/// Operand `index` of an expression for [`both`].
fn operand(index: usize, ty: ScalarType) -> Expr {
    Expr::Scalar { scalar: index, ty }
}

/// An expression's value for its two operands.
fn both(expr: &Expr, operands: &[i64]) -> i64 {
    evaluate(expr, &mut |_| unreachable!("no array"), &|scalar| operands[scalar], &|_| unreachable!("no index"))
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// The largest difference of finite numbers of an array over its largest magnitude; 0 where they are equal.
fn difference(region: &Region, one: &[u8], other: &[u8]) -> f64 {
    let range = region.base as usize..(region.base + region.bytes()) as usize;
    let bytes = region.element.bytes() as usize;
    let number = |word: &[u8]| match bytes {
        4 => f64::from(f32::from_bits(little_endian(word) as u32)),
        _ => f64::from_bits(little_endian(word)),
    };
    let (mut largest, mut apart) = (0f64, 0f64);
    for (a, b) in one[range.clone()].chunks(bytes).zip(other[range].chunks(bytes)) {
        let (a, b) = (number(a), number(b));
        if a.is_finite() && b.is_finite() {
            largest = largest.max(b.abs());
            apart = apart.max((a - b).abs());
        }
    }
    if apart > 0.0 { apart / largest } else { 0.0 }
}
