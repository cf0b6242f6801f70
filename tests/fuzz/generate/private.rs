//! Rows that iterations of outer loops fill, update and read, each for itself or not: `row` is an argument, which may be a local array
//! where every read finds what its own iteration wrote.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::super::program::{Array, Condition, Expr, For, If, Memory, Node, Program, Size};
use super::{Dice, FLOATS, assign, last, of, runs, variable};

/// The arrays: a matrix that is read and written, coefficients, the row, and what another row is for.
const MATRIX: usize = 0;
const COEFFICIENTS: usize = 1;
const ROWS: [usize; 2] = [2, 3];

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "private"));
    let memory = if dice.chance(40) { Memory::Axi4 { bits: dice.pick(&[32, 128]) } } else { Memory::Ddr400 };
    let size = |name: &str, dice: &mut Dice| Size {
        name: name.to_string(),
        max: 3 + dice.below(9) as i64,
        ty: ScalarType::I32,
    };
    let sizes: Vec<Size> = ["N", "M", "K"].iter().map(|name| size(name, &mut dice)).collect();
    let floats = dice.chance(60);
    let element = |dice: &mut Dice| match floats {
        true => dice.pick(&FLOATS),
        false => ScalarType::integer(16 << dice.below(3), dice.chance(60)),
    };
    let arrays = [2, 2, 1, 1].map(|rank| Array { element: element(&mut dice), rank, local: false }).to_vec();
    let depth = 1 + dice.below(2) as usize;
    let mut body = vec![];
    for row in ROWS.into_iter().take(1 + usize::from(dice.chance(30))) {
        body.append(&mut filled(&mut dice, row, depth, floats));
    }
    if dice.chance(15) {
        // Outside of the loops over the cells, perhaps a cell that nobody has written.
        let target = of(MATRIX, [variable(OUTER[depth - 1]), Affine::constant(0)]);
        let cell = Affine::constant(dice.below(4) as i64);
        body.push(assign(target, "=", Expr::Read(of(ROWS[0], [cell]))));
    }
    for level in (0..depth).rev() {
        body = vec![Node::For(For::plain(OUTER[level], Affine::default(), last(["N", "M"][level]), body))];
    }
    if dice.chance(20) {
        let read =
            assign(of(MATRIX, [variable("i"), Affine::constant(1)]), "+=", Expr::Read(of(ROWS[0], [variable("i")])));
        body.push(Node::For(For::plain("i", Affine::default(), last("K"), vec![read])));
    }
    let runs = runs(&sizes, &mut dice);
    Program::of(sizes, arrays, body, runs, memory, seed)
}

const OUTER: [&str; 2] = ["i", "j"];

/// The loops that fill a row, update it, and hand it on.
fn filled(dice: &mut Dice, row: usize, depth: usize, floats: bool) -> Vec<Node> {
    let outer = OUTER[depth - 1];
    let shift = Affine::constant(dice.below(2) as i64);
    let cell = || of(row, [variable("k") + shift.clone()]);
    let upper = match dice.below(5) {
        0 => variable(outer),
        1 => last("K") - variable(outer),
        _ => last("K"),
    };
    let operators: &[&'static str] = if floats { &["+", "-", "*"] } else { &["+", "-", "*", "^"] };
    let some = |dice: &mut Dice| match dice.below(3) {
        0 => Expr::Read(of(MATRIX, [variable(outer), variable("k")])),
        1 => Expr::Read(of(COEFFICIENTS, [variable("k"), variable(outer)])),
        _ => Expr::Index(variable("k")),
    };
    let fill = assign(cell(), if dice.chance(90) { "=" } else { "+=" }, some(dice));
    let fill = match dice.chance(10) {
        true => {
            let condition = Condition::NonNegative(variable(outer) - Affine::constant(1));
            Node::If(If { condition, then: vec![fill], otherwise: vec![] })
        }
        false => fill,
    };
    let around = |iterator: &str, upper: Affine, body: Vec<Node>| {
        Node::For(For::plain(iterator, Affine::default(), upper, body))
    };
    let product = Expr::Binary(
        dice.pick(operators),
        Box::new(Expr::Read(of(MATRIX, [variable(outer), variable("l")]))),
        Box::new(Expr::Read(of(COEFFICIENTS, [variable("l"), variable("k")]))),
    );
    let operator = if floats { dice.pick(&["+=", "-="]) } else { dice.pick(&["+=", "^="]) };
    let update = around("l", last("K"), vec![assign(cell(), operator, product)]);
    let mut all = match dice.chance(50) {
        true => vec![around("k", upper.clone(), vec![fill, update])],
        false => vec![around("k", upper.clone(), vec![fill]), around("k", upper.clone(), vec![update])],
    };
    let read = match dice.chance(15) {
        true => of(row, [variable("k")]),
        false => cell(),
    };
    let value = Expr::Binary(dice.pick(operators), Box::new(Expr::Read(read)), Box::new(some(dice)));
    let further = if dice.chance(10) { last("K") } else { upper };
    let target = of(MATRIX, [variable(outer), variable("k")]);
    all.push(around("k", further, vec![assign(target, dice.pick(&["=", "+="]), value)]));
    all
}
