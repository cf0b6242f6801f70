//! Ready/valid streams as a module sees them.

use crate::rtl::{Expr, Module, Signal, Type};

/// A ready/valid stream seen from inside a module.
#[derive(Clone)]
pub struct Stream {
    pub valid: Signal,
    pub ready: Signal,
}

impl Stream {
    /// A stream into the module: `s_<group>_valid`, `s_<group>_ready`.
    pub fn slave(module: &mut Module, group: &str) -> Stream {
        Stream {
            valid: module.input(&format!("s_{group}_valid"), Type::BIT),
            ready: module.output(&format!("s_{group}_ready"), Type::BIT),
        }
    }

    /// A stream out of the module: `m_<group>_valid`, `m_<group>_ready`.
    pub fn master(module: &mut Module, group: &str) -> Stream {
        Stream {
            valid: module.output(&format!("m_{group}_valid"), Type::BIT),
            ready: module.input(&format!("m_{group}_ready"), Type::BIT),
        }
    }

    /// Two wires that join instances.
    pub fn wires(module: &mut Module, name: &str) -> Stream {
        Stream {
            valid: module.wire(&format!("{name}_valid"), Type::BIT),
            ready: module.wire(&format!("{name}_ready"), Type::BIT),
        }
    }

    /// A word moves in this cycle.
    pub fn fires(&self) -> Expr {
        self.valid.e().and(&self.ready.e())
    }
}

/// All `takers` take a word of `from` in the same cycle, one that `may` be taken.
pub fn fork(m: &mut Module, from: &Stream, may: &Expr, takers: &[&Stream]) {
    let all_but = |left_out: Option<usize>| {
        let others = takers.iter().enumerate().filter(|(k, _)| Some(*k) != left_out);
        others.fold(may.clone(), |all, (_, taker)| all.and(&taker.ready.e()))
    };
    m.assign(&from.ready, &all_but(None));
    for (k, taker) in takers.iter().enumerate() {
        m.assign(&taker.valid, &from.valid.e().and(&all_but(Some(k))));
    }
}
