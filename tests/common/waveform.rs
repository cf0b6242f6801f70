//! The waveform of an accelerator's run, read back.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use vcd::{Command, IdCode, ScopeItem, Value};

/// The clock cycles in which each process is at work: one entry per word that is loaded or stored, and per cycle in which the
/// compute process is busy. The first rising edge in the waveform is cycle 1.
#[derive(Default)]
pub struct Timeline {
    pub loaded: Vec<u64>,
    pub computed: Vec<u64>,
    pub stored: Vec<u64>,
}

/// Signals of one bit in the scope of `instance`, by name.
fn signals(items: &[ScopeItem], instance: &str, inside: bool, found: &mut HashMap<String, IdCode>) {
    for item in items {
        match item {
            ScopeItem::Scope(scope) => signals(&scope.items, instance, scope.identifier == instance, found),
            ScopeItem::Var(var) if inside && var.size == 1 => {
                found.insert(var.reference.clone(), var.code);
            }
            _ => {}
        }
    }
}

impl Timeline {
    pub fn read(path: &Path) -> Timeline {
        let mut parser = vcd::Parser::new(BufReader::new(File::open(path).expect("the run wrote a VCD")));
        let header = parser.parse_header().expect("a VCD header");
        let mut ids = HashMap::new();
        signals(&header.items, "u_accelerator", false, &mut ids);
        let id = |name: &str| *ids.get(name).unwrap_or_else(|| panic!("{name} is not in the VCD: {:?}", ids.keys()));
        let clk = id("clk");
        let pairs = [
            ("s_read_valid", "s_read_ready"),
            ("compute_is_busy", "compute_is_busy"),
            ("m_write_valid", "m_write_ready"),
        ];
        let pairs = pairs.map(|(valid, ready)| (id(valid), id(ready)));
        let mut state: HashMap<IdCode, Value> = HashMap::new();
        let mut timeline = Timeline::default();
        let mut cycle = 0;
        for command in parser {
            let Ok(Command::ChangeScalar(code, value)) = command else { continue };
            if code == clk && value == Value::V1 {
                // What the rising edge samples is what held before it: the state so far.
                cycle += 1;
                let high = |code: &IdCode| state.get(code) == Some(&Value::V1);
                let targets = [&mut timeline.loaded, &mut timeline.computed, &mut timeline.stored];
                for ((valid, ready), target) in pairs.iter().zip(targets) {
                    if high(valid) && high(ready) {
                        target.push(cycle);
                    }
                }
            }
            state.insert(code, value);
        }
        timeline
    }
}
