//! Lines: neighbours in memory that lie in banks of their own, several beats of the memory port. They go through a port that the
//! iterations use, too, in one cycle, which beats one by one would take as many cycles of.

use crate::hardware::buffers::beat::Beat;
use crate::hardware::buffers::memories::{Fill, Ports};
use crate::hardware::circuit::cells::port;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::context::Context;
use crate::ids::ArrayId;
use crate::rtl::{Connection, Expr, Module, Signal, Type};

/// Beats that wait for iterations to leave the port, which a pipeline does some fifty cycles after it is asked; in so many lines at most.
const BEATS_WAITING: u32 = 64;
const MOST_LINES: u32 = 16;

/// Adds what makes lines of the beats that fill an array's buffer: they come to `stream`, at `address`. `flush` is high at the end of a
/// tile; one more port of the load process comes to `ports`.
pub fn join(
    m: &mut Module,
    context: &Context,
    array: ArrayId,
    (stream, address): (Stream, Signal),
    (data, elements): (&Signal, Option<&Signal>),
    flush: &Option<Signal>,
    ports: &mut Ports,
) -> Fill {
    let name = &context.array(array).name;
    let (beat, line) = (Beat::of(context, array), Beat::filled_line(context, array).expect("it has lines"));
    let word = context.array(array).element.bits;
    let own = Type::unsigned(beat.elements());
    let taken = elements.filter(|_| beat.elements() > 1).map_or(Expr::bit(true), |elements| elements.e().resize(own));
    let prefix = format!("line_{name}");
    let out = Stream::wires(m, &prefix);
    let wire = |m: &mut Module, what: &str, ty: Type| m.wire(&format!("{prefix}_{what}"), ty);
    let line_address = wire(m, "address", address.ty());
    let line_elements = wire(m, "elements", Type::unsigned(line.elements()));
    let line_data = wire(m, "data", line.data(word));
    let asks = wire(m, "asks", Type::BIT);
    let empty = wire(m, "empty", Type::BIT);
    ports.push((format!("s_filled_{name}"), Connection::In(empty.e())));
    let depth = (BEATS_WAITING * beat.elements() / line.elements()).clamp(2, MOST_LINES);
    let parameters = vec![
        ("WORD", word.into()),
        ("BEAT", beat.elements().into()),
        ("LINE", line.elements().into()),
        ("ADDRESS", address.ty().width.into()),
        ("DEPTH", depth.into()),
    ];
    let flush = flush.as_ref().map_or(Expr::bit(false), Signal::e);
    let mut all: Ports = vec![
        ("clk".into(), Connection::In(port(m, "clk"))),
        ("rst".into(), Connection::In(port(m, "rst"))),
        ("flush".into(), Connection::In(flush)),
        ("s_valid".into(), Connection::In(stream.valid.e())),
        ("s_ready".into(), Connection::Out(stream.ready.clone())),
        ("s_address".into(), Connection::In(address.e())),
        ("s_elements".into(), Connection::In(taken)),
        ("s_data".into(), Connection::In(data.e().resize(beat.data(word)))),
    ];
    all.extend([
        ("m_valid".into(), Connection::Out(out.valid.clone())),
        ("m_ready".into(), Connection::In(out.ready.e())),
        ("m_address".into(), Connection::Out(line_address.clone())),
        ("m_elements".into(), Connection::Out(line_elements.clone())),
        ("m_data".into(), Connection::Out(line_data.clone())),
        ("asks".into(), Connection::Out(asks.clone())),
        ("empty".into(), Connection::Out(empty)),
    ]);
    m.instance("line_gather", &format!("u_lines_{name}"), parameters, all);
    let elements = Some(line_elements);
    Fill { array, stream: out, address: line_address, beat: line, data: line_data, elements, asks: Some(asks) }
}
