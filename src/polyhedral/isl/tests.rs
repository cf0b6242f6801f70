use anyhow::Result;

use super::*;

#[test]
fn errors_carry_isl_s_message_and_do_not_stick() {
    let isl = Context::new().unwrap();
    let error = isl.parse_set("{ [i] : i >> }").unwrap_err();
    assert!(format!("{error:#}").contains("unexpected token") || format!("{error:#}").contains("syntax"), "{error:#}");
    let one = isl.parse_set("{ A[i] }").unwrap();
    let other = isl.parse_set("{ B[i, j] }").unwrap();
    let error = one.union(&other).unwrap_err();
    assert!(error.to_string().contains("spaces"), "{error}");
    assert!(one.is_equal(&one).unwrap());
}

#[test]
fn limits_nest() {
    let isl = Context::new().unwrap();
    let set = isl.parse_set("[N] -> { [i, j] : 0 <= i < j < N }").unwrap();
    let other = isl.parse_set("[N] -> { [i, j] : 0 <= j < N and i mod 3 = 0 }").unwrap();
    let work = |rounds: usize| -> Result<()> { (0..rounds).try_for_each(|_| set.subtract(&other).map(drop)) };
    let before = isl.operations();
    work(1).unwrap();
    let each = isl.operations() - before;
    assert!((50..5_000).contains(&each), "{each}");
    assert!(isl.within(3 * each, || work(1)).unwrap().is_some());
    assert!(isl.within(3 * each, || work(9)).unwrap().is_none());
    // What is done inside counts outside, also where it was given up.
    let inside = || isl.within(3 * each, || work(9));
    let outside = isl.within(7 * each, || (0..4).try_for_each(|_| inside().map(drop))).unwrap();
    assert!(outside.is_none());
    let outside = isl.within(20 * each, || (0..4).try_for_each(|_| inside().map(drop))).unwrap();
    assert!(outside.is_some());
    // The limit of all is not one that an inner call is asked for.
    assert!(isl.within(u64::MAX / 2, || work(1)).unwrap().is_some());
    isl.0.set_max_operations(isl.operations() + each);
    assert!(isl.within(9 * each, || work(3)).unwrap_err().is::<Exhausted>());
}

/// What isl prints counts as operations, too, and at the limit it gives no text.
#[test]
fn sets_print_whatever_the_limit() {
    let isl = Context::new().unwrap();
    let set = isl.parse_set("[N] -> { [i, j] : 0 <= i < j < N and (exists a: i + j = 3a) }").unwrap();
    let text = set.to_string();
    for left in 0..50 {
        isl.0.set_max_operations(isl.operations() + left);
        assert_eq!(set.to_string(), text);
    }
    isl.0.set_max_operations(isl.operations() + 1);
    assert!((0..99).try_for_each(|_| set.subtract(&set).map(drop)).unwrap_err().is::<Exhausted>());
}

#[test]
fn objects_clone_print_and_outlive_their_context() {
    let set = {
        let isl = Context::new().unwrap();
        isl.parse_set("[N] -> { S0[i] : 0 <= i < N }").unwrap()
    };
    let copy = set.clone();
    drop(set);
    assert_eq!(copy.to_string(), "[N] -> { S0[i] : 0 <= i < N }");
    assert_eq!(copy.fix_parameter("N", 7).unwrap().count().unwrap(), Bounded::Finite(7));
}

#[test]
fn builds_what_isl_reads() {
    let isl = Context::new().unwrap();
    // Words of isl's own notation are names like any other.
    let (parameters, iterators) = (["max".to_string()], ["mod".to_string(), "j".to_string()]);
    let domain = Tuple { name: "S0", dimensions: &iterators };
    let below = Constraint::at_most(Affine::variable("mod") * 2, Affine::variable("max") - Affine::constant(1));
    let set = isl.set(&parameters, domain, &[below, Constraint::Zero(Affine::variable("j"))]).unwrap();
    assert_eq!(set.to_string(), "[max] -> { S0[mod, j = 0] : 2mod < max }");
    let value = Affine::variable("j") - Affine::variable("max") + Affine::constant(2);
    let map = isl.function(&parameters, domain, Tuple::anonymous(), &[value]).unwrap();
    let image = map.intersect_domain(&set).unwrap().range().unwrap().fix_parameter("max", 5).unwrap();
    assert_eq!((image.minimum(0).unwrap(), image.maximum(0).unwrap()), (Bounded::Finite(-3), Bounded::Finite(-3)));
    let unknown = [Constraint::Zero(Affine::variable("k"))];
    let error = isl.set(&parameters, domain, &unknown).unwrap_err();
    assert_eq!(error.to_string(), "k in k is not in scope");
}

#[test]
fn optima_tell_empty_from_endless() {
    let isl = Context::new().unwrap();
    let set = isl.parse_set("[N] -> { [i] : 3 <= i <= N }").unwrap();
    assert_eq!(set.minimum(0).unwrap(), Bounded::Finite(3));
    assert_eq!(set.maximum(0).unwrap(), Bounded::Infinite);
    assert_eq!(set.subtract(&set).unwrap().maximum(0).unwrap(), Bounded::Empty);
    assert_eq!(set.fix_parameter("N", 2).unwrap().sample().unwrap(), None);
}

#[test]
fn the_least_point_is_the_first_of_all_points() {
    let isl = Context::new().unwrap();
    let set = isl.parse_set("{ [i, j, k] : i + j >= 3 and 2i + k = 7 and -4 <= j <= 5 and 0 <= k <= 4 }").unwrap();
    let holds = |i: i64, j: i64, k: i64| i + j >= 3 && 2 * i + k == 7 && (-4..=5).contains(&j) && (0..=4).contains(&k);
    let points = (-9..9).flat_map(|i| (-9..9).flat_map(move |j| (-9..9).map(move |k| (i, j, k))));
    let (i, j, k) = points.into_iter().find(|(i, j, k)| holds(*i, *j, *k)).unwrap();
    assert_eq!(set.least_point().unwrap(), Some(vec![i, j, k]));
    assert_eq!(set.subtract(&set).unwrap().least_point().unwrap(), None);
    // A piece that is empty where the first dimension is 0.
    let text = "{ [N, M, j] : 0 <= N <= 2 and 2 <= M <= 3 and N - 1 <= j and 0 <= j < N; [N, M, 0] : 0 <= N <= 1 and 2 <= M <= 3 }";
    let set = isl.parse_set(text).unwrap();
    let point = set.least_point().unwrap().expect("it has points");
    assert!((0..=2).contains(&point[0]) && (2..=3).contains(&point[1]) && point[2] >= 0);
    let endless = isl.parse_set("{ [i, j] : i <= 2 and j >= 2i }").unwrap();
    assert!(endless.least_point().unwrap().is_some_and(|point| point[0] <= 2 && point[1] >= 2 * point[0]));
}
