//! The datapaths of the direct version, and the words they write.

use super::operands::{OperandLeaves, Operands};
use super::{Direct, IN_FLIGHT};
use crate::hardware::circuit::cells;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::datapath::plan::{Plan, Rehearsal};
use crate::hardware::datapath::{self, Datapath};
use crate::hardware::system::memory_port::{Commands, MemoryPort};
use crate::hardware::transfer::packing::{RowPacking, packer};
use crate::ids::StatementId;
use crate::rtl::{Expr as Rtl, Module, Signal, Type, assign, when, when_else};

/// The datapaths, all as long as the longest, so that results keep their order.
pub struct Results {
    valid: Rtl,
    number: Option<Rtl>,
    /// Of each statement.
    values: Vec<Rtl>,
    /// Statements that divide.
    dividing: Vec<StatementId>,
}

impl Results {
    pub fn declare(m: &mut Module, d: &Direct, operands: &Operands, scalars: &[Rtl]) -> Results {
        let number = operands.number.as_ref().map(|n| n.e());
        let present = d.present();
        let evaluate = |m: &mut Module, datapath: &mut Datapath, s: StatementId| {
            let mut leaves = OperandLeaves { context: d.context, statement: s, reads: &d.reads[s], operands, scalars };
            datapath.evaluate(m, &d.statements[s].value, &mut leaves)
        };
        let rehearse = |place: usize, plan: Plan| {
            let mut datapath = Datapath::new(&d.context.kernel.name, plan, None);
            datapath.begin(&d.statements[present[place]].name, Rtl::bit(true));
            let value = evaluate(&mut datapath::scratch(), &mut datapath, present[place]);
            Rehearsal { uses: datapath.uses(), end: value.stage.unwrap_or(1), divides: datapath.divides() }
        };
        // Every result comes as late as the latest.
        let plan = if present.len() == 1 { Plan::default() } else { Plan::new(present.len(), rehearse, |_| true) };
        let mut datapath = Datapath::new(&d.context.kernel.name, plan, number.clone());
        let mut values = vec![];
        let mut results = Results { valid: operands.fire.e(), number, values: vec![], dividing: vec![] };
        for &s in present {
            m.comment(&format!("The datapath of {}: {}", d.statements[s].name, d.statements[s].text));
            let number = results.number.as_ref();
            datapath.begin(&d.statements[s].name, operands.fire.e().and(&d.is(number, |other| other == s)));
            values.push(evaluate(m, &mut datapath, s));
            results.dividing.extend(datapath.divides().then_some(s));
        }
        let stage = values.iter().filter_map(|value| value.stage).max().unwrap_or(1);
        for (place, value) in values.iter().enumerate() {
            datapath.resume(place);
            results.values.push(datapath.at(m, value, stage));
        }
        results.number = results.number.is_some().then(|| datapath.number_in(m, stage));
        datapath.finish(m);
        let (mut shift, mut resets) = (vec![], vec![]);
        for stage in 2..=stage {
            let register = m.reg(&format!("valid_{stage}"), Type::BIT);
            shift.push(assign(&register, &results.valid));
            resets.push((register.clone(), 0));
            results.valid = register.e();
        }
        if !shift.is_empty() {
            m.clocked("", resets, shift);
        }
        results
    }

    /// Whether the instance that begins to read, of the statement `candidate`, finds the divider free; `None` where
    /// nobody divides. It is taken from an instance's first read to its result.
    pub fn divider_free(&self, m: &mut Module, d: &Direct, candidate: Option<&Rtl>, begins: &Rtl) -> Option<Rtl> {
        if self.dividing.is_empty() {
            return None;
        }
        let divides = |number: Option<&Rtl>| d.is(number, |s| self.dividing.contains(&s));
        let busy = m.reg("division_busy", Type::BIT);
        let set = vec![assign(&busy, &Rtl::bit(true))];
        let clear = vec![assign(&busy, &Rtl::bit(false))];
        let ends = self.valid.and(&divides(self.number.as_ref()));
        let body = vec![when_else(begins.and(&divides(candidate)), set, vec![when(ends, clear)])];
        m.clocked("", vec![(busy.clone(), 0)], body);
        Some(busy.e().and(&divides(candidate)).not())
    }

    /// One command and one word per instance, in order. `accepted` tells the instances, with address and statement.
    pub fn write(
        self,
        m: &mut Module,
        d: &Direct,
        accepted: (&Signal, &Signal, Option<&Rtl>),
        written: &Signal,
        commands: &Commands,
        memory: &MemoryPort,
    ) {
        m.comment("Writes: one command per iteration, in order.");
        let (accepted, write_address, candidate) = accepted;
        let target = |s: StatementId| &d.statements[s].target;
        let element = |s: StatementId| Type::unsigned(d.context.array(target(s).array).element.bits);
        let widest = d.present().iter().map(|&s| element(s).width).max().expect("a statement");
        let value = d.by_statement(self.number.as_ref(), |s| {
            let place = d.present().iter().position(|p| *p == s)?;
            Some(self.values[place].resize(element(s)).resize(Type::unsigned(widest)))
        });
        let (result_in, result_out) = (Stream::wires(m, "result"), Stream::wires(m, "result_out"));
        m.assign(&result_in.valid, &self.valid);
        let depth = IN_FLIGHT as i128;
        let result_data = cells::fifo(m, "u_results", depth, (&result_in, &value), &result_out, "result_data");

        let byte = write_address.ty();
        let size = d.by_statement(candidate, |s| Some(d.size_value(target(s))));
        let packed = match size.as_constant() {
            Some(_) => write_address.e(),
            None => Rtl::concat(&[size.clone(), write_address.e()]),
        };
        let (address_in, address_out) = (Stream::wires(m, "address_in"), Stream::wires(m, "address_out"));
        m.assign(&address_in.valid, &accepted.e());
        let address = cells::fifo(m, "u_addresses", depth, (&address_in, &packed), &address_out, "address_data");
        let size = match size.as_constant() {
            Some(_) => size,
            None => address.e().slice(address.width() - 1, byte.width),
        };
        let length = commands.length.ty();
        let words = d.words_of(&size);
        let outgoing = Stream::wires(m, "outgoing");
        let layout_out = Stream::wires(m, "store_layout");
        let both = result_out.valid.e().and(&address_out.valid.e());
        let valid = both.and(&outgoing.ready.e()).and(&layout_out.ready.e());
        commands.give(m, &valid, &address.e().slice(byte.width - 1, d.word().shift()), &words.resize(length));
        m.assign(&commands.last, &Rtl::bit(true));
        m.assign(written, &commands.stream.fires());
        m.assign(&result_out.ready, &written.e());
        m.assign(&address_out.ready, &written.e());
        m.assign(&outgoing.valid, &written.e());
        let word = Stream::wires(m, "words");
        let word_data = cells::fifo(m, "u_words", 4, (&outgoing, &result_data.e()), &word, "words_data");
        if size.as_constant() == Some(d.word().shift().into()) {
            m.assign(&layout_out.ready, &Rtl::bit(true));
            m.assign(&layout_out.valid, &Rtl::bit(false));
            m.assign(&memory.data.valid, &word.valid.e());
            m.assign(&word.ready, &memory.data.ready.e());
            m.assign(&memory.write_data, &word_data.e());
            m.assign(&memory.strobe, &d.word().all_bytes());
        } else {
            m.assign(&layout_out.valid, &written.e());
            let layout = RowPacking {
                stream: layout_out,
                size: m.define("store_size", &size),
                offset: m.define("store_offset", &d.word().offset_of(&address.e())),
                count: m.define("store_count", &Rtl::bit(true)),
            };
            let (data, strobe) = packer(m, d.word(), &layout, (&word, &word_data.e(), None), &memory.data);
            m.assign(&memory.write_data, &data.e());
            m.assign(&memory.strobe, &strobe.e());
        }
    }
}
