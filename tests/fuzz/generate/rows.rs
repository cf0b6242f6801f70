//! Rows whose bounds are elements of an array: sums and updates along them, in tiles that split them or not, with conditions,
//! gathers and scatters in them, statements beside them, and rows inside of rows.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::super::program::{Access, Array, Assign, Branch, Expr, For, Memory, Node, Program, Size, Subscript};
use super::{Dice, FLOATS, ITERATORS, runs};

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "rows"));
    let memory = match dice.chance(40) {
        true => Memory::Axi4 { bits: dice.pick(&[32, 64, 128]) },
        false => Memory::Ddr400,
    };
    let longest = [10, 14, 6];
    let size = |name: &str, longest: u64, dice: &mut Dice| Size {
        name: name.to_string(),
        max: 2 + dice.below(longest - 1) as i64,
        ty: ScalarType::I32,
    };
    let names = ["N", "M", "K"];
    let sizes: Vec<Size> = names.iter().zip(longest).map(|(name, longest)| size(name, longest, &mut dice)).collect();
    let floats = dice.chance(30);
    let element = |dice: &mut Dice| match floats {
        true => dice.pick(&FLOATS),
        false => ScalarType::integer(8 << dice.below(4), dice.chance(50)),
    };
    let ranks = [1, 2, 1, 1 + dice.below(2) as usize];
    let arrays = ranks.map(|rank| Array { element: element(&mut dice), rank, local: false }).to_vec();
    let tiled = dice.chance(50);
    let nests = 1 + dice.below(2);
    let body = (0..nests).map(|_| nest(&mut dice, &sizes, &ranks, floats, tiled)).collect();
    let runs = runs(&sizes, &mut dice);
    Program::of(sizes, arrays, body, runs, memory, seed)
}

/// Rows along the second loop, or along the second and the third.
fn nest(dice: &mut Dice, sizes: &[Size], ranks: &[usize], floats: bool, tiled: bool) -> Node {
    let depth = 2 + usize::from(dice.chance(30));
    let by_data = |level: usize, dice: &mut Dice| level == 1 || dice.chance(60);
    let levels: Vec<bool> = (0..depth).map(|level| level > 0 && by_data(level, dice)).collect();
    let statements = 1 + dice.below(2);
    let mut body: Vec<Node> = (0..statements).map(|_| statement(dice, depth, ranks, floats)).collect();
    for level in (0..depth).rev() {
        let index = Affine::variable(ITERATORS[level.saturating_sub(1)]);
        let begins = dice.chance(70);
        let data = match levels[level] {
            true => [begins.then(|| index.clone()), Some(index + Affine::constant(dice.pick(&[0, 1, 1, 1, 2])))],
            false => [None, None],
        };
        let last = Affine::variable(&sizes[level].name) - Affine::constant(1);
        let inner = For {
            strict: dice.chance(50),
            lower: vec![Affine::constant(if begins { 0 } else { dice.pick(&[0, 0, 1, 3]) })],
            tile: tiled.then(|| dice.pick(&[1, 2, 4, 8])),
            data: Box::new(data),
            stated: dice.chance(90),
            ..For::plain(ITERATORS[level], Affine::default(), last, body)
        };
        body = vec![Node::For(inner)];
        if level == 1 && !tiled && dice.chance(30) {
            // A statement in front of the rows.
            body.insert(0, statement(dice, 1, ranks, floats));
        }
    }
    body.remove(0)
}

/// A sum of the row's, an update of the element's, or of what data tell.
fn statement(dice: &mut Dice, depth: usize, ranks: &[usize], floats: bool) -> Node {
    let iterator = |level: usize| Affine::variable(ITERATORS[level]);
    let any =
        |dice: &mut Dice| iterator(dice.below(depth as u64) as usize) + Affine::constant(dice.pick(&[0, 0, 0, 1]));
    let of = |array: usize, subscripts: Vec<Affine>| {
        Access::plain(array, subscripts.into_iter().map(Subscript::Affine).collect())
    };
    let read = |dice: &mut Dice| {
        let array = dice.below(ranks.len() as u64) as usize;
        Expr::Read(of(array, (0..ranks[array]).map(|_| any(dice)).collect()))
    };
    let mut value = read(dice);
    for _ in 0..dice.below(3) {
        let operator = dice.pick(if floats { &["+", "-", "*"][..] } else { &["+", "-", "*", "^"] });
        let other = match dice.below(4) {
            0 if !floats => Expr::Gather(Box::new(read(dice))),
            1 => Expr::Index(any(dice)),
            _ => read(dice),
        };
        value = Expr::Binary(operator, Box::new(value), Box::new(other));
    }
    let mut target = match dice.below(4) {
        0 => of(1, vec![any(dice), any(dice)]),
        1 => of(2, vec![any(dice)]),
        _ => of(0, vec![iterator(0)]),
    };
    if !floats && dice.chance(15) {
        let index = read(dice);
        target.subscripts[0] = Subscript::Data(Box::new(index));
    }
    let operator = if floats { dice.pick(&["+=", "+=", "-=", "="]) } else { dice.pick(&["+=", "+=", "^=", "="]) };
    let assign = Node::Assign(Assign { target, operator, value });
    match dice.chance(25) {
        true => {
            let condition = Expr::Binary(dice.pick(&["<", ">="]), Box::new(read(dice)), Box::new(read(dice)));
            let otherwise = if dice.chance(30) { vec![assign.clone()] } else { vec![] };
            Node::Branch(Branch { condition, then: vec![assign], otherwise })
        }
        false => assign,
    }
}
