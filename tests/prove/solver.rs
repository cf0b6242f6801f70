//! Yosys makes a model of a cell, yosys-smtbmc and z3 decide about it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A cell's text and those of the cells inside it, with their assumptions as assertions and without their covers.
#[derive(Clone)]
pub struct Files {
    cell: String,
    texts: Vec<(String, String)>,
}

/// Numbers of lines are those of the cell's own file.
pub enum Verdict {
    /// With the steps that the induction took, or the covers that were reached.
    Holds(usize),
    /// The lines that fail or are not reached, and the end of what the solver said.
    Fails(Vec<usize>, String),
}

pub struct Model {
    folder: TempDir,
    cell: String,
}

fn templates() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/rtl-templates"))
}

/// The names of all cells.
pub fn cells() -> Vec<String> {
    modules(templates())
}

/// The names of the modules of a folder, which are those of their files.
pub fn modules(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("the modules are here").map(|e| e.expect("readable").path());
    let verilog = files.filter(|path| path.extension().is_some_and(|e| e == "v"));
    verilog.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect()
}

impl Files {
    pub fn of(cell: &str) -> Files {
        Files::in_folder(templates(), cell)
    }

    /// The same of a module of another folder, beside those that it instantiates.
    pub fn in_folder(folder: &Path, cell: &str) -> Files {
        Files::read(folder, cell, &["cover ("])
    }

    /// The same of a module whose parts have proofs of their own: of them, only what they assume is asserted.
    pub fn of_whole(folder: &Path, cell: &str) -> Files {
        Files::read(folder, cell, &["cover (", "assert ("])
    }

    fn read(folder: &Path, cell: &str, dropped: &[&str]) -> Files {
        let read =
            |name: &str| std::fs::read_to_string(folder.join(format!("{name}.v"))).expect("the module is readable");
        let mut texts = vec![(cell.to_string(), read(cell))];
        let all = modules(folder);
        let mut looked_at = 0;
        while looked_at < texts.len() {
            let first_words = |text: &str| -> Vec<String> {
                text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_string).collect()
            };
            for word in first_words(&texts[looked_at].1) {
                if all.contains(&word) && texts.iter().all(|(name, _)| *name != word) {
                    let inside = read(&word);
                    let lines =
                        inside.lines().filter(|line| dropped.iter().all(|start| !line.trim_start().starts_with(start)));
                    let asserted =
                        |line: &str| match line.split_once("assume (").and_then(|(_, l)| l.strip_suffix(");")) {
                            Some(condition) => format!("assert (!started_reg || ({condition}));\n"),
                            None => format!("{line}\n"),
                        };
                    let text = lines.map(asserted).collect();
                    texts.push((word, text));
                }
            }
            looked_at += 1;
        }
        Files { cell: cell.to_string(), texts }
    }

    /// The module with more lines at the end of its properties.
    pub fn with(mut self, lines: &str) -> Files {
        let (before, after) = self.texts[0].1.rsplit_once("`endif").expect("the module has properties");
        self.texts[0].1 = format!("{before}{lines}\n`endif{after}");
        self
    }

    fn text(&self) -> &str {
        &self.texts[0].1
    }

    /// The lines of the cell's assertions.
    pub fn assertions(&self) -> impl Iterator<Item = usize> + '_ {
        (1..).zip(self.text().lines()).filter(|(_, line)| line.contains("assert (")).map(|(number, _)| number)
    }

    pub fn line(&self, number: usize) -> &str {
        self.text().lines().nth(number - 1).unwrap_or_default().trim()
    }

    /// The files with one place of the cell's text changed.
    pub fn mutated(&self, from: &str, to: &str) -> Result<Files, String> {
        assert!(!from.contains('\n') && !to.contains('\n'), "mutations keep the numbers of lines");
        let text = self.text();
        let design = text.rsplit_once("`ifdef FORMAL").map_or(text, |(design, _)| design);
        match design.matches(from).count() {
            1 => {}
            count => return Err(format!("`{from}` is there {count} times")),
        }
        let mut texts = self.texts.clone();
        texts[0].1 = text.replacen(from, to, 1);
        Ok(Files { cell: self.cell.clone(), texts })
    }

    /// The lines of the assertions whose conditions begin so; lines that are the same count as one.
    pub fn named(&self, condition: &str) -> Result<Vec<usize>, String> {
        let begins = |line: &str| line.trim().strip_prefix("assert (").is_some_and(|l| l.starts_with(condition));
        let lines: Vec<usize> = self.assertions().filter(|&number| begins(self.line(number))).collect();
        let texts: BTreeSet<&str> = lines.iter().map(|&number| self.line(number)).collect();
        match texts.len() {
            1 => Ok(lines),
            count => Err(format!("`{condition}` begins {count} assertions")),
        }
    }

    /// The files with no other assertions than those in some lines.
    pub fn only(&self, kept: &[usize]) -> Files {
        let is_assertion = |line: &str| line.trim().starts_with("assert (");
        let mut texts = self.texts.clone();
        for (index, (_, text)) in texts.iter_mut().enumerate() {
            let lines = (1..).zip(text.lines());
            let lines = lines.map(|(number, line)| {
                let goes = is_assertion(line) && (index > 0 || !kept.contains(&number));
                if goes { "\n".to_string() } else { format!("{line}\n") }
            });
            *text = lines.collect();
        }
        Files { cell: self.cell.clone(), texts }
    }

    /// The files with every cover as an assertion that it is never reached, and no other assertion.
    pub fn covers(&self) -> Files {
        let line = |line: &str| match line.trim().strip_prefix("cover (").and_then(|l| l.strip_suffix(");")) {
            Some(condition) => format!("assert (!({condition}));\n"),
            None if line.trim().starts_with("assert (") => "\n".to_string(),
            None => format!("{line}\n"),
        };
        let mut texts = self.texts.clone();
        for (_, text) in &mut texts {
            *text = text.lines().map(line).collect();
        }
        Files { cell: self.cell.clone(), texts }
    }

    /// The cell as an and-inverter graph under parameters.
    pub fn graph(&self, parameters: &str) -> Result<Graph, String> {
        // Names of wires that go early make the passes after them quick.
        let script = "chformal -cover -remove; proc -noopt; flatten; delete -port o:*; opt_expr; opt_clean -purge; opt_merge; \
             opt_dff; opt_expr; opt_clean -purge; memory_collect; memory_map; opt_expr -mux_bool -fine; opt_clean -purge; simplemap; techmap; dffunmap; setundef -anyseq; aigmap; \
             tee -q -o assertions.il dump t:$assert; write_aiger -zinit -I -B model.aig";
        let folder = self.elaborate(parameters, script)?;
        // The bad states of the graph are in the order of the assertions, whose source is on the line before.
        let text = std::fs::read_to_string(folder.path().join("assertions.il")).expect("yosys wrote it");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let assertions = lines.windows(2).filter(|pair| pair[1].starts_with("cell $assert "));
        let assertions = assertions.map(|pair| place(pair[0], &format!("{}.v:", self.cell))).collect();
        Ok(Graph { folder, assertions })
    }

    /// The cell's model under parameters, `NAME value` pairs.
    pub fn model(&self, parameters: &str) -> Result<Model, String> {
        let script = "prep -flatten; memory_map; opt -full; dffunmap; opt_clean; write_smt2 -wires model.smt2";
        Ok(Model { folder: self.elaborate(parameters, script)?, cell: self.cell.clone() })
    }

    /// Runs Yosys' commands on the flat cell in a folder of its own.
    fn elaborate(&self, parameters: &str, commands: &str) -> Result<TempDir, String> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in &self.texts {
            std::fs::write(folder.path().join(format!("{name}.v")), text).expect("the folder is writable");
        }
        let cell = &self.cell;
        let words: Vec<&str> = parameters.split_whitespace().collect();
        let set: String = words.chunks(2).map(|pair| format!(" -set {} {}", pair[0], pair[1])).collect();
        let set = if set.is_empty() { String::new() } else { format!("chparam{set} {cell};") };
        let files: String = self.texts.iter().map(|(name, _)| format!(" {name}.v")).collect();
        let script = format!("read_verilog -formal{files}; {set} hierarchy -check -top {cell}; {commands}");
        let output = Command::new("yosys").args(["-q", "-p", &script]).current_dir(folder.path()).output();
        let output = output.expect("yosys is installed (scripts/bootstrap.sh)");
        if output.status.success() {
            Ok(folder)
        } else {
            let text =
                format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            Err(format!("yosys: {}", tail(&text)))
        }
    }
}

impl Model {
    /// Checks the assertions in the first steps.
    pub fn bounded(&self, steps: usize) -> Verdict {
        let (passed, text) = self.solve(&["--keep-going"], steps);
        if passed { Verdict::Holds(0) } else { self.fails(&text, "Assert failed in") }
    }

    /// Proves that the assertions hold in a step if they did in the k before it.
    pub fn induction(&self, most: usize) -> Verdict {
        let (passed, text) = self.solve(&["-i"], most);
        if passed {
            Verdict::Holds(text.matches("Trying induction in step").count())
        } else {
            self.fails(&text, "Assert failed in")
        }
    }

    /// Reaches every cover.
    pub fn cover(&self, steps: usize) -> Verdict {
        let (passed, text) = self.solve(&["-c"], steps);
        if passed {
            Verdict::Holds(text.matches("Reached cover statement").count())
        } else {
            self.fails(&text, "Unreached cover statement at")
        }
    }

    fn solve(&self, mode: &[&str], steps: usize) -> (bool, String) {
        let output = Command::new("yosys-smtbmc")
            .args(["-s", "z3", "-t", &steps.to_string()])
            .args(mode)
            .arg("model.smt2")
            .current_dir(self.folder.path())
            .output()
            .expect("yosys-smtbmc and z3 are installed (scripts/bootstrap.sh)");
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.success() && text.contains("Status: PASSED"), text)
    }

    /// The lines of the cell's file that the complaints name.
    fn fails(&self, text: &str, complaint: &str) -> Verdict {
        let own = format!("{}.v:", self.cell);
        let complaints = text.lines().filter_map(|line| line.split_once(complaint)).map(|(_, rest)| rest);
        let places = complaints.filter_map(|rest| rest.split_once(&own)).map(|(_, place)| place);
        let lines = places.filter_map(last_line).collect();
        Verdict::Fails(lines, tail(text))
    }
}

/// Assertions as an and-inverter graph, for ABC, which Yosys brings along.
pub struct Graph {
    folder: TempDir,
    /// The line of each in the cell's own file; `None` for those of the cells inside.
    pub assertions: Vec<Option<usize>>,
}

/// What ABC found of one assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It holds in every step.
    Always,
    /// It holds in the first steps.
    Bounded,
    Fails,
}

impl Graph {
    /// What the joint induction and the first `steps` say of each assertion, with its line in the cell's own file: all at
    /// once, so that one may lean on what is known of the others.
    pub fn bounded(&self, steps: usize) -> Vec<(Option<usize>, Found)> {
        let (text, failing) = self.steps("scorr; write_aiger folded.aig;", steps);
        let constants = self.constant_outputs();
        // Every output that does not fail was looked at in all steps, unless all are constant.
        let depth = text.lines().rev().find_map(|line| last_number(line.rsplit_once(" frames.")?.0));
        let all_known = constants.iter().all(|&constant| constant == Some(false));
        let complete = depth == Some(steps) || failing.len() == self.assertions.len() || all_known;
        assert!(complete, "ABC stopped early:\n{}", tail(&text));
        let found = |(index, constant)| match constant {
            Some(false) => Found::Always,
            _ if failing.contains(&index) => Found::Fails,
            _ => Found::Bounded,
        };
        self.assertions.iter().copied().zip((0..).zip(constants).map(found)).collect()
    }

    /// The assertions that fail in the first `steps`, by their places among all.
    pub fn failing(&self, steps: usize) -> BTreeSet<usize> {
        self.steps("", steps).1
    }

    /// Runs ABC over the first `steps` after other commands: what it says, and the assertions that fail. (Without `-x`, `bmc3 -a`
    /// crashes where all of them fail.)
    fn steps(&self, commands: &str, steps: usize) -> (String, BTreeSet<usize>) {
        let text = self.abc(&format!("read_aiger model.aig; fold; strash; {commands} bmc3 -a -x -F {steps}"));
        let failing = text.lines().filter_map(failing_output).collect();
        (text, failing)
    }

    /// Which outputs the induction, of which ABC wrote what is left, has shown to be constant.
    fn constant_outputs(&self) -> Vec<Option<bool>> {
        let file = std::fs::read(self.folder.path().join("folded.aig")).expect("ABC wrote it");
        let mut lines = file.split(|&byte| byte == b'\n').map(|line| String::from_utf8_lossy(line).into_owned());
        let header = lines.next().expect("a header");
        let counts: Vec<usize> = header.split(' ').skip(1).map(|word| word.parse().expect("a count")).collect();
        let outputs = lines.skip(counts[2]).take(counts[3]);
        outputs.map(|literal| (literal == "0" || literal == "1").then(|| literal == "1")).collect()
    }

    /// Looks, after `bounded`, at each assertion of the cell itself by itself of which nothing else is known, but for those in some
    /// lines: whether it holds in every step, which is given up after `seconds`.
    pub fn always(
        &self,
        seconds: usize,
        except: &[usize],
        known: &[(Option<usize>, Found)],
    ) -> Vec<(Option<usize>, Found)> {
        let wanted = |line: Option<usize>| line.is_some_and(|line| !except.contains(&line));
        let open = |index: &usize| wanted(known[*index].0) && known[*index].1 == Found::Bounded;
        let looked_at: Vec<usize> = (0..known.len()).filter(open).collect();
        let mut script = "version".to_string();
        for index in &looked_at {
            script += &format!("; echo begins; read_aiger folded.aig; cone -s -O {index}; scorr; pdr -T {seconds}");
        }
        let text = self.abc(&script);
        let sections: Vec<&str> = text.split("\nbegins").skip(1).collect();
        assert_eq!(sections.len(), looked_at.len(), "ABC stopped early:\n{}", tail(&text));
        let mut found = known.to_vec();
        for (index, section) in looked_at.into_iter().zip(sections) {
            found[index].1 = match section {
                s if s.contains("was asserted in frame") => Found::Fails,
                s if s.contains("Property proved") => Found::Always,
                s if s.contains("Property UNDECIDED") || s.contains("Reached timeout") => Found::Bounded,
                s => panic!("ABC says nothing that is known:\n{}", tail(s)),
            };
        }
        found
    }

    fn abc(&self, script: &str) -> String {
        let output = Command::new("yosys-abc").args(["-c", script]).current_dir(self.folder.path()).output();
        let output = output.expect("yosys-abc is installed with yosys (scripts/bootstrap.sh)");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

/// The number of the output of which a line says that it fails after the first step, in which nothing is reset yet and
/// nothing is asserted.
fn failing_output(line: &str) -> Option<usize> {
    let (output, rest) = line.trim_start().strip_prefix("Output")?.split_once("was asserted in frame")?;
    let step: usize = rest.split_whitespace().next()?.parse().ok()?;
    assert!(step > 0, "asserted or covered before reset: {line}");
    output.trim().parse().ok()
}

fn last_number(text: &str) -> Option<usize> {
    text.split_whitespace().last()?.parse().ok()
}

/// The line where a `line.column-line.column` ends; where it begins is sometimes the end of the statement before.
fn last_line(place: &str) -> Option<usize> {
    place.split_once('-')?.1.split('.').next()?.parse().ok()
}

/// The line of a source attribute, if the file is the only one that it names: an assertion of a cell inside names where that
/// is instantiated, too.
fn place(attribute: &str, file: &str) -> Option<usize> {
    let places: Vec<&str> = attribute.split('"').nth(1)?.split('|').collect();
    match places[..] {
        [place] => last_line(place.strip_prefix(file)?),
        _ => None,
    }
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}
