//! `#pragma burstc`: sizes, extents, tiles and schedules.
//!
//! ```text
//! #pragma burstc size(N: 128, min 1, max 4096)
//! #pragma burstc extent(a: N)
//! #pragma burstc scratch(a) stores(all) panels(a) range(a: 0..255) layout(a: tiles) uses(apart)
//! #pragma burstc rounds(2 * N)
//! #pragma burstc tile(i:32, j:32, k:32) strip(2) lanes(4) order(k, i, j)
//! #pragma burstc tile(i:32, j:32) units(i:4)
//! #pragma burstc schedule((i,j) -> (N-j, i)) tile(10, 10)
//! #pragma burstc schedule(S0[i] -> (i, 0); S1[i,j] -> (i, j)) tile(32, 32)
//! ```

mod parser;
mod text;
mod tiling;

use std::collections::{BTreeSet, HashMap, HashSet};

use super::function::{Function, Pointer, RawArgument};
use super::kernel::{Array, LanesDirective, Node, SizeParameter, UnitsDirective, UsesDirective};
use super::panels::{self, Wanted};
use super::preprocess::{Pragma, Word};
use super::scope::{Checked, Scope, nearest};
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};
use crate::ids::{ArrayId, ByArray};
use parser::Parser;

pub use text::{directive_text, order_text, storage_directives};

/// What a directive may begin with, and an example of each.
const DIRECTIVES: [(&str, &str); 17] = [
    ("tile", "tile(i:32, j:32)"),
    ("schedule", "schedule((i,j) -> (i+j, i)) tile(10, 10)"),
    ("strip", "tile(i:32, j:32) strip(2)"),
    ("lanes", "tile(i:32, j:32) lanes(4)"),
    ("units", "tile(i:32, j:32) units(i:4)"),
    ("order", "tile(i:32, j:32) order(j, i)"),
    ("size", "size(N: 128, min 1, max 4096)"),
    ("extent", "extent(a: N)"),
    ("scratch", "scratch(a)"),
    ("range", "range(a: 0..255)"),
    ("rounds", "rounds(2 * N)"),
    ("stores", "stores(all)"),
    ("masks", "masks(none)"),
    ("panels", "panels(a)"),
    ("layout", "layout(a: tiles)"),
    ("uses", "uses(apart)"),
    ("wires", "wires(all)"),
];

/// Everything that the file's directives say.
#[derive(Debug, Default)]
pub struct Directives {
    pub sizes: Vec<Size>,
    extents: Vec<Extent>,
    /// Arguments of which nobody reads what is left.
    scratch: Vec<Word>,
    ranges: Vec<ValueRange>,
    /// Arguments whose rows and columns beside a block are local arrays.
    panels: Vec<Word>,
    /// Arguments whose cells lie in memory by tiles.
    layouts: Vec<Word>,
    /// `uses(apart)` or `uses(together)`
    pub uses: Option<UsesDirective>,
    /// `stores(all)`
    pub keeps_stores: bool,
    /// `masks(none)`: what data decide to write is loaded first.
    pub without_masks: bool,
    /// `wires(all)`: schedules do not count temporaries that are wires.
    pub has_wires: bool,
    /// Tiles and schedules in the order of the text.
    written: Vec<Written>,
}

/// `N: 128, min 1, max 4096`
#[derive(Debug)]
pub struct Size {
    pub name: Word,
    default: Option<(i64, Span)>,
    min: Option<(i64, Span)>,
    max: Option<(i64, Span)>,
}

/// `range(a: 0..255)`
#[derive(Debug)]
struct ValueRange {
    name: Word,
    low: i64,
    high: i64,
    /// Of both.
    span: Span,
}

/// `extent(a: N)`
#[derive(Debug)]
struct Extent {
    name: Word,
    values: Vec<Sum>,
}

/// An affine expression, and the names in it.
#[derive(Debug)]
struct Sum {
    value: Affine,
    names: Vec<Word>,
    span: Span,
}

/// A tile or schedule at a byte of the preprocessed text.
#[derive(Debug)]
struct Written {
    start: usize,
    what: What,
}

#[derive(Debug)]
enum What {
    Tile(Tile),
    Plain(Plain),
    Named(Named),
}

/// `tile(i:32, j:32)` or, beside a schedule, `tile(10, 10)`.
#[derive(Debug)]
struct Tile {
    span: Span,
    items: Vec<(Option<Word>, i64, Span)>,
    /// `lanes(4)` in the same pragma.
    lanes: Option<LanesDirective>,
    /// `units(i:4)` in the same pragma.
    units: Option<UnitsDirective>,
    /// `strip(2)` in the same pragma.
    strip: Option<Strip>,
    /// `order(k, i, j)` in the same pragma.
    order: Option<Order>,
}

/// `order(k, i, j)`, or `order(S0[i] -> (i, 0); S1[i,j] -> (i, 1, j))`: the loops inside a tile.
#[derive(Debug)]
struct Order {
    span: Span,
    dates: Dates,
}

#[derive(Debug)]
enum Dates {
    /// Over the loops of the tile or, beside a schedule, of its only statement.
    Plain(Vec<Sum>),
    Named(Vec<NamedStatement>),
}

/// `strip(2)`: a strip runs along so many dimensions.
#[derive(Clone, Copy, Debug)]
struct Strip {
    dimensions: usize,
    span: Span,
}

impl Tile {
    /// The dimensions that a strip runs along, one where nobody says how many.
    fn strip(&self) -> Checked<usize> {
        let Some(Strip { dimensions, span }) = self.strip else { return Ok(1) };
        let all = self.items.len();
        if dimensions > all {
            let plural = if all == 1 { "" } else { "s" };
            return Err(Diagnostic::new(format!("a strip of {dimensions} dimensions, and tiles of {all}"))
                .at(span, format!("tiles have {all} dimension{plural}"))
                .help(format!("write `strip({all})` or less")));
        }
        Ok(dimensions)
    }
}

/// `schedule((i,j) -> (N-j, i))`, of the only statement of a nest.
#[derive(Debug)]
struct Plain {
    span: Span,
    loops: Vec<Word>,
    loops_span: Span,
    theta: Vec<Sum>,
}

/// `schedule(S0[i] -> (i, 0); S1[i,j] -> (i, j))`: one band.
#[derive(Debug)]
struct Named {
    span: Span,
    statements: Vec<NamedStatement>,
}

/// `S0[i] -> (i, 0)`
#[derive(Debug)]
struct NamedStatement {
    name: Word,
    loops: Vec<Word>,
    loops_span: Span,
    theta: Vec<Sum>,
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
            parser.directives(pragma.start, &mut directives)?;
        } else if nearest(&first.text, ["burstc"]).is_some() {
            return Err(Diagnostic::new(format!("unknown pragma `{}`", first.text))
                .at(first.span, "unknown")
                .help("did you mean `#pragma burstc`?"));
        }
    }
    Ok(directives)
}

/// How often the next loop runs at most, as a directive says.
pub struct Stated {
    /// Over sizes.
    pub most: Affine,
    /// Where the directive stands in the preprocessed text.
    pub start: usize,
    pub span: Span,
}

/// All of those.
pub fn rounds(pragmas: &[Pragma], macros: &HashMap<String, String>) -> Checked<Vec<Stated>> {
    let mut found = vec![];
    for pragma in pragmas.iter().filter(|pragma| pragma.words.first().is_some_and(|word| word.text == "burstc")) {
        let Some(at) = pragma.words.iter().position(|word| word.text == "rounds") else { continue };
        check_depth(&pragma.words)?;
        let (span, reserved) = (pragma.words[at].span, HashSet::new());
        let mut parser =
            Parser { words: &pragma.words, at: at + 1, last: span, macros, reserved: &reserved, expanding: false };
        found.push(Stated { most: parser.rounds()?, start: pragma.start, span });
    }
    Ok(found)
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

/// From the first place to the end of the second, where that is on the same line.
fn join(first: Span, last: Span) -> Span {
    let end = last.column + last.length;
    let length = if first.line == last.line { end.saturating_sub(first.column) } else { first.length };
    Span { length, ..first }
}

/// The extents of pointers by their names, where `extent(a: h, w)` gives them as names and numbers. What else is said is nobody's
/// concern before the directives are read. `macros` gives what a name expands to.
pub fn shapes(pragmas: &[Pragma], macros: &HashMap<String, String>) -> HashMap<String, Vec<String>> {
    // Macros that are numbers, or names of such.
    fn expanded<'m>(word: &'m str, macros: &'m HashMap<String, String>) -> &'m str {
        let mut word = word;
        for _ in 0..16 {
            let Some(text) = macros.get(word) else { break };
            word = text.trim().trim_start_matches('(').trim_end_matches(')').trim();
        }
        word
    }
    let mut found = HashMap::new();
    for pragma in pragmas {
        let words: Vec<&str> = pragma.words.iter().map(|word| word.text.as_str()).collect();
        for (begin, window) in words.windows(4).enumerate() {
            if let ["extent", "(", name, ":"] = window {
                let end = words[begin + 4..].iter().position(|word| *word == ")").unwrap_or_default();
                let extents: Vec<&[&str]> = words[begin + 4..begin + 4 + end].split(|word| *word == ",").collect();
                // Each a name or a number, or a product of those.
                let is_product = |extent: &&[&str]| {
                    extent.len() % 2 == 1
                        && extent.iter().enumerate().all(|(k, word)| (k % 2 == 1) == (*word == "*"))
                        && extent.iter().step_by(2).all(|word| word.chars().all(|c| c.is_alphanumeric() || c == '_'))
                };
                if extents.iter().all(is_product) {
                    let text = |extent: &[&str]| extent.iter().map(|word| expanded(word, macros)).collect::<String>();
                    found.insert(name.to_string(), extents.iter().map(|extent| text(extent)).collect());
                }
            }
        }
    }
    found
}

impl Directives {
    /// Writes default and bounds into the parameters. Every size names one of them: [`super::parse`] has made sure.
    pub fn apply_sizes(&self, parameters: &mut [SizeParameter]) -> Checked<()> {
        for size in &self.sizes {
            let Some(parameter) = parameters.iter_mut().find(|p| p.name == size.name.text) else { continue };
            let ty = parameter.ty;
            let of_type = ((1i128 << (ty.bits - ty.signed as u32)) - 1).min(i64::MAX as i128) as i64;
            let largest = if parameter.boolean { 1 } else { of_type };
            for (value, span) in [size.default, size.min, size.max].into_iter().flatten() {
                if value > largest {
                    return Err(Diagnostic::new(format!("`{}` is a {ty} and cannot be {value}", parameter.name))
                        .at(span, format!("more than {largest}"))
                        .help("choose a smaller size or a wider type"));
                }
            }
            parameter.default = size.default.map(|(value, _)| value);
            parameter.min = size.min.map_or(0, |(value, _)| value);
            parameter.max = size.max.map(|(value, _)| value);
        }
        Ok(())
    }

    /// The names in `extent` directives; the integer arguments among them are sizes.
    pub fn names_in_extents(&self) -> impl Iterator<Item = &str> {
        let sums = self.extents.iter().flat_map(|extent| &extent.values);
        sums.flat_map(|sum| &sum.names).map(|name| name.text.as_str())
    }

    /// Whether one of them says how large a pointer's array is.
    pub fn gives_extents(&self, name: &str) -> bool {
        self.extents.iter().any(|extent| extent.name.text == *name)
    }

    /// All extents of a pointer, of which the declaration gives `inner`, all but the first. `unlike` says why it has no others where
    /// that is known.
    pub fn pointer_extents(
        &self,
        argument: &RawArgument,
        pointer: Pointer,
        inner: Vec<Affine>,
        parameters: &[SizeParameter],
        unlike: &dyn Fn(Diagnostic) -> Diagnostic,
    ) -> Checked<Vec<Affine>> {
        let name = &argument.name;
        let Some(extent) = self.extents.iter().find(|extent| extent.name.text == *name) else {
            let why = match pointer.is_restrict {
                true => "its extent is unknown",
                false => "it may alias, and its extent is unknown",
            };
            return Err(Diagnostic::new(format!("the argument `{name}` is a pointer: {why}"))
                .at(pointer.span, "pointer")
                .help(format!(
                    "declare its extent, as in `{name}[N]`, or say it with `#pragma burstc extent({name}: N)`; of rows whose \
                     elements are `{name}[y * W + x]`, with `extent({name}: H, W)`"
                )));
        };
        for word in extent.values.iter().flat_map(|value| &value.names) {
            if !parameters.iter().any(|parameter| parameter.name == word.text) {
                return Err(Diagnostic::new(format!("`{}` is no integer argument of the kernel", word.text))
                    .at(word.span, "not a size")
                    .help("extents are sums of integer arguments with constant factors"));
            }
        }
        let values: Vec<Affine> = extent.values.iter().map(|sum| sum.value.clone()).collect();
        if values[1..] != inner[..] && values.len() > 1 {
            let refused = Diagnostic::new(format!("the extents of `{name}` are not those of its declaration"))
                .at(extent.values[1].span, "another extent")
                .help(format!("give the first extent only, as in `extent({name}: {})`", values[0]));
            return Err(unlike(refused));
        }
        if values[0].is_constant() && values[0].constant < 1 {
            return Err(Diagnostic::new(format!("the array `{name}` has an extent of {}", values[0]))
                .at(extent.values[0].span, "less than 1")
                .help("an array has at least one element"));
        }
        Ok(values.into_iter().take(1).chain(inner).collect())
    }

    /// Marks the arrays that `scratch` names.
    pub fn apply_scratch(&self, function: &Function, arrays: &mut ByArray<Array>) -> Checked<()> {
        for word in &self.scratch {
            let help = "scratch arrays are arguments of which the caller does not read what is left";
            named(word, function, arrays, help)?.scratch = true;
        }
        Ok(())
    }

    /// Marks the arrays that `layout` names.
    pub fn apply_layouts(&self, function: &Function, arrays: &mut ByArray<Array>) -> Checked<()> {
        for word in &self.layouts {
            let array = named(word, function, arrays, "layouts are of array arguments")?;
            if array.by_tiles.replace(word.span).is_some() {
                return Err(Diagnostic::new(format!("the layout of `{}` is declared twice", word.text))
                    .at(word.span, "again")
                    .help("keep one `layout` for each array"));
            }
        }
        Ok(())
    }

    /// Puts the panels of the arrays that `panels` names into local arrays; which arrays these are.
    pub fn put_panels(&self, function: &Function, nodes: &mut [Node], scope: &mut Scope) -> Checked<BTreeSet<ArrayId>> {
        let mut all = BTreeSet::new();
        for word in &self.panels {
            named(word, function, &mut scope.arrays, "panels are of array arguments")?;
            all.extend(scope.arrays.position(|array| array.name == word.text));
        }
        if all.is_empty() {
            return Ok(all);
        }
        let quotients = scope.quotients.iter().map(|quotient| quotient.name.clone()).collect();
        let mut arrays = std::mem::take(&mut scope.arrays);
        let wanted = Wanted { arguments: all, quotients, is_taken: &|name| scope.is_taken(name) };
        let found = panels::put(nodes, &mut arrays, &wanted);
        scope.arrays = arrays;
        match self.panels.iter().find(|word| found.iter().all(|array| scope.arrays[*array].name != word.text)) {
            None => Ok(found),
            Some(word) => Err(Diagnostic::new(format!("`{}` has no panels", word.text))
                .at(word.span, "no row or column of it is read beside what is written")
                .help("a panel is what `d[i][k]` or `d[k][j]` reads in an iteration of k whose inner loops write `d[i][j]`")),
        }
    }

    /// Notes the values that random data have, for the arrays that `range` names.
    pub fn apply_ranges(&self, function: &Function, arrays: &mut ByArray<Array>) -> Checked<()> {
        for ValueRange { name, low, high, span } in &self.ranges {
            let array = named(name, function, arrays, "ranges are of the elements of array arguments")?;
            let (least, most) = array.element.limits();
            let refuse = |what: String, help: String| Err(Diagnostic::new(what).at(*span, "this range").help(help));
            if array.element.floating {
                return refuse(
                    format!("a range of the elements of `{}`, which are no integers", array.name),
                    format!("leave it out; `--data {}=LOW..HIGH` gives random data a range", array.name),
                );
            }
            if low > high || *low < least || *high > most {
                return refuse(
                    format!("`{}` has no elements of all values from {low} to {high}", array.name),
                    format!("write the smallest value first; `{}` holds {least} to {most}", array.element),
                );
            }
            array.range = Some((*low, *high));
        }
        Ok(())
    }

    /// Refuses an extent of what is no pointer.
    pub fn require_pointers(&self, function: &Function) -> Checked<()> {
        let is_pointer =
            |extent: &&Extent| function.arguments.iter().any(|a| a.pointer.is_some() && a.name == extent.name.text);
        match self.extents.iter().find(|extent| !is_pointer(extent)) {
            None => Ok(()),
            Some(Extent { name, .. }) => Err(Diagnostic::new(format!(
                "`{}` is no pointer among the arguments of `{}`",
                name.text, function.name
            ))
            .at(name.span, "not a pointer")
            .help("the extents of an array stand in its declaration")),
        }
    }
}

/// The array argument that a directive names; `help` says what it takes.
fn named<'a>(word: &Word, function: &Function, arrays: &'a mut ByArray<Array>, help: &str) -> Checked<&'a mut Array> {
    if let Some(place) = arrays.position(|array| array.name == word.text) {
        return Ok(&mut arrays[place]);
    }
    let known = function.arguments.iter().filter(|a| a.extents.is_some()).map(|a| a.name.as_str());
    let help = match nearest(&word.text, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => help.to_string(),
    };
    Err(Diagnostic::new(format!("`{}` is no array argument of `{}`", word.text, function.name))
        .at(word.span, "not an array argument")
        .help(help))
}
