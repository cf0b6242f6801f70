//! Layouts by use: classes of cells that the same tiles load and store, Ferry, Derrien and Rajopadhye's maximal atomic
//! irredundant sets (MARS) for affine dependences.
//!
//! What a tile moves is a union of classes (atomic), cells with the same users are in one class (maximal), and no cell is in
//! two (irredundant). Where the footprints of all tiles are one footprint that moves by a step per index, the classes are too,
//! and blocks of classes in memory let every tile move what it needs in few runs, whose places are constants.
//!
//! ```text
//! 3 x 3 stencil in tiles of 8 x 8, strips along j: Load(T) is 10 rows of 8 cells, of which tiles above and below load 2
//!
//!     rows 8 T0 + 0, 1        16 cells, which tile (T0 - 1, T1) loads too
//!     rows 8 T0 + 2 to 7      48 cells
//!     rows 8 T0 + 8, 9        16 cells, which tile (T0 + 1, T1) loads too: the first class of the block that follows
//! ```
//!
//! In blocks of 16 + 48 cells, one behind the other along T0, the three are one run.

mod cells;
mod classes;
mod footprint;
mod kernel;
mod lattice;
mod order;
mod slices;
#[cfg(test)]
mod tests;

use anyhow::Result;

use crate::polyhedral::isl::{Map, Set};
pub use classes::{Class, of_tile};
use footprint::Footprint;
pub use kernel::{Array, Moved, choose_layouts, of_offload};
use lattice::Lattice;
pub use order::{Instance, Order};
pub use slices::Slices;

/// Why an array keeps its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The number of the relation whose footprints are the cause.
    pub relation: usize,
    pub reason: Reason,
}

/// See [`Refusal`]. A dimension is one of the tiles of the relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Cells without end.
    Unbounded,
    /// All tiles in the direction of this dimension may be at a border.
    FewTiles { dimension: usize, tiles: i64 },
    /// So many tiles on, the footprint is the same so many cells further on, but not at the tiles in between: a step is no whole
    /// number of cells (tiles of an odd size along `i + j`).
    NotIntegral { dimension: usize, tiles: i64, step: Vec<i64> },
    /// The footprint changes its shape from tile to tile: Proposition 4.2's condition, one null space, does not hold.
    NotShiftInvariant { dimension: usize },
    /// The relation and the first one move by different steps.
    Steps,
    /// Tiles that share cells, or classes, or isl's operations are too many.
    Many,
}

/// The classes of an array, and their order in memory.
#[derive(Clone, Debug)]
pub struct Mars {
    /// The classes of a block: no two are equal but for a vector of the lattice.
    pub block: Vec<Place>,
    pub order: Order,
    /// Per relation what the tile in the middle moves; parallel to the relations.
    pub relations: Vec<Part>,
    lattice: Lattice,
}

/// A class of a block, in the block that holds it unmoved.
#[derive(Clone, Debug)]
pub struct Place {
    pub class: Class,
    /// How many cells it has.
    pub cells: u64,
    /// The least and the largest subscripts.
    pub bounds: (Vec<i64>, Vec<i64>),
    /// How many places it takes in memory: those of the box around it, whose ranks are affine.
    pub places: u64,
    /// From the start of the block.
    pub offset: u64,
}

impl Place {
    /// Whether the class is a box, so that the rank of a cell has no holes.
    pub fn is_box(&self) -> bool {
        self.cells == self.places
    }
}

/// What a tile in the middle moves.
#[derive(Clone, Debug)]
pub struct Part {
    pub tile: Vec<i64>,
    /// `{ [x0, x1] }`: its cells, moved near the origin, where all relations are near each other.
    pub cells: Set,
    /// The vector of the lattice that leads back from there.
    pub base: Vec<i64>,
    /// Per dimension of the tiles by how many cells the footprint moves per index; `None` where it has one index only.
    pub steps: Vec<Option<Vec<i64>>>,
    pub runs: Vec<Run>,
}

impl Part {
    /// The numbers of its classes, in the order in memory, run by run, with the blocks they are in.
    pub fn instances(&self) -> impl Iterator<Item = &Instance> {
        self.runs.iter().flat_map(|run| &run.instances)
    }
}

/// Neighbours in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The classes as they follow each other, each with the block that it is in.
    pub instances: Vec<Instance>,
    /// Places from the start of the block of the first one.
    pub offset: u64,
    /// In places.
    pub length: u64,
}

impl Mars {
    /// Of relations `{ T[t0, t1] -> c[x0, x1] }` without parameters, loads or stores of any bands, over the subscripts that tell
    /// places apart in memory; each has a tile that moves some cell.
    ///
    /// # Errors
    /// isl's, and an internal error where a relation is empty.
    pub fn new(relations: &[Map]) -> Result<Result<Mars, Refusal>> {
        let mut footprints = vec![];
        let refuse = |relation: usize, reason: Reason| Ok(Err(Refusal { relation, reason }));
        for (number, relation) in relations.iter().enumerate() {
            match Footprint::new(relation)? {
                Ok(footprint) => footprints.push(footprint),
                Err(reason) => return refuse(number, reason),
            }
        }
        let generators: Vec<Vec<i64>> = footprints.iter().flat_map(Footprint::generators).collect();
        let lattice = Lattice::new(&footprints.first().map(Footprint::generators).unwrap_or_default());
        for (relation, footprint) in footprints.iter().enumerate() {
            if Lattice::new(&footprint.generators()) != lattice {
                return refuse(relation, Reason::Steps);
            }
        }
        let (mut parts, mut bases) = (vec![], vec![]);
        for footprint in &footprints {
            let (low, _) = cells::bounds(&footprint.cells)?.unwrap_or_default();
            let back: Vec<i64> = lattice.part(&low).iter().map(|entry| -entry).collect();
            parts.push(cells::moved(&footprint.cells, &back)?.coalesce()?);
            bases.push(lattice.part(&low));
        }
        let Some(found) = found(&parts, &lattice)? else { return refuse(0, Reason::Many) };
        let (mut block, blocks_of) = block(found, &lattice)?;
        let instances: Vec<Vec<Instance>> =
            (0..parts.len()).map(|relation| of_relation(&blocks_of, relation)).collect();
        let order = order::choose(block.len(), &generators, &instances);
        let mut offset = 0;
        for class in &order.classes {
            block[*class].offset = offset;
            offset += block[*class].places;
        }
        let runs = |instances: &Vec<Instance>| -> Vec<Run> {
            let run = |instances: Vec<Instance>| Run {
                offset: block[instances[0].1].offset,
                length: instances.iter().map(|(_, class)| block[*class].places).sum(),
                instances,
            };
            order.runs(instances).into_iter().map(run).collect()
        };
        let mut relations = vec![];
        for ((Footprint { tile, steps, .. }, cells), (base, instances)) in
            footprints.into_iter().zip(parts).zip(bases.into_iter().zip(&instances))
        {
            relations.push(Part { tile, cells, base, steps, runs: runs(instances) });
        }
        Ok(Ok(Mars { block, order, relations, lattice }))
    }

    /// Where a cell lies: by which vector of the lattice its block is moved, in cells, and the place in there, its class's offset and
    /// its rank in the box, the last subscript fastest; `None` where its class is no box, and for cells that no tile moves as one in
    /// the middle does.
    pub fn address(&self, cell: &[i64]) -> Option<(Vec<i64>, u64)> {
        self.block.iter().filter(|place| place.is_box()).find_map(|place| {
            let (low, high) = &place.bounds;
            let from = |bound: &[i64]| -> Vec<i64> { cell.iter().zip(bound).map(|(own, bound)| own - bound).collect() };
            // A second block with the cell would be a second class of it.
            let blocks = self.lattice.within(&from(high), &from(low), 2)?;
            let block = blocks.into_iter().next()?;
            let digit = |k: usize| ((cell[k] - block[k] - low[k]) as u64, (high[k] - low[k] + 1) as u64);
            let rank = (0..cell.len()).map(digit).fold(0, |rank, (digit, radix)| rank * radix + digit);
            Some((block, place.offset + rank))
        })
    }

    /// Places of a block.
    pub fn block_places(&self) -> u64 {
        self.block.iter().map(|place| place.places).sum()
    }
}

/// The classes of all cells that one of the parts has.
fn found(parts: &[Set], lattice: &Lattice) -> Result<Option<Vec<Class>>> {
    let [first, others @ ..] = parts else { return Ok(Some(vec![])) };
    let universe = others.iter().try_fold(first.clone(), |all, part| all.union(part))?;
    classes::refine(&universe.coalesce()?, parts, lattice)
}

/// A class as it was found: its users, the vector to it from the class of the block, and that one's number.
type Found = (Vec<(usize, Vec<i64>)>, Instance);

/// Those of `found` that are no other one moved by a vector of the lattice, at the place that stands for all of these.
fn block(found: Vec<Class>, lattice: &Lattice) -> Result<(Vec<Place>, Vec<Found>)> {
    let mut block: Vec<Place> = vec![];
    let mut all = vec![];
    for Class { cells, users } in found {
        let (low, _) = cells::bounds(&cells)?.unwrap_or_default();
        let from = lattice.part(&low);
        let back: Vec<i64> = from.iter().map(|entry| -entry).collect();
        let moved = cells::moved(&cells, &back)?;
        let mut own = None;
        for (number, place) in block.iter().enumerate() {
            if place.class.cells.is_equal(&moved)? {
                own = Some(number);
            }
        }
        let number = match own {
            Some(number) => number,
            None => {
                let (low, high) = cells::bounds(&moved)?.unwrap_or_default();
                let users = users.iter().map(|(relation, offset)| {
                    (*relation, offset.iter().zip(&back).map(|(own, back)| own + back).collect())
                });
                let class = Class { cells: moved.coalesce()?, users: users.collect() };
                let places = cells::volume(&low, &high);
                block.push(Place { cells: cells::count(&class.cells)?, class, bounds: (low, high), places, offset: 0 });
                block.len() - 1
            }
        };
        all.push((users, (from, number)));
    }
    Ok((block, all))
}

/// The classes that the unmoved part of a relation consists of.
fn of_relation(found: &[Found], relation: usize) -> Vec<Instance> {
    let uses = |users: &[(usize, Vec<i64>)]| {
        users.iter().any(|(own, offset)| *own == relation && offset.iter().all(|entry| *entry == 0))
    };
    found.iter().filter(|(users, _)| uses(users)).map(|(_, instance)| instance.clone()).collect()
}
