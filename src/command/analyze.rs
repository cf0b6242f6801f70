//! `burstc analyze`: everything the analysis knows.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;

use super::{Analyze, PASSED, options, print};
use crate::board;
use crate::offload::Offload;
use crate::report::buffer_reports;
use crate::source::{self, Source};

pub fn analyze(analyze: &Analyze, source: &Source) -> Result<u8> {
    let board = board::load(&analyze.input.board)?;
    let options = options(&source::parse(source)?, &analyze.input.max, &BTreeMap::new())?;
    let offload = crate::analyze(source, &board, &options)?;
    if analyze.json {
        print(&(serde_json::to_string_pretty(&offload)? + "\n"))?;
    } else {
        print(&text(&offload))?;
    }
    Ok(PASSED)
}

/// Sets in isl notation, then what follows from them.
fn text(offload: &Offload) -> String {
    let theta: Vec<String> = offload.tiling.theta.iter().map(|dimension| dimension.to_string()).collect();
    let sizes: Vec<String> = offload.tiling.sizes.iter().map(|size| size.to_string()).collect();
    let mut text = format!("{}: tiles of {} along ({})\n", offload.kernel.name, sizes.join(" x "), theta.join(", "));
    // Writing to a String cannot fail.
    for set in &offload.sets {
        let _ = write!(text, "\n{}:\n    {}\n", set.name, set.isl);
    }
    text.push_str("\nbuffers:\n");
    for (buffer, report) in offload.buffers.iter().zip(buffer_reports(offload)) {
        let exact: Vec<String> = buffer.exact_moduli.iter().map(|modulus| modulus.to_string()).collect();
        let _ = writeln!(text, "    {} ({} words; before rounding {})", report.mapping, report.words, exact.join(", "));
    }
    let order: Vec<String> = offload.compute.order.iter().map(|d| theta.get(*d).cloned().unwrap_or_default()).collect();
    let _ = write!(text, "\norder inside a tile: {}\n", order.join(", "));
    let _ = match offload.compute.innermost_distance {
        Some(distance) => writeln!(text, "innermost dependence: carried over {distance} iterations"),
        None => writeln!(text, "innermost dependence: none"),
    };
    let strips =
        if offload.strips_depend { "a strip waits for the one before" } else { "strips follow each other freely" };
    let _ = writeln!(text, "strips: {strips}");
    text
}
