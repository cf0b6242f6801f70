//! The writes that are under way in the compute pipeline, in the order in which they will reach the buffers.
//!
//! Slot n of a chain holds the write that comes n cycles from now. An instance enters where the latency of its
//! statement says, so writes of statements of different latency overtake one another; the hazards are checked before
//! it enters. Statements that divide have one instance under way; its write waits beside the chain and enters at the
//! top, which nothing else does.
//!
//! A statement of several writes has an entry in as many chains, each at the latency of its value. The writes of an array
//! are all in one chain, so that they keep their order and share a port.

use crate::ids::ArrayId;
use crate::ids::StatementId;
use crate::rtl::{Expr, Module, Signal, Type, assign, when, when_else};

/// A statement as the chain sees it.
pub struct Writer {
    /// Index into the kernel's statements.
    pub statement: StatementId,
    /// Its number among the statements of the pipeline, absent where there is one only.
    pub number: Option<Expr>,
    /// Cycles from its start to its write: it enters the slot before that.
    pub latency: u32,
    /// Has one instance under way at a time.
    pub divides: bool,
    pub array: ArrayId,
    /// An update at subscripts that depend on data, see [`Scattered::sees`](crate::hardware::datapath::Scattered::sees).
    pub sees: Option<u32>,
}

/// A write under way.
#[derive(Clone)]
pub struct Pending {
    pub valid: Expr,
    pub number: Option<Expr>,
    pub address: Expr,
    /// Cycles until the write; `None` for a write that waits beside the chain, behind everything in it.
    pub slot: Option<u32>,
}

/// The registers of a chain.
pub struct Chain {
    writers: Vec<Writer>,
    /// Whether every instance has a write here.
    takes_all: bool,
    slots: Vec<Slot>,
    division: Option<Division>,
    /// What the names of its registers begin with.
    prefix: String,
}

struct Slot {
    valid: Signal,
    end: Signal,
    number: Option<Signal>,
    address: Signal,
}

/// The write of a statement that divides.
struct Division {
    /// From its start to its write.
    busy: Signal,
    waits: Signal,
    left: Signal,
    number: Option<Signal>,
    address: Signal,
}

/// What starts: the number and the write address of the instance, and whether it or an end mark does.
pub struct Start {
    pub fire: Expr,
    pub end: Expr,
    pub number: Option<Expr>,
    pub address: Expr,
}

/// The top slot of the chain for `(latency, divides)` of every statement.
pub fn top_slot(statements: impl Iterator<Item = (u32, bool)> + Clone) -> u32 {
    let quick = statements.clone().filter(|(_, divides)| !divides).map(|(latency, _)| latency - 1).max();
    let divides = statements.clone().any(|(_, divides)| divides);
    quick.map_or(0, |top| top + u32::from(divides))
}

/// The least latency of a statement that divides, which waits beside the chain for at least a cycle.
pub fn least_division_latency(top: u32) -> u32 {
    top + 2
}

impl Chain {
    /// Chain number `place` among those of a process; `statements` have instances.
    pub fn declare(
        m: &mut Module,
        place: usize,
        writers: Vec<Writer>,
        statements: &[StatementId],
        number: Option<Type>,
        address: Type,
    ) -> Chain {
        let prefix = match place {
            0 => String::new(),
            1 => "beside_".to_string(),
            more => format!("beside_{more}_"),
        };
        let takes_all = statements.iter().all(|s| writers.iter().any(|w| w.statement == *s));
        let top = top_slot(writers.iter().map(|w| (w.latency, w.divides)));
        let slot = |n: u32| Slot {
            valid: m.reg(&format!("{prefix}pending_{n}"), Type::BIT),
            end: m.reg(&format!("{prefix}pending_{n}_end"), Type::BIT),
            number: number.map(|ty| m.reg(&format!("{prefix}pending_{n}_statement"), ty)),
            address: m.reg(&format!("{prefix}pending_{n}_address"), address),
        };
        let slots: Vec<Slot> = (0..=top).map(slot).collect();
        let longest = writers.iter().filter(|w| w.divides).map(|w| w.latency - 2 - top).max();
        let division = longest.map(|longest| Division {
            busy: m.reg(&format!("{prefix}division_busy"), Type::BIT),
            waits: m.reg(&format!("{prefix}division_waits"), Type::BIT),
            left: m.reg(&format!("{prefix}division_left"), Type::for_range(0, longest.into())),
            number: number.map(|ty| m.reg(&format!("{prefix}division_statement"), ty)),
            address: m.reg(&format!("{prefix}division_address"), address),
        });
        Chain { writers, takes_all, slots, division, prefix }
    }

    pub fn writers(&self) -> &[Writer] {
        &self.writers
    }

    /// What the names of its registers begin with.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Cycles that an end mark takes through it: no fewer than a write of a statement that does not divide.
    pub fn length(&self) -> usize {
        self.slots.len()
    }

    /// All writes under way.
    pub fn pending(&self) -> Vec<Pending> {
        let number = |n: &Option<Signal>| n.as_ref().map(|n| n.e());
        let slots = self.slots.iter().enumerate().map(|(n, slot)| Pending {
            valid: slot.valid.e(),
            number: number(&slot.number),
            address: slot.address.e(),
            slot: Some(n as u32),
        });
        let waiting = self.division.iter().map(|division| Pending {
            valid: division.waits.e(),
            number: number(&division.number),
            address: division.address.e(),
            slot: None,
        });
        slots.chain(waiting).collect()
    }

    /// What every one of [`Chain::pending`] becomes in the next cycle: the one there with that index, or what starts
    /// now (`None`), each where its condition holds; otherwise nothing.
    pub fn next(&self, start: &Start) -> Vec<Vec<(Expr, Option<usize>)>> {
        let division = self.division.as_ref().map(|d| (d, d.waits.e().and(&d.left.e().is_zero())));
        let mut next = vec![];
        for n in 0..self.slots.len() {
            let mut sources = vec![];
            if self.writers.iter().any(|w| enters(w, n)) {
                sources.push((start.fire.and(&self.is_among(start.number.as_ref(), &|w| enters(w, n))), None));
            }
            match (n + 1 < self.slots.len(), &division) {
                (true, _) => sources.push((Expr::bit(true), Some(n + 1))),
                (false, Some((_, leaves))) => sources.push((leaves.clone(), Some(n + 1))),
                (false, None) => {}
            }
            next.push(sources);
        }
        if let Some((_, leaves)) = division {
            let begins = start.fire.and(&self.is_among(start.number.as_ref(), &|w| w.divides));
            next.push(vec![(begins, None), (leaves.not(), Some(self.slots.len()))]);
        }
        next
    }

    /// The write of this cycle.
    pub fn write(&self) -> Pending {
        self.pending().swap_remove(0)
    }

    /// What [`Chain::write`] will be in the next cycle; `None` where an instance that starts now may be that.
    pub fn write_ahead(&self) -> Option<Pending> {
        let direct = self.division.is_some() || self.writers.iter().any(|w| enters(w, 0));
        if direct { None } else { self.pending().into_iter().nth(1) }
    }

    /// An end mark has come through.
    pub fn end(&self) -> Expr {
        self.slots[0].end.e()
    }

    /// Whether something is in the slot that an instance of `writer` would enter.
    pub fn taken(&self, writer: &Writer) -> Expr {
        // What is one slot above now will be there in the next cycle.
        self.slots.get(writer.latency as usize).map_or(Expr::bit(false), |slot| slot.valid.e())
    }

    /// [`Chain::taken`] in the next cycle.
    pub fn taken_next(&self, writer: &Writer, start: &Start) -> Expr {
        let (Some(next), pending) = (self.next(start).into_iter().nth(writer.latency as usize), self.pending()) else {
            return Expr::bit(false);
        };
        if writer.latency as usize >= self.slots.len() {
            return Expr::bit(false);
        }
        let valid = next.into_iter().map(|(condition, source)| match source {
            Some(source) => condition.and(&pending[source].valid),
            None => condition,
        });
        Expr::any(&valid.collect::<Vec<_>>())
    }

    /// Whether the write may land at or behind that of an instance of `writer` that starts now.
    pub fn overtaken(writer: &Writer, pending: &Pending) -> bool {
        !writer.divides && pending.slot.is_none_or(|slot| slot > writer.latency)
    }

    /// Whether a division is under way.
    pub fn divides(&self) -> Expr {
        self.division.as_ref().map_or(Expr::bit(false), |division| division.busy.e())
    }

    /// [`Chain::divides`] in the next cycle.
    pub fn divides_next(&self, start: &Start) -> Expr {
        if self.division.is_none() {
            return Expr::bit(false);
        }
        let (begins, ends) = self.division_begins_and_ends(start);
        begins.or(&self.divides().and(&ends.not()))
    }

    /// Moves the chain.
    pub fn connect(&self, m: &mut Module, start: &Start) {
        let (mut resets, mut body) = (vec![], vec![]);
        for (n, slot) in self.slots.iter().enumerate() {
            let starts = start.fire.and(&self.is_among(start.number.as_ref(), &|w| enters(w, n)));
            let above = self.slots.get(n + 1).map(|above| (above.valid.e(), above.number.as_ref(), &above.address));
            // The top slot has the divider above it, or nothing.
            let above = above.or_else(|| {
                self.division.as_ref().map(|d| (d.waits.e().and(&d.left.e().is_zero()), d.number.as_ref(), &d.address))
            });
            let (mut valid, mut number, mut address) = (starts.clone(), start.number.clone(), start.address.clone());
            if let Some((above_valid, above_number, above_address)) = above {
                valid = above_valid.or(&starts);
                address = starts.select(&address, &above_address.e());
                number = number.zip(above_number).map(|(own, above)| starts.select(&own, &above.e()));
            }
            let end = self.slots.get(n + 1).map_or(start.end.clone(), |above| above.end.e());
            body.extend([assign(&slot.valid, &valid), assign(&slot.end, &end), assign(&slot.address, &address)]);
            body.extend(slot.number.iter().zip(&number).map(|(register, value)| assign(register, value)));
            resets.extend([(slot.valid.clone(), 0), (slot.end.clone(), 0)]);
        }
        m.clocked("", resets, body);
        let Some(division) = &self.division else { return };
        m.comment("A statement that divides has one instance under way; its write waits for its turn.");
        let (begins, ends) = self.division_begins_and_ends(start);
        let begins = m.define(&format!("{}division_begins", self.prefix), &begins);
        let top = self.slots.len() as u32 - 1;
        let mut load: Vec<_> = vec![assign(&division.address, &start.address)];
        load.extend(division.number.iter().zip(&start.number).map(|(register, value)| assign(register, value)));
        let left = division.left.ty();
        let cycles = |w: &Writer| Expr::constant((w.latency - 2 - top).into(), left);
        let mut dividing = self.writers.iter().filter(|w| w.divides);
        let last = dividing.next().map(cycles).expect("declared for a statement that divides");
        let first = dividing.fold(last, |other, w| is(start.number.as_ref(), w).select(&cycles(w), &other));
        load.push(assign(&division.left, &first));
        let fewer = assign(&division.left, &division.left.e().decremented());
        let set = |register: &Signal, value: bool| assign(register, &Expr::bit(value));
        m.clocked(
            "",
            vec![(division.busy.clone(), 0), (division.waits.clone(), 0)],
            vec![
                when_else(
                    begins.e(),
                    vec![set(&division.busy, true)],
                    vec![when(ends, vec![set(&division.busy, false)])],
                ),
                when_else(
                    begins.e(),
                    vec![set(&division.waits, true)].into_iter().chain(load).collect(),
                    vec![when_else(division.left.e().is_zero(), vec![set(&division.waits, false)], vec![fewer])],
                ),
            ],
        );
    }

    /// Whether a division begins in this cycle, and whether the one under way is written.
    fn division_begins_and_ends(&self, start: &Start) -> (Expr, Expr) {
        let written = self.write();
        let begins = start.fire.and(&self.is_among(start.number.as_ref(), &|w| w.divides));
        (begins, written.valid.and(&self.is_among(written.number.as_ref(), &|w| w.divides)))
    }

    /// Whether the statement `number` is one of the writers that `which` names.
    fn is_among(&self, number: Option<&Expr>, which: &dyn Fn(&Writer) -> bool) -> Expr {
        if self.takes_all && self.writers.iter().all(which) {
            return Expr::bit(true);
        }
        Expr::any(&self.writers.iter().filter(|w| which(w)).map(|w| is(number, w)).collect::<Vec<_>>())
    }
}

/// Whether instances of `writer` enter the chain at slot `n`.
fn enters(writer: &Writer, n: usize) -> bool {
    !writer.divides && writer.latency as usize == n + 1
}

/// Whether the statement `number` is `writer`.
fn is(number: Option<&Expr>, writer: &Writer) -> Expr {
    match (number, &writer.number) {
        (Some(number), Some(own)) => number.eq(own),
        _ => Expr::bit(true),
    }
}
