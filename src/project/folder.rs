//! Writing a folder whole or not at all.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::diagnostic::Diagnostic;

/// A file in every folder that burstc wrote, by which it knows what it may replace.
pub const MARKER: &str = ".burstc";

/// One file of a folder: its path inside it, and its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: String,
    pub content: Vec<u8>,
    pub executable: bool,
}

impl File {
    pub fn new(path: impl Into<String>, content: impl Into<Vec<u8>>) -> File {
        File { path: path.into(), content: content.into(), executable: false }
    }

    pub fn executable(path: impl Into<String>, content: impl Into<Vec<u8>>) -> File {
        File { executable: true, ..File::new(path, content) }
    }
}

/// Refuses, with a `Diagnostic`, a target that [`write`] would not replace: a file, a folder with other content than
/// burstc's unless `force`, or a folder around the current one.
pub fn check(target: &Path, force: bool) -> Result<()> {
    let refuse = |what: &str, help: &str| {
        Err(Diagnostic::new(format!("{} {what}", target.display())).help(help.to_string()).into())
    };
    if target.as_os_str().is_empty() {
        return Err(Diagnostic::new("the name of the output folder is empty").help("name a folder").into());
    }
    let metadata = match std::fs::metadata(target) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| format!("cannot look at {}", target.display())),
    };
    if !metadata.is_dir() {
        return refuse("is a file", "name a folder that does not exist yet");
    }
    let here = std::env::current_dir()?.canonicalize()?;
    if here.starts_with(target.canonicalize()?) {
        return refuse("is the current folder or holds it", "name another folder");
    }
    let mut entries = std::fs::read_dir(target).with_context(|| format!("cannot read {}", target.display()))?;
    let ours = target.join(MARKER).is_file() || entries.next().is_none();
    if !ours && !force {
        return refuse("is a folder that burstc did not write", "name another folder, or replace it with --force");
    }
    Ok(())
}

/// Writes `files` as the folder `target`, replacing what [`check`] allows to be replaced. On failure the target is as
/// it was, and nothing is left beside it.
pub fn write(target: &Path, files: &[File], force: bool) -> Result<()> {
    check(target, force)?;
    // The link stays, what it points to is replaced.
    let target = &target.canonicalize().unwrap_or_else(|_| target.to_path_buf());
    let parent = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let failed = || format!("cannot write {}", target.display());
    // In the nearest folder that exists, so that it is on the same file system; removed when dropped.
    let beside = parent.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    let workshop = tempfile::Builder::new().prefix(".burstc-").tempdir_in(beside).with_context(failed)?;
    let new = workshop.path().join("new");
    std::fs::create_dir(&new).with_context(failed)?;
    std::fs::write(new.join(MARKER), format!("burstc {}\n", env!("CARGO_PKG_VERSION"))).with_context(failed)?;
    for file in files {
        let path = new.join(&file.path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(failed)?;
        }
        std::fs::write(&path, &file.content).with_context(failed)?;
        if file.executable {
            make_executable(&path).with_context(failed)?;
        }
    }
    let created = first_missing(&parent);
    std::fs::create_dir_all(&parent).with_context(failed)?;
    let result = exchange(&new, target, &workshop.path().join("old")).with_context(failed);
    if let (Err(_), Some(created)) = (&result, created) {
        // Parents made for nothing; the first error is the one to tell.
        let _ = std::fs::remove_dir_all(created);
    }
    result
}

/// The outermost folder on the way to `path` that does not exist.
fn first_missing(path: &Path) -> Option<PathBuf> {
    path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists()).last().map(Into::into)
}

/// Moves `new` to `target`, and what was there to `old`.
fn exchange(new: &Path, target: &Path, old: &Path) -> std::io::Result<()> {
    let existed = target.exists();
    if existed {
        std::fs::rename(target, old)?;
    }
    std::fs::rename(new, target).inspect_err(|_| {
        if existed {
            // The first error is the one to tell.
            let _ = std::fs::rename(old, target);
        }
    })
}

#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut permissions = std::fs::metadata(path)?.permissions();
    let mode = permissions.mode();
    // Whoever may read it may run it.
    permissions.set_mode(mode | (mode & 0o444) >> 2);
    std::fs::set_permissions(path, permissions)
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn files(text: &str) -> Vec<File> {
        vec![File::new("a/b.txt", text), File::executable("run.sh", "#!/bin/sh\n")]
    }

    fn refusal(result: Result<()>) -> String {
        result.unwrap_err().downcast_ref::<Diagnostic>().unwrap().message.clone()
    }

    #[test]
    fn appears_whole_and_replaces_itself() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("deep/out");
        write(&target, &files("one"), false).unwrap();
        std::fs::write(target.join("left-over"), "").unwrap();
        write(&target, &files("two"), false).unwrap();
        assert_eq!(names(&target), [MARKER, "a", "run.sh"]);
        assert_eq!(std::fs::read_to_string(target.join("a/b.txt")).unwrap(), "two");
        assert_eq!(names(folder.path()), ["deep"]);
        assert_eq!(names(&folder.path().join("deep")), ["out"]);
        assert!(std::process::Command::new(target.join("run.sh")).status().unwrap().success());
    }

    #[test]
    fn foreign_content_is_replaced_only_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        std::fs::create_dir(&target).unwrap();
        write(&target, &files("into an empty folder"), false).unwrap();
        std::fs::remove_file(target.join(MARKER)).unwrap();
        assert!(refusal(write(&target, &files("x"), false)).contains("burstc did not write"));
        write(&target, &files("x"), true).unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(refusal(write(&file, &files("x"), true)).contains("is a file"));
        assert!(refusal(write(Path::new("."), &files("x"), true)).contains("current folder"));
        assert!(refusal(write(Path::new("/"), &files("x"), true)).contains("current folder"));
        assert!(refusal(write(Path::new(""), &files("x"), true)).contains("empty"));
    }

    #[test]
    fn failure_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("new/out");
        // A file cannot be a folder as well.
        let broken = vec![File::new("a", "x"), File::new("a/b", "x")];
        assert!(write(&target, &broken, false).is_err());
        assert_eq!(names(folder.path()), Vec::<String>::new());
        let target = folder.path().join("old");
        write(&target, &files("kept"), false).unwrap();
        assert!(write(&target, &broken, false).is_err());
        assert_eq!(std::fs::read_to_string(target.join("a/b.txt")).unwrap(), "kept");
        assert_eq!(names(folder.path()), ["old"]);
    }
}
