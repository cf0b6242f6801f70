//! Nests in lanes along two loops: accesses that move with one of them, both or none, forwards, backwards or along diagonals;
//! rectangles and triangles whose edges cut groups; a statement before the innermost loop.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::super::program::{Access, Array, Assign, Expr, For, Memory, Node, Program, Size, Subscript};
use super::{Dice, FLOATS, ITERATORS, runs};

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "grid"));
    let memory = match dice.chance(50) {
        true => Memory::Axi4 { bits: dice.pick(&[32, 64, 128, 256]) },
        false => Memory::Ddr400,
    };
    let depth = 2 + dice.below(2) as usize;
    let names = ["N", "M", "K"];
    let longest = [&[20, 20][..], &[11, 12, 6]][depth - 2];
    let size = |(name, longest): (&&str, &u64), dice: &mut Dice| Size {
        name: name.to_string(),
        max: 2 + dice.below(*longest - 1) as i64,
        ty: ScalarType::I32,
    };
    let mut sizes: Vec<Size> = names.iter().zip(longest).map(|named| size(named, &mut dice)).collect();
    // Any loop may be the one without lanes.
    let alone = (depth == 3).then(|| dice.pick(&[0, 1, 2, 2, 2]) as usize);
    if let Some(alone) = alone {
        let short = sizes[2].max;
        (sizes[2].max, sizes[alone].max) = (sizes[alone].max, short);
    }
    let in_lanes: Vec<usize> = (0..depth).filter(|level| Some(*level) != alone).collect();
    let counts = dice.pick(&[[2, 2], [2, 4], [4, 2], [4, 4], [2, 8]]);
    let floats = dice.chance(20);
    let element = |dice: &mut Dice| match floats {
        true => dice.pick(&FLOATS),
        false => ScalarType::integer(8 << dice.below(4), dice.chance(50)),
    };

    // The target moves with both, mostly by a cell, or with all loops, mostly in rows of the one without lanes.
    let moves_with_all = depth == 3 && dice.chance(35);
    let rank = if moves_with_all { 3 } else { 2 };
    let mut arrays = vec![Array { element: element(&mut dice), rank, local: false }];
    let iterator = |level: usize| Affine::variable(ITERATORS[level]);
    let upper = |level: usize, sizes: &[Size]| Affine::variable(&sizes[level].name) - Affine::constant(1);
    let along = |level: usize, dice: &mut Dice| {
        let near = Affine::constant(dice.pick(&[0, 0, 0, 1, 2]));
        match dice.below(10) {
            0 | 1 => upper(level, &sizes) - iterator(level) + near,
            _ => iterator(level) + near,
        }
    };
    let of = |array: usize, subscripts: Vec<Affine>| {
        Access::plain(array, subscripts.into_iter().map(Subscript::Affine).collect())
    };
    let mut order = in_lanes.clone();
    if dice.chance(30) {
        order.reverse();
    }
    if let Some(alone) = alone.filter(|_| moves_with_all) {
        order.insert(dice.pick(&[0, 1, 2, 2, 2]), alone);
    }
    let own: Vec<Affine> = order.iter().map(|level| along(*level, &mut dice)).collect();
    let target = of(0, own);
    let mut value = Expr::Index(iterator(dice.below(depth as u64) as usize));
    let mut initial = Expr::Index(iterator(in_lanes[0]));
    for array in 1..2 + dice.below(3) as usize {
        let rank = 1 + dice.below(2) as usize;
        arrays.push(Array { element: element(&mut dice), rank, local: false });
        let read = |levels: &[usize], dice: &mut Dice| {
            let subscript = |dice: &mut Dice| {
                let level = dice.pick(levels);
                match dice.below(12) {
                    0 => along(level, dice) + iterator(dice.pick(levels)),
                    1 => iterator(level) * 2,
                    _ => along(level, dice),
                }
            };
            let subscripts: Vec<Affine> = (0..rank).map(|_| subscript(dice)).collect();
            Expr::Read(of(array, subscripts))
        };
        let all: Vec<usize> = (0..depth).collect();
        let operator = dice.pick(if floats { &["+", "-", "*"][..] } else { &["+", "-", "*", "^"] });
        value = match array {
            1 => read(&all, &mut dice),
            _ => Expr::Binary(operator, Box::new(value), Box::new(read(&all, &mut dice))),
        };
        if dice.chance(30) {
            initial = Expr::Binary("+", Box::new(initial), Box::new(read(&in_lanes, &mut dice)));
        }
    }
    if dice.chance(25) {
        // What was there before, from beside.
        let own: Vec<Affine> = order.iter().map(|level| along(*level, &mut dice)).collect();
        value = Expr::Binary("+", Box::new(value), Box::new(Expr::Read(of(0, own))));
    }
    let operator = if depth == 3 { dice.pick(&["+=", "+=", "="]) } else { dice.pick(&["=", "+="]) };
    let begins = depth == 3 && alone == Some(2) && !moves_with_all && dice.chance(60);
    let mut body = vec![Node::Assign(Assign { target: target.clone(), operator, value })];
    for level in (0..depth).rev() {
        let tile = match in_lanes.iter().position(|own| *own == level) {
            Some(place) => dice.pick(&[1, 2, 2, 3]) * counts[place],
            None => dice.pick(&[1, 2, 4]),
        };
        let (mut first, mut last) = (Affine::constant(dice.pick(&[0, 0, 0, 1])), upper(level, &sizes));
        if level > 0 && dice.chance(20) {
            match dice.chance(50) {
                true => first = iterator(level - 1),
                false => last = iterator(level - 1) + Affine::constant(dice.pick(&[-1, 0, 2])),
            }
        }
        let inner =
            For { strict: dice.chance(50), tile: Some(tile), ..For::plain(ITERATORS[level], first, last, body) };
        body = vec![Node::For(inner)];
        if level == 2 && begins {
            let first = Assign { target: target.clone(), operator: "=", value: initial.clone() };
            body.insert(0, Node::Assign(first));
        }
    }
    let runs = runs(&sizes, &mut dice);
    let grid = [0, 1].map(|place| (ITERATORS[in_lanes[place]].to_string(), counts[place]));
    Program { grid: Some(grid), ..Program::of(sizes, arrays, body, runs, memory, seed) }
}
