//! The functions of <ctype.h> as the C locale has them: their bodies stand where the header was included, on its line.
//!
//! A C library may give any other number than 0 for true; here it is 1.

use super::super::Source;
use super::super::token::tokenize;

/// Names and bodies, for `c_`.
const FUNCTIONS: [(&str, &str); 14] = [
    ("isdigit", "c_ >= '0' && c_ <= '9'"),
    ("islower", "c_ >= 'a' && c_ <= 'z'"),
    ("isupper", "c_ >= 'A' && c_ <= 'Z'"),
    ("isalpha", "(c_ >= 'a' && c_ <= 'z') || (c_ >= 'A' && c_ <= 'Z')"),
    ("isalnum", "(c_ >= '0' && c_ <= '9') || (c_ >= 'a' && c_ <= 'z') || (c_ >= 'A' && c_ <= 'Z')"),
    ("isxdigit", "(c_ >= '0' && c_ <= '9') || (c_ >= 'a' && c_ <= 'f') || (c_ >= 'A' && c_ <= 'F')"),
    ("isspace", "c_ == ' ' || (c_ >= 9 && c_ <= 13)"),
    ("isblank", "c_ == ' ' || c_ == 9"),
    ("iscntrl", "(c_ >= 0 && c_ < 32) || c_ == 127"),
    ("isprint", "c_ >= 32 && c_ < 127"),
    ("isgraph", "c_ > 32 && c_ < 127"),
    ("ispunct", "(c_ > 32 && c_ < 48) || (c_ > 57 && c_ < 65) || (c_ > 90 && c_ < 97) || (c_ > 122 && c_ < 127)"),
    ("tolower", "c_ >= 'A' && c_ <= 'Z' ? c_ + 32 : c_"),
    ("toupper", "c_ >= 'a' && c_ <= 'z' ? c_ - 32 : c_"),
];

/// The file with those that it calls in place of the header.
pub fn given(mut source: Source) -> Source {
    let mut start = 0;
    let header = source.text.split_inclusive('\n').find_map(|line| {
        let from = start;
        start += line.len();
        let words: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        words.starts_with("#include<ctype.h>").then(|| from..from + line.trim_end().len())
    });
    let Some(header) = header else { return source };
    let all = tokenize(&source.text);
    let is_called = |name: &str| {
        let word = |k: usize| all.tokens.get(k).map_or("", |token| token.text(&source.text));
        (0..all.tokens.len()).any(|k| word(k) == name && word(k + 1) == "(")
    };
    let used = FUNCTIONS.iter().filter(|(name, _)| is_called(name));
    let bodies: Vec<String> =
        used.map(|(name, value)| format!("static int {name}(int c_) {{ return {value}; }}")).collect();
    if !bodies.is_empty() {
        source.text.replace_range(header, &bodies.join(" "));
    }
    source
}
