//! Statements to pipelines: every operator has a type, a latency and an initiation interval of one cycle, and operands
//! wait in registers for the latest of them.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::diagnostic::{Diagnostic, Span};
use crate::hardware::context::rtl_type;
use crate::rtl::{Expr as Rtl, Module, Signal, Statement, Type, assign};
use crate::source::kernel::{Access, BinaryOp, Expr, IntType, UnaryOp};

/// Cycles of a multiplication: operands, product and result registered, so that it maps on a pipelined DSP block.
const MULTIPLY_LATENCY: u32 = 3;

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
    fn scalar(&self, scalar: usize) -> Rtl;
    fn index(&mut self, m: &mut Module, value: &crate::affine::Affine, ty: IntType) -> Value;
}

/// Builds the pipeline of one statement inside a module.
pub struct Datapath {
    registers: Vec<Statement>,
    /// Delayed copies by the text of what they delay and the stage they show it in.
    delayed: BTreeMap<(String, u32), Signal>,
    span: Span,
}

impl Datapath {
    pub fn new(span: Span) -> Self {
        Datapath { registers: vec![], delayed: BTreeMap::new(), span }
    }

    /// The value of `expr`. Errors: an operator that has no circuit yet, as a `Diagnostic`.
    pub fn evaluate(&mut self, m: &mut Module, expr: &Expr, leaves: &mut dyn Leaves) -> Result<Value> {
        let ty = rtl_type(expr.ty());
        Ok(match expr {
            Expr::Constant { value, ty: int } => {
                Value { expr: crate::hardware::scope::wrapped(*value, rtl_type(*int)), stage: None }
            }
            Expr::Read { access, .. } => leaves.read(m, access),
            Expr::Scalar { scalar, .. } => Value { expr: leaves.scalar(*scalar), stage: None },
            Expr::Index { value, ty } => leaves.index(m, value, *ty),
            Expr::Cast { operand, .. } => {
                let value = self.evaluate(m, operand, leaves)?;
                Value { expr: value.expr.resize(ty), stage: value.stage }
            }
            Expr::Unary { op, operand, .. } => {
                let value = self.evaluate(m, operand, leaves)?;
                match op {
                    UnaryOp::Complement => Value { expr: value.expr.not().resize(ty), stage: value.stage },
                    UnaryOp::Not => {
                        let zero = value.expr.is_zero().resize(Type::BIT).resize(ty);
                        self.register(m, "is_zero", zero, value.stage, 1)
                    }
                    UnaryOp::Negate => self.register(m, "negated", value.expr.neg(ty), value.stage, 1),
                }
            }
            Expr::Binary { op, left, right, .. } => {
                let left = self.evaluate(m, left, leaves)?;
                let right = self.evaluate(m, right, leaves)?;
                self.binary(m, *op, left, right, ty)?
            }
            Expr::Select { condition, then, otherwise, .. } => {
                let values = [condition, then, otherwise].map(|e| self.evaluate(m, e, leaves));
                let [condition, then, otherwise] = values;
                let (mut values, stage) = self.align(m, vec![condition?, then?, otherwise?]);
                let (otherwise, then, condition) =
                    (values.pop().expect("three"), values.pop().expect("three"), values.pop().expect("three"));
                let chosen = condition.is_zero().not().select(&then.resize(ty), &otherwise.resize(ty));
                self.register(m, "chosen", chosen, stage, 1)
            }
        })
    }

    fn binary(&mut self, m: &mut Module, op: BinaryOp, left: Value, right: Value, ty: Type) -> Result<Value> {
        let (values, stage) = self.align(m, vec![left, right]);
        let (a, b) = (&values[0], &values[1]);
        let truth = |bit: Rtl| bit.resize(Type::BIT).resize(ty);
        let (name, result) = match op {
            BinaryOp::Multiply => {
                let a = self.register(m, "factor", a.clone(), stage, 1);
                let b = self.register(m, "factor", b.clone(), stage, 1);
                let product = a.expr.mul(&b.expr, ty);
                return Ok(self.register(m, "product", product, a.stage.or(b.stage), MULTIPLY_LATENCY - 1));
            }
            BinaryOp::Divide | BinaryOp::Remainder => bail!(
                Diagnostic::new("division has no circuit yet")
                    .at(self.span, "this statement divides")
                    .help("multiply by a reciprocal, or shift where the divisor is a power of two and the value unsigned")
            ),
            BinaryOp::Add => ("sum", a.add(b, ty)),
            BinaryOp::Subtract => ("difference", a.sub(b, ty)),
            BinaryOp::And => ("and", a.and(b).resize(ty)),
            BinaryOp::Or => ("or", a.or(b).resize(ty)),
            BinaryOp::Xor => ("xor", a.xor(b).resize(ty)),
            // C leaves shifts by the width or more undefined: as many low bits of the amount as the width needs.
            BinaryOp::ShiftLeft => ("shifted", a.shl(&amount(b, ty), ty)),
            BinaryOp::ShiftRight => ("shifted", a.shr(&amount(b, ty)).resize(ty)),
            BinaryOp::Less => ("less", truth(a.lt(b))),
            BinaryOp::LessEqual => ("less_equal", truth(a.le(b))),
            BinaryOp::Equal => ("equal", truth(a.eq(b))),
            BinaryOp::NotEqual => ("not_equal", truth(a.ne(b))),
            BinaryOp::LogicalAnd => ("both", truth(a.is_zero().not().and(&b.is_zero().not()))),
            BinaryOp::LogicalOr => ("either", truth(a.is_zero().not().or(&b.is_zero().not()))),
        };
        Ok(self.register(m, name, result, stage, 1))
    }

    /// `expr`, shown `latency` cycles after `stage`; a value that never changes needs no register.
    fn register(&mut self, m: &mut Module, name: &str, expr: Rtl, stage: Option<u32>, latency: u32) -> Value {
        let Some(stage) = stage else { return Value { expr, stage: None } };
        let mut expr = expr;
        for _ in 0..latency {
            let register = m.reg(name, expr.ty());
            self.registers.push(assign(&register, &expr));
            expr = register.e();
        }
        Value { expr, stage: Some(stage + latency) }
    }

    /// Delays every value to the latest stage among them.
    fn align(&mut self, m: &mut Module, values: Vec<Value>) -> (Vec<Rtl>, Option<u32>) {
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
        let key = format!("{:?}", value.expr);
        let mut expr = value.expr.clone();
        for s in from + 1..=stage {
            expr = match self.delayed.get(&(key.clone(), s)) {
                Some(signal) => signal.e(),
                None => {
                    let register = m.reg(&format!("delayed_{s}"), expr.ty());
                    self.registers.push(assign(&register, &expr));
                    self.delayed.insert((key.clone(), s), register.clone());
                    register.e()
                }
            };
        }
        expr
    }

    /// Ends the pipeline: all its registers move every cycle, valid or not.
    pub fn finish(self, m: &mut Module) {
        if !self.registers.is_empty() {
            m.clocked("The datapath moves in every cycle; valid bits travel beside it.", vec![], self.registers);
        }
    }
}

/// The bits of a shift amount that count for a value of type `ty`.
fn amount(value: &Rtl, ty: Type) -> Rtl {
    let bits = ty.width.trailing_zeros().max(1).min(value.width());
    value.slice(bits - 1, 0)
}
