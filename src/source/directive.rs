//! `#pragma burstc`: sizes, tiles and schedules.
//!
//! ```text
//! #pragma burstc size(N: 128, max 4096)
//! #pragma burstc tile(i:32, j:32, k:32)
//! #pragma burstc schedule((i,j) -> (N-j, i)) tile(10, 10)
//! ```

use std::collections::{HashMap, HashSet};

use super::affine_expression::{plus, times};
use super::kernel::{self, SizeParameter, TilingDirective};
use super::preprocess::{Pragma, Word};
use super::scope::{Checked, nearest};
use super::token::Kind;
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};

/// What a directive may begin with, and an example of each.
const DIRECTIVES: [(&str, &str); 3] = [
    ("tile", "tile(i:32, j:32)"),
    ("schedule", "schedule((i,j) -> (i+j, i)) tile(10, 10)"),
    ("size", "size(N: 128, max 4096)"),
];

/// Everything that the file's directives say.
#[derive(Debug, Default)]
pub struct Directives {
    pub sizes: Vec<Size>,
    tile: Option<Tile>,
    schedule: Option<Schedule>,
}

/// `N: 128, max 4096`
#[derive(Debug)]
pub struct Size {
    pub name: Word,
    default: Option<(i64, Span)>,
    max: Option<(i64, Span)>,
}

/// `tile(i:32, j:32)` or, beside a schedule, `tile(10, 10)`.
#[derive(Debug)]
struct Tile {
    span: Span,
    items: Vec<(Option<Word>, i64, Span)>,
}

/// `schedule((i,j) -> (N-j, i))`
#[derive(Debug)]
struct Schedule {
    span: Span,
    loops: Vec<Word>,
    loops_span: Span,
    theta: Vec<Theta>,
}

#[derive(Debug)]
struct Theta {
    value: Affine,
    names: Vec<Word>,
}

/// Reads the directives among `pragmas`. `macros` gives what a name expands to; names in `reserved`, those of the
/// kernel's own text, are not expanded.
pub fn read(pragmas: &[Pragma], macros: &HashMap<String, String>, reserved: &HashSet<&str>) -> Checked<Directives> {
    let mut directives = Directives::default();
    for pragma in pragmas {
        let Some((first, rest)) = pragma.words.split_first() else { continue };
        if first.text == "burstc" {
            check_depth(rest)?;
            let mut parser = Parser { words: rest, at: 0, last: first.span, macros, reserved, expanding: false };
            parser.directives(&mut directives)?;
        } else if nearest(&first.text, ["burstc"]).is_some() {
            return Err(Diagnostic::new(format!("unknown pragma `{}`", first.text))
                .at(first.span, "unknown")
                .help("did you mean `#pragma burstc`?"));
        }
    }
    Ok(directives)
}

fn check_depth(words: &[Word]) -> Checked<()> {
    let mut depth = 0usize;
    for word in words {
        match word.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > 64 {
            return Err(Diagnostic::new("too many parentheses in a directive").at(word.span, "here"));
        }
    }
    Ok(())
}

struct Parser<'w> {
    words: &'w [Word],
    at: usize,
    /// The word before `at`.
    last: Span,
    macros: &'w HashMap<String, String>,
    reserved: &'w HashSet<&'w str>,
    /// Inside a macro's expansion, where names stand for themselves.
    expanding: bool,
}

impl<'w> Parser<'w> {
    fn peek(&self) -> Option<&'w Word> {
        self.words.get(self.at)
    }

    fn text(&self) -> &'w str {
        self.peek().map_or("", |word| word.text.as_str())
    }

    fn next(&mut self) -> Option<&'w Word> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        self.last = word.span;
        Some(word)
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.text() == text;
        if found {
            self.next();
        }
        found
    }

    /// The next word, or the point behind the last one.
    fn here(&self) -> Span {
        let Span { line, column, length } = self.last;
        self.peek().map_or(Span { line, column: column + length, length: 0 }, |word| word.span)
    }

    fn expected<T>(&self, what: &str, help: impl Into<String>) -> Checked<T> {
        let found = self.peek().map_or("the directive ends".into(), |word| format!("`{}` was found", word.text));
        Err(Diagnostic::new(format!("{what} was expected, and {found}"))
            .at(self.here(), format!("{what} expected"))
            .help(help))
    }

    fn expect(&mut self, text: &str, help: &str) -> Checked<()> {
        if self.accept(text) { Ok(()) } else { self.expected(&format!("`{text}`"), help) }
    }

    fn directives(&mut self, directives: &mut Directives) -> Checked<()> {
        if self.peek().is_none() {
            return self.expected("a directive", known());
        }
        while let Some(word) = self.next() {
            let span = word.span;
            match word.text.as_str() {
                "tile" => {
                    let tile = self.tile(span)?;
                    if directives.tile.is_some() {
                        return Err(twice("tile", span));
                    }
                    directives.tile = Some(tile);
                }
                "schedule" => {
                    let schedule = self.schedule(span)?;
                    if directives.schedule.is_some() {
                        return Err(twice("schedule", span));
                    }
                    directives.schedule = Some(schedule);
                }
                "size" => self.size(&mut directives.sizes)?,
                other => {
                    let near = nearest(other, DIRECTIVES.iter().map(|(name, _)| *name));
                    let help = match near.filter(|_| word.kind == Kind::Word) {
                        Some(near) => format!("did you mean `{near}`? {}", known()),
                        None => known(),
                    };
                    return Err(Diagnostic::new(format!("unknown directive `{other}`")).at(span, "unknown").help(help));
                }
            }
        }
        Ok(())
    }

    fn tile(&mut self, start: Span) -> Checked<Tile> {
        const HELP: &str = "write `tile(i:32, j:32)`, or `tile(10, 10)` beside a schedule";
        self.expect("(", HELP)?;
        let mut items = Vec::new();
        loop {
            let name = self.label().then(|| self.next()).flatten().cloned();
            if name.is_some() {
                self.expect(":", HELP)?;
            }
            let (size, span) = self.integer("a tile size", HELP)?;
            if size < 1 {
                return Err(Diagnostic::new(format!("a tile size of {size}"))
                    .at(span, "less than 1")
                    .help("a tile has at least one iteration in each dimension"));
            }
            items.push((name, size, span));
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")", HELP)?;
        Ok(Tile { span: join(start, self.last), items })
    }

    /// Whether `name:` follows.
    fn label(&self) -> bool {
        self.peek().is_some_and(|word| word.kind == Kind::Word)
            && self.words.get(self.at + 1).is_some_and(|word| word.text == ":")
    }

    fn schedule(&mut self, start: Span) -> Checked<Schedule> {
        const HELP: &str = "write `schedule((i,j) -> (i+j, i))`";
        self.expect("(", HELP)?;
        let loops_start = self.here();
        self.expect("(", HELP)?;
        let mut loops = Vec::new();
        loop {
            match self.peek() {
                Some(word) if word.kind == Kind::Word => loops.extend(self.next().cloned()),
                _ => return self.expected("a loop's iterator", HELP),
            }
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")", HELP)?;
        let loops_span = join(loops_start, self.last);
        self.expect("->", HELP)?;
        self.expect("(", HELP)?;
        let mut theta = Vec::new();
        loop {
            let mut names = Vec::new();
            let value = self.sum(&mut names)?;
            theta.push(Theta { value, names });
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")", HELP)?;
        self.expect(")", HELP)?;
        Ok(Schedule { span: join(start, self.last), loops, loops_span, theta })
    }

    fn size(&mut self, sizes: &mut Vec<Size>) -> Checked<()> {
        const HELP: &str = "write `size(N: 128, max 4096)`, `size(N: 128)` or `size(N: max 4096)`";
        self.expect("(", HELP)?;
        loop {
            let name = match self.label() {
                true => self.next().cloned(),
                false => None,
            };
            let Some(name) = name else { return self.expected("a size parameter and `:`", HELP) };
            self.expect(":", HELP)?;
            if sizes.iter().any(|size| size.name.text == name.text) {
                return Err(Diagnostic::new(format!("the size of `{}` is declared twice", name.text))
                    .at(name.span, "again")
                    .help("keep one `size` for each parameter"));
            }
            let mut size = Size { name, default: None, max: None };
            let more = loop {
                self.size_value(&mut size, HELP)?;
                match self.accept(",") {
                    true if self.label() => break true,
                    true => {}
                    false => break false,
                }
            };
            if let (Some((default, span)), Some((max, _))) = (size.default, size.max)
                && default > max
            {
                return Err(Diagnostic::new(format!(
                    "the size of `{}` is {default} by default and {max} at most",
                    size.name.text
                ))
                .at(span, format!("more than {max}"))
                .help("the default lies within the maximum"));
            }
            sizes.push(size);
            if !more {
                return self.expect(")", HELP);
            }
        }
    }

    /// `128` or `max 4096`.
    fn size_value(&mut self, size: &mut Size, help: &str) -> Checked<()> {
        let start = self.here();
        let is_max = self.accept("max");
        let (value, span) = self.integer("a size", help)?;
        let slot = if is_max { &mut size.max } else { &mut size.default };
        if slot.is_some() {
            let what = if is_max { "a second `max`" } else { "a second value" };
            return Err(Diagnostic::new(format!("{what} for `{}`", size.name.text)).at(start, what).help(help));
        }
        if value < 0 {
            return Err(Diagnostic::new(format!("the size of `{}` is negative", size.name.text))
                .at(span, "negative")
                .help("sizes are at least 0"));
        }
        *slot = Some((value, span));
        Ok(())
    }

    /// A constant expression.
    fn integer(&mut self, what: &str, help: &str) -> Checked<(i64, Span)> {
        if self.peek().is_none() || matches!(self.text(), ")" | ",") {
            return self.expected(what, help);
        }
        let start = self.here();
        let mut names = Vec::new();
        let value = self.sum(&mut names)?;
        match names.first() {
            Some(name) => Err(Diagnostic::new(format!("`{}` is not an integer constant", name.text))
                .at(name.span, format!("{what} expected"))
                .help("use a number, or a name that #define makes one")),
            None => Ok((value.constant, join(start, self.last))),
        }
    }

    fn sum(&mut self, names: &mut Vec<Word>) -> Checked<Affine> {
        let start = self.here();
        let mut sum = self.product(names)?;
        loop {
            let sign = match self.text() {
                "+" => 1,
                "-" => -1,
                _ => return Ok(sum),
            };
            self.next();
            let term = self.product(names)?;
            sum = plus(sum, term, sign).ok_or_else(|| too_large(start))?;
        }
    }

    fn product(&mut self, names: &mut Vec<Word>) -> Checked<Affine> {
        let start = self.here();
        let mut product = self.factor(names)?;
        while self.accept("*") {
            let factor = self.factor(names)?;
            let scaled = match (product.is_constant(), factor.is_constant()) {
                (_, true) => times(product, factor.constant),
                (true, _) => times(factor, product.constant),
                _ => {
                    return Err(Diagnostic::new("this product of two variables is not affine")
                        .at(join(start, self.last), "not affine")
                        .help("one factor must be a constant"));
                }
            };
            product = scaled.ok_or_else(|| too_large(start))?;
        }
        if matches!(self.text(), "/" | "%") {
            return Err(Diagnostic::new(format!("`{}` is not affine", self.text()))
                .at(self.here(), "not affine")
                .help("use sums of iterators, sizes and integers with constant factors"));
        }
        Ok(product)
    }

    fn factor(&mut self, names: &mut Vec<Word>) -> Checked<Affine> {
        const HELP: &str = "use sums of iterators, sizes and integers with constant factors";
        let start = self.here();
        let mut sign = 1;
        while matches!(self.text(), "+" | "-") {
            sign = if self.text() == "-" { -sign } else { sign };
            self.next();
        }
        let value = match self.peek() {
            Some(word) if word.kind == Kind::Word => {
                self.next();
                match self.expansion(word)? {
                    Some(value) => value,
                    None => {
                        names.push(word.clone());
                        Affine::variable(&word.text)
                    }
                }
            }
            Some(word) if word.kind == Kind::Number => {
                self.next();
                match number(&word.text) {
                    Some(value) => times(Affine::constant(value), 1).ok_or_else(|| too_large(word.span))?,
                    None => {
                        return Err(Diagnostic::new(format!("`{}` is not an integer", word.text))
                            .at(word.span, "not an integer")
                            .help("use decimal or hexadecimal integers"));
                    }
                }
            }
            Some(word) if word.text == "(" => {
                self.next();
                let value = self.sum(names)?;
                self.expect(")", HELP)?;
                value
            }
            _ => return self.expected("an integer or a name", HELP),
        };
        times(value, sign).ok_or_else(|| too_large(start))
    }

    /// The constant that a macro's name stands for; `None` where it is no macro.
    fn expansion(&self, word: &Word) -> Checked<Option<Affine>> {
        let Some(expansion) = self.macros.get(&word.text) else { return Ok(None) };
        if self.expanding || expansion.trim() == word.text || self.reserved.contains(word.text.as_str()) {
            return Ok(None);
        }
        let refuse = || {
            Diagnostic::new(format!("`{}` expands to `{}`, no integer constant", word.text, expansion.trim()))
                .at(word.span, "not a constant")
                .help("directives expand macros that are sums and products of integers")
        };
        let lexed = super::token::tokenize(expansion);
        let words: Vec<Word> = lexed
            .tokens
            .iter()
            .map(|token| Word { kind: token.kind, text: token.text(expansion).to_string(), span: word.span })
            .collect();
        check_depth(&words)?;
        let mut parser = Parser { words: &words, at: 0, last: word.span, expanding: true, ..*self };
        let mut names = Vec::new();
        match parser.sum(&mut names) {
            Ok(value) if names.is_empty() && parser.peek().is_none() => Ok(Some(value)),
            _ => Err(refuse()),
        }
    }
}

fn known() -> String {
    let examples: Vec<String> = DIRECTIVES.iter().map(|(_, example)| format!("`{example}`")).collect();
    format!("the directives are {}", examples.join(", "))
}

fn twice(word: &str, span: Span) -> Diagnostic {
    Diagnostic::new(format!("a second `{word}` directive")).at(span, "again").help("a kernel has one tiling")
}

fn too_large(span: Span) -> Diagnostic {
    Diagnostic::new("a number in this directive is too large").at(span, "larger than 2^40").help("use smaller numbers")
}

/// From the first place to the end of the second, where that is on the same line.
fn join(first: Span, last: Span) -> Span {
    let end = last.column + last.length;
    let length = if first.line == last.line { end.saturating_sub(first.column) } else { first.length };
    Span { length, ..first }
}

/// C's integer constants, suffixes included.
fn number(text: &str) -> Option<i64> {
    let text = text.to_ascii_lowercase();
    let hexadecimal = text.strip_prefix("0x").map(|digits| (digits, 16));
    let binary = text.strip_prefix("0b").map(|digits| (digits, 2));
    let octal = text.strip_prefix('0').filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()));
    let (digits, radix) = hexadecimal.or(binary).or(octal.map(|digits| (digits, 8))).unwrap_or((&text, 10));
    let digits = digits.trim_end_matches(['u', 'l']);
    if digits.starts_with(['+', '-']) { None } else { i64::from_str_radix(digits, radix).ok() }
}

impl Directives {
    /// Writes default and maximum into the parameters. Every size names one of them: [`super::parse`] has made sure.
    pub fn apply_sizes(&self, parameters: &mut [SizeParameter]) -> Checked<()> {
        for size in &self.sizes {
            let Some(parameter) = parameters.iter_mut().find(|p| p.name == size.name.text) else { continue };
            let ty = parameter.ty;
            let largest = ((1i128 << (ty.bits - ty.signed as u32)) - 1).min(i64::MAX as i128) as i64;
            for (value, span) in [size.default, size.max].into_iter().flatten() {
                if value > largest {
                    return Err(Diagnostic::new(format!("`{}` is a {ty} and cannot be {value}", parameter.name))
                        .at(span, format!("more than {largest}"))
                        .help("choose a smaller size or a wider type"));
                }
            }
            parameter.default = size.default.map(|(value, _)| value);
            parameter.max = size.max.map(|(value, _)| value);
        }
        Ok(())
    }

    /// θ and the tile sizes for a nest with these iterators, outermost first.
    pub fn tiling(&self, iterators: &[String], parameters: &[SizeParameter]) -> Checked<Option<TilingDirective>> {
        match (&self.schedule, &self.tile) {
            (None, None) => Ok(None),
            (None, Some(tile)) => tile_by_loops(tile, iterators).map(Some),
            (Some(schedule), None) => Err(Diagnostic::new("the schedule has no tile sizes")
                .at(schedule.span, "no `tile`")
                .help(format!("add `tile({})`", vec!["10"; schedule.theta.len()].join(", ")))),
            (Some(schedule), Some(tile)) => scheduled(schedule, tile, iterators, parameters).map(Some),
        }
    }
}

fn tile_by_loops(tile: &Tile, iterators: &[String]) -> Checked<TilingDirective> {
    let example: Vec<String> = iterators.iter().map(|iterator| format!("{iterator}:32")).collect();
    let example = format!("write `tile({})`", example.join(", "));
    let mut theta: Vec<Affine> = Vec::new();
    for (name, _, span) in &tile.items {
        let Some(name) = name else {
            return Err(Diagnostic::new("a tile size does not say which loop it is for")
                .at(*span, "no loop")
                .help(format!("{example}, or add a schedule")));
        };
        if !iterators.contains(&name.text) {
            let help = match nearest(&name.text, iterators.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => example,
            };
            return Err(Diagnostic::new(format!("no loop counts with `{}`", name.text))
                .at(name.span, "not an iterator")
                .help(help));
        }
        let value = Affine::variable(&name.text);
        if theta.contains(&value) {
            return Err(Diagnostic::new(format!("the loop over `{}` is tiled twice", name.text))
                .at(name.span, "again")
                .help("name each loop once"));
        }
        theta.push(value);
    }
    let missing = iterators.iter().find(|iterator| !theta.iter().any(|t| t.coefficient(iterator) != 0));
    if let Some(missing) = missing {
        return Err(Diagnostic::new(format!("the tile leaves out the loop over `{missing}`"))
            .at(tile.span, format!("no `{missing}`"))
            .help(example));
    }
    let schedules = vec![kernel::Schedule { statement: "S0".into(), theta }];
    Ok(TilingDirective { schedules, sizes: tile.items.iter().map(|(_, size, _)| *size).collect(), span: tile.span })
}

fn scheduled(
    schedule: &Schedule,
    tile: &Tile,
    iterators: &[String],
    parameters: &[SizeParameter],
) -> Checked<TilingDirective> {
    let given: Vec<&str> = schedule.loops.iter().map(|word| word.text.as_str()).collect();
    if given != iterators.iter().map(String::as_str).collect::<Vec<_>>() {
        return Err(Diagnostic::new("the schedule does not name the loops as they are nested")
            .at(schedule.loops_span, "these loops")
            .help(format!("write `({}) -> …`, the outermost loop first", iterators.join(", "))));
    }
    for name in schedule.theta.iter().flat_map(|theta| &theta.names) {
        let known = || iterators.iter().map(String::as_str).chain(parameters.iter().map(|p| p.name.as_str()));
        if !known().any(|known| known == name.text) {
            let help = match nearest(&name.text, known()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the names are {}", known().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")),
            };
            return Err(Diagnostic::new(format!("`{}` is neither an iterator nor a size", name.text))
                .at(name.span, "unknown")
                .help(help));
        }
    }
    if let Some((name, ..)) = tile.items.iter().find(|(name, ..)| name.is_some()) {
        let name = name.as_ref().map_or("", |name| &name.text);
        return Err(Diagnostic::new(format!("the tile names the loop `{name}`, and a schedule says what is tiled"))
            .at(tile.span, "names beside a schedule")
            .help("give sizes only, as in `tile(10, 10)`"));
    }
    let (wanted, given) = (schedule.theta.len(), tile.items.len());
    if wanted != given {
        return Err(Diagnostic::new(format!(
            "the schedule has {wanted} dimension{} and the tile {given} size{}",
            if wanted == 1 { "" } else { "s" },
            if given == 1 { "" } else { "s" }
        ))
        .at(tile.span, format!("{wanted} expected"))
        .help("give one size for each dimension of the schedule"));
    }
    let theta = schedule.theta.iter().map(|theta| theta.value.clone()).collect();
    Ok(TilingDirective {
        schedules: vec![kernel::Schedule { statement: "S0".into(), theta }],
        sizes: tile.items.iter().map(|(_, size, _)| *size).collect(),
        span: if schedule.span.line == tile.span.line && schedule.span.column < tile.span.column {
            join(schedule.span, tile.span)
        } else {
            schedule.span
        },
    })
}
