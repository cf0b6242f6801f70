//! Arrays of rows that C has in one dimension: places by sums, by scalars, by pointers into rows; loops over all elements; elements at
//! places that are data, of arrays that are written as well.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::super::program::{Access, Array, Assign, Branch, Condition, Expr, For, If, Node, Program, Subscript};
use super::{Dice, runs};

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "flat"));
    let memory = dice.memory();
    let mut sizes = vec![dice.size("N", 1, 12), dice.size("M", 1, 12), dice.size("T", 1, 4)];
    if dice.chance(40) {
        let types = [(32, false), (64, true), (64, false)].map(|(bits, signed)| ScalarType::integer(bits, signed));
        sizes.iter_mut().for_each(|size| size.ty = dice.pick(&types));
    }
    let floats = dice.chance(20);
    let arrays = [2, 2, 2, 1].map(|rank| Array { element: dice.element(floats), rank, local: false }).to_vec();
    let body = (0..1 + dice.below(2)).map(|_| nest(&mut dice, floats)).collect();
    let runs = runs(&sizes, &mut dice);
    let lanes = dice.chance(25).then(|| 2 << dice.below(2));
    Program { flat: true, lanes, ..Program::of(sizes, arrays, body, runs, memory, seed) }
}

fn nest(dice: &mut Dice, floats: bool) -> Node {
    let last = |size: &str| Affine::variable(size) - Affine::constant(1);
    let mut body: Vec<Node> = (0..1 + dice.below(2)).map(|_| statement(dice, floats)).collect();
    if dice.chance(25) {
        let edge = dice.pick(&["i", "j"]);
        let condition = Condition::NonNegative(Affine::variable(edge) - Affine::constant(1));
        body = vec![Node::If(If { condition, then: body, otherwise: vec![] })];
    } else if dice.chance(20) {
        let condition = Expr::Binary(">", Box::new(read(dice, floats)), Box::new(Expr::Constant(3)));
        body = vec![Node::Branch(Branch { condition, then: body, otherwise: vec![] })];
    }
    let first = |dice: &mut Dice| Affine::constant(dice.pick(&[0, 0, 0, 1]));
    let columns = For::plain("j", first(dice), last("M"), body);
    let rows = Node::For(For::plain("i", first(dice), last("N"), vec![Node::For(columns)]));
    match dice.chance(25) {
        true => Node::For(For::plain("t", Affine::constant(0), last("T"), vec![rows])),
        false => rows,
    }
}

fn statement(dice: &mut Dice, floats: bool) -> Node {
    let operators = if floats { &["+", "-", "*"][..] } else { &["+", "+", "-", "^"] };
    let reads: Vec<Expr> = (0..1 + dice.below(4)).map(|_| read(dice, floats)).collect();
    let one = |sum, read, dice: &mut Dice| Expr::Binary(dice.pick(operators), Box::new(sum), Box::new(read));
    let value = reads.into_iter().reduce(|sum, read| one(sum, read, dice)).expect("a read at least");
    let own = dice.below(2) as usize;
    let target = match dice.chance(10) {
        true => of(3, vec![dice.pick(&["i", "j"])], dice),
        false => of(own, vec!["i", "j"], dice),
    };
    Node::Assign(Assign { target, operator: dice.pick(&["=", "=", "+="]), value })
}

fn read(dice: &mut Dice, floats: bool) -> Expr {
    let array = dice.below(4) as usize;
    if array == 3 {
        return Expr::Read(of(3, vec![dice.pick(&["i", "j"])], dice));
    }
    let names = if dice.chance(15) { vec!["j", "i"] } else { vec!["i", "j"] };
    let mut access = of(array, names, dice);
    if !floats && dice.chance(20) {
        let place = dice.below(2) as usize;
        access.subscripts[place] = Subscript::Data(Box::new(Expr::Read(of(2, vec!["i", "j"], dice))));
    }
    Expr::Read(access)
}

fn of(array: usize, names: Vec<&str>, dice: &mut Dice) -> Access {
    let near = |name: &str| {
        let by = dice.pick(&[0, 0, 0, 1, -1]);
        Subscript::Affine(Affine::variable(name) + Affine::constant(by))
    };
    Access::plain(array, names.into_iter().map(near).collect())
}
