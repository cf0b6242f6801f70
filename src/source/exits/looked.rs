//! What a round of a loop surely looks at in arrays.
//!
//! ```c
//! do i++; while (a[i] != x);
//! ```
//!
//! looks at `a[1]` in its first round, so that an `a[64]` leaves it 63 rounds: in C there is no `a[64]`.

use lang_c::ast::{BinaryOperator, BlockItem, Expression, Initializer, Statement, UnaryOperator};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::heads::{Extents, conjuncts};
use super::nearing::{Nearing, changes_of, given, has_goto, leaves_early, step_in};
use crate::source::breaks::is_always;
use crate::source::canonical::{has_continue, names_in};
use crate::source::flat::constant;
use crate::source::known::changed_in;
use crate::source::left::{offset_of, step_of};
use crate::source::plain::{binary, block, number};

type Items = [Node<BlockItem>];

impl Nearing<'_> {
    /// As many rounds as an array has elements that the loop comes by in steps, where every round looks at one, also the last.
    pub fn searched(&self) -> Option<Node<Expression>> {
        let span = self.condition.span;
        let always = is_always(self.condition);
        let is_data = always || self.data.is_in(self.condition) && !self.is_counted();
        if !is_data || self.continues() {
            return None;
        }
        let mut elements = Elements { extents: self.extents, found: vec![] };
        elements.visit_expression(&self.condition.node, &span);
        self.body.iter().for_each(|item| elements.visit_block_item(&item.node, &item.span));
        let rounds = |(array, name): &(String, String)| {
            let moving: Vec<_> = self.body.iter().filter(|item| changes_of(item, name)).collect();
            let [only] = moving[..] else { return None };
            let by = step_in(only, name).filter(|by| *by != 0)?;
            let (first, is_moved) = self.begun(name)?;
            // Those that begin with a constant are counted elsewhere.
            let is_late = always || self.is_do;
            if !(is_late || is_moved) {
                return None;
            }
            // Of any sign, it comes from a constant to the end of an array without coming round.
            let goes_on = self.goes_on(name) || by > 0 && self.declared.has_bits(name, 32);
            if self.declared.has_address(name) || !goes_on {
                return None;
            }
            let mut looked = Looked { name, extents: self.extents, array: Some(array), moved: 0, found: vec![] };
            if !is_late || looked.surely(self.body) && !always {
                looked.expression(self.condition);
            }
            let count = |(offset, extent): &(i64, Node<Expression>)| {
                let first = first.checked_add(*offset)?;
                match constant(extent) {
                    _ if by < 0 => Some(number(&(first.max(-1) / -by + i64::from(first >= 0)).to_string(), span)),
                    Some(extent) => {
                        let left = extent.checked_sub(first)?.max(0);
                        Some(number(&(left / by + i64::from(left % by != 0)).to_string(), span))
                    }
                    None if by == 1 && first == 0 => Some(extent.clone()),
                    None if by == 1 && first > 0 => {
                        Some(binary(BinaryOperator::Minus, extent.clone(), number(&first.to_string(), span), span))
                    }
                    None => None,
                }
            };
            let all: Vec<Node<Expression>> = looked.found.iter().filter_map(count).collect();
            let least = all.iter().filter_map(|own| Some((constant(own)?, own))).min_by_key(|(own, _)| *own);
            least.map(|(_, own)| own.clone()).or_else(|| all.into_iter().next())
        };
        elements.found.iter().find_map(rounds)
    }

    /// The constant that a variable begins with, and whether it has been moved to it.
    fn begun(&self, name: &str) -> Option<(i64, bool)> {
        let mut moved = 0i64;
        for item in self.before.iter().rev().filter(|item| changes_of(item, name)) {
            match given(item, name) {
                Some(value) => return Some((constant(value)?.checked_add(moved)?, moved != 0)),
                None => moved = moved.checked_add(step_in(item, name)?)?,
            }
        }
        None
    }
}

/// Looks for elements that every round looks at, in which the name is a subscript, or what a constant is added to.
pub struct Looked<'l> {
    pub name: &'l str,
    pub extents: &'l Extents,
    /// Of this array alone.
    pub array: Option<&'l str>,
    /// What the round has added to the variable.
    pub moved: i64,
    /// How far the subscripts are from what the variable was, and the extents of the arrays.
    pub found: Vec<(i64, Node<Expression>)>,
}

impl Looked<'_> {
    /// A condition that holds.
    pub fn condition(&mut self, node: &Node<Expression>) {
        conjuncts(node).into_iter().for_each(|part| self.expression(part));
    }

    /// What C surely looks at on the way to a value.
    pub fn expression(&mut self, node: &Node<Expression>) {
        match &node.node {
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                UnaryOperator::Address => {}
                _ => self.expression(&unary.node.operand),
            },
            Expression::Cast(cast) => self.expression(&cast.node.expression),
            Expression::Conditional(choice) => self.expression(&choice.node.condition),
            Expression::BinaryOperator(o) => {
                let is_lazy = matches!(o.node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr);
                self.expression(&o.node.lhs);
                if !is_lazy {
                    self.expression(&o.node.rhs);
                }
                if let Some((array, extent, subscript)) = self.extents.looked_at(node)
                    && self.array.is_none_or(|own| own == array)
                    && let Some(by) = offset_of(subscript, self.name)
                {
                    self.found.push((by + self.moved, extent.clone()));
                }
            }
            _ => {}
        }
    }

    /// The items that every round comes through, up to where the loop may be left; whether these are all.
    fn surely(&mut self, items: &Items) -> bool {
        for item in items {
            let own = std::slice::from_ref(item);
            let is_moved = changes_of(item, self.name);
            match &item.node {
                BlockItem::Statement(Node { node: Statement::Compound(inner), .. }) if self.surely(inner) => {}
                BlockItem::Statement(Node { node: Statement::Compound(_), .. }) => return false,
                BlockItem::Statement(Node { node: Statement::If(branch), .. }) => {
                    if !is_moved {
                        self.expression(&branch.node.condition);
                    }
                    if is_moved || leaves_early(own) {
                        return false;
                    }
                }
                BlockItem::Statement(Node { node: Statement::Expression(_), .. }) | BlockItem::Declaration(_) => {
                    self.items(own);
                }
                _ if is_moved || leaves_early(own) => return false,
                _ => {}
            }
        }
        true
    }

    /// The items that a body begins with, up to where the next round may begin.
    pub fn items(&mut self, items: &Items) {
        for item in items {
            let is_moved = changes_of(item, self.name);
            match &item.node {
                BlockItem::Statement(Node { node: Statement::Expression(Some(own)), .. }) => {
                    match step_of(own, self.name) {
                        Some(by) => self.moved += by,
                        None if is_moved => return,
                        None => self.expression(own),
                    }
                }
                BlockItem::Declaration(declaration) if !is_moved => {
                    for declarator in &declaration.node.declarators {
                        if let Some(Initializer::Expression(value)) =
                            declarator.node.initializer.as_ref().map(|first| &first.node)
                        {
                            self.expression(value);
                        }
                    }
                }
                BlockItem::Statement(Node { node: Statement::If(branch), .. }) => {
                    let mut moved = vec![];
                    changed_in(&branch.node.condition, &mut moved);
                    if moved.iter().any(|own| own == self.name) {
                        return;
                    }
                    self.expression(&branch.node.condition);
                    let own = std::slice::from_ref(item);
                    if is_moved || has_continue(&block(own.to_vec(), item.span)) || has_goto(own) {
                        return;
                    }
                }
                _ => return,
            }
        }
    }
}

/// The arrays that are looked into at a variable, or a sum of one and a constant, with that variable.
pub struct Elements<'l> {
    pub extents: &'l Extents,
    pub found: Vec<(String, String)>,
}

impl<'ast> Visit<'ast> for Elements<'_> {
    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
        let node = Node::new(expression.clone(), *span);
        if let Some((array, _, subscript)) = self.extents.looked_at(&node)
            && let [name] = &names_in(subscript)[..]
            && offset_of(subscript, name).is_some()
        {
            let own = (array.to_string(), name.clone());
            if !self.found.contains(&own) {
                self.found.push(own);
            }
        }
        visit::visit_expression(self, expression, span);
    }
}
