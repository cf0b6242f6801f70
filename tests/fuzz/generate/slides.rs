//! Neighbours read in lanes: along rows that groups lie across, so that whole groups slide through windows, or along rows of groups;
//! beside references in other columns, sums, and rows that end early.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;

use super::super::program::{Access, Array, Assign, Expr, For, Node, Program, Subscript};
use super::{Dice, runs};

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "slides"));
    let memory = dice.memory();
    // Rows of 64 times a delay, or two, and more.
    let sizes = vec![dice.size("N", 70, 200), dice.size("M", 3, 20)];
    let floats = dice.chance(20);
    let lanes = 2 << dice.below(3);
    let arrays = [2, 2, 1, 1].map(|rank| Array { element: dice.element(floats), rank, local: false }).to_vec();
    let body = (0..1 + dice.below(2)).map(|_| nest(&mut dice, lanes, floats)).collect();
    let runs = runs(&sizes, &mut dice);
    Program { lanes: Some(lanes), ..Program::of(sizes, arrays, body, runs, memory, seed) }
}

fn nest(dice: &mut Dice, lanes: i64, floats: bool) -> Node {
    let (i, j) = (Affine::variable("i"), Affine::variable("j"));
    let last = |size: &str| Affine::variable(size) - Affine::constant(1);
    let operator = |dice: &mut Dice| dice.pick(if floats { &["+", "-", "*"][..] } else { &["+", "-", "*", "^"] });
    let sum = |reads: Vec<Expr>, dice: &mut Dice| {
        let all = reads.into_iter().reduce(|sum, read| Expr::Binary(operator(dice), Box::new(sum), Box::new(read)));
        all.expect("a read at least")
    };
    let of = |array: usize, subscripts: Vec<Affine>| {
        Access::plain(array, subscripts.into_iter().map(Subscript::Affine).collect())
    };
    let tile = |side: i64| Some(side);
    if dice.chance(25) {
        // From group to group: so many elements apart that a group's word was another group's.
        let near = |dice: &mut Dice| {
            i.clone() - Affine::constant(dice.pick(&[0, 0, 1, 1, 2]) * lanes + dice.pick(&[0, 0, 0, 1]))
        };
        let reads = (0..2 + dice.below(3)).map(|_| Expr::Read(of(3, vec![near(dice)]))).collect();
        let value = sum(reads, dice);
        let target = of(2, vec![i.clone()]);
        let assign = Node::Assign(Assign { target, operator: dice.pick(&["=", "+="]), value });
        let rows =
            For { tile: tile(512), ..For::plain("i", Affine::constant(dice.pick(&[0, 3])), last("N"), vec![assign]) };
        return Node::For(rows);
    }
    // Long rows along i, groups along j.
    let reversed = dice.chance(15);
    let along = |dice: &mut Dice| {
        let near = Affine::constant(dice.pick(&[-3, -2, -1, -1, 0, 0, 1, 1, 2]));
        if reversed { last("N") - i.clone() + near } else { i.clone() + near }
    };
    let beside = |dice: &mut Dice| j.clone() + Affine::constant(dice.pick(&[0, 0, 0, 1, -1]));
    let mut reads: Vec<Expr> =
        (0..3 + dice.below(4)).map(|_| Expr::Read(of(1, vec![along(dice), beside(dice)]))).collect();
    if dice.chance(30) {
        let other = dice.pick(&[&i, &j]).clone() + Affine::constant(dice.pick(&[0, 1]));
        reads.push(Expr::Read(of(3, vec![other])));
    }
    let value = sum(reads, dice);
    // A sum over the lanes, or cells of their own.
    let target = if dice.chance(20) { of(2, vec![i.clone()]) } else { of(0, vec![i.clone(), j.clone()]) };
    let operator = if dice.chance(50) { "+=" } else { "=" };
    let assign = Node::Assign(Assign { target, operator, value });
    let first = Affine::constant(dice.pick(&[0, 1, 2]));
    // Some rows end early: a triangle's edge.
    let upper = if dice.chance(20) { vec![last("M"), i.clone()] } else { vec![last("M")] };
    let columns = For {
        tile: tile(dice.pick(&[16, 32])),
        upper,
        ..For::plain("j", Affine::constant(dice.pick(&[0, 1])), last("M"), vec![assign])
    };
    let rows = For { tile: tile(256), ..For::plain("i", first, last("N"), vec![Node::For(columns)]) };
    Node::For(rows)
}
