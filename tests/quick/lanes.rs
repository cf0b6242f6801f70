//! Lanes: what they run along, which iterations they hold, what is refused, and how many `auto` takes.

use crate::kernels;

use std::collections::BTreeMap;

use burstc::affine::Affine;
use burstc::choose_lanes::{self, Request};
use burstc::diagnostic::{Diagnostic, Span};
use burstc::ids::StatementId;
use burstc::offload::{Bound, LaneShape, Lanes, Offload, Piece, ReductionOp};
use burstc::report::area::Area;
use burstc::report::expected::Expected;
use burstc::source::kernel::{Kernel, LanesDirective};
use burstc::source::{self, Source};

fn with_lanes(mut kernel: Kernel, count: i64) -> Kernel {
    let lanes = LanesDirective::new(count, Span { line: 4, column: 30, length: 8 });
    kernel.tilings.iter_mut().for_each(|tiling| tiling.lanes = Some(lanes));
    kernel
}

fn lanes_of(offload: &Offload) -> &Lanes {
    kernels::band(offload).compute.lanes.as_ref().expect("lanes")
}

/// A kernel from C text.
fn parsed(text: &str) -> Kernel {
    let source = Source { path: "kernel.c".into(), text: text.into(), cpp_args: vec![] };
    source::parse(&source).unwrap_or_else(|error| panic!("{error:#}\n{text}"))
}

fn refusal(kernel: &Kernel) -> Diagnostic {
    let error = kernels::analyze(kernel).expect_err("a refusal");
    error.downcast_ref::<Diagnostic>().unwrap_or_else(|| panic!("no diagnostic: {error:#}")).clone()
}

/// What lanes are for the only statement.
fn shape(lanes: &Lanes) -> &LaneShape {
    let [Some(shape)] = &lanes.per_statement[..] else { panic!("{} statements", lanes.per_statement.len()) };
    shape
}

/// What every tile's iterations are by the scan: for each tile in order, for each point, the lanes that run.
fn visited(offload: &Offload, n: i64) -> Vec<Vec<i64>> {
    fn walk(
        piece: &Piece,
        depth: usize,
        names: &mut BTreeMap<String, i64>,
        act: &mut dyn FnMut(&BTreeMap<String, i64>),
    ) {
        let Some(level) = piece.levels.get(depth) else { return act(names) };
        let value = |b: &Bound, names: &BTreeMap<String, i64>| b.numerator.evaluate(|name| names[name]);
        let low = level.lower.iter().map(|b| -(-value(b, names)).div_euclid(b.divisor)).max().unwrap();
        let high = level.upper.iter().map(|b| value(b, names).div_euclid(b.divisor)).min().unwrap();
        for v in low..=high {
            names.insert(level.name.clone(), v);
            walk(piece, depth + 1, names, act);
        }
        names.remove(&level.name);
    }
    let (band, lanes) = (kernels::band(offload), lanes_of(offload));
    let mut all = vec![];
    for tiles in &offload.tiles.pieces {
        let mut names = BTreeMap::from([("N".to_string(), n)]);
        walk(tiles, 0, &mut names, &mut |tile| {
            let mut scope = tile.clone();
            for piece in &band.compute.scan.pieces {
                assert!(piece.guards.is_empty(), "no pieces with guards here");
                walk(piece, 0, &mut scope, &mut |point| {
                    let values = |all: &[Affine]| -> Vec<i64> {
                        all.iter().map(|value| value.evaluate(|name| point[name])).collect()
                    };
                    let (iterators, slacks) = (values(&piece.point), values(&piece.slacks));
                    let shape = shape(lanes);
                    let running = (0..shape.count).filter(|lane| shape.runs(&slacks, *lane));
                    all.extend(running.map(|lane| shape.iterators(&iterators, lane)));
                });
            }
        });
    }
    all
}

#[test]
fn every_iteration_runs_once_in_some_lane() {
    let triangle = kernels::nest("tri", "N:100", "a[N][N]", "i:0..N - 1; j:0..i", "a[i][j]", "a[i][j]");
    let slanted = kernels::nest("slant", "N:100", "a[N][3*N + 3]", "i:0..N - 1; j:i..2*i + 3", "a[i][j]", "a[i][j]");
    type Domain = fn(i64, i64, i64) -> bool;
    let cases: Vec<(Kernel, Domain)> = vec![
        (kernels::tiled(triangle.clone(), "i, j", &[8, 16]), |_, i, j| j <= i),
        (kernels::tiled(triangle, "j, i", &[16, 4]), |_, i, j| j <= i),
        (kernels::tiled(slanted.clone(), "i, j", &[6, 10]), |_, i, j| (i..=2 * i + 3).contains(&j)),
        (kernels::tiled(slanted, "i, j", &[32, 5]), |_, i, j| (i..=2 * i + 3).contains(&j)),
        (kernels::polymul(&[10, 10]), |_, _, _| true),
        (kernels::polymul_skewed(&[10, 12]), |_, _, _| true),
    ];
    for (kernel, is_inside) in cases {
        for count in [2, 4, 8] {
            let Ok(offload) = kernels::analyze(&with_lanes(kernel.clone(), count)) else {
                panic!("{} refuses {count} lanes", kernel.name)
            };
            let closed = kernel.name.starts_with("polymul");
            for n in [0, 1, 7, 16, 23] {
                let mut found = visited(&offload, n);
                found.sort();
                let (i_end, j_end) = if closed { (n + 1, n + 1) } else { (n, 3 * n + 4) };
                let wanted: Vec<Vec<i64>> = (0..i_end)
                    .flat_map(|i| (0..j_end).map(move |j| vec![i, j]))
                    .filter(|p| is_inside(n, p[0], p[1]))
                    .collect();
                assert_eq!(found, wanted, "{} with N = {n} and {count} lanes", kernel.name);
            }
        }
    }
}

#[test]
fn lanes_of_the_matrix_product() {
    let offload = kernels::analyze(&with_lanes(kernels::matmul(&[64, 64, 32]), 16)).unwrap();
    let lanes = lanes_of(&offload);
    assert_eq!((lanes.count, lanes.along.as_str(), &shape(lanes).steps[..]), (16, "j", &[0, 1, 0][..]));
    assert_eq!(shape(lanes).reduction, None);
    // Neighbours in memory's rows of c and b in banks of their own, a for all.
    let banks: Vec<Option<usize>> = offload.buffers.iter().map(|b| b.banks.map(|banks| banks.subscript)).collect();
    assert_eq!(banks, [None, Some(1), Some(1)]);
    // Two lanes of a tile of few rows and columns: the sum over k.
    let offload = kernels::analyze(&with_lanes(kernels::matmul(&[4, 4, 32]), 16)).unwrap();
    assert_eq!(lanes_of(&offload).along, "k");
}

#[test]
fn one_lane_changes_nothing() {
    let (one, none) = (with_lanes(kernels::matmul(&[32; 3]), 1), kernels::matmul(&[32; 3]));
    let text = |kernel: &Kernel| {
        let mut offload = kernels::analyze(kernel).unwrap();
        offload.kernel.tilings.clear();
        offload.bands.iter_mut().for_each(|band| band.tiling.lanes = None);
        serde_json::to_string(&offload).unwrap()
    };
    assert_eq!(text(&one), text(&none));
}

#[test]
fn updates_in_any_order() {
    let of = |types: &str, update: &str| {
        let [x, e] = types.split(' ').collect::<Vec<_>>()[..] else { panic!("two types") };
        let text = format!(
            "#include <stdint.h>\n#pragma burstc size(N: max 100)\nvoid k(int N, {x} x[1], {e} e[N])\n{{\n\
             #pragma burstc tile(i:32) lanes(4)\nfor (int i = 0; i < N; i++) {update};\n}}\n"
        );
        let offload = kernels::analyze(&parsed(&text)).ok()?;
        let reduction = shape(lanes_of(&offload)).reduction.clone()?;
        Some((reduction.operator, reduction.subtracts))
    };
    use ReductionOp::*;
    for (types, update, wanted) in [
        ("int32_t int32_t", "x[0] += e[i]", (Add, false)),
        ("int8_t int32_t", "x[0] += 3 * e[i]", (Add, false)),
        ("int32_t int64_t", "x[0] = e[i] + x[0]", (Add, false)),
        ("uint16_t int8_t", "x[0] -= e[i]", (Add, true)),
        ("int32_t int32_t", "x[0] = x[0] + e[i] + 1", (Add, false)),
        ("int64_t int32_t", "x[0] *= e[i]", (Multiply, false)),
        ("uint8_t uint8_t", "x[0] &= e[i]", (And, false)),
        ("int32_t int32_t", "x[0] |= e[i]", (Or, false)),
        ("int32_t int16_t", "x[0] ^= e[i]", (Xor, false)),
        ("int32_t int16_t", "x[0] = x[0] < e[i] ? x[0] : e[i]", (Minimum, false)),
        ("int32_t int32_t", "x[0] = e[i] > x[0] ? e[i] : x[0]", (Maximum, false)),
        ("uint8_t uint8_t", "x[0] = e[i] <= x[0] ? e[i] : x[0]", (Minimum, false)),
        ("int64_t int32_t", "x[0] = x[0] >= e[i] ? x[0] : e[i]", (Maximum, false)),
    ] {
        assert_eq!(of(types, update), Some(wanted), "{types}: {update}");
    }
    for (types, update) in [
        // The order counts.
        ("int32_t int32_t", "x[0] = e[i] - x[0]"),
        ("int32_t int32_t", "x[0] = 3 * x[0] + e[i]"),
        ("int32_t int32_t", "x[0] = (x[0] + e[i]) >> 1"),
        ("int32_t int32_t", "x[0] += x[0]"),
        ("int32_t int32_t", "x[0] = e[i]"),
        // 32 bits wrap around before 64 do.
        ("int64_t int32_t", "x[0] = (int32_t)x[0] + e[i]"),
        // What is stored is not what was compared.
        ("int8_t int32_t", "x[0] = x[0] < e[i] ? x[0] : e[i]"),
        ("int32_t uint32_t", "x[0] = x[0] < e[i] ? x[0] : e[i]"),
        ("int32_t int32_t", "x[0] = x[0] < e[i] ? x[0] : -e[i]"),
    ] {
        assert_eq!(of(types, update), None, "{types}: {update}");
    }
}

#[test]
fn refusals_say_why() {
    let assert_refused = |kernel: Kernel, count: i64, help: &str| {
        let diagnostic = refusal(&with_lanes(kernel, count));
        let message = format!("no dimension of the tile can run {count} of its values side by side");
        assert_eq!(diagnostic.message, message, "{diagnostic:?}");
        assert_eq!(diagnostic.span.map(|s| (s.line, s.column)), Some((4, 30)));
        assert_eq!(diagnostic.help, help);
    };
    let nest = |arrays: &str, target: &str, reads: &str, size: i64| {
        kernels::tiled(kernels::nest("k", "N:100", arrays, "i:1..N - 1", target, reads), "i", &[size])
    };
    assert_refused(nest("a[N]", "a[i]", "a[i - 1]", 32), 4, "along i: neighbours depend on one another");
    // Two apart, so that two lanes are fine and four are not.
    let by_two = nest("a[N + 9]", "a[i + 2]", "a[i]", 32);
    kernels::analyze(&with_lanes(by_two.clone(), 2)).unwrap();
    assert_refused(by_two, 4, "along i: neighbours depend on one another");
    assert_refused(nest("a[N]; b[N]", "b[i]", "a[i]", 8), 16, "along i: a tile has 8 of its values only");
    // Four apart, as the colours of pixels are, but no more.
    for apart in [2, 3, 4] {
        let nest = nest(&format!("a[{apart}*N]; b[N]"), "b[i]", &format!("a[{apart}*i]"), 32);
        kernels::analyze(&with_lanes(nest, 4)).unwrap();
    }
    assert_refused(nest("a[5*N]; b[N]", "b[i]", "a[5*i]", 32), 4, "along i: `a` is accessed every 5 elements");
    assert_refused(nest("a[N][N]; b[N]", "b[i]", "a[i][i]", 32), 4, "along i: `a` is accessed along a diagonal");
    let one_cell = "along i: all lanes write one element of `b`, which is no sum or its like";
    assert_refused(nest("a[N]; b[1]", "b[0]", "a[i]", 32), 4, one_cell);
}

/// Lines along two subscripts of an array share the banks, whether they are read or written: no two cells of one are in the same.
#[test]
fn lines_along_two_subscripts_share_banks() {
    for (arrays, target, reads) in
        [("a[N][N]; b[N][N]", "b[i][j]", "a[i][j]; a[j][i]"), ("a[N][2*N]", "a[i][j + N]", "a[j][i]")]
    {
        let two = kernels::nest("k", "N:100", arrays, "i:0..N - 1; j:0..N - 1", target, reads);
        let offload = kernels::analyze(&with_lanes(kernels::tiled(two, "i, j", &[8, 8]), 4)).unwrap();
        burstc::verify::verify(&offload).unwrap();
        let buffer = &offload.buffers[0];
        let axes: Vec<(usize, i64)> = buffer.bank_axes().iter().map(|axis| (axis.subscript, axis.count)).collect();
        assert_eq!((buffer.skewed, buffer.bank_count(), axes), (true, 4, vec![(0, 4), (1, 4)]), "{target} of {reads}");
    }
}

/// Each statement has lanes along a loop that it has to itself, or none.
#[test]
fn statements_have_lanes_of_their_own() {
    let along = |body: &str, tile: &str| -> Vec<Option<Vec<i64>>> {
        let text = format!(
            "#pragma burstc size(N: max 100)\nvoid k(int N, int a[N][N], int b[N][N], int c[N][N], int d[N])\n{{\n\
             #pragma burstc {tile}\n\
             for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {{ {body} }}\n}}\n"
        );
        let offload = kernels::analyze(&parsed(&text)).unwrap_or_else(|error| panic!("{error:#}\n{text}"));
        let own = |shape: &Option<LaneShape>| shape.as_ref().map(|shape| shape.steps.clone());
        lanes_of(&offload).per_statement.iter().map(own).collect()
    };
    let product = "c[i][j] *= 3; for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];";
    assert_eq!(along(product, "tile(i:32, j:16, k:8) lanes(8)"), [Some(vec![0, 1]), Some(vec![0, 1, 0])]);
    // Rows of b are prefix sums, which only columns have side by side; c is written along rows and read along columns.
    let sums = "c[i][j] = a[i][j] + 1; if (j > 0) b[i][j] = b[i][j - 1] + c[i][j];";
    assert_eq!(along(sums, "tile(i:32, j:16) lanes(4)"), [Some(vec![0, 1]), Some(vec![1, 0])]);
    // Instances of S2 have i as their place in the loop over k as well.
    let text = "#pragma burstc size(N: max 100)
        void k(int N, int a[N][N]) {
            for (int i = 0; i < N; i++) for (int j = 0; j < i; j++) {
                for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[k][j];
                a[i][j] ^= a[j][j];
            } }";
    let board = burstc::board::load("generic-axi4").unwrap();
    let offload = choose_lanes::analyze(&parsed(text), &board, Some(Request::Count(4))).unwrap();
    burstc::verify::verify(&offload).unwrap();
    // Rows of d are chains; b, which is read along both subscripts, has the same banks along both.
    let chain = "c[i][j] = a[i][j] + 1; d[i] = 3 * d[i] + b[i][j] * b[j][i];";
    assert_eq!(along(chain, "tile(i:32, j:16) lanes(4)"), [Some(vec![0, 1]), Some(vec![1, 0])]);
}

/// A loop inside of tiles has as many values side by side as it has at the sizes of the run, and not 32 at most.
#[test]
fn loops_that_no_tile_cuts_have_lanes() {
    let text = "#pragma burstc size(N: 128, max 128)
        void k(int N, int a[N][N], int b[N][N], int c[N][N]) {
            #pragma burstc schedule(S0[i,j,k] -> (i)) tile(16) lanes(64)
            for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)
                for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];
        }";
    let offload = kernels::analyze(&parsed(text)).unwrap_or_else(|error| panic!("{error:#}"));
    burstc::verify::verify(&offload).unwrap();
    assert_eq!((lanes_of(&offload).count, lanes_of(&offload).along.as_str()), (64, "j"));
    assert_eq!(lanes_of(&offload).cycles_each.len(), 1);
}

/// Lanes along two loops: a cell that lanes share is read once, sums keep their order, and each iteration runs once.
#[test]
fn lanes_in_two_dimensions() {
    let text = |tile: &str, bounds: &str, body: &str| {
        format!(
            "#pragma burstc size(N: max 100)\n\
             void k(int N, int a[N][N], int b[2 * N + 8][N], int c[N][N], int x[2 * N + 8])\n{{\n\
             #pragma burstc {tile}\n\
             for (int i = 0; i < N; i++) for (int j = {bounds}; j++) {{ {body} }}\n}}\n"
        )
    };
    let full = "0; j < N";
    let banks = |tile: &str, body: &str| -> Vec<Vec<(usize, i64)>> {
        let offload = kernels::analyze(&parsed(&text(tile, full, body))).unwrap_or_else(|e| panic!("{e:#}\n{body}"));
        burstc::verify::verify(&offload).unwrap();
        let lanes = lanes_of(&offload);
        let counts = |shape: &LaneShape| (shape.count, shape.inner);
        assert_eq!((counts(shape(lanes)), lanes.along.as_str()), ((32, 8), "i:4, j:8"));
        assert!(lanes.per_statement.iter().flatten().all(|shape| shape.reduction.is_none()));
        let axes =
            |b: &burstc::offload::Buffer| b.bank_axes().iter().map(|axis| (axis.subscript, axis.count)).collect();
        offload.buffers.iter().map(axes).collect()
    };
    let tile = "tile(i:16, j:16, k:8) lanes(i:4, j:8)";
    let product = "for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];";
    // Rows of a, columns of b, and both of c.
    assert_eq!(banks(tile, product), [vec![(0, 4)], vec![(1, 8)], vec![(0, 4), (1, 8)]]);
    // Rows of a along both: the most of either. Numbers for the dimensions in place of names.
    let square = "for (int k = 0; k < N; k++) c[i][j] += a[i][k] * a[j][k];";
    let by_place = "schedule((i, j, k) -> (i, j, k)) tile(16, 16, 8) lanes(4, 8, 1)";
    assert_eq!(banks(by_place, square), [vec![(0, 8)], vec![(0, 4), (1, 8)]]);
    // Along diagonals, 4 + 8 - 1 neighbours, and every other cell, 7 apart at most.
    let flat = "tile(i:16, j:16) lanes(i:4, j:8)";
    assert_eq!(banks(flat, "c[i][j] = x[i + j];"), [vec![(0, 4), (1, 8)], vec![(0, 16)]]);
    assert_eq!(banks(flat, "c[i][j] = b[2 * i][N - 1 - j];"), [vec![(0, 8), (1, 8)], vec![(0, 4), (1, 8)]]);

    for (bounds, is_inside) in [
        (full, (|_, _, _| true) as fn(i64, i64, i64) -> bool),
        ("0; j <= i", |_, i, j| j <= i),
        ("i; j < N - 1", |n, i, j| (i..n - 1).contains(&j)),
    ] {
        let kernel = parsed(&text("tile(i:12, j:8) lanes(i:4, j:8)", bounds, "c[i][j] = a[j][i];"));
        let offload = kernels::analyze(&kernel).unwrap();
        for n in [1, 7, 16, 23] {
            let mut found = visited(&offload, n);
            found.sort();
            let all = (0..n).flat_map(|i| (0..n).map(move |j| vec![i, j]));
            assert_eq!(found, all.filter(|p| is_inside(n, p[0], p[1])).collect::<Vec<_>>(), "{bounds}, N = {n}");
        }
    }

    for (body, help) in [
        ("x[i] = 3 * x[i] + a[i][j];", "lanes along one of the two write one element of `x`"),
        ("c[i][j] = b[i + j][j] + i;", "the cells of `b` that they access lie in 128 banks or more"),
        ("if (i > 0) c[i][j] = c[i - 1][j] + 1;", "neighbours depend on one another"),
        ("if (i > 0 && j > 0) c[i][j] = c[i - 1][j - 1] + 1;", "neighbours depend on one another"),
        ("if (i > 0) c[i - 1][j] = c[i][j] + 1;", ""),
        ("if (i > 4 && j > 8) c[i][j] = c[i - 4][j - 8] + 1;", ""),
    ] {
        let kernel = parsed(&text(flat, full, body));
        if help.is_empty() {
            kernels::analyze(&kernel).unwrap_or_else(|error| panic!("{body}: {error:#}"));
            continue;
        }
        let Diagnostic { message, help: found, span, .. } = refusal(&kernel);
        assert_eq!(message, "the two dimensions of the tile cannot run 4 x 8 of their values side by side");
        assert_eq!(span.map(|span| span.line), Some(4));
        assert!(found.starts_with(help), "{body}: {found}");
    }
    let two = |second: &str| {
        let text = text(flat, full, "c[i][j] = b[2 * i][j];");
        text.trim_end().strip_suffix('}').unwrap().to_string()
            + &format!("#pragma burstc {flat}\nfor (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {second}\n}}\n")
    };
    kernels::analyze(&parsed(&two("a[i][j] = b[j][i];"))).unwrap();
    let help = refusal(&parsed(&two("if (2 * j < N) a[i][j] = b[i][2 * j];"))).help;
    assert!(help.starts_with("the cells of `b` that they and a band before access lie in too many banks"), "{help}");
    // What comes behind moves back along the loop inside.
    let behind = "if (i > 0 && j < N - 1) c[i][j] = c[i - 1][j + 1] + 1;";
    assert!(
        kernels::analyze(&parsed(&text("schedule((i, j) -> (i, i + j)) tile(16, 16) lanes(4, 8)", full, behind)))
            .is_err()
    );
    let few = refusal(&parsed(&text("tile(i:16, j:4) lanes(i:4, j:8)", full, "c[i][j] = a[i][j];")));
    assert!(few.help.starts_with("a tile has 4 values of j only"), "{}", few.help);

    // Rows of a, which lie across the lanes, come in words of 128 bits all the same; and so that strips overlap, strips have places of
    // their own, or tiles where every tile has all of its cells for itself.
    let wide = burstc::board::load("zcu104").unwrap();
    for (tile, by_strips) in [("tile(i:16, j:16, k:8)", true), ("tile(i:16, j:16, k:128)", false)] {
        let kernel = parsed(&text(&format!("{tile} lanes(i:4, j:8)"), full, product));
        let offload = choose_lanes::analyze(&kernel, &wide, None).unwrap();
        burstc::verify::verify(&offload).unwrap();
        let [a, _, c] = &offload.buffers[..] else { panic!("three arrays") };
        let axes: Vec<(usize, i64)> = a.bank_axes().iter().map(|axis| (axis.subscript, axis.count)).collect();
        assert_eq!(axes, [(0, 4), (1, 4)]);
        let mapping = c.common_mapping().unwrap();
        assert!(mapping.slots >= 2 && mapping.by_strips == by_strips, "{tile}: {:?}", c.mappings);
    }

    // As many as there are block RAMs for: 4 x 2 + 8.
    let mut small = wide.clone();
    small.device.block_ram.truncate(1);
    small.device.block_ram[0].count = 20;
    let kernel = parsed(&text("tile(i:16, j:16, k:128) lanes(i:4, j:8)", full, product));
    let offload = choose_lanes::analyze(&kernel, &small, None).unwrap();
    let axes: Vec<i64> = offload.buffers[0].bank_axes().iter().map(|axis| axis.count).collect();
    assert_eq!(axes, [4, 2]);

    let board = burstc::board::load("generic-axi4").unwrap();
    let along = |i: &str| Some(Request::InTwo([(i.to_string(), 2), ("j".to_string(), 4)]));
    let untiled = "#pragma burstc size(N: max 100)\nvoid k(int N, int a[N][N], int c[N][N])\n{\n\
                   for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) c[i][j] = a[i][j] + 1;\n}\n";
    let offload = choose_lanes::analyze(&parsed(untiled), &board, along("i")).unwrap();
    assert_eq!(lanes_of(&offload).along, "i:2, j:4");
    let error = choose_lanes::analyze(&parsed(untiled), &board, along("k")).unwrap_err();
    assert_eq!(error.downcast_ref::<Diagnostic>().unwrap().message, "no tiles along both `k` and `j`");
}

#[test]
fn directives_are_checked() {
    let text = |directive: &str, body: &str| {
        format!(
            "#pragma burstc size(N: max 100)\nvoid k(int N, int a[N], int b[N])\n{{\n#pragma burstc {directive}\n\
             for (int i = 0; i < N; i++) {{ {body} }}\n}}\n"
        )
    };
    for (directive, message, help) in [
        ("tile(i:32) lanes(3)", "3 lanes", "lanes(2)"),
        ("tile(i:32) lanes(0)", "0 lanes", "lanes(2)"),
        ("tile(i:32) lanes(1024)", "1024 lanes", "lanes(2)"),
        ("lanes(4)", "lanes without tiles", "--lanes 4"),
        ("lanes(4) tile(i:32) lanes(4)", "a second `lanes` in one directive", "one number"),
        ("tile(i:32) lanes(i)", "`i` is not an integer constant", "number"),
        ("tile(i:32) lanes(i:4)", "lanes along 1 loops", "lanes(8)"),
        ("tile(i:32) lanes(i:4, j:4)", "no tile size for `j`", "name two loops"),
        ("tile(i:32) lanes(i:4, 4)", "lanes that do not say along which loops", "lanes(i:8, j:8)"),
        ("tile(i:32) lanes(i:4, i:4)", "lanes along one loop twice", "name two loops"),
        ("tile(i:32) lanes(4, 4)", "lanes that do not say along which loops", "lanes(i:8, j:8)"),
        ("tile(i:32, j:32) lanes(i:32, j:32)", "1024 lanes", "fewer"),
    ] {
        let source = Source { path: "k.c".into(), text: text(directive, "b[i] = a[i];"), cpp_args: vec![] };
        let error = source::parse(&source).expect_err("a refusal");
        let diagnostic = error.downcast_ref::<Diagnostic>().expect("a diagnostic");
        assert_eq!(diagnostic.message, message);
        assert_eq!(diagnostic.span.map(|s| s.line), Some(4));
        assert!(diagnostic.help.contains(help), "{}", diagnostic.help);
    }
    // Pieces with a gap between them.
    let gap = parsed(&text("tile(i:32) lanes(4)", "if (i < 5 || i > 9) b[i] = a[i];"));
    assert_eq!(refusal(&gap).message, "the iterations of a tile are not one convex set, which lanes need");
}

/// Tiles are chosen for one lane, which takes all block RAM for them; lanes read through more copies.
#[test]
fn tiles_leave_room_for_the_lanes() {
    let board = burstc::board::load("generic-axi4").unwrap();
    let kernel = parsed(&std::fs::read_to_string(crate::common::root("examples/jacobi_2d.c")).unwrap());
    let sizes = |lanes| {
        let offload = choose_lanes::analyze(&kernel, &board, Some(Request::Count(lanes))).unwrap();
        let block_ram: u64 = board.device.block_ram.iter().map(|kind| kind.count * kind.bits).sum();
        assert!(burstc::buffer::blocks::bits(&offload.kernel, &offload.buffers) <= u128::from(block_ram));
        offload.bands[burstc::ids::BandId(0)].tiling.sizes.clone()
    };
    assert_ne!(sizes(1), sizes(8));
}

/// Banks of few words take whole memories, although all their bits would fit.
#[test]
#[ignore = "slow: make test"]
fn tiles_leave_memories_for_the_banks() {
    let board = burstc::board::load("zcu104").unwrap();
    let kernel = parsed(&std::fs::read_to_string(crate::common::root("examples/jacobi_2d.c")).unwrap());
    let offload = choose_lanes::analyze(&kernel, &board, Some(Request::Count(8))).unwrap();
    assert_eq!(kernels::band(&offload).compute.lanes.as_ref().map(|lanes| lanes.count), Some(8));
}

#[test]
fn automatic_lanes_keep_the_memory_busy() {
    let board = burstc::board::load("stratix2-ddr400").unwrap();
    let auto = |kernel: &Kernel| choose_lanes::analyze(kernel, &board, Some(Request::Automatic)).unwrap();
    let count = |offload: &Offload| kernels::band(offload).compute.lanes.as_ref().map_or(1, |lanes| lanes.count);
    let mut matmul = kernels::matmul(&[32; 3]);
    matmul.parameters[0].default = Some(64);
    let chosen = auto(&matmul);
    // 64^3 / 8 = 32,768 cycles against 24,576 words; 16,384 with 16 lanes.
    assert_eq!((count(&chosen), chosen.lanes_note.as_deref()), (16, Some("the memory is the bottleneck")));
    // Two words per iteration.
    assert_eq!(count(&auto(&kernels::vecsum(&[1024]))), 1);
    // Tiles of 8 move 10,240 words: 32^3 / 4 = 8,192 cycles are fewer, 16,384 would not be.
    let small = auto(&{
        let mut kernel = kernels::matmul(&[8; 3]);
        kernel.parameters[0].default = Some(32);
        kernel
    });
    assert_eq!(count(&small), 4);
    // Explicit numbers take the place of the directive's.
    let given = with_lanes(kernels::matmul(&[32; 3]), 4);
    for lanes in [1, 2, 8] {
        assert_eq!(count(&choose_lanes::analyze(&given, &board, Some(Request::Count(lanes))).unwrap()), lanes);
    }
    assert_eq!(count(&choose_lanes::analyze(&given, &board, None).unwrap()), 4);
    // Tiles of 256 x 64 move N^3 / 64 + N^3 / 256 words and more: 64 lanes are enough.
    let mut large = kernels::matmul(&[256, 64, 16]);
    large.parameters[0].max = Some(4096);
    large.parameters[0].default = Some(512);
    assert_eq!(count(&auto(&large)), 64);
    // Tiles that move fewer words: 128 lanes of three multipliers are as many as the board has.
    large.tilings[0].sizes = vec![512, 256, 8];
    assert_eq!(count(&auto(&large)), 128);
}

/// Two thousand million iterations of the innermost loop, wherever it runs: nobody counts so far to choose lanes.
#[test]
fn no_lanes_for_what_cannot_be_estimated() {
    let board = burstc::board::load("generic-axi4").unwrap();
    let text = "#pragma burstc size(N: 20, max 128)
                void k(int N, int a[N][N], int b[N][N])
                {
                    for (int i = 1; i < N; i += 2)
                        for (int j = 0; j <= N - 1; j += 3)
                            for (int q = -2147483647; q < 3; q++)
                                b[i][j] = a[j][i] + b[i - 1][j];
                }";
    let offload = choose_lanes::analyze(&parsed(text), &board, Some(Request::Usual)).unwrap();
    assert!(kernels::band(&offload).compute.lanes.is_none());
    assert!(offload.lanes_note.as_ref().is_some_and(|note| note.contains("more than can be estimated")));
}

/// What the commands take: lanes without a directive, and where one asks for them.
#[test]
fn lanes_where_nobody_asks() {
    let board = burstc::board::load("generic-axi4").unwrap().with_bus_bits(128).unwrap();
    let text = |directive: &str| {
        format!(
            "#pragma burstc size(N: 96, max 256)\nvoid k(int N, int a[N][N], int b[N][N], int c[N][N])\n{{\n{directive}\n\
             for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) \
             c[i][j] += a[i][k] * b[k][j];\n}}\n"
        )
    };
    let chosen = |directive: &str, request: Option<Request>| {
        let offload = choose_lanes::analyze(&parsed(&text(directive)), &board, request).unwrap();
        burstc::verify::verify(&offload).unwrap();
        let count = kernels::band(&offload).compute.lanes.as_ref().map_or(1, |lanes| lanes.count);
        (count, offload)
    };
    let usual = || Some(Request::Usual);
    let (free, offload) = chosen("", usual());
    assert!(free >= 8, "{free} lanes: {:?}", offload.lanes_note);
    assert!(offload.lanes_note.is_some() && offload.kernel.tilings.is_empty());
    assert_eq!(chosen("", Some(Request::Count(1))).0, 1);
    assert_eq!(chosen("", None).0, 1);
    let tile = "#pragma burstc tile(i:32, j:32, k:32)";
    let (one, offload) = chosen(tile, usual());
    assert!(one == 1 && offload.lanes_note.is_none());
    let (asked, offload) = chosen(&format!("{tile} lanes(auto)"), usual());
    assert!(asked >= 8, "{asked} lanes: {:?}", offload.lanes_note);
    assert_eq!(chosen(&format!("{tile} lanes(4)"), usual()).0, 4);
    assert_eq!(chosen(tile, Some(Request::Automatic)).0, asked);
    // Nothing is left out where no lanes are possible: a value goes from each iteration to the next.
    let chain = "void k(int a[100])\n{\nfor (int i = 1; i < 100; i++) a[i] = 3 * a[i - 1] + a[i];\n}\n";
    let offload = choose_lanes::analyze(&parsed(chain), &board, usual()).unwrap();
    assert!(kernels::band(&offload).compute.lanes.is_none() && offload.lanes_note.is_some());
}

#[test]
fn numbers_of_lanes_name_dimensions_or_open_loops() {
    let text = |lanes: &str| {
        format!(
            "#pragma burstc size(N: max 64)\n#pragma burstc schedule(S0[i,j] -> (i)) tile(8) lanes({lanes})\n\
             void k(int N, int a[N][N], int b[N][N])\n{{\n\
             for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) b[i][j] = a[i][j];\n}}\n"
        )
    };
    let offload = kernels::analyze(&parsed(&text("4, 2"))).unwrap();
    assert_eq!(
        offload.bands[burstc::ids::BandId(0)].compute.lanes.as_ref().map(|lanes| lanes.along.as_str()),
        Some("i:4, j:2")
    );
    let diagnostic = refusal(&parsed(&text("4, 1, 2")));
    assert_eq!(diagnostic.message, "lanes along dimension 3 of 2");
    assert_eq!(diagnostic.span.map(|span| span.line), Some(2));
    assert!(diagnostic.help.ends_with("for each loop that it leaves open: 1"), "{}", diagnostic.help);
}

#[test]
fn lanes_beyond_the_board_are_refused() {
    let board = burstc::board::load("generic-axi4").unwrap();
    let text = "#pragma burstc size(N: max 512)\nvoid k(int N, int a[N], int b[N])\n{\n#pragma burstc tile(i:512) lanes(64)\n\
                for (int i = 0; i < N; i++) b[i] = a[i] * a[i] * b[i];\n}\n";
    let error = choose_lanes::analyze(&parsed(text), &board, Some(Request::Usual)).unwrap_err();
    let diagnostic = error.downcast_ref::<Diagnostic>().expect("a diagnostic");
    // Two products of 32 bits in each lane, of three multipliers of 18 bits.
    assert_eq!(diagnostic.message, "64 lanes need 384 multipliers, the board has 100");
    assert_eq!(diagnostic.span.map(|span| span.line), Some(4));
    let larger = burstc::board::load("zcu104").unwrap();
    assert!(choose_lanes::analyze(&parsed(text), &larger, Some(Request::Usual)).is_ok());
    let memory =
        text.replace("a[i] * a[i] * b[i]", "a[i] ^ b[i]").replace("lanes(64)", "lanes(256)").replace("512", "65536");
    let error = choose_lanes::analyze(&parsed(&memory), &board, Some(Request::Usual)).unwrap_err();
    let message = &error.downcast_ref::<Diagnostic>().expect("a diagnostic").message;
    assert!(message.contains("block RAM") && message.contains("the board has"), "{message}");
}

/// Look-up tables of kernels of several statements, as Yosys maps them to Cyclone V (`docs/RESULTS.md`).
#[test]
fn the_area_is_about_that_of_synthesis() {
    let board = burstc::board::load("stratix2-ddr400").unwrap();
    for (file, aluts) in [("float_fdtd", 4935.0), ("float_gemver", 3975.0), ("float_adi", 12142.0)] {
        let text = std::fs::read_to_string(crate::common::root(&format!("tests/kernels/{file}.c"))).unwrap();
        let offload = choose_lanes::analyze(&parsed(&text), &board, None).unwrap();
        let share = Area::of(&offload, &board.device).aluts as f64 / aluts;
        eprintln!("{file}: {share:.2} of the look-up tables of synthesis");
        assert!((0.8..=1.2).contains(&share), "{file}: {share:.2} of the look-up tables of synthesis");
    }
}

/// What reads neighbours in rows that its groups lie across has them slide, whole groups at once: of the five reads of `x` along i
/// one comes through a port, and those in other columns through one each.
#[test]
fn groups_slide() {
    let text = std::fs::read_to_string(crate::common::root("tests/kernels/lanes_windows.c")).unwrap();
    let kernel = parsed(&text);
    let offload = kernels::analyze(&kernel).unwrap();
    let slid = |name: &str| -> Vec<i64> {
        let own = offload.windows.iter().filter(|window| kernel.arrays[window.array].name == name);
        own.flat_map(|window| window.followers.iter().map(|follower| follower.delay)).collect()
    };
    assert_eq!(slid("x"), [1, 2, 3]);
    // From group to group: eight and sixteen elements ago.
    assert_eq!(slid("v"), [1, 2]);
    let copies = |name: &str| offload.buffers.iter().find(|b| kernel.arrays[b.array].name == name).unwrap().copies;
    assert_eq!([copies("x"), copies("v")], [3, 2]);
}

/// A plane that is updated in place over time has lanes along a wave, `4 t + 2 i + j`, and counts its last subscript so that the cells of
/// a group have the same one: no two of a group are of one row, and every one is the cell that C accesses.
#[test]
fn waves_access_cells_along_a_diagonal() {
    for (file, array, size, columns) in [("lanes_waves", "a", 23, 23), ("lanes_intervals", "cost", 23, 23)] {
        let text = std::fs::read_to_string(crate::common::root(&format!("tests/kernels/{file}.c"))).unwrap();
        let kernel = parsed(&text);
        // As C counts them, some statement has none.
        let lacks_lanes = |offload: Offload| {
            let lanes = crate::kernels::band(&offload).compute.lanes.clone();
            lanes.is_none_or(|lanes| lanes.per_statement.iter().any(Option::is_none))
        };
        assert!(kernels::analyze(&kernel).map_or(true, lacks_lanes), "{file}");
        let board = burstc::board::load("generic-axi4").unwrap();
        let offload = choose_lanes::analyze(&kernel, &board, Some(Request::Usual)).unwrap();
        let own = offload.kernel.arrays.iter().find(|own| own.name == array).unwrap();
        assert!(own.slant.is_some(), "{file}");
        let sizes = |name: &str| if name == "N" { size } else { 3 };
        let layout = own.layout().map(|extent| extent.evaluate(sizes) as u64);
        let both = kernel.statements().into_iter().zip(offload.kernel.statements()).enumerate();
        for (s, (written, aslant)) in both {
            let names = &offload.kernel.iterators()[StatementId(s)];
            let shape = crate::kernels::band(&offload).lanes(StatementId(s)).expect("lanes of every statement");
            let references = written.references().into_iter().chain(written.targets());
            for (c, own) in references.zip(aslant.references().into_iter().chain(aslant.targets())) {
                if offload.kernel.arrays[own.array].name != array {
                    continue;
                }
                let gains: Vec<i64> = own.subscripts.iter().map(|subscript| shape.gain(subscript, names)[0]).collect();
                assert_eq!((gains[0].abs(), gains[1]), (1, 0), "{file}");
                // In some iterations.
                for value in 0..200i64 {
                    let at = |name: &str| match name {
                        "N" => size,
                        "T" => 3,
                        _ => {
                            1 + (value * (3 + name.len() as i64) + name.bytes().map(i64::from).sum::<i64>())
                                % (size - 2)
                        }
                    };
                    let cell: Vec<i64> = c.subscripts.iter().map(|subscript| subscript.evaluate(at)).collect();
                    if cell.iter().any(|x| !(0..size).contains(x)) {
                        continue;
                    }
                    let place = layout.offset(|k| own.subscripts[k].evaluate(at) as u64);
                    let in_c = (cell[0] * columns + cell[1]) as u64 * u64::from(layout.element_bytes);
                    assert_eq!(place, in_c, "{file}: {cell:?}");
                }
            }
        }
    }
}

/// A product of matrices on a board with room for many lanes has lanes along two loops, in tiles whose groups are enough that sums do
/// not wait; and where one statement works along columns, its tiles become as wide as the lanes of the others.
#[test]
fn tiles_grow_until_lanes_help() {
    let board = burstc::board::load("alveo-u50").unwrap();
    let usual = |text: &str| choose_lanes::analyze(&parsed(text), &board, Some(Request::Usual)).unwrap();
    let gemm = "#pragma burstc size(n: 200, max 200) size(m: 220, max 220) size(p: 240, max 240)\n\
        void gemm(int n, int m, int p, float alpha, float c[n][m], float a[n][p], float b[p][m])\n{\n\
        for (int i = 0; i < n; i++)\nfor (int k = 0; k < p; k++)\nfor (int j = 0; j < m; j++)\n\
        c[i][j] += alpha * a[i][k] * b[k][j];\n}\n";
    let offload = usual(gemm);
    let lanes = crate::kernels::band(&offload).compute.lanes.clone().unwrap();
    assert_eq!((lanes.count, crate::kernels::band(&offload).is_in_two()), (512, true));
    let cycles = |offload: &Offload| Expected::of(offload, &board, &offload.kernel.usual_sizes()).computing();
    // At least 220 x 200 x 240 / 512 groups, and the words that stand alone.
    assert!(cycles(&offload) < 2.0 * 20_625.0, "{}", cycles(&offload));
    let means = "#pragma burstc size(n: 260, max 260) size(m: 240, max 240)\n\
        void means(int n, int m, float d[n][m], float mean[m], float c[m][m])\n{\n\
        for (int j = 0; j < m; j++)\n{\nmean[j] = 0.0f;\nfor (int i = 0; i < n; i++)\nmean[j] += d[i][j];\n}\n\
        for (int i = 0; i < m; i++)\nfor (int j = i; j < m; j++)\n{\nc[i][j] = 0.0f;\n\
        for (int k = 0; k < n; k++)\nc[i][j] += (d[k][i] - mean[i]) * (d[k][j] - mean[j]);\n}\n}\n";
    let offload = usual(means);
    for band in offload.bands.iter() {
        let lanes = band.compute.lanes.as_ref();
        assert!(lanes.is_some_and(|lanes| lanes.per_statement.iter().all(Option::is_some)), "{:?}", band.tiling);
    }
}

#[test]
fn printed_tilings_can_be_pasted() {
    // Values that iterations leave for themselves are copied back at the end by a statement that the text has not.
    let text = "void k(int m, signed char a[13], signed char b[13])\n{\n\
        for (int t = 0; t < m; t++) {\n\
        for (int i = 1; i < 12; i++) b[i] = a[i - 1] + a[i] + a[i + 1];\n\
        for (int i = 1; i < 12; i++) a[i] = b[i];\n}\n}\n";
    let sizes = "#pragma burstc size(m: 3, min 1, max 31)\n";
    let board = burstc::board::load("pynq-z2").unwrap();
    let offload = choose_lanes::analyze(&parsed(&format!("{sizes}{text}")), &board, Some(Request::Usual)).unwrap();
    let is_left = |name: &str| name.ends_with("_left");
    assert!(offload.kernel.statements().iter().any(|statement| is_left(&statement.name)));
    let printed = offload.directives();
    let pasted = parsed(&format!("{sizes}{}\n{text}", printed.join("\n")));
    assert_eq!(pasted.tilings.iter().map(|own| own.schedules.len()).sum::<usize>(), 2, "{printed:?}");
    choose_lanes::analyze(&pasted, &board, None).unwrap_or_else(|error| panic!("{error:#}\n{printed:?}"));
}
