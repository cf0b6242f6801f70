//! What the page draws, as data: tiles with their cells, and the roofline. Exact for the sizes of the run; where there is
//! more than eyes see, tiles are left out and cells drawn together, and the numbers stay those of single cells.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use serde::Serialize;

use super::footprint::{Cells, Follower, Shape, TileCells};
use super::lives::Lives;
use super::order::{Order, Origins};
use super::roofline::Roofline;
use crate::ids::BandId;
use crate::offload::{Buffer, Offload, bits_below};
use crate::simulate::timeline::Timeline;
use crate::walk::{self, Values};

/// Tiles on a page at most.
const TILES: u64 = 128;
/// Rows and columns of a drawing at most.
const GRID: i64 = 256;
/// Rectangles of all tiles, each about 17 bytes on the page.
const RECTANGLES: usize = 40_000;
/// Rectangles of the buffers of all tiles, and rows of iterations of all shapes of tiles.
const BUFFER_RECTANGLES: usize = 16_000;
const ROWS: usize = 10_000;
/// Iterations and cells that are followed one by one.
const STEPS: u64 = 4_000_000;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pictures {
    pub sizes: BTreeMap<String, i64>,
    /// Tiles of the run; `shown` has all of them, or some from the first to the last.
    pub tile_count: u64,
    pub shown: Vec<Tile>,
    /// The names of the tile indices, as the sets have them.
    pub bands: Vec<BandPicture>,
    pub arrays: Vec<ArrayPicture>,
    pub buffers: Vec<BufferPicture>,
    /// What iterations tiles have, in which order; tiles that are alike have one of them.
    pub orders: Vec<Order>,
    /// Absent where there are too many iterations to follow a whole strip of them, or accesses depend on data.
    pub lives: Option<Lives>,
    /// Where arrays lie in a memory of banks and rows, in the order of their addresses.
    pub regions: Vec<Region>,
    pub roofline: Option<Roofline>,
    /// Of a run.
    pub timeline: Option<Timeline>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BandPicture {
    /// Names of the statements, and of the iterators of each.
    pub statements: Vec<String>,
    pub iterators: Vec<Vec<String>>,
    pub tile_sizes: Vec<i64>,
    /// θ, which the tiles cut.
    pub theta: String,
    /// The last indices, along which a strip runs.
    pub strip: usize,
    /// The order inside a tile, in the words of the source.
    pub order: String,
}

/// An array in a memory of banks and rows, all rows of whole banks: from one to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    pub array: String,
    pub rows: [u64; 2],
}

/// The memory of an array on chip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BufferPicture {
    pub array: String,
    pub banks: i64,
    /// Words of a bank.
    pub words: i64,
    /// Rows and columns of the drawing, and the words that a square of it stands for in each direction: a row per bank, or of a single
    /// bank its words from left to right and then down, as many in a row as `columns` says.
    pub columns: i64,
    pub grid: [i64; 2],
    pub together: [i64; 2],
    /// What tells the place of a cell: the buffer itself, without what only its memories know.
    pub buffer: Buffer,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ArrayPicture {
    pub name: String,
    pub extents: Vec<i64>,
    pub element_bytes: u32,
    /// Rows and columns of the drawing, and the cells that one of its squares stands for in each direction.
    pub grid: [i64; 2],
    pub together: [i64; 2],
}

/// A tile of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// From 0, in the order of execution.
    pub number: u64,
    /// The same of its strip.
    pub strip: u64,
    pub band: usize,
    pub index: Vec<i64>,
    pub iterations: Option<u64>,
    /// Of the arrays that the tile transfers.
    pub arrays: Vec<TileArray>,
    /// Index into [`Pictures::orders`], and where the tile begins; absent where nobody followed the iterations, or there are too many rows
    /// on the page.
    pub order: Option<usize>,
    pub origins: Origins,
    /// The date of its first iteration in [`Pictures::lives`].
    pub first_date: Option<u64>,
    /// Absent where there are too many on the page.
    pub buffers: Vec<TileBuffer>,
}

/// The words of a buffer that hold a tile's cells, in rectangles `[row, column, rows, columns]` of its drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct TileBuffer {
    /// Index into [`Pictures::buffers`].
    pub buffer: usize,
    /// Words with a cell of the tile.
    pub taken: u64,
    pub load: Vec<[i64; 4]>,
    pub reuse: Vec<[i64; 4]>,
    /// Everything else that the tile touches or stores.
    pub touch: Vec<[i64; 4]>,
}

/// Numbers of cells, and rectangles `[row, column, rows, columns]` of the drawing that hold them.
#[derive(Clone, Debug, PartialEq)]
pub struct TileArray {
    /// Index into [`Pictures::arrays`].
    pub array: usize,
    pub loaded: u64,
    pub stored: u64,
    /// Read or written; absent where nobody followed the iterations.
    pub touched: Option<u64>,
    /// Read, and on chip since a tile before.
    pub reused: Option<u64>,
    pub load: Vec<[i64; 4]>,
    pub store: Vec<[i64; 4]>,
    pub touch: Vec<[i64; 4]>,
    pub reuse: Vec<[i64; 4]>,
}

impl Pictures {
    /// The tiles of a run with these sizes.
    pub fn of(offload: &Offload, sizes: &BTreeMap<String, i64>) -> Pictures {
        let (tile_count, chosen) = tiles(offload, sizes);
        let mut follower = Follower::new(offload, sizes, STEPS);
        let transferred = |array| offload.bands.iter().flat_map(|band| &band.transfers).any(|t| t.array == array);
        let arrays: Vec<_> = offload.kernel.arrays.keys().filter(|array| transferred(*array)).collect();
        let drawings: Vec<ArrayPicture> = arrays
            .iter()
            .map(|array| {
                let (own, shape) = (&offload.kernel.arrays[*array], &follower.shapes[*array]);
                ArrayPicture::new(own.name.clone(), own.element.bytes(), shape)
            })
            .collect();
        let buffers: Vec<BufferPicture> = offload.buffers.iter().map(|own| BufferPicture::new(offload, own)).collect();
        let (lives, firsts) = Lives::of(offload, sizes).unzip();
        let firsts: Vec<u64> = firsts.unwrap_or_default();
        let mut shown = vec![];
        let mut orders = Shapes::default();
        let (mut rectangles, mut buffer_rectangles) = (0, 0);
        for Chosen { number, strip, band, index } in chosen {
            let Some(mut tile) = follower.tile(band, &index) else { break };
            let (order, origins) =
                tile.rows.take().and_then(|rows| orders.number(rows.told(&offload.bands[band].statements))).unzip();
            let in_buffers =
                |(place, own): (usize, &BufferPicture)| own.tile(place, &follower, band, (number, strip), &tile);
            let mut own_buffers: Vec<TileBuffer> = buffers.iter().enumerate().filter_map(in_buffers).collect();
            buffer_rectangles +=
                own_buffers.iter().map(|b| b.load.len() + b.reuse.len() + b.touch.len()).sum::<usize>();
            if buffer_rectangles > BUFFER_RECTANGLES {
                own_buffers.clear();
            }
            let of = |(array, cells)| {
                let place = arrays.iter().position(|known| *known == array)?;
                Some(drawings[place].tile(place, &follower.shapes[array], cells))
            };
            let own: Vec<TileArray> = tile.arrays.into_iter().filter_map(of).collect();
            rectangles +=
                own.iter().map(|a| a.load.len() + a.store.len() + a.touch.len() + a.reuse.len()).sum::<usize>();
            if rectangles > RECTANGLES {
                break;
            }
            shown.push(Tile {
                number,
                strip,
                band: band.0,
                index,
                iterations: tile.iterations,
                arrays: own,
                order,
                origins: origins.unwrap_or_default(),
                first_date: usize::try_from(number).ok().and_then(|number| firsts.get(number).copied()),
                buffers: own_buffers,
            });
        }
        let iterators = offload.kernel.iterators();
        let bands = offload.bands.iter().map(|band| BandPicture {
            statements: band.statements.iter().map(|s| offload.kernel.statements()[*s].name.clone()).collect(),
            iterators: band.statements.iter().map(|s| iterators[*s].clone()).collect(),
            tile_sizes: band.tiling.sizes.clone(),
            theta: crate::tiling::theta_text(&band.tiling),
            strip: band.tiling.strip,
            order: band.compute.order.clone(),
        });
        Pictures {
            sizes: sizes.clone(),
            tile_count,
            shown,
            bands: bands.collect(),
            arrays: drawings,
            buffers,
            orders: orders.found,
            lives,
            ..Pictures::default()
        }
    }
}

/// A tile that is shown, with its number and its strip's.
struct Chosen {
    number: u64,
    strip: u64,
    band: BandId,
    index: Vec<i64>,
}

/// How many tiles there are, and those that are shown.
fn tiles(offload: &Offload, sizes: &BTreeMap<String, i64>) -> (u64, Vec<Chosen>) {
    let mut values = Values::new(sizes);
    let all = |piece| walk::count(piece, &mut values, &mut STEPS.clone());
    let Some(count) = offload.tiles.pieces.iter().map(all).sum::<Option<u64>>().filter(|count| *count <= STEPS) else {
        return (0, vec![]);
    };
    let wanted = count.min(TILES);
    let mut chosen = vec![];
    let (mut number, mut strip) = (0, 0);
    let mut before: Option<(BandId, Vec<i64>)> = None;
    let _ = walk::in_order(&offload.tiles.pieces, &mut values, |piece, values| {
        let band = piece.leaf.band();
        let index: Vec<i64> = piece.point.iter().map(|index| values.evaluate(index)).collect();
        let own = (band, index[..offload.bands[band].tiling.strip_indices()].to_vec());
        strip += u64::from(before.as_ref().is_some_and(|before| *before != own));
        before = Some(own);
        // The first, the last, and as far apart as can be between them.
        let next = match wanted {
            0 | 1 => 0,
            _ => chosen.len() as u64 * (count - 1) / (wanted - 1),
        };
        if number == next {
            chosen.push(Chosen { number, strip, band, index });
        }
        number += 1;
        ControlFlow::Continue(())
    });
    (count, chosen)
}

/// Orders of tiles, each shape once.
#[derive(Default)]
struct Shapes {
    found: Vec<Order>,
    numbers: BTreeMap<Order, usize>,
    rows: usize,
}

impl Shapes {
    /// The number of a shape, new or known; `None` where there is no room for a new one.
    fn number(&mut self, (order, origins): (Order, Origins)) -> Option<(usize, Origins)> {
        if let Some(known) = self.numbers.get(&order) {
            return Some((*known, origins));
        }
        if self.rows + order.drawn.len() > ROWS {
            return None;
        }
        self.rows += order.drawn.len();
        self.numbers.insert(order.clone(), self.found.len());
        self.found.push(order);
        Some((self.found.len() - 1, origins))
    }
}

impl BufferPicture {
    fn new(offload: &Offload, buffer: &Buffer) -> BufferPicture {
        let partition = buffer.partition.as_ref().map_or(1, |partition| partition.count);
        let (banks, words) = (buffer.bank_count() * partition, buffer.words_in_bank().max(1));
        // The words of a single bank are drawn row by row of the last subscript, or in a square where that is too long.
        let last =
            buffer.common_mapping().and_then(|mapping| mapping.moduli.iter().rev().find(|modulus| **modulus > 1));
        let square = 1 << bits_below(words).div_ceil(2);
        let columns = match last.map(|modulus| 1 << bits_below(*modulus)) {
            _ if banks > 1 => words,
            Some(columns) if columns < words && columns <= GRID && words <= columns * GRID => columns,
            _ => square,
        };
        let rows = if banks > 1 { banks } else { (words - 1) / columns + 1 };
        let array = offload.kernel.arrays[buffer.array].name.clone();
        let picture = ArrayPicture::new(String::new(), 0, &Shape { extents: vec![], slant: None, rows, columns });
        let (grid, together) = (picture.grid, picture.together);
        BufferPicture { array, banks, words, columns, grid, together, buffer: buffer.clone() }
    }

    /// Where the cells of the tile with these numbers, its own and its strip's, lie; `None` where its band does not access the array.
    fn tile(
        &self,
        number: usize,
        follower: &Follower,
        band: BandId,
        numbers: (u64, u64),
        cells: &TileCells,
    ) -> Option<TileBuffer> {
        let array = self.buffer.array;
        let (shape, nothing) = (&follower.shapes[array], Cells::default());
        self.buffer.mappings.get(band)?.as_ref()?;
        let own = cells.arrays.get(&array).unwrap_or(&nothing);
        let places = |cells: &[usize]| -> BTreeSet<usize> {
            let place = |cell: &usize| self.buffer.place(band, &shape.subscripts(*cell), numbers);
            let word = |(bank, word): (i64, i64)| if self.banks > 1 { bank * self.columns + word } else { word };
            cells.iter().filter_map(place).map(|place| word(place) as usize).collect()
        };
        let (load, reuse) = (places(&own.loaded), places(own.reused.as_deref().unwrap_or_default()));
        let touched = own.touched.as_ref().or(cells.kept.get(&array)).unwrap_or(&own.stored);
        let touch = places(touched);
        let taken = load.union(&reuse).copied().collect::<BTreeSet<usize>>().union(&touch).count() as u64;
        let rest = touch.into_iter().filter(|place| !load.contains(place) && !reuse.contains(place));
        let picture = ArrayPicture { grid: self.grid, together: self.together, ..ArrayPicture::default() };
        let rows = self.grid[0] * self.together[0];
        let drawn = Shape { extents: vec![], slant: None, rows, columns: self.columns };
        let draw = |places: Vec<usize>| picture.rectangles(&drawn, &places);
        let rest: Vec<usize> = rest.collect();
        let all = |places: BTreeSet<usize>| places.into_iter().collect::<Vec<usize>>();
        Some(TileBuffer { buffer: number, taken, load: draw(all(load)), reuse: draw(all(reuse)), touch: draw(rest) })
    }
}

impl ArrayPicture {
    fn new(name: String, element_bytes: u32, shape: &Shape) -> ArrayPicture {
        let together = [shape.rows, shape.columns].map(|cells| ((cells - 1) / GRID + 1).max(1));
        let grid = [(shape.rows - 1) / together[0] + 1, (shape.columns - 1) / together[1] + 1];
        ArrayPicture { name, extents: shape.extents.clone(), element_bytes, grid, together }
    }

    /// What a tile has of the array.
    fn tile(&self, array: usize, shape: &Shape, cells: Cells) -> TileArray {
        let draw = |places: &[usize]| self.rectangles(shape, places);
        let some = |places: &Option<Vec<usize>>| places.as_ref().map_or(vec![], |places| draw(places));
        let count = |places: &[usize]| places.len() as u64;
        TileArray {
            array,
            loaded: count(&cells.loaded),
            stored: count(&cells.stored),
            touched: cells.touched.as_deref().map(count),
            reused: cells.reused.as_deref().map(count),
            load: draw(&cells.loaded),
            store: draw(&cells.stored),
            touch: some(&cells.touched),
            reuse: some(&cells.reused),
        }
    }

    /// The squares that hold the cells at these ascending places: runs along rows, joined where they are alike below one another.
    fn rectangles(&self, shape: &Shape, places: &[usize]) -> Vec<[i64; 4]> {
        let mut squares: Vec<(i64, i64)> = places
            .iter()
            .map(|place| {
                (*place as i64 / shape.columns / self.together[0], *place as i64 % shape.columns / self.together[1])
            })
            .collect();
        squares.sort_unstable();
        squares.dedup();
        let mut found: Vec<[i64; 4]> = vec![];
        // Those that end in the row before.
        let mut open: BTreeMap<(i64, i64), usize> = BTreeMap::new();
        for row in squares.chunk_by(|one, next| one.0 == next.0) {
            let mut own = BTreeMap::new();
            for run in row.chunk_by(|one, next| one.1 + 1 == next.1) {
                let ((row, column), columns) = (run[0], run.len() as i64);
                let above = open.get(&(column, columns)).copied();
                let place = above.filter(|above| found[*above][0] + found[*above][2] == row).unwrap_or(found.len());
                if place == found.len() {
                    found.push([row, column, 0, columns]);
                }
                found[place][2] += 1;
                own.insert((column, columns), place);
            }
            open = own;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_drawn_in_few_rectangles() {
        let shape = Shape { extents: vec![4, 6], slant: None, rows: 4, columns: 6 };
        let picture = ArrayPicture::new("a".into(), 4, &shape);
        assert_eq!((picture.grid, picture.together), ([4, 6], [1, 1]));
        // Two rows alike, one shifted, and a cell behind a gap.
        assert_eq!(picture.rectangles(&shape, &[1, 2, 7, 8, 14, 15, 17]), [[0, 1, 2, 2], [2, 2, 1, 2], [2, 5, 1, 1]]);
        // Alike, but not below one another.
        assert_eq!(picture.rectangles(&shape, &[0, 12]), [[0, 0, 1, 1], [2, 0, 1, 1]]);
        let large = Shape { extents: vec![1000, 300], slant: None, rows: 1000, columns: 300 };
        let picture = ArrayPicture::new("a".into(), 4, &large);
        assert_eq!((picture.grid, picture.together), ([250, 150], [4, 2]));
        assert_eq!(picture.rectangles(&large, &[0, 1, 302, 300 * 999 + 299]), [[0, 0, 1, 2], [249, 149, 1, 1]]);
    }
}
