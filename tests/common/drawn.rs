//! Paths of a page, read back: rectangles and skylines, whose lines go along the axes.

use std::collections::BTreeSet;

use svg::node::element::path::{Command, Data, Position};

/// The corners of each subpath.
pub fn outlines(d: &str) -> Vec<Vec<[f64; 2]>> {
    let (mut found, mut at): (Vec<Vec<[f64; 2]>>, _) = (vec![], [0.0, 0.0]);
    for command in Data::parse(d).unwrap_or_else(|error| panic!("{error}: {d}")).iter() {
        let (axis, position, values) = match command {
            Command::Move(Position::Absolute, to) => {
                at = [to[0].into(), to[1].into()];
                found.push(vec![at]);
                continue;
            }
            Command::HorizontalLine(position, values) => (0, position, values),
            Command::VerticalLine(position, values) => (1, position, values),
            Command::Close => {
                at = found.last().unwrap()[0];
                continue;
            }
            other => panic!("{other:?} in {d}"),
        };
        let [value] = values[..] else { panic!("{values:?} in {d}") };
        at[axis] = f64::from(value) + if matches!(position, Position::Relative) { at[axis] } else { 0.0 };
        found.last_mut().unwrap().push(at);
    }
    found
}

/// What subpaths enclose, that of each counted by itself.
pub fn area(d: &str) -> f64 {
    let twice = |corners: &Vec<[f64; 2]>| -> f64 {
        let next = corners.iter().cycle().skip(1);
        corners.iter().zip(next).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum()
    };
    outlines(d).iter().map(|own| twice(own).abs() / 2.0).sum()
}

/// The squares `(row, column)` in rectangles, each of which is in one of them only.
pub fn squares(d: &str) -> BTreeSet<(i64, i64)> {
    let mut found = BTreeSet::new();
    for corners in outlines(d) {
        let range = |axis: usize| {
            let values = || corners.iter().map(|corner| corner[axis]);
            values().fold(f64::INFINITY, f64::min) as i64..values().fold(f64::NEG_INFINITY, f64::max) as i64
        };
        for square in range(1).flat_map(|row| range(0).map(move |column| (row, column))) {
            assert!(found.insert(square), "{square:?} twice in {d}");
        }
    }
    found
}
