//! Temporaries as wires: which go and which stay, and the values against the C compiler.

use super::native::{compare_source, small_sizes};
use super::{seeded, source};
use crate::ids::StatementId;
use crate::source::kernel::Storage;
use crate::source::parse;

/// A kernel around `body`, in two loops.
fn text(body: &str) -> String {
    format!(
        "#include <stdint.h>\n#pragma burstc size(n: max 9)\n\
         void f(int n, int a[16][16], short b[16][16], uint8_t c[16][16])\n{{\nint outside;\n\
         for (int i = 1; i < n; i++)\nfor (int j = 1; j < n; j++) {{\n{body}\n}}\n}}\n"
    )
}

/// The kernel's local arrays and statements; its values are those of C.
fn left(body: &str) -> (usize, usize) {
    let source = source(&text(body));
    compare_source(&source, &small_sizes(1));
    let kernel = parse(&source).unwrap();
    let names: Vec<String> = kernel.statements().iter().map(|s| s.name.clone()).collect();
    assert_eq!(names, (0..names.len()).map(|n| format!("S{n}")).collect::<Vec<_>>());
    (kernel.arrays.iter().filter(|a| a.storage != Storage::Argument).count(), names.len())
}

#[test]
fn temporaries_of_an_iteration_go() {
    for (body, statements) in [
        ("int x = a[i][j]; int y = x * 3; b[i][j] = y + x;", 1),
        // Conversions at every assignment stay.
        ("uint8_t x = a[i][j]; short y = x + 200; b[i][j] = y * x; unsigned z = y; a[i][j] = z / 3;", 2),
        ("_Bool x = a[i][j]; a[i][j] = x + 1;", 1),
        ("outside = a[i][j]; b[i][j] = outside; outside = outside * 5; a[j][i] = outside;", 2),
        // What is written in between is another cell.
        ("int x = a[i][j]; a[i][j - 1] = 7; b[i][j] = x;", 2),
        // Conditions are no loops.
        ("int x = a[i][j] * 3; if (i > 2) { int y = x + 1; b[i][j] = y; } else c[i][j] = x;", 2),
        ("int x = a[i][j]; if (i > 2) { x = x + j; b[i][j] = x; }", 1),
        ("int never = a[i][j]; b[i][j] = 3;", 1),
    ] {
        assert_eq!(left(body), (0, statements), "{body}");
    }
}

#[test]
fn others_stay() {
    for (body, statements) in [
        ("int x = a[i][j]; a[i][j] = b[i][j]; b[i][j] = x;", 3),
        ("int x = a[i][j]; a[j][i] = 7; b[i][j] = x;", 3),
        ("int x = a[i][j]; for (int k = 0; k < 4; k++) b[i][k] += x;", 2),
        ("int x = 1; for (int k = 0; k < 4; k++) x = x + a[i][k]; b[i][j] = x;", 3),
        ("int x = 1; if (i > 2) x = a[i][j]; b[i][j] = x;", 3),
        // From iteration to iteration.
        ("if (i > 1 || j > 1) b[i][j] = outside; outside = a[i][j];", 2),
        ("outside = a[i][j]; if (i > 2) outside = a[j][i]; b[i][j] = outside;", 3),
    ] {
        assert_eq!(left(body), (1, statements), "{body}");
    }
}

/// A chain in which every temporary is read twice has more than a million terms when all are put in place.
#[test]
fn expressions_stay_small() {
    let chain: String = (1..20).map(|k| format!("int x{k} = x{} ^ (x{} >> 1);\n", k - 1, k - 1)).collect();
    let (arrays, statements) = left(&format!("int x0 = a[i][j];\n{chain}b[i][j] = x19;"));
    assert!((1..=4).contains(&arrays) && statements == arrays + 1, "{arrays} {statements}");
}

/// Every temporary is read by the next two: forwarded without a bound, the values double.
#[test]
fn temporaries_that_are_read_twice_do_not_grow() {
    fn nodes(expr: &crate::source::kernel::Expr) -> usize {
        1 + expr.operands().into_iter().map(nodes).sum::<usize>()
    }
    let temporaries: String = (2..27).map(|k| format!("int t{k} = t{} + t{};\n", k - 1, k - 2)).collect();
    let body = format!("int t0 = a[i][j], t1 = b[i][j];\n{temporaries}b[i][j] = t26;");
    let kernel = parse(&source(&text(&body))).unwrap();
    let largest = kernel.statements().iter().map(|statement| nodes(&statement.value)).max();
    assert!(largest.is_some_and(|nodes| nodes < 2000), "{largest:?}");
}

/// Conditions and choices of more than 32 parts are trees that C's own evaluation agrees with, reads that are guarded
/// included.
#[test]
fn long_conditions_and_choices_are_trees() {
    fn depth(expr: &crate::source::kernel::Expr) -> usize {
        1 + expr.operands().into_iter().map(depth).max().unwrap_or(0)
    }
    let deepest = |value: &str| {
        let source = source(&text(&format!("c[i][j] = {value};")));
        compare_source(&source, &small_sizes(1));
        depth(&parse(&source).unwrap().statements()[StatementId(0)].value)
    };
    let parts = |count: usize, part: &dyn Fn(usize) -> String, between: &str| {
        (0..count).map(part).collect::<Vec<_>>().join(between)
    };
    let condition = |k: usize| match k % 3 {
        0 => format!("(a[i][j] & {}) == {}", 15 + k, k % 16),
        1 => format!("(i > 0 && a[i - 1][j] % 64 == {k})"),
        _ => format!("b[i][j] % 128 != {k}"),
    };
    for operator in [" && ", " || "] {
        let depth = deepest(&parts(200, &condition, operator));
        assert!(depth <= 8 + 8, "{operator}: {depth}");
    }
    let chain = |k: usize| format!("{} ? a[i][j] + {k}", condition(k));
    let rare = |k: usize| format!("(a[i][j] & 255) == {k} ? b[i][j] + {k}");
    for chain in [&chain as &dyn Fn(usize) -> String, &rare] {
        let depth = deepest(&format!("{} : b[i][j]", parts(200, chain, " : ")));
        assert!(depth <= 8 + 8 + 8, "{depth}");
    }
    let inner = |k: usize| format!("(a[i][j] & 255) != {k} ? ");
    let outer: String = (0..200).rev().map(|k| format!(" : {k}")).collect();
    let depth = deepest(&format!("{}b[i][j]{outer}", parts(200, &inner, "")));
    assert!(depth <= 8 + 8 + 8, "{depth}");
    // Short ones stay as they are written.
    assert_eq!(deepest(&format!("{} : 0", parts(32, &rare, " : "))), 32 + 3 + 1);
}

/// A sum of many terms is a tree; what it is added to comes last.
#[test]
fn long_sums_are_trees() {
    let sum =
        |terms: usize| (0..terms).map(|k| format!("a[i + {}][j] * {}", k % 3, k + 1)).collect::<Vec<_>>().join(" + ");
    let depth = |statement: &str| {
        fn depth(expr: &crate::source::kernel::Expr) -> usize {
            1 + expr.operands().into_iter().map(depth).max().unwrap_or(0)
        }
        let source = source(&text(statement));
        compare_source(&source, &small_sizes(1));
        depth(&parse(&source).unwrap().statements()[StatementId(0)].value)
    };
    assert_eq!(depth(&format!("c[i][j] = {};", sum(300))), 1 + 9 + 2);
    let added = depth(&format!("a[i][j] += {};", sum(300).replace("a[", "b[")));
    assert!((13..=15).contains(&added), "{added}");
    assert_eq!(depth(&format!("c[i][j] = {};", sum(32))), 1 + 31 + 2);
}

/// Of this file's programs.
struct Temporaries;
type Random = seeded::Random<Temporaries>;

impl Random {
    fn cell(&mut self) -> String {
        let array = ["a", "b", "c"][self.below(3)];
        let subscript = |random: &mut Self| ["i", "j", "i - 1", "j - 1", "j + 1", "3"][random.below(6)];
        format!("{array}[{}][{}]", subscript(self), subscript(self))
    }

    /// Statements over `known` temporaries, all of which have values.
    fn block(&mut self, depth: usize, known: &[String], text: &mut String) {
        let mut known = known.to_vec();
        for _ in 0..2 + self.below(6) {
            let operand = |random: &mut Self| match random.below(3) {
                0 => random.cell(),
                _ => known[random.below(known.len())].clone(),
            };
            let value = format!("{} * 3 + ({} ^ {})", operand(self), operand(self), operand(self));
            match self.below(9) {
                0..=2 => {
                    let ty = ["int", "short", "uint8_t", "unsigned", "_Bool"][self.below(5)];
                    let name = format!("t{}", known.len());
                    text.push_str(&format!("{ty} {name} = {value};\n"));
                    known.push(name);
                }
                3 => {
                    let name = known[self.below(known.len())].clone();
                    text.push_str(&format!("{name} = {value};\n"));
                }
                4 if depth > 0 => {
                    text.push_str(&format!("if (i + {} > j) {{\n", self.below(4)));
                    self.block(depth - 1, &known, text);
                    text.push_str("} else {\n");
                    self.block(depth - 1, &known, text);
                    text.push_str("}\n");
                }
                5 if depth > 0 => {
                    text.push_str(&format!("for (int k{depth} = 0; k{depth} < {}; k{depth}++) {{\n", self.below(4)));
                    self.block(depth - 1, &known, text);
                    text.push_str("}\n");
                }
                _ => text.push_str(&format!("{} = {value};\n", self.cell())),
            }
        }
    }
}

fn compare(seed: u64) {
    let mut body = "outside = a[i][j] + j;\n".to_string();
    Random::new(seed).block(2, &["outside".to_string()], &mut body);
    body.push_str("b[i][j] = outside;\n");
    compare_source(&source(&text(&body)), &small_sizes(1));
}

#[test]
fn random_temporaries_agree_with_the_c_compiler() {
    for seed in 1..=40 {
        compare(seed * 7919);
    }
}

#[test]
#[ignore = "minutes"]
fn many_random_temporaries_agree_with_the_c_compiler() {
    for seed in 1000..2500 {
        compare(seed * 7919);
    }
}
