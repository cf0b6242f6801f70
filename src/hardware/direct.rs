//! The direct version, for comparison: the loops as written, every access of the source one word of memory. Reads run
//! ahead of the writes as far as the dependences allow; nothing is kept on chip.

use anyhow::Result;

use crate::affine::Affine;
use crate::hardware::accelerator::{Commands, MemoryPort, completion, control_ports, counters};
use crate::hardware::bursts::LayoutStream;
use crate::hardware::cells;
use crate::hardware::compute::statement;
use crate::hardware::context::{Context, Stream, rtl_type};
use crate::hardware::datapath::{Datapath, Leaves, Value};
use crate::hardware::scanner::{RowPorts, scanner};
use crate::hardware::scope::Scope;
use crate::hardware::walker::Walker;
use crate::offload::Offload;
use crate::rtl::{Expr as Rtl, Module, Signal, Statement, Type, assign, when};
use crate::source::kernel::{Access, IntType};

/// Iterations that may be between their reads and their write.
const IN_FLIGHT: usize = 16;

/// The byte address of an access, by Horner's rule on its subscripts.
fn byte_address(context: &Context, m: &Module, access: &Access, scope: &Scope) -> Rtl {
    let array = context.array(access.array);
    let byte = Type::unsigned(context.port.byte_address());
    let mut linear: Option<Rtl> = None;
    for (subscript, extent) in access.subscripts.iter().zip(&array.extents) {
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

struct Operands<'a> {
    reads: Vec<(&'a Access, Signal)>,
    next: usize,
    scalars: Vec<Rtl>,
    indices: Vec<(Affine, IntType, Rtl)>,
}

impl Leaves for Operands<'_> {
    fn read(&mut self, _: &mut Module, _: &Access) -> Value {
        // Every access has its own operand, in textual order.
        let (_, operand) = &self.reads[self.next];
        self.next += 1;
        Value { expr: operand.e(), stage: Some(1) }
    }

    fn scalar(&self, scalar: usize) -> Rtl {
        self.scalars[scalar].clone()
    }

    fn index(&mut self, _: &mut Module, value: &Affine, ty: IntType) -> Value {
        let of = |(a, t, _): &&(Affine, IntType, Rtl)| a == value && *t == ty;
        let (.., expr) = self.indices.iter().find(of).expect("every index travels with its iteration");
        Value { expr: expr.clone(), stage: Some(1) }
    }
}

/// Affine values used as data, in textual order.
fn index_values(expr: &crate::source::kernel::Expr) -> Vec<(Affine, IntType)> {
    match expr {
        crate::source::kernel::Expr::Index { value, ty } => vec![(value.clone(), *ty)],
        _ => expr.operands().into_iter().flat_map(index_values).collect(),
    }
}

/// The modules of the direct version, `<kernel>_direct` last.
pub fn direct(context: &Context, offload: &Offload) -> Result<Vec<Module>> {
    let kernel = context.kernel;
    let name = &kernel.name;
    let statement = statement(kernel);
    let about = format!("Walks the iterations as written, loops {}.", kernel.iterators()[0].join(", "));
    let (rows_module, format) =
        scanner(context, &format!("{name}_direct_rows"), &about, false, &[offload.source_order.clone()]);

    let mut m = Module::new(&format!("{name}_direct"));
    m.describe(&format!(
        "Direct version of {name}: every access of\n    {}\nis one word of memory; reads run ahead of writes.",
        statement.text
    ));
    let (start, done, memory_idle) = control_ports(&mut m, context);
    m.comment("Memory port");
    let memory = MemoryPort::declare(&mut m, context);
    let mut scope = Scope::default();
    for parameter in &context.parameters {
        scope.bind(&parameter.name, cells::port(&m, &format!("arg_{}", parameter.name)), parameter.range);
    }
    let scalars = kernel.scalars.iter().map(|s| cells::port(&m, &format!("arg_{}", s.name))).collect();
    let reads = statement.value.reads();
    let target = &statement.target;
    let size = |access: &Access| context.array(access.array).element.bytes().trailing_zeros();
    let mixed = reads.iter().copied().chain([target]).any(|a| size(a) != 2);
    let byte = Type::unsigned(context.port.byte_address());
    let length = Type::unsigned(context.port.length);
    let words_of = |access: &Access| Rtl::constant(if size(access) == 3 { 2 } else { 1 }, length);
    let bit = Rtl::bit;

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
    let at_walker = format.scope(&scope, &walker.outer(), &walker.index.e());
    let candidate = m.reg("candidate", Type::BIT);
    let read_addresses: Vec<Signal> = (0..reads.len()).map(|r| m.reg(&format!("read_address_{r}"), byte)).collect();
    let write_address = m.reg("write_address", byte);
    let mut loads: Vec<Statement> = vec![];
    for (register, access) in read_addresses.iter().zip(&reads) {
        loads.push(assign(register, &byte_address(context, &m, access, &at_walker)));
    }
    loads.push(assign(&write_address, &byte_address(context, &m, target, &at_walker)));
    let mut indices: Vec<(Affine, IntType, Signal)> = vec![];
    for (value, ty) in index_values(&statement.value) {
        if indices.iter().all(|(v, t, _)| *v != value || *t != ty) {
            let register = m.reg(&format!("index_{}", indices.len()), rtl_type(ty));
            loads.push(assign(&register, &at_walker.affine(&value).resize(rtl_type(ty))));
            m.waive_unused(&register);
            indices.push((value, ty, register));
        }
    }

    m.comment("Reads: one command per access, held back while an earlier iteration still has to write that word.");
    let load_commands = Commands::wires(&mut m, context, "load");
    let store_commands = Commands::wires(&mut m, context, "store");
    let steps = reads.len().max(1);
    let step_type = Type::for_range(0, (steps as i64 - 1).max(1));
    let read_step = (steps > 1).then(|| m.reg("read_step", step_type));
    let is_step = |r: usize| match &read_step {
        None => bit(true),
        Some(step) => step.e().eq(&Rtl::constant(r as i128, step_type)),
    };
    let by_step = |values: Vec<Rtl>| {
        let mut values = values.into_iter().enumerate().rev();
        let (_, last) = values.next().expect("a step");
        values.fold(last, |other, (r, value)| is_step(r).select(&value, &other))
    };
    let pointer = Type::for_range(0, IN_FLIGHT as i64 - 1);
    let oldest = m.reg("oldest", pointer);
    let newest = m.reg("newest", pointer);
    let mut hazard = bit(false);
    let accepted = m.wire("iteration_accepted", Type::BIT);
    let written = m.wire("iteration_written", Type::BIT);
    let (mut entries, mut resets, mut all_valid) = (vec![], vec![], bit(true));
    let current = (!reads.is_empty()).then(|| {
        let value = by_step(read_addresses.iter().map(|a| a.e()).collect());
        let current = m.define("read_address", &value);
        m.waive_unused(&current);
        current
    });
    let from_target: Vec<usize> = (0..reads.len()).filter(|&r| reads[r].array == target.array).collect();
    let may_conflict = from_target.iter().map(|&r| is_step(r)).reduce(|a, b| a.or(&b));
    let mut any_pending = bit(false);
    for entry in 0..IN_FLIGHT {
        let valid = m.reg(&format!("pending_{entry}"), Type::BIT);
        let address = m.reg(&format!("pending_address_{entry}"), byte);
        let here = |p: &Signal| p.e().eq(&Rtl::constant(entry as i128, pointer));
        entries.push(when(written.e().and(&here(&oldest)), vec![assign(&valid, &bit(false))]));
        entries.push(when(
            accepted.e().and(&here(&newest)),
            vec![assign(&valid, &bit(true)), assign(&address, &write_address.e())],
        ));
        resets.push((valid.clone(), 0));
        if let (Some(current), Some(_)) = (&current, &may_conflict) {
            hazard = hazard.or(&valid.e().and(&address.e().eq(&current.e())));
        } else {
            m.waive_unused(&address);
        }
        all_valid = all_valid.and(&valid.e());
        any_pending = any_pending.or(&valid.e());
    }
    let one = Rtl::constant(1, pointer);
    entries.push(when(accepted.e(), vec![assign(&newest, &newest.e().add(&one, pointer))]));
    entries.push(when(written.e(), vec![assign(&oldest, &oldest.e().add(&one, pointer))]));
    resets.extend([(oldest.clone(), 0), (newest.clone(), 0)]);
    m.clocked("Words still to be written, in a ring.", resets, entries);
    let hazard = hazard.and(&may_conflict.unwrap_or_else(|| bit(false)));
    let hazard = m.define("hazard", &hazard);
    let room = m.define("room", &all_valid.not());

    // With elements that are not words, every read also tells the unpacker where its element lies.
    let read_layout = Stream::wires(&mut m, "layout");
    let wants = candidate.e().and(&room.e()).and(&hazard.e().not());
    let last_step = is_step(steps - 1);
    let step_done = m.wire("step_done", Type::BIT);
    if let Some(current) = &current {
        m.assign(&load_commands.stream.valid, &wants.and(&read_layout.ready.e()));
        m.assign(&load_commands.address, &current.e().slice(byte.width - 1, 2));
        m.assign(&load_commands.length, &by_step(reads.iter().map(|a| words_of(a)).collect()));
        m.assign(&step_done, &load_commands.stream.fires());
    } else {
        m.assign(&load_commands.stream.valid, &bit(false));
        m.assign(&load_commands.address, &Rtl::constant(0, load_commands.address.ty()));
        m.assign(&load_commands.length, &Rtl::constant(1, length));
        m.waive_unused(&load_commands.stream.ready);
        m.assign(&step_done, &wants);
    }
    m.assign(&load_commands.last, &bit(true));
    m.assign(&accepted, &step_done.e().and(&last_step));
    let moves = m.define("iteration_moves", &candidate.e().not().or(&accepted.e()));
    let step = m.define("step", &walker.has_element().and(&moves.e()));
    let nothing_left = any_pending.or(&candidate.e()).not();
    let end_taken = m.define("end_taken", &walker.has_end().and(&nothing_left));
    walker.connect(&mut m, "", &waiting, &waiting_row, &step.e(), &end_taken.e());
    let mut body = vec![when(moves.e(), vec![assign(&candidate, &step.e())]), when(step.e(), loads)];
    let mut resets = vec![(candidate.clone(), 0)];
    if let Some(read_step) = &read_step {
        let next =
            last_step.select(&Rtl::constant(0, step_type), &read_step.e().add(&Rtl::constant(1, step_type), step_type));
        body.push(when(step_done.e(), vec![assign(read_step, &next)]));
        resets.push((read_step.clone(), 0));
    }
    m.clocked("", resets, body);

    m.comment("Words that come back are collected, one per operand.");
    let fire = m.reg("operands_complete", Type::BIT);
    let operands: Vec<Signal> = reads
        .iter()
        .enumerate()
        .map(|(r, a)| m.reg(&format!("operand_{r}"), rtl_type(context.array(a.array).element)))
        .collect();
    let (element, element_data) = if !mixed || reads.is_empty() {
        m.assign(&read_layout.ready, &bit(true));
        m.waive_unused(&read_layout.ready);
        m.assign(&read_layout.valid, &bit(false));
        m.waive_unused(&read_layout.valid);
        (memory.read.clone(), memory.read_data.e())
    } else {
        m.assign(&read_layout.valid, &load_commands.stream.fires());
        let sizes = by_step(reads.iter().map(|a| Rtl::constant(size(a) as i128, Type::unsigned(2))).collect());
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
    operands.iter().for_each(|operand| m.waive_unused(operand));
    m.assign(&element.ready, &bit(true));
    if reads.is_empty() {
        m.waive_unused(&memory.read_data);
        m.waive_unused(&memory.read.valid);
        m.clocked("", vec![(fire.clone(), 0)], vec![assign(&fire, &accepted.e())]);
    } else {
        let collect = (reads.len() > 1).then(|| m.reg("collect_step", step_type));
        let is_collect = |r: usize| match &collect {
            None => bit(true),
            Some(step) => step.e().eq(&Rtl::constant(r as i128, step_type)),
        };
        let arrives = element.valid.e();
        let mut body = vec![assign(&fire, &arrives.and(&is_collect(reads.len() - 1)))];
        let mut resets = vec![(fire.clone(), 0)];
        for (r, operand) in operands.iter().enumerate() {
            body.push(when(arrives.and(&is_collect(r)), vec![assign(operand, &element_data.resize(operand.ty()))]));
        }
        if let Some(collect) = &collect {
            let zero = Rtl::constant(0, step_type);
            let next =
                is_collect(reads.len() - 1).select(&zero, &collect.e().add(&Rtl::constant(1, step_type), step_type));
            body.push(when(arrives, vec![assign(collect, &next)]));
            resets.push((collect.clone(), 0));
        }
        m.clocked("", resets, body);
    }

    // Indices used as data wait for their operands.
    let mut index_exprs = vec![];
    if !indices.is_empty() {
        let packed = Rtl::concat(&indices.iter().map(|(.., r)| r.e()).collect::<Vec<_>>());
        let (inwards, outwards) = (Stream::wires(&mut m, "index_in"), Stream::wires(&mut m, "index_out"));
        m.assign(&inwards.valid, &accepted.e());
        m.waive_unused(&inwards.ready);
        m.waive_unused(&outwards.valid);
        m.assign(&outwards.ready, &fire.e());
        let word = cells::fifo(&mut m, "u_indices", IN_FLIGHT as i128, (&inwards, &packed), &outwards, "index_values");
        m.waive_unused(&word);
        let mut high = packed.width();
        for (value, ty, register) in &indices {
            high -= register.ty().width;
            let slice = word.e().slice(high + register.ty().width - 1, high).resize(register.ty());
            index_exprs.push((value.clone(), *ty, slice));
        }
    }

    m.comment(&format!("The datapath of {}: {}", statement.name, statement.text));
    let mut leaves =
        Operands { reads: reads.iter().copied().zip(operands).collect(), next: 0, scalars, indices: index_exprs };
    let mut datapath = Datapath::new(statement.span);
    let value = datapath.evaluate(&mut m, &statement.value, &mut leaves)?;
    let result_stage = value.stage.unwrap_or(1).max(1);
    let result = datapath.at(&mut m, &value, result_stage);
    datapath.finish(&mut m);
    let mut valid = fire.e();
    let mut shift = vec![];
    let mut resets = vec![];
    for stage in 2..=result_stage {
        let register = m.reg(&format!("valid_{stage}"), Type::BIT);
        shift.push(assign(&register, &valid));
        resets.push((register.clone(), 0));
        valid = register.e();
    }
    if !shift.is_empty() {
        m.clocked("", resets, shift);
    }

    m.comment("Writes: one command per iteration, in order.");
    let (result_in, result_out) = (Stream::wires(&mut m, "result"), Stream::wires(&mut m, "result_out"));
    m.assign(&result_in.valid, &valid);
    m.waive_unused(&result_in.ready);
    let element_type = Type::unsigned(context.array(target.array).element.bits);
    let result = result.resize(element_type);
    let depth = IN_FLIGHT as i128;
    let result_data = cells::fifo(&mut m, "u_results", depth, (&result_in, &result), &result_out, "result_data");
    let (address_in, address_out) = (Stream::wires(&mut m, "address_in"), Stream::wires(&mut m, "address_out"));
    m.assign(&address_in.valid, &accepted.e());
    m.waive_unused(&address_in.ready);
    let address_data =
        cells::fifo(&mut m, "u_addresses", depth, (&address_in, &write_address.e()), &address_out, "address_data");
    let outgoing = Stream::wires(&mut m, "outgoing");
    let layout_out = Stream::wires(&mut m, "store_layout");
    let both = result_out.valid.e().and(&address_out.valid.e());
    let offered = both.and(&outgoing.ready.e()).and(&layout_out.ready.e());
    m.assign(&store_commands.stream.valid, &offered);
    m.assign(&store_commands.address, &address_data.e().slice(byte.width - 1, 2));
    m.waive_unused(&address_data);
    m.assign(&store_commands.length, &words_of(target));
    m.assign(&store_commands.last, &bit(true));
    m.assign(&written, &store_commands.stream.fires());
    m.assign(&result_out.ready, &written.e());
    m.assign(&address_out.ready, &written.e());
    m.assign(&outgoing.valid, &written.e());
    let words = Stream::wires(&mut m, "words");
    let word_data = cells::fifo(&mut m, "u_words", 4, (&outgoing, &result_data.e()), &words, "words_data");
    if size(target) == 2 {
        m.assign(&layout_out.ready, &bit(true));
        m.assign(&layout_out.valid, &bit(false));
        m.waive_unused(&layout_out.valid);
        m.assign(&memory.data.valid, &words.valid.e());
        m.assign(&words.ready, &memory.data.ready.e());
        m.assign(&memory.write_data, &word_data.e());
        m.assign(&memory.strobe, &Rtl::constant(15, Type::unsigned(4)));
    } else {
        m.assign(&layout_out.valid, &written.e());
        let layout = LayoutStream {
            stream: layout_out,
            size: m.define("store_size", &Rtl::constant(size(target) as i128, Type::unsigned(2))),
            offset: m.define("store_offset", &address_data.e().slice(1, 0)),
            count: m.define("store_count", &Rtl::constant(1, length)),
        };
        let (data, strobe) = cells::packer(&mut m, context, &layout, (&words, &word_data.e()), &memory.data);
        m.assign(&memory.write_data, &data.e());
        m.assign(&memory.strobe, &strobe.e());
    }
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
        [&load_commands.stream.valid.e(), &fire.e(), &stalled.e(), &store_commands.stream.valid.e()],
    );
    Ok(vec![rows_module, m])
}
