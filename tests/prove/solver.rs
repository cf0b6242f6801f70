//! Yosys makes a model of a cell, yosys-smtbmc and z3 decide about it.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A cell's text and those of the cells inside it, with their assumptions as assertions and without their covers.
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

fn read(cell: &str) -> String {
    std::fs::read_to_string(templates().join(format!("{cell}.v"))).expect("the cell is readable")
}

/// The names of all cells.
pub fn cells() -> Vec<String> {
    let files = std::fs::read_dir(templates()).expect("the cells are here").map(|e| e.expect("readable").path());
    let verilog = files.filter(|path| path.extension().is_some_and(|e| e == "v"));
    verilog.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect()
}

impl Files {
    pub fn of(cell: &str) -> Files {
        let mut texts = vec![(cell.to_string(), read(cell))];
        let all = cells();
        let mut looked_at = 0;
        while looked_at < texts.len() {
            let first_words = |text: &str| -> Vec<String> {
                text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_string).collect()
            };
            for word in first_words(&texts[looked_at].1) {
                if all.contains(&word) && texts.iter().all(|(name, _)| *name != word) {
                    let inside = read(&word);
                    let lines = inside.lines().filter(|line| !line.trim_start().starts_with("cover ("));
                    let text = lines.map(|line| line.replace("assume (", "assert (") + "\n").collect();
                    texts.push((word, text));
                }
            }
            looked_at += 1;
        }
        Files { cell: cell.to_string(), texts }
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
        let script = "memory_map; opt -full; techmap; dffunmap; setundef -anyseq; opt_clean; simplemap; abc -g AND -fast; \
             chformal -cover -remove; delete -port o:*; opt_clean; write_rtlil model.il; \
             write_aiger -zinit -I -B model.aig";
        let folder = self.elaborate(parameters, script)?;
        // The bad states of the graph are in the order of the assertions, whose source is on the line before.
        let text = std::fs::read_to_string(folder.path().join("model.il")).expect("yosys wrote it");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let assertions = lines.windows(2).filter(|pair| pair[1].starts_with("cell $assert "));
        let assertions = assertions.map(|pair| place(pair[0], &format!("{}.v:", self.cell))).collect();
        Ok(Graph { folder, assertions })
    }

    /// The cell's model under parameters, `NAME value` pairs.
    pub fn model(&self, parameters: &str) -> Result<Model, String> {
        let script = "memory_map; opt -full; dffunmap; opt_clean; write_smt2 -wires model.smt2";
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
        let script = format!("read_verilog -formal{files}; {set} prep -flatten -top {cell}; {commands}");
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
    assertions: Vec<Option<usize>>,
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
    /// Looks at each assertion by itself: whether it fails in the first `steps`, and whether it holds in every step, which is
    /// given up after `seconds`. With the line in the cell's own file.
    pub fn decide(&self, steps: usize, seconds: usize) -> Vec<(Option<usize>, Found)> {
        let mut script = "read_aiger model.aig; fold; strash; scorr; write_aiger folded.aig".to_string();
        for index in 0..self.assertions.len() {
            script += &format!(
                "; echo begins; read_aiger folded.aig; cone -s -O {index}; scorr; bmc3 -F {steps}; pdr -T {seconds}"
            );
        }
        let output = Command::new("yosys-abc").args(["-c", &script]).current_dir(self.folder.path()).output();
        let output = output.expect("yosys-abc is installed with yosys (scripts/bootstrap.sh)");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let sections: Vec<&str> = text.split("\nbegins").skip(1).collect();
        assert_eq!(sections.len(), self.assertions.len(), "ABC stopped early:\n{}", tail(&text));
        let found = |section: &&str| match section {
            s if s.contains("was asserted in frame") => Found::Fails,
            s if s.contains("Property proved") => Found::Always,
            s if s.contains("No output asserted in") => Found::Bounded,
            s => panic!("ABC says nothing that is known:\n{}", tail(s)),
        };
        self.assertions.iter().copied().zip(sections.iter().map(found)).collect()
    }
}

/// The line where a `line.column-line.column` ends; where it begins is sometimes the end of the statement before.
fn last_line(place: &str) -> Option<usize> {
    place.split_once('-')?.1.split('.').next()?.parse().ok()
}

/// The line of a source attribute that names the file.
fn place(attribute: &str, file: &str) -> Option<usize> {
    let (before, place) = attribute.split_once(file)?;
    before.ends_with('"').then(|| last_line(place))?
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}
