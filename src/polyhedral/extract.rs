//! Walks the loops and conditions and builds the [`Program`].

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};

use super::isl::{Constraint, Context, Exhausted, Map, Set, Tuple};
use super::{Access, Dependence, DependenceKind, Program, Statement};
use crate::affine::{Affine, fresh};
use crate::diagnostic::{Diagnostic, Span};
use crate::ids::{ArrayId, ByArray, ByStatement, StatementId};
use crate::source::kernel::{self, Condition, Expr, Kernel, Loop, Node, Quotient, Storage};

/// A statement with the loops and conditions around it and its place in each of the loops' bodies.
pub(super) struct Place<'a> {
    pub statement: &'a kernel::Statement,
    pub loops: Vec<&'a Loop>,
    conditions: Vec<&'a Condition>,
    /// One more than `loops`.
    positions: Vec<usize>,
}

/// The polyhedral model of `kernel`.
///
/// # Errors
/// A [`Diagnostic`] where an access can leave its array, and where a name is taken twice.
pub fn extract(kernel: &Kernel) -> Result<Program> {
    let mut program = statements(kernel)?;
    program.dependences = dependences(&program)?;
    Ok(program)
}

/// The most pairs of references to one array, at least one of which writes: each is a relation of its own, some kilobytes.
const MOST_PAIRS: u64 = 100_000;

/// [`Exhausted`] where there are more, before isl has relations for all of them.
fn require_few_pairs(program: &Program) -> Result<()> {
    let mut touches: BTreeMap<ArrayId, (u64, u64)> = BTreeMap::new();
    for access in program.statements.iter().flat_map(|statement| &statement.accesses) {
        let (all, reads) = touches.entry(access.array).or_default();
        *all += 1;
        *reads += u64::from(!access.write);
    }
    if touches.values().map(|(all, reads)| all * all - reads * reads).sum::<u64>() > MOST_PAIRS {
        bail!(Exhausted);
    }
    Ok(())
}

/// The same without dependences.
pub(super) fn statements(kernel: &Kernel) -> Result<Program> {
    let places = places(kernel);
    let (mut program, schedules) = without_statements(kernel, &places.raw)?;
    let names = all_dimension_names(kernel);
    for (place, schedule) in places.iter().zip(schedules) {
        let statement = Model::new(&program, kernel, place)?.statement(&schedule, &names)?;
        program.statements.push(statement);
    }
    require_few_pairs(&program)?;
    Ok(program)
}

/// By statement, whether it has an instance for some sizes within their bounds.
pub(super) fn ever_run(kernel: &Kernel) -> Result<ByStatement<bool>> {
    let places = places(kernel);
    let (program, _) = without_statements(kernel, &places.raw)?;
    let runs = |place| {
        let instances = Model::new(&program, kernel, place)?.extended.intersect_params(&program.bounded_sizes)?;
        Ok(!instances.is_empty()?)
    };
    places.iter().map(runs).collect()
}

/// The sizes, and the statements' schedules.
fn without_statements(kernel: &Kernel, places: &[Place]) -> Result<(Program, Vec<Vec<Affine>>)> {
    if places.is_empty() {
        return Err(Diagnostic::new(format!("the function `{}` computes nothing", kernel.name))
            .at(kernel.span, "this function")
            .help("burstc compiles loops around assignments to arrays")
            .into());
    }
    require_distinct_names(kernel, places)?;

    let isl = Context::of_sizes(kernel.parameters.len())?;
    let parameters: Vec<String> = kernel.parameters.iter().map(|p| p.name.clone()).collect();
    let at_least =
        |p: &kernel::SizeParameter| Constraint::at_most(Affine::constant(p.min.max(0)), Affine::variable(&p.name));
    let domain = kernel.domain.iter().map(|condition| Constraint::NonNegative(condition.value.clone()));
    let allowed: Vec<_> = kernel.parameters.iter().map(at_least).chain(domain).collect();
    let mut bounded = allowed.clone();
    for parameter in &kernel.parameters {
        if let Some(max) = parameter.max {
            bounded.push(Constraint::at_most(Affine::variable(&parameter.name), Affine::constant(max)));
        }
    }
    let (schedules, loop_dimensions) = schedules(places);
    let program = Program {
        sizes: isl.parameter_set(&parameters, &allowed)?,
        bounded_sizes: isl.parameter_set(&parameters, &bounded)?,
        parameters,
        loop_dimensions,
        statements: ByStatement::new(),
        dependences: vec![],
        isl,
    };
    require_sizes(kernel, &program)?;
    Ok((program, schedules))
}

/// `[N] -> { a[x] -> a[x'] : x <= x' <= x + 1 and x' < N }`: from a cell to those that are moved along with it ([`super::filled`]).
fn taken_along(isl: &Context, parameters: &[String], array: &kernel::Array) -> Result<Option<Map>> {
    if array.takes_along == 0 {
        return Ok(None);
    }
    let name = |letter: &str, k: usize| fresh(format!("{letter}{k}"), |name| parameters.iter().any(|own| own == name));
    let count = array.extents.len();
    let from: Vec<String> = (0..count).map(|k| name("from", k)).collect();
    let to: Vec<String> = (0..count).map(|k| name("to", k)).collect();
    let mut constraints = vec![];
    for (k, extent) in array.extents.iter().enumerate() {
        let [one, other] = [&from[k], &to[k]].map(Affine::variable);
        if k + 1 < count {
            constraints.push(Constraint::Zero(one - other));
            continue;
        }
        constraints.push(Constraint::at_most(one.clone(), other.clone()));
        constraints.push(Constraint::at_most(other.clone(), one + Affine::constant(array.takes_along)));
        constraints.push(Constraint::at_most(other + Affine::constant(1), extent.clone()));
    }
    let [from, to] = [&from, &to].map(|dimensions| Tuple { name: &array.name, dimensions });
    Ok(Some(isl.map(parameters, from, to, &constraints)?))
}

/// Refuses a kernel that is defined for no sizes.
fn require_sizes(kernel: &Kernel, program: &Program) -> Result<()> {
    if !program.bounded_sizes.is_empty()? {
        return Ok(());
    }
    let bounds: Vec<String> = kernel.parameters.iter().map(kernel::SizeParameter::interval).collect();
    let reasons: Vec<&str> = kernel.domain.iter().map(|condition| condition.reason.as_str()).collect();
    let place = kernel.domain.first().map(|c| c.span).or(kernel.parameters.first().map(|p| p.span));
    Err(Diagnostic::new(format!("no sizes are left for `{}`: of {}", kernel.name, bounds.join(", ")))
        .at(place.unwrap_or_default(), reasons.join("; "))
        .help("widen the bounds: `#pragma burstc size(NAME: min …, max …)`, `--min NAME=…`, `--max NAME=…`")
        .into())
}

/// The statements of `kernel` in textual order.
pub(super) fn places(kernel: &Kernel) -> ByStatement<Place<'_>> {
    let mut collector = Collector::default();
    collector.body(&kernel.body, 0);
    collector.places
}

#[derive(Default)]
struct Collector<'a> {
    loops: Vec<&'a Loop>,
    conditions: Vec<&'a Condition>,
    positions: Vec<usize>,
    places: ByStatement<Place<'a>>,
}

impl<'a> Collector<'a> {
    /// Takes in the nodes of one loop's body, of which `position` loops and statements stand before them; gives the
    /// position behind them. What a condition holds stands in the body itself.
    fn body(&mut self, nodes: &'a [Node], mut position: usize) -> usize {
        for node in nodes {
            match node {
                Node::Statement(statement) => {
                    self.positions.push(position);
                    self.places.push(Place {
                        statement,
                        loops: self.loops.clone(),
                        conditions: self.conditions.clone(),
                        positions: self.positions.clone(),
                    });
                    self.positions.pop();
                    position += 1;
                }
                Node::Loop(inner) => {
                    self.positions.push(position);
                    self.loops.push(inner);
                    self.body(&inner.body, 0);
                    self.loops.pop();
                    self.positions.pop();
                    position += 1;
                }
                Node::If(inner) => {
                    self.conditions.push(&inner.condition);
                    position = self.body(&inner.body, position);
                    self.conditions.pop();
                }
            }
        }
        position
    }
}

/// Names for the dimensions of an array: an iterator where it is the whole subscript in every access, else `x0`, `x1`,
/// ….
pub fn dimension_names(kernel: &Kernel, array: ArrayId) -> Vec<String> {
    std::mem::take(&mut all_dimension_names(kernel)[array])
}

/// The same of all arrays, in one walk through the kernel.
fn all_dimension_names(kernel: &Kernel) -> ByArray<Vec<String>> {
    let places = places(kernel);
    let loops = places.iter().flat_map(|p| &p.loops).map(|l| &l.iterator);
    let quotients = kernel.quotients.iter().map(|q| &q.name);
    let taken: Vec<&String> = kernel.parameters.iter().map(|p| &p.name).chain(loops).chain(quotients).collect();
    let mut letter = "x".to_string();
    while taken.iter().any(|name| name.strip_prefix(&letter).is_some_and(|rest| rest.parse::<usize>().is_ok())) {
        letter.push('x');
    }
    // Of every subscript of the array the first access's, where all are alike.
    let mut common: ByArray<Option<Vec<Option<&Affine>>>> = kernel.arrays.iter().map(|_| None).collect();
    for access in places.iter().flat_map(|p| p.statement.accesses()) {
        match &mut common[access.array] {
            None => common[access.array] = Some(access.subscripts.iter().map(Some).collect()),
            Some(known) => {
                for (position, known) in known.iter_mut().enumerate() {
                    *known = known.filter(|known| access.subscripts.get(position) == Some(known));
                }
            }
        }
    }
    let of = |(declared, common): (&kernel::Array, Option<Vec<Option<&Affine>>>)| {
        let mut names: Vec<String> = vec![];
        for dimension in 0..declared.extents.len() {
            let common = common.as_ref().and_then(|common| *common.get(dimension)?);
            let plain = common.and_then(|s| plain_iterator(kernel, s)).filter(|name| !names.contains(name));
            names.push(plain.unwrap_or_else(|| format!("{letter}{dimension}")));
        }
        names
    };
    kernel.arrays.iter().zip(common).map(of).collect()
}

fn plain_iterator(kernel: &Kernel, subscript: &Affine) -> Option<String> {
    let (name, _) = subscript.terms.first_key_value()?;
    let is_parameter = kernel.parameters.iter().any(|p| p.name == *name);
    let is_quotient = kernel.quotients.iter().any(|q| q.name == *name);
    (*subscript == Affine::variable(name) && !is_parameter && !is_quotient).then(|| name.clone())
}

/// Sizes, iterators and quotients share one name space in every isl object. Loops that do not enclose each other may
/// share an iterator.
fn require_distinct_names(kernel: &Kernel, places: &[Place]) -> Result<()> {
    let refuse = |name: &str, what: &str, other: &str, span: Span| -> Result<()> {
        Err(Diagnostic::new(format!("`{name}` names two things: a {other} and a {what}"))
            .at(span, "second use of the name")
            .help(format!("rename the {what}"))
            .into())
    };
    let mut outer: BTreeMap<&str, &str> = BTreeMap::new();
    for parameter in &kernel.parameters {
        outer.insert(&parameter.name, "size parameter");
    }
    for quotient in &kernel.quotients {
        outer.insert(&quotient.name, "quotient");
    }
    for place in places {
        let mut seen = outer.clone();
        for l in &place.loops {
            if let Some(other) = seen.insert(&l.iterator, "loop iterator") {
                return refuse(&l.iterator, "loop iterator", other, l.span);
            }
        }
    }
    Ok(())
}

/// The order as written, by statement: the iterators with the textual positions between them, without positions that
/// tell no statements apart. With it, the dimension of every loop level.
fn schedules(places: &[Place]) -> (Vec<Vec<Affine>>, Vec<usize>) {
    let depth = places.iter().map(|p| p.loops.len()).max().unwrap_or(0);
    let position = |place: &Place, level: usize| place.positions.get(level).copied().unwrap_or(0) as i64;
    let is_told_apart = |level: usize| places.iter().any(|p| position(p, level) != position(&places[0], level));
    let told_apart: Vec<bool> = (0..=depth).map(is_told_apart).collect();
    let mut loop_dimensions = vec![];
    let mut next = 0;
    for told_apart in &told_apart[..depth] {
        next += usize::from(*told_apart);
        loop_dimensions.push(next);
        next += 1;
    }
    let date = |place: &Place| {
        let mut date = vec![];
        for (level, told_apart) in told_apart.iter().enumerate() {
            if *told_apart {
                date.push(Affine::constant(position(place, level)));
            }
            if level < depth {
                let iterator = place.loops.get(level).map(|l| Affine::variable(&l.iterator));
                date.push(iterator.unwrap_or_default());
            }
        }
        date
    };
    (places.iter().map(date).collect(), loop_dimensions)
}

/// One statement on its way into isl. Its expressions live over iterators and quotients; quotients are then projected
/// out.
struct Model<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    place: &'a Place<'a>,
    iterators: Vec<String>,
    /// Iterators, then the quotients that the statement needs.
    names: Vec<String>,
    /// The iterations with their quotients: `{ [i, q] }`.
    extended: Set,
    /// `{ [i, q] -> S0[i] }`
    forget: Map,
}

impl<'a> Model<'a> {
    fn new(program: &'a Program, kernel: &'a Kernel, place: &'a Place<'a>) -> Result<Self> {
        let iterators: Vec<String> = place.loops.iter().map(|l| l.iterator.clone()).collect();
        let quotients = quotients_of(kernel, place);
        let names: Vec<String> = iterators.iter().cloned().chain(quotients.iter().map(|q| q.name.clone())).collect();
        let isl = &program.isl;
        let tuple = Tuple::unnamed(&names);
        let mut constraints = vec![];
        for l in &place.loops {
            let iterator = Affine::variable(&l.iterator);
            constraints.extend(l.lower.iter().map(|lower| Constraint::at_most(lower.clone(), iterator.clone())));
            constraints.extend(l.upper.iter().map(|upper| Constraint::at_most(iterator.clone(), upper.clone())));
        }
        let mut extended = isl.set(&program.parameters, tuple, &constraints)?.intersect_params(&program.sizes)?;
        for condition in &place.conditions {
            extended = extended.intersect(&holds(isl, &program.parameters, tuple, condition)?)?;
        }
        extended = holds_with_quotients(isl, &program.parameters, tuple, extended, &quotients)?;
        let statement = Tuple { name: &place.statement.name, dimensions: &iterators };
        let values: Vec<Affine> = iterators.iter().map(Affine::variable).collect();
        let forget = isl.function(&program.parameters, tuple, statement, &values)?;
        Ok(Model { program, kernel, place, iterators, names, extended, forget })
    }

    fn statement(&self, schedule: &[Affine], names: &ByArray<Vec<String>>) -> Result<Statement> {
        let isl = &self.program.isl;
        let source = self.place.statement;
        let known = source.targets().filter(|_| source.scatter().is_none());
        let mut references: Vec<_> = known.map(|target| (target, true, self.extended.clone())).collect();
        for read in source.reads() {
            let is_known = |(a, write, _): &(&kernel::Access, bool, Set)| {
                !write && (a.array, &a.subscripts, &a.guard) == (read.array, &read.subscripts, &read.guard)
            };
            if references.iter().any(is_known) {
                continue;
            }
            let happens = self.guarded(read)?;
            self.require_inside(read, &happens)?;
            let same = |(a, write, _): &&mut (&kernel::Access, bool, Set)| {
                !*write && a.array == read.array && a.subscripts == read.subscripts
            };
            match references.iter_mut().find(same) {
                Some((.., known)) if read.guard.is_some() => *known = known.union(&happens)?.coalesce()?,
                Some((.., known)) => *known = happens,
                None => references.push((read, false, happens)),
            }
        }
        for target in source.targets().filter(|_| source.scatter().is_none()) {
            self.require_inside(target, &self.extended)?;
        }
        let tuple = Tuple::unnamed(&self.names);
        let mut accesses = vec![];
        if let Some(place) = source.scatter() {
            let may = self.gathered(place)?;
            // What is not written keeps its value.
            let must = may.subtract(&may)?;
            accesses.push(Access { array: place.array, write: true, subscripts: None, written: vec![], may, must });
        }
        for (access, write, happens) in references {
            let cell = Tuple { name: &self.kernel.arrays[access.array].name, dimensions: &names[access.array] };
            let map = isl
                .function(&self.program.parameters, tuple, cell, &access.subscripts)?
                .intersect_domain(&happens)?
                .apply_domain(&self.forget)?
                .coalesce()?;
            let is_plain = |name: &String| self.iterators.contains(name) || self.program.parameters.contains(name);
            let is_written = access.subscripts.iter().flat_map(|subscript| subscript.terms.keys()).all(is_plain);
            let subscripts = is_written.then(|| access.subscripts.clone());
            let written = access.subscripts.clone();
            accesses.push(Access { array: access.array, write, subscripts, written, may: map.clone(), must: map });
        }
        for gather in source.gathers() {
            let may = self.gathered(gather)?;
            accesses.push(Access {
                array: gather.array,
                write: false,
                subscripts: None,
                written: vec![],
                must: may.clone(),
                may,
            });
        }
        self.move_along(&mut accesses)?;
        let domain = self.extended.apply(&self.forget)?.coalesce()?;
        let statement = Tuple { name: &source.name, dimensions: &self.iterators };
        let order = schedule.to_vec();
        let schedule = isl
            .function(&self.program.parameters, statement, Tuple::anonymous(), schedule)?
            .intersect_domain(&domain)?;
        Ok(Statement {
            name: source.name.clone(),
            iterators: self.iterators.clone(),
            domain,
            schedule,
            order,
            accesses,
            span: source.span,
        })
    }

    /// The cells that subscripts that depend on data may name: all of the array that such values can name.
    fn gathered(&self, gather: &kernel::Gather) -> Result<Map> {
        let (isl, parameters) = (&self.program.isl, &self.program.parameters);
        let array = &self.kernel.arrays[gather.array];
        let mut prefix = "cell".to_string();
        while self.names.iter().chain(parameters).any(|name| name.starts_with(&prefix)) {
            prefix.push('_');
        }
        let cell: Vec<String> = (0..array.extents.len()).map(|dimension| format!("{prefix}{dimension}")).collect();
        let mut constraints = vec![];
        for (dimension, (name, extent)) in cell.iter().zip(&array.extents).enumerate() {
            let place = Affine::variable(name);
            constraints.push(Constraint::NonNegative(place.clone()));
            constraints.push(Constraint::NonNegative(extent.clone() - place.clone() - Affine::constant(1)));
            match gather.known(dimension) {
                Some(known) => constraints.push(Constraint::Zero(place - known)),
                None => {
                    let (low, high) = gather.limits(dimension);
                    constraints.push(Constraint::at_most(Affine::constant(low), place.clone()));
                    constraints.push(Constraint::at_most(place, Affine::constant(high)));
                }
            }
        }
        let range = Tuple { name: &array.name, dimensions: &cell };
        isl.map(parameters, Tuple::unnamed(&self.names), range, &constraints)?
            .intersect_domain(&self.extended)?
            .apply_domain(&self.forget)?
            .coalesce()
    }

    /// Adds to the accesses what is moved along with them: to reads what no iteration needs, and writes that never happen.
    fn move_along(&self, accesses: &mut [Access]) -> Result<()> {
        for access in accesses {
            let declared = &self.kernel.arrays[access.array];
            // One element has none behind it in the next iteration.
            if access.written.last().is_none_or(Affine::is_constant) {
                continue;
            }
            if let Some(along) = taken_along(&self.program.isl, &self.program.parameters, declared)? {
                access.may = access.may.apply_range(&along)?;
                if !access.write {
                    access.must = access.may.clone();
                }
            }
        }
        Ok(())
    }

    /// The iterations in which an access happens.
    fn guarded(&self, access: &kernel::Access) -> Result<Set> {
        let Some(guard) = &access.guard else { return Ok(self.extended.clone()) };
        let tuple = Tuple::unnamed(&self.names);
        self.extended.intersect(&holds(&self.program.isl, &self.program.parameters, tuple, guard)?)
    }

    /// An iteration among `iterations`, with the sizes, in which `violation` holds: names and values.
    fn example(&self, violation: Constraint, iterations: &Set, sizes: &Set) -> Result<Option<Vec<(String, i64)>>> {
        let isl = &self.program.isl;
        let bad = isl
            .set(&self.program.parameters, Tuple::unnamed(&self.names), &[violation])?
            .intersect(iterations)?
            .intersect_params(sizes)?;
        let Some(point) = bad.parameters_to_dimensions()?.least_point()? else { return Ok(None) };
        let names = self.program.parameters.iter().chain(&self.names).cloned();
        Ok(Some(names.zip(point).collect()))
    }

    /// Where an access leaves its array, for some sizes up to their bounds that give every array an element.
    fn outside(&self, access: &kernel::Access, happens: &Set) -> Result<Option<Outside>> {
        let sizes = sizes_with_elements(self.program, self.kernel)?;
        let extents = &self.kernel.arrays[access.array].extents;
        for (place, (subscript, extent)) in access.subscripts.iter().zip(extents).enumerate() {
            let below = Constraint::at_most(subscript.clone(), Affine::constant(-1));
            let above = Constraint::at_most(extent.clone(), subscript.clone());
            for (outside, is_above) in [(below, false), (above, true)] {
                if let Some(example) = self.example(outside, happens, &sizes)? {
                    let shown = self.program.parameters.len() + self.iterators.len();
                    let at = self.kernel.example(&example[..shown]);
                    let access = access.clone();
                    return Ok(Some(Outside {
                        access,
                        place,
                        is_above,
                        at,
                        iterators: self.iterators.clone(),
                        example,
                    }));
                }
            }
        }
        Ok(None)
    }

    /// Every subscript lies in its extent, wherever the access happens.
    fn require_inside(&self, access: &kernel::Access, happens: &Set) -> Result<()> {
        let array = &self.kernel.arrays[access.array];
        let written: Vec<Affine> = access.subscripts.iter().map(|s| self.kernel.as_written(s)).collect();
        let text: String = written.iter().map(|s| format!("[{s}]")).collect();
        if access.subscripts.len() != array.extents.len() {
            return Err(Diagnostic::new(format!(
                "`{}{text}` has {} subscripts, the array has {}",
                array.name,
                access.subscripts.len(),
                array.extents.len()
            ))
            .at(access.span, "wrong number of subscripts")
            .help("give one subscript per extent of the array")
            .into());
        }
        let Some(Outside { place, is_above, at, example, .. }) = self.outside(access, happens)? else { return Ok(()) };
        let (subscript, written, extent) = (&access.subscripts[place], &written[place], &array.extents[place]);
        let value = value_in(&example);
        let limit = match is_above {
            true => format!("the extent `{extent}` is {}", extent.evaluate(&value)),
            false => "below 0".to_string(),
        };
        let name = &array.name;
        let reached = subscript.evaluate(&value);
        // C goes on in the row beside.
        if array.in_one && place > 0 {
            let all: String = array.extents.iter().map(|extent| format!("[{extent}]")).collect();
            return Err(Diagnostic::new(format!(
                "a place in `{name}` leaves its row: as an element of `{name}{all}` it is `{name}{text}`, and for {at} the \
                 subscript `{written}` is {reached}, {limit}"
            ))
            .at(access.span, "outside of the row")
            .help(format!(
                "burstc takes `{name}` by rows: let each loop end where a row does, or write what is in the next row as \
                 that, as in `x + 1 < w ? a[y * w + x + 1] : a[(y + 1) * w]`"
            ))
            .into());
        }
        Err(Diagnostic::new(format!(
            "`{name}{text}` leaves its array: for {at} the subscript `{written}` is {reached}, {limit}"
        ))
        .at(access.span, "outside of the array")
        .help(format!("declare `{name}` larger or tighten the loop bounds"))
        .into())
    }
}

/// An access that leaves its array.
pub(super) struct Outside {
    pub access: kernel::Access,
    /// By which subscript.
    pub place: usize,
    is_above: bool,
    /// Sizes and iterators of such an iteration, in words.
    pub at: String,
    pub iterators: Vec<String>,
    example: Vec<(String, i64)>,
}

/// By statement, the accesses that leave their array in some iteration.
pub(super) fn outside(kernel: &Kernel) -> Result<ByStatement<Vec<Outside>>> {
    let places = places(kernel);
    let (program, _) = without_statements(kernel, &places.raw)?;
    let of = |place: &Place| {
        let model = Model::new(&program, kernel, place)?;
        let mut found = vec![];
        for access in place.statement.accesses() {
            found.extend(model.outside(access, &model.guarded(access)?)?);
        }
        Ok(found)
    };
    places.iter().map(of).collect()
}

/// `0 <= numerator - divisor * quotient < divisor`
fn rounded_down(quotient: &Quotient) -> [Constraint; 2] {
    let remainder = quotient.numerator.clone() - Affine::variable(&quotient.name) * quotient.divisor;
    let most = Constraint::at_most(remainder.clone(), Affine::constant(quotient.divisor - 1));
    [Constraint::NonNegative(remainder), most]
}

/// `-divisor < numerator - divisor * quotient <= 0`
fn rounded_up(quotient: &Quotient) -> [Constraint; 2] {
    let missing = Affine::variable(&quotient.name) * quotient.divisor - quotient.numerator.clone();
    let most = Constraint::at_most(missing.clone(), Affine::constant(quotient.divisor - 1));
    [Constraint::NonNegative(missing), most]
}

/// The sizes within their bounds for which every array of the caller has an element.
pub(super) fn sizes_with_elements(program: &Program, kernel: &Kernel) -> Result<Set> {
    program.isl.parameter_set(&program.parameters, &with_elements(kernel))?.intersect(&program.bounded_sizes)
}

/// That every array of the caller has an element.
pub(super) fn with_elements(kernel: &Kernel) -> Vec<Constraint> {
    let arguments = kernel.arrays.iter().filter(|a| a.storage == Storage::Argument);
    let extents = arguments.flat_map(|a| &a.extents);
    extents.map(|extent| Constraint::at_most(Affine::constant(1), extent.clone())).collect()
}

pub(super) fn value_in(example: &[(String, i64)]) -> impl Fn(&str) -> i64 + '_ {
    |name| example.iter().find(|(n, _)| n == name).map_or(0, |(_, v)| *v)
}

/// The quotients that the statement's bounds, conditions and subscripts need, each after those it uses.
fn quotients_of<'a>(kernel: &'a Kernel, place: &Place) -> Vec<&'a Quotient> {
    let bounds = place.loops.iter().flat_map(|l| l.lower.iter().chain(&l.upper));
    let statement = place.statement;
    let indices = statement.values().flat_map(Expr::indices);
    let mut affines: Vec<&Affine> =
        bounds.chain(statement.accesses().flat_map(|a| &a.subscripts)).chain(indices).collect();
    place.conditions.iter().for_each(|c| affines.extend(c.affines()));
    affines.extend(statement.reads().into_iter().filter_map(|read| read.guard.as_ref()).flat_map(Condition::affines));
    quotients_among(kernel, affines.into_iter())
}

/// The quotients that expressions need, each after those it uses.
pub(super) fn quotients_among<'a, 'x>(
    kernel: &'a Kernel,
    affines: impl Iterator<Item = &'x Affine>,
) -> Vec<&'a Quotient> {
    let mut used: BTreeSet<String> = affines.flat_map(|affine| affine.terms.keys().cloned()).collect();
    // A quotient names earlier ones only.
    for quotient in kernel.quotients.iter().rev() {
        if used.contains(&quotient.name) {
            used.extend(quotient.numerator.terms.keys().cloned());
        }
    }
    kernel.quotients.iter().filter(|q| used.contains(&q.name)).collect()
}

/// The points of `points`, whose dimensions are those of `tuple`, where all of `quotients` have their values.
pub(super) fn holds_with_quotients(
    isl: &Context,
    parameters: &[String],
    tuple: Tuple,
    points: Set,
    quotients: &[&Quotient],
) -> Result<Set> {
    let (truncating, down): (Vec<&Quotient>, Vec<_>) = quotients.iter().partition(|q| q.truncates);
    let down: Vec<Constraint> = down.into_iter().flat_map(rounded_down).collect();
    let mut points = if down.is_empty() { points } else { points.intersect(&isl.set(parameters, tuple, &down)?)? };
    for quotient in truncating {
        let numerator = &quotient.numerator;
        let from = |side: Constraint, rounded: [Constraint; 2]| {
            let [low, high] = rounded;
            isl.set(parameters, tuple, &[side, low, high])?.intersect(&points)
        };
        let positive = from(Constraint::NonNegative(numerator.clone()), rounded_down(quotient))?;
        let negative = from(Constraint::at_most(numerator.clone(), Affine::constant(-1)), rounded_up(quotient))?;
        // Two parts only where both have points: every part costs downstream.
        points = if negative.is_empty()? { positive } else { positive.union(&negative)?.coalesce()? };
    }
    Ok(points)
}

/// The points of `tuple` where `condition` holds.
pub(super) fn holds(isl: &Context, parameters: &[String], tuple: Tuple, condition: &Condition) -> Result<Set> {
    let set = |constraints: &[Constraint]| isl.set(parameters, tuple, constraints);
    let holds = |part: &Condition| holds(isl, parameters, tuple, part);
    match condition {
        Condition::NonNegative(affine) => set(&[Constraint::NonNegative(affine.clone())]),
        Condition::Zero(affine) => set(&[Constraint::Zero(affine.clone())]),
        Condition::All(parts) => parts.iter().try_fold(set(&[])?, |all, part| all.intersect(&holds(part)?)),
        Condition::Any(parts) => {
            let none = set(&[])?.subtract(&set(&[])?)?;
            parts.iter().try_fold(none, |any, part| any.union(&holds(part)?))
        }
        Condition::Not(part) => set(&[])?.subtract(&holds(part)?),
    }
}

/// Pairs of instances in schedule order that touch the same cell, at least one writing:
/// for `c[i + j] += …` the flow, anti and output dependence is `{ S0[i, j] -> S0[i', j'] : i + j = i' + j', i < i' }`.
fn dependences(program: &Program) -> Result<Vec<Dependence>> {
    let mut found: BTreeMap<(StatementId, StatementId, ArrayId, DependenceKind), Map> = BTreeMap::new();
    // Without the domains, whose pieces the pairs have already.
    let date = |statement: &Statement| {
        let instance = Tuple { name: &statement.name, dimensions: &statement.iterators };
        program.isl.function(&program.parameters, instance, Tuple::anonymous(), &statement.order)
    };
    let dates = program.statements.iter().map(date).collect::<Result<Vec<_>>>()?;
    for (s, source) in program.statements.iter_enumerated() {
        for (t, sink) in program.statements.iter_enumerated() {
            let shares = |a: &Access| sink.accesses.iter().any(|b| !a.is_apart(b) && (a.write || b.write));
            if !source.accesses.iter().any(shares) {
                continue;
            }
            let before = dates[s.0].lex_lt_map(&dates[t.0])?;
            for first in &source.accesses {
                for second in sink.accesses.iter().filter(|a| !a.is_apart(first)) {
                    let kind = match (first.write, second.write) {
                        (true, false) => DependenceKind::Flow,
                        (false, true) => DependenceKind::Anti,
                        (true, true) => DependenceKind::Output,
                        (false, false) => continue,
                    };
                    let pairs = first.may.apply_range(&second.may.reverse()?)?.intersect(&before)?.coalesce()?;
                    if pairs.is_empty()? {
                        continue;
                    }
                    let key = (s, t, first.array, kind);
                    let pairs = match found.remove(&key) {
                        Some(other) => other.union(&pairs)?.coalesce()?,
                        None => pairs,
                    };
                    found.insert(key, pairs);
                }
            }
        }
    }
    Ok(found
        .into_iter()
        .map(|((source, sink, array, kind), relation)| Dependence { kind, source, sink, array, relation })
        .collect())
}
