//! Loops that go from element to element and never come back, against the C compiler.

use super::native::{compare_each, compare_small};
use super::{diagnostic, source};

fn of(body: &str) -> String {
    format!(
        "#pragma burstc size(n: 5, max 40)\n#pragma burstc size(m: 5, max 40)\n\
         void f(int n, int m, int a[64], int p[64], int c[64])\n{{\n{body}\n}}\n"
    )
}

/// Parents that are below their children, by which every way ends at 0.
fn of_forest(body: &str) -> String {
    of(&format!("p[0] = 0; for (int i = 1; i < 64; i++) p[i] = (a[i] & 1023) % i;\n{body}"))
}

/// A heap whose first element may be in the wrong place.
fn of_heap(body: &str) -> String {
    of(&format!("for (int i = 0; i < 64; i++) p[i] = (a[i] & 15) - i;\n{body}"))
}

#[test]
fn what_tells_alone_where_it_goes() {
    compare_each(
        &[
            "for (int k = 0; k < n; k++) { int x = k; while (p[x] != x) x = p[x]; c[k] = x; }",
            "int x = n; for (;;) { int y = p[x]; if (y == x) break; c[y]++; x = y; }",
            "int x = n, t; while (1) { t = p[x]; if (t == 0) break; c[x] = t; x = t; } c[1] = x;",
            "int s = 0; for (int x = m; x > 0; x = p[x]) s += a[x]; c[0] = s;",
            "int x = n; do { x = p[x]; c[x]++; } while (x != 0);",
            "int x = n; while (x > 2) { if (a[x] < 0) x = p[x]; else x = p[p[x]]; c[x]++; }",
            "int x = n; while (x && a[x] != m) x = a[x] > m ? p[x] : p[x] / 2; c[0] = x;",
            // Of what the rounds write, nothing tells where they go.
            "int x = n; while (x > 0) { c[x] = c[x] * 3 + x; x = p[x]; }",
        ],
        |body| compare_small(&source(&of_forest(body))),
    );
    compare_each(
        &[
            // Around a table with an empty place.
            "for (int i = 0; i < 64; i++) p[i] = a[i] & 3; p[7] = 0; int h = n; while (p[h] != 0) h = (h + 1) % 64; c[0] = h;",
            "for (int i = 0; i < 64; i++) p[i] = a[i] & 7; p[9] = 0; int h = n; while (p[h] != 0 && p[h] != m) h = (h + 5) & 63; c[0] = h;",
            "for (int i = 0; i < 64; i++) p[i] = a[i] & 3; p[m] = 0; unsigned h = n; for (; p[h]; h = (h + 1) % 64) c[h]++; c[0] = h;",
            "for (int i = 0; i < 64; i++) p[i] = a[i] & 7; int i = 0; while (i < 57) { if (p[i] == 0) break; i += p[i]; } c[0] = i;",
            "for (int i = 0; i < 64; i++) p[i] = (a[i] & 3) + 1; int s = 1; for (int k = 0; k < n; k += s) { c[k]++; s = p[k]; }",
            // A list whose end is below 0.
            "for (int i = 0; i < 64; i++) p[i] = i - 1 - (a[i] & 3); for (int x = n; x >= 0; x = p[x]) c[x]++;",
            // A tree of two arrays.
            "for (int i = 0; i < 64; i++) { p[i] = 2 * i + 1 < 64 ? 2 * i + 1 : -1; c[i] = 2 * i + 2 < 64 ? 2 * i + 2 : -1; } \
             int x = 0; while (x >= 0 && a[x] != m) { if (m < a[x]) x = p[x]; else x = c[x]; } c[0] = x;",
        ],
        |body| compare_small(&source(&of(body))),
    );
}

/// A text of four letters that ends at 0.
fn of_text(body: &str) -> String {
    of(&format!("for (int i = 0; i < 64; i++) p[i] = (a[i] & 3) + (i < 40); p[m + 1] = 0;\n{body}"))
}

#[test]
fn what_loops_in_a_round_move() {
    compare_each(
        &[
            "int i = 0, k = 0; while (p[i]) { while (p[i] == 1) i++; if (!p[i]) break; k++; while (p[i] && p[i] != 1) i++; } c[0] = k;",
            "int i = 0, k = 0; for (;;) { while (p[i] == 1 || p[i] == 3) i++; if (p[i] == 0) break; \
             if (p[i] == 2) { int v = 0; while (p[i] == 2) { v = v * 10 + p[i]; i++; } c[k++] = v; } else { c[k++] = -i; i++; } } c[63] = k;",
            "int i = 0; for (;;) { int l = 0; for (; p[i] && p[i] != 2; i++) l++; c[i] = l; if (!p[i]) break; i++; }",
            "int i = 0, k = 0; while (p[i]) { int from = i; do i++, k += i; while (p[i] == p[from]); c[from] = i - from; } c[63] = k;",
            "int i = 0; while (p[i]) { int j = i; while (p[i] > 1) { i++; if (p[i] == 4) break; c[j]++; } c[i]--; i++; }",
            "int i = 0; for (;;) { do { c[i]++; if (p[i] > 2) c[i] += 5; i++; } while (p[i] > 1); if (p[i] == 0) break; }",
            "int i = 0; while (i < 50) { if (p[i] > 3) while (i < 50 && p[i] > 2) i++; else i++; }",
            "int i = 0; while (p[i]) { while (p[i] == 1) { i++; if (p[i] == 3) continue; c[i] = 7; } if (p[i]) i++; }",
        ],
        |body| compare_small(&source(&of_text(body))),
    );
    let all = [
        // What the rounds before have left tells how the loop inside goes on.
        "int i = 0, k = 0; while (p[i]) { while (p[i] == 1 && k < 9) { i++; k++; } if (p[i] == 2) i++; else k = 0; }",
        "int i = 0; while (p[i]) { while (p[i] > c[1]) { i++; c[1] = a[i]; } if (p[i] == 3) c[1] = 0; }",
        "int i = 0, k = 0; while (p[i]) { while (k++ < p[i]) i = p[i + 1]; k = i; }",
    ];
    for body in all {
        assert!(!diagnostic(&of_text(body)).message.is_empty(), "{body}");
    }
}

#[test]
fn what_leads_up_or_down() {
    compare_each(
        &[
            // Down a heap.
            "int i = 0, v = p[0]; for (;;) { int c1 = 2 * i + 1; if (c1 >= n) break; if (c1 + 1 < n && p[c1 + 1] > p[c1]) c1++; \
             if (p[c1] <= v) break; p[i] = p[c1]; i = c1; } p[i] = v;",
            "int i = 0; for (;;) { int l = 2 * i + 1, r = l + 1, k = i; if (l < n && p[l] > p[k]) k = l; if (r < n && p[r] > p[k]) k = r; \
             if (k == i) break; int t = p[i]; p[i] = p[k]; p[k] = t; i = k; }",
            "int i = 0; while (2 * i + 1 < n) { int k = 2 * i + 1; if (k + 1 < n && p[k] < p[k + 1]) k = k + 1; if (p[i] >= p[k]) break; \
             int t = p[i]; p[i] = p[k]; p[k] = t; i = k; }",
            // Up a heap.
            "int i = n; while (i > 0 && p[(i - 1) / 2] < m) { p[i] = p[(i - 1) / 2]; i = (i - 1) / 2; } p[i] = m;",
            "int i = n; while (i > 0) { int q = (i - 1) >> 1; if (p[q] >= p[i]) break; int t = p[i]; p[i] = p[q]; p[q] = t; i = q; }",
            "for (int i = n; i > 1 && p[i / 2] < p[i]; i /= 2) { int t = p[i]; p[i] = p[i / 2]; p[i / 2] = t; }",
            "unsigned i = n; while (i != 0 && p[i >> 1] < p[i]) { p[i] = c[i] - 1; i >>= 1; }",
            // A search tree in an array, and steps that grow.
            "int i = 0; while (i < n && a[i] != m) i = 2 * i + 1 + (a[i] < m); c[0] = i;",
            "int i = 0; while (i < n && a[i] != 3) { c[i]++; i = i + i + 1; }",
            "int i = 1; while (i < n) { c[i] = p[i]; if (p[i] & 1) i = 3 * i; else i = 2 * i + (p[i] & 7); }",
        ],
        |body| compare_small(&source(&of_heap(body))),
    );
}

#[test]
fn what_may_come_back_is_refused() {
    let all = [
        // The rounds change what tells where they go.
        "int x = n; while (p[x] != x) { int y = p[x]; p[x] = p[y]; x = y; }",
        "int x = n, k = 0; while (p[x] != x) { x = (p[x] + k) & 63; k = k * 5 + 1; }",
        "int x = n; while (p[x] != 0) { x = p[x]; p[5] = x; }",
        // Larger only above 0, and smaller only where something is left.
        "int i = n; while (p[i] != m) { c[i]++; i = i / 2; p[i]--; }",
        "int i = n; while (p[i] < m) { i = 2 * i; p[i] = c[i]; }",
        "unsigned i = n; while (p[i] < m) { i = 2 * i + 1; p[i & 63] = c[5]; }",
        // A round that looks at no element.
        "int x = n; while (x != 3) { if (x > 5) c[x]++; x = p[x & 31]; }",
    ];
    for body in all {
        assert!(!diagnostic(&of_heap(body)).message.is_empty(), "{body}");
    }
}
