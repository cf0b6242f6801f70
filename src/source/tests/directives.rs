//! What directives become.

use super::accepts::{list, statement, theta_text};
use super::kernel;
use crate::source::directive_text;
use crate::source::kernel::{Kernel, TilingDirective};

/// Every band of a kernel: the statements' θ, and the sizes.
fn bands(kernel: &Kernel) -> Vec<String> {
    let band = |tiling: &TilingDirective| {
        let schedules: Vec<String> =
            tiling.schedules.iter().map(|s| format!("{} ({})", s.statement, list(&s.theta))).collect();
        format!("{} by {:?}", schedules.join(" "), tiling.sizes)
    };
    kernel.tilings.iter().map(band).collect()
}

#[test]
fn bands_of_several_statements() {
    // Of an imperfect nest.
    let imperfect = |directive: &str, inner: &str| {
        kernel(&format!(
            "void f(int n, int a[n + 9][n + 9], int b[n + 9])\n{{\n{directive}\nfor (int i = 0; i < n; i++) {{\n\
             b[i] = 0;\n{inner}\na[i][i] = b[i];\n}}\n}}\n"
        ))
    };
    let inner = "for (int j = i; j < n; j++) b[i] += a[i][j];";
    assert_eq!(
        bands(&imperfect("#pragma burstc tile(i:8, j:4)", inner)),
        ["S0 (i, i) S1 (i, j) S2 (i, n - 1) by [8, 4]"]
    );
    let inner = "for (int j = i; j < n; j++) for (int k = j + 1; k <= n; k++) b[i] += a[j][k];";
    assert_eq!(
        bands(&imperfect("#pragma burstc tile(k:2, i:8, j:4)", inner)),
        ["S0 (i + 1, i, i) S1 (k, i, j) S2 (n, i, n - 1) by [2, 8, 4]"]
    );
    let by_name = "#pragma burstc schedule(S0[x] -> (x, 0); S2[i] -> (i, n)) tile(1, 2)\n\
                   #pragma burstc tile(3) schedule(S1[p,q] -> (p - q + n))";
    let inner = "for (int j = i; j < n; j++) b[i] += a[i][j];";
    assert_eq!(bands(&imperfect(by_name, inner)), ["S0 (i, 0) S2 (i, n) by [1, 2]", "S1 (i + n - j) by [3]"]);
}

#[test]
fn bands_of_several_nests() {
    let kernel = kernel(
        "void f(int n, int a[n][n], int b[n])\n{\n#pragma burstc tile(i:8)\nfor (int i = 0; i < n; i++) b[i] = 0;\n\
         b[0] = 3;\n#pragma burstc schedule((i,j) -> (i+j, j)) tile(4, 5)\n\
         for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = b[i];\n}\n",
    );
    assert_eq!(bands(&kernel), ["S0 (0, i) by [1, 8]", "S1 (1) by [1]", "S2 (2, i + j, j) by [1, 4, 5]"]);
}

#[test]
fn directives_of_loops_that_count_otherwise() {
    let text = |directive: &str| {
        format!(
            "void f(int n, int a[n][n])\n{{\n{directive}\nfor (int i = n - 1; i >= 0; i--)\n\
             for (int j = 1; j < n; j += 3) a[i][j] = 1;\n}}\n"
        )
    };
    for (directive, expected) in [
        ("tile(i:8, j:4)", "S0 (i_step, j_step) by [8, 4]"),
        ("schedule((i,j) -> (i, j)) tile(8, 4)", "S0 (n - i_step - 1, 3*j_step + 1) by [8, 4]"),
        ("schedule(S0[p,j_step] -> (p, j_step)) tile(8, 4)", "S0 (n - i_step - 1, j_step) by [8, 4]"),
    ] {
        assert_eq!(bands(&kernel(&text(&format!("#pragma burstc {directive}")))), [expected]);
    }
}

#[test]
fn a_loop_of_steps_that_begins_at_a_quotient() {
    let text = |directive: &str| {
        format!("void f(int n, int a[n])\n{{\n{directive}\nfor (int i = n / 2; i < n; i += 2) a[i] = 1;\n}}\n")
    };
    // A shift of all tiles at once.
    let scheduled = text("#pragma burstc schedule((i) -> (3*i)) tile(4)");
    assert_eq!(bands(&kernel(&scheduled)), ["S0 (6*i_step) by [4]"]);
    assert_eq!(bands(&kernel(&text("#pragma burstc tile(i:4)"))), ["S0 (i_step) by [4]"]);
}

/// The parser's `if` without `else` reaches to the next statement, over the directive.
#[test]
fn a_nest_that_ends_with_an_if() {
    for inner in ["if (i > 2) { a[i] = 1; b[i] = 2; }", "if (i > 2) a[i] = 1; else if (i > 1) { b[i] = 2; }"] {
        let kernel = kernel(&format!(
            "void f(int n, int a[n], int b[n])\n{{\n#pragma burstc tile(i:8)\nfor (int i = 0; i < n; i++) {inner}\n\
             #pragma burstc tile(i:4)\nfor (int i = 0; i < n; i++) b[i] = 0;\n}}\n"
        ));
        assert_eq!(bands(&kernel), ["S0 (0, i) S1 (0, i) by [1, 8]", "S2 (1, i) by [1, 4]"], "{inner}");
    }
}

#[test]
fn printed_bands_are_read_again() {
    let text = |directives: &str| {
        format!(
            "void f(int n, int a[n][n], int b[n])\n{{\n{directives}\nfor (int i = n - 1; i >= 0; i -= 2) {{\nb[i] = 0;\n\
             for (int j = 0; j < n; j++) b[i] += a[i][j];\n}}\nb[0]++;\n\
             for (int i = 0; i < n; i++) b[i] *= 2;\n}}\n"
        )
    };
    let first = "#pragma burstc schedule(S0[i] -> (0, i, 0); S1[x,y] -> (0, x, 2*y - n)) tile(1, 8, 4)\n\
                 #pragma burstc schedule(S2[] -> (1); S3[i] -> (n + 2)) tile(1)";
    let written = kernel(&text(first));
    let printed: Vec<String> = written.tilings.iter().map(|t| directive_text(t, &written)).collect();
    assert_eq!(printed[1], "#pragma burstc schedule(S2[] -> (1); S3[i] -> (n + 2)) tile(1)");
    let again = kernel(&text(&printed.join("\n")));
    assert_eq!(bands(&again), bands(&written));
}

/// An order is over the kernel's iterators, whatever the directive calls them, and is printed with the tiles.
#[test]
fn orders_are_read_and_printed() {
    let text = |directive: &str| {
        format!(
            "void f(int n, int a[n][n], int b[n])\n{{\n#pragma burstc {directive}\nfor (int i = n - 1; i >= 0; i--) {{\nb[i] = 0;\n\
             for (int j = 0; j < n; j++) b[i] += a[i][j];\n}}\n}}\n"
        )
    };
    let by_name = "S0[i_step] -> (i_step, 0); S1[i_step,j] -> (i_step, 1, j)";
    for (order, expected) in [
        ("j, i", "S0[i_step] -> (0, i_step); S1[i_step,j] -> (j, i_step)"),
        ("i_step + j, j", "S0[i_step] -> (i_step, 0); S1[i_step,j] -> (i_step + j, j)"),
        (by_name, by_name),
        ("S1[x,y] -> (1, y); S0[i_step] -> (0, i_step)", "S0[i_step] -> (0, i_step); S1[i_step,j] -> (1, j)"),
    ] {
        let kernel = kernel(&text(&format!("tile(i:8, j:4) order({order})")));
        let printed = directive_text(&kernel.tilings[0], &kernel);
        let schedule = "#pragma burstc schedule(S0[i_step] -> (i_step, 0); S1[i_step,j] -> (i_step, j)) tile(8, 4)";
        assert_eq!(printed, format!("{schedule} order({expected})"), "{order}");
        let again = super::kernel(&text(printed.trim_start_matches("#pragma burstc ")));
        assert_eq!(directive_text(&again.tilings[0], &again), printed);
    }
}

/// Schedules name statements without the temporaries that are wires, where the text says so; else all of them.
#[test]
fn bands_of_kernels_with_wires_are_read_again() {
    let text = |pragma: &str| {
        format!(
            "#pragma burstc size(n: max 9)\nvoid f(int n, int a[9], int b[9])\n{{\n{pragma}\nfor (int i = 0; i < n; i++) {{\n\
             int x = a[i] * 3;\nint y = x + a[i];\nb[i] = x * y;\n}}\n}}\n"
        )
    };
    let parsed = |pragma: &str| crate::source::parse(&super::source(&text(pragma)));
    let count = |pragma: &str| parsed(pragma).unwrap().statements().len();
    assert_eq!((count(""), count("#pragma burstc tile(i:4)")), (1, 1));
    let kernel = parsed("#pragma burstc tile(i:4)").unwrap();
    let printed = directive_text(&kernel.tilings[0], &kernel);
    assert_eq!(printed, "#pragma burstc schedule(S0[i] -> (i)) tile(4) wires(all)");
    let again = parsed(&printed).unwrap();
    assert_eq!((again.statements().len(), directive_text(&again.tilings[0], &again)), (1, printed));
    assert_eq!(count("#pragma burstc schedule(S0[i] -> (i); S1[i] -> (i); S2[i] -> (i)) tile(4)"), 3);
    let refused = parsed("#pragma burstc schedule(S0[i] -> (i)) tile(4) wires").unwrap_err();
    assert!(format!("{refused:?}").contains("`(` was expected"), "{refused:?}");
}

#[test]
fn sizes_have_lower_bounds() {
    let parse = |head: &str| {
        let kernel = statement(head, "a[i][j] = 0;");
        let size = &kernel.parameters[0];
        (size.default, size.min, size.max)
    };
    for (head, expected) in [
        ("size(N: 64, min 1, max 1024)", (Some(64), 1, Some(1024))),
        ("size(N: max 1024, 64, min 1)", (Some(64), 1, Some(1024))),
        ("size(N: min 2)", (None, 2, None)),
        ("size(N: min 0, max 0)", (None, 0, Some(0))),
        ("size(N: 7, min 7, max 7)", (Some(7), 7, Some(7))),
        ("size(M: min 5)", (None, 0, None)),
    ] {
        assert_eq!(parse(&format!("#pragma burstc {head}")), expected, "{head}");
    }
    for (head, expected) in [
        ("size(N: 4, min 5)", "the size of `N` is 5 at least and 4 by default"),
        ("size(N: min 5, max 4)", "the size of `N` is 5 at least and 4 at most"),
        ("size(N: 5, min 1, max 4)", "the size of `N` is 5 by default and 4 at most"),
        ("size(N: min 5, min 5)", "a second `min` for `N`"),
        ("size(N: min -1)", "the size of `N` is negative"),
        ("size(N: min)", "a size was expected, and `)` was found"),
    ] {
        let text =
            format!("#pragma burstc {head}\nvoid f(int N, int a[N]) {{ for (int i = 0; i < N; i++) a[i] = 0; }}\n");
        let error = crate::source::parse(&crate::source::Source { path: "f.c".into(), text, cpp_args: vec![] });
        let error = error.unwrap_err();
        assert_eq!(error.downcast_ref::<crate::diagnostic::Diagnostic>().unwrap().message, expected, "{head}");
    }
}

#[test]
fn directives() {
    let tiling = |head: &str| {
        let kernel = statement(head, "a[i][j] = 0;");
        let sizes = kernel.parameters.iter().map(|p| (p.default, p.max)).collect::<Vec<_>>();
        (sizes, kernel.tilings.first().map(|t| (theta_text(t), t.sizes.clone())))
    };
    let none = vec![(None, None), (None, None)];
    let tile = |theta: &str, sizes: &[i64]| Some((theta.to_string(), sizes.to_vec()));
    for (head, expected) in [
        ("", None),
        ("#pragma burstc tile(j : 8,i:4)", tile("j, i", &[8, 4])),
        ("#pragma burstc tile(i: 2 * B, j: (B + 1) * 2) // words", tile("i, j", &[8, 10])),
        ("#pragma burstc \\\n  tile( i:1, /* one */ j:0x10 )", tile("i, j", &[1, 16])),
        ("#pragma burstc schedule((i,j) -> (i + 2*j, i*2)) tile(10, 20)", tile("i + 2*j, 2*i", &[10, 20])),
        ("#pragma burstc tile(B, 5) schedule((i,j)->(-(j - N), - -i+B))", tile("N - j, i + 4", &[4, 5])),
        ("#pragma burstc schedule((i,j)->(j))\n#pragma burstc tile(7)", tile("j", &[7])),
        ("_Pragma(\"burstc tile(i:B, j:2)\")", tile("i, j", &[4, 2])),
        ("#pragma omp parallel", None),
        ("#if 0\n#pragma burstc nonsense\n#endif", None),
    ] {
        assert_eq!(tiling(&format!("#define B 4\n{head}")), (none.clone(), expected), "{head}");
    }
    for (head, expected) in [
        ("#pragma burstc size(N: 5)", [(Some(5), None), (None, None)]),
        ("#pragma burstc size(N: max 5)", [(None, Some(5)), (None, None)]),
        ("#pragma burstc size(N: 5, max 5)", [(Some(5), Some(5)), (None, None)]),
        ("#pragma burstc size(N: 5, max B*B, M: max 7, 3)", [(Some(5), Some(16)), (Some(3), Some(7))]),
        ("#pragma burstc size(N: 5) size(M: 6)", [(Some(5), None), (Some(6), None)]),
        ("#pragma burstc size(N: 5)\n#pragma burstc size(M: 6)", [(Some(5), None), (Some(6), None)]),
    ] {
        assert_eq!(tiling(&format!("#define B 4\n{head}")), (expected.to_vec(), None), "{head}");
    }
}

#[test]
fn layouts_by_tiles() {
    let parse = |head: &str| {
        let text = format!(
            "#pragma burstc {head}\nvoid f(int N, int a[N][N], int b[N][N])\n{{\n    \
             for (int i = 0; i < N; i++)\n        for (int j = 0; j < N; j++)\n            a[i][j] = b[i][j];\n}}\n"
        );
        crate::source::parse(&crate::source::Source { path: "f.c".into(), text, cpp_args: vec![] })
    };
    for (head, expected) in [
        ("stores(all)", [None, None]),
        ("layout(a: tiles)", [Some(23), None]),
        ("layout(b, a: tiles)", [Some(26), Some(23)]),
        ("layout(a: tiles) layout(b: tiles)", [Some(23), Some(40)]),
    ] {
        let kernel = parse(head).unwrap();
        let found: Vec<Option<usize>> = kernel.arrays.iter().map(|array| Some(array.by_tiles?.column)).collect();
        assert_eq!(found, expected, "{head}");
    }
    for (head, expected) in [
        ("layout(a)", "`:` was expected, and `)` was found"),
        ("layout(: tiles)", "an array argument was expected, and `:` was found"),
        ("layout(a: rows)", "`tiles` was expected, and `rows` was found"),
        ("layout(c: tiles)", "`c` is no array argument of `f`"),
        ("layout(a, a: tiles)", "the layout of `a` is declared twice"),
        ("layouts(a: tiles)", "unknown directive `layouts`"),
    ] {
        let error = parse(head).unwrap_err();
        assert_eq!(error.downcast_ref::<crate::diagnostic::Diagnostic>().unwrap().message, expected, "{head}");
    }
}
