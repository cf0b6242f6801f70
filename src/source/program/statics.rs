//! Variables that helpers keep between calls, as variables of the file, which [`super::lift`] hands on.
//!
//! ```c
//! static int draw(void) { static unsigned s = 1; s = s * 69069 + 1; return s >> 20; }
//! ```
//!
//! becomes `static unsigned draw_s = 1; static int draw(void) { draw_s = draw_s * 69069 + 1; return draw_s >> 20; }`, with lines where they
//! were.

use std::collections::HashSet;
use std::ops::Range;

use super::super::Source;
use super::super::token::{Kind, Token, Tokens, tokenize};

/// A function of the file, as far as its words tell.
struct Function<'t> {
    name: &'t str,
    /// Where its declaration begins, in bytes.
    start: usize,
    /// The tokens between its braces.
    body: Range<usize>,
}

/// The file with such variables of functions that others call, and that are not `main`, on its outermost level; of functions that nobody
/// calls, which may be the kernel, numbers and those arrays that are only updated, `h[k]++`: others may be places for what one call computes.
pub fn lifted(mut source: Source) -> Source {
    if !source.text.contains("static") {
        return source;
    }
    let all = tokenize(&source.text);
    let functions = functions(&source.text, &all.tokens);
    let mut edits: Vec<(Range<usize>, String)> = vec![];
    let mut made = HashSet::new();
    for (k, own) in functions.iter().enumerate() {
        let calls = |other: &Function| {
            other.name != "main"
                && all.tokens[other.body.clone()]
                    .windows(2)
                    .any(|two| two[0].text(&source.text) == own.name && two[1].text(&source.text) == "(")
        };
        let is_called = functions.iter().enumerate().any(|(other, function)| other != k && calls(function));
        if own.name != "main" {
            edits.extend(of_function(&source.text, &all, own, !is_called, &mut made).unwrap_or_default());
        }
    }
    edits.sort_by_key(|(bytes, _)| std::cmp::Reverse((bytes.start, bytes.end)));
    for (bytes, text) in edits {
        source.text.replace_range(bytes, &text);
    }
    source
}

fn functions<'t>(text: &'t str, tokens: &[Token]) -> Vec<Function<'t>> {
    let word = |k: usize| tokens[k].text(text);
    let mut found = vec![];
    // The first token of what stands on the outermost level.
    let mut first = 0;
    let mut k = 0;
    while k < tokens.len() {
        match word(k) {
            "{" => {
                let Some(end) = closing(text, tokens, k) else { return found };
                if k > 0 && word(k - 1) == ")" {
                    let open = (first..k).find(|&open| word(open) == "(" && closing(text, tokens, open) == Some(k - 1));
                    if let Some(name) = open.and_then(|open| open.checked_sub(1)).filter(|name| *name > first) {
                        found.push(Function { name: word(name), start: tokens[first].start, body: k + 1..end });
                    }
                    first = end + 1;
                }
                k = end;
            }
            ";" => first = k + 1,
            _ => {}
        }
        k += 1;
    }
    found
}

/// The bracket that closes the one at `open`.
fn closing(text: &str, tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (k, token) in tokens.iter().enumerate().skip(open) {
        match token.text(text) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(k);
        }
    }
    None
}

/// What changes in the text for the variables that a function keeps; `None` where one of them cannot be told by its words.
fn of_function(
    text: &str,
    all: &Tokens,
    own: &Function,
    is_entered: bool,
    taken: &mut HashSet<String>,
) -> Option<Vec<(Range<usize>, String)>> {
    let tokens = &all.tokens;
    let word = |k: usize| tokens[k].text(text);
    let lines = tokens[own.body.start].line..=tokens[own.body.end].line;
    let is_inside = |directive: &Vec<Token>| {
        lines.contains(&directive[0].line) && directive.get(1).is_none_or(|word| word.text(text) != "pragma")
    };
    if all.directives.iter().any(is_inside) {
        return None;
    }
    let mut edits = vec![];
    let begins = |k: &usize| word(*k) == "static" && matches!(word(*k - 1), "{" | "}" | ";");
    for start in own.body.clone().filter(begins) {
        let mut end = start;
        while word(end) != ";" {
            end = if matches!(word(end), "(" | "[" | "{") { closing(text, tokens, end)? } else { end + 1 };
            (end < own.body.end).then_some(())?;
        }
        if (start..end).any(|k| word(k) == "const") {
            continue;
        }
        let places = declared(text, tokens, start..end)?;
        let names: Vec<&str> = places.iter().map(|k| word(*k)).collect();
        let is_place = |k: usize| word(k + 1) == "[" && !is_only_updated(text, tokens, k, end..own.body.end);
        if is_entered && places.iter().any(|k| is_place(*k)) {
            continue;
        }
        // Where the declarations of those end that nothing is said of: they begin at 0 (C11 6.7.9).
        let after = |k: &usize| (k + 1..=end).find(|&k| matches!(word(k), "," | ";" | "="));
        let bare: Vec<usize> = places.iter().filter_map(after).filter(|k| word(*k) != "=").collect();
        let types = start + 1..*places.first()?;
        // The block that knows them.
        let mut depth = 0usize;
        let scope = (end..=own.body.end).find(|&k| {
            match word(k) {
                "{" => depth += 1,
                "}" if depth == 0 => return true,
                "}" => depth -= 1,
                _ => {}
            }
            false
        })?;
        let mut fresh = |name: &&str| {
            let mut made = format!("{}_{name}", own.name);
            while text.contains(&made) || !taken.insert(made.clone()) {
                made.push('_');
            }
            made
        };
        let made: Vec<String> = names.iter().map(&mut fresh).collect();
        let rank = |at: usize| subscripts(text, tokens, at).map_or(0, |(rank, _)| rank);
        let is_kept = |k: usize| {
            let own = places.iter().find(|at| word(**at) == word(k));
            own.is_none_or(|at| is_read_only(text, tokens, k, rank(*at)))
        };
        let mut outside: Vec<String> = vec![];
        if (end..scope).all(is_kept) {
            outside.push("const".into());
        }
        for k in start..scope {
            let before = word(k - 1);
            let own = names.iter().position(|name| *name == word(k)).filter(|_| !matches!(before, "." | "->"));
            let name = own.map(|own| &made[own]);
            if k <= end {
                if let Some(bare) = bare.iter().find(|bare| **bare == k) {
                    let is_number = word(bare - 1) != "]" && types.clone().all(|k| is_type(word(k)));
                    outside.push(if is_number { "= 0" } else { "= {0}" }.into());
                }
                outside.push(name.map_or_else(|| word(k).to_string(), String::clone));
                continue;
            }
            let Some(name) = name else { continue };
            // Somebody else has the name, perhaps.
            let is_plain = matches!(before, "return" | "else" | "case" | "do" | "sizeof");
            let is_pointer = before == "*" && (tokens[k - 2].kind == Kind::Word || word(k - 2) == "*");
            if tokens[k - 1].kind == Kind::Word && !is_plain || is_pointer && is_type(word(k - 2)) {
                return None;
            }
            edits.push((tokens[k].start..tokens[k].end, name.clone()));
        }
        let blank: String = text[tokens[start].start..tokens[end].start]
            .chars()
            .map(|c| if c.is_whitespace() { c } else { ' ' })
            .collect();
        edits.push((tokens[start].start..tokens[end].start, blank));
        edits.push((own.start..own.start, outside.join(" ") + " "));
    }
    Some(edits)
}

/// Where the names of a declaration stand, of one without what it declares types with.
fn declared(text: &str, tokens: &[Token], all: Range<usize>) -> Option<Vec<usize>> {
    let word = |k: usize| tokens[k].text(text);
    let mut names = vec![];
    let (mut k, mut is_begun) = (all.start, false);
    while k < all.end {
        match word(k) {
            "{" | "(" if !is_begun => return None,
            "(" | "[" | "{" => k = closing(text, tokens, k)?,
            "," => is_begun = false,
            _ if !is_begun && (k + 1 == all.end || matches!(word(k + 1), "=" | "[" | ",")) => {
                (tokens[k].kind == Kind::Word).then(|| names.push(k))?;
                is_begun = true;
            }
            _ => {}
        }
        k += 1;
    }
    Some(names)
}

/// How many subscripts stand behind the name at `k`, and where they end.
fn subscripts(text: &str, tokens: &[Token], k: usize) -> Option<(usize, usize)> {
    let (mut rank, mut end) = (0, k + 1);
    while tokens[end].text(text) == "[" {
        (rank, end) = (rank + 1, closing(text, tokens, end)? + 1);
    }
    Some((rank, end))
}

/// Whether nothing but the value is asked for of the variable or the element that is named at `k`, as the words around it tell.
fn is_read_only(text: &str, tokens: &[Token], k: usize, rank: usize) -> bool {
    let word = |k: usize| tokens[k].text(text);
    let Some((own, end)) = subscripts(text, tokens, k) else { return false };
    let changes = |word: &str| word.ends_with('=') && !matches!(word, "==" | "!=" | "<=" | ">=");
    let is_step = |word: &str| matches!(word, "++" | "--");
    let is_before = is_step(word(k - 1)) || matches!(word(k - 1), "&" | "*");
    own == rank && !is_before && !is_step(word(end)) && !changes(word(end)) && !matches!(word(end), "." | "->")
}

/// Whether nothing gives an element of the array declared at `k` a value that does not depend on the one before.
fn is_only_updated(text: &str, tokens: &[Token], k: usize, mut behind: Range<usize>) -> bool {
    let word = |k: usize| tokens[k].text(text);
    let Some((rank, _)) = subscripts(text, tokens, k) else { return false };
    behind.all(|other| {
        let own = subscripts(text, tokens, other);
        word(other) != word(k)
            || own.is_some_and(|(own, end)| own == rank && !matches!(word(other - 1), "&" | "*") && word(end) != "=")
    })
}

fn is_type(word: &str) -> bool {
    matches!(word, "int" | "char" | "short" | "long" | "unsigned" | "signed" | "float" | "double" | "_Bool" | "const")
        || word.ends_with("_t")
}
