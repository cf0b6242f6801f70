//! The system C compiler: it preprocesses the file and judges whether it is valid C.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use anyhow::Context as _;
use lang_c::span::Span as ByteSpan;

use super::Source;
use super::map::SourceMap;
use super::program::externals;
use super::token::{Kind, Token, Tokens, tokenize};
use crate::diagnostic::{Diagnostic, Span};
use crate::process::{self, Cut, Limits};

/// The longest preprocessed text, in bytes. Headers of the system are some hundred thousand.
const LARGEST: usize = 4 << 20;
/// What the compiler calls text that it reads from its standard input.
const STDIN: &str = "\"<stdin>\"";
/// The made-up file after the user's, whose lines are the names to expand.
const MACROS: &str = "\"<burstc macros>\"";

/// The C compiler: `$CC`, or `cc`.
pub fn compiler() -> String {
    match std::env::var("CC") {
        Ok(command) if !command.trim().is_empty() => command,
        _ => "cc".to_string(),
    }
}

/// The compiler as a command to add arguments to; quoted includes are found beside the user's file.
pub fn compiler_command(source: &Source) -> Command {
    let command = compiler();
    let mut words = command.split_whitespace();
    let beside = match Path::new(&source.path).parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut command = Command::new(words.next().unwrap_or("cc"));
    command.args(words).args(&source.cpp_args).arg("-iquote").arg(beside).env("LC_ALL", "C");
    command
}

/// What the preprocessor may take. A file of 4 MB takes some tens of MB; macros that double with each level take more
/// than they ever print.
const PREPROCESSOR: Limits =
    Limits { processor: Some(Duration::from_secs(10)), memory: Some(192 << 20), output: Some(16 << 20), ..COMPILER };

/// What the compiler may take; a file that wants more has macros or includes without end.
const COMPILER: Limits = Limits {
    // What does not compute waits for something.
    time: Some(Duration::from_secs(60)),
    processor: Some(Duration::from_secs(20)),
    output: Some(64 << 20),
    memory: Some(2 << 30),
    deep_stack: false,
};

/// Runs the compiler. A compiler that is not installed, or takes more than [`COMPILER`], is a [`Diagnostic`].
pub fn run_compiler(command: &mut Command, input: String) -> anyhow::Result<Output> {
    run_within(COMPILER, command, input)
}

fn run_within(limits: Limits, command: &mut Command, input: String) -> anyhow::Result<Output> {
    let name = compiler();
    let ended = match process::run_with_input(command, input.into_bytes(), limits) {
        Ok(ended) => ended,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
            return Err(Diagnostic::new(format!("the C compiler `{name}` is not installed"))
                .help("install the Debian package gcc, or set CC to the command of a C compiler")
                .into());
        }
        Err(error) => return Err(error).with_context(|| format!("cannot run the C compiler `{name}`")),
    };
    let message = match ended.cut {
        None => return Ok(ended.into_output()),
        Some(cut @ (Cut::Time | Cut::Processor)) => {
            let limit = if cut == Cut::Time { limits.time } else { limits.processor };
            format!("the C compiler `{name}` takes more than {} seconds", limit.unwrap_or_default().as_secs())
        }
        Some(Cut::Output) => {
            format!("the preprocessed file has more than {} MB", limits.output.unwrap_or_default() >> 20)
        }
    };
    Err(Diagnostic::new(message).help(GROWS).into())
}

/// The remedy where the compiler has been cut off.
const GROWS: &str = "look for macros or includes that grow without end";

pub struct Preprocessed<'a> {
    /// C without directives and comments, except line markers and pragmas.
    pub text: String,
    /// Its tokens.
    pub tokens: Vec<Token>,
    pub map: SourceMap<'a>,
    pub pragmas: Vec<Pragma>,
    /// What the names in directives, and some names of the compiler, expand to.
    pub macros: HashMap<String, String>,
}

impl Preprocessed<'_> {
    /// Where the last token of these bytes ends.
    pub fn end(&self, bytes: ByteSpan) -> usize {
        let behind = self.tokens.partition_point(|token| token.end <= bytes.end);
        behind.checked_sub(1).map_or(bytes.end, |last| self.tokens[last].end)
    }
}

impl Preprocessed<'_> {
    /// The bytes of an expression with the round brackets at its ends, which the parser leaves away: `a) * (b` becomes
    /// `(a) * (b)`.
    pub fn balanced(&self, bytes: ByteSpan) -> ByteSpan {
        let first = self.tokens.partition_point(|token| token.start < bytes.start);
        let end = self.tokens.partition_point(|token| token.end <= bytes.end).max(first);
        let (mut open, mut missing) = (0usize, 0usize);
        for token in &self.tokens[first..end] {
            match token.text(&self.text) {
                "(" => open += 1,
                ")" if open > 0 => open -= 1,
                ")" => missing += 1,
                _ => {}
            }
        }
        let is = |k: usize, text: &str| self.tokens.get(k).is_some_and(|token| token.text(&self.text) == text);
        let before = (0..missing).take_while(|k| *k < first && is(first - 1 - k, "(")).count();
        let behind = (0..open).take_while(|k| is(end + k, ")")).count();
        let start = self.tokens.get(first - before).map_or(bytes.start, |token| token.start);
        let last = (end + behind).checked_sub(1).and_then(|last| self.tokens.get(last));
        ByteSpan::span(start, last.map_or(bytes.end, |token| token.end))
    }
}

/// Bytes of a preprocessed text, and the tokens that take their place, each with the bytes that it comes from.
pub type Splice = (Range<usize>, Vec<(String, ByteSpan)>);

impl<'a> Preprocessed<'a> {
    /// The text with other tokens in place of some bytes, each with the place of bytes of this text. The ranges are in
    /// order and apart.
    pub fn spliced(&self, edits: &[Splice]) -> Preprocessed<'a> {
        let mut text = String::new();
        let mut tokens: Vec<Token> = vec![];
        // The bytes of this text that each token comes from.
        let mut sources = vec![];
        let mut pragmas: Vec<Pragma> = vec![];
        let (mut at, mut next, mut said) = (0, 0, 0);
        let ends = edits.iter().map(|(bytes, pieces)| (bytes.clone(), &pieces[..]));
        for (bytes, pieces) in ends.chain([(self.text.len()..self.text.len(), &[][..])]) {
            let begin = text.len();
            let moved = |place: usize| place - at + begin;
            while let Some(pragma) = self.pragmas.get(said).filter(|pragma| pragma.start < bytes.start) {
                pragmas.push(Pragma { words: pragma.words.clone(), start: moved(pragma.start) });
                said += 1;
            }
            while let Some(token) = self.tokens.get(next).filter(|token| token.start < bytes.start) {
                tokens.push(Token { start: moved(token.start), end: moved(token.end), ..*token });
                sources.push(ByteSpan::span(token.start, token.end));
                next += 1;
            }
            text.push_str(&self.text[at..bytes.start]);
            for (piece, source) in pieces {
                let kind = tokenize(piece).tokens.first().map_or(Kind::Punctuation, |token| token.kind);
                let (start, line) = (text.len(), tokens.last().map_or(1, |token| token.line));
                text.push_str(piece);
                tokens.push(Token { kind, start, end: text.len(), line, column: 1 });
                sources.push(*source);
                text.push(' ');
            }
            while self.tokens.get(next).is_some_and(|token| token.start < bytes.end) {
                next += 1;
            }
            while self.pragmas.get(said).is_some_and(|pragma| pragma.start < bytes.end) {
                said += 1;
            }
            at = bytes.end;
        }
        let map = self.map.moved(tokens.iter().map(|token| token.end).zip(sources));
        Preprocessed { text, tokens, map, pragmas, macros: self.macros.clone() }
    }
}

/// A `#pragma` that the preprocessor left in place: its words after `pragma`.
pub struct Pragma {
    pub words: Vec<Word>,
    /// Byte of the preprocessed text.
    pub start: usize,
}

/// One token of a directive, and its place in the user's file.
#[derive(Clone, Debug)]
pub struct Word {
    pub kind: Kind,
    pub text: String,
    pub span: Span,
}

/// Macros of the compiler that [`preprocess`] looks up besides those in directives.
pub const CHAR_UNSIGNED: &str = "__CHAR_UNSIGNED__";
pub const SIZEOF_LONG: &str = "__SIZEOF_LONG__";

/// Runs `cc -E`. Errors: a [`Diagnostic`] with the preprocessor's first message; an ordinary error where the
/// compiler cannot run.
pub fn preprocess<'a>(source: &'a Source, original: &'a Tokens) -> anyhow::Result<Preprocessed<'a>> {
    let mut names = vec![CHAR_UNSIGNED.to_string(), SIZEOF_LONG.to_string()];
    let ours = original.directives.iter().filter(|directive| is_ours(directive, &source.text));
    let words = ours.flatten().filter(|token| token.kind == Kind::Word);
    add_names(&mut names, words.map(|token| token.text(&source.text)));
    loop {
        let known = names.len();
        let preprocessed = expand(source, original, &names)?;
        // Directives in headers and `_Pragma` show only now.
        let words = preprocessed.pragmas.iter().flat_map(|pragma| &pragma.words);
        add_names(&mut names, words.filter(|word| word.kind == Kind::Word).map(|word| word.text.as_str()));
        if names.len() == known {
            return Ok(with_types(preprocessed));
        }
    }
}

/// Functions that old C lets stand without a type, `main() { … }`, return an `int`.
fn with_types(preprocessed: Preprocessed) -> Preprocessed {
    let untyped = externals(&preprocessed).into_iter().filter_map(|external| {
        let (name, _) = external.function.filter(|_| external.is_main)?;
        let first = preprocessed.tokens.iter().find(|token| token.start >= external.bytes.start)?;
        let at = ByteSpan::span(first.start, first.end);
        (first.text(&preprocessed.text) == name).then(|| (first.start..first.start, vec![("int".to_string(), at)]))
    });
    let edits: Vec<Splice> = untyped.collect();
    if edits.is_empty() { preprocessed } else { preprocessed.spliced(&edits) }
}

fn add_names<'n>(names: &mut Vec<String>, words: impl Iterator<Item = &'n str>) {
    for word in words {
        if !names.iter().any(|name| name == word) {
            names.push(word.to_string());
        }
    }
}

fn expand<'a>(source: &'a Source, original: &'a Tokens, names: &[String]) -> anyhow::Result<Preprocessed<'a>> {
    let mut input = without_line_directives(&source.text, original);
    input.push_str(&format!("\n\n#line 1 {MACROS}\n"));
    for name in names {
        input.push_str(name);
        input.push('\n');
    }
    let at_largest = |refused: Diagnostic| match largest_line(&source.text) {
        Some(line) => {
            refused.at(SourceMap::new(&source.text, original).line(line), "its macros become the longest text")
        }
        None => refused,
    };
    // What `assert` demands the C program tells when it runs.
    let options = if source.text.contains("assert.h") { &["-DNDEBUG", "-E"][..] } else { &["-E"] };
    let output = match run(PREPROCESSOR, source, options, input) {
        Err(error) if error.downcast_ref::<Diagnostic>().is_some_and(|refused| refused.help == GROWS) => {
            return Err(error
                .downcast::<Diagnostic>()
                .map_or_else(|error| error, |refused| at_largest(refused).into()));
        }
        output => output?,
    };
    // All compilers say it with this word, none with a place.
    if !output.status.success() && String::from_utf8_lossy(&output.stderr).contains("memory") {
        return Err(at_largest(Diagnostic::new("the C preprocessor takes more than 192 MB for this file"))
            .help("macros that name an argument twice double with each level; write a loop, or a helper function")
            .into());
    }
    if !output.status.success() {
        return Err(refusal(source, original, &output, "the C preprocessor refuses the file").into());
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if text.len() > LARGEST {
        return Err(too_large(source, original, &text).into());
    }
    Ok(read(&source.text, original, text, names))
}

/// The line, from 1 on, whose macros of the same file become the most words; `None` where none of them holds another.
fn largest_line(text: &str) -> Option<usize> {
    let words = |line: &str| -> Vec<String> {
        let parts = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        parts.filter(|word| !word.is_empty()).map(str::to_string).collect()
    };
    let (mut macros, mut lines, mut continues): (HashMap<String, Vec<String>>, Vec<_>, Option<String>) =
        Default::default();
    for (number, line) in text.lines().enumerate() {
        let definition = line.trim_start().strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix("define"));
        match (definition, continues.take()) {
            (Some(rest), _) => {
                let mut parts = words(rest).into_iter();
                let Some(name) = parts.next() else { continue };
                macros.entry(name.clone()).or_default().extend(parts);
                continues = line.ends_with('\\').then_some(name);
            }
            (None, Some(name)) => {
                macros.entry(name.clone()).or_default().extend(words(line));
                continues = line.ends_with('\\').then_some(name);
            }
            (None, None) => lines.push((number + 1, words(line))),
        }
    }
    fn length(word: &str, macros: &HashMap<String, Vec<String>>, known: &mut HashMap<String, f64>) -> f64 {
        if let Some(length) = known.get(word) {
            return *length;
        }
        // A macro does not expand inside of itself.
        known.insert(word.to_string(), 1.0);
        let parts = macros.get(word).map(Vec::as_slice).unwrap_or_default();
        let all = parts.iter().map(|part| length(part, macros, known)).sum::<f64>().max(1.0);
        known.insert(word.to_string(), all);
        all
    }
    let mut known = HashMap::new();
    let mut of = |line: &[String]| line.iter().map(|word| length(word, &macros, &mut known)).sum::<f64>();
    let lengths: Vec<(usize, f64)> = lines.iter().map(|(number, line)| (*number, of(line))).collect();
    let largest = lengths.into_iter().max_by(|x, y| x.1.total_cmp(&y.1).then(y.0.cmp(&x.0)))?;
    (!macros.is_empty()).then_some(largest.0)
}

/// Names the line of the user's file that the preprocessor has made most of.
fn too_large(source: &Source, original: &Tokens, text: &str) -> Diagnostic {
    let mut made: HashMap<usize, usize> = HashMap::new();
    // The line of the user's file that comes next; an include's all count for the line it stands on.
    let (mut line, mut is_main) = (0, false);
    for row in text.lines() {
        if let Some(marker) = row.strip_prefix("# ") {
            is_main = marker.contains(STDIN);
            if is_main {
                line = numbers(marker).0.unwrap_or(0);
            }
            continue;
        }
        *made.entry(if is_main { line } else { line.saturating_sub(1) }).or_default() += row.len();
        line += is_main as usize;
    }
    let most = made.into_iter().max_by_key(|(line, length)| (*length, std::cmp::Reverse(*line))).map_or(0, |(l, _)| l);
    Diagnostic::new(format!(
        "the preprocessor makes {} MB of the file, and burstc reads {}",
        text.len() >> 20,
        LARGEST >> 20
    ))
    .at(SourceMap::new(&source.text, original).line(most), "most of it comes from here")
    .help("macros that name an argument twice double with each level; write a loop, or a helper function")
}

/// Runs `cc -fsyntax-only`: type errors, undeclared names. Errors as in [`preprocess`].
pub fn check_syntax(source: &Source, original: &Tokens) -> anyhow::Result<()> {
    let input = without_line_directives(&source.text, original);
    let output = run(COMPILER, source, &["-fsyntax-only"], input)?;
    if output.status.success() {
        return Ok(());
    }
    Err(refusal(source, original, &output, "the C compiler refuses the file").into())
}

fn run(limits: Limits, source: &Source, arguments: &[&str], input: String) -> anyhow::Result<Output> {
    let mut command = compiler_command(source);
    // lang-c reads C11, and tabs of width 1 make the compiler's columns characters.
    command.args(["-std=gnu11", "-ftabstop=1"]).args(arguments).args(["-x", "c", "-"]);
    run_within(limits, &mut command, input)
}

/// The text with `#line` blanked out, so that every line number is the user's own.
fn without_line_directives(text: &str, original: &Tokens) -> String {
    let mut result = text.to_string();
    for directive in &original.directives {
        let [hash, name, ..] = directive[..] else { continue };
        if (name.text(text) == "line" || name.kind == Kind::Number)
            && let Some(last) = directive.last()
        {
            let blank = text[hash.start..last.end].chars().map(|c| if c == '\n' || c == '\\' { c } else { ' ' });
            // A character of several bytes becomes one blank; pad, for later directives keep their offsets.
            let mut blank: String = blank.collect();
            let missing = last.end - hash.start - blank.len();
            blank.extend(std::iter::repeat_n(' ', missing));
            result.replace_range(hash.start..last.end, &blank);
        }
    }
    result
}

/// Whether a line is `#pragma burstc`.
fn is_ours(directive: &[Token], text: &str) -> bool {
    matches!(directive, [_, pragma, name, ..] if pragma.text(text) == "pragma" && name.text(text) == "burstc")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum File {
    Main,
    Macros,
    Included,
}

/// Takes the preprocessor's output apart: which token came from which line of the user's file.
pub fn read<'a>(user: &'a str, original: &'a Tokens, mut text: String, names: &[String]) -> Preprocessed<'a> {
    let lexed = tokenize(&text);
    let mut map = SourceMap::new(user, original);
    let mut tokens = Vec::new();
    let mut pragmas: Vec<Pragma> = Vec::new();
    let mut macros: HashMap<String, String> = HashMap::new();
    let mut end = text.len();

    let mut file = File::Included;
    // The line of `file` that stands on line `marker + 1` of the text.
    let (mut line, mut marker) = (0usize, 0usize);
    // Pragmas of the included file that is being read; their line is known at its end.
    let mut pending: Vec<Pragma> = Vec::new();
    let mut directives = lexed.directives.iter().peekable();
    let mut words = lexed.tokens.iter().peekable();
    loop {
        let next_directive = directives.peek().map_or(usize::MAX, |d| d.first().map_or(0, |hash| hash.start));
        let next_token = words.peek().map_or(usize::MAX, |token| token.start);
        if next_directive <= next_token {
            let Some(directive) = directives.next() else { break };
            let start = directive.first().map_or(0, |hash| hash.start);
            let kinds: Vec<&str> = directive.iter().map(|token| token.text(&text)).collect();
            match kinds[..] {
                ["#", number, name, ref flags @ ..] if number.starts_with(|c: char| c.is_ascii_digit()) => {
                    line = number.parse().unwrap_or(0);
                    marker = directive[0].line;
                    file = match name {
                        STDIN => File::Main,
                        MACROS => File::Macros,
                        _ => File::Included,
                    };
                    if file == File::Main {
                        let include = flags.contains(&"2").then(|| line.saturating_sub(1));
                        map.end_include(include);
                        for mut pragma in pending.drain(..) {
                            let span = map.line(include.unwrap_or(0));
                            pragma.words.iter_mut().for_each(|word| word.span = span);
                            pragmas.push(pragma);
                        }
                    } else if file == File::Macros {
                        end = end.min(start);
                    }
                }
                ["#", "pragma", ..] => {
                    let here = (line + directive[0].line).saturating_sub(marker + 1);
                    let in_place = original.directives.iter().find(|d| {
                        file == File::Main
                            && d.get(1).is_some_and(|name| name.text(user) == "pragma")
                            && d[0].line <= here
                            && here <= d.last().map_or(0, |last| last.line)
                    });
                    let words = match in_place {
                        Some(d) => d.iter().skip(2).map(|t| word(t, user, t.span(user))).collect(),
                        None => directive.iter().skip(2).map(|t| word(t, &text, map.line(here))).collect(),
                    };
                    let pragma = Pragma { words, start };
                    if file == File::Included { pending.push(pragma) } else { pragmas.push(pragma) }
                }
                _ => {}
            }
        } else {
            let Some(token) = words.next() else { break };
            let here = (line + token.line).saturating_sub(marker + 1);
            match file {
                File::Main => map.push_main(token, token.text(&text), here),
                File::Included => map.push_included(token),
                File::Macros => {
                    if let Some(name) = names.get(here.wrapping_sub(1)) {
                        let expansion = macros.entry(name.clone()).or_default();
                        expansion.push_str(token.text(&text));
                        expansion.push(' ');
                    }
                    continue;
                }
            }
            tokens.push(*token);
        }
    }
    map.finish();
    text.truncate(end);
    Preprocessed { text, tokens, map, pragmas, macros }
}

fn word(token: &Token, text: &str, span: Span) -> Word {
    Word { kind: token.kind, text: token.text(text).to_string(), span }
}

/// The compiler's first error as a diagnostic.
fn refusal(source: &Source, original: &Tokens, output: &Output, what: &str) -> Diagnostic {
    let messages = String::from_utf8_lossy(&output.stderr);
    let is_c = source.path.ends_with(".c") || source.path.ends_with(".h");
    let help = match is_c {
        true => format!("burstc compiles what `{} -std=gnu11` accepts", compiler()),
        false => "is this a C file? burstc compiles C loop nests".to_string(),
    };
    let mut include = None;
    for line in messages.lines() {
        if let Some(place) = line.split("from <stdin>:").nth(1) {
            include = numbers(place).0;
        }
        let Some((place, message)) = ["fatal error: ", "error: "].iter().find_map(|e| line.split_once(e)) else {
            continue;
        };
        let header = missing_header(message);
        let (at, message) = match place.strip_prefix("<stdin>:") {
            Some(place) => (numbers(place), message.to_string()),
            None => ((include, None), format!("{place}{message}")),
        };
        let (label, help) = match header {
            Some(header) => (
                format!("`{header}` is in none of the folders that are looked into"),
                format!(
                    "give the folder of `{header}` with `-I FOLDER`; the C file's own is looked into for names in quotes"
                ),
            ),
            None => ("here".to_string(), help.clone()),
        };
        let span = match at {
            (Some(line), Some(column)) => original
                .tokens
                .iter()
                .chain(original.directives.iter().flatten())
                .map(|token| token.span(&source.text))
                .find(|span| span.line == line && span.column <= column && column < span.column + span.length)
                // The compiler counts some characters as several columns.
                .unwrap_or_else(|| {
                    let width = source.text.lines().nth(line.saturating_sub(1)).map_or(0, |text| text.chars().count());
                    Span { line, column: column.clamp(1, width + 1), length: 0 }
                }),
            (Some(line), None) => SourceMap::new(&source.text, original).line(line),
            _ => return Diagnostic::new(format!("{what}: {message}")).help(help),
        };
        return Diagnostic::new(format!("{what}: {message}")).at(span, label).help(help);
    }
    let first = messages.lines().next().unwrap_or("it gave no reason");
    Diagnostic::new(format!("{what}: {first}")).help(help)
}

/// The header that is not there, in GCC's words and in Clang's.
fn missing_header(message: &str) -> Option<&str> {
    let of_clang = || message.strip_prefix('\'')?.strip_suffix("' file not found");
    message.strip_suffix(": No such file or directory").or_else(of_clang)
}

/// `12:5: …` as line and column.
fn numbers(place: &str) -> (Option<usize>, Option<usize>) {
    let mut parts = place.split(|c: char| !c.is_ascii_digit());
    (parts.next().and_then(|n| n.parse().ok()), parts.next().and_then(|n| n.parse().ok()))
}
