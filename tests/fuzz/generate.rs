//! Random programs.

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::program::{
    Access, Array, Assign, Branch, Condition, Counter, Expr, For, Form, If, Jump, Memory, Node, Program, Scope, Size,
    Style, Subscript, Uneven,
};

mod apart;
mod beats;
mod chains;
mod columns;
mod delays;
mod elements;
mod equal;
mod flat;
mod grid;
mod masks;
mod panels;
mod private;
mod rows;
mod slides;
mod stages;
mod triangles;
mod units;
mod waves;

const TYPES: [ScalarType; 8] = {
    const fn ty(bits: u32, signed: bool) -> ScalarType {
        ScalarType::integer(bits, signed)
    }
    [ty(8, true), ty(8, false), ty(16, true), ty(16, false), ty(32, true), ty(32, false), ty(64, true), ty(64, false)]
};
const FLOATS: [ScalarType; 2] = [ScalarType::FLOAT, ScalarType::DOUBLE];
const ITERATORS: [&str; 5] = ["i", "j", "k", "l", "m"];
/// Iterations per dimension for nests of depth 1, 2 and 3, so that a run takes a four-state simulator a second.
const LARGEST: [u64; 3] = [40, 12, 7];

/// What a program may have beside loops, conditions and assignments to arrays of integers.
#[derive(Clone, Copy, Debug)]
struct Features {
    /// Sizes of other types than `int`, iterators too, which may be narrow.
    typed: bool,
    /// Loops from -1 to 1.
    windows: bool,
    /// Conditions that never hold, loops that never run.
    dead: bool,
    /// Scalars that blocks declare; some are never read.
    locals: bool,
    floats: bool,
    /// Lanes along strided and reversed subscripts.
    strides: bool,
    /// θ with permuted, skewed and negated iterators.
    schedule: bool,
    /// What [`Kind::Everyday`] has.
    everyday: bool,
}

impl Features {
    fn of(seed: u64) -> (Features, Memory) {
        let mut dice = Dice(SplitMix::named(seed, "features"));
        let features = Features {
            typed: dice.chance(25),
            windows: dice.chance(15),
            dead: dice.chance(15),
            locals: dice.chance(25),
            floats: dice.chance(20),
            strides: dice.chance(25),
            schedule: dice.chance(50),
            everyday: false,
        };
        let memory =
            if dice.chance(25) { Memory::Axi4 { bits: dice.pick(&[32, 64, 128, 256, 512]) } } else { Memory::Ddr400 };
        (features, memory)
    }
}

/// What a program is made around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Anything.
    Any,
    /// Statements of equal iterations, which run in one cycle where they can be joined.
    Equal,
    /// Rows whose elements move several at a time.
    Beats,
    /// C as people write it: branches on data, counters, jumps, `do` loops, pointers.
    Everyday,
    /// Several statements, each with lanes where it can.
    Lanes,
    /// Lanes along two loops.
    Grid,
    /// Rows whose bounds are data.
    Rows,
    /// Updates of a matrix by a row and a column of itself.
    Panels,
    /// Filters whose results between them are local arrays.
    Stages,
    /// Arguments that iterations use for themselves alone.
    Private,
    /// Neighbours that slide in lanes.
    Slides,
    /// Cells that are updated in place from their neighbours, in lanes.
    Waves,
    /// Products one after the other in lanes along two loops.
    Chains,
    /// Matrices updated in place, and halves of products, in lanes along two loops or along one.
    Triangles,
    /// Arrays of rows that C has in one dimension, and loops over all of their elements.
    Flat,
    /// Values that iterations hand on through copies.
    Delays,
    /// Arrays that some nests go through along rows, others along columns.
    Columns,
    /// Cells that data decide to write.
    Masks,
    /// Iterations that several compute processes share.
    Units,
    /// Local arrays whose elements the text names one by one.
    Elements,
    /// Neighbours that access cells two to four apart.
    Apart,
}

impl Kind {
    pub const ALL: [(&str, Kind); 21] = [
        ("any", Kind::Any),
        ("equal", Kind::Equal),
        ("beats", Kind::Beats),
        ("everyday", Kind::Everyday),
        ("lanes", Kind::Lanes),
        ("grid", Kind::Grid),
        ("rows", Kind::Rows),
        ("panels", Kind::Panels),
        ("stages", Kind::Stages),
        ("private", Kind::Private),
        ("slides", Kind::Slides),
        ("waves", Kind::Waves),
        ("chains", Kind::Chains),
        ("triangles", Kind::Triangles),
        ("flat", Kind::Flat),
        ("delays", Kind::Delays),
        ("columns", Kind::Columns),
        ("masks", Kind::Masks),
        ("units", Kind::Units),
        ("elements", Kind::Elements),
        ("apart", Kind::Apart),
    ];

    pub fn of(seed: u64) -> Kind {
        let mut dice = Dice(SplitMix::named(seed, "kind"));
        // Earlier seeds keep their programs.
        if seed >= 21_000_000 && seed % 16 == 13 {
            return Kind::Apart;
        }
        if seed >= 18_000_000 && seed % 16 == 12 {
            return Kind::Elements;
        }
        if seed >= 17_000_000 && seed % 16 == 11 {
            return Kind::Units;
        }
        if seed >= 16_000_000 && seed % 16 == 10 {
            return Kind::Masks;
        }
        if seed >= 3_000_000 && seed % 8 == 5 {
            return Kind::Panels;
        }
        if seed >= 4_000_000 && seed % 8 == 6 {
            return Kind::Stages;
        }
        if seed >= 5_000_000 && seed % 8 == 7 {
            return Kind::Private;
        }
        if seed >= 6_000_000 && seed % 8 == 3 {
            return Kind::Slides;
        }
        if seed >= 7_000_000 && seed % 8 == 2 {
            return Kind::Waves;
        }
        if seed >= 9_000_000 && seed % 16 == 9 {
            return Kind::Chains;
        }
        if seed >= 12_000_000 && seed.is_multiple_of(16) {
            return Kind::Columns;
        }
        if seed >= 15_000_000 && seed % 16 == 8 {
            return Kind::Rows;
        }
        if seed >= 10_000_000 && seed % 8 == 4 {
            return Kind::Triangles;
        }
        if seed >= 11_000_000 && seed % 16 == 1 {
            return Kind::Delays;
        }
        if seed >= 8_000_000 && seed % 8 == 1 {
            return Kind::Flat;
        }
        match dice.below(3) {
            0 if !seed.is_multiple_of(4) => Kind::Equal,
            1 if !seed.is_multiple_of(4) && dice.chance(40) => Kind::Beats,
            1 if !seed.is_multiple_of(4) => Kind::Everyday,
            2 if !seed.is_multiple_of(4) && dice.chance(40) => Kind::Lanes,
            2 if !seed.is_multiple_of(4) && dice.chance(25) => Kind::Grid,
            2 if !seed.is_multiple_of(4) && seed >= 1000 && dice.chance(30) => Kind::Rows,
            _ => Kind::Any,
        }
    }
}

/// The program of a seed. One in four is a perfect nest of plain loops around one statement, tiled: what is refused
/// least and tiled most. Half of those are for lanes, with subscripts that mostly move by one. The others are of every
/// [`Kind`].
pub fn program(seed: u64) -> Program {
    let mut program = of_kind(seed);
    if Kind::of(seed) == Kind::Stages {
        // What is read has been written.
        return program;
    }
    if program.without_tiles() != program {
        let mut dice = Dice(SplitMix::named(seed, "strips"));
        program.strip = if dice.chance(50) { 2 + dice.below(2) as usize } else { 1 };
    }
    // The fixed seeds keep their programs.
    let is_plain = seed >= 1000 && program.lanes.is_none() && program.grid.is_none() && !program.panels;
    let mut dice = Dice(SplitMix::named(seed, "structures"));
    program.structures =
        !program.flat && if is_plain { dice.chance(40) } else { seed >= 2000 && !program.panels && dice.chance(20) };
    let mut dice = Dice(SplitMix::named(seed, "gathers"));
    if is_plain && !program.arrays.iter().any(|array| array.element.floating) && dice.chance(20) {
        program.values_mut().into_iter().for_each(|value| gather(&mut dice, value));
    }
    let mut dice = Dice(SplitMix::named(seed, "bounds from data"));
    if is_plain && Kind::of(seed) != Kind::Rows && program.schedule.is_none() && dice.chance(25) {
        let any_way = seed >= 19_000_000 || (2_500_000..3_000_000).contains(&seed);
        program.body.iter_mut().for_each(|node| bound_by_data(&mut dice, node, any_way, &[]));
    }
    let mut dice = Dice(SplitMix::named(seed, "steps from data"));
    if seed >= 22_000_000 && is_plain && program.schedule.is_none() && dice.chance(30) {
        program.body.iter_mut().for_each(|node| step_by_data(&mut dice, node));
    }
    let mut dice = Dice(SplitMix::named(seed, "steps by counters"));
    if seed >= 23_000_000 && is_plain && program.schedule.is_none() && dice.chance(40) {
        program.body.iter_mut().for_each(|node| step_by_outer(&mut dice, node, &[]));
    }
    let mut dice = Dice(SplitMix::named(seed, "chases"));
    if seed >= 24_000_000 && is_plain && program.schedule.is_none() && dice.chance(50) {
        program.body.iter_mut().for_each(|node| chase(&mut dice, node, 1));
    }
    let mut dice = Dice(SplitMix::named(seed, "divisions"));
    let is_integer = program.arrays.iter().all(|array| !array.element.floating)
        && program.scalars.iter().all(|scalar| !scalar.floating);
    if seed >= 1000 && is_integer && dice.chance(15) {
        program.values_mut().into_iter().for_each(|value| divide(&mut dice, value));
    }
    if seed >= 5_000_000 && !program.flat && program.without_tiles() != program {
        program.by_tiles = (0..program.arrays.len()).filter(|array| program.arrays[*array].rank > 1).collect();
    }
    let mut dice = Dice(SplitMix::named(seed, "powers of two"));
    if seed >= 12_000_000 && program.arrays.iter().any(|array| array.element.floating) && dice.chance(60) {
        program.values_mut().into_iter().for_each(|value| scale(&mut dice, value));
    }
    let mut dice = Dice(SplitMix::named(seed, "scatters"));
    if is_plain && dice.chance(25) {
        scatter(&mut dice, &mut program);
    }
    if Kind::of(seed) == Kind::Elements {
        elements::fill(&mut program);
    }
    program
}

/// Makes bounds of some loops inside of others elements of an array; with `any_way` also where they count down, or by more than 1.
fn bound_by_data(dice: &mut Dice, node: &mut Node, any_way: bool, around: &[String]) {
    match node {
        Node::For(inner) => {
            let is_up = inner.step == 1 && !inner.descending;
            let is_simple =
                (is_up || any_way) && !inner.at_least_once && inner.choice.is_none() && inner.form == Form::For;
            if let Some(outer) = around.last().filter(|_| is_simple && inner.counter.is_none() && dice.chance(60)) {
                let index = Affine::variable(outer);
                let begins = is_up && inner.lower == [Affine::default()] && dice.chance(60);
                inner.data[0] = begins.then(|| index.clone());
                inner.data[1] = (!begins || dice.chance(80)).then(|| index + Affine::constant(dice.below(3) as i64));
                inner.stated = dice.chance(70);
                let is_left = any_way && inner.data.iter().any(Option::is_some) && dice.chance(40);
                inner.left = is_left;
            }
            let around = [around, std::slice::from_ref(&inner.iterator)].concat();
            inner.body.iter_mut().for_each(|node| bound_by_data(dice, node, any_way, &around));
        }
        Node::If(If { then, otherwise, .. }) | Node::Branch(Branch { then, otherwise, .. }) => {
            then.iter_mut().chain(otherwise).for_each(|node| bound_by_data(dice, node, any_way, around));
        }
        Node::Assign(_) | Node::Declare(..) | Node::Jump(_) => {}
    }
}

/// Makes loops step by as much as data say.
fn step_by_data(dice: &mut Dice, node: &mut Node) {
    match node {
        Node::For(inner) => {
            let is_plain = inner.choice.is_none() && inner.counter.is_none() && inner.tile.is_none();
            let is_simple = inner.form == Form::For && !inner.at_least_once && inner.ty == ScalarType::I32;
            if is_plain && is_simple && dice.chance(50) {
                let index = Affine::variable(&inner.iterator) + Affine::constant(dice.below(3) as i64);
                inner.uneven = Some(Box::new(Uneven::Data(index)));
            }
            inner.body.iter_mut().for_each(|node| step_by_data(dice, node));
        }
        Node::If(If { then, otherwise, .. }) | Node::Branch(Branch { then, otherwise, .. }) => {
            then.iter_mut().chain(otherwise).for_each(|node| step_by_data(dice, node));
        }
        Node::Assign(_) | Node::Declare(..) | Node::Jump(_) => {}
    }
}

/// Puts bodies of innermost loops into loops that go from element to element, where there are two loops at most: others take too long.
fn chase(dice: &mut Dice, node: &mut Node, depth: usize) {
    match node {
        Node::For(inner) => {
            let deeper = depth + 1;
            let is_innermost = !inner.body.iter().any(|node| matches!(node, Node::For(_)));
            let is_plain = inner.form == Form::For && inner.uneven.is_none() && inner.tile.is_none();
            if is_innermost && is_plain && dice.chance(60) {
                let index = Affine::variable(&inner.iterator) + Affine::constant(dice.below(5) as i64);
                let own = Uneven::Chase(index, dice.chance(50));
                inner.uneven = (depth <= 2).then(|| Box::new(own));
            }
            inner.body.iter_mut().for_each(|node| chase(dice, node, deeper));
        }
        Node::If(If { then, otherwise, .. }) | Node::Branch(Branch { then, otherwise, .. }) => {
            then.iter_mut().chain(otherwise).for_each(|node| chase(dice, node, depth));
        }
        Node::Assign(_) | Node::Declare(..) | Node::Jump(_) => {}
    }
}

/// Makes loops step by what counts up from 0 in a loop around them.
fn step_by_outer(dice: &mut Dice, node: &mut Node, around: &[String]) {
    match node {
        Node::For(inner) => {
            let is_plain = inner.choice.is_none() && inner.counter.is_none() && inner.tile.is_none();
            let is_simple = inner.form == Form::For && !inner.at_least_once && inner.ty == ScalarType::I32;
            let is_free = inner.data.iter().all(Option::is_none) && inner.uneven.is_none();
            let outer = around.last().filter(|_| is_plain && is_simple && is_free && dice.chance(60)).cloned();
            let is_from_zero = inner.step > 0 && !inner.descending && inner.lower == [Affine::default()];
            let counts = outer.is_none() && is_from_zero && inner.ty == ScalarType::I32;
            inner.uneven = outer.map(|outer| Box::new(Uneven::Counter(outer))).or(inner.uneven.take());
            let own = counts.then(|| inner.iterator.clone());
            let around: Vec<String> = around.iter().cloned().chain(own).collect();
            inner.body.iter_mut().for_each(|node| step_by_outer(dice, node, &around));
        }
        Node::If(If { then, otherwise, .. }) | Node::Branch(Branch { then, otherwise, .. }) => {
            then.iter_mut().chain(otherwise).for_each(|node| step_by_outer(dice, node, around));
        }
        Node::Assign(_) | Node::Declare(..) | Node::Jump(_) => {}
    }
}

/// Makes subscripts of some targets that depend on data: on an operand of the same statement, or on an argument.
fn scatter(dice: &mut Dice, program: &mut Program) {
    let floats: Vec<bool> = program.arrays.iter().map(|array| array.element.floating).collect();
    for Assign { target, value, .. } in program.assigns_mut() {
        let plain = target.subscripts.iter().position(|subscript| matches!(subscript, Subscript::Affine(_)));
        let Some(place) = plain.filter(|_| dice.chance(50)) else { continue };
        let Subscript::Affine(own) = target.subscripts[place].clone() else { continue };
        let read = value.reads().into_iter().find(|read| !floats[read.array]).filter(|_| dice.chance(60));
        let index = match read {
            Some(read) => Expr::Read(read.clone()),
            None => Expr::Gather(Box::new(Expr::Index(own))),
        };
        target.subscripts[place] = Subscript::Data(Box::new(index));
    }
}

/// Makes divisions by what is not constant of some operators.
fn divide(dice: &mut Dice, expr: &mut Expr) {
    expr.operands_mut().into_iter().for_each(|operand| divide(dice, operand));
    if let Expr::Binary("+" | "-" | "*" | "&" | "|" | "^", a, b) = expr
        && dice.chance(40)
    {
        *expr = Expr::DivideBy(dice.pick(&["/", "%"]), a.clone(), b.clone(), dice.pick(&[1, 7, -40]));
    }
}

/// Multiplies and divides some operands by powers of two.
fn scale(dice: &mut Dice, expr: &mut Expr) {
    expr.operands_mut().into_iter().for_each(|operand| scale(dice, operand));
    if !expr.reads().is_empty() && dice.chance(30) {
        let operand = Box::new(std::mem::replace(expr, Expr::Constant(0)));
        *expr = match dice.chance(50) {
            true => Expr::Divide("/", operand, dice.pick(&[2, -2, 4, 8, -64, 1024, 65536, 131072])),
            false => Expr::Binary("*", operand, Box::new(Expr::Constant(dice.pick(&[2, -2, 4, 8, -8, 16])))),
        };
    }
}

/// Makes subscripts of some operands that depend on data.
fn gather(dice: &mut Dice, expr: &mut Expr) {
    expr.operands_mut().into_iter().for_each(|operand| gather(dice, operand));
    if !expr.reads().is_empty() && dice.chance(15) {
        let index = std::mem::replace(expr, Expr::Constant(0));
        *expr = Expr::Gather(Box::new(index));
    }
}

/// The values of the sizes in two runs: the largest, and any.
fn runs(sizes: &[Size], dice: &mut Dice) -> Vec<Vec<i64>> {
    let largest = sizes.iter().map(|size| size.max).collect();
    vec![largest, sizes.iter().map(|size| dice.below(size.max as u64 + 1) as i64).collect()]
}

fn variable(name: &str) -> Affine {
    Affine::variable(name)
}

/// The last value below a size.
fn last(size: &str) -> Affine {
    variable(size) - Affine::constant(1)
}

/// An element of an array.
fn of(array: usize, subscripts: impl IntoIterator<Item = Affine>) -> Access {
    Access::plain(array, subscripts.into_iter().map(Subscript::Affine).collect())
}

fn assign(target: Access, operator: &'static str, value: Expr) -> Node {
    Node::Assign(Assign { target, operator, value })
}

fn of_kind(seed: u64) -> Program {
    match Kind::of(seed) {
        Kind::Equal => equal::program(seed),
        Kind::Apart => apart::program(seed),
        Kind::Beats => beats::program(seed),
        Kind::Grid => grid::program(seed),
        Kind::Rows => rows::program(seed),
        Kind::Panels => panels::program(seed),
        Kind::Stages => stages::program(seed),
        Kind::Private => private::program(seed),
        Kind::Slides => slides::program(seed),
        Kind::Waves => waves::program(seed),
        Kind::Chains => chains::program(seed),
        Kind::Triangles => triangles::program(seed),
        Kind::Flat => flat::program(seed),
        Kind::Delays => delays::program(seed),
        Kind::Columns => columns::program(seed),
        Kind::Masks => masks::program(seed),
        Kind::Units => units::program(seed),
        Kind::Elements => elements::program(seed),
        Kind::Lanes if seed % 2 == 1 => {
            let mut dice = Dice(SplitMix::named(seed, "lanes"));
            Program { lanes: Some(2 << dice.below(3)), ..equal::program(seed) }
        }
        kind => any(seed, kind),
    }
}

fn any(seed: u64, kind: Kind) -> Program {
    let plain = seed.is_multiple_of(4);
    let (everyday, in_lanes) = (kind == Kind::Everyday, seed % 8 == 4 || kind == Kind::Lanes);
    let (mut features, memory) = Features::of(seed);
    if in_lanes {
        // Each of them mostly costs the lanes.
        features = Features { windows: false, dead: false, schedule: false, ..features };
    }
    if everyday {
        // Their wrap-around is what others are for.
        features = Features { everyday: true, typed: false, dead: false, ..features };
    }
    let mut dice = Dice(SplitMix::named(seed, "program"));
    let depth = 1 + dice.below(3) as usize;
    let sizes: Vec<Size> = ["N", "M"][..1 + dice.below(2) as usize]
        .iter()
        .map(|name| Size {
            name: name.to_string(),
            max: 1 + dice.below(LARGEST[depth - 1]) as i64,
            ty: if features.typed { dice.ty() } else { ScalarType::I32 },
        })
        .collect();
    let mut element = || if features.floats { dice.pick(&FLOATS) } else { dice.ty() };
    let scalars = [element(), element()];
    let types = [element(), element(), element()];
    let arrays = types[..1 + dice.below(3) as usize].iter();
    let arrays = arrays.map(|&element| Array { element, rank: 1 + dice.below(2) as usize, local: false }).collect();
    let scalars = scalars[..dice.below(3) as usize].to_vec();
    let runs = runs(&sizes, &mut dice);
    let statements = if plain { 1 } else { 1 + u64::from(in_lanes) + dice.below(3) };
    let program = Program { scalars, ..Program::of(sizes, arrays, vec![], runs, memory, seed) };
    let mut generator = Generator { program, dice, depth, plain, in_lanes, features, locals: vec![], counters: 0 };
    let sizes = generator.program.sizes.clone();
    let mut body = generator.block(&Scope::new(&sizes), statements, if plain { 0 } else { 2 });
    if plain || !everyday && generator.dice.chance(50) {
        body.iter_mut().for_each(|node| generator.tile(node));
    }
    if plain && features.schedule {
        let loops = Program::tiled(&body[0]).len();
        generator.program.schedule = Some(generator.schedule(loops));
    }
    let lanes = in_lanes.then(|| 2 << generator.dice.below(3));
    Program { body, lanes, ..generator.program }
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

    /// A bus more often than not.
    fn memory(&mut self) -> Memory {
        match self.chance(60) {
            true => Memory::Axi4 { bits: self.pick(&[32, 64, 128]) },
            false => Memory::Ddr400,
        }
    }

    /// An `int` that is at most `least` or more, below `most`.
    fn size(&mut self, name: &str, least: u64, most: u64) -> Size {
        Size { name: name.to_string(), max: (least + self.below(most - least)) as i64, ty: ScalarType::I32 }
    }

    /// The type of an array's elements: of integers, one of up to 32 bits.
    fn element(&mut self, floats: bool) -> ScalarType {
        match floats {
            true => self.pick(&FLOATS),
            false => ScalarType::integer(8 << self.below(3), self.chance(50)),
        }
    }
}

struct Generator {
    program: Program,
    dice: Dice,
    /// Loops around a statement, at most.
    depth: usize,
    /// Loops count up by one.
    plain: bool,
    in_lanes: bool,
    features: Features,
    /// Local scalars in scope, indices into the program's arrays.
    locals: Vec<usize>,
    /// How many have been named.
    counters: usize,
}

impl Generator {
    /// Nodes with so many statements in all, and conditions around conditions at most `conditions` deep.
    fn block(&mut self, scope: &Scope, statements: u64, conditions: u32) -> Vec<Node> {
        let mut nodes = vec![];
        let mut left = statements;
        let outer_locals = self.locals.len();
        while left > 0 {
            let loops = scope.loops;
            if self.features.locals && !self.plain && self.dice.chance(40) {
                let value = self.expr(scope, 2);
                let element = if self.features.floats { self.dice.pick(&FLOATS) } else { self.dice.ty() };
                nodes.push(Node::Declare(self.program.arrays.len(), value));
                self.locals.push(self.program.arrays.len());
                self.program.arrays.push(Array { element, rank: 0, local: true });
            }
            // Mostly, a nest is as deep as it may be.
            let (nest, condition) = (
                loops == 0 || loops < self.depth && (self.plain || self.dice.chance(75)),
                self.dice.chance(if self.features.everyday { 40 } else { 15 }),
            );
            let inside = if nest || condition { 1 + self.dice.below(left) } else { 1 };
            nodes.push(match (nest, condition && conditions > 0) {
                (true, _) => {
                    let mut inner = self.head(scope);
                    if self.features.everyday {
                        self.everyday_head(&mut inner, scope);
                    }
                    let in_loop = scope.inside(&inner);
                    inner.body = self.block(&in_loop, inside, conditions);
                    if self.features.everyday {
                        self.everyday_body(&mut inner, &in_loop);
                        self.everyday_form(&mut inner);
                    }
                    Node::For(inner)
                }
                (false, true) if self.features.everyday && self.dice.chance(60) => {
                    let then = 1 + self.dice.below(inside);
                    Node::Branch(Branch {
                        condition: self.expr(scope, 2),
                        then: self.block(scope, then, conditions - 1),
                        otherwise: self.block(scope, inside - then, conditions - 1),
                    })
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
        self.locals.truncate(outer_locals);
        nodes
    }

    fn head(&mut self, scope: &Scope) -> For {
        let outer: Vec<String> = scope.iterators().map(str::to_string).collect();
        let loops = scope.loops;
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
        if self.features.windows && self.dice.chance(if outer.is_empty() { 10 } else { 40 }) {
            (lower, upper) = (vec![Affine::constant(-1)], vec![Affine::constant(1)]);
        } else if self.features.dead && self.dice.chance(10) {
            upper = vec![lower[0].clone() - Affine::constant(1)];
        }
        let step = if !self.plain && self.dice.chance(12) { 2 + self.dice.below(2) as i64 } else { 1 };
        let descending = !self.plain && self.dice.chance(12);
        let ty = if self.features.typed { self.dice.ty() } else { ScalarType::I32 };
        let strict = self.features.typed && self.dice.chance(70);
        For {
            ty,
            strict,
            lower,
            upper,
            step,
            descending,
            ..For::plain(ITERATORS[loops], Affine::default(), Affine::default(), vec![])
        }
    }

    /// What everyday loops have beside bounds.
    fn everyday_head(&mut self, inner: &mut For, scope: &Scope) {
        let counts_up = inner.step == 1 && !inner.descending && !inner.strict;
        if counts_up && self.dice.chance(12) {
            inner.at_least_once = true;
        } else if scope.loops > 0 && !inner.descending && self.dice.chance(15) {
            let other = self.size() - Affine::constant(self.dice.below(4) as i64);
            inner.choice = Some((self.condition(scope, 0), other));
        }
        if self.dice.chance(30) {
            self.counters += 1;
            let inside = self.dice.chance(50);
            inner.counter = Some(Counter {
                name: format!("k{}", self.counters),
                first: Affine::constant(self.dice.below(3) as i64),
                step: if inside { 1 } else { 1 + self.dice.below(2) as i64 },
                inside,
            });
        }
    }

    /// What everyday loops have beside statements.
    fn everyday_body(&mut self, inner: &mut For, scope: &Scope) {
        if let Some(counter) = inner.counter.as_ref().filter(|counter| counter.inside) {
            // C leaves open whether what else the statement says of the counter comes before the step or behind it.
            let mut assign = self.assign(&scope.without(&counter.name));
            // A scalar has no subscript: then the counter stands still.
            if let Some(last) = assign.target.subscripts.last_mut() {
                *last = Subscript::Step(counter.name.clone());
                assign.operator = "=";
            }
            inner.body.push(Node::Assign(assign));
        } else if inner.counter.is_none() && self.dice.chance(20) {
            let jump = |word, condition| Node::Jump(Jump { word, condition });
            if self.dice.chance(60) && !inner.at_least_once {
                let at = self.dice.below(inner.body.len() as u64) as usize;
                // No declaration ahead of it, whose value would be conditional.
                if !inner.body.iter().any(|node| matches!(node, Node::Declare(..))) {
                    inner.body.insert(at, jump("continue", self.condition(scope, 1)));
                }
            } else if !inner.at_least_once {
                // Once it holds it goes on to hold.
                let iterator = Affine::variable(&inner.iterator) * if inner.descending { -1 } else { 1 };
                let limit = if inner.descending { Affine::constant(1) } else { -self.size() + Affine::constant(2) };
                inner.body.insert(0, jump("break", Condition::NonNegative(iterator + limit)));
            }
        }
    }

    /// Other words for a loop that nothing in its body leaves.
    fn everyday_form(&mut self, inner: &mut For) {
        let is_plain =
            !self.plain && !inner.at_least_once && inner.data.iter().all(Option::is_none) && inner.tile.is_none();
        if is_plain && !inner.body.iter().any(|node| matches!(node, Node::Jump(_))) && self.dice.chance(30) {
            inner.form = self.dice.pick(&[Form::BreakFirst, Form::BreakLast]);
        }
    }

    /// A unimodular matrix of so many rows.
    fn schedule(&mut self, loops: usize) -> Vec<Vec<i64>> {
        let mut rows: Vec<Vec<i64>> = (0..loops).map(|k| (0..loops).map(|n| i64::from(k == n)).collect()).collect();
        for k in 0..loops {
            let other = self.dice.below(loops as u64) as usize;
            if self.dice.chance(40) {
                rows.swap(k, other);
            }
            if self.dice.chance(40) {
                rows[k].iter_mut().for_each(|factor| *factor = -*factor);
            }
            if k != other && self.dice.chance(30) {
                let added = rows[other].clone();
                rows[k].iter_mut().zip(added).for_each(|(factor, more)| *factor += more);
            }
        }
        rows
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
        if self.features.dead && self.dice.chance(25) {
            // Below the least value of the left side.
            let impossible = scope.interval(&value).0 - value - Affine::constant(1);
            return Condition::NonNegative(impossible);
        }
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
            let factor = if self.features.strides { self.dice.pick(&[1, 2, 3, -1, -2]) } else { 1 };
            Subscript::Affine(
                if self.dice.chance(10) { self.size() } else { Affine::default() }
                    + offset
                    + Affine::variable(iterator) * factor,
            )
        };
        (0..rank).map(subscript).collect()
    }

    fn access(&mut self, scope: &Scope) -> Access {
        if !self.locals.is_empty() && self.dice.chance(35) {
            return Access::plain(self.dice.pick(&self.locals.clone()), vec![]);
        }
        let arrays: Vec<usize> = (0..self.program.arrays.len()).filter(|a| !self.program.arrays[*a].local).collect();
        let array = self.dice.pick(&arrays);
        if self.in_lanes {
            return Access::plain(array, self.neighbours(scope, self.program.arrays[array].rank));
        }
        let subscripts = (0..self.program.arrays[array].rank)
            .map(|_| {
                let value = self.affine(scope);
                let divisor = 2 + self.dice.below(3) as i64;
                match self.dice.below(24) {
                    0 => Subscript::Quotient(value, divisor),
                    1 => Subscript::Remainder(value, divisor),
                    2 if self.features.everyday => Subscript::Shifted(value, divisor as u32 - 1),
                    3 if self.features.everyday => Subscript::Masked(value, divisor as u32 - 1),
                    4 if self.features.everyday => {
                        Subscript::Choice(Box::new(self.condition(scope, 0)), value, self.affine(scope))
                    }
                    _ => Subscript::Affine(value),
                }
            })
            .collect();
        let style = match self.features.everyday {
            true => {
                self.dice.pick(&[Style::Brackets, Style::Brackets, Style::Brackets, Style::Pointer, Style::Swapped])
            }
            false => Style::Brackets,
        };
        Access { array, subscripts, style }
    }

    fn assign(&mut self, scope: &Scope) -> Assign {
        let operators: &[&str] = match self.features.floats {
            true => &["=", "=", "+=", "+=", "-=", "*="],
            false => &["=", "=", "=", "+=", "-=", "*=", "^=", "&=", "|="],
        };
        let operator = self.dice.pick(operators);
        Assign { target: self.access(scope), operator, value: self.expr(scope, 3) }
    }

    fn expr(&mut self, scope: &Scope, depth: u32) -> Expr {
        if depth == 0 || self.dice.chance(20) {
            return match self.dice.below(8) {
                0 => Expr::Constant(self.dice.pick(&[0, 1, -1, 2, 7, -13, 255, 1000, -32768, 123456789])),
                1 if !self.program.scalars.is_empty() => {
                    Expr::Scalar(self.dice.below(self.program.scalars.len() as u64) as usize)
                }
                2 if scope.iterators().next().is_some() => {
                    let iterators: Vec<String> = scope.iterators().map(str::to_string).collect();
                    let value = Affine::variable(self.dice.pick(&iterators)) * (1 + self.dice.below(3) as i64);
                    Expr::Index(value + Affine::constant(self.dice.offset()))
                }
                _ => Expr::Read(self.access(scope)),
            };
        }
        let mut operand = || Box::new(self.expr(scope, depth - 1));
        let (a, b) = (operand(), operand());
        if self.features.floats {
            return match self.dice.below(12) {
                0 => Expr::Select(a, b, Box::new(self.expr(scope, depth - 1))),
                1 => Expr::Cast(self.dice.pick(&FLOATS), a),
                2 => Expr::Unary(self.dice.pick(&["-", "!"]), a),
                3 => Expr::Divide("/", a, self.dice.pick(&[2, 3, 5, 8, 10, 1000, -2, -7])),
                4 => Expr::Binary(self.dice.pick(&["<", "<=", ">", ">=", "==", "!=", "&&", "||"]), a, b),
                _ => Expr::Binary(self.dice.pick(&["+", "+", "-", "*"]), a, b),
            };
        }
        match self.dice.below(12) {
            0 => Expr::Select(a, b, Box::new(self.expr(scope, depth - 1))),
            1 => Expr::Cast(self.dice.ty(), a),
            2 => Expr::Unary(self.dice.pick(&["-", "~", "!"]), a),
            3 if self.dice.chance(30) => Expr::Lookup(a),
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
