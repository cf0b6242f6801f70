//! The variables in scope, with what their types are as far as memory is concerned.

use std::collections::HashMap;

use lang_c::ast::{
    ArraySize, BinaryOperator, Declaration, DeclarationSpecifier, Declarator, DerivedDeclarator, Expression,
    FunctionDefinition, Initializer, MemberOperator, UnaryOperator,
};
use lang_c::span::{Node, Span as ByteSpan};

use super::super::braces::rows;
use super::super::function::{derived, identifier};
use super::super::strings::length;
use super::super::structs::{Base, type_specifiers, type_words};
use super::super::types::is_typedef;
use super::size::Product;
use super::{Pieces, Writer, joined};

/// A step from a name to what it holds.
#[derive(Clone, Debug)]
pub struct Dim {
    /// The extent of an array; `None` for pointers.
    pub extent: Option<Product>,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub base: Base,
    /// The type's name, for a value of it.
    pub words: String,
    /// Outermost first.
    pub dims: Vec<Dim>,
    pub is_parameter: bool,
}

/// Variables by their names; `None` for what has another type than numbers, structures, and arrays of them.
#[derive(Default)]
pub struct Variables(Vec<HashMap<String, Option<Variable>>>);

impl Variables {
    pub fn enter(&mut self) {
        self.0.push(HashMap::new());
    }

    pub fn leave(&mut self) {
        self.0.pop();
    }

    fn declare(&mut self, name: &str, variable: Option<Variable>) {
        if self.0.is_empty() {
            self.enter();
        }
        if let Some(scope) = self.0.last_mut() {
            scope.insert(name.to_string(), variable);
        }
    }

    pub fn get(&self, name: &str) -> Option<&Variable> {
        self.0.iter().rev().find_map(|scope| scope.get(name))?.as_ref()
    }
}

/// An element of an array, or a variable: `base[subscripts[0]][…]`.
#[derive(Clone, Debug)]
pub struct Place {
    /// The variable that it is in.
    pub name: String,
    pub base: Pieces,
    pub subscripts: Vec<Pieces>,
    /// All of the base's.
    pub dims: Vec<Dim>,
    pub element: Base,
    pub words: String,
    /// The base is an argument of the function by its name.
    pub is_parameter: bool,
}

impl Variable {
    /// Gives an array that is as long as its initializer that extent.
    fn begin(&mut self, first: &Initializer) {
        let Some((outer, inner)) = self.dims.split_first_mut().filter(|(outer, _)| outer.extent.is_none()) else {
            return;
        };
        let numbers = inner.iter().try_fold(1u64, |all, dim| all.checked_mul(dim.extent.as_ref()?.number()?));
        let numbers = numbers.filter(|_| matches!(self.base, Base::Number(_)));
        let is_character = matches!(&self.base, Base::Number(ty) if ty.is_character());
        let extent = match first {
            Initializer::List(items) => rows(items, numbers),
            Initializer::Expression(text) if is_character && numbers == Some(1) => length(text).map(|all| all as u64),
            Initializer::Expression(_) => None,
        };
        outer.extent = extent.map(Product::of);
    }
}

impl Writer<'_, '_> {
    pub fn declare(&mut self, declaration: &Declaration) {
        if is_typedef(declaration) {
            return;
        }
        for declarator in &declaration.declarators {
            let Some(name) = identifier(&declarator.node.declarator.node) else { continue };
            let mut variable = self.variable(&declaration.specifiers, &declarator.node.declarator);
            let parts = derived(&declarator.node.declarator);
            let is_array = parts.first().is_some_and(|part| matches!(part.node, DerivedDeclarator::Array(_)));
            if let (Some(first), Some(variable), true) = (&declarator.node.initializer, &mut variable, is_array) {
                variable.begin(&first.node);
            }
            self.variables.declare(&name.node.name, variable);
        }
    }

    pub fn declare_parameters(&mut self, function: &FunctionDefinition) {
        let prototype = derived(&function.declarator).into_iter().find_map(|part| match &part.node {
            DerivedDeclarator::Function(prototype) => Some(prototype),
            _ => None,
        });
        for parameter in prototype.iter().flat_map(|prototype| &prototype.node.parameters) {
            let Some(declarator) = &parameter.node.declarator else { continue };
            let Some(name) = identifier(&declarator.node) else { continue };
            let variable = self.variable(&parameter.node.specifiers, declarator);
            let variable = variable.map(|variable| Variable { is_parameter: true, ..variable });
            self.variables.declare(&name.node.name, variable);
        }
    }

    fn variable(
        &mut self,
        specifiers: &[Node<DeclarationSpecifier>],
        declarator: &Node<Declarator>,
    ) -> Option<Variable> {
        let named = type_specifiers(specifiers);
        let (base, words) = match self.records.of_known(&named) {
            Some(record) => {
                let words: Pieces = named.iter().flat_map(|specifier| self.pieces(specifier.span)).collect();
                (Base::Record(record), joined(&words))
            }
            None => {
                let ty = self.types.of_declaration(specifiers);
                ty.arithmetic()?;
                (Base::Number(ty.clone()), type_words(&ty).to_string())
            }
        };
        let mut dims = vec![];
        for (k, part) in derived(declarator).into_iter().enumerate() {
            let extent = match &part.node {
                DerivedDeclarator::Pointer(_) if k == 0 => None,
                DerivedDeclarator::Array(array) => match &array.node.size {
                    ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => {
                        let extent = self.product(size).ok()?;
                        let mut words = extent.factors.iter().flatten().map(|(word, _)| word);
                        Some(extent.clone()).filter(|_| !words.any(|word| self.unsteady.contains(word)))
                    }
                    _ if k == 0 => None,
                    _ => return None,
                },
                _ => return None,
            };
            dims.push(Dim { extent });
        }
        Some(Variable { base, words, dims, is_parameter: false })
    }

    /// What an expression that can be assigned to names; it may be a row.
    pub fn place(&self, node: &Node<Expression>) -> Option<Place> {
        match &node.node {
            Expression::Identifier(name) => {
                let Variable { base, words, dims, is_parameter } = self.variables.get(&name.node.name)?.clone();
                let (own, name) = (self.pieces(name.span), name.node.name.clone());
                Some(Place { name, base: own, subscripts: vec![], dims, element: base, words, is_parameter })
            }
            Expression::BinaryOperator(o) if o.node.operator.node == BinaryOperator::Index => {
                match self.place(&o.node.lhs).filter(|place| place.subscripts.len() < place.dims.len()) {
                    Some(mut place) => {
                        place.subscripts.push(self.expression(&o.node.rhs));
                        Some(place)
                    }
                    None => self.pointer(&o.node.lhs)?.moved("+", self.expression(&o.node.rhs)),
                }
            }
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                self.pointer(&unary.node.operand)
            }
            Expression::Member(member) => {
                let outer = match member.node.operator.node {
                    MemberOperator::Direct => self.place(&member.node.expression)?,
                    MemberOperator::Indirect => self.pointer(&member.node.expression)?,
                };
                let Base::Record(record) = outer.element else { return None };
                (outer.subscripts.len() == outer.dims.len()).then_some(())?;
                let number = self.records.member(record, &member.node.identifier.node.name)?;
                let own = &self.records.all[record].members[number];
                let words = match &own.base {
                    Base::Number(ty) => type_words(ty).to_string(),
                    Base::Record(inner) => self.records.all[*inner].name.trim_matches('`').to_string(),
                };
                let dims = own.extents.iter().map(|extent| Dim { extent: Some(Product::of(*extent)) }).collect();
                let (base, element) = (self.expression(node), own.base.clone());
                Some(Place { name: outer.name, base, subscripts: vec![], dims, element, words, is_parameter: false })
            }
            _ => None,
        }
    }

    /// What a pointer points to first: an element, in whose last subscript it moves, or a variable.
    pub fn pointer(&self, node: &Node<Expression>) -> Option<Place> {
        match &node.node {
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address => {
                let place = self.place(&unary.node.operand)?;
                Some(if place.subscripts.is_empty() && !place.dims.is_empty() { place.first(node.span) } else { place })
            }
            Expression::BinaryOperator(o)
                if matches!(o.node.operator.node, BinaryOperator::Plus | BinaryOperator::Minus) =>
            {
                let sign = if o.node.operator.node == BinaryOperator::Plus { "+" } else { "-" };
                match self.pointer(&o.node.lhs) {
                    Some(place) => place.moved(sign, self.expression(&o.node.rhs)),
                    None if sign == "+" => self.pointer(&o.node.rhs)?.moved(sign, self.expression(&o.node.lhs)),
                    None => None,
                }
            }
            _ => {
                let place = self.place(node).filter(|place| place.subscripts.len() < place.dims.len())?;
                Some(place.first(node.span))
            }
        }
    }
}

impl Place {
    /// The first element of a row.
    fn first(mut self, at: ByteSpan) -> Place {
        self.subscripts.push(vec![("0".into(), at)]);
        self
    }

    /// So many elements further on.
    fn moved(mut self, sign: &str, by: Pieces) -> Option<Place> {
        let last = self.subscripts.last_mut()?;
        *last = added(last, sign, &by);
        Some(self)
    }
}

/// Whether it is the number 0.
pub fn is_zero(pieces: &Pieces) -> bool {
    joined(pieces) == "0"
}

/// The text of a sum or difference.
pub fn added(left: &Pieces, sign: &str, right: &Pieces) -> Pieces {
    if is_zero(right) {
        return left.clone();
    }
    if is_zero(left) && sign == "+" {
        return right.clone();
    }
    let at = right.first().map_or(ByteSpan::span(0, 0), |(_, at)| *at);
    let word = |text: &str| vec![(text.to_string(), at)];
    let right = if right.len() == 1 { right.clone() } else { [word("("), right.clone(), word(")")].concat() };
    let left = if left.len() == 1 { left.clone() } else { [word("("), left.clone(), word(")")].concat() };
    [left, word(sign), right].concat()
}
