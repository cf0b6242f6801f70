//! The values of counters behind their loops, against the C compiler.

use super::native::compare_source;
use super::source;

#[test]
fn values_behind_loops() {
    for body in [
        "int i; for (i = 0; i < n - 1; i++) a[i] = b[i]; a[i] = 99;",
        "int i; for (i = 2; i < n - 1; i++) a[i] = b[i]; b[0] = i;",
        "int i; for (i = 0; i + 4 <= n; i += 4) { a[i] += 1; a[i + 1] += 2; a[i + 2] += 3; a[i + 3] += 4; } \
         for (; i < n; i++) a[i] += 9;",
        "int i; for (i = 0; i < n - 3; i += 4) a[i] += a[i + 3]; while (i < n) { a[i] -= 9; i++; }",
        "int i; for (i = n - 1; i >= 3; i -= 3) a[i] += a[i - 2]; for (; i >= 0; i--) a[i] = 5; b[0] = i;",
        "int i; for (i = n - 1; i > 0; --i) a[i] = 1; a[i] = 7;",
        "int i; for (i = 0; i != n; ++i) a[i] = i; b[0] = i; for (i = 0; i < 3; i++) b[i] += i;",
        "unsigned i; for (i = 0; i < (unsigned)n; i += 3) a[i] = 4; b[1] = i;",
        "int i, k; for (i = 0; i < n; i++) { for (k = 0; k < i; k++) a[k] += 1; a[k] = k * 2; }",
        "int i = 0; while (i < n) { a[i] = 3; i++; } b[n - 1] = i;",
        "int i, k; for (i = 0; i < n; i++) a[i] = 2; k = i - 1; b[k] = 8;",
        "int i; for (i = 0; 5 > i; i++) b[0] += i; for (i = i - 2; i < 6; i++) b[0] += 10 * i;",
    ] {
        let text =
            format!("#pragma burstc size(n: 5, min 1, max 20)\nvoid f(int n, int a[n], int b[20])\n{{\n{body}\n}}\n");
        compare_source(&source(&text), &(1..=13).map(|n| vec![n]).collect::<Vec<_>>());
    }
}
