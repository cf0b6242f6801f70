//! What people look at in a waveform: the signals that modules put into groups, and their state machines.

use std::collections::BTreeMap;

use super::expr::Op;
use super::module::{Design, Item, Label, Module, Signal, Statement};

/// The group of the state machines.
const STATES: &str = "States";

/// A signal of a design, as a view of a waveform names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub group: String,
    /// The instances from the top down, and the signal.
    pub path: Vec<String>,
    /// Bits.
    pub width: u32,
    /// The values that have names; none where it is no state.
    pub states: Vec<(i128, String)>,
}

/// Of the last module of a design and of what it instantiates, `levels` of modules in all: the groups in the order in which they
/// were made, then the registers whose values are told apart by the names of constants.
pub fn shown(design: &Design, levels: usize) -> Vec<Shown> {
    let modules: BTreeMap<&str, &Module> = design.modules.iter().map(|module| (module.name(), module)).collect();
    let mut found = vec![];
    if let Some(top) = design.modules.last() {
        of_module(&modules, top, &[], levels, &mut found);
    }
    // Groups stay together, whatever the depth of their signals.
    let mut groups: Vec<String> = vec![];
    for shown in &found {
        if shown.group != STATES && !groups.contains(&shown.group) {
            groups.push(shown.group.clone());
        }
    }
    groups.push(STATES.to_string());
    found.sort_by_key(|shown| groups.iter().position(|group| *group == shown.group));
    found
}

fn of_module(
    modules: &BTreeMap<&str, &Module>,
    module: &Module,
    path: &[String],
    levels: usize,
    found: &mut Vec<Shown>,
) {
    if levels == 0 {
        return;
    }
    let mut add = |group: &str, signal: &Signal, states| {
        let path = path.iter().cloned().chain([signal.name().to_string()]).collect();
        found.push(Shown { group: group.to_string(), path, width: signal.width(), states });
    };
    for (group, signal) in &module.shown {
        add(group, signal, vec![]);
    }
    let mut machines: Vec<(Signal, Vec<(i128, String)>)> = vec![];
    for item in &module.items {
        if let Item::Clocked { body, .. } | Item::Combinational { body, .. } = item {
            states(body, &mut machines);
        }
    }
    for (signal, mut states) in machines {
        states.sort();
        states.dedup();
        add(STATES, &signal, states);
    }
    for item in &module.items {
        if let Item::Instance(instance) = item
            && let Some(inner) = modules.get(instance.module.as_str())
        {
            let path: Vec<String> = path.iter().cloned().chain([instance.name.clone()]).collect();
            of_module(modules, inner, &path, levels - 1, found);
        }
    }
}

/// The signals that choose between named constants, with those.
fn states(body: &[Statement], machines: &mut Vec<(Signal, Vec<(i128, String)>)>) {
    for statement in body {
        match statement {
            Statement::Assign(..) | Statement::Comment(_) => {}
            Statement::If { then, otherwise, .. } => {
                states(then, machines);
                states(otherwise, machines);
            }
            Statement::Case { subject, arms, default } => {
                let named = arms.iter().flat_map(|(labels, _)| labels).filter_map(|label| match label {
                    Label::Named(constant) => match constant.op() {
                        Op::Parameter(parameter) => Some((parameter.value(), parameter.name().to_string())),
                        _ => None,
                    },
                    Label::Value(_) => None,
                });
                let named: Vec<_> = named.collect();
                if let (Op::Signal(signal), false) = (subject.op(), named.is_empty()) {
                    match machines.iter_mut().find(|(of, _)| of.same(signal)) {
                        Some((_, states)) => states.extend(named),
                        None => machines.push((signal.clone(), named)),
                    }
                }
                arms.iter().for_each(|(_, body)| states(body, machines));
                states(default, machines);
            }
        }
    }
}
