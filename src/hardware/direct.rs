//! The direct version, for comparison: the loops as written, every access of the source one word of memory. Reads run
//! ahead of the writes as far as the dependences allow; nothing is kept on chip.

use crate::affine::Affine;
use crate::hardware::accelerator::{Commands, MemoryPort, completion, control_ports, counters};
use crate::hardware::bursts::LayoutStream;
use crate::hardware::cells;
use crate::hardware::context::{Context, Stream, rtl_type};
use crate::hardware::datapath::{Datapath, Leaves, Value};
use crate::hardware::instances::Instances;
use crate::hardware::rows::RowPorts;
use crate::hardware::scanner::scanner;
use crate::hardware::scope::Scope;
use crate::hardware::sources::Source;
use crate::hardware::walker::Walker;
use crate::offload::Offload;
use crate::rtl::{Expr as Rtl, Module, Signal, Statement, Type, assign, when, when_else};
use crate::source::kernel::{Access, Expr, IntType, Statement as Assignment};

/// Instances that may be between their reads and their write.
const IN_FLIGHT: usize = 16;

/// An affine value used as data by a statement: computed beside the addresses, it waits for the operands.
struct Index {
    statement: usize,
    value: Affine,
    ty: IntType,
    /// Of the instance that reads.
    candidate: Signal,
    /// Of the instance whose operands are complete.
    complete: Signal,
}

/// The registers between the collected operands and the datapaths, in whose stage 1 they are.
struct Operands {
    /// The operands are complete.
    fire: Signal,
    /// The statement's number, where there are several.
    number: Option<Signal>,
    words: Vec<Signal>,
    indices: Vec<Index>,
}

/// The leaves of one statement.
struct OperandLeaves<'a> {
    context: &'a Context<'a>,
    statement: usize,
    reads: &'a [&'a Access],
    operands: &'a Operands,
    scalars: &'a [Rtl],
}

impl Leaves for OperandLeaves<'_> {
    fn read(&mut self, _: &mut Module, access: &Access) -> Value {
        let of = |a: &&Access| (a.array, &a.subscripts) == (access.array, &access.subscripts);
        let place = self.reads.iter().position(of).expect("every access has an operand");
        let ty = rtl_type(self.context.array(access.array).element);
        Value { expr: self.operands.words[place].e().resize(ty), stage: Some(1) }
    }

    fn scalar(&self, scalar: usize) -> Rtl {
        self.scalars[scalar].clone()
    }

    fn index(&mut self, _: &mut Module, value: &Affine, ty: IntType) -> Value {
        let of = |i: &&Index| i.statement == self.statement && i.value == *value && i.ty == ty;
        let index = self.operands.indices.iter().find(of).expect("every index travels with its instance");
        Value { expr: index.complete.e(), stage: Some(1) }
    }
}

/// What the parts of the direct version share.
struct Direct<'a> {
    context: &'a Context<'a>,
    instances: &'a Instances<'a>,
    statements: Vec<&'a Assignment>,
    /// The accesses that each statement reads, in textual order.
    reads: Vec<Vec<&'a Access>>,
}

impl<'a> Direct<'a> {
    /// The number of reads of a statement with the most.
    fn most_reads(&self) -> usize {
        self.present().iter().map(|&s| self.reads[s].len()).max().unwrap_or(0)
    }

    fn present(&self) -> &[usize] {
        &self.instances.statements
    }

    /// log2 of the bytes of an element.
    fn size(&self, access: &Access) -> u32 {
        self.context.array(access.array).element.bytes().trailing_zeros()
    }

    fn size_value(&self, access: &Access) -> Rtl {
        Rtl::constant(self.size(access).into(), Type::unsigned(2))
    }

    fn words_value(&self, access: &Access) -> Rtl {
        Rtl::constant(if self.size(access) == 3 { 2 } else { 1 }, Type::unsigned(self.context.port.length))
    }

    /// The value of the statement with this number; at least one statement has one.
    fn by_statement(&self, number: Option<&Rtl>, value: impl Fn(usize) -> Option<Rtl>) -> Rtl {
        let values: Vec<(usize, Rtl)> = self.present().iter().filter_map(|&s| Some((s, value(s)?))).collect();
        let ((_, last), others) = values.split_last().expect("some statement has a value");
        others
            .iter()
            .rev()
            .fold(last.clone(), |other, (s, value)| self.instances.is_one_of(number, &[*s]).select(value, &other))
    }

    /// Whether the statement with this number is one of those that `which` holds for.
    fn is(&self, number: Option<&Rtl>, which: impl Fn(usize) -> bool) -> Rtl {
        let statements: Vec<usize> = self.present().iter().copied().filter(|&s| which(s)).collect();
        self.instances.is_one_of(number, &statements)
    }

    /// The value of read `step` of the statement with this number.
    fn by_step(&self, step: &Step, number: Option<&Rtl>, value: impl Fn(usize, usize, &'a Access) -> Rtl) -> Rtl {
        let at = |r: usize| self.by_statement(number, |s| Some(value(s, r, self.reads[s].get(r)?)));
        let steps = self.most_reads();
        (0..steps - 1).rev().fold(at(steps - 1), |other, r| step.is(r).select(&at(r), &other))
    }

    /// Whether `step` is the last of the statement with this number; a statement without reads has one step, too.
    fn is_last(&self, step: &Step, number: Option<&Rtl>) -> Rtl {
        let last = |s: usize| step.is(self.reads[s].len().max(1) - 1);
        self.by_statement(number, |s| Some(last(s)))
    }

    /// The byte address of an access, by Horner's rule on its subscripts.
    fn byte_address(&self, m: &Module, access: &Access, subscripts: &[Affine], scope: &Scope) -> Rtl {
        let array = self.context.array(access.array);
        let byte = Type::unsigned(self.context.port.byte_address());
        let mut linear: Option<Rtl> = None;
        for (subscript, extent) in subscripts.iter().zip(&array.extents) {
            let term = scope.affine_as(subscript, byte);
            linear = Some(match linear {
                None => term,
                Some(outer) => outer.mul(&scope.affine_as(extent, byte), byte).add(&term, byte),
            });
        }
        let linear = linear.unwrap_or_else(|| Rtl::constant(0, byte));
        let base = cells::port(m, &format!("base_{}", array.name));
        base.add(&linear.shl_const(array.element.bytes().trailing_zeros(), byte), byte)
    }
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

/// Affine values used as data, in textual order.
fn index_values(expr: &Expr) -> Vec<(Affine, IntType)> {
    match expr {
        Expr::Index { value, ty } => vec![(value.clone(), *ty)],
        _ => expr.operands().into_iter().flat_map(index_values).collect(),
    }
}

/// The modules of the direct version, `<kernel>_direct` last.
pub fn direct(context: &Context, offload: &Offload) -> Vec<Module> {
    let kernel = context.kernel;
    let name = &kernel.name;
    let statements = kernel.statements();
    let sources = [Source::untiled(&offload.source_order)];
    let about = "Walks the iterations in the order of the source.";
    let (rows_module, format) = scanner(context, &format!("{name}_direct_rows"), about, false, &sources);

    let mut m = Module::new(&format!("{name}_direct"));
    let texts: Vec<&str> = statements.iter().map(|s| s.text.as_str()).collect();
    m.describe(&format!(
        "Direct version of {name}: every access of\n    {}\nis one word of memory; reads run ahead of writes.",
        texts.join("\n    ")
    ));
    let (start, done, memory_idle) = control_ports(&mut m, context);
    m.comment("Memory port");
    let memory = MemoryPort::declare(&mut m, context);
    let mut scope = Scope::default();
    for parameter in &context.parameters {
        scope.bind(&parameter.name, cells::port(&m, &format!("arg_{}", parameter.name)), parameter.range);
    }
    let scalars: Vec<Rtl> = kernel.scalars.iter().map(|s| cells::port(&m, &format!("arg_{}", s.name))).collect();
    let byte = Type::unsigned(context.port.byte_address());

    m.comment("Iterations");
    let begin = Stream::wires(&mut m, "begin");
    m.assign(&begin.valid, &start.e());
    m.waive_unused(&begin.ready);
    let rows = Stream::wires(&mut m, "row");
    let row_wires = RowPorts::declare(&mut m, &format, "row_", false);
    cells::connect_scanner(context, &mut m, &rows_module, (&begin, None), &rows, &row_wires);
    let waiting = Stream::wires(&mut m, "waiting");
    let packed = format.pack(&row_wires.row(&format));
    let waiting_row = cells::fifo(&mut m, "u_rows", 4, (&rows, &packed), &waiting, "waiting_row");
    let waiting_row = format.unpack(&waiting_row);
    let walker = Walker::declare(&mut m, &format, "iteration");
    let instances = Instances::new(context, &mut m, &format, &walker, &scope);
    let reads = statements.iter().map(|s| s.value.reads()).collect();
    let d = Direct { context, instances: &instances, statements, reads };
    let most_reads = d.most_reads();
    let several = d.present().len() > 1;

    let candidate = m.reg("candidate", Type::BIT);
    let candidate_number = several.then(|| m.reg("candidate_statement", instances.number_type()));
    let read_addresses: Vec<Signal> = (0..most_reads).map(|r| m.reg(&format!("read_address_{r}"), byte)).collect();
    let write_address = m.reg("write_address", byte);
    let mut loads: Vec<Statement> = vec![];
    loads.extend(candidate_number.iter().map(|register| assign(register, &instances.number())));
    for (r, register) in read_addresses.iter().enumerate() {
        let readers: Vec<usize> = d.present().iter().copied().filter(|&s| d.reads[s].len() > r).collect();
        let address = instances.choose(&readers, |kind| {
            let access = d.reads[kind.statement][r];
            d.byte_address(&m, access, &kind.affines(&access.subscripts), &kind.scope)
        });
        loads.push(assign(register, &address));
    }
    let target_address = instances.choose(d.present(), |kind| {
        let target = &d.statements[kind.statement].target;
        d.byte_address(&m, target, &kind.affines(&target.subscripts), &kind.scope)
    });
    loads.push(assign(&write_address, &target_address));

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
        let current = m.define("read_address", &value);
        m.waive_unused(&current);
        current
    });
    let is_written = |array: usize| d.present().iter().any(|&s| d.statements[s].target.array == array);
    let may_conflict = match most_reads {
        0 => Rtl::bit(false),
        _ => d.by_step(&step, number.as_ref(), |_, _, access| Rtl::bit(is_written(access.array))),
    };
    let may_conflict = may_conflict.and(&d.is(number.as_ref(), |s| !d.reads[s].is_empty()));
    let watched = current.as_ref().filter(|_| may_conflict.as_constant() != Some(0));
    let ring = Ring::new(&mut m, &accepted.e(), &written.e(), &write_address.e(), watched.map(|c| c.e()).as_ref());
    let hazard = m.define("hazard", &ring.holds_address.and(&may_conflict));
    let room = m.define("room", &ring.full.not());

    // With elements that are not words, every read also tells the unpacker where its element lies.
    let read_layout = Stream::wires(&mut m, "layout");
    let mut wants = candidate.e().and(&room.e()).and(&hazard.e().not());
    let step_done = m.wire("step_done", Type::BIT);
    let begins = m.wire("iteration_begins", Type::BIT);
    m.waive_unused(&begins);
    m.assign(&begins, &step_done.e().and(&step.is(0)));
    if let Some(free) = results.divider_free(&mut m, &d, number.as_ref(), &begins.e()) {
        wants = wants.and(&free.or(&step.is(0).not()));
    }
    let reads_now = d.is(number.as_ref(), |s| !d.reads[s].is_empty());
    let length = load_commands.length.ty();
    match &current {
        Some(current) => {
            m.assign(&load_commands.stream.valid, &wants.and(&reads_now).and(&read_layout.ready.e()));
            m.assign(&load_commands.address, &current.e().slice(byte.width - 1, 2));
            let words = d.by_step(&step, number.as_ref(), |_, _, access| d.words_value(access));
            m.assign(&load_commands.length, &words);
            m.assign(&step_done, &reads_now.select(&load_commands.stream.fires(), &wants));
        }
        None => {
            m.assign(&load_commands.stream.valid, &Rtl::bit(false));
            m.assign(&load_commands.address, &Rtl::constant(0, load_commands.address.ty()));
            m.assign(&load_commands.length, &Rtl::constant(1, length));
            m.waive_unused(&load_commands.stream.ready);
            m.assign(&step_done, &wants);
        }
    }
    m.assign(&load_commands.last, &Rtl::bit(true));
    let last_step = d.is_last(&step, number.as_ref());
    m.assign(&accepted, &step_done.e().and(&last_step));
    let moves = m.define("iteration_moves", &candidate.e().not().or(&accepted.e()));
    let taken = m.define("step", &walker.has_element().and(&moves.e()));
    let nothing_left = ring.any.or(&candidate.e()).not();
    let end_taken = m.define("end_taken", &walker.has_end().and(&nothing_left));
    walker.connect(&mut m, "", &waiting, &waiting_row, &taken.e(), &end_taken.e());
    let mut body = vec![when(moves.e(), vec![assign(&candidate, &taken.e())]), when(taken.e(), loads)];
    body.extend(step.advance(&step_done.e(), &last_step));
    m.clocked("", [(candidate.clone(), 0)].into_iter().chain(step.reset()).collect(), body);

    m.comment("Words that come back are collected, one per operand.");
    let all_reads = || d.present().iter().flat_map(|&s| d.reads[s].iter().copied());
    let (element, element_data) = if all_reads().all(|a| d.size(a) == 2) {
        m.assign(&read_layout.ready, &Rtl::bit(true));
        m.waive_unused(&read_layout.ready);
        m.assign(&read_layout.valid, &Rtl::bit(false));
        m.waive_unused(&read_layout.valid);
        (memory.read.clone(), memory.read_data.e())
    } else {
        m.assign(&read_layout.valid, &load_commands.stream.fires());
        let sizes = d.by_step(&step, number.as_ref(), |_, _, access| d.size_value(access));
        let address = current.as_ref().expect("there are reads").e();
        let layout = LayoutStream {
            stream: read_layout.clone(),
            size: m.define("layout_size", &sizes),
            offset: m.define("layout_offset", &address.slice(1, 0)),
            count: m.define("layout_count", &Rtl::constant(1, length)),
        };
        let element = Stream::wires(&mut m, "element");
        let data = cells::unpacker(&mut m, context, &layout, (&memory.read, &memory.read_data.e()), &element);
        (element, data)
    };
    if most_reads == 0 {
        m.waive_unused(&memory.read_data);
        m.waive_unused(&memory.read.valid);
    }
    collect(&mut m, &d, &operands, number.as_ref(), &begins.e(), (&element, &element_data));

    results.write(&mut m, &d, (&accepted, &write_address, number.as_ref()), &written, &store_commands, &memory);
    m.comment("Reads and writes take turns.");
    memory.arbitrate(&mut m, context, &load_commands, &store_commands);

    m.comment("From start to done");
    let quiet = memory_idle.e().and(&memory.command.valid.e().not()).and(&memory.data.valid.e().not());
    let running = completion(&mut m, &start, &done, &end_taken.e(), &quiet);
    let stalled = m.define("stalled", &candidate.e().and(&hazard.e()));
    counters(
        &mut m,
        &start,
        &running,
        [&load_commands.stream.valid.e(), &operands.fire.e(), &stalled.e(), &store_commands.stream.valid.e()],
    );
    vec![rows_module, m]
}

/// Declares what the datapaths start from; `loads` computes the indices of the instance that reads.
fn declare_operands(m: &mut Module, d: &Direct, loads: &mut Vec<Statement>) -> Operands {
    let number_type = d.instances.number_type();
    let mut operands = Operands {
        fire: m.reg("operands_complete", Type::BIT),
        number: (d.present().len() > 1).then(|| m.reg("complete_statement", number_type)),
        words: vec![],
        indices: vec![],
    };
    for r in 0..d.most_reads() {
        let readers = d.present().iter().filter_map(|&s| d.reads[s].get(r));
        let bits = readers.map(|a| d.context.array(a.array).element.bits).max().unwrap_or(32);
        let word = m.reg(&format!("operand_{r}"), Type::unsigned(bits));
        m.waive_unused(&word);
        operands.words.push(word);
    }
    for &statement in d.present() {
        for (value, ty) in index_values(&d.statements[statement].value) {
            let known = |i: &Index| i.statement == statement && i.value == value && i.ty == ty;
            if operands.indices.iter().any(known) {
                continue;
            }
            let place = operands.indices.len();
            let [candidate, complete] = ["candidate", "complete"].map(|of| {
                let register = m.reg(&format!("{of}_index_{place}"), rtl_type(ty));
                m.waive_unused(&register);
                register
            });
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
fn collect(
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
        m.waive_unused(&inwards.ready);
        m.waive_unused(&outwards.valid);
        let word = cells::fifo(m, "u_instances", IN_FLIGHT as i128, (&inwards, &packed), &outwards, "instance");
        m.waive_unused(&word);
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

/// The datapaths, all as long as the longest, so that results keep their order.
struct Results {
    valid: Rtl,
    number: Option<Rtl>,
    /// Of each statement.
    values: Vec<Rtl>,
    /// Statements that divide.
    dividing: Vec<usize>,
}

impl Results {
    fn declare(m: &mut Module, d: &Direct, operands: &Operands, scalars: &[Rtl]) -> Results {
        let mut pipelines = vec![];
        let number = operands.number.as_ref().map(|n| n.e());
        for &s in d.present() {
            let statement = d.statements[s];
            m.comment(&format!("The datapath of {}: {}", statement.name, statement.text));
            let mut leaves = OperandLeaves { context: d.context, statement: s, reads: &d.reads[s], operands, scalars };
            let mut datapath = Datapath::new(operands.fire.e().and(&d.is(number.as_ref(), |other| other == s)));
            let value = datapath.evaluate(m, &statement.value, &mut leaves);
            pipelines.push((datapath, value));
        }
        let stage = pipelines.iter().filter_map(|(_, value)| value.stage).max().unwrap_or(1);
        let mut results = Results { valid: operands.fire.e(), number, values: vec![], dividing: vec![] };
        for ((mut datapath, value), &s) in pipelines.into_iter().zip(d.present()) {
            results.values.push(datapath.at(m, &value, stage));
            results.dividing.extend(datapath.divides().then_some(s));
            datapath.finish(m);
        }
        let (mut shift, mut resets) = (vec![], vec![]);
        for stage in 2..=stage {
            let register = m.reg(&format!("valid_{stage}"), Type::BIT);
            shift.push(assign(&register, &results.valid));
            resets.push((register.clone(), 0));
            results.valid = register.e();
            if let Some(number) = &mut results.number {
                let register = m.reg(&format!("statement_{stage}"), number.ty());
                shift.push(assign(&register, number));
                *number = register.e();
            }
        }
        if !shift.is_empty() {
            m.clocked("", resets, shift);
        }
        results
    }

    /// Whether the instance that begins to read, of the statement `candidate`, finds the divider free; `None` where
    /// nobody divides. It is taken from an instance's first read to its result.
    fn divider_free(&self, m: &mut Module, d: &Direct, candidate: Option<&Rtl>, begins: &Rtl) -> Option<Rtl> {
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
    fn write(
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
        let target = |s: usize| &d.statements[s].target;
        let element = |s: usize| Type::unsigned(d.context.array(target(s).array).element.bits);
        let widest = d.present().iter().map(|&s| element(s).width).max().unwrap_or(32);
        let value = d.by_statement(self.number.as_ref(), |s| {
            let place = d.present().iter().position(|p| *p == s)?;
            Some(self.values[place].resize(element(s)).resize(Type::unsigned(widest)))
        });
        let (result_in, result_out) = (Stream::wires(m, "result"), Stream::wires(m, "result_out"));
        m.assign(&result_in.valid, &self.valid);
        m.waive_unused(&result_in.ready);
        let depth = IN_FLIGHT as i128;
        let result_data = cells::fifo(m, "u_results", depth, (&result_in, &value), &result_out, "result_data");

        let byte = write_address.ty();
        let size = d.by_statement(candidate, |s| Some(d.size_value(target(s))));
        let words = size.eq(&Rtl::constant(3, size.ty()));
        let packed = match size.as_constant() {
            Some(_) => write_address.e(),
            None => Rtl::concat(&[size.clone(), write_address.e()]),
        };
        let (address_in, address_out) = (Stream::wires(m, "address_in"), Stream::wires(m, "address_out"));
        m.assign(&address_in.valid, &accepted.e());
        m.waive_unused(&address_in.ready);
        let address = cells::fifo(m, "u_addresses", depth, (&address_in, &packed), &address_out, "address_data");
        m.waive_unused(&address);
        let (size, words) = match size.as_constant() {
            Some(_) => (size, words),
            None => {
                let size = address.e().slice(byte.width + 1, byte.width);
                (size.clone(), size.eq(&Rtl::constant(3, size.ty())))
            }
        };
        let length = commands.length.ty();
        let words = words.select(&Rtl::constant(2, Type::unsigned(2)), &Rtl::constant(1, Type::unsigned(2)));
        let outgoing = Stream::wires(m, "outgoing");
        let layout_out = Stream::wires(m, "store_layout");
        let both = result_out.valid.e().and(&address_out.valid.e());
        m.assign(&commands.stream.valid, &both.and(&outgoing.ready.e()).and(&layout_out.ready.e()));
        m.assign(&commands.address, &address.e().slice(byte.width - 1, 2));
        m.assign(&commands.length, &words.resize(length));
        m.assign(&commands.last, &Rtl::bit(true));
        m.assign(written, &commands.stream.fires());
        m.assign(&result_out.ready, &written.e());
        m.assign(&address_out.ready, &written.e());
        m.assign(&outgoing.valid, &written.e());
        let word = Stream::wires(m, "words");
        let word_data = cells::fifo(m, "u_words", 4, (&outgoing, &result_data.e()), &word, "words_data");
        if size.as_constant() == Some(2) {
            m.assign(&layout_out.ready, &Rtl::bit(true));
            m.assign(&layout_out.valid, &Rtl::bit(false));
            m.waive_unused(&layout_out.valid);
            m.assign(&memory.data.valid, &word.valid.e());
            m.assign(&word.ready, &memory.data.ready.e());
            m.assign(&memory.write_data, &word_data.e());
            m.assign(&memory.strobe, &Rtl::constant(15, Type::unsigned(4)));
        } else {
            m.assign(&layout_out.valid, &written.e());
            let layout = LayoutStream {
                stream: layout_out,
                size: m.define("store_size", &size),
                offset: m.define("store_offset", &address.e().slice(1, 0)),
                count: m.define("store_count", &Rtl::constant(1, length)),
            };
            let (data, strobe) = cells::packer(m, d.context, &layout, (&word, &word_data.e()), &memory.data);
            m.assign(&memory.write_data, &data.e());
            m.assign(&memory.strobe, &strobe.e());
        }
    }
}
