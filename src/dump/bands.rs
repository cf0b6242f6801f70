//! Bands: θ, tile sizes, the order inside tiles, and why they are legal.

use std::fmt::Write as _;

use anyhow::Result;

use super::{array_name, set};
use crate::ids::{ByBand, StatementId};
use crate::offload::Offload;
use crate::polyhedral::isl::{Bounded, Set};
use crate::polyhedral::{self, Dependence, Program};
use crate::source::directive_text;
use crate::source::kernel::TilingDirective;
use crate::tiling::{self, Band};

/// isl's operations for the distances of one dependence.
const DISTANCES: u64 = 100_000;

pub fn text(offload: &Offload) -> Result<String> {
    let kernel = &offload.kernel;
    let program = polyhedral::extract(kernel)?;
    let directives: Vec<TilingDirective> = offload.bands.iter().map(|band| band.tiling.clone()).collect();
    let bands = tiling::apply(&program, kernel, &directives)?;
    let mut text = format!("# bands: `{}` in tiles\n", kernel.name);
    for ((number, band), own) in bands.iter_enumerated().zip(&offload.bands) {
        let _ = writeln!(text, "\nband {number}: {}", directive_text(&own.tiling, kernel));
        for ((&s, theta), dates) in band.statements.iter().zip(&band.theta).zip(&band.dates) {
            let statement = &program.statements[s];
            set(&mut text, 4, &format!("θ of {}", statement.name), theta.gist_domain(&statement.domain)?);
            set(&mut text, 4, &format!("order of {}", statement.name), dates.gist_domain(&statement.domain)?);
        }
        let sizes: Vec<String> = band.directive.sizes.iter().map(i64::to_string).collect();
        let _ = writeln!(text, "    tile sizes: {}", sizes.join(" x "));
        set(&mut text, 4, "tiles", band.tiles.gist_params(&program.sizes)?);
        let _ = match band.innermost_distance {
            Some(distance) => writeln!(text, "    innermost dependence: carried over {distance} iterations"),
            None => writeln!(text, "    innermost dependence: none"),
        };
        if let Some(lanes) = &band.lanes {
            let names: Vec<&str> = band.statements.iter().map(|&s| program.statements[s].name.as_str()).collect();
            let _ = writeln!(text, "    lanes: {} along {}", lanes.count(), lanes.along(&names));
        }
    }
    text.push_str(
        "\ndistances of the dependences in θ, smallest to largest in each dimension, and why that is legal:\n",
    );
    if program.dependences.is_empty() {
        text.push_str("    none\n");
    }
    for dependence in &program.dependences {
        let line = legality(&program, &bands, dependence)?;
        let name = |statement: StatementId| &program.statements[statement].name;
        let (source, sink) = (name(dependence.source), name(dependence.sink));
        let through = array_name(kernel, dependence.array);
        let _ = writeln!(text, "    {} of {sink} on {source} through {through}: {line}", dependence.kind);
    }
    Ok(text)
}

/// `(0, 0, 1) to (0, 0, 1023): nothing goes back`
fn legality(program: &Program, bands: &ByBand<Band>, dependence: &Dependence) -> Result<String> {
    let find = |statement: StatementId| {
        let place = |band: &Band| band.statements.iter().position(|s| *s == statement);
        bands.iter_enumerated().find_map(|(number, band)| Some((number, band, place(band)?)))
    };
    let (Some((from, source, a)), Some((to, sink, b))) = (find(dependence.source), find(dependence.sink)) else {
        return Ok("a statement without a band".to_string());
    };
    let common = source.directive.sizes.len().min(sink.directive.sizes.len());
    let first = |band: &Band, place: usize| {
        let rank = band.directive.sizes.len();
        band.theta[place].project_out_outputs(common, rank - common)
    };
    let distances = || -> Result<Set> {
        let (source, sink) = (first(source, a)?, first(sink, b)?);
        let pairs = dependence.relation.apply_domain(&source)?.apply_range(&sink)?;
        pairs.deltas()?.intersect_params(&program.bounded_sizes)?.project_out_all_params()
    };
    let Some(distances) = program.isl.within(DISTANCES, distances)? else {
        return Ok("too many operations to show".to_string());
    };
    let component = |value: Bounded| match value {
        Bounded::Finite(value) => value.to_string(),
        Bounded::Infinite => "infinite".to_string(),
        Bounded::Empty => "none".to_string(),
    };
    if distances.is_empty()? {
        return Ok("for no sizes".to_string());
    }
    let serial = |k: usize| source.directive.sizes[k] == 1 && sink.directive.sizes[k] == 1;
    let (mut least, mut most, mut carried, mut backwards) = (vec![], vec![], None, false);
    for k in 0..common {
        let (low, high) = (distances.minimum(k)?, distances.maximum(k)?);
        if carried.is_none() && serial(k) && low.finite().is_some_and(|low| low > 0) {
            carried = Some(k);
        }
        backwards |= low.finite().is_none_or(|low| low < 0);
        least.push(component(low));
        most.push(component(high));
    }
    let reason = match carried {
        Some(k) => format!("T{k} is serial and carries it"),
        None if from < to => format!("band {from} comes before band {to} where serial dimensions tie"),
        None if !backwards => "nothing goes back".to_string(),
        None => "what goes back has a serial dimension before it".to_string(),
    };
    Ok(format!("({}) to ({}): {reason}", least.join(", "), most.join(", ")))
}
