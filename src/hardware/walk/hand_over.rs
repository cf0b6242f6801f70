//! Tokens between processes.

use crate::hardware::circuit::cells::{clocking, fifo, into, out_of};
use crate::hardware::circuit::stream::Stream;
use crate::hardware::context::Context;
use crate::rtl::{Module, Signal};

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
