//! Verilator's build of a bench: C++ in few units, what is alike for all designs compiled once per machine, and a program
//! whose C++ was compiled before not compiled again.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use crate::hardware::is_instance;
use crate::process::{Limits, Scratch, run};
use crate::simulate::simulator::Waveform;

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

/// What makes Verilator write files that are small enough for units of about equal size.
pub const SPLIT: [&str; 2] = ["--output-split", "8000"];

/// Operators of which designs with many lanes have hundreds of instances. None of their functions may be called in Verilog: Verilator
/// copies such calls under a number of their own, by which instances that are alike differ.
const OPERATORS: [&str; 11] = [
    "divide_pipelined",
    "fp_add",
    "fp_compare",
    "fp_divide",
    "fp_from_int",
    "fp_multiply",
    "fp_narrow",
    "fp_scale",
    "fp_sqrt",
    "fp_to_int",
    "fp_widen",
];

/// From so many instances on, the code of an operator is made once for all of them, and not for each: 500 lanes of a floating-point sum
/// of products are 14 MB of C++ in place of 222.
const SHARED_FROM: usize = 16;

/// Which operators of the design in `texts` are not inlined, in Verilator's words; `None` where there are none. Their inputs are
/// variables of their own then: what stands before an input would otherwise move into the instance, which no other would be like.
pub fn shared_operators<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let mut text = String::new();
    for operator in OPERATORS {
        if texts.clone().flat_map(str::lines).filter(|line| is_instance(line, operator)).count() >= SHARED_FROM {
            // Writing to a String cannot fail.
            let _ =
                writeln!(text, "no_inline -module \"{operator}\"\npublic_flat_rd -module \"{operator}\" -var \"s_*\"");
        }
    }
    (!text.is_empty()).then(|| format!("`verilator_config\n{text}"))
}

/// What runs once, or never, in the words of Verilator's files: it is not optimised.
const SLOW: [&str; 3] = ["__Slow.cpp", "__Syms", "__ConstPool_"];

/// From here to the end of a unit; a compiler that does not know it optimises.
const UNOPTIMISED: &str = "#pragma GCC optimize (\"O0\")\n";

/// So many programs are kept, of a megabyte or two each; those go that were not wanted for the longest time.
const PROGRAMS: usize = 200;

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

/// Verilator's and the C++ compiler's versions.
fn tools() -> &'static str {
    static TOOLS: OnceLock<String> = OnceLock::new();
    TOOLS.get_or_init(|| {
        let said =
            |program: &str| run(Command::new(program).arg("--version"), Limits::default()).map(|ended| ended.stdout);
        ["verilator", "c++"]
            .map(|program| String::from_utf8_lossy(&said(program).unwrap_or_default()).into_owned())
            .concat()
    })
}

/// What is kept of one set of flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The folder with the run-time: named after all that goes into it.
    runtime: PathBuf,
}

impl Kept {
    /// What is kept in the folder `cache` for designs built with or without `trace`, of each format.
    pub fn new(cache: &Path, trace: Option<Waveform>) -> Kept {
        let mut hasher = DefaultHasher::new();
        (tools(), env!("CARGO_PKG_VERSION"), HEADER_TEXT, OPTIMISATION, trace).hash(&mut hasher);
        Kept { runtime: cache.join(format!("runtime-{:016x}", hasher.finish())) }
    }

    /// Where the program of the files in `made` is kept: named after all files that Verilator has written there, `sources`, and
    /// whatever else decides what the compiler makes of them.
    fn program(&self, made: &Path, sources: &[PathBuf]) -> Result<PathBuf> {
        let generated =
            |name: &str| name.starts_with('V') && [".cpp", ".h", ".mk"].iter().any(|end| name.ends_with(end));
        let mut files = sources.to_vec();
        for entry in std::fs::read_dir(made)? {
            let entry = entry?;
            if generated(&entry.file_name().to_string_lossy()) {
                files.push(entry.path());
            }
        }
        files.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
        let mut hasher = Sha256::new();
        hasher.update(self.runtime.file_name().unwrap_or_default().as_encoded_bytes());
        for file in files {
            let text = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
            hasher.update(file.file_name().unwrap_or_default().as_encoded_bytes());
            hasher.update((text.len() as u64).to_le_bytes());
            hasher.update(text);
        }
        Ok(self.runtime.with_file_name(format!("program-{}", digits(hasher))))
    }
}

fn digits(hasher: Sha256) -> String {
    hasher.finalize().iter().take(16).fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// `program` with the digest of the program's own text behind its name, by which a spoilt one is known.
fn sealed(program: &Path, text: &[u8]) -> PathBuf {
    let mut name = program.file_name().unwrap_or_default().to_os_string();
    name.push(format!("-{}", digits(Sha256::new_with_prefix(text))));
    program.with_file_name(name)
}

/// Puts the kept program into another place. Spoilt ones go.
fn take(program: &Path, to: &Path) -> Option<()> {
    let begins = program.file_name()?.to_string_lossy().into_owned() + "-";
    for entry in std::fs::read_dir(program.parent()?).ok()? {
        let path = entry.ok()?.path();
        if !path.file_name()?.to_string_lossy().starts_with(&begins) {
            continue;
        }
        if sealed(program, &std::fs::read(&path).ok()?) == path {
            share(&path, to).ok()?;
            // For those who look for the oldest. That it cannot be told is no error.
            let _ = std::fs::File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
            return Some(());
        }
        std::fs::remove_file(&path).ok()?;
    }
    None
}

/// Compiles the C++ that Verilator has written into [`FOLDER`] of `folder` for the module `top`, and `sources` that it was told
/// of. With `kept`, the run-time is taken from there, or put there; so is the whole program. The output of the last program
/// that ran, if any did, is the caller's to judge.
pub fn compile(
    folder: &Path,
    top: &str,
    sources: &[PathBuf],
    kept: Option<&Kept>,
    run: impl Fn(&mut Command) -> Result<Output>,
) -> Result<Option<Output>> {
    let made = folder.join(FOLDER);
    let program = kept.map(|kept| kept.program(&made, sources)).transpose()?;
    if program.as_ref().is_some_and(|program| take(program, &made.join(PROGRAM)).is_some()) {
        return Ok(None);
    }
    let output = make(&made, top, kept.map(|kept| kept.runtime.as_path()), run)?;
    if let Some(program) = program.filter(|_| output.status.success()) {
        // The next build tries again.
        let _ = keep_program(&made.join(PROGRAM), &program);
    }
    Ok(Some(output))
}

/// Runs `make` on Verilator's files for the module `top`, with the run-time of the folder `kept`, which is made if it is not there.
fn make(made: &Path, top: &str, kept: Option<&Path>, run: impl Fn(&mut Command) -> Result<Output>) -> Result<Output> {
    let units = units(made)?;
    let make = |arguments: &[String]| {
        let mut command = Command::new("make");
        command.arg("-C").arg(made).args(["-f", &format!("V{top}.mk")]).args(OPTIMISATION);
        // Where burstc itself is run by make, its settings are not for this one.
        command.env_remove("MAKEFLAGS").env_remove("MFLAGS").args(arguments);
        run(&mut command)
    };
    let all = ["-j", "2", "VM_PARALLEL_BUILDS=1", "VM_SLOW=", PROGRAM].map(str::to_string);
    let all = all.into_iter().chain([format!("VM_FAST={}", units.join(" "))]);
    if let Some(kept) = kept.filter(|kept| kept.is_dir()) {
        let names = place(kept, made, link)?;
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
        keep(made, kept)?;
    }
    Ok(output)
}

/// One file under two names, or a copy where there is no such thing. (A copy that another thread's child still has open for
/// writing does not run.)
fn share(from: &Path, to: &Path) -> io::Result<()> {
    // A build in the same folder before this one.
    let _ = std::fs::remove_file(to);
    std::fs::hard_link(from, to).or_else(|_| copy(from, to))
}

/// Keeps a program, which appears whole, under its name, and no more than [`PROGRAMS`] of them.
fn keep_program(made: &Path, kept: &Path) -> Result<()> {
    let parent = kept.parent().context("the folder for a program has no name")?;
    std::fs::create_dir_all(parent)?;
    let staged = Scratch::new_in("program-of-", parent)?;
    share(made, &staged.path().join(PROGRAM))?;
    let text = std::fs::read(made)?;
    std::fs::rename(staged.path().join(PROGRAM), sealed(kept, &text))?;
    let mut programs = vec![];
    for entry in std::fs::read_dir(parent)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && entry.file_name().to_string_lossy().starts_with("program-") {
            programs.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    programs.sort();
    for (_, oldest) in &programs[..programs.len().saturating_sub(PROGRAMS)] {
        std::fs::remove_file(oldest)?;
    }
    Ok(())
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
    let mut units = vec![(0, vec![], vec![]); UNITS];
    for (bytes, name) in files {
        let is_slow = SLOW.iter().any(|slow| name.contains(slow));
        let smallest = units.iter_mut().min_by_key(|(work, ..)| *work).expect("there are units");
        // Without optimisation it takes half the time.
        smallest.0 += if is_slow { bytes / 2 } else { bytes };
        if is_slow { &mut smallest.2 } else { &mut smallest.1 }.push(format!("#include \"{name}\"\n"));
    }
    let name = |index: usize| format!("unit_{index}");
    for (index, (_, fast, slow)) in units.iter().enumerate() {
        let slow = if slow.is_empty() { String::new() } else { format!("{UNOPTIMISED}{}", slow.concat()) };
        std::fs::write(made.join(name(index) + ".cpp"), fast.concat() + &slow)?;
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
    use crate::hardware::{VerilogFile, files, headers};

    /// A module with so many instances of every operator, all of whose inputs are different bits of one register.
    fn many(count: usize) -> String {
        let operators = headers(&OPERATORS.map(str::to_string));
        assert_eq!(operators.len(), OPERATORS.len());
        let (mut text, mut place, mut results) = (String::new(), 0, vec![]);
        for (header, number) in operators.iter().flat_map(|header| (0..count).map(move |number| (header, number))) {
            let mut connections = vec!["        .clk (clk)".to_string()];
            for port in header.ports(&[]).unwrap().iter().filter(|port| port.name != "clk") {
                let width = port.width;
                let signal = match port.input {
                    true => {
                        place += width;
                        format!("state[{}:{}]", place - 1, place - width)
                    }
                    false => {
                        let signal = format!("{}_{}_{number}", header.name, port.name);
                        let _ = writeln!(text, "    wire [{}:0] {signal};", width - 1);
                        results.push(format!("^{signal}"));
                        signal
                    }
                };
                connections.push(format!("        .{} ({signal})", port.name));
            }
            let name = &header.name;
            let _ = writeln!(text, "    {name} #(\n    ) u_{name}_{number} (\n{}\n    );", connections.join(",\n"));
        }
        format!(
            "module many (input wire clk, input wire seed, output reg result);\n    reg [{}:0] state;\n{text}\
             \x20   always @(posedge clk) begin\n        state <= {{state[{}:0], seed}};\n        result <= {};\n    end\nendmodule\n",
            place - 1,
            place - 2,
            results.join(" ^ ")
        )
    }

    /// Functions that Verilator writes for the instances of each operator of [`many`].
    fn functions_of_each(count: usize) -> Vec<usize> {
        let folder = tempfile::tempdir().unwrap();
        let mut design = files(&headers(&OPERATORS.map(str::to_string)));
        design.push(VerilogFile { name: "many.v".to_string(), text: many(count) });
        for file in &design {
            std::fs::write(folder.path().join(&file.name), &file.text).unwrap();
        }
        let mut command = Command::new("verilator");
        command.args(["--cc", "-O3", "-Wall", "--top-module", "many", "-Mdir", FOLDER]).current_dir(folder.path());
        if let Some(text) = shared_operators(design.iter().map(|file| file.text.as_str())) {
            std::fs::write(folder.path().join("operators.vlt"), text).unwrap();
            command.arg("operators.vlt");
        }
        let output = command.args(design.iter().map(|file| &file.name)).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let made = std::fs::read_dir(folder.path().join(FOLDER)).unwrap().map(|entry| entry.unwrap().path());
        let text: String = made.filter_map(|path| std::fs::read_to_string(path).ok()).collect();
        let functions = |operator: &&str| {
            text.lines()
                .filter(|line| {
                    line.starts_with("VL_INLINE_OPT void Vmany_") && line.contains(&format!("u_{operator}_"))
                })
                .count()
        };
        OPERATORS.iter().map(functions).collect()
    }

    #[test]
    fn instances_of_an_operator_share_their_code() {
        assert!(shared_operators([many(SHARED_FROM - 1).as_str()].into_iter()).is_none());
        let functions = functions_of_each(SHARED_FROM);
        // As many as for two would be, were those not shared: one per clock edge, and one of wires.
        assert!(functions.iter().all(|count| (1..=3).contains(count)), "{OPERATORS:?} {functions:?}");
    }

    #[test]
    fn units_hold_every_generated_file_once() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in
            [("Vtb__a.cpp", 50), ("Vtb__b__Slow.cpp", 60), ("Vtb__c.cpp", 15), ("Vtb.h", 9), ("other.cpp", 9)]
        {
            std::fs::write(folder.path().join(name), vec![b' '; bytes]).unwrap();
        }
        assert_eq!(units(folder.path()).unwrap(), ["unit_0", "unit_1"]);
        let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        // What is slow comes first by its size, and last in the text.
        assert_eq!(
            text("unit_0.cpp"),
            format!("#include \"Vtb__c.cpp\"\n{UNOPTIMISED}#include \"Vtb__b__Slow.cpp\"\n")
        );
        assert_eq!(text("unit_1.cpp"), "#include \"Vtb__a.cpp\"\n");
    }

    #[test]
    fn a_program_is_kept_by_all_that_it_was_compiled_of() {
        let (work, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let made = work.path().join(FOLDER);
        std::fs::create_dir(&made).unwrap();
        let write = |name: &str, text: &str| std::fs::write(made.join(name), text).unwrap();
        let source = work.path().join("main.cpp");
        std::fs::write(&source, "int main()").unwrap();
        for name in ["Vtb.cpp", "Vtb.h", "Vtb.mk"] {
            write(name, "one");
        }
        let kept = Kept::new(cache.path(), None);
        let named = || kept.program(&made, std::slice::from_ref(&source)).unwrap();
        let mut names = vec![named()];
        write("Vtb.o", "made by the compiler");
        assert_eq!(named(), names[0]);
        for name in ["Vtb.cpp", "Vtb.h", "Vtb.mk", "Vtb__1.cpp"] {
            write(name, "another");
            names.push(named());
        }
        std::fs::write(&source, "int main(void)").unwrap();
        names.push(named());
        names.push(Kept::new(cache.path(), Some(Waveform::Vcd)).program(&made, std::slice::from_ref(&source)).unwrap());
        let different: std::collections::BTreeSet<&PathBuf> = names.iter().collect();
        assert_eq!(different.len(), 7);

        // What is kept is not compiled, unless it is spoilt; and what was kept first goes first.
        write(PROGRAM, "compiled");
        let program = named();
        keep_program(&made.join(PROGRAM), &program).unwrap();
        std::fs::remove_file(made.join(PROGRAM)).unwrap();
        let never = |_: &mut Command| -> Result<Output> { panic!("it was kept") };
        assert!(compile(work.path(), "tb", std::slice::from_ref(&source), Some(&kept), never).unwrap().is_none());
        assert_eq!(std::fs::read_to_string(made.join(PROGRAM)).unwrap(), "compiled");
        let first = sealed(&program, b"compiled");
        std::fs::File::open(&first).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        // Another file: links of one have one time.
        std::fs::remove_file(made.join(PROGRAM)).unwrap();
        write(PROGRAM, "another");
        for number in 0..PROGRAMS {
            keep_program(&made.join(PROGRAM), &cache.path().join(format!("program-{number}"))).unwrap();
        }
        assert!(!first.exists());
        assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), PROGRAMS);
        std::fs::write(&first, "spoilt").unwrap();
        assert!(take(&program, &made.join(PROGRAM)).is_none() && !first.exists());
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
        assert_ne!(Kept::new(cache.path(), Some(Waveform::Vcd)), Kept::new(cache.path(), None));
    }
}
