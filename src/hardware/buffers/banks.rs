//! Buffers in banks: a memory of its own for each of `count` neighbours along one subscript, so that lanes reach a group
//! of neighbours in one cycle. A group begins anywhere; its words are rotated over the banks.

use crate::hardware::buffers::address::address_type;
use crate::hardware::buffers::beat::Beat;
use crate::hardware::circuit::cells::port;
use crate::offload::Buffer;
use crate::rtl::{Connection, Expr, Module, Type, assign};

/// Where a banked buffer's address has its parts: `{high, index, bank, low}`, some of no bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    high: u32,
    index: u32,
    bank: u32,
    low: u32,
}

/// The bank in which groups begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// Always this one: banks and words are wired together.
    Always(u32),
    /// That of the address.
    ByAddress,
}

impl Fields {
    /// `None` for a buffer without banks.
    pub fn of(buffer: &Buffer) -> Option<Fields> {
        let banks = buffer.banks?;
        let mapping = buffer.common_mapping().expect("bands agree on what is in banks");
        let bits: Vec<u32> = mapping.moduli.iter().map(|m| m.trailing_zeros()).collect();
        let bank = banks.count.trailing_zeros();
        let (outer, inner) = (&bits[..banks.subscript], &bits[banks.subscript + 1..]);
        let index = bits[banks.subscript] - bank;
        let high = mapping.slots.trailing_zeros() + outer.iter().sum::<u32>();
        Some(Fields { high, index, bank, low: inner.iter().sum() })
    }

    pub fn count(&self) -> u32 {
        1 << self.bank
    }

    /// The bits of an address above the lowest `from`, `width` of them.
    fn part(address: &Expr, from: u32, width: u32) -> Option<Expr> {
        (width > 0).then(|| address.slice(from + width - 1, from))
    }

    /// The bank of an address.
    fn bank(&self, address: &Expr) -> Expr {
        address.slice(self.low + self.bank - 1, self.low)
    }

    /// Which banks, as many as a beat has elements, have the beat of an address; `None` where all have.
    fn beat(&self, beat: Beat, address: &Expr) -> Option<Expr> {
        Fields::part(address, self.low + beat.shift(), self.bank - beat.shift())
    }

    fn index(&self, address: &Expr) -> Option<Expr> {
        Fields::part(address, self.low + self.bank, self.index)
    }

    fn inner_type(&self) -> Type {
        Type::unsigned((self.high + self.index + self.low).max(1))
    }

    /// The address inside a bank; that of the group's next index where `next` is set.
    fn inner(&self, address: &Expr, next: bool) -> Expr {
        let index = self.index(address).map(|index| match next {
            true => index.incremented(),
            false => index,
        });
        let high = Fields::part(address, self.low + self.bank + self.index, self.high);
        let parts: Vec<Expr> = [high, index, Fields::part(address, 0, self.low)].into_iter().flatten().collect();
        if parts.is_empty() { Expr::constant(0, self.inner_type()) } else { Expr::concat(&parts) }
    }

    /// Whether the groups that begin at two addresses may share a word. Groups that begin in one bank share all words
    /// or none; others may share some where their indices are neighbours.
    pub fn meet(&self, one: &Expr, other: &Expr, in_one_bank: bool) -> Expr {
        let above = self.low + self.bank + self.index;
        let mut same = vec![];
        for (from, width) in [(above, self.high), (0, self.low)] {
            let parts = Fields::part(one, from, width).zip(Fields::part(other, from, width));
            same.extend(parts.map(|(a, b)| a.eq(&b)));
        }
        if let Some((a, b)) = self.index(one).zip(self.index(other)) {
            let after = |a: &Expr, b: &Expr| a.incremented().eq(b);
            same.push(match in_one_bank {
                true => a.eq(&b),
                false => Expr::any(&[a.eq(&b), after(&a, &b), after(&b, &a)]),
            });
        }
        Expr::all(&same)
    }
}

/// The ports that a banked memory has.
pub struct Ports {
    /// Groups are written: `write_valid`, `write_words` (a bit per word), `write_address`, `write_data`.
    pub write: Option<Rotation>,
    /// Beats are written while no group is: `fill_valid`, `fill_address`, `fill_data`, and `fill_elements` with a bit per
    /// element where a beat has several.
    pub fill: Option<Beat>,
    /// Groups are read: `read_address`, and one cycle later `read_data`.
    pub read: Option<Rotation>,
    /// Beats are read instead of groups: `drain_valid`, `drain_address`, and one cycle later `drain_data`.
    pub drain: Option<Beat>,
}

/// A banked memory for the elements of one array.
pub fn memory(name: &str, about: &str, buffer: &Buffer, fields: Fields, width: u32, ports: &Ports) -> Module {
    let mut m = Module::new(name);
    m.describe(&format!(
        "{about}\n\
         {} banks. A group is {} neighbours from any address on, word 0 lowest; a read takes one cycle.",
        fields.count(),
        fields.count()
    ));
    m.input("clk", Type::BIT);
    let count = fields.count();
    let (word, group) = (Type::unsigned(width), Type::unsigned(width * count));
    let address = address_type(buffer);
    let writes = writes(&mut m, fields, (address, word), ports);
    let group_read = ports.read.map(|rotation| {
        let at = m.input("read_address", address);
        (at.e(), addresses(&mut m, "read", fields, &at.e(), rotation), rotation)
    });
    let beat_read = ports.drain.map(|beat| {
        let valid = m.input("drain_valid", Type::BIT);
        let at = m.input("drain_address", address);
        (valid.e(), fields.beat(beat, &at.e()), fields.inner(&at.e(), false), beat)
    });
    let mut banks = vec![];
    for (b, write) in (0..count).zip(writes) {
        let at = match (&group_read, &beat_read) {
            (Some((_, addresses, _)), Some((valid, _, drain, _))) => valid.select(drain, &addresses[b as usize]),
            (Some((_, addresses, _)), None) => addresses[b as usize].clone(),
            (None, Some((_, _, drain, _))) => drain.clone(),
            (None, None) => Expr::constant(0, fields.inner_type()),
        };
        banks.push(bank(&mut m, b, buffer.words() / i64::from(count), write, at));
    }
    if let Some((at, _, rotation)) = &group_read {
        let words = match rotation {
            Rotation::Always(first) => rotated(&banks, *first as usize),
            Rotation::ByAddress => {
                let first = m.reg("read_first_bank", Type::unsigned(fields.bank));
                m.clocked("", vec![], vec![assign(&first, &fields.bank(at))]);
                rotate(&mut m, "read_word", banks.clone(), &first.e(), |w, by, n| (w + by) % n)
            }
        };
        let data = m.output("read_data", group);
        m.assign(&data, &joined(&words));
    }
    if let Some((_, at, _, beat)) = &beat_read {
        let beats: Vec<Expr> = banks.chunks(beat.elements() as usize).map(joined).collect();
        let read = at.as_ref().map(|at| {
            let bank = m.reg("drain_bank", at.ty());
            m.clocked("", vec![], vec![assign(&bank, at)]);
            picked(&beats, &bank.e())
        });
        let data = m.output("drain_data", beat.data(width));
        m.assign(&data, &read.unwrap_or_else(|| beats[0].clone()));
    }
    m
}

/// The write port of a bank.
struct BankWrite {
    enable: Expr,
    address: Expr,
    data: Expr,
}

/// The write ports of the banks: a group has priority over a beat.
fn writes(m: &mut Module, fields: Fields, (address, word): (Type, Type), ports: &Ports) -> Vec<BankWrite> {
    // Whether bank `b` is among those that `banks` names.
    let in_beat = |b: u32, beat: Beat, banks: Option<&Expr>| {
        banks.map_or(Expr::bit(true), |banks| banks.eq(&Expr::constant((b >> beat.shift()).into(), banks.ty())))
    };

    let mut writes = vec![];
    let group_write = ports.write.map(|rotation| {
        let valid = m.input("write_valid", Type::BIT);
        let words = m.input("write_words", Type::unsigned(fields.count()));
        let at = m.input("write_address", address);
        let data = m.input("write_data", Type::unsigned(word.width * fields.count()));
        let enables = to_banks(m, "write_enable", &parts(&words.e(), 1), fields, &at.e(), rotation);
        let data = to_banks(m, "write_word", &parts(&data.e(), word.width), fields, &at.e(), rotation);
        (valid.e(), enables, addresses(m, "write", fields, &at.e(), rotation), data)
    });
    let beat_write = ports.fill.map(|beat| {
        let valid = m.input("fill_valid", Type::BIT);
        let at = m.input("fill_address", address);
        let elements = (beat.elements() > 1).then(|| m.input("fill_elements", Type::unsigned(beat.elements())));
        let data = m.input("fill_data", beat.data(word.width));
        let elements = elements.map_or(vec![Expr::bit(true)], |bits| parts(&bits.e(), 1));
        (
            beat,
            valid.e(),
            fields.beat(beat, &at.e()),
            fields.inner(&at.e(), false),
            elements,
            parts(&data.e(), word.width),
        )
    });
    for b in 0..fields.count() {
        let own = group_write.as_ref().map(|(valid, enables, addresses, data)| {
            let b = b as usize;
            (valid.and(&enables[b]), valid.clone(), addresses[b].clone(), data[b].clone())
        });
        let single = beat_write.as_ref().map(|(beat, valid, banks, address, elements, data)| {
            let element = (b % beat.elements()) as usize;
            let here = in_beat(b, *beat, banks.as_ref());
            (valid.and(&here).and(&elements[element]), address.clone(), data[element].clone())
        });
        let (enable, address, data) = match (own, single) {
            (Some((enable, group, address, data)), Some((fill, fill_address, fill_data))) => (
                enable.or(&group.not().and(&fill)),
                group.select(&address, &fill_address),
                group.select(&data, &fill_data),
            ),
            (Some((enable, _, address, data)), None) => (enable, address, data),
            (None, Some(fill)) => fill,
            (None, None) => (Expr::bit(false), Expr::constant(0, fields.inner_type()), Expr::constant(0, word)),
        };
        writes.push(BankWrite { enable, address, data });
    }
    writes
}

/// Bank `number` of a memory, which reads at `read_address`: its data, a cycle later.
fn bank(m: &mut Module, number: u32, words: i64, write: BankWrite, read_address: Expr) -> Expr {
    let data = m.wire(&format!("bank_{number}_data"), write.data.ty());
    let parameters = vec![
        ("WIDTH", write.data.width().into()),
        ("DEPTH", words.into()),
        ("ADDRESS_WIDTH", read_address.width().into()),
    ];
    let connections = vec![
        ("clk".into(), Connection::In(port(m, "clk"))),
        ("write_enable".into(), Connection::In(write.enable)),
        ("write_address".into(), Connection::In(write.address)),
        ("write_data".into(), Connection::In(write.data)),
        ("read_enable".into(), Connection::In(Expr::bit(true))),
        ("read_address".into(), Connection::In(read_address)),
        ("read_data".into(), Connection::Out(data.clone())),
    ];
    m.instance("dual_port_ram", &format!("u_bank_{number}"), parameters, connections);
    data.e()
}

/// The address of every bank for the group at `address`.
fn addresses(m: &mut Module, name: &str, fields: Fields, address: &Expr, rotation: Rotation) -> Vec<Expr> {
    let here = m.define(&format!("{name}_inner"), &fields.inner(address, false));
    if fields.index == 0 || rotation == Rotation::Always(0) {
        return vec![here.e(); fields.count() as usize];
    }
    let next = m.define(&format!("{name}_inner_next"), &fields.inner(address, true));
    let of = |b: u32| match rotation {
        // Banks before the first one hold the group's words behind the last bank.
        Rotation::Always(first) if b < first => next.e(),
        Rotation::Always(_) => here.e(),
        Rotation::ByAddress => {
            let first = fields.bank(address);
            first.gt(&Expr::constant(b.into(), first.ty())).select(&next.e(), &here.e())
        }
    };
    (0..fields.count()).map(of).collect()
}

/// The words of a group by bank.
fn to_banks(
    m: &mut Module,
    name: &str,
    words: &[Expr],
    fields: Fields,
    address: &Expr,
    rotation: Rotation,
) -> Vec<Expr> {
    let n = words.len();
    match rotation {
        Rotation::Always(first) => rotated(words, n - first as usize),
        Rotation::ByAddress => rotate(m, name, words.to_vec(), &fields.bank(address), |b, by, n| (b + n - by) % n),
    }
}

/// Word w is the one that was `by` further up, around the end.
fn rotated(words: &[Expr], by: usize) -> Vec<Expr> {
    (0..words.len()).map(|w| words[(w + by) % words.len()].clone()).collect()
}

/// A barrel of one stage per bit of `amount`; `from(place, by, n)` is where a place takes its word from.
fn rotate(
    m: &mut Module,
    name: &str,
    mut words: Vec<Expr>,
    amount: &Expr,
    from: impl Fn(usize, usize, usize) -> usize,
) -> Vec<Expr> {
    let n = words.len();
    for bit in 0..amount.width() {
        let turned = |w: usize| amount.index(bit).select(&words[from(w, 1 << bit, n)], &words[w]);
        let stage: Vec<Expr> = (0..n).map(turned).collect();
        words = (0..n).map(|w| m.define(&format!("{name}_{w}_by_{}", 1 << bit), &stage[w]).e()).collect();
    }
    words
}

/// The word that `index` names.
pub fn picked(words: &[Expr], index: &Expr) -> Expr {
    let mut words = words.to_vec();
    for bit in 0..index.width() {
        words = words.chunks(2).map(|pair| index.index(bit).select(&pair[1], &pair[0])).collect();
    }
    words.remove(0)
}

/// A group's words, `width` bits each, word 0 in the lowest bits.
pub fn parts(group: &Expr, width: u32) -> Vec<Expr> {
    (0..group.width() / width).map(|w| group.slice((w + 1) * width - 1, w * width)).collect()
}

/// Words side by side, word 0 in the lowest bits.
pub fn joined(words: &[Expr]) -> Expr {
    Expr::concat(&words.iter().rev().cloned().collect::<Vec<_>>())
}
