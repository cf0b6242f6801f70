//! Two programs for the pieces of one walk: where a tile has few iterations for its many pieces, one adder would take
//! longer for the rows of Load than the tile computes.

use crate::hardware::circuit::cells::{clocking, into, out_of, port};
use crate::hardware::circuit::stream::{Stream, fork};
use crate::hardware::context::Context;
use crate::hardware::walk::connect::argument_ports;
use crate::hardware::walk::rows::{Row, RowPorts};
use crate::hardware::walk::scanner::of_tree;
use crate::hardware::walk::scanner::program::Program;
use crate::hardware::walk::tree::Tree;
use crate::offload::Offload;
use crate::rtl::{Connection, Expr, Module, Type, assign, when};

/// Cycles that a program takes for a tile, per instruction: loops repeat some, jumps and rows wait for the sums before them.
const CYCLES_PER_INSTRUCTION: i64 = 8;

/// Instructions of the program of Load's `tree`.
pub(super) fn instructions(context: &Context, tree: &Tree) -> u64 {
    Program::new(tree, context.offload.bands.len()).instructions.len() as u64
}

/// Whether the program of Load's `tree` may take longer for a tile than its iterations.
pub(super) fn is_slow(context: &Context, tree: &Tree) -> bool {
    if !tree.by_program || tree.pieces.len() < 2 {
        return false;
    }
    takes_longer(context.offload, instructions(context, tree))
}

/// Whether a program of so many instructions may take longer for a tile than its iterations.
pub fn takes_longer(offload: &Offload, instructions: u64) -> bool {
    let bands = offload.bands.iter();
    let iterations = bands.map(|band| band.tiling.sizes.iter().product::<i64>() * band.statements.len() as i64).min();
    iterations.is_some_and(|iterations| CYCLES_PER_INSTRUCTION * instructions as i64 > iterations)
}

/// A scanner of tiles made of two, each of every other piece; last the one that joins them. Rows come as they are found,
/// which Load does not mind: no two of its rows have a cell in common.
pub(super) fn build(context: &Context, name: &str, about: &str, tree: &Tree) -> Vec<Module> {
    let format = &tree.format;
    let half = |k: usize| of_tree(context, &format!("{name}_{k}"), "Every other piece.", true, tree.every_other(k));
    let mut modules: Vec<Module> = (0..2).map(half).collect();
    let mut m = Module::new(name);
    m.describe(&format!("{about}\nTwo programs side by side, whose rows come as they are found."));
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    context.parameter_inputs(&mut m);
    let tile = Stream::slave(&mut m, "tile");
    for field in context.tile_fields() {
        let name = format!("s_tile_{}", field.name());
        if modules.iter().any(|half| half.port(&name).is_some()) {
            m.input(&name, field.ty());
        }
    }
    m.input("s_tile_end", Type::BIT);
    let row = Stream::master(&mut m, "row");
    let outputs = RowPorts::declare(&mut m, format, "m_row_", true);

    let mut halves = vec![];
    for (k, half) in modules.iter().enumerate() {
        let tiles = Stream::wires(&mut m, &format!("tile_{k}"));
        let rows = Stream::wires(&mut m, &format!("row_{k}"));
        let wires = RowPorts::declare(&mut m, format, &format!("row_{k}_"), false);
        let mut ports = clocking(&m);
        ports.extend(argument_ports(context, &m));
        ports.extend(into("tile", &tiles));
        let names = context.tile_fields().map(|field| format!("s_tile_{}", field.name()));
        let names = names.chain(["s_tile_end".to_string()]).filter(|name| half.port(name).is_some());
        ports.extend(names.map(|name| (name.clone(), Connection::In(port(&m, &name)))));
        ports.extend(out_of("row", &rows));
        ports.extend(wires.connections().map(|(port, wire)| (port, Connection::Out(wire))));
        m.instance(half.name(), &format!("u_scan_{k}"), vec![], ports);
        halves.push((tiles, rows, wires.row(format)));
    }
    let [(tiles, rows, own), (other_tiles, other_rows, other)] = &halves[..] else { unreachable!("two halves") };
    fork(&mut m, &tile, &Expr::bit(true), &[tiles, other_tiles]);

    m.comment("A row that is shown stays until it is taken; the end of the tile is that of both.");
    let shown = m.reg("shown", Type::BIT);
    let has = m.define("has_row_0", &rows.valid.e().and(&own.end.not()));
    let other_has = m.define("has_row_1", &other_rows.valid.e().and(&other.end.not()));
    let side =
        m.define("side", &shown.e().select(&other_has.e().or(&has.e().not()), &has.e().not().and(&other_has.e())));
    let is_row = has.e().or(&other_has.e());
    let ends = m.define("both_end", &rows.valid.e().and(&own.end).and(&other_rows.valid.e()).and(&other.end));
    m.assign(&row.valid, &is_row.or(&ends.e()));
    m.assign(&rows.ready, &row.ready.e().and(&ends.e().or(&has.e().and(&side.e().not()))));
    m.assign(&other_rows.ready, &row.ready.e().and(&ends.e().or(&other_has.e().and(&side.e()))));
    let choose = |own: &Expr, other: &Expr| side.e().select(other, own);
    let mut given = Row {
        end: ends.e(),
        kind: choose(&own.kind, &other.kind),
        outer: own.outer.iter().zip(&other.outer).map(|(own, other)| choose(own, other)).collect(),
        first: choose(&own.first, &other.first),
        last: choose(&own.last, &other.last),
        follows: Expr::bit(false),
        more: Expr::bit(false),
    };
    let shows = assign(&shown, &side.e());
    m.clocked("", vec![(shown.clone(), 0)], vec![when(is_row, vec![shows])]);
    if format.follows {
        // It follows on the row that its own program gave before.
        let before = m.reg("side_before", Type::BIT);
        m.clocked("", vec![(before.clone(), 0)], vec![when(row.fires(), vec![assign(&before, &side.e())])]);
        given.follows = choose(&own.follows, &other.follows).and(&before.e().eq(&side.e()));
    }
    outputs.drive(&mut m, &given);
    modules.push(m);
    modules
}
