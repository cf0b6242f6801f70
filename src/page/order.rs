//! The order of a tile's iterations: rows, which are what the hardware runs without a gap, and their dates.

use std::collections::BTreeMap;

use crate::ids::StatementId;

/// Rows of a tile that are drawn at about, more than eyes tell apart: a lane's row is one of its own.
const DRAWN: usize = 2048;

/// Rows of a tile in the order of their dates.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Starts of the whole tile.
    pub dates: u64,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    statement: StatementId,
    date: u64,
    trips: i64,
    begin: Vec<i64>,
    step: Vec<i64>,
}

/// The iterations of tiles that are alike but for where they begin.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order {
    /// Starts: a date is the number of those before it, and lanes that run together have one.
    pub dates: u64,
    /// Rows of iterations, lanes that start together in one, of which each `every`-th is in `drawn`.
    pub rows: usize,
    pub every: usize,
    /// What rows are of: the place of their statement in the band, and what each of its iterators gains from one iteration to the
    /// next.
    pub kinds: Vec<(usize, Vec<i64>)>,
    /// Rows, lane by lane, as `[kind, date, iterations, iterators of the first …]`, the iterators less those of the tile's [`Origins`].
    pub drawn: Vec<Vec<i64>>,
}

/// Per statement of the band, the iterators of its first instance in a tile; none where it has no instance there.
pub type Origins = Vec<Vec<i64>>;

impl Rows {
    /// A row behind those that are there.
    pub fn add(&mut self, statement: StatementId, date: u64, trips: i64, begin: &[i64], step: &[i64]) {
        self.rows.push(Row { statement, date, trips, begin: begin.to_vec(), step: step.to_vec() });
    }

    /// Of a tile of a band with these statements: its shape, and where it begins.
    pub fn told(&self, statements: &[StatementId]) -> (Order, Origins) {
        let mut origins: Origins = vec![vec![]; statements.len()];
        let mut kinds: BTreeMap<(usize, &[i64]), usize> = BTreeMap::new();
        let every = self.rows.len().div_ceil(DRAWN).max(1);
        let (mut drawn, mut rows, mut before) = (vec![], 0, None);
        for row in &self.rows {
            let Some(place) = statements.iter().position(|own| *own == row.statement) else { continue };
            if origins[place].is_empty() {
                origins[place] = row.begin.clone();
            }
            let start = Some((place, row.date));
            rows += usize::from(before != start);
            before = start;
            if (rows - 1) % every == 0 {
                let count = kinds.len();
                let kind = *kinds.entry((place, &row.step)).or_insert(count);
                let begin = row.begin.iter().zip(&origins[place]).map(|(own, origin)| own - origin);
                drawn.push([kind as i64, row.date as i64, row.trips].into_iter().chain(begin).collect());
            }
        }
        let mut numbered: Vec<_> =
            kinds.into_iter().map(|((place, step), kind)| (kind, (place, step.to_vec()))).collect();
        numbered.sort_unstable();
        let kinds = numbered.into_iter().map(|(_, kind)| kind).collect();
        (Order { dates: self.dates, rows, every, kinds, drawn }, origins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_that_are_alike_have_one_shape() {
        let tile = |i: i64| {
            let mut rows = Rows { dates: 8, ..Rows::default() };
            for k in 0..2 {
                rows.add(StatementId(3), 4 * k as u64, 2, &[i, k], &[1, 0]);
                rows.add(StatementId(5), 4 * k as u64 + 2, 2, &[i + 7], &[1]);
            }
            rows.told(&[StatementId(3), StatementId(5), StatementId(8)])
        };
        let ((one, at), (other, at_other)) = (tile(10), tile(20));
        assert_eq!(one, other);
        assert_eq!(at, [vec![10, 0], vec![17], vec![]]);
        assert_eq!(at_other, [vec![20, 0], vec![27], vec![]]);
        assert_eq!(one.kinds, [(0, vec![1, 0]), (1, vec![1])]);
        assert_eq!(one.drawn, [vec![0, 0, 2, 0, 0], vec![1, 2, 2, 0], vec![0, 4, 2, 0, 1], vec![1, 6, 2, 0]]);
    }

    #[test]
    fn more_rows_than_eyes_tell_apart_are_thinned_out() {
        let mut rows = Rows { dates: 5000, ..Rows::default() };
        // Two lanes each.
        for (k, lane) in (0..2500).flat_map(|k| [(k, 0), (k, 1)]) {
            rows.add(StatementId(0), 2 * k as u64, 2, &[k, lane], &[0, 2]);
        }
        let (order, _) = rows.told(&[StatementId(0)]);
        assert_eq!((order.dates, order.rows, order.every, order.drawn.len()), (5000, 2500, 3, 1668));
        assert_eq!(order.drawn[1666..], [[0, 4998, 2, 2499, 0], [0, 4998, 2, 2499, 1]]);
    }
}
