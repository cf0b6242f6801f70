//! The load process: walks Load(T) of every tile, one burst per row, and fills the buffers as the words come back.

use crate::hardware::buffers::address::{self, StripQueue, TileNumber, buffer_of};
use crate::hardware::buffers::beat::Beat;
use crate::hardware::circuit::cells;
use crate::hardware::circuit::stream::{Stream, fork};
use crate::hardware::context::Context;
use crate::hardware::interface::link::port_suffix;
use crate::hardware::transfer::packing::{Packing, unpacker};
use crate::hardware::transfer::runs::{RunFormat, RunWalker};
use crate::hardware::transfer::stage::{TransferStage, of_port};
use crate::hardware::walk::connect::{connect_scanner, walked};
use crate::hardware::walk::hand_over::hand_over;
use crate::hardware::walk::rows::RowPorts;
use crate::hardware::walk::rows::{Row, RowFormat};
use crate::hardware::walk::scanner::load_scanner;
use crate::hardware::walk::source::Transfers;
use crate::ids::{ArrayId, ByKind, KindId};
use crate::offload::{Offload, Wait};
use crate::rtl::{Expr, Module, Signal, Type, assign, when, when_else};

/// What the accelerator must connect.
pub struct LoadPorts {
    /// Arrays that are loaded: each has `m_fill_<array>_valid`, `_ready` and `_address`.
    pub arrays: Vec<ArrayId>,
    /// Type of `m_fill_data`: the widest beat.
    pub data: Type,
    /// Type of `m_fill_elements`, where beats have several.
    pub elements: Option<Type>,
    /// Those of the arrays that are written by iterations: each has `m_asks_<array>`, high in as many cycles as the
    /// row under way takes of its buffer's write port.
    pub asking: Vec<ArrayId>,
    /// Those of which lines fill the buffer: each has `s_filled_<array>`, high while no word of it waits, and `m_flush` tells at the
    /// end of a tile that no more come.
    pub in_lines: Vec<ArrayId>,
}

/// Rows that may wait for their data: bursts on the way.
const ROWS_IN_FLIGHT: i128 = 8;
/// The same behind a bus, whose latency is longer.
const ROWS_IN_FLIGHT_ON_A_BUS: i128 = 32;
/// Tiles of which the stores may still be on a bus.
pub const TILES_ON_A_BUS: i64 = 7;

/// The modules of the load process of a port: the scanner of its rows, and the process. With several ports, the first one hands
/// tiles on to the compute process.
pub fn load(context: &Context, memory_port: u32) -> (Vec<Module>, LoadPorts) {
    let offload = context.offload;
    let kernel = context.kernel;
    let Transfers { sources, source_arrays, arrays } = Transfers::of(context, memory_port, |t| &t.load);
    if arrays.is_empty() {
        return load_nothing(context, memory_port);
    }
    let names: Vec<&str> = arrays.iter().map(|&a| context.array(a).name.as_str()).collect();
    let suffix = port_suffix(memory_port);
    let scanner_name = format!("{}_load{suffix}_rows", kernel.name);
    let about = format!("Walks the rows of Load(T).\n{}", walked(offload, "Load", &names));
    let (mut modules, format) = load_scanner(context, &scanner_name, &about, &sources);

    let mut m = Module::new(&format!("{}_load{suffix}", kernel.name));
    m.describe(&format!(
        "Load process of {}{}: reads {} from memory into their buffers, one burst per row of Load(T).\n\
         Tile T {} when Compute(T-2) and Store(T-3) are done.",
        kernel.name,
        of_port(context, memory_port),
        names.join(", "),
        if context.bus.is_some() { "enters the buffers, its bursts asked for before," } else { "starts" }
    ));
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    let scope = context.parameter_inputs(&mut m);

    let hands_on = context.loading().first() == Some(&memory_port);
    let mut gate = gate(context, &mut m, true, hands_on);
    let number = TileNumber::declare(&mut m, offload, gate.strips.take());
    let Gate { data: tile_data, scan: scan_tile, wait: wait_tile, loaded, .. } = &gate;
    let kind_arrays: ByKind<ArrayId> = format.kinds.iter().map(|k| source_arrays[k.source]).collect();
    let rows = Stream::wires(&mut m, "row");
    let row_wires = RowPorts::declare(&mut m, &format, "row_", false);
    connect_scanner(context, &mut m, &modules[modules.len() - 1], (scan_tile, Some(tile_data)), &rows, &row_wires);
    let row = row_wires.row(&format);
    let held = number.held(gate.held(offload, &format, &kind_arrays, &row));
    let held = held.map(|held| m.define("row_held", &held).e());

    let queued = Stream::wires(&mut m, "descriptor");
    let stage = TransferStage { context, scope, format, kind_arrays, rows, row, held, tile: number };
    let layout = stage.bursts(&mut m, &queued);
    let rows_in_flight = if context.bus.is_some() { ROWS_IN_FLIGHT_ON_A_BUS } else { ROWS_IN_FLIGHT };
    let about = "Rows wait here for their words.";
    let (runs, waiting, waiting_run) = stage.waiting_runs(&mut m, about, (&queued, rows_in_flight), &arrays);

    m.comment("Words from memory fill the buffers.");
    let (element, element_data) = unpacked(context, &mut m, &layout);
    let fill = Fill::declare(context, &mut m, &runs, &arrays);
    let Fill { walker, filling, .. } = &fill;
    let room = m.wire("fill_room", Type::BIT);
    m.assign(&room, &filling.e().not().or(&fill.is_accepted()));
    let may_fill = gate.may_fill.as_ref().map_or(Expr::bit(true), |may| may.e());
    m.assign(&element.ready, &Expr::all(&[walker.has_element(), room.e(), may_fill.clone()]));
    let step = element.fires();
    let tile_done = Stream::wires(&mut m, "tile_done");
    let mut is_done = vec![walker.has_end(), filling.e().not(), may_fill];
    let in_lines: Vec<ArrayId> =
        arrays.iter().copied().filter(|array| Beat::filled_line(context, *array).is_some()).collect();
    if !in_lines.is_empty() {
        let flush = m.output("m_flush", Type::BIT);
        m.assign(&flush, &walker.has_end().and(&filling.e().not()));
        let filled = |array: &ArrayId| m.input(&format!("s_filled_{}", context.array(*array).name), Type::BIT).e();
        is_done.extend(in_lines.iter().map(filled).collect::<Vec<_>>());
    }
    m.assign(&tile_done.valid, &Expr::all(&is_done));
    gate.count_filled(&mut m, &tile_done.fires());
    walker.connect(&mut m, &waiting, &waiting_run, &step, &tile_done.fires());

    let asks_itself = |array: &ArrayId| kernel.is_written(*array) && !in_lines.contains(array);
    let asking: Vec<ArrayId> = arrays.iter().copied().filter(asks_itself).collect();
    if !asking.is_empty() {
        let mut taken = vec![];
        for (index, &array) in arrays.iter().enumerate().filter(|(_, array)| asking.contains(array)) {
            let port = m.input(&format!("s_takes_{}", context.array(array).name), Type::BIT);
            taken.push(fill.is_for(index).and(&port.e()));
        }
        let asks = asks(&mut m, walker, filling, (&waiting, &element), &Expr::any(&taken));
        for (index, &array) in arrays.iter().enumerate().filter(|(_, array)| asking.contains(array)) {
            let port = m.output(&format!("m_asks_{}", context.array(array).name), Type::BIT);
            m.assign(&port, &filling.e().and(&asks).and(&fill.is_for(index)));
        }
    }
    fill.connect(&mut m, &room.e(), &step, &element_data);

    if context.bus.is_some() {
        if let Some((loaded, loaded_data)) = loaded {
            m.comment("Tiles are handed on at once; a pulse tells when one has been loaded.");
            let data = cells::fifo(&mut m, "u_tiles", 4, (wait_tile, &tile_data.e()), loaded, "passed_tile");
            m.assign(loaded_data, &data.e());
        } else {
            m.comment("Another port's process hands tiles on; a pulse tells when one has been loaded.");
            m.assign(&wait_tile.ready, &Expr::bit(true));
        }
        m.assign(&tile_done.ready, &Expr::bit(true));
        let pulse = m.output("m_loaded", Type::BIT);
        m.assign(&pulse, &tile_done.valid.e());
    } else if let Some((loaded, loaded_data)) = loaded {
        m.comment("A tile is handed over when its end mark has come through.");
        hand_over(&mut m, context, (wait_tile, tile_data), &tile_done, (loaded, loaded_data));
    }
    let busy = m.output("busy", Type::BIT);
    let at_work = stage.held.iter().fold(stage.rows.valid.e(), |valid, held| valid.and(&held.not()));
    m.assign(&busy, &walker.has_element().or(&at_work));
    let (data, elements) = (fill.data.ty(), fill.elements.as_ref().map(|e| e.ty()));
    modules.push(m);
    (modules, LoadPorts { arrays, data, elements, asking, in_lines })
}

/// The words from memory as what the buffers take: words, elements or beats.
fn unpacked(context: &Context, m: &mut Module, layout: &Packing) -> (Stream, Expr) {
    let word = Stream::slave(m, "read");
    let word_data = m.input("s_read_data", context.port.word.data());
    match layout {
        Packing::Words => (word, word_data.e()),
        Packing::Elements(layout) => {
            let element = Stream::wires(m, "element");
            let data = unpacker(m, layout, (&word, &word_data.e()), &element);
            (element, data)
        }
        Packing::Beats(layout) => {
            let beat = Stream::wires(m, "beat");
            let data = layout.unpacker(m, (&word, &word_data.e()), &beat);
            (beat, data)
        }
    }
}

/// The writes of the buffers: the run under way, one register for all arrays, and their ports.
struct Fill<'m> {
    walker: RunWalker<'m>,
    /// The register holds a write.
    filling: Signal,
    data: Signal,
    elements: Option<Signal>,
    ports: Vec<FillPort>,
    /// Whose the write is, where there are several arrays.
    target: Option<Signal>,
}

/// `m_fill_<array>_valid`, `_ready` and `_address`.
struct FillPort {
    valid: Signal,
    ready: Signal,
    address: Signal,
}

impl<'m> Fill<'m> {
    fn declare(context: &Context, m: &mut Module, runs: &'m RunFormat, arrays: &[ArrayId]) -> Fill<'m> {
        let walker = RunWalker::declare(m, runs, "fill");
        let filling = m.reg("filling", Type::BIT);
        let data = m.output_reg("m_fill_data", Beat::widest(context, arrays));
        let elements = runs.elements_type().map(|ty| m.output_reg("m_fill_elements", ty));
        let mut ports = vec![];
        for &array in arrays {
            let name = &context.array(array).name;
            let buffer = buffer_of(context.offload, array);
            let valid = m.output(&format!("m_fill_{name}_valid"), Type::BIT);
            let ready = m.input(&format!("m_fill_{name}_ready"), Type::BIT);
            let address = m.output_reg(&format!("m_fill_{name}_address"), address::address_type(buffer));
            ports.push(FillPort { valid, ready, address });
        }
        let target = (arrays.len() > 1).then(|| m.reg("fill_target", Type::for_range(0, arrays.len() as i64 - 1)));
        Fill { walker, filling, data, elements, ports, target }
    }

    /// Whether the write is the port's with this number.
    fn is_for(&self, index: usize) -> Expr {
        match &self.target {
            None => Expr::bit(true),
            Some(target) => target.e().eq(&Expr::constant(index as i128, target.ty())),
        }
    }

    /// Whether the buffer takes the write.
    fn is_accepted(&self) -> Expr {
        let accepted = self.ports.iter().enumerate().map(|(index, port)| self.is_for(index).and(&port.ready.e()));
        accepted.reduce(|a, b| a.or(&b)).unwrap_or_else(|| Expr::bit(true))
    }

    /// Takes the next element with `step` where there is `room`.
    fn connect(&self, m: &mut Module, room: &Expr, step: &Expr, element: &Expr) {
        let walker = &self.walker;
        let mut write = vec![assign(&self.data, &element.resize(self.data.ty()))];
        for (index, port) in self.ports.iter().enumerate() {
            m.assign(&port.valid, &self.filling.e().and(&self.is_for(index)));
            write.push(assign(&port.address, &walker.address().resize(port.address.ty())));
        }
        write.extend(self.elements.iter().zip(walker.own()).map(|(register, own)| assign(register, &own)));
        write.extend(self.target.iter().zip(walker.target()).map(|(register, target)| assign(register, &target)));
        m.clocked(
            "",
            vec![(self.filling.clone(), 0)],
            vec![when(room.clone(), vec![assign(&self.filling, step)]), when(step.clone(), write)],
        );
    }
}

/// Whether the beat that fills asks for a cycle in which no iteration begins that would write: such a gap arrives at the
/// buffer when the iterations before it have written. A row asks for as many as it has beats, while the first of them
/// waits; it asks again for what is left where beats come late and gaps have gone by, and goes on where the beat of the
/// next row waits already. A cycle that is `taken` by an iteration is none of them.
fn asks(
    m: &mut Module,
    walker: &RunWalker,
    filling: &Signal,
    (runs, element): (&Stream, &Stream),
    taken: &Expr,
) -> Expr {
    m.comment("A row asks for its cycles of the write port; the pipeline leaves gaps for them.");
    let begins = m.reg("fill_begins", Type::BIT);
    let asks = m.reg("fill_asks", Type::BIT);
    let left = walker.left();
    let more = m.reg("fill_asks_more", left.ty());
    let step = element.fires();
    let set = |register: &Signal, value: bool| assign(register, &Expr::bit(value));
    let is_first =
        when_else(runs.fires(), vec![set(&begins, true)], vec![when(step.clone(), vec![set(&begins, false)])]);
    let late = walker.has_element().and(&begins.e().not()).and(&filling.e().not()).and(&step.not());
    let behind = walker.has_element().and(&begins.e()).and(&element.valid.e());
    let is_over = more.e().is_zero();
    let fewer = when(is_over.not(), vec![assign(&more, &more.e().decremented())]);
    let is_given = filling.e().and(&asks.e().and(taken).not());
    let count = vec![when(is_given, vec![assign(&asks, &is_over.not().or(&behind)), fewer])];
    let again = step.and(&begins.e()).or(&late);
    let ask = when_else(again, vec![set(&asks, true), assign(&more, &left)], count);
    m.clocked("", vec![], vec![is_first, ask]);
    asks.e()
}

/// The tile streams of the load process and the credits that let a tile start.
struct Gate {
    data: Signal,
    /// The tile, once for the scanner and once to wait for its end mark.
    scan: Stream,
    wait: Stream,
    /// To the compute process, from the one that hands tiles on.
    loaded: Option<(Stream, Signal)>,
    computed: Signal,
    stored: Signal,
    /// Tiles taken that are not computed, that are not stored, and of which the stores may not be in memory.
    ahead_of_compute: Signal,
    ahead_of_store: Signal,
    ahead_of_memory: Signal,
    /// Tiles taken of the strip under way; the highest value, the most that can be ahead, stands for more.
    of_strip: Signal,
    /// On a bus: the buffers have room for the tile that fills them, and the tiles filled that are not computed, and not
    /// stored. Else a tile is only taken when they have.
    may_fill: Option<Signal>,
    filled: Option<(Signal, Signal)>,
    /// The same of the strip before and of that one together, where a load waits for the strips before both.
    of_two_strips: Option<Signal>,
    /// The strips of the tiles, where they have slots.
    strips: Option<StripQueue>,
}

/// Credits count how far the load process is ahead of the others. On a bus, the bursts of a tile are asked for as soon as
/// memory has what they are to read, and only `fills`, the way of their words into the buffers, waits for the others.
fn gate(context: &Context, m: &mut Module, fills: bool, hands_on: bool) -> Gate {
    let offload = context.offload;
    m.comment("Tiles in from the tile scanner, and on to the compute process once they are loaded.");
    let tile = Stream::slave(m, "tile");
    let data = m.input("s_tile_data", Type::unsigned(context.tile_width()));
    let tile_first = m.input("s_tile_first", Type::BIT);
    let loaded = hands_on.then(|| {
        let stream = Stream::master(m, "tile");
        (stream, m.output("m_tile_data", Type::unsigned(context.tile_width())))
    });
    let computed = m.input("s_computed", Type::BIT);
    let stored = m.input("s_stored", Type::BIT);
    let in_memory = context.bus.map(|_| m.input("s_in_memory", Type::BIT));

    let most = if in_memory.is_some() { TILES_ON_A_BUS } else { 3 };
    let counter = Type::for_range(0, most);
    let ahead_of_compute = m.reg("tiles_ahead_of_compute", counter);
    let ahead_of_store = m.reg("tiles_ahead_of_store", counter);
    // One queue of commands keeps loads behind the stores that are stored.
    let ahead_of_memory = match in_memory {
        None => ahead_of_store.clone(),
        Some(_) => m.reg("tiles_ahead_of_memory", counter),
    };
    let of_strip = m.reg("tiles_of_strip", counter);
    let may_start = m.wire("may_start", Type::BIT);
    let number = |n: i128| Expr::constant(n, counter);
    let filled = (in_memory.is_some() && fills).then(|| {
        let counter = Type::unsigned(2);
        (m.reg("filled_ahead_of_compute", counter), m.reg("filled_ahead_of_store", counter))
    });
    // A pulse counts in its own cycle.
    let fits = |ahead: &Signal, tiles: i128, returned: &Signal| {
        ahead.e().lt(&Expr::constant(tiles, ahead.ty())).or(&returned.e())
    };
    let may_fill = filled
        .as_ref()
        .map(|(compute, store)| m.define("may_fill", &fits(compute, 2, &computed).and(&fits(store, 3, &stored))));
    let mut near = match &may_fill {
        None => ahead_of_compute.e().lt(&number(2)).and(&ahead_of_store.e().lt(&number(3))),
        Some(_) => Expr::bit(true),
    };
    if in_memory.is_some() {
        near = near.and(&ahead_of_memory.e().lt(&number(most as i128)));
    }
    // Strips of different bands do not overlap; and a strip that loads nothing has nothing but this to wait at.
    let loads_nothing = offload.bands.iter().flat_map(|b| &b.transfers).all(|t| t.load.pieces.is_empty());
    let drains = match &offload.bands.raw[..] {
        [only] => Expr::bit(loads_nothing && only.compute_waits),
        _ if loads_nothing => Expr::bit(true),
        _ => {
            // The band is the first field of a tile.
            let ty = context.band.as_ref().map_or(Type::BIT, |band| band.ty());
            let top = context.tile_width();
            let band = data.e().slice(top - 1, top - ty.width).resize(ty);
            let last_band = m.reg("last_band", ty);
            m.clocked("", vec![], vec![when(tile.fires(), vec![assign(&last_band, &band)])]);
            band.eq(&last_band.e()).not()
        }
    };
    let drained = ahead_of_memory.e().is_zero();
    m.assign(&may_start, &near.and(&tile_first.e().and(&drains).not().or(&drained)));

    let scan = Stream::wires(m, "scan_tile");
    let wait = Stream::wires(m, "wait_tile");
    let strips = if fills { StripQueue::declare(context, m, &data, "") } else { None };
    let mut takers = vec![&scan, &wait];
    takers.extend(strips.as_ref().map(|strips| &strips.taken));
    fork(m, &tile, &may_start.e(), &takers);
    cells::up_down(m, &ahead_of_compute, &tile.fires(), &computed.e());
    cells::up_down(m, &ahead_of_store, &tile.fires(), &stored.e());
    if let Some(in_memory) = &in_memory {
        cells::up_down(m, &ahead_of_memory, &tile.fires(), &in_memory.e());
    }
    let top = number(most as i128);
    let more = of_strip.e().eq(&top).select(&top, &of_strip.e().add(&number(1), counter));
    let mut transfers = offload.bands.iter().flat_map(|band| &band.transfers);
    let of_two_strips =
        transfers.any(|own| own.wait == Wait::StoredBefore).then(|| m.reg("tiles_of_two_strips", counter));
    let (mut first, mut other) = (vec![assign(&of_strip, &number(1))], vec![assign(&of_strip, &more)]);
    let mut resets = vec![(of_strip.clone(), 0)];
    if let Some(of_two) = &of_two_strips {
        let one_more = |signal: &Signal| signal.e().eq(&top).select(&top, &signal.e().add(&number(1), counter));
        first.push(assign(of_two, &one_more(&of_strip)));
        other.push(assign(of_two, &one_more(of_two)));
        resets.push((of_two.clone(), 0));
    }
    let count = when_else(tile_first.e(), first, other);
    m.clocked("", resets, vec![when(tile.fires(), vec![count])]);
    Gate {
        data,
        scan,
        wait,
        loaded,
        computed,
        stored,
        ahead_of_compute,
        ahead_of_store,
        ahead_of_memory,
        of_strip,
        may_fill,
        filled,
        of_two_strips,
        strips,
    }
}

impl Gate {
    /// Counts the tiles that have filled the buffers; `filled` is the end of one.
    fn count_filled(&self, m: &mut Module, filled: &Expr) {
        if let Some((compute, store)) = &self.filled {
            cells::up_down(m, compute, filled, &self.computed.e());
            cells::up_down(m, store, filled, &self.stored.e());
        }
    }

    /// What holds back a row of the tile under way: loads that wait for the strips before, and the end mark of a tile
    /// whose computation does. `None` where nothing waits.
    fn held(&self, offload: &Offload, format: &RowFormat, arrays: &ByKind<ArrayId>, row: &Row) -> Option<Expr> {
        let bands = &offload.bands;
        let waits = |k: KindId| {
            let transfers = &bands[format.kinds[k].band].transfers;
            transfers.iter().find(|t| t.array == arrays[k]).map_or(Wait::Nothing, |t| t.wait)
        };
        let kinds = |wait: Wait| -> Vec<Expr> {
            let own = arrays.keys().filter(|&k| waits(k) == wait);
            own.map(|k| row.kind.eq(&format.number(k))).collect()
        };
        let all = |wait: Wait| arrays.keys().all(|k| waits(k) == wait);
        // More tiles are ahead than the strip has had: some are of the strips before.
        let behind = |ahead: &Signal| self.of_strip.e().lt(&ahead.e());
        let mut held = vec![];
        if let Some(of_two) = &self.of_two_strips {
            let own = Expr::any(&kinds(Wait::StoredBefore));
            held.push(row.end.not().and(&own).and(&of_two.e().lt(&self.ahead_of_memory.e())));
        }
        for (wait, ahead) in [(Wait::Computed, &self.ahead_of_compute), (Wait::Stored, &self.ahead_of_memory)] {
            let of_kind = if all(wait) { Expr::bit(true) } else { Expr::any(&kinds(wait)) };
            if all(wait) || arrays.keys().any(|k| waits(k) == wait) {
                held.push(row.end.not().and(&of_kind).and(&behind(ahead)));
            }
        }
        // If any band computes only when the strip before is stored, all bands wait so: strips of different bands never
        // overlap anyway, so the others lose nothing.
        if bands.iter().any(|b| b.compute_waits) {
            held.push(row.end.and(&behind(&self.ahead_of_store)));
        }
        (!held.is_empty()).then(|| Expr::any(&held))
    }
}

/// The load process of a kernel that reads nothing from memory: tiles pass, under the same credits.
fn load_nothing(context: &Context, memory_port: u32) -> (Vec<Module>, LoadPorts) {
    let name = &context.kernel.name;
    let mut m = Module::new(&format!("{name}_load{}", port_suffix(memory_port)));
    m.describe(&format!("Load process of {name}, which loads nothing: tiles only pass."));
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    context.parameter_inputs(&mut m);
    let gate = gate(context, &mut m, false, true);
    m.assign(&gate.scan.ready, &Expr::bit(true));
    let data = gate.data.e();
    if let Some((loaded, loaded_data)) = &gate.loaded {
        let passed = cells::fifo(&mut m, "u_tiles", 4, (&gate.wait, &data), loaded, "passed_tile");
        m.assign(loaded_data, &passed.e());
    }
    if context.bus.is_some() {
        let pulse = m.output("m_loaded", Type::BIT);
        m.assign(&pulse, &gate.wait.fires());
    }
    let command = Stream::master(&mut m, "cmd");
    m.assign(&command.valid, &Expr::bit(false));
    let port = context.port;
    for (name, width) in
        [("m_cmd_address", port.address), ("m_cmd_length", port.length), ("m_cmd_last", 1), ("busy", 1)]
    {
        let output = m.output(name, Type::unsigned(width));
        m.assign(&output, &Expr::constant(0, Type::unsigned(width)));
    }
    let word = Stream::slave(&mut m, "read");
    m.input("s_read_data", context.port.word.data());
    m.assign(&word.ready, &Expr::bit(true));
    let fill_data = m.output("m_fill_data", context.port.word.data());
    m.assign(&fill_data, &Expr::constant(0, fill_data.ty()));
    (vec![m], LoadPorts { arrays: vec![], data: fill_data.ty(), elements: None, asking: vec![], in_lines: vec![] })
}
