//! The local buffers as circuits: addresses from σ.
//!
//! Every process counts the tiles that it has ended, so that all agree on a tile's slot without telling each other.

use crate::hardware::circuit::cells;
use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::circuit::variable::Affine;
use crate::hardware::context::Context;
use crate::ids::{ArrayId, BandId};
use crate::offload::{Buffer, Mapping, Offload, bits_below};
use crate::rtl::{Expr, Module, Signal, Type, assign, when};

/// Tiles that a process may have taken, with rows of none of them at its end; with more, a tile waits.
const TILES_TAKEN: i128 = 4;

/// The buffer of an array that some tile accesses.
pub fn buffer_of(offload: &Offload, array: ArrayId) -> &Buffer {
    offload.buffers.iter().find(|b| b.array == array).expect("every accessed array has a buffer")
}

/// Bits of a buffer address, at least 1.
pub fn address_type(buffer: &Buffer) -> Type {
    Type::unsigned(buffer.address_bits().max(1))
}

/// A word, or a group of them where there are banks.
pub fn data_type(buffer: &Buffer, bits: u32) -> Type {
    Type::unsigned(buffer.bank_count() as u32 * bits)
}

/// The slots of the strips of tiles that a process has taken and not come to the end of, where strips have some.
pub struct StripQueue {
    /// Takes that of a tile with the tile.
    pub taken: Stream,
    front: Stream,
    slot: Signal,
}

impl StripQueue {
    /// Of the tiles in `data`, for a process, or for that part of it which `name` tells.
    pub fn declare(context: &Context, m: &mut Module, data: &Signal, name: &str) -> Option<StripQueue> {
        let own = context.strip_of(data)?;
        m.comment("Slots of the strips whose tiles are under way.");
        let (taken, front) = (Stream::wires(m, &format!("{name}strip")), Stream::wires(m, &format!("own_{name}strip")));
        let fifo = (format!("u_{name}strips"), format!("own_{name}strip_slot"));
        let slot = cells::fifo(m, &fifo.0, TILES_TAKEN, (&taken, &own), &front, &fifo.1);
        Some(StripQueue { taken, front, slot })
    }
}

/// What of the number of the tile that a process is at tells slots.
pub struct TileNumber {
    /// That of its strip.
    strip: Option<StripQueue>,
    /// Its low bits, as many as some buffer has slots for.
    low: Option<Signal>,
    /// Modulo 3, where some buffer has three slots.
    of_three: Option<Signal>,
}

impl TileNumber {
    pub fn declare(m: &mut Module, offload: &Offload, strip: Option<StripQueue>) -> TileNumber {
        let mappings = offload.buffers.iter().flat_map(|b| b.mappings.iter().flatten());
        let slots = mappings.filter(|mapping| mapping.slots > 1 && !mapping.by_strips).map(|mapping| mapping.slots);
        let (three, others): (Vec<i64>, Vec<i64>) = slots.partition(|slots| *slots == 3);
        TileNumber {
            strip,
            low: others.into_iter().max().map(|slots| m.reg("tile_number", Type::unsigned(bits_below(slots)))),
            of_three: three.first().map(|slots| m.reg("tile_of_three", Type::unsigned(bits_below(*slots)))),
        }
    }

    /// Whether it is known already: always, where strips have no slots.
    pub fn is_known(&self) -> Expr {
        self.strip.as_ref().map_or(Expr::bit(true), |strip| strip.front.valid.e())
    }

    /// What holds its rows back, beside what does anyway.
    pub fn held(&self, other: Option<Expr>) -> Option<Expr> {
        match &self.strip {
            None => other,
            Some(_) => Some(Expr::any(&other.into_iter().chain([self.is_known().not()]).collect::<Vec<_>>())),
        }
    }

    /// `ended` tells that the process ends a tile, the end mark behind the last one included.
    pub fn connect(&self, m: &mut Module, ended: &Expr) {
        if let Some(strip) = &self.strip {
            m.assign(&strip.front.ready, ended);
        }
        if let Some(number) = &self.low {
            let next = number.e().incremented();
            m.clocked("", vec![(number.clone(), 0)], vec![when(ended.clone(), vec![assign(number, &next)])]);
        }
        if let Some(number) = &self.of_three {
            let [first, last] = [0, 2].map(|slot| Expr::constant(slot, number.ty()));
            let next = number.e().eq(&last).select(&first, &number.e().incremented());
            m.clocked("", vec![(number.clone(), 0)], vec![when(ended.clone(), vec![assign(number, &next)])]);
        }
    }

    fn slot(&self, mapping: &Mapping) -> Option<Expr> {
        match mapping.slots {
            1 => None,
            _ if mapping.by_strips => Some(self.strip.as_ref().expect("strips with slots are told").slot.e()),
            3 => self.of_three.as_ref().map(Signal::e),
            slots => self.low.as_ref().map(|number| number.e().slice(bits_below(slots) - 1, 0)),
        }
    }
}

/// The lowest `bits` bits of [`address`], which are some of the last subscript's residue.
pub fn low_bits(buffer: &Buffer, band: BandId, point: &[Affine], scope: &Scope, bits: u32) -> Expr {
    let mapping = buffer.mappings[band].as_ref().expect("a band that accesses an array has a mapping for it");
    let point = mapping.skewed(point);
    scope.affine_as(point.last().expect("rows run along a subscript"), Type::unsigned(bits))
}

/// σ(point) in a tile of `band`: its slot, and the residues modulo powers of two side by side, each a few low bits of its
/// subscript.
pub fn address(buffer: &Buffer, band: BandId, point: &[Affine], scope: &Scope, tile: &TileNumber) -> Expr {
    let mapping = buffer.mappings[band].as_ref().expect("a band that accesses an array has a mapping for it");
    let point = mapping.skewed(point);
    let residues = (point.iter().zip(&mapping.moduli))
        .filter(|(_, modulus)| **modulus > 1)
        .map(|(subscript, modulus)| scope.affine_as(subscript, Type::unsigned(bits_below(*modulus))));
    let parts: Vec<Expr> = tile.slot(mapping).into_iter().chain(residues).collect();
    match parts.len() {
        0 => Expr::constant(0, address_type(buffer)),
        _ => Expr::concat(&parts).resize(address_type(buffer)),
    }
}
