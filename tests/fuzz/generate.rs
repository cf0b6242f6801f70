//! Random programs.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::program::{Access, Array, Assign, Condition, Expr, For, If, Node, Program, Scope, Size, Subscript};

const TYPES: [ScalarType; 8] = {
    const fn ty(bits: u32, signed: bool) -> ScalarType {
        ScalarType::integer(bits, signed)
    }
    [ty(8, true), ty(8, false), ty(16, true), ty(16, false), ty(32, true), ty(32, false), ty(64, true), ty(64, false)]
};
const ITERATORS: [&str; 3] = ["i", "j", "k"];
/// Iterations per dimension for nests of depth 1, 2 and 3, so that a run takes a four-state simulator a second.
const LARGEST: [u64; 3] = [40, 12, 7];

/// The program of a seed. One in four is a perfect nest of plain loops around one statement, tiled: what is refused
/// least and tiled most. Half of those are for lanes, with subscripts that mostly move by one.
pub fn program(seed: u64) -> Program {
    let plain = seed.is_multiple_of(4);
    let in_lanes = seed % 8 == 4;
    let mut dice = Dice(SplitMix::named(seed, "program"));
    let depth = 1 + dice.below(3) as usize;
    let sizes: Vec<Size> = ["N", "M"][..1 + dice.below(2) as usize]
        .iter()
        .map(|name| Size { name: name.to_string(), max: 1 + dice.below(LARGEST[depth - 1]) as i64 })
        .collect();
    let arrays = (0..1 + dice.below(3)).map(|_| Array { element: dice.ty(), rank: 1 + dice.below(2) as usize });
    let arrays = arrays.collect();
    let scalars = (0..dice.below(3)).map(|_| dice.ty()).collect();
    let mut runs: Vec<Vec<i64>> = vec![sizes.iter().map(|size| size.max).collect()];
    runs.push(sizes.iter().map(|size| dice.below(size.max as u64 + 1) as i64).collect());
    let mut program = Program { sizes, arrays, scalars, body: vec![], lanes: None, runs, seed };
    let statements = if plain { 1 } else { 1 + dice.below(3) };
    let mut generator = Generator { program: &program, dice, depth, plain, in_lanes };
    let mut body = generator.block(&Scope::new(&program.sizes), statements, if plain { 0 } else { 2 });
    if plain || generator.dice.chance(50) {
        body.iter_mut().for_each(|node| generator.tile(node));
    }
    let lanes = in_lanes.then(|| 2 << generator.dice.below(3));
    (program.body, program.lanes) = (body, lanes);
    program
}

struct Dice(SplitMix);

impl Dice {
    fn below(&mut self, count: u64) -> u64 {
        self.0.draw() % count
    }

    /// True in so many of a hundred cases.
    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize].clone()
    }

    /// A small number, of either sign.
    fn offset(&mut self) -> i64 {
        self.below(5) as i64 - 2
    }

    fn ty(&mut self) -> ScalarType {
        self.pick(&TYPES)
    }
}

struct Generator<'p> {
    program: &'p Program,
    dice: Dice,
    /// Loops around a statement, at most.
    depth: usize,
    /// Loops count up by one.
    plain: bool,
    in_lanes: bool,
}

impl Generator<'_> {
    /// Nodes with so many statements in all, and conditions around conditions at most `conditions` deep.
    fn block(&mut self, scope: &Scope, statements: u64, conditions: u32) -> Vec<Node> {
        let mut nodes = vec![];
        let mut left = statements;
        while left > 0 {
            let loops = scope.iterators().count();
            // Mostly, a nest is as deep as it may be.
            let (nest, condition) =
                (loops == 0 || loops < self.depth && (self.plain || self.dice.chance(75)), self.dice.chance(15));
            let inside = if nest || condition { 1 + self.dice.below(left) } else { 1 };
            nodes.push(match (nest, condition && conditions > 0) {
                (true, _) => {
                    let mut inner = self.head(scope);
                    inner.body = self.block(&scope.inside(&inner), inside, conditions);
                    Node::For(inner)
                }
                (false, true) => {
                    let then = 1 + self.dice.below(inside);
                    Node::If(If {
                        condition: self.condition(scope, 2),
                        then: self.block(scope, then, conditions - 1),
                        otherwise: self.block(scope, inside - then, conditions - 1),
                    })
                }
                (false, false) => Node::Assign(self.assign(scope)),
            });
            left -= inside;
        }
        nodes
    }

    fn head(&mut self, scope: &Scope) -> For {
        let outer: Vec<String> = scope.iterators().map(str::to_string).collect();
        let constant = |value: u64| Affine::constant(value as i64);
        let mut lower = vec![constant(self.dice.below(2))];
        let size = self.size();
        let mut upper = vec![size - constant(1 + self.dice.below(2))];
        if !outer.is_empty() && self.dice.chance(40) {
            let bound = Affine::variable(self.dice.pick(&outer)) + Affine::constant(self.dice.offset());
            match self.dice.below(4) {
                0 => lower = vec![bound],
                1 => lower.push(bound),
                2 => upper = vec![bound],
                _ => upper.push(bound),
            }
        }
        let step = if !self.plain && self.dice.chance(12) { 2 + self.dice.below(2) as i64 } else { 1 };
        let descending = !self.plain && self.dice.chance(12);
        let iterator = ITERATORS[outer.len()].to_string();
        For { iterator, lower, upper, step, descending, tile: None, body: vec![] }
    }

    fn size(&mut self) -> Affine {
        Affine::variable(self.dice.pick(&self.program.sizes).name)
    }

    /// Gives tile sizes to the loops of a nest down to where it branches.
    fn tile(&mut self, node: &mut Node) {
        if let Node::For(inner) = node {
            inner.tile = Some(1 << self.dice.below(5));
            if let [only] = &mut inner.body[..] {
                self.tile(only);
            }
        }
    }

    /// A sum of iterators, perhaps with a size, and a constant.
    fn affine(&mut self, scope: &Scope) -> Affine {
        let iterators: Vec<String> = scope.iterators().map(str::to_string).collect();
        let mut sum = Affine::constant(self.dice.offset());
        if iterators.is_empty() {
            return sum;
        }
        sum = sum + Affine::variable(self.dice.pick(&iterators));
        match self.dice.below(10) {
            0 => sum = Affine::constant(sum.constant),
            1 => sum = sum * 2,
            2 | 3 => sum = sum + Affine::variable(self.dice.pick(&iterators)),
            4 => sum = self.size() - sum,
            5 => sum = sum - Affine::variable(self.dice.pick(&iterators)),
            _ => {}
        }
        sum
    }

    fn condition(&mut self, scope: &Scope, depth: u32) -> Condition {
        if depth > 0 && self.dice.chance(30) {
            let (a, b) = (self.condition(scope, depth - 1), self.condition(scope, depth - 1));
            return match self.dice.below(3) {
                0 => Condition::And(a.into(), b.into()),
                1 => Condition::Or(a.into(), b.into()),
                _ => Condition::Not(a.into()),
            };
        }
        let value = self.affine(scope);
        match self.dice.below(5) {
            0 => Condition::Zero(value),
            1 => Condition::Multiple(value, 2 + self.dice.below(3) as i64),
            2 => Condition::NonNegative(self.size() - value * 2),
            _ => {
                let other = self.affine(scope);
                Condition::NonNegative(value - other)
            }
        }
    }

    /// Subscripts that are loops of their own, each a little off, as lanes want them.
    fn neighbours(&mut self, scope: &Scope, rank: usize) -> Vec<Subscript> {
        let mut iterators: Vec<String> = scope.iterators().map(str::to_string).collect();
        let subscript = |_| {
            let offset = Affine::constant(self.dice.offset());
            if iterators.is_empty() || self.dice.chance(10) {
                return Subscript::Affine(offset);
            }
            let iterator = iterators.remove(self.dice.below(iterators.len() as u64) as usize);
            Subscript::Affine(
                if self.dice.chance(10) { self.size() } else { Affine::default() }
                    + offset
                    + Affine::variable(iterator),
            )
        };
        (0..rank).map(subscript).collect()
    }

    fn access(&mut self, scope: &Scope) -> Access {
        let array = self.dice.below(self.program.arrays.len() as u64) as usize;
        if self.in_lanes {
            return Access { array, subscripts: self.neighbours(scope, self.program.arrays[array].rank) };
        }
        let subscripts = (0..self.program.arrays[array].rank)
            .map(|_| {
                let value = self.affine(scope);
                let divisor = 2 + self.dice.below(3) as i64;
                match self.dice.below(24) {
                    0 => Subscript::Quotient(value, divisor),
                    1 => Subscript::Remainder(value, divisor),
                    _ => Subscript::Affine(value),
                }
            })
            .collect();
        Access { array, subscripts }
    }

    fn assign(&mut self, scope: &Scope) -> Assign {
        let operator = self.dice.pick(&["=", "=", "=", "+=", "-=", "*=", "^=", "&=", "|="]);
        Assign { target: self.access(scope), operator, value: self.expr(scope, 3) }
    }

    fn expr(&mut self, scope: &Scope, depth: u32) -> Expr {
        if depth == 0 || self.dice.chance(20) {
            return match self.dice.below(8) {
                0 => Expr::Constant(self.dice.pick(&[0, 1, -1, 2, 7, -13, 255, 1000, -32768, 123456789])),
                1 if !self.program.scalars.is_empty() => {
                    Expr::Scalar(self.dice.below(self.program.scalars.len() as u64) as usize)
                }
                2 => {
                    let iterators: Vec<String> = scope.iterators().map(str::to_string).collect();
                    let value = Affine::variable(self.dice.pick(&iterators)) * (1 + self.dice.below(3) as i64);
                    Expr::Index(value + Affine::constant(self.dice.offset()))
                }
                _ => Expr::Read(self.access(scope)),
            };
        }
        let mut operand = || Box::new(self.expr(scope, depth - 1));
        let (a, b) = (operand(), operand());
        match self.dice.below(12) {
            0 => Expr::Select(a, b, Box::new(self.expr(scope, depth - 1))),
            1 => Expr::Cast(self.dice.ty(), a),
            2 => Expr::Unary(self.dice.pick(&["-", "~", "!"]), a),
            3 => Expr::Shift(self.dice.pick(&["<<", ">>"]), a, b),
            4 => {
                let divisor = self.dice.pick(&[2, 3, 5, 8, 10, 1000, -2, -7]);
                Expr::Divide(self.dice.pick(&["/", "%"]), a, divisor)
            }
            5 => Expr::Binary(self.dice.pick(&["<", "<=", ">", ">=", "==", "!=", "&&", "||"]), a, b),
            _ => Expr::Binary(self.dice.pick(&["+", "+", "-", "*", "&", "|", "^"]), a, b),
        }
    }
}
