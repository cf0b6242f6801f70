//! Loops whose heads do not count, against the C compiler: at sizes that leave them no iteration, one, and several.

use super::native::{compare_accepted, compare_each, compare_small};
use super::source;

fn compare_all(bodies: &[&str]) {
    compare_each(bodies, compare);
}

/// Compares a kernel's body over `n` and `m`, an array of 100 and one of `n + m + 8` elements, and two of results, at small sizes.
fn compare(body: &str) {
    let text = format!(
        "#pragma burstc size(n: 5, max 40)\n#pragma burstc size(m: 5, max 40)\n\
         void f(int n, int m, int a[100], int b[n + m + 8], int c[4])\n{{\n{body}\n}}\n"
    );
    compare_small(&source(&text));
}

#[test]
fn counters_that_move_together() {
    compare_all(&[
        "int i = 0, j = n - 1; while (i < j) { int t = b[i]; b[i] = b[j]; b[j] = t; i++; j--; }",
        "int i = 0, j = n - 1; while (i <= j) { b[i] += a[j]; a[j] -= i; ++i; --j; } c[0] = i; c[1] = j;",
        "int i = 0, j = n; do { b[i] += a[j]; ++i; --j; } while (i < j); c[0] = i; c[1] = j;",
        "int i = 1, j = n + m, k = 3; while (i < j) { a[k] = i; k += 2; i += 2; b[j] += k; j--; } c[0] = i; c[1] = j; c[2] = k;",
        "int i = 0, j = n; while (j > i) { b[i] += 1; b[j] += 2; i++; j -= 3; } c[2] = i - j;",
        "int lo = 0, hi = n; while (hi != 0) { a[lo] = hi; lo++; hi--; } c[0] = lo;",
        "unsigned i = 0, j = n; while (i < j) { a[i] = j; i++; j--; } c[1] = i;",
        "for (int r = 0; r < m; r++) { int i = r, j = n; while (i < j) { b[i] += a[j]; b[j] ^= r; i++; j--; } c[3] += i; }",
    ]);
}

/// `!=` ends what steps by more than 1 where it is met, and is refused where it may not be.
#[test]
fn wider_steps_to_what_is_met() {
    compare_all(&[
        "for (int i = 0, j = 0; j != 2 * n; i++, j += 2) b[i] += a[j] + a[j + 1];",
        "int i = 0, j = 0; while (j != 2 * n) { b[i++] += a[j]; j += 2; } c[0] = i; c[1] = j;",
        "int j = 60; for (int i = 0; i != 60; i += 3) { j -= 3; a[i] += a[j]; } c[0] = j;",
        "for (unsigned char i = 0; i != 200; i += 8) c[0] += i;",
        "for (int i = 3 * n; i != 0; i -= 3) b[i / 3] = i;",
        "for (int i = 0; i < n; i++) for (int j = 4 * i; j != 4 * i + 8; j += 2) a[j / 2] ^= i;",
        "for (int i = 2 * n + 5; 5 != i; i -= 2) c[1] += i;",
        "int i = 0, j = 4 * n; while (i != j) { c[0] += j; i++; j -= 3; } c[1] = i;",
        "int i = 8; do { c[0] += i; i += 4; } while (i != 40); c[1] = i;",
        "for (int i = 0; 2 * i != 2 * n; i++) b[i] = 5;",
        "if (n % 2 == 0) for (int i = 0; i != n; i += 2) b[i] = 5;",
    ]);
    for (head, message) in [
        ("for (int i = 0; i != n; i += 2)", "steps over the bound that it compares with `!=`"),
        ("for (int i = 1; i != 2 * n; i += 2)", "steps over the bound that it compares with `!=`"),
        ("for (int i = 0; i != 10; i += 3)", "steps over the bound that it compares with `!=`"),
        ("for (int i = 0; 2 * i != n; i++)", "steps over the bound that it compares with `!=`"),
        ("for (int i = 8; i != 2 * m; i += 2)", "begins beyond the bound"),
    ] {
        let text = format!(
            "#pragma burstc size(n: 5, max 40)\n#pragma burstc size(m: 3, max 40)\nvoid f(int n, int m, int c[4])\n{{\n{head} c[0] += n + m;\n}}\n"
        );
        let refused = super::diagnostic(&text);
        assert!(refused.message.contains(message), "{head}: {refused:?}");
    }
}

/// Over all elements of rows, down, by counters and by pointers.
#[test]
fn all_elements_of_rows_downwards() {
    let sizes: Vec<Vec<i64>> = [[0, 3], [3, 0], [1, 1], [4, 5], [7, 2]].map(Vec::from).to_vec();
    for body in [
        "int *p = a + h * w - 1; for (int i = h * w; i > 0; i--) { *p += 3; p--; }",
        "int *p = a + h * w; while (p != a) { *--p += 3; }",
        "int *p = a + h * w; int i = h * w; while (i > 0) { --p; *p += 3; i--; }",
        "for (int i = h * w; i > 0; i--) a[i - 1] += 3;",
        "for (int i = h * w; i != 0; i--) a[i - 1] += b[i - 1];",
        "int j = h * w - 1; for (int i = h * w; i > 0; i--) { a[j] += b[i - 1]; j--; }",
        "int j = 0; for (int i = h * w; i > 0; i--) { a[j] += b[j]; j++; }",
        "for (int i = 1; i <= h * w; i++) a[i - 1] ^= b[i - 1];",
        "int i = h * w; while (i != 0) { i--; a[i] ^= b[i]; }",
        "int *p = a, *e = a + h * w; while (p != e) { *p += 3; p++; }",
    ] {
        let b = if body.contains("b[") { ", int b[h * w]" } else { "" };
        let text = format!("void f(int h, int w, int a[h * w]{b})\n{{\n{body}\n}}\n");
        let done = std::panic::catch_unwind(|| compare_accepted(&source(&text), &sizes).unwrap().len());
        assert_eq!(done.ok(), Some(5), "{body}");
    }
}

#[test]
fn steps_in_both_branches() {
    compare_all(&[
        "int i = 0; while (i < n) { if (i % 2 == 0) { b[i] = a[i]; i++; } else { b[i] = 1; i += 1; } } c[0] = i;",
        "int i = 0; for (; i < n;) { b[i] = a[i]; i++; a[i] = 2; } c[0] = i;",
        "int i = n; while (i > m) { a[i] = 1; i--; b[i] = 2; i--; } c[0] = i;",
        "int i = 0; for (; i < n;) { if (a[i] > 0) { b[i] = a[i]; i++; } else { b[i] = 0; i++; } } c[0] = i;",
        "int i = 0, k = 9; while (i < n) { if (a[i] & 1) { k++; a[k] = 3; k--; ++i; } else if (a[i] & 2) { i += 2; b[i] = 1; i--; } else i += 1; \
         if (!(a[i] & 1)) b[i] ^= 4; if (b[i] & 1) i += 1; else { i++; a[k] = 7; } } c[0] = i;",
        "int i; for (i = m - 9; 3 * i < n; i++) a[i + 40] = i; c[0] = i;",
        "int i = 0, k = 0; while (i < n) { b[i] = k; i++; if (i < m) { a[k] = 1; k += 2; } else k += 2; b[i] ^= 3; } c[1] = k;",
    ]);
}

#[test]
fn breaks_at_the_ends() {
    compare_all(&[
        "int i = 0; while (1) { b[i] = a[i] * 2; i++; if (i >= n) break; } c[0] = i;",
        "int i = 0; while (1) { if (i >= n) break; b[i] = a[i] * 2; i++; } c[0] = i;",
        "int i = n - 1; while (1) { if (i < 0) break; b[i] = a[n - 1 - i]; --i; } c[0] = i;",
        "int i = 0; for (;;) { if (i < n) { b[i] = a[i]; i++; } else break; } c[0] = i;",
        "int i = 0; while (1) { b[i] = a[i]; i += 2; if (i >= n) break; } c[0] = i;",
        "int i = 0; for (;;) { b[i] = a[i] - 1; if (++i == n + 1) break; } c[0] = i;",
        "for (int i = 0; i < n; i++) { int j = 0; while (1) { if (j > i) break; a[i + j] += i - j; j++; } }",
        "int i = 0; do { if (i >= n) break; b[i] = a[i] ^ 1; i++; } while (i < 14); c[0] = i;",
        "int i; for (i = 0; i < 20; i++) { if (i == n) break; a[i] = 3; } c[0] = i;",
        "int i = 0; while (1) { if (i == n) return; b[i] = a[i] + 7; i++; }",
        "int i = 0; while (!(i >= n)) { b[i] = 1; if (i % 2) { i++; continue; } a[i] = 2; i++; }",
        "int i = n; while (1) { if (!(i > 0 && i > m)) break; a[i] += 2; i -= 3; } c[1] = i;",
    ]);
}

/// Under a condition that they look at again at their end, loops may begin where a choice says.
#[test]
fn loops_under_their_own_condition() {
    let start = |value: &str, text: &str| format!("for (int r = 0; r < m; r++) {{ int i = {value}; {text} }}");
    let larger = "r - 3 > 2 ? r - 3 : 2";
    compare_all(
        &[
            start(larger, "if (i <= n) do { a[i] += r; i++; } while (i <= n);"),
            start(larger, "if (i <= n) for (;;) { a[i] += r; i++; if (!(i <= n)) break; }"),
            start("m < n ? m : n", "if (i >= 1) for (;;) { a[i] ^= r; i--; if (i < 1) break; }"),
            start(larger, "if (i <= n && i < 9) do { a[i] -= r; i++; if (a[i] & 1) continue; c[1] += i; } while (i <= n && i < 9);"),
            // Under another condition it is a loop of at least one iteration.
            start("r", "if (i <= n) do { a[i] += r; i++; } while (i < n);"),
            start("r", "if (i < n) do { a[i] += r; i++; } while (i <= n);"),
            start("r", "if (i < n) do { a[i] += r; i++; } while (i < n); else c[2] += r;"),
        ]
        .each_ref()
        .map(String::as_str),
    );
}

#[test]
fn breaks_in_the_middle() {
    compare_all(&[
        "int i = 0; for (;;) { a[i] = i; if (i == n) break; b[i] = a[i] + 1; i++; } c[0] = i;",
        "int i = 0; do { a[i] += 3; if (i == n) break; b[i] = a[i]; i++; } while (1); c[0] = i;",
        "for (int i = 0; i < 40; i++) { a[i] = 1; if (i == n) break; b[i] = a[i]; }",
        "int i; for (i = 0; i < 20; i++) { a[i] = 1; if (i >= n) break; b[i] = a[i]; } c[0] = i;",
        "int i; for (i = 3; i < m; i++) { a[i] = 1; if (i >= n) break; b[i] = a[i]; }",
        "int i = 0; for (; i < 20; i++) { if (i == n) break; a[i] = 1; if (i >= m) break; a[i] += 1; }",
        "int i = n; while (i >= 0) { a[i] = 1; if (i <= m) break; a[i + 1] += a[i]; i -= 2; }",
        "int i = 0, k = 3; while (1) { a[k] += i; k++; if (i > n) { c[1] = k; break; } a[k] ^= 5; i += 2; k += 1; } c[0] = i; c[2] = k;",
        "int i = 0; while (1) { a[i] += 1; if (i > n || i > m + 1) break; i++; a[i] += 2; if (i >= 9) { c[2] = i; break; } a[i] ^= 1; i++; }",
        "for (int r = 0; r < m; r++) { int j = 0; for (;;) { a[j] += r; if (j == r) break; a[j + 1] -= j; j++; } c[0] += j; }",
        "for (int r = 0; r < m; r++) for (int j = 0; j < 20; j++) { a[j] += r; if (j + r >= n) break; a[j + 1] -= j; }",
        "int i = 0; while (1) { a[i] += n; if (i == n) return; b[i] = a[i] + 7; i++; }",
    ]);
}

#[test]
fn conditions_that_step() {
    compare_all(&[
        "int k; for (int j = 0; j < n; j++) { for (k = 3; k-- > 0;) a[k] = j; b[j] = k; }",
        "int p = n; while (n-- > 0) { p--; a[p] += 3; }",
        "int k = n, p = 2; while (--k >= 0) { a[p] += k; p += 2; if (m > 3) c[0] += 1; } c[1] = k;",
        "int k = 0, p = 2 * n + 1; do { a[p] += k; p--; if (k > m) break; a[p] -= 1; p--; } while (++k < n); c[1] = k; c[2] = p;",
    ]);
}

#[test]
fn counters_that_carry() {
    for (body, expected) in [
        ("for (int t = 0, i = 0, j = 0; t < 240; t++, j++) { if (j == 20) { j = 0; i++; } l[i][j] = a[t]; }", true),
        ("int i = 0, j = 0; for (int t = 0; t < 240; t++) { l[i][j] = a[t]; j++; if (j == 20) { j = 0; i++; } }", true),
        ("int i = 0, j = 0; for (int t = 0; t < 240; t++) { l[i][j] = a[t]; if (++j >= 20) { i++; j = 0; } }", true),
        (
            "int i = 2, j = 0; for (int t = 0; t < 200; t++) { l[i][j] = a[t]; if (j == 19) { j = 0; i++; } else j++; }",
            true,
        ),
        (
            "int r = 0, c = 0, t = 0; while (t < 240) { l[r][c] = a[t]; t++; a[t] += c; c++; if (c == 20) { c = 0; r++; } a[t] ^= r; }",
            true,
        ),
        (
            "int i = 0, j = 0, k = 0; for (int t = 0; t < 120; t++) { l[i][j * 5 + k] += a[t]; if (++k == 5) { k = 0; if (++j == 4) { j = 0; i++; } } }",
            true,
        ),
        (
            "int i = 0, j = 0, k = 0; for (int t = 0; t < 120; t++) { k++; if (k == 5) { k = 0; j++; } if (j == 4) { j = 0; i++; } l[i][j * 5 + k] += a[t]; }",
            true,
        ),
        // Other steps and starts, and values behind the loop.
        (
            "int i = 0, j = 0; for (int t = 0; t < 60; t++) { l[i][j] = a[t]; j += 2; if (j == 20) { j = 0; i++; } }",
            false,
        ),
        (
            "int i = 0, j = 3; for (int t = 0; t < 200; t++) { l[i][j] = a[t]; j++; if (j == 20) { j = 0; i++; } }",
            false,
        ),
        (
            "int i = 0, j = 0; for (int t = 0; t < 50; t++) { l[i][j] = a[t]; j++; if (j == 20) { j = 0; i++; } } a[0] = j;",
            false,
        ),
        (
            "int i = 0, j = 0; for (int t = 0; t < 50; t++) { l[i][j] = a[t]; if (t == 30) j = 4; j++; if (j == 20) { j = 0; i++; } }",
            false,
        ),
    ] {
        let text = format!("void f(int a[250], int l[13][20])\n{{\n{body}\n}}\n");
        let carried =
            super::kernel(&text).arrays.iter().all(|array| array.storage == crate::source::kernel::Storage::Argument);
        assert_eq!(carried, expected, "{body}");
        // Places that data tell are beyond the interpreter.
        if carried {
            compare_accepted(&source(&text), &[vec![]]).unwrap();
        }
    }
    let sizes: Vec<Vec<i64>> = [[0, 3], [3, 0], [1, 1], [4, 5], [7, 2]].map(Vec::from).to_vec();
    let text = "void f(int n, int m, int a[n * m], int l[n][m])\n{\nint i = 0, j = 0;\n\
                for (int t = 0; t < n * m; t++) { l[i][j] = a[t]; j++; if (j == m) { j = 0; i++; } }\n}\n";
    compare_accepted(&source(text), &sizes).unwrap();
}

/// Pictures of twice the rows and twice the columns, and planes of them: in rows of any kind.
#[test]
fn extents_with_constant_factors() {
    let sizes: Vec<Vec<i64>> = [[0, 2, 3], [1, 1, 1], [2, 3, 1], [1, 2, 4]].map(Vec::from).to_vec();
    for (extent, factor, element) in [
        ("c * (2 * h) * (2 * w)", 1, "k * (2 * h) * (2 * w) + 2 * y * (2 * w) + 2 * x + 1"),
        ("c * 2 * h * 2 * w", 1, "(k * 2 * h + 2 * y + 1) * 2 * w + 2 * x"),
        ("c * (3 * h) * (2 * w)", 1, "k * (3 * h) * (2 * w) + (3 * y + 2) * (2 * w) + 2 * x"),
        ("(2 * h) * (2 * w) * c", 1, "(2 * y * (2 * w) + 2 * x) * c + k"),
        ("4 * h * w * c", 1, "(k * 2 * h + 2 * y + 1) * 2 * w + 2 * x"),
        ("c * h * w * 4", 1, "((k * h + y) * w + x) * 4 + 3"),
        ("c * 2 * h * 2 * w", 2, "k * 2 * h * 2 * w + y * 2 * w + x"),
        ("c * (2 * h) * (2 * w)", 2, "(k * (2 * h) + y) * (2 * w) + x"),
    ] {
        let text = format!(
            "void f(int c, int h, int w, int a[{extent}])\n{{\nfor (int k = 0; k < c; k++) for (int y = 0; y < {factor} * h; y++) \
             for (int x = 0; x < {factor} * w; x++) a[{element}] += k + 10 * y + 100 * x;\n}}\n"
        );
        let done = std::panic::catch_unwind(|| compare_accepted(&source(&text), &sizes).unwrap().len());
        assert_eq!(done.ok(), Some(4), "{extent}: {element}");
    }
}
