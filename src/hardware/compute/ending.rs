//! Rows that data end. Where `break` leaves a loop, or its end is data, its rows go on to the last iteration that there may be, and
//! from some iteration on all of them leave everything as it is. So an instance tells, once the pipeline knows, that nothing
//! behind it in its row does anything, and the walker leaves the rest out. That it hears of it late is slow and never wrong:
//!
//! ```text
//! rows ─▶ walker ─▶ stage 1 ─▶ … ─▶ over, or j >= n
//!           ▲  ends the row with that number │
//!           └────────────────────────────────┘
//! ```

use crate::affine;
use crate::hardware::circuit::variable::{Affine, Var};
use crate::hardware::compute::instances::InstanceKind;
use crate::hardware::compute::process::Process;
use crate::hardware::datapath::{Datapath, Value};
use crate::hardware::walk::rows::RowFormat;
use crate::hardware::walk::walker::Walker;
use crate::ids::StatementId;
use crate::rtl::{Expr as Rtl, Module, Signal, Type, assign};
use crate::source::kernel::{self, BinaryOp, Expr, Needed, Statement};

/// Bits of a row's number: more rows than are ever under way.
const NUMBER: u32 = 10;

/// Which statements tell, and the number of the row that the walker holds.
pub struct Endings {
    number: Signal,
    of: Vec<(StatementId, Expr)>,
}

/// High for a cycle where the row with that number is over.
pub struct Ended {
    is_over: Rtl,
    number: Rtl,
}

impl Endings {
    /// `None` where no statement can tell.
    pub fn declare(process: &Process, m: &mut Module, format: &RowFormat) -> Option<Endings> {
        let can = |s: StatementId| {
            let offload = process.offload;
            offload.lanes(s).is_none() && !offload.windows.iter().any(|window| window.statement == s)
        };
        let of: Vec<(StatementId, Expr)> = process
            .present()
            .iter()
            .filter(|&&s| can(s))
            .filter_map(|&s| Some((s, goes_on(process, s, &format.inner.variable)?)))
            .collect();
        (!of.is_empty()).then(|| Endings { number: m.reg("row_number", Type::unsigned(NUMBER)), of })
    }

    /// The condition under which a statement's row goes on, if there is one.
    pub fn of(&self, s: StatementId) -> Option<&Expr> {
        self.of.iter().find(|(own, _)| *own == s).map(|(_, condition)| condition)
    }

    /// What an instance of the present pipeline tells, whose condition is `goes_on`; `loads` is what stage 1 takes.
    pub fn tell(
        &self,
        m: &mut Module,
        datapath: &mut Datapath,
        goes_on: Value,
        loads: &mut Vec<(Signal, Rtl)>,
    ) -> Ended {
        let number = m.reg("number_of_row", self.number.ty());
        loads.push((number.clone(), self.number.e()));
        let stage = goes_on.stage.unwrap_or(1);
        let number = datapath.at(m, &Value { expr: number.e(), stage: Some(1) }, stage);
        let is_over = datapath.valid_in(m, stage).and(&goes_on.expr.is_zero());
        Ended { is_over, number }
    }

    /// Whether the row that `walker` holds is over: it takes no further step, and leaves. `comes` where the walker takes what is next.
    pub fn connect(self, m: &mut Module, walker: &Walker, ended: Vec<Ended>, comes: (&Rtl, &Rtl)) -> Rtl {
        let (free, fires) = comes;
        m.comment("A row ends where data end it.");
        let is_over = m.reg("row_is_over", Type::BIT);
        let mut registers = vec![assign(&self.number, &fires.select(&self.number.e().incremented(), &self.number.e()))];
        let mut resets = vec![(self.number.clone(), 0), (is_over.clone(), 0)];
        let mut present = vec![];
        for Ended { is_over, number } in ended {
            let (told, of) = (m.reg("row_ends", Type::BIT), m.reg("row_that_ends", number.ty()));
            registers.extend([assign(&told, &is_over), assign(&of, &number)]);
            resets.push((told.clone(), 0));
            present.push(told.e().and(&of.e().eq(&self.number.e())));
        }
        let present = m.define("ends_present_row", &Rtl::any(&present).and(&walker.has_element()));
        registers.push(assign(&is_over, &present.e().and(&free.not())));
        m.clocked("", resets, registers);
        is_over.e()
    }
}

/// The condition under which a row of a statement goes on: once it is false in some iteration of a row, it is in all behind it, and
/// they do nothing.
fn goes_on(process: &Process, s: StatementId, inner: &Var) -> Option<Expr> {
    let statement = process.statements[s];
    let kinds: Vec<&InstanceKind> = process.instances.kinds_of(s).collect();
    let stays = |needed: &Needed| kinds.iter().all(|kind| Row { statement, kind, inner }.stays_false(*needed));
    let parts = process.context.kernel.needed(statement).into_iter().filter(stays).map(|needed| needed.expr().clone());
    parts.reduce(|left, right| {
        let ty = kernel::ScalarType::I32;
        Expr::Binary { op: BinaryOp::LogicalAnd, left: Box::new(left), right: Box::new(right), ty }
    })
}

/// A row of a statement's instances.
struct Row<'a> {
    statement: &'a Statement,
    kind: &'a InstanceKind,
    inner: &'a Var,
}

impl Row<'_> {
    /// Whether a condition that is false in an iteration of a row is false in all that come behind.
    fn stays_false(&self, needed: Needed) -> bool {
        match needed {
            Needed::Unset(_, cell) => {
                cell.guard.is_none() && cell.subscripts.iter().all(|subscript| self.is_kept(subscript))
            }
            Needed::Any(Expr::Binary { op: BinaryOp::Less | BinaryOp::LessEqual, left, right, .. }) => {
                let [from, to] = [left, right].map(|side| self.step(side));
                from.is_some_and(|step| step >= 0) && to.is_some_and(|step| step <= 0)
            }
            Needed::Any(condition) => self.is_same(condition),
        }
    }

    /// By how much a number grows from iteration to iteration of a row, of which some are sure not to overflow.
    fn step(&self, number: &Expr) -> Option<i64> {
        match number {
            Expr::Index { value, ty } => {
                let value = self.affine(value)?;
                let (low, high) = self.kind.scope.range(&value);
                let (least, most) = ty.limits();
                (least <= low && high <= most).then(|| value.coefficient(self.inner))
            }
            _ => self.is_same(number).then_some(0),
        }
    }

    /// Whether an expression has one value in all of a row, and takes no operators that statements share.
    fn is_same(&self, expr: &Expr) -> bool {
        let is_same = match expr {
            Expr::Constant { .. } | Expr::Scalar { .. } => true,
            Expr::Index { value, .. } => self.is_kept(value),
            Expr::Read { access, .. } => {
                let is_kept = access.subscripts.iter().all(|subscript| self.is_kept(subscript));
                access.guard.is_none() && is_kept && !self.statement.writes_to(access.array)
            }
            Expr::Binary { op, .. } => !matches!(op, BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder),
            Expr::Unary { .. } | Expr::Select { .. } | Expr::Cast { .. } => true,
            Expr::Lookup { .. } | Expr::Gather { .. } | Expr::Scatter { .. } | Expr::Masked { .. } => false,
        };
        is_same && !expr.ty().floating && expr.operands().into_iter().all(|operand| self.is_same(operand))
    }

    /// A value of the iterators, over the levels of the row, if no quotient is in it.
    fn affine(&self, value: &affine::Affine) -> Option<Affine> {
        let value = self.kind.affine(value);
        let is_quotient = |variable: &Var| matches!(variable, Var::Quotient(_));
        (!value.terms.keys().any(is_quotient)).then_some(value)
    }

    /// Whether a value of the iterators does not change along the row.
    fn is_kept(&self, value: &affine::Affine) -> bool {
        self.affine(value).is_some_and(|value| value.coefficient(self.inner) == 0)
    }
}
