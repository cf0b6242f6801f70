//! Saved views of a waveform: a save file of GTKWave's (`.gtkw`), a command file of Surfer's (`.sucl`), and the names of
//! states, which both read.
//!
//! GTKWave's save files are those of its version 3.3. Of Surfer the commands and the mappings are those of its documentation:
//! it looks for mappings in `.surfer/mappings` of the folder where it is started. State files (`.surf.ron`) change with its
//! versions, command files are what people write.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::rtl::Shown;
use crate::simulate::simulator::Simulator;

/// Where Surfer looks for the names of values, from the folder on where it runs.
const MAPPINGS: &str = ".surfer/mappings";

/// GTKWave's flags of a trace: how it is shown, and what stands on its line.
const BINARY: u32 = 0x28;
const HEXADECIMAL: u32 = 0x22;
/// Decimal, through a file of names.
const NAMED: u32 = 0x2024;
const GROUP_BEGINS: u32 = 0x80_0200;
const GROUP_ENDS: u32 = 0x100_0200;

/// GTKWave's zoom: 200 pixels are so many powers of two of the waveform's ps. A screen shows a hundred cycles or two.
const ZOOM: u32 = 18;

/// What is shown of a waveform.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub shown: &'a [Shown],
    /// What made it: that says where the top is.
    pub simulator: Simulator,
    /// In ps.
    pub first_tile: Option<u64>,
}

impl View<'_> {
    /// The files beside `waveform`, a path from the root on, with their texts: for GTKWave, for Surfer, and the names of states.
    pub fn files(&self, waveform: &Path) -> Result<Vec<(PathBuf, String)>> {
        let folder = waveform.parent().context("a waveform is in a folder")?;
        let stem = waveform.file_stem().context("a waveform has a name")?.to_string_lossy().into_owned();
        let [gtkw, sucl] = ["gtkw", "sucl"].map(|end| folder.join(format!("{stem}.{end}")));
        let mut files = vec![(gtkw.clone(), self.gtkwave(waveform, &gtkw, &stem)), (sucl, self.surfer(&stem))];
        for shown in self.shown.iter().filter(|shown| !shown.states.is_empty()) {
            let name = mapping(&stem, shown);
            let states = shown.states.iter().map(|(value, state)| format!("{value} {state}\n"));
            let text = format!("Name = {name}\nBits = {}\n{}", shown.width, states.collect::<String>());
            files.push((folder.join(MAPPINGS).join(format!("{name}.txt")), text));
        }
        Ok(files)
    }

    /// A signal's name in the waveform.
    fn name(&self, shown: &Shown) -> String {
        format!("{}.{}", self.simulator.scope(), shown.path.join("."))
    }

    fn groups(&self) -> impl Iterator<Item = &[Shown]> {
        self.shown.chunk_by(|a, b| a.group == b.group)
    }

    /// A save file. GTKWave finds the others by their places beside it, wherever the folder has gone.
    fn gtkwave(&self, waveform: &Path, own: &Path, stem: &str) -> String {
        let marker = self.first_tile.map_or("-1".to_string(), |at| at.to_string());
        let begin = self.first_tile.map_or(0, |at| at.saturating_sub(1 << (ZOOM - 2)));
        let mut text = format!(
            "[*] by burstc\n[dumpfile] \"{}\"\n[savefile] \"{}\"\n[timestart] {begin}\n*-{ZOOM}.000000 {marker} {marker}{}\n",
            waveform.display(),
            own.display(),
            " -1".repeat(25)
        );
        // Writing to a String cannot fail.
        if self.first_tile.is_some() {
            let _ = writeln!(text, "[markername] Afirst tile");
        }
        let mut mappings = 0;
        for group in self.groups() {
            let _ = writeln!(text, "@{GROUP_BEGINS:x}\n-{}", group[0].group);
            for shown in group {
                if !shown.states.is_empty() {
                    mappings += 1;
                    let place = own.with_file_name(MAPPINGS).join(format!("{}.txt", mapping(stem, shown)));
                    let _ = writeln!(text, "@{NAMED:x}\n^{mappings} {}", place.display());
                } else {
                    let _ = writeln!(text, "@{:x}", if shown.width == 1 { BINARY } else { HEXADECIMAL });
                }
                let range = if shown.width == 1 { String::new() } else { format!("[{}:0]", shown.width - 1) };
                // States are all called alike, but for where they are.
                let alias =
                    if shown.states.is_empty() { String::new() } else { format!("+{{{}}} ", inner(shown).join(" ")) };
                let _ = writeln!(text, "{alias}{}{range}", self.name(shown));
            }
            let _ = writeln!(text, "@{GROUP_ENDS:x}\n-{}", group[0].group);
        }
        text
    }

    /// A command file, for a waveform that is open.
    fn surfer(&self, stem: &str) -> String {
        let mut text = String::new();
        let mut line = 0;
        for group in self.groups() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "divider_add {}", group[0].group.replace(' ', "_"));
            line += 1;
            for shown in group {
                let _ = writeln!(text, "variable_add {}", self.name(shown));
                if !shown.states.is_empty() {
                    let _ = writeln!(text, "item_focus {}\nitem_set_format {}", label(line), mapping(stem, shown));
                }
                line += 1;
            }
        }
        let _ = writeln!(text, "item_unfocus");
        if let Some(at) = self.first_tile {
            let _ = writeln!(text, "cursor_set {at}\nmarker_set first_tile {at}\ngoto_cursor");
        }
        text
    }

    /// All names of signals, as in the waveform.
    pub fn names(&self) -> BTreeSet<String> {
        self.shown.iter().map(|shown| self.name(shown)).collect()
    }
}

/// What the names of the states of a signal are called: one word.
fn mapping(stem: &str, shown: &Shown) -> String {
    format!("{stem}_{}", inner(shown).join("_")).replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

/// A path from the accelerator on.
fn inner(shown: &Shown) -> &[String] {
    &shown.path[1.min(shown.path.len() - 1)..]
}

/// Surfer's label of a line: its number in hexadecimal, with the letters from a to p as digits.
fn label(line: usize) -> String {
    let letter = |digit: char| char::from(b'a' + digit.to_digit(16).unwrap_or(0) as u8);
    format!("{line:x}").chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Line 26 is `bk` on Surfer's screen.
    #[test]
    fn labels_of_lines() {
        assert_eq!([0, 15, 16, 26].map(label), ["a", "p", "ba", "bk"]);
    }
}
