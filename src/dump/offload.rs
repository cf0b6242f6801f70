//! The scans of an [`Offload`] as loop nests.

use std::fmt::Write as _;

use super::{array_name, loops};
use crate::affine::Affine;
use crate::offload::{Band, LaneShape, Offload, Piece, Scan, Transfer, Units, Wait};
use crate::source::kernel::{Kernel, SizeParameter};

/// Load(T) and Store(T) of every array, as isl has them and as the hardware walks them.
pub fn transfers(offload: &Offload) -> String {
    let mut text = "# transfers: what a tile loads and stores\n".to_string();
    for (number, band) in offload.bands.iter_enumerated() {
        for transfer in &band.transfers {
            let name = array_name(&offload.kernel, transfer.array);
            for (what, scan) in [("Load", &transfer.load), ("Store", &transfer.store)] {
                let _ = writeln!(text, "\nband {number}, {what}({name}):");
                for set in band.sets.iter().filter(|set| set.name == format!("{what}({name})")) {
                    super::set(&mut text, 4, "set", &set.isl);
                }
                text.push_str(&cells(&offload.kernel, transfer, scan));
            }
        }
    }
    text
}

/// All scans, in the order in which a tile has them.
pub fn text(offload: &Offload) -> String {
    let kernel = &offload.kernel;
    let mut text = format!("# offload: the loops of `{}` in hardware\n", kernel.name);
    if !kernel.parameters.is_empty() {
        let bounds: Vec<String> = kernel.parameters.iter().map(SizeParameter::interval).collect();
        let _ = writeln!(text, "sizes: {}", bounds.join(", "));
    }
    text.push_str("\ntiles:\n");
    let tile = |piece: &Piece| loops::call(&format!("band{}", piece.leaf.statement()), &piece.point);
    text.push_str(&loops::text(&offload.tiles, 1, &tile));
    for (number, band) in offload.bands.iter_enumerated() {
        for transfer in band.transfers.iter().filter(|transfer| !transfer.load.pieces.is_empty()) {
            let name = array_name(kernel, transfer.array);
            let _ = writeln!(text, "\nband {number}, Load({name}), {}:", wait(transfer.wait));
            text.push_str(&cells(kernel, transfer, &transfer.load));
        }
        let waits = if band.compute_waits { ", when the strip before is stored" } else { "" };
        let _ = writeln!(text, "\nband {number}, Compute{waits}:");
        text.push_str(&iterations(kernel, band));
        for transfer in band.transfers.iter().filter(|transfer| !transfer.store.pieces.is_empty()) {
            let _ = writeln!(text, "\nband {number}, Store({}):", array_name(kernel, transfer.array));
            text.push_str(&cells(kernel, transfer, &transfer.store));
        }
    }
    text.push_str("\norder of the source:\n");
    let written = offload.as_written();
    text.push_str(&loops::text(&offload.source_order, 1, &|piece| instance(&written, piece)));
    text
}

fn wait(wait: Wait) -> &'static str {
    match wait {
        Wait::Nothing => "ahead",
        Wait::StoredBefore => "when the strip before the last is stored",
        Wait::Computed => "when the strip before is computed",
        Wait::Stored => "when the strip before is stored",
    }
}

fn cells(kernel: &Kernel, transfer: &Transfer, scan: &Scan) -> String {
    loops::text(scan, 1, &|piece| loops::call(array_name(kernel, transfer.array), &piece.point))
}

fn instance(kernel: &Kernel, piece: &Piece) -> String {
    loops::call(&kernel.statements()[piece.leaf.statement()].name, &piece.point)
}

fn iterations(kernel: &Kernel, band: &Band) -> String {
    let visit = |piece: &Piece| match band.lanes(piece.leaf.statement()) {
        None => instance(kernel, piece),
        Some(shape) => in_lanes(kernel, shape, piece),
    };
    match &band.compute.units {
        None => loops::text(&band.compute.scan, 1, &visit),
        Some(Units { count, name, scan, .. }) => {
            format!("    in unit `{name}` of {count}:\n{}", loops::text(scan, 1, &visit))
        }
    }
}

/// `for (lane = 0; lane < 4; lane++) if (N - 4*i_group - lane >= 1) S0(4*i_group + lane);`; in two dimensions with a
/// loop over `inner_lane` inside.
fn in_lanes(kernel: &Kernel, shape: &LaneShape, piece: &Piece) -> String {
    let at_lane = |value: &Affine, step: i64, inner: i64| {
        value.clone() + Affine::variable("lane") * step + Affine::variable("inner_lane") * inner
    };
    let inner = |steps: &[i64], k: usize| steps.get(k).copied().unwrap_or(0);
    let all = |values: &[Affine], steps: &[i64], inners: &[i64]| -> Vec<Affine> {
        let each = values.iter().zip(steps).enumerate();
        each.map(|(k, (value, step))| at_lane(value, *step, inner(inners, k))).collect()
    };
    let iterators = all(&piece.point, &shape.steps, &shape.inner_steps);
    let masks = all(&piece.slacks, &shape.masks, &shape.inner_masks);
    let masks: Vec<String> = masks.iter().map(Affine::at_least_zero).collect();
    let masks = if masks.is_empty() { String::new() } else { format!("if ({}) ", masks.join(" && ")) };
    let instance = loops::call(&kernel.statements()[piece.leaf.statement()].name, &iterators);
    let inner = match shape.inner {
        1 => String::new(),
        inner => format!("for (inner_lane = 0; inner_lane < {inner}; inner_lane++) "),
    };
    format!("for (lane = 0; lane < {}; lane++) {inner}{masks}{instance}", shape.count / shape.inner)
}
