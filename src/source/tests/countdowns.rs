//! Loops that count down what data say, in every way that C writes them, and helpers with such loops in expressions, against the C compiler.

use super::native::{compare_each, compare_small};
use super::{diagnostic, source};

fn whole(helpers: &str, body: &str) -> String {
    format!(
        "#include <stdint.h>\n{helpers}\n#pragma burstc size(n: 5, max 40)\n#pragma burstc size(m: 5, max 40)\n\
         void f(int n, int m, int a[64], int b[8], int c[8])\n{{\n{body}\n}}\n"
    )
}

#[test]
fn what_counts_down_data() {
    compare_each(
        &[
            "for (int k = 0; k < 8; k++) { int q = b[k] & 7; int l = q, i = 0; while (l--) c[k] += a[8 * k + i++]; }",
            "for (int k = 0; k < 8; k++) { int q = b[k] & 7; { int l = q; const int *p = a + 8 * k; while (l-- > 0) c[k] += *p++; } }",
            "for (int k = 0; k < 8; k++) { int l = b[k] & 7, i = 0; do { c[k] += a[8 * k + i]; i++; } while (l-- > 0 && i < 8); c[k] ^= l; }",
            "for (int k = 0; k < 8; k++) { int l = b[k] & 7, i = 0; do c[k] += a[8 * k + i++]; while (l-- > 0); c[k] ^= l; }",
            "for (int k = 0; k < 8; k++) { int l = (b[k] & 7) + 1, i = 0; do { if (a[8 * k + i] == 3) break; i++; } while (--l); c[k] = i * 9 + l; }",
            "for (int k = 0; k < 8; k++) { int l = (b[k] & 7) + 1, i = 0; do { i++; if (a[8 * k + i - 1] & 1) continue; c[k] += i; } while (--l); }",
            "for (int k = 0; k < 8; k++) { int l = b[k] & 7, i = 0; while (l--) { i++; if (a[8 * k + i - 1] & 1) continue; c[k] += i; } c[k] -= l; }",
            "for (int k = 0; k < 8; k++) { int l = b[k] & 7, i = 0; while (l--) { if (a[8 * k + i] == 2) break; c[k] += a[8 * k + i++]; } c[k] = c[k] * 5 + l; }",
            "for (int k = 0; k < 8; k++) { unsigned l = b[k] & 7u; int i = 0; for (; l--; i++) { if (a[8 * k + i] & 4) break; if (a[8 * k + i] & 1) continue; c[k] += i; } c[k] += (int)l; }",
        ],
        |body| compare_small(&source(&whole("", body))),
    );
}

#[test]
fn continue_behind_which_a_loop_steps() {
    compare_each(
        &[
            "for (int k = 0; k < 8; k++) for (int i = 8 * k; i < 8 * k + 8 && a[i] != 1; i++) { if (a[i] & 2) continue; c[k] += a[i]; }",
            "for (int k = 0; k < 8; k++) for (int i = b[k] & 7; i > 0; i -= 1 + (a[i] & 1)) { if (a[8 * k + i] & 2) { c[k]--; continue; } c[k] += i; }",
            "for (int i = 0; i < 63; i++) { if (a[i] & 1) { i++; continue; } a[i] = 0; }",
            "for (int i = 0, j = 7; i < j; i++, j -= b[i] & 1) { if (a[i] & 1) continue; if (a[i] & 2) { c[j] = i; continue; } c[i] += j; }",
            "for (int i = n & 7; i >= 0; i--) { for (int j = i; j < 8; j++) { if (b[j] & 1) continue; if (b[j] & 2) break; c[i]++; } if (c[i] & 1) continue; c[i] += 4; }",
        ],
        |body| compare_small(&source(&whole("", body))),
    );
}

/// What a helper changes of its own pointers nobody else sees.
#[test]
fn helpers_that_move_their_pointers_stand_in_expressions() {
    let helpers = "static int sum(const int *p, int l) { int s = 0; while (l--) s += *p++; return s; }\n\
         static int twice(const int *p, int l) { return 2 * sum(p, l); }\n\
         static uint16_t fold(const int *p, int l) { uint32_t s = 0; while (l > 0) { s += *p & 0xffff; p++; l--; } return (uint16_t)((s & 0xffff) + (s >> 16)); }\n\
         static int put(int *p, int v) { int *q = p; *q = v; return v + 1; }\n\
         static int last(const int *p) { const int *q = p; while (q < p + 7 && *q != 0) q++; return *q; }";
    let compare = |body: &str| compare_small(&source(&whole(helpers, body)));
    let all = [
        "for (int k = 0; k < 8; k++) c[k] = ~sum(a + 8 * k, b[k] & 7);",
        "for (int k = 0; k < 8; k++) c[k] = 3 + twice(&a[8 * k], b[k] & 7) * 2;",
        "for (int k = 0; k < 8; k++) c[k] = (uint16_t)~fold(a + 8 * k, b[k] & 7);",
        "for (int k = 0; k < 8; k++) if (fold(a + 8 * k, 8) > 1000 && sum(a + 8 * k, b[k] & 7) < 0) c[k] = k - sum(b, k);",
        "int t = n; for (int k = 0; k < 8; k++) t = t * 3 + sum(b, k) - twice(a + k, m & 7); c[0] = t;",
    ];
    let failed: Vec<_> = all.iter().filter(|body| std::panic::catch_unwind(|| compare(body)).is_err()).collect();
    assert!(failed.is_empty(), "{failed:?}");
    // What it writes by a pointer that it made of its own, others see: C says no order.
    let writing = whole(helpers, "for (int k = 0; k < 7; k++) c[k] = a[k] + put(&a[k], k);");
    assert!(!diagnostic(&writing).message.is_empty());
}
