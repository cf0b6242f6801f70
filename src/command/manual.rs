//! `burstc man`: manual pages, as texts or in a folder.

use std::path::Path;

use anyhow::Result;

use super::places::check_file;
use super::{PASSED, print, write};
use crate::diagnostic::Diagnostic;

/// The text of one page, in roff, and the name of its file: `burstc-run.1`.
#[derive(Clone, Debug)]
pub struct ManualPage {
    pub file: String,
    pub text: String,
}

/// Writes all pages into `folder`, or prints the first of them.
pub fn manual(pages: &[ManualPage], folder: Option<&Path>) -> Result<u8> {
    let Some(folder) = folder else {
        print(pages.first().map_or("", |page| &page.text))?;
        return Ok(PASSED);
    };
    if folder.exists() && !folder.is_dir() {
        return Err(Diagnostic::new(format!("{} is no folder", folder.display())).help("name a folder").into());
    }
    std::fs::create_dir_all(folder).map_err(|error| {
        Diagnostic::new(format!("cannot make the folder {}: {error}", folder.display()))
            .help("name one that can be made")
    })?;
    for page in pages {
        check_file("--out", &folder.join(&page.file))?;
    }
    for page in pages {
        write(&folder.join(&page.file), &page.text)?;
    }
    let names: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
    print(&format!("{} are in {}\n", names.join(", "), folder.display()))?;
    Ok(PASSED)
}
