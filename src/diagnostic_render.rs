//! Prints a [`Diagnostic`]: message, place, source excerpt, help.

use std::fmt;
use std::io::IsTerminal;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan,
    SpanContents,
};

use crate::diagnostic::{Diagnostic, Span};

/// The diagnostic as a terminal shows it; in colour where standard error is one and `NO_COLOR` is unset or empty. `path` is the
/// file as the user named it, `text` its content.
pub fn render(diagnostic: &Diagnostic, path: &str, text: &str) -> String {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    render_with(theme, diagnostic, path, text)
}

fn render_with(theme: GraphicalTheme, diagnostic: &Diagnostic, path: &str, text: &str) -> String {
    let report = Report { diagnostic, file: File { path, text } };
    let mut output = String::new();
    match GraphicalReportHandler::new_themed(theme).with_width(100).render_report(&mut output, &report) {
        Ok(()) => output,
        Err(_) => format!("error: {diagnostic}\n"),
    }
}

#[derive(Debug)]
struct Report<'a> {
    diagnostic: &'a Diagnostic,
    file: File<'a>,
}

#[derive(Debug)]
struct File<'a> {
    path: &'a str,
    text: &'a str,
}

/// Gives columns in characters, where miette counts bytes.
impl SourceCode for File<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.text.read_span(span, lines_before, lines_after)?;
        let before = self.text.get(..contents.span().offset()).unwrap_or("");
        let column = before.chars().rev().take_while(|c| *c != '\n').count();
        Ok(Box::new(MietteSpanContents::new_named(
            self.path.to_string(),
            contents.data(),
            *contents.span(),
            contents.line(),
            column,
            contents.line_count(),
        )))
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostic.fmt(f)
    }
}

impl std::error::Error for Report<'_> {}

impl miette::Diagnostic for Report<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.diagnostic.help.is_empty()).then(|| Box::new(&self.diagnostic.help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.diagnostic.span.map(|_| &self.file as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (start, length) = bytes(self.file.text, self.diagnostic.span?);
        let label = Some(self.diagnostic.label.clone()).filter(|label| !label.is_empty());
        Some(Box::new(std::iter::once(LabeledSpan::new(label, start, length))))
    }
}

/// Byte offset and length of a span, cut to its line.
fn bytes(text: &str, span: Span) -> (usize, usize) {
    let before: usize = text.split_inclusive('\n').take(span.line.saturating_sub(1)).map(str::len).sum();
    let line = text[before..].lines().next().unwrap_or("");
    let offset = |column: usize| line.char_indices().nth(column).map_or(line.len(), |(offset, _)| offset);
    let first = span.column.saturating_sub(1);
    let (start, end) = (offset(first), offset(first + span.length));
    (before + start, end - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "void f(int N)\n{\n    été[i * i] = 1;\n}\n";

    fn plain(diagnostic: &Diagnostic) -> String {
        render_with(GraphicalTheme::unicode_nocolor(), diagnostic, "k.c", TEXT)
    }

    #[test]
    fn shows_message_place_excerpt_label_and_help() {
        let diagnostic = Diagnostic::new("this subscript is not affine")
            .at(Span { line: 3, column: 9, length: 5 }, "a product")
            .help("use constants");
        let printed = plain(&diagnostic);
        for part in ["this subscript is not affine", "k.c:3:9", "été[i * i] = 1;", "a product", "help: use constants"]
        {
            assert!(printed.contains(part), "no {part:?} in\n{printed}");
        }
    }

    #[test]
    fn stands_any_span() {
        for (line, column, length) in [(0, 0, 0), (1, 1, 1000), (3, 16, 0), (5, 1, 3), (99, 99, 99)] {
            assert!(plain(&Diagnostic::new("m").at(Span { line, column, length }, "")).contains('m'));
        }
        assert!(plain(&Diagnostic::new("no place")).contains("no place"));
    }
}
