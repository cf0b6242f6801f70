//! Conditions on data in the heads of loops, as `break`s at the beginning of their bodies.
//!
//! `for (…; i < n && a[i] != x; …) …` is `for (…; i < n; …) { if (!(a[i] != x)) break; … }`. Where nothing else ends a loop, as in
//! `while (a[i] != 0) i++;` and `for (i = 0; i < count[k]; i++) if (a[i] == x) break;`, the array does: in C there is no `a[i]` behind
//! its last element. `i * i < n` is `i < n && i * i < n` (`squares.rs`).

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    ArraySize, BinaryOperator, BlockItem, Declarator, DerivedDeclarator, DoWhileStatement, Expression,
    FunctionDefinition, Initializer, Statement, UnaryOperator, WhileStatement,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::data::{Data, Decided};
use super::leave::{counters, statement};
use super::squares::Squares;
use crate::source::breaks::{all, counts, has_break, is_always, opposite};
use crate::source::canonical::{REPEATED, at_least_once, has_continue, has_jump, names_in, statements};
use crate::source::counters::named;
use crate::source::function::{derived, identifier};
use crate::source::known::{Declared, changed, changed_in};
use crate::source::left::step_of;
use crate::source::loops::steps;
use crate::source::nest::operation;
use crate::source::plain::{binary, block, choice, inner, listed, number, untrue, variable};
use crate::source::polynomial::changes;
use crate::source::program::Changed;
use crate::source::types::Types;

/// Whether a condition is `j < n` of a loop that counts `j` by 1 and changes nothing of `n`, nor ends otherwise: its head may say so, as one
/// of those of `data_bounds`.
fn is_kept_end(condition: &Node<Expression>, step: &Node<Expression>, body: &Node<Statement>) -> bool {
    let Some((BinaryOperator::Less | BinaryOperator::LessOrEqual, o)) = operation(condition) else { return false };
    let (Some(counter), Some(end)) = (variable(&o.lhs), variable(&o.rhs)) else { return false };
    let moved = changed(body);
    step_of(step, counter) == Some(1)
        && !has_jump(body)
        && ![counter, end].iter().any(|name| moved.iter().any(|own| own == name))
}

/// Rewrites the body of a function.
pub fn split(function: &mut FunctionDefinition, declared: &Declared, types: &Types, decided: Decided) {
    let data = Data::of(function, declared, decided);
    let squares = Squares::of(function, declared, types);
    let heads = Heads { data, squares, extents: Extents::of(function, declared) };
    heads.statement(&mut function.statement);
}

struct Heads<'d> {
    data: Data<'d>,
    squares: Squares<'d>,
    extents: Extents,
}

/// The extents of a function's arrays, outermost first, as far as they are told and keep their values.
pub struct Extents(HashMap<String, Vec<Option<Node<Expression>>>>);

impl Extents {
    pub fn of(function: &FunctionDefinition, declared: &Declared) -> Extents {
        struct Search<'d> {
            declared: &'d Declared,
            /// The variables that the function changes: their names mean something else behind a change.
            moved: HashSet<String>,
            found: Extents,
        }
        impl<'ast> Visit<'ast> for Search<'_> {
            fn visit_declarator(&mut self, declarator: &'ast Declarator, span: &'ast Span) {
                let own = Node::new(declarator.clone(), *span);
                let is_steady = |name: &String| !self.moved.contains(name) && self.declared.times(name) <= 1;
                let extent = |part: &Node<DerivedDeclarator>| match &part.node {
                    DerivedDeclarator::Array(array) => match &array.node.size {
                        ArraySize::VariableExpression(size) if names_in(size).iter().all(is_steady) => {
                            Some((**size).clone())
                        }
                        _ => None,
                    },
                    _ => None,
                };
                if let Some(name) = identifier(declarator).filter(|name| self.declared.times(&name.node.name) == 1) {
                    self.found.0.insert(name.node.name.clone(), derived(&own).into_iter().map(extent).collect());
                }
                visit::visit_declarator(self, declarator, span);
            }
        }
        let mut moved = Changed::default();
        moved.visit_function_definition(function, &Span::none());
        let mut search = Search { declared, moved: moved.0, found: Extents(HashMap::new()) };
        search.visit_function_definition(function, &Span::none());
        search.found
    }

    /// The array that an expression names an element or a row of, the extent that its last subscript stays below, and that subscript.
    pub fn looked_at<'n>(
        &self,
        node: &'n Node<Expression>,
    ) -> Option<(&'n str, &Node<Expression>, &'n Node<Expression>)> {
        let (BinaryOperator::Index, o) = operation(node)? else { return None };
        let (mut array, mut depth) = (&*o.lhs, 0);
        while let Some((BinaryOperator::Index, outer)) = operation(array) {
            (array, depth) = (&*outer.lhs, depth + 1);
        }
        let name = variable(array)?;
        Some((name, self.0.get(name)?.get(depth)?.as_ref()?, &*o.rhs))
    }
}

impl Heads<'_> {
    fn statement(&self, node: &mut Node<Statement>) {
        if let Statement::Compound(items) = &mut node.node {
            for item in items {
                if let BlockItem::Statement(own) = &mut item.node {
                    self.statement(own);
                }
            }
            return;
        }
        if let Some(items) = self.first_apart(node) {
            *node = block(items, node.span);
            return self.statement(node);
        }
        // Its condition comes behind the first iteration, and is no `break` before it.
        if let Statement::DoWhile(w) = &mut node.node
            && at_least_once(w).is_some()
            && let Statement::For(f) = &mut w.node.statement.node
        {
            return self.statement(&mut f.node.statement);
        }
        inner(&mut node.node).into_iter().for_each(|inner| self.statement(inner));
        let span = node.span;
        let own = counters(node);
        let is_data = |part: &Node<Expression>| self.data.is_in_but(part, &own);
        let condition = match &node.node {
            Statement::While(w) => Some(&w.node.expression),
            Statement::For(f) => f.node.condition.as_ref(),
            _ => return,
        };
        let mut parts: Vec<Node<Expression>> = condition.into_iter().flat_map(|all| conjuncts(all)).cloned().collect();
        let squares = parts.iter().filter_map(|part| Some((part.clone(), self.squares.root(part, node, &self.data)?)));
        let squares: Vec<_> = squares.filter(|(_, root)| !is_data(root)).collect();
        let is_square = |part: &Node<Expression>| squares.iter().any(|(own, _)| own == part);
        let (step, body) = match &mut node.node {
            Statement::While(w) => (None, &mut w.node.statement),
            Statement::For(f) => (f.node.step.clone(), &mut f.node.statement),
            _ => return,
        };
        let is_counting =
            |part: &Node<Expression>| !is_always(part) && !is_data(part) && counts(part) && !is_square(part);
        if !parts.iter().any(is_counting) {
            parts.extend(squares.iter().map(|(_, root)| root.clone()));
        }
        let is_counted = parts.iter().any(is_counting);
        let (mut counting, mut others): (Vec<Node<Expression>>, Vec<Node<Expression>>) = (vec![], vec![]);
        for part in parts.iter().filter(|part| !is_always(part)) {
            // What is no comparison of sums ends no loop that counts up to something else: as data would.
            let is_data = is_data(part) || is_square(part) || is_counted && !counts(part);
            // What comes first may say whether the next is looked at.
            if changes(part) && (is_data || !others.is_empty()) {
                return;
            }
            if is_data { others.push(part.clone()) } else { counting.push(part.clone()) }
        }
        // Those at the beginning of the body that count.
        let has_end = !counting.is_empty();
        if let [end] = &others[..]
            && has_end
            && step.as_deref().is_some_and(|step| is_kept_end(end, step, body))
        {
            return;
        }
        // Where something ends the loop already, what may be data stays.
        let stays = |c: &Node<Expression>| if has_end { self.data.is_in(c) || !counts(c) } else { is_data(c) };
        while let Some(leaving) = leading_break(body).filter(|c| !stays(c) && !changes(c)) {
            let own: Vec<_> = listed(body).into_iter().skip(1).collect();
            **body = block(own, body.span);
            counting.push(opposite(&leaving));
        }
        if counting.is_empty() {
            // Where data bound a loop that nothing else ends, it is one of those of `data_bounds`.
            let leaves = others.len() != 1 || has_break(body);
            let items = listed(body);
            let inside = if leaves { looked_at_first(&items) } else { vec![] };
            let mut looked = others.iter().flat_map(elements).chain(inside);
            counting.extend(looked.find_map(|element| self.end(element, step.as_deref(), body)));
        }
        if leading_break(body).is_some_and(|c| self.data.is_in(&c)) {
            stay(body);
        }
        let Some(counting) = all(counting, span) else { return };
        if let Some(others) = all(others, span) {
            let leaving = Node::new(Statement::Break, others.span);
            // Of numbers that are none, `>=` is not the opposite of `<`.
            let own = choice(untrue(others.clone()), leaving, None, others.span);
            let mut items = vec![statement(own.node, others.span)];
            items.extend(listed(body));
            **body = block(items, body.span);
        }
        match &mut node.node {
            Statement::While(w) => *w.node.expression = counting,
            Statement::For(f) => f.node.condition = Some(Box::new(counting)),
            _ => {}
        }
    }

    /// `{ … } while (i < n && a[i] != x) { … }` of a short `do` loop that data and a counter end.
    fn first_apart(&self, node: &Node<Statement>) -> Option<Vec<Node<BlockItem>>> {
        let Statement::DoWhile(w) = &node.node else { return None };
        let DoWhileStatement { statement: body, expression } = &w.node;
        let own = counters(node);
        let is_data = |part: &&Node<Expression>| self.data.is_in_but(part, &own);
        let (data, counting): (Vec<_>, Vec<_>) = conjuncts(expression).into_iter().partition(is_data);
        let has_bound = counting.iter().any(|part| !is_always(part)) && !is_always(expression);
        if data.is_empty()
            || !has_bound
            || has_jump(body)
            || listed(body).iter().map(statements).sum::<usize>() > REPEATED
        {
            return None;
        }
        let again = WhileStatement { expression: expression.clone(), statement: body.clone() };
        let first = statement(Statement::Compound(listed(body)), body.span);
        Some(vec![first, statement(Statement::While(Node::new(again, node.span)), node.span)])
    }

    /// `i < n` where every iteration looks at an element `a[i]` of `a[n]` first, and adds to `i`; `i >= 0` where it subtracts.
    fn end(
        &self,
        element: &Node<Expression>,
        step: Option<&Node<Expression>>,
        body: &Node<Statement>,
    ) -> Option<Node<Expression>> {
        let span = element.span;
        let (_, size, counter) = self.extents.looked_at(element)?;
        let counter = variable(counter)?;
        let in_head = step.map(steps).unwrap_or_default();
        let mut moves: Vec<i64> = in_head.iter().filter_map(|step| step_of(step, counter)).collect();
        let items = listed(body);
        let own = items.iter().filter_map(|item| match &item.node {
            BlockItem::Statement(Node { node: Statement::Expression(Some(step)), .. }) => step_of(step, counter),
            _ => None,
        });
        let count = moves.len();
        moves.extend(own);
        let [by] = moves[..] else { return None };
        let changed = changed(body);
        let is_once = count == 1 && !changed.iter().any(|own| own == counter)
            || count == 0 && in_head.is_empty() && !has_continue(body);
        if !is_once || names_in(size).iter().any(|own| changed.contains(own)) {
            return None;
        }
        let counter = named(counter, span);
        Some(match by > 0 {
            true => binary(BinaryOperator::Less, counter, size.clone(), span),
            false => binary(BinaryOperator::GreaterOrEqual, counter, number("0", span), span),
        })
    }
}

/// Makes `if (c) { ; break; }` of the `if (c) break;` that a body begins with, of which nobody makes a condition of the loop.
fn stay(body: &mut Node<Statement>) {
    let span = body.span;
    let mut items = listed(body);
    if let Some(Node { node: BlockItem::Statement(Node { node: Statement::If(branch), .. }), .. }) = items.first_mut() {
        let leaving = [Statement::Expression(None), Statement::Break].map(|own| statement(own, span));
        *branch.node.then_statement = block(leaving.to_vec(), span);
    }
    *body = block(items, span);
}

/// The condition of the `if (c) break;` that a body begins with.
fn leading_break(body: &Node<Statement>) -> Option<Node<Expression>> {
    match &listed(body).first()?.node {
        BlockItem::Statement(Node { node: Statement::If(branch), .. }) => {
            let is_break = match &listed(&branch.node.then_statement)[..] {
                [Node { node: BlockItem::Statement(only), .. }] => matches!(only.node, Statement::Break),
                _ => false,
            };
            (is_break && branch.node.else_statement.is_none()).then(|| (*branch.node.condition).clone())
        }
        _ => None,
    }
}

/// The elements that an iteration surely looks at before anything ends it or moves a counter: in the first condition of its body, and in the
/// statements before.
fn looked_at_first(items: &[Node<BlockItem>]) -> Vec<&Node<Expression>> {
    let mut found = vec![];
    // Names that mean something else than at the begin of the iteration.
    let mut moved: Vec<String> = vec![];
    let mut look = |value, moved: &mut Vec<String>| {
        changed_in(value, moved);
        found.extend(
            elements(value).into_iter().filter(|element| !names_in(element).iter().any(|name| moved.contains(name))),
        );
    };
    for item in items {
        match &item.node {
            BlockItem::Declaration(declaration) => {
                for declarator in &declaration.node.declarators {
                    moved.extend(identifier(&declarator.node.declarator.node).map(|name| name.node.name.clone()));
                    if let Some(Node { node: Initializer::Expression(value), .. }) = &declarator.node.initializer {
                        look(value, &mut moved);
                    }
                }
            }
            BlockItem::Statement(Node { node: Statement::Expression(value), .. }) => {
                value.iter().for_each(|value| look(value, &mut moved));
            }
            BlockItem::Statement(Node { node: Statement::If(branch), .. }) => {
                look(&branch.node.condition, &mut moved);
                break;
            }
            BlockItem::Statement(_) => break,
            BlockItem::StaticAssert(_) => {}
        }
    }
    found
}

/// The variables by which an iteration surely looks into arrays before anything ends it or moves a counter.
pub fn subscripts_first(items: &[Node<BlockItem>]) -> Vec<&str> {
    looked_at_first(items).into_iter().filter_map(|element| variable(&operation(element)?.1.rhs)).collect()
}

/// The elements with variables as their subscripts that an expression surely looks at, whatever the rest of it.
fn elements(node: &Node<Expression>) -> Vec<&Node<Expression>> {
    match &node.node {
        Expression::UnaryOperator(unary) if unary.node.operator.node != UnaryOperator::Address => {
            elements(&unary.node.operand)
        }
        Expression::Cast(cast) => elements(&cast.node.expression),
        Expression::BinaryOperator(o) => match o.node.operator.node {
            BinaryOperator::Index if variable(&o.node.rhs).is_some() => [vec![node], elements(&o.node.lhs)].concat(),
            BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => elements(&o.node.lhs),
            _ => [elements(&o.node.lhs), elements(&o.node.rhs)].concat(),
        },
        _ => vec![],
    }
}

/// The conditions that all hold where this one does.
pub fn conjuncts(node: &Node<Expression>) -> Vec<&Node<Expression>> {
    match operation(node) {
        Some((BinaryOperator::LogicalAnd, o)) => [conjuncts(&o.lhs), conjuncts(&o.rhs)].concat(),
        _ => vec![node],
    }
}
