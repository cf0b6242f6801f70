//! Random kernels whose bounds, conditions and subscripts mix types, against the C compiler: for the sizes that burstc
//! leaves in the domain, it does what C does.

use super::native::compare_accepted;
use super::{seeded, source};

/// Of this file's programs.
struct TypedKernels;
type Random = seeded::Random<TypedKernels>;

const TYPES: [&str; 9] =
    ["int", "unsigned", "int8_t", "uint8_t", "int16_t", "uint16_t", "int64_t", "uint64_t", "unsigned long"];
const SIZES: [&str; 4] = ["n", "m", "p", "q"];

impl Random {
    fn name(&mut self, names: &[String]) -> String {
        match self.below(3) {
            0 => self.pick(&SIZES).to_string(),
            _ if names.is_empty() => self.pick(&SIZES).to_string(),
            _ => names[self.below(names.len())].clone(),
        }
    }

    fn constant(&mut self) -> String {
        let value = [0, 1, 1, 2, 3, 5, 9, 12][self.below(8)];
        format!("{value}{}", self.pick(&["", "", "", "u", "l", "ul"]))
    }

    /// An expression of small value, as far as it does not wrap around.
    fn value(&mut self, names: &[String], depth: usize) -> String {
        let name = self.name(names);
        if depth == 0 {
            return if self.below(4) == 0 { self.constant() } else { name };
        }
        let x = self.value(names, depth - 1);
        match self.below(13) {
            0..=2 => format!("({x} + {})", self.constant()),
            3 | 4 => format!("({x} - {})", self.constant()),
            5 => format!("({x} - {name})"),
            6 => format!("({x} + {name})"),
            7 => format!("(({})({x}))", self.pick(&TYPES)),
            8 => format!("(({x}) {} {})", self.pick(&["/", "%"]), 2 + self.below(3)),
            9 => format!("(({x}) {} {})", self.pick(&[">>", "&"]), [1, 3][self.below(2)]),
            10 => format!("{}({x}, {name})", self.pick(&["MIN", "MAX", "min", "umin"])),
            11 => format!("(2 * {x} - {name})"),
            _ => x,
        }
    }

    fn condition(&mut self, names: &[String], depth: usize) -> String {
        if depth > 0 && self.below(2) == 0 {
            let (x, y) = (self.condition(names, depth - 1), self.condition(names, depth - 1));
            return format!("({x} {} {y})", self.pick(&["&&", "&&", "||"]));
        }
        let (x, y) = (self.value(names, 1), self.value(names, 1));
        format!("{x} {} {y}", self.pick(&["<", "<=", ">", ">=", "==", "!="]))
    }

    fn head(&mut self, name: &str, names: &[String]) -> String {
        let ty = self.pick(&TYPES);
        let bound = self.value(names, 2);
        let (start, most) = (self.constant(), 6 + self.below(9));
        match self.below(7) {
            0 | 1 => format!("for ({ty} {name} = {start}; {name} < {bound} && {name} < {most}; {name}++)"),
            2 => format!("for ({ty} {name} = {bound}; {name} <= {most}; {name} += {})", 1 + self.below(3)),
            3 => format!("for ({ty} {name} = {bound}; {name} > {start}; {name}--)"),
            4 => format!("for ({ty} {name} = {most}; {name} >= {bound}; {name} -= {})", 1 + self.below(3)),
            5 => format!("for ({ty} {name} = {start}; {name} != {}; {name}++)", self.name(names)),
            _ => format!("for ({ty} {name} = MAX({bound}, {start}); {name} < {most}; {name} += 2)"),
        }
    }

    fn block(&mut self, depth: usize, names: &[String], text: &mut String) {
        let mut names = names.to_vec();
        text.push_str("{\n");
        for _ in 0..1 + self.below(2) {
            match self.below(6) {
                0 | 1 if depth > 0 => {
                    let name = ["i", "j", "k"][depth - 1].to_string();
                    let head = self.head(&name, &names);
                    text.push_str(&head);
                    let inner: Vec<String> = names.iter().cloned().chain([name]).collect();
                    self.block(depth - 1, &inner, text);
                }
                2 => {
                    text.push_str(&format!("if ({})\n", self.condition(&names, 2)));
                    self.statement(&names, text);
                }
                3 => {
                    let name = format!("t{}", text.len());
                    let ty = self.pick(&TYPES);
                    text.push_str(&format!("{ty} {name} = {};\n", self.value(&names, 2)));
                    names.push(name);
                    self.statement(&names, text);
                }
                _ => self.statement(&names, text),
            }
        }
        text.push_str("}\n");
    }

    fn statement(&mut self, names: &[String], text: &mut String) {
        let (x, y) = (self.value(names, 1), self.value(names, 2));
        text.push_str(&format!("a[({x}) & 255] = a[({x}) & 255] * 3 + ({y});\n"));
    }
}

/// Whether burstc takes the kernel.
fn compare(seed: u64) -> bool {
    let random = &mut Random::new(seed);
    let mut block = String::new();
    let name = "k".to_string();
    let head = random.head(&name, &[]);
    random.block(2, &[name], &mut block);
    let text = format!(
        "#include <stdint.h>\n#define MIN(a, b) ((a) < (b) ? (a) : (b))\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n\
         static int min(int a, int b) {{ return a < b ? a : b; }}\n\
         static unsigned umin(unsigned a, unsigned b) {{ return a < b ? a : b; }}\n\
         #pragma burstc size(n: max 12) size(m: max 12) size(p: max 12) size(q: max 12)\n\
         void f(unsigned n, int m, uint8_t p, uint64_t q, int a[256])\n{{\n{head}\n{block}\n}}\n"
    );
    let sizes = [[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [12, 12, 12, 12], [9, 3, 7, 1], [1, 4, 2, 11], [0, 5, 1, 6]];
    let sizes: Vec<Vec<i64>> = sizes.iter().map(|sizes| sizes.to_vec()).collect();
    match compare_accepted(&source(&text), &sizes) {
        Ok(ran) => !ran.is_empty(),
        Err(error) if error.is::<crate::diagnostic::Diagnostic>() => false,
        Err(error) => panic!("{error}\n{text}"),
    }
}

#[test]
#[ignore = "slow: make test"]
fn random_typed_kernels_agree_with_the_c_compiler() {
    let taken = (1..=100).filter(|seed| compare(seed * 104_729)).count();
    assert!(taken >= 25, "{taken} of 100 kernels are taken");
}

#[test]
#[ignore = "make soak"]
fn many_random_typed_kernels_agree_with_the_c_compiler() {
    let taken = (1000..3000).filter(|seed| compare(seed * 104_729)).count();
    assert!(taken >= 500, "{taken} of 2000 kernels are taken");
}
