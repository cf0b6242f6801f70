//! Whole kernels against the C compiler: the interpreter of the representation and the compiled C text must leave the
//! same memory.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

use super::interpreter;
use crate::diagnostic::Diagnostic;
use crate::ids::ArrayId;
use crate::polyhedral::settle_domain;
use crate::source::evaluate::wrap;
use crate::source::kernel::{Argument, Kernel, ScalarType, Storage};
use crate::source::{Source, compiler, parse};

/// The bound of sizes that the source gives none.
const LARGEST_SIZE: i64 = 64;

/// splitmix64, here and in C.
const MIX: &str = "static unsigned long long mix(unsigned long long x)\n{\n    x += 0x9e3779b97f4a7c15u;\n    \
                   x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;\n    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;\n    \
                   return x ^ (x >> 31);\n}\n";

fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The value of element `place` of argument `array`. Divisors and booleans have names that begin with `d` and `flag`.
fn datum(array: usize, place: u64, name: &str, ty: ScalarType) -> i64 {
    let value = mix(array as u64 * 1_000_003 + place);
    wrap(narrowed(value, name) as i64, ty)
}

fn narrowed(value: u64, name: &str) -> u64 {
    match name {
        _ if name.starts_with("flag") => value & 1,
        _ if name.starts_with('d') => value % 100 + 1,
        _ => value,
    }
}

/// The C expression of [`datum`].
fn c_datum(array: usize, place: &str, name: &str, ty: ScalarType) -> String {
    let value = format!("mix({array}ull * 1000003u + (unsigned long long)({place}))");
    match name {
        _ if name.starts_with("flag") => format!("({ty})({value} & 1)"),
        _ if name.starts_with('d') => format!("({ty})({value} % 100 + 1)"),
        _ => format!("({ty}){value}"),
    }
}

/// Compares every one of these bodies of kernels, and tells which of them differ.
pub fn compare_each(bodies: &[&str], compare: fn(&str)) {
    let failed = bodies.iter().filter(|body| std::panic::catch_unwind(|| compare(body)).is_err());
    assert_eq!(failed.collect::<Vec<_>>(), Vec::<&&str>::new());
}

/// The kernel of `source`, which has two sizes, at small ones, most of which it must accept.
pub fn compare_small(source: &Source) {
    let sizes: Vec<Vec<i64>> =
        [[0, 0], [0, 3], [1, 0], [1, 1], [2, 1], [3, 7], [4, 2], [7, 7], [8, 3], [13, 20], [20, 13]]
            .map(Vec::from)
            .to_vec();
    match compare_accepted(source, &sizes) {
        Ok(done) => assert!(done.len() > 5, "{} sizes: {}", done.len(), source.text),
        Err(error) => panic!("{error}: {:?}\n{}", error.downcast_ref::<Diagnostic>(), source.text),
    }
}

/// Runs the kernel of `source` at every one of `sizes`, which are in the order of its size parameters.
pub fn compare_source(source: &Source, sizes: &[Vec<i64>]) {
    compare_accepted(source, sizes).unwrap_or_else(|error| {
        let diagnostic = error.downcast_ref::<Diagnostic>();
        panic!("{error}: {diagnostic:?}\n{}", source.text)
    });
}

/// The sizes of the kernel's domain, for which both left the same memory; an error where burstc refuses the kernel.
pub fn compare_accepted(source: &Source, sizes: &[Vec<i64>]) -> anyhow::Result<Vec<Vec<i64>>> {
    let mut kernel = parse(source)?;
    for parameter in &mut kernel.parameters {
        parameter.max = parameter.max.or(Some(LARGEST_SIZE));
    }
    settle_domain(&mut kernel)?;
    let in_domain = |sizes: &&Vec<i64>| {
        let of = |name: &str| sizes[kernel.parameters.iter().position(|p| p.name == name).unwrap()];
        kernel.domain.iter().all(|condition| condition.value.evaluate(of) >= 0)
    };
    let sizes: Vec<Vec<i64>> = sizes.iter().filter(in_domain).cloned().collect();
    let folder = tempfile::tempdir().unwrap();
    let (c, binary) = (folder.path().join("kernel.c"), folder.path().join("kernel"));
    std::fs::write(&c, program(source, &kernel)).unwrap();
    let path = std::path::Path::new(&source.path);
    let output = Command::new(compiler())
        .args(["-std=gnu11", "-O0", "-w", "-fwrapv", "-ffp-contract=off", "-ffunction-sections", "-Wl,--gc-sections"])
        .args(&source.cpp_args)
        .arg("-iquote")
        .arg(path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(std::path::Path::new(".")))
        .arg("-o")
        .arg(&binary)
        .arg(&c)
        .arg("-lm")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), source.text);
    for sizes in &sizes {
        let output = Command::new(&binary).args(sizes.iter().map(i64::to_string)).output().unwrap();
        assert!(output.status.success(), "{sizes:?}: {:?}\n{}", output.status, source.text);
        let expected: Vec<i64> =
            String::from_utf8(output.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect();
        let found = interpreted(&kernel, sizes);
        assert_eq!(found.len(), expected.len(), "{sizes:?}\n{}", source.text);
        if let Some(place) = (0..found.len()).find(|place| found[*place] != expected[*place]) {
            let (found, expected) = (found[place], expected[place]);
            panic!("word {place} is {found}, not {expected}, at {sizes:?}\n{}\n{:#?}", source.text, kernel.body);
        }
    }
    Ok(sizes)
}

fn interpreted(kernel: &Kernel, sizes: &[i64]) -> Vec<i64> {
    let sizes: BTreeMap<String, i64> =
        kernel.parameters.iter().map(|parameter| parameter.name.clone()).zip(sizes.iter().copied()).collect();
    let number = |argument| kernel.arguments.iter().position(|a| *a == argument).unwrap();
    let scalars = kernel.scalars[..kernel.scalar_arguments()].iter().enumerate();
    let scalars = scalars.map(|(i, scalar)| datum(number(Argument::Scalar(i)), 0, &scalar.name, scalar.ty)).collect();
    let mut arrays = vec![];
    for (i, array) in kernel.arrays.iter().enumerate().filter(|(_, array)| array.storage == Storage::Argument) {
        let length: i64 = array.extents.iter().map(|extent| extent.evaluate(|name| sizes[name])).product();
        let argument = number(Argument::Array(ArrayId(i)));
        arrays.push((0..length as u64).map(|place| datum(argument, place, &array.name, array.element)).collect());
    }
    interpreter::run(kernel, sizes, scalars, arrays).into_iter().flatten().collect()
}

/// The C text with a `main` that takes the sizes and prints every array.
fn program(source: &Source, kernel: &Kernel) -> String {
    let path = source.path.replace('\\', "\\\\");
    let mut text = format!("#define main users_main\n#line 1 \"{path}\"\n{}\n#undef main\n", source.text);
    text += "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n";
    text += MIX;
    // A program that does not end is killed.
    text += "int main(int argc, char **argv)\n{\n    alarm(20);\n";
    for (i, parameter) in kernel.parameters.iter().enumerate() {
        writeln!(text, "    const long long {} = atoll(argv[{}]);", parameter.name, i + 1).unwrap();
    }
    let mut call = vec![];
    for (number, argument) in kernel.arguments.iter().enumerate() {
        match argument {
            Argument::Parameter(p) => call.push(kernel.parameters[*p].name.clone()),
            Argument::Scalar(s) => {
                let scalar = &kernel.scalars[*s];
                call.push(c_datum(number, "0", &scalar.name, scalar.ty));
            }
            Argument::Array(a) => {
                let (array, ty) = (&kernel.arrays[*a], kernel.arrays[*a].element);
                let length: Vec<String> = array.extents.iter().map(|extent| format!("({extent})")).collect();
                let value = c_datum(number, "k", &array.name, ty);
                writeln!(text, "    long long length_{a} = {};", length.join(" * ")).unwrap();
                writeln!(text, "    {ty} *array_{a} = malloc(length_{a} * sizeof({ty}) + 1);").unwrap();
                writeln!(text, "    for (long long k = 0; k < length_{a}; k++) array_{a}[k] = {value};").unwrap();
                call.push(format!("(void *)array_{a}"));
            }
        }
    }
    writeln!(text, "    {}({});", kernel.name, call.join(", ")).unwrap();
    for argument in &kernel.arguments {
        if let Argument::Array(a) = argument {
            let print = format!("printf(\"%lld\\n\", (long long)array_{a}[k])");
            writeln!(text, "    for (long long k = 0; k < length_{a}; k++) {print};").unwrap();
        }
    }
    text + "    return 0;\n}\n"
}

/// Sizes for `count` parameters: small ones, equal and unequal.
pub fn small_sizes(count: usize) -> Vec<Vec<i64>> {
    let mut sizes: Vec<Vec<i64>> = [1, 2, 3, 7, 12].iter().map(|n| vec![*n; count]).collect();
    if count > 1 {
        sizes.push((0..count as i64).map(|k| 3 + 4 * k).collect());
        sizes.push((0..count as i64).map(|k| 9 - 4 * k.min(2)).collect());
    }
    sizes
}

pub fn compare(text: &str) {
    let source = super::source(text);
    let kernel = super::kernel(text);
    compare_source(&source, &small_sizes(kernel.parameters.len()));
}

/// A kernel over `int n, int m`, an `int` scalar `s`, and arrays; `extra` stands before it.
fn body(extra: &str, body: &str) {
    compare(&format!(
        "#include <stdint.h>\n#include <stdbool.h>\n#define MIN(a, b) ((a) < (b) ? (a) : (b))\n\
         #define MAX(a, b) ((a) > (b) ? (a) : (b))\n{extra}\n\
         void f(int n, int m, int s, int a[4 * n + 4 * m + 8], short b[n + m + 8][n + m + 8], uint8_t c[n + m + 8],\n\
         int d[n + m + 8])\n{{\n{body}\n}}\n"
    ));
}

/// Statements that show which iterations ran, and in which order.
const MARK: &str = "a[i] = a[i] * 31 + a[i + 1] * 7 + i;";

#[test]
#[ignore = "slow: make test"]
fn loops_of_any_step_and_direction() {
    for head in [
        "int i = 0; i < n; i += 2",
        "int i = 1; i <= n + m; i += 3",
        "int i = m; i < n + 2 * m; i = i + 4",
        "int i = n; i >= 0; i--",
        "int i = n - 1; i > 0; --i",
        "int i = n + m; i >= m; i -= 2",
        "int i = n + m - 1; 2 <= i; i = i - 5",
        "int i = 0; i != n; i++",
        "int i = n; i != 0; i--",
        "int i = n; 0 != i; i--",
        "int i = 0; n != i; ++i",
        "int i = 0; i < n && i < m; i++",
        "int i = 0; i < n && i <= m && 7 > i; i += 2",
        "int i = MAX(1, n - 4); i < MIN(n, m); i++",
        "int i = MAX(n - 4, 0); i < n + m; i += 2",
        "int i = MAX(MAX(n - 4, 3), m); i <= n + m && i < 2 * n + 4; i += 3",
        "int i = MIN(n, m + 2); i >= 1; i -= 3",
        "unsigned i = MAX((unsigned)n, 3u); i < 9; i += 2",
        "int i = n - 2 > 0 ? n - 2 : 0; i <= (n <= m ? n : m); i++",
        "int i = MAX(MAX(1, n - 4), m - 6); i < MIN(n, MIN(m + 2, 2 * n)); i++",
        "int i = 0; i <= MIN(n, m) - 1; i += 3",
        "int i = n + m; i >= MAX(n, m); i--",
        "int i = 0; 2 * i < n; i++",
        "int i = 0; i + 2 <= n; i++",
        "int i = 0; 3 * i + 1 < n + m; i++",
        "int i = n / 2; i < n; i++",
        "int i = 0; i < (n + 1) / 2; i++",
        "int i = 0; i < n - n % 4; i++",
        "int i = n / 3; i <= m / 2 + n; i += 2",
        "uint8_t i = 0; i < n; i += 7",
        "unsigned i = n; i > 0; i--",
        "int i = 0; i < 12; i += 5",
        "int i = 11; i >= 0; i -= 4",
        "long i = 0; i < n; i++",
        "int i = 0; m > 4 && i < n; i++",
        "int i = n; i-- > 0;",
        "int i = n + 2; i-- > m - m / 2;",
        "int i = n; --i >= 0;",
        "int i = n - 1; i-- != 0;",
        "int i = m / 2; i++ < n;",
        "int i = -1; ++i <= n;",
        "unsigned i = n; i-- > 0u;",
        "unsigned i = n + m; i--;",
        "int i = n; i; i--",
        "unsigned i = 0; i - n; i++",
    ] {
        let set = head.split_once(' ').unwrap().1;
        body(
            "",
            &format!(
                "for ({head})\n{MARK}\n{{ int i = 77; for ({set}) {{ {MARK} }} }}\n\
                 for (int k = 1; k < 4; k++) for ({head}) {{ {MARK} a[i] += k; }}"
            ),
        );
    }
}

#[test]
#[ignore = "slow: make test"]
fn loops_in_other_words() {
    for text in [
        "int i = 0; while (i < n) { MARK i++; } i = m; while (i > 0) { MARK i -= 2; }",
        "int i = n; while (i-- > 0) { MARK } int k; for (k = 0; k < 3; ++k) { int j = m; while (--j >= 0) a[j] += k; }",
        "int i = 1; for (; i <= n; ) { MARK i = i + 3; } int k = m; for (; k > 0; k--) a[k] ^= k;",
        "int i = n, e = 2 * n; a[0] = e; while (i < e) { MARK i += 1; }",
        "for (int i = 0, j = n; i < n; i++, j--) { MARK a[j] = a[j] * 5 - a[i]; }",
        "for (int i = n - 1, j = 2 * m; i >= 0; j += 3, i -= 2) { MARK a[j] += 3; }",
        "for (int i = 0, e = n + m; i < e; i += 2) { MARK a[e - i] += e; }",
        "int i, j; for (i = 0, j = n - 1; i < j; ++i, --j) { int t = a[i]; a[i] = a[j]; a[j] = t; }",
        "for (int i = 0; i < n; i++) { if (i % 3 == 1) continue; MARK if (i > 4) { a[i] = 3; continue; } a[i] -= 9; }",
        "for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) { if (j == i) continue; b[i][j] = j; } MARK }",
        "for (int i = 0; i < 20; i++) { if (i >= n) break; MARK }",
        "for (int i = 9; i > 0; i -= 2) { if (i < m) { break; } MARK }",
        "if (n < 4) return; for (int i = 0; i < n; i++) { MARK } if (m > n) { a[0] = 1; return; } a[1] = 2;",
        "for (int i = 0; i < n; i++) a[i] = i, c[i] += a[i];",
        "for (int i = 0; i < n; i++) if (i > 2) a[i] = i, c[i] += a[i]; else c[i] = 7;",
    ] {
        body("", &text.replace("MARK", MARK));
    }
}

#[test]
#[ignore = "slow: make test"]
fn loops_that_run_at_least_once() {
    for text in [
        "int i = 0; do { MARK i++; } while (i < n);",
        "int i = m; do { MARK i -= 2; } while (i > 0);",
        "int i = 2; do { MARK } while (++i < n); i = n; do { MARK } while (--i > 3);",
        "int i = 1; do { MARK } while (i++ < n); i = m + 1; do { MARK } while (i-- >= 4);",
        "int i = 0; do { MARK i++; } while (i != n); i = n; do { MARK } while (--i);",
        "unsigned i = 0; do { MARK i += 3; } while (i < (unsigned)n);",
        "for (int k = 0; k < m; k++) { int j = k; do { b[k][j] = b[j][k] + 1; j++; } while (j < n); }",
        "int i = 0; do { int j = i; do { b[i][j]++; j += 2; } while (j < m && j < 5); i++; } while (i <= n / 2);",
        "int i = 0; do { if (i == 4) a[i] = 1; for (int j = 0; j < i; j++) a[j] += i; i++; } while (i < 12);",
        "int i = 0; do for (int j = 0; j < n; j++) a[j] += i; while (++i < m);",
    ] {
        body("", &text.replace("MARK", MARK));
    }
}

#[test]
#[ignore = "slow: make test"]
fn elements_by_pointers() {
    for text in [
        "*(a + i) += i; *(i + a) ^= 5; i[a]++; *a += i; (a + 1)[i] -= 3; *(a + i + 2) = *(a + 2 + (i - 1));",
        "*(*(b + i) + 1) = i; *(b[i] + 2) += 3; (*(b + 1))[i]--; **b += i; *b[i] ^= 9; 2[b[i]] = 7; b[1][i] += **(b + i);",
        "*&a[i] += 2; *(&a[i] + 1) -= i; (&b[i][1])[2] = 4; (&a[4])[i] ^= *(a + 3 - 1); (*(a + i))++; --*(a + n);",
        "int t[4]; for (int j = 0; j < 4; j++) *(t + j) = j * i; a[i] += *(t + 3) - *t;",
        "a[i] += (a[i + 1] + 1) * *(a + i) + -*(&a[n] - 1);",
    ] {
        body("", &format!("for (int i = 0; i < n; i++) {{ {text} }}"));
    }
    body("", "int i = 0; while (i < n) a[i++] += 3; i = n; do a[i--] ^= 5; while (i > 0);");
}

#[test]
#[ignore = "slow: make test"]
fn variables_that_change() {
    for text in [
        "int k = 0; for (int i = 0; i < n; i++) { a[k] = i; k += 2; }",
        "int k = n; for (int i = 0; i < n; i++) { k--; a[k] = a[i] + k; a[k + 1] ^= k; } a[k] += 7;",
        "int k = 0; for (int i = 0; i < n; i++) a[k++] = a[i] * 3; for (int i = 0; i < m; i++) a[k++] -= i; a[k] = k;",
        "int k = 1; for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) { a[k] += j; k++; }",
        "int k = 0; for (int i = 0; i < n; i++) { for (int j = 1; j <= 5; j += 2) a[k++] ^= j; a[k] = i; k -= 2; }",
        "int k = 3, l = 0; for (int i = n; i > 0; i -= 2) { a[k] = a[l] + 1; l++; k = k + 3; if (i & 1) c[l]++; }",
        "for (int i = 0; i < n; i++) { int k = i; if (i > 3) k = 2; a[k] += i; k++; for (int j = k; j < n; j++) a[j]--; }",
        "for (int i = 0; i < n; i++) { int k = 0; if (i < m) k = i + 1; else if (i & 1) k = 2; a[k] += 3; k *= 2; a[k]--; }",
        "int lo = 0, hi = n; if (n > m) { lo = m; hi -= 1; } for (int i = lo; i < hi; i++) { MARK }",
        "int k = 0; for (int i = m; i < n; i++) k++; a[k] += 5; for (int i = k; i < n + m; i++) { MARK }",
        "int k; for (int i = 0; i < n; i++) { k = i / 2; a[k] += i; k += 3; a[k]--; }",
        "unsigned k = n + 1; for (int i = 0; i < n; i++) a[--k] = i; int8_t s8 = 0; for (int i = 0; i < 9; i++) a[s8++]++;",
        "int i = 0, k = 2; do { a[k] += i; k++; i++; } while (i < n);",
        "int k = 0; for (int i = 0; i < (n > m ? 4 : n); i++) { a[k] += i; k += 2; }",
        // Not known: memory, where no place is made of it.
        "const int w[3] = {1, 2, 3}; int k = s; for (int i = 0; i < n; i++) { k = (k * 5 + a[i]) & 1; a[i] += w[k]; }",
        "const int w[3] = {1, 2, 3}; int k = 0, l = 0; for (int i = 0; i < n; i++) { a[l] += w[k]; l++; k = k == 2 ? 0 : k + 1; }",
    ] {
        body("", &text.replace("MARK", MARK));
    }
}

#[test]
#[ignore = "slow: make test"]
fn bits_in_subscripts_bounds_and_conditions() {
    for text in [
        "a[i << 1 | 1] += a[i << 2]; a[i ^ 1] -= i;",
        "a[i & ~3] += i; a[(i | 3) - 1] ^= i; c[i & 6]++; d[i & -2]--;",
        "a[(i & 1) | i >> 1 << 1] += i; b[i >> 2][i & 3] = i; if ((i & 5) == 4) c[i]++;",
        "for (int j = i & ~1; j < (i | 1) + n; j++) a[j] = a[j] * 3 + i;",
        "for (int j = 0; j < 4; j++) a[(i << 2 | j) % 8 + (i << 3 | (j & 3) << 1 | 1) / 4] += j;",
        "unsigned u = i; a[u & ~1u] += i; a[(u | 4u) ^ 1u]--; a[(u << 1) + 1 & 0xfffffffeu] += 3;",
        "a[(~i & 7) + 1] += i; a[n + ~(i >> 1)] -= i; if (i & 2) c[i]--; else if (!(i & 4)) c[i] ^= 9;",
        "a[((i - 5) & ~3) + 8] += i; a[((i - 4) | 1) + 4]--; a[((i - 3) ^ 2) + 5] += 7; a[(i - 9 >> 1) + 5] ^= i;",
        "for (uint8_t j = 0; j < 7; j++) a[j ^ 5 | (i & 3) << 3] += j;",
    ] {
        body("", &format!("for (int i = 0; i < n; i++) {{ {text} }}"));
    }
}

#[test]
#[ignore = "slow: make test"]
fn values_by_choice() {
    for text in [
        "for (int i = 0; i < (n > m ? 4 : n); i++) { MARK }",
        "for (int i = n < 5 ? m : 1; i < (m == 3 ? n : n + 3); i++) { MARK }",
        "for (int i = MIN(n, m); i < n + m; i++) { MARK } for (int i = 0; i < MAX(n, m); i++) { MARK }",
        "int lo = n < 5 ? 1 : 2; int hi = n > 7 ? 7 : n + lo; for (int i = lo; i < hi; i++) { MARK a[hi] += lo; }",
        "for (int i = 0; i < n; i++) for (int j = i % 2 ? 0 : i; j < (i > 3 ? m : i); j++) b[i][j] = b[j][i] + 1;",
        "for (int i = 0; i < n; i++) for (int j = (i & 1) ? i : 0; j < n; j += 2) b[i][j] = b[j][i] + 1;",
        "for (int i = 0; i < n; i++) c[i] = a[i < m ? i + 1 : 0] + b[i > 2 ? 2 : i][i == 3 ? 0 : i];",
        "for (int i = 0; i < n; i++) a[i == n - 1 ? 0 : i + 1] += c[i] * i;",
        "for (int i = 0; i < n; i++) { a[i % 3 ? i : n]++; b[MIN(i, 2)][MAX(i, m)] -= a[MAX(i - 2, 0)]; }",
        "for (int i = 0; i < n; i++) c[i] = a[i - 3 < 0 ? 3 - i : i - 3] + a[i < 0 ? 0 : i > m ? m : i];",
        "for (int i = 0; i < n; i++) { int p = i > 2 ? i - 2 : 2 - i, q = p < m ? p : m - 1; a[i] += c[p] - c[q]; }",
        "for (int i = 0; i < n; i++) if ((i > 3 ? n - i : i) < 2 * m) { MARK }",
        "for (int i = 0; i < n; i++) if ((unsigned)(i - 1) < (unsigned)m) { MARK } else a[i] = 3;",
        "for (int i = 0; i < n; i++) for (int k = -2; k <= 2; k++) if ((unsigned)(i + k) < (unsigned)n) a[i] += c[i + k];",
        "for (unsigned i = 0; i < n + 2u; i++) if (i - 1 < (unsigned)n) { MARK } else a[i] ^= 5;",
        "for (unsigned i = 0; i < 9; i++) { if (i - 2u >= m) a[i] = i; if (i - 4u > 100u) c[i] = 1; }",
        "for (int i = 0; i < n; i++) a[i] = (unsigned)(i - 2) <= (unsigned)m ? c[i - 2] : s;",
        "for (int i = 0; i < n; i++) { int w = (unsigned)(i - 1) < 3u && m > 2; a[i] += w; }",
        "for (int i = 0; i < 600; i++) if ((uint8_t)i < 5 || (int8_t)(i - 3) < -125) a[i % 8] += i;",
        "for (int i = -300; i < 300; i++) a[(uint8_t)i & 7] += i;",
    ] {
        body("", &text.replace("MARK", MARK));
    }
}

/// Subscripts that a remainder by a size, bits or a flag lead to.
#[test]
fn periodic_and_guarded_subscripts() {
    for text in [
        "for (int i = 0; i < n; i++) a[i] = c[(i + 1) % n] + c[(i - 1 + n) % n] * 3;",
        "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) a[(i + j) % n] += j + c[i % n];",
        "for (int i = 0; i < n; i++) { int y = i - 1, ok = y >= 0 && y < m; a[i] = ok ? c[y] : 7; if (ok) a[y] += i; }",
        "for (int i = 0; i < 32; i++) { int r = i >> 2, q = i & 3; a[((q << 3) | r) % 8] += i; }",
    ] {
        body("", text);
    }
}

#[test]
#[ignore = "slow: make test"]
fn tables_of_constants() {
    for text in [
        "const int w[3] = {1, -2, 5}; for (int i = 1; i < n; i++) for (int k = 0; k < 3; k++) a[i] += w[k] * c[i + k - 1];",
        "static const int8_t w[2][3] = {{1, 300, 5}, {7}}; for (int i = 0; i < n; i++) a[i] = w[i % 2][i % 3] + w[1][0];",
        "const unsigned w[] = {9, 8, 7, 6}; for (int i = 0; i < n; i++) { a[i] = w[c[i] & 3]; c[i] -= w[3 - (i & 3)]; }",
        "const short w[] = {[3] = 5, -1, [0 ... 1] = 7, [6] = 2}; for (int i = 0; i < n; i++) a[i] = w[i % 7] + w[c[i] & 3];",
        "const int w[2][3][2] = {{{1}, {2, 3}}, {[1][1] = 4, 5}, [0][2] = {6, 7}}; for (int i = 0; i < n; i++) \
         for (int k = 0; k < 3; k++) a[i] += w[i % 2][k][c[i] & 1];",
        "const int w[3][2] = {1, 2, {3}, [2] = {9, 8}, }, v[2] = {{4}, 6}; for (int i = 0; i < n; i++) a[i] = w[i % 3][i & 1] + v[i & 1];",
        "static const int8_t off[4] = {-1, 0, 2, 1}; for (int i = 1; i < n - 2; i++) for (int k = 0; k < 4; k++) a[i] += c[i + off[k]];",
        "const short w[2][2] = {1, 2, 3}; for (int i = 0; i < n; i++) if (i < 2) a[i] = w[i][1 - i] - w[1][i];",
    ] {
        body("", text);
    }
}

#[test]
#[ignore = "slow: make test"]
fn nests_of_loops() {
    for text in [
        "for (int i = 0; i < n; i++) { a[i] = 1; for (int j = i; j >= 0; j--) a[i] = a[i] * 3 + a[j]; c[i]++; }",
        "int i, j; for (i = 0; i < n; i++) for (j = i + 1; j < n; j += 2) b[i][j] = b[j][i] - i;\n\
         for (i = n - 1; i >= 0; i -= 2) for (j = 0; j <= i; j++) b[j][i] += b[i][j] * j;",
        "for (int i = 0; i < n; i += 4) for (int j = i; j < MIN(i + 4, n); j++) a[j] = a[j] * 5 + a[i];",
        "for (int i = 0; i < n; i += 4) { int hi = i + 4 < n ? i + 4 : n; for (int j = i; j < hi; j++) a[j] += hi; }",
        "for (int t = 0; t < 3; t++) { for (int i = 1; i < n; i++) a[i] = a[i - 1] + a[i + 1];\n\
         for (int i = 1; i < n; i++) c[i] = a[i]; }\na[0] = s; for (int j = 0; j < m; j++) d[j] = j ^ s;",
        "for (int i = n; i >= 0; i -= 3) for (int j = i; j < n + m; j += 2) for (int k = j; k >= i; k--)\n\
         a[k] = a[k] * 17 + a[i] - j;",
        "for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { } for (int k = 0; k < i; k++) a[k] += i; }",
        "for (int i = 0; i < n; i++) { int i_step = i * 2; for (int j = i_step; j >= 0; j -= 2) a[j] += i_step; }",
    ] {
        body("", text);
    }
}

#[test]
#[ignore = "slow: make test"]
fn conditions() {
    for condition in [
        "i < m",
        "i >= m - 2 && i != 3",
        "i == 2 || i == n - 1",
        "!(i > 2 && i < n - 2)",
        "i % 2 == 0",
        "i % 3",
        "!(i % 2)",
        "(i & 3) == 1",
        "i / 3 == m / 2",
        "(i + m) / 4 >= (i >> 1)",
        "n > 4",
        "1",
        "0",
        "i > 0 ? i < m : n == 3",
        "(i < m) == 1",
        "(i < m) == 0 && n % 2",
        "i < MIN(n - 1, m)",
        "MAX(i, m) > 5",
        "i - 4",
        "i <= 2 != 0",
        "(long)i * 2 < n",
        "(unsigned)i < (unsigned)m",
        "i < n && (unsigned)i <= (unsigned)n + 3u",
    ] {
        body(
            "",
            &format!(
                "for (int i = 0; i < n; i++) {{ if ({condition}) {MARK} c[i]--; }}\n\
                 for (int i = n; i >= 0; i--) {{ if ({condition}) {MARK} else {{ c[i]++; a[i] ^= 5; }} }}\n\
                 for (int i = 0; i < n; i += 3) if ({condition}) {MARK} else if (i < 4) c[i] = 3; else c[i]--;"
            ),
        );
    }
    body("", "for (unsigned i = 0; i < (unsigned)n; i++) if (i < n - 1u) a[i] = i; else a[i] = 7;");
    body("", "if (n > m) for (int i = 0; i < n; i++) a[i] = 1; else for (int i = 0; i < m; i++) a[i] = 2;");
}

#[test]
#[ignore = "slow: make test"]
fn quotients_in_subscripts_and_values() {
    for text in [
        "a[i / 2] += a[i] * 3;",
        "a[i % 4 + i / 4] = a[i] + 1;",
        "a[(i + 3) / 4 * 2 + (i & 1)]++;",
        "b[i / 3][i % 3] = i;",
        "a[(2 * i + 4) / 2] -= i; a[(6 * i + 3) / 4] += 2;",
        "int h = i / 2, l = i % 2; a[h] = a[h] * 3 + l;",
        "a[i >> 1] = a[i >> 1] * 3 + i; a[i] = (i - 5) / 3 + (i - 5) % 3;",
        "c[(i << 1) / 3] += i; for (int j = i / 2; j < (i + n) / 2; j++) a[j] = a[j] * 3 + i;",
        "const int q = (n + 3) / 4; a[q] += i; a[i] = q;",
    ] {
        body("", &format!("for (int i = 0; i < n; i++) {{ {text} }}"));
    }
}

#[test]
fn divisions_round_towards_zero() {
    for text in [
        "for (int j = 0; j <= (n - 3) / 2; j++) a[j] += j + 1;",
        "for (int j = (n - 7) / 3; j <= (m - 9) / 4; j++) a[j + 4] += j;",
        "for (int i = 0; i < n; i++) { if ((i - 1) / 2 == 0) a[i] = 7; if ((i - 2) % 3 < 1) c[i]++; }",
        "for (int i = 0; i < n; i++) a[(i - 5) / 3 + 2] += i * 3; for (int i = 0; i < n; i++) d[(i - 4) % 3 + 2] -= i;",
        "for (int i = 0; i < n; i++) a[((i - 6) >> 1) + 4] += i + ((i - 3) & 3); int h = (n - 5) / 2; a[h + 3] ^= h;",
        "for (int i = -4; i < n; i++) for (int j = i / 2; j < (i - m) / -3; j++) a[j + 4] = a[j + 4] * 3 + i % -4;",
        "for (int i = 0; i < n; i++) { int q = (i - 7) / 4, r = ((i - 9) / 2 - 1) / 2; a[i] = q * 5 + r; a[q + 2] += r; }",
        "for (int i = n; i >= (m - 5) / 2 && i >= 0; i -= 2) if (((i - n) / 2) % 2 == 0) a[i] += 3;",
    ] {
        body("", text);
    }
}

#[test]
fn guarded_reads() {
    for text in [
        "for (int i = 0; i < n; i++) a[i] = (i > 0 ? d[i - 1] : 7) + (i < n - 1 && d[i + 1] > 3);",
        "for (int i = 0; i < n; i++) a[i] = i == 0 || i >= n ? 1 : i > 3 ? d[i - 4] : d[i - 1];",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)\n\
         b[i][j] = (i > 0 && j > 0 ? b[i - 1][j - 1] : 0) + (unsigned)(i % 3 ? b[i / 3][j] : b[i][j + 1]);",
        "for (unsigned i = 0; i < (unsigned)n; i++) a[i] = i ? d[i - 1] : s;",
    ] {
        body("", text);
    }
}

#[test]
#[ignore = "slow: make test"]
fn branches_on_data() {
    for text in [
        "for (int i = 0; i < n; i++) if (a[i] > s) c[i] = a[i];",
        "for (int i = 0; i < n; i++) if (a[i] > s) c[i] += 3; else d[i] -= a[i + 1];",
        "for (int i = 0; i < n; i++) { if (a[i] & 1) { a[i] = a[i + 1] * 3; a[i + 1]--; } else a[i]++; c[i] = a[i]; }",
        "if (s > 0) for (int i = 0; i < n; i++) a[i] = a[i] * 5 + i; else a[n] = 7;",
        "int best = a[0], at = 0; for (int i = 1; i < n; i++) if (a[i] > best) { best = a[i]; at = i; } d[0] = best; d[1] = at;",
        "int least = a[0]; for (int i = 1; i < n; i++) if (least > a[i]) least = a[i]; d[0] = least;",
        "int count = 0; for (int i = 0; i < n; i++) if (a[i] > s && c[i] & 1) count++; d[0] = count;",
        // What iterators decide keeps reads inside of their arrays.
        "for (int i = 0; i < n; i++) if (i > 0 && a[i] > s) a[i] -= d[i - 1]; else a[i] ^= 5;",
        "for (int i = 0; i < n; i++) if (a[i] > s && i >= 2 && c[i - 2]) a[i] = c[i - 2]; else if (i & 1) a[i] = 1; else a[i]--;",
        "for (int i = 0; i < n; i++) if (i == 0 || d[i - 1] > d[i]) a[i] = d[i] * 2;",
        // Branches inside of each other.
        "for (int i = 0; i < n; i++) if (a[i] & 1) if (a[i] & 2) a[i] = 3; else a[i] = 4;",
        "for (int i = 0; i < n; i++) if (a[i] & 1) { if (a[i] & 2) { a[i] = 3; c[i] = 9; } } else if (a[i] & 4) { a[i] = 5; c[i]--; } else a[i] = 6;",
        "for (int i = 0; i < n; i++) if (a[i] & 1) { if (a[i] & 2) c[i] = 3; }",
        "for (int i = 0; i < n; i++) if (a[i] & 1) { a[i] = 0; if (s) { if (a[i]) c[i] = 3; else c[i] = 5; } c[i]++; }",
        // Loops and locals inside.
        "for (int i = 0; i < n; i++) if (a[i] > s) { int t = a[i]; for (int j = 0; j < m; j++) t += b[i][j]; a[i] = t; }",
        "for (int i = 0; i < n; i++) if (d[i] > 50) { int q = a[i] / (d[i] - 50), r = 1; r += q; a[i] = q * r; }",
        "for (int i = 0; i < n; i++) { int t; if (a[i] > 0) t = 5; if (a[i] > 0) a[i] = t; }",
        "for (int i = 0; i < n; i++) { int t; if (a[i] > 0) t = i; else { t = a[i]; t++; } a[i] = t; }",
        "for (int i = 0; i < n; i++) { if (c[i] > 99) continue; a[i] = c[i]; c[i] *= 3; }",
        "for (int i = 0; i < n; i++) { float t = a[i]; if (t > 0.5f) t = -t; if (!t) c[i] = 1; else d[i] = t / 2; }",
        // Conditions of iterators that are not affine.
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if (i * j > 3 && ((i ^ j) & 1)) b[i][j] = i; else b[i][j]--;",
    ] {
        body("", text);
    }
}

#[test]
#[ignore = "slow: make test"]
fn local_scalars_and_arrays() {
    for text in [
        "for (int i = 0; i < n; i++) { int acc = 0; for (int j = 0; j < m; j++) acc += b[i][j] * a[j]; a[i] = acc; }",
        "int acc; for (int i = 0; i < n; i++) { acc = s; for (int j = 0; j <= i; j++) acc = acc * 3 + d[j]; d[i] = acc; }",
        "int sum = 0; for (int i = 0; i < n; i++) { sum += a[i]; a[i] = sum; } a[n] = sum;",
        "int t[16], u; for (int i = 0; i < 16; i++) t[i] = i * s; u = t[3]; u++; for (int i = 0; i < n; i++) a[i] = t[i] + u;",
        "for (int i = 0; i < n; i++) { short w[3][n + 2]; for (int j = 0; j < 3; j++) w[j][i] = a[i] + j;\n\
         a[i] = w[0][i] * w[1][i] + w[2][i]; }",
        "for (int i = 0; i < n; i++) { int x = a[i]; x ^= x >> 3; { int x = 7; x += i; a[i] = x; } a[i + 1] = x; }",
        "for (int i = 0; i < n; i++) { uint8_t x = a[i], y = x * 3; unsigned z = x - y; a[i] = z / 3 + x % (y | 1); }",
        "for (int i = 0; i < n; i++) { const int ip = i + 1; const long two = 2; a[ip] = a[ip] * two + i; }",
        "for (int i = 0; i < n; i++) { bool p = a[i], q = !a[i + 1]; p |= s > 0; q ^= 6; c[i] = p + q * 2 + (bool)(s & 8); }",
        "int max = 0; for (int i = 0; i < n; i++) { max = a[i] > max ? a[i] : max; a[i] = max; }",
        "for (int i = 0; i < n; i++) { int t = a[i]; a[i] = t; } int t = 3; for (int i = 0; i < t; i++) a[i] += t;",
        "const uint64_t mul = 0x123456789abcdefull; for (int i = 0; i < n; i++) a[i] = (a[i] * mul) >> 40;",
        "int k = 2; for (int i = 0; i < n; i++) { k = k * 5 % 17; a[i] += k; }",
    ] {
        body("", text);
    }
}

#[test]
#[ignore = "slow: make test"]
fn helper_functions() {
    let helpers = "static int min(int a, int b) { return a < b ? a : b; }\n\
                   static inline int max(int a, int b) { if (a > b) return a; return b; }\n\
                   static uint8_t clamp(int x)\n{ if (x < 0) return 0; else if (x > 255) return 255; return x; }\n\
                   static int weird(short x, unsigned y)\n{ int t = x * 2; unsigned u = y; u /= 3; t -= u; \
                   if (t & 1) { t ^= 5; u++; } { int t = 9; u += t; } return t + u; }\n\
                   static bool odd(long x) { return x & 1; }\nstatic long twice(long x) { return x + x; }\n\
                   enum { FOUR = 4 }; static const short big = 70000, three = FOUR - 1;\n\
                   static int lin(int i, int j) { int k = 2 * i; k += j; return k + three; }";
    for text in [
        "for (int i = max(0, n - 5); i < min(n, min(m, 8)); i++) a[i] = min(a[i], max(s, -a[i + 1]));",
        "for (int i = 0; i < n; i++) c[i] = clamp(a[i] >> 20) + clamp(-3) + odd(a[i]);",
        "for (int i = 0; i < n; i++) a[i] = weird(a[i], a[i + 1]) / weird(i | 1, 3);",
        "for (int i = 0; i < n; i++) a[lin(i, m)] = a[i] + twice(twice(a[i])) + big;",
        "for (int i = 0; i < n; i++) if (odd(i) && min(i, m) > 2) a[i] = lin(a[i], i);",
    ] {
        body(helpers, text);
    }
}

#[test]
#[ignore = "slow: make test"]
fn whole_numbers_in_floating_point() {
    for text in [
        "a[i] = 0.0; d[i] = 3.0f;",
        "a[i] /= (s - 1.0);",
        "a[i] = (a[i] >> 4) * 3.0 - 17.0;",
        "d[i] = (a[i] + 2.0) / d[i]; c[i] = a[i] > 1.0; a[i] -= 2.0;",
        "int x = (int)(a[i] / -7.0); x += 1e6; a[i] = x;",
    ] {
        body("", &format!("for (int i = 0; i < n; i++) {{ {text} }}"));
    }
}

#[test]
#[ignore = "slow: make test"]
fn floating_point() {
    let helpers = "#include <math.h>\n#include <stdlib.h>\nstatic float half(double x) { float y = x; y /= 2; if (y < 0.5f) return -y; return y; }\n\
                   static const double third = 1.0 / 3;";
    for text in [
        "a[i] = a[i] * 0.5;",
        "float t = a[i]; t /= 3; c[i] = t > 1e6f; a[i] = -t;",
        "double t = s; t = t * a[i] / 1e12; a[i] = t < 0 ? t - 0.5 : t + 0.5;",
        "a[i] = sqrt(fabs(a[i] + 0.25)) * 100 + sqrtf(i);",
        "float t = 16777217; a[i] = t + i * 0.1f + (s ? 1 : 0.5);",
        "float t = a[i]; double u = t; u += 1e-9; a[i] = (u > t) + 2 * (t == a[i]) + 4 * !t + 8 * (t && u);",
        "unsigned u = a[i]; float t = u; t *= 0.25f; a[i] = half(t) + half(-i) * third;",
        "double t = a[i] / 7.0; for (int k = 0; k < 3; k++) t = t * 0.9 - k; a[i] = t;",
        "a[i] = (float)a[i] == a[i] ? fabsf(-2.5f) : 1e400 > 1e308;",
        "a[i] = fmax(a[i] * 0.5, s) - fminf(a[i], -i) + abs(a[i] / 3 - i) + labs(s - a[i]) % 7;",
        "float nan = 0.0f / (a[i] & 1); a[i] = fmaxf(nan, 3) + 2 * fminf(i, nan) + 4 * (fmaxf(nan, nan) == nan);",
    ] {
        body(helpers, &format!("for (int i = 0; i < n; i++) {{ {text} }}"));
    }
}

#[test]
#[ignore = "slow: make test"]
fn pointers_with_an_extent() {
    compare(
        "#pragma burstc extent(a: 2*n + 1) extent(b: m) extent(c: n)\n\
         void f(int n, int m, int *restrict a, short (*restrict b)[n], unsigned char c[restrict])\n{\n\
         for (int i = 0; i < m; i++)\n for (int j = 0; j < n; j++)\n b[i][j] += a[2 * j] * c[j];\n}\n",
    );
}

#[test]
#[ignore = "slow: make test"]
fn regions_and_other_functions() {
    compare(
        "#include <stdio.h>\nstatic void fill(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = i; }\n\
         static void kernel(int n, int a[n])\n{\n int i;\n#pragma scop\n for (i = 0; i < n; i++)\n a[i] *= 3;\n\
         #pragma endscop\n}\nint main(void) { int a[4]; fill(4, a); kernel(4, a); return a[1]; }\n",
    );
}
