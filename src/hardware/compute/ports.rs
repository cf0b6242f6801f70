//! The read ports of the compute process: which copy of which buffer serves which reference.

use crate::affine::Affine;
use crate::hardware::buffers::address::{self, TileNumber, buffer_of};
use crate::hardware::buffers::banks::Rotation;
use crate::hardware::buffers::partition;
use crate::hardware::circuit::ranged::rtl_type;
use crate::hardware::compute::instances::InstanceKind;
use crate::hardware::compute::process::Process;
use crate::ids::ArrayId;
use crate::offload::port_references;
use crate::rtl::{Expr as Rtl, Module, Signal, Statement, assign};
use crate::source::kernel::Access;

/// Who reads through a port: statements, each with the reference that it reads.
pub type Users<'a> = Vec<(usize, &'a Access)>;

/// A read port: one copy of the buffer of an array, used by some reference of some statements.
pub struct ReadPort<'a> {
    pub array: ArrayId,
    pub copy: usize,
    pub users: Users<'a>,
    /// What the address register takes with the next instance.
    pub incoming: Rtl,
    pub data: Signal,
    pub rotation: Option<Rotation>,
}

impl ReadPort<'_> {
    pub fn statements(&self) -> Vec<usize> {
        self.users.iter().map(|(statement, _)| *statement).collect()
    }
}

/// One read port per array and copy; `loads` takes their addresses to stage 1.
pub fn read_ports<'a>(
    process: &Process<'a, '_>,
    m: &mut Module,
    tile: &TileNumber,
    loads: &mut Vec<Statement>,
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
