//! `switch` as the choice between blocks that it is, on C's own tree:
//!
//! ```c
//! switch (e) { case 1: case 2: A; break; case 3: B; default: C; }
//! ```
//!
//! becomes `if (e == 1 || e == 2) { A } else if (e == 3) { B C } else { C }`. Constants differ, so the order of the
//! comparisons does not matter, wherever `default` stands. `if (c) break;` leaves the rest of its block to the other side. What
//! is not of that form stays a `switch` and is refused: labels inside of inner blocks, declarations that later cases name, an
//! `e` that changes something.

use lang_c::ast::{
    BinaryOperator, BlockItem, CallExpression, CaseRange, CastExpression, Constant, Expression, IfStatement, Integer,
    IntegerBase, IntegerSize, Label, Statement, SwitchStatement, TranslationUnit,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::canonical;
use super::constants::Constants;
use super::function::identifier;
use super::nest::{assignment, counts, operation};
use super::plain::{binary, bodies, inner, number, whole};
use super::program::Free;
use super::types::Types;

/// Statements that are written more than once, as one case falls into the next, of one `switch`.
const REPEATED: usize = 64;

/// Rewrites the bodies of all functions.
pub fn switches(unit: &mut TranslationUnit, constants: &Constants) {
    bodies(unit).for_each(|body| statement(body, constants));
}

fn statement(node: &mut Node<Statement>, constants: &Constants) {
    match &mut node.node {
        Statement::Compound(items) => items.iter_mut().for_each(|inner| item(inner, constants)),
        Statement::Switch(switch) => {
            statement(&mut switch.node.statement, constants);
            if let Some(chosen) = chosen(&switch.node, node.span, constants) {
                node.node = chosen;
            }
        }
        other => inner(other).into_iter().for_each(|inner| statement(inner, constants)),
    }
}

fn item(node: &mut Node<BlockItem>, constants: &Constants) {
    if let BlockItem::Statement(inner) = &mut node.node {
        statement(inner, constants);
    }
}

/// One block of a `switch`, and what leads to it.
#[derive(Default)]
struct Case {
    constants: Vec<Node<Expression>>,
    /// From one constant to another, as GNU C has it.
    ranges: Vec<[Node<Expression>; 2]>,
    is_default: bool,
    items: Vec<Node<BlockItem>>,
    /// It does not run into the next one.
    ends: bool,
}

/// The `switch` as `if`s; all of them stand where it does.
fn chosen(switch: &SwitchStatement, span: Span, constants: &Constants) -> Option<Statement> {
    let mut cases = cases(&switch.statement)?;
    if has_effects(&switch.expression) {
        return None;
    }
    for constant in cases.iter_mut().flat_map(|case| &mut case.constants) {
        if !fits(constant, u32::MAX, constants.types) {
            *constant = label(constants.number(constant)?, constant.span)?;
        }
    }
    // An unsigned constant is no end of a range of an `int`: it would be compared without sign.
    for constant in cases.iter_mut().flat_map(|case| &mut case.ranges).flatten() {
        *constant = integer(constants.number(constant)?, constant.span)?;
    }
    let mut repeated = 0;
    for i in (0..cases.len().saturating_sub(1)).rev() {
        if !cases[i].ends {
            let next = cases[i + 1].items.clone();
            repeated += next.len();
            cases[i].items.extend(next);
        }
    }
    cases.iter_mut().for_each(|case| canonical::without_breaks(&mut case.items));
    if repeated > REPEATED || cases.iter().any(|case| case.items.iter().any(leaves)) {
        return None;
    }
    let block = |items: Vec<Node<BlockItem>>| Box::new(Node::new(Statement::Compound(items), span));
    let default = cases.iter().position(|case| case.is_default).map(|i| cases.remove(i));
    let mut otherwise = default.map(|case| block(case.items));
    for case in cases.into_iter().rev() {
        let place = switch.expression.span;
        let is = |constant| binary(BinaryOperator::Equals, (*switch.expression).clone(), constant, place);
        let any = |left, right| binary(BinaryOperator::LogicalOr, left, right, place);
        let within = |[low, high]: [Node<Expression>; 2]| {
            let compare = |operator, end| binary(operator, (*switch.expression).clone(), end, place);
            let (least, most) = (BinaryOperator::GreaterOrEqual, BinaryOperator::LessOrEqual);
            binary(BinaryOperator::LogicalAnd, compare(least, low), compare(most, high), place)
        };
        let ranges = case.ranges.into_iter().map(within);
        let condition = case.constants.into_iter().map(is).chain(ranges).reduce(any)?;
        let branch = IfStatement {
            condition: Box::new(condition),
            then_statement: block(case.items),
            else_statement: otherwise.take(),
        };
        otherwise = Some(Box::new(Node::new(Statement::If(Node::new(branch, span)), span)));
    }
    Some(otherwise.map_or(Statement::Compound(vec![]), |first| first.node))
}

/// The blocks of a `switch`'s body, where each begins at a label of the body itself.
fn cases(body: &Node<Statement>) -> Option<Vec<Case>> {
    let Statement::Compound(items) = &body.node else { return None };
    let mut cases: Vec<Case> = vec![];
    // What a block declares is nobody else's.
    let mut declared: Vec<(usize, String)> = vec![];
    for (k, item) in items.iter().enumerate() {
        let mut inner = match item.node.clone() {
            BlockItem::Statement(inner) => inner,
            BlockItem::Declaration(own) => {
                let number = cases.len();
                let case = cases.last_mut().filter(|case| !case.ends)?;
                case.items.push(item.clone());
                let names = own.node.declarators.iter().map(|own| identifier(&own.node.declarator.node));
                declared.extend(names.map(|name| Some((number, name?.node.name.clone()))).collect::<Option<Vec<_>>>()?);
                continue;
            }
            BlockItem::StaticAssert(_) => return None,
        };
        let mut labels = Case::default();
        while let Statement::Labeled(labeled) = inner.node {
            match labeled.node.label.node {
                Label::Case(constant) => labels.constants.push(*constant),
                Label::Default => labels.is_default = true,
                Label::CaseRange(range) => {
                    let CaseRange { low, high } = range.node;
                    labels.ranges.push([*low, *high]);
                }
                Label::Identifier(_) => return None,
            }
            inner = *labeled.node.statement;
        }
        if labels.is_default || !labels.constants.is_empty() || !labels.ranges.is_empty() {
            cases.push(labels);
        }
        // A statement before the first label is never reached.
        let Some(case) = cases.last_mut().filter(|case| !case.ends) else { continue };
        match inner.node {
            Statement::Break => case.ends = true,
            Statement::Compound(items) if ends(&items) => {
                case.items.extend(without_break(items));
                case.ends = true;
            }
            // Its jumps leave the case, and nobody else means what it declares.
            Statement::Compound(own) if own.iter().any(leaves) && are_own(&own, &items[k + 1..]) => {
                case.items.extend(own);
            }
            _ => {
                case.ends = matches!(inner.node, Statement::Return(_) | Statement::Continue);
                case.items.push(Node::new(BlockItem::Statement(inner), item.span));
            }
        }
    }
    // Default and constants that share a block are default's.
    cases.iter_mut().filter(|case| case.is_default).for_each(|case| {
        case.constants.clear();
        case.ranges.clear();
    });
    let is_named = |(number, name): &(usize, String)| {
        cases[*number..].iter().any(|case| Free::of_items(&case.items).names.contains(name))
    };
    (!declared.iter().any(is_named)).then_some(cases)
}

/// Whether what a block declares has names that nobody mentions behind it.
fn are_own(block: &[Node<BlockItem>], behind: &[Node<BlockItem>]) -> bool {
    let declarations = block.iter().filter_map(|item| match &item.node {
        BlockItem::Declaration(own) => Some(&own.node.declarators),
        _ => None,
    });
    let mut names = declarations.flatten().map(|own| identifier(&own.node.declarator.node));
    let behind = Free::of_items(behind).names;
    names.all(|name| name.is_some_and(|name| !behind.contains(&name.node.name)))
}

/// Whether a block ends its case.
fn ends(items: &[Node<BlockItem>]) -> bool {
    let jump =
        |statement: &Statement| matches!(statement, Statement::Break | Statement::Return(_) | Statement::Continue);
    matches!(items.last().map(|last| &last.node), Some(BlockItem::Statement(last)) if jump(&last.node))
}

/// A block as one item, without the `break` at its end.
fn without_break(mut items: Vec<Node<BlockItem>>) -> Option<Node<BlockItem>> {
    let span = Span::span(items.first()?.span.start, items.last()?.span.end);
    if matches!(&items.last()?.node, BlockItem::Statement(last) if matches!(last.node, Statement::Break)) {
        items.pop();
    }
    Some(Node::new(BlockItem::Statement(Node::new(Statement::Compound(items), span)), span))
}

/// Whether a `break` of the `switch` is left in its block, or a label of it.
fn leaves(item: &Node<BlockItem>) -> bool {
    struct Leaves(bool);
    impl<'ast> Visit<'ast> for Leaves {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            match statement {
                Statement::Break => self.0 = true,
                Statement::Labeled(labeled) if !matches!(labeled.node.label.node, Label::Identifier(_)) => {
                    self.0 = true;
                }
                Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) | Statement::Switch(_) => {}
                _ => visit::visit_statement(self, statement, span),
            }
        }
    }
    let mut found = Leaves(false);
    found.visit_block_item(&item.node, &item.span);
    found.0
}

/// Whether an expression changes something; calls may.
fn has_effects(node: &Node<Expression>) -> bool {
    struct Effects(bool);
    impl<'ast> Visit<'ast> for Effects {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            let node = Node::new(expression.clone(), *span);
            self.0 |= match expression {
                Expression::UnaryOperator(unary) => counts(&unary.node.operator.node),
                Expression::BinaryOperator(_) => {
                    operation(&node).is_some_and(|(operator, _)| assignment(&operator).is_some())
                }
                _ => false,
            };
            visit::visit_expression(self, expression, span);
        }

        fn visit_call_expression(&mut self, _: &'ast CallExpression, _: &'ast Span) {
            self.0 = true;
        }
    }
    let mut effects = Effects(false);
    effects.visit_expression(&node.node, &node.span);
    effects.0
}

/// A label with this value as a constant of type `int` or `unsigned`: C converts labels to the promoted type of what is switched
/// on (6.8.4.2). A number that `int` holds is the same after that conversion and after the one that a comparison makes; of
/// one that only `unsigned` holds, an `int` is compared without sign, which finds what the conversion to `int` would. What is
/// larger would have to be cut off for an `int`, but not for a `long`.
fn label(value: i128, span: Span) -> Option<Node<Expression>> {
    integer(value, span).or_else(|| {
        let mut own = number(&u32::try_from(value).ok()?.to_string(), span);
        if let Expression::Constant(constant) = &mut own.node
            && let Constant::Integer(integer) = &mut constant.node
        {
            integer.suffix.unsigned = true;
        }
        Some(own)
    })
}

/// A constant of type `int`.
fn integer(value: i128, span: Span) -> Option<Node<Expression>> {
    let value = i32::try_from(value).ok()?;
    Some(match value {
        // As a number behind a sign it would be of a longer type.
        i32::MIN => binary(BinaryOperator::Minus, whole((value + 1).into(), span), number("1", span), span),
        _ => whole(value.into(), span),
    })
}

/// Whether a constant is compared as it is written: C converts it to the type of what is switched on, `int` maybe. Its numbers
/// are of the type `int` or `unsigned` then, and no larger than `largest`.
fn fits(constant: &Node<Expression>, largest: u32, types: &Types) -> bool {
    struct Numbers<'t> {
        largest: u32,
        types: &'t Types,
        all_fit: bool,
    }
    impl<'ast> Visit<'ast> for Numbers<'_> {
        fn visit_integer(&mut self, integer: &'ast Integer, _: &'ast Span) {
            let radix = match integer.base {
                IntegerBase::Decimal => 10,
                IntegerBase::Octal => 8,
                IntegerBase::Hexadecimal => 16,
                IntegerBase::Binary => 2,
            };
            // Decimal numbers are signed, of type `long` if they must.
            let is_signed = radix == 10 && !integer.suffix.unsigned;
            let largest = if is_signed { self.largest.min(i32::MAX as u32) } else { self.largest };
            self.all_fit &= matches!(integer.suffix.size, IntegerSize::Int)
                && u32::from_str_radix(&integer.number, radix).is_ok_and(|value| value <= largest);
        }

        /// In a longer type than `int`, what is not written down as it is may be another number.
        fn visit_cast_expression(&mut self, cast: &'ast CastExpression, _: &'ast Span) {
            let ty = self.types.of_name(&cast.type_name.node).integer();
            self.all_fit &= if ty.is_some_and(|ty| ty.bits <= 32) {
                fits(&cast.expression, self.largest, self.types)
            } else {
                let is_plain = matches!(cast.expression.node, Expression::Constant(_));
                is_plain && fits(&cast.expression, i32::MAX as u32, self.types)
            };
        }

        fn visit_constant(&mut self, constant: &'ast Constant, span: &'ast Span) {
            if matches!(constant, Constant::Float(_)) {
                self.all_fit = false;
            }
            visit::visit_constant(self, constant, span);
        }
    }
    let mut numbers = Numbers { largest, types, all_fit: true };
    numbers.visit_expression(&constant.node, &constant.span);
    numbers.all_fit
}
