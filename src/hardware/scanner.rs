//! The scanner: one construct that walks every set the hardware walks (strips and tiles, Load(T), the iterations of
//! T, Store(T)) as a sequence of rows. A row is the outer indices plus an interval of the innermost one: a burst for
//! Load and Store, a run of iterations for Compute (the First/Next functions of RR-7648 §III-C, over rows).
//!
//! The sets arrive as disjoint convex pieces with bounds per level, so First and Next become a small state machine
//! over level registers: it takes three cycles from row to row and runs ahead through a FIFO.

use crate::affine::Affine;
use crate::hardware::context::{Context, Ranged, Stream};
use crate::hardware::scope::Scope;
use crate::offload::{Bound, Level, Piece, Scan};
use crate::rtl::{Expr, Label, Module, Signal, Statement, Type, assign, case, when, when_else};

/// The shape of a stream of rows.
#[derive(Clone, Debug)]
pub struct RowFormat {
    pub kinds: Vec<RowKind>,
    /// Registers of the outer levels, outermost first.
    pub outer: Vec<Ranged>,
    /// The innermost level.
    pub inner: Ranged,
}

/// Rows that are used alike: what they visit, and which array (or statement) they belong to.
#[derive(Clone, Debug, PartialEq)]
pub struct RowKind {
    /// Index of the scan among those given to [`scanner`].
    pub source: usize,
    /// What an iteration of the row visits, over size parameters, tile indices, outer registers and `inner`.
    pub point: Vec<Affine>,
}

/// One row, as signals or as fields of a packed word.
#[derive(Clone)]
pub struct Row {
    /// No row, but the end of the tile.
    pub end: Expr,
    pub kind: Expr,
    pub outer: Vec<Expr>,
    pub first: Expr,
    pub last: Expr,
}

impl RowFormat {
    pub fn kind_type(&self) -> Type {
        Type::for_range(0, (self.kinds.len() as i64 - 1).max(1))
    }

    /// Bits of a packed row.
    pub fn width(&self) -> u32 {
        let outer: u32 = self.outer.iter().map(|o| o.ty().width).sum();
        let kind = if self.has_kinds() { self.kind_type().width } else { 0 };
        1 + kind + outer + 2 * self.inner.ty().width
    }

    /// Rows differ in kind, so the kind travels with them.
    pub fn has_kinds(&self) -> bool {
        self.kinds.len() > 1
    }

    /// The value of the present `kind` among `(kind, value)`; at least one, and no other kind occurs.
    pub fn by_kind(&self, kind: &Expr, values: impl IntoIterator<Item = (usize, Expr)>) -> Expr {
        let is = |k: usize| kind.eq(&Expr::constant(k as i128, self.kind_type()));
        let values: Vec<(usize, Expr)> = values.into_iter().collect();
        let ((_, last), others) = values.split_last().expect("some kind occurs");
        others.iter().rev().fold(last.clone(), |other, (k, value)| is(*k).select(value, &other))
    }

    pub fn pack(&self, row: &Row) -> Expr {
        let mut parts = vec![row.end.clone()];
        parts.extend(self.has_kinds().then(|| row.kind.clone()));
        parts.extend(row.outer.iter().cloned());
        parts.extend([row.first.clone(), row.last.clone()]);
        Expr::concat(&parts)
    }

    pub fn unpack(&self, word: &Signal) -> Row {
        let mut high = self.width();
        let mut take = |ty: Type| {
            high -= ty.width;
            word.e().slice(high + ty.width - 1, high).resize(ty)
        };
        let end = take(Type::BIT);
        let kind = if self.has_kinds() { take(self.kind_type()) } else { Expr::constant(0, self.kind_type()) };
        let outer = self.outer.iter().map(|o| take(o.ty())).collect();
        let first = take(self.inner.ty());
        let last = take(self.inner.ty());
        Row { end, kind, outer, first, last }
    }

    /// The scope of one iteration of a row: `context` with the outer registers and the innermost index.
    pub fn scope(&self, context: &Scope, outer: &[Expr], inner: &Expr) -> Scope {
        let mut scope = context.clone();
        for (level, value) in self.outer.iter().zip(outer) {
            scope.bind(&level.name, value.clone(), level.range);
        }
        scope.bind(&self.inner.name, inner.clone(), self.inner.range);
        scope
    }
}

/// Rows whose cells lie side by side in memory: the innermost level is the last subscript and nothing else.
fn is_contiguous(piece: &Piece) -> bool {
    let (Some(inner), Some((last, others))) = (piece.levels.last(), piece.point.split_last()) else { return false };
    last.coefficient(&inner.name) == 1 && others.iter().all(|s| s.coefficient(&inner.name) == 0)
}

/// Makes rows say all of what they visit: whoever receives a row knows the sizes but not the tile. What a subscript or
/// iterator takes from tile indices alone becomes an outermost level of one value.
pub fn closed_rows(context: &Context, scan: &Scan) -> Scan {
    let is_tile = |name: &str| context.tile.iter().any(|t| t.name == name);
    let range = |name: &str| {
        let known = context.tile.iter().chain(&context.parameters).find(|r| r.name == name);
        known.map_or((0, 0), |r| r.range)
    };
    let close = |piece: &Piece| {
        let mut piece = piece.clone();
        for (d, point) in piece.point.iter_mut().enumerate() {
            let mut origin = Affine::default();
            point.terms.iter().filter(|(name, _)| is_tile(name)).for_each(|(name, &c)| origin.add_term(name, c));
            if !origin.is_constant() {
                let name = format!("origin{d}");
                *point = point.clone() - origin.clone() + Affine::variable(&name);
                let bound = vec![Bound { numerator: origin.clone(), divisor: 1 }];
                let level = Level { name, lower: bound.clone(), upper: bound, range: origin.range(range) };
                piece.levels.insert(0, level);
            }
        }
        piece
    };
    Scan { pieces: scan.pieces.iter().map(close).collect() }
}

/// Makes every row contiguous: a piece whose innermost level is not the last subscript gets rows of one element.
pub fn memory_rows(context: &Context, scan: &Scan) -> Scan {
    let single = |piece: &Piece| {
        let mut piece = piece.clone();
        if !is_contiguous(&piece) {
            let zero = vec![Bound { numerator: Affine::default(), divisor: 1 }];
            let name = "element".to_string();
            if let Some(last) = piece.point.last_mut() {
                last.add_term(&name, 1);
            }
            piece.levels.push(Level { name, lower: zero.clone(), upper: zero, range: (0, 0) });
        }
        piece
    };
    Scan { pieces: closed_rows(context, scan).pieces.iter().map(single).collect() }
}

/// The format of the rows of `scans`.
fn format(scans: &[Scan]) -> (RowFormat, Vec<(usize, Piece)>) {
    let pieces: Vec<(usize, Piece)> =
        scans.iter().enumerate().flat_map(|(source, s)| s.pieces.iter().map(move |p| (source, p.clone()))).collect();
    let depth = pieces.iter().map(|(_, p)| p.levels.len()).max().unwrap_or(1);
    let union = |levels: &[&Level]| {
        levels.iter().map(|l| l.range).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0))
    };
    // The source's own names where all pieces agree on them and no field of a row has that name.
    let fields = ["end", "kind", "first", "last"];
    let name = |levels: &[&Level], other: String| match levels {
        [first, rest @ ..] if rest.iter().all(|l| l.name == first.name) && !fields.contains(&first.name.as_str()) => {
            first.name.clone()
        }
        _ => other,
    };
    let mut outer = Vec::new();
    for d in 0..depth - 1 {
        let levels: Vec<&Level> =
            pieces.iter().filter(|(_, p)| d + 1 < p.levels.len()).map(|(_, p)| &p.levels[d]).collect();
        outer.push(Ranged::new(name(&levels, format!("outer{d}")), union(&levels)));
    }
    let levels: Vec<&Level> = pieces.iter().filter_map(|(_, p)| p.levels.last()).collect();
    let mut inner = Ranged::new(name(&levels, "inner".to_string()), union(&levels));
    if outer.iter().any(|o| o.name == inner.name) {
        inner.name = "inner".to_string();
    }
    let mut format = RowFormat { kinds: vec![], outer, inner };
    let renamed: Vec<(usize, Piece)> = pieces.iter().map(|(s, p)| (*s, format.rename(p))).collect();
    for (source, piece) in &renamed {
        let kind = RowKind { source: *source, point: piece.point.clone() };
        if !format.kinds.contains(&kind) {
            format.kinds.push(kind);
        }
    }
    (format, renamed)
}

impl RowFormat {
    /// The piece with its levels named as the registers are.
    fn rename(&self, piece: &Piece) -> Piece {
        let last = piece.levels.len() - 1;
        let new_name = |depth: usize| if depth == last { &self.inner.name } else { &self.outer[depth].name };
        let value = |name: &str| match piece.levels.iter().position(|l| l.name == name) {
            Some(depth) => Affine::variable(new_name(depth)),
            None => Affine::variable(name),
        };
        let bounds = |bounds: &[Bound]| {
            bounds.iter().map(|b| Bound { numerator: b.numerator.substitute(value), divisor: b.divisor }).collect()
        };
        let level = |(depth, level): (usize, &Level)| Level {
            name: new_name(depth).clone(),
            lower: bounds(&level.lower),
            upper: bounds(&level.upper),
            range: level.range,
        };
        Piece {
            shared: piece.shared,
            leaf: piece.leaf,
            guards: piece.guards.clone(),
            levels: piece.levels.iter().enumerate().map(level).collect(),
            point: piece.point.iter().map(|p| p.substitute(value)).collect(),
        }
    }
}

/// A module that walks `scans` one after the other for every tile it is given, and ends each tile with a row that
/// has only `end` set. With `tiled` false it takes a start instead of a tile.
///
/// Ports: `s_tile_*` (tile in), `m_row_*` (rows out), `arg_*`.
pub fn scanner(context: &Context, name: &str, about: &str, tiled: bool, scans: &[Scan]) -> (Module, RowFormat) {
    let (format, pieces) = format(scans);
    let mut m = Module::new(name);
    m.describe(about);
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    let mut scope = context.parameter_inputs(&mut m);
    let tile = Stream::slave(&mut m, "tile");
    let mut latch = vec![];
    let mut tile_end = None;
    if tiled {
        for index in &context.tile {
            let input = m.input(&format!("s_tile_{}", index.name), index.ty());
            let register = m.reg(&index.name, index.ty());
            m.waive_unused(&register);
            latch.push(assign(&register, &input.e()));
            scope.bind(&index.name, &register, index.range);
        }
        tile_end = Some(m.input("s_tile_end", Type::BIT));
    }
    let row = Stream::master(&mut m, "row");
    let outputs = RowPorts::declare(&mut m, &format, "m_row_", true);

    let count = pieces.len();
    let mut states = vec!["IDLE".to_string(), "ROW".to_string(), "END".to_string()];
    states.extend((0..format.outer.len()).map(|d| format!("TEST_{}", format.outer[d].name.to_uppercase())));
    let bound_name = |p: usize, d: usize| match (count, &pieces[p].1.levels[d].name) {
        (1, level) => format!("BOUND_{}", level.to_uppercase()),
        (_, level) => format!("BOUND_{p}_{}", level.to_uppercase()),
    };
    for (p, (_, piece)) in pieces.iter().enumerate() {
        states.extend((0..piece.levels.len()).map(|d| bound_name(p, d)));
    }
    let state_type = Type::for_range(0, states.len() as i64 - 1);
    let codes: Vec<Expr> =
        states.iter().enumerate().map(|(code, s)| m.localparam(s, code as i128, state_type)).collect();
    let code = |name: &str| codes[states.iter().position(|s| s == name).expect("a named state")].clone();
    let test = |d: usize| code(&format!("TEST_{}", format.outer[d].name.to_uppercase()));
    let state = m.reg("state", state_type);

    let piece_type = Type::for_range(0, (count as i64 - 1).max(1));
    let piece_reg = (count > 1).then(|| m.reg("piece", piece_type));
    // A bound can lie outside the range of what is visited (then the loop is empty), and a level steps once beyond
    // its last value before the test ends the loop: the registers have room for that.
    for level in &format.outer {
        scope.bind(&level.name, Expr::bit(false), level.range);
    }
    let spread = |range: (i64, i64), bounds: Vec<&Bound>, round_up: bool| {
        bounds.iter().fold(range, |range, b| {
            let (low, high) = scope.range(&b.numerator);
            let round = |value: i64| (value + if round_up { b.divisor - 1 } else { 0 }).div_euclid(b.divisor);
            (range.0.min(round(low)), range.1.max(round(high)))
        })
    };
    let ranged = |(low, high): (i64, i64)| Type::for_range(low, high);
    let at_depth =
        |d: usize| pieces.iter().filter(move |(_, p)| d + 1 < p.levels.len()).map(move |(_, p)| &p.levels[d]);
    let innermost = || pieces.iter().filter_map(|(_, p)| p.levels.last());
    let (mut outer, mut limit) = (vec![], vec![]);
    for (d, level) in format.outer.iter().enumerate() {
        let start = (level.range.0, level.range.1 + 1);
        let low = spread(start, at_depth(d).flat_map(|l| &l.lower).collect(), true);
        let high = spread(level.range, at_depth(d).flat_map(|l| &l.upper).collect(), false);
        outer.push(m.reg(&level.name, ranged(low)));
        limit.push(m.reg(&format!("{}_last", level.name), ranged(high)));
    }
    let first = spread(format.inner.range, innermost().flat_map(|l| &l.lower).collect(), true);
    let last = spread(format.inner.range, innermost().flat_map(|l| &l.upper).collect(), false);
    let (first, last) = (m.reg("first", ranged(first)), m.reg("last", ranged(last)));
    for (level, register) in format.outer.iter().zip(&outer) {
        scope.bind(&level.name, register, level.range);
    }

    let goto = |target: &Expr| assign(&state, target);
    let goto_piece = |p: usize| -> Vec<Statement> {
        if p >= count {
            return vec![goto(&code("END"))];
        }
        let mut go = vec![goto(&code(&bound_name(p, 0)))];
        if let Some(register) = &piece_reg {
            go.push(assign(register, &Expr::constant(p as i128, piece_type)));
        }
        go
    };
    // A choice by piece, folded where every piece does the same.
    let by_piece = |members: Vec<usize>, action: &dyn Fn(usize) -> Vec<Statement>| -> Vec<Statement> {
        match (&piece_reg, members.as_slice()) {
            (None, _) => action(0),
            (Some(_), [only]) => action(*only),
            (Some(register), [others @ .., final_]) => vec![case(
                register.e(),
                others.iter().map(|&p| (vec![Label::Value(p as i128)], action(p))).collect(),
                action(*final_),
            )],
            (Some(_), []) => vec![],
        }
    };
    let step = |d: usize| {
        let ty = outer[d].ty();
        vec![assign(&outer[d], &outer[d].e().add(&Expr::constant(1, ty), ty)), goto(&test(d))]
    };

    let mut arms = vec![];
    let mut start = latch;
    start.extend(match &tile_end {
        Some(end) => vec![when_else(end.e(), vec![goto(&code("END"))], goto_piece(0))],
        None => goto_piece(0),
    });
    arms.push((vec![code("IDLE").into()], vec![when(tile.valid.e(), start)]));

    for (p, (_, piece)) in pieces.iter().enumerate() {
        for (d, level) in piece.levels.iter().enumerate() {
            let innermost = d + 1 == piece.levels.len();
            let (low, high) = if innermost { (&first, &last) } else { (&outer[d], &limit[d]) };
            let label = if count > 1 { format!("{}_{p}", level.name) } else { level.name.clone() };
            let lower = scope.lower(&mut m, &format!("{label}_lower"), &level.lower, low.ty());
            let upper = scope.upper(&mut m, &format!("{label}_upper"), &level.upper, high.ty());
            let mut body = vec![assign(low, &lower), assign(high, &upper)];
            body.push(goto(&if innermost { code("ROW") } else { test(d) }));
            if d == 0 {
                let guards = piece.guards.iter().filter_map(|g| scope.nonnegative(g)).reduce(|a, b| a.and(&b));
                if let Some(guard) = guards {
                    let guard = m.define(&format!("piece_{p}_exists"), &guard);
                    body = vec![when_else(guard.e(), body, goto_piece(p + 1))];
                }
            }
            arms.push((vec![code(&bound_name(p, d)).into()], body));
        }
    }
    for d in 0..format.outer.len() {
        let members: Vec<usize> = (0..count).filter(|&p| d + 1 < pieces[p].1.levels.len()).collect();
        let inside = by_piece(members.clone(), &|p| vec![goto(&code(&bound_name(p, d + 1)))]);
        let outside = if d == 0 { by_piece(members, &|p| goto_piece(p + 1)) } else { step(d - 1) };
        arms.push((vec![test(d).into()], vec![when_else(outer[d].e().le(&limit[d].e()), inside, outside)]));
    }
    let some = m.define("row_is_not_empty", &first.e().le(&last.e()));
    let after_row = by_piece((0..count).collect(), &|p| match pieces[p].1.levels.len() {
        1 => goto_piece(p + 1),
        levels => step(levels - 2),
    });
    arms.push((vec![code("ROW").into()], vec![when(row.ready.e().or(&some.e().not()), after_row)]));
    let default = vec![when(row.ready.e(), vec![goto(&code("IDLE"))])];

    m.clocked("", vec![(state.clone(), 0)], vec![case(state.e(), arms, default)]);
    let in_state = |name: &str| state.e().eq(&code(name));
    m.assign(&tile.ready, &in_state("IDLE"));
    m.assign(&row.valid, &in_state("END").or(&in_state("ROW").and(&some.e())));
    let kind_of = |p: usize| {
        let kind = RowKind { source: pieces[p].0, point: pieces[p].1.point.clone() };
        format.kinds.iter().position(|k| *k == kind).expect("every piece has a kind")
    };
    let kind = match &piece_reg {
        None => Expr::constant(0, format.kind_type()),
        Some(register) if (0..count).all(|p| kind_of(p) == p) => register.e().resize(format.kind_type()),
        Some(register) => (0..count).rev().fold(Expr::constant(0, format.kind_type()), |other, p| {
            let here = register.e().eq(&Expr::constant(p as i128, piece_type));
            here.select(&Expr::constant(kind_of(p) as i128, format.kind_type()), &other)
        }),
    };
    outputs.drive(
        &mut m,
        &Row {
            end: in_state("END"),
            kind,
            outer: outer.iter().zip(&format.outer).map(|(r, o)| r.e().resize(o.ty())).collect(),
            first: first.e().resize(format.inner.ty()),
            last: last.e().resize(format.inner.ty()),
        },
    );
    (m, format)
}

/// The payload of a row stream as ports or wires.
pub struct RowPorts {
    pub end: Signal,
    pub kind: Option<Signal>,
    pub outer: Vec<Signal>,
    pub first: Signal,
    pub last: Signal,
    names: Vec<String>,
}

impl RowPorts {
    /// Output ports (`output` true) or plain wires with the given prefix.
    pub fn declare(m: &mut Module, format: &RowFormat, prefix: &str, output: bool) -> RowPorts {
        let mut names = vec![];
        let mut make = |name: &str, ty: Type| {
            names.push(name.to_string());
            if output { m.output(&format!("{prefix}{name}"), ty) } else { m.wire(&format!("{prefix}{name}"), ty) }
        };
        let end = make("end", Type::BIT);
        let kind = format.has_kinds().then(|| make("kind", format.kind_type()));
        let outer = format.outer.iter().map(|o| make(&o.name, o.ty())).collect();
        let first = make("first", format.inner.ty());
        let last = make("last", format.inner.ty());
        RowPorts { end, kind, outer, first, last, names }
    }

    fn signals(&self) -> Vec<&Signal> {
        let mut all = vec![&self.end];
        all.extend(&self.kind);
        all.extend(&self.outer);
        all.extend([&self.first, &self.last]);
        all
    }

    fn drive(&self, m: &mut Module, row: &Row) {
        let mut values = vec![row.end.clone()];
        values.extend(self.kind.is_some().then(|| row.kind.clone()));
        values.extend(row.outer.iter().cloned());
        values.extend([row.first.clone(), row.last.clone()]);
        for (signal, value) in self.signals().into_iter().zip(&values) {
            m.assign(signal, value);
        }
    }

    /// The row as expressions.
    pub fn row(&self, format: &RowFormat) -> Row {
        Row {
            end: self.end.e(),
            kind: self.kind.as_ref().map_or_else(|| Expr::constant(0, format.kind_type()), |k| k.e()),
            outer: self.outer.iter().map(|o| o.e()).collect(),
            first: self.first.e(),
            last: self.last.e(),
        }
    }

    /// Port name and wire of every field, to connect an instance of a scanner.
    pub fn connections(&self) -> impl Iterator<Item = (String, Signal)> + '_ {
        self.names.iter().map(|n| format!("m_row_{n}")).zip(self.signals().into_iter().cloned())
    }
}
