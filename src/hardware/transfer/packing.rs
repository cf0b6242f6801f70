//! Words to elements and back: the packing cells behind a FIFO of how rows lie in their words.

use crate::hardware::buffers::beat::Beat;
use crate::hardware::circuit::cells::{clocking, fifo, into, out_of};
use crate::hardware::circuit::stream::Stream;
use crate::rtl::{Connection, Expr, Module, Signal, Type};
use crate::source::kernel::ScalarType;
use crate::word::Word;

/// log2 of the bytes of the widest element.
pub const WIDEST_SIZE: u32 = ScalarType::WIDEST.bits.trailing_zeros() - 3;

/// log2 of an element's bytes.
pub fn element_size() -> Type {
    Type::for_range(0, WIDEST_SIZE.into())
}

/// Elements a packer or unpacker may have waiting rows for.
const ROWS_WAITING: i128 = 8;

/// A stream that tells the packer or unpacker how the elements of a burst lie in its words.
pub struct RowPacking {
    pub stream: Stream,
    /// log2 of the element's bytes.
    pub size: Signal,
    /// Byte offset of the first element in the first word.
    pub offset: Signal,
    /// Number of elements.
    pub count: Signal,
}

/// A `word_unpacker` behind a small FIFO of rows; gives its data, as wide as the widest element.
pub fn unpacker(m: &mut Module, rows: &RowPacking, beat: Beat, word: (&Stream, &Expr), element: &Stream) -> Expr {
    let mut ports = waiting_rows(m, rows);
    ports.extend(into("word", word.0).into_iter().map(|(port, c)| match c {
        // The stream is the process's own input: its ready is driven by the cell.
        Connection::In(_) => (port, Connection::In(word.0.valid.e())),
        other => (port, other),
    }));
    ports.push(("s_word_data".into(), Connection::In(word.1.clone())));
    ports.extend(out_of("element", element));
    let data = m.wire("element_data", beat.data(ScalarType::WIDEST.bits));
    ports.push(("m_element_data".into(), Connection::Out(data.clone())));
    m.instance("word_unpacker", "u_unpacker", vec![("COUNT_WIDTH", rows.count.width() as i128)], ports);
    data.e()
}

/// A `word_packer` behind a small FIFO of rows; drives `stream` with words `word` and gives their data and strobe.
pub fn packer(
    m: &mut Module,
    word: Word,
    rows: &RowPacking,
    beat: Beat,
    element: (&Stream, &Expr),
    stream: &Stream,
) -> (Signal, Signal) {
    let mut ports = waiting_rows(m, rows);
    ports.extend(into("element", element.0));
    ports.push(("s_element_data".into(), Connection::In(element.1.resize(beat.data(ScalarType::WIDEST.bits)))));
    ports.extend(out_of("word", stream));
    let data = m.wire("packed_data", word.data());
    let strobe = m.wire("packed_strobe", word.strobe());
    ports.push(("m_word_data".into(), Connection::Out(data.clone())));
    ports.push(("m_word_strobe".into(), Connection::Out(strobe.clone())));
    m.instance("word_packer", "u_packer", vec![("COUNT_WIDTH", rows.count.width() as i128)], ports);
    (data, strobe)
}

/// The FIFO of rows, and the row ports of the cell behind it.
fn waiting_rows(m: &mut Module, rows: &RowPacking) -> Vec<(String, Connection)> {
    let fields = [("size", &rows.size), ("offset", &rows.offset), ("count", &rows.count)];
    let packed = Expr::concat(&fields.map(|(_, field)| field.e()));
    let waiting = Stream::wires(m, "waiting_layout");
    let word = fifo(m, "u_layouts", ROWS_WAITING, (&rows.stream, &packed), &waiting, "waiting_layout_data");
    let mut ports = clocking(m);
    ports.extend(into("row", &waiting));
    let mut high = packed.width();
    for (name, field) in fields {
        high -= field.width();
        let value = word.e().slice(high + field.width() - 1, high);
        ports.push((format!("s_row_{name}"), Connection::In(value)));
    }
    ports
}
