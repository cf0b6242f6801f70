//! Products one after the other, without tiles, in lanes along two loops: what lies between them stays on chip where tiles leave the
//! inner loops open. Rows that iterations fill for themselves are copied back behind them.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::super::program::{Access, Array, Expr, For, Memory, Node, Program, Size};
use super::{Dice, FLOATS, assign, last, of, runs, variable};

/// The arrays: what the first product reads, what lies between both, what the second reads beside that, and its result. Of rows, the
/// first is the cube, and the one between them the row.
const LEFT: usize = 0;
const RIGHT: usize = 1;
const BETWEEN: usize = 2;
const OTHER: usize = 3;
const RESULT: usize = 4;
const CUBE: usize = LEFT;
const ROW: usize = BETWEEN;

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "chains"));
    let memory = match dice.chance(60) {
        true => Memory::Axi4 { bits: dice.pick(&[32, 64, 128]) },
        false => Memory::Ddr400,
    };
    let names = ["N", "M", "K"];
    let is_row = dice.chance(40);
    let most = if is_row { 7 } else { 12 };
    let size = |name: &&str, dice: &mut Dice| Size {
        name: name.to_string(),
        max: 2 + dice.below(most) as i64,
        ty: ScalarType::I32,
    };
    let sizes: Vec<Size> = names.iter().map(|name| size(name, &mut dice)).collect();
    let floats = dice.chance(30);
    let element = |dice: &mut Dice| match floats {
        true => dice.pick(&FLOATS),
        false => ScalarType::integer(8 << dice.below(3), dice.chance(50)),
    };
    let ranks = if is_row { [3, 2, 1, 2, 2] } else { [2; 5] };
    let arrays = ranks.map(|rank| Array { element: element(&mut dice), rank, local: false }).to_vec();
    let (body, along) = match is_row {
        true => (rows(&mut dice), [dice.pick(&["i", "j"]), "k"]),
        false => ([product(&mut dice, true), product(&mut dice, false)].concat(), ["i", "j"]),
    };
    let counts = dice.pick(&[[2, 2], [2, 4], [4, 2], [4, 4], [2, 8]]);
    let grid = [0, 1].map(|place| (along[place].to_string(), counts[place]));
    let runs = runs(&sizes, &mut dice);
    Program { grid: Some(grid), ..Program::of(sizes, arrays, body, runs, memory, seed) }
}

fn loop_over(iterator: &'static str, first: Affine, last: Affine, body: Vec<Node>) -> Node {
    Node::For(For::plain(iterator, first, last, body))
}

fn times(one: Expr, other: Expr) -> Expr {
    Expr::Binary("*", Box::new(one), Box::new(other))
}

/// A product of matrices; the second reads what the first leaves, along its rows, its columns, or cell by cell.
fn product(dice: &mut Dice, is_first: bool) -> Vec<Node> {
    let [i, j, k] = ["i", "j", "k"].map(variable);
    let turned = |dice: &mut Dice, row: &Affine, column: &Affine| match dice.chance(20) {
        true => [column.clone(), row.clone()],
        false => [row.clone(), column.clone()],
    };
    let target = of(if is_first { BETWEEN } else { RESULT }, [i.clone(), j.clone()]);
    let (one, other) = match is_first {
        true => (of(LEFT, turned(dice, &i, &k)), of(RIGHT, turned(dice, &k, &j))),
        false => (of(BETWEEN, turned(dice, &i, &k)), of(OTHER, turned(dice, &k, &j))),
    };
    let value = times(Expr::Read(one), Expr::Read(other));
    // The loop of the sum may end, or begin, with the row or the column.
    let bounds = match dice.below(8) {
        0 => (Affine::default(), i.clone()),
        1 => (j.clone(), last("K")),
        _ => (Affine::default(), last("K")),
    };
    let mut body = vec![loop_over("k", bounds.0, bounds.1, vec![assign(target.clone(), "+=", value)])];
    match dice.below(4) {
        0 => {}
        1 => body.insert(0, assign(target, "=", Expr::Read(of(LEFT, [i.clone(), j.clone()])))),
        _ => body.insert(0, assign(target, "=", Expr::Index(j.clone()))),
    }
    let columns = if dice.chance(15) { (i, last("M")) } else { (Affine::default(), last("M")) };
    let body = vec![loop_over("j", columns.0, columns.1, body)];
    vec![loop_over("i", Affine::default(), last("N"), body)]
}

/// Rows of a cube times a matrix, each by way of a row that all of them use.
fn rows(dice: &mut Dice) -> Vec<Node> {
    let [i, j, k, l] = ["i", "j", "k", "l"].map(variable);
    let read = times(
        Expr::Read(of(CUBE, [i.clone(), j.clone(), l.clone()])),
        Expr::Read(of(RIGHT, if dice.chance(70) { [l.clone(), k.clone()] } else { [k.clone(), l.clone()] })),
    );
    let first = if dice.chance(80) { Expr::Index(i.clone()) } else { Expr::Read(of(OTHER, [j.clone(), k.clone()])) };
    let last_term = if dice.chance(20) { k.clone() } else { last("K") };
    let sum = vec![
        assign(row_of(), "=", first),
        loop_over("l", Affine::default(), last_term, vec![assign(row_of(), "+=", read)]),
    ];
    let target = if dice.chance(60) { of(CUBE, [i, j, k]) } else { of(RESULT, [j, k]) };
    let back = assign(target, dice.pick(&["=", "=", "+="]), Expr::Read(row_of()));
    let inside = vec![
        loop_over("k", Affine::default(), last("K"), sum),
        loop_over("k", Affine::default(), last("K"), vec![back]),
    ];
    vec![loop_over("i", Affine::default(), last("N"), vec![loop_over("j", Affine::default(), last("M"), inside)])]
}

fn row_of() -> Access {
    of(ROW, [variable("k")])
}
