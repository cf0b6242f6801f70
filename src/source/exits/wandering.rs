//! How often loops run at most that go from element to element of an array, and never back:
//!
//! ```c
//! while (parent[x] != x) x = parent[x];
//! for (;;) { int c = 2 * i + 1; if (c >= n) break; …; heap[i] = heap[c]; i = c; }
//! ```
//!
//! Every round looks at an element. In the first loop `x` alone tells how it goes on, so that it would never end where it came back;
//! in the second each round leads further up. So there are as many rounds at most as elements, and where the place doubles, or half of
//! it is left, as many as their number has bits.

use std::cell::Cell;
use std::collections::HashSet;

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, Expression, ForInitializer, Identifier, Statement,
    UnaryOperator,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::gotos::moves;
use super::heads::conjuncts;
use super::looked::Elements;
use super::nearing::{Looks, Nearing, Values, changes_of, given, leaves_early, leaving, moves_by};
use super::taking::within;
use super::ways::all_go_on;
use crate::source::breaks::{is_always, opposite};
use crate::source::canonical::{has_jump, names_in};
use crate::source::counters::named;
use crate::source::flat::constant;
use crate::source::known::{changed, changed_in};
use crate::source::left::{offset_of, step_of};
use crate::source::loops::steps;
use crate::source::nest::{assignment, counts, is_name, operation};
use crate::source::plain::{binary, block, listed, number, subscripted, variable};
use crate::source::polynomial::changes;

type Items = [Node<BlockItem>];

/// How deep variables are looked up in the values of others.
const DEPTH: usize = 4;

/// How many values a variable may have been given.
const VALUES: usize = 16;

/// The bits of a subscript, where nothing says how many elements there are.
const BITS: u32 = 31;

/// `scale * x + offset`, for an `x` that is not negative.
#[derive(Clone, Copy, PartialEq)]
struct Line {
    scale: i64,
    offset: i64,
}

/// Where rounds lead.
enum Course {
    /// Further in one direction, or to any element but those before.
    On,
    /// To twice the place or more, or to half of it or less.
    Doubling,
}

impl Nearing<'_> {
    /// As many as an array has elements, one of which every round looks at that another follows, and each another one.
    pub fn wandering(&self) -> Option<Node<Expression>> {
        let span = self.condition.span;
        let leaves = || self.body.iter().filter_map(leaving);
        let is_data = self.data.is_in(self.condition) || leaves().any(|condition| self.data.is_in(condition));
        let mut elements = Elements { extents: self.extents, found: vec![] };
        elements.visit_expression(&self.condition.node, &span);
        self.body.iter().for_each(|item| elements.visit_block_item(&item.node, &item.span));
        let moved = changed(&block(self.body.to_vec(), span));
        let late = i64::from(is_always(self.condition) || self.is_do || leaves_early(self.body));
        let rounds = |(array, name): &(String, String)| {
            let is_own = self.declared.integer(name, 0).is_some() && !self.declared.has_address(name);
            // Steady steps are what others count.
            let is_even = [1, -1].into_iter().any(|by| self.body.iter().all(|item| moves_by(item, name, by)));
            let is_even = is_even && !moves_in_loops(self.body, name);
            if !(is_own && moved.contains(name) && (is_data || self.data.is_in(&named(name, span)))) || is_even {
                return None;
            }
            let mut looks = Looks::of(self, array, name);
            let places = looks.all()?.iter().map(|way| way.found).collect::<Option<Vec<_>>>()?;
            let (least, most) = (places.iter().map(|own| own.0).min()?, places.iter().map(|own| own.1).max()?);
            let extent = looks.extent?;
            let course = match least <= 0 {
                true => self.climbs(name).or_else(|| self.sinks(name)),
                false => None,
            };
            let course = course.or_else(|| self.tells_alone(name).then_some(Course::On))?;
            let more = match course {
                Course::On => most - least + late,
                Course::Doubling => {
                    let places = constant(&extent).map(|extent| extent.saturating_sub(least).max(0));
                    let bits = places.map_or(BITS, |places| 64 - places.leading_zeros());
                    return Some(number(&(i64::from(bits) + late).to_string(), span));
                }
            };
            Some(match more {
                0 => extent,
                _ => binary(BinaryOperator::Plus, extent, number(&more.to_string(), span), span),
            })
        };
        (!self.continues()).then(|| elements.found.iter().find_map(rounds)).flatten()
    }

    /// Whether a variable, and what no round changes, tell alone what it becomes and when the loop ends.
    fn tells_alone(&self, name: &str) -> bool {
        let mut deciding = vec![self.condition.clone()];
        let Some(written) = written(self.body).filter(|_| decides(self.body, name, &mut deciding).is_some()) else {
            return false;
        };
        let whole = block(self.body.to_vec(), self.condition.span);
        let moved = changed(&whole);
        let mut known: HashSet<String> = HashSet::new();
        while let Some(next) = deciding.pop() {
            if !is_plain(&next) {
                return false;
            }
            for own in names_in(&next) {
                if own == name || !known.insert(own.clone()) {
                    continue;
                }
                if written.contains(&own) || self.declared.has_address(&own) {
                    return false;
                }
                if moved.contains(&own) {
                    // What every round gives a value before it is read.
                    let place = self.body.iter().position(|item| changes_of(item, &own));
                    let Some((place, value)) = place.and_then(|k| Some((k, given(&self.body[k], &own)?))) else {
                        return false;
                    };
                    let is_read_before = names_in(self.condition).contains(&own)
                        || names_in(value).contains(&own)
                        || self.body[..place].iter().any(|item| is_named(item, &own));
                    if is_read_before || moves(&whole, &own) != 1 {
                        return false;
                    }
                    deciding.push(value.clone());
                }
            }
        }
        true
    }

    /// Whether every round makes a variable larger that is not negative.
    fn climbs(&self, name: &str) -> Option<Course> {
        let first = self.body.iter().position(|item| changes_of(item, name))?;
        // `if (m == i) break;`
        let leaves_at = |own: &str| {
            let last = self.body.iter().rposition(|item| changes_of(item, own));
            let is_same = |condition: &Node<Expression>| {
                matches!(operation(condition), Some((BinaryOperator::Equals, o))
                if is_name(&o.lhs, own) && is_name(&o.rhs, name) || is_name(&o.lhs, name) && is_name(&o.rhs, own))
            };
            let between = last.map_or(0, |last| last + 1)..first;
            self.body.get(between).is_some_and(|items| items.iter().filter_map(leaving).any(is_same))
        };
        let least = Cell::new(i64::MAX);
        let rises = |node: &Node<Expression>| {
            let lines = match operation(node) {
                _ if step_of(node, name).is_some_and(|by| by > 0) => vec![Line { scale: 1, offset: 1 }],
                Some((BinaryOperator::Assign, o)) if is_name(&o.lhs, name) => {
                    let mut lines = self.lines(&o.rhs, name, first, DEPTH)?;
                    if variable(&o.rhs).is_some_and(leaves_at) {
                        lines.retain(|line| *line != Line { scale: 1, offset: 0 });
                    }
                    lines
                }
                Some((BinaryOperator::AssignPlus, o)) if is_name(&o.lhs, name) => {
                    let mut lines = self.lines(&o.rhs, name, first, DEPTH)?;
                    lines.iter_mut().for_each(|line| line.scale += 1);
                    lines
                }
                _ => return None,
            };
            lines.iter().for_each(|line| least.set(least.get().min(line.scale)));
            lines.iter().all(|line| line.scale > 0 && line.offset > 0).then_some(())
        };
        let step = |node: &Node<Expression>, is_done: bool| {
            let mut moved = vec![];
            changed_in(node, &mut moved);
            match moved.iter().any(|own| own == name) {
                false => Some(false),
                true => rises(node).filter(|()| !is_done).map(|()| true),
            }
        };
        let goes_on = self.goes_on(name) && all_go_on(self.body, &[], &[name], &step, &|_| false);
        goes_on.then(|| if least.get() > 1 { Course::Doubling } else { Course::On })
    }

    /// What a value is at least, for each value that variables in it may have got in this round, before the item in which the name moves.
    fn lines(&self, node: &Node<Expression>, name: &str, until: usize, depth: usize) -> Option<Vec<Line>> {
        let of = |node: &Node<Expression>| self.lines(node, name, until, depth);
        // It may come round.
        if self.is_unsigned(node) {
            return None;
        }
        if is_name(node, name) {
            return Some(vec![Line { scale: 1, offset: 0 }]);
        }
        if let Some(value) = constant(node) {
            return (0..1 << 30).contains(&value).then(|| vec![Line { scale: 0, offset: value }]);
        }
        if let Some(own) = variable(node) {
            let (front, behind) = self.body.split_at(until);
            let first = front.iter().find(|item| changes_of(item, own));
            let is_late = behind.iter().any(|item| changes_of(item, own));
            if !self.goes_on(own)
                || is_late
                || depth == 0
                || self.declared.has_address(own)
                || given(first?, own).is_none()
            {
                return None;
            }
            // What adds to it in between makes it larger.
            let mut values = Values::of(own, 1);
            front.iter().for_each(|item| values.visit_block_item(&item.node, &item.span));
            let values = values.found?;
            let lines = values.iter().map(|value| self.lines(value, name, until, depth - 1));
            let lines = lines.collect::<Option<Vec<_>>>()?.concat();
            return (lines.len() <= VALUES).then_some(lines);
        }
        let both = |o: &BinaryOperatorExpression| Some((of(&o.lhs)?, of(&o.rhs)?));
        let scaled = |lines: Vec<Line>, by: i64| {
            let line =
                |line: Line| Some(Line { scale: line.scale.checked_mul(by)?, offset: line.offset.checked_mul(by)? });
            lines.into_iter().map(line).collect::<Option<Vec<_>>>()
        };
        match operation(node) {
            Some((BinaryOperator::Plus, o)) => {
                let (left, right) = both(o)?;
                let sum = |a: &Line, b: &Line| Line { scale: a.scale + b.scale, offset: a.offset + b.offset };
                let sums: Vec<Line> = left.iter().flat_map(|a| right.iter().map(move |b| sum(a, b))).collect();
                (sums.len() <= VALUES).then_some(sums)
            }
            Some((BinaryOperator::Minus, o)) => {
                let less = constant(&o.rhs).filter(|less| (0..1 << 30).contains(less))?;
                let lines = of(&o.lhs)?;
                Some(lines.into_iter().map(|line| Line { offset: line.offset - less, ..line }).collect())
            }
            Some((BinaryOperator::Multiply, o)) => {
                let times = |by: &Node<Expression>| constant(by).filter(|by| (0..1 << 15).contains(by));
                match (times(&o.lhs), times(&o.rhs)) {
                    (Some(by), _) => scaled(of(&o.rhs)?, by),
                    (None, Some(by)) => scaled(of(&o.lhs)?, by),
                    _ => None,
                }
            }
            Some((BinaryOperator::ShiftLeft, o)) => {
                let by = constant(&o.rhs).filter(|by| (0..16).contains(by))?;
                scaled(of(&o.lhs)?, 1 << by)
            }
            _ => {
                let (low, _) = within(self.declared, node).filter(|(low, _)| *low >= 0)?;
                Some(vec![Line { scale: 0, offset: low }])
            }
        }
    }

    /// Whether every round leaves half of a variable that is 1 at least, or less.
    fn sinks(&self, name: &str) -> Option<Course> {
        let first = self.body.iter().position(|item| changes_of(item, name))?;
        let (front, _) = self.body.split_at(first);
        let is_positive = |part: &Node<Expression>| match operation(part) {
            None => is_name(part, name),
            Some((operator, o)) => {
                is_name(&o.lhs, name)
                    && constant(&o.rhs).is_some_and(|end| match operator {
                        BinaryOperator::Greater => end >= 0,
                        BinaryOperator::GreaterOrEqual => end > 0,
                        BinaryOperator::NotEquals => end == 0,
                        _ => false,
                    })
            }
        };
        let goes_on: Vec<Node<Expression>> = front.iter().filter_map(leaving).map(opposite).collect();
        let held = goes_on.iter().chain((!self.is_do).then_some(self.condition));
        let is_positive = held.into_iter().flat_map(conjuncts).any(is_positive);
        // Of `x` or `x - 1`.
        let is_half = |node: &Node<Expression>| match operation(node) {
            Some((BinaryOperator::Divide, o)) => {
                constant(&o.rhs).is_some_and(|by| by > 1) && matches!(offset_of(&o.lhs, name), Some(-1..=0))
            }
            Some((BinaryOperator::ShiftRight, o)) => {
                constant(&o.rhs).is_some_and(|by| (1..31).contains(&by))
                    && matches!(offset_of(&o.lhs, name), Some(-1..=0))
            }
            _ => false,
        };
        let is_kept = |own: &str| {
            let changing: Vec<_> = self.body.iter().enumerate().filter(|(_, item)| changes_of(item, own)).collect();
            matches!(changing[..], [(place, item)] if place < first && given(item, own).is_some_and(is_half))
                && self.declared.integer(own, 0).is_some_and(|ty| ty.bits >= 32)
                && !self.declared.has_address(own)
        };
        let falls = |node: &Node<Expression>| match operation(node) {
            Some((BinaryOperator::Assign, o)) if is_name(&o.lhs, name) => {
                is_half(&o.rhs) || variable(&o.rhs).is_some_and(is_kept)
            }
            Some((BinaryOperator::AssignDivide, o)) if is_name(&o.lhs, name) => {
                constant(&o.rhs).is_some_and(|by| by > 1)
            }
            Some((BinaryOperator::AssignShiftRight, o)) if is_name(&o.lhs, name) => {
                constant(&o.rhs).is_some_and(|by| (1..31).contains(&by))
            }
            _ => false,
        };
        let step = |node: &Node<Expression>, is_done: bool| {
            let mut moved = vec![];
            changed_in(node, &mut moved);
            match moved.iter().any(|own| own == name) {
                false => Some(false),
                true => (!is_done && falls(node)).then_some(true),
            }
        };
        let is_wide = self.declared.integer(name, 0).is_some_and(|ty| ty.bits >= 32);
        let goes_on = is_positive && is_wide && all_go_on(self.body, &[], &[name], &step, &|_| false);
        goes_on.then_some(Course::Doubling)
    }
}

/// What decides over changes of a variable, and over jumps, is added to `deciding`; `None` where that cannot be told.
fn decides(items: &Items, name: &str, deciding: &mut Vec<Node<Expression>>) -> Option<()> {
    for item in items {
        let own = std::slice::from_ref(item);
        let is_moved = changes_of(item, name);
        let is_on_the_way = is_moved || leaves_early(own) || has_jump(&block(own.to_vec(), item.span));
        let BlockItem::Statement(statement) = &item.node else {
            (!is_moved).then_some(())?;
            continue;
        };
        match &statement.node {
            _ if !is_on_the_way => {}
            Statement::Expression(Some(own)) => decides_next(own, name, deciding)?,
            Statement::While(w) => decides_rounds(&w.node.expression, &w.node.statement, name, deciding)?,
            Statement::DoWhile(w) => decides_rounds(&w.node.expression, &w.node.statement, name, deciding)?,
            Statement::For(f) => {
                match &f.node.initializer.node {
                    ForInitializer::Empty => {}
                    ForInitializer::Expression(own) => decides_next(own, name, deciding)?,
                    _ => return None,
                }
                f.node.step.iter().try_for_each(|own| decides_next(own, name, deciding))?;
                decides_rounds(f.node.condition.as_ref()?, &f.node.statement, name, deciding)?;
            }
            Statement::Compound(inner) => decides(inner, name, deciding)?,
            Statement::If(branch) => {
                (!changes(&branch.node.condition)).then_some(())?;
                deciding.push((*branch.node.condition).clone());
                decides(&listed(&branch.node.then_statement), name, deciding)?;
                if let Some(other) = &branch.node.else_statement {
                    decides(&listed(other), name, deciding)?;
                }
            }
            Statement::Break | Statement::Continue | Statement::Return(_) => {}
            _ => return None,
        }
    }
    Some(())
}

/// The same of an expression that stands for itself.
fn decides_next(node: &Node<Expression>, name: &str, deciding: &mut Vec<Node<Expression>>) -> Option<()> {
    for own in steps(node) {
        let mut moved = vec![];
        changed_in(own, &mut moved);
        if !moved.iter().any(|own| own == name) {
            continue;
        }
        let is_target = step_of(own, name).is_some()
            || operation(own).is_some_and(|(operator, o)| {
                assignment(&operator).is_some() && is_name(&o.lhs, name) && !changes(&o.rhs)
            });
        is_target.then_some(())?;
        deciding.push(own.clone());
    }
    Some(())
}

/// The same of a loop in the body: what its rounds look at tells how many there are.
fn decides_rounds(
    condition: &Node<Expression>,
    body: &Node<Statement>,
    name: &str,
    deciding: &mut Vec<Node<Expression>>,
) -> Option<()> {
    (!changes(condition)).then_some(())?;
    deciding.push(condition.clone());
    decides(&listed(body), name, deciding)
}

/// Whether loops among statements change a variable.
fn moves_in_loops(items: &Items, name: &str) -> bool {
    struct Loops<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Loops<'_> {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            if matches!(statement, Statement::While(_) | Statement::DoWhile(_) | Statement::For(_)) {
                self.1 |= changed(&Node::new(statement.clone(), *span)).iter().any(|own| own == self.0);
            }
            visit::visit_statement(self, statement, span);
        }
    }
    let mut loops = Loops(name, false);
    items.iter().for_each(|item| loops.visit_block_item(&item.node, &item.span));
    loops.1
}

/// Whether an expression calls nothing, and looks at memory only by arrays' names.
fn is_plain(node: &Node<Expression>) -> bool {
    struct Others(bool);
    impl<'ast> Visit<'ast> for Others {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            self.0 |= match expression {
                Expression::Call(_) | Expression::Member(_) | Expression::Statement(_) => true,
                Expression::UnaryOperator(unary) => unary.node.operator.node == UnaryOperator::Indirection,
                _ => false,
            };
            visit::visit_expression(self, expression, span);
        }
    }
    let mut others = Others(false);
    others.visit_expression(&node.node, &node.span);
    !others.0
}

/// The arrays that statements write to; `None` where they may write elsewhere.
fn written(items: &Items) -> Option<HashSet<String>> {
    struct Search(Option<HashSet<String>>);
    impl<'ast> Visit<'ast> for Search {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            let target = match expression {
                Expression::UnaryOperator(unary) if counts(&unary.node.operator.node) => Some(&unary.node.operand),
                Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => Some(&o.node.lhs),
                Expression::Call(_) | Expression::Statement(_) => {
                    self.0 = None;
                    None
                }
                _ => None,
            };
            if let Some(target) = target.filter(|target| variable(target).is_none()) {
                match (variable(subscripted(target).0), &mut self.0) {
                    (Some(array), Some(found)) => drop(found.insert(array.to_string())),
                    _ => self.0 = None,
                }
            }
            visit::visit_expression(self, expression, span);
        }
    }
    let mut search = Search(Some(HashSet::new()));
    items.iter().for_each(|item| search.visit_block_item(&item.node, &item.span));
    search.0
}

/// Whether a name is in an item.
fn is_named(item: &Node<BlockItem>, name: &str) -> bool {
    struct Names<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Names<'_> {
        fn visit_identifier(&mut self, own: &'ast Identifier, _: &'ast Span) {
            self.1 |= own.name == self.0;
        }
    }
    let mut names = Names(name, false);
    names.visit_block_item(&item.node, &item.span);
    names.1
}
