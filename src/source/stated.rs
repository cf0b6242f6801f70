//! `#pragma burstc rounds(2 * n)` before a `while` or `do` loop: it runs so often at most, whatever ends it.
//!
//! ```c
//! while (top > 0) { … }
//! ```
//!
//! becomes `for (int round = 0; round <= 2 * n; round++) if (!(top > 0)) break; else if (BEYOND(round == 2 * n)) break; else { … }`, of which
//! the last round only tells that there are more of them, as the hardware does at run time.

use std::collections::HashSet;

use lang_c::span::Span as ByteSpan;

use super::ROUND;
use super::directive::{self, Stated};
use super::preprocess::{Preprocessed, Splice};
use super::scope::Checked;
use super::token::{Token, tokenize};
use crate::diagnostic::Diagnostic;

/// `BEYOND(c)` is `c`, which is an error where it holds. A name that compilers keep for themselves, as nobody may declare it.
pub const BEYOND: &str = "__burstc_beyond";

/// The text with loops that count their rounds where a directive says how many there are; `None` where none does.
pub fn counted<'a>(preprocessed: &Preprocessed<'a>) -> Checked<Option<Preprocessed<'a>>> {
    let stated = directive::rounds(&preprocessed.pragmas, &preprocessed.macros)?;
    let mut edits: Vec<Splice> = vec![];
    for (count, own) in stated.iter().enumerate() {
        let first = preprocessed.tokens.iter().position(|token| token.start >= own.start);
        let loops = first.and_then(|first| Loop::at(preprocessed, first));
        let Some(own_edits) = loops.map(|found| found.edits(preprocessed, own, &name(preprocessed, count))) else {
            return Err(Diagnostic::new("`rounds` stands before no `while` and no `do` loop")
                .at(own.span, "here")
                .help("put it on a line of its own right before the loop; what a `for` loop does may stand in a `while` loop"));
        };
        edits.extend(own_edits);
    }
    edits.sort_by_key(|(bytes, _)| bytes.start);
    Ok((!edits.is_empty()).then(|| preprocessed.spliced(&edits)))
}

/// A name for what counts the rounds, which is nowhere in the text.
fn name(preprocessed: &Preprocessed, count: usize) -> String {
    let taken: HashSet<&str> = preprocessed.tokens.iter().map(|token| token.text(&preprocessed.text)).collect();
    let names = std::iter::successors(Some(format!("{ROUND}of_{count}")), |name| Some(format!("{name}_")));
    names.into_iter().find(|name| !taken.contains(name.as_str())).unwrap_or_default()
}

/// The places of a loop's tokens.
enum Loop {
    /// `while`, `(` and `)`.
    While(usize, usize, usize),
    /// `do`, and `while`, `(`, `)` and `;` behind the body.
    Do(usize, [usize; 4]),
}

impl Loop {
    fn at(preprocessed: &Preprocessed, first: usize) -> Option<Loop> {
        let tokens = &preprocessed.tokens;
        let text = |place: usize| tokens.get(place).map_or("", |token| token.text(&preprocessed.text));
        match text(first) {
            "while" => Some(Loop::While(first, first + 1, closing(preprocessed, first + 1)?)),
            "do" if text(first + 1) == "{" => {
                let end = closing(preprocessed, first + 1)? + 1;
                let condition = closing(preprocessed, end + 1).filter(|_| text(end) == "while")?;
                (text(condition + 1) == ";").then_some(Loop::Do(first, [end, end + 1, condition, condition + 1]))
            }
            _ => None,
        }
    }

    /// The loop that counts.
    fn edits(self, preprocessed: &Preprocessed, stated: &Stated, round: &str) -> Vec<Splice> {
        let tokens = &preprocessed.tokens;
        let bytes = |from: usize, to: usize| tokens[from].start..tokens[to].end;
        let most = stated.most.to_string();
        // Sizes are not negative. Where the sum may be, the first round tells.
        let may_be_negative = stated.most.constant < 0 || stated.most.terms.values().any(|factor| *factor < 0);
        let (end, is_last) = match may_be_negative {
            true => (format!("(({most}) > 0 ? ({most}) : 0)"), ">="),
            false => (format!("({most})"), "=="),
        };
        let head = format!("for (int {round} = 0; {round} <= {end}; {round}++)");
        let beyond = format!("if ({BEYOND}({round} {is_last} ({most}))) break; else");
        match self {
            Loop::While(first, open, close) => {
                let place = ByteSpan::span(tokens[first].start, tokens[close].end);
                let mut pieces = pieces(&format!("{head} if (!("), place);
                pieces.extend(own(preprocessed, open + 1, close));
                pieces.extend(self::pieces(&format!(")) break; else {beyond}"), place));
                vec![(bytes(first, close), pieces)]
            }
            // The condition is looked at before every round but the first.
            Loop::Do(first, [end, open, close, last]) => {
                let place = ByteSpan::span(tokens[first].start, tokens[first].end);
                let mut pieces = pieces(&format!("{head} if ({round} > 0 && !("), place);
                pieces.extend(own(preprocessed, open + 1, close));
                pieces.extend(self::pieces(&format!(")) break; else {beyond}"), place));
                vec![(bytes(first, first), pieces), (bytes(end, last), vec![])]
            }
        }
    }
}

/// Where the bracket closes that opens at a token.
fn closing(preprocessed: &Preprocessed, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (place, token) in preprocessed.tokens.iter().enumerate().skip(open) {
        match token.text(&preprocessed.text) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (place > open).then_some(place);
        }
    }
    None
}

/// Tokens of the text as they are.
fn own(preprocessed: &Preprocessed, from: usize, to: usize) -> Vec<(String, ByteSpan)> {
    let piece = |token: &Token| (token.text(&preprocessed.text).to_string(), ByteSpan::span(token.start, token.end));
    preprocessed.tokens[from..to].iter().map(piece).collect()
}

/// The tokens of a new text.
fn pieces(text: &str, place: ByteSpan) -> Vec<(String, ByteSpan)> {
    let all = tokenize(text).tokens;
    all.iter().map(|token| (token.text(text).to_string(), place)).collect()
}
