//! Whether tiles that run one after the other respect every dependence.

use anyhow::Result;
use typed_index_collections::TiSlice;

use super::{theta_text, tuple_text};
use crate::affine::Affine;
use crate::diagnostic::Diagnostic;
use crate::ids::{BandId, StatementId};
use crate::polyhedral::isl::{Constraint, Map, Set, Tuple};
use crate::polyhedral::{Dependence, Program};
use crate::schedule::legality::{Dimension, Verdict, verdict};
use crate::source::kernel::{Kernel, TilingDirective};

/// [`verdict`] of every dependence, where dimensions of tile size 1 are sequential; what no dimension orders, the order of
/// the bands may.
///
/// # Errors
/// A [`Diagnostic`] that names the first dependence that is not respected, with its distance.
pub(super) fn require_legal(program: &Program, kernel: &Kernel, directives: &[TilingDirective]) -> Result<()> {
    // One band per directive.
    let directives: &TiSlice<BandId, TilingDirective> = directives.as_ref();
    let band_of = |statement: StatementId| {
        let name = &program.statements[statement].name;
        directives.position(|d| d.schedules.iter().any(|s| s.statement == *name)).unwrap_or_default()
    };
    for dependence in &program.dependences {
        let (source, sink) = (band_of(dependence.source), band_of(dependence.sink));
        let (from, to) = (&directives[source], &directives[sink]);
        let n = from.sizes.len().min(to.sizes.len());
        let rows = [(from, dependence.source), (to, dependence.sink)].map(|(d, s)| rows(program, d, s));
        let dimension = |k: usize| Dimension {
            source: rows[0][k].clone(),
            sink: rows[1][k].clone(),
            sequential: from.sizes[k] == 1 && to.sizes[k] == 1,
        };
        match verdict(program, dependence, source == sink, (0..n).map(dimension))? {
            Verdict::Carried => {}
            Verdict::Reversed { position, pairs } => {
                let distances = pairs
                    .relation()
                    .apply_domain(&theta(program, dependence.source, &rows[0][..n])?)?
                    .apply_range(&theta(program, dependence.sink, &rows[1][..n])?)?
                    .deltas()?;
                let distance = shortest(&at_most(&distances, position, -1)?)?.unwrap_or_default();
                return Err(reversed(program, kernel, dependence, (to, position), &distance).into());
            }
            Verdict::Tied(pairs) => {
                let is_open = source > sink || (source != sink && n > 0 && !ties_break(from, to, n));
                if is_open && !pairs.is_empty()? {
                    return Err(unordered(program, kernel, dependence, to).into());
                }
            }
        }
    }
    Ok(())
}

/// Whether equal leading indices leave the order of the two bands to their order in the text: all dimensions that both
/// have run one value after the other.
fn ties_break(from: &TilingDirective, to: &TilingDirective, n: usize) -> bool {
    (0..n).all(|k| from.sizes[k] == 1 && to.sizes[k] == 1)
}

/// θ of a statement.
fn rows<'a>(program: &Program, directive: &'a TilingDirective, statement: StatementId) -> &'a [Affine] {
    let name = &program.statements[statement].name;
    directive.schedules.iter().find(|s| s.statement == *name).map_or(&[][..], |s| &s.theta)
}

/// `{ S0[i, j] -> [t0, t1] }` for the values `rows`.
fn theta(program: &Program, statement: StatementId, values: &[Affine]) -> Result<Map> {
    let statement = &program.statements[statement];
    let tuple = Tuple { name: &statement.name, dimensions: &statement.iterators };
    program.isl.function(&program.parameters, tuple, Tuple::anonymous(), values)
}

fn dependence_text(program: &Program, kernel: &Kernel, dependence: &Dependence) -> String {
    format!(
        "{} dependence of {} on {} through `{}`",
        dependence.kind,
        program.statements[dependence.sink].name,
        program.statements[dependence.source].name,
        kernel.arrays[dependence.array].name
    )
}

fn reversed(
    program: &Program,
    kernel: &Kernel,
    dependence: &Dependence,
    (directive, position): (&TilingDirective, usize),
    distance: &[i64],
) -> Diagnostic {
    let name = &program.statements[dependence.sink].name;
    let backwards = directive.schedules.iter().find(|s| s.statement == *name).map(|s| &s.theta[position]);
    Diagnostic::new(format!(
        "the tiling reverses a dependence: {}, distance {} in {}",
        dependence_text(program, kernel, dependence),
        tuple_text(distance),
        theta_text(directive)
    ))
    .at(directive.span, format!("`{}` goes backwards", backwards.cloned().unwrap_or_default()))
    .help("every dependence must have distances of at least 0 in every dimension; skew the schedule")
}

fn unordered(program: &Program, kernel: &Kernel, dependence: &Dependence, directive: &TilingDirective) -> Diagnostic {
    let text = dependence_text(program, kernel, dependence);
    Diagnostic::new(format!("two bands are not in sequence, but a dependence joins them: {text}"))
        .at(directive.span, "this band")
        .help("begin the schedules of both with a constant of tile size 1: 0 in the first band, 1 in the second")
}

/// The points whose dimension `position` is at most `bound`.
fn at_most(set: &Set, position: usize, bound: i64) -> Result<Set> {
    let names: Vec<String> = (0..set.dimensions()?).map(|k| format!("d{k}")).collect();
    let tuple = Tuple::unnamed(&names);
    let half = Constraint::at_most(Affine::variable(&names[position]), Affine::constant(bound));
    set.without_tuple_name()?.intersect(&set.context().set(&[], tuple, &[half])?)
}

/// The vector of the set with the smallest sum of absolute values, whatever the parameters; ties go to the
/// lexicographically largest.
fn shortest(set: &Set) -> Result<Option<Vec<i64>>> {
    let set = set.project_out_all_params()?.without_tuple_name()?;
    if set.is_empty()? {
        return Ok(None);
    }
    let n = set.dimensions()?;
    let vector: Vec<String> = (0..n).map(|k| format!("d{k}")).collect();
    let measured: Vec<String> =
        std::iter::once("length".to_string()).chain((0..n).map(|k| format!("minus{k}"))).collect();
    let length = Affine::variable("length");
    let mut constraints: Vec<Constraint> =
        (0..n).map(|k| Constraint::Zero(Affine::variable(&vector[k]) + Affine::variable(&measured[k + 1]))).collect();
    for signs in 0..1u32 << n {
        let sum = (0..n).fold(Affine::default(), |sum, k| {
            sum + Affine::variable(&vector[k]) * if signs >> k & 1 == 1 { -1 } else { 1 }
        });
        constraints.push(Constraint::at_most(sum, length.clone()));
    }
    let measure = set.context().map(&[], Tuple::unnamed(&vector), Tuple::unnamed(&measured), &constraints)?;
    let least = set.apply(&measure)?.least_point()?;
    Ok(least.map(|point| point[1..].iter().map(|v| -v).collect()))
}
