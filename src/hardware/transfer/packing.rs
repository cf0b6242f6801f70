//! Words to elements or beats and back: the packing cells behind a FIFO of how rows lie in their words.

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

/// How the rows of a process come in the words of the memory port.
pub enum Packing {
    /// Every element is a word.
    Words,
    /// One by one.
    Elements(RowPacking),
    /// Several at once.
    Beats(RowBeats),
}

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

/// The same for beats. Ends and places are in bytes.
pub struct RowBeats {
    pub stream: Stream,
    pub word: Word,
    /// log2 of the bytes of the widest beat of any row, and of the smallest element.
    pub widest: u32,
    pub grain: u32,
    /// log2 of the bytes of the row's beats.
    pub size: Expr,
    /// Of the first element in the first word.
    pub offset: Expr,
    /// Of the row's end, from the begin of the first word, and from the begin of the first beat. As wide.
    pub words_end: Expr,
    pub beats_end: Expr,
}

impl RowBeats {
    /// The type of [`RowBeats::size`].
    pub fn size_type() -> Type {
        Type::unsigned(3)
    }

    pub fn beat(&self) -> Type {
        Type::unsigned(8 << self.widest)
    }

    fn parameters(&self) -> Vec<(&'static str, i128)> {
        vec![
            ("WORD_WIDTH", self.word.shift().into()),
            ("BEAT_WIDTH", self.widest.into()),
            ("GRAIN", self.grain.into()),
            ("END_WIDTH", self.words_end.width().into()),
        ]
    }

    /// A `row_unpacker` behind a small FIFO of rows; gives its data.
    pub fn unpacker(&self, m: &mut Module, word: (&Stream, &Expr), beat: &Stream) -> Expr {
        let fields = [("size", &self.size), ("words_end", &self.words_end), ("beats_end", &self.beats_end)];
        let mut ports = waiting(m, &self.stream, &fields);
        ports.extend(into("word", word.0));
        ports.push(("s_word_data".into(), Connection::In(word.1.clone())));
        ports.extend(out_of("beat", beat));
        let data = m.wire("beat_data", self.beat());
        ports.push(("m_beat_data".into(), Connection::Out(data.clone())));
        m.instance("row_unpacker", "u_unpacker", self.parameters(), ports);
        data.e()
    }

    /// A `row_packer` behind a small FIFO of rows; drives `stream` with words and gives their data and strobe.
    /// A beat comes with the strobes of its bytes, where there are such.
    pub fn packer(&self, m: &mut Module, beat: (&Stream, &Expr, Option<&Expr>), stream: &Stream) -> (Signal, Signal) {
        let fields = [
            ("size", &self.size),
            ("offset", &self.offset),
            ("words_end", &self.words_end),
            ("beats_end", &self.beats_end),
        ];
        let mut ports = waiting(m, &self.stream, &fields);
        ports.extend(into("beat", beat.0));
        ports.push(("s_beat_data".into(), Connection::In(beat.1.resize(self.beat()))));
        let bytes = Type::unsigned(1 << self.widest);
        let strobes = beat.2.map_or(Expr::bit(true).replicate(bytes.width), |strobes| strobes.resize(bytes));
        ports.push(("s_beat_strobe".into(), Connection::In(strobes)));
        ports.extend(out_of("word", stream));
        let data = m.wire("packed_data", self.word.data());
        let strobe = m.wire("packed_strobe", self.word.strobe());
        ports.push(("m_word_data".into(), Connection::Out(data.clone())));
        ports.push(("m_word_strobe".into(), Connection::Out(strobe.clone())));
        let parameters = self.parameters().into_iter().chain([("MASKED", beat.2.is_some().into())]).collect();
        m.instance("row_packer", "u_packer", parameters, ports);
        (data, strobe)
    }
}

/// A `word_unpacker` behind a small FIFO of rows; gives its data, as wide as the widest element.
pub fn unpacker(m: &mut Module, rows: &RowPacking, word: (&Stream, &Expr), element: &Stream) -> Expr {
    let mut ports = waiting(m, &rows.stream, &rows.fields().each_ref().map(|(name, field)| (*name, field)));
    ports.extend(into("word", word.0));
    ports.push(("s_word_data".into(), Connection::In(word.1.clone())));
    ports.extend(out_of("element", element));
    let data = m.wire("element_data", Type::unsigned(ScalarType::WIDEST.bits));
    ports.push(("m_element_data".into(), Connection::Out(data.clone())));
    m.instance("word_unpacker", "u_unpacker", vec![("COUNT_WIDTH", rows.count.width() as i128)], ports);
    data.e()
}

/// A `word_packer` behind a small FIFO of rows; drives `stream` with words `word` and gives their data and strobe. An element comes
/// with the strobes of its bytes, where there are such, which are alike.
pub fn packer(
    m: &mut Module,
    word: Word,
    rows: &RowPacking,
    element: (&Stream, &Expr, Option<&Expr>),
    stream: &Stream,
) -> (Signal, Signal) {
    let mut ports = waiting(m, &rows.stream, &rows.fields().each_ref().map(|(name, field)| (*name, field)));
    ports.extend(into("element", element.0));
    let widest = Type::unsigned(ScalarType::WIDEST.bits);
    ports.push(("s_element_data".into(), Connection::In(element.1.resize(widest))));
    let strobe = element.2.map_or(Expr::bit(true), |strobes| strobes.index(0));
    ports.push(("s_element_strobe".into(), Connection::In(strobe)));
    ports.extend(out_of("word", stream));
    let data = m.wire("packed_data", word.data());
    let strobe = m.wire("packed_strobe", word.strobe());
    ports.push(("m_word_data".into(), Connection::Out(data.clone())));
    ports.push(("m_word_strobe".into(), Connection::Out(strobe.clone())));
    let parameters = vec![("COUNT_WIDTH", rows.count.width() as i128), ("MASKED", element.2.is_some().into())];
    m.instance("word_packer", "u_packer", parameters, ports);
    (data, strobe)
}

impl RowPacking {
    fn fields(&self) -> [(&'static str, Expr); 3] {
        [("size", self.size.e()), ("offset", self.offset.e()), ("count", self.count.e())]
    }
}

/// The FIFO of rows, and the row ports of the cell behind it. What is the same of all rows does not wait.
fn waiting(m: &mut Module, rows: &Stream, fields: &[(&str, &Expr)]) -> Vec<(String, Connection)> {
    let vary: Vec<Expr> = fields.iter().filter(|(_, f)| f.as_constant().is_none()).map(|(_, f)| (*f).clone()).collect();
    let packed = Expr::concat(&vary);
    let waiting = Stream::wires(m, "waiting_layout");
    let word = fifo(m, "u_layouts", ROWS_WAITING, (rows, &packed), &waiting, "waiting_layout_data");
    let mut ports = clocking(m);
    ports.extend(into("row", &waiting));
    let mut high = packed.width();
    for (name, field) in fields {
        let value = if field.as_constant().is_some() {
            (*field).clone()
        } else {
            high -= field.width();
            word.e().slice(high + field.width() - 1, high)
        };
        ports.push((format!("s_row_{name}"), Connection::In(value)));
    }
    ports
}
