//! Skewed storage (Budnik and Kuck, IEEE Transactions on Computers C-20, 1971): as many banks as the longest line of neighbours that
//! is accessed at once, whichever of several subscripts it lies along. The bank of a cell is the sum of its residues along
//! all of them, so a line along any begins in some bank and goes on through the others, around the last.

use std::collections::BTreeSet;

use crate::hardware::buffers::address::address_type;
use crate::hardware::buffers::banks::{BankWrite, Fields, Ports, Rotation, bank, joined, parts, rotate};
use crate::hardware::buffers::beat::Beat;
use crate::offload::Buffer;
use crate::rtl::{Expr, Module, Signal, Type, assign};

/// Stages of a turn behind the register of words that are drained late.
const BEHIND: u32 = 2;

/// The banks of a buffer, and where its addresses have their parts.
struct Skew<'a> {
    fields: &'a Fields,
    /// A power of two.
    banks: u32,
    /// The subscript of which addresses inside a bank leave out the residue, as the others and the bank tell it.
    left_out: usize,
}

/// A line of neighbours from an address on.
struct Line {
    address: Expr,
    /// The bank of the first.
    first: Expr,
    /// The subscripts that it may lie along, and which of them it is, a number, where they are several.
    along: Vec<usize>,
    told: Option<Expr>,
}

/// A memory in skewed storage for the elements of one array.
pub fn memory(name: &str, about: &str, buffer: &Buffer, fields: &Fields, width: u32, ports: &Ports) -> Module {
    let mut m = Module::new(name);
    let banks = buffer.bank_count() as u32;
    let told = buffer.left_out();
    let left_out =
        buffer.bank_axes().iter().position(|axis| told.contains(axis)).expect("some subscript has all banks");
    let skew = Skew { fields, banks, left_out };
    m.describe(&format!(
        "{about}\n\
         {banks} banks: a cell is in that of its residues' sum. A group is a line of neighbours from any address on, word 0 lowest;\n\
         a read takes one cycle.",
    ));
    m.input("clk", Type::BIT);
    let address = address_type(buffer);
    let word = Type::unsigned(width);
    let group = Type::unsigned(width * banks);
    let beat_axis = fields.axes.len() - 1;
    let writes = skew.writes(&mut m, (address, word), ports, beat_axis);
    let group_read = ports.read.as_ref().map(|rotations| {
        let at = m.input("read_address", address);
        let told = rotations.told().map(|ty| m.input("read_along", ty).e());
        let line = skew.line(&mut m, "read", at.e(), rotations.lines(), told);
        let addresses = skew.addresses(&mut m, "read", &line, rotations.turns());
        (line, addresses)
    });
    let beat_read = ports.drain.map(|drained| {
        let valid = m.input("drain_valid", Type::BIT);
        let at = m.input("drain_address", address);
        let line = skew.line(&mut m, "drain", drained.beat.begin(&at.e()), &[beat_axis], None);
        let addresses = skew.addresses(&mut m, "drain", &line, &[]);
        (valid.e(), line, addresses, drained)
    });
    let inner = buffer.parts_in_bank();
    let mut words = vec![];
    for (b, write) in (0..banks).zip(writes) {
        let at = match (&group_read, &beat_read) {
            (Some((_, group)), Some((valid, _, beat, _))) => valid.select(&beat[b as usize], &group[b as usize]),
            (Some((_, group)), None) => group[b as usize].clone(),
            (None, Some((_, _, beat, _))) => beat[b as usize].clone(),
            (None, None) => Expr::constant(0, write.address.ty()),
        };
        words.push(bank(&mut m, (b, &inner, ports.style), write, at));
    }
    if let Some((line, _)) = &group_read {
        let first = register(&mut m, "read_first_bank", &line.first);
        let turned = skew.turned(&mut m, "read_word", words.clone(), &first, banks, None);
        let data = m.output("read_data", group);
        m.assign(&data, &joined(&turned));
    }
    if let Some((_, line, _, drained)) = &beat_read {
        let beat = drained.beat;
        let first = register(&mut m, "drain_first_bank", &line.first);
        let late = drained.is_late(buffer).then_some(BEHIND);
        let turned = skew.turned(&mut m, "drain_word", words, &first, beat.elements(), late);
        let data = m.output("drain_data", beat.data(width));
        m.assign(&data, &joined(&turned));
    }
    m
}

fn register(m: &mut Module, name: &str, value: &Expr) -> Expr {
    let register = m.reg(name, value.ty());
    m.clocked("", vec![], vec![assign(&register, value)]);
    register.e()
}

impl Skew<'_> {
    fn bank_type(&self) -> Type {
        Type::unsigned(self.banks.trailing_zeros())
    }

    fn line(&self, m: &mut Module, name: &str, address: Expr, along: &[usize], told: Option<Expr>) -> Line {
        let ty = self.bank_type();
        let residues = self.fields.axes.iter().map(|axis| axis.bank(&address));
        let sum = residues.reduce(|sum, residue| sum.add(&residue, ty)).expect("some subscript has banks");
        let first = m.define(&format!("{name}_first"), &sum.resize(ty)).e();
        // A single word lies along any.
        let along = if along.is_empty() { vec![self.left_out] } else { along.to_vec() };
        Line { address, first, along, told }
    }

    /// What bank `b` comes behind the first of a line.
    fn place(&self, b: u32, line: &Line) -> Expr {
        Expr::constant(b.into(), self.bank_type()).sub(&line.first, self.bank_type())
    }

    /// The address in every bank for a line. Without `rotations` no line goes around the end of its banks.
    fn addresses(&self, m: &mut Module, name: &str, line: &Line, rotations: &[Rotation]) -> Vec<Expr> {
        let mut all: Vec<Vec<Expr>> = vec![vec![]; self.banks as usize];
        for &along in &line.along {
            let (axis, ty) = (&self.fields.axes[along], self.bank_type());
            let residue = axis.bank(&line.address);
            let others = line.first.sub(&residue, ty);
            let name = if line.along.len() > 1 { format!("{name}_{along}") } else { name.to_string() };
            let others = m.define(&format!("{name}_others"), &others).e();
            let turns = rotations.get(along).is_some_and(|rotation| *rotation == Rotation::ByAddress)
                || matches!(rotations.get(along), Some(Rotation::Always(first)) if *first > 0);
            let next = axis
                .index(&line.address)
                .filter(|_| turns)
                .map(|index| m.define(&format!("{name}_next"), &index.incremented()).e());
            for (b, addresses) in all.iter_mut().enumerate() {
                // Along the line this bank has the cells of this residue.
                let own = Expr::constant(b as i128, ty).sub(&others, ty);
                let own = m.define(&format!("{name}_residue_{b}"), &own).e();
                let index = axis.index(&line.address).map(|index| match &next {
                    Some(next) => own.lt(&residue).select(next, &index),
                    None => index,
                });
                addresses.push(self.inner(&line.address, along, index, &own));
            }
        }
        let choose = |choices: Vec<Expr>| match &line.told {
            None => choices[0].clone(),
            Some(told) => (1..choices.len()).fold(choices[0].clone(), |other, n| {
                told.eq(&Expr::constant(n as i128, told.ty())).select(&choices[n], &other)
            }),
        };
        all.into_iter().map(choose).collect()
    }

    /// The address inside a bank: along one subscript with this index and residue, along the others as `address` says.
    fn inner(&self, address: &Expr, along: usize, index: Option<Expr>, residue: &Expr) -> Expr {
        let mut parts: Vec<Expr> = vec![];
        for (place, axis) in self.fields.axes.iter().enumerate() {
            parts.extend(axis.above(address));
            parts.extend(if place == along { index.clone() } else { axis.index(address) });
            if place != self.left_out {
                parts.push(if place == along { axis.own_bits(residue) } else { axis.bank(address) });
            }
        }
        parts.extend(Fields::part(address, 0, self.fields.low));
        if parts.is_empty() { Expr::constant(0, Type::BIT) } else { Expr::concat(&parts) }
    }

    /// The first `wanted` words of a line that begins in bank `first`; with a register before the last stages, `late` of them.
    fn turned(
        &self,
        m: &mut Module,
        name: &str,
        words: Vec<Expr>,
        first: &Expr,
        wanted: u32,
        late: Option<u32>,
    ) -> Vec<Expr> {
        let (banks, bits) = (self.banks as usize, first.width());
        // What the stages up to each bit, which come behind the higher ones, take their words from.
        let mut needed: Vec<BTreeSet<usize>> = vec![(0..wanted as usize).collect()];
        for bit in 0..bits {
            let of = |w: &usize| [*w, (*w + (1 << bit)) % banks];
            let before = needed[bit as usize].iter().flat_map(of).collect();
            needed.push(before);
        }
        let mut words: Vec<Option<Expr>> = words.into_iter().map(Some).collect();
        let mut amount = first.clone();
        for bit in (0..bits).rev() {
            if late == Some(bit + 1) {
                amount = register(m, &format!("{name}_first"), &amount);
                for (w, word) in words.iter_mut().enumerate() {
                    *word = word.as_ref().map(|word| register(m, &format!("{name}_{w}_late"), word));
                }
            }
            let word = |w: usize| words[w].as_ref().expect("a stage makes what the next needs");
            let mut next = vec![None; banks];
            for &w in &needed[bit as usize] {
                let turned = amount.index(bit).select(word((w + (1 << bit)) % banks), word(w));
                next[w] = Some(m.define(&format!("{name}_{w}_by_{}", 1 << bit), &turned).e());
            }
            words = next;
        }
        words.into_iter().take(wanted as usize).flatten().collect()
    }

    /// The words of a line by bank.
    fn to_banks(&self, m: &mut Module, name: &str, words: &[Expr], first: &Expr) -> Vec<Expr> {
        let count = words.len();
        let bits = count.trailing_zeros();
        let turned = match bits {
            0 => words.to_vec(),
            _ => rotate(m, name, words.to_vec(), &first.slice(bits - 1, 0), |b, by| (b + count - by) % count),
        };
        (0..self.banks as usize).map(|b| turned[b % count].clone()).collect()
    }

    /// The write ports of the banks: a group has priority over a beat.
    fn writes(&self, m: &mut Module, (address, word): (Type, Type), ports: &Ports, beat_axis: usize) -> Vec<BankWrite> {
        let group = ports.write.as_ref().map(|rotations| {
            let valid = m.input("write_valid", Type::BIT);
            let words = m.input("write_words", Type::unsigned(self.banks));
            let at = m.input("write_address", address);
            let data = m.input("write_data", Type::unsigned(word.width * self.banks));
            let told = rotations.told().map(|ty| m.input("write_along", ty).e());
            let line = self.line(m, "write", at.e(), rotations.lines(), told);
            let enables = self.to_banks(m, "write_enable", &parts(&words.e(), 1), &line.first);
            let data = self.to_banks(m, "write_word", &parts(&data.e(), word.width), &line.first);
            (valid.e(), enables, self.addresses(m, "write", &line, rotations.turns()), data)
        });
        let beat = ports.fill.map(|beat| self.filled(m, (address, word), beat, beat_axis));
        let of = |b: usize| {
            let group = group.as_ref().map(|(valid, enables, addresses, data)| {
                let enable = valid.and(&enables[b]);
                (valid, BankWrite { enable, address: addresses[b].clone(), data: data[b].clone() })
            });
            let beat = beat.as_ref().map(|beat| beat[b].clone());
            BankWrite::of(group, beat, (self.inner_type(address), word))
        };
        (0..self.banks as usize).map(of).collect()
    }

    /// The type of addresses inside a bank, where those of the buffer are of another.
    fn inner_type(&self, address: Type) -> Type {
        Type::unsigned((address.width - self.bank_type().width).max(1))
    }

    /// A beat from memory by bank.
    fn filled(&self, m: &mut Module, (address, word): (Type, Type), beat: Beat, beat_axis: usize) -> Vec<BankWrite> {
        let valid = m.input("fill_valid", Type::BIT);
        let at = m.input("fill_address", address);
        let elements: Option<Signal> =
            (beat.elements() > 1).then(|| m.input("fill_elements", Type::unsigned(beat.elements())));
        let data = m.input("fill_data", beat.data(word.width));
        let line = self.line(m, "fill", beat.begin(&at.e()), &[beat_axis], None);
        let own = elements.map_or(vec![Expr::bit(true)], |bits| parts(&bits.e(), 1));
        let own = self.to_banks(m, "fill_element", &own, &line.first);
        // Of more banks than a beat has elements, those behind the first.
        let above = self.bank_type().width - beat.shift();
        let in_beat = |b: usize| match above {
            0 => Expr::bit(true),
            _ => self.place(b as u32, &line).slice(self.bank_type().width - 1, beat.shift()).is_zero(),
        };
        let data = self.to_banks(m, "fill_word", &parts(&data.e(), word.width), &line.first);
        let addresses = self.addresses(m, "fill", &line, &[]);
        let of = |((b, own), (address, data)): ((usize, &Expr), (Expr, Expr))| BankWrite {
            enable: valid.e().and(&in_beat(b).and(own)),
            address,
            data,
        };
        own.iter().enumerate().zip(addresses.into_iter().zip(data)).map(of).collect()
    }
}
