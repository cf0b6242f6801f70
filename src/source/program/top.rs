//! What stands at the outermost level of the preprocessed text, found by its brackets alone.

use std::collections::HashSet;
use std::ops::Range;

use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, parse_preprocessed};
use lang_c::span::Span as ByteSpan;

use super::super::preprocess::Preprocessed;
use super::super::scope::Checked;
use super::super::token::Kind;
use crate::diagnostic::Diagnostic;

/// A declaration or a definition at the outermost level.
#[derive(Clone, Debug)]
pub struct External {
    /// All of it, in bytes of the preprocessed text.
    pub bytes: Range<usize>,
    /// The name and the body, with its braces, of a function's definition.
    pub function: Option<(String, Range<usize>)>,
    /// The words outside of the body.
    pub words: HashSet<String>,
    /// It stands in the user's file.
    pub is_main: bool,
}

/// Takes the text apart.
pub fn externals(preprocessed: &Preprocessed) -> Vec<External> {
    let (text, tokens) = (&preprocessed.text, &preprocessed.tokens);
    let mut all = vec![];
    let (mut begin, mut depth, mut assigned) = (0, 0usize, false);
    // Where the outermost brace opened, and whether it opened a function's body.
    let mut body: Option<(usize, bool)> = None;
    let mut k = 0;
    while k < tokens.len() {
        let is_last = k + 1 == tokens.len();
        let mut ends = false;
        match tokens[k].text(text) {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "=" if depth == 0 => assigned = true,
            "{" => {
                if depth == 0 {
                    let heads = has_arguments(preprocessed, begin, k) && !assigned;
                    body = Some((k, heads));
                }
                depth += 1;
            }
            "}" => {
                depth = depth.saturating_sub(1);
                ends = depth == 0 && body.is_some_and(|(_, heads)| heads);
            }
            ";" if depth == 0 => {
                // The declarations of old-style arguments end with the body.
                ends = !is_old_style(preprocessed, begin, k);
            }
            _ => {}
        }
        if ends || is_last {
            let bytes = tokens[begin].start..tokens[k].end;
            let function = body.filter(|(_, heads)| *heads && ends);
            let name = function.and_then(|(open, _)| name_of(preprocessed, begin, open));
            let function = function.zip(name).map(|((open, _), name)| (name, tokens[open].start..tokens[k].end));
            let outside = |at: usize| function.as_ref().is_none_or(|(_, body)| !body.contains(&at));
            let words = tokens[begin..=k].iter().filter(|t| t.kind == Kind::Word && outside(t.start));
            let words = words.map(|t| t.text(text).to_string()).collect();
            let first = tokens[begin];
            let is_main = preprocessed.map.is_main(ByteSpan::span(first.start, first.end));
            all.push(External { bytes, function, words, is_main });
            (begin, depth, assigned, body) = (k + 1, 0, false, None);
        }
        k += 1;
    }
    all
}

/// Whether tokens `begin..open`, before a brace, are a function's head: `name(…)`, maybe with what old C or an
/// attribute puts behind it.
fn has_arguments(preprocessed: &Preprocessed, begin: usize, open: usize) -> bool {
    name_of(preprocessed, begin, open).is_some()
}

/// The name before the first bracket of arguments.
fn name_of(preprocessed: &Preprocessed, begin: usize, open: usize) -> Option<String> {
    let tokens = &preprocessed.tokens[begin..open];
    let text = |k: usize| tokens[k].text(&preprocessed.text);
    let mut depth = 0usize;
    for k in 0..tokens.len() {
        match text(k) {
            "(" => {
                let named = k > 0 && tokens[k - 1].kind == Kind::Word;
                if depth == 0
                    && named
                    && !matches!(text(k - 1), "__attribute__" | "__attribute" | "__typeof__" | "typeof")
                {
                    return Some(text(k - 1).to_string());
                }
                depth += 1;
            }
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Whether the `;` at token `k` ends the type of an old-style argument, as in `f(a) int a; { … }`.
fn is_old_style(preprocessed: &Preprocessed, begin: usize, k: usize) -> bool {
    let tokens = &preprocessed.tokens[begin..k];
    let text = |k: usize| tokens[k].text(&preprocessed.text);
    let Some(close) = (0..tokens.len()).rev().find(|k| text(*k) == ")") else { return false };
    let is_plain = (close + 1..tokens.len()).all(|k| !matches!(text(k), "=" | "(" | "__asm__" | "__attribute__"));
    close + 1 < tokens.len()
        && is_plain
        && tokens[close + 1].kind == Kind::Word
        && (close + 2 < tokens.len())
        && name_of(preprocessed, begin, begin + close).is_some()
}

/// The text's tree. What the parser cannot read in an included file, or of what `spare` says so, is left out: nothing
/// may use it.
pub fn unit(preprocessed: &Preprocessed, text: String, spare: &dyn Fn(&External) -> bool) -> Checked<TranslationUnit> {
    let mut text = text;
    let mut all: Option<Vec<External>> = None;
    loop {
        let config = Config { cpp_command: String::new(), cpp_options: vec![], flavor: Flavor::GnuC11 };
        let error = match parse_preprocessed(&config, text.clone()) {
            Ok(parse) => return Ok(parse.unit),
            Err(error) => error,
        };
        let externals = all.get_or_insert_with(|| externals(preprocessed));
        let culprit = externals.iter().position(|e| error.offset < e.bytes.end && (!e.is_main || spare(e)));
        match culprit.map(|k| externals.remove(k)) {
            Some(external) if external.bytes.start <= error.offset => blank(&mut text, external.bytes),
            _ => {
                let at = ByteSpan::span(error.offset, error.offset + 1);
                return Err(Diagnostic::new("burstc cannot read this, although the C compiler can")
                    .at(preprocessed.map.span(at), "up to here")
                    .help("write it in standard C11, with names of letters, digits and `_`"));
            }
        }
    }
}

/// Puts blanks in place of these bytes, and keeps the lines.
pub fn blank(text: &mut String, bytes: Range<usize>) {
    let blanks: String = text[bytes.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect();
    text.replace_range(bytes, &blanks);
}
