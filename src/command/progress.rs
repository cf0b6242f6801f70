//! Tells on standard error what is being done: a spinner in a terminal, a line per step elsewhere.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::terminal::say;

pub struct Progress {
    spinner: Option<ProgressBar>,
}

impl Progress {
    pub fn new() -> Progress {
        let spinner = std::io::stderr().is_terminal().then(|| {
            let spinner = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                spinner.set_style(style);
            }
            spinner.enable_steady_tick(Duration::from_millis(100));
            spinner
        });
        Progress { spinner }
    }

    /// Begins a step; the one before is done.
    pub fn step(&self, text: &str) {
        match &self.spinner {
            Some(spinner) => spinner.set_message(text.to_string()),
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
