//! The pictures of a page, drawn as SVG inside its HTML: one file per picture. Everything is drawn before anybody opens the page. What
//! belongs to one tile is a group with `data-tile`, hidden but for the first, and the script shows another one; what lies over time is in
//! windows of the class `cycles`, whose `viewBox` the script moves. Colours are classes of `page.css`.
//!
//! Pictures with a `viewBox` shrink with the screen. Those over time have none: their lengths are pixels and percentages, so that
//! texts keep their size, and windows inside of them stretch.

pub mod banks;
pub mod bars;
pub mod buffers;
pub mod bursts;
pub mod cells;
pub mod lives;
pub mod order;
mod plane;
pub mod roofline;
pub mod space;
pub mod tiles;
pub mod timeline;

use svg::Node as _;
use svg::node::Value;
use svg::node::element::{Element, Path, Rectangle, SVG};

/// Cycles over a window from left to right, percent from its bottom to its top.
const FULL: u64 = 100;

/// A picture of this size, in units of which the text is 9 to 12 high.
pub fn picture(label: &str, [width, height]: [f64; 2]) -> SVG {
    blank(label).set("viewBox", (0, 0, short(width), short(height)))
}

/// A picture as wide as there is room, so many pixels high.
fn fluid(label: &str, height: f64) -> SVG {
    blank(label).set("width", "100%").set("height", short(height))
}

fn blank(label: &str) -> SVG {
    let mut own = SVG::new().set("role", "img").set("aria-label", label);
    // Inside of HTML every `svg` has it.
    own.get_attributes_mut().and_then(|all| all.remove("xmlns"));
    own
}

/// A part of a picture over all of its width, from pixel `top` on, in which all `cycles` are `FULL` high.
fn window(top: f64, height: f64, cycles: u64) -> Element {
    let mut own = Element::new("svg");
    for (name, value) in [("y", short(top)), ("width", "100%".to_string()), ("height", short(height))] {
        own.assign(name, value);
    }
    own.assign("class", "cycles");
    own.assign("viewBox", (0, 0, cycles, FULL));
    own.assign("preserveAspectRatio", "none");
    own
}

/// Where a text begins, ends or has its middle.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A faint text at a place, `x` in units or percent.
pub fn text(x: impl Into<Value>, y: f64, anchor: Anchor, content: &str) -> Element {
    let mut own = Element::new("text");
    own.assign("x", x);
    own.assign("y", short(y));
    own.assign("class", "faint");
    match anchor {
        Anchor::Start => {}
        Anchor::Middle => own.assign("text-anchor", "middle"),
        Anchor::End => own.assign("text-anchor", "end"),
    }
    own.append(svg::node::Text::new(content));
    own
}

fn rectangle([x, y, width, height]: [f64; 4], class: &str) -> Rectangle {
    let own = Rectangle::new().set("class", class).set("width", short(width)).set("height", short(height));
    own.set("x", short(x)).set("y", short(y))
}

pub fn line(class: &str, d: String) -> Path {
    Path::new().set("class", class).set("d", d)
}

/// Many rectangles `[x, y, width, height]` as one path, which is much shorter than an element for each.
fn rectangles(class: &str, all: impl IntoIterator<Item = [i64; 4]>) -> Path {
    line(class, all.into_iter().map(subpath).collect())
}

fn subpath([x, y, width, height]: [i64; 4]) -> String {
    format!("M{x} {y}h{width}v{height}h-{width}z")
}

/// Bars beside one another, as long and as many percent high as the pairs say, on the bottom of a window. One path.
fn skyline(class: &str, bars: impl Iterator<Item = (u64, f64)>) -> Path {
    let mut d = format!("M0 {FULL}");
    let mut open: Option<(u64, String)> = None;
    for (length, height) in bars {
        let level = short(FULL as f64 - height.clamp(0.0, FULL as f64));
        match &mut open {
            Some((all, own)) if *own == level => *all += length,
            _ => {
                close(&mut d, open.take());
                open = Some((length, level));
            }
        }
    }
    close(&mut d, open);
    line(class, d + &format!("V{FULL}z"))
}

fn close(d: &mut String, bar: Option<(u64, String)>) {
    if let Some((length, level)) = bar {
        d.push_str(&format!("V{level}h{length}"));
    }
}

/// In tenths: no zeros behind the point, and no `-0`.
pub fn short(value: f64) -> String {
    let tenths = (10.0 * value).round() / 10.0;
    format!("{}", if tenths == 0.0 { 0.0 } else { tenths })
}

/// Round numbers from one to another, at most about so many.
fn ticks(from: f64, to: f64, count: f64) -> Vec<f64> {
    let least = ((to - from) / count).max(1.0);
    let power = 10f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= least * 0.999);
    let step = step.unwrap_or(least);
    let first = (from / step).ceil() as i64;
    (first..).map(|k| k as f64 * step).take_while(|tick| *tick <= to).collect()
}

/// Part of a legend: a key in the colour of a class, and what it means.
fn key(class: &str, what: &str) -> String {
    format!("<span class=\"part\"><span class=\"key {class}\"></span>{what}</span> ")
}

fn legend(keys: &[(&str, &str)]) -> String {
    let keys: String = keys.iter().map(|(class, what)| key(class, what)).collect();
    format!("<p class=\"legend\">{}</p>\n", keys.trim_end())
}

/// Of an element with `data-tile`: all tiles but the first one shown wait for the script.
fn of_tile(element: &mut Element, place: usize) {
    element.assign("data-tile", place);
    if place > 0 {
        element.assign("hidden", "");
    }
}

/// The same in HTML.
fn of_tile_html(place: usize) -> String {
    format!(" data-tile=\"{place}\"{}", if place > 0 { " hidden" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_one_path() {
        let own = skyline("w-busy", [(40, 25.0), (2, 25.04), (8, 0.0), (1, 300.0)].into_iter());
        assert_eq!(own.to_string(), "<path class=\"w-busy\" d=\"M0 100V75h42V100h8V0h1V100z\"/>");
        let own = rectangles("c-load", [[1, 2, 3, 4], [0, 0, 1, 1]]);
        assert_eq!(own.to_string(), "<path class=\"c-load\" d=\"M1 2h3v4h-3zM0 0h1v1h-1z\"/>");
    }

    #[test]
    fn numbers_are_short_and_ticks_round() {
        assert_eq!([1.0, 0.25, -0.01, 1e7].map(short), ["1", "0.3", "0", "10000000"]);
        assert_eq!(ticks(0.0, 47.0, 5.0), [0.0, 10.0, 20.0, 30.0, 40.0]);
        assert_eq!(ticks(2.0, 3.0, 9.0), [2.0, 3.0]);
    }

    #[test]
    fn texts_of_users_are_no_markup() {
        let own = text("5%", 3.0, Anchor::End, "a<b");
        let all = "<text class=\"faint\" text-anchor=\"end\" x=\"5%\" y=\"3\">a&lt;b</text>";
        assert_eq!(own.to_string(), all);
        assert!(!fluid("x", 9.0).add(own).to_string().contains("xmlns"));
    }
}
