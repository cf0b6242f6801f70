//! What joins the processes where there are several memory ports: each port has a load and a store process of its own, and
//! the others see them as one. Tiles go to all of them, and a moment of a tile has come when it has come for all.

use crate::hardware::circuit::cells;
use crate::hardware::circuit::stream::Stream;
use crate::rtl::{Expr, Module, Signal, Type};

/// Words that one process may be behind another.
const BEHIND: i128 = 4;

/// Gives every word of `input` to each of the processes `names`, as a stream with its data. One may be [`BEHIND`] another.
pub fn fork(m: &mut Module, names: &[String], input: (&Stream, &Expr)) -> Vec<(Stream, Signal)> {
    let entries: Vec<Stream> = names.iter().map(|name| Stream::wires(m, &format!("{name}_queued"))).collect();
    let all = |except: Option<usize>| {
        let ready = entries.iter().enumerate().filter(|(e, _)| Some(*e) != except).map(|(_, entry)| entry.ready.e());
        ready.reduce(|a, b| a.and(&b)).unwrap_or(Expr::bit(true))
    };
    m.assign(&input.0.ready, &all(None));
    let mut outputs = vec![];
    for (e, (entry, name)) in entries.iter().zip(names).enumerate() {
        m.assign(&entry.valid, &input.0.valid.e().and(&all(Some(e))));
        let output = Stream::wires(m, name);
        let data = cells::fifo(m, &format!("u_{name}"), BEHIND, (entry, input.1), &output, &format!("{name}_word"));
        outputs.push((output, data));
    }
    outputs
}

/// `all` is high for a cycle when the oldest pulse that it has not counted has come from each of `own`. None of them is more
/// than seven ahead: tiles are given to no process before.
pub fn join(m: &mut Module, own: &[Signal], all: &Signal) {
    let mut have = vec![];
    for pulse in own {
        let ahead = m.reg(&format!("{}_ahead", pulse.name()), Type::unsigned(3));
        cells::up_down_as_given(m, &ahead, &pulse.e(), &all.e());
        have.push(pulse.e().or(&ahead.e().is_zero().not()));
    }
    m.assign(all, &have.into_iter().reduce(|a, b| a.and(&b)).unwrap_or(Expr::bit(true)));
}
