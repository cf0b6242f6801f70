//! Lattice allocation: the cells that share a place under σ differ by the points of an integer lattice, and σ is legal
//! where none of them but 0 is a difference of cells that live at the same time (Darte, Schreiber and Villard,
//! "Lattice-based memory allocation", Theorem 1).
//!
//! The lattices that are tried are `{ x : (S x)[k] = 0 mod m[k] }` with `S` unit lower triangular and successive moduli
//! in any order of the dimensions. Such a σ costs additions of a few bits, and the cells of a row in memory still lie one
//! after the other. Where what lives is oblique, they are smaller than successive modulo along the subscripts, which is
//! the case `S = 1` in the order of the subscripts.

use anyhow::Result;

use crate::affine::Affine;
use crate::offload::power_of_two;
use crate::polyhedral::isl::{Constraint, Set, Tuple};

/// σ(x) = (S x) mod moduli.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    /// The rows of S: coefficients of all subscripts.
    pub skew: Vec<Vec<i64>>,
    pub moduli: Vec<i64>,
}

impl Lattice {
    fn words(&self) -> i64 {
        self.moduli.iter().product()
    }

    /// Words with every modulus a power of two.
    fn rounded_words(&self) -> i64 {
        self.moduli.iter().map(|m| power_of_two(*m)).product()
    }
}

/// What is searched.
pub struct Search {
    /// Buffers up to this many words stay as they are.
    least_words: i64,
    /// Whether skews that follow the differences are tried, beside small ones.
    follows: bool,
}

impl Search {
    /// Buffers that tiles move: small ones take one block of RAM in any case.
    pub const OF_TILES: Search = Search { least_words: 256, follows: false };

    /// Those of the compute process alone. What one tile leaves for the next beside the row that is under way is oblique: of rows of 32 with 3
    /// cells left of each, `j - 3 i` takes 80 words where `(i, j)` takes 16 x 35.
    pub const INSIDE: Search = Search { least_words: 8, follows: true };
}

/// The largest skew that follows differences: addresses are multiplied by it.
const LARGEST_SKEW: i64 = 64;

/// The lattice of fewest words, rounded and then exact, that is smaller than successive modulo with `moduli` for the
/// same `differences`; `None` where no such is found.
pub fn smaller(differences: &Set, moduli: &[i64], search: &Search) -> Result<Option<Lattice>> {
    let rank = moduli.len();
    let plain = Lattice { skew: skew(rank, &[]), moduli: moduli.to_vec() };
    if !(2..=3).contains(&rank) || plain.rounded_words() <= search.least_words || has_corners(differences, moduli)? {
        return Ok(None);
    }
    let size = |lattice: &Lattice| (lattice.rounded_words(), lattice.words());
    let mut best = plain.clone();
    let mut skews = skews(rank);
    if search.follows && rank == 2 {
        skews.extend(following(differences)?.into_iter().map(|step| vec![(1, 0, step)]));
    }
    for entries in skews {
        let skew = skew(rank, &entries);
        // The order of the subscripts is successive modulo, whatever the entries.
        for order in orders(rank).into_iter().skip(1) {
            let Some(moduli) = successive(differences, &skew, &order)? else { continue };
            let found = Lattice { skew: skew.clone(), moduli };
            if size(&found) < size(&best) {
                best = found;
            }
        }
    }
    Ok((best != plain).then_some(best))
}

/// Whether the differences reach all corners of the box around them, which no lattice of fewer words than the box has
/// keeps apart.
fn has_corners(differences: &Set, moduli: &[i64]) -> Result<bool> {
    for signs in 0..1 << (moduli.len() - 1) {
        let mut corner = differences.clone();
        for (position, modulus) in moduli.iter().enumerate() {
            let sign = if signs >> position & 1 == 1 { -1 } else { 1 };
            corner = corner.fix(position, sign * (modulus - 1))?;
        }
        if corner.is_empty()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Skews of two dimensions beyond the small ones that lead past what lies one step further along the first dimension.
fn following(differences: &Set) -> Result<Vec<i64>> {
    let next = differences.fix(0, 1)?;
    let (least, most) = (next.minimum(1)?.finite(), next.maximum(1)?.finite());
    let steps = [most.map(|most| -(most + 1)), least.map(|least| 1 - least)];
    Ok(steps.into_iter().flatten().filter(|step| (4..=LARGEST_SKEW).contains(&step.abs())).collect())
}

/// The entries of S below the diagonal, each `(row, column, value)`, that are tried.
fn skews(rank: usize) -> Vec<Vec<(usize, usize, i64)>> {
    let mut all = vec![vec![]];
    let steps = if rank == 2 { &[1, -1, 2, -2, 3, -3][..] } else { &[1, -1] };
    for row in 1..rank {
        for column in 0..row {
            all.extend(steps.iter().map(|&step| vec![(row, column, step)]));
        }
    }
    if rank == 3 {
        let pairs = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
        all.extend(pairs.map(|(first, second)| vec![(2, 0, first), (2, 1, second)]));
    }
    all
}

fn skew(rank: usize, entries: &[(usize, usize, i64)]) -> Vec<Vec<i64>> {
    let mut rows: Vec<Vec<i64>> = (0..rank).map(|k| (0..rank).map(|l| i64::from(k == l)).collect()).collect();
    for &(row, column, value) in entries {
        rows[row][column] = value;
    }
    rows
}

/// All orders of up to three dimensions.
fn orders(rank: usize) -> Vec<Vec<usize>> {
    match rank {
        2 => vec![vec![0, 1], vec![1, 0]],
        _ => [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map(Vec::from).to_vec(),
    }
}

/// Successive moduli of the rows of S, in an order of theirs.
fn successive(differences: &Set, skew: &[Vec<i64>], order: &[usize]) -> Result<Option<Vec<i64>>> {
    let names = names(skew.len());
    let row = |k: usize| row(&names, &skew[k]);
    let in_order = super::successive(
        differences.without_tuple_name()?,
        order.iter().copied(),
        |rest, k| rest.largest(&names, &row(k)),
        |rest, k| rest.intersect(&rest.context().set(&[], Tuple::unnamed(&names), &[Constraint::Zero(row(k))])?),
    )?;
    let Some(in_order) = in_order else { return Ok(None) };
    let mut moduli = vec![1; skew.len()];
    order.iter().zip(in_order).for_each(|(&k, modulus)| moduli[k] = modulus);
    Ok(Some(moduli))
}

fn names(rank: usize) -> Vec<String> {
    (0..rank).map(|k| format!("x{k}")).collect()
}

fn row(names: &[String], coefficients: &[i64]) -> Affine {
    let terms = names.iter().zip(coefficients).filter(|(_, c)| **c != 0);
    terms.map(|(name, &c)| Affine::variable(name) * c).fold(Affine::default(), |sum, term| sum + term)
}

/// `S differences`: where they lie under S.
pub fn skewed(differences: &Set, skew: &[Vec<i64>]) -> Result<Set> {
    let names = names(skew.len());
    let rows: Vec<Affine> = skew.iter().map(|coefficients| row(&names, coefficients)).collect();
    let map = differences.context().function(&[], Tuple::unnamed(&names), Tuple::anonymous(), &rows)?;
    differences.without_tuple_name()?.apply(&map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polyhedral::isl::Context;

    /// Every difference but 0 lies outside the lattice, by enumeration.
    fn keeps_apart(skew: &[Vec<i64>], moduli: &[i64], lives: impl Fn(&[i64]) -> bool, reach: i64) -> bool {
        let points = (-reach..=reach).flat_map(|x| (-reach..=reach).map(move |y| [x, y]));
        points.filter(|point| *point != [0, 0] && lives(point)).all(|point| {
            let row = |k: usize| -> i64 { skew[k].iter().zip(point).map(|(c, x)| c * x).sum() };
            (0..2).any(|k| row(k).rem_euclid(moduli[k]) != 0)
        })
    }

    #[test]
    fn an_oblique_window_takes_half_the_words() {
        let isl = Context::new().unwrap();
        type Contains = fn(&[i64]) -> bool;
        let cases: [(&str, Contains); 2] = [
            ("{ a[i, j] : -31 <= i + j <= 31 and -31 <= j <= 31 }", |p| (p[0] + p[1]).abs() <= 31 && p[1].abs() <= 31),
            ("{ a[i, j] : -31 <= i - j <= 31 and -31 <= i + j <= 31 }", |p| {
                (p[0] - p[1]).abs() <= 31 && (p[0] + p[1]).abs() <= 31
            }),
        ];
        for (text, lives) in cases {
            let differences = isl.parse_set(text).unwrap();
            let successive = crate::buffer::successive_moduli(&differences).unwrap().unwrap();
            let found = smaller(&differences, &successive, &Search::OF_TILES).unwrap().expect("a smaller lattice");
            assert!(10 * found.words() <= 6 * successive.iter().product::<i64>(), "{text}: {found:?}");
            assert!(keeps_apart(&found.skew, &found.moduli, lives, 70), "{text}: {found:?}");
            let rounded: Vec<i64> = found.moduli.iter().map(|m| (*m as u64).next_power_of_two() as i64).collect();
            assert!(keeps_apart(&found.skew, &rounded, lives, 70), "{text}: {found:?}");
            let image = skewed(&differences, &found.skew).unwrap();
            assert!(crate::buffer::is_legal(&image, &found.moduli).unwrap());
        }
    }

    /// Eight rows of 32 with 6 cells left of each, which only a skew beyond the small ones keeps apart in 80 words.
    #[test]
    fn what_a_row_leaves_is_followed() {
        let isl = Context::new().unwrap();
        let text = "{ a[i, j] : -37 <= j <= 37 and i = 0; a[i, j] : 1 <= i <= 7 and -37 <= j <= 5; \
                    a[i, j] : -7 <= i <= -1 and -5 <= j <= 37 }";
        let lives = |p: &[i64]| match p[0] {
            0 => p[1].abs() <= 37,
            1..=7 => (-37..=5).contains(&p[1]),
            -7..=-1 => (-5..=37).contains(&p[1]),
            _ => false,
        };
        let differences = isl.parse_set(text).unwrap();
        let found = smaller(&differences, &[8, 38], &Search::INSIDE).unwrap().expect("a smaller lattice");
        assert_eq!((found.skew.clone(), found.words()), (vec![vec![1, 0], vec![-6, 1]], 80));
        assert!(keeps_apart(&found.skew, &found.moduli, lives, 90), "{found:?}");
    }

    #[test]
    fn a_box_stays_as_it_is() {
        let isl = Context::new().unwrap();
        let differences = isl.parse_set("{ a[i, j] : -31 <= i <= 31 and -63 <= j <= 63 }").unwrap();
        assert_eq!(smaller(&differences, &[32, 64], &Search::OF_TILES).unwrap(), None);
    }
}
