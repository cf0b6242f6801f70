//! The scan of a band with lanes: its iterations in groups, and which lanes of a group run.

use anyhow::Result;

use super::Context;
use crate::affine::{Affine, fresh};
use crate::diagnostic::Diagnostic;
use crate::polyhedral::isl::{Constraint, Set, Tuple};
use crate::tiling::Band;

/// A statement's iterations of a tile by groups of lanes.
pub struct Groups {
    /// `[N, T0] -> { [d0, g, d2] }`: convex, and with every group that has a lane that runs.
    pub set: Set,
    /// Over the groups' names: lane l runs where `slack + l * step >= 0` for all; the lane l along one dimension and m along the
    /// other where `slack + l * steps[0] + m * steps[1] >= 0`.
    pub masks: Vec<Mask>,
}

pub struct Mask {
    pub slack: Affine,
    pub steps: Vec<i64>,
}

/// The name of a loop over the groups of the level `names[level]`.
pub fn name(context: &Context, names: &[String], level: usize) -> String {
    new_name(context, names, format!("{}_group", names[level]))
}

/// A name like `base` that stands for nothing else.
fn new_name(context: &Context, names: &[String], base: String) -> String {
    fresh(base, |name| names.contains(name) || context.parameters.contains(name))
}

/// Groups a statement's iterations `set`, `[N, T0] -> { [d0, d1, d2] }` with the dimensions `names`: so many values of each of
/// the levels in `lanes` in a group, whose name the dimension has in `grouped` then.
///
/// # Errors
/// A [`Diagnostic`] where the iterations of a tile are not one convex set.
pub fn group(
    band: &Band,
    context: &Context,
    lanes: &[(i64, usize)],
    (names, grouped): (&[String], &[String]),
    set: &Set,
) -> Result<Groups> {
    let isl = &band.isl;
    let parameters = &context.parameters;
    let known = isl.parameter_set(parameters, &context.constraints)?;
    let set = set.without_tuple_name()?.intersect_params(&known)?.coalesce()?;
    let own = match &set.pieces()?[..] {
        [piece] if piece.locals()? == 0 => piece.constraints(names)?,
        _ => {
            let at = band.directive.lanes.map(|lanes| lanes.span).filter(|span| span.line > 0);
            return Err(Diagnostic::new("the iterations of a tile are not one convex set, which lanes need")
                .at(at.unwrap_or(band.directive.span), "no lanes here")
                .help("leave the lanes out, or split the loops where their conditions have gaps")
                .into());
        }
    };

    let mut known = names.to_vec();
    for base in ["lane", "inner_lane"] {
        known.push(new_name(context, &known, base.to_string()));
    }
    let lane_names = &known[names.len()..][..lanes.len()];

    // `P g <= d < P (g + 1)`
    let from: Vec<String> = (0..names.len()).map(|k| format!("d{k}")).collect();
    let to: Vec<String> = (0..names.len()).map(|k| format!("g{k}")).collect();
    let mut pairs = vec![];
    for (k, (d, g)) in from.iter().zip(&to).enumerate() {
        if let Some((count, _)) = lanes.iter().find(|(_, level)| *level == k) {
            let place = Affine::variable(d) - Affine::variable(g) * *count;
            pairs.push(Constraint::NonNegative(place.clone()));
            pairs.push(Constraint::at_most(place, Affine::constant(count - 1)));
        } else {
            pairs.push(Constraint::Zero(Affine::variable(d) - Affine::variable(g)));
        }
    }
    let hull = set.apply(&isl.map(&[], Tuple::unnamed(&from), Tuple::unnamed(&to), &pairs)?)?.convex()?;

    // What a lane of a group has to fulfil that its group does not say.
    let places = lanes.iter().zip(lane_names);
    let places: Vec<(&String, Affine)> = places
        .map(|(&(count, level), lane)| {
            (&names[level], Affine::variable(&grouped[level]) * count + Affine::variable(lane))
        })
        .collect();
    let at_lane = |affine: &Affine| {
        affine.substitute(|name| match places.iter().find(|(own, _)| *own == name) {
            Some((_, place)) => place.clone(),
            None => Affine::variable(name),
        })
    };
    let demand: Vec<Constraint> = own
        .iter()
        .map(|constraint| match constraint {
            Constraint::Zero(affine) => Constraint::Zero(at_lane(affine)),
            Constraint::NonNegative(affine) => Constraint::NonNegative(at_lane(affine)),
        })
        .collect();
    let mut given = hull.constraints(grouped)?;
    given.extend(context.constraints.iter().cloned());
    for ((count, _), lane) in lanes.iter().zip(lane_names) {
        given.push(Constraint::NonNegative(Affine::variable(lane)));
        given.push(Constraint::at_most(Affine::variable(lane), Affine::constant(count - 1)));
    }
    let dimensions: Vec<String> = grouped.iter().chain(lane_names).cloned().collect();
    let tuple = Tuple::unnamed(&dimensions);
    let given = isl.basic_set(parameters, tuple, &given)?;
    let rest = isl.basic_set(parameters, tuple, &demand)?.gist(&given)?.remove_redundancies()?;
    let mut masks = vec![];
    for constraint in rest.constraints(&dimensions)? {
        let halves = match constraint {
            Constraint::NonNegative(affine) => vec![affine],
            Constraint::Zero(affine) => vec![affine.clone(), -affine],
        };
        for affine in halves {
            let steps: Vec<i64> = lane_names.iter().map(|lane| affine.coefficient(lane)).collect();
            let gains = lane_names.iter().zip(&steps).map(|(lane, step)| Affine::variable(lane) * *step);
            let slack = gains.fold(affine, |slack, gain| slack - gain);
            masks.push(Mask { slack, steps });
        }
    }
    Ok(Groups { set: hull.to_set()?, masks })
}
