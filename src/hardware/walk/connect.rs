//! A scanner inside a process.

use crate::hardware::circuit::cells::{self, clocking, into, out_of, port};
use crate::hardware::circuit::ranged::Ranged;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::context::Context;
use crate::hardware::walk::rows::{Row, RowFormat, RowPorts};
use crate::offload::Offload;
use crate::rtl::{Connection, Module, Signal};

/// Rows that a scanner may be ahead of the pipeline behind it.
const ROWS_AHEAD: i128 = 4;

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
        m.fields("tile", data, context.tile_layout());
        let mut high = context.tile_width();
        for field in context.tile_fields() {
            high -= field.ty().width;
            let value = data.e().slice(high + field.ty().width - 1, high).resize(field.ty());
            let name = format!("s_tile_{}", field.name());
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
    let name = |p: &Ranged| format!("arg_{}", p.name());
    context.names.parameters.iter().map(|p| (name(p), Connection::In(port(m, &name(p))))).collect()
}

/// Characters of a set that a module's description holds.
const LONGEST_SET: usize = 1500;

/// The sets of a process in isl's notation, for the header comment of its scanner.
pub fn walked(offload: &Offload, set: &str, arrays: &[&str]) -> String {
    let wanted: Vec<String> = arrays.iter().map(|a| format!("{set}({a})")).collect();
    let several = offload.bands.len() > 1;
    let mut lines = vec![];
    for (index, band) in offload.bands.iter_enumerated() {
        let of = if several { format!(" of band {index}") } else { String::new() };
        let found = band.sets.iter().filter(|s| wanted.contains(&s.name));
        lines.extend(found.map(|s| match s.isl.len() {
            0..=LONGEST_SET => format!("{}{of} = {}", s.name, s.isl),
            _ => format!("{}{of} has many pieces; `burstc analyze` prints it.", s.name),
        }));
    }
    lines.join("\n")
}

/// The rows of the scanner, behind a FIFO; `about` is what the Verilog says of it.
pub fn waiting_rows(
    context: &Context,
    m: &mut Module,
    scanner: &Module,
    format: &RowFormat,
    tiles: (&Stream, Option<&Signal>),
    about: Option<&str>,
) -> (Stream, Row) {
    let rows = Stream::wires(m, "row");
    let row_wires = RowPorts::declare(m, format, "row_", false);
    connect_scanner(context, m, scanner, tiles, &rows, &row_wires);
    about.iter().for_each(|about| m.comment(about));
    let waiting = Stream::wires(m, "waiting");
    let packed = format.pack(&row_wires.row(format));
    let row = cells::fifo(m, "u_rows", ROWS_AHEAD, (&rows, &packed), &waiting, "waiting_row");
    (waiting, format.unpack(m, &row))
}
