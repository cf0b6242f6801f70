//! Words that come back from memory, collected into the operands of an instance.

use super::{Direct, IN_FLIGHT, Step};
use crate::affine::Affine;
use crate::hardware::circuit::cells;
use crate::hardware::circuit::ranged::rtl_type;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::context::Context;
use crate::hardware::datapath::{GatherPort, Leaves, Place, Value};
use crate::ids::StatementId;
use crate::rtl::{Expr as Rtl, Module, Signal, Statement, Type, assign, when};
use crate::source::kernel::{Access, Expr, Gather, ScalarType};

/// An affine value used as data by a statement: computed beside the addresses, it waits for the operands.
pub struct Index {
    statement: StatementId,
    value: Affine,
    ty: ScalarType,
    /// Of the instance that reads.
    candidate: Signal,
    /// Of the instance whose operands are complete.
    complete: Signal,
}

/// The registers between the collected operands and the datapaths, in whose stage 1 they are.
pub struct Operands {
    /// The operands are complete.
    pub fire: Signal,
    /// The statement's number, where there are several.
    pub number: Option<Signal>,
    pub words: Vec<Signal>,
    pub indices: Vec<Index>,
}

/// The leaves of one statement.
pub struct OperandLeaves<'a> {
    pub context: &'a Context<'a>,
    pub statement: StatementId,
    pub reads: &'a [&'a Access],
    pub operands: &'a Operands,
    pub scalars: &'a [Rtl],
}

impl Leaves for OperandLeaves<'_> {
    fn read(&mut self, _: &mut Module, access: &Access) -> Value {
        // An element that is read under two conditions is two words, of which one is anything.
        let of = |a: &&Access| (a.array, &a.subscripts, &a.guard) == (access.array, &access.subscripts, &access.guard);
        let place = self.reads.iter().position(of).expect("every access has an operand");
        let ty = rtl_type(self.context.array(access.array).element);
        Value { expr: self.operands.words[place].e().resize(ty), stage: Some(1) }
    }

    fn gather(&mut self, _: &mut Module, _: &Gather, _: &[Rtl]) -> GatherPort {
        unreachable!("kernels with subscripts that depend on data have no direct version")
    }

    fn place(&self, _: &Gather, _: &[Rtl]) -> Place {
        unreachable!("kernels with subscripts that depend on data have no direct version")
    }

    fn scalar(&self, scalar: usize) -> Rtl {
        self.scalars[scalar].clone()
    }

    fn index(&mut self, _: &mut Module, value: &Affine, ty: ScalarType) -> Value {
        let of = |i: &&Index| i.statement == self.statement && i.value == *value && i.ty == ty;
        let index = self.operands.indices.iter().find(of).expect("every index travels with its instance");
        Value { expr: index.complete.e(), stage: Some(1) }
    }
}

/// Affine values used as data, in textual order.
fn index_values(expr: &Expr) -> Vec<(Affine, ScalarType)> {
    match expr {
        Expr::Index { value, ty } => vec![(value.clone(), *ty)],
        _ => expr.operands().into_iter().flat_map(index_values).collect(),
    }
}

/// Declares what the datapaths start from; `loads` computes the indices of the instance that reads.
pub fn declare_operands(m: &mut Module, d: &Direct, loads: &mut Vec<Statement>) -> Operands {
    let number_type = d.instances.number_type();
    let mut operands = Operands {
        fire: m.reg("operands_complete", Type::BIT),
        number: (d.present().len() > 1).then(|| m.reg("complete_statement", number_type)),
        words: vec![],
        indices: vec![],
    };
    for r in 0..d.most_reads() {
        let readers = d.present().iter().filter_map(|&s| d.reads[s].get(r));
        let bits =
            readers.map(|a| d.context.array(a.array).element.bits).max().expect("a statement with so many reads");
        let word = m.reg(&format!("operand_{r}"), Type::unsigned(bits));
        operands.words.push(word);
    }
    for &statement in d.present() {
        for (value, ty) in index_values(&d.statements[statement].value) {
            let known = |i: &Index| i.statement == statement && i.value == value && i.ty == ty;
            if operands.indices.iter().any(known) {
                continue;
            }
            let place = operands.indices.len();
            let [candidate, complete] =
                ["candidate", "complete"].map(|of| m.reg(&format!("{of}_index_{place}"), rtl_type(ty)));
            let now =
                d.instances.choose(&[statement], |kind| kind.scope.affine(&kind.affine(&value)).resize(rtl_type(ty)));
            loads.push(assign(&candidate, &now));
            operands.indices.push(Index { statement, value, ty, candidate, complete });
        }
    }
    operands
}

/// Fills the operand registers from `element`, the words that come back. What an instance needs beside them waits in a
/// FIFO from its first read on.
pub fn collect(
    m: &mut Module,
    d: &Direct,
    operands: &Operands,
    candidate_number: Option<&Rtl>,
    begins: &Rtl,
    element: (&Stream, &Rtl),
) {
    let (element, data) = element;
    let mut fields: Vec<(Rtl, Signal)> = vec![];
    fields.extend(candidate_number.cloned().zip(operands.number.clone()));
    fields.extend(operands.indices.iter().map(|i| (i.candidate.e(), i.complete.clone())));
    let mut body = vec![];
    let mut head_number = None;
    let mut waits = None;
    if !fields.is_empty() {
        let packed = Rtl::concat(&fields.iter().map(|(value, _)| value.clone()).collect::<Vec<_>>());
        let (inwards, outwards) = (Stream::wires(m, "instance_in"), Stream::wires(m, "instance_out"));
        m.assign(&inwards.valid, begins);
        let word = cells::fifo(m, "u_instances", IN_FLIGHT as i128, (&inwards, &packed), &outwards, "instance");
        let mut high = packed.width();
        for (index, (value, register)) in fields.iter().enumerate() {
            high -= value.width();
            let field = word.e().slice(high + value.width() - 1, high).resize(register.ty());
            body.push(assign(register, &field));
            if index == 0 && candidate_number.is_some() {
                head_number = Some(field);
            }
        }
        waits = Some(outwards);
    }
    let head_valid = waits.as_ref().map_or(Rtl::bit(true), |w| w.valid.e());
    let head = head_number.as_ref();
    let without = d.is(head, |s| d.reads[s].is_empty());
    let step = Step::declare(m, "collect_step", d.most_reads());
    let mut complete = match &waits {
        Some(_) => head_valid.and(&without),
        // A single statement: it starts when its only step is done.
        None => begins.and(&without),
    };
    m.assign(&element.ready, &without.and(&head_valid).not());
    let mut always = vec![];
    if d.most_reads() > 0 {
        let arrives = m.define("operand_arrives", &element.fires());
        let last = d.is_last(&step, head);
        complete = complete.or(&arrives.e().and(&last));
        for (r, operand) in operands.words.iter().enumerate() {
            let word = assign(operand, &data.resize(operand.ty()));
            always.push(when(arrives.e().and(&step.is(r)), vec![word]));
        }
        always.extend(step.advance(&arrives.e(), &last));
    }
    let complete = m.define("last_operand", &complete);
    if let Some(waits) = &waits {
        m.assign(&waits.ready, &complete.e());
    }
    always.push(assign(&operands.fire, &complete.e()));
    if !body.is_empty() {
        always.push(when(complete.e(), body));
    }
    m.clocked("", [(operands.fire.clone(), 0)].into_iter().chain(step.reset()).collect(), always);
}
