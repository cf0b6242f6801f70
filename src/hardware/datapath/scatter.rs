//! Writes at subscripts that depend on data, `y[p[i]] = v`, and updates, `h[x[i]] += w`: the address is computed in the
//! pipeline and goes to the buffer's write port with the value.
//!
//! An update reads its cell in the middle of the pipeline. Updates of the same cell may follow each other: where one operator
//! of integers lies between the word and the new value, the words of the three updates before, which the buffer has not
//! given, are taken from the pipeline (`w` is the stage of the word, in which the new value is computed):
//!
//! ```text
//! stage       w - 2     w - 1    w                     w + 1   w + 2   w + 3
//! update      address   memory   word ─▶ operator ─▶   value   value   value
//!                                 ▲ the last of the same cell ◀─┴───────┴───────┘
//! ```
//!
//! Elsewhere an update waits for the one before ([`Scattered::sees`]).

use crate::hardware::circuit::ranged::rtl_type;
use crate::hardware::datapath::gather::Gathered;
use crate::hardware::datapath::{Datapath, Leaves, Value};
use crate::operators::{GATHER, divides, is_quick, is_unconditional, reads_at};
use crate::rtl::{Expr as Rtl, Module, Type, assign};
use crate::source::kernel::{BinaryOp, Expr, Gather};

/// Updates before this one whose words the buffer does not give: those between its address and its new value.
const BEFORE: u32 = 3;

/// Where a statement writes, and when it reads what was there.
#[derive(Clone)]
pub struct Scattered {
    pub address: Value,
    /// Whether it writes; `None` where it always does.
    pub enable: Option<Value>,
    /// An update that starts now sees what an update before writes fewer cycles from now; `None` where it has not to wait
    /// for those, or reads nothing.
    pub sees: Option<u32>,
    /// The stage of the new value, where updates take words from the pipeline.
    end: Option<u32>,
}

impl Scattered {
    /// Whether a write in `stage` is the one that the updates behind it count on.
    pub fn is_on_time(&self, stage: u32) -> bool {
        self.end.is_none_or(|end| end == stage)
    }
}

/// What an update makes its value of beside the word.
struct Others<'e> {
    found: Vec<(&'e Expr, Value)>,
    at_hand: Vec<Rtl>,
}

impl Datapath {
    /// Where the present statement writes, if data tell.
    pub fn scattered(&self) -> Option<Scattered> {
        self.scattered.get(&self.present).cloned()
    }

    /// The value of a statement that writes at `place`, where `only_if` is not 0.
    pub(super) fn scatter(
        &mut self,
        m: &mut Module,
        place: &Gather,
        only_if: Option<&Expr>,
        value: &Expr,
        leaves: &mut dyn Leaves,
    ) -> Value {
        let depth = self.conditions.len();
        let only_if = only_if.map(|only_if| self.evaluate(m, only_if, leaves));
        self.conditions.extend(only_if.iter().map(|only_if| (only_if.clone(), true)));
        let subscripts: Vec<Value> = place.subscripts.iter().map(|s| self.evaluate(m, s, leaves)).collect();
        let (subscripts, stage) = self.align(m, subscripts);
        let stage = stage.unwrap_or(1);
        let found = leaves.place(place, &subscripts);
        let address = Value { expr: found.address, stage: Some(stage) };
        let outside = found.outside.map(|outside| self.register(m, "is_outside", outside, Some(stage), 1));
        let enable = self.enable(m, only_if.as_ref(), outside.as_ref());
        if let Some(outside) = outside {
            self.raise(m, outside);
        }
        let reads = value.gathers().iter().any(|gather| gather.is_same(place));
        let mut others = Others { found: vec![], at_hand: vec![] };
        // Of a serial divider there is one.
        let is_piped = reads && !divides(value) && !self.divides();
        if is_piped {
            self.others(m, value, place, &mut others, leaves);
        }
        let ready = others.found.iter().filter_map(|(_, value)| value.stage).max().unwrap_or(1);
        let mut least = stage.max(ready.saturating_sub(GATHER));
        // What `only_if` reads there would have to be taken from the pipeline, too.
        let is_read_before = self.gathered.iter().any(|gathered| gathered.is_of(self.present, place));
        if is_piped && is_quick(value, place) && !is_read_before {
            least = least.max(enable.as_ref().and_then(|enable| enable.stage).unwrap_or(1));
            self.update = Some((place.clone(), least));
            let word = self.gather(m, place, leaves);
            self.update = None;
            self.conditions.truncate(depth);
            return self.quick_update(m, (address, enable), &word, value, others);
        }
        self.update = reads.then(|| (place.clone(), least));
        let value = self.evaluate(m, value, leaves);
        self.update = None;
        self.conditions.truncate(depth);
        let own = self.gathered.iter().find(|gathered| gathered.is_of(self.present, place));
        // The address is at the buffer a stage later, as if the word were read so many stages late.
        let sees = own.map(Gathered::stage);
        let end = [Some(&address), enable.as_ref(), Some(&value)].into_iter().flatten().filter_map(|v| v.stage).max();
        let value = match (end, value.stage) {
            (Some(end), Some(stage)) if end > stage => Value { expr: self.at(m, &value, end), stage: Some(end) },
            (Some(end), None) => Value { expr: value.expr, stage: Some(end) },
            _ => value,
        };
        self.scattered.insert(self.present, Scattered { address, enable, sees, end: None });
        value
    }

    /// Whether an instance writes.
    fn enable(&mut self, m: &mut Module, only_if: Option<&Value>, outside: Option<&Value>) -> Option<Value> {
        let (values, stage) = self.align(m, only_if.into_iter().chain(outside).cloned().collect());
        let mut parts = values.iter();
        let only_if = only_if.and_then(|_| parts.next()).map(|only_if| only_if.is_zero().not());
        let inside = outside.and_then(|_| parts.next()).map(Rtl::is_zero);
        let both = only_if.into_iter().chain(inside).reduce(|a, b| a.and(&b))?;
        Some(self.register(m, "writes", both, stage, 1))
    }

    /// Evaluates the parts of `expr` that do not depend on the word at `place`.
    fn others<'e>(
        &mut self,
        m: &mut Module,
        expr: &'e Expr,
        place: &Gather,
        others: &mut Others<'e>,
        leaves: &mut dyn Leaves,
    ) {
        match expr {
            _ if !reads_at(expr, place) => {
                let value = self.evaluate(m, expr, leaves);
                others.found.push((expr, value));
            }
            Expr::Gather { .. } => {}
            // What is read on one side only has its place in the evaluation as a whole.
            Expr::Select { .. } | Expr::Binary { op: BinaryOp::LogicalAnd | BinaryOp::LogicalOr, .. }
                if !is_unconditional(expr, place) => {}
            _ => expr.operands().into_iter().for_each(|operand| self.others(m, operand, place, others, leaves)),
        }
    }

    /// An update at one per cycle, of what was `read`.
    fn quick_update(
        &mut self,
        m: &mut Module,
        (address, enable): (Value, Option<Value>),
        read: &Value,
        value: &Expr,
        mut others: Others,
    ) -> Value {
        let there = read.stage.expect("a word has a stage");
        let ty = rtl_type(value.ty());
        let updated = m.reg(&format!("updated_s{}", there + 1), ty);
        let result = Value { expr: updated.e(), stage: Some(there + 1) };
        let own = self.at(m, &address, there - 1);
        let mut word = read.expr.clone();
        for distance in (1..=BEFORE).rev() {
            let before = there - 1 + distance;
            let mut hit = self.at(m, &address, before).eq(&own).and(&self.valid_in(m, before));
            if let Some(enable) = &enable {
                hit = hit.and(&self.at(m, enable, before));
            }
            let hit = self.register(m, &format!("is_that_{distance}_before"), hit, Some(there - 1), 1);
            let last = self.at(m, &result, there + distance);
            word = hit.expr.select(&last.resize(word.ty()), &word);
        }
        let word = m.define(&format!("latest_s{there}"), &word).e();
        for (_, value) in &others.found {
            let at_hand = self.at(m, value, there);
            others.at_hand.push(at_hand);
        }
        let new = combined(value, &word, &others, value.ty().bits);
        self.pipeline().registers.push(assign(&updated, &new.resize(ty)));
        self.scattered.insert(self.present, Scattered { address, enable, sees: None, end: Some(there + 1) });
        result
    }
}

/// The low `demand` bits of the value of `expr`, whose only gather is `word`, without registers.
fn combined(expr: &Expr, word: &Rtl, others: &Others, demand: u32) -> Rtl {
    let full = rtl_type(expr.ty());
    let ty = Type { width: full.width.min(demand), signed: full.signed };
    if let Some(known) = others.found.iter().position(|(other, _)| std::ptr::eq(*other, expr)) {
        return others.at_hand[known].resize(ty);
    }
    let of = |operand: &Expr, demand: u32| combined(operand, word, others, demand);
    match expr {
        Expr::Gather { .. } => word.resize(full).resize(ty),
        Expr::Cast { operand, .. } => of(operand, ty.width).resize(ty),
        Expr::Unary { operand, .. } => of(operand, ty.width).resize(ty).not(),
        Expr::Select { condition, then, otherwise, .. } => {
            let (then, otherwise) = (of(then, ty.width).resize(ty), of(otherwise, ty.width).resize(ty));
            of(condition, condition.ty().bits).is_zero().not().select(&then, &otherwise)
        }
        Expr::Binary { op, left, right, .. } => {
            let (a, b) = match op {
                BinaryOp::Add | BinaryOp::Subtract | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                    (of(left, ty.width), of(right, ty.width))
                }
                _ => (of(left, left.ty().bits), of(right, right.ty().bits)),
            };
            match op {
                BinaryOp::Add => a.add(&b, ty),
                BinaryOp::Subtract => a.sub(&b, ty),
                BinaryOp::And => a.and(&b).resize(ty),
                BinaryOp::Or => a.or(&b).resize(ty),
                BinaryOp::Xor => a.xor(&b).resize(ty),
                BinaryOp::Less => a.lt(&b).resize(ty),
                BinaryOp::LessEqual => a.le(&b).resize(ty),
                BinaryOp::Equal => a.eq(&b).resize(ty),
                BinaryOp::NotEqual => a.ne(&b).resize(ty),
                _ => unreachable!("operators of one cycle"),
            }
        }
        _ => unreachable!("looked at before"),
    }
}
