//! Subscripts, loop bounds and extents: C expressions that must be affine.

use std::fmt;

use lang_c::ast::{BinaryOperator, Expression, UnaryOperator};
use lang_c::span::Node;

use super::kernel::Expr;
use super::scope::{Checked, Name, Scope};
use super::types::CType;
use crate::affine::Affine;
use crate::diagnostic::Diagnostic;

/// What the expression is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Subscript,
    Bound,
    Extent,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Subscript => "subscript",
            Role::Bound => "loop bound",
            Role::Extent => "array extent",
        })
    }
}

/// No number in an affine expression is larger: sums and products of sizes then stay far inside 64 bits.
pub const LARGEST: i64 = 1 << 40;

/// `left + right * factor`, or `None` where a number exceeds [`LARGEST`].
pub fn plus(left: Affine, right: Affine, factor: i64) -> Option<Affine> {
    let right = times(right, factor)?;
    let sum = left + right;
    within(&sum).then_some(sum)
}

/// `value * factor`, or `None` where a number exceeds [`LARGEST`].
pub fn times(value: Affine, factor: i64) -> Option<Affine> {
    let numbers = value.terms.values().chain([&value.constant]);
    let fits = numbers.map(|c| c.checked_mul(factor)).all(|c| c.is_some_and(is_small));
    fits.then(|| value * factor)
}

fn within(value: &Affine) -> bool {
    value.terms.values().chain([&value.constant]).all(|c| is_small(*c))
}

fn is_small(number: i64) -> bool {
    (-LARGEST..=LARGEST).contains(&number)
}

impl Scope<'_> {
    /// The expression over the iterators and size parameters in scope.
    pub fn affine(&self, node: &Node<Expression>, role: Role) -> Checked<Affine> {
        let refuse = |why: &str, label: &str, help: &str| {
            Err(Diagnostic::new(format!("this {role} is not affine: {why}")).at(self.span(node.span), label).help(help))
        };
        let too_large = || {
            Diagnostic::new(format!("a number in this {role} is too large"))
                .at(self.span(node.span), "larger than 2^40 or smaller than -2^40")
                .help("use smaller constants")
        };
        match &node.node {
            Expression::Identifier(name) => self.affine_name(&name.node.name, node, role),
            Expression::Constant(_) | Expression::SizeOfTy(_) | Expression::SizeOfVal(_) => {
                let value = self.constant(node)?;
                if is_small(value) { Ok(Affine::constant(value)) } else { Err(too_large()) }
            }
            Expression::UnaryOperator(unary) => {
                let operand = &unary.node.operand;
                match unary.node.operator.node {
                    UnaryOperator::Plus => self.affine(operand, role),
                    UnaryOperator::Minus => Ok(-self.affine(operand, role)?),
                    UnaryOperator::PostIncrement
                    | UnaryOperator::PostDecrement
                    | UnaryOperator::PreIncrement
                    | UnaryOperator::PreDecrement => {
                        refuse("it changes a variable", "side effect", "change nothing inside an expression")
                    }
                    UnaryOperator::Address | UnaryOperator::Indirection => {
                        refuse("it uses a pointer", "pointer", "use array subscripts and integers only")
                    }
                    UnaryOperator::Complement | UnaryOperator::Negate => self.folded(node, role, "it uses bits"),
                }
            }
            Expression::BinaryOperator(binary) => {
                let (lhs, rhs) = (&*binary.node.lhs, &*binary.node.rhs);
                match binary.node.operator.node {
                    BinaryOperator::Plus => {
                        plus(self.affine(lhs, role)?, self.affine(rhs, role)?, 1).ok_or_else(too_large)
                    }
                    BinaryOperator::Minus => {
                        plus(self.affine(lhs, role)?, self.affine(rhs, role)?, -1).ok_or_else(too_large)
                    }
                    BinaryOperator::Multiply => {
                        let (left, right) = (self.affine(lhs, role)?, self.affine(rhs, role)?);
                        match (left.is_constant(), right.is_constant()) {
                            (_, true) => times(left, right.constant).ok_or_else(too_large),
                            (true, _) => times(right, left.constant).ok_or_else(too_large),
                            _ => refuse(
                                "it multiplies variables",
                                "a product of two variables",
                                "one factor must be a constant; for a flattened array `a[i * N + j]`, \
                                 declare `a[N][N]` and write `a[i][j]`",
                            ),
                        }
                    }
                    BinaryOperator::ShiftLeft => {
                        let (left, right) = (self.affine(lhs, role)?, self.affine(rhs, role)?);
                        match right.constant {
                            amount @ 0..=40 if right.is_constant() => times(left, 1 << amount).ok_or_else(too_large),
                            _ => refuse("it shifts by a variable", "not a constant factor", "multiply by a constant"),
                        }
                    }
                    BinaryOperator::Divide => self.folded(node, role, "it divides"),
                    BinaryOperator::Modulo => self.folded(node, role, "it takes a remainder"),
                    BinaryOperator::ShiftRight => self.folded(node, role, "it shifts right"),
                    BinaryOperator::BitwiseAnd | BinaryOperator::BitwiseOr | BinaryOperator::BitwiseXor => {
                        self.folded(node, role, "it uses bits")
                    }
                    BinaryOperator::Index => refuse(
                        "it depends on the contents of an array",
                        "known only when the data are",
                        "use iterators and sizes only; data-dependent addresses are not supported",
                    ),
                    BinaryOperator::Less
                    | BinaryOperator::Greater
                    | BinaryOperator::LessOrEqual
                    | BinaryOperator::GreaterOrEqual
                    | BinaryOperator::Equals
                    | BinaryOperator::NotEquals
                    | BinaryOperator::LogicalAnd
                    | BinaryOperator::LogicalOr => self.folded(node, role, "it compares"),
                    _ => refuse("it assigns", "side effect", "change nothing inside an expression"),
                }
            }
            Expression::Cast(cast) => {
                let value = self.affine(&cast.node.expression, role)?;
                let bits = value.terms.keys().filter_map(|name| self.lookup(name)).map(|name| match name {
                    Name::Iterator(ty) | Name::Parameter(ty) => ty.bits,
                    _ => 64,
                });
                match self.types.of_name(&cast.node.type_name.node) {
                    CType::Int(ty) if !value.is_constant() && ty.bits >= bits.max().unwrap_or(0).max(32) => Ok(value),
                    CType::Int(_) if value.is_constant() => self.folded(node, role, "it casts"),
                    _ => refuse("it casts to a type that may not hold the value", "narrowing cast", "drop the cast"),
                }
            }
            Expression::Conditional(_) => refuse(
                "it chooses between two values",
                "`?:`",
                "for a smallest or largest bound, split the loop or write `i < N && i < M`",
            ),
            Expression::Call(_) => refuse("it calls a function", "call", "write the expression out"),
            Expression::Comma(_) => refuse("it is a sequence of expressions", "`,`", "write one expression"),
            _ => refuse("it uses what burstc cannot read", "not supported", "use iterators, sizes and constants only"),
        }
    }

    fn affine_name(&self, name: &str, node: &Node<Expression>, role: Role) -> Checked<Affine> {
        let span = self.span(node.span);
        match self.lookup(name) {
            Some(Name::Iterator(_) | Name::Parameter(_)) => Ok(Affine::variable(name)),
            Some(Name::Enumerator(value)) => Ok(Affine::constant(value)),
            Some(Name::Scalar(..)) => Err(Diagnostic::new(format!(
                "`{name}` is used in a {role}, but no loop bound and no array extent makes it a size"
            ))
            .at(span, "not a size")
            .help(format!("declare it one with `#pragma burstc size({name}: max …)` if it is never negative"))),
            Some(Name::Array(_)) => {
                Err(Diagnostic::new(format!("the array `{name}` is used in a {role} as if it were an integer"))
                    .at(span, "an array")
                    .help("use iterators, sizes and constants only"))
            }
            Some(Name::Local(_)) => Err(self.local(name, node)),
            None => Err(self.unknown(name, node)),
        }
    }

    /// An operator that is affine only where all of it is constant.
    fn folded(&self, node: &Node<Expression>, role: Role, why: &str) -> Checked<Affine> {
        match self.expression(node) {
            Ok(Expr::Constant { value, .. }) if is_small(value) => Ok(Affine::constant(value)),
            _ => Err(Diagnostic::new(format!("this {role} is not affine: {why}"))
                .at(self.span(node.span), "not affine")
                .help("it must be a sum of iterators and sizes with constant factors")),
        }
    }

    /// `name` is a local variable and no iterator here.
    pub fn local(&self, name: &str, node: &Node<Expression>) -> Diagnostic {
        Diagnostic::new(format!("`{name}` is a local variable and not the iterator of an enclosing loop"))
            .at(self.span(node.span), "local variable")
            .help("local variables are not supported yet: write the expression out, or keep the value in an array")
    }

    pub fn unknown(&self, name: &str, node: &Node<Expression>) -> Diagnostic {
        Diagnostic::new(format!("`{name}` is neither an argument of the kernel nor an iterator of an enclosing loop"))
            .at(self.span(node.span), "not known to the kernel")
            .help("pass it to the function as an argument; a constant may be a macro")
    }
}
