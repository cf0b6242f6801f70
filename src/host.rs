//! C text of what the host computes before a run ([`Kernel::host`]): for the driver that a user compiles, and for the
//! program that the simulation takes the values from.

use std::fmt::Write as _;

use crate::affine::Affine;
use crate::ids::ArrayId;
use crate::source::kernel::{Access, BinaryOp, Expr, Gather, HostStep, HostValue, Kernel, ScalarType, Table, UnaryOp};

/// The C variable of an argument.
pub fn argument(name: &str) -> String {
    format!("arg_{name}")
}

/// The C variable of the step `name`.
pub fn step(name: &str) -> String {
    format!("host_{name}")
}

/// The C variable of a step.
pub fn variable(of: &HostStep) -> String {
    step(&of.name)
}

/// `#include <math.h>`, with its line's end, where it is needed.
pub fn includes(kernel: &Kernel) -> &'static str {
    fn needs(value: &Expr) -> bool {
        matches!(value, Expr::Unary { op: UnaryOp::Absolute | UnaryOp::SquareRoot, .. })
            || value.operands().into_iter().any(needs)
    }
    let needs_math =
        |s: &HostStep| matches!(s.value, HostValue::Call { .. }) || s.value.expressions().iter().any(needs);
    if kernel.host.iter().any(needs_math) { "#include <math.h>\n" } else { "" }
}

/// The steps as definitions of C variables, a line each, inside a function that has the arguments' variables.
pub fn definitions(kernel: &Kernel) -> String {
    kernel.host.iter().fold(String::new(), |mut text, step| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    const {} {} = {};", step.ty, variable(step), value(kernel, step));
        text
    })
}

/// What a step computes, in C over the variables.
pub fn value(kernel: &Kernel, step: &HostStep) -> String {
    step_text(&Variables(kernel), &step.value)
}

/// What a text of C calls the things in an expression.
pub trait Names {
    /// The number of an [`Expr::Scalar`].
    fn scalar(&self, scalar: usize) -> String;
    fn element(&self, access: &Access) -> String;
    /// What the host computes reads none.
    fn array(&self, _: ArrayId) -> String {
        unreachable!("the host reads no array")
    }
    /// In parentheses, where it is more than a name.
    fn affine(&self, value: &Affine) -> String;
    /// Something with subscripts.
    fn table(&self, table: &Table) -> String {
        let values: Vec<String> = table.values.iter().map(|value| constant(*value, table.element)).collect();
        format!("((const {}[]){{{}}})", table.element, values.join(", "))
    }
}

/// The variables of arguments and steps.
struct Variables<'a>(&'a Kernel);

impl Names for Variables<'_> {
    fn scalar(&self, scalar: usize) -> String {
        match scalar.checked_sub(self.0.scalar_arguments()) {
            Some(place) => variable(&self.0.host[place]),
            None => argument(&self.0.scalars[scalar].name),
        }
    }

    fn element(&self, _: &Access) -> String {
        unreachable!("the host reads no array")
    }

    fn affine(&self, value: &Affine) -> String {
        affine(self.0, value)
    }
}

/// A step's value in C.
pub fn step_text(names: &dyn Names, value: &HostValue) -> String {
    match value {
        HostValue::Expression(value) => expression(names, value),
        HostValue::Call { function, arguments } => {
            let arguments: Vec<String> = arguments.iter().map(|argument| expression(names, argument)).collect();
            format!("{function}({})", arguments.join(", "))
        }
    }
}

/// The element at subscripts that depend on data.
pub fn gathered(names: &dyn Names, gather: &Gather) -> String {
    let subscripts: String = gather.subscripts.iter().map(|s| format!("[{}]", expression(names, s))).collect();
    format!("{}{subscripts}", names.array(gather.array))
}

/// An expression in C, whose conversions are explicit; so is every order of operators.
pub fn expression(names: &dyn Names, value: &Expr) -> String {
    let of = |operand: &Expr| expression(names, operand);
    match value {
        Expr::Constant { value, ty } => constant(*value, *ty),
        Expr::Read { access, .. } => names.element(access),
        Expr::Scalar { scalar, .. } => names.scalar(*scalar),
        Expr::Index { value, ty } => format!("({ty}){}", names.affine(value)),
        Expr::Unary { op, operand, ty } => match (op, ty.bits) {
            (UnaryOp::Negate, _) => format!("(-{})", of(operand)),
            (UnaryOp::Complement, _) => format!("(~{})", of(operand)),
            (UnaryOp::Not, _) => format!("(!{})", of(operand)),
            (UnaryOp::OutOfRange, _) => of(operand),
            (UnaryOp::Absolute, 32) => format!("fabsf({})", of(operand)),
            (UnaryOp::Absolute, _) => format!("fabs({})", of(operand)),
            (UnaryOp::SquareRoot, 32) => format!("sqrtf({})", of(operand)),
            (UnaryOp::SquareRoot, _) => format!("sqrt({})", of(operand)),
        },
        Expr::Binary { op, left, right, .. } => format!("({} {} {})", of(left), operator(*op), of(right)),
        Expr::Select { condition, then, otherwise, .. } => {
            format!("({} ? {} : {})", of(condition), of(then), of(otherwise))
        }
        Expr::Cast { operand, ty } => format!("({ty}){}", of(operand)),
        Expr::Gather { gather, .. } => gathered(names, gather),
        Expr::Scatter { value, .. } | Expr::Masked { value, .. } => of(value),
        Expr::Lookup { table, index } => format!("{}[{}]", names.table(table), of(index)),
    }
}

/// A sum of sizes, and of quotients of sizes.
pub fn affine(kernel: &Kernel, value: &Affine) -> String {
    let term = |(name, factor): (&String, &i64)| {
        let variable = match kernel.quotients.iter().find(|quotient| quotient.name == *name) {
            Some(quotient) => {
                let (numerator, divisor) = (affine(kernel, &quotient.numerator), quotient.divisor);
                match quotient.truncates || is_sum_of_sizes(kernel, &quotient.numerator) {
                    true => format!("({numerator} / {divisor})"),
                    false => format!("({numerator} / {divisor} - ({numerator} % {divisor} < 0))"),
                }
            }
            None => format!("(int64_t){}", argument(name)),
        };
        if *factor == 1 { variable } else { format!("{factor} * {variable}") }
    };
    let mut terms: Vec<String> = value.terms.iter().map(term).collect();
    if value.constant != 0 || terms.is_empty() {
        terms.push(value.constant.to_string());
    }
    format!("({})", terms.join(" + "))
}

/// Whether it is never negative, as all of its numbers say.
fn is_sum_of_sizes(kernel: &Kernel, value: &Affine) -> bool {
    let is_size = |name: &String| kernel.parameters.iter().any(|parameter| parameter.name == *name);
    value.constant >= 0 && value.terms.iter().all(|(name, factor)| *factor > 0 && is_size(name))
}

/// A constant of just that type; numbers of floating point in decimal, with so many digits that C reads the same.
fn constant(value: i64, ty: ScalarType) -> String {
    let number = |value: f64, digits: String, suffix: &str| match value {
        v if v.is_nan() => format!("(0.0{suffix} / 0.0{suffix})"),
        v if v.is_infinite() => format!("({}1.0{suffix} / 0.0{suffix})", if v < 0.0 { "-" } else { "" }),
        v if v.is_sign_negative() => format!("({digits}{suffix})"),
        _ => format!("{digits}{suffix}"),
    };
    match (ty.floating, ty.bits, ty.signed) {
        (true, 32, _) => {
            let value = f32::from_bits(value as u32);
            number(value.into(), format!("{value:?}"), "f")
        }
        (true, ..) => {
            let value = f64::from_bits(value as u64);
            number(value, format!("{value:?}"), "")
        }
        (false, 64, false) => format!("UINT64_C({})", value as u64),
        (false, 64, true) if value == i64::MIN => "INT64_MIN".to_string(),
        (false, 64, true) => format!("INT64_C({value})"),
        (false, 32, true) if (0..1 << 31).contains(&value) => value.to_string(),
        _ => format!("({ty}){value}"),
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
    }
}
