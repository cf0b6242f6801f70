//! Subscripts, loop bounds and extents: C expressions that must be affine.

use std::fmt;

use lang_c::ast::{BinaryOperator, BinaryOperatorExpression, Expression, UnaryOperator};
use lang_c::span::Node;

use super::expression::{comparable, convert};
use super::extremum::Extremum;
use super::kernel::{Expr, ScalarType};
use super::nest::assignment;
use super::scope::{Checked, Name, Scope};
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};

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

const CHOICE: &str = "choose by a condition on sizes and the iterators of loops around it";

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
    /// The expression over the iterators, sizes and quotients in scope.
    pub fn affine(&mut self, node: &Node<Expression>, role: Role) -> Checked<Affine> {
        match self.bounds(node, role)?.affine() {
            Some(value) => Ok(value),
            None => {
                self.offer(node);
                Err(self.refused(node, role, "it chooses between two values", "a minimum or maximum", CHOICE))
            }
        }
    }

    /// The expression, or the smallest or largest of several.
    pub fn bounds(&mut self, node: &Node<Expression>, role: Role) -> Checked<Extremum> {
        self.lowered(node, None).ok_or_else(|| {
            self.offer(node);
            self.blame(node, role)
        })
    }

    /// The same of the expression's value converted to `ty`.
    pub fn bounds_as(&mut self, node: &Node<Expression>, role: Role, ty: ScalarType) -> Checked<Extremum> {
        self.lowered(node, Some(ty)).ok_or_else(|| {
            self.offer(node);
            self.blame(node, role)
        })
    }

    /// Offers a choice in the expression, see [`super::choice`].
    pub fn offer(&mut self, node: &Node<Expression>) {
        if let Ok(expr) = self.expression(node) {
            let expr = self.settled(expr);
            self.offer_choice(&expr, self.span(node.span));
        }
    }

    /// Offers one in the sides of a comparison.
    pub fn offer_of_sides(&mut self, node: &Node<Expression>) {
        if let Ok(expr) = self.expression(node) {
            let expr = self.settled(expr);
            self.offer_inner_choice(&expr, self.span(node.span));
        }
    }

    /// Both sides of a comparison, written at `span`, after their conversions to a common type.
    pub fn compared_bounds(
        &mut self,
        sides: [&Node<Expression>; 2],
        role: Role,
        span: Span,
    ) -> Checked<(Extremum, Extremum)> {
        let values = match sides.map(|side| self.expression(side)) {
            [Ok(left), Ok(right)] => {
                let (left, right) = (self.settled(left), self.settled(right));
                let (left, right) = comparable(left, right);
                self.compared(&left, &right, span)
            }
            _ => None,
        };
        values.ok_or_else(|| {
            self.choice = None;
            for side in sides {
                if self.choice.is_none() {
                    self.offer(side);
                }
            }
            let blamed = if self.try_bounds(sides[0]).is_none() { sides[0] } else { sides[1] };
            self.blame(blamed, role)
        })
    }

    /// The extent of the array `name`: over sizes, and at least 1 as far as it shows.
    pub fn extent(&mut self, node: &Node<Expression>, name: &str) -> Checked<Affine> {
        let known = self.quotients.len();
        let extent =
            self.affine(node, Role::Extent).map_err(|refused| self.unlike_rows(name, self.span(node.span), refused))?;
        let is_size = |name: &String| matches!(self.lookup(name), Some(Name::Parameter(_)));
        if !extent.terms.keys().all(is_size) {
            let why = if self.quotients.len() > known { "it divides" } else { "it is not the same in all iterations" };
            let help = "extents are sums of sizes with constant factors; pass another size to the function";
            return Err(self.refused(node, Role::Extent, why, "not affine in the sizes", help));
        }
        if extent.is_constant() && extent.constant < 1 {
            return Err(Diagnostic::new(format!("the array `{name}` has an extent of {extent}"))
                .at(self.span(node.span), "less than 1")
                .help("an array has at least one element"));
        }
        Ok(extent)
    }

    /// Why an extent that multiplies sizes does not become several, where that is known.
    pub fn unlike_rows(&self, name: &str, declared: Span, refused: Diagnostic) -> Diagnostic {
        let Some((place, why, help)) = self.flattened.refused.get(name) else { return refused };
        let refused = Diagnostic::new(format!(
            "the array `{name}` has a product of sizes as its extent, and is none of rows: {why}"
        ));
        let place = if place.is_none() { declared } else { self.span(*place) };
        refused.at(place, "here").help(help)
    }

    fn lowered(&mut self, node: &Node<Expression>, ty: Option<ScalarType>) -> Option<Extremum> {
        let expr = self.expression(node).ok()?;
        let expr = self.settled(expr);
        let span = self.span(node.span);
        match ty {
            Some(ty) => self.exactly(&convert(expr, ty), span),
            None => self.exactly(&expr, span),
        }
    }

    /// The same, of an expression that is looked at for a diagnostic only.
    fn try_bounds(&mut self, node: &Node<Expression>) -> Option<Extremum> {
        self.trial(|scope| scope.lowered(node, None)).0
    }

    fn refused(&self, node: &Node<Expression>, role: Role, why: &str, label: &str, help: &str) -> Diagnostic {
        Diagnostic::new(format!("this {role} is not affine: {why}")).at(self.span(node.span), label).help(help)
    }

    /// Why the expression is not affine: finds the part of it that is not.
    fn blame(&mut self, node: &Node<Expression>, role: Role) -> Diagnostic {
        let operands: Vec<&Node<Expression>> = match &node.node {
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Negate => vec![&unary.node.operand],
                _ => vec![],
            },
            Expression::BinaryOperator(binary) if binary.node.operator.node != BinaryOperator::Index => {
                vec![&binary.node.lhs, &binary.node.rhs]
            }
            Expression::Cast(cast) => vec![&cast.node.expression],
            _ => vec![],
        };
        let assigns =
            matches!(&node.node, Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some());
        if !assigns && let Some(operand) = operands.iter().find(|operand| self.try_bounds(operand).is_none()) {
            return self.blame(operand, role);
        }
        let reason = match &node.node {
            Expression::Identifier(name) => return self.blame_name(&name.node.name, node, role),
            Expression::UnaryOperator(unary) => blame_unary(&unary.node.operator.node),
            Expression::BinaryOperator(binary) => self.blame_binary(&binary.node),
            Expression::Constant(_) | Expression::SizeOfTy(_) | Expression::SizeOfVal(_) => {
                match self.expression(node) {
                    Ok(_) => None,
                    Err(diagnostic) => return diagnostic,
                }
            }
            Expression::Cast(_) => {
                Some(("it casts to a type that may not hold the value", "narrowing cast", "drop the cast"))
            }
            Expression::Conditional(_) => Some(("it chooses between two values", "`?:`", CHOICE)),
            Expression::Call(_) => match self.expression(node) {
                Ok(_) => Some((
                    "the function's value is not",
                    "call",
                    "the function may be a minimum, a maximum, or a sum of its arguments with constant factors",
                )),
                Err(diagnostic) => return diagnostic,
            },
            Expression::Comma(_) => Some(("it is a sequence of expressions", "`,`", "write one expression")),
            _ => Some(("it uses what burstc cannot read", "not supported", "use iterators, sizes and constants only")),
        };
        let is_number = matches!(&node.node, Expression::BinaryOperator(o) if matches!(o.node.operator.node,
            BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Modulo));
        match reason {
            Some((why, label, help)) if is_number && role == Role::Subscript => {
                let help = format!(
                    "{help}; as a local variable's value, `int k = …; a[k]`, it is taken like data, and the array lies on chip"
                );
                self.refused(node, role, why, label, &help)
            }
            Some((why, label, help)) => self.refused(node, role, why, label, help),
            None => self.too_large(node, role),
        }
    }

    /// Why the operator's value is not affine although its operands' are.
    fn blame_binary(&mut self, binary: &BinaryOperatorExpression) -> Option<Reason> {
        let sides = [&binary.lhs, &binary.rhs];
        let reason = match binary.operator.node {
            BinaryOperator::Plus | BinaryOperator::Minus => {
                sides.into_iter().find(|side| self.try_bounds(side).is_some_and(|bounds| bounds.parts.len() > 1))?;
                ("it chooses between two values", "minimum and maximum", CHOICE)
            }
            BinaryOperator::Multiply if sides.map(|side| self.constant(side).is_ok()) == [false, false] => (
                "it multiplies variables",
                "a product of two variables",
                "one factor must be a constant; an argument `a[M * N]` is taken as `a[M][N]` where all of its elements are \
                 written as `a[i * N + j]`",
            ),
            BinaryOperator::Multiply => return None,
            BinaryOperator::ShiftLeft => match self.constant(&binary.rhs) {
                Ok(0..=40) => return None,
                _ => ("it shifts by a variable", "not a constant factor", "multiply by a constant"),
            },
            BinaryOperator::Divide | BinaryOperator::Modulo => {
                ("it divides, and not by a constant", "not affine", "divide by a constant")
            }
            BinaryOperator::ShiftRight => {
                ("it shifts by a variable", "not a constant divisor", "shift by a constant, or divide by one")
            }
            BinaryOperator::BitwiseAnd => {
                ("it uses bits", "not affine", "a mask of the lowest bits serves, as in `i & 7`")
            }
            BinaryOperator::BitwiseOr | BinaryOperator::BitwiseXor => ("it uses bits", "not affine", SUM),
            BinaryOperator::Index => (
                "it depends on the contents of an array",
                "known only when the data are",
                "such values are subscripts of elements, as in `y[i] = t[x[i]]` and `h[x[i]] += 1`: elsewhere use iterators and sizes",
            ),
            BinaryOperator::Less
            | BinaryOperator::Greater
            | BinaryOperator::LessOrEqual
            | BinaryOperator::GreaterOrEqual
            | BinaryOperator::Equals
            | BinaryOperator::NotEquals
            | BinaryOperator::LogicalAnd
            | BinaryOperator::LogicalOr => ("it compares", "not affine", SUM),
            _ => ("it assigns", "side effect", "change nothing inside an expression"),
        };
        Some(reason)
    }

    fn too_large(&self, node: &Node<Expression>, role: Role) -> Diagnostic {
        Diagnostic::new(format!("a number in this {role} is too large"))
            .at(self.span(node.span), "larger than 2^40 or smaller than -2^40")
            .help("use smaller constants")
    }

    fn blame_name(&mut self, name: &str, node: &Node<Expression>, role: Role) -> Diagnostic {
        let span = self.span(node.span);
        match self.lookup(name) {
            Some(Name::Scalar(..)) => Diagnostic::new(format!(
                "`{name}` is used in a {role}, but no loop bound and no array extent makes it a size"
            ))
            .at(span, "not a size")
            .help(format!("declare it one with `#pragma burstc size({name}: max …)` if it is never negative")),
            Some(Name::Array(array)) if self.arrays[array].extents.is_empty() => Diagnostic::new(format!(
                "the local variable `{name}` is used in a {role}, and its value is no sum of iterators and sizes, or known only when \
                 the data are"
            ))
            .at(span, "not affine")
            .help(match role {
                Role::Bound => format!(
                    "a {role} is a sum of iterators and sizes; a local serves if its only value is one: `int {name} = i + 1;`; a loop \
                     that data end goes on to its last iteration, with its body under an `if`"
                ),
                _ => format!(
                    "a {role} is a sum of iterators and sizes; a local serves if its only value is one: `int {name} = i + 1;`"
                ),
            }),
            Some(Name::Array(_) | Name::Table(_)) => {
                Diagnostic::new(format!("the array `{name}` is used in a {role} as if it were an integer"))
                    .at(span, "an array")
                    .help("use iterators, sizes and constants only")
            }
            Some(Name::Counter(_) | Name::Unset | Name::Unknown) => self.local(name, node),
            Some(Name::Value(Expr::Constant { .. })) => self.too_large(node, role),
            Some(Name::Value(_)) => {
                self.refused(node, role, "this value is not", "not affine", "use iterators, sizes and constants only")
            }
            // A name that is affine by itself is not to blame.
            Some(Name::Iterator(..) | Name::Parameter(_)) => self.too_large(node, role),
            None => self.unknown(name, node),
        }
    }

    /// `name` is a local variable without a value at this place.
    pub fn local(&self, name: &str, node: &Node<Expression>) -> Diagnostic {
        let meaning = self.lookup(name);
        if matches!(meaning, Some(Name::Unset | Name::Unknown)) {
            self.unset.set(self.local_index(name).map(|place| (place, self.span(node.span))));
        }
        let (what, help) = match meaning {
            Some(Name::Unset) => ("is a local variable that is never given a value", "give it one"),
            Some(Name::Unknown) => (
                "is a local variable whose value is not known here: data decide it, or how a loop before ends",
                "use another variable for what counts in loops or makes subscripts, and keep in this one what is read here",
            ),
            _ => (
                "is a local variable and not the iterator of an enclosing loop",
                "read the iterator inside its loop only; after the loop, write the bound instead",
            ),
        };
        Diagnostic::new(format!("`{name}` {what}")).at(self.span(node.span), "local variable").help(help)
    }

    pub fn unknown(&self, name: &str, node: &Node<Expression>) -> Diagnostic {
        let (what, help) = match self.calls.last() {
            Some(function) => (
                format!("the function `{function}` uses `{name}`, which is neither its argument nor a constant"),
                "pass it to the function as an argument",
            ),
            None => (
                format!("`{name}` is neither an argument of the kernel nor an iterator of an enclosing loop"),
                "pass it to the function as an argument; a constant may be a macro or `static const int`",
            ),
        };
        Diagnostic::new(what).at(self.span(node.span), "not known to the kernel").help(help)
    }
}

/// Why an operator's value is not affine, what to write beside it, and the remedy; `None` stands for numbers that are too
/// large.
type Reason = (&'static str, &'static str, &'static str);

const SUM: &str = "it must be a sum of iterators and sizes with constant factors";

fn blame_unary(operator: &UnaryOperator) -> Option<Reason> {
    match operator {
        UnaryOperator::Plus | UnaryOperator::Minus => None,
        UnaryOperator::Address | UnaryOperator::Indirection => {
            Some(("it uses a pointer", "pointer", "use array subscripts and integers only"))
        }
        UnaryOperator::Complement | UnaryOperator::Negate => Some(("it uses bits", "not affine", SUM)),
        // By 1.
        _ => Some(("it changes a variable", "side effect", "change nothing inside an expression")),
    }
}
