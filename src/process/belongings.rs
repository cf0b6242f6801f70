//! The register of children and temporary folders, and what a signal does with them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use tempfile::TempDir;

#[derive(Debug)]
struct Belongings {
    /// Process groups, each named by its first process, which has not been waited for.
    groups: BTreeSet<i32>,
    folders: BTreeSet<PathBuf>,
}

static BELONGINGS: Mutex<Belongings> = Mutex::new(Belongings { groups: BTreeSet::new(), folders: BTreeSet::new() });

/// Whoever holds this changes what there is to clear away; a signal waits for it, and never gives it back.
fn belongings() -> MutexGuard<'static, Belongings> {
    BELONGINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on SIGINT, SIGTERM, SIGHUP and SIGQUIT end the children, remove the temporary folders, and end the program with
/// 128 and the signal's number. A signal that whoever started burstc told it to ignore (`nohup`, `&` in a script) stays
/// ignored.
pub fn end_with_signals() -> Result<()> {
    let wanted = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].into_iter().filter(|signal| !is_ignored(*signal));
    let mut signals = Signals::new(wanted).context("cannot listen to signals")?;
    let listen = move || {
        if let Some(signal) = signals.forever().next() {
            end(128 + signal);
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(listen).context("cannot start a thread")?;
    Ok(())
}

/// Ends the program from any thread, with its children and temporary folders.
pub fn end(code: i32) -> ! {
    let belongings = belongings();
    belongings.groups.iter().for_each(|group| kill(*group));
    belongings.folders.iter().for_each(|folder| remove(folder));
    signal_hook::low_level::exit(code)
}

/// Whether a signal is ignored, as the kernel tells it; no where it does not tell.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    ignored >> (signal - 1) & 1 == 1
}

/// A process that is being ended, or the main thread before it notices, may still make files in it.
fn remove(folder: &Path) {
    for _ in 0..50 {
        match std::fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => std::thread::sleep(Duration::from_millis(10)),
            _ => break,
        }
    }
}

fn kill(group: i32) {
    if let Some(group) = Pid::from_raw(group) {
        // It may have ended by itself.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Does what must not be done in part: a signal waits until it is over. Nothing inside may start a child or make or
/// drop a [`Scratch`].
pub fn uninterrupted<T>(act: impl FnOnce() -> T) -> T {
    let _held = belongings();
    act()
}

/// A child process in a group of its own, which a signal to burstc ends.
pub(super) struct Owned {
    child: Child,
    group: i32,
}

impl Owned {
    /// Starts a command, which must put the child into a process group of its own.
    pub fn spawn(command: &mut Command) -> io::Result<Owned> {
        let mut belongings = belongings();
        let child = command.spawn()?;
        let group = child.id() as i32;
        belongings.groups.insert(group);
        Ok(Owned { child, group })
    }

    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Its status, once it has ended; not to be asked again then.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        // Once waited for, the number may be another's.
        let mut belongings = belongings();
        let status = self.child.try_wait()?;
        if status.is_some() {
            belongings.groups.remove(&self.group);
        }
        Ok(status)
    }

    /// Ends the child and its descendants.
    pub fn kill(&mut self) {
        if belongings().groups.contains(&self.group) {
            kill(self.group);
        }
    }
}

impl Drop for Owned {
    /// Given up before it was waited for, as on a panic.
    fn drop(&mut self) {
        let mut belongings = belongings();
        if belongings.groups.remove(&self.group) {
            kill(self.group);
            let _ = self.child.wait();
        }
    }
}

/// A temporary folder: removed when dropped, and when a signal ends burstc.
#[derive(Debug)]
pub struct Scratch {
    folder: Option<TempDir>,
}

impl Scratch {
    /// In the system's folder for temporary files.
    pub fn new(prefix: &str) -> Result<Scratch> {
        Scratch::new_in(prefix, &std::env::temp_dir())
    }

    pub fn new_in(prefix: &str, parent: &Path) -> Result<Scratch> {
        let mut belongings = belongings();
        let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(parent);
        let folder = folder.with_context(|| format!("cannot create a folder in {}", parent.display()))?;
        // A relative one would not survive a change of the current folder.
        let path = folder.path().canonicalize().unwrap_or_else(|_| folder.path().to_path_buf());
        belongings.folders.insert(path);
        Ok(Scratch { folder: Some(folder) })
    }

    /// Makes it the folder `target`; where that exists already, it is removed instead.
    pub fn persist(mut self, target: &Path) {
        let staged = self.folder.take().map(TempDir::keep);
        if let Some(staged) = staged
            && std::fs::rename(&staged, target).is_err()
        {
            remove(&staged);
        }
    }

    pub fn path(&self) -> &Path {
        self.folder.as_ref().map_or(Path::new(""), |folder| folder.path())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let mut belongings = belongings();
        let path = self.path().canonicalize().unwrap_or_else(|_| self.path().to_path_buf());
        belongings.folders.remove(&path);
        // Removed while the lock is held: a signal finds it there and known, or gone.
        self.folder = None;
    }
}

/// A name that one burstc has at a time: an empty folder that it has locked. Removed when dropped, and when a signal ends burstc;
/// what a process leaves that was killed is nobody's, and the next one's.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    _folder: File,
}

impl Claim {
    /// `None` while another one has it.
    ///
    /// # Errors
    /// Where no folder can be made there.
    pub fn of(path: &Path) -> Result<Option<Claim>> {
        let failed = || format!("cannot create {}", path.display());
        loop {
            if let Err(error) = std::fs::create_dir(path)
                && error.kind() != io::ErrorKind::AlreadyExists
            {
                return Err(error).with_context(failed);
            }
            let folder = match File::open(path) {
                // Whoever had it was done just now.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                folder => folder.with_context(failed)?,
            };
            // A file system that has no locks is no reason to write nothing.
            if flock(&folder, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
                return Ok(None);
            }
            let mut belongings = belongings();
            // It may have been removed between opening and locking, and made again by somebody else.
            let place = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
            let is_there = std::fs::metadata(path).map(place).ok() == folder.metadata().map(place).ok();
            if is_there {
                let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
                belongings.folders.insert(path.clone());
                return Ok(Some(Claim { path, _folder: folder }));
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut belongings = belongings();
        belongings.folders.remove(&self.path);
        // Before the lock goes, with the file.
        let _ = std::fs::remove_dir(&self.path);
    }
}
