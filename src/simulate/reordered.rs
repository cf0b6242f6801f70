//! What memory holds after a run whose lanes combine floating-point numbers in another order than the C program
//! (`--allow-reassociation`): the same arithmetic, rounded in the hardware's order.

use std::ops::ControlFlow;

use crate::affine::Affine;
use crate::ids::{BandId, ByStatement, StatementId};
use crate::offload::{Offload, Piece, Reduction};
use crate::simulate::job::{Job, Region};
use crate::source::evaluate::evaluate;
use crate::source::kernel::{Access, Argument, Expr, ScalarType, Statement};
use crate::walk::{Values, in_order, visit};

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
    let mut run = Run::new(offload, job);
    // Tiles run in lexicographic order of their indices.
    let mut values = Values::new(&job.sizes);
    let mut tiles: Vec<(Vec<i64>, BandId)> = vec![];
    for piece in &offload.tiles.pieces {
        visit(piece, &mut values, |values| {
            tiles.push((piece.point.iter().map(|index| values.evaluate(index)).collect(), piece.leaf.band()));
        });
    }
    tiles.sort();
    for (tile, band) in tiles {
        let place = values.enter_tile(&offload.kernel, &tile);
        let _ = in_order(&offload.bands[band].compute.scan.pieces, &mut values, |piece, values| {
            run.point(piece, values);
            ControlFlow::Continue(())
        });
        values.stack.truncate(place);
    }
    let floating = |statement: &&&Statement| offload.kernel.arrays[statement.target.array].element.floating;
    let regions = run.statements.iter().filter(floating).map(|s| job.placement.region(s.target.array));
    let difference = regions.map(|region| difference(region, &run.image, program)).fold(0.0, f64::max);
    Some(Reordered { image: run.image, difference })
}

/// The memory during a run.
struct Run<'a> {
    offload: &'a Offload,
    job: &'a Job,
    statements: ByStatement<&'a Statement>,
    /// By statement.
    iterators: ByStatement<Vec<String>>,
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
            statements: kernel.statements(),
            iterators: kernel.iterators(),
            scalars: scalars.chain(&job.host).map(|bits| *bits as i64).collect(),
            image: job.image.clone(),
        }
    }

    /// What runs at a point of a band's scan.
    fn point(&mut self, piece: &Piece, values: &Values) {
        let all = |of: &[Affine]| -> Vec<i64> { of.iter().map(|value| values.evaluate(value)).collect() };
        let (first, slacks) = (all(&piece.point), all(&piece.slacks));
        let Some(shape) = self.offload.lanes(piece.leaf.statement()) else {
            if let Some(value) = self.written(piece.leaf.statement(), &first) {
                self.write(piece.leaf.statement(), &first, value);
            }
            return;
        };
        let own = |lane: i64| shape.runs(&slacks, lane).then(|| shape.iterators(&first, lane));
        let instances: Vec<Option<Vec<i64>>> = (0..shape.count).map(own).collect();
        match &shape.reduction {
            Some(reduction) => self.reduce(reduction, piece.leaf.statement(), &first, &instances),
            None => {
                // All lanes read before one of them writes.
                let results: Vec<(Vec<i64>, i64)> = instances
                    .into_iter()
                    .flatten()
                    .filter_map(|own| self.written(piece.leaf.statement(), &own).map(|value| (own, value)))
                    .collect();
                results.iter().for_each(|(own, value)| self.write(piece.leaf.statement(), own, *value));
            }
        }
    }

    /// One update by the terms of all lanes, the `instances` that run.
    fn reduce(&mut self, reduction: &Reduction, statement: StatementId, first: &[i64], instances: &[Option<Vec<i64>>]) {
        if instances.iter().all(Option::is_none) {
            return;
        }
        let target = &self.statements[statement].target;
        let element = self.offload.kernel.arrays[target.array].element;
        let term = |own: &Option<Vec<i64>>| match own {
            Some(own) => self.value(&reduction.term, statement, own),
            None => reduction.floating_identity(element),
        };
        let mut terms: Vec<i64> = instances.iter().map(term).collect();
        while terms.len() > 1 {
            let pair = |pair: &[i64]| both(&reduction.combined(operand(0, element), operand(1, element)), pair);
            terms = terms.chunks(2).map(pair).collect();
        }
        let old = self.word(self.address(target, statement, first));
        let all = terms.into_iter().next().expect("a lane");
        let new = both(&reduction.updated(operand(0, element), operand(1, element)), &[old, all]);
        self.write(statement, first, new);
    }

    fn write(&mut self, statement: StatementId, iterators: &[i64], value: i64) {
        let (start, bytes) = self.address(&self.statements[statement].target, statement, iterators);
        self.image[start..start + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }

    /// What a statement writes in the iteration `iterators`; `None` where a mask keeps the cell.
    fn written(&self, statement: StatementId, iterators: &[i64]) -> Option<i64> {
        let value = &self.statements[statement].value;
        let is_kept = |only_if: &Expr| self.value(only_if, statement, iterators) == 0;
        match value {
            Expr::Masked { only_if, .. } if is_kept(only_if) => None,
            _ => Some(self.value(value, statement, iterators)),
        }
    }

    /// The value of a statement's expression in the iteration `iterators`.
    fn value(&self, expr: &Expr, statement: StatementId, iterators: &[i64]) -> i64 {
        let read = &mut |access: &Access| self.word(self.address(access, statement, iterators));
        evaluate(expr, read, &|scalar| self.scalars[scalar], &|name| self.index(name, statement, iterators))
    }

    fn index(&self, name: &str, statement: StatementId, iterators: &[i64]) -> i64 {
        let own = self.iterators[statement].iter().position(|iterator| iterator == name).map(|place| iterators[place]);
        own.or_else(|| self.job.sizes.get(name).copied()).unwrap_or(0)
    }

    /// Where an element's bytes begin, and how many they are.
    fn address(&self, access: &Access, statement: StatementId, iterators: &[i64]) -> (usize, usize) {
        let region = self.job.placement.region(self.offload.kernel.memory_of(access.array));
        let subscript = |k: usize| access.subscripts[k].evaluate(|name| self.index(name, statement, iterators)) as u64;
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
