//! `burstc analyze`: everything the analysis knows.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;

use super::progress::Progress;
use super::{Analyze, PASSED, options, placement, places, print, tell, terminal, watched, write};
use crate::affine::Affine;
use crate::board::Board;
use crate::diagnostic::Fault;
use crate::dump;
use crate::mars;
use crate::offload::{Mapping, Offload, Wait};
use crate::page::Page;
use crate::report::count::Work;
use crate::report::expected::Expected;
use crate::report::{self, Bound, TilingReport, buffer_reports};
use crate::source::kernel::{Kernel, SizeParameter};
use crate::source::program::Program;
use crate::tiling;
use crate::{budget, prepare_read};

pub fn analyze(analyze: &Analyze, program: &Program) -> Result<u8> {
    let source = &program.source;
    let board = analyze.input.board()?;
    let progress = Progress::in_terminal(analyze.input.quiet);
    progress.step("analysing the loops");
    let read = watched(program, || crate::read(source))?;
    let options = options(&read.kernel, &analyze.input, &BTreeMap::new())?;
    if analyze.placement {
        let text = watched(program, || {
            let kernel = prepare_read(read, &board, &options)?;
            placement::text(&kernel).map_err(|error| Fault::of(budget::refusal(error, &kernel)))
        })?;
        drop(progress);
        print(&text)?;
        return Ok(PASSED);
    }
    if !analyze.dump.is_empty() {
        let text = watched(program, || dump::text(&analyze.dump, source, &board, &options))?;
        drop(progress);
        print(&text)?;
        return Ok(PASSED);
    }
    let offload = watched(program, || crate::analyze_read(read, &board, &options))?;
    tell(program, &offload.kernel);
    drop(progress);
    if let Some(path) = &analyze.html {
        let text = text(&offload, &TilingReport::new(&offload, &board));
        write(path, &page(program, &board, &offload, &text)?)?;
    }
    if analyze.bound {
        print(&bound(&offload, &board))?;
    } else if analyze.json {
        print(&report::json(&offload)?)?;
    } else {
        print(&(text(&offload, &TilingReport::new(&offload, &board)) + &layouts(&offload)?))?;
    }
    Ok(PASSED)
}

/// Refuses a page that could not be written in the end.
pub fn check_places(analyze: &Analyze) -> Result<()> {
    let results: Vec<places::Named> = analyze.html.as_deref().map(|path| ("--html", path)).into_iter().collect();
    places::check_files(&results, &places::read(&analyze.input))
}

/// The page of an analysis: at the sizes that the kernel is usually run with, and with its JSON on one line.
fn page(program: &Program, board: &Board, offload: &Offload, text: &str) -> Result<String> {
    let json: serde_json::Value = serde_json::from_str(&report::json(offload)?)?;
    let sizes = offload.kernel.usual_sizes();
    let page = Page {
        program,
        offload,
        board,
        sizes: &sizes,
        report: None,
        timeline: None,
        placement: None,
        json: &json.to_string(),
        text,
    };
    Ok(page.html(&terminal::command_line())?)
}

/// Lower bounds of a run at its usual sizes, the cycles that are expected of it, and the lanes it has.
fn bound(offload: &Offload, board: &Board) -> String {
    let sizes = offload.kernel.usual_sizes();
    // Counting the words that tiles move would take longer than all else, and is none of these bounds.
    let bound = Bound::of(offload, board, &Work::default(), &sizes);
    let expected = Expected::of(offload, board, &sizes);
    let cycles_of = |cycles: f64| format!("{cycles:.0}");
    let at_least = if bound.dependences_whole { "" } else { ", at least: only the first instances were followed" };
    let (limit, cycles) = bound.of_board();
    let share = (cycles as f64 / expected.cycles().max(1.0)).min(1.0);
    let given: Vec<String> = sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let mut text = format!("cycles of a run on {}", board.name);
    text += &if given.is_empty() { "\n".to_string() } else { format!(" with {}\n", given.join(", ")) };
    for (what, cycles) in [
        ("words that must cross the memory's port, each once", format!("{}{at_least}", bound.once)),
        ("products over the board's multipliers", bound.multipliers.to_string()),
        ("operators over its look-up tables", bound.look_up_tables.to_string()),
        ("longest chain of values", format!("{}{at_least}", bound.dependences)),
        ("expected of the computation", cycles_of(expected.computing())),
        ("    of them transfers beside which nothing runs", cycles_of(expected.alone)),
        ("expected of the memory", cycles_of(expected.moving())),
        ("    of them iterations beside which nothing moves", cycles_of(expected.between)),
    ] {
        text += &format!("    {what:<51}{cycles}\n");
    }
    text += &format!("expected to reach {share:.2} of what the {limit} would allow\n");
    let TilingReport { lanes, units, .. } = TilingReport::new(offload, board);
    if let Some(units) = units {
        text += &format!("units {}\n", units.text());
        units.reason.iter().for_each(|reason| text += &format!("    chosen: {reason}\n"));
    }
    if let Some(lanes) = lanes {
        text += &format!("lanes {}\n", lanes.text(|n| n.to_string()));
        lanes.reason.iter().for_each(|reason| text += &format!("    chosen: {reason}\n"));
    }
    text
}

/// Sets in isl notation, then what follows from them.
fn text(offload: &Offload, tiling: &TilingReport) -> String {
    let mut text = sizes(&offload.kernel);
    // Writing to a String cannot fail.
    if tiling.chosen {
        let _ = writeln!(text, "tiles {}", tiling.reason());
        tiling.directives.iter().for_each(|directive| text.push_str(&format!("    {directive}\n")));
        text.push('\n');
    }
    if let Some(lanes) = &tiling.lanes {
        let _ = writeln!(text, "lanes {}", lanes.text(|n| n.to_string()));
        lanes.reason.iter().for_each(|reason| text.push_str(&format!("    chosen: {reason}\n")));
        text.push('\n');
    }
    if let Some(units) = &tiling.units {
        let _ = writeln!(text, "units {}", units.text());
        units.reason.iter().for_each(|reason| text.push_str(&format!("    chosen: {reason}\n")));
        text.push('\n');
    }
    for band in &offload.bands {
        let sizes: Vec<String> = band.tiling.sizes.iter().map(|size| size.to_string()).collect();
        let theta = tiling::theta_text(&band.tiling);
        let _ = writeln!(text, "{}: tiles of {} along {theta}", offload.kernel.name, sizes.join(" x "));
        for set in &band.sets {
            let _ = write!(text, "\n{}:\n    {}\n", set.name, set.isl);
        }
        let order = offload.order_text(band).unwrap_or(band.compute.order.clone());
        let _ = write!(text, "\norder inside a tile: {order}\n");
        let _ = match band.compute.innermost_distance {
            Some(distance) => writeln!(text, "innermost dependence: carried over {distance} iterations"),
            None => writeln!(text, "innermost dependence: none"),
        };
    }
    text.push_str("\nbuffers:\n");
    for (buffer, report) in offload.buffers.iter().zip(buffer_reports(offload)) {
        let exact = |mapping: &Mapping| {
            let moduli: Vec<String> = mapping.exact_moduli.iter().map(|modulus| modulus.to_string()).collect();
            let successive: Vec<String> = mapping.successive_moduli.iter().map(|modulus| modulus.to_string()).collect();
            let instead = match successive.is_empty() {
                true => String::new(),
                false => format!(", by successive modulo {}", successive.join(", ")),
            };
            moduli.join(", ") + &instead
        };
        let exact: Vec<String> = buffer.mappings.iter().flatten().map(exact).collect();
        let exact = exact.join("; ");
        let memories = report.memories();
        let _ = writeln!(text, "    {} ({} words{memories}; before rounding {exact})", report.mapping, report.words);
    }
    text.push_str(&windows(offload));
    text.push_str(&strips(offload));
    text
}

/// The sizes that the hardware takes: their bounds, and what else they must satisfy.
fn sizes(kernel: &Kernel) -> String {
    if kernel.parameters.is_empty() {
        return String::new();
    }
    let bounds: Vec<String> = kernel.parameters.iter().map(SizeParameter::interval).collect();
    let mut text = format!("sizes: {}\n", bounds.join(", "));
    for condition in &kernel.domain {
        text.push_str(&format!("    {}: {}\n", condition.text(), condition.reason));
    }
    text + "\n"
}

/// The reads without a port: `S0: a[i][j], a[i][j - 1] from a[i][j + 1], 1, 2 iterations later`.
fn windows(offload: &Offload) -> String {
    let (kernel, statements) = (&offload.kernel, offload.kernel.statements());
    let mut text = String::new();
    for window in &offload.windows {
        let access = |subscripts: &[Affine]| {
            let subscripts: String = subscripts.iter().map(|s| format!("[{s}]")).collect();
            format!("{}{subscripts}", kernel.arrays[window.array].name)
        };
        let followers: Vec<String> = window.followers.iter().map(|f| access(&f.subscripts)).collect();
        let delays: Vec<String> = window.followers.iter().map(|f| f.delay.to_string()).collect();
        let _ = writeln!(
            text,
            "    {}: {} from {}, {} iterations later",
            statements[window.statement].name,
            followers.join(", "),
            access(&window.leader),
            delays.join(", ")
        );
    }
    if text.is_empty() { text } else { format!("\nwords that slide along rows:\n{text}\n") }
}

/// Per array the bursts that a tile in the middle needs, and what an order by classes would make of them.
fn layouts(offload: &Offload) -> Result<String> {
    let mut text = String::new();
    for array in mars::of_offload(offload)? {
        let name = &offload.kernel.arrays[array.array].name;
        let _ = writeln!(text, "    {name}: {}", array.text(offload));
    }
    let head = "\nbursts of a tile in the middle, in rows and in classes of cells that the same tiles move:\n";
    Ok(if text.is_empty() { text } else { head.to_string() + &text })
}

/// How the strips of each band follow each other.
fn strips(offload: &Offload) -> String {
    let mut text = String::new();
    for band in &offload.bands {
        let loaded = |wait: Wait| {
            let loaded = band.transfers.iter().filter(|t| t.wait == wait && !t.load.pieces.is_empty());
            loaded.map(|t| offload.kernel.arrays[t.array].name.as_str()).collect::<Vec<_>>()
        };
        let mut parts = vec![];
        for (wait, when) in [
            (Wait::Nothing, "ahead"),
            (Wait::StoredBefore, "when the strip before the last is stored"),
            (Wait::Computed, "when the strip before is computed"),
            (Wait::Stored, "when the strip before is stored"),
        ] {
            let names = loaded(wait);
            if !names.is_empty() {
                parts.push(format!("{} loaded {when}", names.join(", ")));
            }
        }
        if band.compute_waits {
            parts.push("computation when the strip before is stored".to_string());
        }
        let parts = if parts.is_empty() { "follow each other freely".to_string() } else { parts.join("; ") };
        let along = match band.tiling.strip {
            1 => String::new(),
            dimensions => format!(" of {dimensions} dimensions"),
        };
        let _ = writeln!(text, "strips{along}: {parts}");
    }
    text
}
