//! Arrays as long as what they begin with, on C's own tree: `char t[] = "ab";` is `char t[3] = {'a', 'b', '\0'};`, `int t[] = {x, y};` is
//! `int t[2] = {x, y};`, braces that are left out are put there ([`super::braces`]), and a pointer to a string that never points
//! elsewhere, `const char *t = "ab";`, is the table that it points to.

use lang_c::ast::{
    ArrayDeclarator, ArraySize, BinaryOperator, BlockItem, Constant, Declaration, DeclarationSpecifier,
    DerivedDeclarator, Expression, ExternalDeclaration, FunctionDefinition, InitDeclarator, Initializer,
    InitializerListItem, Statement, StorageClassSpecifier, TranslationUnit, TypeQualifier, TypeSpecifier,
    UnaryOperator,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::braces::braced;
use super::constants::Constants;
use super::counters::{declaration, named};
use super::flat::expressions;
use super::function::{derived, identifier, names_of};
use super::nest::{assignment, counts};
use super::plain::{inner, variable};
use super::types::{is_const, is_typedef};

/// Rewrites the declarations of a file and of its functions.
pub fn strings(unit: &mut TranslationUnit, constants: &Constants) {
    for external in &mut unit.0 {
        match &mut external.node {
            // Who else may set a pointer of the file is not looked for.
            ExternalDeclaration::Declaration(declaration) => rewrite(&mut declaration.node, None, constants),
            ExternalDeclaration::FunctionDefinition(function) => {
                let mut changed = Assigned(vec![]);
                changed.visit_statement(&function.node.statement.node, &function.node.statement.span);
                let changed = changed.0;
                named_texts(&mut function.node);
                statement(&mut function.node.statement, &changed, constants);
            }
            ExternalDeclaration::StaticAssert(_) => {}
        }
    }
}

/// Declares a table for every string whose characters a function reads by subscripts, `"0123456789abcdef"[k]`.
fn named_texts(function: &mut FunctionDefinition) {
    let mut taken = names_of(function);
    let mut tables = vec![];
    expressions(&mut function.statement, &mut |node| {
        let Expression::BinaryOperator(o) = &mut node.node else { return false };
        let o = &mut o.node;
        if o.operator.node == BinaryOperator::Index
            && let Some(text) = [&mut o.lhs, &mut o.rhs].into_iter().find(|own| is_text(own))
        {
            let span = text.span;
            let own = (0..).map(|k| format!("text_{k}")).find(|own| !taken.contains(own)).unwrap_or_default();
            taken.insert(own.clone());
            let first = std::mem::replace(&mut **text, named(&own, span));
            let words = [
                DeclarationSpecifier::StorageClass(Node::new(StorageClassSpecifier::Static, span)),
                DeclarationSpecifier::TypeQualifier(Node::new(TypeQualifier::Const, span)),
                DeclarationSpecifier::TypeSpecifier(Node::new(TypeSpecifier::Char, span)),
            ];
            let words = words.into_iter().map(|word| Node::new(word, span)).collect();
            let mut table = declaration(words, &own, first, span);
            let array = ArrayDeclarator { qualifiers: vec![], size: ArraySize::Unknown };
            let array = Node::new(DerivedDeclarator::Array(Node::new(array, span)), span);
            table.node.declarators.iter_mut().for_each(|own| own.node.declarator.node.derived.push(array.clone()));
            tables.push(Node::new(BlockItem::Declaration(table), span));
        }
        false
    });
    if let Statement::Compound(items) = &mut function.statement.node {
        items.splice(0..0, tables);
    }
}

fn is_text(node: &Node<Expression>) -> bool {
    matches!(node.node, Expression::StringLiteral(_))
}

/// The variables that get other values than the first, or whose addresses are taken.
struct Assigned(Vec<String>);

impl<'ast> Visit<'ast> for Assigned {
    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
        let target = match expression {
            Expression::UnaryOperator(unary) => {
                let operator = &unary.node.operator.node;
                (counts(operator) || *operator == UnaryOperator::Address).then_some(&unary.node.operand)
            }
            Expression::BinaryOperator(o) => assignment(&o.node.operator.node).map(|_| &o.node.lhs),
            _ => None,
        };
        self.0.extend(target.and_then(|target| variable(target)).map(str::to_string));
        visit::visit_expression(self, expression, span);
    }
}

fn statement(node: &mut Node<Statement>, changed: &[String], constants: &Constants) {
    let Statement::Compound(items) = &mut node.node else {
        inner(&mut node.node).into_iter().for_each(|inner| statement(inner, changed, constants));
        return;
    };
    for item in items {
        match &mut item.node {
            BlockItem::Declaration(declaration) => rewrite(&mut declaration.node, Some(changed), constants),
            BlockItem::Statement(own) => statement(own, changed, constants),
            BlockItem::StaticAssert(_) => {}
        }
    }
}

fn rewrite(declaration: &mut Declaration, changed: Option<&[String]>, constants: &Constants) {
    let ty = constants.types.of_declaration(&declaration.specifiers);
    let is_character = ty.is_character();
    let is_char = declaration
        .specifiers
        .iter()
        .any(|s| matches!(&s.node, DeclarationSpecifier::TypeSpecifier(ty) if ty.node == TypeSpecifier::Char));
    if is_typedef(declaration) {
        return;
    }
    let is_alone = declaration.declarators.len() == 1;
    let is_const = is_const(declaration);
    let mut becomes_table = false;
    for declarator in &mut declaration.declarators {
        let span = declarator.span;
        if is_char
            && is_alone
            && is_const
            && let Some(changed) = changed
        {
            becomes_table |= pointed(&mut declarator.node, changed, span);
        }
        if is_character {
            listed(&mut declarator.node, constants, span);
        }
        if ty.arithmetic().is_some() {
            braced(&mut declarator.node, is_character, constants, span);
        }
    }
    // A table is the same at each call.
    let is_stored = |s: &Node<DeclarationSpecifier>| matches!(s.node, DeclarationSpecifier::StorageClass(_));
    if becomes_table && !declaration.specifiers.iter().any(is_stored) {
        let span = declaration.specifiers[0].span;
        let own = Node::new(StorageClassSpecifier::Static, span);
        declaration.specifiers.insert(0, Node::new(DeclarationSpecifier::StorageClass(own), span));
    }
}

/// `const char t[] = "ab"` of `const char *t = "ab"`.
fn pointed(declarator: &mut InitDeclarator, changed: &[String], span: Span) -> bool {
    let is_string =
        matches!(&declarator.initializer, Some(Node { node: Initializer::Expression(first), .. }) if is_text(first));
    let Some(name) = identifier(&declarator.declarator.node).map(|name| name.node.name.clone()) else { return false };
    let [only] = &mut declarator.declarator.node.derived[..] else { return false };
    if !is_string || changed.contains(&name) || !matches!(only.node, DerivedDeclarator::Pointer(_)) {
        return false;
    }
    let qualifiers: Vec<Node<TypeQualifier>> = vec![];
    let array = ArrayDeclarator { qualifiers, size: ArraySize::Unknown };
    only.node = DerivedDeclarator::Array(Node::new(array, span));
    true
}

/// The characters of a string that an array begins with.
fn listed(declarator: &mut InitDeclarator, constants: &Constants, span: Span) {
    let Some(Node { node: Initializer::Expression(first), .. }) = &declarator.initializer else { return };
    let [part] = &derived(&declarator.declarator)[..] else { return };
    let DerivedDeclarator::Array(array) = &part.node else { return };
    let extent = match &array.node.size {
        ArraySize::VariableExpression(size) => constants.number(size).and_then(|size| usize::try_from(size).ok()),
        ArraySize::Unknown => Some(usize::MAX),
        _ => None,
    };
    let Some(list) = extent.and_then(|extent| characters_of(first, extent)) else { return };
    declarator.initializer = Some(Node::new(Initializer::List(list), span));
}

/// The items of a list for a string that so many elements begin with; `None` of one with more characters. An array as long as the
/// text has no end of it.
pub fn characters_of(text: &Node<Expression>, extent: usize) -> Option<Vec<Node<InitializerListItem>>> {
    let mut characters = spelled(text)?;
    if characters.len() < extent {
        characters.push("'\\0'".to_string());
    }
    let one = |own: String| {
        let constant = Node::new(Constant::Character(own), text.span);
        let value = Node::new(Expression::Constant(Box::new(constant)), text.span);
        let initializer = Box::new(Node::new(Initializer::Expression(Box::new(value)), text.span));
        Node::new(InitializerListItem { designation: vec![], initializer }, text.span)
    };
    (characters.len() <= extent).then(|| characters.into_iter().map(one).collect())
}

/// Characters that an array of unknown extent has which begins with a string: its end is one of them.
pub fn length(first: &Node<Expression>) -> Option<usize> {
    spelled(first).map(|characters| characters.len() + 1)
}

/// The character constants of a string, without its end.
pub fn spelled(text: &Node<Expression>) -> Option<Vec<String>> {
    let Expression::StringLiteral(pieces) = &text.node else { return None };
    characters(&pieces.node)
}

/// The character constants of a string's pieces; `None` of one with a prefix, or with characters of several bytes.
fn characters(pieces: &[String]) -> Option<Vec<String>> {
    let mut all = vec![];
    for piece in pieces {
        let inside = piece.strip_prefix('"')?.strip_suffix('"')?;
        let mut left = inside.chars().peekable();
        while let Some(first) = left.next() {
            if !first.is_ascii() {
                return None;
            }
            let mut own = String::from(first);
            if first == '\\' {
                let kind = left.next()?;
                own.push(kind);
                let (digits, most) = match kind {
                    'x' => (16, usize::MAX),
                    '0'..='7' => (8, 2),
                    _ => (0, 0),
                };
                for _ in 0..most {
                    match left.peek() {
                        Some(digit) if digits > 0 && digit.is_digit(digits) => own.push(*digit),
                        _ => break,
                    }
                    left.next();
                }
            } else if first == '\'' {
                own = "\\'".into();
            }
            all.push(format!("'{own}'"));
        }
    }
    Some(all)
}
