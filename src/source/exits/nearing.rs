//! How often loops run at most whose counters move when data say so:
//!
//! ```c
//! while (i < n && j < m) if (a[i] <= b[j]) i++; else j++;
//! ```
//!
//! Every way through the body brings `i` nearer to `n`, or `j` to `m`, and none takes them back: after `n + m` rounds one has come
//! there. A binary search halves what lies between its ends, and what Euclid's algorithm leaves becomes smaller as Fibonacci's numbers do.
//!
//! Where nothing says how far from its end such a counter begins, an array does that every round looks into: behind
//! `while (top > 0 && t[stack[top - 1]] < x) top--;` a `stack[64]` had 64 elements at most.

use lang_c::ast::{
    BinaryOperator, BlockItem, Expression, ForInitializer, InitDeclarator, Initializer, Integer, Statement,
    UnaryOperator,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::data::Data;
use super::gotos::{jumps, moves};
use super::heads::{Extents, conjuncts, subscripts_first};
use super::looked::{Elements, Looked};
use super::reached::behind;
use super::taking::{ANY, MOST, advance, within, within_known};
use super::ways::{Ways, all_go_on};
use crate::source::breaks::{is_always, is_told, opposite};
use crate::source::canonical::{REPEATED, has_continue, has_jump, names_in, statements};
use crate::source::counters::named;
use crate::source::flat::constant;
use crate::source::function::identifier;
use crate::source::kernel::ScalarType;
use crate::source::known::{Declared, cast, changed, changed_in};
use crate::source::left::{offset_of, step_of};
use crate::source::loops::steps;
use crate::source::nest::{assignment, counts, is_name, operation};
use crate::source::plain::{binary, block, listed, number, variable};
use crate::source::polynomial::changes;

type Items = [Node<BlockItem>];

/// A loop, what stands before it in its block, and the function's body.
#[derive(Clone, Copy)]
pub struct Nearing<'l> {
    pub data: &'l Data<'l>,
    pub declared: &'l Declared,
    pub extents: &'l Extents,
    pub condition: &'l Node<Expression>,
    /// The condition is looked at behind the body.
    pub is_do: bool,
    /// The body and the steps behind it.
    pub body: &'l Items,
    /// What counts up in the loops around, and the constants that it comes from, the innermost last.
    pub around: &'l [(String, i64)],
    pub before: &'l Items,
    pub whole: &'l Node<Statement>,
    /// Also of loops that count.
    pub counts_anew: bool,
}

/// `low < high`, or `low <= high`.
struct Gap<'l> {
    low: &'l Node<Expression>,
    high: &'l Node<Expression>,
    is_closed: bool,
}

impl Nearing<'_> {
    /// The most rounds.
    pub fn rounds(&self) -> Option<Node<Expression>> {
        let nearing = match is_always(self.condition) {
            true => self.left_at_last().or_else(|| self.left_between()),
            false => self.fixed().filter(|_| !self.is_do).or_else(|| self.closing(self.is_do)),
        };
        let nearing = nearing.or_else(|| self.searched());
        let nearing =
            nearing.or_else(|| (self.counts_anew || !self.is_counted()).then(|| self.within_arrays()).flatten());
        nearing.or_else(|| self.wandering())
    }

    /// Whether a counter ends the loop that begins with no data, and that every round moves by a constant.
    pub fn is_counted(&self) -> bool {
        let gaps = || conjuncts(self.condition).into_iter().filter_map(|part| self.gap(part));
        let is_plain =
            |gap: &Gap| self.moving(gap).iter().all(|(name, _)| self.is_steady(name)) && self.width(gap).is_some();
        !is_always(self.condition) && gaps().any(|gap| is_plain(&gap))
    }

    /// As many as the types of the variables leave.
    fn fixed(&self) -> Option<Node<Expression>> {
        let rounds = self.halves().or_else(|| self.euclid()).or_else(|| self.taking())?;
        Some(number(&rounds.to_string(), self.condition.span))
    }

    /// As many as it takes to close the gaps of the condition; where the first round comes before the condition, as many and one more.
    fn closing(&self, is_late: bool) -> Option<Node<Expression>> {
        let span = self.condition.span;
        let all: Vec<Gap> = conjuncts(self.condition).into_iter().filter_map(|part| self.gap(part)).collect();
        // Others tell what data do not move.
        let is_data = |name: &str| self.moves_by_data(name);
        let is_moved = all.iter().any(|gap| self.moving(gap).iter().any(|(name, _)| is_data(name)));
        // An end that data have left somewhere, and the data that end the loop before.
        let is_left = |gap: &Gap| self.bounded(gap.low, 1).is_some() || self.bounded(gap.high, -1).is_some();
        let is_moved = is_moved || self.data.is_in(self.condition) && all.iter().any(is_left);
        // Of a `do` loop whose body is not written twice.
        let body = block(self.body.to_vec(), span);
        let is_whole = has_jump(&body) || self.body.iter().map(statements).sum::<usize>() > REPEATED;
        // Steps that are no constants.
        let is_uneven = |(name, _): (&str, i64)| {
            let mut own = self.body.iter().filter(|item| changes_of(item, name));
            own.any(|item| step_in(item, name).is_none())
        };
        let is_moved = is_moved || all.iter().any(|gap| self.moving(gap).into_iter().any(is_uneven));
        let is_moved = is_moved || self.counts_anew || self.is_do && is_whole && self.data.is_in(self.condition);
        let gaps: Vec<Gap> = all.into_iter().filter(|gap| self.width(gap).is_some()).collect();
        let moves: Vec<(&str, i64)> = gaps.iter().flat_map(|gap| self.moving(gap)).collect();
        let step = |node: &Node<Expression>, _: bool| {
            let is_own = |part: &&Node<Expression>| moves.iter().any(|(name, by)| self.is_step(part, name, *by));
            Some(steps(node).iter().any(is_own) || self.ends(node))
        };
        let is_open = |condition: &Node<Expression>| gaps.iter().any(|gap| gap.is_of(condition));
        // A round after the body's own begins without a look at the condition.
        let held = if is_late || changes(self.condition) { vec![] } else { conjuncts(self.condition) };
        if !is_moved
            || !all_go_on(self.body, &held, &[], &step, &is_open)
            || is_late && !gaps.iter().all(|gap| self.is_wide_enough(gap))
        {
            return None;
        }
        let widths = gaps.iter().map(|gap| self.width(gap)).collect::<Option<Vec<_>>>()?;
        let count = widths.len();
        let sum = widths.into_iter().reduce(|sum, width| binary(BinaryOperator::Plus, sum, width, span))?;
        Some(match is_late {
            // Each width is -1 at least.
            true => binary(BinaryOperator::Plus, sum, number(&(count + 1).to_string(), span), span),
            false => sum,
        })
    }

    /// Whether a variable moves when data say so, by what it gets or in loops that data end.
    fn moves_by_data(&self, name: &str) -> bool {
        let is_loop = |item: &&Node<BlockItem>| {
            !matches!(&item.node, BlockItem::Statement(own)
            if matches!(own.node, Statement::Expression(_) | Statement::If(_)))
        };
        let in_loops = self.body.iter().filter(is_loop).any(|item| changes_of(item, name));
        (self.data.is_in(&named(name, self.condition.span)) || in_loops) && !self.is_steady(name)
    }

    /// Whether a statement is `found = 1;` in a loop that goes on while `!found`, and nothing takes that back: the round is the last.
    fn ends(&self, node: &Node<Expression>) -> bool {
        let given = |node: &Node<Expression>| match operation(node) {
            Some((BinaryOperator::Assign, o)) => Some((variable(&o.lhs)?.to_string(), constant(&o.rhs)?)),
            _ => None,
        };
        let Some((name, value)) = given(node) else { return false };
        let fails = |part: &Node<Expression>, value: i64| match (&part.node, operation(part)) {
            (Expression::UnaryOperator(unary), _) if unary.node.operator.node == UnaryOperator::Negate => {
                is_name(&unary.node.operand, &name) && value != 0
            }
            (_, Some((operator, o))) if is_name(&o.lhs, &name) => {
                constant(&o.rhs).is_some_and(|other| match operator {
                    BinaryOperator::Equals => value != other,
                    BinaryOperator::NotEquals => value == other,
                    BinaryOperator::Less => value >= other,
                    BinaryOperator::GreaterOrEqual => value < other,
                    _ => false,
                })
            }
            _ => is_name(part, &name) && value == 0,
        };
        let parts = conjuncts(self.condition);
        let mut values = Values::of(&name, 0);
        self.body.iter().for_each(|item| values.visit_block_item(&item.node, &item.span));
        // `_Bool` holds 0 and 1.
        let holds = |value: i64| {
            let is_signed = self.declared.integer(&name, 0).is_some_and(|ty| ty.signed);
            (0..2).contains(&value) || is_signed && (0..127).contains(&value)
        };
        let is_own = self.declared.integer(&name, 0).is_some() && !self.declared.has_address(&name);
        let all = values.found.filter(|_| !values.is_declared && is_own).unwrap_or_default();
        !self.is_do
            && all.iter().any(|own| constant(own) == Some(value))
            && parts
                .iter()
                .any(|part| all.iter().all(|own| constant(own).is_some_and(|own| holds(own) && fails(part, own))))
    }

    /// The same of `while (1)` that a `break` leaves where the gap is closed, or nothing is left.
    fn left_between(&self) -> Option<Node<Expression>> {
        let span = self.condition.span;
        (0..self.body.len()).find_map(|k| {
            let (front, rest) = self.body.split_at(k);
            let goes_on = opposite(leaving(rest.first()?)?);
            // A round that goes on before does not come to it.
            if changes(&goes_on) || has_continue(&block(front.to_vec(), span)) || has_goto(front) {
                return None;
            }
            let others = [front, &rest[1..]].concat();
            let own = Nearing { condition: &goes_on, body: &others, ..*self };
            let one_more = |rounds| binary(BinaryOperator::Plus, rounds, number("1", span), span);
            let fixed = if k == 0 { own.fixed().map(one_more) } else { None };
            fixed.or_else(|| own.closing(true))
        })
    }

    /// As many as an array has elements, where every round that another follows looks at one, and moves on: in C there are no others.
    fn within_arrays(&self) -> Option<Node<Expression>> {
        let span = self.condition.span;
        let leaves: Vec<&Node<Expression>> = self.body.iter().filter_map(leaving).collect();
        let is_data = match is_always(self.condition) {
            true => leaves.iter().all(|condition| self.data.is_in(condition)),
            false => {
                self.data.is_in(self.condition) || names_in(self.condition).iter().any(|name| self.moves_by_data(name))
            }
        };
        let mut found = Elements { extents: self.extents, found: vec![] };
        found.visit_expression(&self.condition.node, &self.condition.span);
        leaves.iter().for_each(|own| found.visit_expression(&own.node, &own.span));
        let in_condition = found.found.clone();
        self.body.iter().for_each(|item| found.visit_block_item(&item.node, &item.span));
        let moved = changed(&block(self.body.to_vec(), span));
        // Or what comes first in every round of a loop that a `break` leaves: [`super::heads`].
        let leads = leaves_early(self.body) && !self.is_do && !is_always(self.condition);
        let first = if leads { subscripts_first(self.body) } else { vec![] };
        let is_once = |name: &str| self.body.iter().filter(|item| changes_of(item, name)).count() == 1;
        let rounds = |(array, name): &(String, String)| {
            let by = [1, -1].into_iter().find(|by| self.body.iter().all(|item| moves_by(item, name, *by)))?;
            // Those that only the condition looks at are what a plain count goes through.
            let is_first = || first.contains(&name.as_str()) && is_once(name);
            let is_plain = self.is_steady(name) && (in_condition.iter().any(|(_, own)| own == name) || is_first());
            if !moved.contains(name) || !self.goes_on(name) || self.declared.has_address(name) || is_plain {
                return None;
            }
            let mut ways = Looks::of(self, array, name);
            let done = ways.all()?;
            let is_on = |way: &Way| way.moved.is_some_and(|moved| moved * by > 0) && way.found.is_some();
            let places = |way: &Way| way.found.map(|(least, most)| [least, most]);
            let all: Vec<i64> = done.iter().filter_map(places).flatten().collect();
            let spread = all.iter().max()? - all.iter().min()?;
            let more = spread + i64::from(is_always(self.condition) || self.is_do || leaves_early(self.body));
            let extent = ways.extent.clone()?;
            done.iter().all(is_on).then(|| match more {
                0 => extent,
                _ => binary(BinaryOperator::Plus, extent, number(&more.to_string(), span), span),
            })
        };
        found.found.iter().filter(|_| is_data && !has_goto(self.body)).find_map(rounds)
    }

    /// The same of `while (1)` where a `break` that data decide comes before one that counts: that one is come to in every round, and once
    /// more than what it looks at goes on.
    fn left_at_last(&self) -> Option<Node<Expression>> {
        // A round that goes on before does not come to it.
        if self.continues() {
            return None;
        }
        let leaves = self.body.iter().filter_map(leaving);
        let (data, counting): (Vec<_>, Vec<_>) = leaves.partition(|condition| self.data.is_in(condition));
        let place = |condition: &&Node<Expression>| condition.span.start;
        let first = data.iter().map(place).min()?;
        let span = self.condition.span;
        for condition in counting.iter().filter(|own| place(own) > first) {
            let goes_on = self.open(condition);
            let Some(gap) = self.gap(&goes_on) else { continue };
            let moves = self.moving(&gap);
            let step = |node: &Node<Expression>, _: bool| {
                let is_own = |part: &&Node<Expression>| moves.iter().any(|(name, _)| step_of(part, name).is_some());
                Some(steps(node).iter().any(is_own))
            };
            // The first round is come to, wherever it begins.
            if self.is_wide_enough(&gap)
                && all_go_on(self.body, &[], &[], &step, &|_| false)
                && let Some(width) = self.width(&gap)
            {
                return Some(binary(BinaryOperator::Plus, width, number("2", span), span));
            }
        }
        None
    }

    /// Whether the width of a gap is -1 or more when the loop begins, whatever the sizes.
    fn is_wide_enough(&self, gap: &Gap) -> bool {
        let Some([low, high]) = self.sides(gap) else { return false };
        let width = self.least(&high).zip(constant(&low)).and_then(|(high, low)| high.checked_sub(low));
        width.is_some_and(|width| width >= -1)
    }

    /// What a size, or a sum of one and a constant, is at least.
    fn least(&self, node: &Node<Expression>) -> Option<i64> {
        let is_size =
            |node: &Node<Expression>| variable(node).is_some_and(|end| self.declared.is_constant_argument(end));
        match operation(node) {
            _ if is_size(node) => Some(0),
            Some((BinaryOperator::Plus, o)) if is_size(&o.lhs) => constant(&o.rhs),
            Some((BinaryOperator::Minus, o)) if is_size(&o.lhs) => constant(&o.rhs)?.checked_neg(),
            _ => constant(node),
        }
    }

    /// What holds where a loop does not end: of a counter that comes from 0 in steps of one, `i == n` is `i >= n` for a
    /// size `n` that it does not begin behind.
    fn open(&self, condition: &Node<Expression>) -> Node<Expression> {
        if let Some((BinaryOperator::Equals, o)) = operation(condition)
            && let Some(name) = variable(&o.lhs)
            && self.first(name).and_then(constant) == Some(0)
            && self.is_steady(name)
            && let Some(step) = self.step_of_one(name)
        {
            // Where the step comes first, the condition sees 1 before all else.
            let seen = i64::from(step < condition.span.start);
            if self.least(&o.rhs).is_some_and(|least| least >= seen) {
                return binary(BinaryOperator::Less, (*o.lhs).clone(), (*o.rhs).clone(), condition.span);
            }
        }
        opposite(condition)
    }

    /// What the body changes of the sides of a comparison, up or down.
    fn moving<'g>(&self, gap: &Gap<'g>) -> Vec<(&'g str, i64)> {
        let side = |node: &'g Node<Expression>, by: i64| {
            let moved = changed(&block(self.body.to_vec(), node.span));
            variable(node).filter(|name| moved.iter().any(|own| own == name)).map(|name| (name, by))
        };
        [side(gap.low, 1), side(gap.high, -1)].into_iter().flatten().collect()
    }

    /// A comparison whose sides the body only moves towards each other.
    fn gap<'g>(&self, part: &'g Node<Expression>) -> Option<Gap<'g>> {
        let (operator, o) = operation(part)?;
        let (low, high) = match operator {
            BinaryOperator::Less | BinaryOperator::LessOrEqual => (&*o.lhs, &*o.rhs),
            BinaryOperator::Greater | BinaryOperator::GreaterOrEqual => (&*o.rhs, &*o.lhs),
            _ => return None,
        };
        let is_closed = matches!(operator, BinaryOperator::LessOrEqual | BinaryOperator::GreaterOrEqual);
        let gap = Gap { low, high, is_closed };
        let moved = changed(&block(self.body.to_vec(), part.span));
        let moving = self.moving(&gap);
        let is_steady = |node: &Node<Expression>| {
            is_told(node) && !self.data.is_in(node) && !names_in(node).iter().any(|name| moved.contains(name))
        };
        let is_moved = |node: &Node<Expression>| {
            let Some(name) = variable(node) else { return false };
            let Some((_, by)) = moving.iter().find(|(own, _)| *own == name) else { return false };
            // Of numbers without sign, none is below 0.
            let goes_on = self.goes_on(name) && (*by > 0 || !self.is_unsigned(low));
            !self.declared.has_address(name)
                && (goes_on || !is_closed && self.moves_once(name))
                && self.body.iter().all(|item| self.moves_item(item, name, *by))
        };
        let is_known =
            |node: &Node<Expression>, by: i64| is_steady(node) || is_moved(node) || self.bounded(node, by).is_some();
        (!moving.is_empty() && is_known(low, 1) && is_known(high, -1) && self.wrapping(&gap).is_ok()).then_some(gap)
    }

    /// What a variable that the loop leaves alone is at least (at most, where `by` is negative), where data have moved it before.
    fn bounded(&self, node: &Node<Expression>, by: i64) -> Option<Node<Expression>> {
        let name = variable(node)?;
        let is_loop = |item: &&Node<BlockItem>| match &item.node {
            BlockItem::Statement(own) => match &own.node {
                Statement::While(w) => self.data.is_in(&w.node.expression) || leaves_early(&listed(&w.node.statement)),
                Statement::DoWhile(w) => {
                    self.data.is_in(&w.node.expression) || leaves_early(&listed(&w.node.statement))
                }
                Statement::For(f) => {
                    f.node.condition.iter().any(|own| self.data.is_in(own)) || leaves_early(&listed(&f.node.statement))
                }
                _ => false,
            },
            BlockItem::Declaration(_) | BlockItem::StaticAssert(_) => false,
        };
        let last = self.before.iter().rev().find(|item| changes_of(item, name));
        let is_data = self.data.is_in(node) || last.as_ref().is_some_and(is_loop);
        let is_moved = self.body.iter().any(|item| changes_of(item, name));
        let is_own = self.goes_on(name) && !self.declared.has_address(name);
        (is_data && is_own && !is_moved).then(|| self.begins(name, by)).flatten()
    }

    /// Whether a number without sign is in an expression.
    pub fn is_unsigned(&self, node: &Node<Expression>) -> bool {
        struct Suffixes(bool);
        impl<'ast> Visit<'ast> for Suffixes {
            fn visit_integer(&mut self, integer: &'ast Integer, _: &'ast Span) {
                self.0 |= integer.suffix.unsigned;
            }
        }
        let mut suffixes = Suffixes(false);
        suffixes.visit_expression(&node.node, &node.span);
        suffixes.0 || names_in(node).iter().any(|name| !self.declared.is_signed(name))
    }

    /// Whether no step of a variable brings it round: C knows no such step, or says nothing of it.
    pub fn goes_on(&self, name: &str) -> bool {
        self.declared.is_signed(name) && self.declared.has_bits(name, 32)
    }

    /// Whether a statement surely moves a variable in one direction.
    pub fn is_step(&self, node: &Node<Expression>, name: &str, by: i64) -> bool {
        let known = |other: &str| if self.is_unsigned(node) { None } else { self.known(other) };
        advance(self.declared, node, name, &known).is_some_and(|(low, high)| if by > 0 { low > 0 } else { high < 0 })
    }

    /// Whether all that an item does to a variable is to move it in one direction.
    fn moves_item(&self, item: &Node<BlockItem>, name: &str, by: i64) -> bool {
        Values { nearing: Some(self), ..Values::of(name, by) }.only_moves(item)
    }

    /// What is known of a variable in the body: of one that gets a value once, there or before, what it gets, of one that goes on,
    /// as what counts in a loop around, what it is at least.
    fn known(&self, name: &str) -> Option<(i64, i64)> {
        if let Some((_, least)) = self.around.iter().rev().find(|(own, _)| own == name) {
            return self.goes_on(name).then_some((*least, ANY));
        }
        if self.declared.times(name) != 1 || self.declared.has_address(name) {
            return None;
        }
        let mut values = Values::of(name, 1);
        values.visit_statement(&self.whole.node, &self.whole.span);
        // Before it gets that value, it has none.
        let is_given_once = values.is_declared && moves(self.whole, name) == 1;
        let mut items = self.body.iter().chain(self.before);
        if let Some(value) = items.find_map(|item| given(item, name)).filter(|_| is_given_once) {
            let (least, most) = self.declared.integer(name, 0)?.limits();
            return within(self.declared, value).filter(|(low, high)| least <= *low && *high <= most);
        }
        let least = self.given_anywhere(name, 1).filter(|_| self.goes_on(name))?;
        Some((constant(&least)?, ANY))
    }

    /// Whether a round moves an integer by one at most: then it stays between two ends that its type holds.
    fn moves_once(&self, name: &str) -> bool {
        let step = |node: &Node<Expression>, is_done: bool| {
            let mut moved = vec![];
            changed_in(node, &mut moved);
            match moved.iter().any(|own| own == name) {
                false => Some(false),
                true => (!is_done && step_of(node, name).is_some_and(|by| by.abs() == 1)).then_some(true),
            }
        };
        self.declared.integer(name, 0).is_some()
            && !has_goto(self.body)
            && Ways { names: &[name], step: &step, is_open: &|_| false }
                .through(self.body, [true, false], &[])
                .is_some()
    }

    /// The type that both sides of a comparison must lie in for its steps to stay there, if one may come round; `Err` where two
    /// types may.
    fn wrapping(&self, gap: &Gap) -> Result<Option<ScalarType>, ()> {
        let own = |(name, _): (&str, i64)| (!self.goes_on(name)).then(|| self.declared.integer(name, 0)).flatten();
        let mut types = self.moving(gap).into_iter().map(own);
        match (types.next().flatten(), types.next()) {
            (one, None) => Ok(one),
            (one, Some(other)) => {
                if one == other {
                    Ok(one)
                } else {
                    Err(())
                }
            }
        }
    }

    /// What the low side of a comparison is at least when the loop begins, and the high one at most.
    fn sides(&self, gap: &Gap) -> Option<[Node<Expression>; 2]> {
        let moving = self.moving(gap);
        let begins = |node: &Node<Expression>, by: i64| match variable(node) {
            Some(name) if moving.iter().any(|(own, _)| *own == name) => self.begins(name, by),
            _ => Some(self.bounded(node, by).unwrap_or_else(|| node.clone())),
        };
        Some([begins(gap.low, 1)?, begins(gap.high, -1)?])
    }

    /// How far the sides of a comparison are from each other at most when the loop begins.
    fn width(&self, gap: &Gap) -> Option<Node<Expression>> {
        let span = self.condition.span;
        let [mut low, mut high] = self.sides(gap)?;
        if let Some(ty) = self.wrapping(gap).ok()? {
            (low, high) = (self.held(low, ty)?, self.held(high, ty)?);
        }
        let width = match constant(&low) {
            Some(0) => high,
            _ => binary(BinaryOperator::Minus, high, low, span),
        };
        Some(match gap.is_closed {
            true => binary(BinaryOperator::Plus, width, number("1", span), span),
            false => width,
        })
    }

    /// A size or a constant as a value of a type: as it is where that surely holds it, else converted, so that the kernel has no sizes that
    /// it does not hold.
    fn held(&self, node: Node<Expression>, ty: ScalarType) -> Option<Node<Expression>> {
        let arguments = names_in(&node);
        let fits = |name: &String| self.declared.integer(name, 0).is_some_and(|own| own.bits <= ty.bits);
        match constant(&node) {
            Some(value) => (0..127).contains(&value).then_some(node),
            None if self.least(&node)? < 0 => None,
            None if ty.bits < 32 => Some(cast(node, ty)),
            None => arguments.iter().all(fits).then_some(node),
        }
    }

    /// The value that a variable gets as the last thing before the loop that changes it.
    fn first(&self, name: &str) -> Option<&Node<Expression>> {
        self.before.iter().rev().find(|item| changes_of(item, name)).and_then(|item| given(item, name))
    }

    /// Whether a variable begins with no data right before the loop, and every round adds constants to it.
    fn is_steady(&self, name: &str) -> bool {
        let mut moving = self.body.iter().filter(|item| changes_of(item, name));
        self.first(name).is_some_and(|first| !self.data.is_in(first))
            && moving.all(|item| step_in(item, name).is_some())
    }

    /// Where every round adds 1 to a variable, and does nothing else to it.
    fn step_of_one(&self, name: &str) -> Option<usize> {
        let moving: Vec<_> = self.body.iter().filter(|item| changes_of(item, name)).collect();
        match moving[..] {
            [only] => (step_in(only, name) == Some(1)).then_some(only.span.start),
            _ => None,
        }
    }

    /// What a variable was at least (at most, where `by` is negative) when the loop begins: what it got before the loop, from where on
    /// nothing takes it back, or what it gets anywhere in the function, or what an array says that every round looks into.
    fn begins(&self, name: &str, by: i64) -> Option<Node<Expression>> {
        // Steps elsewhere bring it round, perhaps.
        let goes_on = self.goes_on(name) || by > 0 && self.declared.integer(name, 0).is_some_and(|ty| !ty.signed);
        let mut later = changed(&block(self.body.to_vec(), self.condition.span));
        for item in self.before.iter().rev() {
            if let Some(value) = given(item, name) {
                let is_still = !names_in(value).iter().any(|own| later.contains(own));
                if is_told(value) && is_still && !self.data.is_in(value) {
                    let least = self.is_product(value).then(|| self.least_of(value, by)).flatten();
                    return Some(least.unwrap_or_else(|| value.clone()));
                }
                break;
            }
            let is_there = changes_of(item, name);
            if is_there && !goes_on || !moves_by(item, name, by) {
                break;
            }
            later.extend(changed(&block(vec![item.clone()], item.span)));
        }
        let least = self.given_anywhere(name, by).filter(|_| goes_on).or_else(|| self.looked_at(name, by));
        // Of data that are small numbers.
        least.or_else(|| {
            let (low, high) = behind(self.declared, self.before, name)?;
            let end = if by > 0 { low } else { high };
            (0..=MOST).contains(&end).then(|| number(&end.to_string(), self.condition.span))
        })
    }

    /// Whether something is multiplied that is no constant: no bound of a loop can be such a product.
    fn is_product(&self, node: &Node<Expression>) -> bool {
        match operation(node) {
            Some((BinaryOperator::Multiply, o)) => constant(&o.lhs).is_none() && constant(&o.rhs).is_none(),
            Some((_, o)) => self.is_product(&o.lhs) || self.is_product(&o.rhs),
            None => false,
        }
    }

    /// The least that a value may be, where `by` is positive.
    fn least_of(&self, node: &Node<Expression>, by: i64) -> Option<Node<Expression>> {
        let known = |name: &str| self.known(name);
        let within = within_known(self.declared, node, &known).filter(|_| by > 0 && !self.is_unsigned(node));
        within.map(|(low, _)| number(&low.to_string(), node.span))
    }

    /// The least (the largest, where `by` is negative) of the constants that a variable gets in the function, where steps go on from them.
    fn given_anywhere(&self, name: &str, by: i64) -> Option<Node<Expression>> {
        let mut values = Values::of(name, by);
        values.visit_statement(&self.whole.node, &self.whole.span);
        let found = values.found.filter(|_| values.is_declared)?;
        let values = found.into_iter().map(|value| constant(&value)).collect::<Option<Vec<i64>>>()?;
        let end = if by > 0 { values.into_iter().min() } else { values.into_iter().max() }?;
        // Negative numbers are operators and numbers.
        (end >= 0).then(|| number(&end.to_string(), self.condition.span))
    }

    /// What `i` is at least (at most, where `by` is negative) when the loop begins, if every round that another follows looks at an
    /// element `a[i + k]`.
    fn looked_at(&self, name: &str, by: i64) -> Option<Node<Expression>> {
        let span = self.condition.span;
        let mut looked = Looked { name, extents: self.extents, array: None, moved: 0, found: vec![] };
        if !self.is_do {
            looked.condition(self.condition);
        }
        looked.items(self.body);
        let sum = |value: Node<Expression>, by: i64| match by {
            0 => value,
            _ if by > 0 => binary(BinaryOperator::Plus, value, number(&by.to_string(), span), span),
            _ => binary(BinaryOperator::Minus, value, number(&by.unsigned_abs().to_string(), span), span),
        };
        let (offset, extent) = looked.found.into_iter().next()?;
        if by > 0 {
            // One round more, for the first may be the last.
            let is_unsigned = self.declared.integer(name, 0).is_some_and(|ty| !ty.signed);
            let least = if is_unsigned { (-offset - 1).max(0) } else { -offset - 1 };
            return Some(sum(number("0", span), least));
        }
        Some(sum(extent, -offset))
    }

    pub fn continues(&self) -> bool {
        has_continue(&block(self.body.to_vec(), self.condition.span)) || has_goto(self.body)
    }

    /// As many rounds as a type has bits and one more, where each leaves at most half of what lies between two variables.
    fn halves(&self) -> Option<i64> {
        conjuncts(self.condition).into_iter().find_map(|part| self.halves_by(part))
    }

    fn halves_by(&self, condition: &Node<Expression>) -> Option<i64> {
        let (low, high, least) = gap_left(condition)?;
        let ty = self.outer(low).filter(|ty| self.outer(high) == Some(*ty))?;
        let (first, rest) = self.body.split_first()?;
        let middle = match &first.node {
            BlockItem::Declaration(declaration) => match &declaration.node.declarators[..] {
                [only] => identifier(&only.node.declarator.node)?.node.name.clone(),
                _ => return None,
            },
            BlockItem::Statement(Node { node: Statement::Expression(Some(first)), .. }) => {
                variable(&operation(first)?.1.lhs)?.to_string()
            }
            _ => return None,
        };
        let halving = Halving { low, high, middle: &middle, least };
        let value = given(first, &middle)?;
        let holds_middle =
            self.declared.integer(&middle, 0).is_some_and(|own| own == ty || own.signed && own.bits > ty.bits);
        // Without sign, -1 is behind all, and a sum of the ends may be less than one of them.
        let is_size = |end: &Node<Expression>| {
            constant(end).is_some_and(|end| end >= 0)
                || variable(end)
                    .is_some_and(|end| self.declared.is_constant_argument(end) && self.declared.is_signed(end))
        };
        let is_small = ty.bits < 32 || self.first(high).is_some_and(is_size);
        let is_held = ty.signed || least > 0 && (is_small || !halving.adds(value));
        let narrows = halving.narrows(rest, &|node| self.ends(node)) && (ty.signed || !halving.may_go_below(rest));
        (holds_middle && is_held && halving.is_middle(value) && narrows).then_some(i64::from(ty.bits) + 1)
    }

    /// `while (b) { t = a % b; a = b; b = t; }`
    fn euclid(&self) -> Option<i64> {
        let divisor = match operation(self.condition) {
            None => variable(self.condition)?,
            Some((BinaryOperator::NotEquals | BinaryOperator::Greater, o)) if constant(&o.rhs) == Some(0) => {
                variable(&o.lhs)?
            }
            _ => return None,
        };
        let ty = self.outer(divisor).filter(|_| !self.continues())?;
        let values: Vec<(String, &Node<Expression>)> = self.body.iter().filter_map(assigned).collect();
        let is_remainder = |node: &Node<Expression>, of: &str| matches!(operation(node), Some((BinaryOperator::Modulo, o)) if is_name(&o.lhs, of) && is_name(&o.rhs, divisor));
        let ways = |name: &str| {
            let only = |item: &&Node<BlockItem>| {
                changed(&block(vec![(*item).clone()], item.span)).iter().any(|own| own == name)
            };
            self.body.iter().filter(only).count()
        };
        let own: Vec<_> = values.iter().filter(|(name, _)| ways(name) == 1).collect();
        // The first of the two ways keeps the remainder beside, the second the divisor.
        let order = |first: &dyn Fn(&str, &Node<Expression>) -> bool,
                     then: &dyn Fn(&str, &Node<Expression>) -> bool,
                     last: &dyn Fn(&str, &Node<Expression>) -> bool| {
            let place =
                |test: &dyn Fn(&str, &Node<Expression>) -> bool| own.iter().position(|(name, value)| test(name, value));
            matches!((place(first), place(then), place(last)), (Some(a), Some(b), Some(c)) if a < b && b < c)
        };
        let is_euclid = own.iter().any(|(dividend, _)| {
            own.iter().any(|(beside, _)| {
                let is = |node: &Node<Expression>, name: &str| is_name(node, name);
                dividend != divisor
                    && beside != divisor
                    && beside != dividend
                    && self.outer(dividend) == Some(ty)
                    && self.declared.integer(beside, 0) == Some(ty)
                    && (order(
                        &|name, value| name == beside && is_remainder(value, dividend),
                        &|name, value| name == dividend && is(value, divisor),
                        &|name, value| name == divisor && is(value, beside),
                    ) || order(
                        &|name, value| name == beside && is(value, divisor),
                        &|name, value| name == divisor && is_remainder(value, dividend),
                        &|name, value| name == dividend && is(value, beside),
                    ))
            })
        });
        is_euclid.then(|| {
            let (mut one, mut next, mut rounds) = (1u128, 2u128, 2);
            while next >> ty.bits == 0 {
                (one, next) = (next, one + next);
                rounds += 1;
            }
            rounds
        })
    }

    /// The type of an integer that the body does not declare.
    fn outer(&self, name: &str) -> Option<ScalarType> {
        let declares = |item: &Node<BlockItem>| {
            let mut values = Values::of(name, 1);
            values.visit_block_item(&item.node, &item.span);
            values.is_declared
        };
        let ty = self.declared.integer(name, 0)?;
        (!self.declared.has_address(name) && !self.body.iter().any(declares)).then_some(ty)
    }
}

impl Gap<'_> {
    /// Whether a condition is that the gap is open.
    fn is_of(&self, condition: &Node<Expression>) -> bool {
        let Some((operator, o)) = operation(condition) else { return false };
        let is_same = |one: &Node<Expression>, other: &Node<Expression>| match (variable(one), constant(one)) {
            (Some(name), _) => is_name(other, name),
            (None, Some(value)) => constant(other) == Some(value),
            _ => false,
        };
        let (low, high) = match operator {
            BinaryOperator::Less if !self.is_closed => (&o.lhs, &o.rhs),
            BinaryOperator::LessOrEqual if self.is_closed => (&o.lhs, &o.rhs),
            BinaryOperator::Greater if !self.is_closed => (&o.rhs, &o.lhs),
            BinaryOperator::GreaterOrEqual if self.is_closed => (&o.rhs, &o.lhs),
            _ => return false,
        };
        is_same(self.low, low) && is_same(self.high, high)
    }
}

struct Halving<'h> {
    low: &'h str,
    high: &'h str,
    middle: &'h str,
    /// How far the ends are from each other at least while the loop goes on.
    least: i64,
}

/// The variables that a condition wants apart, the lower first, and how far at least: `low + 1 < high`, `high - low > 1`.
fn gap_left(condition: &Node<Expression>) -> Option<(&str, &str, i64)> {
    let (operator, o) = operation(condition)?;
    let (below, above, least) = match operator {
        BinaryOperator::Less => (&*o.lhs, &*o.rhs, 1),
        BinaryOperator::LessOrEqual => (&*o.lhs, &*o.rhs, 0),
        BinaryOperator::Greater => (&*o.rhs, &*o.lhs, 1),
        BinaryOperator::GreaterOrEqual => (&*o.rhs, &*o.lhs, 0),
        _ => return None,
    };
    // The width on one side, a constant on the other.
    if let (Some(end), Some((BinaryOperator::Minus, width))) = (constant(below), operation(above)) {
        let (low, high) = (variable(&width.rhs)?, variable(&width.lhs)?);
        return (0..1 << 20).contains(&end).then_some((low, high, end + least));
    }
    let ((low, below_by), (high, above_by)) = (moved_name(below)?, moved_name(above)?);
    let by = below_by.checked_sub(above_by)?;
    // Less than a variable less something may come round.
    ((0..1 << 20).contains(&by) && above_by <= 0 && below_by >= 0).then_some(())?;
    Some((low, high, by + least))
}

/// A variable, and what is added to it.
fn moved_name(node: &Node<Expression>) -> Option<(&str, i64)> {
    let name = match operation(node) {
        Some((BinaryOperator::Plus | BinaryOperator::Minus, sum)) => variable(&sum.lhs).or(variable(&sum.rhs)),
        _ => variable(node),
    }?;
    Some((name, offset_of(node, name)?))
}

impl Halving<'_> {
    /// `(low + high) / 2`, `low + (high - low) / 2`.
    fn is_middle(&self, node: &Node<Expression>) -> bool {
        let is_both = |node: &Node<Expression>, operator: BinaryOperator, left: &str, right: &str| matches!(operation(node), Some((own, o)) if own == operator && is_name(&o.lhs, left) && is_name(&o.rhs, right));
        let half = |node: &Node<Expression>| match operation(node) {
            Some((BinaryOperator::Divide, o)) if constant(&o.rhs) == Some(2) => Some((*o.lhs).clone()),
            Some((BinaryOperator::ShiftRight, o)) if constant(&o.rhs) == Some(1) => Some((*o.lhs).clone()),
            _ => None,
        };
        if let Some(sum) = half(node) {
            return is_both(&sum, BinaryOperator::Plus, self.low, self.high)
                || is_both(&sum, BinaryOperator::Plus, self.high, self.low);
        }
        matches!(operation(node), Some((BinaryOperator::Plus, o)) if is_name(&o.lhs, self.low)
            && half(&o.rhs).is_some_and(|width| is_both(&width, BinaryOperator::Minus, self.high, self.low)))
    }

    /// Whether a middle is half of a sum of the ends.
    fn adds(&self, node: &Node<Expression>) -> bool {
        !matches!(operation(node), Some((BinaryOperator::Plus, o)) if is_name(&o.lhs, self.low))
    }

    /// Whether statements may give the upper end one less than the middle.
    fn may_go_below(&self, items: &Items) -> bool {
        let mut values = Values::of(self.high, -1);
        items.iter().for_each(|item| values.visit_block_item(&item.node, &item.span));
        !values.found.is_some_and(|found| found.iter().all(|value| is_name(value, self.middle)))
    }

    /// Whether every way through statements moves one of the ends to the middle, and only once, or leaves the loop.
    fn narrows(&self, items: &Items, ends: &dyn Fn(&Node<Expression>) -> bool) -> bool {
        let all = [self.low, self.high, self.middle];
        let step = |node: &Node<Expression>, is_done: bool| {
            let mut moved = vec![];
            changed_in(node, &mut moved);
            match moved.iter().any(|own| all.contains(&own.as_str())) {
                false => Some(ends(node)),
                true => (!is_done && self.is_narrowing(node)).then_some(true),
            }
        };
        all_go_on(items, &[], &all, &step, &|_| false)
    }

    /// `low = middle + 1`, `high = middle - 1`, and `high = middle` where `low < high`, `low = middle` where `low + 1 < high`.
    fn is_narrowing(&self, node: &Node<Expression>) -> bool {
        let Some((BinaryOperator::Assign, o)) = operation(node) else { return false };
        let by = match operation(&o.rhs) {
            None if is_name(&o.rhs, self.middle) => 0,
            Some((BinaryOperator::Plus, sum)) if is_name(&sum.lhs, self.middle) && constant(&sum.rhs) == Some(1) => 1,
            Some((BinaryOperator::Minus, sum)) if is_name(&sum.lhs, self.middle) && constant(&sum.rhs) == Some(1) => -1,
            _ => return false,
        };
        is_name(&o.lhs, self.low) && (by == 1 || by == 0 && self.least > 1)
            || is_name(&o.lhs, self.high) && (by == -1 || by == 0 && self.least > 0)
    }
}

pub fn changes_of(item: &Node<BlockItem>, name: &str) -> bool {
    changed(&block(vec![item.clone()], item.span)).iter().any(|own| own == name)
}

/// The constant that an item adds to a variable, as all that it does.
pub fn step_in(item: &Node<BlockItem>, name: &str) -> Option<i64> {
    match &item.node {
        BlockItem::Statement(Node { node: Statement::Expression(Some(own)), .. }) => step_of(own, name),
        _ => None,
    }
}

/// A way through a round.
#[derive(Clone, PartialEq)]
pub struct Way {
    /// What it has added to the variable, while that is a constant.
    moved: Option<i64>,
    /// How far the elements that it has looked at are from what the variable was, the least and the most.
    pub found: Option<(i64, i64)>,
}

/// How many ways through a round are followed.
const WAYS: usize = 64;

/// Looks for elements of an array on all ways through a round.
pub struct Looks<'l> {
    nearing: &'l Nearing<'l>,
    array: &'l str,
    name: &'l str,
    /// The ways to the next round.
    done: Vec<Way>,
    pub extent: Option<Node<Expression>>,
}

impl<'l> Looks<'l> {
    pub fn of(nearing: &'l Nearing<'l>, array: &'l str, name: &'l str) -> Looks<'l> {
        Looks { nearing, array, name, done: vec![], extent: None }
    }

    /// All ways to the next round; `None` where that cannot be told.
    pub fn all(&mut self) -> Option<Vec<Way>> {
        let mut ways = vec![Way { moved: Some(0), found: None }];
        let Nearing { condition, body, is_do, .. } = *self.nearing;
        if !is_do {
            self.holds(condition, &mut ways);
        }
        ways = self.items(body, ways)?;
        ways.append(&mut self.done);
        if is_do {
            self.holds(condition, &mut ways);
        }
        Some(ways)
    }

    /// A condition that holds.
    fn holds(&mut self, condition: &Node<Expression>, ways: &mut [Way]) {
        conjuncts(condition).into_iter().for_each(|part| self.looks(part, ways));
    }

    /// What C surely looks at on the way to a value that changes nothing of the variable.
    fn looks(&mut self, node: &Node<Expression>, ways: &mut [Way]) {
        // Each array of the name has its own extent.
        let mut looked =
            Looked { name: self.name, extents: self.nearing.extents, array: Some(self.array), moved: 0, found: vec![] };
        looked.expression(node);
        for (offset, extent) in looked.found {
            self.extent = Some(extent);
            for way in ways.iter_mut() {
                let Some(place) = way.moved.map(|moved| offset + moved) else { continue };
                way.found = Some(way.found.map_or((place, place), |(least, most)| (least.min(place), most.max(place))));
            }
        }
    }

    fn items(&mut self, items: &Items, mut ways: Vec<Way>) -> Option<Vec<Way>> {
        for item in items {
            let is_moved = changes_of(item, self.name);
            match &item.node {
                BlockItem::Declaration(declaration) => {
                    (!is_moved).then_some(())?;
                    for declarator in &declaration.node.declarators {
                        if let Some(Initializer::Expression(value)) =
                            declarator.node.initializer.as_ref().map(|first| &first.node)
                        {
                            self.looks(value, &mut ways);
                        }
                    }
                }
                BlockItem::StaticAssert(_) => {}
                BlockItem::Statement(own) => ways = self.statement(own, is_moved, ways)?,
            }
            if ways.len() > WAYS {
                return None;
            }
        }
        Some(ways)
    }

    fn statement(&mut self, node: &Node<Statement>, is_moved: bool, mut ways: Vec<Way>) -> Option<Vec<Way>> {
        match &node.node {
            Statement::Expression(Some(own)) => match step_of(own, self.name) {
                Some(by) => ways.iter_mut().for_each(|way| way.moved = way.moved.map(|moved| moved + by)),
                None if is_moved => {
                    let (operator, o) = operation(own)?;
                    let is_own = assignment(&operator).is_some() && is_name(&o.lhs, self.name);
                    (is_own && !changes(&o.rhs)).then_some(())?;
                    self.looks(&o.rhs, &mut ways);
                    ways.iter_mut().for_each(|way| way.moved = None);
                }
                None => self.looks(own, &mut ways),
            },
            Statement::Compound(items) => return self.items(items, ways),
            Statement::Break | Statement::Return(_) => return Some(vec![]),
            Statement::Continue => {
                self.done.append(&mut ways);
                return Some(vec![]);
            }
            Statement::If(branch) => {
                let condition = &*branch.node.condition;
                let mut moved = vec![];
                changed_in(condition, &mut moved);
                (!moved.iter().any(|own| own == self.name)).then_some(())?;
                self.looks(condition, &mut ways);
                let mut both = self.items(&listed(&branch.node.then_statement), ways.clone())?;
                let other = match &branch.node.else_statement {
                    Some(other) => self.items(&listed(other), ways)?,
                    None => ways,
                };
                both.extend(other.into_iter().filter(|way| !both.contains(way)).collect::<Vec<_>>());
                return Some(both);
            }
            _ if !is_moved => {}
            // However often it runs.
            Statement::While(w) if !changes(&w.node.expression) => {
                self.looks(&w.node.expression, &mut ways);
                ways.iter_mut().for_each(|way| way.moved = None);
            }
            Statement::For(f) if matches!(f.node.initializer.node, ForInitializer::Empty) => {
                let condition = f.node.condition.as_deref();
                condition.filter(|own| !changes(own)).into_iter().for_each(|own| self.looks(own, &mut ways));
                ways.iter_mut().for_each(|way| way.moved = None);
            }
            Statement::DoWhile(w) => {
                if !has_jump(&w.node.statement) {
                    ways = self.items(&listed(&w.node.statement), ways)?;
                }
                ways.iter_mut().for_each(|way| way.moved = None);
            }
            Statement::For(_) => ways.iter_mut().for_each(|way| way.moved = None),
            _ => return None,
        }
        Some(ways)
    }
}

/// Whether a body may leave its loop otherwise than by the condition.
pub fn leaves_early(items: &Items) -> bool {
    struct Leaves(bool);
    impl<'ast> Visit<'ast> for Leaves {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            self.0 |= matches!(statement, Statement::Break | Statement::Return(_) | Statement::Goto(_));
            visit::visit_statement(self, statement, span);
        }
    }
    let mut found = Leaves(false);
    items.iter().for_each(|item| found.visit_block_item(&item.node, &item.span));
    found.0
}

/// The condition of `if (…) { …; break; }`.
pub fn leaving(item: &Node<BlockItem>) -> Option<&Node<Expression>> {
    let BlockItem::Statement(Node { node: Statement::If(branch), .. }) = &item.node else { return None };
    let then = listed(&branch.node.then_statement);
    let ends = matches!(&then.last()?.node, BlockItem::Statement(own) if matches!(own.node, Statement::Break));
    (ends && branch.node.else_statement.is_none()).then_some(&branch.node.condition)
}

/// What an item gives a variable: in an assignment of its own, or in a declaration.
pub fn given<'i>(item: &'i Node<BlockItem>, name: &str) -> Option<&'i Node<Expression>> {
    let BlockItem::Declaration(declaration) = &item.node else {
        return assigned(item).filter(|(own, _)| own == name).map(|(_, value)| value);
    };
    let is_own = |own: &&Node<InitDeclarator>| {
        identifier(&own.node.declarator.node).is_some_and(|found| found.node.name == name)
    };
    match &declaration.node.declarators.iter().find(is_own)?.node.initializer.as_ref()?.node {
        Initializer::Expression(value) => Some(value),
        Initializer::List(_) => None,
    }
}

/// The variable that an item gives a value, as all that it does, or as the only one that it declares.
fn assigned(item: &Node<BlockItem>) -> Option<(String, &Node<Expression>)> {
    let of = |own: &'_ Node<InitDeclarator>| identifier(&own.node.declarator.node).map(|name| name.node.name.clone());
    match &item.node {
        BlockItem::Declaration(declaration) => match &declaration.node.declarators[..] {
            [only] => match &only.node.initializer.as_ref()?.node {
                Initializer::Expression(value) => Some((of(only)?, value)),
                Initializer::List(_) => None,
            },
            _ => None,
        },
        BlockItem::Statement(Node { node: Statement::Expression(Some(own)), .. }) => match operation(own)? {
            (BinaryOperator::Assign, o) => Some((variable(&o.lhs)?.to_string(), &o.rhs)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether `goto` stands somewhere in statements.
pub fn has_goto(items: &Items) -> bool {
    jumps(&block(items.to_vec(), Span::none()), None) > 0
}

/// Whether all that an item does to a variable is to add constants of one sign.
pub fn moves_by(item: &Node<BlockItem>, name: &str, by: i64) -> bool {
    Values::of(name, by).only_moves(item)
}

/// What a variable gets where it does not go on in one direction; `None` where something else happens to it.
pub struct Values<'n> {
    /// Of what is around, steps of data are known.
    nearing: Option<&'n Nearing<'n>>,
    name: &'n str,
    by: i64,
    is_declared: bool,
    pub found: Option<Vec<Node<Expression>>>,
}

impl<'n> Values<'n> {
    pub fn of(name: &'n str, by: i64) -> Self {
        Values { nearing: None, name, by, is_declared: false, found: Some(vec![]) }
    }

    /// Whether an item does nothing else to the variable than to move it on.
    fn only_moves(mut self, item: &Node<BlockItem>) -> bool {
        self.visit_block_item(&item.node, &item.span);
        !self.is_declared && self.found.is_some_and(|found| found.is_empty())
    }
}

impl<'ast> Visit<'ast> for Values<'_> {
    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
        let node = Node::new(expression.clone(), *span);
        let target = match expression {
            Expression::UnaryOperator(unary) if counts(&unary.node.operator.node) => Some(&unary.node.operand),
            Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => Some(&o.node.lhs),
            _ => None,
        };
        if target.is_some_and(|target| is_name(target, self.name)) {
            match (step_of(&node, self.name), operation(&node)) {
                (Some(by), _) if by * self.by > 0 => {}
                _ if self.nearing.is_some_and(|nearing| nearing.is_step(&node, self.name, self.by)) => {}
                (None, Some((BinaryOperator::Assign, o))) if !names_in(&o.rhs).iter().any(|name| name == self.name) => {
                    self.found.iter_mut().for_each(|found| found.push((*o.rhs).clone()));
                }
                _ => self.found = None,
            }
        }
        visit::visit_expression(self, expression, span);
    }

    fn visit_init_declarator(&mut self, declarator: &'ast InitDeclarator, span: &'ast Span) {
        if identifier(&declarator.declarator.node).is_some_and(|own| own.node.name == self.name) {
            self.is_declared = true;
            match declarator.initializer.as_ref().map(|first| &first.node) {
                Some(Initializer::Expression(value)) => {
                    self.found.iter_mut().for_each(|found| found.push((**value).clone()));
                }
                Some(Initializer::List(_)) => self.found = None,
                None => {}
            }
        }
        visit::visit_init_declarator(self, declarator, span);
    }
}
