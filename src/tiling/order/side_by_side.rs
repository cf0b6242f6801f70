//! Orders in which several values of one dimension run in one cycle. The instances of lanes read before they write, and
//! all of them run before the next values of the dimensions further in.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use anyhow::Result;

use super::boxes::Groups;
use super::candidate::{Candidate, Lane, Level, Merit};
use super::distances::Distances;
use super::search::Alone;
use super::space::Space;
use crate::affine::Affine;
use crate::diagnostic::Diagnostic;
use crate::ids::{ArrayId, ByArray, StatementId};
use crate::operators::scaling;
use crate::polyhedral::isl::{Constraint, Tuple};
use crate::polyhedral::{DependenceKind, Program};
use crate::source::kernel::{
    Array, BinaryOp, Expr, Kernel, LanesAlong, LanesDirective, Statement, TilingDirective, UnaryOp,
};
use crate::tiling::lane_shape::{Axes, Banked, Banking, LaneShape, Lanes, StatementLanes, join};

/// What a tree over the lanes' terms costs beside lanes that write their own cells: of two orders that take as long, the
/// one without.
const TREE: f64 = 1.01;

/// What an array costs whose elements in lanes are no neighbours in memory: they are moved one by one.
const ACROSS: f64 = 1.05;

/// What an array costs that gets banks along one more subscript.
const TURNING: f64 = 1.01;

/// What a statement costs that reads many neighbours, in rows from group to group: along other rows they come out of windows, and
/// take no copies.
const ALONG_GROUPS: f64 = 1.001;
/// So many.
const NEIGHBOURS: usize = 3;

/// A statement of more operators than the one of its band that runs most, and that runs seldom, has lanes along one of two loops: circuits
/// for all lanes would be idle. At the least area for the time, lanes go by the root of instances over operators; seldom is where that is
/// at most this part of what it is of the other.
const SELDOM: f64 = 1.0 / 8.0;
/// Quotients and roots, in sums and products.
const DEAR: f64 = 4.0;
/// What a product by a power of two counts.
const CHEAP: f64 = 0.25;

/// What lanes mean for a statement, or why there are none.
type Shape = Rc<Result<LaneShape, String>>;

/// A statement's place, the dimensions of its order, sorted, and the one along which so many lanes lie.
type Along = (usize, Vec<usize>, (usize, i64));

/// A statement's place, and the dimensions along which so many lanes lie.
type InLanes = (usize, Vec<(usize, i64)>);

/// Lanes that somebody asks for.
pub struct Wanted<'a> {
    directive: LanesDirective,
    /// Whether lanes may access arrays along diagonals.
    may_slant: bool,
    program: &'a Program,
    kernel: &'a Kernel,
    ids: Vec<StatementId>,
    /// The band's, with their iterators.
    statements: Vec<(&'a Statement, &'a [String])>,
    /// By statement of the band and dimension of the space, waves aside: what lanes along it mean, or why there are none.
    shapes: Vec<Vec<Shape>>,
    /// The same where a wave stands for one of the dimensions, by those that the order has, and of other numbers of lanes.
    others: RefCell<BTreeMap<Along, Shape>>,
    /// By statement, where the directive names two dimensions: the same of both.
    in_two: Vec<Shape>,
    /// By statement and its lanes.
    groups: RefCell<BTreeMap<InLanes, Rc<Option<Groups>>>>,
    /// Whether each reads so many cells of an array that it does not write.
    has_neighbours: Vec<bool>,
    /// The operators of each, in sums and products.
    operators: Vec<f64>,
    /// The array that each statement writes first, indices into `Kernel::arrays`.
    targets: Vec<ArrayId>,
    /// What bands before have in banks.
    banking: &'a Banking,
}

impl<'a> Wanted<'a> {
    /// `banking` is what bands before have in banks; lanes along diagonals are told only where they may be.
    ///
    /// # Errors
    /// A [`Diagnostic`] where a tile has an order of the source's.
    pub fn new(
        program: &'a Program,
        kernel: &'a Kernel,
        directive: &TilingDirective,
        lanes: LanesDirective,
        (space, statements): (&Space, &[StatementId]),
        (banking, may_slant): (&'a Banking, bool),
    ) -> Result<Wanted<'a>> {
        if !space.injective {
            let at = if lanes.span.line > 0 { lanes.span } else { directive.span };
            return Err(Diagnostic::new("lanes need a schedule that tells all iterations apart")
                .at(at, "iterations with one time")
                .help("give the schedule as many independent dimensions as there are loops")
                .into());
        }
        if let Some(behind) = lanes.along.into_iter().flatten().find(|own| own.dimension >= space.rank()) {
            let at = if lanes.span.line > 0 { lanes.span } else { directive.span };
            let open = space.rank() - space.tiled;
            return Err(Diagnostic::new(format!("lanes along dimension {} of {}", behind.dimension + 1, space.rank()))
                .at(at, "no such dimension")
                .help(match open {
                    0 => "give a number for each dimension of the schedule".to_string(),
                    _ => format!(
                        "give a number for each dimension of the schedule, and behind them for each loop that it leaves open: {open}"
                    ),
                })
                .into());
        }
        let all = kernel.statements();
        let own: Vec<(&Statement, &[String])> =
            statements.iter().map(|&s| (all[s], &program.statements[s].iterators[..])).collect();
        let shapes = |(&(statement, iterators), values): (&(&Statement, &[String]), &Vec<Affine>)| -> Vec<Shape> {
            let in_boxes = lanes.along.is_some();
            let own = &values[..space.rank()];
            let along = |k| LaneShape::new(kernel, statement, iterators, own, (lanes.count, k), in_boxes);
            (0..space.rank()).map(|k| Rc::new(upright(kernel, along(k), may_slant))).collect()
        };
        let in_two = |along: [LanesAlong; 2]| -> Vec<Shape> {
            let both = own.iter().zip(&space.values);
            let shape = |(&(statement, iterators), values): (&(&Statement, &[String]), &Vec<Affine>)| {
                Rc::new(LaneShape::in_two(kernel, statement, iterators, values, along))
            };
            both.map(shape).collect()
        };
        Ok(Wanted {
            directive: lanes,
            may_slant,
            program,
            kernel,
            ids: statements.to_vec(),
            groups: RefCell::default(),
            shapes: own.iter().zip(&space.values).map(shapes).collect(),
            others: RefCell::default(),
            in_two: lanes.along.map_or(vec![], in_two),
            has_neighbours: own.iter().map(|(statement, _)| has_neighbours(statement)).collect(),
            operators: own.iter().map(|(statement, _)| statement.values().map(operators).sum()).collect(),
            targets: own.iter().map(|(statement, _)| statement.target.array).collect(),
            statements: own,
            banking,
        })
    }

    /// Whether the lanes lie along one dimension.
    pub fn is_along_one(&self) -> bool {
        self.directive.along.is_none()
    }

    /// The lanes of a candidate, by statement.
    pub fn lanes(&self, candidate: &Candidate, space: &Space) -> Lanes {
        let own = |(place, lane): (usize, &Option<Lane>)| {
            let Lane { along, levels } = lane.clone()?;
            let shape = self.shape(space, place, &candidate.dimensions[place], &along).as_ref().clone().ok()?;
            let value = |k: usize| {
                let own = &space.values[place][k];
                (own.clone() - Affine::constant(own.constant)).to_string()
            };
            let counts = along.iter().map(|(_, count)| *count).collect();
            let along = match self.directive.along {
                None => value(along[0].0),
                Some(_) => {
                    along.iter().map(|(k, count)| format!("{}:{count}", value(*k))).collect::<Vec<_>>().join(", ")
                }
            };
            Some(StatementLanes { levels, counts, along, shape })
        };
        let per_statement = candidate.lanes.iter().enumerate().map(own).collect();
        Lanes { per_statement, cycles_each: candidate.cycles_each.clone() }
    }

    /// What lanes of a statement along a dimension of its order, or along the two of the directive, mean.
    fn shape(&self, space: &Space, place: usize, order: &[usize], along: &[(usize, i64)]) -> Shape {
        let &[(one, count)] = along else { return self.in_two[place].clone() };
        if !space.has_waves(order) && count == self.directive.count {
            return self.shapes[place][one].clone();
        }
        let mut own = order.to_vec();
        own.sort_unstable();
        let mut known = self.others.borrow_mut();
        let shape = known.entry((place, own.clone(), (one, count))).or_insert_with(|| {
            let (statement, iterators) = self.statements[place];
            let values: Vec<Affine> = own.iter().map(|&k| space.values[place][k].clone()).collect();
            let k = own.iter().position(|k| *k == one).unwrap_or_default();
            let shape = LaneShape::new(self.kernel, statement, iterators, &values, (count, k), !self.is_along_one());
            Rc::new(upright(self.kernel, shape, self.may_slant))
        });
        shape.clone()
    }

    /// The levels of an order, from `outer` on, that a statement's lanes may run along.
    fn levels(&self, space: &Space, order: &[usize], outer: usize) -> Vec<Vec<Level>> {
        let Some(both) = self.directive.along else {
            let inside = (outer..order.len()).filter(|level| order[*level] < space.rank());
            return inside.map(|level| vec![(level, self.directive.count)]).collect();
        };
        if space.has_waves(order) {
            return vec![];
        }
        let level = |own: LanesAlong| {
            let level = order.iter().position(|k| *k == own.dimension).filter(|level| *level >= outer);
            level.map(|level| (level, own.count))
        };
        both.map(level).into_iter().collect::<Option<Vec<Level>>>().into_iter().collect()
    }

    /// The same for a statement that has none along both dimensions of the directive: along one of them, or along another loop, as many
    /// as along one of them or as all.
    fn levels_of_one(&self, space: &Space, order: &[usize], outer: usize) -> Vec<Vec<Level>> {
        let Some(both) = self.directive.along.filter(|_| !space.has_waves(order)) else { return vec![] };
        let mut counts: Vec<i64> = both.iter().map(|own| own.count).chain([self.directive.count]).collect();
        counts.sort_unstable();
        counts.dedup();
        let inside = (outer..order.len()).filter(|level| order[*level] < space.rank());
        inside.flat_map(|level| counts.iter().map(move |count| vec![(level, *count)])).collect()
    }

    /// Those of them that are along one of the two dimensions only.
    fn levels_of_fewer(&self, space: &Space, order: &[usize], outer: usize) -> Vec<Vec<Level>> {
        let mut all = self.levels_of_one(space, order, outer);
        all.retain(|levels| levels.iter().all(|(_, count)| *count < self.directive.count));
        all
    }

    /// The groups of a statement's lanes, of this shape.
    fn groups(
        &self,
        space: &Space,
        place: usize,
        lanes: &[(usize, i64)],
        shape: &LaneShape,
    ) -> Result<Rc<Option<Groups>>> {
        let key = (place, lanes.to_vec());
        if let Some(known) = self.groups.borrow().get(&key) {
            return Ok(known.clone());
        }
        let own = (self.ids[place], self.statements[place].0, place);
        let found = Rc::new(Groups::new(space, (self.program, self.kernel), own, lanes, shape)?);
        self.groups.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    /// What a statement's lanes of this shape cost, over their cycles.
    fn dearer(&self, shape: &LaneShape) -> f64 {
        if !shape.inner_steps.is_empty() {
            return 1.0;
        }
        let is_across = |(array, axes): &(&ArrayId, &Axes)| {
            let innermost = self.kernel.arrays[**array].layout().innermost();
            innermost.is_some_and(|innermost| !axes.contains_key(&innermost))
        };
        let across = shape.banks.iter().filter(is_across).count();
        (if shape.reduction.is_some() { TREE } else { 1.0 }) * ACROSS.powi(across as i32)
    }

    /// What it costs that an array has banks along one more subscript for a statement's lanes along one dimension.
    fn turning(&self, shape: &LaneShape, banked: &Banked) -> f64 {
        let is_new = |(array, axes): &(&ArrayId, &Axes)| {
            let known = banked.get(array);
            known.is_some_and(|known| axes.keys().any(|subscript| !known.contains_key(subscript)))
        };
        let new = if shape.inner_steps.is_empty() { shape.banks.iter().filter(is_new).count() } else { 0 };
        TURNING.powi(new as i32)
    }

    /// Why a statement has no lanes along the two dimensions `both` of the directive.
    fn reason_in_two(&self, place: usize, space: &Space, both: [LanesAlong; 2], arrays: &ByArray<Array>) -> String {
        let few = both.iter().find(|own| space.side(own.dimension) < own.count);
        let disagrees = |shape: &LaneShape| self.banking.disagrees(&self.banking.banked, shape);
        let alone = self.in_two.len() == 1;
        match (self.in_two[place].as_ref(), few) {
            (Err(reason), _) => reason.clone(),
            (Ok(_), Some(own)) => {
                let value = &space.values[place][own.dimension];
                format!("a tile has {} values of {value} only", space.side(own.dimension))
            }
            (Ok(shape), None) if disagrees(shape).is_some() => {
                let of = disagrees(shape).map_or("", |array| arrays[array].name.as_str());
                format!("the cells of `{of}` that they and a band before access lie in too many banks together")
            }
            (Ok(_), None) if alone => "neighbours depend on one another".into(),
            (Ok(_), None) => "neighbours depend on one another, or on other statements".into(),
        }
    }

    /// Why no dimension has these lanes.
    pub fn refusal(
        &self,
        directive: &TilingDirective,
        space: &Space,
        names: &[&str],
        arrays: &ByArray<Array>,
    ) -> Diagnostic {
        let count = self.directive.count;
        let at = if self.directive.span.line > 0 { self.directive.span } else { directive.span };
        let mut reasons = vec![];
        if directive.order.is_some() {
            reasons.push("the order inside the tile is given, and another may allow them".to_string());
        }
        if let Some(both) = self.directive.along {
            for (place, name) in names.iter().enumerate() {
                let reason = self.reason_in_two(place, space, both, arrays);
                reasons.push(if names.len() > 1 { format!("{name}: {reason}") } else { reason });
            }
            let counts = both.map(|own| own.count.to_string()).join(" x ");
            return Diagnostic::new(format!(
                "the two dimensions of the tile cannot run {counts} of their values side by side"
            ))
            .at(at, format!("{count} lanes"))
            .help(format!("{}; name other loops, or write `lanes({count})` for lanes along one", reasons.join("; ")));
        }
        for ((place, shapes), name) in self.shapes.iter().enumerate().zip(names) {
            for (k, shape) in shapes.iter().enumerate() {
                if !space.varies(place, k) || space.sizes[k] == 1 {
                    continue;
                }
                let reason = match shape.as_ref() {
                    Err(reason) => reason.clone(),
                    Ok(_) if space.side(k) < count => format!("a tile has {} of its values only", space.side(k)),
                    Ok(_) if names.len() > 1 => "neighbours depend on one another, or on other statements".into(),
                    Ok(_) => "neighbours depend on one another".into(),
                };
                let of = if names.len() > 1 { format!("{name} ") } else { String::new() };
                reasons.push(format!("{of}along {}: {reason}", space.values[place][k]));
            }
        }
        Diagnostic::new(format!("no dimension of the tile can run {count} of its values side by side"))
            .at(at, format!("{count} lanes"))
            .help(match reasons.is_empty() {
                true => "every dimension of the tile has size 1".into(),
                false => reasons.join("; "),
            })
    }
}

/// Lanes that access no array along a diagonal, where they may not.
fn upright(kernel: &Kernel, shape: Result<LaneShape, String>, may_slant: bool) -> Result<LaneShape, String> {
    let shape = shape?;
    match shape.slants.keys().next().filter(|_| !may_slant) {
        Some(array) => Err(format!("`{}` is accessed along a diagonal", kernel.arrays[*array].name)),
        None => Ok(shape),
    }
}

/// Whether a statement reads [`NEIGHBOURS`] cells of an array that it does not write, or more.
fn has_neighbours(statement: &Statement) -> bool {
    let references = statement.references();
    let of = |array: ArrayId| references.iter().filter(|r| r.array == array).count();
    references.iter().any(|r| of(r.array) >= NEIGHBOURS && !statement.writes_to(r.array))
}

/// The sums and products of a value, with what is dearer counted as several.
fn operators(value: &Expr) -> f64 {
    let own = match value {
        _ if scaling(value).is_some() => CHEAP,
        Expr::Unary { op: UnaryOp::SquareRoot, .. } => DEAR,
        Expr::Binary { op: BinaryOp::Divide | BinaryOp::Remainder, .. } => DEAR,
        Expr::Binary { op: BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, .. } => 1.0,
        _ => 0.0,
    };
    own + value.operands().into_iter().map(operators).sum::<f64>()
}

/// What a statement's lanes come to in one of its orders.
struct Choice<'a> {
    merit: Merit,
    cycles: f64,
    alone: &'a Alone<'a>,
    /// The levels of the order that have them; none without lanes.
    levels: Vec<Level>,
}

impl Space {
    /// The statements one after the other inside the loops `outer`, each in one of its `own` orders, with lanes along one of
    /// the loops that it has to itself; those with the most iterations choose first which subscripts of arrays are in
    /// banks. `None` where no statement has lanes.
    pub(super) fn with_lanes<'a>(
        &self,
        (outer, places): (&[usize], Vec<usize>),
        own: &'a [Vec<Alone<'a>>],
        distances: &[Distances],
        wanted: &Wanted,
    ) -> Result<Option<Candidate>> {
        let mut banked = wanted.banking.banked.clone();
        let mut by_work: Vec<usize> = (0..own.len()).collect();
        by_work.sort_by(|a, b| self.iterations(*b).total_cmp(&self.iterations(*a)));
        let mut chosen: Vec<Option<Choice>> = own.iter().map(|_| None).collect();
        for place in by_work {
            let orders = || own[place].iter().filter(|alone| alone.order.starts_with(outer));
            // Whether the best so far has lanes.
            let mut choose = |alone: &'a Alone<'a>, levels: Vec<Level>| -> Result<bool> {
                let best = &mut chosen[place];
                if levels.is_empty() || self.allows_lanes(alone, &levels, distances, wanted, &banked)? {
                    let row = self.row(place, alone.order).filter(|row| *row >= outer.len());
                    let length = row.map_or(1, |row| self.sizes[alone.order[row]]) as f64;
                    let cycles = self.cycles_in_lanes(alone, &levels, outer.len(), distances, wanted)?;
                    let mut cost = cycles;
                    if !levels.is_empty()
                        && let Ok(shape) = wanted.shape(self, place, alone.order, &alone.along(&levels)).as_ref()
                    {
                        cost *= wanted.dearer(shape) * wanted.turning(shape, &banked);
                    }
                    let is_along = |row: usize| levels.iter().any(|(level, _)| *level == row);
                    if wanted.has_neighbours[place] && row.is_some_and(is_along) {
                        cost *= ALONG_GROUPS;
                    }
                    let merit = Merit { cost, length, carried: alone.carried.clone() };
                    if best.as_ref().is_none_or(|known| merit.beats(&known.merit)) {
                        *best = Some(Choice { merit, cycles, alone, levels });
                    }
                }
                Ok(best.as_ref().is_some_and(|best| !best.levels.is_empty()))
            };
            let mut has_lanes = false;
            if self.is_seldom(place, wanted) {
                for alone in orders() {
                    for levels in wanted.levels_of_fewer(self, alone.order, outer.len()) {
                        has_lanes = choose(alone, levels)?;
                    }
                }
            }
            let is_settled = has_lanes;
            for alone in orders().filter(|_| !is_settled) {
                for levels in wanted.levels(self, alone.order, outer.len()) {
                    has_lanes = choose(alone, levels)?;
                }
                // A statement beside others may be faster without.
                if own.len() > 1 {
                    has_lanes = choose(alone, vec![])?;
                }
            }
            if !has_lanes && own.len() > 1 {
                for alone in orders() {
                    for levels in wanted.levels_of_one(self, alone.order, outer.len()) {
                        choose(alone, levels)?;
                    }
                }
            }
            let Some(Choice { alone, levels, .. }) = &chosen[place] else { return Ok(None) };
            if !levels.is_empty()
                && let Ok(shape) = wanted.shape(self, place, alone.order, &alone.along(levels)).as_ref()
            {
                join(&mut banked, shape.banks.clone());
            }
        }
        let chosen: Vec<Choice> = chosen.into_iter().flatten().collect();
        // Lanes along two dimensions are some statement's.
        let least = if wanted.is_along_one() { 1 } else { 2 };
        if chosen.iter().all(|choice| choice.levels.len() < least) {
            return Ok(None);
        }
        let apart = (own.len() > 1).then_some(outer.len());
        let mut carried = vec![i64::MAX; self.rank()];
        for choice in &chosen {
            carried.iter_mut().zip(&choice.alone.carried).for_each(|(least, own)| *least = (*least).min(*own));
        }
        let lane = |choice: &Choice| {
            // The statement's place among the others is a level, too.
            let levels = choice.levels.iter().map(|(level, _)| level + usize::from(apart.is_some())).collect();
            (!choice.levels.is_empty()).then(|| Lane { along: choice.alone.along(&choice.levels), levels })
        };
        let all: Vec<usize> = (0..self.rank()).collect();
        let each = |choice: &Choice| choice.cycles / self.combinations(choice.alone.place, &all);
        Ok(Some(Candidate {
            dimensions: chosen.iter().map(|choice| choice.alone.order.to_vec()).collect(),
            apart,
            places,
            cost: chosen.iter().map(|choice| choice.merit.cost).sum(),
            cycles: chosen.iter().map(|choice| choice.cycles).sum(),
            cycles_each: chosen.iter().map(each).collect(),
            carried,
            lanes: chosen.iter().map(lane).collect(),
            late: vec![],
        }))
    }

    /// Whether a statement has more operators than the one of its band that runs most, and runs so much less often that lanes for all of
    /// them would be idle, see [`SELDOM`].
    fn is_seldom(&self, place: usize, wanted: &Wanted) -> bool {
        let by_work = |a: &usize, b: &usize| self.iterations(*a).total_cmp(&self.iterations(*b));
        let Some(most) = (0..wanted.operators.len()).max_by(by_work) else { return false };
        let of = |place: usize| (self.iterations(place), wanted.operators[place].max(1.0));
        let ((own, operators), (others, their_operators)) = (of(place), of(most));
        operators > their_operators && (own / operators * their_operators / others).sqrt() <= SELDOM
    }

    /// Whether a statement alone may have lanes at levels of its order, with these arrays in banks already.
    fn allows_lanes(
        &self,
        alone: &Alone,
        levels: &[Level],
        distances: &[Distances],
        wanted: &Wanted,
        banked: &Banked,
    ) -> Result<bool> {
        let along = alone.along(levels);
        let shape = wanted.shape(self, alone.place, alone.order, &along);
        let Ok(shape) = shape.as_ref() else { return Ok(false) };
        let fits = |&(k, count): &(usize, i64)| self.side(k) >= count && self.varies(alone.place, k);
        Ok(wanted.banking.disagrees(banked, shape).is_none()
            && along.iter().all(fits)
            && match levels {
                [level] => self.is_parallel(alone, *level, distances, wanted, shape)?,
                _ => self.is_parallel_in_two(alone, &along, distances)?,
            })
    }

    /// Cycles of a statement per tile, estimated; its order is its own from the depth `apart` on.
    fn cycles_in_lanes(
        &self,
        alone: &Alone,
        levels: &[Level],
        apart: usize,
        distances: &[Distances],
        wanted: &Wanted,
    ) -> Result<f64> {
        let own = distances.iter().filter(|d| d.source == alone.place && d.sink == alone.place);
        let lanes = alone.along(levels);
        let grouped = self.in_groups(&lanes);
        let walk = grouped.walk(alone.place, alone.order, (apart, &[]), own, &lanes)?;
        let pace = grouped.pace_of(alone.place, alone.order, &walk);
        if levels.is_empty() {
            return Ok(pace.cycles);
        }
        let (statement, _) = wanted.statements[alone.place];
        let all: Vec<usize> = (0..self.rank()).collect();
        Ok(match wanted.shape(self, alone.place, alone.order, &lanes).as_ref() {
            Ok(shape) if !wanted.is_along_one() => {
                let groups = wanted.groups(self, alone.place, &lanes, shape)?;
                // What it reads of what it writes comes late, or not.
                let mut late = statement.targets().map(|target| grouped.late[alone.place].get(&target.array).copied());
                let late = late.try_fold(0.0, |most, cycles| Some(f64::max(most, cycles?)));
                let latency = late.unwrap_or(grouped.latencies[alone.place]) as i64;
                let row = self.row(alone.place, alone.order).map(|level| alone.order[level]);
                let counted = groups.as_ref().as_ref().map_or(0.0, |groups| groups.pace(alone.order, row, latency));
                pace.cycles.max(grouped.combinations(alone.place, &all) * counted)
            }
            Ok(shape) if shape.crosses(statement) => {
                pace.cycles.max(grouped.combinations(alone.place, &all) * self.latencies[alone.place])
            }
            _ => pace.cycles,
        })
    }

    /// Whether values of the dimension at `level` of a statement's order less than `count` apart can run in one cycle: no
    /// dependence of it on itself between them leads back in the dimensions further in, and none but a read before a write stays within one cycle.
    fn is_parallel(
        &self,
        Alone { place, order, .. }: &Alone,
        (level, count): Level,
        distances: &[Distances],
        wanted: &Wanted,
        shape: &LaneShape,
    ) -> Result<bool> {
        let names: Vec<String> = (0..self.sizes.len()).map(|k| format!("d{k}")).collect();
        let lane = Affine::variable(&names[order[level]]);
        let near = [
            Constraint::at_most(Affine::constant(1), lane.clone()),
            Constraint::at_most(lane, Affine::constant(count - 1)),
        ];
        for Distances { kind, array, set, .. } in distances.iter().filter(|d| (d.source, d.sink) == (*place, *place)) {
            // Updates of one cell may run in any order.
            if shape.reduction.is_some() && wanted.targets[*place] == *array {
                continue;
            }
            let mut rest =
                set.without_tuple_name()?.intersect(&set.context().set(&[], Tuple::unnamed(&names), &near)?)?;
            for &outer in &order[..level] {
                rest = rest.fix(outer, 0)?;
            }
            for &inner in &order[level + 1..] {
                if !rest.is_empty()? && rest.minimum(inner)?.finite().is_none_or(|least| least < 0) {
                    return Ok(false);
                }
                rest = rest.fix(inner, 0)?;
            }
            if *kind != DependenceKind::Anti && !rest.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether so many values of each of two dimensions can run in one cycle, in the order of a statement with groups in place of
    /// their values. From a source to its sink the groups' numbers grow along each level, or stay as long as those before do:
    /// of the values `lanes` up to their count less 1. Where all stay, both are in one group, whose reads come before its writes.
    fn is_parallel_in_two(
        &self,
        Alone { place, order, .. }: &Alone,
        lanes: &[(usize, i64)],
        distances: &[Distances],
    ) -> Result<bool> {
        let names: Vec<String> = (0..self.sizes.len()).map(|k| format!("d{k}")).collect();
        for Distances { kind, set, .. } in distances.iter().filter(|d| (d.source, d.sink) == (*place, *place)) {
            let mut rest = set.without_tuple_name()?;
            for &k in *order {
                if rest.is_empty()? {
                    break;
                }
                if rest.minimum(k)?.finite().is_none_or(|least| least < 0) {
                    return Ok(false);
                }
                rest = match lanes.iter().find(|(own, _)| *own == k) {
                    None => rest.fix(k, 0)?,
                    Some((_, count)) => {
                        let near = [Constraint::at_most(Affine::variable(&names[k]), Affine::constant(count - 1))];
                        rest.intersect(&set.context().set(&[], Tuple::unnamed(&names), &near)?)?
                    }
                };
            }
            if *kind != DependenceKind::Anti && !rest.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
