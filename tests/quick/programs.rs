//! Programs of several statements through the whole analysis, without hardware: schedules and tiles that burstc
//! chooses, run on a naive machine (`kernels/pipeline.rs`) and compared with the program as written.

use crate::kernels;

use kernels::pipeline;

use burstc::analysis::analyze;
use burstc::source::{self, Source};

/// Block RAM that is small enough to need tiles at the sizes tried, in bits.
const SMALL: u64 = 60_000;
/// For programs that fit that as wholes.
const SMALLER: u64 = 30_000;
/// For programs whose arrays, in one dimension or without tiles that are legal or large, are in the buffers as a whole.
const LARGE: u64 = 400_000;

fn check(text: &str, largest: i64, bits: u64) {
    let source = Source { path: "program.c".into(), text: text.into(), cpp_args: vec![] };
    let mut kernel = source::parse(&source).unwrap_or_else(|e| panic!("{e}\n{text}"));
    for parameter in &mut kernel.parameters {
        parameter.max = parameter.max.or(Some(40));
    }
    let offload = analyze(&kernel, &kernels::fabric(bits)).unwrap_or_else(|e| panic!("{e}\n{text}"));
    if bits < LARGE {
        // Else every run is one tile, and nothing of tiling is tried.
        let mut sizes = offload.bands.iter().flat_map(|band| &band.tiling.sizes);
        assert!(sizes.any(|size| (2..=largest).contains(size)), "{}: tiles as large as the arrays", kernel.name);
    }
    for n in 0..=largest {
        let sizes = kernel.parameters.iter().enumerate().map(|(k, p)| (p.name.clone(), n + k as i64)).collect();
        pipeline::check(&offload, &sizes);
    }
}

macro_rules! programs {
    ($($name:ident($largest:expr, $bits:expr): $text:expr;)*) => { $(
        #[test]
        fn $name() {
            check(&format!("void {}{}", stringify!($name), $text), $largest, $bits);
        }
    )* };
}

programs! {
    remainders(13, LARGE): "(int N, int M, int a[N + 1], int b[N + 1], int c[N + 1][N + 1]) {
        for (int i = 0; i < N; i++) if ((3 * i) % 4 != 1) a[i + 1] += a[i];
        for (int i = 0; i < N; i++) if ((5 * i + M) % 6 != 2 && (7 * i - 3) / 4 != 3) b[i + 1] += a[i] - b[i];
        for (int i = 0; i < N; i++) for (int j = i / 3; j < N - (3 * i) % 4; j++)
            if ((3 * i + 5 * j) % 8 != 1 || (2 * j + 1) / 3 == 2) c[i + 1][j + 1] += b[j] - c[i][j + 1] + c[i + 1][j]; }";
    gemm(14, SMALL): "(int N, int M, int a[N][N], int b[N][N], int c[N][N], int beta) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                c[i][j] *= beta;
                for (int k = 0; k < N; k++)
                    c[i][j] += a[i][k] * b[k][j];
            } }";
    syrk(12, SMALL): "(int N, int M, int a[N][M], int c[N][N], int beta) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j <= i; j++) c[i][j] *= beta;
            for (int k = 0; k < M; k++)
                for (int j = 0; j <= i; j++)
                    c[i][j] += a[i][k] * a[j][k];
        } }";
    jacobi_1d(14, LARGE): "(int T, int N, int a[N + 2], int b[N + 2]) {
        for (int t = 0; t < T; t++) {
            for (int i = 1; i <= N; i++) b[i] = a[i - 1] + a[i] + a[i + 1];
            for (int i = 1; i <= N; i++) a[i] = b[i - 1] + b[i] + b[i + 1];
        } }";
    jacobi_2d(7, SMALL): "(int T, int N, int a[N + 2][N + 2], int b[N + 2][N + 2]) {
        for (int t = 0; t < T; t++) {
            for (int i = 1; i <= N; i++) for (int j = 1; j <= N; j++)
                b[i][j] = a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j];
            for (int i = 1; i <= N; i++) for (int j = 1; j <= N; j++)
                a[i][j] = b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i - 1][j] + b[i + 1][j];
        } }";
    fdtd(6, SMALL): "(int T, int N, int ex[N + 1][N + 1], int ey[N + 1][N + 1], int hz[N + 1][N + 1], int f[T]) {
        for (int t = 0; t < T; t++) {
            for (int j = 0; j < N; j++) ey[0][j] = f[t];
            for (int i = 1; i < N; i++) for (int j = 0; j < N; j++) ey[i][j] -= hz[i][j] - hz[i - 1][j];
            for (int i = 0; i < N; i++) for (int j = 1; j < N; j++) ex[i][j] -= hz[i][j] - hz[i][j - 1];
            for (int i = 0; i < N - 1; i++) for (int j = 0; j < N - 1; j++)
                hz[i][j] -= ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j];
        } }";
    floyd_warshall(8, LARGE): "(int N, int d[N][N]) {
        for (int k = 0; k < N; k++) for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)
            d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j]; }";
    lu(9, LARGE): "(int N, int a[N][N]) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < i; j++) {
                for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[k][j];
                a[i][j] ^= a[j][j];
            }
            for (int j = i; j < N; j++)
                for (int k = 0; k < i; k++) a[i][j] -= a[i][k] * a[k][j];
        } }";
    two_products(9, SMALLER): "(int N, int a[N][N], int b[N][N], int c[N][N], int d[N][N], int e[N][N]) {
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
            d[i][j] = 0;
            for (int k = 0; k < N; k++) d[i][j] += a[i][k] * b[k][j];
        }
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
            e[i][j] = 0;
            for (int k = 0; k < N; k++) e[i][j] += d[i][k] * c[k][j];
        } }";
    mvt(14, SMALL): "(int N, int x[N], int y[N], int u[N], int v[N], int a[N][N]) {
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) x[i] += a[i][j] * u[j];
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) y[i] += a[j][i] * v[j]; }";
    bicg(13, SMALL): "(int N, int a[N][N], int s[N], int q[N], int p[N], int r[N]) {
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
            s[j] += r[i] * a[i][j];
            q[i] += a[i][j] * p[j];
        } }";
    copies(11, SMALL): "(int N, int x[N][N], int y[N][N], int s[N], int t[N], int u[N]) {
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
            y[i][j] = x[i][j] + 3 * s[i] + 5 * t[i];
            t[i] = s[i];
            s[i] = y[i][j];
            x[i][j] = t[i] - s[i];
            u[j] += x[i][j] ^ y[i][j];
        } }";
    trisolv(14, SMALL): "(int N, int l[N][N], int x[N], int b[N]) {
        for (int i = 0; i < N; i++) {
            x[i] = b[i];
            for (int j = 0; j < i; j++) x[i] -= l[i][j] * x[j];
            x[i] = x[i] ^ l[i][i];
        } }";
}

/// Names of the source never meet those that burstc makes: a size that is called like each of them, in a kernel with a
/// scalar in memory, two statements in a loop and floors.
#[test]
fn sizes_may_be_called_like_anything() {
    let path = crate::common::root("tests/kernels/local_scalar_in_memory.c");
    let text = std::fs::read_to_string(path).unwrap();
    for name in ["element", "T0", "x0", "q0", "t0", "lane", "i_group", "inner", "outer0"] {
        check(&text.replace('N', name), 3, LARGE);
    }
}

/// The hull of a triangle and a square says something of the outer loop alone, which the loop inside of it, around both, does
/// not test: its index takes more values than the hull has.
#[test]
fn loops_around_several_nests_run_without_guards() {
    let text = "#pragma burstc size(N: 0, max 3)
        void triangle_and_square(int N, int a[N + 1], int b[N + 1], int c[1], int d[1]) {
            for (int i = 0; i <= N; i++) for (int j = i; j <= N - 2; j++) { b[i] += 1; d[0] += b[i]; }
            for (int i = 0; i <= N; i++) for (int j = 0; j <= N; j++) { a[0] += i; c[0] = (a[i] + b[0]); } }";
    check(text, 3, LARGE);
}
