//! The C file, and beside each line what became of its statements.

use std::collections::BTreeMap;

use super::html::escaped;
use super::{Page, Pictures, number};
use crate::ids::StatementId;
use crate::offload::Band;
use crate::report::count;

/// Lines of the source on a page at most: a kernel in a long program is shown with what is around it.
const LINES: usize = 400;

/// The file as a table of lines, with notes.
pub fn listing(page: &Page, pictures: &Pictures) -> String {
    let notes = notes(page, pictures);
    let lines: Vec<&str> = page.program.user.text.lines().collect();
    let (first, last) = match (notes.keys().next(), notes.keys().next_back()) {
        (Some(first), Some(last)) if lines.len() > LINES => {
            (first.saturating_sub(LINES / 4).max(1), (last + 20).min(first + LINES))
        }
        _ => (1, lines.len().min(LINES)),
    };
    let mut html = String::from("<div class=\"wide\"><table class=\"source\">");
    for (number, line) in (1..).zip(&lines).filter(|(number, _)| (first..=last).contains(number)) {
        html.push_str(&format!("<tr><td>{number}</td><td><code>{}</code></td></tr>\n", escaped(line)));
        for note in notes.get(&number).into_iter().flatten() {
            html.push_str(&format!("<tr class=\"note\"><td></td><td><p>{note}</p></td></tr>\n"));
        }
    }
    html.push_str("</table></div>\n");
    if (last - first) + 1 < lines.len() {
        html.push_str(&format!("<p>Lines {first} to {last} of {}.</p>\n", lines.len()));
    }
    html
}

/// The part of a statement in a text of several: `(i, 1)` of `S0 (i), S1 (i, 1)`. A band of one statement has no names in it.
fn own_part<'a>(text: &'a str, statement: &str) -> &'a str {
    let begin = format!("{statement} (");
    let at = text.match_indices(&begin).map(|(at, _)| at).find(|at| *at == 0 || text[..*at].ends_with(", "));
    let Some(at) = at.map(|at| at + begin.len() - 1) else { return text };
    let mut depth = 0;
    for (place, c) in text[at..].char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 {
            return &text[at..=at + place];
        }
    }
    text
}

/// Estimated cycles of a statement over its iterations; of one lane those of the band.
fn own_cycles(band: &Band, statement: StatementId) -> f64 {
    let each = band.compute.lanes.as_ref().map_or(&[][..], |lanes| &lanes.cycles_each);
    let place = band.statements.iter().position(|own| *own == statement);
    place.and_then(|place| each.get(place)).copied().unwrap_or(1.0 + band.compute.stalls_per_iteration)
}

/// Notes by line of the user's file, as HTML.
fn notes(page: &Page, pictures: &Pictures) -> BTreeMap<usize, Vec<String>> {
    let offload = page.offload;
    // Counted for a run, which has ended; sizes without one may be too large for that.
    let times = page.report.map(|_| count::iterations(offload, page.sizes));
    let statements = offload.kernel.statements();
    let mut notes: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (band, of) in offload.bands.iter().zip(&pictures.bands) {
        let tiles: Vec<String> = of.tile_sizes.iter().map(i64::to_string).collect();
        for statement in &band.statements {
            let own = statements[*statement];
            let line = page.program.places.user(own.span).line;
            let lanes = match offload.lanes(*statement) {
                Some(shape) => format!("{} lanes along {}", shape.count, escaped(&shape.along)),
                None => "one lane".to_string(),
            };
            let lanes = match &band.compute.units {
                Some(units) => format!("{} units along {}", units.count, escaped(&units.along)),
                None => lanes,
            };
            let each = own_cycles(band, *statement);
            let mut note = format!(
                "<b>{}</b> tiles {} along {}; {lanes}; order {}; about {:.3} cycles per iteration",
                escaped(&own.name),
                tiles.join(" × "),
                escaped(own_part(&of.theta, &own.name)),
                escaped(own_part(&band.compute.order, &own.name)),
                each
            );
            if let Some(times) = &times {
                note.push_str(&format!("; {} iterations", number(&times[*statement].to_string())));
            }
            if let Some(distance) = band.compute.innermost_distance {
                let iterations = if distance == 1 { "iteration" } else { "iterations" };
                note.push_str(&format!("; the innermost dependence goes {distance} {iterations} back"));
            }
            if offload.bands.len() > 1 {
                let place = offload.bands.iter().position(|other| std::ptr::eq(other, band)).unwrap_or(0);
                note.push_str(&format!("; band {place}"));
            }
            notes.entry(line).or_default().push(note);
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::own_part;

    #[test]
    fn a_statement_has_its_own_part_of_a_text() {
        let text = "S0 (t, (i + 1)/2), S1 (t, i), S10 (t, 2)";
        assert_eq!(own_part(text, "S0"), "(t, (i + 1)/2)");
        assert_eq!((own_part(text, "S1"), own_part(text, "S10")), ("(t, i)", "(t, 2)"));
        assert_eq!(own_part("(i, j)", "S0"), "(i, j)");
    }
}
