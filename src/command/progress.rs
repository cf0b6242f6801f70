//! Tells on standard error what is being done: a spinner in a terminal, a line per step elsewhere.

use std::fmt::Write;
use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::terminal::say;
use crate::budget;

/// `: the buffers`, while that is what is being done.
fn phase(state: &ProgressState, text: &mut dyn Write) {
    let phase = budget::latest();
    if !phase.is_empty() && !state.is_finished() {
        let _ = write!(text, ": {phase}");
    }
}

pub struct Progress {
    spinner: Option<ProgressBar>,
    /// Without a spinner, says nothing either.
    is_quiet: bool,
}

impl Progress {
    /// `is_quiet`: neither spinner nor lines.
    pub fn new(is_quiet: bool) -> Progress {
        let spinner = (!is_quiet && std::io::stderr().is_terminal()).then(|| {
            let spinner = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}{phase} ({elapsed})") {
                spinner.set_style(style.with_key("phase", phase));
            }
            spinner.enable_steady_tick(Duration::from_millis(100));
            spinner
        });
        Progress { spinner, is_quiet }
    }

    /// A spinner in a terminal, nothing elsewhere.
    pub fn in_terminal(is_quiet: bool) -> Progress {
        let mut progress = Progress::new(is_quiet);
        progress.is_quiet = true;
        progress
    }

    /// Begins a step; the one before is done.
    pub fn step(&self, text: &str) {
        budget::begin("");
        match &self.spinner {
            Some(spinner) => spinner.set_message(text.to_string()),
            None if self.is_quiet => {}
            None => say(&format!("{text}\n")),
        }
    }
}

/// The last step is done, or was given up: the line makes room for what comes next.
impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(spinner) = &self.spinner {
            spinner.finish_and_clear();
        }
    }
}
