//! Tilings as text that [`super::read`] reads.

use crate::source::kernel::{Kernel, Schedule, TilingDirective};

/// The band as a pragma to paste before the kernel's first loop.
pub fn directive_text(tiling: &TilingDirective, kernel: &Kernel) -> String {
    let iterators = kernel.iterators();
    let statements = kernel.statements();
    let statement = |schedule: &Schedule| {
        // Numbers count the statements of the text, some of which may never run.
        let place = statements.position(|s| s.name == schedule.statement);
        let loops = place.map(|place| iterators[place].join(","));
        let theta: Vec<String> = schedule.theta.iter().map(ToString::to_string).collect();
        format!("{}[{}] -> ({})", schedule.statement, loops.unwrap_or_default(), theta.join(", "))
    };
    let statements: Vec<String> = tiling.schedules.iter().map(statement).collect();
    let sizes: Vec<String> = tiling.sizes.iter().map(ToString::to_string).collect();
    let lanes = tiling.lanes.map_or(String::new(), |lanes| format!(" lanes({})", lanes.count));
    format!("#pragma burstc schedule({}) tile({}){lanes}", statements.join("; "), sizes.join(", "))
}
