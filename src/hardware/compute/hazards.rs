//! What an instance in stage 1 waits for: words on their way to the buffers, slots of the reservation chain, and ports
//! that the transfers borrow.

use std::collections::BTreeSet;

use crate::hardware::buffers::address;
use crate::hardware::buffers::banks::{Extent, Fields, Rotation, Rotations};
use crate::hardware::buffers::beat::Beat;
use crate::hardware::compute::candidate::Candidate;
use crate::hardware::compute::ports::ReadPort;
use crate::hardware::compute::process::{Process, Reservation};
use crate::hardware::compute::reservation::{Chain, Pending, Start, Writer};
use crate::ids::{ArrayId, StatementId};
use crate::rtl::{Expr as Rtl, Module, Signal, Type, assign};
use crate::source::kernel::Access;

/// The writes that are under way in a chain, beside the instance that may start.
pub struct Hazards<'a, 'p> {
    pub process: &'p Process<'a, 'p>,
    pub candidate: &'p Candidate<'a>,
    /// The chain's number.
    pub place: usize,
    pub chain: &'p Chain,
    /// The statements of all chains.
    pub writers: &'p [&'p Writer],
    pub chains: &'p [Reservation],
}

/// Ports that the transfers borrow.
pub struct Lent {
    /// With `s_fill_<array>`.
    pub filled: Vec<Filled>,
    /// Arrays with `s_drain_<array>`.
    pub drained: Vec<ArrayId>,
}

/// An array whose write port the load process borrows.
pub struct Filled {
    pub array: ArrayId,
    /// Whether the instance in stage 1 writes it.
    wants: Rtl,
    /// Where the load process waits for gaps as they come: whether the instance is held back for one, and whether one was a cycle ago.
    turns: Option<(Rtl, Signal)>,
}

impl Filled {
    /// Takes turns: after each gap, the instance that was held back for it goes first. Tells whether the load process sees which gaps
    /// it is given: not where it has one for each line.
    pub fn take_turns(&self, m: &mut Module, candidate: &Candidate) -> bool {
        let Some((held, was_held)) = &self.turns else { return false };
        let update = assign(was_held, &candidate.valid.e().and(held));
        m.clocked("", vec![(was_held.clone(), 0)], vec![update]);
        true
    }

    /// Whether an instance begins that takes a cycle of the write port.
    pub fn takes(&self, candidate: &Candidate) -> Rtl {
        candidate.fire.e().and(&self.wants)
    }
}

/// Something that an instance in stage 1 waits for, found out a cycle before.
pub struct Waits {
    /// Where stage 1 moves: whether the instance that comes there waits.
    comes: Rtl,
    /// Where it does not: whether the one there still waits.
    stays: Rtl,
    register: Signal,
}

/// Registers that are brought together at least, and what is looked at in the cycle that decides at most.
const TOGETHER: usize = 12;
const MOST_GROUPS: usize = 16;

/// What tells, of what stage 1 waits for and of `taken`, whether the instance there waits. Where instances approach, there is
/// time to bring many together the cycle before.
pub fn decided(m: &mut Module, moves: &Rtl, waits: Vec<Waits>, taken: Vec<Taken>, approaches: bool) -> Vec<Rtl> {
    let mut hazards = vec![];
    let value = |wait: &Waits| moves.select(&wait.comes, &wait.stays);
    let mut updates: Vec<_> = waits.iter().map(|wait| assign(&wait.register, &value(wait))).collect();
    // A register that tells of any of some, found out a cycle before.
    let mut together = |m: &mut Module, name: &str, parts: Vec<[&Rtl; 2]>| {
        let register = m.reg(name, Type::BIT);
        let any = |k: usize| Rtl::any(&parts.iter().map(|part| part[k].clone()).collect::<Vec<_>>());
        updates.push(assign(&register, &moves.select(&any(0), &any(1))));
        register.e()
    };
    if approaches && waits.len() > TOGETHER {
        for (number, group) in waits.chunks(TOGETHER.max(waits.len().div_ceil(MOST_GROUPS))).enumerate() {
            let parts = group.iter().map(|wait| [&wait.comes, &wait.stays]).collect();
            hazards.push(together(m, &format!("waits_{number}"), parts));
        }
    } else {
        hazards.extend(waits.iter().map(|wait| wait.register.e()));
    }
    if approaches && !taken.is_empty() {
        hazards.push(together(m, "slot_is_taken", taken.iter().map(|own| [&own.comes, &own.stays]).collect()));
    } else {
        hazards.extend(taken.into_iter().map(|own| own.now));
    }
    if !updates.is_empty() {
        m.clocked("", vec![], updates);
    }
    hazards
}

/// Whether the slot of a chain that an instance would enter is taken: seen in the cycle that decides, or the cycle before.
pub struct Taken {
    now: Rtl,
    comes: Rtl,
    stays: Rtl,
}

impl Hazards<'_, '_> {
    /// A bit for every write under way, found out as an instance comes to stage 1; while the instance waits there, what it
    /// waits for moves on.
    pub fn waits(&self, m: &mut Module, start: &Start) -> Vec<Waits> {
        // Ports that are late see what the others wait for.
        let ports = self.candidate.ports.iter().filter(|port| self.has(port));
        let updates = self.chain.writers().iter().filter_map(|writer| writer.sees);
        let seen: BTreeSet<u32> = ports.map(|port| port.lateness.sees()).chain(updates).chain([0]).collect();
        seen.into_iter().flat_map(|seen| self.waits_of(m, start, seen)).collect()
    }

    /// `start` as it is where stage 1 moves: what is there starts.
    fn where_it_moves(&self, start: &Start) -> Start {
        let Start { end, number, address, .. } = start;
        Start { fire: self.candidate.would_start(), end: end.clone(), number: number.clone(), address: address.clone() }
    }

    /// Whether what is written to the array of a port goes through this chain.
    fn has(&self, port: &ReadPort) -> bool {
        self.process.chain_of(port.array) == Some(self.place)
    }

    /// [`Hazards::waits`] of the ports that see what is written fewer than `seen` cycles from now.
    fn waits_of(&self, m: &mut Module, start: &Start, seen: u32) -> Vec<Waits> {
        let pending = self.chain.pending();
        let is_seen = |pending: &Pending| pending.slot.is_some_and(|slot| slot < seen);
        let prefix = self.chain.prefix();
        let mut register = |(n, pending): (usize, &Pending)| {
            let late = if seen == 0 { String::new() } else { format!("late_{seen}_") };
            (!is_seen(pending)).then(|| m.reg(&format!("{prefix}{late}waits_for_{n}"), Type::BIT))
        };
        let registers: Vec<Option<Signal>> = pending.iter().enumerate().map(&mut register).collect();
        let mut waits = vec![];
        for (n, sources) in self.chain.next(&self.where_it_moves(start)).into_iter().enumerate() {
            let Some(register) = &registers[n] else { continue };
            let (mut comes, mut stays) = (vec![], vec![]);
            for (condition, source) in sources {
                let slot = pending[n].slot;
                let before = match source {
                    Some(source) => Pending { slot, ..pending[source].clone() },
                    None => Pending {
                        valid: Rtl::bit(true),
                        number: self.candidate.number.clone(),
                        address: self.candidate.writes[self.place].register.e(),
                        slot,
                    },
                };
                comes.push(condition.and(&self.clash(&before, seen)));
                stays.extend(source.and_then(|source| registers[source].as_ref()).map(|r| condition.and(&r.e())));
            }
            waits.push(Waits { comes: Rtl::any(&comes), stays: Rtl::any(&stays), register: register.clone() });
        }
        waits
    }

    /// Whether the next instance must wait for `pending`: it reads the word through a port that is as late as `seen` says,
    /// or, looked at with those that are not late, its own write would come first.
    fn clash(&self, pending: &Pending, seen: u32) -> Rtl {
        let Hazards { process, candidate, .. } = self;
        let is_incoming =
            |statements: &[StatementId]| process.instances.is_one_of(self.candidate.next_number.as_ref(), statements);
        let here = |port: &&ReadPort| port.lateness.sees() == seen && self.has(port);
        let reads = candidate.ports.iter().filter(here).map(|port| {
            is_incoming(&port.statements()).and(&self.meets(pending, port.array, &port.incoming, &port.users))
        });
        let overtaken = |w: &&Writer| seen == 0 && Chain::overtaken(w, pending);
        let written = self.chain.writers().iter().filter(overtaken).map(|writer| {
            let next = &candidate.writes[self.place].next;
            let address = next.resize(address::address_type(process.buffer(writer.array)));
            let users = process.targets_of(writer.array, &[writer.statement]);
            is_incoming(&[writer.statement]).and(&self.meets(pending, writer.array, &address, &users))
        });
        let before = |incoming: StatementId, others: &[StatementId]| match others {
            [] => Rtl::bit(false),
            _ => {
                let is_before = process.instances.is_one_of(pending.number.as_ref(), others);
                is_incoming(&[incoming]).and(&pending.valid).and(&is_before)
            }
        };
        let updates = self.chain.writers().iter().filter(|writer| writer.sees == Some(seen));
        let updates = updates.map(|writer| before(writer.statement, &[writer.statement]));
        let present = if seen == 0 { process.present() } else { &[] };
        let gathering = present.iter().map(|&s| before(s, &self.writers_before(s)));
        // What is gathered has been read before the instance that gathers it writes.
        let is_later = |writer: &&&Writer| seen == 0 && pending.slot.is_none_or(|slot| slot > writer.latency);
        let replaced = self.writers.iter().filter(is_later);
        let replaced = replaced.map(|writer| before(writer.statement, &process.gatherers_of(writer.array)));
        Rtl::any(&reads.chain(written).chain(updates).chain(gathering).chain(replaced).collect::<Vec<_>>())
    }

    /// The statements whose writes in this chain a statement that gathers must find in the buffers: all that write what it reads in the
    /// middle of its pipeline, but for its own updates of the very place that it reads.
    fn writers_before(&self, statement: StatementId) -> Vec<StatementId> {
        let own = self.process.statements[statement];
        let mut found = vec![];
        for gather in own.gathers().into_iter().filter(|g| self.process.chain_of(g.array) == Some(self.place)) {
            let is_update = own.scatter().is_some_and(|place| place.is_same(gather));
            found.extend(self.process.writers_of(gather.array).into_iter().filter(|s| !is_update || *s != statement));
        }
        found.sort();
        found.dedup();
        found
    }

    /// Whether `pending` is a write of the word of `array` at `address`, or of a group that shares a word with that there,
    /// which the next instance accesses as one of `users` does.
    fn meets(&self, pending: &Pending, array: ArrayId, address: &Rtl, users: &[(StatementId, &Access)]) -> Rtl {
        let process = self.process;
        let there = pending.address.resize(address.ty());
        let writers = process.writers_of(array);
        let is_one_of = |number: Option<&Rtl>, own: &[StatementId]| process.instances.is_one_of(number, own);
        // All are of the only class.
        let is_of_class =
            |classes: &[(Vec<Extent>, Vec<StatementId>)], number: Option<&Rtl>, own: &[StatementId]| match classes {
                [_] => Rtl::bit(true),
                _ => is_one_of(number, own),
            };
        // Where data tell the place, it is not known before the write is due.
        let scatterers = process.scatterers_of(array);
        let scatters = |s: &StatementId| scatterers.contains(s);
        let meets = match Fields::of(process.buffer(array)) {
            _ if users.iter().any(|(s, access)| is_scattered(process, *s, access)) => Rtl::bit(true),
            None if writers.iter().any(scatters) => {
                is_one_of(pending.number.as_ref(), &scatterers).or(&there.eq(address))
            }
            None => there.eq(address),
            Some(fields) => {
                let written = self.extents(array, &process.targets_of(array, &writers));
                let accessed = self.extents(array, users);
                let mut found = vec![];
                for (one, by) in &written {
                    for (other, own) in &accessed {
                        let extents: Vec<(Extent, Extent)> = one.iter().copied().zip(other.iter().copied()).collect();
                        let meets = fields.meet((&there, address), &extents);
                        let by = is_of_class(&written, pending.number.as_ref(), by);
                        let own = is_of_class(&accessed, self.candidate.next_number.as_ref(), own);
                        found.push(by.and(&own).and(&meets));
                    }
                }
                Rtl::any(&found)
            }
        };
        pending.valid.and(&is_one_of(pending.number.as_ref(), &writers)).and(&meets)
    }

    /// What accesses of an array in banks take at once, with the statements that do.
    fn extents(&self, array: ArrayId, users: &[(StatementId, &Access)]) -> Vec<(Vec<Extent>, Vec<StatementId>)> {
        let Process { lanes, instances, .. } = self.process;
        let buffer = self.process.buffer(array);
        let axes = buffer.bank_axes();
        let mut extents: Vec<(Vec<Extent>, Vec<StatementId>)> = vec![];
        for (statement, access) in users {
            let rotations = lanes.rotation(&[(*statement, *access)], buffer, instances);
            let rotations = rotations.as_ref().map_or(&[][..], Rotations::axes);
            let along = axes.iter().zip(rotations).map(|(banks, rotation)| {
                match (lanes.of(*statement).moves_along(access, banks.subscript), rotation) {
                    (false, _) => Extent::Word,
                    (true, rotation) => match lanes.aligned((*statement, *access), buffer, banks, instances) {
                        Some(count) => Extent::Aligned(count),
                        None => Extent::Group(match rotation {
                            Rotation::Always(bank) => Some(*bank),
                            Rotation::ByAddress | Rotation::Word => None,
                        }),
                    },
                }
            });
            let extent: Vec<Extent> = along.collect();
            match extents.iter_mut().find(|(known, _)| *known == extent) {
                Some((_, statements)) => statements.push(*statement),
                None => extents.push((extent, vec![*statement])),
            }
        }
        extents
    }

    /// The instance's slot in the chain is taken, or it divides and an instance of any chain does: statements share dividers, and what they
    /// keep for the one that divides.
    pub fn taken(&self, start: &Start) -> Option<Taken> {
        let own = self.chain.writers();
        let is = |number: Option<&Rtl>, writer: &Writer| self.process.instances.is_one_of(number, &[writer.statement]);
        let of = |number: Option<&Rtl>, taken: &dyn Fn(&Writer) -> Rtl| {
            Rtl::any(&own.iter().map(|writer| is(number, writer).and(&taken(writer))).collect::<Vec<_>>())
        };
        let (number, next) = (self.candidate.number.as_ref(), self.candidate.next_number.as_ref());
        let any =
            |divides: &dyn Fn(&Reservation) -> Rtl| Rtl::any(&self.chains.iter().map(divides).collect::<Vec<_>>());
        let divides = any(&|(chain, _)| chain.divides());
        let now = of(number, &|writer| if writer.divides { divides.clone() } else { self.chain.taken(writer) });
        let taken_next = |writer: &Writer, fires: &Rtl| match writer.divides {
            true => {
                any(&|(chain, start)| chain.divides_next(&Start { fire: fires.clone(), ..self.where_it_moves(start) }))
            }
            false => self.chain.taken_next(writer, &Start { fire: fires.clone(), ..self.where_it_moves(start) }),
        };
        let comes = of(next, &|writer| taken_next(writer, &self.candidate.would_start()));
        let stays = of(number, &|writer| taken_next(writer, &Rtl::bit(false)));
        (now.as_constant() != Some(0)).then_some(Taken { now, comes, stays })
    }
}

/// Whether the access is the write of a statement that writes at subscripts that depend on data.
fn is_scattered(process: &Process, statement: StatementId, access: &Access) -> bool {
    let statement = process.statements[statement];
    statement.scatter().is_some() && std::ptr::eq(access, &statement.target)
}

/// A port of the instance is lent to a transfer: of the arrays `writes`, and of those that it reads.
pub fn lent(
    process: &Process,
    candidate: &Candidate,
    m: &mut Module,
    writes: impl Iterator<Item = ArrayId>,
    hazards: &mut Vec<Rtl>,
) -> Lent {
    let (loaded, _) = transferred(process);
    let mut lent = Lent { filled: vec![], drained: vec![] };
    for array in writes.filter(|array| loaded.contains(array)) {
        let name = &process.context.array(array).name;
        let port = m.input(&format!("s_fill_{name}"), Type::BIT);
        let wants = candidate.is_of(process, &process.writers_of(array));
        let mut held = wants.and(&port.e());
        let mut turns = None;
        if Beat::filled_line(process.context, array).is_none() {
            let was_held = m.reg(&format!("held_for_{name}"), Type::BIT);
            held = held.and(&was_held.e().not());
            turns = Some((held.clone(), was_held));
        }
        hazards.push(held);
        lent.filled.push(Filled { array, wants, turns });
    }
    for port in candidate.ports.iter().filter(|port| is_drained(process, port)) {
        let lends = m.input(&format!("s_drain_{}", process.context.array(port.array).name), Type::BIT);
        hazards.push(candidate.is_of(process, &port.statements()).and(&lends.e()));
        lent.drained.push(port.array);
    }
    lent
}

/// Whether the store process borrows the port.
pub fn is_drained(process: &Process, port: &ReadPort) -> bool {
    let (_, stored) = transferred(process);
    port.copy == 0 && stored.contains(&port.array) && !process.buffer(port.array).store_copy
}

/// The arrays that some tile loads, and those that some tile stores.
fn transferred(process: &Process) -> (Vec<ArrayId>, Vec<ArrayId>) {
    let transfers = || process.offload.bands.iter().flat_map(|b| &b.transfers);
    let loaded = transfers().filter(|t| !t.load.pieces.is_empty()).map(|t| t.array);
    let stored = transfers().filter(|t| !t.store.pieces.is_empty()).map(|t| t.array);
    (loaded.collect(), stored.collect())
}
