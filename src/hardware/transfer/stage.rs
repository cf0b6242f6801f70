//! What the load and the store process have in common: rows, their bursts, and what waits for their data.

use crate::hardware::buffers::address::TileNumber;
use crate::hardware::circuit::cells;
use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::context::Context;
use crate::hardware::transfer::runs::{Run, RunFormat};
use crate::hardware::walk::rows::{Row, RowFormat};
use crate::ids::{ArrayId, ByKind};
use crate::rtl::{Expr, Module};

/// ` on port 1`, where there are several ports.
pub fn of_port(context: &Context, port: u32) -> String {
    if context.ports.len() > 1 { format!(" on port {port}") } else { String::new() }
}

/// One of the two processes, seen from the rows that its scanner gives.
pub struct TransferStage<'a> {
    pub context: &'a Context<'a>,
    /// The size parameters.
    pub scope: Scope,
    pub format: RowFormat,
    /// The array of every row kind.
    pub kind_arrays: ByKind<ArrayId>,
    pub rows: Stream,
    pub row: Row,
    /// What holds rows back, if anything does.
    pub held: Option<Expr>,
    /// The tile of the row.
    pub tile: TileNumber,
}

impl TransferStage<'_> {
    /// The FIFO in which rows, as runs of their buffers, wait for their data; `depth` of them may. `queued` is the stream
    /// of rows whose commands are under way, `arrays` are those that the process transfers, each once.
    pub fn waiting_runs(
        &self,
        m: &mut Module,
        about: &str,
        (queued, depth): (&Stream, i128),
        arrays: &[ArrayId],
    ) -> (RunFormat, Stream, Run) {
        self.tile.connect(m, &self.rows.fires().and(&self.row.end));
        let runs = RunFormat::new(self.context, &self.format, &self.kind_arrays, arrays);
        m.comment(about);
        let waiting = Stream::wires(m, "waiting");
        let packed = runs.of_row(self);
        let run = cells::fifo(m, "u_rows", depth, (queued, &packed), &waiting, "waiting_run");
        let run = runs.unpack(m, &run);
        (runs, waiting, run)
    }
}
