//! Values that live at the same time, write by write: what the GeCoS note (Morvan, 2014) says of its examples, derived from C text, with its two
//! errors avoided; the moduli are compared with programs that run in as much memory.

use std::collections::BTreeMap;

use burstc::buffer::lifetimes::{self, Dates, Schedule, Values};
use burstc::buffer::{is_legal, successive_moduli};
use burstc::ids::{ArrayId, StatementId};
use burstc::polyhedral::{self, Program, flow};
use burstc::source::kernel::Kernel;
use burstc::source::{self, Source};

struct Note {
    kernel: Kernel,
    program: Program,
}

impl Note {
    fn new(text: &str) -> Note {
        let source = Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] };
        let kernel = source::parse(&source).unwrap();
        let program = polyhedral::extract(&kernel).unwrap();
        Note { kernel, program }
    }

    fn array(&self, name: &str) -> ArrayId {
        self.kernel.arrays.position(|array| array.name == name).unwrap()
    }

    /// The dates of all statements, each as isl text.
    fn schedule(&self, dates: &[&str]) -> Schedule {
        assert_eq!(dates.len(), self.program.statements.len());
        let map = |(s, text): (StatementId, &&str)| {
            let map = self.program.isl.parse_map(&format!("{{ {text} }}")).unwrap();
            (s, map.intersect_domain(&self.program.statements[s].domain).unwrap())
        };
        self.program.statements.keys().zip(dates).map(map).collect()
    }

    fn values(&self, array: &str, schedule: &Schedule, producers: &[usize]) -> Values {
        let of = |s: StatementId| producers.contains(&s.0);
        Values::of(&self.program, self.array(array), schedule, of).unwrap().unwrap()
    }

    fn assert_differences(&self, values: &Values, dates: &Dates, expected: &str) {
        let differences = values.differences(dates).unwrap();
        let expected = self.program.isl.parse_set(expected).unwrap();
        assert!(differences.is_equal(&expected).unwrap(), "     got {differences}\nexpected {expected}");
    }
}

fn moduli(values: &Values, dates: &Dates) -> Vec<i64> {
    let differences = values.differences(dates).unwrap();
    let moduli = successive_moduli(&differences).unwrap().unwrap();
    assert!(is_legal(&differences, &moduli).unwrap());
    moduli
}

/// No two instances have one date, or all compare along all dimensions.
fn shared() -> Dates {
    Dates::Shared { parallel: vec![] }
}

type Cell = (&'static str, Vec<i64>);

/// An instance of a program that is run by hand, in the order of the source.
struct Instance {
    statement: usize,
    date: Vec<i64>,
    reads: Vec<Cell>,
    write: Cell,
}

/// Whether the values that the statements `producers` write to `array` stay as long as they are read in a memory that is addressed by dates modulo
/// `moduli`. By enumeration of all instances: who reads whose value is what running them in the order of the source says. With
/// `Dates::Distinct` the instances are run in the order of their dates; else all orders are looked at that dates allow, pair by pair.
fn keeps(instances: &[Instance], array: &str, producers: &[usize], moduli: &[i64], dates: &Dates) -> bool {
    let place = |date: &[i64]| -> Vec<i64> { date.iter().zip(moduli).map(|(d, m)| d.rem_euclid(*m)).collect() };
    let is_moved = |one: &Instance| one.write.0 == array && producers.contains(&one.statement);
    let mut last: BTreeMap<&Cell, usize> = BTreeMap::new();
    let mut reads: Vec<(usize, usize)> = vec![];
    for (k, one) in instances.iter().enumerate() {
        let seen = one.reads.iter().filter_map(|cell| last.get(cell));
        reads.extend(seen.filter(|w| is_moved(&instances[**w])).map(|w| (*w, k)));
        last.insert(&one.write, k);
    }
    match dates {
        Dates::Distinct => {
            let mut order: Vec<usize> = (0..instances.len()).collect();
            order.sort_by_key(|k| &instances[*k].date);
            let mut memory: BTreeMap<Vec<i64>, usize> = BTreeMap::new();
            order.into_iter().all(|k| {
                let mut of = reads.iter().filter(|(_, reader)| *reader == k);
                let sound = of.all(|(w, _)| memory.get(&place(&instances[*w].date)) == Some(w));
                if is_moved(&instances[k]) {
                    memory.insert(place(&instances[k].date), k);
                }
                sound
            })
        }
        Dates::Shared { parallel } => {
            let when = |k: usize| -> Vec<i64> {
                let date = instances[k].date.iter().enumerate();
                date.filter(|(d, _)| !parallel.contains(d)).map(|(_, value)| *value).collect()
            };
            let writes: Vec<usize> = (0..instances.len()).filter(|k| is_moved(&instances[*k])).collect();
            // What nobody reads is there at its own date.
            let uses = reads.iter().copied().chain(writes.iter().map(|w| (*w, *w)));
            uses.into_iter().all(|(w, r)| {
                writes.iter().all(|&other| {
                    let at_once = when(w) <= when(other) && when(other) <= when(r);
                    other == w || !at_once || place(&instances[other].date) != place(&instances[w].date)
                })
            })
        }
    }
}

/// The moduli do, and no smaller one of any dimension does beside the others.
fn assert_least(instances: &[Instance], array: &str, producers: &[usize], moduli: &[i64], dates: &Dates) {
    assert!(keeps(instances, array, producers, moduli, dates), "{array}: {moduli:?}");
    for (k, modulus) in moduli.iter().enumerate() {
        for less in 1..*modulus {
            let mut smaller = moduli.to_vec();
            smaller[k] = less;
            assert!(!keeps(instances, array, producers, &smaller, dates), "{array}: {smaller:?}");
        }
    }
}

const GAUSS: &str = "#pragma burstc size(M: 12, max 64) size(N: 9, max 64)
    void gauss(int M, int N, int in[N][M], int out[N][M])
    {
        int tmp[N][M];
        for (int i = 1; i < N - 1; i++)
            for (int j = 0; j < M; j++)
                tmp[i][j] = 3 * in[i][j] - in[i - 1][j] - in[i + 1][j];
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < M - 1; j++)
                out[i][j] = 3 * tmp[i][j] - tmp[i][j - 1] - tmp[i][j + 1];
    }";

/// 9 rows of 12 of the Gaussian filter, the second statement `shift` columns behind; `apart` has a dimension more, which tells the two apart.
fn gauss(shift: i64, apart: bool) -> Vec<Instance> {
    let (rows, columns) = (9, 12);
    let date = |i: i64, j: i64, s: i64| if apart { vec![i, j, s] } else { vec![i, j] };
    let mut all = vec![];
    for i in 1..rows - 1 {
        all.extend((0..columns).map(|j| Instance {
            statement: 0,
            date: date(i, j, 0),
            reads: vec![],
            write: ("tmp", vec![i, j]),
        }));
    }
    for i in 1..rows - 1 {
        all.extend((1..columns - 1).map(|j| Instance {
            statement: 1,
            date: date(i, j + shift, 1),
            reads: (j - 1..=j + 1).map(|j| ("tmp", vec![i, j])).collect(),
            write: ("out", vec![i, j]),
        }));
    }
    all
}

/// The note's first example with the schedule it prints: DS = {0} x [-3, 3], [1, 4]. With dates that tell the statements apart, the second
/// may come a column earlier, and comparisons are strict: DS = {0} x [-2, 2], [1, 3].
#[test]
fn gauss_as_printed_and_better() {
    let note = Note::new(GAUSS);
    let schedule = note.schedule(&["S0[i, j] -> [i, j]", "S1[i, j] -> [i, j + 2]"]);
    let values = note.values("tmp", &schedule, &[0]);
    note.assert_differences(&values, &shared(), "{ [i, j] : i = 0 and -3 <= j <= 3 }");
    assert_eq!(moduli(&values, &shared()), [1, 4]);
    assert_least(&gauss(2, false), "tmp", &[0], &[1, 4], &shared());

    let schedule = note.schedule(&["S0[i, j] -> [i, j, 0]", "S1[i, j] -> [i, j + 1, 1]"]);
    let values = note.values("tmp", &schedule, &[0]);
    note.assert_differences(&values, &Dates::Distinct, "{ [i, j, s] : i = 0 and -2 <= j <= 2 and s = 0 }");
    assert_eq!(moduli(&values, &Dates::Distinct), [1, 3, 1]);
    assert_least(&gauss(1, true), "tmp", &[0], &[1, 3, 1], &Dates::Distinct);
    // Without them, the place of the value that is read last would not be free.
    let schedule = note.schedule(&["S0[i, j] -> [i, j]", "S1[i, j] -> [i, j + 1]"]);
    assert_eq!(moduli(&note.values("tmp", &schedule, &[0]), &shared()), [1, 3]);
    assert_least(&gauss(1, false), "tmp", &[0], &[1, 3], &shared());
}

const FORWARD: &str = "#pragma burstc size(N: 8, max 8)
    void forward_subst(int N, int b[N], int L[N][N], int y[N])
    {
        for (int i = 0; i < N; i++) {
            y[i] = b[i];
            for (int j = 0; j < i; j++)
                y[i] = y[i] - L[i][j] * y[j];
            y[i] = y[i] / L[i][i];
        }
    }";

fn forward(n: i64) -> Vec<Instance> {
    let mut all = vec![];
    for i in 0..n {
        let y = |k: i64| ("y", vec![k]);
        all.push(Instance { statement: 0, date: vec![i, 0, 0], reads: vec![], write: y(i) });
        all.extend((0..i).map(|j| Instance {
            statement: 1,
            date: vec![i, 1, j],
            reads: vec![y(i), y(j)],
            write: y(i),
        }));
        all.push(Instance { statement: 2, date: vec![i, 2, 0], reads: vec![y(i)], write: y(i) });
    }
    all
}

/// The note's second example, N = 8, a memory for the values of each statement, in the order of the source: S0 [1, 1, 1], S1 [1, 1, 2], or in
/// place with strict comparisons, S2 [7, 1, 1].
#[test]
fn forward_substitution_per_statement() {
    let note = Note::new(FORWARD);
    let schedule = note.schedule(&["S0[i] -> [i, 0, 0]", "S1[i, j] -> [i, 1, j]", "S2[i] -> [i, 2, 0]"]);
    let instances = forward(8);
    for (producer, inclusive, strict) in
        [(0, [1, 1, 1], [1, 1, 1]), (1, [1, 1, 2], [1, 1, 1]), (2, [7, 1, 1], [7, 1, 1])]
    {
        let values = note.values("y", &schedule, &[producer]);
        for (dates, expected) in [(shared(), inclusive), (Dates::Distinct, strict)] {
            assert_eq!(moduli(&values, &dates), expected, "S{producer}, {dates:?}");
            assert_least(&instances, "y", &[producer], &expected, &dates);
        }
    }
}

/// The reads of the same program, whose values several statements give, choose among their memories; run so, with as many words, it computes
/// what it computes as written.
#[test]
fn forward_substitution_chooses_among_memories() {
    let note = Note::new(FORWARD);
    let all = flow::producers(&note.program, note.array("y")).unwrap();
    let of = |reader: usize, subscript: &str, writer: usize| {
        let own = all.iter().filter(|p| (p.reader.0, p.writer.0) == (reader, writer));
        let mut own = own.filter(|p| {
            let access = &note.program.statements[p.reader].accesses[p.access];
            access.subscripts.as_ref().unwrap()[0] == crate::kernels::affine(subscript)
        });
        own.next().map(|p| p.pairs.clone())
    };
    for (reader, subscript, expected) in [
        (1, "i", [Some("S1[i, 0] -> S0[i]"), Some("S1[i, j] -> S1[i, j - 1] : j >= 1"), None]),
        (1, "j", [None, None, Some("S1[i, j] -> S2[j]")]),
        (2, "i", [Some("S2[0] -> S0[0]"), Some("S2[i] -> S1[i, i - 1]"), None]),
    ] {
        for (writer, expected) in expected.into_iter().enumerate() {
            let found = of(reader, subscript, writer);
            assert_eq!(found.is_some(), expected.is_some(), "S{reader} y[{subscript}] of S{writer}");
            if let (Some(found), Some(expected)) = (found, expected) {
                let domain = |s: usize| &note.program.statements[StatementId(s)].domain;
                let expected = note.program.isl.parse_map(&format!("{{ {expected} }}")).unwrap();
                let expected =
                    expected.intersect_domain(domain(reader)).unwrap().intersect_range(domain(writer)).unwrap();
                assert!(found.is_equal(&expected).unwrap(), "     got {found}\nexpected {expected}");
            }
        }
    }
    let n = 8;
    let (b, l) = (|i: i64| 1000 + 37 * i, |i: i64, j: i64| 1 + (3 * i + 5 * j) % 4);
    let mut y = vec![0; n as usize];
    let (mut s1, mut s2) = (0, [0; 7]);
    for i in 0..n {
        y[i as usize] = b(i);
        let s0 = b(i);
        for j in 0..i {
            y[i as usize] -= l(i, j) * y[j as usize];
            s1 = if j == 0 { s0 } else { s1 } - l(i, j) * s2[(j % 7) as usize];
        }
        y[i as usize] /= l(i, i);
        s2[(i % 7) as usize] = if i == 0 { s0 } else { s1 } / l(i, i);
        assert_eq!(s2[(i % 7) as usize], y[i as usize], "{i}");
    }
}

/// The note's third example: a helper with two outputs, which burstc puts in place of its call. With a relation per array x needs 2 rows and y 3;
/// with one for both, 3 and 3.
#[test]
fn several_writes_have_a_relation_each() {
    let note = Note::new(
        "#pragma burstc size(N: 8, max 8)
         static void pure(int *out1, int *out2, int in1, int in2)
         {
             *out1 = 3 * in1 - in2;
             *out2 = in1 + 5 * in2;
         }
         void k(int N, int x[N][N], int y[N][N])
         {
             for (int i = 2; i < N; i++)
                 for (int j = 0; j < N; j++)
                     pure(&x[i][j], &y[i][j], x[i - 1][j], y[i - 2][j]);
         }",
    );
    let schedule = note.schedule(&["S0[i, j] -> [i, j]", "S1[i, j] -> [i, j]"]);
    let (x, y) = (note.values("x", &schedule, &[0, 1]), note.values("y", &schedule, &[0, 1]));
    assert_eq!([moduli(&x, &shared())[0], moduli(&y, &shared())[0]], [2, 3]);
    let both = x.flow.union(&y.flow).unwrap();
    for own in [&x, &y] {
        let one = Values { flow: both.clone(), writes: own.writes.clone() };
        assert_eq!(moduli(&one, &shared())[0], 3);
    }
    let mut instances = vec![];
    for (i, j) in (2..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
        for (statement, array) in ["x", "y"].into_iter().enumerate() {
            let reads = vec![("x", vec![i - 1, j]), ("y", vec![i - 2, j])];
            instances.push(Instance { statement, date: vec![i, j], reads, write: (array, vec![i, j]) });
        }
    }
    for (array, producer, rows) in [("x", 0, 2), ("y", 1, 3)] {
        assert!(keeps(&instances, array, &[producer], &[rows, 8], &shared()));
        assert!(!keeps(&instances, array, &[producer], &[rows - 1, 8], &shared()));
    }
}

/// What nobody reads takes the place of nothing that is still read: the note's step 3, which looks at writes that are read only, gives [1, 1].
#[test]
fn what_nobody_reads_overwrites_nothing() {
    let note = Note::new(
        "#pragma burstc size(N: 8, max 8)
         void k(int N, int x[N], int y[N], int t[2 * N])
         {
             for (int i = 0; i < N; i++) {
                 t[2 * i] = x[i];
                 t[2 * i + 1] = 7;
                 y[i] = t[2 * i];
             }
         }",
    );
    let schedule = note.schedule(&["S0[i] -> [i, 0]", "S1[i] -> [i, 1]", "S2[i] -> [i, 2]"]);
    let values = note.values("t", &schedule, &[0, 1]);
    let instance = |i: i64, statement: usize| Instance {
        statement,
        date: vec![i, statement as i64],
        reads: if statement == 2 { vec![("t", vec![2 * i])] } else { vec![] },
        write: if statement == 2 { ("y", vec![i]) } else { ("t", vec![2 * i + statement as i64]) },
    };
    let instances: Vec<Instance> = (0..8).flat_map(|i| (0..3).map(move |s| instance(i, s))).collect();
    for dates in [Dates::Distinct, shared()] {
        assert_eq!(moduli(&values, &dates), [1, 2]);
        assert_least(&instances, "t", &[0, 1], &[1, 2], &dates);
    }
}

/// Four values are made at once, and read in the next step, as the next four are made: two steps of four. The note's section 2.5.1, which still
/// compares along the parallel dimension, gives [1, 4].
#[test]
fn what_runs_at_once_has_places_of_its_own() {
    let note = Note::new(
        "#pragma burstc size(T: 8, max 8)
         void k(int T, int a[T][5], int s[T][5], int r[T])
         {
             for (int t = 1; t < T; t++) {
                 for (int p = 1; p <= 4; p++)
                     s[t][p] = 3 * a[t][p];
                 r[t] = s[t - 1][1] + s[t - 1][2] + s[t - 1][3] + s[t - 1][4];
             }
         }",
    );
    let schedule = note.schedule(&["S0[t, p] -> [t, p]", "S1[t] -> [t, 0]"]);
    let values = note.values("s", &schedule, &[0]);
    let parallel = Dates::Shared { parallel: vec![1] };
    assert_eq!(moduli(&values, &parallel), [2, 4]);
    let mut instances = vec![];
    for t in 1..8 {
        instances.extend((1..=4).map(|p| Instance {
            statement: 0,
            date: vec![t, p],
            reads: vec![],
            write: ("s", vec![t, p]),
        }));
        let reads = (1..=4).map(|p| ("s", vec![t - 1, p])).collect();
        instances.push(Instance { statement: 1, date: vec![t, 0], reads, write: ("r", vec![t]) });
    }
    assert_least(&instances, "s", &[0], &[2, 4], &parallel);
    assert!(!keeps(&instances, "s", &[0], &[1, 4], &parallel));
}

fn analyzed(text: &str) -> burstc::offload::Offload {
    let kernel = source::parse(&Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] }).unwrap();
    let offload = crate::kernels::analyze(&kernel).unwrap();
    assert_eq!(burstc::verify::verify(&offload), Ok(()));
    offload
}

fn words(offload: &burstc::offload::Offload, array: &str) -> i64 {
    let array = offload.kernel.arrays.position(|own| own.name == array).unwrap();
    offload.buffers.iter().find(|buffer| buffer.array == array).unwrap().words()
}

/// The Gaussian filter in tiles of 16 x 32, strips 128 wide.
fn gauss_in_tiles() -> String {
    let schedule = "schedule(S0[i,j] -> (i, j); S1[i,j] -> (i, j + 2)) tile(16, 32)";
    GAUSS.replace("M: 12, max 64", "M: 128, max 128").replace("N: 9, max 64", "N: 128, max 128").replace(
        "        for (int i = 1; i < N - 1; i++)\n            for (int j = 0",
        &format!("#pragma burstc {schedule}\n        for (int i = 1; i < N - 1; i++)\n            for (int j = 0"),
    )
}

/// By tiles tmp has 1,024 words: 560 live at once where a tile does all of the first statement before the second. One row of it after the other keeps
/// full rows and 80 values, which a lattice of 80 words keeps apart, rounded to 128. Where the statements take turns in every iteration, 49
/// values live, and 16 x 4 words do. All counted by enumeration.
#[test]
fn gauss_in_tiles_of_16_by_32() {
    let offload = analyzed(&gauss_in_tiles());
    assert_eq!(crate::kernels::band(&offload).compute.order, "S0 (i, 0, j), S1 (i, 1, j + 2)");
    assert_eq!(words(&offload, "tmp"), 128);

    let source = Source { path: "k.c".into(), text: gauss_in_tiles(), cpp_args: vec![] };
    let kernel = polyhedral::expand_locals(&source::parse(&source).unwrap()).unwrap();
    let program = polyhedral::extract(&kernel).unwrap();
    let mut band = burstc::tiling::apply(&program, &kernel, &kernel.tilings).unwrap().raw.remove(0);
    let tmp = kernel.arrays.position(|array| array.name == "tmp").unwrap();
    for (dates, live, expected) in [
        (["0, i, j", "1, i, j + 2"], 560, [16, 35]),
        (["i, 0, j", "i, 1, j + 2"], 80, [16, 35]),
        (["i, j, 0", "i, j + 2, 1"], 49, [16, 4]),
    ] {
        band.date_expressions = dates.map(crate::kernels::affines).to_vec();
        let differences = lifetimes::differences_in_strips(&program, &band, tmp).unwrap().unwrap();
        assert_eq!(successive_moduli(&differences).unwrap().unwrap(), expected, "{dates:?}");
        assert_eq!(most_live(&band.date_expressions), live, "{dates:?}");
    }
}

/// The most values of tmp that live at once in the strip of 16 rows in the middle, in an order inside the tiles: written, and still to be read.
fn most_live(dates: &[Vec<burstc::affine::Affine>]) -> usize {
    let mut runs = vec![];
    for (s, shift, columns) in [(0, 0, 0..128), (1, 2, 1..127)] {
        for (i, j) in (48..64).flat_map(|i| columns.clone().map(move |j| (i, j))) {
            let date = dates[s].iter().map(|x| x.evaluate(|name| if name == "i" { i } else { j }));
            runs.push(((j + shift) / 32, date.collect::<Vec<i64>>(), s, i, j));
        }
    }
    runs.sort();
    let mut last_read: BTreeMap<(i64, i64), usize> = BTreeMap::new();
    for (at, (.., i, j)) in runs.iter().enumerate().filter(|(_, run)| run.2 == 1) {
        last_read.extend((j - 1..=j + 1).map(|j| ((*i, j), at)));
    }
    let (mut live, mut most) = (0, 0);
    let mut dies: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, (_, _, s, i, j)) in runs.iter().enumerate() {
        if *s == 0
            && let Some(last) = last_read.get(&(*i, *j))
        {
            live += 1;
            *dies.entry(*last).or_default() += 1;
        }
        most = most.max(live);
        live -= dies.get(&at).copied().unwrap_or(0);
    }
    most
}

/// The three polytopes of DTSE section 3.3.2, N = 64, with local arrays: by tiles 4,096 words; the paper's placement needs 2 or 3, one column after the
/// other.
#[test]
fn three_polytopes() {
    let offload = analyzed(
        "#pragma burstc size(N: 64, max 64)
         void k(int N, int in[N + 1][N + 2], int out[N + 1])
         {
             int a[N + 1][N + 2], b[N + 1][N + 2];
             for (int j = 1; j <= N; j++)
                 a[0][j] = in[0][j];
             for (int i = 1; i <= N; i++)
                 for (int j = 1; j <= N - i + 1; j++)
                     a[i][j] = in[i][j] + a[i - 1][j];
             for (int p = 1; p <= N; p++)
                 b[p][1] = 3 * a[N - p + 1][p] + a[N - p][p];
             for (int k = 1; k <= N; k++)
                 for (int l = 1; l <= k; l++)
                     b[k][l + 1] = 5 * b[k][l] + 1;
             for (int k = 1; k <= N; k++)
                 out[k] = b[k][k + 1];
         }",
    );
    assert!(
        words(&offload, "a") <= 8 && words(&offload, "b") <= 8,
        "{} {}",
        words(&offload, "a"),
        words(&offload, "b")
    );
}
