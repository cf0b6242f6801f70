//! Orders that are no permutation of the loops. The bounds of DTSE chapter 4 hold over permutations only: along a
//! dependence's vector a skewed order may consume a value before another one is produced.

use super::Dependence;
use super::walk::{Value, peak};
use crate::affine::gcd;
use crate::schedule::linear::{Matrix, determinant, dot};

/// A dimension of an order: a row of a unimodular matrix over the common space, or its residue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub coefficients: Vec<i64>,
    /// The row's value modulo this, where it is not 1.
    pub modulus: i64,
}

impl Row {
    fn at(&self, place: &[i64]) -> i64 {
        let value = dot(&self.coefficients, place);
        if self.modulus > 1 { value.rem_euclid(self.modulus) } else { value }
    }

    /// `2i - j`, `j mod 2`
    pub fn text(&self, names: &[String]) -> String {
        let mut text = String::new();
        for (coefficient, name) in self.coefficients.iter().zip(names).filter(|(coefficient, _)| **coefficient != 0) {
            let sign = match (text.is_empty(), *coefficient < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let factor = if coefficient.abs() > 1 { coefficient.abs().to_string() } else { String::new() };
            text += &format!("{sign}{factor}{name}");
        }
        match self.modulus > 1 {
            true if text.contains(' ') => format!("({text}) mod {}", self.modulus),
            true => format!("{text} mod {}", self.modulus),
            false => text,
        }
    }
}

/// Dimensions up to which skewed orders are looked for.
const DEEPEST: usize = 4;
/// Orders that are walked for one dependence.
const TRIED: usize = 400;

/// The simplest order in which fewer words of `dependence` than `least` are alive, and how many. What a value travels is
/// constant, `vector`: so dimensions along which it does not move stand outermost, and innermost is the one along which
/// it moves one step after the other, all of a residue in a row where steps are longer. `own` are the dependence's values,
/// `all` those of the program: no one may be read before it is written.
pub fn beating(
    dependence: &Dependence,
    vector: &[i64],
    least: i64,
    own: &[Value],
    all: &[Value],
) -> Option<(Vec<Row>, i64)> {
    let n = vector.len();
    let step = vector.iter().fold(0, |divisor, &v| gcd(divisor, v));
    if step == 0 || least <= 1 || n > DEEPEST || own.is_empty() || dependence.vector().is_none() {
        return None;
    }
    let rows = small_rows(n);
    let (still, moving): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| dot(row, vector) == 0);
    let mut outer: Vec<Matrix> = vec![vec![]];
    for _ in 1..n {
        let longer = |some: Matrix| {
            let free: Vec<Vec<i64>> = still.iter().filter(|row| !some.contains(row)).cloned().collect();
            free.into_iter().map(move |row| [some.clone(), vec![row]].concat())
        };
        outer = outer.into_iter().flat_map(longer).collect();
    }
    let mut matrices: Vec<Matrix> = vec![];
    for row in moving.iter().filter(|row| dot(row, vector) == step) {
        let whole = outer.iter().map(|some| [some.clone(), vec![row.clone()]].concat());
        matrices.extend(whole.filter(|matrix| determinant(matrix).abs() == 1));
    }
    // Few and small coefficients, no row that begins with a negative one, and the simplest rows outermost.
    let weight = |row: &Vec<i64>| {
        let is_negative = row.iter().find(|c| **c != 0).is_some_and(|c| *c < 0);
        row.iter().map(|c| 2 * c.abs()).sum::<i64>() + 3 * i64::from(is_negative)
    };
    matrices.sort_by_key(|matrix| {
        let weights: Vec<i64> = matrix.iter().map(weight).collect();
        (weights.iter().sum::<i64>(), weights)
    });
    for matrix in matrices.into_iter().take(TRIED) {
        let mut rows: Vec<Row> = matrix.into_iter().map(|coefficients| Row { coefficients, modulus: 1 }).collect();
        if step > 1 {
            let last = rows[n - 1].clone();
            rows.insert(n - 1, Row { modulus: step, ..last });
        }
        let date = |place: &[i64]| rows.iter().map(|row| row.at(place)).collect::<Vec<_>>();
        if let (Some(_), Some(peak)) = (peak(all.iter(), date), peak(own.iter(), date))
            && peak.in_place < least
        {
            return Some((rows, peak.in_place));
        }
    }
    None
}

/// Rows with at most two coefficients other than 0, each at most 2, that have no divisor in common.
fn small_rows(n: usize) -> Vec<Vec<i64>> {
    let mut rows = vec![];
    for a in 0..n {
        for first in [1, -1] {
            rows.push((0..n).map(|d| if d == a { first } else { 0 }).collect());
        }
        for b in a + 1..n {
            for first in [-2, -1, 1, 2] {
                for second in [-2, -1, 1, 2] {
                    if gcd(first, second) == 1 {
                        let value = |d: usize| {
                            if d == a {
                                first
                            } else if d == b {
                                second
                            } else {
                                0
                            }
                        };
                        rows.push((0..n).map(value).collect());
                    }
                }
            }
        }
    }
    rows
}
