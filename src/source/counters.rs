//! What counts, in the words that the rest reads, on C's own tree:
//!
//! - an argument that changes, as in `while (n-- > 0)`, is a local variable that begins with it: `int n_0 = n;`;
//! - `while (i > 0) { --i; a[i] = x; }` steps at the end: `while (i > 0) { a[i - 1] = x; --i; }`.
//!
//! Where a name stands in what is not looked at, all stays as it is.

use lang_c::ast::{
    BinaryOperator, BlockItem, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator,
    Expression, ForInitializer, ForStatement, FunctionDefinition, Identifier, InitDeclarator, Initializer, Statement,
    TranslationUnit, TypeQualifier, UnaryOperator, WhileStatement,
};
use lang_c::span::{Node, Span};

use super::breaks::{is_always, is_read_behind};
use super::canonical::{begun, has_continue, has_jump, names_in, without_continues};
use super::exits;
use super::flat::{constant, expressions, names};
use super::function::{derived, identifier};
use super::known::{Declared, changed, changed_in};
use super::loops::steps;
use super::nest::operation;
use super::plain::{binary, block, item, listed, number, variable};
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
    leading(unit, kernel, types, false);
}

/// Puts what heads begin that bodies change before the loops, in the bodies of all functions: `for (i = 0, j = 0; i < n; i++) …` with
/// `j += x[i];` in it is `j = 0; for (i = 0; i < n; i++) …`. What steps only assign is a body's: `for (…; j = i, i++) …` is
/// `for (…; i++) { … j = i; }`.
pub fn begun_only(unit: &mut TranslationUnit, types: &Types) {
    for external in &mut unit.0 {
        if let lang_c::ast::ExternalDeclaration::FunctionDefinition(function) = &mut external.node {
            let declared = Declared::of(&function.node, types);
            begun_in(&mut function.node.statement, &declared);
        }
    }
}

fn begun_in(node: &mut Node<Statement>, declared: &Declared) {
    let Statement::Compound(items) = &mut node.node else {
        super::plain::inner(&mut node.node).into_iter().for_each(|inner| begun_in(inner, declared));
        assigned_at_end(node, declared);
        let span = node.span;
        let first = begun_before(node);
        if !first.is_empty() {
            let own = Node::new(BlockItem::Statement(node.clone()), span);
            *node = block([first, vec![own]].concat(), span);
        }
        return;
    };
    for mut item in std::mem::take(items) {
        if let BlockItem::Statement(own) = &mut item.node {
            match &mut own.node {
                Statement::Compound(_) => begun_in(own, declared),
                other => {
                    super::plain::inner(other).into_iter().for_each(|inner| begun_in(inner, declared));
                    assigned_at_end(own, declared);
                    let first = begun_before(own);
                    let is_own = |item: &Node<BlockItem>| match item.node {
                        BlockItem::Declaration(_) => {
                            changed(&block(vec![item.clone()], item.span)).iter().all(|name| declared.times(name) == 1)
                        }
                        _ => true,
                    };
                    if first.iter().all(is_own) {
                        items.extend(first);
                    } else {
                        let again = Node::new(BlockItem::Statement(own.clone()), own.span);
                        *own = block([first, vec![again]].concat(), own.span);
                    }
                }
            }
        }
        items.push(item);
    }
}

/// Puts the assignments that a loop's steps begin with, of what neither its condition nor another step looks at, at the end of
/// its body.
fn assigned_at_end(node: &mut Node<Statement>, declared: &Declared) {
    let Statement::For(f) = &mut node.node else { return };
    let ForStatement { condition, step, statement: body, .. } = &mut f.node;
    let Some(step) = step else { return };
    let mut all: Vec<Node<Expression>> = steps(step).into_iter().cloned().collect();
    let heads: Vec<String> = condition.iter().flat_map(|condition| names_in(condition)).collect();
    let is_apart = |place: usize| {
        let named = operation(&all[place]).filter(|(operator, _)| *operator == BinaryOperator::Assign);
        let Some((name, o)) = named.and_then(|(_, o)| Some((variable(&o.lhs)?.to_string(), o))) else { return false };
        let others = || all.iter().enumerate().filter(|(other, _)| *other != place).flat_map(|(_, own)| names_in(own));
        let own = names_in(&o.rhs);
        !changes(&o.rhs)
            && !heads.contains(&name)
            && !others().any(|other| other == name)
            && own.iter().chain([&name]).all(|name| declared.times(name) == 1 && !declared.has_address(name))
    };
    let count = (0..all.len()).take_while(|place| is_apart(*place)).count();
    if count == 0 || count == all.len() || has_continue(body) {
        return;
    }
    let kept = all.split_off(count);
    let span = body.span;
    let own = Node::new(BlockItem::Statement((**body).clone()), span);
    **body = block([vec![own], all.into_iter().map(item).collect()].concat(), span);
    **step = match kept.len() {
        1 => kept.into_iter().next().unwrap_or_else(|| (**step).clone()),
        _ => Node::new(Expression::Comma(Box::new(kept)), step.span),
    };
}

/// Takes what the body of a loop changes, and no step and no condition, out of what its head begins.
fn begun_before(node: &mut Node<Statement>) -> Vec<Node<BlockItem>> {
    let Statement::For(f) = &mut node.node else { return vec![] };
    let ForStatement { initializer, condition, step, statement: body } = &mut f.node;
    let own = begun(&initializer.node);
    let body = changed(body);
    let mut head = vec![];
    step.iter().chain(condition.iter()).for_each(|part| changed_in(part, &mut head));
    let moves = |name: &String| body.contains(name) && !head.contains(name);
    let stays: Vec<String> = own.iter().filter(|name| !moves(name)).cloned().collect();
    // What does not begin before them may be no more than that.
    let is_free =
        |value: &Node<Expression>| !changes(value) && !names_in(value).iter().any(|name| stays.contains(name));
    if own.len() < 2 || stays.is_empty() {
        return vec![];
    }
    match &mut initializer.node {
        ForInitializer::Expression(first) => {
            let starts: Vec<Node<Expression>> = steps(first).into_iter().cloned().collect();
            let (out, kept): (Vec<_>, Vec<_>) = starts.into_iter().partition(|start| {
                operation(start).is_some_and(|(_, o)| variable(&o.lhs).is_some_and(|name| moves(&name.to_string())))
            });
            let values = |start: &Node<Expression>| operation(start).is_some_and(|(_, o)| is_free(&o.rhs));
            if kept.is_empty() || !out.iter().all(values) {
                return vec![];
            }
            **first = match kept.len() {
                1 => kept.into_iter().next().unwrap_or_else(|| (**first).clone()),
                _ => Node::new(Expression::Comma(Box::new(kept)), first.span),
            };
            out.into_iter().map(item).collect()
        }
        ForInitializer::Declaration(declaration) => {
            let is_moved = |declarator: &Node<InitDeclarator>| {
                identifier(&declarator.node.declarator.node).is_some_and(|name| moves(&name.node.name))
            };
            let all = std::mem::take(&mut declaration.node.declarators);
            let (out, kept): (Vec<_>, Vec<_>) = all.iter().cloned().partition(is_moved);
            let values = |declarator: &Node<InitDeclarator>| match &declarator.node.initializer {
                Some(Node { node: Initializer::Expression(value), .. }) => is_free(value),
                Some(_) => false,
                None => true,
            };
            if out.is_empty() || kept.is_empty() || !out.iter().all(values) {
                declaration.node.declarators = all;
                return vec![];
            }
            declaration.node.declarators = kept;
            let own = Declaration { specifiers: declaration.node.specifiers.clone(), declarators: out };
            vec![Node::new(BlockItem::Declaration(Node::new(own, declaration.span)), declaration.span)]
        }
        _ => vec![],
    }
}

/// Moves steps at the beginning of loops to their ends, in one function; with jumps, also those that stand further down, and those
/// behind which `break` leaves the loop.
pub fn leading(unit: &mut TranslationUnit, kernel: &str, types: &Types, has_jumps: bool) {
    for external in &mut unit.0 {
        let lang_c::ast::ExternalDeclaration::FunctionDefinition(function) = &mut external.node else { continue };
        if identifier(&function.node.declarator.node).is_some_and(|name| name.node.name == kernel) {
            let declared = Declared::of(&function.node, types);
            leading_steps(&mut function.node.statement, &declared, has_jumps);
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
    replace_but(body, name, value, |_| false)
}

/// The same but in what is `kept`, in each of which the name stands once.
fn replace_but(
    body: &mut Node<Statement>,
    name: &str,
    value: &Node<Expression>,
    kept: impl Fn(&Node<Expression>) -> bool,
) -> bool {
    let (mut all, mut count) = (names(body, name), 0);
    expressions(body, &mut |node| {
        if kept(node) {
            all -= 1;
            return true;
        }
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
fn leading_steps(node: &mut Node<Statement>, declared: &Declared, has_jumps: bool) {
    if let Statement::Compound(items) = &mut node.node {
        for item in items {
            if let BlockItem::Statement(inner) = &mut item.node {
                leading_steps(inner, declared, has_jumps);
            }
        }
        return;
    }
    super::plain::inner(&mut node.node).into_iter().for_each(|inner| leading_steps(inner, declared, has_jumps));
    if let Statement::For(f) = &node.node
        && let (ForInitializer::Empty, None, None, true) =
            (&f.node.initializer.node, &f.node.condition, &f.node.step, has_jumps)
    {
        let again =
            WhileStatement { expression: Box::new(number("1", node.span)), statement: f.node.statement.clone() };
        node.node = Statement::While(Node::new(again, node.span));
    }
    let (condition, whole) = match &mut node.node {
        Statement::While(w) => (&w.node.expression, &mut w.node.statement),
        Statement::DoWhile(w) if has_jumps => (&w.node.expression, &mut w.node.statement),
        _ => return,
    };
    let Statement::Compound(items) = &whole.node else { return };
    let span = whole.span;
    let has_one = |items: &[Node<BlockItem>]| has_jump(&block(items.to_vec(), span));
    for k in 0..items.len().saturating_sub(1) {
        let BlockItem::Statement(Node { node: Statement::Expression(Some(step)), .. }) = &items[k].node else {
            continue;
        };
        let Some((name, operator, by)) = stepped(step) else { continue };
        let (front, rest) = (&items[..k], &items[k + 1..]);
        if !has_jumps && (k > 0 || has_one(rest)) {
            return;
        }
        let mut others = rest.to_vec();
        if has_jumps && has_one(rest) {
            without_continues(&mut others);
            if has_continue(&block(others.clone(), span)) {
                let flag = declared.unused(&format!("next_{}", span.start));
                let Some(made) = exits::without_continues(others, &flag, span) else { continue };
                others = made;
            }
            others.iter_mut().for_each(|item| step_before_breaks(item, &items[k]));
        }
        // A sum of an `int` and a narrower type is no longer of that.
        let moved = |items: &[Node<BlockItem>]| changed(&block(items.to_vec(), span)).contains(&name);
        let is_free = declared.has_bits(&name, 32) && !moved(front) && !moved(rest);
        let is_endless = has_jumps && is_always(condition);
        let counts = (is_endless || names_in(condition).contains(&name)) && !changes(condition);
        if !is_free || !counts || [front, &others].iter().any(|items| has_continue(&block(items.to_vec(), span))) {
            continue;
        }
        let value = binary(operator, named(&name, step.span), by, step.span);
        let mut body = block(others, span);
        if !replace_but_steps(&mut body, &name, &value) {
            continue;
        }
        let Statement::Compound(behind) = &mut body.node else { return };
        behind.push(items[k].clone());
        let all = [front, behind].concat();
        **whole = block(all, span);
        return;
    }
}

/// `for (i = 0, j = n; i < j; i++, j--) …`, where something behind the loop reads `j`, as `i = 0; j = n; while (i < j) { … i++; j--; }`.
pub fn several(unit: &mut TranslationUnit) {
    for body in super::plain::bodies(unit) {
        let whole = body.clone();
        several_in(body, &whole);
    }
}

fn several_in(node: &mut Node<Statement>, whole: &Node<Statement>) {
    if let Statement::Compound(items) = &mut node.node {
        for item in items {
            if let BlockItem::Statement(own) = &mut item.node {
                several_in(own, whole);
            }
        }
        return;
    }
    super::plain::inner(&mut node.node).into_iter().for_each(|inner| several_in(inner, whole));
    let span = node.span;
    let Statement::For(f) = &node.node else { return };
    let ForStatement { initializer, condition: Some(condition), step: Some(step), statement: body } = &f.node else {
        return;
    };
    let ForInitializer::Expression(first) = &initializer.node else { return };
    let begun = begun(&initializer.node);
    let others = begun.iter().skip(1).any(|name| is_read_behind(whole, name, span));
    if begun.len() < 2 || !others || has_continue(body) || changes(condition) {
        return;
    }
    let statements = |node: &Node<Expression>| steps(node).into_iter().cloned().map(item).collect::<Vec<_>>();
    let body = block([listed(body), statements(step)].concat(), body.span);
    let again = WhileStatement { expression: condition.clone(), statement: Box::new(body) };
    let again = Node::new(Statement::While(Node::new(again, span)), span);
    let mut items = statements(first);
    items.push(Node::new(BlockItem::Statement(again), span));
    *node = block(items, span);
}

/// Puts a step before every `break` that leaves the loop around.
fn step_before_breaks(item: &mut Node<BlockItem>, step: &Node<BlockItem>) {
    let BlockItem::Statement(own) = &mut item.node else { return };
    in_statement(own, step);

    fn in_statement(node: &mut Node<Statement>, step: &Node<BlockItem>) {
        let span = node.span;
        match &mut node.node {
            Statement::Break => {
                let leave = Node::new(BlockItem::Statement(node.clone()), span);
                *node = block(vec![step.clone(), leave], span);
            }
            Statement::Compound(items) => items.iter_mut().for_each(|item| step_before_breaks(item, step)),
            Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) | Statement::Switch(_) => {}
            other => super::plain::inner(other).into_iter().for_each(|inner| in_statement(inner, step)),
        }
    }
}

/// Puts an expression in place of a name, but in the steps that stand before jumps.
fn replace_but_steps(body: &mut Node<Statement>, name: &str, value: &Node<Expression>) -> bool {
    replace_but(body, name, value, |node| stepped(node).is_some_and(|(own, ..)| own == name))
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
