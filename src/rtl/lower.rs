//! From a module as it was built to one that can be printed as it stands.
//!
//! 1. Statements whose conditions are constant lose the branches that cannot be taken.
//! 2. Equal subexpressions become one node.
//! 3. Sign and zero extension become concatenations, and selections of bits move inwards as far as nothing is computed
//!    twice, so that what is selected from is a signal, or an expression which needs a wire of its own.

use std::collections::{HashMap, HashSet};

use super::expr::{Binary, Expr, Op};
use super::module::{Connection, Item, Label, Module, Signal, Statement};
use super::types::Type;

/// The items of `module`, lowered. A combinational block that reads nothing becomes assignments: simulators would
/// never start it.
pub(super) fn lower(module: &Module) -> Vec<Item> {
    let mut items = lower_once(&module.items);
    // A factor that has become constant turns a product into shifts and extensions, which are lowered in turn; and
    // equal operands that were found last may have settled a condition.
    while contains_extension(&items) || contains_constant_condition(&items) {
        items = lower_once(&items);
    }
    items
}

fn lower_once(items: &[Item]) -> Vec<Item> {
    let folded: Vec<Item> = items.iter().flat_map(fold_item).collect();

    let mut interner = Interner::default();
    let interned = map_items(&folded, &mut |e| interner.intern(e));
    let mut uses: HashMap<*const (), Uses> = HashMap::new();
    let mut counted = HashSet::new();
    for_each_expression(&interned, &mut |e| {
        uses.entry(strip(e).id()).or_default().whole += 1;
        count_uses(e, &mut uses, &mut counted);
    });
    let mut simplifier = Simplifier { uses, memo: HashMap::new(), slices: HashMap::new() };
    let simplified = map_items(&interned, &mut |e| simplifier.simplify(e));
    // What has become constant since may settle more conditions.
    let folded: Vec<Item> = simplified.iter().flat_map(fold_item).collect();
    let mut interner = Interner::default();
    map_items(&folded, &mut |e| interner.intern(e))
}

fn contains_extension(items: &[Item]) -> bool {
    let mut found = false;
    let mut visited = HashSet::new();
    for_each_expression(items, &mut |e| {
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            if visited.insert(e.id()) {
                found |= matches!(e.op(), Op::Extend(_));
                open.extend(e.operands());
            }
        }
    });
    found
}

fn contains_constant_condition(items: &[Item]) -> bool {
    fn constant(statement: &Statement) -> bool {
        match statement {
            Statement::Assign(..) | Statement::Comment(_) => false,
            Statement::If { condition, then, otherwise } => {
                condition.as_constant().is_some() || then.iter().any(constant) || otherwise.iter().any(constant)
            }
            Statement::Case { subject, arms, default } => {
                let mut bodies = arms.iter().map(|(_, body)| body).chain([default]);
                subject.as_constant().is_some() || bodies.any(|body| body.iter().any(constant))
            }
        }
    }
    items.iter().any(|item| match item {
        Item::Clocked { body, .. } | Item::Combinational { body, .. } => body.iter().any(constant),
        _ => false,
    })
}

/// The expression below casts, which change no bits.
pub(super) fn strip(e: &Expr) -> &Expr {
    match e.op() {
        Op::Cast(inner) => strip(inner),
        _ => e,
    }
}

fn fold_item(item: &Item) -> Vec<Item> {
    match item {
        Item::Clocked { comment, resets, body } => {
            vec![Item::Clocked { comment: comment.clone(), resets: resets.clone(), body: fold(body) }]
        }
        Item::Combinational { comment, body } => {
            let body = fold(body);
            match constant_assignments(&body) {
                Some(assignments) if comment.is_empty() => assignments,
                Some(assignments) => [vec![Item::Comment(comment.clone())], assignments].concat(),
                None => vec![Item::Combinational { comment: comment.clone(), body }],
            }
        }
        other => vec![other.clone()],
    }
}

/// Statements without those that do nothing or can never run.
fn fold(statements: &[Statement]) -> Vec<Statement> {
    statements.iter().flat_map(fold_statement).collect()
}

fn fold_statement(statement: &Statement) -> Vec<Statement> {
    match statement {
        Statement::Assign(..) | Statement::Comment(_) => vec![statement.clone()],
        Statement::If { condition, then, otherwise } => match condition.as_constant() {
            Some(0) => fold(otherwise),
            Some(_) => fold(then),
            None => match (fold(then), fold(otherwise)) {
                (then, otherwise) if then.is_empty() && otherwise.is_empty() => vec![],
                (then, otherwise) if then.is_empty() => {
                    vec![Statement::If { condition: condition.not(), then: otherwise, otherwise: vec![] }]
                }
                (then, otherwise) => vec![Statement::If { condition: condition.clone(), then, otherwise }],
            },
        },
        Statement::Case { subject, arms, default } => match subject.as_constant() {
            Some(value) => {
                let taken = arms.iter().find(|(labels, _)| labels.iter().any(|label| label.value() == Some(value)));
                fold(taken.map_or(default, |(_, body)| body))
            }
            None if arms.is_empty() => fold(default),
            None => {
                let arms = arms.iter().map(|(labels, body)| (labels.clone(), fold(body))).collect();
                merge(subject, arms, fold(default))
            }
        },
    }
}

/// A case whose arms differ: what all do at their beginning or end stands around it, arms that do the same are one, and
/// where all ask the same question, that is asked first.
fn merge(subject: &Expr, arms: Vec<(Vec<Label>, Vec<Statement>)>, default: Vec<Statement>) -> Vec<Statement> {
    let (labels, mut bodies): (Vec<Vec<Label>>, Vec<Vec<Statement>>) = arms.into_iter().unzip();
    bodies.push(default);
    let (mut before, mut after) = (vec![], vec![]);
    while bodies[0].first().is_some_and(|first| bodies.iter().all(|body| body.first() == Some(first))) {
        before.push(bodies[0][0].clone());
        bodies.iter_mut().for_each(|body| drop(body.remove(0)));
    }
    while bodies[0].last().is_some_and(|last| bodies.iter().all(|body| body.last() == Some(last))) {
        after.extend(bodies[0].last().cloned());
        bodies.iter_mut().for_each(|body| drop(body.pop()));
    }
    after.reverse();
    let question = match &bodies[0][..] {
        [Statement::If { condition, .. }] => Some(condition.clone()),
        _ => None,
    };
    let branches = |body: &Vec<Statement>| match &body[..] {
        [Statement::If { condition, then, otherwise }] if Some(condition) == question.as_ref() => {
            Some((then.clone(), otherwise.clone()))
        }
        _ => None,
    };
    let inside = match (&question, bodies.iter().map(branches).collect::<Option<Vec<_>>>()) {
        (Some(condition), Some(branches)) => {
            let (mut then, mut otherwise): (Vec<_>, Vec<_>) = branches.into_iter().unzip();
            let case = |bodies: &mut Vec<Vec<Statement>>| {
                let default = bodies.pop().expect("there is a default");
                merge(subject, labels.iter().cloned().zip(bodies.drain(..)).collect(), default)
            };
            let (then, otherwise) = (case(&mut then), case(&mut otherwise));
            vec![Statement::If { condition: condition.clone(), then, otherwise }]
        }
        _ => {
            let default = bodies.pop().expect("there is a default");
            let mut arms: Vec<(Vec<Label>, Vec<Statement>)> = vec![];
            for (labels, body) in labels.into_iter().zip(bodies).filter(|(_, body)| *body != default) {
                match arms.iter_mut().find(|(_, other)| *other == body) {
                    Some((others, _)) => others.extend(labels),
                    None => arms.push((labels, body)),
                }
            }
            match arms.is_empty() {
                true => default,
                false => vec![Statement::Case { subject: subject.clone(), arms, default }],
            }
        }
    };
    [before, inside, after].concat()
}

/// The block as assignments, if it is nothing but assignments that read no signal. The last one of a target counts.
fn constant_assignments(body: &[Statement]) -> Option<Vec<Item>> {
    let mut assignments: Vec<Item> = vec![];
    for statement in body {
        match statement {
            Statement::Assign(target, value) if !reads_signal(value) => {
                assignments.retain(|item| !matches!(item, Item::Assign(earlier, _) if earlier.same(target)));
                assignments.push(Item::Assign(target.clone(), value.clone()));
            }
            Statement::Comment(text) => assignments.push(Item::Comment(text.clone())),
            _ => return None,
        }
    }
    Some(assignments)
}

fn reads_signal(e: &Expr) -> bool {
    matches!(e.op(), Op::Signal(_)) || e.operands().into_iter().any(reads_signal)
}

/// The same items with `change` applied to every expression.
fn map_items(items: &[Item], change: &mut impl FnMut(&Expr) -> Expr) -> Vec<Item> {
    items
        .iter()
        .map(|item| match item {
            Item::Assign(target, value) => Item::Assign(target.clone(), change(value)),
            Item::Clocked { comment, resets, body } => {
                Item::Clocked { comment: comment.clone(), resets: resets.clone(), body: map_body(body, change) }
            }
            Item::Combinational { comment, body } => {
                Item::Combinational { comment: comment.clone(), body: map_body(body, change) }
            }
            Item::Instance(instance) => {
                let mut instance = instance.clone();
                for (_, connection) in &mut instance.ports {
                    if let Connection::In(value) = connection {
                        *value = change(value);
                    }
                }
                Item::Instance(instance)
            }
            other => other.clone(),
        })
        .collect()
}

fn map_body(body: &[Statement], change: &mut impl FnMut(&Expr) -> Expr) -> Vec<Statement> {
    body.iter()
        .map(|statement| match statement {
            Statement::Assign(target, value) => Statement::Assign(target.clone(), change(value)),
            Statement::If { condition, then, otherwise } => Statement::If {
                condition: change(condition),
                then: map_body(then, change),
                otherwise: map_body(otherwise, change),
            },
            Statement::Case { subject, arms, default } => Statement::Case {
                subject: change(subject),
                arms: arms.iter().map(|(labels, body)| (labels.clone(), map_body(body, change))).collect(),
                default: map_body(default, change),
            },
            Statement::Comment(_) => statement.clone(),
        })
        .collect()
}

/// Calls `visit` with every expression of the items, labels excepted.
fn for_each_expression(items: &[Item], visit: &mut impl FnMut(&Expr)) {
    map_items(items, &mut |e| {
        visit(e);
        e.clone()
    });
}

/// How often a node stands as an operand, casts aside.
#[derive(Clone, Copy, Default)]
struct Uses {
    whole: u32,
    /// Uses that select bits of it, and the highest bit that they select.
    sliced: u32,
    highest: u32,
}

/// Counts the uses of the nodes inside `e`. The sign extension of a value reads it twice.
fn count_uses(e: &Expr, uses: &mut HashMap<*const (), Uses>, counted: &mut HashSet<*const ()>) {
    let e = strip(e);
    if !counted.insert(e.id()) {
        return;
    }
    let weight = if matches!(e.op(), Op::Extend(inner) if inner.ty().signed) { 2 } else { 1 };
    for operand in e.operands() {
        let of_operand = uses.entry(strip(operand).id()).or_default();
        match e.op() {
            Op::Slice(_, high, _) => {
                of_operand.sliced += 1;
                of_operand.highest = of_operand.highest.max(*high);
            }
            _ => of_operand.whole += weight,
        }
        count_uses(operand, uses, counted);
    }
}

/// Makes equal expressions one node.
#[derive(Default)]
struct Interner {
    /// Operands are interned before what they are operands of, so that comparing looks at one level.
    nodes: HashSet<Expr>,
    /// Results by node; the node is kept so that its address stays its own.
    memo: HashMap<*const (), (Expr, Expr)>,
}

impl Interner {
    fn intern(&mut self, e: &Expr) -> Expr {
        if let Some((_, done)) = self.memo.get(&e.id()) {
            return done.clone();
        }
        let operands: Vec<Expr> = e.operands().into_iter().map(|operand| self.intern(operand)).collect();
        let candidate = if operands.is_empty() { e.clone() } else { e.with_operands(&operands) };
        let done = match self.nodes.get(&candidate) {
            Some(known) => known.clone(),
            None => {
                self.nodes.insert(candidate.clone());
                candidate
            }
        };
        self.memo.insert(e.id(), (e.clone(), done.clone()));
        done
    }
}

/// Rewrites interned expressions; see the head of the file.
struct Simplifier {
    uses: HashMap<*const (), Uses>,
    memo: HashMap<*const (), Expr>,
    slices: HashMap<(*const (), u32, u32), Expr>,
}

impl Simplifier {
    fn simplify(&mut self, e: &Expr) -> Expr {
        if let Some(done) = self.memo.get(&e.id()) {
            return done.clone();
        }
        let done = match e.op() {
            Op::Slice(inner, high, low) => self.slice(inner, *high, *low),
            Op::Extend(inner) => self.extend(inner, e.ty()),
            _ => {
                let operands: Vec<Expr> = e.operands().into_iter().map(|operand| self.simplify(operand)).collect();
                if operands.is_empty() { e.clone() } else { e.with_operands(&operands) }
            }
        };
        self.memo.insert(e.id(), done.clone());
        done
    }

    fn extend(&mut self, inner: &Expr, ty: Type) -> Expr {
        let missing = ty.width - inner.width();
        let value = self.simplify(inner);
        if let Some(known) = value.known_value().filter(|_| inner.ty().signed) {
            return Expr::constant(known, Type::signed(ty.width)).resize(ty);
        }
        let fill = if inner.ty().signed {
            self.slice(inner, inner.width() - 1, inner.width() - 1).replicate(missing)
        } else {
            Expr::constant(0, Type::unsigned(missing))
        };
        Expr::concat(&[fill, value]).resize(ty)
    }

    /// Bits `high` to `low` of `e`, simplified and unsigned.
    fn slice(&mut self, e: &Expr, high: u32, low: u32) -> Expr {
        let e = strip(e);
        if let Some(done) = self.slices.get(&(e.id(), high, low)) {
            return done.clone();
        }
        let done = if high - low + 1 == e.width() {
            self.simplify(e).resize(Type::unsigned(e.width()))
        } else {
            self.part(e, high, low)
        };
        self.slices.insert((e.id(), high, low), done.clone());
        done
    }

    fn part(&mut self, e: &Expr, high: u32, low: u32) -> Expr {
        let uses = self.uses.get(&e.id()).copied().unwrap_or_default();
        let mut shared = uses.whole + uses.sliced > 1;
        let ty = Type::unsigned(high - low + 1);
        // Where everybody selects from the low bits, those are all that is computed.
        if shared && uses.whole == 0 && uses.highest + 1 < e.width() {
            if (high, low) != (uses.highest, 0) {
                return self.slice(e, uses.highest, 0).slice(high, low);
            }
            shared = false;
        }
        match e.op() {
            Op::Parameter(parameter) => Expr::constant(parameter.value(), parameter.ty()).slice(high, low),
            Op::Slice(inner, _, offset) => self.slice(inner, high + offset, low + offset),
            Op::Concat(parts) => self.pieces(parts, high, low),
            Op::Replicate(n, inner) => self.pieces(&vec![inner.clone(); *n as usize], high, low),
            Op::Extend(inner) => self.extended(inner, high, low),
            Op::ShiftRight(inner, amount) if amount.as_constant().is_some() => {
                let n = constant_amount(amount);
                self.extended(inner, high + n, low + n)
            }
            Op::ShiftLeft(inner, amount) if amount.as_constant().is_some() => {
                let n = constant_amount(amount);
                if high < n {
                    Expr::constant(0, ty)
                } else if low >= n {
                    self.slice(inner, high - n, low - n)
                } else {
                    Expr::concat(&[self.slice(inner, high - n, 0), Expr::constant(0, Type::unsigned(n - low))])
                }
            }
            Op::Not(inner) if !shared => self.slice(inner, high, low).not(),
            Op::Binary(operator @ (Binary::And | Binary::Or | Binary::Xor), a, b) if !shared => {
                self.slice(a, high, low).binary(*operator, &self.slice(b, high, low), ty)
            }
            Op::Select(condition, then, otherwise) if !shared => {
                let condition = self.simplify(condition);
                condition.select(&self.slice(then, high, low), &self.slice(otherwise, high, low))
            }
            // The low bits of a result need only the low bits of the operands.
            Op::Negate(_) | Op::Binary(..) | Op::Multiply(..) | Op::ShiftLeft(..)
                if !shared && high + 1 < e.width() =>
            {
                let narrow = Type::unsigned(high + 1);
                let result = match e.op() {
                    Op::Negate(inner) => self.slice(inner, high, 0).neg(narrow),
                    Op::Binary(operator, a, b) => {
                        self.slice(a, high, 0).binary(*operator, &self.slice(b, high, 0), narrow)
                    }
                    Op::Multiply(a, b) => self.low(a, high).mul(&self.low(b, high), narrow),
                    Op::ShiftLeft(value, amount) => {
                        let amount = self.simplify(amount);
                        self.slice(value, high, 0).shl(&amount, narrow)
                    }
                    _ => unreachable!("the pattern names these"),
                };
                result.slice(high, low)
            }
            _ => self.simplify(e).slice(high, low),
        }
    }

    /// `e` cut to bits `high` to 0 if it has more.
    fn low(&mut self, e: &Expr, high: u32) -> Expr {
        if e.width() > high + 1 { self.slice(e, high, 0) } else { self.simplify(e) }
    }

    /// Bits of a concatenation.
    fn pieces(&mut self, parts: &[Expr], high: u32, low: u32) -> Expr {
        let mut pieces = vec![];
        let mut offset = 0;
        for part in parts.iter().rev() {
            let (first, last) = (offset, offset + part.width() - 1);
            if first <= high && low <= last {
                pieces.insert(0, self.slice(part, high.min(last) - first, low.max(first) - first));
            }
            offset += part.width();
        }
        Expr::concat(&pieces)
    }

    /// Bits of `inner` extended without end by its own sign.
    fn extended(&mut self, inner: &Expr, high: u32, low: u32) -> Expr {
        let width = inner.width();
        if high < width {
            return self.slice(inner, high, low);
        }
        let missing = high - low.max(width) + 1;
        let fill = if inner.ty().signed {
            self.slice(inner, width - 1, width - 1).replicate(missing)
        } else {
            Expr::constant(0, Type::unsigned(missing))
        };
        if low >= width { fill } else { Expr::concat(&[fill, self.slice(inner, width - 1, low)]) }
    }
}

fn constant_amount(amount: &Expr) -> u32 {
    amount.as_constant().and_then(|n| n.try_into().ok()).expect("shifts by constants are below the width")
}

/// Calls `visit` with every expression of the statements, labels excepted, with the target where it is assigned.
pub(super) fn visit_statements<'a>(statements: &'a [Statement], visit: &mut impl FnMut(&'a Expr, Option<&'a Signal>)) {
    for statement in statements {
        match statement {
            Statement::Assign(target, value) => visit(value, Some(target)),
            Statement::If { condition, then, otherwise } => {
                visit(condition, None);
                visit_statements(then, visit);
                visit_statements(otherwise, visit);
            }
            Statement::Case { subject, arms, default } => {
                visit(subject, None);
                for (_, body) in arms {
                    visit_statements(body, visit);
                }
                visit_statements(default, visit);
            }
            Statement::Comment(_) => {}
        }
    }
}

/// The named constants among the labels of the statements' cases, with the case's subject.
pub(super) fn visit_labels<'a>(statements: &'a [Statement], visit: &mut impl FnMut(&'a Label, &'a Expr)) {
    for statement in statements {
        match statement {
            Statement::If { then, otherwise, .. } => {
                visit_labels(then, visit);
                visit_labels(otherwise, visit);
            }
            Statement::Case { subject, arms, default } => {
                for (labels, body) in arms {
                    labels.iter().for_each(|label| visit(label, subject));
                    visit_labels(body, visit);
                }
                visit_labels(default, visit);
            }
            Statement::Assign(..) | Statement::Comment(_) => {}
        }
    }
}
