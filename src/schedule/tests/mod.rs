//! Schedules of C kernels: legal by brute force, and as good as the literature knows them.

mod brute;
mod kernels;

use std::collections::BTreeMap;

use super::footprint::Footprint;
use super::sizes::{choose, rank};
use super::{BandPlan, candidates, candidates_for, is_legal, outer_rows, outermost_of_runs};
use crate::affine::Affine;
use crate::ids::{ByStatement, StatementId};
use crate::polyhedral::{self, Program};
use crate::source::kernel::Kernel;
use crate::source::{self, Source};
use kernels::*;

const ALL: [&str; 29] = [
    MATMUL,
    GEMM,
    JACOBI_1D,
    JACOBI_2D,
    FDTD_2D,
    SYRK,
    LU,
    FLOYD_WARSHALL,
    SEIDEL_2D,
    TWO_PRODUCTS,
    MVT,
    GEMVER,
    TRISOLV,
    ATAX,
    TRIANGLE,
    DOITGEN,
    CONVOLUTION,
    HEAT_3D,
    COVARIANCE,
    SYMM,
    TRMM,
    BICG,
    GESUMMV,
    THREE_PRODUCTS,
    NUSSINOV,
    CHOLESKY,
    ADI,
    TRANSPOSE,
    SUM,
];

fn parse(text: &str) -> (Kernel, Program) {
    let source = Source { path: "kernel.c".into(), text: text.into(), cpp_args: vec![] };
    let kernel = source::parse(&source).unwrap();
    let program = polyhedral::extract(&kernel).unwrap();
    (kernel, program)
}

/// `S0 [0], i, j | S1 [1], i, j, k`, sequential dimensions in brackets; `;` between the statements of a band.
fn text(plans: &[BandPlan]) -> String {
    let band = |plan: &BandPlan| {
        let row = |(row, tileable): (&Affine, &bool)| if *tileable { row.to_string() } else { format!("[{row}]") };
        let statement = |(s, theta): (&StatementId, &Vec<Affine>)| {
            let rows: Vec<String> = theta.iter().zip(&plan.tileable).map(row).collect();
            format!("S{s} {}", rows.join(", "))
        };
        plan.statements.iter().zip(&plan.theta).map(statement).collect::<Vec<_>>().join("; ")
    };
    plans.iter().map(band).collect::<Vec<_>>().join(" | ")
}

/// Sizes at which brute force is quick: 3 time steps, a filter of 2 taps, everything else 5.
fn small(program: &Program) -> BTreeMap<String, i64> {
    let value = |name: &str| match name {
        "T" => 3,
        "K" => 2,
        _ => 5,
    };
    program.parameters.iter().map(|name| (name.clone(), value(name))).collect()
}

#[test]
#[ignore = "slow: make test"]
fn every_candidate_keeps_the_order_of_accesses() {
    for kernel_text in ALL {
        let (kernel, program) = parse(kernel_text);
        let candidates = candidates(&program).unwrap();
        assert!(!candidates.is_empty(), "{kernel_text}");
        let accesses = brute::accesses(&kernel, &small(&program));
        for plans in candidates.iter().map(|plans| &plans.raw) {
            assert!(plans.iter().any(|p| p.tileable.contains(&true)), "{}\n{kernel_text}", text(plans));
            let dates = brute::dates(plans, &accesses);
            for tile_sizes in [[1, 1, 1, 1], [2, 3, 2, 3], [4, 1, 3, 2], [7, 7, 7, 7]] {
                let places = brute::places(plans, &dates, |_, k| tile_sizes[k % 4]);
                let violation = brute::violation(&kernel, &accesses, &places);
                assert_eq!(violation, None, "{} with sizes {tile_sizes:?}\n{kernel_text}", text(plans));
            }
        }
    }
}

/// Rows that move along with an outer loop: legal in tiles of any size, and skewed no more than the dependences ask for.
#[test]
fn rows_move_along_with_the_outermost_loop() {
    let mut found = 0;
    for kernel_text in ALL {
        let (kernel, program) = parse(kernel_text);
        let Some(plans) = outer_rows(&kernel, &program).unwrap() else { continue };
        found += 1;
        let accesses = brute::accesses(&kernel, &small(&program));
        let dates = brute::dates(&plans.raw, &accesses);
        for sizes in [[1, 1], [2, 1], [1, 2], [2, 3], [3, 2], [7, 1]] {
            let places = brute::places(&plans.raw, &dates, |_, k| sizes[k]);
            let violation = brute::violation(&kernel, &accesses, &places);
            assert_eq!(violation, None, "{} with sizes {sizes:?}\n{kernel_text}", text(&plans.raw));
        }
    }
    assert!(found >= 4, "{found} kernels have such rows");
    let expected = [
        (JACOBI_2D, Some("S0 t, i + 2*t; S1 t, i + 2*t + 1")),
        (FDTD_2D, Some("S0 t, t; S1 t, i + t; S2 t, i + t; S3 t, i + t + 1")),
        (SEIDEL_2D, Some("S0 t, i + t")),
        // Its outermost subscript is the outermost loop.
        (MATMUL, None),
        // Arrays of one dimension.
        (JACOBI_1D, None),
    ];
    for (kernel_text, expected) in expected {
        let (kernel, program) = parse(kernel_text);
        let found = outer_rows(&kernel, &program).unwrap().map(|plans| text(&plans.raw));
        assert_eq!(found.as_deref(), expected, "{kernel_text}");
    }
}

/// Nests that share tiles of one loop each, in tiles of any size. What each statement leaves stays in the tile for the next where one of its
/// loops goes along.
#[test]
fn nests_share_tiles_along_a_loop_of_each() {
    // A filter along rows, forwards and backwards, their sum, and the same along columns.
    let filters = "void f(int N, int x[N][N], int y[N][N], int z[N][N]) {
        for (int i = 0; i < N; i++) for (int j = 1; j < N; j++) y[i][j] = x[i][j] - 2 * y[i][j - 1];
        for (int i = 0; i < N; i++) for (int j = N - 2; j >= 0; j--) z[i][j] = x[i][j] - 3 * z[i][j + 1];
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) x[i][j] = y[i][j] + z[i][j];
        for (int j = 0; j < N; j++) for (int i = 1; i < N; i++) y[i][j] = x[i][j] - 2 * y[i - 1][j];
        for (int j = 0; j < N; j++) for (int i = N - 2; i >= 0; i--) z[i][j] = x[i][j] - 3 * z[i + 1][j];
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) x[i][j] = y[i][j] + z[i][j];
    }";
    let expected = [
        (filters, Some("S0 [0], i; S1 [0], i; S2 [0], i; S3 [0], i | S4 [1], j; S5 [1], j")),
        // One nest.
        (MATMUL, None),
        // Rows of one product are what the other goes through as columns.
        (MVT, Some("S0 i; S1 i")),
    ];
    for (kernel_text, expected) in expected {
        let (kernel, program) = parse(kernel_text);
        let found = outermost_of_runs(&kernel, &program).unwrap().map(|plans| text(&plans.raw));
        assert_eq!(found.as_deref(), expected, "{kernel_text}");
    }
    let mut found = 0;
    for kernel_text in ALL.into_iter().chain([filters]) {
        let (kernel, program) = parse(kernel_text);
        let Some(plans) = outermost_of_runs(&kernel, &program).unwrap() else { continue };
        found += 1;
        let accesses = brute::accesses(&kernel, &small(&program));
        let dates = brute::dates(&plans.raw, &accesses);
        for size in [1, 2, 3, 7] {
            let places = brute::places(&plans.raw, &dates, |_, _| size);
            let violation = brute::violation(&kernel, &accesses, &places);
            assert_eq!(violation, None, "{} with size {size}\n{kernel_text}", text(&plans.raw));
        }
    }
    assert!(found >= 3, "{found} kernels have nests that share tiles");
}

/// Where statements are shifted against others so that dimensions begin below 0, they are moved to 0, all statements of a band alike.
#[test]
fn dimensions_begin_at_zero() {
    let mut moved = 0;
    for kernel_text in ALL {
        let sized = kernel_text.replacen("void f(", "#pragma burstc size(N: max 5)\nvoid f(", 1);
        let (kernel, program) = parse(&sized);
        if kernel.parameters.iter().any(|size| size.max.is_none()) {
            continue;
        }
        let accesses = brute::accesses(&kernel, &small(&program));
        let least = |plans: &[BandPlan]| -> Vec<Vec<i64>> {
            let mut least: Vec<Vec<i64>> = plans.iter().map(|plan| vec![0; plan.tileable.len()]).collect();
            for (band, date) in brute::dates(plans, &accesses) {
                let tileable = plans[band].tileable.iter();
                let values = date.iter().zip(tileable).map(|(value, is)| if *is { *value } else { 0 });
                least[band].iter_mut().zip(values).for_each(|(least, value)| *least = (*least).min(value));
            }
            least
        };
        let before = candidates(&program).unwrap();
        let after = candidates_for(&kernel, &program).unwrap();
        assert_eq!(before.len(), after.len(), "{kernel_text}");
        for (before, after) in before.iter().zip(&after) {
            let shifts = least(&before.raw);
            moved += shifts.iter().flatten().filter(|shift| **shift < 0).count();
            assert_eq!(least(&after.raw).into_iter().flatten().min(), Some(0), "{}", text(&after.raw));
            for ((band, moved), shifts) in before.iter().zip(after).zip(&shifts) {
                for (theta, moved) in band.theta.iter().zip(&moved.theta) {
                    let expected = theta.iter().zip(shifts).map(|(row, shift)| row.clone() - Affine::constant(*shift));
                    assert_eq!(*moved, expected.collect::<Vec<_>>(), "{}", text(&before.raw));
                }
            }
        }
    }
    assert!(moved > 0, "some kernel's dimensions begin below 0");
}

#[test]
fn finds_what_the_literature_finds() {
    let expected = [
        (MATMUL, "S0 i, j, k"),
        (GEMM, "S0 i, j, 0; S1 i, j, k"),
        (SYRK, "S0 i, j, 0; S1 i, j, k"),
        (JACOBI_1D, "S0 t, i + 2*t; S1 t, i + 2*t + 1"),
        (JACOBI_2D, "S0 t, i + 2*t, j + 2*t; S1 t, i + 2*t + 1, j + 2*t + 1"),
        (FDTD_2D, "S0 t, t, j + t; S1 t, i + t, j + t; S2 t, i + t, j + t; S3 t, i + t + 1, j + t + 1"),
        (SEIDEL_2D, "S0 t, i + t, i + j + 2*t"),
        (LU, "S0 i, j, k; S1 i, j, j; S2 i, j, k"),
        (CHOLESKY, "S0 i, j, k; S1 i, j, j; S2 i, i, k; S3 i, i, i"),
        (FLOYD_WARSHALL, "S0 [k], i, j"),
        (TRISOLV, "S0 i, 0; S1 i, j; S2 i, i"),
        (TWO_PRODUCTS, "S0 [0], i, j, 0; S1 [0], i, j, k | S2 [1], i, j, 0; S3 [1], i, j, k"),
        (TRANSPOSE, "S0 i, j"),
        (SUM, "S0 0; S1 i; S2 N"),
    ];
    for (kernel_text, expected) in expected {
        let (_, program) = parse(kernel_text);
        let candidates: Vec<String> = candidates(&program).unwrap().iter().map(|plans| text(&plans.raw)).collect();
        assert_eq!(candidates[0], expected, "\nall: {candidates:#?}\n{kernel_text}");
    }
}

/// Every other iteration of `k` only, and `i` in two intervals.
#[test]
fn strides_and_unions_are_scheduled_like_intervals() {
    let (kernel, mut program) = parse(GEMM);
    let isl = program.isl.clone();
    let holes: ByStatement<_> = vec![
        isl.parse_set("[N] -> { S0[i, j] : i < 3 or i > 7 }").unwrap(),
        isl.parse_set("[N] -> { S1[i, k, j] : k mod 2 = 0 and (i < 3 or i > 7) }").unwrap(),
    ]
    .into();
    for (statement, holes) in program.statements.iter_mut().zip(&holes) {
        statement.domain = statement.domain.intersect(holes).unwrap();
        statement.schedule = statement.schedule.intersect_domain(holes).unwrap();
        for access in &mut statement.accesses {
            access.may = access.may.intersect_domain(holes).unwrap();
        }
    }
    for dependence in &mut program.dependences {
        let relation = dependence.relation.intersect_domain(&holes[dependence.source]).unwrap();
        dependence.relation = relation.intersect_range(&holes[dependence.sink]).unwrap();
    }
    let plans = candidates(&program).unwrap();
    assert_eq!(text(&plans[0].raw), "S0 i, j, 0; S1 i, j, k");
    let chosen = choose(&program, &kernel, plans, &sizes_at(&program, 64), BUDGET).unwrap();
    // Each array once, C twice; k ends at 62.
    assert_eq!(chosen[0].bytes(), 4.0 * (2.0 * 64.0 * 63.0 + 2.0 * 64.0 * 64.0));
}

/// What is perhaps not written has to be loaded: the zeros of the first product, if they depended on data.
#[test]
fn only_sure_writes_save_loads() {
    let bytes = |change: &dyn Fn(&mut Program)| {
        let (kernel, mut program) = parse(TWO_PRODUCTS);
        change(&mut program);
        let plans = candidates(&program).unwrap();
        choose(&program, &kernel, plans, &sizes_at(&program, 64), BUDGET).unwrap()[0].bytes()
    };
    let exact = bytes(&|_| {});
    let perhaps = bytes(&|program| {
        for access in program.statements[StatementId(0)].accesses.iter_mut().filter(|a| a.write) {
            access.must = access.must.subtract(&access.must).unwrap();
        }
    });
    // The first product's matrix, once.
    assert_eq!(perhaps - exact, 4.0 * 64.0 * 64.0);
}

#[test]
fn the_same_input_gives_the_same_schedules() {
    for kernel_text in [GEMVER, DOITGEN, HEAT_3D] {
        let first = candidates(&parse(kernel_text).1).unwrap();
        assert_eq!(first, candidates(&parse(kernel_text).1).unwrap(), "{kernel_text}");
    }
}

/// A plan written by hand, one band per list of statements.
fn plan(serial: usize, statements: &[(usize, &[Affine])]) -> BandPlan {
    let n = statements[0].1.len();
    BandPlan {
        statements: statements.iter().map(|(s, _)| StatementId(*s)).collect(),
        theta: statements.iter().map(|(_, theta)| theta.to_vec()).collect(),
        tileable: (0..n).map(|k| k >= serial).collect(),
    }
}

#[test]
fn illegal_schedules_are_found_out() {
    let v = |name: &str| Affine::variable(name);
    let c = Affine::constant;
    let (_, program) = parse(JACOBI_1D);
    let legal = |plans: &[BandPlan]| is_legal(&program, plans).unwrap();
    let (t, i) = (v("t"), v("i"));
    // Without skewing, with too little, with the second statement not shifted, and as it should be.
    assert!(!legal(&[plan(0, &[(0, &[t.clone(), i.clone()]), (1, &[t.clone(), i.clone()])])]));
    let skewed = |factor: i64, shift: i64| i.clone() + t.clone() * factor + c(shift);
    let both = |factor: i64, shift: i64| {
        plan(0, &[(0, &[t.clone(), skewed(factor, 0)]), (1, &[t.clone(), skewed(factor, shift)])])
    };
    assert!(!legal(&[both(1, 1)]) && !legal(&[both(2, 0)]) && legal(&[both(2, 1)]));
    // Time outside: legal where a constant separates the statements, not where nothing does.
    let (first, second) = ((0, &[t.clone(), c(0), i.clone()][..]), (1, &[t.clone(), c(1), i.clone()][..]));
    assert!(legal(&[plan(2, &[first]), plan(2, &[second])]));
    assert!(!legal(&[plan(1, &[first]), plan(1, &[second])]), "bands that share a tileable dimension");
    assert!(!legal(&[plan(2, &[(0, second.1)]), plan(2, &[(1, first.1)])]), "the second statement first");
    assert!(!legal(&[plan(2, &[first])]), "a statement is missing");
    // One after the other: all of the first statement's time steps before the second's.
    let (first, second) = ((0, &[c(0), t.clone(), i.clone()][..]), (1, &[c(1), t.clone(), i.clone()][..]));
    assert!(!legal(&[plan(1, &[first]), plan(1, &[second])]));
}

#[test]
fn legality_agrees_with_brute_force() {
    let mut state = 1u64;
    let mut random = |low: i64, high: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + ((state >> 33) % (high - low + 1) as u64) as i64
    };
    let (mut legal, mut illegal) = (0, 0);
    for kernel_text in [JACOBI_1D, TRISOLV, MVT, MATMUL, SEIDEL_2D] {
        let (kernel, program) = parse(kernel_text);
        let accesses = brute::accesses(&kernel, &small(&program));
        for _ in 0..60 {
            // One band of two dimensions, the first now and then sequential, with small coefficients.
            let serial = (random(0, 3) == 0) as usize;
            let rows: Vec<Vec<Affine>> = program
                .statements
                .iter()
                .map(|statement| {
                    let mut row = || {
                        let shift = Affine::constant(random(0, 1));
                        let terms = statement.iterators.iter();
                        terms.fold(shift, |sum, i| sum + Affine::variable(i) * random(-1, 5).clamp(-1, 2))
                    };
                    vec![row(), row()]
                })
                .collect();
            let statements: Vec<(usize, &[Affine])> = rows.iter().map(|r| &r[..]).enumerate().collect();
            let plans = [plan(serial, &statements)];
            let dates = brute::dates(&plans, &accesses);
            let violation =
                [[1, 1], [2, 2], [2, 1], [1, 2], [3, 2], [2, 3], [64, 1], [1, 64]].iter().find_map(|sizes| {
                    brute::violation(&kernel, &accesses, &brute::places(&plans, &dates, |_, k| sizes[k]))
                });
            let verdict = is_legal(&program, &plans).unwrap();
            assert_eq!(verdict, violation.is_none(), "{} {violation:?}\n{kernel_text}", text(&plans));
            if verdict { legal += 1 } else { illegal += 1 }
        }
    }
    assert!(legal > 30 && illegal > 100, "{legal} legal, {illegal} illegal");
}

fn sizes_at(program: &Program, value: i64) -> BTreeMap<String, i64> {
    program.parameters.iter().map(|p| (p.clone(), value)).collect()
}

/// Every power of two for every tileable dimension up to `limit`, and every last dimension.
fn all_choices(plan: &BandPlan, limit: i64) -> Vec<(usize, Vec<i64>)> {
    let mut all = vec![vec![]];
    for tileable in &plan.tileable {
        let sizes: Vec<i64> = (0..).map(|p| 1 << p).take_while(|s| *s == 1 || *tileable && *s <= limit).collect();
        all = all.iter().flat_map(|a: &Vec<i64>| sizes.iter().map(move |s| [&a[..], &[*s]].concat())).collect();
    }
    (plan.serial()..plan.tileable.len()).flat_map(|last| all.iter().map(move |sizes| (last, sizes.clone()))).collect()
}

#[test]
#[ignore = "slow: make test"]
fn the_best_sizes_move_hardly_more_than_the_best_there_are() {
    // Budgets that hold a part of the arrays.
    for (kernel_text, n, time, budgets) in [
        (MATMUL, 12, 0, [2_000, 8_000, 40_000]),
        (GEMM, 12, 0, [2_000, 8_000, 40_000]),
        (SYRK, 12, 0, [2_000, 8_000, 40_000]),
        (JACOBI_1D, 64, 16, [667, 2_667, 13_333]),
        (JACOBI_2D, 14, 4, [3_000, 6_000, 20_000]),
        (FDTD_2D, 14, 4, [4_000, 15_000, 50_000]),
    ] {
        let (kernel, program) = parse(kernel_text);
        let sizes: BTreeMap<String, i64> =
            program.parameters.iter().map(|p| (p.clone(), if p == "T" { time } else { n })).collect();
        let plans = candidates(&program).unwrap().remove(0).raw;
        let accesses = brute::accesses(&kernel, &sizes);
        let dates = brute::dates(&plans, &accesses);
        let cost = |last: usize, sizes: &[i64]| {
            brute::cost(&kernel, &accesses, &brute::places(&plans, &dates, |_, k| sizes[k]), &[last])
        };
        let all: Vec<((usize, Vec<i64>), brute::Cost)> =
            all_choices(&plans[0], 32).into_iter().map(|(last, s)| ((last, s.clone()), cost(last, &s))).collect();
        for budget in budgets {
            let chosen = rank(&program, &kernel, &plans[0], &sizes, budget as u64).unwrap().choices.remove(0);
            let mut by_dimension = vec![1; chosen.order.len()];
            chosen.order.iter().zip(&chosen.sizes).for_each(|(k, size)| by_dimension[*k] = *size);
            let got = cost(*chosen.order.last().unwrap(), &by_dimension);
            let (best, least) = all.iter().filter(|(_, c)| c.bits <= budget).min_by_key(|(_, c)| c.bytes).unwrap();
            let report = format!("{chosen:?}\ngives {got:?}\nbest {best:?} gives {least:?}\n{kernel_text}");
            assert!(got.bytes as f64 <= 1.25 * least.bytes as f64, "{report}");
            assert!(got.bits <= budget && got.bits as f64 <= chosen.bits, "{report}");
        }
    }
}

/// A board's block RAM, in bits.
const BUDGET: u64 = 9_383_040;

#[test]
fn choices_are_within_the_budget_and_well_formed() {
    for kernel_text in [MATMUL, GEMM, JACOBI_2D, FLOYD_WARSHALL, TWO_PRODUCTS, GEMVER, CONVOLUTION, HEAT_3D] {
        let (kernel, program) = parse(kernel_text);
        for plan in candidates(&program).unwrap().into_iter().flatten() {
            for choice in rank(&program, &kernel, &plan, &sizes_at(&program, 32), BUDGET).unwrap().choices {
                let mut dimensions = choice.order.clone();
                dimensions.sort_unstable();
                assert!(dimensions.into_iter().eq(0..plan.tileable.len()), "{choice:?}");
                for (k, size) in choice.order.iter().zip(&choice.sizes) {
                    assert!(plan.tileable[*k] && (size & (size - 1)) == 0 || *size == 1, "{choice:?}");
                }
                assert!(choice.order.iter().map(|k| plan.tileable[*k]).is_sorted(), "{choice:?}");
                assert!(choice.bits <= BUDGET as f64, "{choice:?}");
            }
        }
    }
}

#[test]
fn smaller_budgets_follow_and_hopeless_ones_get_the_smallest_tiles() {
    let (kernel, program) = parse(MATMUL);
    let plan = candidates(&program).unwrap().remove(0).raw.remove(0);
    let sizes = sizes_at(&program, 128);
    let choices = rank(&program, &kernel, &plan, &sizes, BUDGET).unwrap().choices;
    assert!(choices.last().unwrap().bits < choices[0].bits / 100.0, "{choices:?}");
    let choices = rank(&program, &kernel, &plan, &sizes, 10).unwrap().choices;
    assert_eq!(choices.iter().map(|c| &c.sizes[..]).collect::<Vec<_>>(), [[1, 1, 1]]);
}

#[test]
fn buffers_are_for_the_largest_sizes() {
    let (mut kernel, program) = parse(FLOYD_WARSHALL);
    let plan = candidates(&program).unwrap().remove(0).raw.remove(0);
    let bits =
        |kernel: &Kernel| rank(&program, kernel, &plan, &sizes_at(&program, 16), u64::MAX).unwrap().choices[0].bits;
    // Three references with three linear parts: the buffer is the whole array, a copy per reference.
    assert_eq!(bits(&kernel), 3.0 * 32.0 * 16.0 * 16.0);
    kernel.parameters[0].max = Some(60);
    assert_eq!(bits(&kernel), 3.0 * 32.0 * 64.0 * 64.0);
}

/// isl's scheduler gives up on this one; the program as written is a candidate all the same. Found by random programs,
/// seed 580.
#[test]
fn where_isl_has_no_schedule_the_program_has_its_own() {
    let (_, program) = parse(
        "#pragma burstc size(N: 0, max 1) size(M: 0, max 1)
         void k(int N, int M, int c[M + N + 2][1]) {
             for (int i = 0; i <= N; i++) c[M + i + 1][0] = c[i][0];
         }",
    );
    assert!(!candidates(&program).unwrap().is_empty());
}

#[test]
fn bands_share_the_budget_and_fusion_pays() {
    let (kernel, program) = parse(TWO_PRODUCTS);
    let sizes = sizes_at(&program, 128);
    for budget in [20_000, 300_000, BUDGET] {
        let chosen = choose(&program, &kernel, candidates(&program).unwrap(), &sizes, budget).unwrap();
        assert!(chosen[0].bits() <= budget as f64, "{:?}", chosen[0]);
        assert_eq!(chosen[0].plans.len(), chosen[0].choices.len());
    }
    // Both products read A: together they read it once.
    let (kernel, program) = parse(MVT);
    let chosen = choose(&program, &kernel, candidates(&program).unwrap(), &sizes, BUDGET).unwrap();
    assert_eq!(text(&chosen[0].plans.raw), "S0 i, j; S1 j, i");
    let apart = chosen.iter().find(|t| t.plans.len() == 2).unwrap();
    assert!(chosen[0].bytes() < 0.6 * apart.bytes(), "{} {}", chosen[0].bytes(), apart.bytes());
}

/// The values of a dimension of θ are those of all statements, by enumeration: one behind the other where a size shifts them.
#[test]
fn ranges_hold_the_values_of_all_statements() {
    const TWO: &str = "void f(int N, int M, int a[N + M], int b[N]) {
        for (int i = 0; i < N; i++) a[i] = 1;
        for (int i = 3; i < N; i++) b[i] = a[i];
    }";
    let (kernel, program) = parse(TWO);
    let sizes = BTreeMap::from([("N".to_string(), 9), ("M".to_string(), 4)]);
    let iterator = |s: usize| Affine::variable(&program.statements[StatementId(s)].iterators[0]);
    for shift in [Affine::constant(0), Affine::constant(2), Affine::variable("N"), Affine::variable("M") * -2] {
        let theta = [iterator(0), iterator(1) + shift];
        let value = |s: usize, i: i64| {
            theta[s].evaluate(|name| if iterator(s) == Affine::variable(name) { i } else { sizes[name] })
        };
        let values: Vec<i64> = (0..9).map(|i| value(0, i)).chain((3..9).map(|i| value(1, i))).collect();
        let expected = values.iter().max().unwrap() - values.iter().min().unwrap() + 1;
        let plan = BandPlan {
            statements: vec![StatementId(0), StatementId(1)],
            theta: theta.iter().map(|row| vec![row.clone()]).collect(),
            tileable: vec![true],
        };
        let footprint = Footprint::new(&program, &kernel, &plan, &sizes).unwrap();
        assert_eq!(footprint.ranges(&[0])[0].values(&[1.0]), expected as f64, "{}", text(std::slice::from_ref(&plan)));
    }
}
