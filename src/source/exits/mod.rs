//! Loops that data end, on C's own tree, as loops that go through all of their iterations:
//!
//! ```c
//! for (i = 0; i < n; i++) { if (a[i] == x) break; s += a[i]; }
//! ```
//!
//! becomes `over = 0; for (i = 0; i < n; i++) if (!over) { if (a[i] == x) over = 1; else s += a[i]; }`, and where somebody reads `i`
//! behind it, `i_at` keeps what it was. So do `return;` and `goto` out of several loops, and conditions on data beside one that
//! counts, `while (i < n && a[i] != x) i++;`. Subscripts stay in their arrays in all of the iterations, as they do under any `if` on data.
//!
//! What steps last in an iteration goes on: it counts, whatever the data.

mod data;
mod dwindling;
mod following;
mod gotos;
mod heads;
mod leave;
mod looked;
mod nearing;
mod ranges;
mod reached;
mod squares;
mod strides;
mod taking;
mod wandering;
mod ways;

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, Expression, ExternalDeclaration, ForInitializer,
    FunctionDefinition, Statement, TranslationUnit, UnaryOperator, UnaryOperatorExpression,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::breaks::has_break;
use super::canonical::{begun, has_continue};
use super::counters::{declaration, named, replace};
use super::flat::constant;
use super::function::names_of;
use super::known::Declared;
use super::left::reading;
use super::loops::steps;
use super::nest::operation;
use super::plain::{block, listed, number};
use super::program::{First, Flow};
use super::types::Types;
pub use data::{Data, Decided, reads_memory};
pub use dwindling::going_on;
pub use gotos::{gotos, jumps};
pub use heads::conjuncts;
use leave::{Items, Leave, counters, declared, statement, unless};

/// Whether a loop somewhere may end otherwise than by counting.
pub fn may_leave(unit: &TranslationUnit) -> bool {
    leaves(unit, true)
}

/// The same where no number that becomes smaller ends it.
pub fn leaves_told(unit: &TranslationUnit) -> bool {
    leaves(unit, false)
}

fn leaves(unit: &TranslationUnit, or_dwindles: bool) -> bool {
    #[derive(Default)]
    struct Search {
        in_head: bool,
        or_dwindles: bool,
        found: bool,
    }
    impl Search {
        fn head(&mut self, condition: &Node<Expression>) {
            self.in_head = true;
            self.visit_expression(&condition.node, &condition.span);
            self.in_head = false;
        }
    }
    impl<'ast> Visit<'ast> for Search {
        fn visit_statement(&mut self, node: &'ast Statement, span: &'ast Span) {
            match node {
                Statement::Break | Statement::Continue | Statement::Return(None) | Statement::Goto(_) => {
                    self.found = true;
                }
                // What moves their counters may be data.
                Statement::While(_) | Statement::DoWhile(_) => self.found = true,
                Statement::For(f) => {
                    f.node.condition.iter().for_each(|condition| self.head(condition));
                    // What it steps by may be data.
                    let all = f.node.step.as_deref().map(steps).unwrap_or_default();
                    self.found |= all.into_iter().any(is_uneven);
                }
                _ => {}
            }
            visit::visit_statement(self, node, span);
        }
        fn visit_binary_operator_expression(&mut self, o: &'ast BinaryOperatorExpression, span: &'ast Span) {
            let may_be_data = matches!(
                o.operator.node,
                BinaryOperator::Index | BinaryOperator::LogicalAnd | BinaryOperator::Multiply
            );
            // Of a number that becomes smaller something may be left or not.
            let dwindles = matches!(
                o.operator.node,
                BinaryOperator::AssignShiftRight
                    | BinaryOperator::AssignShiftLeft
                    | BinaryOperator::AssignDivide
                    | BinaryOperator::AssignBitwiseAnd
                    | BinaryOperator::ShiftRight
                    | BinaryOperator::ShiftLeft
                    | BinaryOperator::Divide
                    | BinaryOperator::BitwiseAnd
            );
            self.found |= self.in_head && may_be_data || self.or_dwindles && dwindles;
            visit::visit_binary_operator_expression(self, o, span);
        }
        fn visit_unary_operator_expression(&mut self, unary: &'ast UnaryOperatorExpression, span: &'ast Span) {
            self.found |= self.in_head && unary.operator.node == UnaryOperator::Indirection;
            visit::visit_unary_operator_expression(self, unary, span);
        }
    }
    let mut search = Search { or_dwindles, ..Search::default() };
    search.visit_translation_unit(unit);
    search.found
}

/// Whether a step adds, or takes away, what is no constant, or goes where an element says.
fn is_uneven(step: &Node<Expression>) -> bool {
    operation(step).is_some_and(|(operator, o)| match operator {
        BinaryOperator::AssignPlus | BinaryOperator::AssignMinus => constant(&o.rhs).is_none(),
        BinaryOperator::Assign => reads_memory(&o.rhs),
        _ => false,
    })
}

/// Makes a `break` of each condition on data beside one that counts, in the heads of all loops.
pub fn split_heads(unit: &mut TranslationUnit, types: &Types, decided: Decided) {
    each_function(unit, &mut |function| heads::split(function, &Declared::of(function, types), types, decided));
}

/// Makes loops that count of those that end when nothing is left of a number, or for any other reason that tells how often they run at most.
pub fn dwindling(unit: &mut TranslationUnit, types: &Types, decided: Decided) {
    each_function(unit, &mut |function| {
        dwindling::dwindling(function, &Declared::of(function, types), types, decided);
    });
}

/// Says of loops up to variables that constants have been added to how far they run at most.
pub fn ended(unit: &mut TranslationUnit, types: &Types) {
    each_function(unit, &mut |function| reached::ended(function, &Declared::of(function, types)));
}

/// Rewrites the loops of all functions that `break` and `return` leave.
pub fn exits(unit: &mut TranslationUnit, types: &Types, decided: Decided) {
    each_function(unit, &mut |function| {
        let own = Declared::of(function, types);
        heads::split(function, &own, types, decided);
        let mut exits = Exits { taken: names_of(function), specifiers: &own, origins: HashMap::new() };
        let mut body = function.statement.clone();
        if exits.returns(&mut body).is_some() {
            exits.whole(&mut body, &mut vec![]);
            function.statement = body;
        }
    });
}

fn each_function(unit: &mut TranslationUnit, act: &mut dyn FnMut(&mut FunctionDefinition)) {
    for external in &mut unit.0 {
        if let ExternalDeclaration::FunctionDefinition(function) = &mut external.node {
            act(&mut function.node);
        }
    }
}

/// What comes behind a block.
enum Behind {
    /// These statements, once.
    Next(Items),
    /// A loop's body and head, perhaps.
    Again(Items),
}

struct Exits<'d> {
    taken: HashSet<String>,
    specifiers: &'d Declared,
    /// What variables stand for that loops have been given, those of the text.
    origins: HashMap<String, String>,
}

impl Exits<'_> {
    fn fresh(&mut self, stem: &str) -> String {
        let mut own = stem.to_string();
        let mut k = 1;
        while self.taken.contains(&own) {
            own = format!("{stem}_{k}");
            k += 1;
        }
        self.taken.insert(own.clone());
        own
    }

    /// A variable with the type of another, whose value it keeps.
    fn like(
        &mut self,
        counter: &str,
        stem: &str,
        first: Node<Expression>,
        span: Span,
    ) -> Option<(Node<BlockItem>, String)> {
        let origin = self.origins.get(counter).cloned().unwrap_or_else(|| counter.to_string());
        let specifiers = self.specifiers.specifiers(&origin)?;
        let own = self.fresh(&format!("{counter}_{stem}"));
        self.origins.insert(own.clone(), origin);
        let declaration = declaration(specifiers, &own, first, span);
        Some((Node::new(BlockItem::Declaration(declaration), span), own))
    }

    /// Takes `return;` out of the loops of a function; `None` where one stands elsewhere.
    fn returns(&mut self, body: &mut Node<Statement>) -> Option<()> {
        let is_return = |node: &Statement| matches!(node, Statement::Return(None));
        let Statement::Compound(items) = &mut body.node else { return Some(()) };
        // At the very end it changes nothing.
        if matches!(items.last().map(|last| &last.node), Some(BlockItem::Statement(own)) if is_return(&own.node)) {
            items.pop();
        }
        let leave = Leave { is_jump: &is_return, through_loops: true, flag: "", kept: vec![], dead: vec![] };
        let is_in = |item: &Node<BlockItem>| matches!(&item.node, BlockItem::Statement(own) if leave.is_in(own));
        let Some(first) = items.iter().position(is_in) else { return Some(()) };
        let span = items[first].span;
        let flag = self.fresh("over");
        let leave = Leave { flag: &flag, ..leave };
        let mut done: Items = items[..first].to_vec();
        done.push(declared(&flag, span));
        done.extend(leave.without(items[first..].to_vec())?);
        *items = done;
        Some(())
    }

    /// Takes each `break` out of the loops in a statement.
    fn whole(&mut self, node: &mut Node<Statement>, behind: &mut Vec<Behind>) {
        let span = node.span;
        match &mut node.node {
            Statement::Compound(items) => self.list(items, behind),
            Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) => {
                let mut items = listed(node);
                self.list(&mut items, behind);
                *node = match (&items[..], items.first()) {
                    ([_], Some(Node { node: BlockItem::Statement(only), .. })) => only.clone(),
                    _ => block(items, span),
                };
            }
            other => super::plain::inner(other).into_iter().for_each(|inner| self.whole(inner, behind)),
        }
    }

    fn list(&mut self, items: &mut Items, behind: &mut Vec<Behind>) {
        let mut k = 0;
        while k < items.len() {
            let rest = items[k + 1..].to_vec();
            if let BlockItem::Statement(own) = &mut items[k].node {
                behind.push(Behind::Next(rest));
                if let Some(again) = again(own) {
                    behind.push(Behind::Again(again));
                    super::plain::inner(&mut own.node).into_iter().for_each(|inner| match &mut inner.node {
                        // The `for` that a `do` has become.
                        Statement::For(f) if inner.span == own.span => self.whole(&mut f.node.statement, behind),
                        _ => self.whole(inner, behind),
                    });
                    behind.pop();
                } else {
                    self.whole(own, behind);
                }
                behind.pop();
                if body_of(own).is_some_and(has_continue) {
                    self.continued(own);
                }
                if body_of(own).is_some_and(has_break)
                    && let Some(made) = self.broken(own.clone(), &items[k + 1..], behind)
                {
                    let (before, after) = made;
                    items.truncate(k);
                    k += before.len();
                    items.extend(before.into_iter().chain(after));
                    continue;
                }
            }
            k += 1;
        }
    }

    /// Takes the `continue`s out of a loop's body: what follows them is done only where there was none.
    fn continued(&mut self, node: &mut Node<Statement>) {
        let body = match &mut node.node {
            Statement::For(f) => &mut f.node.statement,
            Statement::While(w) => &mut w.node.statement,
            _ => return,
        };
        let flag = self.fresh("next");
        if let Some(items) = without_continues(listed(body), &flag, body.span) {
            **body = block(items, body.span);
        }
    }

    /// A loop without the `break`s that leave it and what stands around it now, and what follows it in its block.
    fn broken(
        &mut self,
        mut node: Node<Statement>,
        rest: &[Node<BlockItem>],
        behind: &[Behind],
    ) -> Option<(Items, Items)> {
        let span = node.span;
        let flag = self.fresh("over");
        let (mut declarations, mut kept, mut rest) = (vec![], vec![], rest.to_vec());
        for counter in counters(&node) {
            match self.kept(std::slice::from_ref(&counter), &rest, behind, span) {
                Some(own) => {
                    declarations.extend(own.declarations);
                    kept.extend(own.kept);
                    rest = own.rest;
                }
                None => {
                    let (declaration, own) = self.apart(&mut node, &counter)?;
                    declarations.push(declaration);
                    kept.push((own, counter));
                }
            }
        }
        let mut dead = counters(&node);
        if let Statement::For(f) = &node.node {
            dead.extend(begun(&f.node.initializer.node));
        }
        dead.retain(|name| !kept.iter().any(|(counter, _)| counter == name));
        let is_jump = &|node: &Statement| matches!(node, Statement::Break);
        let leave = Leave { is_jump, through_loops: false, flag: &flag, kept, dead };
        let own = leave.without_in_loop(&node)?;
        let mut items = vec![declared(&flag, span)];
        items.extend(declarations);
        items.push(statement(own.node, span));
        let ends = leave.keeping(None, span);
        if !ends.is_empty() {
            items.push(unless(&flag, ends, span));
        }
        Some((items, rest))
    }

    /// Another counter for a loop, which leaves the value that it has at the end in its own.
    fn apart(&mut self, node: &mut Node<Statement>, counter: &str) -> Option<(Node<BlockItem>, String)> {
        let span = node.span;
        let begins = matches!(&node.node, Statement::For(f) if begun(&f.node.initializer.node).iter().any(|name| name == counter));
        let first = if begins { number("0", span) } else { named(counter, span) };
        let (declaration, own) = self.like(counter, "in", first, span)?;
        (!self.specifiers.has_address(counter) && replace(node, counter, &named(&own, span)))
            .then_some((declaration, own))
    }

    /// Variables for the values that counters have where a jump leaves their loops, of those that somebody reads behind.
    fn kept(&mut self, counters: &[String], rest: &[Node<BlockItem>], behind: &[Behind], span: Span) -> Option<Kept> {
        let mut all = Kept { declarations: vec![], kept: vec![], rest: rest.to_vec() };
        for counter in counters {
            if !is_live(counter, &all.rest, behind) {
                continue;
            }
            let (declaration, own) = self.like(counter, "at", number("0", span), span)?;
            all.rest = reading(&all.rest, counter, &own, true)?;
            if is_live(counter, &all.rest, behind) {
                return None;
            }
            all.declarations.push(declaration);
            all.kept.push((counter.clone(), own));
        }
        Some(all)
    }
}

/// The items of a loop's body without its `continue`s: what follows them is done only where there was none.
pub fn without_continues(items: Items, flag: &str, span: Span) -> Option<Items> {
    let is_jump = &|node: &Statement| matches!(node, Statement::Continue);
    let leave = Leave { is_jump, through_loops: false, flag, kept: vec![], dead: vec![] };
    Some([vec![declared(flag, span)], leave.without(items)?].concat())
}

struct Kept {
    declarations: Items,
    kept: Vec<(String, String)>,
    /// What follows, and reads them.
    rest: Items,
}

/// Whether somebody may read what a variable is before these statements.
fn is_live(name: &str, rest: &[Node<BlockItem>], behind: &[Behind]) -> bool {
    let functions = HashMap::new();
    let first = |items: &[Node<BlockItem>]| {
        let flow = Flow { name, functions: &functions, is_global: false };
        flow.items(&items.iter().collect::<Vec<_>>())
    };
    match first(rest) {
        First::Read => return true,
        First::Written => return false,
        First::Untouched => {}
    }
    for own in behind.iter().rev() {
        match own {
            Behind::Next(items) => match first(items) {
                First::Read => return true,
                First::Written => return false,
                First::Untouched => {}
            },
            Behind::Again(items) if first(items) == First::Read => return true,
            Behind::Again(_) => {}
        }
    }
    false
}

/// What may be done behind a loop's body before the loop ends.
fn again(node: &Node<Statement>) -> Option<Items> {
    let mut node = node.clone();
    let span = node.span;
    match &mut node.node {
        Statement::For(f) => f.node.initializer.node = ForInitializer::Empty,
        Statement::While(_) => {}
        Statement::DoWhile(w) => {
            if let Statement::For(f) = &mut w.node.statement.node
                && f.span == w.span
            {
                f.node.initializer.node = ForInitializer::Empty;
            }
        }
        _ => return None,
    }
    // Its step and its condition come first.
    let mut items = vec![];
    if let Statement::For(f) = &node.node {
        let parts = f.node.step.iter().chain(&f.node.condition);
        items.extend(parts.map(|part| statement(Statement::Expression(Some(part.clone())), span)));
    }
    items.push(statement(node.node, span));
    Some(items)
}

fn body_of(node: &Node<Statement>) -> Option<&Node<Statement>> {
    match &node.node {
        Statement::For(f) => Some(&f.node.statement),
        Statement::While(w) => Some(&w.node.statement),
        Statement::DoWhile(w) => match super::canonical::at_least_once(w) {
            Some(f) => Some(&f.node.statement),
            None => Some(&w.node.statement),
        },
        _ => None,
    }
}
