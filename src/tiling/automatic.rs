//! Tilings for a kernel that has none: schedules from [`crate::schedule`], with the tile sizes that move the fewest
//! bytes.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::diagnostic::Span;
use crate::polyhedral::Program;
use crate::schedule::sizes::{Choice, rank};
use crate::schedule::{BandPlan, candidates};
use crate::source::kernel::{Kernel, Schedule, TilingDirective};

/// Schedules that are compared by the bytes they move.
const PLANS: usize = 6;

/// The share of the block RAM that the estimates may fill, as they are tried one after the other: an estimate may be
/// too low, and several bands share the memory.
const SHARES: [f64; 6] = [1.0, 0.5, 0.25, 0.125, 0.03, 0.0];

/// Tilings that are legal, the most promising first. They fit `block_ram_bits` by estimate; the analysis knows in the
/// end.
pub fn tilings(program: &Program, kernel: &Kernel, block_ram_bits: u64) -> Result<Vec<Vec<TilingDirective>>> {
    let usual: BTreeMap<String, i64> =
        (kernel.parameters.iter()).map(|p| (p.name.clone(), p.default.or(p.max).unwrap_or(1))).collect();
    let mut plans: Vec<(f64, Vec<(BandPlan, Vec<Choice>)>)> = vec![];
    for plan in candidates(program)?.into_iter().take(PLANS) {
        let mut bands = vec![];
        let mut bytes = 0.0;
        for band in plan {
            let choices = rank(program, kernel, &band, &usual, block_ram_bits)?;
            bytes += choices.first().map_or(0.0, |c| c.bytes);
            bands.push((band, choices));
        }
        plans.push((bytes, bands));
    }
    // Stable: equal bytes leave the scheduler's order.
    plans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut tilings: Vec<Vec<TilingDirective>> = vec![];
    let mut described: Vec<Vec<(Vec<usize>, Vec<i64>)>> = vec![];
    for (_, bands) in &plans {
        for share in SHARES {
            let choices: Vec<&Choice> =
                bands.iter().filter_map(|(_, choices)| fitting(choices, share * block_ram_bits as f64)).collect();
            let description: Vec<_> = choices.iter().map(|c| (c.order.clone(), c.sizes.clone())).collect();
            let tiling: Vec<_> =
                bands.iter().zip(choices).map(|((band, _), choice)| directive(program, band, choice)).collect();
            if !described.contains(&description) {
                described.push(description);
                tilings.push(tiling);
            }
        }
        described.clear();
    }
    Ok(tilings)
}

/// The first choice that fits, or the smallest.
fn fitting(choices: &[Choice], bits: f64) -> Option<&Choice> {
    choices.iter().find(|c| c.bits <= bits).or(choices.iter().min_by(|a, b| a.bits.total_cmp(&b.bits)))
}

fn directive(program: &Program, band: &BandPlan, choice: &Choice) -> TilingDirective {
    let schedules = (band.statements.iter().zip(choice.theta(band)))
        .map(|(&s, theta)| Schedule { statement: program.statements[s].name.clone(), theta })
        .collect();
    TilingDirective { schedules, sizes: choice.sizes.clone(), span: Span::default() }
}
