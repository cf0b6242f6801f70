//! Iterations of one statement in planes of two iterators: a square for each, in the colour of when it starts.

use std::collections::BTreeMap;

use svg::Node as _;
use svg::node::element::{Path, SVG};

use super::{rectangles, short, subpath};
use crate::page::order::Order;

/// Colours from the first date to the last one, and steps of the slider over them.
pub const LEVELS: i64 = 64;

/// The colour of a date.
pub fn level(date: i64, dates: i64) -> i64 {
    date * LEVELS / dates.max(1)
}

/// The last date that has this level or a lower one.
pub fn last(level: i64, dates: i64) -> i64 {
    ((level + 1) * dates + LEVELS - 1) / LEVELS - 1
}

/// A row of iterations, the iterators less those of the tile's origin.
#[derive(Clone, Debug)]
pub struct Row {
    pub date: i64,
    pub trips: i64,
    pub begin: Vec<i64>,
    pub step: Vec<i64>,
}

/// The rows of a statement, by its place in the band.
pub fn rows(order: &Order, statement: usize) -> Vec<Row> {
    let own = order.drawn.iter().filter(|row| order.kinds[row[0] as usize].0 == statement);
    let row = |row: &Vec<i64>| {
        let step = order.kinds[row[0] as usize].1.clone();
        Row { date: row[1], trips: row[2], begin: row[3..].to_vec(), step }
    };
    own.map(row).collect()
}

/// Of each iterator, its least and its greatest value.
pub fn ranges(rows: &[Row], depth: usize) -> Vec<[i64; 2]> {
    let range = |k: usize| {
        let ends = rows.iter().flat_map(|row| [row.begin[k], row.begin[k] + row.step[k] * (row.trips - 1)]);
        ends.fold([i64::MAX, i64::MIN], |[low, high], end| [low.min(end), high.max(end)])
    };
    (0..depth).map(range).collect()
}

/// The iterators that change, those that change most often first: rows run along the first one.
pub fn changing(rows: &[Row], ranges: &[[i64; 2]]) -> Vec<usize> {
    let times = |k: usize| -> i64 {
        let along: i64 = rows.iter().filter(|row| row.step[k] != 0).map(|row| 2 * row.trips).sum();
        along + rows.windows(2).filter(|two| two[0].begin[k] != two[1].begin[k]).count() as i64
    };
    let mut found: Vec<usize> = (0..ranges.len()).filter(|k| ranges[*k][1] > ranges[*k][0]).collect();
    found.sort_by_key(|k| (std::cmp::Reverse(times(*k)), std::cmp::Reverse(*k)));
    found
}

/// What is looked at: the iterators across and down, where there are so many, and those that are the same in a plane.
pub struct View {
    pub axes: [Option<usize>; 2],
    pub fixed: Vec<usize>,
}

impl View {
    fn along(&self, row: &Row, axis: usize) -> i64 {
        self.axes[axis].map_or(0, |k| row.step[k])
    }

    /// Whether a row runs along an iterator that is the same in a plane: it is a square of each of its planes.
    fn is_across(&self, row: &Row) -> bool {
        self.fixed.iter().any(|k| row.step[*k] != 0)
    }

    /// Whether a row is one bar: it runs along an axis without gaps, or stays where it is.
    fn is_bar(&self, row: &Row) -> bool {
        matches!([self.along(row, 0), self.along(row, 1)], [0, -1..=1] | [-1 | 1, 0])
    }

    /// Squares that are drawn one by one.
    pub fn squares(&self, rows: &[Row]) -> i64 {
        rows.iter().filter(|row| self.is_across(row) || !self.is_bar(row)).map(|row| row.trips).sum()
    }

    /// Rows by the plane that they lie in: the values of the fixed iterators.
    pub fn planes(&self, rows: &[Row]) -> BTreeMap<Vec<i64>, Vec<Row>> {
        let mut found: BTreeMap<Vec<i64>, Vec<Row>> = BTreeMap::new();
        for row in rows {
            let trips = if self.is_across(row) { row.trips } else { 1 };
            for n in 0..trips {
                let begin: Vec<i64> = row.begin.iter().zip(&row.step).map(|(begin, step)| begin + n * step).collect();
                let plane = self.fixed.iter().map(|k| begin[*k]).collect();
                let own = Row { date: row.date + n, begin, trips: row.trips / trips, step: row.step.clone() };
                found.entry(plane).or_default().push(own);
            }
        }
        found
    }

    /// Iterations of a row from one to another, the last one excluded, as rectangles `[x, y, width, height]`.
    fn part(&self, row: &Row, from: i64, to: i64) -> Vec<[i64; 4]> {
        let at = |axis: usize, n: i64| self.axes[axis].map_or(0, |k| row.begin[k] + n * row.step[k]);
        if !self.is_bar(row) {
            return (from..to).map(|n| [at(0, n), at(1, n), 1, 1]).collect();
        }
        let [x, y] = [0, 1].map(|axis| at(axis, from).min(at(axis, to - 1)));
        let [wide, tall] = [0, 1].map(|axis| if self.along(row, axis) == 0 { 1 } else { to - from });
        vec![[x, y, wide, tall]]
    }

    /// The rectangles of some rows by their level.
    fn levels(&self, rows: &[Row], dates: i64) -> BTreeMap<i64, Vec<[i64; 4]>> {
        let mut found: BTreeMap<i64, Vec<[i64; 4]>> = BTreeMap::new();
        for row in rows {
            let mut from = 0;
            while from < row.trips {
                let level = level(row.date + from, dates);
                let to = (last(level, dates) + 1 - row.date).clamp(from + 1, row.trips);
                found.entry(level).or_default().extend(self.part(row, from, to));
                from = to;
            }
        }
        found
    }

    /// A plane, in pixels at most so wide: what is still to come below, above it a path per level.
    pub fn draw(&self, rows: &[Row], ranges: &[[i64; 2]], dates: i64, room: f64) -> SVG {
        let [x, y] = self.axes.map(|axis| axis.map_or([0, 0], |k| ranges[k]));
        let [columns, lines] = [x, y].map(|[low, high]| (high - low + 1) as f64);
        let cell = (150.0 / columns).min(150.0 / lines).clamp(2.5, 16.0);
        let [width, height] = [(columns * cell).max(16.0).min(room), (lines * cell).clamp(10.0, 320.0)];
        let mut svg = super::blank("iterations")
            .set("viewBox", (x[0], y[0], columns, lines))
            .set("width", short(width))
            .set("height", short(height))
            .set("preserveAspectRatio", "none");
        let levels = self.levels(rows, dates);
        svg.append(rectangles("to-come", joined(levels.values().flatten().copied().collect())));
        for (level, own) in levels {
            let d: String = joined(own).into_iter().map(subpath).collect();
            svg.append(Path::new().set("data-level", level).set("d", d));
        }
        svg
    }
}

/// The same squares in fewer rectangles: neighbours in a row, then neighbours below one another.
fn joined(mut all: Vec<[i64; 4]>) -> Vec<[i64; 4]> {
    for (along, other) in [(0, 1), (1, 0)] {
        all.sort_unstable_by_key(|own| (own[other], own[2 + other], own[along]));
        all.dedup_by(|next, own| {
            let is_next = own[other] == next[other] && own[2 + other] == next[2 + other];
            let is_next = is_next && own[along] + own[2 + along] == next[along];
            if is_next {
                own[2 + along] += next[2 + along];
            }
            is_next
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_joined() {
        let squares = |all: &[[i64; 4]]| all.iter().map(|own| own[2] * own[3]).sum::<i64>();
        let rows = vec![[0, 0, 2, 1], [2, 0, 2, 1], [0, 1, 4, 1], [7, 1, 1, 1]];
        let own = joined(rows.clone());
        assert_eq!((&own[..], squares(&own)), (&[[0, 0, 4, 2], [7, 1, 1, 1]][..], squares(&rows)));
    }

    #[test]
    fn every_date_has_a_level() {
        for dates in [1, 2, 63, 64, 65, 1000] {
            for date in 0..dates {
                let own = level(date, dates);
                assert!((0..LEVELS).contains(&own) && last(own, dates) >= date, "{date} of {dates}");
                assert!(own == 0 || last(own - 1, dates) < date, "{date} of {dates}");
            }
            assert_eq!(last(LEVELS - 1, dates), dates - 1);
        }
    }
}
