//! What a user did wrong: where, why, and what to do; and what burstc did wrong. Anything else that goes wrong is an
//! ordinary `anyhow` error.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A place in the user's C file (not in the preprocessed text). `line` and `column` count from 1, `length` is in
/// characters; a `length` of 0 marks a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub line: usize,
    pub column: usize,
    pub length: usize,
}

/// A refusal of the user's input: exit code 2. Carried inside `anyhow::Error` and found again by `downcast_ref`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// One sentence: what was seen and why it is refused.
    pub message: String,
    /// The place in the C file, where there is one.
    pub span: Option<Span>,
    /// A few words printed at the place.
    pub label: String,
    /// What the user can do about it.
    pub help: String,
}

impl Diagnostic {
    pub fn new(message: impl Into<String>) -> Self {
        Diagnostic { message: message.into(), span: None, label: String::new(), help: String::new() }
    }

    pub fn at(mut self, span: Span, label: impl Into<String>) -> Self {
        self.span = Some(span);
        self.label = label.into();
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// What must not happen whatever the input: exit code 70, and the user is asked to report it. Carried like a
/// [`Diagnostic`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub String);

impl Fault {
    /// What went wrong inside burstc: anything but a user's mistake and what the operating system refuses.
    pub fn of(error: anyhow::Error) -> anyhow::Error {
        match error.chain().any(|cause| cause.is::<Diagnostic>() || cause.is::<Fault>() || cause.is::<std::io::Error>())
        {
            true => error,
            false => Fault(format!("{error:#}")).into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl std::error::Error for Fault {}
