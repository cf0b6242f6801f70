//! Loops whose iterations have cells to themselves, for several compute processes: at one subscript of what they write, a little off,
//! behind one another along the other, under conditions on data, in rows as long as data say, in triangles, in tiles or without; and
//! rows and masks as other kinds have them.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::super::program::{Access, Array, Branch, Expr, For, Memory, Node, Program, Size};
use super::{Dice, FLOATS, assign, last, masks, of, rows, runs, variable};

/// One value per iteration of the outer loop, data, a matrix of data, and a matrix of results.
const RESULT: usize = 0;
const VECTOR: usize = 1;
const DATA: usize = 2;
const MATRIX: usize = 3;

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "units"));
    let units = Some(dice.pick(&[2, 2, 4, 8]));
    match dice.below(8) {
        0 => return Program { units, ..rows::program(seed) },
        1 => return Program { units, lanes: None, ..masks::program(seed) },
        _ => {}
    }
    let memory = match dice.chance(50) {
        true => Memory::Axi4 { bits: dice.pick(&[32, 64, 128]) },
        false => Memory::Ddr400,
    };
    let size = |name: &str, most: u64, dice: &mut Dice| Size {
        name: name.to_string(),
        max: 2 + dice.below(most - 1) as i64,
        ty: ScalarType::I32,
    };
    let sizes = vec![size("N", 20, &mut dice), size("M", 12, &mut dice), size("K", 5, &mut dice)];
    let floats = dice.chance(30);
    let element = |dice: &mut Dice| match floats {
        true => dice.pick(&FLOATS),
        false => ScalarType::integer(8 << dice.below(4), dice.chance(50)),
    };
    let arrays = [1, 1, 2, 2].map(|rank| Array { element: element(&mut dice), rank, local: false }).to_vec();
    let shape = Shape {
        // Which subscript of the matrix the outer loop is in.
        across: dice.chance(35),
        offsets: [dice.pick(&[0, 0, 1, 3]), dice.pick(&[0, 0, 1, 2])],
        tiled: dice.chance(60),
        floats,
    };
    let nests = 1 + usize::from(dice.chance(30));
    let body = (0..nests).map(|_| shape.nest(&mut dice)).collect();
    let runs = runs(&sizes, &mut dice);
    Program { units, ..Program::of(sizes, arrays, body, runs, memory, seed) }
}

struct Shape {
    across: bool,
    offsets: [i64; 2],
    tiled: bool,
    floats: bool,
}

impl Shape {
    fn nest(&self, dice: &mut Dice) -> Node {
        let mut inside = vec![];
        if dice.chance(50) {
            inside.push(assign(self.result(), "=", self.value(dice, &["i"])));
        }
        inside.push(self.rows(dice));
        if dice.chance(30) {
            inside.push(assign(self.result(), self.operator(dice), self.value(dice, &["i"])));
        }
        let outer = For {
            strict: dice.chance(50),
            tile: self.tile(dice),
            ..For::plain("i", Affine::default(), last("N"), inside)
        };
        Node::For(outer)
    }

    fn tile(&self, dice: &mut Dice) -> Option<i64> {
        self.tiled.then(|| dice.pick(&[4, 8, 8, 16, 3]))
    }

    /// The cells of an iteration of the outer loop.
    fn result(&self) -> Access {
        of(RESULT, [variable("i") + Affine::constant(self.offsets[0])])
    }

    fn cell(&self, other: Affine) -> Access {
        let own = variable("i") + Affine::constant(self.offsets[1]);
        of(MATRIX, if self.across { [other, own] } else { [own, other] })
    }

    /// Loops over what lies along the other subscript.
    fn rows(&self, dice: &mut Dice) -> Node {
        let backwards = dice.chance(35);
        let mut inner = vec![self.update(dice, backwards)];
        if dice.chance(30) {
            let body = vec![assign(self.result(), self.operator(dice), self.value(dice, &["i", "j", "k"]))];
            let tile = self.tile(dice);
            inner.push(Node::For(For { tile, ..For::plain("k", Affine::default(), last("K"), body) }));
        }
        if dice.chance(30) {
            inner.push(assign(self.result(), self.operator(dice), self.value(dice, &["i", "j"])));
        }
        let one = Affine::constant(i64::from(backwards));
        let mut along = For::plain("j", one, last("M"), inner);
        match dice.below(4) {
            0 if !self.tiled => along.upper = vec![variable("i"), last("M")],
            1 if !self.tiled && !backwards => {
                let begins = dice.chance(50);
                let ends = variable("i") + Affine::constant(dice.pick(&[0, 1]));
                along.data = Box::new([begins.then(|| variable("i")), Some(ends)]);
                (along.strict, along.stated) = (dice.chance(70), true);
            }
            _ => {}
        }
        along.tile = self.tile(dice);
        Node::For(along)
    }

    /// A cell, from the one before where loops leave that out.
    fn update(&self, dice: &mut Dice, backwards: bool) -> Node {
        let mut value = self.value(dice, &["i", "j"]);
        if backwards {
            let before = Expr::Read(self.cell(variable("j") - Affine::constant(1)));
            value = Expr::Binary(if self.floats { "+" } else { "^" }, Box::new(before), Box::new(value));
        }
        let operator = if backwards { "=" } else { self.operator(dice) };
        let update = assign(self.cell(variable("j")), operator, value);
        if !dice.chance(30) {
            return update;
        }
        let condition = Expr::Binary("<", Box::new(self.value(dice, &["i"])), Box::new(self.value(dice, &["j"])));
        Node::Branch(Branch { condition, then: vec![update], otherwise: vec![] })
    }

    fn operator(&self, dice: &mut Dice) -> &'static str {
        if self.floats { dice.pick(&["=", "+=", "-="]) } else { dice.pick(&["=", "+=", "^=", "*="]) }
    }

    /// What only reads: data at any of these iterators, and what the iteration has written.
    fn value(&self, dice: &mut Dice, iterators: &[&str]) -> Expr {
        let any = |dice: &mut Dice| variable(dice.pick(iterators)) + Affine::constant(dice.pick(&[0, 0, 1]));
        let one = |dice: &mut Dice| match dice.below(6) {
            0 => Expr::Read(of(VECTOR, [any(dice)])),
            1 => Expr::Read(self.result()),
            2 if !self.floats => Expr::Gather(Box::new(Expr::Read(of(VECTOR, [any(dice)])))),
            3 => Expr::Index(any(dice)),
            _ => Expr::Read(of(DATA, [any(dice), any(dice)])),
        };
        let [left, right] = [one(dice), one(dice)];
        match dice.below(3) {
            0 => left,
            1 => Expr::Binary("+", Box::new(left), Box::new(right)),
            _ => Expr::Binary("*", Box::new(left), Box::new(right)),
        }
    }
}
