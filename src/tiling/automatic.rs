//! Tilings for a kernel that has none: schedules from [`crate::schedule`], with the tile sizes that move the fewest
//! bytes.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};

use crate::diagnostic::Span;
use crate::polyhedral::Program;
use crate::schedule::BandPlan;
use crate::schedule::sizes::{Choice, choose};
use crate::source::kernel::{Kernel, Schedule, TilingDirective};

/// The tilings of all bands, one directive each.
pub type Directives = Vec<TilingDirective>;

/// The best of `plans` whose buffers fit `block_ram_bits` by estimate, or come closest; then better ones, of which only
/// the exact buffers tell whether they fit.
pub fn tilings(
    program: &Program,
    kernel: &Kernel,
    plans: Vec<Vec<BandPlan>>,
    block_ram_bits: u64,
) -> Result<(Directives, Vec<Directives>)> {
    // The sizes that the user runs.
    let usual: BTreeMap<String, i64> =
        kernel.parameters.iter().map(|p| (p.name.clone(), p.default.or(p.max).unwrap_or(1))).collect();
    let best = choose(program, kernel, plans, &usual, block_ram_bits)?
        .into_iter()
        .next()
        .ok_or_else(|| anyhow!("internal error: the kernel has no legal schedule"))?;
    let of = |choices: &[Choice]| -> Directives {
        best.plans.iter().zip(choices).map(|(band, choice)| directive(program, band, choice)).collect()
    };
    let mut better = vec![];
    for (band, tempting) in best.tempting.iter().enumerate() {
        for choice in tempting {
            let mut choices = best.choices.clone();
            choices[band] = choice.clone();
            better.push(of(&choices));
        }
    }
    Ok((of(&best.choices), better))
}

fn directive(program: &Program, band: &BandPlan, choice: &Choice) -> TilingDirective {
    let schedules = (band.statements.iter().zip(choice.theta(band)))
        .map(|(&s, theta)| Schedule { statement: program.statements[s].name.clone(), theta })
        .collect();
    TilingDirective { schedules, sizes: choice.sizes.clone(), lanes: None, span: Span::default() }
}
