//! Layouts: classes of cells by the tiles that load and store them, and what an order by classes would save.

use std::fmt::Write as _;

use anyhow::Result;

use super::{array_name, set};
use crate::mars::{self, Mars, Moved};
use crate::offload::Offload;

pub fn text(offload: &Offload) -> Result<String> {
    let mut text =
        "# layouts: classes of cells by the tiles that move them; a tile in the middle, distances in cells\n"
            .to_string();
    for array in mars::of_offload(offload)? {
        let _ = writeln!(text, "\narray {}: {}", array_name(&offload.kernel, array.array), array.text(offload));
        if let Ok(mars) = &array.mars {
            classes(&mut text, offload, mars, &array.moved);
        }
    }
    Ok(text)
}

/// The classes of a block as they follow each other in memory, then what tiles move of them.
fn classes(text: &mut String, offload: &Offload, mars: &Mars, moved: &[(Moved, Option<u64>)]) {
    let next = mars
        .order
        .along
        .as_ref()
        .map_or(String::new(), |along| format!(", followed by the one {} further", list(along)));
    let _ = writeln!(text, "    a block: {} places{next}", mars.block_places());
    for class in &mars.order.classes {
        let place = &mars.block[*class];
        let shape = match place.is_box() {
            true => String::new(),
            false => format!(" in a box of {} places", place.places),
        };
        set(text, 8, &format!("class {class}, at {}: {} cells{shape}", place.offset, place.cells), &place.class.cells);
        for (number, (moved, _)) in moved.iter().enumerate() {
            let users = place.class.users.iter().filter(|(relation, _)| *relation == number);
            let users: Vec<String> = users.map(|(_, offset)| list(offset)).collect();
            if !users.is_empty() {
                let _ = writeln!(text, "            in {} moved by {}", relation(offload, moved), users.join(", "));
            }
        }
    }
    for (part, (moved, rows)) in mars.relations.iter().zip(moved) {
        let rows = rows.map_or(String::new(), |rows| format!("; bursts in rows: {rows}"));
        let _ = writeln!(text, "    {} at tile {}{rows}", relation(offload, moved), list(&part.tile));
        for run in &part.runs {
            let classes: Vec<String> = run.instances.iter().map(|(_, class)| class.to_string()).collect();
            let _ = writeln!(
                text,
                "        block {} at {}, {} places: classes {}",
                list(&run.instances[0].0),
                run.offset,
                run.length,
                classes.join(", ")
            );
        }
    }
}

/// `Load(a) of band 0`
fn relation(offload: &Offload, moved: &Moved) -> String {
    let what = if moved.is_store { "Store" } else { "Load" };
    format!("{what}({}) of band {}", array_name(&offload.kernel, moved.array), moved.band)
}

/// `(32, 0)`
fn list(values: &[i64]) -> String {
    format!("({})", values.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))
}
