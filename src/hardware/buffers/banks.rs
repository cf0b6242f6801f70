//! Buffers in banks: a memory of its own for each of so many neighbours along one subscript, or for each cell of a box along
//! several, so that lanes reach a group of neighbours in one cycle. A group begins anywhere; its words are rotated over the
//! banks, along each of the subscripts by itself.

use crate::hardware::buffers::address::address_type;
use crate::hardware::buffers::beat::Beat;
use crate::hardware::buffers::partition::is_read_late;
use crate::hardware::buffers::ram::Ram;
use crate::hardware::buffers::skewed;
use crate::hardware::context::Context;
use crate::ids::ArrayId;
use crate::offload::memory::Part;
use crate::offload::{Banks, Buffer, bits_below};
use crate::rtl::{Expr, Module, Type, assign, when};

/// Where a banked buffer's address has its parts: `{high, index, bank, low}`, some of no bits; along several subscripts
/// `{high, index, bank, high, index, bank, low}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The outermost subscript first.
    pub axes: Vec<Axis>,
    /// Bits below those of all axes.
    pub low: u32,
}

/// The part of an address that belongs to a subscript with banks, `{high, index, bank}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Bits above it, up to the axis before.
    high: u32,
    index: u32,
    bank: u32,
    /// Bits below it.
    low: u32,
}

/// The bank in which groups begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// Always this one: banks and words are wired together.
    Always(u32),
    /// That of the address.
    ByAddress,
    /// That of the address, and of the group only the first word along the axis counts.
    Word,
}

/// The banks in which groups begin, along each of a buffer's subscripts that have some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotations {
    axes: Vec<Rotation>,
    /// Which of them groups lie along in skewed storage; none for single words.
    lines: Vec<usize>,
}

impl Rotations {
    pub fn new(axes: Vec<Rotation>, lines: Vec<usize>) -> Rotations {
        Rotations { axes, lines }
    }

    /// Those along each of the subscripts.
    pub fn axes(&self) -> &[Rotation] {
        &self.axes
    }

    /// In skewed storage, the subscripts that groups lie along.
    pub fn lines(&self) -> &[usize] {
        &self.lines
    }

    /// In skewed storage, the banks in which groups begin; none for single words.
    pub fn turns(&self) -> &[Rotation] {
        if self.lines.is_empty() { &[] } else { &self.axes }
    }

    /// The type of the number, among [`Rotations::lines`], that tells which of them it is; `None` where it is always the same.
    pub fn told(&self) -> Option<Type> {
        (self.lines.len() > 1).then(|| Type::unsigned(bits_below(self.lines.len() as i64)))
    }
}

/// What an access takes at once along a subscript that has banks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// One word, of any bank.
    Word,
    /// A group of neighbours, as many as there are banks, which begins in this one, or in any.
    Group(Option<u32>),
    /// So many neighbours, fewer than there are banks, which begin in a bank whose number is a multiple of that.
    Aligned(u32),
}

impl Axis {
    /// Whether what two accesses take along this axis has a word in common.
    fn meet(&self, (one, other): (&Expr, &Expr), extents: (Extent, Extent)) -> Expr {
        // Beside a word, or as many or fewer of them, they are in the same such part of the banks of an index, or in none.
        let part = |extent: Extent| match extent {
            Extent::Word => Some(1),
            Extent::Aligned(count) => Some(count),
            Extent::Group(_) => None,
        };
        if let Some((one_part, other_part)) = part(extents.0).zip(part(extents.1)).filter(|parts| *parts != (1, 1)) {
            let low = one_part.max(other_part).trailing_zeros();
            let above = |address: &Expr| address.slice(self.low + self.bank + self.index - 1, self.low + low);
            return above(one).eq(&above(other));
        }
        let whole = |extent: Extent| if let Extent::Aligned(_) = extent { Extent::Group(None) } else { extent };
        let extents = (whole(extents.0), whole(extents.1));
        let bank = |address: &Expr, extent: Extent| match extent {
            Extent::Group(Some(bank)) => Expr::constant(bank.into(), Type::unsigned(self.bank)),
            _ => self.bank(address),
        };
        let (a, b) = (bank(one, extents.0), bank(other, extents.1));
        let indices = self.index(one).zip(self.index(other));
        // A group goes on in its next index up to the bank before that in which it begins.
        let goes_on = |from: &Expr, to: &Expr, begin: &Expr, bank: &Expr| {
            let is_before = bank.lt(begin);
            match is_before.as_constant() {
                Some(0) => Expr::bit(false),
                _ => is_before.and(&from.incremented().eq(to)),
            }
        };
        match (extents, indices) {
            ((Extent::Word, Extent::Word), None) => a.eq(&b),
            ((Extent::Word, Extent::Word), Some((i, j))) => a.eq(&b).and(&i.eq(&j)),
            // All banks, and no more.
            (_, None) => Expr::bit(true),
            ((Extent::Word, _), Some((i, j))) => i.eq(&j).and(&a.ge(&b)).or(&goes_on(&j, &i, &b, &a)),
            ((_, Extent::Word), Some((i, j))) => i.eq(&j).and(&b.ge(&a)).or(&goes_on(&i, &j, &a, &b)),
            (_, Some((i, j))) => Expr::any(&[i.eq(&j), goes_on(&i, &j, &a, &b), goes_on(&j, &i, &b, &a)]),
        }
    }

    pub fn count(&self) -> u32 {
        1 << self.bank
    }

    /// The bank of an address.
    pub fn bank(&self, address: &Expr) -> Expr {
        address.slice(self.low + self.bank - 1, self.low)
    }

    pub fn index(&self, address: &Expr) -> Option<Expr> {
        Fields::part(address, self.low + self.bank, self.index)
    }

    /// The bits above, up to the axis before.
    pub fn above(&self, address: &Expr) -> Option<Expr> {
        Fields::part(address, self.low + self.bank + self.index, self.high)
    }

    /// As many of a number's low bits as tell one of these banks.
    pub fn own_bits(&self, number: &Expr) -> Expr {
        number.slice(self.bank - 1, 0)
    }
}

impl Fields {
    /// `None` for a buffer without banks.
    pub fn of(buffer: &Buffer) -> Option<Fields> {
        let banks = buffer.bank_axes();
        if banks.is_empty() {
            return None;
        }
        let mapping = buffer.common_mapping().expect("bands agree on what is in banks");
        let bits: Vec<u32> = mapping.moduli.iter().map(|m| bits_below(*m)).collect();
        let (mut axes, mut begin, mut high) = (vec![], 0, bits_below(mapping.slots));
        for Banks { subscript, count } in banks {
            high += bits[begin..subscript].iter().sum::<u32>();
            let bank = count.trailing_zeros();
            let low = bits[subscript + 1..].iter().sum();
            axes.push(Axis { high, index: bits[subscript] - bank, bank, low });
            (begin, high) = (subscript + 1, 0);
        }
        let low = axes.last().map_or(0, |axis| axis.low);
        Some(Fields { axes, low })
    }

    pub fn count(&self) -> u32 {
        self.axes.iter().map(Axis::count).product()
    }

    /// Where bank number `bank` is along each axis: they are counted along the last one first.
    fn places(&self, bank: u32) -> Vec<u32> {
        let mut rest = bank;
        let mut places: Vec<u32> = vec![];
        for axis in self.axes.iter().rev() {
            places.insert(0, rest % axis.count());
            rest /= axis.count();
        }
        places
    }

    /// How far banks lie apart that are neighbours along an axis.
    fn stride(&self, axis: usize) -> usize {
        self.axes[axis + 1..].iter().map(|axis| axis.count() as usize).product()
    }

    /// The write enables of the banks, along axes of single words only in the bank of the address.
    fn with_words(&self, address: &Expr, rotation: &Rotations, enables: Vec<Expr>) -> Vec<Expr> {
        let of = |(b, enable): (usize, Expr)| {
            let places = self.places(b as u32);
            let axes = self.axes.iter().zip(rotation.axes()).zip(places);
            let words = axes.filter(|((_, rotation), _)| **rotation == Rotation::Word);
            words.fold(enable, |enable, ((axis, _), place)| {
                let bank = axis.bank(address);
                enable.and(&bank.eq(&Expr::constant(place.into(), bank.ty())))
            })
        };
        enables.into_iter().enumerate().map(of).collect()
    }

    /// A name of what is there for each axis.
    fn named(&self, name: &str, axis: usize) -> String {
        if self.axes.len() > 1 { format!("{name}_{axis}") } else { name.to_string() }
    }

    /// The bits of an address above the lowest `from`, `width` of them.
    pub fn part(address: &Expr, from: u32, width: u32) -> Option<Expr> {
        (width > 0).then(|| address.slice(from + width - 1, from))
    }

    /// Along which axis a beat of several elements lies: its elements are neighbours in the last subscript.
    fn beat_axis(&self) -> usize {
        self.axes.len() - 1
    }

    /// Which banks, as many as a beat has elements, have the beat of an address; `None` where all have.
    fn beat(&self, beat: Beat, address: &Expr) -> Option<Expr> {
        let parts = self.axes.iter().enumerate().filter_map(|(place, axis)| {
            let shift = if place == self.beat_axis() { beat.shift() } else { 0 };
            Fields::part(address, axis.low + shift, axis.bank - shift)
        });
        let parts: Vec<Expr> = parts.collect();
        match &parts[..] {
            [] => None,
            [only] => Some(only.clone()),
            _ => Some(Expr::concat(&parts)),
        }
    }

    fn inner_type(&self) -> Type {
        let axes = self.axes.iter().map(|axis| axis.high + axis.index).sum::<u32>();
        Type::unsigned((axes + self.low).max(1))
    }

    /// The address inside a bank; along the axes in `next` that of the group's next index.
    fn inner(&self, address: &Expr, next: &[usize]) -> Expr {
        let mut parts: Vec<Expr> = vec![];
        for (place, axis) in self.axes.iter().enumerate() {
            parts.extend(axis.above(address));
            parts.extend(axis.index(address).map(|index| match next.contains(&place) {
                true => index.incremented(),
                false => index,
            }));
        }
        parts.extend(Fields::part(address, 0, self.low));
        if parts.is_empty() { Expr::constant(0, self.inner_type()) } else { Expr::concat(&parts) }
    }

    /// Whether two accesses, each with its address and what it takes along every axis, share a word.
    pub fn meet(&self, (one, other): (&Expr, &Expr), extents: &[(Extent, Extent)]) -> Expr {
        let parts = |part: &dyn Fn(&Expr) -> Option<Expr>| part(one).zip(part(other));
        let mut same = vec![];
        for axis in &self.axes {
            same.extend(parts(&|address| axis.above(address)).map(|(a, b)| a.eq(&b)));
        }
        same.extend(parts(&|address| Fields::part(address, 0, self.low)).map(|(a, b)| a.eq(&b)));
        same.extend(self.axes.iter().zip(extents).map(|(axis, extents)| axis.meet((one, other), *extents)));
        Expr::all(&same)
    }
}

/// The ports that a banked memory has.
pub struct Ports<'a> {
    /// Groups are written: `write_valid`, `write_words` (a bit per word), `write_address`, `write_data`, and `write_along`, a
    /// number among [`Rotations::lines`], where those are several.
    pub write: Option<Rotations>,
    /// Beats are written while no group is: `fill_valid`, `fill_address`, `fill_data`, and `fill_elements` with a bit per
    /// element where a beat has several.
    pub fill: Option<Beat>,
    /// Groups are read: `read_address`, and one cycle later `read_data`.
    pub read: Option<Rotations>,
    /// Beats are read instead of groups: `drain_valid`, `drain_address`, and one cycle later `drain_data`, or two
    /// ([`Drained::is_late`]).
    pub drain: Option<Drained>,
    /// What tools are told of the block RAMs.
    pub style: Option<&'a str>,
}

/// What the store process reads.
#[derive(Clone, Copy)]
pub struct Drained {
    pub beat: Beat,
    /// Beats come out of a line, which `drain_valid` reads.
    pub line: Option<Beat>,
}

/// A banked memory for the elements of one array.
pub fn memory(name: &str, about: &str, buffer: &Buffer, fields: &Fields, width: u32, ports: &Ports) -> Module {
    if buffer.skewed {
        return skewed::memory(name, about, buffer, fields, width, ports);
    }
    let mut m = Module::new(name);
    m.describe(&format!(
        "{about}\n\
         {} banks. A group is {} neighbours from any address on, word 0 lowest; a read takes one cycle.",
        fields.count(),
        fields.axes.iter().map(|axis| axis.count().to_string()).collect::<Vec<_>>().join(" x ")
    ));
    m.input("clk", Type::BIT);
    let count = fields.count();
    let (word, group) = (Type::unsigned(width), Type::unsigned(width * count));
    let address = address_type(buffer);
    let writes = writes(&mut m, fields, (address, word), ports);
    let group_read = ports.read.as_ref().map(|rotation| {
        let at = m.input("read_address", address);
        (at.e(), addresses(&mut m, "read", fields, &at.e(), rotation), rotation)
    });
    let beat_read = ports.drain.map(|drained| {
        let valid = m.input("drain_valid", Type::BIT);
        let at = m.input("drain_address", address);
        (valid.e(), at.e(), fields.inner(&at.e(), &[]), drained)
    });
    let parts = buffer.parts_in_bank();
    let mut banks = vec![];
    for (b, write) in (0..count).zip(writes) {
        let at = match (&group_read, &beat_read) {
            (Some((_, addresses, _)), Some((valid, _, drain, _))) => valid.select(drain, &addresses[b as usize]),
            (Some((_, addresses, _)), None) => addresses[b as usize].clone(),
            (None, Some((_, _, drain, _))) => drain.clone(),
            (None, None) => Expr::constant(0, fields.inner_type()),
        };
        banks.push(bank(&mut m, (b, &parts, ports.style), write, at));
    }
    if let Some((at, _, rotation)) = &group_read {
        let mut words = banks.clone();
        for (place, (axis, rotation)) in fields.axes.iter().zip(rotation.axes()).enumerate() {
            let turn = Turn { stride: fields.stride(place), count: axis.count() as usize };
            words = match rotation {
                Rotation::Always(first) => turn.always(&words, *first as usize),
                Rotation::ByAddress => {
                    let first = m.reg(&fields.named("read_first_bank", place), Type::unsigned(axis.bank));
                    m.clocked("", vec![], vec![assign(&first, &axis.bank(at))]);
                    let name = fields.named("read_word", place);
                    rotate(&mut m, &name, words, &first.e(), |w, by| turn.further(w, by))
                }
                Rotation::Word => {
                    let first = m.reg(&fields.named("read_first_bank", place), Type::unsigned(axis.bank));
                    m.clocked("", vec![], vec![assign(&first, &axis.bank(at))]);
                    turn.firsts(&words, |along| picked(along, &first.e()))
                }
            };
        }
        let data = m.output("read_data", group);
        m.assign(&data, &joined(&words));
    }
    if let Some((valid, at, _, drained)) = &beat_read {
        let Drained { beat, line } = *drained;
        let taken = line.unwrap_or(beat);
        let beats: Vec<Expr> = banks.chunks(taken.elements() as usize).map(joined).collect();
        let read = fields.beat(taken, at).map(|at| {
            let bank = m.reg("drain_bank", at.ty());
            m.clocked("", vec![], vec![assign(&bank, &at)]);
            match line.is_none() && drained.is_late(buffer) {
                true => picked_in_two(&mut m, "drain", &beats, &bank.e()),
                false => picked(&beats, &bank.e()),
            }
        });
        let mut read = read.unwrap_or_else(|| beats[0].clone());
        if let Some(line) = line {
            read = out_of_line(&mut m, (valid, at), (beat, line), &read);
        }
        let data = m.output("drain_data", beat.data(width));
        m.assign(&data, &read);
    }
    m
}

/// The beat of an address two cycles later, out of the line that was read then or before; `words` are what is read.
fn out_of_line(m: &mut Module, (valid, at): (&Expr, &Expr), (beat, line): (Beat, Beat), words: &Expr) -> Expr {
    let is_read = m.reg("drain_is_read", Type::BIT);
    let held = m.reg("drain_line", words.ty());
    let place = beat.place_in_line(line, at);
    let [first, second] = ["drain_place_first", "drain_place"].map(|name| m.reg(name, place.ty()));
    m.clocked(
        "",
        vec![],
        vec![
            assign(&is_read, valid),
            assign(&first, &place),
            assign(&second, &first.e()),
            when(is_read.e(), vec![assign(&held, words)]),
        ],
    );
    let count = line.elements() / beat.elements();
    picked(&parts(&held.e(), held.ty().width / count), &second.e())
}

/// The write port of a bank.
#[derive(Clone)]
pub struct BankWrite {
    pub enable: Expr,
    pub address: Expr,
    pub data: Expr,
}

impl BankWrite {
    /// That of a group, where one is `valid`, or else of a beat; `types` are those of address and word.
    pub fn of(group: Option<(&Expr, BankWrite)>, beat: Option<BankWrite>, (address, word): (Type, Type)) -> BankWrite {
        match (group, beat) {
            (Some((valid, group)), Some(beat)) => BankWrite {
                enable: group.enable.or(&valid.not().and(&beat.enable)),
                address: valid.select(&group.address, &beat.address),
                data: valid.select(&group.data, &beat.data),
            },
            (Some((_, only)), None) | (None, Some(only)) => only,
            (None, None) => BankWrite {
                enable: Expr::bit(false),
                address: Expr::constant(0, address),
                data: Expr::constant(0, word),
            },
        }
    }
}

/// The write ports of the banks: a group has priority over a beat.
fn writes(m: &mut Module, fields: &Fields, (address, word): (Type, Type), ports: &Ports) -> Vec<BankWrite> {
    // Whether bank `b` is among those that `banks` names.
    let in_beat = |b: u32, beat: Beat, banks: Option<&Expr>| {
        banks.map_or(Expr::bit(true), |banks| banks.eq(&Expr::constant((b >> beat.shift()).into(), banks.ty())))
    };

    let mut writes = vec![];
    let group_write = ports.write.as_ref().map(|rotation| {
        let valid = m.input("write_valid", Type::BIT);
        let words = m.input("write_words", Type::unsigned(fields.count()));
        let at = m.input("write_address", address);
        let data = m.input("write_data", Type::unsigned(word.width * fields.count()));
        let enables = to_banks(m, "write_enable", &parts(&words.e(), 1), fields, &at.e(), rotation);
        let enables = fields.with_words(&at.e(), rotation, enables);
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
            fields.inner(&at.e(), &[]),
            elements,
            parts(&data.e(), word.width),
        )
    });
    for b in 0..fields.count() {
        let own = group_write.as_ref().map(|(valid, enables, addresses, data)| {
            let b = b as usize;
            let enable = valid.and(&enables[b]);
            (valid, BankWrite { enable, address: addresses[b].clone(), data: data[b].clone() })
        });
        let single = beat_write.as_ref().map(|(beat, valid, banks, address, elements, data)| {
            let element = (b % beat.elements()) as usize;
            let enable = valid.and(&in_beat(b, *beat, banks.as_ref())).and(&elements[element]);
            BankWrite { enable, address: address.clone(), data: data[element].clone() }
        });
        writes.push(BankWrite::of(own, single, (fields.inner_type(), word)));
    }
    writes
}

/// Bank `number` of a memory, which reads at `read_address`: its data, a cycle later.
pub fn bank(
    m: &mut Module,
    (number, parts, style): (u32, &[Part], Option<&str>),
    write: BankWrite,
    read_address: Expr,
) -> Expr {
    let data = m.wire(&format!("bank_{number}_data"), write.data.ty());
    let BankWrite { enable, address, data: write_data } = write;
    let (write_enable, write_address, read_data) = (enable, address, &data);
    let ram = Ram { parts, write_enable, write_address, write_data, read_address, read_data, style };
    ram.add(m, &format!("u_bank_{number}"));
    data.e()
}

/// The address of every bank for the group at `address`.
fn addresses(m: &mut Module, name: &str, fields: &Fields, address: &Expr, rotation: &Rotations) -> Vec<Expr> {
    // Along these axes some banks have the group's next index.
    let turns = |(_, (axis, rotation)): &(usize, (&Axis, &Rotation))| {
        axis.index > 0 && !matches!(rotation, Rotation::Always(0) | Rotation::Word)
    };
    let turned: Vec<_> = fields.axes.iter().zip(rotation.axes()).enumerate().filter(turns).collect();
    // By the axes that have it, a bit for each.
    let mut known = vec![];
    for set in 0..1usize << turned.len() {
        let next: Vec<usize> =
            turned.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1).map(|(_, (place, _))| *place).collect();
        let of: Vec<String> = next.iter().map(|place| fields.named("_next", *place)).collect();
        known.push(m.define(&format!("{name}_inner{}", of.concat()), &fields.inner(address, &next)).e());
    }
    let of = |b: u32| {
        let places = fields.places(b);
        let mut choices = known.clone();
        // The first axis is the lowest bit.
        for (place, (axis, rotation)) in &turned {
            let place = places[*place];
            let pair = |pair: &[Expr]| match rotation {
                // Banks before the first one hold the group's words behind the last bank.
                Rotation::Always(first) if place < *first => pair[1].clone(),
                Rotation::Always(_) | Rotation::Word => pair[0].clone(),
                Rotation::ByAddress => {
                    let first = axis.bank(address);
                    first.gt(&Expr::constant(place.into(), first.ty())).select(&pair[1], &pair[0])
                }
            };
            choices = choices.chunks(2).map(pair).collect();
        }
        choices.remove(0)
    };
    (0..fields.count()).map(of).collect()
}

/// The words of a group by bank.
fn to_banks(
    m: &mut Module,
    name: &str,
    words: &[Expr],
    fields: &Fields,
    address: &Expr,
    rotation: &Rotations,
) -> Vec<Expr> {
    let mut words = words.to_vec();
    for (place, (axis, rotation)) in fields.axes.iter().zip(rotation.axes()).enumerate() {
        let turn = Turn { stride: fields.stride(place), count: axis.count() as usize };
        words = match rotation {
            Rotation::Always(first) => turn.always(&words, turn.count - *first as usize),
            Rotation::ByAddress => {
                let name = fields.named(name, place);
                rotate(m, &name, words, &axis.bank(address), |b, by| turn.further(b, turn.count - by))
            }
            Rotation::Word => (0..words.len()).map(|b| words[turn.first(b)].clone()).collect(),
        };
    }
    words
}

/// A turn of words along one axis: so many lie along it, that far apart.
struct Turn {
    stride: usize,
    count: usize,
}

impl Turn {
    /// The place that is `by` further along the axis, around its end.
    fn further(&self, place: usize, by: usize) -> usize {
        let along = place / self.stride % self.count;
        place - along * self.stride + (along + by) % self.count * self.stride
    }

    /// The first place along the axis.
    fn first(&self, place: usize) -> usize {
        place - place / self.stride % self.count * self.stride
    }

    /// The words with, in the first place along the axis, what `choose` makes of all there; nobody wants the others.
    fn firsts(&self, words: &[Expr], choose: impl Fn(&[Expr]) -> Expr) -> Vec<Expr> {
        let of = |place: usize| match self.first(place) == place {
            true => {
                let along: Vec<Expr> = (0..self.count).map(|by| words[self.further(place, by)].clone()).collect();
                choose(&along)
            }
            false => Expr::constant(0, words[place].ty()),
        };
        (0..words.len()).map(of).collect()
    }

    /// Every word is the one that was `by` further up.
    fn always(&self, words: &[Expr], by: usize) -> Vec<Expr> {
        (0..words.len()).map(|w| words[self.further(w, by)].clone()).collect()
    }
}

/// A barrel of one stage per bit of `amount`; `from(place, by)` is where a place takes its word from.
pub fn rotate(
    m: &mut Module,
    name: &str,
    mut words: Vec<Expr>,
    amount: &Expr,
    from: impl Fn(usize, usize) -> usize,
) -> Vec<Expr> {
    let n = words.len();
    for bit in 0..amount.width() {
        let turned = |w: usize| amount.index(bit).select(&words[from(w, 1 << bit)], &words[w]);
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

/// Choices from which on a multiplexer behind block RAMs takes two cycles.
const WIDE: usize = 8;

impl Drained {
    /// Of the buffer of an array.
    pub fn of(context: &Context, array: ArrayId) -> Drained {
        Drained { beat: Beat::of(context, array), line: Beat::drained_line(context, array) }
    }

    /// Whether beats come two cycles after their address, not one: where they come out of a line, or are chosen among many banks, which
    /// block RAMs leave no time for.
    pub fn is_late(self, buffer: &Buffer) -> bool {
        let from_many = buffer.banks.is_some() && buffer.bank_count() as usize / self.beat.elements() as usize >= WIDE;
        self.line.is_some() || from_many || (is_read_late(buffer) && !buffer.store_copy)
    }
}

/// [`picked`] in two cycles: among each four, then among what they give.
fn picked_in_two(m: &mut Module, name: &str, words: &[Expr], index: &Expr) -> Expr {
    let above = m.reg(&format!("{name}_bank_above"), Type::unsigned(index.width() - 2));
    let mut next = vec![assign(&above, &index.slice(index.width() - 1, 2))];
    let mut chosen = vec![];
    for (n, four) in words.chunks(4).enumerate() {
        let word = m.reg(&format!("{name}_of_four_{n}"), four[0].ty());
        next.push(assign(&word, &picked(four, &index.slice(1, 0))));
        chosen.push(word.e());
    }
    m.clocked("", vec![], next);
    picked(&chosen, &above.e())
}

/// A group's words, `width` bits each, word 0 in the lowest bits.
pub fn parts(group: &Expr, width: u32) -> Vec<Expr> {
    (0..group.width() / width).map(|w| group.slice((w + 1) * width - 1, w * width)).collect()
}

/// Words side by side, word 0 in the lowest bits.
pub fn joined(words: &[Expr]) -> Expr {
    Expr::concat(&words.iter().rev().cloned().collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The words that an access takes along a subscript with `1 << bits` places.
    fn words(place: i128, axis: Axis, extent: Extent) -> BTreeSet<i128> {
        let count = if extent == Extent::Word { 1 } else { i128::from(axis.count()) };
        (place..place + count).map(|word| word % (1 << (axis.index + axis.bank))).collect()
    }

    /// All pairs of accesses along an axis of four banks and one of two.
    #[test]
    fn accesses_meet_where_they_share_a_word() {
        for (index, bank) in [(2, 1), (1, 2), (0, 2)] {
            let axes = [Axis { high: 0, index: 1, bank: 1, low: index + bank }, Axis { high: 0, index, bank, low: 0 }];
            let fields = Fields { axes: axes.to_vec(), low: 0 };
            let ty = Type::unsigned(index + bank + 2);
            let kinds = |axis: Axis, place: i128| {
                let begins = (place % i128::from(axis.count())) as u32;
                [Extent::Word, Extent::Group(None), Extent::Group(Some(begins))]
            };
            let place = |axis: Axis, address: i128| (address >> axis.low) % (1 << (axis.index + axis.bank));
            for (one, other) in (0..1 << ty.width).flat_map(|a| (0..1 << ty.width).map(move |b| (a, b))) {
                let both = |axis: Axis| {
                    let (a, b) = (place(axis, one), place(axis, other));
                    let of =
                        move |x| kinds(axis, b).map(|y| ((x, y), !words(a, axis, x).is_disjoint(&words(b, axis, y))));
                    kinds(axis, a).map(of).into_iter().flatten()
                };
                for (first, second) in both(axes[0]).flat_map(|first| both(axes[1]).map(move |second| (first, second)))
                {
                    let (a, b) = (Expr::constant(one, ty), Expr::constant(other, ty));
                    let found = fields.meet((&a, &b), &[first.0, second.0]).as_constant();
                    let meets = first.1 && second.1;
                    assert_eq!(found, Some(i128::from(meets)), "{one} and {other} of {fields:?}");
                }
            }
        }
    }
}
