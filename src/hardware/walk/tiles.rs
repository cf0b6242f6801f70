//! The tiles in execution order: strips from a scanner, unrolled tile by tile, then one end mark.

use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::circuit::variable::Affine;
use crate::hardware::context::Context;
use crate::hardware::tile::bounds::TileBound;
use crate::hardware::walk::connect::connect_scanner;
use crate::hardware::walk::rows::{Row, RowFormat, RowKind, RowPorts};
use crate::hardware::walk::scanner::{register_constants, scanner};
use crate::hardware::walk::source::Source;
use crate::hardware::walk::walker::Walker;
use crate::ids::KindId;
use crate::rtl::{Expr, Module, Signal, Type, assign, when, when_else};

/// The modules that walk the tiles: `s_tile_*` starts them, `m_tile_*` gives each tile packed, with `m_tile_first` on
/// the first of a strip.
pub fn tiles(context: &Context) -> Vec<Module> {
    let offload = context.offload;
    let name = &context.kernel.name;
    let sets = offload.bands.iter().flat_map(|b| &b.sets).filter(|s| s.name == "tiles");
    let sets: Vec<&str> = sets.map(|s| s.isl.as_str()).collect();
    let about = format!("Walks the strips of tiles.\n{}", sets.join("\n"));
    let sources = [Source::untiled(context, &offload.tiles)];
    let (rows_module, format) = scanner(context, &format!("{name}_tile_rows"), about.trim_end(), false, &sources);

    let mut m = Module::new(&format!("{name}_tiles"));
    m.describe(&format!("Gives the tiles of {name} in execution order, strip by strip, then an end mark."));
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    let scope = context.parameter_inputs(&mut m);
    let start = Stream::slave(&mut m, "start");
    let rows = Stream::wires(&mut m, "row");
    let row_wires = RowPorts::declare(&mut m, &format, "row_", false);
    connect_scanner(context, &mut m, &rows_module, (&start, None), &rows, &row_wires);

    let tile = Stream::master(&mut m, "tile");
    let data = m.output("m_tile_data", Type::unsigned(context.tile_width()));
    let first = m.output("m_tile_first", Type::BIT);
    let walker = Walker::declare(&mut m, &format, "tile");
    // Bounds have their cycles to settle before the tile is shown.
    let settled = (!context.tile_bounds.is_empty()).then(|| m.reg("tile_settled", Type::BIT));
    let shown = settled.iter().fold(walker.valid.e(), |valid, settled| valid.and(&settled.e()));
    m.assign(&tile.valid, &shown);
    let step = tile.fires().and(&walker.end.e().not());
    let end_taken = tile.fires().and(&walker.end.e());
    walker.connect(&mut m, "", &rows, &row_wires.row(&format), (&step, None), &end_taken);
    let at = format.scope(&scope, &walker.outer(), &walker.index.e());
    let by_kind = |value: &dyn Fn(&RowKind) -> Expr| format.of_kind(&walker.kind(), |kind| value(&format.kinds[kind]));
    let mut parts = vec![];
    if let Some(band) = &context.band {
        parts.push(by_kind(&|kind| Expr::constant(kind.leaf.band().0 as i128, band.ty())));
    }
    let mut indices = scope.clone();
    for (d, index) in context.names.tile.iter().enumerate() {
        // The indices that a narrower band does not have are 0.
        let value = by_kind(&|kind| at.affine_as(kind.point.get(d).unwrap_or(&Affine::default()), index.ty()));
        let value = if settled.is_some() { m.define(&index.name(), &value).e() } else { value };
        indices.bind(&index.variable, value.clone(), index.range);
        parts.push(value);
    }
    let mut bounds = context.tile_bounds.clone();
    register_constants(&mut m, &mut indices, bounds.iter_mut().flat_map(TileBound::bounds_mut), true);
    let mut cycles = 0;
    for bound in &bounds {
        let (value, more) = bound.value(&mut m, &indices);
        parts.push(value);
        cycles = cycles.max(more);
    }
    let fresh = m.reg("strip_starts", Type::BIT);
    let row = row_wires.row(&format);
    let next = format.scope(&scope, &row.outer, &row.first);
    let starts = strip_starts(context, &mut m, &format, (&walker.kind(), &at), (&row, &next), &rows.fires());
    m.clocked(
        "",
        vec![(fresh.clone(), 0)],
        vec![when_else(
            rows.fires(),
            vec![assign(&fresh, &starts)],
            vec![when(step, vec![assign(&fresh, &Expr::bit(false))])],
        )],
    );
    if let Some(strip) = &context.strip {
        m.comment("Strips take turns.");
        let turn = m.reg("strip_turn", strip.ty());
        let next = turn.e().eq(&starts).not();
        m.clocked("", vec![(turn.clone(), 0)], vec![when(rows.fires(), vec![assign(&turn, &next)])]);
        parts.push(turn.e());
    }
    parts.push(walker.end.e());
    let packed = Expr::concat(&parts);
    if let Some(settled) = &settled {
        // Sums take one.
        let mut stages: Vec<Signal> = (0..cycles).map(|_| m.reg("tile_settles", Type::BIT)).collect();
        stages.push(settled.clone());
        let stays = walker.valid.e().and(&tile.fires().not());
        let mut before = stays.clone();
        let mut body = vec![];
        for stage in &stages {
            body.push(assign(stage, &before));
            before = stays.and(&stage.e());
        }
        m.clocked("", stages.into_iter().map(|stage| (stage, 0)).collect(), body);
    }
    m.assign(&data, &packed);
    m.assign(&first, &fresh.e());
    vec![rows_module, m]
}

/// Whether the row that comes is the first of a strip: always where strips are rows; else where the last row was none of its
/// band, or of another strip.
fn strip_starts(
    context: &Context,
    m: &mut Module,
    format: &RowFormat,
    (kind, last): (&Expr, &Scope),
    (row, next): (&Row, &Scope),
    fires: &Expr,
) -> Expr {
    let bands = &context.offload.bands;
    if bands.iter().all(|band| band.tiling.strip == 1) {
        return Expr::bit(true);
    }
    m.comment("Rows go on with the strip of the row before where all indices that tell strips are as they were.");
    let goes_on = m.reg("strip_goes_on", Type::BIT);
    m.clocked("", vec![(goes_on.clone(), 0)], vec![when(fires.clone(), vec![assign(&goes_on, &row.end.not())])]);
    let mut differ = vec![goes_on.e().not(), row.end.clone()];
    // A row of a band whose strips are rows.
    let is_row = |kind: KindId| bands[format.kinds[kind].leaf.band()].tiling.strip == 1;
    differ.push(format.of_kind(&row.kind, |kind| Expr::bit(is_row(kind))));
    if let Some(band) = &context.band {
        let of = |kind: &Expr| {
            format.of_kind(kind, |kind| Expr::constant(format.kinds[kind].leaf.band().0 as i128, band.ty()))
        };
        differ.push(of(kind).eq(&of(&row.kind)).not());
    }
    let most = bands.iter().map(|band| band.tiling.strip_indices()).max().unwrap_or(0);
    for (d, index) in context.names.tile.iter().enumerate().take(most) {
        let of = |kind: &Expr, scope: &Scope| {
            format.of_kind(kind, |kind| {
                let tells = d < bands[format.kinds[kind].leaf.band()].tiling.strip_indices();
                let point = format.kinds[kind].point.get(d).filter(|_| tells).cloned().unwrap_or_default();
                scope.affine_as(&point, index.ty())
            })
        };
        differ.push(of(kind, last).eq(&of(&row.kind, next)).not());
    }
    Expr::any(&differ)
}
