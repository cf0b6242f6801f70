//! Runs: the rows of a transfer as the buffers see them, the addresses of a first and a last word. The walk through a
//! buffer knows neither tile nor subscripts.

use crate::hardware::buffers::address::{self, TileNumber, buffer_of};
use crate::hardware::buffers::beat::Beat;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::transfer::stage::TransferStage;
use crate::hardware::walk::rows::RowFormat;
use crate::ids::ArrayId;
use crate::offload::Offload;
use crate::rtl::{Expr, Module, Signal, Type, assign, when, when_else};

/// The shape of a stream of runs.
pub struct RunFormat {
    /// Arrays whose buffers take part, each once.
    pub arrays: Vec<ArrayId>,
    /// The array of every row kind.
    kind_arrays: Vec<ArrayId>,
    /// Where buffers lie differently: the bits of the last subscript's residue, which count on within a row.
    wraps: Vec<u32>,
    address: Type,
    last: Type,
    /// What the walk through a run takes per cycle.
    pub beat: Beat,
}

/// A run, as signals or as fields of a packed word.
pub struct Run {
    /// No run, but the end of the tile.
    pub end: Expr,
    /// Index into [`RunFormat::arrays`], where there are several.
    target: Option<Expr>,
    /// Index into [`RunFormat::wraps`], where there are several.
    wrap: Option<Expr>,
    address: Expr,
    /// The low bits of the last word's address; the others are those of `address`.
    last: Expr,
}

impl RunFormat {
    pub fn new(offload: &Offload, format: &RowFormat, kind_arrays: &[ArrayId], arrays: &[ArrayId]) -> RunFormat {
        let mut wraps: Vec<u32> = (0..kind_arrays.len()).map(|k| wrap(offload, format, kind_arrays, k)).collect();
        wraps.sort_unstable();
        wraps.dedup();
        let last = Type::unsigned(wraps.last().copied().unwrap_or(0).max(1));
        let addresses = arrays.iter().map(|&a| address::address_type(buffer_of(offload, a)));
        RunFormat {
            last,
            arrays: arrays.to_vec(),
            kind_arrays: kind_arrays.to_vec(),
            wraps,
            address: addresses.max_by_key(|ty| ty.width).unwrap_or(Type::BIT),
            beat: Beat::OF_TRANSFERS,
        }
    }

    fn target_type(&self) -> Type {
        Type::for_range(0, (self.arrays.len() as i64 - 1).max(1))
    }

    fn wrap_type(&self) -> Type {
        Type::for_range(0, (self.wraps.len() as i64 - 1).max(1))
    }

    /// Bits of a packed run.
    fn width(&self) -> u32 {
        let target = if self.arrays.len() > 1 { self.target_type().width } else { 0 };
        let wrap = if self.wraps.len() > 1 { self.wrap_type().width } else { 0 };
        1 + target + wrap + self.address.width + self.last.width
    }

    /// The packed run of the row that `stage` has, given the number of the row's tile.
    pub fn of_row(&self, stage: &TransferStage, tile: &TileNumber) -> Expr {
        let TransferStage { context, scope, format, row, .. } = stage;
        let offload = context.offload;
        let by_kind = |value: &dyn Fn(usize) -> Expr| {
            format.by_kind(&row.kind, (0..self.kind_arrays.len()).map(|k| (k, value(k))))
        };
        let address = |k: usize, inner: &Expr| {
            let at = format.scope(scope, &row.outer, inner);
            let kind = &format.kinds[k];
            address::address(buffer_of(offload, self.kind_arrays[k]), kind.band, &kind.point, &at, tile)
                .resize(self.address)
        };
        let target = |k: usize| {
            let index = self.arrays.iter().position(|a| *a == self.kind_arrays[k]).expect("an array of the transfer");
            Expr::constant(index as i128, self.target_type())
        };
        let class = |k: usize| {
            let bits = wrap(offload, format, &self.kind_arrays, k);
            let index = self.wraps.iter().position(|w| *w == bits).expect("collected from all kinds");
            Expr::constant(index as i128, self.wrap_type())
        };
        let mut parts = vec![row.end.clone()];
        parts.extend((self.arrays.len() > 1).then(|| by_kind(&target)));
        parts.extend((self.wraps.len() > 1).then(|| by_kind(&class)));
        parts.push(by_kind(&|k| address(k, &row.first)));
        parts.push(by_kind(&|k| address(k, &row.last).resize(self.last)));
        Expr::concat(&parts)
    }

    pub fn unpack(&self, m: &mut Module, word: &Signal) -> Run {
        let mut fields = vec![("end", 1)];
        fields.extend((self.arrays.len() > 1).then(|| ("array", self.target_type().width)));
        fields.extend((self.wraps.len() > 1).then(|| ("wrap", self.wrap_type().width)));
        fields.extend([("address", self.address.width), ("last", self.last.width)]);
        m.fields("run", word, fields);
        let mut high = self.width();
        let mut take = |ty: Type| {
            high -= ty.width;
            word.e().slice(high + ty.width - 1, high).resize(ty)
        };
        let end = take(Type::BIT);
        let target = (self.arrays.len() > 1).then(|| take(self.target_type()));
        let wrap = (self.wraps.len() > 1).then(|| take(self.wrap_type()));
        let address = take(self.address);
        Run { end, target, wrap, address, last: take(self.last) }
    }

    /// The address of the beat after that of `address` in the same row.
    fn next(&self, address: &Expr, wrap: Option<&Expr>) -> Expr {
        let after = self.beat.next(address);
        let of = |bits: u32| match bits {
            _ if self.beat.covers(bits) => address.clone(),
            _ if bits >= self.address.width => after.clone(),
            // Only the residue counts on, so the carry ends there.
            _ => {
                let low = Type::unsigned(bits);
                let residue = self.beat.next(&address.resize(low));
                Expr::concat(&[address.slice(self.address.width - 1, bits), residue])
            }
        };
        let (last, others) = self.wraps.split_last().expect("some row is transferred");
        others.iter().enumerate().rev().fold(of(*last), |other, (index, bits)| {
            let is = wrap.expect("declared for several").eq(&Expr::constant(index as i128, self.wrap_type()));
            is.select(&of(*bits), &other)
        })
    }
}

/// log2 of the last subscript's modulus in the buffer of row kind `k`.
fn wrap(offload: &Offload, format: &RowFormat, kind_arrays: &[ArrayId], k: usize) -> u32 {
    let mapping = buffer_of(offload, kind_arrays[k]).mappings[format.kinds[k].band].as_ref();
    let mapping = mapping.expect("a band that transfers an array has a mapping for it");
    mapping.moduli.last().map_or(0, |modulus| modulus.trailing_zeros())
}

/// Unrolls runs: holds one at a time and gives the address of one beat per cycle, with no gap between runs that wait.
pub struct RunWalker<'a> {
    format: &'a RunFormat,
    valid: Signal,
    end: Signal,
    target: Option<Signal>,
    wrap: Option<Signal>,
    address: Signal,
    last: Signal,
}

impl RunWalker<'_> {
    pub fn declare<'a>(m: &mut Module, format: &'a RunFormat, prefix: &str) -> RunWalker<'a> {
        let mut reg = |name: &str, ty: Type| m.reg(&format!("{prefix}_{name}"), ty);
        RunWalker {
            format,
            valid: reg("valid", Type::BIT),
            end: reg("end", Type::BIT),
            target: (format.arrays.len() > 1).then(|| reg("array", format.target_type())),
            wrap: (format.wraps.len() > 1).then(|| reg("wrap", format.wrap_type())),
            address: reg("address", format.address),
            last: reg("last", format.last),
        }
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

    fn is_last(&self) -> Expr {
        let number = |address: &Expr| self.format.beat.number(address);
        number(&self.address.e().resize(self.last.ty())).eq(&number(&self.last.e()))
    }

    /// Feeds the walker from `runs`, whose payload is `run`; `step` takes the present beat, `end_taken` the present end
    /// mark (each implies that there is one). Drives `runs.ready`.
    pub fn connect(&self, m: &mut Module, runs: &Stream, run: &Run, step: &Expr, end_taken: &Expr) {
        let free = self.valid.e().not().or(end_taken).or(&step.and(&self.is_last()));
        m.assign(&runs.ready, &free);
        let mut load = vec![assign(&self.end, &run.end), assign(&self.last, &run.last)];
        load.push(assign(&self.address, &run.address));
        load.extend(self.target.iter().zip(&run.target).map(|(register, value)| assign(register, value)));
        load.extend(self.wrap.iter().zip(&run.wrap).map(|(register, value)| assign(register, value)));
        let wrap = self.wrap.as_ref().map(|w| w.e());
        let next = vec![assign(&self.address, &self.format.next(&self.address.e(), wrap.as_ref()))];
        let advance = when(runs.ready.e(), vec![assign(&self.valid, &runs.valid.e())]);
        let follow = when_else(runs.fires(), load, vec![when(step.clone(), next)]);
        m.clocked("", vec![(self.valid.clone(), 0)], vec![advance, follow]);
    }
}
