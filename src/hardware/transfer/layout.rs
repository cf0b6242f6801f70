//! Words to elements and back: the packing cells behind a FIFO of how rows lie in memory.

use crate::hardware::circuit::cells::{clocking, fifo, into, out_of};
use crate::hardware::circuit::stream::Stream;
use crate::hardware::transfer::bursts::LayoutStream;
use crate::rtl::{Connection, Expr, Module, Signal, Type};

/// Elements a packer or unpacker may have waiting layouts for.
const LAYOUTS_WAITING: i128 = 8;

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
