//! Small circuits and library cells that several processes use.

use crate::hardware::bursts::LayoutStream;
use crate::hardware::context::{Context, Stream};
use crate::hardware::rows::RowPorts;
use crate::offload::Offload;
use crate::rtl::{Connection, Expr, Module, Signal, Type, assign, when, when_else};

/// Elements a packer or unpacker may have waiting layouts for.
const LAYOUTS_WAITING: i128 = 8;

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

/// `register` counts `up` minus `down`.
pub fn up_down(m: &mut Module, register: &Signal, up: &Expr, down: &Expr) {
    let more = assign(register, &register.e().incremented());
    let fewer = assign(register, &register.e().decremented());
    let body = vec![when_else(up.and(&down.not()), vec![more], vec![when(down.and(&up.not()), vec![fewer])])];
    m.clocked("", vec![(register.clone(), 0)], body);
}

/// Instantiates a scanner inside a process: its tile comes packed, its rows go to wires.
pub fn connect_scanner(
    context: &Context,
    m: &mut Module,
    scanner: &Module,
    tile: (&Stream, Option<&Signal>),
    rows: &Stream,
    row: &RowPorts,
) {
    let mut ports = clocking(m);
    ports.extend(argument_ports(context, m));
    ports.extend(into("tile", tile.0));
    if let Some(data) = tile.1 {
        // Some bounds may be of other processes.
        m.waive_unused(data);
        let mut high = context.tile_width();
        for field in context.tile_fields() {
            high -= field.ty().width;
            let value = data.e().slice(high + field.ty().width - 1, high).resize(field.ty());
            let name = format!("s_tile_{}", field.name.replace(' ', "_"));
            // A bound of a tile has a port where it is needed.
            if scanner.port(&name).is_some() {
                ports.push((name, Connection::In(value)));
            }
        }
        ports.push(("s_tile_end".into(), Connection::In(data.e().index(0))));
    }
    ports.extend(out_of("row", rows));
    ports.extend(row.connections().map(|(port, wire)| (port, Connection::Out(wire))));
    m.instance(scanner.name(), "u_scan", vec![], ports);
}

/// Passes the size parameters on to an instance.
pub fn argument_ports(context: &Context, m: &Module) -> Vec<(String, Connection)> {
    let name = |p: &crate::hardware::context::Ranged| format!("arg_{}", p.name);
    context.parameters.iter().map(|p| (name(p), Connection::In(port(m, &name(p))))).collect()
}

/// A `word_unpacker` behind a small FIFO of layouts; gives the 64-bit element data.
pub fn unpacker(m: &mut Module, layout: &LayoutStream, word: (&Stream, &Expr), element: &Stream) -> Expr {
    let mut ports = layouts(m, layout);
    ports.extend(into("word", word.0).into_iter().map(|(port, c)| match c {
        // The stream is the process's own input: its ready is driven by the cell.
        Connection::In(_) => (port, Connection::In(word.0.valid.e())),
        other => (port, other),
    }));
    ports.push(("s_word_data".into(), Connection::In(word.1.clone())));
    ports.extend(out_of("element", element));
    let data = m.wire("element_data", Type::unsigned(64));
    m.waive_unused(&data);
    ports.push(("m_element_data".into(), Connection::Out(data.clone())));
    m.instance("word_unpacker", "u_unpacker", vec![("COUNT_WIDTH", layout.count.width() as i128)], ports);
    data.e()
}

/// A `word_packer` behind a small FIFO of layouts; drives `word` and gives its data and strobe.
pub fn packer(m: &mut Module, layout: &LayoutStream, element: (&Stream, &Expr), word: &Stream) -> (Signal, Signal) {
    let mut ports = layouts(m, layout);
    ports.extend(into("element", element.0));
    ports.push(("s_element_data".into(), Connection::In(element.1.resize(Type::unsigned(64)))));
    ports.extend(out_of("word", word));
    let data = m.wire("packed_data", Type::unsigned(32));
    let strobe = m.wire("packed_strobe", Type::unsigned(4));
    ports.push(("m_word_data".into(), Connection::Out(data.clone())));
    ports.push(("m_word_strobe".into(), Connection::Out(strobe.clone())));
    m.instance("word_packer", "u_packer", vec![("COUNT_WIDTH", layout.count.width() as i128)], ports);
    (data, strobe)
}

/// The FIFO of layouts, and the row ports of the cell behind it.
fn layouts(m: &mut Module, layout: &LayoutStream) -> Vec<(String, Connection)> {
    let packed = Expr::concat(&[layout.size.e(), layout.offset.e(), layout.count.e()]);
    let waiting = Stream::wires(m, "waiting_layout");
    let word = fifo(m, "u_layouts", LAYOUTS_WAITING, (&layout.stream, &packed), &waiting, "waiting_layout_data");
    let top = packed.width() - 1;
    let mut ports = clocking(m);
    ports.extend(into("row", &waiting));
    ports.push(("s_row_size".into(), Connection::In(word.e().slice(top, top - 1))));
    ports.push(("s_row_offset".into(), Connection::In(word.e().slice(top - 2, top - 3))));
    ports.push(("s_row_count".into(), Connection::In(word.e().slice(top - 4, 0))));
    ports
}

/// The token FIFO from one process to the next: tiles under way wait in `tiles`, each `done` lets the oldest through.
/// At most three are under way, so `done` is always ready.
pub fn hand_over(
    m: &mut Module,
    context: &Context,
    tiles: (&Stream, &Signal),
    done: &Stream,
    output: (&Stream, &Signal),
) {
    let under_way = Stream::wires(m, "under_way");
    let data = fifo(m, "u_tiles", 4, (tiles.0, &tiles.1.e()), &under_way, "under_way_tile");
    let token = Stream::wires(m, "token");
    let mut ports = clocking(m);
    ports.extend(into("", done));
    ports.extend(out_of("", &token));
    m.instance("token_fifo", "u_tokens", vec![("DEPTH", 4), ("INITIAL", 0)], ports);
    m.assign(&output.0.valid, &under_way.valid.e().and(&token.valid.e()));
    m.assign(output.1, &data.e());
    debug_assert_eq!(data.ty().width, context.tile_width());
    m.assign(&under_way.ready, &output.0.ready.e().and(&token.valid.e()));
    m.assign(&token.ready, &output.0.ready.e().and(&under_way.valid.e()));
}

/// Characters of a set that a module's description holds.
const LONGEST_SET: usize = 1500;

/// The sets of a process in isl's notation, for the header comment of its scanner.
pub fn walked(offload: &Offload, set: &str, arrays: &[&str]) -> String {
    let wanted: Vec<String> = arrays.iter().map(|a| format!("{set}({a})")).collect();
    let several = offload.bands.len() > 1;
    let mut lines = vec![];
    for (index, band) in offload.bands.iter().enumerate() {
        let of = if several { format!(" of band {index}") } else { String::new() };
        let found = band.sets.iter().filter(|s| wanted.contains(&s.name));
        lines.extend(found.map(|s| match s.isl.len() {
            0..=LONGEST_SET => format!("{}{of} = {}", s.name, s.isl),
            _ => format!("{}{of} has many pieces; `burstc analyze` prints it.", s.name),
        }));
    }
    lines.join("\n")
}
