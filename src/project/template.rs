//! Text templates with `{{name}}` to be filled in.

use anyhow::{Result, bail};

/// The template with every `{{name}}` replaced by its value. A name without a value, and a value that no name asks
/// for, are errors of ours.
pub fn fill(template: &str, values: &[(&str, String)]) -> Result<String> {
    let mut text = String::with_capacity(template.len());
    let mut used = vec![false; values.len()];
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else { bail!("a template has `{{{{` without `}}}}`") };
        let Some(index) = values.iter().position(|(known, _)| *known == name) else {
            bail!("a template asks for `{name}`, which has no value");
        };
        used[index] = true;
        text.push_str(before);
        text.push_str(&values[index].1);
        rest = after;
    }
    if let Some(unused) = used.iter().position(|used| !used) {
        bail!("no template asks for `{}`", values[unused].0);
    }
    text.push_str(rest);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_every_name_and_no_other() {
        let value = |name: &'static str| (name, format!("<{name}>"));
        assert_eq!(fill("{{a}}-{{b}}{{a}}{x}", &[value("a"), value("b")]).unwrap(), "<a>-<b><a>{x}");
        assert!(fill("{{a}}", &[]).is_err());
        assert!(fill("a", &[value("a")]).is_err());
        assert!(fill("{{a", &[value("a")]).is_err());
    }
}
