//! The read ports of the compute process: which copy of which buffer serves which reference.

use crate::hardware::buffers::address::{self, TileNumber, buffer_of};
use crate::hardware::buffers::banks::Rotations;
use crate::hardware::buffers::partition;
use crate::hardware::circuit::ranged::rtl_type;
use crate::hardware::circuit::variable::Affine;
use crate::hardware::compute::approach::Approach;
use crate::hardware::compute::instances::InstanceKind;
use crate::hardware::compute::lateness::{FORWARD, Lateness, Latenesses};
use crate::hardware::compute::process::Process;
use crate::ids::{ArrayId, StatementId};
use crate::offload::port_references;
use crate::rtl::{Expr as Rtl, Module, Signal, Statement, Type, assign};
use crate::source::kernel::Access;

/// A write to an array, in some cycle.
pub struct Write {
    pub valid: Rtl,
    pub address: Rtl,
}

/// Who reads through a port: statements, each with the reference that it reads.
pub type Users<'a> = Vec<(StatementId, &'a Access)>;

/// A read port: one copy of the buffer of an array, used by some reference of some statements.
pub struct ReadPort<'a> {
    pub array: ArrayId,
    pub copy: usize,
    pub users: Users<'a>,
    /// What the address register takes with the next instance.
    pub incoming: Rtl,
    /// Whether an adder is on the way to it.
    pub is_sum: bool,
    /// The word, in stage 3 or as many stages later as the port is late.
    pub word: Signal,
    /// It comes out of the buffer.
    data: Signal,
    pub rotation: Option<Rotations>,
    pub lateness: Lateness,
    /// What becomes of the address in stage 1, where the port is late: the stages behind it.
    address: Vec<Signal>,
}

impl ReadPort<'_> {
    /// Brings the word to its register; `name` is its array's, `written` the write of the array in this cycle, with its
    /// value, and `next` the one in the next cycle.
    pub fn connect(&self, m: &mut Module, name: &str, written: Option<(Write, Rtl)>, next: Option<Write>) {
        let (copy, forward) = (self.copy, self.lateness.forward);
        let mut registers: Vec<Statement> =
            self.address.windows(2).map(|pair| assign(&pair[1], &pair[0].e())).collect();
        let mut word = self.data.e();
        let Some((write, value)) = written.filter(|_| forward > 0) else {
            registers.push(assign(&self.word, &word));
            m.clocked("", vec![], registers);
            return;
        };
        let value = value.resize(self.word.ty());
        let address = self.address.last().expect("there is stage 1").e();
        let take = |m: &mut Module, registers: &mut Vec<Statement>, what: &str, write: &Write, address: &Rtl| {
            let taken = m.reg(&format!("{name}_{copy}_is_{what}"), Type::BIT);
            let hit = write.valid.and(&write.address.resize(address.ty()).eq(address));
            registers.push(assign(&taken, &hit));
            taken.e()
        };
        let taken = take(m, &mut registers, "written", &write, &address);
        let last = m.reg(&format!("{name}_{copy}_written"), self.word.ty());
        word = taken.select(&last.e(), &word);
        let next = next.filter(|_| forward > 1);
        let on_its_way = next.as_ref().map(|next| take(m, &mut registers, "on_its_way", next, &address));
        if forward < FORWARD {
            let word = on_its_way.map_or(word.clone(), |taken| taken.select(&value, &word));
            registers.push(assign(&self.word, &word));
        } else {
            let register = m.reg(&format!("{name}_{copy}_read"), self.word.ty());
            registers.push(assign(&register, &word));
            word = register.e();
            if let (Some(next), Some(on_its_way)) = (&next, on_its_way) {
                // A cycle later it is the last one: a block RAM's word, late as it is, passes one choice.
                let taken = m.reg(&format!("{name}_{copy}_was_on_its_way"), Type::BIT);
                registers.push(assign(&taken, &on_its_way));
                word = taken.e().select(&last.e(), &word);
                let before = m.reg(&format!("read_{name}_{copy}_address_before"), address.ty());
                word = take(m, &mut registers, "still_to_come", next, &before.e()).select(&value, &word);
                registers.push(assign(&before, &address));
            }
            m.assign(&self.word, &word);
        }
        registers.push(assign(&last, &value));
        m.clocked("", vec![], registers);
    }

    pub fn statements(&self) -> Vec<StatementId> {
        self.users.iter().map(|(statement, _)| *statement).collect()
    }
}

/// One read port per array and copy; `loads` takes their addresses to stage 1.
pub fn read_ports<'a>(
    process: &Process<'a, '_>,
    m: &mut Module,
    (tile, approach): (&TileNumber, &mut Approach),
    latenesses: &Latenesses,
    loads: &mut Vec<(Signal, Rtl)>,
) -> Vec<ReadPort<'a>> {
    let Process { context, offload, instances, lanes, .. } = process;
    let mut wanted: Vec<(ArrayId, usize, Users<'a>)> = vec![];
    for &s in &instances.statements {
        let mut used: Vec<ArrayId> = vec![];
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
        let lateness = latenesses.get(&(array, copy)).copied().unwrap_or_default();
        let mut stage = |stage: u32| match stage == lateness.delay {
            true => m.output_reg(&format!("m_read_{name}_{copy}_address"), address::address_type(buffer)),
            false => m.reg(&format!("read_{name}_{copy}_address_s{}", stage + 1), address::address_type(buffer)),
        };
        let address: Vec<Signal> = (0..=lateness.delay).map(&mut stage).collect();
        let element = rtl_type(context.array(array).element);
        let word = if buffer.banks.is_some() { address::data_type(buffer, element.width) } else { element };
        let data = m.input(&format!("s_read_{name}_{copy}_data"), word);
        let word = match lateness.forward {
            FORWARD => m.wire(&format!("{name}_{copy}"), word),
            _ => m.reg(&format!("{name}_{copy}"), word),
        };
        let rotation = lanes.rotation(&users, buffer, instances);
        let statements: Vec<StatementId> = users.iter().map(|(statement, _)| *statement).collect();
        let user =
            |kind: &InstanceKind| users.iter().find(|(s, _)| *s == kind.statement).expect("chosen among the users");
        let choose = |value: &dyn Fn(&InstanceKind, &[Affine]) -> Rtl| {
            instances.choose(&statements, |kind| {
                let (_, access) = user(kind);
                value(kind, &kind.affines(&lanes.of(kind.statement).subscripts(access, buffer)))
            })
        };
        let value = choose(&|kind, cell| address::address(buffer, kind.band, cell, &kind.scope, tile));
        let is_sum = value.has_sum();
        let incoming = match approach.is_there() {
            true => approach.hold(m, &format!("next_read_{name}_{copy}"), value),
            false => m.define(&format!("next_read_{name}_{copy}"), &value).e(),
        };
        loads.push((address[0].clone(), incoming.clone()));
        if let Some((rotations, ty)) = rotation.as_ref().and_then(|r| Some((r, r.told()?))) {
            let along = m.output_reg(&format!("m_read_{name}_{copy}_along"), ty);
            let value = instances.choose(&statements, |kind| {
                let (s, access) = user(kind);
                Rtl::constant(lanes.line(*s, access, buffer, rotations), ty)
            });
            loads.push((along, value));
        }
        if let Some(partition) = &buffer.partition {
            let bank = m.output_reg(&format!("m_read_{name}_{copy}_bank"), partition::bank_type(partition));
            let value = choose(&|kind, cell| {
                let mapping = buffer.mappings[kind.band].as_ref().expect("a band that reads has a mapping");
                let number = partition.bank(&mapping.skewed(cell), Affine::default());
                kind.scope.affine_as(&number, bank.ty())
            });
            loads.push((bank, value));
        }
        ports.push(ReadPort { array, copy, users, incoming, is_sum, word, data, rotation, lateness, address });
    }
    ports
}
