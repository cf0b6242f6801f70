//! Branches on data that write cells which mostly nobody reads, each mostly by one iteration: elements of all widths, at any place of
//! a word, along rows, backwards, in steps and across.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::super::program::{Access, Array, Branch, Expr, For, Memory, Node, Program, Size};
use super::{Dice, FLOATS, assign, last, of, runs, variable};

/// Arrays that are read, and those that are written.
const READ: u64 = 2;
const WRITTEN: u64 = 3;

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "masks"));
    let memory = match dice.chance(65) {
        true => Memory::Axi4 { bits: dice.pick(&[32, 64, 128, 256, 512]) },
        false => Memory::Ddr400,
    };
    let depth = 1 + dice.below(2) as usize;
    let size = |name: &str, dice: &mut Dice| Size {
        name: name.to_string(),
        max: if depth == 1 { 40 + dice.below(60) as i64 } else { 7 + dice.below(14) as i64 },
        ty: ScalarType::I32,
    };
    let sizes: Vec<Size> = ["N", "M"].iter().take(depth).map(|name| size(name, &mut dice)).collect();
    let element = |dice: &mut Dice| match dice.chance(15) {
        true => dice.pick(&FLOATS),
        false => ScalarType::integer(8 << dice.below(4), dice.chance(50)),
    };
    let mut arrays = vec![];
    for array in 0..READ + WRITTEN {
        let element =
            if array < READ { ScalarType::integer(8 << dice.below(3), dice.chance(50)) } else { element(&mut dice) };
        arrays.push(Array { element, rank: depth, local: false });
    }
    let lanes = dice.chance(50).then(|| dice.pick(&[2, 4, 8]));
    let nests = if dice.chance(25) { 2 } else { 1 };
    let body = (0..nests).map(|_| nest(&mut dice, depth, lanes)).collect();
    let runs = runs(&sizes, &mut dice);
    Program { lanes, ..Program::of(sizes, arrays, body, runs, memory, seed) }
}

fn nest(dice: &mut Dice, depth: usize, lanes: Option<i64>) -> Node {
    let names = ["i", "j"];
    // Where an iteration writes: a place of its own in every array.
    let targets: Vec<Access> = (READ..READ + WRITTEN)
        .map(|array| {
            let mut own: Vec<&str> = names[..depth].to_vec();
            if depth == 2 && dice.chance(15) {
                own.swap(0, 1);
            }
            let subscripts: Vec<Affine> = own
                .into_iter()
                .map(|name| match dice.below(10) {
                    0 => -variable(name),
                    1 => variable(name) * 2,
                    2 => variable(name) + Affine::constant(1 + dice.below(6) as i64),
                    _ => variable(name),
                })
                .collect();
            of(array as usize, subscripts)
        })
        .collect();
    let branches = 1 + dice.below(3);
    let body = (0..branches).map(|_| branch(dice, depth, &targets, 2)).collect();
    let tiled = dice.chance(60);
    let tile = |dice: &mut Dice| tiled.then(|| dice.pick(&[1, 2, 4]) * lanes.unwrap_or(4));
    let plain = |name: usize, size: &str, body: Vec<Node>| For::plain(names[name], Affine::default(), last(size), body);
    if depth == 1 {
        let tile = tile(dice);
        return Node::For(For { tile, strict: dice.chance(50), ..plain(0, "N", body) });
    }
    let (outer, inner) = (tile(dice), tile(dice));
    let inner = Node::For(For { tile: inner, strict: dice.chance(50), ..plain(1, "M", body) });
    Node::For(For { tile: outer, strict: dice.chance(50), ..plain(0, "N", vec![inner]) })
}

fn branch(dice: &mut Dice, depth: usize, targets: &[Access], deeper: u32) -> Node {
    let condition = Expr::Binary(
        dice.pick(&["<", ">", "==", "&", "!="]),
        Box::new(read(dice, depth)),
        Box::new(match dice.chance(30) {
            true => read(dice, depth),
            false => Expr::Constant(dice.below(60) as i64 - 20),
        }),
    );
    let then = block(dice, depth, targets, deeper);
    let otherwise = if dice.chance(50) { block(dice, depth, targets, deeper) } else { vec![] };
    Node::Branch(Branch { condition, then, otherwise })
}

fn block(dice: &mut Dice, depth: usize, targets: &[Access], deeper: u32) -> Vec<Node> {
    let mut nodes = vec![];
    for _ in 0..1 + dice.below(2) {
        if deeper > 0 && dice.chance(35) {
            nodes.push(branch(dice, depth, targets, deeper - 1));
            continue;
        }
        let target = targets[dice.below(WRITTEN) as usize].clone();
        let mut value = read(dice, depth);
        match dice.below(30) {
            0 => value = Expr::Read(targets[dice.below(WRITTEN) as usize].clone()),
            1 => {
                value = Expr::Select(Box::new(value), Box::new(read(dice, depth)), Box::new(Expr::Read(target.clone())))
            }
            2..=15 => value = Expr::Binary(dice.pick(&["+", "-", "*"]), Box::new(value), Box::new(read(dice, depth))),
            _ => {}
        }
        nodes.push(assign(target, if dice.chance(3) { "+=" } else { "=" }, value));
    }
    nodes
}

fn read(dice: &mut Dice, depth: usize) -> Expr {
    let mut near = |name: &&str| variable(name) + Affine::constant(dice.pick(&[0, 0, 0, 1]));
    let subscripts: Vec<Affine> = ["i", "j"][..depth].iter().map(&mut near).collect();
    Expr::Read(of(dice.below(READ) as usize, subscripts))
}
