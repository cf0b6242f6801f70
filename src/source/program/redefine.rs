//! `--redefine N=64`: another text in place of a macro's own.

use super::super::Source;
use super::super::token::tokenize;
use crate::diagnostic::Diagnostic;

/// Replaces every `#define NAME …` of the file. Errors: a [`Diagnostic`] where there is none, or it takes arguments.
pub fn redefine(source: &mut Source, name: &str, value: &str) -> Result<(), Diagnostic> {
    let tokens = tokenize(&source.text);
    let mut found = vec![];
    let mut names = vec![];
    for directive in &tokens.directives {
        let [_, define, defined, rest @ ..] = &directive[..] else { continue };
        if define.text(&source.text) != "define" {
            continue;
        }
        let takes_arguments =
            rest.first().is_some_and(|next| next.start == defined.end && next.text(&source.text) == "(");
        let own = defined.text(&source.text).to_string();
        if own != name {
            if !takes_arguments && !rest.is_empty() {
                names.push(own);
            }
            continue;
        }
        if takes_arguments {
            return Err(Diagnostic::new(format!("--redefine {name}={value}: the macro takes arguments"))
                .at(defined.span(&source.text), "here")
                .help("only names that stand for a value can get another"));
        }
        found.push(defined.end..rest.last().map_or(defined.end, |last| last.end));
    }
    if found.is_empty() {
        names.truncate(12);
        let known = match names.is_empty() {
            true => "it defines none".to_string(),
            false => format!("it defines {}", names.join(", ")),
        };
        return Err(Diagnostic::new(format!("--redefine {name}={value}: the file does not define `{name}`"))
            .help(format!("{known}; for what it does not define, there is -D {name}={value}")));
    }
    for bytes in found.into_iter().rev() {
        // Lines stay where they are.
        let lines: String = source.text[bytes.clone()].matches('\n').map(|_| "\\\n").collect();
        source.text.replace_range(bytes, &format!(" {value}{lines}"));
    }
    Ok(())
}
