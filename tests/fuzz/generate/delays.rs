//! Values that iterations hand on through scalars, one copy after the other: filters whose state moves on, sources that are written
//! again before the copy is used, copies of narrower types, under conditions, and the last ones behind the loop.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::super::program::{Access, Array, Condition, Expr, For, If, Node, Program};
use super::{Dice, assign, last, of, runs, variable};

const INPUT: usize = 0;
const OUTPUT: usize = 1;
const ROWS: usize = 2;
const COLUMNS: usize = 3;
/// The first of the scalars.
const DELAYED: usize = 4;

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "delays"));
    let memory = dice.memory();
    let sizes = vec![dice.size("N", 1, 12), dice.size("M", 1, 16)];
    let floats = dice.chance(25);
    let element = dice.element(floats);
    // Mostly of one type, so that values pass unchanged.
    let alike = |dice: &mut Dice| if floats || dice.chance(70) { element } else { dice.element(false) };
    let mut arrays: Vec<Array> =
        [2, 2, 1, 1].map(|rank| Array { element: alike(&mut dice), rank, local: false }).to_vec();
    let count = 1 + dice.below(3) as usize;
    arrays.extend((0..count).map(|_| Array { element: alike(&mut dice), rank: 0, local: true }));
    // Earlier seeds keep their programs.
    let body = nest(&mut dice, count, floats, seed >= 20_000_000);
    let runs = runs(&sizes, &mut dice);
    let lanes = dice.chance(25).then(|| 2 << dice.below(2));
    Program { lanes, ..Program::of(sizes, arrays, body, runs, memory, seed) }
}

fn scalar(number: usize) -> Access {
    of(DELAYED + number, [])
}

fn nest(dice: &mut Dice, count: usize, floats: bool, computed: bool) -> Vec<Node> {
    let declared: Vec<Node> = (0..count)
        .map(|number| {
            let first = match dice.below(3) {
                0 => Expr::Constant(dice.below(9) as i64),
                1 => Expr::Read(of(ROWS, [Affine::constant(0)])),
                _ => Expr::Index(variable("N")),
            };
            Node::Declare(DELAYED + number, first)
        })
        .collect();
    let outside = dice.chance(25);
    let across = dice.chance(30);
    let cell = |array: usize| {
        let subscripts = [variable("i"), variable("j")];
        of(array, if across { [subscripts[1].clone(), subscripts[0].clone()] } else { subscripts })
    };
    let (outer, inner) = if across { ("M", "N") } else { ("N", "M") };
    let mut steps = vec![];
    for _ in 0..2 + dice.below(4) {
        let step = step(dice, count, (floats, computed), &cell, across);
        steps.push(match dice.chance(15) {
            true => {
                let edge = variable("j") - Affine::constant(dice.below(3) as i64);
                let condition = if dice.chance(50) { Condition::NonNegative(edge) } else { Condition::Zero(edge) };
                Node::If(If { condition, then: vec![step], otherwise: vec![] })
            }
            false => step,
        });
    }
    let inside =
        Node::For(For { descending: dice.chance(20), ..For::plain("j", Affine::constant(0), last(inner), steps) });
    let mut row = if outside { vec![] } else { declared.clone() };
    row.push(inside);
    if dice.chance(40) {
        let line = if across { COLUMNS } else { ROWS };
        row.push(assign(of(line, [variable("i")]), "=", Expr::Read(scalar(dice.below(count as u64) as usize))));
    }
    let rows = Node::For(For::plain("i", Affine::constant(0), last(outer), row));
    if outside { declared.into_iter().chain([rows]).collect() } else { vec![rows] }
}

/// A copy, or what takes copies in, or what is computed from the input alone, where that is wanted.
fn step(
    dice: &mut Dice,
    count: usize,
    (floats, computed): (bool, bool),
    cell: &dyn Fn(usize) -> Access,
    across: bool,
) -> Node {
    let any = |dice: &mut Dice| scalar(dice.below(count as u64) as usize);
    let along = of(if across { ROWS } else { COLUMNS }, [variable("j")]);
    match dice.below(if computed { 14 } else { 10 }) {
        10.. => {
            let other = if dice.chance(60) { Expr::Constant(1 + dice.below(9) as i64) } else { Expr::Read(along) };
            let operator = dice.pick(if floats { &["+", "*"][..] } else { &["+", "^"] });
            assign(any(dice), "=", Expr::Binary(operator, Box::new(Expr::Read(cell(INPUT))), Box::new(other)))
        }
        0..=3 => {
            let source = match dice.below(6) {
                0 | 1 => any(dice),
                2 => cell(INPUT),
                3 | 4 => cell(OUTPUT),
                _ => along,
            };
            assign(any(dice), "=", Expr::Read(source))
        }
        4 => {
            let narrow = ScalarType::integer(8, dice.chance(50));
            let value = Expr::Read(cell(INPUT));
            assign(any(dice), "=", if floats { Expr::Constant(2) } else { Expr::Cast(narrow, Box::new(value)) })
        }
        choice => {
            let operators = if floats { &["+", "-", "*"][..] } else { &["+", "+", "-", "^"] };
            let mut value = Expr::Read(if dice.chance(70) { cell(INPUT) } else { any(dice) });
            for _ in 0..1 + dice.below(2) {
                value = Expr::Binary(dice.pick(operators), Box::new(value), Box::new(Expr::Read(any(dice))));
            }
            let target = match choice {
                5..=7 => cell(OUTPUT),
                8 => cell(INPUT),
                _ => any(dice),
            };
            assign(target, dice.pick(&["=", "=", "=", "+="]), value)
        }
    }
}
