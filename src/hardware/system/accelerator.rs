//! The accelerator: tiles, load, compute and store processes, the buffers between them, and the memory port.

use std::collections::BTreeSet;

use crate::buffer::mapping_text;
use crate::hardware::buffers::address::{self, buffer_of};
use crate::hardware::buffers::banks::{Drained, Rotations};
use crate::hardware::buffers::beat::Beat;
use crate::hardware::buffers::lines;
use crate::hardware::buffers::memories::{Drain, Fill, Ports, Read, Users, Write, memories};
use crate::hardware::buffers::partition;
use crate::hardware::circuit::cells::{clocking, into, out_of, port};
use crate::hardware::circuit::ranged::rtl_type;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::compute::process::{ComputePorts, ComputeRead, compute};
use crate::hardware::context::{self, Context};
use crate::hardware::interface::link::port_suffix;
use crate::hardware::interface::names;
use crate::hardware::system::memory_port::{self, Commands, MemoryPort};
use crate::hardware::system::several;
use crate::hardware::system::units;
use crate::hardware::transfer::load::{LoadPorts, load};
use crate::hardware::transfer::stage::of_port;
use crate::hardware::transfer::store::{StorePorts, store};
use crate::hardware::walk::connect::argument_ports;
use crate::hardware::walk::tiles::tiles;
use crate::ids::ArrayId;
use crate::offload::Buffer;
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
    for array in context.kernel.arrays.iter().filter(|array| array.use_of.is_none()) {
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

/// A tile on its way from one process to the next.
#[derive(Clone)]
struct TileWires {
    stream: Stream,
    data: Signal,
}

impl TileWires {
    fn declare(m: &mut Module, context: &Context, name: &str) -> TileWires {
        let stream = Stream::wires(m, name);
        TileWires { stream, data: m.wire(&format!("{name}_data"), Type::unsigned(context.tile_width())) }
    }

    /// The ports of the process that takes it.
    fn taken(&self) -> Ports {
        let mut ports = into("tile", &self.stream);
        ports.push(("s_tile_data".into(), Connection::In(self.data.e())));
        ports
    }

    /// For the view of a waveform.
    fn shown(&self) -> [&Signal; 3] {
        [&self.stream.valid, &self.stream.ready, &self.data]
    }

    /// The ports of the process that gives it.
    fn given(&self) -> Ports {
        let mut ports = out_of("tile", &self.stream);
        ports.push(("m_tile_data".into(), Connection::Out(self.data.clone())));
        ports
    }
}

/// What joins the load process of a port to the others. Of one port they are those of [`Wires`], else as good as they are for
/// this process alone.
struct Loading {
    port: u32,
    tile: TileWires,
    first: Signal,
    loaded: Option<Signal>,
    busy: Signal,
    commands: Commands,
}

/// The same of a store process.
struct Storing {
    port: u32,
    tile: TileWires,
    stored: Signal,
    in_memory: Option<Signal>,
    finished: Signal,
    busy: Signal,
    commands: Commands,
}

/// What joins the processes, but for the buffers.
struct Wires {
    memory: Vec<MemoryPort>,
    loading: Vec<Loading>,
    storing: Vec<Storing>,
    loaded: TileWires,
    computed: TileWires,
    token_computed: Signal,
    token_stored: Signal,
    /// Behind a bus.
    token_loaded: Option<Signal>,
    token_in_memory: Option<Signal>,
    finished: Signal,
    load_busy: Signal,
    compute_busy: Signal,
    compute_stall: Signal,
    store_busy: Signal,
}

impl Wires {
    /// Of the port with this number.
    fn memory<'w>(&'w self, context: &Context, port: u32) -> &'w MemoryPort {
        let place = context.ports.iter().position(|own| *own == port);
        &self.memory[place.expect("a port of the context")]
    }
}

/// All generated modules of the accelerator, `<kernel>_accelerator` last.
pub fn accelerator(context: &Context) -> Vec<Module> {
    let name = &context.kernel.name;
    let mut modules = tiles(context);
    let loads: Vec<_> = context.loading().into_iter().map(|port| load(context, port)).collect();
    let offload = context::of_unit(context.offload);
    let (compute_modules, compute_ports) = compute(&context.of_unit(&offload));
    let delay = |array| compute_ports.delay_of_drained(array);
    let stores: Vec<_> = context.storing().into_iter().map(|port| store(context, port, &delay)).collect();

    let mut m = Module::new(&format!("{name}_accelerator"));
    m.describe(&format!(
        "Accelerator of {name}: Load(T+1), Compute(T) and Store(T-1) run at the same time on the buffers between them."
    ));
    let (start, done, memory_idle) = control_ports(&mut m, context);
    let about = if context.ports.len() > 1 { "Memory ports" } else { "Memory port" };
    m.comment(about);
    let memory = context.ports.iter().map(|&port| MemoryPort::declare(&mut m, context, port)).collect();
    let wires = join_tiles(&mut m, context, &start, memory);
    let takes = takes(&mut m, context, &compute_ports, "");
    let mut fills = vec![];
    for (own, (_, ports)) in wires.loading.iter().zip(&loads) {
        fills.extend(join_load(&mut m, context, &wires, own, (ports, &takes)));
    }
    let units = join_units(&mut m, context, &wires, (&compute_ports, &takes));
    let mut drains = vec![];
    for (own, (_, ports)) in wires.storing.iter().zip(&stores) {
        drains.extend(join_store(&mut m, context, &wires, own, ports));
    }
    m.follows(&wires.token_computed, &wires.token_stored, &wires.storing[0].commands.stream.valid);
    modules.extend(join_buffers(&mut m, context, &fills, (&units, &takes), &drains));
    show_processes(&mut m, context, [&start, &done], &wires);
    show_buffers(&mut m, context, &fills, &units, &drains);

    m.comment(about);
    join_memory(&mut m, context, &wires);
    join_moments(&mut m, &wires);

    m.comment("From start to done");
    let quiet = wires.memory.iter().fold(memory_idle.e(), |quiet, memory| quiet.and(&memory.quiet()));
    let settled = m.wire("counters_settled", Type::BIT);
    let running = completion(&mut m, &start, &done, &wires.finished.e(), &quiet, &settled.e());
    let events = [&wires.load_busy, &wires.compute_busy, &wires.compute_stall, &wires.store_busy].map(|s| s.e());
    counters(&mut m, &start, &running, &settled, events.each_ref());

    modules.extend(loads.into_iter().flat_map(|(modules, _)| modules));
    modules.extend(compute_modules);
    modules.extend(stores.into_iter().flat_map(|(modules, _)| modules));
    modules.push(m);
    modules
}

/// The ports that every process has.
fn process_ports(m: &Module, context: &Context) -> Ports {
    let mut ports = clocking(m);
    ports.extend(argument_ports(context, m));
    ports
}

/// The bases of arrays.
fn bases(m: &Module, context: &Context, arrays: &[ArrayId]) -> Ports {
    let names: BTreeSet<String> = arrays.iter().map(|&array| context.base_name(array)).collect();
    names.into_iter().map(|name| (name.clone(), Connection::In(port(m, &name)))).collect()
}

/// The tiles begin with `start`; declares what joins the other processes, too.
fn join_tiles(m: &mut Module, context: &Context, start: &Signal, memory: Vec<MemoryPort>) -> Wires {
    m.comment("Tiles");
    let begin = Stream::wires(m, "begin");
    m.assign(&begin.valid, &start.e());
    let tile = TileWires::declare(m, context, "tile");
    let tile_first = m.wire("tile_first", Type::BIT);
    let mut ports = process_ports(m, context);
    ports.extend(into("start", &begin));
    ports.extend(tile.given());
    ports.push(("m_tile_first".into(), Connection::Out(tile_first.clone())));
    m.instance(&format!("{}_tiles", context.kernel.name), "u_tiles", vec![], ports);

    let loaded = TileWires::declare(m, context, "loaded");
    let computed = TileWires::declare(m, context, "computed");
    let mut bit = |name: &str| m.wire(name, Type::BIT);
    let [token_computed, token_stored] = ["token_computed", "token_stored"].map(&mut bit);
    let token_loaded = context.bus.map(|_| bit("token_loaded"));
    let token_in_memory = context.bus.map(|_| bit("token_in_memory"));
    let [finished, load_busy, compute_busy, compute_stall, store_busy] =
        ["finished", "load_is_busy", "compute_is_busy", "compute_is_stalled", "store_is_busy"].map(&mut bit);
    let loading = match &context.loading()[..] {
        [port] => vec![Loading {
            port: *port,
            tile,
            first: tile_first,
            loaded: token_loaded.clone(),
            busy: load_busy.clone(),
            commands: Commands::wires(m, context, &format!("load{}", port_suffix(*port))),
        }],
        several => loading(m, context, several, &tile, &tile_first),
    };
    let storing = match &context.storing()[..] {
        [port] => vec![Storing {
            port: *port,
            tile: computed.clone(),
            stored: token_stored.clone(),
            in_memory: token_in_memory.clone(),
            finished: finished.clone(),
            busy: store_busy.clone(),
            commands: Commands::wires(m, context, &format!("store{}", port_suffix(*port))),
        }],
        several => storing(m, context, several, &computed),
    };
    Wires {
        memory,
        loading,
        storing,
        loaded,
        computed,
        token_computed,
        token_stored,
        token_loaded,
        token_in_memory,
        finished,
        load_busy,
        compute_busy,
        compute_stall,
        store_busy,
    }
}

/// The load processes of several ports, each with the tiles in a queue of its own.
fn loading(m: &mut Module, context: &Context, ports: &[u32], tile: &TileWires, first: &Signal) -> Vec<Loading> {
    m.comment("Tiles go to the load processes of all ports.");
    let names: Vec<String> = ports.iter().map(|port| format!("load_tile{port}")).collect();
    let words = several::fork(m, &names, (&tile.stream, &Expr::concat(&[tile.data.e(), first.e()])));
    let own = |m: &mut Module, (port, (stream, word)): (u32, (Stream, Signal))| {
        let data = m.define(&format!("load_tile{port}_data"), &word.e().slice(context.tile_width(), 1));
        Loading {
            port,
            tile: TileWires { stream, data },
            first: m.define(&format!("load_tile{port}_first"), &word.e().index(0)),
            loaded: Some(m.wire(&format!("loaded{port}"), Type::BIT)),
            busy: m.wire(&format!("load{port}_is_busy"), Type::BIT),
            commands: Commands::wires(m, context, &format!("load{}", port_suffix(port))),
        }
    };
    ports.iter().copied().zip(words).map(|process| own(m, process)).collect()
}

/// The same of store processes.
fn storing(m: &mut Module, context: &Context, ports: &[u32], tile: &TileWires) -> Vec<Storing> {
    m.comment("Tiles go to the store processes of all ports.");
    let names: Vec<String> = ports.iter().map(|port| format!("store_tile{port}")).collect();
    let words = several::fork(m, &names, (&tile.stream, &tile.data.e()));
    let own = |m: &mut Module, (port, (stream, data)): (u32, (Stream, Signal))| {
        let mut bit = |name: &str| m.wire(&format!("{name}{port}"), Type::BIT);
        let [stored, in_memory, finished, busy] = ["stored", "in_memory", "finished", "store_is_busy"].map(&mut bit);
        Storing {
            port,
            tile: TileWires { stream, data },
            stored,
            in_memory: Some(in_memory),
            finished,
            busy,
            commands: Commands::wires(m, context, &format!("store{}", port_suffix(port))),
        }
    };
    ports.iter().copied().zip(words).map(|process| own(m, process)).collect()
}

/// Commands of the processes at the memory ports, and the stores that are in memory.
fn join_memory(m: &mut Module, context: &Context, wires: &Wires) {
    for (&port, memory) in context.ports.iter().zip(&wires.memory) {
        let loading = wires.loading.iter().find(|own| own.port == port);
        let storing = wires.storing.iter().find(|own| own.port == port);
        memory.connect(m, context, loading.map(|own| &own.commands), storing.map(|own| &own.commands));
        if loading.is_none() {
            memory.never_loads(m);
        }
        let Some(Storing { commands, stored, in_memory, .. }) = storing else {
            memory.never_stores(m);
            continue;
        };
        if let (Some(in_memory), Some(written)) = (in_memory, memory.written()) {
            memory_port::track(m, &port_suffix(port), commands, stored, written, in_memory);
        }
    }
}

/// The moments of a tile, where several processes have to reach them.
fn join_moments(m: &mut Module, wires: &Wires) {
    let Wires { loading, storing, .. } = wires;
    let any = |own: Vec<&Signal>| Expr::any(&own.iter().map(|signal| signal.e()).collect::<Vec<_>>());
    let own = |signals: Vec<&Signal>| signals.into_iter().cloned().collect::<Vec<_>>();
    if let (true, Some(loaded)) = (loading.len() > 1, &wires.token_loaded) {
        m.comment("A tile is loaded when all ports have loaded it.");
        several::join(m, &own(loading.iter().filter_map(|own| own.loaded.as_ref()).collect()), loaded);
        m.assign(&wires.load_busy, &any(loading.iter().map(|own| &own.busy).collect()));
    }
    if let (true, Some(in_memory)) = (storing.len() > 1, &wires.token_in_memory) {
        m.comment("It is stored, and in memory, when all ports have done so.");
        several::join(m, &own(storing.iter().map(|own| &own.stored).collect()), &wires.token_stored);
        several::join(m, &own(storing.iter().filter_map(|own| own.in_memory.as_ref()).collect()), in_memory);
        several::join(m, &own(storing.iter().map(|own| &own.finished).collect()), &wires.finished);
        m.assign(&wires.store_busy, &any(storing.iter().map(|own| &own.busy).collect()));
    }
}

/// A load process; gives what fills the buffers.
fn join_load(
    m: &mut Module,
    context: &Context,
    wires: &Wires,
    own: &Loading,
    (load, takes): (&LoadPorts, &[(ArrayId, Signal)]),
) -> Vec<Fill> {
    let suffix = port_suffix(own.port);
    m.comment(&format!("Load{}", of_port(context, own.port)));
    let mut ports = process_ports(m, context);
    ports.extend(own.tile.taken());
    ports.push(("s_tile_first".into(), Connection::In(own.first.e())));
    // The first one hands tiles on.
    if own.port == wires.loading[0].port {
        ports.extend(wires.loaded.given());
    }
    ports.push(("s_computed".into(), Connection::In(wires.token_computed.e())));
    ports.push(("s_stored".into(), Connection::In(wires.token_stored.e())));
    ports.extend(own.loaded.iter().map(|token| ("m_loaded".into(), Connection::Out(token.clone()))));
    ports.extend(wires.token_in_memory.iter().map(|token| ("s_in_memory".into(), Connection::In(token.e()))));
    let memory = wires.memory(context, own.port);
    ports.extend(own.commands.connections());
    ports.push(("s_read_valid".into(), Connection::In(memory.read.valid.e())));
    ports.push(("s_read_ready".into(), Connection::Out(memory.read.ready.clone())));
    ports.push(("s_read_data".into(), Connection::In(memory.read_data.e())));
    ports.push(("busy".into(), Connection::Out(own.busy.clone())));
    ports.extend(bases(m, context, &load.arrays));
    let data = m.wire(&format!("fill{suffix}_data"), load.data);
    ports.push(("m_fill_data".into(), Connection::Out(data.clone())));
    let elements = load.elements.map(|ty| m.wire(&format!("fill{suffix}_elements"), ty));
    ports.extend(elements.iter().map(|e| ("m_fill_elements".into(), Connection::Out(e.clone()))));
    let flush = (!load.in_lines.is_empty()).then(|| m.wire(&format!("flush{suffix}"), Type::BIT));
    ports.extend(flush.iter().map(|flush| ("m_flush".into(), Connection::Out(flush.clone()))));
    let mut fills: Vec<Fill> = vec![];
    for &array in &load.arrays {
        let prefix = format!("fill_{}", context.array(array).name);
        let stream = Stream::wires(m, &prefix);
        let address = m.wire(&format!("{prefix}_address"), address::address_type(buffer_of(context.offload, array)));
        ports.extend(out_of(&prefix, &stream));
        ports.push((format!("m_{prefix}_address"), Connection::Out(address.clone())));
        if load.in_lines.contains(&array) {
            fills.push(lines::join(
                m,
                context,
                array,
                (stream, address),
                (&data, elements.as_ref()),
                &flush,
                &mut ports,
            ));
            continue;
        }
        let beat = Beat::of(context, array);
        let asks =
            load.asking.contains(&array).then(|| m.wire(&format!("asks_{}", context.array(array).name), Type::BIT));
        if let Some(asks) = &asks {
            let name = &context.array(array).name;
            ports.push((format!("m_asks_{name}"), Connection::Out(asks.clone())));
            let takes =
                takes.iter().find(|(taken, _)| *taken == array).map_or(Expr::bit(false), |(_, takes)| takes.e());
            ports.push((format!("s_takes_{name}"), Connection::In(takes)));
        }
        fills.push(Fill { array, stream, address, beat, data: data.clone(), elements: elements.clone(), asks });
    }
    m.instance(&format!("{}_load{suffix}", context.kernel.name), &format!("u_load{suffix}"), vec![], ports);
    fills
}

/// What the compute process has to do with the buffers.
struct Computed {
    reads: Vec<Read>,
    writes: Vec<Write>,
    /// By array, high while a fill or a drain borrows the port: that holds back the iterations that would use it, so that
    /// the pipeline never has to stop.
    lent_writes: Vec<(ArrayId, Signal)>,
    lent_reads: Vec<(ArrayId, Signal)>,
    /// See [`ComputePorts::keeps_gaps`].
    keeps_gaps: Vec<ArrayId>,
    /// See [`ComputePorts::takes`].
    takes: Vec<(ArrayId, Signal)>,
}

/// What joins a compute process, of several units one, to the others.
struct Computing {
    loaded: TileWires,
    computed: TileWires,
    token_computed: Signal,
    busy: Signal,
    stall: Signal,
    index_error: Option<Signal>,
}

/// For every array of which iterations tell the cycles that are no gap, where they do.
fn takes(m: &mut Module, context: &Context, compute: &ComputePorts, unit: &str) -> Vec<(ArrayId, Signal)> {
    let own = |&array: &ArrayId| (array, m.wire(&format!("{unit}takes_{}", context.array(array).name), Type::BIT));
    compute.takes.iter().map(own).collect()
}

/// All compute processes.
fn join_units(
    m: &mut Module,
    context: &Context,
    wires: &Wires,
    (compute, takes_of_all): (&ComputePorts, &[(ArrayId, Signal)]),
) -> Vec<Computed> {
    let index_error = compute.index_error.then(|| m.output("m_index_error", Type::BIT));
    let units = context.offload.units();
    if units == 1 {
        m.comment("Compute");
        let own = Computing {
            loaded: wires.loaded.clone(),
            computed: wires.computed.clone(),
            token_computed: wires.token_computed.clone(),
            busy: wires.compute_busy.clone(),
            stall: wires.compute_stall.clone(),
            index_error,
        };
        return vec![join_compute(m, context, wires, (0, &own), (compute, takes_of_all.to_vec()))];
    }
    let loaded = units::give(m, units, (&wires.loaded.stream, &wires.loaded.data));
    let (mut all, mut joined) = (vec![], vec![]);
    for (unit, (stream, data)) in (0..units).zip(loaded) {
        m.comment(&format!("Compute, unit {unit}"));
        let name = names::of_unit(units, unit);
        let mut bit = |what: &str| m.wire(&format!("{name}{what}"), Type::BIT);
        let own = Computing {
            token_computed: bit("token_computed"),
            busy: bit("is_busy"),
            stall: bit("is_stalled"),
            index_error: index_error.as_ref().map(|_| bit("index_error")),
            loaded: TileWires { stream, data },
            computed: TileWires::declare(m, context, &format!("{name}computed")),
        };
        let takes = takes(m, context, compute, &name);
        joined.push(join_compute(m, context, wires, (unit, &own), (compute, takes)));
        all.push(own);
    }
    let computed: Vec<(Stream, Signal)> =
        all.iter().map(|own| (own.computed.stream.clone(), own.computed.data.clone())).collect();
    units::take(m, &computed, (&wires.computed.stream, &wires.computed.data));
    let tokens: Vec<Signal> = all.iter().map(|own| own.token_computed.clone()).collect();
    several::join(m, &tokens, &wires.token_computed);
    let any = |m: &mut Module, signal: &Signal, of: &dyn Fn(&Computing) -> Expr| {
        m.assign(signal, &Expr::any(&all.iter().map(of).collect::<Vec<_>>()));
    };
    any(m, &wires.compute_busy, &|own| own.busy.e());
    let stalled = m.wire("some_unit_is_stalled", Type::BIT);
    any(m, &stalled, &|own| own.stall.e());
    m.assign(&wires.compute_stall, &stalled.e().and(&wires.compute_busy.e().not()));
    if let Some(error) = &index_error {
        any(m, error, &|own| own.index_error.as_ref().map_or(Expr::bit(false), Signal::e));
    }
    joined
}

fn join_compute(
    m: &mut Module,
    context: &Context,
    wires: &Wires,
    (unit, own): (i64, &Computing),
    (compute, takes): (&ComputePorts, Vec<(ArrayId, Signal)>),
) -> Computed {
    let units = context.offload.units();
    let name = names::of_unit(units, unit);
    let mut ports = process_ports(m, context);
    if let Some(number) = context.offload.first_units() {
        let number_type = Type::for_range(0, units - 1);
        ports.push((format!("arg_{}", number.name), Connection::In(Expr::constant(unit.into(), number_type))));
    }
    for scalar in &context.kernel.scalars {
        let name = format!("arg_{}", scalar.name);
        ports.push((name.clone(), Connection::In(port(m, &name))));
    }
    ports.extend(own.loaded.taken());
    ports.extend(own.computed.given());
    ports.push(("s_stored".into(), Connection::In(wires.token_stored.e())));
    ports.extend(wires.token_loaded.iter().map(|token| ("s_loaded".into(), Connection::In(token.e()))));
    ports.push(("m_computed".into(), Connection::Out(own.token_computed.clone())));
    let mut lends = |arrays: &[ArrayId], what: &str| -> Vec<(ArrayId, Signal)> {
        let lend = |&array: &ArrayId| {
            let port = format!("{what}_{}", context.array(array).name);
            let wire = m.wire(&format!("{name}{port}_borrows"), Type::BIT);
            ports.push((format!("s_{port}"), Connection::In(wire.e())));
            (array, wire)
        };
        arrays.iter().map(lend).collect()
    };
    let lent_writes = lends(&compute.filled, "fill");
    let lent_reads = lends(&compute.drained, "drain");
    for (array, takes) in &takes {
        ports.push((format!("m_takes_{}", context.array(*array).name), Connection::Out(takes.clone())));
    }
    ports.push(("busy".into(), Connection::Out(own.busy.clone())));
    ports.push(("stall".into(), Connection::Out(own.stall.clone())));
    ports.extend(own.index_error.iter().map(|error| ("m_index_error".into(), Connection::Out(error.clone()))));
    let reads = compute.reads.iter().map(|read| join_read(m, context, &name, read, &mut ports)).collect();
    let writes = compute
        .writes
        .iter()
        .map(|(array, r)| join_write(m, context, &name, (*array, r.clone()), &mut ports))
        .collect();
    m.instance(&format!("{}_compute", context.kernel.name), &format!("u_{name}compute"), vec![], ports);
    Computed { reads, writes, lent_writes, lent_reads, keeps_gaps: compute.keeps_gaps.clone(), takes }
}

/// A read port of the compute process, whose ports come to `ports`.
fn join_read(m: &mut Module, context: &Context, unit: &str, read: &ComputeRead, ports: &mut Ports) -> Read {
    let ComputeRead { array, copy, rotation, optional } = read.clone();
    let buffer = buffer_of(context.offload, array);
    let element = context.array(array).element;
    let word = address::data_type(buffer, element.bits);
    let element = if rotation.is_some() { word } else { rtl_type(element) };
    let prefix = format!("read_{}_{copy}", context.array(array).name);
    let address = m.wire(&format!("{unit}{prefix}_address"), address::address_type(buffer));
    let data = m.wire(&format!("{unit}{prefix}_data"), element);
    ports.push((format!("m_{prefix}_address"), Connection::Out(address.clone())));
    ports.push((format!("s_{prefix}_data"), Connection::In(data.e())));
    let mut partition_port = |what: &str, ty: Type| {
        let signal = m.wire(&format!("{unit}{prefix}_{what}"), ty);
        ports.push((format!("m_{prefix}_{what}"), Connection::Out(signal.clone())));
        signal
    };
    let bank = buffer.partition.as_ref().map(|p| partition_port("bank", partition::bank_type(p)));
    let used = optional.then(|| partition_port("used", Type::BIT));
    let along = rotation.as_ref().and_then(Rotations::told).map(|ty| partition_port("along", ty));
    Read { array, copy, address, data, rotation, along, bank, used }
}

/// The write port of the compute process for an array.
fn join_write(
    m: &mut Module,
    context: &Context,
    unit: &str,
    (array, rotation): (ArrayId, Option<Rotations>),
    ports: &mut Ports,
) -> Write {
    let buffer = buffer_of(context.offload, array);
    let prefix = format!("write_{}", context.array(array).name);
    let valid = m.wire(&format!("{unit}{prefix}_valid"), Type::BIT);
    let address = m.wire(&format!("{unit}{prefix}_address"), address::address_type(buffer));
    let bits = context.array(array).word_bits();
    let data = m.wire(&format!("{unit}{prefix}_data"), address::data_type(buffer, bits));
    for (what, signal) in [("valid", &valid), ("address", &address), ("data", &data)] {
        ports.push((format!("m_{prefix}_{what}"), Connection::Out(signal.clone())));
    }
    let along = rotation.as_ref().and_then(Rotations::told).map(|ty| {
        let along = m.wire(&format!("{unit}{prefix}_along"), ty);
        ports.push((format!("m_{prefix}_along"), Connection::Out(along.clone())));
        along
    });
    let group = rotation.map(|rotation| {
        let words = m.wire(&format!("{unit}{prefix}_words"), Type::unsigned(data.width() / bits));
        ports.push((format!("m_{prefix}_words"), Connection::Out(words.clone())));
        (rotation, words)
    });
    Write { array, valid, address, data, group, along }
}

/// A store process; gives what drains the buffers.
fn join_store(m: &mut Module, context: &Context, wires: &Wires, own: &Storing, store: &StorePorts) -> Vec<Drain> {
    let suffix = port_suffix(own.port);
    let memory = wires.memory(context, own.port);
    m.comment(&format!("Store{}", of_port(context, own.port)));
    let mut ports = process_ports(m, context);
    ports.extend(own.tile.taken());
    ports.extend(context.bus.map(|_| ("s_computed".into(), Connection::In(wires.token_computed.e()))));
    ports.extend(own.commands.connections());
    ports.push(("m_write_valid".into(), Connection::Out(memory.data.valid.clone())));
    ports.push(("m_write_ready".into(), Connection::In(memory.data.ready.e())));
    ports.push(("m_write_data".into(), Connection::Out(memory.write_data.clone())));
    ports.push(("m_write_strobe".into(), Connection::Out(memory.strobe.clone())));
    ports.push(("m_stored".into(), Connection::Out(own.stored.clone())));
    ports.push(("m_finished".into(), Connection::Out(own.finished.clone())));
    ports.push(("busy".into(), Connection::Out(own.busy.clone())));
    ports.extend(bases(m, context, &store.arrays));
    let mut drains: Vec<Drain> = vec![];
    for &array in &store.arrays {
        let prefix = format!("drain_{}", context.array(array).name);
        let valid = m.wire(&format!("{prefix}_valid"), Type::BIT);
        let address = m.wire(&format!("{prefix}_address"), address::address_type(buffer_of(context.offload, array)));
        let drained = Drained::of(context, array);
        let data = m.wire(&format!("{prefix}_data"), Beat::type_of(context, array));
        ports.push((format!("m_{prefix}_valid"), Connection::Out(valid.clone())));
        ports.push((format!("m_{prefix}_address"), Connection::Out(address.clone())));
        ports.push((format!("s_{prefix}_data"), Connection::In(data.e())));
        let asks = store.asking.contains(&array).then(|| m.wire(&format!("{prefix}_asks"), Type::BIT));
        ports.extend(asks.iter().map(|asks| (format!("m_{prefix}_asks"), Connection::Out(asks.clone()))));
        drains.push(Drain { array, drained, valid, asks, address, data });
    }
    m.instance(&format!("{}_store{suffix}", context.kernel.name), &format!("u_store{suffix}"), vec![], ports);
    drains
}

/// The buffers of all units, each joined to all its users; gives the modules that they are made of.
fn join_buffers(
    m: &mut Module,
    context: &Context,
    fills: &[Fill],
    (computed, takes): (&[Computed], &[(ArrayId, Signal)]),
    drains: &[Drain],
) -> Vec<Module> {
    let mut modules = vec![];
    for buffer in &context.offload.buffers {
        let array = buffer.array;
        let text = format!("Buffer: {}", mapping_text(context.kernel, buffer));
        m.comment(&text);
        let fill = fills.iter().find(|fill| fill.array == array);
        let drain = drains.iter().find(|drain| drain.array == array);
        if let [only] = computed {
            let fill = fill.map(|fill| (fill, &fill.stream.valid));
            modules.extend(join_buffer(m, context, (buffer, 0), (fill, only, drain), text));
            continue;
        }
        let fills = fill.map(|fill| units::fills(m, context, buffer, fill));
        let drains = drain.map(|drain| units::drains(m, context, buffer, drain));
        if let Some((_, all)) = takes.iter().find(|(taken, _)| *taken == array) {
            let own: Vec<&Signal> = computed.iter().filter_map(|own| signal_of(&own.takes, array)).collect();
            units::takes(m, buffer, fill, &own, all);
        }
        for (unit, own) in computed.iter().enumerate() {
            let fill = fills.as_ref().map(|fills| &fills[unit]).map(|(fill, wants)| (fill, wants));
            let drain = drains.as_ref().map(|drains| &drains[unit]);
            let own = join_buffer(m, context, (buffer, unit as i64), (fill, own, drain), text.clone());
            // They are alike.
            modules.extend(own.into_iter().filter(|_| unit == 0));
        }
    }
    modules
}

fn signal_of(wires: &[(ArrayId, Signal)], array: ArrayId) -> Option<&Signal> {
    wires.iter().find(|(own, _)| *own == array).map(|(_, signal)| signal)
}

/// The buffer of one unit.
fn join_buffer(
    m: &mut Module,
    context: &Context,
    (buffer, unit): (&Buffer, i64),
    (fill, computed, drain): (Option<(&Fill, &Signal)>, &Computed, Option<&Drain>),
    text: String,
) -> Vec<Module> {
    let array = buffer.array;
    let users = Users {
        fill: fill.map(|(fill, _)| fill),
        write: computed.writes.iter().find(|write| write.array == array),
        reads: computed.reads.iter().filter(|read| read.array == array).collect(),
        drain,
    };
    let fill = fill.map(|(fill, wants)| match &fill.asks {
        Some(asks) if computed.keeps_gaps.contains(&array) => asks,
        _ => wants,
    });
    let drain = drain.map(|drain| drain.asks.as_ref().unwrap_or(&drain.valid));
    for (lent, borrows) in
        [(signal_of(&computed.lent_writes, array), fill), (signal_of(&computed.lent_reads, array), drain)]
    {
        lent.zip(borrows).into_iter().for_each(|(lent, borrows)| m.assign(lent, &borrows.e()));
    }
    memories(m, context, (buffer, unit), &users, text)
}

/// Puts into groups what people look at in a waveform of the processes, their tokens and the memory port.
fn show_processes(m: &mut Module, context: &Context, run: [&Signal; 2], wires: &Wires) {
    let clock = m.port("clk").cloned();
    m.show("Run", clock.iter().chain(run));
    for own in &wires.loading {
        let group = format!("Load{}", of_port(context, own.port));
        m.show(&group, [&own.busy].into_iter().chain(own.tile.shown()).chain(own.commands.shown()));
    }
    m.show("Compute", [&wires.compute_busy, &wires.compute_stall].into_iter().chain(wires.loaded.shown()));
    for own in &wires.storing {
        let group = format!("Store{}", of_port(context, own.port));
        m.show(&group, [&own.busy].into_iter().chain(own.tile.shown()).chain(own.commands.shown()));
    }
    let tokens = wires.token_loaded.iter().chain([&wires.token_computed, &wires.token_stored]);
    m.show("Tokens", tokens.chain(&wires.token_in_memory).chain([&wires.finished]));
    for (number, memory) in context.ports.iter().zip(&wires.memory) {
        m.show(&format!("Memory{}", of_port(context, *number)), memory.shown());
    }
}

/// The same of the buffers, a group for each of each unit.
fn show_buffers(m: &mut Module, context: &Context, fills: &[Fill], computed: &[Computed], drains: &[Drain]) {
    for buffer in &context.offload.buffers {
        let mine = |array: ArrayId| array == buffer.array;
        for (unit, own) in computed.iter().enumerate() {
            let of_unit = if computed.len() > 1 { format!(" of unit {unit}") } else { String::new() };
            let group = format!("Buffer {}{of_unit}", context.array(buffer.array).name);
            for fill in fills.iter().filter(|fill| mine(fill.array)) {
                m.show(&group, [&fill.stream.valid, &fill.stream.ready, &fill.address, &fill.data]);
            }
            for read in own.reads.iter().filter(|read| mine(read.array)) {
                m.show(&group, [&read.address, &read.data]);
            }
            for write in own.writes.iter().filter(|write| mine(write.array)) {
                m.show(&group, [&write.valid, &write.address, &write.data]);
            }
            for drain in drains.iter().filter(|drain| mine(drain.array)) {
                m.show(&group, [&drain.valid, &drain.address, &drain.data]);
            }
        }
    }
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
