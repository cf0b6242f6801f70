//! In-place updates of a matrix by a row and a column of itself, each of which an outer loop fixes: `a[i][j] += a[i][k] * a[k][j]`,
//! with `panels(a)`. Subscripts are shifted and reversed, loops begin and end beside the outer iterator, and other statements
//! stand around or beside the update.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::super::program::{Access, Array, Assign, Condition, Expr, For, If, Memory, Node, Program, Size, Subscript};
use super::{Dice, FLOATS, runs};

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "panels"));
    let memory = if dice.chance(30) { Memory::Axi4 { bits: dice.pick(&[32, 128]) } } else { Memory::Ddr400 };
    let size = |name: &str, dice: &mut Dice| Size {
        name: name.to_string(),
        max: 1 + dice.below(11) as i64,
        ty: ScalarType::I32,
    };
    let sizes: Vec<Size> = ["N", "M"][..1 + dice.below(2) as usize].iter().map(|name| size(name, &mut dice)).collect();
    let floats = dice.chance(20);
    let element = |dice: &mut Dice| match floats {
        true => dice.pick(&FLOATS),
        false => ScalarType::integer(8 << dice.below(4), dice.chance(50)),
    };
    let arrays: Vec<Array> =
        [2, 2, 1].map(|rank| Array { element: element(&mut dice), rank, local: false }).into_iter().collect();
    let variable = |name: &str| Affine::variable(name);
    let of = |array: usize, subscripts: &[Affine]| {
        Access::plain(array, subscripts.iter().cloned().map(Subscript::Affine).collect())
    };
    // What the outer loop fixes, and the two subscripts of what is written.
    let near = |dice: &mut Dice| Affine::constant(dice.pick(&[0, 0, 0, 1, 2]));
    let last = |dice: &mut Dice| variable(&sizes[dice.below(sizes.len() as u64) as usize].name) - Affine::constant(1);
    let fixed = match dice.below(5) {
        0 => last(&mut dice) - variable("k"),
        _ => variable("k") + near(&mut dice),
    };
    let own = [variable("i") + near(&mut dice), variable("j") + near(&mut dice)];
    let array = if dice.chance(20) { 1 } else { 0 };
    let target = of(0, &own);
    let cells = [
        of(array, &[own[0].clone(), fixed.clone()]),
        of(0, &[fixed.clone(), own[1].clone()]),
        of(0, &[own[0].clone() + Affine::constant(1), fixed.clone()]),
        of(0, &own),
        of(2, &[own[1].clone()]),
        of(0, &[fixed.clone(), fixed.clone()]),
    ];
    let operator = |dice: &mut Dice| dice.pick(if floats { &["+", "-", "*"][..] } else { &["+", "-", "*", "^"] });
    let mut value = Expr::Read(cells[1].clone());
    for cell in [&cells[0], &cells[3], &cells[2], &cells[4], &cells[5]].into_iter().take(1 + dice.below(5) as usize) {
        if dice.chance(75) {
            value = Expr::Binary(operator(&mut dice), Box::new(Expr::Read(cell.clone())), Box::new(value));
        }
    }
    let mut body = vec![Node::Assign(Assign { target: target.clone(), operator: dice.pick(&["=", "+="]), value })];
    if dice.chance(25) {
        // Beside it, so that every iteration compares.
        let other = Assign { target: cells[4].clone(), operator: "+=", value: Expr::Read(cells[0].clone()) };
        body.insert(dice.below(2) as usize, Node::Assign(other));
    }
    if dice.chance(15) {
        let condition = Condition::NonNegative(variable("i") - variable(dice.pick(&["j", "k"])));
        body = vec![Node::If(If { condition, then: body, otherwise: vec![] })];
    }
    let around = |iterator: &str, body: Vec<Node>, dice: &mut Dice| {
        let beside = |dice: &mut Dice| variable("k") + Affine::constant(dice.pick(&[-1, 0, 1, 2]));
        let is_inner = iterator != "k";
        let lower = if is_inner && dice.chance(25) {
            vec![beside(dice)]
        } else {
            vec![Affine::constant(dice.pick(&[0, 0, 1]))]
        };
        let lower = if lower[0].is_constant() { lower } else { vec![lower[0].clone(), Affine::constant(0)] };
        let upper = if is_inner && dice.chance(15) { vec![beside(dice), last(dice)] } else { vec![last(dice)] };
        Node::For(For {
            strict: dice.chance(50),
            lower,
            upper,
            ..For::plain(iterator, Affine::default(), Affine::default(), body)
        })
    };
    let mut loops = ["i", "j"];
    if dice.chance(40) {
        loops.reverse();
    }
    for iterator in loops {
        body = vec![around(iterator, body, &mut dice)];
    }
    if dice.chance(20) {
        let value = Expr::Binary(
            "+",
            Box::new(Expr::Read(of(2, std::slice::from_ref(&fixed)))),
            Box::new(Expr::Index(variable("k"))),
        );
        let first = Assign { target: of(0, &[fixed.clone(), fixed.clone()]), operator: dice.pick(&["=", "+="]), value };
        body.insert(dice.below(2) as usize, Node::Assign(first));
    }
    let body = vec![around("k", body, &mut dice)];
    let runs = runs(&sizes, &mut dice);
    Program { panels: true, ..Program::of(sizes, arrays, body, runs, memory, seed) }
}
