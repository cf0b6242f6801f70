//! `--set NAME=VALUE` and `--max NAME=VALUE`, checked against the kernel.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::diagnostic::Diagnostic;
use crate::source::kernel::{Argument, IntType, Kernel};
use crate::suggest;

/// One `NAME=VALUE` of the command line.
pub type Assignment = (String, i128);

/// Reads `NAME=VALUE`; the value is decimal, or hexadecimal after `0x`.
pub fn parse_assignment(text: &str) -> Result<Assignment, String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not of the form NAME=VALUE"))?;
    let (name, value) = (name.trim(), value.trim());
    let (sign, digits) = match value.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, value),
    };
    let parsed = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16),
        None => digits.parse(),
    };
    // The standard library would take a second sign.
    let parsed = parsed.ok().filter(|_| digits.starts_with(|c: char| c.is_ascii_digit()));
    match parsed {
        Some(magnitude) if !name.is_empty() => Ok((name.to_string(), sign * i128::from(magnitude))),
        Some(_) => Err("the name before `=` is missing".to_string()),
        None => Err(format!("`{value}` is not a number of at most 64 bits")),
    }
}

/// Bounds by name. A name that is no size, and a bound that no size can have, are `Diagnostic`s.
pub fn bounds(kernel: &Kernel, max: &[Assignment]) -> Result<BTreeMap<String, i64>> {
    let names = || kernel.parameters.iter().map(|parameter| parameter.name.as_str());
    let mut bounds = BTreeMap::new();
    for (name, value) in max {
        let Some(parameter) = kernel.parameters.iter().find(|parameter| parameter.name == *name) else {
            return Err(unknown("--max", "size parameter", kernel, name, names()).into());
        };
        let Some(bound) = size(*value, parameter.ty) else {
            return Err(Diagnostic::new(format!(
                "--max {name}={value}: a size is at least 0 and at most {}",
                limit(parameter.ty)
            ))
            .at(parameter.span, "this size")
            .help("give a bound in that range")
            .into());
        };
        bounds.insert(name.clone(), bound);
    }
    Ok(bounds)
}

/// Values by name. A name that is no scalar argument, a value that its type does not hold, and a size above its bound
/// (`max`, else the kernel's) are `Diagnostic`s.
pub fn settings(kernel: &Kernel, set: &[Assignment], max: &BTreeMap<String, i64>) -> Result<BTreeMap<String, i128>> {
    let mut settings = BTreeMap::new();
    for (name, value) in set {
        if let Some(parameter) = kernel.parameters.iter().find(|parameter| parameter.name == *name) {
            if size(*value, parameter.ty).is_none() {
                let message = format!("--set {name}={value}: a size is at least 0 and at most {}", limit(parameter.ty));
                return Err(Diagnostic::new(message)
                    .at(parameter.span, "this size")
                    .help("give a value in that range")
                    .into());
            }
            let declared = max.get(name).copied().or(parameter.max);
            if let Some(bound) = declared.filter(|bound| *value > i128::from(*bound)) {
                return Err(Diagnostic::new(format!("--set {name}={value} is above the bound of `{name}`, {bound}"))
                    .at(parameter.span, format!("at most {bound}"))
                    .help(format!(
                        "raise the bound: --max {name}={value}, or in `#pragma burstc size({name}: …, max …)`"
                    ))
                    .into());
            }
        } else if let Some(scalar) = kernel.scalars.iter().find(|scalar| scalar.name == *name) {
            let (low, high) = range(scalar.ty);
            if !(low..=high).contains(value) {
                return Err(Diagnostic::new(format!("--set {name}={value}: `{name}` is of type {}", scalar.ty))
                    .at(scalar.span, format!("{low} to {high}"))
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

fn size(value: i128, ty: IntType) -> Option<i64> {
    (0..=limit(ty)).contains(&value).then_some(value as i64)
}

/// Largest size: what the type and a register of 32 bits, read as signed, hold.
fn limit(ty: IntType) -> i128 {
    range(ty).1.min(i128::from(i32::MAX))
}

fn range(ty: IntType) -> (i128, i128) {
    match ty.signed {
        true => (-(1 << (ty.bits - 1)), (1 << (ty.bits - 1)) - 1),
        false => (0, (1 << ty.bits) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::samples;

    #[test]
    fn assignments_are_read() {
        assert_eq!(parse_assignment("N=100"), Ok(("N".into(), 100)));
        assert_eq!(parse_assignment("alpha=-0x10"), Ok(("alpha".into(), -16)));
        assert_eq!(parse_assignment("x=18446744073709551615"), Ok(("x".into(), i128::from(u64::MAX))));
        for wrong in ["N", "=3", "N=", "N=ten", "N=1.5", "N=18446744073709551616", "N=--1", "N=-+1", "N=+1", "N=0x"] {
            assert!(parse_assignment(wrong).is_err(), "{wrong}");
        }
    }

    fn message(result: Result<BTreeMap<String, i128>>) -> (String, String) {
        let error = result.unwrap_err();
        let diagnostic = error.downcast_ref::<Diagnostic>().unwrap();
        (diagnostic.message.clone(), diagnostic.help.clone())
    }

    #[test]
    fn settings_fit_the_kernel() {
        let kernel = samples::scale();
        let set = |name: &str, value| settings(&kernel, &[(name.to_string(), value)], &BTreeMap::new());
        assert_eq!(set("N", 10).unwrap()["N"], 10);
        assert_eq!(set("beta", -128).unwrap()["beta"], -128);
        assert!(message(set("beta", 128)).0.contains("is of type int8_t"));
        assert!(message(set("N", -1)).0.contains("at least 0"));
        assert!(message(set("N", 1 << 40)).0.contains("at most 2147483647"));
        let (text, help) = message(set("n", 1));
        assert_eq!(text, "--set n: `scale` has no scalar argument of that name");
        assert_eq!(help, "did you mean `N`? Known scalar arguments: N, alpha, beta");
        // An array is none.
        assert!(message(set("a", 1)).1.contains("N, alpha, beta"));
    }

    #[test]
    fn a_size_stays_below_its_bound() {
        let mut kernel = samples::scale();
        kernel.parameters[0].max = Some(64);
        let set =
            |value, max: &[Assignment]| settings(&kernel, &[("N".to_string(), value)], &bounds(&kernel, max).unwrap());
        assert!(set(64, &[]).is_ok());
        assert_eq!(message(set(65, &[])).0, "--set N=65 is above the bound of `N`, 64");
        assert!(set(65, &[("N".into(), 65)]).is_ok());
        assert!(bounds(&kernel, &[("M".into(), 65)]).is_err());
        assert!(bounds(&kernel, &[("N".into(), -1)]).is_err());
    }
}
