//! Which designs are worth having: those that no other beats in cycles, logic, block RAM and memory ports alike.

use std::cmp::Ordering;

/// A design by what counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Its place in the list of designs.
    pub place: usize,
    pub cycles: f64,
    /// Parts of the board.
    pub logic: f64,
    pub memory: f64,
    /// Bits of its ports behind a bus, which others cannot have then.
    pub ports: f64,
}

/// Designs that take up to so many times the cycles of one no larger are near the front: the estimate is about as wrong.
const NEAR: f64 = 1.5;

/// One design of the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    Fastest,
    Smallest,
    /// The nearest, on scales of factors, to what would be the fastest and the smallest at once.
    Balanced,
}

impl Pick {
    pub const ALL: [Pick; 3] = [Pick::Fastest, Pick::Balanced, Pick::Smallest];

    pub fn name(self) -> &'static str {
        match self {
            Pick::Fastest => "fastest",
            Pick::Smallest => "smallest",
            Pick::Balanced => "balanced",
        }
    }

    /// Of two of the designs between `ends` the one that it takes.
    fn compare(self, ends: &Ends, a: &Candidate, b: &Candidate) -> Ordering {
        let key = |own: &Candidate| match self {
            Pick::Fastest => [own.cycles, own.area()],
            Pick::Smallest => [own.area(), own.cycles],
            Pick::Balanced => [ends.distance(own), own.cycles],
        };
        let [first, second] = [key(a), key(b)];
        let order = first[0].total_cmp(&second[0]).then(first[1].total_cmp(&second[1]));
        order.then(a.place.cmp(&b.place))
    }
}

/// The least and the most of some designs.
struct Ends {
    cycles: [f64; 2],
    area: [f64; 2],
}

impl Ends {
    fn of<'a>(all: impl Iterator<Item = &'a Candidate> + Clone) -> Ends {
        let ends = |values: &mut dyn Iterator<Item = f64>| {
            values.fold([f64::INFINITY, 0.0], |[least, most], own| [own.min(least), own.max(most)])
        };
        let cycles = ends(&mut all.clone().map(|own| own.cycles));
        Ends { cycles, area: ends(&mut all.map(Candidate::area)) }
    }

    /// From the best of both, each from 0, the least, to 1, the most.
    fn distance(&self, own: &Candidate) -> f64 {
        let along = |value: f64, [least, most]: [f64; 2]| match most > least && least > 0.0 {
            true => (value / least).ln() / (most / least).ln(),
            false => 0.0,
        };
        along(own.cycles, self.cycles).hypot(along(own.area(), self.area))
    }
}

impl Candidate {
    fn area(&self) -> f64 {
        self.logic + self.memory
    }

    fn is_no_larger_than(&self, other: &Candidate) -> bool {
        self.logic <= other.logic && self.memory <= other.memory && self.ports <= other.ports
    }

    /// Whether nobody who has this one wants the other.
    fn beats(&self, other: &Candidate) -> bool {
        let all = |own: &Candidate| [own.cycles, own.logic, own.memory, own.ports];
        let is_same = all(self) == all(other);
        let is_earlier = self.place < other.place;
        self.cycles <= other.cycles && self.is_no_larger_than(other) && (!is_same || is_earlier)
    }
}

/// Those that no other beats, the fastest first.
pub fn front(all: &[Candidate]) -> Vec<Candidate> {
    let is_beaten = |own: &Candidate| all.iter().any(|other| other.beats(own));
    let mut found: Vec<Candidate> = all.iter().filter(|own| !is_beaten(own)).copied().collect();
    let ends = Ends::of(found.iter());
    found.sort_by(|a, b| Pick::Fastest.compare(&ends, a, b));
    found
}

/// Up to `most` that are on the front by these estimates or near it, in turns the next fastest, the next smallest and the next
/// balanced; and how many are near in all.
pub fn near(all: &[Candidate], most: usize) -> (Vec<usize>, usize) {
    let best = |own: &Candidate| {
        let rivals = all.iter().filter(|other| other.is_no_larger_than(own)).map(|other| other.cycles);
        rivals.fold(f64::INFINITY, f64::min)
    };
    let near: Vec<&Candidate> = all.iter().filter(|own| own.cycles <= NEAR * best(own)).collect();
    let ends = Ends::of(near.iter().copied());
    let mut orders = Pick::ALL.map(|pick| {
        let mut order = near.clone();
        order.sort_by(|a, b| pick.compare(&ends, a, b));
        order.into_iter()
    });
    let mut taken: Vec<usize> = vec![];
    while taken.len() < most.min(near.len()) {
        for order in &mut orders {
            let next = order.find(|own| !taken.contains(&own.place));
            taken.extend(next.filter(|_| taken.len() < most).map(|own| own.place));
        }
    }
    (taken, near.len())
}

/// The design that `pick` names, `None` of no designs.
pub fn pick(front: &[Candidate], pick: Pick) -> Option<Candidate> {
    let ends = Ends::of(front.iter());
    front.iter().min_by(|a, b| pick.compare(&ends, a, b)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(all: &[[f64; 3]]) -> Vec<Candidate> {
        let of = |(place, &[cycles, logic, memory]): (usize, &[f64; 3])| Candidate {
            place,
            cycles,
            logic,
            memory,
            ports: 0.0,
        };
        all.iter().enumerate().map(of).collect()
    }

    fn places(all: &[Candidate]) -> Vec<usize> {
        all.iter().map(|own| own.place).collect()
    }

    #[test]
    fn the_front_has_what_nothing_beats() {
        let all = candidates(&[
            [100.0, 0.2, 0.2],
            [50.0, 0.4, 0.2],
            [50.0, 0.4, 0.3],
            [101.0, 0.2, 0.1],
            [100.0, 0.2, 0.2],
            [40.0, 0.9, 0.9],
        ]);
        let front = front(&all);
        assert_eq!(places(&front), [5, 1, 0, 3]);
        let of = |own| pick(&front, own).expect("a design").place;
        assert_eq!([of(Pick::Fastest), of(Pick::Smallest), of(Pick::Balanced)], [5, 3, 1]);
        assert_eq!(pick(&[], Pick::Fastest), None);
    }

    /// What the front is, by the definition.
    #[test]
    fn whatever_is_outside_of_the_front_is_beaten_by_one_in_it() {
        let mut state = 1u64;
        let mut next = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % most) as f64
        };
        for _ in 0..200 {
            let all: Vec<[f64; 3]> = (0..30).map(|_| [next(9), next(5), next(5)]).collect();
            let mut all = candidates(&all);
            all.iter_mut().for_each(|own| own.ports = next(2));
            let front = front(&all);
            let no_worse = |a: &Candidate, b: &Candidate| {
                a.cycles <= b.cycles && a.logic <= b.logic && a.memory <= b.memory && a.ports <= b.ports
            };
            for own in &all {
                let better = front.iter().any(|other| no_worse(other, own));
                assert!(better, "{own:?}");
            }
            for own in &front {
                assert_eq!(front.iter().filter(|other| no_worse(other, own)).count(), 1, "{own:?}");
            }
        }
    }

    #[test]
    fn what_is_near_is_taken_from_all_ends() {
        let all = candidates(&[
            [100.0, 0.1, 0.1],
            [149.0, 0.1, 0.1],
            [151.0, 0.1, 0.1],
            [50.0, 0.5, 0.1],
            [20.0, 0.9, 0.9],
            [21.0, 0.9, 0.9],
        ]);
        assert_eq!(near(&all, 2), (vec![4, 3], 5));
        assert_eq!(near(&all, 9), (vec![4, 3, 0, 5, 1], 5));
        assert_eq!(near(&all, 0), (vec![], 5));
        assert_eq!(near(&[], 3), (vec![], 0));
    }
}
