//! The scan of one of a band's units: every P-th value of one level, from the unit's number on.

use anyhow::Result;

use super::{Context, Part, depends_on_itself, level_names, name_loops, scan_parts};
use crate::affine::{Affine, fresh};
use crate::diagnostic::Diagnostic;
use crate::offload;
use crate::polyhedral::Program;
use crate::polyhedral::isl::{Constraint, Tuple};
use crate::tiling::Band;
use crate::tiling::units::Units;

/// What each of the units of a band runs.
///
/// # Errors
/// A [`Diagnostic`] where the order inside a tile does not tell the iterators.
pub(super) fn units(program: &Program, band: &Band, context: &Context, units: &Units) -> Result<offload::Units> {
    let statements: Vec<_> = band.statements.iter().map(|&s| &program.statements[s]).collect();
    let names = level_names(&band.date_expressions, &statements, &context.parameters);
    let is_iterator = |name: &String| statements.iter().any(|s| s.iterators.contains(name));
    let is_taken = |name: &String| names.contains(name) || context.parameters.contains(name) || is_iterator(name);
    let unit = fresh("unit".to_string(), is_taken);
    let along = band.directive.schedules[0].theta[units.dimension].to_string();
    // `d = P * d_of_unit + unit`
    let mut own_names = names.clone();
    for &level in &units.levels {
        own_names[level] = fresh(format!("{}_of_{unit}", names[level]), is_taken);
    }
    let value = |name: &String| Affine::variable(name) * units.count + Affine::variable(&unit);

    let mut parameters = context.parameters.clone();
    parameters.push(unit.clone());
    let number = Affine::variable(&unit);
    let mut constraints = context.constraints.clone();
    constraints.push(Constraint::NonNegative(number.clone()));
    constraints.push(Constraint::at_most(number, Affine::constant(units.count - 1)));
    let inside = Context { hull: context.hull.clone(), parameters, constraints };

    let from: Vec<String> = (0..names.len()).map(|k| format!("d{k}")).collect();
    let to: Vec<String> = (0..names.len()).map(|k| format!("u{k}")).collect();
    let mut parts = vec![];
    for (place, (date, &own)) in band.date_expressions.iter().zip(&units.levels).enumerate() {
        let pair = |(k, (d, u)): (usize, (&String, &String))| {
            let value = if k == own { value(u) } else { Affine::variable(u) };
            Constraint::Zero(Affine::variable(d) - value)
        };
        let pairs: Vec<Constraint> = from.iter().zip(&to).enumerate().map(pair).collect();
        let of_unit = band.isl.map(std::slice::from_ref(&unit), Tuple::unnamed(&from), Tuple::unnamed(&to), &pairs)?;
        let all = band.iterations[place].apply_range(&band.dates[place])?.image_of(&band.tile_names)?;
        let set = all.without_tuple_name()?.apply(&of_unit)?;
        let level = |(k, name): (usize, &String)| if k == own { value(name) } else { Affine::variable(name) };
        let levels = own_names.iter().enumerate().map(level);
        let definitions = date.iter().zip(levels).map(|(own, level)| own.clone() - level).collect();
        let in_order = depends_on_itself(program, band.statements[place]);
        parts.push(Part { set, date: date.clone(), definitions, slacks: vec![], in_order });
    }
    let mut scan = scan_parts(program, band, &inside, &own_names, &parts)?.ok_or_else(|| {
        let at = if units.span.line > 0 { units.span } else { band.directive.span };
        Diagnostic::new("the order inside a tile does not tell the iterators, which units need")
            .at(at, "no units here")
            .help("leave the units out, or give a schedule that is a permutation of the loops")
    })?;
    // Where units count along other loops of a statement, this one has its own name.
    name_loops(&mut scan, band, (&names, &own_names), |place, level| units.levels[place] == level);
    Ok(offload::Units { count: units.count, along, name: unit, scan })
}
