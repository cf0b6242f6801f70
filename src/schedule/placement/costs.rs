//! What a placement is worth before anybody orders it (DTSE section 3.4): the cone of its dependences, their lengths, and
//! the lengths where readers of one value hand it on.

use super::graph::Graph;
use super::{Placement, distance};
use crate::affine::gcd;
use crate::schedule::linear::{difference, dot, primitive, rank, small_vectors};

/// The costs of a placement at given sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    /// The sum of the dependences' lengths, by Manhattan (section 3.4.2.1).
    pub locality: i64,
    /// The sum of minimum spanning trees over the writer and the readers of every value (section 3.4.3).
    pub reuse: i64,
    pub cone: Cone,
    /// Reads inside the node that writes the value, by a statement further down.
    pub inside: usize,
    /// The same by a statement further up, which no order allows.
    pub backwards: usize,
}

/// Where dependences point (section 3.4.1).
#[derive(Clone, Debug, PartialEq)]
pub struct Cone {
    /// All directions, each once, without common divisors.
    pub directions: Vec<Vec<i64>>,
    /// The dimension of their span.
    pub dimension: usize,
    /// In a plane: the angle between the extreme ones, in radians; more than π where no half plane has them all.
    pub angle: Option<f64>,
    /// The simplest ordering vector that leads along all of them: one of the allowed cone `{ x : x · d >= 0 }`, with no
    /// `x · d = 0`. There is none where the cone is empty, or needs coefficients beyond 3.
    pub ordering: Option<Vec<i64>>,
    /// Whether some order leads along all of them: along that vector, or along the axes, forwards or backwards, one after the
    /// other.
    pub orderable: bool,
}

/// The largest coefficient of an ordering vector.
const LARGEST: i64 = 3;

impl Costs {
    pub fn new(graph: &Graph, placement: &Placement) -> Self {
        let values = graph.values(placement);
        let (mut locality, mut reuse, mut inside, mut backwards) = (0, 0, 0, 0);
        let mut directions: Vec<Vec<i64>> = vec![];
        for value in &values {
            for (sink, place) in &value.readers {
                let vector = difference(place, &value.place);
                locality += vector.iter().map(|step| step.abs()).sum::<i64>();
                match vector.iter().all(|step| *step == 0) {
                    true if value.source < *sink => inside += 1,
                    true => backwards += 1,
                    false => directions.push(primitive(&vector)),
                }
            }
            let places: Vec<&Vec<i64>> =
                [&value.place].into_iter().chain(value.readers.iter().map(|(_, place)| place)).collect();
            reuse += spanning_tree(&places);
        }
        directions.sort_unstable();
        directions.dedup();
        Costs { locality, reuse, cone: Cone::new(directions, graph.dimensions), inside, backwards }
    }
}

impl Cone {
    pub fn new(directions: Vec<Vec<i64>>, n: usize) -> Self {
        let leads = |x: &&Vec<i64>| directions.iter().all(|direction| dot(x, direction) > 0);
        let simple = small_vectors(n, LARGEST);
        let ordering = simple.iter().filter(|x| x.iter().fold(0, |d, &e| gcd(d, e)) == 1).find(leads).cloned();
        let angle = (n == 2).then(|| angle(&directions));
        let orderable = ordering.is_some() || leads_along_axes(&directions.iter().collect::<Vec<_>>(), n);
        Cone { dimension: rank(&directions), angle, ordering, orderable, directions }
    }
}

/// Whether an order of axes is lexicographically positive on all of `directions`: some axis leads along none of them against
/// its sign, and along some; what it does not decide others must.
fn leads_along_axes(directions: &[&Vec<i64>], n: usize) -> bool {
    if directions.is_empty() {
        return true;
    }
    // Taking an axis that opposes nothing never spoils what others do.
    let axis = (0..n)
        .flat_map(|d| [(d, 1), (d, -1)])
        .find(|(d, sign)| directions.iter().all(|v| v[*d] * sign >= 0) && directions.iter().any(|v| v[*d] != 0));
    axis.is_some_and(|(d, _)| {
        let left: Vec<&Vec<i64>> = directions.iter().filter(|v| v[d] == 0).copied().collect();
        leads_along_axes(&left, n)
    })
}

/// What is left of the circle without the widest gap between neighbouring directions.
fn angle(directions: &[Vec<i64>]) -> f64 {
    let mut angles: Vec<f64> = directions.iter().map(|d| (d[1] as f64).atan2(d[0] as f64)).collect();
    angles.sort_by(f64::total_cmp);
    let whole = 2.0 * std::f64::consts::PI;
    let (Some(first), Some(last)) = (angles.first(), angles.last()) else { return 0.0 };
    let around = first + whole - last;
    whole - angles.windows(2).map(|pair| pair[1] - pair[0]).fold(around, f64::max)
}

/// The length of the shortest tree that joins `places`, by Manhattan (Prim's algorithm).
pub fn spanning_tree(places: &[&Vec<i64>]) -> i64 {
    let Some((first, rest)) = places.split_first() else { return 0 };
    let mut left: Vec<(i64, &Vec<i64>)> = rest.iter().map(|place| (distance(first, place), *place)).collect();
    let mut length = 0;
    while let Some(nearest) = (0..left.len()).min_by_key(|k| left[*k].0) {
        let (step, place) = left.swap_remove(nearest);
        length += step;
        left.iter_mut().for_each(|(known, other)| *known = distance(place, other).min(*known));
    }
    length
}
