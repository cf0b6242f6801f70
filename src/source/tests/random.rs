//! Random kernels against the C compiler: loops of any kind in each other and in sequence, conditions, quotients, local
//! memory.

use super::native::{compare_source, small_sizes};
use super::{seeded, source};

/// Of this file's programs.
struct Kernels;
type Random = seeded::Random<Kernels>;

/// Every subscript is moved by this much, and lies within [`EXTENT`].
const OFFSET: i64 = 200;
const EXTENT: i64 = 512;

impl Random {
    /// An affine expression of small value over the iterators and sizes.
    fn affine(&mut self, iterators: &[String]) -> String {
        let mut names: Vec<&str> = iterators.iter().map(String::as_str).collect();
        names.extend(["n", "m"]);
        let x = self.pick(&names);
        match self.below(7) {
            0 => x.to_string(),
            1 => format!("{x} + {}", self.below(4)),
            2 => format!("{x} - {}", self.below(4)),
            3 => format!("{x} - {}", self.pick(&names)),
            4 => format!("2 * {x} - {}", self.pick(&names)),
            5 => format!("({x} + {})", self.pick(&names)),
            _ => self.below(6).to_string(),
        }
    }

    /// A quotient or remainder of a value of either sign.
    fn quotient(&mut self, iterators: &[String]) -> String {
        let value = self.affine(iterators);
        match self.below(5) {
            0 => format!("({value}) / {}", 1 + self.below(6)),
            1 => format!("({value}) % {}", 1 + self.below(6)),
            2 => format!("(({value}) >> {})", self.below(4)),
            3 => format!("(({value}) & {})", [1, 3, 7][self.below(3)]),
            _ => format!("({value}) {} -{}", self.pick(&["/", "%"]), 2 + self.below(3)),
        }
    }

    fn subscript(&mut self, iterators: &[String]) -> String {
        let value = if self.below(4) == 0 { self.quotient(iterators) } else { self.affine(iterators) };
        format!("[{value} + {OFFSET}]")
    }

    fn condition(&mut self, iterators: &[String], depth: usize) -> String {
        if depth > 0 && self.below(3) == 0 {
            let (x, y) = (self.condition(iterators, depth - 1), self.condition(iterators, depth - 1));
            return match self.below(3) {
                0 => format!("({x} && {y})"),
                1 => format!("({x} || {y})"),
                _ => format!("!({x} && {y})"),
            };
        }
        let left = if self.below(3) == 0 { self.quotient(iterators) } else { self.affine(iterators) };
        format!("{left} {} {}", self.pick(&["<", "<=", ">", ">=", "==", "!="]), self.affine(iterators))
    }

    /// A loop's head, without `for`.
    fn head(&mut self, name: &str, iterators: &[String]) -> String {
        let ty = if self.below(2) == 0 { "int " } else { "" };
        let (x, mut y) = (self.affine(iterators), self.affine(iterators));
        if self.below(4) == 0 {
            y = self.quotient(iterators);
        }
        let (least, most) = (self.below(3), 8 + self.below(6));
        let step = 1 + self.below(4);
        match self.below(6) {
            0 | 1 => format!("({ty}{name} = {x}; {name} < {y}; {name}++)"),
            2 => format!("({ty}{name} = {x}; {name} <= {y} && {most} >= {name}; {name} += {step})"),
            3 => format!("({ty}{name} = {x}; {name} >= {y}; {name}--)"),
            4 => format!("({ty}{name} = {x}; {name} > {y} && {name} >= {least}; {name} -= {step})"),
            _ => format!("({ty}{name} = MAX({x}, {least}); {name} < MIN({y}, {most}); ++{name})"),
        }
    }

    fn statement(&mut self, iterators: &[String], scalars: &[String], text: &mut String) {
        let read = |random: &mut Self| match random.below(4) {
            0 => random.affine(iterators),
            1 if !scalars.is_empty() => scalars[random.below(scalars.len())].clone(),
            k => format!("{}{}", ["a", "b", "w"][k % 3], random.subscript(iterators)),
        };
        let value = format!("{} * 3 + {} - ({})", read(self), read(self), read(self));
        let target = match self.below(4) {
            0 if !scalars.is_empty() => scalars[self.below(scalars.len())].clone(),
            k => format!("{}{}", ["a", "b", "w"][k % 3], self.subscript(iterators)),
        };
        let op = self.pick(&["=", "=", "+=", "^=", "-=", "*="]);
        text.push_str(&format!("{target} {op} {value};\n"));
    }

    fn block(&mut self, depth: usize, iterators: &[String], scalars: &[String], text: &mut String) {
        let mut scalars = scalars.to_vec();
        text.push_str("{\n");
        for _ in 0..1 + self.below(3) {
            match self.below(8) {
                0..=2 if depth > 0 => {
                    let name = ["i", "j", "k"][iterators.len()].to_string();
                    let head = self.head(&name, iterators);
                    text.push_str(&format!("for {head}\n"));
                    let inner: Vec<String> = iterators.iter().cloned().chain([name]).collect();
                    self.block(depth - 1, &inner, &scalars, text);
                }
                3 => {
                    let condition = self.condition(iterators, 2);
                    text.push_str(&format!("if ({condition})\n"));
                    self.block(depth, iterators, &scalars, text);
                    if self.below(2) == 0 {
                        text.push_str("else\n");
                        self.block(depth, iterators, &scalars, text);
                    }
                }
                4 => {
                    // The same names come again in other blocks.
                    let name = format!("t{}", scalars.len());
                    let ty = self.pick(&["int", "short", "uint8_t", "unsigned", "long"]);
                    text.push_str(&format!("{ty} {name} = a{};\n", self.subscript(iterators)));
                    scalars.push(name);
                }
                5 => {
                    let value = self.affine(iterators);
                    text.push_str(&format!("{{ int h = {value}; a[h + {OFFSET}] += h; }}\n"));
                }
                _ => self.statement(iterators, &scalars, text),
            }
        }
        text.push_str("}\n");
    }
}

fn compare(seed: u64) {
    let random = &mut Random::new(seed);
    let mut block = String::new();
    random.block(3, &[], &[], &mut block);
    let text = format!(
        "#include <stdint.h>\n#define MIN(a, b) ((a) < (b) ? (a) : (b))\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n\
         #pragma burstc size(n: max 12) size(m: max 12)\n\
         void f(int n, int m, int a[{EXTENT}], short b[{EXTENT}])\n{{\nint i, j, k, z;\nuint8_t w[{EXTENT}];\n\
         for (z = 0; z < {EXTENT}; z++) w[z] = z;\n{block}\n}}\n"
    );
    compare_source(&source(&text), &small_sizes(2));
}

#[test]
#[ignore = "slow: make test"]
fn random_kernels_agree_with_the_c_compiler() {
    for seed in 1..=40 {
        compare(seed * 7919);
    }
}

#[test]
#[ignore = "make soak"]
fn many_random_kernels_agree_with_the_c_compiler() {
    for seed in 1000..2500 {
        compare(seed * 7919);
    }
}
