//! The cells of an array in one tile: what is loaded, reused, stored and touched otherwise. Rows of the array are rows of the picture.

use svg::Node as _;
use svg::node::element::{Element, Group, SVG};

use super::{line, of_tile, of_tile_html, picture, rectangles};
use crate::page::html::escaped;
use crate::page::number;
use crate::page::pictures::{ArrayPicture, Pictures, TileArray};

/// A box per array that some tile moves.
pub fn html(pictures: &Pictures) -> String {
    (0..pictures.arrays.len()).map(|array| boxed(pictures, array)).collect()
}

/// The shown tiles that move an array, with their places.
fn moving(pictures: &Pictures, array: usize) -> Vec<(usize, &TileArray)> {
    let own =
        |(place, tile): (usize, &'_ crate::page::Tile)| (place, tile.arrays.iter().position(|own| own.array == array));
    let found = pictures.shown.iter().enumerate().map(own);
    found.filter_map(|(place, own)| Some((place, &pictures.shown[place].arrays[own?]))).collect()
}

fn boxed(pictures: &Pictures, array: usize) -> String {
    let (known, tiles) = (&pictures.arrays[array], moving(pictures, array));
    let Some((first, _)) = tiles.first() else { return String::new() };
    let extents: String = known.extents.iter().map(|extent| format!("[{extent}]")).collect();
    let figures: String = tiles.iter().map(|(place, own)| figures(known, own, *place)).collect();
    let hidden = if *first > 0 { " hidden" } else { "" };
    format!(
        "<div class=\"of-tiles\"{hidden}><h3>{}{extents}</h3>{}<table>{figures}</table>{}</div>\n",
        escaped(&known.name),
        draw(known, array, &tiles),
        notes(known)
    )
}

/// The distance of lines between planes, where rows of several lie below one another and can be told apart.
fn planes(known: &ArrayPicture) -> Option<i64> {
    let [.., plane, _] = known.extents[..] else { return None };
    let is_seen = known.extents.len() > 2 && plane > 1 && known.together[0] == 1 && known.grid[0] / plane <= 64;
    is_seen.then_some(plane)
}

fn draw(known: &ArrayPicture, array: usize, tiles: &[(usize, &TileArray)]) -> SVG {
    let [rows, columns] = known.grid.map(|count| count.max(1) as f64);
    // A single row is drawn as a band.
    let aspect = (columns / rows.max(columns / 12.0)).clamp(0.5, 12.0);
    let mut svg = picture(&format!("cells of {}", known.name), [columns, rows])
        .set("preserveAspectRatio", "none")
        .set("style", format!("aspect-ratio: {aspect}"))
        .set("data-cells", array);
    for (place, own) in tiles {
        let kinds = [("c-touch", &own.touch), ("c-reuse", &own.reuse), ("c-load", &own.load), ("c-store", &own.store)];
        svg.append(tile(*place, &kinds));
    }
    let plane = planes(known);
    for row in plane.into_iter().flat_map(|plane| (plane..known.grid[0]).step_by(plane as usize)) {
        svg.append(line("plane", format!("M0 {row}H{columns}")));
    }
    svg
}

/// Squares of a tile by their kinds, the lowest first, as `[row, column, rows, columns]`.
pub fn tile(place: usize, kinds: &[(&str, &Vec<[i64; 4]>)]) -> Element {
    let mut group: Element = Group::new().into();
    of_tile(&mut group, place);
    for (class, squares) in kinds.iter().filter(|(_, squares)| !squares.is_empty()) {
        group.append(rectangles(
            class,
            squares.iter().map(|[row, column, rows, columns]| [*column, *row, *columns, *rows]),
        ));
    }
    group
}

/// Numbers of cells and bytes.
fn figures(known: &ArrayPicture, own: &TileArray, place: usize) -> String {
    let kinds =
        [("loaded", Some(own.loaded)), ("reused", own.reused), ("stored", Some(own.stored)), ("touched", own.touched)];
    let row = |(kind, cells): (&str, Option<u64>)| {
        let cells = cells?;
        let (name, shown) = (escaped(&known.name), number(&cells.to_string()));
        let bytes = number(&(cells * u64::from(known.element_bytes)).to_string());
        Some(format!("<tr><td>{kind}<td data-array=\"{name}\" data-kind=\"{kind}\">{shown}<td>{bytes} bytes\n"))
    };
    format!("<tbody{}>{}", of_tile_html(place), kinds.into_iter().filter_map(row).collect::<String>())
}

fn notes(known: &ArrayPicture) -> String {
    let mut notes = String::new();
    if let Some(plane) = planes(known) {
        notes += &format!("<p class=\"legend\">Planes of {plane} × {} below one another.</p>", known.grid[1]);
    }
    if known.together != [1, 1] {
        let [down, across] = known.together;
        notes += &format!("<p class=\"legend\">A square stands for {down} × {across} cells.</p>");
    }
    notes
}
