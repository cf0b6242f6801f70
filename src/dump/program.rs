//! The polyhedral model: isl's sets and relations of every statement.

use std::fmt::Write as _;

use anyhow::Result;

use super::{array_name, set};
use crate::ids::StatementId;
use crate::polyhedral;
use crate::source::kernel::Kernel;

pub fn text(kernel: &Kernel) -> Result<String> {
    let program = polyhedral::extract(kernel)?;
    let mut text = format!("# program: `{}` in sets\n", kernel.name);
    set(&mut text, 0, "sizes", &program.bounded_sizes);
    for (statement, written) in program.statements.iter().zip(kernel.statements()) {
        let _ = writeln!(text, "\n{}, line {}: {}", statement.name, statement.span.line, written.text);
        set(&mut text, 4, "domain", &statement.domain);
        set(&mut text, 4, "schedule", statement.schedule.gist_domain(&statement.domain)?);
        for access in &statement.accesses {
            let what = if access.write { "writes" } else { "reads" };
            let cells = access.may.gist_domain(&statement.domain)?;
            set(&mut text, 4, &format!("{what} {}", array_name(kernel, access.array)), cells);
        }
    }
    text.push_str("\ndependences:\n");
    if program.dependences.is_empty() {
        text.push_str("    none\n");
    }
    for dependence in &program.dependences {
        let name = |statement: StatementId| &program.statements[statement].name;
        let (source, sink) = (name(dependence.source), name(dependence.sink));
        let through = array_name(kernel, dependence.array);
        let what = format!("{} of {sink} on {source} through {through}", dependence.kind);
        set(&mut text, 4, &what, dependence.relation.gist_params(&program.sizes)?);
    }
    Ok(text)
}
