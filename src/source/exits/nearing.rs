//! How often loops run at most whose counters move when data say so:
//!
//! ```c
//! while (i < n && j < m) if (a[i] <= b[j]) i++; else j++;
//! ```
//!
//! Every way through the body brings `i` nearer to `n`, or `j` to `m`, and none takes them back: after `n + m` rounds one has come
//! there. A binary search halves what lies between its ends, and what Euclid's algorithm leaves becomes smaller as Fibonacci's numbers do.

use lang_c::ast::{BinaryOperator, BlockItem, Expression, InitDeclarator, Initializer, Statement};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::data::Data;
use super::gotos::jumps;
use super::heads::conjuncts;
use crate::source::breaks::{is_always, is_told, opposite};
use crate::source::canonical::{has_continue, names_in};
use crate::source::counters::named;
use crate::source::flat::constant;
use crate::source::function::identifier;
use crate::source::kernel::ScalarType;
use crate::source::known::{Declared, changed, changed_in};
use crate::source::left::step_of;
use crate::source::loops::steps;
use crate::source::nest::{assignment, counts, is_name, operation};
use crate::source::plain::{binary, block, listed, number, variable};

type Items = [Node<BlockItem>];

/// A loop, what stands before it in its block, and the function's body.
pub struct Nearing<'l> {
    pub data: &'l Data<'l>,
    pub declared: &'l Declared,
    pub condition: &'l Node<Expression>,
    /// The body and the steps behind it.
    pub body: &'l Items,
    pub before: &'l Items,
    pub whole: &'l Node<Statement>,
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
        let span = self.condition.span;
        let fixed = self.halves().or_else(|| self.euclid());
        if let Some(rounds) = fixed {
            return Some(number(&rounds.to_string(), span));
        }
        if is_always(self.condition) {
            return self.left_at_last();
        }
        let gaps: Vec<Gap> = conjuncts(self.condition).into_iter().filter_map(|part| self.gap(part)).collect();
        let moves: Vec<(&str, i64)> = gaps.iter().flat_map(|gap| self.moving(gap)).collect();
        let step = |node: &Node<Expression>, _: bool| {
            let is_own = |part: &&Node<Expression>| moves.iter().any(|(name, _)| step_of(part, name).is_some());
            Some(steps(node).iter().any(is_own))
        };
        // Others tell what data do not move.
        let is_data = |name: &str| self.data.is_in(&named(name, span)) && !self.is_steady(name);
        if !moves.iter().any(|(name, _)| is_data(name)) || !all_go_on(self.body, &[], &step) {
            return None;
        }
        let widths = gaps.iter().map(|gap| self.width(gap)).collect::<Option<Vec<_>>>()?;
        widths.into_iter().reduce(|sum, width| binary(BinaryOperator::Plus, sum, width, span))
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
                && all_go_on(self.body, &[], &step)
                && let Some(width) = self.width(&gap)
            {
                return Some(binary(BinaryOperator::Plus, width, number("2", span), span));
            }
        }
        None
    }

    /// Whether a gap begins at 0 and ends at a size, or one before it: its width is -1 or more.
    fn is_wide_enough(&self, gap: &Gap) -> bool {
        let is_size = |node: &Node<Expression>| {
            variable(node).is_some_and(|end| self.declared.is_constant_argument(end))
                || constant(node).is_some_and(|end| end >= 0)
        };
        let is_end = is_size(gap.high)
            || matches!(operation(gap.high), Some((operator, o)) if is_size(&o.lhs) && match operator {
                BinaryOperator::Plus => constant(&o.rhs).is_some_and(|by| by >= 0),
                BinaryOperator::Minus => constant(&o.rhs) == Some(1),
                _ => false,
            });
        let begins = variable(gap.low).and_then(|name| self.begins(name, 1));
        is_end && begins.as_ref().and_then(constant) == Some(0)
    }

    /// What holds where a loop does not end: of a counter that comes from 0 in steps of one, `i == n` is `i >= n` for a
    /// size `n`.
    fn open(&self, condition: &Node<Expression>) -> Node<Expression> {
        if let Some((BinaryOperator::Equals, o)) = operation(condition)
            && let Some(name) = variable(&o.lhs)
            && variable(&o.rhs).is_some_and(|end| self.declared.is_constant_argument(end))
            && self.first(name).and_then(constant) == Some(0)
            && self.is_steady(name)
            && self.is_step_of_one(name)
        {
            return binary(BinaryOperator::Less, (*o.lhs).clone(), (*o.rhs).clone(), condition.span);
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
            variable(node).is_some_and(|name| {
                self.declared.is_signed(name)
                    && self.declared.has_bits(name, 32)
                    && !self.declared.has_address(name)
                    && moving
                        .iter()
                        .any(|(own, by)| *own == name && self.body.iter().all(|item| moves_by(item, name, *by)))
            })
        };
        let is_known = |node: &Node<Expression>| is_steady(node) || is_moved(node);
        (!moving.is_empty() && is_known(low) && is_known(high)).then_some(gap)
    }

    /// How far the sides of a comparison are from each other at most when the loop begins.
    fn width(&self, gap: &Gap) -> Option<Node<Expression>> {
        let span = self.condition.span;
        let moving = self.moving(gap);
        let begins = |node: &Node<Expression>, by: i64| match variable(node) {
            Some(name) if moving.iter().any(|(own, _)| *own == name) => self.begins(name, by),
            _ => Some(node.clone()),
        };
        let (low, high) = (begins(gap.low, 1)?, begins(gap.high, -1)?);
        let width = match constant(&low) {
            Some(0) => high,
            _ => binary(BinaryOperator::Minus, high, low, span),
        };
        Some(match gap.is_closed {
            true => binary(BinaryOperator::Plus, width, number("1", span), span),
            false => width,
        })
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

    /// Whether every round adds 1 to a variable.
    fn is_step_of_one(&self, name: &str) -> bool {
        let moving: Vec<_> = self.body.iter().filter(|item| changes_of(item, name)).collect();
        matches!(moving[..], [only] if step_in(only, name) == Some(1))
    }

    /// What a variable was at least (at most, where `by` is negative) when the loop begins: what it got before the loop, from where on
    /// nothing takes it back, or what it gets anywhere in the function.
    fn begins(&self, name: &str, by: i64) -> Option<Node<Expression>> {
        let mut later = changed(&block(self.body.to_vec(), self.condition.span));
        for item in self.before.iter().rev() {
            if let Some(value) = given(item, name) {
                let is_still = !names_in(value).iter().any(|own| later.contains(own));
                if is_told(value) && is_still && !self.data.is_in(value) {
                    return Some(value.clone());
                }
                break;
            }
            if !moves_by(item, name, by) {
                break;
            }
            later.extend(changed(&block(vec![item.clone()], item.span)));
        }
        let mut values = Values::of(name, by);
        values.visit_statement(&self.whole.node, &self.whole.span);
        let found = values.found.filter(|_| values.is_declared)?;
        let values = found.into_iter().map(|value| constant(&value)).collect::<Option<Vec<i64>>>()?;
        let end = if by > 0 { values.into_iter().min() } else { values.into_iter().max() }?;
        // Negative numbers are operators and numbers.
        (end >= 0).then(|| number(&end.to_string(), self.condition.span))
    }

    fn continues(&self) -> bool {
        has_continue(&block(self.body.to_vec(), self.condition.span)) || has_goto(self.body)
    }

    /// As many rounds as a type has bits and one more, where each leaves at most half of what lies between two variables.
    fn halves(&self) -> Option<i64> {
        let (operator, o) = operation(self.condition)?;
        let (low, high) = match operator {
            BinaryOperator::Less | BinaryOperator::LessOrEqual => (variable(&o.lhs)?, variable(&o.rhs)?),
            BinaryOperator::Greater | BinaryOperator::GreaterOrEqual => (variable(&o.rhs)?, variable(&o.lhs)?),
            _ => return None,
        };
        let ty = self.outer(low).filter(|ty| self.outer(high) == Some(*ty) && ty.signed)?;
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
        let is_open = matches!(operator, BinaryOperator::Less | BinaryOperator::Greater);
        let halving = Halving { low, high, middle: &middle, is_open };
        (halving.is_middle(given(first, &middle)?) && halving.narrows(rest)).then_some(i64::from(ty.bits) + 1)
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

struct Halving<'h> {
    low: &'h str,
    high: &'h str,
    middle: &'h str,
    is_open: bool,
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

    /// Whether every way through statements moves one of the ends to the middle, and only once, or leaves the loop.
    fn narrows(&self, items: &Items) -> bool {
        let all = [self.low, self.high, self.middle];
        let step = |node: &Node<Expression>, is_done: bool| {
            let mut moved = vec![];
            changed_in(node, &mut moved);
            match moved.iter().any(|own| all.contains(&own.as_str())) {
                false => Some(false),
                true => (!is_done && self.is_narrowing(node)).then_some(true),
            }
        };
        all_go_on(items, &all, &step)
    }

    /// `low = middle + 1`, `high = middle - 1`, and `high = middle` where `low < high`.
    fn is_narrowing(&self, node: &Node<Expression>) -> bool {
        let Some((BinaryOperator::Assign, o)) = operation(node) else { return false };
        let by = match operation(&o.rhs) {
            None if is_name(&o.rhs, self.middle) => 0,
            Some((BinaryOperator::Plus, sum)) if is_name(&sum.lhs, self.middle) && constant(&sum.rhs) == Some(1) => 1,
            Some((BinaryOperator::Minus, sum)) if is_name(&sum.lhs, self.middle) && constant(&sum.rhs) == Some(1) => -1,
            _ => return false,
        };
        is_name(&o.lhs, self.low) && by == 1 || is_name(&o.lhs, self.high) && (by == -1 || by == 0 && self.is_open)
    }
}

fn changes_of(item: &Node<BlockItem>, name: &str) -> bool {
    changed(&block(vec![item.clone()], item.span)).iter().any(|own| own == name)
}

/// The constant that an item adds to a variable, as all that it does.
fn step_in(item: &Node<BlockItem>, name: &str) -> Option<i64> {
    match &item.node {
        BlockItem::Statement(Node { node: Statement::Expression(Some(own)), .. }) => step_of(own, name),
        _ => None,
    }
}

/// The condition of `if (…) { …; break; }`.
fn leaving(item: &Node<BlockItem>) -> Option<&Node<Expression>> {
    let BlockItem::Statement(Node { node: Statement::If(branch), .. }) = &item.node else { return None };
    let then = listed(&branch.node.then_statement);
    let ends = matches!(&then.last()?.node, BlockItem::Statement(own) if matches!(own.node, Statement::Break));
    (ends && branch.node.else_statement.is_none()).then_some(&branch.node.condition)
}

/// What an item gives a variable: in an assignment of its own, or in a declaration.
fn given<'i>(item: &'i Node<BlockItem>, name: &str) -> Option<&'i Node<Expression>> {
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

/// Tells what an expression statement does to what has to go on; `None` where it must not stand there. It gets whether something has
/// gone on already.
type Step<'s> = dyn Fn(&Node<Expression>, bool) -> Option<bool> + 's;

/// Whether on every way through a loop's body something goes on, or the loop is left.
fn all_go_on(items: &Items, names: &[&str], step: &Step) -> bool {
    let ways = Ways { names, step };
    !has_goto(items) && ways.through(items, [true, false]).is_some_and(|[none, _]| !none)
}

struct Ways<'s> {
    /// What only expression statements may change.
    names: &'s [&'s str],
    step: &'s Step<'s>,
}

impl Ways<'_> {
    /// Whether there are ways to the end on which nothing has gone on, and on which something has.
    fn through(&self, items: &Items, mut open: [bool; 2]) -> Option<[bool; 2]> {
        for item in items {
            if open == [false, false] {
                break;
            }
            let BlockItem::Statement(own) = &item.node else {
                let moved = changed(&block(vec![item.clone()], item.span));
                if moved.iter().any(|name| self.names.contains(&name.as_str())) {
                    return None;
                }
                continue;
            };
            open = match &own.node {
                Statement::Break | Statement::Return(_) => [false, false],
                // The next iteration begins.
                Statement::Continue if !open[0] => [false, false],
                Statement::Continue => return None,
                Statement::Compound(inner) => self.through(inner, open)?,
                Statement::If(branch) => {
                    let then = self.through(&listed(&branch.node.then_statement), open)?;
                    let other = match &branch.node.else_statement {
                        Some(other) => self.through(&listed(other), open)?,
                        None => open,
                    };
                    [then[0] || other[0], then[1] || other[1]]
                }
                Statement::Expression(Some(expression)) => match (self.step)(expression, open[1])? {
                    true => [false, true],
                    false => open,
                },
                _ if changed(own).iter().any(|name| self.names.contains(&name.as_str())) => return None,
                _ => open,
            };
        }
        Some(open)
    }
}

/// Whether `goto` stands somewhere in statements.
fn has_goto(items: &Items) -> bool {
    jumps(&block(items.to_vec(), Span::none()), None) > 0
}

/// Whether all that an item does to a variable is to add constants of one sign.
fn moves_by(item: &Node<BlockItem>, name: &str, by: i64) -> bool {
    let mut values = Values::of(name, by);
    values.visit_block_item(&item.node, &item.span);
    !values.is_declared && values.found.is_some_and(|found| found.is_empty())
}

/// What a variable gets where it does not go on in one direction; `None` where something else happens to it.
struct Values<'n> {
    name: &'n str,
    by: i64,
    is_declared: bool,
    found: Option<Vec<Node<Expression>>>,
}

impl<'n> Values<'n> {
    fn of(name: &'n str, by: i64) -> Self {
        Values { name, by, is_declared: false, found: Some(vec![]) }
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
