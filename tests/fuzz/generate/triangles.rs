//! Matrices that are updated in place from their own rows and columns, and products of which half is computed and mirrored: lanes along
//! two loops for what has them, along one for the rest, in loops whose bounds cut the boxes. Before some of them, sums by column.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::super::program::{Access, Array, Expr, For, Memory, Node, Program, Size};
use super::{Dice, assign, last, of, runs, variable};

const DATA: usize = 0;
const MATRIX: usize = 1;
const ROW: usize = 2;

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "triangles"));
    let memory = match dice.chance(60) {
        true => Memory::Axi4 { bits: dice.pick(&[32, 64, 128]) },
        false => Memory::Ddr400,
    };
    let size = |name: &&str, dice: &mut Dice| Size {
        name: name.to_string(),
        max: 3 + dice.below(13) as i64,
        ty: ScalarType::I32,
    };
    let sizes: Vec<Size> = ["N", "K"].iter().map(|name| size(name, &mut dice)).collect();
    let element = |dice: &mut Dice| ScalarType::integer(8 << dice.below(3), dice.chance(50));
    let arrays = [2, 2, 1].map(|rank| Array { element: element(&mut dice), rank, local: false }).to_vec();
    let mut body = if dice.chance(40) { sums(&mut dice) } else { vec![] };
    body.extend(if dice.chance(50) { in_place(&mut dice) } else { mirrored(&mut dice) });
    let counts = dice.pick(&[[2, 2], [2, 4], [4, 2], [4, 4], [2, 8]]);
    let grid = [0, 1].map(|place| (["i", "j"][place].to_string(), counts[place]));
    let runs = runs(&sizes, &mut dice);
    Program { grid: Some(grid), ..Program::of(sizes, arrays, body, runs, memory, seed) }
}

fn loop_over(iterator: &'static str, first: Affine, last: Affine, body: Vec<Node>) -> Node {
    Node::For(For::plain(iterator, first, last, body))
}

fn binary(operator: &'static str, one: Access, other: Access) -> Expr {
    Expr::Binary(operator, Box::new(Expr::Read(one)), Box::new(Expr::Read(other)))
}

/// A sum of each column of the data, which may be taken off the column then.
fn sums(dice: &mut Dice) -> Vec<Node> {
    let [j, k] = ["j", "k"].map(variable);
    let (sum, cell) = (of(ROW, [j.clone()]), of(DATA, [k, j.clone()]));
    let add = assign(sum.clone(), "+=", Expr::Read(cell.clone()));
    let first = assign(sum.clone(), "=", Expr::Index(j));
    let column = vec![first, loop_over("k", Affine::default(), last("K"), vec![add])];
    let mut all = vec![loop_over("j", Affine::default(), last("N"), column)];
    if dice.chance(60) {
        let less = assign(cell, dice.pick(&["-=", "^="]), Expr::Read(sum));
        let rows = loop_over("j", Affine::default(), last("N"), vec![less]);
        all.push(loop_over("k", Affine::default(), last("K"), vec![rows]));
    }
    all
}

/// As in factorisations: a cell from what is left of it and above it.
fn in_place(dice: &mut Dice) -> Vec<Node> {
    let [i, j, k] = ["i", "j", "k"].map(variable);
    let (one, zero) = (Affine::constant(1), Affine::default());
    let cell = of(MATRIX, [i.clone(), j.clone()]);
    let (left, above) = (of(MATRIX, [i.clone(), k.clone()]), of(MATRIX, [k, j.clone()]));
    let other = if dice.chance(70) { above } else { of(MATRIX, [j.clone(), variable("k")]) };
    let update = assign(cell.clone(), dice.pick(&["-=", "+=", "^="]), binary("*", left, other));
    let beside = |dice: &mut Dice| match dice.below(3) {
        0 => Some(of(MATRIX, [j.clone(), j.clone()])),
        1 => Some(of(ROW, [j.clone()])),
        _ => None,
    };
    // What is left of the diagonal, and what is not.
    let mut lower = vec![loop_over("k", zero.clone(), j.clone() - one.clone(), vec![update.clone()])];
    if let Some(by) = beside(dice) {
        lower.push(assign(cell.clone(), dice.pick(&["*=", "+="]), Expr::Read(by)));
    }
    let upper = vec![loop_over("k", zero.clone(), i.clone() - one.clone(), vec![update])];
    let mut row = vec![];
    if dice.chance(75) {
        row.push(loop_over("j", zero, i.clone() - one, lower));
    }
    if row.is_empty() || dice.chance(60) {
        row.push(loop_over("j", i.clone(), last("N"), upper));
    }
    vec![loop_over("i", Affine::default(), last("N"), row)]
}

/// A product of the data with themselves: one half of it, of which the other is a copy.
fn mirrored(dice: &mut Dice) -> Vec<Node> {
    let [i, j, k] = ["i", "j", "k"].map(variable);
    let cell = of(MATRIX, [i.clone(), j.clone()]);
    let product = binary("*", of(DATA, [k.clone(), i.clone()]), of(DATA, [k, j.clone()]));
    let mut body = vec![loop_over("k", Affine::default(), last("K"), vec![assign(cell.clone(), "+=", product)])];
    if dice.chance(70) {
        body.insert(0, assign(cell.clone(), "=", Expr::Index(j.clone())));
    }
    if dice.chance(40) {
        body.push(assign(cell.clone(), dice.pick(&["*=", "-="]), Expr::Read(of(ROW, [j.clone()]))));
    }
    if dice.chance(70) {
        body.push(assign(of(MATRIX, [j, i.clone()]), "=", Expr::Read(cell)));
    }
    let first = if dice.chance(70) { i.clone() } else { i.clone() + Affine::constant(1) };
    let mut row = vec![loop_over("j", first, last("N"), body)];
    if dice.chance(30) {
        row.insert(0, assign(of(MATRIX, [i.clone(), i]), "=", Expr::Read(of(ROW, [variable("i")]))));
    }
    vec![loop_over("i", Affine::default(), last("N"), row)]
}
