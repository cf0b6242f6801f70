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

impl Progress {
    /// The last step is done: the line makes room for what comes next.
    pub fn end(&self) {
        if let Some(spinner) = &self.spinner {
            spinner.finish_and_clear();
        }
    }
}

/// The last step was given up, too.
impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

/// In a terminal a bar with the time that is left; nothing elsewhere.
pub struct Bar(Option<ProgressBar>);

impl Bar {
    pub fn new(is_quiet: bool, text: &str, count: usize) -> Bar {
        let is_shown = !is_quiet && count > 0 && std::io::stderr().is_terminal();
        Bar(is_shown.then(|| {
            let bar = ProgressBar::new(count as u64);
            let template = "{msg} {wide_bar} {pos} of {len}, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_message(text.to_string());
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        }))
    }

    /// One more is done.
    pub fn step(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
