//! Nests in lanes that go along the rows of the same arrays, others along their columns, in tiles of a few of them: each keeps on chip
//! what it goes through.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::super::program::{Array, Expr, For, Memory, Node, Program, Size};
use super::{Dice, FLOATS, assign, last, of, runs, variable};

/// Arrays of two dimensions.
const ARRAYS: u64 = 3;
/// As long as any row or column.
const WHOLE: i64 = 64;

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "columns"));
    let memory = match dice.chance(50) {
        true => Memory::Axi4 { bits: dice.pick(&[32, 64, 128, 256]) },
        false => Memory::Ddr400,
    };
    let size = |name: &str, dice: &mut Dice| Size {
        name: name.to_string(),
        max: 9 + dice.below(24) as i64,
        ty: ScalarType::I32,
    };
    let sizes: Vec<Size> = ["N", "M"].iter().map(|name| size(name, &mut dice)).collect();
    let floats = dice.chance(20);
    let element = |dice: &mut Dice| match floats {
        true => dice.pick(&FLOATS),
        false => ScalarType::integer(8 << dice.below(4), dice.chance(50)),
    };
    let arrays = (0..ARRAYS).map(|_| Array { element: element(&mut dice), rank: 2, local: false }).collect();
    let lanes = dice.pick(&[2, 2, 4, 8]);
    let first = dice.chance(50);
    let others = 1 + dice.below(3);
    let mut body = vec![nest(&mut dice, first, lanes, floats), nest(&mut dice, !first, lanes, floats)];
    for _ in 1..others {
        let along_rows = dice.chance(50);
        body.push(nest(&mut dice, along_rows, lanes, floats));
    }
    let runs = runs(&sizes, &mut dice);
    Program { lanes: Some(lanes), ..Program::of(sizes, arrays, body, runs, memory, seed) }
}

/// A few rows, each from its begin or its end on, or a few columns.
fn nest(dice: &mut Dice, along_rows: bool, lanes: i64, floats: bool) -> Node {
    let cell = |steps: i64| {
        let near = |name: &str, own: bool| variable(name) + Affine::constant(if own { steps } else { 0 });
        [near("i", !along_rows), near("j", along_rows)]
    };
    // What the cell before leaves, or what was there.
    let updates = dice.chance(70);
    let target = dice.below(ARRAYS) as usize;
    let read = |dice: &mut Dice| {
        let array = dice.below(ARRAYS) as usize;
        let steps = if array == target { 1 } else { dice.pick(&[0, 1, 1]) };
        Expr::Read(of(array, cell(steps)))
    };
    let mut value = read(dice);
    if updates {
        value = Expr::Binary(dice.pick(&["+", "-"]), Box::new(value), Box::new(Expr::Read(of(target, cell(0)))));
    }
    for _ in 0..dice.below(2) {
        let operator = dice.pick(if floats { &["+", "-", "*"][..] } else { &["+", "-", "*", "^"] });
        value = Expr::Binary(operator, Box::new(value), Box::new(read(dice)));
    }
    let body = vec![assign(of(target, cell(1)), dice.pick(&["=", "=", "+="]), value)];
    let (few, all) = if along_rows { (("i", "N"), ("j", "M")) } else { (("j", "M"), ("i", "N")) };
    let inner = For {
        strict: dice.chance(50),
        tile: Some(dice.pick(&[WHOLE, WHOLE, 8])),
        ..For::plain(all.0, Affine::default(), last(all.1), body)
    };
    Node::For(For {
        strict: dice.chance(50),
        tile: Some(dice.pick(&[1, 2]) * lanes),
        ..For::plain(few.0, Affine::default(), last(few.1), vec![Node::For(inner)])
    })
}
