//! Division and remainder as C has them, truncated towards zero. A constant divisor costs a multiplication or less; any
//! other a divider as wide as the operands' values are: a serial one, or a pipeline where iterations would wait for it.

use crate::hardware::circuit::cells;
use crate::hardware::circuit::interval::{self, Interval, bits};
use crate::hardware::circuit::scope::times;
use crate::hardware::datapath::float::Cell;
use crate::hardware::datapath::{Datapath, Leaves, Operator, Value};
use crate::offload::Offload;
use crate::operators::{MULTIPLY as MULTIPLY_LATENCY, SERIAL_OVERHEAD, is_serial};
use crate::rtl::{Connection, Expr as Rtl, Module, Signal, Type};
use crate::source::kernel::{BinaryOp, Expr};
use crate::walk::{self, Values};

/// Bits of the widest product that a division by a constant may take.
const WIDEST_PRODUCT: u32 = 126;

/// Loops whose iterations are counted one by one.
const STEPS: u64 = 100_000;

/// Cycles of serial dividers are no more than one of so many of a run's.
const WORTH_IT: u64 = 32;

/// Whether the divisions of the program at its usual sizes take longer, one after the other, than is worth the look-up tables of
/// a divider that takes one per cycle.
pub fn in_pipeline(offload: &Offload) -> bool {
    let written = offload.as_written();
    let statements = written.statements();
    if !statements.iter().any(|s| s.values().any(|value| bits_divided(value).is_some())) {
        return false;
    }
    let sizes = written.usual_sizes();
    let (mut values, mut steps) = (Values::new(&sizes), STEPS);
    let (mut all, mut divided) = (0u64, 0u64);
    for piece in &offload.source_order.pieces {
        // Too many loops to count are many divisions, too.
        let Some(instances) = walk::count(piece, &mut values, &mut steps) else { return true };
        let bits = statements[piece.leaf.statement()].values().filter_map(bits_divided).max();
        let each = bits.map_or(0, |bits| u64::from(bits + SERIAL_OVERHEAD));
        all = all.saturating_add(instances);
        divided = divided.saturating_add(instances.saturating_mul(each));
    }
    divided > all / WORTH_IT
}

/// Bits of the widest operands of a division in `expr` by what is no constant; `None` where there is none.
fn bits_divided(expr: &Expr) -> Option<u32> {
    let own = match expr {
        Expr::Binary { op: BinaryOp::Divide | BinaryOp::Remainder, right, ty, .. } if !ty.floating => {
            (!matches!(**right, Expr::Constant { .. })).then_some(ty.bits)
        }
        _ => None,
    };
    expr.operands().into_iter().filter(|operand| is_serial(operand)).filter_map(bits_divided).chain(own).max()
}

/// `operands[0] / operands[1]`, or `%`, in type `ty`, which may be narrower than the operands'.
pub fn divide(
    datapath: &mut Datapath,
    m: &mut Module,
    op: BinaryOp,
    operands: [&Expr; 2],
    ty: Type,
    leaves: &mut dyn Leaves,
) -> Value {
    let (dividend, divisor) = (interval::of(operands[0]), interval::of(operands[1]));
    let value = datapath.evaluate(m, operands[0], leaves);
    if divisor.0 == divisor.1
        && let Some(constant) = Constant::new(dividend, divisor.0)
    {
        return constant.divide(datapath, m, op, value, ty);
    }
    let by = datapath.evaluate(m, operands[1], leaves);
    general(datapath, m, op, [(value, dividend), (by, divisor)], operands[0].ty().bits, ty)
}

/// A division of values of an interval by a constant.
struct Constant {
    dividend: Interval,
    divisor: i128,
    /// The divisor's magnitude.
    by: i128,
    /// The largest magnitude of a dividend.
    most: i128,
}

impl Constant {
    /// `None` where the divisor is 0 or the product with its reciprocal too wide.
    fn new(dividend: Interval, divisor: i128) -> Option<Constant> {
        let by = divisor.abs();
        let most = dividend.0.abs().max(dividend.1.abs());
        let constant = Constant { dividend, divisor, by, most };
        let easy = by.count_ones() == 1 || 2 * bits(most) + 2 <= WIDEST_PRODUCT;
        (divisor != 0 && bits(by) < 64 && easy).then_some(constant)
    }

    fn divide(&self, datapath: &mut Datapath, m: &mut Module, op: BinaryOp, value: Value, ty: Type) -> Value {
        let narrow = Type::unsigned(bits(self.most));
        let negative = Value { expr: value.expr.index(value.expr.width() - 1), stage: value.stage };
        let magnitude = if self.dividend.0 >= 0 {
            Value { expr: value.expr.resize(narrow), stage: value.stage }
        } else {
            let whole = Type::unsigned(value.expr.width());
            let positive = negative.expr.select(&value.expr.neg(whole), &value.expr.resize(whole));
            datapath.register(m, "magnitude", positive.resize(narrow), value.stage, 1)
        };
        let quotient = self.quotient(datapath, m, &magnitude);
        let result = match op {
            BinaryOp::Divide => quotient,
            _ => self.remainder(datapath, m, &magnitude, &quotient),
        };
        // The quotient is negative where the signs differ, the remainder where the dividend is.
        let flips = op == BinaryOp::Divide && self.divisor < 0;
        if self.dividend.0 >= 0 {
            let expr = if flips { result.expr.neg(ty) } else { result.expr.resize(ty) };
            return Value { expr, stage: result.stage };
        }
        let (values, stage) = datapath.align(m, vec![negative, result]);
        let negate = if flips { values[0].not() } else { values[0].clone() };
        let signed = negate.select(&values[1].neg(ty), &values[1].resize(ty));
        datapath.register(m, "signed", signed, stage, 1)
    }

    /// The quotient of magnitudes.
    fn quotient(&self, datapath: &mut Datapath, m: &mut Module, magnitude: &Value) -> Value {
        if self.by > self.most {
            return Value { expr: Rtl::constant(0, Type::BIT), stage: None };
        }
        if self.by.count_ones() == 1 {
            let shifted = magnitude.expr.slice(magnitude.expr.width() - 1, self.by.trailing_zeros());
            return Value { expr: shifted, stage: magnitude.stage };
        }
        // With 2^shift > most * by, ceil(2^shift / by) is exact on 0..=most (Granlund and Montgomery).
        let shift = bits(self.most * self.by);
        let reciprocal = ((1i128 << shift) + self.by - 1) / self.by;
        let factor = datapath.register(m, "factor", magnitude.expr.clone(), magnitude.stage, 1);
        let wide = Type::unsigned(bits(self.most * reciprocal));
        let product = factor.expr.mul(&Rtl::constant(reciprocal, Type::unsigned(bits(reciprocal))), wide);
        let product = datapath.register(m, "product", product, factor.stage, MULTIPLY_LATENCY - 1);
        Value { expr: product.expr.slice(wide.width - 1, shift), stage: product.stage }
    }

    fn remainder(&self, datapath: &mut Datapath, m: &mut Module, magnitude: &Value, quotient: &Value) -> Value {
        if self.by == 1 {
            return Value { expr: Rtl::constant(0, Type::BIT), stage: None };
        }
        let low = Type::unsigned(bits(self.by - 1).min(bits(self.most)));
        if self.by.count_ones() == 1 || self.by > self.most {
            return Value { expr: magnitude.expr.resize(low), stage: magnitude.stage };
        }
        // Less than the divisor, so its low bits are enough.
        let (values, stage) = datapath.align(m, vec![magnitude.clone(), quotient.clone()]);
        let rest = values[0].sub(&times(&values[1], self.by as u64, low), low);
        datapath.register(m, "remainder", rest, stage, 1)
    }
}

/// A divider for values of the given intervals; the operands' type in C has `full` bits.
fn general(
    datapath: &mut Datapath,
    m: &mut Module,
    op: BinaryOp,
    operands: [(Value, Interval); 2],
    full: u32,
    ty: Type,
) -> Value {
    let [(dividend, a), (divisor, b)] = operands;
    let signed = a.0 < 0 || b.0 < 0;
    // The smallest dividend's negative is a quotient, too.
    let most = [a.0.abs(), a.1, b.0.abs(), b.1].into_iter().max().unwrap_or(0);
    let width = (bits(most) + u32::from(signed)).min(full);
    let operand = Type { width, signed };
    if datapath.divides_in_pipeline {
        let cell = Cell::divider(operand);
        let values = [dividend, divisor].map(|v| Value { expr: v.expr.resize(operand), stage: v.stage });
        let (results, stage) = datapath.operator(m, Operator::Cell(cell), values.into());
        let result = &results[usize::from(op != BinaryOp::Divide)];
        return Value { expr: result.resize(operand).resize(ty), stage: Some(stage) };
    }
    let (values, stage) = datapath.align(m, vec![dividend, divisor]);
    let stage = stage.unwrap_or(1);
    let operands = [values[0].resize(operand), values[1].resize(operand)];
    let [quotient, remainder] = datapath.serial_division(m, operand, operands, stage);
    let result = if op == BinaryOp::Divide { quotient } else { remainder };
    Value { expr: result.e().resize(ty), stage: Some(stage + width + SERIAL_OVERHEAD) }
}

/// The results of a `divide_serial`.
pub fn serial_outputs(m: &mut Module, operand: Type) -> [Signal; 2] {
    ["quotient", "remainder"].map(|name| m.wire(name, operand))
}

/// A `divide_serial`, which `start` starts.
pub fn serial_instance(m: &mut Module, start: Rtl, operands: [Rtl; 2], outputs: &[Signal; 2]) {
    let [dividend, divisor] = operands;
    let [quotient, remainder] = outputs.clone();
    let operand = quotient.ty();
    let mut ports = cells::clocking(m);
    ports.extend([
        ("s_valid".into(), Connection::In(start)),
        ("s_ready".into(), Connection::Open),
        ("s_dividend".into(), Connection::In(dividend)),
        ("s_divisor".into(), Connection::In(divisor)),
        ("m_valid".into(), Connection::Open),
        ("m_quotient".into(), Connection::Out(quotient)),
        ("m_remainder".into(), Connection::Out(remainder)),
    ]);
    let parameters = vec![("WIDTH", operand.width.into()), ("SIGNED", operand.signed.into())];
    m.instance("divide_serial", "u_divide", parameters, ports);
}
