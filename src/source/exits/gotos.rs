//! `goto` forward, to a label in a block around it: as `break`, `continue` and `return` where it is one of those in other words, else
//! as [`super::leave`] has jumps. Backward, or into a block, it stays what it is, and is refused.

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    BinaryOperator, BlockItem, Expression, Identifier, InitDeclarator, Initializer, Label, LabeledStatement, Statement,
    TranslationUnit,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::leave::{Items, Leave, counters, declared, trailing, unless};
use super::{Behind, Exits, Kept, again, body_of, each_function, is_live};
use crate::source::breaks::has_break;
use crate::source::canonical::{begun, has_continue};
use crate::source::counters::named;
use crate::source::flat::{constant, names};
use crate::source::function::{identifier, names_of};
use crate::source::known::{Declared, changed};
use crate::source::nest::{assignment, counts};
use crate::source::plain::{binary, block, choice, inner, item, listed, number, variable};
use crate::source::types::Types;

/// Rewrites the bodies of all functions.
pub fn gotos(unit: &mut TranslationUnit, types: &Types) {
    each_function(unit, &mut |function| {
        let mut taken = names_of(function);
        blocks(&mut function.statement, &mut taken);
        if jumps(&function.statement, None) == 0 {
            return;
        }
        let own = Declared::of(function, types);
        let mut exits = Exits { taken: names_of(function), specifiers: &own, origins: HashMap::new() };
        let mut body = function.statement.clone();
        if let Statement::Compound(items) = &mut body.node {
            at_the_end(items);
        }
        let whole = body.clone();
        exits.labels(&mut body, &whole, &mut vec![], false);
        function.statement = body;
    });
}

/// Makes `{ …; goto left; … } left: ;` of `do { …; break; … } while (0);`, which is a block that can be left.
fn blocks(node: &mut Node<Statement>, taken: &mut HashSet<String>) {
    let Statement::Compound(items) = &mut node.node else {
        inner(&mut node.node).into_iter().for_each(|own| blocks(own, taken));
        if let Some(items) = block_of(node, taken) {
            *node = block(items, node.span);
        }
        return;
    };
    for item in items {
        if let BlockItem::Statement(own) = &mut item.node {
            blocks(own, taken);
        }
    }
}

fn block_of(node: &Node<Statement>, taken: &mut HashSet<String>) -> Option<Items> {
    let Statement::DoWhile(w) = &node.node else { return None };
    let body = &w.node.statement;
    if constant(&w.node.expression) != Some(0) || !has_break(body) || has_continue(body) {
        return None;
    }
    let span = node.span;
    let name = (0..).map(|k| format!("left_{k}")).find(|own| !taken.contains(own))?;
    taken.insert(name.clone());
    let name = Node::new(Identifier { name }, span);
    let mut own = (**body).clone();
    broken(&mut own, &Statement::Goto(name.clone()));
    let label = Node::new(Label::Identifier(name), span);
    let end = LabeledStatement { label, statement: Box::new(Node::new(Statement::Expression(None), span)) };
    let end = Node::new(Statement::Labeled(Node::new(end, span)), span);
    let all = [own, end].map(|own| Node::new(BlockItem::Statement(own), span));
    (!has_break(&block(all.to_vec(), span))).then(|| all.to_vec())
}

/// Puts a jump in place of each `break` out of a statement.
fn broken(node: &mut Node<Statement>, jump: &Statement) {
    match &mut node.node {
        Statement::Break => node.node = jump.clone(),
        Statement::Compound(items) => items.iter_mut().for_each(|item| {
            if let BlockItem::Statement(own) = &mut item.node {
                broken(own, jump);
            }
        }),
        Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) | Statement::Switch(_) => {}
        other => inner(other).into_iter().for_each(|own| broken(own, jump)),
    }
}

fn is_jump(statement: &Statement, name: Option<&str>) -> bool {
    matches!(statement, Statement::Goto(label) if name.is_none_or(|own| label.node.name == own))
}

/// How many jumps to a label there are in a statement, or to any.
pub fn jumps(node: &Node<Statement>, name: Option<&str>) -> usize {
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

/// The same label in front of another statement.
fn with_statement(item: &Node<BlockItem>, own: Statement) -> Node<BlockItem> {
    let mut item = item.clone();
    if let BlockItem::Statement(Node { node: Statement::Labeled(labeled), span }) = &mut item.node {
        *labeled.node.statement = Node::new(own, *span);
    }
    item
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
                let made = self.label(items, k, whole, behind, is_body);
                let by_breaks = |exits: &mut Self| {
                    let apart = exits.by_breaks(items, &name, k)?;
                    exits.label(&apart, k + 1, whole, behind, is_body)
                };
                let Some(made) = made.or_else(|| by_breaks(self)) else { break };
                *items = made;
            }
        }
    }

    /// A block whose loops are left for a label by `break`, behind which the jump is: `{ while (…) { … over = 1; break; … } if (over) goto label; }`.
    fn by_breaks(&mut self, items: &Items, name: &str, k: usize) -> Option<Items> {
        let span = items[k].span;
        let flag = self.fresh("over");
        let mut all = block(items[..k].to_vec(), span);
        broken_out(&mut all, name, &flag)?;
        let Statement::Compound(front) = all.node else { return None };
        Some([vec![declared(&flag, span)], front, items[k..].to_vec()].concat())
    }

    /// A block of `whole` without the jumps to the label of item `k`, all of which stand before it; the items before that may be others then.
    fn label(
        &mut self,
        items: &Items,
        k: usize,
        whole: &Node<Statement>,
        behind: &[Behind],
        is_body: bool,
    ) -> Option<Items> {
        let span = items[k].span;
        let name = label(&items[k])?;
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
        let mut items = items.clone();
        let others = self.begun_apart(&mut items, first..k, &mut moving, (&rest, behind), whole);
        let name = label(&items[k])?;
        let Kept { mut declarations, mut kept, rest } = self.kept(&moving, &rest, behind, span)?;
        let passed = block(items[first..k].to_vec(), span);
        let is_again = behind.iter().any(|own| matches!(own, Behind::Again(_)));
        // Where another jump comes to a label on the way, what it sets is seen behind that, too.
        let inner: Vec<usize> = (first + 1..k).filter(|place| label(&items[*place]).is_some()).collect();
        let mut at_end = vec![];
        for ((counter, own), declaration) in kept.iter().zip(&mut declarations) {
            // What else moves them is seen at the end alone, and so is what that jump takes past the end of their loops.
            if !inner.is_empty() || !moves_with_its_loop(&passed, counter) {
                at_end.push((counter.clone(), own.clone()));
            } else if !items[first..k].iter().any(|item| is_loop_of(item, counter))
                && (is_again || moves(whole, counter) > moves(&passed, counter))
            {
                // Perhaps their loops are not come to.
                begin_with(declaration, counter);
            }
        }
        for (declaration, own) in others {
            declarations.push(declaration);
            kept.push(own);
        }
        let leave =
            Leave { is_jump: &|own| is_jump(own, Some(name)), through_loops: true, flag: &flag, kept, dead: vec![] };
        let before = if inner.is_empty() { first } else { 0 };
        let mut made: Items = items[..before].to_vec();
        made.push(declared(&flag, span));
        made.extend(declarations);
        made.extend(items[before..first].iter().cloned());
        made.extend(leave.without(items[first..inner.first().copied().unwrap_or(k)].to_vec())?);
        for (place, end) in inner.iter().zip(inner.iter().skip(1).chain([&k])) {
            made.push(with_statement(&items[*place], Statement::Expression(None)));
            let own = std::iter::once(without_label(&items[*place])).chain(items[place + 1..*end].iter().cloned());
            made.push(unless(&flag, leave.without(own.collect())?, items[*place].span));
        }
        let ends = Leave { kept: at_end, ..leave }.keeping(None, span);
        if !ends.is_empty() {
            made.push(unless(&flag, ends, span));
        }
        made.extend(rest);
        Some(made)
    }
}

impl Exits<'_> {
    /// Other counters for inner loops on the way to a label that are perhaps not come to, where what counts in them has a value before: they
    /// leave that with the counters of the text, which are `moving` no more.
    fn begun_apart(
        &mut self,
        items: &mut Items,
        way: std::ops::Range<usize>,
        moving: &mut Vec<String>,
        (rest, behind): (&Items, &[Behind]),
        whole: &Node<Statement>,
    ) -> Vec<(Node<BlockItem>, (String, String))> {
        let span = items[way.end].span;
        let mut made = vec![];
        // What other jumps set is seen at their labels.
        if items[way.start + 1..way.end].iter().any(|item| label(item).is_some()) {
            return made;
        }
        moving.retain(|counter| {
            let passed = block(items[way.clone()].to_vec(), span);
            let is_again = behind.iter().any(|own| matches!(own, Behind::Again(_)));
            let is_outer = items[way.clone()].iter().any(|item| is_loop_of(item, counter));
            let has_another = is_again || moves(whole, counter) > moves(&passed, counter);
            if is_outer
                || !has_another
                || !moves_with_its_loop(&passed, counter)
                || !is_live(counter, rest, behind)
                || self.specifiers.has_address(counter)
            {
                return true;
            }
            let mut all = items[way.clone()].to_vec();
            let found = all.iter_mut().find_map(|item| match &mut item.node {
                BlockItem::Statement(own) => loop_that_begins(own, counter).map(|own| self.apart(own, counter)),
                _ => None,
            });
            let Some((declaration, own)) = found.flatten() else { return true };
            items.splice(way.clone(), all);
            made.push((declaration, (own, counter.clone())));
            false
        });
        made
    }
}

/// The loop in a statement whose head gives a variable its first value.
fn loop_that_begins<'s>(node: &'s mut Node<Statement>, counter: &str) -> Option<&'s mut Node<Statement>> {
    let begins = |node: &Node<Statement>| match &node.node {
        Statement::For(f) => begun(&f.node.initializer.node).iter().any(|name| name == counter),
        _ => false,
    };
    if begins(node) {
        return Some(node);
    }
    match &mut node.node {
        Statement::Compound(items) => items.iter_mut().find_map(|item| match &mut item.node {
            BlockItem::Statement(own) => loop_that_begins(own, counter),
            _ => None,
        }),
        other => inner(other).into_iter().find_map(|own| loop_that_begins(own, counter)),
    }
}

/// Puts `over = 1; break;` in place of the jumps out of loops, and the jump behind each loop; `None` where a `break` there leaves a `switch`.
fn broken_out(node: &mut Node<Statement>, name: &str, flag: &str) -> Option<()> {
    if jumps(node, Some(name)) == 0 {
        return Some(());
    }
    let span = node.span;
    match &mut node.node {
        Statement::Switch(_) => return None,
        Statement::Compound(items) => {
            for item in items.iter_mut() {
                if let BlockItem::Statement(own) = &mut item.node {
                    broken_out(own, name, flag)?;
                }
            }
            return Some(());
        }
        Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) => {}
        other => return inner(other).into_iter().try_for_each(|own| broken_out(own, name, flag)),
    }
    inner(&mut node.node).into_iter().try_for_each(|own| broken_out(own, name, flag))?;
    let set = item(binary(BinaryOperator::Assign, named(flag, span), number("1", span), span));
    let leave = block(vec![set, Node::new(BlockItem::Statement(Node::new(Statement::Break, span)), span)], span);
    inner(&mut node.node).into_iter().for_each(|own| replace(own, name, &leave.node, false));
    let label = Node::new(Identifier { name: name.to_string() }, span);
    let jump = choice(named(flag, span), Node::new(Statement::Goto(label), span), None, span);
    let both = [node.clone(), jump].map(|own| Node::new(BlockItem::Statement(own), span));
    *node = block(both.to_vec(), span);
    Some(())
}

fn is_loop_of(item: &Node<BlockItem>, counter: &str) -> bool {
    matches!(&item.node, BlockItem::Statement(own) if counters(own).iter().any(|name| name == counter))
}

/// How often a variable gets a value in a statement.
pub fn moves(node: &Node<Statement>, name: &str) -> usize {
    struct Moves<'n>(&'n str, usize);
    impl<'ast> Visit<'ast> for Moves<'_> {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            let target = match expression {
                Expression::UnaryOperator(unary) if counts(&unary.node.operator.node) => Some(&unary.node.operand),
                Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => Some(&o.node.lhs),
                _ => None,
            };
            self.1 += usize::from(target.and_then(|target| variable(target)) == Some(self.0));
            visit::visit_expression(self, expression, span);
        }
        fn visit_init_declarator(&mut self, declarator: &'ast InitDeclarator, span: &'ast Span) {
            let is_own = identifier(&declarator.declarator.node).is_some_and(|own| own.node.name == self.0);
            self.1 += usize::from(is_own && declarator.initializer.is_some());
            visit::visit_init_declarator(self, declarator, span);
        }
    }
    let mut found = Moves(name, 0);
    found.visit_statement(&node.node, &node.span);
    found.1
}

/// Whether nothing in a statement moves a variable but the head and the last steps of a single loop.
fn moves_with_its_loop(node: &Node<Statement>, counter: &str) -> bool {
    struct Loops<'n> {
        counter: &'n str,
        moves: Vec<usize>,
    }
    impl<'ast> Visit<'ast> for Loops<'_> {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            let own = Node::new(statement.clone(), *span);
            if counters(&own).iter().any(|name| name == self.counter) {
                let (front, _) = trailing(body_of(&own).map(listed).unwrap_or_default());
                let is_steady = moves(&block(front, *span), self.counter) == 0;
                self.moves.push(if is_steady { moves(&own, self.counter) } else { usize::MAX });
            }
            visit::visit_statement(self, statement, span);
        }
    }
    let mut loops = Loops { counter, moves: vec![] };
    loops.visit_statement(&node.node, &node.span);
    loops.moves == [moves(node, counter)]
}

/// `int i_at = i;` instead of another first value.
fn begin_with(item: &mut Node<BlockItem>, counter: &str) {
    let BlockItem::Declaration(declaration) = &mut item.node else { return };
    for declarator in &mut declaration.node.declarators {
        if let Some(first) = &mut declarator.node.initializer {
            let span = first.span;
            first.node = Initializer::Expression(Box::new(named(counter, span)));
        }
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
    struct Loops<'n>(&'n str, &'n mut Vec<String>);
    impl<'ast> Visit<'ast> for Loops<'_> {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            let own = Node::new(statement.clone(), *span);
            if jumps(&own, Some(self.0)) == 0 {
                return;
            }
            for counter in counters(&own) {
                if !self.1.contains(&counter) {
                    self.1.push(counter);
                }
            }
            visit::visit_statement(self, statement, span);
        }
    }
    Loops(name, found).visit_statement(&node.node, &node.span);
}
