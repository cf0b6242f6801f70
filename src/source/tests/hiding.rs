//! Names that hide others, and conditions that are values, against the C compiler.

use super::native::{compare_each, compare_small};
use super::source;

/// Compares a kernel's body over `n` and `m`, with `a` and `b` of `n + 1` small numbers and `c` of results, at small sizes.
fn compare(body: &str) {
    compare_small(&source(&format!(
        "#include <math.h>\nenum {{ LOW = 3, HIGH }};\ntypedef short number;\n#pragma burstc size(n: 5, max 40)\n#pragma burstc size(m: 5, max 40)\n\
         void f(int n, int m, int x, int a[n + 1], int b[n + 1], int c[8])\n{{\n\
         for (int i = 0; i < n + 1; i++) {{ a[i] &= 7; b[i] &= 7; }}\nx &= 7;\n{body}\n}}\n"
    )));
}

#[test]
fn inner_names_are_others() {
    compare_each(
        &[
            "for (int i = 0; i < n; i++) { int x = a[i]; { float b[4]; for (int k = 0; k < 4; k++) b[k] = x * k; x = b[3] + b[2]; } b[i] = x; }",
            "for (int i = 0; i < n; i++) { int s = 1; for (int i = 0; i < m; i++) s += i; a[i] += s; } c[0] = x;",
            "for (int n = 0; n < m; n++) c[n & 7] += n; a[n] = 4;",
            "for (int i = 0; i < n; i++) { int a = b[i], b = a + 1; c[i & 7] += a * b; }",
            "for (int i = 0; i < n; i++) { int x = 5; c[i & 7] += x; { int x = a[i] * 2; c[1] ^= x; { char x = 300; c[2] += x; } c[3] += x; } b[i] += x; } c[4] = x;",
            "{ int t = 3; for (int i = 0; i < n; i++) a[i] += t++; c[0] = t; } { unsigned char t = 250; for (int i = 0; i < n; i++) b[i] += t++; c[1] = t; }",
            "for (int i = 0; i < n; i++) { enum { m = 2 }; c[0] += m; } c[1] = m;",
            "for (int i = 0; i < n; i++) { int HIGH = a[i]; c[0] += HIGH * LOW; } c[1] = HIGH;",
            "int i = 7; for (int i = 0; i < n; i++) a[i]++; c[0] = i; for (long i = m; i > 0; i--) c[1] += i;",
            "for (int i = 0; i < n; i++) { struct { int y, m; } p = { .y = a[i], .m = 2 }; int m = p.m; c[i & 7] += p.y * m; }",
            "for (int i = 0; i < n; i++) { for (int k = 0, n = 4; k < n; k++) c[k] += a[i]; int k = n; b[i] = k; }",
            "for (int i = 0; i < n; i++) { unsigned v = a[i]; while (v > 1) v /= 2; c[i & 7] += v; } for (int i = 0; i < n; i++) { int v[2] = {a[i], b[i + 1]}; c[i & 7] += v[0] * v[1]; }",
            "for (int i = 0; i < n; i++) { int v[2] = {a[i], b[i]}; c[i & 7] += v[0] - v[1]; } for (int i = 0; i < n; i++) { unsigned v = a[i]; while (v > 3) v >>= 1; c[i & 7] += v; }",
            "for (int i = 0; i < n; i++) { unsigned v = a[i]; while (v > 3) v >>= 1; c[i & 7] += v; } for (int i = 0; i < n; i++) { const int *v = a + i; c[0] += *v++; c[1] ^= *v; }",
            "int s = 0; for (int i = 0; i < n; i++) { if (a[i] == 3) break; { int s = b[i]; c[0] += s; } s++; } c[1] = s;",
        ],
        compare,
    );
}

/// In a text that hides nothing, nothing changes.
#[test]
fn other_names_stay() {
    let kernel = super::kernel(
        "void f(int a[8], int b[8]) { for (int i = 0; i < 8; i++) a[i] = 1; for (int i = 0; i < 8; i++) { int t = a[i]; b[i] = t; } }",
    );
    assert_eq!(crate::source::iterators(&kernel.body), ["i", "i"]);
}

#[test]
fn helpers_with_names_of_their_callers() {
    let text = "#pragma burstc size(n: 5, max 40)\n#pragma burstc size(m: 5, max 40)\n\
                static void add(int n, int *a) { for (int i = 0; i < n; i++) { int a2 = a[i]; { int a = a2; a2 += a; } a[i] = a2; } }\n\
                void f(int n, int m, int a[n], int b[m]) { add(n, a); for (int i = 0; i < m; i++) { int n = b[i]; b[i] = n * n; } add(m, b); }\n";
    compare_small(&source(text));
}

/// `i + (i < n)` in subscripts, bounds and steps' places.
#[test]
fn what_is_true_is_one() {
    compare_each(
        &[
            "for (int i = 0; i < n; i++) b[i] = a[i + (i < m)];",
            "for (int i = 0; i < n; i++) b[i + !(i & 1)] += a[i];",
            "for (int i = (m > 3); i < n + (n > 2 && m > 2); i++) a[i] = i;",
            "for (int i = 0; i < n; i++) for (int j = i - (i > 4); j < n - (i == 2 || i == 3); j++) a[j] += b[i];",
            "for (int i = 0; i < n; i++) a[i - (i > 0) * 1] += b[i >= 1 ? i - (i != 2 && i > 1) : 0];",
            "for (int i = 0; i < n; i++) { int k = i + (i % 3 == 1); b[k] = a[i]; }",
            "for (int i = 0; i < n; i++) c[(i > m) + 2 * (i == 3)] += a[i];",
            "for (int i = 0; i < n; i++) c[(a[i] > 3) + (i > 2)] += b[i];",
        ],
        compare,
    );
}

/// Quotients of `double`s that are rounded up or down, as code generators write bounds, of numbers on both sides of 0; and what is near
/// them, which is none.
#[test]
fn rounded_quotients_are_integers() {
    let (floord, ceild) = ("floor(((double)(N))/((double)(D)))", "ceil(((double)(N))/((double)(D)))");
    let of = |form: &str, number: &str, divisor: &str| form.replace('N', number).replace('D', divisor);
    let bodies = [
        format!("for (int i = -1; i <= {}; i++) c[i & 7] += i;", of(floord, "3 * n - 7", "4")),
        format!("for (int i = {}; i < n; i++) c[i & 7] += i;", of(ceild, "-2 * m - 1", "3")),
        format!("for (int i = 0; i < n; i++) c[(int){} & 7] += 1;", of(floord, "i - m", "2")),
        format!(
            "for (int i = 0; i < n; i++) if (i >= {} && i != {}) a[i]++;",
            of(ceild, "m - 9", "5"),
            of(floord, "n", "2")
        ),
        format!(
            "for (int i = 0; i < n; i++) {{ double d = {}; if (d < 1.5) a[i] += 3; b[i] = d * 4; }}",
            of(floord, "i", "3")
        ),
        format!("int k = {}; for (int i = k; i <= k + m; i++) c[i & 7]++;", of(ceild, "n - m", "6")),
        format!("for (int i = 0; i < n; i++) c[0] += (int)({} + 1 - {});", of(floord, "i", "3"), of(ceild, "i", "4")),
        format!("for (int i = {} + 1; i < {} - 1 && i < n; i++) a[i] = i;", of(ceild, "-5", "3"), of(floord, "7", "2")),
        format!(
            "for (int i = 0; i < n; i++) if ((double)i / 2.0 < 1.5 && (double)i < 2.5) a[i] = {};",
            of(ceild, "i - 3", "1")
        ),
    ];
    compare_each(&bodies.iter().map(String::as_str).collect::<Vec<_>>(), compare);
}

/// Parts that hold for all iterations or none, and comparisons in other words.
#[test]
fn heads_by_what_is_true() {
    compare_each(
        &[
            "for (int i = 0; n && i < n; i++) a[i] = i;",
            "for (int i = 0; i < n && m; i++) a[i] = i;",
            "for (int i = 0; !(i >= n); i++) a[i] += 2;",
            "for (int i = 0; !(i >= n || i > m); i++) a[i] += 2;",
            "for (unsigned i = 0; !(i == (unsigned)n); i++) a[i] += 2;",
            "for (int i = n; !(i <= 0); i--) a[i] = a[i - 1];",
            "for (int i = 0; i < n && (m > 2 || n < 4); i++) a[i] = i;",
            "for (int i = 0; i < n; i++) { if (m) break; a[i] = i; }",
            "for (int i = 0; i < n; i++) { if (!m) break; a[i] = i; }",
            "for (int i = 0; i < n; i++) { if (m > 3 || i > 5) break; a[i] = i; }",
            "for (int i = 0; i < n; i++) { if (m & 1) break; a[i] = i; }",
        ],
        compare,
    );
}

/// Conditions that no affine expression decides, on counters that begin with constants.
#[test]
fn heads_by_values() {
    compare_each(
        &[
            "for (int i = 0; i * i < 60; i++) c[i] += x;",
            "for (int i = 7; (i & 3) != 1; i--) c[i] += x;",
            "for (unsigned char k = 252; k % 9 <= 5; ++k) c[k & 7] += k;",
            "for (int i = 1; (1 << i) < 200; i++) c[i] = i;",
            "for (int k = 0; k * (k + 1) / 2 < 25; k++) c[k] += 3;",
            "int i; for (i = 2; i * i <= n; i++) for (int j = i * i; j <= n; j += i) a[j] = i; c[0] = 1;",
            "int i = 2; while (i * i <= n) { c[i] += a[i]; i++; } c[0] = i;",
            "for (int i = 1; i * i < n && i < m; i += 2) c[i] = a[i * i];",
            "int i; for (i = 0; i * i < 60; i++) c[i] += x; c[0] = i;",
            "for (int i = 0; i * i < 60; i++) { if (a[0] == i) break; c[i]++; }",
            "for (int i = 0, k = 9; i * k < 40 && i < 8; i++, k--) c[i] += k;",
        ],
        compare,
    );
}
