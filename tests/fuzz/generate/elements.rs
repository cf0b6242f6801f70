//! Local arrays that the text goes through element by element, as sorting networks and ciphers do, beside short loops over them.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;

use super::super::program::{Access, Array, Branch, Condition, Expr, For, If, Node, Program};
use super::{Dice, assign, last, of, runs, variable};

const INPUT: usize = 0;
const OUTPUT: usize = 1;
const LOCAL: usize = 2;

/// Elements of the largest local array.
const LARGEST: i64 = 9;

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "elements"));
    let memory = dice.memory();
    let sizes = vec![dice.size("N", 1, 12), dice.size("M", 12, 14)];
    let floats = dice.chance(20);
    let element = dice.element(floats);
    let arrays: Vec<Array> =
        [(1, false), (2, false), (1, true)].map(|(rank, local)| Array { element, rank, local }).to_vec();
    let count = LARGEST - dice.below(7) as i64;
    let mut row: Vec<Node> = (0..5 + dice.below(8)).flat_map(|_| step(&mut dice, count, floats)).collect();
    row.push(over(0, count - 1, dice.chance(30), |i| {
        vec![assign(of(OUTPUT, [variable("o"), i.clone()]), "=", Expr::Read(of(LOCAL, [i])))]
    }));
    let body = vec![Node::For(For::plain("o", Affine::constant(0), last("N"), row))];
    let runs = runs(&sizes, &mut dice);
    let lanes = dice.chance(20).then_some(2);
    Program { lanes, ..Program::of(sizes, arrays, body, runs, memory, seed) }
}

/// Writes every element of the local array before the others are read.
pub fn fill(program: &mut Program) {
    let Some(Node::For(row)) = program.body.first_mut() else { return };
    let fill = over(0, LARGEST - 1, false, |i| {
        let read = Expr::Read(of(INPUT, [variable("i")]));
        let value = Expr::Binary("+", Box::new(read), Box::new(Expr::Index(i.clone())));
        vec![assign(of(LOCAL, [i]), "=", value)]
    });
    row.body.insert(0, fill);
}

/// A loop between constants.
fn over(low: i64, high: i64, descending: bool, body: impl FnOnce(Affine) -> Vec<Node>) -> Node {
    let plain = For::plain("i", Affine::constant(low), Affine::constant(high), body(variable("i")));
    Node::For(For { descending, ..plain })
}

fn any(dice: &mut Dice, count: i64) -> Access {
    of(LOCAL, [Affine::constant(dice.below(count as u64) as i64)])
}

fn step(dice: &mut Dice, count: i64, floats: bool) -> Vec<Node> {
    let [one, other, third] = [(); 3].map(|()| any(dice, count));
    let read = |access: &Access| Box::new(Expr::Read(access.clone()));
    let operators = if floats { &["+", "-", "*"][..] } else { &["+", "-", "^", "*"] };
    match dice.below(8) {
        // The larger of two comes second.
        0..=2 => {
            let condition = Expr::Binary(">", read(&one), read(&other));
            let sum = Expr::Binary("+", read(&one), read(&third));
            let then = vec![
                assign(third.clone(), "=", Expr::Read(one.clone())),
                assign(one, "=", Expr::Read(other.clone())),
                assign(other, dice.pick(&["=", "+="]), sum),
            ];
            let otherwise = if dice.chance(40) { vec![assign(third, "-=", Expr::Constant(1))] } else { vec![] };
            vec![Node::Branch(Branch { condition, then, otherwise })]
        }
        3 | 4 => {
            let value = Expr::Binary(dice.pick(operators), read(&other), read(&third));
            vec![assign(one, dice.pick(&["=", "+=", "-="]), value)]
        }
        // Some of them in a loop, one otherwise.
        5 | 6 => {
            let low = dice.below(count as u64) as i64;
            let high = low + dice.below((count - low) as u64) as i64;
            let apart = Condition::Zero(variable("i") - Affine::constant(dice.below(count as u64) as i64));
            let is_apart = dice.chance(40);
            vec![over(low, high, dice.chance(30), |i| {
                let step = assign(of(LOCAL, [i.clone()]), "+=", Expr::Read(other.clone()));
                match is_apart {
                    true => {
                        let then = vec![assign(of(LOCAL, [i.clone()]), "-=", Expr::Index(i))];
                        vec![Node::If(If { condition: apart, then, otherwise: vec![step] })]
                    }
                    false => vec![step],
                }
            })]
        }
        _ => {
            let edge = variable("o") - Affine::constant(dice.below(4) as i64);
            let then = vec![assign(one, "=", Expr::Read(other))];
            vec![Node::If(If { condition: Condition::NonNegative(edge), then, otherwise: vec![] })]
        }
    }
}
