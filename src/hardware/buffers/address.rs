//! The local buffers as circuits: addresses from σ.
//!
//! Every process counts the tiles that it has ended, so that all agree on a tile's slot without telling each other.

use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::variable::Affine;
use crate::ids::{ArrayId, BandId};
use crate::offload::{Buffer, Offload};
use crate::rtl::{Expr, Module, Signal, Type, assign, when};

/// The buffer of an array that some tile accesses.
pub fn buffer_of(offload: &Offload, array: ArrayId) -> &Buffer {
    offload.buffers.iter().find(|b| b.array == array).expect("every accessed array has a buffer")
}

/// Bits of a buffer address, at least 1.
pub fn address_type(buffer: &Buffer) -> Type {
    Type::unsigned(buffer.words().trailing_zeros().max(1))
}

/// A word, or a group of them where there are banks.
pub fn data_type(buffer: &Buffer, bits: u32) -> Type {
    Type::unsigned(buffer.bank_count() as u32 * bits)
}

/// The low bits of the number of the tile that a process is at, as many as some buffer has slots for.
pub struct TileNumber(Option<Signal>);

impl TileNumber {
    pub fn declare(m: &mut Module, offload: &Offload) -> TileNumber {
        let slots = offload.buffers.iter().flat_map(|b| b.mappings.iter().flatten()).map(|mapping| mapping.slots).max();
        let slots = slots.filter(|slots| *slots > 1);
        TileNumber(slots.map(|slots| m.reg("tile_number", Type::unsigned(slots.trailing_zeros()))))
    }

    /// `ended` tells that the process ends a tile, the end mark behind the last one included.
    pub fn connect(&self, m: &mut Module, ended: &Expr) {
        let Some(number) = &self.0 else { return };
        let next = number.e().incremented();
        m.clocked("", vec![(number.clone(), 0)], vec![when(ended.clone(), vec![assign(number, &next)])]);
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
    let slot = tile.0.as_ref().filter(|_| mapping.slots > 1);
    let slot = slot.map(|number| number.e().slice(mapping.slots.trailing_zeros() - 1, 0));
    let point = mapping.skewed(point);
    let residues = (point.iter().zip(&mapping.moduli))
        .filter(|(_, modulus)| **modulus > 1)
        .map(|(subscript, modulus)| scope.affine_as(subscript, Type::unsigned(modulus.trailing_zeros())));
    let parts: Vec<Expr> = slot.into_iter().chain(residues).collect();
    match parts.len() {
        0 => Expr::constant(0, address_type(buffer)),
        _ => Expr::concat(&parts).resize(address_type(buffer)),
    }
}
