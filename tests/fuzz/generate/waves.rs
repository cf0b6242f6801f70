//! Cells that are updated in place from their neighbours: over time, along a plane, over intervals. What can run side by side lies along
//! waves, and accesses cells along diagonals.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;

use super::super::program::{Array, Assign, Expr, For, Node, Program};
use super::{Dice, last, of, runs, variable};

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "waves"));
    let memory = dice.memory();
    let sizes = vec![dice.size("N", 8, 24), dice.size("M", 8, 24), dice.size("T", 2, 8)];
    let floats = dice.chance(30);
    let lanes = 2 << dice.below(3);
    let arrays = [2, 2, 1, 1].map(|rank| Array { element: dice.element(floats), rank, local: false }).to_vec();
    let body = match dice.below(5) {
        0 | 1 => over_time(&mut dice, floats, true),
        2 => over_time(&mut dice, floats, false),
        3 => plane(&mut dice, floats),
        _ => intervals(&mut dice, floats),
    };
    let runs = runs(&sizes, &mut dice);
    Program { lanes: Some(lanes), ..Program::of(sizes, arrays, vec![body], runs, memory, seed) }
}

fn constant(value: i64) -> Affine {
    Affine::constant(value)
}

fn combined(reads: Vec<Expr>, dice: &mut Dice, floats: bool) -> Expr {
    let operators = if floats { &["+", "-", "*"][..] } else { &["+", "+", "-", "^"] };
    let one = |sum, read, dice: &mut Dice| Expr::Binary(dice.pick(operators), Box::new(sum), Box::new(read));
    reads.into_iter().reduce(|sum, read| one(sum, read, dice)).expect("a read at least")
}

/// Neighbours within a step, or two along memory's rows, in place or not at all times.
fn over_time(dice: &mut Dice, floats: bool, has_time: bool) -> Node {
    let reach = dice.pick(&[1, 1, 1, 2]);
    let (i, j) = (variable("i"), variable("j"));
    // Of the first rows only where nothing orders the others: those behind are from the sweep before.
    let mut reads: Vec<Expr> = (0..2 + dice.below(5))
        .map(|_| {
            let (down, right) = (dice.below(3) as i64 - 1, dice.below(2 * reach as u64 + 1) as i64 - reach);
            Expr::Read(of(0, vec![i.clone() + constant(down), j.clone() + constant(right)]))
        })
        .collect();
    if dice.chance(30) {
        reads.push(Expr::Read(of(1, vec![i.clone(), j.clone()])));
    }
    if dice.chance(20) {
        reads.push(Expr::Read(of(2, vec![dice.pick(&[&i, &j]).clone()])));
    }
    let value = combined(reads, dice, floats);
    let target = of(0, vec![i, j.clone()]);
    let mut inner = vec![Node::Assign(Assign { target, operator: dice.pick(&["=", "=", "+="]), value })];
    if dice.chance(20) {
        let cell = || of(0, vec![variable("i"), variable("j")]);
        let value = Expr::Binary("+", Box::new(Expr::Read(cell())), Box::new(Expr::Constant(3)));
        inner.push(Node::Assign(Assign { target: of(1, vec![variable("i"), variable("j")]), operator: "=", value }));
    }
    let end = |size: &str| last(size) - constant(reach);
    let mut columns = For::plain("j", constant(reach), end("M"), inner);
    if dice.chance(15) {
        columns.upper.push(variable("i") + constant(3));
    }
    let rows = Node::For(For::plain("i", constant(1), last("N") - constant(1), vec![Node::For(columns)]));
    if has_time { Node::For(For::plain("t", constant(0), last("T"), vec![rows])) } else { rows }
}

/// A table of which each cell needs those before it.
fn plane(dice: &mut Dice, floats: bool) -> Node {
    let (i, j) = (variable("i"), variable("j"));
    let mut near = vec![(1, 0), (0, 1), (1, 1)];
    if dice.chance(30) {
        near.remove(dice.below(3) as usize);
    }
    let mut reads: Vec<Expr> = near
        .into_iter()
        .map(|(up, left)| Expr::Read(of(0, vec![i.clone() - constant(up), j.clone() - constant(left)])))
        .collect();
    reads.push(Expr::Read(of(2, vec![i.clone()])));
    reads.push(Expr::Read(of(3, vec![j.clone()])));
    let value = combined(reads, dice, floats);
    let assign = Node::Assign(Assign { target: of(0, vec![i, j]), operator: "=", value });
    let columns = For::plain("j", constant(1), last("M"), vec![assign]);
    Node::For(For::plain("i", constant(1), last("N"), vec![Node::For(columns)]))
}

/// Intervals from shorter ones, from the last row up.
fn intervals(dice: &mut Dice, floats: bool) -> Node {
    let row = last("N") - variable("i");
    let (j, k) = (variable("j"), variable("k"));
    let cell = |row: &Affine, column: &Affine| Expr::Read(of(0, vec![row.clone(), column.clone()]));
    let after = k.clone() + constant(1);
    let pair = combined(vec![cell(&row, &k), cell(&after, &j)], dice, floats);
    let target = || of(0, vec![row.clone(), j.clone()]);
    let operator = dice.pick(if floats { &["+=", "-="][..] } else { &["+=", "-=", "^="] });
    let split = Node::Assign(Assign { target: target(), operator, value: pair });
    let mut inner = vec![];
    if dice.chance(60) {
        let before = cell(&row, &(j.clone() - constant(1)));
        let value = combined(vec![before, Expr::Read(of(2, vec![j.clone()]))], dice, floats);
        inner.push(Node::Assign(Assign { target: target(), operator: "+=", value }));
    }
    let splits = For::plain("k", row.clone(), j.clone() - constant(1), vec![split]);
    inner.push(Node::For(splits));
    let columns = For::plain("j", row.clone() + constant(1), last("N"), inner);
    Node::For(For::plain("i", constant(0), last("N"), vec![Node::For(columns)]))
}
