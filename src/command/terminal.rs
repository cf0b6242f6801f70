//! What goes to the terminal, and what a user sees of a fault of burstc's own.

use std::io::{self, Write as _};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result};

use super::{FAILED, FAULT};
use crate::process;

/// Room for recursion over the largest trees that are accepted; only what is used takes memory.
const STACK: usize = 256 << 20;

/// Whether a fault has been told.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Writes to standard error. That nobody can read it is no reason to end otherwise.
pub fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Writes to standard output. A reader that has seen enough, as `head` has, is no error.
pub fn print(text: &str) -> Result<()> {
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("cannot write the output"),
        _ => Ok(()),
    }
}

/// Runs the program: signals end what it has started, and a panic anywhere becomes a request to report it and the exit
/// code [`FAULT`].
pub fn guarded(program: impl FnOnce() -> u8 + Send + 'static) -> u8 {
    panic::set_hook(Box::new(tell_panic));
    let worker = process::end_with_signals().and_then(|()| {
        let work = move || panic::catch_unwind(AssertUnwindSafe(program));
        std::thread::Builder::new().stack_size(STACK).spawn(work).context("cannot start a thread")
    });
    match worker.map(|worker| worker.join()) {
        Ok(Ok(Ok(code))) => code,
        Ok(_) => FAULT,
        Err(error) => {
            say(&format!("error: {error:#}\n"));
            FAILED
        }
    }
}

fn tell_panic(panic: &PanicHookInfo) {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    let place = panic.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
    tell_fault(&format!("{text}{}", place.unwrap_or_default()));
}

/// Asks to report a fault, once.
pub fn tell_fault(what: &str) {
    if TOLD.swap(true, Ordering::SeqCst) {
        return;
    }
    say(&format!(
        "error: this is a fault of burstc, not of your program: {}\n  \
         Please report it with the C file and these lines:\n    \
         version: burstc {} on {} {}\n    \
         command: {}\n",
        what.trim_end(),
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        command_line()
    ));
}

/// The command, as it can be pasted into a shell.
pub fn command_line() -> String {
    let words: Vec<String> = std::env::args_os().map(|word| quoted(&word.to_string_lossy())).collect();
    words.join(" ")
}

/// A word in quotation marks where it has other than plain characters.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_string(),
        false => format!("{word:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes the next test's process panic in [`panics_for_the_next_test`].
    const WANTED: &str = "BURSTC_TEST_PANIC";

    #[test]
    fn panics_for_the_next_test() {
        if std::env::var_os(WANTED).is_some() {
            std::process::exit(i32::from(guarded(|| panic!("at {}", 17))));
        }
    }

    #[test]
    fn a_panic_asks_to_be_reported() {
        let name = "command::terminal::tests::panics_for_the_next_test";
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        let output = command.args(["--exact", name, "--nocapture"]).env(WANTED, "1").output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(70), "{error}");
        for expected in ["a fault of burstc", "at 17 (src/command/terminal.rs:", "version: burstc 0", "command: "] {
            assert!(error.contains(expected), "{error}");
        }
        assert!(!error.contains("panicked") && !error.contains("RUST_BACKTRACE"), "{error}");
    }

    #[test]
    fn words_are_quoted() {
        assert_eq!(quoted("-DN=3"), "-DN=3");
        assert_eq!(quoted("a b\n"), "\"a b\\n\"");
        assert_eq!(quoted(""), "\"\"");
    }
}
