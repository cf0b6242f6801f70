//! Verilator's build of a bench: C++ in few units, and what is alike for all designs compiled once per machine.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use anyhow::{Context as _, Result};

use crate::process::{Limits, Scratch, run};
use crate::simulate::bench::Bench;

/// The folder of generated C++, below that of the build, and the program in it.
pub const FOLDER: &str = "verilated";
pub const PROGRAM: &str = "bench";

/// The largest header, compiled once where it can be kept: half a second of every compilation.
const HEADER: &str = "burstc.h";
const HEADER_TEXT: &str = "#include \"verilated.h\"\n#include \"verilated_timing.h\"\n";

/// Tiny models are not worth more optimisation than this, and run ten times slower without any.
const OPTIMISATION: [&str; 3] = ["OPT_FAST=-O1", "OPT_SLOW=-O1", "OPT_GLOBAL=-O1"];

/// Generated files are compiled as so many units, side by side: every unit costs its headers.
const UNITS: usize = 2;

/// Where compiled run-times are kept on this machine: `burstc` in the user's folder for caches; `None` where there is no
/// such folder or it cannot be written.
pub fn cache() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")))?.join("burstc");
    std::fs::create_dir_all(&folder).ok()?;
    // That a folder is there does not mean that it can be written.
    tempfile::tempfile_in(&folder).ok()?;
    Some(folder)
}

/// The run-time for designs built with these flags, in the folder `runtimes`: named after all that goes into it.
pub fn runtime(runtimes: &Path, trace: bool) -> PathBuf {
    static TOOLS: OnceLock<String> = OnceLock::new();
    let tools = TOOLS.get_or_init(|| {
        let said =
            |program: &str| run(Command::new(program).arg("--version"), Limits::default()).map(|ended| ended.stdout);
        ["verilator", "c++"]
            .map(|program| String::from_utf8_lossy(&said(program).unwrap_or_default()).into_owned())
            .concat()
    });
    let mut hasher = DefaultHasher::new();
    (tools, env!("CARGO_PKG_VERSION"), HEADER_TEXT, OPTIMISATION, trace).hash(&mut hasher);
    runtimes.join(format!("runtime-{:016x}", hasher.finish()))
}

/// Compiles the C++ that Verilator has written into [`FOLDER`] of `folder`, with the run-time of the folder `kept`, which
/// is made if it is not there. The output of the last program that ran is the caller's to judge.
pub fn compile(folder: &Path, kept: Option<&Path>, run: impl Fn(&mut Command) -> Result<Output>) -> Result<Output> {
    let made = folder.join(FOLDER);
    let units = units(&made)?;
    let make = |arguments: &[String]| {
        let mut command = Command::new("make");
        command.arg("-C").arg(&made).args(["-f", &format!("V{}.mk", Bench::TOP)]).args(OPTIMISATION);
        // Where burstc itself is run by make, its settings are not for this one.
        command.env_remove("MAKEFLAGS").env_remove("MFLAGS").args(arguments);
        run(&mut command)
    };
    let all = ["-j", "2", "VM_PARALLEL_BUILDS=1", "VM_SLOW=", PROGRAM].map(str::to_string);
    let all = all.into_iter().chain([format!("VM_FAST={}", units.join(" "))]);
    if let Some(kept) = kept.filter(|kept| kept.is_dir()) {
        let names = place(kept, &made, link)?;
        // Newer files of Verilator's would have another version, and another folder.
        let old = names.iter().map(|name| format!("--old-file={name}"));
        // Behind the other settings, which the compiled header must have been made with.
        let include = format!("{} -include {HEADER}", OPTIMISATION[0]);
        let output = make(&all.clone().chain(old).chain([include]).collect::<Vec<_>>())?;
        if output.status.success() {
            return Ok(output);
        }
        // The kept files may be at fault, if something has spoilt them. Without them then, and without them hereafter.
        for name in names {
            std::fs::remove_file(made.join(name))?;
        }
        // Where another has removed it already, all is well.
        let _ = std::fs::remove_dir_all(kept);
    }
    let output = make(&all.collect::<Vec<_>>())?;
    if let Some(kept) = kept.filter(|kept| output.status.success() && !kept.is_dir()) {
        std::fs::write(made.join(HEADER), HEADER_TEXT)?;
        let rule =
            format!("{HEADER}.gch: {HEADER} ; $(CXX) $(CXXFLAGS) $(CPPFLAGS) $(OPT_FAST) -x c++-header -o $@ $<");
        // A compiler that does not know such headers reads the text.
        make(&[format!("--eval={rule}"), format!("{HEADER}.gch")])?;
        keep(&made, kept)?;
    }
    Ok(output)
}

/// Joins the generated files to units of about equal size, and gives the units' names.
fn units(made: &Path) -> Result<Vec<String>> {
    let mut files = vec![];
    for entry in std::fs::read_dir(made).with_context(|| format!("cannot read {}", made.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('V') && name.ends_with(".cpp") {
            files.push((entry.metadata()?.len(), name));
        }
    }
    files.sort_by(|a, b| b.cmp(a));
    let mut units = vec![(0, String::new()); UNITS];
    for (bytes, name) in files {
        let smallest = units.iter_mut().min_by_key(|(bytes, _)| *bytes).expect("there are units");
        smallest.0 += bytes;
        smallest.1 += &format!("#include \"{name}\"\n");
    }
    let name = |index: usize| format!("unit_{index}");
    for (index, (_, text)) in units.iter().enumerate() {
        std::fs::write(made.join(name(index) + ".cpp"), text)?;
    }
    Ok((0..UNITS).map(name).collect())
}

/// Puts the files of a run-time into another folder and gives their names.
fn place(from: &Path, to: &Path, how: fn(&Path, &Path) -> io::Result<()>) -> Result<Vec<String>> {
    let mut names = vec![];
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("verilated") && name.ends_with(".o") || name.starts_with(HEADER) {
            how(&path, &to.join(name)).with_context(|| format!("cannot copy {}", path.display()))?;
            names.push(name.to_string());
        }
    }
    Ok(names)
}

fn link(from: &Path, to: &Path) -> io::Result<()> {
    // A build in the same folder before this one.
    let _ = std::fs::remove_file(to);
    #[cfg(unix)]
    return std::os::unix::fs::symlink(from, to);
    #[cfg(not(unix))]
    return copy(from, to);
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::copy(from, to).map(|_| ())
}

/// Keeps a run-time in a folder that appears whole. That another build was faster, or the disk is full, is no error.
fn keep(made: &Path, kept: &Path) -> Result<()> {
    let parent = kept.parent().context("the folder for a run-time has no name")?;
    let stage = || -> Result<()> {
        std::fs::create_dir_all(parent)?;
        let staged = Scratch::new_in("runtime-", parent)?;
        place(made, staged.path(), copy)?;
        staged.persist(kept);
        Ok(())
    };
    // The next build tries again.
    let _ = stage();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_hold_every_generated_file_once() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in
            [("Vtb__a.cpp", 50), ("Vtb__b.cpp", 40), ("Vtb__c.cpp", 20), ("Vtb.h", 9), ("other.cpp", 9)]
        {
            std::fs::write(folder.path().join(name), vec![b' '; bytes]).unwrap();
        }
        assert_eq!(units(folder.path()).unwrap(), ["unit_0", "unit_1"]);
        let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(text("unit_0.cpp"), "#include \"Vtb__a.cpp\"\n");
        assert_eq!(text("unit_1.cpp"), "#include \"Vtb__b.cpp\"\n#include \"Vtb__c.cpp\"\n");
    }

    #[test]
    fn a_runtime_is_kept_whole_or_not_at_all() {
        let (made, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in ["verilated.o", "burstc.h", "burstc.h.gch", "unit_0.o"] {
            std::fs::write(made.path().join(name), name).unwrap();
        }
        let kept = cache.path().join("one");
        keep(made.path(), &kept).unwrap();
        let other = tempfile::tempdir().unwrap();
        let mut names = place(&kept, other.path(), link).unwrap();
        names.sort();
        assert_eq!(names, ["burstc.h", "burstc.h.gch", "verilated.o"]);
        assert_eq!(std::fs::read_to_string(other.path().join("verilated.o")).unwrap(), "verilated.o");
        // Another build was faster; nothing is left beside.
        keep(made.path(), &kept).unwrap();
        assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 1);
        assert_ne!(runtime(cache.path(), true), runtime(cache.path(), false));
    }
}
