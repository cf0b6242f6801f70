//! The datapath of every statement, from the words of the buffers to what is written.

use crate::affine::Affine;
use crate::hardware::buffers::{address, banks, partition};
use crate::hardware::circuit::interval;
use crate::hardware::circuit::ranged::rtl_type;
use crate::hardware::compute::candidate::Candidate;
use crate::hardware::compute::ending::{Ended, Endings};
use crate::hardware::compute::lanes::{self, Written};
use crate::hardware::compute::lateness::{self, Latenesses};
use crate::hardware::compute::pace::{self, Latency};
use crate::hardware::compute::ports::ReadPort;
use crate::hardware::compute::process::Process;
use crate::hardware::compute::reservation::{self, Writer};
use crate::hardware::compute::windows::Registers;
use crate::hardware::datapath::plan::{Plan, Rehearsal};
use crate::hardware::datapath::{self, Datapath, GatherPort, Leaves, Place, Value};
use crate::ids::{ArrayId, StatementId};
use crate::rtl::{Expr as Rtl, Module, Signal, Type};
use crate::source::kernel::{Access, Expr, Gather, ScalarType};

/// The stage in which a buffer's word is there: 1 holds the addresses; in 2 the word comes out of block RAM and its banks, which
/// takes most of the cycle; 3 is a register that has it.
pub const READ_STAGE: u32 = 3;

/// The stage behind the addresses: no value is written before.
const FIRST_WRITE: u32 = 2;

/// When and what the statements that have instances write, in textual order.
pub struct Pipelines {
    /// By reservation chain.
    pub writers: Vec<Vec<Writer>>,
    pub results: Vec<Written>,
    /// High for a cycle where a subscript that depends on data has left its array.
    pub index_errors: Vec<Rtl>,
    /// Rows that are over.
    pub ended: Vec<Ended>,
}

impl Pipelines {
    /// When the statement at a place among those that have instances would write with the ports of `candidate`, sharing
    /// nothing.
    pub fn latency(process: &Process, candidate: &Candidate, scalars: &[Rtl], place: usize) -> Latency {
        let evaluation = Evaluation { process, candidate, scalars };
        let s = process.present()[place];
        let mut datapath = process.datapath(Plan::default(), None);
        datapath.begin(&process.statements[s].name, Rtl::bit(true));
        let values = evaluation.values(&mut datapath::scratch(), &mut datapath, s, &mut vec![], 1);
        let end = last_end(&values);
        Latency { cycles: end - 1, divides: datapath.divides() }
    }

    /// Builds the datapaths; `candidate` gets what they load in stage 1.
    pub fn build(
        process: &Process,
        m: &mut Module,
        candidate: &mut Candidate,
        scalars: &[Rtl],
        latenesses: &Latenesses,
        endings: Option<&Endings>,
    ) -> Pipelines {
        let present = process.present();
        let mut loads = std::mem::take(&mut candidate.loads);
        let evaluation = Evaluation { process, candidate, scalars };
        let least = lateness::least_latencies(process, &candidate.ports);
        let sees = |port| lateness::sees(latenesses, port);
        let plan = pace::plan(process.offload, present, &sees, &least, |place, plan| {
            let mut datapath = process.datapath(plan, None);
            datapath.begin(&process.statements[present[place]].name, Rtl::bit(true));
            let scratch = &mut datapath::scratch();
            // One lane tells what all of them share; those of a reduction, which meet, share nothing.
            let values = evaluation.values(scratch, &mut datapath, present[place], &mut vec![], 1);
            let end = last_end(&values);
            let is_reduced = process.lanes.of(present[place]).reduction().is_some();
            let uses = if is_reduced { vec![] } else { datapath.uses() };
            Rehearsal { uses, end, divides: datapath.divides() }
        });
        let mut datapath = process.datapath(plan, candidate.number.clone());
        let (mut values, mut ended) = (vec![], vec![]);
        for &s in present {
            let statement = process.statements[s];
            m.comment(&format!("The datapath of {}: {}", statement.name, statement.text));
            datapath.begin(&statement.name, candidate.fire.e().and(&candidate.is_of(process, &[s])));
            values.push((evaluation.values(m, &mut datapath, s, &mut loads, i64::MAX), datapath.divides()));
            let of_rows = endings.and_then(|endings| Some((endings, endings.of(s)?)));
            if let Some((endings, condition)) = of_rows.filter(|_| !datapath.divides()) {
                let goes_on = evaluation.condition(m, &mut datapath, s, condition, &mut loads);
                ended.push(endings.tell(m, &mut datapath, goes_on, &mut loads));
            }
        }
        let mut pipelines = Pipelines::at_their_ends(process, m, candidate, &mut datapath, &least, values);
        pipelines.index_errors = std::mem::take(&mut datapath.index_errors);
        pipelines.ended = ended;
        datapath.finish(m);
        candidate.loads = loads;
        pipelines
    }

    /// Brings the `values` of every statement's writes, and whether it divides, to the stages in which it writes; `least` has
    /// the least latencies of the statements.
    fn at_their_ends(
        process: &Process,
        m: &mut Module,
        candidate: &Candidate,
        datapath: &mut Datapath,
        least: &[u32],
        values: Vec<(Vec<Vec<Value>>, bool)>,
    ) -> Pipelines {
        let Process { instances, lanes, .. } = process;
        let chain = |array: ArrayId| process.chain_of(array).expect("every write has a chain");
        let end = |place: usize, values: &[Value]| end(values).max(least[place] + 1);
        let mut latencies: Vec<Vec<(u32, bool)>> = vec![vec![]; process.chains.len()];
        for (place, ((values, divides), &s)) in values.iter().zip(process.present()).enumerate() {
            for (values, target) in values.iter().zip(process.statements[s].targets()) {
                let latency = end(place, values) - 1;
                latencies[chain(target.array)].push((latency, *divides));
            }
        }
        let tops: Vec<u32> = latencies.into_iter().map(|own| reservation::top_slot(own.into_iter())).collect();
        let mut pipelines = Pipelines { writers: vec![], results: vec![], index_errors: vec![], ended: vec![] };
        pipelines.writers.resize_with(process.chains.len(), Vec::new);
        for (place, ((values, divides), &s)) in values.into_iter().zip(process.present()).enumerate() {
            datapath.resume(place);
            for (values, target) in values.into_iter().zip(process.statements[s].targets()) {
                let chain = chain(target.array);
                let mut stage = end(place, &values);
                if divides {
                    stage = stage.max(reservation::least_division_latency(tops[chain]) + 1);
                }
                let array = target.array;
                let bits = Type::unsigned(process.context.array(array).word_bits());
                let data: Vec<Rtl> = values.iter().map(|value| datapath.at(m, value, stage).resize(bits)).collect();
                let masks = candidate.running.as_ref().filter(|_| lanes.of(s).is_masked());
                let running = masks.map(|bits| {
                    datapath.at(m, &Value { expr: bits.clone(), stage: Some(lanes::RUNNING_STAGE) }, stage)
                });
                let (data, mut words) = lanes.of(s).written(target, process.buffer(array), data, running);
                let (mut address, mut sees) = (None, None);
                if let Some(scattered) = datapath.scattered() {
                    assert!(scattered.is_on_time(stage), "an update is not written behind its operator");
                    words = scattered.enable.as_ref().map(|enable| datapath.at(m, enable, stage));
                    address = Some(datapath.at(m, &scattered.address, stage));
                    sees = scattered.sees;
                }
                pipelines.results.push(Written { statement: s, array, data, words, address });
                let number = candidate.number.as_ref().map(|_| instances.number_of(s));
                let writer = Writer { statement: s, number, latency: stage - 1, divides, array, sees };
                pipelines.writers[chain].push(writer);
            }
        }
        pipelines
    }
}

/// The stage in which all values are there. The write comes at the earliest one stage behind the addresses.
fn end(values: &[Value]) -> u32 {
    values.iter().filter_map(|value| value.stage).max().unwrap_or(FIRST_WRITE).max(FIRST_WRITE)
}

/// The stage in which the values of all writes of a statement are there.
fn last_end(values: &[Vec<Value>]) -> u32 {
    values.iter().map(|values| end(values)).max().unwrap_or(FIRST_WRITE)
}

/// What the values of statements are made of.
struct Evaluation<'a, 'p> {
    process: &'p Process<'a, 'p>,
    candidate: &'p Candidate<'a>,
    scalars: &'p [Rtl],
}

impl Evaluation<'_, '_> {
    /// The stage in which words of an array are there.
    fn stage_of(&self, array: ArrayId) -> u32 {
        READ_STAGE + u32::from(partition::is_read_late(self.process.buffer(array)))
    }

    /// Of what has come through the port of an array, of a group in banks, what lane `lane` of a statement has.
    fn word(&self, all: &Rtl, (statement, lane): (StatementId, i64), access: &Access) -> Rtl {
        let (process, buffer) = (self.process, self.process.buffer(access.array));
        if buffer.banks.is_none() {
            return all.clone();
        }
        let index = process.lanes.of(statement).word(lane, access, buffer);
        let ty = rtl_type(process.context.array(access.array).element);
        banks::parts(all, ty.width)[index].resize(ty)
    }

    /// The value of a condition of a statement without lanes.
    fn condition(
        &self,
        m: &mut Module,
        datapath: &mut Datapath,
        statement: StatementId,
        condition: &Expr,
        loads: &mut Vec<(Signal, Rtl)>,
    ) -> Value {
        let mut leaves = BufferLeaves { evaluation: self, statement, lane: 0, windows: &[], candidate: loads };
        datapath.evaluate(m, condition, &mut leaves)
    }

    /// The values of each of a statement's writes, one per lane of the first `most` where they are not reduced to one. `loads` is
    /// what stage 1 takes.
    fn values(
        &self,
        m: &mut Module,
        datapath: &mut Datapath,
        s: StatementId,
        loads: &mut Vec<(Signal, Rtl)>,
        most: i64,
    ) -> Vec<Vec<Value>> {
        let Evaluation { process, candidate, .. } = self;
        let (lanes, statement) = (process.lanes.of(s), process.statements[s]);
        let mut windows = vec![];
        for window in process.offload.windows.iter().filter(|w| w.statement == s) {
            let leader = (s, window.array, &window.leader);
            let is_leader = |p: &&ReadPort| p.users.iter().any(|(s, a)| (*s, a.array, &a.subscripts) == leader);
            let port = candidate.ports.iter().find(is_leader).expect("a leader has a port");
            // In lanes the whole group slides.
            let word = port.word.e();
            windows.push(Registers::declare(m, datapath, window, &word, self.stage_of(window.array)));
        }
        let mut leaves = BufferLeaves { evaluation: self, statement: s, lane: 0, windows: &windows, candidate: loads };
        match lanes.reduction() {
            None => {
                let mut all: Vec<Vec<Value>> = statement.values().map(|_| vec![]).collect();
                for lane in 0..lanes.count.min(most) {
                    leaves.lane = lane;
                    if lanes.count > 1 {
                        datapath.begin_lane(lane as usize);
                    }
                    for (of_lanes, value) in all.iter_mut().zip(statement.values()) {
                        of_lanes.push(datapath.evaluate(m, value, &mut leaves));
                    }
                }
                datapath.end_lanes();
                all
            }
            Some(reduction) => {
                let term = |lane| {
                    leaves.lane = lane;
                    datapath.evaluate(m, &reduction.term, &mut leaves)
                };
                let terms = (0..lanes.count).map(term).collect();
                leaves.lane = lanes.count - 1;
                let target = leaves.read(m, &statement.target);
                let element = process.context.array(statement.target.array).element;
                let running = candidate.running.as_ref();
                vec![vec![lanes::reduce(m, datapath, reduction, element, &target, terms, running)]]
            }
        }
    }
}

/// The leaves of a statement inside a tile: words of the buffers, and indices.
struct BufferLeaves<'p> {
    evaluation: &'p Evaluation<'p, 'p>,
    statement: StatementId,
    lane: i64,
    windows: &'p [Registers<'p>],
    /// Loads of stage 1.
    candidate: &'p mut Vec<(Signal, Rtl)>,
}

impl Leaves for BufferLeaves<'_> {
    fn read(&mut self, _: &mut Module, access: &Access) -> Value {
        let of = |(statement, a): &(StatementId, &Access)| {
            (*statement, a.array, &a.subscripts) == (self.statement, access.array, &access.subscripts)
        };
        let own = (self.statement, self.lane);
        if let Some(word) = self.windows.iter().find_map(|window| window.word(access)) {
            let expr = self.evaluation.word(&word, own, access);
            return Value { expr, stage: Some(self.evaluation.stage_of(access.array)) };
        }
        let Evaluation { candidate, .. } = self.evaluation;
        let port =
            candidate.ports.iter().find(|p| p.users.iter().any(of)).expect("a port or a window serves a reference");
        let expr = self.evaluation.word(&port.word.e(), own, access);
        Value { expr, stage: Some(self.evaluation.stage_of(port.array) + port.lateness.delay) }
    }

    fn gather(&mut self, m: &mut Module, gather: &Gather, subscripts: &[Rtl]) -> GatherPort {
        let Evaluation { process, candidate, .. } = self.evaluation;
        let place = self.place(gather, subscripts);
        let copy = process.gather_copy(&candidate.ports, self.statement, gather);
        let array = process.context.array(gather.array);
        let name = &array.name;
        let ty = address::address_type(process.buffer(gather.array));
        let address = m.output_reg(&format!("m_read_{name}_{copy}_address"), ty);
        let data = m.input(&format!("s_read_{name}_{copy}_data"), rtl_type(array.element)).e();
        GatherPort { place, address, data }
    }

    fn place(&self, gather: &Gather, subscripts: &[Rtl]) -> Place {
        let process = self.evaluation.process;
        let (buffer, array) = (process.buffer(gather.array), process.context.array(gather.array));
        let kind = process.instances.kinds_of(self.statement).next().expect("the statement has instances");
        let mapping = buffer.mappings[kind.band].as_ref().expect("a band that reads has a mapping");
        let residues = subscripts.iter().zip(&mapping.moduli).filter(|(_, modulus)| **modulus > 1);
        let residues: Vec<Rtl> = residues.map(|(value, m)| value.resize(Type::unsigned(m.trailing_zeros()))).collect();
        let ty = address::address_type(buffer);
        let address = if residues.is_empty() { Rtl::constant(0, ty) } else { Rtl::concat(&residues).resize(ty) };
        let mut outside = vec![];
        for ((value, subscript), extent) in subscripts.iter().zip(&gather.subscripts).zip(&array.extents) {
            let (low, high) = interval::of(subscript);
            if low < 0 {
                outside.push(value.lt(&Rtl::constant(0, value.ty())));
            }
            if !extent.is_constant() || high >= extent.constant.into() {
                outside.push(value.ge(&kind.scope.affine(&kind.affine(extent))));
            }
        }
        Place { address, outside: (!outside.is_empty()).then(|| Rtl::any(&outside)) }
    }

    fn scalar(&self, scalar: usize) -> Rtl {
        self.evaluation.scalars[scalar].clone()
    }

    fn index(&mut self, m: &mut Module, value: &Affine, ty: ScalarType) -> Value {
        let Process { lanes, instances, .. } = self.evaluation.process;
        let value = &lanes.of(self.statement).at(value, self.lane);
        let value =
            instances.choose(&[self.statement], |kind| kind.scope.affine(&kind.affine(value)).resize(rtl_type(ty)));
        let register = m.reg("index", value.ty());
        self.candidate.push((register.clone(), value));
        Value { expr: register.e(), stage: Some(1) }
    }
}
