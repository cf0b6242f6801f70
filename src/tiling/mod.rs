//! θ and tile sizes turn a [`Program`] into tiles, band by band. Tile `T[T0, T1, …]` of a band holds the iterations of
//! its statements with `size_k · T_k <= θ_k < size_k · (T_k + 1)`; tiles of all bands run in lexicographic order, those
//! of one strip (all indices but the last ones fixed, of which [`TilingDirective::strip`] tells the number) one after the
//! other with Load(T+1), Compute(T) and Store(T-1) at the same time.

pub mod automatic;
pub mod lane_shape;
mod legality;
mod order;
mod reduction;
pub mod units;

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};

use crate::affine::Affine;
use crate::diagnostic::Diagnostic;
use crate::ids::{ArrayId, ByBand, StatementId};
use crate::polyhedral::flow::add;
use crate::polyhedral::isl::{BasicSet, Constraint, Context, Map, Set, Tuple};
use crate::polyhedral::{Access, Program, Touch};
use crate::source::kernel::{Kernel, Schedule, TilingDirective};
use lane_shape::Banking;
pub use order::{Waits, open_loops};
use units::Units;

/// Statements that run together in tiles. The instances of all of them live in one space `D`, whose dimensions are the
/// order inside a tile.
pub struct Band {
    pub isl: Context,
    /// Names of the size parameters.
    pub parameters: Vec<String>,
    /// `[N] -> { : 0 <= N <= 1024 }`, as far as the parameters have bounds.
    pub bounded_sizes: Set,
    /// Indices into `Program::statements`.
    pub statements: Vec<StatementId>,
    pub directive: TilingDirective,
    /// `T0`, `T1`, …
    pub tile_names: Vec<String>,
    /// `[N] -> { S0[i, j, k] -> [t0, t1, t2] }`, one per statement of the band, over its domain.
    pub theta: Vec<Map>,
    /// `[N] -> { S0[i, j, k] -> D[d0, d1, d2] }`, one per statement of the band, over its domain: when an instance runs
    /// inside its tile. No two instances have the same date.
    pub dates: Vec<Map>,
    /// The same as expressions.
    pub date_expressions: Vec<Vec<Affine>>,
    /// `[N] -> { T[T0, T1, T2] -> S0[i, j, k] }`, one per statement of the band.
    pub iterations: Vec<Map>,
    /// `[N] -> { T[T0, T1, T2] -> D[d0, d1, d2] }`: the instances of all statements.
    pub instances: Map,
    /// The order inside a tile for people.
    pub order: String,
    /// Whether a directive can say it.
    pub has_order_of_dimensions: bool,
    /// The smallest distance of a flow dependence that the innermost dimension of `D` carries alone.
    pub innermost_distance: Option<i64>,
    /// Estimated cycles in which iterations wait for values, over the iterations; of no lanes.
    pub stalls_per_iteration: f64,
    /// Per statement, the tile size along its rows of iterations; 1 where statements alternate.
    pub rows: Vec<i64>,
    pub lanes: Option<lane_shape::Lanes>,
    pub units: Option<Units>,
    /// The arrays that its statements access.
    pub touched: Vec<ArrayId>,
    /// Arrays of which a word must be read late, or iterations would wait.
    pub late: Vec<ArrayId>,
    /// `[N] -> { T[T0, T1, T2] }`: the tiles that have instances.
    pub tiles: Set,
    /// `{ T[T0, T1, T2] -> Strip[T0, T1] }`; `Strip[T0]` where strips run along two dimensions, and so on.
    pub strip: Map,
    /// `{ T[T0, T1, T2] -> [T2] }`, or `[T1, T2]`: when the tile computes. Where strips run along one dimension, it is the
    /// step of the pipeline.
    pub step: Map,
    /// `{ T[T0, T1, T2] -> T[T0, T1, t] : t < T2 }`: the tiles of the strip that run before.
    pub earlier: Map,
    /// `{ T[T0, T1, T2] -> T[T0, T1, t] : t > T2 }`
    pub later: Map,
}

/// Tiles `program` as `directives` say: one band each, in the order in which they run where their leading dimensions
/// tie.
///
/// # Errors
/// A [`Diagnostic`] where the directives are malformed or leave out a statement, and where the tiles would reverse a
/// dependence.
pub fn apply(program: &Program, kernel: &Kernel, directives: &[TilingDirective]) -> Result<ByBand<Band>> {
    for directive in directives {
        require_well_formed(program, directive)?;
    }
    require_each_statement_once(program, directives)?;
    require_lanes_alike(directives)?;
    legality::require_legal(program, kernel, directives)?;
    let lanes = directives.iter().filter_map(|directive| directive.lanes.as_ref()).filter(|lanes| lanes.count > 1);
    let (mut bands, mut banking, mut refusal) = (ByBand::new(), Banking::new(lanes), None);
    for directive in directives {
        let (band, without_lanes) = Band::new(program, kernel, directive, &banking)?;
        band.lanes.iter().for_each(|lanes| lane_shape::join(&mut banking.banked, lanes.banked()));
        refusal = refusal.or(without_lanes);
        bands.push(band);
    }
    require_strips_apart(&bands)?;
    units::agreed(kernel, &mut bands)?;
    match refusal {
        // Bands that have none stay as they are where another has lanes.
        Some(refusal) if bands.iter().all(|band: &Band| band.lanes.is_none()) => Err(refusal.into()),
        _ => Ok(bands),
    }
}

/// The arrays that lanes of these tilings would access along a diagonal, with what makes them differ in the subscript before the last
/// one only: so many times that one, added to the last. None where bands want different ones.
///
/// # Errors
/// Those of [`apply`].
pub fn slants(program: &Program, kernel: &Kernel, directives: &[TilingDirective]) -> Result<BTreeMap<ArrayId, i64>> {
    let mut all: BTreeMap<ArrayId, i64> = BTreeMap::new();
    for directive in directives {
        for (array, slant) in order::slants(program, kernel, directive)? {
            if *all.entry(array).or_insert(slant) != slant {
                return Ok(BTreeMap::new());
            }
        }
    }
    Ok(all)
}

/// No tile of another band runs between the tiles of a strip of several dimensions.
fn require_strips_apart(bands: &ByBand<Band>) -> Result<()> {
    let several = |band: &&Band| band.directive.strip > 1;
    let Some(band) = bands.iter().find(several).filter(|_| Band::alternate(bands)) else { return Ok(()) };
    let strip = band.directive.strip;
    Err(Diagnostic::new(format!("tiles of another band may run between those of a strip of {strip} dimensions"))
        .at(band.directive.span, "this band")
        .help(
            "tell the bands apart by constants of tile size 1 before the dimensions of the strip, or leave `strip` out",
        )
        .into())
}

/// Where the lanes of all bands lie along one dimension, buffers in banks have as many in every band.
fn require_lanes_alike(directives: &[TilingDirective]) -> Result<()> {
    let lanes = || directives.iter().filter_map(|directive| directive.lanes).filter(|lanes| lanes.count > 1);
    let Some(first) = lanes().next().filter(|_| lanes().all(|lanes| lanes.along.is_none())) else { return Ok(()) };
    match lanes().find(|other| other.count != first.count) {
        Some(other) => Err(Diagnostic::new(format!("{} lanes here, and {} in another band", other.count, first.count))
            .at(other.span, "another number of lanes")
            .help("give all bands as many lanes, or none")
            .into()),
        None => Ok(()),
    }
}

impl Band {
    /// Also says why it has no lanes, where all bands may have them; `banking` is what bands before have in banks.
    fn new(
        program: &Program,
        kernel: &Kernel,
        directive: &TilingDirective,
        banking: &Banking,
    ) -> Result<(Band, Option<Diagnostic>)> {
        let isl = &program.isl;
        let parameters = &program.parameters;
        let n = directive.sizes.len();
        let tile_names = kernel.tile_names(n);
        let tile = Tuple { name: "T", dimensions: &tile_names };
        let statements = statements_of(program, directive);

        let theta = theta(program, directive, &statements)?;
        let mut iterations = vec![];
        for (&s, schedule) in statements.iter().zip(&directive.schedules) {
            let statement = &program.statements[s];
            let tuple = Tuple { name: &statement.name, dimensions: &statement.iterators };
            let mut bounds = vec![];
            for ((name, value), &size) in tile_names.iter().zip(&schedule.theta).zip(&directive.sizes) {
                let offset = value.clone() - Affine::variable(name) * size;
                bounds.push(Constraint::at_most(offset.clone(), Affine::constant(size - 1)));
                bounds.push(Constraint::NonNegative(offset));
            }
            iterations.push(isl.map(parameters, tile, tuple, &bounds)?.intersect_range(&statement.domain)?);
        }
        let choose = |own: &TilingDirective| order::choose(program, kernel, own, &statements, &theta, banking);
        let (order, directive, units) =
            Units::find(program, kernel, directive, &statements, choose, |order| &order.expressions)?;
        let accesses = statements.iter().flat_map(|s| &program.statements[*s].accesses);
        let touched = accesses.map(|access| access.array).collect();

        let mut all: Option<(Set, Map)> = None;
        for (iterations, dates) in iterations.iter().zip(&order.dates) {
            let (tiles, instances) = (iterations.domain()?, iterations.apply_range(dates)?);
            all = Some(match all {
                Some((others, known)) => (others.union(&tiles)?, known.union(&instances)?),
                None => (tiles, instances),
            });
        }
        let (tiles, instances) = all.ok_or_else(|| anyhow!("internal error: a band without a statement"))?;
        let (outer, inner) = tile_names.split_at(directive.strip_indices());
        let indices = |names: &[String]| names.iter().map(Affine::variable).collect::<Vec<_>>();
        let strip = isl.function(parameters, tile, Tuple { name: "Strip", dimensions: outer }, &indices(outer))?;
        let step = isl.function(parameters, tile, Tuple::anonymous(), &indices(inner))?;
        let same_strip = strip.apply_range(&strip.reverse()?)?;
        let earlier = same_strip.intersect(&step.lex_gt_map(&step)?)?;
        let later = same_strip.intersect(&step.lex_lt_map(&step)?)?;
        let band = Band {
            isl: isl.clone(),
            parameters: parameters.clone(),
            bounded_sizes: program.bounded_sizes.clone(),
            directive,
            tiles: tiles.coalesce()?,
            instances: instances.coalesce()?,
            order: order.text,
            has_order_of_dimensions: order.is_of_dimensions,
            innermost_distance: order.innermost_distance,
            stalls_per_iteration: order.stalls_per_iteration,
            rows: order.rows,
            lanes: order.lanes,
            units,
            touched,
            late: order.late,
            dates: order.dates,
            date_expressions: order.expressions,
            tile_names,
            statements,
            theta,
            iterations,
            strip,
            step,
            earlier,
            later,
        };
        Ok((band, order.without_lanes))
    }

    /// When the tiles of each band run, over the band's tile indices: the tiles of all bands run in the lexicographic order of
    /// these vectors, and where they are equal in the order of the bands. All are as long as the longest, padded with 0.
    pub fn run_dates(bands: &ByBand<Band>) -> ByBand<Vec<Affine>> {
        let rank = bands.iter().map(|band| band.tile_names.len()).max().unwrap_or(1);
        let date = |band: &Band| -> Vec<Affine> {
            let index = |(k, name)| band.constant_index(k).unwrap_or(Affine::variable(name));
            let own = band.tile_names.iter().enumerate().map(index);
            own.chain(std::iter::repeat(Affine::default())).take(rank).collect()
        };
        bands.iter().map(date).collect()
    }

    /// Whether tiles of two bands may run in turns: no dimension in front of all that change along a strip of either has two
    /// constants for them.
    pub fn alternate(bands: &ByBand<Band>) -> bool {
        let dates = Band::run_dates(bands);
        let first_of_strip = |(band, date): (&Band, &Vec<Affine>)| {
            let mut along = band.directive.strip_indices()..band.tile_names.len() - 1;
            along.find(|k| !date[*k].is_constant()).unwrap_or(band.tile_names.len() - 1)
        };
        let last: Vec<usize> = bands.iter().zip(&dates).map(first_of_strip).collect();
        let differs = |(one, other): (&Affine, &Affine)| {
            one.is_constant() && other.is_constant() && one.constant != other.constant
        };
        let pairs = || (0..last.len()).flat_map(|one| (one + 1..last.len()).map(move |other| (one, other)));
        pairs().any(|(one, other)| {
            let common = 1 + last[one].min(last[other]);
            !dates.raw[one].iter().zip(&dates.raw[other]).take(common).any(differs)
        })
    }

    /// The tiles as the hardware walks them: convex, so that they come in lexicographic order and every row of them is one
    /// interval. Where the tiles with iterations are not convex, it also holds tiles without any: they load, compute and
    /// store nothing.
    pub fn walked(&self) -> Result<BasicSet> {
        self.tiles.intersect_params(&self.bounded_sizes)?.without_tuple_name()?.convex()
    }

    /// The tile index in dimension `k` where it is one constant for all statements of the band.
    fn constant_index(&self, k: usize) -> Option<Affine> {
        let mut theta = self.directive.schedules.iter().map(|s| &s.theta[k]);
        let first = theta.next().filter(|first| first.is_constant() && theta.all(|other| other == *first))?;
        Some(Affine::constant(first.constant.div_euclid(self.directive.sizes[k])))
    }

    /// `[N] -> { D[d0, d1] -> c[m] }`: what the instances of all statements of the band touch of one array; `None` where
    /// there is no such access among those that `is_one` lets through.
    pub fn accesses(
        &self,
        program: &Program,
        array: ArrayId,
        touch: Touch,
        is_one: impl Fn(&Access) -> bool,
    ) -> Result<Option<Map>> {
        let mut union: Option<Map> = None;
        for (&s, dates) in self.statements.iter().zip(&self.dates) {
            if let Some(accesses) = program.statements[s].accesses_among(array, touch, &is_one)? {
                add(&mut union, accesses.apply_domain(dates)?)?;
            }
        }
        union.map(|map| map.coalesce()).transpose()
    }
}

/// `[N] -> { S0[i, j, k] -> [t0, t1, t2] }`, θ of these statements, over their domains.
fn theta(program: &Program, directive: &TilingDirective, statements: &[StatementId]) -> Result<Vec<Map>> {
    let of = |(&s, schedule): (&StatementId, &Schedule)| {
        let statement = &program.statements[s];
        let tuple = Tuple { name: &statement.name, dimensions: &statement.iterators };
        let map = program.isl.function(&program.parameters, tuple, Tuple::anonymous(), &schedule.theta)?;
        map.intersect_domain(&statement.domain)
    };
    statements.iter().zip(&directive.schedules).map(of).collect()
}

/// The statements that a directive names, in its order.
fn statements_of(program: &Program, directive: &TilingDirective) -> Vec<StatementId> {
    let index = |name: &String| program.statements.position(|s| s.name == *name);
    directive.schedules.iter().filter_map(|s| index(&s.statement)).collect()
}

fn require_well_formed(program: &Program, directive: &TilingDirective) -> Result<()> {
    let at = |message: String, label: &str, help: &str| {
        Err(Diagnostic::new(message).at(directive.span, label).help(help).into())
    };
    if let Some(size) = directive.sizes.iter().find(|s| **s < 1) {
        return at(format!("a tile size of {size}"), "too small", "a tile size is at least 1");
    }
    if !(1..=directive.sizes.len().max(1)).contains(&directive.strip) {
        let message = format!("a strip of {} dimensions, and tiles of {}", directive.strip, directive.sizes.len());
        return at(message, "no such strip", "a strip runs along one dimension of the tiles or more");
    }
    for schedule in &directive.schedules {
        let Some(statement) = program.statements.iter().find(|s| s.name == schedule.statement) else {
            let help = "statements are named S0, S1, … in the order of the text";
            return at(format!("there is no statement `{}`", schedule.statement), "unknown statement", help);
        };
        if schedule.theta.is_empty() {
            return at("the tiling has no dimension".into(), "empty", "name the loops to tile: `tile(i:32, j:32)`");
        }
        if schedule.theta.len() != directive.sizes.len() {
            return at(
                format!("{} tile sizes for {} dimensions", directive.sizes.len(), schedule.theta.len()),
                "numbers differ",
                "give one size per dimension of the schedule",
            );
        }
        for (name, theta) in schedule.theta.iter().flat_map(|t| t.terms.keys().map(move |n| (n, t))) {
            if !statement.iterators.contains(name) && !program.parameters.contains(name) {
                return at(
                    format!("`{name}` in `{theta}` is neither a loop iterator nor a size parameter"),
                    "unknown name",
                    "schedules are affine in the loop iterators and the size parameters",
                );
            }
        }
    }
    Ok(())
}

fn require_each_statement_once(program: &Program, directives: &[TilingDirective]) -> Result<()> {
    let is_named = |s: &&crate::polyhedral::Statement| {
        directives.iter().flat_map(|d| &d.schedules).any(|schedule| schedule.statement == s.name)
    };
    let missing: Vec<_> = program.statements.iter().filter(|s| !is_named(s)).collect();
    if let ([first, ..], Some(last)) = (&missing[..], directives.last()) {
        let names: Vec<String> = missing.iter().map(|s| format!("`{}` (line {})", s.name, s.span.line)).collect();
        return Err(Diagnostic::new(format!("the schedules leave out {}", names.join(", ")))
            .at(last.span, format!("no `{}`", first.name))
            .help("every statement is in one band; they are named S0, S1, … in the order of the text")
            .into());
    }
    for statement in &program.statements {
        let mut of = directives.iter().filter(|d| d.schedules.iter().any(|s| s.statement == statement.name));
        let Some(second) = of.nth(1) else { continue };
        return Err(Diagnostic::new(format!("two tilings name the statement {}", statement.name))
            .at(second.span, "this one")
            .help("give every statement one place, or leave all tilings out: burstc then finds its own")
            .into());
    }
    Ok(())
}

fn tuple_text<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<_> = items.into_iter().map(|i| i.to_string()).collect();
    format!("({})", items.join(", "))
}

/// θ as the user reads it: `(i - j, i)`, or `S0 (i, 0), S1 (i, j)` for several statements.
pub fn theta_text(directive: &TilingDirective) -> String {
    match &directive.schedules[..] {
        [only] => tuple_text(&only.theta),
        all => {
            let all: Vec<_> = all.iter().map(|s| format!("{} {}", s.statement, tuple_text(&s.theta))).collect();
            all.join(", ")
        }
    }
}
