//! `--allow-reassociation`: lanes along sums, products and extrema of floating-point numbers. The hardware gives the bits
//! of the same operations in its own order, and hardly differs from the C program.

mod common;

use burstc::choose_lanes::Request;
use burstc::ids::StatementId;
use burstc::simulate::simulator::Simulator;
use burstc::source::Source;
use burstc::{Options, diagnostic::Diagnostic};
use common::{Data, Rig, Subject, on_a_bus};

/// Loops over `N` and `M` around one statement on `x[N]`, `a[N][M]` and `b[M]`, whose lanes must run along `j`.
fn text(ty: &str, statement: &str) -> String {
    format!(
        "#pragma burstc size(N: 12, max 32) size(M: 29, max 64)\n\
         void f(int N, int M, {ty} x[N], {ty} a[N][M], {ty} b[M])\n{{\n#pragma burstc tile(i:1, j:16)\n    \
         for (int i = 0; i < N; i++)\n        for (int j = 0; j < M; j++)\n            {statement}\n}}\n"
    )
}

fn source(text: String) -> Source {
    Source { path: "f.c".into(), text, cpp_args: vec![] }
}

fn options(lanes: i64, allow_reassociation: bool) -> Options {
    Options { lanes: Some(Request::Count(lanes)), allow_reassociation, ..Options::default() }
}

/// Runs on some sizes; the difference from the C program must lie in `from..=to`.
fn check(ty: &str, statement: &str, lanes: i64, simulator: Simulator, (from, to): (f64, f64)) {
    let subject = Subject::new(&source(text(ty, statement)), &options(lanes, true)).expect("lanes");
    let along = &subject.accelerator.offload.lanes(StatementId(0)).expect("lanes").along;
    assert!(along == "j" && subject.accelerator.offload.reassociates(), "along {along}: {statement}");
    let rig = Rig::of(&subject, simulator, false).expect("the bench builds");
    let mut largest = 0f64;
    for (n, m) in [(1, 1), (9, 33), (32, 64), (0, 5)] {
        let ranges = &[("a", -3, 5), ("b", 0, 2)];
        let shown = rig.run_on(Data { set: &[("N", n), ("M", m)], ranges, seed: 1 });
        largest = largest.max(shown.difference);
    }
    println!("{ty}, {statement} {lanes} lanes: difference {largest:.1e}");
    assert!((from..=to).contains(&largest), "{statement}: {largest:e}");
}

#[test]
fn sums_of_products() {
    check("float", "x[i] += a[i][j] * b[j];", 8, Simulator::Verilator, (1e-9, 1e-5));
    check("double", "x[i] = x[i] - a[i][j] * b[j];", 4, Simulator::Icarus, (1e-18, 1e-14));
}

#[test]
fn sums_of_several_terms() {
    check("float", "x[i] = a[i][j] + x[i];", 2, Simulator::Icarus, (1e-9, 1e-5));
    check("float", "x[i] = x[i] + a[i][j] + b[j];", 4, Simulator::Verilator, (1e-9, 1e-5));
}

#[test]
fn products_and_extrema() {
    check("double", "x[i] *= a[i][j] * 0.25;", 8, Simulator::Verilator, (0.0, 1e-13));
    check("float", "x[i] = x[i] < a[i][j] ? x[i] : a[i][j];", 8, Simulator::Verilator, (0.0, 0.0));
    check("float", "x[i] = a[i][j] <= x[i] ? x[i] : a[i][j];", 16, Simulator::Verilator, (0.0, 0.0));
}

#[test]
fn never_without_being_asked() {
    let wanted = source(text("float", "x[i] += a[i][j] * b[j];").replace("i:1", "i:8"));
    let subject = Subject::new(&wanted, &options(4, false)).expect("lanes along rows");
    let offload = &subject.accelerator.offload;
    assert_eq!(offload.lanes(StatementId(0)).map(|shape| shape.along.as_str()), Some("i"));
    assert!(!offload.reassociates());
    // Along the only loop there is nothing else.
    let sum = "#pragma burstc size(N: 20, max 64)\nvoid f(int N, float x[1], float a[N])\n{\n    \
               for (int i = 0; i < N; i++)\n        x[0] += a[i];\n}\n";
    let error = Subject::new(&source(sum.into()), &options(4, false)).err().expect("a refusal");
    let help = &error.downcast_ref::<Diagnostic>().expect("a diagnostic").help;
    assert!(help.contains("--allow-reassociation"), "{help}");
    if !on_a_bus() {
        Subject::new(&source(sum.into()), &options(4, true)).expect("allowed");
    }
    // An intermediate sum of another type rounds otherwise, and is no sum of floats.
    let mixed = sum.replace("x[0] += a[i]", "x[0] += a[i] * 0.1");
    assert!(Subject::new(&source(mixed), &options(4, true)).is_err());
}
