//! Classes of cells by their users, which are what loads or stores them.

use anyhow::Result;

use super::lattice::Lattice;
use super::{cells, footprint};
use crate::polyhedral::isl::{Map, Set};

/// Cells that the same tiles load and store.
#[derive(Clone, Debug)]
pub struct Class {
    /// `{ [x0, x1] }`
    pub cells: Set,
    /// Index of a relation, and how far from the tile in the middle the footprint of another of its tiles lies, in cells: the
    /// class is a part of that. In the order of the relations, then lexicographic.
    pub users: Vec<(usize, Vec<i64>)>,
}

/// The most footprints near another that are looked at.
const MOST_NEIGHBOURS: usize = 2000;

/// The most classes.
const MOST_CLASSES: usize = 256;

/// The cells of `universe` in classes by the footprints that hold them, each moved by any vector of the lattice; `None` where
/// footprints or classes are too many.
///
/// By refinement (in place of all subsets of the users, as in section 4.3.2): every footprint splits the classes so far, and
/// what has no cell is dropped, so that there are never more classes than cells.
pub fn refine(universe: &Set, footprints: &[Set], lattice: &Lattice) -> Result<Option<Vec<Class>>> {
    let mut classes = vec![Class { cells: universe.clone(), users: vec![] }];
    for (relation, footprint) in footprints.iter().enumerate() {
        let Some(neighbours) = near(universe, footprint, lattice)? else { return Ok(None) };
        for offset in neighbours {
            let other = cells::moved(footprint, &offset)?.intersect(universe)?.coalesce()?;
            if other.is_empty()? {
                continue;
            }
            let mut split = vec![];
            for class in classes {
                let inside = class.cells.intersect(&other)?;
                if inside.is_empty()? {
                    split.push(class);
                    continue;
                }
                let outside = class.cells.subtract(&other)?.coalesce()?;
                let mut users = class.users.clone();
                users.push((relation, offset.clone()));
                if !outside.is_empty()? {
                    split.push(Class { cells: outside, users: class.users });
                }
                split.push(Class { cells: inside.coalesce()?, users });
            }
            classes = split;
            if classes.len() > MOST_CLASSES {
                return Ok(None);
            }
        }
    }
    Ok(Some(classes))
}

/// By which vectors of the lattice `footprint` may be moved so that its box meets that of `universe`.
fn near(universe: &Set, footprint: &Set, lattice: &Lattice) -> Result<Option<Vec<Vec<i64>>>> {
    let [Some(all), Some(own)] = [cells::bounds(universe)?, cells::bounds(footprint)?] else {
        return Ok(Some(vec![]));
    };
    let low: Vec<i64> = all.0.iter().zip(&own.1).map(|(first, last)| first - last).collect();
    let high: Vec<i64> = all.1.iter().zip(&own.0).map(|(last, first)| last - first).collect();
    Ok(lattice.within(&low, &high, MOST_NEIGHBOURS))
}

/// The cells of one tile, `{ [x0, x1] }`, by the tiles that have them, whatever those are: two cells are in one class where the
/// same tiles of `map`, `{ T[t0, t1] -> c[x0, x1] }`, have them. This asks for no step from tile to tile; classes may differ
/// from one to the next.
///
/// # Errors
/// isl's.
pub fn of_tile(own: &Set, map: &Map) -> Result<Vec<Set>> {
    let (map, tiles) = (map.without_output_name()?, map.domain()?);
    let (mut open, mut classes) = (vec![own.clone()], vec![]);
    while let Some(cells) = open.pop() {
        // Tiles with some of these cells that lack another; one of them splits them.
        let users = map.intersect_range(&cells)?;
        let lacking = Map::of_all(&users.domain()?, &cells)?.subtract(&users)?.domain()?;
        match lacking.sample()? {
            None => classes.push(cells),
            Some(tile) => {
                let part = footprint::image(&map, &tiles, &tile)?;
                open.push(cells.intersect(&part)?.coalesce()?);
                open.push(cells.subtract(&part)?.coalesce()?);
            }
        }
    }
    Ok(classes)
}
