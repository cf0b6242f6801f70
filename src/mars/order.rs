//! The order of the classes in memory: blocks that are a vector of the lattice apart, in each of them its classes in one order,
//! so that what a tile moves is in few runs.

use std::collections::{BTreeMap, BTreeSet};

use super::lattice::Lattice;

/// Where the classes of a block lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The numbers of the classes, as they follow each other.
    pub classes: Vec<usize>,
    /// The vector, in cells, from a block to the one behind it in memory; `None` where there is only one block.
    pub along: Option<Vec<i64>>,
}

/// A class of a block: by how many cells the block is moved, and the number of the class.
pub type Instance = (Vec<i64>, usize);

/// Up to so many classes all orders are tried.
const EXHAUSTIVE: usize = 8;

/// The order of `classes` classes in which the relations' parts, each a list of classes of blocks, have the fewest runs, all
/// relations counting alike. `steps` are vectors that may lead to the next block. Beyond [`EXHAUSTIVE`] classes, each is put
/// where it makes the fewest runs among those that are there already, those with the most users first.
pub fn choose(classes: usize, steps: &[Vec<i64>], relations: &[Vec<Instance>]) -> Order {
    let mut along: Vec<Option<Vec<i64>>> = candidates(steps).into_iter().map(Some).collect();
    if along.is_empty() {
        along.push(None);
    }
    let best = along.into_iter().map(|along| {
        let instances: Vec<BTreeSet<&Instance>> = relations.iter().map(|all| all.iter().collect()).collect();
        let search = Search { relations: &instances, along };
        let order = if classes <= EXHAUSTIVE { search.all(classes) } else { search.greedy(classes, relations) };
        (search.cost(&order), Order { classes: order, along: search.along })
    });
    best.min_by_key(|(runs, _)| *runs).map(|(_, order)| order).expect("some direction is tried")
}

/// The steps and a basis of their lattice, all leading up in lexicographic order.
fn candidates(steps: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let lattice = Lattice::new(steps);
    let up = |step: &Vec<i64>| -> Vec<i64> {
        let down = step.iter().find(|entry| **entry != 0).is_some_and(|first| *first < 0);
        step.iter().map(|entry| if down { -entry } else { *entry }).collect()
    };
    // What is a multiple of another vector of the lattice leads past the next block.
    let is_first = |step: &Vec<i64>| {
        let divides = |by: i64| {
            let part: Vec<i64> = step.iter().map(|entry| entry / by).collect();
            step.iter().all(|entry| entry % by == 0) && lattice.part(&part) == part
        };
        let most = step.iter().map(|entry| entry.abs()).max().unwrap_or(0);
        most > 0 && (2..=most).all(|by| !divides(by))
    };
    let mut found: Vec<Vec<i64>> = vec![];
    for step in lattice.rows().iter().chain(steps).map(up).filter(is_first) {
        if !found.contains(&step) {
            found.push(step);
        }
    }
    found
}

struct Search<'a> {
    relations: &'a [BTreeSet<&'a Instance>],
    along: Option<Vec<i64>>,
}

impl Search<'_> {
    /// Runs of all relations, with the classes of `order` alone.
    fn cost(&self, order: &[usize]) -> usize {
        self.relations.iter().map(|instances| starts(order, self.along.as_ref(), instances).len()).sum()
    }

    /// The first of the best among all permutations, in lexicographic order.
    fn all(&self, classes: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..classes).collect();
        let (mut best, mut least) = (order.clone(), self.cost(&order));
        while next_permutation(&mut order) {
            let runs = self.cost(&order);
            if runs < least {
                (best, least) = (order.clone(), runs);
            }
        }
        best
    }

    fn greedy(&self, classes: usize, relations: &[Vec<Instance>]) -> Vec<usize> {
        let mut users: BTreeMap<usize, usize> = (0..classes).map(|class| (class, 0)).collect();
        relations.iter().flatten().for_each(|(_, class)| *users.entry(*class).or_default() += 1);
        let mut by_users: Vec<(usize, usize)> = users.into_iter().collect();
        by_users.sort_by_key(|(class, users)| (std::cmp::Reverse(*users), *class));
        by_users.iter().fold(vec![], |order: Vec<usize>, (class, _)| {
            let with = |place: usize| {
                let mut longer = order.clone();
                longer.insert(place, *class);
                longer
            };
            (0..=order.len()).map(with).min_by_key(|order| self.cost(order)).expect("a place")
        })
    }
}

/// The next one in lexicographic order, or `false` behind the last.
fn next_permutation(order: &mut [usize]) -> bool {
    let Some(grows) = (1..order.len()).rev().find(|k| order[k - 1] < order[*k]) else { return false };
    let larger = (grows..order.len()).rev().find(|k| order[*k] > order[grows - 1]).expect("that at `grows` is");
    order.swap(grows - 1, larger);
    order[grows..].reverse();
    true
}

/// Those of `instances`, as far as their classes are in `order`, of which the one before in memory is none of them.
fn starts<'a>(order: &[usize], along: Option<&Vec<i64>>, instances: &BTreeSet<&'a Instance>) -> Vec<&'a Instance> {
    let goes_on = |(block, class): &Instance| {
        let place = order.iter().position(|other| other == class)?;
        let before = match place {
            0 => (block.iter().zip(along?).map(|(own, step)| own - step).collect(), *order.last()?),
            place => (block.clone(), order[place - 1]),
        };
        Some(instances.contains(&before))
    };
    let is_placed = |instance: &&Instance| order.contains(&instance.1);
    instances.iter().copied().filter(is_placed).filter(|instance| goes_on(instance) != Some(true)).collect()
}

impl Order {
    /// The runs of `instances`: the instances of each, as they follow each other in memory.
    pub fn runs(&self, instances: &[Instance]) -> Vec<Vec<Instance>> {
        let all: BTreeSet<&Instance> = instances.iter().collect();
        let after = |(block, class): &Instance| -> Option<Instance> {
            let place = self.classes.iter().position(|other| other == class)?;
            Some(match self.classes.get(place + 1) {
                Some(next) => (block.clone(), *next),
                None => {
                    (block.iter().zip(self.along.as_ref()?).map(|(own, step)| own + step).collect(), self.classes[0])
                }
            })
        };
        let mut runs: Vec<Vec<Instance>> = vec![];
        for start in starts(&self.classes, self.along.as_ref(), &all) {
            let mut run = vec![start.clone()];
            while let Some(next) = run.last().and_then(after).filter(|next| all.contains(next) && run[0] != *next) {
                run.push(next);
            }
            runs.push(run);
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Classes of blocks that are told apart by one number.
    type OnLine = Vec<(i64, usize)>;

    /// Runs in a memory that is written out: blocks one behind the other along a line.
    fn counted(order: &[usize], instances: &[(i64, usize)]) -> usize {
        let place = |(block, class): &(i64, usize)| {
            block * order.len() as i64 + order.iter().position(|c| c == class).unwrap() as i64
        };
        let places: BTreeSet<i64> = instances.iter().map(place).collect();
        places.iter().filter(|place| !places.contains(&(*place - 1))).count()
    }

    /// The best order is as good as the best of all that are counted, and its runs are those.
    #[test]
    fn no_order_has_fewer_runs() {
        let cases: Vec<(usize, Vec<OnLine>)> = vec![
            (2, vec![vec![(0, 0), (0, 1), (1, 0)]]),
            (3, vec![vec![(0, 0), (0, 2), (1, 1)], vec![(0, 1), (1, 1)]]),
            (4, vec![vec![(0, 0), (0, 2)], vec![(0, 1), (0, 3), (1, 2)], vec![(0, 0), (2, 1)]]),
        ];
        for (classes, relations) in cases {
            let as_vectors =
                |all: &Vec<(i64, usize)>| all.iter().map(|(b, c)| (vec![b * 5], *c)).collect::<Vec<Instance>>();
            let instances: Vec<Vec<Instance>> = relations.iter().map(as_vectors).collect();
            let order = choose(classes, &[vec![-5]], &instances);
            assert_eq!(order.along, Some(vec![5]));
            let all = |order: &[usize]| relations.iter().map(|r| counted(order, r)).sum::<usize>();
            let mut permutation: Vec<usize> = (0..classes).collect();
            let mut least = all(&permutation);
            while next_permutation(&mut permutation) {
                least = least.min(all(&permutation));
            }
            assert_eq!(all(&order.classes), least);
            for (relation, instances) in relations.iter().zip(&instances) {
                let runs = order.runs(instances);
                assert_eq!(runs.len(), counted(&order.classes, relation));
                assert_eq!(runs.iter().map(Vec::len).sum::<usize>(), instances.len());
            }
        }
    }

    /// Ten classes that tiles use two by two, 0 with 9, 1 with 8 and so on: five runs, which is the least there can be.
    #[test]
    fn many_classes_are_put_beside_those_that_have_the_same_users() {
        let relations: Vec<Vec<Instance>> = (0..5).map(|k| vec![(vec![0], k), (vec![0], 9 - k)]).collect();
        let order = choose(10, &[], &relations);
        assert_eq!(order.along, None);
        assert_eq!(relations.iter().map(|all| order.runs(all).len()).sum::<usize>(), 5, "{order:?}");
    }
}
