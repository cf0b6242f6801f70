//! Operators of `float` and `double`: instances of the `fp_*` cells, fully pipelined. Signs are wires.

use crate::hardware::circuit::cells;
use crate::hardware::datapath::{Datapath, Leaves, Operator, Value};
use crate::operators::{self, Scaling, format};
use crate::rtl::{Connection, Expr as Rtl, Module, Signal, Type};
use crate::source::kernel::{BinaryOp, Expr, ScalarType, UnaryOp};

/// An expression whose operator takes or gives floating-point numbers.
pub struct Operation<'a> {
    expr: &'a Expr,
}

/// What a cell is, beside its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    pub module: &'static str,
    parameters: Vec<(&'static str, i128)>,
    /// Ports of the operands.
    pub inputs: &'static [&'static str],
    /// Ports of the results, and their bits.
    pub outputs: Vec<(&'static str, u32)>,
    pub latency: u32,
}

impl Cell {
    /// Quotient and remainder of integers, one division per cycle.
    pub fn divider(operand: Type) -> Cell {
        Cell {
            module: "divide_pipelined",
            parameters: vec![("WIDTH", operand.width.into()), ("SIGNED", operand.signed.into())],
            inputs: &["s_dividend", "s_divisor"],
            outputs: vec![("m_quotient", operand.width), ("m_remainder", operand.width)],
            latency: operand.width + operators::SERIAL_OVERHEAD,
        }
    }

    /// Bits of the results.
    pub fn bits(&self) -> u32 {
        self.outputs[0].1
    }

    /// Whether its widest number is a `double`.
    pub fn is_double(&self) -> bool {
        self.parameters.iter().any(|(name, value)| name.ends_with("SIGNIFICAND") && *value > 24)
    }

    /// Wires for the results.
    pub fn outputs(&self, m: &mut Module) -> Vec<Signal> {
        let mut wire =
            |(port, bits): &(&str, u32)| m.wire(&format!("{}{}", self.module, &port[1..]), Type::unsigned(*bits));
        self.outputs.iter().map(&mut wire).collect()
    }

    /// The cell between operands and results.
    pub fn instance(&self, m: &mut Module, operands: &[Rtl], outputs: &[Signal]) {
        let mut ports = vec![("clk".to_string(), Connection::In(cells::port(m, "clk")))];
        for (port, operand) in self.inputs.iter().zip(operands) {
            ports.push((port.to_string(), Connection::In(operand.resize(Type::unsigned(operand.width())))));
        }
        for ((port, _), output) in self.outputs.iter().zip(outputs) {
            ports.push((port.to_string(), Connection::Out(output.clone())));
        }
        m.instance(self.module, &format!("u_{}", self.module), self.parameters.clone(), ports);
    }
}

/// `expr` as an operation of this file; `None` for integer arithmetic, for what has no operator, and for a choice, which
/// is the same for all types.
pub fn operation(expr: &Expr) -> Option<Operation<'_>> {
    let floats = match expr {
        Expr::Unary { ty, .. } => ty.floating,
        Expr::Binary { left, .. } => left.ty().floating,
        Expr::Cast { operand, ty } => operand.ty().floating || ty.floating,
        _ => false,
    };
    floats.then_some(Operation { expr })
}

impl Operation<'_> {
    /// The value, all bits of it.
    pub fn build(&self, datapath: &mut Datapath, m: &mut Module, leaves: &mut dyn Leaves) -> Value {
        if let Some(scaling) = operators::scaling(self.expr) {
            let value = datapath.evaluate(m, scaling.operand, leaves);
            return only(instance(datapath, m, vec![value], scaled(self.expr.ty(), &scaling)));
        }
        let operands = self.expr.operands();
        let mut values: Vec<Value> = operands.iter().map(|operand| datapath.evaluate(m, operand, leaves)).collect();
        let from = operands[0].ty();
        let width = Type::unsigned(from.bits);
        match self.expr {
            Expr::Unary { op: UnaryOp::Negate, .. } => Value { expr: negated(&values[0].expr), ..values[0] },
            Expr::Unary { op: UnaryOp::Absolute, .. } => {
                let magnitude = values[0].expr.resize(width).slice(from.bits - 2, 0);
                Value { expr: Rtl::concat(&[Rtl::bit(false), magnitude]), ..values[0] }
            }
            Expr::Unary { ty, .. } => only(instance(datapath, m, values, root(*ty))),
            Expr::Binary {
                op: BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Equal | BinaryOp::NotEqual, ..
            } => {
                let BinaryOutcome { less, equal, stage } = compare(datapath, m, values, from);
                let holds = match self.expr {
                    Expr::Binary { op: BinaryOp::Less, .. } => less,
                    Expr::Binary { op: BinaryOp::LessEqual, .. } => less.or(&equal),
                    Expr::Binary { op: BinaryOp::Equal, .. } => equal,
                    _ => equal.not(),
                };
                Value { expr: holds, stage }
            }
            Expr::Binary { op, .. } => {
                if *op == BinaryOp::Subtract {
                    values[1].expr = negated(&values[1].expr);
                }
                only(instance(datapath, m, values, arithmetic(*op, from)))
            }
            Expr::Cast { ty, .. } => only(instance(datapath, m, values, conversion(from, *ty))),
            _ => unreachable!("no operator of floating-point numbers"),
        }
    }
}

/// A number with its sign inverted.
fn negated(value: &Rtl) -> Rtl {
    let top = value.width() - 1;
    let bits = value.resize(Type::unsigned(top + 1));
    Rtl::concat(&[bits.index(top).not(), bits.slice(top - 1, 0)])
}

/// The result of a cell that has one.
fn only((mut results, stage): (Vec<Rtl>, u32)) -> Value {
    Value { expr: results.remove(0), stage: Some(stage) }
}

/// The outputs of a comparison.
struct BinaryOutcome {
    less: Rtl,
    equal: Rtl,
    stage: Option<u32>,
}

fn compare(datapath: &mut Datapath, m: &mut Module, values: Vec<Value>, ty: ScalarType) -> BinaryOutcome {
    let cell = Cell {
        module: "fp_compare",
        parameters: with_format(ty, operators::COMPARE),
        inputs: &["s_a", "s_b"],
        outputs: vec![("m_less", 1), ("m_equal", 1)],
        latency: operators::COMPARE,
    };
    let (results, stage) = instance(datapath, m, values, cell);
    BinaryOutcome { less: results[0].clone(), equal: results[1].clone(), stage: Some(stage) }
}

fn with_format(ty: ScalarType, latency: u32) -> Vec<(&'static str, i128)> {
    let (exponent, significand) = format(ty);
    vec![("EXPONENT", exponent.into()), ("SIGNIFICAND", significand.into()), ("LATENCY", latency.into())]
}

/// A sum, product or quotient.
pub fn arithmetic(op: BinaryOp, ty: ScalarType) -> Cell {
    let (module, latency) = match op {
        BinaryOp::Add | BinaryOp::Subtract => ("fp_add", operators::add_latency(ty)),
        BinaryOp::Multiply => ("fp_multiply", operators::multiply_latency(ty)),
        BinaryOp::Divide => ("fp_divide", operators::divide_latency(ty)),
        _ => unreachable!("{op:?} of floating-point numbers"),
    };
    let mut parameters = with_format(ty, latency);
    if op == BinaryOp::Divide {
        parameters.retain(|(name, _)| *name != "LATENCY");
    }
    Cell { module, parameters, inputs: &["s_a", "s_b"], outputs: vec![("m_result", ty.bits)], latency }
}

/// A number with another exponent.
fn scaled(ty: ScalarType, scaling: &Scaling) -> Cell {
    let mut parameters = with_format(ty, operators::SCALE);
    parameters.extend([("POWER", scaling.power.into()), ("NEGATIVE", scaling.negative.into())]);
    let outputs = vec![("m_result", ty.bits)];
    Cell { module: "fp_scale", parameters, inputs: &["s_a"], outputs, latency: operators::SCALE }
}

fn root(ty: ScalarType) -> Cell {
    let latency = operators::root_latency(ty);
    let mut parameters = with_format(ty, latency);
    parameters.retain(|(name, _)| *name != "LATENCY");
    Cell { module: "fp_sqrt", parameters, inputs: &["s_a"], outputs: vec![("m_result", ty.bits)], latency }
}

fn conversion(from: ScalarType, to: ScalarType) -> Cell {
    let wide = |ty: ScalarType| {
        let (exponent, significand) = format(ty);
        [("WIDE_EXPONENT", exponent.into()), ("WIDE_SIGNIFICAND", significand.into())]
    };
    let result = vec![("m_result", to.bits)];
    match (from.floating, to.floating) {
        (false, _) => {
            let mut parameters = with_format(to, operators::FROM_INT);
            parameters.extend([("WIDTH", from.bits.into()), ("SIGNED", from.signed.into())]);
            let latency = operators::FROM_INT;
            Cell { module: "fp_from_int", parameters, inputs: &["s_integer"], outputs: result, latency }
        }
        (true, false) => {
            let mut parameters = with_format(from, operators::TO_INT);
            parameters.push(("WIDTH", to.bits.into()));
            let outputs = vec![("m_integer", to.bits)];
            Cell { module: "fp_to_int", parameters, inputs: &["s_a"], outputs, latency: operators::TO_INT }
        }
        (true, true) if from.bits < to.bits => {
            let mut parameters = with_format(from, operators::WIDEN);
            parameters.extend(wide(to));
            Cell { module: "fp_widen", parameters, inputs: &["s_a"], outputs: result, latency: operators::WIDEN }
        }
        (true, true) => {
            let mut parameters = with_format(to, operators::NARROW);
            parameters.extend(wide(from));
            Cell { module: "fp_narrow", parameters, inputs: &["s_a"], outputs: result, latency: operators::NARROW }
        }
    }
}

/// The results of `cell` for operands that wait for the latest of them, and their stage.
fn instance(datapath: &mut Datapath, m: &mut Module, values: Vec<Value>, cell: Cell) -> (Vec<Rtl>, u32) {
    datapath.operator(m, Operator::Cell(cell), values)
}
