//! `burstc new`: a kernel to begin with.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::{PASSED, print};
use crate::diagnostic::Diagnostic;
use crate::process::Scratch;
use crate::source::Source;

/// The kernel, with `NAME` in place of its name.
const KERNEL: &str = include_str!("new/kernel.c");
const MAKEFILE: &str = include_str!("new/Makefile");

/// Writes the folder at `path` with a kernel of its name and a Makefile, whole or not at all.
pub fn new(path: &str) -> Result<u8> {
    let folder = Path::new(path);
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or(path);
    let kernel = KERNEL.replace("NAME", name);
    check(name, &kernel)?;
    if folder.symlink_metadata().is_ok() {
        return Err(Diagnostic::new(format!("{path} is there already"))
            .help("take another name; nothing is overwritten")
            .into());
    }
    let above = folder.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !above.is_dir() {
        return Err(Diagnostic::new(format!("there is no folder {}", above.display()))
            .help("make it, or take a name alone: the kernel's folder is made here")
            .into());
    }
    let failed = || format!("cannot make the folder {path}");
    let scratch = Scratch::new_in(".burstc-", above)
        .map_err(|error| Diagnostic::new(format!("{}: {error:#}", failed())).help("go where you may write"))?;
    let made = scratch.path().join(name);
    let write = || {
        std::fs::create_dir(&made)?;
        std::fs::write(made.join(format!("{name}.c")), &kernel)?;
        std::fs::write(made.join("Makefile"), MAKEFILE.replace("NAME", name))?;
        // A folder that came meanwhile stays: only an empty one makes room.
        std::fs::rename(&made, folder)
    };
    write().with_context(failed)?;
    print(&format!("{path}/{name}.c and {path}/Makefile are written; next: make -C {path} run\n"))?;
    Ok(PASSED)
}

/// Refuses what cannot name a function in C.
fn check(name: &str, kernel: &str) -> Result<()> {
    let refuse = || {
        let message = format!("`{name}` cannot be the name of a function in C");
        Err(Diagnostic::new(message).help("take letters, digits and `_`, and no word of C's own").into())
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    // A program has a `main` of its own.
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(is_word) || name == "main" {
        return refuse();
    }
    let source = Source { path: format!("{name}.c"), text: kernel.to_string(), cpp_args: vec![] };
    match crate::read(&source) {
        Err(error) if error.downcast_ref::<Diagnostic>().is_some_and(|refused| refused.span.is_some()) => refuse(),
        Err(error) => Err(error),
        Ok(_) => Ok(()),
    }
}
