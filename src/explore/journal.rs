//! What was found, as JSON lines: the first tells of which exploration, each other one what a design takes. A file of them is
//! only ever added to, so that a process that is killed loses the line it was at; `docs/JSON.md` has the fields.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::{Estimate, Simulated};
use crate::diagnostic::Diagnostic;

/// The number of the shape of these lines.
pub const SCHEMA: u32 = 2;

/// Of which exploration the lines are: two with the same head find the same of a design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    pub schema: u32,
    /// Version of burstc.
    pub burstc: String,
    pub kernel: String,
    pub board: String,
    pub sizes: BTreeMap<String, i64>,
    /// Of everything that the results depend on: the kernel as it was read, the board's profile, the data.
    pub digest: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub directives: Vec<String>,
    #[serde(flatten)]
    pub finding: Finding,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Finding {
    Estimate(Estimate),
    /// There is no such design, and why.
    Refused(String),
    Simulated(Simulated),
}

/// What is known of a design.
#[derive(Clone, Debug, Default, PartialEq)]
struct Known {
    estimate: Option<Result<Estimate, String>>,
    simulated: Option<Simulated>,
}

/// What is known of all designs, in a file where there is one.
pub struct Journal {
    head: Head,
    file: Option<(PathBuf, File)>,
    known: BTreeMap<Vec<String>, Known>,
}

impl Journal {
    /// Of what is kept nowhere.
    pub fn new(head: Head) -> Journal {
        Journal { head, file: None, known: BTreeMap::new() }
    }

    /// In the file at `path`, which is made where there is none. What it has of this exploration is known.
    ///
    /// # Errors
    /// A [`Diagnostic`] where the file is of anything else; it stays as it is.
    pub fn open(head: Head, path: &Path) -> Result<Journal> {
        let mut journal = Journal::new(head);
        let whole = journal.read(path, true)?;
        let file = OpenOptions::new().create(true).append(true).open(path).with_context(|| cannot_write(path))?;
        file.set_len(whole).with_context(|| cannot_write(path))?;
        let mut file = (path.to_path_buf(), file);
        if whole == 0 {
            append(&mut file, &journal.head)?;
        }
        journal.file = Some(file);
        Ok(journal)
    }

    /// Takes over what another file has.
    ///
    /// # Errors
    /// A [`Diagnostic`] where there is none, or it is of another exploration.
    pub fn merge(&mut self, path: &Path) -> Result<()> {
        let mut other = Journal::new(self.head.clone());
        other.read(path, false)?;
        for (directives, Known { estimate, simulated }) in other.known {
            let estimate = estimate.map(|own| own.map_or_else(Finding::Refused, Finding::Estimate));
            for finding in estimate.into_iter().chain(simulated.map(Finding::Simulated)) {
                self.add(&directives, finding)?;
            }
        }
        Ok(())
    }

    /// Adds what the file has; returns the bytes of its whole lines.
    fn read(&mut self, path: &Path, may_lack: bool) -> Result<u64> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if may_lack && error.kind() == ErrorKind::NotFound => return Ok(0),
            Err(error) => return refuse(path, &error.to_string(), "name the file of an exploration or of a shard"),
        };
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
        let text = String::from_utf8_lossy(&bytes[..whole]);
        let mut lines = text.lines().enumerate();
        let Some((_, first)) = lines.next() else {
            // A process that was killed at its first line leaves the begin of it.
            let own = serde_json::to_string(&self.head)?;
            return match own.as_bytes().starts_with(&bytes) {
                true => Ok(0),
                false => refuse(path, "it is no file of results", "name another file"),
            };
        };
        self.require_own(path, first)?;
        for (number, line) in lines {
            let Ok(Line { directives, finding }) = serde_json::from_str(line) else {
                let message = format!("line {} is none that burstc wrote", number + 1);
                return refuse(path, &message, "remove that line, or the file");
            };
            self.known.entry(directives).or_default().learn(finding);
        }
        Ok(whole as u64)
    }

    /// Refuses a file with another first line.
    fn require_own(&self, path: &Path, first: &str) -> Result<()> {
        #[derive(Deserialize)]
        struct Numbered {
            schema: u32,
        }
        let head = match serde_json::from_str(first) {
            Ok(Numbered { schema }) if schema != SCHEMA => {
                return refuse(path, &format!("its schema is {schema}, not {SCHEMA}"), "name another file");
            }
            _ => serde_json::from_str::<Head>(first),
        };
        let Ok(head) = head else { return refuse(path, "it is no file of results", "name another file") };
        let own = &self.head;
        let text = |sizes: &BTreeMap<String, i64>| {
            let all: Vec<String> = sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            all.join(", ")
        };
        let differs = [
            ("version of burstc", head.burstc.clone(), own.burstc.clone()),
            ("kernel", head.kernel.clone(), own.kernel.clone()),
            ("board", head.board.clone(), own.board.clone()),
            ("sizes", text(&head.sizes), text(&own.sizes)),
        ];
        let message = match differs.into_iter().find(|(_, theirs, own)| theirs != own) {
            Some((what, theirs, own)) => format!("its {what}: {theirs}, not {own}"),
            None if head.digest != own.digest => {
                "its results are of another text of the kernel, of other options, or of other data".to_string()
            }
            None => return Ok(()),
        };
        refuse(path, &message, "name another file, or repeat what that one was made with")
    }

    /// Keeps what was found, if it is news.
    ///
    /// # Errors
    /// What the operating system refuses.
    pub fn add(&mut self, directives: &[String], finding: Finding) -> Result<()> {
        let known = self.known.entry(directives.to_vec()).or_default();
        if !known.learn(finding.clone()) {
            return Ok(());
        }
        match &mut self.file {
            Some(file) => append(file, &Line { directives: directives.to_vec(), finding }),
            None => Ok(()),
        }
    }

    /// What a design is estimated to take, or why there is none; `None` where nobody has looked.
    pub fn estimate(&self, directives: &[String]) -> Option<&Result<Estimate, String>> {
        self.known.get(directives)?.estimate.as_ref()
    }

    pub fn simulated(&self, directives: &[String]) -> Option<&Simulated> {
        self.known.get(directives)?.simulated.as_ref()
    }

    /// The file and the line in it that tells of a design that there is none: for a process that ends before it could add it.
    ///
    /// # Errors
    /// None for texts.
    pub fn last_line(&self, directives: &[String], reason: &str) -> Result<Option<(PathBuf, String)>> {
        let line = Line { directives: directives.to_vec(), finding: Finding::Refused(reason.to_string()) };
        let line = serde_json::to_string(&line)? + "\n";
        Ok(self.path().map(|path| (path.to_path_buf(), line)))
    }

    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(path, _)| path.as_path())
    }
}

impl Known {
    /// Whether it is news. What is known first stays.
    fn learn(&mut self, finding: Finding) -> bool {
        let (knows_estimate, knows_simulated) = (self.estimate.is_some(), self.simulated.is_some());
        match finding {
            Finding::Estimate(estimate) if !knows_estimate => self.estimate = Some(Ok(estimate)),
            Finding::Refused(reason) if !knows_estimate => self.estimate = Some(Err(reason)),
            Finding::Simulated(simulated) if !knows_simulated => self.simulated = Some(simulated),
            _ => return false,
        }
        true
    }
}

/// A line in one piece.
fn append((path, file): &mut (PathBuf, File), value: &impl Serialize) -> Result<()> {
    let line = serde_json::to_string(value)? + "\n";
    file.write_all(line.as_bytes()).with_context(|| cannot_write(path))
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

fn refuse<T>(path: &Path, message: &str, help: &str) -> Result<T> {
    Err(Diagnostic::new(format!("{}: {message}", path.display())).help(help).into())
}
