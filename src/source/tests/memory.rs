//! `memset`, `memcpy`, `memmove` and `sizeof` against the C compiler.

use super::native::compare_source;
use super::{diagnostic, source};

/// Compares `void f(int n, int m, …)` with these arguments and this body at some sizes.
fn compare(arguments: &str, body: &str) {
    let text = format!(
        "#include <stdint.h>\n#include <string.h>\n#pragma burstc size(n: 5, min 1, max 20)\n\
         #pragma burstc size(m: 3, min 1, max 20)\nvoid f(int n, int m, {arguments})\n{{\n{body}\n\
         for (int z = 0; z < 1; z++) d[z] += 1;\n}}\n"
    );
    compare_source(&source(&text), &[vec![1, 1], vec![5, 3], vec![8, 11]]);
}

#[test]
fn bytes_of_elements() {
    for (ty, byte) in [
        ("int8_t", "0x85"),
        ("uint8_t", "-1"),
        ("int16_t", "0x80"),
        ("uint16_t", "200"),
        ("int32_t", "-1"),
        ("int32_t", "0x81"),
        ("uint32_t", "0x1ff"),
        ("int64_t", "128"),
        ("uint64_t", "255"),
        ("_Bool", "1"),
        ("int16_t", "m"),
        ("uint8_t", "m + 300"),
        ("int32_t", "-m"),
    ] {
        compare(
            &format!("{ty} a[n], int32_t d[n]"),
            &format!("memset(a, {byte}, n * sizeof(a[0])); d[0] = a[n - 1] > 0;"),
        );
    }
}

#[test]
fn numbers_of_bytes() {
    for size in [
        "n * m * sizeof(int32_t)",
        "n * sizeof a[0]",
        "sizeof(int32_t) * m * n",
        "m * 4 * n",
        "(size_t)n * m * sizeof **a",
        "n * (m << 2)",
        "m * sizeof(int)",
        "sizeof(a[0])",
        "(n - 1) * sizeof *a",
        "4",
    ] {
        compare("int32_t a[n][m], int32_t d[n]", &format!("memset(a, 0, {size});"));
    }
}

#[test]
fn copies_of_rows_and_parts() {
    for copy in [
        "memcpy(b, a, n * sizeof b[0]);",
        "for (int i = 0; i < n; i++) memcpy(b[i], a[n - 1 - i], m * sizeof(int32_t));",
        "for (int i = 1; i < n; i++) memcpy(&b[i][1], a[i] + 1, (m - 1) * sizeof **a);",
        "for (int i = 0; i < n; i++) memcpy(&b[i][0], &a[i][0], sizeof a[i]);",
        "if (n > 3) memcpy(b + 1, &a[2], 2 * sizeof *a); else memset(b, 1, n * sizeof b[0]);",
        "int32_t t[n][m]; memcpy(t, a, sizeof t); memcpy(&b[0][0], &t[0][0], n * m * sizeof(int32_t));",
        "int32_t row[m]; for (int i = 0; i < n; i++) { memcpy(row, a[i], sizeof row); row[0] += 1; memcpy(b[i], row, m * sizeof *row); }",
        "int32_t x; memset(&x, 0, sizeof x); d[0] += x; memcpy(&b[0][0], &a[n - 1][0], sizeof(int32_t));",
        "memcpy(d, b[0], sizeof(int32_t) * (n < m ? n : m));",
    ] {
        compare("int32_t a[n][m], int32_t b[n][m], int32_t d[n]", copy);
    }
    compare(
        "int32_t a[n * m], int32_t b[n * m], int32_t d[n]",
        "for (int i = 0; i < n; i++) memcpy(&b[i * m], &a[(n - 1 - i) * m], m * sizeof *a);",
    );
}

#[test]
fn moves_inside_of_an_array() {
    for moved in [
        "memmove(&a[1], &a[0], (n - 1) * sizeof a[0]);",
        "memmove(a, a + 1, (n - 1) * sizeof(*a));",
        "for (int i = 0; i < n; i++) memmove(a + i, a + n - 1 - i, sizeof(int32_t));",
        "memmove(a + n / 2, a + 1, (n - n / 2 - 1) * sizeof *a);",
        "memmove(a + 1, a + n / 2, (n - n / 2 - 1) * sizeof *a);",
        "memmove(d, a, n * sizeof *a);",
    ] {
        compare("int32_t a[n], int32_t d[n]", moved);
    }
    compare("int16_t a[n][m], int32_t d[n]", "memmove(a[1], a[0], (n - 1) * sizeof(a[0]));");
}

#[test]
fn constant_arrays_and_parts_of_several_rows() {
    compare(
        "uint8_t a[4][6], uint8_t b[4][6], uint16_t d[9]",
        "memset(&a[1][2], 7, 11); memcpy(&b[0][3], &a[1][0], 10); memcpy(&a[2], b + 1, 2 * sizeof b[0]);",
    );
    compare(
        "uint8_t a[4][6], uint8_t b[24], uint16_t d[9]",
        "memcpy(b, a, 24); memcpy(a[1], &b[3], sizeof(b) / sizeof(b[0]) * 0 + 6);"
            .replace("sizeof(b) / sizeof(b[0]) * 0 + 6", "6")
            .as_str(),
    );
}

#[test]
fn structures() {
    let text = "#include <stdint.h>\n#include <string.h>\nstruct point { int16_t x[3], y; };\n\
                #pragma burstc size(n: 5, min 1, max 20)\nvoid f(int n, struct point a[n], struct point b[n])\n{\n\
                struct point z;\nmemset(&z, 0, sizeof z);\nmemcpy(b, a, n * sizeof(struct point));\n\
                for (int i = 0; i < n; i++) { memcpy(a[i].x, z.x, sizeof z.x); z.y += b[i].y; z.x[1] = z.y; }\n\
                memset(&b[n - 1], 0, sizeof *b);\n}\n";
    compare_source(&source(text), &[vec![1], vec![6]]);
}

/// Pointers to structures that data choose.
#[test]
fn structures_that_data_choose() {
    for body in [
        "struct acc *p = &t[a[i]]; p->n++; p->sum += b[i];",
        "struct acc *p = &t[a[i] & 7]; p->sum = p->n; b[i] = p->sum ^ t[a[i]].n; p->n = i;",
        "const struct acc *p = &w[a[i] & 3], *q = &w[b[i] & 1]; t[i].n += p->n * q->sum; t[a[i]].sum -= p->sum;",
    ] {
        let text = format!(
            "#include <stdint.h>\nstruct acc {{ int32_t n, sum; }};\n\
             static const struct acc w[4] = {{{{1, 2}}, {{-3, 4}}, {{5, -6}}, {{7}}}};\n\
             #pragma burstc size(n: 5, max 256)\n\
             void f(int n, const uint8_t a[n], int32_t b[n], struct acc t[256])\n{{\nfor (int i = 0; i < n; i++) {{ {body} }}\n}}\n"
        );
        compare_source(&source(&text), &[vec![0], vec![1], vec![40]]);
    }
}

#[test]
fn in_helpers() {
    let text = "#include <stdint.h>\n#include <string.h>\n\
                static void clear(int32_t *x, int n) { memset(x, 0, n * sizeof(*x)); }\n\
                static void copy(int32_t *to, const int32_t *from, int n) { memcpy(to, from, n * sizeof *to); }\n\
                #pragma burstc size(n: 5, min 1, max 20)\nvoid f(int n, int32_t a[n], int32_t b[n])\n{\n\
                copy(b, a, n);\nclear(a + 1, n - 1);\nfor (int i = 0; i < n; i++) a[i] += b[n - 1 - i];\n}\n";
    compare_source(&source(text), &[vec![1], vec![6]]);
}

#[test]
fn sizes() {
    for (body, _) in [
        ("int32_t t[6]; for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) t[i] = i; d[0] = t[5];", ()),
        ("d[0] = sizeof(int16_t) + sizeof d[0] + sizeof(struct mixed);", ()),
    ] {
        let text = format!(
            "#include <stdint.h>\nstruct mixed {{ char c; double x; short s[3]; }};\n\
             #pragma burstc size(n: 5, min 1, max 20)\nvoid f(int n, int32_t d[n])\n{{\n{body}\n\
             for (int z = 0; z < n; z++) d[z] += 1;\n}}\n"
        );
        compare_source(&source(&text), &[vec![1], vec![6]]);
    }
}

/// What a byte count stands for must not be guessed.
#[test]
fn refusals() {
    for (body, message) in [
        ("memset(a, 1, n * sizeof(float));", "makes no number of `a`"),
        (
            "float t[n][n]; memset(t, 0, sizeof(float) * n + (n - 1) * sizeof t[0]);",
            "neither whole rows nor a part of one",
        ),
        ("memset(a, 0, n);", "is no number of elements of `a`"),
        ("memset(a, 0, sizeof a);", "is the size of a pointer"),
        ("memcpy(a, d, n * sizeof *a);", "elements of another type"),
        ("memset(a, 0, sizeof(float) * d[0]++);", "changes something"),
        ("if (memcpy(a, b, 4 * n)) d[0] = 1;", "in the middle of an expression"),
        ("float *p = n > 1 ? a : b; memmove(p, a, n * sizeof *a);", "may be the same memory"),
    ] {
        let text = format!(
            "#include <stdint.h>\n#include <string.h>\n#pragma burstc size(n: 5, min 1, max 20)\n\
             void f(int n, float a[n], float b[n], int32_t d[n])\n{{\n{body}\n\
             for (int z = 0; z < n; z++) a[z] += 1;\n}}\n"
        );
        let found = diagnostic(&text);
        assert!(found.message.contains(message), "{body}: {found:?}");
        assert_eq!(found.span.map(|span| span.line), Some(6), "{body}: {found:?}");
        assert!(!found.help.is_empty() && !found.label.is_empty(), "{found:?}");
    }
}
