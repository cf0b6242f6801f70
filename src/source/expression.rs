//! Expressions with C11's conversions made explicit (6.3.1 and 6.5), under the rules of LP64.

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, Constant, Expression, Integer, IntegerBase, IntegerSize, UnaryOperator,
};
use lang_c::span::Node;

use super::affine_expression::Role;
use super::evaluate::{evaluate, wrap};
use super::kernel::{Access, BinaryOp, Expr, IntType, UnaryOp};
use super::scope::{Checked, Name, Scope};
use super::types::CType;
use crate::affine::Affine;
use crate::diagnostic::Diagnostic;

const INT: IntType = IntType::I32;

/// Integer promotion (6.3.1.1): everything narrower than `int` becomes `int`.
pub fn promoted(ty: IntType) -> IntType {
    if ty.bits < 32 { INT } else { ty }
}

/// The usual arithmetic conversions (6.3.1.8).
pub fn common(left: IntType, right: IntType) -> IntType {
    let (left, right) = (promoted(left), promoted(right));
    IntType {
        bits: left.bits.max(right.bits),
        // Of two types, the wider one's signedness wins; of two equally wide ones, the unsigned.
        signed: match left.bits.cmp(&right.bits) {
            std::cmp::Ordering::Less => right.signed,
            std::cmp::Ordering::Greater => left.signed,
            std::cmp::Ordering::Equal => left.signed && right.signed,
        },
    }
}

/// `operand` converted to `ty`.
pub fn convert(operand: Expr, ty: IntType) -> Expr {
    if operand.ty() == ty { operand } else { folded(Expr::Cast { operand: Box::new(operand), ty }) }
}

/// `left op right` after the operator's conversions.
fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let (left, right, ty) = match op {
        BinaryOp::LogicalAnd | BinaryOp::LogicalOr => (left, right, INT),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            let (x, y) = (promoted(left.ty()), promoted(right.ty()));
            (convert(left, x), convert(right, y), x)
        }
        _ => {
            let ty = common(left.ty(), right.ty());
            let compares = matches!(op, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Equal | BinaryOp::NotEqual);
            (convert(left, ty), convert(right, ty), if compares { INT } else { ty })
        }
    };
    folded(Expr::Binary { op, left: Box::new(left), right: Box::new(right), ty })
}

fn unary(op: UnaryOp, operand: Expr) -> Expr {
    let (operand, ty) = match op {
        UnaryOp::Not => (operand, INT),
        UnaryOp::Negate | UnaryOp::Complement => {
            let ty = promoted(operand.ty());
            (convert(operand, ty), ty)
        }
    };
    folded(Expr::Unary { op, operand: Box::new(operand), ty })
}

/// An expression of constants becomes one.
fn folded(expr: Expr) -> Expr {
    if expr.operands().into_iter().all(|operand| matches!(operand, Expr::Constant { .. })) {
        Expr::Constant { value: evaluate(&expr, &mut |_| 0, &|_| 0, &|_| 0), ty: expr.ty() }
    } else {
        expr
    }
}

impl Scope<'_> {
    pub fn expression(&self, node: &Node<Expression>) -> Checked<Expr> {
        let refuse = |message: &str, label: &str, help: &str| {
            Err(Diagnostic::new(message).at(self.span(node.span), label).help(help))
        };
        match &node.node {
            Expression::Identifier(name) => self.name(&name.node.name, node),
            Expression::Constant(constant) => self.literal(&constant.node, node),
            Expression::UnaryOperator(unary_node) => {
                let operand = &unary_node.node.operand;
                let op = match unary_node.node.operator.node {
                    UnaryOperator::Plus => {
                        let operand = self.expression(operand)?;
                        let ty = promoted(operand.ty());
                        return Ok(convert(operand, ty));
                    }
                    UnaryOperator::Minus => UnaryOp::Negate,
                    UnaryOperator::Complement => UnaryOp::Complement,
                    UnaryOperator::Negate => UnaryOp::Not,
                    UnaryOperator::Address | UnaryOperator::Indirection => {
                        return refuse(
                            "pointers are not supported",
                            "pointer",
                            "access arrays by subscripts: `a[i]` instead of `*(a + i)`",
                        );
                    }
                    UnaryOperator::PostIncrement
                    | UnaryOperator::PostDecrement
                    | UnaryOperator::PreIncrement
                    | UnaryOperator::PreDecrement => {
                        return refuse(
                            "an expression changes a variable",
                            "side effect",
                            "make it a statement of its own",
                        );
                    }
                };
                Ok(unary(op, self.expression(operand)?))
            }
            Expression::BinaryOperator(operation) => self.operation(&operation.node, node),
            Expression::Cast(cast) => {
                let operand = self.expression(&cast.node.expression)?;
                match self.types.of_name(&cast.node.type_name.node) {
                    CType::Int(ty) => Ok(convert(operand, ty)),
                    other => Err(Diagnostic::new(format!("a cast to {other}: integers only for now"))
                        .at(self.span(cast.node.type_name.span), "not an integer type")
                        .help("use one of <stdint.h>'s types")),
                }
            }
            Expression::Conditional(conditional) => {
                let condition = self.expression(&conditional.node.condition)?;
                let then = self.expression(&conditional.node.then_expression)?;
                let otherwise = self.expression(&conditional.node.else_expression)?;
                let ty = common(then.ty(), otherwise.ty());
                let (then, otherwise) = (convert(then, ty), convert(otherwise, ty));
                if let Expr::Constant { value, .. } = condition {
                    return Ok(if value != 0 { then } else { otherwise });
                }
                Ok(Expr::Select {
                    condition: Box::new(condition),
                    then: Box::new(then),
                    otherwise: Box::new(otherwise),
                    ty,
                })
            }
            Expression::Call(_) => refuse(
                "function calls are not supported",
                "call",
                "write the function's expression out; `c ? x : y` serves for minima, maxima and the like",
            ),
            Expression::Comma(_) => {
                refuse("the comma operator is not supported", "`,`", "write one statement for each part")
            }
            Expression::SizeOfTy(_) | Expression::SizeOfVal(_) | Expression::AlignOf(_) | Expression::OffsetOf(_) => {
                refuse("`sizeof` and its kin are not supported", "not supported", "write the number")
            }
            Expression::StringLiteral(_) => refuse("a string is not an integer", "string", "integers only"),
            Expression::Member(_) => {
                refuse("structures are not supported", "member of a structure", "use one array for each member")
            }
            _ => refuse("burstc cannot compile this expression", "not supported", "use C's integer operators"),
        }
    }

    /// The value of an expression that must be constant.
    pub fn constant(&self, node: &Node<Expression>) -> Checked<i64> {
        match self.expression(node)? {
            Expr::Constant { value, ty } if ty.signed || value >= 0 => Ok(value),
            _ => Err(Diagnostic::new("this is not a constant below 2^63").at(self.span(node.span), "here")),
        }
    }

    fn name(&self, name: &str, node: &Node<Expression>) -> Checked<Expr> {
        match self.lookup(name) {
            Some(Name::Iterator(ty) | Name::Parameter(ty)) => Ok(Expr::Index { value: Affine::variable(name), ty }),
            Some(Name::Scalar(scalar, ty)) => Ok(Expr::Scalar { scalar, ty }),
            Some(Name::Enumerator(value)) => Ok(Expr::Constant { value, ty: INT }),
            Some(Name::Array(array)) => {
                let subscripts: String = self.arrays[array].extents.iter().map(|_| "[…]").collect();
                Err(Diagnostic::new(format!("the array `{name}` is used without subscripts"))
                    .at(self.span(node.span), "an array, not an element")
                    .help(format!("write `{name}{subscripts}`")))
            }
            Some(Name::Local(_)) => Err(self.local(name, node)),
            None => Err(self.unknown(name, node)),
        }
    }

    fn operation(&self, operation: &BinaryOperatorExpression, node: &Node<Expression>) -> Checked<Expr> {
        let (lhs, rhs) = (&*operation.lhs, &*operation.rhs);
        let (op, swapped) = match operation.operator.node {
            BinaryOperator::Index => {
                let access = self.access(node)?;
                let ty = self.arrays[access.array].element;
                return Ok(Expr::Read { access, ty });
            }
            BinaryOperator::Greater => (BinaryOp::Less, true),
            BinaryOperator::GreaterOrEqual => (BinaryOp::LessEqual, true),
            ref operator => match operator_of(operator) {
                Some(op) => (op, false),
                None => {
                    return Err(Diagnostic::new("an expression assigns")
                        .at(self.span(node.span), "side effect")
                        .help("make the assignment a statement of its own"));
                }
            },
        };
        let (left, right) = (self.expression(lhs)?, self.expression(rhs)?);
        let (left, right) = if swapped { (right, left) } else { (left, right) };
        self.checked_binary(op, left, right, rhs)
    }

    /// `left op right`; refuses what C leaves undefined where a constant `right`, written at `place`, shows it.
    pub fn checked_binary(&self, op: BinaryOp, left: Expr, right: Expr, place: &Node<Expression>) -> Checked<Expr> {
        if let Expr::Constant { value, ty } = &right {
            let width = promoted(left.ty()).bits;
            let problem = match op {
                BinaryOp::Divide | BinaryOp::Remainder if *value == 0 => "a division by zero".to_string(),
                BinaryOp::ShiftLeft | BinaryOp::ShiftRight if !(0..width as i64).contains(value) => {
                    let value = if ty.signed { value.to_string() } else { (*value as u64).to_string() };
                    format!("a value of {width} bits is shifted by {value}")
                }
                _ => return Ok(binary(op, left, right)),
            };
            return Err(Diagnostic::new(format!("{problem}, which C leaves undefined"))
                .at(self.span(place.span), "here")
                .help("C gives it no value, so hardware cannot compute one"));
        }
        Ok(binary(op, left, right))
    }

    /// An array element, `a[i][j]`.
    pub fn access(&self, node: &Node<Expression>) -> Checked<Access> {
        let mut subscripts = Vec::new();
        let mut base = node;
        while let Expression::BinaryOperator(operation) = &base.node
            && operation.node.operator.node == BinaryOperator::Index
        {
            subscripts.push(&*operation.node.rhs);
            base = &operation.node.lhs;
        }
        subscripts.reverse();
        let array = match &base.node {
            Expression::Identifier(name) => match self.lookup(&name.node.name) {
                Some(Name::Array(array)) => array,
                Some(_) => {
                    return Err(Diagnostic::new(format!("`{}` has subscripts but is no array", name.node.name))
                        .at(self.span(base.span), "not an array")
                        .help("write the array first and its subscripts after it, as in `a[i][j]`"));
                }
                None => return Err(self.unknown(&name.node.name, base)),
            },
            _ => {
                return Err(Diagnostic::new("subscripts of something that is no array of the kernel's arguments")
                    .at(self.span(base.span), "not an array")
                    .help("write the array's name and its subscripts after it, as in `a[i][j]`"));
            }
        };
        let declared = &self.arrays[array];
        let (wanted, given) = (declared.extents.len(), subscripts.len());
        if wanted != given {
            let plural = |count: usize| if count == 1 { "" } else { "s" };
            return Err(Diagnostic::new(format!(
                "the array `{}` has {wanted} dimension{} and is given {given} subscript{}",
                declared.name,
                plural(wanted),
                plural(given)
            ))
            .at(self.span(node.span), format!("{given} subscript{}", plural(given)))
            .help("give one subscript for each dimension"));
        }
        let subscripts = subscripts.into_iter().map(|subscript| self.affine(subscript, Role::Subscript));
        Ok(Access { array, subscripts: subscripts.collect::<Checked<_>>()?, span: self.span(node.span) })
    }

    fn literal(&self, constant: &Constant, node: &Node<Expression>) -> Checked<Expr> {
        let refuse = |message: String, help: &str| {
            Err(Diagnostic::new(message).at(self.span(node.span), "this constant").help(help))
        };
        match constant {
            Constant::Integer(integer) => match self.integer(integer) {
                Some(expr) => Ok(expr),
                None => refuse("this integer constant fits no type".into(), "constants are at most 64 bits wide"),
            },
            Constant::Float(_) => {
                refuse("a floating-point constant: integers only for now".into(), "scale to fixed point")
            }
            Constant::Character(text) => match character(text) {
                Some(value) => Ok(Expr::Constant { value: wrap(value, self.types.char), ty: INT }),
                None => {
                    refuse(format!("the character constant {text} is not supported"), "write its value as a number")
                }
            },
        }
    }

    /// The value and type of an integer constant (6.4.4.1); `None` where no type holds it.
    fn integer(&self, integer: &Integer) -> Option<Expr> {
        let radix = match integer.base {
            IntegerBase::Decimal => 10,
            IntegerBase::Octal => 8,
            IntegerBase::Hexadecimal => 16,
            IntegerBase::Binary => 2,
        };
        let value = u64::from_str_radix(&integer.number, radix).ok()?;
        let least = match integer.suffix.size {
            IntegerSize::Int => 32,
            IntegerSize::Long => self.types.long.bits,
            IntegerSize::LongLong => 64,
        };
        let only_unsigned = integer.suffix.unsigned;
        let may_be_unsigned = only_unsigned || integer.base != IntegerBase::Decimal;
        if integer.suffix.imaginary {
            return None;
        }
        for bits in [32u32, 64].into_iter().filter(|bits| *bits >= least) {
            for signed in [true, false] {
                let allowed = if signed { !only_unsigned } else { may_be_unsigned };
                if allowed && value.checked_shr(bits - signed as u32).unwrap_or(0) == 0 {
                    return Some(Expr::Constant { value: value as i64, ty: IntType { bits, signed } });
                }
            }
        }
        None
    }
}

/// The operator of a C operator that needs no special care.
fn operator_of(operator: &BinaryOperator) -> Option<BinaryOp> {
    Some(match operator {
        BinaryOperator::Multiply => BinaryOp::Multiply,
        BinaryOperator::Divide => BinaryOp::Divide,
        BinaryOperator::Modulo => BinaryOp::Remainder,
        BinaryOperator::Plus => BinaryOp::Add,
        BinaryOperator::Minus => BinaryOp::Subtract,
        BinaryOperator::ShiftLeft => BinaryOp::ShiftLeft,
        BinaryOperator::ShiftRight => BinaryOp::ShiftRight,
        BinaryOperator::Less => BinaryOp::Less,
        BinaryOperator::LessOrEqual => BinaryOp::LessEqual,
        BinaryOperator::Equals => BinaryOp::Equal,
        BinaryOperator::NotEquals => BinaryOp::NotEqual,
        BinaryOperator::BitwiseAnd => BinaryOp::And,
        BinaryOperator::BitwiseXor => BinaryOp::Xor,
        BinaryOperator::BitwiseOr => BinaryOp::Or,
        BinaryOperator::LogicalAnd => BinaryOp::LogicalAnd,
        BinaryOperator::LogicalOr => BinaryOp::LogicalOr,
        _ => return None,
    })
}

/// The code of `'x'`; `None` for prefixes and for several characters.
fn character(text: &str) -> Option<i64> {
    let inside = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let Some(escape) = inside.strip_prefix('\\') else {
        let mut characters = inside.chars();
        let first = characters.next()?;
        return (characters.next().is_none() && first.is_ascii()).then_some(first as i64);
    };
    let simple = |code: u8| (escape.chars().count() == 1).then_some(code as i64);
    match escape.chars().next()? {
        'n' => simple(b'\n'),
        't' => simple(b'\t'),
        'r' => simple(b'\r'),
        'a' => simple(7),
        'b' => simple(8),
        'v' => simple(11),
        'f' => simple(12),
        'e' => simple(27),
        '\\' => simple(b'\\'),
        '\'' => simple(b'\''),
        '"' => simple(b'"'),
        '?' => simple(b'?'),
        'x' => i64::from_str_radix(&escape[1..], 16).ok().filter(|code| (0..256).contains(code)),
        '0'..='7' => i64::from_str_radix(escape, 8).ok().filter(|code| (0..256).contains(code)),
        _ => None,
    }
}
