//! Functions of the compiler on bits and bytes, `__builtin_popcount(x)`, and what `<math.h>` makes its constants of: helpers with bodies,
//! which are put in front of a preprocessed text that calls them.

use lang_c::span::Span as ByteSpan;

use super::preprocess::Preprocessed;
use super::token::{Kind, tokenize};

/// Functions of an argument without sign, of 32 bits, and with `l` or `ll` behind the name of 64: the name, of what the ones are counted,
/// or nothing where it is the place of the highest one, and what becomes of the number `ones`.
const FUNCTIONS: [(&str, Option<&str>, &str); 5] = [
    ("popcount", Some("x"), "ones"),
    ("parity", Some("x"), "ones & 1"),
    ("clz", None, "BITS - ones"),
    ("ctz", Some("(x & -x) - 1"), "ones"),
    ("ffs", Some("(x & -x) - 1"), "x == 0 ? 0 : ones + 1"),
];

/// Others, by their whole names: the type of what they give, their parameter, and the value.
const OTHERS: [(&str, &str, &str, &str); 11] = [
    ("bswap16", "unsigned short", "unsigned short x", "(unsigned short)(x << 8 | x >> 8)"),
    ("bswap32", "unsigned int", "unsigned int x", "x << 24 | (x & 65280u) << 8 | (x >> 8 & 65280u) | x >> 24"),
    (
        "bswap64",
        "unsigned long long",
        "unsigned long long x",
        "x << 56 | (x & 65280ull) << 40 | (x & 16711680ull) << 24 | (x & 4278190080ull) << 8 | (x >> 8 & 4278190080ull) | \
         (x >> 24 & 16711680ull) | (x >> 40 & 65280ull) | x >> 56",
    ),
    ("inff", "float", "void", "1e999f"),
    ("huge_valf", "float", "void", "1e999f"),
    ("inf", "double", "void", "1e999"),
    ("huge_val", "double", "void", "1e999"),
    ("isnan", "int", "double x", "x != x"),
    ("isinf_sign", "int", "double x", "x > 1.7976931348623157e308 ? 1 : x < -1.7976931348623157e308 ? -1 : 0"),
    ("isinf", "int", "double x", "x > 1.7976931348623157e308 || x < -1.7976931348623157e308"),
    ("isfinite", "int", "double x", "x >= -1.7976931348623157e308 && x <= 1.7976931348623157e308"),
];

/// The text with the bodies of those that it calls; `None` where it calls none.
pub fn defined<'a>(preprocessed: &Preprocessed<'a>) -> Option<Preprocessed<'a>> {
    let mut pieces = vec![];
    let mut known: Vec<String> = vec![];
    for token in preprocessed.tokens.iter().filter(|token| token.kind == Kind::Word) {
        let name = token.text(&preprocessed.text);
        let Some(body) = name.strip_prefix("__builtin_").and_then(body) else { continue };
        if !known.iter().any(|other| other == name) {
            known.push(name.to_string());
            let text = body.replace("NAME", name);
            let place = ByteSpan::span(token.start, token.end);
            pieces.extend(tokenize(&text).tokens.iter().map(|own| (own.text(&text).to_string(), place)));
        }
    }
    let begin = preprocessed.tokens.first().map_or(0, |token| token.start);
    (!pieces.is_empty()).then(|| preprocessed.spliced(&[(begin..begin, pieces)]))
}

/// A function of this name. The calls become part of expressions, so that a variable should be read few times.
fn body(name: &str) -> Option<String> {
    if let Some((_, ty, parameter, value)) = OTHERS.iter().find(|(own, ..)| *own == name) {
        return Some(format!("static {ty} NAME({parameter}) {{ return {value}; }}\n"));
    }
    let (counted, value, suffix) =
        FUNCTIONS.iter().find_map(|(stem, counted, value)| Some((*counted, *value, name.strip_prefix(stem)?)))?;
    let (bits, ty, suffix) = match suffix {
        "" => (32u32, "unsigned int", "u"),
        "l" | "ll" => (64, "unsigned long long", "ull"),
        _ => return None,
    };
    // So many bits in every group of twice as many.
    let mask = |by: u32| (0..bits).filter(|bit| (bit / by).is_multiple_of(2)).fold(0u64, |mask, bit| mask | 1 << bit);
    let [pairs, fours, bytes] = [1, 2, 4].map(|by| format!("{}{suffix}", mask(by)));
    let each_byte = format!("{}{suffix}", mask(8) / 255 * 257);
    let ones = match counted {
        Some(counted) => format!(
            "{ty} v = {counted}; v = v - ((v >> 1) & {pairs}); v = (v & {fours}) + ((v >> 2) & {fours}); \
             v = (v + (v >> 4)) & {bytes}; int ones = (int)((v * {each_byte}) >> {});",
            bits - 8
        ),
        None => {
            let places: Vec<String> = (0..bits).map(|place| format!("(x > {}{suffix})", (1u64 << place) - 1)).collect();
            format!("int ones = {};", places.join(" + "))
        }
    };
    Some(format!("static int NAME({ty} x) {{ {ones} return {}; }}\n", value.replace("BITS", &bits.to_string())))
}
