//! The compute process: walks the statement instances of a tile, one per cycle, reading and writing the buffers.

use crate::hardware::buffers::address::{self, TileNumber, buffer_of};
use crate::hardware::buffers::banks::Rotations;
use crate::hardware::compute::approach::{self, Approach};
use crate::hardware::compute::candidate::Candidate;
use crate::hardware::compute::cut;
use crate::hardware::compute::ending::Endings;
use crate::hardware::compute::hazards::{self, Filled, Hazards, Lent};
use crate::hardware::compute::instances::Instances;
use crate::hardware::compute::interleave::interleave;
use crate::hardware::compute::lanes::{Lanes, Written};
use crate::hardware::compute::lateness::{self, Latenesses};
use crate::hardware::compute::pipelines::Pipelines;
use crate::hardware::compute::ports::{ReadPort, Write};
use crate::hardware::compute::reservation::{Chain, Pending, Start, Writer};
use crate::hardware::compute::tokens::Tokens;
use crate::hardware::compute::windows::WarmUp;
use crate::hardware::context::Context;
use crate::hardware::datapath::plan::Plan;
use crate::hardware::datapath::{self, Datapath, divide};
use crate::hardware::walk::connect::waiting_rows;
use crate::hardware::walk::scanner::compute_scanner;
use crate::hardware::walk::source::Source;
use crate::hardware::walk::walker::Walker;
use crate::ids::{ArrayId, ByStatement, StatementId};
use crate::offload::{Buffer, Offload};
use crate::rtl::{Expr as Rtl, Module, Signal, Type, assign, when};
use crate::source::kernel::{Access, Gather, Statement as Assignment};

/// What the accelerator must connect.
pub struct ComputePorts {
    pub reads: Vec<ComputeRead>,
    /// The arrays with ports `m_write_<array>_valid`, `_address`, `_data`; where the buffer has banks, a group of words
    /// and `_words`, a bit for each that is written, with `_along` where groups lie along several subscripts.
    pub writes: Vec<(ArrayId, Option<Rotations>)>,
    /// Arrays whose write port the load process borrows: `s_fill_<array>` holds back iterations that write them.
    pub filled: Vec<ArrayId>,
    /// Those of them to which all writes come as late: a gap that an iteration leaves arrives at the buffer.
    pub keeps_gaps: Vec<ArrayId>,
    /// Of those, arrays with `m_takes_<array>`, high where an iteration begins that writes them: a cycle that is no gap.
    pub takes: Vec<ArrayId>,
    /// Arrays whose first read port the store process borrows: `s_drain_<array>` holds back iterations that use it.
    pub drained: Vec<ArrayId>,
    /// When they use the port, where that is not in the cycle of their start.
    pub latenesses: Latenesses,
    /// Whether there is `m_index_error`, high for a cycle where a subscript that depends on data has left its array.
    pub index_error: bool,
}

impl ComputePorts {
    /// Cycles from the start of an iteration until it uses the port that the store process borrows.
    pub fn delay_of_drained(&self, array: ArrayId) -> u32 {
        let lateness = self.latenesses.get(&(array, 0)).filter(|_| self.drained.contains(&array));
        lateness.map_or(0, |lateness| lateness.delay)
    }
}

/// Ports `m_read_<array>_<copy>_address` and, one cycle later, `s_read_<array>_<copy>_data`, a group of words where the
/// buffer has banks for lanes. Of a partitioned buffer, `m_read_<array>_<copy>_bank` as well.
#[derive(Clone)]
pub struct ComputeRead {
    pub array: ArrayId,
    pub copy: usize,
    pub rotation: Option<Rotations>,
    /// Whether there is `m_read_<array>_<copy>_used`: some iterations that read the partitioned buffer do not read here.
    pub optional: bool,
}

/// What the parts of the process know: the statements, and who writes what where.
pub struct Process<'a, 'p> {
    pub context: &'p Context<'a>,
    pub offload: &'a Offload,
    /// All of the kernel.
    pub statements: ByStatement<&'a Assignment>,
    pub instances: &'p Instances<'p>,
    pub lanes: Lanes<'a>,
    /// The arrays whose writes each reservation chain has; no statement writes two of one.
    pub chains: Vec<Vec<ArrayId>>,
    /// Divisions of integers start in every cycle.
    pub divides_in_pipeline: bool,
}

impl<'a> Process<'a, '_> {
    /// The statements that have instances, in textual order.
    pub fn present(&self) -> &[StatementId] {
        &self.instances.statements
    }

    /// A datapath without pipelines; `number` as in [`Datapath::new`].
    pub fn datapath(&self, plan: Plan, number: Option<Rtl>) -> Datapath {
        let mut datapath = Datapath::new(&self.context.kernel.name, plan, number);
        datapath.divides_in_pipeline = self.divides_in_pipeline;
        datapath
    }

    /// Where a statement writes, of the writes in chain number `chain`.
    pub fn target_in(&self, chain: usize, statement: StatementId) -> Option<&'a Access> {
        self.statements[statement].targets().find(|target| self.chains[chain].contains(&target.array))
    }

    pub fn buffer(&self, array: ArrayId) -> &'a Buffer {
        buffer_of(self.offload, array)
    }

    /// The arrays that the statements with instances write.
    pub fn targets(&self) -> Vec<ArrayId> {
        self.present().iter().flat_map(|&s| self.statements[s].targets()).map(|target| target.array).collect()
    }

    /// The reads of statements with instances at subscripts that depend on data.
    fn gathers(&self) -> Vec<(StatementId, &'a Gather)> {
        let of = |&s: &StatementId| self.statements[s].gathers().into_iter().map(move |gather| (s, gather));
        self.present().iter().flat_map(of).collect()
    }

    /// The copy of the buffer that serves such a read, behind those of `ports`.
    pub fn gather_copy(&self, ports: &[ReadPort], statement: StatementId, gather: &Gather) -> usize {
        let own = self.gathers().into_iter().filter(|(_, other)| other.array == gather.array);
        let place = own.into_iter().position(|(s, other)| s == statement && other.is_same(gather));
        ports.iter().filter(|port| port.array == gather.array).count() + place.expect("one of the statement's")
    }

    /// The statements with instances that write an array.
    pub fn writers_of(&self, array: ArrayId) -> Vec<StatementId> {
        self.present().iter().copied().filter(|&s| self.statements[s].writes_to(array)).collect()
    }

    /// The statements with instances that write an array at subscripts that depend on data.
    pub fn scatterers_of(&self, array: ArrayId) -> Vec<StatementId> {
        self.writers_of(array).into_iter().filter(|&s| self.statements[s].scatter().is_some()).collect()
    }

    /// The statements with instances that read an array at subscripts that depend on data.
    pub fn gatherers_of(&self, array: ArrayId) -> Vec<StatementId> {
        let gathers = |s: &StatementId| self.statements[*s].gathers().iter().any(|gather| gather.array == array);
        self.present().iter().copied().filter(gathers).collect()
    }

    /// The number of the chain that has the writes of an array.
    pub fn chain_of(&self, array: ArrayId) -> Option<usize> {
        self.chains.iter().position(|arrays| arrays.contains(&array))
    }

    /// The statements with instances that have a write in chain number `chain`.
    pub fn writers_in(&self, chain: usize) -> Vec<StatementId> {
        self.present().iter().copied().filter(|&s| self.target_in(chain, s).is_some()).collect()
    }

    /// Where `statements` write an array.
    pub fn targets_of(&self, array: ArrayId, statements: &[StatementId]) -> Vec<(StatementId, &'a Access)> {
        let targets = statements.iter().flat_map(|&s| self.statements[s].targets().map(move |target| (s, target)));
        targets.filter(|(_, target)| target.array == array).collect()
    }

    /// Where the groups begin that are written to an array.
    pub fn write_rotation(&self, array: ArrayId) -> Option<Rotations> {
        let users = self.targets_of(array, self.present());
        self.lanes.rotation(&users, self.buffer(array), self.instances)
    }

    /// An address of any of the arrays whose writes chain number `chain` has.
    pub fn write_address_type(&self, chain: usize) -> Type {
        let types = self.chains[chain].iter().map(|&array| address::address_type(self.buffer(array)));
        types.max_by_key(|ty| ty.width).expect("some statement writes there")
    }
}

/// The arrays that statements write, dealt out to as few chains as it takes that no statement writes two of one.
fn chains(statements: &[&Assignment]) -> Vec<Vec<ArrayId>> {
    let mut chains: Vec<Vec<ArrayId>> = vec![];
    for array in statements.iter().flat_map(|s| s.targets()).map(|target| target.array) {
        if chains.iter().any(|chain| chain.contains(&array)) {
            continue;
        }
        let meets = |other: ArrayId| statements.iter().any(|s| s.writes_to(array) && s.writes_to(other));
        match chains.iter_mut().find(|chain| !chain.iter().any(|other| meets(*other))) {
            Some(chain) => chain.push(array),
            None => chains.push(vec![array]),
        }
    }
    chains
}

/// The modules of the compute process: the scanner of its rows, and the process.
pub fn compute(context: &Context) -> (Vec<Module>, ComputePorts) {
    let (offload, kernel) = (context.offload, context.kernel);
    let sources: Vec<Source> =
        offload.bands.iter_enumerated().map(|(b, band)| Source::in_tile(context, b, &band.compute.scan)).collect();
    let about = about_rows(offload, &kernel.statements());
    let (rows_module, format) = compute_scanner(context, &format!("{}_compute_rows", kernel.name), &about, &sources);

    let mut m = Module::new(&format!("{}_compute", kernel.name));
    m.describe(&about_process(context));
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    let scope = context.parameter_inputs(&mut m);
    let scalars = context.scalar_inputs(&mut m);
    let cuts = cut::cuts(context, &format);
    let mut tokens = Tokens::declare(context, &mut m, !cuts.is_empty());
    let about = "Rows wait here, so that the next one is ready when the present one ends.";
    let tiles = (&tokens.scan, Some(&tokens.data));
    let (waiting, row) = waiting_rows(context, &mut m, &rows_module, &format, tiles, Some(about));

    let strips = tokens.strips_to_cut.take();
    let (waiting, row, limits) = cut::cut(context, &mut m, (&format, &scope), (&cuts, strips), (waiting, row));
    let (waiting, row) = interleave(context, &mut m, &format, (waiting, row));
    m.comment("Stage 0: the iteration.");
    let warm_up = WarmUp::declare(&mut m, offload, &format);
    let row = warm_up.extend(&format, row);
    let format = warm_up.extended(&format);
    let walker = Walker::declare(&mut m, &format, "iteration");
    let instances = Instances::new(context, &mut m, &format, &walker, &scope);
    let number_of_tile = TileNumber::declare(&mut m, offload, tokens.strips.take());
    let may_walk = tokens.may_walk.and(&number_of_tile.is_known());
    let lanes = Lanes::new(offload);
    let statements = kernel.statements();
    let present: Vec<&Assignment> = instances.statements.iter().map(|&s| statements[s]).collect();
    let chains = chains(&present);
    let divides_in_pipeline = divide::in_pipeline(offload);
    let process = &Process { context, offload, statements, instances: &instances, lanes, chains, divides_in_pipeline };

    let scratch = &mut datapath::scratch();
    let mut rehearsed =
        Candidate::declare(process, scratch, &number_of_tile, &warm_up, &Latenesses::new(), &mut Approach::none());
    let latency = |candidate: &Candidate, place| Pipelines::latency(process, candidate, &scalars, place);
    let latenesses = lateness::choose(process, &mut rehearsed, &latency);
    let approaches = approach::is_worth_it(process, &rehearsed);
    let mut approach = if approaches { Approach::declare(&mut m) } else { Approach::none() };
    let mut candidate = Candidate::declare(process, &mut m, &number_of_tile, &warm_up, &latenesses, &mut approach);
    let endings = Endings::declare(process, &mut m, &format);
    let Pipelines { writers, results, index_errors, ended } =
        Pipelines::build(process, &mut m, &mut candidate, &scalars, &latenesses, endings.as_ref());
    let candidate = candidate;

    let chains = reservations(process, &mut m, &candidate, writers);
    let writes = write_ports(process, &mut m, &chains, &results);
    words_of_ports(process, &mut m, &candidate, &chains, &writes);

    m.comment("An iteration waits for words that are still on their way to the buffer, and while its port is lent.");
    let moves = m.wire("stage_1_moves", Type::BIT);
    let mut hazards = words_under_way(process, &mut m, (&candidate, &chains), &moves.e(), approach.is_there());
    let arrays = writes.iter().map(|write| write.array);
    let Lent { filled, drained } = hazards::lent(process, &candidate, &mut m, arrays, &mut hazards);
    let hazard = m.define("hazard", &Rtl::any(&hazards));
    m.assign(&candidate.fire, &candidate.valid.e().and(&hazard.e().not()));
    let (filled, takes) = turns(context, &mut m, &candidate, &chains, &filled);
    m.assign(&moves, &candidate.valid.e().not().or(&candidate.fire.e()));

    let step = m.wire("step", Type::BIT);
    let end_taken = m.wire("end_taken", Type::BIT);
    // A division waits outside the chain, where an end mark would overtake it.
    let passes = divides(&chains).map_or(Rtl::bit(true), |divides| candidate.valid.e().or(&divides).not());
    let over = endings.map(|endings| endings.connect(&mut m, &walker, ended, (&waiting.ready.e(), &waiting.fires())));
    let goes_on = over.as_ref().map_or(Rtl::bit(true), Rtl::not);
    let element = walker.has_element().and(&may_walk).and(&goes_on);
    let end = walker.has_end().and(&may_walk);
    let mut loads = vec![];
    for (register, value) in &candidate.loads {
        loads.push(assign(register, &approach.hold(&mut m, &format!("next_{}", register.name()), value.clone())));
    }
    let passing = approach.connect(&mut m, (&step, &element), (&end_taken, &end), (&moves.e(), &passes));
    let end_taken = end_taken.e();
    m.assign(&tokens.walked, &end_taken);
    walker.connect(&mut m, "", &waiting, &row, (&step.e(), over.as_ref()), &end_taken);
    warm_up.connect(&mut m, &format, &row, &waiting.fires(), &step.e());
    number_of_tile.connect(&mut m, &end_taken);
    m.clocked(
        "",
        vec![(candidate.valid.clone(), 0), (candidate.end.clone(), 0)],
        vec![
            assign(&candidate.end, &passing.end),
            when(moves.e(), vec![assign(&candidate.valid, &passing.enters)]),
            when(passing.enters, loads),
        ],
    );
    // Through the longest chain: the writes before it in the others have ended, too.
    let (longest, _) = chains.iter().rev().max_by_key(|(chain, _)| chain.length()).expect("some statement writes");
    tokens.hand_on(context, &mut m, &longest.end());
    let busy = m.output("busy", Type::BIT);
    m.assign(&busy, &candidate.starts);
    let stall = m.output("stall", Type::BIT);
    m.assign(&stall, &candidate.valid.e().and(&candidate.fire.e().not()));
    let mut reads = reads(process, &mut m, &candidate);
    reads.extend(limits);
    let writes = writes.into_iter().map(|write| (write.array, write.rotation)).collect();
    let keeps_gaps = filled.iter().copied().filter(|&array| keeps_gaps(&chains, array)).collect();
    let index_error = context.checks_subscripts();
    if index_error {
        let port = m.output("m_index_error", Type::BIT);
        m.assign(&port, &Rtl::any(&index_errors));
    }
    (vec![rows_module, m], ComputePorts { reads, writes, filled, keeps_gaps, takes, drained, latenesses, index_error })
}

/// A reservation chain, and what starts in it.
pub type Reservation = (Chain, Start);

/// The chains of the writes under way.
fn reservations(
    process: &Process,
    m: &mut Module,
    candidate: &Candidate,
    writers: Vec<Vec<Writer>>,
) -> Vec<Reservation> {
    m.comment("Writes under way, each in the slot of the cycles until it reaches its buffer.");
    let number_type = candidate.number.as_ref().map(Rtl::ty);
    let (end, mut chains) = (candidate.end.e(), vec![]);
    for (place, (writers, address)) in writers.into_iter().zip(&candidate.writes).enumerate() {
        let ty = process.write_address_type(place);
        let chain = Chain::declare(m, place, writers, process.present(), number_type, ty);
        let (number, address) = (candidate.number.as_ref(), address.register.e());
        let start = Start { fire: candidate.starts.clone(), end: end.clone(), number: number.cloned(), address };
        chain.connect(m, &start);
        chains.push((chain, start));
    }
    chains
}

/// The registers behind the read ports, and the words that take the way from a write to them.
fn words_of_ports(
    process: &Process,
    m: &mut Module,
    candidate: &Candidate,
    chains: &[Reservation],
    writes: &[WritePort],
) {
    let passed_on = candidate.ports.iter().any(|port| port.lateness.forward > 0);
    m.comment(match passed_on {
        true => "Words go from the buffers into registers; those written meanwhile come from there.",
        false => "Words go from the buffers into registers.",
    });
    for port in &candidate.ports {
        let array = port.array;
        let name = &process.context.array(array).name;
        let of_array = |pending: &Pending| {
            let writes = process.instances.is_one_of(pending.number.as_ref(), &process.writers_of(array));
            Write { valid: pending.valid.and(&writes), address: pending.address.clone() }
        };
        let pending = process.chain_of(array).map_or(vec![], |chain| chains[chain].0.pending());
        let next = pending.get(1).filter(|pending| pending.slot.is_some());
        let value = writes.iter().find(|write| write.array == array).map(|write| write.data.e());
        port.connect(m, name, value.map(|value| (of_array(&pending[0]), value)), next.map(of_array));
    }
}

/// What tells whether the instance in stage 1 waits for writes under way.
fn words_under_way(
    process: &Process,
    m: &mut Module,
    (candidate, chains): (&Candidate, &[Reservation]),
    moves: &Rtl,
    approaches: bool,
) -> Vec<Rtl> {
    let (mut waits, mut taken) = (vec![], vec![]);
    let writers: Vec<&Writer> = chains.iter().flat_map(|(chain, _)| chain.writers()).collect();
    for (place, (chain, start)) in chains.iter().enumerate() {
        let under_way = Hazards { process, candidate, place, chain, writers: &writers, chains };
        waits.extend(under_way.waits(m, start));
        taken.extend(under_way.taken(start));
    }
    hazards::decided(m, moves, waits, taken, approaches)
}

/// Whether a division is under way; `None` where no statement has one.
fn divides(chains: &[Reservation]) -> Option<Rtl> {
    let with_division = chains.iter().filter(|(chain, _)| chain.writers().iter().any(|writer| writer.divides));
    let divides: Vec<Rtl> = with_division.map(|(chain, _)| chain.divides()).collect();
    (!divides.is_empty()).then(|| Rtl::any(&divides))
}

/// Lets iterations and fills take turns at the write ports; gives the arrays with such ports, and those that tell of cycles that are no gap.
fn turns(
    context: &Context,
    m: &mut Module,
    candidate: &Candidate,
    chains: &[Reservation],
    filled: &[Filled],
) -> (Vec<ArrayId>, Vec<ArrayId>) {
    let mut takes = vec![];
    for own in filled {
        if own.take_turns(m, candidate) && keeps_gaps(chains, own.array) {
            let port = m.output(&format!("m_takes_{}", context.array(own.array).name), Type::BIT);
            m.assign(&port, &own.takes(candidate));
            takes.push(own.array);
        }
    }
    (filled.iter().map(|own| own.array).collect(), takes)
}

/// Whether all writes of an array come as late.
fn keeps_gaps(chains: &[Reservation], array: ArrayId) -> bool {
    let all = chains.iter().flat_map(|(chain, _)| chain.writers()).filter(|writer| writer.array == array);
    let mut latencies = all.map(|writer| (!writer.divides).then_some(writer.latency));
    let first = latencies.next().flatten();
    first.is_some() && latencies.all(|latency| latency == first)
}

/// The write port of an array.
struct WritePort {
    array: ArrayId,
    /// Where the groups begin that are written.
    rotation: Option<Rotations>,
    data: Signal,
}

/// The write ports: every array that is written.
fn write_ports(process: &Process, m: &mut Module, chains: &[Reservation], results: &[Written]) -> Vec<WritePort> {
    let instances = process.instances;
    let mut writes: Vec<WritePort> = vec![];
    for array in process.targets() {
        if writes.iter().any(|write| write.array == array) {
            continue;
        }
        let buffer = process.buffer(array);
        let declaration = process.context.array(array);
        let name = &declaration.name;
        let valid = m.output(&format!("m_write_{name}_valid"), Type::BIT);
        let address = m.output(&format!("m_write_{name}_address"), address::address_type(buffer));
        let data = m.output(&format!("m_write_{name}_data"), address::data_type(buffer, declaration.word_bits()));
        let rotation = process.write_rotation(array);
        let statements = process.writers_of(array);
        let (chain, _) = &chains[process.chain_of(array).expect("a chain has its writes")];
        let written = &chain.write();
        let own: Vec<&Written> = results.iter().filter(|result| result.array == array).collect();
        let choose = |value: &dyn Fn(&Written) -> Rtl| choice(process, written, &own, value);
        let mut is_valid = written.valid.and(&instances.is_one_of(written.number.as_ref(), &statements));
        if buffer.banks.is_some() {
            let port = m.output(&format!("m_write_{name}_words"), Type::unsigned(buffer.bank_count() as u32));
            let all = Rtl::bit(true).replicate(port.ty().width);
            m.assign(&port, &choose(&|result| result.words.clone().unwrap_or(all.clone())));
            if let Some((rotations, ty)) = rotation.as_ref().and_then(|r| Some((r, r.told()?))) {
                let port = m.output(&format!("m_write_{name}_along"), ty);
                let line = |result: &Written| {
                    let targets = process.targets_of(array, &[result.statement]);
                    let (s, target) = targets.first().expect("it writes the array");
                    Rtl::constant(process.lanes.line(*s, target, buffer, rotations), ty)
                };
                m.assign(&port, &choose(&line));
            }
        } else if own.iter().any(|result| result.words.is_some()) {
            // One word for all lanes, written where any of them runs.
            let any = |result: &Written| result.words.as_ref().map_or(Rtl::bit(true), Rtl::reduce_or);
            is_valid = is_valid.and(&choose(&any));
        }
        m.assign(&valid, &is_valid);
        let place =
            own.iter().rev().fold(written.address.resize(address.ty()), |other, result| match &result.address {
                Some(own) => instances.is_one_of(written.number.as_ref(), &[result.statement]).select(own, &other),
                None => other,
            });
        m.assign(&address, &place);
        let value = |result: &Written| result.data.resize(data.ty());
        let ahead = chain.write_ahead().filter(|_| own.iter().any(|result| value(result) != value(own[0])));
        let next = ahead
            .and_then(|next| Some((next, own.iter().map(|o| m.next_value(&value(o))).collect::<Option<Vec<_>>>()?)));
        match next {
            // What statements write is chosen among on the way into one register, in front of those that take words past the buffer.
            Some((next, values)) => {
                let register = m.reg(&format!("{name}_result"), data.ty());
                let of = |result: &Written| {
                    let place = own.iter().position(|o| o.statement == result.statement).expect("one of them");
                    values[place].clone()
                };
                let chosen = choice(process, &next, &own, &of);
                m.clocked("", vec![], vec![assign(&register, &chosen)]);
                m.assign(&data, &register.e());
            }
            None => m.assign(&data, &choose(&value)),
        }
        writes.push(WritePort { array, rotation, data });
    }
    writes
}

/// Of what statements write, that of the statement whose write it is. Statements with the same count as one.
fn choice(process: &Process, write: &Pending, own: &[&Written], value: &dyn Fn(&Written) -> Rtl) -> Rtl {
    let mut values: Vec<(Rtl, Vec<StatementId>)> = vec![];
    for result in own {
        let value = value(result);
        match values.iter_mut().find(|(other, _)| *other == value) {
            Some((_, statements)) => statements.push(result.statement),
            None => values.push((value, vec![result.statement])),
        }
    }
    let (last, _) = values.pop().expect("somebody writes the array");
    values.iter().rev().fold(last, |other, (value, statements)| {
        process.instances.is_one_of(write.number.as_ref(), statements).select(value, &other)
    })
}

/// What the accelerator must connect of the read ports.
fn reads(process: &Process, m: &mut Module, candidate: &Candidate) -> Vec<ComputeRead> {
    let mut reads = vec![];
    for port in &candidate.ports {
        let (array, copy, rotation) = (port.array, port.copy, port.rotation.clone());
        // The first port has all statements that read the array.
        let readers = candidate.ports.iter().find(|p| p.array == array).map_or(0, |first| first.users.len());
        let optional = process.buffer(array).partition.is_some() && port.users.len() < readers;
        if optional {
            let used = m.output(&format!("m_read_{}_{copy}_used", process.context.array(array).name), Type::BIT);
            m.assign(&used, &candidate.is_of(process, &port.statements()));
        }
        reads.push(ComputeRead { array, copy, rotation, optional });
    }
    for (statement, gather) in process.gathers() {
        let copy = process.gather_copy(&candidate.ports, statement, gather);
        reads.push(ComputeRead { array: gather.array, copy, rotation: None, optional: false });
    }
    reads
}

/// The header comment of the process.
fn about_process(context: &Context) -> String {
    let statements = context.kernel.statements();
    let texts: Vec<String> = statements.iter().map(|s| format!("line {}: {}", s.span.line, s.text)).collect();
    let of = if texts.len() == 1 { ", " } else { ":\n    " };
    format!(
        "Compute process of {}{of}{}\n\
         One iteration per cycle on the buffers. Tile T runs when Load(T) and Store(T-2) are done.",
        context.kernel.name,
        texts.join("\n    ")
    )
}

/// The header comment of the scanner.
fn about_rows(offload: &Offload, statements: &ByStatement<&Assignment>) -> String {
    let mut lines = vec![];
    for (index, band) in offload.bands.iter_enumerated() {
        let of = if offload.bands.len() > 1 { format!(" of band {index}") } else { String::new() };
        lines.push(format!("Walks the iterations of a tile{of} in the order {}.", band.compute.order));
        lines.extend(band.statements.iter().map(|&s| format!("{}: {}", statements[s].name, statements[s].text)));
    }
    lines.join("\n")
}
