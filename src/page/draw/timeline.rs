//! What load, compute and store did when: how much of each slice of time each was busy, and from where to where it had each tile.

use svg::Node as _;
use svg::node::element::{Element, Group, Path, Rectangle, Title};

use super::{Anchor, FULL, fluid, legend, short, skyline, text, window};
use crate::page::number;
use crate::simulate::timeline::{Slice, Timeline};

/// Tiles whose bars have a text for the mouse, and those that have a gap between them; more would only be longer.
const TITLED: usize = 400;
const APART: usize = 300;

/// A process: its text, its bar, and its tiles, below one another.
const PITCH: f64 = 78.0;
const BAR: f64 = 34.0;

/// Five cycles below the windows, from left to right.
pub const MARKS: u64 = 4;

/// The section's HTML, with the sliders.
pub fn html(timeline: &Timeline) -> String {
    let total: u64 = timeline.slices.iter().map(|slice| slice[0]).sum();
    let all = number(&total.to_string());
    let keys = legend(&[
        ("w-busy", "moves words, or computes"),
        ("w-word", "waits for words"),
        ("w-value", "waits for values or ports"),
        ("w-row", "waits for rows"),
        ("w-tile", "waits for tiles"),
        ("tile0", "tiles"),
        ("tile1", "in turn"),
    ]);
    format!(
        "<p>How many cycles of each slice of time a process is busy, where words of load and store are those on the memory's \
         bus, in and out; below, from where to where each tile is in its hands, the first 2,000 of them.</p>\n\
         <p class=\"slide\"><label>zoom <input id=\"zoom\" type=\"range\" min=\"0\" max=\"100\" value=\"0\"></label> \
         <label>at <input id=\"at\" type=\"range\" min=\"0\" max=\"1000\" value=\"0\"></label> \
         <output id=\"timeline-cycles\" data-cycles=\"{total}\">cycles 0 to {all} of {all}</output></p>\n\
         <div id=\"timeline-picture\" class=\"picture\">{}</div>\n{keys}",
        draw(timeline, total)
    )
}

fn draw(timeline: &Timeline, total: u64) -> svg::Document {
    let height = 3.0 * PITCH + 20.0;
    let mut svg = fluid("timeline", height);
    for (row, name) in ["load", "compute", "store"].into_iter().enumerate() {
        let top = row as f64 * PITCH;
        svg.append(text(0, top + 14.0, Anchor::Start, name));
        svg.append(process(timeline, row, name, total, window(top + 19.0, BAR, total)));
        svg.append(tiles(timeline, row, name, total, top + 19.0 + BAR + 2.0));
    }
    marks(&mut svg, total, height);
    svg
}

/// How busy a process was, slice by slice.
fn process(timeline: &Timeline, row: usize, name: &str, total: u64, mut own: Element) -> Element {
    let parts = parts(row);
    let told: Vec<String> = parts.iter().map(|part| format!("{} {} cycles", part.what, part.all(timeline))).collect();
    own.append(Title::new(format!("{name}: {} of {total}", told.join(", "))));
    own.append(Rectangle::new().set("class", rest(row)).set("width", total).set("height", FULL));
    // The upper part first, down to the bottom: the lower one lies over it.
    for (k, part) in parts.iter().enumerate().rev() {
        let upto = |slice: &Slice| {
            let cycles: u64 = parts[..=k].iter().map(|part| (part.cycles)(slice)).sum();
            (slice[0], share(cycles, slice[0]))
        };
        own.append(skyline(part.class, timeline.slices.iter().map(upto)));
    }
    own
}

/// The class of a process's time that no part has.
fn rest(row: usize) -> &'static str {
    if row == 1 { "w-row" } else { "w-tile" }
}

/// A part of a process's time.
struct Part {
    class: &'static str,
    what: &'static str,
    /// Its cycles of a slice.
    cycles: fn(&Slice) -> u64,
}

impl Part {
    fn all(&self, timeline: &Timeline) -> u64 {
        timeline.slices.iter().map(self.cycles).sum()
    }
}

/// The parts of a process's time, the lowest first. Words that go on behind a process, out of the master's FIFOs, are not its own.
fn parts(row: usize) -> [Part; 2] {
    let part = |class, what, cycles| Part { class, what, cycles };
    match row {
        0 => [
            part("w-busy", "moves words", |s| s[1].min(s[2])),
            part("w-word", "waits for words", |s| s[1].saturating_sub(s[2])),
        ],
        1 => [part("w-busy", "computes", |s| s[3]), part("w-value", "waits for values or ports", |s| s[4])],
        _ => [
            part("w-busy", "moves words", |s| s[5].min(s[6])),
            part("w-word", "waits for words", |s| s[5].saturating_sub(s[6])),
        ],
    }
}

/// In percent.
pub fn share(part: u64, of: u64) -> f64 {
    FULL as f64 * part as f64 / of.max(1) as f64
}

/// The tiles of a process, each from its begin to its end; neighbours overlap, so they take turns in two lines.
fn tiles(timeline: &Timeline, row: usize, name: &str, total: u64, top: f64) -> Element {
    let mut own = window(top, 18.0, total);
    for line in 0..2 {
        let apart = if timeline.tiles.len() <= APART { " apart" } else { "" };
        let mut group = Group::new().set("class", format!("tile{line}{apart}"));
        for (number, tile) in timeline.tiles.iter().enumerate().filter(|(number, _)| number % 2 == line) {
            let (Some(begin), Some(end)) = (tile.get(row), tile.get(row + 1)) else { continue };
            let from = begin.saturating_sub(1);
            let d = format!("M{from} {}h{}v44h-{1}z", 50 * line, end.saturating_sub(from));
            let mut bar = Path::new().set("d", d);
            if number < TITLED {
                bar.append(Title::new(format!("{name} of tile {}: cycles {begin} to {end}", number + 1)));
            }
            group.append(bar);
        }
        own.append(group);
    }
    own
}

/// Cycles from left to right at the bottom of a picture, whose texts the script changes.
pub fn marks(svg: &mut svg::Document, total: u64, height: f64) {
    for mark in 0..=MARKS {
        let anchor = match mark {
            0 => Anchor::Start,
            MARKS => Anchor::End,
            _ => Anchor::Middle,
        };
        let at = (total as f64 * mark as f64 / MARKS as f64).round();
        let label = if mark == 0 { "cycle " } else { "" };
        let x = format!("{}%", short(100.0 * mark as f64 / MARKS as f64));
        let mut own = text(x, height - 4.0, anchor, &format!("{label}{}", number(&at.to_string())));
        own.assign("data-mark", mark);
        svg.append(own);
    }
}
