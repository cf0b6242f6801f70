//! Bars over the whole width: how processes spent the run, and what the design takes of the board.

use svg::Node as _;
use svg::node::element::SVG;

use super::{blank, key, rectangle};
use crate::page::number;
use crate::report::RunReport;

/// 100 long, as percent.
fn bar(label: &str) -> SVG {
    blank(label).set("viewBox", (0, 0, 100, 10)).set("preserveAspectRatio", "none")
}

/// A part of a process's cycles: what it is, its class, and how many.
type Part = (&'static str, &'static str, u64);

/// How load, compute and store spent the run, as bars that add up to it.
pub fn processes(report: &RunReport) -> String {
    let own = &report.processes;
    let transfer = |busy: u64, without: u64| {
        let busy = busy.min(report.cycles);
        let without = without.min(busy);
        vec![("moves words", "w-busy", busy - without), ("waits for words", "w-word", without)]
    };
    let compute = vec![
        ("computes", "w-busy", own.compute_busy),
        ("waits for values or ports", "w-value", own.compute_stall),
        ("waits for rows", "w-row", own.compute_idle),
    ];
    let all = [
        ("load", transfer(own.load_busy, own.load_without_word)),
        ("compute", compute),
        ("store", transfer(own.store_busy, own.store_without_word)),
    ];
    all.into_iter().map(|(name, parts)| process(name, parts, report.cycles)).collect()
}

fn process(name: &str, parts: Vec<Part>, cycles: u64) -> String {
    let (mut svg, mut words, mut at) = (bar(name), String::new(), 0.0);
    let rest = cycles.saturating_sub(parts.iter().map(|part| part.2).sum());
    let all = parts.into_iter().chain([("waits for tiles", "w-tile", rest)]);
    for (what, class, part) in all.filter(|part| part.2 > 0) {
        let share = 100.0 * part as f64 / cycles as f64;
        svg.append(exactly(rectangle([0.0, 0.0, 0.0, 10.0], class), at, share));
        words.push_str(&key(class, &format!("{what} {share:.1} %")));
        at += share;
    }
    format!("<div class=\"process\"><b>{name}</b>{svg}<p>{}</p></div>\n", words.trim_end())
}

/// What of the board is taken: what it is, how much, and of how much.
pub fn taken(what: &str, taken: u64, all: u64) -> String {
    let share = 100.0 * taken as f64 / all.max(1) as f64;
    let class = if taken > all { "w-over" } else { "w-busy" };
    let svg = bar(what).add(rectangle([0.0, 0.0, 100.0, 10.0], "w-tile"));
    let svg = svg.add(exactly(rectangle([0.0, 0.0, 0.0, 10.0], class), 0.0, share.min(100.0)));
    format!(
        "<div class=\"process\" data-taken=\"{taken}\" data-all=\"{all}\">{svg}<p>{} of {} {what} ({share:.1} %), {} free</p></div>\n",
        number(&taken.to_string()),
        number(&all.to_string()),
        number(&all.saturating_sub(taken).to_string()),
    )
}

/// Thousandths of a percent are a pixel of a wide screen.
fn exactly(own: svg::node::element::Rectangle, at: f64, width: f64) -> svg::node::element::Rectangle {
    own.set("x", format!("{at:.3}")).set("width", format!("{width:.3}"))
}
