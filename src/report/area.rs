//! What an accelerator takes of an FPGA, about: multipliers, look-up tables and block RAMs.
//!
//! The look-up tables of operators are those of `docs/RESULTS.md`, as Yosys maps the cells to Cyclone V; what is around them was fitted
//! to the accelerators there. Lanes were not synthesised: what brings their words to their lanes is counted by its
//! multiplexers.

mod circuits;
mod products;

use std::collections::BTreeMap;

use crate::affine::{Affine, gcd};
use crate::board::Device;
use crate::buffer::blocks::{self, SMALL};
use crate::buffer::reads::Blocks;
use crate::hardware::{self, Beats};
use crate::ids::{ByStatement, StatementId};
use crate::offload::{Banks, Buffer, Offload, Piece};
use crate::operators::{Scaling, scaling};
use crate::source::kernel::{Access, BinaryOp, Expr, Kernel, ScalarType, Statement, UnaryOp};
use circuits::{Circuit, circuits};
use products::{Products, kind_of_product, multipliers, of_trees};

/// What is there whatever the kernel does, and with every statement beyond the first.
const BASE: u64 = 1000;
const STATEMENT: u64 = 550;

/// What a further unit has beside its operators: as synthesised for Cyclone V of matrix products in `int32_t` and `float`.
const UNIT: u64 = 350;

/// What of the look-up tables lanes may take where nobody asks for a number: the rest is for ways that are none of an operator's.
pub const LOGIC: f64 = 0.8;

/// What an accelerator takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Of 18 x 18 bits.
    pub multipliers: u64,
    pub aluts: u64,
    /// Block RAMs, one at least for each bank of each copy.
    pub blocks: u64,
    /// Of them those of kinds that tools take by themselves.
    pub usual_blocks: u64,
}

impl Area {
    pub fn of(offload: &Offload, device: &Device) -> Area {
        let lanes = |s| offload.lane_count(s) as u64;
        let Area { multipliers, aluts, .. } = Area::in_lanes(offload, lanes);
        let (kernel, buffers, kinds) = (&offload.kernel, &offload.buffers, device.kinds());
        let of_tables = blocks_of_tables(offload, &kinds);
        let [blocks, usual_blocks] =
            [blocks::taken, blocks::usual].map(|taken| taken(kernel, buffers, &kinds) + of_tables);
        let units = offload.units() as u64;
        let aluts = aluts + (units - 1) * (aluts - BASE + UNIT);
        Area { multipliers: units * multipliers, aluts: aluts + lines(offload), blocks, usual_blocks }
    }

    /// The same, of a kernel that runs one by one, with so many lanes of each statement; without the block RAMs.
    pub fn in_lanes(offload: &Offload, lanes: impl Fn(StatementId) -> u64) -> Area {
        let statements = offload.kernel.statements();
        let in_pipeline = hardware::divides_in_pipeline(offload);
        let (mut products, mut apart, mut taking_turns) = (Products::new(), Products::new(), Turns::new());
        let mut aluts = BASE + STATEMENT * (statements.len() as u64).saturating_sub(1);
        for s in statements.keys() {
            let count = lanes(s);
            let own = circuits(offload, s, count);
            // What lanes of a reduction have meets, and is nobody else's; nor is it where lanes have some operators between them, which
            // the plan of lane 0 may have put together with those of other statements.
            let meets = offload.lanes(s).is_some_and(|shape| shape.reduction.is_some())
                || own.iter().any(|circuit| circuit.count < count && is_operator(circuit.expr));
            let Operators { products: own_products, cells, logic } = Operators::new(&own, in_pipeline);
            for (kind, number) in own_products {
                if meets {
                    *apart.entry(kind).or_default() += number;
                } else {
                    let known = products.entry(kind).or_default();
                    *known = (*known).max(number);
                }
            }
            aluts += logic + count * around(offload, s);
            for (cell, number) in cells {
                match meets {
                    true => aluts += number * cell.aluts,
                    false => taking_turns.entry(cell).or_default().push(number),
                }
            }
        }
        aluts += taking_turns.iter().map(|(cell, numbers)| cell.of(numbers)).sum::<u64>();
        let most = offload.most_lanes().unwrap_or(1) as u64;
        for (kind, number) in apart {
            *products.entry(kind).or_default() += number;
        }
        Area { multipliers: most * of_trees(offload) + multipliers(&products), aluts, blocks: 0, usual_blocks: 0 }
    }

    /// Operators of all lanes: how many circuits there are to make.
    pub fn operators(offload: &Offload, lanes: impl Fn(StatementId) -> u64) -> u64 {
        let statements = offload.kernel.statements();
        let own = |(s, own): (StatementId, &&Statement)| {
            let all = circuits(offload, s, lanes(s));
            let operators =
                all.iter().filter(|circuit| !circuit.expr.operands().is_empty()).map(|circuit| circuit.count);
            operators.sum::<u64>() + lanes(s) * own.references().len() as u64
        };
        statements.iter_enumerated().map(own).sum()
    }
}

/// Multipliers, and look-up tables of operators, of an instance of each statement.
pub fn of_statements(offload: &Offload) -> ByStatement<[u64; 2]> {
    let in_pipeline = hardware::divides_in_pipeline(offload);
    let own = |s: StatementId| {
        let Operators { products, cells, logic } = Operators::new(&circuits(offload, s, 1), in_pipeline);
        let cells = cells.iter().map(|(cell, number)| cell.aluts * number).sum::<u64>();
        [multipliers(&products), logic + cells]
    };
    offload.kernel.statements().keys().map(own).collect::<Vec<_>>().into()
}

/// What the circuits of a statement are.
struct Operators {
    products: Products,
    cells: Cells,
    /// Look-up tables of the others.
    logic: u64,
}

impl Operators {
    fn new(circuits: &[Circuit], in_pipeline: bool) -> Operators {
        let mut all = Operators { products: Products::new(), cells: Cells::new(), logic: 0 };
        for Circuit { expr, count } in circuits {
            if let Some(kind) = kind_of_product(expr) {
                *all.products.entry(kind).or_default() += count;
            }
            match shared(expr) {
                Some(cell) => *all.cells.entry(cell).or_default() += count,
                None => all.logic += count * logic(expr, in_pipeline),
            }
        }
        all
    }
}

/// An operator that statements have in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    /// Those of another name are other ones.
    name: &'static str,
    bits: u16,
    aluts: u64,
}

/// How many a statement has.
type Cells = BTreeMap<Cell, u64>;

/// How many each statement has that has some.
type Turns = BTreeMap<Cell, Vec<u64>>;

impl Cell {
    /// Look-up tables where the statements have so many each: those of the statement with the most, with a multiplexer per
    /// operand for every further one.
    fn of(&self, numbers: &[u64]) -> u64 {
        let most = numbers.iter().copied().max().unwrap_or(0);
        let others = numbers.iter().sum::<u64>() - most;
        most * self.aluts + others * self.aluts.min(2 * u64::from(self.bits))
    }
}

/// Whether it is one that statements may share.
fn is_operator(expr: &Expr) -> bool {
    kind_of_product(expr).is_some() || shared(expr).is_some()
}

/// Look-up tables of a product by a power of two, of `float` and `double`: upwards subnormal numbers are doubled so often, downwards
/// they go through a shifter.
fn scale(power: i32) -> (u64, u64) {
    let steps = u64::from(power.unsigned_abs());
    match power > 0 {
        true => (20 + 45 * steps, 45 + 64 * steps),
        false => {
            let stages = u64::from((steps + 1).next_power_of_two().ilog2());
            (70 + 24 * stages, 130 + 47 * stages)
        }
    }
}

/// The operator that statements may share, if this is one.
fn shared(expr: &Expr) -> Option<Cell> {
    let cell = |name, ty: ScalarType, float: u64, double: u64| {
        Some(Cell { name, bits: ty.bits as u16, aluts: if ty.bits == 32 { float } else { double } })
    };
    if let Some(Scaling { power, .. }) = scaling(expr) {
        let (float, double) = scale(power);
        return cell("scale", expr.ty(), float, double);
    }
    match expr {
        Expr::Unary { op: UnaryOp::SquareRoot, ty, .. } => cell("root", *ty, 1500, 6434),
        Expr::Binary { op, left, .. } if left.ty().floating => match op {
            BinaryOp::Add | BinaryOp::Subtract => cell("sum", left.ty(), 442, 925),
            BinaryOp::Multiply => cell("product", left.ty(), 195, 537),
            BinaryOp::Divide => cell("quotient", left.ty(), 1713, 6961),
            _ => None,
        },
        Expr::Cast { operand, ty } => match (operand.ty().floating, ty.floating) {
            (false, false) => None,
            (false, true) => cell("from integer", *ty, 253, 253),
            (true, false) => cell("to integer", operand.ty(), 237, 237),
            (true, true) => cell("conversion", *ty, 180, 180),
        },
        _ => None,
    }
}

/// Look-up tables of an operator that statements do not share, without its operands; divisions of integers are serial, or in a pipeline.
fn logic(expr: &Expr, in_pipeline: bool) -> u64 {
    let bits = |ty: ScalarType| u64::from(ty.bits);
    match expr {
        Expr::Constant { .. } | Expr::Read { .. } | Expr::Scalar { .. } | Expr::Cast { .. } => 0,
        Expr::Index { ty, .. } => bits(*ty),
        Expr::Unary { ty, .. } if ty.floating => 0,
        Expr::Unary { ty, .. } | Expr::Select { ty, .. } => bits(*ty),
        Expr::Binary { left, .. } if left.ty().floating => {
            if left.ty().bits == 32 {
                75
            } else {
                149
            }
        }
        Expr::Binary { op, left, ty, .. } => match op {
            // The blocks' products are added.
            BinaryOp::Multiply => bits(*ty),
            BinaryOp::Divide | BinaryOp::Remainder if in_pipeline => bits(*ty) * bits(*ty) * 3 / 2,
            BinaryOp::Divide | BinaryOp::Remainder => 4 * bits(*ty),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 3 * bits(*ty),
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr => 1,
            _ => bits(left.ty()),
        },
        // Beyond this a table is block RAM.
        Expr::Lookup { table, .. } if table.values.len() as i64 <= SMALL => bits(table.element),
        Expr::Lookup { .. } => 0,
        Expr::Masked { .. } => 1,
        // The comparison with the extents.
        Expr::Gather { gather, .. } | Expr::Scatter { place: gather, .. } => {
            gather.subscripts.iter().map(|subscript| bits(subscript.ty())).sum()
        }
    }
}

/// Look-up tables of lines, as if beats had one element: the queue of those that fill takes two thirds of one per bit, as synthesised for
/// UltraScale+, and the choice of a beat out of one that is drained a third.
fn lines(offload: &Offload) -> u64 {
    let of = |buffer: &Buffer| {
        let bits = u64::from(offload.kernel.arrays[buffer.array].word_bits());
        let filled = Beats::ELEMENTS.filled_line(offload, buffer).map_or(0, u64::from);
        let drained = Beats::ELEMENTS.drained_line(offload, buffer).map_or(0, u64::from);
        bits * (2 * filled + drained) / 3
    };
    offload.buffers.iter().map(of).sum()
}

/// Look-up tables of a lane that turn the words of a group: a multiplexer of four words per bit and table. Groups that always
/// begin in one bank are wired, and what all lanes access alike comes to all of them; of a kernel that has no lanes yet all are taken
/// to be such.
fn around(offload: &Offload, statement: StatementId) -> u64 {
    let own = offload.kernel.statements()[statement];
    let words = own.references().into_iter().chain(own.targets());
    let along = words.flat_map(|access| places(offload, statement, access));
    along.map(|places| 32 * u64::from(places.ilog2().div_ceil(2))).sum()
}

/// Along each axis of banks of which lanes access several: in how many of them groups may begin.
fn places(offload: &Offload, statement: StatementId, access: &Access) -> Vec<u64> {
    let buffer = offload.buffers.iter().find(|buffer| buffer.array == access.array);
    let known = buffer.zip(offload.lanes(statement)).map(|(buffer, shape)| {
        let iterators = &offload.kernel.iterators()[statement];
        let pieces = || offload.bands.iter().flat_map(|band| &band.compute.scan.pieces);
        let own = || pieces().filter(|piece| piece.leaf.statement() == statement);
        let along = |axis: &Banks| {
            let subscript = &access.subscripts[axis.subscript];
            let at = |piece: &Piece| {
                let value =
                    |name: &str| iterators.iter().position(|own| own == name).map(|place| piece.point[place].clone());
                subscript.substitute(|name| value(name).unwrap_or_else(|| Affine::variable(name)))
            };
            let step = own().flat_map(|piece| at(piece).terms.into_values()).fold(axis.count, gcd);
            shape.moves(subscript, iterators).then(|| (axis.count / step.max(1)).max(1) as u64)
        };
        buffer.bank_axes().iter().filter_map(along).collect::<Vec<_>>()
    });
    known.unwrap_or_default()
}

/// Block RAMs that buffers take.
pub fn of_buffers(kernel: &Kernel, buffers: &[Buffer], device: &Device) -> u64 {
    blocks::taken(kernel, buffers, &device.kinds())
}

/// Block RAMs of the tables that statements look things up in.
fn blocks_of_tables(offload: &Offload, kinds: &[Blocks]) -> u64 {
    let bits = blocks::smallest(kinds);
    let statements = offload.kernel.statements();
    let lanes = |s| (offload.lane_count(s) * offload.units()) as u64;
    let tables = statements.iter_enumerated().map(|(s, own)| {
        let each = own.values().flat_map(Expr::tables).filter(|table| table.values.len() as i64 > SMALL);
        lanes(s) * each.map(|table| table.bits().div_ceil(bits)).sum::<u64>()
    });
    tables.sum()
}
