//! Small integer matrices, as rows.

use crate::affine::gcd;

pub type Matrix = Vec<Vec<i64>>;

pub fn identity(n: usize) -> Matrix {
    (0..n).map(|row| (0..n).map(|column| i64::from(row == column)).collect()).collect()
}

pub fn apply(matrix: &Matrix, vector: &[i64]) -> Vec<i64> {
    matrix.iter().map(|row| dot(row, vector)).collect()
}

pub fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    a.iter()
        .map(|row| (0..b[0].len()).map(|c| row.iter().zip(b).map(|(x, other)| x * other[c]).sum()).collect())
        .collect()
}

pub fn dot(a: &[i64], b: &[i64]) -> i64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn difference(a: &[i64], b: &[i64]) -> Vec<i64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// Without the common divisor of its entries; 0 stays.
pub fn primitive(vector: &[i64]) -> Vec<i64> {
    let divisor = vector.iter().fold(0, |divisor, &entry| gcd(divisor, entry)).max(1);
    vector.iter().map(|entry| entry / divisor).collect()
}

/// Vectors that no combination of the ones before them gives, in the order of `vectors`: a basis of their span.
pub fn independent<'a>(vectors: impl IntoIterator<Item = &'a Vec<i64>>) -> Vec<Vec<i64>> {
    let mut basis = vec![];
    // The same with every pivot alone in its column.
    let mut reduced: Vec<(usize, Vec<i64>)> = vec![];
    for vector in vectors {
        let mut rest = vector.clone();
        for (pivot, row) in &reduced {
            if rest[*pivot] != 0 {
                let (own, other) = (row[*pivot], rest[*pivot]);
                rest = primitive(&rest.iter().zip(row).map(|(a, b)| a * own - b * other).collect::<Vec<_>>());
            }
        }
        if let Some(pivot) = rest.iter().position(|entry| *entry != 0) {
            basis.push(vector.clone());
            reduced.push((pivot, rest));
        }
    }
    basis
}

/// The dimension of the span.
pub fn rank<'a>(vectors: impl IntoIterator<Item = &'a Vec<i64>>) -> usize {
    independent(vectors).len()
}

/// By the first row's minors.
pub fn determinant(matrix: &Matrix) -> i64 {
    let Some((first, rest)) = matrix.split_first() else { return 1 };
    let terms = first.iter().enumerate().filter(|(_, entry)| **entry != 0);
    terms.map(|(column, entry)| sign(column) * entry * determinant(&without_column(rest, column))).sum()
}

fn sign(place: usize) -> i64 {
    if place.is_multiple_of(2) { 1 } else { -1 }
}

fn without_column(rows: &[Vec<i64>], column: usize) -> Matrix {
    rows.iter().map(|row| [&row[..column], &row[column + 1..]].concat()).collect()
}

/// The integer matrix that takes each of `columns`, a basis, to the image in its place; `None` where it is not integral.
pub fn with_images(columns: &[Vec<i64>], images: &[Vec<i64>]) -> Option<Matrix> {
    let n = columns.len();
    let basis: Matrix = (0..n).map(|row| columns.iter().map(|column| column[row]).collect()).collect();
    let determinant_of_basis = determinant(&basis);
    if determinant_of_basis == 0 {
        return None;
    }
    let cofactor = |row: usize, column: usize| {
        let rows: Matrix = basis.iter().enumerate().filter(|(r, _)| *r != row).map(|(_, r)| r.clone()).collect();
        sign(row + column) * determinant(&without_column(&rows, column))
    };
    let adjugate: Matrix = (0..n).map(|row| (0..n).map(|column| cofactor(column, row)).collect()).collect();
    let images: Matrix = (0..n).map(|row| images.iter().map(|image| image[row]).collect()).collect();
    let scaled = multiply(&images, &adjugate);
    let is_whole = scaled.iter().flatten().all(|entry| entry % determinant_of_basis == 0);
    is_whole.then(|| scaled.iter().map(|row| row.iter().map(|entry| entry / determinant_of_basis).collect()).collect())
}

/// All vectors of `n` entries from `-most` to `most` but 0, those with few and small entries first.
pub fn small_vectors(n: usize, most: i64) -> Vec<Vec<i64>> {
    let mut found = vec![vec![]];
    for _ in 0..n {
        let longer = |vector: Vec<i64>| (-most..=most).map(move |entry| [vector.clone(), vec![entry]].concat());
        found = found.into_iter().flat_map(longer).collect();
    }
    found.retain(|vector| vector.iter().any(|entry| *entry != 0));
    found.sort_by_key(|vector| {
        let size: i64 = vector.iter().map(|entry| entry.abs()).sum();
        (size, vector.iter().filter(|entry| **entry < 0).count(), vector.iter().map(|entry| -entry).collect::<Vec<_>>())
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_known_by_the_images_of_a_basis() {
        let columns = [vec![1, 1], vec![0, 1]];
        let map = with_images(&columns, &[vec![3, 4], vec![1, 1]]).unwrap();
        assert_eq!(map, [[2, 1], [3, 1]]);
        assert_eq!(apply(&map, &columns[0]), [3, 4]);
        assert_eq!(with_images(&[vec![2, 0], vec![0, 1]], &[vec![1, 0], vec![0, 1]]), None);
        assert_eq!(with_images(&[vec![1, 2], vec![2, 4]], &[vec![1, 0], vec![0, 1]]), None);
    }

    /// Section 3.5.5.2: "about 22000 non-singular 4x4 matrices with coefficients 0 or 1"; the others are counted.
    #[test]
    fn nonsingular_matrices_are_those_of_the_chapter() {
        let count = |n: usize, entries: &[i64]| {
            let mut rows = vec![vec![]];
            for _ in 0..n {
                let longer = |row: Vec<i64>| entries.iter().map(move |entry| [row.clone(), vec![*entry]].concat());
                rows = rows.into_iter().flat_map(longer).collect::<Vec<_>>();
            }
            let mut matrices: Vec<Matrix> = vec![vec![]];
            for _ in 0..n {
                let longer = |matrix: Matrix| rows.iter().map(move |row| [matrix.clone(), vec![row.clone()]].concat());
                matrices = matrices.into_iter().flat_map(longer).collect();
            }
            let determinants: Vec<i64> = matrices.iter().map(determinant).collect();
            let unimodular = determinants.iter().filter(|d| d.abs() == 1).count();
            let ranks = matrices.iter().zip(&determinants).all(|(matrix, d)| (rank(matrix) == n) == (*d != 0));
            assert!(ranks);
            (determinants.iter().filter(|d| **d != 0).count(), unimodular)
        };
        assert_eq!(count(2, &[0, 1]), (6, 6));
        assert_eq!(count(3, &[0, 1]).0, 174);
        assert_eq!(count(4, &[0, 1]).0, 22_560);
        assert_eq!(count(2, &[-1, 0, 1]), (48, 40));
        assert_eq!(count(3, &[-1, 0, 1]).0, 11_808);
    }
}
