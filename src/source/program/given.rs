//! What variables of the program are given before its kernel: pointers room by an allocator, which are the arrays that they point to
//! then, and scalars a number.

use lang_c::ast::{
    BinaryOperator, BlockItem, DerivedDeclarator, Expression, InitDeclarator, Initializer, Statement, UnaryOperator,
    UnaryOperatorExpression,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::super::allocated::room;
use super::super::canonical::names_in;
use super::super::exits::jumps;
use super::super::function::{derived, identifier};
use super::super::nest::{assignment, counts, is_name};
use super::flow::Path;
use super::names::{Declared, global};
use super::outline::Outliner;

/// What a variable is given: in its declarations, and in assignments.
struct Given<'u, 'n> {
    name: &'n str,
    values: Vec<&'u Node<Expression>>,
    /// The first byte where something else changes it, or may.
    moves: Option<usize>,
}

impl Given<'_, '_> {
    fn moves_at(&mut self, span: &ByteSpan) {
        self.moves = Some(self.moves.map_or(span.start, |first| first.min(span.start)));
    }
}

impl<'u> Visit<'u> for Given<'u, '_> {
    fn visit_init_declarator(&mut self, declarator: &'u InitDeclarator, span: &'u ByteSpan) {
        if identifier(&declarator.declarator.node).is_some_and(|name| name.node.name == self.name)
            && let Some(first) = &declarator.initializer
        {
            match &first.node {
                Initializer::Expression(value) => self.values.push(value),
                Initializer::List(_) => self.moves_at(span),
            }
        }
        visit::visit_init_declarator(self, declarator, span);
    }

    fn visit_expression(&mut self, expression: &'u Expression, span: &'u ByteSpan) {
        if let Expression::BinaryOperator(o) = expression
            && is_name(&o.node.lhs, self.name)
        {
            match o.node.operator.node {
                BinaryOperator::Assign => self.values.push(&o.node.rhs),
                ref other if assignment(other).is_some() => self.moves_at(span),
                _ => {}
            }
        }
        visit::visit_expression(self, expression, span);
    }

    fn visit_unary_operator_expression(&mut self, unary: &'u UnaryOperatorExpression, span: &'u ByteSpan) {
        let moves = counts(&unary.operator.node) || unary.operator.node == UnaryOperator::Address;
        if moves && is_name(&unary.operand, self.name) {
            self.moves_at(span);
        }
        visit::visit_unary_operator_expression(self, unary, span);
    }
}

impl<'u> Outliner<'_, 'u> {
    /// How many elements a pointer points to that an allocator has given room, and nothing else: the factors of their number.
    pub fn room(&self, declared: &Declared<'u>) -> Option<Vec<&'u Node<Expression>>> {
        let Declared::Variable { declaration, declarator, .. } = declared else { return None };
        let declarator = &declarator.node.declarator;
        let [Node { node: DerivedDeclarator::Pointer(_), .. }] = derived(declarator)[..] else { return None };
        let name = identifier(&declarator.node)?.node.name.as_str();
        let given = self.given(name);
        let [value] = given.values[..] else { return None };
        let ty = self.reader.types.of_declaration(&declaration.specifiers);
        let factors = room(value, name, &ty, self.reader.types)?;
        // What the number is made of is the same at the region: it has got its value once.
        let keeps = |name: String| {
            let given = self.given(&name);
            given.values.len() <= 1 && given.moves.is_none()
        };
        // The region sees the names.
        let function = self.part.function.span;
        let is_inside = function.start <= value.span.start && value.span.end <= function.end;
        let is_seen = |name: String| is_inside || global(self.reader, &name).is_some();
        let names = || factors.iter().flat_map(|factor| names_in(factor));
        (given.moves.is_none() && names().all(keeps) && names().all(is_seen)).then_some(factors)
    }

    /// The number that a scalar of the kernel's function has whenever the region begins, as its text.
    pub fn begins_with(&self, path: &Path<'u>, declared: &Declared<'u>) -> Option<String> {
        let Declared::Variable { declarator, is_global: false, .. } = declared else { return None };
        let is_once = path.around.iter().all(|level| level.of_loop.is_none()) && !declared.is_static();
        if !is_once || jumps(&self.part.function.node.statement, None) > 0 {
            return None;
        }
        let name = identifier(&declarator.node.declarator.node)?.node.name.as_str();
        let begin = self.bytes().start;
        let Given { values, moves, .. } = self.given(name);
        let [value] = values.into_iter().filter(|value| value.span.start < begin).collect::<Vec<_>>()[..] else {
            return None;
        };
        // On every way to the region.
        let is_sure = path.around.iter().flat_map(|level| &level.items[..level.inside.start]).any(|item| {
            let is_plain = matches!(
                item.node,
                BlockItem::Declaration(_) | BlockItem::Statement(Node { node: Statement::Expression(_), .. })
            );
            is_plain && item.span.start <= value.span.start && value.span.end <= item.span.end
        });
        let is_kept = moves.is_none_or(|first| first > begin);
        (is_sure && is_kept && self.is_plain(value.span)).then(|| self.text(value.span).to_string())
    }

    /// What a variable of the kernel's function is given, or one of the file, in all of it.
    fn given<'n>(&self, name: &'n str) -> Given<'u, 'n> {
        let mut given = Given { name, values: vec![], moves: None };
        match global(self.reader, name) {
            Some(_) => given.visit_translation_unit(self.reader.unit),
            None => given.visit_function_definition(&self.part.function.node, &self.part.function.span),
        }
        given
    }
}
