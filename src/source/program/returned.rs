//! A function that returns a number, as a kernel: the number is the only element of an array, the last argument, and
//! `return s;` leaves it there.

use std::ops::Range;

use lang_c::ast::{BlockItem, DeclarationSpecifier, DerivedDeclarator, FunctionDefinition, Statement};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::super::function::derived;
use super::super::scope::Checked;
use super::super::types::CType;
use super::outline::{Edit, Part};
use super::{Reader, name_of};
use crate::diagnostic::{Diagnostic, Span};

/// What a function returns.
pub struct Returned {
    /// The argument's declaration, and its place: that of the function's type.
    pub argument: String,
    pub span: Span,
    /// Of the user's text.
    pub edits: Vec<Edit>,
    /// The value, and the byte of the user's text where it is known; `None` where the function returns in several places.
    pub own: Option<(Value, usize)>,
}

/// What stands behind the value that the kernel leaves early with.
pub const LEAVES: &str = " return; }";

/// A value that the kernel leaves in an array: its type, its C text, and the array's name.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    pub ty: String,
    pub text: String,
    pub array: String,
}

/// The `return`s of a body, in the order of the text.
#[derive(Default)]
struct Returns(Vec<(ByteSpan, Option<ByteSpan>)>);

impl Returns {
    fn of(function: &FunctionDefinition) -> Returns {
        let mut returns = Returns::default();
        returns.visit_statement(&function.statement.node, &function.statement.span);
        returns
    }
}

impl<'ast> Visit<'ast> for Returns {
    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast ByteSpan) {
        if let Statement::Return(value) = statement {
            self.0.push((*span, value.as_ref().map(|value| value.span)));
        }
        visit::visit_statement(self, statement, span);
    }
}

/// What the function of a part returns that is a whole body; `None` where it is nothing, or no number. `fresh` makes a
/// name that the file does not have.
pub fn returned(reader: &Reader, part: &Part, fresh: impl Fn(&str) -> String) -> Checked<Option<Returned>> {
    let function = &part.function.node;
    if !is_number(reader, part) {
        return Ok(None);
    }
    let text = |bytes: ByteSpan| reader.preprocessed.text[bytes.start..reader.end(bytes)].trim().to_string();
    let words = function.specifiers.iter().filter(|s| matches!(s.node, DeclarationSpecifier::TypeSpecifier(_)));
    let base = words.map(|specifier| text(specifier.span)).collect::<Vec<_>>().join(" ");
    let array = fresh(&format!("{}_result", name_of(function)));
    let returns = Returns::of(function);
    let last = last(function);
    let mut edits = vec![];
    for (place, _) in returns.0.iter().filter(|(_, value)| value.is_some()) {
        let (word, behind) = in_file(reader, *place)?;
        if Some(*place) == last {
            edits.push(Edit { bytes: word, text: Some(format!("{array}[0] =")), keeps_directives: true });
        } else {
            edits.push(Edit { bytes: word, text: Some(format!("{{ {array}[0] =")), keeps_directives: true });
            edits.push(Edit { bytes: behind..behind, text: Some(LEAVES.into()), keeps_directives: true });
        }
    }
    let own = match (&returns.0[..], &edits[..]) {
        ([(place, Some(value))], [edit]) if Some(*place) == last => {
            let value = Value { ty: base.clone(), text: text(*value), array: array.clone() };
            Some((value, edit.bytes.start))
        }
        _ => None,
    };
    let span = function.specifiers.first().map_or(function.declarator.span, |first| first.span);
    Ok(Some(Returned { argument: format!("{base} {array}[1]"), span: reader.span(span), edits, own }))
}

/// `return;` with what has to be done before; the last one of the function goes.
pub fn leaving(reader: &Reader, part: &Part, bytes: &Range<usize>, before: &str) -> Checked<Vec<Edit>> {
    let function = &part.function.node;
    let returns = Returns::of(function);
    let last = last(function);
    let mut edits = vec![];
    for (place, _) in returns.0.iter().filter(|(own, value)| value.is_none() && bytes.contains(&own.start)) {
        let (word, behind) = in_file(reader, *place)?;
        let is_last = Some(*place) == last;
        let text = if is_last { String::new() } else { format!("{{ {before}return") };
        edits.push(Edit { bytes: word, text: Some(text), keeps_directives: true });
        if !is_last {
            edits.push(Edit { bytes: behind..behind, text: Some(" }".into()), keeps_directives: true });
        }
    }
    Ok(edits)
}

/// Whether a `return` stands between these bytes, but for the function's last statement.
pub fn leaves(part: &Part, bytes: &Range<usize>) -> bool {
    let function = &part.function.node;
    let returns = Returns::of(function);
    let last = last(function);
    returns.0.iter().any(|(own, _)| bytes.contains(&own.start) && Some(*own) != last)
}

/// The last statement of a function's body.
fn last(function: &FunctionDefinition) -> Option<ByteSpan> {
    match &function.statement.node {
        Statement::Compound(items) => match items.last() {
            Some(Node { node: BlockItem::Statement(last), .. }) => Some(last.span),
            _ => None,
        },
        _ => None,
    }
}

/// The user's bytes of the word `return`, and where its statement ends.
fn in_file(reader: &Reader, place: ByteSpan) -> Checked<(Range<usize>, usize)> {
    let map = &reader.preprocessed.map;
    let (begin, end) = (place.start, reader.end(place));
    let word = map.bytes(ByteSpan::span(begin, begin + "return".len()));
    let word = word.filter(|word| reader.source.text.get(word.clone()) == Some("return"));
    let behind = map.bytes(ByteSpan::span(end - 1, end)).map(|last| last.end);
    word.zip(behind).ok_or_else(|| {
        Diagnostic::new("a `return` comes from a macro or a header")
            .at(reader.span(place), "here")
            .help("write `return` in the kernel itself")
    })
}

/// Whether the part is a whole function that returns a number.
pub fn is_number(reader: &Reader, part: &Part) -> bool {
    let function = &part.function.node;
    let ty: CType = reader.types.of_declaration(&function.specifiers);
    let points = derived(&function.declarator).iter().any(|d| matches!(d.node, DerivedDeclarator::Pointer(_)));
    part.region.is_none() && !points && ty.arithmetic().is_some()
}
