//! Stores that a later strip overwrites before anyone loads them, and arrays of which nobody reads what is left.

use std::collections::BTreeMap;

use burstc::offload::Offload;
use burstc::report::count::Work;
use burstc::source::{self, Source};

fn analyzed(text: String) -> Offload {
    let kernel = source::parse(&Source { path: "k.c".into(), text, cpp_args: vec![] }).unwrap();
    let fabric = burstc::board::load("stratix2-ddr400").unwrap().fabric();
    burstc::analysis::analyze(&kernel, &fabric).unwrap()
}

/// Elements of four bytes that are read and written for these sizes.
fn words(offload: &Offload, sizes: &[(&str, i64)]) -> (u64, u64) {
    let sizes: BTreeMap<String, i64> = sizes.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    let work = Work::of(offload, &sizes);
    (work.bytes_read / 4, work.bytes_written / 4)
}

fn jacobi_1d(directive: &str, tile: (i64, i64)) -> Offload {
    analyzed(format!(
        "#pragma burstc size(T: 256, max 256) size(N: 1024, max 1024) {directive}
         void k(int T, int N, int a[N], int b[N])
         {{
         #pragma burstc schedule(S0[t,i] -> (t, i + 2*t); S1[t,i] -> (t, i + 2*t + 1)) tile({}, {})
             for (int t = 0; t < T; t++) {{
                 for (int i = 1; i < N - 1; i++)
                     b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
                 for (int i = 1; i < N - 1; i++)
                     a[i] = (b[i - 1] + b[i] + b[i + 1]) / 3;
             }}
         }}",
        tile.0, tile.1
    ))
}

/// Counted by enumeration: words loaded, words that RR-7697's Theorem 1 stores, and those of them that are dead.
#[test]
fn strips_of_jacobi_1d_overwrite_b() {
    for (n, t, tile, loads, stores, dead) in [
        (256, 32, (8, 64), 1_032, 2_032, 762),
        (1024, 256, (32, 128), 8_208, 16_352, 7_154),
        (1024, 256, (64, 128), 4_104, 8_176, 3_066),
    ] {
        let sizes = [("N", n), ("T", t)];
        assert_eq!(words(&jacobi_1d("stores(all)", tile), &sizes), (loads, stores), "{n} {t} {tile:?}");
        assert_eq!(words(&jacobi_1d("", tile), &sizes), (loads, stores - dead), "{n} {t} {tile:?}");
    }
}

/// The same for tiles that are skewed along two dimensions.
#[test]
fn strips_of_jacobi_2d_overwrite_b() {
    let text = |directive: &str, steps: i64| {
        format!(
            "#pragma burstc size(T: 40, max 64) size(N: 64, max 256) {directive}
             void k(int T, int N, int a[N][N], int b[N][N])
             {{
             #pragma burstc schedule(S0[t,i,j] -> (t, j + 2*t, i + 2*t); S1[t,i,j] -> (t, j + 2*t + 1, i + 2*t + 1)) tile({steps}, 128, 4)
                 for (int t = 0; t < T; t++) {{
                     for (int i = 1; i < N - 1; i++)
                         for (int j = 1; j < N - 1; j++)
                             b[i][j] = (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]) >> 2;
                     for (int i = 1; i < N - 1; i++)
                         for (int j = 1; j < N - 1; j++)
                             a[i][j] = (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i + 1][j] + b[i - 1][j]) >> 2;
                 }}
             }}"
        )
    };
    for (steps, loads, stores, dead) in [(8, 23_614, 40_114, 15_438), (4, 45_306, 78_306, 34_534)] {
        let sizes = [("N", 64), ("T", 40)];
        assert_eq!(words(&analyzed(text("stores(all)", steps)), &sizes), (loads, stores), "{steps}");
        assert_eq!(words(&analyzed(text("", steps)), &sizes), (loads, stores - dead), "{steps}");
    }
}

/// Two bands, the second of which overwrites b; of scratch b nothing is stored at all, and where the second band reads b,
/// everything.
#[test]
fn later_bands_overwrite() {
    let text = |directive: &str, read: &str| {
        format!(
            "#pragma burstc size(N: 50, max 100) {directive}
             void k(int N, int a[N], int b[N], int c[N])
             {{
             #pragma burstc schedule(S0[i] -> (0, i); S1[i] -> (0, i)) tile(1, 16)
             #pragma burstc schedule(S2[i] -> (1, i)) tile(1, 16)
                 for (int i = 0; i < N; i++) {{
                     b[i] = 3 * a[i];
                     c[i] = b[i] + c[i];
                 }}
                 for (int i = 0; i < N; i++)
                     b[i] = c[N - 1 - i]{read};
             }}"
        )
    };
    for (directive, read, expected) in [
        ("", "", (150, 100)),
        ("stores(all)", "", (150, 150)),
        ("", " + b[i]", (200, 150)),
        ("scratch(b)", "", (150, 50)),
        // The first store is read, so that the last stays as well.
        ("scratch(b)", " + b[i]", (200, 150)),
        ("scratch(c)", "", (150, 100)),
    ] {
        assert_eq!(words(&analyzed(text(directive, read)), &[("N", 50)]), expected, "{directive} {read}");
    }
}

/// An argument that only what never runs touches.
#[test]
fn an_array_that_nothing_touches() {
    let text = "#pragma burstc size(N: 50, max 100)
                void k(int N, int a[N], int b[N], int c[N])
                {
                    for (int i = 0; i < N; i++) {
                        if (i < 0)
                            c[i] = 1;
                        b[i] = a[i];
                    }
                }";
    assert_eq!(words(&analyzed(text.to_string()), &[("N", 50)]), (50, 50));
}

/// Two locals that are written where data say so and are read there alone: no tile has a value for another.
#[test]
fn locals_of_one_tile_stay_on_chip() {
    let offload = analyzed(std::fs::read_to_string("tests/kernels/obstacles.c").unwrap());
    let local =
        |array: burstc::ids::ArrayId| offload.kernel.arrays[array].storage != burstc::source::kernel::Storage::Argument;
    assert!(offload.buffers.iter().any(|buffer| local(buffer.array)), "locals have buffers");
    for transfer in offload.bands.iter().flat_map(|band| &band.transfers) {
        assert!(!local(transfer.array), "{} is moved", offload.kernel.arrays[transfer.array].name);
    }
    // Both directions of every step, and the wall once; the first step loads what the caller has left.
    let (read, written) = words(&offload, &[("steps", 16)]);
    assert!(read <= 16 * 2 * 34 + 34 && written <= 16 * 2 * 32, "{read} {written}");
}
