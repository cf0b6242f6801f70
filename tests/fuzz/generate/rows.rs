//! Rows whose bounds are elements of an array: sums and updates along them, in tiles that split them or not, with conditions,
//! gathers and scatters in them, statements beside them, and rows inside of rows; sums in variables, one for each row.

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
    // Earlier seeds keep their programs.
    let has_sums = seed >= 15_000_000 && dice.chance(70);
    let longest = if has_sums { [24, 30, 6] } else { [10, 14, 6] };
    let size = |name: &str, longest: u64, dice: &mut Dice| Size {
        name: name.to_string(),
        max: 2 + dice.below(longest - 1) as i64,
        ty: ScalarType::I32,
    };
    let names = ["N", "M", "K"];
    let sizes: Vec<Size> = names.iter().zip(longest).map(|(name, longest)| size(name, longest, &mut dice)).collect();
    let floats = dice.chance(if has_sums { 70 } else { 30 });
    let element = |dice: &mut Dice| match floats {
        true => dice.pick(&FLOATS),
        false => ScalarType::integer(8 << dice.below(4), dice.chance(50)),
    };
    let ranks = [1, 2, 1, 1 + dice.below(2) as usize];
    let mut arrays = ranks.map(|rank| Array { element: element(&mut dice), rank, local: false }).to_vec();
    let tiled = !has_sums && dice.chance(50);
    let nests = 1 + dice.below(2);
    let mut body: Vec<Node> = vec![];
    for _ in 0..nests {
        if has_sums && dice.chance(75) {
            let local = arrays.len();
            arrays.push(Array { element: element(&mut dice), rank: 0, local: true });
            // Such a program's temporaries stand in front of its rows.
            let temporary = (seed >= 15_500_000).then(|| {
                arrays.push(Array { element: element(&mut dice), rank: 0, local: true });
                local + 1
            });
            body.push(sums(&mut dice, &sizes, &ranks, floats, (local, temporary)));
        } else {
            body.push(nest(&mut dice, &sizes, &ranks, floats, tiled));
        }
    }
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

/// A variable that sums a row up, from a value on, and what becomes of it; perhaps of values that a second one has in between.
fn sums(
    dice: &mut Dice,
    sizes: &[Size],
    ranks: &[usize],
    floats: bool,
    (local, temporary): (usize, Option<usize>),
) -> Node {
    let row = Affine::variable(ITERATORS[0]);
    let limit = |dice: &mut Dice| Some(row.clone() + Affine::constant(dice.pick(&[0, 1, 1, 1, 2])));
    let sum = || Access::plain(local, vec![]);
    let last = |level: usize| Affine::variable(&sizes[level].name) - Affine::constant(1);
    let add = |dice: &mut Dice| {
        let operator = if floats { dice.pick(&["+=", "+=", "-=", "*="]) } else { dice.pick(&["+=", "*=", "^="]) };
        Node::Assign(Assign { target: sum(), operator, value: value(dice, 2, ranks, floats) })
    };
    let mut inner = vec![add(dice)];
    let held = temporary.map(|temporary| Access::plain(temporary, vec![]));
    if let Some(held) = &held {
        let set = Node::Assign(Assign { target: held.clone(), operator: "=", value: value(dice, 2, ranks, floats) });
        let operator = dice.pick(if floats { &["+=", "-="][..] } else { &["+=", "^="] });
        let operand = Expr::Binary("*", Box::new(Expr::Read(held.clone())), Box::new(value(dice, 2, ranks, floats)));
        let taken = Node::Assign(Assign { target: sum(), operator, value: operand });
        // Or its value is that of the round before.
        inner = if dice.chance(85) { vec![set, taken] } else { vec![taken, set] };
    }
    if dice.chance(20) {
        let of = |dice: &mut Dice| Box::new(value(dice, 2, ranks, floats));
        let condition = Expr::Binary("<", of(dice), of(dice));
        inner = vec![Node::Branch(Branch { condition, then: inner, otherwise: vec![] })];
    } else if dice.chance(20) {
        inner.push(statement(dice, 2, ranks, floats));
    }
    let begins = dice.chance(85);
    let data = [if begins { Some(row.clone()) } else { None }, limit(dice)];
    let along = For {
        strict: dice.chance(70),
        data: Box::new(data),
        stated: dice.chance(90),
        ..For::plain(ITERATORS[1], Affine::default(), last(1), inner)
    };
    let first = if dice.chance(50) { Expr::Constant(0) } else { value(dice, 1, ranks, floats) };
    let target = Access::plain(0, vec![Subscript::Affine(row.clone())]);
    let operator = dice.pick(&["=", "=", "+="]);
    let mut left = Expr::Read(sum());
    let mut body = vec![Node::Declare(local, first)];
    if let (Some(temporary), Some(held)) = (temporary, held) {
        body.push(Node::Declare(
            temporary,
            if dice.chance(50) { Expr::Constant(0) } else { value(dice, 1, ranks, floats) },
        ));
        if dice.chance(20) {
            left = Expr::Binary("+", Box::new(left), Box::new(Expr::Read(held)));
        }
    }
    body.extend([Node::For(along), Node::Assign(Assign { target, operator, value: left })]);
    Node::For(For::plain(ITERATORS[0], Affine::default(), last(0), body))
}

/// A sum of the row's, an update of the element's, or of what data tell.
fn statement(dice: &mut Dice, depth: usize, ranks: &[usize], floats: bool) -> Node {
    let iterator = |level: usize| Affine::variable(ITERATORS[level]);
    let any = |dice: &mut Dice| any(dice, depth);
    let of = |array: usize, subscripts: Vec<Affine>| {
        Access::plain(array, subscripts.into_iter().map(Subscript::Affine).collect())
    };
    let read = |dice: &mut Dice| read(dice, depth, ranks);
    let value = value(dice, depth, ranks, floats);
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

/// An iterator of the nest, or the value behind it.
fn any(dice: &mut Dice, depth: usize) -> Affine {
    Affine::variable(ITERATORS[dice.below(depth as u64) as usize]) + Affine::constant(dice.pick(&[0, 0, 0, 1]))
}

/// Any element of an argument.
fn read(dice: &mut Dice, depth: usize, ranks: &[usize]) -> Expr {
    let array = dice.below(ranks.len() as u64) as usize;
    Expr::Read(Access::plain(array, (0..ranks[array]).map(|_| Subscript::Affine(any(dice, depth))).collect()))
}

/// One to three operands.
fn value(dice: &mut Dice, depth: usize, ranks: &[usize], floats: bool) -> Expr {
    let mut value = read(dice, depth, ranks);
    for _ in 0..dice.below(3) {
        let operator = dice.pick(if floats { &["+", "-", "*"][..] } else { &["+", "-", "*", "^"] });
        let other = match dice.below(4) {
            0 if !floats => Expr::Gather(Box::new(read(dice, depth, ranks))),
            1 => Expr::Index(any(dice, depth)),
            _ => read(dice, depth, ranks),
        };
        value = Expr::Binary(operator, Box::new(value), Box::new(other));
    }
    value
}
