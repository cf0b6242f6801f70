//! From the preprocessed text back to the user's file.
//!
//! The preprocessor keeps lines (its markers tell them) but neither columns nor the names of macros. So the tokens of
//! one line on both sides are aligned: equal tokens face each other, and what a macro expanded to faces its use.

use std::ops::Range;

use lang_c::span::Span as ByteSpan;

use super::token::{Token, Tokens};
use crate::diagnostic::Span;

/// A token's place in the user's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Tokens `first..=last` of the file: one, or the use of a macro.
    Tokens(usize, usize),
    /// It came from a file that this line includes.
    Include(usize),
    Unknown,
}

#[derive(Clone, Copy, Debug)]
struct Mapped {
    /// Byte of the preprocessed text.
    end: usize,
    origin: Origin,
}

/// Places of the preprocessed text's tokens. Filled in their order, then [`SourceMap::finish`]ed.
pub struct SourceMap<'a> {
    user: &'a str,
    original: &'a Tokens,
    mapped: Vec<Mapped>,
    /// Tokens of the included file that is being read.
    included: usize,
    /// The line being read: its number, and the texts of its tokens, which end `mapped`.
    lines: Vec<(usize, Vec<(usize, String)>)>,
}

impl<'a> SourceMap<'a> {
    pub fn new(user: &'a str, original: &'a Tokens) -> Self {
        SourceMap { user, original, mapped: vec![], included: 0, lines: vec![] }
    }

    /// A token of the user's file, on `line` of it.
    pub fn push_main(&mut self, token: &Token, text: &str, line: usize) {
        let entry = (self.mapped.len(), text.to_string());
        self.mapped.push(Mapped { end: token.end, origin: Origin::Unknown });
        match self.lines.last_mut() {
            Some((last, entries)) if *last == line => entries.push(entry),
            _ => self.lines.push((line, vec![entry])),
        }
    }

    /// A token of another file.
    pub fn push_included(&mut self, token: &Token) {
        self.mapped.push(Mapped { end: token.end, origin: Origin::Unknown });
        self.included += 1;
    }

    /// The tokens of other files since the user's file was left came through this `#include` line.
    pub fn end_include(&mut self, line: Option<usize>) {
        let first = self.mapped.len() - self.included;
        if let Some(line) = line {
            self.mapped[first..].iter_mut().for_each(|token| token.origin = Origin::Include(line));
        }
        self.included = 0;
    }

    /// Aligns the lines.
    pub fn finish(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        for (i, (line, entries)) in lines.iter().enumerate() {
            // A use of a macro may span lines; all that it expands to is on the first.
            let next = lines.get(i + 1).map_or(line + 1, |(next, _)| (*next).max(line + 1));
            let first = self.original.tokens.partition_point(|token| token.line < *line);
            let end = self.original.tokens.partition_point(|token| token.line < next);
            let before: Vec<&str> = self.original.tokens[first..end].iter().map(|t| t.text(self.user)).collect();
            let after: Vec<&str> = entries.iter().map(|(_, text)| text.as_str()).collect();
            for ((index, _), range) in entries.iter().zip(align(&before, &after)) {
                if let Some((a, b)) = range {
                    self.mapped[*index].origin = Origin::Tokens(first + a, first + b);
                }
            }
        }
    }

    /// The place of bytes of the preprocessed text. A construct of several lines is marked on its first.
    pub fn span(&self, bytes: ByteSpan) -> Span {
        match self.origin(bytes) {
            Origin::Tokens(first, last) => {
                let (first, last) = (self.original.tokens[first], self.original.tokens[last]);
                let text = &self.user[first.start..last.end.max(first.end)];
                let length = text.lines().next().unwrap_or("").trim_end().chars().count();
                Span { line: first.line, column: first.column, length }
            }
            Origin::Include(line) => self.line(line),
            Origin::Unknown => Span { line: 1, column: 1, length: 0 },
        }
    }

    /// What the user wrote there, on one line and without comments.
    pub fn text(&self, bytes: ByteSpan) -> String {
        let Origin::Tokens(first, last) = self.origin(bytes) else { return String::new() };
        let (first, last) = self.in_brackets(first, last.max(first));
        let mut text = String::new();
        let mut end = None;
        for token in &self.original.tokens[first..=last] {
            if end.is_some_and(|end| end < token.start) {
                text.push(' ');
            }
            text.push_str(token.text(self.user));
            end = Some(token.end);
        }
        text
    }

    /// Tokens of the user's file with the brackets that end or begin among them: of what stands for a part of a loop's head and its
    /// body, the loop.
    fn in_brackets(&self, mut first: usize, mut last: usize) -> (usize, usize) {
        let tokens = &self.original.tokens;
        let depth = |token: &Token| match token.text(self.user) {
            "(" | "[" | "{" => 1,
            ")" | "]" | "}" => -1,
            _ => 0i64,
        };
        let (mut open, mut least) = (0, 0);
        for token in &tokens[first..=last] {
            open += depth(token);
            least = least.min(open);
        }
        let mut missing = -least;
        while missing > 0 && first > 0 {
            first -= 1;
            missing -= depth(&tokens[first]);
        }
        if least < 0 && first > 0 && matches!(tokens[first - 1].text(self.user), "for" | "while" | "if") {
            first -= 1;
        }
        let mut open = open - least;
        while open > 0 && last + 1 < tokens.len() {
            last += 1;
            open += depth(&tokens[last]);
        }
        (first, last)
    }

    /// The places of another text's tokens, by the ends of these and the bytes of this text that each comes from.
    pub fn moved(&self, tokens: impl Iterator<Item = (usize, ByteSpan)>) -> SourceMap<'a> {
        let mapped = tokens.map(|(end, source)| Mapped { end, origin: self.origin(source) }).collect();
        SourceMap { user: self.user, original: self.original, mapped, included: 0, lines: vec![] }
    }

    /// The bytes of the user's file that it comes from.
    pub fn bytes(&self, bytes: ByteSpan) -> Option<Range<usize>> {
        let Origin::Tokens(first, last) = self.origin(bytes) else { return None };
        let tokens = &self.original.tokens;
        Some(tokens[first].start..tokens[last.max(first)].end)
    }

    /// Whether it stands in the user's file itself.
    pub fn is_main(&self, bytes: ByteSpan) -> bool {
        matches!(self.origin(bytes), Origin::Tokens(..))
    }

    /// A line of the user's file.
    pub fn line(&self, line: usize) -> Span {
        let text = line.checked_sub(1).and_then(|line| self.user.lines().nth(line)).unwrap_or("");
        let indent = text.chars().take_while(|c| c.is_whitespace()).count();
        Span { line: line.max(1), column: indent + 1, length: text.trim().chars().count() }
    }

    fn origin(&self, bytes: ByteSpan) -> Origin {
        let first = self.mapped.partition_point(|token| token.end <= bytes.start);
        let end = self.mapped.partition_point(|token| token.end <= bytes.end);
        let Some(token) = self.mapped.get(first).or(self.mapped.last()) else { return Origin::Unknown };
        let last = if end > first { self.mapped[end - 1] } else { *token };
        match (token.origin, last.origin) {
            (Origin::Tokens(first, a), Origin::Tokens(b, last)) => Origin::Tokens(first, last.max(a).max(b)),
            (origin, _) => origin,
        }
    }
}

/// The largest alignment, in pairs of tokens, that is looked for exactly.
const LARGEST: usize = 4_000_000;

/// For each token of `after` the range of `before` that it comes from.
fn align(before: &[&str], after: &[&str]) -> Vec<Option<(usize, usize)>> {
    let prefix = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (x, y) = (&before[prefix..], &after[prefix..]);
    let suffix = x.iter().rev().zip(y.iter().rev()).take_while(|(a, b)| a == b).count();
    let (x, y) = (&x[..x.len() - suffix], &y[..y.len() - suffix]);

    let mut partner: Vec<Option<usize>> = vec![None; after.len()];
    (0..prefix).for_each(|i| partner[i] = Some(i));
    (0..suffix).for_each(|i| partner[after.len() - 1 - i] = Some(before.len() - 1 - i));
    if x.len() * y.len() <= LARGEST {
        // Longest common subsequence: `common[i][j]` of x[i..] and y[j..].
        let width = y.len() + 1;
        let mut common = vec![0u32; (x.len() + 1) * width];
        for i in (0..x.len()).rev() {
            for j in (0..y.len()).rev() {
                common[i * width + j] = match x[i] == y[j] {
                    true => common[(i + 1) * width + j + 1] + 1,
                    false => common[(i + 1) * width + j].max(common[i * width + j + 1]),
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < x.len() && j < y.len() {
            if x[i] == y[j] {
                partner[prefix + j] = Some(prefix + i);
                (i, j) = (i + 1, j + 1);
            } else if common[(i + 1) * width + j] >= common[i * width + j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
    }

    // A token without a partner lies between those of its neighbours.
    let mut left = 0;
    let mut first: Vec<usize> = Vec::with_capacity(after.len());
    for own in &partner {
        first.push(left);
        left = own.map_or(left, |i| i + 1);
    }
    let mut right = before.len();
    let mut ranges = vec![None; after.len()];
    for (j, own) in partner.iter().enumerate().rev() {
        right = own.unwrap_or(right);
        ranges[j] = match own {
            Some(i) => Some((*i, *i)),
            None if first[j] < right => Some((first[j], right - 1)),
            // The macro stood for nothing of its own, as where two uses meet.
            None => {
                [first[j].checked_sub(1), Some(right)].into_iter().flatten().find(|i| *i < before.len()).map(|i| (i, i))
            }
        };
    }
    ranges
}
