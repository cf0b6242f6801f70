//! The whole program as one tile, in the order of the source: what its arrays hold stays on chip between all of its loops.

use anyhow::Result;

use super::{Choice, Found, on_ports};
use crate::affine::Affine;
use crate::analysis::Analysis;
use crate::budget;
use crate::diagnostic::Span;
use crate::offload::Offload;
use crate::polyhedral::isl::Exhausted;
use crate::report::demand::Demand;
use crate::source::kernel::{Kernel, Schedule, TilingDirective};

/// Looked at where tiles take so many times the cycles that their words and iterations do.
const SLOW: f64 = 1.5;
/// Taken where it takes this part of the cycles: nothing is loaded or stored beside the iterations then.
const WORTH_IT: f64 = 0.8;
/// Lanes are looked for in it where it takes no more than so many times the cycles without.
const NEAR: f64 = 1.5;
/// isl's operations for it, and where nothing else is found.
const OPERATIONS: u64 = 3_000_000;
const OPERATIONS_ALONE: u64 = 10_000_000;
/// The same for lanes in it.
const LANES_OPERATIONS: u64 = 5_000_000;

impl<F: Fn(&TilingDirective) -> bool> Choice<'_, F> {
    /// What is found in the tiles that are chosen, with the program as one tile put aside, where its arrays fit on chip as a whole and tiles
    /// are much slower than their words and iterations, as those of one value that order many small bands are; the latter where looking
    /// for tiles takes too long. The order of the source is legal in one tile.
    pub(super) fn or_whole(&self, found: Result<Offload>) -> Result<Offload> {
        let cycles = match &found {
            Ok(offload) => self.expected(offload).cycles(),
            Err(error) if error.is::<Exhausted>() => f64::INFINITY,
            Err(_) => return found,
        };
        if let Ok(offload) = &found {
            let link = self.means.board.memory.link();
            let demand = Demand::of(offload, link);
            let least = demand.iterations.max(demand.words(link.widest_word()));
            if demand.is_endless() || cycles <= SLOW * least as f64 || offload.is_one_tile() {
                return found;
            }
        }
        let (phase, before) = (budget::phase(), self.analysis.operations());
        let joined = self.analysis.joined().ok().flatten();
        let candidates: Vec<Found> = joined
            .iter()
            .chain([&self.analysis])
            .filter_map(|analysis| {
                let operations = if found.is_ok() { OPERATIONS } else { OPERATIONS_ALONE };
                let offload = self.as_one_tile(analysis, operations)?;
                let expected = self.expected(&offload);
                Some(Found { count: 1, offload, expected })
            })
            .collect();
        let taken = self.analysis.operations() - before;
        self.begun.set(self.begun.get() + taken);
        self.granted.set(self.granted.get().saturating_add(taken));
        self.tell_what_is_left();
        let best = candidates.into_iter().min_by(|one, other| one.cycles().total_cmp(&other.cycles()));
        match (found, best) {
            (Err(_), Some(whole)) => {
                self.begin_whole();
                Ok(whole.offload)
            }
            (found, whole) => {
                // Where a refusal says that it stopped.
                budget::begin(phase);
                self.aside.replace(whole.filter(|whole| whole.cycles() < NEAR * cycles));
                found
            }
        }
    }

    /// Grants what lanes in one tile may take, behind what was looked at in others.
    pub(super) fn begin_whole(&self) {
        self.probes.set(0);
        self.left.set(self.left.get().map(|_| LANES_OPERATIONS));
        self.begun.set(self.analysis.operations());
        self.granted.set(self.begun.get() + LANES_OPERATIONS);
        self.tell_what_is_left();
    }

    /// Whether the program as one tile is better than the best in others.
    pub(super) fn is_worth_it(&self, whole: &Offload, best: &Offload) -> bool {
        self.expected(whole).cycles() < WORTH_IT * self.expected(best).cycles()
    }

    /// `None` where its arrays have no room, or it takes too long.
    fn as_one_tile(&self, analysis: &Analysis, operations: u64) -> Option<Offload> {
        let tiling = one_tile(analysis.kernel());
        let whole = analysis.offload(&[tiling], &self.means.board.fabric(), Some(operations));
        whole.ok().map(|whole| on_ports(whole, self.means.board))
    }
}

/// All statements at 0.
fn one_tile(kernel: &Kernel) -> TilingDirective {
    let schedule = |name: &String| Schedule { statement: name.clone(), theta: vec![Affine::default()] };
    TilingDirective {
        schedules: kernel.statements().iter().map(|statement| schedule(&statement.name)).collect(),
        sizes: vec![1],
        strip: 1,
        lanes: None,
        units: None,
        order: None,
        span: Span::default(),
    }
}
