//! A module's ports, streams, registers and instances, for people.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use super::module::{Item, Module, Signal};
use super::plan::procedural_targets;

/// The module without its logic:
///
/// ```text
/// module matmul_load
///     // Load(T): …
///     in start
///     in stream s_tile: data[34]
///     out stream m_cmd: write, address[22], length[9]
///     reg state[2] = 0
///     reg row[10]
///     u_fifo: fifo(WIDTH = 8)
/// ```
///
/// A stream is one line: its group, and what moves beside valid and ready. Numbers in brackets are bits, of which one goes
/// without saying. A register has its value after a reset, where it has one.
pub fn outline(module: &Module) -> String {
    let mut text = format!("module {}\n", module.name());
    // Writing to a String cannot fail.
    for line in module.description.lines() {
        let _ = writeln!(text, "    // {line}");
    }
    ports(module, &mut text);
    let resets: BTreeMap<&str, i128> = module.items.iter().flat_map(resets).collect();
    let clocked: HashSet<usize> = module.items.iter().flat_map(registers).collect();
    for signal in module.signals.iter().filter(|signal| clocked.contains(&signal.index())) {
        let reset = resets.get(signal.name()).map_or(String::new(), |value| format!(" = {value}"));
        let _ = writeln!(text, "    reg {}{reset}", sized(signal.name(), signal));
    }
    for item in &module.items {
        if let Item::Instance(instance) = item {
            let parameters: Vec<String> =
                instance.parameters.iter().map(|(n, value)| format!("{n} = {value}")).collect();
            let parameters = if parameters.is_empty() { String::new() } else { format!("({})", parameters.join(", ")) };
            let _ = writeln!(text, "    {}: {}{parameters}", instance.name, instance.module);
        }
    }
    text
}

/// The registers of a clocked process.
fn registers(item: &Item) -> HashSet<usize> {
    match item {
        Item::Clocked { .. } => procedural_targets(std::slice::from_ref(item)),
        _ => HashSet::new(),
    }
}

fn resets(item: &Item) -> Vec<(&str, i128)> {
    match item {
        Item::Clocked { resets, .. } => resets.iter().map(|(signal, value)| (signal.name(), *value)).collect(),
        _ => vec![],
    }
}

fn sized(name: &str, signal: &Signal) -> String {
    match signal.width() {
        1 => name.to_string(),
        width => format!("{name}[{width}]"),
    }
}

/// Streams where their valid is declared, other ports where they are.
fn ports(module: &Module, text: &mut String) {
    let all: Vec<&Signal> = module.ports().collect();
    let named = |name: &str| all.iter().any(|port| port.name() == name);
    let groups: Vec<&str> = all
        .iter()
        .filter_map(|port| port.name().strip_suffix("_valid"))
        .filter(|group| named(&format!("{group}_ready")))
        .collect();
    // Of two groups of which one begins as the other, a port is of the longer.
    let group_of = |port: &Signal| {
        let own = groups.iter().filter(|group| port.name().strip_prefix(**group).is_some_and(|r| r.starts_with('_')));
        own.max_by_key(|group| group.len()).copied()
    };
    for port in &all {
        let direction = |port: &Signal| if port.kind().is_output() { "out" } else { "in" };
        let Some(group) = group_of(port) else {
            let _ = writeln!(text, "    {} {}", direction(port), sized(port.name(), port));
            continue;
        };
        if port.name() != format!("{group}_valid") {
            continue;
        }
        let payload = all.iter().filter(|other| group_of(other) == Some(group));
        let payload: Vec<String> = payload
            .map(|other| (&other.name()[group.len() + 1..], *other))
            .filter(|(name, _)| !["valid", "ready"].contains(name))
            .map(|(name, other)| sized(name, other))
            .collect();
        let payload = if payload.is_empty() { String::new() } else { format!(": {}", payload.join(", ")) };
        let _ = writeln!(text, "    {} stream {group}{payload}", direction(port));
    }
}
