//! C's tokens with their places: enough of a lexer to find directives and to map the preprocessed text back to the
//! user's.

use crate::diagnostic::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    Number,
    /// A string or a character.
    Literal,
    Punctuation,
}

/// Bytes `start..end` of the text. `line` and `column` count from 1, columns in characters.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
    pub line: usize,
    pub column: usize,
}

impl Token {
    pub fn text(self, text: &str) -> &str {
        &text[self.start..self.end]
    }

    pub fn span(self, text: &str) -> Span {
        Span { line: self.line, column: self.column, length: self.text(text).chars().count() }
    }
}

/// A text taken apart. Comments and spliced lines are white space.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    pub tokens: Vec<Token>,
    /// The lines that begin with `#`, each with its `#` first.
    pub directives: Vec<Vec<Token>>,
}

/// Punctuation of more than one character, longest first.
const PUNCTUATION: [&str; 23] = [
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=", "/=", "%=", "+=",
    "-=", "&=", "|=", "^=", "##",
];

pub fn is_word_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

pub fn tokenize(text: &str) -> Tokens {
    let mut lexer = Lexer { text, at: 0, line: 1, column: 1 };
    let mut found = Tokens::default();
    let mut directive: Option<Vec<Token>> = None;
    let mut line_is_empty = true;
    while let Some(c) = lexer.peek() {
        if lexer.splice() || lexer.comment() {
            continue;
        }
        if c == '\n' {
            found.directives.extend(directive.take());
            line_is_empty = true;
            lexer.step();
        } else if c.is_whitespace() || c == '\u{feff}' {
            lexer.step();
        } else {
            let token = lexer.token(c);
            match &mut directive {
                Some(tokens) => tokens.push(token),
                None if line_is_empty && token.text(text) == "#" => directive = Some(vec![token]),
                None => found.tokens.push(token),
            }
            line_is_empty = false;
        }
    }
    found.directives.extend(directive);
    found
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn step(&mut self) {
        if let Some(c) = self.peek() {
            self.at += c.len_utf8();
            if c == '\n' {
                (self.line, self.column) = (self.line + 1, 1);
            } else {
                self.column += 1;
            }
        }
    }

    fn skip(&mut self, characters: usize) {
        (0..characters).for_each(|_| self.step());
    }

    /// A backslash at the end of a line.
    fn splice(&mut self) -> bool {
        let Some(rest) = self.rest().strip_prefix('\\') else { return false };
        let blanks = rest.chars().take_while(|c| *c != '\n' && c.is_whitespace()).count();
        let ends = rest.chars().nth(blanks) == Some('\n');
        if ends {
            self.skip(blanks + 2);
        }
        ends
    }

    fn comment(&mut self) -> bool {
        if self.rest().starts_with("/*") {
            let length = self.rest()[2..].find("*/").map_or(self.rest().len(), |end| end + 4);
            let end = self.at + length;
            while self.at < end {
                self.step();
            }
            true
        } else if self.rest().starts_with("//") {
            while self.peek().is_some_and(|c| c != '\n') {
                if !self.splice() {
                    self.step();
                }
            }
            true
        } else {
            false
        }
    }

    fn token(&mut self, first: char) -> Token {
        let (start, line, column) = (self.at, self.line, self.column);
        let second_is_digit = self.rest().chars().nth(1).is_some_and(|c| c.is_ascii_digit());
        let kind = if is_word_start(first) {
            while self.peek().is_some_and(is_word) {
                self.step();
            }
            Kind::Word
        } else if first.is_ascii_digit() || first == '.' && second_is_digit {
            let mut previous = first;
            while let Some(c) = self.peek() {
                let exponent = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E' | 'p' | 'P');
                if !is_word(c) && c != '.' && !exponent {
                    break;
                }
                previous = c;
                self.step();
            }
            Kind::Number
        } else if matches!(first, '"' | '\'') {
            self.step();
            while let Some(c) = self.peek() {
                if c == '\n' {
                    break;
                }
                self.step();
                if c == first {
                    break;
                }
                if c == '\\' && self.peek() != Some('\n') {
                    self.step();
                }
            }
            Kind::Literal
        } else {
            let length = PUNCTUATION.iter().find(|p| self.rest().starts_with(**p)).map_or(1, |p| p.len());
            self.skip(length);
            Kind::Punctuation
        };
        Token { kind, start, end: self.at, line, column }
    }
}
