//! Lattices of whole vectors, by which footprints move from tile to tile.

/// All whole combinations of some vectors, in cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice {
    /// In echelon form: the pivot of a row, its first entry that is not 0, is positive, stands behind that of the row before, and
    /// is larger than what rows before it have in its column, which is at least 0. Equal lattices have equal rows.
    rows: Vec<Vec<i64>>,
}

impl Lattice {
    /// That of `generators`, all of one length, by Euclid's algorithm on rows (Hermite's normal form).
    pub fn new(generators: &[Vec<i64>]) -> Lattice {
        let width = generators.first().map_or(0, Vec::len);
        let mut rest = generators.to_vec();
        let mut rows: Vec<Vec<i64>> = vec![];
        for column in 0..width {
            while let Some(least) =
                (0..rest.len()).filter(|k| rest[*k][column] != 0).min_by_key(|k| rest[*k][column].abs())
            {
                let pivot = rest.swap_remove(least);
                rest.iter_mut().for_each(|row| reduce(row, column, &pivot));
                if rest.iter().all(|row| row[column] == 0) {
                    let sign = pivot[column].signum();
                    let pivot: Vec<i64> = pivot.into_iter().map(|entry| entry * sign).collect();
                    rows.iter_mut().for_each(|row| reduce(row, column, &pivot));
                    rows.push(pivot);
                    break;
                }
                rest.push(pivot);
            }
        }
        Lattice { rows }
    }

    /// A basis.
    pub fn rows(&self) -> &[Vec<i64>] {
        &self.rows
    }

    /// The vector of the lattice that takes `point` to the one place that stands for it and all points a vector apart.
    pub fn part(&self, point: &[i64]) -> Vec<i64> {
        let mut rest = point.to_vec();
        for (row, column) in self.rows.iter().map(|row| (row, pivot(row))) {
            reduce(&mut rest, column, row);
        }
        point.iter().zip(rest).map(|(whole, rest)| whole - rest).collect()
    }

    /// The vectors with `low[k] <= v[k] <= high[k]`, in lexicographic order; `None` where those are more than `most`.
    pub fn within(&self, low: &[i64], high: &[i64], most: usize) -> Option<Vec<Vec<i64>>> {
        let mut found = vec![vec![0; low.len()]];
        for (row, column) in self.rows.iter().map(|row| (row, pivot(row))) {
            let mut next = vec![];
            for vector in &found {
                // No later row has an entry here.
                let first = (low[column] - vector[column]).div_euclid(row[column])
                    + i64::from((low[column] - vector[column]).rem_euclid(row[column]) != 0);
                let last = (high[column] - vector[column]).div_euclid(row[column]);
                if usize::try_from(last - first).is_ok_and(|more| more + next.len() > most) {
                    return None;
                }
                next.extend((first..=last).map(|times| {
                    let mut further = vector.clone();
                    add(&mut further, times, row);
                    further
                }));
            }
            found = next;
        }
        found.retain(|vector| vector.iter().zip(low).zip(high).all(|((v, low), high)| (low..=high).contains(&v)));
        found.sort_unstable();
        Some(found)
    }
}

/// The column of the first entry that is not 0.
fn pivot(row: &[i64]) -> usize {
    row.iter().position(|entry| *entry != 0).expect("rows of a lattice are not 0")
}

fn add(row: &mut [i64], times: i64, other: &[i64]) {
    row.iter_mut().zip(other).for_each(|(entry, other)| *entry += times * other);
}

/// Takes `pivot` from `row` until what is left in the column is at least 0 and smaller than the pivot's entry.
fn reduce(row: &mut [i64], column: usize, pivot: &[i64]) {
    add(row, -row[column].div_euclid(pivot[column]), pivot);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every combination of few of the generators, by enumeration.
    fn combinations(generators: &[Vec<i64>], times: i64) -> BTreeSet<Vec<i64>> {
        generators.iter().fold(BTreeSet::from([vec![0; generators[0].len()]]), |found, generator| {
            let of = |vector: &Vec<i64>| {
                let vector = vector.clone();
                (-times..=times).map(move |t| vector.iter().zip(generator).map(|(v, g)| v + t * g).collect())
            };
            found.iter().flat_map(of).collect()
        })
    }

    #[test]
    fn vectors_are_those_that_combinations_give() {
        let cases = [
            vec![vec![3, 3], vec![-3, 3]],
            vec![vec![3], vec![-3]],
            vec![vec![4, 6], vec![6, 4], vec![10, 10]],
            vec![vec![32, 0, 0], vec![0, 0, 16]],
            vec![vec![2, 1, 0], vec![0, 3, 1], vec![1, 1, 1]],
        ];
        for generators in cases {
            let lattice = Lattice::new(&generators);
            let width = generators[0].len();
            let (low, high) = (vec![-7; width], vec![6; width]);
            let inside = |v: &Vec<i64>| v.iter().all(|entry| (-7..=6).contains(entry));
            let expected: Vec<Vec<i64>> = combinations(&generators, 24).into_iter().filter(inside).collect();
            assert_eq!(lattice.within(&low, &high, 10_000).unwrap(), expected, "{generators:?}");
            assert_eq!(lattice.within(&low, &high, 1).is_none(), expected.len() > 2, "{generators:?}");
            // Points apart by a vector, and only those, have the same place.
            let place =
                |point: &[i64]| -> Vec<i64> { point.iter().zip(lattice.part(point)).map(|(p, v)| p - v).collect() };
            let origin = place(&vec![1; width]);
            for point in combinations(
                &(0..width).map(|k| (0..width).map(|l| i64::from(k == l)).collect()).collect::<Vec<_>>(),
                6,
            ) {
                let apart: Vec<i64> = point.iter().map(|entry| entry - 1).collect();
                let is_apart = expected.contains(&apart);
                assert_eq!(place(&point) == origin, is_apart, "{generators:?} {point:?}");
            }
        }
    }
}
