//! Strips of several dimensions: what crosses the memory's pins, and what is on chip. Every element of an array crosses them
//! once per strip, so that the words follow by counting; where stores are dead, they were enumerated.

use crate::kernels::pipeline;

use std::collections::BTreeMap;

use burstc::choose_lanes::Request;
use burstc::diagnostic::Diagnostic;
use burstc::offload::{Offload, Wait};
use burstc::report::TilingReport;
use burstc::report::count::Work;
use burstc::report::expected::Expected;
use burstc::source::kernel::TilingDirective;
use burstc::source::{self, Source, directive_text};

fn analyzed(text: String) -> anyhow::Result<Offload> {
    let kernel = source::parse(&Source { path: "k.c".into(), text, cpp_args: vec![] })?;
    burstc::analysis::analyze(&kernel, &burstc::board::load("zcu104")?.fabric())
}

/// Elements of four bytes that are read and written for these sizes.
fn words(offload: &Offload, sizes: &[(&str, i64)]) -> (u64, u64) {
    let sizes: BTreeMap<String, i64> = sizes.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    let work = Work::of(offload, &sizes);
    (work.bytes_read / 4, work.bytes_written / 4)
}

fn buffer_words(offload: &Offload) -> Vec<i64> {
    offload.buffers.iter().map(|buffer| buffer.words()).collect()
}

fn waits(offload: &Offload) -> Vec<Wait> {
    offload.bands.raw[0].transfers.iter().map(|transfer| transfer.wait).collect()
}

fn matmul(strip: usize, most: i64) -> Offload {
    analyzed(format!(
        "#pragma burstc size(N: 128, max {most})
         void k(int N, int a[N][N], int b[N][N], int c[N][N])
         {{
         #pragma burstc tile(i:32, j:32, k:32) strip({strip})
             for (int i = 0; i < N; i++)
                 for (int j = 0; j < N; j++)
                     for (int k = 0; k < N; k++)
                         c[i][j] += a[i][k] * b[k][j];
         }}"
    ))
    .unwrap()
}

/// Counted, for 4 x 4 x 4 tiles of 32 x 32 words: of a 64, 16, 16 blocks are loaded; of b 64, 64, 16; of c 16, and as many
/// stored.
#[test]
fn matmul_loads_a_once_and_then_b() {
    let block = 32 * 32;
    for (strip, loaded, moved) in [(1, 64 + 64 + 16, 163_840), (2, 16 + 64 + 16, 114_688), (3, 16 + 16 + 16, 65_536)] {
        let offload = matmul(strip, 128);
        let (read, written) = words(&offload, &[("N", 128)]);
        assert_eq!((read, written), (loaded * block, 16 * block), "{strip}");
        assert_eq!(read + written, moved, "{strip}");
        // N that tiles do not divide: whole arrays, and what is left of their rows of blocks.
        let (read, written) = words(&offload, &[("N", 100)]);
        let [a, b] = [if strip > 1 { 1 } else { 4 }, if strip > 2 { 1 } else { 4 }];
        assert_eq!((read, written), ((a + b + 1) * 100 * 100, 100 * 100), "{strip}");
    }
}

/// Of a, b and c: two tiles in turn and one; a row of blocks, two tiles, and two of c, one of which is stored while the other is
/// loaded; all of b, a row of blocks by a lattice, and of c blocks that come after those of the row before.
#[test]
fn matmul_keeps_rows_and_all_of_b() {
    use Wait::{Computed, Nothing, Stored};
    assert_eq!(buffer_words(&matmul(1, 128)), [2048, 2048, 1024]);
    assert_eq!(waits(&matmul(1, 128)), [Nothing, Nothing, Stored]);
    assert_eq!(buffer_words(&matmul(2, 128)), [32 * 128, 2048, 2048]);
    assert_eq!(waits(&matmul(2, 128)), [Nothing, Computed, Stored]);
    assert_eq!(buffer_words(&matmul(3, 128)), [32 * 128, 128 * 128, 64 * 64]);
    assert_eq!(waits(&matmul(3, 128)), [Nothing, Nothing, Nothing]);
    // Rows are as long as the sizes allow.
    assert_eq!(buffer_words(&matmul(2, 256)), [32 * 256, 2048, 2048]);
}

/// Counted: a and b once, and c in and out.
#[test]
fn polynomials_move_once() {
    let polymul = |strip: usize| {
        analyzed(format!(
            "#pragma burstc size(N: 100, max 128)
             void k(int N, int a[N + 1], int b[N + 1], int c[2 * N + 1])
             {{
             #pragma burstc schedule((i,j) -> (N - j, i)) tile(10, 10) strip({strip})
                 for (int i = 0; i <= N; i++)
                     for (int j = 0; j <= N; j++)
                         c[i + j] += a[i] * b[j];
             }}"
        ))
        .unwrap()
    };
    assert_eq!(words(&polymul(1), &[("N", 100)]), (2413, 1201));
    assert_eq!(words(&polymul(2), &[("N", 100)]), (101 + 101 + 201, 201));
}

fn jacobi_2d(directive: &str, strip: usize, tile: (i64, i64, i64)) -> Offload {
    let (t, i, j) = tile;
    analyzed(format!(
        "#pragma burstc size(T: 40, max 64) size(N: 96, max 128) {directive}
         void k(int T, int N, int a[N][N], int b[N][N])
         {{
         #pragma burstc schedule(S0[t,i,j] -> (t, i + 2*t, j + 2*t); S1[t,i,j] -> (t, i + 2*t + 1, j + 2*t + 1)) tile({t}, {i}, {j}) strip({strip})
             for (int t = 0; t < T; t++) {{
                 for (int i = 1; i < N - 1; i++)
                     for (int j = 1; j < N - 1; j++)
                         b[i][j] = (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]) >> 2;
                 for (int i = 1; i < N - 1; i++)
                     for (int j = 1; j < N - 1; j++)
                         a[i][j] = (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]) >> 2;
             }}
         }}"
    ))
    .unwrap()
}

/// Counted by enumeration: words loaded, words that RR-7697's Theorem 1 stores, and those of them that are dead.
#[test]
fn strips_of_jacobi_2d_reuse_halos() {
    let sizes = [("N", 96), ("T", 16)];
    for (strip, loads, stores, dead) in [(1, 37_370, 51_042, 8_366), (2, 19_176, 35_344, 8_836)] {
        assert_eq!(words(&jacobi_2d("stores(all)", strip, (8, 32, 4)), &sizes), (loads, stores), "{strip}");
        assert_eq!(words(&jacobi_2d("", strip, (8, 32, 4)), &sizes), (loads, stores - dead), "{strip}");
    }
    // One strip: both arrays in, but for the corners, and out.
    assert_eq!(words(&jacobi_2d("", 3, (2, 4, 4)), &sizes), (9_588, 17_672));
    assert_eq!(words(&jacobi_2d("", 2, (8, 128, 4)), &[("N", 64), ("T", 40)]), (21_700, 38_440 - 15_376));
}

/// Skewed tiles, whose moduli are counted by rows of tiles, and bands one after the other, on the naive machine.
#[test]
fn programs_run_in_long_strips() {
    let check = |offload: &Offload, sizes: &[(&str, i64)]| {
        let sizes = sizes.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        pipeline::check(offload, &sizes);
    };
    for (strip, tile) in [(2, (2, 4, 4)), (2, (3, 2, 8)), (3, (2, 4, 4))] {
        let offload = jacobi_2d("", strip, tile);
        for n in [0, 2, 3, 4, 9, 12] {
            check(&offload, &[("N", n), ("T", n % 5)]);
        }
    }
    let bands = std::fs::read_to_string(crate::common::root("tests/kernels/long_strips_of_bands.c")).unwrap();
    let offload = analyzed(bands).unwrap();
    for n in 0..12 {
        check(&offload, &[("N", n), ("T", 1 + n % 3)]);
    }
}

fn refusal(directives: &str) -> Diagnostic {
    let text = format!(
        "#pragma burstc size(N: 9, max 50)\nvoid k(int N, int a[N][N], int b[N][N])\n{{\n{directives}\
         for (int t = 0; t < 3; t++) {{\n\
             for (int i = 0; i < N; i++)\nfor (int j = 0; j < N; j++)\na[i][j] += 1;\n\
             for (int i = 0; i < N; i++)\nfor (int j = 0; j < N; j++)\nb[i][j] += 1;\n}}\n}}"
    );
    analyzed(text).unwrap_err().downcast().unwrap()
}

/// Tiles of one band that run between those of a strip of another would find its cells where it keeps its own.
#[test]
fn strips_with_other_bands_between_their_tiles() {
    let bands = |first: &str, second: &str| {
        format!("#pragma burstc schedule(S0[t,i,j] -> {first}\n#pragma burstc schedule(S1[t,i,j] -> {second}\n")
    };
    for (first, second) in [
        ("(t, i, j)) tile(1, 4, 4) strip(2)", "(t, i, j)) tile(1, 4, 4)"),
        ("(t, 0, i, j)) tile(1, 1, 4, 4) strip(4)", "(t, 1, i, j)) tile(1, 1, 4, 4)"),
        ("(t, i, 0, j)) tile(1, 4, 1, 4) strip(3)", "(t, i, 1, j)) tile(1, 4, 1, 4) strip(2)"),
    ] {
        let found = refusal(&bands(first, second));
        assert!(found.message.contains("tiles of another band may run between"), "{found:?}");
        assert_eq!(found.span.map(|span| span.line), Some(4), "{found:?}");
        assert!(found.help.contains("constants of tile size 1"), "{found:?}");
    }
}

/// Where nobody gives tiles, strips are as long as is worth it; the directives that burstc prints make the same, and those without
/// `strip` have strips along one dimension.
#[test]
fn strips_that_nobody_asked_for() {
    let board = burstc::board::load("stratix2-ddr400").unwrap();
    // A space that does not fit on chip as a whole.
    let text = std::fs::read_to_string(crate::common::root("tests/kernels/heat_3d.c")).unwrap();
    let text = text.replace("max 20)", "max 64)");
    let analyzed = |text: String| {
        let kernel = source::parse(&Source { path: "k.c".into(), text, cpp_args: vec![] }).unwrap();
        burstc::choose_lanes::analyze(&kernel, &board, Some(Request::Usual)).unwrap()
    };
    let chosen = analyzed(text.clone());
    assert!(chosen.bands.iter().any(|band| band.tiling.strip > 1), "{:?}", chosen.bands.raw[0].tiling);
    let reason = TilingReport::new(&chosen, &board).reason();
    assert!(reason.contains("strips of several dimensions") && reason.contains("bytes"), "{reason}");
    let pasted = |keep: bool| {
        let own = chosen.bands.iter().map(|band| {
            let strip = if keep { band.tiling.strip } else { 1 };
            directive_text(&TilingDirective { strip, ..band.tiling.clone() }, &chosen.kernel)
        });
        let first = text.find("    for").unwrap();
        analyzed(format!("{}{}\n{}", &text[..first], own.collect::<Vec<_>>().join("\n"), &text[first..]))
    };
    let same = pasted(true);
    assert_eq!(same.buffers, chosen.buffers);
    assert_eq!(Work::of(&same, &usual(&same)), Work::of(&chosen, &usual(&chosen)));
    let short = pasted(false);
    assert!(short.bands.iter().all(|band| band.tiling.strip == 1) && short.strips_note.is_none());
    let [long, short] = [&chosen, &short].map(|offload| Expected::of(offload, &board, &usual(offload)).cycles());
    assert!(long < short, "{long} cycles, {short} in short strips");
}

fn usual(offload: &Offload) -> BTreeMap<String, i64> {
    offload.kernel.parameters.iter().map(|p| (p.name.clone(), p.default.unwrap())).collect()
}
