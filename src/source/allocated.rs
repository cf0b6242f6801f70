//! Memory that the kernel allocates for itself, on C's own tree: `int *a = malloc(n * sizeof *a);` declares `int a[n]`, and
//! `calloc` a loop of zeros behind it. `free(a);` and `if (!a) return;` are nothing then: the accelerator's memory is there
//! as soon as it is built. Where the number of bytes is not that of a number of elements, the pointer stays one, and is refused.

use lang_c::ast::{
    ArrayDeclarator, ArraySize, BinaryOperator, BlockItem, CallExpression, Constant, Declaration, DerivedDeclarator,
    Expression, Initializer, Statement, TranslationUnit, UnaryOperator,
};
use lang_c::span::Node;

use super::flat::constant;
use super::function::{derived, identifier};
use super::initial::zeros;
use super::nest::{is_name, operation};
use super::plain::{bodies, factors, inner, product, subscripted};
use super::types::{CType, Types};

/// Rewrites the bodies of all functions.
pub fn allocated(unit: &mut TranslationUnit, types: &Types) {
    bodies(unit).for_each(|body| statement(body, types, &mut vec![]));
}

/// `known` are the names of memory that was allocated around this place.
fn statement(node: &mut Node<Statement>, types: &Types, known: &mut Vec<String>) {
    if is_needless(&node.node, known) {
        node.node = Statement::Expression(None);
        return;
    }
    let Statement::Compound(items) = &mut node.node else {
        inner(&mut node.node).into_iter().for_each(|inner| statement(inner, types, known));
        return;
    };
    let outer = known.len();
    for k in 0..items.len() {
        let (before, behind) = items.split_at_mut(k + 1);
        if let BlockItem::Declaration(declaration) = &mut before[k].node {
            declare(&mut declaration.node, behind, types, known);
        }
    }
    let mut done = vec![];
    for mut item in std::mem::take(items) {
        let mut filled = vec![];
        match &mut item.node {
            BlockItem::Declaration(declaration) => {
                for declarator in &mut declaration.node.declarators {
                    let Some(name) = identifier(&declarator.node.declarator.node).map(|name| name.node.name.clone())
                    else {
                        continue;
                    };
                    if !known[outer..].contains(&name) {
                        continue;
                    }
                    let first = declarator.node.initializer.take();
                    if let Some(Initializer::Expression(first)) = first.map(|first| first.node)
                        && of_call(&first).is_some_and(|call| call.is_calloc)
                        && let Some(extent) = extent_of(&declarator.node.declarator)
                    {
                        filled.push(zeros(&name, &[extent], item.span));
                    }
                }
            }
            BlockItem::Statement(own) => {
                let given = match &own.node {
                    Statement::Expression(Some(given)) => operation(given),
                    _ => None,
                };
                let name = given.and_then(|(operator, o)| match (&operator, &o.lhs.node, of_call(&o.rhs)) {
                    (BinaryOperator::Assign, Expression::Identifier(name), Some(call)) => {
                        Some((name.node.name.clone(), call.is_calloc))
                    }
                    _ => None,
                });
                match name.filter(|(name, _)| known[outer..].contains(name)) {
                    Some((name, is_calloc)) => {
                        let extent = done.iter().find_map(|item: &Node<BlockItem>| extent_in(item, &name));
                        own.node = Statement::Expression(None);
                        filled.extend(extent.filter(|_| is_calloc).map(|extent| zeros(&name, &[extent], item.span)));
                    }
                    None => statement(own, types, known),
                }
            }
            BlockItem::StaticAssert(_) => {}
        }
        done.push(item);
        done.extend(filled.into_iter().map(|node| {
            let span = node.span;
            Node::new(BlockItem::Statement(node), span)
        }));
    }
    known.truncate(outer);
    *items = done;
}

/// Makes arrays of the pointers of a declaration that get room, in it or in the first of the statements `behind` it that name
/// them.
fn declare(declaration: &mut Declaration, behind: &[Node<BlockItem>], types: &Types, known: &mut Vec<String>) {
    let ty = types.of_declaration(&declaration.specifiers);
    for declarator in &mut declaration.declarators {
        let [Node { node: DerivedDeclarator::Pointer(_), .. }] = derived(&declarator.node.declarator)[..] else {
            continue;
        };
        let Some(name) = identifier(&declarator.node.declarator.node).map(|name| name.node.name.clone()) else {
            continue;
        };
        let room = match declarator.node.initializer.as_ref().map(|first| &first.node) {
            Some(Initializer::Expression(first)) => whole(first, &name, &ty, types),
            Some(Initializer::List(_)) => None,
            None => behind.iter().find_map(|item| match &item.node {
                BlockItem::Statement(Node { node: Statement::Expression(Some(given)), .. }) => {
                    match operation(given)? {
                        (BinaryOperator::Assign, o) if is_name(&o.lhs, &name) => whole(&o.rhs, &name, &ty, types),
                        _ => None,
                    }
                }
                _ => None,
            }),
        };
        let Some(room) = room else { continue };
        let span = declarator.node.declarator.span;
        let array = ArrayDeclarator { qualifiers: vec![], size: ArraySize::VariableExpression(Box::new(room)) };
        declarator.node.declarator.node.derived =
            vec![Node::new(DerivedDeclarator::Array(Node::new(array, span)), span)];
        known.push(name);
    }
}

fn extent_in(item: &Node<BlockItem>, name: &str) -> Option<Node<Expression>> {
    let BlockItem::Declaration(declaration) = &item.node else { return None };
    let mut all = declaration.node.declarators.iter();
    let own = all.find(|d| identifier(&d.node.declarator.node).is_some_and(|found| found.node.name == name))?;
    extent_of(&own.node.declarator)
}

fn extent_of(declarator: &Node<lang_c::ast::Declarator>) -> Option<Node<Expression>> {
    match derived(declarator)[..] {
        [Node { node: DerivedDeclarator::Array(array), .. }] => match &array.node.size {
            ArraySize::VariableExpression(size) => Some((**size).clone()),
            _ => None,
        },
        _ => None,
    }
}

/// A call of an allocator.
struct Call<'e> {
    arguments: &'e [Node<Expression>],
    is_calloc: bool,
}

fn of_call(node: &Node<Expression>) -> Option<Call<'_>> {
    match &node.node {
        Expression::Cast(cast) => of_call(&cast.node.expression),
        Expression::Call(call) => {
            let CallExpression { callee, arguments } = &call.node;
            let is_calloc = is_name(callee, "calloc") && arguments.len() == 2;
            // What an address is a multiple of does not matter.
            let is_aligned = is_name(callee, "aligned_alloc") && arguments.len() == 2;
            let arguments = if is_aligned { &arguments[1..] } else { arguments };
            let is_plain = is_aligned || is_name(callee, "malloc") && arguments.len() == 1;
            (is_calloc || is_plain).then_some(Call { arguments, is_calloc })
        }
        _ => None,
    }
}

fn whole(node: &Node<Expression>, name: &str, ty: &CType, types: &Types) -> Option<Node<Expression>> {
    let factors = room(node, name, ty, types)?;
    Some(product(factors.into_iter().cloned().collect(), node.span))
}

/// How many elements of type `ty` a call gives the pointer `name`: the factors of their number.
pub fn room<'e>(
    node: &'e Node<Expression>,
    name: &str,
    ty: &CType,
    types: &Types,
) -> Option<Vec<&'e Node<Expression>>> {
    let call = of_call(node)?;
    let mut factors: Vec<&Node<Expression>> = call.arguments.iter().flat_map(factors).collect();
    let is_size = |factor: &&Node<Expression>| match &factor.node {
        Expression::SizeOfTy(size) => types.of_name(&size.node.0.node) == *ty,
        Expression::SizeOfVal(size) => is_element(&size.node.0, name),
        _ => false,
    };
    let bytes = ty.arithmetic().map(|ty| i64::from(ty.bits / 8));
    // Bytes as a number: `malloc(n * 4)`.
    let is_number = |factor: &&Node<Expression>| bytes.is_some() && constant(factor) == bytes;
    match factors.iter().position(is_size).or_else(|| factors.iter().position(is_number)) {
        Some(position) => drop(factors.remove(position)),
        None if ty.arithmetic().is_some_and(|ty| ty.bits == 8) => {}
        None => return None,
    }
    let sizes = |factor: &&Node<Expression>| matches!(factor.node, Expression::SizeOfTy(_) | Expression::SizeOfVal(_));
    (!factors.iter().any(sizes)).then_some(factors)
}

/// Whether it is `*a` or `a[0]`.
fn is_element(node: &Node<Expression>, name: &str) -> bool {
    match &node.node {
        Expression::UnaryOperator(unary) => {
            unary.node.operator.node == UnaryOperator::Indirection && is_name(&unary.node.operand, name)
        }
        _ => {
            let (base, subscripts) = subscripted(node);
            subscripts.len() == 1 && is_name(base, name)
        }
    }
}

/// Whether a statement only gives memory back, or does something where there was none.
fn is_needless(statement: &Statement, known: &[String]) -> bool {
    let is_known = |node: &Node<Expression>| known.iter().any(|name| is_name(node, name));
    match statement {
        Statement::Expression(Some(expression)) => match &expression.node {
            Expression::Call(call) => {
                let CallExpression { callee, arguments } = &call.node;
                is_name(callee, "free") && matches!(&arguments[..], [only] if is_known(only))
            }
            _ => false,
        },
        Statement::If(branch) => branch.node.else_statement.is_none() && is_missing(&branch.node.condition, &is_known),
        _ => false,
    }
}

/// Whether a condition is that there is no memory: `!a`, `a == NULL`, and those joined by `||`.
fn is_missing(condition: &Node<Expression>, is_known: &impl Fn(&Node<Expression>) -> bool) -> bool {
    match &condition.node {
        Expression::UnaryOperator(unary) => {
            unary.node.operator.node == UnaryOperator::Negate && is_known(&unary.node.operand)
        }
        _ => match operation(condition) {
            Some((BinaryOperator::LogicalOr, o)) => is_missing(&o.lhs, is_known) && is_missing(&o.rhs, is_known),
            Some((BinaryOperator::Equals, o)) => {
                is_known(&o.lhs) && is_null(&o.rhs) || is_known(&o.rhs) && is_null(&o.lhs)
            }
            _ => false,
        },
    }
}

fn is_null(node: &Node<Expression>) -> bool {
    match &node.node {
        Expression::Cast(cast) => is_null(&cast.node.expression),
        Expression::Constant(constant) => {
            matches!(&constant.node, Constant::Integer(integer) if integer.number.chars().all(|digit| digit == '0'))
        }
        _ => false,
    }
}
