//! Whole programs: what becomes the kernel, what its arguments are, and what is said where that is open.

use super::{kernel, source};
use crate::diagnostic::Diagnostic;
use crate::source::program::redefine::redefine;
use crate::source::program::{Choice, Program, choose};
use crate::source::{Source, parse};

fn line(line: usize) -> Choice {
    Choice { line: Some(line), ..Choice::default() }
}

fn function(name: &str) -> Choice {
    Choice { function: Some(name.into()), ..Choice::default() }
}

fn chosen(text: &str, choice: &Choice) -> Program {
    choose(&source(text), choice)
        .unwrap_or_else(|error| panic!("{error}: {:?}\n{text}", error.downcast_ref::<Diagnostic>()))
}

/// The kernel's name and arguments, in the order of the C function: `k(N, 3 x s, a[N], i16 t[4])`.
fn signature(text: &str, choice: &Choice) -> String {
    let program = chosen(text, choice);
    assert_eq!(program.source.text.lines().count(), text.lines().count(), "{}", program.source.text);
    let kernel = match parse(&program.source) {
        Ok(kernel) => kernel,
        Err(error) => panic!("{error}: {:?}\n{}", error.downcast_ref::<Diagnostic>(), program.source.text),
    };
    let argument = |argument: &crate::source::kernel::Argument| match argument {
        crate::source::kernel::Argument::Parameter(p) => format!("size {}", kernel.parameters[*p].name),
        crate::source::kernel::Argument::Scalar(s) => format!("{} {}", kernel.scalars[*s].ty, kernel.scalars[*s].name),
        crate::source::kernel::Argument::Array(a) => {
            let array = &kernel.arrays[*a];
            let extents: Vec<String> = array.extents.iter().map(|extent| format!("[{extent}]")).collect();
            format!("{} {}{}", array.element, array.name, extents.concat())
        }
    };
    format!("{}({})", kernel.name, kernel.arguments.iter().map(argument).collect::<Vec<_>>().join(", "))
}

fn refusal(text: &str, choice: &Choice) -> Diagnostic {
    let refused = choose(&source(text), choice).and_then(|program| {
        parse(&program.source).map_err(|error| match error.downcast::<Diagnostic>() {
            Ok(diagnostic) => program.places.diagnostic(&diagnostic).into(),
            Err(error) => error,
        })
    });
    match refused {
        Ok(kernel) => panic!("accepted as {kernel:?}\n{text}"),
        Err(error) => error.downcast::<Diagnostic>().expect("a diagnostic"),
    }
}

#[test]
fn arguments_of_a_region() {
    let in_main = |globals: &str, before: &str, region: &str, behind: &str| {
        format!(
            "#include <stdio.h>\n{globals}\nint main(int argc, char **argv) {{\n{before}\n#pragma scop\n{region}\n\
             #pragma endscop\n{behind}\nreturn 0;\n}}\n"
        )
    };
    let sum = "for (i = 0; i < 8; i++) s += a[i];";
    for (globals, before, region, behind, expected) in [
        // Constant extents, also of macros and of integers that nothing changes.
        (
            "#define N 8\ndouble a[N][N+1];",
            "int i;",
            "for (i = 0; i < N; i++) a[i][i] = i;",
            "",
            "kernel(double a[8][9])",
        ),
        ("int n = 8; int a[8];", "int i;", "for (i = 0; i < n; i++) a[i] = n;", "", "kernel(int32_t a[8])"),
        ("int a[] = {1, 2, 3};", "", "for (int i = 0; i < 3; i++) a[i] = i;", "", "kernel(int32_t a[3])"),
        // What the program may change is an argument, extents before the arrays.
        (
            "",
            "int n = argc; short a[n];",
            "for (int i = 0; i < n; i++) a[i] = argc;",
            "",
            "kernel(int32_t argc, size n, int16_t a[n])",
        ),
        (
            "int n = 8, i; int a[8];",
            "scanf(\"%d\", &n);",
            "for (i = 0; i < n; i++) a[i] = n;",
            "",
            "kernel(size n, int32_t a[8])",
        ),
        // Scalars: read behind, read before, both, neither.
        (
            "int a[8], s, i;",
            "",
            &format!("s = 0; {sum}"),
            "printf(\"%d\", s);",
            "kernel(int32_t s_out[1], int32_t a[8])",
        ),
        ("int a[8], s, i;", "s = argc;", sum, "printf(\"%d\", s);", "kernel(int32_t s_out[1], int32_t a[8])"),
        ("int a[8], s, i;", "s = argc;", &format!("{sum} a[0] = s;"), "", "kernel(int32_t s_in, int32_t a[8])"),
        (
            "int a[8], s, i;",
            "",
            &format!("s = 0; {sum} a[0] = s;"),
            "s = 1; printf(\"%d\", s);",
            "kernel(int32_t a[8])",
        ),
        // A path behind the region on which nothing is written.
        (
            "int a[8], s, i;",
            "",
            &format!("s = 0; {sum}"),
            "if (argc) s = 1; printf(\"%d\", s);",
            "kernel(int32_t s_out[1], int32_t a[8])",
        ),
        (
            "int a[8], s, i; void show() { printf(\"%d\", s); }",
            "",
            &format!("s = 0; {sum}"),
            "show();",
            "kernel(int32_t s_out[1], int32_t a[8])",
        ),
        // Another name of the variable.
        (
            "int a[8], i;",
            "int s; int *p = &s;",
            &format!("s = 0; {sum}"),
            "printf(\"%d\", *p);",
            "kernel(int32_t s_out[1], int32_t a[8])",
        ),
        // Numbers and tables stay.
        (
            "const int n = 8; static const int w[2] = {1, 2}; int a[8];",
            "int i;",
            "for (i = 0; i < n; i++) a[i] = w[i % 2];",
            "",
            "kernel(int32_t a[8])",
        ),
        // What says where it is stored, and `volatile`, is not the kernel's business.
        (
            "static volatile unsigned char a[8];",
            "register int i;",
            "for (i = 0; i < 8; i++) a[i] = i;",
            "",
            "kernel(uint8_t a[8])",
        ),
        ("typedef float real; real x[4];", "size_t i;", "for (i = 0; i < 4; i++) x[i] = 0;", "", "kernel(float x[4])"),
    ] {
        let text = in_main(globals, before, region, behind);
        assert_eq!(signature(&text, &Choice::default()), expected, "{text}");
    }
}

/// A variable of the file that another file may read behind the function, and that none can.
#[test]
fn variables_that_other_files_see() {
    let text = |globals: &str, body: &str| {
        format!("{globals}\nvoid f(int c[8], int d[8])\n{{\nfor (int i = 0; i < 8; i++) {{ {body} }}\n}}\n")
    };
    let last = "d[i] = c[i]; last = c[i];";
    let has = |text: String| signature(&text, &Choice::default()).contains("last_out[1]");
    assert!(has(text("int last;", last)));
    assert!(has(text("extern int last;", last)));
    assert!(!has(text("static int last;", last)));
    assert!(!has(text("int last;", "for (last = 0; last < 2; last++) d[i] += c[i];")));
    let program = "int main(void) { int c[8] = {1}, d[8]; f(c, d); return d[0]; }";
    assert!(!has(format!("{}{program}\n", text("int last;", last))));
    assert!(has(format!("{}{}\n", text("int last;", last), program.replace("d[0]", "last"))));
}

/// An array that the function keeps is the caller's where it is only updated; others may be filled before they are read.
#[test]
fn arrays_that_functions_keep() {
    let of = |body: &str| {
        let text = format!("void f(int c[8], int d[4])\n{{\nstatic int h[4];\n{body}\n}}\n");
        signature(&text, &Choice::default())
    };
    let behind = "for (int i = 0; i < 4; i++) d[i] = h[i];";
    for first in ["h[c[i] & 3]++;", "h[c[i] & 3] += 2;", "d[i & 3] ^= h[i & 3]; --h[c[i] & 3];"] {
        let kept = of(&format!("for (int i = 0; i < 8; i++) {{ {first} }} {behind}"));
        assert_eq!(kept, "f(int32_t c[8], int32_t d[4], int32_t f_h[4])", "{first}");
    }
    for first in ["h[i] = 2 * c[i];", "d[i] = h[(i + 1) & 3]; h[i] = c[i];"] {
        let filled = of(&format!("for (int i = 0; i < 4; i++) {{ {first} }} {behind}"));
        assert_eq!(filled, "f(int32_t c[8], int32_t d[4])", "{first}");
    }
}

/// A value that a round of the loop around the region leaves for the next.
#[test]
fn rounds_around_a_region() {
    let text = |before: &str| {
        format!(
            "int a[8];\nvoid f(int n) {{\nint s = 0, i;\nwhile (n--) {{\n{before}\n#pragma scop\n\
             for (i = 0; i < 8; i++) {{ s += a[i]; a[i] = s; }}\n#pragma endscop\n}}\n}}\n"
        )
    };
    assert_eq!(signature(&text(""), &Choice::default()), "f(int32_t s_out[1], int32_t a[8])");
    assert_eq!(signature(&text("s = 1;"), &Choice::default()), "f(int32_t s_in, int32_t a[8])");
}

/// What somebody reads behind the region begins as it was, unless the region surely gives it another value.
#[test]
fn what_may_stay_what_it_was() {
    let begins = |region: &str| {
        let text = format!(
            "#include <stdio.h>\nint a[8], s = 5, n;\nint main() {{\nscanf(\"%d\", &n);\n#pragma scop\n{region}\n\
             #pragma endscop\nprintf(\"%d\", s);\nreturn 0;\n}}\n"
        );
        chosen(&text, &Choice::default()).source.text.contains("int s = s_out[0];")
    };
    assert!(begins("for (int i = 0; i < n; i++) s = a[i];"));
    assert!(begins("for (int i = 0; i < 8; i++) { if (a[i] > 5) s = i; a[i] = 0; }"));
    assert!(begins("for (int i = 0; i < n; i++) for (s = 0; s < 8; s++) a[s] = i;"));
    assert!(begins("for (int i = 0; i < 8; i++) { if (a[i] < 0) break; s = a[i]; }"));
    assert!(!begins("for (s = 0; s < n; s++) a[s] = 1;"));
    assert!(!begins("s = a[0]; for (int i = 0; i < n; i++) if (a[i] > s) s = a[i];"));
}

/// Old C lets functions stand without a type.
#[test]
fn functions_without_a_type() {
    let text = "int a[9], b[9];\nstatic helper(x) int x; { return x + 1; }\nmain() {\nint i;\n#pragma scop\n\
                for (i = 0; i < 9; i++) a[i] = b[i];\n#pragma endscop\nreturn 0;\n}\n";
    assert_eq!(signature(text, &Choice::default()), "kernel(int32_t a[9], int32_t b[9])");
    let text = "int a[9];\nfill(int k)\n{ for (int i = 0; i < 9; i++) a[i] = k; return 3; }\nmain() { fill(2); return a[3]; }\n";
    assert!(signature(text, &function("fill")).starts_with("fill("), "{text}");
}

/// Where nobody reads what a region leaves, that is what it was written for.
#[test]
fn regions_for_themselves() {
    for (head, region, expected) in [
        (
            "void f(int n, int b[n]) { int i; int a[n];",
            "for (i = 0; i < n; i++) a[i] = b[i];",
            "f(size n, int32_t b[n], int32_t a[n])",
        ),
        ("void f(int n) { int i, a[n];", "for (i = n - 1; i >= 0; --i) a[i] = i;", "f(size n, int32_t a[n])"),
        ("void f(void) { int i, a;", "for (i = 0; i < 10; ++i) a = 5;", "f(int32_t i_out[1], int32_t a_out[1])"),
        (
            "void f(int n, int b[n]) { int s = 4;",
            "for (int i = 0; i < n; ++i) s += b[i];",
            "f(size n, int32_t b[n], int32_t s_out[1])",
        ),
        // What lives on is enough.
        (
            "void f(int n, int b[n]) { int s, a[n];",
            "for (int i = 0; i < n; ++i) { s = i; a[i] = s; b[i] = a[i]; }",
            "f(size n, int32_t b[n])",
        ),
    ] {
        let text = format!("{head}\n#pragma scop\n{region}\n#pragma endscop\n}}\n");
        assert_eq!(signature(&text, &Choice::default()), expected, "{text}");
    }
}

/// A kernel as it always was stays as it is, whatever else is in the file.
#[test]
fn a_kernel_stays() {
    for text in [
        "void f(int N, int a[N]) { for (int i = 0; i < N; i++) a[i] = i; }\nint main() { return 0; }\n",
        "static const int w[2] = {1, 2};\nvoid f(int a[8]) {\nint i;\n#pragma scop\nfor (i = 0; i < 8; i++)\nif (i > 2)\na[i] = w[1];\n\
         #pragma endscop\n}\n",
        "int unused[10];\nvoid f(int a[8]) { for (int i = 0; i < 8; i++) a[i] = i; }\n",
    ] {
        let program = chosen(text, &Choice::default());
        assert_eq!(program.source.text, text);
        kernel(text);
    }
}

/// What a function returns is the last argument's only element, wherever it returns.
#[test]
fn a_function_that_returns_a_number() {
    let text = "static float best(int n, const float a[n])\n{\n    float s = 0;\n    if (n > 9)\n        return -1;\n    \
                for (int i = 0; i < n; i++)\n        s += a[i];\n    return s;\n}\n";
    let expected = "best(size n, float a[n], float best_result[1])";
    assert_eq!(signature(text, &Choice::default()), expected);
    let program = chosen(text, &Choice::default());
    let lines: Vec<&str> = program.source.text.lines().collect();
    assert_eq!(lines[4].trim(), "{ best_result[0] = -1; return; }");
    assert_eq!(lines[7].trim(), "best_result[0] = s;");
    // Who calls it is blank in the kernel's text.
    let called = format!("{text}int main(void) {{ float a[3] = {{1, 2, 3}}; return (int)best(3, a); }}\n");
    assert_eq!(signature(&called, &Choice::default()), expected);
    let taken =
        text.replace("float s = 0;", "float s = 0, best_result = 1;").replace("return s", "return s * best_result");
    assert_eq!(signature(&taken, &Choice::default()), expected.replace("best_result", "best_result_"));
    let macros = text.replace("return s", "GIVE s").replace("static", "#define GIVE return\nstatic");
    assert!(refusal(&macros, &Choice::default()).message.contains("comes from a macro"));
}

/// An argument that the function changes, and that the extent of another names.
#[test]
fn a_size_that_a_function_changes() {
    for (body, signature_of) in [
        ("int s = 0; while (n--) s += a[n]; return s;", "f(size n, uint8_t a[n], int32_t f_result[1])"),
        ("while (n-- > 0) if (a[n] == 3) goto out; out: return n;", "f(size n, uint8_t a[n], int32_t f_result[1])"),
    ] {
        let text = format!("int f(int n, const unsigned char a[n])\n{{\n{body}\n}}\n");
        assert_eq!(signature(&text, &Choice::default()), signature_of, "{text}");
    }
    let region = "int a[9];\nint main(int n, char **v)\n{\nint b[n];\n#pragma scop\n\
                  while (n--) b[n] = a[3];\n#pragma endscop\nreturn b[0];\n}\n";
    assert_eq!(signature(region, &Choice::default()), "kernel(size n, int32_t b[n], int32_t a[9])");
}

/// A sequence of layers, which has loops in what it calls only.
#[test]
fn a_function_of_calls() {
    let text = |last: &str| {
        format!(
            "static void up(int x[8]) {{ for (int i = 0; i < 8; i++) x[i] += 1; }}\n\
             static void turn(int x[8], int y[8]) {{ for (int i = 0; i < 8; i++) y[i] = x[7 - i]; }}\n\
             void twice(int x[8], int y[8]) {{ up(x); turn(x, y); }}\n{last}"
        )
    };
    assert_eq!(signature(&text(""), &Choice::default()), "twice(int32_t x[8], int32_t y[8])");
    assert_eq!(
        signature(&text("int main(void) { int x[8] = {0}, y[8]; twice(x, y); return y[0]; }\n"), &Choice::default()),
        "twice(int32_t x[8], int32_t y[8])"
    );
    let more = "void thrice(int x[8], int y[8]) { twice(x, y); up(y); }\n";
    assert_eq!(signature(&text(more), &Choice::default()), "thrice(int32_t x[8], int32_t y[8])");
    let apart = "void other(int x[8]) { up(x); }\n";
    let refused = refusal(&text(apart), &Choice::default());
    assert!(refused.help.contains("--function twice, --function other"), "{refused:?}");
}

#[test]
fn choices() {
    let text = "int a[8], b[8];\nvoid f() {\nint i;\n#pragma scop\nfor (i = 0; i < 8; i++) a[i] = i;\n#pragma endscop\n\
                for (i = 0; i < 8; i++) a[i] += 1;\n#pragma scop\nfor (i = 0; i < 8; i++) b[i] = i;\n#pragma endscop\n}\n\
                void g(int c[4]) {\nfor (int i = 0; i < 4; i++) c[i] = i;\n}\n\
                int main() { f();\nfor (int i = 0; i < 8; i++)\na[i] = 2;\nreturn a[0] + b[0]; }\n";
    for (choice, expected) in [
        (line(5), "f(int32_t a[8])"),
        (line(4), "f(int32_t a[8])"),
        (line(9), "f(int32_t b[8])"),
        (line(10), "f(int32_t b[8])"),
        (line(7), "f(int32_t a[8])"),
        (line(13), "g(int32_t c[4])"),
        (line(17), "kernel(int32_t a[8])"),
        (function("g"), "g(int32_t c[4])"),
    ] {
        assert_eq!(signature(text, &choice), expected, "{choice:?}");
    }
    let several = refusal(text, &Choice::default());
    assert_eq!(several.message, "the file has several regions with `#pragma scop`");
    for part in ["--region 4", "--region 8", "--function g"] {
        assert!(several.help.contains(part), "{}", several.help);
    }
    assert!(refusal(text, &line(3)).help.contains("--region 4"));
    assert!(refusal(text, &function("ff")).help.contains("did you mean `f`?"));
    // `main` alone, with one loop and with several.
    let one = "int a[8];\nint main() {\nfor (int i = 0; i < 8; i++) a[i] = 2;\nreturn 0; }\n";
    assert_eq!(signature(one, &Choice::default()), "kernel(int32_t a[8])");
    let two = one.replace("return", "for (int i = 0; i < 8; i++) a[i] = 3;\nreturn");
    assert!(refusal(&two, &Choice::default()).help.contains("--region 4 (a loop of `main`)"));
}

/// A function without arguments is no kernel: what it declares around its region are the arguments.
#[test]
fn silent_functions() {
    let text = "struct s { int a; struct { int b[2]; }; };\nvoid foo()\n{\nstruct s s[10], t;\n#pragma scop\n\
                for (int i = 0; i < 10; i++) s[i].b[1] = t.a;\n#pragma endscop\n}\n";
    assert_eq!(signature(text, &Choice::default()), "foo(int32_t s[10][3], int32_t t_out[1][3])");
}

/// Places are the user's, on the lines that were written anew, too.
#[test]
fn places() {
    let text = "int n;\nlong double a[8];\nint main() { int i;\n#pragma scop\n\tfor (i = 0; i < 8; i++)\n\t\ta[i] = i;\n\
                #pragma endscop\nreturn 0; }\n";
    let refused = refusal(text, &Choice::default());
    let span = refused.span.unwrap();
    assert_eq!((span.line, span.column), (2, 13), "{refused:?}");
    let text = text.replace("long double", "int").replace("a[i] = i", "a[i * i] = i");
    let span = refusal(&text, &Choice::default()).span.unwrap();
    assert_eq!((span.line, span.column), (6, 5));
    let one = "int a[8];\nint main() { for (int i = 0; i < 8; i++) a[i * i] = 2; return 0; }\n";
    let span = refusal(one, &Choice::default()).span.unwrap();
    assert_eq!((span.line, span.column), (2, 44));
}

/// What the parser cannot read, and headers that are missing, where the kernel needs nothing of them.
#[test]
fn foreign_text() {
    let kernel =
        "int a[8];\nint main() {\n#pragma scop\nfor (int i = 0; i < 8; i++) a[i] = 2;\n#pragma endscop\nreturn 0; }\n";
    for more in [
        "#include <no/such/header.h>\n",
        "int f(x) int x; { return ({ int y = x; y; }); }\n",
        "__int128 wide(void) { return __extension__ ({ 5; }); }\n",
        "#include <omp.h>\n#include <math.h>\n#include <unistd.h>\n",
    ] {
        assert_eq!(signature(&format!("{more}{kernel}"), &Choice::default()), "kernel(int32_t a[8])", "{more}");
    }
    let notes = chosen(&format!("#include <no/such/header.h>\n{kernel}"), &Choice::default()).notes;
    assert_eq!(notes, ["line 1: <no/such/header.h> is not installed, and is left out"]);
    // A header that is there, and needs one that is not.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("there.h"), "#include \"such.h\"\n").unwrap();
    let path = folder.path().join("program.c").to_string_lossy().into_owned();
    let user = Source { path, ..source(&format!("#include \"there.h\"\n{kernel}")) };
    let error = choose(&user, &Choice::default()).map(|program| program.notes).unwrap_err();
    assert!(error.to_string().contains("such.h: No such file"), "{error:#}");
    let needs = format!("#include \"such.h\"\n{}", kernel.replace("a[i] = 2", "a[i] = SUCH"));
    // Also of a file that is one function.
    let one = "#include \"such.h\"\nvoid f(such_t a[8]) { for (int i = 0; i < 8; i++) a[i] = 2; }\n".to_string();
    for needs in [needs, one] {
        let found = refusal(&needs, &Choice::default());
        assert!(found.message.contains("such.h: No such file"), "{found:?}");
        assert!(found.help.contains("the folder of `such.h` with `-I FOLDER`"), "{found:?}");
        assert_eq!(found.span.map(|span| span.line), Some(1));
    }
}

#[test]
fn redefined_macros() {
    let mut text = source("#define N 100 /* all */\n#define M(x) x\n#ifdef A\n#define N \\\n 5\n#endif\nint a[N];\n");
    redefine(&mut text, "N", "7").unwrap();
    assert_eq!(text.text, "#define N 7 /* all */\n#define M(x) x\n#ifdef A\n#define N 7\\\n\n#endif\nint a[N];\n");
    let error = |name: &str| redefine(&mut Source { ..text.clone() }, name, "1").unwrap_err();
    assert!(error("M").message.contains("takes arguments"));
    assert!(error("K").help.contains("it defines N"));
}

/// Helpers that take pointers, by what becomes of their statements: the element that is written and the place of the text.
#[test]
fn helpers_with_pointers() {
    let with = |helper: &str, call: &str| {
        format!(
            "int g;\n{helper}\nvoid k(int a[8], int b[4][8], float f[8], _Bool t[8], int i_in[1]) {{\nint i, s;\n\
                 for (i = 0; i < 4; i++) {{\n{call}\n}}\n}}\n"
        )
    };
    let put = "static void put(int *p, int v) { int i = 2; p[i] = v; *p = v + i; }";
    for (helper, call, expected) in [
        (put, "put(a, i);", "a[2] a[0]"),
        (put, "put(b[i], i);", "b[i, 2] b[i, 0]"),
        (put, "put(&b[i][1], i);", "b[i, 3] b[i, 1]"),
        (put, "put(a + i, i);", "a[i + 2] a[i]"),
        (put, "put(&a[i], i); put(a, 3);", "a[i + 2] a[i] a[2] a[0]"),
        (
            "static void rows(int n, int p[][8]) { for (int j = 0; j < n; j++) p[j][n] = n; }",
            "rows(3, b);",
            "b[j_1_1, 3]",
        ),
        (
            "static void in(int *p) { p[1] = 1; } static void out(int *p) { in(&p[2]); in(p); }",
            "out(b[i]);",
            "b[i, 3] b[i, 1]",
        ),
        ("static void early(int n, int *p) { if (n > 2) return; p[n] = 1; }", "early(i, a);", "a[i]"),
        ("static void step(int *p) { p++; p[0] = 1; *p++ = 2; *p = 3; }", "step(&a[i]);", "a[i + 1] a[i + 1] a[i + 2]"),
        ("static int first(int *p) { int r = p[0]; return r + 1; }", "b[i][0] = first(a);", "b[i, 0]"),
    ] {
        let text = with(helper, call);
        let kernel = kernel(&text);
        let write = |statement: &&crate::source::kernel::Statement| {
            let subscripts: Vec<String> = statement.target.subscripts.iter().map(|s| s.to_string()).collect();
            format!("{}[{}]", kernel.arrays[statement.target.array].name, subscripts.join(", "))
        };
        let statements = kernel.statements();
        let written: Vec<String> = statements.iter().map(write).filter(|write| !write.contains("[]")).collect();
        assert_eq!(written.join(" "), expected, "{text}");
    }
    // What could mean something else stays a call.
    for (helper, call) in [
        (put, "put((int *)f, i);"),
        ("static void flags(unsigned char *p) { p[0] = 2; }", "flags(t);"),
        ("static void rows(int p[][4]) { p[1][0] = 1; }", "rows(b);"),
        ("static void hidden(int *p) { p[0] = g; }", "int g = i; hidden(a);"),
        ("static void again(int *p) { again(p); p[0] = 1; }", "again(a);"),
        ("static void two(int *p, int *q) { *p = 1; q[0] = 2; }", "s = 0; two(&s, &a[s]);"),
    ] {
        let text = with(helper, call);
        let refused = refusal(&text, &Choice::default());
        assert!(
            refused.message.contains("function calls") || refused.message.contains("calls itself"),
            "{refused:?}\n{text}"
        );
    }
}

/// An argument is a pointer, of which `sizeof` would tell another size.
#[test]
fn sizes_of_arrays_that_become_arguments() {
    let text = "#include <string.h>\n#define COUNT(a) (sizeof(a) / sizeof((a)[0]))\nstatic int hist[8], image[4][6], copy[4][6];\n\
                static const short table[] = {1, 2, 3};\nstatic void clear(void) { memset(hist, 0, sizeof hist); }\n\
                static void work(void)\n{\nclear();\nmemcpy(copy, image, sizeof(image));\n\
                for (unsigned i = 0; i < COUNT(table); i++) hist[i] += table[i] + sizeof image[0];\n}\n\
                int main(void) { work(); return hist[3] + copy[1][1]; }\n";
    assert_eq!(signature(text, &Choice::default()), "work(int32_t copy[4][6], int32_t image[4][6], int32_t hist[8])");
    let made = chosen(text, &Choice::default()).source.text;
    assert!(made.contains("sizeof (int[8])") || made.contains("sizeof (int [8])"), "{made}");
    assert!(made.contains("sizeof(int[4][6])") || made.contains("sizeof(int [4][6])"), "{made}");
    // In a macro's text they are those of an array that is like it.
    for (asked, macros) in [
        ("COUNT(hist)", ""),
        ("COUNT( hist )", ""),
        ("(int)COUNT(hist)", ""),
        ("LEN(hist)", "#define LEN(x) (sizeof x / sizeof *x)"),
        ("BINS", "#define BINS (sizeof hist / sizeof(hist[0]))"),
        ("BINS", "#define ALL(x) sizeof(x)\n#define BINS (sizeof(hist) / sizeof(int))"),
        ("MIN(COUNT(hist), 7)", "#define MIN(a, b) ((a) < (b) ? (a) : (b))"),
        ("HALF(hist, 2)", "#define HALF(a, n) (COUNT(a) / n)\n#define COUNT_OF(a) 1"),
    ] {
        let own = text.replace("COUNT(table)", asked).replace("table[i]", "table[i % 3]");
        let own = own.replace("#define", &format!("{macros}\n#define"));
        match asked.starts_with("HALF") {
            // Not itself, but another macro in it.
            true => assert!(refusal(&own, &Choice::default()).message.contains("is the size of a pointer")),
            false => assert!(signature(&own, &Choice::default()).contains("hist[8]"), "{asked}"),
        }
    }
    let both = text.replace("(sizeof(a) / sizeof((a)[0]))", "(sizeof(a) / sizeof((a)[0]) + (a)[0])");
    let both = both.replace("COUNT(table)", "COUNT(hist)");
    assert!(refusal(&both, &Choice::default()).message.contains("is the size of a pointer"));
}

/// What a C program prints.
fn printed(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (c, binary) = (folder.path().join("program.c"), folder.path().join("program"));
    std::fs::write(&c, text).unwrap();
    let cc = std::process::Command::new(crate::source::compiler())
        .args(["-std=gnu11", "-w", "-fwrapv", "-o"])
        .args([&binary, &c])
        .output()
        .unwrap();
    assert!(cc.status.success(), "{}\n{text}", String::from_utf8_lossy(&cc.stderr));
    String::from_utf8(std::process::Command::new(&binary).output().unwrap().stdout).unwrap()
}

/// The kernel that is taken out of a file leaves what the file's own function does: in its arrays, in the variable `m` of the file, and in
/// what helpers keep, also where it returns early.
#[test]
fn kernels_leave_what_their_functions_do() {
    let helper = "static unsigned h(unsigned a) { m += a; return m; }";
    let globals = [
        format!("unsigned m; {helper} void f(const unsigned x[8], unsigned y[8]) {{ y[0] = h(x[0]); if (x[1] & 1) return; y[1] = 3; }}"),
        "unsigned m; void f(const unsigned x[8], unsigned y[8]) { for (int i = 0; i < 8; i++) { m += x[i]; if (x[i] > 8) return; y[i] = m; } }".to_string(),
        format!("unsigned m; {helper} int f(const unsigned x[8], unsigned y[8]) {{ for (int i = 0; i < 8; i++) {{ if (h(x[i]) % 5 == 0) return i; y[i] = m; }} return -1; }}"),
        "unsigned m; void f(const unsigned x[8], unsigned y[8]) { for (int i = 0; i < 8; i++) { if (x[i] > 9) return; y[i]++; } m = y[1]; return; }".to_string(),
        "unsigned m; static unsigned h(unsigned v) { if (v & 1) { static unsigned c; c += v; return c; } else { static unsigned c; c ^= v; return c + m; } }\nvoid f(const unsigned x[8], unsigned y[8]) { for (int i = 0; i < 8; i++) y[i] = 3 * h(x[i]); m ^= y[3]; }".to_string(),
        "unsigned m; static unsigned h(unsigned v) { unsigned r; { static unsigned t[4]; r = t[v & 3]++; } { static unsigned t[4]; t[v & 1] += 7; r += t[0]; } return r; }\nstatic unsigned h_t(unsigned v) { static unsigned t; t += v; return t; }\nvoid f(const unsigned x[8], unsigned y[8]) { for (int i = 0; i < 8; i++) y[i] = h(x[i]) + h_t(i); m += y[2]; }".to_string(),
    ];
    // What comes first in an expression, with calls in it.
    let bodies = [
        "if (x[i] < 5 || (h(x[i]), m & 1)) y[i] = 3; else y[i] = m;",
        "y[i] = x[i] + (m++, h(3));",
        "switch (m++, h(x[i]) & 3) { case 0: y[i] = 1; break; case 2: y[i] = m; break; default: y[i] += 2; }",
        "unsigned t; if (!((t = h(x[i])) & 1) && (t >>= 1, t > 20)) y[i] = t; else y[i] = ~t;",
        "unsigned t = 5 ^ (m ^= 3, h(x[i])), r = 1; y[i] = (r = h(t) & 255) + x[i]; m += r;",
        "static unsigned k; k += h(x[i]); y[i] = k ^ m;",
    ];
    let globals = globals.into_iter().chain(bodies.map(|body| {
        format!("unsigned m; {helper} void f(const unsigned x[8], unsigned y[8]) {{ for (int i = 0; i < 8; i++) {{ {body} }} }}")
    }));
    let characters = "#include <ctype.h>\nunsigned m; void f(const unsigned x[8], unsigned y[8]) { for (int i = 0; i < 8; i++) { \
                      int c = (x[i] * 37 + m) & 127; m += c; y[i] = toupper(c) * 3 + tolower(c); \
                      if (isdigit(c) || isspace(c)) y[i] += 1; if (isalpha(c) && !isupper(c)) y[i] += 256; \
                      if (isxdigit(c) || ispunct(c)) y[i] += 512; if (iscntrl(c) || isblank(c) || !isprint(c)) y[i] += 1024; \
                      if (isalnum(c) || islower(c) || isgraph(c)) y[i] += 2048; } }";
    let globals = globals.chain([characters.to_string()]);
    let kept = "static unsigned m; void f(const unsigned x[8], unsigned y[8]) { for (int i = 0; i < 8; i++) { m += x[i]; y[i] = m; } }";
    let globals = globals.chain([kept.to_string()]);
    let data = "unsigned x[8] = {1, 4, 3, 8, 9, 12, 7, 15}, y[8] = {2, 3, 5, 7, 11, 13, 17, 19};";
    for text in globals {
        let shown = "for (int i = 0; i < 8; i++) printf(\"%u \", y[i]); printf(\"%u\\n\"";
        let own = format!("#include <stdio.h>\n{text}\nint main(void) {{ {data} m = 40; f(x, y); {shown}, m); }}\n");
        let choice = crate::source::program::Choice::default();
        let program = crate::source::program::choose(&source(&format!("{text}\n")), &choice)
            .unwrap_or_else(|e| panic!("{e}: {text}"));
        let kernel = &program.source.text;
        let begin = kernel.find("void f(").expect(kernel) + "void f(".len();
        let arguments =
            kernel[begin..].split_once(')').expect(kernel).0.split(',').enumerate().map(|(place, argument)| {
                let (name, is_array) = argument.split_once('[').map_or((argument, false), |(name, _)| (name, true));
                match name.split_whitespace().last().unwrap_or_default() {
                    "x" => "x".to_string(),
                    "y" => "y".to_string(),
                    "m_out" | "m" => "&m_now".to_string(),
                    "m_in" => "m_now".to_string(),
                    _ if is_array => format!("(void *)others[{place}]"),
                    _ => "0".to_string(),
                }
            });
        let call = arguments.collect::<Vec<_>>().join(", ");
        let taken = format!(
            "#include <stdio.h>\n{kernel}\nint main(void) {{ {data} unsigned m_now = 40; static unsigned others[16][16]; f({call}); {shown}, m_now); }}\n"
        );
        assert_eq!(printed(&taken), printed(&own), "{kernel}");
    }
}

/// What a helper keeps and nobody writes begins at 0 and stays so: no argument of the kernel.
#[test]
fn what_is_kept_and_never_written_is_constant() {
    let text = "static int h(int i) { static int t[4]; static int z; static int w[2] = {3, 5}; return t[i & 3] + z + w[i & 1]; }\n\
                void f(const int x[8], int y[8]) { for (int i = 0; i < 8; i++) y[i] = h(x[i]); }\n";
    let choice = crate::source::program::Choice::default();
    let program = crate::source::program::choose(&source(text), &choice).expect(text);
    let kernel = program.source.text;
    let begin = kernel.find("void f(").expect(text);
    let arguments = kernel[begin..].split_once(')').expect(text).0;
    assert_eq!(arguments.matches(',').count(), 1, "{kernel}");
}
