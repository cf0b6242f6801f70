//! Statements as the rest reads them: loops and jumps that are `for` loops and `if`s in other words become those, on the
//! C compiler's own terms, before anything is lowered. What does not become one stays what it is, and is refused where it
//! stands.
//!
//! - `i = 0; while (i < n) { …; i++; }`, and `for` loops that begin before their head or step at the end of their body:
//!   the start and the step move into the head, where nothing in between changes what they name;
//! - `if (c) continue;`, and `if (c) { …; continue; }`: what follows in the loop's body becomes the `else`, or goes into
//!   the sides that go on with it; so does what follows `if (c) return;` in the function's body;
//! - `if (i >= n) break;` at the beginning of a loop's body: one more condition of the loop;
//! - `i = 0; do { …; i++; } while (i < n);`: a `for` inside of a `do` without any text of its own ([`at_least_once`]);
//! - `do { … } while (0);`, where nothing leaves it: the block;
//! - `x = 1, y = 2;`: two statements;
//! - `for (int i = 0; i < n; i++, k++)`: what the head changes beside its own variables moves to the end of the body.
//!
//! Heads such as `i-- > 0` are read by [`super::loops`].

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, CallExpression, Constant, DoWhileStatement, Expression,
    ForInitializer, ForStatement, Identifier, IfStatement, Initializer, Statement, TranslationUnit, UnaryOperator,
    WhileStatement,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::breaks::opposite;
use super::function::identifier;
use super::known::changed as changed_names;
use super::locals::Usage;
use super::nest::{counts, operation};
use super::plain::{binary, bodies, inner, number, variable};

/// What is around a block.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    Function,
    Loop,
    /// The statements of a case.
    Switch,
    Other,
}

/// Statements that are written more than once, as several sides of an `if` go on with them.
pub const REPEATED: usize = 64;

/// Rewrites the bodies of all functions.
pub fn canonical(unit: &mut TranslationUnit) {
    bodies(unit).for_each(|body| statement(body, Around::Function));
}

/// Takes what is no head that counts apart, in the bodies of all functions: `for (i = 0; i < n;) …` is `i = 0; for (; i < n;) …`, and a
/// step of what the head does not begin goes to the end of the body ([`super::rounds`]).
pub fn headless(unit: &mut TranslationUnit) {
    bodies(unit).for_each(without_head);
}

fn without_head(node: &mut Node<Statement>) {
    match &mut node.node {
        Statement::Compound(items) => {
            let inner = items.iter_mut().filter_map(|item| match &mut item.node {
                BlockItem::Statement(inner) => Some(inner),
                _ => None,
            });
            inner.for_each(without_head);
        }
        other => inner(other).into_iter().for_each(without_head),
    }
    let span = node.span;
    let Statement::For(f) = &mut node.node else { return };
    let f = &mut f.node;
    let statement = |node: Statement, span: Span| Node::new(BlockItem::Statement(Node::new(node, span)), span);
    let begins = !matches!(f.initializer.node, ForInitializer::Empty);
    if f.condition.as_ref().is_none_or(|condition| changed(condition).is_some()) {
        return;
    }
    if !begins
        && !has_continue(&f.statement)
        && let Some(step) = f.step.take()
    {
        let mut items = vec![statement(f.statement.node.clone(), f.statement.span)];
        let steps = super::loops::steps(&step).into_iter().cloned();
        items.extend(steps.map(|step| statement(Statement::Expression(Some(Box::new(step.clone()))), step.span)));
        *f.statement = Node::new(Statement::Compound(items), f.statement.span);
    }
    if begins && f.step.is_none() {
        let empty = Node::new(ForInitializer::Empty, f.initializer.span);
        let mut items: Vec<Node<BlockItem>> = match std::mem::replace(&mut f.initializer, empty).node {
            ForInitializer::Declaration(own) => vec![Node::new(BlockItem::Declaration(own.clone()), own.span)],
            ForInitializer::Expression(first) => {
                let all = super::loops::steps(&first).into_iter().cloned();
                all.map(|first| statement(Statement::Expression(Some(Box::new(first.clone()))), first.span)).collect()
            }
            _ => vec![],
        };
        items.push(statement(node.node.clone(), span));
        node.node = Statement::Compound(items);
    }
}

fn statement(node: &mut Node<Statement>, around: Around) {
    only_once(node);
    match &mut node.node {
        Statement::Compound(items) => block(items, around),
        Statement::If(branch) => {
            statement(&mut branch.node.then_statement, Around::Other);
            if let Some(otherwise) = &mut branch.node.else_statement {
                statement(otherwise, Around::Other);
            }
        }
        Statement::For(f) => {
            statement(&mut f.node.statement, Around::Loop);
            take_step(&mut f.node);
            take_break(&mut f.node);
            leave_steps(&mut f.node);
        }
        Statement::While(w) => statement(&mut w.node.statement, Around::Loop),
        Statement::DoWhile(w) => {
            let is_made = at_least_once(w).is_some();
            match &mut w.node.statement.node {
                Statement::For(f) if is_made => statement(&mut f.node.statement, Around::Loop),
                _ => statement(&mut w.node.statement, Around::Loop),
            }
        }
        Statement::Expression(Some(expression)) if matches!(expression.node, Expression::Comma(_)) => {
            let mut items = vec![];
            parts(node, &mut items);
            node.node = Statement::Compound(items);
        }
        _ => {}
    }
}

fn block(items: &mut Vec<Node<BlockItem>>, around: Around) {
    let mut done: Vec<Node<BlockItem>> = vec![];
    let mut pending = std::mem::take(items).into_iter();
    while let Some(mut item) = pending.next() {
        let BlockItem::Statement(inner) = &mut item.node else {
            done.push(item);
            continue;
        };
        only_once(inner);
        // Before the loops inside, whose jumps are their own.
        if jumps(inner, around) {
            let mut rest: Vec<Node<BlockItem>> = pending.collect();
            block(&mut rest, around);
            let copies = copies(inner, around);
            if copies <= 1 || copies * rest.iter().map(statements).sum::<usize>() <= REPEATED {
                sink(inner, &rest, around);
                rest.clear();
            }
            done.push(item);
            done.extend(rest);
            break;
        }
        if matches!(&inner.node, Statement::Expression(Some(e)) if matches!(e.node, Expression::Comma(_))) {
            parts(inner, &mut done);
            continue;
        }
        begin(inner, &mut done);
        statement(inner, Around::Other);
        done.push(item);
    }
    *items = done;
}

/// `do { … } while (0);`, as macros have it: the block.
fn only_once(node: &mut Node<Statement>) {
    let Statement::DoWhile(w) = &node.node else { return };
    let never = matches!(&w.node.expression.node, Expression::Constant(constant)
        if matches!(&constant.node, Constant::Integer(integer) if integer.number.chars().all(|digit| digit == '0')));
    if never && !has_jump(&w.node.statement) {
        node.node = w.node.statement.node.clone();
    }
}

/// The statements of `x = 1, y = 2;`.
fn parts(node: &Node<Statement>, items: &mut Vec<Node<BlockItem>>) {
    if let Statement::Expression(Some(expression)) = &node.node
        && let Expression::Comma(parts) = &expression.node
    {
        for part in parts.iter() {
            let own = Statement::Expression(Some(Box::new(part.clone())));
            items.push(Node::new(BlockItem::Statement(Node::new(own, part.span)), part.span));
        }
    }
}

/// Whether a side of an `if`, or of an `if` that a side is, ends in a jump behind everything that follows.
fn jumps(node: &Node<Statement>, around: Around) -> bool {
    let Statement::If(branch) = &node.node else { return false };
    let IfStatement { then_statement, else_statement, .. } = &branch.node;
    let side = |side: &Node<Statement>| ends_in_jump(side, around) || jumps(side, around);
    side(then_statement) || else_statement.as_ref().is_some_and(|otherwise| side(otherwise))
}

/// How many sides go on with what follows.
fn copies(node: &Node<Statement>, around: Around) -> usize {
    match &node.node {
        _ if ends_in_jump(node, around) => 0,
        Statement::If(branch) if jumps(node, around) => {
            let IfStatement { then_statement, else_statement, .. } = &branch.node;
            copies(then_statement, around) + else_statement.as_ref().map_or(1, |otherwise| copies(otherwise, around))
        }
        _ => 1,
    }
}

/// How many statements there are in an item.
pub fn statements(item: &Node<BlockItem>) -> usize {
    struct Statements(usize);
    impl<'ast> Visit<'ast> for Statements {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            self.0 += 1;
            visit::visit_statement(self, statement, span);
        }
    }
    let mut found = Statements(0);
    found.visit_block_item(&item.node, &item.span);
    found.0
}

/// Takes the jumps out of an `if`, and puts what follows it, `rest` without jumps, into the sides that go on.
fn sink(node: &mut Node<Statement>, rest: &[Node<BlockItem>], around: Around) {
    let followed = |own: Option<Node<Statement>>, place: Span| {
        let end = rest.last().map_or(place.end, |last| last.span.end);
        let span = Span::span(own.as_ref().map_or(place.end, |own| own.span.start), end.max(place.end));
        let mut own: Vec<_> =
            own.map(|own| Node::new(BlockItem::Statement(own.clone()), own.span)).into_iter().collect();
        block(&mut own, Around::Other);
        own.extend(rest.iter().cloned());
        Node::new(Statement::Compound(own), span)
    };
    if ends_in_jump(node, around) {
        without_jump(node, around);
        statement(node, Around::Other);
    } else if jumps(node, around)
        && let Statement::If(branch) = &mut node.node
    {
        let IfStatement { then_statement, else_statement, .. } = &mut branch.node;
        sink(then_statement, rest, around);
        match else_statement {
            Some(otherwise) => sink(otherwise, rest, around),
            None => *else_statement = Some(Box::new(followed(None, then_statement.span))),
        }
    } else {
        *node = followed(Some(node.clone()), node.span);
    }
}

fn is_jump(statement: &Statement, around: Around) -> bool {
    match statement {
        Statement::Continue => around == Around::Loop,
        Statement::Return(None) => around == Around::Function,
        Statement::Break => around == Around::Switch,
        _ => false,
    }
}

fn ends_in_jump(node: &Node<Statement>, around: Around) -> bool {
    match &node.node {
        Statement::Compound(items) => match items.last().map(|last| &last.node) {
            Some(BlockItem::Statement(last)) => !matches!(last.node, Statement::If(_)) && ends_in_jump(last, around),
            _ => false,
        },
        jump => is_jump(jump, around),
    }
}

/// Takes the jump away in which a statement ends.
fn without_jump(node: &mut Node<Statement>, around: Around) {
    match &mut node.node {
        Statement::Compound(items) => match items.last_mut() {
            Some(Node { node: BlockItem::Statement(last), .. }) if is_jump(&last.node, around) => {
                items.pop();
            }
            Some(Node { node: BlockItem::Statement(last), .. }) => without_jump(last, around),
            _ => {}
        },
        jump if is_jump(jump, around) => node.node = Statement::Expression(None),
        _ => {}
    }
}

/// Makes `if (c) break;` in a block of a `switch` the choice that it is.
pub fn without_breaks(items: &mut Vec<Node<BlockItem>>) {
    let leaves =
        |item: &Node<BlockItem>| matches!(&item.node, BlockItem::Statement(inner) if jumps(inner, Around::Switch));
    if items.iter().any(leaves) {
        block(items, Around::Switch);
    }
}

/// Makes `if (c) continue;` among the items of a loop's body the choice that it is.
pub fn without_continues(items: &mut Vec<Node<BlockItem>>) {
    let goes_on =
        |item: &Node<BlockItem>| matches!(&item.node, BlockItem::Statement(inner) if jumps(inner, Around::Loop));
    if items.iter().any(goes_on) {
        block(items, Around::Loop);
    }
}

/// Whether one of the statements before a loop gives its counter the value that it begins with.
pub fn begins_before(counter: &str, items: &[Node<BlockItem>]) -> bool {
    start(counter, &mut items.to_vec()).is_some()
}

/// Gives a loop without a start the one that stands before it among `done`, and makes a `for` of a `while`.
fn begin(node: &mut Node<Statement>, done: &mut Vec<Node<BlockItem>>) {
    match &mut node.node {
        Statement::DoWhile(w) => apart(&mut w.node.statement),
        Statement::While(w) => apart(&mut w.node.statement),
        Statement::For(f) => apart(&mut f.node.statement),
        _ => return,
    }
    let (counter, end) = match &node.node {
        Statement::DoWhile(w) => (counter(Some(&w.node.expression), &w.node.statement), w.span),
        Statement::While(w) => (counter(Some(&w.node.expression), &w.node.statement), w.span),
        Statement::For(f) if matches!(f.node.initializer.node, ForInitializer::Empty) => {
            let parts = f.node.step.as_deref().map(super::loops::steps).unwrap_or_default();
            let named = f.node.condition.as_deref().map(names_in).unwrap_or_default();
            let is_end = |name: &&str| parts.len() == 1 || named.iter().any(|own| own == name);
            let own = parts.iter().filter_map(|part| stepped(part)).find(is_end);
            (own.or_else(|| counter(f.node.condition.as_deref(), &f.node.statement)), f.span)
        }
        _ => return,
    };
    let Some(counter) = counter.map(str::to_string) else { return };
    // Several that move at the same time end a loop together.
    let ends = match &node.node {
        Statement::DoWhile(w) => Some((names_in(&w.node.expression), changed_names(&w.node.statement))),
        Statement::While(w) => Some((names_in(&w.node.expression), changed_names(&w.node.statement))),
        _ => None,
    };
    if ends.is_some_and(|(names, moved)| names.iter().any(|name| *name != counter && moved.contains(name))) {
        return;
    }
    let Some(first) = start(&counter, done) else { return };
    let head = Span::span(node.span.start, node.span.start);
    let initializer = Node::new(ForInitializer::Expression(Box::new(first)), head);
    match &mut node.node {
        Statement::DoWhile(w) => {
            let (condition, step) = stepped_before(&w.node.expression);
            let body = (*w.node.statement).clone();
            let condition = Some(Box::new(condition));
            let mut f = ForStatement { initializer, condition, step: step.map(Box::new), statement: Box::new(body) };
            take_step(&mut f);
            if f.step.is_some() {
                *w.node.statement = Node::new(Statement::For(Node::new(f, end)), end);
            }
        }
        Statement::While(w) => {
            let WhileStatement { expression, statement } = w.node.clone();
            let f = ForStatement { initializer, condition: Some(expression), step: None, statement };
            node.node = Statement::For(Node::new(f, end));
        }
        Statement::For(f) => f.node.initializer = initializer,
        _ => {}
    }
}

/// What a loop without a step counts with: what its condition changes, or a step behind which nothing else is done in the
/// body but other steps; of several, the one that the condition names.
fn counter<'s>(condition: Option<&'s Node<Expression>>, body: &'s Node<Statement>) -> Option<&'s str> {
    if let Some(changed) = condition.and_then(|condition| changed(condition)) {
        return Some(changed);
    }
    let Statement::Compound(items) = &body.node else { return None };
    let mut stepped = items.iter().rev().map_while(|item| stepped(expression(item)?)).peekable();
    let last = stepped.peek().copied();
    let named = condition.map(names_in).unwrap_or_default();
    stepped.find(|name| named.iter().any(|own| own == name)).or(last)
}

/// The expression that an item is.
fn expression(item: &Node<BlockItem>) -> Option<&Node<Expression>> {
    match &item.node {
        BlockItem::Statement(Node { node: Statement::Expression(Some(expression)), .. }) => Some(expression),
        _ => None,
    }
}

/// Makes statements of what commas join in a loop's body, outside of what is in it.
fn apart(body: &mut Node<Statement>) {
    let mut done = vec![];
    match &mut body.node {
        Statement::Expression(Some(expression)) if matches!(expression.node, Expression::Comma(_)) => {
            parts(body, &mut done);
        }
        // A step alone.
        Statement::Expression(Some(expression)) if stepped(expression).is_some() => {
            done.push(Node::new(BlockItem::Statement(body.clone()), body.span));
        }
        Statement::Compound(items) => {
            for item in std::mem::take(items) {
                match &item.node {
                    BlockItem::Statement(inner)
                        if expression(&item).is_some_and(|e| matches!(e.node, Expression::Comma(_))) =>
                    {
                        parts(inner, &mut done);
                    }
                    _ => done.push(item),
                }
            }
        }
        _ => return,
    }
    body.node = Statement::Compound(done);
}

/// `i` of `i-- > e`, `--i >= e` or `i--`.
pub fn changed(condition: &Node<Expression>) -> Option<&str> {
    match &condition.node {
        Expression::UnaryOperator(_) => stepped(condition),
        _ => operation(condition).and_then(|(_, o)| match &o.lhs.node {
            Expression::UnaryOperator(_) => stepped(&o.lhs),
            _ => None,
        }),
    }
}

/// The variable that `i++`, `i += 2`, `i = i + 2` or `i /= 2` changes.
pub fn stepped(node: &Node<Expression>) -> Option<&str> {
    match &node.node {
        Expression::UnaryOperator(unary) if counts(&unary.node.operator.node) => variable(&unary.node.operand),
        _ => match operation(node)? {
            (
                BinaryOperator::AssignPlus
                | BinaryOperator::AssignMinus
                | BinaryOperator::AssignMultiply
                | BinaryOperator::AssignDivide
                | BinaryOperator::AssignShiftLeft
                | BinaryOperator::AssignShiftRight,
                o,
            ) => variable(&o.lhs),
            (BinaryOperator::Assign, o) => {
                let name = variable(&o.lhs)?;
                let (operator, right) = operation(&o.rhs)?;
                let is_step = match operator {
                    BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply => {
                        variable(&right.lhs) == Some(name) || variable(&right.rhs) == Some(name)
                    }
                    BinaryOperator::Divide | BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => {
                        variable(&right.lhs) == Some(name)
                    }
                    _ => false,
                };
                is_step.then_some(name)
            }
            _ => None,
        },
    }
}

/// `counter = value`, from the last of `items` that gives it one; that goes where it is nothing but this. `None` where
/// something behind it uses the counter, or changes what the value names.
pub fn start(counter: &str, items: &mut Vec<Node<BlockItem>>) -> Option<Node<Expression>> {
    let position = items.iter().rposition(|item| mentions(item, counter))?;
    let first = match &items[position].node {
        BlockItem::Declaration(declaration) => {
            let declarator = declaration
                .node
                .declarators
                .iter()
                .find(|d| identifier(&d.node.declarator.node).is_some_and(|name| name.node.name == counter))?;
            let name = identifier(&declarator.node.declarator.node)?;
            let Initializer::Expression(value) = &declarator.node.initializer.as_ref()?.node else { return None };
            let lhs = Box::new(Node::new(Expression::Identifier(Box::new(name.clone())), name.span));
            let operator = Node::new(BinaryOperator::Assign, name.span);
            let assignment = BinaryOperatorExpression { operator, lhs, rhs: value.clone() };
            Node::new(Expression::BinaryOperator(Box::new(Node::new(assignment, declarator.span))), declarator.span)
        }
        BlockItem::Statement(Node { node: Statement::Expression(Some(expression)), .. }) => match operation(expression)
        {
            Some((BinaryOperator::Assign, o)) if variable(&o.lhs) == Some(counter) => (**expression).clone(),
            _ => return None,
        },
        _ => return None,
    };
    let value = operation(&first).map(|(_, o)| (*o.rhs).clone())?;
    if names_in(&value).iter().any(|name| name == counter || !Usage::of(name, &items[position + 1..]).is_constant()) {
        return None;
    }
    if matches!(items[position].node, BlockItem::Statement(_)) {
        items.remove(position);
    }
    Some(first)
}

/// The `for` loop that a `do` loop has become: it runs through its body once before it looks at its condition.
pub fn at_least_once(w: &Node<DoWhileStatement>) -> Option<&Node<ForStatement>> {
    match &w.node.statement.node {
        // The user's own loop in the body of a `do` is shorter than that.
        Statement::For(f) if f.span == w.span => Some(f),
        _ => None,
    }
}

/// The condition of a `do` loop as it is behind the step that it does, and that step: `i < n` and `++i` of `++i < n`,
/// `i - 1 < n` and `i++` of `i++ < n`.
pub fn stepped_before(condition: &Node<Expression>) -> (Node<Expression>, Option<Node<Expression>>) {
    let unstepped = |node: &Node<Expression>| -> Option<Node<Expression>> {
        let Expression::UnaryOperator(unary) = &node.node else { return None };
        let back = match unary.node.operator.node {
            UnaryOperator::PreIncrement | UnaryOperator::PreDecrement => return Some((*unary.node.operand).clone()),
            UnaryOperator::PostIncrement => BinaryOperator::Minus,
            UnaryOperator::PostDecrement => BinaryOperator::Plus,
            _ => return None,
        };
        Some(binary(back, (*unary.node.operand).clone(), number("1", node.span), node.span))
    };
    let mut condition = condition.clone();
    let place = match &mut condition.node {
        Expression::BinaryOperator(comparison) => &mut comparison.node.lhs,
        _ => return unstepped(&condition).map_or((condition.clone(), None), |value| (value, Some(condition))),
    };
    let step = (**place).clone();
    match unstepped(&step) {
        Some(value) => {
            **place = value;
            (condition, Some(step))
        }
        None => (condition, None),
    }
}

fn mentions(item: &Node<BlockItem>, name: &str) -> bool {
    let mut names = Named(vec![]);
    names.visit_block_item(&item.node, &item.span);
    names.0.iter().any(|known| known == name)
}

/// The calls of what is visited, those in arguments of others too.
#[derive(Default)]
pub struct Calls<'u>(pub Vec<&'u CallExpression>);

impl<'u> Visit<'u> for Calls<'u> {
    fn visit_call_expression(&mut self, call: &'u CallExpression, span: &'u Span) {
        self.0.push(call);
        visit::visit_call_expression(self, call, span);
    }
}

/// Whether an expression calls a function.
pub fn has_call(node: &Node<Expression>) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_call_expression(&mut self, _: &'ast CallExpression, _: &'ast Span) {
            self.0 = true;
        }
    }
    let mut search = Search(false);
    search.visit_expression(&node.node, &node.span);
    search.0
}

/// The names in an expression.
pub fn names_in(node: &Node<Expression>) -> Vec<String> {
    let mut names = Named(vec![]);
    names.visit_expression(&node.node, &node.span);
    names.0
}

/// All names in a piece of C.
struct Named(Vec<String>);

impl<'ast> Visit<'ast> for Named {
    fn visit_identifier(&mut self, identifier: &'ast Identifier, _: &'ast Span) {
        self.0.push(identifier.name.clone());
    }
}

/// Moves a step at the end of the body into the head of a loop without one.
fn take_step(f: &mut ForStatement) {
    let counts = match &f.initializer.node {
        ForInitializer::Expression(first) => operation(first).and_then(|(_, o)| variable(&o.lhs)).map(str::to_string),
        ForInitializer::Declaration(declaration) => {
            let first = declaration.node.declarators.first().and_then(|d| identifier(&d.node.declarator.node));
            first.map(|name| name.node.name.clone())
        }
        _ => None,
    };
    let (Some(counts), None) = (counts, &f.step) else { return };
    if f.condition.as_ref().is_some_and(|condition| changed(condition).is_some()) || has_continue(&f.statement) {
        return;
    }
    let Statement::Compound(items) = &mut f.statement.node else { return };
    // Behind it, nothing but steps of other variables.
    let is_step = |item: &Node<BlockItem>| expression(item).and_then(stepped) == Some(&counts);
    let behind = items.iter().rev().take_while(|item| {
        !is_step(item) && expression(item).is_some_and(|e| stepped(e).is_some()) && !mentions(item, &counts)
    });
    let count = behind.clone().count();
    let changed: Vec<&str> = behind.filter_map(|item| expression(item).and_then(stepped)).collect();
    let Some(position) = items.len().checked_sub(1 + count) else { return };
    let sees_others = |step: &Node<Expression>| names_in(step).iter().any(|name| changed.contains(&name.as_str()));
    if is_step(&items[position]) && !expression(&items[position]).is_some_and(sees_others) {
        f.step = expression(&items[position]).map(|step| Box::new(step.clone()));
        items.remove(position);
    }
}

/// Moves what a loop's head does beside the steps of its own variables to the end of the body, where it is done as often and sees the
/// same: nothing goes on with the next iteration before, and no step that comes first in the head changes what it names.
fn leave_steps(f: &mut ForStatement) {
    let own = begun(&f.initializer.node);
    if own.is_empty() || has_continue(&f.statement) {
        return;
    }
    let parts = f.step.as_deref().map(super::loops::steps).unwrap_or_default();
    let (mut kept, mut moved): (Vec<Node<Expression>>, Vec<Node<Expression>>) = (vec![], vec![]);
    for part in parts {
        let is_own = stepped(part).is_some_and(|name| own.iter().any(|own| own == name));
        let names = names_in(part);
        let sees_steps = kept.iter().filter_map(stepped).any(|name| names.iter().any(|own| own == name));
        if is_own || sees_steps { kept.push(part.clone()) } else { moved.push(part.clone()) }
    }
    let counts = f.condition.as_ref().is_some_and(|condition| changed(condition).is_some());
    if moved.is_empty() || kept.is_empty() && !counts {
        return;
    }
    let place = f.statement.span;
    let statement = |node: Statement, span: Span| Node::new(BlockItem::Statement(Node::new(node, span)), span);
    let mut items = vec![statement(f.statement.node.clone(), place)];
    items.extend(moved.into_iter().map(|step| {
        let span = step.span;
        statement(Statement::Expression(Some(Box::new(step))), span)
    }));
    *f.statement = Node::new(Statement::Compound(items), place);
    f.step = match kept.len() {
        0 => None,
        1 => kept.pop().map(Box::new),
        _ => f.step.take().map(|step| Box::new(Node::new(Expression::Comma(Box::new(kept)), step.span))),
    };
}

/// The variables that a loop's head begins.
pub fn begun(initializer: &ForInitializer) -> Vec<String> {
    match initializer {
        ForInitializer::Expression(first) => {
            let parts = super::loops::steps(first).into_iter();
            parts.filter_map(|part| operation(part).and_then(|(_, o)| variable(&o.lhs))).map(str::to_string).collect()
        }
        ForInitializer::Declaration(declaration) => {
            let names = declaration.node.declarators.iter().filter_map(|d| identifier(&d.node.declarator.node));
            names.map(|name| name.node.name.clone()).collect()
        }
        _ => vec![],
    }
}

/// Whether a `continue` of the loop around a statement is left in it.
pub fn has_continue(body: &Node<Statement>) -> bool {
    has(body, false)
}

/// The same, or a `break`.
pub fn has_jump(body: &Node<Statement>) -> bool {
    has(body, true)
}

fn has(body: &Node<Statement>, breaks: bool) -> bool {
    struct Jumps {
        breaks: bool,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Jumps {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            match statement {
                Statement::Continue => self.found = true,
                Statement::Break => self.found |= self.breaks,
                Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) => {}
                _ => visit::visit_statement(self, statement, span),
            }
        }
    }
    let mut jumps = Jumps { breaks, found: false };
    jumps.visit_statement(&body.node, &body.span);
    jumps.found
}

/// Makes `if (c) break;` at the beginning of the body a condition of the loop, where that is a comparison or made of names.
fn take_break(f: &mut ForStatement) {
    let Statement::Compound(items) = &mut f.statement.node else { return };
    let Some(Node { node: BlockItem::Statement(Node { node: Statement::If(branch), .. }), .. }) = items.first() else {
        return;
    };
    let is_break = |statement: &Node<Statement>| match &statement.node {
        Statement::Break => true,
        Statement::Compound(items) => {
            matches!(&items[..], [Node { node: BlockItem::Statement(Node { node: Statement::Break, .. }), .. }])
        }
        _ => false,
    };
    if !is_break(&branch.node.then_statement) || branch.node.else_statement.is_some() {
        return;
    }
    let condition = &branch.node.condition;
    let is_comparison = operation(condition).is_some_and(|(operator, _)| {
        matches!(
            operator,
            BinaryOperator::Less
                | BinaryOperator::LessOrEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterOrEqual
                | BinaryOperator::Equals
        )
    });
    if !is_comparison && !is_of_names(condition) {
        return;
    }
    let (span, opposite) = (condition.span, opposite(condition));
    f.condition = Some(Box::new(match f.condition.take() {
        None => opposite,
        // What the condition itself changes is another value behind it.
        Some(condition) if changed(&condition).is_some() => {
            f.condition = Some(condition);
            return;
        }
        Some(condition) => {
            let operator = Node::new(BinaryOperator::LogicalAnd, span);
            let both = BinaryOperatorExpression { operator, lhs: condition, rhs: Box::new(opposite) };
            Node::new(Expression::BinaryOperator(Box::new(Node::new(both, span))), span)
        }
    }));
    items.remove(0);
}

/// Whether an expression is made of names and constants alone.
fn is_of_names(node: &Node<Expression>) -> bool {
    match &node.node {
        Expression::Identifier(_) | Expression::Constant(_) => true,
        Expression::Cast(cast) => is_of_names(&cast.node.expression),
        Expression::UnaryOperator(unary) => {
            matches!(unary.node.operator.node, UnaryOperator::Negate | UnaryOperator::Minus | UnaryOperator::Complement)
                && is_of_names(&unary.node.operand)
        }
        _ => operation(node).is_some_and(|(operator, o)| {
            let is_array = matches!(operator, BinaryOperator::Index);
            let is_assignment = changed(node).is_some();
            !is_array && !is_assignment && is_of_names(&o.lhs) && is_of_names(&o.rhs)
        }),
    }
}
