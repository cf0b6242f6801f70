//! Words of each buffer that are alive, date by date, beside the words that the buffer has.

use svg::Node as _;
use svg::node::element::{Group, SVG};

use super::{Anchor, line, of_tile, picture, rectangle, short, text, ticks};
use crate::page::html::escaped;
use crate::page::lives::{Live, Lives};
use crate::page::number;
use crate::page::pictures::Pictures;

const SIZE: [f64; 2] = [400.0, 104.0];
const LEFT: f64 = 8.0;
const TOP: f64 = 6.0;
const BOTTOM: f64 = 24.0;

/// The section's HTML.
pub fn html(lives: &Lives, pictures: &Pictures) -> String {
    let all: String = lives.arrays.iter().map(|own| array(own, lives, pictures)).collect();
    let span = match lives.together {
        0 | 1 => String::new(),
        several => format!("; a point is the most of {several} dates"),
    };
    let tiles = match lives.tiles {
        1 if pictures.tile_count == 1 => "the tile".to_string(),
        own if own < pictures.tile_count => {
            format!("the first {} of {} tiles", number(&own.to_string()), number(&pictures.tile_count.to_string()))
        }
        own => format!("all {} tiles", number(&own.to_string())),
    };
    format!(
        "<p>Words of each buffer that hold a value which somebody still wants: since it was loaded, before the first iteration of its tile, \
         or written, until it is read or stored for the last time. What is loaded ahead, and what waits to be stored, comes on top of it.</p>\n\
         <div id=\"lives-picture\" class=\"picture pictures charts\">{all}</div>\n\
         <p class=\"legend\" id=\"lives-name\">Dates of {tiles}{span}. The tile that is chosen above is marked.</p>"
    )
}

fn array(own: &Live, lives: &Lives, pictures: &Pictures) -> String {
    let share = 100.0 * own.peak as f64 / own.words.max(1) as f64;
    format!(
        "<div><h4>{0}</h4>{1}<p class=\"legend\">at most <b data-alive=\"{0}\">{2}</b> alive, {share:.1} % of the {3} words that the buffer has \
         (dashed)</p></div>\n",
        escaped(&own.array),
        draw(own, lives, pictures),
        number(&own.peak.to_string()),
        number(&own.words.to_string()),
    )
}

fn draw(own: &Live, lives: &Lives, pictures: &Pictures) -> SVG {
    let highest = own.words.max(own.peak as i64).max(1) as f64;
    let (right, low) = (SIZE[0] - 8.0, SIZE[1] - BOTTOM);
    let x = |date: u64| LEFT + date.min(lives.dates) as f64 / lives.dates.max(1) as f64 * (right - LEFT);
    let y = |words: f64| low - words / highest * (low - TOP);
    let mut svg = picture(&format!("words of {} that are alive", own.array), SIZE);
    for (place, tile) in pictures.shown.iter().enumerate() {
        let dates = tile.order.map_or(0, |order| pictures.orders[order].dates);
        let Some(first) = tile.first_date.filter(|_| tile.order.is_some()) else { continue };
        let wide = (x(first + dates) - x(first)).max(2.0);
        // A group, as all that belongs to a tile.
        let mut mark: svg::node::element::Element = Group::new().into();
        of_tile(&mut mark, place);
        mark.append(rectangle([x(first), low + 1.0, wide, 5.0], "mark"));
        svg.append(mark);
    }
    let mut d = format!("M{} {}", short(x(0)), short(low));
    for (k, words) in (1..).zip(&own.most) {
        d += &format!("V{}H{}", short(y(*words as f64)), short(x(k * lives.together)));
    }
    svg.append(line("w-busy alive", d + &format!("V{}Z", short(low))));
    svg.append(line("roof other", format!("M{LEFT} {}H{right}", short(y(own.words as f64)))));
    svg.append(line("axis", format!("M{LEFT} {}H{right}", short(low))).set("fill", "none"));
    for date in ticks(0.0, lives.dates as f64, 4.0) {
        let at = x(date as u64);
        let anchor = match at {
            at if at < LEFT + 20.0 => Anchor::Start,
            at if at > SIZE[0] - 40.0 => Anchor::End,
            _ => Anchor::Middle,
        };
        svg.append(text(short(at), SIZE[1] - 5.0, anchor, &number(&date.to_string())));
    }
    svg
}
