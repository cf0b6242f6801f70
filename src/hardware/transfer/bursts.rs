//! Rows to bursts: the address and length in memory of every row of Load or Store.

use crate::hardware::buffers::address::{self, buffer_of};
use crate::hardware::buffers::beat::Beat;
use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::circuit::variable::Affine;
use crate::hardware::context::longest_burst;
use crate::hardware::transfer::packing::{Packing, RowBeats, RowPacking, WIDEST_SIZE, element_size};
use crate::hardware::transfer::stage::TransferStage;
use crate::ids::{ArrayId, ByKind, KindId};
use crate::layout::Layout;
use crate::rtl::{Expr, Label, Module, Signal, Statement, Type, assign, case, when, when_else};
use crate::word::Word;

impl TransferStage<'_> {
    /// Adds the circuit that turns rows into commands `m_cmd_*` (in order, `last` on the last of a tile) and passes the
    /// rows themselves on to `descriptors`. Where some element is not one word long, or some beat not one element, every
    /// command is followed by how its elements lie in the words, for a packer or unpacker.
    ///
    /// The address of a row that follows on the one before is that one's and the pitch, and in a further cycle what its first index is
    /// beyond that one's, where that differs. Any other is Horner's rule on the
    /// digits of its layout ([`Layout::place`]), bit by bit in the same adder, while the data of the rows before are on
    /// their way. Full rows of a slice that follow on each other are one burst ([`Joins`]).
    pub fn bursts(&self, m: &mut Module, descriptors: &Stream) -> Packing {
        let TransferStage { rows, row, held, .. } = self;
        m.comment("Bursts: one command per row.");
        let command = Command::declare(m, self);
        let cells = Cells::new(self, m);
        let under_way = Burst::declare(m, self, &cells);
        let mut machine = Machine::declare(m, &cells, (under_way.joins.is_some(), self.format.moves));
        let taken = under_way.take(self);
        let Addresses { may_take, mut issued } = match cells.rank() {
            1 => one_subscript(&mut machine, self, &cells, &under_way, taken),
            _ => by_horner(m, &mut machine, self, &cells, &under_way, taken),
        };
        // The next row is looked at before a command goes out: an end mark there makes this command the last. One of several
        // rows waits for none of them, and lets others go first as the last one does.
        let several = under_way.joins.as_ref().map(|joins| m.define("has_several_rows", &joins.several()).e());
        let after = match &several {
            None => machine.goto("TAKE"),
            Some(several) => assign(&machine.state, &several.select(&machine.code("JOIN"), &machine.code("TAKE"))),
        };
        issued.push(if cells.mixed { machine.goto("LAYOUT") } else { after.clone() });
        machine.arm("ISSUE", vec![when(command.stream.fires(), issued)]);
        let several = several.unwrap_or(Expr::bit(false));
        let may_take = match &under_way.joins {
            None => may_take,
            Some(Joins { left, .. }) => {
                let is_last = left.e().eq(&Expr::constant(1, left.ty()));
                let next = vec![assign(left, &left.e().decremented()), when(is_last, vec![machine.goto("TAKE")])];
                machine.arm("JOIN", vec![when(rows.fires(), next)]);
                may_take.or(&machine.is_in("JOIN"))
            }
        };

        m.assign(&command.stream.valid, &machine.is_in("ISSUE").and(&rows.valid.e().or(&several)));
        m.assign(&command.last, &row.end.or(&several));
        command.drive(m, &cells, &under_way);
        let takes = held.iter().fold(may_take, |takes, held| takes.and(&held.not()));
        let takes = m.define("may_take_row", &takes).e();
        m.assign(&descriptors.valid, &takes.and(&rows.valid.e()));
        m.assign(&rows.ready, &takes.and(&descriptors.ready.e()));

        if !cells.mixed {
            machine.connect(m);
            return Packing::Words;
        }
        let stream = Stream::wires(m, "layout");
        m.assign(&stream.valid, &machine.is_in("LAYOUT"));
        machine.arm("LAYOUT", vec![when(stream.ready.e(), vec![after])]);
        machine.connect(m);
        let offset = cells.word.offset_of(&under_way.address.e());
        let mut wire = |name: &str, value: &Expr| m.define(name, value);
        let Some(beats) = &under_way.beats else {
            return Packing::Elements(RowPacking {
                stream,
                size: wire("layout_size", &under_way.size()),
                offset: wire("layout_offset", &offset),
                count: wire("layout_count", &under_way.count.e()),
            });
        };
        let ty = command.bytes(&cells);
        let length = wire("layout_length", &under_way.bytes(ty)).e();
        Packing::Beats(RowBeats {
            stream,
            word: cells.word,
            widest: beats.sizes.iter().copied().max().unwrap_or(0),
            grain: cells.sizes.iter().copied().min().unwrap_or(0),
            size: beats.size(),
            words_end: wire("layout_words_end", &length.add(&offset, ty)).e(),
            beats_end: wire("layout_beats_end", &length.add(&beats.lead(), ty)).e(),
            offset: wire("layout_offset", &offset).e(),
        })
    }
}

/// The ports of the commands.
struct Command {
    stream: Stream,
    address: Signal,
    length: Signal,
    last: Signal,
}

impl Command {
    /// Bytes of a command, and of a word more than the longest one's, for what rounds up.
    fn bytes(&self, cells: &Cells) -> Type {
        Type::unsigned(self.length.width() + cells.word.shift() + 1)
    }

    fn declare(m: &mut Module, stage: &TransferStage) -> Command {
        let port = stage.context.port;
        Command {
            stream: Stream::master(m, "cmd"),
            address: m.output("m_cmd_address", Type::unsigned(port.address)),
            length: m.output("m_cmd_length", Type::unsigned(port.length)),
            last: m.output("m_cmd_last", Type::BIT),
        }
    }

    /// The words of the burst under way.
    fn drive(&self, m: &mut Module, cells: &Cells, burst: &Burst) {
        let (address, count, word) = (burst.address.e(), burst.count.e(), cells.word);
        if !cells.mixed {
            m.assign(&self.address, &address);
            m.assign(&self.length, &count.resize(self.length.ty()));
            return;
        }
        let bytes = self.bytes(cells);
        let covered = burst.bytes(bytes);
        let rounding = Expr::constant((word.bytes() - 1).into(), bytes);
        let rounded = covered.add(&word.offset_of(&address), bytes).add(&rounding, bytes);
        let words = m.define("burst_bytes", &rounded);
        m.assign(&self.address, &word.address_of(&address));
        m.assign(&self.length, &words.e().shr_const(word.shift()).resize(self.length.ty()));
    }
}

/// Where the cells of the present row lie, by its kind.
struct Cells<'a> {
    stage: &'a TransferStage<'a>,
    word: Word,
    /// Some element is not one word long, or several come at once: addresses count bytes, else words.
    mixed: bool,
    /// Of an address.
    unit: Type,
    /// Of every kind, as all that follows: log2 of the element's bytes.
    sizes: ByKind<u32>,
    layouts: ByKind<Layout<Affine>>,
    /// The array's base.
    base: Expr,
    /// At the row's first element.
    at_first: Scope,
}

impl<'a> Cells<'a> {
    fn new(stage: &'a TransferStage<'a>, m: &mut Module) -> Cells<'a> {
        let TransferStage { context, scope, format, kind_arrays, row, .. } = stage;
        let (port, word) = (context.port, context.port.word);
        let sizes: ByKind<u32> =
            kind_arrays.iter().map(|&a| context.array(a).element.bytes().trailing_zeros()).collect();
        let mixed = context.beats.whole || sizes.iter().any(|&s| s != word.shift());
        let mut bases: Vec<(ArrayId, Signal)> = vec![];
        for array in kind_arrays.iter().map(|&array| context.kernel.memory_of(array)) {
            if bases.iter().all(|(a, _)| *a != array) {
                let base = m.input(&context.base_name(array), Type::unsigned(port.byte_address()));
                bases.push((array, base));
            }
        }
        let base = |k: KindId| {
            let memory = context.kernel.memory_of(kind_arrays[k]);
            let base = bases.iter().find(|(a, _)| *a == memory).expect("declared above").1.e();
            // The low bits of a base are 0.
            if mixed { base } else { word.address_of(&base) }
        };
        Cells {
            stage,
            word,
            mixed,
            unit: Type::unsigned(if mixed { port.byte_address() } else { port.address }),
            sizes,
            layouts: kind_arrays.iter().map(|&a| context.layout(a)).collect(),
            base: format.of_kind(&row.kind, base),
            at_first: format.scope(scope, &row.outer, &row.first),
        }
    }

    fn by_kind(&self, value: impl Fn(KindId) -> Expr) -> Expr {
        self.stage.format.of_kind(&self.stage.row.kind, value)
    }

    /// Digits of a kind's places. A scalar counts as an array of one element.
    fn rank_of(&self, k: KindId) -> usize {
        self.layouts[k].digits.len().max(1)
    }

    /// The most digits.
    fn rank(&self) -> usize {
        self.sizes.keys().map(|k| self.rank_of(k)).max().unwrap_or(1)
    }

    fn is_of_rank(&self, test: impl Fn(usize) -> bool) -> Expr {
        self.by_kind(|k| Expr::bit(test(self.rank_of(k))))
    }

    /// Digit `d` of the places of kind `k`, 0 where they have none.
    fn affine_digit(&self, k: KindId, d: usize) -> Affine {
        let kind = &self.stage.format.kinds[k];
        match self.layouts[k].digits.get(d) {
            None => Affine::default(),
            Some(_) if self.layouts[k].slices().is_some() => kind.parts[d].clone(),
            Some(digit) => self.layouts[k].digit(digit, &kind.point),
        }
    }

    /// Of the row's first element.
    fn digit(&self, d: usize) -> Expr {
        self.by_kind(|k| self.at_first.affine_as(&self.affine_digit(k, d), self.unit))
    }

    /// What is multiplied before digit `d` is added.
    fn radix(&self, d: usize) -> Expr {
        let radix = |k: KindId| self.layouts[k].digits.get(d).map(|digit| digit.radix.clone());
        self.by_kind(|k| self.stage.scope.affine_as(&radix(k).unwrap_or(Affine::constant(1)), self.unit))
    }

    /// Where every kind multiplies by a power of two before digit `d` is added, beyond the first product, as those in slices
    /// mostly do: its logarithm.
    fn shifts(&self, d: usize) -> Option<ByKind<u32>> {
        let shift = |k: KindId| match self.layouts[k].digits.get(d) {
            None => Some(0),
            Some(digit) => {
                let radix = u64::try_from(digit.radix.constant).ok().filter(|_| digit.radix.is_constant())?;
                radix.is_power_of_two().then(|| radix.trailing_zeros())
            }
        };
        let are_cut = self.layouts.iter().any(|layout| layout.slices().is_some());
        if d > 1 && are_cut { self.sizes.keys().map(shift).collect() } else { None }
    }

    /// From a row to the one that follows on it.
    fn pitch(&self) -> Expr {
        let pitch = |k: KindId| self.layouts[k].pitch().cloned().unwrap_or(Affine::constant(1));
        self.by_kind(|k| self.shifted(k, &self.stage.scope.affine_as(&pitch(k), self.unit)))
    }

    /// Elements of kind `k` as addresses count them.
    fn shifted(&self, k: KindId, elements: &Expr) -> Expr {
        elements.shl_const(if self.mixed { self.sizes[k] } else { 0 }, self.unit)
    }

    fn scaled(&self, elements: &Expr) -> Expr {
        self.by_kind(|k| self.shifted(k, elements))
    }
}

/// The registers of the command under way; the row itself waits at the scanner until its address is known.
struct Burst {
    count: Signal,
    address: Signal,
    /// Where sizes differ: the row's.
    size: Option<Signal>,
    size_of_row: Expr,
    /// Where elements come in beats.
    beats: Option<BeatsUnderWay>,
    /// Where rows may join.
    joins: Option<Joins>,
}

/// Full rows of a slice that follow on each other lie side by side: one command moves all of them. It goes out with the first
/// one; the others only go on to `descriptors`.
struct Joins {
    /// Those that are still to come.
    left: Signal,
    /// Whether the present row is full, and begins as beats do.
    full_of_row: Expr,
    /// The elements of a full row, as `burst_count`.
    width: Expr,
}

impl Joins {
    /// `None` where no rows do.
    fn declare(m: &mut Module, cells: &Cells, count: Type, beats: Option<&BeatsUnderWay>) -> Option<Joins> {
        let more = cells.stage.format.more?;
        let width = |k: KindId| cells.layouts[k].slices().map_or(0, |slices| i64::from(slices.width));
        let joins = |k: KindId| {
            let Some(beats) = beats.filter(|beats| beats.sizes[k] > cells.sizes[k]) else { return width(k) > 0 };
            // The beats of a row begin where those of the row before end: in the buffer, too.
            let kind = &cells.stage.format.kinds[k];
            let mapping =
                buffer_of(cells.stage.context.offload, cells.stage.kind_arrays[k]).mappings[kind.band].as_ref();
            let alike = mapping.is_some_and(|mapping| mapping.skewed(&kind.point).last() == kind.point.last());
            width(k) > 0 && alike && (width(k) << cells.sizes[k]) % (1 << beats.sizes[k]) == 0
        };
        let own = cells.by_kind(|k| Expr::constant(width(k).into(), count));
        let begins = beats.map_or(Expr::bit(true), |beats| beats.lead_of_row.is_zero());
        Some(Joins {
            left: m.reg("burst_rows_left", more),
            full_of_row: cells
                .by_kind(|k| Expr::bit(joins(k)))
                .and(&elements_of_row(cells.stage, count).eq(&own))
                .and(&begins),
            width: own,
        })
    }

    /// Whether rows are to come of the command under way.
    fn several(&self) -> Expr {
        self.left.e().is_zero().not()
    }

    /// The elements of the command that begins with the present row, and what is taken with them.
    fn take(&self, stage: &TransferStage, count: &Expr) -> (Expr, Statement) {
        let (more, ty) = (&stage.row.more, count.ty());
        let rows = more.resize(ty).add(&Expr::constant(1, ty), ty);
        let all = self.full_of_row.select(&rows.mul(&self.width, ty), count);
        let none = Expr::constant(0, self.left.ty());
        (all, assign(&self.left, &self.full_of_row.select(&more.resize(self.left.ty()), &none)))
    }
}

/// The registers of how the command's elements lie in beats.
struct BeatsUnderWay {
    /// Of every kind: log2 of the bytes of its beats.
    sizes: ByKind<u32>,
    /// That of the command, where kinds differ.
    size: Option<Signal>,
    size_of_row: Expr,
    /// Byte of the first beat where the row begins, where that is not always 0.
    lead: Option<Signal>,
    lead_of_row: Expr,
}

impl BeatsUnderWay {
    fn declare(m: &mut Module, stage: &TransferStage, cells: &Cells) -> BeatsUnderWay {
        let beats: ByKind<Beat> = stage.kind_arrays.iter().map(|&a| Beat::of(stage.context, a)).collect();
        let sizes: ByKind<u32> = beats.iter().zip(&cells.sizes).map(|(beat, size)| beat.shift() + size).collect();
        let size_of_row = cells.by_kind(|k| Expr::constant(sizes[k].into(), RowBeats::size_type()));
        let size = size_of_row.as_constant().is_none().then(|| m.reg("burst_beat_size", RowBeats::size_type()));
        let ty = Type::unsigned(sizes.iter().copied().max().unwrap_or(0).max(1));
        let lead_of_row = cells.by_kind(|k| match beats[k].shift() {
            0 => Expr::constant(0, ty),
            bits => {
                let (kind, buffer) = (&stage.format.kinds[k], buffer_of(stage.context.offload, stage.kind_arrays[k]));
                let place = address::low_bits(buffer, kind.band, &kind.point, &cells.at_first, bits);
                place.shl_const(cells.sizes[k], ty)
            }
        });
        let lead = lead_of_row.as_constant().is_none().then(|| m.reg("burst_lead", ty));
        BeatsUnderWay { sizes, size, size_of_row, lead, lead_of_row }
    }

    fn size(&self) -> Expr {
        self.size.as_ref().map_or_else(|| self.size_of_row.clone(), |size| size.e())
    }

    fn lead(&self) -> Expr {
        self.lead.as_ref().map_or_else(|| self.lead_of_row.clone(), |lead| lead.e())
    }

    fn take(&self) -> impl Iterator<Item = Statement> + '_ {
        let size = self.size.iter().map(|register| assign(register, &self.size_of_row));
        size.chain(self.lead.iter().map(|register| assign(register, &self.lead_of_row)))
    }
}

impl Burst {
    fn declare(m: &mut Module, stage: &TransferStage, cells: &Cells) -> Burst {
        let buffers = stage.kind_arrays.iter().map(|&a| buffer_of(stage.context.offload, a));
        let longest = buffers.map(|buffer| longest_burst(stage.context.kernel, buffer)).max().unwrap_or(1);
        let count = m.reg("burst_count", Type::for_range(0, longest));
        let address = m.reg("burst_address", cells.unit);
        let size_of_row = cells.by_kind(|k| Expr::constant(cells.sizes[k].into(), element_size()));
        let differs = cells.mixed && size_of_row.as_constant().is_none();
        let size = differs.then(|| m.reg("burst_size", element_size()));
        let beats = stage.context.beats.whole.then(|| BeatsUnderWay::declare(m, stage, cells));
        let joins = Joins::declare(m, cells, count.ty(), beats.as_ref());
        Burst { count, address, size, size_of_row, beats, joins }
    }

    /// log2 of an element's bytes.
    fn size(&self) -> Expr {
        self.size.as_ref().map_or_else(|| self.size_of_row.clone(), |size| size.e())
    }

    /// The row's bytes, as `ty`.
    fn bytes(&self, ty: Type) -> Expr {
        let size = self.size();
        let of_size = |s: u32| self.count.e().shl_const(s, ty);
        match size.as_constant() {
            Some(size) => of_size(size as u32),
            None => (1..=WIDEST_SIZE)
                .fold(of_size(0), |other, s| size.eq(&Expr::constant(s.into(), size.ty())).select(&of_size(s), &other)),
        }
    }

    /// The row's elements.
    fn take(&self, stage: &TransferStage) -> Vec<Statement> {
        let count = elements_of_row(stage, self.count.ty());
        let (count, joins) = match &self.joins {
            None => (count, None),
            Some(joins) => {
                let (all, left) = joins.take(stage, &count);
                (all, Some(left))
            }
        };
        let size = self.size.iter().map(|register| assign(register, &self.size_of_row));
        let beats = self.beats.iter().flat_map(BeatsUnderWay::take);
        std::iter::once(assign(&self.count, &count)).chain(size).chain(beats).chain(joins).collect()
    }
}

/// Those of the row that waits.
fn elements_of_row(stage: &TransferStage, elements: Type) -> Expr {
    let row = &stage.row;
    row.last.sub(&row.first, elements).add(&Expr::constant(1, elements), elements)
}

/// States with names, and what happens in each.
struct Machine {
    names: Vec<String>,
    codes: Vec<Expr>,
    state: Signal,
    arms: Vec<(Vec<Label>, Vec<Statement>)>,
}

impl Machine {
    fn declare(m: &mut Module, cells: &Cells, (joins, moves): (bool, bool)) -> Machine {
        let rank = cells.rank();
        let mut names = vec!["TAKE".to_string()];
        for d in 1..rank {
            match cells.shifts(d) {
                Some(_) => names.push(format!("SHIFT_{d}")),
                None => {
                    names.extend((d > 1).then(|| format!("FACTOR_{d}")));
                    names.push(format!("MULTIPLY_{d}"));
                }
            }
            names.push(format!("ADD_{d}"));
        }
        names.extend((rank > 1).then(|| "BASE".to_string()));
        names.extend((rank > 1 && moves).then(|| "MOVE".to_string()));
        names.push("ISSUE".to_string());
        names.extend(cells.mixed.then(|| "LAYOUT".to_string()));
        names.extend(joins.then(|| "JOIN".to_string()));
        let ty = Type::for_range(0, names.len() as i64 - 1);
        let codes = names.iter().enumerate().map(|(code, n)| m.localparam(n, code as i128, ty)).collect();
        Machine { names, codes, state: m.reg("burst_state", ty), arms: vec![] }
    }

    fn code(&self, name: &str) -> Expr {
        self.codes[self.names.iter().position(|n| n == name).expect("a named state")].clone()
    }

    fn is_in(&self, name: &str) -> Expr {
        self.state.e().eq(&self.code(name))
    }

    fn goto(&self, name: &str) -> Statement {
        assign(&self.state, &self.code(name))
    }

    fn arm(&mut self, name: &str, body: Vec<Statement>) {
        self.arms.push((vec![self.code(name).into()], body));
    }

    fn connect(self, m: &mut Module) {
        let reset = self.goto("TAKE");
        m.clocked("", vec![(self.state.clone(), 0)], vec![case(self.state.e(), self.arms, vec![reset])]);
    }
}

/// How the states before `ISSUE` find addresses.
struct Addresses {
    /// The present row is taken in this cycle, if it comes.
    may_take: Expr,
    /// What happens when a command has gone out.
    issued: Vec<Statement>,
}

/// No place has more than one digit: an address is a sum, found as the row is `taken`.
fn one_subscript(
    machine: &mut Machine,
    stage: &TransferStage,
    cells: &Cells,
    burst: &Burst,
    mut taken: Vec<Statement>,
) -> Addresses {
    taken.push(assign(&burst.address, &cells.base.add(&cells.scaled(&cells.digit(0)), cells.unit)));
    taken.push(machine.goto("ISSUE"));
    machine.arm("TAKE", vec![when(stage.rows.fires().and(&stage.row.end.not()), taken)]);
    Addresses { may_take: machine.is_in("TAKE"), issued: vec![] }
}

/// `address = address * radix + digit` for every digit but the first, then the base. One adder does it all: a product is
/// the sum of the radix's multiples by the bits of the factor.
fn by_horner(
    m: &mut Module,
    machine: &mut Machine,
    stage: &TransferStage,
    cells: &Cells,
    burst: &Burst,
    mut taken: Vec<Statement>,
) -> Addresses {
    let (rows, row, unit, rank) = (&stage.rows, &stage.row, cells.unit, cells.rank());
    let address = &burst.address;
    let follows = m.define("follows_on_row_before", &row.follows.and(&row.end.not()));
    let may_take = machine.is_in("BASE").or(&machine.is_in("TAKE").and(&row.end.or(&follows.e())));
    let factor = Factor::declare(m, cells);
    let products = (1..rank).filter(|d| cells.shifts(*d).is_none());
    let multiplying = products.map(|d| machine.is_in(&format!("MULTIPLY_{d}"))).reduce(|a, b| a.or(&b));
    let multiplying = m.define("multiplying", &multiplying.expect("rank > 1"));
    let zero = Expr::constant(0, unit);
    // What the next state adds stands in a register; before a row is looked at, what one that follows needs.
    let addend = m.reg("burst_addend", unit);
    let add_next = |value: &Expr| assign(&addend, value);
    let multiple = |bit: &Expr, d: usize| bit.select(&cells.radix(d), &zero);
    let issued = vec![add_next(&cells.pitch())];
    let twice = address.e().shl_const(1, unit);
    let own = match cells.mixed {
        true => machine.is_in("BASE").select(&cells.scaled(&address.e()), &address.e()),
        false => address.e(),
    };
    let sum = m.define("burst_sum", &multiplying.e().select(&twice, &own).add(&addend.e(), unit));
    let keep = assign(address, &sum.e());

    taken.push(keep.clone());
    let mut following = taken.clone();
    taken.push(machine.goto("ISSUE"));
    if stage.format.moves {
        let before = m.reg("burst_first", row.first.ty());
        taken.push(assign(&before, &row.first));
        let is_same = before.e().eq(&row.first);
        following.extend([
            assign(&before, &row.first),
            add_next(&cells.scaled(&row.first.sub(&before.e(), unit))),
            assign(&machine.state, &is_same.select(&machine.code("ISSUE"), &machine.code("MOVE"))),
        ]);
        machine.arm("MOVE", vec![keep.clone(), machine.goto("ISSUE")]);
    } else {
        following.push(machine.goto("ISSUE"));
    }
    // A digit alone needs no product.
    let alone = cells.is_of_rank(|rank| rank == 1);
    let first = cells.digit(0);
    let begin = vec![
        factor.load(&first, 1),
        assign(address, &alone.select(&first, &zero)),
        assign(&machine.state, &alone.select(&machine.code("BASE"), &machine.code("MULTIPLY_1"))),
        add_next(&alone.select(&cells.base, &multiple(&factor.top_of(&first, 1), 1))),
    ];
    let other = when(rows.valid.e().and(&row.end.not()), begin);
    machine.arm("TAKE", vec![when_else(follows.e(), vec![when(rows.fires(), following)], vec![other])]);
    for d in 1..rank {
        let done = vec![machine.goto(&format!("ADD_{d}")), add_next(&cells.digit(d))];
        match cells.shifts(d) {
            Some(shifts) => {
                let product = cells.by_kind(|k| address.e().shl_const(shifts[k], unit));
                machine.arm(&format!("SHIFT_{d}"), [vec![assign(address, &product)], done].concat());
            }
            None => {
                let step = vec![keep.clone(), factor.shift(), add_next(&multiple(&factor.next_bit(), d))];
                machine.arm(&format!("MULTIPLY_{d}"), vec![when_else(factor.is_done(), done, step)]);
            }
        }
        let next = match d + 1 < rank {
            true => {
                let more = cells.is_of_rank(|rank| rank > d + 1);
                let product = if cells.shifts(d + 1).is_some() { "SHIFT" } else { "FACTOR" };
                more.select(&machine.code(&format!("{product}_{}", d + 1)), &machine.code("BASE"))
            }
            false => machine.code("BASE"),
        };
        let add = vec![keep.clone(), assign(&machine.state, &next), add_next(&cells.base)];
        machine.arm(&format!("ADD_{d}"), add);
        if d > 1 && cells.shifts(d).is_none() {
            let load = vec![
                factor.load(&address.e(), d),
                assign(address, &zero),
                machine.goto(&format!("MULTIPLY_{d}")),
                add_next(&multiple(&factor.top_of(&address.e(), d), d)),
            ];
            machine.arm(&format!("FACTOR_{d}"), load);
        }
    }
    machine.arm("BASE", vec![when(rows.fires(), taken)]);
    Addresses { may_take, issued }
}

/// The factor of the multiplication under way, its highest bit first; a one behind the lowest bit marks the end.
struct Factor {
    register: Signal,
    /// Bits of the widest.
    width: u32,
    /// Of the one before each digit but the first: a product takes a cycle for each.
    widths: Vec<u32>,
}

impl Factor {
    fn declare(m: &mut Module, cells: &Cells) -> Factor {
        let widths: Vec<u32> = (1..cells.rank()).map(|d| Factor::width_before(cells, d)).collect();
        let width = widths.iter().copied().max().unwrap_or(cells.unit.width);
        Factor { register: m.reg("burst_factor", Type::unsigned(width + 1)), width, widths }
    }

    /// Bits of what is multiplied before digit `d` is added: the place that the digits up to there tell.
    fn width_before(cells: &Cells, d: usize) -> u32 {
        let most = |k: KindId| {
            let high = |value: &Affine| i128::from(cells.at_first.range(value).1.max(0));
            let radix = |d: usize| cells.layouts[k].digits.get(d).map_or(1, |digit| high(&digit.radix));
            let place =
                |place: i128, d: usize| place.saturating_mul(radix(d)).saturating_add(high(&cells.affine_digit(k, d)));
            (1..d).fold(high(&cells.affine_digit(k, 0)), place)
        };
        let bits = |most: i128| i128::BITS - most.max(1).leading_zeros();
        cells.sizes.keys().map(|k| bits(most(k))).max().unwrap_or(cells.unit.width).min(cells.unit.width)
    }

    /// That before digit `d`.
    fn load(&self, value: &Expr, d: usize) -> Statement {
        let own = self.widths[d - 1];
        let mut parts = vec![value.resize(Type::unsigned(own)), Expr::constant(1, Type::BIT)];
        if own < self.width {
            parts.push(Expr::constant(0, Type::unsigned(self.width - own)));
        }
        assign(&self.register, &Expr::concat(&parts))
    }

    /// Its first bit.
    fn top_of(&self, value: &Expr, d: usize) -> Expr {
        let own = self.widths[d - 1];
        value.resize(Type::unsigned(own)).index(own - 1)
    }

    fn shift(&self) -> Statement {
        assign(&self.register, &self.register.e().shl_const(1, self.register.ty()))
    }

    fn next_bit(&self) -> Expr {
        self.register.e().index(self.width - 1)
    }

    fn is_done(&self) -> Expr {
        self.register.e().slice(self.width - 1, 0).is_zero()
    }
}
