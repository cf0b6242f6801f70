//! The local buffers as circuits: addresses from σ, and the ports of the processes that share them.

use crate::affine::Affine;
use crate::hardware::scope::Scope;
use crate::offload::Buffer;
use crate::rtl::{Expr, Type};

/// Bits of a buffer address, at least 1.
pub fn address_type(buffer: &Buffer) -> Type {
    Type::unsigned(buffer.mapping().moduli.iter().map(|m| m.trailing_zeros()).sum::<u32>().max(1))
}

/// σ(point): the residues modulo powers of two side by side, each a few low bits of its subscript.
pub fn address(buffer: &Buffer, point: &[Affine], scope: &Scope) -> Expr {
    let parts: Vec<Expr> = (point.iter().zip(&buffer.mapping().moduli))
        .filter(|(_, modulus)| **modulus > 1)
        .map(|(subscript, modulus)| scope.affine_as(subscript, Type::unsigned(modulus.trailing_zeros())))
        .collect();
    match parts.len() {
        0 => Expr::constant(0, Type::unsigned(1)),
        _ => Expr::concat(&parts),
    }
}
