//! Scans against the points that isl finds in the same set.

use std::collections::{BTreeMap, BTreeSet};

use super::linear::{normalised, solve};
use super::*;
use crate::ids::StatementId;
use crate::offload::Level;

fn names(list: &str) -> Vec<String> {
    list.split_whitespace().map(str::to_string).collect()
}

fn scan_of(set: &Set, dimensions: &str, fixed: Fixed) -> Scan {
    let dimensions = names(dimensions);
    let parameters = names("N T");
    // 0 <= N <= 30, 0 <= T <= N
    let (n, t) = (Affine::variable("N"), Affine::variable("T"));
    let context = [
        Constraint::NonNegative(n.clone()),
        Constraint::at_most(n.clone(), Affine::constant(30)),
        Constraint::NonNegative(t.clone()),
        Constraint::at_most(t, n),
    ];
    let request = Request {
        parameters: &parameters,
        context: &context,
        set,
        names: &dimensions,
        fixed,
        point: &dimensions,
        definitions: &[],
        slacks: &[],
        in_order: false,
    };
    let Scanned::Scan(scan) = scan(set.context(), &request).unwrap() else { panic!("a point") };
    scan
}

fn visit(piece: &Piece, values: &mut BTreeMap<String, i64>, depth: usize, found: &mut Vec<Vec<i64>>) {
    let value = |affine: &Affine, values: &BTreeMap<String, i64>| affine.evaluate(|name| values[name]);
    let Some(Level { name, lower, upper, range }) = piece.levels.get(depth) else {
        found.push(piece.point.iter().map(|p| value(p, values)).collect());
        return;
    };
    let low = lower.iter().map(|b| -(-value(&b.numerator, values)).div_euclid(b.divisor)).max().unwrap();
    let high = upper.iter().map(|b| value(&b.numerator, values).div_euclid(b.divisor)).min().unwrap();
    for v in low..=high {
        assert!(range.0 <= v && v <= range.1);
        values.insert(name.clone(), v);
        visit(piece, values, depth + 1, found);
    }
    values.remove(name);
}

fn points(scan: &Scan, n: i64, t: i64) -> Vec<Vec<i64>> {
    let mut found = vec![];
    for piece in &scan.pieces {
        let mut values = BTreeMap::from([("N".to_string(), n), ("T".to_string(), t)]);
        if piece.guards.iter().all(|g| g.evaluate(|name| values[name]) >= 0) {
            visit(piece, &mut values, 0, &mut found);
        }
    }
    found
}

/// The scan visits as many points as isl counts, each once, each in the set.
fn assert_scans(text: &str, dimensions: &str, fixed: Fixed) -> Scan {
    let isl = Context::new().unwrap();
    let set = isl.parse_set(text).unwrap();
    let scan = scan_of(&set, dimensions, fixed);
    for (n, t) in [(0, 0), (1, 0), (1, 1), (2, 1), (5, 3), (6, 2), (7, 7), (12, 5), (13, 0), (30, 4)] {
        let here = set.fix_parameter("N", n).unwrap().fix_parameter("T", t).unwrap();
        let visited = points(&scan, n, t);
        let expected = here.count().unwrap().finite();
        assert_eq!(Some(visited.len() as i64), expected, "{text} for N = {n}, T = {t}: {visited:?}\n{scan:?}");
        assert_eq!(visited.iter().collect::<BTreeSet<_>>().len(), visited.len(), "{text} for N = {n}, T = {t}");
        for point in visited.iter().step_by(7) {
            let mut only = here.clone();
            for (position, &value) in point.iter().enumerate() {
                only = only.fix(position, value).unwrap();
            }
            assert!(!only.is_empty().unwrap(), "{text} for N = {n}, T = {t} has no {point:?}");
        }
    }
    scan
}

#[test]
fn scans_what_isl_counts() {
    for (text, dimensions) in [
        ("[N, T] -> { [x] : 10T <= x <= 10T + 9 and x < N }", "x"),
        ("[N, T] -> { [x] : 0 <= x < N and x mod 3 = 1 }", "x"),
        ("[N, T] -> { [x] : 0 <= x < N and x mod 3 != 2 }", "x"),
        ("[N, T] -> { [x] : 0 <= x < N and x mod 2 = N mod 2 }", "x"),
        ("[N, T] -> { [x] : 0 <= x <= floor(N/3) }", "x"),
        ("[N, T] -> { [x] : 0 <= x <= N and floor(x/4) = T }", "x"),
        ("[N, T] -> { [x] : 0 <= x < N and x != T and x != 2T }", "x"),
        ("[N, T] -> { [x, y] : 0 <= x < N and 0 <= y <= x and (x + y) mod 2 = 0 }", "x y"),
        ("[N, T] -> { [x, y] : 0 <= x < N and 2y = x }", "x y"),
        ("[N, T] -> { [x, y] : 0 <= x < N and 3x = 2y + N }", "x y"),
        ("[N, T] -> { [x, y] : x = T and 0 <= y < N }", "x y"),
        ("[N, T] -> { [x, y] : 0 <= x < N and y = T + x }", "x y"),
        ("[N, T] -> { [x, y] : (0 <= x < N and 0 <= y < T) or (0 <= x < T and 0 <= y < N) }", "x y"),
        ("[N, T] -> { [x, y] : exists a, b : 0 <= a, b < N and x = 2a + b and y = a + 3b }", "x y"),
        ("[N, T] -> { [x, y] : exists a : 0 <= a < N and 2a <= x <= 2a + T and 0 <= y <= 3 }", "x y"),
        ("[N, T] -> { [x, y, z] : 0 <= x < N and x <= 3y <= x + 7 and 2z = y + x }", "x y z"),
        ("[N, T] -> { [x] : 0 <= x <= T and N >= 40 }", "x"),
    ] {
        for fixed in [Fixed::Keep, Fixed::DropOuter, Fixed::Drop] {
            assert_scans(text, dimensions, fixed);
        }
    }
}

/// Where order matters, points come in that of the dimensions, each once: pieces in sequence, or interleaved in loops.
#[test]
fn points_come_in_order() {
    let parameters = names("N T");
    let within = |name: &str| Constraint::at_most(Affine::variable(name), Affine::constant(30));
    let context: Vec<Constraint> =
        parameters.iter().flat_map(|name| [Constraint::NonNegative(Affine::variable(name)), within(name)]).collect();
    for (text, dimensions) in [
        ("[N, T] -> { [x] : 0 <= x < N and x != T }", "x"),
        ("[N, T] -> { [x] : N - 8 < x < N and x >= 0; [x] : 0 <= x <= T and x <= N - 9 }", "x"),
        ("[N, T] -> { [x] : 0 <= x < N and x mod 4 != 1 }", "x"),
        ("[N, T] -> { [x] : 0 <= x < N and (N - 3x) mod 8 != 3 }", "x"),
        ("[N, T] -> { [x] : 0 <= x < N and (3x + T) mod 7 <= 2 }", "x"),
        ("[N, T] -> { [x, y] : 0 <= x, y < N and (x - 2y) mod 3 != 1 }", "x y"),
        ("[N, T] -> { [x, y] : 0 <= x, y < N and x + y != T and y != 4 }", "x y"),
        ("[N, T] -> { [x, y] : 0 <= x, y < N and (x = T or y mod 2 = 0) }", "x y"),
        ("[N, T] -> { [x, y] : 0 <= x, y < N and exists q : 3q <= N - y + x < 3q + 2 }", "x y"),
    ] {
        let isl = Context::new().unwrap();
        let set = isl.parse_set(text).unwrap();
        let dimensions = names(dimensions);
        let date: Vec<Affine> = dimensions.iter().map(Affine::variable).collect();
        let of = |in_order| {
            let branch = Branch {
                leaf: Default::default(),
                set: set.clone(),
                date: &date,
                point: &dimensions,
                definitions: vec![],
                slacks: &[],
                in_order,
            };
            let (parameters, context, names) = (&parameters[..], &context[..], &dimensions[..]);
            let tree = Tree { parameters, context, names, fixed: Fixed::Drop, branches: vec![branch] };
            scan_tree(&isl, &tree).unwrap().unwrap()
        };
        let (scan, any) = (of(true), of(false));
        for (n, t) in [(0, 0), (1, 0), (5, 3), (7, 7), (12, 5), (13, 0), (30, 4)] {
            let mut values = crate::walk::Values::new(&BTreeMap::from([("N".to_string(), n), ("T".to_string(), t)]));
            let mut found = vec![];
            let _ = crate::walk::in_order(&scan.pieces, &mut values, |piece, values| {
                found.push(piece.point.iter().map(|p| values.evaluate(p)).collect::<Vec<i64>>());
                std::ops::ControlFlow::Continue(())
            });
            assert!(found.is_sorted(), "{text} for N = {n}, T = {t}: {found:?}");
            let mut expected = points(&any, n, t);
            expected.sort();
            assert_eq!(found, expected, "{text} for N = {n}, T = {t}");
        }
    }
}

/// The tree of sets over x and y, each a statement's; where a set's `y` is a number, its date has it.
fn tree_of(isl: &Context, texts: &[String], parameters: &[String], context: &[Constraint]) -> Scan {
    let dimensions = names("x y");
    let date = |text: &String| {
        let y = text.split_once("y = ").map(|(_, y)| y.split_once(' ').unwrap().0.parse().unwrap());
        vec![Affine::variable("x"), y.map_or(Affine::variable("y"), Affine::constant)]
    };
    let dates: Vec<Vec<Affine>> = texts.iter().map(date).collect();
    let branch = |(place, text): (usize, &String)| Branch {
        leaf: StatementId(place).into(),
        set: isl.parse_set(text).unwrap(),
        date: &dates[place],
        point: &dimensions,
        definitions: vec![],
        slacks: &[],
        in_order: true,
    };
    let branches = texts.iter().enumerate().map(branch).collect();
    scan_tree(isl, &Tree { parameters, context, names: &dimensions, fixed: Fixed::Drop, branches }).unwrap().unwrap()
}

/// The points of several sets come in the lexicographic order of their dimensions, those of one place in the order of the sets, whatever
/// loops they share: sets one behind the other, in between each other, beside each other for some T alone, and any of them empty.
#[test]
fn branches_come_in_the_order_of_their_points() {
    type Of = (&'static str, fn([i64; 3]) -> i64);
    const FIRST: [Of; 6] = [
        ("0", |_| 0),
        ("4", |_| 4),
        ("T", |[_, t, _]| t),
        ("T - 3", |[_, t, _]| t - 3),
        ("N - T", |[n, t, _]| n - t),
        ("12", |_| 12),
    ];
    const SECOND: [Of; 6] = [
        ("0", |_| 0),
        ("x", |[.., x]| x),
        ("x - 8", |[.., x]| x - 8),
        ("9 - x", |[.., x]| 9 - x),
        ("T", |[_, t, _]| t),
        ("x + 7", |[.., x]| x + 7),
    ];
    const GUARD: [Of; 4] =
        [("0", |_| 0), ("T - 4", |[_, t, _]| t - 4), ("x - T", |[_, t, x]| x - t), ("N - T", |[n, t, _]| n - t)];
    let mut state = 7u64;
    let mut draw = move |count: u64| {
        // Knuth's MMIX.
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) % count) as usize
    };
    let parameters = names("N T");
    let within = |name: &String| Constraint::at_most(Affine::variable(name), Affine::constant(9));
    let context: Vec<Constraint> =
        parameters.iter().flat_map(|name| [Constraint::NonNegative(Affine::variable(name)), within(name)]).collect();
    let mut at_a_number = 0;
    for _ in 0..150 {
        let isl = Context::new().unwrap();
        let drawn: Vec<_> = (0..2 + draw(3))
            .map(|_| (FIRST[draw(6)], SECOND[draw(6)], GUARD[draw(4)], draw(5) as i64, draw(5) as i64))
            .collect();
        let texts: Vec<String> = (drawn.iter())
            .map(|((x, _), (y, _), (guard, _), a, b)| {
                let second = match (*y, b) {
                    ("0", 0..=2) => "y = 0".to_string(),
                    _ => format!("{y} <= y <= {y} + {b}"),
                };
                format!("[N, T] -> {{ [x, y] : {x} <= x <= {x} + {a} and {second} and {guard} >= 0 }}")
            })
            .collect();
        at_a_number += texts.iter().filter(|text| text.contains("y = 0")).count();
        let scan = tree_of(&isl, &texts, &parameters, &context);
        for (n, t) in [(0, 0), (3, 8), (9, 4), (6, 5), (9, 9)] {
            let mut values = crate::walk::Values::new(&BTreeMap::from([("N".to_string(), n), ("T".to_string(), t)]));
            let mut found = vec![];
            let _ = crate::walk::in_order(&scan.pieces, &mut values, |piece, values| {
                let point: Vec<i64> = piece.point.iter().map(|p| values.evaluate(p)).collect();
                found.push((point, piece.leaf.statement().0));
                std::ops::ControlFlow::Continue(())
            });
            let mut expected = vec![];
            for (place, ((_, first), (_, second), (_, guard), a, b)) in drawn.iter().enumerate() {
                let low = first([n, t, 0]);
                let b = if texts[place].contains("y = 0") { 0 } else { *b };
                for x in (low..=low + a).filter(|x| guard([n, t, *x]) >= 0) {
                    let low = second([n, t, x]);
                    expected.extend((low..=low + b).map(|y| (vec![x, y], place)));
                }
            }
            expected.sort();
            assert_eq!(found, expected, "{texts:?} for N = {n}, T = {t}");
        }
    }
    assert!(at_a_number > 20, "{at_a_number}");
}

/// A loop around sets that do not meet would walk through what lies between them: here none of both shares one.
#[test]
fn branches_that_do_not_meet_share_no_loop() {
    let isl = Context::new().unwrap();
    let of = |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
        let parameters: Vec<String> = names(if texts[0].starts_with("[N]") { "N" } else { "" });
        let within = Constraint::at_most(Affine::variable("N"), Affine::constant(9));
        let context: Vec<Constraint> = parameters.iter().map(|_| within.clone()).collect();
        let scan = tree_of(&isl, &texts, &parameters, &context);
        scan.pieces.iter().map(|piece| (piece.leaf.statement().0, piece.shared)).collect::<Vec<_>>()
    };
    // One behind the other in x, whichever is named first.
    let (first, last) = ("{ [x, y] : 0 <= x, y < 9 }", "{ [x, y] : 90 <= x < 99 and 0 <= y < 9 }");
    assert_eq!(of(&[first, last]), [(0, 0), (1, 0)]);
    assert_eq!(of(&[last, first]), [(1, 0), (0, 0)]);
    // The same x, and y one behind the other: in one loop over x.
    assert_eq!(of(&[first, "{ [x, y] : 0 <= x < 9 and 20 <= y < 29 }"]), [(0, 0), (1, 1)]);
    // In one value of x, and there one behind the other: no loop, which would go on where the second is empty.
    let first = "[N] -> { [x, y] : x = 3 and y = 0 and 0 <= N }";
    assert_eq!(of(&[first, "[N] -> { [x, y] : 3 <= x <= N and y = 1 }"]), [(0, 0), (1, 0)]);
    assert_eq!(of(&[first, "[N] -> { [x, y] : 3 <= x <= N and y = -1 }"]), [(1, 0), (0, 1)]);
    let first = "{ [x, y] : 0 <= x, y < 9 }";
    // They meet: in loops over both.
    assert_eq!(of(&[first, "{ [x, y] : 0 <= x < 9 and 5 <= y < 29 }"]), [(0, 0), (1, 2)]);
}

fn text(piece: &Piece) -> String {
    let bounds = |bounds: &[crate::offload::Bound]| -> String {
        let all: Vec<String> = bounds
            .iter()
            .map(|b| if b.divisor == 1 { b.numerator.to_string() } else { format!("({})/{}", b.numerator, b.divisor) })
            .collect();
        all.join(", ")
    };
    let levels = piece.levels.iter().map(|l| format!("{}: {} .. {}; ", l.name, bounds(&l.lower), bounds(&l.upper)));
    let point: Vec<String> = piece.point.iter().map(|p| p.to_string()).collect();
    format!("{}[{}]", levels.collect::<String>(), point.join(", "))
}

/// A stride becomes a level of its own; a level with one value goes, a row with one value stays.
#[test]
fn levels_are_few() {
    for (set, dimensions, fixed, expected) in [
        ("{ [x] : 0 <= x < 2N and x mod 2 = 0 }", "x", Fixed::DropOuter, "q0: 0 .. N - 1; [2*q0]"),
        ("{ [x, y] : x = T and 0 <= y < N }", "x y", Fixed::DropOuter, "y: 0 .. N - 1; [T, y]"),
        ("{ [x, y] : 0 <= x < N and y = T }", "x y", Fixed::DropOuter, "x: 0 .. N - 1; y: T .. T; [x, y]"),
        ("{ [x, y] : 0 <= x < N and y = T }", "x y", Fixed::Drop, "x: 0 .. N - 1; [x, T]"),
        ("{ [x, y] : x = T and y = 3 }", "x y", Fixed::Keep, "x: T .. T; y: 3 .. 3; [x, y]"),
        // What the context says (T <= N) is no bound, nor is what another bound says.
        ("{ [x] : 0 <= x <= T and x <= N and x <= T + 5 }", "x", Fixed::DropOuter, "x: 0 .. T; [x]"),
    ] {
        let scan = assert_scans(&format!("[N, T] -> {set}"), dimensions, fixed);
        let pieces: Vec<String> = scan.pieces.iter().map(text).collect();
        assert_eq!(pieces, [expected], "{set}");
        assert_eq!(scan.pieces[0].guards, [], "{set}");
    }
    // A union that is convex is one piece; a condition on the context is a guard.
    let scan =
        assert_scans("[N, T] -> { [x] : 0 <= x < T and T <= 3; [x] : T <= x <= N and T <= 3 }", "x", Fixed::DropOuter);
    assert_eq!(scan.pieces.iter().map(text).collect::<Vec<_>>(), ["x: 0 .. N; [x]"]);
    assert_eq!(scan.pieces[0].guards, [Affine::constant(3) - Affine::variable("T")]);
    // Never within the context.
    let isl = Context::new().unwrap();
    assert!(scan_of(&isl.parse_set("[N, T] -> { [x] : 0 <= x < T - N }").unwrap(), "x", Fixed::Keep).pieces.is_empty());
}

#[test]
fn constraints_are_normalised() {
    let (x, y) = (Affine::variable("x"), Affine::variable("y"));
    let row = x.clone() * 2 - y.clone() * 4 - Affine::constant(3);
    // 2x - 4y - 3 >= 0 is x - 2y - 2 >= 0 on integers; as an equality it has no solution.
    let tight = x - y * 2 - Affine::constant(2);
    let inequality = Constraint::NonNegative(row.clone());
    assert_eq!(normalised(&inequality, row.clone()), Some(Constraint::NonNegative(tight)));
    assert_eq!(normalised(&Constraint::Zero(row.clone()), row), None);
}

#[test]
fn equalities_are_solved_in_integers() {
    let v = Affine::variable;
    let (i, j) = ("i".to_string(), "j".to_string());
    // i + j = s, i - j = d, d = s - 2q: i = s - q, j = q.
    let sum = v("i") + v("j") - v("s");
    let difference = v("i") - v("j") - v("d");
    let stride = v("d") - v("s") + v("q") * 2;
    let d = "d".to_string();
    let solution = solve(&[&d, &i, &j], &[sum.clone(), difference.clone(), stride]);
    assert_eq!(solution["i"], v("s") - v("q"));
    assert_eq!(solution["j"], v("q"));
    // Without the stride the halves are no integer functions.
    assert!(solve(&[&i, &j], &[sum, difference]).is_empty());
}
