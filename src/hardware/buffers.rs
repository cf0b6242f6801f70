//! The local buffers as circuits: addresses from σ.

use crate::affine::Affine;
use crate::hardware::scope::Scope;
use crate::offload::{Buffer, Offload};
use crate::rtl::{Expr, Type};

/// The buffer of an array that some tile accesses.
pub fn buffer_of(offload: &Offload, array: usize) -> &Buffer {
    offload.buffers.iter().find(|b| b.array == array).expect("every accessed array has a buffer")
}

/// Bits of a buffer address, at least 1.
pub fn address_type(buffer: &Buffer) -> Type {
    Type::unsigned(buffer.words().trailing_zeros().max(1))
}

/// A word, or a group of them where there are banks.
pub fn data_type(buffer: &Buffer, bits: u32) -> Type {
    Type::unsigned(buffer.banks.map_or(1, |banks| banks.count as u32) * bits)
}

/// σ(point) in tiles of `band`: the residues modulo powers of two side by side, each a few low bits of its subscript.
pub fn address(buffer: &Buffer, band: usize, point: &[Affine], scope: &Scope) -> Expr {
    let mapping = buffer.mappings[band].as_ref().expect("a band that accesses an array has a mapping for it");
    let parts: Vec<Expr> = (point.iter().zip(&mapping.moduli))
        .filter(|(_, modulus)| **modulus > 1)
        .map(|(subscript, modulus)| scope.affine_as(subscript, Type::unsigned(modulus.trailing_zeros())))
        .collect();
    match parts.len() {
        0 => Expr::constant(0, address_type(buffer)),
        _ => Expr::concat(&parts).resize(address_type(buffer)),
    }
}
