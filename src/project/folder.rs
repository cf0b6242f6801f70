//! Writing a folder whole or not at all, beside what its user put there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use crate::diagnostic::Diagnostic;
use crate::process::{Claim, Scratch, uninterrupted};

/// A file in every folder that burstc wrote: its version, then a line per file as `sha256sum` writes them. So it knows
/// what it may replace.
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

/// What is in a folder, and which of it burstc wrote.
#[derive(Debug, Default)]
struct Present {
    /// Paths inside the folder, of everything but folders that hold something.
    entries: BTreeSet<PathBuf>,
    /// Digests of what burstc wrote there.
    written: BTreeMap<PathBuf, String>,
}

impl Present {
    fn read(target: &Path) -> Result<Present> {
        let failed = || format!("cannot read {}", target.display());
        let mut present = Present::default();
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let mut is_empty = true;
            for entry in fs::read_dir(target.join(&folder)).with_context(failed)? {
                let entry = entry.with_context(failed)?;
                let path = folder.join(entry.file_name());
                is_empty = false;
                match entry.file_type().with_context(failed)?.is_dir() {
                    true => folders.push(path),
                    false => drop(present.entries.insert(path)),
                }
            }
            if is_empty && !folder.as_os_str().is_empty() {
                present.entries.insert(folder);
            }
        }
        if present.entries.remove(Path::new(MARKER)) {
            let text = fs::read(target.join(MARKER)).with_context(failed)?;
            let text = String::from_utf8_lossy(&text);
            let lines = text.lines().filter_map(|line| line.split_once("  "));
            present.written = lines.map(|(digest, path)| (path.into(), digest.to_string())).collect();
        }
        Ok(present)
    }

    /// Whether a path holds what burstc wrote there.
    fn is_ours(&self, target: &Path, path: &Path) -> bool {
        let is_file = fs::symlink_metadata(target.join(path)).is_ok_and(|metadata| metadata.is_file());
        let known = self.written.get(path).filter(|_| is_file);
        known.is_some_and(|known| fs::read(target.join(path)).is_ok_and(|content| digest(&content) == *known))
    }

    /// What stays beside `files`: all that burstc did not write, and what was edited; but for what is in the way of
    /// `files`, the second list.
    fn split(&self, target: &Path, files: &[File]) -> (Vec<&Path>, Vec<&Path>) {
        let new: BTreeMap<&Path, &File> = files.iter().map(|file| (Path::new(&file.path), file)).collect();
        let (mut kept, mut in_the_way) = (vec![], vec![]);
        for path in &self.entries {
            if self.is_ours(target, path) {
                continue;
            }
            let is_same = |file: &&File| {
                let path = target.join(path);
                fs::symlink_metadata(&path).is_ok_and(|m| m.is_file())
                    && fs::read(&path).ok().as_ref() == Some(&file.content)
            };
            // A file where a folder is to be, or the other way round.
            let crosses =
                || new.keys().any(|file| file.starts_with(path)) || path.ancestors().any(|p| new.contains_key(p));
            match new.get(path.as_path()) {
                Some(file) if is_same(file) => {}
                Some(_) => in_the_way.push(path.as_path()),
                None if crosses() => in_the_way.push(path.as_path()),
                None => kept.push(path.as_path()),
            }
        }
        (kept, in_the_way)
    }
}

fn digest(content: &[u8]) -> String {
    Sha256::digest(content).iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Refuses, with a `Diagnostic`, a target that [`write`] would not write to: a file, a folder with other content than
/// burstc's unless `force`, or one that cannot be written.
pub fn check(target: &Path, force: bool) -> Result<()> {
    let refuse = |what: &str, help: &str| {
        Err(Diagnostic::new(format!("{} {what}", target.display())).help(help.to_string()).into())
    };
    if target.as_os_str().is_empty() {
        return Err(Diagnostic::new("the name of the output folder is empty").help("name a folder").into());
    }
    let metadata = match fs::metadata(target) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return check_writable(beside(target)),
        Err(error) => return Err(error).with_context(|| format!("cannot look at {}", target.display())),
    };
    if !metadata.is_dir() {
        return refuse("is a file", "name a folder that does not exist yet");
    }
    let (here, there) = (std::env::current_dir()?.canonicalize()?, target.canonicalize()?);
    if here.starts_with(&there) {
        return refuse("is the current folder or holds it", "name another folder");
    }
    let mut entries = fs::read_dir(target).with_context(|| format!("cannot read {}", target.display()))?;
    let ours = target.join(MARKER).is_file() || entries.next().is_none();
    if !ours && !force {
        return refuse("is a folder that burstc did not write", "name another folder, or write into it with --force");
    }
    check_writable(beside(&there))
}

/// [`check`], and refuses files that are in the way of `files`, unless `force`.
pub fn check_files(target: &Path, files: &[File], force: bool) -> Result<()> {
    check(target, force)?;
    if force || !target.is_dir() {
        return Ok(());
    }
    let present = Present::read(target)?;
    let (_, in_the_way) = present.split(target, files);
    let Some(first) = in_the_way.first() else { return Ok(()) };
    let what = match present.written.contains_key(*first) {
        true => "was changed since burstc wrote it",
        false => "is in the way and not burstc's",
    };
    let others = match in_the_way.len() - 1 {
        0 => String::new(),
        count => format!(", and {count} more"),
    };
    Err(Diagnostic::new(format!("{} {what}{others}", target.join(first).display()))
        .help("move it, name another folder, or replace it with --force")
        .into())
}

/// Claims a target that [`check`] allows, until what is given is dropped. While another burstc writes there that is refused.
pub fn claim(target: &Path) -> Result<Claim> {
    let whole = target.canonicalize().or_else(|_| std::path::absolute(target))?;
    let name = format!(".burstc-writes-{}", &digest(whole.as_os_str().as_encoded_bytes())[..16]);
    Claim::of(&beside(&whole).join(name))?.ok_or_else(|| {
        Diagnostic::new(format!("another burstc is writing {}", target.display()))
            .help("wait until it is done, or name another folder")
            .into()
    })
}

/// The nearest folder around `target` that exists; on the same file system as what is made on the way to `target`.
fn beside(target: &Path) -> &Path {
    let around = target.ancestors().skip(1).find(|folder| folder.is_dir());
    around.unwrap_or(Path::new("."))
}

fn check_writable(folder: &Path) -> Result<()> {
    match Scratch::new_in(".burstc-", folder) {
        Ok(_) => Ok(()),
        Err(error) => Err(Diagnostic::new(format!("{error:#}")).help("name a folder that can be written").into()),
    }
}

/// Writes `files` as the folder `target`. What burstc wrote there before goes, what it did not write stays; what
/// [`check_files`] refuses is replaced by `force`. On failure the target is as it was, and nothing is left beside it.
pub fn write(target: &Path, files: &[File], force: bool) -> Result<()> {
    check_files(target, files, force)?;
    // The link stays, what it points to is replaced.
    let target = &target.canonicalize().unwrap_or_else(|_| target.to_path_buf());
    let parent = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let failed = || format!("cannot write {}", target.display());
    let workshop = Scratch::new_in(".burstc-", beside(target)).with_context(failed)?;
    let new = workshop.path().join("new");
    fs::create_dir(&new).with_context(failed)?;
    if target.is_dir() {
        let present = Present::read(target)?;
        for path in present.split(target, files).0 {
            carry(target, &new, path).with_context(|| format!("cannot keep {}", target.join(path).display()))?;
        }
    }
    let mut marker = format!("burstc {}\n", env!("CARGO_PKG_VERSION"));
    for file in files {
        let path = new.join(&file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(failed)?;
        }
        fs::write(&path, &file.content).with_context(failed)?;
        if file.executable {
            make_executable(&path).with_context(failed)?;
        }
        marker.push_str(&format!("{}  {}\n", digest(&file.content), file.path));
    }
    fs::write(new.join(MARKER), marker).with_context(failed)?;
    let old = workshop.path().join("old");
    let result = uninterrupted(|| {
        let created = first_missing(&parent);
        let result = fs::create_dir_all(&parent).and_then(|()| exchange(&new, target, &old));
        if let (Err(_), Some(created)) = (&result, created) {
            // Parents made for nothing; the first error is the one to tell.
            let _ = fs::remove_dir_all(created);
        }
        result
    });
    result.with_context(failed)
}

/// Gives the file `path`, or empty folder, of `from` a second name in `to`, with the folders on the way to it.
fn carry(from: &Path, to: &Path, path: &Path) -> std::io::Result<()> {
    let mut folders: Vec<&Path> = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()).collect();
    folders.reverse();
    let (source, target) = (from.join(path), to.join(path));
    let is_folder = fs::symlink_metadata(&source)?.is_dir();
    for folder in folders.into_iter().chain(is_folder.then_some(path)) {
        let made = to.join(folder);
        if !made.is_dir() {
            fs::create_dir(&made)?;
            fs::set_permissions(&made, fs::metadata(from.join(folder))?.permissions())?;
        }
    }
    if is_folder {
        return Ok(());
    }
    // Some file systems have no links.
    fs::hard_link(&source, &target).or_else(|_| fs::copy(&source, &target).map(|_| ()))
}

/// The outermost folder on the way to `path` that does not exist.
fn first_missing(path: &Path) -> Option<PathBuf> {
    path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists()).last().map(Into::into)
}

/// Moves `new` to `target`, and what was there to `old`.
fn exchange(new: &Path, target: &Path, old: &Path) -> std::io::Result<()> {
    let existed = target.exists();
    if existed {
        fs::rename(target, old)?;
    }
    fs::rename(new, target).inspect_err(|_| {
        if existed {
            // The first error is the one to tell.
            let _ = fs::rename(old, target);
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

    fn read(path: PathBuf) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn what_burstc_did_not_write_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        let more = |text: &str| [files(text), vec![File::new("old/old.txt", "old"), File::new("b/x", "x")]].concat();
        write(&target, &more("one"), false).unwrap();
        std::fs::write(target.join("a/notes.txt"), "notes").unwrap();
        std::fs::create_dir_all(target.join("mine/empty")).unwrap();
        std::fs::write(target.join("b/x"), "edited, and no longer written").unwrap();
        std::os::unix::fs::symlink("nowhere", target.join("link")).unwrap();
        std::fs::remove_file(target.join("run.sh")).unwrap();
        for text in ["two", "three"] {
            write(&target, &files(text), false).unwrap();
            assert_eq!(names(&target), [MARKER, "a", "b", "link", "mine", "run.sh"]);
            assert_eq!(read(target.join("a/b.txt")), text);
            assert_eq!(
                (read(target.join("a/notes.txt")), names(&target.join("mine"))),
                ("notes".into(), vec!["empty".into()])
            );
            assert_eq!(read(target.join("b/x")), "edited, and no longer written");
            assert_eq!(std::fs::read_link(target.join("link")).unwrap(), Path::new("nowhere"));
        }
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[test]
    fn what_the_user_wrote_is_replaced_only_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        write(&target, &files("one"), false).unwrap();
        std::fs::write(target.join("a/b.txt"), "edited").unwrap();
        assert!(refusal(write(&target, &files("two"), false)).ends_with("a/b.txt was changed since burstc wrote it"));
        assert_eq!(read(target.join("a/b.txt")), "edited");
        // The same as will be written.
        write(&target, &files("edited"), false).unwrap();
        write(&target, &files("two"), false).unwrap();
        let more = || [files("two"), vec![File::new("c", "c"), File::new("d/e", "e")]].concat();
        std::fs::create_dir(target.join("c")).unwrap();
        std::fs::write(target.join("c/mine"), "").unwrap();
        std::fs::write(target.join("d"), "mine").unwrap();
        assert!(refusal(write(&target, &more(), false)).ends_with("c/mine is in the way and not burstc's, and 1 more"));
        assert_eq!(names(&target), [MARKER, "a", "c", "d", "run.sh"]);
        std::fs::write(target.join("kept"), "").unwrap();
        write(&target, &more(), true).unwrap();
        assert_eq!(names(&target), [MARKER, "a", "c", "d", "kept", "run.sh"]);
        assert_eq!((read(target.join("c")), read(target.join("d/e"))), ("c".into(), "e".into()));
        // Links are the user's, whatever they show.
        std::fs::rename(target.join("c"), folder.path().join("c")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("c"), target.join("c")).unwrap();
        assert!(refusal(write(&target, &more(), false)).contains("was changed"));
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
