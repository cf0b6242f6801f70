//! How many values of one dependence are alive at once under an order of the dimensions (DTSE section 4.3).

/// A dependence over a box: its part (DTSE section 4.3.2.1) made orthogonal, and how far its values travel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// `|DP_d|` per dimension of the common space, in iterations; at least 1.
    pub lengths: Vec<i64>,
    /// From the producing to the consuming node, per dimension.
    pub vector: Vec<i64>,
    /// Whether the producer stands before the consumer at one node. Otherwise a value may take the word of one that is
    /// read for the last time.
    pub producer_first: bool,
}

impl Shape {
    /// Values alive at once where the dimensions are walked in `order`, the outermost first, which must lead from producers
    /// to consumers: `Σ_g δ_g · Π_{h after g} L_h + 1`, but from the first `g` with `δ_g >= L_g` on, the sum ends with
    /// `Π_{h from g on} L_h`: everything that is produced there is alive. At the first `g` with `δ_g < 0` it ends with
    /// nothing: the node `x` with `x_g = 0` is consumed by a node outside of the part, behind all that was counted. The 1
    /// is the value that the consuming node itself has produced before.
    pub fn live(&self, order: &[usize]) -> i64 {
        let mut sum: i64 = 0;
        for (place, &g) in order.iter().enumerate() {
            let behind = |from: usize| product(order[from..].iter().map(|&h| self.lengths[h]));
            match self.vector[g] {
                step if step >= self.lengths[g] => return sum.saturating_add(behind(place)),
                step if step < 0 => return sum,
                step => sum = sum.saturating_add(step.saturating_mul(behind(place + 1))),
            }
        }
        sum.saturating_add(i64::from(self.producer_first))
    }

    /// An order of `free` dimensions, where no step is negative, in which the fewest values are alive (DTSE section 4.4's
    /// principle): outermost what has the smallest `δ_g / (L_g - 1)`.
    pub fn best(&self, free: &[usize]) -> Vec<usize> {
        let mut order = free.to_vec();
        // a / b < c / d where all are at least 0, and x / 0 is beyond everything but 0 / 0, which is 0.
        let ratio = |g: usize| match (self.vector[g], self.lengths[g] - 1) {
            (0, _) => (0, 1),
            (step, 0) => (step, 0),
            ratio => ratio,
        };
        order.sort_by(|&a, &b| {
            let ((a, b), (c, d)) = (ratio(a), ratio(b));
            (i128::from(a) * i128::from(d)).cmp(&(i128::from(c) * i128::from(b)))
        });
        order
    }
}

/// The product, or the largest number where that has no room.
pub fn product(factors: impl Iterator<Item = i64>) -> i64 {
    factors.fold(1, i64::saturating_mul)
}

/// All orders of `n` dimensions that begin with `outer` and end with `inner`, in lexicographic order of the rest.
pub fn orders(n: usize, outer: &[usize], inner: &[usize]) -> Vec<Vec<usize>> {
    let free: Vec<usize> = (0..n).filter(|d| !outer.contains(d) && !inner.contains(d)).collect();
    let mut found = vec![outer.to_vec()];
    for _ in &free {
        let longer = |order: Vec<usize>| {
            let left: Vec<usize> = free.iter().copied().filter(|d| !order.contains(d)).collect();
            left.into_iter().map(move |d| [order.clone(), vec![d]].concat())
        };
        found = found.into_iter().flat_map(longer).collect();
    }
    found.into_iter().map(|order| [order, inner.to_vec()].concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::storage::tests::Random;

    /// Alive at the consumption of some node: what is produced from the consumed node on, up to the consuming one.
    fn counted(shape: &Shape, order: &[usize]) -> i64 {
        let mut points = vec![vec![]];
        for &d in order {
            let along = |point: Vec<i64>| (0..shape.lengths[d]).map(move |x| [point.clone(), vec![x]].concat());
            points = points.into_iter().flat_map(along).collect();
        }
        let vector: Vec<i64> = order.iter().map(|&d| shape.vector[d]).collect();
        let alive = |x: &Vec<i64>| {
            let end: Vec<i64> = x.iter().zip(&vector).map(|(x, step)| x + step).collect();
            points.iter().filter(|z| *z >= x && (**z < end || (shape.producer_first && **z == end))).count() as i64
        };
        points.iter().map(alive).max().unwrap_or(0)
    }

    fn is_legal(shape: &Shape, order: &[usize]) -> bool {
        match order.iter().map(|&d| shape.vector[d]).find(|step| *step != 0) {
            Some(step) => step > 0,
            None => shape.producer_first,
        }
    }

    fn random(random: &mut Random, least: i64) -> Shape {
        let n = random.between(1, 4) as usize;
        let lengths: Vec<i64> = (0..n).map(|_| random.between(1, 5)).collect();
        let vector = (0..n).map(|_| random.between(least, 6)).collect();
        Shape { lengths, vector, producer_first: random.between(0, 1) == 1 }
    }

    #[test]
    fn the_formula_is_what_enumeration_counts() {
        let mut source = Random::new(1);
        let mut compared = 0;
        for case in 0..4000 {
            // Half of them may go backwards in dimensions further in.
            let shape = random(&mut source, if case % 2 == 0 { 0 } else { -4 });
            for order in orders(shape.lengths.len(), &[], &[]) {
                if is_legal(&shape, &order) {
                    assert_eq!(shape.live(&order), counted(&shape, &order), "{shape:?} {order:?}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }

    #[test]
    fn the_principle_finds_the_fewest() {
        let mut source = Random::new(2);
        for _ in 0..4000 {
            let shape = random(&mut source, 0);
            let all = orders(shape.lengths.len(), &[], &[]);
            let free: Vec<usize> = (0..shape.lengths.len()).collect();
            let fewest = all.iter().filter(|order| is_legal(&shape, order)).map(|order| counted(&shape, order)).min();
            if let Some(fewest) = fewest {
                assert_eq!(counted(&shape, &shape.best(&free)), fewest, "{shape:?}");
            }
        }
    }

    #[test]
    fn orders_keep_what_is_fixed() {
        assert_eq!(orders(3, &[2], &[]), [[2, 0, 1], [2, 1, 0]]);
        assert_eq!(orders(3, &[], &[0]), [[1, 2, 0], [2, 1, 0]]);
        assert_eq!(orders(4, &[], &[]).len(), 24);
        assert_eq!(orders(2, &[1], &[0]), [[1, 0]]);
    }
}
