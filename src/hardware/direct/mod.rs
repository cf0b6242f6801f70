//! The direct version, for comparison: the loops as written, every access of the source one word of memory. Reads run
//! ahead of the writes as far as the dependences allow; nothing is kept on chip.

mod operands;
mod results;

use crate::hardware::circuit::cells;
use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::circuit::variable::{Affine, over_sizes};
use crate::hardware::compute::instances::Instances;
use crate::hardware::context::Context;
use crate::hardware::system::accelerator::{completion, control_ports, counters};
use crate::hardware::system::memory_port::{Commands, MemoryPort};
use crate::hardware::transfer::packing::{RowPacking, WIDEST_SIZE, element_size, unpacker};
use crate::hardware::walk::connect::waiting_rows;
use crate::hardware::walk::scanner::scanner;
use crate::hardware::walk::source::Source;
use crate::hardware::walk::walker::Walker;
use crate::ids::{ArrayId, ByStatement, StatementId};
use crate::layout::Part;
use crate::rtl::{Expr as Rtl, Module, Signal, Statement, Type, assign, when};
use crate::source::kernel::{Access, Statement as Assignment};
use crate::word::Word;
use operands::{collect, declare_operands};
use results::Results;

/// Instances that may be between their reads and their write.
const IN_FLIGHT: usize = 16;

/// What the parts of the direct version share.
struct Direct<'a> {
    context: &'a Context<'a>,
    instances: &'a Instances<'a>,
    statements: ByStatement<&'a Assignment>,
    /// The accesses that each statement reads, in textual order.
    reads: ByStatement<Vec<&'a Access>>,
}

impl<'a> Direct<'a> {
    /// The number of reads of a statement with the most.
    fn most_reads(&self) -> usize {
        self.present().iter().map(|&s| self.reads[s].len()).max().unwrap_or(0)
    }

    fn present(&self) -> &[StatementId] {
        &self.instances.statements
    }

    /// log2 of the bytes of an element.
    fn size(&self, access: &Access) -> u32 {
        self.context.array(access.array).element.bytes().trailing_zeros()
    }

    fn size_value(&self, access: &Access) -> Rtl {
        Rtl::constant(self.size(access).into(), element_size())
    }

    fn word(&self) -> Word {
        self.context.port.word
    }

    /// Words that an element of 2^`size` bytes takes.
    fn words(&self, size: u32) -> i128 {
        self.word().holding(1 << size).into()
    }

    /// The same for a size that is a signal.
    fn words_of(&self, size: &Rtl) -> Rtl {
        let count = |size: u32| Rtl::constant(self.words(size), Type::for_range(0, self.words(WIDEST_SIZE) as i64));
        let several = self.word().shift() + 1..=WIDEST_SIZE;
        several.fold(count(0), |fewer, s| size.eq(&Rtl::constant(s.into(), size.ty())).select(&count(s), &fewer))
    }

    fn words_value(&self, access: &Access) -> Rtl {
        Rtl::constant(self.words(self.size(access)), Type::unsigned(self.context.port.length))
    }

    /// The value of the statement with this number; at least one statement has one.
    fn by_statement(&self, number: Option<&Rtl>, value: impl Fn(StatementId) -> Option<Rtl>) -> Rtl {
        let values: Vec<(StatementId, Rtl)> = self.present().iter().filter_map(|&s| Some((s, value(s)?))).collect();
        let ((_, last), others) = values.split_last().expect("some statement has a value");
        others
            .iter()
            .rev()
            .fold(last.clone(), |other, (s, value)| self.instances.is_one_of(number, &[*s]).select(value, &other))
    }

    /// Whether the statement with this number is one of those that `which` holds for.
    fn is(&self, number: Option<&Rtl>, which: impl Fn(StatementId) -> bool) -> Rtl {
        let statements: Vec<StatementId> = self.present().iter().copied().filter(|&s| which(s)).collect();
        self.instances.is_one_of(number, &statements)
    }

    /// The value of read `step` of the statement with this number.
    fn by_step(&self, step: &Step, number: Option<&Rtl>, value: impl Fn(StatementId, usize, &'a Access) -> Rtl) -> Rtl {
        let at = |r: usize| self.by_statement(number, |s| Some(value(s, r, self.reads[s].get(r)?)));
        let steps = self.most_reads();
        (0..steps - 1).rev().fold(at(steps - 1), |other, r| step.is(r).select(&at(r), &other))
    }

    /// Whether `step` is the last of the statement with this number; a statement without reads has one step, too.
    fn is_last(&self, step: &Step, number: Option<&Rtl>) -> Rtl {
        let last = |s: StatementId| step.is(self.reads[s].len().max(1) - 1);
        self.by_statement(number, |s| Some(last(s)))
    }

    /// Whether the statement with this number reads anything.
    fn reads_now(&self, number: Option<&Rtl>) -> Rtl {
        self.is(number, |s| !self.reads[s].is_empty())
    }

    /// Whether read `step` is of an array that some statement writes.
    fn may_conflict(&self, step: &Step, number: Option<&Rtl>) -> Rtl {
        let is_written = |array: ArrayId| self.present().iter().any(|&s| self.statements[s].target.array == array);
        let may_conflict = match self.most_reads() {
            0 => Rtl::bit(false),
            _ => self.by_step(step, number, |_, _, access| Rtl::bit(is_written(access.array))),
        };
        may_conflict.and(&self.reads_now(number))
    }

    /// The byte address of an access.
    fn byte_address(&self, m: &Module, access: &Access, subscripts: &[Affine], scope: &Scope) -> Rtl {
        let array = self.context.array(access.array);
        let byte = Type::unsigned(self.context.port.byte_address());
        let layout = array.layout_of_an_instance().map(over_sizes);
        let linear = layout.place(
            |digit| {
                let subscript = scope.affine_as(&layout.digit(digit, subscripts), byte);
                // Slices of other widths have no direct version ([`Kernel::without_direct_version`]).
                match digit.part {
                    Part::Whole => subscript,
                    Part::Slice(slices) => {
                        let place = subscript.add(&Rtl::constant(slices.lead.into(), byte), byte);
                        place.shr_const(slices.width.trailing_zeros())
                    }
                    Part::InSlice(slices) if slices.width > 1 => {
                        let place = subscript.add(&Rtl::constant(slices.lead.into(), byte), byte);
                        place.slice(slices.width.trailing_zeros() - 1, 0).resize(byte)
                    }
                    Part::InSlice(_) => Rtl::constant(0, byte),
                }
            },
            |outer, radix, digit| outer.mul(&scope.affine_as(radix, byte), byte).add(&digit, byte),
        );
        let linear = linear.unwrap_or_else(|| Rtl::constant(0, byte));
        let base = cells::port(m, &self.context.base_name(access.array));
        base.add(&linear.shl_const(array.element.bytes().trailing_zeros(), byte), byte)
    }

    /// Registers with the byte addresses of an instance's accesses; `loads` are what they take.
    fn addresses(&self, m: &mut Module, loads: &mut Vec<Statement>) -> Addresses {
        let context = self.context;
        let byte = Type::unsigned(context.port.byte_address());
        let reads: Vec<Signal> = (0..self.most_reads()).map(|r| m.reg(&format!("read_address_{r}"), byte)).collect();
        let write = m.reg("write_address", byte);
        for (r, register) in reads.iter().enumerate() {
            let readers: Vec<StatementId> =
                self.present().iter().copied().filter(|&s| self.reads[s].len() > r).collect();
            let address = self.instances.choose(&readers, |kind| {
                let access = self.reads[kind.statement][r];
                let address = self.byte_address(m, access, &kind.affines(&access.subscripts), &kind.scope);
                match &access.guard {
                    // A read that does not happen is one of the array's first element.
                    Some(guard) => {
                        let base = cells::port(m, &context.base_name(access.array)).resize(byte);
                        kind.holds(guard).select(&address, &base)
                    }
                    None => address,
                }
            });
            loads.push(assign(register, &address));
        }
        let target_address = self.instances.choose(self.present(), |kind| {
            let target = &self.statements[kind.statement].target;
            self.byte_address(m, target, &kind.affines(&target.subscripts), &kind.scope)
        });
        loads.push(assign(&write, &target_address));
        Addresses { reads, write }
    }

    /// Asks memory for the read, where the instance `wants` and the unpacker has room for its layout; a statement that
    /// reads nothing goes on as it is. Returns when the step is done.
    fn ask(
        &self,
        m: &mut Module,
        commands: &Commands,
        step: &Step,
        read: &ReadUnderWay,
        (wants, room): (&Rtl, &Rtl),
    ) -> Rtl {
        let reads_now = self.reads_now(read.number);
        match read.address {
            Some(address) => {
                let words = self.by_step(step, read.number, |_, _, access| self.words_value(access));
                let valid = wants.and(&reads_now).and(room);
                commands.give(m, &valid, &self.word().address_of(&address.e()), &words);
                reads_now.select(&read.asked, wants)
            }
            None => {
                let (address, length) = (commands.address.ty(), commands.length.ty());
                commands.give(m, &Rtl::bit(false), &Rtl::constant(0, address), &Rtl::constant(1, length));
                wants.clone()
            }
        }
    }

    /// The elements that come back from memory: its words, where all elements are words. Otherwise every read tells the
    /// unpacker through `layout` where its element lies.
    fn elements(
        &self,
        m: &mut Module,
        memory: &MemoryPort,
        step: &Step,
        layout: &Stream,
        read: &ReadUnderWay,
    ) -> (Stream, Rtl) {
        let mut all_reads = self.present().iter().flat_map(|&s| self.reads[s].iter().copied());
        if all_reads.all(|access| self.size(access) == self.word().shift()) {
            m.assign(&layout.ready, &Rtl::bit(true));
            m.assign(&layout.valid, &Rtl::bit(false));
            return (memory.read.clone(), memory.read_data.e());
        }
        m.assign(&layout.valid, &read.asked);
        let sizes = self.by_step(step, read.number, |_, _, access| self.size_value(access));
        let address = read.address.expect("there are reads").e();
        let layout = RowPacking {
            stream: layout.clone(),
            size: m.define("layout_size", &sizes),
            offset: m.define("layout_offset", &self.word().offset_of(&address)),
            count: m.define("layout_count", &Rtl::bit(true)),
        };
        let element = Stream::wires(m, "element");
        let data = unpacker(m, &layout, (&memory.read, &memory.read_data.e()), &element);
        (element, data)
    }
}

/// Registers with the byte addresses of an instance: of each read, and of the write.
struct Addresses {
    reads: Vec<Signal>,
    write: Signal,
}

/// The read that memory is asked for.
struct ReadUnderWay<'r> {
    /// Its statement, where there are several.
    number: Option<&'r Rtl>,
    /// Its byte address; `None` where nothing reads.
    address: Option<&'r Signal>,
    /// High in the cycle in which the port takes the command.
    asked: Rtl,
}

/// A counter over the reads of an instance, absent where no statement has two.
struct Step {
    register: Option<Signal>,
}

impl Step {
    fn declare(m: &mut Module, name: &str, steps: usize) -> Step {
        Step { register: (steps > 1).then(|| m.reg(name, Type::for_range(0, steps as i64 - 1))) }
    }

    fn is(&self, step: usize) -> Rtl {
        match &self.register {
            None => Rtl::bit(step == 0),
            Some(register) => register.e().eq(&Rtl::constant(step as i128, register.ty())),
        }
    }

    /// Back to 0 behind the last step.
    fn advance(&self, when_done: &Rtl, last: &Rtl) -> Option<Statement> {
        let register = self.register.as_ref()?;
        let ty = register.ty();
        let next = last.select(&Rtl::constant(0, ty), &register.e().add(&Rtl::constant(1, ty), ty));
        Some(when(when_done.clone(), vec![assign(register, &next)]))
    }

    fn reset(&self) -> Option<(Signal, i128)> {
        self.register.as_ref().map(|register| (register.clone(), 0))
    }
}

/// What the module's head says.
fn about_version(context: &Context) -> String {
    let texts: Vec<&str> = context.kernel.statements().iter().map(|s| s.text.as_str()).collect();
    format!(
        "Direct version of {}: every access of\n    {}\nis one word of memory; reads run ahead of writes.",
        context.kernel.name,
        texts.join("\n    ")
    )
}

/// The arguments' ports: sizes, and scalars.
fn arguments(context: &Context, m: &Module) -> (Scope, Vec<Rtl>) {
    let mut scope = Scope::default();
    for parameter in &context.names.parameters {
        let argument = cells::port(m, &format!("arg_{}", parameter.name()));
        scope.bind(&parameter.variable, argument, parameter.range);
    }
    let scalars = context.kernel.scalars.iter().map(|s| cells::port(m, &format!("arg_{}", s.name))).collect();
    (scope, scalars)
}

/// The modules of the direct version, `<kernel>_direct` last.
pub fn direct(context: &Context) -> Vec<Module> {
    let offload = context.offload;
    let kernel = context.kernel;
    let name = &kernel.name;
    let statements = kernel.statements();
    let sources = [Source::untiled(context, &offload.source_order)];
    let about = "Walks the iterations in the order of the source.";
    let (rows_module, format) = scanner(context, &format!("{name}_direct_rows"), about, false, &sources);

    let mut m = Module::new(&format!("{name}_direct"));
    m.describe(&about_version(context));
    let (start, done, memory_idle) = control_ports(&mut m, context);
    m.comment("Memory port");
    let memory = MemoryPort::declare(&mut m, context, context.ports[0]);
    let (scope, scalars) = arguments(context, &m);

    m.comment("Iterations");
    let begin = Stream::wires(&mut m, "begin");
    m.assign(&begin.valid, &start.e());
    let (waiting, waiting_row) = waiting_rows(context, &mut m, &rows_module, &format, (&begin, None), None);
    let walker = Walker::declare(&mut m, &format, "iteration");
    let instances = Instances::new(context, &mut m, &format, &walker, &scope);
    let reads = statements.iter().map(|s| s.value.reads()).collect();
    let d = Direct { context, instances: &instances, statements, reads };
    let most_reads = d.most_reads();
    let several = d.present().len() > 1;

    let candidate = m.reg("candidate", Type::BIT);
    let candidate_number = several.then(|| m.reg("candidate_statement", instances.number_type()));
    let mut loads: Vec<Statement> = vec![];
    loads.extend(candidate_number.iter().map(|register| assign(register, &instances.number())));
    let Addresses { reads: read_addresses, write: write_address } = d.addresses(&mut m, &mut loads);

    let operands = declare_operands(&mut m, &d, &mut loads);
    let results = Results::declare(&mut m, &d, &operands, &scalars);

    m.comment("Reads: one command per access, held back while an earlier iteration still has to write that word.");
    let number = candidate_number.as_ref().map(|n| n.e());
    let load_commands = Commands::wires(&mut m, context, "load");
    let store_commands = Commands::wires(&mut m, context, "store");
    let step = Step::declare(&mut m, "read_step", most_reads);
    let accepted = m.wire("iteration_accepted", Type::BIT);
    let written = m.wire("iteration_written", Type::BIT);
    let current = (most_reads > 0).then(|| {
        let value = d.by_step(&step, number.as_ref(), |_, r, _| read_addresses[r].e());
        m.define("read_address", &value)
    });
    // Where loads and stores go apart, a write is over only when it has taken effect.
    let over = memory.written().unwrap_or(&written).e();
    let may_conflict = d.may_conflict(&step, number.as_ref());
    let watched = current.as_ref().filter(|_| may_conflict.as_constant() != Some(0));
    let ring = Ring::new(&mut m, &accepted.e(), &over, &write_address.e(), watched.map(|c| c.e()).as_ref());
    let hazard = m.define("hazard", &ring.holds_address.and(&may_conflict));
    let room = m.define("room", &ring.full.not());

    // With elements that are not words, every read also tells the unpacker where its element lies.
    let read_layout = Stream::wires(&mut m, "layout");
    let mut wants = candidate.e().and(&room.e()).and(&hazard.e().not());
    let step_done = m.wire("step_done", Type::BIT);
    let begins = m.wire("iteration_begins", Type::BIT);
    m.assign(&begins, &step_done.e().and(&step.is(0)));
    if let Some(free) = results.divider_free(&mut m, &d, number.as_ref(), &begins.e()) {
        wants = wants.and(&free.or(&step.is(0).not()));
    }
    let asked = load_commands.stream.fires();
    let read = ReadUnderWay { number: number.as_ref(), address: current.as_ref(), asked };
    let fires = d.ask(&mut m, &load_commands, &step, &read, (&wants, &read_layout.ready.e()));
    m.assign(&step_done, &fires);
    m.assign(&load_commands.last, &Rtl::bit(true));
    let last_step = d.is_last(&step, number.as_ref());
    m.assign(&accepted, &step_done.e().and(&last_step));
    let moves = m.define("iteration_moves", &candidate.e().not().or(&accepted.e()));
    let taken = m.define("step", &walker.has_element().and(&moves.e()));
    let nothing_left = ring.any.or(&candidate.e()).not();
    let end_taken = m.define("end_taken", &walker.has_end().and(&nothing_left));
    walker.connect(&mut m, "", &waiting, &waiting_row, (&taken.e(), None), &end_taken.e());
    let mut body = vec![when(moves.e(), vec![assign(&candidate, &taken.e())]), when(taken.e(), loads)];
    body.extend(step.advance(&step_done.e(), &last_step));
    m.clocked("", [(candidate.clone(), 0)].into_iter().chain(step.reset()).collect(), body);

    m.comment("Words that come back are collected, one per operand.");
    let (element, element_data) = d.elements(&mut m, &memory, &step, &read_layout, &read);
    collect(&mut m, &d, &operands, number.as_ref(), &begins.e(), (&element, &element_data));

    results.write(&mut m, &d, (&accepted, &write_address, number.as_ref()), &written, &store_commands, &memory);
    m.comment("Reads and writes take turns.");
    memory.connect(&mut m, context, Some(&load_commands), Some(&store_commands));

    m.comment("From start to done");
    let quiet = memory_idle.e().and(&memory.quiet());
    let settled = m.wire("counters_settled", Type::BIT);
    let running = completion(&mut m, &start, &done, &end_taken.e(), &quiet, &settled.e());
    let stalled = m.define("stalled", &candidate.e().and(&hazard.e()));
    let loads = load_commands.stream.valid.e();
    let counted = [&loads, &operands.fire.e(), &stalled.e(), &store_commands.stream.valid.e()];
    counters(&mut m, &start, &running, &settled, counted);
    vec![rows_module, m]
}

/// The addresses of the words that are still to be written, in a ring.
struct Ring {
    full: Rtl,
    any: Rtl,
    /// One of them is the watched address.
    holds_address: Rtl,
}

impl Ring {
    fn new(m: &mut Module, accepted: &Rtl, written: &Rtl, address: &Rtl, watched: Option<&Rtl>) -> Ring {
        let bit = Rtl::bit;
        let pointer = Type::for_range(0, IN_FLIGHT as i64 - 1);
        let oldest = m.reg("oldest", pointer);
        let newest = m.reg("newest", pointer);
        let (mut entries, mut resets) = (vec![], vec![]);
        let mut ring = Ring { full: bit(true), any: bit(false), holds_address: bit(false) };
        for entry in 0..IN_FLIGHT {
            let valid = m.reg(&format!("pending_{entry}"), Type::BIT);
            let here = |p: &Signal| p.e().eq(&Rtl::constant(entry as i128, pointer));
            entries.push(when(written.and(&here(&oldest)), vec![assign(&valid, &bit(false))]));
            let mut enter = vec![assign(&valid, &bit(true))];
            if let Some(watched) = watched {
                let register = m.reg(&format!("pending_address_{entry}"), address.ty());
                enter.push(assign(&register, address));
                ring.holds_address = ring.holds_address.or(&valid.e().and(&register.e().eq(watched)));
            }
            entries.push(when(accepted.and(&here(&newest)), enter));
            resets.push((valid.clone(), 0));
            ring.full = ring.full.and(&valid.e());
            ring.any = ring.any.or(&valid.e());
        }
        let one = Rtl::constant(1, pointer);
        entries.push(when(accepted.clone(), vec![assign(&newest, &newest.e().add(&one, pointer))]));
        entries.push(when(written.clone(), vec![assign(&oldest, &oldest.e().add(&one, pointer))]));
        resets.extend([(oldest.clone(), 0), (newest.clone(), 0)]);
        m.clocked("Words still to be written, in a ring.", resets, entries);
        ring
    }
}
