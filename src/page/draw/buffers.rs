//! The words of a buffer on chip that hold the cells of one tile: a line per bank, or the words of a single bank in lines.

use svg::Node as _;
use svg::node::element::SVG;

use super::cells::tile;
use super::{line, of_tile_html, picture, rectangle};
use crate::page::html::escaped;
use crate::page::number;
use crate::page::pictures::{BufferPicture, Pictures, TileBuffer};

/// A box per buffer that some tile uses.
pub fn html(pictures: &Pictures) -> String {
    (0..pictures.buffers.len()).map(|buffer| boxed(pictures, buffer)).collect()
}

fn boxed(pictures: &Pictures, buffer: usize) -> String {
    let known = &pictures.buffers[buffer];
    let shown = pictures.shown.iter().enumerate();
    let tiles: Vec<(usize, &TileBuffer)> = shown
        .flat_map(|(place, tile)| tile.buffers.iter().map(move |own| (place, own)))
        .filter(|(_, own)| own.buffer == buffer)
        .collect();
    let Some((first, _)) = tiles.first() else { return String::new() };
    let count = |value: i64| number(&value.to_string());
    let banks = if known.banks > 1 { format!("{} banks of ", known.banks) } else { String::new() };
    let words = if known.words == 1 { "word" } else { "words" };
    let (name, all) = (escaped(&known.array), count(known.banks * known.words));
    let row = |(place, own): &(usize, &TileBuffer)| {
        format!(
            "<tbody{}><tr><td>hold the tile's cells<td data-buffer=\"{name}\">{}<td>of {all}\n",
            of_tile_html(*place),
            number(&own.taken.to_string())
        )
    };
    format!(
        "<div class=\"of-tiles\"{}><h4>{name}: {banks}{} {words}</h4>{}<table>{}</table>{}</div>\n",
        if *first > 0 { " hidden" } else { "" },
        count(known.words),
        draw(known, buffer, &tiles),
        tiles.iter().map(row).collect::<String>(),
        notes(known)
    )
}

fn draw(known: &BufferPicture, buffer: usize, tiles: &[(usize, &TileBuffer)]) -> SVG {
    let [rows, columns] = known.grid.map(|count| count.max(1) as f64);
    let aspect = (columns / rows.max(columns / 12.0)).clamp(1.0, 4.0);
    let mut svg = picture(&format!("words of {}", known.array), [columns, rows])
        .set("preserveAspectRatio", "none")
        .set("style", format!("aspect-ratio: {aspect}"))
        .set("data-words", buffer);
    for (place, own) in tiles {
        svg.append(tile(*place, &[("c-touch", &own.touch), ("c-reuse", &own.reuse), ("c-load", &own.load)]));
    }
    let is_seen = known.banks > 1 && known.together[0] == 1 && known.grid[0] <= 64;
    for bank in (1..known.grid[0]).filter(|_| is_seen) {
        svg.append(line("plane", format!("M0 {bank}H{columns}")));
    }
    // The script puts it over the word of a cell that is clicked on.
    svg.append(rectangle([0.0, 0.0, 1.0, 1.0], "c-store picked").set("hidden", ""));
    svg
}

fn notes(known: &BufferPicture) -> String {
    let mut notes = vec![];
    if known.banks > 1 {
        notes.push("A line is a bank.".to_string());
    } else if known.columns < known.words {
        notes.push(format!("Lines of {} words.", known.columns));
    }
    if known.together != [1, 1] {
        notes.push(format!("A square stands for {} × {} words.", known.together[0], known.together[1]));
    }
    if notes.is_empty() { String::new() } else { format!("<p class=\"legend\">{}</p>", notes.join(" ")) }
}
