//! Rows that take turns: of each in its turn the next iteration goes to the walker, as a row of one. So an iteration that waits for the
//! one before it in its row has others in between.
//!
//! ```text
//!             ┌──────────── the rest of the row ◀───────────┐
//!             └─▶ FIFO ─▶ ┐                                 │
//! rows ─────────────────▶ ┴─▶ its first iteration ──────────┴─▶ walker
//! ```
//!
//! A row that comes goes first, as long as there is room. Rows of other statements, and the end of a tile, wait until all that took
//! turns are through, and go on as they are.

use crate::hardware::circuit::cells;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::context::Context;
use crate::hardware::walk::rows::{Row, RowFormat, RowKind};
use crate::ids::KindId;
use crate::rtl::{Expr as Rtl, Module, Type, assign, when};

/// The rows with those of interleaved statements one iteration at a time; without such statements as they come.
pub fn interleave(context: &Context, m: &mut Module, format: &RowFormat, rows: (Stream, Row)) -> (Stream, Row) {
    let (waiting, row) = rows;
    let held = |kind: &RowKind| {
        let own = &context.offload.bands[kind.band].compute.interleaved;
        own.iter().find(|own| own.statement == kind.leaf.statement()).map(|own| own.rows)
    };
    let kinds: Vec<(KindId, i64)> =
        format.kinds.iter_enumerated().filter_map(|(kind, own)| Some((kind, held(own)?))).collect();
    let Some(most) = kinds.iter().map(|(_, rows)| *rows).max() else { return (waiting, row) };
    m.comment("Rows take turns: one iteration of each, and the rest of it waits for the next turn.");
    let count = m.reg("rows_in_turn", Type::for_range(0, most));
    let (turn, again, next) = (Stream::wires(m, "turn"), Stream::wires(m, "again"), Stream::wires(m, "next_row"));
    let none = count.e().is_zero();
    let is_of =
        |kind: &(KindId, i64)| if format.has_kinds() { row.kind.eq(&format.number(kind.0)) } else { Rtl::bit(true) };
    let takes_turns = Rtl::any(&kinds.iter().map(is_of).collect::<Vec<_>>()).and(&row.end.not());
    let takes_turns = m.define("takes_turns", &takes_turns);
    let mut has_room = count.e().lt(&Rtl::constant(most.into(), count.ty()));
    // Rows of one kind at a time.
    if kinds.len() > 1 {
        let present = m.reg("kind_in_turn", format.kind_type());
        has_room = has_room.and(&none.or(&present.e().eq(&row.kind)));
        m.clocked("", vec![], vec![when(waiting.fires(), vec![assign(&present, &row.kind)])]);
    }
    let enters = m.define("row_enters", &waiting.valid.e().and(&takes_turns.e().select(&has_room, &none)));
    let data = m.wire("again_row", Type::unsigned(format.width()));
    let word = cells::fifo(m, "u_turns", most.into(), (&again, &data.e()), &turn, "row_in_turn");
    let kept = format.unpack(m, &word);

    let choose = |new: &Rtl, kept: &Rtl| enters.e().select(new, kept);
    let first = m.define("turn_first", &choose(&row.first, &kept.first));
    let last = m.define("turn_last", &choose(&row.last, &kept.last));
    let outer = row.outer.iter().zip(&kept.outer).map(|(new, kept)| choose(new, kept)).collect();
    let kind = choose(&row.kind, &kept.kind);
    let is_whole = m.define("goes_whole", &enters.e().and(&takes_turns.e().not()));
    let has_more = m.define("has_more", &first.e().eq(&last.e()).or(&is_whole.e()).not());
    let present =
        format.row((enters.e().and(&row.end), kind), outer, [first.e(), is_whole.e().select(&last.e(), &first.e())]);
    m.assign(&next.valid, &enters.e().or(&turn.valid.e()));
    m.assign(&waiting.ready, &enters.e().and(&next.ready.e()));
    m.assign(&turn.ready, &enters.e().not().and(&next.ready.e()));
    m.assign(&again.valid, &next.fires().and(&has_more.e()));
    let rest = Row { end: Rtl::bit(false), first: first.e().incremented(), last: last.e(), ..present.clone() };
    m.assign(&data, &format.pack(&rest));
    let begins = waiting.fires().and(&has_more.e());
    let ends = turn.fires().and(&has_more.e().not());
    cells::up_down(m, &count, &begins, &ends);
    (next, present)
}
