//! What is accepted, and what it becomes.

use super::{kernel, perfect, source};
use crate::affine::Affine;
use crate::ids::ArrayId;
use crate::source::kernel::{
    Argument, BinaryOp, Condition, Expr, HostStep, Kernel, Node, ScalarType, Storage, TilingDirective, UnaryOp,
};
use crate::source::{Source, parse};

/// θ of the only statement.
pub fn theta_text(tiling: &TilingDirective) -> String {
    let [schedule] = &tiling.schedules[..] else { panic!("{} statements", tiling.schedules.len()) };
    list(&schedule.theta)
}

pub fn list(values: &[Affine]) -> String {
    values.iter().map(Affine::to_string).collect::<Vec<_>>().join(", ")
}

/// The parts of a kernel that a reader would compare with the C text.
fn summary(kernel: &Kernel) -> Vec<String> {
    let mut lines = vec![kernel.name.clone()];
    for p in &kernel.parameters {
        let number = |value: Option<i64>| value.map_or("?".into(), |value| value.to_string());
        lines.push(format!("size {} {} = {} to {}", p.ty, p.name, number(p.default), number(p.max)));
    }
    lines.extend(kernel.scalars.iter().map(|s| format!("scalar {} {}", s.ty, s.name)));
    lines.extend(kernel.arrays.iter().map(|a| format!("array {} {}[{}]", a.element, a.name, list(&a.extents))));
    summarize(&kernel.body, 0, &mut lines);
    if let Some(tiling) = kernel.tilings.first() {
        lines.push(format!("tile ({}) by {:?}", theta_text(tiling), tiling.sizes));
    }
    lines
}

fn summarize(nodes: &[Node], depth: usize, lines: &mut Vec<String>) {
    for node in nodes {
        let indent = "  ".repeat(depth);
        match node {
            Node::Loop(l) => {
                lines.push(format!("{indent}{} {}: {} ..= {}", l.ty, l.iterator, list(&l.lower), list(&l.upper)));
                summarize(&l.body, depth + 1, lines);
            }
            Node::If(inner) => {
                lines.push(format!("{indent}if {}", condition(&inner.condition)));
                summarize(&inner.body, depth + 1, lines);
            }
            Node::Statement(s) => {
                lines.push(format!("{indent}{}: [{}] {}", s.name, list(&s.target.subscripts), s.text));
            }
        }
    }
}

fn condition(found: &Condition) -> String {
    let all = |inner: &[Condition]| inner.iter().map(condition).collect::<Vec<_>>().join(", ");
    match found {
        Condition::NonNegative(value) => format!("NonNegative({value})"),
        Condition::Zero(value) => format!("Zero({value})"),
        Condition::All(inner) => format!("All([{}])", all(inner)),
        Condition::Any(inner) => format!("Any([{}])", all(inner)),
        Condition::Not(inner) => format!("Not({})", condition(inner)),
    }
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(summary(&kernel(text)), expected, "{text}");
}

#[test]
fn the_examples() {
    check(
        include_str!("../../../examples/dma.c"),
        &[
            "dma",
            "size int32_t N = 65536 to 1048576",
            "array int32_t a[N]",
            "array int32_t b[N]",
            "int32_t i: 0 ..= N - 1",
            "  S0: [i] b[i] = a[i];",
            "tile (i) by [1024]",
        ],
    );
    check(
        include_str!("../../../examples/vecsum.c"),
        &[
            "vecsum",
            "size int32_t N = 65536 to 1048576",
            "array int32_t a[N]",
            "array int32_t b[N]",
            "array int32_t c[N]",
            "int32_t i: 0 ..= N - 1",
            "  S0: [i] c[i] = a[i] + b[i];",
            "tile (i) by [1024]",
        ],
    );
    check(
        include_str!("../../../examples/matmul.c"),
        &[
            "matmul",
            "size int32_t N = 64 to 1024",
            "array int32_t a[N, N]",
            "array int32_t b[N, N]",
            "array int32_t c[N, N]",
            "int32_t i: 0 ..= N - 1",
            "  int32_t j: 0 ..= N - 1",
            "    int32_t k: 0 ..= N - 1",
            "      S0: [i, j] c[i][j] += a[i][k] * b[k][j];",
            "tile (i, j, k) by [32, 32, 32]",
        ],
    );
    for (text, name, theta) in [
        (include_str!("../../../examples/polymul.c"), "polymul", "N - j, i"),
        (include_str!("../../../examples/polymul_skewed.c"), "polymul_skewed", "i + j, i"),
    ] {
        check(
            text,
            &[
                name,
                "size int32_t N = 100 to 4096",
                "array int32_t a[N + 1]",
                "array int32_t b[N + 1]",
                "array int32_t c[2*N + 1]",
                "int32_t i: 0 ..= N",
                "  int32_t j: 0 ..= N",
                "    S0: [i + j] c[i + j] += a[i] * b[j];",
                &format!("tile ({theta}) by [10, 10]"),
            ],
        );
    }
}

#[test]
fn a_compound_assignment_reads_its_target() {
    let kernel = kernel(include_str!("../../../examples/matmul.c"));
    let (loops, statement) = perfect(&kernel);
    assert_eq!(loops.len(), 3);
    let Expr::Binary { op: BinaryOp::Add, left, right, ty: ScalarType::I32 } = &statement.value else { panic!() };
    assert_eq!(**left, Expr::Read { access: statement.target.clone(), ty: ScalarType::I32 });
    assert!(matches!(**right, Expr::Binary { op: BinaryOp::Multiply, .. }));
    let reads: Vec<(usize, String)> =
        statement.value.reads().iter().map(|r| (r.array.0, list(&r.subscripts))).collect();
    assert_eq!(reads, [(2, "i, j".into()), (0, "i, k".into()), (1, "k, j".into())]);
}

/// One statement over `int32_t a[N][M]`, `b[N]`, the integer `s`, and loops over i and j.
pub fn statement(head: &str, text: &str) -> Kernel {
    kernel(&format!(
        "#include <stdint.h>\n{head}\nvoid f(int N, int M, int s, int32_t a[N][M], int32_t b[N + M])\n{{\n\
         for (int i = 0; i < N; i++)\nfor (int j = 0; j < M; j++)\n{text}\n}}\n"
    ))
}

#[test]
fn loops_in_every_spelling() {
    for (head, lower, upper) in [
        ("int i = 0; i < N; i++", "0", "N - 1"),
        ("int i = 0; i <= N; ++i", "0", "N"),
        ("int i = 1; N > i; i += 1", "1", "N - 1"),
        ("int i = -3; N - 2 >= i; i = i + 1", "-3", "N - 2"),
        ("int i = 2 * M + 1; i < (N); i = 1 + i", "2*M + 1", "N - 1"),
        ("int i = 0; i < N && i <= M; i -= -1", "0", "N - 1, M"),
        ("int i = 0; i < 2 * (N + M) - 4 / 2; i++", "0", "2*M + 2*N - 3"),
        ("int i = 0; i < N << 2; i++", "0", "4*N - 1"),
        ("int i = 0; i < END; i++", "0", "9"),
        ("int i = TEN; i < 'a'; i++", "10", "96"),
        ("int i = 0; i < (int)(N); i++", "0", "N - 1"),
        ("long i = 0; i < (long)N - 0x1fL; i++", "0", "N - 32"),
    ] {
        let text = format!(
            "#define END 10\nenum {{ NINE = 9, TEN }};\nvoid f(int N, int M, int b[N + M])\n{{\n\
             for ({head})\nb[i] = 0;\n}}\n"
        );
        let kernel = kernel(&text);
        let (loops, _) = perfect(&kernel);
        assert_eq!((&*list(&loops[0].lower), &*list(&loops[0].upper)), (lower, upper), "{head}");
    }
}

#[test]
fn iterators_declared_before_the_loops() {
    check(
        "void f(int N, int b[N])\n{\n    int i, j;\n    for (i = 0; i < N; i++)\n\
         for (j = 0; j < i; ++j) { ; b[i - j - 1] = b[j]; }\n}\n",
        &[
            "f",
            "size int32_t N = ? to ?",
            "array int32_t b[N]",
            "int32_t i: 0 ..= N - 1",
            "  int32_t j: 0 ..= i - 1",
            "    S0: [i - j - 1] b[i - j - 1] = b[j];",
        ],
    );
}

#[test]
fn imperfect_nests_are_represented() {
    check(
        "void f(int N, short b[N], unsigned char c[N])\n{\n    for (int i = 0; i < N; i++) {\n        b[i] = 0;\n\
         for (int j = 0; j < N; j++)\n            b[i] += c[j];\n        c[i]--;\n    }\n    c[0] = 1;\n}\n",
        &[
            "f",
            "size int32_t N = ? to ?",
            "array int16_t b[N]",
            "array uint8_t c[N]",
            "int32_t i: 0 ..= N - 1",
            "  S0: [i] b[i] = 0;",
            "  int32_t j: 0 ..= N - 1",
            "    S1: [i] b[i] += c[j];",
            "  S2: [i] c[i]--;",
            "S3: [0] c[0] = 1;",
        ],
    );
}

#[test]
fn every_integer_type() {
    for (name, expected) in [
        ("char", "int8_t"),
        ("signed char", "int8_t"),
        ("unsigned char", "uint8_t"),
        ("short", "int16_t"),
        ("short int", "int16_t"),
        ("unsigned short", "uint16_t"),
        ("int", "int32_t"),
        ("signed", "int32_t"),
        ("unsigned", "uint32_t"),
        ("unsigned int", "uint32_t"),
        ("long", "int64_t"),
        ("unsigned long int", "uint64_t"),
        ("long long", "int64_t"),
        ("long unsigned long", "uint64_t"),
        ("int8_t", "int8_t"),
        ("uint8_t", "uint8_t"),
        ("int16_t", "int16_t"),
        ("uint16_t", "uint16_t"),
        ("int32_t", "int32_t"),
        ("uint32_t", "uint32_t"),
        ("int64_t", "int64_t"),
        ("uint64_t", "uint64_t"),
        ("size_t", "uint64_t"),
        ("const word", "uint16_t"),
        ("uint_least8_t", "uint8_t"),
    ] {
        let cpp_args = vec!["-fsigned-char".to_string()];
        let text = format!(
            "#include <stdint.h>\n#include <stddef.h>\ntypedef unsigned short half;\ntypedef half word;\n\
             void f(int N, {name} s, {name} a[static N], int b[restrict 4])\n\
             {{\n    for ({name} i = 0; i < 4; i++)\n        b[i] = a[i] + s;\n}}\n"
        );
        let text = text.replace("for (const ", "for (");
        let kernel = parse(&Source { cpp_args, ..source(&text) }).unwrap();
        assert_eq!(kernel.scalars[0].ty.to_string(), expected, "{name}");
        assert_eq!(kernel.arrays[ArrayId(0)].element.to_string(), expected, "{name}");
        assert_eq!(perfect(&kernel).0[0].ty.to_string(), expected, "{name}");
    }
}

/// What typedefs of arrays and pointers stand for, as C has it (6.7.6 and 6.7.8).
#[test]
fn typedefs_are_written_out() {
    let extents = |head: &str, arguments: &str| -> Vec<(String, String, Vec<String>)> {
        let text = format!(
            "{head}\nvoid f({arguments}, int out[4])\n{{\n    for (int i = 0; i < 4; i++)\n        out[i] = a[i][0][0];\n}}\n"
        );
        let kernel = parse(&source(&text)).unwrap_or_else(|refused| panic!("{refused:#}\n{text}"));
        let of = |array: &crate::source::kernel::Array| {
            let extents = array.extents.iter().map(|extent| extent.to_string()).collect();
            (array.name.clone(), array.element.to_string(), extents)
        };
        kernel.arrays.iter().map(of).collect()
    };
    for (typedefs, arguments, meaning) in [
        ("typedef short cube[4][5][6];", "cube a", "short a[4][5][6]"),
        ("typedef short plane[5][6];", "const plane a[4], plane b", "short a[4][5][6], short b[5][6]"),
        (
            "typedef short row[6]; typedef row plane[5]; typedef plane cube[4];",
            "cube a, row b[2]",
            "short a[4][5][6], short b[2][6]",
        ),
        ("typedef const short row[6], grid[4][5][6];", "grid a, row b", "short a[4][5][6], short b[6]"),
        (
            "typedef unsigned char byte; typedef byte pair[2]; typedef pair other;",
            "other a[4][5]",
            "unsigned char a[4][5][2]",
        ),
        (
            "enum { N = 3 }; typedef int row[2 * N]; typedef int (*rows)[N];",
            "int a[4][5][6], row b",
            "int a[4][5][6], int b[6]",
        ),
        ("typedef int row[6]; typedef int cube[4][5][6]; void g(row, cube);", "cube a", "int a[4][5][6]"),
    ] {
        assert_eq!(extents(typedefs, arguments), extents("", meaning), "{typedefs}: {arguments}");
    }
    // An extent that would mean another thing where the typedef is used.
    let text = "enum { n = 3 };\ntypedef int row[n];\nvoid f(int n, row a)\n{\n    for (int i = 0; i < n; i++)\n        a[i] = 1;\n}\n";
    let refused = parse(&source(text)).unwrap_err().to_string();
    assert!(refused.contains("an array whose extent means another thing"), "{refused}");
}

#[test]
fn char_follows_the_compiler() {
    let text = "void f(char a[9])\n{\n    for (int i = 0; i < 9; i++)\n        a[i] = '\\xff';\n}\n";
    for (flag, name, value) in [("-fsigned-char", "int8_t", -1), ("-funsigned-char", "uint8_t", 255)] {
        let kernel = parse(&Source { cpp_args: vec![flag.into()], ..source(text) }).unwrap();
        assert_eq!(kernel.arrays[ArrayId(0)].element.to_string(), name);
        assert_eq!(perfect(&kernel).1.value, Expr::Constant { value, ty: kernel.arrays[ArrayId(0)].element });
    }
}

#[test]
fn sizes_and_scalars() {
    let kernel = statement("", "a[i][j] = s * N + i;");
    assert_eq!(
        kernel.arguments,
        [
            Argument::Parameter(0),
            Argument::Parameter(1),
            Argument::Scalar(0),
            Argument::Array(ArrayId(0)),
            Argument::Array(ArrayId(1))
        ]
    );
    let Expr::Binary { left, right, .. } = &perfect(&kernel).1.value else { panic!() };
    assert_eq!(**right, Expr::Index { value: Affine::variable("i"), ty: ScalarType::I32 });
    let Expr::Binary { op: BinaryOp::Multiply, left, right, .. } = &**left else { panic!() };
    assert_eq!(**left, Expr::Scalar { scalar: 0, ty: ScalarType::I32 });
    assert_eq!(**right, Expr::Index { value: Affine::variable("N"), ty: ScalarType::I32 });
}

#[test]
fn a_size_directive_makes_an_argument_a_size() {
    let kernel = statement("#pragma burstc size(s: max 9)", "a[i][j] = b[i + s];");
    assert_eq!(kernel.parameters.iter().map(|p| &*p.name).collect::<Vec<_>>(), ["N", "M", "s"]);
    assert_eq!(list(&perfect(&kernel).1.value.reads()[0].subscripts), "i + s");
}

#[test]
fn conversions_are_explicit() {
    // The type of the value before it is converted to the target's, and the operator on top.
    let kernel = |value: &str| {
        kernel(&format!(
            "#include <stdint.h>\nvoid f(int8_t c, uint8_t d, uint16_t h, int32_t i, uint32_t u, int64_t l, uint64_t m,\n\
             int8_t a[9])\n{{\n    for (int x = 0; x < 9; x++)\n        a[x] = {value};\n}}\n"
        ))
    };
    for (value, expected) in [
        ("c + d", "int32_t"),
        ("h * h", "int32_t"),
        ("-d", "int32_t"),
        ("~u", "uint32_t"),
        ("i + u", "uint32_t"),
        ("i + l", "int64_t"),
        ("u + l", "int64_t"),
        ("l + m", "uint64_t"),
        ("i * m", "uint64_t"),
        ("u < l", "int32_t"),
        ("m == m", "int32_t"),
        ("!l", "int32_t"),
        ("l && m", "int32_t"),
        ("c << l", "int32_t"),
        ("u >> l", "uint32_t"),
        ("l << c", "int64_t"),
        ("c ? u : i", "uint32_t"),
        ("c ? c : c", "int32_t"),
        ("(uint16_t)l", "uint16_t"),
        ("+h", "int32_t"),
        ("i % 3u", "uint32_t"),
        ("i & 0xffffffff", "uint32_t"),
        ("i | 4294967295", "int64_t"),
        ("i ^ 1ull", "uint64_t"),
        ("i + 'c'", "int32_t"),
        ("i > u", "int32_t"),
    ] {
        let kernel = kernel(value);
        let top = &perfect(&kernel).1.value;
        assert_eq!(top.ty().to_string(), "int8_t");
        let Expr::Cast { operand, .. } = top else { panic!("{value}: {top:?}") };
        assert_eq!(operand.ty().to_string(), expected, "{value}");
    }
    // `a > b` is `b < a`, after the conversions.
    let swapped = kernel("i > u");
    let Expr::Cast { operand, .. } = &perfect(&swapped).1.value else { panic!() };
    let Expr::Binary { op: BinaryOp::Less, left, right, .. } = &**operand else { panic!() };
    assert!(matches!(**left, Expr::Scalar { scalar: 4, .. }));
    assert!(matches!(&**right, Expr::Cast { operand, .. } if matches!(**operand, Expr::Scalar { scalar: 3, .. })));
    // No cast where none is needed.
    assert!(matches!(perfect(&kernel("c")).1.value, Expr::Scalar { .. }));
}

#[test]
fn constants() {
    let unsigned = |bits| ScalarType::integer(bits, false);
    let signed = |bits| ScalarType::integer(bits, true);
    for (text, value, ty) in [
        ("0", 0, signed(32)),
        ("2147483647", i32::MAX as i64, signed(32)),
        ("2147483648", 1 << 31, signed(64)),
        ("0x7fffffff", i32::MAX as i64, signed(32)),
        ("0xffffffff", u32::MAX as i64, unsigned(32)),
        ("037777777777", u32::MAX as i64, unsigned(32)),
        ("0x100000000", 1 << 32, signed(64)),
        ("0xffffffffffffffff", -1, unsigned(64)),
        ("12u", 12, unsigned(32)),
        ("12L", 12, signed(64)),
        ("12uLL", 12, unsigned(64)),
        ("0b101", 5, signed(32)),
        ("-5", -5, signed(32)),
        ("'A'", 65, signed(32)),
        ("'\\n'", 10, signed(32)),
        ("'\\0'", 0, signed(32)),
        ("'\\''", 39, signed(32)),
        ("'\\101'", 65, signed(32)),
        ("1 ? 3 : 4u", 3, unsigned(32)),
        ("-1 < 1u", 0, signed(32)),
        ("(signed char)200 >> 1", -28, signed(32)),
        ("~0ull / 2", i64::MAX, unsigned(64)),
    ] {
        // The shift keeps the constant's type for all to see.
        let kernel = statement("", &format!("a[i][j] = ({text}) << s;"));
        let mut top = &perfect(&kernel).1.value;
        while let Expr::Cast { operand, .. } = top {
            top = operand;
        }
        let Expr::Binary { left, .. } = top else { panic!("{top:?}") };
        assert_eq!(**left, Expr::Constant { value, ty }, "{text}");
    }
}

#[test]
fn every_assignment() {
    for (text, op) in [
        ("b[i] += s;", BinaryOp::Add),
        ("b[i] -= s;", BinaryOp::Subtract),
        ("b[i] *= s;", BinaryOp::Multiply),
        ("b[i] /= s;", BinaryOp::Divide),
        ("b[i] %= s;", BinaryOp::Remainder),
        ("b[i] &= s;", BinaryOp::And),
        ("b[i] |= s;", BinaryOp::Or),
        ("b[i] ^= s;", BinaryOp::Xor),
        ("b[i] <<= s;", BinaryOp::ShiftLeft),
        ("b[i] >>= s;", BinaryOp::ShiftRight),
        ("b[i]++;", BinaryOp::Add),
        ("++b[i];", BinaryOp::Add),
        ("b[i]--;", BinaryOp::Subtract),
        ("--(b[i]);", BinaryOp::Subtract),
    ] {
        let kernel = statement("", text);
        let statement = perfect(&kernel).1;
        let Expr::Binary { op: found, left, .. } = &statement.value else { panic!("{text}") };
        assert_eq!((*found, &**left), (op, &Expr::Read { access: statement.target.clone(), ty: ScalarType::I32 }));
        assert_eq!(statement.text, text);
    }
    let negated = statement("", "b[i] = !s;");
    assert!(matches!(perfect(&negated).1.value, Expr::Unary { op: UnaryOp::Not, .. }));
}

#[test]
fn loops_become_loops_that_count_up_by_1() {
    check(
        "void f(int n, int m, int a[n + m])\n{\n    int i;\n    for (i = n - 1; i >= m; i--)\n        a[i] = 1;\n    \
         for (i = 0; i < n && i <= m; i += 4)\n        a[i] = i;\n    for (i = 0; i < 10; i += 4)\n        a[i] = 2;\n}\n",
        &[
            "f",
            "size int32_t n = ? to ?",
            "size int32_t m = ? to ?",
            "array int32_t a[m + n]",
            "int32_t i_step: 0 ..= n - m - 1",
            "  S0: [n - i_step - 1] a[i] = 1;",
            "int32_t i_step_1: 0 ..= n - 1, m",
            "  if All([NonNegative(n - 4*i_step_1 - 1), NonNegative(m - 4*i_step_1)])",
            "    S1: [4*i_step_1] a[i] = i;",
            "int32_t i_step_2: 0 ..= 2",
            "  S2: [4*i_step_2] a[i] = 2;",
        ],
    );
}

#[test]
fn local_memory() {
    let kernel = kernel(
        "void f(int n, int a[n])\n{\n    int sum = 0, unused;\n    for (int i = 0; i < n; i++) {\n        short sum[4][n];\n\
                 long max = a[i];\n        const int next = i + 1;\n        if (i > 2)\n            max++;\n        sum[0][next - 1] = max;\n        \
         a[i] = sum[0][i];\n    }\n    for (int i = 0; i < n; i++)\n        sum += i;\n    a[0] = sum;\n}\n",
    );
    let locals: Vec<String> = kernel.arrays.raw[1..]
        .iter()
        .map(|a| {
            let Storage::Local { declared_in, .. } = &a.storage else { panic!("{} is an argument", a.name) };
            format!("{} {}[{}] in {declared_in:?}", a.element, a.name, list(&a.extents))
        })
        .collect();
    assert_eq!(locals, ["int32_t sum[] in []", "int16_t sum_2[4, n] in [\"i\"]", "int64_t max[] in [\"i\"]",]);
    let texts: Vec<&str> = kernel.statements().iter().map(|s| s.text.as_str()).collect();
    assert_eq!(texts[..2], ["sum = 0;", "long max = a[i];"]);
}

#[test]
fn quotients_are_shared() {
    let kernel = kernel(
        "void f(int n, int i_div_2, int a[n])\n{\n    for (int i = 0; i < n; i++)\n        a[i / 2] = a[(i >> 1) + i % 2]\n\
                 + a[(2 * i) / 4] + a[(i + 2 * n) / 4];\n}\n",
    );
    let quotients: Vec<String> =
        kernel.quotients.iter().map(|q| format!("{} = {} / {}", q.name, q.numerator, q.divisor)).collect();
    assert_eq!(quotients, ["i_div_2_1 = i / 2", "i_n_div_4 = i + 2*n / 4"]);
}

#[test]
fn spans_are_the_users_own() {
    // Macros, comments, blanks and spliced lines: the preprocessor changes all columns.
    let text = "#include <stdint.h>\n#define PLUS(x, y)  x + y\n#define LAST   (N - 1)\n\
                void   f(int N,  int32_t a[N])\n{\n\
                /* é */   for (int i  =  0;  i <=  LAST; i++) /* … */  a[ i ]  =  PLUS(a[i],\n     N) /* end */ ;\n}\n";
    let kernel = kernel(text);
    let at = |span: crate::diagnostic::Span| -> String {
        let line = text.lines().nth(span.line - 1).unwrap();
        line.chars().skip(span.column - 1).take(span.length).collect()
    };
    let (loops, statement) = perfect(&kernel);
    assert_eq!(at(loops[0].span), "for (int i  =  0;  i <=  LAST; i++)");
    assert_eq!(at(statement.target.span), "a[ i ]");
    assert_eq!(at(statement.span), "a[ i ]  =  PLUS(a[i],");
    assert_eq!(at(statement.value.reads()[0].span), "a[i]");
    assert_eq!(statement.text, "a[ i ] = PLUS(a[i], N) ;");
    assert_eq!((at(kernel.parameters[0].span), at(kernel.arrays[ArrayId(0)].span)), ("N".into(), "a".into()));
}

#[test]
fn line_directives_and_endings_do_not_mislead() {
    let text = "\u{feff}#line 70 \"other.y\"\r\n# 80 \"third\"\r\nvoid f(int N, int a[N])\r\n{\r\n\
                    for (int i = 0; i < N; i++)\r\n        a[i] = 1;\r\n}";
    assert_eq!(perfect(&kernel(text)).1.span.line, 6);
}

#[test]
fn options_reach_the_preprocessor() {
    let text = "void f(int a[N])\n{\n    for (int i = 0; i < N; i++)\n        a[i] = 1;\n}\n";
    let kernel = parse(&Source { cpp_args: vec!["-DN=12".into()], ..source(text) }).unwrap();
    assert_eq!(list(&kernel.arrays[ArrayId(0)].extents), "12");
}

#[test]
fn headers_beside_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.c");
    std::fs::write(folder.path().join("sizes.h"), "#define SIZE 7\n#pragma burstc tile(i:SIZE)\n").unwrap();
    let text = "#include \"sizes.h\"\nvoid f(int a[SIZE])\n{\n for (int i = 0; i < SIZE; i++)\n  a[i] = 1;\n}\n";
    std::fs::write(&path, text).unwrap();
    let kernel = parse(&Source::read(&path, vec![]).unwrap()).unwrap();
    assert_eq!(list(&kernel.arrays[ArrayId(0)].extents), "7");
    let tiling = kernel.tilings[0].clone();
    assert_eq!((tiling.sizes, tiling.span.line), (vec![7], 1));
}

/// What the host computes: steps, of which statements read some.
#[test]
fn values_of_the_host() {
    let found = kernel(
        "#include <math.h>\nvoid f(int n, float s, float a[n])\n{\n    float k, u, v = 0, w = s, e = 0.5f;\n    int half = n / 2;\n    \
         k = expf(-s) * (half + 1);\n    u = k - s;\n    v = u;\n    for (int i = 0; i < n; i++) {\n        v += a[i] * u;\n        \
         a[i] = v * e + w + (s / n) * sqrtf(s) + expf(-s);\n    }\n}\n",
    );
    let text = |step: &HostStep| {
        let register = step.scalar.map_or("no register".to_string(), |scalar| found.scalars[scalar].name.clone());
        format!("{} {} = {}: {register}", step.ty, step.name, crate::host::value(&found, step))
    };
    let expected = [
        "float expf_1 = expf((-arg_s)): expf_1",
        "float k = (host_expf_1 * (float)((int32_t)((((int64_t)arg_n) / 2)) + 1)): no register",
        "float u = (host_k - arg_s): u",
        "float coefficient = ((arg_s / (float)(int32_t)((int64_t)arg_n)) * sqrtf(arg_s)): coefficient",
    ];
    assert_eq!(found.host.iter().map(text).collect::<Vec<_>>(), expected);
    assert_eq!(found.scalars.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["s", "expf_1", "u", "coefficient"]);
    // `v` changes in the loop, so it is memory, with a statement for the last value before.
    assert_eq!(found.arrays.iter().map(|array| array.name.as_str()).collect::<Vec<_>>(), ["a", "v"]);
    assert_eq!(found.statements().len(), 3);
}

/// An array, a loop's variable and what depends on them are no values of the host.
#[test]
fn values_that_are_not_of_the_host() {
    let found = kernel(
        "void f(int n, float s, float a[n])\n{\n    float x, y, z;\n    x = s * 2;\n    y = a[0];\n    z = y * x;\n    \
         for (int i = 0; i < n; i++)\n        a[i] = x = a[i] + z;\n}\n",
    );
    assert_eq!(found.arrays.iter().map(|array| array.name.as_str()).collect::<Vec<_>>(), ["a", "z"]);
    // Only the product.
    assert_eq!(found.host.len(), 1);
    let texts: Vec<&str> = found.statements().iter().map(|statement| statement.text.as_str()).collect();
    assert_eq!(texts, ["x = s * 2; y = a[0]; z = y * x;", "a[i] = x = a[i] + z;"]);
}

/// A value that only a size bounds does not wrap around as long as that size may be bounded.
#[test]
fn what_no_constant_bounds_is_not_taken_modulo_its_type() {
    let text = "#pragma burstc size(N: 1, max 1)
void f(int N, int a[N + 3])
{
    for (int i = 0; i <= N - 1; i++)
        for (signed char j = i - 1; j <= 0; j++)
            a[2] = a[i + 2];
}";
    assert_eq!(kernel(text).quotients.len(), 0);
    let wraps = text.replace("i <= N - 1", "i <= 299").replace("j <= 0", "j <= i - 257");
    assert_eq!(kernel(&wraps.replace("a[i + 2]", "a[2]")).quotients.len(), 1);
}
