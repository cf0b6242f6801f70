//! Expressions that change something on their way to a value, and loops that they end, against the C compiler.

use super::native::{compare_each, compare_small};
use super::{diagnostic, source};

/// Compares a kernel's body over `n` and `m`, with arrays of all types; `d` and `db` have small numbers.
fn compare(body: &str) {
    let length = "[n + m + 8]";
    let arrays: Vec<String> = [
        "int a",
        "int b",
        "int c",
        "signed char h",
        "unsigned char g",
        "short w",
        "unsigned q",
        "long long l",
        "int d",
        "unsigned char db",
    ]
    .map(|own| format!("{own}{length}"))
    .into();
    compare_small(&source(&format!(
        "#pragma burstc size(n: 5, max 40)\n#pragma burstc size(m: 5, max 40)\n\
         void f(int n, int m, int x, unsigned u, {})\n{{\n{body}\n}}\n",
        arrays.join(", ")
    )));
}

fn compare_all(bodies: &[&str]) {
    compare_each(bodies, compare);
}

/// In a loop over the elements.
fn compare_in_loop(bodies: &[&str]) {
    compare_each(bodies, |body| {
        compare(&format!("int s = 3, k = 0; for (int i = 0; i < n; i++) {{ {body} }} c[n] = s; b[n] = k;"))
    });
}

#[test]
fn what_is_changed_on_the_way() {
    compare_in_loop(&[
        "int t; c[i] = (t = d[i]) + x; b[i] = t = 5; a[i] = t += 3;",
        "c[i] = d[i]++; b[i] = ++d[i]; a[i] += a[i]--;",
        "int t = d[i], r = t++ + 2; c[i] = t * r; int o = (t--, t); b[i] = o;",
        "int t = (s += 2, s * 3); c[i] = t, a[i] = t + 1;",
        "l[i] = (h[i] = a[i]) + (g[i] = a[i]); q[i] = (w[i] = b[i]) * 2u;",
        "c[k++] += a[i]--; b[k] = d[i]; a[i] = b[i] = x - 3;",
    ]);
}

#[test]
fn what_is_changed_where_it_is_come_to() {
    compare_in_loop(&[
        "int t = 0; if (a[i] > 0 && (t = b[i]) > 3) c[i] = t; else c[i] = -t;",
        "if (d[i] > 50 && s++ < 9) c[i] = s; if (d[i] > 50 || ++s > 3) b[i] = s;",
        "c[i] = (d[i] > 50) && s++; c[i] += s; c[i] += d[i] > 50 ? s++ : --s;",
        "int t = d[i], r = t > 5 ? (t = 3) : (t += 4); c[i] = t * 10 + r;",
        "d[i] > 50 ? k++ : s++; d[i] > 50 && (s += d[i]); d[i] < 5 || (c[i] = s);",
        "if ((s = s * 5 + 1) % 3 == 0 && (s ^= d[i]) > 9 || (s -= 7) < 4) c[i] = s; else b[i] = s;",
        "int r = d[i] > 30 ? (b[i] = 5) : (h[i] += 4); c[i] = r; unsigned o = d[i] & 1 ? u++ : -1; l[i] = o;",
        "switch (d[k++] & 3) { case 0: c[i] = k; break; case 1: c[i] = 7; break; default: b[i]++; }",
    ]);
}

#[test]
fn narrow_variables_step_in_conditions() {
    compare_all(&[
        "unsigned char s = 250; for (int i = 0; i < n; i++) { c[i] = s++; b[i] = ++s; a[i] = (s += 100); if (s-- > 100) q[i] = s; }",
        "short s = 32760; for (int i = 0; i < n; i++) { if (++s > 100) c[i] = s; if (s++ < 0) b[i] = s; a[i] = (h[i] = s) + 1; }",
    ]);
}

#[test]
fn heads_that_change_what_they_look_at() {
    compare_all(&[
        "int i = 0, t; while (i < n && (t = d[i]) != 50) { c[i] = t; i++; } c[0] = i;",
        "int i, t; for (i = 0; i < n && (t = d[i]) < 90; i++) c[i] = t; c[0] = i;",
        "int i = 0; while (i < n && d[i++] < 80) { c[i] = 5; a[i] = i; } c[0] = i;",
        "int i = n, k = 0; while (i > 0) { c[k++] += a[--i]--; b[i] = k; } c[k] = k;",
        "int i, j; for (i = j = 0; i < n; i++, j += 2) c[j / 2] = i + j; c[n] = j;",
    ]);
}

/// Rounds that data number, counted in the head.
#[test]
fn heads_that_count_down_from_data() {
    compare_in_loop(&[
        "int t = d[i] & 7, v = 1; while (t--) v = v * 3 + 1; c[i] = v + t;",
        "unsigned t = d[i] & 7, v = 1; while (t-- > 0) { if (v & 1) { v += 2; continue; } v *= 3; } q[i] = v + t;",
        "int t = d[i] & 15, v = 0; for (; t--; v++) switch (v & 3) { case 0: s += v; break; case 2: k++; } c[i] = v - t;",
        "unsigned char t = db[i] & 7; while (t-- > 0) for (int j = 0; j < 3; j++) { if (j == t) break; s++; } c[i] = t;",
    ]);
}

/// Bodies that skip what the head would come to.
#[test]
fn bodies_that_move_iterators() {
    compare_all(&[
        "int v = 0; for (int i = 0; i < 16; i++) { if (d[i & 7] & 1) i++; v += 3; c[v & 3] = i; } c[5] = v;",
        "int i, v = 0; for (i = 0; i < n; i += 1) { if (d[i] > 50) i += 2; else if (d[i] < 10) break; v++; } c[0] = v; c[1] = i;",
        "for (int i = 0; i < 7; i++) { if (d[i] & 1) i++; c[i] = i; }",
        "for (int i = 0; i < 6; i += 3) { c[i] = 4; i -= 1; c[i + 1] = 1; }",
    ]);
}

/// `>=` is not the opposite of `<` where there is no number.
#[test]
fn what_is_no_number_ends_no_comparison() {
    let number = "float z = (float)(d[i] - d[i]), t = d[i] > 50 ? z / z : d[i];";
    let bodies = [
        "int i; for (i = 0; i < n; i++) { T if (t < 40) c[i] = 7; else break; a[i] = 3; } c[0] += i;",
        "int i = 0; while (i < n) { T if (!(t < 40)) break; c[i] = 1; i++; } c[0] += i;",
        "for (int i = 0; i < n; i++) { T if (!(t >= 40 || t < 20)) continue; c[i] = 7; }",
        "float y[48]; for (int i = 0; i < n; i++) { T y[i] = t; } int k = 0; while (k < n && y[k] < 45) k++; c[0] = k;",
        "float y[48]; for (int i = 0; i < n; i++) { T y[i] = t; } int k = 0; while (k < n && !(y[k] > 45)) k++; c[0] = k;",
    ]
    .map(|body| body.replace('T', number));
    compare_all(&bodies.each_ref().map(String::as_str));
}

#[test]
fn steps_before_jumps() {
    compare_all(&[
        "int i; for (i = 0; i < n; i++) { if (d[i] > 80) { i++; break; } c[i] = 5; } c[0] = i;",
        "int i; for (i = 0; i < n; i++) { if (d[i] > 80) { c[1] = i; i--; i -= 3; break; } c[i] = 5; } c[0] = i;",
        "int i, j = 9; for (i = 0; i < n; i++, j += 2) { if (d[i] > 80) { i++; break; } c[i] = 5; } c[0] = i; c[1] = j;",
        "int i = 0, s = 0; while (i < n) { int t = d[i++]; if (t > 90) { s = -1; break; } if (t < 4) continue; s += t; if (t == 50) { c[2] = i; continue; } s -= i; } c[0] = s; c[1] = i;",
        "int i = n; while (i > 0) { int t = d[--i]; if (t > 80) break; c[i] = t; } c[0] += i;",
        "int i = 0; while (i < n) { int t = d[i++]; if (t & 1) { int k = t & 7; if (k > 5) continue; c[i] = k; } if (t > 95) break; c[i] ^= t; } c[0] += i;",
        "int i = 0, t, k = 0; while (i < n && (t = d[i++]) < 90) { c[k++] += t; if (t & 1 && (k += 0, t > 64)) continue; b[1] ^= t; } c[0] += i;",
        "int i = 0; for (;;) { if (i >= n) break; int t = d[i++]; if (t > 90) break; c[i] = t; } c[0] = i;",
        "int i = 0; do { int t = d[i++]; if (t > 90) break; c[i] = t; } while (i < n); c[0] = i;",
        "int i = 0; while (i < n) { if (d[i] > 95) break; i++; if (d[i] < 3) break; c[i] = i; } c[0] += i;",
    ]);
}

#[test]
fn jumps_to_the_next_iteration() {
    compare_all(&[
        "for (int i = 0; i < n; i++) { if (d[i] & 1) { int k = d[i] & 7; if (k > 2) continue; c[i] = 1; } c[i] += 2; }",
        "for (int i = 0; i < n; i++) { { int r = d[i + 1]; if (r > 50) continue; c[i] = r; } c[i] += 2; }",
        "for (int i = 0; i < n; i++) { switch (d[i] & 3) { case 1: if (d[i] > 50) continue; c[i] = 1; break; case 2: c[i] = 2; } c[i] += 2; }",
        "for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) { if (d[j] & 1) { int t = b[j]; if (t & 1) continue; if (t & 2) break; a[i] += j; } c[i] += j; } }",
        "for (int i = 0; i < n; i++) { a[i] = 1; continue; }",
    ]);
}

#[test]
fn several_counters_are_read_behind() {
    compare_all(&[
        "int i, j; for (i = 0, j = n; i < j; i++, j--) { int t = a[i]; a[i] = a[j]; a[j] = t; } c[0] = i; c[1] = j;",
        "int i, j; for (i = 0, j = n; i < j; i++, j--) { if (d[i] > 80) break; c[i] = 5; } c[0] = i; c[1] = j;",
        "int i, j; for (i = 0, j = 9; i < n; i++, j += 2) { if (d[i] > 80) break; c[i] = 5; } c[0] = i; c[1] = j;",
    ]);
}

#[test]
fn loops_end_when_nothing_is_left() {
    compare_in_loop(&[
        "unsigned t = d[i]; while (t) { k += t & 1; t >>= 1; } c[i] = k;",
        "unsigned t = q[i]; for (k = 0; t; k++) t &= t - 1; c[i] = k;",
        "int t = a[i], r = 0; while (t != 0) { r = r * 3 + t % 10; t = t / 10; } c[i] = r;",
        "int t = d[i], r = 0; do { r += t % 10; t /= 10; } while (t); c[i] = r;",
        "unsigned t = q[i] | 1; while ((t & 0x80000000u) == 0) { t <<= 1; k++; } c[i] = k; q[i] = t;",
        "unsigned char t = db[i]; while (t > 3) { t >>= 1; if (t == 9) break; k++; } c[i] = k; g[i] = t;",
        "long long t = l[i]; for (; t > 0; t /= 7) k++; c[i] = k;",
        "unsigned r = d[i], e = d[i + 1] & 15, o = 1; while (e) { if (e & 1) o *= r; r *= r; e >>= 1; } c[i] = o;",
    ]);
    // By a jump such a loop may end at any time, and the sign never goes away.
    let refused = diagnostic(
        "void f(int a[9], int c[9]) {\nfor (int i = 0; i < 9; i++) { int t = a[i], k = 0; while (t != 0) { t >>= 1; k++; if (c[k & 7] > 90) break; } c[i] = k; }\n}\n",
    );
    assert_eq!(refused.span.map(|span| span.line), Some(2), "{refused:?}");
}

#[test]
fn arrays_begin_with_strings_and_lists() {
    compare_in_loop(&[
        "static const char t[] = \"0123456789abcdef\"; c[i] = t[d[i] & 15];",
        "static const unsigned char t[8] = \"\\x41\\\\\\n\\377\\0'\" \"\\\"7\"; c[i] = t[d[i] & 7];",
        "const char *t = \"01234567\"; static const signed char r[9] = \"\\201\\377345\"; c[i] = t[d[i] & 7] + r[d[i] & 7];",
        "char t[8] = \"ab\"; t[i & 7] += d[i]; c[i] = t[(i + 1) & 7];",
        "int t[] = { d[i], 2, a[i] }; for (int j = 0; j < 3; j++) k += t[j] * a[i + j]; c[i] = k;",
        "static const char t[4][6] = {\"zero\", \"one\", {\"t\" \"wo\"}, \"three\"}; c[i] = t[d[i] & 3][d[i] % 6];",
        "static const signed char t[][2] = {\"\\xff\\0\", [2] = {\"\"}, \"ab\"}; c[i] = t[d[i] & 3][i & 1] + sizeof t[0];",
        "static const unsigned char t[] = {\"\\xff\" \"1\"}; c[i] = t[d[i] & 1] + t[2];",
        "char t[2][3] = {\"ab\", \"c\"}; t[i & 1][d[i] & 1] += d[i]; c[i] = t[d[i] & 1][2] + t[i & 1][0];",
    ]);
}

/// Braces that are left out, and what is said twice.
#[test]
fn lists_without_inner_braces() {
    compare_in_loop(&[
        "unsigned char t[4][2] = {5}; t[i & 3][d[i] & 1] += i; c[i] = t[0][0] + t[d[i] & 3][1];",
        "int t[2][2] = {d[i], 1, a[i]}; c[i] = t[d[i] & 1][i & 1];",
        "int t[][2][2] = {{1, 2, d[i]}, 4, 5, 6, 7, {{8}}}; c[i] = t[d[i] % 3][i & 1][d[i] & 1];",
        "int t[3][2] = {1, [1] = d[i], 3, [2] = {[1] = 4}}; c[i] = t[d[i] % 3][i & 1];",
        "int t[2][2] = {[1] = {1, 2}, [1] = {3}}; c[i] = t[i & 1][d[i] & 1];",
        "int t[4] = {[1 + 1] = i, 7u}; c[i] = t[d[i] & 3];",
        "enum { WIDTH = 1 << 1 }; static const int t[][WIDTH] = {1, 2, {3}, 4L, 5}; c[i] = t[d[i] % 3][i & 1];",
        "static const int t[][2] = {1, 2, 3, 4L, 5}; c[i] = t[d[i] % 3][i & 1] + sizeof t / sizeof t[0];",
        "static const short t[4][3] = {{1, 2}, 3, 4, 5, [3] = 6}; c[i] = t[d[i] & 3][d[i] % 3];",
    ]);
}

#[test]
fn structures_begin_with_lists_and_strings() {
    compare_in_loop(&[
        "struct { char n[4]; short v; } static const t[] = {{\"ab\", 1}, {\"cdef\", 2}, \"xy\", 3}; c[i] = t[d[i] % 3].n[i & 3] * t[d[i] % 3].v;",
        "static const struct { int x, y; } t[] = {1, 2, {3}, 5, 6, 7}; c[i] = t[d[i] & 3].x - t[d[i] & 3].y;",
        "struct { int x, y[2]; } t[2] = {1, d[i], 3, [1] = 4, {5}}; c[i] = t[1].x + t[0].y[1] * t[1].y[0] + t[0].y[0];",
        "static const struct { int x[2]; char n[3]; } t[2] = {[0] = {{1, 2}, \"abc\"}, [0] = {{3}}, {.n = {\"d\"}}}; c[i] = t[d[i] & 1].n[d[i] % 3] + t[i & 1].x[d[i] & 1];",
    ]);
}

/// C converts a label to the type of what is switched on.
#[test]
fn cases_beyond_int() {
    compare_in_loop(&[
        "switch (d[i] - 50) { case 4294967295: c[i] = 1; break; case 4294967280: c[i] = 5; break; case 2: c[i] = 2; }",
        "unsigned t = d[i] - 50; switch (t) { case 4294967295: c[i] = 1; break; case -2: c[i] = 3; break; case 0xfffffffd: c[i] = 2; }",
        "long long t = d[i] - 50ll; switch (t) { case 4294967295: c[i] = 1; break; case -1: c[i] = 3; break; case 0xfffffffe: c[i] = 2; }",
        "switch (d[i] - 50) { case (unsigned char)1: c[i] = 1; break; case (short)(2 - 7): c[i] = 8; break; case 0xffffffff: c[i] = 4; break; case 2u: c[i] = 2; }",
        "switch (d[i] - 50) { case 1L: c[i] = 1; break; case -1L: c[i] = 2; break; case 2ull: c[i] = 3; break; case -1u - 1: c[i] = 4; break; case -3 + 0ull - 0ull > 0 ? -4L : 9: c[i] = 5; }",
        "switch ((d[i] & 1) - 2147483647 - (d[i] & 1)) { case -2147483648: c[i] = 1; break; case -2147483647L: c[i] = 2; }",
        "unsigned t = d[i] - 50; switch (t) { case -1L: c[i] = 1; break; case 4294967294L: c[i] = 2; break; case 'a' - 'b' - 2ll: c[i] = 3; }",
        "unsigned long long t = d[i] - 50ll; switch (t) { case -1L: c[i] = 1; break; case 4294967294L: c[i] = 2; break; case -2: c[i] = 3; case 3ul: c[i] += 4; }",
        "switch (d[i] - 50ll) { case (unsigned)-1: c[i] = 1; break; case (long long)-2: c[i] = 2; break; case (long long)4294967293u: c[i] = 3; break; case -3: c[i] = 4; }",
    ]);
}

#[test]
fn cases_of_ranges() {
    compare_in_loop(&[
        "switch (d[i] & 7) { case 0: case 2 ... 4: c[i] = 1; break; case 5: c[i] = 3; default: c[i] += 9; }",
        "switch (h[i]) { case -100 ... -1: c[i] = 3; break; case 'a' ... 'z': c[i] = 2; break; default: { int t = h[i]; c[i] = t; } }",
        "switch (d[i] - 50) { case 3u ... 5: c[i] = 1; break; case -7L ... -5: c[i] = 2; break; case -2 ... 1u: c[i] = 3; }",
        "switch (d[i] - 50u) { case 3L ... 5ull: c[i] = 1; break; case 6 ... 9u: c[i] = 2; }",
    ]);
}

#[test]
fn numbers_with_points_change_on_the_way() {
    compare_in_loop(&[
        "float t = d[i], r = 0; r += d[i] > 50 ? (t += 2) : (t -= 1); if (t > 60 && (r *= 0.5f) > 3) c[i] = r; b[i] = t;",
        "float t = d[i], r = (t = t * 0.5f) + (d[i] & 1 ? 1.5 : 2); c[i] = r * 4; b[i] = t;",
        "float t = 0; double z = d[i] > 9 ? (t = 2.75f) : 1e3; a[i] = z * 8; c[i] = t * 4;",
    ]);
}

#[test]
fn statements_inside_of_expressions() {
    compare_in_loop(&[
        "int t = ({ int z = d[i] * 2; z > 50 ? z : -z; }); c[i] = t; b[i] += ({ int y = a[i]; y += i; y * 3; }) + 1;",
        "c[i] = ({ __typeof__(a[i]) o = a[i]; __typeof__(b[i]) r = b[i]; o > r ? o : r; }); if (({ typeof(h[i]) o = h[i]; o += 100; o; }) > 3) a[i] = 1;",
        "if (d[i] > 50 && ({ int z = k++; z & 1; })) c[i] = k; { typeof(g[i]) t = g[i]; g[i] = g[i + 1]; g[i + 1] = t; }",
        "typeof(0.5f) t = d[i]; c[i] = t / 4 > 9;",
    ]);
}

#[test]
fn characters_of_strings() {
    compare_in_loop(&["c[i] = \"hello\"[d[i] % 5]; b[i] = (d[i] & 1)[\"ab\"] + \"\\x7f\\0z\"[i % 3];"]);
}
