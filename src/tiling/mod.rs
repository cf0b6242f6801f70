//! θ and tile sizes turn a [`Program`] into tiles. Tile `T[T0, T1, …]` holds the iterations with
//! `size_k · T_k <= θ_k < size_k · (T_k + 1)`; tiles run in lexicographic order, those of one strip (all indices but
//! the last fixed) one after the other with Load(T+1), Compute(T) and Store(T-1) at the same time.

use anyhow::Result;

use crate::affine::Affine;
use crate::diagnostic::Diagnostic;
use crate::polyhedral::Program;
use crate::polyhedral::isl::{Constraint, Map, Set, Tuple};
use crate::source::kernel::{Kernel, Node, TilingDirective};

/// A program with a legal tiling.
pub struct TiledProgram {
    pub program: Program,
    pub directive: TilingDirective,
    /// `T0`, `T1`, …
    pub tile_names: Vec<String>,
    /// `[N] -> { S0[i, j, k] -> [t0, t1, t2] }`, one per statement, over its domain.
    pub theta: Vec<Map>,
    /// `[N] -> { T[T0, T1, T2] -> S0[i, j, k] : 32T0 <= i < 32T0 + 32 and … }`, one per statement.
    pub iterations: Vec<Map>,
    /// `[N] -> { T[T0, T1, T2] }`: the tiles that have iterations.
    pub tiles: Set,
    /// `{ T[T0, T1, T2] -> Strip[T0, T1] }`
    pub strip: Map,
    /// `{ T[T0, T1, T2] -> [T2] }`: the pipeline step in which the tile computes.
    pub step: Map,
    /// `{ T[T0, T1, T2] -> T[T0, T1, t] : t < T2 }`
    pub earlier: Map,
    /// `{ T[T0, T1, T2] -> T[T0, T1, t] : t > T2 }`
    pub later: Map,
}

/// Tiles `program` as the kernel's directive says.
///
/// # Errors
/// A [`Diagnostic`] where there is no directive, where θ gives two iterations one place, and where a dependence has a
/// negative distance in a dimension of θ (then the band is not permutable and tiles cannot run one after the other).
pub fn apply(program: Program, kernel: &Kernel) -> Result<TiledProgram> {
    let directive = directive(kernel)?.clone();
    require_well_formed(&program, &directive)?;
    let isl = &program.isl;
    let parameters = &program.parameters;
    let n = directive.theta().len();
    let tile_names: Vec<String> = (0..n).map(|k| format!("T{k}")).collect();
    let tile = Tuple { name: "T", dimensions: &tile_names };

    let mut theta = vec![];
    let mut iterations = vec![];
    for statement in &program.statements {
        let tuple = Tuple { name: &statement.name, dimensions: &statement.iterators };
        theta.push(
            isl.function(parameters, tuple, Tuple::anonymous(), directive.theta())?
                .intersect_domain(&statement.domain)?,
        );
        let mut bounds = vec![];
        for ((name, value), &size) in tile_names.iter().zip(directive.theta()).zip(&directive.sizes) {
            let offset = value.clone() - Affine::variable(name) * size;
            bounds.push(Constraint::at_most(offset.clone(), Affine::constant(size - 1)));
            bounds.push(Constraint::NonNegative(offset));
        }
        iterations.push(isl.map(parameters, tile, tuple, &bounds)?.intersect_range(&statement.domain)?);
    }
    for (statement, theta) in program.statements.iter().zip(&theta) {
        require_injective(&statement.iterators, theta, &directive)?;
    }
    require_permutable(&program, kernel, &theta, &directive)?;

    let mut tiles = iterations[0].domain()?;
    for iterations in &iterations[1..] {
        tiles = tiles.union(&iterations.domain()?)?;
    }
    let outer: Vec<Affine> = tile_names[..n - 1].iter().map(Affine::variable).collect();
    let last = Affine::variable(&tile_names[n - 1]);
    let strip = isl.function(parameters, tile, Tuple { name: "Strip", dimensions: &tile_names[..n - 1] }, &outer)?;
    let step = isl.function(parameters, tile, Tuple::anonymous(), &[last])?;
    let same_strip = strip.apply_range(&strip.reverse()?)?;
    let earlier = same_strip.intersect(&step.lex_gt_map(&step)?)?;
    let later = same_strip.intersect(&step.lex_lt_map(&step)?)?;
    let tiles = tiles.coalesce()?;
    Ok(TiledProgram { directive, tile_names, theta, iterations, tiles, strip, step, earlier, later, program })
}

fn directive(kernel: &Kernel) -> Result<&TilingDirective> {
    if let Some(directive) = kernel.tilings.first() {
        return Ok(directive);
    }
    let mut iterators = vec![];
    let mut nodes = &kernel.body;
    let mut outermost = None;
    while let Some(Node::Loop(l)) = nodes.first() {
        iterators.push(format!("{}:32", l.iterator));
        outermost.get_or_insert(l.span);
        nodes = &l.body;
    }
    let mut diagnostic = Diagnostic::new(format!("the loop nest of `{}` has no tiling", kernel.name)).help(format!(
        "paste above the outermost loop, with sizes that suit the board: `#pragma burstc tile({})`",
        iterators.join(", ")
    ));
    if let Some(span) = outermost {
        diagnostic = diagnostic.at(span, "which tiles?");
    }
    Err(diagnostic.into())
}

fn require_well_formed(program: &Program, directive: &TilingDirective) -> Result<()> {
    let at = |message: String, label: &str, help: &str| {
        Err(Diagnostic::new(message).at(directive.span, label).help(help).into())
    };
    if directive.theta().is_empty() {
        return at("the tiling has no dimension".into(), "empty", "name the loops to tile: `tile(i:32, j:32)`");
    }
    if directive.theta().len() != directive.sizes.len() {
        return at(
            format!("{} tile sizes for {} dimensions", directive.sizes.len(), directive.theta().len()),
            "numbers differ",
            "give one size per dimension of the schedule",
        );
    }
    if let Some(size) = directive.sizes.iter().find(|s| **s < 1) {
        return at(format!("a tile size of {size}"), "too small", "a tile size is at least 1");
    }
    for statement in &program.statements {
        for (name, theta) in directive.theta().iter().flat_map(|t| t.terms.keys().map(move |n| (n, t))) {
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

fn tuple_text<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<_> = items.into_iter().map(|i| i.to_string()).collect();
    format!("({})", items.join(", "))
}

/// θ as the user reads it: `(i - j, i)`.
pub fn theta_text(directive: &TilingDirective) -> String {
    tuple_text(directive.theta())
}

fn require_injective(iterators: &[String], theta: &Map, directive: &TilingDirective) -> Result<()> {
    if theta.is_injective()? {
        return Ok(());
    }
    // Two iterations at one place: the shortest way from one to the other.
    let same = theta.apply_range(&theta.reverse()?)?;
    let distance = shortest(&same.deltas()?.subtract(&origin(&same)?)?)?.unwrap_or_default();
    let unused: Vec<_> =
        iterators.iter().filter(|i| directive.theta().iter().all(|t| t.coefficient(i) == 0)).cloned().collect();
    let help = match &unused[..] {
        [] => "choose a schedule whose dimensions together determine every iterator".to_string(),
        unused => format!("add `{}` to the tiling", unused.join("` and `")),
    };
    Err(Diagnostic::new(format!(
        "the schedule {} gives several iterations one place: {} and {} plus {}",
        theta_text(directive),
        tuple_text(iterators),
        tuple_text(iterators),
        tuple_text(distance)
    ))
    .at(directive.span, "does not tell all iterations apart")
    .help(help)
    .into())
}

fn require_permutable(program: &Program, kernel: &Kernel, theta: &[Map], directive: &TilingDirective) -> Result<()> {
    for dependence in &program.dependences {
        let distances = dependence
            .relation
            .apply_domain(&theta[dependence.source])?
            .apply_range(&theta[dependence.sink])?
            .deltas()?;
        for position in 0..directive.theta().len() {
            let negative = at_most(&distances, position, -1)?;
            let Some(distance) = shortest(&negative)? else {
                continue;
            };
            return Err(Diagnostic::new(format!(
                "the tiling reverses a dependence: {} dependence of {} on {} through `{}`, distance {} in {}",
                dependence.kind,
                program.statements[dependence.sink].name,
                program.statements[dependence.source].name,
                kernel.arrays[dependence.array].name,
                tuple_text(distance),
                theta_text(directive)
            ))
            .at(directive.span, format!("`{}` goes backwards", directive.theta()[position]))
            .help("every dependence must have distances of at least 0 in every dimension; skew the schedule")
            .into());
        }
    }
    Ok(())
}

/// `{ [0, 0, …] }` in the space of the map's distances.
fn origin(map: &Map) -> Result<Set> {
    map.domain()?.identity()?.deltas()
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
    let least = set.apply(&measure)?.lexmin()?.sample()?;
    Ok(least.map(|point| point[1..].iter().map(|v| -v).collect()))
}
