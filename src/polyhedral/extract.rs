//! Walks the loop nest and builds the [`Program`].

use std::collections::BTreeMap;

use anyhow::Result;

use super::isl::{Constraint, Context, Map, Tuple};
use super::{Access, Dependence, DependenceKind, Program, Statement};
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};
use crate::source::kernel::{self, Kernel, Loop, Node};

/// A statement with the loops around it and its place in each of their bodies.
struct Place<'a> {
    statement: &'a kernel::Statement,
    loops: Vec<&'a Loop>,
    /// One more than `loops`.
    positions: Vec<usize>,
}

/// The polyhedral model of `kernel`.
///
/// # Errors
/// A [`Diagnostic`] where an access can leave its array for some size, where a name is taken twice, and for nests
/// that are not analysed yet.
pub fn extract(kernel: &Kernel) -> Result<Program> {
    let mut places = vec![];
    collect(&kernel.body, &mut vec![], &mut vec![], &mut places);
    require_one_perfect_nest(kernel, &places)?;
    require_distinct_names(kernel, &places)?;

    let isl = Context::new()?;
    let parameters: Vec<String> = kernel.parameters.iter().map(|p| p.name.clone()).collect();
    let at_least_0: Vec<_> = parameters.iter().map(|p| Constraint::NonNegative(Affine::variable(p))).collect();
    let mut bounded = at_least_0.clone();
    for parameter in &kernel.parameters {
        if let Some(max) = parameter.max {
            bounded.push(Constraint::at_most(Affine::variable(&parameter.name), Affine::constant(max)));
        }
    }
    let mut program = Program {
        sizes: isl.parameter_set(&parameters, &at_least_0)?,
        bounded_sizes: isl.parameter_set(&parameters, &bounded)?,
        parameters,
        statements: vec![],
        dependences: vec![],
        isl,
    };
    let schedules = schedules(&places);
    for (place, schedule) in places.iter().zip(schedules) {
        let statement = statement(&program, kernel, place, &schedule)?;
        program.statements.push(statement);
    }
    program.dependences = dependences(&program)?;
    Ok(program)
}

fn collect<'a>(nodes: &'a [Node], loops: &mut Vec<&'a Loop>, positions: &mut Vec<usize>, places: &mut Vec<Place<'a>>) {
    for (position, node) in nodes.iter().enumerate() {
        positions.push(position);
        match node {
            Node::Statement(statement) => {
                places.push(Place { statement, loops: loops.clone(), positions: positions.clone() });
            }
            Node::Loop(inner) => {
                loops.push(inner);
                collect(&inner.body, loops, positions, places);
                loops.pop();
            }
            Node::If(inner) => collect(&inner.body, loops, positions, places),
        }
        positions.pop();
    }
}

/// Names for the dimensions of an array: an iterator where it is the whole subscript in every access, else `x0`, `x1`,
/// ….
pub fn dimension_names(kernel: &Kernel, array: usize) -> Vec<String> {
    let mut places = vec![];
    collect(&kernel.body, &mut vec![], &mut vec![], &mut places);
    let loops = places.iter().flat_map(|p| &p.loops).map(|l| &l.iterator);
    let taken: Vec<&String> = kernel.parameters.iter().map(|p| &p.name).chain(loops).collect();
    let mut letter = "x".to_string();
    while taken.iter().any(|name| name.strip_prefix(&letter).is_some_and(|rest| rest.parse::<usize>().is_ok())) {
        letter.push('x');
    }
    let accesses: Vec<&kernel::Access> = places
        .iter()
        .flat_map(|p| p.statement.value.reads().into_iter().chain([&p.statement.target]))
        .filter(|a| a.array == array)
        .collect();
    let mut names: Vec<String> = vec![];
    for dimension in 0..kernel.arrays[array].extents.len() {
        let mut subscripts = accesses.iter().map(|a| a.subscripts.get(dimension));
        let first = subscripts.next().flatten();
        let common = first.filter(|f| subscripts.all(|s| s == Some(*f)));
        let plain = common.and_then(|s| plain_iterator(kernel, s)).filter(|name| !names.contains(name));
        names.push(plain.unwrap_or_else(|| format!("{letter}{dimension}")));
    }
    names
}

fn plain_iterator(kernel: &Kernel, subscript: &Affine) -> Option<String> {
    let (name, _) = subscript.terms.first_key_value()?;
    let is_parameter = kernel.parameters.iter().any(|p| p.name == *name);
    (*subscript == Affine::variable(name) && !is_parameter).then(|| name.clone())
}

fn require_one_perfect_nest(kernel: &Kernel, places: &[Place]) -> Result<()> {
    match places {
        [] => Err(Diagnostic::new(format!("the function `{}` computes nothing", kernel.name))
            .help("burstc compiles one loop nest around one assignment to an array")
            .into()),
        [place] if place.loops.is_empty() => {
            Err(Diagnostic::new("an assignment outside of every loop cannot be offloaded yet")
                .at(place.statement.span, "not in a loop")
                .help("put the assignment into a loop nest")
                .into())
        }
        [_] => Ok(()),
        [_, second, ..] => Err(Diagnostic::new(format!(
            "the function `{}` has {} assignments; more than one is not supported yet",
            kernel.name,
            places.len()
        ))
        .at(second.statement.span, "the second assignment")
        .help("split the function: one perfect loop nest around one assignment each")
        .into()),
    }
}

fn require_distinct_names(kernel: &Kernel, places: &[Place]) -> Result<()> {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    let mut claim = |name, what, span: Span| -> Result<()> {
        let tile =
            |n: &str| n.strip_prefix('T').is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
        if tile(name) {
            return Err(Diagnostic::new(format!("the name `{name}` is taken: T0, T1, … are the tile indices"))
                .at(span, "reserved name")
                .help(format!("rename the {what}"))
                .into());
        }
        match seen.insert(name, what) {
            None => Ok(()),
            Some(other) => Err(Diagnostic::new(format!("`{name}` names two things: a {other} and a {what}"))
                .at(span, "second use of the name")
                .help(format!("rename the {what}"))
                .into()),
        }
    };
    for parameter in &kernel.parameters {
        claim(&parameter.name, "size parameter", parameter.span)?;
    }
    for l in places.iter().flat_map(|p| &p.loops) {
        claim(&l.iterator, "loop iterator", l.span)?;
    }
    Ok(())
}

/// The order as written, by statement: the iterators with the textual positions between them, without positions that
/// tell no statements apart.
fn schedules(places: &[Place]) -> Vec<Vec<Affine>> {
    let depth = places.iter().map(|p| p.loops.len()).max().unwrap_or(0);
    let position = |place: &Place, level: usize| place.positions.get(level).copied().unwrap_or(0) as i64;
    let is_told_apart = |level: usize| places.iter().any(|p| position(p, level) != position(&places[0], level));
    let told_apart: Vec<bool> = (0..=depth).map(is_told_apart).collect();
    places
        .iter()
        .map(|place| {
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
        })
        .collect()
}

fn statement(program: &Program, kernel: &Kernel, place: &Place, schedule: &[Affine]) -> Result<Statement> {
    let isl = &program.isl;
    let name = &place.statement.name;
    let iterators: Vec<String> = place.loops.iter().map(|l| l.iterator.clone()).collect();
    let tuple = Tuple { name, dimensions: &iterators };

    let mut bounds = vec![];
    for l in &place.loops {
        let iterator = Affine::variable(&l.iterator);
        bounds.extend(l.lower.iter().map(|lower| Constraint::at_most(lower.clone(), iterator.clone())));
        bounds.extend(l.upper.iter().map(|upper| Constraint::at_most(iterator.clone(), upper.clone())));
    }
    let domain = isl.set(&program.parameters, tuple, &bounds)?.intersect_params(&program.sizes)?;

    let mut references = vec![(&place.statement.target, true)];
    for read in place.statement.value.reads() {
        if !references.iter().any(|(a, write)| !write && a.array == read.array && a.subscripts == read.subscripts) {
            references.push((read, false));
        }
    }
    let mut accesses = vec![];
    for (access, write) in references {
        require_inside(program, kernel, tuple, &bounds, access)?;
        let names = dimension_names(kernel, access.array);
        let cell = Tuple { name: &kernel.arrays[access.array].name, dimensions: &names };
        let map = isl.function(&program.parameters, tuple, cell, &access.subscripts)?.intersect_domain(&domain)?;
        accesses.push(Access { array: access.array, write, may: map.clone(), must: map });
    }
    let schedule = isl.function(&program.parameters, tuple, Tuple::anonymous(), schedule)?.intersect_domain(&domain)?;
    Ok(Statement {
        name: name.clone(),
        iterators: iterators.clone(),
        domain,
        schedule,
        accesses,
        span: place.statement.span,
    })
}

/// Every subscript lies in its extent, for every size and iteration.
fn require_inside(
    program: &Program,
    kernel: &Kernel,
    tuple: Tuple,
    bounds: &[Constraint],
    access: &kernel::Access,
) -> Result<()> {
    let array = &kernel.arrays[access.array];
    let text: String = access.subscripts.iter().map(|s| format!("[{s}]")).collect();
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
    for (subscript, extent) in access.subscripts.iter().zip(&array.extents) {
        let below = Constraint::at_most(subscript.clone(), Affine::constant(-1));
        let above = Constraint::at_most(extent.clone(), subscript.clone());
        for (outside, is_above) in [(below, false), (above, true)] {
            let constraints: Vec<_> = bounds.iter().cloned().chain([outside]).collect();
            let bad = program.isl.set(&program.parameters, tuple, &constraints)?.intersect_params(&program.sizes)?;
            let Some(point) = bad.parameters_to_dimensions()?.lexmin()?.sample()? else {
                continue;
            };
            let names: Vec<&String> = program.parameters.iter().chain(tuple.dimensions).collect();
            let value = |name: &str| names.iter().position(|n| *n == name).map_or(0, |p| point[p]);
            let example: Vec<_> = names.iter().zip(&point).map(|(n, v)| format!("{n} = {v}")).collect();
            let limit = match is_above {
                true => format!("the extent `{extent}` is {}", extent.evaluate(value)),
                false => "below 0".to_string(),
            };
            return Err(Diagnostic::new(format!(
                "`{}{text}` leaves its array: for {} the subscript `{subscript}` is {}, {limit}",
                array.name,
                example.join(", "),
                subscript.evaluate(value)
            ))
            .at(access.span, "outside of the array")
            .help(format!("declare `{}` larger or tighten the loop bounds", array.name))
            .into());
        }
    }
    Ok(())
}

/// Pairs of instances in schedule order that touch the same cell, at least one writing:
/// for `c[i + j] += …` the flow, anti and output dependence is `{ S0[i, j] -> S0[i', j'] : i + j = i' + j', i < i' }`.
fn dependences(program: &Program) -> Result<Vec<Dependence>> {
    let mut found: BTreeMap<(usize, usize, usize, DependenceKind), Map> = BTreeMap::new();
    for (s, source) in program.statements.iter().enumerate() {
        for (t, sink) in program.statements.iter().enumerate() {
            let before = source.schedule.lex_lt_map(&sink.schedule)?;
            for first in &source.accesses {
                for second in sink.accesses.iter().filter(|a| a.array == first.array) {
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
