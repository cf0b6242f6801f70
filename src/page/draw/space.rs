//! The tiles that are shown, as squares over the two indices of the tile space that change most. Tiles of other bands, or with other values of
//! the remaining indices, have pictures of their own, of which the script shows the one with the chosen tile.

use std::collections::{BTreeMap, BTreeSet};

use svg::Node as _;
use svg::node::element::Title;

use super::{picture, rectangle, short};
use crate::page::pictures::{Pictures, Tile};

/// The places of tiles that are in one picture.
type Places = Vec<usize>;

pub fn html(pictures: &Pictures) -> String {
    let mut html = String::new();
    for band in pictures.shown.iter().map(|tile| tile.band).collect::<BTreeSet<_>>() {
        let own: Places = (0..pictures.shown.len()).filter(|place| pictures.shown[*place].band == band).collect();
        let (axes, others) = axes(pictures, &own);
        let mut groups: BTreeMap<Vec<i64>, Places> = BTreeMap::new();
        for place in own {
            let index = &pictures.shown[place].index;
            groups.entry(others.iter().map(|k| index[*k]).collect()).or_default().push(place);
        }
        html.extend(groups.values().map(|places| group(pictures, places, axes)));
    }
    html
}

/// The indices across and down, where there are so many, and the others.
fn axes(pictures: &Pictures, places: &Places) -> ([Option<usize>; 2], Vec<usize>) {
    let depth = places.first().map_or(0, |place| pictures.shown[*place].index.len());
    let distinct = |k: usize| places.iter().map(|place| pictures.shown[*place].index[k]).collect::<BTreeSet<_>>().len();
    let mut order: Vec<usize> = (0..depth).collect();
    order.sort_by_key(|k| (std::cmp::Reverse(distinct(*k)), std::cmp::Reverse(*k)));
    let others = order.split_off(depth.min(2));
    order.sort_unstable_by_key(|k| std::cmp::Reverse(*k));
    ([order.first().copied(), order.get(1).copied()], others)
}

fn group(pictures: &Pictures, places: &Places, axes: [Option<usize>; 2]) -> String {
    let at = |place: usize, axis: Option<usize>| axis.map_or(0, |axis| pictures.shown[place].index[axis]);
    let range = |axis| {
        let values = || places.iter().map(|place| at(*place, axis));
        (values().min().unwrap_or(0), values().max().unwrap_or(0))
    };
    let ranges = axes.map(range);
    let [columns, lines] = ranges.map(|(low, high)| (high - low + 1) as f64);
    let step = 24f64.min(560.0 / columns).min(240.0 / lines).max(2.0);
    let gap = 2f64.min(step / 4.0);
    let size = [columns * step, lines * step];
    let mut svg = picture("tiles", size).set("width", short(size[0])).set("height", short(size[1]));
    for place in places {
        let [x, y] = [0, 1].map(|k| (at(*place, axes[k]) - ranges[k].0) as f64 * step + gap / 2.0);
        let class = if *place == 0 { "dot here" } else { "dot" };
        let dot = rectangle([x, y, step - gap, step - gap], class).set("data-dot", *place);
        svg.append(dot.add(Title::new(format!("T = {}", index(&pictures.shown[*place])))));
    }
    // A direction of one tile is none.
    let named = |k: usize, where_to: &str| {
        axes[k].filter(|_| ranges[k].1 > ranges[k].0).map(|axis| format!("T{axis} {where_to}"))
    };
    let names: Vec<String> = [named(0, "→"), named(1, "↓")].into_iter().flatten().collect();
    let hidden = if places.contains(&0) { "" } else { " hidden" };
    format!("<div{hidden}>{svg}<p class=\"legend\">{}</p></div>\n", names.join(", "))
}

/// `(1, 2)`
pub fn index(tile: &Tile) -> String {
    let index: Vec<String> = tile.index.iter().map(i64::to_string).collect();
    format!("({})", index.join(", "))
}
