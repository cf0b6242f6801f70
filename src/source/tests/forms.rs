//! Forms in which C programs say what is static: heads that multiply, rings, steps in several places, memory that is allocated,
//! arrays of several dimensions in one.

use super::{diagnostic, kernel};
use crate::source::kernel::{Kernel, Storage};

/// The subscripts of the targets, in the order of the text.
fn targets(kernel: &Kernel) -> Vec<String> {
    let statements = kernel.statements();
    let text = |subscripts: &[crate::affine::Affine]| subscripts.iter().map(|s| format!("[{s}]")).collect::<String>();
    statements.iter().map(|statement| text(&statement.target.subscripts)).collect()
}

fn body(text: &str) -> Kernel {
    kernel(&format!("#pragma burstc size(n: 5, max 20)\nvoid f(int n, int a[64 * n + 64], int b[n])\n{{\n{text}\n}}\n"))
}

#[test]
fn heads_that_multiply_are_read_once_for_each_iteration() {
    for (text, expected) in [
        (
            "for (int k = 20; k > 1; k /= 2) for (int i = 0; i < 3; i++) a[i + k] = 1;",
            &["[i + 20]", "[i + 10]", "[i + 5]", "[i + 2]"][..],
        ),
        (
            "int k = 1; while (k < 30) { for (int i = 0; i < 3; i++) a[i + k] = 1; k = k * 3; }",
            &["[i + 1]", "[i + 3]", "[i + 9]", "[i + 27]"],
        ),
        (
            "for (int k = 1, s = 7; k <= 4; k <<= 1, s--) for (int i = 0; i < n; i++) a[s + i] = k;",
            &["[i + 7]", "[i + 6]", "[i + 5]"],
        ),
        (
            "for (unsigned char k = 255; k; k >>= 3) for (int i = 0; i < n; i++) a[i + k] = 1;",
            &["[i + 255]", "[i + 31]", "[i + 3]"],
        ),
        (
            "for (int k = 1; k < 30; k = k * k + 1) for (int i = 0; i < n; i++) a[i + k] = 1;",
            &["[i + 1]", "[i + 2]", "[i + 5]", "[i + 26]"],
        ),
        // As large as the size may be.
        (
            "for (int k = 4; k < n; k *= 2) for (int i = 0; i < n; i++) a[i + k] = 1;",
            &["[i + 4]", "[i + 8]", "[i + 16]"],
        ),
    ] {
        assert_eq!(targets(&body(text)), expected, "{text}");
    }
}

#[test]
fn places_go_round() {
    for step in [
        "k = (k + 1) & 7;",
        "k = (k + 1) % 8;",
        "k++; if (k == 8) k = 0;",
        "if (++k >= 8) k = 0;",
        "k = k < 7 ? k + 1 : 0;",
    ] {
        let kernel = body(&format!("int k = 3; for (int i = 0; i < n; i++) {{ a[k] += b[i]; {step} }}"));
        assert_eq!(targets(&kernel), ["[i - 8*i_div_8 + 3]"], "{step}");
        let quotient = &kernel.quotients[0];
        assert_eq!((quotient.numerator.to_string().as_str(), quotient.divisor), ("i + 3", 8), "{step}");
    }
    // Data, and what ends somewhere, are no rings.
    for step in ["if (b[i] > 0) k = (k + 1) & 7;", "if (k < 7) k++;", "k = (k + n) & 7;"] {
        let text = format!("int k = 3; for (int i = 0; i < n; i++) {{ a[k] = b[i]; {step} }}");
        assert!(body(&text).arrays.iter().any(|array| array.name == "k"), "{step}");
    }
}

/// The value that a name has outside of a loop says nothing of what it is inside.
#[test]
fn steps_by_what_changes_are_no_constants() {
    for text in [
        "int k = 0, s = 1; for (int i = 0; i < n; i++) { a[s] = i; b[k] = 1; k += s; s += 1; }",
        "int k = 0; const int s = 1; for (int i = 0; i < n; i++) { const int s = 2; b[k] = i; k += s; }",
        "int k = 0; const int s = 1; b[s] = 0; for (int i = 0; i < n; i++) { int s = i % 2; a[0] = k; b[k] = i; k += s; }",
    ] {
        let text = format!("#pragma burstc size(n: 5, max 20)\nvoid f(int n, int a[n], int b[n])\n{{\n{text}\n}}\n");
        assert!(kernel(&text).arrays.iter().any(|array| array.name == "k"), "{text}");
    }
}

#[test]
fn steps_in_several_places() {
    for (text, expected) in [
        ("for (int i = 0; i < n; i++) { b[i] = 1; i++; b[i - 1] = 2; }", &["[2*i_step]", "[2*i_step]"][..]),
        ("for (int i = 0, k = 0; i < n; i++, k++) { a[k] = 1; k++; a[k] = 2; }", &["[2*i]", "[2*i + 1]"]),
        (
            "for (int i = 0, k = 9; i < n; i++, k += 2) { if (i > 2) { k++; a[k] = i; k--; } else a[k] = 3; k--; }",
            &["[i + 10]", "[i + 9]"],
        ),
        ("int i = 0, k = 4; while (i < n) { a[k] = 1; i++, k += 2; }", &["[2*i + 4]"]),
        ("int i = 0, k = 4; while (i < n) { a[k] = 1; k += 2; i++; }", &["[2*i + 4]"]),
    ] {
        assert_eq!(targets(&body(text)), expected, "{text}");
    }
    let refused = diagnostic(
        "void f(int a[9]) {\nfor (int i = 0; i < 9; i++) { if (a[i]) { i = a[i] - 1; continue; } a[i] = 0; }\n}\n",
    );
    assert!(refused.message.contains("assigns the iterator `i`"), "{refused:?}");
}

#[test]
fn counters_that_are_arguments_or_step_first() {
    for (text, expected) in [
        ("while (n-- > 0) a[n] = 1;", "[n - k - 1]"),
        ("while (n > 0) { --n; a[n] = 1; }", "[n - k - 1]"),
        ("int i = n; while (i > 0) { i -= 1; a[i + 1] = 1; }", "[n - k]"),
        ("for (n = 3; n < 9; n++) a[n] = 1;", "[n_0]"),
    ] {
        let all = targets(&body(text));
        let [only] = &all[..] else { panic!("{text}: {all:?}") };
        assert_eq!(only.replace("i_step", "k").replace("n_0_step", "k"), expected, "{text}");
    }
    // A value of 8 bits that is counted down is one of 8 bits.
    let narrow = "unsigned char i = 9; while (i != 250) { --i; a[i] = 1; }";
    let text = format!("#pragma burstc size(n: 5, max 20)\nvoid f(int n, int a[256])\n{{\n{narrow}\n}}\n");
    diagnostic(&text);
}

#[test]
fn memory_that_is_allocated() {
    for (text, expected) in [
        ("int *t = malloc(n * sizeof *t);", "[n]"),
        ("int *t = (int *)malloc(sizeof(int) * (n + 1));", "[n + 1]"),
        ("int *t; t = malloc(2 * n * sizeof(t[0])); if (!t) return;", "[2*n]"),
        ("int *t = calloc(n, sizeof *t); if (t == NULL) return;", "[n]"),
    ] {
        let text = format!(
            "#include <stdlib.h>\nvoid f(int n, int a[n])\n{{\n{text}\nfor (int i = 0; i < n; i++) t[i] += a[i];\n\
             for (int i = 0; i < n; i++) a[i] = t[n - 1 - i];\nfree(t);\n}}\n"
        );
        let kernel = kernel(&text);
        let local = kernel.arrays.iter().find(|array| array.storage != Storage::Argument).expect("a local array");
        let extents: String = local.extents.iter().map(|extent| format!("[{extent}]")).collect();
        assert_eq!(extents, expected, "{text}");
    }
    let bytes = "#include <stdlib.h>\nvoid f(int n, int a[n]) { int *t = malloc(n * sizeof(short));\n\
                 for (int i = 0; i < n; i++) a[i] = t[i]; }\n";
    assert!(diagnostic(bytes).message.contains("local variable `t` is a pointer"));
}

#[test]
fn arrays_of_several_dimensions_in_one() {
    let with = |arguments: &str, text: &str| {
        format!(
            "void f(int h, int w, {arguments}) {{\nfor (int y = 0; y < h; y++) for (int x = 0; x < w; x++) {text}\n}}\n"
        )
    };
    for (text, expected) in [
        ("a[y * w + x] = 1;", "[y][x]"),
        ("a[x + w * y] = 1;", "[y][x]"),
        ("*(a + (h - 1 - y) * w + x) = 1;", "[h - y - 1][x]"),
        ("a[y * w + w - 1 - x] = 1;", "[y][w - x - 1]"),
        ("a[y * w] = x;", "[y][0]"),
        ("a[x] = 1;", "[0][x]"),
        ("{ int q = 0; a[q * w + x] = 1; }", "[0][x]"),
        ("a[(y * w + x) / w * w + x % w] = 1;", "[y][x]"),
        ("{ int k = y * w + x; a[k] = 1; }", "[y][x]"),
        ("{ unsigned row = y * w; row += x; if (y > 0) a[row - w] = 1; }", "[y - 1][x]"),
        ("{ int *p = a + y * w; p[x] = 1; }", "[y][x]"),
    ] {
        let kernel = kernel(&with("int a[w * h]", text));
        assert_eq!(targets(&kernel)[0], expected, "{text}");
        let extents: String = kernel.arrays.raw[0].extents.iter().map(|extent| format!("[{extent}]")).collect();
        assert_eq!(extents, "[h][w]", "{text}");
    }
    // One element that is written in another way says that it is none.
    for text in ["{ a[y * w + x] = 1; a[x] = a[y * h]; }", "a[3] = 1;", "{ unsigned short k = y * w + x; a[k] = 1; }"] {
        let refused = diagnostic(&with("int a[w * h]", text));
        assert!(refused.message.contains("has a product of sizes as its extent"), "{text}: {refused:?}");
    }
    let pointer = with("int *a", "a[y * w + x] = 1;");
    assert!(diagnostic(&pointer).help.contains("extent(a: H, W)"));
    let kernel = kernel(&format!("#pragma burstc extent(a: h, w)\n{pointer}"));
    assert_eq!(targets(&kernel), ["[y][x]"]);
}

/// What only iterators tell is not said to be data, and such reads are found.
#[test]
fn subscripts_of_iterators_that_are_not_affine() {
    let text = "void f(int a[64]) {\nfor (int s = 0; s < 5; s++) for (int i = 0; i < 32; i++) {\n\
                int at = ((i >> s) << (s + 1)) | (i & 3); a[at] = a[at + 1] + s; }\n}\n";
    let [unordered] = &crate::source::gather::without_affine_form(&kernel(text))[..] else { panic!() };
    assert_eq!((unordered.array.as_str(), unordered.read.line, unordered.write.line), ("a", 3, 3));
}
