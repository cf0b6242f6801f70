//! The properties under `FORMAL` at the tails of the cells, proved by Yosys with z3 or ABC: bounded from reset and, as far as
//! they find a proof, for every step. `make prove` shows the table.
//!
//! A proof of a cell holds for its own assumptions. Those of the cells inside are turned into assertions, so that whoever
//! instantiates a cell is shown to keep its rules. Every `cover` must be reached, and every `assert` must fail under one of
//! the mutations of the cell's text, so that none holds vacuously.

mod cells;
mod generated;
mod solver;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Instant;

use solver::{Files, Found, Verdict};

/// What is proved of a cell, and what must break its properties.
struct Proof {
    cell: &'static str,
    /// `NAME value` pairs, one string per set of parameters.
    parameters: &'static [&'static str],
    /// Steps from reset in which all assertions are checked, and the most that an induction may take.
    steps: usize,
    by: By,
    /// Steps within which every cover is reached; mutations have either count.
    cover_steps: usize,
    mutations: &'static [Mutation],
}

/// What decides.
#[derive(Clone, Copy)]
enum By {
    /// yosys-smtbmc and z3: the steps, and all by induction.
    Z3,
    /// Yosys' ABC, for what is too much for z3: the steps, and all by property directed reachability
    /// but for some, which are only bounded: for each set of parameters how the conditions of these begin, `&[]` for none.
    Abc(&'static [&'static [&'static str]]),
    /// Yosys' ABC, for the wholes: the steps, and for all steps what a joint induction shows.
    Steps,
    /// The same, and so many steps where the surroundings are as quick as for covers.
    QuickSteps(usize),
}

/// A change of the cell's text that must break some of its assertions under a set of parameters.
#[derive(Clone, Copy)]
struct Mutation {
    parameters: usize,
    from: &'static str,
    to: &'static str,
    /// How the conditions of the assertions begin that it breaks. Only they are looked at: what is left of the cell is small then.
    breaks: &'static [&'static str],
}

const fn mutation(from: &'static str, to: &'static str, breaks: &'static [&'static str]) -> Mutation {
    Mutation { parameters: 0, from, to, breaks }
}

/// The same, shown with another than the first set of parameters.
const fn mutation_of(
    parameters: usize,
    from: &'static str,
    to: &'static str,
    breaks: &'static [&'static str],
) -> Mutation {
    Mutation { parameters, from, to, breaks }
}

/// What one assertion's property directed reachability may take.
const SECONDS: usize = 20;

fn prove(cell: &str) {
    let proof = cells::PROOFS.iter().find(|p| p.cell == cell).expect("the table has the cell");
    let files = Files::of(proof.cell);
    prove_module(proof, &files, &files);
}

/// Proves the files' module; `shown` are the same, perhaps with assumptions that make covers and mutations quick to reach.
fn prove_module(proof: &Proof, files: &Files, shown: &Files) {
    let cell = proof.cell;
    let mut failures = String::new();
    let started = Instant::now();
    for (index, parameters) in proof.parameters.iter().enumerate() {
        let begun = Instant::now();
        match holds(proof, files, shown, index) {
            Ok(how) => println!("| `{cell}` | {parameters} | {how} | {:.1} |", begun.elapsed().as_secs_f64()),
            Err(why) => writeln!(failures, "{cell} with {parameters}: {why}").expect("a string"),
        }
    }
    let begun = Instant::now();
    let (broken, complaints) = mutate(proof, shown);
    failures += &complaints;
    println!(
        "| `{cell}` | {} mutations | fail; each of {broken} assertions with one | {:.1} |",
        proof.mutations.len(),
        begun.elapsed().as_secs_f64()
    );
    assert!(failures.is_empty(), "{failures}");
    assert!(started.elapsed().as_secs() < 600, "{cell} takes {:?}: too long for a test", started.elapsed());
}

/// Proves the cell under one of its sets of parameters: how, or what went wrong.
fn holds(proof: &Proof, files: &Files, shown: &Files, index: usize) -> Result<String, String> {
    let parameters = proof.parameters[index];
    match proof.by {
        By::Z3 => holds_by_z3(proof, files, parameters),
        By::Abc(bounded) => {
            let bounded =
                bounded.get(index).copied().unwrap_or_default().iter().map(|condition| files.named(condition));
            holds_by_abc(proof, (files, shown), parameters, &bounded.collect::<Result<Vec<_>, _>>()?.concat())
        }
        By::Steps | By::QuickSteps(_) => {
            holds_by_abc(proof, (files, shown), parameters, &files.assertions().collect::<Vec<_>>())
        }
    }
}

fn holds_by_z3(proof: &Proof, files: &Files, parameters: &str) -> Result<String, String> {
    let model = files.model(parameters)?;
    if let Verdict::Fails(lines, text) = model.bounded(proof.steps) {
        return Err(format!("fails in lines {lines:?} within {} steps\n{text}", proof.steps));
    }
    let k = match model.induction(proof.steps) {
        Verdict::Holds(k) => k,
        Verdict::Fails(lines, text) => return Err(format!("no induction, for lines {lines:?}\n{text}")),
    };
    match model.cover(proof.cover_steps) {
        Verdict::Holds(0) => Err("has no cover".to_string()),
        Verdict::Holds(covers) => {
            Ok(format!("z3: {} steps, and all by induction with k = {k}; {covers} covers", proof.steps))
        }
        Verdict::Fails(lines, text) => Err(format!("does not reach the covers in lines {lines:?}\n{text}")),
    }
}

fn holds_by_abc(
    proof: &Proof,
    (files, shown): (&Files, &Files),
    parameters: &str,
    only_bounded: &[usize],
) -> Result<String, String> {
    let lines = |found: &[(Option<usize>, Found)], wanted: Found| -> Vec<Option<usize>> {
        found.iter().filter(|(_, found)| *found == wanted).map(|(line, _)| *line).collect()
    };
    let graph = files.graph(parameters)?;
    let mut found = graph.always(SECONDS, only_bounded, &graph.bounded(proof.steps));
    let failed = lines(&found, Found::Fails);
    if !failed.is_empty() {
        return Err(format!("fails in lines {failed:?}, within {} steps or later", proof.steps));
    }
    let model = shown.covers().graph(parameters)?;
    let covers = &model.assertions;
    let reached = model.failing(proof.cover_steps);
    let unreached: Vec<_> =
        (0..covers.len()).filter(|index| !reached.contains(index)).map(|index| covers[index]).collect();
    if covers.is_empty() || !unreached.is_empty() {
        return Err(format!("does not reach the covers in lines {unreached:?}, of {}", covers.len()));
    }
    found.retain(|(line, _)| line.is_some());
    let always = lines(&found, Found::Always).len();
    let bounded: Vec<usize> = lines(&found, Found::Bounded).into_iter().flatten().collect();
    if let Some(line) = bounded.iter().find(|line| !only_bounded.contains(line)) {
        return Err(format!("no proof for every step of line {line}: {}", files.line(*line)));
    }
    let mut rest =
        if bounded.is_empty() { String::new() } else { format!(", lines {bounded:?} in {} steps", proof.steps) };
    if let (By::QuickSteps(quick), false) = (proof.by, bounded.is_empty()) {
        let failing = shown.only(&bounded).graph(parameters)?.failing(quick);
        if !failing.is_empty() {
            return Err(format!("some of lines {bounded:?} fails within {quick} steps of quick memory"));
        }
        write!(rest, ", and in {quick} where memory is quick").expect("a string");
    }
    Ok(format!("ABC: {always} of {} assertions in every step{rest}; {} covers", found.len(), covers.len()))
}

/// Applies the mutations one by one: the number of assertions, and a complaint about every mutation that does not break what it
/// says and every assertion that none breaks.
fn mutate(proof: &Proof, files: &Files) -> (usize, String) {
    let mut complaints = String::new();
    let mut unbroken: BTreeSet<usize> = files.assertions().collect();
    let assertions = unbroken.len();
    for mutation in proof.mutations {
        match broken_by(proof, files, mutation) {
            Ok(lines) => unbroken.retain(|line| !lines.contains(line)),
            Err(why) => {
                writeln!(complaints, "{}: `{}` -> `{}`: {why}", proof.cell, mutation.from, mutation.to)
                    .expect("a string");
            }
        }
    }
    for line in unbroken {
        writeln!(complaints, "{}: no mutation breaks line {line}: {}", proof.cell, files.line(line)).expect("a string");
    }
    (assertions, complaints)
}

/// The lines of the assertions that a mutation breaks: all that it names.
fn broken_by(proof: &Proof, files: &Files, mutation: &Mutation) -> Result<Vec<usize>, String> {
    let named = mutation.breaks.iter().map(|condition| files.named(condition)).collect::<Result<Vec<_>, _>>()?.concat();
    if named.is_empty() {
        return Err("names no assertion".to_string());
    }
    let graph = files.mutated(mutation.from, mutation.to)?.only(&named).graph(proof.parameters[mutation.parameters])?;
    let failing = graph.failing(proof.steps.max(proof.cover_steps));
    let failing: Vec<usize> = failing.iter().filter_map(|&index| graph.assertions[index]).collect();
    match named.iter().find(|line| !failing.contains(line)) {
        None => Ok(named),
        Some(line) => Err(format!("does not break line {line}: {}", files.line(*line))),
    }
}

#[test]
fn every_cell_with_properties_is_proved() {
    let with_properties = solver::cells().into_iter().filter(|cell| Files::of(cell).assertions().next().is_some());
    let missing: Vec<String> = with_properties.filter(|c| cells::PROOFS.iter().all(|p| p.cell != c)).collect();
    assert!(missing.is_empty(), "no proof runs of {missing:?}");
}
