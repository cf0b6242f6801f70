//! The store process: walks Store(T) of every tile, one burst per row, and drains the buffers into it.

use crate::hardware::buffers::address::{self, StripQueue, TileNumber, buffer_of};
use crate::hardware::buffers::banks::Drained;
use crate::hardware::buffers::beat::Beat;
use crate::hardware::circuit::cells;
use crate::hardware::circuit::stream::{Stream, fork};
use crate::hardware::context::Context;
use crate::hardware::interface::link::port_suffix;
use crate::hardware::transfer::packing::{Packing, packer};
use crate::hardware::transfer::runs::{Run, RunFormat, RunWalker};
use crate::hardware::transfer::stage::{TransferStage, of_port};
use crate::hardware::walk::connect::{connect_scanner, walked};
use crate::hardware::walk::rows::RowPorts;
use crate::hardware::walk::scanner::scanner;
use crate::hardware::walk::source::Transfers;
use crate::ids::{ArrayId, ByKind};
use crate::rtl::{Expr, Module, Signal, Type, assign, when, when_else};

/// What the accelerator must connect.
pub struct StorePorts {
    /// Arrays that are stored: each has `m_drain_<array>_valid`, `_address` and, one cycle later, or two, `s_drain_<array>_data`.
    pub arrays: Vec<ArrayId>,
    /// Those of them whose port the compute process reads late: `m_drain_<array>_asks` goes ahead of `_valid` by as much.
    pub asking: Vec<ArrayId>,
}

/// Rows whose commands may be ahead of their data.
const ROWS_AHEAD: i128 = 4;
/// Words between a buffer's read port and memory; covers the latency of that way.
const WORDS_WAITING: i128 = 8;

/// The modules of the store process of a port: the scanner of its rows, and the process. `delay` tells how many cycles behind
/// its start an iteration uses the port that the process borrows for an array.
pub fn store(context: &Context, memory_port: u32, delay: &dyn Fn(ArrayId) -> u32) -> (Vec<Module>, StorePorts) {
    let offload = context.offload;
    let kernel = context.kernel;
    let Transfers { sources, source_arrays, arrays } = Transfers::of(context, memory_port, |t| &t.store);
    let suffix = port_suffix(memory_port);
    let names: Vec<&str> = arrays.iter().map(|&a| context.array(a).name.as_str()).collect();
    let about = format!("Walks the rows of Store(T).\n{}", walked(offload, "Store", &names));
    let (rows_module, format) =
        scanner(context, &format!("{}_store{suffix}_rows", kernel.name), &about, true, &sources);

    let mut m = Module::new(&format!("{}_store{suffix}", kernel.name));
    m.describe(&format!(
        "Store process of {}{}: writes {} from the buffers to memory, one burst per row of Store(T).",
        kernel.name,
        of_port(context, memory_port),
        names.join(", ")
    ));
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    let scope = context.parameter_inputs(&mut m);

    m.comment("Tiles in from the compute process.");
    let tile = Stream::slave(&mut m, "tile");
    let tile_data = m.input("s_tile_data", Type::unsigned(context.tile_width()));
    let rows = Stream::wires(&mut m, "row");
    let row_wires = RowPorts::declare(&mut m, &format, "row_", false);
    let strips = StripQueue::declare(context, &mut m, &tile_data, "");
    let scan = match &strips {
        None => tile.clone(),
        Some(StripQueue { taken, .. }) => {
            let scan = Stream::wires(&mut m, "scan_tile");
            fork(&mut m, &tile, &Expr::bit(true), &[&scan, taken]);
            scan
        }
    };
    connect_scanner(context, &mut m, &rows_module, (&scan, Some(&tile_data)), &rows, &row_wires);
    let row = row_wires.row(&format);
    let number = TileNumber::declare(&mut m, offload, strips);

    // On a bus, tiles come before they are computed: their rows are found meanwhile, and wait here.
    let held = context.bus.map(|_| {
        let computed = m.input("s_computed", Type::BIT);
        let tiles = m.reg("tiles_computed", Type::unsigned(2));
        cells::up_down(&mut m, &tiles, &computed.e(), &rows.fires().and(&row.end));
        tiles.e().is_zero()
    });
    let held = number.held(held);

    let queued = Stream::wires(&mut m, "descriptor");
    let kind_arrays: ByKind<ArrayId> = format.kinds.iter().map(|k| source_arrays[k.source]).collect();
    let stage = TransferStage { context, scope, format, kind_arrays, rows, row, held, tile: number };
    let layout = stage.bursts(&mut m, &queued);
    let about = "Rows wait here for their turn to be drained.";
    let (runs, waiting, waiting_run) = stage.waiting_runs(&mut m, about, (&queued, ROWS_AHEAD), &arrays);

    let drain = Drain::declare(context, &mut m, &runs, (&arrays, delay), (&waiting, &waiting_run));
    drain.to_memory(context, &mut m, &layout);

    m.comment("The end mark of the last tile: everything has been stored or is on its way.");
    let finished = m.output("m_finished", Type::BIT);
    let last_tile = m.reg("last_tile", Type::BIT);
    m.clocked(
        "",
        vec![(last_tile.clone(), 0)],
        vec![when(tile.fires(), vec![assign(&last_tile, &tile_data.e().index(0))])],
    );
    // The scanner may have taken the last tile while an earlier one is still being drained.
    let inside = m.reg("tiles_inside", Type::unsigned(2));
    cells::up_down_as_given(&mut m, &inside, &tile.fires(), &drain.end.e());
    let only = inside.e().eq(&Expr::constant(1, inside.ty()));
    m.assign(&finished, &drain.end.e().and(&last_tile.e()).and(&only));
    let busy = m.output("busy", Type::BIT);
    m.assign(&busy, &drain.walker.has_element().or(&drain.reading));
    let asking = arrays.iter().copied().filter(|array| delay(*array) > 0).collect();
    (vec![rows_module, m], StorePorts { arrays, asking })
}

/// Reads on their way to ports that iterations use late: as late as the latest of them.
struct Ahead {
    /// The first one first.
    stages: Vec<Stage>,
    /// What comes to the port next.
    reading: Expr,
    address: Expr,
    source: Option<Expr>,
    /// See [`RunWalker::opens`].
    opens: Option<Expr>,
}

struct Stage {
    reading: Signal,
    source: Option<Signal>,
    opens: Option<Signal>,
    /// An end mark.
    end: Signal,
}

impl Ahead {
    /// `stages` stages behind the walker, which gives a read with `step`.
    fn declare(m: &mut Module, walker: &RunWalker, step: &Signal, stages: u32) -> Ahead {
        let mut ahead = Ahead {
            stages: vec![],
            reading: step.e(),
            address: walker.address(),
            source: walker.target(),
            opens: walker.opens(),
        };
        let (mut resets, mut follow) = (vec![], vec![]);
        let mut end = walker.has_end();
        for stage in 0..stages {
            let mut next = |m: &mut Module, what: &str, value: &Expr| {
                let register = m.reg(&format!("{what}_ahead_{stage}"), value.ty());
                follow.push(assign(&register, value));
                register
            };
            let reading = next(m, "reading", &ahead.reading);
            let address = next(m, "address", &ahead.address);
            let source = ahead.source.as_ref().map(|source| next(m, "source", source));
            let opens = ahead.opens.as_ref().map(|opens| next(m, "opens", opens));
            let ends = next(m, "end", &end);
            end = ends.e();
            resets.extend([(reading.clone(), 0), (ends.clone(), 0)]);
            (ahead.reading, ahead.address) = (reading.e(), address.e());
            ahead.source = source.as_ref().map(Signal::e);
            ahead.opens = opens.as_ref().map(Signal::e);
            ahead.stages.push(Stage { reading, source, opens, end: ends });
        }
        if !follow.is_empty() {
            m.clocked("", resets, follow);
        }
        ahead
    }
}

/// The reads of the buffers: the run under way, and its words on their way to memory.
struct Drain<'m> {
    walker: RunWalker<'m>,
    /// A read starts.
    step: Signal,
    /// Its address is at the buffer, or on the way there.
    reading: Expr,
    /// Its word is in `data`.
    held: Signal,
    data: Expr,
    /// Of `data` what the elements are; above them are the strobes of their bytes where some array is masked.
    elements: Type,
    /// Words for which the FIFO to memory has room, and how many that are at most.
    credit: Signal,
    room: i128,
    /// The last read of a tile has left its buffer.
    end: Signal,
}

impl<'m> Drain<'m> {
    fn declare(
        context: &Context,
        m: &mut Module,
        runs: &'m RunFormat,
        (arrays, delay): (&[ArrayId], &dyn Fn(ArrayId) -> u32),
        (waiting, waiting_run): (&Stream, &Run),
    ) -> Drain<'m> {
        m.comment("Reads of the buffers: address registered, data a cycle or two later and registered, then a FIFO that has room for them.");
        let walker = RunWalker::declare_drained(m, runs, "drain");
        // As late as the iterations that use the latest port.
        let most = arrays.iter().map(|array| delay(*array)).max().unwrap_or(0);
        let room = WORDS_WAITING + i128::from(most);
        let credit = m.reg("credit", Type::for_range(0, room as i64));
        let has_credit = credit.e().is_zero().not();
        let step = m.wire("drain_step", Type::BIT);
        m.assign(&step, &walker.has_element().and(&has_credit));
        let reading = m.reg("reading", Type::BIT);
        let arrived = m.reg("arrived", Type::BIT);
        let held = m.reg("word_held", Type::BIT);
        let source_type = Type::for_range(0, (arrays.len() as i64 - 1).max(1));
        let ahead = Ahead::declare(m, &walker, &step, most);
        let is_under_way = ahead.stages.iter().fold(reading.e(), |any, stage| any.or(&stage.reading.e()));
        // The end mark passes when the last read of the tile has left its buffer: it waits for that, or goes the way behind it.
        let end = m.output("m_stored", Type::BIT);
        match ahead.stages.last() {
            None => {
                m.assign(&end, &walker.has_end().and(&reading.e().not()));
                walker.connect(m, waiting, waiting_run, &step.e(), &end.e());
            }
            Some(last) => {
                let arriving = m.reg("end_arriving", Type::BIT);
                m.clocked("", vec![(arriving.clone(), 0)], vec![assign(&arriving, &last.end.e())]);
                m.assign(&end, &arriving.e());
                walker.connect(m, waiting, waiting_run, &step.e(), &walker.has_end());
            }
        }

        let read_source = (arrays.len() > 1).then(|| m.reg("read_source", source_type));
        let data_source = (arrays.len() > 1).then(|| m.reg("data_source", source_type));
        let opening = ahead.opens.as_ref().map(|_| m.reg("read_opens", Type::BIT));
        let mut read = vec![];
        let mut data: Option<Expr> = None;
        let widest = Beat::widest(context, arrays);
        let is_masked = arrays.iter().any(|array| context.array(*array).masked);
        let drained = |array: ArrayId| Drained::of(context, array);
        let is_late = |array: &ArrayId| drained(*array).is_late(buffer_of(context.offload, *array));
        let late = arrays.iter().any(is_late);
        let mut follow = vec![];
        for (index, &array) in arrays.iter().enumerate() {
            let name = &context.array(array).name;
            let valid = m.output(&format!("m_drain_{name}_valid"), Type::BIT);
            let address_type = address::address_type(buffer_of(context.offload, array));
            let address = m.output_reg(&format!("m_drain_{name}_address"), address_type);
            let word = m.input(&format!("s_drain_{name}_data"), Beat::type_of(context, array));
            let is = |register: &Option<Signal>| match register {
                None => Expr::bit(true),
                Some(r) => r.e().eq(&Expr::constant(index as i128, source_type)),
            };
            // Of a line only the first beat reads.
            let opens = |signal: &Option<Signal>| match (drained(array).line, signal) {
                (Some(_), Some(opens)) => opens.e(),
                _ => Expr::bit(true),
            };
            m.assign(&valid, &Expr::all(&[reading.e(), is(&read_source), opens(&opening)]));
            if delay(array) > 0 {
                let stage = &ahead.stages[(most - delay(array)) as usize];
                let asks = m.output(&format!("m_drain_{name}_asks"), Type::BIT);
                m.assign(&asks, &Expr::all(&[stage.reading.e(), is(&stage.source), opens(&stage.opens)]));
            }
            read.push(assign(&address, &ahead.address.resize(address.ty())));
            let mut word = word.e();
            if late && !is_late(&array) {
                let register = m.reg(&format!("drained_{name}"), word.ty());
                follow.push(assign(&register, &word));
                word = register.e();
            }
            let word = match is_masked {
                true => Beat::with_strobes(context, array, &word, widest),
                false => word.resize(widest),
            };
            data = Some(match data {
                None => word,
                Some(other) => is(&data_source).select(&word, &other),
            });
        }
        let data = data.expect("something is stored");
        // Of what comes in a cycle's time; a cycle later where some array's words take two.
        let mut resets = vec![];
        let mut in_time = |m: &mut Module, name: &str, value: Expr, reset: bool| {
            if !late {
                return value;
            }
            let register = m.reg(name, value.ty());
            follow.push(assign(&register, &value));
            resets.extend(reset.then(|| (register.clone(), 0)));
            register.e()
        };
        let asked = in_time(m, "asked", reading.e(), true);
        let source = read_source.as_ref().map(|source| in_time(m, "asked_source", source.e(), false));
        follow.extend([assign(&reading, &ahead.reading), assign(&arrived, &asked), assign(&held, &arrived.e())]);
        if let (Some(read_source), Some(data_source), Some(source)) = (&read_source, &data_source, &source) {
            read.extend(ahead.source.as_ref().map(|source| assign(read_source, source)));
            follow.push(assign(data_source, source));
        }
        read.extend(opening.iter().zip(&ahead.opens).map(|(register, opens)| assign(register, opens)));
        follow.push(when(ahead.reading, read));
        // Words come late in their cycle, out of block RAM.
        let word_reg = m.reg("word", data.ty());
        follow.push(assign(&word_reg, &data));
        let data = word_reg.e();
        resets.extend([(reading.clone(), 0), (arrived.clone(), 0), (held.clone(), 0)]);
        m.clocked("", resets, follow);
        Drain { walker, step, reading: is_under_way, held, data, elements: widest, credit, room, end }
    }

    /// The words in a FIFO, packed, and out to memory.
    fn to_memory(&self, context: &Context, m: &mut Module, layout: &Packing) {
        m.comment("Words to memory.");
        let collected = Stream::wires(m, "collected");
        m.assign(&collected.valid, &self.held.e());
        let outgoing = Stream::wires(m, "outgoing");
        let outgoing_data = cells::fifo(m, "u_words", self.room, (&collected, &self.data), &outgoing, "outgoing_data");
        let elements = outgoing_data.e().slice(self.elements.width - 1, 0);
        let top = outgoing_data.width() - 1;
        let strobes = (outgoing_data.ty() != self.elements).then(|| outgoing_data.e().slice(top, self.elements.width));
        let word = Stream::master(m, "write");
        let word_data = m.output("m_write_data", context.port.word.data());
        let strobe = m.output("m_write_strobe", context.port.word.strobe());
        match layout {
            Packing::Words => {
                m.assign(&word.valid, &outgoing.valid.e());
                m.assign(&outgoing.ready, &word.ready.e());
                m.assign(&word_data, &elements);
                m.assign(&strobe, &strobes.unwrap_or(context.port.word.all_bytes()));
            }
            Packing::Beats(layout) => {
                let (data, bytes) = layout.packer(m, (&outgoing, &elements, strobes.as_ref()), &word);
                m.assign(&word_data, &data.e());
                m.assign(&strobe, &bytes.e());
            }
            Packing::Elements(layout) => {
                let element = (&outgoing, &elements, strobes.as_ref());
                let (data, bytes) = packer(m, context.port.word, layout, element, &word);
                m.assign(&word_data, &data.e());
                m.assign(&strobe, &bytes.e());
            }
        }
        // A credit is taken when a read starts and comes back when its word leaves the FIFO.
        let taken = self.step.e();
        let returned = outgoing.fires();
        let fewer = assign(&self.credit, &self.credit.e().decremented());
        let more = assign(&self.credit, &self.credit.e().incremented());
        m.clocked(
            "",
            vec![(self.credit.clone(), self.room)],
            vec![when_else(
                taken.and(&returned.not()),
                vec![fewer],
                vec![when(returned.and(&taken.not()), vec![more])],
            )],
        );
        m.counts(&self.credit, false, false);
    }
}
