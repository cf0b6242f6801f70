//! Scalar temporaries as wires: a local scalar that is written and read within one list of statements is replaced by
//! its value where it is read, so that neither the polyhedral model nor the hardware has an array for it.
//!
//! An assignment goes where all of these hold: everything that may read its value follows it in its own list of
//! statements, or under conditions there, but in no further loop; nothing in between writes what the value reads, or the
//! scalar under a condition; and the statements that take the value in stay within [`MOST`] nodes and [`DEEPEST`]. The
//! value has the scalar's type already, so it is what memory would give back, bit by bit.
//!
//! What the bounds of a loop are made of, as `end` in `end = ptr[i + 1]; for (j = …; j < end; j++)`, goes into loops as well, where
//! these write neither: hardware reads such bounds where they came from.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::kernel::{Access, Array, BinaryOp, Expr, Gather, If, Loop, Node, Statement, Storage};
use crate::ids::{ArrayId, ByArray};

/// The most nodes of an expression that takes in a value in several places: without a bound, temporaries that are read
/// twice double it each.
const MOST: usize = 1000;
/// The deepest that an expression gets by it.
const DEEPEST: usize = 250;
/// The most characters of the forwarded statements in front of a statement's own text.
const LONGEST: usize = 160;

/// Local scalars, by their arrays.
type Scalars = BTreeSet<ArrayId>;

/// Replaces the temporaries in a kernel's body and removes those of `arrays` that nothing mentions any more. What
/// `beside` has for the nodes at the top goes with them.
pub fn forward<T>(nodes: &mut Vec<Node>, beside: &mut Vec<T>, arrays: &mut ByArray<Array>) {
    let is_scalar = |array: &Array| array.extents.is_empty() && matches!(array.storage, Storage::Local { .. });
    let scalars: Scalars = arrays.keys().filter(|array| is_scalar(&arrays[*array])).collect();
    if scalars.is_empty() {
        return;
    }
    let mut pass = Pass { scalars, texts: HashMap::new(), gone: 0 };
    // What has gone from a loop no longer keeps what stands before it.
    loop {
        let gone = pass.gone;
        pass.list(nodes, &Scalars::new(), Some(beside));
        if pass.gone == gone {
            break;
        }
    }
    if pass.gone == 0 {
        return;
    }
    for_each(nodes, &mut |statement| {
        if let Some(parts) = pass.texts.get(&statement.name) {
            statement.text = joined(parts, &statement.text);
        }
    });
    number_statements(nodes);
    without_unmentioned(nodes, arrays, |array| pass.scalars.contains(&array));
}

/// Removes those `of` the arrays that no statement mentions.
pub fn without_unmentioned(nodes: &mut [Node], arrays: &mut ByArray<Array>, of: impl Fn(ArrayId) -> bool) {
    let mut mentioned = BTreeSet::new();
    for_each(nodes, &mut |s| {
        mentioned.extend(s.value.reads().iter().map(|a| a.array).chain([s.target.array]));
        mentioned.extend(s.places_by_data().map(|place| place.array));
    });
    let left: Vec<ArrayId> = arrays.keys().filter(|a| mentioned.contains(a) || !of(*a)).collect();
    let places: HashMap<ArrayId, ArrayId> = left.iter().enumerate().map(|(new, old)| (*old, ArrayId(new))).collect();
    *arrays = left.iter().map(|array| arrays[*array].clone()).collect();
    for_each(nodes, &mut |s| {
        s.target.array = places[&s.target.array];
        renumber(&mut s.value, &places);
    });
}

/// Visits the statements in textual order.
pub fn for_each(nodes: &mut [Node], visit: &mut dyn FnMut(&mut Statement)) {
    for node in nodes {
        match node {
            Node::Statement(statement) => visit(statement),
            Node::Loop(Loop { body, .. }) | Node::If(If { body, .. }) => for_each(body, visit),
        }
    }
}

/// Names the statements anew, S0, S1, … in textual order.
pub fn number_statements(nodes: &mut [Node]) {
    let mut number = 0;
    for_each(nodes, &mut |statement| {
        statement.name = format!("S{number}");
        number += 1;
    });
}

fn renumber(expr: &mut Expr, places: &HashMap<ArrayId, ArrayId>) {
    match expr {
        Expr::Read { access, .. } => access.array = places[&access.array],
        Expr::Gather { gather, .. } | Expr::Scatter { place: gather, .. } => gather.array = places[&gather.array],
        _ => {}
    }
    expr.operands_mut().into_iter().for_each(|operand| renumber(operand, places));
}

/// The place of a statement in the source, and its text.
type Texts = BTreeMap<(usize, usize), String>;

/// The forwarded statements in the order of the source, the last of them where they are long, then `own`.
fn joined(parts: &Texts, own: &str) -> String {
    let mut text = own.to_string();
    let room = own.chars().count() + LONGEST;
    // `x = y = value` are two of one text.
    for part in parts.values().rev().filter(|part| *part != own) {
        if text.chars().count() + part.chars().count() > room {
            return format!("… {text}");
        }
        text = format!("{part} {text}");
    }
    text
}

struct Pass {
    scalars: Scalars,
    /// What statements have taken in, by their names.
    texts: HashMap<String, Texts>,
    /// How many statements have been replaced.
    gone: usize,
}

/// What has happened since the assignment.
#[derive(Clone, Copy, Default)]
struct Since {
    /// Something may have written what the value reads.
    is_stale: bool,
    /// The scalar may have another value, from an assignment under a condition.
    is_mixed: bool,
}

/// An assignment that may go.
struct Candidate<'a> {
    array: ArrayId,
    reads: Vec<&'a Access>,
    gathers: Vec<&'a Gather>,
    nodes: usize,
    depth: usize,
    /// How many reads of the scalar follow.
    uses: usize,
    /// An element of an array that makes the bounds of a loop.
    is_bound: bool,
}

impl Pass {
    /// Forwards in a list of statements, behind which the scalars `live` may be read, and in the lists inside.
    fn list<T>(&mut self, nodes: &mut Vec<Node>, live: &Scalars, mut beside: Option<&mut Vec<T>>) {
        let mut drop = |nodes: &mut Vec<Node>, position: usize| {
            if let Some(beside) = &mut beside {
                beside.remove(position);
            }
            nodes.remove(position)
        };
        let mut position = 0;
        while position < nodes.len() {
            match &nodes[position] {
                Node::Statement(s) if self.may_go(s, &nodes[position + 1..], live) => {
                    let Node::Statement(statement) = drop(nodes, position) else { continue };
                    self.gone += 1;
                    self.replace(&mut nodes[position..], &statement);
                }
                _ => position += 1,
            }
        }
        // What is live behind the node at `position`.
        let mut behind = live.clone();
        for position in (0..nodes.len()).rev() {
            if let Node::Loop(Loop { body, .. }) | Node::If(If { body, .. }) = &nodes[position] {
                let is_loop = matches!(&nodes[position], Node::Loop(_));
                // The next iteration reads, too.
                let inside = if is_loop { &behind | &self.live_before(body, &behind) } else { behind.clone() };
                if let Node::Loop(Loop { body, .. }) | Node::If(If { body, .. }) = &mut nodes[position] {
                    self.list::<()>(body, &inside, None);
                    if body.is_empty() {
                        drop(nodes, position);
                        continue;
                    }
                }
            }
            behind = self.live_before(&nodes[position..=position], &behind);
        }
    }

    /// The scalars that may be read before they are written, from the begin of `nodes` on, behind which `live` are.
    fn live_before(&self, nodes: &[Node], live: &Scalars) -> Scalars {
        let mut live = live.clone();
        for node in nodes.iter().rev() {
            match node {
                Node::Statement(statement) => {
                    live.remove(&statement.target.array);
                    live.extend(statement.value.reads().iter().map(|a| a.array).filter(|a| self.scalars.contains(a)));
                }
                // A body may run or not.
                Node::Loop(Loop { body, .. }) | Node::If(If { body, .. }) => {
                    let inside = self.live_before(body, &live);
                    live.extend(inside);
                }
            }
        }
        live
    }

    /// Whether `statement` may be replaced by its value in what follows it.
    fn may_go(&self, statement: &Statement, rest: &[Node], live: &Scalars) -> bool {
        let array = statement.target.array;
        if !self.scalars.contains(&array) {
            return false;
        }
        let (nodes, depth) = measure(&statement.value);
        let (reads, gathers) = (statement.value.reads(), statement.value.gathers());
        let is_bound = is_element(&statement.value) && makes_bounds(rest, array);
        let candidate = Candidate { array, reads, gathers, nodes, depth, uses: uses(rest, array), is_bound };
        // A value made of the scalar's last one stays with it.
        if candidate.reads.iter().any(|read| read.array == array) {
            return false;
        }
        match candidate.goes_into(rest, &mut Since::default()) {
            None => false,
            Some(is_over) => is_over || !live.contains(&array),
        }
    }

    /// Puts the value of `from` in place of what reads its target, up to the next assignment to it.
    fn replace(&mut self, nodes: &mut [Node], from: &Statement) -> bool {
        for node in nodes {
            match node {
                Node::Statement(statement) => {
                    if substitute(&mut statement.value, from) {
                        settle(&mut statement.value, &mut vec![]);
                        let mut texts = self.texts.get(&from.name).cloned().unwrap_or_default();
                        texts.insert((from.span.line, from.span.column), from.text.clone());
                        self.texts.entry(statement.name.clone()).or_default().extend(texts);
                    }
                    if statement.target.array == from.target.array {
                        return true;
                    }
                }
                // Behind it, nothing reads the scalar where it has been assigned inside.
                Node::If(inner) => drop(self.replace(&mut inner.body, from)),
                // Nothing but bounds goes into loops.
                Node::Loop(inner) => drop(self.replace(&mut inner.body, from)),
            }
        }
        false
    }
}

impl Candidate<'_> {
    /// Whether the scalar has another value at the end of `nodes`; `None` where something on the way keeps the assignment
    /// where it is.
    fn goes_into(&self, nodes: &[Node], since: &mut Since) -> Option<bool> {
        for node in nodes {
            match node {
                Node::Statement(statement) => {
                    let uses = statement.value.reads().iter().filter(|read| read.array == self.array).count();
                    if uses > 0 {
                        let (nodes, depth) = measure(&statement.value);
                        let is_small = self.uses == 1 || nodes + uses * self.nodes <= MOST;
                        if since.is_stale || since.is_mixed || !is_small || depth + self.depth > DEEPEST {
                            return None;
                        }
                    }
                    if statement.target.array == self.array {
                        return Some(true);
                    }
                    since.is_stale |= self.is_written(statement);
                }
                Node::If(inner) => {
                    let mut inside = *since;
                    match self.goes_into(&inner.body, &mut inside)? {
                        true => since.is_mixed = true,
                        false => since.is_mixed |= inside.is_mixed,
                    }
                    since.is_stale |= inside.is_stale;
                }
                Node::Loop(inner) if self.is_bound && !since.is_stale && !since.is_mixed => {
                    let mut inside = *since;
                    let is_over = self.goes_into(&inner.body, &mut inside)?;
                    if is_over || inside.is_stale || inside.is_mixed {
                        return None;
                    }
                }
                Node::Loop(inner) => self.passes(&inner.body, since)?,
            }
        }
        Some(false)
    }

    /// Goes by a loop, which must not have to do with the scalar.
    fn passes(&self, nodes: &[Node], since: &mut Since) -> Option<()> {
        for node in nodes {
            match node {
                Node::Statement(statement) => {
                    let Statement { target, value, .. } = statement;
                    if target.array == self.array || value.reads().iter().any(|read| read.array == self.array) {
                        return None;
                    }
                    since.is_stale |= self.is_written(statement);
                }
                Node::Loop(Loop { body, .. }) | Node::If(If { body, .. }) => self.passes(body, since)?,
            }
        }
        Some(())
    }

    /// Whether a statement may change the value: where no subscript is another one for certain.
    fn is_written(&self, statement: &Statement) -> bool {
        let target = &statement.target;
        if self.gathers.iter().any(|gather| gather.array == target.array) {
            return true;
        }
        if statement.scatter().is_some() {
            return self.reads.iter().any(|read| read.array == target.array);
        }
        self.reads.iter().filter(|read| read.array == target.array).any(|read| {
            let differences = read.subscripts.iter().zip(&target.subscripts).map(|(a, b)| a.clone() - b.clone());
            !differences.into_iter().any(|difference| difference.is_constant() && difference.constant != 0)
        })
    }
}

/// Whether a value is an element of an array as it is, or but for its type.
fn is_element(value: &Expr) -> bool {
    match value {
        Expr::Cast { operand, .. } => !operand.ty().floating && is_element(operand),
        Expr::Read { access, ty } => !ty.floating && !access.subscripts.is_empty(),
        _ => false,
    }
}

/// Whether the bounds of a loop in `nodes` are made of a scalar.
fn makes_bounds(nodes: &[Node], array: ArrayId) -> bool {
    nodes.iter().any(|node| match node {
        Node::Statement(statement) => {
            let told = statement.value.told();
            told.into_iter().flat_map(Expr::reads).any(|read| read.array == array)
        }
        Node::Loop(Loop { body, .. }) | Node::If(If { body, .. }) => makes_bounds(body, array),
    })
}

/// How often `nodes` read the scalar `array`, up to the next assignment to it.
fn uses(nodes: &[Node], array: ArrayId) -> usize {
    let mut count = 0;
    for node in nodes {
        match node {
            Node::Statement(statement) => {
                count += statement.value.reads().iter().filter(|read| read.array == array).count();
                if statement.target.array == array {
                    break;
                }
            }
            Node::Loop(Loop { body, .. }) | Node::If(If { body, .. }) => count += uses(body, array),
        }
    }
    count
}

/// Whether anything was replaced.
fn substitute(expr: &mut Expr, from: &Statement) -> bool {
    match expr {
        Expr::Read { access, .. } if access.array == from.target.array => {
            *expr = from.value.clone();
            true
        }
        _ => expr.operands_mut().into_iter().fold(false, |any, operand| substitute(operand, from) | any),
    }
}

/// Takes the choices out of an expression that are made where the same condition holds.
fn settle(expr: &mut Expr, holding: &mut Vec<Expr>) {
    while let Expr::Select { condition, then, ty, .. } = expr
        && then.ty() == *ty
        && holding.contains(condition)
    {
        let own = (**then).clone();
        *expr = own;
    }
    let known = holding.len();
    match expr {
        Expr::Select { condition, then, otherwise, .. } => {
            settle(condition, holding);
            settle(otherwise, holding);
            holds(condition, holding);
            settle(then, holding);
        }
        Expr::Scatter { only_if, value, .. } => {
            only_if.iter().for_each(|only_if| holds(only_if, holding));
            settle(value, holding);
        }
        _ => expr.operands_mut().into_iter().for_each(|operand| settle(operand, holding)),
    }
    holding.truncate(known);
}

/// Adds a condition, and those that it is made of.
fn holds(condition: &Expr, holding: &mut Vec<Expr>) {
    if let Expr::Binary { op: BinaryOp::LogicalAnd, left, right, .. } = condition {
        holds(left, holding);
        holds(right, holding);
    }
    holding.push(condition.clone());
}

/// How many nodes an expression has, and how many levels.
fn measure(expr: &Expr) -> (usize, usize) {
    let parts = expr.operands().into_iter().map(measure);
    let (nodes, depth) = parts.fold((0, 0), |(n, d), (nodes, depth)| (n + nodes, d.max(depth)));
    (nodes + 1, depth + 1)
}
