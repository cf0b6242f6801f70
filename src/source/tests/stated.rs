//! Loops of which a directive says how often they run at most, against the C compiler.

use super::native::{compare_each, compare_small};
use super::{diagnostic, source};

/// The body with every `ROUNDS(…)` as a directive on a line of its own.
fn of(body: &str) -> String {
    let mut text = String::new();
    for (k, part) in body.split("ROUNDS").enumerate() {
        match part.split_once("; ").filter(|_| k > 0) {
            Some((most, rest)) => text += &format!("\n#pragma burstc rounds{most}\n{rest}"),
            None => text += part,
        }
    }
    format!(
        "#define TWICE(n) (2 * n)\n#define MANY 40\n#pragma burstc size(n: 5, max 40)\n\
         void f(int n, int a[64], int b[64], int c[64])\n{{\n{text}\n}}\n"
    )
}

#[test]
fn as_often_as_stated() {
    compare_each(
        &[
            "int s = 1; ROUNDS(n + 1); while (s) { s = 0; for (int i = 0; i + 1 < n; i++) if (a[i] > a[i + 1]) \
             { int t = a[i]; a[i] = a[i + 1]; a[i + 1] = t; s = 1; } c[0]++; }",
            "int s; ROUNDS(n + 1); do { s = 0; for (int i = 1; i < n; i++) { if (a[i - 1] <= a[i]) continue; \
             int t = a[i]; a[i] = a[i - 1]; a[i - 1] = t; s = 1; } c[0]++; } while (s); c[1] = s;",
            "int i = 0, k = a[0] & 7; ROUNDS(100 - 2 * n); while (k != 3) { i++; k = (k * 5 + 1) & 7; c[i & 7] = k; }",
            "int k = a[0] & 7; ROUNDS(20); do { k = (k * 5 + 1) & 7; if (k == 2) continue; c[k]++; } while (k != 3);",
            "int k = a[0] & 7; ROUNDS(MANY); while (1) { k = (k * 5 + 1) & 7; if (k == 3) break; c[k]++; }",
            "int k = a[0] & 7; for (int i = 0; i < n; i++) ROUNDS(2 * MANY - 60); while (k != i % 8) k = (k * 5 + 1) & 7; c[0] = k;",
            "int k = a[0] & 7; if (n > 3) { ROUNDS(3 * n - 4); while (k != 3 && k > 5) k = (k * 5 + 1) & 7; c[0] = k; }",
            // One in the other.
            "int k = a[0] & 7, j = 5; ROUNDS(9); while (k) { ROUNDS(9); while (j != k) { j = (j * 5 + 1) & 7; c[j]++; } k = (k * 5 + 1) & 7; }",
            // What counts needs no directive, and may have one.
            "int i = 0; ROUNDS(n); while (i < n) { c[i] = a[i]; i++; }",
        ],
        |body| compare_small(&source(&of(body))),
    );
}

#[test]
fn what_states_nothing_is_refused() {
    for (body, message) in [
        ("ROUNDS(n); for (int i = 0; i < n; i++) c[i] = 1;", "stands before no `while`"),
        ("ROUNDS(n); c[0] = 1; while (c[0] & 8) c[0]++;", "stands before no `while`"),
        ("int k = a[0]; ROUNDS(n * n); while (k) k = k * 5 & 7;", "this product of two variables is not affine"),
        ("int k = a[0]; ROUNDS n; while (k) k = k * 5 & 7;", "`(` was expected"),
        ("int k = a[0]; ROUNDS(); while (k) k = k * 5 & 7;", "an integer or a name was expected"),
    ] {
        let refused = diagnostic(&of(body));
        assert!(refused.message.contains(message), "{body}: {refused:?}");
        assert!(refused.span.is_some(), "{body}");
    }
}
