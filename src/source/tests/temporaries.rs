//! Temporaries of what data decide: which are declared inside, and the values against the C compiler.

use super::native::{compare_each, compare_small, compare_source};
use super::{seeded, source};
use crate::source::kernel::Storage;
use crate::source::parse;

/// A kernel around `body`, with rows of at most 7 elements that `a` and `b` bound.
fn text(body: &str) -> String {
    format!(
        "#pragma burstc size(n: 5, max 40)\n#pragma burstc size(m: 5, max 40)\n\
         void f(int n, int m, int a[n + 1], int b[n + 1], int c[8], int d[8])\n{{\nint t, u, v;\n{body}\n}}\n"
    )
}

fn compare(body: &str) {
    compare_small(&source(&text(body)));
}

const ROW: &str = "for (int j = a[i] & 7; j < (a[i + 1] & 7); j++)";

/// How many local scalars keep a value from one statement to another.
fn kept(body: &str) -> usize {
    let source = source(&text(body));
    compare_source(&source, &[vec![5, 5]]);
    let kernel = parse(&source).unwrap();
    kernel.arrays.iter().filter(|array| array.storage != Storage::Argument).count()
}

#[test]
fn temporaries_of_data_go_inside() {
    for (body, expected) in [
        ("for (int i = 0; i < n; i++) ROW { t = c[j] * 3; d[j] += t; }", 0),
        ("t = 0; for (int i = 0; i < n; i++) ROW { t = c[j] * 3; u = t + 1; d[j] += u * t; }", 0),
        ("for (int i = 0; i < n; i++) { t = 0; ROW { u = c[j] * 3; t += u; } b[i] = t; }", 1),
        ("for (int i = 0; i < n; i++) if (a[i] > 3) { t = b[i] * 3; b[i] = t; } else { t = b[i]; c[i & 7] += t; }", 0),
        ("for (int i = 0; i < n; i++) { u = a[i]; if (u > 3) { t = b[i]; b[i + 1] = t * t; } }", 0),
        // Somebody reads it behind, or in the next round.
        ("t = 5; for (int i = 0; i < n; i++) { ROW { t = c[j] * 3; d[j] += t; } b[i] = t; }", 1),
        ("t = 5; for (int i = 0; i < n; i++) if (a[i] > 3) { u = t + 1; b[i] = u; t = b[i]; }", 1),
        ("t = 5; for (int i = 0; i < n; i++) { if (a[i] > 3) t = b[i]; b[i] = t; }", 1),
    ] {
        assert_eq!(kept(&body.replace("ROW", ROW)), expected, "{body}");
    }
}

#[test]
fn lives_of_temporaries() {
    let rows: Vec<String> = [
        "t = 1; for (int i = 0; i < n; i++) ROW { if (c[j] > 4) t = j; d[j] += t; }",
        "for (int i = 0; i < n; i++) ROW { t = c[j]; if (t > 4) continue; u = t * 2; d[j] = u; } t = 3; c[0] = t;",
        "for (int i = 0; i < n; i++) { t = i; ROW { u = t + j; t = c[j] + u; d[j] ^= t; } c[1] += t; }",
        "for (int i = 0; i < n; i++) { v = a[i] & 7; u = a[i + 1] & 7; for (int j = v; j < u; j++) { v = c[j]; d[j] += v * u; } }",
        "t = 0; u = 9; for (int i = 0; i < n; i++) if (a[i] > b[i]) { t = a[i]; u = t; } else { u = b[i]; } c[2] = t; c[3] = u;",
        "for (int i = 0; i < n; i++) if (a[i] > 2) { t = b[i]; if (t > 1) { u = t; c[i & 7] += u; } else { u = 2; } d[i & 7] += t; }",
    ]
    .iter()
    .map(|body| body.replace("ROW", ROW))
    .collect();
    compare_each(&rows.iter().map(String::as_str).collect::<Vec<_>>(), compare);
}

/// A place that data move is memory; what bounds the rows beside it is not, also where it only makes other variables.
#[test]
fn what_bounds_rows_stays_known() {
    for body in [
        "int i, k, to, at; for (i = 0; i < n; i++) { to = i + 1; at = to; for (k = i; k <= to; k++) if (b[k] > 2) { a[at] = b[k]; at--; } }",
        "int i, k, to, at; for (i = 0; i < n; i++) { to = i + 1; { int end = to, begin = i; at = begin; for (k = begin; k <= end; k++) { if (b[k] > 2) at++; d[at & 7] += k; } } }",
        "int i, k, to, at, m2; m2 = 2; for (i = 0; i < n / 2; i++) { to = i * m2 + m2 - 1; at = i; for (k = i; k <= at; k++) d[k & 7]++; at = to;          for (k = i * m2; k <= to; k++) if (b[k] > 2) { a[at] = b[k]; at--; } }",
    ] {
        compare(body);
        let names = parse(&source(&text(body))).unwrap().arrays;
        let is_known = |name: &str| names.iter().all(|array| array.name != name);
        assert!(["to", "end", "begin", "m2"].into_iter().all(is_known) && !is_known("at"), "{body}: {names:?}");
    }
}

/// A refusal names variables as the text does, also where two lives of one are two.
#[test]
fn refusals_name_what_the_text_has() {
    let text = "void f(double real[64])\n{\nint odd, span;\nfor (span = 32; span; span >>= 1)\nfor (odd = span; odd < 64; odd++) {\n\
                odd |= span;\nreal[odd] = real[odd ^ span] - real[odd];\n}\n}\n";
    assert_eq!(super::diagnostic(text).message, "a statement assigns the iterator `odd`");
}

/// Of this file's programs.
struct UnderData;
type Random = seeded::Random<UnderData>;

impl Random {
    fn operand(&mut self) -> &'static str {
        ["t", "u", "v", "t", "u", "a[i]", "b[i]", "c[i & 7]", "d[7]", "i"][self.below(10)]
    }

    /// Statements over `t`, `u` and `v`, which all have values.
    fn block(&mut self, depth: usize, text: &mut String) {
        for _ in 0..2 + self.below(4) {
            let value = format!("{} * 3 + ({} ^ {})", self.operand(), self.operand(), self.operand());
            match self.below(10) {
                0..=3 => text.push_str(&format!("{} = {value};\n", ["t", "u", "v"][self.below(3)])),
                4 => text.push_str(&format!("{} += {};\n", ["t", "u", "v"][self.below(3)], self.operand())),
                5 | 6 if depth > 0 => {
                    text.push_str(&format!("if (({} & 7) > {}) {{\n", self.operand(), self.below(7)));
                    self.block(depth - 1, text);
                    if self.below(2) == 0 {
                        text.push_str("} else {\n");
                        self.block(depth - 1, text);
                    }
                    text.push_str("}\n");
                }
                7 if depth > 0 => {
                    let row = [ROW, "for (int j = 0; j < 3; j++)", "for (int j = a[i] & 3; j < 5; j++)"][self.below(3)];
                    text.push_str(&format!("{} {{\n", row.replace('j', &format!("j{depth}"))));
                    self.block(depth - 1, text);
                    text.push_str(&format!("d[j{depth}] += {};\n}}\n", self.operand()));
                }
                _ => text.push_str(&format!("{}[{}] = {value};\n", ["c", "d"][self.below(2)], self.below(8))),
            }
        }
    }
}

fn random(seed: u64) {
    let mut body = "t = c[7]; u = 1; v = 2;\nfor (int i = 0; i < n; i++) {\n".to_string();
    let mut random = Random::new(seed);
    random.block(3, &mut body);
    body.push_str("d[7] += 1;\n");
    body.push_str("}\n");
    // Some are read behind all of it.
    for name in ["t", "u", "v"] {
        if random.below(3) == 0 {
            body.push_str(&format!("c[{}] ^= {name};\n", random.below(8)));
        }
    }
    compare_source(&source(&text(&body)), &[vec![0, 1], vec![1, 1], vec![2, 1], vec![7, 1]]);
}

#[test]
fn random_temporaries_under_data() {
    (1..=60).for_each(|seed| random(seed * 104_729));
}

#[test]
#[ignore = "minutes"]
fn many_random_temporaries_under_data() {
    (1000..3000).for_each(|seed| random(seed * 104_729));
}
