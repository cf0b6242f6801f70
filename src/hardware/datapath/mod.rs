//! Statements to pipelines: every operator has a type and a latency, and operands wait in registers for the latest of
//! them. All operators but the serial divider take operands in every cycle; a statement with a divider has one instance under
//! way at a time. Large operators may serve several statements.

pub mod divide;
mod float;
mod gather;
pub mod plan;
mod scatter;
mod shared_cells;
pub mod table;

pub use gather::{GatherPort, Place};
pub use scatter::Scattered;
pub use shared_cells::Operator;

use std::collections::{HashMap, HashSet};

use crate::hardware::circuit::ranged::rtl_type;
use crate::hardware::datapath::plan::{Plan, Use};
use crate::operators::{HALF, MULTIPLY as MULTIPLY_LATENCY, in_halves};
use crate::rtl::{Expr as Rtl, Module, Signal, Statement, Type, assign, when};
use crate::source::kernel::{Access, BinaryOp, Expr, Gather, ScalarType, UnaryOp};

/// With one instance under way, a value that waits longer than this stays in one register.
const LONG_WAIT: u32 = 4;

/// A value in the pipeline.
#[derive(Clone)]
pub struct Value {
    pub expr: Rtl,
    /// The pipeline stage in which `expr` shows the value; `None` for values that never change during a run.
    pub stage: Option<u32>,
}

/// Where the leaves of a statement come from.
pub trait Leaves {
    fn read(&mut self, m: &mut Module, access: &Access) -> Value;
    /// The port for a read at these subscripts, as the datapath has them in some stage.
    fn gather(&mut self, m: &mut Module, gather: &Gather, subscripts: &[Rtl]) -> GatherPort;
    /// The place in a buffer that these subscripts name.
    fn place(&self, gather: &Gather, subscripts: &[Rtl]) -> Place;
    fn scalar(&self, scalar: usize) -> Rtl;
    fn index(&mut self, m: &mut Module, value: &crate::affine::Affine, ty: ScalarType) -> Value;
}

/// A module in which pipelines are built to be measured, and nothing is printed.
pub fn scratch() -> Module {
    let mut m = Module::new("rehearsal");
    for name in ["clk", "rst"] {
        m.input(name, Type::BIT);
    }
    m
}

/// Builds the pipelines of a kernel's statements inside a module, one after the other.
pub struct Datapath {
    /// The kernel's name, with which the names of its tables' modules begin.
    kernel: String,
    plan: Plan,
    /// The number of the statement in stage 1, absent where there is one only.
    number: Option<Rtl>,
    pipelines: Vec<Pipeline>,
    /// Index into `pipelines`: the statement that is being built.
    present: usize,
    /// Of a statement in lanes, what is being evaluated; the operators behind all lanes are in none.
    lane: Lane,
    /// Registers by what they delay and the stage they show it in. Instances of all statements move from stage to
    /// stage alike.
    delayed: HashMap<(Rtl, u32), Signal>,
    /// Registers that hold a value until the next instance of a statement comes, by statement, value and the stage in
    /// which it came.
    held: HashMap<(usize, Rtl, u32), Signal>,
    shared: shared_cells::Shared,
    /// The conditions around what is being evaluated, and whether each holds there.
    conditions: Vec<(Value, bool)>,
    gathered: Vec<gather::Gathered>,
    /// The reads that the present statement writes again, and the stage before which their subscripts are not taken.
    update: Option<(Gather, u32)>,
    /// By statement.
    scattered: HashMap<usize, Scattered>,
    /// High for a cycle where a subscript has left its array.
    pub index_errors: Vec<Rtl>,
    /// Divisions of integers start in every cycle, see [`divide::in_pipeline`].
    pub divides_in_pipeline: bool,
}

/// What an operator gets, and the stages.
type Operands = Vec<(Rtl, Option<u32>)>;

/// A lane whose operators are being built.
#[derive(Default)]
struct Lane {
    /// `None` for a statement without lanes.
    number: Option<usize>,
    /// Its operators so far, each once, as its own or as one that a lane before has.
    known: HashSet<(Operator, Operands)>,
}

/// What belongs to one statement.
struct Pipeline {
    name: String,
    registers: Vec<Statement>,
    /// The results of operators, and their stage, by what the operator is and gets.
    results: HashMap<(Operator, Operands), (Vec<Rtl>, u32)>,
    /// The operators that statements can share, in the order of their evaluation.
    uses: Vec<Use>,
    /// Whether an instance of the statement is in stage 1, 2, …, as far as anyone asked.
    valid: Vec<Rtl>,
    resets: Vec<(Signal, i128)>,
    /// How many serial dividers there are.
    divisions: usize,
}

impl Datapath {
    /// No pipelines yet; `number` tells the statement in stage 1 where there are several.
    pub fn new(kernel: &str, plan: Plan, number: Option<Rtl>) -> Self {
        Datapath {
            kernel: kernel.to_string(),
            plan,
            number,
            pipelines: vec![],
            present: 0,
            lane: Lane::default(),
            delayed: HashMap::new(),
            held: HashMap::new(),
            shared: shared_cells::Shared::default(),
            conditions: vec![],
            gathered: vec![],
            update: None,
            scattered: HashMap::new(),
            index_errors: vec![],
            divides_in_pipeline: false,
        }
    }

    /// Begins the pipeline of the next statement, in whose stage 1 an instance is where `valid` holds. Statements come in
    /// the order of their numbers.
    pub fn begin(&mut self, name: &str, valid: Rtl) {
        self.present = self.pipelines.len();
        self.pipelines.push(Pipeline {
            name: name.to_string(),
            registers: vec![],
            results: HashMap::new(),
            uses: vec![],
            valid: vec![valid],
            resets: vec![],
            divisions: 0,
        });
    }

    /// What is evaluated next is of lane `lane` of the present statement, for the first time. Lanes are alike: their operators are
    /// where the plan has those of lane 0.
    pub fn begin_lane(&mut self, lane: usize) {
        self.lane = Lane { number: Some(lane), ..Lane::default() };
    }

    /// What is evaluated next is of all lanes.
    pub fn end_lanes(&mut self) {
        self.lane = Lane::default();
    }

    /// Goes back to the pipeline of the statement with this number.
    pub fn resume(&mut self, statement: usize) {
        self.present = statement;
    }

    fn pipeline(&mut self) -> &mut Pipeline {
        &mut self.pipelines[self.present]
    }

    /// Whether the present pipeline has a serial divider, and so room for one instance at a time.
    pub fn divides(&self) -> bool {
        self.pipelines[self.present].divisions > 0
    }

    /// The operators of the present pipeline that statements can share.
    pub fn uses(&mut self) -> Vec<Use> {
        std::mem::take(&mut self.pipeline().uses)
    }

    /// Whether an instance of the present statement is in `stage`.
    pub fn valid_in(&mut self, m: &mut Module, stage: u32) -> Rtl {
        let pipeline = self.pipeline();
        while (pipeline.valid.len() as u32) < stage {
            let register = m.reg(&format!("started_s{}", pipeline.valid.len() + 1), Type::BIT);
            let before = pipeline.valid.last().expect("there is a stage 1").clone();
            pipeline.registers.push(assign(&register, &before));
            pipeline.resets.push((register.clone(), 0));
            pipeline.valid.push(register.e());
        }
        pipeline.valid[stage as usize - 1].clone()
    }

    /// The value of `expr`.
    pub fn evaluate(&mut self, m: &mut Module, expr: &Expr, leaves: &mut dyn Leaves) -> Value {
        self.low_bits(m, expr, expr.ty().bits, leaves)
    }

    /// The low `demand` bits of `expr` (all of it where it is narrower). Sums, products and bitwise operators need no
    /// more bits of their operands than are asked of them, so `uint8_t` arithmetic in C's `int` takes eight bits.
    fn low_bits(&mut self, m: &mut Module, expr: &Expr, demand: u32, leaves: &mut dyn Leaves) -> Value {
        let full = rtl_type(expr.ty());
        if let Some(operation) = float::operation(expr) {
            let value = operation.build(self, m, leaves);
            let low = Type { width: full.width.min(demand), signed: full.signed };
            return Value { expr: value.expr.resize(full).resize(low), stage: value.stage };
        }
        let ty = Type { width: full.width.min(demand), signed: full.signed };
        let low = |value: Value| Value { expr: value.expr.resize(ty), stage: value.stage };
        match expr {
            Expr::Constant { value, .. } => {
                Value { expr: crate::rtl::Expr::wrapping((*value).into(), ty), stage: None }
            }
            Expr::Read { access, .. } => low(leaves.read(m, access)),
            Expr::Scalar { scalar, .. } => low(Value { expr: leaves.scalar(*scalar), stage: None }),
            Expr::Index { value, ty } => low(leaves.index(m, value, *ty)),
            Expr::Cast { operand, .. } => low(self.low_bits(m, operand, ty.width, leaves)),
            Expr::Unary { op: UnaryOp::Complement, operand, .. } => {
                let value = self.low_bits(m, operand, ty.width, leaves);
                Value { expr: value.expr.resize(ty).not(), stage: value.stage }
            }
            Expr::Unary { op: UnaryOp::Negate, operand, .. } => {
                let value = self.low_bits(m, operand, ty.width, leaves);
                self.register(m, "negated", value.expr.neg(ty), value.stage, 1)
            }
            Expr::Unary { op: UnaryOp::Absolute | UnaryOp::SquareRoot, .. } => {
                unreachable!("of floating-point numbers")
            }
            Expr::Unary { op: UnaryOp::Not, operand, .. } => {
                let value = self.evaluate(m, operand, leaves);
                low(self.register(m, "is_zero", value.expr.is_zero(), value.stage, 1))
            }
            Expr::Unary { op: UnaryOp::OutOfRange, operand, .. } => {
                let value = self.evaluate(m, operand, leaves);
                if value.stage.is_some() {
                    self.raise(m, Value { expr: value.expr.is_zero().not(), stage: value.stage });
                }
                low(value)
            }
            Expr::Binary { op, left, right, .. } => self.binary(m, *op, [left, right], ty, leaves),
            Expr::Select { condition, then, otherwise, .. } => {
                let condition = self.evaluate(m, condition, leaves);
                let then = self.under((&condition, true), |d| d.low_bits(m, then, ty.width, leaves));
                let otherwise = self.under((&condition, false), |d| d.low_bits(m, otherwise, ty.width, leaves));
                let (values, stage) = self.align(m, vec![condition, then, otherwise]);
                let chosen = values[0].is_zero().not().select(&values[1].resize(ty), &values[2].resize(ty));
                self.register(m, "chosen", chosen, stage, 1)
            }
            Expr::Gather { gather, .. } => low(self.gather(m, gather, leaves)),
            Expr::Scatter { place, only_if, value } => low(self.scatter(m, place, only_if.as_deref(), value, leaves)),
            Expr::Masked { only_if, value } => self.masked(m, only_if, value, leaves),
            Expr::Lookup { table, index } => {
                let place = Type::unsigned(table::index_bits(table));
                let index = self.low_bits(m, index, place.width, leaves);
                let index = Value { expr: index.expr.resize(place), stage: index.stage };
                let (results, stage) = self.operator(m, Operator::Lookup(table.clone()), vec![index]);
                low(Value { expr: results[0].resize(full), stage: Some(stage) })
            }
        }
    }

    /// The value, below the bit that tells whether it is written.
    fn masked(&mut self, m: &mut Module, only_if: &Expr, value: &Expr, leaves: &mut dyn Leaves) -> Value {
        let only_if = self.evaluate(m, only_if, leaves);
        let value = self.under((&only_if, true), |d| d.evaluate(m, value, leaves));
        let (values, stage) = self.align(m, vec![only_if, value]);
        let data = values[1].resize(Type::unsigned(values[1].width()));
        Value { expr: crate::rtl::Expr::concat(&[values[0].is_zero().not(), data]), stage }
    }

    /// What `act` evaluates where the condition holds, or with `false` where it does not.
    fn under(&mut self, (condition, holds): (&Value, bool), act: impl FnOnce(&mut Self) -> Value) -> Value {
        self.conditions.push((condition.clone(), holds));
        let value = act(self);
        self.conditions.pop();
        value
    }

    fn binary(
        &mut self,
        m: &mut Module,
        op: BinaryOp,
        operands: [&Expr; 2],
        ty: Type,
        leaves: &mut dyn Leaves,
    ) -> Value {
        if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
            return divide::divide(self, m, op, operands, ty, leaves);
        }
        let demand = |e: &Expr| e.ty().bits;
        let (left, right) = match op {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                (ty.width, ty.width)
            }
            BinaryOp::ShiftLeft => (ty.width, demand(operands[1])),
            _ => (demand(operands[0]), demand(operands[1])),
        };
        let left = self.low_bits(m, operands[0], left, leaves);
        let right = match op {
            BinaryOp::LogicalAnd => self.under((&left, true), |d| d.low_bits(m, operands[1], right, leaves)),
            BinaryOp::LogicalOr => self.under((&left, false), |d| d.low_bits(m, operands[1], right, leaves)),
            _ => self.low_bits(m, operands[1], right, leaves),
        };
        if op == BinaryOp::Multiply {
            return self.multiply(m, left, right, ty);
        }
        let (values, stage) = self.align(m, vec![left, right]);
        let (a, b) = (&values[0], &values[1]);
        let bits = operands[0].ty().bits;
        let (name, result) = match op {
            BinaryOp::Multiply => unreachable!("multiplied above"),
            BinaryOp::Divide | BinaryOp::Remainder => unreachable!("divided above"),
            BinaryOp::Add => ("sum", a.add(b, ty)),
            BinaryOp::Subtract => ("difference", a.sub(b, ty)),
            BinaryOp::And => ("and", a.and(b).resize(ty)),
            BinaryOp::Or => ("or", a.or(b).resize(ty)),
            BinaryOp::Xor => ("xor", a.xor(b).resize(ty)),
            // C leaves shifts by the width or more undefined: as many low bits of the amount as the width needs.
            BinaryOp::ShiftLeft => ("shifted", a.shl(&amount(b, bits), ty)),
            BinaryOp::ShiftRight => ("shifted", a.shr(&amount(b, bits)).resize(ty)),
            BinaryOp::Less => ("less", a.lt(b)),
            BinaryOp::LessEqual => ("less_equal", a.le(b)),
            BinaryOp::Equal => ("equal", a.eq(b)),
            BinaryOp::NotEqual => ("not_equal", a.ne(b)),
            BinaryOp::LogicalAnd => ("both", a.is_zero().not().and(&b.is_zero().not())),
            BinaryOp::LogicalOr => ("either", a.is_zero().not().or(&b.is_zero().not())),
        };
        let (result, contrary) = result.strict();
        let difference = result.sign_of_difference().filter(|_| operands[0].ty().signed);
        let result = difference.unwrap_or(result);
        let name = if contrary { if name == "less" { "at_least" } else { "greater" } } else { name };
        // A truth value is one bit until it is used as an int.
        let value = self.register(m, name, result, stage, 1);
        let expr = if contrary { value.expr.not() } else { value.expr };
        Value { expr: expr.resize(ty), stage: value.stage }
    }

    /// The product modulo 2^width of `ty`. Statements share it where both factors vary.
    fn multiply(&mut self, m: &mut Module, left: Value, right: Value, ty: Type) -> Value {
        let factors = [&left, &right];
        if factors.iter().all(|f| f.expr.as_constant().is_none()) && factors.iter().any(|f| f.stage.is_some()) {
            let operator = Operator::Product([left.expr.ty(), right.expr.ty()], ty);
            let (results, stage) = self.operator(m, operator, vec![left, right]);
            return Value { expr: results[0].clone(), stage: Some(stage) };
        }
        let (values, stage) = self.align(m, vec![left, right]);
        self.registered_product(m, &values, stage, ty)
    }

    /// The product of factors of one stage.
    fn registered_product(&mut self, m: &mut Module, factors: &[Rtl], stage: Option<u32>, ty: Type) -> Value {
        let [a, b] = [0, 1].map(|f| self.register(m, &stem(&factors[f], "factor"), factors[f].clone(), stage, 1));
        self.product(m, &a, &b, ty)
    }

    /// The product of registered factors, modulo 2^width of `ty`. Where it takes several blocks, each has registers beside
    /// it on both sides, which take up the way to and from it.
    fn product(&mut self, m: &mut Module, a: &Value, b: &Value, ty: Type) -> Value {
        let stage = a.stage.or(b.stage);
        if !in_halves(ty.width) || stage.is_none() {
            let product = a.expr.mul(&b.expr, ty);
            return self.register(m, "product", product, stage, MULTIPLY_LATENCY - 1);
        }
        let (all, high) = (Type::unsigned(ty.width), Type::unsigned(ty.width - HALF));
        let halves = |factor: &Rtl| {
            let factor = factor.resize(all);
            (factor.slice(ty.width - 1, HALF), factor.slice(HALF - 1, 0))
        };
        let ((a_high, a_low), (b_high, b_low)) = (halves(&a.expr), halves(&b.expr));
        let mut again = |half: &str, value: Rtl| {
            let name = format!("{}_{half}", stem(&value, "factor"));
            self.register(m, &name, value, stage, 1).expr
        };
        let (a_high, a_low) = (again("high", a_high), again("low", a_low));
        let (b_high, b_low) = (again("high", b_high), again("low", b_low));
        let stage = stage.map(|stage| stage + 1);
        let low = self.register(m, "low_by_low", a_low.mul(&b_low, all), stage, 2);
        let left = self.register(m, "high_by_low", a_high.mul(&b_low, high), stage, 2);
        let right = self.register(m, "low_by_high", a_low.mul(&b_high, high), stage, 2);
        let above = low.expr.slice(ty.width - 1, HALF);
        let sum = above.add(&left.expr, high).add(&right.expr, high);
        let product = Rtl::concat(&[sum, low.expr.slice(HALF - 1, 0)]).resize(ty);
        self.register(m, "product", product, low.stage, MULTIPLY_LATENCY - 2)
    }

    /// `expr`, shown `latency` cycles after `stage`; a value that never changes needs no register. Registers are called
    /// after what they hold and the stage that shows it, and what is computed twice from the same has them once.
    pub(super) fn register(
        &mut self,
        m: &mut Module,
        name: &str,
        expr: Rtl,
        stage: Option<u32>,
        latency: u32,
    ) -> Value {
        let Some(stage) = stage else { return Value { expr, stage: None } };
        let expr = self.delay(m, name, stage, &expr, stage + latency);
        Value { expr, stage: Some(stage + latency) }
    }

    /// Delays every value to the latest stage among them.
    pub(super) fn align(&mut self, m: &mut Module, values: Vec<Value>) -> (Vec<Rtl>, Option<u32>) {
        let latest = values.iter().filter_map(|v| v.stage).max();
        let aligned = values.into_iter().map(|v| match latest {
            Some(stage) => self.at(m, &v, stage),
            None => v.expr,
        });
        (aligned.collect::<Vec<_>>(), latest)
    }

    /// The value in stage `stage`, which is not before its own. Delays of one value are shared.
    pub fn at(&mut self, m: &mut Module, value: &Value, stage: u32) -> Rtl {
        let Some(from) = value.stage else { return value.expr.clone() };
        if self.divides() && stage > from + LONG_WAIT {
            return self.held(m, &value.expr, from);
        }
        self.delay(m, &stem(&value.expr, "delayed"), from, &value.expr, stage)
    }

    /// The number of the statement whose instance is in stage `stage`; there are several.
    pub fn number_in(&mut self, m: &mut Module, stage: u32) -> Rtl {
        let number = self.number.clone().expect("several statements have numbers");
        self.delay(m, "statement", 1, &number, stage)
    }

    /// `value`, which is there in stage `from`, in stage `stage`. Bits that tell nothing do not travel.
    fn delay(&mut self, m: &mut Module, name: &str, from: u32, value: &Rtl, stage: u32) -> Rtl {
        let core = value.core();
        let mut expr = core.clone();
        for s in from + 1..=stage {
            expr = match self.delayed.get(&(core.clone(), s)) {
                Some(signal) => signal.e(),
                None => {
                    let register = m.reg(&format!("{name}_s{s}"), expr.ty());
                    self.pipeline().registers.push(assign(&register, &expr));
                    self.delayed.insert((core.clone(), s), register.clone());
                    register.e()
                }
            };
        }
        expr.resize(value.ty())
    }

    /// The value in every stage behind `from` until the next instance comes: there is one under way at a time.
    fn held(&mut self, m: &mut Module, value: &Rtl, from: u32) -> Rtl {
        let key = (self.present, value.clone(), from);
        if let Some(signal) = self.held.get(&key) {
            return signal.e();
        }
        let register = m.reg(&format!("{}_held_s{from}", stem(value, "value")), value.ty());
        let valid = self.valid_in(m, from);
        self.pipeline().registers.push(when(valid, vec![assign(&register, value)]));
        self.held.insert(key, register.clone());
        register.e()
    }

    /// Ends the pipelines: all their registers move every cycle, valid or not.
    pub fn finish(mut self, m: &mut Module) {
        self.build_shared(m);
        for Pipeline { registers, resets, .. } in self.pipelines {
            if !registers.is_empty() {
                m.clocked("The datapath moves in every cycle; valid bits travel beside it.", resets, registers);
            }
        }
    }
}

/// What a register of the pipeline is called that holds `value` in some stage: after the word of a buffer or the register
/// that `value` is, or bits of it; `other` where it is computed.
fn stem(value: &Rtl, other: &str) -> String {
    let Some(name) = value.signal().map(|signal| signal.name()) else { return other.to_string() };
    let word = name.strip_prefix("s_read_").and_then(|name| name.strip_suffix("_data"));
    let name = word.unwrap_or(name);
    // The stage, and the number of one of several.
    let is_stage = |end: &str| {
        let digits = end.strip_prefix('s').unwrap_or_default();
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(|c| c.is_ascii_digit() || c == '_')
    };
    let cut = name.match_indices('_').map(|(place, _)| place).find(|place| is_stage(&name[place + 1..]));
    name[..cut.unwrap_or(name.len())].to_string()
}

/// The bits of a shift amount that count for a value of `width` bits.
fn amount(value: &Rtl, width: u32) -> Rtl {
    let bits = width.trailing_zeros().max(1).min(value.width());
    value.slice(bits - 1, 0)
}
