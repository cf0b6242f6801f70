//! Local arrays with initializers, on C's own tree: `int t[4] = {x, y};` is the declaration, a loop that makes all
//! elements 0 where the list may be shorter, and an assignment for each value of the list. Arrays of constants stay what
//! they are, tables ([`super::table`]); so does what has other designators than numbers, or fewer braces than dimensions.

use std::collections::HashSet;

use lang_c::ast::{
    ArraySize, BinaryOperator, BlockItem, Constant, Declaration, DerivedDeclarator, Designator, Expression,
    ForInitializer, ForStatement, Identifier, Initializer, InitializerListItem, IntegerBase, Statement,
    TranslationUnit, UnaryOperator, UnaryOperatorExpression,
};
use lang_c::ast::{DeclarationSpecifier, TypeSpecifier};
use lang_c::ast::{Declarator, DeclaratorKind, InitDeclarator};
use lang_c::span::{Node, Span};

use super::canonical::names_in;
use super::function::{derived, identifier};
use super::plain::{binary, bodies, inner, number};
use super::types::{is_const, is_typedef};

/// The most values of a list: each is a statement.
const LONGEST: usize = 64;

/// Rewrites the bodies of all functions.
pub fn initial(unit: &mut TranslationUnit) {
    bodies(unit).for_each(statement);
}

fn statement(node: &mut Node<Statement>) {
    match &mut node.node {
        Statement::Compound(items) => {
            let mut done = vec![];
            for mut item in std::mem::take(items).into_iter().flat_map(apart) {
                let mut behind = vec![];
                match &mut item.node {
                    BlockItem::Declaration(declaration) => behind = assignments(&mut declaration.node, item.span),
                    BlockItem::Statement(inner) => statement(inner),
                    BlockItem::StaticAssert(_) => {}
                }
                done.push(item);
                done.extend(behind.into_iter().map(|node| Node::new(BlockItem::Statement(node.clone()), node.span)));
            }
            *items = done;
        }
        other => inner(other).into_iter().for_each(statement),
    }
}

/// A declaration with lists as one for each variable: what is declared behind an array may read it.
fn apart(item: Node<BlockItem>) -> Vec<Node<BlockItem>> {
    let BlockItem::Declaration(declaration) = &item.node else { return vec![item] };
    let Declaration { specifiers, declarators } = &declaration.node;
    let is_list = |declarator: &Node<InitDeclarator>| {
        declarator.node.initializer.as_ref().is_some_and(|first| matches!(first.node, Initializer::List(_)))
    };
    if declarators.len() < 2 || !declarators.iter().any(is_list) {
        return vec![item];
    }
    let one = |declarator: &Node<InitDeclarator>| {
        let own = Declaration { specifiers: specifiers.clone(), declarators: vec![declarator.clone()] };
        Node::new(BlockItem::Declaration(Node::new(own, declarator.span)), declarator.span)
    };
    declarators.iter().map(one).collect()
}

/// Takes the initializer of a declaration's array away, and gives the statements that do the same.
fn assignments(declaration: &mut Declaration, span: Span) -> Vec<Node<Statement>> {
    if is_const(declaration) || is_typedef(declaration) || is_static(declaration) {
        return vec![];
    }
    let [declarator] = &mut declaration.declarators[..] else { return vec![] };
    let Some(name) = identifier(&declarator.node.declarator.node).map(|name| name.node.name.clone()) else {
        return vec![];
    };
    let extents: Option<Vec<Node<Expression>>> =
        derived(&declarator.node.declarator).into_iter().map(|part| extent(&part.node)).collect();
    let (Some(extents), Some(Initializer::List(items))) =
        (extents, declarator.node.initializer.as_ref().map(|initializer| &initializer.node))
    else {
        return vec![];
    };
    let array = variable(&name, span);
    let mut values = vec![];
    if extents.is_empty() || !spread(items, &extents, &array, &mut values) || values.len() > LONGEST {
        return vec![];
    }
    // What is said twice leaves another element without a value.
    let is_full = !designates(items) && {
        let counts: Option<Vec<usize>> = extents.iter().map(literal).collect();
        counts.is_some_and(|counts| counts.into_iter().try_fold(1, usize::checked_mul) == Some(values.len()))
    };
    if !is_full {
        values.retain(|(_, value)| literal(value) != Some(0));
    }
    declarator.node.initializer = None;
    let mut made = vec![];
    if !is_full {
        made.push(zeros(&name, &extents, span));
    }
    made.extend(values.into_iter().map(|(element, value)| assign(element, value, span)));
    made
}

fn is_static(declaration: &Declaration) -> bool {
    declaration.specifiers.iter().any(|specifier| matches!(specifier.node, DeclarationSpecifier::StorageClass(_)))
}

fn extent(part: &DerivedDeclarator) -> Option<Node<Expression>> {
    match part {
        DerivedDeclarator::Array(array) => match &array.node.size {
            ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => Some((**size).clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The elements to which a list gives values, of `array` with these extents. Whether all of it is understood.
fn spread(
    items: &[Node<InitializerListItem>],
    extents: &[Node<Expression>],
    array: &Node<Expression>,
    values: &mut Vec<(Node<Expression>, Node<Expression>)>,
) -> bool {
    let Some((_, inner)) = extents.split_first() else { return false };
    let is_zero = |item: &Node<InitializerListItem>| match &item.node.initializer.node {
        Initializer::Expression(value) => item.node.designation.is_empty() && literal(value) == Some(0),
        Initializer::List(_) => false,
    };
    // `{0}` is nothing but zeros whatever the dimensions.
    if items.iter().all(is_zero) && items.len() <= 1 {
        return true;
    }
    let mut next = 0;
    let mut seen = HashSet::new();
    items.iter().all(|item| {
        match &item.node.designation[..] {
            [] => {}
            [only] => match &only.node {
                Designator::Index(index) if literal(index).is_some() => next = literal(index).unwrap_or_default(),
                _ => return false,
            },
            _ => return false,
        }
        let place = number(&next.to_string(), array.span);
        let element = binary(BinaryOperator::Index, array.clone(), place, array.span);
        next += 1;
        match &item.node.initializer.node {
            Initializer::Expression(value) if inner.is_empty() => {
                values.push((element, (**value).clone()));
                true
            }
            // A second list for a row would give 0 to what the first one gave values.
            Initializer::List(items) if !inner.is_empty() => {
                seen.insert(next) && spread(items, inner, &element, values)
            }
            _ => false,
        }
    })
}

/// Whether a list, or one in it, says which elements its values are for.
fn designates(items: &[Node<InitializerListItem>]) -> bool {
    items.iter().any(|item| {
        !item.node.designation.is_empty()
            || matches!(&item.node.initializer.node, Initializer::List(items) if designates(items))
    })
}

/// A loop nest that makes every element 0.
pub fn zeros(name: &str, extents: &[Node<Expression>], span: Span) -> Node<Statement> {
    let mut taken: Vec<String> = extents.iter().flat_map(names_in).collect();
    taken.push(name.to_string());
    let iterators: Vec<String> = (0..extents.len())
        .map(|dimension| {
            let own = |number: usize| format!("{name}_{}", "i".repeat(dimension + number + 1));
            let fresh = (0..).map(own).find(|own| !taken.contains(own)).expect("there are more names than are taken");
            taken.push(fresh.clone());
            fresh
        })
        .collect();
    let element = iterators.iter().fold(variable(name, span), |array, iterator| {
        binary(BinaryOperator::Index, array, variable(iterator, span), span)
    });
    let first = assign(element, number("0", span), span);
    iterators.iter().zip(extents).rev().fold(first, |body, (iterator, extent)| {
        let condition = binary(BinaryOperator::Less, variable(iterator, span), extent.clone(), span);
        let step = UnaryOperatorExpression {
            operator: Node::new(UnaryOperator::PostIncrement, span),
            operand: Box::new(variable(iterator, span)),
        };
        let f = ForStatement {
            initializer: Node::new(ForInitializer::Declaration(counter(iterator, span)), span),
            condition: Some(Box::new(condition)),
            step: Some(Box::new(Node::new(Expression::UnaryOperator(Box::new(Node::new(step, span))), span))),
            statement: Box::new(body),
        };
        Node::new(Statement::For(Node::new(f, span)), span)
    })
}

/// `long long iterator = 0`: an array may have more elements than an `int` counts.
fn counter(iterator: &str, span: Span) -> Node<Declaration> {
    let kind = Node::new(DeclaratorKind::Identifier(name_of(iterator, span)), span);
    let declarator = Node::new(Declarator { kind, derived: vec![], extensions: vec![] }, span);
    let initializer = Some(Node::new(Initializer::Expression(Box::new(number("0", span))), span));
    let long = || Node::new(DeclarationSpecifier::TypeSpecifier(Node::new(TypeSpecifier::Long, span)), span);
    let declarators = vec![Node::new(InitDeclarator { declarator, initializer }, span)];
    Node::new(Declaration { specifiers: vec![long(), long()], declarators }, span)
}

fn assign(element: Node<Expression>, value: Node<Expression>, span: Span) -> Node<Statement> {
    let assignment = binary(BinaryOperator::Assign, element, value, span);
    Node::new(Statement::Expression(Some(Box::new(assignment))), span)
}

fn variable(name: &str, span: Span) -> Node<Expression> {
    Node::new(Expression::Identifier(Box::new(name_of(name, span))), span)
}

fn name_of(name: &str, span: Span) -> Node<Identifier> {
    Node::new(Identifier { name: name.to_string() }, span)
}

/// The value of a decimal literal, or 0.
fn literal(node: &Node<Expression>) -> Option<usize> {
    match &node.node {
        Expression::Constant(constant) => match &constant.node {
            Constant::Integer(integer) if integer.base == IntegerBase::Decimal => integer.number.parse().ok(),
            Constant::Integer(integer) if integer.number.chars().all(|digit| digit == '0') => Some(0),
            _ => None,
        },
        _ => None,
    }
}
