//! Rows that lanes load and store several elements at a time: elements of all widths, that begin anywhere in the words of
//! memory and in those of their buffers.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::super::program::{Access, Array, Assign, Expr, For, Memory, Node, Program, Size, Subscript};
use super::{Dice, FLOATS, ITERATORS, runs};

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "beats"));
    let memory = match dice.chance(70) {
        true => Memory::Axi4 { bits: dice.pick(&[32, 64, 128, 256, 512]) },
        false => Memory::Ddr400,
    };
    let lanes = 2 << dice.below(4);
    let depth = 1 + dice.below(2) as usize;
    // Few rows, each of several tiles.
    let longest = [&[90][..], &[4, 60]][depth - 1];
    let size = |(name, longest): (&str, &u64), dice: &mut Dice| Size {
        name: name.to_string(),
        // More than the lower bounds.
        max: 4 + dice.below(*longest - 3) as i64,
        ty: ScalarType::I32,
    };
    let sizes: Vec<Size> = ["N", "M"].into_iter().zip(longest).map(|named| size(named, &mut dice)).collect();
    // Native controllers have no word for elements of 64 bits.
    let narrow = memory == Memory::Ddr400 && dice.chance(80);
    let floats = dice.chance(25);
    let element = |dice: &mut Dice| match floats {
        true => dice.pick(&FLOATS[..if narrow { 1 } else { 2 }]),
        false => ScalarType::integer(8 << dice.below(if narrow { 2 } else { 4 }), dice.chance(50)),
    };
    let array = |dice: &mut Dice| {
        let rank = if dice.chance(75) { depth } else { 1 };
        Array { element: element(dice), rank, local: false }
    };
    let target = Array { element: element(&mut dice), rank: depth, local: false };
    let count = dice.below(4);
    let arrays: Vec<Array> = std::iter::once(target).chain((0..count).map(|_| array(&mut dice))).collect();
    let access = |array: usize, dice: &mut Dice| {
        let rank = arrays[array].rank;
        // Arrays of one subscript are rows as well.
        let own = &ITERATORS[depth - rank..depth];
        let near = |dice: &mut Dice| Affine::constant(dice.pick(&[0, 0, 1, 2, 3, 5]));
        let subscripts = own.iter().map(|iterator| Subscript::Affine(Affine::variable(*iterator) + near(dice)));
        Access::plain(array, subscripts.collect())
    };
    let mut value = Expr::Index(Affine::variable(ITERATORS[depth - 1]));
    for array in 1..arrays.len() {
        let read = |dice: &mut Dice| Expr::Read(access(array, dice));
        let operator = dice.pick(if floats { &["+", "-", "*"][..] } else { &["+", "-", "*", "^"] });
        value = match array {
            1 if dice.chance(80) => read(&mut dice),
            _ => Expr::Binary(operator, Box::new(value), Box::new(read(&mut dice))),
        };
        if dice.chance(30) {
            value = Expr::Binary("+", Box::new(value), Box::new(read(&mut dice)));
        }
    }
    let operator = dice.pick(&["=", "=", "+="]);
    let mut body = vec![Node::Assign(Assign { target: access(0, &mut dice), operator, value })];
    for (level, size) in sizes.iter().enumerate().rev() {
        // Tiles too small for lanes but along the rows.
        let tile = if level + 1 < depth { dice.pick(&[1, 1, 2]) } else { dice.pick(&[16, 24, 32]).max(lanes) };
        let lower = Affine::constant(dice.pick(&[0, 0, 0, 1, 3]));
        let upper = Affine::variable(&size.name) - Affine::constant(1);
        body = vec![Node::For(For {
            strict: dice.chance(50),
            tile: Some(tile),
            ..For::plain(ITERATORS[level], lower, upper, body)
        })];
    }
    let runs = runs(&sizes, &mut dice);
    Program { lanes: Some(lanes), ..Program::of(sizes, arrays, body, runs, memory, seed) }
}
