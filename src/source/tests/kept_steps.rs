//! Loops with a step that they keep, and heads up to a root, against the C compiler.

use super::native::{compare_each, compare_small};
use super::{diagnostic, source};

fn of(body: &str) -> String {
    format!(
        "#pragma burstc size(n: 5, max 40)\n#pragma burstc size(m: 5, max 40)\n\
         void f(int n, int m, int a[n + 1], int b[n + 1], int c[8])\n{{\n{body}\n}}\n"
    )
}

fn compare(body: &str) {
    compare_small(&source(&of(body)));
}

#[test]
fn steps_that_a_loop_keeps() {
    compare_each(
        &[
            "for (int i = 1; i < n; i++) for (int k = i; k < n; k += i) b[k]++;",
            "for (int i = 2; i < n; i++) for (int k = i * i; k <= n; k += i) b[k] ^= i;",
            "for (int i = 0; i < n; i++) for (int k = 2 * i + 1; k < n; k += 2 * i + 1) c[k & 7] += i;",
            "for (int i = 1; i < n; i++) for (int k = i * i; k < n; k += 2 * i) { int t = b[k]; b[k] = t + k; c[t & 7]++; }",
            // Where the counter is behind the loop, also of one without a round.
            "int k; for (int i = 1; i < n; i++) { for (k = i; k < n; k += i + 1) b[k] = k; c[i & 7] = k; }",
            "for (int i = 1; i < n; i++) { int k = i; while (k < m) { c[k & 7] += k; k += i; } c[0] ^= k; }",
            "for (int i = 1; i < n; i++) { int k = 7; while (k < m) { c[1]++; k += i; } c[0] += k; }",
            // A step that data tell, and is kept.
            "int s = (a[0] & 3) + 1; for (int k = 0; k < n; k += s) b[k]++;",
            "int s = (a[0] & 3) + 1, k; for (k = 2; k <= n; k += s) b[k] += s; c[0] = k;",
            // Data that end such a loop before.
            "for (int i = 1; i < n; i++) for (int k = i; k < n; k += i) { if (a[k] < 0) break; b[k]++; }",
        ],
        compare,
    );
    // A step or an end that the body changes, and one that may be 0.
    let changing = [
        "int s = 1; for (int k = 0; k < n; k += s) { b[k]++; s = b[k] & 3; }",
        "for (int i = 1; i < n; i++) { int e = n; for (int k = i; k < e; k += i) { b[k]++; e = n - (a[k] & 1); } }",
        "for (int i = 0; i < n; i++) for (int k = i; k < n; k += i) b[k]++;",
        "int s = m & 3; for (int k = 0; k < n; k += s) { b[k & 3]++; s = s & 1; }",
    ];
    for body in changing {
        assert!(!diagnostic(&of(body)).message.is_empty(), "{body}");
    }
}

#[test]
fn heads_up_to_a_root() {
    compare_each(
        &[
            "for (int i = 1; i * i <= n; i++) c[i & 7] += i;",
            "int i = 0; while (i * i < n) i++; c[0] = i;",
            "for (int i = 0; i * i < 30; i += 2) c[i & 7] = i * i;",
            "for (int i = 1; 36 >= i * i; i++) c[i] = i;",
            "for (int i = 1; n >= i * i; i++) b[i] = 1;",
            "for (int i = 0; (long long)i * i < n; i++) c[0] += i;",
            "for (int i = 2; i < n; i++) { int q = 1; for (int d = 2; d * d <= i; d++) if (i % d == 0) { q = 0; break; } c[0] += q; }",
            "for (int i = 3; i >= 0 && i * i < n; i--) c[i] = 1;",
            "for (int i = 0; i * i < n && a[i] != 3; i++) c[0]++;",
            // Of numbers without sign, and of what falls, a square says nothing of its root.
            "for (unsigned i = 0; i * i < (unsigned)n; i++) c[0]++;",
            "for (int i = 5; i * i < n; i--) c[0]++;",
            "for (int i = 2; i * i <= n; i++) if (b[i] > 0) for (int k = i * i; k <= n; k += i) b[k] = -1;",
        ],
        compare,
    );
    let of_others = of("for (int i = 0; i * m < n; i++) c[0]++;");
    assert_eq!(diagnostic(&of_others).message, "this loop bound is not affine: it multiplies variables");
}

#[test]
fn heads_up_to_a_root_of_data() {
    compare_each(
        &[
            "for (int i = 0; i < n; i++) { int x = a[i] & 255, q = x > 1; for (int d = 2; d * d <= x; d++) if (x % d == 0) { q = 0; break; } c[i & 7] += q; }",
            "for (int i = 0; i < n; i++) { unsigned x = a[i] & 255, k = 0; for (unsigned d = 2; d * d <= x; d++) while (x % d == 0) { x /= d; k++; } c[i & 7] += k + x; }",
            "int x = (a[0] & 1023) - 3, r = 0; while ((r + 1) * (r + 1) <= x) r++; c[0] = r;",
            "int x = a[0] & 255; int r = 0; while (x > r * r) { r += 3; c[0]++; } c[1] = r;",
            "int x = a[0] & 255, y = x >> 2, z = y + 3; for (int r = 1; (long long)r * r <= z; r++) c[r & 7] = r;",
            "int x = a[0] & 255; if (a[0] & 256) x = 300; x >>= (a[0] >> 9) & 3; for (int r = 0; r * r < x; r++) c[r & 7] = r;",
            "unsigned x = a[0] & 255; for (unsigned long r = 16; r * r <= x; r += 5) c[r & 7] = r;",
            "int x = a[0] & 15; for (int r = -3; r * r <= x; r++) c[0] += r;",
            "int x = a[0] & 255; x = x / 3; x = x & 31; for (int r = 1; r * r <= x; r++) c[r & 7] = x;",
            // Divisors.
            "int x = a[0] & 255 | 1, d = ((a[0] >> 9) & 7) + 2; while (x % d == 0) { x = x / d; c[0]++; } c[1] = x;",
            "int x = a[0] & 255 | 1, d = ((a[0] >> 9) & 7) + 2; while (x > 1 && !(x % d)) { x /= d; c[0]++; } c[1] = x;",
        ],
        compare,
    );
    for body in [
        // What may come round.
        "unsigned x = a[0]; for (unsigned d = 2; d * d <= x; d++) c[0]++;",
        "unsigned x = a[0] & 255; for (unsigned d = a[1]; d * d <= x; d++) c[0]++;",
        "unsigned x = a[0] & 255, d = 0; for (int i = 0; i < n; i++) d++; while (d * d <= x) { d++; c[0]++; }",
        "unsigned x = a[0] & 255; for (unsigned d = 2; d * d <= x; d += 65534) c[0]++;",
        "unsigned x = a[0] & 255; for (int i = 0; i < n; i++) x += 7; for (unsigned d = 2; d * d <= x; d++) c[0]++;",
        "int x = a[0] & 255; x -= 300; for (unsigned d = 2; d * d <= x; d++) c[0]++;",
        // Nothing becomes less.
        "int x = a[0] & 255 | 1, d = 2; while (x % d == 0) { x /= d; d = 1; }",
        "int x = a[0] & 255 | 1, d = a[1]; while (x % d != 0) { x /= d; c[0]++; if (x == 7) break; }",
    ] {
        assert!(!diagnostic(&of(body)).message.is_empty(), "{body}");
    }
}
