//! Bursts on a bus by their length in beats: how many were read, and how many written.

use svg::Node as _;
use svg::node::element::{SVG, Title};

use super::{Anchor, legend, line, picture, rectangle, text, ticks};
use crate::page::html::table;
use crate::page::number;
use crate::report::LengthReport;

const SIZE: [f64; 2] = [400.0, 130.0];
const LEFT: f64 = 8.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 22.0;

/// The picture, and the same as a table.
pub fn html(lengths: &[LengthReport]) -> String {
    let head = ["beats", "bursts read", "bursts written"].map(String::from).to_vec();
    let row = |own: &LengthReport| {
        [own.beats, own.read_bursts, own.write_bursts].map(|count| number(&count.to_string())).to_vec()
    };
    let rows: Vec<_> = [head].into_iter().chain(lengths.iter().map(row)).collect();
    format!(
        "<p>Bursts by their length in beats:</p>\n<div id=\"bursts-picture\" class=\"picture charts\">{}</div>\n{}\
         <details><summary>as a table</summary>{}</details>\n",
        draw(lengths),
        legend(&[("w-busy", "read"), ("w-value", "written")]),
        table("lengths", &rows)
    )
}

fn draw(lengths: &[LengthReport]) -> SVG {
    let longest = lengths.iter().map(|own| own.beats).max().unwrap_or(1).max(1);
    let most = lengths.iter().map(|own| own.read_bursts.max(own.write_bursts)).max().unwrap_or(1).max(1);
    let step = (SIZE[0] - LEFT - 8.0) / longest as f64;
    let (low, middle) = (SIZE[1] - BOTTOM, |beats: f64| LEFT + (beats - 0.5) * step);
    let wide = (step / 2.0 - 0.5).clamp(1.5, 24.0);
    let mut svg = picture("bursts by their length", SIZE);
    for own in lengths {
        let sides = [(own.read_bursts, "w-busy", "read", -1.0), (own.write_bursts, "w-value", "written", 0.0)];
        for (count, class, what, side) in sides.into_iter().filter(|side| side.0 > 0) {
            let tall = (count as f64 / most as f64 * (low - TOP)).max(1.5);
            let bar = rectangle([middle(own.beats as f64) + side * wide, low - tall, wide, tall], class);
            svg.append(bar.add(Title::new(format!("{count} bursts of {} beats {what}", own.beats))));
        }
    }
    svg.append(line("axis", format!("M{LEFT} {low}H{}", SIZE[0] - 8.0)).set("fill", "none"));
    let first = (longest <= 40).then_some(1.0);
    for beats in first.into_iter().chain(ticks(2.0, longest as f64, 6f64.min(longest as f64))) {
        let at = middle(beats);
        let anchor = match at {
            at if at < LEFT + 12.0 => Anchor::Start,
            at if at > SIZE[0] - 24.0 => Anchor::End,
            _ => Anchor::Middle,
        };
        svg.append(text(super::short(at), SIZE[1] - 6.0, anchor, &number(&beats.to_string())));
    }
    svg
}
