//! Pointers of the program around the kernel that an allocator has given room, as the arrays that they point to.

use lang_c::ast::{
    BinaryOperator, DerivedDeclarator, Expression, InitDeclarator, Initializer, UnaryOperator, UnaryOperatorExpression,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::super::allocated::room;
use super::super::canonical::names_in;
use super::super::function::{derived, identifier};
use super::super::nest::{assignment, is_name};
use super::names::{Declared, global};
use super::outline::Outliner;

/// What a pointer is given: in its declarations, and in assignments.
struct Given<'u, 'n> {
    name: &'n str,
    values: Vec<&'u Node<Expression>>,
    /// Something else changes it, or may.
    moves: bool,
}

impl<'u> Visit<'u> for Given<'u, '_> {
    fn visit_init_declarator(&mut self, declarator: &'u InitDeclarator, span: &'u ByteSpan) {
        if identifier(&declarator.declarator.node).is_some_and(|name| name.node.name == self.name)
            && let Some(first) = &declarator.initializer
        {
            match &first.node {
                Initializer::Expression(value) => self.values.push(value),
                Initializer::List(_) => self.moves = true,
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
                ref other => self.moves |= assignment(other).is_some(),
            }
        }
        visit::visit_expression(self, expression, span);
    }

    fn visit_unary_operator_expression(&mut self, unary: &'u UnaryOperatorExpression, span: &'u ByteSpan) {
        let moves = matches!(
            unary.operator.node,
            UnaryOperator::PreIncrement
                | UnaryOperator::PostIncrement
                | UnaryOperator::PreDecrement
                | UnaryOperator::PostDecrement
                | UnaryOperator::Address
        );
        self.moves |= moves && is_name(&unary.operand, self.name);
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
            given.values.len() <= 1 && !given.moves
        };
        (!given.moves && factors.iter().flat_map(|factor| names_in(factor)).all(keeps)).then_some(factors)
    }

    /// What a variable of the kernel's function is given, or one of the file, in all of it.
    fn given<'n>(&self, name: &'n str) -> Given<'u, 'n> {
        let mut given = Given { name, values: vec![], moves: false };
        match global(self.reader, name) {
            Some(_) => given.visit_translation_unit(self.reader.unit),
            None => given.visit_function_definition(&self.part.function.node, &self.part.function.span),
        }
        given
    }
}
