//! The values of C's constant expressions (6.6), on C's own tree, each computed in its type: `-1u` is 4294967295, `-1L` is -1.

use std::collections::HashMap;

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, Constant, Declarator, Enumerator, Expression, TranslationUnit,
    UnaryOperator,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::evaluate::wrap;
use super::expression::{binary, common, convert, convert_to, operator_of, promoted, truth, unary};
use super::function::identifier;
use super::kernel::{BinaryOp, Expr, ScalarType, UnaryOp};
use super::literal::{character, integer};
use super::types::{Types, enumerations};

/// What constant expressions of a file may name.
pub struct Constants<'t> {
    pub types: &'t Types,
    enumerators: HashMap<String, Expr>,
}

/// How often a file declares a name.
struct Declared(HashMap<String, usize>);

impl<'ast> Visit<'ast> for Declared {
    fn visit_enumerator(&mut self, enumerator: &'ast Enumerator, span: &'ast Span) {
        *self.0.entry(enumerator.identifier.node.name.clone()).or_default() += 1;
        visit::visit_enumerator(self, enumerator, span);
    }

    fn visit_declarator(&mut self, declarator: &'ast Declarator, span: &'ast Span) {
        if let Some(name) = identifier(declarator) {
            *self.0.entry(name.node.name.clone()).or_default() += 1;
        }
        visit::visit_declarator(self, declarator, span);
    }
}

impl<'t> Constants<'t> {
    /// Those of a file; a name that it declares twice may mean something else where it is read.
    pub fn of(unit: &TranslationUnit, types: &'t Types) -> Constants<'t> {
        let mut declared = Declared(HashMap::new());
        declared.visit_translation_unit(unit);
        let mut constants = Constants { types, enumerators: HashMap::new() };
        for enumeration in enumerations(unit) {
            let mut next = Some(0i128);
            for enumerator in enumeration {
                if let Some(value) = &enumerator.node.expression {
                    next = constants.number(value);
                }
                let name = &enumerator.node.identifier.node.name;
                if let Some(value) = next.and_then(|value| i32::try_from(value).ok())
                    && declared.0.get(name) == Some(&1)
                {
                    let value = Expr::Constant { value: value.into(), ty: ScalarType::I32 };
                    constants.enumerators.insert(name.clone(), value);
                }
                next = next.map(|value| value + 1);
            }
        }
        constants
    }

    /// The number that an integer constant expression is; `None` of what is none, or is not understood.
    pub fn number(&self, node: &Node<Expression>) -> Option<i128> {
        match self.value(node)? {
            Expr::Constant { value, ty } if ty.signed => Some(value.into()),
            Expr::Constant { value, .. } => Some((value as u64).into()),
            _ => None,
        }
    }

    /// The same as a constant of its type.
    fn value(&self, node: &Node<Expression>) -> Option<Expr> {
        let value = match &node.node {
            Expression::Identifier(name) => self.enumerators.get(&name.node.name)?.clone(),
            Expression::Constant(constant) => match &constant.node {
                Constant::Integer(own) => integer(own, self.types.long.bits)?,
                Constant::Character(text) => {
                    Expr::Constant { value: wrap(character(text)?, self.types.char), ty: ScalarType::I32 }
                }
                Constant::Float(_) => return None,
            },
            Expression::UnaryOperator(own) => {
                let operand = self.value(&own.node.operand)?;
                match own.node.operator.node {
                    UnaryOperator::Plus => {
                        let ty = promoted(operand.ty());
                        convert(operand, ty)
                    }
                    UnaryOperator::Minus => unary(UnaryOp::Negate, operand),
                    UnaryOperator::Complement => unary(UnaryOp::Complement, operand),
                    UnaryOperator::Negate => unary(UnaryOp::Not, operand),
                    _ => return None,
                }
            }
            Expression::Cast(cast) => {
                let ty = self.types.of_name(&cast.node.type_name.node);
                ty.integer()?;
                convert_to(self.value(&cast.node.expression)?, &ty)
            }
            Expression::Conditional(choice) => {
                let condition = truth(self.value(&choice.node.condition)?);
                let then = self.value(&choice.node.then_expression)?;
                let otherwise = self.value(&choice.node.else_expression)?;
                let ty = common(then.ty(), otherwise.ty());
                let Expr::Constant { value, .. } = condition else { return None };
                convert(if value == 0 { otherwise } else { then }, ty)
            }
            Expression::BinaryOperator(own) => self.operation(&own.node)?,
            _ => return None,
        };
        matches!(value, Expr::Constant { .. }).then_some(value)
    }

    /// `left op right`; `None` where C leaves the result undefined.
    fn operation(&self, own: &BinaryOperatorExpression) -> Option<Expr> {
        let (left, right) = (self.value(&own.lhs)?, self.value(&own.rhs)?);
        let (op, left, right) = match &own.operator.node {
            BinaryOperator::Greater => (BinaryOp::Less, right, left),
            BinaryOperator::GreaterOrEqual => (BinaryOp::LessEqual, right, left),
            operator => (operator_of(operator)?, left, right),
        };
        let Expr::Constant { value: by, .. } = right else { return None };
        let bits = i64::from(promoted(left.ty()).bits);
        let is_defined = match op {
            BinaryOp::Divide | BinaryOp::Remainder => by != 0,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => (0..bits).contains(&by),
            _ => true,
        };
        is_defined.then(|| binary(op, left, right))
    }
}
