//! The compute process: walks the statement instances of a tile, one per cycle, reading and writing the buffers.

use crate::affine::Affine;
use crate::hardware::buffers::address::{self, TileNumber, buffer_of};
use crate::hardware::buffers::banks::{self, Fields, Rotation};
use crate::hardware::buffers::partition;
use crate::hardware::circuit::cells;
use crate::hardware::circuit::ranged::rtl_type;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::compute::instances::{InstanceKind, Instances};
use crate::hardware::compute::lanes::{self, Lanes};
use crate::hardware::compute::pace;
use crate::hardware::compute::reservation::{self, Chain, Pending, Start, Writer};
use crate::hardware::compute::windows::{Registers, WarmUp};
use crate::hardware::context::Context;
use crate::hardware::datapath::plan::Rehearsal;
use crate::hardware::datapath::{self, Datapath, Leaves, Value};
use crate::hardware::walk::connect::connect_scanner;
use crate::hardware::walk::hand_over::hand_over;
use crate::hardware::walk::rows::RowPorts;
use crate::hardware::walk::scanner::scanner;
use crate::hardware::walk::source::Source;
use crate::hardware::walk::walker::Walker;
use crate::offload::{Offload, port_references};
use crate::rtl::{Expr as Rtl, Module, Signal, Statement, Type, assign, when};
use crate::source::kernel::{Access, Expr, ScalarType, Statement as Assignment};

/// What the accelerator must connect.
pub struct ComputePorts {
    pub reads: Vec<ComputeRead>,
    /// The arrays with ports `m_write_<array>_valid`, `_address`, `_data`; where the buffer has banks, a group of words
    /// and `_words`, a bit for each that is written.
    pub writes: Vec<(usize, Option<Rotation>)>,
    /// Arrays whose write port the load process borrows: `s_fill_<array>` holds back iterations that write them.
    pub filled: Vec<usize>,
    /// Arrays whose first read port the store process borrows: `s_drain_<array>` holds back iterations that use it.
    pub drained: Vec<usize>,
}

/// Ports `m_read_<array>_<copy>_address` and, one cycle later, `s_read_<array>_<copy>_data`, a group of words where the
/// buffer has banks for lanes. Of a partitioned buffer, `m_read_<array>_<copy>_bank` as well.
pub struct ComputeRead {
    pub array: usize,
    pub copy: usize,
    pub rotation: Option<Rotation>,
    /// Whether there is `m_read_<array>_<copy>_used`: some iterations that read the partitioned buffer do not read here.
    pub optional: bool,
}

/// Rows that the scanner may be ahead of the pipeline.
const ROWS_AHEAD: i128 = 4;

/// The stage in which a buffer's word arrives: 1 holds the addresses, 2 the words.
const READ_STAGE: u32 = 2;

/// Who reads through a port: statements, each with the reference that it reads.
type Users<'a> = Vec<(usize, &'a Access)>;

/// A read port: one copy of the buffer of an array, used by some reference of some statements.
struct ReadPort<'a> {
    array: usize,
    copy: usize,
    users: Users<'a>,
    /// What the address register takes with the next instance.
    incoming: Rtl,
    data: Signal,
    rotation: Option<Rotation>,
}

impl ReadPort<'_> {
    fn statements(&self) -> Vec<usize> {
        self.users.iter().map(|(statement, _)| *statement).collect()
    }
}

/// The leaves of a statement inside a tile: words of the buffers, and indices.
struct BufferLeaves<'a> {
    statement: usize,
    ports: &'a [ReadPort<'a>],
    scalars: &'a [Rtl],
    /// The arrays that some statement writes.
    written: &'a [usize],
    instances: &'a Instances<'a>,
    lanes: &'a Lanes<'a>,
    lane: i64,
    windows: &'a [Registers<'a>],
    offload: &'a Offload,
    /// Loads of stage 1.
    candidate: &'a mut Vec<Statement>,
}

impl Leaves for BufferLeaves<'_> {
    fn read(&mut self, _: &mut Module, access: &Access) -> Value {
        let of = |(statement, a): &(usize, &Access)| {
            (*statement, a.array, &a.subscripts) == (self.statement, access.array, &access.subscripts)
        };
        if let Some(word) = self.windows.iter().find_map(|window| window.word(access)) {
            return Value { expr: word, stage: Some(READ_STAGE) };
        }
        let port = self.ports.iter().find(|p| p.users.iter().any(of)).expect("a port or a window serves a reference");
        let mut expr = port.data.e();
        if port.rotation.is_some() {
            let lanes = self.lanes.of(self.statement);
            let gain = lanes.gain_in_banks(access, buffer_of(self.offload, port.array));
            let ty = rtl_type(self.offload.kernel.arrays[port.array].element);
            expr = banks::parts(&expr, ty.width)[lanes.word(self.lane, gain)].resize(ty);
        }
        Value { expr, stage: Some(READ_STAGE) }
    }

    fn comes_late(&self, access: &Access) -> bool {
        !self.written.contains(&access.array) && self.windows.iter().all(|window| window.word(access).is_none())
    }

    fn scalar(&self, scalar: usize) -> Rtl {
        self.scalars[scalar].clone()
    }

    fn index(&mut self, m: &mut Module, value: &Affine, ty: ScalarType) -> Value {
        let value = &self.lanes.of(self.statement).at(value, self.lane);
        let value = self
            .instances
            .choose(&[self.statement], |kind| kind.scope.affine(&kind.affine(value)).resize(rtl_type(ty)));
        let register = m.reg("index", value.ty());
        self.candidate.push(assign(&register, &value));
        Value { expr: register.e(), stage: Some(1) }
    }
}

/// The modules of the compute process: the scanner of its rows, and the process.
pub fn compute(context: &Context) -> (Vec<Module>, ComputePorts) {
    let offload = context.offload;
    let kernel = context.kernel;
    let all = kernel.statements();
    let sources: Vec<Source> =
        offload.bands.iter().enumerate().map(|(b, band)| Source::in_tile(context, b, &band.compute.scan)).collect();
    let about = about_rows(offload, &all);
    let (rows_module, format) = scanner(context, &format!("{}_compute_rows", kernel.name), &about, true, &sources);

    let mut m = Module::new(&format!("{}_compute", kernel.name));
    let texts: Vec<String> = all.iter().map(|s| format!("line {}: {}", s.span.line, s.text)).collect();
    let of = if texts.len() == 1 { ", " } else { ":\n    " };
    m.describe(&format!(
        "Compute process of {}{of}{}\n\
         One iteration per cycle on the buffers. Tile T runs when Load(T) and Store(T-2) are done.",
        kernel.name,
        texts.join("\n    ")
    ));
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    let scope = context.parameter_inputs(&mut m);
    let scalars = context.scalar_inputs(&mut m);

    m.comment("Tiles in from the load process, and on to the store process once they are computed.");
    let tile = Stream::slave(&mut m, "tile");
    let tile_data = m.input("s_tile_data", Type::unsigned(context.tile_width()));
    let computed = Stream::master(&mut m, "tile");
    let computed_data = m.output("m_tile_data", Type::unsigned(context.tile_width()));
    let stored = m.input("s_stored", Type::BIT);
    // On a bus, tiles come before they are loaded: their rows are found meanwhile, and only the walk waits.
    let loaded = context.bus.map(|_| m.input("s_loaded", Type::BIT));
    let ahead = m.reg("tiles_ahead_of_store", Type::unsigned(2));
    let room = m.wire("may_start", Type::BIT);
    m.assign(&room, &ahead.e().lt(&Rtl::constant(2, ahead.ty())));
    let may_take = if loaded.is_some() { Rtl::bit(true) } else { room.e() };
    let scan_tile = Stream::wires(&mut m, "scan_tile");
    let wait_tile = Stream::wires(&mut m, "wait_tile");
    m.assign(&tile.ready, &may_take.and(&scan_tile.ready.e()).and(&wait_tile.ready.e()));
    m.assign(&scan_tile.valid, &tile.valid.e().and(&may_take).and(&wait_tile.ready.e()));
    m.assign(&wait_tile.valid, &tile.valid.e().and(&may_take).and(&scan_tile.ready.e()));
    let tile_walked = m.wire("tile_walked", Type::BIT);
    let started = if loaded.is_some() { tile_walked.e() } else { tile.fires() };
    cells::up_down(&mut m, &ahead, &started, &stored.e());
    let may_walk = match &loaded {
        None => Rtl::bit(true),
        Some(loaded) => {
            let waiting = m.reg("tiles_loaded", Type::unsigned(2));
            cells::up_down(&mut m, &waiting, &loaded.e(), &tile_walked.e());
            // A pulse counts in its own cycle.
            let room = room.e().or(&stored.e());
            m.define("may_walk", &room.and(&waiting.e().is_zero().not().or(&loaded.e()))).e()
        }
    };

    let rows = Stream::wires(&mut m, "row");
    let row_wires = RowPorts::declare(&mut m, &format, "row_", false);
    connect_scanner(context, &mut m, &rows_module, (&scan_tile, Some(&tile_data)), &rows, &row_wires);
    m.comment("Rows wait here, so that the next one is ready when the present one ends.");
    let waiting = Stream::wires(&mut m, "waiting");
    let packed = format.pack(&row_wires.row(&format));
    let waiting_row = cells::fifo(&mut m, "u_rows", ROWS_AHEAD, (&rows, &packed), &waiting, "waiting_row");
    let waiting_row = format.unpack(&waiting_row);

    m.comment("Stage 0: the iteration.");
    let warm_up = WarmUp::declare(&mut m, offload, &format);
    let waiting_row = warm_up.extend(&format, waiting_row);
    let format = warm_up.extended(&format);
    let walker = Walker::declare(&mut m, &format, "iteration");
    let instances = Instances::new(context, &mut m, &format, &walker, &scope);
    let present = &instances.statements;
    let number_of_tile = TileNumber::declare(&mut m, offload);

    m.comment("Stage 1: its addresses.");
    let candidate = m.reg("candidate", Type::BIT);
    let candidate_end = m.reg("candidate_end", Type::BIT);
    let number = (present.len() > 1).then(|| m.reg("candidate_statement", instances.number_type()));
    let mut loads: Vec<Statement> = vec![];
    loads.extend(number.iter().map(|register| assign(register, &instances.number())));
    let lanes = Lanes::new(offload);
    let ports = read_ports(context, &mut m, (&instances, &number_of_tile), &lanes, &mut loads);
    let targets: Vec<usize> = present.iter().map(|&s| all[s].target.array).collect();
    let writers_of =
        |array: usize| -> Vec<usize> { present.iter().copied().filter(|&s| all[s].target.array == array).collect() };
    let write_rotation = |array: usize| {
        let users: Vec<(usize, &Access)> = writers_of(array).into_iter().map(|s| (s, &all[s].target)).collect();
        lanes.rotation(&users, buffer_of(offload, array), &instances)
    };
    let address_types = targets.iter().map(|&array| address::address_type(buffer_of(offload, array)));
    let address_type = address_types.max_by_key(|ty| ty.width).expect("some statement has instances");
    let write_address = m.reg("write_address", address_type);
    let written_to = instances.choose(present, |kind| {
        let target = &all[kind.statement].target;
        let buffer = buffer_of(offload, target.array);
        let cell = kind.affines(&lanes.of(kind.statement).subscripts(target, buffer));
        address::address(buffer, kind.band, &cell, &kind.scope, &number_of_tile).resize(address_type)
    });
    let written_to = m.define("next_write", &written_to).e();
    loads.push(assign(&write_address, &written_to));
    let running = lanes.running(&mut m, &instances).map(|bits| {
        let register = m.reg("candidate_lanes", bits.ty());
        loads.push(assign(&register, &bits));
        register.e()
    });

    let fire = m.wire("fire", Type::BIT);
    // What writes is under way; an iteration that only reads slides its words and is forgotten.
    let writes_too = warm_up.warms().map(|warms| {
        let register = m.reg("candidate_warms", Type::BIT);
        loads.push(assign(&register, &warms));
        register.e().not()
    });
    let starts = writes_too.map_or(fire.e(), |writes_too| m.define("starts", &fire.e().and(&writes_too)).e());
    let number = number.as_ref().map(|n| n.e());
    let is_candidate = |statements: &[usize]| instances.is_one_of(number.as_ref(), statements);
    // The values of a statement, one per lane where they are not reduced to one. `loads` is what stage 1 takes.
    let evaluate = |m: &mut Module, datapath: &mut Datapath, s: usize, loads: &mut Vec<Statement>| -> Vec<Value> {
        let mut windows = vec![];
        for window in offload.windows.iter().filter(|w| w.statement == s) {
            let leader = (s, window.array, &window.leader);
            let port = ports.iter().find(|p| p.users.iter().any(|(s, a)| (*s, a.array, &a.subscripts) == leader));
            let word = port.expect("a leader has a port").data.e();
            windows.push(Registers::declare(m, datapath, window, &word, READ_STAGE));
        }
        let mut leaves = BufferLeaves {
            statement: s,
            ports: &ports,
            windows: &windows,
            scalars: &scalars,
            written: &targets,
            instances: &instances,
            lanes: &lanes,
            lane: 0,
            offload,
            candidate: loads,
        };
        let mut in_lanes = |m: &mut Module, datapath: &mut Datapath, expr: &Expr| -> Vec<Value> {
            let lane = |lane| {
                leaves.lane = lane;
                datapath.evaluate(m, expr, &mut leaves)
            };
            (0..lanes.of(s).count).map(lane).collect()
        };
        match lanes.of(s).reduction() {
            None => in_lanes(m, datapath, &all[s].value),
            Some(reduction) => {
                let terms = in_lanes(m, datapath, &reduction.term);
                let target = leaves.read(m, &all[s].target);
                let element = context.array(all[s].target.array).element;
                vec![lanes::reduce(m, datapath, reduction, element, &target, terms, running.as_ref())]
            }
        }
    };
    // The write comes at the earliest one stage behind the addresses.
    let end =
        |values: &[Value]| values.iter().filter_map(|value| value.stage).max().unwrap_or(READ_STAGE).max(READ_STAGE);
    let plan = pace::plan(offload, present, |place, plan| {
        let mut datapath = Datapath::new(plan, None);
        datapath.begin(&all[present[place]].name, Rtl::bit(true));
        let values = evaluate(&mut datapath::scratch(), &mut datapath, present[place], &mut vec![]);
        Rehearsal { uses: datapath.uses(), end: end(&values), divides: datapath.divides() }
    });
    let mut datapath = Datapath::new(plan, number.clone());
    let mut pipelines = vec![];
    for &s in present {
        m.comment(&format!("The datapath of {}: {}", all[s].name, all[s].text));
        datapath.begin(&all[s].name, fire.e().and(&is_candidate(&[s])));
        let values = evaluate(&mut m, &mut datapath, s, &mut loads);
        let end = end(&values);
        pipelines.push((values, end, datapath.divides()));
    }
    let top = reservation::top_slot(pipelines.iter().map(|(_, stage, divides)| (stage - 1, *divides)));
    let (mut writers, mut results) = (vec![], vec![]);
    for (place, ((values, mut stage, divides), &s)) in pipelines.into_iter().zip(present).enumerate() {
        datapath.resume(place);
        if divides {
            stage = stage.max(reservation::least_division_latency(top) + 1);
        }
        let bits = Type::unsigned(context.array(all[s].target.array).element.bits);
        let data: Vec<Rtl> = values.iter().map(|value| datapath.at(&mut m, value, stage).resize(bits)).collect();
        let masks = running.as_ref().filter(|_| lanes.of(s).is_masked());
        let running = masks.map(|bits| datapath.at(&mut m, &Value { expr: bits.clone(), stage: Some(1) }, stage));
        results.push(lanes.of(s).written(&all[s].target, buffer_of(offload, all[s].target.array), data, running));
        writers.push(Writer {
            number: number.as_ref().map(|_| instances.number_of(s)),
            latency: stage - 1,
            divides,
            array: all[s].target.array,
        });
    }
    datapath.finish(&mut m);

    m.comment("Writes under way, each in the slot of the cycles until it reaches its buffer.");
    let number_type = number.as_ref().map(|n| n.ty());
    let chain = Chain::declare(&mut m, &writers, number_type, address_type);
    let start = Start { fire: &starts, end: &candidate_end.e(), number: number.as_ref(), address: &write_address.e() };
    chain.connect(&mut m, &writers, &start);
    let written = chain.write();
    let mut writes = vec![];
    for &array in &targets {
        if writes.iter().any(|(a, _)| *a == array) {
            continue;
        }
        let buffer = buffer_of(offload, array);
        let rotation = write_rotation(array);
        writes.push((array, rotation));
        let name = &context.array(array).name;
        let valid = m.output(&format!("m_write_{name}_valid"), Type::BIT);
        let address = m.output(&format!("m_write_{name}_address"), address::address_type(buffer_of(offload, array)));
        let data =
            m.output(&format!("m_write_{name}_data"), address::data_type(buffer, context.array(array).element.bits));
        let own: Vec<usize> = (0..present.len()).filter(|&w| targets[w] == array).collect();
        let statements = writers_of(array);
        let mut is_valid = written.valid.and(&instances.is_one_of(written.number.as_ref(), &statements));
        let (last, others) = own.split_last().expect("somebody writes the array");
        let choose = |value: &dyn Fn(usize) -> Rtl| {
            others.iter().rev().fold(value(*last), |other, &w| {
                instances.is_one_of(written.number.as_ref(), &[present[w]]).select(&value(w), &other)
            })
        };
        if let Some(banks) = buffer.banks {
            let port = m.output(&format!("m_write_{name}_words"), Type::unsigned(banks.count as u32));
            let all = Rtl::bit(true).replicate(port.ty().width);
            m.assign(&port, &choose(&|w| results[w].words.clone().unwrap_or(all.clone())));
        } else if own.iter().any(|&w| results[w].words.is_some()) {
            // One word for all lanes, written where any of them runs.
            let any = |w: usize| results[w].words.as_ref().map_or(Rtl::bit(true), Rtl::reduce_or);
            is_valid = is_valid.and(&choose(&any));
        }
        m.assign(&valid, &is_valid);
        m.assign(&address, &written.address.resize(address.ty()));
        m.assign(&data, &choose(&|w| results[w].data.resize(data.ty())));
    }

    m.comment("An iteration waits for words that are still on their way to the buffer, and while its port is lent.");
    let moves = m.wire("stage_1_moves", Type::BIT);
    let incoming_number = number.as_ref().map(|_| instances.number());
    let is_incoming = |statements: &[usize]| instances.is_one_of(incoming_number.as_ref(), statements);
    let same = |pending: &Pending, array: usize, address: &Rtl, rotation: Option<Rotation>| {
        let statements: Vec<usize> = (0..present.len()).filter(|&w| targets[w] == array).map(|w| present[w]).collect();
        let there = pending.address.resize(address.ty());
        let there = match Fields::of(buffer_of(offload, array)) {
            None => there.eq(address),
            Some(fields) => {
                let own = write_rotation(array);
                fields.meet(&there, address, matches!(own, Some(Rotation::Always(_))) && own == rotation)
            }
        };
        pending.valid.and(&instances.is_one_of(pending.number.as_ref(), &statements)).and(&there)
    };
    // Whether the next instance must wait for `pending`: it reads the word, or its own write would come first.
    let clash = |pending: &Pending| {
        let reads = ports
            .iter()
            .map(|port| is_incoming(&port.statements()).and(&same(pending, port.array, &port.incoming, port.rotation)));
        let written = writers.iter().zip(present).filter(|(w, _)| Chain::overtaken(w, pending));
        let written = written.map(|(writer, &s)| {
            let address = written_to.resize(address::address_type(buffer_of(offload, writer.array)));
            is_incoming(&[s]).and(&same(pending, writer.array, &address, write_rotation(writer.array)))
        });
        Rtl::any(&reads.chain(written).collect::<Vec<_>>())
    };
    // Found out as an instance comes to stage 1; while it waits there, what it waits for moves on.
    let pending = chain.pending();
    let waits: Vec<Signal> = (0..pending.len()).map(|n| m.reg(&format!("waits_for_{n}"), Type::BIT)).collect();
    let mut updates = vec![];
    for (n, sources) in chain.next(&writers, &start).into_iter().enumerate() {
        let mut found = vec![];
        for (condition, source) in sources {
            let slot = pending[n].slot;
            let before = match source {
                Some(source) => Pending { slot, ..pending[source].clone() },
                None => Pending { valid: Rtl::bit(true), number: number.clone(), address: write_address.e(), slot },
            };
            let stays = source.map_or(Rtl::bit(false), |source| waits[source].e());
            found.push(condition.and(&moves.e().select(&clash(&before), &stays)));
        }
        updates.push(assign(&waits[n], &Rtl::any(&found)));
    }
    m.clocked("", vec![], updates);
    let mut hazards: Vec<Rtl> = waits.iter().map(|w| w.e()).collect();
    for (writer, &s) in writers.iter().zip(present) {
        hazards.push(is_candidate(&[s]).and(&chain.taken(writer)));
    }
    let (loaded, stored) = transferred(offload);
    let (mut filled, mut drained) = (vec![], vec![]);
    for &(array, _) in writes.iter().filter(|(a, _)| loaded.contains(a)) {
        let lent = m.input(&format!("s_fill_{}", context.array(array).name), Type::BIT);
        let users: Vec<usize> = present.iter().copied().filter(|&s| all[s].target.array == array).collect();
        hazards.push(is_candidate(&users).and(&lent.e()));
        filled.push(array);
    }
    let shares = |p: &&ReadPort| p.copy == 0 && stored.contains(&p.array) && !buffer_of(offload, p.array).store_copy;
    for port in ports.iter().filter(shares) {
        let lent = m.input(&format!("s_drain_{}", context.array(port.array).name), Type::BIT);
        hazards.push(is_candidate(&port.statements()).and(&lent.e()));
        drained.push(port.array);
    }
    let hazard = m.define("hazard", &Rtl::any(&hazards));
    m.assign(&fire, &candidate.e().and(&hazard.e().not()));
    m.assign(&moves, &candidate.e().not().or(&fire.e()));
    let step = m.wire("step", Type::BIT);
    m.assign(&step, &walker.has_element().and(&moves.e()).and(&may_walk));
    let mut end_taken = walker.has_end().and(&moves.e()).and(&may_walk);
    if writers.iter().any(|w| w.divides) {
        // A division waits outside the chain, where an end mark would overtake it.
        end_taken = end_taken.and(&candidate.e().or(&chain.divides()).not());
    }
    m.assign(&tile_walked, &end_taken);
    walker.connect(&mut m, "", &waiting, &waiting_row, &step.e(), &end_taken);
    warm_up.connect(&mut m, &format, &waiting_row, &waiting.fires(), &step.e());
    number_of_tile.connect(&mut m, &end_taken);
    m.clocked(
        "",
        vec![(candidate.clone(), 0), (candidate_end.clone(), 0)],
        vec![
            assign(&candidate_end, &end_taken),
            when(moves.e(), vec![assign(&candidate, &step.e())]),
            when(step.e(), loads),
        ],
    );

    let end = chain.end();
    if context.bus.is_some() {
        m.comment("Tiles are handed on at once; a pulse tells when one has come through the pipeline.");
        let data = cells::fifo(&mut m, "u_tiles", 4, (&wait_tile, &tile_data.e()), &computed, "passed_tile");
        m.assign(&computed_data, &data.e());
    } else {
        m.comment("A tile is handed over when its end mark has come through the pipeline.");
        let done = Stream::wires(&mut m, "tile_done");
        m.assign(&done.valid, &end);
        hand_over(&mut m, context, (&wait_tile, &tile_data), &done, (&computed, &computed_data));
    }
    let token = m.output("m_computed", Type::BIT);
    m.assign(&token, &end);
    let busy = m.output("busy", Type::BIT);
    m.assign(&busy, &starts);
    let stall = m.output("stall", Type::BIT);
    m.assign(&stall, &candidate.e().and(&fire.e().not()));
    let mut reads = vec![];
    for port in &ports {
        let (array, copy, rotation) = (port.array, port.copy, port.rotation);
        // The first port has all statements that read the array.
        let readers = ports.iter().find(|p| p.array == array).map_or(0, |first| first.users.len());
        let optional = buffer_of(offload, array).partition.is_some() && port.users.len() < readers;
        if optional {
            let used = m.output(&format!("m_read_{}_{copy}_used", context.array(array).name), Type::BIT);
            m.assign(&used, &is_candidate(&port.statements()));
        }
        reads.push(ComputeRead { array, copy, rotation, optional });
    }
    (vec![rows_module, m], ComputePorts { reads, writes, filled, drained })
}

/// The arrays that some tile loads, and those that some tile stores.
fn transferred(offload: &Offload) -> (Vec<usize>, Vec<usize>) {
    let transfers = || offload.bands.iter().flat_map(|b| &b.transfers);
    let loaded = transfers().filter(|t| !t.load.pieces.is_empty()).map(|t| t.array);
    let stored = transfers().filter(|t| !t.store.pieces.is_empty()).map(|t| t.array);
    (loaded.collect(), stored.collect())
}

/// The header comment of the scanner.
fn about_rows(offload: &Offload, statements: &[&Assignment]) -> String {
    let mut lines = vec![];
    for (index, band) in offload.bands.iter().enumerate() {
        let of = if offload.bands.len() > 1 { format!(" of band {index}") } else { String::new() };
        lines.push(format!("Walks the iterations of a tile{of} in the order {}.", band.compute.order));
        lines.extend(band.statements.iter().map(|&s| format!("{}: {}", statements[s].name, statements[s].text)));
    }
    lines.join("\n")
}

/// One read port per array and copy; `loads` takes their addresses to stage 1.
fn read_ports<'a>(
    context: &Context<'a>,
    m: &mut Module,
    (instances, tile): (&Instances, &TileNumber),
    lanes: &Lanes,
    loads: &mut Vec<Statement>,
) -> Vec<ReadPort<'a>> {
    let offload = context.offload;
    let mut wanted: Vec<(usize, usize, Users<'a>)> = vec![];
    for &s in &instances.statements {
        let mut used: Vec<usize> = vec![];
        for access in port_references(context.kernel, &offload.windows, s) {
            let copy = used.iter().filter(|array| **array == access.array).count();
            used.push(access.array);
            match wanted.iter_mut().find(|(a, c, _)| (*a, *c) == (access.array, copy)) {
                Some((.., users)) => users.push((s, access)),
                None => wanted.push((access.array, copy, vec![(s, access)])),
            }
        }
    }
    let mut ports = vec![];
    for (array, copy, users) in wanted {
        let name = &context.array(array).name;
        let buffer = buffer_of(offload, array);
        let address = m.output_reg(&format!("m_read_{name}_{copy}_address"), address::address_type(buffer));
        let element = rtl_type(context.array(array).element);
        let word = if buffer.banks.is_some() { address::data_type(buffer, element.width) } else { element };
        let data = m.input(&format!("s_read_{name}_{copy}_data"), word);
        let rotation = lanes.rotation(&users, buffer, instances);
        let statements: Vec<usize> = users.iter().map(|(statement, _)| *statement).collect();
        let choose = |value: &dyn Fn(&InstanceKind, &[Affine]) -> Rtl| {
            instances.choose(&statements, |kind| {
                let (_, access) = users.iter().find(|(s, _)| *s == kind.statement).expect("chosen among the users");
                value(kind, &kind.affines(&lanes.of(kind.statement).subscripts(access, buffer)))
            })
        };
        let value = choose(&|kind, cell| address::address(buffer, kind.band, cell, &kind.scope, tile));
        let incoming = m.define(&format!("next_read_{name}_{copy}"), &value).e();
        loads.push(assign(&address, &incoming));
        if let Some(partition) = &buffer.partition {
            let bank = m.output_reg(&format!("m_read_{name}_{copy}_bank"), partition::bank_type(partition));
            let value = choose(&|kind, cell| {
                let mapping = buffer.mappings[kind.band].as_ref().expect("a band that reads has a mapping");
                let number = partition.bank(&mapping.skewed(cell), Affine::default());
                kind.scope.affine_as(&number, bank.ty())
            });
            loads.push(assign(&bank, &value));
        }
        ports.push(ReadPort { array, copy, users, incoming, data, rotation });
    }
    ports
}
