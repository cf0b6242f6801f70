//! The section of tiles, whose pictures change with the slider, and what the script has to know for that.

use serde::Serialize;

use super::order::{self, Orders, Told};
use super::plane::LEVELS;
use super::space::index;
use super::{buffers, cells, key, legend, of_tile_html, space};
use crate::page::html::{escaped, json_block};
use crate::page::pictures::{ArrayPicture, BufferPicture, Pictures, Tile};
use crate::page::{number, section};

/// What the script has to know of what is drawn.
#[derive(Serialize)]
struct Script<'a> {
    tiles: Vec<ScriptTile<'a>>,
    bands: Vec<ScriptBand<'a>>,
    arrays: &'a [ArrayPicture],
    buffers: &'a [BufferPicture],
    orders: &'a [Told],
}

#[derive(Serialize)]
struct ScriptTile<'a> {
    number: u64,
    strip: u64,
    band: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<usize>,
    origins: &'a [Vec<i64>],
}

impl ScriptTile<'_> {
    fn of(tile: &Tile, order: Option<usize>) -> ScriptTile<'_> {
        ScriptTile { number: tile.number, strip: tile.strip, band: tile.band, order, origins: &tile.origins }
    }
}

#[derive(Serialize)]
struct ScriptBand<'a> {
    statements: &'a [String],
    iterators: &'a [Vec<String>],
}

/// The section, and the block of data for the script.
///
/// # Errors
/// None for texts and numbers.
pub fn html(pictures: &Pictures) -> serde_json::Result<String> {
    let orders = Orders::of(pictures);
    let tiles = pictures.shown.iter().zip(&orders.of_tiles).map(|(tile, order)| ScriptTile::of(tile, *order)).collect();
    let bands =
        pictures.bands.iter().map(|band| ScriptBand { statements: &band.statements, iterators: &band.iterators });
    let (arrays, buffers) = (&pictures.arrays[..], &pictures.buffers[..]);
    let script = Script { tiles, bands: bands.collect(), arrays, buffers, orders: &orders.told };
    Ok(section("tiles", "Tiles", &body(pictures, &orders)) + &json_block("pictures", &serde_json::to_string(&script)?))
}

fn body(pictures: &Pictures, orders: &Orders) -> String {
    let Some(last) = pictures.shown.len().checked_sub(1) else {
        return "<p>There are no tiles at these sizes, or too many to follow.</p>".to_string();
    };
    let all = number(&pictures.tile_count.to_string());
    let shown = match pictures.shown.len() as u64 {
        1 if pictures.tile_count == 1 => "The run is one tile.".to_string(),
        shown if shown == pictures.tile_count => format!("All {all} tiles of the run."),
        shown => format!("{shown} of the run's {all} tiles."),
    };
    let names: String = (0..=last).map(|place| name(pictures, place)).collect();
    let keys = legend(&[
        ("c-load", "loaded"),
        ("c-reuse", "reused"),
        ("c-touch", "touched otherwise"),
        ("c-store", "stored (outlined)"),
    ]);
    let top = LEVELS - 1;
    let (scale, to_come) = (order::scale(), key("to-come", "still to come"));
    let hidden = if orders.of_tiles[0].is_none() { " hidden" } else { "" };
    format!(
        "<p>{shown} Load(T) holds what a tile reads and nobody has brought yet, Store(T) what later tiles of the strip do \
         not write again; between them is what stays on chip.</p>\n\
         <p class=\"slide\"><label>tile <input id=\"tile\" type=\"range\" min=\"0\" max=\"{last}\" value=\"0\"></label></p>\n\
         <p id=\"tile-name\">{names}</p>\n<div id=\"tile-space\" class=\"picture\">{}</div>\n{keys}<div id=\"tile-arrays\">{}</div>\n\
         <h3 id=\"chip\">Where the cells lie on chip</h3>\n\
         <p class=\"slide\"><output id=\"cell-place\"></output></p>\n<div id=\"tile-buffers\" class=\"pictures\">{}</div>\n\
         <h3 id=\"order\">The order of the iterations</h3>\n<p class=\"slide\" id=\"order-slide\"{hidden}><label>date <input id=\"date\" type=\"range\" \
         min=\"0\" max=\"{top}\" value=\"{top}\"></label> <button id=\"play\" type=\"button\">play</button> <output id=\"date-name\"></output></p>\n\
         <p class=\"legend\"><span class=\"part\">first <span id=\"dates-key\">{scale}</span> last</span> {to_come}\
         <span class=\"part\">iterations that start together have one date</span></p>\n\
         <div id=\"tile-order\">{}</div>\n",
        space::html(pictures),
        cells::html(pictures),
        buffers::html(pictures),
        orders.html,
    )
}

/// Which tile it is.
fn name(pictures: &Pictures, place: usize) -> String {
    let tile = &pictures.shown[place];
    let iterations = tile.iterations.map_or(String::new(), |own| format!(", {} iterations", number(&own.to_string())));
    format!(
        "<span{}>number {} of {}: T = {}, {}{iterations}</span>",
        of_tile_html(place),
        number(&(tile.number + 1).to_string()),
        number(&pictures.tile_count.to_string()),
        index(tile),
        escaped(&pictures.bands[tile.band].statements.join(", ")),
    )
}
