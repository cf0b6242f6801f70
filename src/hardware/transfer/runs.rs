//! Runs: the rows of a transfer as the buffers see them, the addresses of a first and a last word. The walk through a
//! buffer knows neither tile nor subscripts.

use crate::hardware::buffers::address::{self, buffer_of};
use crate::hardware::buffers::beat::Beat;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::context::Context;
use crate::hardware::transfer::stage::TransferStage;
use crate::hardware::walk::rows::RowFormat;
use crate::ids::{ArrayId, ByKind, KindId};
use crate::offload::bits_below;
use crate::rtl::{Expr, Module, Signal, Type, assign, when, when_else};

/// The shape of a stream of runs.
pub struct RunFormat {
    /// Arrays whose buffers take part, each once.
    pub arrays: Vec<ArrayId>,
    /// The array of every row kind.
    kind_arrays: ByKind<ArrayId>,
    /// How the walk goes on in the buffers; several where they lie differently.
    walks: Vec<Walk>,
    address: Type,
    last: Type,
}

/// How the walk goes on within a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Walk {
    /// Of the last subscript's residue, which counts on.
    bits: u32,
    /// What it takes per cycle.
    beat: Beat,
    /// What it is drained by, where that is a line of several beats.
    line: Option<Beat>,
}

/// A run, as signals or as fields of a packed word.
pub struct Run {
    /// No run, but the end of the tile.
    pub end: Expr,
    /// Index into [`RunFormat::arrays`], where there are several.
    target: Option<Expr>,
    /// Index into [`RunFormat::walks`], where there are several.
    walk: Option<Expr>,
    address: Expr,
    /// The low bits of the last word's address; the others are those of `address`.
    last: Expr,
}

impl RunFormat {
    pub fn new(context: &Context, format: &RowFormat, kind_arrays: &ByKind<ArrayId>, arrays: &[ArrayId]) -> RunFormat {
        let mut walks: Vec<Walk> = kind_arrays.keys().map(|k| walk(context, format, kind_arrays, k)).collect();
        walks.sort_unstable();
        walks.dedup();
        let last = Type::unsigned(walks.last().map_or(0, |walk| walk.bits).max(1));
        let addresses = arrays.iter().map(|&a| address::address_type(buffer_of(context.offload, a)));
        RunFormat {
            last,
            arrays: arrays.to_vec(),
            kind_arrays: kind_arrays.clone(),
            walks,
            address: addresses.max_by_key(|ty| ty.width).unwrap_or(Type::BIT),
        }
    }

    fn target_type(&self) -> Type {
        Type::for_range(0, (self.arrays.len() as i64 - 1).max(1))
    }

    fn walk_type(&self) -> Type {
        Type::for_range(0, (self.walks.len() as i64 - 1).max(1))
    }

    /// The value of the present `walk` among those of each.
    fn by_walk(&self, walk: Option<&Expr>, value: impl Fn(Walk) -> Expr) -> Expr {
        let (last, others) = self.walks.split_last().expect("some row is transferred");
        others.iter().enumerate().rev().fold(value(*last), |other, (index, own)| {
            let is = walk.expect("declared for several").eq(&Expr::constant(index as i128, self.walk_type()));
            let value = value(*own);
            if value == other { other } else { is.select(&value, &other) }
        })
    }

    /// Elements of the beat with the most of them.
    fn elements(&self) -> u32 {
        self.walks.iter().map(|walk| walk.beat.elements()).max().unwrap_or(1)
    }

    /// A bit for each of so many elements, where that is more than one.
    pub fn elements_type(&self) -> Option<Type> {
        (self.elements() > 1).then(|| Type::unsigned(self.elements()))
    }

    /// Bits of a packed run.
    fn width(&self) -> u32 {
        let target = if self.arrays.len() > 1 { self.target_type().width } else { 0 };
        let walk = if self.walks.len() > 1 { self.walk_type().width } else { 0 };
        1 + target + walk + self.address.width + self.last.width
    }

    /// The packed run of the row that `stage` has.
    pub fn of_row(&self, stage: &TransferStage) -> Expr {
        let TransferStage { context, scope, format, row, tile, .. } = stage;
        let offload = context.offload;
        let by_kind = |value: &dyn Fn(KindId) -> Expr| format.of_kind(&row.kind, value);
        let address = |k: KindId, inner: &Expr| {
            let at = format.scope(scope, &row.outer, inner);
            let kind = &format.kinds[k];
            address::address(buffer_of(offload, self.kind_arrays[k]), kind.band, &kind.point, &at, tile)
                .resize(self.address)
        };
        let target = |k: KindId| {
            let index = self.arrays.iter().position(|a| *a == self.kind_arrays[k]).expect("an array of the transfer");
            Expr::constant(index as i128, self.target_type())
        };
        let class = |k: KindId| {
            let own = walk(context, format, &self.kind_arrays, k);
            let index = self.walks.iter().position(|walk| *walk == own).expect("collected from all kinds");
            Expr::constant(index as i128, self.walk_type())
        };
        let mut parts = vec![row.end.clone()];
        parts.extend((self.arrays.len() > 1).then(|| by_kind(&target)));
        parts.extend((self.walks.len() > 1).then(|| by_kind(&class)));
        parts.push(by_kind(&|k| address(k, &row.first)));
        parts.push(by_kind(&|k| address(k, &row.last).resize(self.last)));
        Expr::concat(&parts)
    }

    pub fn unpack(&self, m: &mut Module, word: &Signal) -> Run {
        let mut fields = vec![("end", 1)];
        fields.extend((self.arrays.len() > 1).then(|| ("array", self.target_type().width)));
        fields.extend((self.walks.len() > 1).then(|| ("walk", self.walk_type().width)));
        fields.extend([("address", self.address.width), ("last", self.last.width)]);
        m.fields("run", word, fields);
        let mut high = self.width();
        let mut take = |ty: Type| {
            high -= ty.width;
            word.e().slice(high + ty.width - 1, high).resize(ty)
        };
        let end = take(Type::BIT);
        let target = (self.arrays.len() > 1).then(|| take(self.target_type()));
        let walk = (self.walks.len() > 1).then(|| take(self.walk_type()));
        let address = take(self.address);
        Run { end, target, walk, address, last: take(self.last) }
    }
}

/// That of row kind `k`.
fn walk(context: &Context, format: &RowFormat, kind_arrays: &ByKind<ArrayId>, k: KindId) -> Walk {
    let mapping = buffer_of(context.offload, kind_arrays[k]).mappings[format.kinds[k].band].as_ref();
    let mapping = mapping.expect("a band that transfers an array has a mapping for it");
    let bits = mapping.moduli.last().map_or(0, |modulus| bits_below(*modulus));
    let array = kind_arrays[k];
    Walk { bits, beat: Beat::of(context, array), line: Beat::drained_line(context, array) }
}

/// Unrolls runs: holds one at a time and gives the address of one beat per cycle, with no gap between runs that wait.
pub struct RunWalker<'a> {
    format: &'a RunFormat,
    valid: Signal,
    end: Signal,
    target: Option<Signal>,
    walk: Option<Signal>,
    address: Signal,
    last: Signal,
    /// The present beat is the run's first; only where lines are drained.
    first: Option<Signal>,
}

impl RunWalker<'_> {
    pub fn declare<'a>(m: &mut Module, format: &'a RunFormat, prefix: &str) -> RunWalker<'a> {
        let mut reg = |name: &str, ty: Type| m.reg(&format!("{prefix}_{name}"), ty);
        RunWalker {
            format,
            valid: reg("valid", Type::BIT),
            end: reg("end", Type::BIT),
            target: (format.arrays.len() > 1).then(|| reg("array", format.target_type())),
            walk: (format.walks.len() > 1).then(|| reg("walk", format.walk_type())),
            address: reg("address", format.address),
            last: reg("last", format.last),
            first: None,
        }
    }

    /// The same of runs that are drained.
    pub fn declare_drained<'a>(m: &mut Module, format: &'a RunFormat, prefix: &str) -> RunWalker<'a> {
        let has_lines = format.walks.iter().any(|walk| walk.line.is_some());
        let first = has_lines.then(|| m.reg(&format!("{prefix}_first"), Type::BIT));
        RunWalker { first, ..RunWalker::declare(m, format, prefix) }
    }

    /// Whether the present beat is the first of its line that the run has: others come out of the line that was read for that. `None`
    /// where all beats are read.
    pub fn opens(&self) -> Option<Expr> {
        let first = self.first.as_ref()?;
        let of = |walk: Walk| match walk.line {
            None => Expr::bit(true),
            Some(line) => first.e().or(&walk.beat.place_in_line(line, &self.address.e()).is_zero()),
        };
        Some(self.by_walk(of))
    }

    /// A beat is asked for.
    pub fn has_element(&self) -> Expr {
        self.valid.e().and(&self.end.e().not())
    }

    /// An end mark is held.
    pub fn has_end(&self) -> Expr {
        self.valid.e().and(&self.end.e())
    }

    /// Index of the present array among those of the format.
    pub fn target(&self) -> Option<Expr> {
        self.target.as_ref().map(|t| t.e())
    }

    /// The present address in its buffer.
    pub fn address(&self) -> Expr {
        self.address.e()
    }

    fn by_walk(&self, value: impl Fn(Walk) -> Expr) -> Expr {
        self.format.by_walk(self.walk.as_ref().map(|w| w.e()).as_ref(), value)
    }

    fn is_last(&self) -> Expr {
        self.by_walk(|walk| walk.beat.is_last(&self.address.e(), &self.last.e()))
    }

    /// How many beats of the run come behind the present one.
    pub fn left(&self) -> Expr {
        self.by_walk(|walk| walk.beat.left(&self.address.e(), &self.last.e(), walk.bits))
    }

    /// A bit per element of the present beat, whether it is the run's; as wide as [`RunFormat::elements_type`].
    pub fn own(&self) -> Option<Expr> {
        let ty = self.format.elements_type()?;
        let of = |walk: Walk| {
            let (address, last) = (self.address.e(), self.last.e());
            walk.beat.own(&address, &walk.beat.is_last(&address, &last), &last).resize(ty)
        };
        Some(self.by_walk(of))
    }

    /// Feeds the walker from `runs`, whose payload is `run`; `step` takes the present beat, `end_taken` the present end
    /// mark (each implies that there is one). Drives `runs.ready`.
    pub fn connect(&self, m: &mut Module, runs: &Stream, run: &Run, step: &Expr, end_taken: &Expr) {
        let free = self.valid.e().not().or(end_taken).or(&step.and(&self.is_last()));
        m.assign(&runs.ready, &free);
        let mut load = vec![assign(&self.end, &run.end), assign(&self.last, &run.last)];
        load.push(assign(&self.address, &run.address));
        load.extend(self.target.iter().zip(&run.target).map(|(register, value)| assign(register, value)));
        load.extend(self.walk.iter().zip(&run.walk).map(|(register, value)| assign(register, value)));
        load.extend(self.first.iter().map(|first| assign(first, &Expr::bit(true))));
        let after = self.by_walk(|walk| walk.beat.next(&self.address.e(), walk.bits));
        let mut next = vec![assign(&self.address, &after)];
        next.extend(self.first.iter().map(|first| assign(first, &Expr::bit(false))));
        let advance = when(runs.ready.e(), vec![assign(&self.valid, &runs.valid.e())]);
        let follow = when_else(runs.fires(), load, vec![when(step.clone(), next)]);
        m.clocked("", vec![(self.valid.clone(), 0)], vec![advance, follow]);
    }
}
