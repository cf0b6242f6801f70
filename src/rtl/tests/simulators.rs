//! Random expressions: the documented meaning, computed here on integers, against Icarus and Verilator.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use super::tools::{icarus_compile, lint, run, yosys_check};
use crate::rtl::*;

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u32) -> u32 {
        (self.next() % u64::from(n)) as u32
    }

    fn ty(&mut self) -> Type {
        let width = match self.below(8) {
            0 => 1,
            1 => 1 + self.below(64),
            2 => 1 + self.below(33),
            _ => 1 + self.below(12),
        };
        Type { width, signed: self.below(2) == 1 }
    }

    /// A value of the type, often one at an end of its range.
    fn value(&mut self, ty: Type) -> i128 {
        match self.below(8) {
            0 => wrap(0, ty),
            1 => wrap(1, ty),
            2 => wrap(-1, ty),
            3 => wrap(1 << (ty.width - 1), ty),
            4 => wrap((1 << (ty.width - 1)) - 1, ty),
            _ => wrap(self.next().into(), ty),
        }
    }
}

/// What the bits of `value` below the width mean in `ty`.
fn wrap(value: i128, ty: Type) -> i128 {
    let rest = value & ((1 << ty.width) - 1);
    if ty.signed && rest >> (ty.width - 1) == 1 { rest - (1 << ty.width) } else { rest }
}

fn unsigned_bits(value: i128, ty: Type) -> i128 {
    wrap(value, Type::unsigned(ty.width))
}

fn common(a: Type, b: Type) -> Type {
    match (a.signed, b.signed) {
        (true, false) => Type::signed(a.width.max(b.width + 1)),
        (false, true) => Type::signed(b.width.max(a.width + 1)),
        (signed, _) => Type { width: a.width.max(b.width), signed },
    }
}

const COMPARISONS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];

/// Ways to write a comparison: as it is, as a strict one, and that as a difference's sign where it is one.
const FORMS: u32 = 3;

/// An expression with its meaning, apart from `Expr`.
struct Tree {
    ty: Type,
    node: Node,
}

enum Node {
    Input(usize),
    Constant(i128),
    Arithmetic(&'static str, Rc<Tree>, Rc<Tree>),
    Bitwise(&'static str, Rc<Tree>, Rc<Tree>),
    Unary(&'static str, Rc<Tree>),
    Shift(&'static str, Rc<Tree>, Rc<Tree>),
    ShiftConst(&'static str, Rc<Tree>, u32),
    Compare(&'static str, u32, Rc<Tree>, Rc<Tree>),
    Select(Rc<Tree>, Rc<Tree>, Rc<Tree>),
    Slice(Rc<Tree>, u32, u32),
    Concat(Vec<Rc<Tree>>),
    Replicate(u32, Rc<Tree>),
}

impl Tree {
    fn random(random: &mut Random, inputs: &[Type], pool: &mut Vec<Rc<Tree>>, depth: u32) -> Rc<Tree> {
        if !pool.is_empty() && random.below(8) == 0 {
            return pool[random.below(pool.len() as u32) as usize].clone();
        }
        if depth == 0 || random.below(10) == 0 {
            return Rc::new(if random.below(4) == 0 {
                let ty = random.ty();
                Tree { ty, node: Node::Constant(random.value(ty)) }
            } else {
                let input = random.below(inputs.len() as u32) as usize;
                Tree { ty: inputs[input], node: Node::Input(input) }
            });
        }
        let mut operand = |random: &mut Random| Tree::random(random, inputs, pool, depth - 1);
        let a = operand(random);
        let (ty, node) = match random.below(12) {
            0 | 1 => {
                let name = ["add", "sub", "mul"][random.below(3) as usize];
                (random.ty(), Node::Arithmetic(name, a, operand(random)))
            }
            2 => {
                let b = operand(random);
                let ty = Type { width: a.ty.width.max(b.ty.width), signed: a.ty.signed && b.ty.signed };
                (ty, Node::Bitwise(["and", "or", "xor"][random.below(3) as usize], a, b))
            }
            3 => match ["neg", "not", "resize", "any", "all", "zero"][random.below(6) as usize] {
                name @ ("neg" | "resize") => (random.ty(), Node::Unary(name, a)),
                "not" => (a.ty, Node::Unary("not", a)),
                name => (Type::BIT, Node::Unary(name, a)),
            },
            4 => (random.ty(), Node::Unary("resize", a)),
            5 => {
                let b = operand(random);
                match random.below(2) {
                    0 => (random.ty(), Node::Shift("shl", a, b)),
                    _ => (a.ty, Node::Shift("shr", a, b)),
                }
            }
            6 => {
                let n = random.below(a.ty.width + 3);
                match random.below(2) {
                    0 => (random.ty(), Node::ShiftConst("shl", a, n)),
                    _ => (a.ty, Node::ShiftConst("shr", a, n)),
                }
            }
            7 => {
                let (name, form) = (COMPARISONS[random.below(6) as usize], random.below(FORMS));
                (Type::BIT, Node::Compare(name, form, a, operand(random)))
            }
            8 => {
                let condition = match a.ty.width {
                    1 => a,
                    _ => Rc::new(Tree { ty: Type::BIT, node: Node::Unary("any", a) }),
                };
                let (b, c) = (operand(random), operand(random));
                let ty = common(b.ty, c.ty);
                if ty.width > 64 {
                    return b;
                }
                (ty, Node::Select(condition, b, c))
            }
            9 => {
                let low = random.below(a.ty.width);
                let high = low + random.below(a.ty.width - low);
                (Type::unsigned(high - low + 1), Node::Slice(a, high, low))
            }
            10 => {
                let mut parts = vec![a];
                while random.below(3) > 0 {
                    parts.push(operand(random));
                }
                let width = parts.iter().map(|part| part.ty.width).sum();
                if width > 64 {
                    return parts.remove(0);
                }
                (Type::unsigned(width), Node::Concat(parts))
            }
            _ => {
                let n = 1 + random.below(4);
                if n * a.ty.width > 64 {
                    return a;
                }
                (Type::unsigned(n * a.ty.width), Node::Replicate(n, a))
            }
        };
        let tree = Rc::new(Tree { ty, node });
        if random.below(6) == 0 {
            pool.push(tree.clone());
        }
        tree
    }

    fn value(&self, inputs: &[i128]) -> i128 {
        let ty = self.ty;
        // Extended or truncated to the result's width, which is all that arithmetic modulo a power of two needs.
        let fit = |tree: &Tree| wrap(tree.value(inputs), Type { width: ty.width, signed: tree.ty.signed });
        let value = match &self.node {
            Node::Input(input) => inputs[*input],
            Node::Constant(value) => *value,
            Node::Arithmetic("add", a, b) => fit(a) + fit(b),
            Node::Arithmetic("sub", a, b) => fit(a) - fit(b),
            Node::Arithmetic(_, a, b) => fit(a).wrapping_mul(fit(b)),
            Node::Bitwise("and", a, b) => fit(a) & fit(b),
            Node::Bitwise("or", a, b) => fit(a) | fit(b),
            Node::Bitwise(_, a, b) => fit(a) ^ fit(b),
            Node::Unary("neg", a) => -fit(a),
            Node::Unary("not", a) => !fit(a),
            Node::Unary("resize", a) => fit(a),
            Node::Unary("any", a) => (a.value(inputs) != 0).into(),
            Node::Unary("zero", a) => (a.value(inputs) == 0).into(),
            Node::Unary(_, a) => (unsigned_bits(a.value(inputs), a.ty) == (1 << a.ty.width) - 1).into(),
            Node::Shift(name, a, amount) => shift(name, a, unsigned_bits(amount.value(inputs), amount.ty), ty, inputs),
            Node::ShiftConst(name, a, amount) => shift(name, a, (*amount).into(), ty, inputs),
            Node::Compare(name, _, a, b) => {
                let (a, b) = (a.value(inputs), b.value(inputs));
                match *name {
                    "eq" => a == b,
                    "ne" => a != b,
                    "lt" => a < b,
                    "le" => a <= b,
                    "gt" => a > b,
                    _ => a >= b,
                }
                .into()
            }
            Node::Select(condition, a, b) => {
                if condition.value(inputs) != 0 {
                    a.value(inputs)
                } else {
                    b.value(inputs)
                }
            }
            Node::Slice(a, _, low) => unsigned_bits(a.value(inputs), a.ty) >> low,
            Node::Concat(parts) => {
                parts.iter().fold(0, |bits, part| bits << part.ty.width | unsigned_bits(part.value(inputs), part.ty))
            }
            Node::Replicate(n, a) => {
                (0..*n).fold(0, |bits, _| bits << a.ty.width | unsigned_bits(a.value(inputs), a.ty))
            }
        };
        wrap(value, ty)
    }

    /// `shared` maps trees to expressions made before; only some are looked up, so that equal ones exist twice too.
    fn expression(&self, inputs: &[Signal], shared: &mut HashMap<*const Tree, Expr>, random: &mut Random) -> Expr {
        if random.below(2) == 0
            && let Some(known) = shared.get(&std::ptr::from_ref(self))
        {
            return known.clone();
        }
        let mut of = |tree: &Tree| tree.expression(inputs, shared, random);
        let ty = self.ty;
        let e = match &self.node {
            Node::Input(input) => inputs[*input].e(),
            Node::Constant(value) => Expr::constant(*value, ty),
            Node::Arithmetic("add", a, b) => of(a).add(&of(b), ty),
            Node::Arithmetic("sub", a, b) => of(a).sub(&of(b), ty),
            Node::Arithmetic(_, a, b) => of(a).mul(&of(b), ty),
            Node::Bitwise("and", a, b) => of(a).and(&of(b)),
            Node::Bitwise("or", a, b) => of(a).or(&of(b)),
            Node::Bitwise(_, a, b) => of(a).xor(&of(b)),
            Node::Unary("neg", a) => of(a).neg(ty),
            Node::Unary("not", a) => of(a).not(),
            Node::Unary("resize", a) => of(a).resize(ty),
            Node::Unary("any", a) => of(a).reduce_or(),
            Node::Unary("zero", a) => of(a).is_zero(),
            Node::Unary(_, a) => of(a).reduce_and(),
            Node::Shift("shl", a, b) => of(a).shl(&of(b), ty),
            Node::Shift(_, a, b) => of(a).shr(&of(b)),
            Node::ShiftConst("shl", a, n) => of(a).shl_const(*n, ty),
            Node::ShiftConst(_, a, n) => of(a).shr_const(*n),
            Node::Compare(name, form, a, b) => {
                let (a, b) = (of(a), of(b));
                let plain = match *name {
                    "eq" => a.eq(&b),
                    "ne" => a.ne(&b),
                    "lt" => a.lt(&b),
                    "le" => a.le(&b),
                    "gt" => a.gt(&b),
                    _ => a.ge(&b),
                };
                if *form == 0 {
                    return plain;
                }
                let (strict, contrary) = plain.strict();
                let sign = strict.sign_of_difference().filter(|_| *form == 2);
                let order = sign.unwrap_or(strict);
                if contrary { order.not() } else { order }
            }
            Node::Select(condition, a, b) => of(condition).select(&of(a), &of(b)),
            Node::Slice(a, high, low) => of(a).slice(*high, *low),
            Node::Concat(parts) => Expr::concat(&parts.iter().map(|part| of(part)).collect::<Vec<_>>()),
            Node::Replicate(n, a) => of(a).replicate(*n),
        };
        assert_eq!(e.ty(), ty, "{e:?}");
        shared.insert(std::ptr::from_ref(self), e.clone());
        e
    }
}

fn shift(name: &str, a: &Tree, amount: i128, ty: Type, inputs: &[i128]) -> i128 {
    let value = wrap(a.value(inputs), Type { width: ty.width, signed: a.ty.signed });
    match name {
        "shl" if amount >= 64 => 0,
        "shl" => value.wrapping_shl(amount as u32),
        _ => value >> amount.min(100),
    }
}

/// One module with `count` random outputs, and what they are for random inputs.
struct Bench {
    module: Module,
    inputs: Vec<Type>,
    outputs: Vec<Rc<Tree>>,
    stimuli: Vec<Vec<i128>>,
}

const ROWS: usize = 40;

impl Bench {
    fn new(seed: u64, count: usize) -> Bench {
        let mut random = Random(seed);
        let inputs: Vec<Type> = (0..12).map(|_| random.ty()).collect();
        let mut pool = vec![];
        let outputs: Vec<Rc<Tree>> = (0..count).map(|_| Tree::random(&mut random, &inputs, &mut pool, 5)).collect();

        let mut m = Module::new("random_expressions");
        m.input("clk", Type::BIT);
        let signals: Vec<Signal> = inputs.iter().enumerate().map(|(i, ty)| m.input(&format!("in{i}"), *ty)).collect();
        signals.iter().for_each(|signal| m.waive_unused(signal));
        let mut shared = HashMap::new();
        let mut clocked = vec![];
        for (i, tree) in outputs.iter().enumerate() {
            let value = tree.expression(&signals, &mut shared, &mut random);
            let name = format!("out{i}");
            match i % 4 {
                // Directly, in a register, behind an `if`, behind a case.
                0 => {
                    let output = m.output(&name, tree.ty);
                    m.assign(&output, &value);
                }
                1 => clocked.push(assign(&m.output_reg(&name, tree.ty), &value)),
                2 => {
                    let output = m.output_reg(&name, tree.ty);
                    let condition = value.reduce_or();
                    let zero = Expr::constant(0, tree.ty);
                    m.combinational(
                        "",
                        vec![(output.clone(), zero)],
                        vec![when(condition, vec![assign(&output, &value)])],
                    );
                }
                _ => {
                    let output = m.output_reg(&name, tree.ty);
                    let mut labels = vec![0, wrap(-1, tree.ty), wrap(5, tree.ty)];
                    labels.dedup();
                    labels.truncate(if tree.ty.width < 4 { 1 } else { 3 });
                    let arms = labels
                        .iter()
                        .map(|v| (vec![(*v).into()], vec![assign(&output, &Expr::constant(*v, tree.ty))]))
                        .collect();
                    m.combinational("", vec![], vec![case(&value, arms, vec![assign(&output, &value)])]);
                }
            }
        }
        m.clocked("", vec![], clocked);
        let stimuli = (0..ROWS).map(|_| inputs.iter().map(|ty| random.value(*ty)).collect()).collect();
        Bench { module: m, inputs, outputs, stimuli }
    }

    /// Writes the module, the stimuli and a bench that prints all outputs as one binary number per row.
    fn write(&self, folder: &Path) {
        let file = |name: &str, text: String| std::fs::write(folder.join(name), text).expect("the folder is ours");
        file("random_expressions.v", print(&self.module));
        let row = |row: &Vec<i128>| row.iter().zip(&self.inputs).map(|(v, ty)| bits(*v, *ty)).collect::<String>();
        file("stimuli.txt", self.stimuli.iter().map(|values| row(values) + "\n").collect());
        let inputs: u32 = self.inputs.iter().map(|ty| ty.width).sum();
        let names = |stem: &str, n: usize| (0..n).map(|i| format!("{stem}{i}")).collect::<Vec<_>>();
        let declare = |stem: &str, types: &mut dyn Iterator<Item = Type>| {
            types.enumerate().map(|(i, ty)| format!("  wire [{}:0] {stem}{i};\n", ty.width - 1)).collect::<String>()
        };
        let ports: Vec<String> = [names("in", self.inputs.len()), names("out", self.outputs.len())]
            .concat()
            .iter()
            .map(|name| format!(".{name}({name})"))
            .collect();
        let show: String =
            names("out", self.outputs.len()).iter().map(|n| format!("    $display(\"%b\", {n});\n")).collect();
        file(
            "bench.v",
            format!(
                "`timescale 1ns/1ns\nmodule bench;\n  reg clk; integer i;\n  reg [{top}:0] stimuli [0:{last}];\n  reg [{top}:0] row;\n{}{}  assign {{{}}} = row;\n  random_expressions dut (.clk(clk), {});\n  initial begin\n    $readmemb(\"stimuli.txt\", stimuli);\n    for (i = 0; i <= {last}; i = i + 1) begin\n      clk = 0; row = stimuli[i]; #1 clk = 1; #1\n{show}    end\n    $finish;\n  end\nendmodule\n",
                declare("in", &mut self.inputs.iter().copied()),
                declare("out", &mut self.outputs.iter().map(|tree| tree.ty)),
                names("in", self.inputs.len()).join(", "),
                ports.join(", "),
                top = inputs - 1,
                last = ROWS - 1,
            ),
        );
    }

    fn compare(&self, simulator: &str, printed: &str) {
        let lines: Vec<&str> = printed.lines().filter(|line| line.chars().all(|c| "01xz".contains(c))).collect();
        assert_eq!(lines.len(), ROWS * self.outputs.len(), "{simulator}: {printed}");
        for (row, values) in self.stimuli.iter().enumerate() {
            for (i, tree) in self.outputs.iter().enumerate() {
                let expected = bits(tree.value(values), tree.ty);
                let got = lines[row * self.outputs.len() + i];
                // Verilator prints some constants with a digit too many.
                assert_eq!(
                    got.trim_start_matches('0'),
                    expected.trim_start_matches('0'),
                    "{simulator}: out{i} for {values:?} of\n{}",
                    print(&self.module)
                );
            }
        }
    }
}

fn bits(value: i128, ty: Type) -> String {
    format!("{:0width$b}", unsigned_bits(value, ty), width = ty.width as usize)
}

fn check(seed: u64, count: usize, verilator: bool) {
    let bench = Bench::new(seed, count);
    let folder = tempfile::tempdir().expect("a folder for the run");
    let path = folder.path();
    bench.write(path);
    let design = Design { modules: vec![bench.module], library: vec![] };
    assert_eq!(verify(&design), Ok(()), "seed {seed}");
    let bench = Bench { module: design.modules.into_iter().next().expect("one module"), ..bench };
    // Chance makes comparisons that only a tool's deeper constant propagation decides.
    lint(path, "random_expressions", &["-Wno-UNSIGNED", "-Wno-CMPCONST"]);
    icarus_compile(path, &["-o", "bench.vvp", "bench.v", "random_expressions.v"]);
    bench.compare("Icarus", &run(path, "vvp", &["-n", "bench.vvp"]));
    if verilator {
        let arguments = ["--binary", "--timing", "-Wno-fatal", "-O3", "-CFLAGS", "-O0", "--top-module", "bench"];
        run(path, "verilator", &[&arguments[..], &["bench.v", "random_expressions.v"]].concat());
        bench.compare("Verilator", &run(path, "./obj_dir/Vbench", &[]));
    }
    std::fs::remove_file(path.join("bench.v")).expect("it was written");
    yosys_check(path, "random_expressions");
}

#[test]
#[ignore = "slow: make test"]
fn random_expressions_mean_what_is_documented() {
    check(1, 80, true);
}

/// Many more, for changes of the printer.
#[test]
#[ignore = "make soak"]
fn many_random_expressions_mean_what_is_documented() {
    for seed in 2..200 {
        println!("seed {seed}");
        check(seed, 60, seed % 20 == 0);
    }
}
