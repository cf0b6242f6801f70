//! What counts, in the words that the rest reads, on C's own tree:
//!
//! - an argument that changes, as in `while (n-- > 0)`, is a local variable that begins with it: `int n_0 = n;`;
//! - `while (i > 0) { --i; a[i] = x; }` steps at the end: `while (i > 0) { a[i - 1] = x; --i; }`.
//!
//! Where a name stands in what is not looked at, all stays as it is.

use lang_c::ast::{
    BinaryOperator, BlockItem, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator,
    Expression, FunctionDefinition, Identifier, InitDeclarator, Initializer, Statement, TranslationUnit, TypeQualifier,
    UnaryOperator,
};
use lang_c::span::{Node, Span};

use super::canonical::{has_jump, names_in};
use super::flat::{constant, expressions, names};
use super::function::{derived, identifier};
use super::known::{Declared, changed};
use super::nest::operation;
use super::plain::{binary, number, variable};
use super::polynomial::changes;
use super::types::Types;

/// The largest step, an `int` in any type.
const LARGEST: i64 = 1 << 30;

/// Rewrites the counters of one function.
pub fn counters(unit: &mut TranslationUnit, kernel: &str, types: &Types) {
    for external in &mut unit.0 {
        let lang_c::ast::ExternalDeclaration::FunctionDefinition(function) = &mut external.node else { continue };
        if identifier(&function.node.declarator.node).is_some_and(|name| name.node.name == kernel) {
            arguments(&mut function.node, types);
        }
    }
    leading(unit, kernel, types);
}

/// Moves steps at the beginning of loops to their ends, in one function.
pub fn leading(unit: &mut TranslationUnit, kernel: &str, types: &Types) {
    for external in &mut unit.0 {
        let lang_c::ast::ExternalDeclaration::FunctionDefinition(function) = &mut external.node else { continue };
        if identifier(&function.node.declarator.node).is_some_and(|name| name.node.name == kernel) {
            let declared = Declared::of(&function.node, types);
            leading_steps(&mut function.node.statement, &declared);
        }
    }
}

/// Gives arguments that change a variable of their own.
fn arguments(function: &mut FunctionDefinition, types: &Types) {
    let changed = changed(&function.statement);
    let declared = Declared::of(function, types);
    let mut copies = vec![];
    for part in &function.declarator.node.derived {
        let DerivedDeclarator::Function(prototype) = &part.node else { continue };
        for parameter in &prototype.node.parameters {
            let Some(declarator) = &parameter.node.declarator else { continue };
            let Some(name) = identifier(&declarator.node).map(|name| name.node.name.clone()) else { continue };
            let is_own = derived(declarator).is_empty()
                && types.of_declaration(&parameter.node.specifiers).arithmetic().is_some()
                && changed.contains(&name)
                && declared.times(&name) == 1
                && !declared.has_address(&name);
            if is_own {
                copies.push((name, parameter.node.specifiers.clone(), declarator.span));
            }
        }
    }
    for (name, mut specifiers, span) in copies {
        let own = declared.unused(&name);
        let mut body = function.statement.clone();
        if !replace(&mut body, &name, &named(&own, span)) {
            continue;
        }
        let Statement::Compound(items) = &mut body.node else { continue };
        specifiers.retain(|specifier| {
            !matches!(&specifier.node, DeclarationSpecifier::TypeQualifier(own) if own.node == TypeQualifier::Const)
        });
        items.insert(
            0,
            Node::new(BlockItem::Declaration(declaration(specifiers, &own, named(&name, span), span)), span),
        );
        function.statement = body;
    }
}

pub fn declaration(
    specifiers: Vec<Node<DeclarationSpecifier>>,
    name: &str,
    value: Node<Expression>,
    span: Span,
) -> Node<Declaration> {
    let kind = Node::new(DeclaratorKind::Identifier(Node::new(Identifier { name: name.to_string() }, span)), span);
    let declarator = Node::new(Declarator { kind, derived: vec![], extensions: vec![] }, span);
    let initializer = Some(Node::new(Initializer::Expression(Box::new(value)), span));
    let declarators = vec![Node::new(InitDeclarator { declarator, initializer }, span)];
    Node::new(Declaration { specifiers, declarators }, span)
}

pub fn named(name: &str, span: Span) -> Node<Expression> {
    Node::new(Expression::Identifier(Box::new(Node::new(Identifier { name: name.to_string() }, span))), span)
}

/// Puts an expression in place of a name; whether that was possible everywhere.
pub fn replace(body: &mut Node<Statement>, name: &str, value: &Node<Expression>) -> bool {
    let (all, mut count) = (names(body, name), 0);
    expressions(body, &mut |node| {
        if variable(node) != Some(name) {
            return false;
        }
        count += 1;
        let span = node.span;
        *node = Node::new(value.node.clone(), span);
        true
    });
    count == all
}

/// Moves the step at the beginning of a `while` loop's body to its end.
fn leading_steps(node: &mut Node<Statement>, declared: &Declared) {
    if let Statement::Compound(items) = &mut node.node {
        for item in items {
            if let BlockItem::Statement(inner) = &mut item.node {
                leading_steps(inner, declared);
            }
        }
        return;
    }
    super::plain::inner(&mut node.node).into_iter().for_each(|inner| leading_steps(inner, declared));
    let Statement::While(w) = &mut node.node else { return };
    let Statement::Compound(items) = &w.node.statement.node else { return };
    let Some((first, rest)) = items.split_first().filter(|(_, rest)| !rest.is_empty()) else { return };
    let BlockItem::Statement(Node { node: Statement::Expression(Some(step)), .. }) = &first.node else { return };
    let Some((name, operator, by)) = stepped(step) else { return };
    let others = Node::new(Statement::Compound(rest.to_vec()), w.node.statement.span);
    // A sum of an `int` and a narrower type is no longer of that.
    let is_free = declared.has_bits(&name, 32) && !has_jump(&others) && !changed(&others).contains(&name);
    if !is_free || !names_in(&w.node.expression).contains(&name) || changes(&w.node.expression) {
        return;
    }
    let mut body = others;
    let value = binary(operator, named(&name, step.span), by, step.span);
    if !replace(&mut body, &name, &value) {
        return;
    }
    if let Statement::Compound(items) = &mut body.node {
        items.push(first.clone());
    }
    *w.node.statement = body;
}

/// The variable that `i--`, `--i` or `i -= 2` changes, and how the value behind that follows from it.
fn stepped(node: &Node<Expression>) -> Option<(String, BinaryOperator, Node<Expression>)> {
    let by = |by: i64| number(&by.to_string(), node.span);
    match &node.node {
        Expression::UnaryOperator(unary) => {
            let operator = match unary.node.operator.node {
                UnaryOperator::PostIncrement | UnaryOperator::PreIncrement => BinaryOperator::Plus,
                UnaryOperator::PostDecrement | UnaryOperator::PreDecrement => BinaryOperator::Minus,
                _ => return None,
            };
            Some((variable(&unary.node.operand)?.to_string(), operator, by(1)))
        }
        _ => {
            let (operator, o) = operation(node)?;
            let operator = match operator {
                BinaryOperator::AssignPlus => BinaryOperator::Plus,
                BinaryOperator::AssignMinus => BinaryOperator::Minus,
                _ => return None,
            };
            let step = constant(&o.rhs).filter(|step| (0..=LARGEST).contains(step))?;
            Some((variable(&o.lhs)?.to_string(), operator, by(step)))
        }
    }
}
