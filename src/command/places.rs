//! Where results go. What could not be written in the end, or would take the place of something else, is refused before any work
//! is done for it.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Input;
use crate::diagnostic::Diagnostic;
use crate::process::Scratch;

/// A file that the command line names, by what names it: `--html`, or `the C file`.
pub type Named<'a> = (&'static str, &'a Path);

/// What a command reads.
pub fn read(input: &Input) -> Vec<Named<'_>> {
    let profile = Some(Path::new(&input.board)).filter(|board| board.extension().is_some_and(|own| own == "toml"));
    let profile = profile.map(|path| ("the board's profile", path));
    [("the C file", input.file.as_path())].into_iter().chain(profile).collect()
}

/// Refuses, with a `Diagnostic`, results that cannot be written, that would take the place of what is `read`, or of one another.
pub fn check_files(results: &[Named], read: &[Named]) -> Result<()> {
    for (k, (option, path)) in results.iter().enumerate() {
        check_file(option, path)?;
        let own = identity(path);
        let refuse = |message: String| {
            let message = format!("{option} {}: {message}", path.display());
            Err(Diagnostic::new(message).help("name another file").into())
        };
        if own.is_none() {
            continue;
        }
        if let Some((what, _)) = read.iter().find(|(_, other)| identity(other) == own) {
            return refuse(format!("it is {what}, which would be lost"));
        }
        if let Some((other, _)) = results[..k].iter().find(|(_, other)| identity(other) == own) {
            return refuse(format!("{other} writes that file, too"));
        }
    }
    Ok(())
}

/// Refuses, with a `Diagnostic`, a file that cannot be written; `option` is what names it.
pub fn check_file(option: &str, path: &Path) -> Result<()> {
    let refuse = |message: String, help: &str| {
        Err(Diagnostic::new(format!("{option} {}: {message}", path.display())).help(help).into())
    };
    let parent = folder_of(path);
    if path.as_os_str().is_empty() || path.is_dir() {
        return refuse("is a folder".to_string(), "name a file");
    }
    if !parent.is_dir() {
        return refuse(format!("there is no folder {}", parent.display()), "make it, or check the path");
    }
    // A file that is there stays as it is; whether one can be made shows by making one.
    let problem = match path.exists() {
        true => std::fs::OpenOptions::new().append(true).open(path).err().map(anyhow::Error::from),
        false => Scratch::new_in(".burstc-", parent).err(),
    };
    match problem {
        Some(error) => refuse(format!("{error:#}"), "name a file that can be written"),
        None => Ok(()),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// One path per file, however it is named; `None` for pipes and devices, in which nothing is lost.
fn identity(path: &Path) -> Option<PathBuf> {
    if path.exists() {
        return path.is_file().then(|| path.canonicalize().ok())?;
    }
    Some(folder_of(path).canonicalize().ok()?.join(path.file_name()?))
}
