//! From the text that is compiled to the user's.

use std::ops::Range;

use crate::diagnostic::{Diagnostic, Span};

/// Where added text stands, and what of the user's it was made of. All other places are the same in both.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// On a line, columns of added text.
    added: Vec<(usize, Range<usize>, Span)>,
    /// From this column of a line on, all is so many columns further right.
    shifted: Vec<(usize, usize, usize)>,
}

impl Places {
    pub fn add(&mut self, line: usize, columns: Range<usize>, user: Span) {
        self.added.push((line, columns, user));
    }

    pub fn shift(&mut self, line: usize, behind: usize, by: usize) {
        self.shifted.push((line, behind, by));
    }

    /// The user's place. Of several that were added there, the one that was added first.
    pub fn user(&self, span: Span) -> Span {
        let added = self.added.iter().find(|(line, columns, _)| *line == span.line && columns.contains(&span.column));
        if let Some((.., user)) = added {
            return *user;
        }
        let before = self.shifted.iter().filter(|(line, behind, _)| span.line == *line && span.column >= *behind);
        let by: usize = before.map(|(.., by)| by).sum();
        Span { column: span.column.saturating_sub(by).max(1), ..span }
    }

    /// The diagnostic with the user's place.
    pub fn diagnostic(&self, diagnostic: &Diagnostic) -> Diagnostic {
        Diagnostic { span: diagnostic.span.map(|span| self.user(span)), ..diagnostic.clone() }
    }
}
