//! An [`Offload`] on a naive machine (`machine.rs`): tiles in the order of its scans, buffers of the exact moduli, the
//! tightest overlap that the tokens allow and others; and the kernel run as it is written, for comparison. Statements
//! compute a hash of iteration and operands, so that a wrong operand always shows.

use std::collections::BTreeMap;

use super::machine::{Machine, Policy};
use burstc::affine::Affine;
use burstc::ids::ArrayId;
use burstc::offload::{Bound, Offload, Piece, Scan};
use burstc::source::kernel::{Access, Condition, Expr, Kernel, Node, Statement, Storage};

pub type Environment = BTreeMap<String, i64>;
pub type Cell = Vec<i64>;
pub type Memory = BTreeMap<(ArrayId, Cell), u64>;

pub fn value(affine: &Affine, environment: &Environment) -> i64 {
    affine.evaluate(|name| *environment.get(name).unwrap_or_else(|| panic!("{name} in {affine} is not in scope")))
}

fn lower(bound: &Bound, environment: &Environment) -> i64 {
    -(-value(&bound.numerator, environment)).div_euclid(bound.divisor)
}

fn upper(bound: &Bound, environment: &Environment) -> i64 {
    value(&bound.numerator, environment).div_euclid(bound.divisor)
}

/// What the hardware visits, in its order: leaf and point. Checks on the way that levels stay in their ranges, and that
/// shared levels are the same.
pub fn walk(scan: &Scan, context: &Environment) -> Vec<(usize, Cell)> {
    if let Some(first) = scan.pieces.first() {
        assert_eq!(first.shared, 0);
    }
    for pair in scan.pieces.windows(2) {
        let shared = pair[1].shared;
        assert!(shared < pair[0].levels.len() && shared < pair[1].levels.len());
        assert_eq!(pair[0].levels[..shared], pair[1].levels[..shared]);
    }
    let mut points = vec![];
    walk_group(&scan.pieces, 0, &mut context.clone(), &mut points);
    points
}

/// Walks pieces whose `depth` outer levels are bound: one after the other, or inside the loops that runs of them share.
fn walk_group(pieces: &[Piece], depth: usize, environment: &mut Environment, points: &mut Vec<(usize, Cell)>) {
    let mut begin = 0;
    while begin < pieces.len() {
        let more = pieces[begin + 1..].iter().take_while(|p| p.shared > depth).count();
        let run = &pieces[begin..=begin + more];
        begin += run.len();
        if let [piece] = run {
            if piece.guards.iter().all(|g| value(g, environment) >= 0) {
                walk_level(run, depth, environment, points);
            }
        } else {
            // Guards belong to the pieces' own levels further in.
            walk_level(run, depth, environment, points);
        }
    }
}

fn walk_level(run: &[Piece], depth: usize, environment: &mut Environment, points: &mut Vec<(usize, Cell)>) {
    let first = &run[0];
    let Some(level) = first.levels.get(depth) else {
        points.push((first.leaf.statement().0, first.point.iter().map(|p| value(p, environment)).collect()));
        return;
    };
    assert!(!environment.contains_key(&level.name), "{} is bound twice", level.name);
    let low = level.lower.iter().map(|b| lower(b, environment)).max().expect("a lower bound");
    let high = level.upper.iter().map(|b| upper(b, environment)).min().expect("an upper bound");
    for v in low..=high {
        assert!(level.range.0 <= v && v <= level.range.1, "{} = {v} is outside of {:?}", level.name, level.range);
        environment.insert(level.name.clone(), v);
        match run {
            [_] => walk_level(run, depth + 1, environment, points),
            _ => walk_group(run, depth + 1, environment, points),
        }
    }
    environment.remove(&level.name);
}

/// A statement instance: index of the statement, its iterators.
pub type Instance = (usize, Cell);

/// The instances in the order of the source.
pub fn instances(kernel: &Kernel, sizes: &Environment) -> Vec<Instance> {
    let mut walker = Walker { kernel, next: 0, found: vec![] };
    walker.body(&kernel.body, &mut sizes.clone(), &mut vec![], true);
    walker.found
}

struct Walker<'a> {
    kernel: &'a Kernel,
    /// The index of the statement that comes next in the text.
    next: usize,
    found: Vec<Instance>,
}

impl Walker<'_> {
    fn body(&mut self, nodes: &[Node], environment: &mut Environment, iterators: &mut Cell, live: bool) {
        for node in nodes {
            match node {
                Node::Statement(_) => {
                    if live {
                        self.found.push((self.next, iterators.clone()));
                    }
                    self.next += 1;
                }
                Node::If(inner) => {
                    let live = live && holds(&inner.condition, &self.with_quotients(environment));
                    self.body(&inner.body, environment, iterators, live);
                }
                Node::Loop(l) => {
                    let first = self.next;
                    if live {
                        let known = self.with_quotients(environment);
                        let low = l.lower.iter().map(|b| value(b, &known)).max().unwrap();
                        let high = l.upper.iter().map(|b| value(b, &known)).min().unwrap();
                        for v in low..=high {
                            self.next = first;
                            environment.insert(l.iterator.clone(), v);
                            iterators.push(v);
                            self.body(&l.body, environment, iterators, true);
                            iterators.pop();
                        }
                        environment.remove(&l.iterator);
                    }
                    self.next = first;
                    self.body(&l.body, environment, iterators, false);
                }
            }
        }
    }

    fn with_quotients(&self, environment: &Environment) -> Environment {
        with_quotients(self.kernel, environment)
    }
}

/// `environment` with every quotient whose names it knows.
pub fn with_quotients(kernel: &Kernel, environment: &Environment) -> Environment {
    let mut all = environment.clone();
    for quotient in &kernel.quotients {
        if quotient.numerator.terms.keys().all(|name| all.contains_key(name)) {
            let value = value(&quotient.numerator, &all).div_euclid(quotient.divisor);
            all.insert(quotient.name.clone(), value);
        }
    }
    all
}

fn holds(condition: &Condition, environment: &Environment) -> bool {
    match condition {
        Condition::NonNegative(affine) => value(affine, environment) >= 0,
        Condition::Zero(affine) => value(affine, environment) == 0,
        Condition::All(parts) => parts.iter().all(|p| holds(p, environment)),
        Condition::Any(parts) => parts.iter().any(|p| holds(p, environment)),
        Condition::Not(part) => !holds(part, environment),
    }
}

/// The statements with their iterators.
pub struct Text<'a> {
    kernel: &'a Kernel,
    statements: Vec<&'a Statement>,
    iterators: Vec<Vec<String>>,
    sizes: &'a Environment,
}

impl<'a> Text<'a> {
    pub fn new(kernel: &'a Kernel, sizes: &'a Environment) -> Self {
        Text { kernel, statements: kernel.statements().into(), iterators: kernel.iterators().into(), sizes }
    }

    pub fn environment(&self, (statement, point): &Instance) -> Environment {
        let names = self.iterators[*statement].iter().cloned();
        let own = self.sizes.clone().into_iter().chain(names.zip(point.iter().copied())).collect();
        with_quotients(self.kernel, &own)
    }

    /// The cells that an instance writes, with their values, where `read` has the cells before it.
    pub fn writes(&self, instance: &Instance, read: impl Fn(&(ArrayId, Cell)) -> u64) -> Vec<((ArrayId, Cell), u64)> {
        let environment = self.environment(instance);
        let cell = |access: &Access| (access.array, access.subscripts.iter().map(|s| value(s, &environment)).collect());
        let writes = self.statements[instance.0].writes();
        writes
            .map(|(target, expr)| (cell(target), compute(expr, &environment, &|access| read(&cell(access)))))
            .collect()
    }
}

/// The cell of memory that one of an array is, which may be another use of an argument.
pub fn in_memory(kernel: &Kernel, (array, cell): &(ArrayId, Cell)) -> (ArrayId, Cell) {
    (kernel.memory_of(*array), cell.clone())
}

/// Some value that depends on the address, for cells nobody wrote.
pub fn initial(place: &(ArrayId, Cell)) -> u64 {
    mix(place.1.iter().fold(place.0.0 as u64 + 1, |h, x| mix(h ^ *x as u64)))
}

fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 32)
}

/// What an expression computes: depends on its operators and on the operands, in order.
fn compute(expr: &Expr, environment: &Environment, read: &dyn Fn(&Access) -> u64) -> u64 {
    let operator = match expr {
        Expr::Read { access, .. } => return read(access),
        Expr::Index { value: index, .. } => return mix(value(index, environment) as u64),
        Expr::Constant { value, .. } => format!("constant {value}"),
        Expr::Scalar { scalar, .. } => format!("scalar {scalar}"),
        Expr::Unary { op, ty, .. } => format!("{op:?} {ty}"),
        Expr::Binary { op, ty, .. } => format!("{op:?} {ty}"),
        Expr::Select { ty, .. } => format!("select {ty}"),
        Expr::Cast { ty, .. } => format!("cast {ty}"),
        Expr::Gather { gather, .. } => format!("gather {}", gather.array),
        Expr::Scatter { place, .. } => format!("scatter {}", place.array),
        Expr::Masked { .. } => "masked".to_string(),
        Expr::Lookup { table, .. } => format!("lookup {}", table.name),
    };
    let seed = operator.bytes().fold(7, |h, letter| mix(h ^ u64::from(letter)));
    expr.operands().into_iter().fold(seed, |h, operand| mix(h ^ compute(operand, environment, read)))
}

/// The memory after the instances have run one after the other.
fn run(text: &Text, order: &[Instance]) -> Memory {
    let mut memory = Memory::new();
    for instance in order {
        let read = |cell: &(ArrayId, Cell)| {
            let cell = in_memory(text.kernel, cell);
            memory.get(&cell).copied().unwrap_or_else(|| initial(&cell))
        };
        let written = text.writes(instance, read);
        memory.extend(written);
    }
    memory
}

fn visible(kernel: &Kernel, memory: Memory) -> Memory {
    memory.into_iter().filter(|((array, _), _)| kernel.arrays[*array].storage == Storage::Argument).collect()
}

/// Runs `offload` for one size against the kernel as written.
pub fn check(offload: &Offload, sizes: &Environment) {
    let (kernel, written) = (&offload.kernel, &offload.as_written());
    let order = instances(written, sizes);
    let plain = visible(kernel, run(&Text::new(written, sizes), &order));
    assert_eq!(walk(&offload.source_order, sizes), order, "{}: the source's order for {sizes:?}", kernel.name);

    let tiles = walk(&offload.tiles, sizes);
    // What a band has shorter than another is 0.
    let padded = |(band, tile): &(usize, Cell)| {
        let rank = offload.bands.iter().map(|b| b.tiling.sizes.len()).max().unwrap();
        (tile.iter().copied().chain(std::iter::repeat(0)).take(rank).collect::<Cell>(), *band)
    };
    assert!(tiles.windows(2).all(|w| padded(&w[0]) < padded(&w[1])), "{}: tiles out of order", kernel.name);
    let text = Text::new(kernel, sizes);
    for policy in [Policy::Tightest, Policy::Random(1), Policy::Random(2)] {
        let (mut ran, ddr) = Machine::new(offload, &text, sizes, &tiles).run(policy);
        ran.sort();
        let mut all = instances(kernel, sizes);
        all.sort();
        assert!(ran == all, "{}: the tiles run other instances for {sizes:?}", kernel.name);
        let ddr = visible(kernel, ddr);
        assert!(ddr == plain, "{}: the memory differs for {sizes:?}", kernel.name);
    }
}
