//! The walk as a state machine over level registers, with a circuit for every bound: it takes two cycles from row to
//! row, and runs ahead of whoever takes them. A level of more than two bounds on a side, or with a quotient, takes a
//! few more: the bounds go into registers that all pieces share, become quotients, and are halved in number from cycle
//! to cycle. Rows of iterations come one per cycle, out of a pipeline ([`super::pipeline`]). What bounds take from the sizes alone stands in registers of its own: sizes do not change during a run.

use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::circuit::variable::{Level, Piece, Var};
use crate::hardware::walk::rows::{Row, RowPorts};
use crate::hardware::walk::scanner::folds::{Folds, is_wide};
use crate::hardware::walk::scanner::pipeline::Pipeline;
use crate::hardware::walk::scanner::registers::Loop;
use crate::hardware::walk::scanner::{Frame, register_constants};
use crate::hardware::walk::tree::{Next, Tree, TreePiece};
use crate::ids::BandId;
use crate::rtl::{Expr, Label, Module, Signal, Statement, Type, assign, case, when, when_else};

/// Adds to a module the walk of `tree`, whose bounds then name registers.
pub fn build(m: &mut Module, mut tree: Tree, frame: Frame) {
    let Frame { mut scope, tile, tile_end, tile_band, latch, row, outputs } = frame;
    let tile_waits = tile_end.as_ref().map(|_| m.reg("tile_waits", Type::BIT));
    register_constants(m, &mut scope, tree.bounds_mut(), tile_end.is_some());
    let machine = Machine::declare(m, &tree, scope);

    let mut arms = vec![];
    // What bounds take from a tile has a cycle to settle: the tile is looked at, and taken in the cycle after.
    let taken = tile_waits.as_ref().map_or_else(|| tile.valid.e(), |waits| tile.valid.e().and(&waits.e()));
    let begin = match &tile_end {
        Some(end) => vec![when_else(end.e(), vec![machine.goto(State::End)], machine.begin(tile_band.as_ref()))],
        None => machine.begin(None),
    };
    let mut idle = latch;
    idle.push(when(taken.clone(), begin));
    arms.push((vec![machine.code(State::Idle).into()], idle));
    for p in 0..tree.pieces.len() {
        for d in tree.pieces[p].piece.shared..tree.pieces[p].piece.levels.len() {
            arms.push((vec![machine.code(State::Bound { piece: p, depth: d }).into()], machine.open(m, p, d)));
        }
    }
    for d in 0..tree.outer().len() {
        arms.push((vec![machine.code(State::Test(d)).into()], machine.test_level(d)));
        arms.push((vec![machine.code(State::Leave(d)).into()], machine.leave(d)));
    }
    arms.extend(machine.fold_arms());
    let state = &machine.state;
    let in_state = |which: State| state.e().eq(&machine.code(which));
    let mut outer = machine.origins(m);
    match &machine.pipeline {
        Some(pipeline) => {
            let (kind, indices, [first, last]) = pipeline.row(&Expr::constant(0, tree.format.kind_type()));
            outer.extend(indices);
            let (gives, is_empty) = (pipeline.gives(), m.define("rows_are_given", &pipeline.is_empty()));
            m.assign(&pipeline.advances, &gives.not().or(&row.ready.e()));
            let end = in_state(State::End).and(&is_empty);
            let default = vec![when(is_empty.and(&row.ready.e()), vec![machine.goto(State::Idle)])];
            let resets = [vec![(state.clone(), 0)], pipeline.resets()].concat();
            m.clocked("", resets, vec![pipeline.advance(), case(state.e(), arms, default)]);
            m.assign(&row.valid, &end.or(&gives));
            outputs.drive(m, &tree.format.row((end, kind), outer, [first, last]));
        }
        None => machine.give_rows(m, arms, (&row, &outputs), outer),
    }
    match &tile_waits {
        None => m.assign(&tile.ready, &in_state(State::Idle)),
        Some(waits) => {
            let look = in_state(State::Idle).and(&tile.valid.e()).and(&waits.e().not());
            m.clocked("", vec![(waits.clone(), 0)], vec![assign(waits, &look)]);
            m.assign(&tile.ready, &waits.e());
        }
    }
}

/// Kinds of rows from which on what follows from the kind, for a burst, takes a cycle of its own.
const MANY_KINDS: usize = 3;

/// The row that is given, in registers. The walk goes on while it waits, but takes no tile before the end mark has gone.
struct Given {
    row: Signal,
    /// The end mark.
    end: Signal,
    free: Signal,
}

impl Given {
    fn declare(m: &mut Module, stream: &Stream) -> Given {
        let (row, end) = (m.reg("given", Type::BIT), m.reg("given_end", Type::BIT));
        let free = m.define("may_give", &row.e().or(&end.e()).not().or(&stream.ready.e()));
        Given { row, end, free }
    }

    /// Takes `payload`, a row where `gives_row`.
    fn connect(self, m: &mut Module, (stream, outputs): (&Stream, &RowPorts), payload: &Row, gives_row: &Expr) {
        let Given { row, end, free } = self;
        m.assign(&stream.valid, &row.e().or(&end.e()));
        let at_end = payload.end.and(&end.e().not());
        let (mut held, mut takes) = outputs.in_registers(m, &Row { end: Expr::bit(false), ..payload.clone() });
        held.end = end.e();
        outputs.drive(m, &held);
        takes.extend([assign(&row, gives_row), assign(&end, &at_end)]);
        m.clocked("", vec![(row, 0), (end, 0)], vec![when(free.e(), takes)]);
    }
}

/// A state of the machine. Its name is for the reader of the Verilog alone: loops may have names of any kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Idle,
    /// A row is given.
    Row,
    /// The end of the tile is given.
    End,
    /// The loop at a depth has been opened.
    Test(usize),
    /// The loop at a depth has ended.
    Leave(usize),
    /// A piece opens its loop at a depth.
    Bound {
        piece: usize,
        depth: usize,
    },
    /// The bounds of the loop at a depth, or of the row, become one.
    Fold(Option<usize>),
}

impl State {
    fn name(self, tree: &Tree) -> String {
        let outer = |depth: usize| tree.outer()[depth].name().to_uppercase();
        match self {
            State::Idle => "IDLE".to_string(),
            State::Row => "ROW".to_string(),
            State::End => "END".to_string(),
            State::Test(depth) => format!("TEST_{}", outer(depth)),
            State::Leave(depth) => format!("LEAVE_{}", outer(depth)),
            State::Bound { piece, depth } => {
                let level = tree.pieces[piece].piece.levels[depth].name.signal().to_uppercase();
                if tree.pieces.len() == 1 { format!("BOUND_{level}") } else { format!("BOUND_{piece}_{level}") }
            }
            State::Fold(None) => "FOLD_ROW".to_string(),
            State::Fold(Some(depth)) => format!("FOLD_{}", outer(depth)),
        }
    }
}

/// The state machine over the levels of a tree: its states and registers.
struct Machine<'a> {
    tree: &'a Tree,
    /// Sizes, tile and levels.
    scope: Scope,
    codes: Vec<(State, Expr)>,
    state: Signal,
    /// The piece under way, where there are several. While a loop around several pieces is tested or left, the one
    /// that opens it.
    piece: Option<Signal>,
    outer: Vec<Loop>,
    /// What rows go through, one per cycle.
    pipeline: Option<Pipeline>,
    /// The row that is given, where there is no pipeline.
    row: Option<Loop>,
    folds: Option<Folds>,
    /// The row is that of the next outer index after the row before, and begins at the same inner one.
    follows: Option<Signal>,
}

impl<'a> Machine<'a> {
    fn declare(m: &mut Module, tree: &'a Tree, mut scope: Scope) -> Self {
        let pieces = || tree.pieces.iter().map(|p| &p.piece);
        let count = tree.pieces.len();
        let mut states = vec![State::Idle, State::End];
        states.extend((!tree.every_cycle).then_some(State::Row));
        states.extend((0..tree.outer().len()).flat_map(|d| [State::Test(d), State::Leave(d)]));
        for p in 0..count {
            let levels = 0..tree.pieces[p].piece.levels.len();
            states.extend(levels.filter(|&d| tree.opens(p, d)).map(|depth| State::Bound { piece: p, depth }));
        }
        states.extend(fold_depths(tree).into_iter().map(State::Fold));
        let state_type = Type::for_range(0, states.len() as i64 - 1);
        let number =
            |(code, state): (usize, &State)| (*state, m.localparam(&state.name(tree), code as i128, state_type));
        let codes = states.iter().enumerate().map(number).collect();
        let state = m.reg("state", state_type);
        let piece = (count > 1).then(|| m.reg("piece", Type::for_range(0, count as i64 - 1)));

        for level in tree.outer() {
            scope.bind(&level.variable, Expr::bit(false), level.range);
        }
        let mut outer = vec![];
        for (d, level) in tree.outer().iter().enumerate() {
            let here: Vec<&Level> = pieces().filter(|p| d + 1 < p.levels.len()).map(|p| &p.levels[d]).collect();
            let (index, last) = (level.name(), format!("{}_last", level.name()));
            outer.push(Loop::declare(m, &scope, [&index, &last], &here, level.range));
        }
        let innermost: Vec<&Level> = pieces().filter_map(|p| p.levels.last()).collect();
        let single = |m: &mut Module| Loop::declare(m, &scope, ["first", "last"], &innermost, tree.format.inner.range);
        let row = (!tree.every_cycle).then(|| single(m));
        for (level, registers) in tree.outer().iter().zip(&outer) {
            scope.bind(&level.variable, &registers.low, level.range);
        }
        let pipeline = tree.every_cycle.then(|| Pipeline::declare(m, tree, &scope));
        let folds = Folds::declare(m, opened_by_states(tree).into_iter().map(|(.., level)| level), &scope);
        let follows = tree.format.follows.then(|| m.reg("follows", Type::BIT));
        Machine { tree, scope, codes, state, piece, outer, pipeline, row, folds, follows }
    }

    fn code(&self, state: State) -> Expr {
        let (_, code) = self.codes.iter().find(|(s, _)| *s == state).expect("a state that was declared");
        code.clone()
    }

    fn goto(&self, state: State) -> Statement {
        assign(&self.state, &self.code(state))
    }

    /// `piece` becomes the one under way; it was `from` before, where that is known.
    fn set_piece(&self, from: Option<usize>, piece: usize) -> Option<Statement> {
        let register = self.piece.as_ref().filter(|_| from != Some(piece))?;
        Some(assign(register, &Expr::constant(piece as i128, register.ty())))
    }

    /// From the present piece to where the walk goes on.
    fn go(&self, from: usize, next: Next) -> Vec<Statement> {
        match next {
            Next::End => vec![self.goto(State::End)],
            Next::Enter(piece) => self.enter(Some(from), piece),
            Next::Step { depth, piece } => {
                let level = &self.outer[depth].low;
                let mut step = vec![assign(level, &level.e().incremented())];
                step.push(self.goto(State::Bound { piece, depth: depth + 1 }));
                if let Some(follows) = &self.follows {
                    let row = self.row.as_ref().filter(|_| self.tree.rows_follow(from, next));
                    step.push(assign(follows, &row.map_or(Expr::bit(false), Loop::some)));
                }
                let mut go = vec![when_else(self.outer[depth].is_last(), vec![self.goto(State::Leave(depth))], step)];
                go.extend(self.set_piece(Some(from), piece));
                go
            }
        }
    }

    fn enter(&self, from: Option<usize>, piece: usize) -> Vec<Statement> {
        let mut go = vec![self.goto(State::Bound { piece, depth: self.tree.pieces[piece].piece.shared })];
        go.extend(self.set_piece(from, piece));
        go.extend(self.follows.iter().map(|follows| assign(follows, &Expr::bit(false))));
        go
    }

    /// The first piece of the tile's band; straight to the end where it has none.
    fn begin(&self, band: Option<&Signal>) -> Vec<Statement> {
        let Some(band) = band else {
            return if self.tree.pieces.is_empty() { vec![self.goto(State::End)] } else { self.enter(None, 0) };
        };
        let mut bands: Vec<BandId> = self.tree.pieces.iter().map(|p| p.band).collect();
        bands.dedup();
        let enter =
            |&band: &BandId| Some((vec![Label::Value(band.0 as i128)], self.enter(None, self.tree.first_of(band)?)));
        vec![case(band.e(), bands.iter().filter_map(enter).collect(), vec![self.goto(State::End)])]
    }

    /// Opens the loop of piece `p` at depth `d`, or passes over a piece whose guards do not hold.
    fn open(&self, m: &mut Module, p: usize, d: usize) -> Vec<Statement> {
        let piece = &self.tree.pieces[p].piece;
        let level = &piece.levels[d];
        let innermost = d + 1 == piece.levels.len();
        let name = level.name.signal();
        let label = if self.tree.pieces.len() > 1 { format!("{name}_{p}") } else { name };
        let body = match (&self.folds, &self.pipeline) {
            (_, Some(pipeline)) if innermost => {
                let outer = self.outer_indices();
                let kind = self.tree.format.number(self.tree.pieces[p].kind);
                let mut body = pipeline.take(m, &self.scope, (piece, &label), &kind, &outer);
                body.extend(self.go(p, self.tree.after(p, d)));
                vec![when(pipeline.advances.e(), body)]
            }
            (Some(folds), _) if is_wide(level) => {
                let mut body = folds.take(&self.scope, level);
                body.push(self.goto(State::Fold((!innermost).then_some(d))));
                body
            }
            _ => {
                let mut body = self.registers((!innermost).then_some(d)).open(m, &self.scope, &label, level);
                body.push(self.opened((!innermost).then_some(d)));
                body
            }
        };
        let guards = piece.guards.iter().filter_map(|g| self.scope.nonnegative(g)).reduce(|a, b| a.and(&b));
        match guards.filter(|_| d == self.tree.guard_depth(p)) {
            None => body,
            Some(guard) => {
                let name = format!("piece_{p}_exists");
                let guard = match guard.has_sum() && self.tree.pieces.len() > 1 && is_of_tile(piece) {
                    // The tile stands still for a cycle before.
                    true => {
                        let register = m.reg(&name, Type::BIT);
                        m.clocked("", vec![], vec![assign(&register, &guard)]);
                        register
                    }
                    false => m.define(&name, &guard),
                };
                vec![when_else(guard.e(), body, self.go(p, self.tree.after(p, d)))]
            }
        }
    }

    /// The registers of the loop at a depth, or of the row that is given.
    fn registers(&self, depth: Option<usize>) -> &Loop {
        depth.map_or_else(|| self.row.as_ref().expect("a row without a pipeline"), |depth| &self.outer[depth])
    }

    /// The outer indices, as rows have them.
    fn outer_indices(&self) -> Vec<Expr> {
        self.outer.iter().zip(self.tree.outer()).map(|(r, o)| r.low.e().resize(o.ty())).collect()
    }

    /// To what follows when a loop is open: at a depth, or that of the row.
    fn opened(&self, depth: Option<usize>) -> Statement {
        self.goto(depth.map_or(State::Row, State::Test))
    }

    /// The states in which the bounds of wide levels become one.
    fn fold_arms(&self) -> Vec<(Vec<Label>, Vec<Statement>)> {
        let arm = |folds: &Folds, depth: Option<usize>| {
            let arm = folds.fold(self.registers(depth), self.opened(depth));
            (vec![self.code(State::Fold(depth)).into()], arm)
        };
        self.folds.iter().flat_map(|folds| fold_depths(self.tree).into_iter().map(|d| arm(folds, d))).collect()
    }

    /// The pieces that open the loop at depth `d`.
    fn openers(&self, d: usize) -> Vec<usize> {
        let pieces = &self.tree.pieces;
        let opens = |p: &usize| self.tree.opens(*p, d) && d + 1 < pieces[*p].piece.levels.len();
        (0..pieces.len()).filter(opens).collect()
    }

    /// The loop at depth `d` has been opened: into its first iteration, or past it.
    fn test_level(&self, d: usize) -> Vec<Statement> {
        let inside = self.by_piece(&self.openers(d), |p| vec![self.goto(State::Bound { piece: p, depth: d + 1 })]);
        vec![when_else(self.outer[d].some(), inside, self.leave(d))]
    }

    /// Past the loop at depth `d`.
    fn leave(&self, d: usize) -> Vec<Statement> {
        self.by_piece(&self.openers(d), |p| self.go(p, self.tree.after(p, d)))
    }

    /// Gives rows one after the other, a state of its own: `arms` are those of the others, `outer` has the origins.
    fn give_rows(
        &self,
        m: &mut Module,
        mut arms: Vec<(Vec<Label>, Vec<Statement>)>,
        (stream, outputs): (&Stream, &RowPorts),
        mut outer: Vec<Expr>,
    ) {
        let (tree, state) = (self.tree, &self.state);
        let row = self.registers(None);
        let some = m.define("row_is_not_empty", &row.some());
        let all: Vec<usize> = (0..tree.pieces.len()).collect();
        let after_row = self.by_piece(&all, |p| self.go(p, tree.after(p, tree.pieces[p].piece.levels.len() - 1)));
        // Behind the comparison that tells an empty row there is a register where the row goes on to be a burst.
        let transfers = tree.pieces.iter().any(|piece| piece.memory.is_some());
        let many = tree.format.kinds.len() > MANY_KINDS;
        let given = (transfers && (row.is_compared() || many)).then(|| Given::declare(m, stream));
        let (goes_on, ends) = match &given {
            Some(given) => (given.free.e(), given.end.e().and(&stream.ready.e())),
            None => (stream.ready.e().or(&some.e().not()), stream.ready.e()),
        };
        arms.push((vec![self.code(State::Row).into()], vec![when(goes_on, after_row)]));
        let default = vec![when(ends, vec![self.goto(State::Idle)])];
        m.clocked("", vec![(state.clone(), 0)], vec![case(state.e(), arms, default)]);
        let in_state = |which: State| state.e().eq(&self.code(which));
        let gives_row = in_state(State::Row).and(&some.e());
        outer.extend(self.outer_indices());
        let format = &tree.format;
        let payload = Row {
            follows: self.follows.as_ref().map_or(Expr::bit(false), |f| f.e()),
            more: format.more.map_or(Expr::bit(false), |ty| self.value_by_piece(|p| self.rows_behind(p, ty))),
            ..format.row(
                (in_state(State::End), self.value_by_piece(|p| format.number(tree.pieces[p].kind))),
                outer,
                [row.low.e(), row.high.e()],
            )
        };
        match given {
            None => {
                m.assign(&stream.valid, &in_state(State::End).or(&gives_row));
                outputs.drive(m, &payload);
            }
            Some(given) => given.connect(m, (stream, outputs), &payload, &gives_row),
        }
    }

    /// What to do by piece, one of `pieces`; folded where all do the same.
    fn by_piece(&self, pieces: &[usize], action: impl Fn(usize) -> Vec<Statement>) -> Vec<Statement> {
        let Some((&last, others)) = pieces.split_last() else { return vec![] };
        match &self.piece {
            Some(register) if others.iter().any(|&p| action(p) != action(last)) => {
                let arm = |&p: &usize| (vec![Label::Value(p as i128)], action(p));
                vec![case(register.e(), others.iter().map(arm).collect(), action(last))]
            }
            _ => action(last),
        }
    }

    /// How many rows of piece `p` follow on the one that is given, each alike.
    fn rows_behind(&self, p: usize, ty: Type) -> Expr {
        self.tree.rows_joined(p).map_or(Expr::constant(0, ty), |depth| {
            let Loop { low, high, .. } = &self.outer[depth];
            high.e().sub(&low.e(), ty)
        })
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

    /// The origins of a row: tile indices, and in registers what is made of several. `scope` has the tile.
    fn origins(&self, m: &mut Module) -> Vec<Expr> {
        let mut values = vec![];
        for (origin, ranged) in self.tree.origins.iter().zip(&self.tree.format.outer) {
            let value = self.scope.affine_as(origin, ranged.ty());
            if origin.terms.len() == 1 && origin.terms.values().all(|c| *c == 1) {
                values.push(value);
                continue;
            }
            // The tile stands still for a cycle or more before its first row comes.
            let register = m.reg(&ranged.name(), ranged.ty());
            m.clocked("", vec![], vec![assign(&register, &value)]);
            values.push(register.e());
        }
        values
    }
}

/// Whether the guards of a piece follow from sizes and tile.
fn is_of_tile(piece: &Piece) -> bool {
    let mut variables = piece.guards.iter().flat_map(|guard| guard.terms.keys());
    variables.all(|v| matches!(v, Var::Size(_) | Var::Tile(_) | Var::TileBound(_)))
}

/// The levels of loops that states open, with their depths, `None` for that of the row.
fn opened_by_states(tree: &Tree) -> Vec<(Option<usize>, &Level)> {
    let mut all = vec![];
    for (p, TreePiece { piece, .. }) in tree.pieces.iter().enumerate() {
        let own = piece.levels.iter().enumerate().filter(|(d, _)| tree.opens(p, *d));
        all.extend(own.map(|(d, level)| ((d + 1 < piece.levels.len()).then_some(d), level)));
    }
    all.retain(|(depth, _)| depth.is_some() || !tree.every_cycle);
    all
}

/// The depths of those loops that some wide level opens.
fn fold_depths(tree: &Tree) -> Vec<Option<usize>> {
    let mut depths = vec![];
    for (depth, _) in opened_by_states(tree).into_iter().filter(|(_, level)| is_wide(level)) {
        if !depths.contains(&depth) {
            depths.push(depth);
        }
    }
    depths
}
