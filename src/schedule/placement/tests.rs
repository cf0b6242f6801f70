//! The chapter's example, from its C text.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI};

use super::*;
use crate::polyhedral::{self, Program};
use crate::schedule::is_legal;
use crate::schedule::linear::{determinant, dot, multiply, primitive, small_vectors, with_images};
use crate::schedule::storage::tests::Random;
use crate::schedule::storage::{Flow, Peak, instances, parametric_flows, peak};
use crate::source::{self, Source};

/// Section 3.5.4.4's program at one size.
fn example(n: i64) -> Graph {
    Model::new(&text(&n.to_string(), &(n + 2).to_string(), "void example(")).graph
}

/// The same for all sizes.
fn parametric() -> Model {
    Model::new(&text("N", "N + 2", "#pragma burstc size(N: 5, max 16)\nvoid example(int N, "))
}

fn text(n: &str, r: &str, head: &str) -> String {
    format!(
        "{head}int in[{r}][{r}], int a[{r}][{r}], int b[{r}][{r}])
{{
    for (int i = 1; i <= {n}; i++)
        for (int j = 1; j <= {n} - i + 1; j++)
            a[i][j] = 2 * in[i][j] + a[i - 1][j];
    for (int q = 1; q <= 1; q++)
        for (int p = 1; p <= {n}; p++)
            b[p][1] = 3 * a[{n} - p + 1][p] + a[{n} - p][p];
    for (int k = 1; k <= {n}; k++)
        for (int l = 1; l <= k; l++)
            b[k][l + 1] = 5 * b[k][l];
}}
"
    )
}

struct Model {
    program: Program,
    graph: Graph,
    flows: Vec<Flow>,
}

impl Model {
    fn new(text: &str) -> Self {
        let kernel = source::parse(&Source { path: "k.c".into(), text: text.to_string(), cpp_args: vec![] }).unwrap();
        let program = polyhedral::extract(&kernel).unwrap();
        let sizes: BTreeMap<String, i64> =
            kernel.parameters.iter().map(|p| (p.name.clone(), p.default.unwrap())).collect();
        let flows = parametric_flows(&program).unwrap();
        let instances = instances(&program, &sizes).unwrap();
        let at: Vec<Flow> = flows.iter().map(|flow| flow.at(&program, &sizes).unwrap()).collect();
        let graph = Graph::new(&program, &instances, &at, 20_000).unwrap().unwrap();
        Model { program, graph, flows }
    }
}

/// The placements of Figs. 3.28, 3.30 and 3.31.
fn printed(n: i64) -> [Placement; 3] {
    let unit = || identity(2);
    let initial = [vec![0, 0], vec![n, 0], vec![n + 1, n]];
    let mirrored = vec![vec![-1, 0], vec![0, 1]];
    let (skewed, turned) = (vec![vec![1, -1], vec![0, 1]], vec![vec![-1, 1], vec![1, 0]]);
    [
        Placement { linear: vec![unit(), unit(), unit()], offsets: initial.to_vec() },
        Placement { linear: vec![unit(), unit(), mirrored], offsets: vec![vec![0, 0], vec![n, 0], vec![2 * n + 2, n]] },
        Placement { linear: vec![unit(), skewed, turned], offsets: vec![vec![0, 0], vec![n + 1, 0], vec![n + 2, 0]] },
    ]
}

/// N = 5: printed in the chapter, but for the cone of the second, which the figure has as π/2, too. N = 8: counted.
#[test]
fn costs_are_those_of_the_figures() {
    for (n, expected) in [(5, [(79, 75), (79, 75), (38, 34)]), (8, [(199, 192), (199, 192), (86, 79)])] {
        let graph = example(n);
        assert_eq!(graph.edges.len(), 5);
        for ((placement, (locality, reuse)), angle) in printed(n).iter().zip(expected).zip([FRAC_PI_2, FRAC_PI_2, 0.0])
        {
            let costs = Costs::new(&graph, placement);
            assert_eq!((costs.locality, costs.reuse), (locality, reuse), "{placement:?}");
            assert!((costs.cone.angle.unwrap() - angle).abs() < 1e-9, "{:?}", costs.cone);
            assert_eq!(costs.inside, 0);
        }
        assert_eq!(expected[0].0, 3 * n * n + n - 1);
    }
}

/// Fig. 3.29, printed: values of A that A and B read, from A to A 4, to B 14, between both 10.
#[test]
fn readers_hand_values_on() {
    let graph = example(5);
    let values = graph.values(&printed(5)[0]);
    let (mut to_a, mut to_b, mut between) = (0, 0, 0);
    for value in values.iter().filter(|value| value.source.0 == 0) {
        let [(_, a), (_, b)] = &value.readers[..] else { continue };
        if value.readers[0].0 != value.readers[1].0 {
            (to_a, to_b) = (to_a + distance(&value.place, a), to_b + distance(&value.place, b));
            between += distance(a, b);
        }
    }
    assert_eq!((to_a, to_b, between), (4, 14, 10));
}

/// The shortest of all trees, which Prüfer's sequences number.
#[test]
fn spanning_trees_are_shortest() {
    let mut random = Random::new(3);
    for _ in 0..300 {
        let n = random.between(3, 5) as usize;
        let places: Vec<Vec<i64>> = (0..n).map(|_| vec![random.between(0, 9), random.between(0, 9)]).collect();
        let mut shortest = i64::MAX;
        for number in 0..n.pow(n as u32 - 2) {
            let sequence: Vec<usize> = (0..n - 2).map(|k| number / n.pow(k as u32) % n).collect();
            let mut degree: Vec<usize> = (0..n).map(|v| 1 + sequence.iter().filter(|s| **s == v).count()).collect();
            let mut length = 0;
            for &end in &sequence {
                let leaf = (0..n).find(|v| degree[*v] == 1).unwrap();
                length += distance(&places[leaf], &places[end]);
                degree[leaf] = 0;
                degree[end] -= 1;
            }
            let last: Vec<usize> = (0..n).filter(|v| degree[*v] == 1).collect();
            shortest = shortest.min(length + distance(&places[last[0]], &places[last[1]]));
        }
        assert_eq!(costs::spanning_tree(&places.iter().collect::<Vec<_>>()), shortest);
    }
}

/// Of the program's own order, of Fig. 3.13's and of Fig. 3.15's, counted. The chapter says 2N, N + 3 and 2: the first two
/// of what is alive during an instance, the last of what is where results take the place of operands.
#[test]
fn words_are_those_of_the_orders() {
    for n in [5, 8] {
        let graph = example(n);
        let [initial, _, last] = printed(n);
        let words = |placement: &Placement, rows: &[[i64; 2]]| {
            let rows: Matrix = rows.iter().map(|row| row.to_vec()).collect();
            peak(graph.values(placement).iter(), |place| apply(&rows, place)).unwrap()
        };
        // A before B before C along the first dimension, each in its own loops' order.
        assert_eq!(words(&initial, &[[1, 0], [0, 1]]), Peak { in_place: 2 * n - 1, during: 2 * n });
        assert_eq!(words(&last, &[[1, 0], [0, 1]]), Peak { in_place: n + 2, during: n + 3 });
        assert_eq!(words(&last, &[[0, 1], [1, 0]]), Peak { in_place: 2, during: 3 });
        // Fig. 3.14's ordering vector takes as much as the program as written.
        assert_eq!(words(&last, &[[1, 1], [1, 0]]), Peak { in_place: 2 * n - 1, during: 2 * n });
        let costs = Costs::new(&graph, &last);
        let orders = orders(&graph, &last, &costs);
        assert_eq!(orders[0].peak, Peak { in_place: 2, during: 3 });
    }
}

/// By all triples of matrices: 2 with coefficients 0 and 1, 24 unimodular ones with -1, 0 and 1, of which one is left up to a
/// left factor. Coefficients of q, which has one value, are no part of a placement.
#[test]
fn uniform_placements_with_a_sharp_cone_are_one() {
    let graph = example(5);
    let matrices = |entries: [i64; 3], unimodular: bool| -> Vec<Matrix> {
        let rows: Vec<Vec<i64>> = [vec![0, 0]]
            .into_iter()
            .chain(small_vectors(2, 1))
            .filter(|row| row.iter().all(|e| entries.contains(e)))
            .collect();
        let all = rows.iter().flat_map(|a| rows.iter().map(move |b| vec![a.clone(), b.clone()]));
        all.filter(|m| if unimodular { determinant(m).abs() == 1 } else { determinant(m) != 0 }).collect()
    };
    let found = |matrices: &[Matrix]| {
        let mut found: Vec<(Matrix, Vec<i64>, Matrix)> = vec![];
        for a in matrices {
            for b in matrices {
                for c in matrices {
                    let linear = vec![a.clone(), b.clone(), c.clone()];
                    let placement = Placement { linear, offsets: vec![vec![0, 0]; 3] };
                    let moves = (a.clone(), vec![b[0][1], b[1][1]], c.clone());
                    // The values that stay in A, and those that stay in C, go the same way.
                    let (of_a, of_c) = (apply(a, &[1, 0]), apply(c, &[0, 1]));
                    if graph.edges.iter().all(|edge| placement.rank_of(edge) == 0)
                        && primitive(&of_a) == primitive(&of_c)
                        && !found.contains(&moves)
                    {
                        found.push(moves);
                    }
                }
            }
        }
        found
    };
    assert_eq!(matrices([0, 1, 1], false).len(), 6);
    let plain = found(&matrices([0, 1, 1], false));
    let expected = [
        (vec![vec![1, 1], vec![0, 1]], vec![0, 1], vec![vec![0, 1], vec![1, 0]]),
        (vec![vec![0, 1], vec![1, 1]], vec![1, 0], vec![vec![1, 0], vec![0, 1]]),
    ];
    assert_eq!(plain.len(), 2);
    assert!(expected.iter().all(|placement| plain.contains(placement)), "{plain:?}");
    let signed = found(&matrices([-1, 0, 1], true));
    assert_eq!(signed.len(), 24);
    for (a, b, c) in &signed {
        let inverse = with_images(&[vec![a[0][0], a[1][0]], vec![a[0][1], a[1][1]]], &identity(2)).unwrap();
        assert_eq!(apply(&inverse, b), [-1, 1]);
        assert_eq!(multiply(&inverse, c), [[-1, 1], [1, 0]]);
    }
}

/// From the program as written: 38, 34 and no angle, as printed for Fig. 3.31.
#[test]
fn the_search_finds_the_chapters_placement() {
    for (n, costs) in [(5, (38, 34)), (8, (86, 79))] {
        let graph = example(n);
        let found = search(&graph).unwrap();
        assert_eq!(found, printed(n)[2]);
        let cost = Costs::new(&graph, &found);
        assert_eq!((cost.locality, cost.reuse, cost.cone.angle), (costs.0, costs.1, Some(0.0)));
        assert_eq!(cost.cone.ordering, Some(vec![1, 0]));
    }
}

/// Section 3.5.6: the result does not depend on how the program was written.
#[test]
fn other_loops_give_the_same_placement() {
    let mut random = Random::new(4);
    let original = example(5);
    let plain = search(&original).unwrap();
    for _ in 0..40 {
        let maps: Vec<Matrix> = (0..3).map(|_| unimodular(&mut random)).collect();
        let mut other = example(5);
        for edge in &mut other.edges {
            let change = |s: usize, x: &[i64]| apply(&maps[s], x);
            let (source, sink) = (edge.source, edge.sink);
            edge.pairs.iter_mut().for_each(|(x, y)| (*x, *y) = (change(source, x), change(sink, y)));
            edge.directions.iter_mut().for_each(|(x, y)| (*x, *y) = (change(source, x), change(sink, y)));
        }
        // Where q and p are one, both have several values.
        for (s, map) in maps.iter().enumerate() {
            let moves: Vec<bool> = (0..2)
                .map(|row| map[row].iter().zip(&original.varies[s]).any(|(entry, varies)| *entry != 0 && *varies))
                .collect();
            other.varies[s] = moves;
        }
        let found = search(&other).unwrap();
        let whole: Vec<Matrix> = found.linear.iter().zip(&maps).map(|(matrix, map)| multiply(matrix, map)).collect();
        // The left factor, by statement A; of B what p does, as q has one value.
        let factor = &whole[0];
        assert_eq!(whole[2], multiply(factor, &plain.linear[2]));
        assert_eq!(apply(&whole[1], &[0, 1]), apply(factor, &apply(&plain.linear[1], &[0, 1])));
        assert!(other.edges.iter().all(|edge| found.rank_of(edge) == 0));
        assert!(Costs::new(&other, &found).cone.angle.unwrap() < 1e-9);
    }
}

/// A product of steps, each of which adds a row to another, turns one around, or both.
fn unimodular(random: &mut Random) -> Matrix {
    let mut matrix = identity(2);
    for _ in 0..random.between(0, 3) {
        let (row, sign) = (random.between(0, 1) as usize, random.between(0, 1) * 2 - 1);
        let step = match random.between(0, 2) {
            0 => vec![vec![0, 1], vec![1, 0]],
            1 => (0..2)
                .map(|r| (0..2).map(|c| i64::from(r == c) + if r == row && c != r { sign } else { 0 }).collect())
                .collect(),
            _ => (0..2)
                .map(|r| (0..2).map(|c| if r == c { if r == row { -1 } else { 1 } } else { 0 }).collect())
                .collect(),
        };
        matrix = multiply(&step, &matrix);
    }
    matrix
}

/// A cone that no half plane has, and two opposite directions: nothing orders them.
#[test]
fn cones_without_an_ordering_vector_are_told() {
    let cone = |directions: &[[i64; 2]]| Cone::new(directions.iter().map(|d| d.to_vec()).collect(), 2);
    assert_eq!(cone(&[[1, 0], [-1, 0]]).ordering, None);
    assert!((cone(&[[1, 0], [-1, 0]]).angle.unwrap() - PI).abs() < 1e-9);
    assert!(!cone(&[[1, 0], [-1, 1], [-1, -1]]).orderable);
    assert!(!cone(&[[1, 0], [-1, 0]]).orderable);
    // Along no vector with small coefficients, but one axis after the other.
    let steep = cone(&[[1, -9], [0, 1]]);
    assert_eq!((steep.ordering, steep.orderable), (None, true));
    let wide = cone(&[[1, -1], [0, 1]]);
    assert_eq!((wide.dimension, wide.ordering), (2, Some(vec![2, 1])));
}

/// Fig. 3.31's mappings with N in them, and Fig. 3.15's order: legal for all sizes, in tiles along both dimensions.
#[test]
fn a_placement_is_a_schedule_for_all_sizes() {
    let Model { program, graph, flows } = parametric();
    let placement = search(&graph).unwrap();
    let places = theta(&program, &graph, &placement, &flows).unwrap();
    let text: Vec<Vec<String>> = places.iter().map(|p| p.iter().map(ToString::to_string).collect()).collect();
    assert_eq!(text, [["i", "j"], ["N + q - p + 1", "p"], ["N + l - k + 2", "k"]]);
    let orders = orders(&graph, &placement, &Costs::new(&graph, &placement));
    assert_eq!(orders[0].rows, [[0, 1], [1, 0]]);
    let plan = plan(&program, &places, &orders[0].rows).unwrap().unwrap();
    assert_eq!(plan.tileable, [true, true]);
    assert!(is_legal(&program, &[plan]).unwrap());
    // Backwards nothing is.
    assert_eq!(super::plan(&program, &places, &vec![vec![-1, 0], vec![0, 1]]).unwrap(), None);
}

/// Stencils over time: no placement makes all vectors one, some order leads along all of them.
#[test]
fn dependences_that_spread_keep_an_ordering_vector() {
    let Model { program, graph, flows } = Model::new(
        "#pragma burstc size(T: 4, max 8) size(N: 7, max 16)
void k(int T, int N, int a[N], int b[N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            b[i] = a[i - 1] + 2 * a[i] + 3 * a[i + 1];
        for (int i = 1; i < N - 1; i++)
            a[i] = b[i - 1] + 2 * b[i] + 3 * b[i + 1];
    }
}
",
    );
    let placement = search(&graph).unwrap();
    let costs = Costs::new(&graph, &placement);
    assert!(graph.edges.iter().all(|edge| placement.rank_of(edge) == 0));
    let vector = costs.cone.ordering.clone().unwrap();
    assert!(costs.cone.directions.iter().all(|direction| dot(direction, &vector) > 0));
    let before = Costs::new(&graph, &Placement::side_by_side(&graph));
    assert!(costs.locality < before.locality && costs.reuse < before.reuse, "{costs:?} {before:?}");
    let places = theta(&program, &graph, &placement, &flows).unwrap();
    let orders = orders(&graph, &placement, &costs);
    let legal: Vec<_> = orders.iter().filter_map(|order| plan(&program, &places, &order.rows).unwrap()).collect();
    assert!(!legal.is_empty());
    for plan in legal {
        assert!(is_legal(&program, &[plan]).unwrap());
    }
}
