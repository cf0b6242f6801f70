//! Elements that lie beside each other and are those of one iteration, as the colours of a pixel: neighbours access cells two to four
//! apart, up or down, some of them through a loop over them, in lanes of one dimension or of two.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;

use super::super::program::{Access, Array, Expr, For, Node, Program};
use super::{Dice, assign, last, of, runs, variable};

/// How an array is accessed: so many elements from one iteration to the next, in rows where it has two dimensions.
#[derive(Clone, Copy)]
struct Rows {
    array: usize,
    apart: i64,
    rank: usize,
    across: bool,
}

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "apart"));
    let memory = dice.memory();
    let sizes = vec![dice.size("N", 1, 9), dice.size("M", 2, 24)];
    let floats = dice.chance(25);
    let element = dice.element(floats);
    let count = 2 + dice.below(4) as usize;
    let rows: Vec<Rows> = (0..count)
        .map(|array| Rows {
            array,
            apart: dice.pick(&[1, 2, 2, 3, 3, 3, 4]) * if dice.chance(15) { -1 } else { 1 },
            rank: 1 + dice.below(2) as usize,
            across: dice.chance(15),
        })
        .collect();
    let array = |own: &Rows| {
        let element = if floats || dice.chance(60) { element } else { dice.element(false) };
        Array { element, rank: own.rank, local: false }
    };
    let arrays: Vec<Array> = rows.iter().map(array).collect();
    let written = 1 + dice.below(count as u64 - 1) as usize;
    // A loop over the elements of an iteration, all or some of them.
    let inside = dice.chance(30).then(|| 1 + dice.below(4) as i64);
    let statements = 1 + dice.below(3) as usize;
    let mut body: Vec<Node> = (0..statements)
        .map(|_| {
            let target = dice.pick(&rows[..written]);
            let mut value = Expr::Read(cell(&mut dice, target, inside, true));
            for _ in 0..1 + dice.below(3) {
                let own = dice.pick(&rows);
                let operator = dice.pick(if floats { &["+", "-", "*"][..] } else { &["+", "-", "^"] });
                value =
                    Expr::Binary(operator, Box::new(value), Box::new(Expr::Read(cell(&mut dice, own, inside, false))));
            }
            assign(cell(&mut dice, target, inside, true), dice.pick(&["=", "=", "+="]), value)
        })
        .collect();
    if let Some(all) = inside {
        body = vec![Node::For(For::plain("k", Affine::constant(0), Affine::constant(all - 1), body))];
    }
    let row = For { descending: dice.chance(15), ..For::plain("j", Affine::constant(0), last("M"), body) };
    let body = vec![Node::For(For::plain("i", Affine::constant(0), last("N"), vec![Node::For(row)]))];
    let runs = runs(&sizes, &mut dice);
    let lanes = dice.chance(80).then(|| 2 << dice.below(3));
    Program { lanes, ..Program::of(sizes, arrays, body, runs, memory, seed) }
}

/// An element of iteration `i, j`, mostly: what is written is never one of another iteration.
fn cell(dice: &mut Dice, own: Rows, inside: Option<i64>, is_own: bool) -> Access {
    let within = own.apart.abs();
    let place = match inside {
        // Those that the loop has, as long as they are all of one iteration.
        Some(all) if all <= within => variable("k"),
        _ => Affine::constant(dice.below(within as u64) as i64),
    };
    let moved = if is_own || dice.chance(70) { 0 } else { dice.below(3) as i64 - 1 };
    let (row, column) = if own.across { ("j", "i") } else { ("i", "j") };
    let along = |name: &str| (variable(name) + Affine::constant(moved)) * own.apart;
    match own.rank {
        1 => of(own.array, [along("j") + Affine::constant(i64::from(!is_own))]),
        _ => of(own.array, [variable(row), along(column) + place]),
    }
}
