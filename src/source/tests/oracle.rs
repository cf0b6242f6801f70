//! Expressions against the C compiler: random kernels are compiled natively, and every value must be the evaluator's.

use std::cell::RefCell;
use std::fmt::Write;
use std::process::Command;

use super::kernel;
use crate::ids::ArrayId;
use crate::source::compiler;
use crate::source::evaluate::{evaluate, wrap};
use crate::source::kernel::{Access, BinaryOp, Expr, Node, ScalarType, Statement, UnaryOp};

const TYPES: [&str; 8] = ["int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"];
/// Iterations of the kernel's loop.
const LENGTH: usize = 24;

/// xorshift64*: the same kernels on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() >> 33) as usize % count
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    /// Mostly the values at which types and conversions differ.
    fn value(&mut self) -> i64 {
        let bits = [7, 8, 15, 16, 31, 32, 63][self.below(7)];
        match self.below(6) {
            0 => self.below(5) as i64 - 2,
            1 => (1i64 << bits).wrapping_sub(1),
            2 => (1i64 << bits).wrapping_neg(),
            3 => 1i64 << bits,
            _ => (self.next() >> self.below(64)) as i64,
        }
    }

    fn literal(&mut self) -> String {
        let value = self.value() as u64;
        let suffix = self.pick(&["", "u", "l", "ul", "ll", "ULL"]);
        match self.below(4) {
            0 => format!("{}{suffix}", value >> 1),
            1 => format!("0x{value:x}{suffix}"),
            2 => format!("0{value:o}{suffix}"),
            _ => format!("'{}'", self.pick(&["a", "\\n", "\\x7f", "\\xfe", "\\0", "\\377", "\\'", "\""])),
        }
    }

    /// A C expression that leaves nothing undefined under `-fwrapv`.
    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            let letter = self.below(TYPES.len());
            return match self.below(8) {
                0..=2 => format!("a{letter}[i]"),
                3 | 4 => format!("s{letter}"),
                5 => self.pick(&["i", "N", "(i)", "-N"]).to_string(),
                _ => self.literal(),
            };
        }
        let x = self.expression(depth - 1);
        let smaller = self.below(depth);
        let y = self.expression(smaller);
        match self.below(17) {
            0..=3 => format!("({x} {} {y})", self.pick(&["+", "-", "*"])),
            4 | 5 => format!("({x} {} {y})", self.pick(&["&", "|", "^"])),
            6 | 7 => format!("({x} {} {y})", self.pick(&["<", "<=", ">", ">=", "==", "!="])),
            8 => format!("({x} {} {y})", self.pick(&["&&", "||"])),
            9 | 10 => format!("({x} {} {})", self.pick(&["/", "%"]), self.divisor(&y)),
            11 => format!("({x} {} ({y} & 31))", self.pick(&["<<", ">>"])),
            12 => format!("(({})({x}) {} ({y} & 63))", self.pick(&TYPES[6..]), self.pick(&["<<", ">>"])),
            13 | 14 => format!("({})({x})", self.pick(&TYPES)),
            15 => format!("{}({x})", self.pick(&["-", "~", "!", "+", "- -", "~-"])),
            _ => {
                let condition = self.expression(smaller);
                format!("({condition} ? {x} : {y})")
            }
        }
    }

    /// Neither 0 nor -1.
    fn divisor(&mut self, y: &str) -> String {
        match self.below(4) {
            0 => format!("((uint32_t)({y}) | 1u)"),
            1 => format!("((uint64_t)({y}) | 1u)"),
            2 => format!("(-({y} & 7) - 2)"),
            _ => format!("(({y} & 15) + 1)"),
        }
    }

    fn statement(&mut self, row: usize) -> String {
        let target = format!("o{}[{row}][i]", self.below(TYPES.len()));
        let depth = 1 + self.below(5);
        let value = self.expression(depth);
        match self.below(8) {
            0 => format!("{target} {} {value};", self.pick(&["+=", "-=", "*=", "&=", "|=", "^="])),
            1 => format!("{target} = {value}; {target} {} {};", self.pick(&["/=", "%="]), self.divisor(&value)),
            2 => format!("{target} = {value}; {target} {} {value} & 31;", self.pick(&["<<=", ">>="])),
            3 => format!("{target} = {value}; {}", self.pick(&["T++;", "--T;"]).replace('T', &target)),
            _ => format!("{target} = {value};"),
        }
    }
}

/// Compares `rows` statements on `LENGTH` elements; gives the number of values compared.
fn compare(seed: u64, rows: usize) -> usize {
    let random = &mut Random(seed | 1);
    let data: Vec<Vec<i64>> = (0..8).map(|_| (0..LENGTH).map(|_| random.value()).collect()).collect();
    let scalars: Vec<i64> = (0..8).map(|_| random.value()).collect();

    let list = |make: &dyn Fn(usize, &str) -> String| -> String {
        let parts: Vec<String> = TYPES.iter().enumerate().map(|(i, ty)| make(i, ty)).collect();
        parts.join(", ")
    };
    let arguments = [
        list(&|i, ty| format!("{ty} s{i}")),
        list(&|i, ty| format!("{ty} a{i}[N]")),
        list(&|i, ty| format!("{ty} o{i}[{rows}][N]")),
    ];
    let mut text =
        format!("#include <stdint.h>\nvoid f(int N, {})\n{{\nfor (int i = 0; i < N; i++) {{\n", arguments.join(",\n"));
    for row in 0..rows {
        text += &random.statement(row);
        text.push('\n');
    }
    text += "}\n}\n";

    // The kernel as burstc reads it, run by the evaluator.
    let kernel = kernel(&text);
    let types: Vec<ScalarType> = kernel.scalars.iter().map(|s| s.ty).collect();
    let [Node::Loop(nest)] = &kernel.body[..] else { panic!("one loop") };
    let cell = |access: &Access, i: usize| -> (usize, usize) {
        let value = |k: usize| access.subscripts[k].evaluate(|_| i as i64) as usize;
        if access.array.0 < 8 { (access.array.0, value(0)) } else { (access.array.0, value(0) * LENGTH + value(1)) }
    };
    let inputs = data.iter().zip(&types).map(|(values, ty)| values.iter().map(|v| wrap(*v, *ty)).collect());
    let outputs = (0..8).map(|_| vec![0; rows * LENGTH]);
    let memory: RefCell<Vec<Vec<i64>>> = RefCell::new(inputs.chain(outputs).collect());
    for i in 0..LENGTH {
        for node in &nest.body {
            let Node::Statement(Statement { target, value, text, .. }) = node else { panic!("one loop") };
            let result = evaluate(
                value,
                &mut |access| {
                    let (array, place) = cell(access, i);
                    memory.borrow()[array][place]
                },
                &|scalar| scalars[scalar],
                &|name| if name == "i" { i as i64 } else { LENGTH as i64 },
            );
            assert_eq!(result, wrap(result, kernel.arrays[target.array].element), "not normalised: {text}");
            let (array, place) = cell(target, i);
            memory.borrow_mut()[array][place] = result;
        }
    }

    // The same, run by the C compiler.
    let mut program = format!("{text}\n#include <stdio.h>\n");
    for (i, ty) in TYPES.iter().enumerate() {
        let values: Vec<String> = data[i].iter().map(|v| format!("({ty}){}u", *v as u64)).collect();
        writeln!(program, "static {ty} a{i}[{LENGTH}] = {{{}}}, o{i}[{rows}][{LENGTH}];", values.join(", ")).unwrap();
    }
    let call =
        [list(&|i, _| format!("{}u", scalars[i] as u64)), list(&|i, _| format!("a{i}")), list(&|i, _| format!("o{i}"))];
    writeln!(program, "int main(void)\n{{\nf({LENGTH}, {});", call.join(", ")).unwrap();
    for i in 0..8 {
        writeln!(program, "for (int k = 0; k < {rows} * {LENGTH}; k++) printf(\"%lld\\n\", (long long)o{i}[0][k]);")
            .unwrap();
    }
    program += "}\n";
    let folder = tempfile::tempdir().unwrap();
    let (c, binary) = (folder.path().join("oracle.c"), folder.path().join("oracle"));
    std::fs::write(&c, &program).unwrap();
    let built =
        Command::new(compiler()).args(["-std=gnu11", "-O0", "-w", "-fwrapv", "-o"]).arg(&binary).arg(&c).status();
    assert!(built.unwrap().success(), "{program}");
    let output = Command::new(&binary).output().unwrap();
    assert!(output.status.success(), "the oracle failed: {program}");
    let printed: Vec<i64> = String::from_utf8(output.stdout).unwrap().lines().map(|l| l.parse().unwrap()).collect();

    let memory = memory.into_inner();
    let computed: Vec<i64> = memory[8..].iter().flatten().copied().collect();
    assert_eq!(printed.len(), computed.len());
    for (place, (expected, found)) in printed.iter().zip(&computed).enumerate() {
        let (array, row, i) = (place / (rows * LENGTH), place / LENGTH % rows, place % LENGTH);
        let line = text.lines().find(|line| line.contains(&format!("[{row}][i]"))).unwrap_or("");
        assert_eq!(found, expected, "o{array}[{row}][{i}]: {line}");
    }
    printed.len()
}

#[test]
#[ignore = "slow: make test"]
fn random_expressions_agree_with_the_c_compiler() {
    for seed in 1..=3 {
        assert_eq!(compare(seed * 7919, 150), 150 * 8 * LENGTH);
    }
}

#[test]
#[ignore = "make soak"]
fn many_random_expressions_agree_with_the_c_compiler() {
    for seed in 100..200 {
        compare(seed * 7919, 400);
    }
}

/// What C leaves undefined has the values that the evaluator promises.
#[test]
fn undefined_operations() {
    let constant = |value| Box::new(Expr::Constant { value, ty: ScalarType::I32 });
    let compute = |op, x, y| {
        let expr = Expr::Binary { op, left: constant(x), right: constant(y), ty: ScalarType::I32 };
        evaluate(&expr, &mut |_| 0, &|_| 0, &|_| 0)
    };
    let least = i32::MIN as i64;
    for (op, x, y, expected) in [
        (BinaryOp::Divide, 7, 0, -1),
        (BinaryOp::Remainder, 7, 0, 7),
        (BinaryOp::Divide, least, -1, least),
        (BinaryOp::Remainder, least, -1, 0),
        (BinaryOp::ShiftLeft, 1, 33, 2),
        (BinaryOp::ShiftRight, -8, -31, -4),
    ] {
        assert_eq!(compute(op, x, y), expected, "{op:?} {x} {y}");
    }
    let negated = Expr::Unary { op: UnaryOp::Negate, operand: constant(least), ty: ScalarType::I32 };
    assert_eq!(evaluate(&negated, &mut |_| 0, &|_| 0, &|_| 0), least);
}

#[test]
fn operands_that_c_skips_are_not_read() {
    let zero = || Box::new(Expr::Constant { value: 0, ty: ScalarType::I32 });
    let read = || {
        let access = Access { array: ArrayId(0), subscripts: vec![], guard: None, span: Default::default() };
        Box::new(Expr::Read { access, ty: ScalarType::I32 })
    };
    let ty = ScalarType::I32;
    for expr in [
        Expr::Binary { op: BinaryOp::LogicalAnd, left: zero(), right: read(), ty },
        Expr::Select { condition: zero(), then: read(), otherwise: zero(), ty },
    ] {
        assert_eq!(evaluate(&expr, &mut |_| panic!("read"), &|_| 0, &|_| 0), 0);
    }
}
