//! Tilings as text that [`super::read`] reads.

use crate::source::kernel::{Kernel, LanesDirective, Schedule, TilingDirective};

/// The band as a pragma to paste before the kernel's first loop.
pub fn directive_text(tiling: &TilingDirective, kernel: &Kernel) -> String {
    let (tiling, iterators) = tiling.as_written(kernel);
    let statement = |(schedule, loops): (&Schedule, &Vec<String>)| {
        let theta: Vec<String> = schedule.theta.iter().map(ToString::to_string).collect();
        format!("{}[{}] -> ({})", schedule.statement, loops.join(","), theta.join(", "))
    };
    // Numbers count the statements of the text, some of which may never run.
    let statements: Vec<String> = tiling.schedules.iter().zip(&iterators).map(statement).collect();
    let sizes: Vec<String> = tiling.sizes.iter().map(ToString::to_string).collect();
    let lanes = tiling.lanes.map_or(String::new(), |lanes| match lanes.is_automatic() {
        true => " lanes(auto)".to_string(),
        false => format!(" lanes({})", counts(&tiling, lanes)),
    });
    let strip = if tiling.strip > 1 { format!(" strip({})", tiling.strip) } else { String::new() };
    // Else every temporary would be a statement, with a number of its own.
    let wires = if kernel.has_wires { " wires(all)" } else { "" };
    // And so are those that keep panels.
    let names: Vec<&str> = kernel.panels.iter().map(|array| kernel.arrays[*array].name.as_str()).collect();
    let panels = if names.is_empty() { String::new() } else { format!(" panels({})", names.join(", ")) };
    let (statements, sizes) = (statements.join("; "), sizes.join(", "));
    format!("#pragma burstc schedule({statements}) tile({sizes}){strip}{lanes}{wires}{panels}")
}

/// `16`, or the lanes along each dimension of the schedule, `8, 8, 1`.
fn counts(tiling: &TilingDirective, lanes: LanesDirective) -> String {
    let Some(along) = lanes.along else { return lanes.count.to_string() };
    let count = |k: usize| along.iter().find(|own| own.dimension == k).map_or(1, |own| own.count);
    (0..tiling.sizes.len()).map(|k| count(k).to_string()).collect::<Vec<_>>().join(", ")
}
