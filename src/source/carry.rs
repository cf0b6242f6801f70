//! Counters that carry, on C's own tree: of `j++; if (j == M) { j = 0; i++; }` in a loop that counts from 0 with `t`, j is `t % M` and i
//! `t / M`, and behind these statements they are `(t + 1) % M` and `(t + 1) / M`; three that carry into each other likewise. Quotients and
//! remainders are what the rest reads as rows and columns.
//!
//! That M is 1 at least must be certain: it is a constant, or a factor of the number of iterations. What begins with
//! something else than 0, or is read behind the loop, stays as it is.

use lang_c::ast::{
    BinaryOperator, BlockItem, Declaration, Expression, ExternalDeclaration, ForInitializer, ForStatement, IfStatement,
    Statement, TranslationUnit,
};
use lang_c::span::{Node, Span};

use super::breaks::is_read_behind;
use super::canonical::{has_jump, names_in, start};
use super::counters::replace;
use super::flat::constant;
use super::function::identifier;
use super::known::{Declared, changed};
use super::left::step_of;
use super::loops::steps;
use super::nest::{is_name, operation};
use super::plain::{binary, block, factors, inside_out, listed, moved, number, variable};
use super::types::Types;

/// Rewrites the bodies of all functions.
pub fn carry(unit: &mut TranslationUnit, types: &Types) {
    for external in &mut unit.0 {
        if let ExternalDeclaration::FunctionDefinition(function) = &mut external.node {
            let declared = Declared::of(&function.node, types);
            let whole = function.node.statement.clone();
            let carry = Carry { declared, whole };
            inside_out(&mut function.node.statement, &[], &|node, before| {
                if let Some(other) = carry.rewritten(node, before) {
                    *node = other;
                }
            });
        }
    }
}

/// A counter that comes round, and where.
struct Wheel {
    name: String,
    length: Node<Expression>,
}

/// Counters of which each counts the rounds of the one before.
struct Train {
    wheels: Vec<Wheel>,
    /// The last, which does not come round.
    last: String,
}

struct Carry {
    declared: Declared,
    /// The function's body as it was.
    whole: Node<Statement>,
}

/// The counter of all iterations.
struct Flat {
    name: String,
    /// The item of the body that steps it, if the head does not.
    position: Option<usize>,
    /// How many iterations there are at most.
    end: Node<Expression>,
}

impl Carry {
    /// `before` stands in the same block.
    fn rewritten(&self, node: &Node<Statement>, before: &[Node<BlockItem>]) -> Option<Node<Statement>> {
        let mut node = node.clone();
        let span = node.span;
        let (flat, body) = match &node.node {
            Statement::For(f) => (flat_of(&f.node)?, &f.node.statement),
            Statement::While(w) => (flat_among(&w.node.expression, &w.node.statement, before)?, &w.node.statement),
            _ => return None,
        };
        let Statement::Compound(items) = &body.node else { return None };
        if has_jump(body) {
            return None;
        }
        let mut items = items.clone();
        let head = match &node.node {
            Statement::For(f) => {
                f.node.step.as_deref().map(|step| steps(step)).unwrap_or_default().into_iter().cloned().collect()
            }
            _ => vec![],
        };
        let (train, from, count, is_first) = found(&items, &head)?;
        // Nothing else changes them, or what their lengths name.
        let mut others = items.clone();
        others.drain(from..from + count);
        if is_first
            && let Some(last) = others.last()
            && steps_by_one(last, &train.wheels[0].name)
        {
            others.pop();
            items.pop();
        }
        let elsewhere = changed(&block(others, span));
        let names: Vec<&String> = train.wheels.iter().map(|wheel| &wheel.name).chain([&train.last]).collect();
        let lengths = train.wheels.iter().flat_map(|wheel| names_in(&wheel.length));
        let all = changed(body);
        let flat_is_own = all.iter().filter(|own| **own == flat.name).count() == usize::from(flat.position.is_some());
        let is_certain = |wheel: &Wheel| {
            constant(&wheel.length).is_some_and(|length| length >= 1)
                || variable(&wheel.length)
                    .is_some_and(|name| factors(&flat.end).into_iter().any(|own| is_name(own, name)))
        };
        let signed: Vec<bool> =
            names.iter().copied().chain([&flat.name]).map(|name| self.declared.is_signed(name)).collect();
        if names.iter().any(|name| elsewhere.contains(name) || **name == flat.name || names_in(&flat.end).contains(name))
            || lengths.into_iter().any(|name| all.contains(&name))
            || !flat_is_own
            || !train.wheels.iter().all(is_certain)
            || signed.windows(2).any(|pair| pair[0] != pair[1])
            // Shorter ones may come round before they are as long as their wheel.
            || names.iter().copied().chain([&flat.name]).any(|name| !self.declared.has_bits(name, 32))
            || names.iter().any(|name| self.declared.has_address(name))
        {
            return None;
        }
        let firsts: Vec<Node<Expression>> =
            names.iter().map(|name| first_of(&node, name, before)).collect::<Option<_>>()?;
        let (last_first, wheel_firsts) = firsts.split_last()?;
        let started = names_in(last_first);
        if wheel_firsts.iter().any(|first| constant(first) != Some(0)) || started.iter().any(|name| all.contains(name))
        {
            return None;
        }
        let is_own = |name: &str| matches!(&node.node, Statement::For(f) if matches!(&f.node.initializer.node, ForInitializer::Declaration(d) if declares(&d.node, name)));
        if names.iter().any(|name| !is_own(name) && is_read_behind(&self.whole, name, span)) {
            return None;
        }
        // The iterations that are over where an item stands.
        let over = |k: usize| {
            let stepped = i64::from(flat.position.is_some_and(|position| k > position));
            let carried = i64::from(k >= from + count && !is_first);
            carried - stepped
        };
        let mut done = vec![];
        for (k, item) in items.into_iter().enumerate() {
            if (from..from + count).contains(&k) {
                continue;
            }
            let mut own = block(vec![item], span);
            let values = train.values(&moved(&flat.name, over(k), span), last_first, span);
            for (name, value) in &values {
                if !replace(&mut own, name, value) {
                    return None;
                }
            }
            if let Statement::Compound(mut items) = own.node {
                done.append(&mut items);
            }
        }
        let body = Box::new(block(done, body.span));
        match &mut node.node {
            Statement::For(f) => {
                f.node.statement = body;
                without(&mut f.node, &names.iter().map(|name| (*name).clone()).collect::<Vec<_>>());
            }
            Statement::While(w) => w.node.statement = body,
            _ => return None,
        }
        Some(node)
    }
}

impl Train {
    /// What the counters are after `over` iterations.
    fn values(&self, over: &Node<Expression>, first: &Node<Expression>, span: Span) -> Vec<(String, Node<Expression>)> {
        let mut values = vec![];
        let mut rounds = over.clone();
        for wheel in &self.wheels {
            let both = |operator| binary(operator, rounds.clone(), wheel.length.clone(), span);
            values.push((wheel.name.clone(), both(BinaryOperator::Modulo)));
            rounds = both(BinaryOperator::Divide);
        }
        let last = match constant(first) {
            Some(0) => rounds,
            _ => binary(BinaryOperator::Plus, first.clone(), rounds, span),
        };
        values.push((self.last.clone(), last));
        values
    }
}

/// `t` of `for (t = 0; t < n; t++)`.
fn flat_of(f: &ForStatement) -> Option<Flat> {
    let (operator, o) = operation(f.condition.as_deref()?)?;
    let name = variable(&o.lhs).filter(|_| operator == BinaryOperator::Less)?;
    let stepped = steps(f.step.as_deref()?).into_iter().filter(|step| step_of(step, name) == Some(1)).count();
    let first = begun_by(f, name)?;
    (stepped == 1 && constant(&first) == Some(0)).then(|| Flat {
        name: name.into(),
        position: None,
        end: (*o.rhs).clone(),
    })
}

/// `t` of `t = 0; while (t < n) { …; t++; … }`.
fn flat_among(condition: &Node<Expression>, body: &Node<Statement>, before: &[Node<BlockItem>]) -> Option<Flat> {
    let (operator, o) = operation(condition)?;
    let name = variable(&o.lhs).filter(|_| operator == BinaryOperator::Less)?;
    let Statement::Compound(items) = &body.node else { return None };
    let position = items.iter().position(|item| steps_by_one(item, name))?;
    (constant(&start_value(name, before)?) == Some(0)).then(|| Flat {
        name: name.into(),
        position: Some(position),
        end: (*o.rhs).clone(),
    })
}

/// The value that a variable gets last in front of a loop.
fn start_value(name: &str, before: &[Node<BlockItem>]) -> Option<Node<Expression>> {
    let first = start(name, &mut before.to_vec())?;
    operation(&first).map(|(_, o)| (*o.rhs).clone())
}

/// The value with which a loop begins a variable.
fn first_of(node: &Node<Statement>, name: &str, before: &[Node<BlockItem>]) -> Option<Node<Expression>> {
    match &node.node {
        Statement::For(f) => begun_by(&f.node, name).or_else(|| start_value(name, before)),
        _ => start_value(name, before),
    }
}

fn begun_by(f: &ForStatement, name: &str) -> Option<Node<Expression>> {
    match &f.initializer.node {
        ForInitializer::Expression(first) => steps(first).into_iter().find_map(|part| match operation(part)? {
            (BinaryOperator::Assign, o) if is_name(&o.lhs, name) => Some((*o.rhs).clone()),
            _ => None,
        }),
        ForInitializer::Declaration(declaration) => declaration.node.declarators.iter().find_map(|d| {
            let own = identifier(&d.node.declarator.node)?;
            match &d.node.initializer.as_ref()?.node {
                lang_c::ast::Initializer::Expression(first) if own.node.name == name => Some((**first).clone()),
                _ => None,
            }
        }),
        _ => None,
    }
}

fn declares(declaration: &Declaration, name: &str) -> bool {
    let names = declaration.declarators.iter().filter_map(|d| identifier(&d.node.declarator.node));
    names.into_iter().any(|own| own.node.name == name)
}

/// Takes variables out of a loop's head.
fn without(f: &mut ForStatement, names: &[String]) {
    let keeps =
        |part: &Node<Expression>| !names_in(part).iter().any(|name| names.contains(name) && is_changed(part, name));
    match &mut f.initializer.node {
        ForInitializer::Expression(first) => **first = joined(first, &keeps),
        ForInitializer::Declaration(declaration) => declaration
            .node
            .declarators
            .retain(|d| identifier(&d.node.declarator.node).is_none_or(|own| !names.contains(&own.node.name))),
        _ => {}
    }
    if let Some(step) = &mut f.step {
        **step = joined(step, &keeps);
    }
}

fn is_changed(part: &Node<Expression>, name: &str) -> bool {
    super::loops::is_step(part, name)
}

/// The parts of a comma expression that are kept, of which there is one at least.
fn joined(node: &Node<Expression>, keeps: &dyn Fn(&Node<Expression>) -> bool) -> Node<Expression> {
    let mut parts: Vec<Node<Expression>> = steps(node).into_iter().filter(|part| keeps(part)).cloned().collect();
    match parts.len() {
        1 => parts.remove(0),
        _ => Node::new(Expression::Comma(Box::new(parts)), node.span),
    }
}

fn steps_by_one(item: &Node<BlockItem>, name: &str) -> bool {
    matches!(&item.node, BlockItem::Statement(Node { node: Statement::Expression(Some(step)), .. }) if step_of(step, name) == Some(1))
}

/// The variable that `j++;` steps.
fn stepped(item: &Node<BlockItem>) -> Option<String> {
    let BlockItem::Statement(Node { node: Statement::Expression(Some(step)), .. }) = &item.node else { return None };
    names_in(step).into_iter().find(|name| step_of(step, name) == Some(1))
}

/// The counters that carry in a body, where the statements for it begin and how many there are, and whether they are those in front of all
/// others: then what comes round is stepped at the end.
fn found(items: &[Node<BlockItem>], head: &[Node<Expression>]) -> Option<(Train, usize, usize, bool)> {
    for k in 0..items.len() {
        // `j++; if (j == M) { j = 0; i++; }`
        if let Some(name) = stepped(&items[k])
            && let Some((train, count)) = carries(&items[k + 1..], &name)
        {
            return Some((train, k, 1 + count, false));
        }
        // `if (j == M - 1) { j = 0; i++; } else j++;`
        if let BlockItem::Statement(Node { node: Statement::If(branch), .. }) = &items[k].node
            && let Some(otherwise) = &branch.node.else_statement
            && let [only] = &listed(otherwise)[..]
            && let Some(name) = stepped(only)
        {
            let IfStatement { condition, then_statement, .. } = &branch.node;
            let (operator, o) = operation(condition)?;
            let is_last = is_name(&o.lhs, &name) && operator == BinaryOperator::Equals;
            let length = one_more(&o.rhs).filter(|_| is_last)?;
            let (mut wheels, last) = carried(then_statement, &name)?;
            wheels.insert(0, Wheel { name, length });
            return Some((Train { wheels, last }, k, 1, false));
        }
    }
    // In front, of what the head steps, or the last statement.
    let last = items.last().and_then(stepped);
    let names = head
        .iter()
        .filter_map(|step| names_in(step).into_iter().find(|name| step_of(step, name) == Some(1)))
        .chain(last);
    for name in names {
        if let Some((train, count)) = carries(items, &name) {
            return Some((train, 0, count, true));
        }
    }
    None
}

/// The counters from `name` on that the first statements carry into each other, and how many statements those are.
fn carries(items: &[Node<BlockItem>], name: &str) -> Option<(Train, usize)> {
    let (wheel, then) = comes_round(items.first()?, name)?;
    let (mut wheels, mut last) = carried(then, name)?;
    wheels.insert(0, wheel);
    let mut count = 1;
    // One behind the other instead of one in the other.
    while let Some((wheel, then)) = items.get(count).and_then(|item| comes_round(item, &last)) {
        let Some((mut more, next)) = carried(then, &last) else { break };
        wheels.push(wheel);
        wheels.append(&mut more);
        (last, count) = (next, count + 1);
    }
    Some((Train { wheels, last }, count))
}

/// `M` of `if (j == M) { … }`, and what is done then.
fn comes_round<'i>(item: &'i Node<BlockItem>, name: &str) -> Option<(Wheel, &'i Node<Statement>)> {
    let BlockItem::Statement(Node { node: Statement::If(branch), .. }) = &item.node else { return None };
    let IfStatement { condition, then_statement, else_statement } = &branch.node;
    let (operator, o) = operation(condition)?;
    let is_end = matches!(operator, BinaryOperator::Equals | BinaryOperator::GreaterOrEqual) && is_name(&o.lhs, name);
    let is_plain = constant(&o.rhs).is_some() || variable(&o.rhs).is_some();
    (is_end && is_plain && else_statement.is_none())
        .then(|| (Wheel { name: name.to_string(), length: (*o.rhs).clone() }, &**then_statement))
}

/// What `{ j = 0; i++; }` carries into, with the counters in between.
fn carried(node: &Node<Statement>, name: &str) -> Option<(Vec<Wheel>, String)> {
    let items = listed(node);
    let position = items.iter().position(|item| match &item.node {
        BlockItem::Statement(Node { node: Statement::Expression(Some(first)), .. }) => {
            matches!(operation(first), Some((BinaryOperator::Assign, o)) if is_name(&o.lhs, name) && constant(&o.rhs) == Some(0))
        }
        _ => false,
    })?;
    let mut others = items.clone();
    others.remove(position);
    let next = stepped(others.first()?).filter(|next| next != name)?;
    match &others[1..] {
        [] => Some((vec![], next)),
        more => {
            let (train, count) = carries(more, &next)?;
            (count == more.len()).then_some((train.wheels, train.last))
        }
    }
}

/// `M` of `M - 1`, or one more than a constant.
fn one_more(node: &Node<Expression>) -> Option<Node<Expression>> {
    if let Some(value) = constant(node) {
        return Some(number(&value.checked_add(1)?.to_string(), node.span));
    }
    match operation(node)? {
        (BinaryOperator::Minus, o) if constant(&o.rhs) == Some(1) && variable(&o.lhs).is_some() => {
            Some((*o.lhs).clone())
        }
        _ => None,
    }
}
