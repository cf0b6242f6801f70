//! Arrays of several dimensions that C has as one: `in[y * w + x]` of `in[h * w]`, on C's own tree. Where every element of such
//! an argument is named by a sum in which a factor of the extent is a factor of the row, the argument becomes `in[h][w]` and
//! the element `in[y][x]`: the same cell. That `x` stays below `w` is demanded where all subscripts are; no row reaches
//! into the next. What is not written like that stays as it is, and its extent is refused.

use std::collections::HashMap;

use lang_c::ast::{
    ArrayDeclarator, ArraySize, BinaryOperator, BlockItem, Declarator, DeclaratorKind, DerivedDeclarator, Expression,
    ExternalDeclaration, ForInitializer, FunctionDefinition, Identifier, Initializer, ParameterDeclaration, Statement,
    TranslationUnit,
};
use lang_c::span::{Node, Span};
use lang_c::visit::Visit;

use super::canonical::names_in;
use super::function::{derived, identifier};
use super::nest::operation;
use super::plain::{binary, factors, number, product, subscripted, variable};

/// Rewrites the arguments of all functions. `shapes` has the extents that directives give pointers.
pub fn flat(unit: &mut TranslationUnit, shapes: &HashMap<String, Vec<String>>) {
    for external in &mut unit.0 {
        if let ExternalDeclaration::FunctionDefinition(function) = &mut external.node {
            arguments(&mut function.node, shapes);
        }
    }
}

fn arguments(function: &mut FunctionDefinition, shapes: &HashMap<String, Vec<String>>) {
    let FunctionDefinition { declarator, statement, .. } = function;
    for part in &mut declarator.node.derived {
        let DerivedDeclarator::Function(prototype) = &mut part.node else { continue };
        for parameter in &mut prototype.node.parameters {
            argument(&mut parameter.node, statement, shapes);
        }
    }
}

/// The extents of an argument of one dimension, as far as they are a product.
enum Extents {
    /// `a[h * w]`, by its factors.
    Product(Vec<Node<Expression>>),
    /// `*a`, of which a directive tells rows of this length.
    Rows(String),
}

fn argument(parameter: &mut ParameterDeclaration, body: &mut Node<Statement>, shapes: &HashMap<String, Vec<String>>) {
    let Some(declarator) = &mut parameter.declarator else { return };
    let Some(name) = identifier(&declarator.node).map(|name| name.node.name.clone()) else { return };
    let extents = match derived(declarator)[..] {
        [Node { node: DerivedDeclarator::Array(array), .. }] => match &array.node.size {
            ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => {
                Extents::Product(factors(size).into_iter().cloned().collect())
            }
            _ => return,
        },
        [Node { node: DerivedDeclarator::Pointer(_), .. }] => match shapes.get(&name).map(|shape| &shape[..]) {
            Some([_, row]) => Extents::Rows(row.clone()),
            _ => return,
        },
        _ => return,
    };
    let span = declarator.span;
    let dimension = |size: Node<Expression>| {
        let array = ArrayDeclarator { qualifiers: vec![], size: ArraySize::VariableExpression(Box::new(size)) };
        Node::new(DerivedDeclarator::Array(Node::new(array, span)), span)
    };
    match extents {
        Extents::Product(mut factors) => {
            // From the innermost dimension outwards: a row of rows is one subscript until its own length is taken out.
            let mut rows: Vec<Node<Expression>> = vec![];
            while factors.len() > 1 {
                let is_row =
                    |factor: &Node<Expression>| variable(factor).is_some_and(|row| is_of_rows(body, &name, row));
                let Some(position) = factors.iter().position(is_row) else { break };
                let row = factors.remove(position);
                take_rows(body, &name, variable(&row).unwrap_or_default());
                rows.push(row);
            }
            if rows.is_empty() {
                return;
            }
            let first = product(factors, span);
            declarator.node.derived = std::iter::once(first).chain(rows.into_iter().rev()).map(dimension).collect();
        }
        Extents::Rows(row) => {
            if !is_of_rows(body, &name, &row) {
                return;
            }
            take_rows(body, &name, &row);
            let size = Node::new(Expression::Identifier(Box::new(Node::new(Identifier { name: row }, span))), span);
            let pointer = Declarator { extensions: vec![], ..declarator.node.clone() };
            declarator.node = Declarator {
                kind: Node::new(DeclaratorKind::Declarator(Box::new(Node::new(pointer, span))), span),
                derived: vec![dimension(size)],
                extensions: vec![],
            };
        }
    }
}

/// The first subscript of an element as a row of `row` elements and a place in it.
fn split(subscript: &Node<Expression>, row: &str) -> Option<[Node<Expression>; 2]> {
    let mut terms = vec![];
    summands(subscript, true, &mut terms);
    let (mut rows, mut places) = (vec![], vec![]);
    // From the end of a row, as in `y * w + w - 1`, a row of its own says where the place is.
    let from_end = terms.iter().any(|(term, is_added)| !is_added && !names_in(term).iter().any(|name| name == row));
    for (term, is_added) in terms {
        let mut factors = factors(term);
        match factors.iter().position(|factor| variable(factor) == Some(row)) {
            Some(_) if factors.len() == 1 && is_added && from_end => places.push((term.clone(), is_added)),
            Some(position) => {
                factors.remove(position);
                let count = product(factors.into_iter().cloned().collect(), term.span);
                if names_in(&count).iter().any(|name| name == row) {
                    return None;
                }
                rows.push((count, is_added));
            }
            None if names_in(term).iter().any(|name| name == row) => return None,
            None => places.push((term.clone(), is_added)),
        }
    }
    let span = subscript.span;
    Some([rows, places].map(|terms| sum(terms, span)))
}

fn sum(terms: Vec<(Node<Expression>, bool)>, span: Span) -> Node<Expression> {
    let mut all = terms.into_iter();
    let first = match all.next() {
        None => return number("0", span),
        Some((term, true)) => term,
        Some((term, false)) => binary(BinaryOperator::Minus, number("0", span), term, span),
    };
    all.fold(first, |sum, (term, is_added)| {
        binary(if is_added { BinaryOperator::Plus } else { BinaryOperator::Minus }, sum, term, span)
    })
}

/// The terms of a sum, each with whether it is added.
fn summands<'e>(node: &'e Node<Expression>, is_added: bool, terms: &mut Vec<(&'e Node<Expression>, bool)>) {
    match operation(node) {
        Some((operator @ (BinaryOperator::Plus | BinaryOperator::Minus), o)) => {
            summands(&o.lhs, is_added, terms);
            summands(&o.rhs, is_added == (operator == BinaryOperator::Plus), terms);
        }
        _ => terms.push((node, is_added)),
    }
}

/// Whether the body names the array by elements only, all of which have rows of this length, and one that is not in the
/// first row.
fn is_of_rows(body: &Node<Statement>, name: &str, row: &str) -> bool {
    struct Names<'n>(&'n str, usize);
    impl<'ast> Visit<'ast> for Names<'_> {
        fn visit_identifier(&mut self, identifier: &'ast Identifier, _: &'ast Span) {
            self.1 += usize::from(identifier.name == self.0);
        }
    }
    let mut names = Names(name, 0);
    names.visit_statement(&body.node, &body.span);
    let (mut elements, mut all_split, mut rows) = (0, true, 0);
    // The walker changes what it is given.
    let mut body = body.clone();
    each_element(&mut body, name, &mut |subscripts| {
        elements += 1;
        match subscripts.first().and_then(|first| split(first, row)) {
            Some([first, _]) => rows += usize::from(!matches!(first.node, Expression::Constant(_))),
            None => all_split = false,
        }
    });
    all_split && elements == names.1 && rows > 0
}

fn take_rows(body: &mut Node<Statement>, name: &str, row: &str) {
    each_element(body, name, &mut |subscripts| {
        if let Some(parts) = subscripts.first().and_then(|first| split(first, row)) {
            subscripts.splice(0..1, parts);
        }
    });
}

/// Calls `act` with the subscripts of every element of an array.
fn each_element(body: &mut Node<Statement>, name: &str, act: &mut dyn FnMut(&mut Vec<Node<Expression>>)) {
    statement(body, &mut |node| {
        let (base, subscripts) = subscripted(node);
        if variable(base) != Some(name) || subscripts.is_empty() {
            return false;
        }
        let (base, mut subscripts) = (base.clone(), subscripts.into_iter().cloned().collect::<Vec<_>>());
        // Elements in subscripts first.
        subscripts.iter_mut().for_each(|subscript| {
            let own = Statement::Expression(Some(Box::new(subscript.clone())));
            let mut inside = Node::new(own, subscript.span);
            each_element(&mut inside, name, act);
            if let Statement::Expression(Some(inside)) = inside.node {
                *subscript = *inside;
            }
        });
        act(&mut subscripts);
        let span = node.span;
        *node =
            subscripts.into_iter().fold(base, |array, subscript| binary(BinaryOperator::Index, array, subscript, span));
        true
    });
}

/// Calls `act` on the expressions of a statement, from outside in; it tells whether it has done all of one.
fn statement(node: &mut Node<Statement>, act: &mut dyn FnMut(&mut Node<Expression>) -> bool) {
    match &mut node.node {
        Statement::Expression(Some(own)) | Statement::Return(Some(own)) => expression(own, act),
        Statement::Compound(items) => {
            for item in items {
                match &mut item.node {
                    BlockItem::Declaration(declaration) => {
                        declaration.node.declarators.iter_mut().for_each(|d| initializer(&mut d.node.initializer, act));
                    }
                    BlockItem::Statement(inner) => statement(inner, act),
                    BlockItem::StaticAssert(_) => {}
                }
            }
            return;
        }
        Statement::If(branch) => expression(&mut branch.node.condition, act),
        Statement::For(f) => {
            match &mut f.node.initializer.node {
                ForInitializer::Expression(first) => expression(first, act),
                ForInitializer::Declaration(declaration) => {
                    declaration.node.declarators.iter_mut().for_each(|d| initializer(&mut d.node.initializer, act));
                }
                _ => {}
            }
            f.node.condition.iter_mut().chain(&mut f.node.step).for_each(|part| expression(part, act));
        }
        Statement::While(w) => expression(&mut w.node.expression, act),
        Statement::DoWhile(w) => expression(&mut w.node.expression, act),
        _ => {}
    }
    super::plain::inner(&mut node.node).into_iter().for_each(|inner| statement(inner, act));
}

fn initializer(first: &mut Option<Node<Initializer>>, act: &mut dyn FnMut(&mut Node<Expression>) -> bool) {
    if let Some(Node { node: Initializer::Expression(value), .. }) = first {
        expression(value, act);
    }
}

fn expression(node: &mut Node<Expression>, act: &mut dyn FnMut(&mut Node<Expression>) -> bool) {
    if act(node) {
        return;
    }
    match &mut node.node {
        Expression::UnaryOperator(unary) => expression(&mut unary.node.operand, act),
        Expression::Cast(cast) => expression(&mut cast.node.expression, act),
        Expression::BinaryOperator(operation) => {
            expression(&mut operation.node.lhs, act);
            expression(&mut operation.node.rhs, act);
        }
        Expression::Conditional(conditional) => {
            expression(&mut conditional.node.condition, act);
            expression(&mut conditional.node.then_expression, act);
            expression(&mut conditional.node.else_expression, act);
        }
        Expression::Call(call) => call.node.arguments.iter_mut().for_each(|argument| expression(argument, act)),
        Expression::Comma(parts) => parts.iter_mut().for_each(|part| expression(part, act)),
        _ => {}
    }
}
