//! Pointers that move through arrays of structures, against the C compiler.

use super::native::{compare_each, compare_small};
use super::source;

/// Compares a kernel's body over `n` and `m`, with arrays of structures `r`, `q` and `w`, at small sizes.
fn compare(body: &str) {
    compare_small(&source(&format!(
        "typedef struct {{ short x, y; }} S;\nstruct wide {{ int k, a[3]; }};\n\
         #pragma burstc size(n: 5, max 40)\n#pragma burstc size(m: 5, max 40)\n\
         void f(int n, int m, S r[n + 9], S q[n + 9], struct wide w[n + 9])\n{{\n{body}\n}}\n"
    )));
}

#[test]
fn pointers_move_through_structures() {
    compare_each(
        &[
            "for (int i = 0; i < n; i++) { S *s = &r[i]; s->x += s->y; s++; s->y -= 1; }",
            "S *p = q; for (S *s = r; s < r + n; s++, p++) { p->x += s->x; (*p).y = s[0].y; }",
            "S *p = &q[3]; for (int i = 0; i < n; i++) r[i].x = q[i].x; p->x = 5; p -= 2; p[1].y = 7; *p = r[2];",
            "const S *p; p = r; for (int i = 0; i < n; i++) { q[i].x = p->y - p[1].x; p = p + 1; }",
            "struct wide *p = w; for (int i = 0; i < n; i++) { for (int k = 0; k < 3; k++) p->a[k] += p->k; p++; }",
            // What a pointer begins with moves on.
            "for (int i = 0; i < n; i++) { S *p = &r[i], *o = p; p++; p->x = o->x; o->y = 3; }",
            "S *p = r; for (int i = 0; i < n; i++) { S *o = p; p++; o->x += p->y; }",
            "int i = 2; S *p = &r[i]; for (int k = 0; k < n; k++) q[k].x += 1; i += 3; p->x = 4; r[i].y = 1;",
        ],
        compare,
    );
}

#[test]
fn pointers_through_local_structures_are_refused() {
    let refused = super::diagnostic(
        "typedef struct { short x, y; } S;\nvoid f(short a[8]) {\nS t[8];\nfor (int i = 0; i < 8; i++) t[i].x = a[i];\n\
         S *p = t;\nfor (int i = 0; i < 8; i++) { a[i] = p->x; p++; }\n}\n",
    );
    assert!(refused.message.contains("`p` moves through local structures"), "{refused:?}");
    assert_eq!(refused.span.map(|span| span.line), Some(5));
}
