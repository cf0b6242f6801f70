//! Expressions with C11's conversions made explicit (6.3.1 and 6.5), under the rules of LP64.

use lang_c::ast::{BinaryOperator, BinaryOperatorExpression, Expression, UnaryOperator};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::Visit;

use super::affine_expression::Role;
use super::evaluate::evaluate;
use super::extremum::{Extremum, all, negated};
use super::float;
use super::kernel::{Access, BinaryOp, Condition, Expr, Obligation, ScalarType, UnaryOp};
use super::plain::subscripted;
use super::scope::{Checked, Name, Scope};
use super::types::CType;
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};

const INT: ScalarType = ScalarType::I32;

/// Integer promotion (6.3.1.1): everything narrower than `int` becomes `int`.
pub fn promoted(ty: ScalarType) -> ScalarType {
    if ty.bits < 32 { INT } else { ty }
}

/// `operand` as a condition, which is an integer: `x != 0` of a floating-point number.
pub fn truth(operand: Expr) -> Expr {
    if operand.ty().floating {
        let zero = Expr::Constant { value: float::ZERO, ty: operand.ty() };
        binary(BinaryOp::NotEqual, operand, zero)
    } else {
        operand
    }
}

/// The usual arithmetic conversions (6.3.1.8).
pub fn common(left: ScalarType, right: ScalarType) -> ScalarType {
    match (left.floating, right.floating) {
        (true, true) => return if left.bits >= right.bits { left } else { right },
        (true, false) => return left,
        (false, true) => return right,
        (false, false) => {}
    }
    let (left, right) = (promoted(left), promoted(right));
    ScalarType {
        bits: left.bits.max(right.bits),
        // Of two types, the wider one's signedness wins; of two equally wide ones, the unsigned.
        signed: match left.bits.cmp(&right.bits) {
            std::cmp::Ordering::Less => right.signed,
            std::cmp::Ordering::Greater => left.signed,
            std::cmp::Ordering::Equal => left.signed && right.signed,
        },
        floating: false,
    }
}

/// `operand` converted to `ty`.
pub fn convert(operand: Expr, ty: ScalarType) -> Expr {
    if !ty.floating
        && let Some(whole) = whole_of(&operand)
    {
        return convert(whole, ty);
    }
    if operand.ty() == ty { operand } else { folded(Expr::Cast { operand: Box::new(operand), ty }) }
}

/// `operand` converted to a declared arithmetic type.
pub fn convert_to(operand: Expr, ty: &CType) -> Expr {
    match (ty, ty.arithmetic()) {
        (CType::Bool, Some(byte)) => {
            let zero = Expr::Constant { value: 0, ty: operand.ty() };
            convert(binary(BinaryOp::NotEqual, operand, zero), byte)
        }
        (_, Some(ty)) => convert(operand, ty),
        (_, None) => operand,
    }
}

/// Both sides of a comparison after their conversions to a common type; of two `double`s that are integers, as those.
pub fn comparable(left: Expr, right: Expr) -> (Expr, Expr) {
    let ty = common(left.ty(), right.ty());
    let (left, right) = (convert(left, ty), convert(right, ty));
    match (whole_of(&left), whole_of(&right)) {
        (Some(left), Some(right)) => (left, right),
        _ => (left, right),
    }
}

/// `left op right` after the operator's conversions.
pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let (left, right, ty) = match op {
        BinaryOp::LogicalAnd | BinaryOp::LogicalOr => (truth(left), truth(right), INT),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            let (x, y) = (promoted(left.ty()), promoted(right.ty()));
            (convert(left, x), convert(right, y), x)
        }
        _ => {
            let compares = matches!(op, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Equal | BinaryOp::NotEqual);
            if compares {
                let (left, right) = comparable(left, right);
                (left, right, INT)
            } else {
                let ty = common(left.ty(), right.ty());
                (convert(left, ty), convert(right, ty), ty)
            }
        }
    };
    folded(Expr::Binary { op, left: Box::new(left), right: Box::new(right), ty })
}

pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
    let (operand, ty) = match op {
        UnaryOp::Not | UnaryOp::OutOfRange => (truth(operand), INT),
        UnaryOp::Negate | UnaryOp::Complement | UnaryOp::Absolute | UnaryOp::SquareRoot => {
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

/// What a constant of type `double` is at most here, so that sums of such numbers are exact.
const MOST_WHOLE: f64 = (1u64 << 40) as f64;

/// The same number in 64 bits, where a `double` is an integer that iterators, sizes and constants make: `(double)i + 1`.
fn whole_of(expr: &Expr) -> Option<Expr> {
    const WIDE: ScalarType = ScalarType::integer(64, true);
    if expr.ty() != ScalarType::DOUBLE {
        return None;
    }
    match expr {
        Expr::Constant { value, .. } => {
            let value = f64::from_bits(*value as u64);
            (value.fract() == 0.0 && value.abs() <= MOST_WHOLE)
                .then_some(Expr::Constant { value: value as i64, ty: WIDE })
        }
        Expr::Cast { operand, .. } => {
            let is_exact = !operand.ty().floating && operand.ty().bits <= 32 && operand.reads().is_empty();
            is_exact.then(|| convert((**operand).clone(), WIDE))
        }
        Expr::Select { condition, then, otherwise, .. } => {
            let (then, otherwise) = (Box::new(whole_of(then)?), Box::new(whole_of(otherwise)?));
            Some(Expr::Select { condition: condition.clone(), then, otherwise, ty: WIDE })
        }
        Expr::Binary { op: op @ (BinaryOp::Add | BinaryOp::Subtract), left, right, .. } => {
            Some(binary(*op, whole_of(left)?, whole_of(right)?))
        }
        _ => None,
    }
}

/// How often a divisor is taken from what is divided by it, and once more.
const MOST_TURNS: i64 = 3;

impl Scope<'_> {
    /// `floor` or `ceil` of a constant, or of an affine number's quotient by a constant above 0, both of which are exact as `double`:
    /// of no number of 32 bits is the quotient rounded to another integer.
    pub fn rounded_quotient(&mut self, value: &Expr, up: bool, span: Span) -> Option<Expr> {
        if let Expr::Constant { value, ty: ty @ ScalarType::DOUBLE } = value {
            let value = f64::from_bits(*value as u64);
            let value = if up { value.ceil() } else { value.floor() };
            return Some(Expr::Constant { value: value.to_bits() as i64, ty: *ty });
        }
        let Expr::Binary { op: BinaryOp::Divide, left, right, ty: ScalarType::DOUBLE } = value else { return None };
        let (Expr::Cast { operand, .. }, Expr::Constant { value: divisor @ 1.., .. }) = (&**left, whole_of(right)?)
        else {
            return None;
        };
        let (number, obligations) = self.trial(|scope| scope.extremum(operand, span));
        let number = number.and_then(Extremum::affine)?;
        if !operand.ty().signed || operand.ty().bits > 32 || obligations.iter().any(Obligation::has_meaning) {
            return None;
        }
        let rounded = match up {
            true => self.quotient(number * -1, divisor, false, span) * -1,
            false => self.quotient(number, divisor, false, span),
        };
        self.definitions.entry((rounded.clone(), INT)).or_default().extend(obligations);
        Some(convert(Expr::Index { value: rounded, ty: INT }, ScalarType::DOUBLE))
    }

    pub fn expression(&mut self, node: &Node<Expression>) -> Checked<Expr> {
        let span = self.span(node.span);
        let refuse = |message: &str, label: &str, help: &str| Err(Diagnostic::new(message).at(span, label).help(help));
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
                            "use the names of arrays: `a[i]`, or `*(a + i)`",
                        );
                    }
                    // By 1.
                    _ => {
                        return refuse(
                            "an expression changes a variable",
                            "side effect",
                            "make it a statement of its own",
                        );
                    }
                };
                let value = self.expression(operand)?;
                if op == UnaryOp::Complement && value.ty().floating {
                    return refuse("an operator of integers has a floating-point operand", "here", "convert it first");
                }
                Ok(unary(op, value))
            }
            Expression::BinaryOperator(operation) => self.operation(&operation.node, node),
            Expression::Cast(cast) => match self.types.of_name(&cast.node.type_name.node) {
                ty if ty.arithmetic().is_some() => self.converted(&cast.node.expression, &ty),
                other => Err(Diagnostic::new(format!("a cast to {other}"))
                    .at(self.span(cast.node.type_name.span), "not an arithmetic type")
                    .help("use one of <stdint.h>'s types, `float` or `double`")),
            },
            Expression::Conditional(conditional) => {
                let condition = truth(self.expression(&conditional.node.condition)?);
                let (then, otherwise) = (&*conditional.node.then_expression, &*conditional.node.else_expression);
                let known = self.guard(&condition, &[then, otherwise], span);
                let (mut holds, mut fails) = (known.clone(), known.clone().map(negated));
                if known.is_none() {
                    holds = self.implied(&condition, true, &[then], span);
                    fails = self.implied(&condition, false, &[otherwise], span);
                }
                let then = self.guarded(holds, then)?;
                let otherwise = self.guarded(fails, otherwise)?;
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
            Expression::Call(call) => self.call(&call.node, node),
            Expression::Comma(_) => {
                refuse("the comma operator is not supported", "`,`", "write one statement for each part")
            }
            Expression::SizeOfTy(_) | Expression::SizeOfVal(_) | Expression::AlignOf(_) | Expression::OffsetOf(_) => {
                refuse("`sizeof` and its kin are not supported", "not supported", "write the number")
            }
            Expression::StringLiteral(_) => refuse("a string is not an integer", "string", "integers only"),
            Expression::Member(_) => refuse(
                "burstc cannot follow this structure",
                "member of a structure",
                "write the member as in `p[i].x`, of an argument or a local structure",
            ),
            _ => refuse("burstc cannot compile this expression", "not supported", "use C's integer operators"),
        }
    }

    /// An operand that C evaluates under `guard` only.
    pub fn guarded(&mut self, guard: Option<Condition>, node: &Node<Expression>) -> Checked<Expr> {
        let guards = self.guards.len();
        self.guards.extend(guard.clone());
        let value = self.under(guard, |scope| scope.expression(node));
        self.guards.truncate(guards);
        value
    }

    /// What is known of iterators and sizes where `condition` holds, if `operands` make use of it.
    fn guard(&mut self, condition: &Expr, operands: &[&Node<Expression>], span: Span) -> Option<Condition> {
        struct Subscripts(bool);
        impl<'ast> Visit<'ast> for Subscripts {
            fn visit_binary_operator(&mut self, operator: &'ast BinaryOperator, _: &'ast ByteSpan) {
                self.0 |= *operator == BinaryOperator::Index;
            }
        }
        let mut found = Subscripts(false);
        operands.iter().for_each(|operand| found.visit_expression(&operand.node, &operand.span));
        if found.0 { self.known_condition(condition, span) } else { None }
    }

    /// What is known where `condition` holds, or where it does not, of a condition that data decide, too: the parts that `&&` or `||` join.
    fn implied(
        &mut self,
        condition: &Expr,
        holds: bool,
        operands: &[&Node<Expression>],
        span: Span,
    ) -> Option<Condition> {
        if let Some(known) = self.guard(condition, operands, span) {
            return Some(if holds { known } else { negated(known) });
        }
        match condition {
            Expr::Binary { op: op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), left, right, .. }
                if holds == (*op == BinaryOp::LogicalAnd) =>
            {
                let parts = [left, right].map(|part| self.implied(part, holds, operands, span));
                let parts: Vec<Condition> = parts.into_iter().flatten().collect();
                (!parts.is_empty()).then(|| all(parts))
            }
            _ => None,
        }
    }

    /// The expression's value as one of the arithmetic type `ty`.
    pub fn converted(&mut self, node: &Node<Expression>, ty: &CType) -> Checked<Expr> {
        if ty.integer().is_some() && self.is_double(node) {
            // Integers compute the same where all values are whole.
            if let Ok(value) = self.truncated(node, ty) {
                return Ok(value);
            }
        }
        Ok(convert_to(self.expression(node)?, ty))
    }

    /// The value of an expression that must be constant.
    pub fn constant(&mut self, node: &Node<Expression>) -> Checked<i64> {
        match self.expression(node)? {
            Expr::Constant { value, ty } if !ty.floating && (ty.signed || value >= 0) => Ok(value),
            _ => Err(Diagnostic::new("this is not a constant below 2^63").at(self.span(node.span), "here")),
        }
    }

    fn name(&mut self, name: &str, node: &Node<Expression>) -> Checked<Expr> {
        match self.lookup(name) {
            Some(Name::Iterator(value, ty)) => Ok(Expr::Index { value, ty }),
            Some(Name::Parameter(ty)) => Ok(Expr::Index { value: Affine::variable(name), ty }),
            Some(Name::Scalar(scalar, ty)) => Ok(Expr::Scalar { scalar, ty }),
            Some(Name::Value(value)) => Ok(value),
            Some(Name::Array(array)) if self.arrays[array].extents.is_empty() => {
                let access = Access { array, subscripts: vec![], guard: None, span: self.span(node.span) };
                Ok(Expr::Read { access, ty: self.arrays[array].element })
            }
            Some(Name::Array(array)) => {
                let subscripts: String = self.arrays[array].extents.iter().map(|_| "[…]").collect();
                Err(Diagnostic::new(format!("the array `{name}` is used without subscripts"))
                    .at(self.span(node.span), "an array, not an element")
                    .help(format!("write `{name}{subscripts}`")))
            }
            Some(Name::Table(table)) => {
                Err(Diagnostic::new(format!("the array `{}` is used without subscripts", table.name))
                    .at(self.span(node.span), "an array, not an element")
                    .help("give it one subscript for each dimension"))
            }
            Some(Name::Counter(_) | Name::Unset | Name::Unknown) => Err(self.local(name, node)),
            None => Err(self.unknown(name, node)),
        }
    }

    fn operation(&mut self, operation: &BinaryOperatorExpression, node: &Node<Expression>) -> Checked<Expr> {
        let (lhs, rhs) = (&*operation.lhs, &*operation.rhs);
        let (op, swapped) = match operation.operator.node {
            BinaryOperator::Index => {
                if let Some(table) = self.table_of(node) {
                    return self.table_read(&table, node);
                }
                let access = match self.access(node) {
                    Ok(access) => access,
                    Err(refused) => {
                        let chosen = self.chosen_read(node);
                        return chosen.or_else(|| self.gather(node)).unwrap_or(Err(refused));
                    }
                };
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
        let compares = matches!(op, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Equal | BinaryOp::NotEqual);
        if compares && (self.is_double(lhs) || self.is_double(rhs)) {
            let (first, second) = if swapped { (rhs, lhs) } else { (lhs, rhs) };
            if let Ok(value) = self.compared_doubles(op, first, second) {
                return Ok(value);
            }
        }
        let left = self.expression(lhs)?;
        let known = match op {
            BinaryOp::LogicalAnd => self.guard(&left, &[rhs], self.span(lhs.span)),
            BinaryOp::LogicalOr => self.guard(&left, &[rhs], self.span(lhs.span)).map(negated),
            _ => None,
        };
        let right = self.guarded(known, rhs)?;
        let (left, right) = if swapped { (right, left) } else { (left, right) };
        if op == BinaryOp::Remainder
            && let Some(value) = self.turned(&left, &right, self.span(node.span))
        {
            return Ok(value);
        }
        self.checked_binary(op, left, right, rhs)
    }

    /// `left % right` without a division, where loops and sizes tell that it is `left`, or that less `right` once or twice: the
    /// neighbours `(i + 1) % n` and `(i + d + n) % n` of a periodic grid.
    fn turned(&mut self, left: &Expr, right: &Expr, span: Span) -> Option<Expr> {
        if matches!(right, Expr::Constant { .. }) || left.ty().floating || right.ty().floating {
            return None;
        }
        let (sides, obligations) = self.trial(|scope| {
            let (left, right) = (scope.exactly(left, span)?.affine()?, scope.exactly(right, span)?.affine()?);
            Some((left, right))
        });
        let (x, y) = sides.filter(|_| !obligations.iter().any(Obligation::has_meaning))?;
        // Below so many times the divisor.
        let is_below = |times: i64| self.non_negative(&(y.clone() * times - x.clone() - Affine::constant(1)));
        let times = (1..=MOST_TURNS).find(|times| is_below(*times)).filter(|_| self.non_negative(&x))?;
        let mut all = vec![left.clone()];
        for _ in 1..times {
            let last = all.last().cloned()?;
            all.push(binary(BinaryOp::Subtract, last, right.clone()));
        }
        let ty = binary(BinaryOp::Subtract, left.clone(), right.clone()).ty();
        let mut value = convert(all.pop()?, ty);
        for less in all.into_iter().rev() {
            value = Expr::Select {
                condition: Box::new(binary(BinaryOp::Less, less.clone(), right.clone())),
                then: Box::new(convert(less, ty)),
                otherwise: Box::new(value),
                ty,
            };
        }
        Some(value)
    }

    /// `left op right`; refuses what C leaves undefined where a constant `right`, written at `place`, shows it.
    pub fn checked_binary(&self, op: BinaryOp, left: Expr, right: Expr, place: &Node<Expression>) -> Checked<Expr> {
        let of_integers = matches!(
            op,
            BinaryOp::Remainder
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::ShiftLeft
                | BinaryOp::ShiftRight
        );
        if of_integers && (left.ty().floating || right.ty().floating) {
            return Err(Diagnostic::new("an operator of integers has a floating-point operand")
                .at(self.span(place.span), "here")
                .help("convert it first, as in `(int)x % 3`"));
        }
        if let Expr::Constant { value, ty } = &right {
            let width = promoted(left.ty()).bits;
            let problem = match op {
                BinaryOp::Divide | BinaryOp::Remainder if *value == 0 && !ty.floating && !left.ty().floating => {
                    "a division by zero".to_string()
                }
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
    pub fn access(&mut self, node: &Node<Expression>) -> Checked<Access> {
        self.choice = None;
        let (base, subscripts) = subscripted(node);
        let array = match &base.node {
            Expression::Identifier(name) => match self.lookup(&name.node.name) {
                Some(Name::Array(array)) if !self.arrays[array].extents.is_empty() => array,
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
        let subscripts = subscripts.collect::<Checked<_>>()?;
        let guard = (!self.guards.is_empty()).then(|| all(self.guards.clone()));
        Ok(Access { array, subscripts, guard, span: self.span(node.span) })
    }
}

/// The operator of a C operator that needs no special care.
pub fn operator_of(operator: &BinaryOperator) -> Option<BinaryOp> {
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
