//! The accelerator: tiles, load, compute and store processes, the buffers between them, and the memory port.

use crate::buffer::mapping_text;
use crate::hardware::buffers::address::{self, buffer_of};
use crate::hardware::buffers::memories::{Drain, Fill, Read, Users, Write, memories};
use crate::hardware::buffers::partition;
use crate::hardware::circuit::cells::{clocking, into, out_of, port};
use crate::hardware::circuit::ranged::rtl_type;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::compute::process::{ComputeRead, compute};
use crate::hardware::context::Context;
use crate::hardware::system::memory_port::{self, Commands, MemoryPort};
use crate::hardware::transfer::load::load;
use crate::hardware::transfer::store::store;
use crate::hardware::walk::connect::argument_ports;
use crate::hardware::walk::tiles::tiles;
use crate::rtl::{Connection, Expr, Module, Signal, Type, assign, when, when_else};
use crate::word::RegisterWord;

/// What is counted, in the order of the register map.
pub const COUNTERS: [&str; 5] = ["cycles", "load_busy", "compute_busy", "compute_stall", "store_busy"];

/// Declares the ports of every accelerator: clock, control, arguments and bases.
pub fn control_ports(m: &mut Module, context: &Context) -> (Signal, Signal, Signal) {
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    m.comment("Control");
    let start = m.input("start", Type::BIT);
    let done = m.output_reg("done", Type::BIT);
    let memory_idle = m.input("memory_idle", Type::BIT);
    context.parameter_inputs(m);
    context.scalar_inputs(m);
    for array in &context.kernel.arrays {
        m.input(&format!("base_{}", array.name), Type::unsigned(context.port.byte_address()));
    }
    (start, done, memory_idle)
}

/// `done` from `start` and `finished`: when all commands and data have left and reached memory, and the counters have
/// settled. Gives the bit that is high from start to the
/// former.
pub fn completion(
    m: &mut Module,
    start: &Signal,
    done: &Signal,
    finished: &Expr,
    quiet: &Expr,
    settled: &Expr,
) -> Signal {
    let running = m.reg("running", Type::BIT);
    let finishing = m.reg("finishing", Type::BIT);
    let settling = m.reg("settling", Type::BIT);
    let set = |register: &Signal, value: bool| assign(register, &Expr::bit(value));
    m.clocked(
        "",
        vec![(running.clone(), 0), (finishing.clone(), 0), (settling.clone(), 0), (done.clone(), 0)],
        vec![when_else(
            start.e(),
            vec![set(&running, true), set(done, false)],
            vec![
                when(finished.clone(), vec![set(&finishing, true)]),
                when(
                    finishing.e().and(quiet),
                    vec![set(&running, false), set(&finishing, false), set(&settling, true)],
                ),
                when(settling.e().and(settled), vec![set(&settling, false), set(done, true)]),
            ],
        )],
    );
    running
}

/// All generated modules of the accelerator, `<kernel>_accelerator` last.
pub fn accelerator(context: &Context) -> Vec<Module> {
    let offload = context.offload;
    let kernel = context.kernel;
    let name = &kernel.name;
    let mut modules = tiles(context);
    let (load_modules, load_ports) = load(context);
    let (compute_modules, compute_ports) = compute(context);
    let (store_modules, store_ports) = store(context);

    let mut m = Module::new(&format!("{name}_accelerator"));
    m.describe(&format!(
        "Accelerator of {name}: Load(T+1), Compute(T) and Store(T-1) run at the same time on the buffers between them."
    ));
    let (start, done, memory_idle) = control_ports(&mut m, context);
    m.comment("Memory port");
    let memory = MemoryPort::declare(&mut m, context);

    m.comment("Tiles");
    let begin = Stream::wires(&mut m, "begin");
    m.assign(&begin.valid, &start.e());
    let tile_type = Type::unsigned(context.tile_width());
    let tile_wires = |m: &mut Module, name: &str| (Stream::wires(m, name), m.wire(&format!("{name}_data"), tile_type));
    let (tile, tile_data) = tile_wires(&mut m, "tile");
    let tile_first = m.wire("tile_first", Type::BIT);
    let mut ports = clocking(&m);
    ports.extend(argument_ports(context, &m));
    ports.extend(into("start", &begin));
    ports.extend(out_of("tile", &tile));
    ports.push(("m_tile_data".into(), Connection::Out(tile_data.clone())));
    ports.push(("m_tile_first".into(), Connection::Out(tile_first.clone())));
    m.instance(&format!("{name}_tiles"), "u_tiles", vec![], ports);

    let (loaded, loaded_data) = tile_wires(&mut m, "loaded");
    let (computed, computed_data) = tile_wires(&mut m, "computed");
    let bit = |m: &mut Module, name: &str| m.wire(name, Type::BIT);
    let token_computed = bit(&mut m, "token_computed");
    let token_stored = bit(&mut m, "token_stored");
    let token_loaded = context.bus.map(|_| bit(&mut m, "token_loaded"));
    let token_in_memory = context.bus.map(|_| bit(&mut m, "token_in_memory"));
    let finished = bit(&mut m, "finished");
    let (load_busy, compute_busy) = (bit(&mut m, "load_is_busy"), bit(&mut m, "compute_is_busy"));
    let (compute_stall, store_busy) = (bit(&mut m, "compute_is_stalled"), bit(&mut m, "store_is_busy"));
    let loads = Commands::wires(&mut m, context, "load");
    let stores = Commands::wires(&mut m, context, "store");

    m.comment("Load");
    let mut ports = clocking(&m);
    ports.extend(argument_ports(context, &m));
    ports.extend(into("tile", &tile));
    ports.push(("s_tile_data".into(), Connection::In(tile_data.e())));
    ports.push(("s_tile_first".into(), Connection::In(tile_first.e())));
    ports.extend(out_of("tile", &loaded));
    ports.push(("m_tile_data".into(), Connection::Out(loaded_data.clone())));
    ports.push(("s_computed".into(), Connection::In(token_computed.e())));
    ports.push(("s_stored".into(), Connection::In(token_stored.e())));
    ports.extend(token_loaded.iter().map(|token| ("m_loaded".into(), Connection::Out(token.clone()))));
    ports.extend(token_in_memory.iter().map(|token| ("s_in_memory".into(), Connection::In(token.e()))));
    ports.extend(loads.connections());
    ports.push(("s_read_valid".into(), Connection::In(memory.read.valid.e())));
    ports.push(("s_read_ready".into(), Connection::Out(memory.read.ready.clone())));
    ports.push(("s_read_data".into(), Connection::In(memory.read_data.e())));
    ports.push(("busy".into(), Connection::Out(load_busy.clone())));
    let base = |m: &Module, array: usize| {
        let name = format!("base_{}", context.array(array).name);
        (name.clone(), Connection::In(port(m, &name)))
    };
    ports.extend(load_ports.arrays.iter().map(|&a| base(&m, a)));
    let fill_data = m.wire("fill_data", load_ports.data);
    ports.push(("m_fill_data".into(), Connection::Out(fill_data.clone())));
    let mut fills: Vec<Fill> = vec![];
    for &array in &load_ports.arrays {
        let array_name = &context.array(array).name;
        let stream = Stream::wires(&mut m, &format!("fill_{array_name}"));
        let address = m.wire(&format!("fill_{array_name}_address"), address::address_type(buffer_of(offload, array)));
        ports.extend(out_of(&format!("fill_{array_name}"), &stream));
        ports.push((format!("m_fill_{array_name}_address"), Connection::Out(address.clone())));
        fills.push(Fill { array, stream, address, data: fill_data.clone() });
    }
    m.instance(&format!("{name}_load"), "u_load", vec![], ports);

    m.comment("Compute");
    let mut ports = clocking(&m);
    ports.extend(argument_ports(context, &m));
    for scalar in &kernel.scalars {
        let name = format!("arg_{}", scalar.name);
        ports.push((name.clone(), Connection::In(port(&m, &name))));
    }
    ports.extend(into("tile", &loaded));
    ports.push(("s_tile_data".into(), Connection::In(loaded_data.e())));
    ports.extend(out_of("tile", &computed));
    ports.push(("m_tile_data".into(), Connection::Out(computed_data.clone())));
    ports.push(("s_stored".into(), Connection::In(token_stored.e())));
    ports.extend(token_loaded.iter().map(|token| ("s_loaded".into(), Connection::In(token.e()))));
    ports.push(("m_computed".into(), Connection::Out(token_computed.clone())));
    // A lent port holds back the iterations that would use it, so that the pipeline never has to stop.
    let mut lends = |arrays: &[usize], what: &str| -> Vec<(usize, Signal)> {
        let lend = |&array: &usize| {
            let name = format!("{what}_{}", context.array(array).name);
            let wire = m.wire(&format!("{name}_borrows"), Type::BIT);
            ports.push((format!("s_{name}"), Connection::In(wire.e())));
            (array, wire)
        };
        arrays.iter().map(lend).collect()
    };
    let lent_writes = lends(&compute_ports.filled, "fill");
    let lent_reads = lends(&compute_ports.drained, "drain");
    ports.push(("busy".into(), Connection::Out(compute_busy.clone())));
    ports.push(("stall".into(), Connection::Out(compute_stall.clone())));
    let mut reads: Vec<Read> = vec![];
    for &ComputeRead { array, copy, rotation, optional } in &compute_ports.reads {
        let element = context.array(array).element;
        let word = address::data_type(buffer_of(offload, array), element.bits);
        let element = if rotation.is_some() { word } else { rtl_type(element) };
        let prefix = format!("read_{}_{copy}", context.array(array).name);
        let address = m.wire(&format!("{prefix}_address"), address::address_type(buffer_of(offload, array)));
        let data = m.wire(&format!("{prefix}_data"), element);
        ports.push((format!("m_{prefix}_address"), Connection::Out(address.clone())));
        ports.push((format!("s_{prefix}_data"), Connection::In(data.e())));
        let mut partition_port = |what: &str, ty: Type| {
            let signal = m.wire(&format!("{prefix}_{what}"), ty);
            ports.push((format!("m_{prefix}_{what}"), Connection::Out(signal.clone())));
            signal
        };
        let partition = buffer_of(offload, array).partition.as_ref();
        let bank = partition.map(|p| partition_port("bank", partition::bank_type(p)));
        let used = optional.then(|| partition_port("used", Type::BIT));
        reads.push(Read { array, copy, address, data, rotation, bank, used });
    }
    let mut writes: Vec<Write> = vec![];
    for &(array, rotation) in &compute_ports.writes {
        let prefix = format!("write_{}", context.array(array).name);
        let valid = m.wire(&format!("{prefix}_valid"), Type::BIT);
        let address = m.wire(&format!("{prefix}_address"), address::address_type(buffer_of(offload, array)));
        let bits = context.array(array).element.bits;
        let data = m.wire(&format!("{prefix}_data"), address::data_type(buffer_of(offload, array), bits));
        ports.push((format!("m_{prefix}_valid"), Connection::Out(valid.clone())));
        ports.push((format!("m_{prefix}_address"), Connection::Out(address.clone())));
        ports.push((format!("m_{prefix}_data"), Connection::Out(data.clone())));
        let group = rotation.map(|rotation| {
            let words = m.wire(&format!("{prefix}_words"), Type::unsigned(data.width() / bits));
            ports.push((format!("m_{prefix}_words"), Connection::Out(words.clone())));
            (rotation, words)
        });
        writes.push(Write { array, valid, address, data, group });
    }
    m.instance(&format!("{name}_compute"), "u_compute", vec![], ports);

    m.comment("Store");
    let mut ports = clocking(&m);
    ports.extend(argument_ports(context, &m));
    ports.extend(into("tile", &computed));
    ports.push(("s_tile_data".into(), Connection::In(computed_data.e())));
    ports.extend(context.bus.map(|_| ("s_computed".into(), Connection::In(token_computed.e()))));
    ports.extend(stores.connections());
    ports.push(("m_write_valid".into(), Connection::Out(memory.data.valid.clone())));
    ports.push(("m_write_ready".into(), Connection::In(memory.data.ready.e())));
    ports.push(("m_write_data".into(), Connection::Out(memory.write_data.clone())));
    ports.push(("m_write_strobe".into(), Connection::Out(memory.strobe.clone())));
    ports.push(("m_stored".into(), Connection::Out(token_stored.clone())));
    ports.push(("m_finished".into(), Connection::Out(finished.clone())));
    ports.push(("busy".into(), Connection::Out(store_busy.clone())));
    ports.extend(store_ports.arrays.iter().map(|&a| base(&m, a)));
    let mut drains: Vec<Drain> = vec![];
    for &array in &store_ports.arrays {
        let prefix = format!("drain_{}", context.array(array).name);
        let valid = m.wire(&format!("{prefix}_valid"), Type::BIT);
        let address = m.wire(&format!("{prefix}_address"), address::address_type(buffer_of(offload, array)));
        let data = m.wire(&format!("{prefix}_data"), store_ports.beat.data(context.array(array).element.bits));
        ports.push((format!("m_{prefix}_valid"), Connection::Out(valid.clone())));
        ports.push((format!("m_{prefix}_address"), Connection::Out(address.clone())));
        ports.push((format!("s_{prefix}_data"), Connection::In(data.e())));
        drains.push(Drain { array, valid, address, data });
    }
    m.instance(&format!("{name}_store"), "u_store", vec![], ports);

    let signal_of = |wires: &[(usize, Signal)], array| wires.iter().find(|(a, _)| *a == array).map(|(_, s)| s.clone());
    for buffer in &offload.buffers {
        let array = buffer.array;
        let text = format!("Buffer: {}", mapping_text(kernel, buffer));
        m.comment(&text);
        let users = Users {
            fill: fills.iter().find(|fill| fill.array == array),
            write: writes.iter().find(|write| write.array == array),
            reads: reads.iter().filter(|read| read.array == array).collect(),
            drain: drains.iter().find(|drain| drain.array == array),
        };
        let borrowers = [
            (signal_of(&lent_writes, array), users.fill.map(|fill| &fill.stream.valid)),
            (signal_of(&lent_reads, array), users.drain.map(|drain| &drain.valid)),
        ];
        for (lent, borrows) in borrowers {
            lent.zip(borrows).into_iter().for_each(|(lent, borrows)| m.assign(&lent, &borrows.e()));
        }
        modules.extend(memories(&mut m, context, buffer, &users, text));
    }
    m.comment("Memory port");
    memory.connect(&mut m, context, &loads, &stores);
    if let (Some(in_memory), Some(written)) = (&token_in_memory, memory.written()) {
        memory_port::track(&mut m, &stores, &token_stored, written, in_memory);
    }

    m.comment("From start to done");
    let quiet = memory_idle.e().and(&memory.quiet());
    let settled = m.wire("counters_settled", Type::BIT);
    let running = completion(&mut m, &start, &done, &finished.e(), &quiet, &settled.e());
    counters(
        &mut m,
        &start,
        &running,
        &settled,
        [&load_busy.e(), &compute_busy.e(), &compute_stall.e(), &store_busy.e()],
    );

    modules.extend(load_modules);
    modules.extend(compute_modules);
    modules.extend(store_modules);
    modules.push(m);
    modules
}

/// The counters of every accelerator, in cycles: those of [`COUNTERS`], which `s_counter_index` chooses from 1 on.
pub fn counters(m: &mut Module, start: &Signal, running: &Signal, settled: &Signal, events: [&Expr; 4]) {
    m.comment("Counters, in cycles: from start to done, and while a process is busy or stalled");
    let index = m.input("s_counter_index", Type::unsigned(3));
    let count = m.output("m_counter", RegisterWord::data());
    let mut bits: Vec<Expr> = events.iter().rev().map(|e| (*e).clone()).collect();
    bits.push(running.e());
    let mut ports = clocking(m);
    ports.extend([
        ("clear".to_string(), Connection::In(start.e())),
        ("s_events".into(), Connection::In(Expr::concat(&bits))),
        ("settled".into(), Connection::Out(settled.clone())),
        ("s_index".into(), Connection::In(index.e())),
        ("m_count".into(), Connection::Out(count)),
    ]);
    m.instance("cycle_counters", "u_counters", vec![("COUNT", COUNTERS.len() as i128)], ports);
}
