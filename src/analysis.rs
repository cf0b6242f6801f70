//! The analysis in one function: a kernel goes through the rooms in order and comes out as an [`Offload`].

use anyhow::{Result, anyhow};

use crate::affine::Affine;
use crate::buffer::{self, Allocation};
use crate::diagnostic::Diagnostic;
use crate::offload::{Band, Bound, Compute, Level, NamedSet, Offload, Piece, Scan, Transfer};
use crate::polyhedral::isl::{BasicSet, Constraint, Map, Set, Tuple};
use crate::polyhedral::scan::{Fixed, Request, scan};
use crate::polyhedral::{self, DependenceKind};
use crate::source::kernel::{Kernel, Loop, Node};
use crate::tiling::{self, TiledProgram};
use crate::transfer::{self, ArrayFlow};

/// Everything the hardware needs to know about `kernel`, whose size parameters all have a bound.
///
/// # Errors
/// A [`Diagnostic`] for what the user can change: see the rooms. Anything else is an internal error.
pub fn analyze(kernel: &Kernel) -> Result<Offload> {
    require_bounds(kernel)?;
    let program = polyhedral::extract(kernel)?;
    let tiled = tiling::apply(program, kernel)?;
    let flows = transfer::plan(&tiled, kernel)?;
    let allocations = buffer::allocate(&tiled, kernel, &flows)?;

    let tiles = Tiles::new(&tiled)?;
    let mut transfers = vec![];
    for flow in flows.iter() {
        let load = tiles.scan_cells(&tiled, kernel, flow.array, &flow.load)?;
        let store = tiles.scan_cells(&tiled, kernel, flow.array, &flow.store)?;
        if !load.pieces.is_empty() || !store.pieces.is_empty() {
            transfers.push(Transfer { array: flow.array, load, store });
        }
    }
    Ok(Offload {
        bands: vec![Band {
            statements: vec![0],
            tiling: tiled.directive.clone(),
            sets: named_sets(&tiled, kernel, &flows, &allocations)?,
            transfers,
            compute: compute(&tiled, &tiles)?,
        }],
        tiles: tiles.scan.clone(),
        source_order: source_order(kernel),
        strips_depend: strips_depend(&tiled, &flows)?,
        buffers: allocations.into_iter().map(|a| a.buffer).collect(),
        kernel: kernel.clone(),
    })
}

fn require_bounds(kernel: &Kernel) -> Result<()> {
    let Some(parameter) = kernel.parameters.iter().find(|p| p.max.is_none()) else {
        return Ok(());
    };
    let name = &parameter.name;
    Err(Diagnostic::new(format!("the size parameter `{name}` has no bound: the hardware is built for sizes up to one"))
        .at(parameter.span, "a parameter without a bound")
        .help(format!(
            "write `#pragma burstc size({name}: 128, max 4096)` above the function, or give `--max {name}=4096`"
        ))
        .into())
}

/// The tiles as the hardware walks them.
struct Tiles {
    scan: Scan,
    /// Size parameters and tile indices.
    parameters: Vec<String>,
    /// What holds of them whenever a tile runs.
    context: Vec<Constraint>,
}

impl Tiles {
    /// One convex piece, so that tiles come in lexicographic order and every strip is one interval of steps. Where the
    /// tiles with iterations are not convex, it also holds tiles without any: they load, compute and store nothing.
    fn new(tiled: &TiledProgram) -> Result<Self> {
        let isl = &tiled.program.isl;
        let sizes = &tiled.program.parameters;
        let bounds = convex(&tiled.program.bounded_sizes)?.constraints(&[])?;
        let tiles = tiled.tiles.intersect_params(&tiled.program.bounded_sizes)?.without_tuple_name()?;
        let hull = convex(&tiles)?;
        let mut context = bounds.clone();
        context.extend(hull.constraints(&tiled.tile_names)?);
        let request = Request {
            parameters: sizes,
            context: &bounds,
            set: &hull.to_set()?,
            names: &tiled.tile_names,
            fixed: Fixed::Keep,
            point: &tiled.tile_names,
            definitions: &[],
        };
        let scan = scan(isl, &request)?.ok_or_else(|| anyhow!("internal error: tiles without an index"))?;
        let parameters = sizes.iter().chain(&tiled.tile_names).cloned().collect();
        Ok(Tiles { scan, parameters, context })
    }

    /// Load(T) or Store(T) of one array, the array's last subscript innermost.
    fn scan_cells(&self, tiled: &TiledProgram, kernel: &Kernel, array: usize, cells: &Map) -> Result<Scan> {
        let names = polyhedral::dimension_names(kernel, array);
        let request = Request {
            parameters: &self.parameters,
            context: &self.context,
            set: &cells.image_of(&tiled.tile_names)?,
            names: &names,
            fixed: Fixed::DropOuter,
            point: &names,
            definitions: &[],
        };
        scan(&tiled.program.isl, &request)?.ok_or_else(|| anyhow!("internal error: cells without subscripts"))
    }
}

/// A convex superset without quantified variables; the set itself where that is possible.
fn convex(set: &Set) -> Result<BasicSet> {
    let set = set.coalesce()?.remove_divs()?.coalesce()?;
    match &set.pieces()?[..] {
        [piece] => Ok(piece.clone()),
        _ => set.simple_hull()?.remove_divs(),
    }
}

fn compute(tiled: &TiledProgram, tiles: &Tiles) -> Result<Compute> {
    let statement = &tiled.program.statements[0];
    let isl = &tiled.program.isl;
    let theta = tiled.directive.theta();
    let distances = flow_distances(tiled)?;
    let (order, innermost_distance) = inner_order(theta.len(), &distances)?;

    // A dimension of θ that is an iterator has its name.
    let mut names: Vec<String> = vec![];
    for &k in &order {
        let plain = statement.iterators.iter().find(|i| theta[k] == Affine::variable(*i) && !names.contains(i));
        let mut name = plain.cloned().unwrap_or_else(|| format!("t{k}"));
        while plain.is_none() && (tiles.parameters.contains(&name) || statement.iterators.contains(&name)) {
            name.push('_');
        }
        names.push(name);
    }
    let ordered: Vec<Affine> = order.iter().map(|&k| theta[k].clone()).collect();
    let definitions: Vec<Affine> =
        names.iter().zip(&ordered).map(|(n, value)| value.clone() - Affine::variable(n)).collect();
    let scan_over = |names: &[String], values: &[Affine]| {
        let tuple = Tuple { name: &statement.name, dimensions: &statement.iterators };
        let dates = isl.function(&tiled.program.parameters, tuple, Tuple::anonymous(), values)?;
        let request = Request {
            parameters: &tiles.parameters,
            context: &tiles.context,
            set: &tiled.iterations[0].apply_range(&dates)?.image_of(&tiled.tile_names)?,
            names,
            fixed: Fixed::Drop,
            point: &statement.iterators,
            definitions: &definitions,
        };
        scan(isl, &request)
    };
    let scan = match scan_over(&names, &ordered)? {
        Some(scan) => scan,
        // The place in θ gives the iterators only together with the domain: they become levels.
        None => {
            let more: Vec<&String> = statement.iterators.iter().filter(|i| !names.contains(i)).collect();
            let all: Vec<String> = names.iter().chain(more.iter().copied()).cloned().collect();
            let values: Vec<Affine> =
                ordered.iter().cloned().chain(more.iter().map(|i| Affine::variable(*i))).collect();
            scan_over(&all, &values)?.ok_or_else(|| anyhow!("internal error: iterations without iterators"))?
        }
    };
    let order: Vec<String> = ordered.iter().map(|t| t.to_string()).collect();
    Ok(Compute { scan, order: format!("({})", order.join(", ")), innermost_distance })
}

/// The distances in θ of flow dependences within one tile: `{ [d0, d1, …] }`.
fn flow_distances(tiled: &TiledProgram) -> Result<Vec<Set>> {
    let isl = &tiled.program.isl;
    let names: Vec<String> = (0..tiled.directive.theta().len()).map(|k| format!("d{k}")).collect();
    let mut inside = vec![];
    for (name, &size) in names.iter().zip(&tiled.directive.sizes) {
        inside.push(Constraint::at_most(Affine::variable(name), Affine::constant(size - 1)));
    }
    let inside = isl.set(&[], Tuple::unnamed(&names), &inside)?;
    let flows = tiled.program.dependences.iter().filter(|d| d.kind == DependenceKind::Flow);
    flows
        .map(|d| {
            let relation = d.relation.apply_domain(&tiled.theta[d.source])?.apply_range(&tiled.theta[d.sink])?;
            relation.deltas()?.project_out_all_params()?.intersect(&inside)
        })
        .collect()
}

/// The order of θ's dimensions inside a tile that carries flow dependences as far out, and where further in with as
/// long a distance, as possible; ties go to θ's own order. With it, the distance that the innermost level carries.
fn inner_order(n: usize, distances: &[Set]) -> Result<(Vec<usize>, Option<i64>)> {
    let mut best: Option<(Vec<i64>, Vec<usize>)> = None;
    for order in permutations(n) {
        // From the innermost level outwards; nothing carried is the longest distance.
        let mut carried = vec![];
        for level in (0..n).rev() {
            carried.push(carried_distance(&order, level, distances)?.unwrap_or(i64::MAX));
        }
        if best.as_ref().is_none_or(|(c, _)| carried > *c) {
            best = Some((carried, order));
        }
    }
    let (carried, order) = best.unwrap_or_default();
    let innermost = carried.first().copied().filter(|&d| d != i64::MAX);
    Ok((order, innermost))
}

/// The shortest distance among those that are 0 in the levels outside `level` and positive there; for the innermost
/// level, of a dependence that it carries alone.
fn carried_distance(order: &[usize], level: usize, distances: &[Set]) -> Result<Option<i64>> {
    let mut shortest: Option<i64> = None;
    for set in distances {
        let mut set = set.clone();
        for &outer in &order[..level] {
            set = set.fix(outer, 0)?;
        }
        // All components are at least 0, so the nearest carried distance is the smallest one that is not 0.
        let zero = set.fix(order[level], 0)?;
        if let Some(distance) = set.subtract(&zero)?.minimum(order[level])?.finite() {
            shortest = Some(shortest.map_or(distance, |s| s.min(distance)));
        }
    }
    Ok(shortest)
}

/// All orders of `0..n`, lexicographically.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for _ in 0..n {
        all = all
            .into_iter()
            .flat_map(|prefix: Vec<usize>| {
                let rest: Vec<usize> = (0..n).filter(|k| !prefix.contains(k)).collect();
                rest.into_iter().map(move |k| prefix.iter().copied().chain([k]).collect())
            })
            .collect();
    }
    all
}

/// Whether some strip stores a cell that another strip loads or stores.
fn strips_depend(tiled: &TiledProgram, flows: &[ArrayFlow]) -> Result<bool> {
    for flow in flows {
        let stored = tiled.strip.reverse()?.apply_range(&flow.store)?;
        let loaded = tiled.strip.reverse()?.apply_range(&flow.load)?;
        let shared = stored.apply_range(&stored.union(&loaded)?.reverse()?)?;
        let shared = shared.intersect_params(&tiled.program.bounded_sizes)?;
        let own = shared.domain()?.identity()?;
        if !shared.is_subset(&own)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn named_sets(
    tiled: &TiledProgram,
    kernel: &Kernel,
    flows: &[ArrayFlow],
    allocations: &[Allocation],
) -> Result<Vec<NamedSet>> {
    let program = &tiled.program;
    let sizes = &program.sizes;
    let mut sets = vec![];
    let mut add = |name: String, isl: String| sets.push(NamedSet { name, isl });
    for (statement, theta) in program.statements.iter().zip(&tiled.theta) {
        add("domain".to_string(), statement.domain.to_string());
        add("schedule".to_string(), statement.schedule.gist_domain(&statement.domain)?.to_string());
        add("θ".to_string(), theta.gist_domain(&statement.domain)?.to_string());
    }
    add("tiles".to_string(), tiled.tiles.gist_params(sizes)?.to_string());
    for dependence in &program.dependences {
        let name = format!("{} dependences through {}", dependence.kind, kernel.arrays[dependence.array].name);
        add(name, dependence.relation.gist_params(sizes)?.to_string());
    }
    for (flow, allocation) in flows.iter().zip(allocations) {
        let array = &kernel.arrays[flow.array].name;
        let cells = polyhedral::dimension_names(kernel, flow.array);
        let by_tile = |map: &Map| -> Result<String> { Ok(map.gist_domain(&tiled.tiles)?.coalesce()?.to_string()) };
        if !flow.first_read.is_empty()? {
            add(format!("FirstOpRead({array})"), flow.first_read.gist_params(sizes)?.to_string());
        }
        if !flow.last_write.is_empty()? {
            add(format!("LastOpWrite({array})"), flow.last_write.gist_params(sizes)?.to_string());
        }
        add(format!("Load({array})"), by_tile(&flow.load)?);
        add(format!("Store({array})"), by_tile(&flow.store)?);
        add(format!("DS({array})"), allocation.differences.name_dimensions(&cells)?.to_string());
        add(format!("σ({array})"), buffer::mapping_text(kernel, &allocation.buffer));
    }
    Ok(sets)
}

/// The loops of a perfect nest as a scan of one piece.
fn source_order(kernel: &Kernel) -> Scan {
    let mut levels: Vec<Level> = vec![];
    let mut nodes = &kernel.body;
    while let Some(Node::Loop(Loop { iterator, lower, upper, body, .. })) = nodes.first() {
        let range_of = |name: &str| {
            let level = levels.iter().find(|l| l.name == name).map(|l| l.range);
            let size = kernel.parameters.iter().find(|p| p.name == name).map(|p| (0, p.max.unwrap_or(0)));
            level.or(size).unwrap_or((0, 0))
        };
        let low = lower.iter().map(|a| a.range(range_of).0).max().unwrap_or(0);
        let high = upper.iter().map(|a| a.range(range_of).1).min().unwrap_or(0);
        let bound = |a: &Affine| Bound { numerator: a.clone(), divisor: 1 };
        levels.push(Level {
            name: iterator.clone(),
            lower: lower.iter().map(bound).collect(),
            upper: upper.iter().map(bound).collect(),
            range: (low, high.max(low)),
        });
        nodes = body;
    }
    let point = levels.iter().map(|l| Affine::variable(&l.name)).collect();
    Scan { pieces: vec![Piece { shared: 0, leaf: 0, guards: vec![], levels, point }] }
}
