//! What a scanner walks: the pieces of the sets of one or several bands, made to say all of what their rows visit.

use crate::affine::Affine;
use crate::hardware::context::{Context, Ranged};
use crate::hardware::relative::relative;
use crate::hardware::rows::{RowFormat, RowKind};
use crate::hardware::tile_bounds::with_names;
use crate::offload::{Bound, Level, Offload, Piece, Scan, Transfer};

/// One scan for the tiles of one band.
pub struct Source {
    pub band: usize,
    tiled: bool,
    in_memory: bool,
    pieces: Vec<Piece>,
}

impl Source {
    /// A scan outside all tiles.
    pub fn untiled(scan: &Scan) -> Source {
        Source { band: 0, tiled: false, in_memory: false, pieces: with_own_rows(scan.pieces.clone()) }
    }

    /// A scan of a tile, its levels counted from the tile's corner.
    pub fn in_tile(context: &Context, band: usize, scan: &Scan) -> Source {
        let pieces = with_names(context, relative(context, &scan.pieces));
        Source { band, tiled: true, in_memory: false, pieces: with_own_rows(pieces) }
    }

    /// [`Source::in_tile`] for cells of memory: every row is contiguous there. A piece whose innermost level is not
    /// the last subscript gets rows of one element.
    pub fn in_memory(context: &Context, band: usize, scan: &Scan) -> Source {
        let mut source = Source { in_memory: true, ..Source::in_tile(context, band, scan) };
        for piece in source.pieces.iter_mut().filter(|p| !is_contiguous(p)) {
            let element = add_element(piece);
            if let Some(last) = piece.point.last_mut() {
                last.add_term(&element, 1);
            }
        }
        source
    }
}

/// Load(T) or Store(T) of all arrays and bands.
pub struct Transfers {
    pub sources: Vec<Source>,
    /// The array of each source.
    pub source_arrays: Vec<usize>,
    /// The arrays that are transferred at all, each once.
    pub arrays: Vec<usize>,
}

impl Transfers {
    pub fn of(context: &Context, offload: &Offload, scan: impl Fn(&Transfer) -> &Scan) -> Transfers {
        let mut all = Transfers { sources: vec![], source_arrays: vec![], arrays: vec![] };
        for (band, transfers) in offload.bands.iter().map(|b| &b.transfers).enumerate() {
            for transfer in transfers.iter().filter(|t| !scan(t).pieces.is_empty()) {
                all.sources.push(Source::in_memory(context, band, scan(transfer)));
                all.source_arrays.push(transfer.array);
                if !all.arrays.contains(&transfer.array) {
                    all.arrays.push(transfer.array);
                }
            }
        }
        all
    }
}

/// A loop that a piece shares with the next one cannot be its row: such a piece gets rows of one element.
fn with_own_rows(mut pieces: Vec<Piece>) -> Vec<Piece> {
    for p in 0..pieces.len() {
        let shared = pieces.get(p + 1).map_or(0, |next| next.shared);
        let piece = &mut pieces[p];
        if piece.levels.len() <= shared || piece.levels.is_empty() {
            add_element(piece);
        }
    }
    pieces
}

/// Adds an innermost level of the one value 0; gives its name.
fn add_element(piece: &mut Piece) -> String {
    let zero = vec![Bound { numerator: Affine::default(), divisor: 1 }];
    let mut name = "element".to_string();
    while piece.levels.iter().any(|l| l.name == name) {
        name.push('_');
    }
    piece.levels.push(Level { name: name.clone(), lower: zero.clone(), upper: zero, range: (0, 0) });
    name
}

/// Rows whose cells lie side by side in memory: the innermost level is the last subscript and nothing else.
fn is_contiguous(piece: &Piece) -> bool {
    let (Some(inner), Some((last, others))) = (piece.levels.last(), piece.point.split_last()) else { return false };
    last.coefficient(&inner.name) == 1 && others.iter().all(|s| s.coefficient(&inner.name) == 0)
}

/// The pieces of all sources in the order of the walk, their levels named as the registers are.
pub struct Tree {
    pub format: RowFormat,
    pub pieces: Vec<TreePiece>,
    /// The values of the origins of a row, over the tile: whoever receives rows knows the sizes but not the tile, so
    /// what a point takes from tile indices travels with the row, without the power of two that scales it.
    pub origins: Vec<Affine>,
}

pub struct TreePiece {
    pub band: usize,
    pub kind: usize,
    pub piece: Piece,
}

/// Where the walk goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
        for point in tiled.flat_map(|(.., piece)| &piece.point) {
            let (origin, _) = origin(context, point);
            if !origin.is_constant() && !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        let mut format = format(context, &all.iter().map(|(.., p)| *p).collect::<Vec<_>>(), &origins);
        format.follows = sources.iter().any(|s| s.in_memory) && all.iter().any(|(.., p)| p.point.len() > 1);
        let mut tree = Tree { format, pieces: vec![], origins };
        for (index, source, piece) in all {
            let piece = rename(context, &tree, piece);
            let kind = RowKind { source: index, band: source.band, leaf: piece.leaf, point: piece.point.clone() };
            let kinds = &mut tree.format.kinds;
            let kind = kinds.iter().position(|k| *k == kind).unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            });
            tree.pieces.push(TreePiece { band: source.band, kind, piece });
        }
        tree
    }

    /// All bounds, lower ones with `true`.
    pub fn bounds_mut(&mut self) -> impl Iterator<Item = (&mut Bound, bool)> {
        self.pieces.iter_mut().flat_map(|p| &mut p.piece.levels).flat_map(|level| {
            let lower = level.lower.iter_mut().map(|b| (b, true));
            lower.chain(level.upper.iter_mut().map(|b| (b, false)))
        })
    }

    /// Whether some bound names `name`.
    pub fn names_in_bounds(&self, name: &str) -> bool {
        let levels = self.pieces.iter().flat_map(|p| &p.piece.levels);
        levels.flat_map(|l| l.lower.iter().chain(&l.upper)).any(|b| b.numerator.terms.contains_key(name))
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
fn origin(context: &Context, point: &Affine) -> (Affine, i64) {
    let part = context.tile_part(point);
    let twos = part.terms.values().map(|c| c.trailing_zeros()).min().unwrap_or(0);
    let terms = part.terms.iter().map(|(name, c)| (name.clone(), c >> twos));
    (Affine { terms: terms.collect(), constant: 0 }, 1 << twos)
}

/// Names and ranges of the registers; no kinds yet.
fn format(context: &Context, pieces: &[&Piece], origins: &[Affine]) -> RowFormat {
    let depth = pieces.iter().map(|p| p.levels.len()).max().unwrap_or(1);
    let mut names: Vec<String> = ["end", "kind", "first", "last"].map(str::to_string).to_vec();
    if !origins.is_empty() {
        names.extend(context.tile.iter().map(|t| t.name.clone()));
    }
    let unused = |names: &mut Vec<String>, mut name: String| {
        while names.contains(&name) {
            name.push('_');
        }
        names.push(name.clone());
        name
    };
    let mut outer = vec![];
    for (index, origin) in origins.iter().enumerate() {
        let tile = context.tile.iter().find(|t| *origin == Affine::variable(&t.name));
        outer.push(match tile {
            Some(tile) => tile.clone(),
            None => {
                let known = |name: &str| context.tile.iter().find(|t| t.name == name).map_or((0, 0), |t| t.range);
                Ranged::new(unused(&mut names, format!("origin{index}")), origin.range(known))
            }
        });
    }
    // The source's own name where all pieces agree on one that nothing else has.
    let mut name = |levels: &[&Level], other: String| {
        let own = levels.first().map(|l| l.name.clone()).filter(|own| levels.iter().all(|l| l.name == *own));
        let own = own.filter(|own| !names.contains(own));
        unused(&mut names, own.unwrap_or(other))
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
    RowFormat { kinds: vec![], outer, origins: origins.len(), inner, follows: false }
}

/// The piece with its levels named as the registers are, and its point over the origins.
fn rename(context: &Context, tree: &Tree, piece: &Piece) -> Piece {
    let format = &tree.format;
    let last = piece.levels.len() - 1;
    let new_name = |depth: usize| match depth == last {
        true => &format.inner.name,
        false => &format.outer[format.origins + depth].name,
    };
    let value = |name: &str| {
        let depth = piece.levels.iter().position(|l| l.name == name);
        Affine::variable(depth.map_or(name, |depth| new_name(depth)))
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
    let point = |point: &Affine| {
        let (origin, scale) = origin(context, point);
        let Some(register) = tree.origins.iter().position(|o| *o == origin) else { return point.substitute(value) };
        let levels = (point.clone() - context.tile_part(point)).substitute(value);
        levels + Affine::variable(&format.outer[register].name) * scale
    };
    Piece {
        shared: piece.shared,
        leaf: piece.leaf,
        guards: piece.guards.iter().map(|g| g.substitute(value)).collect(),
        levels: piece.levels.iter().enumerate().map(level).collect(),
        point: piece.point.iter().map(point).collect(),
    }
}
