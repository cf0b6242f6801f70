//! `--set NAME=VALUE`, `--min NAME=VALUE`, `--max NAME=VALUE` and `--data NAME=LOW..HIGH`, checked against the kernel.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::diagnostic::{Diagnostic, Span};
use crate::simulate::number::Number;
use crate::simulate::random::Range;
use crate::source::kernel::{Argument, Kernel, ScalarType, SizeParameter};
use crate::suggest;

/// One `NAME=VALUE` of the command line.
pub type Assignment = (String, Number);

/// Reads `NAME=VALUE`; the value is decimal, also with a fraction or an exponent, or hexadecimal after `0x`.
pub fn parse_assignment(text: &str) -> Result<Assignment, String> {
    let (name, value) = named(text, "NAME=VALUE")?;
    Ok((name, number(value)?))
}

/// One `NAME=LOW..HIGH` of the command line.
pub type RangeAssignment = (String, Range);

/// Reads `NAME=LOW..HIGH`, with numbers as [`parse_assignment`] takes them. Ends in the wrong order are left to
/// [`ranges`].
pub fn parse_range(text: &str) -> Result<RangeAssignment, String> {
    let form = "NAME=LOW..HIGH";
    let (name, value) = named(text, form)?;
    let (low, high) = value.split_once("..").ok_or_else(|| format!("`{text}` is not of the form {form}"))?;
    Ok((name, Range { low: number(low.trim())?, high: number(high.trim())? }))
}

/// Reads `MACRO=TEXT`, text of one line.
pub fn parse_redefinition(text: &str) -> Result<(String, String), String> {
    let (name, value) = named(text, "MACRO=TEXT")?;
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match is_name && !value.contains(['\n', '\r', '\\']) && !value.contains("/*") && !value.contains("//") {
        true => Ok((name, value.to_string())),
        false => Err(format!("`{text}` is not of the form MACRO=TEXT")),
    }
}

/// Reads `ARRAY=PORT`.
pub fn parse_port(text: &str) -> Result<(String, u32), String> {
    let (name, value) = named(text, "ARRAY=PORT")?;
    match value.parse() {
        Ok(port) => Ok((name, port)),
        Err(_) => Err(format!("`{text}` is not of the form ARRAY=PORT, with a port's number")),
    }
}

/// Cuts `NAME=...`.
fn named<'a>(text: &'a str, form: &str) -> Result<(String, &'a str), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not of the form {form}"))?;
    match name.trim() {
        "" => Err("the name before `=` is missing".to_string()),
        name => Ok((name.to_string(), value.trim())),
    }
}

/// Below it every whole number is a `double`.
const EXACT: f64 = (1u64 << 53) as f64;

fn number(value: &str) -> Result<Number, String> {
    let (sign, digits) = match value.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, value),
    };
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let parsed = match hexadecimal {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16),
        None => digits.parse(),
    };
    // The standard library would take a second sign, and names of infinities.
    let begins = digits.starts_with(|c: char| c.is_ascii_digit());
    match parsed.ok().filter(|_| begins) {
        Some(magnitude) => Ok(Number::Whole(sign * i128::from(magnitude))),
        None => {
            let is_decimal = begins && digits.contains(['.', 'e', 'E']) && hexadecimal.is_none();
            let decimal = digits.parse::<f64>().ok().filter(|value| is_decimal && value.is_finite());
            // 1e3 is as good as 1000; what has a sign or digits to lose stays as it is.
            let is_whole = |value: &f64| value.fract() == 0.0 && 0.0 < *value && *value < EXACT;
            decimal
                .map(|magnitude| match is_whole(&magnitude) {
                    true => Number::Whole(sign * magnitude as i128),
                    false => Number::Decimal(sign as f64 * magnitude),
                })
                .ok_or_else(|| format!("`{value}` is not a number of at most 64 bits"))
        }
    }
}

/// Bounds of sizes by name that take the place of the kernel's.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    pub min: BTreeMap<String, i64>,
    pub max: BTreeMap<String, i64>,
}

/// The bounds that `option` gives, by name. A name that is no size, and a bound that no size can have, are `Diagnostic`s.
pub fn bounds(kernel: &Kernel, option: &str, given: &[Assignment]) -> Result<BTreeMap<String, i64>> {
    let names = || kernel.parameters.iter().map(|parameter| parameter.name.as_str());
    let mut bounds = BTreeMap::new();
    for (name, value) in given {
        let Some(parameter) = kernel.parameters.iter().find(|parameter| parameter.name == *name) else {
            return Err(unknown(option, "size parameter", kernel, name, names()).into());
        };
        let Some(bound) = size(*value, parameter) else {
            return Err(Diagnostic::new(format!(
                "{option} {name}={value}: a size is a whole number, at least 0 and at most {}",
                parameter.limit()
            ))
            .at(parameter.span, "this size")
            .help("give a bound in that range")
            .into());
        };
        bounds.insert(name.clone(), bound);
    }
    Ok(bounds)
}

/// Values by name. A name that is no scalar argument, a value that its type does not hold, and a size beyond its bounds
/// (`given`, else the kernel's) are `Diagnostic`s.
pub fn settings(kernel: &Kernel, set: &[Assignment], given: &Bounds) -> Result<BTreeMap<String, Number>> {
    let mut settings = BTreeMap::new();
    for (name, value) in set {
        if let Some(parameter) = kernel.parameters.iter().find(|parameter| parameter.name == *name) {
            if size(*value, parameter).is_none() {
                let message = format!(
                    "--set {name}={value}: a size is a whole number, at least 0 and at most {}",
                    parameter.limit()
                );
                return Err(Diagnostic::new(message)
                    .at(parameter.span, "this size")
                    .help("give a value in that range")
                    .into());
            }
            let declared = given.min.get(name).copied().unwrap_or(parameter.min);
            if value.value() < declared as f64 {
                return Err(Diagnostic::new(format!(
                    "--set {name}={value} is below the bound of `{name}`, {declared}"
                ))
                .at(parameter.span, format!("at least {declared}"))
                .help(format!("lower the bound: --min {name}={value}, or in `#pragma burstc size({name}: …, min …)`"))
                .into());
            }
            let declared = given.max.get(name).copied().or(parameter.max);
            if let Some(bound) = declared.filter(|bound| value.value() > *bound as f64) {
                return Err(Diagnostic::new(format!("--set {name}={value} is above the bound of `{name}`, {bound}"))
                    .at(parameter.span, format!("at most {bound}"))
                    .help(format!(
                        "raise the bound: --max {name}={value}, or in `#pragma burstc size({name}: …, max …)`"
                    ))
                    .into());
            }
        } else if let Some(scalar) = kernel.scalars.iter().find(|scalar| scalar.name == *name) {
            if !holds(scalar.ty, *value) {
                return Err(Diagnostic::new(format!("--set {name}={value}: `{name}` is of type {}", scalar.ty))
                    .at(scalar.span, limits(scalar.ty))
                    .help("give a value that the type holds")
                    .into());
            }
        } else {
            let names = kernel.arguments.iter().filter_map(|argument| match argument {
                Argument::Parameter(p) => Some(kernel.parameters[*p].name.as_str()),
                Argument::Scalar(s) => Some(kernel.scalars[*s].name.as_str()),
                Argument::Array(_) => None,
            });
            return Err(unknown("--set", "scalar argument", kernel, name, names).into());
        }
        settings.insert(name.clone(), *value);
    }
    Ok(settings)
}

/// Ranges of random data by name. A name that is neither array nor scalar argument, an empty range, and a range with
/// values that the type does not hold are `Diagnostic`s.
pub fn ranges(kernel: &Kernel, data: &[RangeAssignment]) -> Result<BTreeMap<String, Range>> {
    let known: Vec<(&str, ScalarType, bool, Span)> = kernel
        .arguments
        .iter()
        .filter_map(|argument| match argument {
            Argument::Array(a) => {
                let array = &kernel.arrays[*a];
                Some((array.name.as_str(), array.element, array.boolean, array.span))
            }
            Argument::Scalar(s) => {
                let scalar = &kernel.scalars[*s];
                Some((scalar.name.as_str(), scalar.ty, false, scalar.span))
            }
            Argument::Parameter(_) => None,
        })
        .collect();
    let mut ranges = BTreeMap::new();
    for (name, wanted) in data {
        if let Some(parameter) = kernel.parameters.iter().find(|parameter| parameter.name == *name) {
            return Err(Diagnostic::new(format!("--data {name}: `{name}` is a size, not data"))
                .at(parameter.span, "this size")
                .help(format!("give its value: --set {name}=<number>"))
                .into());
        }
        let Some((_, ty, is_boolean, span)) = known.iter().find(|(known, ..)| known == name) else {
            let names = known.iter().map(|(name, ..)| *name);
            return Err(unknown("--data", "array or scalar argument", kernel, name, names).into());
        };
        if wanted.low.value() > wanted.high.value() {
            return Err(Diagnostic::new(format!("--data {name}={wanted}: the range is empty"))
                .at(*span, "its data")
                .help(format!("both ends belong to the range: --data {name}={}..{}", wanted.high, wanted.low))
                .into());
        }
        if *is_boolean && wanted.high.value() > 1.0 {
            return Err(Diagnostic::new(format!("--data {name}={wanted}: the elements of `{name}` are `_Bool`"))
                .at(*span, "0 or 1")
                .help(format!("give 0..1, 0..0 or 1..1: --data {name}=0..1"))
                .into());
        }
        if !holds(*ty, wanted.low) || !holds(*ty, wanted.high) {
            return Err(Diagnostic::new(format!("--data {name}={wanted}: `{name}` is of type {ty}"))
                .at(*span, limits(*ty))
                .help("give a range that the type holds")
                .into());
        }
        ranges.insert(name.clone(), *wanted);
    }
    Ok(ranges)
}

fn unknown<'a>(
    option: &str,
    what: &str,
    kernel: &Kernel,
    name: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    Diagnostic::new(format!("{option} {name}: `{}` has no {what} of that name", kernel.name)).help(suggest::known(
        &format!("{what}s"),
        name,
        names,
    ))
}

fn size(value: Number, parameter: &SizeParameter) -> Option<i64> {
    let value = i64::try_from(value.whole()?).ok()?;
    (0..=parameter.limit()).contains(&value).then_some(value)
}

/// The values of an integer type.
fn range(ty: ScalarType) -> (i128, i128) {
    match ty.signed {
        true => (-(1 << (ty.bits - 1)), (1 << (ty.bits - 1)) - 1),
        false => (0, (1 << ty.bits) - 1),
    }
}

/// Whether a type has the value; a floating-point type, one near it.
fn holds(ty: ScalarType, value: Number) -> bool {
    let (low, high) = range(ty);
    match ty.floating {
        true => Number::of(value.bits(ty), ty).value().is_finite(),
        false => value.whole().is_some_and(|value| (low..=high).contains(&value)),
    }
}

/// What [`holds`] allows, in words.
fn limits(ty: ScalarType) -> String {
    let (low, high) = range(ty);
    match ty.floating {
        true => "a finite number".to_string(),
        false => format!("whole, {low} to {high}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::samples;

    #[test]
    fn assignments_are_read() {
        assert_eq!(parse_assignment("N=100"), Ok(("N".into(), Number::Whole(100))));
        assert_eq!(parse_assignment("alpha=-0x10"), Ok(("alpha".into(), Number::Whole(-16))));
        assert_eq!(parse_assignment("x=18446744073709551615"), Ok(("x".into(), Number::Whole(u64::MAX.into()))));
        assert_eq!(parse_assignment("x=-0.25"), Ok(("x".into(), Number::Decimal(-0.25))));
        assert_eq!(parse_assignment("N=1e3"), Ok(("N".into(), Number::Whole(1000))));
        assert_eq!(parse_assignment("N=-2.50e1"), Ok(("N".into(), Number::Whole(-25))));
        assert_eq!(parse_assignment("x=1e16"), Ok(("x".into(), Number::Decimal(1e16))));
        assert!(parse_assignment("x=-0.0").unwrap().1.value().is_sign_negative());
        assert_eq!(parse_assignment("x=2e-3"), Ok(("x".into(), Number::Decimal(0.002))));
        for wrong in [
            "N",
            "=3",
            "N=",
            "N=ten",
            "N=.5",
            "N=18446744073709551616",
            "N=--1",
            "N=-+1",
            "N=+1",
            "N=0x",
            "N=0x1.8",
            "N=1e999",
            "N=inf",
            "N=nan",
        ] {
            assert!(parse_assignment(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_are_read() {
        assert_eq!(parse_range("a=1..100"), Ok(("a".into(), Range::whole(1, 100))));
        assert_eq!(parse_range("a = -0x10 .. -1"), Ok(("a".into(), Range::whole(-16, -1))));
        let eighths = Range { low: Number::Decimal(-0.125), high: Number::Whole(1) };
        assert_eq!(parse_range("a=-0.125..1"), Ok(("a".into(), eighths)));
        for wrong in ["a", "a=1", "a=1..", "a=..2", "=1..2", "a=1...2", "a=1..x"] {
            assert!(parse_range(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_fit_the_kernel() {
        let kernel = samples::scale();
        let given = |text: &str| ranges(&kernel, &[parse_range(text).unwrap()]);
        assert_eq!(given("a=-32768..32767").unwrap()["a"], Range::whole(-32768, 32767));
        assert_eq!(given("beta=3..3").unwrap()["beta"], Range::whole(3, 3));
        let (text, help) = message(given("A=1..2"));
        assert_eq!(text, "--data A: `scale` has no array or scalar argument of that name");
        assert!(help.starts_with("did you mean `a`?"), "{help}");
        assert_eq!(message(given("N=1..2")).1, "give its value: --set N=<number>");
        let empty = message(given("a=2..1"));
        assert!(empty.0.ends_with("the range is empty") && empty.1.ends_with("--data a=1..2"), "{empty:?}");
        assert_eq!(message(given("a=0..32768")).0, "--data a=0..32768: `a` is of type int16_t");
        assert!(given("b=-9223372036854775809..0").is_err());
        // Fractions are for floating-point numbers.
        assert!(message(given("a=0.5..2")).0.contains("is of type int16_t"));
        let mut floating = samples::scale();
        floating.scalars[0].ty = ScalarType::FLOAT;
        let given = |text: &str| ranges(&floating, &[parse_range(text).unwrap()]);
        assert!(given("alpha=0.5..2").is_ok() && given("alpha=0..1e39").is_err());
    }

    fn message<T: std::fmt::Debug>(result: Result<T>) -> (String, String) {
        let error = result.unwrap_err();
        let diagnostic = error.downcast_ref::<Diagnostic>().unwrap();
        (diagnostic.message.clone(), diagnostic.help.clone())
    }

    #[test]
    fn settings_fit_the_kernel() {
        let kernel = samples::scale();
        let set =
            |name: &str, value| settings(&kernel, &[(name.to_string(), Number::Whole(value))], &Bounds::default());
        assert_eq!(set("N", 10).unwrap()["N"], Number::Whole(10));
        assert_eq!(set("beta", -128).unwrap()["beta"], Number::Whole(-128));
        assert!(message(set("beta", 128)).0.contains("is of type int8_t"));
        assert!(message(set("N", -1)).0.contains("at least 0"));
        let half = [("N".to_string(), Number::Decimal(1.5))];
        let expected = "--set N=1.5: a size is a whole number, at least 0 and at most 2147483647";
        assert_eq!(message(settings(&kernel, &half, &Bounds::default())).0, expected);
        assert_eq!(message(bounds(&kernel, "--max", &half)).0, expected.replace("--set", "--max"));
        assert!(message(set("N", 1 << 40)).0.contains("at most 2147483647"));
        let (text, help) = message(set("n", 1));
        assert_eq!(text, "--set n: `scale` has no scalar argument of that name");
        assert_eq!(help, "did you mean `N`? Known scalar arguments: N, alpha, beta");
        let half = [("beta".to_string(), Number::Decimal(0.5))];
        assert!(message(settings(&kernel, &half, &Bounds::default())).0.contains("is of type int8_t"));
        // An array is none.
        assert!(message(set("a", 1)).1.contains("N, alpha, beta"));
        // What a call in C makes 0 or 1 of is no larger size here.
        let mut kernel = kernel;
        kernel.parameters[0].boolean = true;
        let set = |value| [("N".to_string(), Number::Whole(value))];
        assert!(settings(&kernel, &set(1), &Bounds::default()).is_ok());
        assert!(message(settings(&kernel, &set(2), &Bounds::default())).0.contains("at most 1"));
        assert!(message(bounds(&kernel, "--max", &set(2))).0.contains("at most 1"));
    }

    #[test]
    fn a_size_stays_below_its_bound() {
        let mut kernel = samples::scale();
        kernel.parameters[0].max = Some(64);
        let given = |value, min: &[Assignment], max: &[Assignment]| {
            let given =
                Bounds { min: bounds(&kernel, "--min", min).unwrap(), max: bounds(&kernel, "--max", max).unwrap() };
            settings(&kernel, &[("N".to_string(), Number::Whole(value))], &given)
        };
        let set = |value, max: &[Assignment]| given(value, &[], max);
        assert!(set(64, &[]).is_ok());
        assert_eq!(message(set(65, &[])).0, "--set N=65 is above the bound of `N`, 64");
        assert!(set(65, &[("N".into(), Number::Whole(65))]).is_ok());
        assert!(bounds(&kernel, "--max", &[("M".into(), Number::Whole(65))]).is_err());
        assert!(bounds(&kernel, "--max", &[("N".into(), Number::Whole(-1))]).is_err());
        let three = [("N".into(), Number::Whole(3))];
        assert!(given(3, &three, &[]).is_ok());
        let (text, help) = message(given(2, &three, &[]));
        assert_eq!(text, "--set N=2 is below the bound of `N`, 3");
        assert!(help.starts_with("lower the bound: --min N=2"), "{help}");
        kernel.parameters[0].min = 5;
        let none = Bounds::default();
        assert!(settings(&kernel, &[("N".to_string(), Number::Whole(4))], &none).is_err());
        assert!(settings(&kernel, &[("N".to_string(), Number::Whole(5))], &none).is_ok());
    }
}
