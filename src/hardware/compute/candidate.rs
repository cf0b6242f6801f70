//! Stage 1 of the compute process: the instance that comes next, its addresses, and whether it starts.

use crate::hardware::buffers::address::{self, TileNumber};
use crate::hardware::compute::approach::Approach;
use crate::hardware::compute::lateness::Latenesses;
use crate::hardware::compute::ports::{ReadPort, read_ports};
use crate::hardware::compute::process::Process;
use crate::hardware::compute::windows::WarmUp;
use crate::ids::StatementId;
use crate::rtl::{Expr as Rtl, Module, Signal, Type, assign};

/// The registers of stage 1, which hold an instance until it starts.
pub struct Candidate<'a> {
    pub valid: Signal,
    /// An end mark passes.
    pub end: Signal,
    /// Which statement's, where there are several.
    pub number: Option<Rtl>,
    /// That of the instance that comes next.
    pub next_number: Option<Rtl>,
    pub ports: Vec<ReadPort<'a>>,
    /// By reservation chain.
    pub writes: Vec<WriteAddress>,
    /// The lanes that run, a bit for each, in stage [`RUNNING_STAGE`](crate::hardware::compute::lanes::RUNNING_STAGE);
    /// `None` for all.
    pub running: Option<Rtl>,
    /// The instance leaves stage 1; to be assigned.
    pub fire: Signal,
    /// It does, and it will write: one that only reads slides its words and is forgotten.
    pub starts: Rtl,
    /// It only reads.
    warms: Option<Rtl>,
    /// What registers of stage 1 take with the next instance.
    pub loads: Vec<(Signal, Rtl)>,
}

/// Where the instance writes, of the writes in one reservation chain.
pub struct WriteAddress {
    pub register: Signal,
    /// What it takes with the next instance.
    pub next: Rtl,
}

impl<'a> Candidate<'a> {
    pub fn declare(
        process: &Process<'a, '_>,
        m: &mut Module,
        tile: &TileNumber,
        warm_up: &WarmUp,
        latenesses: &Latenesses,
        approach: &mut Approach,
    ) -> Candidate<'a> {
        let Process { instances, lanes, .. } = process;
        let present = process.present();
        m.comment("Stage 1: its addresses.");
        let valid = m.reg("candidate", Type::BIT);
        let end = m.reg("candidate_end", Type::BIT);
        let number = (present.len() > 1).then(|| m.reg("candidate_statement", instances.number_type()));
        let mut loads: Vec<(Signal, Rtl)> = vec![];
        let next_number = number.as_ref().map(|_| approach.hold(m, "next_statement", instances.number()));
        loads.extend(number.iter().cloned().zip(next_number.clone()));
        let ports = read_ports(process, m, (tile, approach), latenesses, &mut loads);

        let mut writes = vec![];
        for chain in 0..process.chains.len() {
            let register = m.reg("write_address", process.write_address_type(chain));
            let next = instances.choose(&process.writers_in(chain), |kind| {
                let target = process.target_in(chain, kind.statement).expect("it writes there");
                let buffer = process.buffer(target.array);
                let cell = kind.affines(&lanes.of(kind.statement).subscripts(target, buffer));
                address::address(buffer, kind.band, &cell, &kind.scope, tile).resize(register.ty())
            });
            let next = match approach.is_there() {
                true => approach.hold(m, "next_write", next),
                false => m.define("next_write", &next).e(),
            };
            loads.push((register.clone(), next.clone()));
            writes.push(WriteAddress { register, next });
        }
        let own_number = number.as_ref().map(|n| n.e());
        let running = lanes.running(m, instances, own_number.as_ref(), &mut loads).map(|bits| {
            let register = m.reg("running_lanes", bits.ty());
            m.clocked("", vec![], vec![assign(&register, &bits)]);
            register.e()
        });

        let fire = m.wire("fire", Type::BIT);
        let warms = warm_up.warms().map(|warms| {
            let register = m.reg("candidate_warms", Type::BIT);
            loads.push((register.clone(), warms));
            register.e()
        });
        let starts = warms.as_ref().map_or(fire.e(), |warms| m.define("starts", &fire.e().and(&warms.not())).e());
        Candidate { valid, end, number: own_number, next_number, ports, writes, running, fire, starts, warms, loads }
    }

    /// What `starts` is once the instance leaves stage 1.
    pub fn would_start(&self) -> Rtl {
        self.warms.iter().fold(self.valid.e(), |valid, warms| valid.and(&warms.not()))
    }

    /// Whether the instance is one of these statements'.
    pub fn is_of(&self, process: &Process, statements: &[StatementId]) -> Rtl {
        process.instances.is_one_of(self.number.as_ref(), statements)
    }
}
