//! Tilings as text that [`super::read`] reads.

use crate::source::kernel::{Schedule, TilingDirective};

/// The band as a pragma to paste before the kernel's first loop. `iterators` are those of [`Kernel::iterators`].
///
/// [`Kernel::iterators`]: crate::source::kernel::Kernel::iterators
pub fn directive_text(tiling: &TilingDirective, iterators: &[Vec<String>]) -> String {
    let statement = |schedule: &Schedule| {
        let number = schedule.statement.trim_start_matches('S').parse::<usize>();
        let loops = number.ok().and_then(|number| iterators.get(number)).map(|loops| loops.join(","));
        let theta: Vec<String> = schedule.theta.iter().map(ToString::to_string).collect();
        format!("{}[{}] -> ({})", schedule.statement, loops.unwrap_or_default(), theta.join(", "))
    };
    let statements: Vec<String> = tiling.schedules.iter().map(statement).collect();
    let sizes: Vec<String> = tiling.sizes.iter().map(ToString::to_string).collect();
    let lanes = tiling.lanes.map_or(String::new(), |lanes| format!(" lanes({})", lanes.count));
    format!("#pragma burstc schedule({}) tile({}){lanes}", statements.join("; "), sizes.join(", "))
}
