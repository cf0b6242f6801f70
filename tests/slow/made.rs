//! Long programs, as many alike parts as the number in their name says.

/// A loop over N elements; `body` begins in line 8.
fn kernel(name: &str, arguments: &str, body: &str) -> String {
    format!(
        "#include <stdint.h>\n\n#pragma burstc size(N: 64, max 4096)\n\
         void {name}(int N,\n    {arguments})\n{{\n    for (int i = 0; i < N; i++) {{\n        {body}\n    }}\n}}\n"
    )
}

/// `count` parts with `between` them.
fn parts(count: usize, between: &str, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(between)
}

const DATA: &str = "const int32_t a[N], int32_t b[N]";

/// Choices in each other.
pub fn ternaries(name: &str, count: usize) -> String {
    let choices = parts(count, " : ", |k| format!("a[i] > {} ? {}", count - k, 7 * k % 101));
    kernel(name, DATA, &format!("b[i] = {choices} : 0;"))
}

/// Conditions that && joins.
pub fn conditions(name: &str, count: usize) -> String {
    let all = parts(count, " && ", |k| format!("a[i] != {}", 3 * k));
    kernel(name, DATA, &format!("b[i] = {all};"))
}

/// Calls of functions of <math.h> in each other, of what the host knows.
pub fn host_calls(name: &str, count: usize) -> String {
    let nested = |function| (0..count).fold("s".to_string(), |inner, _| format!("{function}({inner}, s)"));
    let body = format!("b[i] = a[i] + {} * {};", nested("fmin"), nested("pow"));
    format!("#include <math.h>\n{}", kernel(name, "double s, const double a[N], double b[N]", &body))
}

/// Branches on data in a row.
pub fn branches(name: &str, count: usize) -> String {
    let all = parts(count, "\n        ", |k| format!("if (a[i] > {k}) s += {};", k + 1));
    kernel(name, DATA, &format!("int32_t s = 0;\n        {all}\n        b[i] = s;"))
}

/// Choices in a row, each of the value before it.
pub fn choices(name: &str, count: usize) -> String {
    let all = parts(count, "\n        ", |k| format!("x = a[i] > {k} ? x + 1 : x;"));
    kernel(name, DATA, &format!("int32_t x = 0;\n        {all}\n        b[i] = x;"))
}

/// Conditions on data of which one holds.
pub fn else_ifs(name: &str, count: usize) -> String {
    kernel(name, DATA, &parts(count, "\n        else ", |k| format!("if (a[i] == {}) b[i] = {k};", 3 * k)))
}

/// Temporaries, each the sum of the two before it.
pub fn fibonacci(name: &str, count: usize) -> String {
    let sums = parts(count - 2, "\n        ", |k| format!("int32_t t{} = t{k} + t{};", k + 2, k + 1));
    let body = format!("int32_t t0 = a[i], t1 = a[i] + 1;\n        {sums}\n        b[i] = t{};", count - 1);
    kernel(name, DATA, &body)
}

/// An expression of many terms.
pub fn terms(name: &str, count: usize) -> String {
    let sum = parts(count, " + ", |k| match k % 3 {
        0 => format!("(b[i] ^ {})", 7 * k),
        _ => format!("a[i] * {}", 2 * k + 3),
    });
    kernel(name, "const int32_t a[N], const int32_t b[N], int32_t out[N]", &format!("out[i] = {sum};"))
}

/// A stencil of many taps.
pub fn taps(name: &str, count: usize) -> String {
    let arguments = format!("const int32_t a[N + {count}], int32_t out[N]");
    kernel(name, &arguments, &format!("out[i] = {};", parts(count, " + ", |k| format!("a[i + {k}]"))))
}

/// A sum of floating-point products, in the order in which it is written.
pub fn float_taps(name: &str, count: usize) -> String {
    let arguments = format!("const float a[N + {count}], float b[N]");
    kernel(name, &arguments, &format!("b[i] = {};", parts(count, " + ", |k| format!("a[i + {k}] * {}.5f", k + 1))))
}

/// Loops with a size each.
pub fn sizes(name: &str, count: usize) -> String {
    let sizes = parts(count, " ", |k| format!("size(N{k}: 32, max 1000)"));
    let (numbers, arrays) =
        (parts(count, ", ", |k| format!("int N{k}")), parts(count, ", ", |k| format!("int32_t a{k}[N{k}]")));
    let loops = parts(count, "\n", |k| format!("    for (int i = 0; i < N{k}; i++)\n        a{k}[i] += {};", k + 1));
    format!("#include <stdint.h>\n\n#pragma burstc {sizes}\nvoid {name}({numbers},\n    {arrays})\n{{\n{loops}\n}}\n")
}
