//! The properties under `FORMAL` at the tails of the cells, proved by Yosys and z3: bounded from reset and, for all states, by
//! induction. `make prove` shows the table.
//!
//! A proof of a cell holds for its own assumptions. Those of the cells inside are turned into assertions, so that whoever
//! instantiates a cell is shown to keep its rules. Every `cover` must be reached, and every `assert` must fail under one of
//! the mutations of the cell's text, so that none holds vacuously.

mod cells;
mod solver;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Instant;

use solver::{Files, Verdict};

/// What is proved of a cell, and what must break its properties.
struct Proof {
    cell: &'static str,
    /// `NAME value` pairs, one string per set of parameters.
    parameters: &'static [&'static str],
    /// Steps from reset in which all assertions are checked, and the most that an induction may take.
    steps: usize,
    /// Whether the assertions hold by induction, that is in every step.
    inductive: bool,
    /// Steps within which every cover is reached.
    cover_steps: usize,
    mutations: &'static [Mutation],
}

/// A change of the cell's text that must break one of its assertions under a set of parameters.
struct Mutation {
    parameters: usize,
    from: &'static str,
    to: &'static str,
}

const fn mutation(from: &'static str, to: &'static str) -> Mutation {
    Mutation { parameters: 0, from, to }
}

/// The same, shown with another than the first set of parameters.
const fn mutation_of(parameters: usize, from: &'static str, to: &'static str) -> Mutation {
    Mutation { parameters, from, to }
}

fn prove(cell: &str) {
    let proof = cells::PROOFS.iter().find(|p| p.cell == cell).expect("the table has the cell");
    let mut failures = String::new();
    let files = Files::of(proof.cell);
    let started = Instant::now();
    for parameters in proof.parameters {
        let begun = Instant::now();
        match holds(proof, &files, parameters) {
            Ok(how) => println!("| `{cell}` | {parameters} | {how} | {:.1} |", begun.elapsed().as_secs_f64()),
            Err(why) => writeln!(failures, "{cell} with {parameters}: {why}").expect("a string"),
        }
    }
    let begun = Instant::now();
    let (broken, complaints) = mutate(proof, &files);
    failures += &complaints;
    println!(
        "| `{cell}` | {} mutations | fail, and every assertion of {broken} with one | {:.1} |",
        proof.mutations.len(),
        begun.elapsed().as_secs_f64()
    );
    assert!(failures.is_empty(), "{failures}");
    assert!(started.elapsed().as_secs() < 120, "{cell} takes {:?}: too long for a test", started.elapsed());
}

/// Proves the cell under one set of parameters: how, or what went wrong.
fn holds(proof: &Proof, files: &Files, parameters: &str) -> Result<String, String> {
    let model = files.model(parameters)?;
    match model.bounded(proof.steps) {
        Verdict::Holds(_) => {}
        Verdict::Fails(lines, text) => {
            return Err(format!("fails in lines {lines:?} within {} steps\n{text}", proof.steps));
        }
    }
    let mut how = format!("{} steps", proof.steps);
    if proof.inductive {
        match model.induction(proof.steps) {
            Verdict::Holds(k) => write!(how, ", inductive with k = {k}").expect("a string"),
            Verdict::Fails(lines, text) => return Err(format!("no induction, for lines {lines:?}\n{text}")),
        }
    }
    match model.cover(proof.cover_steps) {
        Verdict::Holds(0) => return Err("has no cover".to_string()),
        Verdict::Holds(covers) => write!(how, "; {covers} covers").expect("a string"),
        Verdict::Fails(lines, text) => return Err(format!("does not reach the covers in lines {lines:?}\n{text}")),
    }
    Ok(how)
}

/// Applies the mutations one by one: the number of assertions, and a complaint about every mutation that breaks none and
/// every assertion that none breaks.
fn mutate(proof: &Proof, files: &Files) -> (usize, String) {
    let mut complaints = String::new();
    let mut unbroken: BTreeSet<usize> = files.assertions().collect();
    let assertions = unbroken.len();
    for Mutation { parameters, from, to } in proof.mutations {
        let mutated = match files.mutated(from, to) {
            Ok(mutated) => mutated,
            Err(why) => {
                writeln!(complaints, "{}: {why}", proof.cell).expect("a string");
                continue;
            }
        };
        let verdict = mutated.model(proof.parameters[*parameters]).map(|model| model.bounded(proof.steps));
        match verdict {
            Ok(Verdict::Fails(lines, _)) if !lines.is_empty() => unbroken.retain(|line| !lines.contains(line)),
            Ok(Verdict::Fails(_, text)) => {
                writeln!(complaints, "{}: `{from}` -> `{to}` fails elsewhere\n{text}", proof.cell).expect("a string");
            }
            Ok(Verdict::Holds(_)) => {
                writeln!(complaints, "{}: nobody notices `{from}` -> `{to}`", proof.cell).expect("a string");
            }
            Err(why) => writeln!(complaints, "{}: `{from}` -> `{to}`: {why}", proof.cell).expect("a string"),
        }
    }
    for line in unbroken {
        writeln!(complaints, "{}: no mutation breaks line {line}: {}", proof.cell, files.line(line)).expect("a string");
    }
    (assertions, complaints)
}

#[test]
fn every_cell_with_properties_is_proved() {
    let with_properties = solver::cells().into_iter().filter(|cell| Files::of(cell).assertions().next().is_some());
    let missing: Vec<String> = with_properties.filter(|c| cells::PROOFS.iter().all(|p| p.cell != c)).collect();
    assert!(missing.is_empty(), "no proof runs of {missing:?}");
}
