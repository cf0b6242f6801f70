//! Tilings as text that [`super::read`] reads.

use crate::affine::Affine;
use crate::source::kernel::{Kernel, LanesDirective, Schedule, TilingDirective};

/// The band as a pragma to paste before the kernel's first loop.
pub fn directive_text(tiling: &TilingDirective, kernel: &Kernel) -> String {
    let (tiling, iterators) = tiling.as_written(kernel);
    let statement = |(schedule, loops): (&Schedule, &Vec<String>)| named(&schedule.statement, loops, &schedule.theta);
    // Numbers count the statements of the text, some of which may never run; what has none is not of the text.
    let is_numbered = |(schedule, _): &(&Schedule, &Vec<String>)| {
        schedule.statement.strip_prefix('S').is_some_and(|number| number.parse::<usize>().is_ok())
    };
    let written = || tiling.schedules.iter().zip(&iterators).filter(is_numbered);
    let statements: Vec<String> = written().map(statement).collect();
    let sizes: Vec<String> = tiling.sizes.iter().map(ToString::to_string).collect();
    let lanes = tiling.lanes.map_or(String::new(), |lanes| match lanes.is_automatic() {
        true => " lanes(auto)".to_string(),
        false => format!(" lanes({})", counts(&tiling, lanes)),
    });
    let units = tiling.units.map_or(String::new(), |units| match units.dimension {
        None => format!(" units({})", units.count),
        Some(own) => {
            let count = |k: usize| if k == own { units.count } else { 1 };
            format!(" units({})", (0..tiling.sizes.len()).map(|k| count(k).to_string()).collect::<Vec<_>>().join(", "))
        }
    });
    let strip = if tiling.strip > 1 { format!(" strip({})", tiling.strip) } else { String::new() };
    let order = tiling.order.as_ref().map_or(String::new(), |order| {
        let date = |(schedule, loops): (&Schedule, &Vec<String>)| {
            let own = order.dates.iter().find(|date| date.statement == schedule.statement)?;
            Some(named(&own.statement, loops, &own.theta))
        };
        let dates: Vec<String> = written().filter_map(date).collect();
        format!(" order({})", dates.join("; "))
    });
    // Else every temporary would be a statement, with a number of its own.
    let wires = if kernel.has_wires { " wires(all)" } else { "" };
    // And so are those that keep panels.
    let names: Vec<&str> = kernel.panels.iter().map(|array| kernel.arrays[*array].name.as_str()).collect();
    let panels = if names.is_empty() { String::new() } else { format!(" panels({})", names.join(", ")) };
    let (statements, sizes) = (statements.join("; "), sizes.join(", "));
    format!("#pragma burstc schedule({statements}) tile({sizes}){strip}{lanes}{units}{order}{wires}{panels}")
}

/// Pragmas that say which arguments lie by tiles in memory, and whether arrays have a buffer for each of their uses.
pub fn storage_directives(layouts: &[String], uses: Option<bool>) -> Vec<String> {
    let layout = (!layouts.is_empty()).then(|| format!("#pragma burstc layout({}: tiles)", layouts.join(", ")));
    let uses = uses.map(|apart| format!("#pragma burstc uses({})", if apart { "apart" } else { "together" }));
    layout.into_iter().chain(uses).collect()
}

/// The order inside the tiles of a band, whose statements are `(name, iterators, date)`, as a directive to put beside them.
pub fn order_text(statements: &[(&str, &[String], &[Affine])]) -> String {
    match statements {
        [(_, _, date)] => format!("order({})", list(date)),
        all => {
            let all: Vec<String> = all.iter().map(|(name, loops, date)| named(name, loops, date)).collect();
            format!("order({})", all.join("; "))
        }
    }
}

/// `S0[i,j] -> (i, j)`
fn named(statement: &str, loops: &[String], values: &[Affine]) -> String {
    format!("{statement}[{}] -> ({})", loops.join(","), list(values))
}

fn list(values: &[Affine]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// `16`, or the lanes along each dimension of the schedule and each loop that it leaves open, `8, 1, 8`.
fn counts(tiling: &TilingDirective, lanes: LanesDirective) -> String {
    let Some(along) = lanes.along else { return lanes.count.to_string() };
    let count = |k: usize| along.iter().find(|own| own.dimension == k).map_or(1, |own| own.count);
    let open = along.iter().map(|own| own.dimension + 1).max().unwrap_or(0);
    (0..tiling.sizes.len().max(open)).map(|k| count(k).to_string()).collect::<Vec<_>>().join(", ")
}
