//! The tiles of the compute process: which of them may start, and how they go on to the store process.

use crate::hardware::buffers::address::StripQueue;
use crate::hardware::circuit::cells;
use crate::hardware::circuit::stream::{Stream, fork};
use crate::hardware::context::Context;
use crate::hardware::walk::hand_over::hand_over;
use crate::rtl::{Expr as Rtl, Module, Signal, Type};

/// Tiles in from the load process and on to the store process. A tile is forked: the scanner finds its rows, and it waits
/// itself until they have come through the pipeline.
pub struct Tokens {
    pub data: Signal,
    /// To the scanner.
    pub scan: Stream,
    wait: Stream,
    /// The strips of the tiles, where they have slots.
    pub strips: Option<StripQueue>,
    /// The same for what cuts rows, which is ahead of the iterations.
    pub strips_to_cut: Option<StripQueue>,
    computed: Stream,
    computed_data: Signal,
    /// An end mark leaves the walker; to be assigned.
    pub walked: Signal,
    /// Rows may be walked.
    pub may_walk: Rtl,
}

impl Tokens {
    /// With rows that data cut short, or none.
    pub fn declare(context: &Context, m: &mut Module, are_cut: bool) -> Tokens {
        m.comment("Tiles in from the load process, and on to the store process once they are computed.");
        let tile = Stream::slave(m, "tile");
        let data = m.input("s_tile_data", Type::unsigned(context.tile_width()));
        let computed = Stream::master(m, "tile");
        let computed_data = m.output("m_tile_data", Type::unsigned(context.tile_width()));
        let stored = m.input("s_stored", Type::BIT);
        // On a bus, tiles come before they are loaded: their rows are found meanwhile, and only the walk waits.
        let loaded = context.bus.map(|_| m.input("s_loaded", Type::BIT));
        let ahead = m.reg("tiles_ahead_of_store", Type::unsigned(2));
        let room = m.wire("may_start", Type::BIT);
        m.assign(&room, &ahead.e().lt(&Rtl::constant(2, ahead.ty())));
        let may_take = if loaded.is_some() { Rtl::bit(true) } else { room.e() };
        let scan = Stream::wires(m, "scan_tile");
        let wait = Stream::wires(m, "wait_tile");
        let strips = StripQueue::declare(context, m, &data, "");
        let strips_to_cut = if are_cut { StripQueue::declare(context, m, &data, "cut_") } else { None };
        let mut takers = vec![&scan, &wait];
        takers.extend([&strips, &strips_to_cut].into_iter().flatten().map(|strips| &strips.taken));
        fork(m, &tile, &may_take, &takers);
        let walked = m.wire("tile_walked", Type::BIT);
        let started = if loaded.is_some() { walked.e() } else { tile.fires() };
        cells::up_down(m, &ahead, &started, &stored.e());
        let may_walk = match &loaded {
            None => Rtl::bit(true),
            Some(loaded) => {
                let waiting = m.reg("tiles_loaded", Type::unsigned(2));
                cells::up_down(m, &waiting, &loaded.e(), &walked.e());
                // A pulse counts in its own cycle.
                let room = room.e().or(&stored.e());
                m.define("may_walk", &room.and(&waiting.e().is_zero().not().or(&loaded.e()))).e()
            }
        };
        Tokens { data, scan, wait, strips, strips_to_cut, computed, computed_data, walked, may_walk }
    }

    /// `end` is high when an end mark has come through the pipeline.
    pub fn hand_on(&self, context: &Context, m: &mut Module, end: &Rtl) {
        if context.bus.is_some() {
            m.comment("Tiles are handed on at once; a pulse tells when one has come through the pipeline.");
            let tile = (&self.wait, &self.data.e());
            let data = cells::fifo(m, "u_tiles", 4, tile, &self.computed, "passed_tile");
            m.assign(&self.computed_data, &data.e());
        } else {
            m.comment("A tile is handed over when its end mark has come through the pipeline.");
            let done = Stream::wires(m, "tile_done");
            m.assign(&done.valid, end);
            hand_over(m, context, (&self.wait, &self.data), &done, (&self.computed, &self.computed_data));
        }
        let token = m.output("m_computed", Type::BIT);
        m.assign(&token, end);
    }
}
