//! Constants of C.

use lang_c::ast::{Constant, Expression, Float, FloatBase, FloatFormat, Integer, IntegerBase, IntegerSize};
use lang_c::span::Node;

use super::evaluate::wrap;
use super::kernel::{Expr, ScalarType};
use super::scope::{Checked, Scope};
use crate::diagnostic::Diagnostic;

impl Scope<'_> {
    pub fn literal(&self, constant: &Constant, node: &Node<Expression>) -> Checked<Expr> {
        let refuse = |message: String, help: &str| {
            Err(Diagnostic::new(message).at(self.span(node.span), "this constant").help(help))
        };
        match constant {
            Constant::Integer(integer) => match self::integer(integer, self.types.long.bits) {
                Some(expr) => Ok(expr),
                None => refuse("this integer constant fits no type".into(), "constants are at most 64 bits wide"),
            },
            Constant::Float(constant) => match floating(constant) {
                Some(expr) => Ok(expr),
                None => refuse(
                    "this floating-point constant is not supported".into(),
                    "write a `float` or `double` constant in decimal",
                ),
            },
            Constant::Character(text) => match character(text) {
                Some(value) => Ok(Expr::Constant { value: wrap(value, self.types.char), ty: ScalarType::I32 }),
                None => {
                    refuse(format!("the character constant {text} is not supported"), "write its value as a number")
                }
            },
        }
    }
}

/// The value and type of an integer constant (6.4.4.1), where a `long` has so many bits; `None` where no type holds it.
pub fn integer(integer: &Integer, long_bits: u32) -> Option<Expr> {
    let radix = match integer.base {
        IntegerBase::Decimal => 10,
        IntegerBase::Octal => 8,
        IntegerBase::Hexadecimal => 16,
        IntegerBase::Binary => 2,
    };
    let value = u64::from_str_radix(&integer.number, radix).ok()?;
    let least = match integer.suffix.size {
        IntegerSize::Int => 32,
        IntegerSize::Long => long_bits,
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
                return Some(Expr::Constant { value: value as i64, ty: ScalarType::integer(bits, signed) });
            }
        }
    }
    None
}

/// A decimal constant of type `double`, or `float` with its suffix, rounded to nearest once.
fn floating(constant: &Float) -> Option<Expr> {
    if constant.base != FloatBase::Decimal || constant.suffix.imaginary {
        return None;
    }
    let (value, ty) = match constant.suffix.format {
        FloatFormat::Float => (i64::from(constant.number.parse::<f32>().ok()?.to_bits()), ScalarType::FLOAT),
        FloatFormat::Double => (constant.number.parse::<f64>().ok()?.to_bits() as i64, ScalarType::DOUBLE),
        _ => return None,
    };
    Some(Expr::Constant { value, ty })
}

/// The code of `'x'`; `None` for prefixes and for several characters.
pub fn character(text: &str) -> Option<i64> {
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
