//! Cells that data decide to write: what of them is merged, and what gets a bit on chip in place of a load. Against the statements as
//! the source has them, run one after the other, and against words counted by hand.

use std::collections::BTreeMap;

use burstc::offload::Offload;
use burstc::report::count::Work;
use burstc::source::Source;
use burstc::source::evaluate::evaluate;
use burstc::source::kernel::{Expr, Kernel, Loop, Node};
use burstc::{Options, analyze, board, prepare_read, read, verify};

const N: i64 = 24;

fn source(arguments: &str, body: &str) -> Source {
    let text = format!(
        "#include <stdint.h>\n#pragma burstc size(n: {N}, max 64)\nvoid k(int n, {arguments})\n{{\n    \
         for (int i = 0; i < n; i++) {{\n{body}\n    }}\n}}\n"
    );
    Source { path: "k.c".into(), text, cpp_args: vec![] }
}

fn prepared(source: &Source, name: &str) -> Kernel {
    let read = read(source).unwrap_or_else(|error| panic!("{}: {error:#}", source.text));
    prepare_read(read, &board::load(name).unwrap(), &Options::default()).unwrap()
}

fn masked(kernel: &Kernel) -> Vec<&str> {
    kernel.arrays.iter().filter(|array| array.masked).map(|array| array.name.as_str()).collect()
}

/// The arrays after the only loop's iterations, in an order that suits a kernel without dependences between them.
fn run(kernel: &Kernel, arrays: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let [Node::Loop(Loop { iterator, body, .. })] = &kernel.body[..] else { panic!("one loop") };
    let mut arrays = arrays.to_vec();
    for i in 0..N {
        let index = |name: &str| if name == iterator { i } else { N };
        for node in body {
            let Node::Statement(statement) = node else { panic!("a statement") };
            let old = arrays.clone();
            let place = |access: &burstc::source::kernel::Access| match &access.subscripts[..] {
                [] => 0,
                [subscript] => subscript.evaluate(index) as usize,
                _ => panic!("one dimension"),
            };
            let mut read = |access: &burstc::source::kernel::Access| old[access.array.0][place(access)];
            let mut of = |expr: &Expr| evaluate(expr, &mut read, &|_| 0, &index);
            let value = match &statement.value {
                Expr::Masked { only_if, .. } if of(only_if) == 0 => continue,
                value => of(value),
            };
            arrays[statement.target.array.0][place(&statement.target)] = value;
        }
    }
    arrays
}

/// Some bits, in order.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn condition(&mut self) -> String {
        let one = ["x[i] > 3", "x[i] < -2", "x[i] & 1", "w[i] == 2", "x[i] > 9"][self.below(5) as usize];
        match self.below(5) {
            0 => format!("!({one})"),
            1 => format!("{one} && {}", self.condition()),
            2 => format!("({one} || {})", self.condition()),
            _ => one.to_string(),
        }
    }

    /// Statements that write y, z and v, whose elements are of 32, 8 and 16 bits.
    fn block(&mut self, depth: u32) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.below(2) {
            let target = ["y", "z", "v"][self.below(3) as usize];
            text += &match self.below(if depth == 0 { 4 } else { 9 }) {
                8 => format!("{target}[i] = {}[i] + 1; ", ["y", "z", "v"][self.below(3) as usize]),
                0 => format!("{target}[i] = {}; ", self.below(200)),
                1 => format!("{target}[i] = x[i] * 3 + w[i]; "),
                2 => format!("{target}[i] = {} ? x[i] : {target}[i]; ", self.condition()),
                3 => format!("{target}[i] = {} ? {target}[i] : w[i] - 7; ", self.condition()),
                4 => format!("if ({}) {{ {} }} ", self.condition(), self.block(depth - 1)),
                _ => {
                    format!(
                        "if ({}) {{ {} }} else {{ {} }} ",
                        self.condition(),
                        self.block(depth - 1),
                        self.block(depth - 1)
                    )
                }
            };
        }
        text
    }
}

#[test]
fn random_branches_leave_what_the_statements_leave() {
    let arguments = "int x[n], uint8_t w[n], int y[n], uint8_t z[n], int16_t v[n]";
    let mut dice = Dice(5);
    let mut data = vec![vec![]; 5];
    for i in 0..N {
        data[0].push(i % 13 - 5);
        data[1].push(i * 7 % 4);
        (2..5).for_each(|array| data[array].push(i * 31 % 101 + array as i64));
    }
    let (mut merged, mut masks, mut sure) = (0, 0, 0);
    for _ in 0..150 {
        let source = source(arguments, &dice.block(3));
        let written = read(&source).unwrap().kernel;
        let prepared = prepared(&source, "generic-axi4");
        let mut start = data.clone();
        start.resize(written.arrays.len().max(prepared.arrays.len()), vec![0]);
        let (expected, found) = (run(&written, &start), run(&prepared, &start));
        assert_eq!(expected[..5], found[..5], "{}\n{:#?}", source.text, prepared.body);
        merged += written.statements().len() - prepared.statements().len();
        masks += masked(&prepared).len();
        let reads =
            |array: usize| prepared.statements().iter().any(|own| own.reads().iter().any(|r| r.array.0 == array));
        let writes = |array: usize| prepared.statements().iter().any(|own| own.target.array.0 == array);
        sure += (2..5).filter(|&array| writes(array) && !reads(array) && !prepared.arrays.raw[array].masked).count();
    }
    // All of it happens.
    assert!(merged > 150 && masks > 50 && sure > 30, "{merged} merged, {masks} masks, {sure} sure");
}

#[test]
fn what_has_a_bit() {
    const XYZ: &str = "int x[n], int y[n], int z[n]";
    for (arguments, body, expected) in [
        (XYZ, "if (x[i] > 0) y[i] = x[i];", &["y"] as &[&str]),
        (XYZ, "if (x[i] > 0) { y[i] = x[i]; z[i] = 1; }", &["y", "z"]),
        (XYZ, "y[i] = x[i] > 0 ? x[i] : y[i];", &["y"]),
        ("int x[n], uint8_t y[n], int z[n]", "y[i] = x[i] > 0 ? 7 : y[i];", &["y"]),
        (XYZ, "if (x[i] > 0) y[i] = 1; else if (x[i] < -9) y[i] = 2;", &["y"]),
        (XYZ, "if (x[i] > 0) y[n - 1 - i] = 1;", &["y"]),
        // Written whatever the data.
        (XYZ, "if (x[i] > 0) y[i] = 1; else y[i] = 2;", &[]),
        (XYZ, "y[i] = 0; if (x[i] > 0) y[i] = 1;", &[]),
        // Its value is wanted.
        (XYZ, "if (x[i] > 0) x[i] = 0;", &[]),
        (XYZ, "if (x[i] > 0) y[i] += 1;", &[]),
        (XYZ, "if (x[i] > 0) y[i] = 1; z[i] = y[i];", &[]),
        (XYZ, "if (x[i] > 0 && y[i] > 0) y[i] = 1;", &[]),
        (XYZ, "if (x[i] > 0) y[i] = z[y[i] & 3];", &[]),
        // Of two iterations the later may keep what the earlier wrote.
        ("int x[n], int y[n], int z[2 * n]", "if (x[i] > 0) y[i / 2] = 1;", &[]),
        ("int x[n], int y[n], int z[2 * n]", "if (x[i] > 0) z[2 * i] = 1; if (x[i] > 3) z[2 * i + 1] = 1;", &["z"]),
        ("int x[n], int y[n], int z[2 * n]", "if (x[i] > 0) z[i] = 1; if (x[i] > 3) z[n - 1 - i] = 1;", &[]),
        ("int x[n], int y[n], int z[2 * n]", "if (x[i] > 0) z[i] = 1; if (x[i] > 3) z[i + n] = 1;", &["z"]),
        ("int x[n], int y[n], int z[2 * n]", "z[i] = 0; if (x[i] > 3) z[i + n] = x[i];", &["z"]),
        ("int x[n], int y[n], int z[2 * n]", "for (int j = 0; j < 3; j++) if (x[i] > j) y[i] = j;", &[]),
        // Data tell where.
        ("int x[n], int y[256], uint8_t p[n]", "if (x[i] > 0) y[p[i]] = 1;", &[]),
    ] {
        assert_eq!(masked(&prepared(&source(arguments, body), "stratix2-ddr400")), expected, "{body}");
    }
    // Byte enables of Avalon-MM have no holes (Avalon Interface Specifications, 3.2), and somebody may not want it.
    let body = "if (x[i] > 0) y[i] = x[i];";
    assert_eq!(masked(&prepared(&source(XYZ, body), "generic-avalon")), [""; 0]);
    let mut without = source(XYZ, body);
    without.text = without.text.replace("max 64)", "max 64) masks(none)");
    assert_eq!(masked(&prepared(&without, "stratix2-ddr400")), [""; 0]);
}

/// How many statements are left of those of the text.
#[test]
fn what_is_merged() {
    const XYZ: &str = "int x[n], int y[256], int z[256], uint8_t p[n]";
    for (body, expected) in [
        ("y[i] = 0; if (x[i] > 0) y[i] = 1;", 1),
        ("y[i] = 0; if (x[i] > 0) y[i] = 1; z[i] = 2; if (x[i] < 0) y[i] = 3;", 2),
        ("if (x[i] > 0) y[i] = z[p[i]]; else y[i] = 1;", 1),
        ("if (z[p[i]] > 0) y[i] = 1; else y[i] = z[p[i]];", 1),
        // An index that leaves its array would go unseen.
        ("y[i] = z[p[i]]; if (x[i] > 0) y[i] = 1;", 2),
        ("y[i] = x[i] > 0 ? y[i] : z[p[i]]; if (!(x[i] > 0)) y[i] = 1;", 2),
        // The later writes another element, all of them, or what it makes of the earlier.
        ("y[i] = 0; if (x[i] > 0) y[i + 1] = 1;", 2),
        ("y[i] = 0; if (x[i] > 0) y[i] += 1;", 2),
        ("y[i] = 0; if (x[i] > 0 && y[i] == 0) y[i] = 1;", 2),
        // Between them somebody looks, or what the earlier is made of changes.
        ("y[i] = 0; z[i] = y[i]; if (x[i] > 0) y[i] = 1;", 3),
        ("y[i] = z[i]; z[i] = 0; if (x[i] > 0) y[i] = 1;", 3),
        ("y[i] = 0; z[i] = y[p[i]]; if (x[i] > 0) y[i] = 1;", 3),
        // The later may look at what the earlier writes.
        ("y[i] = 0; if (x[i] > 0) y[i] = y[p[i]];", 2),
    ] {
        let prepared = prepared(&source(XYZ, body), "stratix2-ddr400");
        assert_eq!(prepared.statements().len(), expected, "{body}\n{:#?}", prepared.body);
    }
}

fn analyzed(source: &Source) -> Offload {
    analyze(source, &board::load("stratix2-ddr400").unwrap(), &Options::default()).unwrap()
}

/// Words read and written for n = 24.
fn words(offload: &Offload) -> (u64, u64) {
    let work = Work::of(offload, &BTreeMap::from([("n".to_string(), N)]));
    (work.bytes_read / 4, work.bytes_written / 4)
}

/// Of a hundred words that data decide to write, a hundred less move.
#[test]
fn a_bit_in_place_of_a_load() {
    let mut relu = source("float x[n], float y[n]", "if (x[i] > 0.0f) y[i] = x[i];");
    assert_eq!(words(&analyzed(&relu)), (24, 24));
    relu.text = relu.text.replace("max 64)", "max 64) masks(none)");
    assert_eq!(words(&analyzed(&relu)), (48, 24));
    let both = source("float x[n], float y[n]", "if (x[i] > 0.0f) y[i] = x[i]; else y[i] = -x[i];");
    assert_eq!(words(&analyzed(&both)), (24, 24));
}

/// What a directive says of a statement that is gone is said of the one that is left.
#[test]
fn directives_of_merged_statements() {
    let mut both = source("int x[n], int y[n]", "y[i] = 0; if (x[i] > 0) y[i] = x[i];");
    let tiles = |text: &str| {
        let source = Source { path: "k.c".into(), text: text.to_string(), cpp_args: vec![] };
        analyze(&source, &board::load("generic-axi4").unwrap(), &Options::default()).map(|offload| {
            assert_eq!(offload.kernel.statements().len(), 1);
            offload.bands.raw[0].tiling.sizes.clone()
        })
    };
    both.text = both.text.replace("    for", "#pragma burstc schedule(S0[i] -> (i); S1[i] -> (i)) tile(16)\n    for");
    assert_eq!(tiles(&both.text).unwrap(), [16]);
}

#[test]
fn the_verifier_knows_masks() {
    let relu = analyzed(&source("int x[n], int y[n]", "if (x[i] > 0) y[i] = x[i];"));
    verify::verify(&relu).unwrap();
    type Change = fn(&mut Offload);
    let changes: [Change; 3] = [
        |o| o.kernel.arrays.raw[1].masked = false,
        |o| o.kernel.arrays.raw[0].masked = true,
        |o| {
            let piece = o.bands.raw[0].transfers.iter().find(|t| t.array.0 == 1).unwrap().store.pieces[0].clone();
            o.bands.raw[0].transfers.iter_mut().find(|t| t.array.0 == 1).unwrap().load.pieces.push(piece);
        },
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut broken = relu.clone();
        change(&mut broken);
        let faults = verify::verify(&broken).unwrap_err();
        assert!(faults.iter().any(|fault| fault.starts_with("masked")), "{number}: {faults:?}");
    }
    // A cell that two iterations write.
    let mut twice = analyzed(&source("int x[n], int y[n]", "if (x[i] > 0) y[i] = x[i];"));
    let Node::Loop(inner) = &mut twice.kernel.body[0] else { panic!("a loop") };
    let Node::Statement(statement) = &mut inner.body[0] else { panic!("a statement") };
    statement.target.subscripts[0] = burstc::affine::Affine::constant(0);
    let faults = verify::verify(&twice).unwrap_err();
    assert!(faults.iter().any(|fault| fault.contains("two iterations write a cell of y")), "{faults:?}");
}
