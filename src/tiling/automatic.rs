//! Tilings for a kernel that has none: schedules from [`crate::schedule`], with the tile sizes that move the fewest
//! bytes.

use anyhow::{Result, anyhow};

use crate::diagnostic::Span;
use crate::ids::{BandId, ByBand};
use crate::polyhedral::Program;
use crate::schedule::BandPlan;
use crate::schedule::sizes::{Choice, Tiled, bits, choose};
use crate::source::kernel::{Kernel, Schedule, TilingDirective};
use crate::tiling::order::{Effort, effort};

/// From this many cycles per iteration on, other tiles are looked at.
const STALLS: f64 = 1.02;
/// Up to so many the dependences are no reason for wider ones.
const FREE: f64 = 1.01;
/// How many of them.
const WIDTHS: usize = 8;
/// isl's operations for each.
const STALL_OPERATIONS: u64 = 800_000;
/// Other tiles are taken where they need this part of the cycles.
const WORTH_IT: f64 = 0.99;
/// How many tilings with longer strips.
const LONG: usize = 12;
/// What the memory moves.
const BYTES_PER_CYCLE: f64 = 4.0;

/// The tilings of all bands, one directive each.
pub type Directives = Vec<TilingDirective>;

/// What burstc chooses for a kernel.
pub struct Tilings {
    /// The best whose buffers fit by estimate, or come closest.
    pub best: Directives,
    /// Better ones, of which only the exact buffers tell whether they fit.
    pub better: Vec<Directives>,
    /// Some whose strips run along several dimensions, the cheapest first; the exact buffers tell whether they fit.
    pub long: Vec<Directives>,
    /// What the best take.
    pub time: Option<Time>,
}

/// Estimates for the sizes that the user runs.
pub struct Time {
    pub cycles: f64,
    /// Iterations, were all writes those of statements of their own.
    pub writes: f64,
}

/// The best of `plans` for buffers of `block_ram_bits`.
pub fn tilings(
    program: &Program,
    kernel: &Kernel,
    plans: Vec<ByBand<BandPlan>>,
    block_ram_bits: u64,
) -> Result<Tilings> {
    // The sizes that the user runs.
    let usual = kernel.usual_sizes();
    let mut best = choose(program, kernel, plans, &usual, block_ram_bits)?
        .into_iter()
        .next()
        .ok_or_else(|| anyhow!("internal error: the kernel has no legal schedule"))?;
    let mut time = Some(Time { cycles: 0.0, writes: 0.0 });
    for band in best.plans.keys() {
        match without_stalls(program, kernel, &best, band, block_ram_bits)? {
            Some((choice, estimate)) => {
                best.choices[band] = choice;
                time = time.map(|all| all.with(&estimate));
            }
            None => time = None,
        }
    }
    let of = |choices: &ByBand<Choice>| -> Directives {
        best.plans.iter().zip(choices).map(|(band, choice)| directive(program, band, choice)).collect()
    };
    let mut better = vec![];
    for (band, tempting) in best.tempting.iter_enumerated() {
        for choice in tempting {
            let mut choices = best.choices.clone();
            choices[band] = choice.clone();
            better.push(of(&choices));
        }
    }
    let long = long(&best).iter().map(&of).collect();
    Ok(Tilings { best: of(&best.choices), better, long, time })
}

/// The best with longer strips: in all bands that have any, then in one of them.
fn long(best: &Tiled) -> Vec<ByBand<Choice>> {
    let most = best.long.iter().map(Vec::len).max().unwrap_or(0).min(LONG);
    let with = |bands: &[BandId], place: usize| -> Option<ByBand<Choice>> {
        let mut choices = best.choices.clone();
        for band in bands {
            choices[*band] = best.long[*band].get(place)?.clone();
        }
        Some(choices)
    };
    let any: Vec<BandId> = best.long.keys().filter(|band| !best.long[*band].is_empty()).collect();
    let mut found: Vec<ByBand<Choice>> = (0..most).filter_map(|place| with(&any, place)).collect();
    if any.len() > 1 {
        found.extend(any.iter().filter_map(|band| with(&[*band], 0)));
    }
    found
}

/// What the tiles of a band take.
struct Estimate {
    effort: Effort,
    /// Memory and computation overlap.
    cycles: f64,
}

impl Time {
    fn with(self, band: &Estimate) -> Time {
        Time { cycles: self.cycles + band.cycles, writes: self.writes + band.effort.writes }
    }
}

/// The tiles of a band in which dependences stall the computation least, where that takes longer than the memory; else the
/// present ones. `None` where an estimate of those takes too long.
fn without_stalls(
    program: &Program,
    kernel: &Kernel,
    tiled: &Tiled,
    band: BandId,
    block_ram_bits: u64,
) -> Result<Option<(Choice, Estimate)>> {
    let (plan, present) = (&tiled.plans[band], &tiled.choices[band]);
    let estimate = |choice: &Choice| {
        let estimate = || -> Result<Estimate> {
            let effort = effort(program, kernel, &directive(program, plan, choice))?;
            Ok(Estimate { cycles: effort.cycles().max(choice.cost / BYTES_PER_CYCLE), effort })
        };
        program.isl.within(STALL_OPERATIONS, estimate)
    };
    let Some(first) = estimate(present)? else { return Ok(None) };
    let is_ample = |estimate: &Estimate, per_iteration: f64| {
        estimate.effort.per_iteration < per_iteration || estimate.cycles > estimate.effort.cycles()
    };
    if is_ample(&first, STALLS) {
        return Ok(Some((present.clone(), first)));
    }
    let fits = |choice: &&Choice| {
        let others = tiled.choices.iter_enumerated().filter(|(other, _)| *other != band).map(|(_, other)| other);
        bits(others.chain([*choice])) <= block_ram_bits as f64
    };
    // The more iterations beside the longest dimension, the more of them wait at the same time.
    let width = |choice: &Choice| match choice.sizes[..] {
        [only] => only,
        _ => choice.sizes.iter().product::<i64>() / choice.sizes.iter().max().copied().unwrap_or(1),
    };
    let now = width(present);
    let mut candidates: Vec<&Choice> =
        tiled.fitting[band].iter().filter(|c| c.cost < first.cycles * BYTES_PER_CYCLE && width(c) > now).collect();
    // Of equal width, the cheapest.
    candidates.sort_by(|a, b| width(a).cmp(&width(b)).then(a.cost.total_cmp(&b.cost)));
    candidates.dedup_by_key(|c| width(c));
    let mut best = (present, first);
    for choice in candidates.into_iter().filter(fits).take(WIDTHS) {
        let Some(other) = estimate(choice)? else { break };
        let is_last = is_ample(&other, FREE);
        if other.cycles < best.1.cycles * WORTH_IT {
            best = (choice, other);
        }
        if is_last {
            break;
        }
    }
    Ok(Some((best.0.clone(), best.1)))
}

fn directive(program: &Program, band: &BandPlan, choice: &Choice) -> TilingDirective {
    let schedules = (band.statements.iter().zip(choice.theta(band)))
        .map(|(&s, theta)| Schedule { statement: program.statements[s].name.clone(), theta })
        .collect();
    TilingDirective {
        schedules,
        sizes: choice.sizes.clone(),
        strip: choice.strip,
        lanes: None,
        units: None,
        order: None,
        span: Span::default(),
    }
}
