//! The chapter's examples, from their C text.

/// xorshift64*
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Both ends included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let value = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        low + (value % (high - low + 1) as u64) as i64
    }
}

use std::collections::BTreeMap;

use super::*;
use crate::affine::Affine;
use crate::ids::StatementId;
use crate::polyhedral;
use crate::source::kernel::{Condition, Kernel, Node};
use crate::source::{self, Source};

/// Fig. 4.3.
const FIGURE_3: &str = "void figure(int A[4][3], int B[6][4][3], int C[6][4][3], int D[4][3])
{
    for (int j = 0; j <= 3; j++)
        for (int k = 0; k <= 2; k++)
            B[0][j][k] = 2 * A[j][k];
    for (int i = 1; i <= 5; i++)
        for (int j = 0; j <= 3; j++)
            for (int k = 0; k <= 2; k++) {
                B[i][j][k] = 3 * B[i - 1][j][k];
                if (j >= 2)
                    C[i][j][k] = 5 * B[i][j - 2][k];
                if (i >= 5)
                    D[j][k] = 7 * B[5][j][k];
            }
}
";

/// Fig. 4.8.
const FIGURE_8: &str = "void figure(int in[6][6][3], int A[6][6][3], int B[6][6][3])
{
    for (int i = 0; i <= 5; i++)
        for (int j = 0; j <= 5; j++)
            for (int k = 0; k <= 2; k++) {
                A[i][j][k] = 2 * in[i][j][k];
                if (i >= 1 && j >= 2)
                    B[i][j][k] = 3 * A[i - 1][j - 2][k];
            }
}
";

/// A kernel in the model, at its sizes.
struct Figure {
    kernel: Kernel,
    program: Program,
    instances: Vec<Set>,
    flows: Vec<Flow>,
}

impl Figure {
    fn new(text: &str) -> Self {
        let kernel =
            source::parse(&Source { path: "figure.c".into(), text: text.to_string(), cpp_args: vec![] }).unwrap();
        let program = polyhedral::extract(&kernel).unwrap();
        let sizes = sizes(&kernel);
        let instances = instances(&program, &sizes).unwrap();
        let flows = flows(&program, &sizes).unwrap();
        Figure { kernel, program, instances, flows }
    }

    fn fixed(outer: &[&str], inner: &[&str]) -> FixedOrder {
        let own = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        FixedOrder { outer: own(outer), inner: own(inner) }
    }

    fn estimate_of(&self, flows: &[Flow], outer: &[&str], inner: &[&str]) -> Estimate {
        let fixed = Figure::fixed(outer, inner);
        estimate(&self.program, &self.instances, flows, &fixed).unwrap().unwrap_or_else(|why| panic!("{why:?}"))
    }

    fn array(&self, name: &str) -> ArrayId {
        self.kernel.arrays.position(|array| array.name == name).unwrap()
    }

    /// The basic set of `array` that exactly these statements read.
    fn set(&self, sets: &[BasicSet], array: &str, readers: &[usize]) -> usize {
        let reads = |set: &BasicSet| set.readers.iter().map(|k| self.flows[*k].sink.0).collect::<Vec<_>>();
        sets.iter().position(|set| set.array == self.array(array) && reads(set) == readers).unwrap()
    }

    /// The flow from B(2) to C(0) of Fig. 4.7.
    fn middle(&self) -> Vec<Flow> {
        let sets = basic_sets(&self.program, &self.instances, &self.flows).unwrap();
        let middle = self.set(&sets, "B", &[1, 2]);
        let split = split(&sets, &self.flows).unwrap();
        split.into_iter().filter(|(set, flow)| *set == middle && flow.sink.0 == 2).map(|(_, flow)| flow).collect()
    }
}

fn sizes(kernel: &Kernel) -> BTreeMap<String, i64> {
    kernel.parameters.iter().map(|p| (p.name.clone(), p.default.unwrap())).collect()
}

/// Words of one dependence under all orders of three loops, in the order ijk, ikj, jik, jki, kij, kji.
fn under_all_orders(dependence: &Dependence) -> Vec<i64> {
    orders(3, &[], &[]).iter().map(|order| dependence.shape(order).unwrap().live(order)).collect()
}

/// Lower and upper bound of the only dependence.
fn bounds(figure: &Figure, flows: &[Flow], outer: &[&str], inner: &[&str]) -> (i64, i64) {
    let estimate = figure.estimate_of(flows, outer, inner);
    let bounds = &estimate.of_dependences[0].bounds;
    (bounds.lower, bounds.upper)
}

fn names(estimate: &Estimate) -> Vec<String> {
    (0..estimate.space.dimensions.len()).map(|d| estimate.space.name(d)).collect()
}

/// Fig. 4.7's nodes: printed in the chapter.
#[test]
fn basic_sets_are_those_of_the_data_flow_graph() {
    let figure = Figure::new(FIGURE_3);
    let sets = basic_sets(&figure.program, &figure.instances, &figure.flows).unwrap();
    for (array, readers, size) in [
        ("B", &[1][..], 24), // B(4)
        ("B", &[1, 2], 24),  // B(2)
        ("B", &[2, 3], 6),   // B(1)
        ("B", &[3], 6),      // B(3)
        ("C", &[], 30),
        ("D", &[], 12),
    ] {
        let of: Vec<usize> = (0..sets.len()).filter(|set| sets[*set].source.0 != 0).collect();
        let own: Vec<BasicSet> = of.iter().map(|set| sets[*set].clone()).collect();
        assert_eq!(own[figure.set(&own, array, readers)].size().unwrap(), size, "{array} {readers:?}");
    }
    // B(0) is what the first nest writes.
    let first: Vec<&BasicSet> = sets.iter().filter(|set| set.source.0 == 0).collect();
    assert_eq!((first.len(), first[0].size().unwrap()), (1, 12));
    assert_eq!(sets.len(), 7);
    // 30 + 6 + 6: C(0), B(1) and B(3).
    let split = split(&sets, &figure.flows).unwrap();
    let split_flows: Vec<Flow> = split.iter().map(|(_, flow)| flow.clone()).collect();
    let estimate = figure.estimate_of(&split_flows, &[], &[]);
    let alone: Vec<i64> = estimate.of_dependences.iter().map(|of| of.bounds.lower).collect();
    assert_eq!(traversal(&sets, &split, &alone).unwrap(), Some(42));
}

/// Section 4.3.1: 24 and 2 for B(2), 8 and 2 with k outermost; the other numbers are counted by hand in the model.
#[test]
fn figure_3_has_the_chapters_bounds() {
    let figure = Figure::new(FIGURE_3);
    let middle = figure.middle();
    let estimate = figure.estimate_of(&middle, &[], &[]);
    assert_eq!(names(&estimate), ["i", "j", "k"]);
    assert_eq!(estimate.space.form, Form::Fused);
    let dependence = &estimate.dependences[0];
    assert_eq!((&dependence.lengths[..], dependence.orthogonal), (&[4, 2, 3][..], true));
    assert_eq!(dependence.vector(), Some(&vec![0, 2, 0]));
    assert_eq!(under_all_orders(dependence), [6, 2, 24, 24, 2, 8]);
    assert_eq!(bounds(&figure, &middle, &[], &[]), (2, 24));
    assert_eq!(bounds(&figure, &middle, &["k"], &[]), (2, 8));
    assert_eq!(bounds(&figure, &middle, &["i"], &[]), (2, 6));
    assert_eq!(bounds(&figure, &middle, &["j"], &[]), (24, 24));
    counted_agrees(&figure, &middle);
}

/// Nothing of it is printed: every value is counted.
#[test]
fn figure_8_has_its_bounds() {
    let figure = Figure::new(FIGURE_8);
    let estimate = figure.estimate_of(&figure.flows, &[], &[]);
    let dependence = &estimate.dependences[0];
    assert_eq!((estimate.dependences.len(), &dependence.lengths[..]), (1, &[5, 4, 3][..]));
    assert_eq!(product(dependence.lengths.iter().copied()), 60);
    assert_eq!(dependence.vector(), Some(&vec![1, 2, 0]));
    assert_eq!(under_all_orders(dependence), [19, 15, 34, 32, 7, 12]);
    let bounds = |outer: &[&str], inner: &[&str]| bounds(&figure, &figure.flows, outer, inner);
    assert_eq!(bounds(&[], &[]), (7, 34));
    assert_eq!(bounds(&["k"], &[]), (7, 12));
    assert_eq!(bounds(&["i"], &[]), (15, 19));
    assert_eq!(bounds(&["j"], &[]), (32, 34));
    assert_eq!(bounds(&[], &["k"]), (19, 34));
    assert_eq!(bounds(&["k", "i"], &[]), (7, 7));
    counted_agrees(&figure, &figure.flows);
}

/// The closed form against the values of `flows`, one dependence, counted one by one under every order.
fn counted_agrees(figure: &Figure, flows: &[Flow]) {
    let estimate = figure.estimate_of(flows, &[], &[]);
    let values = values(&figure.program, &estimate.space, flows, 1000).unwrap().unwrap();
    for (order, live) in orders(3, &[], &[]).iter().zip(under_all_orders(&estimate.dependences[0])) {
        let date = |place: &[i64]| order.iter().map(|d| place[*d]).collect::<Vec<_>>();
        assert_eq!(peak(values.iter(), date).unwrap().in_place, live, "{order:?}");
    }
}

/// Counted: all of B, where values of several readers share words. 42 words are C, which nobody reads, and two sets of B.
#[test]
fn an_array_needs_the_peak_and_not_the_sum() {
    let figure = Figure::new(FIGURE_3);
    let b: Vec<Flow> = figure.flows.iter().filter(|flow| flow.array == figure.array("B")).cloned().collect();
    assert_eq!(b.len(), 4);
    for (outer, words) in [
        (["i", "j", "k"], 12),
        (["i", "k", "j"], 12),
        (["j", "i", "k"], 33),
        (["j", "k", "i"], 31),
        (["k", "i", "j"], 4),
        (["k", "j", "i"], 11),
    ] {
        let estimate = figure.estimate_of(&figure.flows, &outer, &[]);
        assert!(estimate.total.counted);
        assert_eq!(estimate.orders.len(), 1);
        let of = &estimate.of_arrays.iter().find(|(array, _)| *array == figure.array("B")).unwrap().1;
        assert_eq!((of.bounds.lower, of.bounds.upper), (words, words), "{outer:?}");
    }
    let estimate = figure.estimate_of(&figure.flows, &[], &[]);
    let of = &estimate.total;
    assert_eq!((of.bounds.lower, of.bounds.upper, of.as_written.unwrap().in_place), (4, 33, 12));
    let order: Vec<String> = of.bounds.order.iter().map(|d| estimate.space.name(*d)).collect();
    assert_eq!(order, ["k", "i", "j"]);
}

/// Counted: the bounds hold over permutations of the loops only.
#[test]
fn skewed_orders_beat_the_bounds() {
    let skewed = |figure: &Figure, flows: &[Flow]| {
        let estimate = figure.estimate_of(flows, &[], &[]);
        let (rows, words) = estimate.of_dependences[0].skewed.clone().unwrap();
        (rows.iter().map(|row| row.text(&names(&estimate))).collect::<Vec<_>>().join(", "), words)
    };
    let figure = Figure::new(FIGURE_8);
    assert_eq!(skewed(&figure, &figure.flows), ("k, 2i - j, i".to_string(), 2));
    let figure = Figure::new(FIGURE_3);
    let middle = figure.middle();
    assert_eq!(skewed(&figure, &middle), ("i, k, j mod 2, j".to_string(), 1));
    // k outermost does as well, and is legal for all values of the program.
    let estimate = figure.estimate_of(&middle, &[], &[]);
    let counted = |flows: &[Flow]| {
        let values = values(&figure.program, &estimate.space, flows, 1000).unwrap().unwrap();
        peak(values.iter(), |place| vec![place[2], place[0], place[1].rem_euclid(2), place[1]])
    };
    assert_eq!(counted(&middle).unwrap().in_place, 1);
    assert!(counted(&figure.flows).is_some());
}

/// Instances in the order of the source, each with the cells that it reads, and then the one that it writes.
struct Run<'a> {
    kernel: &'a Kernel,
    names: Vec<(String, i64)>,
    statement: usize,
    /// Per cell the instance that wrote it last.
    written: BTreeMap<(usize, Vec<i64>), usize>,
    /// Per instance that writes, its readers.
    readers: Vec<(StatementId, Vec<usize>)>,
}

impl Run<'_> {
    fn value(&self, affine: &Affine) -> i64 {
        affine.evaluate(|name| self.names.iter().rev().find(|(own, _)| own == name).unwrap().1)
    }

    fn cell(&self, access: &source::kernel::Access) -> (usize, Vec<i64>) {
        (access.array.0, access.subscripts.iter().map(|subscript| self.value(subscript)).collect())
    }

    fn nodes(&mut self, nodes: &[Node], runs: bool) {
        for node in nodes {
            match node {
                Node::Statement(statement) => {
                    let own = StatementId(self.statement);
                    self.statement += 1;
                    if !runs {
                        continue;
                    }
                    let instance = self.readers.len();
                    for read in statement.value.reads() {
                        if let Some(writer) = self.written.get(&self.cell(read)) {
                            self.readers[*writer].1.push(instance);
                        }
                    }
                    self.readers.push((own, vec![]));
                    self.written.insert(self.cell(&statement.target), instance);
                }
                Node::If(inner) => {
                    let holds = match &inner.condition {
                        Condition::NonNegative(value) => self.value(value) >= 0,
                        Condition::Zero(value) => self.value(value) == 0,
                        other => panic!("{other:?}"),
                    };
                    self.nodes(&inner.body, runs && holds);
                }
                Node::Loop(inner) => {
                    let begin = self.statement;
                    let low = inner.lower.iter().map(|bound| self.value(bound)).max().unwrap();
                    let high = inner.upper.iter().map(|bound| self.value(bound)).min().unwrap();
                    self.names.push((inner.iterator.clone(), low));
                    // Statements have numbers also where nothing runs.
                    self.nodes(&inner.body, false);
                    for value in low..=high {
                        self.statement = begin;
                        self.names.last_mut().unwrap().1 = value;
                        self.nodes(&inner.body, runs);
                    }
                    self.names.pop();
                }
            }
        }
    }
}

/// Per instance, in the order of the source, its statement and its readers.
fn run(kernel: &Kernel) -> Vec<(StatementId, Vec<usize>)> {
    let names = sizes(kernel).into_iter().collect();
    let mut run = Run { kernel, names, statement: 0, written: BTreeMap::new(), readers: vec![] };
    run.nodes(&run.kernel.body, true);
    run.readers
}

const KERNELS: [&str; 6] = [
    "#pragma burstc size(N: 5, max 16) size(T: 3, max 8)
void k(int N, int T, int a[N], int b[N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            b[i] = a[i - 1] + 2 * a[i] + 3 * a[i + 1];
        for (int i = 1; i < N - 1; i++)
            a[i] = b[i - 1] + 2 * b[i] + 3 * b[i + 1];
    }
}
",
    "#pragma burstc size(N: 6, max 16)
void k(int N, int A[N][N], int x[N])
{
    for (int k = 0; k < N; k++)
        for (int i = k + 1; i < N; i++) {
            A[i][k] = A[i][k] - x[k];
            for (int j = k + 1; j < N; j++)
                A[i][j] = A[i][j] - A[i][k] * A[k][j];
        }
}
",
    "#pragma burstc size(N: 4, max 16)
void k(int N, int a[N][N], int b[N][N], int c[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            c[i][j] = 0;
            for (int k = 0; k < N; k++)
                c[i][j] = c[i][j] + a[i][k] * b[k][j];
        }
}
",
    "#pragma burstc size(N: 6, max 16)
void k(int N, int a[N], int b[N], int c[N])
{
    for (int i = 0; i < N; i++)
        b[i] = 2 * a[N - 1 - i];
    for (int i = 0; i < N; i++)
        c[i] = 3 * b[N - 1 - i];
}
",
    "#pragma burstc size(N: 5, max 16)
void k(int N, int a[N + 2][N + 2])
{
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            a[i][j] = a[i - 1][j] + 2 * a[i][j - 1] + 3 * a[i][j + 1] + 5 * a[i + 1][j];
}
",
    FIGURE_3,
];

/// Flows against a run of the C text that keeps who wrote each cell last; peaks against counting at every instance.
#[test]
fn values_are_those_of_a_run() {
    for text in KERNELS {
        let figure = Figure::new(text);
        let run = run(&figure.kernel);
        let space = Space::new(&figure.program, &figure.instances, Form::AsWritten).unwrap();
        let mut values = values(&figure.program, &space, &figure.flows, 10_000).unwrap().unwrap();
        values.sort_by_key(|value| value.place.clone());
        let readers = |statement: StatementId, readers: &[usize]| {
            let mut readers: Vec<StatementId> = readers.iter().map(|reader| run[*reader].0).collect();
            readers.sort();
            (statement, readers)
        };
        let expected: Vec<_> = run.iter().filter(|(_, own)| !own.is_empty()).map(|(s, own)| readers(*s, own)).collect();
        let found: Vec<_> = values
            .iter()
            .map(|value| {
                let mut readers: Vec<StatementId> = value.readers.iter().map(|(sink, _)| *sink).collect();
                readers.sort();
                (value.source, readers)
            })
            .collect();
        assert_eq!(found, expected, "{text}");
        let alive = |now: usize, including: bool| {
            let is_alive = |(birth, (_, readers)): (usize, &(StatementId, Vec<usize>))| {
                let last = readers.iter().max().copied();
                last.is_some_and(|last| birth <= now && (now < last || (including && now == last)))
            };
            run.iter().enumerate().filter(|value| is_alive(*value)).count() as i64
        };
        let most = |including| (0..run.len()).map(|now| alive(now, including)).max().unwrap();
        let counted = peak(values.iter(), <[i64]>::to_vec).unwrap();
        assert_eq!(counted, Peak { in_place: most(false), during: most(true) }, "{text}");
    }
}

/// What is estimated from boxes, for arrays too large to be counted, is never less than what is counted.
#[test]
fn boxes_hold_what_is_counted() {
    let mut compared = 0;
    for text in KERNELS.into_iter().chain([FIGURE_8]) {
        let figure = Figure::new(text);
        let estimate = figure.estimate_of(&figure.flows, &[], &[]);
        let values = values(&figure.program, &estimate.space, &figure.flows, 10_000).unwrap().unwrap();
        let all: Vec<&Dependence> = estimate.dependences.iter().collect();
        for order in &estimate.orders {
            let date = |place: &[i64]| order.iter().map(|d| place[*d]).collect::<Vec<_>>();
            let counted = peak(values.iter(), date).unwrap().in_place;
            let boxes = of_boxes(&all, order).unwrap();
            assert!(boxes >= counted, "{boxes} for {counted} in {order:?}: {text}");
            for (dependence, flow) in estimate.dependences.iter().zip(&figure.flows) {
                let own = super::values(&figure.program, &estimate.space, std::slice::from_ref(flow), 10_000);
                let counted = peak(own.unwrap().unwrap().iter(), date).unwrap().in_place;
                let live = dependence.shape(order).unwrap().live(order);
                // Of one that is read by several nodes the formula has the last.
                assert!(live >= counted, "{live} for {counted} in {order:?}: {text}");
                if dependence.orthogonal && dependence.vector().is_some() {
                    assert_eq!(live, counted, "{order:?}: {text}");
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 50, "{compared}");
}
