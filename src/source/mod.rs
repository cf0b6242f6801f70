//! C text to [`kernel::Kernel`].
//!
//! The system C compiler preprocesses the file and judges whether it is C at all; what remains is read as one
//! function with a loop nest. Whatever the user wrote that burstc cannot compile is a [`Diagnostic`].

mod affine_expression;
mod allocated;
mod balance;
mod braces;
mod breaks;
mod builtins;
mod canonical;
mod carry;
mod choice;
mod constants;
mod counters;
mod data_bounds;
mod directive;
mod double;
mod effects;
mod elements;
pub mod evaluate;
mod exits;
mod expression;
mod extremum;
mod flat;
mod float;
mod function;
pub mod gather;
mod hiding;
mod host;
mod initial;
mod inline;
pub mod kernel;
mod known;
mod left;
mod literal;
mod lives;
mod locals;
mod loops;
mod machine;
mod map;
mod memory;
mod nest;
mod obligations;
pub mod panels;
mod parted;
mod plain;
mod pointees;
mod pointers;
mod polynomial;
mod preprocess;
pub mod program;
mod renamed;
mod ring;
mod rounds;
mod scope;
mod splice;
mod stated;
mod steps;
mod strings;
mod structs;
mod switch;
mod table;
mod temporaries;
#[cfg(test)]
mod tests;
mod token;
mod track;
mod typedefs;
mod types;
mod unrolled;
pub mod wires;

use std::collections::HashSet;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use anyhow::Context;
use lang_c::ast::TranslationUnit;
use lang_c::span::Span as ByteSpan;

use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Fault, Span};
use crate::ids::ByArray;
use crate::printable::on_one_line;
use directive::Directives;
use function::{Function, Region, names_in_sizes};
use kernel::{Argument, Array, Kernel, Node, Scalar, SizeParameter, Storage};
use preprocess::{CHAR_UNSIGNED, Preprocessed, SIZEOF_LONG, check_syntax};
use renamed::Renamed;
use scope::{Checked, Name, Scope, check_name, nearest};
use token::{Kind, tokenize};
use types::Types;

pub use directive::{directive_text, order_text, storage_directives};
pub use plain::REMARKS;
pub use preprocess::{compiler, compiler_command, run_compiler};

/// Begins the name of what counts the rounds of a loop, of which only the most are known.
pub const ROUND: &str = "round_";

/// A C file as the user named it.
#[derive(Clone, Debug)]
pub struct Source {
    pub path: String,
    pub text: String,
    /// Options for the preprocessor (`-D…`, `-I…`).
    pub cpp_args: Vec<String>,
}

impl Source {
    /// Reads the file. Errors: a [`Diagnostic`] where there is no such file, or it is a folder, a device, empty,
    /// too long, or no text.
    pub fn read(path: &Path, cpp_args: Vec<String>) -> anyhow::Result<Source> {
        let name = on_one_line(&path.to_string_lossy());
        let refuse = |message: String, help: &str| Err(Diagnostic::new(message).help(help).into());
        if path.is_dir() {
            return refuse(format!("`{name}` is a folder"), "name one C file");
        }
        // Before it is opened: a pipe that nobody writes into would wait for ever.
        let text = std::fs::metadata(path).and_then(|about| match about.is_file() {
            true => File::open(path).map(Some),
            false => Ok(None),
        });
        let mut bytes = vec![];
        match text {
            Ok(Some(file)) => {
                let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
                read.with_context(|| format!("cannot read `{name}`"))?;
            }
            Ok(None) => return refuse(format!("`{name}` is a device or a pipe"), "name one C file"),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return refuse(format!("there is no file `{name}`"), "check the path");
            }
            Err(error) => return Err(error).with_context(|| format!("cannot read `{name}`")),
        }
        if bytes.len() as u64 > LARGEST {
            return refuse(format!("`{name}` has more than {} MB", LARGEST >> 20), "is this a C file?");
        }
        let Ok(text) = String::from_utf8(bytes) else {
            return refuse(format!("`{name}` is not UTF-8 text"), "is this a C file?");
        };
        // A byte order mark and carriage returns are other systems' habits, not text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n");
        if text.trim().is_empty() {
            return refuse(format!("`{name}` is empty"), "burstc compiles one function with a loop nest");
        }
        Ok(Source { path: path.to_string_lossy().into_owned(), text, cpp_args })
    }
}

/// The longest file, in bytes.
const LARGEST: u64 = 2 << 20;
/// Room for the recursion over a statement of [`LONGEST`] tokens.
const STACK: usize = 512 << 20;
/// The longest statement, in tokens.
const LONGEST: usize = 10_000;
/// The longest list of constants, in tokens.
const LONGEST_LIST: usize = 100_000;
/// The deepest nesting of brackets, and of `else if`.
const DEEPEST: usize = 256;

/// Reads the kernel of a C file. Errors: a [`Diagnostic`] for what burstc refuses; an ordinary error where the C
/// compiler cannot run.
pub fn parse(source: &Source) -> anyhow::Result<Kernel> {
    let original = tokenize(&source.text);
    let preprocessed = preprocess::preprocess(source, &original)?;
    check_nesting(&preprocessed)?;
    check_syntax(source, &original)?;
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || lower(&preprocessed))
            .context("cannot start a thread")?;
        match worker.join() {
            Ok(kernel) => Ok(kernel?),
            Err(_) => Err(Fault(format!("the reader of `{}` gave up", source.path)).into()),
        }
    })
}

/// Refuses what would nest too deep for the parser.
fn check_nesting(preprocessed: &Preprocessed) -> Checked<()> {
    let (mut braces, mut parentheses, mut length, mut otherwise) = (0usize, 0usize, 0usize, 0usize);
    // How deep in braces an initializer began, and the token before.
    let (mut initializer, mut before): (Option<usize>, &str) = (None, "");
    for token in &preprocessed.tokens {
        length += 1;
        let text = token.text(&preprocessed.text);
        match text {
            "{" if before == "=" && initializer.is_none() => initializer = Some(braces),
            "}" if initializer.is_some_and(|begin| braces <= begin + 1) => initializer = None,
            _ => {}
        }
        before = text;
        match text {
            "(" | "[" => parentheses += 1,
            ")" | "]" => parentheses = parentheses.saturating_sub(1),
            "{" => (braces, length) = (braces + 1, 0),
            "}" => (braces, length) = (braces.saturating_sub(1), 0),
            ";" if parentheses == 0 => length = 0,
            "else" => otherwise += 1,
            _ => {}
        }
        let what = if braces + parentheses > DEEPEST {
            format!("brackets nest more than {DEEPEST} deep")
        } else if length > LONGEST && initializer.is_none() {
            format!("a statement has more than {LONGEST} tokens")
        } else if length > LONGEST_LIST {
            format!("a list of constants has more than {LONGEST_LIST} tokens")
        } else if otherwise > 4 * DEEPEST {
            format!("the file has more than {} `else`", 4 * DEEPEST)
        } else {
            continue;
        };
        let span = preprocessed.map.span(ByteSpan::span(token.start, token.end));
        return Err(Diagnostic::new(what).at(span, "here").help("split it"));
    }
    Ok(())
}

/// The kernel of a preprocessed text, calls of helpers with pointers replaced by their bodies first.
fn lower(preprocessed: &Preprocessed) -> Checked<Kernel> {
    let mut spliced: Option<Preprocessed> = builtins::defined(preprocessed);
    spliced = stated::counted(spliced.as_ref().unwrap_or(preprocessed))?.or(spliced);
    spliced = hiding::apart(spliced.as_ref().unwrap_or(preprocessed)).or(spliced);
    spliced = typedefs::expanded(spliced.as_ref().unwrap_or(preprocessed), false).or(spliced);
    spliced = pointees::as_arrays(spliced.as_ref().unwrap_or(preprocessed)).or(spliced);
    spliced = memory::expanded(spliced.as_ref().unwrap_or(preprocessed))?.or(spliced);
    // The kernel's name: it does not call its helpers any more once their bodies stand in it.
    let mut name: Option<String> = None;
    let mut has_structures = true;
    for round in 0.. {
        let current = spliced.as_ref().unwrap_or(preprocessed);
        let unit = program::unit(current, current.text.clone(), &|_| false)?;
        let mut types = types_of(current, &unit);
        types.has_structures = has_structures;
        let kernel = function::find(&unit, current, &types, &regions(current)?, name.as_deref());
        let next = match kernel {
            Ok(kernel) if round < splice::ROUNDS => {
                let next = splice::splice(current, &unit, kernel.bytes, &types, round);
                name = Some(kernel.name);
                match next {
                    None if has_structures => {
                        has_structures = false;
                        types.has_structures = false;
                        structs::flattened(current, &unit, &types, kernel.bytes)?
                    }
                    next => next,
                }
            }
            _ => None,
        };
        match next {
            Some(next) => spliced = Some(next),
            None => {
                let renamed = Renamed::of(current);
                let lowered = |effort| lower_plain(current, unit.clone(), name.as_deref(), &renamed, effort);
                let mut kernel = lowered(Effort::Plain);
                let more = [Effort::Behind].into_iter().chain(exits::may_leave(&unit).then_some(Effort::Exits));
                let more = more.chain(effects::are_nested(&unit).then_some(Effort::Effects));
                let more = more.chain(exits::leaves_told(&unit).then_some(Effort::Rounds));
                let more = more.chain(effects::has_counting_heads(&unit).then_some(Effort::Counts));
                for effort in more {
                    kernel = kernel.or_else(|first| {
                        lowered(effort).map_err(|second| match effort {
                            // Who gets as far as the directives has understood the text.
                            _ if is_directive(current, &first) => first,
                            _ if is_directive(current, &second) => second,
                            // In the words of the text.
                            Effort::Effects | Effort::Rounds | Effort::Counts => later(first, second),
                            _ => later(second, first),
                        })
                    });
                }
                return kernel.map_err(|refused| renamed.told(refused));
            }
        }
    }
    unreachable!("the last round returns")
}

/// How far a text is rewritten: what less of it is enough for stays as it is.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Effort {
    Plain,
    /// Counters may be read behind their loops.
    Behind,
    /// Data may end loops.
    Exits,
    /// Expressions may change something on their way to a value.
    Effects,
    /// Loops that count may end for other reasons as well.
    Rounds,
    /// Heads that count are apart from what they look at.
    Counts,
}

/// The one of two refusals that comes later in the text: up to there all was understood. The first, where they are at one place.
fn later(first: Diagnostic, second: Diagnostic) -> Diagnostic {
    let place = |refused: &Diagnostic| refused.span.map(|span| (span.line, span.column));
    if place(&first) >= place(&second) { first } else { second }
}

/// Whether a refusal points to a directive.
fn is_directive(preprocessed: &Preprocessed, refused: &Diagnostic) -> bool {
    let words = preprocessed.pragmas.iter().filter_map(|pragma| pragma.words.first());
    let mut lines = words.filter(|word| word.text == "burstc").map(|word| word.span.line);
    refused.span.is_some_and(|span| lines.any(|line| line == span.line))
}

fn types_of(preprocessed: &Preprocessed, unit: &TranslationUnit) -> Types {
    let expansion = |name: &str| preprocessed.macros.get(name).map_or("", |text| text.trim());
    let long_bits = if expansion(SIZEOF_LONG) == "4" { 32 } else { 64 };
    Types::new(unit, expansion(CHAR_UNSIGNED) != "1", long_bits)
}

/// The same of a unit in which nothing is left to splice.
fn lower_plain(
    preprocessed: &Preprocessed,
    mut unit: TranslationUnit,
    name: Option<&str>,
    renamed: &Renamed,
    effort: Effort,
) -> Checked<Kernel> {
    let behind = effort >= Effort::Behind;
    let flattened = plainer(preprocessed, &mut unit, name, effort)?;
    let map = &preprocessed.map;
    let types = types_of(preprocessed, &unit);

    let function = function::find(&unit, preprocessed, &types, &regions(preprocessed)?, name)?;
    check_name(&function.name, function.name_span)?;
    let directives = directives(preprocessed, &function)?;
    let words = preprocessed.tokens.iter().filter(|token| token.kind == Kind::Word);
    let taken = words.map(|token| token.text(&preprocessed.text).to_string()).collect();
    let given = function.arguments.iter().map(|a| a.name.clone()).chain(function::counters(&function)).collect();
    let mut unread = Scope::new(map, &types, &unit, taken, given);
    unread.flattened = flattened;
    unread.behind = behind;
    // Variables that turn out to be memory, and the first refusal while others were tried.
    let mut memory = HashSet::new();
    let mut before: Option<Diagnostic> = None;
    let (mut scope, mut body, (arguments, parameters, mut scalars)) = loop {
        let mut scope = unread.clone();
        let (arguments, mut parameters, scalars) = self::arguments(&function, &directives, &mut scope)?;
        directives.apply_scratch(&function, &mut scope.arrays)?;
        directives.apply_layouts(&function, &mut scope.arrays)?;
        directives.apply_ranges(&function, &mut scope.arrays)?;
        directives.apply_sizes(&mut parameters)?;
        scope.scalar_arguments = scalars.len();
        scope.sizes = parameters.iter().map(|size| (size.name.clone(), size.range())).collect();
        match nest::body(&mut scope, function.body, &memory) {
            Ok(body) => break (scope, body, (arguments, parameters, scalars)),
            Err(refused) if refused.memory.is_empty() => {
                let last = *refused.diagnostic;
                return Err(match before.filter(|_| behind) {
                    Some(before) => later(before, last),
                    None => last,
                });
            }
            Err(refused) => {
                memory.extend(refused.memory);
                before = before.or(Some(*refused.diagnostic).filter(|_| !refused.is_lost));
            }
        }
    };
    let host = scope.settle_host(&mut body.nodes, &mut scalars);
    // Who gives every statement a place in a schedule keeps all of them, and may say that temporaries are none.
    let all = self::statements(&body.nodes);
    if !directives.name_statements() || directives.has_wires {
        elements::elements(&mut body.nodes, &mut body.places, &mut scope.arrays, &scope.quotients);
        wires::forward(&mut body.nodes, &mut body.places, &mut scope.arrays);
    }
    let has_wires = self::statements(&body.nodes) < all;
    // Sums that temporaries were part of, too.
    wires::for_each(&mut body.nodes, &mut |statement| {
        balance::balance(&mut statement.value, &statement.target);
        let nothing = kernel::Expr::Constant { value: 0, ty: statement.value.ty() };
        statement.value = kernel::hoisted(std::mem::replace(&mut statement.value, nothing), &statement.target);
    });
    let statements = statements(&body.nodes);
    if statements == 0 {
        return Err(Diagnostic::new(format!("the kernel `{}` computes nothing", function.name))
            .at(function.name_span, "no statement")
            .help("burstc compiles a loop nest that assigns array elements"));
    }
    for iterator in iterators(&body.nodes) {
        if let Some(user) = renamed.user(&iterator) {
            body.sources.insert(iterator.clone(), (user.to_string(), crate::affine::Affine::variable(&iterator)));
        }
    }
    let panels = directives.put_panels(&function, &mut body.nodes, &mut scope)?;
    let tilings = directives.tilings(&body, &parameters, &scope.quotients, &|name| renamed.has(name))?;
    let kernel = Kernel {
        name: function.name,
        span: function.name_span,
        arguments,
        parameters,
        scalars,
        host,
        arrays: scope.arrays,
        quotients: scope.quotients,
        body: body.nodes,
        made: body.sources,
        beyond: vec![],
        domain: vec![],
        obligations: scope.obligations,
        reassociates: false,
        keeps_stores: directives.keeps_stores,
        without_masks: directives.without_masks,
        uses: directives.uses,
        has_wires,
        panels,
        ports: Default::default(),
        tilings,
    };
    Ok(kernel)
}

/// What C says in many ways, in the one that is lowered.
fn plainer(
    preprocessed: &Preprocessed,
    unit: &mut TranslationUnit,
    name: Option<&str>,
    effort: Effort,
) -> Checked<flat::Flattened> {
    let behind = effort >= Effort::Behind;
    let decided = if effort >= Effort::Rounds { exits::Decided::ByAny } else { exits::Decided::ByData };
    types::hoist_enumerations(unit);
    let types = types_of(preprocessed, unit);
    let constants = constants::Constants::of(unit, &types);
    strings::strings(unit, &constants);
    if effort >= Effort::Effects {
        effects::effects(unit, &types, effort >= Effort::Counts);
    }
    switch::switches(unit, &constants);
    initial::initial(unit);
    allocated::allocated(unit, &types);
    exits::gotos(unit, &types);
    let kernel = function::find(unit, preprocessed, &types, &regions(preprocessed)?, name)?.name;
    counters::counters(unit, &kernel, &types);
    pointers::pointers(unit, &kernel, &types, &preprocessed.map)?;
    plain::plain(unit);
    counters::begun_only(unit, &types);
    if behind {
        parted::parted(unit);
        breaks::stepped(unit, &types);
        lives::apart(unit);
        exits::ended(unit, &types);
    }
    // Those of pointers.
    if effort >= Effort::Exits {
        exits::dwindling(unit, &types, decided);
        counters::several(unit);
    }
    counters::leading(unit, &kernel, &types, effort >= Effort::Exits);
    carry::carry(unit, &types);
    if behind {
        left::left(unit);
        if effort >= Effort::Exits {
            exits::split_heads(unit, &types, decided);
        }
        breaks::breaks(unit, &types, (effort >= Effort::Exits).then_some(decided));
    }
    canonical::canonical(unit);
    if effort >= Effort::Exits {
        exits::exits(unit, &types, decided);
    }
    if behind {
        canonical::headless(unit);
        // Loops that have become `for` loops.
        left::left(unit);
    }
    temporaries::inside(unit);
    Ok(flat::flat(unit, &directive::shapes(&preprocessed.pragmas, &preprocessed.macros), &types))
}

/// What `#pragma scop` and `#pragma endscop` surround.
fn regions(preprocessed: &Preprocessed) -> Checked<Vec<Region>> {
    let unpaired = |span| {
        Diagnostic::new("`#pragma scop` and `#pragma endscop` do not pair up")
            .at(span, "without its other half")
            .help("put `#pragma scop` before the kernel's loops and `#pragma endscop` behind them")
    };
    let mut regions = vec![];
    let mut begin: Option<(usize, Span)> = None;
    for pragma in &preprocessed.pragmas {
        let [word] = &pragma.words[..] else { continue };
        match (word.text.as_str(), begin) {
            ("scop", None) => begin = Some((pragma.start, word.span)),
            ("endscop", Some((start, span))) => {
                regions.push(Region { bytes: start..pragma.start, span });
                begin = None;
            }
            ("scop" | "endscop", _) => return Err(unpaired(word.span)),
            _ => {}
        }
    }
    match begin {
        Some((_, span)) => Err(unpaired(span)),
        None => Ok(regions),
    }
}

fn directives(preprocessed: &Preprocessed, function: &Function) -> Checked<Directives> {
    let inside = preprocessed
        .tokens
        .iter()
        .filter(|token| function.bytes.start <= token.start && token.end <= function.bytes.end);
    let words = inside.filter(|token| token.kind == Kind::Word).map(|token| token.text(&preprocessed.text));
    let directives = directive::read(&preprocessed.pragmas, &preprocessed.macros, &words.collect())?;
    let late = preprocessed.pragmas.iter().filter(|pragma| pragma.start >= function.bytes.end);
    let late = late.filter(|pragma| pragma.words.first().is_some_and(|word| word.text == "burstc"));
    if let Some(word) = late.filter_map(|pragma| pragma.words.get(1)).next() {
        return Err(Diagnostic::new(format!("a directive behind the kernel `{}`", function.name))
            .at(word.span, "behind the function")
            .help("put it before the function, or inside it before the loops"));
    }
    Ok(directives)
}

/// Divides the arguments into sizes, scalars and arrays, and makes them known to `scope`.
fn arguments(
    function: &Function,
    directives: &Directives,
    scope: &mut Scope,
) -> Checked<(Vec<Argument>, Vec<SizeParameter>, Vec<Scalar>)> {
    let mut sizes: HashSet<String> = names_in_sizes(function);
    sizes.extend(directives.names_in_extents().map(str::to_string));
    for size in &directives.sizes {
        let word = &size.name;
        let integers = || function.arguments.iter().filter(|a| a.extents.is_none()).map(|a| a.name.as_str());
        if !integers().any(|name| name == word.text) {
            let help = match nearest(&word.text, integers()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "sizes are the integer arguments that loop bounds and extents use".into(),
            };
            return Err(Diagnostic::new(format!("`{}` is no integer argument of `{}`", word.text, function.name))
                .at(word.span, "not an integer argument")
                .help(help));
        }
        sizes.insert(word.text.clone());
    }

    let (mut arguments, mut parameters, mut scalars) = (Vec::new(), Vec::new(), Vec::new());
    for argument in &function.arguments {
        let (name, ty, span) = (argument.name.clone(), argument.ty, argument.span);
        if argument.extents.is_some() {
            check_name(&name, span)?;
            scope.define(&name, Name::Array(scope.arrays.next_key()));
            arguments.push(Argument::Array(scope.arrays.next_key()));
            let (boolean, in_one) = (argument.is_bool, scope.flattened.made.contains(&name));
            scope.arrays.push(Array { boolean, in_one, ..Array::new(name, ty, vec![], Storage::Argument, span) });
        } else if sizes.contains(&name) && !ty.floating {
            check_name(&name, span)?;
            scope.define(&name, Name::Parameter(ty));
            arguments.push(Argument::Parameter(parameters.len()));
            let boolean = argument.is_bool;
            parameters.push(SizeParameter {
                name,
                ty,
                boolean,
                default: None,
                min: 0,
                max: None,
                is_assumed: false,
                span,
            });
        } else {
            check_name(&name, span)?;
            scope.define(&name, Name::Scalar(scalars.len(), ty));
            arguments.push(Argument::Scalar(scalars.len()));
            scalars.push(Scalar { name, ty, boolean: argument.is_bool, span });
        }
    }
    let arrays: ByArray<_> = function.arguments.iter().filter(|argument| argument.extents.is_some()).collect();
    for (array, argument) in arrays.into_iter_enumerated() {
        let mut extents = argument
            .extents
            .iter()
            .flatten()
            .map(|node| scope.extent(node, &argument.name))
            .collect::<Checked<Vec<_>>>()?;
        if let Some(pointer) = argument.pointer {
            let unlike = |refused| scope.unlike_rows(&argument.name, argument.span, refused);
            let is_one = extents.is_empty() && flat::is_first_alone(function.body, &argument.name);
            extents = match is_one && !directives.gives_extents(&argument.name) {
                true => vec![Affine::constant(1)],
                false => directives.pointer_extents(argument, pointer, extents, &parameters, &unlike)?,
            };
        }
        scope.arrays[array].extents = extents;
    }
    directives.require_pointers(function)?;
    Ok((arguments, parameters, scalars))
}

/// What the loops count with.
fn iterators(nodes: &[Node]) -> Vec<String> {
    let of = |node: &Node| match node {
        Node::Statement(_) => vec![],
        Node::Loop(inner) => [vec![inner.iterator.clone()], iterators(&inner.body)].concat(),
        Node::If(inner) => iterators(&inner.body),
    };
    nodes.iter().flat_map(of).collect()
}

/// How many statements there are.
fn statements(nodes: &[Node]) -> usize {
    let count = |node: &Node| match node {
        Node::Statement(_) => 1,
        Node::Loop(inner) => statements(&inner.body),
        Node::If(inner) => statements(&inner.body),
    };
    nodes.iter().map(count).sum()
}
