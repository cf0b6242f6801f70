//! From tiles and schedules as written to the bands of the kernel.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Dates, Directives, Named, NamedStatement, Order, Plain, Sum, Tile, What, Written, join};
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};
use crate::source::kernel::{
    Loop, Node, OrderDirective, Quotient, Schedule, SizeParameter, Statement, TilingDirective,
};
use crate::source::nest::Body;
use crate::source::preprocess::Word;
use crate::source::scope::{Checked, nearest};

/// A statement and its place: on each level the block it stands in, and its position there.
#[derive(Clone)]
struct Place<'b> {
    statement: &'b Statement,
    blocks: Vec<(&'b [Node], usize)>,
    loops: Vec<&'b Loop>,
}

/// What is known of the kernel where directives are read.
struct Context<'b> {
    body: &'b Body,
    parameters: &'b [SizeParameter],
    quotients: &'b [Quotient],
    places: Vec<Place<'b>>,
    /// Whether a name stands in the text.
    is_written: &'b dyn Fn(&str) -> bool,
}

/// The directives of one nest.
#[derive(Default)]
struct Ours<'d> {
    tile: Option<&'d Tile>,
    plain: Option<&'d Plain>,
}

impl Directives {
    /// The bands that the directives ask for, in the order in which they run; none without directives. Iterators that are not
    /// `is_written` in the text count loops that burstc made, which no directive can name: tiles have all of them.
    pub fn tilings(
        &self,
        body: &Body,
        parameters: &[SizeParameter],
        quotients: &[Quotient],
        is_written: &dyn Fn(&str) -> bool,
    ) -> Checked<Vec<TilingDirective>> {
        if self.written.is_empty() {
            return Ok(vec![]);
        }
        let mut places = vec![];
        collect(&body.nodes, &mut vec![], &mut vec![], &mut places);
        let context = Context { body, parameters, quotients, places, is_written };
        match self.name_statements() {
            true => self.named_bands(&context),
            false => self.bands_of_nests(&context),
        }
    }

    /// Whether schedules say which statements they are for.
    pub fn name_statements(&self) -> bool {
        self.written.iter().any(|written| matches!(written.what, What::Named(_)))
    }

    /// One band for each `schedule(S0[…] -> …) tile(…)`.
    fn named_bands(&self, context: &Context) -> Checked<Vec<TilingDirective>> {
        let mut tilings: Vec<TilingDirective> = vec![];
        for pair in self.written.chunks(2) {
            let (named, tile) = match pair {
                [Written { what: What::Named(named), .. }, Written { what: What::Tile(tile), .. }]
                | [Written { what: What::Tile(tile), .. }, Written { what: What::Named(named), .. }] => (named, tile),
                [Written { what: What::Named(named), .. }, ..] => {
                    return Err(no_tile(named.span, named.statements.first().map_or(0, |s| s.theta.len())));
                }
                [Written { what, .. }, ..] => {
                    return Err(Diagnostic::new("some directives name statements, and this one does not")
                        .at(what.span(), "names no statement")
                        .help("give every band as `schedule(S0[i] -> (i); …) tile(…)`, or none"));
                }
                [] => continue,
            };
            tilings.push(context.named(named, tile, &tilings)?);
        }
        // Those that never run need no band: the analysis looks whether any other is left out.
        Ok(tilings)
    }

    /// The tiles and schedules before each nest.
    fn bands_of_nests(&self, context: &Context) -> Checked<Vec<TilingDirective>> {
        let Body { nodes, places, .. } = context.body;
        let mut nests: Vec<&Range<usize>> =
            nodes.iter().zip(places).filter(|(node, _)| has_loop(node)).map(|(_, place)| place).collect();
        nests.dedup();
        let mut ours: Vec<Ours> = nests.iter().map(|_| Ours::default()).collect();
        for written in &self.written {
            let nest = nests.iter().position(|place| written.start < place.end).unwrap_or(nests.len().max(1) - 1);
            let Some(slot) = ours.get_mut(nest) else { continue };
            let again = match &written.what {
                What::Tile(tile) => slot.tile.replace(tile).is_some(),
                What::Plain(plain) => slot.plain.replace(plain).is_some(),
                What::Named(_) => false,
            };
            if again {
                let word = if matches!(written.what, What::Tile(_)) { "tile" } else { "schedule" };
                let span = Span { length: word.len(), ..written.what.span() };
                return Err(Diagnostic::new(format!("a second `{word}` directive"))
                    .at(span, "again")
                    .help("a nest has one tiling; with several nests, put each directive before its own"));
            }
        }
        let mut tilings = vec![];
        for (position, (node, place)) in nodes.iter().zip(places).enumerate() {
            let mut inside = vec![];
            collect(std::slice::from_ref(node), &mut vec![], &mut vec![], &mut inside);
            let mut tiling = match nests.iter().position(|nest| *nest == place).filter(|_| has_loop(node)) {
                Some(nest) => match (&ours[nest].plain, &ours[nest].tile) {
                    (None, None) => context.whole(node, &inside).ok_or_else(|| self.without_tile(context, &inside))?,
                    (None, Some(tile)) => context.tile_by_loops(tile, node, &inside)?,
                    (Some(plain), None) => return Err(no_tile(plain.span, plain.theta.len())),
                    (Some(plain), Some(tile)) => context.scheduled(plain, tile, &inside)?,
                },
                None => as_one(&inside),
            };
            if nodes.len() > 1 {
                for schedule in &mut tiling.schedules {
                    schedule.theta.insert(0, Affine::constant(position as i64));
                }
                tiling.sizes.insert(0, 1);
                tiling.lanes = tiling.lanes.map(|lanes| lanes.behind(1));
                tiling.units.iter_mut().flat_map(|units| &mut units.dimension).for_each(|dimension| *dimension += 1);
            }
            tilings.push(tiling);
        }
        Ok(tilings)
    }

    /// Some nests have directives, and this one has none.
    fn without_tile(&self, context: &Context, inside: &[Place]) -> Diagnostic {
        let names: Vec<String> = inside.iter().map(|place| format!("`{}`", place.statement.name)).collect();
        let head = inside.first().and_then(|place| place.loops.first());
        let span = head.map(|head| head.span).unwrap_or_default();
        let mut loops: Vec<String> = vec![];
        for name in inside.iter().flat_map(|place| &place.loops).map(|l| context.user_name(l)) {
            if !loops.contains(&name) {
                loops.push(name);
            }
        }
        Diagnostic::new(format!("other loops have a `tile`, and those around {} have none", names.join(", ")))
            .at(span, "no `tile` before it")
            .help(format!("put `#pragma burstc {}` before the loop, or remove all directives", example(&loops)))
    }
}

impl What {
    fn span(&self) -> Span {
        match self {
            What::Tile(tile) => tile.span,
            What::Plain(plain) => plain.span,
            What::Named(named) => named.span,
        }
    }
}

impl Context<'_> {
    /// The user's name for the loop's iterator.
    fn user_name(&self, l: &Loop) -> String {
        self.body.sources.get(&l.iterator).map_or(&l.iterator, |(name, _)| name).clone()
    }

    /// Whether the text has no name for the loop's iterator.
    fn is_made(&self, l: &Loop) -> bool {
        !self.body.sources.contains_key(&l.iterator) && !(self.is_written)(&l.iterator)
    }

    /// A nest whose loops burstc made, all in one tile.
    fn whole(&self, node: &Node, inside: &[Place]) -> Option<TilingDirective> {
        let mut loops = vec![];
        collect_loops(std::slice::from_ref(node), &mut loops);
        loops.iter().all(|l| self.is_made(l)).then(|| as_one(inside))
    }

    /// The values of the loops `tiled` in every statement.
    fn schedules(&self, tiled: &[&str], inside: &[Place], span: Span) -> Checked<Vec<Schedule>> {
        let schedule = |place: &Place| {
            let value = |name: &str| match place.loops.iter().find(|l| self.is_called(l, name)) {
                Some(l) => Ok(Affine::variable(&l.iterator)),
                None => self.beside(place, name).ok_or_else(|| beside_no_loop(place, name, span)),
            };
            let theta = tiled.iter().map(|name| value(name)).collect::<Checked<_>>()?;
            Ok(Schedule { statement: place.statement.name.clone(), theta })
        };
        inside.iter().map(schedule).collect()
    }

    fn is_called(&self, l: &Loop, name: &str) -> bool {
        l.iterator == name || self.user_name(l) == name
    }

    /// θ is the loops in the order of the tile; what stands beside a loop runs with its first or last iteration.
    fn tile_by_loops(&self, tile: &Tile, node: &Node, inside: &[Place]) -> Checked<TilingDirective> {
        let mut loops = vec![];
        collect_loops(std::slice::from_ref(node), &mut loops);
        let mut names: Vec<String> = vec![];
        for l in loops.iter().filter(|l| !self.is_made(l)) {
            let name = self.user_name(l);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let example = format!("write `{}`", example(&names));
        let mut tiled: Vec<&str> = vec![];
        for (name, _, span) in &tile.items {
            let Some(name) = name else {
                return Err(Diagnostic::new("a tile size does not say which loop it is for")
                    .at(*span, "no loop")
                    .help(format!("{example}, or add a schedule")));
            };
            if !loops.iter().any(|l| self.is_called(l, &name.text)) {
                let help = match nearest(&name.text, names.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => example,
                };
                return Err(Diagnostic::new(format!("no loop counts with `{}`", name.text))
                    .at(name.span, "not an iterator")
                    .help(help));
            }
            if tiled.contains(&name.text.as_str()) {
                return Err(Diagnostic::new(format!("the loop over `{}` is tiled twice", name.text))
                    .at(name.span, "again")
                    .help("name each loop once"));
            }
            tiled.push(&name.text);
        }
        let is_named = |l: &Loop| tiled.iter().any(|name| self.is_called(l, name));
        if let Some(missing) = loops.iter().find(|l| !self.is_made(l) && !is_named(l)) {
            let missing = self.user_name(missing);
            return Err(Diagnostic::new(format!("the tile leaves out the loop over `{missing}`"))
                .at(tile.span, format!("no `{missing}`"))
                .help(example));
        }
        let schedules = self.schedules(&tiled, inside, tile.span)?;
        let sizes = tile.items.iter().map(|(_, size, _)| *size).collect();
        let order = self.order_by_loops(tile, &tiled, &schedules)?;
        let (strip, lanes, units) = (tile.strip()?, tile.lanes, tile.units);
        Ok(TilingDirective { schedules, sizes, strip, lanes, units, order, span: tile.span })
    }

    /// The order inside tiles along the loops `tiled`, of which `schedules` are the values.
    fn order_by_loops(&self, tile: &Tile, tiled: &[&str], schedules: &[Schedule]) -> Checked<Option<OrderDirective>> {
        let Some(Order { span, dates }) = &tile.order else { return Ok(None) };
        let sums = match dates {
            Dates::Named(statements) => return self.named_order(statements, schedules, *span).map(Some),
            Dates::Plain(sums) => sums,
        };
        // The tile may have the user's name of a loop, and the order the kernel's.
        let is_same = |own: &str, name: &str| {
            let mut loops = self.places.iter().flat_map(|place| &place.loops);
            loops.any(|l| self.is_called(l, own) && self.is_called(l, name))
        };
        let of = |name: &str| {
            let exactly = tiled.iter().position(|own| *own == name);
            exactly.or_else(|| tiled.iter().position(|own| is_same(own, name)))
        };
        for name in sums.iter().flat_map(|sum| &sum.names) {
            if of(&name.text).is_none() && !self.is_size(&name.text) {
                return Err(unknown(name, tiled.iter().copied()));
            }
        }
        let date = |schedule: &Schedule| {
            let value = |name: &str| of(name).map_or_else(|| Affine::variable(name), |k| schedule.theta[k].clone());
            let theta = sums.iter().map(|sum| sum.value.substitute(value)).collect();
            Schedule { statement: schedule.statement.clone(), theta }
        };
        Ok(Some(OrderDirective { dates: schedules.iter().map(date).collect(), span: *span }))
    }

    /// The dates of all statements that `schedules` has, by their names.
    fn named_order(
        &self,
        statements: &[NamedStatement],
        schedules: &[Schedule],
        span: Span,
    ) -> Checked<OrderDirective> {
        let mut dates: Vec<Schedule> = vec![];
        for statement in statements {
            let name = &statement.name;
            let date = self.schedule_of(statement)?;
            if dates.iter().any(|own| own.statement == name.text) {
                return Err(Diagnostic::new(format!("the order has the statement `{}` twice", name.text))
                    .at(name.span, "again")
                    .help("every statement of the band has one date"));
            }
            if schedules.iter().all(|own| own.statement != name.text) {
                let own: Vec<String> = schedules.iter().map(|own| format!("`{}`", own.statement)).collect();
                return Err(Diagnostic::new(format!("`{}` is no statement of this band", name.text))
                    .at(name.span, "in other tiles")
                    .help(format!("its statements are {}", own.join(", "))));
            }
            dates.push(date);
        }
        match schedules.iter().find(|own| dates.iter().all(|date| date.statement != own.statement)) {
            None => Ok(OrderDirective { dates, span }),
            Some(missing) => {
                Err(Diagnostic::new(format!("the order leaves out the statement `{}`", missing.statement))
                    .at(span, format!("no `{}`", missing.statement))
                    .help("give every statement of the band a date, or leave the order to burstc"))
            }
        }
    }

    fn is_size(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter.name == name)
    }

    /// The value of the loop `name` with which a statement outside of it runs: its first if the loop follows the
    /// statement, its last if it precedes it.
    fn beside(&self, place: &Place, name: &str) -> Option<Affine> {
        for (block, position) in place.blocks.iter().rev() {
            let (before, after) = (&block[..*position], &block[position + 1..]);
            let next = after.iter().find_map(|node| self.path(node, name)).map(|path| (path, true));
            let found = next.or_else(|| before.iter().rev().find_map(|node| self.path(node, name)).map(|p| (p, false)));
            let Some((path, is_first)) = found else { continue };
            let mut values: BTreeMap<&str, Affine> = BTreeMap::new();
            for l in &path {
                let [bound] = &(if is_first { &l.lower } else { &l.upper })[..] else { return None };
                let value = bound.substitute(|n| values.get(n).cloned().unwrap_or_else(|| Affine::variable(n)));
                values.insert(&l.iterator, value);
            }
            let value = values.remove(path.last()?.iterator.as_str())?;
            let known = |n: &String| {
                self.parameters.iter().any(|p| p.name == *n) || place.loops.iter().any(|l| l.iterator == *n)
            };
            return value.terms.keys().all(known).then_some(value);
        }
        None
    }

    /// The loops from `node` down to the loop `name`.
    fn path<'n>(&self, node: &'n Node, name: &str) -> Option<Vec<&'n Loop>> {
        match node {
            Node::Statement(_) => None,
            Node::If(inner) => inner.body.iter().find_map(|node| self.path(node, name)),
            Node::Loop(l) if self.is_called(l, name) => Some(vec![l]),
            Node::Loop(l) => {
                let mut path = l.body.iter().find_map(|node| self.path(node, name))?;
                path.insert(0, l);
                Some(path)
            }
        }
    }

    /// A nest's only statement under a schedule.
    fn scheduled(&self, plain: &Plain, tile: &Tile, inside: &[Place]) -> Checked<TilingDirective> {
        let [place] = inside else {
            let statements: Vec<String> = inside
                .iter()
                .map(|place| {
                    let loops: Vec<String> = place.loops.iter().map(|l| self.user_name(l)).collect();
                    format!("{}[{}] -> (…)", place.statement.name, loops.join(","))
                })
                .collect();
            return Err(Diagnostic::new(format!(
                "the nest has {} statements, and the schedule names none",
                inside.len()
            ))
            .at(plain.loops_span, "which statement?")
            .help(format!("write `schedule({})`", statements.join("; "))));
        };
        let fits = plain.loops.len() == place.loops.len()
            && plain.loops.iter().zip(&place.loops).all(|(word, l)| self.is_called(l, &word.text));
        if !fits {
            let loops: Vec<String> = place.loops.iter().map(|l| self.user_name(l)).collect();
            return Err(Diagnostic::new("the schedule does not name the loops as they are nested")
                .at(plain.loops_span, "these loops")
                .help(format!("write `({}) -> …`, the outermost loop first", loops.join(", "))));
        }
        let theta = self.theta(&plain.loops, &plain.theta, place)?;
        let schedules = vec![Schedule { statement: place.statement.name.clone(), theta }];
        let order = self.order_beside(tile, &[(&plain.loops, place)], &schedules)?;
        Ok(TilingDirective { order, ..self.band(schedules, tile, plain.span)? })
    }

    /// The order inside tiles of a schedule, which gives its statements' loops these names.
    fn order_beside(
        &self,
        tile: &Tile,
        statements: &[(&[Word], &Place)],
        schedules: &[Schedule],
    ) -> Checked<Option<OrderDirective>> {
        let Some(Order { span, dates }) = &tile.order else { return Ok(None) };
        match (dates, statements) {
            (Dates::Named(named), _) => self.named_order(named, schedules, *span).map(Some),
            (Dates::Plain(sums), [(loops, place)]) => {
                let date = Schedule { statement: place.statement.name.clone(), theta: self.theta(loops, sums, place)? };
                Ok(Some(OrderDirective { dates: vec![date], span: *span }))
            }
            (Dates::Plain(_), _) => {
                let dates: Vec<String> = statements
                    .iter()
                    .map(|(loops, place)| {
                        let loops: Vec<&str> = loops.iter().map(|word| word.text.as_str()).collect();
                        format!("{}[{}] -> (…)", place.statement.name, loops.join(","))
                    })
                    .collect();
                Err(Diagnostic::new(format!("the band has {} statements, and the order names none", statements.len()))
                    .at(*span, "which statement?")
                    .help(format!("write `order({})`, as `burstc analyze` prints it", dates.join("; "))))
            }
        }
    }

    /// A band whose statements are named.
    fn named(&self, named: &Named, tile: &Tile, earlier: &[TilingDirective]) -> Checked<TilingDirective> {
        let mut schedules: Vec<Schedule> = vec![];
        for statement in &named.statements {
            let NamedStatement { name, loops_span, .. } = statement;
            let Schedule { theta, .. } = self.schedule_of(statement)?;
            let mut all = schedules.iter().chain(earlier.iter().flat_map(|tiling| &tiling.schedules));
            if all.any(|schedule| schedule.statement == name.text) {
                return Err(Diagnostic::new(format!("the statement `{}` is scheduled twice", name.text))
                    .at(name.span, "again")
                    .help("every statement is in one band"));
            }
            if let Some(first) = schedules.first()
                && first.theta.len() != theta.len()
            {
                return Err(Diagnostic::new(format!(
                    "the schedule of `{}` has {} dimensions, that of `{}` {}",
                    first.statement,
                    first.theta.len(),
                    name.text,
                    theta.len()
                ))
                .at(*loops_span, "another number of dimensions")
                .help("all statements of a band have as many; fill up with constants, or make two bands"));
            }
            schedules.push(Schedule { statement: name.text.clone(), theta });
        }
        let of = |name: &Word| self.places.iter().find(|place| place.statement.name == name.text);
        let statements: Vec<(&[Word], &Place)> =
            named.statements.iter().filter_map(|own| Some((&own.loops[..], of(&own.name)?))).collect();
        let order = self.order_beside(tile, &statements, &schedules)?;
        Ok(TilingDirective { order, ..self.band(schedules, tile, named.span)? })
    }

    /// What is given for a statement, over its iterators.
    fn schedule_of(&self, NamedStatement { name, loops, loops_span, theta }: &NamedStatement) -> Checked<Schedule> {
        let Some(place) = self.places.iter().find(|place| place.statement.name == name.text) else {
            let known: Vec<String> =
                self.places.iter().map(|p| format!("{} is `{}`", p.statement.name, p.statement.text)).collect();
            return Err(Diagnostic::new(format!("there is no statement `{}`", name.text))
                .at(name.span, "unknown")
                .help(known.join(", ")));
        };
        if loops.len() != place.loops.len() {
            let wanted: Vec<String> = place.loops.iter().map(|l| self.user_name(l)).collect();
            return Err(Diagnostic::new(format!(
                "`{}` stands in {} loops and is given {} iterators",
                name.text,
                wanted.len(),
                loops.len()
            ))
            .at(*loops_span, "these iterators")
            .help(format!("write `{}[{}] -> …`, the outermost loop first", name.text, wanted.join(","))));
        }
        Ok(Schedule { statement: name.text.clone(), theta: self.theta(loops, theta, place)? })
    }

    /// θ over the kernel's iterators. `loops` are the names that `written` has for them, by position.
    fn theta(&self, loops: &[Word], written: &[Sum], place: &Place) -> Checked<Vec<Affine>> {
        let mut values: BTreeMap<&str, Affine> = BTreeMap::new();
        for (word, l) in loops.iter().zip(&place.loops) {
            // The user's iterator is not the kernel's where a loop counts down or by more than 1.
            let value = match self.body.sources.get(&l.iterator) {
                Some((_, value)) if l.iterator != word.text => value.clone(),
                _ => Affine::variable(&l.iterator),
            };
            let is_size = self.parameters.iter().any(|parameter| parameter.name == word.text);
            if is_size || values.insert(&word.text, value).is_some() {
                return Err(Diagnostic::new(format!("`{}` names two things in the schedule", word.text))
                    .at(word.span, "again")
                    .help("give each loop a name of its own"));
            }
        }
        for name in written.iter().flat_map(|sum| &sum.names) {
            let known =
                || values.keys().copied().chain(self.parameters.iter().map(|parameter| parameter.name.as_str()));
            if !known().any(|known| known == name.text) {
                return Err(unknown(name, known()));
            }
        }
        let value = |name: &str| values.get(name).cloned().unwrap_or_else(|| Affine::variable(name));
        Ok(written.iter().map(|sum| sum.value.substitute(value)).collect())
    }

    /// A loop of steps from `N / 2` on counts the steps, so its iterator has a quotient in it. One of sizes alone that
    /// all statements of the band have in common shifts the band as a whole, which tiles do as well without.
    fn without_quotients(&self, schedules: &mut [Schedule], span: Span) -> Checked<()> {
        let is_size = |name: &str| self.parameters.iter().any(|parameter| parameter.name == name);
        let of = |name: &str| self.quotients.iter().find(|quotient| quotient.name == name);
        let dimensions = schedules.iter().map(|s| s.theta.len()).min().unwrap_or(0);
        for dimension in 0..dimensions {
            let part = |schedule: &Schedule| {
                let terms = schedule.theta[dimension].terms.iter().filter(|(name, _)| of(name).is_some());
                Affine { terms: terms.map(|(name, &c)| (name.clone(), c)).collect(), constant: 0 }
            };
            let parts: Vec<Affine> = schedules.iter().map(part).collect();
            let Some(first) = parts.first().filter(|_| parts.iter().any(|part| !part.is_constant())) else { continue };
            let of_sizes = |name: &String| of(name).is_some_and(|q| q.numerator.terms.keys().all(|n| is_size(n)));
            if parts.iter().any(|part| part != first) || !first.terms.keys().all(of_sizes) {
                let mut loops = parts.iter().flat_map(|part| part.terms.keys()).filter_map(|name| of(name));
                let place = loops.next().map(|quotient| format!(" (line {})", quotient.span.line)).unwrap_or_default();
                return Err(Diagnostic::new(format!(
                    "dimension {} of the schedule has a quotient in it, with which a loop begins{place}",
                    dimension + 1
                ))
                .at(span, "affine in iterators and sizes only")
                .help("begin the loop at 0, or let burstc choose the schedule"));
            }
            for (schedule, part) in schedules.iter_mut().zip(&parts) {
                schedule.theta[dimension] = schedule.theta[dimension].clone() - part.clone();
            }
        }
        Ok(())
    }

    /// Puts sizes to schedules.
    fn band(&self, mut schedules: Vec<Schedule>, tile: &Tile, span: Span) -> Checked<TilingDirective> {
        self.without_quotients(&mut schedules, span)?;
        if let Some((name, ..)) = tile.items.iter().find(|(name, ..)| name.is_some()) {
            let name = name.as_ref().map_or("", |name| &name.text);
            return Err(Diagnostic::new(format!(
                "the tile names the loop `{name}`, and a schedule says what is tiled"
            ))
            .at(tile.span, "names beside a schedule")
            .help("give sizes only, as in `tile(10, 10)`"));
        }
        let (wanted, given) = (schedules.first().map_or(0, |schedule| schedule.theta.len()), tile.items.len());
        if wanted != given {
            return Err(Diagnostic::new(format!(
                "the schedule has {wanted} dimension{} and the tile {given} size{}",
                if wanted == 1 { "" } else { "s" },
                if given == 1 { "" } else { "s" }
            ))
            .at(tile.span, format!("{wanted} expected"))
            .help("give one size for each dimension of the schedule"));
        }
        let follows = span.line == tile.span.line && span.column < tile.span.column;
        Ok(TilingDirective {
            schedules,
            sizes: tile.items.iter().map(|(_, size, _)| *size).collect(),
            strip: tile.strip()?,
            lanes: tile.lanes,
            units: tile.units,
            order: None,
            span: if follows { join(span, tile.span) } else { span },
        })
    }
}

/// A name in a schedule or an order that is none of those it may have.
fn unknown<'n>(name: &Word, known: impl Iterator<Item = &'n str> + Clone) -> Diagnostic {
    let help = match nearest(&name.text, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the names are {}", known.map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")),
    };
    Diagnostic::new(format!("`{}` is neither an iterator nor a size", name.text)).at(name.span, "unknown").help(help)
}

fn no_tile(span: Span, dimensions: usize) -> Diagnostic {
    Diagnostic::new("the schedule has no tile sizes")
        .at(span, "no `tile`")
        .help(format!("add `tile({})`", vec!["10"; dimensions].join(", ")))
}

fn beside_no_loop(place: &Place, name: &str, span: Span) -> Diagnostic {
    let statement = place.statement;
    Diagnostic::new(format!(
        "`{}` (line {}) is not in the loop over `{name}`, and that loop's bounds give no single time for it",
        statement.name, statement.span.line
    ))
    .at(span, "does not say when")
    .help(format!("say it with a schedule by name: `schedule({}[…] -> (…); …) tile(…)`", statement.name))
}

/// `tile(i:32, j:32)`
/// Statements without tiles of their own: one tile has all of them.
fn as_one(inside: &[Place]) -> TilingDirective {
    let span = inside.first().map(|place| place.statement.span).unwrap_or_default();
    let theta = |place: &Place| Schedule { statement: place.statement.name.clone(), theta: vec![] };
    let schedules = inside.iter().map(theta).collect();
    TilingDirective { schedules, sizes: vec![], strip: 1, lanes: None, units: None, order: None, span }
}

fn example(loops: &[String]) -> String {
    let items: Vec<String> = loops.iter().map(|name| format!("{name}:32")).collect();
    format!("tile({})", items.join(", "))
}

fn has_loop(node: &Node) -> bool {
    match node {
        Node::Loop(_) => true,
        Node::If(inner) => inner.body.iter().any(has_loop),
        Node::Statement(_) => false,
    }
}

fn collect<'b>(
    nodes: &'b [Node],
    blocks: &mut Vec<(&'b [Node], usize)>,
    loops: &mut Vec<&'b Loop>,
    places: &mut Vec<Place<'b>>,
) {
    for (position, node) in nodes.iter().enumerate() {
        blocks.push((nodes, position));
        match node {
            Node::Statement(statement) => {
                places.push(Place { statement, blocks: blocks.clone(), loops: loops.clone() });
            }
            Node::Loop(l) => {
                loops.push(l);
                collect(&l.body, blocks, loops, places);
                loops.pop();
            }
            Node::If(inner) => collect(&inner.body, blocks, loops, places),
        }
        blocks.pop();
    }
}

fn collect_loops<'b>(nodes: &'b [Node], loops: &mut Vec<&'b Loop>) {
    for node in nodes {
        match node {
            Node::Statement(_) => {}
            Node::Loop(l) => {
                loops.push(l);
                collect_loops(&l.body, loops);
            }
            Node::If(inner) => collect_loops(&inner.body, loops),
        }
    }
}
