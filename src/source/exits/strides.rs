//! Loops that count by what does not change in them, of which a division tells how often they run:
//!
//! ```c
//! for (k = i * i; k < n; k += i) composite[k] = 1;
//! ```
//!
//! becomes `rounds = k < n ? (n - k - 1) / i + 1 : 0; for (round = 0; round < rounds && round < most; round++) composite[k + round * i] = 1;`,
//! a loop whose end is data: its rounds know of each other nothing, and the hardware goes through no others.

use lang_c::ast::{
    BinaryOperator, BlockItem, ConditionalExpression, Constant, Expression, ForInitializer, IntegerSuffix, Statement,
};
use lang_c::span::Node;

use super::dwindling::counting;
use super::gotos::moves;
use super::leave::integer;
use super::nearing::{Nearing, changes_of, has_goto, leaves_early};
use crate::source::canonical::has_continue;
use crate::source::counters::{declaration, named, replace};
use crate::source::flat::constant;
use crate::source::known::{Declared, changed};
use crate::source::nest::{is_name, operation};
use crate::source::plain::{binary, block, item, number, variable};
use crate::source::polynomial::changes;

type Items = Vec<Node<BlockItem>>;

/// Such a loop: `for (; counter < end; counter += by)`.
pub struct Stride {
    counter: String,
    end: Node<Expression>,
    is_closed: bool,
    by: Node<Expression>,
}

impl Stride {
    /// The loop, if nothing but its condition ends it; `items` are its body and the step behind.
    pub fn of(nearing: &Nearing, items: &[Node<BlockItem>]) -> Option<Stride> {
        let declared = nearing.declared;
        let (operator, o) = operation(nearing.condition)?;
        let is_closed = operator == BinaryOperator::LessOrEqual;
        let counter = variable(&o.lhs).filter(|_| is_closed || operator == BinaryOperator::Less)?;
        let (last, body) = items.split_last()?;
        let BlockItem::Statement(Node { node: Statement::Expression(Some(step)), .. }) = &last.node else {
            return None;
        };
        let by = match operation(step)? {
            (BinaryOperator::AssignPlus, own) if is_name(&own.lhs, counter) => &own.rhs,
            _ => return None,
        };
        let whole = block(items.to_vec(), last.span);
        let moved = changed(&whole);
        let is_own = |name: &str| nearing.goes_on(name) && !declared.has_address(name);
        let is_kept = |name: &str| is_own(name) && !moved.iter().any(|own| own == name);
        let is_moved_here = body.iter().any(|item| changes_of(item, counter));
        let are_numbers = [&*o.rhs, &**by].into_iter().all(|number| is_polynomial(number, &is_kept));
        let is_plain = !leaves_early(items) && !has_continue(&whole) && !has_goto(items) && !nearing.is_do;
        (is_plain && is_own(counter) && are_numbers && !is_moved_here && moves(&whole, counter) == 1).then_some(())?;
        (nearing.is_step(step, counter, 1) && !changes(nearing.condition)).then(|| Stride {
            counter: counter.to_string(),
            end: (*o.rhs).clone(),
            is_closed,
            by: (**by).clone(),
        })
    }

    /// The loop with its rounds counted before: by `round` up to `most`, in `rounds`. `begun` is what stands in its head.
    pub fn loop_of(
        self,
        declared: &Declared,
        (round, most, rounds): (&str, Node<Expression>, String),
        (begun, mut items): (&mut Items, Items),
        head: Option<&ForInitializer>,
    ) -> Option<Node<Statement>> {
        let span = self.end.span;
        let Stride { counter, end, is_closed, by } = self;
        let now = declared.unused(&format!("{counter}_in"));
        items.pop();
        let mut body = block(items, span);
        let product = |of: &str| binary(BinaryOperator::Multiply, named(of, span), by.clone(), span);
        let at = binary(BinaryOperator::Plus, named(&counter, span), product(round), span);
        if !replace(&mut body, &counter, &named(&now, span)) {
            return None;
        }
        let own = declaration(declared.specifiers(&counter)?, &now, at, span);
        let body = block(vec![Node::new(BlockItem::Declaration(own), span), item_of(body)], span);
        // Without sign, as far as the counter may be from its end.
        let apart = binary(BinaryOperator::Plus, without_sign("0", span), end.clone(), span);
        let mut apart = binary(BinaryOperator::Minus, apart, named(&counter, span), span);
        if !is_closed {
            apart = binary(BinaryOperator::Minus, apart, number("1", span), span);
        }
        let quotient = binary(BinaryOperator::Divide, apart, by.clone(), span);
        let count = binary(BinaryOperator::Plus, quotient, number("1", span), span);
        let compared = if is_closed { BinaryOperator::LessOrEqual } else { BinaryOperator::Less };
        let runs = binary(compared, named(&counter, span), end, span);
        let either = ConditionalExpression {
            condition: Box::new(runs),
            then_expression: Box::new(count),
            else_expression: Box::new(number("0", span)),
        };
        let count = Node::new(Expression::Conditional(Box::new(Node::new(either, span))), span);
        begun.push(Node::new(BlockItem::Declaration(declaration(integer(span), &rounds, count, span)), span));
        let [by_data, by_most] =
            [named(&rounds, span), most].map(|end| binary(BinaryOperator::Less, named(round, span), end, span));
        begun.push(item_of(counting(round, binary(BinaryOperator::LogicalAnd, by_data, by_most, span), body)));
        // Where the loop declares its counter, nobody reads it behind.
        if !matches!(head, Some(ForInitializer::Declaration(_))) {
            begun.push(item(binary(BinaryOperator::AssignPlus, named(&counter, span), product(&rounds), span)));
        }
        Some(block(std::mem::take(begun), span))
    }
}

fn item_of(node: Node<Statement>) -> Node<BlockItem> {
    let span = node.span;
    Node::new(BlockItem::Statement(node), span)
}

/// Whether an expression is made of numbers and of variables that are kept.
fn is_polynomial(node: &Node<Expression>, is_kept: &dyn Fn(&str) -> bool) -> bool {
    if let Some(name) = variable(node) {
        return is_kept(name);
    }
    match operation(node) {
        Some((BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply, o)) => {
            is_polynomial(&o.lhs, is_kept) && is_polynomial(&o.rhs, is_kept)
        }
        Some(_) => false,
        None => constant(node).is_some(),
    }
}

/// A number of a type without sign.
fn without_sign(value: &str, span: lang_c::span::Span) -> Node<Expression> {
    let mut own = number(value, span);
    if let Expression::Constant(whole) = &mut own.node
        && let Constant::Integer(integer) = &mut whole.node
    {
        integer.suffix = IntegerSuffix { unsigned: true, ..integer.suffix.clone() };
    }
    own
}
