//! Whole programs: the region or function of a file that becomes the kernel, as a file of its own.
//!
//! A file that is one kernel stays as it is. Of any other, the C text is rewritten: the region stands in a function whose
//! arguments are the arrays and scalars that it uses, wherever these were declared; functions that it does not call are
//! blanks. Lines stay where they were, so that places need no translation, but on the lines that were added ([`Places`]).

mod characters;
mod flow;
mod given;
mod lift;
mod names;
mod outline;
mod places;
pub mod redefine;
mod returned;
mod sizes;
mod statics;
mod top;

use lang_c::ast::{BlockItem, FunctionDefinition, Statement, TranslationUnit};
use lang_c::span::{Node, Span as ByteSpan};

use anyhow::Context as _;

use super::function::{Region, candidates, identifier, several, uncalled};
use super::preprocess::{Preprocessed, check_syntax, preprocess};
use super::scope::Checked;
use super::token::{Kind, Tokens, tokenize};
use super::types::{CType, Types, functions};
use super::{STACK, Source, check_nesting, regions};
use crate::diagnostic::{Diagnostic, Fault, Span};
pub use flow::{Changed, First, Flow, declares};
pub use names::Free;
use outline::Part;
pub use outline::parameters;
pub use places::Places;
pub use returned::Value;
pub use top::{externals, unit};

/// Which part of a file is the kernel.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// `--function`
    pub function: Option<String>,
    /// `--region`: a line of it.
    pub line: Option<usize>,
}

/// A file with one kernel, made of the user's.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file as the user wrote it.
    pub user: Source,
    /// What is compiled.
    pub source: Source,
    /// From its places to the user's.
    pub places: Places,
    /// What the user should know: printed as warnings.
    pub notes: Vec<String>,
    /// Where the region stands in the user's file; `None` where several regions of a function are one kernel, or a function
    /// returns a number in several places.
    pub region: Option<Place>,
}

/// A region in the user's text, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The file, but for headers that are missing.
    pub text: String,
    /// It begins and ends here, with `#pragma scop`, without `#pragma endscop`.
    pub begin: usize,
    pub end: usize,
    /// Scalars that the kernel leaves in an array: the variable and the array.
    pub results: Vec<(String, String)>,
    /// Scalars that the kernel gets under another name: the variable and the argument.
    pub firsts: Vec<(String, String)>,
    /// What the function returns, if the region is all of it; the region ends before the `return`.
    pub returned: Option<Value>,
}

/// Takes the part of the user's file that `choice` names. Errors: a [`Diagnostic`] for what cannot be taken, with places
/// in the user's file.
pub fn choose(user: &Source, choice: &Choice) -> anyhow::Result<Program> {
    let (source, mut notes) = without_missing_headers(user)?;
    let has_all = source.text == user.text;
    let source = statics::lifted(characters::given(source));
    let original = tokenize(&source.text);
    if let Some(first) = original.tokens.iter().find(|token| token.text(&source.text) == "volatile") {
        notes.push(format!(
            "line {}: `volatile` is ignored: the accelerator reads and writes whole tiles of memory",
            first.line
        ));
    }
    let preprocessed = preprocess(&source, &original)?;
    let as_it_is =
        |notes| Program { user: user.clone(), source: source.clone(), places: Places::default(), notes, region: None };
    let is_one = choice.function.is_none() && choice.line.is_none() && !may_be_program(&preprocessed);
    if is_one && has_all {
        return Ok(as_it_is(notes));
    }
    if let Err(refused) = check_syntax(&source, &original) {
        // Where a header is missing, that is the reason.
        return Err(if has_all { refused } else { check_headers(user, refused) });
    }
    if is_one {
        return Ok(as_it_is(notes));
    }
    let outlined = std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || outlined(&source, &original, &preprocessed, choice))
            .context("cannot start a thread")?;
        match worker.join() {
            Ok(outlined) => Ok(outlined?),
            Err(_) => Err(anyhow::Error::from(Fault(format!("the reader of `{}` gave up", source.path)))),
        }
    })?;
    Ok(match outlined {
        None => as_it_is(notes),
        Some(mut program) => {
            (program.user, program.notes) = (user.clone(), notes);
            program
        }
    })
}

/// What the preprocessor says of the file as the user wrote it, or else `refused`.
fn check_headers(user: &Source, refused: anyhow::Error) -> anyhow::Error {
    preprocess(user, &tokenize(&user.text)).err().unwrap_or(refused)
}

/// The file without the headers that are not installed, and a note for each. What they would have declared may be
/// missing, and then the C compiler tells.
fn without_missing_headers(user: &Source) -> anyhow::Result<(Source, Vec<String>)> {
    let mut source = user.clone();
    let mut notes = vec![];
    loop {
        let original = tokenize(&source.text);
        let refused = match preprocess(&source, &original) {
            Ok(_) => return Ok((source, notes)),
            Err(refused) => refused,
        };
        let missing = refused.downcast_ref::<Diagnostic>().filter(|refused| is_missing_header(&refused.message));
        let line = missing.and_then(|refused| refused.span).map(|span| span.line);
        let include = original.directives.iter().find(|directive| {
            directive[0].line == line.unwrap_or(0)
                && directive.get(1).is_some_and(|w| w.text(&source.text) == "include")
        });
        let (Some(line), Some(include), true) = (line, include, notes.len() < 50) else { return Err(refused) };
        let (begin, end) = (include[0].start, include.last().map_or(include[0].end, |last| last.end));
        let what: String = include[2..].iter().map(|token| token.text(&source.text)).collect();
        // A header that is there may include one that is not: then all that it declares would be missing.
        let own = what.trim_matches(['"', '<', '>']);
        if !refused.to_string().contains(&format!(": {own}: No such"))
            && !refused.to_string().contains(&format!("'{own}' file"))
        {
            return Err(refused);
        }
        notes.push(format!("line {line}: {what} is not installed, and is left out"));
        top::blank(&mut source.text, begin..end);
    }
}

fn is_missing_header(message: &str) -> bool {
    message.contains("No such file or directory") || message.contains("file not found")
}

/// Whether the file is more than one function with arguments, as far as its outermost level tells.
fn may_be_program(preprocessed: &Preprocessed) -> bool {
    let externals = top::externals(preprocessed);
    let own: Vec<_> = externals.iter().filter(|external| external.is_main).collect();
    // A function that returns a value is rewritten.
    let returns = |external: &&top::External| {
        let inside = |token: &&super::token::Token| external.bytes.start <= token.start;
        let head = preprocessed.tokens.iter().skip_while(|token| !inside(token));
        let mut head = head.take_while(|token| token.text(&preprocessed.text) != "(");
        // A `main` alone is none that somebody calls.
        !head.any(|token| matches!(token.text(&preprocessed.text), "void" | "main"))
    };
    // Variables of the file, or another function that could be the program around the kernel.
    own.iter().any(|external| external.function.is_none())
        || own.len() > 1
        || has_scop(preprocessed)
        || own.iter().any(returns)
}

fn has_scop(preprocessed: &Preprocessed) -> bool {
    preprocessed.pragmas.iter().any(|pragma| matches!(&pragma.words[..], [word] if word.text == "scop"))
}

fn outlined(
    source: &Source,
    original: &Tokens,
    preprocessed: &Preprocessed,
    choice: &Choice,
) -> Checked<Option<Program>> {
    let expanded = super::typedefs::expanded(preprocessed, true);
    let preprocessed = expanded.as_ref().unwrap_or(preprocessed);
    let externals = top::externals(preprocessed);
    let regions = regions(preprocessed)?;
    let is_wanted = |name: &str| choice.function.as_deref().is_none_or(|wanted| wanted == name);
    // First everything; then, where the parser cannot read it, what the kernel may stand in.
    let line = |at: usize| preprocessed.map.span(ByteSpan::span(at, at + 1)).line;
    let has_loops = externals
        .iter()
        .filter(|external| external.is_main)
        .any(|external| external.function.as_ref().is_some_and(|(_, body)| has_loop_words(preprocessed, body)));
    let keeps = |external: &top::External| {
        let Some((name, body)) = &external.function else { return true };
        let holds_line = choice.line.is_none_or(|l| (line(body.start)..=line(body.end - 1)).contains(&l));
        match (regions.is_empty(), &choice.function, choice.line) {
            (true, None, None) => (has_loop_words(preprocessed, body) || !has_loops) && name != "main",
            (false, None, None) => regions.iter().any(|region| body.contains(&region.bytes.start)),
            _ => is_wanted(name) && holds_line,
        }
    };
    let spare = |external: &top::External| !keeps(external);
    let whole = check_nesting(preprocessed).and_then(|()| unit(preprocessed, preprocessed.text.clone(), &|_| false));
    let unit = match whole {
        Ok(unit) => unit,
        Err(refused) => {
            let mut text = preprocessed.text.clone();
            for external in externals.iter().filter(|external| external.is_main && spare(external)) {
                if let Some((_, body)) = &external.function {
                    top::blank(&mut text, body.start + 1..body.end - 1);
                }
            }
            match self::unit(preprocessed, text, &spare) {
                Ok(unit) => unit,
                Err(_) => return Err(refused),
            }
        }
    };
    let long_bits = 64;
    let types = Types::new(&unit, true, long_bits);
    let own: Vec<&Node<FunctionDefinition>> =
        functions(&unit).into_iter().filter(|function| preprocessed.map.is_main(function.span)).collect();
    let reader = Reader { source, original, preprocessed, unit: &unit, types: &types, own: &own, regions: &regions };
    let part = match reader.part(choice)? {
        Some(part) => part,
        None => return Ok(None),
    };
    if choice.function.is_none() && choice.line.is_none() && reader.is_kernel(&part) {
        let region = outline::place(&reader, &part);
        let (user, source) = (source.clone(), source.clone());
        return Ok(Some(Program { user, source, places: Places::default(), notes: vec![], region }));
    }
    outline::outline(&reader, &part, &externals).map(Some)
}

/// Whether a body has a word of a loop.
fn has_loop_words(preprocessed: &Preprocessed, body: &std::ops::Range<usize>) -> bool {
    let inside = preprocessed.tokens.iter().filter(|t| body.contains(&t.start) && t.kind == Kind::Word);
    inside.map(|token| token.text(&preprocessed.text)).any(|word| matches!(word, "for" | "while" | "do"))
}

/// A file that has been read.
pub struct Reader<'u> {
    pub source: &'u Source,
    pub original: &'u Tokens,
    pub preprocessed: &'u Preprocessed<'u>,
    pub unit: &'u TranslationUnit,
    pub types: &'u Types,
    /// The functions of the user's file.
    pub own: &'u [&'u Node<FunctionDefinition>],
    pub regions: &'u [Region],
}

pub fn name_of(function: &FunctionDefinition) -> &str {
    identifier(&function.declarator.node).map_or("?", |name| name.node.name.as_str())
}

impl<'u> Reader<'u> {
    fn span(&self, bytes: ByteSpan) -> Span {
        self.preprocessed.map.span(bytes)
    }

    /// The lines of the user's file that these bytes lie on.
    fn lines(&self, bytes: ByteSpan) -> std::ops::RangeInclusive<usize> {
        let end = self.end(bytes);
        let last = self.preprocessed.tokens.iter().rev().find(|t| t.end <= end).map_or(bytes.start, |t| t.start);
        self.span(ByteSpan::span(bytes.start, bytes.start + 1)).line..=self.span(ByteSpan::span(last, end)).line
    }

    /// Where the last token of these bytes ends: the parser adds what it has looked at.
    pub fn end(&self, bytes: ByteSpan) -> usize {
        self.preprocessed.end(bytes)
    }

    /// The part that `choice` names, or that there is only one of; `None` where the file as it is says best what is
    /// missing.
    fn part(&self, choice: &Choice) -> Checked<Option<Part<'u>>> {
        let named = |name: &str| choice.function.as_deref().is_none_or(|wanted| wanted == name);
        if let Some(wanted) = &choice.function
            && !self.own.iter().any(|function| name_of(&function.node) == wanted)
        {
            let names = self.own.iter().map(|function| name_of(&function.node));
            let near = crate::suggest::nearest(wanted, names).map(|near| format!("did you mean `{near}`? "));
            return Err(Diagnostic::new(format!("the file has no function `{wanted}`")).help(format!(
                "{}{}",
                near.unwrap_or_default(),
                self.listing()
            )));
        }
        let inside = |function: &Node<FunctionDefinition>, region: &Region| {
            function.span.start <= region.bytes.start && region.bytes.end <= function.span.end
        };
        let mut parts: Vec<Part<'u>> = vec![];
        for function in self.own.iter().filter(|function| named(name_of(&function.node))) {
            let regions = self.regions.iter().filter(|region| inside(function, region));
            parts.extend(regions.map(|region| Part { function, region: Some(region.clone()), marked: true }));
        }
        if let Some(line) = choice.line {
            parts.retain(|part| {
                let bytes = part.region.as_ref().map_or(0..0, |region| region.bytes.clone());
                let begin = part.region.as_ref().map_or(0, |region| region.span.line);
                (begin..=*self.lines(ByteSpan::span(bytes.start, bytes.end)).end() + 1).contains(&line)
            });
            if parts.is_empty() {
                let loops = self.loops().into_iter().filter(|(function, _)| named(name_of(&function.node)));
                parts.extend(
                    loops.filter(|(_, node)| self.lines(node.span).contains(&line)).map(|(function, node)| Part {
                        function,
                        region: Some(self.of_loop(node)),
                        marked: false,
                    }),
                );
            }
            return match parts.into_iter().next() {
                Some(part) => Ok(Some(part)),
                None => Err(Diagnostic::new(format!("line {line} is in no region and in no loop"))
                    .at(self.preprocessed.map.line(line), "this line")
                    .help(self.listing())),
            };
        }
        match &parts[..] {
            [_] => return Ok(parts.pop()),
            [] => {}
            // Several regions of a function that is a kernel are one.
            [first, others @ ..] => {
                let kernel = Part { function: first.function, region: None, marked: true };
                if others.iter().all(|other| std::ptr::eq(other.function, first.function)) && self.is_kernel(&kernel) {
                    return Ok(None);
                }
                let span = others.first().and_then(|part| part.region.as_ref()).map(|region| region.span);
                let mut refused = Diagnostic::new("the file has several regions with `#pragma scop`");
                if let Some(span) = span {
                    refused = refused.at(span, "another region");
                }
                return Err(refused.help(self.listing()));
            }
        }
        if !self.regions.is_empty() && choice.function.is_none() {
            return Ok(None);
        }
        let with_loops: Vec<_> = candidates(self.own);
        let whole = |function| Part { function, region: None, marked: false };
        if choice.function.is_some() {
            return match with_loops.into_iter().find(|f| named(name_of(&f.node))) {
                Some(function) if name_of(&function.node) != "main" => Ok(Some(whole(function))),
                Some(_) => self.only_loop(),
                None => Ok(self.own.iter().copied().find(|f| named(name_of(&f.node))).map(whole)),
            };
        }
        let kernels: Vec<_> = with_loops.iter().copied().filter(|f| name_of(&f.node) != "main").collect();
        let is_void = |f: &&Node<FunctionDefinition>| self.types.of_declaration(&f.node.specifiers) == CType::Void;
        let void: Vec<_> = uncalled(kernels.iter().copied().filter(is_void).collect());
        let kernels = uncalled(kernels);
        match (&void[..], &kernels[..], &with_loops[..]) {
            ([only], ..) | ([], [only], _) => Ok(Some(whole(only))),
            ([], [], [_]) => self.only_loop(),
            ([], [], _) => Ok(None),
            _ => {
                let names: Vec<String> = kernels.iter().map(|f| format!("`{}`", name_of(&f.node))).collect();
                let span = kernels.get(1).and_then(|f| identifier(&f.node.declarator.node)).map(|n| self.span(n.span));
                Err(Diagnostic::new(several(self.own, &names))
                    .at(span.unwrap_or_default(), format!("besides {}", names[0]))
                    .help(self.listing()))
            }
        }
    }

    /// The one outermost loop of `main`.
    fn only_loop(&self) -> Checked<Option<Part<'u>>> {
        match &self.loops()[..] {
            [(function, node)] => Ok(Some(Part { function, region: Some(self.of_loop(node)), marked: false })),
            [] => Ok(None),
            [_, (_, second), ..] => Err(Diagnostic::new("`main` has several loops, and none is marked as the kernel")
                .at(self.span(ByteSpan::span(second.span.start, second.span.start + 1)), "another loop")
                .help(self.listing())),
        }
    }

    fn of_loop(&self, node: &Node<Statement>) -> Region {
        let first = ByteSpan::span(node.span.start, node.span.start + 1);
        Region { bytes: node.span.start..self.end(node.span), span: self.span(first) }
    }

    /// The outermost loops, with their functions.
    fn loops(&self) -> Vec<(&'u Node<FunctionDefinition>, &'u Node<Statement>)> {
        fn collect<'u>(node: &'u Node<Statement>, found: &mut Vec<&'u Node<Statement>>) {
            match &node.node {
                Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) => found.push(node),
                Statement::Compound(items) => items.iter().for_each(|item| {
                    if let BlockItem::Statement(inner) = &item.node {
                        collect(inner, found);
                    }
                }),
                Statement::If(branch) => {
                    collect(&branch.node.then_statement, found);
                    branch.node.else_statement.iter().for_each(|s| collect(s, found));
                }
                Statement::Labeled(labeled) => collect(&labeled.node.statement, found),
                _ => {}
            }
        }
        let mut all = vec![];
        for function in self.own {
            let mut found = vec![];
            collect(&function.node.statement, &mut found);
            all.extend(found.into_iter().map(|node| (*function, node)));
        }
        all
    }

    /// What there is to choose from.
    fn listing(&self) -> String {
        let mut words = vec![];
        for region in self.regions {
            words.push(format!("--region {} (`#pragma scop`)", region.span.line));
        }
        for function in candidates(self.own).iter().filter(|f| name_of(&f.node) != "main") {
            words.push(format!("--function {}", name_of(&function.node)));
        }
        if self.regions.is_empty() {
            for (_, node) in self.loops().iter().filter(|(function, _)| name_of(&function.node) == "main") {
                words.push(format!("--region {} (a loop of `main`)", self.lines(node.span).start()));
            }
        }
        words.truncate(12);
        match words.is_empty() {
            true => "burstc compiles loops: the file has none".to_string(),
            false => format!(
                "choose one with {}; or put `#pragma scop` and `#pragma endscop` around its loops",
                words.join(", ")
            ),
        }
    }

    /// Whether the function that a part lies in can be taken as it is: nothing but the region, no variables of the file.
    fn is_kernel(&self, part: &Part) -> bool {
        let function = &part.function.node;
        let is_void = self.types.of_declaration(&function.specifiers) == CType::Void;
        // Functions that return something else than a number are refused in their own words.
        // One that writes to no argument has nothing to show for its work but by what is declared around the region.
        let is_silent = part.marked && !names::writes_to_arguments(part);
        let is_number = returned::is_number(self, part);
        (is_void || !part.marked) && !is_number && name_of(function) != "main" && !is_silent && {
            let alone = !part.marked
                || super::function::require_declarations_outside(part.function, self.regions, self.preprocessed)
                    .is_ok();
            alone && !names::uses_globals(self, part)
        }
    }
}
