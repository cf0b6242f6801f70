//! The banks of a native memory over the cycles of the timeline: in which rows words were, and how column commands hit.

use svg::Node as _;
use svg::node::element::{Element, Path, Rectangle, Title};

use super::timeline::{marks, share};
use super::{Anchor, FULL, fluid, legend, line, rectangles, short, skyline, text, window};
use crate::page::html::escaped;
use crate::page::pictures::Region;
use crate::simulate::timeline::{Banks, Slice, Timeline};

/// A bank: its text, its rows, its commands, below one another.
const PITCH: f64 = 92.0;
const ROWS: f64 = 40.0;

/// The section's HTML.
pub fn html(timeline: &Timeline, regions: &[Region]) -> String {
    let range = range(&timeline.banks);
    let place = |region: &Region| {
        let [first, last] = region.rows;
        let rows = if first == last { first.to_string() } else { format!("{first} to {last}") };
        format!("{} in {rows}", escaped(&region.array))
    };
    let places: Vec<String> = regions.iter().map(place).collect();
    let name = match range {
        None => "No bank was used.".to_string(),
        Some([low, high]) => {
            let places = if places.is_empty() { String::new() } else { format!(": {}", places.join(", ")) };
            format!("Rows {low} to {high} from top to bottom{places}.")
        }
    };
    let keys = legend(&[
        ("rows", "rows"),
        ("w-busy", "hits"),
        ("w-value", "misses"),
        ("w-row", "between reading and writing"),
        ("w-word", "refreshes"),
    ]);
    format!(
        "<p>Of each bank the rows that words were in, and below how many column commands there were per cycle: to a row that had one \
         since it was opened, or the first one after an activate. Zoom and place are those of the timeline above.</p>\n\
         <div id=\"banks-picture\" class=\"picture\">{}</div>\n{keys}<p class=\"legend\" id=\"banks-name\">{name}</p>",
        draw(timeline, regions, range.unwrap_or([0, 0]))
    )
}

/// Whether a bank had a column command.
fn is_used(told: &Banks, bank: usize) -> bool {
    told[4 * bank] + told[4 * bank + 1] > 0
}

/// The least and the greatest row of all.
fn range(banks: &[Banks]) -> Option<[u64; 2]> {
    let used = banks.iter().flat_map(|told| (0..4).filter(|bank| is_used(told, *bank)).map(move |bank| (told, bank)));
    used.map(|(told, bank)| [told[4 * bank + 2], told[4 * bank + 3]]).reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
}

fn draw(timeline: &Timeline, regions: &[Region], range: [u64; 2]) -> svg::Document {
    let total: u64 = timeline.slices.iter().map(|slice| slice[0]).sum();
    let height = 4.0 * PITCH + 2.0 * 40.0 + 20.0;
    let mut svg = fluid("banks and rows", height);
    for bank in 0..4 {
        let top = bank as f64 * PITCH;
        svg.append(text(0, top + 14.0, Anchor::Start, &format!("bank {bank}")));
        svg.append(rows(timeline, bank, regions, range, window(top + 19.0, ROWS, total)));
        svg.append(commands(timeline, bank, total, window(top + 19.0 + ROWS + 2.0, 20.0, total)));
    }
    for (k, (name, place, class)) in [("turns", 16, "w-row thin"), ("refreshes", 17, "w-word thin")].iter().enumerate()
    {
        let top = 4.0 * PITCH + 40.0 * k as f64;
        svg.append(text(0, top + 14.0, Anchor::Start, name));
        let mut own = window(top + 19.0, 16.0, total);
        own.append(Title::new(format!("{name}: {}", timeline.banks.iter().map(|told| told[*place]).sum::<u64>())));
        own.append(events(timeline, *place, class));
        svg.append(own);
    }
    marks(&mut svg, total, height);
    svg
}

/// Hits and misses of a bank per cycle.
fn commands(timeline: &Timeline, bank: usize, total: u64, mut own: Element) -> Element {
    let all = |k: usize| timeline.banks.iter().map(|told| told[4 * bank + k]).sum::<u64>();
    own.append(Title::new(format!("bank {bank}: {} hits, {} misses", all(0), all(1))));
    own.append(Rectangle::new().set("class", "w-tile").set("width", total).set("height", FULL));
    let upto = |(slice, told): (&Slice, &Banks), k: usize| {
        (slice[0], share(told[4 * bank..=4 * bank + k].iter().sum(), slice[0]))
    };
    own.append(skyline("w-value", both(timeline).map(|own| upto(own, 1))));
    own.append(skyline("w-busy", both(timeline).map(|own| upto(own, 0))));
    own
}

/// How often something happened per cycle, beside the most of all slices; a few times are to be seen, too.
fn events(timeline: &Timeline, place: usize, class: &str) -> Path {
    let each = |(slice, told): (&Slice, &Banks)| told[place] as f64 / slice[0].max(1) as f64;
    let most = both(timeline).map(each).fold(f64::MIN_POSITIVE, f64::max);
    let seen = starts(timeline).zip(both(timeline)).filter(|(_, own)| own.1[place] > 0);
    let bar = |(begin, own): (i64, (&Slice, &Banks))| {
        let tall = (FULL as f64 * (each(own) / most).max(0.25)).round() as i64;
        [begin, FULL as i64 - tall, own.0[0] as i64, tall]
    };
    rectangles(class, seen.map(bar))
}

/// The first cycle of every slice.
fn starts(timeline: &Timeline) -> impl Iterator<Item = i64> {
    timeline.slices.iter().scan(0, |next, slice| {
        let own = *next;
        *next += slice[0] as i64;
        Some(own)
    })
}

fn both(timeline: &Timeline) -> impl Iterator<Item = (&Slice, &Banks)> {
    timeline.slices.iter().zip(&timeline.banks)
}

/// From the least to the greatest row that a bank was in, slice by slice; lines where another array begins.
fn rows(timeline: &Timeline, bank: usize, regions: &[Region], [low, high]: [u64; 2], mut own: Element) -> Element {
    let total: u64 = timeline.slices.iter().map(|slice| slice[0]).sum();
    let y = |row: u64| FULL as f64 * row.saturating_sub(low) as f64 / (high - low + 1) as f64;
    own.append(Rectangle::new().set("class", "strip").set("width", total).set("height", FULL));
    for at in regions.iter().map(|region| y(region.rows[0])).filter(|at| *at > 0.0 && *at < FULL as f64) {
        own.append(line("plane", format!("M0 {}H{total}", short(at))));
    }
    let mut found: Vec<[i64; 4]> = vec![];
    for (begin, (slice, told)) in starts(timeline).zip(both(timeline)).filter(|(_, (_, told))| is_used(told, bank)) {
        let (length, top) = (slice[0] as i64, y(told[4 * bank + 2]).floor() as i64);
        let tall = (y(told[4 * bank + 3] + 1).ceil() as i64 - top).max(1);
        match found.last_mut() {
            Some([x, y, wide, height]) if (*x + *wide, *y, *height) == (begin, top, tall) => *wide += length,
            _ => found.push([begin, top, length, tall]),
        }
    }
    own.append(rectangles("rows", found));
    own
}
