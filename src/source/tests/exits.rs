//! Loops that data end, against the C compiler: at sizes that leave them no iteration, one, and several.

use super::native::{compare_each, compare_small, compare_source};
use super::{diagnostic, source};

fn compare_all(bodies: &[&str]) {
    compare_each(bodies, compare);
}

/// Compares a kernel's body over `n` and `m`, with `a` and `b` of `n`, `p` of `n` by `m` elements and `c` of results, all of small random
/// numbers from the beginning on, at small sizes.
fn compare(body: &str) {
    let text = format!(
        "#pragma burstc size(n: 5, max 40)\n#pragma burstc size(m: 5, max 40)\n\
         void f(int n, int m, int x, int a[n + 1], int b[n + 1], int p[n][m], int c[8])\n{{\n\
         for (int i = 0; i < n + 1; i++) {{ a[i] &= 7; b[i] &= 7; }}\n\
         for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) p[i][j] &= 15;\nx &= 7;\n{body}\n}}\n"
    );
    compare_small(&source(&text));
}

#[test]
fn breaks_that_data_decide() {
    compare_all(&[
        "int s = 0; for (int i = 0; i < n; i++) { if (a[i] == 3) break; s += a[i]; } c[0] = s;",
        "int s = 0; for (int i = 0; i < n; i++) { s += a[i]; if (s > 20) break; } c[0] = s;",
        "for (int i = 0; i < n; i++) { if (a[i] == x) { c[0] = i; break; } else b[i] = 9; b[i] += 1; }",
        "for (int i = 0; i < n; i++) { c[1]++; if (a[i] != x) b[i]++; else break; c[2] ^= i; }",
        "for (int i = 0; i < n; i++) { if (a[i] == 1) continue; if (a[i] == 5) break; b[i] = 0; }",
        "for (int i = 0; i < n; i++) { c[i & 1] = -1; for (int j = 0; j < m; j++) if (p[i][j] == 4) { c[i & 1] = j; break; } }",
        "for (int i = n - 1; i >= 0; i--) { if (a[i] > 5) break; if (b[i] < 2) break; b[i] *= 3; }",
        "for (int i = 0; i < n; i++) { if (a[i] > 3) { if (b[i] > 3) break; c[0] += i; } c[1] += i; }",
        "for (int i = 0; i < n; i++) { { int t = a[i] * 2; if (t > 9) break; c[0] += t; } int t = b[i]; c[1] += t; }",
        "for (int i = 0; i < n; i++) { int t = a[i]; if (t == 2 || i == m) break; c[3] += t; }",
        "int t = 0; for (int i = 0; i < n; i++) { t = a[i]; if (t == 2) break; c[3] += t; } c[4] = t;",
        "for (int i = 0; i < n; i++) { if (i == m) break; if (a[i] == 7) break; b[i] = 5; }",
        "for (int i = 0; i < n; i++) { if (a[i] == 0) break; else if (a[i] == 1) b[i] = 1; else if (a[i] == 2) break; else b[i] = 2; c[0]++; }",
    ]);
}

#[test]
fn counters_keep_what_they_were_at_a_break() {
    compare_all(&[
        "int i; for (i = 0; i < n; i++) if (a[i] == x) break; c[0] = i;",
        "int i; for (i = n - 1; i >= 0; i--) if (a[i] == x) break; c[0] = i; for (i = 0; i < n; i++) b[i] ^= i;",
        "int i = 0; while (i < n) { if (a[i] == x) break; i++; } c[0] = i; if (i < n) c[1] = 7;",
        "int i, k = 0; for (i = 0; i < n; i++) { if (a[i] == x) break; b[i]++; k += 2; } c[0] = k; c[1] = i;",
        "int i, j; for (i = 0, j = n - 1; i < n; j = i++) { if (a[i] == x) break; b[i] = a[j] - a[i]; } c[0] = i; c[1] = j;",
        "int k = 5; for (int i = n - 1, j = 0; i >= 0; k = j, j = i--) { if (a[i] == x) break; b[i] += a[j] + k; } c[0] = k;",
        "int i, j; for (i = 0; i < n; i++) { for (j = 0; j < m; j++) if (p[i][j] > 12) break; b[i] = j; } c[0] = i;",
        "int k = 0; for (int i = 0; i < n; i++) { if (a[i] == 6) break; b[k] = i; k++; } c[0] = k;",
        "int i; for (i = 0; i < n; i++) { if (b[i] == x) break; } if (i == n) c[0] = -1; else c[0] = i;",
    ]);
}

#[test]
fn conditions_on_data_beside_one_that_counts() {
    compare_all(&[
        "int i = 0; while (i < n && a[i] != x) i++; c[0] = i;",
        "int i; for (i = 0; i < n && a[i] != x; i++) b[i] = 1; c[0] = i;",
        "int i; for (i = 0; a[i] != x && i < n; ++i) ; c[0] = i;",
        "int found = 0; for (int i = 0; !found && i < n; i++) if (a[i] == x) { found = 1; c[0] = i; } c[1] = found;",
        "int found = 0, i = 0; while (i < n && !found) { if (a[i] == x) found = 1; i++; } c[0] = i; c[1] = found;",
        "int s = 0; for (int i = 0; i < n && s < 15; i++) s += a[i]; c[0] = s;",
        "for (int i = 0; i < n; i++) { int j = 0; while (j < m && p[i][j] < 10) { p[i][j] += 20; j++; } b[i] = j; }",
        "int i = n; while (i > 0 && a[i - 1] == 0) i--; c[0] = i;",
        "int k = 0; for (int i = 0; i < n; i++) { if (a[i] == 3) { k = 0; while (k < m && p[i][k] < 10) { b[i] ^= 3; k++; } c[0] += k; } }",
        "int lo = 0, hi = n - 1; while (lo < hi && a[lo] == a[hi]) { b[lo] = 1; lo++; hi--; }",
        "int ok = 1, lo = 0, hi = n - 1; while (lo < hi) { if (a[lo] < a[hi]) { ok = 0; break; } lo++; hi--; } c[0] = ok;",
    ]);
}

#[test]
fn arrays_end_what_nothing_else_does() {
    compare_all(&[
        "a[n] = 0; int i = 0; while (a[i] != 0) i++; c[0] = i;",
        "a[n] = 0; int i; for (i = 0; a[i]; i++) b[i] = 2; c[0] = i;",
        "a[0] = 0; int i = n; while (a[i]) { b[i] = 1; i--; } c[0] = i;",
        "a[n] = x; int i = 0; while (1) { if (a[i] == x) break; b[i]++; i++; } c[0] = i;",
        "a[n] = 1; int i = 0; for (;;) { if (a[i] == 1 && i >= 0) break; i++; } c[0] = i;",
    ]);
}

#[test]
fn returns_and_gotos_out_of_loops() {
    compare_all(&[
        "for (int i = 0; i < n; i++) if (a[i] == x) { c[0] = i; return; } c[0] = -1;",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { if (p[i][j] == 9) { c[0] = i; c[1] = j; return; } p[i][j] = 1; } c[0] = -1;",
        "for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) { if (p[i][j] == 9) return; c[2]++; } if (a[i] == 1) return; c[3]++; }",
        "for (int i = 0; i < n; i++) { if (a[i] == x) goto done; b[i]++; } c[0] = 5; done: c[1] = 6;",
        "for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) { if (p[i][j] == 9) goto done; c[2]++; } c[3]++; } done: c[1] = 6;",
        "for (int i = 0; i < n; i++) { if (a[i] == 2) goto next; if (b[i] == 2) goto next; c[0] += i; next: ; }",
        "for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) { if (p[i][j] == 2) goto next; p[i][j]++; } b[i] = -1; next: c[0] += b[i]; }",
        "for (int i = 0; i < n; i++) { if (i == m) goto done; b[i] = 1; } done: c[0] = 2;",
        "if (c[5] > 3) goto skip; for (int i = 0; i < n; i++) b[i] = 2; skip: c[0] = 8;",
        "if (n > m) goto skip; for (int i = 0; i < n; i++) b[i] = 2; skip: c[0] = 8;",
        "for (int i = 0; i < n; i++) { if (a[i] == 0) goto end; b[i] = 2; } end: return;",
        "for (int i = 0; i < n; i++) { if (i == m) goto out; if (a[i] == 5) goto out; if (a[i] == 4) goto fail; b[i] = 2; } goto out; fail: c[0] = 1; out: ;",
        "for (int k = 0; k < m; k++) { for (int i = 0; i < n; i++) { if (a[i] == k) goto next; b[i] += k; } c[0]++; next: c[1] ^= k; }",
    ]);
}

#[test]
fn counters_keep_what_they_were_at_a_goto() {
    compare_all(&[
        "int i, j; for (i = 0; i < n; i++) for (j = 0; j < m; j++) if (p[i][j] == 9) goto out; c[1] = 1; out: c[0] = i;",
        "int i = 0, j; for (i = 0; i < n; i++) { for (j = i; j < n; j++) { if (a[j] == 6) goto next; b[j]++; } b[i] = 0; next: c[i & 3] += j; }",
        "int i = 13; if (n > m) { for (i = 0; i < n; i++) if (a[i] == x) goto out; c[2] = 8; } c[3] = 1; out: c[0] = i;",
        "int i; for (i = 0; i < n; i++) { if (a[i] == x) goto out; b[i]++; } c[1] = i; out: c[0] = i;",
    ]);
}

#[test]
fn counters_are_read_behind_other_jumps() {
    compare_all(&[
        // A jump in front of the next value.
        "int k = 9; for (int i = 0; i < n; i++) { for (k = 0; k < m; k++) if (p[i][k] == 3) break; if (a[i] == 4) break; k = 0; } c[0] = k;",
        "int k = 9; for (int i = 0; i < n; i++) { for (k = 0; k < m; k++) if (p[i][k] == 3) break; } c[0] = k;",
        "int i = 4; if (n > m) { for (i = 0; i < n; i++) { if (a[i] == x) break; b[i] = 1; } } c[0] = i;",
        "int i; for (i = 0; i < n; i++) if (a[i] == x) break; i++; c[0] = i; i += 5; c[1] = i;",
        "int i; for (i = 0; i < n; i++) if (a[i] == x) break; if (i == n) i = -1; c[0] = i;",
    ]);
}

#[test]
fn conditions_that_count_down_beside_data() {
    compare_all(&[
        "int i = n; while (i-- > 0 && a[i] != x) b[i]++; c[0] = i;",
        "int i = n; while (--i >= 0 && a[i] != x) b[i]++; c[0] = i;",
        "int i = n; while (i-- > 0) { if (a[i] == x) break; b[i] = 3; } c[0] = i;",
        "int i = -1; while (++i < n && a[i] != x) b[i]++; c[0] = i;",
        "for (int r = 0; r < m; r++) { int i = n; while (i-- > 0 && a[i] != r) b[i]++; c[r & 7] += i; }",
    ]);
}

#[test]
fn do_loops_that_data_end() {
    compare_all(&[
        "int i = 0; do { b[i] = 3; } while (++i < n && a[i] != x); c[0] = i;",
        "int i = 0; do { b[i]++; i++; } while (i < n && a[i] != x); c[0] = i;",
        "int i = 0; do { i++; } while (i < n && a[i] > a[i - 1]); c[0] = i;",
        "int s = 0, i = 0; do { s += a[i]; i++; } while (s < 12 && i < n); c[0] = s; c[1] = i;",
    ]);
}

#[test]
fn data_tell_where_an_element_is_written_behind_a_loop() {
    compare_all(&[
        "int i; for (i = 0; i < n; i++) if (a[i] == x) break; if (i < n) b[i] = 99;",
        "for (int i = 1; i < n; i++) { int key = a[i], j = i - 1; while (j >= 0 && a[j] > key) { a[j + 1] = a[j]; j--; } a[j + 1] = key; }",
        "for (int i = 0; i < n; i++) { int ok = 1; for (int j = 0; j < i; j++) if (a[j] == a[i]) { ok = 0; break; } if (ok) c[a[i]]++; }",
    ]);
}

/// Compares a kernel of `n`, `a` and `c` of `n + 1` elements that calls helpers.
fn compare_calls(text: &str) {
    let (helper, body) = text.split_once('|').unwrap();
    let text = format!(
        "#pragma burstc size(n: 5, max 40)\n{helper}\nvoid f(int n, int a[n + 1], int c[n + 1])\n{{\n\
         for (int i = 0; i < n + 1; i++) a[i] &= 7;\n{body}\n}}\n"
    );
    compare_source(&source(&text), &[vec![0], vec![1], vec![2], vec![3], vec![13], vec![40]]);
}

#[test]
fn helpers_that_search() {
    let find = "static int find(int n, const int *a, int x) { for (int i = 0; i < n; i++) if (a[i] == x) return i; return -1; }";
    let each = "for (int i = 0; i < n; i++)";
    let texts = [
        format!("{find}|{each} c[i] = find(n, a, i & 7);"),
        format!(
            "{find}|{each} {{ int k = find(i, a, a[i]); if (k >= 0) c[i] = k; else c[i] += find(n - i, &a[i], 3); }}"
        ),
        format!(
            "static _Bool has(int n, const int *a, int x) {{ for (int i = 0; i < n; i++) if (a[i] == x) return 1; return 0; }}|\
             {each} {{ if (!has(n, a, i & 7)) continue; c[i] = 1; }}"
        ),
        format!(
            "static int count(int n, const int *a, int x) {{ int s = 0; for (int i = 0; i < n; i++) {{ if (a[i] == 5) return s; if (a[i] == x) s++; }} return s + 100; }}|\
             {each} c[i] += count(n, a, i & 7) * 2;"
        ),
        format!(
            "static int cmp(const int *a, const int *b, int n) {{ if (n == 3) return 7; for (int i = 0; i < n; i++) {{ if (a[i] < b[i]) return -1; if (a[i] > b[i]) return 1; }} return 0; }}|\
             {each} c[i] = cmp(a, &a[n - i], i);"
        ),
        format!(
            "static void fill(int n, int *a, int x) {{ for (int i = 0; i < n; i++) {{ if (a[i] == x) return; a[i]++; }} a[n] = 5; }}|\
             {each} fill(n, a, i & 7);"
        ),
        format!(
            "static int kind(int n, const int *a, int k) {{ if (a[k] > 5) {{ return a[k]; }} else if (a[k] > 3) return 1; else {{ int t = a[k + 1]; return t - 9; }} }}|\
             {each} c[i] = kind(n, a, i);"
        ),
    ];
    compare_each(&texts.iter().map(String::as_str).collect::<Vec<_>>(), compare_calls);
}

#[test]
fn helpers_that_loop_as_data_say() {
    let each = "for (int i = 0; i < n; i++)";
    let texts = [
        format!(
            "static int gcd(int a, int b) {{ while (b) {{ int t = a % b; a = b; b = t; }} return a; }}|{each} c[i] = gcd(a[i] * 12 + 5, a[i + 1] * 9) + gcd(i, 6);"
        ),
        format!(
            "static int find(const int *a, int n, int x) {{ int lo = 0, hi = n - 1; while (lo <= hi) {{ int mid = (lo + hi) / 2; if (a[mid] == x) return mid; if (a[mid] < x) lo = mid + 1; else hi = mid - 1; }} return -1; }}|\
             {each} c[i] = find(a, n, i & 7);"
        ),
        format!(
            "static int log2i(unsigned v) {{ int n = 0; while (v >>= 1) n++; return n; }}|{each} c[i] = log2i(a[i] * 99);"
        ),
    ];
    compare_each(&texts.iter().map(String::as_str).collect::<Vec<_>>(), compare_calls);
}

#[test]
fn helpers_in_conditions() {
    let find = "static int find(int n, const int *a, int x) { for (int i = 0; i < n; i++) if (a[i] == x) return i; return -1; }";
    let each = "for (int i = 0; i < n; i++)";
    let texts = [
        format!(
            "{find}|{each} {{ int k = find(n, a, i & 7); if (k < 0 || find(n, a, 1) > 2) c[i] = k; else c[i] = 9; }}"
        ),
        format!(
            "{find}|{each} {{ if (i > 2 && find(i, a, 3) > 1 && a[i] > 2) break; if (a[i] < 5 && find(n, a, 1) > 2) c[i]--; else c[i] = 4; }}"
        ),
        format!("{find}|{each} {{ if (i > 2 || find(i, a, 3) > 1 || a[i] > 4) continue; c[i] += 2; }}"),
        format!("{find}|{each} {{ if (i > 2) if (find(i, a, 3) > 1) continue; c[i] += 2; }}"),
        format!("{find}|{each} c[i] = i > 1 ? find(i, a, a[i]) * 2 : a[i] > 3 ? find(n, a, 3) - i : -7;"),
        format!(
            "{find}|{each} {{ int k = a[i] & 1 ? find(n, a, 1) : 9, h = k > 2 && find(n, a, k) < 4; c[i] += k + !h; }}"
        ),
        format!("{find}|{each} c[i] = find(i, a, a[i]) >= 0 || find(n, a, a[i] ^ 1) < 0;"),
        format!("{find}|int k = 0; do {{ c[k & 1]++; k++; }} while (k < n && find(n, a, k) >= 0); c[n] = k;"),
        format!("{find}|int k = n; do k--; while (k > 0 && find(k, a, a[k]) < 0 && a[k] != 5); c[n] = k;"),
        format!(
            "{find}|int k = 0; do {{ if (k > 2) c[k]++; else c[k] = k; k += 1; }} while (k < n && (a[k] & 1 || find(n, a, k) >= 0)); c[n] = k;"
        ),
        format!(
            "{find}|int k = 0; if (n > 3) do if (a[k] & 1) k++; else k += 2; while (k < n && find(n, a, a[k] ^ 3) >= 0); else k = 9; c[n] = k;"
        ),
        format!(
            "{find}|int k = 0; do {{ if (a[k] == 6) break; c[k] += 3; k++; }} while (k < n && find(n, a, k) >= 0); c[n] = k;"
        ),
        format!(
            "{find}|{each} switch (find(n, a, i) + find(i, a, 2)) {{ case 0: c[i] = 1; case 3: c[i] += 2; break; case -2: c[i] = 4; }}"
        ),
        format!("{find}|{each} c[i] = (i > 2 && find(i, a, 1) > 0) ? find(n, a, 2) : (c[i] = 1, 2);"),
        format!(
            "{find}|{each} switch (find(n, a, i & 3)) {{ case -1: c[i] = 1; break; case 0: c[i]++; default: c[i] ^= 5; }}"
        ),
        format!("{find}|int i = 0; while (i < n && find(n, a, a[i] ^ 1) >= 0) {{ c[i] = 1; i++; }} c[n] = i;"),
        format!("{find}|int i; for (i = 0; i < n && find(n, a, a[i] ^ 1) >= 0; i++) c[i] = 1; c[n] = i;"),
        format!(
            "static int sum(int k) {{ int s = 0; while (k-- > 0) {{ if (s > 20) return s; s += k; }} return -s; }}|{each} c[i] = sum(i) + sum(3);"
        ),
    ];
    compare_each(&texts.iter().map(String::as_str).collect::<Vec<_>>(), compare_calls);
}

#[test]
fn helpers_that_change_what_they_get() {
    let each = "for (int i = 0; i < n; i++)";
    let add = "static int add(int *s, int x) { *s += x; return *s; }";
    let texts = [
        format!("{add}|int s = 0; {each} c[i] = add(&s, a[i]) + 1; c[n] = s;"),
        format!("{add}|int s = 0; {each} if (a[i] > 1 && add(&s, a[i]) > 20) {{ c[i] = s; s = 0; }} c[n] = s;"),
        format!("{add}|int s = 0, i = 0; while (i < n && add(&s, a[i]) < 30) {{ c[i] = s; i++; }} c[n] = s;"),
        format!(
            "static unsigned rnd(unsigned *s) {{ *s = *s * 1103515245u + 12345u; return *s >> 16 & 0x7fff; }}|\
             unsigned s = 7; {each} {{ c[i] = rnd(&s) % 100; if (rnd(&s) & 1) c[i]++; }}"
        ),
        format!(
            "static void swap(int *x, int *y) {{ int t = *x; *x = *y; *y = t; }}|for (int i = 0; i < n / 2; i++) swap(a + i, a + n - 1 - i); {each} c[i] = a[i];"
        ),
    ];
    compare_each(&texts.iter().map(String::as_str).collect::<Vec<_>>(), compare_calls);
}

/// Where several calls change something, or one that `&&`, `||` and `?:` come to, each is done when it is its turn.
#[test]
fn helpers_that_change_something_on_the_way() {
    let each = "for (int i = 0; i < n; i++) {";
    let bump = "static int bump(int *s, int v) { if (v > 3) (*s)++; return v * 2; }";
    let texts = [
        format!("{bump}|int s = 0; {each} c[i] = a[i] > 5 ? bump(&s, a[i]) : bump(&s, -a[i]); }} c[n] = s;"),
        format!("{bump}|int s = 0; {each} int ok = bump(&s, a[i]) > 8 && bump(&s, c[i]) > 6; c[i] = ok + s; }}"),
        format!("{bump}|int s = 0; {each} if (bump(&s, a[i]) > 8 && bump(&s, c[i]) > 6) c[i] += s; else c[i] -= s; }}"),
        format!("{bump}|int s = 0; {each} if (bump(&s, a[i]) > 8 || bump(&s, c[i]) > 6) c[i] += s; }} c[n] = s;"),
        format!("{bump}|int s = 0, t = 1; {each} c[i] = bump(&s, a[i]) - bump(&t, c[i]) * 3; }} c[n] = s * 100 + t;"),
        format!("{bump}|int s = 0; {each} c[i] = 5 + (a[i] > 4 && bump(&s, a[i]) > 9 ? 7 : bump(&s, 4)); }} c[n] = s;"),
        format!("{bump}|int s = 0; {each} bump(&s, a[i]); (void)bump(&s, c[i]); c[i] = s; a[i]; i + 1; }}"),
    ];
    compare_each(&texts.iter().map(String::as_str).collect::<Vec<_>>(), compare_calls);
}

/// So it is in helpers of helpers, in conditions of any form, behind commas, in steps and in the blocks of `switch`.
#[test]
fn helpers_that_change_something_anywhere() {
    let each = "for (int i = 0; i < n; i++) {";
    let bump = "static int bump(int *s, int v) { if (v > 3) (*s)++; return v * 2; }";
    let outer = format!(
        "{bump} static int twice(int *s, int v) {{ return bump(s, v) + 1; }} static int odd(int v) {{ return v & 1 ? v : -v; }}"
    );
    let texts = [
        format!(
            "{outer}|int s = 0; {each} c[i] = 3 * twice(&s, a[i]); if (twice(&s, 5) > a[i]) c[i] -= s; }} c[n] = s;"
        ),
        format!("{outer}|int s = 0; {each} c[i] = odd(twice(&s, a[i])) + odd(a[i]); }} c[n] = s;"),
        format!(
            "{bump}|int s = 0; {each} if (a[i] & 1 ? bump(&s, a[i]) > 6 : bump(&s, 4) > 9) c[i] = s; else c[i]--; }}"
        ),
        format!("{bump}|int s = 0; {each} if (!(a[i] > 2 && bump(&s, a[i]))) continue; c[i] = s; }} c[n] = s;"),
        format!(
            "{bump}|int s = 0; {each} c[i] = (bump(&s, 4), bump(&s, a[i])); if (bump(&s, 5), a[i] & 1) c[i] = s; }} c[n] = s;"
        ),
        format!(
            "{bump}|int s = 0; {each} int t = (bump(&s, 7), 5), u = 2; switch ((bump(&s, t), a[i] & 1)) {{ case 0: c[i] = u; break; default: c[i] = s; }} }}"
        ),
        format!(
            "{bump}|int s = 0; for (int i = 0; i < n; i++, bump(&s, i)) {{ if (a[i] == 2) continue; int s = 3; c[i] += s; if (a[i] == 6) break; }} c[n] = s;"
        ),
        format!("{bump}|int s = 0; for (int i = 0; i < n; bump(&s, c[i]), i++) c[i] = s; c[n] = s;"),
        format!(
            "{bump}|int s = 0; {each} int k = 0; do {{ k++; if (a[i] & 1) continue; c[i] += s; if (a[i] == 4) break; }} while (k < 4 && bump(&s, a[i] + k) != 12); c[i] ^= k; }} c[n] = s;"
        ),
        format!(
            "{bump}|int s = 0; {each} switch (bump(&s, a[i]) & 7) {{ case 0: c[i] = 1; default: c[i] += 2; case 6: if (bump(&s, i) > 9) break; c[i] = s; break; case 2: case 4: c[i] = 9; if (bump(&s, 4) & 8) break; c[i] += 50; }} }} c[n] = s;"
        ),
        format!(
            "{bump}|int s = 0; {each} int k; for (k = 0; k < 3 && (a[i] > 3 ? bump(&s, k + 2) : s); k++) c[i] += k; c[i] += k * 8; }} c[n] = s;"
        ),
    ];
    compare_each(&texts.iter().map(String::as_str).collect::<Vec<_>>(), compare_calls);
}

fn compare_program(text: &str) {
    let choice = crate::source::program::Choice::default();
    let text = format!("#pragma burstc size(n: 5, max 40)\n{text}\n");
    let program = crate::source::program::choose(&source(&text), &choice).unwrap_or_else(|e| panic!("{e}: {text}"));
    compare_source(&program.source, &[vec![0], vec![1], vec![2], vec![3], vec![13], vec![40]]);
}

/// What helpers keep between calls.
#[test]
fn helpers_that_remember() {
    compare_each(
        &[
            "static int draw(void) { static unsigned s = 1; s = s * 69069u + 1; return s >> 20; }\n\
             void f(int n, int c[n + 1]) { for (int i = 0; i < n; i++) { c[i] = draw() ^ i; if (draw() & 1) c[i]++; } }",
            "static int next(int v) { static int ring[4] = {1, 2, 3, 4}, k /* where */; k = (k + 1) & 3; ring[k] += v; return ring[k]; }\n\
             static int last(void) { static int k = 5; k ^= 3; return k; }\n\
             void f(int n, int c[n + 1]) { int k = 2; for (int i = 0; i < n; i++) { c[i] = next(i) + k; k = last(); } }",
            "struct t { int k; };\nstatic int count(struct t *p)\n{\n    if (p->k) {\n        static int\n            k;  // of all\n        \
             p->k += k;\n        return ++k;\n    }\n    return p->k;\n}\n\
             static int both(struct t *p) { static const int w[2] = {3, 5}; int v = count(p); return v * w[v & 1]; }\n\
             void f(int n, int c[n + 1]) { struct t p = {0}; for (int i = 0; i < n; i++) { p.k = i & 3; c[i] = both(&p); } }",
        ],
        compare_program,
    );
}

/// Nothing repeats anything.
#[test]
fn kernels_without_loops() {
    compare_each(
        &[
            "void f(int n, int c[n + 4]) { c[0] = c[1] + c[2]; c[1] *= 3; if (c[0] > 4) c[2] = c[3]; if (n > 2) c[n] = c[n - 1]; }",
            "static int sq(int v) { return v * v; }\nvoid f(int n, int c[n + 4]) { if (c[0] > 3) c[1] = sq(c[2]); else c[2] = sq(n); }",
            "int f(int n, int x) { return n * 3 + x; }",
        ],
        compare_program,
    );
}

/// Every round looks at an element, wherever in the round it does, and however far the counter has come.
#[test]
fn searches_that_look_in_every_round() {
    let each = |body: &str| {
        format!(
            "int w[12]; for (int i = 0; i < 12; i++) w[i] = i < n ? a[i] & 7 : 9; w[11] = 9; w[10] = 9; w[0] |= 16;\n{body}"
        )
    };
    let all = [
        "int i = 0; do { i++; } while (w[i] != 9); c[0] = i;",
        "int i = 0, s = 0; do { s += w[i]; i++; } while (w[i] != 9); c[0] = s; c[1] = i;",
        "int i = 0; while (w[++i] != 9) ; c[0] = i;",
        "int i = 0; while (w[i++] != 9) c[1]++; c[0] = i;",
        "int i = 11; while (w[--i] < 16) c[1]++; c[0] = i;",
        "int i = 0; i++; while (w[i] != 9) i++; c[0] = i;",
        "int i = 1; while (w[i] != 9) i += 2; c[0] = i;",
        "int i = 0; do i += 3; while (w[i] != 9 && i < 9); c[0] = i;",
        "int i; for (i = 0; ; i++) { if (w[i] == 9) { c[1] = 5; break; } if (w[i] == x) break; } c[0] = i;",
        "int i = 0, t; while ((t = w[i]) != 9) { c[1] += t; i++; } c[0] = i;",
        "unsigned i = 0; for (;;) { i += 1; if (w[i] == 9) break; c[2] ^= w[i]; } c[0] = i;",
    ];
    compare_all(&all.map(each).each_ref().map(String::as_str));
}

/// `&&` and `||` in front of `?:` tell what iterators decide, whatever data do.
#[test]
fn choices_that_data_and_iterators_decide() {
    compare_all(&[
        "for (int i = 0; i < n; i++) b[i] = i > 0 && a[i - 1] > 3 ? b[i - 1] : -1;",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) p[i][j] = (i > 0 && p[i - 1][j] > 7) ? p[i - 1][j] : (j == 0 || !p[i][j - 1]) ? -1 : p[i][j - 1] + 1;",
    ]);
}

/// A call that may change what its condition looks at, under another name, does not go before it.
#[test]
fn conditions_are_as_they_were() {
    let take = "static int take(int *s, int v) { *s -= v; return v; }";
    compare_each(
        &[
            &format!("{take}|int *p = a; for (int i = 0; i < n; i++) c[i] = a[0] > 0 && take(p, 3) > 2;"),
            &format!("{take}|int *p = a; for (int i = 0; i < n; i++) c[i] = a[i] > 4 && take(p, 3) > 2 || a[0] & 1;"),
        ],
        compare_calls,
    );
}

/// Jumps in helpers lead to labels of their own.
#[test]
fn helpers_that_jump() {
    let each = "for (int i = 0; i < n; i++)";
    let scan = "static int scan(int n, const int *a, int *w) { int i, s = 0; for (i = 0; i < n; i++) { if (a[i] == 3) goto out; s += a[i]; } *w = -1; return s; out: *w = i; return s ^ 1; }";
    let named = "static int sum(int n, const int *a) { int s = 0; for (int i = 0; i < n; i++) { if (a[i] == 5) goto s; s += a[i]; } s: return s; }";
    let texts = [
        format!("{scan}|int w = 0; c[0] = scan(n, a, &w); c[n] = w;"),
        format!("{scan}|int w = 0; {each} {{ c[i] = scan(i, a, &w); if (w < 0) goto out; c[i] += 100 * w; out: ; }}"),
        format!("{named}|{each} c[i] = sum(i, a) * sum(n, a);"),
        format!("{named}|int s = 2; {each} {{ if (a[i] == 1) goto s; c[i] = sum(n, a) + s; s: s++; }}"),
        format!(
            "static void mark(int n, int *a, int x) {{ for (int i = 0; i < n; i++) if (a[i] == x) goto done; a[0] = x; done: ; }}|{each} {{ mark(n, a, i); c[i] = a[0]; }}"
        ),
    ];
    compare_each(&texts.iter().map(String::as_str).collect::<Vec<_>>(), compare_calls);
}

#[test]
fn functions_that_search() {
    for text in [
        "int f(int n, int d[n + 1], int x) { x &= 15; for (int i = 0; i < n; i++) if ((d[i] & 15) == x) return i; return -1; }",
        "int f(int n, int m, int d[n + 1][m + 1]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if (d[i][j] == 7) return i * m + j; return -1; }",
        "int f(int n, short d[n + 1]) { for (int i = 0; i < n; i++) { if (d[i] > 90) return d[i]; if (d[i] < 5) return -i; } return 0; }",
        "_Bool f(int n, unsigned char d[n + 1]) { int i, j; for (i = 0, j = n - 1; i < j; i++, j--) if (d[i] % 2 != d[j] % 2) return 0; return 1; }",
    ] {
        let text = format!(
            "#pragma burstc size(n: 5, max 40)\n{}{text}\n",
            if text.contains("int m,") { "#pragma burstc size(m: 5, max 40)\n" } else { "" }
        );
        let choice = crate::source::program::Choice::default();
        let program = crate::source::program::choose(&source(&text), &choice).unwrap_or_else(|e| panic!("{e}: {text}"));
        let sizes: &[Vec<i64>] = match text.contains("int m,") {
            true => &[vec![0, 0], vec![1, 1], vec![2, 3], vec![7, 13], vec![20, 20]],
            false => &[vec![0], vec![1], vec![2], vec![3], vec![13], vec![40]],
        };
        compare_source(&program.source, sizes);
    }
}

/// In no array are they where the condition does not hold.
#[test]
fn subscripts_that_data_keep_inside() {
    compare_all(&[
        "for (int i = 0; i < n; i++) { int k = a[i] - 4; if (k < 0 || k >= n) continue; int t = b[k]; b[k] = i; c[i & 7] += t; }",
        "for (int i = 0; i < n; i++) { int k = a[i] - 4; if (k >= 0 && k < n) { int t = b[k], r = t * 2; b[k] += i; if (r > 5) c[i & 7] += t; } }",
        "for (int i = 0; i < n; i++) { int k = a[i] - 4; if (k < 0 || k >= n) break; a[k] += b[k]; }",
        "int k = 0; for (int i = 0; i < n; i++) { if (a[i] & 1) k = i; else if (a[i] & 2) k--; if (k >= 0 && k < n) b[k]++; }",
    ]);
}

/// Heads that multiply or divide, whose variables are read behind them.
#[test]
fn what_grows_by_factors_is_read_behind() {
    compare_all(&[
        "int k = 1; while (k < n) { b[k]++; k *= 2; } c[0] = k;",
        "int k; for (k = 1; k < n; k *= 2) b[k]++; c[0] = k;",
        "int k; for (k = 16; k > 0; k /= 2) c[k & 7]++; c[0] = k;",
        "int k, j; for (k = 1, j = 0; k < n; k *= 2, j++) c[k & 7]++; c[0] = k; c[1] = j;",
        "int k = 1, r = 0; while (k < n) { if (k == 4) break; c[k & 7]++; k *= 2; r += 3; } c[0] = k; c[1] = r;",
        "int k; for (int i = 0; i < n; i++) { for (k = 1; k < m; k *= 2) b[i] += k; b[i] ^= k; }",
    ]);
}

/// Which of two counters goes on, data say.
#[test]
fn counters_that_data_move() {
    compare_all(&[
        "int i = 0, j = 0, k = 0; while (i < n && j < n) { if (a[i] <= b[j]) { k += 1; i++; } else { j++; } } while (i < n) { b[i] = 1; i++; }",
        "int i, j = 0, s = 0; for (i = 0; i < n && j < m; ) { if (a[i] == b[j & 3]) { s++; i++; j++; } else if (a[i] < 4) i += 2; else j++; } c[0] = s; c[1] = i; c[2] = j;",
        "int lo = 0, hi = n - 1, s = 0; while (lo < hi) { if (a[lo] + a[hi] > 8) hi--; else if (a[lo] + a[hi] < 5) lo++; else { s++; lo++; hi--; } } c[0] = s; c[1] = lo;",
        "int lo = 0, hi = n - 1; while (lo <= hi) { if (a[lo] & 1) lo++; else { int t = a[lo]; a[lo] = a[hi]; a[hi] = t; hi--; } } c[0] = lo;",
        "int e = n, i = 0; while (i < e) { if (a[i] == x) { a[i] = a[e - 1]; e--; } else i++; } c[0] = e;",
        "int i = 0; while (i < n) { if (a[i] == 6) break; if (a[i] & 1) { i += 2; continue; } b[i]++; i++; } c[0] = i;",
        "int i = n - 1, j = n - 1, s = 0; while (i >= 0 && j >= 0) { if (a[i] > b[j]) s += a[i--]; else s ^= b[j--]; } c[0] = s; c[1] = i;",
        "for (int r = 0; r < m; r++) { int i = r, j = 0; while (i < n && j < m) { if (a[i] > p[0][j]) i++; else j++; } c[r & 7] += i * 9 + j; }",
        // It begins behind its end, perhaps.
        "int i = 7, j = 0; while (i < n && j < n) { if (a[i] < b[j]) i++; else j++; } c[0] = i; c[1] = j;",
    ]);
}

/// Some constant, or more, is added in every round.
#[test]
fn steps_that_data_tell() {
    compare_all(&[
        "int i = 0, k = 0; while (i < n) { k++; c[k & 7] += i; i += (a[i] & 3) + 1; } c[0] = i; c[1] = k;",
        "int k = 0; for (int i = 0; i < n; i += 1 + (b[i] & 1)) { a[i] += 3; k += i; } c[0] = k;",
        "int i = n - 1, s = 0; while (i >= 0) { int d = a[i] & 3; s = s * 3 + d; i -= d + 1; } c[0] = s; c[1] = i;",
        "int i = 0, j = 0; while (i < n && j < m) { if (a[i] > 3) i = i + (b[i] & 1) + 1; else j = 1 + j + (a[i] & 2); c[(i + j) & 7]++; } c[0] = i; c[1] = j;",
        "int i = n, k = 0; while (i > 2) { i = i - 1 - (a[i] & 1); k++; } c[0] = k; c[1] = i;",
        "for (int r = 1; r < 5; r++) { int i = 0; while (i < n) { c[r]++; i += r + (a[i] & 1) * r; } c[0] += i; }",
        "int j = (b[0] & 3) + 1; while (j <= n) { a[j] += 3; j += j & -j; } c[0] = j;",
        "int j = n, s = 0; while (j > 0) { s = 3 * s + a[j]; j -= j & -j; } c[0] = s;",
    ]);
    // Of 8 bits, with what takes it to the end and beyond.
    compare_program(
        "int f(int n, const unsigned char p[n], unsigned char types[n])\n{\nint at = 0, k = 0;\nwhile (at + 2 <= n) { \
         unsigned char len = p[at + 1]; types[k++] = p[at]; at += len + 2; }\nreturn at * 50 + k;\n}\n",
    );
}

/// A loop inside that goes on for what holds where it begins moves something.
#[test]
fn loops_inside_that_surely_begin() {
    compare_all(&[
        "int i = 0, k = 0; while (i < n) { if (a[i] > 3) { while (i < n && a[i] > 3) i++; k++; } else i++; } c[0] = k; c[1] = i;",
        "int i = 0, k = 0; while (i < n) { if (a[i] <= 3) { i++; continue; } while (i < n && a[i] > 3) { k += a[i]; i++; } c[k & 7]++; } c[0] = i;",
        "int i = 0; while (i < n) { if (b[i] == x) { for (; i < n && b[i] == x; i++) a[i] = 9; } else { b[i] = x + 1; i++; } } c[0] = i;",
        "int i = 0, k = 0; while (i < n) { int v = a[i] & 1; k += 3; while (i < n) { i++; if (v) k ^= i; } } c[0] = k;",
    ]);
}

/// What nothing else says how often it runs looks into an array in every round, each time at another element.
#[test]
fn arrays_bound_what_data_move() {
    compare_all(&[
        "int st[64], top = 0, k = 0; for (int i = 0; i < n; i++) { if (a[i] & 1) st[top++] = a[i]; } while (top > 0) { c[k & 7] += st[--top]; k++; } c[6] = top; c[7] = k;",
        "int st[64], top = 0; for (int i = 0; i < n; i++) { while (top > 0 && a[st[top - 1]] < a[i]) top--; b[i] = top > 0 ? st[top - 1] : 9; st[top++] = i; } c[0] = top;",
        "int st[41], top = 0; for (int i = 0; i <= n; i++) { while (top && a[st[top - 1]] >= a[i]) top--; c[i & 3] += top; st[top++] = i; } c[7] = top;",
        "int st[64], top = -1; for (int i = 0; i < n; i++) { while (top >= 0 && st[top] < a[i]) top--; c[i & 3] += top; st[++top] = a[i]; } c[7] = top;",
        "int q[64], head = 0, tail = 0; for (int i = 0; i < n; i++) if (a[i] & 1) q[tail++] = i; while (head < tail) { c[q[head] & 3]++; head++; } c[7] = head;",
        // Between the ends, others look for the next place.
        "int q = x & 7, i = -1, j = n + 1; while (1) { do i++; while (i < n && a[i] < q); do j--; while (j > 0 && a[j] > q); if (i >= j) break; int t = a[i]; a[i] = a[j]; a[j] = t; } c[0] = j; c[1] = i;",
        "int q = x & 7, i = 0, j = n; for (;;) { while (i < n && a[i] < q) i++; while (j > 0 && a[j] > q) j--; if (i >= j) break; int t = a[i]; a[i] = a[j]; a[j] = t; i++; j--; } c[0] = j; c[1] = i;",
        "int i = 0, j = n; while (1) { while (i < j && a[i] < x) i++; if (i >= j) break; c[i & 7]++; i++; j--; } c[1] = j;",
        "int i = 0, j = 0, k = 0, out[80]; while (i < n || j < n) { if (j == n || (i < n && a[i] <= b[j])) out[k++] = a[i++]; else out[k++] = b[j++]; } for (int q = 0; q < k; q++) c[q & 3] += out[q]; c[7] = k;",
    ]);
}

/// What only counts comes to no more than the rounds that count it.
#[test]
fn variables_that_only_count() {
    let filled = "int w[16]; for (int i = 0; i < 16; i++) w[i] = c[i & 7] >> i & 7;";
    let bodies = [
        "int q = 0; unsigned v = 1; for (int i = 0; i < 16; i++) if (w[i] > 3) q++; for (int k = 0; k < q; k++) v = v * 3 + 1; c[0] = v;",
        "int q = 0; unsigned v = 1; for (int i = 15; i >= 0; i -= 2) { if (w[i] & 1) q += 2; else q--; } for (int k = 0; q >= k; ++k) v = v * 5 + k; c[0] = v; c[1] = q;",
        "unsigned q; for (int r = 0; r < 5; r++) { q = 1; for (int i = 0; i < 4; i++) for (int j = i; j < 4; j++) if (w[4 * i + j] & 1) ++q; unsigned v = 1; for (unsigned k = 1; k <= q; k++) v = v * 3 + r; c[r] = v; }",
        "int st[16], t[16], q = 0, j = 0; for (int i = 0; i < 16; i++) { t[i] = 0; if (w[i] & 1) st[q++] = w[i]; } while (q > 0) t[j++] = st[--q]; c[1] = q; c[2] = j; for (int i = 0; i < 16; i++) c[3 + (i & 3)] += t[i];",
        "int q = 2, k = 0; for (int i = 0; i < 12; ++i) { if (w[i] > 2) q++; if (w[i] > 4) q++; } while (q >= 3) { q -= 3; k = 2 * k + 1; } c[0] = k; c[1] = q;",
        // Of 8 bits, and taken back.
        "signed char q = 0; unsigned v = 1; for (signed char i = 0; i < 100; i += 40) q += 3; for (int i = 0; i < 9; i++) if (w[i] & 2) q--; for (int k = 0; k < q; k++) v = v * 3 + 1; c[0] = v;",
    ];
    let bodies = bodies.map(|body| format!("{filled} {body}"));
    compare_all(&bodies.each_ref().map(String::as_str));
}

/// Their counters move inside of inner loops, too.
#[test]
fn partitions() {
    compare_all(&[
        "int i = 0, j = n, t, q = x; while (i <= j) { while (i <= j && a[i] < q) i++; while (i <= j && a[j] > q) j--; if (i <= j) { t = a[i]; a[i] = a[j]; a[j] = t; i++; j--; } } c[0] = j; c[1] = i;",
        "int q = a[n], i = 0; for (int j = 0; j < n; j++) if (a[j] < q) { int t = a[i]; a[i] = a[j]; a[j] = t; i++; } int t = a[i]; a[i] = a[n]; a[n] = t; c[0] = i;",
        "int lo = 0, mid = 0, hi = n; while (mid <= hi) { if (a[mid] < x) { int t = a[lo]; a[lo] = a[mid]; a[mid] = t; lo++; mid++; } else if (a[mid] > x) { int t = a[mid]; a[mid] = a[hi]; a[hi] = t; hi--; } else mid++; } c[0] = lo; c[1] = hi;",
    ]);
}

/// Where a flag ends them, too, and whose counters several loops behind go on with.
#[test]
fn counters_that_data_move_to_a_flag() {
    compare_all(&[
        "_Bool go = 1; int i = 0; while (go && i < n) { if (a[i] > 5) go = 0; else i++; } c[0] = i; c[1] = go;",
        "for (int i = 0; i <= n; i++) { int v = a[i], k = 0; while (v > 0 && k < 3) { v -= 2; k++; } c[i & 7] += v * 8 + k; }",
        "int i = 0, j = 0, k = 0; while (i < n && j < n) { if (a[i] <= b[j]) { c[k & 3] += a[i]; k++; i++; } else { c[k & 3] ^= b[j]; k++; j++; } } for (; i < n; i++) { c[k & 3] += a[i]; k++; } for (; j < n; j++) { c[k & 3] -= b[j]; k++; } c[7] = k;",
    ]);
}

#[test]
fn sorts_by_gaps() {
    compare_all(&[
        "for (int gap = 4; gap > 0; gap /= 2) for (int i = gap; i < n; i++) { int t = a[i], j; for (j = i; j >= gap && a[j - gap] > t; j -= gap) a[j] = a[j - gap]; a[j] = t; }",
        "int gap = 8; while (gap > 0) { for (int i = gap; i < n; i++) { int t = a[i], j = i; while (j >= gap && a[j - gap] > t) { a[j] = a[j - gap]; j -= gap; } a[j] = t; } gap >>= 1; }",
        "for (int w = 1; w < n; w += w) for (int i = 0; i + w < n; i++) b[i] += a[i + w];",
    ]);
}

#[test]
fn numbers_of_which_nothing_is_left() {
    compare_all(&[
        "for (int i = 0; i < n; i++) { unsigned v = a[i] * 77; int k = 0; while (v >>= 1) k++; c[i & 7] += k; }",
        "for (int i = 0; i < n; i++) { unsigned char v = a[i] * 37; int k = 0; for (;;) { if (!v) break; k += v & 1; v >>= 1; } c[i & 7] += k; }",
        "int v = n, k = 0; while (v > 1) { v >>= 1; k++; } c[0] = k; for (int i = 0; i < n; i++) { int u = i, h = 0; while (u) { h += u & 1; u >>= 1; } b[i] = h; }",
        "for (int i = 0; i <= n; i++) { int base = 0, len = n; while (len > 1) { int half = len / 2; if (a[base + half] <= b[i]) base += half; len -= half; } c[i & 7] += base; }",
        "for (int i = 0; i < n; i++) { unsigned v = a[i] * 12345 + b[i], r = 0, q = 1u << 30; while (q > v) q >>= 2; while (q != 0) { if (v >= r + q) { v -= r + q; r = (r >> 1) + q; } else r >>= 1; q >>= 2; } c[i & 7] += r; }",
        "for (int i = 0; i < n; i++) { int v = a[i] * 321, k = 0; do { if (v % 10 == 7) break; k++; v /= 10; } while (v != 0); c[i & 7] += k * 100 + v; }",
    ]);
}

/// What begins with constants, or is small, is followed through all that data can do to it.
#[test]
fn all_that_can_happen_to_small_numbers() {
    compare_all(&[
        "for (int i = 0; i < n; i++) { int lo = 0, hi = 8; while (lo + 1 < hi) { int mid = (lo + hi) / 2; if (c[mid & 7] <= a[i]) lo = mid; else hi = mid; } b[i] = lo; }",
        "for (int i = 0; i < n; i++) { int w = 8, j = a[i] + b[i], k = 0; while (w && (j & w)) { j ^= w; w >>= 1; k++; } b[i] = j | w << k; }",
        "for (int i = 0; i < n; i++) { unsigned char u = b[i] * 29, k = 0; while (u != 1 && k < 20) { u = u & 1 ? u ^ 3 : u / 2; k++; } c[i & 7] += k; }",
        "unsigned char u = 250; int k = 0; while (u != 4) { k += c[u & 7]; u++; if (k > 30) break; } c[0] = k; c[1] = u;",
        "for (int i = 0; i < n; i++) { int v = a[i] & 7, k = 0; do { v = v * 5 & 15; k++; if (v == b[i]) break; } while (v > 2 && k < 9); c[i & 7] += k; }",
        "int k = 1, s = 0; for (int i = 0; i < n; i++) { int u = 29; for (; u; k <<= 1, u >>= 1) if (u & 1) s ^= k; k &= 255; if (a[i] > 6) break; } c[0] = s;",
    ]);
}

/// A condition sees what the iterations before have done to it, and the first iteration of a `do` loop comes before it.
#[test]
fn conditions_see_what_iterations_change() {
    compare_all(&[
        "int i = 0, s = 0; for (int r = 0; r < 21 && i < n; r++) { b[i] += 3; s += a[i]; i++; } c[0] = i; c[1] = s;",
        "int i = 0, s = 0; while (1) { if (i >= 20) break; c[i & 7] += 3; s += i; if (s == 9 + a[0]) break; i++; } c[0] = i; c[1] = s;",
        "int e = 20, i = 0; while (i < e - i) { c[i & 7] += e; e -= 2; i++; } c[0] = i;",
        "int i = 0, k = 7; for (i = 2; i < 20; i++) { if (i & 1) k++; c[1] += i; } for (i = 0; i < 20 && k - 1 < n; i++) c[2] += k; c[3] = k;",
        "int i = 0, z = 2; do { if (a[i] > b[i]) break; c[0] = 5; i++; } while (i < n && (z & 1)); c[1] = i;",
        "int i = 0, j = 0; do { c[i & 7] = a[i]; i++; } while (i < n && (m & 2)); while (j < n && a[j] > 3) j++; c[2] = j;",
        "int i = 0; do { if (i > 0 && a[i] < 2) break; c[i & 7] += a[i]; i++; } while (i < n && m % 3 == 2); c[6] = i;",
        "for (int i = 0; i < n; i++) { int j = 0; do { c[i & 7] += b[j]; if (j == i) break; j++; } while (j < n && b[j] > 2); }",
        "int i = 0, s = 0; do { s += a[i]; if (a[i + 1 > n ? n : i + 1] != a[i]) break; i++; } while (i < n && s < 20); c[0] = i; c[1] = s;",
        "for (int i = 0; i < n; i++) { int j = 0, s = 0; while (j < i && s < 10) { s += a[j + 1] - a[j]; j++; } c[i & 7] += j; }",
        "int i, k; for (i = 0, k = 0; i < n; i++) if (a[i] > 3) k += a[i]; c[0] = k; for (int j = 1, s = 0; j < m; j += 2) { s += x; c[1] += s * j; }",
        "int k = 0; for (;;) { if (k >= n || a[k] == 0) break; b[k] += a[k]; k++; } c[0] = k; k = 0; while (!(k >= m || c[k & 7] == 3)) k++; c[1] = k;",
        "int i; for (int r = 0; r < m; r++) for (i = r & 1; i < n && i == 1; i++) c[r & 7]++;",
        "int i = 0; while (1) { int j = i; while (1) { if (j >= n) break; if (a[j] != a[i]) break; j++; } b[i] = j - i; i++; if (i >= n) break; }",
    ]);
}

/// Where rounds go by without what was counted on, no number of them is enough.
#[test]
fn what_may_not_go_on_is_refused() {
    for body in [
        "unsigned v = a[0], k = 0; while (v) { if (k < 40) { k++; continue; } v >>= 1; } a[0] = k;",
        "int lo = 0, hi = n; while (lo < hi) { signed char mid = (lo + hi) / 2; if (a[mid] < 3) lo = mid + 1; else hi = mid; } a[0] = lo;",
        "int lo = 0, hi = n; while (lo < hi) { int mid = (lo + hi) / 2; if (a[mid] < a[lo--]) lo = mid + 1; else hi = mid; } a[0] = lo;",
        "unsigned lo = 0, hi = n; while (lo <= hi) { unsigned mid = (lo + hi) / 2; if (a[mid] < 3) lo = mid + 1; else hi = mid - 1; } a[0] = lo;",
        "unsigned i = 0, j = n; while (i < j) { if (a[i] > 3) i++; else j -= 2; } a[0] = i;",
        "unsigned char i = 0, j = 0; while (i <= n && j <= n) { if (a[i] > a[j]) i++; else j++; } a[0] = i;",
        "int j = 3; while (1) { if (a[j % (n + 1)] > 6) break; j++; if (j == n) break; } a[0] = j;",
    ] {
        let text = format!("#pragma burstc size(n: 5, max 300)\nvoid f(int n, int a[n + 1]) {{\n{body}\n}}\n");
        assert!(!diagnostic(&text).message.is_empty(), "{body}");
    }
}

#[test]
fn searches_that_halve_what_is_left() {
    compare_all(&[
        "for (int i = 0; i < n; i++) { int lo = 0, hi = n; while (lo < hi) { int mid = (lo + hi) / 2; if (a[mid] < b[i]) lo = mid + 1; else hi = mid; } c[i & 7] += lo; }",
        "for (int i = 0; i < n; i++) { int lo = 0, hi = n - 1, r = -1; while (lo <= hi) { int mid = lo + (hi - lo) / 2; if (a[mid] == b[i]) { r = mid; break; } if (a[mid] < b[i]) lo = mid + 1; else hi = mid - 1; } c[i & 7] += r; }",
        "for (int i = 0; i < n; i++) { int lo = 0, hi = n; while (lo < hi) { int mid = (lo + hi) >> 1; if (a[mid] == 3) { lo = mid + 1; continue; } hi = mid; } c[i & 7] += hi; }",
        "unsigned lo = 0, hi = n; while (lo < hi) { unsigned mid = (lo + hi) >> 1; if (a[mid] < x) lo = mid + 1; else hi = mid; } c[0] = lo;",
        "for (int i = 0; i < n; i++) { int lo = 0, hi = n; while (lo + 1 < hi) { int mid = (lo + hi) / 2; if (a[mid] <= b[i]) lo = mid; else hi = mid; } c[i & 7] += lo; }",
        "for (int i = 0; i < n; i++) { int lo = -1, hi = n; while (hi - lo > 1) { int mid = lo + (hi - lo) / 2; if (a[mid] < b[i]) lo = mid; else hi = mid; } c[i & 7] += hi; }",
        "for (int i = 0; i < n; i++) { int at = 0, left = n; while (left > 0) { int half = left / 2; if (a[at + half] <= b[i]) { at += half + 1; left -= half + 1; } else left = half; } c[i & 7] += at; }",
        "for (int i = 0; i < n; i++) { unsigned at = 0, left = n; while (left) { unsigned half = left >> 1; if (a[at + half] < b[i]) { at = at + half + 1; left = left - half - 1; } else left = half; } c[i & 7] += at; }",
        "int lo = 0, hi = n, found = 0; while (lo <= hi && !found) { int mid = (lo + hi) / 2; if (a[mid] == x) { found = 1; c[1] = mid; } else if (a[mid] < x) lo = mid + 1; else hi = mid - 1; } c[0] = found;",
        "for (int r = 0; r < m; r++) { int at = -1; for (int i = 0; i < n; i++) { int lo = 0, hi = n; while (lo < hi) { int mid = (lo + hi) / 2; if (a[mid] == r) { at = mid; goto found; } if (a[mid] < b[i]) lo = mid + 1; else hi = mid; } } at = 77; found: c[r & 7] += at; }",
    ]);
}

#[test]
fn remainders_become_smaller() {
    compare_all(&[
        "for (int i = 0; i < n; i++) { int u = a[i] * 12 + 5, v = b[i] * 9; while (v) { int t = u % v; u = v; v = t; } c[i & 7] += u; }",
        "for (int i = 0; i < n; i++) { int u = a[i] * 1000 + 5, v = b[i] * 618, t, k = 0; while (v != 0) { t = v; v = u % v; u = t; k++; } c[i & 7] += u * 64 + k; }",
        // The numbers with the most rounds.
        "unsigned u = 2971215073u + (a[0] & 0), v = 1836311903u, k = 0; while (v > 0) { unsigned t = u % v; u = v; v = t; k++; } for (int i = 0; i < n; i++) c[0] = k + u * 100;",
    ]);
}

#[test]
fn what_counts_ends_behind_what_data_end() {
    compare_all(&[
        "for (int i = 0; i < n; i++) { int j = 0; for (;;) { if (a[j] == i) break; if (j == n) { c[i & 7] = -1; break; } j++; } b[i] += j; }",
        "for (int i = 0; i < n; i++) { int j = 0; while (1) { if (a[j] == i) break; a[j] ^= 1; if (++j >= n) break; } c[i & 7] += j; }",
        "a[n] = x; int j = 0; for (;;) { if (a[j] == x) break; if (j == n) break; c[1]++; j++; } c[0] = j;",
        "int j = 0; for (;;) { if (a[j] == x) break; j++; if (j > n) break; b[j - 1] += j; } c[0] = j;",
        "int j = 0; while (1) { if (a[j] > 3) break; j++; if (j == n + 1) break; b[j] += j; } c[0] = j;",
    ]);
    // With more elements than the count goes through.
    compare_source(
        &source(
            "#pragma burstc size(n: 5, max 40)\nvoid f(int n, int d[n + 2], int b[n + 1])\n{\nint j = 0;\n\
             while (1) { if (d[j] > 90) break; j++; if (j == n + 1) break; b[j] += j; }\n}\n",
        ),
        &[vec![0], vec![1], vec![2], vec![13]],
    );
}

#[test]
fn jumps_that_cross() {
    compare_all(&[
        "for (int i = 0; i < n; i++) { if (a[i] > 5) goto one; if (a[i] > 3) goto two; b[i] = 1; continue; one: b[i] = 2; two: b[i] += 3; }",
        "for (int i = 0; i < n; i++) { if (a[i] > 5) goto one; if (a[i] > 3) goto two; b[i] = 1; goto three; one: b[i] = 2; two: b[i] += 3; if (i & 1) goto three; c[0]++; three: c[1] ^= b[i]; }",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if (p[i][j] == 14) goto fail; for (int i = 0; i < n; i++) if (a[i] == 7) goto fail; c[0] = 1; goto end; fail: c[0] = 2; end: c[1]++;",
        "int i; for (i = 0; i < n; i++) if (a[i] == x) goto found; c[0] = -1; goto done; found: c[0] = i; b[i] = 3; done: c[1] = 7;",
        "int i = 7; if (n > 19) goto fail; for (i = 0; i < n; i++) { if (a[i] == x) goto out; if (a[i] == 3) goto fail; b[i]++; } c[1] = 1; goto out; fail: c[2] = 2; out: c[0] = i;",
        "int i = 0; while (i < n) { if (a[i] == x) { b[i] = 1; goto out; } if (b[i] == 4) goto near; i++; } c[1]++; if (m > 3) goto out; near: c[2] ^= i; out: c[0] = i;",
        "for (int i = 0; i < n; i++) { do { if (a[i] & 1) break; b[i] = 1; if (a[i] & 2) break; b[i] = 2; } while (0); c[i & 7] += b[i]; }",
    ]);
}

/// Counters of inner loops that have a value before, and perhaps keep it.
#[test]
fn inner_counters_keep_what_they_had_before_a_goto() {
    compare_all(&[
        "int i, j = 7; for (i = 0; i < n; i++) for (j = 0; j < m; j++) if (p[i][j] == x) goto out; c[1]++; out: c[0] = j;",
        "int j = 3; for (int r = 0; r < 3; r++) { for (int i = 0; i < n; i++) { c[r] ^= j; for (j = r; j < m; j++) if (p[i][j] == x + r) goto out; } c[3]++; out: c[4 + r] += j; }",
        "int i, j = 7, k = 2; for (i = 0; i < n; i++) { for (j = 0; j < m; j++) b[i] += p[i][j]; for (k = m; k > 0; k--) if (p[i][k - 1] == x) goto out; } c[5] = 1; out: c[0] = j * 100 + k; c[1] = i;",
        "int j = -2; for (int i = 0; i < n; i++) { if (a[i] > 2) for (j = 0; j < m; j++) if (p[i][j] == x) goto out; if (j == m) c[3]++; } c[5]++; out: c[0] = j;",
        "unsigned char u = 250; for (int i = 0; i < n; i++) for (u = 1; u < m; u += 2) { if (p[i][u] == x) goto out; c[1] += u; } out: c[0] = u;",
        "int i, j = 9; for (i = 0; i < n; i++) { for (j = m - 1; j >= 0; j--) { if (p[i][j] == x) goto out; if (p[i][j] == 4) break; } c[2] ^= j; } c[1]++; out: c[0] = j; c[3] = i;",
        "int j = 5, s = 0; for (int i = 0; i < n; i++) { for (int k = 0; k < 2; k++) for (j = k; j < m; j++) { if (p[i][j] == x + k) goto out; s += j; } } out: c[0] = j; c[1] = s;",
    ]);
}

/// Two ends that come nearer, one of which steps in the condition, or has been moved by data before.
#[test]
fn ends_that_step_in_conditions_or_were_moved() {
    compare_all(&[
        "int l = 0, e = n; while (l < --e) { int t = a[l]; a[l] = a[e]; a[e] = t; l++; } c[0] = l; c[1] = e;",
        "int l = 0, e = n; while (--e > l) { if (a[e] & 1) l++; b[e] ^= l; if (b[e] == 9) break; } c[0] = l; c[1] = e;",
        "int l = n, e = -1; while (l >= ++e) { c[e & 7] += l; l--; } c[0] = l; c[1] = e;",
        "for (int r = 0; r < m; r++) { int l = 0, e = n + 1; while (--e > l) { if (p[0][r] > 7) l += 2; c[r & 7] += l + e; } c[r & 3] ^= e; }",
        "int l = 0, e = n; while (e > 0 && (a[e - 1] & 3) == 0) e--; while (l < e && (a[l] & 3) == 0) l++; c[0] = l; c[1] = e;",
        "int l = 0, e = n; while (l < n && a[l] != x) l++; while (e > l && b[e - 1] != x) e--; c[0] = l; c[1] = e;",
        "int e = n, k = 0; for (int i = 0; i < n; i++) if (a[i] == x) e--; while (k < e && b[k] != 3) { c[k & 3]++; k++; } c[7] = k; c[6] = e;",
        "for (int r = 0; r < m; r++) { int e = n, k = 0; while (e > r && a[e - 1] != 2) e--; while (k < e && b[k] != r) k++; c[r & 7] += k * 50 + e; }",
        "int e = n, k = 0; while (e > 0 && a[e - 1] != x) e--; do { c[k & 3]++; k++; } while (k < e && b[k] != 3); c[7] = k;",
    ]);
}

/// Counters that plain loops have used before data move them.
#[test]
fn counters_with_several_lives() {
    let ends = "while (u > 0 && w > 0) { if (a[u - 1] & 1) u--; else w--; c[4]++; } c[5] = u; c[6] = w;";
    let each = [
        "int u, w; for (w = 0; w < n; w++) if (a[w] > 2) c[w & 3]++; u = n; w = m;",
        "int u, w; for (w = 0; w < n; w++) for (u = w; u < n; u++) if (a[u] > a[w]) c[u & 3]++; u = n; w = m;",
        "int u, w; one: for (u = 0; u < n; u++) { b[u] += u; if (b[u] > 3) c[0]++; } two: for (w = 0; w < m; w++) { c[w & 3] = w; for (u = 1; u < n; u++) c[w & 3] ^= a[u - 1]; } u = n, w = m;",
        "int u, w; for (u = 0; u < n; u++) for (w = 0; w < 3; w++) c[w] += a[u]; for (int r = 0; r < 2; r++) { for (w = r; w < m; w++) c[w & 1] += r; } u = n; w = m;",
    ];
    let all: Vec<String> = each.iter().map(|text| format!("{text} {ends}")).collect();
    compare_all(&all.iter().map(String::as_str).collect::<Vec<_>>());
}

/// All variables of a loop's head have values behind it.
#[test]
fn companions_are_read_behind() {
    compare_all(&[
        "int j = 3, i; for (i = 0, j = 9; i < n; i++, j += 2) b[i] = 5; c[0] = j; c[1] = i;",
        "int j = 3, i = 7; if (m > 2) for (i = 0, j = 9; i < n; i++, j += 2) b[i] = 5; c[0] = j; c[1] = i;",
        "int j = 3, i; for (int r = 0; r < m; r++) { for (i = 0, j = r; i < n; i++, j--) b[i] += j; c[r & 7] += j; }",
    ]);
}

/// What is said where no number of rounds is known is taken.
#[test]
fn rounds_that_somebody_counts() {
    compare_all(&[
        "for (int i = 0; i < n; i++) { int v = a[i] * 9, k = 0; for (int r = 0; r < 7; r++) if (v >= 10) { v -= 10; k++; } b[i] = k * 16 + v; }",
        "int top = 0, st[64]; for (int i = 0; i < n; i++) { for (int k = 0; k < 40; k++) if (top > 0 && st[top - 1] < a[i]) { top--; } b[i] = top; st[top++] = a[i]; } c[0] = top;",
        "int i = a[0], j = 0; for (int r = 0; r < 2 * n; r++) if (i < n && j < n) { if (a[i] < b[j]) i++; else j++; } c[0] = i; c[1] = j;",
        "for (int i = 0; i < n; i++) { int r = i; for (int k = 0; k < n; k++) if (r > 0 && (a[r] & 1)) { r = r - 2; if (r < 0) r = 0; } c[i & 7] += r; }",
    ]);
}

/// Data that bound a loop and that it changes: the begin is read once, the end before every round. Halves of a size.
#[test]
fn bounds_that_the_loop_changes() {
    let rows = |step: &str, body: &str| {
        format!(
            "void f(int p[31], int n[30], int x[40], int y[30])\n{{\n    for (int i = 0; i < 31; i++) p[i] &= 31;\n    \
             for (int i = 0; i < 30; i++)\n        for (int j = p[i]; j < p[i + 1]; {step}) {body}\n}}\n"
        )
    };
    for (step, body) in [
        ("j++", "p[i] += x[j];"),
        ("j++", "{ y[i] += x[j]; if (x[j] & 1) p[i + 1] &= 15; }"),
        ("j += 2", "y[i] += x[j];"),
    ] {
        compare_source(&source(&rows(step, body)), &[vec![]]);
    }
    let halves = "void f(int N, int a[N])\n{\n    int i;\n    for (int o = 0; o < N; o++)\n        \
                  for (i = N / 2; i > 0; i /= 2) a[o] += i;\n}\n";
    compare_source(&source(halves), &[0, 1, 2, 3, 7, 8, 40].map(|n| vec![n]));
}

#[test]
fn what_no_count_ends_is_refused() {
    for (body, message) in [
        ("int i = 0; while (a[8 - i] != 0) i++; a[0] = i;", "this loop bound is not affine"),
        ("for (int i = 0; i < 9; i++) { again: a[i]++; if (a[i] & 1) goto again; }", "`goto`"),
        // What tells how it goes on changes.
        ("int i = 0; while (i < 9) { if (a[i] == 0) break; i += a[i]; a[i] = 0; } a[0] = i;", "counts with `i`"),
        ("int i = a[0], j = 0; while (i < 9 && j < 9) { if (a[j] > 3) i++; else j++; } a[0] = i;", "counts with `i`"),
        ("int i = 0; while (i < 9) { if (a[i] > 3) i++; else a[i] += 2; }", "counts with `i`"),
        ("int i = 0, j = 9; while (i < j) { if (a[i] > 3) i++; else j++; }", "counts with `i`"),
        // The loop inside does nothing, perhaps.
        (
            "int i = 0; while (i < 9) { if (a[i] > 3) { a[i]--; while (i < 9 && a[i] > 3) i++; } else i++; }",
            "counts with `i`",
        ),
        (
            "int i = 0, k = 7; while (i < 9) { if (a[i] > k) { k++; while (i < 9 && a[i] > k) i++; } else i++; }",
            "counts with `i`",
        ),
        ("int i = 0; while (i < 9) { a[0]++; i += a[i] & 3; }", "adds no constant"),
        // What comes round in 8 bits.
        ("int i = 0; while (i < 9) { unsigned char k = (a[i] & 255) + 1; a[0]++; i += k; }", "adds no constant"),
        // The array has 6 elements, whatever `k` is then.
        (
            "int k = 6; int w[k]; for (int i = 0; i < 6; i++) w[i] = i < 5; k = 3; int i = 0; while (w[i]) i++; a[0] = i;",
            "`k`",
        ),
    ] {
        let refused = diagnostic(&format!("void f(int a[9]) {{\n{body}\n}}\n"));
        assert!(refused.message.contains(message), "{refused:?}");
    }
}
