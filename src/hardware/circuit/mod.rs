//! Small circuits, cells, streams and scopes that every room uses.

pub mod cells;
pub mod interval;
pub mod library;
pub mod ranged;
pub mod scope;
pub mod stream;
pub mod variable;
