//! Everything that is refused: each case shows where the diagnostic points and what it says.

use std::path::Path;

use super::{diagnostic, source};
use crate::diagnostic::{Diagnostic, Span};
use crate::source::{Source, parse};

/// Refuses `text`, in which `«…»` surrounds the marked place; `message` is part of what is said.
fn refuse(text: &str, message: &str) -> Diagnostic {
    let plain: String = text.chars().filter(|c| !matches!(c, '«' | '»')).collect();
    let expected = text.find('«').map(|start| {
        let before = &text[..start];
        let marked = text[start..].chars().skip(1).take_while(|c| *c != '»');
        Span {
            line: before.matches('\n').count() + 1,
            column: before.chars().rev().take_while(|c| *c != '\n').count() + 1,
            length: marked.count(),
        }
    });
    let found = diagnostic(&plain);
    assert!(found.message.contains(message), "expected {message:?}\nfound {found:?}\n{text}");
    assert_eq!(found.span, expected, "{found:?}\n{text}");
    assert!(!found.help.is_empty() && (found.span.is_none() || !found.label.is_empty()), "{found:?}");
    found
}

/// Refuses a statement inside loops over i and j.
fn refuse_statement(text: &str, message: &str) {
    refuse(
        &format!(
            "#include <stdint.h>\nint global;\nstatic int recursive(int x) {{ return x ? recursive(x - 1) : 0; }}\n\
             static int pointed(int *x) {{ return *x; }}\nint shown(void *x);\nstatic int looping(int x) {{ for (;;) x++; return x; }}\n\
             static int forgetful(int x) {{ if (x) return 1; }}\n\
             static int counting(int x) {{ static int n; return n += x; }}\n\
             static int touching(int x) {{ global = x; return x; }}\n\
             static int reading(int x) {{ return global + x; }}\nstatic void nothing(int x) {{ }}\n\
             static int square(int x) {{ return x * x; }}\nvoid f(int N, int s, int32_t a[N], int32_t b[N][N])\n{{\n    int k;\n    \
             for (int i = 0; i < N; i++)\n        for (int j = 0; j < N; j++)\n            {text}\n}}\n"
        ),
        message,
    );
}

/// Refuses a loop's head.
fn refuse_loop(head: &str, message: &str) {
    refuse(
        &format!(
            "void f(int N, int s, int a[N])\n{{\n    int i, k;\n    for (int o = 0; o < N; o++)\n        {head}\n            \
             a[o] = 0;\n}}\n"
        ),
        message,
    );
}

/// Refuses an argument list.
fn refuse_arguments(arguments: &str, message: &str) {
    refuse(
        &format!(
            "#include <stdint.h>\ntypedef int callback(int);\nstruct s {{ int x; }};\n\
             struct mixed {{ int x; double y; }}; struct list {{ int x; struct list *next; }};\n\
             struct fields {{ int x : 3, y : 5; }}; struct spread {{ int x, y; }} __attribute__((aligned(16)));\n\
             union both {{ int x; float y; }};\nenum e {{ E }};\nvoid f({arguments})\n{{\n    \
             for (int i = 0; i < 8; i++)\n        ;\n}}\n"
        ),
        message,
    );
}

/// Refuses a directive before a matrix kernel.
fn refuse_directive(directive: &str, message: &str) -> Diagnostic {
    refuse(
        &format!(
            "#define HALF 0.5\n#define TILE 8\n{directive}\n\
             void f(int N, int8_size M, int s, int a[N][M])\n{{\n    for (int i = 0; i < N; i++)\n        \
             for (int j = 0; j < M; j++)\n            a[i][j] = s;\n}}\n"
        )
        .replace("int8_size", "signed char"),
        message,
    )
}

#[test]
fn subscripts() {
    for (text, message) in [
        ("a[«i * j»] = 1;", "it multiplies variables"),
        ("a[«i * i»] = 1;", "it multiplies variables"),
        ("a[1 + «i * N» + j] = 1;", "it multiplies variables"),
        ("a[i] = b[i][«s»];", "no array extent makes it a size"),
        ("a[«1 << i»] = 1;", "it shifts by a variable"),
        ("a[«i & j»] = 1;", "it uses bits"),
        ("a[«i << 2 | j»] = 1;", "it uses bits"),
        ("a[«i / j»] = 1;", "it divides, and not by a constant"),
        ("a[«i >> j»] = 1;", "it shifts by a variable"),
        ("a[«s ? i : j»] = 1;", "it chooses between two values"),
        ("a[«i * j» < j] = 1;", "it multiplies variables"),
        ("a[«i++» + i] = 1;", "it changes a variable"),
        ("a[(int)«(float)i»] = 1;", "it casts to a type that may not hold the value"),
        ("a[«*&s»] = 1;", "it uses a pointer"),
        ("a[«s»] = 1;", "no array extent makes it a size"),
        ("a[«k»] = 1;", "`k` is a local variable"),
        ("a[«global»] = 1;", "neither an argument"),
        ("a[«99999999999999»] = 1;", "too large"),
        ("a[«~0x7fffffffffffffff»] = 1;", "it uses bits"),
        ("a[«i * 1099511627776 * -8388608»] = 1;", "too large"),
        ("a[«(1099511627776 + i) * 1099511627776»] = 1;", "too large"),
        ("a[i] = «b[i]»;", "has 2 dimensions and is given 1 subscript"),
        ("a[i] = 0 != «a»;", "without subscripts"),
    ] {
        refuse_statement(text, message);
    }
}

#[test]
fn statements() {
    for (text, message) in [
        ("if («i - 9u < 4294967290u») a[i] = 1;", "`i - 9` wraps around below 0: for N = 1, i = 0, j = 0 it is -9"),
        ("while («i < j») a[i] = 1;", "changes nothing that its condition names"),
        ("do a[i] = 1; while («a[i]»);", "ends where data tell"),
        ("«switch» (i) { case 1: if (j) { case 2: a[i] = 1; } }", "`switch` statements"),
        ("«switch» (i) { case 1: a[j] = 2; int x; case 2: x = 3; a[i] = x; }", "`switch` statements"),
        ("«switch» (i) { case 4294967297: a[i] = 1; }", "`switch` statements"),
        ("«switch» (i) { case -4294967295: a[i] = 1; }", "`switch` statements"),
        ("«switch» (i) { case 1ll << 32: a[i] = 1; }", "`switch` statements"),
        ("«switch» (i) { case 0 ... 4294967295: a[i] = 1; }", "`switch` statements"),
        ("«switch» (a[i]++) { case 1: a[i] = 1; }", "`switch` statements"),
        ("here: a[i] = 1; «goto» here;", "`goto`"),
        ("«__asm__»(\"nop\");", "assembly"),
        ("«global» = 1;", "assigns the variable `global`"),
        ("«a» = 0;", "assigns the array `a`"),
        ("«*&s» = 1;", "assigns through a pointer"),
        ("«((struct { int x; } *)a)->x» = 1;", "assigns something that is no array element"),
        ("«f(N, s, a, b)»;", "the function `f` calls itself"),
        ("k = 0; a[k] = «k++»;", "an expression changes a variable"),
        ("a[i] = «__builtin_abs(i)»;", "function calls"),
        (
            "a[i] = 2 * «exp(b[i][j])»;",
            "`exp` is computed by the host before the run, and here it depends on the array `b`",
        ),
        (
            "a[i] = «powf(s, i - 1)»;",
            "`powf` is computed by the host before the run, and here it depends on the iterator `i`",
        ),
        ("a[i] = «*&s»;", "pointers"),
        ("a[i] = «k»;", "`k` is a local variable"),
        ("a[i] = «global»;", "neither an argument"),
        ("a[i] = («long double»)i;", "a cast to the type `long double`"),
        ("a[i] = «sizeof a»;", "`sizeof a` of an argument is the size of a pointer"),
        ("a[i] = «'ab'»;", "the character constant"),
        ("a[i] = «L'a'»;", "the character constant"),
        ("a[i] = s / «0»;", "a division by zero"),
        ("a[i] %= «(1 - 1)»;", "a division by zero"),
        ("a[i] = s << «32»;", "a value of 32 bits is shifted by 32"),
        ("a[i] >>= «-1»;", "a value of 32 bits is shifted by -1"),
        ("{ int «t[2][2] = {[1] = {1, 2}, [1] = i}»; a[j] = t[0][0]; }", "the local array `t` has an initializer"),
        ("{ int «t = {0}»; t++; a[j] = t; }", "has an initializer list"),
        ("{ int t[«i + 1»]; t[0] = 1; a[j] = t[0]; }", "it is not the same in all iterations"),
        ("{ int t[«0»]; t[0] = 1; a[j] = t[0]; }", "has an extent of 0"),
        ("{ int «*t»; a[j] = 0; }", "the local variable `t` is a pointer"),
        ("{ int «*t = &s»; t[j] = 0; }", "the local variable `t` is a pointer"),
        ("{ int «*t[2] = {a, a}»; t[0][j] = 0; }", "the local array `t` holds pointers"),
        ("{ int *t = a; t = «b[i]»; t[j] = 0; }", "the pointer `t` points into the array `a` and into `b`"),
        ("{ short *t = «(short *)a»; t[j] = 0; }", "points into the array `a`, which has the type `int32_t`"),
        ("{ int *t = a; a[j] = shown(«t»); }", "the pointer `t` is more than a place whose elements are used"),
        ("{ int *t = a; a[j] = «sizeof t»; t++; }", "does not know the size of this"),
        ("{ int *t = a, *e = b[i]; if («t < e») t[j] = 0; }", "is compared with one in `b`"),
        ("{ «static» int t; t++; a[j] = t; }", "keeps its value between calls"),
        ("{ int t; a[j] = «t»; }", "never given a value"),
        // The loop goes through all that `t` may be; behind it, data tell.
        (
            "{ int t; for (t = 0; t < (b[i][j] & 1 ? 3 : 6); t++) a[j] += t; a[j] += «t»; }",
            "whose value is not known here",
        ),
        ("a[i] = «recursive(i)»;", "calls itself"),
        ("a[i] = «pointed(b)» + 1;", "another shape than the array"),
        ("a[i] = «forgetful(i)»;", "may end without a value"),
        ("a[i] = «counting(i)»;", "keeps a variable between calls"),
        ("a[i] = «touching(i)»;", "changes what is not its own"),
        ("a[i] = «reading(i)»;", "uses `global`"),
        ("a[«square(i)»] = 1;", "the function's value is not"),
        ("a[i] = «0x1p-1» && s;", "floating-point constant"),
        ("{ long double «t»; a[j] = 0; }", "`long double`"),
        ("{ struct { int x; } t = {1}; a[j] = «shown(&t)»; }", "a structure goes to `shown`, whose body"),
        (
            "{ struct w { int k; } v[2], t; t.k = 0; v[0] = v[1] = t; «struct w *q = &v[t.k];» t.k = 1; a[j] = q->k; }",
            "the pointer `q` moves through local structures",
        ),
        (
            "{ struct w { int k; } v[2]; int u[2] = {0}; v[1].k = 3; «struct w *q = &v[u[0]];» u[0] = 1; a[j] = q->k; }",
            "the pointer `q` moves through local structures",
        ),
        ("{ «static struct { int x; } t;» t.x = 1; a[j] = t.x; }", "a structure that outlives the kernel"),
        (
            "{ «struct { int x; } t = {1}, *p = &t;» p++; a[j] = p->x; }",
            "the pointer `p` moves through local structures",
        ),
    ] {
        refuse_statement(text, message);
    }
}

#[test]
fn loops() {
    for (text, message) in [
        ("for (i = 0; i < N; «i += s»)", "the step of the loop over `i` adds no constant"),
        ("for (i = 0; i < N; «i += 0»)", "the step of the loop over `i` adds no constant"),
        ("for (i = N; «i < N»; i--)", "has no lower bound"),
        ("for (i = 0; «i < i + 1»; i++)", "has no upper bound"),
        ("for (i = 0; «i / 2 < N»; i++)", "has no upper bound"),
        ("for (i = 0; «i < (i + o > 2 ? i + o : 2)»; i++)", "ends at the largest of several values"),
        ("for (i = 0; i < «(a[o] > 2 ? o : 2)»; i++)", "nothing says how far it runs"),
        ("for (unsigned j = N; «j >= 0»; j--)", "never ends"),
        ("«for (i = 0; i < N; i *= 2)»", "more than 32 iterations"),
        ("for (i = 1; «i < a[0]»; i *= 2)", "data decide where it ends"),
        ("for (i = 1; i < N; «i *= s»)", "`i` becomes no constant"),
        ("for (i = 0; i < N; «k++»)", "this is no step"),
        ("for (i = 0; i < N; i++, «i++»)", "changes `i` twice"),
        ("for (i = 0; i < N; i++, «k = i»)", "changes what it does not begin"),
        ("for (i = 0; «i < N»;)", "changes nothing that its condition names"),
        ("«for (i = 0; ; i++)»", "has no end"),
        ("for (; «i < N»; i++)", "whose start or step is not known"),
        ("for («i++;» i < N; i++)", "does not begin by setting its iterator"),
        ("for (int i = 0, j = «a[o]»; i < N; i++, j++)", "depends on the contents"),
        ("for («int i;» i < N; i++)", "has no integer start"),
        ("for («float i = 0;» i < N; i++)", "integers only"),
        ("for («a[0]» = 0; a[0] < N; a[0]++)", "the iterator is no variable"),
        ("for («o» = 0; o < N; o++)", "two nested loops count with `o`"),
        ("for (i = 0; «i != N»; i += 2)", "steps over the bound that it compares with `!=`"),
        ("for (i = 0; «i > N»; i++)", "no upper bound"),
        ("for (i = 0; «N <= i»; i++)", "no upper bound"),
        ("for (i = 0; «i < i»; i++)", "no upper bound"),
        ("for (i = 0; «N»; i++)", "has no upper bound"),
        ("for (i = 0; i < «a[o]»; i++)", "nothing says how far it runs"),
        ("for (i = 0; i < «o * N»; i++)", "it multiplies variables"),
        ("for (i = 0; i < «k»; i++)", "`k` is a local variable"),
    ] {
        refuse_loop(text, message);
    }
}

#[test]
fn macros_that_double() {
    let macros: String = (1..24).map(|k| format!("#define M{k}(x) (M{}(x) + M{}(x))\n", k - 1, k - 1)).collect();
    let text =
        format!("#define M0(x) (x)\n{macros}void f(int a[8]) {{ for (int i = 0; i < 8; i++) a[i] = M23(i); }}\n");
    let refused = super::diagnostic(&text);
    // Of a compiler that is short of time, too.
    let is_told =
        ["more than 192 MB", "more than 10 seconds", "MB of the file"].iter().any(|t| refused.message.contains(t));
    assert!(is_told, "{refused:?}");
    assert_eq!(refused.span.map(|span| span.line), Some(25), "{refused:?}");
}

#[test]
fn arguments() {
    for (text, message) in [
        ("int N, «int *a»", "the argument `a` is a pointer: it may alias"),
        ("int N, «int *restrict a»", "the argument `a` is a pointer: its extent is unknown"),
        ("int N, «int (*a)[8]»", "the argument `a` is a pointer"),
        ("int N, «int *a[8]»", "the argument `a` points to pointers"),
        ("int N, «int **a»", "the argument `a` points to pointers"),
        ("int N, int a«[]»", "the argument `a` is a pointer"),
        ("int N, int a«[]»[8]", "the argument `a` is a pointer"),
        ("int N, int (*a)«[]»", "a dimension without extent"),
        ("«long double x», int a[8]", "the argument `x` has the type `long double`"),
        ("«_Complex double a[8]»", "the argument `a` has a complex"),
        ("«struct s x», int a[8]", "the argument `x` is a structure"),
        ("«struct mixed a[8]»", "has members of several types: the type `int32_t` and the type `double`"),
        ("«struct list *a»", "has the member `next`, which is a pointer"),
        ("«struct fields a[8]»", "has bit-fields"),
        ("«struct spread a[8]»", "has attributes, which may move its members"),
        ("«union both a[8]»", "is a union: its members share memory"),
        ("«enum { X = 1 + 1 } a[8]»", "an enumeration type whose values are no plain integers"),
        ("int b[8], «callback *a»", "a typedef of a function"),
        ("__int128 «a»[8]", "burstc cannot read this"),
        ("«_Atomic» int a[8]", "atomic"),
        ("int N, int M, int a[«N * M»]", "the array `a` has a product of sizes as its extent"),
        (
            "int N, int M, int a[«(N / 2)» * (M / 2)]",
            "the array `a` has a product of sizes as its extent, and is none of rows: it divides",
        ),
        ("int N, int b[8], int a[«b[0]»]", "it depends on the contents of an array"),
        ("int N, int a[«N / 2»]", "it divides"),
        ("int a[«0»]", "has an extent of 0"),
        ("«int a[8], ...»", "variable number"),
        ("int «N$», int a[N$]", "burstc cannot read this"),
        ("«int callback(int)», int a[8]", "is a function"),
    ] {
        refuse_arguments(text, message);
    }
}

#[test]
fn functions() {
    let body = "{\n    for (int i = 0; i < N; i++)\n        a[i] = 0;\n}\n";
    for (text, message) in [
        ("«int x;»\n".to_string(), "defines no function"),
        (format!("void f(int N, int a[N])\n{body}void «g»(int N, int a[N])\n{body}"), "several functions with loops"),
        ("void f(int x) {}\nvoid «g»(int x) {}\n".to_string(), "several functions, and none has a loop"),
        (
            "static void «g»(int x) {}\nint main(void) { for (int i = 0; i < 4; i++) ; }\n".to_string(),
            "no function but `main` has a loop",
        ),
        ("void «f»(int N)\n{\n    for (int i = 0; i < N; i++)\n        ;\n}\n".to_string(), "computes nothing"),
        (format!("«int» f(int N, int a[N])\n{body}"), "must return void, and `f` returns the type `int32_t`"),
        (format!("void «*f(int N, int a[N])»\n{body}"), "must return void"),
        (format!("«inline» void f(int N, int a[N])\n{body}"), "is inline"),
        (format!("void «f(N, a)» int N; int a[8];\n{body}"), "have no types"),
        (format!("void «f$»(int N, int a[N])\n{body}"), "burstc cannot read this"),
    ] {
        refuse(&text, message);
    }
}

#[test]
fn unknown_and_malformed_directives() {
    for (text, message, help) in [
        ("#pragma burstc«»", "a directive was expected", "tile(i:32"),
        ("#pragma burstc «tiel»(i:32, j:32)", "unknown directive `tiel`", "did you mean `tile`?"),
        ("#pragma burstc «unroll»(4)", "unknown directive `unroll`", "the directives are"),
        ("#pragma burstc tile(i:1, j:1) «,» size(N: 1)", "unknown directive `,`", "the directives are"),
        ("#pragma «brustc» tile(i:32)", "unknown pragma `brustc`", "#pragma burstc"),
        ("#pragma burstc tile«»", "`(` was expected, and the directive ends", "tile(i:32"),
        ("#pragma burstc tile(i:32, j:32«»", "`)` was expected, and the directive ends", "tile(i:32"),
        ("#pragma burstc tile(i:32 «j»:32)", "`)` was expected, and `j` was found", "tile(i:32"),
        ("#pragma burstc tile(i:«)»", "a tile size was expected", "tile(i:32"),
        ("#pragma burstc tile(i:«,» j:3)", "a tile size was expected", "tile(i:32"),
        ("#pragma burstc tile(i:3, j:«x»)", "`x` is not an integer constant", "#define"),
        ("#pragma burstc tile(i:3, j:«HALF»)", "expands to `0.5`", "integers"),
        ("#pragma burstc tile(i:3, j:«1.5»)", "`1.5` is not an integer", "hexadecimal"),
        ("#pragma burstc tile(i:«0», j:3)", "a tile size of 0", "at least one"),
        ("#pragma burstc tile(i:«-TILE + 2», j:3)", "a tile size of -6", "at least one"),
        ("#pragma burstc tile(i:«99999999999999», j:3)", "too large", "smaller"),
        ("#pragma burstc tile(i:8 «/» 2, j:3)", "`/` is not affine", "sums"),
        ("#pragma burstc tile(i:1, j:1) «tile»(i:1, j:1)", "a second `tile`", "one tiling"),
        ("#pragma burstc tile(i:1, j:1)\n#pragma burstc «tile»(i:1, j:1)", "a second `tile`", "one tiling"),
        ("#pragma burstc schedule(i«,» j)", "`[` was expected", "schedule((i,j)"),
        ("#pragma burstc schedule(«[»i], j)", "`(` was expected", "schedule((i,j)"),
        ("#pragma burstc schedule(S0[i«)»", "`]` was expected", "S1[i,j]"),
        ("#pragma burstc schedule(S0[i,j] -> (i, j); «)» tile(1, 1)", "a statement's name was expected", "S1[i,j]"),
        ("#pragma burstc extent(«a»)", "a pointer and `:` was expected", "extent(a: n)"),
        ("#pragma burstc extent(a: N) extent(«a»: N)", "declared twice", "one `extent`"),
        ("#pragma burstc range(«a» 0..3)", "an array argument and `:` was expected", "range(a: 0..255)"),
        ("#pragma burstc range(a: «0 to 3»)", "`0to3` is no range of integers", "range(a: 0..255)"),
        ("#pragma burstc range(a: 0..3) range(«a»: 0..1)", "declared twice", "one `range`"),
        ("#pragma burstc range(«c»: 0..3)", "`c` is no array argument", "array arguments"),
        ("#pragma burstc range(a: «3..-1»)", "no elements of all values from 3 to -1", "smallest value first"),
        ("#pragma burstc range(a: «0..2147483648»)", "no elements of all values", "-2147483648 to 2147483647"),
        ("#pragma burstc schedule((«2»))", "a loop's iterator was expected", "schedule((i,j)"),
        ("#pragma burstc schedule((i,j) «=»> (i,j))", "`->` was expected", "schedule((i,j)"),
        ("#pragma burstc schedule((i,j) -> («)»)", "an integer or a name was expected", "sums"),
        ("#pragma burstc schedule((i,j) -> («i*j», i)) tile(1, 1)", "product of two variables", "constant"),
        ("#pragma burstc schedule((i,j) -> (i, j)) «schedule»((i,j) -> (i, j)) tile(1, 1)", "a second", "one tiling"),
    ] {
        let found = refuse_directive(text, message);
        assert!(found.help.contains(help), "{found:?}");
    }
}

#[test]
fn directives_that_do_not_fit_the_kernel() {
    for (text, message, help) in [
        ("#pragma burstc tile(i:32, «x»:32)", "no loop counts with `x`", "tile(i:32, j:32)"),
        ("#pragma burstc tile(i:32, «strip»:32)", "no loop counts with `strip`", "tile(i:32, j:32)"),
        ("#pragma burstc tile(i:32, «i»:32)", "tiled twice", "once"),
        ("#pragma burstc «tile(i:32)»", "leaves out the loop over `j`", "tile(i:32, j:32)"),
        ("#pragma burstc tile(«10», 10)", "does not say which loop", "tile(i:32, j:32)"),
        ("#pragma burstc «schedule((i,j) -> (i+j, i))»", "no tile sizes", "tile(10, 10)"),
        ("#pragma burstc schedule(«(j,i)» -> (i+j, i)) tile(10, 10)", "as they are nested", "(i, j)"),
        ("#pragma burstc schedule(«(i)» -> (i)) tile(10)", "as they are nested", "(i, j)"),
        ("#pragma burstc schedule((i,j) -> (i+«jj», i)) tile(10, 10)", "neither an iterator nor a size", "`j`"),
        ("#pragma burstc schedule((i,j) -> (i+«s», i)) tile(10, 10)", "neither an iterator nor a size", "`"),
        ("#pragma burstc schedule((i,j) -> (i+j, i)) «tile(10)»", "2 dimensions and the tile 1 size", "one size"),
        (
            "#pragma burstc schedule((i,j) -> (i+j, i)) «tile(i:10, j:10)»",
            "a schedule says what is tiled",
            "tile(10, 10)",
        ),
        ("#pragma burstc tile(i:32, j:32) «strip(3)»", "a strip of 3 dimensions, and tiles of 2", "`strip(2)` or less"),
        ("#pragma burstc tile(i:32, j:32) strip(«0»)", "a strip of 0 dimensions", "at least the last"),
        ("#pragma burstc tile(i:32, j:32) strip(«-1»)", "a strip of -1 dimensions", "at least the last"),
        ("#pragma burstc tile(i:32, j:32) strip(«)»", "a number of dimensions was expected", "strip(2)"),
        ("#pragma burstc tile(i:32, j:32) strip(2) «strip(2)»", "a second `strip`", "one number"),
        ("#pragma burstc «strip(2)»", "a strip without tiles", "tile(i:32, j:32) strip(2)"),
        ("#pragma burstc schedule((i,j) -> (i+j, i)) tile(10, 10) «strip(3)»", "a strip of 3", "`strip(2)` or less"),
        ("#pragma burstc extent(«a»: N)", "`a` is no pointer", "declaration"),
        ("#pragma burstc schedule(«S1»[i,j] -> (i, j)) tile(1, 1)", "there is no statement `S1`", "S0 is"),
        ("#pragma burstc schedule(«S0[i]» -> (i)) tile(1)", "stands in 2 loops and is given 1", "S0[i,j]"),
        ("#pragma burstc schedule(S0[i,«i»] -> (i)) tile(1)", "`i` names two things", "own"),
        ("#pragma burstc schedule(S0[i,«N»] -> (i)) tile(1)", "`N` names two things", "own"),
        ("#pragma burstc schedule(S0[i,j] -> (i, «k»)) tile(1, 1)", "neither an iterator nor a size", "`"),
        ("#pragma burstc «schedule(S0[i,j] -> (i, j))»", "no tile sizes", "tile(10, 10)"),
        ("#pragma burstc schedule(S0[i,j] -> (i, j)) «tile(1)»", "2 dimensions and the tile 1 size", "one size"),
        (
            "#pragma burstc schedule(S0[i,j] -> (i, j); «S0»[i,j] -> (i, j)) tile(1, 1)",
            "`S0` is scheduled twice",
            "one band",
        ),
        ("#pragma burstc size(«»", "a size parameter and `:` was expected", "size(N: 128"),
        ("#pragma burstc size(«)»", "a size parameter and `:` was expected", "size(N: 128"),
        ("#pragma burstc size(«N» = 4)", "a size parameter and `:` was expected", "size(N: 128"),
        ("#pragma burstc size(N:«)»", "a size was expected", "size(N: 128"),
        ("#pragma burstc size(N: 4 «5»)", "`)` was expected", "size(N: 128"),
        ("#pragma burstc size(N: 4, «5»)", "a second value", "size(N: 128"),
        ("#pragma burstc size(N: max 4, «max» 5)", "a second `max`", "size(N: 128"),
        ("#pragma burstc size(N: «200», max 100)", "200 by default and 100 at most", "within"),
        ("#pragma burstc size(N: «-1»)", "negative", "at least 0"),
        ("#pragma burstc size(M: «128»)", "`M` is a int8_t and cannot be 128", "wider"),
        ("#pragma burstc size(«NN»: 4)", "`NN` is no integer argument of `f`", "did you mean `N`?"),
        ("#pragma burstc size(«a»: 4)", "`a` is no integer argument", ""),
        ("#pragma burstc size(N: 4) size(«N»: 4)", "declared twice", "one"),
    ] {
        let found = refuse_directive(text, message);
        assert!(found.help.contains(help), "{found:?}");
    }
    refuse(
        "void f(int a[9])\n{\n    for (int i = 0; i < 9; i++)\n        a[i] = 0;\n}\n#pragma burstc «tile»(i:3)\n",
        "a directive behind the kernel",
    );
}

#[test]
fn what_is_not_c() {
    for (text, message) in [
        ("void f(int N, int a[N])\n{\n    for (int i = 0; i < N; i++)\n        a[i] = «x»;\n}\n", "'x' undeclared"),
        (
            "void f(int N, int a[N])\n{\n\tfor (int i = 0; i < N; i++)\n\t\t«missing_type» y;\n}\n",
            "'missing_type' undeclared",
        ),
        ("void f(int a[9])\n{\n    for (int i = 0; i < 9; i++)\n        a[i] = 0«»\n}\n", "expected ';'"),
        ("#include <stdint.h>\n#include «<there/is/no.h>»\n", "No such file"),
        ("#if 1\nint x;\n", "unterminated"),
        ("#define A(\nint x;\n", "the C preprocessor refuses"),
        ("# a page of text\n\nIt's no C.\n", "the C"),
        ("fn main() { println!(\"hello\"); }\n", "the C compiler refuses"),
    ] {
        let exact = text.contains('«');
        let plain: String = text.chars().filter(|c| !matches!(c, '«' | '»')).collect();
        let found = diagnostic(&plain);
        assert!(found.message.contains(message), "{found:?}");
        let line = text.find('«').map(|at| text[..at].matches('\n').count() + 1);
        if exact {
            assert_eq!(found.span.map(|span| span.line), line, "{found:?}");
        }
        let help = if message.contains("No such") { "`there/is/no.h` with `-I FOLDER`" } else { "burstc compiles" };
        assert!(found.span.is_some() && found.help.contains(help), "{found:?}");
    }
    let error = parse(&Source { path: "page.md".into(), ..source("# a page\n") }).unwrap_err();
    assert!(error.downcast::<Diagnostic>().unwrap().help.contains("is this a C file?"));
}

#[test]
fn c_that_the_parser_cannot_read() {
    let found = refuse(
        "void f(int a[9])\n{\n    for (int i = 0; i < 9; i++)\n        a[i] = __builtin_types_compatible_p(int«,» int);\n}\n",
        "burstc cannot read this",
    );
    assert!(found.help.contains("C11"));
}

#[test]
fn bounds_from_data() {
    let rows = |head: &str, body: &str| {
        format!(
            "void f(int p[31], int n[30], int x[40], int y[30])\n{{\n    for (int i = 0; i < 30; i++)\n        {head}\n            \
             {body};\n}}\n"
        )
    };
    let nothing_known = "the bounds of the loop over `j` are data, and nothing says how far it runs";
    // The subscript must be read whenever the loop runs.
    for body in
        ["y[i] += 1", "y[i] += y[i] ? x[j] : 0", "if (y[i]) y[i] += x[j]", "y[i] = y[i] && x[j]", "y[i] += x[39 - j]"]
    {
        refuse(&rows("for (int j = «p[i]»; j < p[i + 1]; j++)", body), nothing_known);
    }
    refuse(&rows("for (int j = 0; j < «n[i]»; j++)", "y[i] += 1"), nothing_known);
    // Below 0 are only those that are said to be.
    let bytes = |text: &str| text.replace("int p[31]", "signed char p[31]").replace("x[j]", "x[39 - j]");
    refuse(&bytes(&rows("for (int j = «p[i]»; j < p[i + 1]; j++)", "y[i] += x[j]")), nothing_known);
    // A narrow counter goes round.
    let narrow = rows("for (signed char j = «p[i]»; j < p[i + 1]; j++)", "y[i] += x[j]");
    refuse(&narrow, "depends on the contents of an array");
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    for (path, message) in [
        (folder.path().join("missing.c"), "there is no file"),
        (folder.path().to_path_buf(), "is a folder"),
        (file("empty.c", b""), "is empty"),
        (file("blank.c", b" \n\t\n"), "is empty"),
        (file("binary.c", b"\xff\xfe\x00int"), "is not UTF-8 text"),
    ] {
        let error = Source::read(&path, vec![]).unwrap_err();
        let found = error.downcast_ref::<Diagnostic>().expect("a diagnostic");
        assert!(found.message.contains(message) && !found.help.is_empty(), "{found:?}");
    }
    assert_eq!(Source::read(Path::new(&file("k.c", b"int x;")), vec![]).unwrap().text, "int x;");
}

#[test]
fn what_is_too_long_or_too_deep() {
    let kernel =
        |value: &str| format!("void f(int a[9])\n{{\n    for (int i = 0; i < 9; i++)\n        a[i] = {value};\n}}\n");
    for (value, message) in [
        (format!("{}1{}", "(".repeat(300), ")".repeat(300)), "brackets nest more than"),
        (format!("{}1", "- ".repeat(20_000)), "a statement has more than"),
        (format!("a[0]{}", " + a[1]".repeat(1500)), "operators deep"),
        (format!("{}a[1]", "- ".repeat(9000)), "operators deep"),
    ] {
        assert!(diagnostic(&kernel(&value)).message.contains(message));
    }
    let chain = format!("{}a[i] = 0; else a[i] = 1", "if (a[i]) ; else ".repeat(5000));
    assert!(diagnostic(&kernel(&format!("0; {chain}"))).message.contains("`else`"));
}
