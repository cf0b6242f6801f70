//! Random programs as values, and the extents that keep their accesses inside the arrays.

use std::collections::{BTreeMap, BTreeSet};

use burstc::affine::Affine;
use burstc::board::{self, Board};
use burstc::source::kernel::ScalarType;

/// A function with static control. Arrays, scalars and sizes that nothing uses are no arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub sizes: Vec<Size>,
    pub arrays: Vec<Array>,
    /// Types of the scalar arguments.
    pub scalars: Vec<ScalarType>,
    pub body: Vec<Node>,
    /// `--lanes`, where it is asked for.
    pub lanes: Option<i64>,
    /// `--units`, where it is asked for.
    pub units: Option<i64>,
    /// `--lanes i:4,j:4`, where that is asked for.
    pub grid: Option<[(String, i64); 2]>,
    /// Rows of θ over the iterators of the first nest, in place of its tiling along the loops.
    pub schedule: Option<Vec<Vec<i64>>>,
    /// Dimensions that the strips of every tiled nest run along, as far as it has them.
    pub strip: usize,
    /// With `panels(a)`.
    pub panels: bool,
    /// With `layout(…: tiles)` of these arrays, as far as they are arguments.
    pub by_tiles: Vec<usize>,
    pub memory: Memory,
    /// Arrays are members of structures, and locals are structures.
    pub structures: bool,
    /// Arrays of two dimensions are written as one.
    pub flat: bool,
    /// Values of the sizes, one list per run.
    pub runs: Vec<Vec<i64>>,
    /// Seed of the data.
    pub seed: u64,
}

impl Program {
    /// Without scalars, lanes, directives and structures.
    pub fn of(
        sizes: Vec<Size>,
        arrays: Vec<Array>,
        body: Vec<Node>,
        runs: Vec<Vec<i64>>,
        memory: Memory,
        seed: u64,
    ) -> Program {
        Program {
            sizes,
            arrays,
            scalars: vec![],
            body,
            lanes: None,
            units: None,
            grid: None,
            schedule: None,
            strip: 1,
            panels: false,
            by_tiles: vec![],
            memory,
            structures: false,
            flat: false,
            runs,
            seed,
        }
    }
}

/// What the accelerator of a program is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    Ddr400,
    /// AXI4 of so many bits, with random back-pressure.
    Axi4 {
        bits: u32,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    pub name: String,
    pub max: i64,
    pub ty: ScalarType,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub element: ScalarType,
    pub rank: usize,
    /// The function declares it, and it is no argument: a scalar, of rank 0, where it gets its first value; an array at its begin.
    pub local: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    For(For),
    If(If),
    Branch(Branch),
    Jump(Jump),
    Assign(Assign),
    /// The declaration of a local scalar (index into `Program::arrays`) with its first value; it is in scope in the nodes
    /// that follow in the same block.
    Declare(usize, Expr),
}

impl For {
    /// From one bound to another, without anything special.
    pub fn plain(iterator: &str, lower: Affine, upper: Affine, body: Vec<Node>) -> For {
        For {
            iterator: iterator.to_string(),
            ty: ScalarType::I32,
            strict: false,
            lower: vec![lower],
            upper: vec![upper],
            step: 1,
            descending: false,
            tile: None,
            choice: None,
            at_least_once: false,
            form: Form::For,
            data: Box::default(),
            stated: false,
            left: false,
            uneven: None,
            counter: None,
            body,
        }
    }
}

/// How a loop does not go on in even steps.
#[derive(Clone, Debug, PartialEq)]
pub enum Uneven {
    /// It steps by up to 3 more, as an element of an argument says that this names.
    Data(Affine),
    /// It steps by more, by what counts in a loop around it.
    Counter(String),
    /// Its body stands in another loop, which goes from element to element of an argument, from one that this names: down to the first one,
    /// or from parents to children.
    Chase(Affine, bool),
}

/// From the largest of `lower` to the smallest of `upper`, both included, or the other way round.
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    pub iterator: String,
    pub ty: ScalarType,
    /// The head compares with `<` in place of `<=`.
    pub strict: bool,
    pub lower: Vec<Affine>,
    pub upper: Vec<Affine>,
    pub step: i64,
    pub descending: bool,
    /// Size in the directive before the nest that the loop belongs to; only on outermost loops and those that are
    /// alone in a tiled loop.
    pub tile: Option<i64>,
    /// Another last value, where the condition does not hold: `i <= (c ? last : other)`.
    pub choice: Option<(Condition, Affine)>,
    /// `do { … } while (++i <= last)`: it runs once at least. It has a step of 1, counts up, and is not strict.
    pub at_least_once: bool,
    /// In which words it is written. Nothing in it goes on with the next iteration.
    pub form: Form,
    pub counter: Option<Counter>,
    /// Where it begins, in place of 0, and where it ends at the latest, as elements of an argument that nobody writes.
    pub data: Box<[Option<Affine>; 2]>,
    /// Those elements are the bounds as they are, of an array whose values are stated; others are masked.
    pub stated: bool,
    /// What it counts with is there behind it, and goes into an element that the iterator around it names.
    pub left: bool,
    pub uneven: Option<Box<Uneven>>,
    pub body: Vec<Node>,
}

/// How a loop is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    For,
    /// `while (1) { if (!(i <= last)) break; …; i++; }`
    BreakFirst,
    /// `if (first <= last) for (;;) { …; i++; if (i > last) break; }`
    BreakLast,
}

/// A local integer that every iteration of a loop changes, and that is declared before the loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Counter {
    pub name: String,
    pub first: Affine,
    pub step: i64,
    /// A statement of the body steps it, by one, with [`Subscript::Step`]; otherwise the body's end does.
    pub inside: bool,
}

/// `if (condition) continue;` or `break`.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump {
    pub condition: Condition,
    pub word: &'static str,
}

/// An `if` on data.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    pub condition: Expr,
    pub then: Vec<Node>,
    pub otherwise: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct If {
    pub condition: Condition,
    pub then: Vec<Node>,
    pub otherwise: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// At least 0.
    NonNegative(Affine),
    /// Exactly 0.
    Zero(Affine),
    /// The remainder by a constant is 0.
    Multiple(Affine, i64),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Assign {
    pub target: Access,
    /// `=` or a compound one.
    pub operator: &'static str,
    pub value: Expr,
}

/// Subscripts up to what [`Layout`] adds so that none is negative.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    pub array: usize,
    pub subscripts: Vec<Subscript>,
    pub style: Style,
}

/// How an element is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    #[default]
    Brackets,
    /// `*(a + i)`
    Pointer,
    /// `i[a]`
    Swapped,
}

impl Access {
    pub fn plain(array: usize, subscripts: Vec<Subscript>) -> Access {
        Access { array, subscripts, style: Style::Brackets }
    }

    fn is_scattered(&self) -> bool {
        self.subscripts.iter().any(|subscript| matches!(subscript, Subscript::Data(_)))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Subscript {
    Affine(Affine),
    Quotient(Affine, i64),
    Remainder(Affine, i64),
    /// `value >> bits`
    Shifted(Affine, u32),
    /// `value & 2^bits - 1`
    Masked(Affine, u32),
    Choice(Box<Condition>, Affine, Affine),
    /// A counter that is stepped here: `k++`.
    Step(String),
    /// The low three bits of data, where an element is written.
    Data(Box<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Constant(i64),
    Read(Access),
    Scalar(usize),
    /// Iterators as data.
    Index(Affine),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// Left operand, and an amount of 0 to 7.
    Shift(&'static str, Box<Expr>, Box<Expr>),
    /// `/` or `%` by a constant that is neither 0 nor -1.
    Divide(&'static str, Box<Expr>, i64),
    /// `/` or `%` by the low five bits of an operand and a number with which they are neither 0 nor -1.
    DivideBy(&'static str, Box<Expr>, Box<Expr>, i64),
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    Cast(ScalarType, Box<Expr>),
    /// An element of the table of eight constants that every program has.
    Lookup(Box<Expr>),
    /// An element of an argument of sixteen numbers that nobody writes.
    Gather(Box<Expr>),
}

impl Subscript {
    /// The values to which [`Layout`] adds something.
    pub fn plain_values(&self) -> Vec<Affine> {
        match self {
            Subscript::Affine(value) => vec![value.clone()],
            Subscript::Choice(_, then, otherwise) => vec![then.clone(), otherwise.clone()],
            Subscript::Step(counter) => vec![Affine::variable(counter)],
            _ => vec![],
        }
    }

    /// What is read to find the element.
    pub fn reads(&self) -> Vec<&Access> {
        match self {
            Subscript::Data(index) => index.reads(),
            _ => vec![],
        }
    }

    fn strides(&self) -> bool {
        matches!(self, Subscript::Affine(value) if value.terms.values().any(|factor| *factor != 1))
    }
}

impl Expr {
    pub fn operands(&self) -> Vec<&Expr> {
        match self {
            Expr::Constant(_) | Expr::Read(_) | Expr::Scalar(_) | Expr::Index(_) => vec![],
            Expr::Unary(_, a) | Expr::Divide(_, a, _) | Expr::Cast(_, a) | Expr::Lookup(a) | Expr::Gather(a) => vec![a],
            Expr::Binary(_, a, b) | Expr::Shift(_, a, b) | Expr::DivideBy(_, a, b, _) => vec![a, b],
            Expr::Select(a, b, c) => vec![a, b, c],
        }
    }

    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Constant(_) | Expr::Read(_) | Expr::Scalar(_) | Expr::Index(_) => vec![],
            Expr::Unary(_, a) | Expr::Divide(_, a, _) | Expr::Cast(_, a) | Expr::Lookup(a) | Expr::Gather(a) => vec![a],
            Expr::Binary(_, a, b) | Expr::Shift(_, a, b) | Expr::DivideBy(_, a, b, _) => vec![a, b],
            Expr::Select(a, b, c) => vec![a, b, c],
        }
    }

    pub fn reads(&self) -> Vec<&Access> {
        match self {
            Expr::Read(access) => access.subscripts.iter().flat_map(Subscript::reads).chain([access]).collect(),
            _ => self.operands().into_iter().flat_map(Expr::reads).collect(),
        }
    }
}

impl Program {
    pub fn statements(&self) -> usize {
        count(&self.body)
    }

    /// Loops of a top-level nest that its directive names, outermost first.
    pub fn tiled(node: &Node) -> Vec<&For> {
        let mut loops = vec![];
        let mut next = Some(node);
        while let Some(Node::For(inner)) = next.filter(|node| matches!(node, Node::For(f) if f.tile.is_some())) {
            loops.push(inner);
            next = match &inner.body[..] {
                [only] => Some(only),
                // A statement before the loop.
                [Node::Assign(_), only @ Node::For(_)] => Some(only),
                _ => None,
            };
        }
        loops
    }

    /// What the program has of what the campaign's shares count.
    pub fn features(&self) -> BTreeSet<&'static str> {
        let mut found = BTreeSet::new();
        let mut note = |name, there: bool| {
            if there {
                found.insert(name);
            }
        };
        note("lanes", self.lanes.is_some());
        note("units", self.units.is_some());
        note("structures", (0..self.arrays.len()).any(|array| self.is_structure(array)));
        note("rows in one dimension", self.flat);
        let is_gather = |expr: &Expr| matches!(expr, Expr::Read(access) if access.is_scattered());
        note("gathers from arrays that are written", self.has(is_gather));
        note("copies of structures", self.copies_structures());
        note("lanes in two dimensions", self.grid.is_some());
        note("lanes of several statements", self.lanes.is_some() && self.statements() > 1);
        note("gathers", self.has(|expr| matches!(expr, Expr::Gather(_))));
        note("scatters", self.clone().assigns_mut().into_iter().any(|assign| assign.target.is_scattered()));
        note("divisions by data", self.has(|expr| matches!(expr, Expr::DivideBy(..))));
        note("floating point", self.arrays.iter().any(|array| array.element.floating));
        note("unsigned or narrow sizes", self.sizes.iter().any(|size| size.ty != ScalarType::I32));
        note("AXI4", self.memory != Memory::Ddr400);
        note("several memory ports", self.ports() > 1);
        note("several nests", self.body.len() > 1);
        note("tiles", self.without_tiles() != *self);
        let tiled = self.body.iter().map(|node| Program::tiled(node).len());
        note("strips of several dimensions", self.strip.min(tiled.max().unwrap_or(0)) > 1);
        let rows = self.schedule.iter().flatten().flatten();
        note("panels", self.panels);
        note("layouts by tiles", !self.by_tiles.is_empty());
        note("local arrays", self.arrays.iter().any(|array| array.local && array.rank > 0));
        note("negative coefficients in θ", rows.copied().any(|factor| factor < 0));
        let mut nodes: Vec<&Node> = self.body.iter().collect();
        let (mut declared, mut read) = (BTreeSet::new(), BTreeSet::new());
        while let Some(node) = nodes.pop() {
            match node {
                Node::For(inner) => {
                    note("unsigned or narrow iterators", inner.ty != ScalarType::I32);
                    note("`do` loops", inner.at_least_once);
                    note("loops without a head", inner.form != Form::For);
                    note("choices in bounds", inner.choice.is_some());
                    note("bounds from data", inner.data.iter().any(Option::is_some));
                    let has_end = inner.data[1].is_some();
                    note("bounds from data against the count", has_end && (inner.descending || inner.step != 1));
                    note("counters behind bounds from data", inner.left);
                    note("steps from data", matches!(inner.uneven.as_deref(), Some(Uneven::Data(_))));
                    note("steps by counters", matches!(inner.uneven.as_deref(), Some(Uneven::Counter(_))));
                    note("chases", matches!(inner.uneven.as_deref(), Some(Uneven::Chase(..))));
                    note("bounds that are elements", inner.stated && inner.data.iter().any(Option::is_some));
                    note("counters in subscripts", inner.counter.is_some());
                    note("strides", inner.step != 1);
                    note("reversed loops", inner.descending);
                    let (low, high) = (&inner.lower[0], &inner.upper[0]);
                    note("windows", *low == Affine::constant(-1) && *high == Affine::constant(1));
                    note("dead loops", (high.clone() - low.clone()) == Affine::constant(-1));
                    nodes.extend(&inner.body);
                }
                Node::If(inner) => {
                    note("conditions", true);
                    nodes.extend(inner.then.iter().chain(&inner.otherwise));
                }
                Node::Branch(branch) => {
                    note("branches on data", true);
                    read.extend(branch.condition.reads().iter().map(|access| access.array));
                    nodes.extend(branch.then.iter().chain(&branch.otherwise));
                }
                Node::Jump(jump) => note(jump.word, true),
                Node::Assign(assign) => {
                    for access in assign.value.reads().into_iter().chain([&assign.target]) {
                        note("`*(a + i)` and `i[a]`", access.style != Style::Brackets);
                        note("`b[k++]`", access.subscripts.iter().any(|s| matches!(s, Subscript::Step(_))));
                        note(
                            "choices in subscripts",
                            access.subscripts.iter().any(|s| matches!(s, Subscript::Choice(..))),
                        );
                        let is_of_bits = |s: &Subscript| matches!(s, Subscript::Shifted(..) | Subscript::Masked(..));
                        note("bits in subscripts", access.subscripts.iter().any(is_of_bits));
                    }
                    note("reductions", assign.operator != "=" && assign.target.subscripts.len() < 2);
                    let subscripts = assign.target.subscripts.iter();
                    note("strided or reversed subscripts", subscripts.clone().any(Subscript::strides));
                    let index = assign.target.subscripts.iter().flat_map(Subscript::reads);
                    read.extend(assign.value.reads().into_iter().chain(index).map(|access| access.array));
                }
                Node::Declare(local, value) => {
                    note("locals", true);
                    declared.insert(*local);
                    read.extend(value.reads().iter().map(|access| access.array));
                }
            }
        }
        note("unread locals", !declared.is_subset(&read));
        let mut bodies = vec![&self.body];
        while let Some(body) = bodies.pop() {
            let assigns: Vec<&Assign> = body.iter().filter_map(Node::assign).collect();
            note("statements of equal iterations", assigns.len() > 1 && bodies_of(body).is_empty());
            note("statements beside a loop", !assigns.is_empty() && !bodies_of(body).is_empty());
            let targets = || assigns.iter().map(|assign| &assign.target);
            let mut reads = assigns.iter().flat_map(|assign| assign.value.reads());
            note("short recurrences", reads.any(|read| targets().any(|target| is_near(read, target))));
            bodies.extend(bodies_of(body));
        }
        found
    }

    pub fn board(&self) -> Board {
        let (name, bits) = match self.memory {
            Memory::Ddr400 => return board::load("stratix2-ddr400").expect("a known board"),
            Memory::Axi4 { bits } => ("generic-axi4", bits),
        };
        let board = board::load(name).and_then(|board| board.with_bus_bits(bits)?.with_ports(self.ports()));
        board.expect("a known board with a bus")
    }

    /// Memory ports: half of the programs behind a bus have several. The seed says so, not the dice, so that programs are what
    /// they were when all had one.
    pub fn ports(&self) -> u32 {
        match self.memory {
            Memory::Ddr400 => 1,
            Memory::Axi4 { .. } => [1, 2, 1, 4, 1, 3][(self.seed % 6) as usize],
        }
    }

    /// Whether this array is a member.
    pub fn is_structure(&self, array: usize) -> bool {
        self.structures && self.arrays[array].rank > 0 && !self.arrays[array].local
    }

    /// Members are written by way of copies of whole structures.
    pub fn copies_structures(&self) -> bool {
        self.structures && self.seed % 8 == 5 && self.lanes.is_none() && self.grid.is_none()
    }

    /// With `int` for all sizes and iterators.
    pub fn with_plain_sizes(&self) -> Program {
        fn plain(nodes: &mut [Node]) {
            for node in nodes {
                match node {
                    Node::For(inner) => {
                        inner.ty = ScalarType::I32;
                        plain(&mut inner.body);
                    }
                    Node::If(inner) => {
                        plain(&mut inner.then);
                        plain(&mut inner.otherwise);
                    }
                    Node::Branch(branch) => {
                        plain(&mut branch.then);
                        plain(&mut branch.otherwise);
                    }
                    Node::Jump(_) | Node::Assign(_) | Node::Declare(..) => {}
                }
            }
        }
        let mut program = self.clone();
        program.sizes.iter_mut().for_each(|size| size.ty = ScalarType::I32);
        plain(&mut program.body);
        program
    }

    /// The values of all assignments and declarations.
    pub fn values_mut(&mut self) -> Vec<&mut Expr> {
        fn collect<'p>(nodes: &'p mut [Node], found: &mut Vec<&'p mut Expr>) {
            for node in nodes {
                match node {
                    Node::For(inner) => collect(&mut inner.body, found),
                    Node::If(inner) => {
                        collect(&mut inner.then, found);
                        collect(&mut inner.otherwise, found);
                    }
                    Node::Branch(inner) => {
                        found.push(&mut inner.condition);
                        collect(&mut inner.then, found);
                        collect(&mut inner.otherwise, found);
                    }
                    Node::Jump(_) => {}
                    Node::Assign(assign) => found.push(&mut assign.value),
                    Node::Declare(_, value) => found.push(value),
                }
            }
        }
        let mut found = vec![];
        collect(&mut self.body, &mut found);
        found
    }

    /// All assignments.
    pub fn assigns_mut(&mut self) -> Vec<&mut Assign> {
        fn collect<'p>(nodes: &'p mut [Node], found: &mut Vec<&'p mut Assign>) {
            for node in nodes {
                match node {
                    Node::For(inner) => collect(&mut inner.body, found),
                    Node::If(inner) => {
                        collect(&mut inner.then, found);
                        collect(&mut inner.otherwise, found);
                    }
                    Node::Branch(inner) => {
                        collect(&mut inner.then, found);
                        collect(&mut inner.otherwise, found);
                    }
                    Node::Assign(assign) => found.push(assign),
                    Node::Jump(_) | Node::Declare(..) => {}
                }
            }
        }
        let mut found = vec![];
        collect(&mut self.body, &mut found);
        found
    }

    /// Whether some value has such an expression in it.
    fn has(&self, is: fn(&Expr) -> bool) -> bool {
        fn has_one(expr: &Expr, is: fn(&Expr) -> bool) -> bool {
            is(expr) || expr.operands().into_iter().any(|operand| has_one(operand, is))
        }
        self.clone().values_mut().into_iter().any(|value| has_one(value, is))
    }

    pub fn without_lanes(&self) -> Program {
        Program { lanes: None, units: None, grid: None, ..self.clone() }
    }

    pub fn without_long_strips(&self) -> Program {
        Program { strip: 1, ..self.clone() }
    }

    pub fn without_tiles(&self) -> Program {
        fn clear(nodes: &mut [Node]) {
            for node in nodes {
                if let Node::For(inner) = node {
                    inner.tile = None;
                    clear(&mut inner.body);
                }
            }
        }
        let mut program = Program { schedule: None, strip: 1, ..self.clone() };
        clear(&mut program.body);
        program
    }
}

impl Node {
    fn assign(&self) -> Option<&Assign> {
        match self {
            Node::Assign(assign) => Some(assign),
            Node::For(_) | Node::If(_) | Node::Branch(_) | Node::Jump(_) | Node::Declare(..) => None,
        }
    }
}

/// The lists of nodes inside a list.
fn bodies_of<'n>(nodes: &'n [Node]) -> Vec<&'n Vec<Node>> {
    let of = |node: &'n Node| match node {
        Node::For(inner) => vec![&inner.body],
        Node::If(inner) => vec![&inner.then, &inner.otherwise],
        Node::Branch(branch) => vec![&branch.then, &branch.otherwise],
        Node::Jump(_) | Node::Assign(_) | Node::Declare(..) => vec![],
    };
    nodes.iter().flat_map(of).collect()
}

/// Whether two accesses differ by constants of up to three, and do differ.
fn is_near(a: &Access, b: &Access) -> bool {
    let near = |pair: (&Subscript, &Subscript)| match pair {
        (Subscript::Affine(a), Subscript::Affine(b)) => {
            let difference = a.clone() - b.clone();
            difference.is_constant() && difference.constant.abs() <= 3
        }
        _ => false,
    };
    a.array == b.array && a != b && a.subscripts.iter().zip(&b.subscripts).all(near)
}

fn count(nodes: &[Node]) -> usize {
    let of = |node: &Node| match node {
        Node::For(inner) => count(&inner.body),
        Node::If(inner) => count(&inner.then) + count(&inner.otherwise),
        Node::Branch(branch) => count(&branch.then) + count(&branch.otherwise),
        Node::Assign(_) => 1,
        Node::Jump(_) | Node::Declare(..) => 0,
    };
    nodes.iter().map(of).sum()
}

/// What is known about the iterators in scope: intervals whose ends are affine in the sizes.
#[derive(Clone)]
pub struct Scope<'p> {
    sizes: &'p [Size],
    /// How many loops there are; iterators may be more, with counters.
    pub loops: usize,
    iterators: Vec<(String, Affine, Affine)>,
}

impl<'p> Scope<'p> {
    pub fn new(sizes: &'p [Size]) -> Self {
        Scope { sizes, loops: 0, iterators: vec![] }
    }

    pub fn iterators(&self) -> impl Iterator<Item = &str> {
        self.iterators.iter().map(|(name, ..)| name.as_str())
    }

    /// The scope with one name less.
    pub fn without(&self, name: &str) -> Self {
        let mut scope = self.clone();
        scope.iterators.retain(|(known, ..)| known != name);
        scope
    }

    /// The scope inside a loop: its tightest bound on either side counts.
    pub fn inside(&self, inner: &For) -> Self {
        let low = inner.lower.iter().map(|bound| self.interval(bound).0).max_by_key(|low| self.numbers(low).0);
        let high = inner.upper.iter().map(|bound| self.interval(bound).1).min_by_key(|high| self.numbers(high).1);
        let mut scope = self.clone();
        let (low, mut high) = (low.expect("a bound"), high.expect("a bound"));
        if let Some((_, other)) = &inner.choice {
            high = larger(&high, &self.interval(other).1);
        }
        if inner.at_least_once {
            let first = inner.lower.iter().map(|bound| self.interval(bound).1);
            high = first.fold(high, |high, first| larger(&high, &first));
        }
        if let Some(counter) = &inner.counter {
            let (first, last) = self.interval(&counter.first);
            // What the statement that steps it, or the one behind, may see.
            let iterations = larger(&(high.clone() - low.clone() + Affine::constant(1)), &Affine::default());
            scope.iterators.push((counter.name.clone(), first, last + iterations * counter.step));
        }
        scope.iterators.push((inner.iterator.clone(), low, high));
        scope.loops += 1;
        scope
    }

    /// Bounds of an expression, affine in the sizes.
    pub fn interval(&self, value: &Affine) -> (Affine, Affine) {
        let constant = Affine::constant(value.constant);
        value.terms.iter().fold((constant.clone(), constant), |(low, high), (name, &factor)| {
            let (a, b) = match self.iterators.iter().rev().find(|(n, ..)| n == name) {
                Some((_, a, b)) => (a.clone(), b.clone()),
                None => (Affine::variable(name), Affine::variable(name)),
            };
            let (a, b) = if factor > 0 { (a, b) } else { (b, a) };
            (low + a * factor, high + b * factor)
        })
    }

    /// Smallest and largest value of an expression over the sizes.
    fn numbers(&self, value: &Affine) -> (i64, i64) {
        value.range(|name| (0, self.sizes.iter().find(|size| size.name == name).map_or(0, |size| size.max)))
    }

    /// The expression moved up so that it is never negative.
    pub fn raised(&self, value: &Affine) -> Affine {
        let mut shift = Affine::default();
        cover(&mut shift, &-self.interval(value).0);
        value.clone() + shift
    }
}

/// Where the accesses of a program need their arrays to be.
pub struct Layout {
    /// What is added to the affine subscripts, per array and dimension.
    pub shifts: Vec<Vec<Affine>>,
    /// `None` for an array that nothing accesses.
    pub extents: Vec<Option<Vec<Affine>>>,
}

impl Layout {
    pub fn of(program: &Program) -> Layout {
        let ranks = || program.arrays.iter().map(|array| array.rank);
        let mut layout = Layout {
            shifts: ranks().map(|rank| vec![Affine::default(); rank]).collect(),
            extents: program.arrays.iter().map(|_| None).collect(),
        };
        let each = |act: &mut dyn FnMut(&Access, &Scope)| walk(&program.body, &Scope::new(&program.sizes), act);
        each(&mut |access, scope| {
            for (subscript, shift) in access.subscripts.iter().zip(&mut layout.shifts[access.array]) {
                subscript.plain_values().iter().for_each(|value| cover(shift, &-scope.interval(value).0));
            }
        });
        each(&mut |access, scope| {
            let rank = access.subscripts.len();
            let extents = layout.extents[access.array].get_or_insert_with(|| vec![Affine::constant(1); rank]);
            for (dimension, subscript) in access.subscripts.iter().enumerate() {
                let last: Vec<Affine> = match subscript {
                    Subscript::Affine(_) | Subscript::Choice(..) | Subscript::Step(_) => {
                        let shift = &layout.shifts[access.array][dimension];
                        let values = subscript.plain_values();
                        values.iter().map(|value| scope.interval(value).1 + shift.clone()).collect()
                    }
                    // No larger than what is divided.
                    Subscript::Quotient(value, _) | Subscript::Shifted(value, _) => {
                        vec![scope.interval(&scope.raised(value)).1]
                    }
                    Subscript::Remainder(_, divisor) => vec![Affine::constant(divisor - 1)],
                    Subscript::Masked(_, bits) => vec![Affine::constant((1 << bits) - 1)],
                    Subscript::Data(_) => vec![Affine::constant(7)],
                };
                last.iter().for_each(|last| cover(&mut extents[dimension], &(last.clone() + Affine::constant(1))));
            }
        });
        layout
    }
}

/// Raises `sum` to at least `wanted` for all sizes, which are not negative.
fn cover(sum: &mut Affine, wanted: &Affine) {
    let mut terms: BTreeMap<String, i64> = sum.terms.clone();
    for (name, &factor) in wanted.terms.iter().filter(|(_, factor)| **factor > 0) {
        let term = terms.entry(name.clone()).or_insert(factor);
        *term = factor.max(*term);
    }
    *sum = Affine { terms, constant: sum.constant.max(wanted.constant) };
}

/// At least as large as both, and as 0, for all sizes, which are not negative.
pub fn larger(a: &Affine, b: &Affine) -> Affine {
    let mut sum = Affine::default();
    cover(&mut sum, a);
    cover(&mut sum, b);
    sum
}

/// Calls `act` at every access, with the iterators around it.
fn walk(nodes: &[Node], scope: &Scope, act: &mut dyn FnMut(&Access, &Scope)) {
    for node in nodes {
        match node {
            Node::For(inner) => walk(&inner.body, &scope.inside(inner), act),
            Node::If(inner) => {
                walk(&inner.then, scope, act);
                walk(&inner.otherwise, scope, act);
            }
            Node::Branch(branch) => {
                branch.condition.reads().into_iter().for_each(|access| act(access, scope));
                walk(&branch.then, scope, act);
                walk(&branch.otherwise, scope, act);
            }
            Node::Jump(_) => {}
            Node::Assign(assign) => {
                act(&assign.target, scope);
                let index = assign.target.subscripts.iter().flat_map(Subscript::reads);
                index.for_each(|access| act(access, scope));
                assign.value.reads().into_iter().for_each(|access| act(access, scope));
            }
            Node::Declare(local, value) => {
                value.reads().into_iter().for_each(|access| act(access, scope));
                act(&Access::plain(*local, vec![]), scope);
            }
        }
    }
}
