//! The values that counters have behind their loops, on C's own tree: `for (i = 0; i + 4 <= n; i += 4) …` leaves
//! `i_end = 0 + 4 <= n ? (n - 4 + 1 + 3) / 4 * 4 : 0`, and what reads `i` behind it in the same block, up to the next value,
//! reads that. A loop that goes on from there, `for (; i < n; i++)`, begins with it.
//!
//! The body must leave the counter and what the head names alone, and must not jump out.

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    BinaryOperator, BlockItem, ConditionalExpression, Declaration, DeclarationSpecifier, Expression, ForInitializer,
    ForStatement, Identifier, Initializer, Statement, TranslationUnit, TypeSpecifier, UnaryOperator,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::canonical::{has_jump, names_in};
use super::counters::{declaration, named, replace};
use super::exits::conjuncts;
use super::function::identifier;
use super::kernel::ScalarType;
use super::known::cast;
use super::nest::{counts, is_name, operation, target_of};
use super::plain::{binary, bodies, inner, number, subscripted, variable};
use super::program::Changed;
use super::structs::constant;
use super::types::is_typedef;

/// Rewrites the bodies of all functions.
pub fn left(unit: &mut TranslationUnit) {
    for body in bodies(unit) {
        let mut names = Names::default();
        names.visit_statement(&body.node, &body.span);
        begin_heads(body);
        statement(body, &mut names);
    }
}

/// Puts what stands before a loop into a head that begins nothing: `int i = 0; for (; i < n; i++) …` has `i = 0` in its head, too.
fn begin_heads(node: &mut Node<Statement>) {
    let Statement::Compound(items) = &mut node.node else {
        return inner(&mut node.node).into_iter().for_each(begin_heads);
    };
    for k in 0..items.len() {
        let (before, rest) = items.split_at_mut(k);
        let BlockItem::Statement(own) = &mut rest[0].node else { continue };
        begin_heads(own);
        let Statement::For(f) = &mut own.node else { continue };
        let f = &mut f.node;
        let stepped = f.step.as_deref().map(super::loops::steps);
        let (ForInitializer::Empty, Some([step])) = (&f.initializer.node, stepped.as_deref()) else { continue };
        let mut changed = Changed::default();
        changed.visit_expression(&step.node, &step.span);
        let Some(counter) = changed.0.into_iter().next() else { continue };
        if let Some(first) = begun(before, &counter) {
            let span = f.initializer.span;
            let first = binary(BinaryOperator::Assign, named(&counter, span), first, span);
            f.initializer = Node::new(ForInitializer::Expression(Box::new(first)), span);
        }
    }
}

/// The number that a counter has behind statements.
fn begun(before: &[Node<BlockItem>], counter: &str) -> Option<Node<Expression>> {
    for item in before.iter().rev() {
        match &item.node {
            BlockItem::Declaration(own) => {
                let of_counter = own.node.declarators.iter().find(|declarator| {
                    identifier(&declarator.node.declarator.node).is_some_and(|name| name.node.name == counter)
                });
                if let Some(declarator) = of_counter {
                    let Initializer::Expression(first) = &declarator.node.initializer.as_ref()?.node else {
                        return None;
                    };
                    return Some((**first).clone()).filter(is_number);
                }
            }
            // Control may come from elsewhere.
            BlockItem::Statement(own) if matches!(own.node, Statement::Labeled(_)) => return None,
            BlockItem::Statement(own) => {
                if let Statement::Expression(Some(expression)) = &own.node
                    && let Some((BinaryOperator::Assign, o)) = operation(expression)
                    && is_name(&o.lhs, counter)
                {
                    return Some((*o.rhs).clone()).filter(is_number);
                }
            }
            BlockItem::StaticAssert(_) => {}
        }
        let mut changed = Changed::default();
        changed.visit_block_item(&item.node, &item.span);
        if changed.0.contains(counter) {
            return None;
        }
    }
    None
}

fn is_number(node: &Node<Expression>) -> bool {
    constant(node).is_some()
}

/// Whether both are the same words for a number's type.
fn are_alike(one: &[Node<DeclarationSpecifier>], other: &[Node<DeclarationSpecifier>]) -> bool {
    let is_same = |(one, other): (&Node<DeclarationSpecifier>, &Node<DeclarationSpecifier>)| {
        let (DeclarationSpecifier::TypeSpecifier(one), DeclarationSpecifier::TypeSpecifier(other)) =
            (&one.node, &other.node)
        else {
            return false;
        };
        match (&one.node, &other.node) {
            (TypeSpecifier::TypedefName(one), TypeSpecifier::TypedefName(other)) => one.node.name == other.node.name,
            (TypeSpecifier::Struct(_) | TypeSpecifier::Enum(_) | TypeSpecifier::TypeOf(_), _) => false,
            (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
        }
    };
    one.len() == other.len() && one.iter().zip(other).all(is_same)
}

/// The names of a function's body, and the types of those that it declares without brackets or stars.
#[derive(Default)]
pub struct Names {
    pub all: HashSet<String>,
    /// Of what is declared once.
    pub declared: HashMap<String, Option<Vec<Node<DeclarationSpecifier>>>>,
    /// Of what is declared in one way.
    pub types: HashMap<String, Option<Vec<Node<DeclarationSpecifier>>>>,
}

impl<'ast> Visit<'ast> for Names {
    fn visit_identifier(&mut self, identifier: &'ast Identifier, _: &'ast Span) {
        self.all.insert(identifier.name.clone());
    }

    fn visit_declaration(&mut self, declaration: &'ast Declaration, span: &'ast Span) {
        for declarator in &declaration.declarators {
            let Some(name) = identifier(&declarator.node.declarator.node) else { continue };
            let is_stored = |s: &Node<DeclarationSpecifier>| matches!(s.node, DeclarationSpecifier::StorageClass(_));
            let is_plain = declarator.node.declarator.node.derived.is_empty()
                && !is_typedef(declaration)
                && !declaration.specifiers.iter().any(is_stored);
            let specifiers = Some(declaration.specifiers.clone()).filter(|_| is_plain);
            let (known, own) = (self.types.entry(name.node.name.clone()), specifiers.clone());
            known
                .and_modify(|known| {
                    let is_alike = known.as_ref().zip(specifiers.as_ref()).is_some_and(|(a, b)| are_alike(a, b));
                    *known = known.take().filter(|_| is_alike);
                })
                .or_insert(own);
            let known = self.declared.entry(name.node.name.clone());
            known.and_modify(|known| *known = None).or_insert(specifiers);
        }
        visit::visit_declaration(self, declaration, span);
    }
}

fn statement(node: &mut Node<Statement>, names: &mut Names) {
    let Statement::Compound(items) = &mut node.node else {
        inner(&mut node.node).into_iter().for_each(|inner| statement(inner, names));
        return;
    };
    let mut k = 0;
    while k < items.len() {
        let made = match &mut items[k].node {
            BlockItem::Statement(own) => {
                statement(own, names);
                match &own.node {
                    Statement::For(f) => left_by(&f.node, own.span),
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some((counter, value)) = made
            && let Some(Some(specifiers)) = names.types.get(&counter).cloned()
        {
            let mut fresh = format!("{counter}_end");
            while names.all.contains(&fresh) {
                fresh.push('_');
            }
            if let Some(behind) = reading(&items[k + 1..], &counter, &fresh, false) {
                items.truncate(k + 1);
                let span = value.span;
                let own = declaration(specifiers, &fresh, value, span);
                items.push(Node::new(BlockItem::Declaration(own), span));
                items.extend(behind);
                names.all.insert(fresh);
            }
        }
        k += 1;
    }
}

/// The statements with `fresh` in place of `counter`, up to the one that gives it another value; `None` where none reads
/// it, or where it changes in another way; if it `goes_on`, that changes `fresh`.
pub fn reading(items: &[Node<BlockItem>], counter: &str, fresh: &str, goes_on: bool) -> Option<Vec<Node<BlockItem>>> {
    let (mut done, mut is_read, mut has_ended) = (vec![], false, false);
    for item in items {
        let mut item = item.clone();
        if has_ended || !mentions(&item, counter) {
            done.push(item);
            continue;
        }
        let mut changed = Changed::default();
        changed.visit_block_item(&item.node, &item.span);
        if !changed.0.contains(counter) {
            done.push(with(item, counter, fresh)?);
            is_read = true;
            continue;
        }
        let BlockItem::Statement(own) = &mut item.node else { return None };
        let span = own.span;
        let start = || {
            let first = binary(BinaryOperator::Assign, named(counter, span), named(fresh, span), span);
            Box::new(first)
        };
        let begun = match &mut own.node {
            Statement::Expression(Some(given)) => put_in_value(given, counter, fresh),
            Statement::For(f) => match &mut f.node.initializer.node {
                ForInitializer::Expression(first) => put_in_value(first, counter, fresh),
                first @ ForInitializer::Empty if f.node.step.is_some() => {
                    *first = ForInitializer::Expression(start());
                    Some(true)
                }
                _ => None,
            },
            _ => None,
        };
        is_read |= match begun {
            Some(is_read) => is_read,
            None if is_uncounted(&own.node) => {
                let first = Node::new(Statement::Expression(Some(start())), span);
                done.push(Node::new(BlockItem::Statement(first), span));
                true
            }
            None if goes_on => {
                done.push(with(item, counter, fresh)?);
                is_read = true;
                continue;
            }
            None => return None,
        };
        done.push(item);
        has_ended = true;
    }
    is_read.then_some(done)
}

/// Whether it is a loop without a counter in its head.
fn is_uncounted(node: &Statement) -> bool {
    match node {
        Statement::While(_) | Statement::DoWhile(_) => true,
        Statement::For(f) => matches!(f.node.initializer.node, ForInitializer::Empty) && f.node.step.is_none(),
        _ => false,
    }
}

/// Puts `fresh` into the value that `counter` gets here; tells whether it was read.
fn put_in_value(node: &mut Node<Expression>, counter: &str, fresh: &str) -> Option<bool> {
    let Expression::BinaryOperator(o) = &mut node.node else { return None };
    if o.node.operator.node != BinaryOperator::Assign || !is_name(&o.node.lhs, counter) {
        return None;
    }
    let mut changed = Changed::default();
    changed.visit_expression(&o.node.rhs.node, &o.node.rhs.span);
    if changed.0.contains(counter) {
        return None;
    }
    let is_read = names_in(&o.node.rhs).iter().any(|name| name == counter);
    *o.node.rhs = value_with(&o.node.rhs, counter, &named(fresh, node.span))?;
    Some(is_read)
}

/// An item with another name in place of the counter's; `None` where it declares that name.
fn with(item: Node<BlockItem>, counter: &str, fresh: &str) -> Option<Node<BlockItem>> {
    let span = item.span;
    let mut block = Node::new(Statement::Compound(vec![item]), span);
    let is_done = replace(&mut block, counter, &named(fresh, span));
    match block.node {
        Statement::Compound(mut items) if is_done => items.pop(),
        _ => None,
    }
}

/// An expression with another in place of a name.
pub fn value_with(node: &Node<Expression>, name: &str, value: &Node<Expression>) -> Option<Node<Expression>> {
    let mut own = Node::new(Statement::Expression(Some(Box::new(node.clone()))), node.span);
    let is_done = replace(&mut own, name, value);
    match own.node {
        Statement::Expression(Some(made)) if is_done => Some(*made),
        _ => None,
    }
}

pub fn mentions(item: &Node<BlockItem>, name: &str) -> bool {
    let mut names = Names::default();
    names.visit_block_item(&item.node, &item.span);
    names.all.contains(name)
}

/// The counter of a loop, and the value that it has behind it.
fn left_by(f: &ForStatement, span: Span) -> Option<(String, Node<Expression>)> {
    let ForInitializer::Expression(first) = &f.initializer.node else { return None };
    let (BinaryOperator::Assign, first) = operation(first)? else { return None };
    let counter = variable(&first.lhs)?.to_string();
    let (condition, step) = (f.condition.as_deref()?, step_of(f.step.as_deref()?, &counter)?);
    let start = &*first.rhs;
    let mut changed = Changed::default();
    changed.visit_statement(&f.statement.node, &f.statement.span);
    let heads: Vec<String> = [names_in(condition), names_in(start)].concat();
    if names_in(start).contains(&counter)
        || !is_plain(start)
        || heads.iter().chain([&counter]).any(|name| changed.0.contains(name))
        || [condition, start].into_iter().flat_map(elements_in).any(|array| writes_to(&f.statement, &array))
        || has_jump(&f.statement)
        || leaves(&f.statement)
    {
        return None;
    }
    let parts = conjuncts(condition);
    if let ([only], Some((BinaryOperator::NotEquals, _))) = (&parts[..], operation(condition)) {
        let (_, end) = beyond(only, &counter, step, span).filter(|_| step.abs() == 1)?;
        return Some((counter, end));
    }
    // Behind the nearest of the ends.
    let mut last: Option<Node<Expression>> = None;
    for part in parts {
        let (operator, end) = beyond(part, &counter, step, span)?;
        if operator == BinaryOperator::NotEquals {
            return None;
        }
        let own = reached(start, end, step, span);
        last = Some(match last {
            None => own,
            Some(before) => {
                let operator = if step > 0 { BinaryOperator::Less } else { BinaryOperator::Greater };
                let [left, right] = [&own, &before].map(|side| cast(side.clone(), ScalarType::integer(64, true)));
                either(binary(operator, left, right, span), own, before, span)
            }
        });
    }
    Some((counter.clone(), either(value_with(condition, &counter, start)?, last?, start.clone(), span)))
}

fn either(c: Node<Expression>, then: Node<Expression>, otherwise: Node<Expression>, span: Span) -> Node<Expression> {
    let choice = ConditionalExpression {
        condition: Box::new(c),
        then_expression: Box::new(then),
        else_expression: Box::new(otherwise),
    };
    Node::new(Expression::Conditional(Box::new(Node::new(choice, span))), span)
}

/// The comparison that a counter ends by, its sides perhaps exchanged, and the first value beyond.
fn beyond(part: &Node<Expression>, counter: &str, step: i64, span: Span) -> Option<(BinaryOperator, Node<Expression>)> {
    let (operator, o) = operation(part)?;
    let is_counter = |node: &Node<Expression>| names_in(node).iter().any(|name| name == counter);
    let (operator, side, end) = match (is_counter(&o.lhs), is_counter(&o.rhs)) {
        (true, false) => (operator, &o.lhs, &o.rhs),
        (false, true) => (turned(operator)?, &o.rhs, &o.lhs),
        _ => return None,
    };
    let offset = offset_of(side, counter)?;
    if !is_plain(end) {
        return None;
    }
    let by = match (operator.clone(), step > 0) {
        (BinaryOperator::Less, true) | (BinaryOperator::Greater, false) => -offset,
        (BinaryOperator::LessOrEqual, true) => 1 - offset,
        (BinaryOperator::GreaterOrEqual, false) => -offset - 1,
        (BinaryOperator::NotEquals, _) => -offset,
        _ => return None,
    };
    Some((operator, sum((**end).clone(), by, span)))
}

/// The first value from `start` on in steps that is not before `end`.
fn reached(start: &Node<Expression>, end: Node<Expression>, step: i64, span: Span) -> Node<Expression> {
    if step.abs() == 1 {
        return end;
    }
    let (by, up) = (step.abs(), step > 0);
    let (from, to) = if up { (start.clone(), end) } else { (end, start.clone()) };
    let distance = if constant(&from) == Some(0) { to } else { binary(BinaryOperator::Minus, to, from, span) };
    let by_literal = || number(&by.to_string(), span);
    let times = binary(BinaryOperator::Divide, sum(distance, by - 1, span), by_literal(), span);
    let distance = binary(BinaryOperator::Multiply, times, by_literal(), span);
    let sign = if up { BinaryOperator::Plus } else { BinaryOperator::Minus };
    if up && constant(start) == Some(0) { distance } else { binary(sign, start.clone(), distance, span) }
}

/// `node + by`.
fn sum(node: Node<Expression>, by: i64, span: Span) -> Node<Expression> {
    match by {
        0 => node,
        1.. => binary(BinaryOperator::Plus, node, number(&by.to_string(), span), span),
        _ => binary(BinaryOperator::Minus, node, number(&by.unsigned_abs().to_string(), span), span),
    }
}

/// The comparison with its sides exchanged.
fn turned(operator: BinaryOperator) -> Option<BinaryOperator> {
    Some(match operator {
        BinaryOperator::Less => BinaryOperator::Greater,
        BinaryOperator::Greater => BinaryOperator::Less,
        BinaryOperator::LessOrEqual => BinaryOperator::GreaterOrEqual,
        BinaryOperator::GreaterOrEqual => BinaryOperator::LessOrEqual,
        BinaryOperator::NotEquals => BinaryOperator::NotEquals,
        _ => return None,
    })
}

/// A comparison with a variable alone on its left, its sides perhaps exchanged: the variable as it is written there, and what it is compared
/// with.
pub fn comparison_of<'n>(
    node: &'n Node<Expression>,
    name: &str,
) -> Option<(BinaryOperator, &'n Node<Expression>, &'n Node<Expression>)> {
    let (operator, o) = operation(node)?;
    match (is_name(&o.lhs, name), is_name(&o.rhs, name)) {
        (true, _) => Some((operator, &o.lhs, &o.rhs)),
        (false, true) => Some((turned(operator)?, &o.rhs, &o.lhs)),
        _ => None,
    }
}

/// What a step adds to the counter: a small constant.
pub fn step_of(node: &Node<Expression>, counter: &str) -> Option<i64> {
    let small = |value: i64| (1..1 << 16).contains(&value.abs()).then_some(value);
    if let Expression::UnaryOperator(unary) = &node.node {
        let is_own = counts(&unary.node.operator.node) && is_name(&unary.node.operand, counter);
        let is_up = matches!(unary.node.operator.node, UnaryOperator::PostIncrement | UnaryOperator::PreIncrement);
        return is_own.then_some(if is_up { 1 } else { -1 });
    }
    let (operator, o) = operation(node)?;
    match operator {
        _ if !is_name(&o.lhs, counter) => None,
        BinaryOperator::AssignPlus => constant(&o.rhs).and_then(small),
        BinaryOperator::AssignMinus => constant(&o.rhs).and_then(small).map(|by| -by),
        BinaryOperator::Assign => offset_of(&o.rhs, counter).and_then(small),
        _ => None,
    }
}

/// `k` of `i + k`.
pub fn offset_of(node: &Node<Expression>, counter: &str) -> Option<i64> {
    if is_name(node, counter) {
        return Some(0);
    }
    let small = |node: &Node<Expression>| constant(node).filter(|by| by.abs() < 1 << 16);
    match operation(node)? {
        (BinaryOperator::Plus, o) if is_name(&o.lhs, counter) => small(&o.rhs),
        (BinaryOperator::Plus, o) if is_name(&o.rhs, counter) => small(&o.lhs),
        (BinaryOperator::Minus, o) if is_name(&o.lhs, counter) => small(&o.rhs).map(|by| -by),
        _ => None,
    }
}

/// The arrays whose elements an expression reads.
fn elements_in(node: &Node<Expression>) -> Vec<String> {
    struct Elements(Vec<String>);
    impl<'ast> Visit<'ast> for Elements {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            let node = Node::new(expression.clone(), *span);
            let (base, subscripts) = subscripted(&node);
            if !subscripts.is_empty() {
                self.0.extend(names_in(base));
            }
            visit::visit_expression(self, expression, span);
        }
    }
    let mut elements = Elements(vec![]);
    elements.visit_expression(&node.node, &node.span);
    elements.0
}

/// Whether a statement may write an element of an array: in an assignment or a call.
fn writes_to(node: &Node<Statement>, array: &str) -> bool {
    struct Writes<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Writes<'_> {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            let target = target_of(expression);
            self.1 |= target.is_some_and(|target| names_in(target).iter().any(|name| name == self.0));
            if let Expression::Call(call) = expression {
                self.1 |= call.node.arguments.iter().flat_map(names_in).any(|name| name == self.0);
            }
            visit::visit_expression(self, expression, span);
        }
    }
    let mut writes = Writes(array, false);
    writes.visit_statement(&node.node, &node.span);
    writes.1
}

/// Whether an expression is made of names, elements and constants by sums, products, masks and casts.
fn is_plain(node: &Node<Expression>) -> bool {
    match &node.node {
        Expression::Identifier(_) => true,
        Expression::Constant(_) => constant(node).is_some(),
        Expression::Cast(cast) => is_plain(&cast.node.expression),
        _ => match operation(node) {
            Some((BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply, o)) => {
                is_plain(&o.lhs) && is_plain(&o.rhs)
            }
            Some((BinaryOperator::Divide | BinaryOperator::Modulo, o)) => {
                is_plain(&o.lhs) && constant(&o.rhs).is_some_and(|by| by != 0)
            }
            Some((BinaryOperator::BitwiseAnd | BinaryOperator::ShiftRight, o)) => {
                is_plain(&o.lhs) && constant(&o.rhs).is_some_and(|by| by >= 0)
            }
            Some((BinaryOperator::Index, o)) => is_plain(&o.lhs) && is_plain(&o.rhs),
            _ => false,
        },
    }
}

/// Whether a statement may leave the function or go elsewhere.
fn leaves(node: &Node<Statement>) -> bool {
    struct Leaves(bool);
    impl<'ast> Visit<'ast> for Leaves {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            self.0 |= matches!(statement, Statement::Return(_) | Statement::Goto(_) | Statement::Asm(_));
            visit::visit_statement(self, statement, span);
        }
    }
    let mut found = Leaves(false);
    found.visit_statement(&node.node, &node.span);
    found.0
}
