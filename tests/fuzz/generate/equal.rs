//! Statements of equal iterations: what `src/polyhedral/join.rs` makes one statement of several writes, and what keeps it
//! from that. They read what they and their neighbours have written in this iteration and in the last three.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::super::program::{Access, Array, Assign, Expr, For, Node, Program, Scope, Size, Subscript};
use super::{Dice, FLOATS, Features, Generator, ITERATORS, LARGEST};

/// Iterations per dimension at least in the first run, so that several are under way at once.
const SMALLEST: u64 = 5;

pub fn program(seed: u64) -> Program {
    let (mut features, memory) = Features::of(seed);
    let mut dice = Dice(SplitMix::named(seed, "equal"));
    let types: &[ScalarType] = match dice.below(8) {
        0 | 1 => &FLOATS[..1],
        2 => &FLOATS[1..],
        3 | 4 => &[ScalarType::I32],
        5 => &[ScalarType::integer(8, true)],
        6 => &[ScalarType::integer(8, false)],
        _ => &[ScalarType::I32, ScalarType::integer(8, true), ScalarType::integer(8, false)],
    };
    let typed = features.typed && dice.chance(40);
    features = Features { typed, dead: false, windows: false, floats: types[0].floating, locals: false, ..features };
    let depth = 1 + dice.below(5) as usize % 3;
    let size = |name: &&str, dice: &mut Dice| {
        let least = SMALLEST.min(LARGEST[depth - 1]);
        let max = (least + dice.below(LARGEST[depth - 1] - least + 1)) as i64;
        Size { name: name.to_string(), max, ty: if features.typed { dice.ty() } else { ScalarType::I32 } }
    };
    let count = 1 + dice.below(2) as usize;
    let sizes: Vec<Size> = ["N", "M"][..count].iter().map(|name| size(name, &mut dice)).collect();
    let count = 2 + dice.below(4) as usize;
    let array = |dice: &mut Dice| {
        let rank = if dice.chance(60) { depth.min(2) } else { 1 + dice.below(2) as usize };
        Array { element: dice.pick(types), rank, local: false }
    };
    let arrays: Vec<Array> = (0..count).map(|_| array(&mut dice)).collect();
    let scalars = vec![dice.pick(types)];
    let runs = vec![
        sizes.iter().map(|size| size.max).collect(),
        sizes.iter().map(|size| dice.below(size.max as u64 + 1) as i64).collect(),
    ];
    let mut along: Vec<Vec<usize>> = arrays.iter().map(|array| along(array.rank, depth, &mut dice)).collect();
    let carried = dice.chance(40).then(|| {
        let outer = dice.below(depth as u64) as usize;
        // The innermost loop has the number `depth - 1`, and none the number `depth`.
        along[1] = vec![if outer + 1 < depth { outer } else { depth }; along[1].len()];
        1
    });
    let program = Program {
        sizes,
        arrays,
        scalars,
        body: vec![],
        lanes: None,
        grid: None,
        schedule: None,
        strip: 1,
        panels: false,
        by_tiles: vec![],
        structures: false,
        memory,
        runs,
        seed,
    };
    let plain = dice.chance(80);
    let generator = Generator { program, dice, depth, plain, in_lanes: false, features, locals: vec![], counters: 0 };
    let mut statements = Statements { generator, along, carried, heads: vec![], written: vec![], read_at: vec![] };
    statements.read_at = (0..count).map(|_| statements.distance()).collect();
    let sizes = statements.generator.program.sizes.clone();
    let mut body = statements.block(&Scope::new(&sizes));
    let mut generator = statements.generator;
    // Directives keep statements apart.
    if generator.dice.chance(15) {
        body.iter_mut().for_each(|node| generator.tile(node));
    }
    Program { body, ..generator.program }
}

/// The loops along which an array's subscripts run: each another one, mostly the innermost among them.
fn along(rank: usize, depth: usize, dice: &mut Dice) -> Vec<usize> {
    let mut loops: Vec<usize> = (0..depth).collect();
    let mut along: Vec<usize> = vec![];
    for _ in 0..rank {
        let from = if loops.is_empty() { (0..depth).collect() } else { loops.clone() };
        let next = if along.is_empty() && dice.chance(60) { from[from.len() - 1] } else { dice.pick(&from) };
        loops.retain(|l| *l != next);
        along.push(next);
    }
    // As they mostly lie in memory.
    if dice.chance(80) {
        along.sort_unstable();
    }
    along
}

struct Statements {
    generator: Generator,
    /// For every array and subscript, the number of its loop from the outside.
    along: Vec<Vec<usize>>,
    /// The loops at every depth so far, whose bounds others mostly share.
    heads: Vec<For>,
    /// What the statements of the last loops have written.
    written: Vec<usize>,
    /// An array whose element the innermost loop carries from iteration to iteration, read by long expressions and written
    /// by short ones, so that its write is done before others of the same iteration have their operands.
    carried: Option<usize>,
    /// Where every array is mostly read: statements that read a word each elsewhere want more ports, and stay apart.
    read_at: Vec<Distance>,
}

/// Iterations along the loop of a subscript.
#[derive(Clone, Copy, Default)]
struct Distance {
    subscript: usize,
    length: i64,
}

impl Statements {
    /// Loops, and around the inner ones single statements.
    fn block(&mut self, scope: &Scope) -> Vec<Node> {
        let loops = scope.iterators().count();
        if loops == self.generator.depth {
            let count = 2 + self.generator.dice.below(2) + u64::from(self.generator.dice.chance(15));
            return (0..count).map(|_| self.statement(scope)).collect();
        }
        let mut nodes = vec![];
        let beside = loops > 0 && self.generator.dice.chance(40);
        if beside && self.generator.dice.chance(60) {
            nodes.push(self.statement(scope));
        }
        let nests = 1 + usize::from(self.generator.dice.chance(25));
        for _ in 0..nests {
            let mut inner = self.head(scope);
            if nests == 1 || loops + 1 < self.generator.depth {
                self.written.clear();
            }
            let inside = scope.inside(&inner);
            inner.body = match nests > 1 && loops + 1 == self.generator.depth {
                // What may come together from two loops.
                true => vec![self.statement(&inside)],
                false => self.block(&inside),
            };
            nodes.push(Node::For(inner));
        }
        if beside && self.generator.dice.chance(60) {
            nodes.push(self.statement(scope));
        }
        nodes
    }

    fn head(&mut self, scope: &Scope) -> For {
        let iterator = ITERATORS[scope.iterators().count()];
        if let Some(known) = self.heads.iter().find(|head| head.iterator == iterator)
            && self.generator.dice.chance(85)
        {
            return known.clone();
        }
        let head = self.generator.head(scope);
        self.heads.push(head.clone());
        head
    }

    fn statement(&mut self, scope: &Scope) -> Node {
        let target = self.target(scope);
        let floats = self.generator.features.floats;
        let operators: &[&str] = if floats { &["=", "=", "=", "+=", "-="] } else { &["=", "=", "=", "+=", "-=", "^="] };
        let carried = self.carried.filter(|_| self.generator.dice.chance(60));
        // From a copy to several operators in a row, so that writes of one instance are cycles apart.
        let depth = match carried {
            Some(carried) if carried == target.array => self.generator.dice.below(2),
            Some(_) => 2 + self.generator.dice.below(2),
            None => self.generator.dice.below(4),
        };
        let mut value = self.value(scope, depth as u32);
        if let Some(carried) = carried.filter(|carried| *carried != target.array) {
            let last = Expr::Read(self.at(scope, carried, Distance::default()));
            value = Expr::Binary(self.generator.dice.pick(&["+", "-"]), Box::new(value), Box::new(last));
        }
        let operator = self.generator.dice.pick(operators);
        Node::Assign(Assign { target, operator, value })
    }

    /// Mostly the element of the iteration itself, in an array that nothing beside has written.
    fn target(&mut self, scope: &Scope) -> Access {
        let dice = &mut self.generator.dice;
        let new: Vec<usize> = (0..self.along.len()).filter(|array| !self.written.contains(array)).collect();
        let array =
            if new.is_empty() || dice.chance(15) { dice.below(self.along.len() as u64) as usize } else { new[0] };
        self.written.push(array);
        let far = dice.chance(15) && self.carried != Some(array);
        let distance = if far { self.distance() } else { Distance::default() };
        self.at(scope, array, distance)
    }

    /// Up to three iterations back along one loop, seldom ahead.
    fn distance(&mut self) -> Distance {
        let dice = &mut self.generator.dice;
        Distance { subscript: dice.below(2) as usize, length: dice.pick(&[0, 0, 0, -1, -1, -2, -3, 1, 2]) }
    }

    fn at(&self, scope: &Scope, array: usize, distance: Distance) -> Access {
        let iterators: Vec<&str> = scope.iterators().collect();
        let along = &self.along[array];
        let subscripts = along.iter().enumerate().map(|(place, &along)| {
            let own = iterators.get(along).map_or(Affine::default(), |iterator| Affine::variable(*iterator));
            let is_moved = place == distance.subscript % self.along[array].len();
            Subscript::Affine(own + Affine::constant(if is_moved { distance.length } else { 0 }))
        });
        Access::plain(array, subscripts.collect())
    }

    fn read(&mut self, scope: &Scope) -> Access {
        let dice = &mut self.generator.dice;
        // What has just been written is read most.
        let array = match self.written.is_empty() || dice.chance(60) {
            true => dice.below(self.along.len() as u64) as usize,
            false => dice.pick(&self.written),
        };
        let distance = match self.generator.dice.below(10) {
            _ if self.carried == Some(array) => Distance::default(),
            0 => self.distance(),
            1..=3 if self.written.contains(&array) => Distance::default(),
            _ => self.read_at[array],
        };
        self.at(scope, array, distance)
    }

    fn value(&mut self, scope: &Scope, depth: u32) -> Expr {
        if depth == 0 || self.generator.dice.chance(15) {
            return match self.generator.dice.below(12) {
                0 => Expr::Scalar(0),
                1 => Expr::Constant(self.generator.dice.pick(&[1, 2, 3, -1, 100])),
                2 => Expr::Index(Affine::variable(scope.iterators().last().expect("statements are in loops"))),
                _ => Expr::Read(self.read(scope)),
            };
        }
        let (a, b) = (Box::new(self.value(scope, depth - 1)), Box::new(self.value(scope, depth - 1)));
        let floats = self.generator.features.floats;
        match self.generator.dice.below(20) {
            0 => Expr::Select(a, b, Box::new(self.value(scope, depth - 1))),
            1 => Expr::Unary("-", a),
            2 => Expr::Binary(self.generator.dice.pick(&["<", ">", "==", "!="]), a, b),
            3 if floats => Expr::Divide("/", a, self.generator.dice.pick(&[2, 3, 10])),
            3 => Expr::Shift(">>", a, b),
            4..=10 => Expr::Binary("*", a, b),
            _ => Expr::Binary(self.generator.dice.pick(&["+", "-"]), a, b),
        }
    }
}
