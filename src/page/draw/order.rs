//! The order of a tile's iterations: of every statement planes of two iterators. Tiles that are alike have one drawing; what tells them
//! apart, the values of iterators in its captions, is put in by the script.

use std::collections::BTreeSet;

use serde::Serialize;

use super::plane::{LEVELS, Row, View, changing, last, ranges, rows};
use super::{blank, rectangle};
use crate::page::html::escaped;
use crate::page::number;
use crate::page::order::{Order, Origins};
use crate::page::pictures::{BandPicture, Pictures, Tile};

/// Planes that are drawn side by side at most.
const PLANES: usize = 12;
/// Bytes of all views but the first of each statement, each drawing with its part of them, and squares of one view.
const FURTHER: usize = 200_000;
const SQUARES: i64 = 16_384;

/// What the script has to know of a drawing.
#[derive(Serialize)]
pub struct Told {
    dates: u64,
    /// Per level its last date, the last date of an iteration that is drawn, that one's statement, and its iterators less those of the origin.
    ends: Vec<Vec<i64>>,
}

/// All drawings, as HTML, and the number of each tile's.
#[derive(Default)]
pub struct Orders {
    pub html: String,
    pub told: Vec<Told>,
    pub of_tiles: Vec<Option<usize>>,
}

impl Orders {
    pub fn of(pictures: &Pictures) -> Orders {
        let mut own = Orders::default();
        // The same shape in another band has other names.
        let key = |tile: &Tile| tile.order.map(|order| (order, tile.band));
        let shapes: BTreeSet<_> = pictures.shown.iter().filter_map(key).collect();
        let mut known = vec![];
        for tile in &pictures.shown {
            let Some(key) = key(tile) else {
                own.of_tiles.push(None);
                continue;
            };
            let place = known.iter().position(|known| *known == key).unwrap_or(known.len());
            own.of_tiles.push(Some(place));
            if place == known.len() {
                known.push(key);
                let (order, band) = (&pictures.orders[key.0], &pictures.bands[tile.band]);
                let hidden = if own.of_tiles.len() == 1 { "" } else { " hidden" };
                let drawing = drawing(order, band, &tile.origins, &mut (FURTHER / shapes.len()));
                own.html += &format!("<div class=\"pictures\" data-order=\"{place}\"{hidden}>{drawing}</div>\n");
                own.told.push(told(order));
            }
        }
        if own.of_tiles.contains(&None) {
            let hidden = if own.of_tiles[0].is_none() { "" } else { " hidden" };
            own.html += &format!(
                "<p data-order=\"none\"{hidden}>There are too many iterations to follow, or their accesses depend on data.</p>\n"
            );
        }
        own
    }
}

/// The colours of the levels.
pub fn style() -> String {
    (0..LEVELS).map(|level| format!("[data-level=\"{level}\"]{{fill:{}}}\n", colour(level, LEVELS))).collect()
}

/// From violet to yellow.
fn colour(level: i64, of: i64) -> String {
    let part = level as f64 / (of - 1) as f64;
    format!("hsl({:.0} 62% {:.0}%)", 255.0 - 215.0 * part, 42.0 + 14.0 * part)
}

/// The colours from the first date to the last one.
pub fn scale() -> String {
    let colours = (0..LEVELS)
        .map(|k| rectangle([k as f64, 0.0, 1.2, 1.0], "").set("style", format!("fill:{}", colour(k, LEVELS))));
    let svg = blank("from first to last").set("viewBox", (0, 0, LEVELS, 1)).set("width", 96).set("height", 10);
    colours.fold(svg.set("preserveAspectRatio", "none"), |svg, own| svg.add(own)).to_string()
}

fn told(order: &Order) -> Told {
    let end = |level: i64| {
        let date = last(level, order.dates as i64);
        let found = current(order, date);
        found.map_or(vec![], |(at, statement, iterators)| [vec![date, at, statement as i64], iterators].concat())
    };
    let ends = if order.dates == 0 { vec![] } else { (0..LEVELS).map(end).collect() };
    Told { dates: order.dates, ends }
}

/// The iteration that starts at a date, or the last one before of those that are drawn: its date, statement and iterators.
fn current(order: &Order, date: i64) -> Option<(i64, usize, Vec<i64>)> {
    let mut found: Option<(i64, &Vec<i64>)> = None;
    for row in order.drawn.iter().filter(|row| row[1] <= date) {
        let at = date.min(row[1] + row[2] - 1);
        if found.is_none_or(|(before, _)| at > before) {
            found = Some((at, row));
        }
    }
    let (at, row) = found?;
    let (statement, step) = &order.kinds[row[0] as usize];
    let iterators = row[3..].iter().zip(step).map(|(begin, step)| begin + (at - row[1]) * step).collect();
    Some((at, *statement, iterators))
}

fn drawing(order: &Order, band: &BandPicture, origins: &Origins, room: &mut usize) -> String {
    if order.dates == 0 {
        return "<p>The tile has no iterations.</p>".to_string();
    }
    let mut html = String::new();
    for (statement, origin) in origins.iter().enumerate().filter(|(_, origin)| !origin.is_empty()) {
        let rows = rows(order, statement);
        if !rows.is_empty() {
            let own = Statement { order, place: statement, band, origin, ranges: ranges(&rows, origin.len()), rows };
            html += &own.html(room);
        }
    }
    let thinned = if order.every > 1 { format!(", of which one in {} is drawn", order.every) } else { String::new() };
    let count = if order.rows == 1 { "row" } else { "rows" };
    let rows = number(&order.rows.to_string());
    html + &format!("<p class=\"legend\">Order {}: {rows} {count} of iterations{thinned}.</p>", escaped(&band.order))
}

/// A statement in a tile.
struct Statement<'a> {
    order: &'a Order,
    place: usize,
    band: &'a BandPicture,
    origin: &'a [i64],
    rows: Vec<Row>,
    ranges: Vec<[i64; 2]>,
}

impl Statement<'_> {
    /// Views of the statement, the first by the iterators that change most; the others as far as there is room.
    fn html(&self, room: &mut usize) -> String {
        let moving = changing(&self.rows, &self.ranges);
        let mut pairs: Vec<[Option<usize>; 2]> = vec![];
        for (k, across) in moving.iter().enumerate() {
            pairs.extend(moving[k + 1..].iter().map(|down| [Some(*across), Some(*down)]));
        }
        if pairs.is_empty() {
            pairs.push([moving.first().copied(), None]);
        }
        let (mut options, mut views) = (String::new(), String::new());
        for (k, axes) in pairs.into_iter().enumerate() {
            let fixed =
                (0..self.ranges.len()).filter(|own| moving.contains(own) && !axes.contains(&Some(*own))).collect();
            let view = View { axes, fixed };
            if k > 0 && view.squares(&self.rows) > SQUARES {
                continue;
            }
            let (name, html) = (self.written(axes), self.view(&view));
            if k > 0 && html.len() > *room {
                continue;
            }
            *room -= if k > 0 { html.len() } else { 0 };
            let hidden = if k > 0 { " hidden" } else { "" };
            options += &format!("<option>{name}</option>");
            views += &format!("<div data-plane=\"{name}\"{hidden}>{html}</div>\n");
        }
        let name = escaped(&self.band.statements[self.place]);
        let select = match options.matches("<option>").count() {
            0 | 1 => String::new(),
            _ => format!("<select class=\"of-script\" aria-label=\"plane of {name}\">{options}</select>"),
        };
        format!(
            "<div><h4>{name} ({})</h4>{select}{views}</div>\n",
            escaped(&self.band.iterators[self.place].join(", "))
        )
    }

    fn iterator(&self, k: usize) -> String {
        escaped(&self.band.iterators[self.place][k])
    }

    fn written(&self, [across, down]: [Option<usize>; 2]) -> String {
        let down = down.map_or(String::new(), |down| format!(", {} down", self.iterator(down)));
        across.map_or("a single iteration".to_string(), |across| format!("{} across{down}", self.iterator(across)))
    }

    fn view(&self, view: &View) -> String {
        let all: Vec<(Vec<i64>, Vec<Row>)> = view.planes(&self.rows).into_iter().collect();
        let count = all.len().min(PLANES);
        // As far apart as can be, from the first to the last.
        let chosen = (0..count)
            .map(|n| if all.len() <= PLANES { n } else { (n * (all.len() - 1) + (PLANES - 1) / 2) / (PLANES - 1) });
        let room = if count > 1 { 256.0 } else { 560.0 };
        let mut figures = String::new();
        for (at, rows) in chosen.map(|place| &all[place]) {
            let svg = view.draw(rows, &self.ranges, self.order.dates as i64, room);
            let caption: Vec<String> = view.fixed.iter().zip(at).map(|(k, by)| self.value(*k, *by)).collect();
            let caption = if caption.is_empty() {
                String::new()
            } else {
                format!("<figcaption>{}</figcaption>", caption.join(", "))
            };
            figures += &format!("<figure>{svg}{caption}</figure>");
        }
        let several = match all.len() {
            1 => String::new(),
            planes if planes > count => format!("; {count} of {planes} planes"),
            planes => format!("; {planes} planes"),
        };
        format!("<p class=\"legend\">{}{several}</p><div class=\"planes\">{figures}</div>", self.written(view.axes))
    }

    /// The value of an iterator in the first tile with this order; the script writes that of another tile.
    fn value(&self, iterator: usize, by: i64) -> String {
        format!(
            "{} = <span data-of=\"{} {iterator}\" data-by=\"{by}\">{}</span>",
            self.iterator(iterator),
            self.place,
            self.origin[iterator] + by
        )
    }
}
