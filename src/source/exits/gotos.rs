//! `goto` forward, to a label in a block around it: as `break`, `continue` and `return` where it is one of those in other words, else
//! as [`super::leave`] has jumps. Backward, or into a block, it stays what it is, and is refused.

use lang_c::ast::{BlockItem, Label, Statement, TranslationUnit};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::leave::{Items, Leave, counters, declared};
use super::{Behind, Exits, Kept, again, each_function};
use crate::source::flat::names;
use crate::source::function::names_of;
use crate::source::known::{Declared, changed};
use crate::source::plain::{block, inner, listed};
use crate::source::types::Types;

/// Rewrites the bodies of all functions.
pub fn gotos(unit: &mut TranslationUnit, types: &Types) {
    each_function(unit, &mut |function| {
        if jumps(&function.statement, None) == 0 {
            return;
        }
        let own = Declared::of(function, types);
        let mut exits = Exits { taken: names_of(function), specifiers: &own };
        let mut body = function.statement.clone();
        if let Statement::Compound(items) = &mut body.node {
            at_the_end(items);
        }
        let whole = body.clone();
        exits.labels(&mut body, &whole, &mut vec![], false);
        function.statement = body;
    });
}

fn is_jump(statement: &Statement, name: Option<&str>) -> bool {
    matches!(statement, Statement::Goto(label) if name.is_none_or(|own| label.node.name == own))
}

/// How many jumps to a label there are in a statement, or to any.
fn jumps(node: &Node<Statement>, name: Option<&str>) -> usize {
    struct Jumps<'n>(Option<&'n str>, usize);
    impl<'ast> Visit<'ast> for Jumps<'_> {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            self.1 += usize::from(is_jump(statement, self.0));
            visit::visit_statement(self, statement, span);
        }
    }
    let mut found = Jumps(name, 0);
    found.visit_statement(&node.node, &node.span);
    found.1
}

fn jumps_in(items: &[Node<BlockItem>], name: &str) -> usize {
    jumps(&block(items.to_vec(), Span::none()), Some(name))
}

/// The label of an item.
fn label(item: &Node<BlockItem>) -> Option<&str> {
    match &item.node {
        BlockItem::Statement(Node { node: Statement::Labeled(labeled), .. }) => match &labeled.node.label.node {
            Label::Identifier(name) => Some(&name.node.name),
            _ => None,
        },
        _ => None,
    }
}

fn without_label(item: &Node<BlockItem>) -> Node<BlockItem> {
    match &item.node {
        BlockItem::Statement(Node { node: Statement::Labeled(labeled), .. }) => {
            Node::new(BlockItem::Statement((*labeled.node.statement).clone()), item.span)
        }
        _ => item.clone(),
    }
}

fn is_nothing(item: &Node<BlockItem>) -> bool {
    matches!(&item.node, BlockItem::Statement(Node { node: Statement::Expression(None) | Statement::Return(None), .. }))
}

/// `goto done;` to `done:` at the end of a function, or before its last `return;`, is `return;`.
fn at_the_end(items: &mut Items) {
    while let Some(k) = items.iter().rposition(|item| !is_nothing(item)) {
        let Some(name) = label(&items[k]).map(str::to_string) else { return };
        let own = without_label(&items[k]);
        if !is_nothing(&own) && label(&own).is_none() {
            return;
        }
        items[k] = own;
        items.iter_mut().for_each(|item| {
            if let BlockItem::Statement(own) = &mut item.node {
                replace(own, &name, &Statement::Return(None), true);
            }
        });
    }
}

/// Puts another jump in place of those to a label; not of those in inner loops, unless it goes `through` them.
fn replace(node: &mut Node<Statement>, name: &str, jump: &Statement, through: bool) {
    if is_jump(&node.node, Some(name)) {
        node.node = jump.clone();
        return;
    }
    match &mut node.node {
        Statement::Compound(items) => items.iter_mut().for_each(|item| {
            if let BlockItem::Statement(own) = &mut item.node {
                replace(own, name, jump, through);
            }
        }),
        Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) if !through => {}
        other => inner(other).into_iter().for_each(|own| replace(own, name, jump, through)),
    }
}

impl Exits<'_> {
    /// Takes the jumps to labels out of a statement of a function, `whole`; the innermost blocks first.
    fn labels(&mut self, node: &mut Node<Statement>, whole: &Node<Statement>, behind: &mut Vec<Behind>, is_body: bool) {
        let again = again(node).map(Behind::Again);
        let Statement::Compound(items) = &mut node.node else {
            let is_loop = again.is_some();
            behind.extend(again);
            inner(&mut node.node).into_iter().for_each(|own| self.labels(own, whole, behind, is_loop));
            if is_loop {
                behind.pop();
            }
            return;
        };
        for k in 0..items.len() {
            let rest = items[k + 1..].to_vec();
            if let BlockItem::Statement(own) = &mut items[k].node {
                behind.push(Behind::Next(rest));
                self.labels(own, whole, behind, false);
                behind.pop();
            }
        }
        for k in (0..items.len()).rev() {
            while let Some(name) = items.get(k).and_then(label).map(str::to_string) {
                let all = jumps(whole, Some(&name));
                if all == 0 || jumps_in(&items[..k], &name) != all {
                    break;
                }
                let Some(made) = self.label(items, k, &name, behind, is_body) else { break };
                *items = made;
            }
        }
    }

    /// A block without the jumps to the label of item `k`, all of which stand before it; the items before that may be others then.
    fn label(&mut self, items: &Items, k: usize, name: &str, behind: &[Behind], is_body: bool) -> Option<Items> {
        let span = items[k].span;
        let has =
            |item: &Node<BlockItem>| matches!(&item.node, BlockItem::Statement(own) if jumps(own, Some(name)) > 0);
        let first = items[..k].iter().position(has)?;
        let rest: Items = std::iter::once(without_label(&items[k])).chain(items[k + 1..].iter().cloned()).collect();
        let with = |jump: Statement, in_loop: bool| -> Option<Items> {
            let mut own = block(items[..k].to_vec(), span);
            let Statement::Compound(items) = &mut own.node else { return None };
            for item in items.iter_mut() {
                let BlockItem::Statement(own) = &mut item.node else { continue };
                match &mut own.node {
                    Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) if in_loop => {
                        inner(&mut own.node).into_iter().for_each(|body| replace(body, name, &jump, false));
                    }
                    _ => replace(own, name, &jump, false),
                }
            }
            let Statement::Compound(items) = own.node else { return None };
            (jumps_in(&items, name) == 0).then(|| [items, rest.clone()].concat())
        };
        if is_body
            && rest.iter().all(is_empty)
            && let Some(made) = with(Statement::Continue, false)
        {
            return Some(made);
        }
        if first + 1 == k
            && is_loop(&items[first])
            && let Some(made) = with(Statement::Break, true)
        {
            return Some(made);
        }
        // What is declared on the way is not seen behind the label.
        let declares = items[first..k].iter().filter(|item| matches!(item.node, BlockItem::Declaration(_)));
        let own = changed(&block(declares.cloned().collect(), span));
        let later = block(rest.clone(), span);
        if own.iter().any(|name| names(&later, name) > 0) {
            return None;
        }
        let flag = self.fresh("over");
        let mut moving: Vec<String> = vec![];
        loops(&block(items[first..k].to_vec(), span), name, &mut moving);
        let Kept { declarations, kept, rest } = self.kept(&moving, &rest, behind, span)?;
        let leave = Leave { is_jump: &|own| is_jump(own, Some(name)), through_loops: true, flag: &flag, kept };
        let mut made: Items = items[..first].to_vec();
        made.push(declared(&flag, span));
        made.extend(declarations);
        made.extend(leave.without(items[first..k].to_vec())?);
        made.extend(rest);
        Some(made)
    }
}

fn is_empty(item: &Node<BlockItem>) -> bool {
    matches!(&item.node, BlockItem::Statement(Node { node: Statement::Expression(None), .. }))
}

fn is_loop(item: &Node<BlockItem>) -> bool {
    matches!(
        &item.node,
        BlockItem::Statement(Node { node: Statement::For(_) | Statement::While(_) | Statement::DoWhile(_), .. })
    )
}

/// What the loops that jumps to a label leave count with.
fn loops(node: &Node<Statement>, name: &str, found: &mut Vec<String>) {
    if jumps(node, Some(name)) == 0 {
        return;
    }
    for own in counters(node) {
        if !found.contains(&own) {
            found.push(own);
        }
    }
    for item in listed(node) {
        if let BlockItem::Statement(own) = &item.node {
            let mut own = own.clone();
            inner(&mut own.node).into_iter().for_each(|own| loops(own, name, found));
            if let Statement::Compound(_) = own.node {
                loops(&own, name, found);
            }
        }
    }
}
