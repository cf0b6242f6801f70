//! Small circuits and library cells that several processes use.

use crate::hardware::circuit::stream::Stream;
use crate::rtl::{Connection, Expr, Kind, Module, Signal, Type, assign, when, when_else};

/// `clk` and `rst` of an instance inside `m`.
pub fn clocking(m: &Module) -> Vec<(String, Connection)> {
    ["clk", "rst"].map(|name| (name.to_string(), Connection::In(port(m, name)))).to_vec()
}

/// A port of the module that is being built.
pub fn port(m: &Module, name: &str) -> Expr {
    m.port(name).unwrap_or_else(|| panic!("module {} has no port {name}", m.name())).e()
}

/// The two wires of a stream into (`s`) an instance.
pub fn into(group: &str, stream: &Stream) -> Vec<(String, Connection)> {
    let group = if group.is_empty() { String::new() } else { format!("{group}_") };
    vec![
        (format!("s_{group}valid"), Connection::In(stream.valid.e())),
        (format!("s_{group}ready"), Connection::Out(stream.ready.clone())),
    ]
}

/// The two wires of a stream out of (`m`) an instance.
pub fn out_of(group: &str, stream: &Stream) -> Vec<(String, Connection)> {
    let group = if group.is_empty() { String::new() } else { format!("{group}_") };
    vec![
        (format!("m_{group}valid"), Connection::Out(stream.valid.clone())),
        (format!("m_{group}ready"), Connection::In(stream.ready.e())),
    ]
}

/// A `fifo` from `input` to `output`; gives the wire of the output's data.
pub fn fifo(
    m: &mut Module,
    instance: &str,
    depth: i128,
    input: (&Stream, &Expr),
    output: &Stream,
    data: &str,
) -> Signal {
    let width = input.1.width();
    let out = m.wire(data, Type::unsigned(width));
    let mut ports = clocking(m);
    ports.extend(into("", input.0));
    ports.push(("s_data".into(), Connection::In(input.1.clone())));
    ports.extend(out_of("", output));
    ports.push(("m_data".into(), Connection::Out(out.clone())));
    m.instance("fifo", instance, vec![("WIDTH", width as i128), ("DEPTH", depth)], ports);
    out
}

/// `register` counts `up` minus `down`, and does not go round.
pub fn up_down(m: &mut Module, register: &Signal, up: &Expr, down: &Expr) {
    let is_input = |e: &Expr| e.signal().is_some_and(|signal| signal.kind() == Kind::Input);
    counter(m, register, up, down);
    m.counts(register, is_input(up), is_input(down));
}

/// The same where nothing in the module keeps `up` from going on: its surroundings do.
pub fn up_down_as_given(m: &mut Module, register: &Signal, up: &Expr, down: &Expr) {
    counter(m, register, up, down);
    m.counts(register, true, false);
}

fn counter(m: &mut Module, register: &Signal, up: &Expr, down: &Expr) {
    let more = assign(register, &register.e().incremented());
    let fewer = assign(register, &register.e().decremented());
    let body = vec![when_else(up.and(&down.not()), vec![more], vec![when(down.and(&up.not()), vec![fewer])])];
    m.clocked("", vec![(register.clone(), 0)], body);
}
