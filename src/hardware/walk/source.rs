//! What a scanner walks: the pieces of the sets of one or several bands, made to say all of what their rows visit.
//!
//! A state machine counts its levels from the tile's corner, and rows of pieces with other levels are of another kind.
//! A program ([`crate::hardware::scanner`]) gives the cells of memory by their subscripts, so that rows of one array
//! are of one kind however many pieces there are.

use crate::hardware::circuit::variable::{Affine, Bound, Level, Piece, Var};
use crate::hardware::context::Context;
use crate::hardware::tile::bounds::with_variables;
use crate::hardware::tile::relative::relative;
use crate::ids::{ArrayId, BandId};
use crate::layout::Layout;
use crate::offload::{Scan, Transfer};

/// One scan for the tiles of one band.
pub struct Source {
    pub band: BandId,
    pub tiled: bool,
    /// How the cells lie in memory, of a source that visits such: every row is contiguous there.
    pub memory: Option<Layout<Affine>>,
    /// Its levels are subscripts, some with helpers around, see [`Source::by_subscripts`].
    pub by_subscripts: bool,
    pub pieces: Vec<Piece>,
}

/// Terms of the bounds and guards of a process from which its program is smaller than a circuit for every bound: such
/// a circuit has about seven look-up tables per term, a program's machine 500 in all.
const MANY_TERMS: usize = 160;

impl Source {
    /// A scan outside all tiles.
    pub fn untiled(context: &Context, scan: &Scan) -> Source {
        let pieces = with_own_rows(context.names.pieces(scan));
        Source { band: BandId(0), tiled: false, memory: None, by_subscripts: false, pieces }
    }

    /// A scan of a tile, its levels counted from the tile's corner.
    pub fn in_tile(context: &Context, band: BandId, scan: &Scan) -> Source {
        let names = &context.names;
        let pieces = with_variables(names, &context.tile_bounds, relative(names, &names.pieces(scan)));
        Source { band, tiled: true, memory: None, by_subscripts: false, pieces: with_own_rows(pieces) }
    }

    /// [`Source::in_tile`] for cells of an array in memory. A piece whose innermost level does not walk neighbours gets
    /// rows of one element.
    pub fn in_memory(context: &Context, band: BandId, array: ArrayId, scan: &Scan) -> Source {
        let layout = context.layout(array);
        let mut source = Source::in_tile(context, band, scan);
        for piece in source.pieces.iter_mut().filter(|p| !is_contiguous(&layout, p)) {
            let element = add_element(piece);
            if let Some(innermost) = layout.innermost() {
                piece.point[innermost].add_term(&element, 1);
            }
            // Where digits are parts, the last one is a part of that subscript.
            if let Some(part) = piece.parts.last_mut() {
                part.add_term(&element, 1);
            }
        }
        Source { memory: Some(layout), ..source }
    }

    /// The same with a level for every subscript, [`Var::Subscript`], memory's innermost one innermost. Levels that are no
    /// subscript stay around them. Nothing is relative to the tile. The pieces share no loops.
    pub fn by_subscripts(context: &Context, band: BandId, array: ArrayId, scan: &Scan) -> Source {
        let layout = context.layout(array);
        let pieces =
            scan.pieces.iter().map(|piece| with_subscripts(context, &layout, context.names.piece(piece))).collect();
        Source { band, tiled: true, memory: Some(layout), by_subscripts: true, pieces }
    }

    fn terms(&self) -> usize {
        let of_piece = |piece: &Piece| {
            let bounds = piece.levels[piece.shared..].iter().flat_map(|l| l.lower.iter().chain(&l.upper));
            let all = piece.guards.iter().chain(bounds.map(|b| &b.numerator));
            all.map(|affine| affine.terms.len() + usize::from(affine.constant != 0)).sum::<usize>()
        };
        self.pieces.iter().map(of_piece).sum()
    }
}

/// See [`Source::by_subscripts`].
fn with_subscripts(context: &Context, layout: &Layout<Affine>, mut piece: Piece) -> Piece {
    if piece.point.is_empty() {
        // A scalar: its row has one element.
        piece.levels.push(one_value(Var::Subscript(0), Affine::default(), (0, 0)));
    }
    // The innermost one first: it decides which level is.
    for (from_last, digit) in layout.digits.iter().rev().enumerate() {
        let name = Var::Subscript(from_last);
        let value = piece.point[digit.subscript].clone();
        let is_last = from_last == 0;
        let own = piece.levels.iter().position(|l| value == Affine::variable(&l.name));
        match own.filter(|&d| (d + 1 == piece.levels.len()) == is_last) {
            Some(d) => {
                let old = std::mem::replace(&mut piece.levels[d].name, name.clone());
                piece.rename(&old, &name);
            }
            None => {
                let extent = layout.extent(digit).range(|size| context.names.range(size).unwrap_or((0, 0))).1;
                let needs = piece.levels.iter().rposition(|l| value.coefficient(&l.name) != 0);
                let at = if is_last { piece.levels.len() } else { needs.map_or(0, |d| d + 1) };
                // The new level has the subscript's value and no other. Bounds further in go on naming the levels that it
                // was made of, so its interval need not be exact: the array's extent is enough.
                piece.levels.insert(at, one_value(name.clone(), value, (0, extent.max(1) - 1)));
            }
        }
        piece.point[digit.subscript] = Affine::variable(&name);
    }
    piece
}

fn one_value(name: Var, value: Affine, range: (i64, i64)) -> Level {
    let bound = vec![Bound { numerator: value, divisor: 1 }];
    Level { name, lower: bound.clone(), upper: bound, range }
}

/// Load(T) or Store(T) of all bands, of the arrays on one port.
pub struct Transfers {
    pub sources: Vec<Source>,
    /// The array of each source.
    pub source_arrays: Vec<ArrayId>,
    /// The arrays that are transferred at all, each once.
    pub arrays: Vec<ArrayId>,
}

impl Transfers {
    pub fn of(context: &Context, port: u32, scan: impl Fn(&Transfer) -> &Scan) -> Transfers {
        let offload = context.offload;
        let mut all = Transfers { sources: vec![], source_arrays: vec![], arrays: vec![] };
        let mut scans = vec![];
        for (band, own) in offload.bands.iter_enumerated() {
            let here = |t: &&Transfer| offload.port(t.array) == port && !scan(t).pieces.is_empty();
            for transfer in own.transfers.iter().filter(here) {
                scans.push((band, scan(transfer)));
                all.source_arrays.push(transfer.array);
                if !all.arrays.contains(&transfer.array) {
                    all.arrays.push(transfer.array);
                }
            }
        }
        let of_arrays = || scans.iter().zip(&all.source_arrays);
        let in_memory =
            |((band, scan), &array): (&(BandId, &Scan), &ArrayId)| Source::in_memory(context, *band, array, scan);
        all.sources = of_arrays().map(in_memory).collect();
        let shares_loops = scans.iter().flat_map(|(_, scan)| &scan.pieces).any(|piece| piece.shared > 0);
        // A program has a level per subscript; levels of parts of subscripts are a state machine's.
        let as_subscripts = |&a: &ArrayId| {
            let layout = context.layout(a);
            in_buffer_order(&layout) && layout.slices().is_none()
        };
        if !shares_loops
            && all.arrays.iter().all(as_subscripts)
            && all.sources.iter().map(Source::terms).sum::<usize>() > MANY_TERMS
        {
            all.sources =
                of_arrays().map(|((band, scan), &array)| Source::by_subscripts(context, *band, array, scan)).collect();
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

/// Adds an innermost level of the one value 0; gives its variable, which reads like no other level.
fn add_element(piece: &mut Piece) -> Var {
    let reads_like = |one: &Var, other: &Var| one.signal().eq_ignore_ascii_case(&other.signal());
    let is_free = |element: &Var| piece.levels.iter().all(|level| !reads_like(&level.name, element));
    let element = (0..).map(Var::Element).find(is_free).expect("a piece has finitely many levels");
    piece.levels.push(one_value(element.clone(), Affine::default(), (0, 0)));
    element
}

/// Rows whose cells lie side by side in memory, and in their buffer.
fn is_contiguous(layout: &Layout<Affine>, piece: &Piece) -> bool {
    let Some(inner) = piece.levels.last() else { return false };
    in_buffer_order(layout) && layout.is_row(&piece.point, &piece.parts, &inner.name)
}

/// Whether neighbours in memory are neighbours in a buffer: there, those of the last subscript are
/// ([`crate::offload::Mapping`]).
fn in_buffer_order(layout: &Layout<Affine>) -> bool {
    layout.innermost().is_none_or(|innermost| layout.digits.iter().all(|digit| digit.subscript <= innermost))
}
