//! Counters with several lives, on C's own tree: in
//!
//! ```c
//! for (b = 0; b < n; b++) …
//! b = n;
//! while (a > 0 || b > 0) …
//! ```
//!
//! nothing of the first loop's `b` is left in the second, and so it gets a name of its own, `for (int b_0 = 0; …)`. What data do to
//! `b` in the second is nothing to the first then.

use std::collections::HashSet;

use lang_c::ast::{
    BinaryOperator, BlockItem, Expression, ForInitializer, Statement, TranslationUnit, UnaryOperator,
    UnaryOperatorExpression,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::canonical::names_in;
use super::counters::{declaration, named, replace};
use super::known::changed;
use super::left::{Names, mentions};
use super::nest::operation;
use super::plain::{bodies, inner, variable};

/// Rewrites the bodies of all functions without `goto`.
pub fn apart(unit: &mut TranslationUnit) {
    for body in bodies(unit) {
        let mut names = Names::default();
        names.visit_statement(&body.node, &body.span);
        let mut around = Around::of(body);
        around.moved.retain(|name| !around.addressed.contains(name));
        if !around.has_goto && !around.moved.is_empty() {
            statement(body, &mut names, &around.moved, &|_| true);
        }
    }
}

/// What is changed in loops without a head, and by what any other's body says beside heads.
#[derive(Default)]
pub struct Around {
    moved: HashSet<String>,
    /// `for` loops around this place.
    loops: usize,
    /// Variables of which somebody has a pointer.
    pub addressed: HashSet<String>,
    pub has_goto: bool,
}

impl Around {
    pub fn of(body: &Node<Statement>) -> Around {
        let mut around = Around::default();
        around.visit_statement(&body.node, &body.span);
        around
    }
}

impl<'ast> Visit<'ast> for Around {
    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
        match statement {
            Statement::While(_) | Statement::DoWhile(_) => {
                self.moved.extend(changed(&Node::new(statement.clone(), *span)));
            }
            Statement::Expression(_) if self.loops > 0 => {
                self.moved.extend(changed(&Node::new(statement.clone(), *span)));
            }
            Statement::Goto(_) | Statement::Asm(_) => self.has_goto = true,
            _ => {}
        }
        let own = usize::from(matches!(statement, Statement::For(_)));
        self.loops += own;
        visit::visit_statement(self, statement, span);
        self.loops -= own;
    }

    fn visit_unary_operator_expression(&mut self, unary: &'ast UnaryOperatorExpression, span: &'ast Span) {
        if unary.operator.node == UnaryOperator::Address {
            self.addressed.extend(variable(&unary.operand).map(str::to_string));
        }
        visit::visit_unary_operator_expression(self, unary, span);
    }
}

/// Calls `act` with every statement of a block, and with what `over` is behind it.
pub fn each(
    items: &mut [Node<BlockItem>],
    over: &dyn Fn(&str) -> bool,
    mut act: impl FnMut(&mut Node<Statement>, &dyn Fn(&str) -> bool),
) {
    for k in 0..items.len() {
        let (own, behind) = items[k..].split_first_mut().expect("it has the item");
        let over = |name: &str| match left(behind, name, false) {
            Left::Over => true,
            Left::Read => false,
            Left::Unread => over(name),
        };
        if let BlockItem::Statement(own) = &mut own.node {
            act(own, &over);
        }
    }
}

/// `over` tells whether a variable has another value, or is gone, before anybody reads it behind the statement.
fn statement(node: &mut Node<Statement>, names: &mut Names, moved: &HashSet<String>, over: &dyn Fn(&str) -> bool) {
    if let Statement::Compound(items) = &mut node.node {
        each(items, over, |own, over| statement(own, names, moved, over));
        return;
    }
    if let Some(counter) = begins_with(node).filter(|counter| moved.contains(counter) && over(counter)) {
        let _ = rename(node, &counter, names);
    }
    let again = Round::of(node);
    let over = |name: &str| !again.as_ref().is_some_and(|again| again.reads(name)) && over(name);
    inner(&mut node.node).into_iter().for_each(|inner| statement(inner, names, moved, &over));
}

/// What comes behind a round of a loop: the head and the next one.
pub struct Round {
    head: Vec<String>,
    body: Node<Statement>,
}

impl Round {
    pub fn of(node: &Node<Statement>) -> Option<Round> {
        let (head, body) = match &node.node {
            Statement::For(f) => {
                let parts = [f.node.condition.as_deref(), f.node.step.as_deref()];
                (parts.into_iter().flatten().flat_map(names_in).collect(), &f.node.statement)
            }
            Statement::While(w) => (names_in(&w.node.expression), &w.node.statement),
            Statement::DoWhile(w) => (names_in(&w.node.expression), &w.node.statement),
            _ => return None,
        };
        Some(Round { head, body: (**body).clone() })
    }

    pub fn reads(&self, name: &str) -> bool {
        self.head.iter().any(|own| own == name) || left_by(&self.body, name, true) == Left::Read
    }
}

/// The counter that the head of a `for` loop gives its first value.
fn begins_with(node: &Node<Statement>) -> Option<String> {
    let Statement::For(f) = &node.node else { return None };
    let ForInitializer::Expression(first) = &f.node.initializer.node else { return None };
    let (BinaryOperator::Assign, first) = operation(first)? else { return None };
    variable(&first.lhs).map(str::to_string)
}

/// What becomes of a variable's value.
#[derive(Clone, Copy, PartialEq)]
pub enum Left {
    /// It is replaced, or gone, before anybody reads it.
    Over,
    /// Perhaps somebody reads it.
    Read,
    /// It is perhaps still there behind the statements, which come to their end.
    Unread,
}

/// In statements one after the other; `nested`, in a loop that is among them.
fn left(items: &[Node<BlockItem>], name: &str, nested: bool) -> Left {
    for item in items {
        let own = match &item.node {
            BlockItem::Statement(own) => left_by(own, name, nested),
            _ if mentions(item, name) => Left::Read,
            _ => Left::Unread,
        };
        if own != Left::Unread {
            return own;
        }
    }
    Left::Unread
}

/// The same of one statement.
pub fn left_by(node: &Node<Statement>, name: &str, nested: bool) -> Left {
    let reads = |expression: &Node<Expression>| names_in(expression).iter().any(|own| own == name);
    let given = |expression: &Node<Expression>| match operation(expression) {
        _ if !reads(expression) => Left::Unread,
        Some((BinaryOperator::Assign, o)) if variable(&o.lhs) == Some(name) && !reads(&o.rhs) => Left::Over,
        _ => Left::Read,
    };
    // It may have no rounds.
    let in_rounds = |heads: &[&Node<Expression>], body: &Node<Statement>| match left_by(body, name, true) {
        Left::Read => Left::Read,
        _ if heads.iter().any(|head| reads(head)) => Left::Read,
        _ => Left::Unread,
    };
    match &node.node {
        Statement::Compound(items) => left(items, name, nested),
        Statement::Expression(None) => Left::Unread,
        Statement::Expression(Some(own)) => given(own),
        Statement::Labeled(labeled) => left_by(&labeled.node.statement, name, nested),
        Statement::For(f) => {
            let begun = match &f.node.initializer.node {
                ForInitializer::Expression(first) => given(first),
                ForInitializer::Empty => Left::Unread,
                ForInitializer::Declaration(own) => {
                    let item = Node::new(BlockItem::Declaration(own.clone()), node.span);
                    if mentions(&item, name) { Left::Read } else { Left::Unread }
                }
                ForInitializer::StaticAssert(_) => Left::Read,
            };
            let heads: Vec<&Node<Expression>> =
                [&f.node.condition, &f.node.step].into_iter().flatten().map(|head| &**head).collect();
            if begun == Left::Unread { in_rounds(&heads, &f.node.statement) } else { begun }
        }
        Statement::While(w) => in_rounds(&[&w.node.expression], &w.node.statement),
        Statement::DoWhile(w) => in_rounds(&[&w.node.expression], &w.node.statement),
        Statement::If(i) if !reads(&i.node.condition) => {
            let then = left_by(&i.node.then_statement, name, nested);
            let otherwise = i.node.else_statement.as_ref().map_or(Left::Unread, |own| left_by(own, name, nested));
            match (then, otherwise) {
                (Left::Over, Left::Over) => Left::Over,
                (Left::Read, _) | (_, Left::Read) => Left::Read,
                _ => Left::Unread,
            }
        }
        Statement::Return(value) if value.as_ref().is_none_or(|value| !reads(value)) => Left::Over,
        Statement::Break | Statement::Continue if nested => Left::Unread,
        _ => Left::Read,
    }
}

/// Gives the counter of a loop a name of its own.
fn rename(node: &mut Node<Statement>, counter: &str, names: &mut Names) -> Option<()> {
    let specifiers = names.declared.get(counter)?.clone()?;
    let number = (0..).find(|number| !names.all.contains(&format!("{counter}_{number}")))?;
    let (fresh, span) = (format!("{counter}_{number}"), node.span);
    let mut renamed = node.clone();
    let Statement::For(f) = &mut renamed.node else { return None };
    let first = std::mem::replace(&mut f.node.initializer.node, ForInitializer::Empty);
    let ForInitializer::Expression(first) = first else { return None };
    let Expression::BinaryOperator(first) = first.node else { return None };
    if !replace(&mut renamed, counter, &named(&fresh, span)) {
        return None;
    }
    let Statement::For(f) = &mut renamed.node else { return None };
    let own = declaration(specifiers, &fresh, *first.node.rhs, span);
    f.node.initializer.node = ForInitializer::Declaration(own);
    names.all.insert(fresh);
    *node = renamed;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lang_c::driver::{Config, parse_preprocessed};

    /// The names that the counters of `body` get.
    fn made(body: &str) -> Vec<String> {
        let text = format!("void f(int n, int *x) {{ {body} }}");
        let mut unit = parse_preprocessed(&Config::default(), text).unwrap().unit;
        apart(&mut unit);
        let mut names = Names::default();
        bodies(&mut unit).for_each(|body| names.visit_statement(&body.node, &body.span));
        let mut made: Vec<String> = names.all.into_iter().filter(|name| name.contains('_')).collect();
        made.sort();
        made
    }

    #[test]
    fn lives_that_are_over() {
        let moves = "while (b > n) b -= x[b];";
        let one = "for (b = 0; b < n; b++) x[b] = 1;";
        for (body, expected) in [
            (format!("int b; {one} b = n; {moves}"), &["b_0"] as &[&str]),
            (format!("int b; {one} n = 2; {one} b = n; {moves}"), &["b_0", "b_1"]),
            (format!("int b, c; for (c = 0; c < n; c++) {{ {one} }} b = n; {moves}"), &["b_0"]),
            (format!("int b, c; for (c = 0; c < n; c++) for (b = c; b < n; b++) x[b] = c; b = n; {moves}"), &["b_0"]),
            (format!("int b; if (n > 3) {{ {one} }} else {{ {one} n++; }} b = n; {moves}"), &["b_0", "b_1"]),
            (format!("int b; {one} if (n > 3) return; if (n) b = 3; else b = 4; {moves}"), &["b_0"]),
            (format!("int b; {one} for (int c = 0; c < n; c++) {{ {one} }} b = n; {moves}"), &["b_0", "b_1"]),
            (format!("int b = n; {moves} {one}"), &["b_0"]),
            // Somebody reads it, or may.
            (format!("int b; {one} {moves}"), &[]),
            (format!("int b; {one} x[0] = b; b = n; {moves}"), &[]),
            (format!("int b; {one} b = b + 1; {moves}"), &[]),
            (format!("int b; {one} b += 1; {moves}"), &[]),
            (format!("int b; {one} if (n) b = 2; {moves}"), &[]),
            (format!("int b; {one} while (n) {{ n--; b = 2; }} {moves}"), &[]),
            (format!("int b = 0, c; for (c = 0; c < n; c++) {{ x[c] = b; {one} }} b = n; {moves}"), &[]),
            (format!("int b = 0, c; for (c = 0; c < n + b; c++) {{ {one} }} b = n; {moves}"), &[]),
            (
                format!("int b = 0, c; for (c = 0; c < n; c++) {{ {one} if (x[c]) break; b = c; }} x[0] = b; {moves}"),
                &[],
            ),
            // In the next round.
            (
                format!(
                    "int b = 0, c; for (c = 0; c < n; c++) {{ if (c & 1) {{ {one} }} else x[0] = b; }} b = n; {moves}"
                ),
                &[],
            ),
            (format!("int b = 0, c; for (c = 0; c < n; c++) {{ if (b > 3) {{ {one} }} }} b = n; {moves}"), &[]),
            (format!("int b, *p = &b; {one} n = *p; b = n; {moves}"), &[]),
            (format!("int b; {one} if (n) goto end; b = n; {moves} end: x[0] = b;"), &[]),
            // Nothing but heads moves it.
            (format!("int b; {one} b = n; x[0] = b;"), &[]),
        ] {
            assert_eq!(made(&body), expected, "{body}");
        }
    }
}
