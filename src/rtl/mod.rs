//! Typed RTL: what generated hardware is before it is text.
//!
//! A [`Module`] is a list of ports, wires, registers, processes and instances over typed expressions ([`Expr`]);
//! [`verify`] checks a whole [`Design`], and [`print`] gives a module's Verilog-2001, the same bytes every time.

mod expr;
mod header;
mod lower;
mod module;
mod names;
mod outline;
mod plan;
mod print;
mod properties;
mod shown;
mod text;
mod trim;
mod types;
mod verify;

#[cfg(test)]
mod tests;

pub use expr::Expr;
pub use header::{CellPort, Header};
pub use module::{
    Connection, Design, Field, Kind, Label, Module, Port, Signal, Statement, assign, case, when, when_else,
};
pub use names::{is_reserved, legal};
pub use outline::outline;
pub use print::print;
pub use shown::{Shown, shown};
pub use trim::trim;
pub use types::Type;
pub use verify::verify;
