//! The scanner: one construct that walks every set the hardware walks (strips and tiles, Load(T), the iterations of
//! T, Store(T)) as a sequence of rows. A row is the outer indices plus an interval of the innermost one: a burst for
//! Load and Store, a run of iterations for Compute (the First/Next functions of RR-7648 §III-C, over rows).
//!
//! The sets arrive as convex pieces with bounds per level, some of them inside loops that they share, so First and Next
//! become a small state machine over level registers: it takes three cycles from row to row and runs ahead through a
//! FIFO.

use crate::hardware::context::{Context, Stream};
use crate::hardware::rows::{Row, RowFormat, RowPorts};
use crate::hardware::scope::Scope;
use crate::hardware::sources::{Next, Source, Tree};
use crate::offload::{Bound, Level};
use crate::rtl::{Expr, Label, Module, Signal, Statement, Type, assign, case, when, when_else};

/// A module that walks, for every tile it is given, the sources of the tile's band one after the other, and ends each
/// tile with a row that has only `end` set. With `tiled` false it takes a start instead of a tile, and walks all.
///
/// Ports: `s_tile_*` (tile in), `m_row_*` (rows out), `arg_*`.
pub fn scanner(context: &Context, name: &str, about: &str, tiled: bool, sources: &[Source]) -> (Module, RowFormat) {
    let tree = Tree::new(context, sources);
    let mut m = Module::new(name);
    m.describe(about);
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    let mut scope = context.parameter_inputs(&mut m);
    let tile = Stream::slave(&mut m, "tile");
    let mut latch = vec![];
    let (mut tile_end, mut tile_band) = (None, None);
    if tiled {
        tile_band = context.band.as_ref().map(|band| m.input("s_tile_band", band.ty()));
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
    let outputs = RowPorts::declare(&mut m, &tree.format, "m_row_", true);
    let machine = Machine::declare(&mut m, &tree, scope);

    let mut arms = vec![];
    let mut start = latch;
    start.extend(match &tile_end {
        Some(end) => vec![when_else(end.e(), vec![machine.goto("END")], machine.begin(tile_band.as_ref()))],
        None => machine.begin(None),
    });
    arms.push((vec![machine.code("IDLE").into()], vec![when(tile.valid.e(), start)]));
    for p in 0..tree.pieces.len() {
        for d in tree.pieces[p].piece.shared..tree.pieces[p].piece.levels.len() {
            arms.push((vec![machine.code(&machine.bound(p, d)).into()], machine.open(&mut m, p, d)));
        }
    }
    for d in 0..tree.outer().len() {
        arms.push((vec![machine.code(&machine.test(d)).into()], machine.test_level(d)));
    }
    let some = m.define("row_is_not_empty", &machine.first.e().le(&machine.last.e()));
    let all: Vec<usize> = (0..tree.pieces.len()).collect();
    let after_row = machine.by_piece(&all, |p| machine.go(p, tree.after(p, tree.pieces[p].piece.levels.len() - 1)));
    arms.push((vec![machine.code("ROW").into()], vec![when(row.ready.e().or(&some.e().not()), after_row)]));
    let default = vec![when(row.ready.e(), vec![machine.goto("IDLE")])];
    let state = &machine.state;
    m.clocked("", vec![(state.clone(), 0)], vec![case(state.e(), arms, default)]);
    let in_state = |name: &str| state.e().eq(&machine.code(name));
    m.assign(&tile.ready, &in_state("IDLE"));
    m.assign(&row.valid, &in_state("END").or(&in_state("ROW").and(&some.e())));

    let format = tree.format.clone();
    let mut fields = machine.origins(&mut m);
    fields.extend(machine.outer.iter().zip(tree.outer()).map(|(r, o)| r.e().resize(o.ty())));
    outputs.drive(
        &mut m,
        &Row {
            end: in_state("END"),
            kind: machine.value_by_piece(|p| Expr::constant(tree.pieces[p].kind as i128, format.kind_type())),
            outer: fields,
            first: machine.first.e().resize(format.inner.ty()),
            last: machine.last.e().resize(format.inner.ty()),
        },
    );
    (m, format)
}

/// The state machine over the levels of a tree: its states and registers.
struct Machine<'a> {
    tree: &'a Tree,
    /// Sizes, tile and levels.
    scope: Scope,
    states: Vec<String>,
    codes: Vec<Expr>,
    state: Signal,
    /// The piece under way, where there are several. While a loop around several pieces is tested, the one that opens
    /// it.
    piece: Option<Signal>,
    outer: Vec<Signal>,
    limit: Vec<Signal>,
    first: Signal,
    last: Signal,
}

impl<'a> Machine<'a> {
    fn declare(m: &mut Module, tree: &'a Tree, mut scope: Scope) -> Self {
        let pieces = || tree.pieces.iter().map(|p| &p.piece);
        let count = tree.pieces.len();
        let mut states = vec!["IDLE".to_string(), "ROW".to_string(), "END".to_string()];
        states.extend((0..tree.outer().len()).map(|d| test_name(tree, d)));
        for p in 0..count {
            let levels = 0..tree.pieces[p].piece.levels.len();
            states.extend(levels.filter(|&d| tree.opens(p, d)).map(|d| bound_name(tree, p, d)));
        }
        let state_type = Type::for_range(0, states.len() as i64 - 1);
        let codes = states.iter().enumerate().map(|(code, s)| m.localparam(s, code as i128, state_type)).collect();
        let state = m.reg("state", state_type);
        let piece = (count > 1).then(|| m.reg("piece", Type::for_range(0, count as i64 - 1)));

        // A bound can lie outside the range of what is visited (then the loop is empty), and a level steps once beyond
        // its last value before the test ends the loop: the registers have room for that.
        for level in tree.outer() {
            scope.bind(&level.name, Expr::bit(false), level.range);
        }
        let spread = |range: (i64, i64), bounds: Vec<&Bound>, round_up: bool| {
            let (low, high) = bounds.iter().fold(range, |range, b| {
                let (low, high) = scope.range(&b.numerator);
                let round = |value: i64| (value + if round_up { b.divisor - 1 } else { 0 }).div_euclid(b.divisor);
                (range.0.min(round(low)), range.1.max(round(high)))
            });
            Type::for_range(low, high)
        };
        let (mut outer, mut limit) = (vec![], vec![]);
        for (d, level) in tree.outer().iter().enumerate() {
            let here: Vec<&Level> = pieces().filter(|p| d + 1 < p.levels.len()).map(|p| &p.levels[d]).collect();
            let start = (level.range.0, level.range.1 + 1);
            let low = spread(start, here.iter().flat_map(|l| &l.lower).collect(), true);
            let high = spread(level.range, here.iter().flat_map(|l| &l.upper).collect(), false);
            outer.push(m.reg(&level.name, low));
            limit.push(m.reg(&format!("{}_last", level.name), high));
        }
        let innermost: Vec<&Level> = pieces().filter_map(|p| p.levels.last()).collect();
        let inner = tree.format.inner.range;
        let first = spread(inner, innermost.iter().flat_map(|l| &l.lower).collect(), true);
        let last = spread(inner, innermost.iter().flat_map(|l| &l.upper).collect(), false);
        let (first, last) = (m.reg("first", first), m.reg("last", last));
        for (level, register) in tree.outer().iter().zip(&outer) {
            scope.bind(&level.name, register, level.range);
        }
        Machine { tree, scope, states, codes, state, piece, outer, limit, first, last }
    }

    fn code(&self, name: &str) -> Expr {
        self.codes[self.states.iter().position(|s| s == name).expect("a named state")].clone()
    }

    fn test(&self, depth: usize) -> String {
        test_name(self.tree, depth)
    }

    fn bound(&self, piece: usize, depth: usize) -> String {
        bound_name(self.tree, piece, depth)
    }

    fn goto(&self, name: &str) -> Statement {
        assign(&self.state, &self.code(name))
    }

    /// `piece` becomes the one under way; it was `from` before, where that is known.
    fn set_piece(&self, from: Option<usize>, piece: usize) -> Option<Statement> {
        let register = self.piece.as_ref().filter(|_| from != Some(piece))?;
        Some(assign(register, &Expr::constant(piece as i128, register.ty())))
    }

    /// From the present piece to where the walk goes on.
    fn go(&self, from: usize, next: Next) -> Vec<Statement> {
        match next {
            Next::End => vec![self.goto("END")],
            Next::Enter(piece) => self.enter(Some(from), piece),
            Next::Step { depth, piece } => {
                let level = &self.outer[depth];
                let one = Expr::constant(1, level.ty());
                let mut step = vec![assign(level, &level.e().add(&one, level.ty())), self.goto(&self.test(depth))];
                step.extend(self.set_piece(Some(from), piece));
                step
            }
        }
    }

    fn enter(&self, from: Option<usize>, piece: usize) -> Vec<Statement> {
        let mut go = vec![self.goto(&self.bound(piece, self.tree.pieces[piece].piece.shared))];
        go.extend(self.set_piece(from, piece));
        go
    }

    /// The first piece of the tile's band; straight to the end where it has none.
    fn begin(&self, band: Option<&Signal>) -> Vec<Statement> {
        let first_of = |band: usize| self.tree.pieces.iter().position(|p| p.band == band);
        let Some(band) = band else {
            return if self.tree.pieces.is_empty() { vec![self.goto("END")] } else { self.enter(None, 0) };
        };
        let mut bands: Vec<usize> = self.tree.pieces.iter().map(|p| p.band).collect();
        bands.dedup();
        let enter = |b: &usize| (vec![Label::Value(*b as i128)], self.enter(None, first_of(*b).expect("has a piece")));
        vec![case(band.e(), bands.iter().map(enter).collect(), vec![self.goto("END")])]
    }

    /// Opens the loop of piece `p` at depth `d`, or passes over a piece whose guards do not hold.
    fn open(&self, m: &mut Module, p: usize, d: usize) -> Vec<Statement> {
        let piece = &self.tree.pieces[p].piece;
        let level = &piece.levels[d];
        let innermost = d + 1 == piece.levels.len();
        let (low, high) = if innermost { (&self.first, &self.last) } else { (&self.outer[d], &self.limit[d]) };
        let label = if self.tree.pieces.len() > 1 { format!("{}_{p}", level.name) } else { level.name.clone() };
        let lower = self.scope.lower(m, &format!("{label}_lower"), &level.lower, low.ty());
        let upper = self.scope.upper(m, &format!("{label}_upper"), &level.upper, high.ty());
        let inside = if innermost { self.goto("ROW") } else { self.goto(&self.test(d)) };
        let body = vec![assign(low, &lower), assign(high, &upper), inside];
        let guards = piece.guards.iter().filter_map(|g| self.scope.nonnegative(g)).reduce(|a, b| a.and(&b));
        match guards.filter(|_| d == self.tree.guard_depth(p)) {
            None => body,
            Some(guard) => {
                let guard = m.define(&format!("piece_{p}_exists"), &guard);
                vec![when_else(guard.e(), body, self.go(p, self.tree.after(p, d)))]
            }
        }
    }

    /// The loop at depth `d`: into its next iteration, or past it.
    fn test_level(&self, d: usize) -> Vec<Statement> {
        let pieces = &self.tree.pieces;
        let opens = |p: &usize| self.tree.opens(*p, d) && d + 1 < pieces[*p].piece.levels.len();
        let openers: Vec<usize> = (0..pieces.len()).filter(opens).collect();
        let inside = self.by_piece(&openers, |p| vec![self.goto(&self.bound(p, d + 1))]);
        let outside = self.by_piece(&openers, |p| self.go(p, self.tree.after(p, d)));
        vec![when_else(self.outer[d].e().le(&self.limit[d].e()), inside, outside)]
    }

    /// What to do by piece, one of `pieces`; folded where all do the same.
    fn by_piece(&self, pieces: &[usize], action: impl Fn(usize) -> Vec<Statement>) -> Vec<Statement> {
        let text = |p: usize| format!("{:?}", action(p));
        let Some((&last, others)) = pieces.split_last() else { return vec![] };
        match &self.piece {
            Some(register) if others.iter().any(|&p| text(p) != text(last)) => {
                let arm = |&p: &usize| (vec![Label::Value(p as i128)], action(p));
                vec![case(register.e(), others.iter().map(arm).collect(), action(last))]
            }
            _ => action(last),
        }
    }

    /// A value by the piece under way.
    fn value_by_piece(&self, value: impl Fn(usize) -> Expr) -> Expr {
        let count = self.tree.pieces.len();
        let Some(register) = self.piece.as_ref() else { return value(0) };
        // The number of the piece itself needs no choice.
        if (0..count).all(|p| value(p).as_constant() == Some(p as i128)) {
            return register.e().resize(value(0).ty());
        }
        let is = |p: usize| register.e().eq(&Expr::constant(p as i128, register.ty()));
        (0..count - 1).rev().fold(value(count - 1), |other, p| is(p).select(&value(p), &other))
    }

    /// The origins of the row, in registers that follow tile and piece: both stand still for a cycle or more before a
    /// row comes.
    fn origins(&self, m: &mut Module) -> Vec<Expr> {
        let format = &self.tree.format;
        let mut values = vec![];
        for (index, origin) in format.outer[..format.origins].iter().enumerate() {
            let register = m.reg(&origin.name, origin.ty());
            let has = |p: &usize| self.tree.pieces[*p].origins.len() > index;
            let fallback = (0..self.tree.pieces.len()).find(has).expect("some piece has every origin");
            let of = |p: usize| {
                let piece = &self.tree.pieces[if has(&p) { p } else { fallback }];
                self.scope.affine_as(&piece.origins[index], origin.ty())
            };
            let same = self.tree.pieces.iter().filter_map(|p| p.origins.get(index)).collect::<Vec<_>>();
            let value = match same.iter().all(|o| *o == same[0]) {
                true => of(fallback),
                false => self.value_by_piece(of),
            };
            m.clocked("", vec![], vec![assign(&register, &value)]);
            values.push(register.e());
        }
        values
    }
}

fn test_name(tree: &Tree, depth: usize) -> String {
    format!("TEST_{}", tree.outer()[depth].name.to_uppercase())
}

fn bound_name(tree: &Tree, piece: usize, depth: usize) -> String {
    let level = tree.pieces[piece].piece.levels[depth].name.to_uppercase();
    if tree.pieces.len() == 1 { format!("BOUND_{level}") } else { format!("BOUND_{piece}_{level}") }
}
