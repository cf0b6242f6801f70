//! Loops that end because a number has so many bits:
//!
//! ```c
//! while (t) { bits += t & 1; t >>= 1; }
//! ```
//!
//! becomes `for (int round = 0; round < 32; round++) { if (!t) break; bits += t & 1; t >>= 1; }`. Shifts, divisions by a constant and
//! `t &= t - 1` leave nothing of a number after as many rounds as its type allows, or what it is given before: a loop whose condition
//! depends on it alone has ended by then, or never does. So it is with `s = (s & 0xffff) + (s >> 16)`, which leaves numbers below 65536
//! as they are, and with `while (x % d == 0) x /= d;`, which no `d` ends that is 1. How often others run at most, [`super::nearing`] tells.

use lang_c::ast::{
    BinaryOperator, BlockItem, Expression, ForInitializer, ForStatement, FunctionDefinition, Statement, UnaryOperator,
    WhileStatement,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::data::{Data, Decided};
use super::following::{Following, Rounds};
use super::heads::{Extents, conjuncts};
use super::leave::statement;
use super::nearing::{Nearing, changes_of, given, has_goto, leaves_early, leaving};
use super::ranges::Ranges;
use super::strides::Stride;
use super::taking::{is_last_bit, within};
use super::ways::all_go_on;
use crate::source::ROUND;
use crate::source::breaks::{is_always, opposite};
use crate::source::canonical::{has_continue, names_in};
use crate::source::counters::{declaration, named};
use crate::source::data_bounds::begins;
use crate::source::flat::constant;
use crate::source::kernel::ScalarType;
use crate::source::known::{Declared, changed, changed_in};
use crate::source::left::{offset_of, step_of};
use crate::source::loops::steps;
use crate::source::nest::{assignment, is_name, operation};
use crate::source::plain::{binary, block, choice, inner, item, listed, number, untrue, variable};
use crate::source::polynomial::changes;
use crate::source::types::Types;

/// Rewrites the loops of a function; where anything ends loops, also those that count.
pub fn dwindling(function: &mut FunctionDefinition, declared: &Declared, types: &Types, decided: Decided) {
    let data = Data::of(function, declared, decided);
    let counts_anew = decided == Decided::ByAny;
    let mut body = function.statement.clone();
    let extents = Extents::of(function, declared);
    let ranges = Ranges::of(function, declared);
    let loops = Loops { data, declared, types, counts_anew, extents, ranges, whole: &function.statement };
    let mut count = 0;
    loops.statement(&mut body, &[], &[], &mut count);
    function.statement = body;
}

struct Loops<'d> {
    data: Data<'d>,
    declared: &'d Declared,
    types: &'d Types,
    counts_anew: bool,
    extents: Extents,
    ranges: Ranges<'d>,
    /// The function's body as it was.
    whole: &'d Node<Statement>,
}

impl Loops<'_> {
    /// Rewrites a statement, which stands behind others in its block and those around it, inside of loops `around`.
    fn statement(
        &self,
        node: &mut Node<Statement>,
        around: &[(String, i64)],
        before: &[Node<BlockItem>],
        count: &mut usize,
    ) {
        if let Statement::Compound(items) = &mut node.node {
            for k in 0..items.len() {
                let (front, rest) = items.split_at_mut(k);
                let BlockItem::Statement(own) = &mut rest[0].node else { continue };
                // What stands before a block stands before what is in it.
                match before {
                    [] => self.statement(own, around, front, count),
                    _ => self.statement(own, around, &[before, front].concat(), count),
                }
            }
            return;
        }
        // Of loops inside, it is the text that tells how far they go.
        let written = node.clone();
        let inside = [around, self.least(node).as_slice()].concat();
        inner(&mut node.node).into_iter().for_each(|inner| self.statement(inner, &inside, &[], count));
        if let Some(made) = self.counted(node, &written, around, before, *count) {
            *count += 1;
            *node = made;
        }
    }

    /// What counts up in a loop from a constant, and that.
    fn least(&self, node: &Node<Statement>) -> Option<(String, i64)> {
        let Statement::For(f) = &node.node else { return None };
        let (name, first) = begins(&f.node)?;
        let is_up = step_of(f.node.step.as_deref()?, name)? > 0;
        let is_own = !self.declared.has_address(name) && !changed(&f.node.statement).iter().any(|own| own == name);
        Some((name.to_string(), constant(first).filter(|_| is_up && is_own)?))
    }

    /// The loop, which was `written` so, with a number of rounds that is surely enough.
    fn counted(
        &self,
        node: &Node<Statement>,
        written: &Node<Statement>,
        around: &[(String, i64)],
        before: &[Node<BlockItem>],
        count: usize,
    ) -> Option<Node<Statement>> {
        let span = node.span;
        let always = number("1", span);
        // What it is without its `continue`s behind steps.
        let plain = Parts::of(written, &always)?;
        let plain = (has_continue(plain.body) && !plain.steps.is_empty())
            .then(|| [listed(plain.body), plain.steps.clone()].concat());
        let (node, written) = &(going_on(node), going_on(written));
        let Parts { first, condition, body, steps } = Parts::of(node, &always)?;
        let is_do = matches!(node.node, Statement::DoWhile(_));
        if changes(condition) {
            return None;
        }
        let own = [listed(body), steps.clone()].concat();
        let seen = [listed(Parts::of(written, &always)?.body), steps].concat();
        let mut begun: Vec<Node<BlockItem>> = match first {
            Some(ForInitializer::Expression(first)) => {
                crate::source::loops::steps(first).into_iter().cloned().map(item).collect()
            }
            Some(ForInitializer::Declaration(own)) => vec![Node::new(BlockItem::Declaration(own.clone()), own.span)],
            Some(ForInitializer::StaticAssert(_)) => return None,
            Some(ForInitializer::Empty) | None => vec![],
        };
        let before = [before, &begun].concat();
        let (data, declared, extents, whole) = (&self.data, self.declared, &self.extents, self.whole);
        let counts_anew = self.counts_anew;
        let of = |body| Nearing {
            data,
            declared,
            extents,
            condition,
            is_do,
            body,
            around,
            before: &before,
            whole,
            counts_anew,
        };
        if !counts_anew && plain.as_ref().is_some_and(|plain| of(plain).is_counted()) {
            return None;
        }
        let rounds = || self.dwindling(condition, &seen, &before);
        let rounds = || rounds().or_else(|| self.left_with_nothing(condition, &seen, &before));
        let followed = Following { data, declared, types: self.types, condition, is_do, whole };
        let rounds = match followed.rounds(&seen, &before) {
            Rounds::Count(_) if !counts_anew => return None,
            Rounds::Count(rounds) | Rounds::Most(rounds) => Some(rounds),
            Rounds::Unknown => rounds().map(|rounds| rounds + i64::from(is_do)),
        };
        let round = self.declared.unused(&format!("{ROUND}{count}"));
        let end = match rounds {
            Some(rounds) => number(&rounds.to_string(), span),
            None => {
                let nearing = of(&seen);
                let end = nearing.rounds()?;
                if let Some(stride) = Stride::of(&nearing, &own) {
                    let most = (&*round, end, self.declared.unused(&format!("rounds_{count}")));
                    return stride.loop_of(declared, most, (&mut begun, own), first);
                }
                end
            }
        };
        let mut items = own;
        if !is_always(condition) {
            items.insert(if is_do { items.len() } else { 0 }, leave_unless(condition));
        }
        let condition = binary(BinaryOperator::Less, named(&round, span), end, span);
        let counted = counting(&round, condition, block(items, body.span));
        if begun.is_empty() {
            return Some(counted);
        }
        begun.push(Node::new(BlockItem::Statement(counted), span));
        Some(block(begun, span))
    }

    /// The same of `while (1)` that a `break` in every round ends when nothing is left, as in `for (;;) { if (!v) break; … v >>= 1; }`.
    fn left_with_nothing(
        &self,
        condition: &Node<Expression>,
        own: &[Node<BlockItem>],
        before: &[Node<BlockItem>],
    ) -> Option<i64> {
        let rounds = |k: usize| {
            let goes_on = opposite(leaving(&own[k])?);
            let others = [&own[..k], &own[k + 1..]].concat();
            // A round that goes on before does not come to it.
            let is_met = !goes_on_early(&own[..k]);
            // One more, which finds that nothing is left.
            self.dwindling(&goes_on, &others, before).filter(|_| is_met).map(|rounds| rounds + 1)
        };
        is_always(condition).then(|| (0..own.len()).find_map(rounds)).flatten()
    }

    /// After how many rounds nothing is left of the number that a condition depends on.
    fn dwindling(
        &self,
        condition: &Node<Expression>,
        own: &[Node<BlockItem>],
        before: &[Node<BlockItem>],
    ) -> Option<i64> {
        let all = changed(&block(own.to_vec(), condition.span));
        let moved: Vec<String> = names_in(condition).into_iter().filter(|name| all.contains(name)).collect();
        let name = moved.first()?;
        let ty = self.declared.integer(name, 0).filter(|_| !self.declared.has_address(name))?;
        let mut ways = own.iter().enumerate().filter_map(|(k, item)| {
            let way = dwindles(item, name).or_else(|| halved(own, k, name));
            Some((
                k,
                way.or_else(|| divided(condition, item, name).filter(|by| !all.contains(by)).map(|_| Way::Divide(2)))?,
            ))
        });
        let ((place, way), once) = (ways.next()?, ways.next().is_none());
        // Of what is known before the run each round is read by itself.
        let first = before.iter().rev().find(|item| changes_of(item, name));
        let first = first.map(|item| given(item, name));
        let is_known = first.is_none_or(|first| first.is_some_and(|first| constant(first).is_some()));
        let is_data = self.data.is_in(condition) || !is_known;
        let alone = moved.iter().all(|own| own == name) && !reads(condition);
        let is_own = |item: &&Node<BlockItem>| changed(&block(vec![(*item).clone()], item.span)).contains(name);
        let is_moved_once = own.iter().filter(is_own).count() == 1 && !goes_on_early(&own[..place]);
        let (least, most) = ty.limits();
        let fits = |(low, high): &(i64, i64)| least <= *low && *high <= most;
        let begins = first.flatten().and_then(|first| within(self.declared, first));
        let begins = begins.or_else(|| self.ranges.value(&named(name, condition.span))).filter(fits);
        // The largest number there can be; none where it may be negative.
        let largest = match begins {
            Some((0.., high)) => Some(high.unsigned_abs()),
            _ => (!ty.signed).then_some(u64::MAX >> (64 - ty.bits)),
        };
        let ends = match way {
            Way::Fold(_) => largest.is_some() && !leaves_early(own),
            // Of 1 nothing is taken away, and of less perhaps something for ever.
            Way::Half => is_above(1, condition, name),
            Way::AtMostHalf => {
                is_above(0, condition, name) || !ty.signed && self.ends_at_zero(condition, name, ty, &way)
            }
            _ => !leaves_early(own) || self.ends_at_zero(condition, name, ty, &way),
        };
        (once && is_moved_once && is_data && alone && ends).then(|| way.rounds(ty, largest))
    }

    /// Whether a condition surely fails when nothing is left of the number, whatever it was.
    fn ends_at_zero(&self, condition: &Node<Expression>, name: &str, ty: ScalarType, way: &Way) -> bool {
        // Shifts leave -1 of what is negative.
        let comes_to_zero = !ty.signed || !matches!(way, Way::Shift(_));
        match operation(condition) {
            None => comes_to_zero && variable(condition) == Some(name),
            Some((BinaryOperator::NotEquals, o)) => {
                comes_to_zero && is_name(&o.lhs, name) && constant(&o.rhs) == Some(0)
            }
            Some((BinaryOperator::Greater, o)) => {
                is_name(&o.lhs, name) && constant(&o.rhs).is_some_and(|least| least >= 0)
            }
            Some((BinaryOperator::GreaterOrEqual, o)) => {
                is_name(&o.lhs, name) && constant(&o.rhs).is_some_and(|least| least > 0)
            }
            _ => false,
        }
    }
}

/// `for (int round = 0; condition; round += 1) body`
pub fn counting(round: &str, condition: Node<Expression>, body: Node<Statement>) -> Node<Statement> {
    let span = condition.span;
    let begin = declaration(super::leave::integer(span), round, number("0", span), span);
    let counted = ForStatement {
        initializer: Node::new(ForInitializer::Declaration(begin), span),
        condition: Some(Box::new(condition)),
        step: Some(Box::new(binary(BinaryOperator::AssignPlus, named(round, span), number("1", span), span))),
        statement: Box::new(body),
    };
    Node::new(Statement::For(Node::new(counted, span)), span)
}

/// A loop with what comes between its rounds before each `continue`, too: the steps of a `for`, and the condition of a `do` loop, which is
/// one that `break` leaves then.
pub fn going_on(node: &Node<Statement>) -> Node<Statement> {
    fn before_each(node: &mut Node<Statement>, all: &[Node<BlockItem>]) {
        match &mut node.node {
            Statement::Continue => {
                let go_on = Node::new(BlockItem::Statement(node.clone()), node.span);
                *node = block([all, &[go_on]].concat(), node.span);
            }
            Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) => {}
            Statement::Compound(items) => items.iter_mut().for_each(|item| {
                if let BlockItem::Statement(own) = &mut item.node {
                    before_each(own, all);
                }
            }),
            other => inner(other).into_iter().for_each(|inner| before_each(inner, all)),
        }
    }
    let mut node = node.clone();
    match &mut node.node {
        Statement::For(f) => {
            let all = f.node.step.as_deref().map(steps).unwrap_or_default();
            let all: Vec<Node<BlockItem>> = all.into_iter().cloned().map(item).collect();
            before_each(&mut f.node.statement, &all);
        }
        Statement::DoWhile(w) if has_continue(&w.node.statement) => {
            let leave = [leave_unless(&w.node.expression)];
            let mut body = (*w.node.statement).clone();
            before_each(&mut body, &leave);
            let body = block([listed(&body), leave.to_vec()].concat(), body.span);
            let always = Box::new(number("1", node.span));
            let endless = WhileStatement { expression: always, statement: Box::new(body) };
            node.node = Statement::While(Node::new(endless, node.span));
        }
        _ => {}
    }
    node
}

/// `if (!condition) break;`, in the words of [`super::heads`] for what is to be no condition of the loop.
fn leave_unless(condition: &Node<Expression>) -> Node<BlockItem> {
    let span = condition.span;
    let leaving = [Statement::Expression(None), Statement::Break].map(|own| statement(own, span));
    let leave = choice(untrue(condition.clone()), block(leaving.to_vec(), span), None, span);
    statement(leave.node, span)
}

/// Whether a condition holds only of what is above a number, as `v > 1` and `v >= 2` do of what is above 1.
fn is_above(number: i64, condition: &Node<Expression>, name: &str) -> bool {
    let Some((operator, o)) = operation(condition) else { return false };
    let least = constant(&o.rhs).filter(|_| is_name(&o.lhs, name));
    match operator {
        BinaryOperator::Greater => least.is_some_and(|least| least >= number),
        BinaryOperator::GreaterOrEqual => least.is_some_and(|least| least > number),
        _ => false,
    }
}

/// Whether the next round may begin, or a jump lead further down, before these items of a body are over.
fn goes_on_early(items: &[Node<BlockItem>]) -> bool {
    has_continue(&block(items.to_vec(), Span::none())) || has_goto(items)
}

/// A loop's parts.
struct Parts<'s> {
    first: Option<&'s ForInitializer>,
    condition: &'s Node<Expression>,
    body: &'s Node<Statement>,
    steps: Vec<Node<BlockItem>>,
}

impl<'s> Parts<'s> {
    /// Without a condition it is `always`.
    fn of(node: &'s Node<Statement>, always: &'s Node<Expression>) -> Option<Parts<'s>> {
        let without_head = |condition: &'s Node<Expression>, body: &'s Node<Statement>| Parts {
            first: None,
            condition,
            body,
            steps: vec![],
        };
        match &node.node {
            Statement::While(w) => Some(without_head(&w.node.expression, &w.node.statement)),
            Statement::DoWhile(w) => Some(without_head(&w.node.expression, &w.node.statement)),
            Statement::For(f) => {
                let ForStatement { initializer, condition, step, statement } = &f.node;
                let steps = step.as_deref().map(steps).unwrap_or_default();
                Some(Parts {
                    first: Some(&initializer.node),
                    condition: condition.as_deref().unwrap_or(always),
                    body: statement,
                    steps: steps.into_iter().cloned().map(item).collect(),
                })
            }
            _ => None,
        }
    }
}

/// What makes a number smaller.
enum Way {
    Shift(i64),
    ShiftLeft(i64),
    Divide(i64),
    LastBit,
    /// The larger half stays.
    Half,
    /// The smaller half stays, or less.
    AtMostHalf,
    /// `v = v % base + v / base`.
    Fold(u64),
}

impl Way {
    /// How many rounds leave nothing of any number of a type, or of one that is positive and up to the largest.
    fn rounds(&self, ty: ScalarType, largest: Option<u64>) -> i64 {
        let all = i64::from(ty.bits);
        let largest = largest.unwrap_or(u64::MAX >> (64 - ty.bits));
        let bits = i64::from(64 - largest.leading_zeros());
        let until_below = |end: u64, next: &dyn Fn(u64) -> u64| {
            std::iter::successors(Some(largest), |left| (*left >= end).then(|| next(*left))).count() as i64 - 1
        };
        match self {
            Way::ShiftLeft(by) => (all + by - 1) / by,
            Way::Shift(by) => (bits + by - 1) / by,
            Way::Divide(by) => until_below(1, &|left| left / by.unsigned_abs()),
            Way::LastBit | Way::Half | Way::AtMostHalf => bits,
            Way::Fold(base) => until_below(*base, &|left| {
                let (times, rest) = (left / base, left % base);
                let below = if times > 1 { base - 1 + times - 1 } else { 0 };
                below.max(rest + times)
            }),
        }
    }
}

/// How an item of a body changes a variable, if it does only that.
fn dwindles(item: &Node<BlockItem>, name: &str) -> Option<Way> {
    let BlockItem::Statement(Node { node: Statement::Expression(Some(own)), .. }) = &item.node else { return None };
    let (operator, o) = operation(own).filter(|(_, o)| is_name(&o.lhs, name))?;
    let way = |operator: &BinaryOperator, by: &Node<Expression>| match operator {
        BinaryOperator::ShiftRight => constant(by).filter(|by| (1..32).contains(by)).map(Way::Shift),
        BinaryOperator::ShiftLeft => constant(by).filter(|by| (1..32).contains(by)).map(Way::ShiftLeft),
        BinaryOperator::Divide => constant(by).filter(|by| (2..1 << 30).contains(by)).map(Way::Divide),
        BinaryOperator::BitwiseAnd => match operation(by) {
            Some((BinaryOperator::Minus, less)) => {
                (is_name(&less.lhs, name) && constant(&less.rhs) == Some(1)).then_some(Way::LastBit)
            }
            _ => None,
        },
        _ => None,
    };
    match operator {
        BinaryOperator::AssignShiftRight => way(&BinaryOperator::ShiftRight, &o.rhs),
        BinaryOperator::AssignShiftLeft => way(&BinaryOperator::ShiftLeft, &o.rhs),
        BinaryOperator::AssignDivide => way(&BinaryOperator::Divide, &o.rhs),
        BinaryOperator::AssignBitwiseAnd => way(&BinaryOperator::BitwiseAnd, &o.rhs),
        BinaryOperator::AssignMinus => is_last_bit(&o.rhs, name).then_some(Way::LastBit),
        BinaryOperator::Assign => {
            let (operator, right) = operation(&o.rhs)?;
            match is_name(&right.lhs, name) {
                true => way(&operator, &right.rhs),
                false => (operator == BinaryOperator::Plus).then(|| folds(right, name)).flatten(),
            }
        }
        _ => None,
    }
}

/// `d` of `while (v % d == 0) v /= d;`, which ends in C only where that is no 0, 1 or -1.
fn divided(condition: &Node<Expression>, item: &Node<BlockItem>, name: &str) -> Option<String> {
    let BlockItem::Statement(Node { node: Statement::Expression(Some(own)), .. }) = &item.node else { return None };
    let by = match operation(own).filter(|(_, o)| is_name(&o.lhs, name))? {
        (BinaryOperator::AssignDivide, o) => variable(&o.rhs)?,
        (BinaryOperator::Assign, o) => match operation(&o.rhs)? {
            (BinaryOperator::Divide, quotient) if is_name(&quotient.lhs, name) => variable(&quotient.rhs)?,
            _ => return None,
        },
        _ => return None,
    };
    let is_rest = |node: &Node<Expression>| matches!(operation(node), Some((BinaryOperator::Modulo, o)) if is_name(&o.lhs, name) && is_name(&o.rhs, by));
    let is_divided = |part: &&Node<Expression>| match (&part.node, operation(part)) {
        (_, Some((BinaryOperator::Equals, o))) => is_rest(&o.lhs) && constant(&o.rhs) == Some(0),
        (Expression::UnaryOperator(unary), _) => {
            unary.node.operator.node == UnaryOperator::Negate && is_rest(&unary.node.operand)
        }
        _ => false,
    };
    conjuncts(condition).iter().any(is_divided).then(|| by.to_string())
}

/// `v % base + v / base`, or its like with shifts and masks, in either order.
fn folds(sum: &lang_c::ast::BinaryOperatorExpression, name: &str) -> Option<Way> {
    let part = |node: &Node<Expression>| {
        let (operator, o) = operation(node).filter(|(_, o)| is_name(&o.lhs, name))?;
        let by = constant(&o.rhs).filter(|by| (1..1 << 31).contains(by))?.unsigned_abs();
        match operator {
            BinaryOperator::BitwiseAnd => (by + 1).is_power_of_two().then_some((by + 1, true)),
            BinaryOperator::Modulo => Some((by, true)),
            BinaryOperator::ShiftRight => (by < 32).then_some((1 << by, false)),
            BinaryOperator::Divide => Some((by, false)),
            _ => None,
        }
    };
    let ((one, is_rest), (other, is_other)) = (part(&sum.lhs)?, part(&sum.rhs)?);
    (one == other && one > 1 && is_rest != is_other).then_some(Way::Fold(one))
}

/// `v -= half;`, where the same round has begun with `half = v / 2`: what is left of a positive number is 1 at last. With
/// `if (…) v = half; else v -= half + 1;` nothing is left.
fn halved(own: &[Node<BlockItem>], k: usize, name: &str) -> Option<Way> {
    let (front, item) = (&own[..k], &own[k]);
    let half_of = |item: &Node<BlockItem>| {
        let [half] = &changed(&block(vec![item.clone()], item.span))[..] else { return None };
        let is_half = matches!(operation(given(item, half)?), Some((operator, o)) if is_name(&o.lhs, name) && match operator {
            BinaryOperator::Divide => constant(&o.rhs) == Some(2),
            BinaryOperator::ShiftRight => constant(&o.rhs) == Some(1),
            _ => false,
        });
        (is_half && half != name).then(|| half.clone())
    };
    let (place, half) = front.iter().enumerate().rev().find_map(|(k, item)| Some((k, half_of(item)?)))?;
    if front[place + 1..].iter().any(|item| changes_of(item, &half)) || !changes_of(item, name) {
        return None;
    }
    let ends = [false, true].map(|is_less| {
        let step = |node: &Node<Expression>, is_done: bool| {
            let mut moved = vec![];
            changed_in(node, &mut moved);
            match moved.iter().any(|own| own == name || *own == half) {
                false => Some(false),
                true => (!is_done && leaves_half(node, name, &half, is_less)).then_some(true),
            }
        };
        all_go_on(std::slice::from_ref(item), &[], &[name, half.as_str()], &step, &|_| false)
    });
    match ends {
        [_, true] => Some(Way::AtMostHalf),
        [true, false] => Some(Way::Half),
        [false, false] => None,
    }
}

/// Whether an assignment leaves half of a number or less, the smaller half where that `is_less`.
fn leaves_half(node: &Node<Expression>, name: &str, half: &str, is_less: bool) -> bool {
    let Some((operator, o)) = operation(node).filter(|(_, o)| is_name(&o.lhs, name)) else { return false };
    // What is taken away.
    let is_enough = |node: &Node<Expression>| match offset_of(node, half) {
        Some(0) => !is_less,
        Some(1) => true,
        _ => false,
    };
    match (operator, operation(&o.rhs)) {
        (BinaryOperator::AssignMinus, _) => is_enough(&o.rhs),
        (BinaryOperator::Assign, Some((BinaryOperator::Minus, sum))) if is_name(&sum.lhs, name) => is_enough(&sum.rhs),
        // `v - half - 1`
        (BinaryOperator::Assign, Some((BinaryOperator::Minus, sum))) => {
            let is_first = matches!(operation(&sum.lhs), Some((BinaryOperator::Minus, first)) if is_name(&first.lhs, name) && is_name(&first.rhs, half));
            is_first && constant(&sum.rhs) == Some(1)
        }
        (BinaryOperator::Assign, _) => is_name(&o.rhs, half),
        _ => false,
    }
}

/// Whether an expression reads memory, which a body may change.
fn reads(condition: &Node<Expression>) -> bool {
    struct Reads(bool);
    impl<'ast> Visit<'ast> for Reads {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            self.0 |= match expression {
                Expression::Call(_) | Expression::Member(_) => true,
                Expression::UnaryOperator(unary) => unary.node.operator.node == lang_c::ast::UnaryOperator::Indirection,
                Expression::BinaryOperator(o) => {
                    o.node.operator.node == BinaryOperator::Index || assignment(&o.node.operator.node).is_some()
                }
                _ => false,
            };
            visit::visit_expression(self, expression, span);
        }
    }
    let mut reads = Reads(false);
    reads.visit_expression(&condition.node, &condition.span);
    reads.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows all numbers up to 3,000 to their ends.
    #[test]
    fn so_much_is_left_after_these_rounds() {
        let ty = ScalarType { bits: 32, signed: false, floating: false };
        type Step = Box<dyn Fn(u64) -> u64>;
        let mut all: Vec<(Way, u64, Step)> = vec![(Way::LastBit, 1, Box::new(|v| v & (v - 1)))];
        for by in 1..6 {
            all.push((Way::Shift(by), 1, Box::new(move |v| v >> by)));
        }
        for base in 2..40u64 {
            all.push((Way::Divide(base as i64), 1, Box::new(move |v| v / base)));
            all.push((Way::Fold(base), base, Box::new(move |v| v % base + v / base)));
        }
        for (way, end, step) in all {
            let mut most = 0;
            for largest in 0..3000u64 {
                let ends = std::iter::successors(Some(largest), |v| (*v >= end).then(|| step(*v)));
                most = most.max(ends.count() as i64 - 1);
                let found = way.rounds(ty, Some(largest));
                assert!(found >= most, "{largest} needs {most}, {found} are made");
                assert!(found <= most + 2, "{largest} needs {most}, {found} are made");
            }
        }
    }
}
