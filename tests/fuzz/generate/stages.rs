//! Filters in stages, whose results between them are local arrays: each stage reads some neighbours of what the one before has made, in loops of its
//! own or inside a common one, updates it, or is written by two statements in turns.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::super::program::{Access, Array, Assign, Condition, Expr, For, If, Memory, Node, Program, Size, Subscript};
use super::{Dice, FLOATS, runs};

/// Neighbours that a stage reads at most along a loop, and so many iterations more the one before has.
const REACH: u64 = 2;

struct Stages {
    dice: Dice,
    floats: bool,
    /// Loops around a statement.
    depth: usize,
    /// How many local arrays there are.
    count: usize,
    /// The outermost loop is around all stages.
    shared: bool,
    /// Whether the local arrays have the outermost loop's subscript.
    whole: bool,
}

pub fn program(seed: u64) -> Program {
    let mut dice = Dice(SplitMix::named(seed, "stages"));
    let memory = if dice.chance(30) { Memory::Axi4 { bits: dice.pick(&[32, 128]) } } else { Memory::Ddr400 };
    let size = |name: &str, dice: &mut Dice| Size {
        name: name.to_string(),
        max: 1 + dice.below(12) as i64,
        ty: ScalarType::I32,
    };
    let sizes: Vec<Size> = ["N", "M"].iter().map(|name| size(name, &mut dice)).collect();
    let (floats, depth, count) = (dice.chance(20), 1 + dice.below(2) as usize, 1 + dice.below(2) as usize);
    let shared = depth == 2 && dice.chance(50);
    let whole = !shared || dice.chance(50);
    let element = |dice: &mut Dice| match floats {
        true => dice.pick(&FLOATS),
        false => ScalarType::integer(8 << dice.below(4), dice.chance(50)),
    };
    let local_rank = if whole { depth } else { 1 };
    let ranks = [(2, false), (depth, false)].into_iter().chain(vec![(local_rank, true); count]);
    let arrays: Vec<Array> = ranks.map(|(rank, local)| Array { element: element(&mut dice), rank, local }).collect();
    let tiled = dice.chance(35);
    let mut stages = Stages { dice, floats, depth, count, shared, whole };
    let nests: Vec<Node> = (0..=count).flat_map(|stage| stages.nests(stage, tiled && !shared)).collect();
    let body = match shared {
        true => {
            let tile = tiled.then(|| stages.dice.pick(&[1, 2, 4, 8]));
            vec![Node::For(For { body: nests, tile, ..stages.around("i", 0) })]
        }
        false => nests,
    };
    let runs = runs(&sizes, &mut stages.dice);
    Program::of(sizes, arrays, body, runs, memory, seed)
}

impl Stages {
    /// The nests of a stage: of the local array behind the two arguments, or, of the last one, of the second argument.
    fn nests(&mut self, stage: usize, tiled: bool) -> Vec<Node> {
        let margin = REACH as i64 * (self.count - stage) as i64;
        let mut all = vec![];
        for update in 0..1 + usize::from(self.dice.chance(25)) {
            let mut body = vec![self.assign(stage, update > 0)];
            if self.dice.chance(25) {
                let odd = Condition::Multiple(Affine::variable(self.innermost()), 2);
                let late = Condition::NonNegative(Affine::variable(self.innermost()) - Affine::constant(2));
                let (condition, otherwise) = (self.dice.pick(&[odd, late]), vec![self.assign(stage, update > 0)]);
                body = vec![Node::If(If { condition, then: body, otherwise })];
            }
            let inner = self.innermost();
            let mut loops = if self.depth == 1 || self.shared { vec![inner] } else { vec!["i", "j"] };
            if loops.len() == 2 && self.dice.chance(20) {
                loops.reverse();
            }
            for iterator in loops.into_iter().rev() {
                let tile = tiled.then(|| self.dice.pick(&[1, 2, 4, 8]));
                let descending = !tiled && self.dice.chance(15);
                body = vec![Node::For(For { body, tile, descending, ..self.around(iterator, margin) })];
            }
            all.append(&mut body);
        }
        all
    }

    fn innermost(&self) -> &'static str {
        if self.depth == 1 { "i" } else { "j" }
    }

    /// A loop over a size and so many more.
    fn around(&mut self, iterator: &str, more: i64) -> For {
        let size = if iterator == "i" { "N" } else { "M" };
        For {
            strict: self.dice.chance(50),
            ..For::plain(iterator, Affine::default(), Affine::variable(size) + Affine::constant(more - 1), vec![])
        }
    }

    /// Neighbours of what the stage before has made, and of an argument.
    fn assign(&mut self, stage: usize, update: bool) -> Node {
        let target = if stage < self.count { self.cell(2 + stage, 0) } else { self.cell(1, 0) };
        let mut value = match stage {
            0 => Expr::Read(self.argument()),
            _ => Expr::Read(self.cell(1 + stage, REACH)),
        };
        for _ in 0..self.dice.below(4) {
            let other = match self.dice.below(4) {
                0 => Expr::Index(Affine::variable(self.innermost())),
                1 => Expr::Read(self.argument()),
                _ if stage > 0 => Expr::Read(self.cell(1 + stage, REACH)),
                _ => Expr::Read(self.argument()),
            };
            let operator = self.dice.pick(if self.floats { &["+", "-", "*"][..] } else { &["+", "-", "*", "^"] });
            value = Expr::Binary(operator, Box::new(value), Box::new(other));
        }
        let operator = if update { self.dice.pick(&["+=", "-=", "*="]) } else { "=" };
        Node::Assign(Assign { target, operator, value })
    }

    /// An element of an array with a subscript per loop, as far as `reach` behind the iteration's own.
    fn cell(&mut self, array: usize, reach: u64) -> Access {
        let iterators: &[&str] = match self.depth {
            1 => &["i"],
            _ if array >= 2 && !self.whole => &["j"],
            _ => &["i", "j"],
        };
        let subscripts = iterators.iter().map(|iterator| {
            let is_free = !(self.shared && *iterator == "i");
            let further = if is_free { self.dice.below(reach + 1) as i64 } else { 0 };
            Subscript::Affine(Affine::variable(*iterator) + Affine::constant(further))
        });
        Access::plain(array, subscripts.collect())
    }

    fn argument(&mut self) -> Access {
        let second = if self.depth == 1 { "i" } else { "j" };
        let subscript = |iterator: &str, dice: &mut Dice| {
            Subscript::Affine(Affine::variable(iterator) + Affine::constant(dice.below(3) as i64))
        };
        Access::plain(0, vec![subscript("i", &mut self.dice), subscript(second, &mut self.dice)])
    }
}
