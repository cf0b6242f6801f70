//! The pieces of the sets of one or several bands as one tree of loops, of which every level has one register.

use crate::affine::fresh;
use crate::hardware::circuit::ranged::Ranged;
use crate::hardware::circuit::variable::{Affine, Bound, Level, Piece, Var};
use crate::hardware::context::Context;
use crate::hardware::tile::tile_part;
use crate::hardware::walk::rows::{RowFormat, RowKind};
use crate::hardware::walk::source::Source;
use crate::ids::{BandId, ByKind, KindId};
use crate::layout::Layout;
use crate::rtl::Type;

/// The pieces of all sources in the order of the walk, over its registers.
pub struct Tree {
    pub format: RowFormat,
    pub pieces: Vec<TreePiece>,
    /// Whether a program walks the tree. A level's register is then that of its subscript, else that of its depth.
    pub by_program: bool,
    /// The registers of levels that rows do not give.
    pub helpers: Vec<Ranged>,
    /// The values of the origins of a row, over the tile: whoever receives rows knows the sizes but not the tile, so
    /// what a point takes from tile indices travels with the row, without the power of two that scales it.
    pub origins: Vec<Affine>,
    /// A state machine gives rows one per cycle; none of them lies in memory.
    pub every_cycle: bool,
}

#[derive(Clone)]
pub struct TreePiece {
    pub band: BandId,
    pub kind: KindId,
    pub piece: Piece,
    /// The register of each level but the innermost, see [`Tree::registers`].
    pub places: Vec<usize>,
    /// [`Source::memory`]
    pub memory: Option<Layout<Affine>>,
}

impl TreePiece {
    /// Whether a row lies in memory a pitch behind the row before it in its loop, or would if it began with the same index: the loop
    /// steps rows, and nothing else depends on it. Rows in slices begin alike.
    fn rows_follow(&self) -> bool {
        let ([.., outer, _], Some(layout)) = (&self.piece.levels[..], &self.memory) else {
            return false;
        };
        let may_move = layout.slices().is_none();
        (may_move || !self.rows_move()) && layout.is_next_row(&self.piece.point, &self.piece.parts, &outer.name)
    }

    /// Whether where a row begins depends on the loop around it.
    fn rows_move(&self) -> bool {
        let [.., outer, inner] = &self.piece.levels[..] else { return false };
        inner.lower.iter().any(|bound| bound.numerator.coefficient(&outer.name) != 0)
    }
}

/// Where the walk goes on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Next {
    /// Into the first loop that this piece does not share with the piece before.
    Enter(usize),
    /// To the next iteration of the loop at `depth`, which begins with `piece`.
    Step {
        depth: usize,
        piece: usize,
    },
    End,
}

impl Tree {
    pub fn new(context: &Context, sources: &[Source]) -> Tree {
        let mut all: Vec<(usize, &Source, &Piece)> = vec![];
        for (index, source) in sources.iter().enumerate() {
            all.extend(source.pieces.iter().map(|p| (index, source, p)));
        }
        // Tiles of a band find its pieces in a row.
        all.sort_by_key(|(_, source, _)| source.band);
        let mut origins: Vec<Affine> = vec![];
        // Outside all tiles, tile indices are levels.
        let tiled = all.iter().filter(|(_, source, _)| source.tiled);
        for point in tiled.flat_map(|(.., piece)| piece.point.iter().chain(&piece.slacks).chain(&piece.parts)) {
            let (origin, _) = origin(point);
            if !origin.is_constant() && !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        let pieces: Vec<&Piece> = all.iter().map(|(.., p)| *p).collect();
        let by_program = !sources.is_empty() && sources.iter().all(|source| source.by_subscripts);
        let (mut format, helpers) = match by_program {
            true => subscripts_format(context, &pieces),
            false => (format(context, &pieces, &origins), vec![]),
        };
        format.follows = sources.iter().filter_map(|s| s.memory.as_ref()).any(|layout| layout.pitch().is_some());
        let mut tree = Tree { format, pieces: vec![], by_program, helpers, origins, every_cycle: false };
        for (index, source, piece) in all {
            let places = tree.places(piece);
            let piece = over_registers(&tree, piece, &places);
            let kind = RowKind {
                source: index,
                band: source.band,
                leaf: piece.leaf,
                point: piece.point.clone(),
                slacks: piece.slacks.clone(),
                parts: piece.parts.clone(),
            };
            let kinds = &mut tree.format.kinds;
            let kind = kinds.position(|k| *k == kind).unwrap_or_else(|| kinds.push_and_get_key(kind));
            tree.pieces.push(TreePiece { band: source.band, kind, piece, places, memory: source.memory.clone() });
        }
        let longest = (0..tree.pieces.len()).filter_map(|piece| {
            let (low, high) = tree.pieces[piece].piece.levels[tree.rows_joined(piece)?].range;
            Some(high - low)
        });
        tree.format.more = longest.max().map(|most| Type::for_range(0, most.max(1)));
        tree.format.moves = tree.pieces.iter().any(|piece| piece.rows_follow() && piece.rows_move());
        tree
    }

    /// The tree of every other piece, from number `first` on, in the same registers; of pieces that share no loops.
    pub fn every_other(&self, first: usize) -> Tree {
        Tree {
            format: self.format.clone(),
            pieces: self.pieces.iter().skip(first).step_by(2).cloned().collect(),
            by_program: self.by_program,
            helpers: self.helpers.clone(),
            origins: self.origins.clone(),
            every_cycle: self.every_cycle,
        }
    }

    /// The registers of the levels of `piece` but the innermost.
    fn places(&self, piece: &Piece) -> Vec<usize> {
        let outer = &piece.levels[..piece.levels.len() - 1];
        if !self.by_program {
            return (0..outer.len()).collect();
        }
        let subscripts = self.outer().len();
        let mut helpers = subscripts..;
        let place = |level: &Level| {
            let own = (1..=subscripts).find(|&k| level.name == Var::Subscript(k)).map(|k| subscripts - k);
            own.or_else(|| helpers.next()).unwrap_or(subscripts)
        };
        outer.iter().map(place).collect()
    }

    /// The registers of all levels but the innermost: those that rows give, then the helpers.
    pub fn registers(&self) -> impl Iterator<Item = &Ranged> {
        self.outer().iter().chain(&self.helpers)
    }

    /// All bounds, lower ones with `true`.
    pub fn bounds_mut(&mut self) -> impl Iterator<Item = (&mut Bound, bool)> {
        self.pieces.iter_mut().flat_map(|p| &mut p.piece.levels).flat_map(|level| {
            let lower = level.lower.iter_mut().map(|b| (b, true));
            lower.chain(level.upper.iter_mut().map(|b| (b, false)))
        })
    }

    /// Whether some bound has `variable`.
    pub fn is_in_bounds(&self, variable: &Var) -> bool {
        let levels = self.pieces.iter().flat_map(|p| &p.piece.levels);
        levels.flat_map(|l| l.lower.iter().chain(&l.upper)).any(|b| b.numerator.terms.contains_key(variable))
    }

    /// The registers of the outer levels.
    pub fn outer(&self) -> &[Ranged] {
        &self.format.outer[self.format.origins..]
    }

    /// The number of levels that `piece` shares with the one after it.
    pub fn shared_with_next(&self, piece: usize) -> usize {
        self.pieces.get(piece + 1).map_or(0, |next| next.piece.shared)
    }

    /// Whether `piece` opens its loop at `depth`; other pieces find it open.
    pub fn opens(&self, piece: usize, depth: usize) -> bool {
        let piece = &self.pieces[piece].piece;
        (piece.shared..piece.levels.len()).contains(&depth)
    }

    /// The first piece of a band.
    pub fn first_of(&self, band: BandId) -> Option<usize> {
        self.pieces.iter().position(|p| p.band == band)
    }

    /// Whether the next row of `piece` follows on its last one, where `next` comes between.
    pub fn rows_follow(&self, piece: usize, next: Next) -> bool {
        let own = &self.pieces[piece];
        let steps_rows = |depth: usize| depth + 2 == own.piece.levels.len() && own.rows_follow();
        matches!(next, Next::Step { depth, piece: again } if again == piece && steps_rows(depth))
    }

    /// The depth of the loop around the rows of a piece all of which follow on each other and are alike, in slices of an array;
    /// `None` where there is none, or where other pieces have their rows in between.
    pub fn rows_joined(&self, piece: usize) -> Option<usize> {
        let own = &self.pieces[piece];
        let [.., outer, inner] = &own.piece.levels[..] else { return None };
        let is_cut = own.memory.as_ref().is_some_and(|layout| layout.slices().is_some());
        let depth = own.piece.levels.len() - 2;
        let steps = self.after(piece, depth + 1) == Next::Step { depth, piece };
        let alike = inner.upper.iter().all(|bound| bound.numerator.coefficient(&outer.name) == 0);
        (is_cut && !self.by_program && steps && alike && own.rows_follow()).then_some(depth)
    }

    /// The depth at which the guards of a piece are tested: its first loop that no other piece shares. They name
    /// nothing further in, and a loop around others runs for those.
    pub fn guard_depth(&self, piece: usize) -> usize {
        self.pieces[piece].piece.shared.max(self.shared_with_next(piece))
    }

    /// What follows when the loop at `depth` that `piece` opens, or is the last to share, has ended.
    pub fn after(&self, piece: usize, depth: usize) -> Next {
        let last = (piece..self.pieces.len()).find(|&p| self.shared_with_next(p) <= depth).unwrap_or(piece);
        let next = last + 1;
        match self.pieces.get(next) {
            Some(other) if other.piece.shared == depth && other.band == self.pieces[last].band => Next::Enter(next),
            _ if depth == 0 => Next::End,
            _ => {
                let opener = (0..=last).rev().find(|&p| self.pieces[p].piece.shared < depth);
                Next::Step { depth: depth - 1, piece: opener.unwrap_or(0) }
            }
        }
    }
}

/// The union of intervals, (0, 0) of none.
fn union<'a>(levels: impl Iterator<Item = &'a Level>) -> (i64, i64) {
    levels.map(|l| l.range).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0))
}

/// What `point` takes from the tile, as an origin and the power of two that scales it.
fn origin(point: &Affine) -> (Affine, i64) {
    let part = tile_part(point);
    let twos = part.terms.values().map(|c| c.trailing_zeros()).min().unwrap_or(0);
    let terms = part.terms.iter().map(|(variable, c)| (variable.clone(), c >> twos));
    (Affine { terms: terms.collect(), constant: 0 }, 1 << twos)
}

/// What a scanner's row ports are called beside its levels, see [`crate::hardware::rows::RowPorts`].
const ROW_NAMES: [&str; 7] = ["valid", "ready", "end", "kind", "first", "last", "follows"];

/// Whether two names are alike but for upper and lower case, in which those of states do not differ. Indices of the
/// `tile`, which are no loops of a tile, may stand beside levels `t0`, `t1`, ….
fn alike(tile: &[Ranged], one: &str, other: &str) -> bool {
    let is_tile_index = |name: &str| tile.iter().any(|index| index.name() == name);
    one == other || (one.eq_ignore_ascii_case(other) && !is_tile_index(one) && !is_tile_index(other))
}

/// `name`, with marks behind it where `names` has one alike already; `names` has the new one then.
fn unused(tile: &[Ranged], names: &mut Vec<String>, name: String) -> String {
    let name = fresh(name, |name| names.iter().any(|other| alike(tile, other, name)));
    names.push(name.clone());
    name
}

/// Names and ranges of the registers; no kinds yet.
fn format(context: &Context, pieces: &[&Piece], origins: &[Affine]) -> RowFormat {
    let depth = pieces.iter().map(|p| p.levels.len()).max().unwrap_or(1);
    let tiles = &context.names.tile;
    let mut names: Vec<String> = ROW_NAMES.map(str::to_string).to_vec();
    if !origins.is_empty() {
        names.extend(context.names.tile.iter().map(Ranged::name));
    }
    let mut outer = vec![];
    for (index, origin) in origins.iter().enumerate() {
        let tile = context.names.tile.iter().find(|t| *origin == Affine::variable(&t.variable));
        outer.push(match tile {
            Some(tile) => tile.clone(),
            None => {
                let known = |variable: &Var| context.names.range(variable).unwrap_or((0, 0));
                let name = unused(tiles, &mut names, format!("origin{index}"));
                Ranged::new(Var::Register(name), origin.range(known))
            }
        });
    }
    // The source's own name where all pieces agree on one that nothing else has.
    let mut name = |levels: &[&Level], other: String| {
        let own = levels.first().map(|l| l.name.signal()).filter(|own| levels.iter().all(|l| l.name.signal() == *own));
        let own = own.filter(|own| !names.iter().any(|other| alike(tiles, other, own)));
        Var::Register(unused(tiles, &mut names, own.unwrap_or(other)))
    };
    let mut at_depth = vec![];
    for d in 0..depth - 1 {
        let deeper = pieces.iter().filter(|p| d + 1 < p.levels.len());
        at_depth.push(deeper.map(|p| &p.levels[d]).collect::<Vec<_>>());
    }
    for (d, levels) in at_depth.iter().enumerate() {
        outer.push(Ranged::new(name(levels, format!("outer{d}")), union(levels.iter().copied())));
    }
    let levels: Vec<&Level> = pieces.iter().filter_map(|p| p.levels.last()).collect();
    let inner = Ranged::new(name(&levels, "inner".to_string()), union(levels.iter().copied()));
    RowFormat { kinds: ByKind::new(), outer, origins: origins.len(), inner, follows: false, moves: false, more: None }
}

/// The format of rows by subscripts, no kinds yet, and the registers of the other levels.
fn subscripts_format(context: &Context, pieces: &[&Piece]) -> (RowFormat, Vec<Ranged>) {
    let sizes = context.names.parameters.iter().chain(&context.names.tile).map(Ranged::name);
    let mut names: Vec<String> = ROW_NAMES.map(str::to_string).into_iter().chain(sizes).collect();
    let mut ranged =
        |name: String, range| Ranged::new(Var::Register(unused(&context.names.tile, &mut names, name)), range);
    let rank = pieces.iter().map(|p| p.point.len()).max().unwrap_or(1).max(1);
    let of_subscript = |k: usize| union(pieces.iter().flat_map(|p| &p.levels).filter(|l| l.name == Var::Subscript(k)));
    let outer = (1..rank).rev().map(|k| ranged(format!("subscript{k}"), of_subscript(k))).collect();
    let inner = ranged("subscript0".to_string(), of_subscript(0));
    let is_helper = |level: &&Level| (0..rank).all(|k| level.name != Var::Subscript(k));
    let helpers: Vec<Vec<&Level>> = pieces.iter().map(|p| p.levels.iter().filter(is_helper).collect()).collect();
    let most = helpers.iter().map(Vec::len).max().unwrap_or(0);
    let helper = |j: usize| union(helpers.iter().filter_map(|levels| levels.get(j).copied()));
    let helpers = (0..most).map(|j| ranged(format!("helper{j}"), helper(j))).collect();
    (RowFormat { kinds: ByKind::new(), outer, origins: 0, inner, follows: false, moves: false, more: None }, helpers)
}

/// The piece over the registers, and its point over the origins.
fn over_registers(tree: &Tree, piece: &Piece, places: &[usize]) -> Piece {
    let format = &tree.format;
    let registers: Vec<&Ranged> = tree.registers().collect();
    let register = |depth: usize| &places.get(depth).map_or(&format.inner, |&place| registers[place]).variable;
    let value = |variable: &Var| {
        let depth = piece.levels.iter().position(|l| l.name == *variable);
        Affine::variable(depth.map_or_else(|| variable.clone(), |depth| register(depth).clone()))
    };
    let bounds = |bounds: &[Bound]| {
        bounds.iter().map(|b| Bound { numerator: b.numerator.substitute(value), divisor: b.divisor }).collect()
    };
    let level = |(depth, level): (usize, &Level)| Level {
        name: register(depth).clone(),
        lower: bounds(&level.lower),
        upper: bounds(&level.upper),
        range: level.range,
    };
    let point = |point: &Affine| {
        let (origin, scale) = origin(point);
        let Some(place) = tree.origins.iter().position(|o| *o == origin) else { return point.substitute(value) };
        let levels = (point.clone() - tile_part(point)).substitute(value);
        levels + Affine::variable(&format.outer[place].variable) * scale
    };
    Piece {
        shared: piece.shared,
        leaf: piece.leaf,
        guards: piece.guards.iter().map(|g| g.substitute(value)).collect(),
        levels: piece.levels.iter().enumerate().map(level).collect(),
        point: piece.point.iter().map(point).collect(),
        slacks: piece.slacks.iter().map(point).collect(),
        parts: piece.parts.iter().map(point).collect(),
    }
}
