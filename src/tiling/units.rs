//! Units: several compute processes, each with buffers of its own, that share the iterations of every tile.
//!
//! With P units along dimension k, unit u runs the iterations with `θ_k mod P = u`, in the order of their dates. What tiles
//! load and store stays as it is: one load process fills the buffers of all units, one store process drains them, and a tile is
//! computed when all have computed it. So values must stay in a unit. They do where every array that the band writes has
//! a subscript that tells the unit: in all references, of reads and writes alike, it is θ_k plus one constant modulo P. Then a cell
//! belongs to one unit, whichever tiles are under way ([`Owner`]). Arrays that are only read are in the buffers of all units, and so
//! is what is read of others in cells that constants tell from all that are written, as another member of a structure.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::Band;
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};
use crate::ids::{ArrayId, ByBand, StatementId};
use crate::offload::{Owner, is_by_data};
use crate::polyhedral::{Access, Program};
use crate::source::kernel::{Kernel, TilingDirective, UnitsDirective};

/// The units of a band.
#[derive(Clone)]
pub struct Units {
    /// A power of two, at least 2.
    pub count: i64,
    /// Along which dimension of the tiles.
    pub dimension: usize,
    /// Per statement the level of its dates that is this dimension. Statements of other levels run one after the other in front of them.
    pub levels: Vec<usize>,
    /// Of each array that has one the subscript that tells the unit.
    pub owners: BTreeMap<ArrayId, Owner>,
    /// The arrays that the band writes.
    written: BTreeSet<ArrayId>,
    pub span: Span,
}

impl Units {
    /// Those that `directive` wants for its `statements`, with the directive that says along which dimension, and what `order` makes of it:
    /// an order inside the tiles, with the statements' dates.
    ///
    /// # Errors
    /// A [`Diagnostic`] where no dimension has so many, with what stands in the way; that of `order`.
    pub(super) fn find<T>(
        program: &Program,
        kernel: &Kernel,
        directive: &TilingDirective,
        statements: &[StatementId],
        order: impl Fn(&TilingDirective) -> Result<T>,
        dates: impl Fn(&T) -> &[Vec<Affine>],
    ) -> Result<(T, TilingDirective, Option<Units>)> {
        let Some(asked) = directive.units.filter(|units| units.count > 1) else {
            return Ok((order(directive)?, directive.clone(), None));
        };
        let UnitsDirective { count, dimension, span } = asked;
        if let Some(lanes) = directive.lanes.filter(|lanes| lanes.count > 1) {
            return Err(at(
                Diagnostic::new(format!("{} lanes and {count} units in one band", lanes.count)),
                place(span, directive),
            )
            .help("a unit runs one iteration per cycle: leave lanes or units out")
            .into());
        }
        let wanted: Vec<usize> = dimension.map_or((0..directive.sizes.len()).collect(), |own| vec![own]);
        let mut refusal: Option<(usize, Obstacle)> = None;
        for k in wanted {
            let found = owners(program, kernel, directive, (statements, k), count);
            let found = match directive.sizes[k] {
                size if size < count => found.and(Err(Obstacle::Short(size))),
                _ => found,
            };
            let obstacle = match found {
                Err(obstacle) => obstacle,
                Ok((owners, written)) => {
                    let units = Some(UnitsDirective { dimension: Some(k), ..asked });
                    let own = TilingDirective { units, ..directive.clone() };
                    let order = order(&own)?;
                    match levels(directive, dates(&order), k) {
                        Ok(levels) => {
                            return Ok((
                                order,
                                own,
                                Some(Units { count, dimension: k, levels, owners, written, span }),
                            ));
                        }
                        Err(obstacle) => obstacle,
                    }
                }
            };
            // What is nearest to being possible tells most.
            if refusal.as_ref().is_none_or(|(_, other)| *other < obstacle) {
                refusal = Some((k, obstacle));
            }
        }
        let (k, obstacle) = refusal.unwrap_or((0, Obstacle::Constant));
        let along = loop_along(kernel, directive, k).map_or(String::new(), |name| format!(" along `{name}`"));
        let (label, help) = obstacle.text(kernel, count);
        Err(at(Diagnostic::new(format!("no {count} units{along}: {label}")), place(span, directive)).help(help).into())
    }
}

/// The user's loop that dimension `k` of a band runs along: by its iterator where there is only one, and whatever is added to it
/// for a statement. Statements outside of the loop have a constant there, which says nothing.
fn loop_along(kernel: &Kernel, directive: &TilingDirective, k: usize) -> Option<String> {
    let thetas = directive.schedules.iter().filter_map(|schedule| schedule.theta.get(k));
    let theta = thetas.map(|theta| kernel.as_written(theta)).find(|theta| !theta.is_constant())?;
    let is_size = |name: &str| kernel.parameters.iter().any(|size| size.name == *name);
    let mut iterators = theta.terms.keys().filter(|name| !is_size(name));
    match (iterators.next(), iterators.next()) {
        (Some(only), None) => Some(only.to_string()),
        _ => Some(theta.to_string()),
    }
}

fn place(span: Span, directive: &TilingDirective) -> Span {
    if span.line > 0 { span } else { directive.span }
}

/// With the place in the source, if somebody has asked there.
fn at(diagnostic: Diagnostic, span: Span) -> Diagnostic {
    if span.line > 0 { diagnostic.at(span, "units") } else { diagnostic }
}

/// The dimensions along which the tiles of a band may have so many units, were they long enough.
pub fn dimensions(program: &Program, kernel: &Kernel, directive: &TilingDirective, count: i64) -> Vec<usize> {
    let statements = super::statements_of(program, directive);
    let may = |k: &usize| owners(program, kernel, directive, (&statements, *k), count).is_ok();
    (0..directive.sizes.len()).filter(may).collect()
}

/// Why there are no units along a dimension: the later, the nearer to being possible.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Obstacle {
    /// Some statement has a constant there.
    Constant,
    /// A value of this array may go from one unit to another.
    Shared(ArrayId),
    /// The order inside tiles has no such level.
    Order,
    /// Tiles have so many values there.
    Short(i64),
}

impl Obstacle {
    /// What it is, and what can be done.
    fn text(&self, kernel: &Kernel, count: i64) -> (String, String) {
        match self {
            Obstacle::Constant => (
                "not all statements of the band run along it".to_string(),
                "units share the iterations of a loop around all statements of the band".to_string(),
            ),
            Obstacle::Shared(array) if is_by_data(kernel, *array) => (
                format!("`{}` is written, and has subscripts of data", kernel.arrays[*array].name),
                "data tell no unit: what units write has affine subscripts, one of which tells the unit".to_string(),
            ),
            Obstacle::Shared(array) => (
                format!("no subscript of `{}` tells the unit in all references", kernel.arrays[*array].name),
                "units run along a loop that is in the same subscript of every reference to an array that is written, as `i` in \
                 `c[i][j] += a[i][k] * b[k][j]`"
                    .to_string(),
            ),
            Obstacle::Order => (
                "the order inside a tile has no such loop".to_string(),
                "give an order that is a permutation of the tile's dimensions".to_string(),
            ),
            Obstacle::Short(size) => (
                format!("a tile has {size} value{} there", if *size == 1 { "" } else { "s" }),
                format!("make the tile at least {count} long, as all units share it"),
            ),
        }
    }
}

/// The levels of the statements' dates that are dimension `k` of their tiles: one for all statements that share loops in front of
/// it, as a unit counts along it by itself.
fn levels(directive: &TilingDirective, dates: &[Vec<Affine>], k: usize) -> std::result::Result<Vec<usize>, Obstacle> {
    let own = dates.iter().zip(&directive.schedules).map(|(date, own)| date.iter().position(|d| *d == own.theta[k]));
    let levels: Vec<usize> = own.collect::<Option<_>>().ok_or(Obstacle::Order)?;
    let pairs = (0..levels.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    for (one, other) in pairs.filter(|(one, other)| levels[*one] != levels[*other]) {
        let tells = |level: usize| {
            let [own, others] = [&dates[one][level], &dates[other][level]];
            own.is_constant() && others.is_constant() && own.constant != others.constant
        };
        if !(0..levels[one].min(levels[other])).any(tells) {
            return Err(Obstacle::Order);
        }
    }
    Ok(levels)
}

/// The subscripts that tell the units along dimension `k`: of every array that the band writes, and of others that have one; and which
/// it writes.
fn owners(
    program: &Program,
    kernel: &Kernel,
    directive: &TilingDirective,
    (statements, k): (&[StatementId], usize),
    count: i64,
) -> std::result::Result<(BTreeMap<ArrayId, Owner>, BTreeSet<ArrayId>), Obstacle> {
    let values: Vec<&Affine> = directive.schedules.iter().map(|schedule| &schedule.theta[k]).collect();
    if values.iter().any(|value| value.is_constant()) {
        return Err(Obstacle::Constant);
    }
    let mut all: BTreeMap<ArrayId, Vec<(&Affine, &Access)>> = BTreeMap::new();
    let mut written: BTreeSet<ArrayId> = BTreeSet::new();
    for (&statement, &value) in statements.iter().zip(&values) {
        for access in &program.statements[statement].accesses {
            all.entry(access.array).or_default().push((value, access));
            if access.write {
                written.insert(access.array);
            }
        }
    }
    let mut owners = BTreeMap::new();
    for (array, accesses) in all {
        let rank = kernel.arrays[array].extents.len();
        match (0..rank).find_map(|subscript| owner(&accesses, subscript, count)) {
            Some(owner) => drop(owners.insert(array, owner)),
            None if written.contains(&array) => return Err(Obstacle::Shared(array)),
            None => {}
        }
    }
    Ok((owners, written))
}

/// The owner by this subscript, where it is the statement's value and one constant modulo `count` in all accesses, but for reads of cells
/// that none of them writes.
fn owner(accesses: &[(&Affine, &Access)], subscript: usize, count: i64) -> Option<Owner> {
    let writes = || accesses.iter().filter(|(_, access)| access.write);
    let is_written = writes().next().is_some();
    let (mut offset, mut shared) = (None, false);
    for (value, access) in accesses {
        let own = access.subscripts.as_ref().and_then(|own| own.get(subscript)).and_then(|own| {
            let distance = own.clone() - (*value).clone();
            let is_multiple = distance.terms.values().all(|factor| factor % count == 0);
            is_multiple.then(|| distance.constant.rem_euclid(count))
        });
        match own.filter(|own| offset.is_none_or(|offset| offset == *own)) {
            Some(own) => offset = Some(own),
            None if is_written && !access.write && writes().all(|(_, write)| write.is_apart(access)) => shared = true,
            None => return None,
        }
    }
    Some(Owner { subscript, count, offset: offset?, shared })
}

/// The owners that all bands have in common, where some have units.
///
/// # Errors
/// A [`Diagnostic`] where bands differ in number, or in whom the cells of an array that is written belong to.
pub fn agreed(kernel: &Kernel, bands: &mut ByBand<Band>) -> Result<()> {
    let Some(first) = bands.iter().find_map(|band| band.units.clone()) else { return Ok(()) };
    let other = bands.iter().find(|band| band.units.as_ref().map(|units| units.count) != Some(first.count));
    if let Some(band) = other {
        let own = band.units.as_ref().map_or(1, |units| units.count);
        let mut values = band.directive.schedules.iter().flat_map(|schedule| &schedule.theta);
        let help = match values.all(Affine::is_constant) {
            true => "statements outside of loops have none: take `lanes`, or leave them to the caller",
            false => "give all bands as many units",
        };
        return Err(Diagnostic::new(format!("{} units in one band, and {own} in another", first.count))
            .at(
                place(band.units.as_ref().map_or(band.directive.span, |units| units.span), &band.directive),
                "others here",
            )
            .help(help)
            .into());
    }
    let touched: BTreeSet<ArrayId> = bands.iter().flat_map(|band| band.touched.iter().copied()).collect();
    let mut common: BTreeMap<ArrayId, Owner> = BTreeMap::new();
    for array in touched {
        let own = |band: &Band| band.units.as_ref().and_then(|units| units.owners.get(&array).copied());
        let of = |units: Option<&Units>| units.is_some_and(|units| units.written.contains(&array));
        let writers = bands.iter().filter(|band| of(band.units.as_ref()));
        let place = |owner: Owner| (owner.subscript, owner.offset);
        let mut owners = writers.filter_map(own);
        let users = || bands.iter().filter(|band| band.touched.contains(&array));
        match owners.next() {
            Some(first) if owners.all(|other| place(other) == place(first)) => {
                let is_other = |band| own(band).is_none_or(|own| own.shared || place(own) != place(first));
                common.insert(array, Owner { shared: users().any(is_other), ..first });
            }
            Some(_) => {
                let message = format!(
                    "no {} units: the bands that write `{}` would give its cells to different units",
                    first.count, kernel.arrays[array].name
                );
                return Err(at(Diagnostic::new(message), place_of(bands, first.span))
                .help("units run along the same subscript of an array in all bands, `units(i:4)` says along which loop")
                .into());
            }
            None => {
                let mut all = users().map(own);
                if let Some(first) = all.next().flatten().filter(|first| all.all(|other| other == Some(*first))) {
                    common.insert(array, first);
                }
            }
        }
    }
    for units in bands.iter_mut().filter_map(|band| band.units.as_mut()) {
        units.owners.clone_from(&common);
    }
    Ok(())
}

fn place_of(bands: &ByBand<Band>, span: Span) -> Span {
    bands.iter().next().map_or(span, |band| place(span, &band.directive))
}
